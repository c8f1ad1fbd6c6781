//! `polyshade clip-space`: converts OpenGL's depth range, flips Y, rotates for the display.

use crate::Done;
use crate::change::{Change, or_place};
use crate::examples;
use crate::lowering::Lowering;
use clap::Args;
use polyshade::clip_space::{self, Options, Turn};
use polyshade::host::Value;

/// Converts the position between conventions: OpenGL's depth range to that of Vulkan, Direct3D and Metal, Y up to Y
/// down, and pre-rotation for rotated displays.
///
/// For the last stage before rasterization: vertex, tessellation evaluation or geometry. Transform feedback captures
/// the position that the shader wrote: capture first, then convert. An option with a source, such as
/// push-constant=16, is selected at run time by a 32-bit host parameter; parameters with the same source follow each
/// other: range, flip, rotation.
#[derive(Args)]
#[command(after_help = examples::of("clip-space"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    change: Change,

    /// Convert depth from [-w, w] to [0, w]: on, off, or the source of a parameter that is nonzero to convert:
    /// push-constant=OFFSET (bytes), specialization=ID, uniform=SET:BINDING, storage=SET:BINDING. With address:
    /// before one of the first three, it holds the 64-bit address of the parameter
    #[arg(long, value_name = "WHEN", default_value = "on", value_parser = switch)]
    range: Value<bool>,

    /// Flip Y: on, off, or the source of a parameter, as for --range
    #[arg(long, value_name = "WHEN", default_value = "off", value_parser = switch)]
    flip_y: Value<bool>,

    /// Rotate the image clockwise, after the flip: 0, 90, 180 or 270 degrees, or the source of a parameter with the
    /// number of quarter turns
    #[arg(long, value_name = "TURN", default_value = "0", value_parser = rotation)]
    rotate: Value<Turn>,
}

fn switch(text: &str) -> Result<Value<bool>, String> {
    or_place(text, &[("on", Value::Fixed(true)), ("off", Value::Fixed(false))], Value::Param)
}

fn rotation(text: &str) -> Result<Value<Turn>, String> {
    let turns = [
        ("0", Turn::None),
        ("90", Turn::Quarter),
        ("180", Turn::Half),
        ("270", Turn::ThreeQuarters),
    ];
    or_place(text, &turns.map(|(name, turn)| (name, Value::Fixed(turn))), Value::Param)
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { change, range, flip_y, rotate } = arguments;
    let options = Options::new().depth(*range).flip_y(*flip_y).rotation(*rotate);
    let drawn = match (*flip_y != Value::Fixed(false), *rotate != Value::Fixed(Turn::None)) {
        (false, false) => None,
        (true, _) => Some(FLIPPED),
        (false, true) => Some(TURNED),
    };
    change.run(Lowering::ClipSpace, drawn, |module, target| {
        clip_space::lower(module, target, &options)
    })
}

const FLIPPED: &str = "where Y is flipped, frontFace is the other one; gl_FragCoord, gl_PointCoord, derivatives and \
    sample positions of the fragment stage are of the changed picture, as are viewport and scissor";

const TURNED: &str = "where the picture is turned, viewport and scissor are too; gl_FragCoord, gl_PointCoord, \
    derivatives and sample positions of the fragment stage are of the turned picture";
