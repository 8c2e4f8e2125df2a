//! Path patterns: `*` for any octets, `$` for the end (RFC 9309 §2.2.2, §2.2.3).

use std::borrow::Cow;

use memchr::memmem;

use crate::url::percent::{normalise, push_escape};

/// A pattern as the literal pieces between its stars.
///
/// Matching takes each piece at its leftmost place: where any place works, the leftmost does, since
/// it leaves most to the pieces behind it. So nothing is ever tried twice, and the time is linear
/// in pattern and path, whatever the number of stars.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pattern {
    /// What the path must begin with.
    start: String,
    /// What must follow, in this order, anywhere; none is empty.
    middle: Vec<String>,
    ending: Ending,
    octets: usize,
}

/// What may follow the last of the middle pieces.
#[derive(Debug, Clone, PartialEq)]
enum Ending {
    Anything,
    Nothing,
    /// Anything that ends so.
    With(String),
}

impl Pattern {
    pub(super) fn parse(value: &[u8]) -> Self {
        let (value, anchored) = match value {
            [value @ .., b'$'] => (value, true),
            _ => (value, false),
        };
        let mut pieces = value.split(|byte| *byte == b'*').map(comparable_piece);
        let start = pieces.next().unwrap_or_default();
        let mut middle: Vec<String> = pieces.collect();
        let literal = start.len() + middle.iter().map(String::len).sum::<usize>();
        let octets = literal + middle.len() + usize::from(anchored);
        let ending = match (anchored, middle.is_empty()) {
            (false, _) => Ending::Anything,
            (true, true) => Ending::Nothing,
            (true, false) => Ending::With(middle.pop().unwrap_or_default()),
        };
        middle.retain(|piece| !piece.is_empty());
        Pattern {
            start,
            middle,
            ending,
            octets,
        }
    }

    /// How specific it is: the octets of the pattern in its comparable form.
    pub(super) fn octets(&self) -> usize {
        self.octets
    }

    /// `path` as [`comparable_path`] made it.
    pub(super) fn matches(&self, path: &str) -> bool {
        let Some(mut rest) = path.as_bytes().strip_prefix(self.start.as_bytes()) else {
            return false;
        };
        for piece in &self.middle {
            match memmem::find(rest, piece.as_bytes()) {
                Some(position) => rest = &rest[position + piece.len()..],
                None => return false,
            }
        }
        match &self.ending {
            Ending::Anything => true,
            Ending::Nothing => rest.is_empty(),
            Ending::With(end) => rest.ends_with(end.as_bytes()),
        }
    }
}

/// A path in the form that patterns are compared with. A literal `*` or `$` is escaped, as a
/// pattern must write it to mean it.
pub(super) fn comparable_path(path: &str) -> Cow<'_, str> {
    escaped(path.as_bytes())
}

fn comparable_piece(piece: &[u8]) -> String {
    escaped(piece).into_owned()
}

/// Octets that a URL does not hold as they are become escapes, then escapes are made uniform: it
/// does not matter how much of it the author of the rule had encoded.
fn escaped(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !bytes.iter().any(|byte| needs_escape(*byte)) => normalise(text),
        _ => Cow::Owned(normalise(&with_escapes(bytes)).into_owned()),
    }
}

fn with_escapes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 16);
    for byte in bytes {
        if needs_escape(*byte) {
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
