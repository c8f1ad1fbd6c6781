//! SPIRV-Tools as a library.

use crate::Error;
use spirv_tools::TargetEnv;
use spirv_tools::assembler::{Assembler, AssemblerOptions, create};
use spirv_tools::val::{Validator, ValidatorOptions};

pub(super) fn assemble(text: &str, name: &str, environment: &str) -> Result<Vec<u32>, Error> {
    let binary = create(Some(named(environment)?))
        .assemble(text, AssemblerOptions { preserve_numeric_ids: true })
        .map_err(|error| Error::Faulty(located(&error, name)))?;
    Ok(binary.as_words().to_vec())
}

pub(super) fn validate(words: &[u32], environment: &str) -> Result<(), Error> {
    spirv_tools::val::create(Some(named(environment)?))
        .validate(words, None)
        .map_err(|error| Error::Faulty(what(&error)))
}

#[cfg(feature = "glsl")]
pub(super) fn check(words: &[u32], environment: &str) -> Result<(), Error> {
    let options = ValidatorOptions {
        before_legalization: true,
        skip_block_layout: true,
        ..ValidatorOptions::default()
    };
    spirv_tools::val::create(Some(named(environment)?))
        .validate(words, Some(options))
        .map_err(|error| Error::Faulty(what(&error)))
}

fn named(environment: &str) -> Result<TargetEnv, Error> {
    let none = |_| Error::Options(format!("unknown environment `{environment}`"));
    environment.parse().map_err(none)
}

/// Returns the message of SPIRV-Tools, with the instruction that it refers to.
fn what(error: &spirv_tools::Error) -> String {
    match &error.diagnostic {
        Some(diagnostic) if diagnostic.notes.trim().is_empty() => diagnostic.message.clone(),
        Some(diagnostic) => format!("{}\n{}", diagnostic.message, diagnostic.notes.trim_end()),
        None => error.inner.to_string(),
    }
}

/// Returns the message with the name, line and column in front.
fn located(error: &spirv_tools::Error, name: &str) -> String {
    let place = error.diagnostic.as_ref().map(|diagnostic| (diagnostic.line, diagnostic.column));
    // Lines and columns are counted from 0.
    let place = place.map(|(line, column)| format!("{name}:{}:{}: ", line + 1, column + 1));
    format!("{}{}", place.unwrap_or_default(), what(error))
}
