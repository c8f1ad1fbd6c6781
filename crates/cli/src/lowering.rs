//! The lowerings that the verbs run, each with the version by which reports and batches tell old results from new ones.

use clap::ArgMatches;
use polyshade::{recipe, transform_feedback};

/// A lowering.
#[derive(Clone, Copy)]
pub(crate) struct Lowering {
    /// Its name in reports.
    pub(crate) name: &'static str,
    /// The version of the words that it makes.
    pub(crate) version: u32,
    /// The verb that runs it.
    verb: &'static str,
}

macro_rules! rows {
    ($($Name:ident($kind:literal, $name:literal, $verb:literal, $version:expr)
        $Options:ty => $lower:expr, $page:literal;)*) => {
        /// The lowerings of one stage.
        const ROWS: &[Lowering] =
            &[$(Lowering { name: $name, version: $version, verb: $verb }),*];
    };
}

polyshade::lowerings!(rows);

pub(crate) const CAPTURE: Lowering =
    Lowering { name: "transform_feedback", version: transform_feedback::VERSION, verb: "capture" };
pub(crate) const RECIPE: Lowering =
    Lowering { name: "recipe", version: recipe::VERSION, verb: "lower" };
pub(crate) const ADVANCED_BLEND: Lowering = row("advanced_blend");
pub(crate) const CLIP_CULL: Lowering = row("clip_cull");
pub(crate) const DEPTH_CONVENTION: Lowering = row("depth_convention");
pub(crate) const EXTENSION: Lowering = row("transform_feedback_extension");
pub(crate) const POSITION_ONLY: Lowering = row("position_only");
pub(crate) const RASTERIZER_DISCARD: Lowering = row("rasterizer_discard");
pub(crate) const VERTEX_PULLING: Lowering = row("vertex_pulling");

const fn row(name: &str) -> Lowering {
    let mut number = 0;
    while !is(ROWS[number].name, name) {
        number += 1;
    }
    ROWS[number]
}

const fn is(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Whether the options of `capture` ask for the path that has no variants.
pub(crate) fn by_extension(options: &ArgMatches) -> bool {
    let route = options.try_get_raw("route").ok().flatten().and_then(|mut route| route.next());
    route.is_some_and(|route| route == "extension")
}

/// The lowerings that `verb` runs with these options.
pub(crate) fn of_verb(verb: &str, options: &ArgMatches) -> Vec<Lowering> {
    match verb {
        "capture" if by_extension(options) => vec![EXTENSION],
        "capture" if options.get_flag("pull") => vec![RECIPE],
        "capture" => vec![CAPTURE],
        "convert" => Vec::new(),
        _ => {
            let all = ROWS.iter().copied().chain([CAPTURE]);
            let own: Vec<Lowering> = all.clone().filter(|one| one.verb == verb).collect();
            // `info` asks several and `verify` runs any.
            if own.is_empty() { all.collect() } else { own }
        }
    }
}
