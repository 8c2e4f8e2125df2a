//! The memtables and the runs, and the two threads that write and merge runs.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex, RwLock, RwLockReadGuard};

use super::super::tree::Batch;
use super::block::Entry;
use super::failed_at;
use super::manifest::{self, Listed};
use super::memtable::Memtable;
use super::merge::{Merge, Sorted};
use super::room::free_bytes;
use super::run::{Cursor, Run, RunWriter};
use crate::error::{Error, Result, or_damage};

/// Number of runs of one level that are merged into one of the next level.
pub const MERGED_RUNS: usize = 16;
/// A memtable holds 1/16 of the bytes on disk, within its bounds.
const DISK_SHARE: u64 = 16;
/// Rows that are prefetched together.
const AHEAD: usize = 32;
/// Disk space that a merge must leave free for the log.
const RESERVED_BYTES: u64 = 256 * 1024 * 1024;
/// Rows between two checks whether the store is being closed.
const ROWS_BETWEEN_CHECKS: u64 = 4096;
const SUFFIX: &str = ".run";

/// A consistent state for readers.
pub struct Tables {
    pub active: Memtable,
    /// Full; being written to disk.
    pub sealed: Option<Arc<Memtable>>,
    /// Newest first, which is also lowest level first.
    pub runs: Arc<Vec<OpenRun>>,
}

impl Tables {
    /// Newest first.
    pub fn memtables(&self) -> impl Iterator<Item = &Memtable> {
        std::iter::once(&self.active).chain(self.sealed.as_deref())
    }
}

#[derive(Debug, Clone)]
pub struct OpenRun {
    pub listed: Listed,
    pub run: Arc<Run>,
}

pub struct RunSet {
    directory: PathBuf,
    most: usize,
    tables: RwLock<Tables>,
    /// The number of the next run; held while the list of runs changes.
    next: Mutex<u64>,
    work: Mutex<Work>,
    changed: Condvar,
    is_closing: AtomicBool,
    /// Makes the thread that writes runs panic.
    #[cfg(test)]
    pub panics: AtomicBool,
}

#[derive(Default)]
struct Work {
    to_write: bool,
    to_merge: bool,
    /// Error of the last attempt to write the sealed memtable.
    failure: Option<Error>,
    /// Damage that a background thread found. The store refuses further writes.
    damage: Option<String>,
}

impl RunSet {
    pub fn open(directory: &Path, most: usize) -> Result<RunSet> {
        let listed = manifest::read(directory)?.unwrap_or_default();
        remove_strays(directory, &listed)?;
        let runs = listed.iter().map(|&listed| open_run(directory, listed));
        let runs = runs.collect::<Result<Vec<OpenRun>>>()?;
        let next = listed.iter().map(|run| run.number + 1).max().unwrap_or(0);
        Ok(RunSet {
            directory: directory.to_owned(),
            most,
            tables: RwLock::new(Tables {
                active: Memtable::default(),
                sealed: None,
                runs: Arc::new(runs),
            }),
            next: Mutex::new(next),
            work: Mutex::new(Work {
                to_merge: true,
                ..Work::default()
            }),
            changed: Condvar::new(),
            is_closing: AtomicBool::new(false),
            #[cfg(test)]
            panics: AtomicBool::new(false),
        })
    }

    /// A recursive lock: a scan over chunks looks up rows meanwhile.
    pub fn tables(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read_recursive()
    }

    pub fn write(&self, batch: &Batch) -> Result<()> {
        self.refuse_damage()?;
        if self.is_full() {
            self.seal()?;
        }
        let mut tables = self.tables.write();
        let mut ahead = batch.changes().map(|(key, _)| key);
        for (number, (key, value)) in batch.changes().enumerate() {
            if number.is_multiple_of(AHEAD) {
                tables.active.warm(ahead.by_ref().take(AHEAD));
            }
            tables.active.put(Entry { key, value });
        }
        Ok(())
    }

    /// The limit grows with the bytes on disk, so that a small store needs only a quarter of the memory and is merged as
    /// often as a large one.
    fn is_full(&self) -> bool {
        let tables = self.tables();
        let on_disk: u64 = tables.runs.iter().map(|held| held.run.bytes()).sum();
        let share = usize::try_from(on_disk / DISK_SHARE).unwrap_or(self.most);
        tables.active.size() >= share.clamp(self.most / 4, self.most)
    }

