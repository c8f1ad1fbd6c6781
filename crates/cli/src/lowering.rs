//! The lowerings that the verbs run. Reports and batches compare the versions of lowerings to detect outdated
//! results.

use clap::ArgMatches;
use polyshade::recipe;
use polyshade::transform_feedback::{self, tessellation};

#[derive(Clone, Copy)]
pub(crate) struct Lowering {
    /// The lowering's name in reports.
    pub(crate) name: &'static str,
    /// The version of the lowering's output.
    pub(crate) version: u32,
    verb: &'static str,
}

macro_rules! rows {
    ($($Name:ident($kind:literal, $name:literal, $verb:literal, $version:expr)
        $Options:ty => $lower:expr, $page:literal;)*) => {
        #[allow(non_upper_case_globals, reason = "they are named as in the table")]
        impl Lowering {
            $(pub(crate) const $Name: Self =
                Self { name: $name, version: $version, verb: $verb };)*

            /// The lowerings of a single stage, except for captures in storage buffers.
            const ROWS: &[Self] = &[$(Self::$Name),*];
        }
    };
}

polyshade::lowerings!(rows);

#[allow(non_upper_case_globals, reason = "they are named as in the table")]
impl Lowering {
    pub(crate) const Capture: Self =
        Self { name: "transform_feedback", version: transform_feedback::VERSION, verb: "capture" };
    pub(crate) const Tessellation: Self =
        Self { name: "tessellation", version: tessellation::VERSION, verb: "tessellation" };
    pub(crate) const Recipe: Self =
        Self { name: "recipe", version: recipe::VERSION, verb: "pipeline" };
}

/// Whether the options of `capture` select the extension path, which has no variants.
pub(crate) fn by_extension(options: &ArgMatches) -> bool {
    let route = options.try_get_raw("route").ok().flatten().and_then(|mut route| route.next());
    route.is_some_and(|route| route == "extension")
}

/// Returns the lowerings that `verb` runs with these options.
pub(crate) fn of_verb(verb: &str, options: &ArgMatches) -> Vec<Lowering> {
    match verb {
        "capture" if by_extension(options) => vec![Lowering::CaptureExtension],
        "capture" if options.get_flag("pull") => vec![Lowering::Recipe],
        "capture" => vec![Lowering::Capture],
        "convert" => Vec::new(),
        _ => {
            let all =
                Lowering::ROWS.iter().copied().chain([Lowering::Capture, Lowering::Tessellation]);
            let own: Vec<Lowering> = all.clone().filter(|one| one.verb == verb).collect();
            // `info` runs several lowerings, and `verify` may run any lowering.
            if own.is_empty() { all.collect() } else { own }
        }
    }
}
