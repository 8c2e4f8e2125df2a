//! Finds the dates and counters of a page in a block of text.
//!
//! A date in the text is part of the text: when an event takes place is news. A date belongs to the page if
//!
//! - its block has nothing else, apart from counters and words such as `updated`,
//! - such a word stands right before or after it, or it follows `©`,
//! - its block is a short line of facts: it names the author, or its parts are separated by `·` or `|`,
//! - or it is relative to the visit: `3 hours ago`.
//!
//! A counter is a number beside a word such as `views` or `comments`; with words such as `shares`, which are also part
//! of texts, only in a short block.

use super::tokens::{Kind, Token, tokens_of};
use super::vocabulary::Class;
use crate::sixteen::{SIXTEEN, Sixteen};

/// Bytes of a short block.
const SHORT: usize = 160;
/// Bytes of a short block without any digit that is examined: `Updated yesterday`, `No comments`.
const SHORTEST: usize = 40;
/// Bytes around a digit that are examined in a longer one.
const AROUND: usize = 48;
/// Words between a label and its date.
const LABEL_DISTANCE: usize = 3;
/// Bytes between two tokens of one date or counter.
const GAP: usize = 4;

type Spans = Vec<(usize, usize)>;

/// Adds the spans of what passes, in order and without overlaps.
/// `tokens` is reused.
pub fn find(text: &str, tokens: &mut Vec<Token>, spans: &mut Spans) {
    let mut windows = windows_of(text);
    let has_digit = windows.digit_from(0).is_some();
    let is_examined =
        has_digit || text.len() <= SHORTEST || (text.len() <= SHORT && !text.is_ascii());
    if !is_examined {
        return;
    }
    if text.len() <= SHORT {
        tokens_of(text, 0, text.len(), tokens);
        return Search::new(text, tokens, true).run(spans);
    }
    while let Some((from, to)) = windows.next_window() {
        tokens_of(text, from, to, tokens);
        Search::new(text, tokens, false).run(spans);
    }
}

/// Whether a currency stands beside a number.
pub fn has_price(text: &str) -> bool {
    let is_digit = |character: Option<char>| character.is_some_and(|c| c.is_ascii_digit());
    let mut places = text.match_indices(is_currency);
    places.any(|(at, symbol)| {
        let before = text[..at].trim_end().chars().next_back();
        let after = text[at + symbol.len()..].trim_start().chars().next();
        is_digit(before) || is_digit(after)
    }) || has_currency_code(text)
}

fn is_currency(character: char) -> bool {
    matches!(
        character,
        '$' | '£' | '¥' | '€' | '\u{20A0}'..='\u{20CF}' | '元' | '円' | '￥' | '원'
    )
}

fn has_currency_code(text: &str) -> bool {
    const CODES: [&str; 12] = [
        "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "RUB", "PLN", "SEK", "Kč", "руб", "zł",
    ];
    text.len() <= SHORT
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && CODES.iter().any(|code| text.contains(code))
}

/// The surroundings of all digits of a long text; those that overlap are one.
struct Windows<'t> {
    text: &'t str,
    at: usize,
}

fn windows_of(text: &str) -> Windows<'_> {
    Windows { text, at: 0 }
}

impl Windows<'_> {
    fn next_window(&mut self) -> Option<(usize, usize)> {
        let least = self.at;
        let mut last = self.digit_from(self.at)?;
        let from = self.text.floor_char_boundary(last.saturating_sub(AROUND));
        let from = from.max(least);
        while let Some(next) = self.digit_from(last + 1)
            && next <= last + 2 * AROUND
        {
            last = next;
        }
        let to = self
            .text
            .ceil_char_boundary((last + AROUND).min(self.text.len()));
        self.at = to;
        Some((from, to))
    }

    /// The position of the first ASCII digit at or after `from`.
    fn digit_from(&self, from: usize) -> Option<usize> {
        let bytes = self.text.as_bytes().get(from..)?;
        let (chunks, rest) = bytes.as_chunks::<SIXTEEN>();
        for (index, chunk) in chunks.iter().enumerate() {
            let digits = Sixteen::of(chunk).within(b'0', b'9');
            if digits != 0 {
                return Some(from + index * SIXTEEN + digits.trailing_zeros() as usize);
            }
        }
        let found = rest.iter().position(u8::is_ascii_digit);
        found.map(|at| from + chunks.len() * SIXTEEN + at)
    }
}

