//! The filter of a run: tells which runs cannot contain a key.
//!
//! Each key has one block of 512 bits, with ten bits of space and six set bits per key: about one result in a hundred
//! is a false positive. It is separate from [`super::super::bloom`], which grows while it is used and has its own
//! file; this one is written once.

use xxhash_rust::xxh3::xxh3_64;

use super::super::rows::digest_of;

/// Bits per key for which a filter is sized.
const BITS: u64 = 10;
const PROBES: u32 = 6;
const WORDS: usize = 8;

#[derive(Debug, Default)]
pub struct RunFilter {
    words: Vec<u64>,
    /// Hashes to be inserted together.
    scattered: Vec<u64>,
}

/// Hashes that are collected and then inserted block by block, because random access to memory is slow.
const COLLECTED: usize = 64 * 1024;

impl RunFilter {
    /// A filter for up to `keys` keys; more keys only make it less precise.
    pub fn new(keys: u64) -> Self {
        let blocks = (keys * BITS).div_ceil(512).max(1);
        RunFilter {
            words: vec![0; blocks as usize * WORDS],
            scattered: Vec::new(),
        }
    }

    /// Like [`RunFilter::insert`], for hashes in random order; they are only guaranteed to be included by
    /// [`RunFilter::put`].
    pub fn insert_later(&mut self, hash: u64) {
        self.scattered.push(hash);
        if self.scattered.len() == COLLECTED {
            self.insert_scattered();
        }
    }

    fn insert_scattered(&mut self) {
        let mut hashes = std::mem::take(&mut self.scattered);
        // The blocks are chosen by the high half: this is their order.
        hashes.sort_unstable();
        hashes.drain(..).for_each(|hash| self.insert(hash));
        self.scattered = hashes;
    }

    pub fn insert(&mut self, hash: u64) {
        let start = self.block(hash);
        for bit in probes(hash) {
            if let Some(word) = self.words.get_mut(start + bit / 64) {
                *word |= 1 << (bit % 64);
            }
        }
    }

    /// False if the key was not inserted.
    pub fn may_contain(&self, hash: u64) -> bool {
        let start = self.block(hash);
        let Some(block) = self.words.get(start..start + WORDS) else {
            return true;
        };
        probes(hash).all(|bit| block[bit / 64] & 1 << (bit % 64) != 0)
    }

    fn block(&self, hash: u64) -> usize {
        let blocks = (self.words.len() / WORDS) as u64;
        (((hash >> 32) * blocks) >> 32) as usize * WORDS
    }

    pub fn put(&mut self, bytes: &mut Vec<u8>) {
        self.insert_scattered();
        bytes.reserve(self.words.len() * 8);
        for word in &self.words {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
    }

    /// `None` if the bytes are not a filter.
    pub fn parse(bytes: &[u8]) -> Option<RunFilter> {
        let (words, rest) = bytes.as_chunks::<8>();
        if !rest.is_empty() || words.is_empty() || words.len() % WORDS != 0 {
            return None;
        }
        let words = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let scattered = Vec::new();
        Some(RunFilter { words, scattered })
    }
}

/// Hashes a key or a part of one. A digest is its own hash: its first bytes choose the block, so that rows in key order
/// fill one block after the other.
pub fn hash(key: &[u8]) -> u64 {
    digest_of(key).unwrap_or_else(|| xxh3_64(key))
}

/// The bits of a key, chosen by the low half of the hash; the high half chose the block.
fn probes(hash: u64) -> impl Iterator<Item = usize> {
    let mixed = (hash & 0xffff_ffff).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..PROBES).map(move |probe| (mixed >> (10 + 9 * probe)) as usize & 511)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_was_inserted_and_little_else() {
        let hash = |number: u64| xxh3_64(&number.to_le_bytes());
        let mut filter = RunFilter::new(100_000);
        (0..50_000).for_each(|number| filter.insert(hash(number)));
        (50_000..100_000).for_each(|number| filter.insert_later(hash(number)));
        let mut bytes = Vec::new();
        filter.put(&mut bytes);
        let filter = RunFilter::parse(&bytes).unwrap();
        assert!((0..100_000).all(|number| filter.may_contain(hash(number))));
        let wrong = (100_000..200_000)
            .filter(|&number| filter.may_contain(hash(number)))
            .count();
        assert!(wrong < 2_500, "{wrong} of 100,000");
        assert!(RunFilter::parse(&bytes[..63]).is_none());
        assert!(RunFilter::parse(&[]).is_none());
    }
}
