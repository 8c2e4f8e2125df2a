//! The store as a whole: one suite for both trees, a model, and what a crash leaves behind.

mod ahead;
mod behaviour;
mod budgets;
mod closer;
mod crash;
mod filters;
mod foreign;
mod model;
mod priorities;
mod rerank;
mod share;

use std::path::Path;

use super::attributes::{Attributes, Via};
use super::*;
use crate::fetched::Kind;

pub const SMALL: Settings = Settings {
    share: None,
    capacity: 1024,
    cached_keys: 64,
    memory: 8 * 1024 * 1024,
    limits: Limits::NONE,
};

pub fn open(directory: &Path) -> UrlStore {
    UrlStore::open(directory, SMALL).unwrap()
}

/// Runs a test against a store on disk and one in memory.
pub fn on_both_trees(test: impl Fn(UrlStore)) {
    let directory = tempfile::tempdir().unwrap();
    test(open(directory.path()));
    test(UrlStore::in_memory(SMALL).unwrap());
}

pub fn key(href: &str) -> Key {
    xxhash_rust::xxh3::xxh3_128(href.as_bytes()).to_be_bytes()
}

pub fn attributes(depth: u32, priority: f64) -> Attributes {
    Attributes {
        priority,
        depth,
        hops: 0,
        via: Via::Link,
        kind: Kind::Page,
        source: Some([9; 16]),
        discovered_at: 1_700_000_000.5,
        is_seed: false,
        parked: false,
        deferred: false,
        foreign: false,
        from_sibling: false,
    }
}

/// Admits without a policy.
pub fn admit(
    store: &UrlStore,
    hrefs: &[&str],
    attributes: Attributes,
    max_depth: Option<u32>,
) -> Admitted {
    store
        .admit(
            hrefs.iter().map(|href| (*href, key(href), Kind::Page)),
            attributes,
            max_depth,
            None,
        )
        .unwrap()
}

/// Admits and applies.
pub fn add(store: &UrlStore, hrefs: &[&str], attributes: Attributes) -> Vec<Awakened> {
    let admitted = admit(store, hrefs, attributes, None);
    apply(store, &[&admitted.data], &[])
}

pub fn apply(store: &UrlStore, blobs: &[&[u8]], finished: &[&str]) -> Vec<Awakened> {
    let finished: Vec<_> = finished.iter().map(|href| (key(href), None)).collect();
    store.apply(store.applied() + 1, blobs, &finished).unwrap()
}

/// True where something had to be read.
pub fn read_ahead(store: &UrlStore, hrefs: &[&str]) -> bool {
    let urls = hrefs.iter().map(|href| (*href, key(href)));
    let cold = store.cold(urls, None, None);
    let is_cold = cold.is_some();
    if let Some(cold) = cold {
        store.read_ahead(cold).unwrap();
    }
    is_cold
}

pub fn take(store: &UrlStore, count: usize) -> Vec<String> {
    let taken = store.take(0, count, None).unwrap();
    taken.into_iter().map(|url| url.href).collect()
}

pub fn state(store: &UrlStore, href: &str) -> Option<State> {
    store.state(&key(href)).unwrap()
}
