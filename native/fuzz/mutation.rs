//! An input, changed a little.

use crate::chance::Chance;

const LONGEST: usize = 4096;
const MOST_CHANGES: usize = 6;

pub fn mutated(
    input: &[u8],
    other: &[u8],
    tokens: &[&'static str],
    chance: &mut Chance,
) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=chance.below(MOST_CHANGES) {
        change(&mut bytes, other, tokens, chance);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], tokens: &[&'static str], chance: &mut Chance) {
    let (from, to) = range(bytes.len(), chance);
    match chance.below(10) {
        0 => bytes
            .iter_mut()
            .skip(from)
            .take(1)
            .for_each(|byte| *byte ^= 1 << (to % 8)),
        1 => bytes
            .iter_mut()
            .skip(from)
            .take(1)
            .for_each(|byte| *byte = to as u8),
        2 => drop(bytes.drain(from..to)),
        3 => insert(bytes, from, &[chance.number() as u8]),
        4 => insert(bytes, from, odd(chance)),
        5 => {
            let copy = bytes[from..to].to_vec();
            let place = chance.below(bytes.len() + 1);
            insert(bytes, place, &copy);
        }
        6 => {
            let copy = bytes[from..to].repeat(1 + chance.below(8));
            insert(bytes, to, &copy);
        }
        7 => {
            let (from_other, to_other) = range(other.len(), chance);
            bytes.splice(from..to, other[from_other..to_other].iter().copied());
        }
        _ => {
            let token = chance.of(tokens).copied().unwrap_or_default();
            insert(bytes, from, token.as_bytes());
        }
    }
}

fn odd(chance: &mut Chance) -> &'static [u8] {
    const ODD: [&[u8]; 12] = [
        b"\0",
        b"\r",
        b"\n",
        b"\r\n\r\n",
        b"\xFF\xFE",
        b"\xEF\xBB\xBF",
        b"\xE3\x80\x80",
        b"\xF0\x9F",
        b"%00",
        b"%",
        b"18446744073709551615",
        b"-1",
    ];
    ODD[chance.below(ODD.len())]
}

fn insert(bytes: &mut Vec<u8>, place: usize, piece: &[u8]) {
    bytes.splice(place..place, piece.iter().copied());
}

fn range(length: usize, chance: &mut Chance) -> (usize, usize) {
    let from = chance.below(length + 1);
    let longest = if chance.below(4) == 0 { length } else { 16 };
    (from, (from + chance.below(longest + 1)).min(length))
}
