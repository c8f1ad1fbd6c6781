//! Runs a shader and the variants that polyshade made from it on a Vulkan device and compares the results.
//!
//! The expected result is computed without the lowering. `record` draws the original as points and makes it store all
//! its outputs to a buffer. `leaves` and `layout` select the captured outputs. `polyshade_vulkan::model` decides in
//! which order primitives are captured, and which primitives do not fit.
//!
//! Outputs that a shader does not write are undefined, so they are [initialised](fn@initialise) in the original and
//! in the variants.
//!
//! The feature `run` contains the code that runs shaders. Without it, the crate builds faster and compares nothing.

#![forbid(unsafe_code)]

cfg_if::cfg_if! {
    if #[cfg(feature = "run")] {
        mod blend;
        mod cases;
        mod clip;
        mod compare;
        mod constants;
        mod extension;
        mod images;
        mod initialise;
        mod inputs;
        mod layout;
        mod leaves;
        mod library;
        mod pass_through_tesc;
        mod position;
        mod pull;
        mod random;
        mod record;
        mod recording;
        mod run;
        mod stores;
        mod synthetic_vertex;
        mod targets;
        mod tolerance;
        mod verbs;
    }
}

// Without the feature `run`, only `verify` itself returns a verdict.
#[cfg_attr(not(feature = "run"), allow(dead_code))]
mod verdict;

#[cfg(feature = "run")]
pub use constants::Specialization;
#[cfg(feature = "run")]
pub use initialise::{Filler, initialise};
pub use verdict::{Difference, Equal, Part, Value, Verdict};

use polyshade::advanced_blend::{self, Destination, Equation};
use polyshade::clip_cull::{DistanceSemantic, UserPlanes};
use polyshade::host::{self, Target};
use polyshade::position_only::{self, Keep};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::Options;
use polyshade::vertex_pulling;
use polyshade::{Error, Module};
use polyshade_vulkan::blend_model::Clamping;
use polyshade_vulkan::{AdvancedBlend, Runner};
use std::collections::BTreeMap;
use std::fmt;

/// A comparison to make: a shader, its lowering, and the number and inputs of the runs.
#[derive(Debug)]
pub struct Job<'j> {
    /// The original shader.
    pub module: &'j Module<'j>,
    /// The name of the entry point.
    pub entry: &'j str,
    /// The stage of the entry point.
    pub stage: ExecutionModel,
    /// The lowering to verify.
    pub lowering: Lowering<'j>,
    /// Specialization constants for the original and the variants: `SpecId` and the bits of the value.
    pub specialization: Vec<(u32, u64)>,
    /// Variants to judge instead of those that polyshade makes, as SPIR-V words. If empty, polyshade's variants are
    /// judged.
    pub given: Vec<(Part, Vec<u32>)>,
    /// The seed of the inputs of the first run.
    pub seed: u64,
    /// The number of runs. Each run uses the next seed.
    pub runs: u32,
    /// The number of vertices of the largest draw.
    pub vertices: u32,
}

