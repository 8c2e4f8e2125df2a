//! A score of a page from what the fast pass knows anyway (A4): text, markup, links, language.
//!
//! The score is the sum of five parts. Most pages of a site of articles reach 0.7 and more, lists of links 0.3 to 0.5, and
//! error pages, stubs and documents without text less.

use crate::page::{Link, Page};

/// The main text counts half if it has this many bytes outside of links.
const HALF: f64 = 1_000.0;
/// Share of text in the markup from which on it counts fully.
const ENOUGH: f64 = 0.2;

const TEXT: f64 = 0.4;
const MARKUP: f64 = 0.15;
const LINKS: f64 = 0.25;
const TITLE: f64 = 0.1;
const LANGUAGE: f64 = 0.1;

/// From 0 to 1, in steps of a thousandth; 0 without text. `markup`: bytes of the document.
pub fn of(page: &Page, markup: usize) -> f64 {
    if page.text.is_empty() {
        return 0.0;
    }
    let main: u64 = page
        .main
        .iter()
        .map(|(from, to)| u64::from(to - from))
        .sum();
    let (main, text) = (main as f64, page.text.len() as f64);
    let anchors: usize = page.links.iter().map(|link: &Link| link.anchor.len()).sum();
    let has_language =
        !page.language.is_empty() || page.detected.is_some_and(|code| !code.is_empty());
    let unlinked = (1.0 - anchors as f64 / text).max(0.0);
    let own = main * unlinked;
    let parts = [
        TEXT * own / (own + HALF),
        MARKUP * (text / markup.max(1) as f64 / ENOUGH).min(1.0),
        LINKS * unlinked,
        TITLE * f64::from(u8::from(!page.title.is_empty())),
        LANGUAGE * f64::from(u8::from(has_language)),
    ];
    (parts.iter().sum::<f64>() * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use url::Url;

    use crate::html::Reader;
    use crate::page::{Page, ReadOptions};
    use crate::url::{Identity, Switches};

    fn read(html: &str, content_type: &str) -> Page {
        let options = ReadOptions {
            agent_token: String::new(),
            media: false,
            scripts: false,
            requisites: false,
            max_links: 1_000,
            max_text: 1_000_000,
            want_text: false,
            keywords: None,
        };
        let reader = Reader::new(Identity::new(Switches::default()), options);
        let url = Url::parse("http://a.test/").unwrap();
        reader.read(html.as_bytes(), &url, content_type, &[])
    }

    fn quality(html: &str) -> f64 {
        read(html, "text/html; charset=utf-8").quality.unwrap()
    }

    const PARAGRAPH: &str = "<p>The plates of the atlas were bought at an auction, engraved anew where the old names had \
                             worn thin, and printed in so many languages that every merchant could afford a copy.</p>";

    #[test]
    fn articles_are_above_lists_of_links_and_those_above_stubs_a4() {
        let article = format!(
            "<title>The atlas</title><h1>The atlas</h1>{}",
            PARAGRAPH.repeat(20)
        );
        let list: String = (0..60)
            .map(|number| format!("<li><a href=/{number}>item number {number} of the shop</a>"))
            .collect();
        let list = format!("<title>Items</title><ul>{list}</ul>");
        let stub = "<div><div><div><a href=/>ok</a></div></div></div>";
        let scores = [
            quality(&article),
            quality(&list),
            quality(stub),
            quality(""),
        ];
        assert!(scores[0] > 0.75, "{scores:?}");
        assert!(scores[1] < 0.5 && scores[1] > scores[2], "{scores:?}");
        assert_eq!(scores[3], 0.0);
        assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
    }

    #[test]
    fn more_of_the_same_markup_lowers_it_a4() {
        let page = |markup: usize| {
            let hidden = format!("<!-- {} -->", "x".repeat(markup));
            quality(&format!("<title>t</title>{}{hidden}", PARAGRAPH.repeat(5)))
        };
        assert!(page(10) > page(10_000) && page(10_000) > page(100_000));
    }

    #[test]
    fn what_is_not_text_has_none_a4() {
        assert_eq!(read("text", "image/png").quality, None);
    }
}
