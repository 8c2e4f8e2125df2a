//! What is new: decided here, for good once the frame is in the log.

use std::collections::BTreeMap;

use super::attributes::{Attributes, PARKED, Via};
use super::budgets::{Finding, Verdict};
use super::discoveries::{GroupWriter, MAX_HREF, MAX_ORIGIN, Row, decode, encode};
use super::overlay::{ReadmitBelow, SETTLED};
use super::rows::Seen;
use super::{Known, UrlStore, readmit_below};
use crate::error::{Error, Result};
use crate::fetched::Kind;
use crate::page::{LinkKind, Page, directive};
use crate::scope::Pieces;
use crate::url::{Key, host_of_origin, split_origin};

/// New links for which a page's admission is laid out; more are no trouble.
const USUAL_LINKS: usize = 32;

/// Links whose places in memory are fetched together: one by one each costs a wait of its own.
const AHEAD: usize = 32;

/// Why a URL must not be queued, or `None`. `scope` and `excluded` mean that it is none of our
/// business; every other reason is remembered.
pub type Policy<'a> = &'a dyn Fn(Pieces<'_>) -> Option<&'static str>;

/// Known from now on, never queued: the log gets its end instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub href: String,
    pub key: Key,
    pub reason: &'static str,
}

/// The outcome of one admission.
#[derive(Debug, Default)]
pub struct Admitted {
    /// The discoveries as the log keeps them; empty where there are none.
    pub data: Vec<u8>,
    pub count: u64,
    pub refused: Vec<Refused>,
    pub known: u64,
    pub outside: u64,
    /// Host and reason of refusals that were not kept one by one, and how many.
    pub counted: BTreeMap<(String, &'static str), u64>,
}

struct Admission<'a> {
    policy: Option<Policy<'a>>,
    depth: u32,
    parked: bool,
    /// By kind, and whether they are deferred.
    groups: Vec<((Kind, bool), GroupWriter)>,
    attributes: Attributes,
    outcome: Admitted,
    /// What went into the overlay, to be taken out again if the admission fails.
    marked: Vec<Key>,
}

impl UrlStore {
    /// The links of a page that nobody knew; `attributes.depth` is theirs, not the page's.
    /// What a page or a link forbids to follow is skipped unless `follow_nofollow` (D4).
    pub fn admit_links(
        &self,
        page: &Page,
        attributes: Attributes,
        max_depth: Option<u32>,
        policy: Option<Policy<'_>>,
        follow_nofollow: bool,
    ) -> Result<Admitted> {
        if page.directives & directive::NOFOLLOW != 0 && !follow_nofollow {
            return Ok(Admitted::default());
        }
        let followed = page
            .links
            .iter()
            .filter(|link| link.rel == 0 || follow_nofollow);
        let urls = followed.map(|link| {
            let kind = if link.kind == LinkKind::Sitemap {
                Kind::Sitemap
            } else {
                Kind::Page
            };
            (link.href.as_str(), link.key, kind)
        });
        self.admit(urls, attributes, max_depth, policy)
    }

