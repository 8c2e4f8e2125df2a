//! Gzip members, one a record.
//!
//! What came compressed is stored, not deflated again: its record's heads are deflated, then the
//! body follows in stored blocks. Pages go through libdeflate, which at level 1 takes the time of
//! zlib-rs at level 1 and leaves a quarter less (measured on 48 KB of HTML); heads and records that are
//! hardly more than one through [`brief`](super::brief), which need not clear tables for them. libdeflate wants a record in
//! one piece, and as much room again for the result: a large record is deflated piece by piece by zlib-rs.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use libdeflater::{CompressionLvl, Compressor};

use super::brief::Blocks;
use crate::error::{Error, Result};

/// Magic, deflate, no flags, no time, no hints, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// Up to here a record is deflated as a head is.
const BRIEF: usize = 2 * 1024;
/// From here on a record is deflated piece by piece. The buffers below grow no further.
const LARGE: usize = 1024 * 1024;
const HIGHEST_OF_ZLIB: u32 = 9;

pub struct Members {
    whole: Compressor,
    /// For large records.
    level: Compression,
    joined: Vec<u8>,
    /// Where a member is made: as large as the largest so far, so that it is not cleared each time.
    made: Vec<u8>,
}

impl Members {
    pub fn new(level: i32) -> Result<Self> {
        let of_whole = CompressionLvl::new(level)
            .map_err(|_| Error::Invalid(format!("compression level {level} is not in 1-12")))?;
        Ok(Members {
            whole: Compressor::new(of_whole),
            level: Compression::new(level.unsigned_abs().min(HIGHEST_OF_ZLIB)),
            joined: Vec::new(),
            made: Vec::new(),
        })
    }

    /// Appends a member that holds `parts` to `output`, deflated.
    pub fn deflated(&mut self, parts: &[&[u8]], output: &mut Vec<u8>) -> Result<()> {
        if parts.iter().map(|part| part.len()).sum::<usize>() >= LARGE {
            return self.deflated_in_pieces(parts, output);
        }
        self.joined.clear();
        for part in parts {
            self.joined.extend_from_slice(part);
        }
        if self.joined.len() <= BRIEF {
            half_stored(&self.joined, &[], output);
            return Ok(());
        }
        let most = self.whole.gzip_compress_bound(self.joined.len());
        if self.made.len() < most {
            self.made.resize(most, 0);
        }
        let length = self
            .whole
            .gzip_compress(&self.joined, &mut self.made)
            .map_err(|_| incompressible())?;
        output.extend_from_slice(&self.made[..length]);
        Ok(())
    }

    fn deflated_in_pieces(&self, parts: &[&[u8]], output: &mut Vec<u8>) -> Result<()> {
        let mut encoder = GzEncoder::new(output, self.level);
        for part in parts {
            encoder.write_all(part).map_err(|_| incompressible())?;
        }
        encoder.finish().map(drop).map_err(|_| incompressible())
    }
}

fn incompressible() -> Error {
    Error::Invalid(String::from("a record could not be compressed"))
}

/// Appends a member whose `head` is deflated and whose `tail` is stored.
pub fn half_stored(head: &[u8], tail: &[&[u8]], output: &mut Vec<u8>) {
    output.extend_from_slice(&HEADER);
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(head);
    let mut length = head.len();
    let mut blocks = Blocks::behind(output);
    blocks.deflated(head, tail.is_empty());
    for (index, part) in tail.iter().enumerate() {
        checksum.update(part);
        length += part.len();
        blocks.stored(part, index + 1 == tail.len());
    }
    output.extend_from_slice(&checksum.finalize().to_le_bytes());
    output.extend_from_slice(&(length as u32).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn inflated(member: &[u8]) -> Vec<u8> {
        let mut decoder = flate2::bufread::GzDecoder::new(member);
        let mut content = Vec::new();
        decoder.read_to_end(&mut content).unwrap();
        assert!(decoder.into_inner().is_empty());
        content
    }

    #[test]
    fn s3_both_kinds_of_members_hold_what_was_put_in() {
        let head = b"WARC/1.1 and so on, and so on, and so on".repeat(9);
        let mut members = Members::new(1).unwrap();
        for length in [0, 1, 1000, 65_535, 65_536, 200_000, 3_000_000] {
            let body: Vec<u8> = (0..length)
                .map(|n: u32| (n % 251 * (n % 83)) as u8)
                .collect();
            let expected = [&head[..], &body, b"\r\n\r\n"].concat();
            let (mut deflated, mut stored) = (Vec::new(), Vec::new());
            members.deflated(&[&expected], &mut deflated).unwrap();
            half_stored(&head, &[&body, b"\r\n\r\n"], &mut stored);
            assert_eq!(inflated(&deflated), expected);
            assert_eq!(inflated(&stored), expected);
            assert!(deflated.len() < expected.len());
        }
    }

    #[test]
    fn q2_a_large_record_is_deflated_without_a_copy_of_it() {
        let mut members = Members::new(1).unwrap();
        let mut output = Vec::new();
        let body = b"words, words, words ".repeat(1_000_000);
        members.deflated(&[b"head", &body], &mut output).unwrap();
        assert!(members.joined.capacity() + members.made.capacity() < 3 * LARGE);
        assert_eq!(inflated(&output), [b"head", &body[..]].concat());
    }

    #[test]
    fn s3_an_empty_head_is_stored_too() {
        let mut stored = Vec::new();
        half_stored(&[], &[b"x"], &mut stored);
        assert_eq!(inflated(&stored), b"x");
    }

    #[test]
    fn a_level_that_does_not_exist_is_refused() {
        assert!(Members::new(99).is_err());
    }
}