/// A lowering with its options.
#[derive(Debug)]
pub enum Lowering<'j> {
    /// Transform feedback by stores, with the variants `capture-only`, `raster-only` and `both`.
    Stores(Captured<'j>),
    /// Transform feedback by the extension, with the variant `lowered`.
    Extension(Captured<'j>),
    /// Position-only variants: `position-only`, `complement` and `full`.
    Position(Reduced<'j>),
    /// Vertex pulling, with the variant `lowered`.
    Pull(Pulls<'j>),
    /// Clip and cull distances, with the variant `lowered`.
    Clip(Distances<'j>),
    /// Advanced blend equations, with the variant `lowered`.
    Blend(Blends<'j>),
}

/// The captured outputs and the options of the lowering.
#[derive(Debug)]
pub struct Captured<'j> {
    /// The entry point to lower, and the device to lower it for.
    pub target: &'j Target,
    /// The options of the lowering.
    pub options: &'j Options,
    /// The list of captured outputs in the options, as the user wrote it.
    pub asked: Asked,
}

/// A list of captured outputs, as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Names, `location=…` or `id=…`, captured interleaved, with `gl_NextBuffer` and `gl_SkipComponentsN`.
    Interleaved(Vec<String>),
    /// Names, `location=…` or `id=…`, each captured to a separate buffer.
    Separate(Vec<String>),
    /// Entries of a Direct3D stream output declaration, like `1:TEXCOORD0.xy` or `$SKIP.x`, and strides of the slots.
    StreamOutput(Vec<String>, Vec<u32>),
    /// The transform feedback decorations of the module.
    Decorations,
}

/// The options of vertex pulling.
#[derive(Debug)]
pub struct Pulls<'j> {
    /// The entry point to lower, and the device to lower it for.
    pub target: &'j Target,
    /// The options of the lowering, without attributes and buffers, which are derived from the shader's inputs.
    pub options: &'j vertex_pulling::Options,
}

/// The options of a position-only lowering.
#[derive(Debug)]
pub struct Reduced<'j> {
    /// The entry point to lower, and the device to lower it for.
    pub target: &'j Target,
    /// The options of the lowering.
    pub options: &'j position_only::Options,
    /// The outputs to keep, as the user wrote them. If empty, the outputs that the rasterizer needs are kept.
    pub keep: Vec<Keep>,
    /// Whether captured outputs are also kept.
    pub captures: bool,
}

/// The lowering of clip and cull distances.
pub struct Distances<'j> {
    /// Applies the steps to a module.
    pub lower: &'j dyn Fn(&Module<'_>) -> Result<Module<'static>, Error>,
    /// The steps that `lower` applies.
    pub steps: &'j ClipSteps,
}

impl fmt::Debug for Distances<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.fmt(f)
    }
}

/// The steps of a lowering of clip and cull distances, in this order.
#[derive(Debug, Clone, Default)]
pub struct ClipSteps {
    /// User clip planes from which the clip distances are computed.
    pub planes: Option<UserPlanes>,
    /// The mask of enabled planes, and optionally a location to which the unmasked distances are written in addition.
    pub mask: Option<(host::Value<u32>, Option<u32>)>,
    /// The form of the distances after the lowering.
    pub form: ClipForm,
    /// The inputs that are distances.
    pub inputs: DistanceSemantics,
    /// The outputs that are distances.
    pub outputs: DistanceSemantics,
    /// Whether `UserSemantic` decorations also make inputs and outputs distances.
    pub user_semantics: bool,
    /// The number of clip distances and of cull distances in the interfaces between stages.
    pub counts: Option<[u32; 2]>,
}

/// The inputs, or the outputs, that contain distances.
#[derive(Debug, Clone, Default)]
pub struct DistanceSemantics {
    /// The semantics of the stage itself.
    pub semantics: Vec<DistanceSemantic>,
    /// The semantics shared with the neighbouring stage, which number the distances. The default is the stage's own
    /// semantics.
    pub linked: Option<Vec<DistanceSemantic>>,
}

/// A form of clip and cull distances in a shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClipForm {
    /// The form in the original.
    Kept,
    /// Built-in arrays, made from registers.
    #[default]
    Arrays,
    /// Registers from this location on, made from built-in arrays.
    Registers {
        /// The first location.
        location: u32,
    },
    /// A geometry stage clips and culls. For other stages, a geometry stage is generated. The other stages, and the
    /// inputs of the geometry stage, have registers from this location on, made from built-in arrays.
    ClippedInGeometry {
        /// The first location.
        location: Option<u32>,
        /// Whether clip distances remain built-in.
        native_clip: bool,
        /// Whether a geometry stage also writes its distances to these locations.
        keeps_distances: bool,
    },
    /// One built-in array, made from two.
    Combined,
    /// Two built-in arrays, made from one.
    Separate,
    /// Values from this location on, with which a fragment stage discards. The fragment stage's inputs there are
    /// registers.
    Emulated {
        /// The first location.
        location: u32,
        /// Whether clip distances remain built-in.
        native_clip: bool,
    },
}

