//! The URLs that a style sheet names: `url(…)`, `@import`, `image-set("…")`.
//!
//! A tokenizer by the CSS Syntax standard, reduced to what decides where a URL begins and ends: comments, strings,
//! escapes, functions and at-rules. One pass, in time proportional to the text; anything is a style sheet.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

/// How a URL is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `url(…)`, with or without quotes.
    Function,
    /// A string, after `@import` or in `image-set()`.
    String,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Found<'t> {
    /// All of it: with `url(` and `)`, or with its quotes.
    pub range: Range<usize>,
    pub form: Form,
    /// The URL itself, without escapes.
    pub url: Cow<'t, str>,
}

/// Deeper nested parentheses are not told apart.
const DEEPEST: usize = 256;

/// What a string at the current place means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AtRule {
    None,
    /// `@import`: its first string is a URL.
    Import,
    /// `@namespace` and `@charset`: they name URLs and strings that nobody requests.
    Names,
}

pub fn find_urls<'t>(text: &'t str, found: impl FnMut(Found<'t>)) {
    Scanner {
        text,
        bytes: text.as_bytes(),
        position: 0,
        rule: AtRule::None,
        open: Vec::new(),
        found,
    }
    .run();
}

struct Scanner<'t, F> {
    text: &'t str,
    bytes: &'t [u8],
    position: usize,
    rule: AtRule,
    /// For each open parenthesis, whether it is that of an `image-set`.
    open: Vec<bool>,
    found: F,
}

