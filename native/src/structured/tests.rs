use encoding_rs::UTF_8;
use serde_json::{Value, json};
use url::Url;

use crate::html::slow;

fn read(html: &str) -> Value {
    let tree = slow::build_whole(html).unwrap();
    let url = Url::parse("https://example.com/shop/page").unwrap();
    serde_json::from_str(&super::read(&tree, &url, UTF_8, html.len())).unwrap()
}

#[test]
fn json_ld_is_read_as_it_stands() {
    let found = read(
        r#"<script type="application/ld+json">{"@type": "Product", "name": "Pan"}</script>
           <script type="application/LD+JSON; charset=utf-8">[{"@id": "a"}, {"@id": "b"}, 7]</script>
           <script>{"@type": "No"}</script>"#,
    );
    assert_eq!(
        found["json_ld"],
        json!([{"@type": "Product", "name": "Pan"}, {"@id": "a"}, {"@id": "b"}])
    );
}

#[test]
fn json_ld_with_the_usual_mistakes_is_read() {
    let found = read(
        "<script type=application/ld+json>//<![CDATA[\n{\"name\": \"two\nlines\", \"list\": [1, 2,],};\n//]]></script>\
         <script type=application/ld+json><!-- {\"a\": \"\\\",]\"} --></script>\
         <script type=application/ld+json>{broken</script>",
    );
    assert_eq!(
        found["json_ld"],
        json!([{"name": "two lines", "list": [1, 2]}, {"a": "\",]"}])
    );
}

#[test]
fn microdata_is_written_as_the_standard_says() {
    let found = read(
        r#"<div itemscope itemtype="https://schema.org/Product" itemid="/p/1">
             <h1 itemprop="name">Cast <b>iron</b>
               pan</h1>
             <img itemprop=image src=/pan.jpg><meta itemprop="sku" content="12">
             <div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
               <span itemprop="price">49</span><time itemprop="until" datetime="2026-01-01">soon</time>
               <a itemprop="url" href="buy">Buy</a>
             </div>
             <span itemprop="color">black</span> <span itemprop="color material">iron</span>
           </div>
           <p itemprop="name">Of nothing</p>"#,
    );
    assert_eq!(
        found["microdata"],
        json!([{
            "type": ["https://schema.org/Product"],
            "id": "https://example.com/p/1",
            "properties": {
                "name": ["Cast iron pan"],
                "image": ["https://example.com/pan.jpg"],
                "sku": ["12"],
                "offers": [{
                    "type": ["https://schema.org/Offer"],
                    "properties": {"price": ["49"], "until": ["2026-01-01"], "url": ["https://example.com/shop/buy"]},
                }],
                "color": ["black", "iron"],
                "material": ["iron"],
            },
        }])
    );
}

#[test]
fn an_itemref_adds_properties_from_elsewhere_and_cannot_loop() {
    let found = read(
        r#"<p id="far" itemprop="far">away</p>
           <div id="me" itemscope itemref="far me missing"><span itemprop="near">here</span></div>"#,
    );
    let properties = &found["microdata"][0]["properties"];
    assert_eq!(properties["far"], json!(["away"]));
    assert_eq!(properties["near"][0], json!("here"));
}

#[test]
fn rdfa_lite_expands_types_and_resolves_addresses() {
    let found = read(
        r#"<base href="https://other.example/dir/">
           <div vocab="https://schema.org/" typeof="Person" resource="me">
             <span property="name">Ann</span> <a property="url" href="x">home</a>
             <div property="address" typeof="PostalAddress"><span property="postalCode" content="1010">ten</span></div>
           </div>
           <div typeof="foaf:Agent"></div>"#,
    );
    assert_eq!(
        found["rdfa"],
        json!([
            {
                "type": ["https://schema.org/Person"],
                "id": "https://other.example/dir/me",
                "properties": {
                    "name": ["Ann"],
                    "url": ["https://other.example/dir/x"],
                    "address": [{"type": ["https://schema.org/PostalAddress"], "properties": {"postalCode": ["1010"]}}],
                },
            },
            {"type": ["http://xmlns.com/foaf/0.1/Agent"], "properties": {}},
        ])
    );
}

#[test]
fn open_graph_keeps_every_value_of_a_name() {
    let found = read(
        r#"<meta property="og:image" content="a.png"><meta property="OG:image" content="b.png">
           <meta name="twitter:card" content=" summary "><meta name="description" content="no">"#,
    );
    assert_eq!(
        found["open_graph"],
        json!({"og:image": ["a.png", "b.png"], "twitter:card": ["summary"]})
    );
}

#[test]
fn a_page_without_any_has_all_parts_empty() {
    assert_eq!(
        read("<p>text"),
        serde_json::from_str::<Value>(&super::nothing()).unwrap()
    );
}

#[test]
fn items_and_properties_within_each_other_take_bounded_room() {
    let nested =
        "<div itemscope itemprop='a b c'><p itemprop='t'>".repeat(1_500) + &"text ".repeat(1_000);
    let found = read(&nested).to_string();
    assert!(found.len() < 4 * nested.len() + 200_000, "{}", found.len());
}

#[test]
fn a_graph_is_kept_as_it_is_nested() {
    let found = read(
        r#"<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [{"@type": "WebPage", "@graph": [{"@id": "a"}]}]}</script>"#,
    );
    assert_eq!(
        found["json_ld"],
        json!([{"@context": "https://schema.org", "@graph": [{"@type": "WebPage", "@graph": [{"@id": "a"}]}]}])
    );
}

