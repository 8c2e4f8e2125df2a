//! Computes the next rows of counts from a frame.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::UrlStore;
use super::super::discoveries::Group;
use super::super::frame::Addition;
use super::super::rows;
use super::super::tree::Batch;
use super::judge::{is_rated, minute_of};
use super::novelty::Streaks;
use super::parts::Parts;
use super::record::{DomainRecord, HostRecord, Row};
use super::shape::fingerprint;
use super::texts::Texts;
use super::{Budgets, domain_of, reason_number, shape_of, tally_of};
use crate::error::Result;
use crate::fetched::Kind;
use crate::url::{Key, host_of_origin, split_origin};

/// How a URL of the frame ended, as far as it is counted.
#[derive(Debug, Clone, Copy)]
pub struct Visit<'a> {
    pub key: Key,
    pub href: &'a str,
    pub visited: Visited<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visited<'a> {
    Fetched(Answer),
    Refused(&'a str),
    /// Its host has no address.
    Unnamed,
    /// It is a page that was only fetched as a requisite: outside the scope, or too deep.
    Unread,
}

impl Visit<'_> {
    /// Whether a page of its own host that names it makes it new, if it was foreign.
    pub fn is_revocable(&self) -> bool {
        matches!(
            self.visited,
            Visited::Refused("no_novelty") | Visited::Unread
        )
    }
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// It may have new content: it is not a copy, an error or empty.
    pub is_novel: bool,
    /// The hash of its text. A text that its host has shown before is not new.
    pub text: Option<Key>,
    /// It had new links.
    pub has_new_links: bool,
}

/// A row before and after the frame.
#[derive(Debug)]
struct Changed<'a, R> {
    name: &'a str,
    before: Arc<R>,
    after: R,
}

/// The rows that a frame changes, in the order in which it first names them.
#[derive(Debug)]
struct Rows<'a, R> {
    changed: Vec<Changed<'a, R>>,
    places: FxHashMap<&'a str, usize>,
}

#[derive(Debug, Default)]
pub struct CountChanges<'a> {
    hosts: Rows<'a, HostRecord>,
    domains: Rows<'a, DomainRecord>,
    runs: Streaks,
    texts: Texts,
    new_hosts: Vec<&'a str>,
    /// Origins of known hosts that have become their domain's own. They may have waited for that.
    pub vouched: Vec<&'a str>,
    buffer: Vec<u8>,
}

