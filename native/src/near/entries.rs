//! The entries of the newest pages, in memory.

use rustc_hash::FxHashMap;

use super::sketch::BANDS;

const NONE: u32 = u32::MAX;

/// By the hash of a band: the numbers of the pages that have it, as linked lists.
#[derive(Debug)]
pub struct Entries {
    newest: FxHashMap<u64, u32>,
    /// For each page and band, the page before it in its list.
    before: Vec<[u32; BANDS]>,
    first: u32,
}

impl Entries {
    /// `first`: the number of the first page.
    pub fn new(first: u32) -> Self {
        Entries {
            newest: FxHashMap::default(),
            before: Vec::new(),
            first,
        }
    }

    pub fn len(&self) -> usize {
        self.before.len()
    }

    /// Adds the next page.
    pub fn push(&mut self, bands: &[u64; BANDS]) {
        let number = self.before.len() as u32;
        let before = bands.map(|band| self.newest.insert(band, number).unwrap_or(NONE));
        self.before.push(before);
    }

    /// Adds the numbers of the pages with this band to `found`, newest first, until it has `most`.
    pub fn find(&self, band: usize, hash: u64, most: usize, found: &mut Vec<u32>) {
        let mut next = self.newest.get(&hash).copied().unwrap_or(NONE);
        while next != NONE && found.len() < most {
            found.push(self.first + next);
            next = self.before[next as usize][band];
        }
    }
}