#[test]
fn json_that_cannot_be_read_costs_only_itself() {
    let deep = "[".repeat(100_000);
    let found = read(&format!(
        "<script type=application/ld+json>{deep}</script>\
         <script type=application/ld+json>{{\"a\": 1</script>\
         <script type=application/ld+json></script>\
         <script type=application/ld+json>\"text\"</script>\
         <script type=application/ld+json>{{\"b\": 2}}</script>"
    ));
    assert_eq!(found["json_ld"], json!([{"b": 2}]));
}

#[test]
fn items_that_refer_to_each_other_end() {
    let found = read(
        r#"<div id="a" itemscope itemref="b"><b itemprop="x">1</b></div>
           <div id="b" itemscope itemprop="other" itemref="a"><b itemprop="y">2</b></div>"#,
    );
    let properties = &found["microdata"][0]["properties"];
    assert_eq!(properties["x"], json!(["1"]));
    assert_eq!(properties["other"][0]["properties"]["y"], json!(["2"]));
}

#[test]
fn many_references_to_a_large_part_take_bounded_room() {
    let page = format!(
        "<div id=big>{}</div>{}",
        "<p itemprop=p>text</p>".repeat(2_000),
        "<div itemscope itemref='big big big'></div>".repeat(2_000)
    );
    let found = read(&page).to_string();
    assert!(found.len() < 4 * page.len() + 200_000, "{}", found.len());
}

#[test]
fn prefixes_of_rdfa_are_expanded_where_they_are_declared() {
    let found = read(
        r#"<div prefix="ex: https://example.com/ns# dc: https://other.example/" typeof="ex:Book">
             <b property="dc:title">T</b><b property="ex:pages">9</b><b property="unknown:x">u</b>
           </div>
           <div typeof="ex:Book schema:Thing"><b property="dc:title">V</b></div>"#,
    );
    assert_eq!(
        found["rdfa"],
        json!([
            {
                "type": ["https://example.com/ns#Book"],
                "properties": {"https://other.example/title": ["T"], "https://example.com/ns#pages": ["9"], "unknown:x": ["u"]},
            },
            {
                "type": ["ex:Book", "http://schema.org/Thing"],
                "properties": {"http://purl.org/dc/terms/title": ["V"]},
            },
        ])
    );
}

#[test]
fn a_vocabulary_that_is_long_is_none() {
    let page = format!(
        "<div vocab='{}'>{}</div>",
        "v".repeat(100_000),
        "<i typeof='A B C D E F G H'></i>".repeat(5_000)
    );
    assert_eq!(read(&page)["rdfa"][0]["type"][0], json!("A"));
}

fn script(json: &str) -> String {
    format!("<script type=application/ld+json>{json}</script>")
}

#[test]
fn json_ld_has_a_cap_on_its_values_and_what_is_above_is_counted() {
    let list = "[1,2],".repeat(20_000);
    let found = read(&script(&format!(r#"{{"a": [{list}7], "b": 1}}"#)));
    // The object, its list, and three values for each pair.
    let kept = found["json_ld"][0]["a"].as_array().unwrap();
    assert_eq!(kept.len(), (40_000 - 2_usize).div_ceil(3));
    assert_eq!(kept[0], json!([1, 2]));
    assert_eq!(found["json_ld"][0].get("b"), None);
    let whole = read(&script(r#"{"a": [1, 2], "b": 1}"#));
    assert_eq!(whole["left_out"], json!(0));
    assert!(found["left_out"].as_u64().unwrap() > 6_000);
}

#[test]
fn json_ld_that_is_too_deep_loses_only_what_is_deep() {
    let (open, shut) = (r#"{"a":"#.repeat(1_000), "}".repeat(1_000));
    let found = read(&script(&format!(r#"{{"b": {open}1{shut}, "c": 2}}"#)));
    assert_eq!(found["json_ld"][0]["c"], json!(2));
    assert_eq!(found["left_out"], json!(1));
}

#[test]
fn json_ld_has_a_cap_on_its_bytes_and_later_values_may_still_fit() {
    let text = "x".repeat(3_000_000);
    let found = read(&script(&format!(
        r#"{{"a": "{text}", "b": "{text}", "c": "short"}}"#
    )));
    let object = &found["json_ld"][0];
    assert_eq!(object["a"], json!(text));
    assert_eq!(object.get("b"), None);
    assert_eq!(object["c"], json!("short"));
    assert_eq!(found["left_out"], json!(1));
}

#[test]
fn json_ld_that_must_be_repaired_takes_its_room_once() {
    let list = "1,".repeat(39_000);
    let found = read(&script(&format!(r#"{{"a": [{list}]}}"#)));
    assert_eq!(found["json_ld"][0]["a"].as_array().unwrap().len(), 39_000);
    assert_eq!(found["left_out"], json!(0));
}

#[test]
fn scripts_above_the_cap_on_objects_are_counted() {
    let found = read(&script("{}").repeat(1_005));
    assert_eq!(found["json_ld"].as_array().unwrap().len(), 1_000);
    assert_eq!(found["left_out"], json!(5));
}

#[test]
fn each_kind_has_its_own_room_and_all_that_is_left_out_is_counted() {
    let many = |attribute: &str| format!("<b {attribute}=a></b>").repeat(41_000);
    let page = format!(
        "{}<div itemscope>{}</div><div typeof=t>{}</div><meta property=og:title content=t>",
        script(&format!("[{{\"a\": [{}1]}}]", "1,".repeat(41_000))),
        many("itemprop"),
        many("property"),
    );
    let found = read(&page);
    let length = |part: &str| {
        let values = &found[part][0]["properties"]["a"];
        values.as_array().unwrap().len()
    };
    assert_eq!((length("microdata"), length("rdfa")), (39_999, 39_998));
    assert_eq!(found["open_graph"], json!({"og:title": ["t"]}));
    assert_eq!(found["left_out"], json!(1_004 + 1_001 + 1_002));
}
