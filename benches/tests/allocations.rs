//! How often parsing asks for memory: a few times, however large the module is.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use polyshade_benches::inputs;
use polyshade_spv::{Module, Workspace};

/// The most allocations that parsing a module may make.
const MOST: usize = 16;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes on to the system's allocator unchanged, and counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps to the contract of `alloc`, which is this one's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` comes from `alloc` or `realloc`, and so from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
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
