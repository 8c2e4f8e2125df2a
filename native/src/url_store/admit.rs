//! What is new: decided here, for good once the frame is in the log.

use std::collections::BTreeMap;
use std::ops::Range;

use super::attributes::{Attributes, PARKED, Via};
use super::budgets::{Finding, Verdict, is_of_host};
use super::cache::{mark_of, read_mark};
use super::closer::{is_closer, kept_depth};
use super::discoveries::{GroupWriter, MAX_HREF, MAX_ORIGIN, Row, decode, encode};
use super::overlay;
use super::rows::Seen;
use super::{Known, UrlStore};
use crate::error::{Error, Result};
use crate::fetched::Kind;
use crate::page::{LinkKind, Page, directive};
use crate::scope::{BLACKLISTED, OUT_OF_SCOPE, Pieces};
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

/// Causes for which a URL that another host names is refused and not remembered: a page of its own host may name it, too.
const REVOCABLE: [&str; 5] = [
    "shape",
    "discovery_rate",
    "no_novelty",
    "hosts_per_domain",
    "too_many_sitemaps",
];

/// What became of a URL of which only other hosts knew when its own host names it.
enum Vouched {
    Done,
    /// It had been refused for what the others named: it is judged anew.
    New,
}

/// The outcome of one admission.
#[derive(Debug, Default)]
pub struct Admitted {
    /// The discoveries as the log keeps them; empty where there are none.
    pub data: Vec<u8>,
    pub count: u64,
    /// URLs that were known, and are found on a shorter path, in the same format.
    pub closer: Vec<u8>,
    pub closer_count: u64,
    pub refused: Vec<Refused>,
    pub known: u64,
    pub outside: u64,
    /// How many found no place in the scope: another scope may have them.
    pub out_of_scope: u64,
    /// Host and reason of refusals that were not kept one by one, and how many.
    pub counted: BTreeMap<(String, &'static str), u64>,
}

struct Admission<'a> {
    policy: Option<Policy<'a>>,
    /// The host whose page, redirect or sitemap names these URLs; `None` where nobody but the operator does.
    found_on: Option<&'a str>,
    depth: u32,
    parked: bool,
    /// By kind, whether they are deferred, and whether they are foreign.
    groups: Vec<((Kind, bool, bool), GroupWriter)>,
    /// Of what was known, by kind, and whether it is foreign.
    closer: Vec<((Kind, bool), GroupWriter)>,
    /// Nothing new is admitted.
    known_only: bool,
    attributes: Attributes,
    outcome: Admitted,
    /// What went into the overlay, to be taken out again if the admission fails.
    marked: Vec<Key>,
}

