//! Reads sitemaps (D2).
//!
//! `urlset` and `sitemapindex` files, RSS and Atom feeds, plain lists of URLs, gzipped or not, in
//! any encoding. Any bytes give a result in linear time: broken XML yields what can be read, and
//! what exceeds a limit is cut and counted. No entity of a document type is ever expanded, no other
//! document ever fetched.

pub(crate) mod date;
mod decode;
mod document;
mod entities;
mod scanner;
mod sniff;

use std::borrow::Cow;

use url::Url;

use crate::url::{Identity, Key, registrable_domain};

pub use sniff::{is_sitemap, looks_like_html, may_be_sitemap};

/// Entries that are read of one file, pages or child sitemaps.
pub const MAX_ENTRIES: usize = 50_000;

/// Bytes that are read of a decompressed file; also the limit of its text and of all its locations. A relative location
/// of a few bytes resolves to a URL as long as that of the sitemap.
pub const MAX_BYTES: usize = 50_000_000;

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub href: String,
    pub key: Key,
    /// As `2005-01-01T00:00:00Z`; empty if missing or invalid.
    pub last_modified: String,
    /// One of the protocol's words, or empty.
    pub change_frequency: &'static str,
    /// From 0 to 1.
    pub priority: Option<f64>,
    /// A child of an index file.
    pub is_sitemap: bool,
    /// An article of a news sitemap.
    pub is_news: bool,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sitemap {
    pub entries: Vec<Entry>,
    /// Number of entries beyond [`MAX_ENTRIES`] or [`MAX_BYTES`].
    pub cut: usize,
}

/// Kinds of entries. Each kind is queued in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    Sitemaps,
    Pages,
    News,
}

impl Listed {
    pub fn from_name(name: &str) -> Option<Listed> {
        match name {
            "sitemaps" => Some(Listed::Sitemaps),
            "pages" => Some(Listed::Pages),
            "news" => Some(Listed::News),
            _ => None,
        }
    }
}

impl Sitemap {
    /// Approximate memory.
    pub fn bytes(&self) -> usize {
        let texts = self
            .entries
            .iter()
            .map(|entry| entry.href.len() + entry.last_modified.len());
        self.entries.len() * size_of::<Entry>() + texts.sum::<usize>()
    }

    pub fn of(&self, listed: Listed) -> impl Iterator<Item = &Entry> + Clone {
        self.entries
            .iter()
            .filter(move |entry| entry.listed() == listed)
    }
}

impl Entry {
    fn listed(&self) -> Listed {
        match self {
            Entry {
                is_sitemap: true, ..
            } => Listed::Sitemaps,
            Entry { is_news: true, .. } => Listed::News,
            _ => Listed::Pages,
        }
    }
}

/// `url` is the URL of the sitemap. Relative locations are resolved against it.
pub fn read(body: &[u8], url: &Url, identity: &Identity) -> Sitemap {
    let bytes = decode::decompress(body);
    let text = decode::text(&bytes);
    let mut collector = Collector {
        url,
        identity,
        room: MAX_BYTES,
        sitemap: Sitemap::default(),
    };
    match start_of_markup(&text) {
        Some(start) => document::read(&text[start..], &mut collector),
        None => read_list(&text, &mut collector),
    }
    collector.sitemap
}

/// Where the XML begins, possibly after some junk; `None` if the file is a plain list.
fn start_of_markup(text: &str) -> Option<usize> {
    const ROOTS: [&str; 6] = [
        "<?xml",
        "<urlset",
        "<sitemapindex",
        "<rss",
        "<feed",
        "<rdf:RDF",
    ];
    let trimmed = text.trim_start_matches(is_blank);
    if trimmed.starts_with('<') {
        return Some(text.len() - trimmed.len());
    }
    let head = &text[..text.floor_char_boundary(1024)];
    ROOTS.iter().filter_map(|root| head.find(root)).min()
}

/// Reads one URL per line and ignores other lines.
fn read_list(text: &str, collector: &mut Collector<'_>) {
    for line in text.split(['\n', '\r']) {
        let line = line.trim_matches(is_blank);
        if is_absolute(line) || collector.names_host(line) {
            collector.add(&Draft {
                location: line.to_owned(),
                ..Draft::default()
            });
        }
    }
}

fn is_absolute(text: &str) -> bool {
    let starts_with = |scheme: &str| {
        let start = text.as_bytes().get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    starts_with("http://") || starts_with("https://")
}

/// White space, zero-width space and byte order mark.
fn is_blank(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{200B}' | '\u{FEFF}')
}

/// The fields of an entry as written in the document.
#[derive(Debug, Default)]
struct Draft {
    location: String,
    last_modified: String,
    change_frequency: String,
    priority: String,
    is_sitemap: bool,
    is_news: bool,
}

/// Resolves entries and enforces the limits.
struct Collector<'a> {
    url: &'a Url,
    identity: &'a Identity,
    /// Bytes that further locations may take.
    room: usize,
    sitemap: Sitemap,
}

impl Collector<'_> {
    fn add(&mut self, draft: &Draft) {
        if draft.location.is_empty() {
            return;
        }
        if self.sitemap.entries.len() >= MAX_ENTRIES || self.room == 0 {
            self.sitemap.cut += 1;
            return;
        }
        let location = match self.names_host(&draft.location) {
            true => Cow::Owned(format!("//{}", draft.location)),
            false => Cow::Borrowed(draft.location.as_str()),
        };
        if let Some((url, key)) = self.identity.resolve(self.url, &location) {
            self.room = self.room.saturating_sub(url.as_str().len());
            self.sitemap.entries.push(Entry {
                href: url.into(),
                key,
                last_modified: date::normalise(&draft.last_modified).unwrap_or_default(),
                change_frequency: change_frequency(&draft.change_frequency),
                priority: priority(&draft.priority),
                is_sitemap: draft.is_sitemap,
                is_news: draft.is_news,
            });
        }
    }
}

impl Collector<'_> {
    /// True for `www.example.com/page`, a URL without its scheme. A path may look the same (`readme.md/x`), so the
    /// name must begin with `www.` or be of the sitemap's own registrable domain.
    fn names_host(&self, location: &str) -> bool {
        let end = location.find(['/', '?', '#']).unwrap_or(location.len());
        let (host, port) = match location[..end].split_once(':') {
            Some((host, port)) => (host, port),
            None => (&location[..end], ""),
        };
        let is_name = host.contains('.')
            && host
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | 0x80..));
        if !is_name || !port.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let host = host.to_ascii_lowercase();
        if host
            .strip_prefix("www.")
            .is_some_and(|rest| rest.contains('.'))
        {
            return true;
        }
        let domain = registrable_domain(&host);
        domain.is_some() && domain == self.url.host_str().and_then(registrable_domain)
    }
}

fn change_frequency(text: &str) -> &'static str {
    const WORDS: [&str; 7] = [
        "always", "hourly", "daily", "weekly", "monthly", "yearly", "never",
    ];
    let known = WORDS
        .into_iter()
        .find(|word| text.eq_ignore_ascii_case(word));
    known.unwrap_or_default()
}

fn priority(text: &str) -> Option<f64> {
    text.parse()
        .ok()
        .filter(|priority| (0.0..=1.0).contains(priority))
}

#[cfg(test)]
mod tests;
