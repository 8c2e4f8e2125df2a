//! Text as people see it: white space collapsed to single spaces, trimmed, and cut at a number of
//! characters.

use super::references::{self, Place};
use crate::sixteen::{SIXTEEN, Sixteen};

/// Classes of bytes: what may begin with each.
const ORDINARY: u8 = 0;
const SPACE: u8 = 1;
const AMPERSAND: u8 = 2;
const PERHAPS_WIDE_SPACE: u8 = 3;
const NOTHING: u8 = 4;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [ORDINARY; 256];
    classes[0] = NOTHING;
    let mut byte = 0x09;
    while byte <= 0x0D {
        classes[byte] = SPACE;
        byte += 1;
    }
    classes[b' ' as usize] = SPACE;
    classes[b'&' as usize] = AMPERSAND;
    // U+0085 and U+00A0; U+1680; U+2000 to U+205F; U+3000.
    classes[0xC2] = PERHAPS_WIDE_SPACE;
    classes[0xE1] = PERHAPS_WIDE_SPACE;
    classes[0xE2] = PERHAPS_WIDE_SPACE;
    classes[0xE3] = PERHAPS_WIDE_SPACE;
    classes
}

#[derive(Debug, Default)]
pub struct CollapsedText {
    text: String,
    limit: usize,
    /// A lower bound of the characters that still fit. It is reduced by bytes, and recounted in characters when it is
    /// used up.
    room: usize,
    space_due: bool,
    full: bool,
}

impl CollapsedText {
    /// `limit` counts characters.
    pub fn new(limit: usize) -> Self {
        CollapsedText {
            limit,
            room: limit,
            full: limit == 0,
            ..CollapsedText::default()
        }
    }

    /// Reserves memory for `length` bytes.
    pub fn expect(&mut self, length: usize) {
        self.text.reserve(length.min(self.limit));
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// In bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn into_text(self) -> String {
        self.text
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if further text is dropped.
    pub fn is_full(&self) -> bool {
        self.full
    }

    pub fn is_space_due(&self) -> bool {
        self.space_due
    }

    /// Separates the next text from the previous word.
    pub fn separate(&mut self) {
        self.space_due = true;
    }

    /// Adds text, and decodes its character references.
    pub fn push_raw(&mut self, raw: &str) {
        self.push::<true>(raw);
    }

    /// Adds text without character references.
    pub fn push_plain(&mut self, text: &str) {
        self.push::<false>(text);
    }

    fn push<const DECODE: bool>(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let (mut start, mut position, mut after_space) = (0, 0, false);
        while position < bytes.len() && !self.full {
            let sixteen = sixteen_at(bytes, position);
            let spaces = sixteen.equal_to(b' ');
            let doubled = spaces & (spaces << 1 | u32::from(after_space));
            let mut marks = doubled | odd::<DECODE>(sixteen);
            after_space = spaces >> (SIXTEEN - 1) == 1;
            position += SIXTEEN;
            while marks != 0 {
                let at = position - SIXTEEN + marks.trailing_zeros() as usize;
                marks &= marks - 1;
                let step = Step::at::<DECODE>(text, at);
                if !matches!(step, Step::Keep) {
                    self.push_run(&text[start..at]);
                    start = at + self.take(step);
                    (position, marks, after_space) = (start, 0, false);
                }
            }
        }
        if !self.full {
            self.push_run(&text[start..]);
        }
    }

    fn take(&mut self, step: Step) -> usize {
        match step {
            Step::Space(length) => {
                self.space_due = true;
                length
            }
            Step::Reference(decoded) => {
                self.push_character(decoded.first);
                decoded
                    .second
                    .into_iter()
                    .for_each(|second| self.push_character(second));
                decoded.length
            }
            Step::Drop | Step::Keep => 1,
        }
    }

    fn push_character(&mut self, character: char) {
        if character.is_whitespace() {
            self.space_due = true;
        } else {
            self.push_run(character.encode_utf8(&mut [0; 4]));
        }
    }

    /// Adds words separated by single spaces, perhaps with one at either end.
    fn push_run(&mut self, run: &str) {
        let words = run.strip_prefix(' ').unwrap_or(run);
        self.space_due |= words.len() < run.len();
        let (words, is_space_behind) = match words.strip_suffix(' ') {
            Some(words) => (words, true),
            None => (words, false),
        };
        if !words.is_empty() && !self.full {
            if self.space_due && !self.text.is_empty() {
                self.push_within_limit(" ");
            }
            self.space_due = false;
            self.push_within_limit(words);
        }
        self.space_due |= is_space_behind;
    }

    fn push_within_limit(&mut self, run: &str) {
        if run.len() > self.room {
            self.room = self.limit - self.text.chars().count();
        }
        if run.len() <= self.room {
            self.text.push_str(run);
            self.room -= run.len();
            return;
        }
        let end = run
            .char_indices()
            .nth(self.room)
            .map_or(run.len(), |(index, _)| index);
        self.text.push_str(&run[..end]);
        self.room = self.room.saturating_sub(run.len());
        self.full = end < run.len();
        self.text.truncate(self.text.trim_end().len());
    }
}

enum Step {
    Space(usize),
    Reference(references::Decoded),
    Drop,
    Keep,
}

impl Step {
    fn at<const DECODE: bool>(text: &str, position: usize) -> Step {
        match CLASS[text.as_bytes()[position] as usize] {
            SPACE => Step::Space(spaces_at_start(&text.as_bytes()[position..])),
            NOTHING => Step::Drop,
            AMPERSAND if DECODE => Step::reference(&text[position..]),
            PERHAPS_WIDE_SPACE => Step::wide_space(&text[position..]),
            _ => Step::Keep,
        }
    }

