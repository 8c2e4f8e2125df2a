//! The members of a scope: the directories of its seeds, and the names of their hosts or domains.
//!
//! A crawl may have a million seeds on as many hosts, so a member takes only about 60 bytes.

use xxhash_rust::xxh3::xxh3_64;

use super::Pieces;
use crate::names::Names;
use crate::url::registrable_domain;

#[derive(Debug)]
pub struct Members {
    /// The origin and directory of each seed. Every kind of scope can be computed from them.
    directories: Names,
    names: SeedNames,
}

/// The hosts of the directories, or their registrable domains.
#[derive(Debug)]
enum SeedNames {
    Hosts(HostIndex),
    Domains(Names),
}

impl Members {
    pub fn new(by_domain: bool) -> Self {
        Members {
            directories: Names::default(),
            names: match by_domain {
                true => SeedNames::Domains(Names::default()),
                false => SeedNames::Hosts(HostIndex::default()),
            },
        }
    }

    /// True if the directory is new.
    pub fn add(&mut self, url: Pieces<'_>) -> bool {
        let Some(number) = self.directories.insert(directory(url)) else {
            return false;
        };
        match &mut self.names {
            SeedNames::Hosts(hosts) => hosts.insert(&self.directories, number, url.host),
            SeedNames::Domains(domains) => {
                domains.intern(owner(url));
            }
        }
        true
    }

    pub fn has_name(&self, url: Pieces<'_>) -> bool {
        match &self.names {
            SeedNames::Hosts(hosts) => hosts.contains(&self.directories, url.host),
            SeedNames::Domains(domains) => domains.contains(owner(url)),
        }
    }

    /// True if the URL's directory or a parent is a member.
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

const VACANT: u32 = u32::MAX;

/// A hash set of hosts. Each entry is the number of a directory whose text contains the host name. Open addressing; the
/// size is a power of two, and it is at most three quarters full.
#[derive(Debug, Default)]
struct HostIndex {
    places: Vec<u32>,
    hosts: usize,
}

impl HostIndex {
    fn insert(&mut self, directories: &Names, number: u32, host: &str) {
        if (self.hosts + 1) * 4 > self.places.len() * 3 {
            self.grow(directories);
        }
        let place = self.place(directories, host);
        if self.places[place] == VACANT {
            self.places[place] = number;
            self.hosts += 1;
        }
    }

    fn contains(&self, directories: &Names, host: &str) -> bool {
        let place = self.place(directories, host);
        self.places.get(place).is_some_and(|held| *held != VACANT)
    }

    /// The slot of a host, or the free slot for it.
    fn place(&self, directories: &Names, host: &str) -> usize {
        let mask = self.places.len().wrapping_sub(1);
        let mut place = xxh3_64(host.as_bytes()) as usize & mask;
        while place < self.places.len()
            && self.places[place] != VACANT
            && host_of(directories, self.places[place]) != Some(host)
        {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self, directories: &Names) {
        let larger = vec![VACANT; (self.places.len() * 2).max(64)];
        for number in std::mem::replace(&mut self.places, larger) {
            if let Some(host) = host_of(directories, number) {
                let place = self.place(directories, host);
                self.places[place] = number;
            }
        }
    }
}

fn host_of(directories: &Names, number: u32) -> Option<&str> {
    Some(Pieces::of(directories.get(number)?)?.host)
}

/// The registrable domain; addresses and single labels are their own.
fn owner(url: Pieces<'_>) -> &str {
    registrable_domain(url.host).unwrap_or(url.host)
}

/// The origin and the path through its last slash.
fn directory(url: Pieces<'_>) -> &str {
    let end = url.origin.len() + url.path.rfind('/').map_or(0, |slash| slash + 1);
    url.href.get(..end).unwrap_or(url.origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(href: &str) -> Pieces<'_> {
        Pieces::of(href).unwrap()
    }

    #[test]
    fn f3_a_hundred_thousand_hosts_are_found_and_no_others() {
        let mut members = Members::new(false);
        for number in 0..100_000 {
            assert!(members.add(pieces(&format!("https://h{number}.test/a/b"))));
        }
        assert!(!members.add(pieces("https://h7.test/a/c")));
        assert!(members.add(pieces("https://h7.test/")));
        assert!(members.add(pieces("http://h7.test:8080/a/")));
        for number in 0..100_000 {
            assert!(members.has_name(pieces(&format!("http://h{number}.test:81/"))));
            assert!(!members.has_name(pieces(&format!("https://g{number}.test/"))));
        }
    }

    #[test]
    fn d5_a_prefix_holds_what_lies_below_it_alone() {
        let mut members = Members::new(false);
        members.add(pieces("https://a.test/docs/one.html"));
        for (href, expected) in [
            ("https://a.test/docs/", true),
            ("https://a.test/docs/x/y?z=/", true),
            ("https://a.test/docs", false),
            ("https://a.test/documents/", false),
            ("https://a.test/", false),
            ("http://a.test/docs/", false),
            ("https://a.test:444/docs/", false),
        ] {
            assert_eq!(members.has_prefix(pieces(href)), expected, "{href}");
        }
        assert!(!Members::new(false).has_name(pieces("https://a.test/")));
    }
}
