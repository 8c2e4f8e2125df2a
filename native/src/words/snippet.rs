//! The piece of a text that shows best what a query found, with the places of its words.

use std::ops::Range;

use super::{Found, Kind, WordReader, each};

/// Sequences of one query that are looked for; the rest is not marked.
const MOST_WANTED: usize = 32;

/// Bytes of a text that are usually enough. The rest is read only if they lack one of the sequences: most of the time
/// of a search is spent here.
const FIRST_BYTES: usize = 8 * 1024;

/// A sequence of neighbouring words, as [`super::split_query`] returns it.
pub struct Wanted {
    pub words: Vec<String>,
    /// Whether the last word may be the beginning of a longer one.
    pub is_prefix: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    /// Where the wanted words are, in characters of `text`.
    pub marks: Vec<Range<usize>>,
    /// Whether anything was found.
    pub has_match: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Match {
    wanted: usize,
    at: Range<usize>,
}

/// About `length` bytes of the text: those with the most wanted words, or the first. Line ends become spaces.
pub fn find_snippet(text: &str, wanted: &[Wanted], length: usize) -> Snippet {
    let wanted = &wanted[..wanted.len().min(MOST_WANTED)];
    let matches = find_early_matches(text, wanted).unwrap_or_else(|| find_matches(text, wanted));
    let window = choose_window(text, &matches, length);
    let marks = merge(matches.iter().map(|found| &found.at), &window);
    Snippet {
        marks: to_characters(&text[window.clone()], window.start, &marks),
        text: text[window]
            .chars()
            .map(|c| if c.is_whitespace() { ' ' } else { c })
            .collect(),
        has_match: !matches.is_empty(),
    }
}

/// The matches in the first bytes of a long text; `None` if they lack one of the sequences. The text is cut where a
/// space is, so that no word is.
fn find_early_matches(text: &str, wanted: &[Wanted]) -> Option<Vec<Match>> {
    let start = &text[..text.floor_char_boundary(FIRST_BYTES)];
    let end = start
        .rfind(char::is_whitespace)
        .filter(|_| start.len() < text.len())?;
    let matches = find_matches(&start[..end], wanted);
    (0..wanted.len())
        .all(|which| matches.iter().any(|found| found.wanted == which))
        .then_some(matches)
}

fn find_matches(text: &str, wanted: &[Wanted]) -> Vec<Match> {
    let mut matcher = Matcher::new(wanted);
    each(text, &mut matcher);
    matcher.list()
}

/// Sequences whose beginning has been seen are followed from word to word. There are at most as many of them as the
/// query has words, so a text takes linear time.
pub struct Matcher<'a> {
    wanted: &'a [Wanted],
    /// Which characters a sequence begins with, by the lowest byte of their numbers.
    firsts: [bool; 256],
    begun: Vec<Begun>,
    next: Vec<Begun>,
    matches: Vec<Match>,
}

struct Begun {
    wanted: usize,
    words_seen: usize,
    from: usize,
}

impl<'a> Matcher<'a> {
    pub fn new(wanted: &'a [Wanted]) -> Self {
        let mut firsts = [false; 256];
        for word in wanted.iter().filter_map(|sequence| sequence.words.first()) {
            match word.chars().next() {
                Some(first) => firsts[low_byte(first)] = true,
                None => firsts = [true; 256],
            }
        }
        Self {
            wanted,
            firsts,
            begun: Vec::new(),
            next: Vec::new(),
            matches: Vec::new(),
        }
    }

    /// Sorted by their places.
    pub fn list(mut self) -> Vec<Match> {
        self.matches
            .sort_by_key(|found| (found.at.start, found.at.end));
        self.matches
    }

