use super::*;
use crate::page::ReadOptions;
use crate::url::{Identity, Switches};

const SHOP: &str = r#"<html><head><base href="/base/"><script type="application/ld+json">
{"@graph": [{"@type": "BreadcrumbList"}, {"@type": ["Thing", "http://schema.org/Product"], "name": "Red shoes",
 "sku": 17, "offers": [{"price": "1299.00"}, {"price": 1399.5}], "tags": ["a", ["b", null]], "brand": {"name": "Hondius"}}]}
</script></head><body><h1> Red
 shoes </h1><span class=price>1.299,00&nbsp;€</span><span class=price>ask us</span><a class=more href="x y.html">More</a>
<time datetime="2026-11-18T10:00:00+01:00">today</time><ul><li data-id=1>One <i>1,50 $</i></li><li data-id=2>Two</li>
<li>  </li></ul><script>var stock = 42;</script></body></html>"#;

fn field(name: &str, change: impl FnOnce(&mut FieldOptions)) -> FieldOptions {
    let mut options = FieldOptions {
        name: name.to_owned(),
        kind: "text".to_owned(),
        ..FieldOptions::default()
    };
    change(&mut options);
    options
}

fn css(selector: &str, kind: &str) -> FieldOptions {
    field("f", |options| {
        options.css = Some(selector.to_owned());
        options.kind = kind.to_owned();
    })
}

fn json(path: &str, kind: &str) -> FieldOptions {
    field("f", |options| {
        options.json_ld = Some(path.to_owned());
        options.kind = kind.to_owned();
    })
}

fn reader() -> Reader {
    let options = ReadOptions {
        agent_token: "hondius".into(),
        media: false,
        scripts: false,
        requisites: false,
        max_links: 10,
        max_text: 10,
        want_text: false,
        keywords: None,
    };
    Reader::new(Identity::new(Switches::default()), options)
}

fn apply(page: &str, items: Items, fields: &[FieldOptions]) -> Found {
    let fields = fields
        .iter()
        .map(|options| Field::parse(options, &items).unwrap())
        .collect();
    let rules = Rules::new(items, fields).unwrap();
    let reader = reader();
    let url = Url::parse("http://shop.test/p/1").unwrap();
    rules.apply(
        &reader,
        page.as_bytes(),
        &url,
        "text/html; charset=utf-8",
        &[],
    )
}

