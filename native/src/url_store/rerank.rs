//! Finds queued URLs whose class changes with their rank (F2), a bounded number at a time.
//!
//! It walks through the queues from a cursor, and looks the rank of each URL up. A URL moves only if its priority has
//! changed by half a class, so that one whose rank is near the edge of a class does not move with every computation. The
//! result is an order ([`super::reprioritise`]): nothing changes before its frame is applied. What happens to the
//! queues meanwhile is harmless: a URL that ended is skipped, and one that joined behind the cursor has been admitted
//! with a priority of its own.

use std::ops::ControlFlow;

use super::UrlStore;
use super::attributes::{Attributes, PARKED};
use super::chunks::entries;
use super::reprioritise::{Order, encode};
use super::rows::{ChunkId, Part, finished_bits};
use crate::error::Result;
use crate::rank::Factors;
use crate::url::host_of_origin;

/// Half the width of a class.
const LEAST_CHANGE: f64 = 1.0 / 32.0;

/// Where to continue: origin, class, chunk.
pub type Cursor = (u32, u8, u64);

pub struct Reranked {
    /// The data of the order; empty if no URL moves.
    pub data: Vec<u8>,
    pub count: u64,
    /// `None` at the end of the queues.
    pub next: Option<Cursor>,
}

impl UrlStore {
    /// Looks at the URLs of about `most` slots.
    pub fn rerank(&self, factors: &Factors, from: Cursor, most: usize) -> Result<Reranked> {
        let mut order = Order::new();
        let mut left = most;
        let mut from = from;
        let next = loop {
            let Some(queue) = self.queue_from(from) else {
                break None;
            };
            let stopped_at = self.rerank_class(factors, queue, &mut left, &mut order)?;
            from = match stopped_at {
                Some(chunk) => (chunk.origin, chunk.class, chunk.number),
                None => (queue.origin, queue.class + 1, 0),
            };
            if left == 0 {
                break Some(from);
            }
        };
        Ok(Reranked {
            data: encode(&order),
            count: order.len() as u64,
            next,
        })
    }

    /// The first chunk at or behind a cursor that may have URLs to hand out.
    fn queue_from(&self, (origin, class, number): Cursor) -> Option<ChunkId> {
        let queues = self.queues.lock();
        let origins = queues.origins().skip(origin as usize);
        let mut places = origins.flat_map(|(held, row)| {
            let least = if held == origin { class } else { 0 };
            row.places().filter_map(move |(class, cursor)| {
                let is_behind = class >= least && class < PARKED;
                is_behind.then_some(ChunkId {
                    origin: held,
                    class,
                    number: cursor,
                })
            })
        });
        let place = places.next()?;
        let is_same = (place.origin, place.class) == (origin, class);
        Some(ChunkId {
            number: if is_same {
                place.number.max(number)
            } else {
                place.number
            },
            ..place
        })
    }

    /// Returns the chunk at which it stopped, or `None` at the end of the class.
    fn rerank_class(
        &self,
        factors: &Factors,
        from: ChunkId,
        left: &mut usize,
        order: &mut Order,
    ) -> Result<Option<ChunkId>> {
        let Some(origin) = self.origin(from.origin) else {
            return Ok(None);
        };
        *left = left.saturating_sub(1);
        let host = factors.host(host_of_origin(&origin))?;
        let mut stopped_at = None;
        self.tree.visit_chunks(from, &mut |chunk, value| {
            if *left == 0 {
                stopped_at = Some(chunk);
                return Ok(ControlFlow::Break(()));
            }
            let finished = self.finished_of(&chunk)?;
            for (index, entry) in entries(value).enumerate() {
                let entry = entry?;
                *left = left.saturating_sub(1);
                if finished >> index & 1 != 0 {
                    continue;
                }
                let rated = factors.rate_queued(&entry.key, &entry.attributes, host)?;
                let Some(priority) = rated else {
                    continue;
                };
                let after = Attributes {
                    priority,
                    ..entry.attributes
                };
                let change = (priority - entry.attributes.priority).abs();
                if after.class() != chunk.class && change >= LEAST_CHANGE {
                    order.push((entry.key, priority));
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(stopped_at)
    }

    /// The bits of the slots of a chunk that have ended.
    fn finished_of(&self, chunk: &ChunkId) -> Result<u64> {
        let queues = self.queues.lock();
        if let Some(held) = queues.held(chunk) {
            return Ok(held.finished);
        }
        if queues.is_untouched(chunk) {
            return Ok(0);
        }
        drop(queues);
        let bits = self.tree.get(&chunk.key(Part::Finished))?;
        bits.map_or(Ok(0), |bits| finished_bits(&bits))
    }
}
