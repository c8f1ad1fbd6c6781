//! What comes over the border as pointers, and goes back: the one place that reads and writes the caller's memory.
//!
//! The functions are not `unsafe`, since all of them lean on the same promise of the caller's, which the header
//! states: a pointer that is not NULL leads to what it says. What can be checked is: NULL, alignment, sizes, UTF-8.

use crate::code;
use crate::failure::Failure;
use std::ffi::{CStr, c_char};
use std::mem::{align_of, size_of};
use std::sync::Arc;

/// A struct that begins with its size in the header that the caller was compiled with.
///
/// # Safety
///
/// It is `repr(C)`, begins with a `u32`, has no padding before [`FIRST`](Self::FIRST), and may be all zeros.
pub(crate) unsafe trait Versioned: Copy {
    /// Its name.
    const NAME: &'static str;
    /// How large it was in the first version of the header.
    const FIRST: usize;
    /// How large it is.
    const SIZE: usize = size_of::<Self>();
}

/// Makes structs of numbers and pointers [`Versioned`], with the size that each had first.
macro_rules! versioned {
    ($name:ident, $first:expr) => {
        const _: () = assert!($first <= size_of::<$name>(), "structs only grow");
        // SAFETY: it holds numbers and pointers, and its size comes first.
        unsafe impl $crate::border::Versioned for $name {
            const NAME: &'static str = stringify!($name);
            const FIRST: usize = $first;
        }
    };
}
pub(crate) use versioned;

/// Structs are not larger: what says so is not one.
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

/// The size that the caller's struct says it has.
fn size_said<T: Versioned>(at: *const T) -> Result<usize, Failure> {
    check_pointer(at, T::NAME)?;
    // SAFETY: the caller's struct begins with its size.
    let size = unsafe { at.cast::<u32>().read() } as usize;
    if !(T::FIRST..=MAX_SIZE).contains(&size) {
        let message = format!("{} says that it has {size} bytes, not {}", T::NAME, T::SIZE);
        return Err(Failure::argument(message));
    }
    Ok(size)
}

/// A struct of the caller's. What an older header lacks is zero; what a newer one has more must be.
pub(crate) fn get<T: Versioned>(at: *const T) -> Result<T, Failure> {
    let size = size_said(at)?;
    // SAFETY: the caller's struct has as many bytes as it says.
    let bytes = unsafe { std::slice::from_raw_parts(at.cast::<u8>(), size) };
    if bytes.iter().skip(T::SIZE).any(|byte| *byte != 0) {
        let message = format!("{} has members that this version does not know", T::NAME);
        return Err(Failure::argument(message));
    }
    // SAFETY: a versioned struct may be all zeros.
    let mut value: T = unsafe { std::mem::zeroed() };
    // SAFETY: no more is copied than either has.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), (&raw mut value).cast(), size.min(T::SIZE));
    }
    Ok(value)
}

/// The same of the head of a larger struct, which is read once its head says what it is.
pub(crate) fn get_head<T: Versioned>(at: *const T) -> Result<T, Failure> {
    size_said(at)?;
    // SAFETY: it has as many bytes as it says, which are no fewer than those of its head.
    Ok(unsafe { at.read() })
}

/// The same with members of `otherwise` where an older header lacks them.
pub(crate) fn get_over<T: Versioned>(at: *const T, otherwise: T) -> Result<T, Failure> {
    let (given, mut value) = (get(at)?, otherwise);
    let size = size_said(at)?.min(T::SIZE);
    // SAFETY: no more is copied than both have.
    unsafe {
        std::ptr::copy_nonoverlapping(
            (&raw const given).cast::<u8>(),
            (&raw mut value).cast(),
            size,
        )
    };
    Ok(value)
}

/// The same before anything may be allocated, and so without a reason.
pub(crate) fn get_quietly<T: Versioned>(at: *const T) -> Option<T> {
    if at.is_null() || !at.addr().is_multiple_of(align_of::<T>()) {
        return None;
    }
    // SAFETY: the caller's struct begins with its size.
    let size = unsafe { at.cast::<u32>().read() } as usize;
    (T::FIRST..=MAX_SIZE).contains(&size).then(|| get(at).ok())?
}

/// The same where there need not be one.
pub(crate) fn get_optional<T: Versioned>(at: *const T) -> Result<Option<T>, Failure> {
    if at.is_null() { Ok(None) } else { get(at).map(Some) }
}

/// The size of a struct that is to be written; none for NULL.
pub(crate) fn size_of_out<T: Versioned>(at: *mut T) -> Result<Option<u32>, Failure> {
    if at.is_null() { Ok(None) } else { size_said(at).map(|size| Some(size as u32)) }
}

