//! `polyshade discard`: rasterizer discard by the position.

use crate::Done;
use crate::change::{Change, or_place};
use clap::Args;
use polyshade::rasterizer_discard::{self, Options, When};

/// Moves every primitive to where it is clipped: rasterizer discard where it cannot be switched on otherwise.
///
/// For the last stage before rasterization: vertex, tessellation evaluation or geometry. Transform feedback sees what
/// the shader wrote: capture first, then discard.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    change: Change,

    /// When to discard: always, or the place of a word that is not 0 where it does: specialization=ID,
    /// push-constant=OFFSET, uniform=SET:BINDING, storage=SET:BINDING
    #[arg(long, value_name = "WHEN", default_value = "always", value_parser = when)]
    when: When,
}

fn when(text: &str) -> Result<When, String> {
    or_place(text, &[("always", When::Always)], When::Word)
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments) -> Done {
    let options = Options::new().when(arguments.when);
    arguments.change.run("rasterizer_discard", |module, target| {
        rasterizer_discard::lower(module, target, &options)
    })
}
