//! The Bloom filter in use, and the one that is being built to replace it (U4).
//!
//! It contains the keys of URLs, the hashes of bodies and of texts, and the keys of stale fetches: all are digests,
//! so they do not collide. A thread builds a filter by scanning their tables. This happens if the saved filter does
//! not match the state of the store, as after a kill, and at double size once the filter is full or its observed
//! false positive rate exceeds twice the target. While a filter is being built, every new key goes into both. Without
//! a filter, every key is a "perhaps" and the tree decides. So the store opens at once, however long the scan takes.
//! A filter with few keys is not saved: building it is faster than reading it.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use parking_lot::{Mutex, RwLock};

use super::bloom::Bloom;
use super::rows::{contents_range, key_of, seen_range, stale_range, texts_range};
use super::tree::Tree;
use crate::error::{Error, Result, or_damage};
use crate::url::Key;

/// Number of absent keys that must be tested before the observed rate is used.
const ENOUGH_TESTS: u64 = 10_000;
/// Filters with fewer keys are not saved.
const WORTH_SAVING: u64 = 50_000;
/// Twice the target of 1 %.
const WORST_RATE: f64 = 0.02;

pub struct Filters {
    shared: Arc<Shared>,
    directory: Option<PathBuf>,
    /// The frame to which the saved filter belongs.
    saved: Option<u64>,
    builder: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    pair: RwLock<Pair>,
    stop: AtomicBool,
    observed: Observed,
}

#[derive(Default)]
struct Pair {
    current: Option<Arc<Bloom>>,
    building: Option<Arc<Bloom>>,
}

/// Counts since the store was opened and, for absent keys, since the filter was last replaced.
#[derive(Default)]
struct Observed {
    tests: AtomicU64,
    false_positives: AtomicU64,
    recent_absent: AtomicU64,
    recent_false_positives: AtomicU64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterCounts {
    pub bits: u64,
    pub tests: u64,
    pub false_positives: u64,
}

impl Filters {
    /// Opens the saved filter; creates a new one for an empty store; otherwise starts a scan to build one.
    pub fn open(
        directory: Option<PathBuf>,
        capacity: u64,
        applied: u64,
        seen: u64,
        tree: &Arc<dyn Tree>,
    ) -> Result<Self> {
        let saved = match &directory {
            Some(directory) => Bloom::open(&directory.join(SAVED), applied)?,
            None => None,
        };
        let is_saved = saved.is_some();
        let current = match saved {
            Some(bloom) => Some(bloom),
            None if seen == 0 => Some(Bloom::new(capacity)?),
            None => None,
        };
        let filters = Filters {
            saved: is_saved.then_some(applied),
            ..Filters::new(directory, current)
        };
        if filters.shared.pair.read().current.is_none() {
            filters.build(capacity_for(seen, capacity), tree)?;
        }
        Ok(filters)
    }

    fn new(directory: Option<PathBuf>, current: Option<Bloom>) -> Self {
        let pair = Pair {
            current: current.map(Arc::new),
            building: None,
        };
        Filters {
            shared: Arc::new(Shared {
                pair: RwLock::new(pair),
                stop: AtomicBool::new(false),
                observed: Observed::default(),
            }),
            directory,
            saved: None,
            builder: Mutex::new(None),
        }
    }

    /// False if the key is not in the tree. If true, the tree must be searched.
    pub fn may_contain(&self, key: &Key) -> bool {
        let pair = self.shared.pair.read();
        let Some(current) = &pair.current else {
            return true;
        };
        let observed = &self.shared.observed;
        observed.tests.fetch_add(1, Ordering::Relaxed);
        let maybe = current.contains(key);
        if !maybe {
            observed.recent_absent.fetch_add(1, Ordering::Relaxed);
        }
        maybe
    }

    /// Like [`Filters::may_contain`], for reading ahead: not counted, because the key will be tested again.
    pub fn knows(&self, key: &Key) -> bool {
        let pair = self.shared.pair.read();
        pair.current
            .as_ref()
            .is_none_or(|current| current.contains(key))
    }

    /// Prefetches these keys.
    pub fn warm(&self, keys: impl Iterator<Item = Key>) {
        let pair = self.shared.pair.read();
        if let Some(current) = &pair.current {
            keys.for_each(|key| current.warm(&key));
        }
    }

