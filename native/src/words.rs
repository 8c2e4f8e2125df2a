//! The words of a text, as the search index and its queries see them (S7).
//!
//! A word is a sequence of letters, digits and marks. In scripts without spaces between words, and in Korean, whose
//! words carry particles, every two neighbouring characters are a word, and the last character of such a stretch is
//! one more: 地図帳 is 地図, 図帳, 帳. So every character begins exactly one word, and every part of the stretch is a
//! sequence of neighbouring words. Index and query are split by the same function, so a query finds what it would
//! find by comparing texts, without a dictionary. Spelling is folded (`folding`): case, accents, width.

mod folding;
mod scripts;
mod snippet;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use folding::Folding;
use scripts::{is_mark, is_unspaced};
pub use snippet::{Snippet, Wanted, find_snippet};

/// The version of these rules: an index of another version is rebuilt.
pub const VERSION: u32 = 1;

/// Bytes of a word that count. A longer one is cut, in the index and in the query.
const LONGEST: usize = 120;

static STRETCH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[\p{Alphabetic}\p{M}\p{N}\u{00AD}\u{200C}\u{200D}]+").expect("a constant pattern")
});

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
    /// Where its first character ends.
    first_ends: usize,
}

/// The words of a text, folded and separated by spaces.
pub fn split(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    each(text, |word, _| {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    });
    words
}

/// Calls `take` with each word of a text, folded.
pub fn each_word(text: &str, mut take: impl FnMut(&str)) {
    each(text, |word, _| take(word));
}

/// The words that a text must have next to each other to contain this one, and whether the last is only the beginning
/// of a word.
pub fn split_query(text: &str) -> (Vec<String>, bool) {
    let mut words = Vec::new();
    let mut last = Kind::Word;
    each(text, |word, found| {
        words.push(word.to_owned());
        last = found.kind;
    });
    if last == Kind::Last {
        words.pop(); // in a text, the stretch may continue
    }
    (words, last == Kind::Single)
}

fn each(text: &str, mut take: impl FnMut(&str, &Found)) {
    let mut folding = Folding::default();
    let mut take = |found: Found| {
        let word = folding.fold(&text[found.at.clone()]);
        let word = &word[..word.floor_char_boundary(LONGEST)];
        if !word.is_empty() {
            take(word, &found);
        }
    };
    for stretch in STRETCH.find_iter(text) {
        let (mut from, end) = (stretch.start(), stretch.end());
        while let Some(first) = text[from..end].chars().next() {
            let unspaced = is_unspaced(first);
            let is_end = |c: char| is_unspaced(c) != unspaced && !is_mark(c);
            let to = text[from..end].find(is_end).map_or(end, |at| from + at);
            if unspaced {
                each_pair(text, from..to, &mut take);
            } else {
                take(Found {
                    kind: Kind::Word,
                    at: from..to,
                    first_ends: to,
                });
            }
            from = to;
        }
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
