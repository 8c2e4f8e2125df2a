//! Shapes of a host whose last fetches brought nothing new: a row each, for as long as that goes on (F6).
//!
//! Apart from the counts of the host, because nearly every fetch does bring something: then a
//! filter ([`super::stale_shapes`]) says that there is no such row, and nothing is read or written.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::super::UrlStore;
use super::super::rows::{self, damaged};
use super::super::tree::Batch;
use super::shape::Fingerprint;
use crate::error::Result;
use crate::url::Key;

/// Fetches in a row without anything new; it does not count further than this type can.
pub type Stale = u8;

/// Of one shape, before a frame and after it.
#[derive(Debug, Clone, Copy)]
struct Run {
    before: Stale,
    after: Stale,
}

/// The runs that a frame lengthens or ends.
#[derive(Debug, Default)]
pub struct Runs(FxHashMap<Key, Run>);

impl Runs {
    pub fn visit(
        &mut self,
        store: &UrlStore,
        host: &str,
        shape: Fingerprint,
        is_novel: bool,
    ) -> Result<()> {
        let key = key_of(host, shape);
        let known = self.0.get(&key).copied();
        let run = match known {
            Some(run) => run,
            None => {
                let before = store.stale(&key)?;
                Run {
                    before,
                    after: before,
                }
            }
        };
        let after = match is_novel {
            true => 0,
            false => run.after.saturating_add(1),
        };
        if known.is_some() || after != run.before {
            self.0.insert(key, Run { after, ..run });
        }
        Ok(())
    }

    /// The keys of rows that the Bloom filter may not know yet.
    pub fn begun(&self) -> impl Iterator<Item = &Key> {
        let begun = self
            .0
            .iter()
            .filter(|(_, run)| run.before == 0 && run.after > 0);
        begun.map(|(key, _)| key)
    }

    pub fn write(&self, batch: &mut Batch) {
        for (key, run) in &self.0 {
            match run.after {
                after if after == run.before => {}
                0 => batch.remove(&rows::stale_key(key)),
                after => batch.insert(&rows::stale_key(key), &[after]),
            }
        }
    }
}

impl UrlStore {
    /// Fetches in a row of this shape that brought nothing new.
    pub fn stale_fetches(&self, host: &str, shape: Fingerprint) -> Result<Stale> {
        self.stale(&key_of(host, shape))
    }

    pub(super) fn stale(&self, key: &Key) -> Result<Stale> {
        if !self.stale_shapes.may_contain(key) || !self.filters.may_contain(key) {
            return Ok(0);
        }
        match self.tree.get(&rows::stale_key(key))?.as_deref() {
            None => Ok(0),
            Some(&[stale]) => Ok(stale),
            Some(_) => Err(damaged("a row of stale fetches")),
        }
    }
}

/// What stands for a shape of a host.
pub fn key_of(host: &str, shape: Fingerprint) -> Key {
    xxh3_128_with_seed(host.as_bytes(), shape.into()).to_be_bytes()
}
