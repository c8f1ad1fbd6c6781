//! Checks that positions of errors refer to the module that the caller passed.

use polyshade::{Error, Module};

/// Checks that an error's id is defined in `module`, and that an instruction begins at its word offset.
///
/// # Errors
///
/// A description of the wrong position.
pub fn check_place(module: &Module<'_>, error: &Error) -> Result<(), String> {
    if let Some(id) = error.id().filter(|id| module.defined_at(*id).is_none()) {
        return Err(format!("{id} is not defined in the input module: {error}"));
    }
    let begins = |at| module.instructions().any(|inst| inst.at() == at);
    match error.word_offset().filter(|at| !begins(*at)) {
        Some(at) => Err(format!("no instruction of the input module begins at {at:#x}: {error}")),
        None => Ok(()),
    }
}
