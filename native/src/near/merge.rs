//! Makes one table of two, on a thread of its own: a large merge takes minutes, and commits must not wait for it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use super::table::{Table, Writing};
use crate::error::{Error, Result, or_damage};

/// Entries between two looks at the order to stop.
const STEP: u64 = 1 << 16;

pub struct Merge {
    /// The paths of the tables that it makes one.
    pub older: PathBuf,
    pub newer: PathBuf,
    thread: JoinHandle<Result<Option<Table>>>,
    stop: Arc<AtomicBool>,
}

impl Merge {
    pub fn begin(older: Arc<Table>, newer: Arc<Table>, path: PathBuf) -> Result<Merge> {
        let stop = Arc::new(AtomicBool::new(false));
        let told = stop.clone();
        let paths = (older.path().to_owned(), newer.path().to_owned());
        let work = move || or_damage("a merge", || merged(&older, &newer, path, &told));
        let thread = std::thread::Builder::new()
            .name("hondius-near".into())
            .spawn(work)
            .map_err(|error| Error::io("a thread", error))?;
        Ok(Merge {
            older: paths.0,
            newer: paths.1,
            thread,
            stop,
        })
    }

    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// `None` if it was stopped.
    pub fn result(self) -> Result<Option<Table>> {
        let ended = self.thread.join();
        ended.unwrap_or_else(|_| Err(Error::Corrupt("a merge panicked".into())))
    }

    pub fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
    }
}

/// Pages of the older table have lower numbers, and come first.
fn merged(older: &Table, newer: &Table, path: PathBuf, stop: &AtomicBool) -> Result<Option<Table>> {
    let entries = older.layout().entries + newer.layout().entries;
    let mut writing = Writing::begin(path, entries)?;
    let (mut left, mut right) = (older.entries()?, newer.entries()?);
    let (mut one, mut other) = (left.next_entry()?, right.next_entry()?);
    for count in 0..entries {
        if count % STEP == 0 && stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let takes_older = match (one, other) {
            (Some(one), Some(other)) => one <= other,
            (one, _) => one.is_some(),
        };
        if takes_older {
            writing.push(one.unwrap_or_default())?;
            one = left.next_entry()?;
        } else {
            writing.push(other.unwrap_or_default())?;
            other = right.next_entry()?;
        }
    }
    let path = writing.finish()?;
    Table::open(path, (older.pages.0, newer.pages.1)).map(Some)
}
