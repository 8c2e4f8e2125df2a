//! Plans the changes of one frame of the log before anything is written.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::UrlStore;
use super::attributes::{Attributes, PARKED, Via};
use super::budgets::Visit;
use super::chunks;
use super::closer::{is_closer, kept_depth};
use super::discoveries::{Group, Row};
use super::queues::{Changes, HeldChunk, Queues};
use super::reprioritise::NewSlot;
use super::rows::{Again, ChunkId, Part, Seen, Slot, damaged, finished_bits};
use crate::error::Result;
use crate::fetched::Kind;
use crate::url::Key;

/// For each row, whether the overlay guarantees that the tree does not have it: then no look-up is needed.
fn new_rows(store: &UrlStore, groups: &[Group<'_>]) -> Vec<bool> {
    let known = store.known.lock();
    let rows = groups.iter().flat_map(|group| &group.rows);
    rows.map(|row| known.overlay.is_new(&row.key)).collect()
}

/// A URL that goes into a queue.
#[derive(Debug, Clone, Copy)]
pub struct Addition<'a> {
    pub attributes: &'a Attributes,
    pub row: Row<'a>,
    pub origin: u32,
    pub class: u8,
    /// Its slot so far, farther from a seed.
    pub moved_from: Option<Slot>,
    /// It ended before, at this depth, and is requested again.
    pub is_again: Option<u32>,
    /// It moves, and had ended before it was queued.
    pub ended_before: bool,
    /// It is foreign.
    pub foreign: bool,
    /// It moves even if it is handed out.
    pub takes_lease: bool,
}

impl Addition<'_> {
    /// Whether it is closer than when it ended. Then its links are closer, too, even if its next answer has none.
    pub fn is_again_closer(&self) -> bool {
        let is_closer = match self.is_again {
            Some(ended_at) => self.attributes.depth < ended_at,
            None => self.ended_before && !self.takes_lease,
        };
        self.attributes.kind == Kind::Page && is_closer
    }

    /// Whether it has ended at least once.
    pub fn has_ended(&self) -> bool {
        self.is_again.is_some() || self.ended_before
    }

    pub fn is_new(&self) -> bool {
        self.moved_from.is_none() && self.is_again.is_none()
    }
}

/// A slot whose URL ends or moves.
#[derive(Debug, Clone, Copy)]
pub struct Ending {
    pub key: Key,
    pub slot: Slot,
    pub is_move: bool,
}

/// A chunk with slots that end in this frame.
#[derive(Debug, Clone, Copy)]
pub struct EndingChunk {
    pub before: u64,
    pub after: u64,
    pub total: u8,
}

/// A URL that was found closer and does not move, because it has ended or is handed out.
#[derive(Debug, Clone, Copy)]
pub struct Lowered<'a> {
    pub attributes: &'a Attributes,
    /// Its previous depth.
    pub before: u32,
    /// Its slot while it is handed out.
    pub slot: Option<Slot>,
    /// As in its seen row.
    pub foreign: bool,
    /// It had ended before it was handed out.
    pub again: bool,
}

#[derive(Default)]
pub struct Frame<'a> {
    pub additions: Vec<Addition<'a>>,
    pub endings: Vec<Ending>,
    /// Ended without having been queued, with the depths.
    pub unknown: Vec<(Key, u32)>,
    pub lowered: FxHashMap<Key, Lowered<'a>>,
    /// URLs that end in this frame and were foreign before it.
    pub foreign: FxHashSet<Key>,
    /// Those of them that were refused because of the results of foreign URLs, and pages that were only fetched as
    /// requisites; with their depth.
    pub revocable: FxHashMap<Key, u32>,
    /// Queued URLs that their own host names for the first time, without being closer: slot, depth, ended before.
    pub vouched: FxHashMap<Key, (Slot, u32, Again)>,
    /// Bodies that no URL had before.
    pub contents: FxHashMap<Key, Key>,
    pub chunks: FxHashMap<ChunkId, EndingChunk>,
    /// Slots that are held by this frame, not by a lease.
    claimed: Vec<Slot>,
    /// URLs that are handed out and move with their lease.
    pub moving: FxHashSet<Key>,
}

