//! Merges several sorted sources: of equal keys, the newest source wins.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::block::Entry;
use super::memtable::prefix;
use crate::error::Result;

/// Rows in key order, one at a time.
pub trait Sorted {
    /// The current row; `None` after the last.
    fn entry(&self) -> Result<Option<Entry<'_>>>;

    fn advance(&mut self) -> Result<()>;
}

/// Rows from an iterator.
pub struct Flow<'a, I> {
    entry: Option<Entry<'a>>,
    rest: I,
}

impl<'a, I: Iterator<Item = Entry<'a>>> Flow<'a, I> {
    pub fn new(mut rest: I) -> Self {
        Flow {
            entry: rest.next(),
            rest,
        }
    }
}

impl<'a, I: Iterator<Item = Entry<'a>>> Sorted for Flow<'a, I> {
    fn entry(&self) -> Result<Option<Entry<'_>>> {
        Ok(self.entry)
    }

    fn advance(&mut self) -> Result<()> {
        self.entry = self.rest.next();
        Ok(())
    }
}

/// A heap of the sources that have rows left, the one with the lowest key on top.
pub struct Merge<'a> {
    /// Newest first.
    sources: Vec<Box<dyn Sorted + 'a>>,
    /// Prefix of the current key of a source, and the source's index.
    heap: Vec<(u64, usize)>,
}

impl<'a> Merge<'a> {
    pub fn new(sources: Vec<Box<dyn Sorted + 'a>>) -> Result<Merge<'a>> {
        let mut merge = Merge {
            heap: Vec::with_capacity(sources.len()),
            sources,
        };
        for number in 0..merge.sources.len() {
            if let Some(entry) = merge.sources[number].entry()? {
                merge.heap.push((prefix(entry.key), number));
            }
        }
        for place in (0..merge.heap.len() / 2).rev() {
            merge.sift_down(place)?;
        }
        Ok(merge)
    }

    /// Visits each key once, including removed ones, in order until `visit` breaks.
    pub fn visit(
        &mut self,
        mut visit: impl FnMut(Entry<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut last: Vec<u8> = Vec::new();
        let mut has_last = false;
        while let Some(&(_, number)) = self.heap.first() {
            if let Some(entry) = self.sources[number].entry()?
                && !(has_last && entry.key == last)
            {
                if let ControlFlow::Break(()) = visit(entry)? {
                    return Ok(());
                }
                last.clear();
                last.extend_from_slice(entry.key);
                has_last = true;
            }
            self.sources[number].advance()?;
            match self.sources[number].entry()? {
                Some(entry) => self.heap[0].0 = prefix(entry.key),
                None => {
                    self.heap.swap_remove(0);
                }
            }
            self.sift_down(0)?;
        }
        Ok(())
    }

    fn sift_down(&mut self, mut place: usize) -> Result<()> {
        loop {
            let mut lowest = place;
            for child in [2 * place + 1, 2 * place + 2] {
                if child < self.heap.len() && self.is_before(child, lowest)? {
                    lowest = child;
                }
            }
            if lowest == place {
                return Ok(());
            }
            self.heap.swap(place, lowest);
            place = lowest;
        }
    }

    fn is_before(&self, left: usize, right: usize) -> Result<bool> {
        let (left, right) = (self.heap[left], self.heap[right]);
        let order = match left.0.cmp(&right.0) {
            Ordering::Equal => {
                let (young, old) = (
                    self.sources[left.1].entry()?,
                    self.sources[right.1].entry()?,
                );
                let keys = young
                    .map(|entry| entry.key)
                    .cmp(&old.map(|entry| entry.key));
                keys.then(left.1.cmp(&right.1))
            }
            order => order,
        };
        Ok(order.is_lt())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Rows = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

    fn entries(rows: &Rows) -> impl Iterator<Item = Entry<'_>> {
        rows.iter().map(|(key, value)| Entry {
            key,
            value: value.as_deref(),
        })
    }

    fn merged(sources: &[Rows]) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
        let flows = sources
            .iter()
            .map(|rows| Box::new(Flow::new(entries(rows))) as Box<dyn Sorted>);
        let mut rows = Vec::new();
        let mut merge = Merge::new(flows.collect()).unwrap();
        let visited = merge.visit(|entry| {
            rows.push((entry.key.to_vec(), entry.value.map(<[u8]>::to_vec)));
            Ok(ControlFlow::Continue(()))
        });
        visited.unwrap();
        rows
    }

    proptest! {
        #[test]
        fn the_youngest_row_of_a_key_wins_and_all_come_in_order(
            sources in proptest::collection::vec(proptest::collection::btree_map(proptest::collection::vec(97u8..99, 0..10), proptest::option::of(proptest::collection::vec(any::<u8>(), 0..2)), 0..40), 0..6)
        ) {
            let mut model = Rows::new();
            for rows in sources.iter().rev() {
                model.extend(rows.clone());
            }
            prop_assert_eq!(merged(&sources), model.into_iter().collect::<Vec<_>>());
        }
    }
}
