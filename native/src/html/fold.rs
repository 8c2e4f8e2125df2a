//! Text as people see it: white space folded to single spaces, none at the ends, cut at a number of
//! characters.

use super::references::{self, Place};

/// What a byte may be the beginning of.
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
pub struct Fold {
    text: String,
    limit: usize,
    /// A lower bound of the characters that still fit: bytes are charged, and recounted as
    /// characters when it runs out.
    room: usize,
    space_due: bool,
    full: bool,
}

impl Fold {
    /// `limit` counts characters.
    pub fn new(limit: usize) -> Self {
        Fold {
            limit,
            room: limit,
            full: limit == 0,
            ..Fold::default()
        }
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

    /// What comes next is another word.
    pub fn separate(&mut self) {
        self.space_due = true;
    }

    /// Text whose character references are still to be decoded.
    pub fn push_raw(&mut self, raw: &str) {
        self.push::<true>(raw);
    }

    /// Text that is meant as it stands.
    pub fn push_plain(&mut self, text: &str) {
        self.push::<false>(text);
    }

    fn push<const DECODE: bool>(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let (mut start, mut position, mut looked_at) = (0, 0, 0);
        while position < bytes.len() && !self.full {
            if position >= looked_at {
                if is_plain::<DECODE>(&bytes[position..]) {
                    position += PIECE;
                    continue;
                }
                looked_at = position + PIECE;
            }
            let step = match CLASS[bytes[position] as usize] {
                ORDINARY => {
                    position += 1;
                    continue;
                }
                SPACE if position > start && is_folded_space(bytes, position) => {
                    position += 2;
                    continue;
                }
                SPACE => Step::Space(1),
                NOTHING => Step::Drop,
                AMPERSAND if DECODE => Step::reference(&text[position..]),
                PERHAPS_WIDE_SPACE => Step::wide_space(&text[position..]),
                _ => Step::Keep,
            };
            if matches!(step, Step::Keep) {
                position += 1;
                continue;
            }
            self.push_run(&text[start..position]);
            position += self.take(step);
            start = position;
        }
        self.push_run(&text[start..]);
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

    fn push_run(&mut self, run: &str) {
        if run.is_empty() || self.full {
            return;
        }
        if self.space_due && !self.text.is_empty() {
            self.push_within_limit(" ");
        }
        self.space_due = false;
        self.push_within_limit(run);
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

/// Bytes that are looked at together.
const PIECE: usize = 16;

/// Whether the next piece, and the byte after it, are words with single spaces between them. Most
/// are; the loop has no branches, so that it compiles to a handful of vector instructions.
fn is_plain<const DECODE: bool>(bytes: &[u8]) -> bool {
    let Some(bytes) = bytes.first_chunk::<{ PIECE + 1 }>() else {
        return false;
    };
    let mut odd = [0; PIECE];
    for (index, odd) in odd.iter_mut().enumerate() {
        let is_double = (bytes[index] == b' ') & (bytes[index + 1] == b' ');
        *odd = u8::from(is_double | is_odd::<DECODE>(bytes[index]));
    }
    u128::from_ne_bytes(odd) == 0 && bytes[0] != b' ' && !is_odd::<DECODE>(bytes[PIECE])
}

/// Everything that [`CLASS`] has a word for, but the space.
fn is_odd<const DECODE: bool>(byte: u8) -> bool {
    (byte < b' ') | (DECODE & (byte == b'&')) | (byte == 0xC2) | (byte.wrapping_sub(0xE1) < 3)
}

/// A single space between words stays in the run, where the word before it is in the run too.
fn is_folded_space(bytes: &[u8], position: usize) -> bool {
    bytes[position] == b' '
        && CLASS[bytes[position - 1] as usize] == ORDINARY
        && bytes
            .get(position + 1)
            .is_some_and(|next| CLASS[*next as usize] == ORDINARY)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(limit: usize, pieces: &[&str]) -> String {
        let mut fold = Fold::new(limit);
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
        let mut fold = Fold::new(99);
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
        let mut fold = Fold::new(9);
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
            let mut fold = Fold::new(10_000);
            fold.push_plain(&text);
            prop_assert_eq!(fold.into_text(), words.join(" "));
        }
    }
}
