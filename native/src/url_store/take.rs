//! Hands URLs out, and takes them back.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::UrlStore;
use super::attributes::{Attributes, PARKED};
use super::chunks::{all_slots, entries, total};
use super::queues::{Lease, Queues};
use super::rows::{ChunkId, Part, Seen, Slot, damaged, finished_bits};
use super::tree::Tree;
use crate::error::Result;
use crate::url::Key;

#[derive(Debug, Clone, PartialEq)]
pub struct QueuedUrl {
    pub href: String,
    pub key: Key,
    pub attributes: Attributes,
}

impl UrlStore {
    /// Hands out the next URLs of an origin: best class first and every eighth from the lowest, within a class in the
    /// order of discovery. Each is handed out once until it ends or is given back. Parked URLs are included down to
    /// `max_depth` (`None`: no limit).
    pub fn take(
        &self,
        origin: u32,
        count: usize,
        max_depth: Option<u32>,
    ) -> Result<Vec<QueuedUrl>> {
        let mut queues = self.queues.lock();
        let chosen = queues.choose(origin, count, max_depth);
        if let Some(&class) = chosen.first()
            && chosen.iter().all(|other| *other == class)
        {
            let urls = take_class(self.tree.as_ref(), &mut queues, origin, class, chosen.len())?;
            return Ok(urls.into());
        }
        let mut classes = chosen.clone();
        classes.sort_unstable();
        let mut taken: Vec<(u8, VecDeque<QueuedUrl>)> = Vec::new();
        for same in classes.chunk_by(u8::eq) {
            let class = same[0];
            let urls = take_class(self.tree.as_ref(), &mut queues, origin, class, same.len())?;
            taken.push((class, urls));
        }
        let mut next = |class: u8| {
            let (_, urls) = taken.iter_mut().find(|(held, _)| *held == class)?;
            urls.pop_front()
        };
        Ok(chosen.into_iter().filter_map(&mut next).collect())
    }

    /// Hands out this URL before all others. `None` if it is not queued: it has ended, is handed out, or is parked.
    pub fn take_url(&self, key: &Key) -> Result<Option<QueuedUrl>> {
        let Some(Seen::Waiting(slot, ..)) = self.seen(key)? else {
            return Ok(None);
        };
        let mut queues = self.queues.lock();
        let chunk = slot.chunk;
        let Some((value, finished)) = read_chunk(self.tree.as_ref(), &queues, chunk)? else {
            return Ok(None);
        };
        let held = queues.held(&chunk);
        let gone = finished | held.map_or(0, |held| held.held | held.finished);
        if chunk.class >= PARKED || gone & slot.bit() != 0 {
            return Ok(None);
        }
        let entry = entries(&value).nth(slot.index.into());
        let entry = entry.ok_or_else(|| damaged("a place in a chunk"))??;
        if entry.key != *key {
            return Err(damaged("the seen row of a queued URL"));
        }
        let origin = queues.names.get(chunk.origin).unwrap_or_default();
        let url = QueuedUrl {
            href: [origin, entry.path].concat(),
            key: *key,
            attributes: entry.attributes,
        };
        let foreign = entry.attributes.foreign;
        queues.lease(*key, Lease { slot, foreign }, finished, total(&value)?);
        Ok(Some(url))
    }

    pub fn give_back<'a>(&self, keys: impl Iterator<Item = &'a Key>) {
        let mut queues = self.queues.lock();
        keys.for_each(|key| queues.give_back(key));
    }

    /// URLs of an origin that are queued or handed out, without parked ones.
    pub fn queued(&self, origin: u32) -> u64 {
        self.queues
            .lock()
            .origin(origin)
            .map_or(0, |origin| origin.queued())
    }
}

/// Takes the first `count` URLs of a class that are neither ended nor held.
fn take_class(
    tree: &dyn Tree,
    queues: &mut Queues,
    origin: u32,
    class: u8,
    count: usize,
) -> Result<VecDeque<QueuedUrl>> {
    let mut taken = VecDeque::with_capacity(count);
    let Some(queue) = queues.class_mut(origin, class) else {
        return Ok(taken);
    };
    let mut from = ChunkId {
        origin,
        class,
        number: queue.cursor,
    };
    if let Some((value, finished)) = read_chunk(tree, queues, from)? {
        let is_exhausted = take_chunk(queues, from, &value, finished, count, &mut taken)?;
        from.number += u64::from(is_exhausted);
    }
    if taken.len() < count {
        from.number = scan_class(tree, queues, from, count, &mut taken)?;
    }
    if let Some(queue) = queues.class_mut(origin, class) {
        queue.cursor = from.number;
    }
    Ok(taken)
}

/// The URLs of a chunk, and the bits of ended ones. The chunk at the cursor usually exists, and looking it up is
/// cheaper than scanning from it.
fn read_chunk(tree: &dyn Tree, queues: &Queues, chunk: ChunkId) -> Result<Option<(Vec<u8>, u64)>> {
    match tree.get(&chunk.key(Part::Urls))? {
        Some(urls) => Ok(Some((urls, read_bits(tree, queues, &chunk)?))),
        None => Ok(None),
    }
}

fn read_bits(tree: &dyn Tree, queues: &Queues, chunk: &ChunkId) -> Result<u64> {
    if let Some(held) = queues.held(chunk) {
        return Ok(held.finished);
    }
    if queues.is_untouched(chunk) {
        return Ok(0);
    }
    let bits = tree.get(&chunk.key(Part::Finished))?;
    bits.map_or(Ok(0), |bits| finished_bits(&bits))
}

/// Scans a class from a chunk on until there are `count` URLs. Returns the lowest chunk that has more.
fn scan_class(
    tree: &dyn Tree,
    queues: &mut Queues,
    from: ChunkId,
    count: usize,
    taken: &mut VecDeque<QueuedUrl>,
) -> Result<u64> {
    let mut cursor = from.number;
    tree.visit_chunks(from, &mut |chunk, value| {
        let finished = read_bits(tree, queues, &chunk)?;
        let is_exhausted = take_chunk(queues, chunk, value, finished, count, taken)?;
        cursor = chunk.number + u64::from(is_exhausted);
        Ok(if taken.len() < count {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    })?;
    Ok(cursor)
}

/// Returns true if the chunk has nothing left to hand out.
fn take_chunk(
    queues: &mut Queues,
    chunk: ChunkId,
    value: &[u8],
    finished: u64,
    count: usize,
    taken: &mut VecDeque<QueuedUrl>,
) -> Result<bool> {
    let total = total(value)?;
    let held = queues
        .held(&chunk)
        .map_or(0, |held| held.held | held.finished);
    let mut left = all_slots(total) & !(finished | held);
    for (index, entry) in entries(value).enumerate() {
        if left == 0 || taken.len() == count {
            break;
        }
        let slot = Slot {
            chunk,
            index: index as u8,
        };
        let entry = entry?;
        if left & slot.bit() != 0 {
            left &= !slot.bit();
            let origin = queues.names.get(chunk.origin).unwrap_or_default();
            let href = [origin, entry.path].concat();
            let foreign = entry.attributes.foreign;
            queues.lease(entry.key, Lease { slot, foreign }, finished, total);
            taken.push_back(QueuedUrl {
                href,
                key: entry.key,
                attributes: entry.attributes,
            });
        }
    }
    Ok(left == 0)
}
