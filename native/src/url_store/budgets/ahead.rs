//! Reads the counts that a verdict needs from disk in advance ([`super::super::ahead`]).

use std::collections::BTreeSet;

use super::super::UrlStore;
use super::super::rows;
use super::novelty;
use super::parts;
use super::record::Row;
use super::shape::fingerprint;
use super::{domain_of, tally_of};
use crate::error::Result;
use crate::url::Key;

/// Rows of counts that memory does not have.
#[derive(Debug, Default)]
pub struct ColdCounts {
    hosts: BTreeSet<String>,
    domains: BTreeSet<String>,
    /// Keys of streaks of stale fetches.
    stale: BTreeSet<Key>,
    /// Hosts, by the names of their streaks, and paths whose parts have streaks.
    parts: Vec<(String, String)>,
    /// The last host that was looked up: most links of a page are of one host.
    last: String,
    buffer: Vec<u8>,
}

impl ColdCounts {
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty()
            && self.domains.is_empty()
            && self.stale.is_empty()
            && self.parts.is_empty()
    }
}

impl UrlStore {
    /// Adds the counts that the verdict on a new URL needs.
    pub fn add_cold_counts(
        &self,
        host: &str,
        path: &str,
        is_foreign: bool,
        counts: &mut ColdCounts,
    ) {
        self.add_cold_host(host, counts);
        self.add_cold_streaks(host, path, is_foreign, counts);
    }

    pub fn add_cold_host(&self, host: &str, counts: &mut ColdCounts) {
        if counts.last == host {
            return;
        }
        counts.last.clear();
        counts.last.push_str(host);
        let domain = domain_of(host);
        let known = self.known.lock();
        let has_host = known.budgets.hosts.has(host);
        let has_domain = known.budgets.domains.has(domain);
        drop(known);
        if !has_host && self.tree.is_cold(&rows::host_key(host)) {
            counts.hosts.insert(host.to_owned());
        }
        if !has_domain && self.tree.is_cold(&rows::domain_key(domain)) {
            counts.domains.insert(domain.to_owned());
        }
    }

    /// False if no fetch of this crawl was without new content: then there is no streak to read.
    pub fn may_have_streaks(&self) -> bool {
        !self.stale_shapes.is_empty()
    }

    /// Adds the streaks of a URL. Nearly always a filter says that there are none.
    pub fn add_cold_streaks(
        &self,
        host: &str,
        path: &str,
        is_foreign: bool,
        counts: &mut ColdCounts,
    ) {
        if !self.may_have_streaks() {
            return;
        }
        let tally = tally_of(host, is_foreign);
        let shape = novelty::key_of(&tally, fingerprint(path, &mut counts.buffer));
        if self.may_have_streak(&shape) && self.tree.is_cold(&rows::stale_key(&shape)) {
            counts.stale.insert(shape);
        }
        if self.may_have_streak(&parts::host_key(&tally)) {
            counts.parts.push((tally.into_owned(), path.to_owned()));
        }
    }

    fn may_have_streak(&self, key: &Key) -> bool {
        self.stale_shapes.may_contain(key) && self.filters.knows(key)
    }

    /// Reads host and domain records into memory, and other blocks into the system's cache.
    pub fn read_counts_ahead(&self, counts: &ColdCounts) -> Result<()> {
        for key in &counts.stale {
            self.stale(key)?;
        }
        for (tally, path) in &counts.parts {
            self.stale_fetches_of_parts(tally, path)?;
        }
        let version = self.known.lock().version;
        let read = |key: Vec<u8>| self.tree.get(&key);
        let hosts = counts.hosts.iter();
        let hosts = hosts.map(|name| Ok((name, parsed(read(rows::host_key(name))?)?)));
        let hosts = hosts.collect::<Result<Vec<_>>>()?;
        let domains = counts.domains.iter();
        let domains = domains.map(|name| Ok((name, parsed(read(rows::domain_key(name))?)?)));
        let domains = domains.collect::<Result<Vec<_>>>()?;
        let mut known = self.known.lock();
        if known.version == version {
            let budgets = &mut known.budgets;
            for (name, record) in hosts {
                budgets.hosts.insert(name, record);
            }
            for (name, record) in domains {
                budgets.domains.insert(name, record);
            }
        }
        Ok(())
    }
}

fn parsed<R: Row>(value: Option<Vec<u8>>) -> Result<std::sync::Arc<R>> {
    let record = value.map_or_else(|| Ok(R::default()), |value| R::parse(&value));
    record.map(std::sync::Arc::new)
}
