//! Links to known URLs: found closer, now named by their own host, or nothing new.

use super::super::attributes::{Attributes, PARKED};
use super::super::budgets::{Finding, Verdict};
use super::super::cache::{mark_of, read_mark};
use super::super::closer::is_closer;
use super::super::discoveries::{MAX_HREF, Row};
use super::super::rows::Seen;
use super::super::{Known, UrlStore, overlay};
use super::admission::{Admission, not_absolute};
use crate::error::Result;
use crate::fetched::Kind;
use crate::scope::{BLACKLISTED, OUT_OF_SCOPE};
use crate::url::{Key, host_of_origin, split_origin};

/// The result when a host names a URL that was foreign so far.
pub(super) enum Vouched {
    Done,
    /// It was refused as a foreign URL, and is judged again.
    New,
}

impl UrlStore {
    /// Admits a known URL with a shorter path. A queued URL does not move if this href must not be queued. The
    /// blacklist is ignored here: it is checked before every request and may be lifted, so the path counts.
    pub(super) fn admit_closer(
        &self,
        known: &mut Known,
        admission: &mut Admission<'_>,
        href: &str,
        key: Key,
        kind: Kind,
        (depth, foreign): (u32, bool),
    ) -> Result<()> {
        let held = known.overlay.get(&key);
        let (origin, path) = split_origin(href).ok_or_else(|| not_absolute(href))?;
        let found = Attributes {
            kind,
            parked: admission.parked,
            hops: 0,
            foreign,
            from_sibling: foreign && admission.is_from_sibling(host_of_origin(origin)),
            ..admission.attributes
        };
        let is_parked = || match held {
            Some(held) => Ok(held.is_parked),
            None => self.is_parked(&key),
        };
        let finding = Finding {
            host: host_of_origin(origin),
            path,
            key: &key,
            kind,
            attributes: &found,
            is_again: true,
            is_cross_domain: false,
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

    /// Whether a known URL must not be queued under this href, apart from the blacklist. An ended URL need not be
    /// queued.
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

    /// The URL's own host names it for the first time: from now on it is not foreign.
    pub(super) fn mark_as_own(
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
            is_cross_domain: false,
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

    /// Another host of the domain names a foreign URL that is known: if nothing else says so yet, the frame says that
    /// its host is one of the domain's own (D5). The URL itself stays as it is.
    pub(super) fn vouch_for_host(
        &self,
        known: &mut Known,
        admission: &mut Admission<'_>,
        href: &str,
        key: Key,
        kind: Kind,
        depth: u32,
    ) -> Result<()> {
        let (origin, path) = split_origin(href).ok_or_else(|| not_absolute(href))?;
        let host = host_of_origin(origin);
        if admission.known_only
            || kind != Kind::Page
            || href.len() > MAX_HREF
            || !admission.is_from_sibling(host)
            || known.budgets.is_own(self, host)?
        {
            return Ok(());
        }
        let found = Attributes {
            kind,
            parked: admission.parked,
            hops: 0,
            foreign: true,
            from_sibling: true,
            ..admission.attributes
        };
        let finding = Finding {
            host,
            path,
            key: &key,
            kind,
            attributes: &found,
            is_again: true,
            is_cross_domain: false,
        };
        known.budgets.judge(self, finding)?;
        if known.overlay.get(&key).is_none() {
            let is_parked = self.is_parked(&key)?;
            let mark = overlay::Admission {
                depth,
                is_new: false,
                is_parked,
                is_pending: false,
                is_refused: false,
                is_foreign: true,
            };
            admission.mark(known, key, mark);
        }
        admission
            .closer_group(&found)
            .push(Row { key, origin, path });
        Ok(())
    }

    /// Whether a known URL has ended, or will end with a pending frame.
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

    /// Whether a known URL is foreign.
    pub(super) fn is_foreign(&self, known: &Known, key: &Key) -> Result<bool> {
        if let Some(held) = known.overlay.get(key) {
            return Ok(held.is_foreign);
        }
        Ok(match self.last_seen(key)? {
            Some(Seen::Waiting(_, _, foreign, _) | Seen::Finished(_, foreign)) => foreign,
            None => false,
        })
    }

    /// True if the key is queued or pending: then requesting it again changes nothing.
    pub(super) fn is_under_way(&self, known: &Known, key: &Key) -> Result<bool> {
        Ok(known.overlay.is_pending(key) || matches!(self.seen(key)?, Some(Seen::Waiting(..))))
    }

    /// The lowest depth of a known key, and whether it is foreign, as far as that can still matter; `None` for an
    /// unknown key.
    pub(super) fn depth_of(&self, known: &mut Known, key: &Key) -> Result<Option<(u32, bool)>> {
        if let Some(held) = known.overlay.get(key) {
            return Ok(Some((held.depth, held.is_foreign)));
        }
        if let Some(told) = known.hot.get(key).and_then(read_mark) {
            return Ok(Some(told));
        }
        let (depth, foreign) = match self.last_seen(key)? {
            Some(Seen::Waiting(_, depth, foreign, _) | Seen::Finished(depth, foreign)) => {
                (depth, foreign)
            }
            None => return Ok(None),
        };
        known.hot.insert(key, mark_of(depth, foreign));
        Ok(Some((depth, foreign)))
    }
}
