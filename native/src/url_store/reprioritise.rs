//! Changes the priority of queued URLs, and with it their place (F2).
//!
//! An order has keys and priorities. Its frame moves each queued URL into a chunk of its new class, in the same way
//! as URLs that are found closer: the old slot ends, and the seen row names the new one. Depth, source and all other
//! attributes stay. Moving a URL costs two look-ups and a row in the frame, however many URLs are queued. A chunk is
//! removed with its last URL, so at most 63 dead slots are left for each queued URL.
//!
//! A URL that is handed out moves with its lease ([`super::queues`]): its journey notices nothing. If it is given
//! back, or after a kill, it is in its new class. A URL that has ended, is parked or is deferred has no class to
//! change.

use rustc_hash::{FxHashMap, FxHashSet};

use super::UrlStore;
use super::attributes::{Attributes, PARKED};
use super::chunks::entries;
use super::discoveries::Row;
use super::frame::{Addition, Frame};
use super::rows::{ChunkId, Part, Seen, Slot, damaged};
use super::wire::Reader;
use crate::error::{Error, Result};
use crate::fetched::Kind;
use crate::url::Key;

const VERSION: u8 = 1;

/// Keys and priorities.
pub type Order = Vec<(Key, f64)>;

/// Encodes an order for the log; empty if the order is empty.
pub fn encode(order: &[(Key, f64)]) -> Vec<u8> {
    let mut data = Vec::with_capacity(1 + order.len() * (size_of::<Key>() + size_of::<f64>()));
    for (key, priority) in order {
        if data.is_empty() {
            data.push(VERSION);
        }
        data.extend_from_slice(key);
        data.extend_from_slice(&priority.to_le_bytes());
    }
    data
}

pub fn decode(data: &[u8]) -> Result<Order> {
    let mut reader = Reader::new(data);
    match reader.byte() {
        None => return Ok(Vec::new()),
        Some(VERSION) => {}
        Some(version) => {
            return Err(Error::Invalid(format!(
                "priorities of version {version}, and this one knows {VERSION}: use a newer Hondius"
            )));
        }
    }
    let mut order = Vec::new();
    while !reader.is_empty() {
        let row = (|| Some((reader.array()?, reader.float()?)))();
        order.push(row.ok_or_else(|| Error::Invalid("priorities that cannot be decoded".into()))?);
    }
    Ok(order)
}

/// A URL in its new place.
#[derive(Debug)]
pub struct Moved {
    key: Key,
    attributes: Attributes,
    from: From,
}

#[derive(Debug)]
enum From {
    /// It joins a queue in this frame anyway: its index among the additions.
    Addition(usize),
    Slot {
        slot: Slot,
        foreign: bool,
        again: bool,
        origin: String,
        path: String,
    },
}

impl UrlStore {
    /// Encodes those URLs of the order whose class changes, and returns their number. It takes effect when a frame with
    /// it is applied.
    pub fn reprioritise(&self, order: &[(Key, f64)]) -> Result<(Vec<u8>, u64)> {
        let mut changed = Vec::with_capacity(order.len());
        for &(key, priority) in order {
            let is_pending = self.known.lock().overlay.is_pending(&key);
            if is_pending || self.changes_class(&key, priority)? {
                changed.push((key, priority));
            }
        }
        Ok((encode(&changed), changed.len() as u64))
    }

    fn changes_class(&self, key: &Key, priority: f64) -> Result<bool> {
        let Some(Seen::Waiting(slot, ..)) = self.seen(key)? else {
            return Ok(false);
        };
        let class = slot.chunk.class;
        if class >= PARKED {
            return Ok(false);
        }
        let held = self.queued_at(slot)?;
        let after = held.map(|(attributes, _)| Attributes {
            priority,
            ..attributes
        });
        Ok(after.is_some_and(|after| after.class() != class))
    }

    /// The attributes and the path of the URL at a slot.
    fn queued_at(&self, slot: Slot) -> Result<Option<(Attributes, String)>> {
        let Some(chunk) = self.tree.get(&slot.chunk.key(Part::Urls))? else {
            return Ok(None);
        };
        let entry = entries(&chunk).nth(slot.index.into());
        let entry = entry.ok_or_else(|| damaged("a place in a chunk"))??;
        Ok(Some((entry.attributes, entry.path.to_owned())))
    }

