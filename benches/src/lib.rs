//! What the benchmarks run on, and how their results are held against the committed limits.

pub mod inputs;
pub mod limits;

use polyshade::transform_feedback::{self, Options, Variant};
use polyshade::{Error, Module};

/// All variants of a vertex shader that is captured.
pub fn captured<'m>(module: &'m Module<'_>, options: &Options) -> Result<[Module<'m>; 3], Error> {
    let prepared = transform_feedback::prepare(module, "main", options)?;
    let make = |variant| Ok(prepared.variant(variant)?.module);
    Ok([make(Variant::CaptureOnly)?, make(Variant::Both)?, make(Variant::RasterOnly)?])
}
