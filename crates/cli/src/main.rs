//! The program `polyshade`: one file a verb.

mod failure;
mod input;
mod output;
mod verb;

use clap::{Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;

/// Polyfills for GPU features, written into your shaders.
///
/// Rewrites SPIR-V so that the shader does what the GPU, the driver or the API cannot, and says what the host must bind
/// and draw.
#[derive(Parser)]
#[command(name = "polyshade", version, after_help = EXIT_CODES, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 unsupported.\n\
    What fails leaves no output file behind.";

#[derive(Subcommand)]
enum Verb {
    Capture(Box<verb::capture::Arguments>),
    Info(verb::info::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.verb {
        Verb::Capture(arguments) => verb::capture::run(arguments),
        Verb::Info(arguments) => verb::info::run(arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// A verb fails with what to tell the user and how to exit.
type Done = Result<(), Failure>;
