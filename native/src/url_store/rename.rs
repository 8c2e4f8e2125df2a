//! Gives queued URLs another href, and with it perhaps another origin.
//!
//! Two hrefs may have one key: identity ignores tracking parameters, session ids, or a final dot. There are two reasons to
//! request a URL by another href than the one that was found first:
//! - Its server redirected to it (H3): the log has an event.
//! - Another host named it first, and now its own host names it (F6): the frame that says so has the href.
//!
//! The URL moves to a slot in the queue of its new origin, so the clock, robots.txt and address of that origin apply. A URL
//! that is handed out moves with its lease; [`UrlStore::renamed`] returns it as it is now.

use super::UrlStore;
use super::attributes::Attributes;
use super::discoveries::{MAX_HREF, MAX_ORIGIN, Row};
use super::frame::{Addition, Frame};
use super::reprioritise::{From, Moved};
use super::rows::Seen;
use super::take::QueuedUrl;
use crate::error::Result;
use crate::url::{Key, split_origin};

/// A URL as it is queued now, with the number of its origin and its class.
pub type Renamed = (QueuedUrl, u32, u8);

impl UrlStore {
    /// A URL that is handed out, if it got another href since. It stays handed out.
    pub fn renamed(&self, key: &Key) -> Result<Option<Renamed>> {
        let Some(lease) = self.queues.lock().renamed(key) else {
            return Ok(None);
        };
        let chunk = lease.slot.chunk;
        let (queued, origin) = (self.queued_at(lease.slot)?, self.origin(chunk.origin));
        Ok(queued.zip(origin).map(|((attributes, path), origin)| {
            let url = QueuedUrl {
                href: origin + &path,
                key: *key,
                attributes,
            };
            (url, chunk.origin, chunk.class)
        }))
    }

    /// Reads what redirects rename in addition to the rest of the frame. Hrefs that a queue cannot store are ignored.
    pub(super) fn renamed_by(
        &self,
        renamed: &[(Key, &str, u32)],
        frame: &Frame<'_>,
    ) -> Result<Vec<Moved>> {
        let mut moved = Vec::new();
        for &(key, href, hops) in renamed {
            let is_over = frame.endings.iter().any(|ending| ending.key == key);
            let parts = split_origin(href).filter(|(origin, path)| {
                path.starts_with('/') && origin.len() <= MAX_ORIGIN && href.len() <= MAX_HREF
            });
            let Some((origin, path)) = parts.filter(|_| !is_over) else {
                continue;
            };
            let Some(Seen::Waiting(slot, depth, foreign)) = self.seen(&key)? else {
                continue;
            };
            let mut additions = frame.additions.iter();
            let attributes = match additions.find(|addition| addition.row.key == key) {
                Some(addition) => *addition.attributes,
                None => match self.queued_at(slot)? {
                    Some((attributes, _)) => self.closest_of(&key, attributes, depth),
                    None => continue,
                },
            };
            moved.push(Moved {
                key,
                attributes: Attributes { hops, ..attributes },
                from: From::Slot {
                    slot,
                    foreign,
                    origin: origin.to_owned(),
                    path: path.to_owned(),
                },
            });
        }
        Ok(moved)
    }

    /// Reads which URLs of the frame their own host names for the first time, by another href than the queued one.
    pub(super) fn respelled_by(&self, frame: &Frame<'_>) -> Result<Vec<Moved>> {
        let mut moved = Vec::new();
        for (key, &(slot, depth, row)) in &frame.vouched {
            let Some((attributes, path)) = self.queued_at(slot)? else {
                continue;
            };
            let origin = self.origin(slot.chunk.origin);
            if path == row.path && origin.as_deref() == Some(row.origin) {
                continue;
            }
            let attributes = Attributes {
                foreign: false,
                ..self.closest_of(key, attributes, depth)
            };
            moved.push(Moved {
                key: *key,
                attributes,
                from: From::Slot {
                    slot,
                    foreign: false,
                    origin: row.origin.to_owned(),
                    path: row.path.to_owned(),
                },
            });
        }
        moved.sort_unstable_by_key(|it| it.key);
        Ok(moved)
    }
}

impl<'a> Frame<'a> {
    /// Adds the URLs that [`UrlStore::renamed_by`] and [`UrlStore::respelled_by`] read to the frame.
    pub fn rename(&mut self, renamed: &'a [Moved]) {
        for it in renamed {
            let From::Slot {
                slot,
                foreign,
                origin,
                path,
            } = &it.from
            else {
                continue;
            };
            let is_vouched = self.vouched.remove(&it.key).is_some();
            let row = Row {
                key: it.key,
                origin,
                path,
            };
            let mut addition = Addition {
                attributes: &it.attributes,
                row,
                origin: 0,
                class: it.attributes.class(),
                moved_from: Some(*slot),
                is_again: None,
                foreign: *foreign && !is_vouched,
                takes_lease: true,
                is_renamed: true,
            };
            match self
                .additions
                .iter_mut()
                .find(|held| held.row.key == it.key)
            {
                Some(held) => {
                    addition.foreign &= held.foreign;
                    *held = addition;
                }
                None => self.additions.push(addition),
            }
        }
    }
}
