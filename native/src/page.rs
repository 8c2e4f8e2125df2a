//! The results of analysing one body: types that `html` passes to the URL store and Python.

use std::sync::Arc;

use crate::focus::{Following, Keywords, PageFocus};
use crate::language;
use crate::near::sketch::Sketch;
use crate::requisites::Requisite;
use crate::url::Key;

/// Where a link was found. The order is part of the Python contract (`Link.kind` is the name).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    Anchor,
    Area,
    Canonical,
    Alternate,
    Next,
    Previous,
    Feed,
    Frame,
    Refresh,
    Header,
    Media,
    Script,
    Sitemap,
}

/// `rel` values that matter, as bits.
pub mod rel {
    pub const NOFOLLOW: u8 = 1;
    pub const UGC: u8 = 2;
    pub const SPONSORED: u8 = 4;
    /// Never part of a link: `rel=license` is a signal of the page (W1).
    pub const LICENSE: u8 = 8;
}

/// Directives of `<meta name=robots>` and `X-Robots-Tag`, as bits (D4).
pub mod directive {
    pub const NOFOLLOW: u8 = 1;
    pub const NOINDEX: u8 = 2;
    pub const NOARCHIVE: u8 = 4;
    /// Never part of a page's directives: these two are signals (W1).
    pub const NOAI: u8 = 8;
    pub const NOIMAGEAI: u8 = 16;
}

/// One link, already resolved: `href` is what would be requested (U1), `key` its identity (U3).
#[derive(Debug, Clone)]
pub struct Link {
    pub href: String,
    pub key: Key,
    pub kind: LinkKind,
    pub rel: u8,
    /// Trimmed, with white space collapsed, at most 200 characters.
    pub anchor: String,
}

/// The result of analysing a body. Never fails: any bytes give a page.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// WHATWG name of the encoding used, e.g. `UTF-8`.
    pub charset: &'static str,
    pub title: String,
    pub description: String,
    pub canonical: Option<String>,
    /// As declared (`<html lang>`), in lower case; empty if nothing is declared.
    pub language: String,
    /// The detected language, if none is declared and the text is not kept.
    pub detected: Option<&'static str>,
    pub directives: u8,
    /// Usage preferences in headers and document, one a line (W1); empty for most pages.
    pub usage: String,
    /// Visible text with white space collapsed, capped.
    pub text: String,
    /// Ranges of `text` that are its main content, one per block, in order.
    pub main: Vec<(u32, u32)>,
    /// Ranges of `text` without navigation, sidebars and forms: `main`, and what is too short or too much linked for it.
    pub content: Vec<(u32, u32)>,
    /// Ranges of `text` of which `change_hash` is made, one per block, in order.
    pub compared: Vec<(u32, u32)>,
    /// `og:` and `article:` properties, and title, description and image of `twitter:`: at most 64, of 1,000 characters
    /// each, in document order.
    pub open_graph: Vec<(String, String)>,
    /// Level and text of `h1` to `h6`, at most 200 of 300 characters each, in document order; empty if no text is
    /// wanted.
    pub headings: Vec<(u8, String)>,
    /// Distinct by key, in document order, capped at `ReadOptions::max_links`. Invalid and non-http(s) links are
    /// omitted.
    pub links: Vec<Link>,
    /// Number of links: distinct ones, plus those above the cap.
    pub links_found: u32,
    /// What a browser fetches to show it, if requisites are wanted: distinct by key, in document order, capped.
    pub requisites: Vec<Requisite>,
    /// SimHash of the main text, or of the whole text if there is none (X2). `None` without words.
    pub simhash: Option<u64>,
    /// Sketch of the main text (X2). `None` if it is too short to be compared.
    pub sketch: Option<Sketch>,
    /// Digest of the text without what changes by itself (R3); `None` if there is no such text, or the body is not text.
    pub change_hash: Option<[u8; 16]>,
    /// Hash that distinguishes the page's text from others (F6); `None` if the body is not text.
    pub text_hash: Option<TextHash>,
    /// How well it fits the keywords of the crawl (D6); `None` without keywords, and if the body is not text.
    pub focus: Option<PageFocus>,
    /// A score from text, markup, links and language, from 0 to 1 (A4); `None` if the body is not text.
    pub quality: Option<f64>,
    /// True if the slow path (a full tree) was used.
    pub slow_road: bool,
}

