//! `polyshade man`: writes manual pages, generated from the help texts.

use crate::Done;
use crate::examples;
use crate::failure::Failure;
use crate::output::Outputs;
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the manual pages of the program and of each of its verbs.
///
/// For a user: polyshade man ~/.local/share/man/man1, then man polyshade-capture
#[derive(Args)]
#[command(after_help = examples::of("man"))]
pub(crate) struct Arguments {
    /// The folder for the pages, which is created if it is missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let folder = &arguments.folder;
    let mut command = crate::Arguments::command().disable_help_subcommand(true);
    command.build();
    let mut outputs = Outputs::default();
    fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
    add(command, folder, &mut outputs)?;
    outputs.write()
}

/// Adds the manual page of a command and those of its subcommands. Subcommands nest at most twice: `verify capture`.
fn add(command: Command, folder: &Path, outputs: &mut Outputs) -> Done {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        add(inner.clone(), folder, outputs)?;
    }
    let page = Man::new(command);
    let mut text = Vec::new();
    let file = folder.join(page.get_filename());
    page.render(&mut text).map_err(|error| Failure::file(&file, error))?;
    outputs.add(&file, text)
}
