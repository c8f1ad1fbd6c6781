//! The errors for modules that cannot be read.

use crate::{Error, Id, code};

#[cold]
pub(super) fn not_a_module(message: impl Into<String>, at: usize) -> Error {
    Error::new(&code::SPIRV_NOT_A_MODULE, message).at(at as u32)
}

#[cold]
pub(super) fn invalid_id(message: impl Into<String>, at: usize) -> Error {
    Error::new(&code::SPIRV_INVALID_ID, message).at(at as u32)
}

#[cold]
pub(super) fn invalid_entry_point(message: impl Into<String>, at: usize) -> Error {
    Error::new(&code::SPIRV_INVALID_ENTRY_POINT, message).at(at as u32)
}

#[cold]
pub(super) fn function_layout(message: impl Into<String>, at: usize) -> Error {
    Error::new(&code::SPIRV_FUNCTION_LAYOUT, message).at(at as u32)
}

#[cold]
pub(super) fn instruction_length(message: impl Into<String>, at: usize) -> Error {
    Error::new(&code::SPIRV_INSTRUCTION_LENGTH, message).at(at as u32)
}

#[cold]
pub(super) fn length(count: usize, left: usize, at: usize) -> Error {
    match count {
        0 => instruction_length("an instruction has a word count of 0", at),
        _ if count > left => instruction_length(
            format!("an instruction of {count} words is cut off after {left}"),
            at,
        ),
        _ => instruction_length(format!("an instruction lacks operands: it has {count} words"), at),
    }
}

/// Adds an id, which may be 0, to an error.
pub(super) trait AboutWord {
    fn about_word(self, word: u32) -> Self;
}

impl AboutWord for Error {
    fn about_word(self, word: u32) -> Self {
        match Id::new(word) {
            Some(id) => self.about(id),
            None => self,
        }
    }
}