/// The hash of a page's title and main text, lists of links included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextHash {
    /// The page has neither title nor text.
    Empty,
    Of([u8; 16]),
}

impl Page {
    /// Approximate memory of its links and requisites.
    pub fn bytes(&self) -> usize {
        let requisites = self.requisites.iter();
        let requisites = requisites.map(|one| size_of::<Requisite>() + one.href.len());
        let texts = self
            .links
            .iter()
            .map(|link| link.href.len() + link.anchor.len());
        self.links.len() * size_of::<Link>() + texts.sum::<usize>() + requisites.sum::<usize>()
    }

    /// How many links are not followed because neither they nor the page fit the keywords (D6).
    pub fn count_unfollowed(&self, following: &Following, follow_nofollow: bool) -> usize {
        if self.directives & directive::NOFOLLOW != 0 && !follow_nofollow {
            return 0;
        }
        let own = |number| self.focus.as_ref().and_then(|focus| focus.link(number));
        let offered = self.links.iter().zip(0..);
        offered
            .filter(|(link, _)| link.rel == 0 || follow_nofollow)
            .filter(|(_, number)| !following.follows(own(*number)))
            .count()
    }

    /// The main content, one line per block. Computed on demand: few pages need it.
    pub fn main_text(&self) -> String {
        self.main_text_until(usize::MAX)
    }

    /// The language of the main text, or of the whole text: ISO 639-1, empty if uncertain. Computed on demand: it takes
    /// as long as reading the page.
    pub fn detected_language(&self) -> &'static str {
        let found = || language::detect(&self.main_text_until(language::SAMPLE_BYTES));
        self.detected.unwrap_or_else(found)
    }

    /// Drops the text, from which everything else was computed: most pages are not read before they are exported.
    pub fn drop_text(&mut self) {
        self.text = String::new();
        self.main = Vec::new();
        self.headings = Vec::new();
        self.content = Vec::new();
        self.compared = Vec::new();
    }

    /// The text without navigation, sidebars and forms. Computed on demand.
    pub fn content_text(&self) -> String {
        self.lines(&self.content)
    }

    /// What `change_hash` is made of, with what changes by itself, one line per block. Computed on demand.
    pub fn compared_text(&self) -> String {
        self.lines(&self.compared)
    }

    fn lines(&self, ranges: &[(u32, u32)]) -> String {
        let parts = ranges
            .iter()
            .map(|(from, to)| &self.text[*from as usize..*to as usize]);
        parts.collect::<Vec<_>>().join("\n")
    }

    pub fn main_blocks(&self) -> impl Iterator<Item = &str> {
        self.main
            .iter()
            .map(|(from, to)| &self.text[*from as usize..*to as usize])
    }

    /// Whole blocks, until there are `enough` bytes.
    fn main_text_until(&self, enough: usize) -> String {
        let mut text = String::new();
        for block in self.main_blocks() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(block);
            if text.len() >= enough {
                break;
            }
        }
        text
    }
}

/// How to read a page. One per crawl.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// Product token of the `<meta name=TOKEN>` and `X-Robots-Tag: TOKEN:` that apply to us.
    pub agent_token: String,
    pub media: bool,
    pub scripts: bool,
    /// Whether the requisites of pages and style sheets are collected.
    pub requisites: bool,
    pub max_links: usize,
    pub max_text: usize,
    /// False: text and headings are not kept, only what is computed from them (SimHash, and the language if none is
    /// declared).
    pub want_text: bool,
    /// What pages and their links are scored by (D6).
    pub keywords: Option<Arc<Keywords>>,
}
