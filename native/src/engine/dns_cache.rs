//! A bounded cache of DNS answers by name.

use rustc_hash::FxHashMap;

use super::dns::Answer;

/// Capacity of one generation. There are two, so twice as many names are kept.
const GENERATION: usize = 50_000;

/// A cache with two generations. When the young one is full, it replaces the old one. A name that is requested moves to
/// the young one. This is cheaper than exact LRU order, and works as well.
#[derive(Debug, Default)]
pub struct Cache {
    young: FxHashMap<String, Answer>,
    old: FxHashMap<String, Answer>,
}

impl Cache {
    pub fn get(&mut self, host: &str, now: f64) -> Option<Answer> {
        if let Some(answer) = self.old.remove(host) {
            self.insert(host, answer);
        }
        self.young
            .get(host)
            .filter(|answer| now < answer.until)
            .cloned()
    }

    /// The last known addresses, even if they have expired.
    pub fn stale(&self, host: &str) -> Option<Answer> {
        let answer = self.young.get(host).or_else(|| self.old.get(host))?;
        answer.failure.is_none().then(|| answer.clone())
    }

    pub fn insert(&mut self, host: &str, answer: Answer) {
        if self.young.len() >= GENERATION && !self.young.contains_key(host) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(host.to_owned(), answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(until: f64) -> Answer {
        Answer {
            addresses: vec![([192, 0, 2, 1], 0).into()],
            until,
            fresh_until: until,
            failure: None,
        }
    }

    #[test]
    fn n1_answers_live_until_their_time_and_stay_as_a_fall_back() {
        let now = 1_000.0;
        let mut cache = Cache::default();
        cache.insert("a.com", answer(now + 60.0));
        assert!(cache.get("a.com", now).is_some());
        assert!(cache.get("a.com", now + 60.0).is_none());
        assert!(cache.stale("a.com").is_some());
    }

    #[test]
    fn the_cache_never_holds_more_than_two_generations() {
        let now = 1_000.0;
        let mut cache = Cache::default();
        for number in 0..GENERATION * 3 {
            cache.insert(&number.to_string(), answer(now + 1.0));
            cache.get("0", now);
        }
        assert!(cache.young.len() + cache.old.len() <= GENERATION * 2);
        assert!(cache.get("0", now).is_some());
        assert!(cache.get("1", now).is_none());
    }
}
