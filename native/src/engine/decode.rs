//! Content-codings: gzip, deflate (zlib or raw), br, zstd, stacked up to two (H1).
//!
//! A body is decoded when it has arrived completely, not while it arrives: received bytes have their
//! own cap, the archive needs the coded bytes anyway, and one pass over a warm buffer is cheaper.
//! If a page is one complete gzip member with a correct length, libdeflate decodes it at once, in half
//! the time. Otherwise decoders run in bounded steps. So a bomb never takes more than the cap plus
//! one step, and the readable part of a damaged body is kept.

use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use libdeflater::Decompressor;
use memchr::memmem;

use super::budget::{BodyBuffer, Budget};
use super::failure::{Failure, cause};
use super::head::elements;
use crate::fetched::Body;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstandard,
}

const MOST_CODINGS: usize = 2;

/// The window that RFC 9659 allows on the web. Without this limit a frame could ask for 128 MiB.
const ZSTANDARD_WINDOW_LOG: u32 = 23;

const STEP: usize = 32 * 1024;

/// The first bytes of every gzip member on the web: magic number, deflate.
const MEMBER: [u8; 3] = [0x1f, 0x8b, 8];
/// The flag for a checksum of the header, which libdeflate ignores.
const HEADER_CHECKSUM: u8 = 2;

/// The codings of a body, outermost first. If one is unknown, the body is not decoded, as in browsers
/// (`Content-Encoding: utf-8` is common).
pub fn codings(headers: &[(String, String)]) -> Result<Vec<Coding>, Failure> {
    let mut codings = Vec::new();
    for name in elements(headers, "content-encoding") {
        match name.as_str() {
            "gzip" | "x-gzip" => codings.push(Coding::Gzip),
            "deflate" => codings.push(Coding::Deflate),
            "br" => codings.push(Coding::Brotli),
            "zstd" => codings.push(Coding::Zstandard),
            "identity" => {}
            _ => return Ok(Vec::new()),
        }
    }
    if codings.len() > MOST_CODINGS {
        let detail = format!("{} content-codings on top of each other", codings.len());
        return Err(Failure::new(cause::DECODE_FAILED, detail));
    }
    codings.reverse();
    Ok(codings)
}

#[derive(Debug)]
pub struct Decoded {
    pub body: Body,
    /// The cap was reached, or the body was damaged and only this part could be decoded.
    pub truncated: bool,
}

/// Decodes `wire`, at most `cap` bytes of it.
pub fn decode(
    wire: &[u8],
    codings: &[Coding],
    cap: usize,
    budget: &Arc<Budget>,
) -> Result<Decoded, Failure> {
    let mut output = BodyBuffer::new(budget);
    let no_room = |_| failed("no room for the decoded body");
    output
        .room(likely_length(wire, codings).min(cap))
        .map_err(no_room)?;
    let complete = wire.is_empty()
        || codings == [Coding::Gzip] && read_at_once(wire, cap, &mut output)
        || read_up_to(layers(wire, codings)?, cap, &mut output);
    if output.is_empty() && !complete && cap > 0 {
        return Err(failed("the body is not coded as its headers say"));
    }
    let body = output.finish().map_err(no_room)?;
    Ok(Decoded {
        body,
        truncated: !complete,
    })
}

/// Estimates the decoded length, so that a page needs one allocation. A gzip member states it at its end. It may be
/// wrong, so it only affects a bounded reservation.
fn likely_length(wire: &[u8], codings: &[Coding]) -> usize {
    match (codings, declared_length(wire)) {
        ([Coding::Gzip], Some(length)) => length.clamp(wire.len(), wire.len() * 16),
        _ => wire.len() * 4,
    }
}

fn declared_length(wire: &[u8]) -> Option<usize> {
    let length = wire.last_chunk()?;
    Some(u32::from_le_bytes(*length) as usize)
}

/// Decodes a body that is one complete gzip member. Returns false, with nothing decoded, if the body is something else,
/// its length is wrong, or it does not fit in one piece. If the bytes could contain the start of a second member, the
/// body is decoded in steps.
fn read_at_once(wire: &[u8], cap: usize, output: &mut BodyBuffer) -> bool {
    let Some(([_, _, _, flags], rest)) = wire.split_first_chunk::<4>() else {
        return false;
    };
    let Some(length) = declared_length(wire).filter(|length| *length <= cap) else {
        return false;
    };
    let is_odd = flags & HEADER_CHECKSUM != 0 || memmem::find(rest, &MEMBER).is_some();
    let Ok(memory) = output.room(length) else {
        return false;
    };
    if is_odd || !memory.is_empty() || memory.capacity() < length {
        return false;
    }
    memory.resize(length, 0);
    let read = Decompressor::new().gzip_decompress(wire, memory);
    let is_whole = read.is_ok_and(|read| read == length);
    if !is_whole {
        memory.clear();
    }
    is_whole
}

