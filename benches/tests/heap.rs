//! How much memory removing what is dead takes at its peak: a few bytes for each word.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use polyshade::position_only::{self, Options};
use polyshade_benches::inputs;
use polyshade_spv::Module;

/// The most bytes for each word of the module that may be asked for at once, the result included.
const MOST: usize = 32;

thread_local! {
    static NOW: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn grow(bytes: usize) {
    NOW.set(NOW.get() + bytes);
    PEAK.set(PEAK.get().max(NOW.get()));
}

fn shrink(bytes: usize) {
    NOW.set(NOW.get().saturating_sub(bytes));
}

// SAFETY: every call goes on to the system's allocator unchanged, and counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller keeps to the contract of `alloc`, which is this one's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: `pointer` comes from `alloc` or `realloc`, and so from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both are there while one is copied.
        grow(size);
        shrink(layout.size());
        // SAFETY: as in `dealloc`, and the caller keeps to the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that this thread has from the allocator at once while `work` runs, beside what it had before.
fn peak<T>(work: impl FnOnce() -> T) -> usize {
    let before = NOW.get();
    PEAK.set(before);
    let result = work();
    let peak = PEAK.get() - before;
    drop(result);
    peak
}

#[test]
fn what_is_there_at_once_is_counted() {
    // Unseen, what is allocated for nothing would be optimized away.
    let bytes = |size: usize| black_box(vec![0_u8; size]);
    assert_eq!(peak(|| drop((bytes(100), bytes(50)))), 150);
    assert_eq!(peak(|| [100, 60].map(|size| bytes(size).len())), 100);
}

#[test]
fn variants_take_a_few_bytes_a_word() {
    for name in ["medium", "large"] {
        let words = inputs::words(name).expect("there is an input of this name");
        let count = words.len();
        let m = Module::parse(&words).expect("the input is well-formed");
        let options = Options::new();
        let derive = || position_only::derive(&m, "main", &options).expect("it can be reduced");
        let complement =
            || position_only::complement(&m, "main", &options).expect("it can be reduced");
        for (what, bytes) in [("position", peak(derive)), ("complement", peak(complement))] {
            let each = bytes as f64 / count as f64;
            println!("{name}, {what}: {each:.1} bytes a word");
            assert!(bytes <= MOST * count, "{name}, {what}: {each:.1} bytes a word");
        }
    }
}
