//! A Bloom filter (U4): in memory, and in a file while the store is closed.
//!
//! It is blocked: all bits of a key are in one cache line, so a test costs one cache miss. Keys are digests already;
//! eight of their bytes choose the block, the other eight the bits. Twelve bits per key keep the false positive rate
//! under 1 % at capacity, although blocks are filled unevenly.
//!
//! The file is used only by a store in the same state as when it was saved: a filter that lacks a key of the tree
//! would admit the URL twice. A mapped file would need no saving, but a page of it without disk space kills the
//! process, and all pages are written again and again (decision 0013).

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{MmapMut, MmapRaw};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::wire::Reader;
use crate::error::{Error, Result};
use crate::files;
use crate::url::Key;

/// The last byte is the version. A file of an older version lacks some keys, so the filter is rebuilt.
const MAGIC: [u8; 8] = *b"HONDBLM\x03";
const HEADER: usize = 56;
const WORDS_PER_BLOCK: u64 = 8;
const BITS_PER_KEY: u64 = 12;
const BITS_SET: usize = 7;
const BITS_OF_POSITION: u32 = 9;
const BUFFER: usize = 128 * 1024;

pub struct Bloom {
    bits: MmapRaw,
    blocks: u64,
    capacity: u64,
    keys: AtomicU64,
}

/// The header of the file.
struct Header {
    capacity: u64,
    blocks: u64,
    keys: u64,
    applied: u64,
    checksum: u64,
}

impl Bloom {
    /// Creates an empty filter for `capacity` keys. Memory is allocated when keys touch it.
    pub fn new(capacity: u64) -> Result<Bloom> {
        let capacity = capacity.clamp(1024, 1 << 36);
        let blocks = (capacity * BITS_PER_KEY).div_ceil(512);
        Ok(Bloom {
            bits: memory(blocks)?.into(),
            blocks,
            capacity,
            keys: AtomicU64::new(0),
        })
    }

    /// The filter that was saved after frame `applied`; `None` if there is no such file.
    pub fn open(path: &Path, applied: u64) -> Result<Option<Bloom>> {
        let Ok(file) = files::open(path) else {
            return Ok(None);
        };
        let Some(header) = Header::read(&file).filter(|header| header.applied == applied) else {
            return Ok(None);
        };
        let length = file
            .metadata()
            .map_err(|source| failed(path, source))?
            .len();
        let expected = header.blocks.checked_mul(64);
        let expected = expected.and_then(|size| size.checked_add(HEADER as u64));
        if header.blocks == 0 || expected != Some(length) {
            return Ok(None);
        }
        let mut bits = memory(header.blocks)?;
        if file.read_exact_at(&mut bits, HEADER as u64).is_err()
            || xxh3_64(&bits) != header.checksum
        {
            return Ok(None);
        }
        Ok(Some(Bloom {
            bits: bits.into(),
            blocks: header.blocks,
            capacity: header.capacity,
            keys: AtomicU64::new(header.keys),
        }))
    }

    /// Saves the filter of a store that has applied frame `applied`, and syncs the file.
    pub fn save(&self, path: &Path, applied: u64) -> Result<()> {
        self.write(path, applied)
            .map_err(|source| failed(path, source))
    }

    fn write(&self, path: &Path, applied: u64) -> std::io::Result<()> {
        let mut digest = Xxh3::new();
        self.blocks().for_each(|block| digest.update(&block));
        let header = Header {
            capacity: self.capacity,
            blocks: self.blocks,
            keys: self.keys(),
            applied,
            checksum: digest.digest(),
        };
        let mut file = BufWriter::with_capacity(BUFFER, files::create_new(path)?);
        file.write_all(&header.encode())?;
        for block in self.blocks() {
            file.write_all(&block)?;
        }
        file.into_inner()?.sync_all()
    }

    pub fn insert(&self, key: &Key) {
        let (block, mut positions) = self.place(key);
        for _ in 0..BITS_SET {
            let position = positions % 512;
            positions >>= BITS_OF_POSITION;
            block[position as usize / 64].fetch_or(1 << (position % 64), Ordering::Relaxed);
        }
        self.keys.fetch_add(1, Ordering::Relaxed);
    }

    /// False: the key was never inserted. True: perhaps it was.
    pub fn contains(&self, key: &Key) -> bool {
        let (block, mut positions) = self.place(key);
        for _ in 0..BITS_SET {
            let position = positions % 512;
            positions >>= BITS_OF_POSITION;
            if block[position as usize / 64].load(Ordering::Relaxed) & (1 << (position % 64)) == 0 {
                return false;
            }
        }
        true
    }

    /// Prefetches the block of a key, so that several cache misses overlap.
    pub fn warm(&self, key: &Key) {
        std::hint::black_box(self.place(key).0[0].load(Ordering::Relaxed));
    }

