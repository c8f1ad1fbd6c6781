//! Statuses and errors of calls.

use crate::code;
use polyshade::spv::Code;
use polyshade::{Error, ErrorKind};
use std::any::Any;
use std::ffi::CString;

/// The status of a call: `POLYSHADE_OK` or `POLYSHADE_ERROR_…`.
pub type polyshade_status = i32;

/// The call succeeded.
pub const POLYSHADE_OK: i32 = 0;
/// The words are not a well-formed module.
pub const POLYSHADE_ERROR_MALFORMED: i32 = 1;
/// A limit of SPIR-V would be exceeded.
pub const POLYSHADE_ERROR_LIMIT: i32 = 2;
/// The call names an object that does not exist.
pub const POLYSHADE_ERROR_NOT_FOUND: i32 = 3;
/// The request is valid but not supported; the message gives the reason.
pub const POLYSHADE_ERROR_UNSUPPORTED: i32 = 4;
/// The options contradict themselves or each other.
pub const POLYSHADE_ERROR_OPTIONS: i32 = 5;
/// An argument is invalid: a NULL or unaligned pointer, a size or number out of range, or text that is not UTF-8.
pub const POLYSHADE_ERROR_ARGUMENT: i32 = 6;
/// A text is not valid JSON of the expected form.
pub const POLYSHADE_ERROR_JSON: i32 = 7;
/// The buffer is too small; the count has the required size.
pub const POLYSHADE_ERROR_BUFFER: i32 = 8;
/// polyshade itself failed. The process can continue; please report the call.
pub const POLYSHADE_ERROR_INTERNAL: i32 = 9;

/// No value: for word offsets, locations, indices and so on.
pub const POLYSHADE_NONE: u32 = 0xffff_ffff;

/// The reason why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: &'static Code,
    pub(crate) message: String,
    pub(crate) help: String,
    pub(crate) word_offset: Option<u32>,
    pub(crate) id: u32,
}

impl Failure {
    /// Makes a failure without a word offset and an id.
    pub(crate) fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: String::new(), word_offset: None, id: 0 }
    }

    /// Returns the status of a call that fails for this reason.
    pub(crate) fn status(&self) -> polyshade_status {
        let own = [
            (&code::C_API_ARGUMENT, POLYSHADE_ERROR_ARGUMENT),
            (&code::C_API_JSON, POLYSHADE_ERROR_JSON),
            (&code::C_API_BUFFER, POLYSHADE_ERROR_BUFFER),
        ];
        match (own.iter().find(|(code, _)| *code == self.code), self.code.kind()) {
            (Some((_, status)), _) => *status,
            (None, ErrorKind::Malformed) => POLYSHADE_ERROR_MALFORMED,
            (None, ErrorKind::Limit) => POLYSHADE_ERROR_LIMIT,
            (None, ErrorKind::NotFound) => POLYSHADE_ERROR_NOT_FOUND,
            (None, ErrorKind::Unsupported) => POLYSHADE_ERROR_UNSUPPORTED,
            (None, ErrorKind::Options) => POLYSHADE_ERROR_OPTIONS,
            (None, ErrorKind::Failed) => POLYSHADE_ERROR_INTERNAL,
        }
    }

    /// Makes a failure for an invalid argument.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(&code::C_API_ARGUMENT, message)
    }

    /// Makes a failure for invalid JSON in the text called `what`.
    pub(crate) fn json(what: &str, error: &serde_json::Error) -> Self {
        Self::new(&code::C_API_JSON, format!("{what}: {error}"))
    }

    /// Makes a failure from the payload that `catch_unwind` returned.
    pub(crate) fn of_panic(panic: Box<dyn Any + Send>) -> Self {
        let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(text), _) => (*text).to_owned(),
            (None, Some(text)) => text.clone(),
            (None, None) => {
                // Dropping the payload may panic again.
                std::mem::forget(panic);
                "a panic without a message".to_owned()
            }
        };
        Self::new(&code::C_API_INTERNAL, message)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            code: error.code(),
            message: error.message().to_owned(),
            help: error.suggestion().unwrap_or_default().to_owned(),
            word_offset: error.word_offset(),
            id: error.id().map_or(0, polyshade::spv::Id::word),
        }
    }
}

/// Returns the element of a list with this number; `what` names the elements of the list.
pub(crate) fn element<'l, T>(list: &'l [T], number: u32, what: &str) -> Result<&'l T, Failure> {
    let missing = || format!("{what} {number} does not exist");
    list.get(number as usize).ok_or_else(|| Failure::new(&code::C_API_NOT_FOUND, missing()))
}

/// Makes text for the caller. A zero byte would end the text, so it is replaced.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).expect("all zeros were replaced")
}
