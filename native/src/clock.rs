//! The time of this process: the wall clock at its start, plus the time since.
//!
//! A wall clock may be set back or forward at any time. Waits, records and deadlines must not
//! follow it, so the wall clock is read once. The time since is measured by a monotonic clock
//! that also runs while the machine is suspended. Python reads this clock too (`hondius.clock`),
//! because times of both sides are compared with each other.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

/// On Linux `CLOCK_MONOTONIC` stops while the machine is suspended; `CLOCK_BOOTTIME` does not.
#[cfg(any(target_os = "linux", target_os = "android"))]
const ELAPSED: libc::clockid_t = libc::CLOCK_BOOTTIME;

/// On macOS this clock includes the time of suspension. On other systems it may not, and a wait is longer there.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const ELAPSED: libc::clockid_t = libc::CLOCK_MONOTONIC;

static BEGINNING: LazyLock<(f64, Duration)> = LazyLock::new(|| (wall(), elapsed(ELAPSED)));

/// Seconds since the epoch. Never goes back while the process lives.
pub fn now() -> f64 {
    let (wall, began) = *BEGINNING;
    wall + elapsed(ELAPSED).saturating_sub(began).as_secs_f64()
}

/// The current wall-clock time, for times that people and other processes write down.
pub fn wall() -> f64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

/// The time that `clock` shows. If the kernel does not have `clock`, the monotonic clock is used.
fn elapsed(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes to `time`, which outlives it, and to nothing else. The standard
    // library has no clock that counts while the machine is suspended.
    let status = unsafe { libc::clock_gettime(clock, &mut time) };
    match status {
        0 => Duration::new(time.tv_sec as u64, time.tv_nsec as u32),
        _ if clock != libc::CLOCK_MONOTONIC => elapsed(libc::CLOCK_MONOTONIC),
        _ => Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_starts_at_the_wall_clock_and_never_goes_back() {
        assert!((now() - wall()).abs() < 5.0);
        let mut before = now();
        for _ in 0..10_000 {
            let after = now();
            assert!(after >= before);
            before = after;
        }
    }

    #[test]
    fn a_clock_that_the_kernel_lacks_is_replaced_by_the_monotonic_one() {
        let unknown = elapsed(9_999);
        assert!(!unknown.is_zero());
        assert!(elapsed(libc::CLOCK_MONOTONIC) >= unknown);
    }
}
