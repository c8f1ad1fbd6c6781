//! Access to the caller's memory: the only module that reads and writes through pointers of the caller.
//!
//! The functions are not `unsafe`, because all of them rely on one promise that the header demands of the caller: a
//! pointer that is not NULL points to an object of its type. They check NULL, alignment, sizes and UTF-8.

use crate::code;
use crate::failure::Failure;
use std::ffi::{CStr, c_char};
use std::mem::{align_of, size_of};
use std::sync::Arc;

/// A struct that begins with the size that it has in the caller's header.
///
/// # Safety
///
/// It is `repr(C)`, begins with a `u32`, has no padding before [`FIRST`](Self::FIRST), and is valid as all zeros.
pub(crate) unsafe trait Versioned: Copy {
    /// The name of the struct.
    const NAME: &'static str;
    /// The size in the first version of the header.
    const FIRST: usize;
    /// The size in this version.
    const SIZE: usize = size_of::<Self>();
}

/// Implements [`Versioned`] for a struct of numbers and pointers, given its size in the first version of the header.
macro_rules! versioned {
    ($name:ident, $first:expr) => {
        const _: () = assert!($first <= size_of::<$name>(), "structs only grow");
        // SAFETY: the struct holds numbers and pointers, and its size comes first.
        unsafe impl $crate::ffi::Versioned for $name {
            const NAME: &'static str = stringify!($name);
            const FIRST: usize = $first;
        }
    };
}
pub(crate) use versioned;

/// The largest size that the caller may state.
const MAX_SIZE: usize = 4096;

fn check_pointer<T>(at: *const T, what: &str) -> Result<(), Failure> {
    if at.is_null() {
        return Err(Failure::argument(format!("{what} is NULL")));
    }
    if !at.addr().is_multiple_of(align_of::<T>()) {
        let alignment = align_of::<T>();
        return Err(Failure::argument(format!("{what} is not aligned to {alignment} bytes")));
    }
    Ok(())
}

/// Reads and checks the size that the caller's struct states.
fn size_said<T: Versioned>(at: *const T) -> Result<usize, Failure> {
    check_pointer(at, T::NAME)?;
    // SAFETY: the caller's struct begins with its size.
    let size = unsafe { at.cast::<u32>().read() } as usize;
    if !(T::FIRST..=MAX_SIZE).contains(&size) {
        let message = format!("{} states a size of {size} bytes instead of {}", T::NAME, T::SIZE);
        return Err(Failure::argument(message));
    }
    Ok(size)
}

/// Returns a struct in which every member is 0 or NULL.
pub(crate) fn zeroed<T: Versioned>() -> T {
    // SAFETY: a versioned struct is valid with all bytes zero.
    unsafe { std::mem::zeroed() }
}

/// Copies a struct of the caller. Members that an older header lacks become zero; unknown members must be zero.
pub(crate) fn get<T: Versioned>(at: *const T) -> Result<T, Failure> {
    let size = size_said(at)?;
    // SAFETY: the caller's struct has as many bytes as it states.
    let bytes = unsafe { std::slice::from_raw_parts(at.cast::<u8>(), size) };
    if bytes.iter().skip(T::SIZE).any(|byte| *byte != 0) {
        let message = format!("{} has members that this version does not know", T::NAME);
        return Err(Failure::argument(message));
    }
    let mut value: T = zeroed();
    // SAFETY: the copy exceeds neither struct.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), (&raw mut value).cast(), size.min(T::SIZE));
    }
    Ok(value)
}

/// Copies the head of a larger struct, which tells the struct's type.
pub(crate) fn get_head<T: Versioned>(at: *const T) -> Result<T, Failure> {
    size_said(at)?;
    // SAFETY: the struct has at least as many bytes as its head.
    Ok(unsafe { at.read() })
}

/// Copies a struct of the caller; members that an older header lacks are those of `otherwise`.
pub(crate) fn get_over<T: Versioned>(at: *const T, otherwise: T) -> Result<T, Failure> {
    let (given, mut value) = (get(at)?, otherwise);
    let size = size_said(at)?.min(T::SIZE);
    // SAFETY: the copy exceeds neither struct.
    unsafe {
        std::ptr::copy_nonoverlapping(
            (&raw const given).cast::<u8>(),
            (&raw mut value).cast(),
            size,
        )
    };
    Ok(value)
}

/// Copies a struct of the caller while nothing may be allocated: a refused struct gives `None`, without a message.
pub(crate) fn get_quietly<T: Versioned>(at: *const T) -> Option<T> {
    if at.is_null() || !at.addr().is_multiple_of(align_of::<T>()) {
        return None;
    }
    // SAFETY: the caller's struct begins with its size.
    let size = unsafe { at.cast::<u32>().read() } as usize;
    (T::FIRST..=MAX_SIZE).contains(&size).then(|| get(at).ok())?
}

/// Copies a struct of the caller; `None` for NULL.
pub(crate) fn get_optional<T: Versioned>(at: *const T) -> Result<Option<T>, Failure> {
    if at.is_null() { Ok(None) } else { get(at).map(Some) }
}

/// Reads the size of a struct that a call will write; `None` for NULL.
pub(crate) fn size_of_out<T: Versioned>(at: *mut T) -> Result<Option<u32>, Failure> {
    if at.is_null() { Ok(None) } else { size_said(at).map(|size| Some(size as u32)) }
}

