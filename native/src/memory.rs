//! When freed memory goes back to the system.
//!
//! glibc maps large blocks by themselves, so that they can grow without a copy and leave no hole. But whenever one is
//! freed it raises the size from which on it does so, up to 32 MiB: then the tables of a growing store lie among small
//! objects, and each leaves a hole when it has grown. With a million hosts the holes were 170 MB.
//!
//! Reading a large body makes many small objects and frees them again. glibc keeps that memory for the thread's next
//! one, among objects that stay, and does so for each of its arenas.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Blocks from this size on are mapped by themselves. What is archived at once is smaller as a rule: mapped anew for every
/// frame it would cost a page six page faults.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 4 * 1024 * 1024;
/// Free memory at the end of a heap that is kept for the next who asks.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: libc::c_int = 16 * 1024 * 1024;

/// Large blocks go back when they are freed, from now on and for the whole process. Other allocators do so by
/// themselves.
pub fn give_large_blocks_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the calls take numbers and no pointers, and may be made at any time. The standard library cannot do this.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}

/// Large bodies are read for so many bytes before what they freed goes back.
const READ_BETWEEN: usize = 64 * 1024 * 1024;
static READ: AtomicUsize = AtomicUsize::new(0);

/// To be called when a body of so many bytes has been read and dropped. Takes some milliseconds now and then, and only
/// where bodies are large.
pub fn large_body_was_read(bytes: usize) {
    if READ.fetch_add(bytes, Ordering::Relaxed) + bytes >= READ_BETWEEN {
        READ.store(0, Ordering::Relaxed);
        give_free_pages_back();
    }
}

/// Every page on which nothing is left goes back.
fn give_free_pages_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call takes a number, locks each arena by itself, and may be made at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}
