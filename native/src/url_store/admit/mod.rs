//! Decides which URLs are new. The decision is final once the frame is in the log.

mod admission;
mod known_url;
mod priorities;
mod worth;

use std::ops::Range;

use super::attributes::{Attributes, Via};
use super::budgets::{FOREIGN_SITEMAPS, Finding, Verdict, is_cross_domain, is_of_host};
use super::discoveries::{Row, decode};
use super::overlay;
use super::{Known, UrlStore};
use crate::error::Result;
use crate::fetched::Kind;
use crate::focus::Following;
use crate::page::{LinkKind, Page, directive};
use crate::scope::OUT_OF_SCOPE;
use crate::url::{Key, host_of_origin, split_origin};
use admission::{Admission, not_absolute};
use known_url::Vouched;

pub use admission::{Admitted, Policy, Refused};
pub use priorities::Priorities;

/// Expected new links of a page, for which memory is reserved.
const USUAL_LINKS: usize = 32;

/// Links whose memory is prefetched together: one by one, each would cost a cache miss.
const AHEAD: usize = 32;

/// Sitemaps of other registrable domains that one robots.txt or index file may name.
const MOST_FOREIGN_SITEMAPS: usize = 10;

/// A URL to admit.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    pub href: &'a str,
    pub key: Key,
    pub kind: Kind,
    /// Its own priority; `None` means that of the admission.
    pub priority: Option<f64>,
}

/// Causes for which a foreign URL is refused without being stored: its own host may name it, too.
const REVOCABLE: [&str; 6] = [
    "shape",
    "discovery_rate",
    "no_novelty",
    "hosts_per_domain",
    "too_many_sitemaps",
    FOREIGN_SITEMAPS,
];