/// Writes as much of `value` as the caller's struct of `size` bytes holds, and zeros after it.
pub(crate) fn put<T: Versioned>(at: *mut T, value: T, size: u32) {
    let size = size as usize;
    let copied = size.min(T::SIZE);
    // SAFETY: the caller's struct has `size` bytes, and no more are written.
    unsafe {
        std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), at.cast(), copied);
        at.cast::<u8>().add(copied).write_bytes(0, size - copied);
        at.cast::<u32>().write(size as u32);
    }
}

/// Writes a struct whose size the caller has set.
pub(crate) fn answer<T: Versioned>(at: *mut T, value: T) -> Result<(), Failure> {
    let size = size_said(at)? as u32;
    put(at, value, size);
    Ok(())
}

/// Borrows a text of the caller.
pub(crate) fn text<'a>(at: *const c_char, what: &str) -> Result<&'a str, Failure> {
    check_pointer(at, what)?;
    // SAFETY: the caller's text ends with a zero.
    let text = unsafe { CStr::from_ptr(at) };
    text.to_str().map_err(|_| Failure::argument(format!("{what} is not UTF-8")))
}

/// Borrows a text of the caller; `None` for NULL.
pub(crate) fn optional_text<'a>(at: *const c_char, what: &str) -> Result<Option<&'a str>, Failure> {
    if at.is_null() { Ok(None) } else { text(at, what).map(Some) }
}

/// Borrows an array of the caller. An empty array may have any address.
pub(crate) fn slice<'a, T: Copy>(
    at: *const T,
    count: usize,
    what: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check_pointer(at, what)?;
    if count > isize::MAX as usize / size_of::<T>() {
        return Err(Failure::argument(format!(
            "{what} has {count} elements, more than fit in memory"
        )));
    }
    // SAFETY: the caller's array has `count` elements, and the pointer is aligned.
    Ok(unsafe { std::slice::from_raw_parts(at, count) })
}

/// Borrows an array of texts of the caller.
pub(crate) fn texts<'a>(
    at: *const *const c_char,
    count: usize,
    what: &str,
) -> Result<Vec<&'a str>, Failure> {
    slice(at, count, what)?.iter().map(|one| text(*one, what)).collect()
}

/// Borrows an object of the library through the caller's handle.
pub(crate) fn handle<'a, T>(at: *const T, what: &str) -> Result<&'a T, Failure> {
    check_pointer(at, what)?;
    // SAFETY: the caller holds a handle that the library returned.
    Ok(unsafe { &*at })
}

/// Takes another reference to the object of a handle.
pub(crate) fn share<T>(at: *const T, what: &str) -> Result<Arc<T>, Failure> {
    check_pointer(at, what)?;
    retain(at);
    // SAFETY: every handle is from an `Arc`, whose count was just incremented.
    Ok(unsafe { Arc::from_raw(at) })
}

/// Increments the reference count of a handle; NULL is ignored.
pub(crate) fn retain<T>(at: *const T) {
    if !at.is_null() {
        // SAFETY: every handle is from an `Arc`, to which the caller holds a reference.
        unsafe { Arc::increment_strong_count(at) };
    }
}

/// Decrements the reference count of a handle, and frees the object with the last one; NULL is ignored.
pub(crate) fn release<T>(at: *const T) {
    if !at.is_null() {
        // SAFETY: every handle is from an `Arc`, and the caller gives up its reference.
        drop(unsafe { Arc::from_raw(at) });
    }
}

/// Writes NULL to the caller's handle, so that a call that fails leaves none.
pub(crate) fn clear_out<T>(at: *mut *mut T, what: &str) -> Result<(), Failure> {
    check_pointer(at, what)?;
    // SAFETY: `at` points to a handle of the caller.
    unsafe { at.write(std::ptr::null_mut()) };
    Ok(())
}

/// Writes a handle to the caller's memory.
pub(crate) fn hand_out<T>(at: *mut *mut T, value: Arc<T>) {
    // SAFETY: `clear_out` has checked the pointer.
    unsafe { at.write(Arc::into_raw(value).cast_mut()) };
}

/// Writes one value to the caller's memory.
pub(crate) fn set<T>(at: *mut T, value: T, what: &str) -> Result<(), Failure> {
    check_pointer(at, what)?;
    // SAFETY: `at` points to a value of this type.
    unsafe { at.write(value) };
    Ok(())
}

/// Copies results into the caller's buffer. Without a buffer, only `*count` is written. Otherwise `*count` is the
/// capacity on entry and the number of values on return.
pub(crate) fn fill<T: Copy>(
    values: &[T],
    buffer: *mut T,
    count: *mut usize,
) -> Result<(), Failure> {
    check_pointer(count, "the count")?;
    // SAFETY: the caller's count is valid.
    let room = unsafe { count.read() };
    // SAFETY: the same.
    unsafe { count.write(values.len()) };
    if buffer.is_null() {
        return Ok(());
    }
    check_pointer(buffer, "the buffer")?;
    if room < values.len() {
        let message = format!("the buffer holds {room} elements, but needs {}", values.len());
        return Err(Failure::new(&code::C_API_BUFFER, message));
    }
    // SAFETY: the caller's buffer has at least this capacity.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), buffer, values.len()) };
    Ok(())
}

/// Copies text into the caller's buffer as [`fill`] does; the count includes the terminating zero.
pub(crate) fn fill_text(text: &str, buffer: *mut c_char, count: *mut usize) -> Result<(), Failure> {
    let bytes: Vec<c_char> = text.bytes().chain([0]).map(|byte| byte as c_char).collect();
    fill(&bytes, buffer, count)
}

/// Returns a pointer to the first element; NULL for an empty list.
pub(crate) fn first<T>(list: &[T]) -> *const T {
    if list.is_empty() { std::ptr::null() } else { list.as_ptr() }
}
