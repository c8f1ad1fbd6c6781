//! How often parsing asks for memory: a few times, however large the module is.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use polyshade_benches::inputs;
use polyshade_spv::{Module, Workspace};

/// The most allocations that parsing a module may make.
const MOST: usize = 16;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    /// Bytes that are allocated, less what was freed, and the most that they were.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Notes that so many bytes more are held.
fn hold(bytes: isize) {
    let held = HELD.get() + bytes;
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
}

struct Counting;

// SAFETY: every call goes on to the system's allocator unchanged, and counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        hold(layout.size().cast_signed());
        // SAFETY: the caller keeps to the contract of `alloc`, which is this one's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        hold(-layout.size().cast_signed());
        // SAFETY: `pointer` comes from `alloc` or `realloc`, and so from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        hold(size.cast_signed() - layout.size().cast_signed());
        // SAFETY: as in `dealloc`, and the caller keeps to the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocations that this thread makes while `work` runs.
fn allocations<T>(work: impl FnOnce() -> T) -> usize {
    let before = ALLOCATIONS.get();
    let result = work();
    let count = ALLOCATIONS.get() - before;
    drop(result);
    count
}

#[test]
fn allocations_are_counted() {
    assert_eq!(allocations(|| [Box::new(1), Box::new(2)]), 2);
    let mut grown = Vec::with_capacity(1);
    assert_eq!(allocations(|| grown.extend([1, 2])), 1);
}

#[test]
fn parsing_allocates_a_few_times_whatever_the_size() {
    for name in ["small", "medium", "large"] {
        let words = inputs::words(name).expect("there is an input of this name");
        let count = allocations(|| Module::parse(&words).expect("the input is well-formed"));
        println!("{name}: {count} allocations");
        assert!(count <= MOST, "{name}: {count} allocations, more than {MOST}");
    }
}

#[test]
fn modules_that_share_a_workspace_and_a_buffer_allocate_nothing() {
    let mut workspace = Workspace::default();
    let mut copy = Vec::new();
    let mut identity = |words: &[u32]| {
        let module = Module::parse_in(words, &mut workspace).expect("the input is well-formed");
        let next = module.rewrite(|_, _| Ok(())).expect("nothing is edited");
        copy.clear();
        copy.extend_from_slice(next.module.words());
        drop(next);
        module.recycle(&mut workspace);
    };
    let inputs = ["large", "medium", "small", "medium"]
        .map(|name| inputs::words(name).expect("there is an input of this name"));
    identity(&inputs[0]);
    for words in &inputs {
        assert_eq!(allocations(|| identity(words)), 0);
    }
}

/// The most bytes that `work` holds at a time.
fn peak<T>(work: impl FnOnce() -> T) -> usize {
    let before = HELD.get();
    PEAK.set(before);
    drop(work());
    (PEAK.get() - before).cast_unsigned()
}

/// The most bytes for each word of the input that parsing and rewriting may hold, and that a lowering may, beside what
/// it returns.
const MOST_BYTES: usize = 16;

#[test]
fn peaks_are_counted() {
    assert_eq!(peak(|| drop((vec![0_u8; 100], vec![0_u8; 50]))), 150);
    assert_eq!(peak(|| drop(vec![0_u8; 100])), 100);
}

#[test]
fn memory_follows_the_size() {
    for name in ["small", "medium", "large"] {
        let words = inputs::words(name).expect("there is an input of this name");
        let identity = peak(|| {
            let module = Module::parse(&words).expect("the input is well-formed");
            module.rewrite(|_, _| Ok(())).expect("nothing is edited").module.into_words()
        });
        // The copy that is returned is not counted.
        let beyond = identity - words.len() * 4;
        println!("{name}: {:.1} bytes a word", beyond as f64 / words.len() as f64);
        assert!(beyond <= MOST_BYTES * words.len(), "{name}: {beyond} bytes");
    }
}
