//! The lowerings that the verbs run, each with the version by which reports and batches tell old results from new ones.

use clap::ArgMatches;
use polyshade::{
    advanced_blend, clip_cull, depth_convention, position_only, rasterizer_discard, recipe,
    transform_feedback, vertex_pulling,
};

/// A lowering.
#[derive(Clone, Copy)]
pub(crate) struct Lowering {
    /// Its module in the library.
    pub(crate) name: &'static str,
    /// The version of the words that it makes.
    pub(crate) version: u32,
}

pub(crate) const ADVANCED_BLEND: Lowering = new("advanced_blend", advanced_blend::VERSION);
pub(crate) const CAPTURE: Lowering = new("transform_feedback", transform_feedback::VERSION);
pub(crate) const CLIP_CULL: Lowering = new("clip_cull", clip_cull::VERSION);
pub(crate) const DEPTH_CONVENTION: Lowering = new("depth_convention", depth_convention::VERSION);
pub(crate) const EXTENSION: Lowering =
    new("transform_feedback", transform_feedback::EXTENSION_VERSION);
pub(crate) const POSITION_ONLY: Lowering = new("position_only", position_only::VERSION);
pub(crate) const RASTERIZER_DISCARD: Lowering =
    new("rasterizer_discard", rasterizer_discard::VERSION);
pub(crate) const RECIPE: Lowering = new("recipe", recipe::VERSION);
pub(crate) const VERTEX_PULLING: Lowering = new("vertex_pulling", vertex_pulling::VERSION);

const fn new(name: &'static str, version: u32) -> Lowering {
    Lowering { name, version }
}

/// Whether the options of `capture` ask for the path that has no variants.
pub(crate) fn by_extension(options: &ArgMatches) -> bool {
    let route = options.try_get_raw("route").ok().flatten().and_then(|mut route| route.next());
    route.is_some_and(|route| route == "extension")
}

/// The lowerings that `verb` runs with these options.
pub(crate) fn of_verb(verb: &str, options: &ArgMatches) -> &'static [Lowering] {
    match verb {
        "blend" => &[ADVANCED_BLEND],
        "capture" if by_extension(options) => &[EXTENSION],
        "capture" if options.get_flag("pull") => &[RECIPE],
        "capture" => &[CAPTURE],
        "clip" => &[CLIP_CULL],
        "convert" => &[],
        "depth" => &[DEPTH_CONVENTION],
        "discard" => &[RASTERIZER_DISCARD],
        "position" => &[POSITION_ONLY],
        "pull" => &[VERTEX_PULLING],
        // `info` asks several and `verify` runs any.
        _ => &[
            ADVANCED_BLEND,
            CAPTURE,
            CLIP_CULL,
            DEPTH_CONVENTION,
            EXTENSION,
            POSITION_ONLY,
            RASTERIZER_DISCARD,
            VERTEX_PULLING,
        ],
    }
}
