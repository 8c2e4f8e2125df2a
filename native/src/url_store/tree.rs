//! What the store requires of an ordered map on disk, and no more.
//!
//! Adapters: [`super::runs`] (the crawl) and [`super::memory_tree`] (tests, simulation). One contract suite runs
//! against both.

use std::ops::ControlFlow;

use super::rows::ChunkId;
use crate::error::{Error, Result};

/// Called for each row of a scan, in key order.
pub type Visit<'a> = dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>> + 'a;

/// Called for each key.
pub type VisitKey<'a> = dyn FnMut(&[u8]) -> Result<ControlFlow<()>> + 'a;

/// Called for each chunk, with the value of its URLs.
pub type VisitChunk<'a> = dyn FnMut(ChunkId, &[u8]) -> Result<ControlFlow<()>> + 'a;

/// An ordered map from bytes to bytes. Many readers, one writer at a time.
///
/// A read may see part of a batch that is being written: whoever reads while another thread
/// writes has to know by other means which rows are settled.
pub trait Tree: Send + Sync {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// As [`Tree::get`], but of what is on disk alone: what the next start would find.
    fn get_saved(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// The rows with `from <= key < to` in key order until `visit` breaks.
    fn scan(&self, from: &[u8], to: &[u8], visit: &mut Visit<'_>) -> Result<()>;

    /// The keys with `from <= key < to` in any order until `visit` breaks; some more than once, and some that are no more.
    fn visit_keys(&self, from: &[u8], to: &[u8], visit: &mut VisitKey<'_>) -> Result<()>;

    /// The chunks of one class of an origin that are there, from this one on and in order until `visit` breaks. They
    /// are written in the order of their numbers, and never again: no row of URLs is older than one of a lower number.
    fn visit_chunks(&self, from: ChunkId, visit: &mut VisitChunk<'_>) -> Result<()>;

    /// All or nothing. What was not synced may be lost with the process, younger batches before older ones.
    fn write(&self, batch: &Batch) -> Result<()>;

    fn sync(&self) -> Result<()>;

    /// Whether all rows are in memory: no look-up waits for the disk then.
    fn is_resident(&self) -> bool {
        true
    }

    /// Whether a look-up of this key reads from the disk, as far as memory can tell.
    fn is_cold(&self, _key: &[u8]) -> bool {
        false
    }

    fn bytes_on_disk(&self) -> u64;

    /// Records damage that a background thread met, so that the next write reports it.
    fn remember(&self, _error: &Error) {}
}

/// Bytes of room that an empty batch keeps.
const MOST_KEPT: usize = 1024 * 1024;

/// Changes that belong together, in one buffer; at most one for a key.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    changes: Vec<Change>,
}

#[derive(Debug, Clone, Copy)]
struct Change {
    start: usize,
    key_length: u32,
    /// `None` removes the key.
    value_length: Option<u32>,
}

impl Batch {
    /// For the next frame, which is likely to be as large: but for the largest of all the room is kept.
    pub fn cleared(mut self) -> Batch {
        self.bytes.clear();
        self.changes.clear();
        self.bytes.shrink_to(MOST_KEPT);
        self.changes.shrink_to(MOST_KEPT / size_of::<Change>());
        self
    }

    pub fn insert(&mut self, key: &[u8], value: &[u8]) {
        self.push(key, Some(value));
    }

    pub fn remove(&mut self, key: &[u8]) {
        self.push(key, None);
    }

    fn push(&mut self, key: &[u8], value: Option<&[u8]>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value.unwrap_or_default());
        self.changes.push(Change {
            start,
            key_length: key.len() as u32,
            value_length: value.map(|value| value.len() as u32),
        });
    }

    /// Key and new value of each change, `None` for a removal.
    pub fn changes(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        self.changes.iter().map(|change| self.resolve(change))
    }

    fn resolve(&self, change: &Change) -> (&[u8], Option<&[u8]>) {
        let value_start = change.start + change.key_length as usize;
        let key = &self.bytes[change.start..value_start];
        let value = change
            .value_length
            .map(|length| &self.bytes[value_start..value_start + length as usize]);
        (key, value)
    }
}
