//! The queues in memory: for each origin what is left and where it starts, and what is handed out.
//!
//! A URL that is handed out is *held*: a bit of its chunk, only in memory, so that a crash gives it back
//! automatically (F4, F5). Counts change only when a frame is applied; a hold changes what is *available* = queued -
//! held. Everything below the cursor of a class is held or finished. So the lowest live chunk, which the tree stores,
//! is the cursor or the lowest chunk with a hold.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use rustc_hash::FxHashMap;

use super::attributes::{PARKED, is_permitted};
use super::reprioritise::NewSlot;
use super::rows::{ChunkId, Slot, damaged};
use super::wire::{Reader, put_varint};
use crate::error::Result;
use crate::names::Names;
use crate::url::Key;

/// Every eighth URL of an origin comes from its lowest class, so that none starves (F1).
const LOWEST_EVERY: u8 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassQueue {
    /// No lower chunk has a URL to hand out.
    pub cursor: u64,
    /// No URL of this chunk or a later one has ended, so there is no row of bits to read.
    pub untouched: u64,
    pub queued: u32,
    pub held: u32,
    pub class: u8,
}

impl ClassQueue {
    fn available(&self) -> u32 {
        self.queued.saturating_sub(self.held)
    }
}

#[derive(Debug, Default)]
pub struct Origin {
    classes: Classes,
    handed_out: u8,
}

/// Sorted by class, only classes with URLs. There may be millions of origins, and most have one class or none, which is
/// stored inline.
#[derive(Debug, Clone)]
enum Classes {
    One(ClassQueue),
    Others(Vec<ClassQueue>),
}

impl Default for Classes {
    fn default() -> Self {
        Classes::Others(Vec::new())
    }
}

impl From<Vec<ClassQueue>> for Classes {
    fn from(classes: Vec<ClassQueue>) -> Self {
        match classes[..] {
            [only] => Classes::One(only),
            [] => Classes::default(),
            _ => Classes::Others(classes),
        }
    }
}

impl Deref for Classes {
    type Target = [ClassQueue];

    fn deref(&self) -> &[ClassQueue] {
        match self {
            Classes::One(only) => std::slice::from_ref(only),
            Classes::Others(others) => others,
        }
    }
}

impl DerefMut for Classes {
    fn deref_mut(&mut self) -> &mut [ClassQueue] {
        match self {
            Classes::One(only) => std::slice::from_mut(only),
            Classes::Others(others) => others,
        }
    }
}

/// The chunk with the next URL of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextPlace {
    pub chunk: ChunkId,
    /// As in [`ClassQueue`].
    pub untouched: u64,
    /// URLs of the class that can be handed out.
    pub available: u32,
}

/// A URL that is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    pub slot: Slot,
    /// It was found on another host. Its own host may have linked to it since: see its seen row.
    pub foreign: bool,
}

/// A chunk with URLs that are handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldChunk {
    pub held: u64,
    pub finished: u64,
    pub total: u8,
}

/// The changes of a frame to one class of one origin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Change {
    pub added: u32,
    pub removed: u32,
    /// Chunk of the first addition.
    pub first: u64,
    /// All removals are from chunks below this one.
    pub removed_below: u64,
}

pub type Changes = BTreeMap<(u32, u8), Change>;

#[derive(Default)]
pub struct Queues {
    pub names: Names,
    origins: Vec<Origin>,
    held: BTreeMap<ChunkId, HeldChunk>,
    leased: FxHashMap<Key, Lease>,
    /// URLs that are handed out and move with the frame being written, and whether they were given back meanwhile.
    /// Their old slots stay held until the frame is visible.
    moving: FxHashMap<Key, (Lease, IsGivenBack)>,
}

type IsGivenBack = bool;

impl Queues {
    pub fn origin(&self, number: u32) -> Option<&Origin> {
        self.origins.get(number as usize)
    }

    pub fn origins(&self) -> impl Iterator<Item = (u32, &Origin)> {
        (0..).zip(&self.origins)
    }

    fn origin_mut(&mut self, number: u32) -> &mut Origin {
        let index = number as usize;
        if index >= self.origins.len() {
            self.origins.resize_with(index + 1, Origin::default);
        }
        &mut self.origins[index]
    }

    pub fn class_mut(&mut self, origin: u32, class: u8) -> Option<&mut ClassQueue> {
        self.origins.get_mut(origin as usize)?.class_mut(class)
    }

    /// True if no URL of a chunk has ended; if false, that must be looked up.
    pub fn is_untouched(&self, chunk: &ChunkId) -> bool {
        let classes = self.origin(chunk.origin).map(|origin| &origin.classes);
        let queue =
            classes.and_then(|classes| classes.iter().find(|held| held.class == chunk.class));
        queue.is_some_and(|queue| chunk.number >= queue.untouched)
    }

