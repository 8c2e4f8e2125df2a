//! Applies a synced frame: plan, claim, one batch, publication.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::attributes::PARKED;
use super::budgets::{CountChanges, Visit};
use super::cache::mark_of;
use super::chunks::{CHUNK_SIZE, all_slots, encode};
use super::closer::kept_depth;
use super::discoveries::{Group, decode};
use super::frame::{Addition, Frame};
use super::queues::{Change, Changes, Queues};
use super::reprioritise::new_slots;
use super::rows::{self, ChunkId, Meta, Part, Seen, Slot};
use super::tree::Batch;
use super::{UrlStore, Writer};
use crate::error::{Error, Result};
use crate::url::Key;

/// A chunk's number is the sequence of its frame and, in these bits, its index in the frame.
const BITS_OF_SPLIT: u32 = 20;
const MAX_SEQUENCE: u64 = u64::MAX >> BITS_OF_SPLIT;
/// Expected bytes of a seen row.
const USUAL_SEEN: usize = 16;

/// An origin that had nothing to hand out and now has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Awakened {
    pub origin: u32,
    pub best_class: u8,
}

/// The content of a frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct Synced<'a> {
    /// Discoveries, and URLs that were found closer.
    pub blobs: &'a [&'a [u8]],
    /// Ended keys, each with the hash of a body to remember.
    pub finished: &'a [(Key, Option<Key>)],
    /// Depths of the ended URLs, in the same order; missing ones are 0.
    pub depths: &'a [u32],
    /// What the ends say about their hosts.
    pub visits: &'a [Visit<'a>],
    /// Depths and keys of pages whose links were read again.
    pub reread: &'a [(u32, Key)],
    /// URLs that get another priority, applied after the discoveries of the frame.
    pub reprioritised: &'a [(Key, f64)],
}

impl UrlStore {
    /// Applies one synced frame, atomically with its sequence: discoveries, and ended keys with the hash of a body to
    /// remember. A frame that was applied before is skipped, so a replay may start at any earlier frame.
    pub fn apply(
        &self,
        sequence: u64,
        blobs: &[&[u8]],
        finished: &[(Key, Option<Key>)],
    ) -> Result<Vec<Awakened>> {
        let synced = Synced {
            blobs,
            finished,
            ..Synced::default()
        };
        self.apply_synced(sequence, synced)
    }