/// Writes as much of `value` as the caller's struct of `size` bytes holds, and zeros behind it.
pub(crate) fn put<T: Versioned>(at: *mut T, value: T, size: u32) {
    let size = size as usize;
    let copied = size.min(T::SIZE);
    // SAFETY: the caller's struct has `size` bytes, of which no more are written.
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

/// Text of the caller's.
pub(crate) fn text<'a>(at: *const c_char, what: &str) -> Result<&'a str, Failure> {
    check_pointer(at, what)?;
    // SAFETY: the caller's text ends with a zero.
    let text = unsafe { CStr::from_ptr(at) };
    text.to_str().map_err(|_| Failure::argument(format!("{what} is not UTF-8")))
}

/// The same where there need not be one.
pub(crate) fn optional_text<'a>(at: *const c_char, what: &str) -> Result<Option<&'a str>, Failure> {
    if at.is_null() { Ok(None) } else { text(at, what).map(Some) }
}

/// Things of the caller's in a row. None are anywhere.
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
        return Err(Failure::argument(format!("{what} has {count} elements, more than memory")));
    }
    // SAFETY: the caller has so many, at an aligned place.
    Ok(unsafe { std::slice::from_raw_parts(at, count) })
}

/// Texts of the caller's in a row.
pub(crate) fn texts<'a>(
    at: *const *const c_char,
    count: usize,
    what: &str,
) -> Result<Vec<&'a str>, Failure> {
    slice(at, count, what)?.iter().map(|one| text(*one, what)).collect()
}

/// Something of the library's that the caller holds.
pub(crate) fn handle<'a, T>(at: *const T, what: &str) -> Result<&'a T, Failure> {
    check_pointer(at, what)?;
    // SAFETY: the caller holds what we gave it.
    Ok(unsafe { &*at })
}

/// The same, held once more.
pub(crate) fn share<T>(at: *const T, what: &str) -> Result<Arc<T>, Failure> {
    check_pointer(at, what)?;
    retain(at);
    // SAFETY: every handle comes of an `Arc`, which was just counted once more.
    Ok(unsafe { Arc::from_raw(at) })
}

/// Counts one holder more.
pub(crate) fn retain<T>(at: *const T) {
    if !at.is_null() {
        // SAFETY: every handle comes of an `Arc`, which the caller holds.
        unsafe { Arc::increment_strong_count(at) };
    }
}

/// Counts one holder less, and frees behind the last.
pub(crate) fn release<T>(at: *const T) {
    if !at.is_null() {
        // SAFETY: every handle comes of an `Arc`, which the caller holds and gives up.
        drop(unsafe { Arc::from_raw(at) });
    }
}

/// Empties the place where a handle goes, so that a call that fails leaves none.
pub(crate) fn clear_out<T>(at: *mut *mut T, what: &str) -> Result<(), Failure> {
    check_pointer(at, what)?;
    // SAFETY: the caller has room for a pointer there.
    unsafe { at.write(std::ptr::null_mut()) };
    Ok(())
}

/// Gives the caller a handle.
pub(crate) fn hand_out<T>(at: *mut *mut T, value: Arc<T>) {
    // SAFETY: `clear_out` has looked at the place.
    unsafe { at.write(Arc::into_raw(value).cast_mut()) };
}

/// Writes one value.
pub(crate) fn set<T>(at: *mut T, value: T, what: &str) -> Result<(), Failure> {
    check_pointer(at, what)?;
    // SAFETY: the caller has room for it there.
    unsafe { at.write(value) };
    Ok(())
}

/// The two calls by which results come into the caller's buffers: without a buffer the count is said; with one, `count`
/// says how much it holds before and how much was written afterwards.
pub(crate) fn fill<T: Copy>(
    values: &[T],
    buffer: *mut T,
    count: *mut usize,
) -> Result<(), Failure> {
    check_pointer(count, "the count")?;
    // SAFETY: the caller's count is there.
    let room = unsafe { count.read() };
    // SAFETY: the same.
    unsafe { count.write(values.len()) };
    if buffer.is_null() {
        return Ok(());
    }
    check_pointer(buffer, "the buffer")?;
    if room < values.len() {
        let message = format!("the buffer holds {room} elements, of {}", values.len());
        return Err(Failure::new(&code::C_API_BUFFER, message));
    }
    // SAFETY: the caller's buffer has room for so many.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), buffer, values.len()) };
    Ok(())
}

/// The same of text, whose zero counts.
pub(crate) fn fill_text(text: &str, buffer: *mut c_char, count: *mut usize) -> Result<(), Failure> {
    let bytes: Vec<c_char> = text.bytes().chain([0]).map(|byte| byte as c_char).collect();
    fill(&bytes, buffer, count)
}

/// Where a list is; NULL where it is empty.
pub(crate) fn first<T>(list: &[T]) -> *const T {
    if list.is_empty() { std::ptr::null() } else { list.as_ptr() }
}