    pub fn held(&self, chunk: &ChunkId) -> Option<&HeldChunk> {
        self.held.get(chunk)
    }

    pub fn leased(&self, key: &Key) -> Option<Lease> {
        self.leased.get(key).copied()
    }

    /// The classes of the next `count` URLs to hand out, in order.
    pub fn choose(&mut self, origin: u32, count: usize, max_depth: Option<u32>) -> Vec<u8> {
        match self.origins.get_mut(origin as usize) {
            Some(origin) => origin.choose(count, max_depth),
            None => Vec::new(),
        }
    }

    /// Where the next URLs of an origin are: in its best class, and in its lowest.
    pub fn next_places(&self, origin: u32, max_depth: Option<u32>) -> Vec<NextPlace> {
        let classes = self.origin(origin).map(|origin| &origin.classes);
        let served = classes.into_iter().flat_map(|classes| classes.iter());
        let mut served = served
            .filter(|queue| is_permitted(queue.class, max_depth) && queue.available() > 0)
            .map(|queue| NextPlace {
                chunk: ChunkId {
                    origin,
                    class: queue.class,
                    number: queue.cursor,
                },
                untouched: queue.untouched,
                available: queue.available(),
            });
        let best = served.next();
        best.into_iter().chain(served.next_back()).collect()
    }

    /// Hands out a URL.
    pub fn lease(&mut self, key: Key, lease: Lease, finished: u64, total: u8) {
        if self.hold(lease.slot, finished, total) {
            self.leased.insert(key, lease);
        }
    }

    /// Sets the bit of a slot. Returns false if it was set. `finished` and `total` are those of the chunk.
    pub fn hold(&mut self, slot: Slot, finished: u64, total: u8) -> bool {
        let chunk = self.held.entry(slot.chunk).or_insert(HeldChunk {
            held: 0,
            finished,
            total,
        });
        if chunk.held & slot.bit() != 0 {
            return false;
        }
        chunk.held |= slot.bit();
        if let Some(queue) = self.class_mut(slot.chunk.origin, slot.chunk.class) {
            queue.held += 1;
        }
        true
    }

    /// Ends a lease: the URL is available again.
    pub fn give_back(&mut self, key: &Key) {
        if let Some(lease) = self.leased.remove(key) {
            self.release(lease.slot);
        } else if let Some((_, is_given_back)) = self.moving.get_mut(key) {
            *is_given_back = true;
        }
    }

    /// Begins to move a URL that is handed out to another slot. Returns false if it is not handed out.
    pub fn begin_move(&mut self, key: Key) -> bool {
        let lease = self.leased.remove(&key);
        let moving = lease.map(|lease| self.moving.insert(key, (lease, false)));
        moving.is_some()
    }

    /// The frame is visible, and the old slot has ended.
    pub fn end_move(&mut self, new: &NewSlot) {
        if let Some((_, false)) = self.moving.remove(&new.key) {
            let lease = Lease {
                slot: new.slot,
                foreign: new.foreign,
            };
            self.lease(new.key, lease, 0, new.total);
        }
    }

    /// The frame was not written.
    pub fn cancel_move(&mut self, key: &Key) {
        match self.moving.remove(key) {
            Some((lease, true)) => self.release(lease.slot),
            Some((lease, false)) => {
                self.leased.insert(*key, lease);
            }
            None => {}
        }
    }

    /// Undoes a hold.
    pub fn release(&mut self, slot: Slot) {
        if self.unhold(slot)
            && let Some(queue) = self.class_mut(slot.chunk.origin, slot.chunk.class)
        {
            queue.cursor = queue.cursor.min(slot.chunk.number);
        }
    }

    fn unhold(&mut self, slot: Slot) -> bool {
        let Some(chunk) = self.held.get_mut(&slot.chunk) else {
            return false;
        };
        if chunk.held & slot.bit() == 0 {
            return false;
        }
        chunk.held &= !slot.bit();
        if chunk.held == 0 {
            self.held.remove(&slot.chunk);
        }
        if let Some(queue) = self.class_mut(slot.chunk.origin, slot.chunk.class) {
            queue.held = queue.held.saturating_sub(1);
        }
        true
    }

    /// The URL at `slot` has ended: removes its hold and its lease.
    pub fn end(&mut self, key: &Key, slot: Slot) {
        if let Some(chunk) = self.held.get_mut(&slot.chunk) {
            chunk.finished |= slot.bit();
        }
        self.unhold(slot);
        self.leased.remove(key);
    }