impl<'t, F: FnMut(Found<'t>)> Scanner<'t, F> {
    fn run(mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'/' if self.bytes[self.position..].starts_with(b"/*") => self.skip_comment(),
                b'"' | b'\'' => self.string(byte),
                b'@' => self.at_rule(),
                b'(' => self.enter(false),
                b')' => {
                    self.open.pop();
                    self.position += 1;
                }
                b';' | b'{' | b'}' => {
                    self.rule = AtRule::None;
                    self.open.clear();
                    self.position += 1;
                }
                _ if is_name(byte) || self.is_escape(self.position) => self.word(),
                _ => self.position += 1,
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn enter(&mut self, is_image_set: bool) {
        if self.open.len() < DEEPEST {
            self.open.push(is_image_set);
        }
        self.position += 1;
    }

    fn skip_comment(&mut self) {
        let rest = &self.bytes[self.position + 2..];
        let length = memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
        self.position += 2 + length;
    }

    fn string(&mut self, quote: u8) {
        let start = self.position;
        let (inside, is_closed) = self.string_inside(quote);
        let is_url = self.rule == AtRule::Import || self.open.last() == Some(&true);
        if is_url && is_closed && self.rule != AtRule::Names {
            (self.found)(Found {
                range: start..self.position,
                form: Form::String,
                url: unescape(&self.text[inside]),
            });
        }
        if self.rule == AtRule::Import {
            self.rule = AtRule::Names;
        }
    }

    /// Reads a string to its end. A string that a line end cuts off is no string.
    fn string_inside(&mut self, quote: u8) -> (Range<usize>, bool) {
        let start = self.position + 1;
        let mut at = start;
        while let Some(byte) = self.bytes.get(at).copied() {
            match byte {
                b'\\' => at += 2,
                b'\n' | b'\r' | 0x0C => {
                    self.position = at;
                    return (start..at, false);
                }
                _ if byte == quote => {
                    self.position = at + 1;
                    return (start..at, true);
                }
                _ => at += 1,
            }
        }
        self.position = self.bytes.len();
        (start..self.position, false)
    }

    fn at_rule(&mut self) {
        self.position += 1;
        let name = self.name();
        self.rule = match () {
            () if name.eq_ignore_ascii_case("import") => AtRule::Import,
            () if ["namespace", "charset", "document", "-moz-document"]
                .iter()
                .any(|other| name.eq_ignore_ascii_case(other)) =>
            {
                AtRule::Names
            }
            () => AtRule::None,
        };
    }

    fn word(&mut self) {
        let start = self.position;
        let name = self.name();
        if self.peek() != Some(b'(') {
            return;
        }
        if name.eq_ignore_ascii_case("url") || name.eq_ignore_ascii_case("src") {
            self.url_function(start);
        } else {
            let is_set = name.eq_ignore_ascii_case("image-set")
                || name.eq_ignore_ascii_case("-webkit-image-set");
            self.enter(is_set);
        }
    }

    /// A name without its escapes; empty if none begins here. Always advances over what it has read.
    fn name(&mut self) -> Cow<'t, str> {
        let start = self.position;
        loop {
            match self.peek() {
                Some(byte) if is_name(byte) => self.position += 1,
                Some(b'\\') if self.is_escape(self.position) => {
                    self.position = after_escape(self.bytes, self.position);
                }
                _ => break,
            }
        }
        unescape(&self.text[start..self.position])
    }

    fn is_escape(&self, position: usize) -> bool {
        self.bytes[position] == b'\\'
            && self
                .bytes
                .get(position + 1)
                .is_some_and(|next| !matches!(next, b'\n' | b'\r' | 0x0C))
    }

    /// The text from `url(` on; `start` is where its name begins.
    fn url_function(&mut self, start: usize) {
        self.position += 1;
        self.skip_spaces();
        let inside = match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                let (inside, is_closed) = self.string_inside(quote);
                self.skip_to_parenthesis();
                is_closed.then_some(inside)
            }
            _ => self.bare_url(),
        };
        if let Some(inside) = inside
            && self.rule != AtRule::Names
        {
            (self.found)(Found {
                range: start..self.position,
                form: Form::Function,
                url: unescape(&self.text[inside]),
            });
        }
        if self.rule == AtRule::Import {
            self.rule = AtRule::Names;
        }
    }

    /// A URL without quotes. One with quotes, spaces or parentheses inside is none.
    fn bare_url(&mut self) -> Option<Range<usize>> {
        let start = self.position;
        let mut end = start;
        let mut is_bad = false;
        loop {
            match self.peek() {
                None | Some(b')') => break,
                Some(b'\\') => self.position = after_escape(self.bytes, self.position),
                Some(byte) if is_space(byte) => {
                    self.position += 1;
                    continue;
                }
                Some(byte) => {
                    is_bad |= matches!(byte, b'"' | b'\'' | b'(') || end < self.position;
                    self.position += 1;
                }
            }
            end = self.position;
        }
        self.position = (self.position + 1).min(self.bytes.len());
        (!is_bad && end > start).then_some(start..end)
    }

    fn skip_spaces(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.position += 1;
        }
    }

    /// After the string of a `url()`, modifiers may follow.
    fn skip_to_parenthesis(&mut self) {
        let rest = &self.bytes[self.position..];
        self.position += memchr::memchr(b')', rest).map_or(rest.len(), |end| end + 1);
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || byte >= 0x80
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

/// The position after the escape that begins at `position`: up to six hexadecimal digits and a space, or one character.
fn after_escape(bytes: &[u8], position: usize) -> usize {
    let mut at = position + 1;
    let digits = bytes[at.min(bytes.len())..]
        .iter()
        .take(6)
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    at += digits;
    if digits > 0 {
        at += usize::from(bytes.get(at).copied().is_some_and(is_space));
        return at;
    }
    // One character, which may take several bytes.
    at += 1;
    while bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80) {
        at += 1;
    }
    at.min(bytes.len())
}

/// A name, string or URL without its escapes.
fn unescape(raw: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw.as_bytes()) else {
        return Cow::Borrowed(raw);
    };
    let mut value = String::with_capacity(raw.len());
    let (mut from, mut at) = (0, first);
    loop {
        value.push_str(&raw[from..at]);
        let end = after_escape(raw.as_bytes(), at);
        push_escaped(&mut value, &raw[at + 1..end]);
        from = end;
        match memchr::memchr(b'\\', &raw.as_bytes()[from..]) {
            Some(offset) => at = from + offset,
            None => break,
        }
    }
    value.push_str(&raw[from..]);
    Cow::Owned(value)
}

fn push_escaped(value: &mut String, escaped: &str) {
    let digits = escaped.trim_end_matches(|last: char| last.is_ascii_whitespace());
    if digits.starts_with(|first: char| first.is_ascii_hexdigit()) {
        let code = u32::from_str_radix(digits, 16).unwrap_or(0);
        let character = char::from_u32(code).filter(|character| *character != '\0');
        value.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    } else if !matches!(escaped, "\n" | "\r" | "\x0C") {
        value.push_str(escaped);
    }
}
