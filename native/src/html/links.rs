//! The links of one page: resolved, with their keys, without duplicates, in the order of the document.

use std::borrow::Cow;
use std::collections::HashMap;

use encoding_rs::Encoding;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::page::{Link, LinkKind};
use crate::url::{Identity, Key};

/// Expected links of a page, for which tables are allocated.
const TYPICAL: usize = 100;

/// Limit for the total length of a page's hrefs: `BYTES_EACH` for each allowed link, plus this. A short relative link
/// resolves to an href as long as its base, so the length of the page alone is no limit.
const BYTES_EACH: usize = 64;
const SPARE_BYTES: usize = 8 * 1024 * 1024;

pub struct Links<'i> {
    identity: &'i Identity,
    max: usize,
    /// Bytes that hrefs may still take.
    room: usize,
    list: Vec<Link>,
    by_key: HashMap<Key, usize>,
    /// Resolved links by the hash of their text: navigation repeats itself, and resolving costs more than hashing. A
    /// collision only affects the page that contains it.
    by_text: HashMap<u64, Option<usize>>,
    base: Url,
    encoding: &'static Encoding,
    /// Number of links found, including repeated and invalid ones.
    offered: u32,
    unread: u32,
}

impl<'i> Links<'i> {
    pub fn new(identity: &'i Identity, max: usize, base: Url, encoding: &'static Encoding) -> Self {
        Links {
            identity,
            base,
            encoding,
            max,
            room: max.saturating_mul(BYTES_EACH).saturating_add(SPARE_BYTES),
            list: Vec::with_capacity(TYPICAL),
            by_key: HashMap::with_capacity(TYPICAL),
            by_text: HashMap::with_capacity(TYPICAL),
            offered: 0,
            unread: 0,
        }
    }

    pub fn offered(&self) -> u32 {
        self.offered
    }

    /// Distinct links, plus all links above the cap, which are not checked for duplicates.
    pub fn found(&self) -> u32 {
        let read = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        read.saturating_add(self.unread)
    }

    /// Sets the encoding of queries from now on. Returns the previous one.
    pub fn replace_encoding(&mut self, encoding: &'static Encoding) -> &'static Encoding {
        if encoding != self.encoding {
            self.by_text.clear();
        }
        std::mem::replace(&mut self.encoding, encoding)
    }

    /// Sets the base of links from now on. Returns the previous one.
    pub fn replace_base(&mut self, base: Url) -> Url {
        self.by_text.clear();
        std::mem::replace(&mut self.base, base)
    }

    pub fn into_list(self) -> Vec<Link> {
        self.list
    }

    /// Adds a link and returns its index. A repeated link becomes followable if this occurrence is. When the list is
    /// full, new links are only counted.
    pub fn add(&mut self, text: &str, kind: LinkKind, rel: u8) -> Option<usize> {
        self.offered = self.offered.saturating_add(1);
        let text = text.trim_matches(|character: char| character <= ' ');
        let hash = xxh3_64(text.as_bytes());
        let index = match self.by_text.get(&hash) {
            Some(known) => *known,
            None if self.list.len() >= self.max || self.room == 0 => {
                self.unread = self.unread.saturating_add(1);
                return None;
            }
            None => {
                let index = self.resolve(text, kind, rel);
                self.by_text.insert(hash, index);
                index
            }
        };
        self.merge(index?, rel);
        index
    }

    /// Sets the anchor text, unless the link already has one.
    pub fn set_anchor(&mut self, index: usize, anchor: &str) {
        let link = &mut self.list[index];
        if link.anchor.is_empty() {
            link.anchor = anchor.to_owned();
        }
    }

    pub fn href(&self, index: usize) -> &str {
        &self.list[index].href
    }

    /// Where a text leads, without adding a link; the text itself if it leads nowhere.
    pub fn target<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let text = text.trim_matches(|character: char| character <= ' ');
        match self.identity.resolve_in(&self.base, text, self.encoding) {
            Some((url, _)) => Cow::Owned(url.into()),
            None => Cow::Borrowed(text),
        }
    }

    fn resolve(&mut self, text: &str, kind: LinkKind, rel: u8) -> Option<usize> {
        let (url, key) = self.identity.resolve_in(&self.base, text, self.encoding)?;
        let index = *self.by_key.entry(key).or_insert(self.list.len());
        if index == self.list.len() {
            self.room = self.room.saturating_sub(url.as_str().len());
            self.list.push(Link {
                href: url.into(),
                key,
                kind,
                rel,
                anchor: String::new(),
            });
        }
        Some(index)
    }

    fn merge(&mut self, index: usize, rel: u8) {
        let link = &mut self.list[index];
        link.rel = if link.rel == 0 || rel == 0 {
            0
        } else {
            link.rel | rel
        };
    }
}
