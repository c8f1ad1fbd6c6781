//! The version of the library and of its lowerings.

use crate::error::{guard, polyshade_error};
use crate::failure::polyshade_status;
use crate::ffi;
use crate::options::Kind;
use std::ffi::c_char;

/// The major version of the header. It increases when programs must be recompiled.
pub const POLYSHADE_VERSION_MAJOR: u32 = 0;
/// The minor version. It increases when something is added.
pub const POLYSHADE_VERSION_MINOR: u32 = 1;
/// The patch version. It increases when nothing is added.
pub const POLYSHADE_VERSION_PATCH: u32 = 0;

/// Returns the version of the loaded library: 65,536 × the major, plus 256 × the minor, plus the patch version.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_version() -> u32 {
    POLYSHADE_VERSION_MAJOR << 16 | POLYSHADE_VERSION_MINOR << 8 | POLYSHADE_VERSION_PATCH
}

/// Returns the version of the loaded library as text, which is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_version_text() -> *const c_char {
    const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    TEXT.as_ptr().cast()
}

/// Writes the version of the lowering of a kind of options (`POLYSHADE_OPTIONS_…`) to `*version`. It increases when
/// the lowering produces other words for equal inputs, and is part of `polyshade_options_hash`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_lowering_version(
    kind: u32,
    version: *mut u32,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || ffi::set(version, Kind::of(kind)?.version, "version"))
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
