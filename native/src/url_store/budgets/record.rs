//! The counts of a host and of a registrable domain: one row each, computed from the log.
//!
//! A host may have endless shapes, but its row is bounded. So the counts are a summary of the frequent shapes (Misra
//! and Gries): a new shape without a free place decrements every count instead, and counts of zero free their place.
//! A count is never too high, so no honest shape is refused because of another. The places grow with the host, from
//! [`FEWEST_SHAPES`] to [`MOST_SHAPES`]: most hosts are small, and their rows are written as often as those of large
//! ones. A count is too low by at most 1/65 of the host's URLs plus 200; a host with no more shapes than places is
//! counted exactly. One row per shape would always be exact, but would double the cost of a URL with a title as its
//! name.

use super::domain_of;
use super::shape::Fingerprint;
use crate::error::Result;
use crate::url_store::rows::damaged;
use crate::url_store::wire::{Reader, put_varint};

const FEWEST_SHAPES: u64 = 8;
const MOST_SHAPES: u64 = 64;
/// Pages for each further place.
const PAGES_A_SHAPE: u64 = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    fingerprint: Fingerprint,
    urls: u32,
}

/// Stored refusals, by the number of their reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept(Vec<(u8, u32)>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostRecord {
    /// Pages ever admitted.
    pub found: u64,
    /// Sitemap files ever admitted.
    pub sitemaps: u64,
    /// The newest minute in which links to new pages were found, and how many.
    pub minute: u64,
    pub found_in_minute: u64,
    /// How many of the pages and sitemap files are foreign.
    pub foreign_pages: u64,
    pub foreign_sitemaps: u64,
    /// The operator named one of its URLs.
    pub is_wanted: bool,
    /// Another host of its domain named one of its URLs.
    pub is_vouched: bool,
    /// It has no address: it does not count as a host of its domain until another of its URLs is found.
    pub is_unnamed: bool,
    /// Requisites of pages were admitted. Their number does not matter.
    pub has_requisites: bool,
    pub kept: Kept,
    shapes: Vec<Shape>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DomainRecord {
    pub hosts: u64,
    /// How many of them are not the domain's own: only other domains name them.
    pub strange_hosts: u64,
    /// Refusals of URLs on hosts that have no record of their own.
    pub kept: Kept,
}

impl DomainRecord {
    /// The hosts that are the domain's own, or the others.
    pub fn hosts_of_kind(&self, is_own: bool) -> u64 {
        match is_own {
            true => self.hosts.saturating_sub(self.strange_hosts),
            false => self.strange_hosts,
        }
    }
}

/// A record as a row of the tree.
pub trait Row: Clone + Default {
    fn encode(&self) -> Vec<u8>;
    fn read(reader: &mut Reader<'_>) -> Option<Self>;

    fn parse(value: &[u8]) -> Result<Self> {
        Self::read(&mut Reader::new(value)).ok_or_else(|| damaged("a record of counts"))
    }
}

impl Kept {
    pub fn of(&self, reason: u8) -> u64 {
        let found = self.0.iter().find(|(held, _)| *held == reason);
        found.map_or(0, |&(_, count)| count.into())
    }

    pub fn add(&mut self, reason: u8) {
        match self.0.iter_mut().find(|(held, _)| *held == reason) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => self.0.push((reason, 1)),
        }
    }

    /// Returns true if nothing is left.
    pub fn subtract(&mut self, reason: u8) -> bool {
        if let Some((_, count)) = self.0.iter_mut().find(|(held, _)| *held == reason) {
            *count = count.saturating_sub(1);
        }
        self.0.retain(|&(_, count)| count > 0);
        self.0.is_empty()
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, self.0.len() as u64);
        for &(reason, count) in &self.0 {
            out.push(reason);
            put_varint(out, count.into());
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Kept> {
        let count = reader.varint()?;
        let kept = (0..count).map(|_| Some((reader.byte()?, reader.small()?)));
        kept.collect::<Option<Vec<_>>>().map(Kept)
    }
}

impl HostRecord {
    pub fn is_known(&self) -> bool {
        self.found > 0 || self.sitemaps > 0 || self.has_requisites
    }

