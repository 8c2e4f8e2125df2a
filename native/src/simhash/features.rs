//! The features of a text: its words in lower case, each as a hash.
//!
//! A word is a sequence of letters and digits. In scripts without spaces between words, every two neighbouring
//! characters are a word. The hash is XXH3-64 over the word, padded with NULs to a multiple of sixteen bytes: so
//! nearly every word is hashed by the same few instructions, whatever its length.
//!
//! The first pass finds all edges, where letters begin and end, 64 bytes at a time; the second takes the words
//! between them. Walking from byte to byte takes three times as long, because of branch mispredictions.

use xxhash_rust::xxh3::xxh3_64;

use crate::sixteen::{SIXTEEN, Sixteen};

const STRETCH: usize = 64;
const WORD: usize = 16;
/// The highest bit of each byte, which is set if it is not ASCII.
const FOREIGN: u128 = u128::from_le_bytes([0x80; WORD]);
/// The bit that turns an ASCII letter into lower case and does not change a digit.
const SMALL: u128 = u128::from_le_bytes([0x20; WORD]);

/// Finds features; its buffers are reused for the next text.
#[derive(Default)]
pub struct Features {
    edges: Vec<u32>,
    word: Vec<u8>,
}

impl Features {
    /// `take` gets each word, and whether it begins with a digit.
    pub fn each(&mut self, text: &str, mut take: impl FnMut(u64, bool)) {
        note_edges(text.as_bytes(), &mut self.edges);
        for edge in self.edges.chunks_exact(2) {
            let (from, to) = (edge[0] as usize, edge[1] as usize);
            let word = start_of(text.as_bytes(), from, to - from);
            if to - from <= WORD && word & FOREIGN == 0 {
                let is_figure = (word as u8).is_ascii_digit();
                take(xxh3_64(&word.to_le_bytes()), is_figure);
            } else {
                foreign(&text[from..to], &mut self.word, &mut take);
            }
        }
    }
}

/// Positions where stretches of letters, digits and non-ASCII bytes begin and end, alternating.
fn note_edges(bytes: &[u8], edges: &mut Vec<u32>) {
    edges.clear();
    let mut before = 0;
    let mut from = 0;
    for stretch in bytes.chunks(STRETCH) {
        let members = match stretch.first_chunk() {
            Some(whole) => members_of(whole),
            None => {
                let mut whole = [0; STRETCH];
                whole[..stretch.len()].copy_from_slice(stretch);
                members_of(&whole)
            }
        };
        let mut turns = members ^ (members << 1 | before);
        while turns != 0 {
            edges.push(from + turns.trailing_zeros());
            turns &= turns - 1;
        }
        before = members >> (STRETCH - 1);
        from += STRETCH as u32;
    }
    if before == 1 {
        edges.push(bytes.len() as u32);
    }
}

/// One bit per byte, set if the byte may belong to a word.
fn members_of(stretch: &[u8; STRETCH]) -> u64 {
    let (sixteens, _) = stretch.as_chunks();
    let bits = sixteens.iter().map(members_of_sixteen);
    bits.rev()
        .fold(0, |members, bits| members << SIXTEEN | u64::from(bits))
}

#[inline]
fn members_of_sixteen(bytes: &[u8; SIXTEEN]) -> u32 {
    let bytes = Sixteen::of(bytes);
    bytes.small().within(b'a', b'z') | bytes.within(b'0', b'9') | bytes.not_ascii()
}

/// The first sixteen bytes of a word, with ASCII letters in lower case, padded with NULs.
#[inline]
fn start_of(bytes: &[u8], from: usize, length: usize) -> u128 {
    let start = match bytes[from..].first_chunk::<WORD>() {
        Some(start) => u128::from_le_bytes(*start),
        None => {
            let mut start = [0; WORD];
            start[..bytes.len() - from].copy_from_slice(&bytes[from..]);
            u128::from_le_bytes(start)
        }
    };
    let beyond = 8 * (WORD - length.min(WORD)) as u32;
    (start | SMALL) & (u128::MAX >> beyond)
}

/// Handles a stretch that is long or not all ASCII.
#[cold]
fn foreign(text: &str, word: &mut Vec<u8>, take: &mut impl FnMut(u64, bool)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if is_unspaced(first) {
            pairs(rest, word, take)
        } else if first.is_alphanumeric() {
            spaced_word(rest, word, take)
        } else {
            first.len_utf8()
        };
        rest = &rest[length..];
    }
}

fn spaced_word(text: &str, word: &mut Vec<u8>, take: &mut impl FnMut(u64, bool)) -> usize {
    let is_end = |c: char| !c.is_alphanumeric() || is_unspaced(c);
    let length = text.find(is_end).unwrap_or(text.len());
    let is_figure = text.starts_with(char::is_numeric);
    take(hash_of(text[..length].chars(), word), is_figure);
    length
}

/// The character pairs of the unspaced script at the start of `text`; a single character is its own feature. Combining
/// marks are skipped.
fn pairs(text: &str, word: &mut Vec<u8>, take: &mut impl FnMut(u64, bool)) -> usize {
    let length = text.find(|c| !is_unspaced(c)).unwrap_or(text.len());
    let characters = || text[..length].chars().filter(|c| c.is_alphanumeric());
    for (first, second) in characters().zip(characters().skip(1)) {
        take(hash_of([first, second], word), false);
    }
    if characters().nth(1).is_none() && characters().next().is_some() {
        take(hash_of(characters(), word), false);
    }
    length
}

fn hash_of(characters: impl IntoIterator<Item = char>, word: &mut Vec<u8>) -> u64 {
    word.clear();
    for small in characters.into_iter().flat_map(char::to_lowercase) {
        word.extend_from_slice(small.encode_utf8(&mut [0; 4]).as_bytes());
    }
    word.resize(word.len().next_multiple_of(WORD), 0);
    xxh3_64(word)
}

/// Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han.
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
