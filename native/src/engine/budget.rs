//! The total memory of bodies (H2), and what happens when it is used up.
//!
//! A body starts in memory, with a lease that grows with it. If the budget refuses to let the lease
//! grow, the body moves to an unlinked file and continues there. No fetch waits for the memory of
//! another, so nothing can deadlock. The lease ends when the last owner of the body drops it, which
//! for a finished fetch is Python. Large bodies share half of the budget, so that a few of them
//! cannot send every page to disk.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use crate::fetched::Body;

#[derive(Debug)]
pub struct Budget {
    limit: usize,
    used: AtomicUsize,
    /// The directory for bodies that do not fit; `None` means the system's temporary directory.
    directory: Option<PathBuf>,
}

impl Budget {
    pub fn new(limit: usize, directory: Option<PathBuf>) -> Arc<Self> {
        Arc::new(Budget {
            limit,
            used: AtomicUsize::new(0),
            directory,
        })
    }

    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Reserves `more` bytes for a body that will then have `bytes` in total.
    fn take(&self, more: usize, bytes: usize) -> bool {
        let limit = if bytes > LARGE {
            self.limit / 2
        } else {
            self.limit
        };
        let grown = |used: usize| used.checked_add(more).filter(|sum| *sum <= limit);
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown)
            .is_ok()
    }

    fn spill_file(&self) -> io::Result<File> {
        match &self.directory {
            Some(directory) => tempfile::tempfile_in(directory),
            None => tempfile::tempfile(),
        }
    }
}

/// A share of the budget, given back on drop.
#[derive(Debug)]
struct Lease {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Lease {
    fn grow_to(&mut self, bytes: usize) -> bool {
        let granted = bytes <= self.bytes || self.budget.take(bytes - self.bytes, bytes);
        if granted {
            self.bytes = self.bytes.max(bytes);
        }
        granted
    }

