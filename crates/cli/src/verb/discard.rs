//! `polyshade discard`: rasterizer discard by the position.

use crate::Done;
use crate::change::{Change, Place, Report, Word};
use crate::failure::Failure;
use crate::stage::before_rasterization;
use clap::Args;
use polyshade::rasterizer_discard::{self, Discarding, Options, When};

/// Moves every primitive to where it is clipped: rasterizer discard where it cannot be switched on otherwise.
///
/// For the last stage before rasterization: vertex, tessellation evaluation or geometry. Transform feedback sees what
/// the shader wrote: capture first, then discard.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    change: Change,

    /// Discard where the specialization constant with this number is not 0 [default: always]
    #[arg(long, value_name = "N")]
    spec_id: Option<u32>,
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { change, spec_id } = arguments;
    change.check()?;
    let read = change.input.words()?;
    let original = change.input.parse(&read)?;
    let (entry, stage) = before_rasterization(&change.input, &original)?;
    let options = Options::new(&entry)
        .stage(stage)
        .when(spec_id.map_or(When::Always, When::Specialization))
        .reserved(change.reserved())
        .max_output_components(change.max_output_components)
        .names(!change.no_names);
    let discarding = rasterizer_discard::lower(&original, &options)
        .map_err(|error| Failure::of(&error, Some(&original)))?;
    let Discarding { module, location, requirements } = &discarding;
    let word = |id: u32| Word {
        place: Place::Specialization(id),
        name: "rasterizer_discard",
        meaning: "1 where nothing is rasterized",
    };
    let report = Report {
        lowering: "rasterizer_discard",
        entry: &entry,
        stage,
        words: spec_id.map(word).into_iter().collect(),
        location: *location,
        requirements,
    };
    change.finish(&report, original.words(), module.words())
}
