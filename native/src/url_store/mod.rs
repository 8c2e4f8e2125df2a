//! Seen and queued URLs: a view of the crawl's log (U4, F1, F3-F5).
//!
//! # The life of a URL
//! A page links to it. [`UrlStore::admit`] looks it up in the overlay (admitted, not yet applied), the hot keys, the
//! Bloom filter and the tree, in this order, from cheap to expensive. If it is new, it goes into the overlay and into
//! a blob of discoveries, which the commit appends to the log. Once the frame is synced, [`UrlStore::apply`] puts it
//! into the tree: a row of the seen table that says where it is queued, and a slot in a chunk of its origin and
//! class; the overlay forgets it. [`UrlStore::take`] hands it out, which sets a bit in memory. It is given back,
//! which clears the bit, or a later frame finishes it. Then its slot is marked, and the chunk is removed with its
//! last slot. The seen row stays forever, with a slot that no longer exists. If a page links to it again and is
//! closer to a seed, a frame records that, too ([`closer`]).
//!
//! # What may never happen
//! - A key in the tree that is in no frame of the log: the URL would be lost. Hence the overlay, and `apply` only for
//!   synced frames.
//! - A key in the tree that the Bloom filter lacks: the URL would be admitted twice. Bits are set before the batch is
//!   written, and a filter that was not closed cleanly is rebuilt.
//! - Half a frame: all rows of a frame, with its sequence, are one batch; a frame at or below `applied` is skipped.
//!
//! # Threads
//! A worker thread applies frames, one at a time (`writer`), while `admit` and `take` run on the thread of the loop.
//! `admit` holds `known` for a page, and `apply` holds it while it empties the overlay. `take` holds `queues`, and so
//! does `apply` while it publishes a frame. Neither lock is held while a batch is written, so only the writer waits
//! for the disk. A URL that is finished or moved is held first, like one that is handed out: between plan and
//! publication `take` cannot touch it. No two locks are held together, except `writer` with one of the others, and
//! `queues` briefly within `known`. `rereads` is held while it is read from the tree, so that no frame is missed that
//! is applied meanwhile.

mod admit;
mod ahead;
mod apply;
pub mod attributes;
mod bloom;
pub mod budgets;
mod cache;
mod chunks;
mod closer;
pub mod discoveries;
mod filters;
mod frame;
mod memory_tree;
mod overlay;
mod queues;
pub mod reprioritise;
mod rerank;
mod rows;
mod runs;
mod share;
mod shared;
mod take;
mod tree;
pub(crate) mod wire;

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

pub use admit::{Admitted, Found, Policy, Priorities, Refused};
pub use ahead::Cold;
pub use apply::{Awakened, Synced};
pub use memory_tree::MemoryTree;
pub use rerank::{Cursor, Reranked};
pub use runs::check as check_runs;
pub use runs::{Checked, Damage};
pub use share::{Share, partition_of, partition_of_url};
pub use shared::SharedStore;
pub use take::QueuedUrl;

use crate::error::{Error, Result};
use crate::files;
use crate::url::{Key, host_of_origin, split_origin};
use attributes::PARKED;
use budgets::{Budgets, Limits, StaleShapes};
use cache::HotKeys;
use closer::{Closest, Rereads};
use discoveries::decode;
use filters::Filters;
use overlay::Overlay;
use queues::Queues;
use rows::{Meta, Part, Seen, Slot};
use runs::RunTree;
use tree::{Batch, Tree};

/// The directory of the rows.
pub const RUNS: &str = "runs";
/// Directories of older versions.
const OLDER: &str = "tree";

#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Initial capacity of the Bloom filter, in keys.
    pub capacity: u64,
    /// Number of hot keys in memory.
    pub cached_keys: usize,
    /// Bytes for the tree's memtables, and as many again for merges and indexes.
    pub memory: u64,
    /// Limits for hosts and domains.
    pub limits: Limits,
    /// The partition whose URLs the store contains; `None` for all.
    pub share: Option<Share>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            capacity: 10_000_000,
            cached_keys: 1_000_000,
            memory: 256 * 1024 * 1024,
            limits: Limits::NONE,
            share: None,
        }
    }
}

pub struct UrlStore {
    tree: Arc<dyn Tree>,
    share: Option<Share>,
    filters: Filters,
    stale_shapes: StaleShapes,
    known: Mutex<Known>,
    queues: Mutex<Queues>,
    rereads: Mutex<Rereads>,
    writer: Mutex<Writer>,
    /// The state that `writer` last made visible.
    meta: Mutex<Meta>,
}

/// Everything that is checked before the tree.
struct Known {
    overlay: Overlay,
    hot: HotKeys,
    closest: Closest,
    budgets: Budgets,
    /// Number of applied frames: data read before the last of them may be out of date.
    version: u64,
}

/// State that only the thread that applies frames uses.
struct Writer {
    meta: Meta,
    /// Number of origins whose name is in the tree.
    names: usize,
    /// An empty batch with the capacity of the last frame.
    batch: Batch,
}