    fn follow(&mut self, begun: &Begun, word: &str, found: &Found) {
        let Wanted { words, is_prefix } = &self.wanted[begun.wanted];
        let Some(expected) = words.get(begun.words_seen) else {
            return;
        };
        let is_last = begun.words_seen + 1 == words.len();
        let may_go_on = is_last && *is_prefix;
        if word != expected && !(may_go_on && word.starts_with(expected.as_str())) {
            return;
        }
        if !is_last {
            self.next.push(Begun {
                words_seen: begun.words_seen + 1,
                ..*begun
            });
            return;
        }
        let is_half = may_go_on && found.kind == Kind::Pair && word != expected;
        let to = if is_half {
            found.first_ends
        } else {
            found.at.end
        };
        self.matches.push(Match {
            wanted: begun.wanted,
            at: begun.from..to,
        });
    }
}

impl WordReader for Matcher<'_> {
    fn wants(&self, first: char) -> bool {
        !self.begun.is_empty() || self.firsts[low_byte(first)]
    }

    fn read(&mut self, word: &str, found: &Found) {
        let mut begun = std::mem::take(&mut self.begun);
        for sequence in begun.drain(..) {
            self.follow(&sequence, word, found);
        }
        for wanted in 0..self.wanted.len() {
            let sequence = Begun {
                wanted,
                words_seen: 0,
                from: found.at.start,
            };
            self.follow(&sequence, word, found);
        }
        self.begun = std::mem::replace(&mut self.next, begun);
    }
}

fn low_byte(character: char) -> usize {
    character as usize & 0xFF
}

/// Prefers many different sequences, then many matches, then the beginning of the text.
fn choose_window(text: &str, matches: &[Match], length: usize) -> Range<usize> {
    if text.len() <= length {
        return 0..text.len();
    }
    let mut counts = [0_usize; MOST_WANTED];
    let (mut different, mut first, mut best) = (0, 0, (0, 0));
    let mut chosen = 0..0;
    for (last, found) in matches.iter().enumerate() {
        different += usize::from(counts[found.wanted] == 0);
        counts[found.wanted] += 1;
        while first < last && found.at.end.saturating_sub(matches[first].at.start) > length {
            counts[matches[first].wanted] -= 1;
            different -= usize::from(counts[matches[first].wanted] == 0);
            first += 1;
        }
        if (different, last + 1 - first) > best {
            best = (different, last + 1 - first);
            chosen = matches[first].at.start..found.at.end;
        }
    }
    let room = length.saturating_sub(chosen.len());
    let from = begin_near(text, chosen.start.saturating_sub(room / 3), chosen.start);
    let to = text.floor_char_boundary((from + length).max(chosen.end));
    from..end_near(text, to, chosen.end)
}

/// The beginning of a word at or after `from`, if there is one before `match_start`; 0 is one.
fn begin_near(text: &str, from: usize, match_start: usize) -> usize {
    let from = text.floor_char_boundary(from);
    if from == 0 {
        return 0;
    }
    let before = &text[from..match_start];
    let space = before.find(char::is_whitespace);
    space.map_or(from, |at| {
        let rest = &before[at..];
        from + at + (rest.len() - rest.trim_start().len())
    })
}

/// The end of a word at or before `to`, if there is one after `match_end`.
fn end_near(text: &str, to: usize, match_end: usize) -> usize {
    if to == text.len() {
        return to;
    }
    let after = &text[match_end.min(to)..to];
    let space = after.rfind(char::is_whitespace).filter(|at| *at > 0);
    space.map_or(to, |at| match_end.min(to) + at)
}

/// Ranges inside of the window, sorted, without overlaps.
fn merge<'a>(
    ranges: impl Iterator<Item = &'a Range<usize>>,
    window: &Range<usize>,
) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges.filter(|range| range.start >= window.start && range.end <= window.end) {
        match merged.last_mut() {
            Some(before) if range.start < before.end => before.end = before.end.max(range.end),
            _ => merged.push(range.clone()),
        }
    }
    merged
}

fn to_characters(text: &str, offset: usize, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let (mut byte, mut characters) = (0, 0);
    let mut count_to = |end: usize| {
        characters += text[byte..end].chars().count();
        byte = end;
        characters
    };
    ranges
        .iter()
        .map(|range| count_to(range.start - offset)..count_to(range.end - offset))
        .collect()
}
