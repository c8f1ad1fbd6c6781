//! Modules as the caller holds them: counted, immutable, and for any number of threads.

use crate::error::{guard, guard_value, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::ffi;
use crate::interface::Reflection;
use polyshade::Module;
use sha2::{Digest, Sha256};
use std::sync::{Arc, OnceLock};

/// A SPIR-V module. It is immutable, and any number of threads may use it at once.
pub struct polyshade_module {
    pub(crate) module: Module<'static>,
    reflection: OnceLock<Reflection>,
}

impl polyshade_module {
    pub(crate) fn new(module: Module<'static>) -> Arc<Self> {
        Arc::new(Self { module, reflection: OnceLock::new() })
    }

    /// Returns the reflection of the entry points, which is computed at the first call.
    pub(crate) fn reflection(&self) -> &Reflection {
        self.reflection.get_or_init(|| Reflection::of(&self.module))
    }
}

/// Parses a module of `word_count` words, and copies them. Words of the other byte order are swapped. The caller must
/// release `*module`, which is NULL if the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_parse(
    words: *const u32,
    word_count: usize,
    module: *mut *mut polyshade_module,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        ffi::clear_out(module, "module")?;
        let words = ffi::slice(words, word_count, "words")?;
        let parsed = Module::parse_owned(words.to_vec())?;
        ffi::hand_out(module, polyshade_module::new(parsed));
        Ok(())
    })
}

/// Parses a module of `byte_count` bytes, as in a file, at any alignment, and copies them. The caller must release
/// `*module`, which is NULL if the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_parse_bytes(
    bytes: *const u8,
    byte_count: usize,
    module: *mut *mut polyshade_module,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        ffi::clear_out(module, "module")?;
        let bytes = ffi::slice(bytes, byte_count, "bytes")?;
        let (words, rest) = bytes.as_chunks();
        if !rest.is_empty() {
            let message = format!("{byte_count} bytes are not a whole number of words");
            return Err(Failure::argument(message));
        }
        let words = words.iter().map(|word| u32::from_ne_bytes(*word)).collect();
        ffi::hand_out(module, polyshade_module::new(Module::parse_owned(words)?));
        Ok(())
    })
}

/// Increments the reference count of a module, and returns the module. NULL returns NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_retain(
    module: *mut polyshade_module,
) -> *mut polyshade_module {
    ffi::retain(module);
    module
}

/// Decrements the reference count of a module, and frees the module with the last reference. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_release(module: *mut polyshade_module) {
    guard_value((), || ffi::release(module));
}

/// Returns the words of a module, valid as long as the module, and their number in `*word_count`; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_words(
    module: *const polyshade_module,
    word_count: *mut usize,
) -> *const u32 {
    guard_value(std::ptr::null(), || {
        let words = ffi::handle(module, "module").map(|module| module.module.words());
        let words = words.unwrap_or_default();
        let _ = ffi::set(word_count, words.len(), "word_count");
        if words.is_empty() { std::ptr::null() } else { words.as_ptr() }
    })
}

/// Copies the words of a module to `buffer`. `*word_count` is the capacity of `buffer`, and becomes the number of
/// words. If `buffer` is NULL, only the number is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_copy_words(
    module: *const polyshade_module,
    buffer: *mut u32,
    word_count: *mut usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let module = ffi::handle(module, "module")?;
        ffi::fill(module.module.words(), buffer, word_count)
    })
}

/// Writes the 32-byte SHA-256 of the module's little-endian words to `hash`, for the key of a cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_hash(
    module: *const polyshade_module,
    hash: *mut u8,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let module = ffi::handle(module, "module")?;
        let mut digest = Sha256::new();
        module.module.words().iter().for_each(|word| digest.update(word.to_le_bytes()));
        ffi::set(hash.cast::<[u8; 32]>(), digest.finalize().into(), "hash")
    })
}
