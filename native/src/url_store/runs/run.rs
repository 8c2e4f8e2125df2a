//! A sorted run: rows in key order, in a file that is written once.
//!
//! First come the blocks, then the index and the filter, which are read when the run is opened and stay in memory,
//! then the footer. A look-up reads one block. There is no cache of blocks: the operating system has one.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::super::rows::{damaged, digest_of, shared_part, urls_number};
use super::super::wire::Reader;
use super::block::{Block, BlockWriter, Entry, Place};
use super::filter::{RunFilter, hash};
use super::index::Index;
use super::merge::Sorted;
use super::{failed, failed_at};
use crate::error::Result;
use crate::files;

const MAGIC: [u8; 8] = *b"hondius1";
/// Lengths of index and filter, number of rows, last chunk, checksum, and the magic number.
const FOOTER: u64 = 48;
const BUFFER: usize = 128 * 1024;

pub struct Run {
    file: File,
    index: Index,
    filter: RunFilter,
    rows: u64,
    last_chunk: Option<u64>,
    bytes: u64,
}

impl Run {
    pub fn open(path: &Path) -> Result<Run> {
        let file = files::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let footer = read(&file, bytes.saturating_sub(FOOTER), FOOTER as usize)?;
        let contents = Contents::parse(&footer).ok_or_else(|| damaged("a run"))?;
        let length = contents.index.saturating_add(contents.filter);
        let start = bytes.checked_sub(length.saturating_add(FOOTER));
        let data = read(
            &file,
            start.ok_or_else(|| damaged("a run"))?,
            length as usize,
        )?;
        let (index, filter) = contents.unpack(&data).ok_or_else(|| damaged("a run"))?;
        Ok(Run {
            file,
            index,
            filter,
            rows: contents.rows,
            last_chunk: contents.last_chunk.checked_sub(1),
            bytes,
        })
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The highest number of a chunk whose URLs are in this run.
    pub fn last_chunk(&self) -> Option<u64> {
        self.last_chunk
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// False if the run has no row whose key, or common prefix, has this hash.
    pub fn may_contain(&self, hash: u64) -> bool {
        self.filter.may_contain(hash)
    }

    /// The value of a key, `Some(None)` if it was removed, or `None` if the run does not have it.
    pub fn get(&self, key: &[u8]) -> Result<Option<Option<Vec<u8>>>> {
        let Some(number) = self.index.find(key) else {
            return Ok(None);
        };
        let block = self.block(number)?;
        let entry = block.find(key)?;
        Ok(entry.map(|entry| entry.value.map(<[u8]>::to_vec)))
    }

    pub fn blocks(&self) -> usize {
        self.index.blocks()
    }

    /// The first key of a block, and its position.
    pub fn beginning(&self, number: usize) -> Option<(&[u8], u64)> {
        let (start, _) = self.index.place(number)?;
        Some((self.index.key(number), start))
    }

    pub fn block(&self, number: usize) -> Result<Block> {
        let place = self.index.place(number);
        let (start, length) = place.ok_or_else(|| damaged("an index"))?;
        Block::parse(read(&self.file, start, length)?)
    }
}

#[derive(Debug, Clone, Copy)]
struct Contents {
    index: u64,
    filter: u64,
    rows: u64,
    /// The number plus one; 0 if there is none.
    last_chunk: u64,
    checksum: u64,
}

impl Contents {
    fn encode(&self) -> Vec<u8> {
        let numbers = [
            self.index,
            self.filter,
            self.rows,
            self.last_chunk,
            self.checksum,
        ];
        let mut bytes = numbers.map(u64::to_le_bytes).concat();
        bytes.extend_from_slice(&MAGIC);
        bytes
    }

    fn parse(footer: &[u8]) -> Option<Contents> {
        let mut reader = Reader::new(footer);
        let mut number = || reader.array().map(u64::from_le_bytes);
        let contents = Contents {
            index: number()?,
            filter: number()?,
            rows: number()?,
            last_chunk: number()?,
            checksum: number()?,
        };
        (reader.array() == Some(MAGIC)).then_some(contents)
    }

    fn unpack(&self, data: &[u8]) -> Option<(Index, RunFilter)> {
        if checksum(data, self.rows, self.last_chunk) != self.checksum {
            return None;
        }
        let (index, filter) = data.split_at_checked(self.index as usize)?;
        Some((Index::parse(index)?, RunFilter::parse(filter)?))
    }
}

fn checksum(data: &[u8], rows: u64, last_chunk: u64) -> u64 {
    let mut sum = Xxh3::new();
    sum.update(data);
    sum.update(&rows.to_le_bytes());
    sum.update(&last_chunk.to_le_bytes());
    sum.digest()
}

fn read(file: &File, start: u64, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    match file.read_exact_at(&mut bytes, start) {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(damaged("a run")),
        Err(error) => Err(failed(error)),
    }
}

/// Writes a run, row by row in key order. An unfinished run is removed on drop.
pub struct RunWriter {
    path: PathBuf,
    file: BufWriter<File>,
    block: BlockWriter,
    buffer: Vec<u8>,
    first_key: Vec<u8>,
    last_part: Vec<u8>,
    index: Index,
    filter: RunFilter,
    rows: u64,
    last_chunk: u64,
    is_finished: bool,
}

impl RunWriter {
    /// `rows` is the maximum number of rows.
    pub fn create(path: PathBuf, rows: u64) -> Result<RunWriter> {
        let file = files::create_new(&path).map_err(failed_at(&path))?;
        Ok(RunWriter {
            path,
            file: BufWriter::with_capacity(BUFFER, file),
            block: BlockWriter::default(),
            buffer: Vec::new(),
            first_key: Vec::new(),
            last_part: Vec::new(),
            index: Index::default(),
            filter: RunFilter::new(rows),
            rows: 0,
            last_chunk: 0,
            is_finished: false,
        })
    }

    pub fn push(&mut self, entry: Entry<'_>) -> Result<()> {
        if self.block.is_empty() {
            self.first_key.clear();
            self.first_key.extend_from_slice(entry.key);
        }
        match digest_of(entry.key) {
            Some(digest) => self.filter.insert(digest),
            None => self.filter.insert_later(hash(entry.key)),
        }
        if let Some(part) = shared_part(entry.key)
            && part != self.last_part
        {
            self.filter.insert_later(hash(part));
            self.last_part.clear();
            self.last_part.extend_from_slice(part);
        }
        if let Some(number) = urls_number(entry.key).filter(|_| entry.value.is_some()) {
            self.last_chunk = self.last_chunk.max(number.saturating_add(1));
        }
        self.block.push(entry);
        self.rows += 1;
        if self.block.is_full() {
            self.end_block()?;
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        self.block.finish(&mut self.buffer);
        self.file.write_all(&self.buffer).map_err(failed)?;
        self.index.push(&self.first_key, self.buffer.len() as u64);
        Ok(())
    }

    /// Writes the rest, and syncs.
    pub fn finish(mut self) -> Result<()> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        let mut data = Vec::new();
        self.index.put(&mut data);
        let index = data.len() as u64;
        self.filter.put(&mut data);
        let contents = Contents {
            index,
            filter: data.len() as u64 - index,
            rows: self.rows,
            last_chunk: self.last_chunk,
            checksum: checksum(&data, self.rows, self.last_chunk),
        };
        data.extend_from_slice(&contents.encode());
        self.file.write_all(&data).map_err(failed)?;
        self.file.flush().map_err(failed)?;
        self.file.get_ref().sync_all().map_err(failed)?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for RunWriter {
    fn drop(&mut self) {
        if !self.is_finished {
            // The file is not listed yet; if removing it fails, the next start does it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// The rows of a run from a key on.
pub struct Cursor {
    run: Arc<Run>,
    number: usize,
    block: Block,
    row: usize,
    /// The position of the current row.
    place: Place,
}

impl Cursor {
    pub fn new(run: Arc<Run>, from: &[u8]) -> Result<Cursor> {
        let number = run.index.find(from).unwrap_or(0);
        let mut cursor = Cursor {
            run,
            number,
            block: Block::default(),
            row: 0,
            place: Place::default(),
        };
        if number < cursor.run.index.blocks() {
            cursor.block = cursor.run.block(number)?;
            cursor.row = cursor.block.lower_bound(from)?;
            cursor.skip_to_block()?;
        }
        Ok(cursor)
    }

    /// If the block has no more rows, moves to the next one that has.
    fn skip_to_block(&mut self) -> Result<()> {
        while self.row >= self.block.rows() && self.number + 1 < self.run.index.blocks() {
            self.number += 1;
            self.block = self.run.block(self.number)?;
            self.row = 0;
        }
        if self.row < self.block.rows() {
            self.place = self.block.place(self.row)?;
        }
        Ok(())
    }
}

impl Sorted for Cursor {
    fn entry(&self) -> Result<Option<Entry<'_>>> {
        if self.row >= self.block.rows() {
            return Ok(None);
        }
        Ok(Some(self.block.at(&self.place)))
    }

    fn advance(&mut self) -> Result<()> {
        self.row += 1;
        self.skip_to_block()
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "run of {} rows", self.rows)
    }
}