    /// Returns when everything that was written is on disk.
    pub fn sync(&self) -> Result<()> {
        if !self.tables().active.is_empty() {
            self.seal()?;
        }
        self.wait_for_sealed(&mut self.work.lock())
    }

    /// Replaces the memtable by an empty one and lets the thread write it. Fails if the previous one could not be written;
    /// nothing is lost then, and the next call tries again.
    fn seal(&self) -> Result<()> {
        let mut work = self.work.lock();
        self.wait_for_sealed(&mut work)?;
        let mut tables = self.tables.write();
        let next = Memtable::as_large_as(&tables.active);
        tables.sealed = Some(Arc::new(std::mem::replace(&mut tables.active, next)));
        drop(tables);
        work.to_write = true;
        self.changed.notify_all();
        Ok(())
    }

    fn wait_for_sealed(&self, work: &mut parking_lot::MutexGuard<'_, Work>) -> Result<()> {
        while self.tables().sealed.is_some() {
            if let Some(error) = work.failure.take() {
                work.to_write = true;
                self.changed.notify_all();
                return Err(error);
            }
            self.changed.wait(work);
        }
        Ok(())
    }

    pub fn close(&self) {
        // Holds the lock, so that a thread that is about to wait does not miss the signal.
        let _work = self.work.lock();
        self.is_closing.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }

    /// Main loop of the thread that writes memtables.
    pub fn write_runs(&self) {
        while self.wait_for(|work| std::mem::take(&mut work.to_write)) {
            let written = or_damage("the thread that writes runs", || self.write_sealed());
            let written = written.inspect_err(|error| self.keep_damage(error));
            let mut work = self.work.lock();
            work.failure = written.err();
            work.to_merge = true;
            self.changed.notify_all();
        }
    }

    /// Main loop of the thread that merges runs. A merge that fails is tried again with the next run.
    pub fn merge_runs(&self) {
        while self.wait_for(|work| std::mem::take(&mut work.to_merge)) {
            while let Some(runs) = self.mergeable()
                && self.has_room_for(&runs)
                && self.try_merge(&runs)
            {}
        }
    }

    fn try_merge(&self, runs: &[OpenRun]) -> bool {
        or_damage("the thread that merges runs", || self.merge(runs))
            .inspect_err(|error| self.keep_damage(error))
            .is_ok()
    }

    /// Keeps damage that a background thread found. The next write reports it.
    pub fn keep_damage(&self, error: &Error) {
        if let Error::Corrupt(what) = error {
            self.work.lock().damage = Some(what.clone());
        }
    }

    fn refuse_damage(&self) -> Result<()> {
        match &self.work.lock().damage {
            Some(what) => Err(Error::Corrupt(what.clone())),
            None => Ok(()),
        }
    }

    /// False if the store is being closed.
    fn wait_for(&self, is_wanted: impl Fn(&mut Work) -> bool) -> bool {
        let mut work = self.work.lock();
        loop {
            if is_wanted(&mut work) {
                return true;
            }
            if self.is_closing() {
                return false;
            }
            self.changed.wait(&mut work);
        }
    }

    fn write_sealed(&self) -> Result<()> {
        let Some(table) = self.tables().sealed.clone() else {
            return Ok(());
        };
        #[cfg(test)]
        assert!(!self.panics.load(Ordering::Relaxed), "planted");
        let (listed, mut writer) = self.new_run(0, table.keys() as u64)?;
        for start in table.sorted(|_| true) {
            if let Some(entry) = table.entry(start) {
                writer.push(entry)?;
            }
        }
        writer.finish()?;
        self.install(listed, |runs, new| runs.insert(0, new), true)
    }

    fn mergeable(&self) -> Option<Vec<OpenRun>> {
        let runs = self.tables().runs.clone();
        runs.chunk_by(|left, right| left.listed.level == right.listed.level)
            .find(|level| level.len() >= MERGED_RUNS && !self.is_closing())
            .map(<[OpenRun]>::to_vec)
    }

    /// A merge temporarily needs as much space as all of its inputs.
    fn has_room_for(&self, merged: &[OpenRun]) -> bool {
        let needed: u64 = merged.iter().map(|run| run.run.bytes()).sum();
        free_bytes(&self.directory).is_none_or(|free| free >= needed.saturating_add(RESERVED_BYTES))
    }

