//! Gzip members, one a record.
//!
//! A body that came compressed is stored, not deflated again, and so are its heads and other short records. Compressors
//! clear over 128 KB of tables before their first byte: to deflate the heads of a page takes libdeflate as long as to
//! hash the page, and saves 600 bytes. Other records go through libdeflate, which at level 1 takes the time of
//! zlib-rs at level 1 and leaves a quarter less (measured on 48 KB of HTML). libdeflate needs a record in
//! one piece, and as much room again for the result: a large record is deflated piece by piece by zlib-rs.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use libdeflater::{CompressionLvl, Compressor};

use crate::error::{Error, Result};

/// Magic, deflate, no flags, no time, no hints, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// Records up to this length are stored, not compressed: requests, metadata, short answers.
const SHORT: usize = 1024;
/// Most bytes of one stored block of deflate.
const LONGEST_STORED: usize = 0xffff;
/// Records from this length on are compressed piece by piece, so that the buffers below grow no further.
const LARGE: usize = 1024 * 1024;
const HIGHEST_OF_ZLIB: u32 = 9;

pub struct Members {
    whole: Compressor,
    /// For large records.
    level: Compression,
    joined: Vec<u8>,
    /// Output buffer, as large as the largest member so far, so that it need not be cleared each time.
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

    /// Appends a member with `parts` to `output`, compressed unless they are short.
    pub fn append(&mut self, parts: &[&[u8]], output: &mut Vec<u8>) -> Result<()> {
        let length = parts.iter().map(|part| part.len()).sum::<usize>();
        if length <= SHORT {
            append_stored(parts, output);
            return Ok(());
        }
        if length >= LARGE {
            return self.append_in_pieces(parts, output);
        }
        self.joined.clear();
        for part in parts {
            self.joined.extend_from_slice(part);
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

    fn append_in_pieces(&self, parts: &[&[u8]], output: &mut Vec<u8>) -> Result<()> {
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

/// Appends a member with `parts` uncompressed, in stored blocks (RFC 1951, 3.2.4).
pub fn append_stored(parts: &[&[u8]], output: &mut Vec<u8>) {
    output.extend_from_slice(&HEADER);
    let mut checksum = crc32fast::Hasher::new();
    let mut length = 0;
    for piece in parts.iter().flat_map(|part| part.chunks(LONGEST_STORED)) {
        checksum.update(piece);
        length += piece.len();
        append_block(piece, false, output);
    }
    append_block(&[], true, output);
    output.extend_from_slice(&checksum.finalize().to_le_bytes());
    output.extend_from_slice(&(length as u32).to_le_bytes());
}

fn append_block(piece: &[u8], is_last: bool, output: &mut Vec<u8>) {
    let length = piece.len() as u16;
    output.push(u8::from(is_last));
    output.extend_from_slice(&length.to_le_bytes());
    output.extend_from_slice(&(!length).to_le_bytes());
    output.extend_from_slice(piece);
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
            members.append(&[&expected], &mut deflated).unwrap();
            append_stored(&[&head, &body, b"\r\n\r\n"], &mut stored);
            assert_eq!(inflated(&deflated), expected);
            assert_eq!(inflated(&stored), expected);
            assert_eq!(deflated.len() < expected.len(), expected.len() > SHORT);
        }
    }

    #[test]
    fn q2_a_large_record_is_deflated_without_a_copy_of_it() {
        let mut members = Members::new(1).unwrap();
        let mut output = Vec::new();
        let body = b"words, words, words ".repeat(1_000_000);
        members.append(&[b"head", &body], &mut output).unwrap();
        assert!(members.joined.capacity() + members.made.capacity() < 3 * LARGE);
        assert_eq!(inflated(&output), [b"head", &body[..]].concat());
    }

    #[test]
    fn s3_a_short_record_is_stored_and_can_be_read_without_a_decompressor() {
        let (mut members, mut output) = (Members::new(1).unwrap(), Vec::new());
        let record = b"WARC/1.1\r\nWARC-Type: request\r\n\r\n";
        members
            .append(&[record, &[], b"GET /"], &mut output)
            .unwrap();
        assert_eq!(inflated(&output), [&record[..], b"GET /"].concat());
        assert!(output.windows(record.len()).any(|bytes| bytes == record));
    }

    #[test]
    fn s3_nothing_can_be_stored_too() {
        let mut output = Vec::new();
        append_stored(&[], &mut output);
        assert_eq!(inflated(&output), b"");
    }

    #[test]
    fn a_level_that_does_not_exist_is_refused() {
        assert!(Members::new(99).is_err());
    }
}