impl UrlStore {
    /// The links of a page that nobody knew, of those in `range`; `attributes.depth` is theirs, not the page's.
    /// What a page or a link forbids to follow is skipped unless `follow_nofollow` (D4).
    #[expect(
        clippy::too_many_arguments,
        reason = "what a page, its place and the rules say"
    )]
    pub fn admit_links(
        &self,
        page: &Page,
        range: Range<usize>,
        attributes: Attributes,
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
        let followed = page.links[range.start.min(end)..end]
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
        self.admit_all(urls, attributes, max_depth, policy, found_on, known_only)
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
        self.admit_all(urls, attributes, max_depth, policy, None, false)
    }

    /// As [`UrlStore::admit`], of URLs that a host names; with `known_only`, of what is known and is found closer, and
    /// of nothing else.
    pub fn admit_all<'a>(
        &self,
        urls: impl Iterator<Item = (&'a str, Key, Kind)> + Clone,
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
                Some((depth, true)) if !admission.is_foreign(href)? => {
                    match self.vouch(known, admission, href, key, kind, depth)? {
                        Vouched::Done => return Ok(()),
                        Vouched::New => is_again = true,
                    }
                    false
                }
                Some((depth, foreign)) if admission.depth < depth => {
                    let known_as = (depth, foreign);
                    return self.admit_closer(known, admission, href, key, kind, known_as);
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
        let foreign = admission.found_on.is_some_and(|on| !is_of_host(host, on));
        let attributes = Attributes {
            foreign,
            ..admission.attributes
        };
        let verdict = match admission.verdict(href, origin)? {
            Some(reason @ (OUT_OF_SCOPE | "excluded")) => {
                admission.outcome.outside += 1;
                admission.outcome.out_of_scope += u64::from(reason == OUT_OF_SCOPE);
                return Ok(());
            }
            Some(reason) => Verdict::Refused(reason),
            None => {
                let finding = Finding {
                    host,
                    path,
                    key: &key,
                    kind,
                    attributes: &attributes,
                    is_again: false,
                };
                known.budgets.judge(self, finding)?
            }
        };
        if let Verdict::Refused(reason) = verdict {
            if foreign && REVOCABLE.contains(&reason) {
                admission.count_refused(host, reason);
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
        let is_deferred = verdict == Verdict::Deferred;
        let row = Row { key, origin, path };
        admission.group(kind, is_deferred, foreign).push(row);
        Ok(())
    }

    /// A known URL, on a shorter path. One that waits does not go on under a name that may not be queued. The blacklist
    /// is asked before every request, and may be lifted by then: the path counts all the same.
    fn admit_closer(
        &self,
        known: &mut Known,
        admission: &mut Admission<'_>,
        href: &str,
        key: Key,
        kind: Kind,
        (depth, foreign): (u32, bool),
    ) -> Result<()> {
        let held = known.overlay.get(&key);
        let found = Attributes {
            kind,
            parked: admission.parked,
            hops: 0,
            foreign,
            ..admission.attributes
        };
        let is_parked = || match held {
            Some(held) => Ok(held.is_parked),
            None => self.is_parked(&key),
        };
        let (origin, path) = split_origin(href).ok_or_else(|| not_absolute(href))?;
        let finding = Finding {
            host: host_of_origin(origin),
            path,
            key: &key,
            kind,
            attributes: &found,
            is_again: true,
        };
        let is_lower = is_closer(&found, depth, kind != Kind::Page && is_parked()?);
        let is_forbidden = is_lower && self.forbids(admission, href, origin, held, &key)?;
        if !is_lower
            || is_forbidden
            || href.len() > MAX_HREF
            || matches!(known.budgets.judge(self, finding)?, Verdict::Refused(_))
        {
            admission.outcome.known += 1;
            return Ok(());
        }
        let mark = overlay::Admission {
            depth: admission.kept_depth(kind),
            is_new: false,
            is_parked: admission.parked,
            is_pending: held.is_some_and(|held| held.is_pending),
            is_refused: held.is_some_and(|held| held.is_refused),
            is_foreign: foreign,
        };
        admission.mark(known, key, mark);
        known.closest.insert(key, &found, false);
        admission
            .closer_group(&found)
            .push(Row { key, origin, path });
        Ok(())
    }

    /// Whether a known URL must not be queued under this name, the blacklist aside. What has ended need not be queued.
    fn forbids(
        &self,
        admission: &mut Admission<'_>,
        href: &str,
        origin: &str,
        held: Option<overlay::Admission>,
        key: &Key,
    ) -> Result<bool> {
        let verdict = admission.verdict(href, origin)?;
        let is_forbidden =
            verdict.is_some_and(|reason| reason != BLACKLISTED) && !self.has_end(held, key)?;
        admission.outcome.out_of_scope += u64::from(is_forbidden && verdict == Some(OUT_OF_SCOPE));
        Ok(is_forbidden)
    }

    /// A page of its own host names a URL that was found on other hosts alone. From now on it is one of the host's own.
    fn vouch(
        &self,
        known: &mut Known,
        admission: &mut Admission<'_>,
        href: &str,
        key: Key,
        kind: Kind,
        depth: u32,
    ) -> Result<Vouched> {
        let held = known.overlay.get(&key);
        let seen = match held {
            Some(_) => None,
            None => self.seen(&key)?,
        };
        if matches!(seen, Some(Seen::Finished(_, true))) {
            return Ok(Vouched::New);
        }
        let is_over = matches!(seen, Some(Seen::Finished(_, false)));
        if is_over {
            known.hot.insert(&key, mark_of(depth, false));
        }
        if admission.depth < depth {
            self.admit_closer(known, admission, href, key, kind, (depth, false))?;
            return Ok(Vouched::Done);
        }
        admission.outcome.known += 1;
        if is_over || kind != Kind::Page || href.len() > MAX_HREF {
            return Ok(Vouched::Done);
        }
        let found = Attributes {
            kind,
            parked: admission.parked,
            hops: 0,
            foreign: false,
            ..admission.attributes
        };
        let (origin, path) = split_origin(href).ok_or_else(|| not_absolute(href))?;
        let finding = Finding {
            host: host_of_origin(origin),
            path,
            key: &key,
            kind,
            attributes: &found,
            is_again: true,
        };
        known.budgets.judge(self, finding)?;
        let mark = overlay::Admission {
            is_foreign: false,
            ..held.unwrap_or(overlay::Admission {
                depth,
                is_new: false,
                is_parked: matches!(seen, Some(Seen::Waiting(slot, ..)) if slot.chunk.class >= PARKED),
                is_pending: false,
                is_refused: false,
                is_foreign: false,
            })
        };
        admission.mark(known, key, mark);
        admission
            .closer_group(&found)
            .push(Row { key, origin, path });
        Ok(Vouched::Done)
    }

    /// Whether a known URL has ended, or will with a frame that is on its way.
    fn has_end(&self, held: Option<overlay::Admission>, key: &Key) -> Result<bool> {
        match held {
            Some(held) if held.is_pending => Ok(held.is_refused),
            _ => Ok(matches!(self.seen(key)?, Some(Seen::Finished(..)))),
        }
    }

    fn is_parked(&self, key: &Key) -> Result<bool> {
        let seen = self.seen(key)?;
        Ok(matches!(seen, Some(Seen::Waiting(slot, ..)) if slot.chunk.class >= PARKED))
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

    /// Why a queued URL is not worth its request any more, or `None` (F6). `foreign`: it was found on another host first.
    pub fn worth(&self, href: &str, key: &Key, foreign: bool) -> Result<Option<&'static str>> {
        let (origin, path) = split_origin(href).ok_or_else(|| not_absolute(href))?;
        let host = host_of_origin(origin);
        let mut known = self.known.lock();
        let own = known.budgets.worth(self, host, path, key, false)?;
        if !foreign {
            return Ok(own);
        }
        let others = known.budgets.worth(self, host, path, key, true)?;
        if own != others && self.is_foreign(&known, key)? {
            return Ok(others);
        }
        Ok(own)
    }

    /// Whether a URL that was found on another host first has not been found on its own since.
    pub fn is_still_foreign(&self, key: &Key) -> Result<bool> {
        let known = self.known.lock();
        self.is_foreign(&known, key)
    }

    /// Whether a known URL was found on other hosts alone.
    fn is_foreign(&self, known: &Known, key: &Key) -> Result<bool> {
        if let Some(held) = known.overlay.get(key) {
            return Ok(held.is_foreign);
        }
        Ok(match self.last_seen(key)? {
            Some(Seen::Waiting(_, _, foreign) | Seen::Finished(_, foreign)) => foreign,
            None => false,
        })
    }

    /// True for a key that waits already: asking for it again changes nothing.
    fn is_under_way(&self, known: &Known, key: &Key) -> Result<bool> {
        Ok(known.overlay.is_pending(key) || matches!(self.seen(key)?, Some(Seen::Waiting(..))))
    }

    /// The lowest depth at which a known key was found, and whether that was on other hosts alone, as far as it may
    /// still matter; `None` for a key nobody knows.
    fn depth_of(&self, known: &mut Known, key: &Key) -> Result<Option<(u32, bool)>> {
        if let Some(held) = known.overlay.get(key) {
            return Ok(Some((held.depth, held.is_foreign)));
        }
        if let Some(told) = known.hot.get(key).and_then(read_mark) {
            return Ok(Some(told));
        }
        let (depth, foreign) = match self.last_seen(key)? {
            Some(Seen::Waiting(_, depth, foreign) | Seen::Finished(depth, foreign)) => {
                (depth, foreign)
            }
            None => return Ok(None),
        };
        known.hot.insert(key, mark_of(depth, foreign));
        Ok(Some((depth, foreign)))
    }
}

impl Admission<'_> {
    /// Whether a known URL stays one of other hosts alone. Where pages are read again for their depth, nothing changes.
    fn is_foreign(&self, href: &str) -> Result<bool> {
        let Some(on) = self.found_on.filter(|_| !self.known_only) else {
            return Ok(self.known_only);
        };
        let (origin, _) = split_origin(href).ok_or_else(|| not_absolute(href))?;
        Ok(!is_of_host(host_of_origin(origin), on))
    }

    fn count_refused(&mut self, host: &str, reason: &'static str) {
        let counted = &mut self.outcome.counted;
        *counted.entry((host.to_owned(), reason)).or_default() += 1;
    }

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

    fn kept_depth(&self, kind: Kind) -> u32 {
        kept_depth(&Attributes {
            kind,
            parked: self.parked,
            ..self.attributes
        })
    }

    fn mark(&mut self, known: &mut Known, key: Key, mark: overlay::Admission) {
        known.overlay.insert(key, mark);
        self.marked.push(key);
    }

    fn closer_group(&mut self, found: &Attributes) -> &mut GroupWriter {
        let sort = (found.kind, found.foreign);
        let place = self.closer.iter().position(|(held, _)| *held == sort);
        let index = place.unwrap_or_else(|| {
            self.closer.push((sort, GroupWriter::new(*found)));
            self.closer.len() - 1
        });
        &mut self.closer[index].1
    }

    fn group(&mut self, kind: Kind, deferred: bool, foreign: bool) -> &mut GroupWriter {
        let sort = (kind, deferred, foreign);
        let index = self
            .groups
            .iter()
            .position(|(held, _)| *held == sort)
            .unwrap_or_else(|| {
                let attributes = Attributes {
                    kind,
                    parked: self.parked,
                    deferred,
                    foreign,
                    ..self.attributes
                };
                let group = GroupWriter::new(attributes);
                self.groups.push((sort, group));
                self.groups.len() - 1
            });
        &mut self.groups[index].1
    }

    fn finish(self) -> Admitted {
        let groups: Vec<GroupWriter> = self.groups.into_iter().map(|(_, group)| group).collect();
        let closer: Vec<GroupWriter> = self.closer.into_iter().map(|(_, group)| group).collect();
        Admitted {
            data: encode(&groups),
            count: groups.iter().map(GroupWriter::count).sum(),
            closer: encode(&closer),
            closer_count: closer.iter().map(GroupWriter::count).sum(),
            ..self.outcome
        }
    }
}

fn not_absolute(href: &str) -> Error {
    Error::Invalid(format!("not an absolute URL: {href}"))
}
