//! What a text is made of: its words in lower case, each as a hash.
//!
//! A word is a stretch of letters and digits. Where a script parts its words by nothing, every two neighbouring
//! characters are one. The hash is XXH3-64 over the word, filled up with NULs to a multiple of eight bytes: then
//! most words are hashed, as they are found, eight bytes at a time.

use xxhash_rust::xxh3::xxh3_64;

const STEP: usize = 8;
const ALL: u64 = u64::from_le_bytes([1; STEP]);
/// The highest bit of each byte.
const FLAGS: u64 = 0x80 * ALL;
/// What makes a letter of ASCII small and leaves a digit as it is.
const SMALL: u64 = 0x20 * ALL;

/// In a text of ASCII no word is longer, or it is read as a foreign one is.
const LONGEST: usize = 64;

pub fn each(text: &str, mut take: impl FnMut(u64)) {
    let bytes = text.as_bytes();
    let mut word = Vec::new();
    let mut position = 0;
    while position < bytes.len() {
        let next = eight(&bytes[position..]);
        let length = ascii_word(next);
        position += if length == STEP {
            match long_word(&bytes[position..]) {
                Some((hash, length)) => {
                    take(hash);
                    length
                }
                None => foreign(&text[position..], &mut word, &mut take),
            }
        } else if next >> (8 * length) & 0x80 != 0 {
            foreign(&text[position..], &mut word, &mut take)
        } else {
            if length > 0 {
                take(xxh3_64(&first(next, length).to_le_bytes()));
            }
            length + 1
        };
    }
}

/// The first `length` bytes, fewer than eight, in lower case.
#[inline]
fn first(bytes: u64, length: usize) -> u64 {
    (bytes | SMALL) & ((1 << (8 * length)) - 1)
}

/// The word of eight letters or more that `bytes` begin with, and how long it is. `None` where more than ASCII
/// belongs to it.
#[inline]
fn long_word(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut word = [0; LONGEST];
    let mut length = 0;
    for part in word.chunks_exact_mut(STEP) {
        let next = eight(&bytes[length..]);
        let more = ascii_word(next);
        if more < STEP {
            part.copy_from_slice(&first(next, more).to_le_bytes());
            let is_ended = next >> (8 * more) & 0x80 == 0;
            length += more;
            let padded = &word[..length.next_multiple_of(STEP)];
            return is_ended.then(|| (xxh3_64(padded), length));
        }
        part.copy_from_slice(&(next | SMALL).to_le_bytes());
        length += STEP;
    }
    None
}

/// Eight bytes, the last of a text with NULs behind them.
#[inline]
fn eight(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<STEP>() {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => {
            let mut chunk = [0; STEP];
            chunk[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(chunk)
        }
    }
}

/// How many of the eight bytes, from the first, are letters and digits of ASCII. All eight are asked at once:
/// a sum sets a byte's highest bit where the byte is not less than something, and never reaches the next byte.
#[inline]
fn ascii_word(bytes: u64) -> usize {
    let low = bytes & !FLAGS;
    let small = low | SMALL;
    let not_less = |bytes: u64, least: u8| bytes + u64::from(0x80 - least) * ALL;
    let letter = not_less(small, b'a') & !not_less(small, b'z' + 1);
    let digit = not_less(low, b'0') & !not_less(low, b'9' + 1);
    let other = !((letter | digit) & !bytes) & FLAGS;
    other.trailing_zeros() as usize / STEP
}

/// The word, or the character that belongs to none, that `text` begins with; and how long it is.
#[cold]
fn foreign(text: &str, word: &mut Vec<u8>, take: &mut impl FnMut(u64)) -> usize {
    word.clear();
    let mut length = 0;
    for character in text.chars() {
        if is_unspaced(character) {
            if length == 0 {
                return pairs(text, take);
            }
            break;
        }
        if !character.is_alphanumeric() {
            length += if length == 0 { character.len_utf8() } else { 0 };
            break;
        }
        push_small(word, character);
        length += character.len_utf8();
    }
    if !word.is_empty() {
        take(hash_of(word));
    }
    length
}

/// The pairs of the stretch of unspaced script that `text` begins with; a character alone is its own. Marks
/// above and below are passed over.
fn pairs(text: &str, take: &mut impl FnMut(u64)) -> usize {
    let length = text.find(|c| !is_unspaced(c)).unwrap_or(text.len());
    let mut pair = Vec::with_capacity(2 * STEP);
    let mut previous = None;
    let mut is_alone = true;
    for character in text[..length].chars().filter(|c| c.is_alphanumeric()) {
        if let Some(previous) = previous.replace(character) {
            pair.clear();
            push_small(&mut pair, previous);
            push_small(&mut pair, character);
            take(hash_of(&mut pair));
            is_alone = false;
        }
    }
    if let (Some(character), true) = (previous, is_alone) {
        pair.clear();
        push_small(&mut pair, character);
        take(hash_of(&mut pair));
    }
    length
}

fn push_small(word: &mut Vec<u8>, character: char) {
    for small in character.to_lowercase() {
        word.extend_from_slice(small.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

fn hash_of(word: &mut Vec<u8>) -> u64 {
    word.resize(word.len().next_multiple_of(STEP), 0);
    xxh3_64(word)
}

/// Scripts whose words stand side by side: Thai, Lao, Myanmar, Khmer, kana, Han.
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0E00}'..='\u{0EFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30FF}'
        | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{A9E0}'..='\u{A9FF}'
        | '\u{AA60}'..='\u{AA7F}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9F}'
        | '\u{1B000}'..='\u{1B16F}'
        | '\u{20000}'..='\u{3FFFF}')
}
