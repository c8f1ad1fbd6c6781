//! What a lowering is asked for: structs of a kind each, or JSON of any kind.
//!
//! Both become one value, so that it does not matter for the result, or for the hash, how something was said.

mod blend;
mod capture;
mod clip;
mod json;
mod kind;
mod position;
mod pulling;

pub use blend::*;
pub use capture::*;
pub use clip::*;
pub use json::*;
pub use kind::*;
pub use position::*;
pub use pulling::*;

use crate::border::{self, versioned};
use crate::failure::Failure;
use polyshade::clip_cull::{Exact, Lacking, Planes, Primitive, Registers, Repair};
use polyshade::host::Value;
use polyshade::recipe::Recipe;
use polyshade::transform_feedback::Variant;
use polyshade::{
    advanced_blend, clip_cull, depth_convention, position_only, rasterizer_discard,
    transform_feedback, vertex_pulling,
};
use serde::{Deserialize, Serialize};

/// How every struct of options begins. A call takes a pointer to this member.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_options {
    /// The size of the whole struct.
    pub size: u32,
    /// `POLYSHADE_OPTIONS_…`: which struct it is, and which lowering it asks for.
    pub kind: u32,
}

versioned!(polyshade_options, 8);

/// What is asked for.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    Storage(Storage),
    Extension(transform_feedback::Options),
    Pulling(vertex_pulling::Options),
    PositionOnly(position_only::Options),
    PositionComplement(position_only::Options),
    PositionFull(position_only::Options),
    Depth(depth_convention::Options),
    Discard(rasterizer_discard::Options),
    Blend(advanced_blend::Options),
    Normalize(clip_cull::Options),
    Enable(Enable),
    Planes(Planes),
    Combine(Combine),
    Separate(Separate),
    Registers(Registers),
    EmulateLast(EmulateLast),
    EmulateFragment(EmulateFragment),
    Cut(Exact),
    Generate(Generate),
    Repair(Vec<Repair>),
    Recipe(Box<Recipe>),
}

/// A capture into storage buffers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Storage {
    #[serde(default = "capture_only")]
    pub(crate) variants: Vec<Variant>,
    #[serde(default)]
    pub(crate) options: transform_feedback::Options,
}

fn capture_only() -> Vec<Variant> {
    vec![Variant::CaptureOnly]
}

impl Default for Storage {
    fn default() -> Self {
        Self { variants: capture_only(), options: transform_feedback::Options::default() }
    }
}

/// Planes that are on.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Enable {
    pub(crate) enabled: Value<u32>,
    #[serde(default)]
    pub(crate) as_written: Option<u32>,
}

/// One array of two.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Combine {
    pub(crate) clip: Option<u32>,
}

/// Two arrays of one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Separate {
    pub(crate) clip: u32,
}

/// Distances that the last stage hands on.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EmulateLast {
    pub(crate) lacking: Lacking,
    pub(crate) location: u32,
    /// Of the inputs, if not the same.
    #[serde(default)]
    pub(crate) inputs: Option<u32>,
    #[serde(default)]
    pub(crate) linked: Option<[u32; 2]>,
}

/// Distances by which the fragment stage discards.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EmulateFragment {
    pub(crate) lacking: Lacking,
    pub(crate) location: u32,
    pub(crate) counts: [u32; 2],
}

/// A geometry stage that cuts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Generate {
    pub(crate) primitive: Primitive,
    pub(crate) location: u32,
    pub(crate) exact: Exact,
}

/// What the caller asks for.
pub(crate) fn read(at: *const polyshade_options) -> Result<Asked, Failure> {
    let given = border::get_head(at)?;
    if given.kind == POLYSHADE_OPTIONS_JSON {
        return json::read(at.cast());
    }
    Ok(match Kind::of(given.kind)? {
        Kind::CaptureStorage => Asked::Storage(capture::read_storage(at.cast())?),
        Kind::CaptureExtension => Asked::Extension(capture::read(at.cast())?.1),
        Kind::VertexPulling => Asked::Pulling(pulling::read(at.cast())?),
        Kind::PositionOnly => Asked::PositionOnly(position::read(at.cast())?),
        Kind::PositionComplement => Asked::PositionComplement(position::read(at.cast())?),
        Kind::PositionFull => Asked::PositionFull(position::read(at.cast())?),
        Kind::DepthConvention => Asked::Depth(position::read_depth(at.cast())?),
        Kind::RasterizerDiscard => Asked::Discard(position::read_discard(at.cast())?),
        Kind::AdvancedBlend => Asked::Blend(blend::read(at.cast())?),
        Kind::ClipNormalize => Asked::Normalize(clip::read_normalize(at.cast())?),
        Kind::ClipEnable => Asked::Enable(clip::read_enable(at.cast())?),
        Kind::ClipPlanes => Asked::Planes(clip::read_planes(at.cast())?),
        Kind::ClipCombine
        | Kind::ClipSeparate
        | Kind::ClipRegisters
        | Kind::ClipEmulateLast
        | Kind::ClipEmulateFragment
        | Kind::ClipCut
        | Kind::ClipGenerate
        | Kind::ClipRepair
        | Kind::Recipe => {
            let message = format!("options of kind {} are given as JSON", given.kind);
            return Err(Failure::argument(message));
        }
    })
}
