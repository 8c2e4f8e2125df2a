//! The index: what is compared with a new page.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use super::entries::Entries;
use super::manifest::{self, Manifest};
use super::merge::Merge;
use super::pending::Pending;
use super::records::Records;
use super::sketch::{BANDS, Sketch, bands, equal_bins};
use super::table::{Entry, Table, Writing};
use super::{Key, failed_at};
use crate::error::{Error, Result};
use crate::files;

/// Pages after which the newest entries become a table.
const PAGES: usize = 1 << 16;
/// Frames after which they do, so that a start after a crash is short.
const FRAMES: u64 = 4096;
/// Pages that one page is compared with.
const MOST_COMPARED: usize = 256;
/// Tables above which a merge begins although no table is new: each run of a crawl leaves one behind.
const FEW_TABLES: usize = 8;
/// Tables above which a commit waits for a merge.
const MOST_TABLES: usize = 24;
const MOST_PAGES: u32 = u32::MAX / BANDS as u32;
const PREFIX: &str = "table-";

pub enum Place {
    Memory,
    Directory(PathBuf),
}

/// What a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// No page says nearly the same.
    New,
    /// An earlier visit of the page itself says nearly the same.
    Itself,
    /// A near copy of this page, and how many bins are equal.
    Copy { of: Key, equal: u32 },
}

/// `find` may be called while `apply` writes; `apply` and `close` wait for each other.
pub struct NearIndex {
    directory: Option<PathBuf>,
    /// Equal bins from which two pages are near copies.
    least: u32,
    state: RwLock<State>,
    pending: Mutex<Pending>,
    writer: Mutex<Writer>,
}

struct State {
    log: u64,
    sequences: Vec<u64>,
    /// Oldest first.
    tables: Vec<(u64, Arc<Table>)>,
    entries: Entries,
    records: Records,
}

struct Writer {
    next_table: u64,
    /// Frames applied since the last manifest.
    frames: u64,
    merge: Option<Merge>,
    is_closed: bool,
}

impl NearIndex {
    /// Opens the index, or begins one.
    pub fn open(place: Place, least: u32) -> Result<NearIndex> {
        let mut state = State {
            log: 0,
            sequences: Vec::new(),
            tables: Vec::new(),
            entries: Entries::new(0),
            records: Records::in_memory(),
        };
        let mut next_table = 0;
        let directory = match place {
            Place::Memory => None,
            Place::Directory(directory) => Some(directory),
        };
        if let Some(directory) = &directory {
            files::create_directory(directory).map_err(failed_at(directory))?;
            let listed = manifest::read(directory)?.unwrap_or_default();
            remove_unlisted(directory, &listed)?;
            for (number, first, end) in &listed.tables {
                let table = Table::open(path_of(directory, *number), (*first, *end))?;
                state.tables.push((*number, Arc::new(table)));
            }
            next_table = listed.next_table;
            state.records = Records::open(directory, listed.pages)?;
            state.entries = Entries::new(listed.pages);
            (state.log, state.sequences) = (listed.log, listed.sequences);
        }
        Ok(NearIndex {
            directory,
            least,
            state: RwLock::new(state),
            pending: Mutex::default(),
            writer: Mutex::new(Writer {
                next_table,
                frames: 0,
                merge: None,
                is_closed: false,
            }),
        })
    }

    pub fn log(&self) -> u64 {
        self.state.read().log
    }

    /// The sequence of the last applied frame of each partition.
    pub fn sequences(&self) -> Vec<u64> {
        self.state.read().sequences.clone()
    }

    /// Pages in the index.
    pub fn pages(&self) -> u32 {
        self.state.read().records.len()
    }

