//! `sha256:` and hex: the label of a digest.

use std::fmt::Write;

use sha2::{Digest, Sha256};

pub fn label(hash: &[u8; 32]) -> String {
    hash.iter().fold(String::from("sha256:"), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub fn of(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    label(&hasher.finalize().into())
}