    /// The URLs that nobody knew. They are known from now on, and queued once a frame with
    /// [`Admitted::data`] is applied. `kind` and `parked` of the attributes are decided here.
    pub fn admit<'a>(
        &self,
        urls: impl Iterator<Item = (&'a str, Key, Kind)> + Clone,
        attributes: Attributes,
        max_depth: Option<u32>,
        policy: Option<Policy<'_>>,
    ) -> Result<Admitted> {
        let mut admission = Admission {
            policy,
            depth: attributes.depth,
            parked: max_depth.is_some_and(|limit| attributes.depth > limit),
            groups: Vec::new(),
            attributes,
            outcome: Admitted::default(),
            marked: Vec::with_capacity(USUAL_LINKS),
        };
        let mut known = self.known.lock();
        let mut ahead = urls.clone().map(|(_, key, _)| key);
        for (number, (href, key, kind)) in urls.enumerate() {
            if number.is_multiple_of(AHEAD) {
                let cold = ahead.by_ref().take(AHEAD);
                self.filters.warm(cold.filter(|key| !known.hot.has(key)));
            }
            if let Err(error) = self.admit_one(&mut known, &mut admission, href, key, kind) {
                admission
                    .marked
                    .iter()
                    .for_each(|key| known.overlay.forget(key));
                known.budgets.forget(&decode(&admission.finish().data)?);
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
        let (is_known, is_again) = match admission.attributes.via {
            Via::Recrawl => (self.is_under_way(known, &key)?, false),
            _ => match self.standing(known, &key)? {
                Some(readmit_below) => (admission.depth >= readmit_below, true),
                None => (false, false),
            },
        };
        if is_known {
            admission.outcome.known += 1;
            return Ok(());
        }
        let (origin, path) = split_origin(href).ok_or_else(|| not_absolute(href))?;
        let host = host_of_origin(origin);
        let verdict = match admission.verdict(href, origin)? {
            Some("scope" | "excluded") => {
                admission.outcome.outside += 1;
                return Ok(());
            }
            Some(reason) => Verdict::Refused(reason),
            None => {
                let finding = Finding {
                    host,
                    path,
                    key: &key,
                    kind,
                    attributes: &admission.attributes,
                    is_again,
                };
                known.budgets.judge(self, finding)?
            }
        };
        if let Verdict::Refused(reason) = verdict {
            return self.refuse(known, admission, host, href, key, reason);
        }
        let readmit_below = if admission.parked {
            admission.depth
        } else {
            SETTLED
        };
        let is_new = !is_again && admission.attributes.via != Via::Recrawl;
        admission.mark(known, key, readmit_below, is_new);
        let is_deferred = verdict == Verdict::Deferred;
        let row = Row { key, origin, path };
        admission.group(kind, is_deferred).push(row);
        Ok(())
    }

    /// The first refusals of a host are remembered, the others counted.
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
            let counted = &mut admission.outcome.counted;
            *counted.entry((host.to_owned(), reason)).or_default() += 1;
            return Ok(());
        }
        admission.outcome.refused.push(Refused {
            href: href.to_owned(),
            key,
            reason,
        });
        admission.mark(known, key, SETTLED, false);
        Ok(())
    }

    /// Why a queued URL is not worth its request any more, or `None` (F6).
    pub fn worth(&self, href: &str, key: &Key) -> Result<Option<&'static str>> {
        let (origin, path) = split_origin(href).ok_or_else(|| not_absolute(href))?;
        let mut known = self.known.lock();
        known.budgets.worth(self, host_of_origin(origin), path, key)
    }

    /// True for a key that waits already: asking for it again changes nothing.
    fn is_under_way(&self, known: &Known, key: &Key) -> Result<bool> {
        Ok(known.overlay.get(key).is_some() || matches!(self.seen(key)?, Some(Seen::Waiting(_))))
    }

    /// The depth below which a known key is admitted again; `None` for a key nobody knows.
    fn standing(&self, known: &mut Known, key: &Key) -> Result<Option<ReadmitBelow>> {
        if let Some(standing) = known.overlay.get(key) {
            return Ok(Some(standing));
        }
        if let Some(mark) = known.hot.get(key) {
            return Ok(Some(mark.into()));
        }
        let Some(seen) = self.last_seen(key)? else {
            return Ok(None);
        };
        let standing = match seen {
            Seen::Waiting(slot) if slot.chunk.class >= PARKED && !self.has_ended(slot)? => {
                readmit_below(slot.chunk.class)
            }
            _ => SETTLED,
        };
        known.hot.insert(key, standing as u8);
        Ok(Some(standing))
    }
}

impl Admission<'_> {
    fn verdict(&self, href: &str, origin: &str) -> Result<Option<&'static str>> {
        if href.len() > MAX_HREF || origin.len() > MAX_ORIGIN {
            return Ok(Some("too_long"));
        }
        let Some(policy) = self.policy else {
            return Ok(None);
        };
        let url = Pieces::of(href).ok_or_else(|| not_absolute(href))?;
        Ok(policy(url))
    }

    fn mark(&mut self, known: &mut Known, key: Key, readmit_below: ReadmitBelow, is_new: bool) {
        known.overlay.insert(key, readmit_below, is_new);
        self.marked.push(key);
    }

    fn group(&mut self, kind: Kind, deferred: bool) -> &mut GroupWriter {
        let index = self
            .groups
            .iter()
            .position(|(held, _)| *held == (kind, deferred))
            .unwrap_or_else(|| {
                let attributes = Attributes {
                    kind,
                    parked: self.parked,
                    deferred,
                    ..self.attributes
                };
                let group = GroupWriter::new(attributes);
                self.groups.push(((kind, deferred), group));
                self.groups.len() - 1
            });
        &mut self.groups[index].1
    }

    fn finish(self) -> Admitted {
        let groups: Vec<GroupWriter> = self.groups.into_iter().map(|(_, group)| group).collect();
        Admitted {
            data: encode(&groups),
            count: groups.iter().map(GroupWriter::count).sum(),
            ..self.outcome
        }
    }
}

fn not_absolute(href: &str) -> Error {
    Error::Invalid(format!("not an absolute URL: {href}"))
}
