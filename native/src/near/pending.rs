//! Pages that were found to be no near copies and are in no frame yet.

use rustc_hash::FxHashMap;

use super::Key;
use super::sketch::{BANDS, Sketch, bands};

#[derive(Default)]
pub struct Pending {
    sketches: FxHashMap<Key, Sketch>,
    by_band: FxHashMap<u64, Vec<Key>>,
}

impl Pending {
    pub fn insert(&mut self, key: Key, sketch: Sketch) {
        self.remove(&key);
        self.sketches.insert(key, sketch);
        for band in bands(&sketch) {
            self.by_band.entry(band).or_default().push(key);
        }
    }

    pub fn remove(&mut self, key: &Key) {
        let Some(sketch) = self.sketches.remove(key) else {
            return;
        };
        for band in bands(&sketch) {
            if let Some(keys) = self.by_band.get_mut(&band) {
                keys.retain(|other| other != key);
                if keys.is_empty() {
                    self.by_band.remove(&band);
                }
            }
        }
    }

    /// The pages that share a band, in the order in which they came.
    pub fn find(&self, wanted: &[u64; BANDS], most: usize) -> Vec<(Key, Sketch)> {
        let lists = wanted.iter().filter_map(|band| self.by_band.get(band));
        let mut found: Vec<(Key, Sketch)> = Vec::new();
        for key in lists.flatten().take(most) {
            if let Some(sketch) = self.sketches.get(key)
                && !found.iter().any(|(other, _)| other == key)
            {
                found.push((*key, *sketch));
            }
        }
        found
    }
}
