//! Hot keys: an exact, bounded cache of known keys.
//!
//! An average page has 68 known links and 12 new ones; most known ones are the navigation of its site. Four ways of
//! 16 bytes are one cache line. A hit moves its key one place forward, and the last one is evicted.

use crate::url::Key;

const WAYS: usize = 4;

/// A mark with this depth only says that the key is deep.
const DEEP: u8 = 127;
const IS_FOREIGN: u8 = 128;

/// The mark of a key: its depth, and whether it is foreign.
pub fn mark_of(depth: u32, is_foreign: bool) -> u8 {
    let flag = if is_foreign { IS_FOREIGN } else { 0 };
    depth.min(DEEP.into()) as u8 | flag
}

/// Decodes a mark; `None` if it does not contain the depth.
pub fn read_mark(mark: u8) -> Option<(u32, bool)> {
    let depth = mark & DEEP;
    (depth != DEEP).then_some((depth.into(), mark & IS_FOREIGN != 0))
}

pub struct HotKeys {
    keys: Vec<[Key; WAYS]>,
    marks: Vec<[u8; WAYS]>,
}

impl HotKeys {
    /// Capacity is rounded up to a power of two; 17 bytes per key.
    pub fn new(capacity: usize) -> Self {
        let sets = capacity.div_ceil(WAYS).max(1).next_power_of_two();
        HotKeys {
            keys: vec![[[0; 16]; WAYS]; sets],
            marks: vec![[0; WAYS]; sets],
        }
    }

    /// The mark of a key, if it is cached. (The key of all zeros marks an empty way and is never cached.)
    pub fn get(&mut self, key: &Key) -> Option<u8> {
        let set = self.set(key);
        let way = self.way(set, key)?;
        let mark = self.marks[set][way];
        if way > 0 {
            self.keys[set].swap(way, way - 1);
            self.marks[set].swap(way, way - 1);
        }
        Some(mark)
    }

    /// Whether the key is cached; does not count as a use.
    pub fn has(&self, key: &Key) -> bool {
        self.way(self.set(key), key).is_some()
    }

    /// Like [`HotKeys::get`], without counting as a use.
    pub fn peek(&self, key: &Key) -> Option<u8> {
        let set = self.set(key);
        let way = self.way(set, key)?;
        Some(self.marks[set][way])
    }

    pub fn insert(&mut self, key: &Key, mark: u8) {
        let set = self.set(key);
        let way = self.way(set, key).unwrap_or(WAYS - 1);
        self.keys[set][way] = *key;
        self.marks[set][way] = mark;
    }

    fn set(&self, key: &Key) -> usize {
        let [low @ .., _, _, _, _, _, _, _, _] = *key;
        u64::from_le_bytes(low) as usize & (self.keys.len() - 1)
    }

    fn way(&self, set: usize, key: &Key) -> Option<usize> {
        if *key == [0; 16] {
            return None;
        }
        self.keys[set].iter().position(|held| held == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> Key {
        let mut key = [0; 16];
        key[15] = number;
        key
    }

    #[test]
    fn it_answers_for_what_it_holds_and_for_nothing_else() {
        let mut hot = HotKeys::new(4);
        hot.insert(&key(1), 9);
        assert_eq!(hot.get(&key(1)), Some(9));
        assert_eq!(hot.get(&key(2)), None);
        hot.insert(&key(0), 1);
        assert_eq!(hot.get(&key(0)), None);
    }

    #[test]
    fn a_mark_tells_the_depth_and_who_found_it_unless_it_is_deep() {
        for is_foreign in [false, true] {
            assert_eq!(read_mark(mark_of(126, is_foreign)), Some((126, is_foreign)));
            assert_eq!(read_mark(mark_of(127, is_foreign)), None);
        }
    }

    #[test]
    fn a_key_that_is_asked_for_outlives_those_that_are_not() {
        let mut hot = HotKeys::new(4);
        hot.insert(&key(1), 0);
        for number in 2..100 {
            assert_eq!(hot.get(&key(1)), Some(0));
            hot.insert(&key(number), 0);
        }
    }
}
