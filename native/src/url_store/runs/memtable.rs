//! The newest rows, in memory until there are enough of them for a run.
//!
//! It is a hash table over one buffer: rows here are looked up by key far more often than in order. Only the keys
//! that are scanned a few at a time ([`scan_order`]) are also kept in order; all others are sorted when the table
//! becomes a run.

use std::collections::BTreeMap;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::super::rows::scan_order;
use super::block::{Entry, HEAD};

const VACANT: u64 = u64::MAX;
/// Memory of a key besides its bytes: two places in the hash table, or one in the ordered map.
const PLACE: usize = 16;
const ORDERED_PLACE: usize = 64;

#[derive(Debug, Default)]
pub struct Memtable {
    /// Entries in sequence; replaced ones stay until the table is dropped.
    bytes: Vec<u8>,
    /// Open addressing; the size is a power of two, and it is at most half full. An element has half of the hash in its
    /// upper bits, and the start of the entry below.
    places: Vec<u64>,
    ordered: BTreeMap<u128, u32>,
    /// Starts of replaced entries, unordered.
    replaced: Vec<u32>,
    keys: usize,
}

impl Memtable {
    /// An empty table with the capacity of `other`.
    pub fn as_large_as(other: &Memtable) -> Memtable {
        Memtable {
            bytes: Vec::with_capacity(other.bytes.len()),
            places: vec![VACANT; other.places.len()],
            ..Memtable::default()
        }
    }

    pub fn is_empty(&self) -> bool {
        self.keys == 0
    }

    pub fn keys(&self) -> usize {
        self.keys
    }

    /// Approximate memory.
    pub fn size(&self) -> usize {
        let places = self.keys * PLACE + self.ordered.len() * ORDERED_PLACE;
        self.bytes.len() + places + self.replaced.len() * size_of::<u32>()
    }

