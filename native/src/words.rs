//! The words of a text, as the search index and its queries see them (S7).
//!
//! A word is a sequence of letters, digits and marks. In scripts without spaces between words, and in Korean, whose
//! words carry particles, every two neighbouring characters are a word, and the last character of such a stretch is
//! one more: 地図帳 is 地図, 図帳, 帳. So every character begins exactly one word, and every part of the stretch is a
//! sequence of neighbouring words. Index and query are split by the same function, so a query finds what it would
//! find by comparing texts, without a dictionary. Spelling is folded (`folding`): case, accents, width.

mod characters;
mod folding;
mod scripts;
mod snippet;
#[cfg(test)]
mod tests;

use std::ops::Range;

use characters::CHARACTERS;
use folding::Folding;
use scripts::{is_mark, is_unspaced};
pub use snippet::{Snippet, Wanted, find_snippet};

/// The version of these rules: an index of another version is rebuilt.
pub const VERSION: u32 = 1;

/// Bytes of a word that count. A longer one is cut, in the index and in the query.
const LONGEST: usize = 120;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    /// Two neighbouring characters of an unspaced script.
    Pair,
    /// The last character of an unspaced stretch of several.
    Last,
    /// The only character of an unspaced stretch.
    Single,
}

struct Found {
    kind: Kind,
    /// Where it is in the text.
    at: Range<usize>,
    /// Where its first character ends, with its marks.
    first_ends: usize,
}

impl Found {
    fn word(at: Range<usize>) -> Self {
        Self {
            kind: Kind::Word,
            first_ends: at.end,
            at,
        }
    }

    /// The first character of the folded word; `None` if only folding can tell.
    fn first_character(&self, text: &str) -> Option<char> {
        let first = if self.kind == Kind::Word {
            text[self.at.clone()].chars()
        } else {
            text[self.at.start..self.first_ends].chars()
        };
        CHARACTERS.fold_first(first)
    }
}

/// The words of a text, folded and separated by spaces.
pub fn split(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    each(text, &mut |word: &str, _: &Found| {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    });
    words
}

/// Calls `take` with each word of a text, folded.
pub fn each_word(text: &str, mut take: impl FnMut(&str)) {
    each(text, &mut |word: &str, _: &Found| take(word));
}

/// The words that a text must have next to each other to contain this one, and whether the last is only the beginning
/// of a word.
pub fn split_query(text: &str) -> (Vec<String>, bool) {
    let mut words = Vec::new();
    let mut last = Kind::Word;
    each(text, &mut |word: &str, found: &Found| {
        words.push(word.to_owned());
        last = found.kind;
    });
    if last == Kind::Last {
        words.pop(); // in a text, the stretch may continue
    }
    (words, last == Kind::Single)
}

/// Reads the words of a text, in order.
trait WordReader {
    /// Whether it needs a word that begins with this character. Most words need not be folded then.
    fn wants(&self, _first: char) -> bool {
        true
    }

    fn read(&mut self, word: &str, found: &Found);
}

impl<F: FnMut(&str, &Found)> WordReader for F {
    fn read(&mut self, word: &str, found: &Found) {
        self(word, found);
    }
}

fn each(text: &str, reader: &mut impl WordReader) {
    let mut folding = Folding::default();
    let mut take = |found: Found| {
        if found
            .first_character(text)
            .is_some_and(|first| !reader.wants(first))
        {
            return;
        }
        let word = folding.fold(&text[found.at.clone()]);
        let word = &word[..word.floor_char_boundary(LONGEST)];
        if !word.is_empty() {
            reader.read(word, &found);
        }
    };
    let mut at = 0;
    while let Some((stretch, is_simple)) = find_stretch(text, at) {
        at = stretch.end;
        if is_simple {
            take(Found::word(stretch));
        } else {
            each_part(text, stretch, &mut take);
        }
    }
}

/// The next sequence of letters, digits and marks, and whether all of them are simple characters.
fn find_stretch(text: &str, from: usize) -> Option<(Range<usize>, bool)> {
    let characters = &*CHARACTERS;
    let mut rest = text[from..].char_indices();
    let (start, first) = rest.find(|(_, c)| characters.is_in_word(*c))?;
    let mut is_simple = characters::is_simple(first);
    let end = rest.find(|(_, c)| {
        let is_in_word = characters.is_in_word(*c);
        is_simple &= !is_in_word || characters::is_simple(*c);
        !is_in_word
    });
    let end = end.map_or(text.len(), |(at, _)| from + at);
    Some((from + start..end, is_simple))
}

/// Splits a stretch where unspaced scripts begin and end.
fn each_part(text: &str, stretch: Range<usize>, take: &mut impl FnMut(Found)) {
    let (mut from, end) = (stretch.start, stretch.end);
    while let Some(first) = text[from..end].chars().next() {
        let unspaced = is_unspaced(first);
        let is_end = |c: char| is_unspaced(c) != unspaced && !is_mark(c);
        let to = text[from..end].find(is_end).map_or(end, |at| from + at);
        if unspaced {
            each_pair(text, from..to, take);
        } else {
            take(Found::word(from..to));
        }
        from = to;
    }
}

/// Marks belong to the character before them: in Thai they tell words apart.
fn each_pair(text: &str, stretch: Range<usize>, take: &mut impl FnMut(Found)) {
    let mut before: Option<Range<usize>> = None;
    let mut is_only = true;
    let mut from = stretch.start;
    while from < stretch.end {
        let mut rest = text[from..stretch.end].char_indices().skip(1);
        let to = rest
            .find(|(_, c)| !is_mark(*c))
            .map_or(stretch.end, |(at, _)| from + at);
        if let Some(before) = before {
            is_only = false;
            take(Found {
                kind: Kind::Pair,
                at: before.start..to,
                first_ends: before.end,
            });
        }
        before = Some(from..to);
        from = to;
    }
    if let Some(last) = before {
        take(Found {
            kind: if is_only { Kind::Single } else { Kind::Last },
            first_ends: last.end,
            at: last,
        });
    }
}
