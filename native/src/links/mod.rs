//! The links of pages, as they are kept: who links to whom, with which words.
//!
//! A segment file is a [`header`] and blocks. A block holds the links of the pages of one commit, or of a part of
//! them, packed together: pages of one commit share words and hosts, and one page alone is too short to pack well.
//! Each block is checked by a CRC-32 and can be read without the others.
//!
//! ```text
//! columns    pages and links → columns of bytes, and back
//! block      columns → a block: packed, checked; and back
//! ```
//!
//! The key of a target is not written: it is what the crawl's [`Identity`](crate::url::Identity) makes of the href,
//! and would be two thirds of the file. Four bytes a page tell whether the keys are those that the page was read with.

mod block;
mod columns;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::page::Link;
use crate::url::Key;

pub use block::{HEAD_BYTES, block_bytes, read, write};

const MAGIC: &[u8; 8] = b"HONDLINK";
/// Written by this version. Format 1 can be read, too: its words are written as they are.
pub const FORMAT: u32 = 2;
pub const HEADER_BYTES: usize = 12;

/// A page whose links are to be kept.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub key: Key,
    pub href: &'a str,
    /// Of the whole page (D4), bits of [`crate::page::directive`].
    pub directives: u8,
    pub links: &'a [Link],
}

/// Where the links of a page lie: in the block that starts at `offset`, the page of this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub offset: u64,
    pub index: u32,
}

/// Blocks as they are appended to a segment file, and where each page lies in them.
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
    /// Links that were too long to be kept, or too many.
    pub left_out: u32,
    /// False: the keys of the links are not those that the page was read with. The crawl's rules of identity are others.
    pub has_same_keys: bool,
}

/// What a segment file begins with.
pub fn header() -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..].copy_from_slice(&FORMAT.to_le_bytes());
    header
}

/// Refuses a file that is no segment, or of a format that is not known here.
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
