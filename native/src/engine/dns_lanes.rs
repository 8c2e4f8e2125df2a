//! Limits how many names are looked up at once, so that names that nobody answers do not delay the others (N1, P4).
//!
//! A look-up starts in the quick lane. After a second it moves to the slow lane. If that is full, it gives up its place
//! and starts again when the slow lane has room. So no look-up holds a place in the quick lane for long. A registrable
//! domain has a few places in both lanes together. If all of them are slow, the domain is closed: its other look-ups are
//! put off at once, until the slow ones have ended. One page can link to thousands of names of such a domain.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::url::registrable_domain;

/// Look-ups in the two lanes. Each has a socket.
const QUICK: usize = 96;
const SLOW: usize = 160;

/// Look-ups of one registrable domain at once, in both lanes.
const OF_A_DOMAIN: usize = 8;

/// Look-ups that may be under way or wait, to bound memory.
const MOST: usize = 10_000;

/// After this time a look-up is slow.
pub const QUICK_TIME: Duration = Duration::from_secs(1);

/// The time limit of a slow look-up.
const LONGEST: Duration = Duration::from_secs(20);

/// Why a name was not looked up.
#[derive(Debug, PartialEq)]
pub enum Unasked {
    /// Other look-ups of its domain are slow, or too many look-ups wait. It may be tried later.
    PutOff,
    TimedOut,
}

pub struct Lanes {
    quick: Semaphore,
    slow: Semaphore,
    domains: Mutex<FxHashMap<String, Arc<Domain>>>,
    entered: AtomicUsize,
}

/// A domain whose names are being looked up.
struct Domain {
    places: Semaphore,
    slow: AtomicUsize,
}

impl Default for Lanes {
    fn default() -> Self {
        Lanes {
            quick: Semaphore::new(QUICK),
            slow: Semaphore::new(SLOW),
            domains: Mutex::default(),
            entered: AtomicUsize::new(0),
        }
    }
}

impl Lanes {
    /// Runs a look-up of `host` when there is a place for it. `query` is called once more if it must start again.
    pub async fn run<T, F: Future<Output = T>>(
        &self,
        host: &str,
        query: impl Fn() -> F,
    ) -> Result<T, Unasked> {
        let visit = Visit::begin(self, host).ok_or(Unasked::PutOff)?;
        // Semaphores are fair. Only those of domains are ever closed.
        let place = visit.domain.places.acquire().await;
        let _place = place.map_err(|_| Unasked::PutOff)?;
        let quick = self.quick.acquire().await;
        let mut asked = Box::pin(query());
        if let Ok(answer) = timeout(QUICK_TIME, &mut asked).await {
            return Ok(answer);
        }
        visit.domain.note_slow();
        let slow = match self.slow.try_acquire() {
            Ok(slow) => slow,
            Err(_) => {
                drop((asked, quick));
                let slow = self.slow.acquire().await.map_err(|_| Unasked::PutOff)?;
                return finish(query(), slow).await;
            }
        };
        drop(quick);
        finish(asked, slow).await
    }
}

async fn finish<T, P>(asked: impl Future<Output = T>, _place: P) -> Result<T, Unasked> {
    timeout(LONGEST, asked).await.map_err(|_| Unasked::TimedOut)
}

impl Domain {
    /// Closes the domain if all its places are slow. It is forgotten, and so opened, when all of them are free.
    fn note_slow(&self) {
        if self.slow.fetch_add(1, Ordering::Relaxed) + 1 >= OF_A_DOMAIN {
            self.places.close();
        }
    }
}

/// One look-up from its beginning until its end.
struct Visit<'a> {
    lanes: &'a Lanes,
    name: &'a str,
    domain: Arc<Domain>,
}

