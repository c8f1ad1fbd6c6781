//! Steps of `clip_cull` that several tests take.

use polyshade::clip_cull::{
    self, Clipped, DistanceCounts, Emulated, GeometryClip, Options, Primitive, Registers, Step,
};
use polyshade::host::Lowered;
use polyshade::{Error, Module};

/// Takes one step with the entry point `main`.
///
/// # Errors
///
/// Those of the step.
pub fn take<'m>(module: &'m Module<'_>, step: Step) -> Result<Lowered<'m, Clipped>, Error> {
    clip_cull::lower(module, "main", &Options::from([step]))
}

/// Registers from `location` on, of inputs and outputs.
pub fn to_registers(location: u32, signature: Option<DistanceCounts>) -> Step {
    Step::ToRegisters(Registers { inputs: location, outputs: location, signature })
}

/// Emulates all distances, from `location` on.
pub fn emulate(location: u32, signature: Option<DistanceCounts>) -> Step {
    Step::Emulate { emulated: Emulated::All, location, inputs: None, signature }
}

/// The step with a geometry stage that is generated; distances are at `location` before it.
pub fn generate(mut clip: GeometryClip, primitive: Primitive, location: u32) -> Step {
    (clip.generate, clip.location) = (Some(primitive), location);
    Step::ClipInGeometry(clip)
}