    /// Whether it counts as a host of its domain.
    pub fn counts_for_domain(&self) -> bool {
        self.is_known() && !self.is_unnamed
    }

    /// Whether it is one of its domain's own hosts: another of them or the operator names it, or it has the name of
    /// the domain.
    pub fn is_own(&self, name: &str) -> bool {
        self.is_vouched || self.is_wanted || has_name_of_domain(name)
    }

    /// Foreign or own pages ever admitted.
    pub fn pages(&self, foreign: bool) -> u64 {
        match foreign {
            true => self.foreign_pages,
            false => self.found.saturating_sub(self.foreign_pages),
        }
    }

    pub fn sitemap_files(&self, foreign: bool) -> u64 {
        match foreign {
            true => self.foreign_sitemaps,
            false => self.sitemaps.saturating_sub(self.foreign_sitemaps),
        }
    }

    /// Pages of this shape, as far as they are counted.
    pub fn urls_of(&self, fingerprint: Fingerprint) -> u64 {
        let mut shapes = self.shapes.iter();
        let shape = shapes.find(|shape| shape.fingerprint == fingerprint);
        shape.map_or(0, |shape| shape.urls.into())
    }

    pub fn add_page(&mut self, fingerprint: Fingerprint) {
        self.found += 1;
        if let Some(shape) = self.shape_mut(fingerprint) {
            shape.urls = shape.urls.saturating_add(1);
        } else if (self.shapes.len() as u64) < places(self.found) {
            self.shapes.push(Shape {
                fingerprint,
                urls: 1,
            });
        } else {
            self.shapes.iter_mut().for_each(|shape| shape.urls -= 1);
            self.shapes.retain(|shape| shape.urls > 0);
        }
    }

    pub fn add_to_minute(&mut self, minute: u64) {
        if minute > self.minute {
            (self.minute, self.found_in_minute) = (minute, 0);
        }
        if minute == self.minute {
            self.found_in_minute += 1;
        }
    }

    pub fn in_minute(&self, minute: u64) -> u64 {
        if minute == self.minute {
            self.found_in_minute
        } else {
            0
        }
    }

    fn shape_mut(&mut self, fingerprint: Fingerprint) -> Option<&mut Shape> {
        self.shapes
            .iter_mut()
            .find(|shape| shape.fingerprint == fingerprint)
    }
}

/// Whether strangers cannot have invented the name: there are two such hosts of each domain.
pub fn has_name_of_domain(host: &str) -> bool {
    domain_of(host) == host.strip_prefix("www.").unwrap_or(host)
}

/// Number of shapes that are counted for a host with `found` pages.
fn places(found: u64) -> u64 {
    (found / PAGES_A_SHAPE).clamp(FEWEST_SHAPES, MOST_SHAPES)
}

impl Row for HostRecord {
    fn encode(&self) -> Vec<u8> {
        let mut value = Vec::with_capacity(16 + 6 * self.shapes.len());
        for number in [
            self.found,
            self.sitemaps,
            self.minute,
            self.found_in_minute,
            self.foreign_pages,
            self.foreign_sitemaps,
        ] {
            put_varint(&mut value, number);
        }
        let flags = [
            self.is_wanted,
            self.is_unnamed,
            self.is_vouched,
            self.has_requisites,
        ];
        let flags = flags.into_iter().rev();
        value.push(flags.fold(0, |byte, flag| byte << 1 | u8::from(flag)));
        self.kept.put(&mut value);
        for shape in &self.shapes {
            value.extend_from_slice(&shape.fingerprint.to_le_bytes());
            put_varint(&mut value, shape.urls.into());
        }
        value
    }

