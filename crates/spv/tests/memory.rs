//! The memory of a parsed module is proportional to its words, not to its bound.

use polyshade_spv::{Id, Module, Op};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The maximum size in bytes of any allocation for ten instructions.
const MOST: usize = 16 << 10;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

struct Watching;

// SAFETY: every call is passed to the system's allocator unchanged, and recording sizes does not allocate.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.set(LARGEST.get().max(layout.size()));
        // SAFETY: the caller follows the contract of `alloc`, which applies to both allocators.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` comes from `alloc` or `realloc` above, and so from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.set(LARGEST.get().max(size));
        // SAFETY: `pointer` comes from the system's allocator as in `dealloc`, and the caller follows the contract of
        // `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// The size of the largest allocation of this thread while `work` runs.
fn largest<T>(work: impl FnOnce() -> T) -> usize {
    LARGEST.set(0);
    work();
    LARGEST.get()
}

/// Ten instructions, with ids up to the highest id below the bound.
fn ten_instructions(bound: u32) -> Vec<u32> {
    let last = bound - 1;
    let mut words = vec![0x0723_0203, 0x0001_0000, 0, bound, 0];
    let mut inst = |op: Op, operands: &[u32]| {
        words.push((operands.len() as u32 + 1) << 16 | u32::from(op.0));
        words.extend_from_slice(operands);
    };
    inst(Op::ENTRY_POINT, &[0, last, 0, last - 4]);
    inst(Op::DECORATE, &[last - 4, 30, 0]);
    inst(Op::TYPE_VOID, &[last - 1]);
    inst(Op::TYPE_FUNCTION, &[last - 2, last - 1]);
    inst(Op::TYPE_POINTER, &[last - 3, 3, last - 1]);
    inst(Op::VARIABLE, &[last - 3, last - 4, 3]);
    inst(Op::FUNCTION, &[last - 1, last, 0, last - 2]);
    inst(Op::LABEL, &[1]);
    inst(Op::RETURN, &[]);
    inst(Op::FUNCTION_END, &[]);
    words
}

/// Parses the words, computes every analysis, and makes an edit.
fn everything(words: &[u32]) {
    let m = Module::parse(words).expect("the module is well-formed");
    let last = m.bound() - 1;
    let variable = Id::new(last - 4).expect("it is not 0");
    assert_eq!(m.uses_of(variable).count(), 2);
    assert_eq!(m.decorations_of(variable).count(), 1);
    assert_eq!(m.name(variable), None);
    assert!(m.reach(&[variable]).uses.is_empty());
    assert_eq!(m.reachable(Id::new(last).expect("it is not 0")).len(), 1);
    m.innermost_element(variable);
    let next = m.rewrite(|_, p| {
        p.void();
        p.remove_definition(variable);
        Ok(())
    });
    let next = next.expect("no edit contradicts another").module;
    assert!(next.definition(variable).is_none());
}

#[test]
fn ten_instructions_need_little_memory_whatever_the_bound_is() {
    for bound in [10, 1000, 1 << 20, 1 << 30, u32::MAX] {
        let words = ten_instructions(bound);
        let bytes = largest(|| everything(&words));
        assert!(bytes <= MOST, "{bytes} bytes at once with a bound of {bound}");
    }
}

#[test]
fn a_large_allocation_is_noticed() {
    assert!(largest(|| vec![0_u8; MOST + 1]) > MOST);
}
