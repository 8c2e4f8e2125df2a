//! Decides which URLs may enter the frontier (D5, F6). It is called for every link, so each check is a few comparisons
//! on the serialised URL.
//!
//! The rules are constant. The scope and the blacklist grow while the crawl runs, from any thread.

mod calendar;
mod members;
mod pieces;
mod shape;

pub use pieces::Pieces;

use std::sync::Arc;

use parking_lot::RwLock;
use regex::{RegexBuilder, RegexSet, RegexSetBuilder};
use rustc_hash::FxHashSet;

use crate::error::{Error, Result};
use crate::url::parse_host;
use members::Members;

/// Reason: the host is on the blacklist.
pub const BLACKLISTED: &str = "blacklisted";
/// Reason: the URL is outside the scope of every seed.
pub const OUT_OF_SCOPE: &str = "scope";

/// Reason: the operator excludes it.
const EXCLUDED: &str = "excluded";
/// Reason: files of its type are not read.
const SKIPPED_EXTENSION: &str = "extension";

/// Compiled size of one pattern, and of all together. Matching is linear in the URL.
const MAX_PATTERN_SIZE: usize = 1 << 20;
const MAX_PATTERNS_SIZE: usize = 16 << 20;

/// How far a crawl reaches around its seeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The seed's host name; scheme and port do not matter.
    Host,
    /// The seed's registrable domain.
    Domain,
    /// The seed's origin, at and below the seed's directory.
    Prefix,
    Any,
}

impl std::str::FromStr for Scope {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "host" => Ok(Scope::Host),
            "domain" => Ok(Scope::Domain),
            "prefix" => Ok(Scope::Prefix),
            "any" => Ok(Scope::Any),
            _ => Err(Error::Invalid(format!(
                "unknown scope {name:?}: use host, domain, prefix or any"
            ))),
        }
    }
}

/// The settings of a [`LinkPolicy`]. A URL must match one of `include`, unless it is empty, and none of `exclude`.
#[derive(Debug, Clone)]
pub struct Rules {
    pub scope: Scope,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    /// With or without a leading dot, ignoring case.
    pub skip_extensions: Vec<String>,
    /// Requisites of pages are fetched: a link with a skipped extension may be one of another page, so that its refusal
    /// must not be stored.
    pub requisites: bool,
    pub limits: Limits,
}

/// Limits beyond which a URL counts as a trap (F6). The first three numbers are still allowed. `repeats` of a segment or
/// group of segments in a row are already too many.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub url_length: usize,
    pub segments: usize,
    pub parameters: usize,
    pub repeats: usize,
    /// A date further in the future is one of an endless calendar.
    pub years_ahead: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            url_length: 2000,
            segments: 15,
            parameters: 20,
            repeats: 3,
            years_ahead: 2,
        }
    }
}

/// Judges links. Shared by all threads.
#[derive(Debug)]
pub struct LinkPolicy {
    scope: Scope,
    include: Option<RegexSet>,
    exclude: Option<RegexSet>,
    skip_extensions: FxHashSet<String>,
    requisites: bool,
    limits: Limits,
    members: Arc<RwLock<Members>>,
    blacklist: RwLock<FxHashSet<String>>,
}

impl LinkPolicy {
    pub fn new(rules: Rules) -> Result<Self> {
        if rules.limits.repeats < 2 {
            return Err(Error::Invalid(
                "max_repeats must be at least 2: one is no repetition".into(),
            ));
        }
        Ok(LinkPolicy {
            scope: rules.scope,
            include: compile(&rules.include)?,
            exclude: compile(&rules.exclude)?,
            skip_extensions: rules
                .skip_extensions
                .iter()
                .map(|text| extension_key(text))
                .collect(),
            requisites: rules.requisites,
            limits: rules.limits,
            members: Arc::new(RwLock::new(Members::new(rules.scope == Scope::Domain))),
            blacklist: RwLock::default(),
        })
    }

    /// Shares the scope of `other`, which may have a million members: each policy extends it for both. Fails if one
    /// policy is by domain and the other by host.
    pub fn sharing(mut self, other: &LinkPolicy) -> Result<Self> {
        if (self.scope == Scope::Domain) != (other.scope == Scope::Domain) {
            return Err(Error::Invalid(
                "a scope of domains shares no members with one of hosts".into(),
            ));
        }
        self.members = other.members.clone();
        Ok(self)
    }

    /// Adds the URL's host, domain or prefix to the scope. True if its directory is new. The directory is kept because host,
    /// domain and prefix follow from it if the kind of scope changes later.
    pub fn extend(&self, url: Pieces<'_>) -> bool {
        self.members.write().add(url)
    }

    /// Extends the scope by each URL, and calls `joined` for those that are new. Skips everything that is not an absolute
    /// URL.
    pub fn extend_all<'a>(
        &self,
        hrefs: impl Iterator<Item = &'a str>,
        mut joined: impl FnMut(&'a str),
    ) {
        let mut members = self.members.write();
        for href in hrefs {
            if Pieces::of(href).is_some_and(|url| members.add(url)) {
                joined(href);
            }
        }
    }

