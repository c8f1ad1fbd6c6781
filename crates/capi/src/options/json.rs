//! Options as JSON: those of the program's recipes, and of the library's `serde`.

use super::{Asked, Kind, polyshade_options};
use crate::border::{self, versioned};
use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::place::check_reserved;
use std::ffi::c_char;

/// Options of any kind as JSON.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_json_options {
    /// The size, and `POLYSHADE_OPTIONS_JSON`.
    pub base: polyshade_options,
    /// The kind that the JSON is of.
    pub of: u32,
    /// 0
    pub reserved: u32,
    /// What the options of that kind are, as `polyshade_options_json` writes them. What is not said is the default.
    pub json: *const c_char,
}

versioned!(polyshade_json_options, 16 + size_of::<usize>());

/// Writes options, whatever struct they are in, as JSON: text that ends with a zero, which `*length` counts. Where
/// `buffer` is NULL, `*length` becomes the length; else it says how much `buffer` holds, and becomes how much there
/// is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_options_json(
    options: *const polyshade_options,
    buffer: *mut c_char,
    length: *mut usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let text = super::read(options)?.to_value().to_string();
        border::fill_text(&text, buffer, length)
    })
}

/// The options in the caller's struct.
pub(super) fn read(at: *const polyshade_json_options) -> Result<Asked, Failure> {
    let given = border::get(at)?;
    check_reserved(given.reserved, "the options")?;
    Kind::of(given.of)?.read_json(border::text(given.json, "the options")?)
}
