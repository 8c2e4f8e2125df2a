//! Reads ahead: reads from disk what an admission or the frontier will look up, on a thread that may wait.
//!
//! The event loop must not wait for the disk. So the engine's threads look up the links of a page before the loop
//! sees it: [`UrlStore::cold`] finds the rows that are not in memory, [`UrlStore::read_ahead`] reads them. Rows of
//! URLs go into the hot keys, counts of hosts into the recent ones; all other blocks are then in the system's cache.
//! This is only an optimisation: anything that was not read ahead is read when it is needed.
//!
//! # What may never happen
//! A result from before a frame is taken for one from after it. So a result goes into memory only if no frame was
//! applied since it was read ([`super::Known::version`]); a frame itself updates memory.

use std::ops::ControlFlow;

use super::budgets::{ColdCounts, is_of_host};
use super::cache::{mark_of, read_mark};
use super::chunks::{entries, total};
use super::queues::NextPlace;
use super::rows::{self, ChunkId, Part, Seen};
use super::{Known, UrlStore};
use crate::error::Result;
use crate::url::{Key, host_of_origin, split_origin};

/// Links that are checked under one lock: admissions wait for it.
const AT_ONCE: usize = 1_000;
/// Chunks of a class that are read ahead.
const CHUNKS: usize = 2;
/// The frontier takes up to this many URLs at once. So many of a chunk have their worth looked up ahead.
const TAKEN_AT_ONCE: usize = 8;

/// Rows that are not in memory.
#[derive(Debug, Default)]
pub struct Cold {
    /// Seen rows of URLs that may be known.
    keys: Vec<Key>,
    counts: ColdCounts,
    /// The row of a body.
    content: Option<[u8; 17]>,
}

impl Cold {
    fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.counts.is_empty() && self.content.is_none()
    }
}

impl Known {
    /// Whether an admission of this URL, named by `found_on`, finds its depth without the tree.
    fn answers(&self, href: &str, key: &Key, found_on: Option<&str>) -> bool {
        if self.overlay.get(key).is_some() {
            return true;
        }
        match self.hot.peek(key).and_then(read_mark) {
            Some((_, is_foreign)) => !is_foreign || !is_at_home(href, found_on),
            None => false,
        }
    }
}

impl UrlStore {
    /// The rows to read before these URLs are admitted. `found_on` is the host that names them, `content` the hash of
    /// the body that contains them. `None` if memory has all of it.
    pub fn cold<'a>(
        &self,
        mut urls: impl Iterator<Item = (&'a str, Key)>,
        found_on: Option<&str>,
        content: Option<&Key>,
    ) -> Option<Cold> {
        if self.tree.is_resident() {
            return None;
        }
        let mut cold = Cold::default();
        loop {
            let mut some: Vec<(&str, Key)> = urls.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            let known = self.known.lock();
            some.retain(|(href, key)| !known.answers(href, key, found_on));
            drop(known);
            self.add_cold(&some, found_on, &mut cold);
        }
        let content = content.filter(|hash| self.filters.knows(hash));
        let content = content.map(rows::content_key);
        cold.content = content.filter(|row| self.tree.is_cold(row));
        (!cold.is_empty()).then_some(cold)
    }

    fn add_cold(&self, urls: &[(&str, Key)], found_on: Option<&str>, cold: &mut Cold) {
        for (href, key) in urls {
            if self.filters.knows(key) {
                if self.tree.is_cold(&rows::seen_key(key)) {
                    cold.keys.push(*key);
                }
            } else if let Some((origin, path)) = split_origin(href) {
                let host = host_of_origin(origin);
                let is_foreign = found_on.is_some_and(|on| !is_of_host(host, on));
                self.add_cold_counts(host, path, is_foreign, &mut cold.counts);
            }
        }
    }

    /// Reads these rows, in the order on disk, and keeps them in memory.
    pub fn read_ahead(&self, mut cold: Cold) -> Result<()> {
        cold.keys.sort_unstable();
        for keys in cold.keys.chunks(AT_ONCE) {
            let version = self.known.lock().version;
            let mut marks = Vec::with_capacity(keys.len());
            for key in keys {
                marks.extend(self.read_mark(key)?.map(|mark| (*key, mark)));
            }
            let mut known = self.known.lock();
            if known.version == version {
                for (key, mark) in &marks {
                    known.hot.insert(key, *mark);
                }
            }
        }
        if let Some(row) = cold.content {
            self.tree.get(&row)?;
        }
        self.read_counts_ahead(&cold.counts)
    }

    fn read_mark(&self, key: &Key) -> Result<Option<u8>> {
        let Some(value) = self.tree.get(&rows::seen_key(key))? else {
            return Ok(None);
        };
        Ok(Some(match Seen::parse(&value)? {
            Seen::Waiting(slot, depth, is_foreign, _) => {
                if is_foreign {
                    self.has_ended(slot)?;
                }
                mark_of(depth, is_foreign)
            }
            Seen::Finished(depth, is_foreign) => mark_of(depth, is_foreign),
        }))
    }

    /// Reads the next chunks of an origin, and what is checked about their URLs before they are requested.
    pub fn read_queue_ahead(&self, origin: u32, max_depth: Option<u32>) -> Result<()> {
        if self.tree.is_resident() {
            return Ok(());
        }
        let (name, places) = {
            let queues = self.queues.lock();
            let name = queues.names.get(origin).unwrap_or_default().to_owned();
            (name, queues.next_places(origin, max_depth))
        };
        let host = host_of_origin(&name);
        let mut counts = ColdCounts::default();
        for place in places {
            for chunk in self.read_chunks_ahead(place, host, &mut counts)? {
                self.tree.get(&chunk.key(Part::Finished))?;
            }
        }
        self.add_cold_host(host, &mut counts);
        self.read_counts_ahead(&counts)
    }

    /// Reads as many chunks of a class as one `take` needs. Returns those whose bits of ended URLs must be read, too.
    fn read_chunks_ahead(
        &self,
        place: NextPlace,
        host: &str,
        counts: &mut ColdCounts,
    ) -> Result<Vec<ChunkId>> {
        let (mut chunks, mut touched) = (0, Vec::new());
        let mut wanted = TAKEN_AT_ONCE.min(place.available as usize);
        self.tree.visit_chunks(place.chunk, &mut |chunk, value| {
            chunks += 1;
            let is_untouched = chunk.number >= place.untouched;
            if !is_untouched {
                touched.push(chunk);
            }
            let looked_up = match self.may_have_streaks() {
                true => TAKEN_AT_ONCE,
                false => 0,
            };
            for entry in entries(value).take(looked_up) {
                let entry = entry?;
                self.add_cold_streaks(host, entry.path, entry.attributes.foreign, counts);
            }
            if is_untouched {
                wanted = wanted.saturating_sub(total(value)?.into());
            }
            Ok(match chunks < CHUNKS && wanted > 0 {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        })?;
        Ok(touched)
    }
}

fn is_at_home(href: &str, found_on: Option<&str>) -> bool {
    let host = split_origin(href).map(|(origin, _)| host_of_origin(origin));
    host.zip(found_on)
        .is_none_or(|(host, on)| is_of_host(host, on))
}