impl<'a> Visit<'a> {
    fn begin(lanes: &'a Lanes, host: &'a str) -> Option<Self> {
        let name = registrable_domain(host).unwrap_or(host);
        if lanes.entered.fetch_add(1, Ordering::Relaxed) >= MOST {
            lanes.entered.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let new = || {
            Arc::new(Domain {
                places: Semaphore::new(OF_A_DOMAIN),
                slow: AtomicUsize::new(0),
            })
        };
        let mut domains = lanes.domains.lock();
        let domain = domains.entry(name.to_owned()).or_insert_with(new).clone();
        Some(Visit {
            lanes,
            name,
            domain,
        })
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        self.lanes.entered.fetch_sub(1, Ordering::Relaxed);
        let mut domains = self.lanes.domains.lock();
        // Only the map and this visit have it: no look-up of the domain is left.
        if Arc::strong_count(&self.domain) == 2 {
            domains.remove(self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use tokio::task::JoinSet;

    use super::*;

    fn on_runtime(test: impl Future<Output = ()>) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(test);
    }

    /// Starts look-ups that never end: `count` names of each of `domains` domains.
    fn start_silent(lanes: &Arc<Lanes>, domains: usize, count: usize) -> JoinSet<Unasked> {
        let mut started = JoinSet::new();
        for number in 0..domains * count {
            let lanes = lanes.clone();
            let host = format!("n{number}.evil{}.com", number % domains);
            started.spawn(async move { lanes.run(&host, pending::<()>).await.unwrap_err() });
        }
        started
    }

    async fn answers_within(lanes: &Lanes, host: &str, seconds: u64) -> bool {
        let asked = lanes.run(host, || ready(1));
        timeout(Duration::from_secs(seconds), asked).await == Ok(Ok(1))
    }

    #[test]
    fn n1_thousands_of_names_that_nobody_answers_leave_places_to_others() {
        on_runtime(async {
            let lanes = Arc::new(Lanes::default());
            let _silent = start_silent(&lanes, 50, 100);
            tokio::task::yield_now().await;
            for number in 0..60 {
                let host = format!("www.good{number}.com");
                assert!(answers_within(&lanes, &host, 6).await, "{number}");
                tokio::time::sleep(QUICK_TIME).await;
            }
        });
    }

    #[test]
    fn n1_names_of_a_domain_that_does_not_answer_are_put_off_until_it_does() {
        on_runtime(async {
            let lanes = Arc::new(Lanes::default());
            let mut silent = start_silent(&lanes, 1, 100);
            for _ in 0..100 - OF_A_DOMAIN {
                assert_eq!(silent.join_next().await.unwrap().unwrap(), Unasked::PutOff);
            }
            assert!(!answers_within(&lanes, "good.evil0.com", 1).await);
            for _ in 0..OF_A_DOMAIN {
                let ended = silent.join_next().await.unwrap().unwrap();
                assert_eq!(ended, Unasked::TimedOut);
            }
            assert!(answers_within(&lanes, "good.evil0.com", 1).await);
            assert!(lanes.domains.lock().is_empty());
        });
    }

    #[test]
    fn n1_quick_names_of_one_domain_are_never_put_off() {
        on_runtime(async {
            let lanes = Arc::new(Lanes::default());
            let mut started = JoinSet::new();
            for number in 0..MOST {
                let lanes = lanes.clone();
                let host = format!("n{number}.good.com");
                let query = || tokio::time::sleep(Duration::from_millis(20));
                started.spawn(async move { lanes.run(&host, query).await });
            }
            while let Some(ended) = started.join_next().await {
                assert_eq!(ended.unwrap(), Ok(()));
            }
        });
    }

    #[test]
    fn n1_a_slow_name_is_found_even_if_the_slow_lane_was_full() {
        on_runtime(async {
            let lanes = Arc::new(Lanes::default());
            let _silent = start_silent(&lanes, SLOW, 2);
            tokio::time::sleep(2 * QUICK_TIME).await;
            let query = || tokio::time::sleep(3 * QUICK_TIME);
            assert_eq!(lanes.run("www.good.com", query).await, Ok(()));
        });
    }

    #[test]
    fn q2_look_ups_that_wait_are_bounded() {
        on_runtime(async {
            let lanes = Arc::new(Lanes::default());
            let mut silent = start_silent(&lanes, MOST + 5, 1);
            for _ in 0..5 {
                assert_eq!(silent.join_next().await.unwrap().unwrap(), Unasked::PutOff);
            }
        });
    }
}
