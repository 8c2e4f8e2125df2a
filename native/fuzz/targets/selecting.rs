//! Selectors and field rules: any text is one or is refused, and finds within its caps on any page.

use std::time::Duration;

use hondius_native::field_rules::{Field, FieldOptions, Items, Rules};
use hondius_native::html::Reader;
use hondius_native::page::ReadOptions;
use hondius_native::select::{Selector, find_elements};
use hondius_native::url::{Identity, Switches};
use url::Url;

use super::{Target, Verdict, choice, must};

const PAGE: &[u8] = b"<main class='a b' id=c><ul><li data-x=1>one <b>1,299.00 EUR</b><li>two<li><p>three</ul><p>x</p><p></p>\
    <script type=application/ld+json>{\"@graph\":[{\"@type\":[\"Product\"],\"name\":\"n\",\"offers\":[{\"price\":\"1.5\"},[2]]}]}</script>";
const KINDS: [&str; 8] = [
    "text", "number", "price", "integer", "currency", "date", "url", "exists",
];

fn reader() -> Reader {
    let options = ReadOptions {
        agent_token: "hondius".into(),
        media: false,
        scripts: false,
        requisites: false,
        max_links: 1_000,
        max_text: 100_000,
        want_text: true,
    };
    Reader::new(Identity::new(Switches::default()), options)
}

/// The rule before the first zero byte, the page after it.
fn split(input: &[u8]) -> (String, &[u8]) {
    let end = input.iter().position(|byte| *byte == 0);
    let rule = String::from_utf8_lossy(&input[..end.unwrap_or(input.len())]).into_owned();
    (rule, end.map_or(PAGE, |end| &input[end + 1..]))
}

fn page() -> Url {
    Url::parse("http://a.test/dir/page").expect("a URL")
}

pub struct Selectors(Reader);

impl Selectors {
    pub fn new() -> Self {
        Selectors(reader())
    }
}

impl Target for Selectors {
    fn name(&self) -> &'static str {
        "select"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            "main > ul li:nth-child(2n+1):not(.x, #y), p:has-text(\"x\") ~ p[class^='a' i]",
            "li + li:is(b, :empty):last-of-type *|b:nth-last-child(odd)",
            "\\31 23.\\.a:root\0<html class=.a><123><b><b><b>x",
        ]
        .map(|seed| seed.as_bytes().to_vec())
        .to_vec()
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            ":nth-child(",
            ":nth-last-of-type(2n-1)",
            ":not(",
            ":is(",
            ":has-text('x')",
            ":first-child",
            ":scope",
            ":empty",
            "[a",
            "[a='b' i]",
            "~=",
            "|=",
            "$=",
            "]",
            ")",
            " > ",
            " + ",
            " ~ ",
            ", ",
            "*",
            "#c",
            ".a",
            "\\",
            "li",
            "\0",
            "<li>",
            "</li>",
            "<p>",
            "\u{e9}",
            "-n+3",
            "99999999999999999999",
        ]
    }

    fn ceiling(&self) -> Duration {
        Duration::from_millis(500)
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let (text, body) = split(input);
        let Ok(selector) = Selector::parse(&text) else {
            return Ok(());
        };
        let found = find_elements(
            &selector,
            &self.0,
            body,
            &page(),
            "text/html; charset=utf-8",
            &[],
        );
        let found = found.unwrap_or_default();
        let length: usize = found
            .iter()
            .map(|one| one.text.len() + one.html.len())
            .sum();
        must(
            found.len() <= 10_000 && length <= 2_000_000 + 8 * body.len(),
            || format!("cap: {} elements, {length} bytes", found.len()),
        )
    }
}

/// Paths into JSON-LD and regular expressions, of all types.
pub struct FieldRules(Reader);

impl FieldRules {
    pub fn new() -> Self {
        FieldRules(reader())
    }
}

impl Target for FieldRules {
    fn name(&self) -> &'static str {
        "fields"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            "\x02Product.offers.price",
            "\x0a*.name",
            "\x05(\\d+)[.,](\\d\\d)",
            "\x12offers.price\0<script type=application/ld+json>{\"@type\":\"Product\",\"offers\":{\"price\":\"12,50 \u{20ac}\"}}</script>",
            "\x05(.*)\0<p>18 November 2026, 18.11.2026, 2026-11-18T10:00:00+01:00, 1.234,56 \u{20ac} USD 3",
        ]
        .map(|seed| seed.as_bytes().to_vec())
        .to_vec()
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "Product",
            ".",
            "offers",
            "price",
            "*",
            "@type",
            "@graph",
            "\0",
            "<script type=application/ld+json>",
            "</script>",
            "{",
            "}",
            "[",
            "]",
            ":",
            "\"",
            ",",
            "(",
            ")",
            ".*",
            "\\d",
            "{1,99}",
            "?",
            "+",
            "|",
            "1.234,56",
            "\u{20ac}",
            "Nov",
            "18",
            "2026",
            "-",
            "T10:00",
            "EUR",
            "http://",
            "1e999",
        ]
    }

    fn ceiling(&self) -> Duration {
        Duration::from_millis(500)
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let (way, rest) = choice(input);
        let (text, body) = split(rest);
        let items = match way & 0x10 {
            0 => Items::parse(None, None),
            _ => Items::parse(None, Some("Product")),
        };
        let items = items.map_err(|error| format!("items: {error}"))?;
        let is_path = way & 1 == 0;
        let options = FieldOptions {
            name: "field".into(),
            json_ld: is_path.then(|| text.clone()),
            regex: (!is_path).then_some(text),
            all: way & 8 != 0,
            kind: KINDS[(way >> 5) as usize].into(),
            ..FieldOptions::default()
        };
        let Ok(field) = Field::parse(&options, &items) else {
            return Ok(());
        };
        let rules = Rules::new(items, vec![field]).map_err(|error| format!("rules: {error}"))?;
        let found = rules.apply(&self.0, body, &page(), "text/html; charset=utf-8", &[]);
        must(found.rows.len() + found.left_out <= 10_000, || {
            "cap: of rows".into()
        })?;
        must(found.rows.iter().all(|row| row.len() == 1), || {
            "row: of another length".into()
        })
    }
}
