//! `polyshade completions`: prints completion scripts for shells.

use crate::Done;
use crate::examples;
use crate::output::Outputs;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use polyshade_planner::Preset;
use std::path::Path;

/// Prints a script that makes a shell complete polyshade's command lines.
///
/// For bash: polyshade completions bash > ~/.local/share/bash-completion/completions/polyshade
#[derive(Args)]
#[command(after_help = examples::of("completions"))]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let mut command = with_names(crate::Arguments::command());
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    let mut outputs = Outputs::default();
    outputs.add(Path::new("-"), script)?;
    outputs.write()
}

/// Adds possible values to arguments that accept free text, so that shells can complete them. These are the device
/// presets, where a file may also be given, and the verbs of `batch`.
fn with_names(command: Command) -> Command {
    let presets = || PossibleValuesParser::new(Preset::ALL.map(Preset::name));
    command
        .mut_subcommand("plan", |plan| {
            plan.mut_arg("device", |device| device.value_parser(presets()))
        })
        .mut_subcommand("capture", |capture| {
            capture.mut_arg("limits_of", |device| device.value_parser(presets()))
        })
        .mut_subcommand("batch", |batch| {
            batch.mut_arg("verb", |verb| verb.value_parser(PossibleValuesParser::new(BATCHED)))
        })
}

/// The verbs that a batch can run, which are those that read a single shader.
const BATCHED: [&str; 10] = [
    "blend",
    "capture",
    "clip",
    "clip-space",
    "convert",
    "info",
    "position-only",
    "rasterizer-discard",
    "verify",
    "vertex-pulling",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::reads_shader;

    #[test]
    fn a_batch_runs_the_verbs_that_read_one_shader() {
        let command = crate::Arguments::command();
        let verbs = command.get_subcommands().filter(|verb| reads_shader(verb));
        let verbs = verbs.map(Command::get_name);
        // `pipeline` is not among them, because it reads several shaders.
        assert!(verbs.filter(|verb| !["pipeline", "tessellation"].contains(verb)).eq(BATCHED));
    }
}
