//! The most recently used records: a bounded cache with two generations.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// When the young generation is full, it replaces the old one. A record that is used moves to the young one.
#[derive(Debug)]
pub struct Recent<R> {
    young: FxHashMap<Box<str>, Arc<R>>,
    old: FxHashMap<Box<str>, Arc<R>>,
    generation: usize,
}

impl<R> Recent<R> {
    /// At most `capacity` + 1 records.
    pub fn new(capacity: usize) -> Self {
        Recent {
            young: FxHashMap::default(),
            old: FxHashMap::default(),
            generation: (capacity / 2).max(1),
        }
    }

    pub fn get(&mut self, name: &str) -> Option<Arc<R>> {
        if let Some(record) = self.young.get(name) {
            return Some(record.clone());
        }
        let (name, record) = self.old.remove_entry(name)?;
        self.put(name, record.clone());
        Some(record)
    }

    /// Whether the record is here; does not count as a use.
    pub fn has(&self, name: &str) -> bool {
        self.young.contains_key(name) || self.old.contains_key(name)
    }

    pub fn insert(&mut self, name: &str, record: Arc<R>) {
        if let Some(held) = self.young.get_mut(name) {
            *held = record;
            return;
        }
        self.old.remove(name);
        self.put(name.into(), record);
    }

    fn put(&mut self, name: Box<str>, record: Arc<R>) {
        if self.young.len() >= self.generation {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(name, record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_was_asked_for_last_and_never_more_than_it_may() {
        let mut recent = Recent::new(10);
        for number in 0..1_000 {
            recent.insert(&number.to_string(), Arc::new(number));
            assert_eq!(recent.get("0").map(|held| *held), Some(0));
            assert!(recent.young.len() + recent.old.len() <= 11);
        }
        assert!(recent.get("5").is_none());
        recent.insert("0", Arc::new(7));
        assert_eq!(recent.get("0").map(|held| *held), Some(7));
    }
}
