//! Path patterns: `*` for any octets, `$` for the end (RFC 9309 §2.2.2, §2.2.3).

use std::borrow::Cow;

use memchr::memmem;

use crate::url::percent::{normalise, push_escape};

/// Appends a pattern to `out` in the form that paths are compared with.
///
/// In that form every star is a wildcard, since literal ones are escaped, and several in a row are written as one. All
/// patterns of a file share one string: a file of half a megabyte may hold a hundred thousand pieces, and a string for
/// each would take many times the memory of the file.
pub(crate) fn write(value: &[u8], out: &mut String) -> Shape {
    let (value, anchored) = match value {
        [value @ .., b'$'] => (value, true),
        _ => (value, false),
    };
    let octets = if memchr::memchr(b'%', value).is_some() {
        let escaped = with_escapes(value, |byte| needs_escape(byte) && byte != b'*');
        push(normalise(&escaped).as_bytes(), out)
    } else {
        push(value, out)
    };
    Shape {
        anchored,
        octets: octets.saturating_add(u32::from(anchored)),
    }
}

/// Escapes everything that needs it except stars, and writes several stars as one. Returns the length, counting every
/// star. Writes directly into `out`: a hostile file spends its time in this loop.
fn push(value: &[u8], out: &mut String) -> u32 {
    let (start, mut stars_left_out) = (out.len(), 0);
    let mut after_star = false;
    for &byte in value {
        if byte == b'*' {
            if after_star {
                stars_left_out += 1;
            } else {
                out.push('*');
            }
        } else if needs_escape(byte) {
            push_escape(out, byte);
        } else {
            out.push(char::from(byte));
        }
        after_star = byte == b'*';
    }
    u32::try_from(out.len() - start + stars_left_out).unwrap_or(u32::MAX)
}

/// Properties of a pattern that its text does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The pattern matches only if the path ends with it.
    pub anchored: bool,
    /// How specific it is: its octets in comparable form, counting every star.
    pub octets: u32,
}

/// Whether a path, as [`comparable_path`] made it, matches a pattern, as [`write`] wrote it.
///
/// Matches each piece between two stars at its leftmost position. If any position works, the leftmost does, because it
/// leaves most of the path to the pieces after it. So there is no backtracking, and the time is linear in pattern and
/// path, whatever the number of stars.
pub(crate) fn matches(pattern: &[u8], anchored: bool, path: &str) -> bool {
    let path = path.as_bytes();
    // Byte by byte up to the first star: most rules of a file differ from a path within a few bytes.
    let mut length = 0;
    let mut pieces = loop {
        match pattern.get(length) {
            None => return !anchored || path.len() == length,
            Some(b'*') => break Some(&pattern[length + 1..]),
            Some(byte) if path.get(length) == Some(byte) => length += 1,
            Some(_) => return false,
        }
    };
    let mut rest = &path[length..];
    while let Some(pattern) = pieces {
        let (piece, behind) = first_piece(pattern);
        if behind.is_none() && anchored {
            return rest.ends_with(piece);
        }
        match memmem::find(rest, piece) {
            Some(position) => rest = &rest[position + piece.len()..],
            None => return false,
        }
        pieces = behind;
    }
    true
}

/// The text before the first star, and the text after it.
fn first_piece(pattern: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'*', pattern) {
        Some(star) => (&pattern[..star], Some(&pattern[star + 1..])),
        None => (pattern, None),
    }
}

/// A path in the form that patterns are compared with. A literal `*` or `$` is escaped, as a
/// pattern must write it to mean it.
pub(crate) fn comparable_path(path: &str) -> Cow<'_, str> {
    escaped(path.as_bytes())
}

/// Percent-encodes octets that cannot stand in a URL, then normalises all escapes, so that it does not matter how much
/// of it the author of the rule had encoded.
fn escaped(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !bytes.iter().any(|byte| needs_escape(*byte)) => normalise(text),
        _ => Cow::Owned(normalise(&with_escapes(bytes, needs_escape)).into_owned()),
    }
}

fn with_escapes(bytes: &[u8], is_escaped: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(bytes.len() + 16);
    for byte in bytes {
        if is_escaped(*byte) {
            push_escape(&mut out, *byte);
        } else {
            out.push(char::from(*byte));
        }
    }
    out
}

/// All but the unreserved and reserved characters of RFC 3986 and `%`. Of the reserved ones, the
/// wildcards and the quote, which WHATWG escapes in a query and not in a path.
fn needs_escape(byte: u8) -> bool {
    !byte.is_ascii_graphic()
        || matches!(
            byte,
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | b'\'' | b'*' | b'$'
        )
}