fn layers<'a>(wire: &'a [u8], codings: &[Coding]) -> Result<Box<dyn Read + 'a>, Failure> {
    let mut reader: Box<dyn BufRead + 'a> = Box::new(wire);
    let Some((last, inner)) = codings.split_last() else {
        return Ok(Box::new(wire));
    };
    for coding in inner {
        reader = Box::new(BufReader::with_capacity(STEP, layer(reader, *coding)?));
    }
    layer(reader, *last)
}

fn layer<'a>(
    mut input: Box<dyn BufRead + 'a>,
    coding: Coding,
) -> Result<Box<dyn Read + 'a>, Failure> {
    Ok(match coding {
        Coding::Gzip => Box::new(Members(Some(GzDecoder::new(input)))),
        Coding::Deflate if has_zlib_header(&mut input) => Box::new(ZlibDecoder::new(input)),
        Coding::Deflate => Box::new(DeflateDecoder::new(input)),
        Coding::Brotli => Box::new(brotli_decompressor::Decompressor::new(input, STEP)),
        Coding::Zstandard => {
            let unavailable = |_| failed("no memory for a zstd decoder");
            let mut decoder =
                zstd::stream::read::Decoder::with_buffer(input).map_err(unavailable)?;
            decoder
                .window_log_max(ZSTANDARD_WINDOW_LOG)
                .map_err(unavailable)?;
            Box::new(decoder)
        }
    })
}

/// Gzip members in sequence. Trailing data that is not a member, usually zeros, is ignored, as in browsers.
struct Members<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let length = member.read(buffer)?;
            if length > 0 || buffer.is_empty() {
                return Ok(length);
            }
            let rest = self.0.take().map(GzDecoder::into_inner);
            if let Some(mut rest) = rest
                && rest.fill_buf()?.starts_with(&MEMBER[..2])
            {
                self.0 = Some(GzDecoder::new(rest));
            }
        }
        Ok(0)
    }
}

/// RFC 9110 defines `deflate` as zlib, but many servers send raw deflate.
fn has_zlib_header(input: &mut impl BufRead) -> bool {
    match input.fill_buf() {
        Ok([method, flags, ..]) => {
            method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0
        }
        _ => false,
    }
}

/// False if it stopped at the cap or at damage.
fn read_up_to(mut reader: Box<dyn Read + '_>, cap: usize, output: &mut BodyBuffer) -> bool {
    let mut step = [0; STEP];
    loop {
        let length = match reader.read(&mut step) {
            Ok(0) => return true,
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return false,
        };
        let fits = length.min(cap - output.len());
        if output.append(&step[..fits]).is_err() || fits < length {
            return false;
        }
    }
}

