//! Limits the URLs of a host, of a shape, and of a registrable domain (F6, D5).
//!
//! # The life of a count
//! A new link that is in scope and does not look like a trap is judged here by the counts of its host: [`record`] is
//! the row of a host or a domain, [`shape`] defines similar URLs, and [`novelty`] counts fetches without new content,
//! by the [`texts`] that the host has shown. A verdict uses the row as of the last applied frame plus what was
//! admitted since ([`pending`]), so it does not depend on when frames are written. [`count_changes`] computes the next row
//! from a frame. So counts depend only on the log, and are the same after a kill and a rebuild, whatever the limits
//! were. Limits belong to a run; only verdicts use them.
//!
//! # Own and foreign URLs
//! An attacker can link to thousands of missing URLs of a host that have the shape of real ones. So everything that
//! can exhaust a budget is counted twice: for URLs that the host's own pages, sitemaps and redirects name, and for
//! URLs that only other hosts name ([`tally_of`], [`shape_of`]). Each is judged by its own count. A URL that both
//! name is the host's own (decision 0017).
//!
//! # What is bounded
//! A row has a maximum size; only recent rows are in memory; pending counts are removed with their frame. Only the
//! first refusals of a host are stored one by one, the others are counted (`Admitted::counted`): their URLs are not
//! known, so each is judged again when it is found again.

mod ahead;
mod count_changes;
mod judge;
mod last;
mod novelty;
mod parts;
mod pending;
mod recent;
mod record;
mod shape;
mod stale_shapes;
mod texts;

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use ahead::ColdCounts;
pub use count_changes::{Answer, CountChanges, Visit, Visited};
pub use judge::{Finding, Verdict};
pub use shape::shape;
pub use stale_shapes::StaleShapes;

use super::tree::Tree;
use super::{UrlStore, rows};
use crate::error::Result;
use crate::url::{host_of_origin, registrable_domain, split_origin};
use last::Last;
use pending::Pending;
use recent::Recent;
use record::{DomainRecord, HostRecord, Row};
use shape::{Fingerprint, fingerprint};

/// Records kept in memory. Those of hosts take about 200 bytes each, at most 1 KiB; those of domains are needed once
/// per page, not per link.
const RECENT_HOSTS: usize = 65_536;
const RECENT_DOMAINS: usize = 8_192;

/// The causes of refusals that are stored up to a limit. Their order is part of the row format.
const REASONS: [&str; 12] = [
    "too_long",
    "too_many_segments",
    "repeated_segments",
    "too_many_parameters",
    "future_date",
    "extension",
    "blacklisted",
    "shape",
    "discovery_rate",
    "no_novelty",
    "hosts_per_domain",
    "too_many_sitemaps",
];

/// The cause for a sitemap that another registrable domain names and that is not read: anybody can name thousands of
/// URLs of another host.
pub const FOREIGN_SITEMAPS: &str = "foreign_sitemaps";

/// The limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub urls_per_shape: u64,
    /// New pages per minute that links may add to a host; further ones are deferred.
    pub new_per_minute: u64,
    /// Most pages of a host. Above it, links above the rate are refused, and sitemaps add no more URLs of one shape.
    pub pages_per_host: u64,
    /// Consecutive fetches without new content that end a shape, or URLs that differ in one part.
    pub stale_fetches: u16,
    pub hosts_per_domain: u64,
    pub sitemaps_per_host: u64,
    /// Most sitemaps of a host that hosts of other registrable domains name, in total.
    pub foreign_sitemaps_per_host: u64,
    /// Refusals of a host that are stored for each reason.
    pub kept_refusals: u64,
}

impl Limits {
    pub const NONE: Limits = Limits {
        urls_per_shape: u64::MAX,
        new_per_minute: u64::MAX,
        pages_per_host: u64::MAX,
        stale_fetches: u16::MAX,
        hosts_per_domain: u64::MAX,
        sitemaps_per_host: u64::MAX,
        foreign_sitemaps_per_host: u64::MAX,
        kept_refusals: u64::MAX,
    };
}

/// Counts about a URL's host and domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub shape: String,
    pub urls_of_shape: u64,
    pub stale_fetches: u64,
    /// The longest streak of a part of the URL.
    pub stale_fetches_of_parts: u64,
    /// Like `stale_fetches`, for foreign URLs.
    pub foreign_stale_fetches: u64,
    pub pages_of_host: u64,
    pub sitemaps_of_host: u64,
    pub found_in_minute: u64,
    pub domain: String,
    /// The domain's own hosts, if this is one of them; otherwise those that only other domains name.
    pub hosts_of_domain: u64,
}

/// The records as admissions see them, including pending counts.
#[derive(Debug)]
pub struct Budgets {
    limits: Limits,
    hosts: Recent<HostRecord>,
    domains: Recent<DomainRecord>,
    /// Records as before the frame that is being written: the tree may show part of it.
    pinned_hosts: FxHashMap<Box<str>, Arc<HostRecord>>,
    pinned_domains: FxHashMap<Box<str>, Arc<DomainRecord>>,
    pending: Pending,
    last: Last,
    buffer: Vec<u8>,
}