    /// Compares a page with all others. Its own earlier visits are no reason to call it a copy, and a page that others
    /// may be copies of stays one.
    pub fn find(&self, key: &Key, sketch: &Sketch) -> Result<Found> {
        let wanted = bands(sketch);
        let pending = self.pending.lock().find(&wanted, MOST_COMPARED);
        let stored = self.state.read().find(&wanted, sketch, self.least)?;
        let pending = pending
            .into_iter()
            .map(|(key, other)| (equal_bins(sketch, &other), key));
        let similar = stored
            .into_iter()
            .chain(pending.filter(|(equal, _)| *equal >= self.least));
        let mut best: Option<(u32, Key)> = None;
        for (equal, of) in similar {
            if of == *key {
                return Ok(Found::Itself);
            }
            if best.is_none_or(|(most, _)| equal > most) {
                best = Some((equal, of));
            }
        }
        Ok(best.map_or(Found::New, |(equal, of)| Found::Copy { of, equal }))
    }

    /// Later pages may be copies of this one, although it is in no frame yet.
    pub fn remember(&self, key: Key, sketch: Sketch) {
        self.pending.lock().insert(key, sketch);
    }

    /// It will be in no frame.
    pub fn forget(&self, key: &Key) {
        self.pending.lock().remove(key);
    }

    /// Forgets all pages that are in no frame yet: the process that had them has ended.
    pub fn forget_all(&self) {
        *self.pending.lock() = Pending::default();
    }

    /// Applies a frame: the pages in it that are no near copies. A frame that was applied before is skipped, but what
    /// could not be written then is written now.
    pub fn apply(
        &self,
        log: u64,
        partition: usize,
        sequence: u64,
        pages: &[(Key, Sketch)],
    ) -> Result<()> {
        let mut writer = self.writer.lock();
        if writer.is_closed {
            return Err(Error::Invalid("the index of near copies is closed".into()));
        }
        if self.state.read().applied(partition) < sequence {
            let mut new = Vec::with_capacity(pages.len());
            for (key, sketch) in pages {
                let is_known = self.find_applied(key, sketch, &new)?;
                if !is_known {
                    new.push((*key, *sketch));
                }
            }
            let mut state = self.state.write();
            state.mark_applied(log, partition, sequence);
            for (key, sketch) in new {
                state.push(key, sketch);
            }
            drop(state);
            let mut pending = self.pending.lock();
            pages.iter().for_each(|(key, _)| pending.remove(key));
            writer.frames += 1;
        }
        self.end_merge(&mut writer)?;
        if self.state.read().tables.len() > FEW_TABLES {
            self.begin_merge(&mut writer)?;
        }
        let is_full = self.state.read().entries.len() >= PAGES;
        if self.directory.is_some() && (is_full || writer.frames >= FRAMES) {
            self.store(&mut writer)?;
        }
        Ok(())
    }

    /// Whether the page is in the index as it is, from an earlier visit.
    fn find_applied(&self, key: &Key, sketch: &Sketch, new: &[(Key, Sketch)]) -> Result<bool> {
        let similar = self.state.read().find(&bands(sketch), sketch, self.least)?;
        let is_stored = similar.iter().any(|(_, other)| other == key);
        let is_new = |(other, before): &(Key, Sketch)| {
            other == key && equal_bins(sketch, before) >= self.least
        };
        Ok(is_stored || new.iter().any(is_new))
    }

    /// Writes everything. What could not be written is applied again at the next start.
    pub fn close(&self) -> Result<()> {
        let mut writer = self.writer.lock();
        if writer.is_closed {
            return Ok(());
        }
        writer.is_closed = true;
        if let Some(merge) = writer.merge.take() {
            merge.stop();
        }
        match self.directory {
            Some(_) if writer.frames > 0 => self.store(&mut writer),
            _ => Ok(()),
        }
    }

    /// What is damaged; reads every table.
    pub fn list_damages(&self) -> Result<Vec<String>> {
        let state = self.state.read();
        let mut damages = Vec::new();
        for (_, table) in &state.tables {
            let pages = u64::from(table.pages.1 - table.pages.0);
            if !table.is_intact()? || table.layout().entries != pages * BANDS as u64 {
                damages.push(format!("{} is damaged", table.path().display()));
            }
        }
        Ok(damages)
    }

