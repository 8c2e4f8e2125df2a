//! The words and numbers of a short text, with what stands between them.

use super::vocabulary::{self, Class};

/// Bytes of the longest word that has a class.
const LONGEST_WORD: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A sequence of digits: how many, and its value, which is cut at a million.
    Number {
        digits: u32,
        value: u32,
    },
    Word(Class),
}

#[derive(Debug, Clone, Copy)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    pub fn class(&self) -> Option<Class> {
        match self.kind {
            Kind::Word(class) => Some(class),
            Kind::Number { .. } => None,
        }
    }

    pub fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Number { .. })
    }
}

/// The tokens of `text[from..to]`.
pub fn tokens_of(text: &str, from: usize, to: usize, tokens: &mut Vec<Token>) {
    tokens.clear();
    let bytes = &text.as_bytes()[..to];
    let mut at = from;
    while let Some(first) = bytes.get(at) {
        let (kind, end) = match first {
            b'0'..=b'9' => number_at(text, at, to),
            b'A'..=b'Z' | b'a'..=b'z' => ascii_word_at(text, at, to),
            128.. => match foreign_at(text, at, to) {
                (Some(kind), end) => (kind, end),
                (None, end) => {
                    at = end;
                    continue;
                }
            },
            _ => {
                at += 1;
                continue;
            }
        };
        tokens.push(Token {
            kind,
            start: at,
            end,
        });
        at = end;
    }
}

fn number_at(text: &str, at: usize, to: usize) -> (Kind, usize) {
    let (mut digits, mut value, mut end) = (0, 0u32, at);
    for next in text[at..to].chars() {
        let Some(digit) = digit_of(next) else { break };
        digits += 1;
        value = (value * 10 + digit).min(1_000_000);
        end += next.len_utf8();
    }
    (Kind::Number { digits, value }, end)
}

/// Nearly every word is ASCII alone, and is read byte by byte.
fn ascii_word_at(text: &str, at: usize, to: usize) -> (Kind, usize) {
    let bytes = &text.as_bytes()[at..to];
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
    let length = bytes.iter().take_while(|byte| is_letter(byte)).count();
    if bytes.get(length).is_some_and(|next| *next >= 128) {
        return word_at(text, at, to);
    }
    let mut small = [0; LONGEST_WORD];
    let Some(small) = small.get_mut(..length) else {
        return (Kind::Word(Class::Other), at + length);
    };
    for (small, byte) in small.iter_mut().zip(bytes) {
        *small = byte | 0x20;
    }
    (Kind::Word(vocabulary::class_of(small)), at + length)
}

fn foreign_at(text: &str, at: usize, to: usize) -> (Option<Kind>, usize) {
    let Some(first) = text[at..to].chars().next() else {
        return (None, to);
    };
    if digit_of(first).is_some() {
        let (kind, end) = number_at(text, at, to);
        return (Some(kind), end);
    }
    if first.is_alphabetic() || first == '©' {
        let (kind, end) = word_at(text, at, to);
        return (Some(kind), end);
    }
    (None, at + first.len_utf8())
}

fn word_at(text: &str, at: usize, to: usize) -> (Kind, usize) {
    let mut word = String::new();
    let mut end = at;
    for (index, next) in text[at..to].chars().enumerate() {
        if index > 0 && (!is_in_word(next) || digit_of(next).is_some()) {
            break;
        }
        if word.len() < LONGEST_WORD {
            word.extend(next.to_lowercase());
        }
        end += next.len_utf8();
    }
    (Kind::Word(vocabulary::class_of(word.as_bytes())), end)
}

/// Letters, and marks of scripts that write vowels as marks.
fn is_in_word(character: char) -> bool {
    character.is_alphabetic() || ('\u{300}'..='\u{36F}').contains(&character)
}

/// ASCII, Arabic, Persian, Devanagari and full-width digits.
fn digit_of(character: char) -> Option<u32> {
    let zero = match character {
        '0'..='9' => '0',
        '\u{660}'..='\u{669}' => '\u{660}',
        '\u{6F0}'..='\u{6F9}' => '\u{6F0}',
        '\u{966}'..='\u{96F}' => '\u{966}',
        '\u{FF10}'..='\u{FF19}' => '\u{FF10}',
        _ => return None,
    };
    Some(character as u32 - zero as u32)
}