    pub fn keys(&self) -> u64 {
        self.keys.load(Ordering::Relaxed)
    }

    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    pub fn bits(&self) -> u64 {
        self.blocks * 512
    }

    fn place(&self, key: &Key) -> (&[AtomicU64], u64) {
        let [a, b, c, d, e, f, g, h, positions @ ..] = *key;
        let choice = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        let block = ((u128::from(choice) * u128::from(self.blocks)) >> 64) as usize;
        let start = block * WORDS_PER_BLOCK as usize;
        (
            &self.words()[start..start + WORDS_PER_BLOCK as usize],
            u64::from_be_bytes(positions),
        )
    }

    fn words(&self) -> &[AtomicU64] {
        let pointer = self.bits.as_mut_ptr().cast::<AtomicU64>();
        // SAFETY: the map is `blocks * 64` bytes long, aligned to a page, lives as long as `self`
        // and is only ever touched through these atomics.
        unsafe { std::slice::from_raw_parts(pointer, (self.blocks * WORDS_PER_BLOCK) as usize) }
    }

    /// The blocks, in memory order.
    fn blocks(&self) -> impl Iterator<Item = [u8; 64]> {
        let blocks = self.words().chunks_exact(WORDS_PER_BLOCK as usize);
        blocks.map(|block| {
            let mut bytes = [0; 64];
            for (word, place) in block.iter().zip(bytes.chunks_exact_mut(8)) {
                place.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
            }
            bytes
        })
    }
}

impl Header {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [
            self.capacity,
            self.blocks,
            self.keys,
            self.applied,
            self.checksum,
        ] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn read(file: &File) -> Option<Header> {
        let mut bytes = [0; HEADER];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let mut reader = Reader::new(&bytes);
        if reader.array()? != MAGIC {
            return None;
        }
        let mut number = || reader.array().map(u64::from_le_bytes);
        let header = Header {
            capacity: number()?,
            blocks: number()?,
            keys: number()?,
            applied: number()?,
            checksum: number()?,
        };
        (number()? == xxh3_64(&bytes[..HEADER - 8])).then_some(header)
    }
}

/// Allocates zeroed memory.
fn memory(blocks: u64) -> Result<MmapMut> {
    let map = MmapMut::map_anon((blocks * 64) as usize);
    map.map_err(|source| Error::io("Bloom filter", source))
}

fn failed(path: &Path, source: std::io::Error) -> Error {
    Error::io(format!("Bloom filter {}", path.display()), source)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> Key {
        xxhash_rust::xxh3::xxh3_128(&number.to_le_bytes()).to_le_bytes()
    }

    #[test]
    fn at_capacity_the_rate_is_at_most_one_percent_and_no_key_is_missing_u4() {
        let bloom = Bloom::new(100_000).unwrap();
        (0..100_000).for_each(|number| bloom.insert(&key(number)));
        assert!((0..100_000).all(|number| bloom.contains(&key(number))));
        let false_positives = (100_000..200_000)
            .filter(|&number| bloom.contains(&key(number)))
            .count();
        assert!(false_positives <= 1_000, "{false_positives} of 100,000");
    }

    #[test]
    fn a_file_is_trusted_at_its_own_frame_only() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bloom");
        let bloom = Bloom::new(1024).unwrap();
        bloom.insert(&key(1));
        bloom.save(&path, 7).unwrap();
        assert!(Bloom::open(&path, 8).unwrap().is_none());
        let again = Bloom::open(&path, 7).unwrap().unwrap();
        assert!(again.contains(&key(1)) && again.keys() == 1 && again.capacity() == 1024);
        assert!(!again.contains(&key(2)));
    }

    #[test]
    fn a_file_of_an_older_version_is_not_trusted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bloom");
        Bloom::new(1024).unwrap().save(&path, 7).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[7] = 2;
        let checksum = xxh3_64(&bytes[..HEADER - 8]);
        bytes[HEADER - 8..HEADER].copy_from_slice(&checksum.to_le_bytes());
        std::fs::write(&path, bytes).unwrap();
        assert!(Bloom::open(&path, 7).unwrap().is_none());
    }

    #[test]
    fn a_flipped_bit_anywhere_makes_the_file_untrusted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bloom");
        let bloom = Bloom::new(1024).unwrap();
        bloom.insert(&key(1));
        bloom.save(&path, 7).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for position in [0, 9, 17, HEADER - 1, HEADER, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[position] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            assert!(Bloom::open(&path, 7).unwrap().is_none(), "byte {position}");
        }
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(Bloom::open(&path, 7).unwrap().is_none());
        assert!(
            Bloom::open(&directory.path().join("absent"), 7)
                .unwrap()
                .is_none()
        );
    }
}