    /// Bytes of memory, roughly, and of tables and keys on disk; sketches are not counted.
    pub fn sizes(&self) -> (u64, u64) {
        let state = self.state.read();
        let directories: usize = state.tables.iter().map(|(_, table)| table.memory()).sum();
        let newest = state.entries.len() * (BANDS * (4 + 16) + size_of::<(Key, Sketch)>());
        let tables: u64 = state.tables.iter().map(|(_, table)| table.bytes()).sum();
        let keys = u64::from(state.records.stored()) * size_of::<Key>() as u64;
        ((directories + newest) as u64, tables + keys)
    }

    /// Makes the newest entries a table. Nobody waits for the disk: `find` goes on meanwhile.
    fn store(&self, writer: &mut Writer) -> Result<()> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        let (table, manifest) = {
            let state = self.state.read();
            state.records.write()?;
            let table = write_table(directory, writer.next_table, &state.records)?;
            let number = writer.next_table + u64::from(table.is_some());
            let mut manifest = state.manifest(number);
            if let Some(table) = &table {
                manifest
                    .tables
                    .push((writer.next_table, table.pages.0, table.pages.1));
            }
            (table, manifest)
        };
        manifest::write(directory, &manifest)?;
        let mut state = self.state.write();
        if let Some(table) = table {
            state.tables.push((writer.next_table, Arc::new(table)));
        }
        state.records.mark_stored();
        state.entries = Entries::new(state.records.len());
        writer.next_table = manifest.next_table;
        writer.frames = 0;
        drop(state);
        self.begin_merge(writer)
    }

    /// Neighbours of similar size become one table, so there are about as many tables as the number of pages has bits.
    fn begin_merge(&self, writer: &mut Writer) -> Result<()> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        if writer.is_closed || writer.merge.is_some() {
            return Ok(());
        }
        let state = self.state.read();
        let entries = |index: usize| state.tables[index].1.layout().entries;
        let pair = (1..state.tables.len())
            .rev()
            .find(|newer| entries(newer - 1) < 2 * entries(*newer));
        if let Some(newer) = pair {
            let (older, newer) = (
                state.tables[newer - 1].1.clone(),
                state.tables[newer].1.clone(),
            );
            let path = path_of(directory, writer.next_table);
            writer.merge = Some(Merge::begin(older, newer, path)?);
            writer.next_table += 1;
        }
        Ok(())
    }

    /// Puts a merged table into the place of the two that it was made of.
    fn end_merge(&self, writer: &mut Writer) -> Result<()> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        let is_late = self.state.read().tables.len() > MOST_TABLES;
        let Some(merge) = writer.merge.take_if(|merge| is_late || merge.has_ended()) else {
            return Ok(());
        };
        let parts = [merge.older.clone(), merge.newer.clone()];
        let table = match merge.result() {
            Ok(Some(table)) => table,
            // A full disk: the tables stay as they are, and are merged later.
            Err(Error::Io { .. }) | Ok(None) => return Ok(()),
            Err(damage) => return Err(damage),
        };
        let mut state = self.state.write();
        let Some(place) = state
            .tables
            .iter()
            .position(|(_, table)| table.path() == parts[0])
        else {
            return Ok(());
        };
        let number = number_of(table.path()).unwrap_or_default();
        drop(
            state
                .tables
                .splice(place..place + 2, [(number, Arc::new(table))]),
        );
        let mut manifest = state.manifest(writer.next_table);
        // What is in memory only is applied again after a crash, so the frames that it comes from were not applied.
        let listed = manifest::read(directory)?.unwrap_or_default();
        (manifest.log, manifest.sequences, manifest.pages) =
            (listed.log, listed.sequences, listed.pages);
        drop(state);
        manifest::write(directory, &manifest)?;
        for part in parts {
            std::fs::remove_file(&part).map_err(failed_at(&part))?;
        }
        self.begin_merge(writer)
    }
}