impl<'a> CountChanges<'a> {
    /// Reads the rows and computes their new values. Nothing changes yet. `foreign`: visited URLs that are foreign.
    pub fn of(
        store: &UrlStore,
        groups: &[Group<'a>],
        additions: &[Addition<'a>],
        visits: &[Visit<'a>],
        foreign: &FxHashSet<Key>,
    ) -> Result<CountChanges<'a>> {
        let mut fold = CountChanges::default();
        for addition in additions.iter().filter(|addition| addition.is_new()) {
            fold.add(store, addition)?;
        }
        for group in groups.iter().filter(|group| group.attributes.from_sibling) {
            for row in &group.rows {
                fold.vouch(store, row.origin)?;
            }
        }
        for visit in visits {
            fold.visit(store, visit, foreign.contains(&visit.key))?;
        }
        Ok(fold)
    }

    fn host(&mut self, store: &UrlStore, name: &'a str) -> Result<&mut HostRecord> {
        self.hosts.get(name, |name| store.host_record(name))
    }

    fn domain(&mut self, store: &UrlStore, host: &'a str) -> Result<&mut DomainRecord> {
        self.domains
            .get(domain_of(host), |name| store.domain_record(name))
    }

    fn add(&mut self, store: &UrlStore, addition: &Addition<'a>) -> Result<()> {
        let host = host_of_origin(addition.row.origin);
        let attributes = addition.attributes;
        let foreign = attributes.foreign;
        let shape = shape_of(addition.row.path, foreign, &mut self.buffer);
        let record = self.host(store, host)?;
        let is_new_host = !record.counts_for_domain();
        let was_own = record.is_own(host);
        record.is_unnamed = false;
        record.is_wanted |= attributes.is_wanted();
        record.is_vouched |= attributes.from_sibling;
        let is_own = record.is_own(host);
        match attributes.kind {
            Kind::Page => {
                record.add_page(shape);
                record.foreign_pages += u64::from(foreign);
            }
            Kind::Requisite => record.has_requisites = true,
            _ => {
                record.sitemaps += 1;
                record.foreign_sitemaps += u64::from(foreign);
            }
        }
        if is_rated(attributes, attributes.kind) {
            record.add_to_minute(minute_of(attributes.discovered_at));
        }
        if is_new_host {
            let domain = self.domain(store, host)?;
            domain.hosts += 1;
            domain.strange_hosts += u64::from(!is_own);
            self.new_hosts.push(host);
        } else if is_own && !was_own {
            self.count_as_own(store, addition.row.origin)?;
        }
        Ok(())
    }

    /// Another host of the domain names a URL of this origin.
    fn vouch(&mut self, store: &UrlStore, origin: &'a str) -> Result<()> {
        let host = host_of_origin(origin);
        let record = self.host(store, host)?;
        let was_own = record.is_own(host);
        record.is_vouched = true;
        if !was_own && record.counts_for_domain() {
            self.count_as_own(store, origin)?;
        }
        Ok(())
    }

    fn count_as_own(&mut self, store: &UrlStore, origin: &'a str) -> Result<()> {
        let domain = self.domain(store, host_of_origin(origin))?;
        domain.strange_hosts = domain.strange_hosts.saturating_sub(1);
        self.vouched.push(origin);
        Ok(())
    }

    fn visit(&mut self, store: &UrlStore, visit: &Visit<'a>, foreign: bool) -> Result<()> {
        let Some((origin, path)) = split_origin(visit.href) else {
            return Ok(());
        };
        let host = host_of_origin(origin);
        match visit.visited {
            Visited::Fetched(fetched) => {
                self.visit_answered(store, &tally_of(host, foreign), path, fetched)?;
            }
            Visited::Unread => {}
            Visited::Unnamed => {
                let record = self.host(store, host)?;
                if record.counts_for_domain() {
                    record.is_unnamed = true;
                    let strange = u64::from(!record.is_own(host));
                    let domain = self.domain(store, host)?;
                    domain.hosts = domain.hosts.saturating_sub(1);
                    domain.strange_hosts = domain.strange_hosts.saturating_sub(strange);
                }
            }
            Visited::Refused(reason) => {
                let Some(number) = reason_number(reason) else {
                    return Ok(());
                };
                let record = self.host(store, host)?;
                if record.is_known() {
                    record.kept.add(number);
                } else {
                    self.domain(store, host)?.kept.add(number);
                }
            }
        }
        Ok(())
    }

    /// `host`: the name for its streaks and texts.
    fn visit_answered(
        &mut self,
        store: &UrlStore,
        host: &str,
        path: &str,
        fetched: Answer,
    ) -> Result<()> {
        let parts = Parts::of(path);
        let first = match &fetched.text {
            Some(text) => self.texts.first(store, host, text, &parts)?,
            None => None,
        };
        let is_novel = fetched.is_novel && first.is_none();
        let shape = fingerprint(path, &mut self.buffer);
        self.runs.visit_shape(store, host, shape, is_novel)?;
        match first {
            _ if is_novel => self.runs.end_parts(store, host, &parts),
            Some(first) if fetched.has_new_links => {
                self.runs.grow_parts(store, host, &parts, &first)
            }
            _ => Ok(()),
        }
    }

    /// Keys of streaks that no filter may know yet.
    pub fn stale_keys(&self) -> impl Iterator<Item = &Key> {
        self.runs.begun()
    }

    /// Keys of rows that the Bloom filter may not know yet.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.runs.begun().chain(self.texts.keys())
    }

    pub fn write(&self, batch: &mut Batch) {
        self.runs.write(batch);
        self.texts.write(batch);
        for changed in self.hosts.real() {
            batch.insert(&rows::host_key(changed.name), &changed.after.encode());
        }
        for changed in self.domains.real() {
            batch.insert(&rows::domain_key(changed.name), &changed.after.encode());
        }
    }
}

impl<R> Default for Rows<'_, R> {
    fn default() -> Self {
        Rows {
            changed: Vec::new(),
            places: FxHashMap::default(),
        }
    }
}

