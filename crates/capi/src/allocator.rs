//! The memory hooks: a host that counts or places its memory can provide all memory of the library.
//!
//! Memory is freed by the allocator that it came from. So the choice is made once: by the caller before anything
//! else, or by the first allocation, for the system's allocator. Rust ends the process if an allocation fails.

use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::ffi::{self, versioned};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::sync::OnceLock;

/// The functions from which the library takes its memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_allocator {
    /// `sizeof(polyshade_allocator)`
    pub size: u32,
    /// 0
    pub flags: u32,
    /// The first argument of both functions.
    pub user_data: *mut c_void,
    /// Returns `size` bytes, more than 0, at a multiple of `alignment`, a power of two. Several threads may call it
    /// at once. It must not return NULL, which ends the process, must not leave by `longjmp` or an exception, and
    /// must not call the library.
    pub allocate:
        Option<extern "C" fn(user_data: *mut c_void, size: usize, alignment: usize) -> *mut c_void>,
    /// Frees memory of `allocate`; `size` and `alignment` are those of the allocation.
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

// SAFETY: the header demands that any thread may call the functions with this pointer.
unsafe impl Send for Hooks {}
// SAFETY: the same.
unsafe impl Sync for Hooks {}

/// The caller's hooks, or `None` for the system's allocator, once the choice is made.
static HOOKS: OnceLock<Option<Hooks>> = OnceLock::new();

struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: every call is forwarded to the system's allocator or to the caller's, and always to the same one.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match HOOKS.get_or_init(|| None) {
            Some(hooks) => (hooks.allocate)(hooks.user_data, layout.size(), layout.align()).cast(),
            // SAFETY: the conditions are those of this function.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        match HOOKS.get_or_init(|| None) {
            Some(hooks) => {
                (hooks.free)(hooks.user_data, memory.cast(), layout.size(), layout.align());
            }
            // SAFETY: the conditions are those of this function.
            None => unsafe { System.dealloc(memory, layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if HOOKS.get_or_init(|| None).is_none() {
            // SAFETY: the conditions are those of this function.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: the same.
        let memory = unsafe { self.alloc(layout) };
        if !memory.is_null() {
            // SAFETY: the memory has this size.
            unsafe { memory.write_bytes(0, layout.size()) };
        }
        memory
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if HOOKS.get_or_init(|| None).is_none() {
            // SAFETY: the conditions are those of this function.
            return unsafe { System.realloc(memory, layout, size) };
        }
        // SAFETY: the caller guarantees that the size fits the alignment.
        let grown = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the caller guarantees that the size is not 0.
        let moved = unsafe { self.alloc(grown) };
        if !moved.is_null() {
            // SAFETY: both have at least so many bytes.
            unsafe { std::ptr::copy_nonoverlapping(memory, moved, layout.size().min(size)) };
            // SAFETY: the memory was allocated here, with this layout.
            unsafe { self.dealloc(memory, layout) };
        }
        moved
    }
}

/// Makes the library take all its memory from the caller's functions. This must be the first call: later it fails
/// with `POLYSHADE_ERROR_ARGUMENT`, because the library already has memory of the system's allocator. A static
/// library that is linked with other Rust code uses that code's allocator, which is chosen before `main`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_set_allocator(
    allocator: *const polyshade_allocator,
    error: *mut polyshade_error,
) -> polyshade_status {
    // The hooks are set before anything is allocated; a message is allocated only afterwards.
    let settled = ffi::get_quietly(allocator).and_then(|given| {
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
        let given = ffi::get(allocator)?;
        let message = match (wanted, given.flags) {
            (true, _) => "cannot set the allocator: it must be set once, before any other call",
            (false, 0) => "the allocator lacks a function",
            (false, _) => "the allocator has flags, but no flags are defined",
        };
        Err(Failure::argument(message))
    })
}
