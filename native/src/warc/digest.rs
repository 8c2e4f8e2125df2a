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
