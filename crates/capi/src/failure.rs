//! Statuses, and why a call does not do what was asked.

use crate::code;
use polyshade::spv::Code;
use polyshade::{Error, ErrorKind};
use std::any::Any;
use std::ffi::CString;

/// What a call answers: `POLYSHADE_OK`, or one of the numbers behind it.
pub type polyshade_status = i32;

/// It is done.
pub const POLYSHADE_OK: i32 = 0;
/// The words are no well-formed module.
pub const POLYSHADE_ERROR_MALFORMED: i32 = 1;
/// A limit of SPIR-V would be exceeded.
pub const POLYSHADE_ERROR_LIMIT: i32 = 2;
/// Something that was named is not there.
pub const POLYSHADE_ERROR_NOT_FOUND: i32 = 3;
/// It cannot be done, and the message says why.
pub const POLYSHADE_ERROR_UNSUPPORTED: i32 = 4;
/// The options contradict themselves or each other.
pub const POLYSHADE_ERROR_OPTIONS: i32 = 5;
/// The call itself is wrong: a pointer is NULL or not aligned, a size or number is none, a text is not UTF-8.
pub const POLYSHADE_ERROR_ARGUMENT: i32 = 6;
/// A text is not the JSON that is wanted.
pub const POLYSHADE_ERROR_JSON: i32 = 7;
/// The buffer is too small; the count says how much is needed.
pub const POLYSHADE_ERROR_BUFFER: i32 = 8;
/// A fault of polyshade's own, which went no further. Please report it.
pub const POLYSHADE_ERROR_INTERNAL: i32 = 9;

/// No word offset, no location, no index.
pub const POLYSHADE_NONE: u32 = 0xffff_ffff;

/// Why a call does not do what was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: &'static Code,
    pub(crate) message: String,
    pub(crate) help: String,
    pub(crate) word_offset: Option<u32>,
    pub(crate) id: u32,
}

impl Failure {
    /// One with neither a place nor an id.
    pub(crate) fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: String::new(), word_offset: None, id: 0 }
    }

    /// The status of a call that fails so.
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

    /// Of a call that is wrong itself.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(&code::C_API_ARGUMENT, message)
    }

    /// Of text that is not what it should be: `what` is the name of the text.
    pub(crate) fn json(what: &str, error: &serde_json::Error) -> Self {
        Self::new(&code::C_API_JSON, format!("{what}: {error}"))
    }

    /// Of what `catch_unwind` caught.
    pub(crate) fn of_panic(panic: Box<dyn Any + Send>) -> Self {
        let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(text), _) => (*text).to_owned(),
            (None, Some(text)) => text.clone(),
            (None, None) => {
                // It may panic once more where it is dropped.
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

/// Of something that is asked for by a number that it does not have.
pub(crate) fn missing(what: &str, number: u32) -> Failure {
    Failure::new(&code::C_API_NOT_FOUND, format!("there is no {what} {number}"))
}

/// Text for the caller. A zero in it would end it early.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).expect("it has no zeros any more")
}
