//! The attributes of a URL, and its queue class.

use super::wire::{Reader, put_varint};
use crate::fetched::Kind;
use crate::url::Key;

/// Classes 0 (best) to 15 are served; those above contain parked URLs, by depth.
pub const PARKED: u8 = 16;
/// The deepest class, with everything at this depth or below.
pub const DEEPEST: u32 = (u8::MAX - PARKED) as u32;

/// How a URL was found. The order is part of the log's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    Seed,
    Link,
    Redirect,
    Sitemap,
    Robots,
    /// Requested again: an ended URL is queued once more.
    Recrawl,
    /// A page or a style sheet needs it (D7).
    Requisite,
    /// Imported from an archive of others.
    Import,
}

impl Via {
    const ALL: [Via; 8] = [
        Via::Seed,
        Via::Link,
        Via::Redirect,
        Via::Sitemap,
        Via::Robots,
        Via::Recrawl,
        Via::Requisite,
        Via::Import,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Via::Seed => "seed",
            Via::Link => "link",
            Via::Redirect => "redirect",
            Via::Sitemap => "sitemap",
            Via::Robots => "robots",
            Via::Recrawl => "recrawl",
            Via::Requisite => "requisite",
            Via::Import => "import",
        }
    }

    pub fn from_name(name: &str) -> Option<Via> {
        Via::ALL.into_iter().find(|via| via.name() == name)
    }
}

/// Shared by all URLs that were admitted together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attributes {
    pub priority: f64,
    pub depth: u32,
    pub hops: u32,
    pub via: Via,
    /// A page, a sitemap or a requisite; robots.txt is never queued.
    pub kind: Kind,
    pub source: Option<Key>,
    pub discovered_at: f64,
    pub is_seed: bool,
    /// Deeper than the limit when it was found: stored, and served once the limit allows it.
    pub parked: bool,
    /// Found when its host exceeded its rate of new URLs: it waits behind all others (F6).
    pub deferred: bool,
    /// Found on another host and not on its own, so that its result must not affect the host's own pages (F6). Logs of
    /// older versions do not record this.
    pub foreign: bool,
    /// Found on another host of its registrable domain, so that its host is one of the domain's own (D5). Logs of older
    /// versions do not record this.
    pub from_sibling: bool,
}

const IS_SEED: u8 = 1;
const IS_PARKED: u8 = 2;
const HAS_SOURCE: u8 = 4;
const IS_SITEMAP: u8 = 8;
const IS_DEFERRED: u8 = 16;
const IS_FOREIGN: u8 = 32;
const IS_FROM_SIBLING: u8 = 64;
const IS_REQUISITE: u8 = 128;
/// The class of deferred URLs.
const LOWEST: u8 = 15;

impl Attributes {
    pub fn class(&self) -> u8 {
        if self.parked {
            return PARKED + self.depth.min(DEEPEST) as u8;
        }
        if self.deferred {
            return LOWEST;
        }
        // The cast saturates, and makes 0 of what is not a number.
        15 - ((self.priority * 16.0) as u8).min(15)
    }

    /// Whether the operator named it.
    pub fn is_wanted(&self) -> bool {
        self.is_seed || matches!(self.via, Via::Seed | Via::Recrawl | Via::Import)
    }

    pub fn put(&self, out: &mut Vec<u8>) {
        let mut flags = 0;
        for (flag, set) in [
            (IS_SEED, self.is_seed),
            (IS_PARKED, self.parked),
            (HAS_SOURCE, self.source.is_some()),
            (IS_SITEMAP, self.kind == Kind::Sitemap),
            (IS_DEFERRED, self.deferred),
            (IS_FOREIGN, self.foreign),
            (IS_FROM_SIBLING, self.from_sibling),
            (IS_REQUISITE, self.kind == Kind::Requisite),
        ] {
            flags |= if set { flag } else { 0 };
        }
        out.extend_from_slice(&[flags, self.via as u8]);
        put_varint(out, self.depth.into());
        put_varint(out, self.hops.into());
        out.extend_from_slice(&self.priority.to_le_bytes());
        out.extend_from_slice(&self.discovered_at.to_le_bytes());
        out.extend_from_slice(self.source.as_ref().map_or(&[], |key| key.as_slice()));
    }

