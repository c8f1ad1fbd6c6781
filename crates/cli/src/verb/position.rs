//! `polyshade position`: the part of a shader that decides coverage, and the rest of it.

use crate::Done;
use crate::failure::{Exit, Failure};
use crate::input::Input;
use crate::report::Report;
use crate::target::Free;
use crate::writing::{Beside, Writing};
use clap::{Args, ValueEnum};
use polyshade::Module;
use polyshade::host::Target;
use polyshade::position_only::{self, Cost, Feedback, Keep, Options, STAGES, SideEffects};
use polyshade::spv::ExecutionModel;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What is kept, and how.
#[derive(Args)]
pub(crate) struct Rewrite {
    /// Outputs to keep: position, point-size, clip-distance, cull-distance, layer, viewport-index,
    /// primitive-shading-rate, location=N, or names [default: all of these but locations and names]
    #[arg(long, value_delimiter = ',', value_name = "A,B,…", value_parser = keep)]
    keep: Vec<Keep>,

    /// Keep inputs and resources that nothing needs, for shared vertex state and layouts
    #[arg(long)]
    keep_interface: bool,

    /// Decorate what is kept with Invariant, in all variants and in --full
    #[arg(long)]
    invariant: bool,

    /// Decorate all arithmetic that decides what is kept with NoContraction, in the position-only variant and in
    /// --full: for drivers that do not heed Invariant
    #[arg(long)]
    precise: bool,

    /// What becomes of the shader's own stores and atomics, which would happen in both runs
    #[arg(long, value_enum, default_value_t = Effects::Refuse)]
    side_effects: Effects,

    /// Which run captures by transform feedback, where the shader is decorated for it
    #[arg(long, value_enum, default_value_t = Run::Full)]
    feedback: Run,

    #[command(flatten)]
    free: Free,
}

/// Reduces the last stage before rasterization to what decides coverage: for tilers, depth pre-passes, shadow maps and
/// culling.
///
/// What is kept is computed by the same instructions as in the full shader. --complement has exactly the other outputs.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    rewrite: Rewrite,

    /// Where the variant goes that has exactly the other outputs
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    complement: Option<PathBuf>,

    /// Where the full shader goes, with what --invariant and --precise add
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    full: Option<PathBuf>,

    #[command(flatten)]
    writing: Writing,
}

#[derive(Clone, Copy, ValueEnum)]
enum Effects {
    /// Refuse a shader that has some
    Refuse,
    /// Keep them in the position-only variant
    InPosition,
    /// Keep them in the complement and the full shader
    InComplement,
}

#[derive(Clone, Copy, ValueEnum)]
enum Run {
    /// One of the full shader
    Full,
    /// That of the position-only variant, which keeps what is captured
    Position,
}

fn keep(text: &str) -> Result<Keep, polyshade::Error> {
    text.trim().parse()
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { input, rewrite, complement, full, writing } = arguments;
    writing.check([complement, full].into_iter().flatten().map(PathBuf::as_path))?;
    let words = input.words()?;
    let module = input.parse(&words)?;
    let (entry, model) = last_stage(input, &module)?;
    let (target, options) = (rewrite.target(&entry, model), rewrite.options());
    let failed = |error| Failure::of(&error, Some(&module));
    let named = (entry.as_str(), model);
    let report = match writing.wants_report() {
        true => {
            let costs = position_only::report(&module, &target, &options).map_err(failed)?;
            Report::new("position_only", named, &costs_of(&costs), format!("{costs}"))
        }
        false => Report::new("position_only", named, &(), String::new()),
    };
    if writing.is_dry_run() {
        return writing.preview(&report);
    }

    let mut made = Vec::new();
    if let Some(file) = complement {
        let other = position_only::complement(&module, &target, &options).map_err(failed)?;
        made.push((file, other));
    }
    if let Some(file) = full {
        made.push((file, position_only::full(&module, &target, &options).map_err(failed)?));
    }
    let beside: Vec<Beside<'_>> =
        made.iter().map(|(file, made)| (file.as_path(), made.module.words())).collect();
    let variant = position_only::derive(&module, &target, &options).map_err(failed)?;
    writing.finish(input, &report, (module.words(), variant.module.words()), &beside)
}

/// The entry point: the one that was asked for, or the only one of a stage that can be reduced.
pub(super) fn last_stage(
    input: &Input,
    module: &Module<'_>,
) -> Result<(String, ExecutionModel), Failure> {
    let entries = module.entry_points().filter(|entry| STAGES.contains(&entry.model()));
    let entries: Vec<(String, ExecutionModel)> =
        entries.map(|entry| (entry.name().into_owned(), entry.model())).collect();
    if let Some(name) = &input.entry {
        let model = entries.iter().find(|(other, _)| other == name).map(|(_, model)| *model);
        return Ok((name.clone(), model.unwrap_or(ExecutionModel::VERTEX)));
    }
    match entries.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::new(
            Exit::Failed,
            "there is no entry point of a stage that can be the last before rasterization",
        )),
        several => {
            let message = "there are several entry points: say which with --entry";
            let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
            let help = format!("they are: {}", names.join(", "));
            Err(Failure::new(Exit::Usage, message).help(help))
        }
    }
}

impl Rewrite {
    /// The entry point, and what has to stay free.
    pub(super) fn target(&self, entry: &str, stage: ExecutionModel) -> Target {
        self.free.target(entry, stage)
    }

    /// What the options ask of the library.
    pub(super) fn options(&self) -> Options {
        let mut options = Options::new()
            .side_effects(match self.side_effects {
                Effects::Refuse => SideEffects::Refuse,
                Effects::InPosition => SideEffects::InPositionOnly,
                Effects::InComplement => SideEffects::InComplement,
            })
            .feedback(match self.feedback {
                Run::Full => Feedback::InFull,
                Run::Position => Feedback::InPositionOnly,
            });
        if !self.keep.is_empty() {
            options = options.keep(self.keep.iter().cloned());
        }
        if self.keep_interface {
            options = options.keep_interface();
        }
        if self.invariant {
            options = options.invariant();
        }
        if self.precise {
            options = options.precise();
        }
        options
    }

    /// What is kept, as it was asked for.
    pub(super) fn keep(&self) -> &[Keep] {
        &self.keep
    }

    /// Whether the position-only variant keeps what transform feedback captures.
    pub(super) fn captures(&self) -> bool {
        matches!(self.feedback, Run::Position)
    }
}

/// What a shader and its variants cost.
pub(super) fn costs_of(report: &position_only::Report) -> Value {
    json!({
        "original": cost(&report.original),
        "position_only": cost(&report.position_only),
        "complement": cost(&report.complement),
        "repeated": report.repeated(),
        "gains_little": report.gains_little(),
    })
}

fn cost(cost: &Cost) -> Value {
    json!({
        "instructions": cost.instructions(),
        "arithmetic": cost.arithmetic,
        "memory": cost.memory,
        "texture": cost.texture,
        "control": cost.control,
        "input_bytes": cost.input_bytes,
        "output_bytes": cost.output_bytes,
    })
}