impl Budgets {
    pub fn new(limits: Limits) -> Self {
        Budgets {
            limits,
            hosts: Recent::new(RECENT_HOSTS),
            domains: Recent::new(RECENT_DOMAINS),
            pinned_hosts: FxHashMap::default(),
            pinned_domains: FxHashMap::default(),
            pending: Pending::default(),
            last: Last::default(),
            buffer: Vec::new(),
        }
    }

    fn host(&mut self, tree: &dyn Tree, name: &str) -> Result<Arc<HostRecord>> {
        if let Some(record) = self.last.record(name) {
            return Ok(record);
        }
        let key = rows::host_key;
        let record = load(&mut self.hosts, &self.pinned_hosts, tree, name, key)?;
        self.last.set_record(name, &record);
        Ok(record)
    }

    fn domain(&mut self, tree: &dyn Tree, name: &str) -> Result<Arc<DomainRecord>> {
        let key = rows::domain_key;
        load(&mut self.domains, &self.pinned_domains, tree, name, key)
    }
}

impl UrlStore {
    /// The counts by which a URL is judged, without pending frames.
    pub fn facts(&self, href: &str) -> Result<Facts> {
        let (origin, path) = split_origin(href).unwrap_or((href, ""));
        let host = host_of_origin(origin);
        let domain = domain_of(host);
        let mut known = self.known.lock();
        let record = known.budgets.host(self.tree.as_ref(), host)?;
        let owner = known.budgets.domain(self.tree.as_ref(), domain)?;
        let fingerprint = fingerprint(path, &mut Vec::new());
        let foreign = tally_of(host, true);
        Ok(Facts {
            shape: shape(path),
            urls_of_shape: record.urls_of(fingerprint),
            stale_fetches: self.stale_fetches(host, fingerprint)?.into(),
            stale_fetches_of_parts: self.stale_fetches_of_parts(host, path)?.into(),
            foreign_stale_fetches: self.stale_fetches(&foreign, fingerprint)?.into(),
            pages_of_host: record.found,
            sitemaps_of_host: record.sitemaps,
            found_in_minute: record.found_in_minute,
            domain: domain.to_owned(),
            hosts_of_domain: owner.hosts_of_kind(record.is_own(host)),
        })
    }
}

impl UrlStore {
    /// Whether the operator named a URL of this host.
    pub fn is_wanted(&self, host: &str) -> Result<bool> {
        let mut known = self.known.lock();
        Ok(known.budgets.host(self.tree.as_ref(), host)?.is_wanted)
    }

    /// Whether a host is one of its domain's own: another host of the domain or the operator names it, or it has the
    /// name of the domain.
    pub fn is_own(&self, host: &str) -> Result<bool> {
        let mut known = self.known.lock();
        Ok(known.budgets.host(self.tree.as_ref(), host)?.is_own(host))
    }
}

fn load<R: Row>(
    recent: &mut Recent<R>,
    pinned: &FxHashMap<Box<str>, Arc<R>>,
    tree: &dyn Tree,
    name: &str,
    key: impl Fn(&str) -> Vec<u8>,
) -> Result<Arc<R>> {
    if let Some(record) = pinned.get(name) {
        return Ok(record.clone());
    }
    if let Some(record) = recent.get(name) {
        return Ok(record);
    }
    let record = Arc::new(match tree.get(&key(name))? {
        Some(value) => R::parse(&value)?,
        None => R::default(),
    });
    recent.insert(name, record.clone());
    Ok(record)
}

fn reason_number(reason: &str) -> Option<u8> {
    let number = REASONS.iter().position(|held| *held == reason);
    number.map(|number| number as u8)
}

/// Whether a URL of this host was found on its own host.
pub fn is_of_host(host: &str, found_on: &str) -> bool {
    host == found_on || host.trim_end_matches('.') == found_on.trim_end_matches('.')
}

/// Whether a URL of this host was found on a host of another registrable domain.
pub fn is_cross_domain(host: &str, found_on: &str) -> bool {
    domain_of(host) != domain_of(found_on)
}

/// The name under which streaks and texts of a host are stored. Host names contain no space.
fn tally_of(host: &str, foreign: bool) -> Cow<'_, str> {
    match foreign {
        true => Cow::Owned(format!("{host} foreign")),
        false => Cow::Borrowed(host),
    }
}

/// The fingerprint of a shape in the counts of a host.
fn shape_of(path: &str, foreign: bool, buffer: &mut Vec<u8>) -> Fingerprint {
    let shape = fingerprint(path, buffer);
    if foreign { !shape } else { shape }
}

/// The registrable domain; addresses and single labels are their own.
fn domain_of(host: &str) -> &str {
    let host = host.strip_suffix('.').unwrap_or(host);
    registrable_domain(host).unwrap_or(host)
}
