//! Rejects modules for which an assertion in SPIRV-Cross would abort the process.

use crate::Error;
use polyshade_spv::{Capability, Module};

/// Capabilities that allow instructions on which SPIRV-Cross asserts, with a description.
const CAPABILITIES: [(Capability, &str); 2] = [
    (Capability(4473), "untyped pointers (UntypedPointersKHR)"),
    (Capability(5128), "descriptor heaps (DescriptorHeapEXT)"),
];

/// Returns an error for a module on which SPIRV-Cross would abort.
pub(super) fn check(words: &[u32]) -> Result<(), Error> {
    // SPIRV-Cross reports modules that cannot be parsed.
    let Ok(module) = Module::parse(words) else { return Ok(()) };
    match CAPABILITIES.iter().find(|(capability, _)| module.has_capability(*capability)) {
        Some((_, what)) => Err(Error::Unsupported(format!("SPIRV-Cross does not support {what}"))),
        None => Ok(()),
    }
}
