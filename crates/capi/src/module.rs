//! Modules as the caller holds them: counted, immutable, and for any number of threads.

use crate::border;
use crate::error::{guard, guard_value, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::interface::Reflection;
use polyshade::Module;
use sha2::{Digest, Sha256};
use std::sync::{Arc, OnceLock};

/// A SPIR-V module. It never changes, and any number of threads may use it at once.
pub struct polyshade_module {
    pub(crate) module: Module<'static>,
    reflection: OnceLock<Reflection>,
}

impl polyshade_module {
    pub(crate) fn new(module: Module<'static>) -> Arc<Self> {
        Arc::new(Self { module, reflection: OnceLock::new() })
    }

    /// What is known of its entry points, found when it is first asked for.
    pub(crate) fn reflection(&self) -> &Reflection {
        self.reflection.get_or_init(|| Reflection::of(&self.module))
    }
}

/// Reads a module of `word_count` words, which are copied. Words of the other byte order are turned.
/// `*module` has to be released; it is NULL where the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_parse(
    words: *const u32,
    word_count: usize,
    module: *mut *mut polyshade_module,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        border::clear_out(module, "module")?;
        let words = border::slice(words, word_count, "words")?;
        let parsed = Module::parse_owned(words.to_vec())?;
        border::hand_out(module, polyshade_module::new(parsed));
        Ok(())
    })
}

/// The same of bytes, as a file has them, at any alignment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_parse_bytes(
    bytes: *const u8,
    byte_count: usize,
    module: *mut *mut polyshade_module,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        border::clear_out(module, "module")?;
        let bytes = border::slice(bytes, byte_count, "bytes")?;
        let (words, rest) = bytes.as_chunks();
        if !rest.is_empty() {
            let message = format!("{byte_count} bytes are no whole words");
            return Err(Failure::argument(message));
        }
        let words = words.iter().map(|word| u32::from_ne_bytes(*word)).collect();
        border::hand_out(module, polyshade_module::new(Module::parse_owned(words)?));
        Ok(())
    })
}

/// Counts one holder more, and gives the module back. NULL stays NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_retain(
    module: *mut polyshade_module,
) -> *mut polyshade_module {
    border::retain(module);
    module
}

/// Counts one holder less; behind the last one the module is freed. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_release(module: *mut polyshade_module) {
    guard_value((), || border::release(module));
}

/// The module's words, which live as long as it does. `*word_count` says how many there are. NULL where `module` is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_words(
    module: *const polyshade_module,
    word_count: *mut usize,
) -> *const u32 {
    guard_value(std::ptr::null(), || {
        let words = border::handle(module, "module").map(|module| module.module.words());
        let words = words.unwrap_or_default();
        let _ = border::set(word_count, words.len(), "word_count");
        if words.is_empty() { std::ptr::null() } else { words.as_ptr() }
    })
}

/// Copies the module's words. Where `buffer` is NULL, `*word_count` becomes their number; else it says how many words
/// `buffer` holds, and becomes how many there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_copy_words(
    module: *const polyshade_module,
    buffer: *mut u32,
    word_count: *mut usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let module = border::handle(module, "module")?;
        border::fill(module.module.words(), buffer, word_count)
    })
}

/// The SHA-256 of the module's words, little-endian, 32 bytes: with `polyshade_options_hash` the key of a cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_module_hash(
    module: *const polyshade_module,
    hash: *mut u8,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let module = border::handle(module, "module")?;
        let mut digest = Sha256::new();
        module.module.words().iter().for_each(|word| digest.update(word.to_le_bytes()));
        border::set(hash.cast::<[u8; 32]>(), digest.finalize().into(), "hash")
    })
}
