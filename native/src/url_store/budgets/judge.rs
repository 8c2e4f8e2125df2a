//! Decides whether a host may have one more URL.

use super::super::UrlStore;
use super::super::attributes::{Attributes, Via};
use super::novelty::{self, Stale};
use super::record::HostRecord;
use super::shape::{Fingerprint, fingerprint};
use super::{Budgets, FOREIGN_SITEMAPS, domain_of, reason_number, shape_of, tally_of};
use crate::error::Result;
use crate::fetched::Kind;
use crate::url::Key;

/// One in this many URLs without novelty is still admitted, so that a wrong verdict is corrected. On pages with more
/// new links than this, the trickle would never end; it ends with the longest streak that is counted for a part.
const TRICKLE: u64 = 100;

/// A new URL, its href split into host and path.
#[derive(Debug, Clone, Copy)]
pub struct Finding<'a> {
    pub host: &'a str,
    pub path: &'a str,
    pub key: &'a Key,
    pub kind: Kind,
    pub attributes: &'a Attributes,
    /// It was admitted before, and is now found closer to a seed.
    pub is_again: bool,
    /// A host of another registrable domain names it.
    pub is_cross_domain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Admitted,
    /// Admitted, but behind all other URLs of its host.
    Deferred,
    Refused(&'static str),
}

impl Finding<'_> {
    /// URLs of the operator, and URLs that were judged before, are not judged.
    fn is_wanted(&self) -> bool {
        self.is_again || self.attributes.is_wanted()
    }
}

/// Whether a page counts towards the rate of new pages per minute. Pages of sitemaps do not: honest sites list tens of
/// thousands.
pub fn is_rated(attributes: &Attributes, kind: Kind) -> bool {
    kind == Kind::Page && matches!(attributes.via, Via::Link | Via::Redirect)
}

/// Minutes since the epoch; 0 for an invalid time.
pub fn minute_of(at: f64) -> u64 {
    (at / 60.0) as u64
}

impl Budgets {
    /// Judges a new URL, and counts it if it is admitted.
    pub fn judge(&mut self, store: &UrlStore, finding: Finding<'_>) -> Result<Verdict> {
        let record = self.host(store.tree.as_ref(), finding.host)?;
        let is_new_host = !record.counts_for_domain() && !self.pending.is_known(finding.host);
        let is_own = finding.attributes.from_sibling || record.is_own(finding.host);
        if is_new_host
            && !finding.is_wanted()
            && self.is_domain_full(store, finding.host, is_own)?
        {
            return Ok(Verdict::Refused("hosts_per_domain"));
        }
        let foreign = finding.attributes.foreign;
        let shape = shape_of(finding.path, foreign, &mut self.buffer);
        let verdict = match finding.kind {
            Kind::Page => self.judge_page(store, &record, finding, shape)?,
            // Limited by the pages that need them, and by the requests to their host.
            Kind::Requisite => Verdict::Admitted,
            _ => self.judge_sitemap(&record, finding),
        };
        if !matches!(verdict, Verdict::Refused(_)) {
            self.pending
                .add(finding.host, shape, finding.attributes, finding.kind);
            if is_new_host {
                self.pending
                    .add_host(finding.host, is_own || finding.is_wanted());
            }
        }
        Ok(verdict)
    }

    fn judge_page(
        &mut self,
        store: &UrlStore,
        record: &HostRecord,
        finding: Finding<'_>,
        shape: Fingerprint,
    ) -> Result<Verdict> {
        if finding.is_wanted() {
            return Ok(Verdict::Admitted);
        }
        let foreign = finding.attributes.foreign;
        if self.is_spent(store, finding.host, finding.path, finding.key, foreign)? {
            return Ok(Verdict::Refused("no_novelty"));
        }
        Ok(self.judge_number(record, finding, shape))
    }

    fn judge_number(
        &self,
        record: &HostRecord,
        finding: Finding<'_>,
        shape: Fingerprint,
    ) -> Verdict {
        let (limits, pending) = (&self.limits, self.pending.of(finding.host));
        let most = match finding.attributes.via {
            Via::Sitemap => limits.urls_per_shape.max(limits.pages_per_host),
            _ => limits.urls_per_shape,
        };
        if record.urls_of(shape) + pending.map_or(0, |held| held.of_shape(shape)) >= most {
            return Verdict::Refused("shape");
        }
        let minute = minute_of(finding.attributes.discovered_at);
        let lately = record.in_minute(minute) + pending.map_or(0, |held| held.in_minute(minute));
        if !is_rated(finding.attributes, finding.kind) || lately < limits.new_per_minute {
            return Verdict::Admitted;
        }
        let foreign = finding.attributes.foreign;
        let pages = record.pages(foreign) + pending.map_or(0, |held| held.pages(foreign));
        if pages >= limits.pages_per_host {
            return Verdict::Refused("discovery_rate");
        }
        Verdict::Deferred
    }

