//! The priority of URLs by the ranks of pages and hosts (F2).
//!
//! The ranks of queued URLs change with every computation, and with them their priorities. A priority that somebody
//! gave (for a seed, by a hook, by the operator) must not change. So a computed priority tells that it is one: in steps
//! of 1/256 it ends in a half, and that of a news article in a quarter. No class begins or ends within a step.

use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::{DAMPING, Ranks};
use crate::error::Result;
use crate::fetched::Kind;
use crate::page::Page;
use crate::url::{Key, host_of_origin, split_origin};
use crate::url_store::attributes::{Attributes, Via};

const STEPS: f64 = 256.0;
const COMPUTED: f64 = 0.5;
const NEWS: f64 = 0.25;
/// A factor of which nothing is known.
const UNKNOWN: f64 = 0.5;
/// Hosts whose percentiles are in memory.
const MOST_HOSTS: usize = 100_000;

/// What each factor weighs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    pub page_rank: f64,
    pub host_authority: f64,
    pub depth: f64,
    /// What the factors give that are the same for all URLs that were never fetched: change rate and freshness need.
    pub rest: f64,
    pub sitemap_bonus: f64,
    pub news_bonus: f64,
}

impl Weights {
    fn sum(&self, page: f64, host: f64, depth: u32, from_sitemap: bool, is_news: bool) -> f64 {
        let near = (1.0 - 0.1 * f64::from(depth)).max(0.0);
        let sum = self.page_rank * page
            + self.host_authority * host
            + self.depth * near
            + self.rest
            + if from_sitemap {
                self.sitemap_bonus
            } else {
                0.0
            }
            + if is_news { self.news_bonus } else { 0.0 };
        mark_computed(sum, is_news)
    }
}

/// Writes into a priority that it was computed, and for what.
pub fn mark_computed(priority: f64, is_news: bool) -> f64 {
    mark(priority, if is_news { NEWS } else { COMPUTED })
}

/// A computed priority, changed by what a site says of its own pages; any other one stays.
pub fn shift_computed(priority: f64, by: f64) -> f64 {
    let what = mark_of(priority);
    if what == COMPUTED || what == NEWS {
        mark(priority + by, what)
    } else {
        priority
    }
}

fn mark(priority: f64, what: f64) -> f64 {
    let step = (priority * STEPS).floor().clamp(0.0, STEPS - 1.0);
    (step + what) / STEPS
}

fn mark_of(priority: f64) -> f64 {
    (priority * STEPS).fract()
}

/// Ranks, as factors of priorities.
pub struct Factors {
    ranks: Arc<Ranks>,
    weights: Weights,
    hosts: Mutex<FxHashMap<Box<str>, f64>>,
    /// The rank of a page to which nothing links.
    least: f64,
}

impl Factors {
    pub fn new(ranks: Arc<Ranks>, weights: Weights) -> Self {
        Factors {
            least: ranks.least(),
            ranks,
            weights,
            hosts: Mutex::default(),
        }
    }

    /// The authority of a host: the percentile of its rank. A host without rank counts as unknown.
    pub fn host(&self, name: &str) -> Result<f64> {
        if let Some(known) = self.hosts.lock().get(name) {
            return Ok(*known);
        }
        let found = self.ranks.host(name)?;
        let authority = found.map_or(UNKNOWN, |ranked| ranked.percentile);
        let mut hosts = self.hosts.lock();
        if hosts.len() >= MOST_HOSTS {
            hosts.clear();
        }
        hosts.insert(name.into(), authority);
        Ok(authority)
    }

    /// The percentile of a page to which only this one is known to link.
    fn of_new_link(&self, source: &Key, links: usize) -> Result<f64> {
        let found = self.ranks.page(source)?;
        let rank = found.map_or(self.least, |ranked| ranked.rank);
        let passed_on = DAMPING * rank / links.max(1) as f64;
        Ok(self.ranks.percentile_of(self.least + passed_on))
    }

    /// The priority of the new links of a page, at this depth. If other hosts have another authority than that of the
    /// page, also the step of each link.
    pub fn rate_links(
        &self,
        key: &Key,
        href: &str,
        page: &Page,
        depth: u32,
    ) -> Result<(f64, Option<Vec<u8>>)> {
        let factor = self.of_new_link(key, page.links.len())?;
        let own = host_of(href);
        let usual = self
            .weights
            .sum(factor, self.host(own)?, depth, false, false);
        let mut steps = Vec::new();
        let mut last = (own, usual);
        for (number, link) in page.links.iter().enumerate() {
            let host = host_of(&link.href);
            if host != last.0 {
                last = (
                    host,
                    match host == own {
                        true => usual,
                        false => self
                            .weights
                            .sum(factor, self.host(host)?, depth, false, false),
                    },
                );
            }
            if last.1 != usual && steps.is_empty() {
                steps = vec![step_of(usual); page.links.len()];
            }
            if let Some(step) = steps.get_mut(number) {
                *step = step_of(last.1);
            }
        }
        Ok((usual, (!steps.is_empty()).then_some(steps)))
    }

    /// The priority of a URL that a sitemap or an order of the operator names: only its host is known.
    pub fn rate(&self, host: &str, depth: u32, from_sitemap: bool, is_news: bool) -> Result<f64> {
        let authority = self.host(host)?;
        Ok(self
            .weights
            .sum(UNKNOWN, authority, depth, from_sitemap, is_news))
    }

    /// The priority that a queued URL should have now. `None` if it was given, or if the page has no rank yet: then its
    /// priority is that of its admission.
    pub fn rate_queued(
        &self,
        key: &Key,
        attributes: &Attributes,
        host: f64,
    ) -> Result<Option<f64>> {
        let what = mark_of(attributes.priority);
        let is_computed = what == COMPUTED || what == NEWS;
        let is_found = matches!(attributes.via, Via::Link | Via::Redirect | Via::Sitemap);
        if !is_computed || !is_found || attributes.is_seed || attributes.kind != Kind::Page {
            return Ok(None);
        }
        let ranked = self.ranks.page(key)?;
        Ok(ranked.map(|ranked| {
            let from_sitemap = attributes.via == Via::Sitemap;
            let is_news = what == NEWS;
            self.weights.sum(
                ranked.percentile,
                host,
                attributes.depth,
                from_sitemap,
                is_news,
            )
        }))
    }
}

fn step_of(priority: f64) -> u8 {
    (priority * STEPS) as u8
}

fn host_of(href: &str) -> &str {
    split_origin(href).map_or("", |(origin, _)| host_of_origin(origin))
}
