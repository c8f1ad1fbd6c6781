//! `polyshade verify`: runs a shader and its rewritten version, and compares the results.

mod child;
mod clock;
mod report;
mod verified;

use crate::code;
use crate::examples;
use crate::failure::Failure;
use crate::output::{Outputs, print_text};
use crate::settings::{self, ErrorFormat};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Command, Subcommand, ValueEnum, value_parser};
use polyshade::Module;
use polyshade_metal::Metal;
use polyshade_verify::{Job, Part, Phase, Verdict};
use polyshade_vulkan::{Device, Error, Runner, Validation};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use verified::Verified;

/// Runs a shader and its rewritten version on a Vulkan device, and compares the results.
///
/// Give the verb, the shader and the verb's options. Inputs are generated from the shader's interface. Both shaders run
/// in a separate process with a time limit. `polyshade verify VERB --help` lists the verb's options.
#[derive(Args)]
#[command(after_help = examples::behind(EXIT_CODES, "verify"))]
#[command(subcommand_value_name = "VERB", subcommand_help_heading = "Verbs")]
#[command(disable_help_subcommand = true)]
pub(crate) struct Arguments {
    /// The verb whose result is verified
    #[command(subcommand)]
    verb: Option<Verified>,

    /// Implementation that runs the shaders
    #[arg(long, global = true, value_enum, value_name = "API", default_value_t = Api::Vulkan)]
    on: Api,

    /// The Vulkan device, selected by a part of its name or of its driver's name [default: the first device]
    #[arg(long, global = true, value_name = "NAME")]
    device: Option<String>,

    /// Run the original shader on this Vulkan device, selected by a part of its name or of its driver's name;
    /// captured values may then differ within Vulkan's precision requirements
    #[arg(long, global = true, value_name = "NAME")]
    against: Option<String>,

    /// Print the names of the devices and of their drivers
    #[arg(long, exclusive = true)]
    list_devices: bool,

    /// Run with the Khronos validation layer, whose messages count as differences
    #[arg(long, global = true)]
    validation: bool,

    /// Time limit for each step of the comparison, in seconds of processor time and of waiting for the device, 1 to
    /// 86400
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 60,
        value_parser = value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// Seed of the inputs
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Number of seeds to try, starting with --seed, 1 to 10000
    #[arg(long, global = true, value_name = "N", default_value_t = 1,
        value_parser = value_parser!(u32).range(1..=10_000))]
    runs: u32,

    /// Number of vertices of the largest draw, 1 to 1000
    #[arg(long, global = true, value_name = "N", default_value_t = 12,
        value_parser = value_parser!(u32).range(1..=1000))]
    vertices: u32,

    /// Compare this module instead of the module that polyshade writes: in place of the verb's output, or of the
    /// named variant: capture-only, raster-only, both; position-only, complement, full; lowered
    #[arg(long, global = true, value_name = "[NAME=]FILE", value_parser = given)]
    rewritten: Vec<(Option<Part>, PathBuf)>,

    /// Write a report to this file, as JSON
    #[arg(long, global = true, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Print the report as JSON instead of text
    #[arg(long, global = true)]
    json: bool,
}

/// An implementation that can run shaders.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Api {
    /// A Vulkan driver
    Vulkan,
    /// This machine's C++ compiler, which compiles the MSL of vertex and fragment stages
    Metal,
}

const EXIT_CODES: &str = "Exit codes: 0 equal, 1 different, or failed; 2 wrong usage, 3 not comparable, \
     4 the verb does not support the stage of the shader.";

const PARTS: [Part; 7] = [
    Part::CaptureOnly,
    Part::RasterOnly,
    Part::Both,
    Part::Lowered,
    Part::PositionOnly,
    Part::Complement,
    Part::Full,
];

