//! `polyshade clip-space`: converts OpenGL's depth range, flips Y, and rotates for the display.

use crate::Done;
use crate::change::{Change, or_place};
use crate::examples;
use crate::lowering::Lowering;
use clap::Args;
use polyshade::clip_space::{self, Options, SurfaceRotation};
use polyshade::host::Value;

/// Converts the position between conventions: OpenGL's depth range to that of Vulkan, Direct3D and Metal, an upward Y
/// axis to a downward one, and an image to a rotated display (pre-rotation).
///
/// For the last stage before rasterization: vertex, tessellation evaluation or geometry. Transform feedback captures
/// the position that the shader writes, so capture first, then convert. If the value of an option is a source, such
/// as push-constant=16, a 32-bit host parameter selects the conversion at run time. Parameters with the same source
/// follow each other in the order range, flip, rotation.
#[derive(Args)]
#[command(after_help = examples::of("clip-space"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    change: Change,

    /// Convert depth from [-w, w] to [0, w]: on, off, or the source of a host parameter that is nonzero to convert:
    /// push-constant=OFFSET (bytes), specialization=ID, uniform=SET:BINDING, storage=SET:BINDING. The prefix address:
    /// before one of the first three means that it holds the 64-bit address of the parameter
    #[arg(long, value_name = "WHEN", default_value = "on", value_parser = switch)]
    range: Value<bool>,

    /// Flip Y: on, off, or the source of a host parameter, as for --range
    #[arg(long, value_name = "WHEN", default_value = "off", value_parser = switch)]
    flip_y: Value<bool>,

    /// Rotate the image clockwise, after the flip: 0, 90, 180 or 270 degrees, or the source of a host parameter that
    /// contains the number of quarter turns
    #[arg(long, value_name = "ROTATION", default_value = "0", value_parser = rotation)]
    rotate: Value<SurfaceRotation>,
}

fn switch(text: &str) -> Result<Value<bool>, String> {
    or_place(text, &[("on", Value::Fixed(true)), ("off", Value::Fixed(false))], Value::Param)
}

fn rotation(text: &str) -> Result<Value<SurfaceRotation>, String> {
    let rotations = [
        ("0", SurfaceRotation::None),
        ("90", SurfaceRotation::Quarter),
        ("180", SurfaceRotation::Half),
        ("270", SurfaceRotation::ThreeQuarters),
    ];
    or_place(text, &rotations.map(|(name, rotation)| (name, Value::Fixed(rotation))), Value::Param)
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { change, range, flip_y, rotate } = arguments;
    let options = Options::new().depth(*range).flip_y(*flip_y).rotation(*rotate);
    let drawn =
        match (*flip_y != Value::Fixed(false), *rotate != Value::Fixed(SurfaceRotation::None)) {
            (false, false) => None,
            (true, _) => Some(FLIPPED),
            (false, true) => Some(ROTATED),
        };
    change.run(Lowering::ClipSpace, drawn, |module, target| {
        clip_space::lower(module, target, &options)
    })
}

const FLIPPED: &str = "if Y is flipped, invert frontFace; gl_FragCoord, gl_PointCoord, derivatives and sample \
    positions in the fragment stage refer to the changed image, as do viewport and scissor";

const ROTATED: &str = "if the image is rotated, rotate viewport and scissor, too; gl_FragCoord, gl_PointCoord, \
    derivatives and sample positions in the fragment stage refer to the rotated image";