    fn read(reader: &mut Reader<'_>) -> Option<HostRecord> {
        let numbers = [(); 6].map(|()| reader.varint());
        let [
            found,
            sitemaps,
            minute,
            in_minute,
            foreign_pages,
            foreign_sitemaps,
        ] = numbers;
        let flags = reader.byte()?;
        let mut record = HostRecord {
            found: found?,
            sitemaps: sitemaps?,
            minute: minute?,
            found_in_minute: in_minute?,
            foreign_pages: foreign_pages?,
            foreign_sitemaps: foreign_sitemaps?,
            is_wanted: flags & 1 != 0,
            is_unnamed: flags & 2 != 0,
            is_vouched: flags & 4 != 0,
            has_requisites: flags & 8 != 0,
            kept: Kept::read(reader)?,
            shapes: Vec::new(),
        };
        while !reader.is_empty() {
            record.shapes.push(Shape {
                fingerprint: u32::from_le_bytes(reader.array()?),
                urls: reader.small().filter(|&urls| urls > 0)?,
            });
        }
        (record.shapes.len() as u64 <= MOST_SHAPES).then_some(record)
    }
}

impl Row for DomainRecord {
    fn encode(&self) -> Vec<u8> {
        let mut value = Vec::new();
        put_varint(&mut value, self.hosts);
        self.kept.put(&mut value);
        put_varint(&mut value, self.strange_hosts);
        value
    }

    fn read(reader: &mut Reader<'_>) -> Option<DomainRecord> {
        let (hosts, kept) = (reader.varint()?, Kept::read(reader)?);
        // Rows of older versions end here.
        let strange_hosts = match reader.is_empty() {
            true => 0,
            false => reader.varint()?,
        };
        Some(DomainRecord {
            hosts,
            strange_hosts,
            kept,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn counted(shapes: &[Fingerprint]) -> HostRecord {
        let mut record = HostRecord::default();
        shapes.iter().for_each(|&shape| record.add_page(shape));
        record
    }

    #[test]
    fn f6_few_shapes_are_counted_exactly() {
        let record = counted(&(0..800).map(|n| n % 8).collect::<Vec<_>>());
        assert!((0..8).all(|shape| record.urls_of(shape) == 100));
    }

    #[test]
    fn only_the_newest_minute_is_counted() {
        let mut record = HostRecord::default();
        [7, 7, 8, 7]
            .iter()
            .for_each(|&minute| record.add_to_minute(minute));
        assert_eq!((record.in_minute(8), record.in_minute(7)), (1, 0));
    }

    proptest! {
        #[test]
        fn f6_a_count_is_never_too_high_and_too_low_by_a_share_of_all(
            shapes in proptest::collection::vec(0u32..200, 0..9_000)
        ) {
            let record = counted(&shapes);
            let mut exact: HashMap<Fingerprint, u64> = HashMap::new();
            shapes.iter().for_each(|&shape| *exact.entry(shape).or_default() += 1);
            let most_missed = shapes.len() as u64 / (MOST_SHAPES + 1) + 200;
            for (&shape, &count) in &exact {
                let told = record.urls_of(shape);
                prop_assert!(told <= count && told + most_missed >= count, "{told} of {count}");
            }
            prop_assert_eq!(record.found, shapes.len() as u64);
        }

        #[test]
        fn what_is_written_is_read(shapes in proptest::collection::vec(any::<u32>(), 0..200), reason in 0u8..12) {
            let mut record = counted(&shapes);
            record.add_to_minute(29_000_000);
            record.kept.add(reason);
            record.foreign_pages = shapes.len() as u64 / 2;
            record.is_unnamed = true;
            record.is_vouched = true;
            record.has_requisites = reason.is_multiple_of(2);
            prop_assert_eq!(HostRecord::parse(&record.encode()).unwrap(), record);
            let hosts = shapes.len() as u64;
            let domain = DomainRecord { hosts, strange_hosts: hosts / 2, kept: Kept(vec![(reason, 3)]) };
            prop_assert_eq!(DomainRecord::parse(&domain.encode()).unwrap(), domain);
        }

        #[test]
        fn arbitrary_bytes_never_panic(data in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = HostRecord::parse(&data);
            let _ = DomainRecord::parse(&data);
        }
    }
}
