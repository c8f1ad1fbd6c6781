//! `polyshade position-only`: splits a shader into the part that determines coverage and the rest.

use crate::Done;
use crate::cost::{costs, table};
use crate::examples;
use crate::given::switched;
use crate::input::Input;
use crate::lowering::Lowering;
use crate::named::named;
use crate::report::Report;
use crate::stage::before_rasterization;
use crate::target::Free;
use crate::writing::{Beside, Writing};
use clap::Args;
use polyshade::host::SideEffects;
use polyshade::position_only::{self, Keep, Options, Variant};
use std::path::PathBuf;

/// Options that select the outputs to keep and the way they are kept.
#[derive(Args)]
pub(crate) struct Rewrite {
    /// Outputs to keep: position, point-size, clip-distance, cull-distance, layer, viewport-index,
    /// primitive-shading-rate, location=N, or names [default: all except locations and names]
    #[arg(long, value_delimiter = ',', value_name = "A,B,…", value_parser = keep)]
    keep: Vec<Keep>,

    /// Keep unused inputs and resources, for shared vertex input state and pipeline layouts
    #[arg(long)]
    keep_interface: bool,

    /// Decorate the kept outputs with Invariant, in all variants and in --full
    #[arg(long)]
    invariant: bool,

    /// Decorate all arithmetic that the kept outputs depend on with NoContraction, in the position-only variant and
    /// in --full; for drivers that ignore Invariant
    #[arg(long)]
    precise: bool,

    /// Which run keeps the shader's own stores and atomics, which both runs would otherwise execute
    #[arg(long, value_parser = named(SIDE_EFFECTS), default_value = "refuse")]
    side_effects: SideEffects,

    /// Which run captures transform feedback, if the shader has xfb_* decorations
    #[arg(long, value_parser = named(FEEDBACK), default_value = "full")]
    feedback: Feedback,

    #[command(flatten)]
    pub(super) free: Free,
}

/// Reduces the last stage before rasterization to the computations that determine coverage, for tilers, depth
/// pre-passes, shadow maps and culling.
///
/// The kept outputs are computed by the same instructions as in the full shader. --complement writes the shader with
/// exactly the other outputs.
#[derive(Args)]
#[command(after_help = examples::of("position-only"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    rewrite: Rewrite,

    /// Also write the variant that has exactly the outputs that are not kept
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    complement: Option<PathBuf>,

    /// Also write the full shader, with the decorations of --invariant and --precise
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    full: Option<PathBuf>,

    #[command(flatten)]
    writing: Writing,
}

const SIDE_EFFECTS: [(&str, &str, SideEffects); 3] = [
    ("refuse", "Refuse a shader with side effects", SideEffects::Refuse),
    ("in-position", "Keep them in the position-only variant", SideEffects::InFirstPass),
    ("in-complement", "Keep them in the complement and the full shader", SideEffects::InSecondPass),
];

/// The run that captures transform feedback.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Feedback {
    Full,
    Position,
}

const FEEDBACK: [(&str, &str, Feedback); 2] = [
    ("full", "The run of the full shader", Feedback::Full),
    (
        "position",
        "The run of the position-only variant, which keeps the captured outputs",
        Feedback::Position,
    ),
];

fn keep(text: &str) -> Result<Keep, polyshade::Error> {
    text.trim().parse()
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { input, rewrite, complement, full, writing } = arguments;
    writing.check([complement, full].into_iter().flatten().map(PathBuf::as_path))?;
    let module = input.module()?;
    let (entry, model) = before_rasterization(input, &module)?;
    let (target, options) = (rewrite.free.target(&entry, model), rewrite.options());
    let failed = |error| input.refused(&error, &module);
    let named = (entry.as_str(), model);
    // Compute the costs only for a report, because they take several lowerings.
    let report = match writing.wants_report() {
        true => {
            let costs = costs(&module, (&target, model), &options).map_err(failed)?;
            Report::new(Lowering::PositionOnly, named, &costs, table(&costs))
        }
        false => Report::new(Lowering::PositionOnly, named, &(), String::new()),
    };
    if writing.is_dry_run() {
        return writing.preview(input, &report);
    }

    // Build the variants that are written in addition to the output.
    let mut made = Vec::new();
    for (file, variant) in [(complement, Variant::Complement), (full, Variant::Full)] {
        let Some(file) = file else { continue };
        let options = options.clone().variant(variant);
        made.push((file, position_only::lower(&module, &target, &options).map_err(failed)?));
    }
    let beside: Vec<Beside<'_>> =
        made.iter().map(|(file, made)| (file.as_path(), made.module.words())).collect();
    let variant = position_only::lower(&module, &target, &options).map_err(failed)?;
    writing.finish(input, &report, (module.words(), variant.module.words()), &beside)
}

impl Rewrite {
    /// Converts the command-line options to the library's options.
    pub(super) fn options(&self) -> Options {
        let mut options = Options::new().side_effects(self.side_effects);
        if !self.keep.is_empty() {
            options = options.keep(self.keep.iter().cloned());
        }
        switched(
            options,
            &[
                (self.captures(), Options::capture_in_position_only),
                (self.keep_interface, Options::keep_interface),
                (self.invariant, Options::invariant),
                (self.precise, Options::precise),
            ],
        )
    }

    /// Returns the requested outputs to keep.
    pub(super) fn keep(&self) -> &[Keep] {
        &self.keep
    }

    /// Whether the position-only variant captures transform feedback, and therefore keeps the captured outputs.
    pub(super) fn captures(&self) -> bool {
        self.feedback == Feedback::Position
    }
}