    pub fn read(reader: &mut Reader<'_>) -> Option<Attributes> {
        let flags = reader.byte()?;
        let via = *Via::ALL.get(usize::from(reader.byte()?))?;
        let (depth, hops) = (reader.small()?, reader.small()?);
        let (priority, discovered_at) = (reader.float()?, reader.float()?);
        let source = if flags & HAS_SOURCE != 0 {
            Some(reader.array()?)
        } else {
            None
        };
        Some(Attributes {
            priority,
            depth,
            hops,
            via,
            kind: match flags & (IS_SITEMAP | IS_REQUISITE) {
                0 => Kind::Page,
                IS_REQUISITE => Kind::Requisite,
                _ => Kind::Sitemap,
            },
            source,
            discovered_at,
            is_seed: flags & IS_SEED != 0,
            parked: flags & IS_PARKED != 0,
            deferred: flags & IS_DEFERRED != 0,
            foreign: flags & IS_FOREIGN != 0,
            from_sibling: flags & IS_FROM_SIBLING != 0,
        })
    }
}

/// Whether a class may be served under a depth limit (`None`: no limit).
pub fn is_permitted(class: u8, max_depth: Option<u32>) -> bool {
    class < PARKED || max_depth.is_none_or(|limit| u32::from(class - PARKED) <= limit)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn link(depth: u32, priority: f64) -> Attributes {
        Attributes {
            priority,
            depth,
            hops: 0,
            via: Via::Link,
            kind: Kind::Page,
            source: Some([7; 16]),
            discovered_at: 1_700_000_000.25,
            is_seed: false,
            parked: false,
            deferred: false,
            foreign: false,
            from_sibling: false,
        }
    }

    #[test]
    fn sixteen_classes_share_the_priorities_evenly_and_nothing_falls_outside() {
        for (priority, class) in [
            (1.0, 0),
            (0.94, 0),
            (0.9, 1),
            (0.5, 7),
            (0.06, 15),
            (0.0, 15),
        ] {
            assert_eq!(link(0, priority).class(), class, "{priority}");
        }
        for (priority, class) in [(7.0, 0), (-1.0, 15), (f64::NAN, 15)] {
            assert_eq!(link(0, priority).class(), class, "{priority}");
        }
    }

    #[test]
    fn parked_urls_are_permitted_by_depth_alone() {
        let parked = Attributes {
            parked: true,
            ..link(5, 1.0)
        };
        assert_eq!(parked.class(), PARKED + 5);
        assert!(is_permitted(parked.class(), None));
        assert!(is_permitted(parked.class(), Some(5)));
        assert!(!is_permitted(parked.class(), Some(4)));
        assert_eq!(
            Attributes {
                parked: true,
                ..link(1_000_000, 1.0)
            }
            .class(),
            u8::MAX
        );
    }

    #[test]
    fn attributes_come_back_as_they_went_in() {
        let attributes = Attributes {
            via: Via::Robots,
            kind: Kind::Sitemap,
            is_seed: true,
            parked: true,
            deferred: true,
            foreign: true,
            from_sibling: true,
            ..link(300, 0.123_456_789)
        };
        for attributes in [
            attributes,
            Attributes {
                source: None,
                ..attributes
            },
            Attributes {
                via: Via::Requisite,
                kind: Kind::Requisite,
                ..attributes
            },
        ] {
            let mut bytes = Vec::new();
            attributes.put(&mut bytes);
            assert_eq!(Attributes::read(&mut Reader::new(&bytes)), Some(attributes));
            assert_eq!(
                Attributes::read(&mut Reader::new(&bytes[..bytes.len() - 1])),
                None
            );
        }
    }
}
