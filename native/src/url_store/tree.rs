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
/// A read may see part of a batch that is being written: code that reads while another thread writes must know by other
/// means which rows are complete.
pub trait Tree: Send + Sync {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// Like [`Tree::get`], but only from disk: what the next start would find.
    fn get_saved(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// Visits the rows with `from <= key < to` in key order until `visit` breaks.
    fn scan(&self, from: &[u8], to: &[u8], visit: &mut Visit<'_>) -> Result<()>;

    /// Visits the keys with `from <= key < to` in any order until `visit` breaks; some may occur twice, and some may
    /// have been removed.
    fn visit_keys(&self, from: &[u8], to: &[u8], visit: &mut VisitKey<'_>) -> Result<()>;

    /// Visits the existing chunks of one class of an origin, from this one on, in order until `visit` breaks. Chunks
    /// are written in the order of their numbers and never changed, so no chunk is older than one with a lower number.
    fn visit_chunks(&self, from: ChunkId, visit: &mut VisitChunk<'_>) -> Result<()>;

    /// Writes all or nothing. Unsynced batches may be lost with the process, newer ones before older ones.
    fn write(&self, batch: &Batch) -> Result<()>;

    fn sync(&self) -> Result<()>;

    /// Whether all rows are in memory, so that no look-up waits for the disk.
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

/// Capacity that an empty batch keeps.
const MOST_KEPT: usize = 1024 * 1024;

/// Changes that are written together, in one buffer; at most one per key.
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
    /// Empties the batch and keeps its capacity, unless it is very large: the next frame will probably have the same
    /// size.
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
