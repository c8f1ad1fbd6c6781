//! `polyshade convert`: writes a shader in another format.

use crate::Done;
use crate::examples;
use crate::failure::Failure;
use crate::format::Formats;
use crate::input::Input;
use crate::output::{Modules, Outputs};
use clap::Args;
use polyshade::Module;
use polyshade::spv::{self, ExecutionModel};
use std::path::{Path, PathBuf};

/// Writes a shader in another format, without other changes.
#[derive(Args)]
#[command(after_help = examples::of("convert"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,

    /// Output file of the shader; `-` is standard output [default: standard output]
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,

    #[command(flatten)]
    formats: Formats,
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let output: &Path = &arguments.output;
    arguments.formats.check([output].into_iter())?;
    let module = arguments.input.module()?;
    let mut outputs = Outputs::of(Modules {
        formats: arguments.formats.clone(),
        entry: entry(&module, &arguments.input)?,
        validate: false,
        target_env: None,
    });
    outputs.made_of(arguments.input.files());
    outputs.add_module(output, module.words())?;
    outputs.write()
}

/// Returns the requested entry point, or the only entry point.
fn entry(module: &Module<'_>, input: &Input) -> Result<Option<(String, ExecutionModel)>, Failure> {
    let mut entries = module
        .entry_points()
        .filter(|entry| input.wants(entry))
        .map(|entry| (entry.name().into_owned(), entry.model()));
    match (entries.next(), entries.next()) {
        (Some(only), None) => Ok(Some(only)),
        (None, _) if module.entry_points().next().is_some() => Err(input.failed(
            &spv::code::ENTRY_POINT_NOT_FOUND,
            "the module has no entry point with the given name and stage",
        )),
        (_, _) => Ok(None),
    }
}
