//! Converts, masks and emulates clip and cull distances. Shader compilers, APIs and devices represent and enable
//! distances differently.
//!
//! Direct3D has up to two registers with a semantic and four components each. Vulkan and OpenGL have two built-in
//! arrays of floats. [`lower`] applies [`Step`]s to one stage.
//!
//! ```
//! # use polyshade::{Error, Module, host::{ParamSource, Value}};
//! use polyshade::clip_cull::{self, Normalize, Options, Step};
//!
//! # fn enable(words: &[u32]) -> Result<(), Error> {
//! let vertex = Module::parse(words)?;
//! // Registers with a semantic become arrays, and a push constant enables planes.
//! let enabled = Value::Param(ParamSource::PushConstant { offset: 0 });
//! let options = Options::from([
//!     Step::Normalize(Normalize::default()),
//!     Step::Mask { enabled, keep_original_at: None },
//! ]);
//! let lowered = clip_cull::lower(&vertex, "main", &options)?;
//! println!("{} clip planes", lowered.result.distances.outputs.clip);
//! # Ok(())
//! # }
//! ```

mod arrays;
mod cut;
mod emulate;
mod geometry;
mod limits;
mod normalize;
mod options;
mod pass_through;
mod pipeline;
mod pre_raster;
mod prepare;
mod primitives;
mod read;
mod registers;
mod relocate;
mod semantics;
mod varyings;

pub(crate) use arrays::to_registers;
pub(crate) use emulate::{Runs, emulate_fragment};
pub use limits::Emulated;
pub use options::{
    Clipped, DistanceCounts, Distances, EMULATED_LOCATIONS, GeometryClip, Normalize, Options,
    Registers, StageDistances, Step, UserPlanes,
};
pub(crate) use pipeline::normalize_pipeline;
pub use primitives::Primitive;
pub use semantics::{DISTANCE_KINDS, DistanceKind, DistanceSemantic};

use crate::host::{Lowered, Target};
use arrays::Form;
use polyshade_spv::{Error, ExecutionModel, Module, Progress};

/// The version of the shaders from [`lower`]. It increases when the same input gives a different module.
pub const VERSION: u32 = 8;

/// Applies the steps of `options` to one stage, in their order.
///
/// The requirements are those of the final module, so distances that a step removes need no device feature.
///
/// # Errors
///
/// Those of the [`Step`]s. An id or a word offset in an error refers to `module`.
pub fn lower<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    options: &Options,
) -> Result<Lowered<'m, Clipped>, Error> {
    let target = target.into();
    let entry = || arrays::ANY.entry_point(module, &target);
    let Some((first, others)) = options.steps.split_first() else {
        entry()?;
        return Ok(Lowered::unchanged(module, Clipped::default()));
    };
    // Only `Emulate` depends on the stage.
    let differs = options.steps.iter().any(|step| matches!(step, Step::Emulate { .. }));
    let is_fragment = differs && entry()?.model() == ExecutionModel::FRAGMENT;
    // The first step reads the given module, which it can return without a copy.
    let mut lowered = take(first, module, &target, is_fragment)?.map(|(found, geometry)| {
        let mut clipped = Clipped { geometry, ..Clipped::default() };
        add(&mut clipped.distances, first, is_fragment, found);
        clipped
    });
    if !lowered.is_changed() {
        lowered.result.unchanged.push(0);
    }
    // Every later step reads the module from the previous step.
    for (number, step) in (1..).zip(others) {
        let made = take(step, &lowered.module, &target, is_fragment);
        let made = made.map_err(|error| about_given(module, lowered.is_changed(), error))?;
        let changed = made.is_changed().then(|| made.module.into_owned());
        let (found, geometry) = made.result;
        add(&mut lowered.result.distances, step, is_fragment, found);
        lowered.result.geometry = geometry.or(lowered.result.geometry.take());
        lowered.params.extend(made.params);
        let mut needs = std::mem::take(&mut lowered.requirements);
        if !matches!(step, Step::UserPlanes(_) | Step::Mask { .. }) {
            // The step computes the requirements for all distances of the stage anew.
            needs = limits::without_distances(needs);
        }
        lowered.requirements = needs.join(made.requirements);
        match changed {
            Some(changed) => (lowered.module, lowered.progress) = (changed, Progress::Changed),
            None => lowered.result.unchanged.push(number),
        }
    }
    Ok(lowered)
}

/// The distances of the stage, and the generated geometry stage.
type Made = (StageDistances, Option<Box<Lowered<'static, StageDistances>>>);

fn take<'v>(
    step: &Step,
    m: &'v Module<'_>,
    target: &Target,
    is_fragment: bool,
) -> Result<Lowered<'v, Made>, Error> {
    let lowered = match step {
        Step::Normalize(options) => normalize::normalize(m, target, options)?,
        Step::UserPlanes(planes) => pre_raster::user_planes(m, target, *planes)?,
        Step::Mask { enabled, keep_original_at } => {
            pre_raster::mask(m, target, *enabled, *keep_original_at)?
        }
        Step::Combine { clip } => arrays::convert(m, target, Form::Combined { clip: *clip })?,
        Step::Separate { clip } => arrays::convert(m, target, Form::Separate { clip: *clip })?,
        Step::ToRegisters(registers) => to_registers(m, target, *registers)?,
        Step::Emulate { emulated, location, inputs, signature } => {
            let (outputs, signature) = (*location, *signature);
            let registers = Registers { inputs: outputs, outputs, signature };
            if is_fragment {
                emulate_fragment(m, target, *emulated, registers, Runs::AsItIs)?
            } else {
                let registers = Registers { inputs: inputs.unwrap_or(outputs), ..registers };
                emulate::emulate_last(m, target, *emulated, registers)?
            }
        }
        Step::ClipInGeometry(clip) => match clip.generate {
            None => geometry::clip_in_geometry(m, target, clip)?,
            Some(primitive) => {
                let (last, geometry) = pass_through::generate(m, target, primitive, clip)?;
                return Ok(last.map(|distances| (distances, geometry.map(Box::new))));
            }
        },
    };
    Ok(lowered.map(|distances| (distances, None)))
}

/// Updates `all` with the distances that a step found. Some steps know only the inputs or only the outputs.
fn add(all: &mut StageDistances, step: &Step, is_fragment: bool, found: StageDistances) {
    let numbers = |all: &mut Distances, found: &Distances| {
        (all.clip, all.cull) = (found.clip, found.cull);
    };
    match step {
        Step::Normalize(_)
        | Step::Combine { .. }
        | Step::Separate { .. }
        | Step::ToRegisters(_) => *all = found,
        Step::Emulate { .. } if is_fragment => {
            numbers(&mut all.inputs, &found.inputs);
        }
        Step::UserPlanes(_)
        | Step::Mask { .. }
        | Step::Emulate { .. }
        | Step::ClipInGeometry(_) => {
            numbers(&mut all.outputs, &found.outputs);
            if !found.inputs.registers.is_empty() {
                all.inputs = found.inputs;
            }
        }
    }
}

/// Converts an error about a later version to an error about the given module.
fn about_given(given: &Module<'_>, is_changed: bool, error: Error) -> Error {
    match error.id().filter(|id| given.defined_at(*id).is_some()) {
        _ if !is_changed => error,
        Some(id) => error.without_place().about(id),
        None => error.without_place(),
    }
}
