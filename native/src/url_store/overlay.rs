//! Known URLs that are not applied yet: their frames are still being written.
//!
//! An admitted key is here from its admission until its frame has been applied. It must not go into the tree earlier:
//! a key in the tree but not in the log would be a lost URL. If the process dies, the overlay is lost, too. The page
//! that linked to the URL is unfinished then, and will find it again.

use rustc_hash::FxHashMap;

use crate::url::Key;

/// What a pending frame says about a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admission {
    /// The lowest depth at which it was found.
    pub depth: u32,
    /// The key is new, both to the tree and to this overlay.
    pub is_new: bool,
    pub is_parked: bool,
    /// True if its end or its slot is pending, false if only its depth is.
    pub is_pending: bool,
    /// It was refused: its end is pending.
    pub is_refused: bool,
    /// It is foreign.
    pub is_foreign: bool,
}

#[derive(Debug, Default)]
pub struct Overlay {
    keys: FxHashMap<Key, Admission>,
    contents: FxHashMap<Key, Key>,
}

impl Overlay {
    pub fn get(&self, key: &Key) -> Option<Admission> {
        self.keys.get(key).copied()
    }

    pub fn insert(&mut self, key: Key, admission: Admission) {
        self.keys.insert(key, admission);
    }

    pub fn is_pending(&self, key: &Key) -> bool {
        self.keys.get(key).is_some_and(|held| held.is_pending)
    }

    /// True if the tree does not have the key: it did not when the key was admitted, and applying a frame with the key
    /// removes it from the overlay.
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

    /// The frame that records the owner of `hash` has been applied.
    pub fn forget_content(&mut self, hash: &Key) {
        self.contents.remove(hash);
    }

    /// The answer of `key` is lost: the next URL with this body is the first. A body of another URL stays.
    pub fn take_content_back(&mut self, hash: &Key, key: &Key) {
        if self.contents.get(hash) == Some(key) {
            self.contents.remove(hash);
        }
    }
}