fn given(text: &str) -> Result<(Option<Part>, PathBuf), String> {
    let (part, file) = match text.split_once('=') {
        None => (None, text),
        Some((name, file)) => {
            let part = PARTS.into_iter().find(|part| part.to_string() == name);
            (Some(part.ok_or_else(|| format!("unknown variant `{name}`"))?), file)
        }
    };
    match file.is_empty() {
        true => Err("a variant is given as NAME=FILE".to_owned()),
        false => Ok((part, file.into())),
    }
}

/// Adds the names of the verbs to the error about an argument that is not a verb.
pub(crate) fn with_verbs(mut error: clap::Error) -> clap::Error {
    let is_wrong = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand].into_iter();
    let word = match is_wrong.filter_map(|kind| error.get(kind)).next() {
        Some(ContextValue::String(word)) if !word.starts_with('-') => word.clone(),
        _ => return error,
    };
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let kinds = [ErrorKind::UnknownArgument, ErrorKind::InvalidSubcommand];
    if kinds.contains(&error.kind()) && usage.contains("polyshade verify") {
        let verbs = Verified::augment_subcommands(Command::new("verify"));
        let verbs: Vec<&str> = verbs.get_subcommands().map(Command::get_name).collect();
        let tip = format!("`{word}` cannot be verified: the verbs are {}", verbs.join(", "));
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::None);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The cargo feature that comparisons need.
pub(crate) const FEATURE: &str = "verify";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.list_devices {
        return list_devices().map(|()| ExitCode::SUCCESS);
    }
    if !polyshade_verify::RUNS {
        return Err(Failure::left_out("comparing", FEATURE));
    }
    let Some(verb) = &arguments.verb else {
        return Err(Failure::usage(
            "name the verb to verify: polyshade verify VERB SHADER OPTIONS…",
        ));
    };
    arguments.check()?;
    if child::is_one() {
        return Ok(child::run(arguments, verb));
    }
    match child::watch(Duration::from_secs(arguments.timeout))? {
        child::End::Reported(mut report) => {
            report["verified"] = verb.name().into();
            tell(arguments, &report)
        }
        child::End::Failed(code) => Ok(ExitCode::from(code)),
    }
}

fn list_devices() -> Result<(), Failure> {
    let devices = Device::list().map_err(|error| Failure::new(error.code(), error.to_string()))?;
    let lines: Vec<String> = devices
        .iter()
        .map(|one| match one.driver.as_str() {
            "" => format!("{} (version {})", one.device, one.driver_version),
            driver => format!("{} ({driver}, version {})", one.device, one.driver_version),
        })
        .collect();
    print_text(&lines.join("\n"))
}

