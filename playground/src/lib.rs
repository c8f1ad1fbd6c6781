//! The library and naga as WebAssembly for the page of `cargo xtask playground`. Requests and answers are JSON.
//!
//! The page writes a request into the memory that [`reserve`] returns, calls [`run`], and reads the answer. A panic
//! cannot unwind, so it ends the WebAssembly instance. [`fault`] then returns the panic message, and the page creates
//! a new instance.

mod lower;
mod plans;
mod request;

pub use request::answer;

use std::panic;
use std::sync::{Mutex, MutexGuard, PoisonError};

static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<String> = Mutex::new(String::new());
static FAULT: Mutex<String> = Mutex::new(String::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns memory for a UTF-8 request of this many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    let mut request = lock(&REQUEST);
    request.clear();
    request.resize(length, 0);
    request.as_mut_ptr()
}

/// Executes the request and returns the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> usize {
    panic::set_hook(Box::new(|what| *lock(&FAULT) = what.to_string()));
    let text = answer(&String::from_utf8_lossy(&lock(&REQUEST)));
    let length = text.len();
    *lock(&ANSWER) = text;
    length
}

/// Returns the address of the answer, which is valid until the next request.
#[unsafe(no_mangle)]
pub extern "C" fn answer_at() -> *const u8 {
    lock(&ANSWER).as_ptr()
}

/// Returns the address of the message of the panic that ended this instance.
#[unsafe(no_mangle)]
pub extern "C" fn fault() -> *const u8 {
    lock(&FAULT).as_ptr()
}

/// Returns the length of the panic message in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn fault_length() -> usize {
    lock(&FAULT).len()
}
