//! A Bloom filter in a memory-mapped file (U4).
//!
//! Blocked: all bits of a key lie in one cache line, so a test costs one miss. Keys are digests
//! already; eight of their bytes choose the block, the other eight the bits. Twelve bits a key
//! keep the rate under 1 % at capacity in spite of the blocks' uneven load.
//!
//! The file is trusted only if it was closed cleanly by the store in the state it is opened in:
//! a filter that lacks a key of the tree would let the URL in twice.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{MmapMut, MmapOptions, MmapRaw};
use xxhash_rust::xxh3::xxh3_64;

use super::wire::Reader;
use crate::error::{Error, Result};
use crate::url::Key;

/// The last byte is the version: a file of an older one lacks what this one holds, and is built anew.
const MAGIC: [u8; 8] = *b"HONDBLM\x02";
/// A page, so that the bits behind it can be mapped alone.
/// Bytes of a new filter that are synced at once.
const LARGEST_SYNCED: u64 = 32 * 1024 * 1024;
const HEADER: u64 = 4096;
const WORDS_PER_BLOCK: u64 = 8;
const BITS_PER_KEY: u64 = 12;
const BITS_SET: usize = 7;
const BITS_OF_POSITION: u32 = 9;

pub struct Bloom {
    bits: MmapRaw,
    file: Option<File>,
    blocks: u64,
    capacity: u64,
    keys: AtomicU64,
}

/// What the first page of the file says.
struct Header {
    clean: bool,
    capacity: u64,
    blocks: u64,
    keys: u64,
    applied: u64,
    checksum: u64,
}

impl Bloom {
    /// An empty filter for `capacity` keys, in a new file or in memory alone.
    pub fn create(path: Option<&Path>, capacity: u64) -> Result<Bloom> {
        let capacity = capacity.clamp(1024, 1 << 36);
        let blocks = (capacity * BITS_PER_KEY).div_ceil(512);
        let (file, bits) = match path {
            Some(path) => {
                let file = create_file(path, HEADER + blocks * 64)
                    .map_err(|source| failed(path, source))?;
                let bits = map(&file, blocks).map_err(|source| failed(path, source))?;
                (Some(file), bits)
            }
            None => (None, anonymous(blocks)?),
        };
        let bloom = Bloom {
            bits,
            file,
            blocks,
            capacity,
            keys: AtomicU64::new(0),
        };
        bloom.write_header(false, 0)?;
        Ok(bloom)
    }

    /// The filter that was closed cleanly after frame `applied`; `None` where there is no such
    /// file. From here on the file counts as unclean until [`Bloom::close`].
    pub fn open(path: &Path, applied: u64) -> Result<Option<Bloom>> {
        let Ok(file) = OpenOptions::new().read(true).write(true).open(path) else {
            return Ok(None);
        };
        let Some(header) =
            Header::read(&file).filter(|header| header.clean && header.applied == applied)
        else {
            return Ok(None);
        };
        let length = file
            .metadata()
            .map_err(|source| failed(path, source))?
            .len();
        if header.blocks == 0
            || header
                .blocks
                .checked_mul(64)
                .and_then(|size| size.checked_add(HEADER))
                != Some(length)
        {
            return Ok(None);
        }
        let bits = map(&file, header.blocks).map_err(|source| failed(path, source))?;
        let bloom = Bloom {
            bits,
            file: Some(file),
            blocks: header.blocks,
            capacity: header.capacity,
            keys: AtomicU64::new(header.keys),
        };
        if bloom.checksum() != header.checksum {
            return Ok(None);
        }
        bloom.write_header(false, applied)?;
        bloom.sync()?;
        Ok(Some(bloom))
    }

