//! Tests sixteen bytes at once. A result has one bit for each byte, the lowest for the first.

pub const SIXTEEN: usize = 16;

#[cfg(not(target_arch = "x86_64"))]
pub use portable::Sixteen;
#[cfg(target_arch = "x86_64")]
pub use sse2::Sixteen;

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128,
        _mm_set1_epi8, _mm_sub_epi8,
    };

    use super::SIXTEEN;

    #[derive(Clone, Copy)]
    pub struct Sixteen(__m128i);

    // SAFETY of each block here: SSE2 is part of x86_64, so these instructions are always there.
    impl Sixteen {
        #[inline]
        pub fn of(bytes: &[u8; SIXTEEN]) -> Self {
            // SAFETY: the load needs no alignment, and the array is as long as what is loaded.
            Sixteen(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
        }

        #[inline]
        pub fn equal_to(self, byte: u8) -> u32 {
            // SAFETY: as above.
            unsafe { marks(_mm_cmpeq_epi8(self.0, _mm_set1_epi8(byte as i8))) }
        }

        /// Bytes from `first` to `last`, both included.
        #[inline]
        pub fn within(self, first: u8, last: u8) -> u32 {
            // SAFETY: as above.
            unsafe {
                let above = _mm_sub_epi8(self.0, _mm_set1_epi8(first as i8));
                let most = _mm_set1_epi8((last - first) as i8);
                marks(_mm_cmpeq_epi8(_mm_min_epu8(above, most), above))
            }
        }

        #[inline]
        pub fn not_ascii(self) -> u32 {
            // SAFETY: as above.
            unsafe { marks(self.0) }
        }

        /// The same bytes with ASCII letters in lower case.
        #[inline]
        pub fn small(self) -> Self {
            // SAFETY: as above.
            Sixteen(unsafe { _mm_or_si128(self.0, _mm_set1_epi8(0x20)) })
        }
    }

    /// The highest bit of each byte.
    #[inline]
    unsafe fn marks(bytes: __m128i) -> u32 {
        // SAFETY: as above.
        unsafe { _mm_movemask_epi8(bytes) as u32 }
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::SIXTEEN;

    /// The same for machines without SSE2.
    #[derive(Clone, Copy)]
    pub struct Sixteen([u8; SIXTEEN]);

    impl Sixteen {
        #[inline]
        pub fn of(bytes: &[u8; SIXTEEN]) -> Self {
            Sixteen(*bytes)
        }

        #[inline]
        pub fn equal_to(self, byte: u8) -> u32 {
            self.within(byte, byte)
        }

        #[inline]
        pub fn within(self, first: u8, last: u8) -> u32 {
            let is_within = |byte: &u8| byte.wrapping_sub(first) <= last - first;
            let bits = self.0.iter().rev().map(is_within);
            bits.fold(0, |marks, bit| marks << 1 | u32::from(bit))
        }

        #[inline]
        pub fn not_ascii(self) -> u32 {
            self.within(0x80, 0xFF)
        }

        #[inline]
        pub fn small(self) -> Self {
            Sixteen(self.0.map(|byte| byte | 0x20))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(bytes: &[u8; SIXTEEN], holds: impl Fn(u8) -> bool) -> u32 {
        let bits = bytes
            .iter()
            .enumerate()
            .map(|(index, byte)| u32::from(holds(*byte)) << index);
        bits.sum()
    }

    #[test]
    fn every_byte_is_answered_for_itself_on_every_machine() {
        for first in 0..=255_u8 {
            for other in [
                0, b' ', b'0', b'9', b'Z', b'a', b'z', 0x7F, 0x80, 0xC2, 0xFF,
            ] {
                let mut bytes = [other; SIXTEEN];
                for place in [0, 3, 4, 7, 8, 14] {
                    bytes[place] = first;
                }
                let (here, anywhere) = (Sixteen::of(&bytes), portable::Sixteen::of(&bytes));
                for (byte, last) in [
                    (0, 0x1F),
                    (b' ', b' '),
                    (b'0', b'9'),
                    (b'a', b'z'),
                    (0xE1, 0xFF),
                ] {
                    let within = marked(&bytes, |one| (byte..=last).contains(&one));
                    assert_eq!(here.within(byte, last), within);
                    assert_eq!(anywhere.within(byte, last), within);
                    let equal = marked(&bytes, |one| one == byte);
                    assert_eq!(here.equal_to(byte), equal);
                    assert_eq!(anywhere.equal_to(byte), equal);
                }
                let foreign = marked(&bytes, |one| !one.is_ascii());
                assert_eq!((here.not_ascii(), anywhere.not_ascii()), (foreign, foreign));
                let small = marked(&bytes, |one| one | 0x20 == b'a');
                assert_eq!(here.small().equal_to(b'a'), small);
                assert_eq!(anywhere.small().equal_to(b'a'), small);
            }
        }
    }
}
