//! `sha256:` and hex: the label of a digest.

use sha2::{Digest, Sha256};

pub fn label(hash: &[u8; 32]) -> String {
    let mut text = String::with_capacity(7 + 2 * hash.len());
    text.push_str("sha256:");
    push_hex(hash, &mut text);
    text
}

pub fn push_hex(bytes: &[u8], text: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
    text.extend(
        bytes
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]),
    );
}

pub fn of(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    label(&hasher.finalize().into())
}

/// The digests of two texts, hashed alternately one block of SHA-256 at a time: a processor with SHA instructions
/// mostly waits for the previous block, and can hash the other text meanwhile.
pub fn of_both(first: &[&[u8]], second: &[&[u8]]) -> (String, String) {
    let (mut one, mut other) = (Sha256::new(), Sha256::new());
    let (mut ones, mut others) = (blocks(first), blocks(second));
    loop {
        match (ones.next(), others.next()) {
            (None, None) => break,
            (of_one, of_other) => {
                one.update(of_one.unwrap_or_default());
                other.update(of_other.unwrap_or_default());
            }
        }
    }
    (
        label(&one.finalize().into()),
        label(&other.finalize().into()),
    )
}

const BLOCK: usize = 64;

fn blocks<'a>(parts: &'a [&'a [u8]]) -> impl Iterator<Item = &'a [u8]> {
    parts.iter().flat_map(|part| part.chunks(BLOCK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_texts_at_once_have_the_digests_that_each_has_alone() {
        let text: Vec<u8> = (0..1000_u32).map(|number| number as u8).collect();
        for (head, body) in [(0, 0), (1, 0), (0, 64), (63, 65), (200, 800), (1000, 1)] {
            let (first, second) = ([&text[..head], &text[..body]], [&text[..body]]);
            let alone = (of(&first), of(&second));
            assert_eq!(of_both(&first, &second), alone, "{head} {body}");
        }
    }
}
