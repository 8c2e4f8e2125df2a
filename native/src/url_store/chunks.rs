//! Queue chunks: up to 64 URLs of one origin and class, written once and never changed.
//!
//! A chunk is its count, then groups of URLs with equal attributes: the attributes, how many URLs, and for each the
//! key and the href without its origin. A bitmap in a separate row marks finished URLs, so that finishing a URL
//! rewrites eight bytes; the last one removes both rows. One row per URL would be simpler, but in an LSM tree such a
//! queue fills up with tombstones.

use super::attributes::Attributes;
use super::discoveries::{MAX_HREF, Row};
use super::rows::damaged;
use super::wire::{Reader, put_text, put_varint};
use crate::error::Result;
use crate::url::Key;

pub const CHUNK_SIZE: usize = 64;
/// Bytes reserved for a key and the length of a path, and for the head.
const USUAL_ROW: usize = 18;
const USUAL_HEAD: usize = 48;

/// A URL in a chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry<'a> {
    pub attributes: Attributes,
    pub key: Key,
    pub path: &'a str,
}

/// At most [`CHUNK_SIZE`] rows, each with its attributes; equal neighbours share them.
pub fn encode(rows: &[(&Attributes, Row<'_>)]) -> Vec<u8> {
    let room = rows.iter().map(|(_, row)| row.path.len() + USUAL_ROW);
    let mut value = Vec::with_capacity(room.sum::<usize>() + USUAL_HEAD);
    value.push(rows.len() as u8);
    for run in rows.chunk_by(|(left, _), (right, _)| left == right) {
        run[0].0.put(&mut value);
        put_varint(&mut value, run.len() as u64);
        for (_, row) in run {
            value.extend_from_slice(&row.key);
            put_text(&mut value, row.path);
        }
    }
    value
}

/// The number of URLs with which a chunk was written.
pub fn total(value: &[u8]) -> Result<u8> {
    let total = value
        .first()
        .copied()
        .filter(|&total| (1..=CHUNK_SIZE as u8).contains(&total));
    total.ok_or_else(|| damaged("a chunk"))
}

/// The bits of all slots of a chunk of `total` URLs.
pub fn all_slots(total: u8) -> u64 {
    u64::MAX >> (64 - u32::from(total.clamp(1, 64)))
}

/// The URLs of a chunk in the order of their slots.
pub fn entries(value: &[u8]) -> Entries<'_> {
    let mut reader = Reader::new(value);
    let left = reader.byte().unwrap_or(0);
    Entries {
        reader,
        left,
        run: 0,
        attributes: None,
    }
}

pub struct Entries<'a> {
    reader: Reader<'a>,
    left: u8,
    run: u64,
    attributes: Option<Attributes>,
}

impl<'a> Entries<'a> {
    fn read(&mut self) -> Option<Entry<'a>> {
        if self.run == 0 {
            self.attributes = Some(Attributes::read(&mut self.reader)?);
            self.run = self.reader.varint()?;
        }
        self.run = self.run.checked_sub(1)?;
        Some(Entry {
            attributes: self.attributes?,
            key: self.reader.array()?,
            path: self.reader.text(MAX_HREF)?,
        })
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let entry = self.read();
        if entry.is_none() {
            self.left = 0;
        }
        Some(entry.ok_or_else(|| damaged("a chunk")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::attributes::tests::link;
    use super::*;

    #[test]
    fn urls_come_back_in_order_with_their_attributes() {
        let (shallow, deep) = (link(1, 0.5), link(9, 0.25));
        let paths: Vec<String> = (0..CHUNK_SIZE).map(|index| format!("/{index}")).collect();
        let rows: Vec<_> = (0..CHUNK_SIZE)
            .map(|index| {
                let attributes = if index % 10 < 7 { &shallow } else { &deep };
                (
                    attributes,
                    Row {
                        key: [index as u8; 16],
                        origin: "http://a.test",
                        path: &paths[index],
                    },
                )
            })
            .collect();
        let value = encode(&rows);
        assert_eq!(total(&value).unwrap(), 64);
        let read: Vec<_> = entries(&value).map(Result::unwrap).collect();
        assert_eq!(read.len(), rows.len());
        for (entry, (attributes, row)) in read.iter().zip(&rows) {
            assert_eq!(
                (&entry.attributes, entry.key, entry.path),
                (*attributes, row.key, row.path)
            );
        }
    }

    #[test]
    fn the_bits_of_a_chunk_are_as_many_as_its_urls() {
        assert_eq!(
            (all_slots(1), all_slots(3), all_slots(64)),
            (1, 7, u64::MAX)
        );
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic_and_end(data in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = total(&data);
            prop_assert!(entries(&data).count() <= 255);
        }
    }
}
