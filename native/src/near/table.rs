//! A table: entries of many pages, sorted by the hash of the band, in a file.
//!
//! The hashes are split into buckets by their first bits. A directory has the place of each bucket; an entry is the rest
//! of the hash and the number of the page. So an entry of a table of 100 million pages takes six bytes.
//!
//! The file is a head, the entries, the directory, and a checksum of all of it, which only `verify` computes again.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3Default;

use super::sketch::BAND_BITS;
use super::{damaged, failed_at};
use crate::error::Result;
use crate::files;

const MAGIC: [u8; 8] = *b"HNEAR01\n";
const HEAD: usize = 24;
const CHECKSUM: u64 = 8;
/// Entries per bucket, roughly; more in the largest tables.
const BUCKET: u64 = 16;
const MOST_BUCKET_BITS: u32 = 24;
/// Bytes of the number of a page.
const NUMBER: usize = 4;
/// Entries of a bucket that are read. A bucket has more only if very many different pages share a band.
const MOST_READ: u64 = 4096;

/// A hash of a band and the number of a page.
pub type Entry = (u64, u32);

/// How the entries of a table of some size are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pub entries: u64,
    bucket_bits: u32,
}

impl Layout {
    pub fn of(entries: u64) -> Self {
        let buckets = (entries / BUCKET).max(1);
        Layout {
            entries,
            bucket_bits: buckets.ilog2().min(MOST_BUCKET_BITS),
        }
    }

    fn rest_bits(self) -> u32 {
        BAND_BITS - self.bucket_bits
    }

    fn bucket_of(self, hash: u64) -> usize {
        (hash >> self.rest_bits()) as usize
    }

    fn rest_of(self, hash: u64) -> u64 {
        hash & ((1 << self.rest_bits()) - 1)
    }

    fn buckets(self) -> usize {
        1 << self.bucket_bits
    }

    fn rest_bytes(self) -> usize {
        self.rest_bits().div_ceil(8) as usize
    }

    fn entry_bytes(self) -> usize {
        self.rest_bytes() + NUMBER
    }

    fn file_bytes(self) -> u64 {
        let directory = 4 * (self.buckets() as u64 + 1);
        HEAD as u64 + self.entries * self.entry_bytes() as u64 + directory + CHECKSUM
    }

    fn rest_at(self, entry: &[u8]) -> u64 {
        let mut bytes = [0; 8];
        let length = self.rest_bytes();
        bytes[..length].copy_from_slice(&entry[..length]);
        u64::from_le_bytes(bytes)
    }

    fn number_at(self, entry: &[u8]) -> u32 {
        let mut bytes = [0; NUMBER];
        bytes.copy_from_slice(&entry[self.rest_bytes()..]);
        u32::from_le_bytes(bytes)
    }
}

#[derive(Debug)]
pub struct Table {
    file: File,
    path: PathBuf,
    layout: Layout,
    /// The index of the first entry of each bucket, and the number of entries.
    directory: Vec<u32>,
    /// The numbers of its pages: from the first to before the last.
    pub pages: (u32, u32),
}

impl Table {
    pub fn open(path: PathBuf, pages: (u32, u32)) -> Result<Table> {
        let file = files::open(&path).map_err(failed_at(&path))?;
        let mut head = [0; HEAD];
        file.read_exact_at(&mut head, 0)
            .map_err(|_| damaged(&path, "it is too short"))?;
        let entries = u64::from_le_bytes(head[8..16].try_into().unwrap_or_default());
        let layout = Layout::of(entries);
        let length = file.metadata().map_err(failed_at(&path))?.len();
        if head[..8] != MAGIC || entries > u64::from(u32::MAX) || length != layout.file_bytes() {
            return Err(damaged(&path, "it is not a table of this version"));
        }
        let directory = read_directory(&file, layout, &path)?;
        Ok(Table {
            file,
            path,
            layout,
            directory,
            pages,
        })
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Memory of its directory.
    pub fn memory(&self) -> usize {
        self.directory.len() * 4
    }

    /// Bytes of its file.
    pub fn bytes(&self) -> u64 {
        self.layout.file_bytes()
    }

    /// Adds the numbers of the pages with this hash to `found`, until it has `most`.
    pub fn find(
        &self,
        hash: u64,
        most: usize,
        buffer: &mut Vec<u8>,
        found: &mut Vec<u32>,
    ) -> Result<()> {
        let bucket = self.layout.bucket_of(hash);
        let (from, to) = (
            u64::from(self.directory[bucket]),
            u64::from(self.directory[bucket + 1]),
        );
        let size = self.layout.entry_bytes();
        buffer.resize((to - from).min(MOST_READ) as usize * size, 0);
        let at = HEAD as u64 + from * size as u64;
        self.file
            .read_exact_at(buffer, at)
            .map_err(failed_at(&self.path))?;
        let wanted = self.layout.rest_of(hash);
        for entry in buffer.chunks_exact(size) {
            if self.layout.rest_at(entry) == wanted && found.len() < most {
                found.push(self.layout.number_at(entry));
            }
        }
        Ok(())
    }

    /// All entries, in order.
    pub fn entries(&self) -> Result<Reading<'_>> {
        let file = self.file.try_clone().map_err(failed_at(&self.path))?;
        Ok(Reading {
            table: self,
            file,
            block: Vec::new(),
            at: 0,
            next: 0,
            bucket: 0,
        })
    }

