//! Which library this is.

use crate::border;
use crate::error::{guard, polyshade_error};
use crate::failure::polyshade_status;
use crate::options::Kind;
use std::ffi::c_char;

/// The version of the header. The major one grows where a program has to be compiled anew.
pub const POLYSHADE_VERSION_MAJOR: u32 = 0;
/// Grows where something is added.
pub const POLYSHADE_VERSION_MINOR: u32 = 1;
/// Grows where nothing is.
pub const POLYSHADE_VERSION_PATCH: u32 = 0;

/// The version of the library that runs: 65,536 times the major one, 256 times the minor one, and the patch.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_version() -> u32 {
    POLYSHADE_VERSION_MAJOR << 16 | POLYSHADE_VERSION_MINOR << 8 | POLYSHADE_VERSION_PATCH
}

/// The same as text, which is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_version_text() -> *const c_char {
    const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    TEXT.as_ptr().cast()
}

/// The version of the lowering that options of this kind ask for: it grows where the lowering makes other words of the
/// same module, target and options. It is part of `polyshade_options_hash`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_lowering_version(
    kind: u32,
    version: *mut u32,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || border::set(version, Kind::of(kind)?.version, "version"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_package() {
        let numbers = [POLYSHADE_VERSION_MAJOR, POLYSHADE_VERSION_MINOR, POLYSHADE_VERSION_PATCH];
        assert_eq!(numbers.map(|number| number.to_string()).join("."), env!("CARGO_PKG_VERSION"));
    }
}
