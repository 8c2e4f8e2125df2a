//! CPU time of processing answers, by step: for the table of `hondius bench --stages`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Sums over all threads, from the first call on. Reading the CPU clock of a thread is a system call, and six of them
/// would be 1 % of the cost of a page.
#[derive(Debug, Default)]
pub struct Spent {
    is_asked: AtomicBool,
    decode: AtomicU64,
    hash: AtomicU64,
    analyse: AtomicU64,
}

#[derive(Debug, Clone, Copy)]
pub enum Step {
    Decode,
    Hash,
    Analyse,
}

impl Spent {
    pub fn on<T>(&self, step: Step, work: impl FnOnce() -> T) -> T {
        if !self.is_asked.load(Ordering::Relaxed) {
            return work();
        }
        let began = thread_time();
        let result = work();
        let nanoseconds = thread_time().saturating_sub(began).as_nanos() as u64;
        self.sum(step).fetch_add(nanoseconds, Ordering::Relaxed);
        result
    }

    pub fn seconds(&self, step: Step) -> f64 {
        self.is_asked.store(true, Ordering::Relaxed);
        self.sum(step).load(Ordering::Relaxed) as f64 / 1e9
    }

    fn sum(&self, step: Step) -> &AtomicU64 {
        match step {
            Step::Decode => &self.decode,
            Step::Hash => &self.hash,
            Step::Analyse => &self.analyse,
        }
    }
}

/// CPU time of this thread; zero if the system does not report it.
fn thread_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes to `time`, which outlives it, and to nothing else. The standard library has no clock for this.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    match status {
        0 => Duration::new(time.tv_sec as u64, time.tv_nsec as u32),
        _ => Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_for_its_step_and_sleep_is_not() {
        let spent = Spent::default();
        assert_eq!(spent.seconds(Step::Hash), 0.0);
        let sum = spent.on(Step::Hash, || {
            (0..3_000_000u64).fold(0, |sum, n| std::hint::black_box(sum ^ n))
        });
        assert_eq!(sum, (0..3_000_000).fold(0, |sum, n| sum ^ n));
        spent.on(Step::Decode, || {
            std::thread::sleep(Duration::from_millis(50))
        });
        assert!(spent.seconds(Step::Hash) > 0.0);
        assert!(spent.seconds(Step::Decode) < 0.04);
        assert_eq!(spent.seconds(Step::Analyse), 0.0);
    }
}