    fn merge(&self, merged: &[OpenRun]) -> Result<()> {
        let (Some(first), Some(last)) = (merged.first(), merged.last()) else {
            return Ok(());
        };
        let oldest = self.tables().runs.last().map(|run| run.listed.number);
        let is_oldest = oldest == Some(last.listed.number);
        let rows = merged.iter().map(|run| run.run.rows()).sum();
        let (listed, mut writer) = self.new_run(first.listed.level.saturating_add(1), rows)?;
        let mut sources: Vec<Box<dyn Sorted>> = Vec::new();
        for run in merged {
            sources.push(Box::new(Cursor::new(run.run.clone(), &[])?));
        }
        let mut seen = 0u64;
        Merge::new(sources)?.visit(|entry| {
            seen += 1;
            if seen.is_multiple_of(ROWS_BETWEEN_CHECKS) && self.is_closing() {
                return Err(Error::Invalid("the URL store is being closed".into()));
            }
            if entry.value.is_some() || !is_oldest {
                writer.push(entry)?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        writer.finish()?;
        let is_merged = |run: &OpenRun| merged.iter().any(|old| old.listed == run.listed);
        let replace = |runs: &mut Vec<OpenRun>, new| {
            let place = runs.iter().position(is_merged).unwrap_or(0);
            runs.retain(|run| !is_merged(run));
            runs.insert(place, new);
        };
        self.install(listed, replace, false)?;
        for run in merged {
            // The manifest no longer lists it. If this fails, the next start removes it.
            let _ = std::fs::remove_file(path(&self.directory, run.listed.number));
        }
        Ok(())
    }

    fn new_run(&self, level: u8, rows: u64) -> Result<(Listed, RunWriter)> {
        let number = {
            let mut next = self.next.lock();
            *next += 1;
            *next - 1
        };
        let writer = RunWriter::create(path(&self.directory, number), rows)?;
        Ok((Listed { number, level }, writer))
    }

    /// Adds the new run to the manifest, then makes it visible to readers.
    fn install(
        &self,
        listed: Listed,
        change: impl FnOnce(&mut Vec<OpenRun>, OpenRun),
        is_sealed: bool,
    ) -> Result<()> {
        let _list = self.next.lock();
        let installed = open_run(&self.directory, listed).and_then(|new| {
            let mut runs = self.tables().runs.to_vec();
            change(&mut runs, new);
            let list: Vec<Listed> = runs.iter().map(|run| run.listed).collect();
            manifest::write(&self.directory, &list)?;
            Ok(runs)
        });
        let runs = installed.inspect_err(|_| {
            // Removed unless the manifest lists it, which is possible if syncing the directory failed.
            let is_stray = manifest::read(&self.directory)
                .is_ok_and(|runs| runs.is_some_and(|runs| !runs.contains(&listed)));
            if is_stray {
                let _ = std::fs::remove_file(path(&self.directory, listed.number));
            }
        })?;
        let mut tables = self.tables.write();
        tables.runs = Arc::new(runs);
        if is_sealed {
            tables.sealed = None;
        }
        Ok(())
    }
}

/// Opens a run that the manifest lists.
pub fn open_run(directory: &Path, listed: Listed) -> Result<OpenRun> {
    let file = path(directory, listed.number);
    let run = match Run::open(&file) {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            Err(Error::Corrupt("a run is missing".into()))
        }
        Err(Error::Io { source, .. }) => Err(failed_at(&file)(source)),
        run => run,
    }?;
    Ok(OpenRun {
        listed,
        run: Arc::new(run),
    })
}

pub fn path(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:08}{SUFFIX}"))
}

/// Removes files of steps that did not finish.
fn remove_strays(directory: &Path, listed: &[Listed]) -> Result<()> {
    for file in std::fs::read_dir(directory).map_err(failed_at(directory))? {
        let file = file.map_err(failed_at(directory))?.path();
        let is_listed = listed.iter().any(|run| file == path(directory, run.number));
        if file.to_string_lossy().ends_with(SUFFIX) && !is_listed {
            std::fs::remove_file(&file).map_err(failed_at(&file))?;
        }
    }
    Ok(())
}
