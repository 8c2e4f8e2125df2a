//! Which code an input reached, by the counters of `-C instrument-coverage`.
//!
//! Without instrumentation there are no counters, and nothing is ever new: the corpus stays as it was.

pub struct Coverage {
    /// The classes of counts seen at each counter, as bits.
    seen: Vec<u8>,
    /// The counters as the work left them. Judging counts too, for the fuzzer is compiled with counters itself: one
    /// that moved between two looks at it would be new for ever.
    counts: Vec<u64>,
}

impl Coverage {
    pub fn new() -> Self {
        Coverage {
            seen: vec![0; counters().len()],
            counts: vec![0; counters().len()],
        }
    }

    pub fn clear(&mut self) {
        counters().fill(0);
    }

    /// Whether the work since `clear` did something for the first time.
    pub fn is_new(&mut self) -> bool {
        self.counts.copy_from_slice(counters());
        let mut is_new = false;
        for (seen, count) in self.seen.iter_mut().zip(&self.counts) {
            if *count != 0 && *seen & class_of(*count) == 0 {
                *seen |= class_of(*count);
                is_new = true;
            }
        }
        is_new
    }

    /// Counters that were reached at all.
    pub fn reached(&self) -> usize {
        self.seen.iter().filter(|seen| **seen != 0).count()
    }
}

/// Once, twice, a few times, often… are different things to have done.
fn class_of(count: u64) -> u8 {
    1 << count.ilog2().min(7)
}

#[cfg(instrumented)]
fn counters() -> &'static mut [u64] {
    unsafe extern "C" {
        fn __llvm_profile_begin_counters() -> *mut u64;
        fn __llvm_profile_end_counters() -> *mut u64;
    }
    // SAFETY: the two are the ends of one static array that the profiler's runtime makes known. The
    // code under test runs on this thread, so nobody else writes to it while the slice is in use.
    unsafe {
        let (begin, end) = (
            __llvm_profile_begin_counters(),
            __llvm_profile_end_counters(),
        );
        std::slice::from_raw_parts_mut(begin, end.offset_from(begin) as usize)
    }
}

#[cfg(not(instrumented))]
fn counters() -> &'static mut [u64] {
    &mut []
}
