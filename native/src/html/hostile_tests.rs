//! Any bytes give a page in bounded time and memory (A3).

use std::time::{Duration, Instant};

use url::Url;

use super::*;
use crate::url::Switches;

/// Generous for a debug build on a busy machine; quadratic time would take hours.
const LIMIT: Duration = Duration::from_secs(60);

fn read(body: &[u8], content_type: &str) -> Page {
    let options = ReadOptions {
        agent_token: "hondius".into(),
        media: true,
        scripts: true,
        requisites: false,
        max_links: 10_000,
        max_text: 1_000_000,
        want_text: true,
        keywords: None,
    };
    let reader = Reader::new(Identity::new(Switches::default()), options);
    let url = Url::parse("http://a.test/").unwrap();
    let started = Instant::now();
    let page = reader.read(body, &url, content_type, &[]);
    assert!(started.elapsed() < LIMIT, "{:?}", started.elapsed());
    page
}

fn html(text: &str) -> Page {
    read(text.as_bytes(), "text/html; charset=utf-8")
}

/// Forces the slow road, if it can be afforded.
const UNCLEAR: &str = "<svg><font>";

#[test]
fn a_million_nested_tags() {
    for tag in [
        "<div>",
        "<b>",
        "<svg>",
        "<template>",
        "<p><b>",
        "<table>",
        "<a href=x>",
        "<select>",
    ] {
        html(&tag.repeat(1_000_000 / tag.len() * 5));
        html(&format!("{UNCLEAR}{}", tag.repeat(200_000)));
    }
}

#[test]
fn a_million_nested_tags_of_svg_closed_by_others() {
    html(&format!(
        "<svg>{}{}",
        "<g>".repeat(500_000),
        "</x>".repeat(500_000)
    ));
}

#[test]
fn a_million_links() {
    let links: String = (0..1_000_000)
        .map(|number| format!("<a href={number}>"))
        .collect();
    let page = html(&links);
    assert_eq!((page.links.len(), page.links_found), (10_000, 1_000_000));
}

#[test]
fn one_attribute_of_ten_megabytes() {
    let page = html(&format!(
        "<a href='/{}'>x</a><a href=/y>",
        "a".repeat(10_000_000)
    ));
    assert_eq!(
        page.links.last().map(|link| link.href.as_str()),
        Some("http://a.test/y")
    );
}

#[test]
fn a_million_attributes_in_one_tag() {
    let attributes: String = (0..300_000).map(|number| format!(" a{number}")).collect();
    html(&format!("<a{attributes} href=x>"));
    html(&format!("{UNCLEAR}<p{attributes}>"));
}

#[test]
fn formatting_elements_that_are_never_closed() {
    let distinct: String = (0..200_000)
        .map(|number| format!("<b id={number}>"))
        .collect();
    html(&format!("{UNCLEAR}</svg>{distinct}"));
    let hidden: String = (0..100_000)
        .map(|number| format!("<b id={number}><object></b></object>"))
        .collect();
    html(&format!("{UNCLEAR}</svg>{hidden}"));
    let reopened: String = (0..50_000)
        .map(|number| format!("<p><i id={number}></p>"))
        .collect();
    html(&format!("{UNCLEAR}</svg>{reopened}"));
}

#[test]
fn a_megabyte_of_any_one_thing() {
    for piece in [
        "<",
        ">",
        "&",
        "&a",
        "&#",
        "&#x",
        "</",
        "<!",
        "<!--",
        "--",
        "<![CDATA[",
        "]]",
        "<?",
        "<a",
        "<a ",
        "<a b=",
        "'",
        "\"",
        "=",
        "/",
        "<script>",
        "<!--<script",
        "</script",
        "<title>",
        "</title",
        "<noscript>",
        "<base href=x>",
        "<link rel=canonical href=x>",
        "<meta http-equiv=refresh content=1>",
        "\0",
        "\u{a0}",
        "<td>",
        "<option>",
    ] {
        let body = piece.repeat(1_000_000 / piece.len());
        html(&body);
        read(body.as_bytes(), "application/xml");
        read(body.as_bytes(), "");
        html(&format!(
            "{UNCLEAR}</svg>{}",
            &body[..body.floor_char_boundary(100_000)]
        ));
    }
}

#[test]
fn bytes_that_are_no_text() {
    for byte in [0u8, 0x80, 0xC3, 0xE4, 0xF0, 0xFF, 0x1B] {
        read(&[byte; 300_000], "text/html");
        read(&[byte; 300_000], "text/html; charset=utf-16");
    }
    let page = read(b"<p>abc \xE4\xBD", "text/html; charset=utf-8");
    assert_eq!(page.text, "abc \u{fffd}");
    let page = read(
        "<p>日本"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<_>>()
            .as_slice(),
        "text/html; charset=utf-16le",
    );
    assert_eq!(page.text, "日本");
}
