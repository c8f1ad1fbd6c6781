//! Runs a shader and what polyshade made of it on a Vulkan device, on the same inputs, and compares.
//!
//! The expected result is computed without the lowering: the original gets a buffer and records all its outputs there
//! (`record`), drawn as points; `leaves` and `layout` select the requested outputs; `polyshade_vulkan::model` decides
//! in which order primitives are captured, and which do not fit.
//!
//! Outputs that a shader does not write are undefined, so both sides are [initialised](fn@initialise).
//!
//! The code that runs shaders is the feature `run`: a program without it is built sooner, and compares nothing.

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

// Without what runs nobody makes a verdict but `verify` itself.
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

/// What to compare.
#[derive(Debug)]
pub struct Job<'j> {
    /// The shader.
    pub module: &'j Module<'j>,
    /// Its entry point.
    pub entry: &'j str,
    /// The stage of that.
    pub stage: ExecutionModel,
    /// How it is rewritten.
    pub lowering: Lowering<'j>,
    /// Specialization constants that both sides are given: their numbers and bits.
    pub specialization: Vec<(u32, u64)>,
    /// Variants to judge, and no others, instead of those that polyshade makes: the words of each.
    pub given: Vec<(Part, Vec<u32>)>,
    /// The inputs of the first run.
    pub seed: u64,
    /// How many runs there are, each with the next seed.
    pub runs: u32,
    /// The vertices of the largest draw.
    pub vertices: u32,
}

/// How a shader is rewritten.
#[derive(Debug)]
pub enum Lowering<'j> {
    /// Transform feedback by stores: `capture-only`, `raster-only` and `both`.
    Stores(Captured<'j>),
    /// Transform feedback by the extension: `lowered`.
    Extension(Captured<'j>),
    /// Position-only variants: `position-only`, `complement` and `full`.
    Position(Reduced<'j>),
    /// Vertex pulling: `lowered`.
    Pull(Pulls<'j>),
    /// Clip and cull distances: `lowered`.
    Clip(Distances<'j>),
    /// Advanced blend equations: `lowered`.
    Blend(Blends<'j>),
}

/// What is captured.
#[derive(Debug)]
pub struct Captured<'j> {
    /// Which entry point is lowered, and for what device.
    pub target: &'j Target,
    /// The options of the lowering.
    pub options: &'j Options,
    /// What the options capture, as the user wrote it.
    pub asked: Asked,
}

/// What was asked for, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Names, `location=…` or `id=…`, one behind the other, with `gl_NextBuffer` and `gl_SkipComponentsN`.
    Interleaved(Vec<String>),
    /// Names, `location=…` or `id=…`, each in a buffer of its own.
    Separate(Vec<String>),
    /// Entries of a Direct3D stream output declaration: `1:TEXCOORD0.xy`, `$SKIP.x`, `location=3`; and the strides of
    /// the slots, as far as they are given.
    StreamOutput(Vec<String>, Vec<u32>),
    /// What the module's own decorations have captured.
    Decorations,
}

/// How attributes are fetched.
#[derive(Debug)]
pub struct Pulls<'j> {
    /// Which entry point is lowered, and for what device.
    pub target: &'j Target,
    /// The options of the lowering, but for attributes and buffers, which are made of the shader's inputs.
    pub options: &'j vertex_pulling::Options,
}

/// What a position-only variant keeps.
#[derive(Debug)]
pub struct Reduced<'j> {
    /// Which entry point is lowered, and for what device.
    pub target: &'j Target,
    /// The options of the lowering.
    pub options: &'j position_only::Options,
    /// What is kept, as the user wrote it; where that is nothing, what the rasterizer needs.
    pub keep: Vec<Keep>,
    /// Whether what transform feedback captures is kept as well.
    pub captures: bool,
}

/// The lowering of clip and cull distances.
pub struct Distances<'j> {
    /// Takes the steps.
    pub lower: &'j dyn Fn(&Module<'_>) -> Result<Module<'static>, Error>,
    /// The steps.
    pub steps: &'j ClipSteps,
}

impl fmt::Debug for Distances<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.fmt(f)
    }
}

/// The steps that are taken with clip and cull distances, in this order.
#[derive(Debug, Clone, Default)]
pub struct ClipSteps {
    /// Distances from planes of the host's.
    pub planes: Option<UserPlanes>,
    /// Planes that are on, and the location at which unmasked distances are written too.
    pub mask: Option<(host::Value<u32>, Option<u32>)>,
    /// The form of the distances afterwards.
    pub form: ClipForm,
    /// The inputs that are distances.
    pub inputs: DistanceSemantics,
    /// The outputs that are distances.
    pub outputs: DistanceSemantics,
    /// Whether `UserSemantic` decorations count, too.
    pub user_semantics: bool,
    /// How many clip and cull distances there are where stages meet.
    pub counts: Option<[u32; 2]>,
}

