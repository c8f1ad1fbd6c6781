//! `polyshade rasterizer-discard`: emulates rasterizer discard by changing the position.

use crate::Done;
use crate::change::{Change, or_place};
use crate::examples;
use crate::lowering::Lowering;
use clap::Args;
use polyshade::host::Value;
use polyshade::rasterizer_discard::{self, Options};

/// Moves every primitive out of the clip volume, for pipelines that cannot enable rasterizer discard.
///
/// For the last stage before rasterization: vertex, tessellation evaluation or geometry. Transform feedback captures
/// the position that the shader writes, so capture first, then discard.
#[derive(Args)]
#[command(after_help = examples::of("rasterizer-discard"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    change: Change,

    /// When to discard: always, or the source of a 32-bit host parameter that is nonzero to discard:
    /// specialization=ID, push-constant=OFFSET (bytes), uniform=SET:BINDING, storage=SET:BINDING. The prefix address:
    /// before one of the first three means that it holds the 64-bit address of the parameter
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
