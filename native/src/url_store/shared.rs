//! A store that several threads use until one of them closes it, and the thread that reads queues ahead.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};

use super::UrlStore;
use crate::error::{Error, Result, or_damage};

/// Maximum number of origins that wait to be read ahead. Above it nothing is read ahead, and `take` reads itself.
const MOST_WAITING: usize = 4_096;

/// A read that takes longer waited for the disk. From the system's cache, it takes a tenth of this.
const WAITED: Duration = Duration::from_micros(200);
/// While nearly no read waits for the disk, only one origin in so many is read ahead.
const SAMPLED: u32 = 64;
const MOST_SCORE: u32 = 512;
const GOOD_SCORE: u32 = 256;
/// What one wait costs, in reads without a wait. The thread may also have waited for a processor, which is rarer.
const PENALTY: u32 = 64;

/// Whether reads wait for the disk. If not, reading ahead only does work twice.
#[derive(Default)]
struct Waits {
    score: AtomicU32,
    skipped: AtomicU32,
}

impl Waits {
    fn is_worth_reading(&self) -> bool {
        self.score.load(Ordering::Relaxed) < GOOD_SCORE
            || self
                .skipped
                .fetch_add(1, Ordering::Relaxed)
                .is_multiple_of(SAMPLED)
    }

    /// Only the thread that reads ahead calls it.
    fn note(&self, taken: Duration) {
        let score = self.score.load(Ordering::Relaxed);
        let score = match taken < WAITED {
            true => (score + 1).min(MOST_SCORE),
            false => score.saturating_sub(PENALTY),
        };
        self.score.store(score, Ordering::Relaxed);
    }
}

/// Number and depth limit of an origin.
type Wanted = (u32, Option<u32>);

/// Clones are the same store.
#[derive(Clone)]
pub struct SharedStore {
    /// `None` once it is closed.
    store: Arc<RwLock<Option<UrlStore>>>,
    /// `None` until it is needed, and once the store is closed.
    ahead: Arc<Mutex<Option<SyncSender<Wanted>>>>,
    waits: Arc<Waits>,
}

impl SharedStore {
    pub fn new(store: UrlStore) -> Self {
        SharedStore {
            store: Arc::new(RwLock::new(Some(store))),
            ahead: Arc::default(),
            waits: Arc::default(),
        }
    }

    /// Closing waits for the work.
    pub fn run<T>(&self, work: impl FnOnce(&UrlStore) -> Result<T>) -> Result<T> {
        match self.store.read().as_ref() {
            Some(store) => or_damage("the URL store", || work(store)),
            None => Err(Error::Invalid("the URL store is closed".into())),
        }
    }

    /// Runs it if the store is not being closed, without waiting.
    pub fn try_run<T>(&self, work: impl FnOnce(&UrlStore) -> Option<T>) -> Option<T> {
        self.store
            .try_read()
            .and_then(|store| work(store.as_ref()?))
    }

    pub fn close(&self) -> Result<()> {
        *self.ahead.lock() = None;
        match self.store.write().take() {
            Some(store) => store.close(),
            None => Ok(()),
        }
    }

    /// The next URLs of an origin will be taken soon: a thread reads them. Returns at once.
    pub fn expect(&self, origin: u32, max_depth: Option<u32>) {
        if !self.waits.is_worth_reading() {
            return;
        }
        let is_resident = self.try_run(|store| Some(store.tree.is_resident()));
        if is_resident != Some(false) {
            return;
        }
        let mut ahead = self.ahead.lock();
        if ahead.is_none() {
            *ahead = self.start();
        }
        if let Some(thread) = ahead.as_ref() {
            // With no room left they are read when they are taken.
            let _ = thread.try_send((origin, max_depth));
        }
    }

    /// `None` if no thread can be started: then nothing is read ahead.
    fn start(&self) -> Option<SyncSender<Wanted>> {
        let (sender, wanted) = sync_channel(MOST_WAITING);
        let store = Arc::downgrade(&self.store);
        let waits = self.waits.clone();
        let work = move || read_ahead(&wanted, &waits, || store.upgrade());
        let thread = std::thread::Builder::new().name("hondius-ahead".into());
        thread.spawn(work).ok().map(|_| sender)
    }
}

/// Runs until the store is closed. Read errors are ignored here: `take` will meet and report them.
fn read_ahead(
    wanted: &Receiver<Wanted>,
    waits: &Waits,
    store: impl Fn() -> Option<Arc<RwLock<Option<UrlStore>>>>,
) {
    while let Ok((origin, max_depth)) = wanted.recv() {
        let Some(store) = store() else {
            return;
        };
        let held = store.read();
        if let Some(open) = held.as_ref() {
            let began = Instant::now();
            let _ = or_damage("the thread that reads ahead", || {
                open.read_queue_ahead(origin, max_depth)
            });
            waits.note(began.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(waits: &Waits) -> usize {
        let asked = 0..100 * SAMPLED;
        asked.filter(|_| waits.is_worth_reading()).count()
    }

    #[test]
    fn all_origins_are_read_ahead_until_reads_no_longer_wait_and_again_when_they_do() {
        let (all, some) = (100 * SAMPLED as usize, 100);
        let waits = Waits::default();
        assert_eq!(worth(&waits), all);
        (0..GOOD_SCORE).for_each(|_| waits.note(Duration::ZERO));
        assert_eq!(worth(&waits), some);
        (0..2).for_each(|_| waits.note(WAITED));
        assert_eq!(worth(&waits), all);
    }

    #[test]
    fn a_wait_now_and_then_does_not_count() {
        let waits = Waits::default();
        for read in 0..10 * MOST_SCORE {
            let waited = read.is_multiple_of(2 * PENALTY);
            waits.note(if waited { WAITED } else { Duration::ZERO });
        }
        assert_eq!(worth(&waits), 100);
    }
}
