//! The tree on disk: one keyspace of `fjall`.
//!
//! One, because an idle keyspace pins the journals of the busy ones; the tables of the store are
//! prefixes. Batches go to the operating system's buffers (they survive `kill -9`); the log, not
//! the journal, is what survives a power cut, and frames after [`super::UrlStore::applied`] are
//! applied again. The store's own Bloom filter stands in front, so that nearly every `get` hits:
//! the last level builds no filters of its own.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fjall::compaction::Leveled;
use fjall::config::BlockSizePolicy;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::tree::{Batch, Tree, Visit};
use crate::error::{Error, Result};

/// Sealed memtables, and tables of the first level, at which a write waits. Lower than those at
/// which fjall waits by itself (4 and 30): its own wait never ends once its worker has died, for
/// instance of a full disk, while ours notices.
const SEALED_MEMTABLES: usize = 2;
const FIRST_LEVEL_TABLES: usize = 24;
/// A merge of a gigabyte on a busy machine takes a minute or two.
const PATIENCE: Duration = Duration::from_secs(300);
const OPEN_FILES: usize = 256;
/// Tables of the first level that are merged at once into the next, and by how much each level is
/// larger than the one before. Keys are digests, so that a merge rewrites all of the next level: it
/// should bring much, and find little.
const MERGED_TABLES: u8 = 8;
const LEVEL_RATIO: f32 = 5.0;
/// With two, one of them spins for as long as the other one compacts.
const WORKERS: usize = 1;

pub struct FjallTree {
    database: Database,
    keyspace: Keyspace,
}

impl FjallTree {
    /// Opens or creates. `memory` bounds block cache and memtables together: a quarter for the
    /// cache, one for the memtable being filled, one for each that is sealed. The size of memtables
    /// is settled when the store is made.
    pub fn open(directory: &Path, memory: u64) -> Result<Self> {
        let database = Database::builder(directory)
            .cache_size(memory / 4)
            .worker_threads(WORKERS)
            .max_cached_files(Some(OPEN_FILES))
            .open()
            .map_err(failed)?;
        let keyspace = database
            .keyspace("urls", || options(memory))
            .map_err(failed)?;
        Ok(FjallTree { database, keyspace })
    }

    /// Waits until the background threads have caught up, and fails if they are dead or stuck.
    fn wait_for_room(&self) -> Result<()> {
        let started = Instant::now();
        while self.keyspace.sealed_memtable_count() >= SEALED_MEMTABLES
            || self.keyspace.l0_table_count() >= FIRST_LEVEL_TABLES
        {
            self.database.persist(PersistMode::Buffer).map_err(failed)?;
            if started.elapsed() > PATIENCE {
                return Err(halted());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

fn options(memory: u64) -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .max_memtable_size((memory / 4).max(1024 * 1024))
        .data_block_size_policy(BlockSizePolicy::all(4 * 1024))
        .expect_point_read_hits(true)
        .compaction_strategy(Arc::new(
            Leveled::default()
                .with_l0_threshold(MERGED_TABLES)
                .with_level_ratio_policy(vec![LEVEL_RATIO]),
        ))
}

impl Tree for FjallTree {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let value = self.keyspace.get(key).map_err(failed)?;
        Ok(value.map(|value| value.to_vec()))
    }

    fn scan(&self, from: &[u8], to: &[u8], visit: &mut Visit<'_>) -> Result<()> {
        for row in self.keyspace.range(from..to) {
            let (key, value) = row.into_inner().map_err(failed)?;
            if let ControlFlow::Break(()) = visit(&key, &value)? {
                break;
            }
        }
        Ok(())
    }

    fn write(&self, batch: &Batch) -> Result<()> {
        self.wait_for_room()?;
        let mut changes = self.database.batch();
        for (key, value) in batch.sorted() {
            match value {
                Some(value) => changes.insert(&self.keyspace, key, value),
                None => changes.remove(&self.keyspace, key),
            }
        }
        changes.commit().map_err(failed)
    }

    fn sync(&self) -> Result<()> {
        self.database.persist(PersistMode::SyncAll).map_err(failed)
    }

    fn bytes_on_disk(&self) -> u64 {
        self.database.disk_space().unwrap_or(0)
    }
}

pub fn halted() -> Error {
    Error::Corrupt(
        "the URL store takes no writes any more: `hondius rebuild` makes it anew from the log"
            .into(),
    )
}

fn failed(error: fjall::Error) -> Error {
    const CONTEXT: &str = "URL store";
    match error {
        fjall::Error::Io(source) | fjall::Error::Storage(fjall::LsmError::Io(source)) => {
            Error::io(CONTEXT, source)
        }
        fjall::Error::Locked => Error::Invalid("the URL store is open in another process".into()),
        fjall::Error::Poisoned => Error::io(
            CONTEXT,
            std::io::Error::other(
                "it stopped after a failed write; make room on the disk and start again",
            ),
        ),
        other => Error::Corrupt(format!(
            "the URL store cannot be read ({other}): `hondius rebuild` makes it anew from the log"
        )),
    }
}
