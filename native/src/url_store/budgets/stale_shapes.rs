//! Which shapes may have a row of stale fetches. It is asked for every new URL, and the result is nearly always no.
//!
//! So few shapes have such a row that this filter stays in the processor's cache, which the store's own filter never
//! does.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::super::rows::{key_of, stale_range};
use super::super::tree::Tree;
use crate::error::Result;
use crate::url::Key;

const WORDS: usize = 1 << 14;
const BITS: u64 = 64 * WORDS as u64;
/// Above this number the filter says yes to nearly everything, so the rest of the rows is not read.
const MOST: u64 = 1 << 20;

#[derive(Debug)]
pub struct StaleShapes {
    words: Box<[AtomicU64]>,
    has_any: AtomicBool,
}

impl StaleShapes {
    /// Builds the filter from the existing rows.
    pub fn of(tree: &dyn Tree) -> Result<StaleShapes> {
        let shapes = StaleShapes {
            words: (0..WORDS).map(|_| AtomicU64::new(0)).collect(),
            has_any: AtomicBool::new(false),
        };
        let (from, to) = stale_range();
        let mut count = 0;
        tree.visit_keys(&from, &to, &mut |row| {
            shapes.insert(&key_of(row)?);
            count += 1;
            Ok(match count < MOST {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        })?;
        if count == MOST {
            shapes.fill();
        }
        Ok(shapes)
    }

    /// Must be called before the row is written.
    pub fn insert(&self, key: &Key) {
        self.has_any.store(true, Ordering::Relaxed);
        for bit in bits(key) {
            self.words[bit / 64].fetch_or(1 << (bit % 64), Ordering::Relaxed);
        }
    }

    /// Whether no shape has such a row.
    pub fn is_empty(&self) -> bool {
        !self.has_any.load(Ordering::Relaxed)
    }

    /// False if there is no such row.
    pub fn may_contain(&self, key: &Key) -> bool {
        bits(key)
            .into_iter()
            .all(|bit| self.words[bit / 64].load(Ordering::Relaxed) & 1 << (bit % 64) != 0)
    }

    fn fill(&self) {
        for word in &self.words {
            word.store(u64::MAX, Ordering::Relaxed);
        }
    }
}

fn bits(key: &Key) -> [usize; 2] {
    let [a, b, c, d, e, f, g, h, low @ ..] = *key;
    let high = [a, b, c, d, e, f, g, h];
    [high, low].map(|bytes| (u64::from_be_bytes(bytes) % BITS) as usize)
}

#[cfg(test)]
mod tests {
    use super::super::super::MemoryTree;
    use super::super::super::rows::stale_key;
    use super::super::super::tree::Batch;
    use super::*;

    fn key(number: u64) -> Key {
        xxhash_rust::xxh3::xxh3_128(&number.to_le_bytes()).to_be_bytes()
    }

    #[test]
    fn it_knows_the_rows_that_are_there_and_those_that_come_and_few_others() {
        let tree = MemoryTree::default();
        let mut batch = Batch::default();
        (0..10_000).for_each(|number| batch.insert(&stale_key(&key(number)), &[1]));
        tree.write(&batch).unwrap();
        assert!(StaleShapes::of(&MemoryTree::default()).unwrap().is_empty());
        let shapes = StaleShapes::of(&tree).unwrap();
        assert!(!shapes.is_empty());
        (10_000..20_000).for_each(|number| shapes.insert(&key(number)));
        assert!((0..20_000).all(|number| shapes.may_contain(&key(number))));
        let wrong = (20_000..120_000).filter(|&number| shapes.may_contain(&key(number)));
        let wrong = wrong.count();
        assert!(wrong < 1_000, "{wrong} of 100,000");
    }
}