impl<'a, R: Row + PartialEq> Rows<'a, R> {
    fn get(&mut self, name: &'a str, read: impl FnOnce(&str) -> Result<Arc<R>>) -> Result<&mut R> {
        let is_last = self.changed.last().is_some_and(|last| last.name == name);
        let place = match self.places.get(name) {
            _ if is_last => self.changed.len() - 1,
            Some(&place) => place,
            None => {
                let before = read(name)?;
                let after = R::clone(&before);
                self.changed.push(Changed {
                    name,
                    before,
                    after,
                });
                self.places.insert(name, self.changed.len() - 1);
                self.changed.len() - 1
            }
        };
        Ok(&mut self.changed[place].after)
    }

    fn real(&self) -> impl Iterator<Item = &Changed<'a, R>> {
        self.changed
            .iter()
            .filter(|changed| changed.after != *changed.before)
    }
}

impl UrlStore {
    fn host_record(&self, name: &str) -> Result<Arc<HostRecord>> {
        let recent = self.known.lock().budgets.hosts.get(name);
        match recent {
            Some(record) => Ok(record),
            None => read(self.tree.get(&rows::host_key(name))?),
        }
    }

    fn domain_record(&self, name: &str) -> Result<Arc<DomainRecord>> {
        let recent = self.known.lock().budgets.domains.get(name);
        match recent {
            Some(record) => Ok(record),
            None => read(self.tree.get(&rows::domain_key(name))?),
        }
    }
}

fn read<R: Row>(value: Option<Vec<u8>>) -> Result<Arc<R>> {
    Ok(Arc::new(match value {
        Some(value) => R::parse(&value)?,
        None => R::default(),
    }))
}

impl Budgets {
    /// Keeps the old rows of this frame until it is written and settled.
    pub fn pin(&mut self, fold: &CountChanges<'_>) {
        let hosts = fold.hosts.changed.iter();
        self.pinned_hosts = hosts
            .map(|changed| (changed.name.into(), changed.before.clone()))
            .collect();
        let domains = fold.domains.changed.iter();
        self.pinned_domains = domains
            .map(|changed| (changed.name.into(), changed.before.clone()))
            .collect();
    }

    pub fn unpin(&mut self) {
        self.last.forget();
        self.pinned_hosts.clear();
        self.pinned_domains.clear();
    }

    /// The frame is in the tree: its rows take effect, and its URLs are no longer pending.
    pub fn settle(&mut self, groups: &[Group<'_>], visits: &[Visit<'_>], fold: CountChanges<'_>) {
        self.unpin();
        for host in &fold.new_hosts {
            self.pending.settle_host(host);
        }
        for changed in fold.hosts.changed {
            self.hosts.insert(changed.name, Arc::new(changed.after));
        }
        for changed in fold.domains.changed {
            self.domains.insert(changed.name, Arc::new(changed.after));
        }
        self.forget(groups);
        for visit in visits {
            if let (Visited::Refused(reason), Some((origin, _))) =
                (visit.visited, split_origin(visit.href))
            {
                self.forget_kept(host_of_origin(origin), reason);
            }
        }
    }

    /// A stored refusal is durable, or will never be.
    pub fn forget_kept(&mut self, host: &str, reason: &str) {
        if let Some(number) = reason_number(reason) {
            self.pending
                .subtract_kept(host, || domain_of(host).to_owned(), number);
        }
    }

    /// Admitted URLs are in the tree, or will never be.
    pub fn forget(&mut self, groups: &[Group<'_>]) {
        let buffer = &mut self.buffer;
        for group in groups {
            let neighbours = group
                .rows
                .chunk_by(|left, right| left.origin == right.origin);
            for rows in neighbours {
                let foreign = group.attributes.foreign;
                let shapes = rows.iter().map(|row| shape_of(row.path, foreign, buffer));
                let host = host_of_origin(rows[0].origin);
                self.pending.subtract(host, shapes, &group.attributes);
            }
        }
    }
}
