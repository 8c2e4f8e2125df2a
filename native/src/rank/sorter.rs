//! Sorts numbers that do not fit into memory: sorted runs in one unnamed file, which are merged while they are read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::{io, scratch_file};
use crate::error::Result;

const BYTES: usize = size_of::<u128>();
/// Least numbers in a run, and least numbers of a run that are read at once.
const LEAST: usize = 4 * 1024;

/// Takes numbers in any order, and gives each of them once, in ascending order.
pub struct Sorter {
    directory: PathBuf,
    buffer: Vec<u128>,
    /// Numbers that fit into memory.
    room: usize,
    /// Created for the first run.
    file: Option<File>,
    /// The bytes of each run.
    runs: Vec<Range<u64>>,
}

impl Sorter {
    pub fn new(directory: &Path, memory: usize) -> Self {
        Sorter {
            directory: directory.to_owned(),
            buffer: Vec::new(),
            room: (memory / BYTES).max(LEAST),
            file: None,
            runs: Vec::new(),
        }
    }

    pub fn push(&mut self, number: u128) -> Result<()> {
        if self.buffer.len() == self.room {
            self.sort();
            // Many duplicates leave room for more.
            if self.buffer.len() > self.room / 2 {
                self.write_run()?;
            }
        }
        if self.buffer.len() == self.buffer.capacity() {
            let more = self.buffer.capacity().max(LEAST / 4);
            self.buffer
                .reserve_exact(more.min(self.room - self.buffer.len()));
        }
        self.buffer.push(number);
        Ok(())
    }

    fn sort(&mut self) {
        self.buffer.sort_unstable();
        self.buffer.dedup();
    }

    fn write_run(&mut self) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(scratch_file(&self.directory)?),
        };
        let start = self.runs.last().map_or(0, |run| run.end);
        let mut bytes = Vec::with_capacity(LEAST * BYTES);
        for some in self.buffer.chunks(LEAST) {
            bytes.clear();
            bytes.extend(some.iter().flat_map(|number| number.to_le_bytes()));
            file.write_all(&bytes).map_err(io)?;
        }
        let end = start + (self.buffer.len() * BYTES) as u64;
        self.runs.push(start..end);
        self.buffer.clear();
        Ok(())
    }

    /// The numbers, in order. Uses no more memory than sorting did.
    pub fn finish(mut self) -> Result<Sorted> {
        self.sort();
        let Some(mut file) = self.file.take() else {
            return Ok(Sorted::InMemory(self.buffer.into_iter()));
        };
        if !self.buffer.is_empty() {
            self.file = Some(file);
            self.write_run()?;
            file = self
                .file
                .take()
                .ok_or_else(|| io(std::io::ErrorKind::NotFound.into()))?;
        }
        self.buffer = Vec::new();
        let at_once = (self.room / self.runs.len()).max(LEAST);
        let mut runs: Vec<Run> = self
            .runs
            .into_iter()
            .map(|rest| Run::new(rest, at_once))
            .collect();
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for (number, run) in runs.iter_mut().enumerate() {
            heads.extend(run.next(&file)?.map(|head| Reverse((head, number))));
        }
        Ok(Sorted::Merged(Merged {
            file,
            runs,
            heads,
            last: None,
        }))
    }
}

/// An ascending sequence without duplicates.
pub enum Sorted {
    InMemory(std::vec::IntoIter<u128>),
    Merged(Merged),
}

impl Sorted {
    pub fn next(&mut self) -> Result<Option<u128>> {
        match self {
            Sorted::InMemory(numbers) => Ok(numbers.next()),
            Sorted::Merged(merged) => merged.next(),
        }
    }
}

pub struct Merged {
    file: File,
    runs: Vec<Run>,
    heads: BinaryHeap<Reverse<(u128, usize)>>,
    last: Option<u128>,
}

impl Merged {
    fn next(&mut self) -> Result<Option<u128>> {
        loop {
            let Some(mut head) = self.heads.peek_mut() else {
                return Ok(None);
            };
            let Reverse((number, run)) = *head;
            match self.runs[run].next(&self.file)? {
                Some(next) => *head = Reverse((next, run)),
                None => {
                    std::collections::binary_heap::PeekMut::pop(head);
                }
            }
            if self.last.replace(number) != Some(number) {
                return Ok(Some(number));
            }
        }
    }
}

struct Run {
    rest: Range<u64>,
    bytes: Vec<u8>,
    at: usize,
    at_once: usize,
}

impl Run {
    fn new(rest: Range<u64>, at_once: usize) -> Self {
        Run {
            rest,
            bytes: Vec::new(),
            at: 0,
            at_once: at_once * BYTES,
        }
    }

    fn next(&mut self, file: &File) -> Result<Option<u128>> {
        if self.at == self.bytes.len() {
            let left = self.rest.end - self.rest.start;
            let length = left.min(self.at_once as u64) as usize;
            self.bytes.resize(length, 0);
            file.read_exact_at(&mut self.bytes, self.rest.start)
                .map_err(io)?;
            self.rest.start += length as u64;
            self.at = 0;
        }
        let Some(number) = self.bytes[self.at..].first_chunk() else {
            return Ok(None);
        };
        self.at += BYTES;
        Ok(Some(u128::from_le_bytes(*number)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sort(numbers: &[u128], memory: usize) -> Vec<u128> {
        let directory = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(directory.path(), memory);
        numbers
            .iter()
            .for_each(|number| sorter.push(*number).unwrap());
        let mut sorted = sorter.finish().unwrap();
        std::iter::from_fn(|| sorted.next().unwrap()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn numbers_come_once_and_in_order(seed in any::<u64>(), length in 0usize..40_000, kinds in 1u64..100_000) {
            let numbers = (0..length as u64).map(|number| {
                let mixed = number.wrapping_add(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                u128::from((mixed ^ (mixed >> 29)) % kinds) << 64 | u128::from(seed)
            });
            let numbers: Vec<u128> = numbers.collect();
            let wanted: Vec<u128> = numbers.iter().copied().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
            prop_assert_eq!(&sort(&numbers, 0), &wanted);
            prop_assert_eq!(&sort(&numbers, 1 << 30), &wanted);
        }
    }
}
