//! The memtables and the runs, and the two threads that turn the former into the latter.

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

/// Runs of one level that become one of the next.
pub const MERGED_RUNS: usize = 16;
/// A memtable has this part of what is on disk, within its bounds.
const DISK_SHARE: u64 = 16;
/// Rows whose places in the memtable are fetched together.
const AHEAD: usize = 32;
/// Bytes that a merge leaves free: the log comes first.
const RESERVE: u64 = 256 * 1024 * 1024;
/// Rows between two looks at whether the store is being closed.
const PATIENCE: u64 = 4096;
const SUFFIX: &str = ".run";

/// What a reader sees.
pub struct Tables {
    pub active: Memtable,
    /// Full, and on its way to disk.
    pub sealed: Option<Arc<Memtable>>,
    /// Youngest first, and so the lowest levels.
    pub runs: Arc<Vec<Held>>,
}

impl Tables {
    /// The youngest first.
    pub fn memtables(&self) -> impl Iterator<Item = &Memtable> {
        std::iter::once(&self.active).chain(self.sealed.as_deref())
    }
}

#[derive(Debug, Clone)]
pub struct Held {
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
    /// A bug, planted in the thread that writes runs.
    #[cfg(test)]
    pub panics: AtomicBool,
}

#[derive(Default)]
struct Work {
    to_write: bool,
    to_merge: bool,
    /// Why the sealed memtable could not be written.
    failure: Option<Error>,
    /// What was found that was never written, and went unseen so far. The store takes no more then.
    damage: Option<String>,
}

impl RunSet {
    pub fn open(directory: &Path, most: usize) -> Result<RunSet> {
        let listed = manifest::read(directory)?.unwrap_or_default();
        remove_strays(directory, &listed)?;
        let runs = listed.iter().map(|&listed| hold(directory, listed));
        let runs = runs.collect::<Result<Vec<Held>>>()?;
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

    /// Recursive: whoever looks at chunks looks up their bits meanwhile.
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

    /// The memory grows with what is on disk: a small store does with a quarter of it, and is merged as often as a
    /// large one.
    fn is_full(&self) -> bool {
        let tables = self.tables();
        let on_disk: u64 = tables.runs.iter().map(|held| held.run.bytes()).sum();
        let share = usize::try_from(on_disk / DISK_SHARE).unwrap_or(self.most);
        tables.active.size() >= share.clamp(self.most / 4, self.most)
    }

    /// All that was written is on disk then.
    pub fn sync(&self) -> Result<()> {
        if !self.tables().active.is_empty() {
            self.seal()?;
        }
        self.wait_for_sealed(&mut self.work.lock())
    }

    /// The memtable is written by and by; a new one takes its place. Fails where the one before it cannot be written:
    /// then that one is tried again, and nothing was lost.
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
        // Under the lock: a thread that is about to wait must not miss it.
        let _work = self.work.lock();
        self.is_closing.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }

    /// The thread that writes memtables, until the end.
    pub fn write_runs(&self) {
        while self.wait_for(|work| std::mem::take(&mut work.to_write)) {
            let written = or_damage("the thread that writes runs", || self.write_sealed());
            let written = written.inspect_err(|error| self.remember(error));
            let mut work = self.work.lock();
            work.failure = written.err();
            work.to_merge = true;
            self.changed.notify_all();
        }
    }

    /// The thread that merges runs, until the end. What cannot be merged now stays as it is, and is tried again with
    /// the next run.
    pub fn merge_runs(&self) {
        while self.wait_for(|work| std::mem::take(&mut work.to_merge)) {
            while let Some(runs) = self.mergeable()
                && self.has_room_for(&runs)
                && self.has_merged(&runs)
            {}
        }
    }

    fn has_merged(&self, runs: &[Held]) -> bool {
        or_damage("the thread that merges runs", || self.merge(runs))
            .inspect_err(|error| self.remember(error))
            .is_ok()
    }

    /// What a thread found for whose work nobody waits: the next write tells of damage.
    pub fn remember(&self, error: &Error) {
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

    /// False once there is nothing to do any more.
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

    fn mergeable(&self) -> Option<Vec<Held>> {
        let runs = self.tables().runs.clone();
        runs.chunk_by(|left, right| left.listed.level == right.listed.level)
            .find(|level| level.len() >= MERGED_RUNS && !self.is_closing())
            .map(<[Held]>::to_vec)
    }

    /// A merge needs as much room as all that it merges, until it is done.
    fn has_room_for(&self, merged: &[Held]) -> bool {
        let needed: u64 = merged.iter().map(|run| run.run.bytes()).sum();
        free_bytes(&self.directory).is_none_or(|free| free >= needed.saturating_add(RESERVE))
    }

    fn merge(&self, merged: &[Held]) -> Result<()> {
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
            if seen.is_multiple_of(PATIENCE) && self.is_closing() {
                return Err(Error::Invalid("the URL store is being closed".into()));
            }
            if entry.value.is_some() || !is_oldest {
                writer.push(entry)?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        writer.finish()?;
        let is_merged = |run: &Held| merged.iter().any(|old| old.listed == run.listed);
        let replace = |runs: &mut Vec<Held>, new| {
            let place = runs.iter().position(is_merged).unwrap_or(0);
            runs.retain(|run| !is_merged(run));
            runs.insert(place, new);
        };
        self.install(listed, replace, false)?;
        for run in merged {
            // It is in no list any more; the next start removes what stays.
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

    /// The new run is in the list on disk, then in that of the readers.
    fn install(
        &self,
        listed: Listed,
        change: impl FnOnce(&mut Vec<Held>, Held),
        is_sealed: bool,
    ) -> Result<()> {
        let _list = self.next.lock();
        let installed = hold(&self.directory, listed).and_then(|new| {
            let mut runs = self.tables().runs.to_vec();
            change(&mut runs, new);
            let list: Vec<Listed> = runs.iter().map(|run| run.listed).collect();
            manifest::write(&self.directory, &list)?;
            Ok(runs)
        });
        let runs = installed.inspect_err(|_| {
            // Not in the list on disk, unless its directory could not be synced: then the file must stay.
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

/// Opens a run that is listed.
pub fn hold(directory: &Path, listed: Listed) -> Result<Held> {
    let file = path(directory, listed.number);
    let run = match Run::open(&file) {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            Err(Error::Corrupt("a run is missing".into()))
        }
        Err(Error::Io { source, .. }) => Err(failed_at(&file)(source)),
        run => run,
    }?;
    Ok(Held {
        listed,
        run: Arc::new(run),
    })
}

pub fn path(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:08}{SUFFIX}"))
}

/// Files of steps that did not come to their end.
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
