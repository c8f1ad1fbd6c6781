//! The program `polyshade`, with one module for each verb.

mod advice;
mod bound;
mod change;
mod code;
mod command_line;
mod cost;
mod depfile;
mod examples;
mod failure;
mod format;
mod formats;
mod given;
mod input;
mod lowering;
mod memory;
mod named;
mod note;
#[cfg(all(test, feature = "glsl", feature = "wgsl", feature = "cross", feature = "tools"))]
mod options;
mod output;
mod printable;
mod report;
mod settings;
mod stage;
mod target;
mod verb;
mod writing;

use clap::error::{ContextKind, ContextValue};
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser};
use failure::Failure;
use polyshade_formats::Feature;
use settings::{ErrorFormat, Settings};
use std::process::ExitCode;
use std::sync::LazyLock;
use verb::Verb;

/// Polyfills for GPU features, written into your shaders.
///
/// Rewrites SPIR-V shaders to emulate features that the GPU, the driver or the API lacks, and reports the bindings and
/// draws that the host must provide.
#[derive(Parser)]
#[command(name = "polyshade", version, long_version = LONG_VERSION.as_str(), after_help = EXIT_CODES)]
#[command(arg_required_else_help = true)]
struct Arguments {
    /// Format of errors on standard error: text, or json, which prints one line with the code, message, exit code and
    /// its name, instruction, and help [default: text]
    #[arg(long, global = true, value_enum, default_value = "text", value_name = "FORMAT")]
    #[arg(hide_possible_values = true, hide_default_value = true, help_heading = MESSAGES)]
    error_format: ErrorFormat,

    /// Whether messages are coloured; auto means: on a terminal, unless NO_COLOR is set [default: auto]
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    #[arg(hide_default_value = true, help_heading = MESSAGES)]
    color: ColorChoice,

    /// Print only errors and requested output
    #[arg(short, long, global = true, help_heading = MESSAGES)]
    quiet: bool,

    #[command(subcommand)]
    verb: Verb,
}

/// The help heading of the options that all verbs have.
const MESSAGES: &str = "Messages";

const EXIT_CODES: &str = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 unsupported,\n\
    4 the verb does not support the stage of the shader. Every error has a code, as in\n\
    `error[cli.usage]: …`; docs/errors.md lists all.\n\
    A command that fails leaves no output files.";

/// The version, and the features of this build.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let formats = Feature::ALL.map(|feature| (feature.name(), feature.is_in()));
    let all = [&formats[..], &[(verb::verify::FEATURE, polyshade_verify::RUNS)]].concat();
    let names = |wanted: bool| {
        let features = all.iter().filter(|(_, is_in)| *is_in == wanted);
        let names: Vec<&str> = features.map(|(name, _)| *name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let version = env!("CARGO_PKG_VERSION");
    format!("{version}\nfeatures: {}\nleft out: {}", names(true), names(false))
});

fn main() -> ExitCode {
    if formats::is_worker() {
        return formats::serve();
    }
    // Read the options for messages first, because errors in other arguments are printed according to them.
    let settings = Settings::of_words(std::env::args_os());
    let command = || Arguments::command().color(settings.color);
    let parsed = command_line::words(std::env::args_os()).map(|words| {
        let matches = command().try_get_matches_from(words);
        matches.and_then(|matches| {
            Arguments::from_arg_matches(&matches).map_err(|e| e.format(&mut command()))
        })
    });
    // Run the verb, or report the error in the arguments.
    let done = match parsed {
        Ok(Ok(arguments)) => {
            let Arguments { error_format, color, quiet, .. } = arguments;
            Settings { errors: error_format, color, quiet }.hold();
            arguments.verb.run()
        }
        Ok(Err(error)) => {
            settings.hold();
            let error = with_suggestion(verb::verify::with_verbs(error));
            match settings.errors {
                ErrorFormat::Json if error.use_stderr() => Err(Failure::of_words(&error)),
                ErrorFormat::Json | ErrorFormat::Text => error.exit(),
            }
        }
        Err(failure) => {
            settings.hold();
            Err(failure)
        }
    };
    match done {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// Adds the suggestion in the library's error, because clap only prints the error's message.
fn with_suggestion(mut error: clap::Error) -> clap::Error {
    let source = std::error::Error::source(&error);
    let of_library = source.and_then(|source| source.downcast_ref::<polyshade::Error>());
    if let Some(tip) = of_library.and_then(|error| error.suggestion()).map(str::to_owned) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The result of a verb: nothing, or a failure with a message and an exit code.
type Done = Result<(), Failure>;
