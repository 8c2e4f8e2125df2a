//! `Content-Signal` and `Content-Usage`: lists of `key=value`.
//!
//! `Content-Usage` is a dictionary of structured fields (RFC 9651; AIPREF). `Content-Signal` looks alike, and has no
//! grammar. Both are read by the same tolerant rules: an owner who wrote `AI-Train = No; search=yes` must be understood.
//! Parameters of a dictionary are dropped.

use super::Name;

/// Characters of a key and of a value: labels have less than twenty.
const LONGEST: usize = 40;
/// Members of one statement that are read.
const MOST: usize = 32;
/// Bytes of a statement that are read.
const MAX_BYTES: usize = 4_096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statement {
    Signal,
    Usage,
}

impl Statement {
    pub fn name(self) -> Name {
        match self {
            Statement::Signal => Name::ContentSignal,
            Statement::Usage => Name::ContentUsage,
        }
    }
}

/// The members of a statement in lower case, as `key=value`, or `key` if it has no value.
pub fn members(statement: Statement, text: &str) -> impl Iterator<Item = String> {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let members: Vec<String> = split(&text[..end])
        .flat_map(|part| words(statement, part))
        .filter_map(|word| member(&word))
        .take(MOST)
        .collect();
    members.into_iter()
}

/// The parts between commas that stand outside of quotes.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    text.split(move |character| {
        is_quoted ^= character == '"';
        character == ',' && !is_quoted
    })
}

/// The members in one part: white space around `=` is dropped, other white space separates. A semicolon separates the
/// members of a signal; in a dictionary, parameters follow it.
fn words(statement: Statement, part: &str) -> Vec<String> {
    let part = match statement {
        Statement::Usage => part.split(';').next().unwrap_or_default(),
        Statement::Signal => part,
    };
    let sides: Vec<&str> = part.split('=').map(str::trim).collect();
    let joined = sides.join("=");
    let separates = |character: char| character.is_whitespace() || character == ';';
    joined.split(separates).map(str::to_lowercase).collect()
}

fn member(word: &str) -> Option<String> {
    let (key, value) = word.split_once('=').unwrap_or((word, ""));
    let is_key = |character: char| {
        character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.' | '*')
    };
    if key.is_empty() || key.len() > LONGEST || !key.chars().all(is_key) {
        return None;
    }
    let value: String = value
        .chars()
        .filter(|character| !character.is_control())
        .take(LONGEST)
        .collect();
    Some(match value.is_empty() {
        true => key.to_owned(),
        false => format!("{key}={value}"),
    })
}
