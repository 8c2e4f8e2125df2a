//! The log's `Discovered` blobs: new URLs, with everything that a queue needs.
//!
//! A blob is a version and then groups until its end. A group is the attributes that its URLs share, their count, and
//! for each the key, the origin and the rest of the href. An origin is written once per group, and later referred to
//! by its number. The log checks its own frames, so a blob has no checksum.

use rustc_hash::FxHashMap;

use super::attributes::Attributes;
use super::wire::{Reader, put_text, put_varint};
use crate::error::{Error, Result};
use crate::url::Key;

const VERSION: u8 = 1;
/// Longer URLs are refused before this point. These caps bound what a short row can expand to.
pub const MAX_ORIGIN: usize = 1024;
pub const MAX_HREF: usize = 65_535;
const SMALLEST_ROW: usize = 18;
/// Bytes reserved for a group and its head.
const USUAL_BYTES: usize = 1000;
const LONGEST_HEAD: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    pub key: Key,
    pub origin: &'a str,
    /// The href without its origin: path and query.
    pub path: &'a str,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Group<'a> {
    pub attributes: Attributes,
    pub rows: Vec<Row<'a>>,
}

/// Writes one group.
pub struct GroupWriter {
    attributes: Attributes,
    rows: Vec<u8>,
    count: u64,
    origins: FxHashMap<String, u64>,
}

impl GroupWriter {
    pub fn new(attributes: Attributes) -> Self {
        GroupWriter {
            attributes,
            rows: Vec::with_capacity(USUAL_BYTES),
            count: 0,
            origins: FxHashMap::default(),
        }
    }

    pub fn push(&mut self, row: Row<'_>) {
        self.rows.extend_from_slice(&row.key);
        self.put_origin(row.origin);
        put_text(&mut self.rows, row.path);
        self.count += 1;
    }

    fn put_origin(&mut self, origin: &str) {
        if let Some(&number) = self.origins.get(origin) {
            return put_varint(&mut self.rows, number);
        }
        let number = self.origins.len() as u64;
        put_varint(&mut self.rows, number);
        put_text(&mut self.rows, origin);
        self.origins.insert(origin.to_owned(), number);
    }

    pub fn count(&self) -> u64 {
        self.count
    }
}

/// May be empty.
pub fn encode(groups: &[GroupWriter]) -> Vec<u8> {
    let rows: usize = groups.iter().map(|group| group.rows.len()).sum();
    let mut data = Vec::with_capacity(rows + LONGEST_HEAD * groups.len());
    for group in groups.iter().filter(|group| group.count > 0) {
        if data.is_empty() {
            data.push(VERSION);
        }
        group.attributes.put(&mut data);
        put_varint(&mut data, group.count);
        data.extend_from_slice(&group.rows);
    }
    data
}

pub fn decode(data: &[u8]) -> Result<Vec<Group<'_>>> {
    let mut reader = Reader::new(data);
    match reader.byte() {
        None => return Ok(Vec::new()),
        Some(VERSION) => {}
        Some(version) => {
            return Err(Error::Invalid(format!(
                "discoveries of version {version}, and this one knows {VERSION}: use a newer Hondius"
            )));
        }
    }
    let mut groups = Vec::new();
    while !reader.is_empty() {
        let group = read_group(&mut reader);
        groups.push(
            group.ok_or_else(|| Error::Corrupt("discoveries that cannot be decoded".into()))?,
        );
    }
    Ok(groups)
}

fn read_group<'a>(reader: &mut Reader<'a>) -> Option<Group<'a>> {
    let attributes = Attributes::read(reader)?;
    let count = usize::try_from(reader.varint()?).ok()?;
    if count > reader.remaining() / SMALLEST_ROW {
        return None;
    }
    let mut origins: Vec<&str> = Vec::new();
    let rows = (0..count)
        .map(|_| read_row(reader, &mut origins))
        .collect::<Option<Vec<_>>>()?;
    Some(Group { attributes, rows })
}

fn read_row<'a>(reader: &mut Reader<'a>, origins: &mut Vec<&'a str>) -> Option<Row<'a>> {
    let key = reader.array()?;
    let number = usize::try_from(reader.varint()?).ok()?;
    if number == origins.len() {
        origins.push(reader.text(MAX_ORIGIN)?);
    }
    let origin = *origins.get(number)?;
    let path = reader.text(MAX_HREF)?;
    Some(Row { key, origin, path })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::attributes::tests::link;
    use super::*;

    fn blob(rows: &[(Key, &str, &str)]) -> Vec<u8> {
        let mut writer = GroupWriter::new(link(3, 0.5));
        for &(key, origin, path) in rows {
            writer.push(Row { key, origin, path });
        }
        encode(&[writer])
    }

    #[test]
    fn an_origin_is_named_once() {
        let origin = "https://a-rather-long-name.example.test";
        let (one, two) = (
            blob(&[([1; 16], origin, "/a")]),
            blob(&[([1; 16], origin, "/a"), ([2; 16], origin, "/b")]),
        );
        assert_eq!(two.len() - one.len(), 16 + 1 + 1 + 2);
    }

    #[test]
    fn an_empty_blob_is_no_discoveries() {
        assert_eq!(blob(&[]), b"");
        assert_eq!(decode(b"").unwrap(), Vec::new());
    }

    #[test]
    fn a_version_of_the_future_is_refused_by_name() {
        assert!(decode(&[9]).unwrap_err().to_string().contains("version 9"));
    }

    #[test]
    fn a_torn_blob_is_corrupt_at_every_length() {
        let data = blob(&[
            ([1; 16], "http://a.test", "/a"),
            ([2; 16], "http://b.test", "/b"),
        ]);
        for length in 2..data.len() {
            assert!(
                matches!(decode(&data[..length]), Err(Error::Corrupt(_))),
                "{length}"
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(rows in proptest::collection::vec((any::<Key>(), "http://[a-c]\\.test", "/\\PC{0,20}"), 0..50)) {
            let rows: Vec<_> = rows.iter().map(|(key, origin, path)| (*key, origin.as_str(), path.as_str())).collect();
            let data = blob(&rows);
            let read: Vec<_> = decode(&data).unwrap().into_iter().flat_map(|group| group.rows).collect();
            prop_assert_eq!(read, rows.iter().map(|&(key, origin, path)| Row { key, origin, path }).collect::<Vec<_>>());
        }

        #[test]
        fn arbitrary_bytes_never_panic(mut data in proptest::collection::vec(any::<u8>(), 0..400), versioned in any::<bool>()) {
            if versioned && !data.is_empty() {
                data[0] = VERSION;
            }
            let _ = decode(&data);
        }

        #[test]
        fn a_flipped_byte_never_panics(position in 0usize..100, value in any::<u8>()) {
            let mut data = blob(&[([1; 16], "http://a.test", "/a"), ([2; 16], "http://b.test", "/b")]);
            let position = position % data.len();
            data[position] = value;
            let _ = decode(&data);
        }
    }
}
