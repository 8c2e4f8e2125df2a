//! Decides which body is analysed next (H2, Q2).
//!
//! Analysing a body takes a multiple of its length for a moment, and its findings (links, listed URLs) stay in memory
//! until they are durable. Both must stay bounded, however many requests are in progress:
//!
//! - At most as many long bodies are analysed at once as the engine has threads; the others wait, in memory or on disk.
//!   More at once would not be faster, and each would need its own thread.
//! - Nothing is analysed while earlier findings fill their budget. Findings are counted after the analysis, when their
//!   size is known, so the budget is exceeded at most by the findings of bodies that were being analysed then.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, Notify, Semaphore, SemaphorePermit};

/// Findings below this size are not counted: all of them together take little memory.
const SMALL: usize = 64 * 1024;
/// How long the first body in the queue waits for room. If a bug never releases findings, the engine becomes slow but
/// does not stop.
const PATIENCE: Duration = Duration::from_secs(1);

pub struct Turns {
    long: Semaphore,
    findings: Arc<Findings>,
}

impl Turns {
    /// At most `threads` long bodies are analysed at once, and findings may take `bytes`.
    pub fn new(threads: usize, bytes: usize) -> Self {
        Turns::patient(threads, bytes, PATIENCE)
    }

    fn patient(threads: usize, bytes: usize, patience: Duration) -> Self {
        Turns {
            long: Semaphore::new(threads),
            findings: Arc::new(Findings {
                limit: bytes,
                patience,
                used: AtomicUsize::new(0),
                line: Mutex::new(()),
                freed: Notify::new(),
            }),
        }
    }

    /// Returns when a body may be analysed. The analysis must begin before anything else is awaited.
    pub async fn wait(&self, is_long: bool) -> Option<SemaphorePermit<'_>> {
        let permit = match is_long {
            true => self.long.acquire().await.ok(),
            false => None,
        };
        if !self.findings.has_room() {
            self.findings.wait_for_room().await;
        }
        permit
    }

    /// Counts findings until the result is dropped.
    pub fn hold(&self, bytes: usize) -> Option<Held> {
        (bytes > SMALL).then(|| {
            self.findings.used.fetch_add(bytes, Ordering::Relaxed);
            Held {
                findings: self.findings.clone(),
                bytes,
            }
        })
    }
}

#[derive(Debug)]
struct Findings {
    limit: usize,
    patience: Duration,
    used: AtomicUsize,
    line: Mutex<()>,
    freed: Notify,
}

impl Findings {
    fn has_room(&self) -> bool {
        self.used.load(Ordering::Acquire) < self.limit
    }

    async fn wait_for_room(&self) {
        let _first = self.line.lock().await;
        let room = async {
            loop {
                let freed = self.freed.notified();
                if self.has_room() {
                    return;
                }
                freed.await;
            }
        };
        let _ = tokio::time::timeout(self.patience, room).await;
    }
}

/// A share of the budget for findings, returned on drop.
#[derive(Debug)]
pub struct Held {
    findings: Arc<Findings>,
    bytes: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        let used = self.findings.used.fetch_sub(self.bytes, Ordering::AcqRel);
        if used >= self.findings.limit && self.findings.has_room() {
            self.findings.freed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Polls the future once.
    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[tokio::test]
    async fn q2_as_many_long_bodies_are_read_at_once_as_there_are_threads() {
        let turns = Turns::new(2, 1_000_000);
        let first = turns.wait(true).await;
        let _second = turns.wait(true).await;
        let mut third = pin!(turns.wait(true));
        assert!(poll(third.as_mut()).is_pending());
        assert!(poll(pin!(turns.wait(false))).is_ready());
        drop(first);
        assert!(poll(third.as_mut()).is_ready());
    }

    #[tokio::test]
    async fn q2_nothing_is_read_while_findings_fill_their_budget() {
        let turns = Turns::new(2, 1_000_000);
        let small: Vec<_> = (0..100).map(|_| turns.hold(SMALL)).collect();
        assert!(small.iter().all(Option::is_none));
        let some = turns.hold(900_000);
        assert!(poll(pin!(turns.wait(false))).is_ready());
        let more = turns.hold(900_000);
        let (mut short, mut long) = (pin!(turns.wait(false)), pin!(turns.wait(true)));
        assert!(poll(short.as_mut()).is_pending());
        assert!(poll(long.as_mut()).is_pending());
        drop(some);
        assert!(poll(short.as_mut()).is_ready());
        assert!(poll(long.as_mut()).is_ready());
        drop(more);
        assert_eq!(turns.findings.used.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn q2_findings_that_nobody_gives_back_do_not_stop_the_engine() {
        let turns = Turns::patient(2, 1_000_000, Duration::ZERO);
        let _lost = turns.hold(2_000_000);
        assert!(turns.wait(false).await.is_none());
        assert!(turns.wait(true).await.is_some());
    }
}
