//! Options of lowerings: one struct for each kind, or JSON of any kind.
//!
//! Both are read into one Rust value, so the result and the hash do not depend on the form.

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

use crate::failure::Failure;
use crate::ffi::{self, versioned};
use polyshade::transform_feedback::{self, Variant};
use serde::{Deserialize, Serialize};

/// The first member of every struct of options. Calls take a pointer to this member.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_options {
    /// The size of the whole struct, in bytes.
    pub size: u32,
    /// `POLYSHADE_OPTIONS_…`: the type of the struct, and the lowering.
    pub kind: u32,
}

versioned!(polyshade_options, 8);

/// Options of a capture into storage buffers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Storage {
    #[serde(default = "capture_only")]
    pub(crate) variants: Vec<Variant>,
    #[serde(default)]
    pub(crate) options: transform_feedback::Options,
}

/// Options of tessellation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tessellation {
    #[serde(default)]
    pub(crate) patch_control_points: u32,
    #[serde(default)]
    pub(crate) lower_left_origin: bool,
    #[serde(default)]
    pub(crate) options: transform_feedback::Options,
}

/// A flag without a value, and the change that it makes to options.
type Switch<T> = (u32, fn(T) -> T);

/// Makes the changes whose flags are set, in the order of the table.
fn switched<T>(options: T, flags: u32, table: &[Switch<T>]) -> T {
    let wanted = table.iter().filter(|(flag, _)| flags & flag != 0);
    wanted.fold(options, |options, (_, change)| change(options))
}

fn capture_only() -> Vec<Variant> {
    vec![Variant::CaptureOnly]
}

/// Reads options of any kind.
pub(crate) fn read(at: *const polyshade_options) -> Result<Asked, Failure> {
    let given = ffi::get_head(at)?;
    if given.kind == POLYSHADE_OPTIONS_JSON {
        return json::read(at.cast());
    }
    Ok(match Kind::of(given.kind)?.number {
        POLYSHADE_OPTIONS_CAPTURE_STORAGE => {
            Asked::CaptureStorage(capture::read_storage(at.cast())?)
        }
        POLYSHADE_OPTIONS_CAPTURE_EXTENSION => {
            Asked::CaptureExtension(capture::read_extension(at.cast())?)
        }
        POLYSHADE_OPTIONS_VERTEX_PULLING => Asked::VertexPulling(pulling::read(at.cast())?),
        POLYSHADE_OPTIONS_POSITION_ONLY => Asked::PositionOnly(position::read(at.cast())?),
        POLYSHADE_OPTIONS_CLIP_SPACE => Asked::ClipSpace(position::read_depth(at.cast())?),
        POLYSHADE_OPTIONS_RASTERIZER_DISCARD => {
            Asked::RasterizerDiscard(position::read_discard(at.cast())?)
        }
        POLYSHADE_OPTIONS_ADVANCED_BLEND => Asked::AdvancedBlend(blend::read(at.cast())?),
        POLYSHADE_OPTIONS_CLIP_CULL => Asked::ClipCull(clip::read(at.cast())?),
        POLYSHADE_OPTIONS_TESSELLATION => {
            Asked::Tessellation(capture::read_tessellation(at.cast())?)
        }
        _ => {
            let message = format!("options of kind {} must be given as JSON", given.kind);
            return Err(Failure::argument(message));
        }
    })
}
