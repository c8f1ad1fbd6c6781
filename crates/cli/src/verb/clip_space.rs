//! `polyshade clip-space`: OpenGL's depth range, a flipped Y, pre-rotation.

use crate::Done;
use crate::change::{Change, or_place};
use crate::examples;
use crate::lowering::Lowering;
use clap::Args;
use polyshade::clip_space::{self, Options, Turn};
use polyshade::host::Value;

/// Converts the position from one convention to another: OpenGL's depth range to that of Vulkan, Direct3D and Metal, Y
/// up to Y down, and pre-rotation for displays that are mounted rotated.
///
/// For the last stage before rasterization: vertex, tessellation evaluation or geometry. Transform feedback sees what
/// the shader wrote: capture first, then convert. An option with a place, as push-constant=16, is decided at run time
/// by a word there; words at one place follow each other: range, flip, rotation.
#[derive(Args)]
#[command(after_help = examples::of("clip-space"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    change: Change,

    /// Whether a depth from -w to w becomes one from 0 to w: on, off, or the place of a word that is not 0 where it
    /// does: push-constant=OFFSET, specialization=ID, uniform=SET:BINDING, storage=SET:BINDING; the first three behind
    /// address: hold its address
    #[arg(long, value_name = "WHEN", default_value = "on", value_parser = switch)]
    range: Value<bool>,

    /// Whether Y points the other way: on, off, or the place of a word
    #[arg(long, value_name = "WHEN", default_value = "off", value_parser = switch)]
    flip_y: Value<bool>,

    /// How far the picture is turned clockwise, behind the flip: 0, 90, 180 or 270, or the place of a word with
    /// quarters of a turn
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

/// Runs the verb.
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
