//! `polyshade rasterizer-discard`: rasterizer discard by the position.

use crate::Done;
use crate::change::{Change, or_place};
use crate::examples;
use crate::lowering::Lowering;
use clap::Args;
use polyshade::host::Value;
use polyshade::rasterizer_discard::{self, Options};

/// Moves every primitive out of the clip volume: rasterizer discard for pipelines that cannot switch it on.
///
/// For the last stage before rasterization: vertex, tessellation evaluation or geometry. Transform feedback sees what
/// the shader wrote: capture first, then discard.
#[derive(Args)]
#[command(after_help = examples::of("rasterizer-discard"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    change: Change,

    /// When to discard: always, or the place of a word that is not 0 where it does: specialization=ID,
    /// push-constant=OFFSET, uniform=SET:BINDING, storage=SET:BINDING; the first three behind address: hold its address
    #[arg(long, value_name = "WHEN", default_value = "always", value_parser = when)]
    when: Value<bool>,
}

fn when(text: &str) -> Result<Value<bool>, String> {
    or_place(text, &[("always", Value::Fixed(true))], Value::Param)
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let options = Options::new().when(arguments.when);
    arguments.change.run(Lowering::RasterizerDiscard, None, |module, target| {
        rasterizer_discard::lower(module, target, &options)
    })
}
