//! Options as JSON, in the format of the program's recipes and of the Rust library's `serde`.

use super::{Asked, Kind, polyshade_options};
use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::ffi::{self, versioned};
use crate::place::check_reserved;
use std::ffi::c_char;

/// Options of any kind as JSON.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_json_options {
    /// The size, and `POLYSHADE_OPTIONS_JSON`.
    pub base: polyshade_options,
    /// The kind of the options in `json`.
    pub of: u32,
    /// 0
    pub reserved: u32,
    /// The options in the format of `polyshade_options_json`. Members that are missing have their default.
    pub json: *const c_char,
}

versioned!(polyshade_json_options, 16 + size_of::<usize>());

/// Writes the options of any struct as JSON to `buffer`. `*length` is the capacity of `buffer`, and becomes the
/// length of the text with its terminating zero. If `buffer` is NULL, only the length is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_options_json(
    options: *const polyshade_options,
    buffer: *mut c_char,
    length: *mut usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let text = super::read(options)?.to_value().to_string();
        ffi::fill_text(&text, buffer, length)
    })
}

/// Reads options from the JSON of the caller's struct.
pub(super) fn read(at: *const polyshade_json_options) -> Result<Asked, Failure> {
    let given = ffi::get(at)?;
    check_reserved(given.reserved, "the options")?;
    (Kind::of(given.of)?.parse)(ffi::text(given.json, "the options")?)
}