    /// Whether the file has the checksum that was written with it.
    pub fn is_intact(&self) -> Result<bool> {
        let mut hasher = Xxh3Default::new();
        let mut left = self.bytes() - CHECKSUM;
        let mut block = vec![0; BLOCK];
        let mut at = 0;
        while left > 0 {
            let length = left.min(BLOCK as u64) as usize;
            self.file
                .read_exact_at(&mut block[..length], at)
                .map_err(failed_at(&self.path))?;
            hasher.update(&block[..length]);
            at += length as u64;
            left -= length as u64;
        }
        let mut checksum = [0; CHECKSUM as usize];
        self.file
            .read_exact_at(&mut checksum, at)
            .map_err(failed_at(&self.path))?;
        Ok(u64::from_le_bytes(checksum) == hasher.digest())
    }
}

const BLOCK: usize = 1 << 20;

fn read_directory(file: &File, layout: Layout, path: &Path) -> Result<Vec<u32>> {
    let mut bytes = vec![0; 4 * (layout.buckets() + 1)];
    let at = HEAD as u64 + layout.entries * layout.entry_bytes() as u64;
    file.read_exact_at(&mut bytes, at)
        .map_err(failed_at(path))?;
    let (numbers, _) = bytes.as_chunks::<4>();
    let directory: Vec<u32> = numbers
        .iter()
        .map(|bytes| u32::from_le_bytes(*bytes))
        .collect();
    let is_whole = directory.first() == Some(&0)
        && directory.last().map(|end| u64::from(*end)) == Some(layout.entries);
    if !is_whole || !directory.is_sorted() {
        return Err(damaged(path, "its directory is damaged"));
    }
    Ok(directory)
}

/// Reads all entries of a table, a block at a time.
pub struct Reading<'t> {
    table: &'t Table,
    file: File,
    block: Vec<u8>,
    at: usize,
    next: u64,
    bucket: usize,
}

impl Reading<'_> {
    pub fn next_entry(&mut self) -> Result<Option<Entry>> {
        let layout = self.table.layout;
        if self.next == layout.entries {
            return Ok(None);
        }
        let size = layout.entry_bytes();
        if self.at == self.block.len() {
            let count = (layout.entries - self.next).min((BLOCK / size) as u64) as usize;
            self.block.resize(count * size, 0);
            let offset = HEAD as u64 + self.next * size as u64;
            self.file
                .read_exact_at(&mut self.block, offset)
                .map_err(failed_at(&self.table.path))?;
            self.at = 0;
        }
        while u64::from(self.table.directory[self.bucket + 1]) <= self.next {
            self.bucket += 1;
        }
        let entry = &self.block[self.at..self.at + size];
        self.at += size;
        self.next += 1;
        let hash = (self.bucket as u64) << layout.rest_bits() | layout.rest_at(entry);
        Ok(Some((hash, layout.number_at(entry))))
    }
}

/// Writes a table. Its entries come in order.
pub struct Writing {
    file: BufWriter<File>,
    path: PathBuf,
    layout: Layout,
    directory: Vec<u32>,
    written: u64,
    hasher: Xxh3Default,
}

impl Writing {
    pub fn begin(path: PathBuf, entries: u64) -> Result<Writing> {
        let file = files::create_new(&path).map_err(failed_at(&path))?;
        let layout = Layout::of(entries);
        let mut writing = Writing {
            file: BufWriter::with_capacity(BLOCK, file),
            path,
            layout,
            directory: Vec::with_capacity(layout.buckets() + 1),
            written: 0,
            hasher: Xxh3Default::new(),
        };
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(&MAGIC);
        head[8..16].copy_from_slice(&entries.to_le_bytes());
        writing.write(&head)?;
        Ok(writing)
    }

    pub fn push(&mut self, (hash, number): Entry) -> Result<()> {
        let bucket = self.layout.bucket_of(hash);
        while self.directory.len() <= bucket {
            self.directory.push(self.written as u32);
        }
        self.written += 1;
        let mut entry = [0; 8 + NUMBER];
        let (rest, size) = (self.layout.rest_bytes(), self.layout.entry_bytes());
        entry[..8].copy_from_slice(&self.layout.rest_of(hash).to_le_bytes());
        entry[rest..size].copy_from_slice(&number.to_le_bytes());
        self.write(&entry[..size])
    }

    /// Makes the file durable.
    pub fn finish(mut self) -> Result<PathBuf> {
        if self.written != self.layout.entries {
            return Err(damaged(
                &self.path,
                "a table has another number of entries than was said",
            ));
        }
        while self.directory.len() <= self.layout.buckets() {
            self.directory.push(self.written as u32);
        }
        let directory: Vec<u8> = self
            .directory
            .iter()
            .flat_map(|start| start.to_le_bytes())
            .collect();
        self.write(&directory)?;
        let checksum = self.hasher.digest().to_le_bytes();
        self.file
            .write_all(&checksum)
            .and_then(|()| self.file.flush())
            .and_then(|()| self.file.get_ref().sync_all())
            .map_err(failed_at(&self.path))?;
        Ok(self.path)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.hasher.update(bytes);
        self.file.write_all(bytes).map_err(failed_at(&self.path))
    }
}

/// Reads a small file whole; `None` if it is missing.
pub fn read_small(path: &Path, most: u64) -> Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    match files::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed_at(path)(error)),
        Ok(file) => {
            file.take(most)
                .read_to_end(&mut bytes)
                .map_err(failed_at(path))?;
            Ok(Some(bytes))
        }
    }
}