    /// Prefetches the slots of keys that will be inserted soon.
    pub fn warm<'a>(&self, keys: impl Iterator<Item = &'a [u8]>) {
        let mask = self.places.len().wrapping_sub(1);
        for key in keys {
            std::hint::black_box(self.places.get(xxh3_64(key) as usize & mask).copied());
        }
    }

    pub fn put(&mut self, entry: Entry<'_>) {
        if (self.keys + 1) * 2 > self.places.len() {
            self.grow();
        }
        let hash = xxh3_64(entry.key);
        let place = self.place(hash, entry.key);
        let start = self.bytes.len() as u32;
        if self.places[place] == VACANT {
            self.keys += 1;
        } else if self.overwrite(start_of(self.places[place]), entry) {
            return;
        } else {
            self.replaced.push(self.places[place] as u32);
        }
        entry.put(&mut self.bytes);
        self.places[place] = hash & !u64::from(u32::MAX) | u64::from(start);
        if let Some(order) = scan_order(entry.key) {
            self.ordered.insert(order, start);
        }
    }

    /// Overwrites the value in place if the new one has the same length. Returns whether it did.
    fn overwrite(&mut self, start: usize, entry: Entry<'_>) -> bool {
        let held = Entry::at(&self.bytes, start).and_then(|held| held.value);
        let (Some(held), Some(value)) = (held.map(<[u8]>::len), entry.value) else {
            return false;
        };
        if held != value.len() {
            return false;
        }
        let from = start + HEAD + entry.key.len();
        self.bytes[from..from + held].copy_from_slice(value);
        true
    }

    pub fn get(&self, key: &[u8]) -> Option<Entry<'_>> {
        if self.keys == 0 {
            return None;
        }
        match self.places[self.place(xxh3_64(key), key)] {
            VACANT => None,
            held => Entry::at(&self.bytes, start_of(held)),
        }
    }

    /// The rows whose [`scan_order`] is in `range`, in this order.
    pub fn range(&self, range: Range<u128>) -> impl Iterator<Item = Entry<'_>> {
        let starts = self.ordered.range(range);
        starts.filter_map(|(_, &start)| self.entry(start))
    }

    /// Starts of the rows whose keys are wanted, in key order.
    pub fn sorted(&self, is_wanted: impl Fn(&[u8]) -> bool) -> Vec<u32> {
        let mut starts: Vec<(u64, u32)> = Vec::with_capacity(self.keys);
        self.visit(|start, key| {
            if is_wanted(key) {
                starts.push((prefix(key), start));
            }
        });
        starts.sort_unstable_by(|left, right| {
            left.0
                .cmp(&right.0)
                .then_with(|| self.key_at(left.1).cmp(self.key_at(right.1)))
        });
        starts.into_iter().map(|(_, start)| start).collect()
    }

    /// Visits every row that was not replaced, in buffer order: hash order would access memory at random.
    fn visit(&self, mut visit: impl FnMut(u32, &[u8])) {
        let mut replaced = self.replaced.clone();
        replaced.sort_unstable();
        let mut replaced = replaced.into_iter().peekable();
        let mut start = 0;
        while let Some(entry) = Entry::at(&self.bytes, start) {
            if replaced.next_if_eq(&(start as u32)).is_none() {
                visit(start as u32, entry.key);
            }
            start += HEAD + entry.key.len() + entry.value.map_or(0, <[u8]>::len);
        }
    }

    pub fn entry(&self, start: u32) -> Option<Entry<'_>> {
        Entry::at(&self.bytes, start as usize)
    }

    fn key_at(&self, start: u32) -> &[u8] {
        self.entry(start).map_or(&[], |entry| entry.key)
    }

    /// The slot of a key in the hash table, or the free slot for it. The table is never full.
    fn place(&self, hash: u64, key: &[u8]) -> usize {
        let mask = self.places.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let held = self.places[place];
            if held == VACANT || (held >> 32 == hash >> 32 && self.key_at(held as u32) == key) {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let places = vec![VACANT; (self.places.len() * 2).max(1024)];
        let mask = places.len() - 1;
        for held in std::mem::replace(&mut self.places, places) {
            if held == VACANT {
                continue;
            }
            let mut place = xxh3_64(self.key_at(held as u32)) as usize & mask;
            while self.places[place] != VACANT {
                place = (place + 1) & mask;
            }
            self.places[place] = held;
        }
    }
}

fn start_of(held: u64) -> usize {
    held as u32 as usize
}

/// The first eight bytes of a key, as a number with the same order.
pub fn prefix(key: &[u8]) -> u64 {
    match key.first_chunk() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            let mut bytes = [0; 8];
            bytes[..key.len()].copy_from_slice(key);
            u64::from_be_bytes(bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(table: &Memtable) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
        let starts = table.sorted(|_| true).into_iter();
        let entries = starts.map(|start| table.entry(start).unwrap());
        entries
            .map(|entry| (entry.key.to_vec(), entry.value.map(<[u8]>::to_vec)))
            .collect()
    }

    proptest! {
        #[test]
        fn it_is_a_map_that_remembers_removals(
            changes in proptest::collection::vec((proptest::collection::vec(97u8..101, 1..12), proptest::option::of(proptest::collection::vec(any::<u8>(), 0..4))), 0..200)
        ) {
            let (mut table, mut model) = (Memtable::default(), BTreeMap::new());
            for (key, value) in &changes {
                table.put(Entry { key, value: value.as_deref() });
                model.insert(key.clone(), value.clone());
            }
            prop_assert_eq!(all(&table), model.clone().into_iter().collect::<Vec<_>>());
            prop_assert_eq!(table.keys(), model.len());
            for (key, value) in &model {
                prop_assert_eq!(table.get(key).map(|entry| entry.value), Some(value.as_deref()));
            }
            prop_assert!(table.get(b"absent").is_none());
        }
    }

    #[test]
    fn a_prefix_sorts_as_its_key_does() {
        let keys: [&[u8]; 5] = [b"", b"a", b"ab", b"abcdefgh", b"b"];
        assert!(keys.is_sorted_by_key(|key| prefix(key)));
    }
}
