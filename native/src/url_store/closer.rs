//! Known URLs to which a shorter path was found (D5).
//!
//! The seen row has the lowest depth. A queued URL moves to a queue slot with its new attributes. A URL that is
//! handed out cannot move: its new path is stored here and in a separate row, and [`UrlStore::closest`] returns it
//! when the URL ends. So the end of a URL has the lowest depth of all earlier frames. A page that has ended must be
//! read again, because its links are closer, too: a row says so until a frame records that it was done.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::UrlStore;
use super::attributes::{Attributes, Via};
use super::discoveries::Group;
use super::rows;
use super::tree::Tree;
use super::wire::Reader;
use crate::error::Result;
use crate::fetched::Kind;
use crate::url::Key;

/// Most pages to be reread that are kept in memory; the tree has the others.
const MOST_HELD: usize = 100_000;

/// The shortest path to a URL.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closer {
    pub attributes: Attributes,
    /// The path in its row in the tree. If that is not the shortest one, the shorter one is in a pending frame.
    pub row: Option<Attributes>,
}

/// URLs that were found closer and whose queue slots do not show it.
#[derive(Debug, Default)]
pub struct Closest {
    urls: FxHashMap<Key, Closer>,
}

impl Closest {
    pub fn of(tree: &dyn Tree) -> Result<Closest> {
        let mut closest = Closest::default();
        let (from, to) = rows::closer_range();
        tree.scan(&from, &to, &mut |key, value| {
            let attributes = Attributes::read(&mut Reader::new(value));
            let attributes =
                attributes.ok_or_else(|| rows::damaged("a URL that was found closer"))?;
            closest.insert(rows::key_of(key)?, &attributes, true);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(closest)
    }

    pub fn is_empty(&self) -> bool {
        self.urls.is_empty()
    }

    fn closer_than(&self, key: &Key, depth: u32) -> Option<Attributes> {
        let closer = self.urls.get(key)?.attributes;
        (closer.depth < depth).then_some(closer)
    }

    /// The attributes of a queue slot, with the shortest path of later frames.
    pub fn as_found(&self, key: &Key, queued: Attributes) -> Attributes {
        match self.urls.get(key).and_then(|held| held.row) {
            Some(row) if row.depth < queued.depth => Attributes {
                depth: row.depth,
                via: row.via,
                source: row.source,
                is_seed: row.is_seed || queued.is_seed,
                ..queued
            },
            _ => queued,
        }
    }

    pub fn has_row(&self, key: &Key) -> bool {
        self.urls.get(key).is_some_and(|held| held.row.is_some())
    }

    pub fn insert(&mut self, key: Key, attributes: &Attributes, has_row: bool) {
        if attributes.kind != Kind::Page {
            return;
        }
        let held = self.urls.entry(key).or_insert(Closer {
            attributes: *attributes,
            row: None,
        });
        if has_row {
            held.row = Some(*attributes);
        }
        if attributes.depth < held.attributes.depth {
            held.attributes = *attributes;
        }
    }

    /// The path of this depth is in the queue now, or will never be in a frame: only the row remains.
    pub fn settle(&mut self, key: &Key, depth: u32) {
        let Some(held) = self.urls.get_mut(key) else {
            return;
        };
        match held.row {
            _ if held.attributes.depth < depth => {}
            Some(row) => held.attributes = row,
            None => self.forget(key),
        }
    }

    pub fn settle_all(&mut self, groups: &[Group<'_>]) {
        if self.urls.is_empty() {
            return;
        }
        for group in groups {
            for row in &group.rows {
                self.settle(&row.key, group.attributes.depth);
            }
        }
    }

    pub fn forget(&mut self, key: &Key) {
        self.urls.remove(key);
    }
}

/// Ended pages that were found closer since, closest first.
#[derive(Debug, Default)]
pub struct Rereads {
    held: BTreeSet<(u32, Key)>,
    /// Whether the tree has more than memory.
    has_more: bool,
}

impl Rereads {
    pub fn of(tree: &dyn Tree) -> Result<Rereads> {
        let mut rereads = Rereads::default();
        let (from, to) = rows::rereads_range();
        tree.scan(&from, &to, &mut |row, _| {
            rereads.insert(rows::parse_reread(row)?);
            Ok(match rereads.has_more {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })
        })?;
        Ok(rereads)
    }

    pub fn insert(&mut self, page: (u32, Key)) {
        self.held.insert(page);
        if self.held.len() > MOST_HELD {
            self.held.pop_last();
            self.has_more = true;
        }
    }

    pub fn remove(&mut self, page: &(u32, Key)) {
        self.held.remove(page);
    }

    fn below(&self, depth: u32, most: usize) -> Vec<(u32, Key)> {
        self.held
            .range(..(depth, [0; 16]))
            .take(most)
            .copied()
            .collect()
    }
}

impl UrlStore {
    /// The shortest path to a URL that is handed out, if it is shorter than `depth`.
    pub fn closest(&self, key: &Key, depth: u32) -> Option<Attributes> {
        self.known.lock().closest.closer_than(key, depth)
    }

    /// Like `closest`, without waiting: `None` if another thread holds the lock.
    pub fn try_closest(&self, key: &Key, depth: u32) -> Option<Option<Attributes>> {
        Some(self.known.try_lock()?.closest.closer_than(key, depth))
    }

    /// Up to `most` pages at less than `depth` whose links must be reread, closest first.
    pub fn rereads(&self, depth: u32, most: usize) -> Result<Vec<(u32, Key)>> {
        let mut rereads = self.rereads.lock();
        let due = rereads.below(depth, most);
        if !due.is_empty() || !rereads.has_more {
            return Ok(due);
        }
        *rereads = Rereads::of(self.tree.as_ref())?;
        Ok(rereads.below(depth, most))
    }
}

/// Whether a link to a known URL is a shorter path to it. The depth of a sitemap does not matter, unless it is parked;
/// an order to refetch is not a path.
pub fn is_closer(found: &Attributes, depth: u32, is_parked: bool) -> bool {
    found.depth < depth && found.via != Via::Recrawl && (found.kind == Kind::Page || is_parked)
}

/// The depth in a URL's seen row. Nothing is closer than a queued sitemap or requisite.
pub fn kept_depth(attributes: &Attributes) -> u32 {
    match attributes.kind {
        Kind::Sitemap | Kind::Requisite if !attributes.parked => 0,
        _ => attributes.depth,
    }
}
