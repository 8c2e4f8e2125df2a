//! A block: columns packed, with a checksum.
//!
//! ```text
//! length     4 bytes, little endian: length of everything after the checksum
//! checksum   4 bytes: CRC-32 of everything after it
//! mark       a zero byte, then the format. Blocks of format 1 have none: they begin with the number of pages, never 0
//! sizes      varints: number of pages; then for each column its raw and its packed length
//! columns    directory (not packed), kinds, shared, texts
//! ```

use std::cell::RefCell;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, compress_bound};

use super::columns::{Columns, MOST_PAGE_BYTES, Pages};
use super::{Blocks, FORMAT, PageLinks, Place, Source};
use crate::error::{Error, Result};
use crate::url::Identity;
use crate::url_store::wire::{Reader, put_varint};

/// Raw bytes after which a block ends. Reading one page unpacks its whole block, and larger blocks gain under 1 %.
const FULL: usize = 256 * 1024;
/// Most raw bytes of a block: only its last page can exceed `FULL`.
const MOST_BYTES: usize = MOST_PAGE_BYTES + 2 * FULL;
/// The lowest zstd level with entropy coding. Its default hash table is too small for a block.
const LEVEL: i32 = 1;
const SHORTEST_REPETITION: u32 = 6;
const HASH_BITS: u32 = 15;
const COLUMNS: usize = 4;
/// Length and checksum.
pub const HEAD_BYTES: usize = 8;

thread_local! {
    /// Reused: allocating zstd's tables takes as long as packing a block.
    static PACKER: RefCell<Option<Packer>> = const { RefCell::new(None) };
}

