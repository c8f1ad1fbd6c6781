//! `polyshade completions`: completion scripts for shells.

use crate::Done;
use crate::output::Outputs;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::path::Path;

/// Prints a script that makes a shell complete polyshade's command lines.
///
/// For bash: polyshade completions bash > ~/.local/share/bash-completion/completions/polyshade
#[derive(Args)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments) -> Done {
    let mut command = crate::Arguments::command();
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    let mut outputs = Outputs::default();
    outputs.add(Path::new("-"), script)?;
    outputs.write()
}
