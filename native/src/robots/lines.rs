//! Splits a robots.txt into lines and fields. Tolerates a byte order mark, any line ending, missing colons and misspelt
//! names, all of which are common.

use std::borrow::Cow;

use encoding_rs::{UTF_16BE, UTF_16LE};

use super::MAX_BODY;

/// Bytes of a line that are read, as in Google's parser: eight times the longest URL that browsers once allowed.
const MAX_LINE: usize = 8 * 2083 - 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
    ContentSignal,
    ContentUsage,
    License,
}

#[derive(Debug)]
pub(super) struct Line<'a> {
    pub number: usize,
    pub field: Field,
    pub value: &'a [u8],
    /// The line without its comment and surrounding space.
    pub text: &'a [u8],
}

/// Converts UTF-16 to UTF-8 if the body has a byte order mark of UTF-16; returns any other body unchanged.
pub(super) fn to_utf8(body: &[u8]) -> Cow<'_, [u8]> {
    let encoding = match body {
        [0xFF, 0xFE, ..] => UTF_16LE,
        [0xFE, 0xFF, ..] => UTF_16BE,
        _ => return Cow::Borrowed(body),
    };
    let is_cut = body.len() >= MAX_BODY;
    let units = &body[2..body.len().min(MAX_BODY)];
    let mut text = encoding.decode_without_bom_handling(units).0.into_owned();
    if is_cut {
        text.truncate(text.rfind(['\n', '\r']).unwrap_or(0));
    }
    Cow::Owned(text.into_bytes())
}

/// Lines with a known field.
pub(super) fn parse(body: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let body = skip_mark(cut_at_cap(body));
    Split { rest: Some(body) }
        .enumerate()
        .filter_map(|(index, line)| parse_line(index + 1, line))
}

/// `*`, alone or followed by white space.
pub(super) fn is_everyone(value: &[u8]) -> bool {
    matches!(value, [b'*'] | [b'*', b' ' | b'\t', ..])
}

/// Compares tokens ignoring case, and ignores what follows the token, such as a version. In the grammar of RFC 9309 a
/// token consists of letters, `-` and `_`, so `AB42` names the agent `AB`. But 3 % of real files name agents with digits
/// (`MJ12bot`): if our token has digits, only the complete token matches. A token with any other character never matches.
pub(super) fn is_agent(value: &[u8], agent: &str) -> bool {
    let in_grammar = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    let has_digits = agent.bytes().any(|byte| byte.is_ascii_digit());
    let in_token = |byte: u8| in_grammar(byte) || has_digits && byte.is_ascii_digit();
    let token = until(value, |byte| !in_token(byte));
    !token.is_empty() && token.eq_ignore_ascii_case(agent.as_bytes())
}

fn until(value: &[u8], ends: impl Fn(u8) -> bool) -> &[u8] {
    let end = value.iter().position(|byte| ends(*byte));
    &value[..end.unwrap_or(value.len())]
}

/// Drops the last line if the cap was reached: half a rule could forbid more than the whole.
fn cut_at_cap(body: &[u8]) -> &[u8] {
    if body.len() < MAX_BODY {
        return body;
    }
    let body = &body[..MAX_BODY];
    let end = memchr::memrchr2(b'\n', b'\r', body);
    &body[..end.unwrap_or(0)]
}

/// Skips a byte order mark, or as much of it as is there.
fn skip_mark(body: &[u8]) -> &[u8] {
    let mark = [0xEF, 0xBB, 0xBF];
    let length = body
        .iter()
        .zip(mark)
        .take_while(|(byte, expected)| *byte == expected)
        .count();
    &body[length..]
}

struct Split<'a> {
    rest: Option<&'a [u8]>,
}

impl<'a> Iterator for Split<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        let Some(end) = memchr::memchr2(b'\n', b'\r', rest) else {
            self.rest = None;
            return Some(rest);
        };
        let width = if rest[end..].starts_with(b"\r\n") {
            2
        } else {
            1
        };
        self.rest = Some(&rest[end + width..]);
        Some(&rest[..end])
    }
}

fn parse_line(number: usize, line: &[u8]) -> Option<Line<'_>> {
    let line = &line[..line.len().min(MAX_LINE)];
    let text = until(line, |byte| byte == b'#').trim_ascii();
    let (name, value) = split_name(text)?;
    let field = field_named(name)?;
    Some(Line {
        number,
        field,
        value: trim_blank(value),
        text,
    })
}

/// Blank characters outside ASCII that are pasted from word processors and web pages.
const BLANKS: [&str; 3] = ["\u{A0}", "\u{200B}", "\u{FEFF}"];

/// Trims ASCII white space and [`BLANKS`]. A Latin-1 no-break space is a single byte that starts no UTF-8 character.
fn trim_blank(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii();
    while let Some(rest) = strip_blank(text) {
        text = rest.trim_ascii();
    }
    text
}

fn strip_blank(text: &[u8]) -> Option<&[u8]> {
    let latin = text.strip_prefix(b"\xA0");
    let blanks = BLANKS.iter().map(|blank| blank.as_bytes());
    latin.or_else(|| {
        blanks
            .filter_map(|blank| {
                text.strip_prefix(blank)
                    .or_else(|| text.strip_suffix(blank))
            })
            .next()
    })
}

/// Splits at the colon, or, without one, between exactly two words.
fn split_name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(colon) = memchr::memchr(b':', text) {
        return Some((text[..colon].trim_ascii(), &text[colon + 1..]));
    }
    let name = until(text, |byte| byte.is_ascii_whitespace());
    let value = text[name.len()..].trim_ascii();
    let single = !value.is_empty() && !value.iter().any(u8::is_ascii_whitespace);
    single.then_some((name, value))
}

const SPELLINGS: [(&str, Field); 17] = [
    ("user-agent", Field::UserAgent),
    ("useragent", Field::UserAgent),
    ("user agent", Field::UserAgent),
    ("allow", Field::Allow),
    ("disallow", Field::Disallow),
    ("dissallow", Field::Disallow),
    ("dissalow", Field::Disallow),
    ("disalow", Field::Disallow),
    ("diasllow", Field::Disallow),
    ("disallaw", Field::Disallow),
    ("crawl-delay", Field::CrawlDelay),
    ("sitemap", Field::Sitemap),
    ("site-map", Field::Sitemap),
    ("content-signal", Field::ContentSignal),
    ("content-usage", Field::ContentUsage),
    ("license", Field::License),
    ("licence", Field::License),
];

fn field_named(name: &[u8]) -> Option<Field> {
    let spelt = |spelling: &str| {
        name.get(..spelling.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(spelling.as_bytes()))
    };
    SPELLINGS
        .iter()
        .find(|(spelling, _)| spelt(spelling))
        .map(|(_, field)| *field)
}
