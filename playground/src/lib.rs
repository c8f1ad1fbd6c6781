//! The library and naga as WebAssembly: JSON in, JSON out, for the page that `cargo xtask playground` makes.
//!
//! The page writes a request into the memory that [`reserve`] gives, calls [`run`], and reads the answer. What panics
//! ends the instance, as it unwinds nowhere: [`fault`] then says why, and the page makes another instance.

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

/// Room for a request of so many bytes, UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    let mut request = lock(&REQUEST);
    request.clear();
    request.resize(length, 0);
    request.as_mut_ptr()
}

/// Does what the request asks for, and returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> usize {
    panic::set_hook(Box::new(|what| *lock(&FAULT) = what.to_string()));
    let text = answer(&String::from_utf8_lossy(&lock(&REQUEST)));
    let length = text.len();
    *lock(&ANSWER) = text;
    length
}

/// Where the answer is, until the next one.
#[unsafe(no_mangle)]
pub extern "C" fn answer_at() -> *const u8 {
    lock(&ANSWER).as_ptr()
}

/// Where the message is of the panic that has ended this instance.
#[unsafe(no_mangle)]
pub extern "C" fn fault() -> *const u8 {
    lock(&FAULT).as_ptr()
}

/// The length of that message.
#[unsafe(no_mangle)]
pub extern "C" fn fault_length() -> usize {
    lock(&FAULT).len()
}
