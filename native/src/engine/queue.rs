//! Passes finished fetches and look-ups to Python.
//!
//! Python is notified once when there is a result, and not again before it has collected: under load
//! it gets batches. A separate thread notifies, because that takes Python's lock, and no fetch may
//! wait for it. If many fetches are in progress, the thread waits a moment for more results: a
//! notification wakes two threads, and costs as much for one answer as for ten.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// Fetches in progress above which the next result is expected soon.
const MANY: usize = 16;
const MOMENT: Duration = Duration::from_millis(2);

struct State<T> {
    items: Vec<T>,
    /// Something arrived since the last `collect`, and the listener was or will be notified.
    announced: bool,
    wait_for_result: bool,
    closed: bool,
}

pub struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

impl<T: Send + 'static> Queue<T> {
    pub fn new() -> Arc<Self> {
        Arc::new(Queue {
            state: Mutex::new(State {
                items: Vec::new(),
                announced: false,
                wait_for_result: false,
                closed: false,
            }),
            changed: Condvar::new(),
        })
    }

    pub fn push(&self, item: T) {
        let mut state = self.state.lock();
        if state.closed {
            return;
        }
        state.items.push(item);
        if !state.announced {
            state.announced = true;
            state.wait_for_result = true;
            self.changed.notify_one();
        }
    }

    pub fn collect(&self) -> Vec<T> {
        let mut state = self.state.lock();
        state.announced = false;
        state.wait_for_result = false;
        std::mem::take(&mut state.items)
    }

    /// Accepts nothing more, and ends notifications. Results that are here can still be collected.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.changed.notify_all();
    }

    fn wait_for_result(&self) -> bool {
        let mut state = self.state.lock();
        while !state.wait_for_result && !state.closed {
            self.changed.wait(&mut state);
        }
        state.wait_for_result = false;
        !state.closed
    }
}

/// Waits until there is something to collect; returns false when nothing will come any more.
pub type WaitForResult<'r> = dyn Fn() -> bool + Send + Sync + 'r;

/// The thread that runs the listener.
pub struct Notifier(Option<JoinHandle<()>>);

impl Notifier {
    pub fn start<T: Send + 'static>(
        queue: Arc<Queue<T>>,
        in_flight: Arc<AtomicUsize>,
        listen: impl FnOnce(&WaitForResult<'_>) + Send + 'static,
    ) -> std::io::Result<Self> {
        let wait_for_result = move || {
            let is_rung = queue.wait_for_result();
            if is_rung && in_flight.load(Ordering::Relaxed) >= MANY {
                std::thread::sleep(MOMENT);
            }
            is_rung
        };
        std::thread::Builder::new()
            .name("hondius-notifier".into())
            .spawn(move || listen(&wait_for_result))
            .map(|thread| Notifier(Some(thread)))
    }

    /// Waits for the thread, for a limited time: its last call may start in foreign code, or this may run on that very
    /// thread.
    pub fn stop(&mut self, bound: Duration) {
        let Some(thread) = self.0.take() else {
            return;
        };
        let deadline = Instant::now() + bound;
        let is_itself = thread.thread().id() == std::thread::current().id();
        while !is_itself && !thread.is_finished() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        if thread.is_finished() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn the_bell_rings_once_until_somebody_collects() {
        for in_flight in [0, MANY] {
            rings_once(Arc::new(AtomicUsize::new(in_flight)));
        }
    }

    fn rings_once(in_flight: Arc<AtomicUsize>) {
        let queue = Queue::new();
        let (sender, rings) = channel();
        let listen = move |wait_for_result: &WaitForResult<'_>| {
            while wait_for_result() {
                sender.send(()).unwrap();
            }
        };
        let mut notifier = Notifier::start(queue.clone(), in_flight, listen).unwrap();
        queue.push(1);
        rings.recv_timeout(Duration::from_secs(5)).unwrap();
        queue.push(2);
        assert!(rings.recv_timeout(Duration::from_millis(20)).is_err());
        assert_eq!(queue.collect(), [1, 2]);
        queue.push(3);
        rings.recv_timeout(Duration::from_secs(5)).unwrap();
        queue.close();
        notifier.stop(Duration::from_secs(5));
        queue.push(4);
        assert_eq!(queue.collect(), [3]);
    }
}