    /// From now on refuses this domain and all of its subdomains.
    pub fn blacklist(&self, domain: &str) -> Result<()> {
        let host = named_host(domain)?;
        self.blacklist.write().insert(host);
        Ok(())
    }

    /// Removes a domain from the blacklist, if it is there.
    pub fn lift(&self, domain: &str) -> Result<()> {
        let host = named_host(domain)?;
        self.blacklist.write().remove(&host);
        Ok(())
    }

    /// The reason for refusing a URL that was found at the time `at`, or `None`. Scope is checked first: most URLs are
    /// outside, and those are only counted. The blacklist is checked last: [`BLACKLISTED`] means that there is no other
    /// reason.
    pub fn judge(&self, url: Pieces<'_>, at: f64) -> Option<&'static str> {
        self.judge_place(url)
            .or_else(|| self.judge_shape(url, at))
            .or_else(|| self.judge_text(url.href))
            .or_else(|| self.bans(url).then_some(BLACKLISTED))
    }

    /// As [`LinkPolicy::judge`], for a link. One that another page may need as a requisite is only outside.
    pub fn judge_link(&self, url: Pieces<'_>, at: f64) -> Option<&'static str> {
        match self.judge(url, at) {
            Some(SKIPPED_EXTENSION) if self.requisites => Some(EXCLUDED),
            reason => reason,
        }
    }

    /// As [`LinkPolicy::judge`], for a seed: it need not match `include`, and a gzipped file may be a sitemap (D1).
    pub fn judge_seed(&self, url: Pieces<'_>, at: f64) -> Option<&'static str> {
        let is_gzipped = shape::extension(url.path)
            .is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        self.judge_place(url)
            .or_else(|| match is_gzipped {
                true => shape::judge(url, self.limits, at),
                false => self.judge_shape(url, at),
            })
            .or_else(|| self.excludes(url.href).then_some(EXCLUDED))
            .or_else(|| self.bans(url).then_some(BLACKLISTED))
    }

    fn judge_place(&self, url: Pieces<'_>) -> Option<&'static str> {
        (!self.contains(url)).then_some(OUT_OF_SCOPE)
    }

    fn contains(&self, url: Pieces<'_>) -> bool {
        match self.scope {
            Scope::Any => true,
            Scope::Host | Scope::Domain => self.members.read().has_name(url),
            Scope::Prefix => self.members.read().has_prefix(url),
        }
    }

    /// True if its host or a parent domain is on the blacklist.
    pub fn bans(&self, url: Pieces<'_>) -> bool {
        let blacklist = self.blacklist.read();
        !blacklist.is_empty() && names_above(url.host).any(|name| blacklist.contains(name))
    }

    fn judge_shape(&self, url: Pieces<'_>, at: f64) -> Option<&'static str> {
        if url.href.len() > self.limits.url_length {
            return Some("too_long");
        }
        if self.skips_extension(url.path) {
            return Some(SKIPPED_EXTENSION);
        }
        shape::judge(url, self.limits, at)
    }

    fn skips_extension(&self, path: &str) -> bool {
        let skipped = &self.skip_extensions;
        let Some(extension) = shape::extension(path).filter(|_| !skipped.is_empty()) else {
            return false;
        };
        let is_lower = !extension.bytes().any(|byte| byte.is_ascii_uppercase());
        match is_lower {
            true => skipped.contains(extension),
            false => skipped.contains(&extension_key(extension)),
        }
    }

    fn judge_text(&self, href: &str) -> Option<&'static str> {
        let included = self.include.as_ref().is_none_or(|set| set.is_match(href));
        (!included || self.excludes(href)).then_some(EXCLUDED)
    }

    fn excludes(&self, href: &str) -> bool {
        self.exclude.as_ref().is_some_and(|set| set.is_match(href))
    }
}

/// The name itself, then its parent domains.
fn names_above(host: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(host), |name| {
        name.split_once('.').map(|(_, parent)| parent)
    })
}

fn extension_key(text: &str) -> String {
    text.trim_start_matches('.').to_ascii_lowercase()
}

fn compile(patterns: &[String]) -> Result<Option<RegexSet>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    for pattern in patterns {
        RegexBuilder::new(pattern)
            .size_limit(MAX_PATTERN_SIZE)
            .build()
            .map_err(|error| Error::Invalid(format!("bad pattern {pattern:?}: {error}")))?;
    }
    RegexSetBuilder::new(patterns)
        .size_limit(MAX_PATTERNS_SIZE)
        .build()
        .map(Some)
        .map_err(|error| Error::Invalid(format!("bad patterns {patterns:?}: {error}")))
}

fn named_host(domain: &str) -> Result<String> {
    let name = domain.trim().trim_start_matches("*.").trim_matches('.');
    parse_host(name).map_err(|_| {
        Error::Invalid(format!(
            "{domain:?} is no host name: write one such as example.com"
        ))
    })
}

#[cfg(test)]
mod tests;