/// Prints or writes a report, and returns the exit code.
fn tell(arguments: &Arguments, report: &Value) -> Result<ExitCode, Failure> {
    let mut outputs = Outputs::default();
    let json = format!("{}\n", serde_json::to_string_pretty(report).expect("its keys are strings"));
    if let Some(file) = &arguments.report {
        outputs.add(file, json.clone().into_bytes())?;
    }
    outputs.write()?;
    if arguments.json {
        print_text(&json)?;
    }
    let Some(code) = report::code(report) else {
        // As with `diff`, the exit code alone gives the result.
        if !arguments.json && !settings::is_quiet() {
            print_text(&report::text(report))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let failure = Failure::new(code, report::text(report));
    match settings::errors() {
        _ if arguments.json => {}
        ErrorFormat::Json => return Ok(failure.report()),
        // A difference between the shaders is not an error of the program.
        ErrorFormat::Text => eprintln!("{failure}"),
    }
    Ok(ExitCode::from(failure.exit() as u8))
}

fn compare(
    arguments: &Arguments,
    verb: &Verified,
    phase: impl FnMut(Phase),
) -> Result<Value, Failure> {
    // Read the shader and the options.
    let input = verb.input();
    verb.check()?;
    let module = input.module()?;
    let (entry, stage) = verb.entry(input, &module)?;
    let specified = verb.specify((&entry, stage))?;
    let given = arguments.given(verb)?;

    // Without a device, nothing can be compared.
    let runner = match arguments.runner() {
        Ok(runner) => runner,
        Err(error) => return Ok(report::of(&Verdict::NotComparable(error.to_string()), None)),
    };
    let job = Job {
        module: &module,
        entry: &entry,
        stage,
        lowering: specified.lowering(),
        specialization: verb.specialization(),
        given,
        seed: arguments.seed,
        runs: arguments.runs,
        vertices: arguments.vertices,
    };
    // Compare with the original on the same device, or on another one.
    let compared = match arguments.reference() {
        Ok(Some(reference)) => {
            polyshade_verify::verify_against(&job, (&*runner, &reference), phase)
        }
        Ok(None) => polyshade_verify::verify(&job, &*runner, phase),
        Err(error) => Ok(Verdict::NotComparable(format!("--against: {error}"))),
    };
    let verdict = match compared {
        Ok(verdict) => verdict,
        Err(error) if error.kind() == polyshade::ErrorKind::Unsupported => Verdict::NotComparable(
            format!("cannot rewrite the shader after initializing its undefined values: {error}"),
        ),
        Err(error) => return Err(input.refused(&error, &module)),
    };
    Ok(report::of(&verdict, Some(runner.capabilities())))
}

impl Arguments {
    /// Opens the device or compiler that runs the shaders.
    fn runner(&self) -> Result<Box<dyn Runner>, Error> {
        match self.on {
            Api::Vulkan => {
                let validation = if self.validation { Validation::On } else { Validation::Off };
                Ok(Box::new(open(self.device.as_deref().unwrap_or(""), validation)?))
            }
            Api::Metal => {
                let mut metal = Metal::new()?;
                metal.set_time_limit(Duration::from_secs(self.timeout));
                Ok(Box::new(metal))
            }
        }
    }

    /// Opens the device on which the original runs, if `--against` names one.
    fn reference(&self) -> Result<Option<Device>, Error> {
        self.against.as_ref().map(|name| open(name, Validation::Off)).transpose()
    }

    /// Rejects options that only apply to Vulkan drivers if another implementation runs the shaders.
    fn check(&self) -> Result<(), Failure> {
        let given = [("--device", self.device.is_some()), ("--validation", self.validation)];
        let given = given.iter().find(|(_, is_given)| *is_given && self.on != Api::Vulkan);
        given.map_or(Ok(()), |(option, _)| {
            Err(Failure::usage(format!("{option} needs --on vulkan")))
        })
    }

    /// Reads the modules that replace polyshade's variants in the comparison.
    fn given(&self, verb: &Verified) -> Result<Vec<(Part, Vec<u32>)>, Failure> {
        let parts = verb.parts();
        let one = |(part, path): &(Option<Part>, PathBuf)| {
            let part = part.unwrap_or(parts[0]);
            if !parts.contains(&part) {
                let names: Vec<String> = parts.iter().map(Part::to_string).collect();
                let failure = Failure::usage(format!("{} makes no variant `{part}`", verb.name()));
                return Err(failure.help(format!("it makes: {}", names.join(", "))));
            }
            Ok((part, read_words(path)?))
        };
        self.rewritten.iter().map(one).collect()
    }
}

/// Opens a device for many runs of the same shaders.
fn open(name: &str, validation: Validation) -> Result<Device, Error> {
    let mut device = Device::open(name, validation)?;
    // The parent process enforces the time limit.
    device.set_time_limit(Duration::MAX);
    device.keep_pipelines();
    Ok(device)
}

/// Reads the words of a SPIR-V file.
fn read_words(path: &Path) -> Result<Vec<u32>, Failure> {
    let failed = |why: String| Failure::at(&code::CLI_INVALID_INPUT, path, why);
    let bytes = fs::read(path).map_err(|error| Failure::file(path, error))?;
    let (words, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return Err(failed("its size is not a multiple of 4 bytes".to_owned()));
    }
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Module::parse(&words).map_err(|error| failed(error.to_string()))?;
    Ok(words)
}
