//! Tests eight bytes at once.

pub const EIGHT: usize = 8;

const EACH: u64 = u64::from_le_bytes([1; EIGHT]);
const HIGHEST: u64 = 0x80 * EACH;
const LOWER: u64 = 0x7F * EACH;

/// Eight bytes as one number. A result has the highest bit of each matching byte set; the first byte is the lowest. The
/// sums use seven bits per byte and never carry into the next, so every result is exact.
#[derive(Clone, Copy)]
pub struct Eight(u64);

impl Eight {
    pub fn of(bytes: [u8; EIGHT]) -> Self {
        Eight(u64::from_le_bytes(bytes))
    }

    pub fn equal_to(self, byte: u8) -> u64 {
        let difference = self.0 ^ (u64::from(byte) * EACH);
        !(((difference & LOWER) + LOWER) | difference) & HIGHEST
    }

    /// ASCII bytes up to `most`, which must be below the last one.
    pub fn up_to(self, most: u8) -> u64 {
        !self.above(most) & !self.0 & HIGHEST
    }

    /// Capital letters of ASCII.
    pub fn capitals(self) -> u64 {
        self.above(b'A' - 1) & self.up_to(b'Z')
    }

    /// Compares the lower seven bits; other bits of the result have no meaning.
    fn above(self, most: u8) -> u64 {
        (self.0 & LOWER) + u64::from(0x7F - most) * EACH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(marks: u64) -> Vec<bool> {
        assert_eq!(marks & !HIGHEST, 0);
        marks.to_le_bytes().iter().map(|byte| *byte != 0).collect()
    }

    #[test]
    fn every_byte_is_answered_for_itself_whatever_its_neighbours() {
        for first in 0..=255_u8 {
            for other in [0, 1, b' ', b'A', b'Z', b'[', 0x7F, 0x80, 0xC2, 0xFF] {
                let bytes = [first, other, first, first, other, other, first, other];
                let eight = Eight::of(bytes);
                let each = |holds: fn(u8) -> bool| {
                    bytes.iter().map(|byte| holds(*byte)).collect::<Vec<_>>()
                };
                assert_eq!(marked(eight.equal_to(b' ')), each(|byte| byte == b' '));
                assert_eq!(marked(eight.equal_to(0xC2)), each(|byte| byte == 0xC2));
                assert_eq!(marked(eight.up_to(b' ')), each(|byte| byte <= b' '));
                assert_eq!(
                    marked(eight.capitals()),
                    each(|byte| byte.is_ascii_uppercase())
                );
            }
        }
    }
}
