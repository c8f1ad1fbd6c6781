//! Errors as the caller reads them, and the guard that stops panics.

use crate::failure::{
    Failure, POLYSHADE_ERROR_ARGUMENT, POLYSHADE_ERROR_INTERNAL, POLYSHADE_NONE, POLYSHADE_OK,
    polyshade_status,
};
use crate::ffi::{self, versioned};
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The error of one call, in the caller's memory: nothing must be freed. Every call writes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_error {
    /// `sizeof(polyshade_error)`
    pub size: u32,
    /// The status that the call returned.
    pub status: polyshade_status,
    /// The offset in the module, in words, or `POLYSHADE_NONE`.
    pub word_offset: u32,
    /// The SPIR-V id that the error is about, or 0.
    pub id: u32,
    /// The length of the whole message, which `message` may truncate.
    pub message_length: u32,
    /// The length of the whole suggestion, which `help` may truncate; 0 if there is none.
    pub help_length: u32,
    /// The message, without the offset, in lower case. It ends with a zero.
    pub message: [c_char; 512],
    /// A suggestion. It ends with a zero.
    pub help: [c_char; 256],
    /// The code of the error, such as `capture.duplicate-varying`; docs/errors.md lists all. It is the same in every
    /// version, and empty if the call succeeded.
    pub code: [c_char; 64],
}

versioned!(polyshade_error, 792);

/// Returns the error struct for the result of a call.
fn written(done: &Result<(), Failure>, size: u32) -> polyshade_error {
    let mut error = polyshade_error {
        size,
        status: status(done),
        word_offset: POLYSHADE_NONE,
        ..ffi::zeroed()
    };
    if let Err(failure) = done {
        error.word_offset = failure.word_offset.unwrap_or(POLYSHADE_NONE);
        error.id = failure.id;
        error.message_length = failure.message.len() as u32;
        error.help_length = failure.help.len() as u32;
        copy_text(&failure.message, &mut error.message);
        copy_text(&failure.help, &mut error.help);
        copy_text(failure.code.name(), &mut error.code);
    }
    error
}

fn status(done: &Result<(), Failure>) -> polyshade_status {
    done.as_ref().map_or_else(Failure::status, |()| POLYSHADE_OK)
}

/// Copies as many whole characters of the text as fit before a terminating zero.
fn copy_text(text: &str, buffer: &mut [c_char]) {
    let most = text.len().min(buffer.len() - 1);
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let bytes = text.as_bytes()[..end].iter().map(|byte| *byte as c_char);
    buffer.iter_mut().zip(bytes).for_each(|(at, byte)| *at = byte);
}

/// Makes a call, and writes its result to `error`, which may be NULL. A panic becomes `POLYSHADE_ERROR_INTERNAL`.
pub(crate) fn guard(
    error: *mut polyshade_error,
    call: impl FnOnce() -> Result<(), Failure>,
) -> polyshade_status {
    let size = match catch_unwind(|| ffi::size_of_out(error)) {
        Ok(Ok(size)) => size,
        Ok(Err(_)) => return POLYSHADE_ERROR_ARGUMENT,
        Err(_) => return POLYSHADE_ERROR_INTERNAL,
    };
    let done = catch_unwind(AssertUnwindSafe(call));
    let done = done.unwrap_or_else(|panic| Err(Failure::of_panic(panic)));
    if let Some(size) = size {
        ffi::put(error, written(&done, size), size);
    }
    status(&done)
}

/// Makes a call that returns a value other than a status: `otherwise` if the call panics.
pub(crate) fn guard_value<T>(otherwise: T, call: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code;

    fn empty() -> polyshade_error {
        let mut error = written(&Err(Failure::new(&code::C_API_INTERNAL, "old")), 0);
        error.size = size_of::<polyshade_error>() as u32;
        error
    }

    fn message(error: &polyshade_error) -> String {
        text(&error.message)
    }

    fn text(buffer: &[c_char]) -> String {
        let bytes = buffer.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0);
        String::from_utf8(bytes.collect()).expect("characters are whole")
    }

    #[test]
    fn a_panic_is_an_internal_error_with_its_message() {
        let mut error = empty();
        let status = guard(&raw mut error, || panic!("bound {}", 7));
        assert_eq!((status, error.status), (POLYSHADE_ERROR_INTERNAL, status));
        assert_eq!(message(&error), "bound 7");
        assert_eq!(text(&error.code), "c-api.internal");
        let status = guard(&raw mut error, || std::panic::panic_any(7));
        assert_eq!(status, POLYSHADE_ERROR_INTERNAL);
        assert_eq!(message(&error), "a panic without a message");
        assert_eq!(guard_value(3, || panic!("never mind")), 3);
    }

    #[test]
    fn what_went_well_clears_the_error() {
        let mut error = empty();
        assert_eq!(guard(&raw mut error, || Ok(())), POLYSHADE_OK);
        assert_eq!((error.status, message(&error)), (POLYSHADE_OK, String::new()));
        assert_eq!(text(&error.code), "");
    }

    #[test]
    fn a_program_with_an_older_header_gets_no_code() {
        let mut error = empty();
        error.size = 792;
        guard(&raw mut error, || Err(Failure::argument("it is NULL")));
        assert_eq!(
            (message(&error).as_str(), text(&error.code).as_str()),
            ("it is NULL", "c-api.internal")
        );
    }

    #[test]
    fn every_code_has_room() {
        use polyshade::{code, spv};
        let all =
            [crate::code::CODES, code::CODES, spv::code::CODES, polyshade_planner::code::CODES];
        let mut names = all.into_iter().flatten().map(|code| code.name());
        assert!(names.clone().count() > 200);
        assert_eq!(names.find(|name| name.len() > 63), None);
    }

    #[test]
    fn long_messages_are_cut_between_characters() {
        let long = "ä".repeat(300);
        let mut error = empty();
        guard(&raw mut error, || Err(Failure::argument(long.clone())));
        assert_eq!(error.message_length, 600);
        assert_eq!(message(&error), "ä".repeat(255));
    }

    #[test]
    fn an_error_of_an_unknown_size_is_refused_before_the_call() {
        let mut error = empty();
        error.size = 8;
        let status = guard(&raw mut error, || panic!("it is not made"));
        assert_eq!(status, POLYSHADE_ERROR_ARGUMENT);
        assert_eq!(message(&error), "old");
    }
}