fn one(options: FieldOptions) -> Value {
    let found = apply(
        SHOP,
        Items::Page,
        &[field("h", |o| o.css = Some("h1".into())), options],
    );
    found.rows[0][1].clone()
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn o1_fields_are_found_by_css() {
    assert_eq!(one(css("h1", "text")), text("Red shoes"));
    assert_eq!(one(css(".price", "price")), Value::Number(1299.0));
    assert_eq!(one(css(".price", "currency")), text("EUR"));
    assert_eq!(one(css(".nothing", "price")), Value::Nothing);
    assert_eq!(one(css(".more", "exists")), Value::Truth(true));
    assert_eq!(one(css(".less", "exists")), Value::Truth(false));
    let mut link = css("a", "url");
    link.attribute = Some("HREF".into());
    assert_eq!(one(link), text("http://shop.test/base/x%20y.html"));
    let mut at = css("time", "date");
    at.attribute = Some("datetime".into());
    assert_eq!(one(at), Value::Number(1_794_992_400.0));
    let mut html = css("h1", "text");
    html.html = true;
    assert_eq!(one(html), text(" Red\n shoes "));
    let mut all = css(".price", "text");
    all.all = true;
    assert_eq!(
        one(all),
        Value::List(vec![text("1.299,00 €"), text("ask us")])
    );
}

#[test]
fn o1_fields_are_found_in_json_ld() {
    assert_eq!(one(json("Product.name", "text")), text("Red shoes"));
    assert_eq!(one(json("Product.sku", "integer")), Value::Integer(17));
    assert_eq!(one(json("Product.sku", "text")), text("17"));
    assert_eq!(
        one(json("Product.offers.price", "price")),
        Value::Number(1299.0)
    );
    assert_eq!(
        one(json("Product.brand", "text")),
        text(r#"{"name":"Hondius"}"#)
    );
    assert_eq!(one(json("Offer.price", "price")), Value::Nothing);
    let mut all = json("Product.offers.price", "number");
    all.all = true;
    assert_eq!(
        one(all),
        Value::List(vec![Value::Number(1299.0), Value::Number(1399.5)])
    );
    let mut tags = json("Product.tags", "text");
    tags.all = true;
    assert_eq!(one(tags), Value::List(vec![text("a"), text("b")]));
}

#[test]
fn o1_fields_are_found_by_regular_expressions() {
    let pattern = |regex: &str, selector: Option<&str>| {
        field("f", |options| {
            options.regex = Some(regex.to_owned());
            options.css = selector.map(str::to_owned);
        })
    };
    assert_eq!(one(pattern(r"stock = (\d+)", None)), text("42"));
    assert_eq!(one(pattern(r"(\d+)", Some("h1"))), Value::Nothing);
    assert_eq!(one(pattern(r"[a-z]+", Some("h1"))), text("ed"));
    assert_eq!(one(pattern(r"ask (\w+)", Some(".price"))), text("us"));
}

#[test]
fn o1_items_are_rows() {
    let items = || Items::parse(Some("li"), None).unwrap();
    let mut number = css(":scope", "integer");
    number.attribute = Some("data-id".into());
    let price = css("i", "price");
    let mut title = css("h1", "text");
    title.of_page = true;
    let name = field("f", |options| options.regex = Some(r"^\w+".into()));
    let found = apply(
        SHOP,
        items(),
        &[
            number,
            price.clone(),
            title,
            name,
            json("Product.sku", "text"),
        ],
    );
    let row = |id: i64, price: Value, name: &str| {
        vec![
            Value::Integer(id),
            price,
            text("Red shoes"),
            text(name),
            text("17"),
        ]
    };
    let expected = vec![
        row(1, Value::Number(1.5), "One"),
        row(2, Value::Nothing, "Two"),
    ];
    assert_eq!((found.rows, found.items, found.left_out), (expected, 3, 1));
    let mut required = price;
    required.required = true;
    let found = apply(SHOP, items(), &[required]);
    assert_eq!((found.rows.len(), found.left_out), (1, 2));
    assert_eq!(found.matches[0].first.as_deref(), Some("1,50 $"));
}

#[test]
fn o1_items_may_be_objects_of_json_ld() {
    let items = Items::parse(None, Some("Product.offers")).unwrap();
    let found = apply(SHOP, items, &[json("price", "price"), css("h1", "text")]);
    let row = |price| vec![Value::Number(price), text("Red shoes")];
    assert_eq!(found.rows, vec![row(1299.0), row(1399.5)]);
}

#[test]
fn o1_what_cannot_be_converted_is_reported() {
    let found = apply(SHOP, Items::Page, &[css("h1", "price"), css("h1", "text")]);
    assert_eq!(found.matches[0].unread.as_deref(), Some("Red shoes"));
    assert_eq!(found.matches[1].unread, None);
}

#[test]
fn o1_a_wrong_rule_names_the_field_and_says_what_to_do() {
    let refuse = |options: &FieldOptions| {
        Field::parse(options, &Items::Page)
            .err()
            .map(|error| error.to_string())
            .unwrap()
    };
    assert!(refuse(&css("a[", "text")).starts_with("f: "));
    assert!(refuse(&css("a", "colour")).contains("choose from text, number, integer, price"));
    assert!(refuse(&json("product.name", "text")).contains("write it like Product.offers.price"));
    assert!(refuse(&json("Product..name", "text")).contains("is no path"));
    let pattern = field("f", |options| options.regex = Some("(a".into()));
    assert!(refuse(&pattern).contains("is no regular expression: unclosed group"));
    let huge = field("f", |options| {
        options.regex = Some("(a{1000}){1000}".into())
    });
    assert!(refuse(&huge).contains("is no regular expression"));
}

#[test]
fn q2_a_hostile_page_is_costly_and_has_no_rows() {
    let deep = format!("{}x", "<div>".repeat(3_000));
    let items = Items::parse(Some("div"), None).unwrap();
    let found = apply(&deep.repeat(3), items, &[css("div div", "text")]);
    assert!(found.is_costly && found.rows.is_empty());
    let many = field("f", |options| {
        options.regex = Some(".*[^A-Z]|[A-Z]".into());
        options.all = true;
    });
    let found = apply(&"A".repeat(1_000_000), Items::Page, &[many]);
    assert!(found.is_costly);
}

#[test]
fn o1_numbers_are_read_as_people_write_them() {
    for (text, number, price) in [
        ("1,234.56", 1234.56, 1234.56),
        ("1.234,56 €", 1234.56, 1234.56),
        ("1 234,56", 1234.56, 1234.56),
        ("1\u{202F}234", 1234.0, 1234.0),
        ("CHF 1'234.–", 1234.0, 1234.0),
        ("1.234.567", 1_234_567.0, 1_234_567.0),
        ("12,5", 12.5, 12.5),
        ("1,299", 1299.0, 1299.0),
        ("1.299", 1.299, 1299.0),
        ("0,125", 0.125, 0.125),
        ("1299.125", 1299.125, 1299.125),
        ("12 345 678", 12_345_678.0, 12_345_678.0),
        ("20 30", 20.0, 20.0),
        ("from 7 to 9", 7.0, 7.0),
        ("-5", -5.0, -5.0),
        ("-€ 5", -5.0, -5.0),
        ("\u{2212}3.5 °C", -3.5, -3.5),
        ("A-5", 5.0, 5.0),
        (".99", 0.99, 0.99),
        ("1.2.3", 1.2, 1.2),
        ("€ 12,-", 12.0, 12.0),
    ] {
        assert_eq!(number::parse(text), Some(number), "{text}");
        assert_eq!(number::parse_price(text), Some(price), "{text} as a price");
    }
    for text in ["", "free", "–"] {
        assert_eq!(number::parse(text), None, "{text}");
    }
    assert!(number::parse(&"9".repeat(5_000)).is_some());
    assert_eq!(number::to_integer(1.5), None);
}

#[test]
fn o1_dates_are_read_as_people_write_them() {
    const DAY: f64 = 1_794_960_000.0;
    for text in [
        "2026-11-18",
        "2026/11/18",
        "18.11.2026",
        "18 November 2026",
        "Published: November 18th, 2026",
        "Nov 18, 2026",
        "18. Nov. 2026",
        "Wed, 18 Nov 2026 00:00:00 GMT",
        "2026-11-18T01:00:00+01:00",
        "on 2026-11-18 00:00Z, by us",
    ] {
        assert_eq!(date::parse(text), Some(DAY), "{text}");
    }
    for text in [
        "",
        "yesterday",
        "03/04/2026",
        "31.02.2026",
        "2026-13-01",
        "Decade 12 2026",
    ] {
        assert_eq!(date::parse(text), None, "{text}");
    }
}

#[test]
fn o1_currencies_are_found() {
    for (text, code) in [
        ("12,50 €", "EUR"),
        ("US$ 5", "USD"),
        ("A$5", "AUD"),
        ("5 SEK", "SEK"),
        ("R$ 3", "BRL"),
    ] {
        assert_eq!(currency::find(text), Some(code), "{text}");
    }
    assert_eq!(currency::find("12 kr"), None);
}
