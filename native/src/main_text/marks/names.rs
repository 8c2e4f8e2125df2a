//! Classes and ids. They are made of words (`post-content`, `postContent`, `post_content`), and each is looked up twice in one
//! pass: as words between blanks, and without what separates them.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::Marks;
use super::patterns::PATTERNS;

/// Bytes of a class or an id that are looked at.
const MOST_BYTES: usize = 300;

/// Finds all patterns at once; the mark of each stands beside it.
static MATCHER: LazyLock<(AhoCorasick, Vec<Marks>)> = LazyLock::new(|| {
    let of_mark = |(mark, patterns): &(Marks, &'static str)| {
        let mark = *mark;
        patterns
            .split_ascii_whitespace()
            .map(move |pattern| (mark, pattern.replace('_', " ")))
    };
    let all: Vec<(Marks, String)> = PATTERNS.iter().flat_map(of_mark).collect();
    let matcher = AhoCorasick::new(all.iter().map(|(_, pattern)| pattern))
        .expect("patterns are few and short");
    (matcher, all.iter().map(|(mark, _)| *mark).collect())
});

pub fn read(class: &str, id: &str, scratch: &mut String) -> Marks {
    scratch.clear();
    for name in [class, id]
        .into_iter()
        .flat_map(|names| cut(names).split_ascii_whitespace())
    {
        if is_of_page_builder(name) || is_state(name) {
            continue;
        }
        write_words(name, scratch);
        scratch.push_str(" \u{1} ");
        scratch.extend(
            name.chars()
                .filter(|c| !matches!(c, '-' | '_' | ':'))
                .map(|c| c.to_ascii_lowercase()),
        );
        scratch.push_str(" \u{1} ");
    }
    let (matcher, marks) = &*MATCHER;
    matcher
        .find_overlapping_iter(scratch.as_str())
        .fold(0, |found, hit| found | marks[hit.pattern().as_usize()])
}

/// Page builders wrap each paragraph of the text in a `widget`.
fn is_of_page_builder(name: &str) -> bool {
    ["elementor", "wpb_", "vc_", "fl-", "et_pb", "brz-"]
        .iter()
        .any(|builder| name.starts_with(builder))
}

/// `has-sidebar` and `no-comments` say what is elsewhere.
fn is_state(name: &str) -> bool {
    let is = |state: &str| {
        name.strip_prefix(state)
            .is_some_and(|rest| rest.starts_with(['-', '_']))
    };
    [
        "has",
        "no",
        "with",
        "without",
        "is",
        "hide",
        "layout",
        "page",
        "post-type",
        "type",
        "status",
    ]
    .into_iter()
    .any(is)
        || name.contains("--with-")
        || name.contains("--no-")
        || name.contains("--has-")
}

fn cut(names: &str) -> &str {
    &names[..names.floor_char_boundary(MOST_BYTES)]
}

/// `postContent-2` is ` post content `.
fn write_words(name: &str, words: &mut String) {
    words.push(' ');
    let mut after_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && after_lower && !words.ends_with(' ') {
            words.push(' ');
        }
        after_lower = c.is_ascii_lowercase();
        if c.is_alphabetic() {
            words.push(c.to_ascii_lowercase());
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
    }
    if !words.ends_with(' ') {
        words.push(' ');
    }
}
