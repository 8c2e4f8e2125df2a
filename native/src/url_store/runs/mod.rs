//! The tree on disk: the newest rows in memory, all others in sorted runs.
//!
//! It is made for this store, because of what it need not do. The log of the crawl is the journal: a kill loses the
//! rows in memory, and the frames after [`super::UrlStore::applied`] are applied again. So a row is written once when
//! the memtable is full ([`memtable`] becomes a [`run`]), and once for every [`merge`] of sixteen runs into one: with
//! 64 MiB in memory, 12 GiB of rows are written twice, 200 GiB three times. Most keys are digests, so merging all
//! rows of a level is cheapest. It replaced fjall; `docs/decisions/0012` has the measurements.
//!
//! # What may never happen
//! - A partial batch: the memtable is changed under a lock, and becomes a run between two batches.
//! - A run that is listed before it is complete on disk, or removed while it is listed: [`manifest`] is replaced in
//!   one step. A file that it does not list is left over from an interrupted step.

mod block;
mod check;
mod filter;
mod index;
mod manifest;
mod memtable;
mod merge;
mod room;
mod run;
mod run_set;

#[cfg(test)]
mod tests;

use std::fs::{File, TryLockError};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use super::rows::{ChunkId, Part, scan_order, shared_part};
use super::tree::{Batch, Tree, Visit, VisitChunk, VisitKey};
use crate::error::{Error, Result};
use crate::files;
use block::Entry;
use merge::{Flow, Merge, Sorted};
use run::Cursor;
use run_set::{OpenRun, RunSet, Tables};

pub use check::{Checked, Damage, check};

/// The share of a store's memory that one memtable may use: there are two while one is being written.
const MEMTABLE_SHARE: u64 = 4;
const SMALLEST_MEMTABLE: u64 = 1024 * 1024;
/// Offsets in a memtable have 32 bits.
const LARGEST_MEMTABLE: u64 = 1024 * 1024 * 1024;

type OwnedEntry = (Vec<u8>, Option<Vec<u8>>);

pub struct RunTree {
    run_set: Arc<RunSet>,
    threads: Vec<JoinHandle<()>>,
    /// One process at a time.
    _lock: File,
}

impl RunTree {
    /// Opens or creates a tree. `memory` bounds the memtables; indexes and filters of the runs take two bytes per row
    /// in addition.
    pub fn open(directory: &Path, memory: u64) -> Result<Self> {
        files::create_directory(directory).map_err(failed_at(directory))?;
        let lock = locked(&directory.join("lock"))?;
        let most = (memory / MEMTABLE_SHARE).clamp(SMALLEST_MEMTABLE, LARGEST_MEMTABLE);
        let mut tree = RunTree {
            run_set: Arc::new(RunSet::open(directory, most as usize)?),
            threads: Vec::new(),
            _lock: lock,
        };
        tree.start("hondius-flush", RunSet::write_runs)?;
        tree.start("hondius-merge", RunSet::merge_runs)?;
        Ok(tree)
    }

    fn start(&mut self, name: &str, work: fn(&RunSet)) -> Result<()> {
        let run_set = self.run_set.clone();
        let thread = std::thread::Builder::new().name(name.into());
        let started = thread.spawn(move || work(&run_set)).map_err(failed)?;
        self.threads.push(started);
        Ok(())
    }

    /// Whether a newer row than that of the run at `age` removes the key.
    fn is_removed(tables: &Tables, age: usize, key: &[u8]) -> Result<bool> {
        for table in tables.memtables() {
            if let Some(entry) = table.get(key) {
                return Ok(entry.value.is_none());
            }
        }
        let hash = filter::hash(key);
        for held in &tables.runs[..age] {
            if held.run.may_contain(hash)
                && let Some(found) = held.run.get(key)?
            {
                return Ok(found.is_none());
            }
        }
        Ok(false)
    }

    /// Visits the keys run by run: merging would cost more than everything else.
    fn visit_each(&self, from: &[u8], to: &[u8], visit: &mut VisitKey<'_>) -> Result<()> {
        let tables = self.run_set.tables();
        let mut young: Vec<Vec<u8>> = Vec::new();
        for table in tables.memtables() {
            let starts = table.sorted(|key| from <= key && key < to).into_iter();
            let entries = starts.filter_map(|start| table.entry(start));
            young.extend(entries.map(|entry| entry.key.to_vec()));
        }
        let runs = tables.runs.clone();
        drop(tables);
        for key in &young {
            if visit(key)?.is_break() {
                return Ok(());
            }
        }
        for held in runs.iter() {
            let mut cursor = Cursor::new(held.run.clone(), from)?;
            while let Some(entry) = cursor.entry()?.filter(|entry| entry.key < to) {
                if visit(entry.key)?.is_break() {
                    return Ok(());
                }
                cursor.advance()?;
            }
        }
        Ok(())
    }
}

/// The newest value of a key in the runs.
fn youngest(runs: &[OpenRun], key: &[u8]) -> Result<Option<Vec<u8>>> {
    let hash = filter::hash(key);
    for held in runs.iter().filter(|held| held.run.may_contain(hash)) {
        if let Some(found) = held.run.get(key)? {
            return Ok(found);
        }
    }
    Ok(None)
}

