//! The program `polyshade`: one file a verb.

mod change;
mod command_line;
mod depfile;
mod failure;
mod format;
mod input;
mod output;
mod printable;
mod report;
mod stage;
mod target;
mod verb;
mod writing;

use clap::{CommandFactory, Parser, Subcommand};
use failure::Failure;
use polyshade_formats::Feature;
use std::process::ExitCode;
use std::sync::LazyLock;

/// Polyfills for GPU features, written into your shaders.
///
/// Rewrites SPIR-V so that the shader does what the GPU, the driver or the API cannot, and says what the host must bind
/// and draw.
#[derive(Parser)]
#[command(name = "polyshade", version, long_version = LONG_VERSION.as_str(), after_help = EXIT_CODES)]
#[command(arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 unsupported.\n\
    What fails leaves no output file behind.";

/// The version, and what this build can do.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let names = |wanted: bool| {
        let features = Feature::ALL.into_iter().filter(|feature| feature.is_in() == wanted);
        let names: Vec<&str> = features.map(Feature::name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let version = env!("CARGO_PKG_VERSION");
    format!("{version}\nfeatures: {}\nleft out: {}", names(true), names(false))
});

#[derive(Subcommand)]
enum Verb {
    Batch(Box<verb::batch::Arguments>),
    Blend(Box<verb::blend::Arguments>),
    Capture(Box<verb::capture::Arguments>),
    Clip(Box<verb::clip::Arguments>),
    Completions(verb::completions::Arguments),
    Convert(Box<verb::convert::Arguments>),
    Depth(Box<verb::depth::Arguments>),
    Discard(Box<verb::discard::Arguments>),
    Info(verb::info::Arguments),
    Position(Box<verb::position::Arguments>),
    Plan(verb::plan::Arguments),
    Verify(Box<verb::verify::Arguments>),
}

impl Verb {
    fn run(&self) -> Result<ExitCode, Failure> {
        let done = match self {
            Self::Batch(arguments) => verb::batch::run(arguments),
            Self::Blend(arguments) => verb::blend::run(arguments),
            Self::Capture(arguments) => verb::capture::run(arguments),
            Self::Clip(arguments) => verb::clip::run(arguments),
            Self::Completions(arguments) => verb::completions::run(arguments, Arguments::command()),
            Self::Convert(arguments) => verb::convert::run(arguments),
            Self::Depth(arguments) => verb::depth::run(arguments),
            Self::Discard(arguments) => verb::discard::run(arguments),
            Self::Info(arguments) => verb::info::run(arguments),
            Self::Position(arguments) => verb::position::run(arguments),
            Self::Plan(arguments) => verb::plan::run(arguments),
            Self::Verify(arguments) => return verb::verify::run(arguments),
        };
        done.map(|()| ExitCode::SUCCESS)
    }
}

fn main() -> ExitCode {
    let done = command_line::words(std::env::args_os())
        .and_then(|words| Arguments::parse_from(words).verb.run());
    match done {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// A verb fails with what to tell the user and how to exit.
type Done = Result<(), Failure>;
