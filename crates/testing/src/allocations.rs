//! Counts the allocations of a thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    /// The number of currently allocated bytes, and the maximum of this number.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Adds to the number of allocated bytes.
fn hold(bytes: isize) {
    let held = HELD.get() + bytes;
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
}

/// The system's allocator with counters, for use as a program's global allocator.
#[derive(Debug)]
pub struct Counting;

// SAFETY: every call is passed to the system's allocator unchanged, and counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        hold(layout.size().cast_signed());
        // SAFETY: the caller fulfils the contract of `alloc`, which is the contract of the system's `alloc` too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        hold(-layout.size().cast_signed());
        // SAFETY: `pointer` comes from `alloc` or `realloc` above, and therefore from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // Both blocks exist during the copy.
        hold(size.cast_signed());
        hold(-layout.size().cast_signed());
        // SAFETY: as in `dealloc`, and the caller fulfils the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Counts the allocations that this thread makes while `work` runs.
pub fn count<T>(work: impl FnOnce() -> T) -> usize {
    let before = ALLOCATIONS.get();
    let result = work();
    let count = ALLOCATIONS.get() - before;
    drop(result);
    count
}

/// Returns the maximum number of bytes that `work` holds at the same time.
pub fn peak<T>(work: impl FnOnce() -> T) -> usize {
    let before = HELD.get();
    PEAK.set(before);
    drop(work());
    (PEAK.get() - before).cast_unsigned()
}
