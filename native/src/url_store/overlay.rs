//! What is known already but not applied yet: answers for the frames that are on their way.
//!
//! An admitted key is here from its admission until the frame with it has been applied. It must
//! not go into the tree earlier: a key in the tree but not in the log would be a URL lost for
//! ever. If the process dies the overlay dies too, and the page that named the URL, being
//! unfinished, names it again.

use rustc_hash::FxHashMap;

use crate::url::Key;

/// Found again at a smaller depth than this, a key is admitted again: the depth at which it is
/// parked, or zero for a key that is settled.
pub type ReadmitBelow = u32;
pub const SETTLED: ReadmitBelow = 0;

#[derive(Debug, Clone, Copy)]
struct Admission {
    readmit_below: ReadmitBelow,
    is_new: bool,
}

#[derive(Debug, Default)]
pub struct Overlay {
    keys: FxHashMap<Key, Admission>,
    contents: FxHashMap<Key, Key>,
}

impl Overlay {
    pub fn get(&self, key: &Key) -> Option<ReadmitBelow> {
        self.keys.get(key).map(|held| held.readmit_below)
    }

    /// `is_new`: nobody knew the key, neither the tree nor this overlay.
    pub fn insert(&mut self, key: Key, readmit_below: ReadmitBelow, is_new: bool) {
        let admission = Admission {
            readmit_below,
            is_new,
        };
        self.keys.insert(key, admission);
    }

    /// True: the tree does not have the key. It had not when the key was admitted, and a frame that names a key makes
    /// the overlay forget it.
    pub fn is_new(&self, key: &Key) -> bool {
        self.keys.get(key).is_some_and(|held| held.is_new)
    }

    pub fn forget(&mut self, key: &Key) {
        self.keys.remove(key);
    }

    pub fn content(&self, hash: &Key) -> Option<Key> {
        self.contents.get(hash).copied()
    }

    /// The first URL with a body keeps it.
    pub fn remember_content(&mut self, hash: Key, key: Key) {
        self.contents.entry(hash).or_insert(key);
    }

    /// `key` is done with: the frame that names it as the owner of `hash` has been applied.
    pub fn forget_content(&mut self, hash: &Key) {
        self.contents.remove(hash);
    }
}