    fn shrink_to(&mut self, bytes: usize) {
        let surplus = self.bytes.saturating_sub(bytes);
        self.budget.used.fetch_sub(surplus, Ordering::Relaxed);
        self.bytes -= surplus;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

/// A body in memory with its lease, owned by a `Bytes`.
struct Leased {
    bytes: Vec<u8>,
    _lease: Lease,
}

impl AsRef<[u8]> for Leased {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The first reservation of a body whose length is unknown, and the largest step.
const FIRST: usize = 16 * 1024;
const STEP: usize = 256 * 1024;
/// Few pages are longer.
const LARGE: usize = 1024 * 1024;

/// A body while it is received.
#[derive(Debug)]
pub struct BodyBuffer {
    lease: Lease,
    /// The whole body; after a spill, the part that is not in the file yet.
    memory: Vec<u8>,
    spilled: Option<File>,
    written: usize,
}

impl BodyBuffer {
    pub fn new(budget: &Arc<Budget>) -> Self {
        BodyBuffer {
            lease: Lease {
                budget: budget.clone(),
                bytes: 0,
            },
            memory: Vec::new(),
            spilled: None,
            written: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.written + self.memory.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first bytes, as far as they are in memory, to detect the type of the body.
    pub fn start(&self) -> &[u8] {
        &self.memory
    }

    /// Returns a vector with room for at least one byte, to which the caller appends up to `wanted` bytes.
    pub fn room(&mut self, wanted: usize) -> io::Result<&mut Vec<u8>> {
        if self.memory.len() == self.memory.capacity() {
            match &self.spilled {
                Some(_) => self.write_out()?,
                None => self.grow(wanted)?,
            }
        }
        Ok(&mut self.memory)
    }

    pub fn append(&mut self, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            let memory = self.room(data.len())?;
            let length = data.len().min(memory.capacity() - memory.len());
            let (now, later) = data.split_at(length);
            memory.extend_from_slice(now);
            data = later;
        }
        Ok(())
    }

    fn grow(&mut self, wanted: usize) -> io::Result<()> {
        let capacity = self.memory.capacity();
        let more = wanted.clamp(1, STEP).max(capacity.max(FIRST.min(wanted)));
        if self.lease.grow_to(capacity + more) {
            self.memory.reserve_exact(more);
            return Ok(());
        }
        self.spill()
    }

    fn spill(&mut self) -> io::Result<()> {
        self.spilled = Some(self.lease.budget.spill_file()?);
        self.write_out()?;
        // A fixed staging buffer outside of the budget: it lives only while the body comes in.
        self.memory = Vec::with_capacity(FIRST * 4);
        self.lease.shrink_to(0);
        Ok(())
    }

    fn write_out(&mut self) -> io::Result<()> {
        if let Some(file) = &mut self.spilled {
            file.write_all(&self.memory)?;
            self.written += self.memory.len();
            self.memory.clear();
        }
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<Body> {
        self.write_out()?;
        match self.spilled.take() {
            Some(file) => {
                // SAFETY: the file has no name and no other handle, so nobody can shorten or
                // change it under the map.
                let map = unsafe { memmap2::Mmap::map(&file)? };
                Ok(Body::Spilled(Arc::new(map)))
            }
            None => Ok(Body::Memory(self.into_bytes())),
        }
    }

    fn into_bytes(mut self) -> Bytes {
        if self.memory.is_empty() {
            return Bytes::new();
        }
        if self.memory.capacity() - self.memory.len() > self.memory.len() / 4 {
            self.memory.shrink_to_fit();
            self.lease.shrink_to(self.memory.capacity());
        }
        Bytes::from_owner(Leased {
            bytes: self.memory,
            _lease: self.lease,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(budget: &Arc<Budget>, length: usize) -> Body {
        let mut buffer = BodyBuffer::new(budget);
        for piece in vec![7u8; length].chunks(1000) {
            buffer.append(piece).unwrap();
        }
        assert_eq!(buffer.len(), length);
        buffer.finish().unwrap()
    }

    #[test]
    fn h2_bodies_over_the_budget_go_to_disk_and_read_the_same() {
        let budget = Budget::new(100_000, None);
        let first = body(&budget, 60_000);
        let second = body(&budget, 60_000);
        assert!(matches!(first, Body::Memory(_)));
        assert!(matches!(second, Body::Spilled(_)));
        assert_eq!(first.as_slice(), second.as_slice());
        assert!(budget.used() >= 60_000 && budget.used() <= 100_000);
    }

    #[test]
    fn h2_large_bodies_leave_half_of_the_budget_to_pages() {
        let budget = Budget::new(16 * LARGE, None);
        let large: Vec<Body> = (0..20).map(|_| body(&budget, 2 * LARGE)).collect();
        let in_memory = |bodies: &[Body]| {
            let is_in_memory = |body: &&Body| matches!(body, Body::Memory(_));
            bodies.iter().filter(is_in_memory).count()
        };
        assert!((1..=4).contains(&in_memory(&large)));
        assert!(budget.used() <= 8 * LARGE);
        let pages: Vec<Body> = (0..70).map(|_| body(&budget, 100_000)).collect();
        assert_eq!(in_memory(&pages), 70);
    }

    #[test]
    fn h2_bodies_that_come_at_once_never_hold_more_than_the_budget() {
        let budget = Budget::new(4 * LARGE, None);
        let mut bodies: Vec<BodyBuffer> = (0..64).map(|_| BodyBuffer::new(&budget)).collect();
        for _ in 0..40 {
            for body in &mut bodies {
                body.append(&[7; 10_000]).unwrap();
            }
            assert!(budget.used() <= 4 * LARGE);
        }
        let in_memory = bodies.iter().filter(|body| body.spilled.is_none());
        assert!((1..=16).contains(&in_memory.count()));
        let kept: Vec<Body> = bodies
            .into_iter()
            .map(|body| body.finish().unwrap())
            .collect();
        assert!(kept.iter().all(|body| body.as_slice() == [7; 400_000]));
    }

    #[test]
    fn h2_the_budget_is_given_back_when_the_last_holder_drops_a_body() {
        let budget = Budget::new(1_000_000, None);
        let first = body(&budget, 300_000);
        let copy = first.clone();
        drop(first);
        assert!(budget.used() >= 300_000);
        drop(copy);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_body_without_bytes_costs_nothing() {
        let budget = Budget::new(0, None);
        let empty = BodyBuffer::new(&budget).finish().unwrap();
        assert!(empty.as_slice().is_empty());
        assert_eq!(body(&budget, 10).as_slice(), [7; 10]);
    }
}
