//! `polyshade pipeline`: applies a recipe to the stages of a pipeline.

use super::plan::read;
use crate::Done;
use crate::code;
use crate::examples;
use crate::failure::Failure;
use crate::format::Formats;
use crate::input::Input;
use crate::lowering::Lowering;
use crate::note;
use crate::output::{Modules, Outputs};
use crate::report::{Report, of_pipeline};
use crate::target::Free;
use clap::Args;
use polyshade::Module;
use polyshade::host::{Device, Target};
use polyshade::recipe::{self, Recipe};
use polyshade::spv::ExecutionModel;
use std::path::{Path, PathBuf};

/// Applies several lowerings to the stages of a pipeline. They run in the required order, whatever the order of the
/// recipe's fields. Resources that one stage uses are reserved in the other stages.
#[derive(Args)]
#[command(after_help = examples::of("pipeline"))]
pub(crate) struct Arguments {
    /// The recipe, as JSON (docs/recipe.md): a file or, in braces, the JSON itself; `-` is standard input
    #[arg(value_name = "RECIPE")]
    recipe: String,

    #[command(flatten)]
    input: Input,

    /// The shaders of the later stages, in the pipeline's order
    #[arg(value_name = "SHADER")]
    others: Vec<PathBuf>,

    #[command(flatten)]
    free: Free,

    /// Maximum number of output components of the last stage before rasterization on the device
    #[arg(long, value_name = "N", default_value_t = 64)]
    max_output_components: u32,

    /// Output file of a stage; give one file for each stage, in the pipeline's order
    #[arg(short, long = "output", value_name = "FILE", required = true)]
    outputs: Vec<PathBuf>,

    /// Write a report to this file, as JSON: the result of each stage, its host parameters and its requirements
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Print the report to standard output
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    formats: Formats,
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { input, outputs: files, .. } = arguments;
    arguments.formats.check(files.iter().map(PathBuf::as_path))?;
    let recipe = arguments.recipe()?;
    // Read the stages.
    let inputs = input.with(&arguments.others);
    let modules = inputs.iter().map(Input::module).collect::<Result<Vec<_>, _>>()?;
    let entries: Vec<Entry<'_>> = modules.iter().flat_map(|m| arguments.entries(m)).collect();
    if entries.len() != files.len() {
        let names: Vec<String> = entries.iter().map(|(_, _, stage)| stage.to_string()).collect();
        return Err(Failure::usage(format!(
            "the pipeline has {} stages ({}), but {} outputs are named",
            entries.len(),
            names.join(", "),
            files.len()
        ))
        .help("name one with -o for each stage"));
    }

    // Apply the recipe.
    let stages =
        entries.iter().map(|(module, name, stage)| (*module, arguments.target(name, *stage)));
    let stages: Vec<(&Module<'_>, Target)> = stages.collect();
    let lowered = recipe::lower(&stages, &recipe).map_err(|error| Failure::of(&error, None))?;

    let mut outputs = Outputs::of(Modules {
        formats: arguments.formats.clone(),
        entry: None,
        validate: input.validate,
        target_env: input.target_env.clone(),
    });
    outputs.made_of(inputs.iter().flat_map(Input::files));
    if !arguments.recipe.trim_start().starts_with('{') {
        outputs.made_of([PathBuf::from(&arguments.recipe)]);
    }
    // Write the stages and the report.
    let mut reports = Vec::new();
    for (((_, name, stage), lowered), file) in entries.iter().zip(lowered).zip(files) {
        arguments.formats.check_destinations(file, &lowered.requirements)?;
        outputs.set_entry((name.clone(), *stage));
        outputs.add_module(file, lowered.module.words())?;
        let report = Report::new(Lowering::Recipe, (name, *stage), &lowered.result, String::new());
        reports.push(report.needs(&lowered.params, &lowered.requirements));
    }
    let report = of_pipeline(&reports, outputs.bound()) + "\n";
    let stdout = arguments.json.then_some(Path::new("-"));
    for file in arguments.report.as_deref().into_iter().chain(stdout) {
        outputs.add(file, report.clone().into_bytes())?;
    }
    outputs.write()?;
    if !arguments.json && arguments.report.is_none() {
        let written =
            files.iter().zip(&reports).filter(|(file, _)| file.as_path() != Path::new("-"));
        written.for_each(|(file, report)| note::tell_of_stage(file, report));
    }
    Ok(())
}

/// A stage: its module, the name of its entry point, and its execution model.
type Entry<'m> = (&'m Module<'m>, String, ExecutionModel);

impl Arguments {
    fn recipe(&self) -> Result<Recipe, Failure> {
        if !self.recipe.trim_start().starts_with('{') {
            return read(Path::new(&self.recipe));
        }
        serde_json::from_str(&self.recipe).map_err(|error| {
            Failure::new(&code::CLI_INVALID_INPUT, format!("cannot read the recipe: {error}"))
        })
    }

    /// Returns the entry points of a module that are stages of the pipeline, in the pipeline's order.
    fn entries<'m>(&self, module: &'m Module<'_>) -> Vec<Entry<'m>> {
        let entries = module.entry_points().filter(|entry| self.input.wants(entry));
        let entries = entries.map(|entry| (module, entry.name().into_owned(), entry.model()));
        let mut entries: Vec<Entry<'m>> = entries.collect();
        // SPIR-V numbers the stages in pipeline order, except that task and mesh stages have higher numbers
        // than fragment stages.
        entries.sort_by_key(|(_, _, stage)| (*stage == ExecutionModel::FRAGMENT, *stage));
        entries
    }

    fn target(&self, entry: &str, stage: ExecutionModel) -> Target {
        let mut device = Device::default();
        device.output_components = self.max_output_components;
        self.free.target(entry, stage).device(device)
    }
}