    /// Makes the file trusted again, for a store that stands at frame `applied`.
    pub fn close(&self, applied: u64) -> Result<()> {
        self.bits
            .flush()
            .map_err(|source| Error::io("Bloom filter", source))?;
        self.write_header(true, applied)?;
        self.sync()
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

    /// Brings the block of a key nearer. Asked for many keys in a row, the processor waits for all of them at once.
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

    fn checksum(&self) -> u64 {
        let mut digest = xxhash_rust::xxh3::Xxh3::new();
        for block in self.words().chunks_exact(WORDS_PER_BLOCK as usize) {
            let mut bytes = [0; 64];
            for (word, place) in block.iter().zip(bytes.chunks_exact_mut(8)) {
                place.copy_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
            }
            digest.update(&bytes);
        }
        digest.digest()
    }

    fn write_header(&self, clean: bool, applied: u64) -> Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let header = Header {
            clean,
            capacity: self.capacity,
            blocks: self.blocks,
            keys: self.keys(),
            applied,
            checksum: if clean { self.checksum() } else { 0 },
        };
        file.write_all_at(&header.encode(), 0)
            .map_err(|source| Error::io("Bloom filter", source))
    }

    fn sync(&self) -> Result<()> {
        let synced = self.file.as_ref().map_or(Ok(()), File::sync_all);
        synced.map_err(|source| Error::io("Bloom filter", source))
    }
}

impl Header {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [
            u64::from(self.clean),
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
        let mut bytes = [0; 64];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let mut reader = Reader::new(&bytes);
        if reader.array()? != MAGIC {
            return None;
        }
        let mut number = || reader.array().map(u64::from_le_bytes);
        let header = Header {
            clean: number()? == 1,
            capacity: number()?,
            blocks: number()?,
            keys: number()?,
            applied: number()?,
            checksum: number()?,
        };
        (number()? == xxh3_64(&bytes[..56])).then_some(header)
    }
}

/// Zeros are written rather than left out: a page of the map that finds no room later kills the process. A file system
/// may promise room that it has not got, so they are synced too; but for a filter so large that the crawl would feel it.
fn create_file(path: &Path, length: u64) -> std::io::Result<File> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)?;
    std::io::copy(&mut std::io::repeat(0).take(length), &mut file)?;
    if length <= LARGEST_SYNCED {
        file.sync_all()?;
    }
    Ok(file)
}

fn map(file: &File, blocks: u64) -> std::io::Result<MmapRaw> {
    MmapOptions::new()
        .offset(HEADER)
        .len((blocks * 64) as usize)
        .map_raw(file)
}

fn anonymous(blocks: u64) -> Result<MmapRaw> {
    let map = MmapMut::map_anon((blocks * 64) as usize);
    Ok(map
        .map_err(|source| Error::io("Bloom filter", source))?
        .into())
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
        let bloom = Bloom::create(None, 100_000).unwrap();
        (0..100_000).for_each(|number| bloom.insert(&key(number)));
        assert!((0..100_000).all(|number| bloom.contains(&key(number))));
        let false_positives = (100_000..200_000)
            .filter(|&number| bloom.contains(&key(number)))
            .count();
        assert!(false_positives <= 1_000, "{false_positives} of 100,000");
    }

    #[test]
    fn a_clean_file_is_trusted_once_and_only_at_its_own_frame() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bloom");
        let bloom = Bloom::create(Some(&path), 1024).unwrap();
        bloom.insert(&key(1));
        bloom.close(7).unwrap();
        drop(bloom);
        assert!(Bloom::open(&path, 8).unwrap().is_none());
        let again = Bloom::open(&path, 7).unwrap().unwrap();
        assert!(again.contains(&key(1)) && again.keys() == 1);
        assert!(
            Bloom::open(&path, 7).unwrap().is_none(),
            "unclean while it is open"
        );
    }

    #[test]
    fn a_file_of_an_older_version_is_not_trusted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bloom");
        Bloom::create(Some(&path), 1024).unwrap().close(7).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[7] = 1;
        let checksum = xxh3_64(&bytes[..56]);
        bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
        std::fs::write(&path, bytes).unwrap();
        assert!(Bloom::open(&path, 7).unwrap().is_none());
    }

    #[test]
    fn a_flipped_bit_anywhere_makes_the_file_untrusted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bloom");
        let bloom = Bloom::create(Some(&path), 1024).unwrap();
        bloom.insert(&key(1));
        bloom.close(7).unwrap();
        drop(bloom);
        let whole = std::fs::read(&path).unwrap();
        for position in [0, 9, 17, 60, 4096, whole.len() - 1] {
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