/// The blending of the colour attachments and the options of the lowering.
#[derive(Debug)]
pub struct Blends<'j> {
    /// The entry point to lower, and the device to lower it for.
    pub target: &'j Target,
    /// The options of the lowering.
    pub options: &'j advanced_blend::Options,
    /// The blending of all attachments that are not in `targets`.
    pub every_target: Option<BlendedAs>,
    /// The blending of attachments by location; `None` leaves an attachment unblended.
    pub targets: BTreeMap<u32, Option<BlendedAs>>,
    /// The source of the parameter that selects an equation.
    pub select: Option<host::ParamSource>,
    /// The source of the destination colour.
    pub destination: Destination,
    /// Whether attachments are multisampled.
    pub multisampled: bool,
    /// Whether the alpha of location 0 decides which samples are covered.
    pub alpha_to_coverage: bool,
    /// Whether the alpha of location 0 is blended as 1.
    pub alpha_to_one: bool,
}

/// The blending of one colour attachment.
#[derive(Debug, Clone)]
pub struct BlendedAs {
    /// The equations that can be selected.
    pub equations: Vec<Equation>,
    /// The overlap mode, and whether colours are premultiplied.
    pub how: AdvancedBlend,
    /// The clamping that the attachment's format applies to colours.
    pub clamping: Clamping,
    /// Whether results are clamped to [0, 1].
    pub clamp_results: bool,
    /// Whether the destination alpha reads as 1.
    pub without_alpha: bool,
}

/// The progress of a comparison, reported before each of its steps.
///
/// If the process crashes or hangs while the original runs, the rewritten shader is not at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The shader is read and rewritten, and inputs are made.
    Preparing,
    /// The original runs.
    Original,
    /// The rewritten shader runs.
    Rewritten,
}

/// Whether this build has the feature `run` and can compare.
pub const RUNS: bool = cfg!(feature = "run");

/// The reason in [`Verdict::NotComparable`] if blending is undefined for every colour that is drawn.
pub const NO_DEFINED_COLOUR: &str = "blending is undefined for every colour that is drawn";

/// Compares the original with its variants on `device`, and reports each phase before it starts.
///
/// Without the feature `run`, the verdict is always [`Verdict::NotComparable`].
///
/// # Errors
///
/// The errors of the rewrite, in which case nothing was compared.
pub fn verify(
    job: &Job<'_>,
    device: &dyn Runner,
    report: impl FnMut(Phase),
) -> Result<Verdict, Error> {
    compare(job, (device, None), report)
}

/// Compares captures of the rewritten shader on `device` with outputs of the original on `reference`.
///
/// The devices may be of different kinds. Only captures by stores can be compared across devices.
///
/// Both shaders must write the same words of the buffers. The words must be equal, except for floats that Vulkan
/// allows two devices to round differently. These floats may differ within the limits of Vulkan's precision tables.
/// Words that depend on a decision by such a float are not compared.
///
/// # Errors
///
/// The errors of the rewrite, in which case nothing was compared.
pub fn verify_against(
    job: &Job<'_>,
    (device, reference): (&dyn Runner, &dyn Runner),
    report: impl FnMut(Phase),
) -> Result<Verdict, Error> {
    compare(job, (device, Some(reference)), report)
}

fn compare(
    job: &Job<'_>,
    devices: (&dyn Runner, Option<&dyn Runner>),
    report: impl FnMut(Phase),
) -> Result<Verdict, Error> {
    #[cfg(feature = "run")]
    return verbs::verify(job, devices, report);
    #[cfg(not(feature = "run"))]
    {
        let _ = (job, devices, report);
        Ok(Verdict::NotComparable(
            "this build lacks the feature `run`, which runs comparisons".to_owned(),
        ))
    }
}
