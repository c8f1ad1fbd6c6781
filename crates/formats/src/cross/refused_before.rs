//! What SPIRV-Cross is not called for: an assertion of its own would end the process.

use crate::Error;
use polyshade_spv::{Capability, Module};

/// Capabilities that let a module have what SPIRV-Cross asserts that it has not, and what that is.
const CAPABILITIES: [(Capability, &str); 2] = [
    (Capability(4473), "untyped pointers (UntypedPointersKHR)"),
    (Capability(5128), "descriptor heaps (DescriptorHeapEXT)"),
];

/// An error for a module that SPIRV-Cross would not survive.
pub(super) fn check(words: &[u32]) -> Result<(), Error> {
    // SPIRV-Cross reports modules that cannot be parsed.
    let Ok(module) = Module::parse(words) else { return Ok(()) };
    match CAPABILITIES.iter().find(|(capability, _)| module.has_capability(*capability)) {
        Some((_, what)) => Err(Error::Unsupported(format!("SPIRV-Cross does not know {what}"))),
        None => Ok(()),
    }
}