    fn reference(rest: &str) -> Step {
        references::at_start(rest, Place::Text).map_or(Step::Keep, Step::Reference)
    }

    fn wide_space(rest: &str) -> Step {
        match rest.chars().next() {
            Some(character) if character.is_whitespace() => Step::Space(character.len_utf8()),
            _ => Step::Keep,
        }
    }
}

/// Length of the leading white space: indentation is skipped in one step.
fn spaces_at_start(bytes: &[u8]) -> usize {
    let is_other = |byte: &u8| CLASS[*byte as usize] != SPACE;
    bytes.iter().position(is_other).unwrap_or(bytes.len())
}

/// Marks every byte that [`CLASS`] lists, except the space, and control characters.
#[inline]
fn odd<const DECODE: bool>(sixteen: Sixteen) -> u32 {
    let mut odd = sixteen.within(0, b' ' - 1);
    if DECODE {
        odd |= sixteen.equal_to(b'&');
    }
    if sixteen.not_ascii() != 0 {
        odd |= sixteen.equal_to(0xC2) | sixteen.within(0xE1, 0xE3);
    }
    odd
}

/// The next sixteen bytes, padded with letters after the end.
#[inline]
fn sixteen_at(bytes: &[u8], position: usize) -> Sixteen {
    let rest = &bytes[position..];
    match rest.first_chunk() {
        Some(sixteen) => Sixteen::of(sixteen),
        None => {
            let mut sixteen = [b'x'; SIXTEEN];
            sixteen[..rest.len()].copy_from_slice(rest);
            Sixteen::of(&sixteen)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(limit: usize, pieces: &[&str]) -> String {
        let mut fold = CollapsedText::new(limit);
        pieces.iter().for_each(|piece| fold.push_raw(piece));
        fold.into_text()
    }

    #[test]
    fn white_space_of_every_kind_is_one_space_and_none_is_at_the_ends() {
        assert_eq!(
            folded(99, &["  a\t\r\n b c \u{a0}\u{3000}&nbsp;d&#32;", " "]),
            "a b c d"
        );
        assert_eq!(folded(99, &["a", "b ", " c"]), "ab c");
        assert_eq!(folded(99, &["â\u{200b}ž\0y"]), "â\u{200b}žy");
    }

    #[test]
    fn references_are_decoded_once() {
        assert_eq!(
            folded(99, &["a &amp;lt; b &unknown; &"]),
            "a &lt; b &unknown; &"
        );
        let mut fold = CollapsedText::new(99);
        fold.push_plain("a &amp; b");
        assert_eq!(fold.into_text(), "a &amp; b");
    }

    #[test]
    fn the_limit_counts_characters() {
        assert_eq!(folded(3, &["žžžž"]), "žžž");
        assert_eq!(folded(3, &["ž", "ž", "ž", "ž"]), "žžž");
        assert_eq!(folded(4, &["abc", " ", "def"]), "abc");
        assert_eq!(folded(0, &["a"]), "");
        assert_eq!(folded(5, &["ab cd ef"]), "ab cd");
    }

    #[test]
    fn what_is_separated_is_two_words() {
        let mut fold = CollapsedText::new(9);
        fold.separate();
        fold.push_raw("a");
        fold.separate();
        fold.separate();
        fold.push_raw("b");
        assert_eq!(fold.into_text(), "a b");
    }

    proptest! {
        #[test]
        fn folding_is_splitting_at_white_space_and_joining(
            text in "([a-z]{0,20}|[ \t\n\u{a0}\u{2003}\u{3000}\0]|[&éžあ世\u{e2}]| ){0,60}"
        ) {
            let words = text.replace('\0', "");
            let words: Vec<_> = words.split_whitespace().collect();
            let mut fold = CollapsedText::new(10_000);
            fold.push_plain(&text);
            prop_assert_eq!(fold.into_text(), words.join(" "));
        }

        #[test]
        fn in_pieces_and_within_a_limit_it_is_the_beginning_of_the_same(
            pieces in prop::collection::vec("([a-z]{0,9}|[ \t\n\u{a0}\u{2003}\u{3000}\0\u{1}]|&amp;|&nbsp;|&[éžあ世\u{e2}]| ){0,20}", 0..5),
            limit in 0..99_usize,
        ) {
            let whole = pieces.concat().replace('\0', "").replace("&nbsp;", " ").replace("&amp;", "&");
            let words = whole.split_whitespace().collect::<Vec<_>>().join(" ");
            let expected: String = words.chars().take(limit).collect();
            let pieces: Vec<_> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(folded(limit, &pieces), expected.trim_end());
        }
    }
}