    /// Like [`UrlStore::apply`], with what the ends say about their hosts.
    pub fn apply_visited(
        &self,
        sequence: u64,
        blobs: &[&[u8]],
        finished: &[(Key, Option<Key>)],
        visits: &[Visit<'_>],
    ) -> Result<Vec<Awakened>> {
        let synced = Synced {
            blobs,
            finished,
            visits,
            ..Synced::default()
        };
        self.apply_synced(sequence, synced)
    }

    /// Like [`UrlStore::apply`], with everything that a frame may contain.
    pub fn apply_synced(&self, sequence: u64, synced: Synced<'_>) -> Result<Vec<Awakened>> {
        let Synced {
            blobs,
            finished,
            visits,
            ..
        } = synced;
        let mut writer = self.writer.lock();
        if sequence <= writer.meta.applied {
            return Ok(Vec::new());
        }
        if sequence > MAX_SEQUENCE {
            return Err(Error::Invalid(format!(
                "frame sequence {sequence} is beyond {MAX_SEQUENCE}"
            )));
        }
        let groups = blobs
            .iter()
            .map(|blob| decode(blob))
            .collect::<Result<Vec<_>>>()?;
        let groups: Vec<Group<'_>> = groups.into_iter().flatten().collect();
        let plan = Frame::plan(self, &groups, finished, synced.depths, visits)?;
        let moved = self.moved_by(synced.reprioritised, &plan)?;
        let mut frame = plan;
        frame.reprioritise(&moved);
        let fold = CountChanges::of(self, &groups, &frame.additions, visits, &frame.foreign)?;
        self.known.lock().budgets.pin(&fold);
        let committed = self.commit(&mut writer, sequence, &mut frame, &fold, synced.reread);
        let awakened = committed.inspect_err(|_| self.known.lock().budgets.unpin())?;
        self.settle(&groups, finished, &frame);
        self.settle_rereads(&frame, synced.reread);
        self.known.lock().budgets.settle(&groups, visits, fold);
        self.filters.grow_if_needed(&self.tree);
        Ok(awakened)
    }

    fn commit(
        &self,
        writer: &mut Writer,
        sequence: u64,
        frame: &mut Frame<'_>,
        fold: &CountChanges<'_>,
        reread: &[(u32, Key)],
    ) -> Result<Vec<Awakened>> {
        frame.claim(self)?;
        let mut meta = Meta {
            applied: sequence,
            ..writer.meta
        };
        let mut batch = std::mem::take(&mut writer.batch);
        let mut changes = write_additions(&mut batch, &mut meta, sequence, &mut frame.additions);
        let new_slots = match frame.moving.is_empty() {
            true => Vec::new(),
            false => new_slots(chunks_of(&frame.additions, sequence), &frame.moving),
        };
        write_endings(&mut batch, &mut meta, frame, &mut changes);
        self.write_closer(&mut batch, frame, reread);
        for (hash, key) in &frame.contents {
            batch.insert(&rows::content_key(hash), key);
        }
        fold.write(&mut batch);
        let names = write_origins(&mut batch, &self.queues.lock(), writer.names, &changes);
        batch.insert(&rows::META_KEY, &meta.encode());

        let added = frame.additions.iter().filter(|addition| addition.is_new());
        self.filters.insert(
            added
                .map(|addition| &addition.row.key)
                .chain(frame.unknown.iter().map(|(key, _)| key))
                .chain(frame.contents.keys())
                .chain(fold.keys()),
        );
        fold.stale_keys()
            .for_each(|key| self.stale_shapes.insert(key));
        if let Err(error) = self.tree.write(&batch) {
            frame.abandon(&mut self.queues.lock());
            return Err(error);
        }
        *writer = Writer {
            meta,
            names,
            batch: batch.cleared(),
        };
        *self.meta.lock() = meta;
        let mut queues = self.queues.lock();
        let mut woken = frame.publish(&mut queues, &changes, &new_slots);
        let vouched = fold.vouched.iter();
        woken.extend(vouched.filter_map(|origin| queues.names.find(origin)));
        Ok(woken
            .into_iter()
            .filter_map(|origin| queues.awakened(origin, Some(0)))
            .collect())
    }

    /// Removes the frame from the overlay: the tree has it now. New keys become hot keys, because the next pages of
    /// their site will probably link to them.
    fn settle(&self, groups: &[Group<'_>], finished: &[(Key, Option<Key>)], frame: &Frame<'_>) {
        let mut known = self.known.lock();
        known.version += 1;
        for row in groups.iter().flat_map(|group| &group.rows) {
            known.overlay.forget(&row.key);
        }
        for (key, hash) in finished {
            known.overlay.forget(key);
            if let Some(hash) = hash {
                known.overlay.forget_content(hash);
            }
        }
        for addition in &frame.additions {
            let depth = depth_after(addition);
            let mark = mark_of(depth, addition.foreign);
            known.hot.insert(&addition.row.key, mark);
        }
        known.closest.settle_all(groups);
        for (key, lowered) in &frame.lowered {
            let mark = mark_of(lowered.attributes.depth, lowered.foreign);
            known.hot.insert(key, mark);
            if lowered.slot.is_some() {
                known.closest.insert(*key, lowered.attributes, true);
            }
        }
        for (key, &(_, depth, _)) in &frame.vouched {
            known.hot.insert(key, mark_of(depth, false));
        }
        if !known.closest.is_empty() {
            finished
                .iter()
                .for_each(|(key, _)| known.closest.forget(key));
        }
    }

    /// Writes URLs that were found closer and do not move. A batch has one change per key.
    fn write_closer(&self, batch: &mut Batch, frame: &Frame<'_>, reread: &[(u32, Key)]) {
        let mut done: FxHashSet<(u32, Key)> = reread.iter().copied().collect();
        let again = frame.additions.iter().filter(|it| it.is_again.is_some());
        let again: FxHashSet<Key> = again.map(|addition| addition.row.key).collect();
        let mut buffer = Vec::new();
        for (key, lowered) in &frame.lowered {
            let depth = lowered.attributes.depth;
            let seen = match lowered.slot {
                Some(slot) => Seen::Waiting(slot, depth, lowered.foreign, lowered.again),
                None => Seen::Finished(depth, lowered.foreign),
            };
            if !again.contains(key) {
                batch.insert(&rows::seen_key(key), seen.encode(&mut buffer));
            }
            if lowered.slot.is_some() {
                buffer.clear();
                lowered.attributes.put(&mut buffer);
                batch.insert(&rows::closer_key(key), &buffer);
            } else {
                done.insert((lowered.before, *key));
            }
        }
        for (key, &(slot, depth, again)) in &frame.vouched {
            let seen = Seen::Waiting(slot, depth, false, again);
            batch.insert(&rows::seen_key(key), seen.encode(&mut buffer));
        }
        let due: FxHashSet<(u32, Key)> = frame.rereads().collect();
        for (depth, key) in &due {
            batch.insert(&rows::reread_key(*depth, key), &[]);
        }
        for (depth, key) in done.difference(&due) {
            batch.remove(&rows::reread_key(*depth, key));
        }
        let known = self.known.lock();
        if !known.closest.is_empty() {
            let ended = frame.endings.iter().filter(|ending| !ending.is_move);
            for ending in ended.filter(|ending| known.closest.has_row(&ending.key)) {
                batch.remove(&rows::closer_key(&ending.key));
            }
        }
    }

    fn settle_rereads(&self, frame: &Frame<'_>, reread: &[(u32, Key)]) {
        let mut rereads = self.rereads.lock();
        reread.iter().for_each(|page| rereads.remove(page));
        for (key, lowered) in &frame.lowered {
            rereads.remove(&(lowered.before, *key));
        }
        frame.rereads().for_each(|page| rereads.insert(page));
    }

    /// Every origin with something to hand out, including parked URLs down to `max_depth` (`None`: no limit).
    pub fn origins(&self, max_depth: Option<u32>) -> Vec<Awakened> {
        let queues = self.queues.lock();
        queues
            .origins()
            .filter_map(|(number, _)| queues.awakened(number, max_depth))
            .collect()
    }

    /// The origin with this number, such as `https://example.com`.
    pub fn origin(&self, number: u32) -> Option<String> {
        self.queues.lock().names.get(number).map(str::to_owned)
    }

    /// The number of an origin that occurred in an applied frame.
    pub fn number(&self, origin: &str) -> Option<u32> {
        self.queues.lock().names.find(origin)
    }
}

impl Queues {
    fn awakened(&self, number: u32, max_depth: Option<u32>) -> Option<Awakened> {
        let best_class = self.origin(number)?.best_class(max_depth)?;
        Some(Awakened {
            origin: number,
            best_class,
        })
    }
}

/// Writes seen rows and chunks of URLs that join their queues, in the order in which they were found.
fn write_additions(
    batch: &mut Batch,
    meta: &mut Meta,
    sequence: u64,
    additions: &mut [Addition<'_>],
) -> Changes {
    additions.sort_by_key(|addition| (addition.origin, addition.class));
    let mut changes = BTreeMap::new();
    for (chunk, urls) in chunks_of(additions, sequence) {
        write_chunk(batch, chunk, urls);
        let change = changes
            .entry((chunk.origin, chunk.class))
            .or_insert(Change {
                first: chunk.number,
                ..Change::default()
            });
        change.added += urls.len() as u32;
        *counter(meta, chunk.class) += urls.len() as u64;
    }
    let again = additions
        .iter()
        .filter(|addition| addition.is_again.is_some())
        .count() as u64;
    meta.finished = meta.finished.saturating_sub(again);
    meta.seen += additions
        .iter()
        .filter(|addition| addition.is_new())
        .count() as u64;
    changes
}

/// Divides additions, which are sorted by origin and class, into chunks.
fn chunks_of<'c, 'a>(
    additions: &'c [Addition<'a>],
    sequence: u64,
) -> impl Iterator<Item = (ChunkId, &'c [Addition<'a>])> {
    let queues =
        additions.chunk_by(|left, right| (left.origin, left.class) == (right.origin, right.class));
    queues.flat_map(move |queue| {
        let (origin, class) = (queue[0].origin, queue[0].class);
        let numbers = sequence << BITS_OF_SPLIT..;
        let chunk = move |number| ChunkId {
            origin,
            class,
            number,
        };
        numbers.map(chunk).zip(queue.chunks(CHUNK_SIZE))
    })
}

/// The lowest depth of a URL, including that of its earlier end.
fn depth_after(addition: &Addition<'_>) -> u32 {
    kept_depth(addition.attributes).min(addition.is_again.unwrap_or(u32::MAX))
}

fn write_chunk(batch: &mut Batch, chunk: ChunkId, urls: &[Addition<'_>]) {
    let rows: Vec<_> = urls
        .iter()
        .map(|addition| (addition.attributes, addition.row))
        .collect();
    batch.insert(&chunk.key(Part::Urls), &encode(&rows));
    let mut buffer = Vec::with_capacity(USUAL_SEEN);
    for (index, addition) in (0..).zip(urls) {
        let slot = Slot { chunk, index };
        let depth = depth_after(addition);
        let seen = Seen::Waiting(slot, depth, addition.foreign, addition.has_ended());
        let row = seen.encode(&mut buffer);
        batch.insert(&rows::seen_key(&addition.row.key), row);
    }
}

/// Writes ended keys, and chunks with slots that end.
fn write_endings(batch: &mut Batch, meta: &mut Meta, frame: &Frame<'_>, changes: &mut Changes) {
    for ending in &frame.endings {
        let ChunkId {
            origin,
            class,
            number,
        } = ending.slot.chunk;
        let change = changes.entry((origin, class)).or_default();
        change.removed += 1;
        change.removed_below = change.removed_below.max(number + 1);
        let waiting = counter(meta, class);
        *waiting = waiting.saturating_sub(1);
        meta.finished += u64::from(!ending.is_move);
    }
    let mut buffer = Vec::new();
    let unknown = frame.unknown.iter();
    for (key, depth) in unknown.filter(|(key, _)| !frame.lowered.contains_key(key)) {
        let row = Seen::Finished(*depth, false).encode(&mut buffer);
        batch.insert(&rows::seen_key(key), row);
    }
    let again = frame.additions.iter().filter(|it| it.is_again.is_some());
    let again: FxHashSet<Key> = again.map(|addition| addition.row.key).collect();
    for (key, &depth) in &frame.revocable {
        if !again.contains(key) && !frame.lowered.contains_key(key) {
            let row = Seen::Finished(depth, true).encode(&mut buffer);
            batch.insert(&rows::seen_key(key), row);
        }
    }
    meta.seen += frame.unknown.len() as u64;
    meta.finished += frame.unknown.len() as u64;
    for (id, chunk) in &frame.chunks {
        if chunk.after != all_slots(chunk.total) {
            batch.insert(&id.key(Part::Finished), &chunk.after.to_be_bytes());
            continue;
        }
        batch.remove(&id.key(Part::Urls));
        if chunk.before != 0 {
            batch.remove(&id.key(Part::Finished));
        }
    }
}

/// Writes names that the tree does not have yet, and the queue rows of all changed origins. Returns how many origins
/// then have their name in the tree.
fn write_origins(batch: &mut Batch, queues: &Queues, named: usize, changes: &Changes) -> usize {
    for number in named..queues.names.len() {
        let name = queues.names.get(number as u32).unwrap_or_default();
        batch.insert(&rows::name_key(number as u32), name.as_bytes());
    }
    let mut last = None;
    for &(origin, _) in changes.keys() {
        if last.replace(origin) == Some(origin) {
            continue;
        }
        let row = queues.encode_after(origin, changes);
        match row.is_empty() {
            true => batch.remove(&rows::queue_key(origin)),
            false => batch.insert(&rows::queue_key(origin), &row),
        }
    }
    queues.names.len()
}

fn counter(meta: &mut Meta, class: u8) -> &mut u64 {
    if class < PARKED {
        &mut meta.queued
    } else {
        &mut meta.parked
    }
}
