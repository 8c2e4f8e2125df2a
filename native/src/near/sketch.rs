//! The sketch of a text: how similar two texts are, from 76 bytes of each (X2).
//!
//! A feature is a pair of neighbouring words of a block, so the order of blocks does not matter. Words that begin with a
//! digit are skipped: texts that differ in dates and prices alone are near copies. In scripts without spaces between
//! words, the words are pairs of characters (`simhash::features`).
//!
//! Each feature falls into one of 64 bins, and each bin keeps its smallest hash: MinHash with one permutation (P. Li and
//! others, 2012), which needs one hash per feature instead of 64. An empty bin takes the value of another, by a fixed
//! sequence (A. Shrivastava, 2017). The share of equal bins estimates the Jaccard similarity of the two texts.

/// Bins, of which the sketch keeps the low byte each.
pub const BINS: usize = 64;
/// A band is a few bins that texts must share to be compared. These bins keep a second byte.
pub const BANDS: usize = 4;
const ROWS: usize = 3;
/// Bytes of a sketch.
pub const BYTES: usize = BINS + BANDS * ROWS;
/// Bits of the hash of a band.
pub const BAND_BITS: u32 = 40;

/// Bins that must be filled: about 45 different features. Shorter texts are not compared.
const LEAST_BINS: usize = 32;
const EMPTY: u32 = u32::MAX;
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
const MIX_AGAIN: u64 = 0xD6E8_FEB8_6659_FD93;

pub type Sketch = [u8; BYTES];

pub struct SketchBuilder {
    least: [u32; BINS],
    before: u64,
}

impl Default for SketchBuilder {
    fn default() -> Self {
        SketchBuilder {
            least: [EMPTY; BINS],
            before: 0,
        }
    }
}

impl SketchBuilder {
    /// The next words do not continue those before.
    pub fn begin_block(&mut self) {
        self.before = 0;
    }

    #[inline]
    pub fn add(&mut self, word: u64) {
        let before = std::mem::replace(&mut self.before, word);
        let feature = mixed(before.rotate_left(23).wrapping_add(word));
        let bin = (feature >> (u64::BITS - 6)) as usize;
        self.least[bin] = self.least[bin].min(feature as u32);
    }

    /// `None` if the text is too short to be compared.
    pub fn finish(self) -> Option<Sketch> {
        let filled = self.least.iter().filter(|least| **least != EMPTY).count();
        if filled < LEAST_BINS {
            return None;
        }
        let mut sketch = [0; BYTES];
        let values: [u32; BINS] = std::array::from_fn(|bin| self.value_of(bin));
        for (low, value) in sketch.iter_mut().zip(&values) {
            *low = *value as u8;
        }
        for (high, value) in sketch[BINS..].iter_mut().zip(&values) {
            *high = (*value >> 8) as u8;
        }
        Some(sketch)
    }

    /// At least half of the bins are filled, so the sequence ends soon.
    fn value_of(&self, bin: usize) -> u32 {
        let mut place = bin;
        let mut step = bin as u64;
        while self.least[place] == EMPTY {
            step = mixed(step.wrapping_add(MIX));
            place = (step >> (u64::BITS - 6)) as usize;
        }
        self.least[place]
    }
}

#[inline]
fn mixed(value: u64) -> u64 {
    let value = (value ^ value >> 32).wrapping_mul(MIX);
    (value ^ value >> 29).wrapping_mul(MIX_AGAIN)
}

/// How many of the [`BINS`] are equal.
pub fn equal_bins(one: &Sketch, other: &Sketch) -> u32 {
    let pairs = one[..BINS].iter().zip(&other[..BINS]);
    pairs.map(|(one, other)| u32::from(one == other)).sum()
}

/// The hashes of the bands, of [`BAND_BITS`] each.
pub fn bands(sketch: &Sketch) -> [u64; BANDS] {
    std::array::from_fn(|band| {
        let bins = band * ROWS..(band + 1) * ROWS;
        let low = bins.clone().map(|bin| sketch[bin]);
        let high = bins.map(|bin| sketch[BINS + bin]);
        let joined = low.chain(high).fold(band as u64 + 1, |joined, byte| {
            joined << 8 | u64::from(byte)
        });
        mixed(mixed(joined)) >> (u64::BITS - BAND_BITS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch_of(words: impl IntoIterator<Item = u64>) -> Option<Sketch> {
        let mut builder = SketchBuilder::default();
        for word in words {
            builder.add(mixed(word));
        }
        builder.finish()
    }

    #[test]
    fn x2_equal_bins_estimate_the_similarity() {
        for (kept, share) in [(1000, 1.0), (950, 0.9), (800, 0.66), (500, 0.33), (0, 0.0)] {
            let mut equal = 0;
            for seed in 0..50u64 {
                let one = sketch_of((0..1000).map(|word| seed << 32 | word)).unwrap();
                let other = (0..1000).map(|word| if word < kept { word } else { word + 5000 });
                equal += equal_bins(
                    &one,
                    &sketch_of(other.map(|word| seed << 32 | word)).unwrap(),
                );
            }
            let found = f64::from(equal) / (50.0 * BINS as f64);
            assert!((found - share).abs() < 0.03, "{found} instead of {share}");
        }
    }

    #[test]
    fn x2_a_text_of_few_words_has_no_sketch() {
        assert_eq!(sketch_of(0..20), None);
        assert_eq!(sketch_of(std::iter::repeat_n(7, 10_000)), None);
        assert!(sketch_of(0..100).is_some());
    }

    #[test]
    fn x2_similar_texts_share_a_band_and_others_do_not() {
        let shares = |kept: u64| {
            let share = |seed: u64| {
                let one = bands(&sketch_of((0..200).map(|word| seed << 32 | word)).unwrap());
                let changed = (0..200).map(|word| if word < kept { word } else { word + 5000 });
                let other = bands(&sketch_of(changed.map(|word| seed << 32 | word)).unwrap());
                usize::from(one.iter().zip(other).any(|(one, other)| *one == other))
            };
            (0..1000).map(share).sum::<usize>()
        };
        assert!(shares(195) > 980, "{} of 1000", shares(195));
        assert!(shares(20) < 10, "{} of 1000", shares(20));
        let all = bands(&sketch_of(0..200).unwrap());
        assert!(all.iter().all(|band| *band < 1 << BAND_BITS));
    }
}