    fn judge_sitemap(&self, record: &HostRecord, finding: Finding<'_>) -> Verdict {
        let foreign = finding.attributes.foreign;
        let pending = self.pending.of(finding.host);
        let files =
            record.sitemap_files(foreign) + pending.map_or(0, |held| held.sitemaps(foreign));
        if finding.is_cross_domain && files >= self.limits.foreign_sitemaps_per_host {
            return Verdict::Refused(FOREIGN_SITEMAPS);
        }
        if files >= self.limits.sitemaps_per_host {
            return Verdict::Refused("too_many_sitemaps");
        }
        Verdict::Admitted
    }

    /// Own and strange hosts are counted separately: strangers can name any number of hosts.
    fn is_domain_full(&mut self, store: &UrlStore, host: &str, is_own: bool) -> Result<bool> {
        let domain = domain_of(host);
        let record = self.domain(store.tree.as_ref(), domain)?;
        let hosts = record.hosts_of_kind(is_own) + self.pending.hosts_of(domain, is_own);
        Ok(hosts >= self.limits.hosts_per_domain)
    }

    /// Whether a host is one of its domain's own, also according to pending frames.
    pub fn is_own(&mut self, store: &UrlStore, host: &str) -> Result<bool> {
        let record = self.host(store.tree.as_ref(), host)?;
        let pending = self.pending.of(host);
        Ok(record.is_own(host) || pending.is_some_and(|held| held.is_vouched))
    }

    /// Whether a refusal is stored; if so, counts it. Refusals of hosts without admitted URLs count for their domain,
    /// because a name server that resolves every name makes endless hosts.
    pub fn keep(&mut self, store: &UrlStore, host: &str, reason: &str) -> Result<bool> {
        let Some(number) = reason_number(reason) else {
            return Ok(true);
        };
        let record = self.host(store.tree.as_ref(), host)?;
        let is_known = record.is_known() || self.pending.is_known(host);
        let (place, kept) = if is_known {
            (host, record.kept.of(number))
        } else {
            let domain = domain_of(host);
            (
                domain,
                self.domain(store.tree.as_ref(), domain)?.kept.of(number),
            )
        };
        if kept + self.pending.kept_of(place, number) >= self.limits.kept_refusals {
            return Ok(false);
        }
        self.pending.keep(place, number);
        Ok(true)
    }

    /// Why a queued URL is no longer worth a request.
    pub fn worth(
        &mut self,
        store: &UrlStore,
        host: &str,
        path: &str,
        key: &Key,
        foreign: bool,
    ) -> Result<Option<&'static str>> {
        let is_spent = self.is_spent(store, host, path, key, foreign)?;
        Ok(is_spent.then_some("no_novelty"))
    }

    fn is_spent(
        &mut self,
        store: &UrlStore,
        host: &str,
        path: &str,
        key: &Key,
        foreign: bool,
    ) -> Result<bool> {
        let tally = tally_of(host, foreign);
        let place = novelty::key_of(&tally, fingerprint(path, &mut self.buffer));
        let stale = match self.last.stale(&place) {
            Some(stale) => stale,
            None => store.stale(&place)?,
        };
        self.last.set_stale(place, stale);
        if u16::from(stale) >= self.limits.stale_fetches && !is_trickle(key) {
            return Ok(true);
        }
        let stale = store.stale_fetches_of_parts(&tally, path)?;
        let is_spent = u16::from(stale) >= self.limits.stale_fetches;
        Ok(is_spent && (stale == Stale::MAX || !is_trickle(key)))
    }
}

/// Decides by the key, so that the verdict on a URL is always the same.
fn is_trickle(key: &Key) -> bool {
    let [.., a, b, c, d, e, f, g, h] = *key;
    u64::from_be_bytes([a, b, c, d, e, f, g, h]).is_multiple_of(TRICKLE)
}
