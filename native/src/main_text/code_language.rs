//! The language of a code block, as its classes or attributes say it.

use super::outline::{Index, Outline};

const PREFIXES: [&str; 5] = [
    "language-",
    "lang-",
    "highlight-source-",
    "highlight-",
    "brush:",
];
/// Words after a prefix that name no language.
const NO_LANGUAGES: [&str; 6] = ["default", "none", "text", "notranslate", "source", "box"];
const MOST_LETTERS: usize = 20;

/// Looked for at the `pre`, at what it holds directly, and at two elements around it.
pub fn find(outline: &Outline<'_>, pre: Index) -> Option<String> {
    let inside = outline.children(pre).take(1);
    let around = outline.ancestors(pre).take(2);
    std::iter::once(pre)
        .chain(inside)
        .chain(around)
        .find_map(|index| of_element(outline, index))
}

fn of_element(outline: &Outline<'_>, index: Index) -> Option<String> {
    for name in ["data-lang", "data-language"] {
        if let Some(language) = outline.attribute(index, name).and_then(checked) {
            return Some(language);
        }
    }
    let class = outline.attribute(index, "class")?;
    let mut words = class.split_ascii_whitespace();
    while let Some(word) = words.next() {
        if word == "brush:" {
            return words.next().and_then(checked);
        }
        let named = PREFIXES.iter().find_map(|prefix| word.strip_prefix(prefix));
        if let Some(language) = named.and_then(checked) {
            return Some(language);
        }
    }
    None
}

fn checked(language: &str) -> Option<String> {
    let language = language.trim_end_matches(';').to_ascii_lowercase();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-' | '_' | '.');
    let is_name =
        !language.is_empty() && language.len() <= MOST_LETTERS && language.chars().all(is_plain);
    (is_name && !NO_LANGUAGES.contains(&language.as_str())).then_some(language)
}
