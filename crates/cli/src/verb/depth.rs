//! `polyshade depth`: OpenGL's depth range, a flipped Y, pre-rotation.

use crate::Done;
use crate::change::{self, Change, Report};
use crate::failure::Failure;
use crate::stage::before_rasterization;
use clap::Args;
use polyshade::depth_convention::{self, Converted, Options, Place, Rotation, Switch, Turn};

/// Converts the position from one convention to another: OpenGL's depth range to that of Vulkan, Direct3D and Metal, Y
/// up to Y down, and a turn for displays that scan out pictures that are turned.
///
/// For the last stage before rasterization: vertex, tessellation evaluation or geometry. Transform feedback sees what
/// the shader wrote: capture first, then convert.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    change: Change,

    /// Whether a depth from -w to w becomes one from 0 to w: on, off, specialization=ID or push-constant
    #[arg(long, value_name = "WHEN", default_value = "on", value_parser = switch)]
    range: Switch,

    /// Whether Y points the other way: on, off, specialization=ID or push-constant
    #[arg(long, value_name = "WHEN", default_value = "off", value_parser = switch)]
    flip_y: Switch,

    /// How far the picture is turned clockwise, behind the flip: 0, 90, 180 or 270; specialization=ID or push-constant
    /// for quarters of a turn
    #[arg(long, value_name = "TURN", default_value = "0", value_parser = rotation)]
    rotate: Rotation,

    /// Where the push constants begin that the host fills in, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    push_constant_offset: u32,
}

fn specialization(text: &str) -> Option<u32> {
    text.strip_prefix("specialization=")?.parse().ok()
}

fn switch(text: &str) -> Result<Switch, String> {
    match text {
        "on" => Ok(Switch::On),
        "off" => Ok(Switch::Off),
        "push-constant" => Ok(Switch::PushConstant),
        _ => specialization(text)
            .map(Switch::Specialization)
            .ok_or_else(|| "on, off, specialization=ID or push-constant".to_owned()),
    }
}

fn rotation(text: &str) -> Result<Rotation, String> {
    match text {
        "0" => Ok(Rotation::By(Turn::None)),
        "90" => Ok(Rotation::By(Turn::Quarter)),
        "180" => Ok(Rotation::By(Turn::Half)),
        "270" => Ok(Rotation::By(Turn::ThreeQuarters)),
        "push-constant" => Ok(Rotation::PushConstant),
        _ => specialization(text)
            .map(Rotation::Specialization)
            .ok_or_else(|| "0, 90, 180, 270, specialization=ID or push-constant".to_owned()),
    }
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { change, range, flip_y, rotate, push_constant_offset } = arguments;
    change.check()?;
    let read = change.input.words()?;
    let original = change.input.parse(&read)?;
    let (entry, stage) = before_rasterization(&change.input, &original)?;
    let options = Options::new(&entry)
        .stage(stage)
        .depth(*range)
        .flip_y(*flip_y)
        .rotation(*rotate)
        .push_constants(*push_constant_offset)
        .reserved(change.reserved())
        .max_output_components(change.max_output_components)
        .names(!change.no_names);
    let converted = depth_convention::convert(&original, &options)
        .map_err(|error| Failure::of(&error, Some(&original)))?;
    let Converted { module, words, location, requirements } = &converted;
    let word = |word: &depth_convention::Word| change::Word {
        place: match word.place {
            Place::Specialization(id) => change::Place::Specialization(id),
            Place::PushConstant(offset) => change::Place::PushConstant(offset),
        },
        name: word.name,
        meaning: word.meaning,
    };
    let report = Report {
        lowering: "depth_convention",
        entry: &entry,
        stage,
        words: words.iter().map(word).collect(),
        location: *location,
        requirements,
    };
    change.finish(&report, original.words(), module.words())
}
