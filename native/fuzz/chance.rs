//! Chance that can be repeated: xorshift64*.

pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Less than `limit`; 0 where that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        match limit {
            0 => 0,
            limit => ((self.number() >> 32) as usize) % limit,
        }
    }

    pub fn of<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}
