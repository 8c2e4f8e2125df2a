//! Turns bytes into text: decompresses gzip, then decodes the encoding.

use std::borrow::Cow;
use std::io::Read;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use flate2::read::MultiGzDecoder;

use super::MAX_BYTES;

/// Some servers compress a compressed file again, but hardly any a third time.
const MAX_LAYERS: usize = 2;

/// Stops at the cap. At an error it returns what was decompressed before.
pub(super) fn decompress(body: &[u8]) -> Cow<'_, [u8]> {
    let mut bytes = Cow::Borrowed(&body[..body.len().min(MAX_BYTES)]);
    for _ in 0..MAX_LAYERS {
        if !bytes.starts_with(&[0x1F, 0x8B]) {
            break;
        }
        bytes = Cow::Owned(gunzip(&bytes, MAX_BYTES));
    }
    bytes
}

pub(super) fn gunzip(bytes: &[u8], cap: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut decoder = MultiGzDecoder::new(bytes).take(cap as u64);
    // After an error `out` holds what was decoded before it.
    let _ = decoder.read_to_end(&mut out);
    out
}

/// The encoding is that of the byte order mark, of UTF-16 without one, of the XML declaration, or UTF-8.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return decode(encoding, &bytes[length..]);
    }
    let encoding = match bytes {
        [b'<', 0, ..] => UTF_16LE,
        [0, b'<', ..] => UTF_16BE,
        _ => declared(bytes).unwrap_or(UTF_8),
    };
    decode(encoding, bytes)
}

/// Other encodings may be three times as long in UTF-8, so the text is cut at the cap.
fn decode<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Cow<'a, str> {
    if encoding == UTF_8
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Cow::Borrowed(text);
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let most = decoder.max_utf8_buffer_length(bytes.len());
    let mut text = String::with_capacity(most.map_or(MAX_BYTES, |most| most.min(MAX_BYTES)));
    let _ = decoder.decode_to_string(bytes, &mut text, true);
    Cow::Owned(text)
}

/// Ignores UTF-16: a declaration that is readable as ASCII is not UTF-16.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(256)];
    let declaration = &head[..memchr::memmem::find(head, b"?>")?];
    let name = memchr::memmem::find(declaration, b"encoding")? + b"encoding".len();
    let value = declaration[name..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let (quote, value) = value.split_first()?;
    let label = &value[..memchr::memchr(*quote, value)?];
    Encoding::for_label(label).filter(|encoding| encoding.is_ascii_compatible())
}
