//! Steps of `clip_cull` that several tests use.

use polyshade::clip_cull::{
    self, Clipped, DistanceCounts, Emulated, GeometryClip, Options, Primitive, Registers, Step,
};
use polyshade::host::Lowered;
use polyshade::{Error, Module};

/// Lowers the entry point `main` with one step.
///
/// # Errors
///
/// The errors of the step.
pub fn take<'m>(module: &'m Module<'_>, step: Step) -> Result<Lowered<'m, Clipped>, Error> {
    clip_cull::lower(module, "main", &Options::from([step]))
}

/// Returns a step that converts inputs and outputs to registers from `location` on.
pub fn to_registers(location: u32, signature: Option<DistanceCounts>) -> Step {
    Step::ToRegisters(Registers { inputs: location, outputs: location, signature })
}

/// Returns a step that emulates all distances, with registers from `location` on.
pub fn emulate(location: u32, signature: Option<DistanceCounts>) -> Step {
    Step::Emulate { emulated: Emulated::All, location, inputs: None, signature }
}

/// Returns a step that generates a geometry stage, with input distances at `location`.
pub fn generate(mut clip: GeometryClip, primitive: Primitive, location: u32) -> Step {
    (clip.generate, clip.location) = (Some(primitive), location);
    Step::ClipInGeometry(clip)
}
