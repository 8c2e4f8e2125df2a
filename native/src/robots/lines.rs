//! The lines of a robots.txt as they are met in the wild: with a byte order mark, any line ends,
//! missing colons, misspelt names.

use std::borrow::Cow;

use encoding_rs::{UTF_16BE, UTF_16LE};

use super::MAX_BODY;

/// Eight times the longest URL that browsers took; the rest of a longer line is ignored.
const MAX_LINE: usize = 8 * 2083 - 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

#[derive(Debug)]
pub(super) struct Line<'a> {
    pub number: usize,
    pub field: Field,
    pub value: &'a [u8],
    /// The line as written, without comment and outer space.
    pub text: &'a [u8],
}

/// The body as bytes in which ASCII stands for itself: UTF-16 becomes UTF-8 where a byte order mark says that it is UTF-16.
pub(super) fn decoded(body: &[u8]) -> Cow<'_, [u8]> {
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

/// The lines that say something.
pub(super) fn of(body: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let body = without_mark(within_cap(body));
    Split { rest: Some(body) }
        .enumerate()
        .filter_map(|(index, line)| read(index + 1, line))
}

/// `*`, alone or before something that is no part of a token.
pub(super) fn is_everyone(value: &[u8]) -> bool {
    matches!(value, [b'*'] | [b'*', b' ' | b'\t', ..])
}

/// Tokens are compared without case; what follows the token (a version, a comment) is ignored. By the grammar of RFC
/// 9309 a token has letters, `-` and `_` only, and so `AB42` names the agent `AB`. But 3 % of real files name agents with
/// digits (`MJ12bot`): an agent with digits in its own token is named by that token, written out. An agent with
/// anything else in it has no group.
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

/// A rule cut in two forbids what nobody forbade; so the last line goes where the cap was reached.
fn within_cap(body: &[u8]) -> &[u8] {
    if body.len() < MAX_BODY {
        return body;
    }
    let body = &body[..MAX_BODY];
    let end = memchr::memrchr2(b'\n', b'\r', body);
    &body[..end.unwrap_or(0)]
}

/// A torn mark is skipped as far as it goes.
fn without_mark(body: &[u8]) -> &[u8] {
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

fn read(number: usize, line: &[u8]) -> Option<Line<'_>> {
    let line = &line[..line.len().min(MAX_LINE)];
    let text = until(line, |byte| byte == b'#').trim_ascii();
    let (name, value) = split_name(text)?;
    let field = field(name)?;
    Some(Line {
        number,
        field,
        value: trim_blank(value),
        text,
    })
}

/// Characters that look like a space, or like nothing, and are pasted from word processors and web pages.
const BLANKS: [&str; 3] = ["\u{A0}", "\u{200B}", "\u{FEFF}"];

/// Without outer space of ASCII and [`BLANKS`]. A no-break space of Latin-1 is one byte that begins no UTF-8 character.
fn trim_blank(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii();
    while let Some(rest) = without_blank(text) {
        text = rest.trim_ascii();
    }
    text
}

fn without_blank(text: &[u8]) -> Option<&[u8]> {
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

/// At the colon; where there is none, at the space between exactly two words.
fn split_name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(colon) = memchr::memchr(b':', text) {
        return Some((text[..colon].trim_ascii(), &text[colon + 1..]));
    }
    let name = until(text, |byte| byte.is_ascii_whitespace());
    let value = text[name.len()..].trim_ascii();
    let single = !value.is_empty() && !value.iter().any(u8::is_ascii_whitespace);
    single.then_some((name, value))
}

const SPELLINGS: [(&str, Field); 13] = [
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
];

fn field(name: &[u8]) -> Option<Field> {
    let spelt = |spelling: &str| {
        name.get(..spelling.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(spelling.as_bytes()))
    };
    SPELLINGS
        .iter()
        .find(|(spelling, _)| spelt(spelling))
        .map(|(_, field)| *field)
}
