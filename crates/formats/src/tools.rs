//! Assembly, differences between listings, and validation. This crate prints assembly. SPIRV-Tools reads assembly and
//! validates modules, through its library with the feature `tools`, and otherwise through its command-line programs.

mod header;
#[cfg(feature = "tools")]
mod library;
mod printer;
#[cfg(any(test, not(feature = "tools")))]
mod programs;

use crate::{Error, SpirvVersion};
use header::Header;
use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};
#[cfg(feature = "tools")]
use library as backend;
use printer::Ids;
#[cfg(not(feature = "tools"))]
use programs as backend;

/// Assembles text. Numeric ids are preserved, and header comments are used, so text from [`assembly`] results in the
/// original words. Messages refer to the text by `name`. `version` applies if the text has no version.
///
/// # Errors
///
/// The message of the assembler, as `NAME:LINE:COLUMN: MESSAGE`. [`Error::LeftOut`] if there is no assembler.
pub fn assemble(text: &str, name: &str, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    let header = Header::read(text, name)?;
    let minor = header.version.unwrap_or(version).minor();
    let mut words = backend::assemble(text, name, &format!("spv1.{minor}"))?;
    header.write(&mut words);
    Ok(words)
}

/// Disassembles the module to text that [`assemble`] converts to the same words. The text has numeric ids and header
/// comments.
///
/// # Errors
///
/// Modules that assembly cannot express, for example with unknown instructions.
pub fn assembly(words: &[u32]) -> Result<String, Error> {
    let body = printer::print(words, &Ids::Numbers)?;
    let text = format!("{}{body}", header::comments(words));
    match assemble(&text, "", SpirvVersion::of(words)) {
        Ok(again) if again == words => Ok(text),
        Err(Error::LeftOut(_)) => Ok(text),
        _ => {
            Err(Error::Unsupported("the assembly would not assemble to the same words".to_owned()))
        }
    }
}

/// Disassembles the module for people, with names for ids and without the header.
///
/// # Errors
///
/// As for [`assembly`].
pub fn listing(words: &[u32]) -> Result<String, Error> {
    printer::print(words, &Ids::Names)
}

/// Returns the differences between two listings in the format of `diff -u`; empty if they are equal.
pub fn difference(before: &str, after: &str) -> String {
    let lines = InternedInput::new(before, after);
    let mut difference = Diff::compute(Algorithm::Histogram, &lines);
    difference.postprocess_lines(&lines);
    let printer = BasicLineDiffPrinter(&lines.interner);
    let hunks = difference.unified_diff(&printer, UnifiedDiffConfig::default(), &lines).to_string();
    if hunks.is_empty() { hunks } else { format!("--- before\n+++ after\n{hunks}") }
}

/// Validates the module in a named environment. The default is the oldest Vulkan version that supports the module's
/// version.
///
/// # Errors
///
/// The message of the validator, with the instruction. [`Error::LeftOut`] if there is no validator.
pub fn validate(words: &[u32], environment: Option<&str>) -> Result<(), Error> {
    let environment = environment.unwrap_or_else(|| oldest_vulkan(SpirvVersion::of(words)));
    backend::validate(words, environment)
}

/// Checks that a module is valid SPIR-V, without Vulkan's rules, because modules from HLSL may need an optimizer to
/// satisfy Vulkan's rules. Without the feature `tools`, nothing is checked.
///
/// # Errors
///
/// As for [`validate`].
#[cfg(feature = "glsl")]
pub(crate) fn check(words: &[u32]) -> Result<(), Error> {
    #[cfg(feature = "tools")]
    return library::check(words, &format!("spv1.{}", SpirvVersion::of(words).minor()));
    #[cfg(not(feature = "tools"))]
    {
        let _ = words;
        Ok(())
    }
}

fn oldest_vulkan(version: SpirvVersion) -> &'static str {
    match version {
        SpirvVersion::SPIRV1_0 => "vulkan1.0",
        SpirvVersion::SPIRV1_1 | SpirvVersion::SPIRV1_2 | SpirvVersion::SPIRV1_3 => "vulkan1.1",
        SpirvVersion::SPIRV1_4 => "vulkan1.1spv1.4",
        SpirvVersion::SPIRV1_5 => "vulkan1.2",
        SpirvVersion::SPIRV1_6 => "vulkan1.3",
    }
}

/// The names of the environments for validation.
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

#[cfg(test)]
mod tests;
