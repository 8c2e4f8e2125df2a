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
    let mut rest = text[from..to].char_indices().peekable();
    let mut word = String::new();
    while let Some((at, first)) = rest.next() {
        let start = from + at;
        let mut end = start + first.len_utf8();
        let kind = if let Some(digit) = digit_of(first) {
            let (mut digits, mut value) = (1, digit);
            while let Some((at, next)) = rest.peek().copied() {
                let Some(digit) = digit_of(next) else { break };
                digits += 1;
                value = (value * 10 + digit).min(1_000_000);
                end = from + at + next.len_utf8();
                rest.next();
            }
            Kind::Number { digits, value }
        } else if first.is_alphabetic() || first == '©' {
            word.clear();
            word.extend(first.to_lowercase());
            while let Some((at, next)) = rest.peek().copied() {
                if !is_in_word(next) || digit_of(next).is_some() {
                    break;
                }
                if word.len() < LONGEST_WORD {
                    word.extend(next.to_lowercase());
                }
                end = from + at + next.len_utf8();
                rest.next();
            }
            Kind::Word(vocabulary::class_of(&word))
        } else {
            continue;
        };
        tokens.push(Token { kind, start, end });
    }
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