impl State {
    fn applied(&self, partition: usize) -> u64 {
        self.sequences.get(partition).copied().unwrap_or_default()
    }

    fn mark_applied(&mut self, log: u64, partition: usize, sequence: u64) {
        if self.sequences.len() <= partition {
            self.sequences.resize(partition + 1, 0);
        }
        self.sequences[partition] = sequence;
        if log != 0 {
            self.log = log;
        }
    }

    fn push(&mut self, key: Key, sketch: Sketch) {
        if self.records.len() < MOST_PAGES {
            self.entries.push(&bands(&sketch));
            self.records.push(key, sketch);
        }
    }

    /// The pages that are similar enough, oldest first.
    fn find(&self, wanted: &[u64; BANDS], sketch: &Sketch, least: u32) -> Result<Vec<(u32, Key)>> {
        let mut numbers = Vec::new();
        let mut buffer = Vec::new();
        for (band, hash) in wanted.iter().enumerate() {
            self.entries.find(band, *hash, MOST_COMPARED, &mut numbers);
            for (_, table) in self.tables.iter().rev() {
                table.find(*hash, MOST_COMPARED, &mut buffer, &mut numbers)?;
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        let mut similar = Vec::new();
        for number in numbers {
            let Some(other) = self.sketch(number)? else {
                continue;
            };
            let equal = equal_bins(sketch, &other);
            if equal >= least
                && let Some(key) = self.records.key(number)?
            {
                similar.push((equal, key));
            }
        }
        Ok(similar)
    }

    fn sketch(&self, number: u32) -> Result<Option<Sketch>> {
        if number >= self.records.len() {
            return Ok(None);
        }
        self.records.sketch(number)
    }

    /// As if everything were stored.
    fn manifest(&self, next_table: u64) -> Manifest {
        let tables = self.tables.iter();
        Manifest {
            log: self.log,
            sequences: self.sequences.clone(),
            pages: self.records.len(),
            next_table,
            tables: tables
                .map(|(number, table)| (*number, table.pages.0, table.pages.1))
                .collect(),
        }
    }
}

/// Writes the table of the newest records; `None` if there are none.
fn write_table(directory: &Path, number: u64, records: &Records) -> Result<Option<Table>> {
    let newest = records.newest();
    if newest.is_empty() {
        return Ok(None);
    }
    let first = records.stored();
    let mut entries: Vec<Entry> = Vec::with_capacity(newest.len() * BANDS);
    for (place, (_, sketch)) in newest.iter().enumerate() {
        entries.extend(bands(sketch).map(|band| (band, first + place as u32)));
    }
    entries.sort_unstable();
    let mut writing = Writing::begin(path_of(directory, number), entries.len() as u64)?;
    for entry in entries {
        writing.push(entry)?;
    }
    let pages = (first, first + newest.len() as u32);
    Table::open(writing.finish()?, pages).map(Some)
}

fn path_of(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{PREFIX}{number}"))
}

fn number_of(path: &Path) -> Option<u64> {
    path.file_name()?
        .to_str()?
        .strip_prefix(PREFIX)?
        .parse()
        .ok()
}

/// Removes tables that a crash left behind.
fn remove_unlisted(directory: &Path, listed: &Manifest) -> Result<()> {
    for file in std::fs::read_dir(directory).map_err(failed_at(directory))? {
        let path = file.map_err(failed_at(directory))?.path();
        let is_listed = |number: u64| listed.tables.iter().any(|(other, _, _)| *other == number);
        if number_of(&path).is_some_and(|number| !is_listed(number)) {
            std::fs::remove_file(&path).map_err(failed_at(&path))?;
        }
    }
    Ok(())
}
