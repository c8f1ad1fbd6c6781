//! Where errors are: whoever reads one has the module that was given, and no other.

use polyshade::{Error, Module};

/// Whether the id that an error about `module` has is defined in it, and the word that it has begins an instruction.
///
/// # Errors
///
/// What is wrong with the place, for a person to read.
pub fn check_place(module: &Module<'_>, error: &Error) -> Result<(), String> {
    if let Some(id) = error.id().filter(|id| module.defined_at(*id).is_none()) {
        return Err(format!("{id} is not defined in the module that was given: {error}"));
    }
    let begins = |at| module.instructions().any(|inst| inst.at() == at);
    match error.word_offset().filter(|at| !begins(*at)) {
        Some(at) => Err(format!("no instruction of the module given begins at {at:#x}: {error}")),
        None => Ok(()),
    }
}