fn failed(detail: &str) -> Failure {
    Failure::new(cause::DECODE_FAILED, detail)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::super::head;
    use super::*;

    fn of(value: &str) -> Result<Vec<Coding>, Failure> {
        let text = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {value}\r\n\r\n");
        codings(&head::parse(text.as_bytes()).unwrap().headers)
    }

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(data).unwrap();
        writer.finish().unwrap()
    }

    fn read(wire: &[u8], codings: &[Coding], cap: usize) -> Result<(Vec<u8>, bool), Failure> {
        decode(wire, codings, cap, &Budget::new(1 << 30, None))
            .map(|decoded| (decoded.body.as_slice().to_vec(), decoded.truncated))
    }

    #[test]
    fn h1_codings_are_undone_from_the_outside() {
        assert_eq!(of("gzip, br").unwrap(), [Coding::Brotli, Coding::Gzip]);
        assert_eq!(of("identity").unwrap(), []);
        assert_eq!(of("utf-8").unwrap(), []);
        assert_eq!(
            of("gzip,gzip,gzip").unwrap_err().cause,
            cause::DECODE_FAILED
        );
    }

    #[test]
    fn h1_deflate_is_read_with_and_without_its_zlib_header() {
        let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        raw.write_all(b"hello").unwrap();
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        zlib.write_all(b"hello").unwrap();
        for wire in [raw.finish().unwrap(), zlib.finish().unwrap()] {
            let expected = (b"hello".to_vec(), false);
            assert_eq!(read(&wire, &[Coding::Deflate], 100).unwrap(), expected);
        }
    }

    #[test]
    fn h1_stacked_codings_are_undone() {
        let wire = zstd::encode_all(gzip(b"hello").as_slice(), 1).unwrap();
        let found = read(&wire, &[Coding::Zstandard, Coding::Gzip], 100).unwrap();
        assert_eq!(found, (b"hello".to_vec(), false));
    }

    #[test]
    fn h2_a_bomb_is_cut_at_the_cap() {
        let bomb = gzip(&vec![0; 50_000_000]);
        let (body, truncated) = read(&bomb, &[Coding::Gzip], 1_000_000).unwrap();
        assert_eq!((body.len(), truncated), (1_000_000, true));
        let twice = gzip(&bomb);
        let (body, truncated) = read(&twice, &[Coding::Gzip, Coding::Gzip], 10).unwrap();
        assert_eq!((body.len(), truncated), (10, true));
    }

    #[test]
    fn a_body_as_long_as_the_cap_is_whole() {
        let found = read(&gzip(b"hello"), &[Coding::Gzip], 5).unwrap();
        assert_eq!(found, (b"hello".to_vec(), false));
    }

    #[test]
    fn damaged_bodies_yield_what_could_be_read() {
        let wire = gzip(&b"hello world ".repeat(10_000));
        let (body, truncated) = read(&wire[..wire.len() / 2], &[Coding::Gzip], 1 << 20).unwrap();
        assert!(body.starts_with(b"hello world ") && truncated);
        let mut second = gzip(b"hello");
        second.extend_from_slice(&wire[..wire.len() / 2]);
        let (body, truncated) = read(&second, &[Coding::Gzip], 1 << 20).unwrap();
        assert!(body.starts_with(b"hellohello world ") && truncated);
    }

    #[test]
    fn what_follows_the_last_member_of_a_body_is_no_damage_to_it() {
        let wire = gzip(&b"hello world ".repeat(10_000));
        for padding in [&[0; 1][..], &[0; 512], b"\n", b"garbage"] {
            let padded = [&wire[..], padding].concat();
            let (body, truncated) = read(&padded, &[Coding::Gzip], 1 << 20).unwrap();
            assert!(body.starts_with(b"hello world ") && !truncated);
            let twice = [&wire[..], &padded].concat();
            let (both, truncated) = read(&twice, &[Coding::Gzip], 1 << 20).unwrap();
            assert_eq!((both.len(), truncated), (2 * body.len(), false));
        }
    }

    /// The result of decoding a body in steps only.
    fn in_steps(wire: &[u8], cap: usize) -> Result<(Vec<u8>, bool), Failure> {
        let mut output = BodyBuffer::new(&Budget::new(1 << 30, None));
        let complete =
            wire.is_empty() || read_up_to(layers(wire, &[Coding::Gzip])?, cap, &mut output);
        if output.is_empty() && !complete && cap > 0 {
            return Err(failed("the body is not coded as its headers say"));
        }
        Ok((output.finish().unwrap().as_slice().to_vec(), !complete))
    }

    proptest! {
        #[test]
        fn h1_a_body_read_at_once_is_what_it_is_in_steps(
            texts in prop::collection::vec((prop::collection::vec(0..4_u8, 0..300), 1..99_usize), 1..4),
            damage in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
            behind in prop::collection::vec(any::<u8>(), 0..12),
            kept in prop::option::of(any::<prop::sample::Index>()),
            cap in prop::sample::select(vec![0, 10, 5_000, 1 << 20]),
        ) {
            let members = texts.iter().map(|(text, times)| gzip(&text.repeat(*times)));
            let mut wire: Vec<u8> = members.flatten().chain(behind).collect();
            if let Some((place, byte)) = damage {
                let place = place.index(wire.len());
                wire[place] = byte;
            }
            wire.truncate(kept.map_or(wire.len(), |kept| kept.index(wire.len())));
            prop_assert_eq!(read(&wire, &[Coding::Gzip], cap).ok(), in_steps(&wire, cap).ok());
        }
    }

    #[test]
    fn h1_two_members_of_one_length_are_both_read() {
        let twice = [gzip(b"hello"), gzip(b"hello")].concat();
        let found = read(&twice, &[Coding::Gzip], 100).unwrap();
        assert_eq!(found, (b"hellohello".to_vec(), false));
    }

    #[test]
    fn a_body_that_is_not_coded_at_all_fails() {
        for coding in [Coding::Gzip, Coding::Brotli, Coding::Zstandard] {
            let failure = read(b"<html>", &[coding], 100).unwrap_err();
            assert_eq!(failure.cause, cause::DECODE_FAILED);
        }
        assert_eq!(read(b"", &[Coding::Gzip], 100).unwrap().0, b"");
    }
}