impl UrlStore {
    /// Admits the new links of a page within `range`; `attributes.depth` is the depth of the links. Links with
    /// `nofollow` are skipped unless `follow_nofollow` (D4). `priorities` has one entry for each link of the page,
    /// including skipped ones. `following`: how links are chosen by the scores of the page and their own words (D6).
    #[expect(
        clippy::too_many_arguments,
        reason = "what a page, its place and the rules say"
    )]
    pub fn admit_links(
        &self,
        page: &Page,
        range: Range<usize>,
        attributes: Attributes,
        priorities: Option<&Priorities>,
        following: Option<&Following>,
        max_depth: Option<u32>,
        policy: Option<Policy<'_>>,
        found_on: Option<&str>,
        follow_nofollow: bool,
        known_only: bool,
    ) -> Result<Admitted> {
        if page.directives & directive::NOFOLLOW != 0 && !follow_nofollow {
            return Ok(Admitted::default());
        }
        let end = range.end.min(page.links.len());
        let start = range.start.min(end);
        let own_score = |number| page.focus.as_ref().and_then(|focus| focus.link(number));
        let followed = page.links[start..end]
            .iter()
            .zip(start..)
            .filter(|(link, number)| {
                (link.rel == 0 || follow_nofollow)
                    && following.is_none_or(|following| following.follows(own_score(*number)))
            });
        let urls = followed.map(|(link, number)| {
            let kind = if link.kind == LinkKind::Sitemap {
                Kind::Sitemap
            } else {
                Kind::Page
            };
            let given = priorities.and_then(|priorities| priorities.of(number));
            let focused = following.map(|following| {
                let usual = given.unwrap_or(attributes.priority);
                Priorities::rounded(following.priority(usual, own_score(number)))
            });
            Found {
                href: link.href.as_str(),
                key: link.key,
                kind,
                priority: focused.or(given),
            }
        });
        self.admit_found(urls, attributes, max_depth, policy, found_on, known_only)
    }

    /// Admits the new requisites of a page or a style sheet (D7).
    pub fn admit_requisites(
        &self,
        page: &Page,
        attributes: Attributes,
        policy: Option<Policy<'_>>,
        found_on: Option<&str>,
    ) -> Result<Admitted> {
        let urls = page.requisites.iter();
        let urls = urls.map(|one| (one.href.as_str(), one.key, Kind::Requisite));
        self.admit_all(urls, attributes, None, policy, found_on, false)
    }

    /// Admits new URLs. They are known from now on, and queued once a frame with [`Admitted::data`] is applied. `kind`
    /// and `parked` of the attributes are set here.
    pub fn admit<'a>(
        &self,
        urls: impl Iterator<Item = (&'a str, Key, Kind)> + Clone,
        attributes: Attributes,
        max_depth: Option<u32>,
        policy: Option<Policy<'_>>,
    ) -> Result<Admitted> {
        self.admit_all(urls, attributes, max_depth, policy, None, false)
    }

    /// Like [`UrlStore::admit`], for URLs that a host names. With `known_only`, only known URLs that are found closer
    /// are considered.
    pub fn admit_all<'a>(
        &self,
        urls: impl Iterator<Item = (&'a str, Key, Kind)> + Clone,
        attributes: Attributes,
        max_depth: Option<u32>,
        policy: Option<Policy<'_>>,
        found_on: Option<&str>,
        known_only: bool,
    ) -> Result<Admitted> {
        let urls = urls.map(|(href, key, kind)| Found {
            href,
            key,
            kind,
            priority: None,
        });
        self.admit_found(urls, attributes, max_depth, policy, found_on, known_only)
    }

    /// Like [`UrlStore::admit_all`]; a URL's own priority replaces that of the attributes. URLs of other partitions are
    /// ignored.
    pub fn admit_found<'a>(
        &self,
        urls: impl Iterator<Item = Found<'a>> + Clone,
        attributes: Attributes,
        max_depth: Option<u32>,
        policy: Option<Policy<'_>>,
        found_on: Option<&str>,
        known_only: bool,
    ) -> Result<Admitted> {
        let Some(share) = self.share else {
            return self.admit_own(urls, attributes, max_depth, policy, found_on, known_only);
        };
        let own = urls.filter(move |found| share.owns(found.href));
        self.admit_own(own, attributes, max_depth, policy, found_on, known_only)
    }

    fn admit_own<'a>(
        &self,
        urls: impl Iterator<Item = Found<'a>> + Clone,
        attributes: Attributes,
        max_depth: Option<u32>,
        policy: Option<Policy<'_>>,
        found_on: Option<&str>,
        known_only: bool,
    ) -> Result<Admitted> {
        let mut admission = Admission {
            policy,
            found_on,
            depth: attributes.depth,
            parked: max_depth.is_some_and(|limit| attributes.depth > limit),
            groups: Vec::new(),
            closer: Vec::new(),
            known_only,
            foreign_sitemaps: 0,
            attributes,
            outcome: Admitted::default(),
            marked: Vec::with_capacity(USUAL_LINKS),
        };
        let mut known = self.known.lock();
        let mut ahead = urls.clone().map(|found| found.key);
        for (number, found) in urls.enumerate() {
            let Found {
                href, key, kind, ..
            } = found;
            admission.attributes.priority = found.priority.unwrap_or(attributes.priority);
            if number.is_multiple_of(AHEAD) {
                let cold = ahead.by_ref().take(AHEAD);
                self.filters.warm(cold.filter(|key| !known.hot.has(key)));
            }
            if let Err(error) = self.admit_one(&mut known, &mut admission, href, key, kind) {
                admission
                    .marked
                    .iter()
                    .for_each(|key| known.overlay.forget(key));
                let admitted = admission.finish();
                for one in &admitted.refused {
                    if let Some((origin, _)) = split_origin(&one.href) {
                        known
                            .budgets
                            .forget_kept(host_of_origin(origin), one.reason);
                    }
                }
                known.budgets.forget(&decode(&admitted.data)?);
                let closer = decode(&admitted.closer)?;
                known.budgets.forget(&closer);
                known.closest.settle_all(&closer);
                return Err(error);
            }
        }
        drop(known);
        Ok(admission.finish())
    }

    fn admit_one(
        &self,
        known: &mut Known,
        admission: &mut Admission<'_>,
        href: &str,
        key: Key,
        kind: Kind,
    ) -> Result<()> {
        let mut is_again = admission.attributes.via == Via::Recrawl;
        let is_known = match admission.attributes.via {
            Via::Recrawl => self.is_under_way(known, &key)?,
            _ => match self.depth_of(known, &key)? {
                Some((depth, true))
                    if kind != Kind::Requisite && !admission.is_foreign(href)? =>
                {
                    match self.mark_as_own(known, admission, href, key, kind, depth)? {
                        Vouched::Done => return Ok(()),
                        Vouched::New => is_again = true,
                    }
                    false
                }
                Some((depth, foreign)) if admission.depth < depth => {
                    let known_as = (depth, foreign);
                    return self.admit_closer(known, admission, href, key, kind, known_as);
                }
                Some((depth, true)) => {
                    self.vouch_for_host(known, admission, href, key, kind, depth)?;
                    true
                }
                Some(_) => true,
                None => admission.known_only,
            },
        };
        if is_known {
            admission.outcome.known += 1;
            return Ok(());
        }
        let (origin, path) = split_origin(href).ok_or_else(|| not_absolute(href))?;
        let host = host_of_origin(origin);
        // A page that was shown as a picture while it was outside the scope is new to its own host.
        let foreign =
            kind == Kind::Requisite || admission.found_on.is_some_and(|on| !is_of_host(host, on));
        let is_foreign_sitemap = kind == Kind::Sitemap
            && admission
                .found_on
                .is_some_and(|on| is_cross_domain(host, on));
        let attributes = Attributes {
            foreign,
            from_sibling: foreign && kind != Kind::Requisite && admission.is_from_sibling(host),
            ..admission.attributes
        };
        let verdict = match admission.verdict(href, origin)? {
            Some(reason @ (OUT_OF_SCOPE | "excluded")) => {
                admission.outcome.outside += 1;
                admission.outcome.out_of_scope += u64::from(reason == OUT_OF_SCOPE);
                return Ok(());
            }
            Some(reason) => Verdict::Refused(reason),
            None if is_foreign_sitemap && admission.foreign_sitemaps >= MOST_FOREIGN_SITEMAPS => {
                Verdict::Refused(FOREIGN_SITEMAPS)
            }
            None => {
                let finding = Finding {
                    host,
                    path,
                    key: &key,
                    kind,
                    attributes: &attributes,
                    is_again: false,
                    is_cross_domain: is_foreign_sitemap,
                };
                known.budgets.judge(self, finding)?
            }
        };
        if let Verdict::Refused(reason) = verdict {
            if foreign && REVOCABLE.contains(&reason) {
                // A file that names sitemaps of others may name one on each of thousands of hosts.
                let whose = match reason {
                    FOREIGN_SITEMAPS => admission.found_on.unwrap_or(host),
                    _ => host,
                };
                admission.count_refused(whose, reason);
                return Ok(());
            }
            return self.refuse(known, admission, host, href, key, reason);
        }
        let mark = overlay::Admission {
            depth: admission.kept_depth(kind),
            is_new: !is_again,
            is_parked: admission.parked,
            is_pending: true,
            is_refused: false,
            is_foreign: foreign,
        };
        admission.mark(known, key, mark);
        admission.foreign_sitemaps += usize::from(is_foreign_sitemap);
        let is_deferred = verdict == Verdict::Deferred;
        let row = Row { key, origin, path };
        admission.group(attributes, kind, is_deferred).push(row);
        Ok(())
    }

    /// Stores the first refusals of a host; further ones are only counted.
    fn refuse(
        &self,
        known: &mut Known,
        admission: &mut Admission<'_>,
        host: &str,
        href: &str,
        key: Key,
        reason: &'static str,
    ) -> Result<()> {
        if !known.budgets.keep(self, host, reason)? {
            admission.count_refused(host, reason);
            return Ok(());
        }
        admission.outcome.refused.push(Refused {
            href: href.to_owned(),
            key,
            reason,
        });
        let mark = overlay::Admission {
            depth: admission.depth,
            is_new: false,
            is_parked: false,
            is_pending: true,
            is_refused: true,
            is_foreign: false,
        };
        admission.mark(known, key, mark);
        Ok(())
    }
}
