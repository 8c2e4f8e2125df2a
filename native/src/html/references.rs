//! Character references: `&amp;`, `&#65;`, `&#x41;`, and the old names that need no semicolon.

use std::borrow::Cow;

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};
use memchr::memchr2;

/// Where a reference occurs. In an attribute, `&copy=1` is not a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Text,
    Attribute,
}

/// Length of the longest name, including its semicolon.
const LONGEST_NAME: usize = 32;
/// Length of the longest name that needs no semicolon.
const LONGEST_BARE_NAME: usize = 6;

/// The one or two characters that a reference stands for.
pub struct Decoded {
    pub first: char,
    pub second: Option<char>,
    /// Bytes of the reference, from `&` on.
    pub length: usize,
}

/// Decodes the value of an attribute as browsers do.
pub fn attribute_value(raw: &str) -> Cow<'_, str> {
    let Some(mut special) = memchr2(b'&', 0, raw.as_bytes()) else {
        return Cow::Borrowed(raw);
    };
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw;
    loop {
        value.push_str(&rest[..special]);
        rest = &rest[special..];
        let length = push_special(&mut value, rest);
        rest = &rest[length..];
        match memchr2(b'&', 0, rest.as_bytes()) {
            Some(next) => special = next,
            None => break,
        }
    }
    value.push_str(rest);
    Cow::Owned(value)
}

fn push_special(value: &mut String, rest: &str) -> usize {
    if rest.as_bytes()[0] == 0 {
        value.push(char::REPLACEMENT_CHARACTER);
        return 1;
    }
    match at_start(rest, Place::Attribute) {
        Some(decoded) => {
            value.push(decoded.first);
            value.extend(decoded.second);
            decoded.length
        }
        None => {
            value.push('&');
            1
        }
    }
}

/// Decodes the reference at the start of `text`, which begins with `&`; `None` if it is only an ampersand.
pub fn at_start(text: &str, place: Place) -> Option<Decoded> {
    let bytes = text.as_bytes();
    match bytes.get(1)? {
        b'#' => numeric(bytes),
        letter if letter.is_ascii_alphabetic() => named(text, place),
        _ => None,
    }
}

fn numeric(bytes: &[u8]) -> Option<Decoded> {
    let (radix, start) = match bytes.get(2)? {
        b'x' | b'X' => (16, 3),
        _ => (10, 2),
    };
    let mut value = 0u32;
    let mut end = start;
    while let Some(digit) = bytes
        .get(end)
        .and_then(|byte| (*byte as char).to_digit(radix))
    {
        value = value.saturating_mul(radix).saturating_add(digit);
        end += 1;
    }
    if end == start {
        return None;
    }
    let semicolon = usize::from(bytes.get(end) == Some(&b';'));
    Some(Decoded {
        first: character(value),
        second: None,
        length: end + semicolon,
    })
}

fn character(value: u32) -> char {
    match value {
        0 => char::REPLACEMENT_CHARACTER,
        0x80..=0x9F => C1_REPLACEMENTS[(value - 0x80) as usize]
            .or(char::from_u32(value))
            .unwrap_or(char::REPLACEMENT_CHARACTER),
        _ => char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

/// Finds the longest name of the table at the start of the text. A name with its semicolon is always longer than one
/// without, and at most one of them can match.
fn named(text: &str, place: Place) -> Option<Decoded> {
    let bytes = &text.as_bytes()[1..];
    let window = &bytes[..bytes.len().min(LONGEST_NAME)];
    let run = window
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric())
        .unwrap_or(window.len());
    if window.get(run) == Some(&b';')
        && let Some(decoded) = looked_up(&text[1..run + 2])
    {
        return Some(decoded);
    }
    bare(text, run, place)
}

fn bare(text: &str, run: usize, place: Place) -> Option<Decoded> {
    let longest = run.min(LONGEST_BARE_NAME);
    let decoded = (2..=longest)
        .rev()
        .find_map(|length| looked_up(&text[1..=length]))?;
    let next = text.as_bytes().get(decoded.length);
    let is_parameter = next.is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric());
    (place == Place::Text || !is_parameter).then_some(decoded)
}

/// The table also contains every prefix of a name, without a value.
fn looked_up(name: &str) -> Option<Decoded> {
    let (first, second) = *NAMED_ENTITIES.get(name)?;
    Some(Decoded {
        first: char::from_u32(first).filter(|character| *character != '\0')?,
        second: char::from_u32(second).filter(|character| *character != '\0'),
        length: name.len() + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(input: &str) -> Option<(char, Option<char>, usize)> {
        at_start(input, Place::Text).map(|decoded| (decoded.first, decoded.second, decoded.length))
    }

    #[test]
    fn every_name_of_the_table_is_decoded_as_a_whole() {
        for (name, (first, second)) in NAMED_ENTITIES.entries().filter(|(_, value)| value.0 != 0) {
            let expected = (
                char::from_u32(*first).unwrap(),
                char::from_u32(*second).filter(|character| *character != '\0'),
                name.len() + 1,
            );
            assert_eq!(text(&format!("&{name}")), Some(expected), "{name}");
            assert!(name.len() <= LONGEST_NAME);
            assert!(name.ends_with(';') || name.len() <= LONGEST_BARE_NAME);
        }
    }

    #[test]
    fn the_longest_name_wins() {
        assert_eq!(text("&notit;"), Some(('¬', None, 4)));
        assert_eq!(text("&notin;"), Some(('∉', None, 7)));
        assert_eq!(text("&ampx"), Some(('&', None, 4)));
    }

    #[test]
    fn numbers_are_bent_as_in_browsers() {
        assert_eq!(text("&#0;"), Some(('\u{fffd}', None, 4)));
        assert_eq!(text("&#x80;"), Some(('€', None, 6)));
        assert_eq!(text("&#xD800"), Some(('\u{fffd}', None, 7)));
        assert_eq!(text("&#99999999999999;"), Some(('\u{fffd}', None, 17)));
        assert_eq!(text("&#65"), Some(('A', None, 4)));
        assert_eq!(text("&#x;"), None);
    }

    #[test]
    fn a_query_parameter_is_no_reference() {
        assert_eq!(
            attribute_value("?a=1&copy=2&amp;b=3&lt"),
            "?a=1&copy=2&b=3<"
        );
        assert_eq!(attribute_value("&&#38;\0&nosuch;"), "&&\u{fffd}&nosuch;");
        assert!(matches!(attribute_value("/plain"), Cow::Borrowed(_)));
    }
}
