//! What a piece of work costs this thread, whatever else the machine does.

use std::time::Duration;

pub fn cost_of<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = now();
    let result = work();
    (result, now().saturating_sub(before))
}

fn now() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a timespec of ours, which the call fills. The standard library knows
    // no clock of a thread's own time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
