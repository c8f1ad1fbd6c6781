//! `polyshade position`: the part of a shader that decides coverage, and the rest of it.

use crate::Done;
use crate::depfile::Build;
use crate::failure::{Exit, Failure};
use crate::format::Formats;
use crate::input::Input;
use crate::output::{Modules, Outputs, print_text};
use clap::{Args, ValueEnum};
use polyshade::Module;
use polyshade::position_only::{self, Cost, Feedback, Keep, Options, Report, STAGES, SideEffects};
use polyshade::spv::ExecutionModel;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

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

    /// Where the position-only variant goes; standard output if left out, or if it is `-`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Where the variant goes that has exactly the other outputs
    #[arg(long, value_name = "FILE")]
    complement: Option<PathBuf>,

    /// Where the full shader goes, with what --invariant and --precise add
    #[arg(long, value_name = "FILE")]
    full: Option<PathBuf>,

    /// Where a report goes: what the shader and its variants cost, as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Print the report to standard output; the module goes to a file
    #[arg(long)]
    json: bool,

    /// Write no module: say what the variants would cost
    #[arg(long, conflicts_with_all = ["output", "complement", "full", "depfile"])]
    dry_run: bool,

    #[command(flatten)]
    build: Build,

    /// Print what changed in the shader, disassembled, to standard output; the module goes to a file
    #[arg(long, requires = "output", conflicts_with_all = ["json", "dry_run"])]
    diff: bool,

    #[command(flatten)]
    formats: Formats,
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
    arguments.formats.check(arguments.files())?;
    let words = arguments.input.words()?;
    let module = arguments.input.parse(&words)?;
    let (entry, model) = last_stage(&arguments.input, &module)?;
    let options = arguments.rewrite.options(&entry);
    let failed = |error| Failure::of(&error, Some(&module));
    let report = match arguments.wants_report() {
        true => Some(position_only::report(&module, &options).map_err(failed)?),
        false => None,
    };
    if arguments.dry_run {
        return arguments.preview(&entry, &report.expect("a dry run reports"));
    }

    let mut outputs = Outputs::of(Modules {
        formats: arguments.formats.clone(),
        entry: Some((entry.clone(), model)),
        validate: arguments.input.validate,
        target_env: arguments.input.target_env.clone(),
    });
    if let Some(file) = &arguments.complement {
        let complement = position_only::complement(&module, &options).map_err(failed)?;
        outputs.add_module(file, complement.words())?;
    }
    if let Some(file) = &arguments.full {
        let full = position_only::full(&module, &options).map_err(failed)?;
        outputs.add_module(file, full.words())?;
    }
    let variant = position_only::derive(&module, &options).map_err(failed)?;
    let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
    outputs.add_module(output, variant.words())?;
    if arguments.diff {
        outputs.add_diff(module.words(), variant.words())?;
    }
    if let Some(report) = &report {
        let json = to_json(&entry, report);
        if let Some(file) = &arguments.report {
            outputs.add(file, json.clone().into_bytes())?;
        }
        if arguments.json {
            outputs.add(Path::new("-"), format!("{json}\n").into_bytes())?;
        }
    }
    arguments.build.apply(&arguments.input, &mut outputs)?;
    outputs.write()
}

impl Arguments {
    fn wants_report(&self) -> bool {
        self.report.is_some() || self.json || self.dry_run
    }

    /// Where modules go.
    fn files(&self) -> impl Iterator<Item = &Path> {
        let output = (!self.dry_run).then(|| self.output.as_deref().unwrap_or(Path::new("-")));
        let others = [&self.complement, &self.full].into_iter().flatten();
        others.map(PathBuf::as_path).chain(output)
    }

    /// The report alone.
    fn preview(&self, entry: &str, report: &Report) -> Done {
        let json = to_json(entry, report);
        if let Some(file) = &self.report {
            let mut outputs = Outputs::default();
            outputs.add(file, json.clone().into_bytes())?;
            outputs.write()?;
        }
        print_text(&if self.json { json } else { format!("{entry}\n{report}") })
    }
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
    /// What the options ask of the library.
    pub(super) fn options(&self, entry: &str) -> Options {
        let mut options = Options::new(entry)
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

/// Version of the report's shape: it grows when a field changes its meaning or goes.
const VERSION: u32 = 1;

fn to_json(entry: &str, report: &Report) -> String {
    let value = json!({
        "version": VERSION,
        "lowering": "position_only",
        "lowering_version": polyshade::LOWERING_VERSION,
        "entry_point": entry,
        "cost": cost_of_all(report),
    });
    serde_json::to_string_pretty(&value).expect("a report has no keys but strings")
}

/// What a shader and its variants cost.
pub(super) fn cost_of_all(report: &Report) -> Value {
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
