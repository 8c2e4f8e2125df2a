//! Counts of admitted URLs that are in no applied frame yet.

use rustc_hash::FxHashMap;

use super::super::attributes::Attributes;
use super::domain_of;
use super::judge::{is_rated, minute_of};
use super::record::Kept;
use super::shape::Fingerprint;
use crate::fetched::Kind;

#[derive(Debug, Default)]
pub struct Pending {
    hosts: FxHashMap<Box<str>, PendingHost>,
    /// New hosts by their domain: those that are not its own, and its own.
    domains: FxHashMap<Box<str>, [u64; 2]>,
    /// By host, or by domain if the host is unknown.
    kept: FxHashMap<Box<str>, Kept>,
}

#[derive(Debug, Default)]
pub struct PendingHost {
    pages: u64,
    sitemaps: u64,
    requisites: u64,
    /// How many of these are foreign.
    foreign_pages: u64,
    foreign_sitemaps: u64,
    minute: u64,
    found_in_minute: u64,
    shapes: FxHashMap<Fingerprint, u32>,
    /// It counts as a new host of its domain: of its own, or of the others.
    is_new: Option<bool>,
    /// Another host of its domain names one of these URLs.
    pub is_vouched: bool,
}

impl PendingHost {
    /// Foreign or own pages.
    pub fn pages(&self, foreign: bool) -> u64 {
        match foreign {
            true => self.foreign_pages,
            false => self.pages.saturating_sub(self.foreign_pages),
        }
    }

    pub fn sitemaps(&self, foreign: bool) -> u64 {
        match foreign {
            true => self.foreign_sitemaps,
            false => self.sitemaps.saturating_sub(self.foreign_sitemaps),
        }
    }

    pub fn in_minute(&self, minute: u64) -> u64 {
        if minute == self.minute {
            self.found_in_minute
        } else {
            0
        }
    }

    pub fn of_shape(&self, shape: Fingerprint) -> u64 {
        self.shapes.get(&shape).copied().unwrap_or(0).into()
    }

    fn add(&mut self, shape: Fingerprint, attributes: &Attributes, kind: Kind) {
        self.is_vouched |= attributes.from_sibling;
        if kind == Kind::Requisite {
            self.requisites += 1;
            return;
        }
        if kind != Kind::Page {
            self.sitemaps += 1;
            self.foreign_sitemaps += u64::from(attributes.foreign);
            return;
        }
        self.pages += 1;
        self.foreign_pages += u64::from(attributes.foreign);
        *self.shapes.entry(shape).or_default() += 1;
        if is_rated(attributes, kind) {
            let minute = minute_of(attributes.discovered_at);
            if minute > self.minute {
                (self.minute, self.found_in_minute) = (minute, 0);
            }
            self.found_in_minute += u64::from(minute == self.minute);
        }
    }

    /// A log may repeat admissions of another writer, so no count goes below zero.
    fn subtract(&mut self, shape: Fingerprint, attributes: &Attributes, kind: Kind) {
        if kind == Kind::Requisite {
            self.requisites = self.requisites.saturating_sub(1);
            return;
        }
        if kind != Kind::Page {
            self.sitemaps = self.sitemaps.saturating_sub(1);
            let foreign = u64::from(attributes.foreign);
            self.foreign_sitemaps = self.foreign_sitemaps.saturating_sub(foreign);
            return;
        }
        self.pages = self.pages.saturating_sub(1);
        let foreign = u64::from(attributes.foreign);
        self.foreign_pages = self.foreign_pages.saturating_sub(foreign);
        if let Some(urls) = self.shapes.get_mut(&shape) {
            *urls = urls.saturating_sub(1);
        }
        if is_rated(attributes, kind) && minute_of(attributes.discovered_at) == self.minute {
            self.found_in_minute = self.found_in_minute.saturating_sub(1);
        }
    }

    fn count(&self) -> u64 {
        self.pages + self.sitemaps + self.requisites
    }

    fn is_empty(&self) -> bool {
        self.count() == 0
    }
}

impl Pending {
    pub fn of(&self, host: &str) -> Option<&PendingHost> {
        self.hosts.get(host)
    }

    pub fn is_known(&self, host: &str) -> bool {
        self.hosts.contains_key(host)
    }

    pub fn hosts_of(&self, domain: &str, is_own: bool) -> u64 {
        let hosts = self.domains.get(domain);
        hosts.map_or(0, |hosts| hosts[usize::from(is_own)])
    }

    pub fn kept_of(&self, place: &str, reason: u8) -> u64 {
        self.kept.get(place).map_or(0, |kept| kept.of(reason))
    }

    pub fn add(&mut self, host: &str, shape: Fingerprint, attributes: &Attributes, kind: Kind) {
        match self.hosts.get_mut(host) {
            Some(held) => held.add(shape, attributes, kind),
            None => {
                let mut held = PendingHost::default();
                held.add(shape, attributes, kind);
                self.hosts.insert(host.into(), held);
            }
        }
    }

    /// Marks the host, which has pending URLs, as new in its domain.
    pub fn add_host(&mut self, host: &str, is_own: bool) {
        if let Some(held) = self.hosts.get_mut(host) {
            held.is_new = Some(is_own);
            let hosts = self.domains.entry(domain_of(host).into()).or_default();
            hosts[usize::from(is_own)] += 1;
        }
    }

    /// The host has a record now, and the record of its domain counts it.
    pub fn settle_host(&mut self, host: &str) {
        if let Some(held) = self.hosts.get_mut(host)
            && let Some(is_own) = held.is_new.take()
        {
            self.subtract_host(domain_of(host), is_own);
        }
    }

    pub fn keep(&mut self, place: &str, reason: u8) {
        self.kept.entry(place.into()).or_default().add(reason);
    }

    /// Usually all pending counts of a host are removed at once, without looking at its shapes.
    pub fn subtract(
        &mut self,
        host: &str,
        shapes: impl ExactSizeIterator<Item = Fingerprint>,
        attributes: &Attributes,
    ) {
        let Some(held) = self.hosts.get_mut(host) else {
            return;
        };
        if held.count() > shapes.len() as u64 {
            shapes.for_each(|shape| held.subtract(shape, attributes, attributes.kind));
            if !held.is_empty() {
                return;
            }
        }
        let removed = self.hosts.remove(host);
        if let Some(is_own) = removed.and_then(|held| held.is_new) {
            self.subtract_host(domain_of(host), is_own);
        }
    }

    fn subtract_host(&mut self, domain: &str, is_own: bool) {
        if let Some(hosts) = self.domains.get_mut(domain) {
            let held = &mut hosts[usize::from(is_own)];
            *held = held.saturating_sub(1);
            if *hosts == [0, 0] {
                self.domains.remove(domain);
            }
        }
    }

    /// A stored refusal is durable, or will never be. Whether it counted for the host or the domain depends on when it
    /// was judged.
    pub fn subtract_kept(&mut self, host: &str, domain: impl FnOnce() -> String, reason: u8) {
        if self.kept.is_empty() {
            return;
        }
        let place = if self.kept_of(host, reason) > 0 {
            host.to_owned()
        } else {
            domain()
        };
        if let Some(kept) = self.kept.get_mut(place.as_str())
            && kept.subtract(reason)
        {
            self.kept.remove(place.as_str());
        }
    }
}
