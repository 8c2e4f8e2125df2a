//! The texts that a host has shown so far, and the first URL of each (F6).
//!
//! A text is new for a host, not for the crawl: if another host has it too, that says nothing about this host's
//! links. Two answers in one frame may have the same text, so the frame is searched before the tree.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

use super::super::UrlStore;
use super::super::rows::{self, damaged};
use super::super::tree::Batch;
use super::parts::{Outline, Parts};
use crate::error::Result;
use crate::url::Key;

/// The texts of a frame that are new for their hosts.
#[derive(Debug, Default)]
pub struct Texts(FxHashMap<Key, Outline>);

impl Texts {
    /// The first URL with this text; `None` if it is this one.
    pub fn first(
        &mut self,
        store: &UrlStore,
        host: &str,
        text: &Key,
        parts: &Parts,
    ) -> Result<Option<Outline>> {
        let place = match self.0.entry(key_of(host, text)) {
            Entry::Occupied(held) => return Ok(Some(held.get().clone())),
            Entry::Vacant(place) => place,
        };
        let first = store.first_with_text(place.key())?;
        if first.is_none() {
            place.insert(parts.outline());
        }
        Ok(first)
    }

    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.0.keys()
    }

    pub fn write(&self, batch: &mut Batch) {
        for (key, outline) in &self.0 {
            batch.insert(&rows::text_key(key), &outline.encode());
        }
    }
}

impl UrlStore {
    fn first_with_text(&self, key: &Key) -> Result<Option<Outline>> {
        if !self.filters.may_contain(key) {
            return Ok(None);
        }
        let row = self.tree.get(&rows::text_key(key))?;
        if row.is_none() {
            self.filters.note_false_positive();
        }
        row.map(|value| Outline::parse(&value).ok_or_else(|| damaged("a row of texts")))
            .transpose()
    }
}

/// The key of a text of a host.
fn key_of(host: &str, text: &Key) -> Key {
    let key = [text, host.as_bytes()].concat();
    xxh3_128(&key).to_be_bytes()
}
