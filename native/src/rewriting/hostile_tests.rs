use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn rewritten(url: &str, body: &str) -> String {
    rewritten_as("text/html", url, body)
}

fn rewritten_as(content_type: &str, url: &str, body: &str) -> String {
    let url = Url::parse(url).unwrap();
    let headers = [("content-type".to_owned(), content_type.to_owned())];
    let prefixes = Prefixes {
        page: "/p/".into(),
        frame: "/f/".into(),
        asset: "/x/".into(),
    };
    rewrite(body.as_bytes(), &url, &headers, &prefixes, false)
        .body
        .unwrap()
}

#[test]
fn q2_a_page_does_not_grow_without_limit() {
    let url = format!("https://a.test/{}/", "long".repeat(4_000));
    for piece in ["<a href=x>", "<p style='a:url(x)'>", "<img srcset='x,x,x'>"] {
        let body = piece.repeat(200_000);
        let before = Instant::now();
        let after = rewritten(&url, &body);
        assert!(after.len() < 2 * body.len() + 3 * MOST_GROWTH, "{piece}");
        assert!(before.elapsed() < Duration::from_secs(30), "{piece}");
    }
}

#[test]
fn q2_a_hostile_page_takes_linear_time() {
    for piece in [
        "<",
        "<a ",
        "<a href='",
        "<style>",
        "<svg>",
        "<svg><style>a",
        "<base",
        "<!--",
        "<iframe srcdoc='<iframe srcdoc=\"",
        "<p style=\"url(",
        "&amp;",
        "<a a a a a a a a",
        "</style>",
        "<link ",
        "<link a='",
        "<link rel=\"",
        "<iframe srcdoc='&lt;iframe srcdoc=\"",
        "<textarea><iframe srcdoc=",
        "<!ENTITY a \"",
        "<!ENTITY a<b",
    ] {
        let body = piece.repeat(2_000_000 / piece.len());
        let before = Instant::now();
        rewritten("https://a.test/", &body);
        rewritten_as("text/xml", "https://a.test/", &body);
        assert!(before.elapsed() < Duration::from_secs(20), "{piece}");
    }
}

proptest! {
    #[test]
    fn any_text_is_a_document(
        body in "(<|>|a|href|=|'|\"|/|&|style|srcset|srcdoc|iframe|svg|url\\(|\\)| |\u{e9}|base|meta|-->|<!--|;|<link |rel=preconnect|<!ENTITY|:){0,40}"
    ) {
        rewritten("https://a.test/", &body);
        rewritten_as("image/svg+xml", "https://a.test/", &body);
    }
}
