//! The head of a record: its type, its id and the fields about its block.

use std::fmt;

use sha2::{Digest, Sha256};

use super::digest::push_hex;

/// Typical length of a head.
const TYPICAL: usize = 640;

/// Follows every block.
pub const END: &[u8] = b"\r\n\r\n";

/// A hash of what identifies the record, not a random number: the same fetch always has the same ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordId([u8; 16]);

impl RecordId {
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let mut id = [0; 16];
        id.copy_from_slice(&hasher.finalize()[..16]);
        id[6] = id[6] & 0x0f | 0x80; // version 8: custom (RFC 9562)
        id[8] = id[8] & 0x3f | 0x80;
        RecordId(id)
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(47);
        text.push_str("<urn:uuid:");
        for (group, bytes) in [0..4, 4..6, 6..8, 8..10, 10..16].into_iter().enumerate() {
            text.push_str(if group == 0 { "" } else { "-" });
            push_hex(&self.0[bytes], &mut text);
        }
        text.push('>');
        formatter.write_str(&text)
    }
}

/// Builds a head field by field.
#[derive(Debug)]
pub struct RecordHead(String);

impl RecordHead {
    pub fn new(kind: &str, id: RecordId, date: &str) -> Self {
        let mut text = String::with_capacity(TYPICAL);
        text.push_str("WARC/1.1\r\n");
        RecordHead(text)
            .field("WARC-Type", kind)
            .field("WARC-Record-ID", &id.to_string())
            .field("WARC-Date", date)
    }

    /// Replaces control characters by spaces, so that a value cannot end its line.
    pub fn field(mut self, name: &str, value: &str) -> Self {
        self.0.push_str(name);
        self.0.push_str(": ");
        match value.contains(char::is_control) {
            true => self.0.extend(value.chars().map(without_control)),
            false => self.0.push_str(value),
        }
        self.0.push_str("\r\n");
        self
    }

    pub fn field_if(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.field(name, value),
            None => self,
        }
    }

    /// Completes the head for a block of that length, with the empty line.
    pub fn end(self, content_type: &str, block_length: usize) -> Vec<u8> {
        let mut text = self
            .field("Content-Type", content_type)
            .field("Content-Length", &block_length.to_string())
            .0;
        text.push_str("\r\n");
        text.into_bytes()
    }
}

fn without_control(character: char) -> char {
    if character.is_control() {
        ' '
    } else {
        character
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_uuid_that_depends_on_every_part() {
        let id = RecordId::of(&[b"a", b"bc"]).to_string();
        assert_eq!(id.len(), "<urn:uuid:>".len() + 36);
        assert_eq!(&id[24..25], "8");
        assert_eq!(id, RecordId::of(&[b"a", b"bc"]).to_string());
        assert_ne!(id, RecordId::of(&[b"ab", b"c"]).to_string());
    }

    #[test]
    fn a_value_cannot_forge_a_field() {
        let head = RecordHead::new("response", RecordId::of(&[]), "now")
            .field("WARC-Target-URI", "http://a.test/\r\nWARC-Type: forged")
            .end("text/plain", 0);
        let text = String::from_utf8(head).unwrap();
        assert_eq!(text.matches("\r\nWARC-Type:").count(), 1);
    }
}
