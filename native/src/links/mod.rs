//! The file format of stored links: source page, target, anchor, rel and kind.
//!
//! A segment file is a [`header`] and blocks. A block holds the links of the pages of one commit, or of a part of
//! them, packed together: they share words and hosts, and a single page is too short to compress well.
//! Each block has a CRC-32 and can be read without the others.
//!
//! ```text
//! columns    pages and links → columns of bytes, and back
//! block      columns → a block: packed, checked; and back
//! ```
//!
//! Keys of targets are not stored: they would be two thirds of the file, and the crawl's [`Identity`](crate::url::Identity)
//! computes them from the hrefs. A checksum of four bytes a page detects that it computes other keys than the crawl did.

mod block;
mod columns;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::page::Link;
use crate::url::Key;

pub use block::{HEAD_BYTES, block_bytes, read, write};

const MAGIC: &[u8; 8] = b"HONDLINK";
/// The format that is written. Format 1 can be read, too: its anchors are stored unchanged.
pub const FORMAT: u32 = 2;
pub const HEADER_BYTES: usize = 12;

/// A page whose links are to be stored.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub key: Key,
    pub href: &'a str,
    /// Directives of the page (D4): bits of [`crate::page::directive`].
    pub directives: u8,
    pub links: &'a [Link],
}

/// Where the links of a page are: the offset of the block, and the index of the page in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub offset: u64,
    pub index: u32,
}

/// Blocks to append to a segment file, and the place of each page.
#[derive(Debug, Default)]
pub struct Blocks {
    pub data: Vec<u8>,
    pub places: Vec<Place>,
}

/// The links of one page, read back.
#[derive(Debug, Clone)]
pub struct PageLinks {
    pub key: Key,
    pub href: String,
    pub directives: u8,
    pub links: Vec<Link>,
    /// Number of links that were not stored: too long, or too many.
    pub left_out: u32,
    /// False if the keys differ from those of the crawl: it was made with other rules of identity.
    pub has_same_keys: bool,
}

/// The first bytes of a segment file.
pub fn header() -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..].copy_from_slice(&FORMAT.to_le_bytes());
    header
}

/// Fails if the file is not a link segment, or has an unknown format.
pub fn check_header(data: &[u8]) -> Result<()> {
    let Some(header) = data.first_chunk::<HEADER_BYTES>() else {
        return Err(Error::Corrupt("it is too short for a link segment".into()));
    };
    let format = header[8..].iter().rev();
    let format = format.fold(0, |number, byte| number << 8 | u32::from(*byte));
    if header[..8] != *MAGIC {
        return Err(Error::Corrupt("it is not a link segment".into()));
    }
    if !(1..=FORMAT).contains(&format) {
        return Err(Error::Corrupt(format!(
            "it has format {format} of link segments, and this Hondius reads formats 1 to {FORMAT}"
        )));
    }
    Ok(())
}