/// The state of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Admitted, but not applied yet.
    Pending,
    Queued,
    Parked,
    Finished,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            State::Pending => "pending",
            State::Queued => "queued",
            State::Parked => "parked",
            State::Finished => "finished",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    pub seen: u64,
    pub queued: u64,
    pub parked: u64,
    pub finished: u64,
    pub origins: u64,
    pub bloom_bits: u64,
    pub bloom_false_positives: u64,
    pub bloom_tests: u64,
    pub bytes_on_disk: u64,
}

impl UrlStore {
    /// Opens the store of a directory, and creates it if it is missing.
    pub fn open(directory: &Path, settings: Settings) -> Result<UrlStore> {
        let context = || format!("URL store {}", directory.display());
        files::create_directory(directory).map_err(|source| Error::io(context(), source))?;
        remove_older(&directory.join(OLDER)).map_err(|source| Error::io(context(), source))?;
        let tree = Arc::new(RunTree::open(&directory.join(RUNS), settings.memory)?);
        UrlStore::with_tree(tree, Some(directory), settings)
    }

    /// A store in memory, for tests.
    pub fn in_memory(settings: Settings) -> Result<UrlStore> {
        UrlStore::on(Arc::new(MemoryTree::default()), settings)
    }

    /// Opens the store on this tree, or creates one; for simulations.
    pub fn on(tree: Arc<MemoryTree>, settings: Settings) -> Result<UrlStore> {
        UrlStore::with_tree(tree, None, settings)
    }

    fn with_tree(
        tree: Arc<dyn Tree>,
        directory: Option<&Path>,
        settings: Settings,
    ) -> Result<UrlStore> {
        let meta = match tree.get(&rows::META_KEY)? {
            Some(value) => Meta::parse(&value)?,
            None => Meta::default(),
        };
        let queues = restore_queues(tree.as_ref())?;
        let filters = Filters::open(
            directory.map(Path::to_owned),
            settings.capacity,
            meta.applied,
            meta.seen,
            &tree,
        )?;
        Ok(UrlStore {
            filters,
            stale_shapes: StaleShapes::of(tree.as_ref())?,
            known: Mutex::new(Known {
                overlay: Overlay::default(),
                hot: HotKeys::new(settings.cached_keys),
                closest: Closest::of(tree.as_ref())?,
                budgets: Budgets::new(settings.limits),
                version: 0,
            }),
            writer: Mutex::new(Writer {
                meta,
                names: queues.names.len(),
                batch: Batch::default(),
            }),
            meta: Mutex::new(meta),
            queues: Mutex::new(queues),
            rereads: Mutex::new(Rereads::of(tree.as_ref())?),
            share: settings.share,
            tree,
        })
    }

    /// The partition whose frames it applies.
    pub fn partition(&self) -> u32 {
        self.share.map_or(0, |share| share.partition)
    }

    /// Sequence of the last frame applied; 0 for a new store.
    pub fn applied(&self) -> u64 {
        self.meta.lock().applied
    }

    pub fn state(&self, key: &Key) -> Result<Option<State>> {
        let known = self.known.lock();
        if known.overlay.is_pending(key) {
            return Ok(Some(State::Pending));
        }
        Ok(self.seen(key)?.map(|seen| match seen {
            Seen::Finished(..) => State::Finished,
            Seen::Waiting(slot, ..) if slot.chunk.class < PARKED => State::Queued,
            Seen::Waiting(..) => State::Parked,
        }))
    }

    /// The lowest depth at which each key was found, also in frames that are pending; `None` for an unknown key.
    pub fn depths(&self, keys: &[Key]) -> Result<Vec<Option<u32>>> {
        let known = self.known.lock();
        let depth = |key| match known.overlay.get(key) {
            Some(held) => Ok(Some(held.depth)),
            None => Ok(self.last_seen(key)?.map(|seen| seen.depth())),
        };
        keys.iter().map(depth).collect()
    }

    /// Whether a key is queued or has ended, by way of the Bloom filter.
    fn seen(&self, key: &Key) -> Result<Option<Seen>> {
        match self.last_seen(key)? {
            Some(Seen::Waiting(slot, depth, ..)) if self.has_ended(slot)? => {
                Ok(Some(Seen::Finished(depth, false)))
            }
            seen => Ok(seen),
        }
    }

    /// Like [`UrlStore::seen`], but may report a URL as queued that has ended since: this saves a look-up.
    fn last_seen(&self, key: &Key) -> Result<Option<Seen>> {
        if !self.filters.may_contain(key) {
            return Ok(None);
        }
        let row = self.tree.get(&rows::seen_key(key))?;
        if row.is_none() {
            self.filters.note_false_positive();
        }
        row.map(|value| Seen::parse(&value)).transpose()
    }

    /// Whether the URL of a slot has ended. A chunk is removed with its last URL.
    fn has_ended(&self, slot: Slot) -> Result<bool> {
        let queues = self.queues.lock();
        if let Some(chunk) = queues.held(&slot.chunk) {
            return Ok(chunk.finished & slot.bit() != 0);
        }
        if queues.is_untouched(&slot.chunk) {
            return Ok(false);
        }
        drop(queues);
        if let Some(bits) = self.tree.get(&slot.chunk.key(Part::Finished))? {
            return Ok(rows::finished_bits(&bits)? & slot.bit() != 0);
        }
        Ok(self.tree.get(&slot.chunk.key(Part::Urls))?.is_none())
    }