    /// Counts a false positive of [`Filters::may_contain`].
    pub fn note_false_positive(&self) {
        if self.shared.pair.read().current.is_some() {
            let observed = &self.shared.observed;
            observed.false_positives.fetch_add(1, Ordering::Relaxed);
            observed
                .recent_false_positives
                .fetch_add(1, Ordering::Relaxed);
            observed.recent_absent.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Must be called before the keys are written to the tree.
    pub fn insert<'a>(&self, keys: impl Iterator<Item = &'a Key>) {
        let pair = self.shared.pair.read();
        for key in keys {
            for bloom in [&pair.current, &pair.building].into_iter().flatten() {
                bloom.insert(key);
            }
        }
    }

    /// Starts to build a larger filter if the current one is too small. Call it only while no frame is applied: the
    /// scan must see every key that is not inserted into the new filter. Without enough memory, the current filter
    /// stays, and the next frame tries again.
    pub fn grow_if_needed(&self, tree: &Arc<dyn Tree>) {
        let capacity = {
            let pair = self.shared.pair.read();
            match (&pair.current, &pair.building) {
                (Some(current), None) if self.is_too_small(current) => current.capacity() * 2,
                _ => return,
            }
        };
        let _ = self.build(capacity, tree);
    }

    fn is_too_small(&self, current: &Bloom) -> bool {
        let observed = &self.shared.observed;
        let absent = observed.recent_absent.load(Ordering::Relaxed);
        let wrong = observed.recent_false_positives.load(Ordering::Relaxed);
        current.keys() > current.capacity()
            || (absent >= ENOUGH_TESTS && wrong as f64 > absent as f64 * WORST_RATE)
    }

    fn build(&self, capacity: u64, tree: &Arc<dyn Tree>) -> Result<()> {
        let bloom = Arc::new(Bloom::new(capacity)?);
        self.shared.pair.write().building = Some(bloom.clone());
        let (shared, tree) = (self.shared.clone(), tree.clone());
        let build = move || {
            let filled = or_damage("the thread that builds a Bloom filter", || {
                fill(&bloom, tree.as_ref(), &shared.stop)
            });
            let complete = filled.inspect_err(|error| tree.remember(error));
            shared.replace(bloom, complete.is_ok_and(|complete| complete));
        };
        let thread = std::thread::Builder::new()
            .name("hondius-bloom".into())
            .spawn(build);
        let thread = thread.map_err(|source| Error::io("Bloom filter", source));
        *self.builder.lock() =
            Some(thread.inspect_err(|_| self.shared.pair.write().building = None)?);
        Ok(())
    }

    pub fn counts(&self) -> FilterCounts {
        let observed = &self.shared.observed;
        FilterCounts {
            bits: self
                .shared
                .pair
                .read()
                .current
                .as_ref()
                .map_or(0, |bloom| bloom.bits()),
            tests: observed.tests.load(Ordering::Relaxed),
            false_positives: observed.false_positives.load(Ordering::Relaxed),
        }
    }

    /// Waits for a filter that is being built.
    pub fn settle(&self) {
        if let Some(thread) = self.builder.lock().take() {
            // The tree has recorded the damage that it met.
            let _ = thread.join();
        }
    }

    /// Stops building, and saves the current filter for the next start.
    pub fn close(&self, applied: u64) -> Result<()> {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.settle();
        let current = self.shared.pair.write().current.take();
        let (Some(bloom), Some(directory)) = (current, &self.directory) else {
            return Ok(());
        };
        if self.saved == Some(applied) || bloom.keys() < WORTH_SAVING {
            return Ok(());
        }
        let (new, saved) = (directory.join(UNFINISHED), directory.join(SAVED));
        let renamed =
            |()| std::fs::rename(&new, &saved).map_err(|source| Error::io("Bloom filter", source));
        bloom
            .save(&new, applied)
            .and_then(renamed)
            .inspect_err(|_| {
                // What cannot be removed is overwritten by the next one.
                let _ = std::fs::remove_file(&new);
            })
    }
}

const SAVED: &str = "bloom";
const UNFINISHED: &str = "bloom.new";

impl Shared {
    /// Replaces the filter by the new one. If the new one is incomplete it is dropped, and the old one stays, or none.
    fn replace(&self, bloom: Arc<Bloom>, complete: bool) {
        let mut pair = self.pair.write();
        pair.building = None;
        if complete {
            pair.current = Some(bloom);
            self.observed.recent_absent.store(0, Ordering::Relaxed);
            self.observed
                .recent_false_positives
                .store(0, Ordering::Relaxed);
        }
    }
}

/// The configured capacity, doubled until all keys fit.
fn capacity_for(seen: u64, configured: u64) -> u64 {
    let mut capacity = configured.max(1024);
    while capacity <= seen {
        capacity *= 2;
    }
    capacity
}

/// True if every key of the tree is in the filter, false if it was stopped.
fn fill(bloom: &Bloom, tree: &dyn Tree, stop: &AtomicBool) -> Result<bool> {
    for (from, to) in [seen_range(), contents_range(), stale_range(), texts_range()] {
        tree.visit_keys(&from, &to, &mut |row| {
            bloom.insert(&key_of(row)?);
            Ok(match stop.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })
        })?;
    }
    Ok(!stop.load(Ordering::Relaxed))
}
