//! WGSL in and out, through naga.
//!
//! Positions are what the shader writes, in both directions: nothing is flipped, though WebGPU's y points up and
//! Vulkan's down, because what is captured must be what the source says.

use crate::{Error, SpirvVersion};

#[cfg(feature = "wgsl")]
mod translate;

/// Compiles WGSL, with all its entry points. `name` is what messages call the source.
///
/// # Errors
///
/// What naga says, as `NAME:LINE:COLUMN: what`.
pub fn read(source: &str, name: &str, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    #[cfg(feature = "wgsl")]
    return translate::read(source, name, version);
    #[cfg(not(feature = "wgsl"))]
    left_out((source, name, version))
}

/// The module as WGSL, with all its entry points.
///
/// # Errors
///
/// What naga or WGSL cannot express.
pub fn write(words: &[u32]) -> Result<String, Error> {
    #[cfg(feature = "wgsl")]
    return translate::write(words);
    #[cfg(not(feature = "wgsl"))]
    left_out(words)
}

#[cfg(not(feature = "wgsl"))]
fn left_out<A, T>(_: A) -> Result<T, Error> {
    Err(Error::LeftOut(crate::Feature::Wgsl))
}