    /// The queue row of an origin after `changes`.
    pub fn encode_after(&self, number: u32, changes: &Changes) -> Vec<u8> {
        let mut classes = self
            .origin(number)
            .map_or_else(Classes::default, |origin| origin.classes.clone());
        for (&(_, class), change) in changes.range((number, 0)..=(number, u8::MAX)) {
            change_class(&mut classes, class, change);
        }
        let mut row = Vec::new();
        for queue in classes.iter() {
            row.push(queue.class);
            put_varint(
                &mut row,
                queue.cursor.min(self.lowest_held(number, queue.class)),
            );
            put_varint(&mut row, queue.queued.into());
            put_varint(&mut row, queue.untouched);
        }
        row
    }

    fn lowest_held(&self, origin: u32, class: u8) -> u64 {
        let from = ChunkId {
            origin,
            class,
            number: 0,
        };
        let to = ChunkId {
            number: u64::MAX,
            ..from
        };
        self.held
            .range(from..=to)
            .next()
            .map_or(u64::MAX, |(chunk, _)| chunk.number)
    }

    /// Makes `changes` of one origin visible.
    pub fn publish(&mut self, number: u32, changes: &Changes) {
        let origin = self.origin_mut(number);
        for (&(_, class), change) in changes.range((number, 0)..=(number, u8::MAX)) {
            change_class(&mut origin.classes, class, change);
        }
    }

    pub fn has_available(&self, number: u32) -> bool {
        self.origin(number).is_some_and(|origin| !origin.is_idle())
    }

    /// Reads the row of an origin at the start.
    pub fn restore(&mut self, number: u32, row: &[u8]) -> Result<()> {
        let classes = parse_classes(row).ok_or_else(|| damaged("a queue row"))?;
        self.origin_mut(number).classes = classes.into();
        Ok(())
    }
}

impl Origin {
    /// Whether no URL of the regular classes is available.
    pub fn is_idle(&self) -> bool {
        !self
            .classes
            .iter()
            .any(|queue| queue.class < PARKED && queue.available() > 0)
    }

    /// Each class, and the first chunk that may have a URL to hand out.
    pub fn places(&self) -> impl Iterator<Item = (u8, u64)> {
        self.classes.iter().map(|queue| (queue.class, queue.cursor))
    }

    pub fn queued(&self) -> u64 {
        let served = self.classes.iter().filter(|queue| queue.class < PARKED);
        served.map(|queue| u64::from(queue.queued)).sum()
    }

    /// The best class with an available URL.
    pub fn best_class(&self, max_depth: Option<u32>) -> Option<u8> {
        let available = self.classes.iter().find(|queue| queue.available() > 0)?;
        is_permitted(available.class, max_depth).then_some(available.class)
    }

    fn class_mut(&mut self, class: u8) -> Option<&mut ClassQueue> {
        self.classes.iter_mut().find(|queue| queue.class == class)
    }

    fn choose(&mut self, count: usize, max_depth: Option<u32>) -> Vec<u8> {
        let mut left: Vec<(u8, u32)> = self
            .classes
            .iter()
            .filter(|queue| is_permitted(queue.class, max_depth) && queue.available() > 0)
            .map(|queue| (queue.class, queue.available()))
            .collect();
        let mut chosen = Vec::with_capacity(count.min(1024));
        while chosen.len() < count && !left.is_empty() {
            self.handed_out = (self.handed_out + 1) % LOWEST_EVERY;
            let index = if self.handed_out == 0 {
                left.len() - 1
            } else {
                0
            };
            chosen.push(left[index].0);
            left[index].1 -= 1;
            if left[index].1 == 0 {
                left.remove(index);
            }
        }
        chosen
    }
}

fn change_class(classes: &mut Classes, class: u8, change: &Change) {
    let index = match classes.binary_search_by_key(&class, |queue| queue.class) {
        Ok(index) => index,
        Err(index) => {
            let queue = ClassQueue {
                cursor: change.first,
                untouched: change.first,
                queued: 0,
                held: 0,
                class,
            };
            let mut more = Vec::with_capacity(classes.len() + 1);
            more.extend_from_slice(classes);
            more.insert(index, queue);
            *classes = more.into();
            index
        }
    };
    let queue = &mut classes[index];
    queue.queued = queue
        .queued
        .saturating_add(change.added)
        .saturating_sub(change.removed);
    queue.untouched = queue.untouched.max(change.removed_below);
    if queue.queued == 0 {
        let mut fewer = classes.to_vec();
        fewer.remove(index);
        *classes = fewer.into();
    }
}

fn parse_classes(row: &[u8]) -> Option<Vec<ClassQueue>> {
    let mut reader = Reader::new(row);
    let mut classes = Vec::new();
    while !reader.is_empty() {
        let class = reader.byte()?;
        let (cursor, queued) = (reader.varint()?, reader.small()?);
        let untouched = reader.varint()?;
        classes.reserve_exact(1);
        classes.push(ClassQueue {
            cursor,
            untouched,
            queued,
            held: 0,
            class,
        });
    }
    Some(classes)
}