impl<'a> Frame<'a> {
    /// Reads what the tree has of the frame's keys. Nothing changes yet.
    pub fn plan(
        store: &UrlStore,
        groups: &'a [Group<'a>],
        finished: &[(Key, Option<Key>)],
        depths: &[u32],
        visits: &[Visit<'_>],
    ) -> Result<Frame<'a>> {
        let mut frame = Frame::default();
        let depths = depths.iter().copied().chain(std::iter::repeat(0));
        let keys: FxHashMap<Key, u32> = finished.iter().map(|(key, _)| *key).zip(depths).collect();
        frame.end(store, &keys)?;
        if !frame.foreign.is_empty() {
            let visits = visits.iter().filter(|visit| visit.is_revocable());
            let ended = visits.map(|visit| visit.key);
            let ended = ended.filter(|key| frame.foreign.contains(key));
            frame.revocable = ended.map(|key| (key, keys[&key])).collect();
        }
        frame.add(store, groups, &keys)?;
        for addition in &mut frame.additions {
            if let (Some(depth), Some(lowered)) =
                (&mut addition.is_again, frame.lowered.get(&addition.row.key))
            {
                *depth = lowered.attributes.depth.min(*depth);
            }
        }
        store
            .filters
            .warm(finished.iter().filter_map(|(_, hash)| *hash));
        for (key, hash) in finished {
            frame.remember(store, key, hash.as_ref())?;
        }
        Ok(frame)
    }

    fn end(&mut self, store: &UrlStore, keys: &FxHashMap<Key, u32>) -> Result<()> {
        for (&key, &depth) in keys {
            let leased = store.queues.lock().leased(&key);
            let seen = match leased {
                Some(lease) if !lease.foreign => {
                    Some(Seen::Waiting(lease.slot, depth, false, false))
                }
                _ => store.seen(&key)?,
            };
            match seen {
                Some(Seen::Waiting(slot, _, foreign, _)) => {
                    self.endings.push(Ending {
                        key,
                        slot,
                        is_move: false,
                    });
                    if foreign {
                        self.foreign.insert(key);
                    }
                }
                Some(Seen::Finished(..)) => {}
                None => self.unknown.push((key, depth)),
            }
        }
        Ok(())
    }

    /// Queues new keys, and moves queued ones that were found closer. A key may occur twice in a frame, and may be
    /// known: logs of several writers repeat each other.
    fn add(
        &mut self,
        store: &UrlStore,
        groups: &'a [Group<'a>],
        finished: &FxHashMap<Key, u32>,
    ) -> Result<()> {
        let mut places: FxHashMap<Key, usize> = FxHashMap::default();
        let mut new = new_rows(store, groups).into_iter();
        for group in groups {
            let (attributes, class) = (&group.attributes, group.attributes.class());
            let rows = group.rows.iter().zip(&mut new);
            for (&row, is_new) in rows {
                if let Some(&place) = places.get(&row.key) {
                    let addition = &mut self.additions[place];
                    addition.foreign &= attributes.foreign;
                    let (held, is_parked) = (addition.attributes, addition.class >= PARKED);
                    if is_closer(attributes, kept_depth(held), is_parked) {
                        *addition = Addition {
                            attributes,
                            row,
                            class,
                            ..*addition
                        };
                    }
                    continue;
                }
                let seen = match finished.get(&row.key) {
                    Some(&depth) => {
                        Some(Seen::Finished(depth, self.revocable.contains_key(&row.key)))
                    }
                    None if is_new => None,
                    None => store.seen(&row.key)?,
                };
                let mut ended_before = false;
                let (moved_from, is_again) = match seen {
                    None => (None, None),
                    Some(Seen::Waiting(slot, depth, foreign, again)) => {
                        if !is_closer(attributes, depth, slot.chunk.class >= PARKED) {
                            if foreign && !attributes.foreign {
                                self.vouched.insert(row.key, (slot, depth, again));
                            }
                            continue;
                        }
                        ended_before = again;
                        (Some((slot, foreign)), None)
                    }
                    Some(Seen::Finished(depth, true)) if !attributes.foreign => (None, Some(depth)),
                    Some(Seen::Finished(depth, foreign)) => {
                        if attributes.via == Via::Recrawl && !finished.contains_key(&row.key) {
                            (None, Some(depth))
                        } else {
                            let before = match finished.contains_key(&row.key) {
                                true => depth.max(last_end(store, &row.key)?),
                                false => depth,
                            };
                            self.lower(row.key, attributes, before, foreign);
                            continue;
                        }
                    }
                };
                places.insert(row.key, self.additions.len());
                self.additions.push(Addition {
                    attributes,
                    row,
                    origin: 0,
                    class,
                    moved_from: moved_from.map(|(slot, _)| slot),
                    is_again,
                    ended_before,
                    foreign: attributes.foreign && moved_from.is_none_or(|(_, foreign)| foreign),
                    takes_lease: false,
                });
            }
        }
        let additions = &mut self.additions;
        self.vouched.retain(|key, _| match places.get(key) {
            Some(&place) => {
                additions[place].foreign = false;
                false
            }
            None => true,
        });
        Ok(())
    }

    /// Lowers the depth of a URL that has ended, or ends in this frame.
    fn lower(&mut self, key: Key, attributes: &'a Attributes, before: u32, foreign: bool) {
        let depth = match self.lowered.get(&key) {
            Some(held) => held.attributes.depth,
            None => before,
        };
        if is_closer(attributes, depth, false) {
            let lowered = Lowered {
                attributes,
                before,
                slot: None,
                foreign,
                again: false,
            };
            self.lowered.insert(key, lowered);
        }
    }

    fn remember(&mut self, store: &UrlStore, key: &Key, hash: Option<&Key>) -> Result<()> {
        if let Some(hash) = hash
            && !self.contents.contains_key(hash)
            && store.content(hash)?.is_none()
        {
            self.contents.insert(*hash, *key);
        }
        Ok(())
    }

    /// Holds every slot that ends, so that `take` skips it, and assigns origins to the additions. URLs that are handed
    /// out do not move, because they are being fetched.
    pub fn claim(&mut self, store: &UrlStore) -> Result<()> {
        let moves = self.additions.iter().filter_map(|addition| {
            addition.moved_from.map(|slot| Ending {
                key: addition.row.key,
                slot,
                is_move: true,
            })
        });
        self.endings.extend(moves);
        let chunks = self.read_chunks(store)?;
        let taking = self.additions.iter().filter(|it| it.takes_lease);
        let taking: FxHashSet<Key> = taking.map(|addition| addition.row.key).collect();
        let mut queues = store.queues.lock();
        let mut in_use: FxHashSet<Key> = FxHashSet::default();
        for ending in &self.endings {
            let Some(chunk) = chunks.get(&ending.slot.chunk) else {
                continue;
            };
            if queues.hold(ending.slot, chunk.finished, chunk.total) {
                self.claimed.push(ending.slot);
            } else if taking.contains(&ending.key) && queues.begin_move(ending.key) {
                self.moving.insert(ending.key);
            } else if ending.is_move {
                in_use.insert(ending.key);
            }
        }
        self.endings.retain(|ending| !in_use.contains(&ending.key));
        for addition in self
            .additions
            .extract_if(.., |addition| in_use.contains(&addition.row.key))
        {
            let lowered = Lowered {
                attributes: addition.attributes,
                before: u32::MAX,
                slot: addition.moved_from,
                foreign: addition.foreign,
                again: addition.ended_before,
            };
            self.lowered.insert(addition.row.key, lowered);
        }
        self.name_origins(&mut queues);
        drop(queues);
        self.close_slots(&chunks);
        Ok(())
    }

    fn read_chunks(&self, store: &UrlStore) -> Result<FxHashMap<ChunkId, HeldChunk>> {
        let mut chunks = FxHashMap::default();
        for ending in &self.endings {
            if let Entry::Vacant(place) = chunks.entry(ending.slot.chunk) {
                let held = store.queues.lock().held(place.key()).copied();
                let chunk = held.map_or_else(|| read_chunk(store, *place.key()), Ok)?;
                place.insert(chunk);
            }
        }
        Ok(chunks)
    }

    fn name_origins(&mut self, queues: &mut Queues) {
        let mut last = ("", 0);
        for addition in &mut self.additions {
            if addition.row.origin != last.0 {
                last = (
                    addition.row.origin,
                    queues.names.intern(addition.row.origin),
                );
            }
            addition.origin = last.1;
        }
    }

    fn close_slots(&mut self, chunks: &FxHashMap<ChunkId, HeldChunk>) {
        for ending in &self.endings {
            let Some(chunk) = chunks.get(&ending.slot.chunk) else {
                continue;
            };
            let (before, total) = (chunk.finished, chunk.total);
            let ends = self.chunks.entry(ending.slot.chunk).or_insert(EndingChunk {
                before,
                after: before,
                total,
            });
            ends.after |= ending.slot.bit();
        }
    }

    /// Depths and keys of pages whose links must be reread after this frame.
    pub fn rereads(&self) -> impl Iterator<Item = (u32, Key)> {
        let ended = self.lowered.iter();
        let ended = ended.filter(|(_, it)| it.slot.is_none() || it.again);
        let again = self.additions.iter().filter(|it| it.is_again_closer());
        ended
            .map(|(key, lowered)| (lowered.attributes.depth, *key))
            .chain(again.map(|addition| (addition.attributes.depth, addition.row.key)))
    }

    /// Releases what this frame holds: it was not written.
    pub fn abandon(&self, queues: &mut Queues) {
        self.claimed.iter().for_each(|&slot| queues.release(slot));
        self.moving.iter().for_each(|key| queues.cancel_move(key));
    }

    /// Makes the frame visible to `take`. Returns the origins that had nothing to hand out and now have.
    pub fn publish(
        &self,
        queues: &mut Queues,
        changes: &Changes,
        new_slots: &[NewSlot],
    ) -> Vec<u32> {
        let mut origins: Vec<u32> = changes.keys().map(|&(origin, _)| origin).collect();
        origins.dedup();
        let idle: Vec<bool> = origins
            .iter()
            .map(|&number| queues.origin(number).is_none_or(|origin| origin.is_idle()))
            .collect();
        for ending in &self.endings {
            queues.end(&ending.key, ending.slot);
        }
        origins
            .iter()
            .for_each(|&origin| queues.publish(origin, changes));
        for new in new_slots {
            queues.end_move(new);
        }
        let woken = origins.into_iter().zip(idle);
        woken
            .filter(|&(origin, was_idle)| was_idle && queues.has_available(origin))
            .map(|(origin, _)| origin)
            .collect()
    }
}

/// The depth at which a queued URL ended before; 0 if it never did.
fn last_end(store: &UrlStore, key: &Key) -> Result<u32> {
    Ok(match store.last_seen(key)? {
        Some(Seen::Waiting(_, depth, _, true)) => depth,
        _ => 0,
    })
}

fn read_chunk(store: &UrlStore, id: ChunkId) -> Result<HeldChunk> {
    let urls = store
        .tree
        .get(&id.key(Part::Urls))?
        .ok_or_else(|| damaged("a place in a chunk"))?;
    let finished = store.tree.get(&id.key(Part::Finished))?;
    Ok(HeldChunk {
        held: 0,
        finished: finished.map_or(Ok(0), |value| finished_bits(&value))?,
        total: chunks::total(&urls)?,
    })
}