    /// Reads what an order changes in addition to the rest of the frame. If a URL occurs twice, the last one counts.
    pub(super) fn moved_by(&self, order: &[(Key, f64)], frame: &Frame<'_>) -> Result<Vec<Moved>> {
        if order.is_empty() {
            return Ok(Vec::new());
        }
        let ended: FxHashSet<Key> = frame.endings.iter().map(|ending| ending.key).collect();
        let additions = frame.additions.iter().enumerate();
        let additions: FxHashMap<Key, usize> = additions
            .map(|(place, addition)| (addition.row.key, place))
            .collect();
        let mut done = FxHashSet::default();
        let mut moved = Vec::new();
        for &(key, priority) in order.iter().rev() {
            if ended.contains(&key) || !done.insert(key) {
                continue;
            }
            match additions.get(&key) {
                Some(&place) => moved.push(Moved {
                    key,
                    attributes: Attributes {
                        priority,
                        ..*frame.additions[place].attributes
                    },
                    from: From::Addition(place),
                }),
                None => moved.extend(self.moved_from_queue(key, priority)?),
            }
        }
        moved.reverse();
        Ok(moved)
    }

    fn moved_from_queue(&self, key: Key, priority: f64) -> Result<Option<Moved>> {
        let Some(Seen::Waiting(slot, depth, foreign, again)) = self.seen(&key)? else {
            return Ok(None);
        };
        if slot.chunk.class >= PARKED {
            return Ok(None);
        }
        let Some((attributes, path)) = self.queued_at(slot)? else {
            return Ok(None);
        };
        let attributes = Attributes {
            priority,
            ..self.known.lock().closest.as_found(&key, attributes)
        };
        let attributes = Attributes {
            depth: match attributes.kind {
                Kind::Page => attributes.depth.min(depth),
                _ => attributes.depth,
            },
            ..attributes
        };
        if attributes.class() == slot.chunk.class {
            return Ok(None);
        }
        let origin = self.origin(slot.chunk.origin);
        Ok(Some(Moved {
            key,
            attributes,
            from: From::Slot {
                slot,
                foreign,
                again,
                origin: origin.ok_or_else(|| damaged("an origin's name"))?,
                path,
            },
        }))
    }
}

impl<'a> Frame<'a> {
    /// Adds the URLs that [`UrlStore::moved_by`] read to the frame.
    pub fn reprioritise(&mut self, moved: &'a [Moved]) {
        for it in moved {
            let (attributes, class) = (&it.attributes, it.attributes.class());
            match &it.from {
                From::Addition(place) => {
                    let addition = &mut self.additions[*place];
                    addition.attributes = attributes;
                    addition.class = class;
                }
                From::Slot {
                    slot,
                    foreign,
                    again,
                    origin,
                    path,
                } => {
                    let is_vouched = self.vouched.remove(&it.key).is_some();
                    self.additions.push(Addition {
                        attributes,
                        row: Row {
                            key: it.key,
                            origin,
                            path,
                        },
                        origin: 0,
                        class,
                        moved_from: Some(*slot),
                        is_again: None,
                        ended_before: *again,
                        foreign: *foreign && !is_vouched,
                        takes_lease: true,
                    });
                }
            }
        }
    }
}

/// The new slot of a URL that moved with its lease.
pub struct NewSlot {
    pub key: Key,
    pub slot: Slot,
    pub total: u8,
    pub foreign: bool,
}

/// The new slots, given the additions in the order in which they were written.
pub fn new_slots<'c, 'a: 'c>(
    chunks: impl Iterator<Item = (ChunkId, &'c [Addition<'a>])>,
    moving: &FxHashSet<Key>,
) -> Vec<NewSlot> {
    let mut slots = Vec::new();
    for (chunk, urls) in chunks {
        for (index, addition) in (0..).zip(urls) {
            if moving.contains(&addition.row.key) {
                slots.push(NewSlot {
                    key: addition.row.key,
                    slot: Slot { chunk, index },
                    total: urls.len() as u8,
                    foreign: addition.foreign,
                });
            }
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_order_of_nothing_is_empty() {
        assert_eq!(encode(&[]), b"");
        assert_eq!(decode(b"").unwrap(), Vec::new());
        assert!(decode(&[9]).unwrap_err().to_string().contains("version 9"));
    }

    proptest! {
        #[test]
        fn an_order_comes_back_as_it_went_in(order in proptest::collection::vec((any::<Key>(), 0.0..1.0), 0..20)) {
            let data = encode(&order);
            prop_assert_eq!(decode(&data).unwrap(), order);
            for length in 2..data.len() {
                let is_whole = (length - 1) % 24 == 0;
                prop_assert_eq!(decode(&data[..length]).is_ok(), is_whole);
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(data in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = decode(&data);
        }
    }
}
