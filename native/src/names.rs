//! Interned names in memory: `https://example.com` ⇄ a number.
//!
//! The URL store keeps its origins here, and a scope its members. All names are in one buffer: a
//! frame looks up hundreds of them, and a tree look-up for each would cost more than the URLs do. A
//! name takes about 40 bytes. The index holds numbers only and compares names in the
//! buffer.

use xxhash_rust::xxh3::xxh3_64;

const VACANT: u32 = u32::MAX;

#[derive(Debug, Default)]
pub struct Names {
    text: String,
    /// The end of each name in the buffer.
    ends: Vec<u64>,
    /// Open addressing; the size is a power of two, and it is at most three quarters full.
    index: Vec<u32>,
}

impl Names {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, number: u32) -> Option<&str> {
        let number = number as usize;
        let end = *self.ends.get(number)? as usize;
        let start = number
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize);
        self.text.get(start..end)
    }

    /// The number of a name. A new name gets a new number.
    pub fn intern(&mut self, name: &str) -> u32 {
        if (self.len() + 1) * 4 > self.index.len() * 3 {
            self.grow();
        }
        let place = self.place(name);
        if self.index[place] == VACANT {
            self.index[place] = self.len() as u32;
            self.text.push_str(name);
            self.ends.push(self.text.len() as u64);
        }
        self.index[place]
    }

    /// Interns a name. Returns its number if it is new.
    pub fn insert(&mut self, name: &str) -> Option<u32> {
        let before = self.len();
        let number = self.intern(name);
        (number as usize == before).then_some(number)
    }

    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    pub fn find(&self, name: &str) -> Option<u32> {
        let number = *self.index.get(self.place(name))?;
        (number != VACANT).then_some(number)
    }

    /// The slot of a name in the index, or the free slot for it.
    fn place(&self, name: &str) -> usize {
        let mask = self.index.len().wrapping_sub(1);
        let mut place = xxh3_64(name.as_bytes()) as usize & mask;
        while place < self.index.len()
            && self.index[place] != VACANT
            && self.get(self.index[place]) != Some(name)
        {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        self.index = vec![VACANT; (self.index.len() * 2).max(64)];
        let mask = self.index.len() - 1;
        for number in 0..self.len() as u32 {
            let hash = self.get(number).map_or(0, |name| xxh3_64(name.as_bytes()));
            let mut place = hash as usize & mask;
            while self.index[place] != VACANT {
                place = (place + 1) & mask;
            }
            self.index[place] = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number_and_a_number_its_name() {
        let mut names = Names::default();
        for round in 0..2 {
            for number in 0..10_000u32 {
                assert_eq!(
                    names.intern(&format!("http://h{number}.test")),
                    number,
                    "round {round}"
                );
            }
        }
        assert_eq!(names.len(), 10_000);
        assert_eq!(names.get(77), Some("http://h77.test"));
        assert_eq!(names.get(0), Some("http://h0.test"));
        assert_eq!(names.get(10_000), None);
        assert_eq!(names.find("http://h77.test"), Some(77));
        assert_eq!(names.find("http://stranger.test"), None);
        assert_eq!(Names::default().find("http://h0.test"), None);
    }
}