/// What was found at a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Date,
    Time,
    /// Always passes.
    Passing,
}

struct Search<'t> {
    text: &'t str,
    tokens: &'t [Token],
    is_short: bool,
}

impl<'t> Search<'t> {
    fn new(text: &'t str, tokens: &'t [Token], is_short: bool) -> Self {
        Search {
            text,
            tokens,
            is_short,
        }
    }

    fn run(&self, spans: &mut Spans) {
        let mut found: Vec<(Found, usize, usize)> = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            match self.passing_at(at) {
                Some((kind, end)) => {
                    found.push((kind, at, end));
                    at = end;
                }
                None => at += 1,
            }
        }
        let is_line = self.is_short && self.is_line_of_facts(&found);
        for (index, (kind, from, to)) in found.iter().copied().enumerate() {
            let before = index.checked_sub(1).map(|before| found[before].2);
            let passes = match kind {
                Found::Passing => true,
                _ if is_line || self.has_label(from, to) => true,
                // The time after a date of the page.
                Found::Time => {
                    before.is_some_and(|end| self.is_joined(end, from) && self.is_added(end, spans))
                }
                Found::Date => false,
            };
            if passes {
                spans.push((self.tokens[from].start, self.tokens[to - 1].end));
            }
        }
    }

    /// Whether nothing stands between what ended before token `end` and what begins at `from`, or only a word like `at`.
    fn is_joined(&self, end: usize, from: usize) -> bool {
        end == from || (end + 1 == from && self.is(end, Class::Filler))
    }

    /// Whether what ended before token `end` passes.
    fn is_added(&self, end: usize, spans: &Spans) -> bool {
        spans.last().map(|span| span.1) == Some(self.tokens[end - 1].end)
    }

    /// What begins at this token, and the token after it.
    fn passing_at(&self, at: usize) -> Option<(Found, usize)> {
        let passing = |end| (Found::Passing, end);
        self.relative_at(at)
            .map(passing)
            .or_else(|| self.counter_at(at).map(passing))
            .or_else(|| self.copyright_at(at).map(passing))
            .or_else(|| self.date_at(at).map(|end| (Found::Date, end)))
            .or_else(|| self.time_at(at).map(|end| (Found::Time, end)))
    }

    /// `3 hours ago`, `vor 3 Stunden`, `il y a 3 heures`, `3小时前`.
    fn relative_at(&self, at: usize) -> Option<usize> {
        let is_amount = |at| self.is_number(at) || self.is(at, Class::Zero);
        if is_amount(at) && self.near(at) && self.is(at + 1, Class::UnitAgo) {
            return Some(at + 2);
        }
        if is_amount(at) && self.near(at) && self.is_unit(at + 1) && self.near(at + 1) {
            return self.is(at + 2, Class::Ago).then_some(at + 3);
        }
        let from = if self.word(at) == "y" && self.word(at + 1) == "a" {
            at + 2
        } else if self.is(at, Class::Ago) {
            at + 1
        } else {
            return None;
        };
        let is_near = self.near(from - 1) && self.near(from);
        (is_near && is_amount(from) && self.is_unit(from + 1)).then_some(from + 2)
    }

    /// Of time; some of them have other meanings, too.
    fn is_unit(&self, at: usize) -> bool {
        let class = self.tokens.get(at).and_then(Token::class);
        matches!(
            class,
            Some(Class::Unit | Class::TimePart | Class::DatePart | Class::Multiple)
        )
    }

    /// `1,234 views`, `1.2k Aufrufe`, `Comments (5)`, `阅读 123`.
    fn counter_at(&self, at: usize) -> Option<usize> {
        if self.is_counted(at) {
            return self.counter_after(at);
        }
        if self.is(at, Class::Zero) {
            let counts_more = self.is_counted(at + 1) && self.counter_after(at + 1).is_some();
            return (self.near(at) && self.is_counted(at + 1) && !counts_more).then_some(at + 2);
        }
        if !self.is_number(at) {
            return None;
        }
        let end = self.amount_from(at);
        let has_measure = self.near(end - 1) && self.is(end, Class::Measure);
        let counted = end + usize::from(has_measure);
        (self.near(counted - 1) && self.is_counted(counted)).then_some(counted + 1)
    }

    /// `Views: 1,234`, `Comments (5)`, `Viewed 1,234 times`, `阅读 123`.
    fn counter_after(&self, at: usize) -> Option<usize> {
        let between = self.between(at)?.trim();
        if !self.is_number(at + 1) {
            return None;
        }
        let end = self.amount_from(at + 1);
        if matches!(between, ":" | "(" | "：" | "（") {
            return Some(end);
        }
        if !between.is_empty() {
            return None;
        }
        if self.near(end - 1) && self.is(end, Class::Measure) {
            return Some(end + 1);
        }
        let start = self.tokens[at].start;
        let is_unspaced = !self.text[start..].starts_with(|first: char| first.is_ascii());
        let is_last = self.is(at, Class::Counted) && !self.near(end - 1);
        (self.is_short && !self.is_counted(end) && (is_unspaced || is_last)).then_some(end)
    }

    /// `© 2024`, `Copyright 2019-2024`.
    fn copyright_at(&self, at: usize) -> Option<usize> {
        let mut end = at;
        while self.is(end, Class::Copyright) {
            end += 1;
        }
        let is_year_at = |at| self.number(at).is_some_and(is_year);
        if end == at || !is_year_at(end) {
            return None;
        }
        let between = self.between(end).unwrap_or_default().trim();
        let is_range = is_year_at(end + 1) && matches!(between, "-" | "–" | "—");
        Some(end + 1 + usize::from(is_range))
    }

    /// The end of a number with separators and a multiple: `1,234`, `1.2 k`.
    fn amount_from(&self, at: usize) -> usize {
        let mut end = at + 1;
        while self.is_number(end)
            && self.between(end - 1).is_some_and(|between| {
                matches!(between, "," | "." | "'" | "’" | " " | "\u{a0}" | "\u{202f}")
            })
        {
            end += 1;
        }
        let has_multiple = self.is(end, Class::Multiple) && self.near(end - 1);
        end + usize::from(has_multiple)
    }

    /// A date with at least two of day, month and year.
    fn date_at(&self, at: usize) -> Option<usize> {
        let start = if self.is(at, Class::Weekday) && self.near(at) {
            at + 1
        } else {
            at
        };
        self.numeric_date_at(start)
            .or_else(|| self.named_date_at(start))
            .or_else(|| self.joined_date_at(start))
            .map(|end| self.with_weekday(end))
            .or_else(|| {
                // Without a label or other facts, these are words like any other.
                (self.is(at, Class::Day) || self.is(at, Class::Weekday)).then_some(at + 1)
            })
    }

    fn with_weekday(&self, end: usize) -> usize {
        let between = self.between(end - 1).unwrap_or("-").trim();
        let is_joined = matches!(between, "" | "," | "(" | "（");
        end + usize::from(is_joined && self.is(end, Class::Weekday))
    }

    /// `2024-05-03`, `3.5.2024`, `05/03/24`.
    fn numeric_date_at(&self, at: usize) -> Option<usize> {
        let separator = self.between(at)?;
        let is_separator = matches!(separator, "-" | "/" | "." | ". " | "‑");
        if !is_separator || self.between(at + 1) != Some(separator) {
            return None;
        }
        let numbers = [self.number(at)?, self.number(at + 1)?, self.number(at + 2)?];
        let goes_on =
            |token: Option<usize>| token.and_then(|token| self.between(token)) == Some(separator);
        if goes_on(at.checked_sub(1).filter(|before| self.is_number(*before)))
            || (self.is_number(at + 3) && goes_on(Some(at + 2)))
        {
            return None;
        }
        let is_day = |(digits, value): (u32, u32)| digits <= 2 && (1..=31).contains(&value);
        let is_month = |(digits, value): (u32, u32)| digits <= 2 && (1..=12).contains(&value);
        let [first, second, third] = numbers;
        let is_date = (is_year(first) && is_month(second) && is_day(third))
            || (is_year(third) || third.0 == 2)
                && ((is_day(first) && is_month(second)) || (is_month(first) && is_day(second)));
        is_date.then_some(at + 3)
    }

    /// `3 May 2024`, `May 3rd, 2024`, `3 de mayo de 2024`, `May 2024`.
    fn named_date_at(&self, at: usize) -> Option<usize> {
        let mut end = at;
        let mut has_number = false;
        if let Some((digits, value)) = self.number(at) {
            if digits > 2 && !is_year((digits, value)) || !self.near(at) {
                return None;
            }
            has_number = true;
            end = self.skip_parts(at + 1);
        }
        if !self.is(end, Class::Month) {
            return None;
        }
        end += 1;
        for _ in 0..2 {
            let next = self.skip_parts(end);
            let near = (end..=next).all(|token| self.near(token - 1));
            match self.number(next) {
                Some((digits, value)) if near && (digits <= 2 || is_year((digits, value))) => {
                    let is_hour = self.between(next).is_some_and(|between| between == ":");
                    if is_hour && has_number {
                        break;
                    }
                    end = self.skip_ordinal(next + 1);
                    has_number = true;
                }
                _ => break,
            }
        }
        has_number.then_some(end)
    }

    /// `2024年5月3日`, `5月3日`.
    fn joined_date_at(&self, at: usize) -> Option<usize> {
        let mut end = at;
        let mut numbers = 0;
        while self.is_number(end) && self.is(end + 1, Class::DatePart) && self.near(end) {
            let part = self.tokens[end + 1];
            if !matches!(
                &self.text[part.start..part.end],
                "年" | "月" | "日" | "号" | "號" | "년" | "월" | "일"
            ) {
                break;
            }
            end += 2;
            numbers += 1;
        }
        (numbers >= 2).then_some(end)
    }

    /// `10:23`, `10:23:45 UTC`, `14.30 Uhr`, `9 pm`.
    fn time_at(&self, at: usize) -> Option<usize> {
        let (digits, hour) = self.number(at)?;
        if digits > 2 || hour > 24 {
            return None;
        }
        let mut end = at + 1;
        let separator = self.between(at)?;
        if matches!(separator, ":" | "." | "h") {
            while self
                .number(end)
                .is_some_and(|(digits, value)| digits == 2 && value < 60)
                && self.between(end - 1) == Some(separator)
            {
                end += 1;
            }
        }
        let has_minutes = end > at + 1;
        let mut has_part = false;
        loop {
            if self.near(end - 1) && (self.is(end, Class::TimePart) || self.is_zone(end)) {
                has_part = true;
                end += 1;
            } else if has_part && self.is_joined_number(end) {
                end += 1;
            } else {
                break;
            }
        }
        (has_minutes && separator == ":" || has_part).then_some(end)
    }

    /// The minutes of `10h23` and `10시 23분`.
    fn is_joined_number(&self, at: usize) -> bool {
        let has_two_digits = self.number(at).is_some_and(|(digits, _)| digits <= 2);
        let is_part = self.between(at - 1) == Some("") || self.is(at + 1, Class::TimePart);
        has_two_digits && is_part
    }

    /// The `Z` of an ISO date.
    fn is_zone(&self, at: usize) -> bool {
        matches!(self.word(at), "Z" | "z")
    }

    fn word(&self, at: usize) -> &'t str {
        let token = self.tokens.get(at);
        token.map_or("", |token| &self.text[token.start..token.end])
    }

    /// Whether a label stands right before or after, or everything before is `©`.
    fn has_label(&self, from: usize, to: usize) -> bool {
        let says = |token: usize| {
            let class = self.tokens[token].class();
            matches!(class, Some(Class::Label | Class::Day | Class::Copyright))
        };
        let before = (from.saturating_sub(LABEL_DISTANCE)..from).rev();
        let mut joined = before.take_while(|token| self.is_same_sentence(*token));
        if joined.any(says) {
            return true;
        }
        to < self.tokens.len() && self.near(to - 1) && says(to)
    }

    fn is_same_sentence(&self, token: usize) -> bool {
        let class = self.tokens[token].class();
        let is_said = !matches!(class, None | Some(Class::Other)) || self.tokens[token].is_number();
        let between = self.between(token).unwrap_or_default();
        is_said && between.len() <= 2 * GAP && !between.contains(['!', '?', ';', '。'])
    }

    /// Whether the block has nothing but dates, counters and words that come with them, or is a line of facts about an
    /// author.
    fn is_line_of_facts(&self, found: &[(Found, usize, usize)]) -> bool {
        if found.is_empty() {
            return false;
        }
        let mut spans = found.iter().peekable();
        let mut others = 0;
        let mut at = 0;
        while at < self.tokens.len() {
            if let Some((_, from, to)) = spans.peek()
                && *from == at
            {
                at = *to;
                spans.next();
                continue;
            }
            let class = self.tokens[at].class();
            let is_of_date = !matches!(
                class,
                None | Some(Class::Other | Class::Multiple | Class::Month | Class::PerhapsCounted)
            );
            others += usize::from(!is_of_date);
            at += 1;
        }
        let names_author =
            self.is(0, Class::By) || (self.is(0, Class::Label) && self.is(1, Class::By));
        let is_separated = self.text.contains(['·', '|', '•', '｜']);
        others == 0 || names_author || is_separated
    }

    fn is(&self, at: usize, class: Class) -> bool {
        self.tokens.get(at).and_then(Token::class) == Some(class)
    }

    fn is_counted(&self, at: usize) -> bool {
        self.is(at, Class::Counted) || (self.is_short && self.is(at, Class::PerhapsCounted))
    }

    fn is_number(&self, at: usize) -> bool {
        self.number(at).is_some()
    }

    /// Digits and value.
    fn number(&self, at: usize) -> Option<(u32, u32)> {
        match self.tokens.get(at)?.kind {
            Kind::Number { digits, value } => Some((digits, value)),
            Kind::Word(_) => None,
        }
    }

    /// What stands between this token and the next.
    fn between(&self, at: usize) -> Option<&'t str> {
        let (token, next) = (self.tokens.get(at)?, self.tokens.get(at + 1)?);
        self.text.get(token.end..next.start)
    }

    /// Whether the next token belongs to the same phrase.
    fn near(&self, at: usize) -> bool {
        self.between(at).is_some_and(|between| {
            between.len() <= GAP && !between.contains(['!', '?', ';', '·', '|', '•', '(', '+'])
        })
    }

    fn skip_parts(&self, from: usize) -> usize {
        let mut at = from;
        while at < from + 2 && self.is(at, Class::DatePart) {
            at += 1;
        }
        at
    }

    fn skip_ordinal(&self, at: usize) -> usize {
        let is_joined = self.between(at - 1) == Some("");
        at + usize::from(is_joined && self.is(at, Class::DatePart))
    }
}

fn is_year((digits, value): (u32, u32)) -> bool {
    digits == 4 && (1900..2200).contains(&value)
}
