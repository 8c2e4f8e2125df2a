//! Makes the allocator return freed memory to the system.
//!
//! glibc maps large blocks separately, so that they can grow without a copy and leave no hole. But whenever one is
//! freed, it raises the threshold for that, up to 32 MiB. Then the tables of a growing store are among small objects, and
//! each leaves a hole when it grows. With a million hosts the holes were 170 MB.
//!
//! Not taken: calling `malloc_trim` sometimes. It locks each arena, including that of the event loop, while it searches
//! it: 23 to 76 ms of CPU for 150 MB of small blocks, half of them free.

/// Blocks from this size on are mapped separately. Buffers for the archive are usually smaller: mapping them for every
/// frame would cost six page faults per page.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 4 * 1024 * 1024;
/// Free memory at the end of a heap that is kept for later allocations.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: libc::c_int = 16 * 1024 * 1024;

/// From now on, large blocks are returned to the system when they are freed, for the whole process. Other allocators do
/// so anyway.
pub fn give_large_blocks_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the calls take numbers and no pointers, and may be made at any time. The standard library cannot do this.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}
