//! Hosts that count or place their memory want ours to come from them: all of it does, or none.
//!
//! Memory is freed by what it came from, so the choice is made once: by the caller before anything else, or else by the
//! first thing that is allocated, for the system. Rust ends the process where a collection gets no memory.

use crate::border::{self, versioned};
use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::sync::OnceLock;

/// Where the library's memory comes from.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_allocator {
    /// `sizeof(polyshade_allocator)`
    pub size: u32,
    /// 0
    pub flags: u32,
    /// What the functions are called with.
    pub user_data: *mut c_void,
    /// Gives `size` bytes, more than none, at a multiple of `alignment`, a power of two. It may be called by several
    /// threads at once. It must not give NULL, which ends the process, must not come back by `longjmp` or an exception,
    /// and must not call the library.
    pub allocate:
        Option<extern "C" fn(user_data: *mut c_void, size: usize, alignment: usize) -> *mut c_void>,
    /// Frees what `allocate` gave, with the numbers that it was asked with.
    pub free: Option<
        extern "C" fn(user_data: *mut c_void, memory: *mut c_void, size: usize, alignment: usize),
    >,
}

versioned!(polyshade_allocator, 8 + 3 * size_of::<usize>());

type Allocate = extern "C" fn(*mut c_void, usize, usize) -> *mut c_void;
type Free = extern "C" fn(*mut c_void, *mut c_void, usize, usize);

struct Hooks {
    user_data: *mut c_void,
    allocate: Allocate,
    free: Free,
}

// SAFETY: the header asks of the functions that any thread may call them with this pointer.
unsafe impl Send for Hooks {}
// SAFETY: the same.
unsafe impl Sync for Hooks {}

/// The caller's hooks, or nothing for the system's allocator, once that is settled.
static HOOKS: OnceLock<Option<Hooks>> = OnceLock::new();

struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: it hands on to the system's allocator or to the caller's, always to the same one.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match HOOKS.get_or_init(|| None) {
            Some(hooks) => (hooks.allocate)(hooks.user_data, layout.size(), layout.align()).cast(),
            // SAFETY: as our caller promises.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        match HOOKS.get_or_init(|| None) {
            Some(hooks) => {
                (hooks.free)(hooks.user_data, memory.cast(), layout.size(), layout.align());
            }
            // SAFETY: as our caller promises.
            None => unsafe { System.dealloc(memory, layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if HOOKS.get_or_init(|| None).is_none() {
            // SAFETY: as our caller promises.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: the same.
        let memory = unsafe { self.alloc(layout) };
        if !memory.is_null() {
            // SAFETY: so many bytes were given.
            unsafe { memory.write_bytes(0, layout.size()) };
        }
        memory
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if HOOKS.get_or_init(|| None).is_none() {
            // SAFETY: as our caller promises.
            return unsafe { System.realloc(memory, layout, size) };
        }
        // SAFETY: our caller promises that the size fits the alignment.
        let grown = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the size is not 0, as our caller promises.
        let moved = unsafe { self.alloc(grown) };
        if !moved.is_null() {
            // SAFETY: both have so many bytes.
            unsafe { std::ptr::copy_nonoverlapping(memory, moved, layout.size().min(size)) };
            // SAFETY: it came from here, with this layout.
            unsafe { self.dealloc(memory, layout) };
        }
        moved
    }
}

/// Takes all memory from the caller's functions. This must be the first call of all: afterwards it is refused with
/// `POLYSHADE_ERROR_ARGUMENT`, as the library has memory of the system's. A static library that is linked with other
/// Rust code shares that code's allocator, which is settled before `main`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_set_allocator(
    allocator: *const polyshade_allocator,
    error: *mut polyshade_error,
) -> polyshade_status {
    // The hooks are in place before anything is allocated; only then may a message be.
    let settled = border::get_quietly(allocator).and_then(|given| {
        let polyshade_allocator { user_data, allocate, free, .. } = given;
        let hooks = Hooks { user_data, allocate: allocate?, free: free? };
        (given.flags == 0).then_some(hooks)
    });
    let wanted = settled.is_some();
    let is_set = settled.is_some_and(|hooks| HOOKS.set(Some(hooks)).is_ok());
    guard(error, || {
        if is_set {
            return Ok(());
        }
        let given = border::get(allocator)?;
        let message = match (wanted, given.flags) {
            (true, _) => "the allocator is settled: it is set before any other call",
            (false, 0) => "the allocator lacks a function",
            (false, _) => "the allocator has flags, of which there are none",
        };
        Err(Failure::argument(message))
    })
}
