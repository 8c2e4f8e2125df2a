//! Streaks of fetches without new content: one row per streak, as long as it lasts (F6).
//!
//! A streak is counted for a shape of a host, and for a part of its URLs that does not affect the text
//! ([`super::parts`]), such as a session id. For a part there are two streaks. One is for URLs whose other parts are
//! equal: an endless calendar. The other is for all URLs of the host with that part: a session id in every link. The
//! second grows only if the other parts differ from those of the previous fetch, so that one endless list says
//! nothing about the host's other lists.
//!
//! These rows are separate from the counts of the host, because nearly every fetch has new content: then a filter
//! ([`super::stale_shapes`]) says that there is no such row, and nothing is read or written.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::super::UrlStore;
use super::super::rows::{self, damaged};
use super::super::tree::Batch;
use super::parts::{self, Digest, Outline, Parts};
use super::shape::Fingerprint;
use crate::error::Result;
use crate::url::Key;

/// Consecutive fetches without new content, up to the maximum of this type.
pub type Stale = u8;

/// A streak, and the other parts of the URL that it counted last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Streak {
    stale: Stale,
    others: Digest,
}

/// A streak before and after a frame.
#[derive(Debug, Clone, Copy)]
struct Changed {
    before: Streak,
    after: Streak,
}

/// The effect of a fetch on a streak.
#[derive(Debug, Clone, Copy)]
enum Step {
    End,
    Grow,
    /// Extends it if the other parts differ from those that it counted last.
    GrowBeside(Digest),
}

/// The streaks that a frame extends or ends.
#[derive(Debug, Default)]
pub struct Streaks(FxHashMap<Key, Changed>);

impl Streaks {
    /// Counts a fetch of a URL of this shape.
    pub fn visit_shape(
        &mut self,
        store: &UrlStore,
        host: &str,
        shape: Fingerprint,
        is_novel: bool,
    ) -> Result<()> {
        let step = if is_novel { Step::End } else { Step::Grow };
        self.visit(store, key_of(host, shape), step)
    }

    /// Counts a fetch with new content: it ends the streaks of all parts of its URL.
    pub fn end_parts(&mut self, store: &UrlStore, host: &str, parts: &Parts) -> Result<()> {
        let has_runs =
            self.0.contains_key(&parts::host_key(host)) || store.has_part_streaks(host)?;
        if !has_runs {
            return Ok(());
        }
        for keys in parts.keys(host) {
            self.visit(store, keys.anywhere, Step::End)?;
            self.visit(store, keys.here, Step::End)?;
        }
        Ok(())
    }

    /// Counts a fetch with the text of another URL of the host and with new links. Both are required: an alias has the
    /// text and the links of its page.
    pub fn grow_parts(
        &mut self,
        store: &UrlStore,
        host: &str,
        parts: &Parts,
        first: &Outline,
    ) -> Result<()> {
        for keys in parts.differing(first, host) {
            self.visit(store, parts::host_key(host), Step::Grow)?;
            self.visit(store, keys.anywhere, Step::GrowBeside(keys.others))?;
            self.visit(store, keys.here, Step::Grow)?;
        }
        Ok(())
    }

    fn visit(&mut self, store: &UrlStore, key: Key, step: Step) -> Result<()> {
        let known = self.0.get(&key).copied();
        let changed = match known {
            Some(changed) => changed,
            None => {
                let before = store.streak(&key)?;
                Changed {
                    before,
                    after: before,
                }
            }
        };
        let after = changed.after.after(step);
        if known.is_some() || after != changed.before {
            self.0.insert(key, Changed { after, ..changed });
        }
        Ok(())
    }

    /// Keys of new streaks that the Bloom filter may not know yet.
    pub fn begun(&self) -> impl Iterator<Item = &Key> {
        let begun = self
            .0
            .iter()
            .filter(|(_, streak)| streak.before.stale == 0 && streak.after.stale > 0);
        begun.map(|(key, _)| key)
    }

    pub fn write(&self, batch: &mut Batch) {
        for (key, streak) in &self.0 {
            match streak.after {
                after if after == streak.before => {}
                Streak { stale: 0, .. } => batch.remove(&rows::stale_key(key)),
                after => batch.insert(&rows::stale_key(key), &after.encode()),
            }
        }
    }
}

impl Streak {
    fn after(self, step: Step) -> Streak {
        let grown = self.stale.saturating_add(1);
        match step {
            Step::End => Streak::default(),
            Step::GrowBeside(others) if self.stale > 0 && self.others == others => self,
            Step::GrowBeside(others) => Streak {
                stale: grown,
                others,
            },
            Step::Grow => Streak {
                stale: grown,
                others: 0,
            },
        }
    }

    fn encode(self) -> Vec<u8> {
        let mut value = vec![self.stale];
        if self.others != 0 {
            value.extend_from_slice(&self.others.to_le_bytes());
        }
        value
    }

    fn parse(value: &[u8]) -> Option<Streak> {
        let (&stale, others) = value.split_first()?;
        let others = match others {
            [] => 0,
            others => Digest::from_le_bytes(others.try_into().ok()?),
        };
        Some(Streak { stale, others })
    }
}

impl UrlStore {
    /// Consecutive fetches of this shape without new content.
    pub fn stale_fetches(&self, host: &str, shape: Fingerprint) -> Result<Stale> {
        self.stale(&key_of(host, shape))
    }

    /// The longest streak of any part of a URL.
    pub fn stale_fetches_of_parts(&self, host: &str, path: &str) -> Result<Stale> {
        if !self.has_part_streaks(host)? {
            return Ok(0);
        }
        let mut longest = 0;
        for keys in Parts::of(path).keys(host) {
            longest = longest.max(self.stale(&keys.anywhere)?);
            longest = longest.max(self.stale(&keys.here)?);
        }
        Ok(longest)
    }

    pub(super) fn stale(&self, key: &Key) -> Result<Stale> {
        Ok(self.streak(key)?.stale)
    }

    /// Whether this host ever had a streak of a part.
    fn has_part_streaks(&self, host: &str) -> Result<bool> {
        Ok(self.stale(&parts::host_key(host))? > 0)
    }

    fn streak(&self, key: &Key) -> Result<Streak> {
        if !self.stale_shapes.may_contain(key) || !self.filters.may_contain(key) {
            return Ok(Streak::default());
        }
        match self.tree.get(&rows::stale_key(key))? {
            None => Ok(Streak::default()),
            Some(value) => Streak::parse(&value).ok_or_else(|| damaged("a row of stale fetches")),
        }
    }
}

/// The key of a shape of a host.
pub fn key_of(host: &str, shape: Fingerprint) -> Key {
    xxh3_128_with_seed(host.as_bytes(), shape.into()).to_be_bytes()
}
