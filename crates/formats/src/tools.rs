//! Assembly in and out, and validation, through SPIRV-Tools.

use crate::{Error, SpirvVersion};

#[cfg(feature = "tools")]
mod library;

/// Assembles text. Numeric ids stay as they are, and the header's comments are believed: text of [`assembly`] becomes
/// the words that it was made of. `name` is what messages call the text; `version` is for text that says none.
///
/// # Errors
///
/// What the assembler says, as `NAME:LINE:COLUMN: what`.
pub fn assemble(text: &str, name: &str, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    #[cfg(feature = "tools")]
    return library::assemble(text, name, version);
    #[cfg(not(feature = "tools"))]
    left_out((text, name, version))
}

/// The module as assembly that [`assemble`] makes the same words of: with numeric ids and the header as comments.
///
/// # Errors
///
/// Where the module has what assembly cannot express, such as instructions that the tables do not know.
pub fn assembly(words: &[u32]) -> Result<String, Error> {
    #[cfg(feature = "tools")]
    return library::assembly(words);
    #[cfg(not(feature = "tools"))]
    left_out(words)
}

/// The module as assembly for people, with names for ids, and without the header.
///
/// # Errors
///
/// As for [`assembly`].
pub fn listing(words: &[u32]) -> Result<String, Error> {
    #[cfg(feature = "tools")]
    return library::listing(words);
    #[cfg(not(feature = "tools"))]
    left_out(words)
}

/// What two listings differ in, as `diff -u` has it; nothing where they are the same.
///
/// # Errors
///
/// Where this build makes no listings.
pub fn difference(before: &str, after: &str) -> Result<String, Error> {
    #[cfg(feature = "tools")]
    return Ok(library::difference(before, after));
    #[cfg(not(feature = "tools"))]
    left_out((before, after))
}

/// Whether the module is valid in an environment, by its name; without one, under the oldest Vulkan that takes its
/// version.
///
/// # Errors
///
/// What the validator says is wrong, and with which instruction.
pub fn validate(words: &[u32], environment: Option<&str>) -> Result<(), Error> {
    #[cfg(feature = "tools")]
    return library::validate(words, environment);
    #[cfg(not(feature = "tools"))]
    left_out((words, environment))
}

#[cfg(not(feature = "tools"))]
fn left_out<A, T>(_: A) -> Result<T, Error> {
    Err(Error::LeftOut(crate::Feature::Tools))
}

/// The names of the environments that modules are validated in.
pub const ENVIRONMENTS: [&str; 13] = [
    "vulkan1.0",
    "vulkan1.1",
    "vulkan1.1spv1.4",
    "vulkan1.2",
    "vulkan1.3",
    "vulkan1.4",
    "spv1.0",
    "spv1.1",
    "spv1.2",
    "spv1.3",
    "spv1.4",
    "spv1.5",
    "spv1.6",
];
