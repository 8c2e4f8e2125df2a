//! A URL parsed, its key form and its key: what each link of a page costs.

use std::hint::black_box;

use hondius_native::url::{Identity, Switches, parse};
use url::Url;

use crate::Kernel;

/// Most links are their own key form; some carry what identity ignores, some are written oddly.
const LINKS: [&str; 10] = [
    "/journal/entry-07.html",
    "/guides/entry-12.html#section-3",
    "../people/entry-03.html",
    "http://b0004.test/places/entry-14.html",
    "http://b0217.test/letters/entry-19.html",
    "https://www.site-4711.example/journal/42?from=b",
    "https://shop.example/item?utm_source=feed&id=10&colour=red&sid=0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    "https://example.org/search?q=na%C3%AFve+reader&page=2&b=1&a=2",
    "HTTP://Example.ORG:80/%7Euser/./a/../b//c.html?",
    "//b\u{fc}cher.example/stra\u{df}e/\u{4e2d}\u{6587}",
];

pub fn key() -> Kernel {
    let identity = Identity::new(Switches::default());
    let base = Url::parse("http://b0004.test/journal/entry-01.html").expect("a URL");
    let lap = move |_| {
        for link in black_box(LINKS) {
            let url = parse(link, Some(&base)).expect("an href");
            black_box(identity.key(&identity.key_form(&url)));
        }
    };
    Kernel {
        operations: LINKS.len(),
        lap: Box::new(lap),
    }
}
