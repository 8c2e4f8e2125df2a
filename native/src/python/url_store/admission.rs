//! Parts of an admission.

use crate::error::Result;
use crate::fetched::Kind;
use crate::rank::shift_computed;
use crate::scope;
use crate::sitemap::{Listed, Sitemap};
use crate::url::{host_of_origin, split_origin};
use crate::url_store::attributes::Attributes;
use crate::url_store::budgets::{FOREIGN_SITEMAPS, is_cross_domain};
use crate::url_store::{self, Admitted, Found, Priorities};

/// How much the priority in a sitemap weighs.
const DECLARED: f64 = 0.15;

/// A part of a sitemap: the kind of its entries, how many to skip, and how many to read.
pub struct Piece {
    pub listed: Listed,
    pub skip: usize,
    pub most: usize,
    /// Priorities of all entries of this kind.
    pub priorities: Option<Priorities>,
}

/// `None` if there is nothing.
pub fn admit_piece(
    store: &url_store::UrlStore,
    sitemap: &Sitemap,
    piece: &Piece,
    attributes: Attributes,
    max_depth: Option<u32>,
    policy: &scope::LinkPolicy,
    found_on: Option<&str>,
) -> Result<Option<Admitted>> {
    let entries = sitemap.of(piece.listed).zip(0..);
    let rows = entries
        .skip(piece.skip)
        .take(piece.most)
        .map(|(entry, number)| Found {
            href: entry.href.as_str(),
            key: entry.key,
            kind: attributes.kind,
            priority: piece.priorities.as_ref().map_or_else(
                || Some(declared_priority(attributes.priority, entry.priority?)),
                |list| list.of(number),
            ),
        });
    if rows.clone().next().is_none() {
        return Ok(None);
    }
    let judge = judge(policy, attributes.discovered_at, false);
    // The first piece of an index file had its share.
    let is_spent = piece.skip > 0 && attributes.kind == Kind::Sitemap;
    let judge = |url: scope::Pieces<'_>| {
        judge(url).or_else(|| {
            let is_foreign = is_spent && found_on.is_some_and(|on| is_cross_domain(url.host, on));
            is_foreign.then_some(FOREIGN_SITEMAPS)
        })
    };
    store
        .admit_found(rows, attributes, max_depth, Some(&judge), found_on, false)
        .map(Some)
}

/// The priority of a page whose sitemap says how important it is among its pages (D2): 0.5 if it says nothing.
fn declared_priority(usual: f64, declared: f64) -> f64 {
    shift_computed(usual, (declared - 0.5) * DECLARED)
}

pub fn judge(
    policy: &scope::LinkPolicy,
    at: f64,
    is_seed: bool,
) -> impl Fn(scope::Pieces<'_>) -> Option<&'static str> {
    move |url| match is_seed {
        true => policy.judge_seed(url, at),
        false => policy.judge_link(url, at),
    }
}

pub fn host_of(href: &str) -> &str {
    split_origin(href).map_or("", |(origin, _)| host_of_origin(origin))
}