    /// The key of the first URL whose body had this hash, unless that is `but_not` itself (X1).
    pub fn same_content(&self, hash: &Key, but_not: &Key) -> Result<Option<Key>> {
        let known = self.known.lock();
        let first = match self.content(hash)? {
            Some(key) => Some(key),
            None => known.overlay.content(hash),
        };
        Ok(first.filter(|key| key != but_not))
    }

    /// The URL that the tree has for a body, by way of the Bloom filter: most bodies are new.
    fn content(&self, hash: &Key) -> Result<Option<Key>> {
        if !self.filters.may_contain(hash) {
            return Ok(None);
        }
        let row = self.tree.get(&rows::content_key(hash))?;
        if row.is_none() {
            self.filters.note_false_positive();
        }
        row.map(|value| Key::try_from(value).map_err(|_| rows::damaged("a content row")))
            .transpose()
    }

    /// Remembers a body until its frame is applied; the first URL with a body keeps it.
    pub fn remember_content(&self, hash: Key, key: Key) {
        self.known.lock().overlay.remember_content(hash, key);
    }

    /// Undoes [`UrlStore::remember_content`] if the answer with this body is lost.
    pub fn forget_content(&self, hash: &Key, key: &Key) {
        self.known.lock().overlay.take_content_back(hash, key);
    }

    /// Undoes admissions whose frame will never be written.
    pub fn forget_pending<'a>(&self, blobs: impl Iterator<Item = &'a [u8]>) -> Result<()> {
        for blob in blobs {
            let groups = decode(blob)?;
            let mut known = self.known.lock();
            for row in groups.iter().flat_map(|group| &group.rows) {
                known.overlay.forget(&row.key);
            }
            known.closest.settle_all(&groups);
            known.budgets.forget(&groups);
        }
        Ok(())
    }

    /// Undoes stored refusals: no frame will contain them, so the next page that links to them reports them again.
    pub fn forget_refused<'a>(&self, refused: impl Iterator<Item = (&'a str, Key, &'a str)>) {
        let mut known = self.known.lock();
        for (href, key, reason) in refused {
            known.overlay.forget(&key);
            if let Some((origin, _)) = split_origin(href) {
                known.budgets.forget_kept(host_of_origin(origin), reason);
            }
        }
    }

    pub fn counts(&self) -> Counts {
        let meta = *self.meta.lock();
        let filter = self.filters.counts();
        Counts {
            seen: meta.seen,
            queued: meta.queued,
            parked: meta.parked,
            finished: meta.finished,
            origins: self.queues.lock().names.len() as u64,
            bloom_bits: filter.bits,
            bloom_false_positives: filter.false_positives,
            bloom_tests: filter.tests,
            bytes_on_disk: self.tree.bytes_on_disk(),
        }
    }

    /// Syncs: everything applied so far survives a power failure.
    pub fn flush(&self) -> Result<()> {
        self.tree.sync()
    }

    /// Records the identity of the log to which this view belongs. A store without frames accepts any log; otherwise
    /// another log means damage.
    pub fn belong_to(&self, log: u64) -> Result<()> {
        let mut writer = self.writer.lock();
        if writer.meta.applied == 0 {
            writer.meta.log = log;
        }
        match writer.meta.log == log {
            true => Ok(()),
            false => Err(Error::Corrupt("it is of another crawl".into())),
        }
    }

    /// The last frame that the next start would find applied.
    pub fn saved(&self) -> Result<u64> {
        match self.tree.get_saved(&rows::META_KEY)? {
            Some(value) => Ok(Meta::parse(&value)?.applied),
            None => Ok(0),
        }
    }

    /// Writes everything to disk and saves the Bloom filter. If that fails, nothing is lost: the frames after
    /// [`UrlStore::saved`] are applied again, and the filter is rebuilt.
    pub fn close(&self) -> Result<()> {
        let writer = self.writer.lock();
        self.tree.sync()?;
        self.filters.close(writer.meta.applied)
    }
}

impl Drop for UrlStore {
    /// Closes the store if nobody did. Errors are lost: to see them, call `close` first.
    fn drop(&mut self) {
        let _ = self.close();
    }
}

/// Removes a view of an older layout, which is rebuilt from the log.
fn remove_older(directory: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn restore_queues(tree: &dyn Tree) -> Result<Queues> {
    let mut queues = Queues::default();
    let (from, to) = rows::names_range();
    tree.scan(&from, &to, &mut |key, value| {
        let name = std::str::from_utf8(value).map_err(|_| rows::damaged("an origin's name"))?;
        if queues.names.intern(name) != rows::origin_of(key)? {
            return Err(rows::damaged("an origin's name"));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let (from, to) = rows::queues_range();
    tree.scan(&from, &to, &mut |key, value| {
        queues.restore(rows::origin_of(key)?, value)?;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(queues)
}