/// Packs the links of `pages` into blocks. The first block starts at `base_offset` of its file.
pub fn write(pages: &[Source<'_>], base_offset: u64) -> Result<Blocks> {
    PACKER.with_borrow_mut(|packer| {
        let mut ready = match packer.take() {
            Some(ready) => ready,
            None => Packer::new()?,
        };
        let blocks = ready.blocks(pages, base_offset);
        if ready.columns.capacity() <= MOST_KEPT {
            *packer = Some(ready);
        }
        blocks
    })
}

/// Buffers above this capacity are dropped, not reused: pages of a hundred thousand links are rare.
const MOST_KEPT: usize = 1024 * 1024;

struct Packer {
    compressor: Compressor<'static>,
    columns: Columns,
    packed: Vec<u8>,
    /// Output buffer for one packed column, reused because zeroing a long buffer is expensive.
    scratch: Vec<u8>,
}

impl Packer {
    fn new() -> Result<Self> {
        let mut compressor = Compressor::new(LEVEL).map_err(pack_error)?;
        let parameters = [
            CParameter::MinMatch(SHORTEST_REPETITION),
            CParameter::HashLog(HASH_BITS),
            CParameter::ChecksumFlag(false),
            CParameter::ContentSizeFlag(false),
        ];
        for parameter in parameters {
            compressor.set_parameter(parameter).map_err(pack_error)?;
        }
        Ok(Packer {
            compressor,
            columns: Columns::default(),
            packed: Vec::new(),
            scratch: Vec::new(),
        })
    }

    fn blocks(&mut self, pages: &[Source<'_>], base_offset: u64) -> Result<Blocks> {
        let mut blocks = Blocks::default();
        let mut before = "";
        self.columns.clear();
        for page in pages {
            if self.columns.bytes() >= FULL {
                self.append(&mut blocks.data)?;
                before = "";
            }
            blocks.places.push(Place {
                offset: base_offset + blocks.data.len() as u64,
                index: self.columns.pages,
            });
            self.columns.add(page, before)?;
            before = page.href;
        }
        if self.columns.pages > 0 {
            self.append(&mut blocks.data)?;
        }
        Ok(blocks)
    }

    fn append(&mut self, data: &mut Vec<u8>) -> Result<()> {
        let start = data.len();
        data.extend_from_slice(&[0; HEAD_BYTES]);
        let directory = std::mem::take(&mut self.columns.directory);
        let sizes = self.pack()?;
        data.extend_from_slice(&[0, FORMAT as u8]);
        put_varint(data, u64::from(self.columns.pages));
        let whole = (directory.len(), directory.len());
        for (length, packed) in [whole].into_iter().chain(sizes) {
            put_varint(data, length as u64);
            put_varint(data, packed as u64);
        }
        data.extend_from_slice(&directory);
        data.extend_from_slice(&self.packed);
        self.columns.clear();
        write_head(&mut data[start..])
    }

    /// Packs all columns but the directory, in order. Returns the raw and the packed length of each.
    fn pack(&mut self) -> Result<[(usize, usize); COLUMNS - 1]> {
        let Columns {
            kinds,
            shared,
            texts,
            ..
        } = &self.columns;
        self.packed.clear();
        let mut sizes = [(0, 0); COLUMNS - 1];
        for (column, size) in [kinds, shared, texts].into_iter().zip(&mut sizes) {
            let before = self.packed.len();
            let bound = compress_bound(column.len());
            if self.scratch.len() < bound {
                self.scratch.resize(bound, 0);
            }
            let scratch = &mut self.scratch[..];
            let length = self.compressor.compress_to_buffer(column, scratch);
            let length = length.map_err(pack_error)?;
            // Stored raw if packing does not make it shorter; both lengths are equal then.
            let shorter = match length < column.len() {
                true => &self.scratch[..length],
                false => column,
            };
            self.packed.extend_from_slice(shorter);
            *size = (column.len(), self.packed.len() - before);
        }
        Ok(sizes)
    }
}

/// Fills in the length and the checksum.
fn write_head(block: &mut [u8]) -> Result<()> {
    let (head, content) = block.split_at_mut(HEAD_BYTES);
    let length = u32::try_from(content.len())
        .map_err(|_| Error::Invalid("a block of links is too long".into()))?;
    head[..4].copy_from_slice(&length.to_le_bytes());
    head[4..].copy_from_slice(&crc32fast::hash(content).to_le_bytes());
    Ok(())
}

fn pack_error(error: std::io::Error) -> Error {
    Error::Invalid(format!("links could not be packed: {error}"))
}

/// Length in bytes of the block that begins with `head`.
pub fn block_bytes(head: &[u8]) -> Result<usize> {
    let Some(length) = head
        .first_chunk::<4>()
        .map(|four| u32::from_le_bytes(*four))
    else {
        return Err(damage_error("its head is cut off"));
    };
    let length = length as usize;
    if length > MOST_BYTES {
        return Err(damage_error("its length cannot be"));
    }
    Ok(HEAD_BYTES + length)
}

/// Decodes the pages of a block, in order.
pub fn read(block: &[u8], identity: &Identity) -> Result<Vec<PageLinks>> {
    let whole = block_bytes(block)?;
    let Some(content) = block.get(HEAD_BYTES..whole) else {
        return Err(damage_error("it is cut off"));
    };
    let checksum = crc32fast::hash(content).to_le_bytes();
    if block[4..HEAD_BYTES] != checksum {
        return Err(damage_error("its checksum is wrong"));
    }
    let columns = unpack(content).ok_or_else(|| damage_error("it cannot be unpacked"))?;
    let mut rest = Pages::new(&columns, identity);
    let pages: Option<Vec<_>> = (0..columns.pages).map(|_| rest.next()).collect();
    pages
        .filter(|_| rest.is_at_end())
        .ok_or_else(|| damage_error("its columns do not fit together"))
}

fn damage_error(what: &str) -> Error {
    Error::Corrupt(format!("a block of links is damaged: {what}"))
}

fn unpack(content: &[u8]) -> Option<Columns> {
    let mut reader = Reader::new(content);
    let mut pages = reader.small()?;
    let has_slugs = pages == 0;
    if has_slugs {
        reader.byte().filter(|format| *format == FORMAT as u8)?;
        pages = reader.small()?;
    }
    let mut sizes = [(0usize, 0usize); COLUMNS];
    let mut all = 0usize;
    for size in &mut sizes {
        *size = (reader.small()? as usize, reader.small()? as usize);
        all = all.checked_add(size.0)?;
    }
    if all > MOST_BYTES {
        return None;
    }
    let mut unpacker = Decompressor::new().ok()?;
    let mut unpacked = sizes.iter().map(|(length, packed)| {
        let bytes = reader.bytes(*packed)?;
        let column = match length == packed {
            true => bytes.to_vec(),
            false => unpacker.decompress(bytes, *length).ok()?,
        };
        (column.len() == *length).then_some(column)
    });
    let columns = Columns {
        pages,
        has_slugs,
        directory: unpacked.next()??,
        kinds: unpacked.next()??,
        shared: unpacked.next()??,
        texts: unpacked.next()??,
    };
    drop(unpacked);
    reader.is_empty().then_some(columns)
}
