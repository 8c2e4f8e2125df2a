//! A store that several threads use until one of them closes it, and the thread that reads queues ahead.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use parking_lot::{Mutex, RwLock};

use super::UrlStore;
use crate::error::{Error, Result, or_damage};

/// Maximum number of origins that wait to be read ahead. Above it nothing is read ahead, and `take` reads itself.
const MOST_WAITING: usize = 4_096;

/// Number and depth limit of an origin.
type Wanted = (u32, Option<u32>);

/// Clones are the same store.
#[derive(Clone)]
pub struct SharedStore {
    /// `None` once it is closed.
    store: Arc<RwLock<Option<UrlStore>>>,
    /// `None` until it is needed, and once the store is closed.
    ahead: Arc<Mutex<Option<SyncSender<Wanted>>>>,
}

impl SharedStore {
    pub fn new(store: UrlStore) -> Self {
        SharedStore {
            store: Arc::new(RwLock::new(Some(store))),
            ahead: Arc::default(),
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
        let work = move || read_ahead(&wanted, || store.upgrade());
        let thread = std::thread::Builder::new().name("hondius-ahead".into());
        thread.spawn(work).ok().map(|_| sender)
    }
}

/// Runs until the store is closed. Read errors are ignored here: `take` will meet and report them.
fn read_ahead(
    wanted: &Receiver<Wanted>,
    store: impl Fn() -> Option<Arc<RwLock<Option<UrlStore>>>>,
) {
    while let Ok((origin, max_depth)) = wanted.recv() {
        let Some(store) = store() else {
            return;
        };
        let held = store.read();
        if let Some(open) = held.as_ref() {
            let _ = or_damage("the thread that reads ahead", || {
                open.read_queue_ahead(origin, max_depth)
            });
        }
    }
}
