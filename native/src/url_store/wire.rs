//! Reads and writes the small binary formats of this module: varints, fixed arrays, text.
//!
//! A reader never panics and never allocates more than the length of its input. Invalid input gives `None`, and the
//! caller reports whose bytes were bad.

/// A cursor over untrusted bytes.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    pub fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*head)
    }

    pub fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(head)
    }

    pub fn float(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// LEB128, at most ten bytes; values above 64 bits are refused.
    pub fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if (bits << shift) >> shift != bits {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub fn small(&mut self) -> Option<u32> {
        self.varint().and_then(|value| u32::try_from(value).ok())
    }

    /// UTF-8 with a length prefix, refused above `limit` bytes.
    pub fn text(&mut self, limit: usize) -> Option<&'a str> {
        let length = usize::try_from(self.varint()?).ok()?;
        if length > limit {
            return None;
        }
        std::str::from_utf8(self.bytes(length)?).ok()
    }
}

pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_varint_comes_back_as_it_went_in() {
        for value in [
            0,
            1,
            127,
            128,
            16_383,
            16_384,
            u64::from(u32::MAX),
            u64::MAX,
        ] {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            let mut reader = Reader::new(&bytes);
            assert_eq!(reader.varint(), Some(value));
            assert!(reader.is_empty());
        }
    }

    #[test]
    fn a_varint_that_overflows_or_never_ends_is_refused() {
        assert_eq!(Reader::new(&[0xff; 9]).varint(), None);
        assert_eq!(Reader::new(&[0xff; 11]).varint(), None);
        assert_eq!(
            Reader::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]).varint(),
            None
        );
    }

    #[test]
    fn text_longer_than_its_limit_or_its_input_is_refused() {
        let mut bytes = Vec::new();
        put_text(&mut bytes, "hello");
        assert_eq!(Reader::new(&bytes).text(5), Some("hello"));
        assert_eq!(Reader::new(&bytes).text(4), None);
        assert_eq!(Reader::new(&bytes[..4]).text(5), None);
        assert_eq!(Reader::new(&[1, 0xff]).text(5), None);
    }
}
