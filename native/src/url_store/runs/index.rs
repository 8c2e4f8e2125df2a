//! The index of a run: the first key and the offset of each block, in memory.

use super::super::wire::{Reader, put_varint};
use super::memtable::prefix;

#[derive(Debug, Default)]
pub struct Index {
    /// Prefixes of the first keys, to search without reading most of the keys.
    prefixes: Vec<u64>,
    keys: Vec<u8>,
    key_ends: Vec<u64>,
    /// Start of each block, and the end of the last one.
    starts: Vec<u64>,
}

impl Index {
    /// Adds a block that starts at the end of the previous one.
    pub fn push(&mut self, first_key: &[u8], length: u64) {
        let start = self.starts.last().copied().unwrap_or(0);
        if self.starts.is_empty() {
            self.starts.push(start);
        }
        self.starts.push(start.saturating_add(length));
        self.prefixes.push(prefix(first_key));
        self.keys.extend_from_slice(first_key);
        self.key_ends.push(self.keys.len() as u64);
    }

    pub fn blocks(&self) -> usize {
        self.prefixes.len()
    }

    /// Start and length of a block.
    pub fn place(&self, block: usize) -> Option<(u64, usize)> {
        let (start, end) = (*self.starts.get(block)?, *self.starts.get(block + 1)?);
        Some((start, (end - start) as usize))
    }

    /// The block that would contain a key.
    pub fn find(&self, key: &[u8]) -> Option<usize> {
        let wanted = prefix(key);
        let (mut from, mut to) = (0, self.blocks());
        while from < to {
            let middle = from.midpoint(to);
            let order = self.prefixes[middle].cmp(&wanted);
            if order.then_with(|| self.key(middle).cmp(key)).is_le() {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from.checked_sub(1)
    }

    pub fn key(&self, block: usize) -> &[u8] {
        let start = block
            .checked_sub(1)
            .map_or(0, |before| self.key_ends[before]);
        &self.keys[start as usize..self.key_ends[block] as usize]
    }

    pub fn put(&self, bytes: &mut Vec<u8>) {
        put_varint(bytes, self.blocks() as u64);
        for block in 0..self.blocks() {
            let key = self.key(block);
            put_varint(bytes, key.len() as u64);
            bytes.extend_from_slice(key);
            put_varint(bytes, self.starts[block + 1] - self.starts[block]);
        }
    }

    /// `None` if the bytes are not an index.
    pub fn parse(bytes: &[u8]) -> Option<Index> {
        let mut reader = Reader::new(bytes);
        let mut index = Index::default();
        for _ in 0..reader.varint()? {
            let length = reader.varint()?;
            let key = reader.bytes(usize::try_from(length).ok()?)?;
            let block = reader.varint().filter(|&block| block < 1 << 40)?;
            index.push(key, block);
        }
        reader.is_empty().then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_of_a_key_is_the_last_that_does_not_begin_behind_it() {
        let mut index = Index::default();
        for (key, length) in [("b", 10), ("prefixed-one", 20), ("prefixed-two", 30)] {
            index.push(key.as_bytes(), length);
        }
        let mut bytes = Vec::new();
        index.put(&mut bytes);
        let index = Index::parse(&bytes).unwrap();
        let find = |key: &str| index.find(key.as_bytes());
        assert_eq!(find("a"), None);
        assert_eq!(
            (find("b"), find("c"), find("prefixed-one")),
            (Some(0), Some(0), Some(1))
        );
        assert_eq!((find("prefixed-tw"), find("z")), (Some(1), Some(2)));
        assert_eq!(index.place(1), Some((10, 20)));
        assert_eq!(index.place(3), None);
        assert!(Index::parse(&bytes[..bytes.len() - 1]).is_none());
        assert_eq!(Index::default().find(b"a"), None);
    }
}
