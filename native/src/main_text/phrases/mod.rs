//! Words that begin a block which is not the text: recommendations, invitations, advertising, credits.
//!
//! Each language has its own few; a block counts only if it is short, and most phrases must begin it.

mod asides;
mod headings;

use std::sync::LazyLock;

/// A heading that begins with one of these heads no text of the page.
static HEADINGS: LazyLock<Vec<&str>> = LazyLock::new(|| list(headings::HEADINGS));
/// A short block that begins with one of these is an aside.
static ASIDES: LazyLock<Vec<&str>> = LazyLock::new(|| list(asides::ASIDES));
static ANYWHERE: LazyLock<Vec<&str>> = LazyLock::new(|| list(asides::ANYWHERE));

const MOST_HEADING: usize = 90;
const MOST_ASIDE: usize = 160;

pub fn is_foreign_heading(text: &str) -> bool {
    text.len() <= MOST_HEADING && begins_with(text, &HEADINGS)
}

pub fn is_aside(text: &str) -> bool {
    text.len() <= MOST_ASIDE && (begins_with(text, &ASIDES) || contains(text, &ANYWHERE))
}

fn prepared(text: &str) -> String {
    text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '©' && c != '-')
        .to_lowercase()
}

fn begins_with(text: &str, phrases: &[&str]) -> bool {
    let text = prepared(text);
    phrases.iter().any(|phrase| {
        text.strip_prefix(phrase).is_some_and(|rest| {
            let is_whole = !phrase.ends_with(char::is_alphanumeric)
                || !rest.starts_with(char::is_alphanumeric);
            is_whole || phrase.len() > 8
        })
    })
}

fn contains(text: &str, phrases: &[&str]) -> bool {
    let text = text.to_lowercase();
    phrases.iter().any(|phrase| text.contains(phrase))
}

fn list(phrases: &'static str) -> Vec<&'static str> {
    phrases
        .split(['|', '\n'])
        .filter(|phrase| !phrase.is_empty())
        .collect()
}
