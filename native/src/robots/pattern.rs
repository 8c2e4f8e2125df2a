//! Path patterns: `*` for any octets, `$` for the end (RFC 9309 §2.2.2, §2.2.3).

use std::borrow::Cow;

use memchr::memmem;

use crate::url::percent::{normalise, push_escape};

/// Writes a pattern in the form that paths are compared with to the end of `out`, and says what it is.
///
/// In that form a star is a wildcard, as every literal one is escaped; several in a row are written as one. All patterns
/// of a file share one text: a file of half a megabyte may hold a hundred thousand pieces, and a string for
/// each would take many times the memory of the file.
pub(super) fn write(value: &[u8], out: &mut String) -> Shape {
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

/// Escapes what needs it, but for stars, and writes several stars as one. Returns the length, every star counted.
/// Straight into `out`: this is the loop that a hostile file keeps busy.
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

/// What the text of a pattern does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// The path ends where the pattern does.
    pub anchored: bool,
    /// How specific it is: the octets of the pattern in its comparable form, every star counted.
    pub octets: u32,
}

/// Whether a path, as [`comparable_path`] made it, matches a pattern, as [`write`] wrote it.
///
/// Takes each piece between two stars at its leftmost place: where any place works, the leftmost does, since
/// it leaves most to the pieces behind it. So nothing is ever tried twice, and the time is linear
/// in pattern and path, whatever the number of stars.
pub(super) fn matches(pattern: &[u8], anchored: bool, path: &str) -> bool {
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

/// What comes before the first star, and what comes after it.
fn first_piece(pattern: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'*', pattern) {
        Some(star) => (&pattern[..star], Some(&pattern[star + 1..])),
        None => (pattern, None),
    }
}

/// A path in the form that patterns are compared with. A literal `*` or `$` is escaped, as a
/// pattern must write it to mean it.
pub(super) fn comparable_path(path: &str) -> Cow<'_, str> {
    escaped(path.as_bytes())
}

/// Octets that a URL does not hold as they are become escapes, then escapes are made uniform: it
/// does not matter how much of it the author of the rule had encoded.
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
