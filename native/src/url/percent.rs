//! Normalises percent-encoding (RFC 3986 §6.2.2).

use std::borrow::Cow;

use memchr::{memchr, memchr3};

/// Puts hex digits in upper case and decodes unreserved octets. Idempotent, also on malformed input: an octet stays
/// encoded if decoding it would turn a stray `%` into an escape (`%%34%31`).
pub(crate) fn normalise(text: &str) -> Cow<'_, str> {
    match text.find('%') {
        None => Cow::Borrowed(text),
        Some(first) => Cow::Owned(rewrite(text, first)),
    }
}

/// Escapes characters that a query may contain raw or escaped, in a text that is already [`normalise`]d.
pub(crate) fn escape_brackets(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_meant = |octet: u8| matches!(octet, b'[' | b']' | b'{' | b'}' | b'|' | b'^' | b'`');
    if memchr3(b'[', b']', b'{', text.as_bytes()).is_none()
        && memchr3(b'}', b'|', b'^', text.as_bytes()).is_none()
        && memchr(b'`', text.as_bytes()).is_none()
    {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 32);
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(octet) if is_meant(octet) => push_escape(&mut out, octet),
            _ => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// Decodes the escape at the start of `bytes`, if there is one.
pub(crate) fn escaped_octet(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [b'%', high, low, ..] => Some(hex_value(*high)? << 4 | hex_value(*low)?),
        _ => None,
    }
}

/// Decodes every escape; other text is unchanged.
pub(crate) fn decode(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        match escaped_octet(rest) {
            Some(octet) => {
                out.push(octet);
                rest = &rest[3..];
            }
            None => {
                out.push(*first);
                rest = others;
            }
        }
    }
    out
}

pub(crate) fn push_escape(out: &mut String, octet: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(octet >> 4)]));
    out.push(char::from(DIGITS[usize::from(octet & 15)]));
}

fn rewrite(text: &str, first: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut next = Some(first);
    let mut stray = None;
    while let Some(position) = next {
        out.push_str(&rest[..position]);
        rest = &rest[position..];
        let consumed = match escaped_octet(rest.as_bytes()) {
            Some(octet) => {
                push_octet(&mut out, octet, stray);
                3
            }
            None => {
                stray = Some(out.len());
                out.push('%');
                1
            }
        };
        rest = &rest[consumed..];
        next = rest.find('%');
    }
    out.push_str(rest);
    out
}

fn push_octet(out: &mut String, octet: u8, stray: Option<usize>) {
    if is_unreserved(octet) && !completes_escape(out, octet, stray) {
        out.push(char::from(octet));
    } else {
        push_escape(out, octet);
    }
}

fn completes_escape(out: &str, octet: u8, stray: Option<usize>) -> bool {
    let Some(stray) = stray else { return false };
    octet.is_ascii_hexdigit()
        && match &out.as_bytes()[stray + 1..] {
            [] => true,
            [digit] => digit.is_ascii_hexdigit(),
            _ => false,
        }
}

fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}
