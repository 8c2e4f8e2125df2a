//! What a scope consists of: directories around seeds, and the names of their hosts or domains.
//!
//! A crawl may have a million seeds on as many hosts: about 80 bytes for each of them.

use super::Pieces;
use crate::names::Names;
use crate::url::registrable_domain;

#[derive(Debug)]
pub struct Members {
    by_domain: bool,
    /// Origins with the directory of a seed's path: whatever the scope is, it follows from them.
    directories: Names,
    /// Host names, or registrable domains where `by_domain`.
    names: Names,
}

impl Members {
    pub fn new(by_domain: bool) -> Self {
        Members {
            by_domain,
            directories: Names::default(),
            names: Names::default(),
        }
    }

    /// True where the directory was no member.
    pub fn add(&mut self, url: Pieces<'_>) -> bool {
        let is_new = self.directories.insert(directory(url));
        if is_new {
            self.names.insert(name(self.by_domain, url));
        }
        is_new
    }

    pub fn has_name(&self, url: Pieces<'_>) -> bool {
        self.names.contains(name(self.by_domain, url))
    }

    /// Whether the URL lies in or below a directory that is a member. Its own come longest first.
    pub fn has_prefix(&self, url: Pieces<'_>) -> bool {
        let mut place = directory(url);
        loop {
            if self.directories.contains(place) {
                return true;
            }
            let above = place[..place.len().saturating_sub(1)].rfind('/');
            match above.filter(|slash| *slash >= url.origin.len()) {
                Some(slash) => place = &place[..=slash],
                None => return false,
            }
        }
    }
}

/// Addresses and single labels own themselves.
fn name(by_domain: bool, url: Pieces<'_>) -> &str {
    match by_domain {
        true => registrable_domain(url.host).unwrap_or(url.host),
        false => url.host,
    }
}

/// The origin and the path up to its last slash: one piece of the href.
fn directory<'a>(url: Pieces<'a>) -> &'a str {
    let path = url.origin.len() + url.path.rfind('/').map_or(0, |slash| slash + 1);
    url.href.get(..path).unwrap_or(url.origin)
}