fn visit_until(sources: Vec<Box<dyn Sorted + '_>>, to: &[u8], visit: &mut Visit<'_>) -> Result<()> {
    Merge::new(sources)?.visit(|entry| match entry.value {
        _ if entry.key >= to => Ok(ControlFlow::Break(())),
        Some(value) => visit(entry.key, value),
        None => Ok(ControlFlow::Continue(())),
    })
}

impl Tree for RunTree {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let runs = {
            let tables = self.run_set.tables();
            for table in tables.memtables() {
                if let Some(entry) = table.get(key) {
                    return Ok(entry.value.map(<[u8]>::to_vec));
                }
            }
            tables.runs.clone()
        };
        youngest(&runs, key)
    }

    fn get_saved(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let runs = self.run_set.tables().runs.clone();
        youngest(&runs, key)
    }

    /// Scans whole tables; nobody waits for it.
    fn scan(&self, from: &[u8], to: &[u8], visit: &mut Visit<'_>) -> Result<()> {
        let tables = self.run_set.tables();
        let mut copies: Vec<Vec<OwnedEntry>> = Vec::new();
        for table in tables.memtables() {
            let starts = table.sorted(|key| from <= key && key < to).into_iter();
            let entries = starts.filter_map(|start| table.entry(start));
            let copied = entries.map(|entry| (entry.key.to_vec(), entry.value.map(<[u8]>::to_vec)));
            copies.push(copied.collect());
        }
        let runs = tables.runs.clone();
        drop(tables);
        let mut sources: Vec<Box<dyn Sorted + '_>> = Vec::new();
        for copy in &copies {
            let entries = copy.iter().map(|(key, value)| Entry {
                key,
                value: value.as_deref(),
            });
            sources.push(Box::new(Flow::new(entries)));
        }
        for run in runs.iter() {
            sources.push(Box::new(Cursor::new(run.run.clone(), from)?));
        }
        visit_until(sources, to, visit)
    }

    /// Remembers damage, because the code that builds a filter continues without.
    fn visit_keys(&self, from: &[u8], to: &[u8], visit: &mut VisitKey<'_>) -> Result<()> {
        self.visit_each(from, to, visit)
            .inspect_err(|error| self.run_set.keep_damage(error))
    }

    fn remember(&self, error: &Error) {
        self.run_set.keep_damage(error);
    }

    /// Older runs have lower chunk numbers, so the first chunk of the oldest run that has any is the first of all.
    fn visit_chunks(&self, from: ChunkId, visit: &mut VisitChunk<'_>) -> Result<()> {
        let (first, end) = (from.key(Part::Urls), from.end_of_class());
        let hash = shared_part(&first).map(filter::hash);
        let tables = self.run_set.tables();
        for (age, held) in tables.runs.iter().enumerate().rev() {
            let is_behind = held.run.last_chunk().is_none_or(|last| last < from.number);
            if is_behind || hash.is_some_and(|hash| !held.run.may_contain(hash)) {
                continue;
            }
            let mut cursor = Cursor::new(held.run.clone(), &first)?;
            while let Some(entry) = cursor.entry()?.filter(|entry| entry.key < &end[..]) {
                if let (chunk, Part::Urls) = ChunkId::parse(entry.key)?
                    && let Some(value) = entry.value
                    && !RunTree::is_removed(&tables, age, entry.key)?
                    && visit(chunk, value)?.is_break()
                {
                    return Ok(());
                }
                cursor.advance()?;
            }
        }
        let range = scan_order(&first).zip(scan_order(&end));
        let memtables = [tables.sealed.as_deref(), Some(&tables.active)];
        for table in memtables.into_iter().flatten() {
            for entry in range
                .iter()
                .flat_map(|&(first, end)| table.range(first..end))
            {
                let is_removed = || match tables.active.get(entry.key) {
                    Some(young) => young.value.is_none(),
                    None => false,
                };
                if let (chunk, Part::Urls) = ChunkId::parse(entry.key)?
                    && let Some(value) = entry.value
                    && !is_removed()
                    && visit(chunk, value)?.is_break()
                {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn write(&self, batch: &Batch) -> Result<()> {
        self.run_set.write(batch)
    }

    fn sync(&self) -> Result<()> {
        self.run_set.sync()
    }

    fn is_resident(&self) -> bool {
        self.run_set.tables().runs.is_empty()
    }

    fn is_cold(&self, key: &[u8]) -> bool {
        let tables = self.run_set.tables();
        if tables.memtables().any(|table| table.get(key).is_some()) {
            return false;
        }
        let hash = filter::hash(key);
        tables.runs.iter().any(|held| held.run.may_contain(hash))
    }

    fn bytes_on_disk(&self) -> u64 {
        let tables = self.run_set.tables();
        tables.runs.iter().map(|run| run.run.bytes()).sum()
    }
}

impl Drop for RunTree {
    fn drop(&mut self) {
        self.run_set.close();
        for thread in self.threads.drain(..) {
            // The damage that it met has been recorded for the next writer.
            let _ = thread.join();
        }
    }
}

fn locked(path: &Path) -> Result<File> {
    let file = files::open_or_create(path).map_err(failed_at(path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Invalid(
            "the URL store is open in another process".into(),
        )),
        Err(TryLockError::Error(source)) => Err(failed_at(path)(source)),
    }
}

fn failed(source: std::io::Error) -> Error {
    Error::io("URL store", source)
}

fn failed_at(path: &Path) -> impl Fn(std::io::Error) -> Error {
    |source| Error::io(path.display().to_string(), source)
}