/// The inputs, or the outputs, that are distances.
#[derive(Debug, Clone, Default)]
pub struct DistanceSemantics {
    /// Those of the stage itself.
    pub semantics: Vec<DistanceSemantic>,
    /// Those that the stage shares with its neighbour, which number them; by default its own.
    pub linked: Option<Vec<DistanceSemantic>>,
}

/// A form of distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClipForm {
    /// The one that they have.
    Kept,
    /// Built-in arrays, of registers.
    #[default]
    Arrays,
    /// Registers, of built-in arrays, at this location and behind it.
    Registers {
        /// The first.
        location: u32,
    },
    /// A geometry stage clips and culls; after other stages one is generated. Those stages, and the inputs of the
    /// stage, have registers, of built-in arrays, at this location and the following ones.
    ClippedInGeometry {
        /// The first.
        location: Option<u32>,
        /// Whether clip distances stay.
        native_clip: bool,
        /// Whether a geometry stage writes its distances there, too.
        keeps_distances: bool,
    },
    /// One built-in array of two.
    Combined,
    /// Two built-in arrays of one.
    Separate,
    /// Values at this location and behind it, for a fragment stage that discards; inputs are registers there.
    Emulated {
        /// The first.
        location: u32,
        /// Whether clip distances stay.
        native_clip: bool,
    },
}

/// What is blended.
#[derive(Debug)]
pub struct Blends<'j> {
    /// Which entry point is lowered, and for what device.
    pub target: &'j Target,
    /// The options of the lowering.
    pub options: &'j advanced_blend::Options,
    /// How every target is blended that is not named.
    pub every_target: Option<BlendedAs>,
    /// Targets by their locations; some may be left as they are.
    pub targets: BTreeMap<u32, Option<BlendedAs>>,
    /// What selects among equations.
    pub select: Option<host::ParamSource>,
    /// Where the shader reads the destination.
    pub destination: Destination,
    /// Targets have several samples.
    pub multisampled: bool,
    /// The alpha of location 0 decides which samples are covered.
    pub alpha_to_coverage: bool,
    /// The alpha of location 0 is blended as 1.
    pub alpha_to_one: bool,
}

/// How a target is blended.
#[derive(Debug, Clone)]
pub struct BlendedAs {
    /// The equations that may be selected.
    pub equations: Vec<Equation>,
    /// Overlap and alphas.
    pub how: AdvancedBlend,
    /// What the format does to colours.
    pub clamping: Clamping,
    /// Results are clamped to 0 to 1.
    pub clamp_results: bool,
    /// The destination's alpha reads as 1.
    pub without_alpha: bool,
}

/// How far a comparison is. A phase is reported for each of its steps. A crash or hang while the original runs is no
/// fault of the rewritten shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The shader is read and rewritten, and inputs are made.
    Preparing,
    /// The original runs.
    Original,
    /// The rewritten shader runs.
    Rewritten,
}

/// Whether this build compares: whether it has the feature `run`.
pub const RUNS: bool = cfg!(feature = "run");

/// The reason of a [`Verdict::NotComparable`] where blending is undefined for every colour that is drawn.
pub const NO_DEFINED_COLOUR: &str = "no colour that is drawn is one that blending is defined for";

/// Compares, and reports what it is about to do. Without the feature `run` nothing is comparable.
///
/// # Errors
///
/// Those of the rewrite: nothing was compared.
pub fn verify(
    job: &Job<'_>,
    device: &dyn Runner,
    report: impl FnMut(Phase),
) -> Result<Verdict, Error> {
    compare(job, (device, None), report)
}

/// Compares what `device` captures with the rewritten shader with what `reference`, which may be another kind of
/// device, computes with the original: as far as it is captured by stores.
///
/// Where words are captured, and which are not written, must be the same; what they are as well, but for floats that
/// Vulkan lets two devices round otherwise: these may differ as far as its tables of precision let them, and of words
/// that such a float decides are not compared.
///
/// # Errors
///
/// Those of the rewrite: nothing was compared.
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
        Ok(Verdict::NotComparable("this build has no feature `run` that compares".to_owned()))
    }
}
