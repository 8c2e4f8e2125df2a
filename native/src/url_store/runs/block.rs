//! A block: rows in key order, the unit in which a run is read.
//!
//! A block is its rows, then the start of each row, the number of rows, and a checksum. A row is the length of its
//! key, the length of its value, key, value. Numbers are little endian.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::super::rows::damaged;
use crate::error::Result;

/// Bytes at which a block is full. A single row may be longer.
const FULL: usize = 4096;
/// The length that marks a removed key.
const REMOVED: u32 = u32::MAX;
/// Both lengths.
pub const HEAD: usize = 6;
/// Bytes of the number of rows and the checksum.
const TAIL: usize = 12;

/// A key with its value, or without one if it was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    pub key: &'a [u8],
    pub value: Option<&'a [u8]>,
}

impl<'a> Entry<'a> {
    pub fn put(&self, bytes: &mut Vec<u8>) {
        let length = self.value.map_or(REMOVED, |value| value.len() as u32);
        bytes.extend_from_slice(&(self.key.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(self.key);
        bytes.extend_from_slice(self.value.unwrap_or_default());
    }

    /// The entry that starts at `start`.
    pub fn at(bytes: &'a [u8], start: usize) -> Option<Entry<'a>> {
        let (head, rest) = bytes.get(start..)?.split_first_chunk::<HEAD>()?;
        let key_length = usize::from(u16::from_le_bytes([head[0], head[1]]));
        let value_length = u32::from_le_bytes([head[2], head[3], head[4], head[5]]);
        let (key, rest) = rest.split_at_checked(key_length)?;
        let value = match value_length {
            REMOVED => None,
            length => Some(rest.get(..length as usize)?),
        };
        Some(Entry { key, value })
    }
}

#[derive(Default)]
pub struct BlockWriter {
    bytes: Vec<u8>,
    starts: Vec<u32>,
}

impl BlockWriter {
    pub fn push(&mut self, entry: Entry<'_>) {
        self.starts.push(self.bytes.len() as u32);
        entry.put(&mut self.bytes);
    }

    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.bytes.len() + 4 * self.starts.len() >= FULL
    }

    /// Writes the block, and empties the writer.
    pub fn finish(&mut self, block: &mut Vec<u8>) {
        block.clear();
        block.append(&mut self.bytes);
        for start in &self.starts {
            block.extend_from_slice(&start.to_le_bytes());
        }
        block.extend_from_slice(&(self.starts.len() as u32).to_le_bytes());
        self.starts.clear();
        block.extend_from_slice(&xxh3_64(block).to_le_bytes());
    }
}

/// The positions of a row's key and value in its block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    key: Range<usize>,
    value: Option<Range<usize>>,
}

#[derive(Debug, Default)]
pub struct Block {
    bytes: Vec<u8>,
    /// Offset of the list of row starts.
    starts: usize,
    rows: usize,
}

impl Block {
    pub fn parse(bytes: Vec<u8>) -> Result<Block> {
        let block = (|| {
            let (content, checksum) = bytes.split_last_chunk::<8>()?;
            let (_, rows) = content.split_last_chunk::<4>()?;
            let rows = u32::from_le_bytes(*rows) as usize;
            let starts = bytes.len().checked_sub(TAIL + 4 * rows)?;
            (u64::from_le_bytes(*checksum) == xxh3_64(content)).then_some((starts, rows))
        })();
        let (starts, rows) = block.ok_or_else(|| damaged("a block"))?;
        Ok(Block {
            bytes,
            starts,
            rows,
        })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub fn entry(&self, number: usize) -> Result<Entry<'_>> {
        let start = self.start(number);
        let entry = start.and_then(|start| Entry::at(&self.bytes, start));
        entry.ok_or_else(|| damaged("a row"))
    }

    fn start(&self, number: usize) -> Option<usize> {
        let start = self.bytes.get(self.starts + 4 * number..)?;
        Some(u32::from_le_bytes(*start.first_chunk()?) as usize)
    }

    /// The position of a row, for callers that read it more than once.
    pub fn place(&self, number: usize) -> Result<Place> {
        let entry = self.entry(number)?;
        let key = self.start(number).unwrap_or_default() + HEAD;
        let value = key + entry.key.len();
        Ok(Place {
            key: key..value,
            value: entry.value.map(|bytes| value..value + bytes.len()),
        })
    }

    pub fn at(&self, place: &Place) -> Entry<'_> {
        let value = place.value.clone();
        Entry {
            key: &self.bytes[place.key.clone()],
            value: value.map(|value| &self.bytes[value]),
        }
    }

    /// Index of the first row whose key is not below `key`.
    pub fn lower_bound(&self, key: &[u8]) -> Result<usize> {
        let (mut from, mut to) = (0, self.rows);
        while from < to {
            let middle = from.midpoint(to);
            if self.entry(middle)?.key < key {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        Ok(from)
    }

    /// The row of a key, if there is one.
    pub fn find(&self, key: &[u8]) -> Result<Option<Entry<'_>>> {
        let number = self.lower_bound(key)?;
        if number == self.rows {
            return Ok(None);
        }
        Ok(Some(self.entry(number)?).filter(|entry| entry.key == key))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block(keys: &[&[u8]]) -> Vec<u8> {
        let (mut writer, mut bytes) = (BlockWriter::default(), Vec::new());
        for key in keys {
            let value = (key.len() % 2 == 1).then_some(*key);
            writer.push(Entry { key, value });
        }
        writer.finish(&mut bytes);
        assert!(writer.is_empty());
        bytes
    }

    #[test]
    fn a_key_is_found_with_its_value_or_as_removed() {
        let block = Block::parse(block(&[b"a", b"bb", b"ccc"])).unwrap();
        let find = |key: &[u8]| block.find(key).unwrap().map(|entry| entry.value);
        assert_eq!(find(b"a"), Some(Some(&b"a"[..])));
        assert_eq!(find(b"bb"), Some(None));
        assert_eq!(find(b"b"), None);
        assert_eq!(find(b"d"), None);
        assert_eq!(block.lower_bound(b"b").unwrap(), 1);
    }

    #[test]
    fn a_flipped_bit_is_noticed() {
        let bytes = block(&[b"a", b"bb", b"ccc"]);
        for position in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[position] ^= 1;
            assert!(Block::parse(flipped).is_err(), "byte {position}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(mut data in proptest::collection::vec(any::<u8>(), 0..200)) {
            data.extend_from_slice(&xxh3_64(&data).to_le_bytes());
            if let Ok(block) = Block::parse(data) {
                let _ = block.find(b"key");
                for number in 0..block.rows().min(100) {
                    let _ = block.entry(number);
                }
            }
        }
    }
}
