//! One admission: its inputs and its results.

use std::collections::BTreeMap;

use super::super::Known;
use super::super::attributes::Attributes;
use super::super::budgets::{is_cross_domain, is_of_host};
use super::super::closer::kept_depth;
use super::super::discoveries::{GroupWriter, MAX_HREF, MAX_ORIGIN, encode};
use super::super::overlay;
use crate::error::{Error, Result};
use crate::fetched::Kind;
use crate::scope::Pieces;
use crate::url::{Key, host_of_origin, split_origin};

/// Returns why a URL must not be queued, or `None`. URLs refused as `scope` or `excluded` are not stored; those refused
/// for any other reason are.
pub type Policy<'a> = &'a dyn Fn(Pieces<'_>) -> Option<&'static str>;

/// A refused URL: known from now on, but never queued. The log gets its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub href: String,
    pub key: Key,
    pub reason: &'static str,
}

/// The result of one admission.
#[derive(Debug, Default)]
pub struct Admitted {
    /// The discoveries in the format of the log; empty if there are none.
    pub data: Vec<u8>,
    pub count: u64,
    /// Known URLs to which a shorter path was found, in the same format.
    pub closer: Vec<u8>,
    pub closer_count: u64,
    pub refused: Vec<Refused>,
    pub known: u64,
    pub outside: u64,
    /// Number of URLs outside the scope: a larger scope may contain them.
    pub out_of_scope: u64,
    /// (host, reason, number) of refusals that are only counted.
    pub counted: BTreeMap<(String, &'static str), u64>,
}

/// The attributes in which groups of one admission may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sort {
    kind: Kind,
    is_deferred: bool,
    is_foreign: bool,
    is_from_sibling: bool,
    /// The bits of the priority.
    priority: u64,
}

impl Sort {
    fn of(attributes: &Attributes) -> Sort {
        Sort {
            kind: attributes.kind,
            is_deferred: attributes.deferred,
            is_foreign: attributes.foreign,
            is_from_sibling: attributes.from_sibling,
            priority: attributes.priority.to_bits(),
        }
    }
}

pub(super) struct Admission<'a> {
    pub policy: Option<Policy<'a>>,
    /// The host whose page, redirect or sitemap names these URLs; `None` if only the operator does.
    pub found_on: Option<&'a str>,
    pub depth: u32,
    pub parked: bool,
    pub groups: Vec<(Sort, GroupWriter)>,
    /// Groups of known URLs that were found closer.
    pub closer: Vec<(Sort, GroupWriter)>,
    /// Only known URLs are considered; nothing new is admitted.
    pub known_only: bool,
    /// Number of admitted sitemaps that a host of another registrable domain names.
    pub foreign_sitemaps: usize,
    pub attributes: Attributes,
    pub outcome: Admitted,
    /// Entries added to the overlay, to be removed if the admission fails.
    pub marked: Vec<Key>,
}

impl Admission<'_> {
    /// Whether a known URL stays foreign. If pages are reread for their depth, nothing changes.
    pub(super) fn is_foreign(&self, href: &str) -> Result<bool> {
        let Some(on) = self.found_on.filter(|_| !self.known_only) else {
            return Ok(self.known_only);
        };
        let (origin, _) = split_origin(href).ok_or_else(|| not_absolute(href))?;
        Ok(!is_of_host(host_of_origin(origin), on))
    }

    /// Whether another host of the same registrable domain names a URL of this host.
    pub(super) fn is_from_sibling(&self, host: &str) -> bool {
        self.found_on
            .is_some_and(|on| !is_of_host(host, on) && !is_cross_domain(host, on))
    }

    pub(super) fn count_refused(&mut self, host: &str, reason: &'static str) {
        let counted = &mut self.outcome.counted;
        *counted.entry((host.to_owned(), reason)).or_default() += 1;
    }

    pub(super) fn verdict(&self, href: &str, origin: &str) -> Result<Option<&'static str>> {
        if href.len() > MAX_HREF || origin.len() > MAX_ORIGIN {
            return Ok(Some("too_long"));
        }
        let Some(policy) = self.policy else {
            return Ok(None);
        };
        let url = Pieces::of(href).ok_or_else(|| not_absolute(href))?;
        Ok(policy(url))
    }

    pub(super) fn kept_depth(&self, kind: Kind) -> u32 {
        kept_depth(&Attributes {
            kind,
            parked: self.parked,
            ..self.attributes
        })
    }

    pub(super) fn mark(&mut self, known: &mut Known, key: Key, mark: overlay::Admission) {
        known.overlay.insert(key, mark);
        self.marked.push(key);
    }

    pub(super) fn closer_group(&mut self, found: &Attributes) -> &mut GroupWriter {
        group_of(&mut self.closer, found)
    }

    /// The group of a new URL with these attributes.
    pub(super) fn group(
        &mut self,
        found: Attributes,
        kind: Kind,
        deferred: bool,
    ) -> &mut GroupWriter {
        let attributes = Attributes {
            kind,
            parked: self.parked,
            deferred,
            ..found
        };
        group_of(&mut self.groups, &attributes)
    }

    pub(super) fn finish(self) -> Admitted {
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

pub(super) fn not_absolute(href: &str) -> Error {
    Error::Invalid(format!("not an absolute URL: {href}"))
}

fn group_of<'g>(
    groups: &'g mut Vec<(Sort, GroupWriter)>,
    attributes: &Attributes,
) -> &'g mut GroupWriter {
    let sort = Sort::of(attributes);
    let place = groups.iter().position(|(held, _)| *held == sort);
    let index = place.unwrap_or_else(|| {
        groups.push((sort, GroupWriter::new(*attributes)));
        groups.len() - 1
    });
    &mut groups[index].1
}
