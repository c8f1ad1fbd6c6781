//! `polyshade verify`: runs a shader and what a verb makes of it, and compares.

mod child;
mod report;

use crate::failure::{Exit, Failure};
use crate::output::{Outputs, print_text, printable};
use crate::verb::capture;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum, value_parser};
use polyshade::Module;
use polyshade::spv::ExecutionModel;
use polyshade_verify::{Job, Part, Phase, Verdict};
use polyshade_vulkan::{Device, Validation};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Runs a shader and what a verb makes of it on a Vulkan device, and compares what they compute, bit by bit.
///
/// The verb and its options are those that would rewrite the shader. Inputs are made from the shader's interface. Both
/// shaders run in a process of their own, with a time limit.
#[derive(Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    rewrite: Shader,

    /// The verb whose result is verified
    #[arg(value_enum, required = true)]
    verb: Option<Verified>,

    /// The device, by a part of its name or its driver's [default: the first one]
    #[arg(long, value_name = "NAME")]
    device: Option<String>,

    /// Print the names of the devices and of their drivers
    #[arg(long, exclusive = true)]
    list_devices: bool,

    /// Let the Khronos validation layer watch; what it says makes the shaders differ
    #[arg(long)]
    validation: bool,

    /// Seconds after which a step of the comparison is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// Which inputs are made
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// How many sets of inputs are tried, of one seed after the other
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=10_000))]
    runs: u32,

    /// The vertices of the largest draw
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = value_parser!(u32).range(1..=1000))]
    vertices: u32,

    /// A variant to judge instead of the one that polyshade makes: capture-only if not named, raster-only or both
    #[arg(long, value_name = "[NAME=]FILE", value_parser = given)]
    rewritten: Vec<(Part, PathBuf)>,

    /// Where a report goes, as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Print the report instead of text
    #[arg(long)]
    json: bool,
}

/// The shader and how it is rewritten, unless devices are listed.
struct Shader(Option<capture::Rewrite>);

impl Args for Shader {
    fn augment_args(command: Command) -> Command {
        capture::Rewrite::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        capture::Rewrite::augment_args_for_update(command)
    }
}

impl FromArgMatches for Shader {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let lists = matches.get_flag("list_devices");
        let rewrite = (!lists).then(|| capture::Rewrite::from_arg_matches(matches));
        Ok(Self(rewrite.transpose()?))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Verified {
    /// Transform feedback by writing storage buffers
    Capture,
}

const EXIT_CODES: &str =
    "Exit codes: 0 equal, 1 different, or failed; 2 wrong usage, 3 not comparable.";

fn given(text: &str) -> Result<(Part, PathBuf), String> {
    let (name, file) = text.split_once('=').unwrap_or(("capture-only", text));
    let part = match name {
        "capture-only" => Part::CaptureOnly,
        "raster-only" => Part::RasterOnly,
        "both" => Part::Both,
        _ => {
            return Err(format!(
                "there is no variant `{name}`: capture-only, raster-only, both are"
            ));
        }
    };
    if file.is_empty() {
        Err("a variant is given as NAME=FILE".to_owned())
    } else {
        Ok((part, file.into()))
    }
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.list_devices {
        return list_devices().map(|()| ExitCode::SUCCESS);
    }
    if child::is_one() {
        return Ok(child::run(arguments));
    }
    match child::watch(Duration::from_secs(arguments.timeout))? {
        child::End::Reported(report) => tell(arguments, &report),
        child::End::Failed(code) => Ok(ExitCode::from(code)),
    }
}

fn list_devices() -> Result<(), Failure> {
    let devices = Device::list().map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
    let lines: Vec<String> = devices
        .iter()
        .map(|one| match one.driver.as_str() {
            "" => one.device.clone(),
            driver => format!("{} ({driver})", one.device),
        })
        .collect();
    print_text(&lines.join("\n"))
}

/// Prints or writes a report, and says how to exit.
fn tell(arguments: &Arguments, report: &Value) -> Result<ExitCode, Failure> {
    let mut outputs = Outputs::default();
    let json = format!("{}\n", serde_json::to_string_pretty(report).expect("its keys are strings"));
    if let Some(file) = &arguments.report {
        outputs.add(file, json.clone().into_bytes())?;
    }
    outputs.write()?;
    let code = report::exit_code(report);
    if arguments.json {
        print_text(&json)?;
    } else if code == 0 {
        print_text(&report::text(report))?;
    } else {
        eprintln!("{}", printable(&report::text(report)));
    }
    Ok(ExitCode::from(code))
}

/// Compares, and returns the report.
fn compare(arguments: &Arguments, phase: impl FnMut(Phase)) -> Result<Value, Failure> {
    let rewrite = arguments.rewrite.0.as_ref().expect("only --list-devices goes without a shader");
    rewrite.check()?;
    let words = rewrite.input.words()?;
    let module = rewrite.input.parse(&words)?;
    let entry = rewrite.input.entry_name(&module, ExecutionModel::VERTEX)?;
    let options = rewrite.options(&entry);
    let given = arguments.rewritten.iter().map(|(part, path)| Ok((*part, read_words(path)?)));
    let given = given.collect::<Result<Vec<_>, Failure>>()?;

    let name = arguments.device.as_deref().unwrap_or("");
    let validation = if arguments.validation { Validation::On } else { Validation::Off };
    let mut device = match Device::open(name, validation) {
        Ok(device) => device,
        Err(error) => return Ok(report::of(&Verdict::NotComparable(error.to_string()), None)),
    };
    // The process is ended before.
    device.set_time_limit(Duration::from_secs(arguments.timeout.saturating_add(60)));
    let job = Job {
        module: &module,
        entry: &entry,
        options: &options,
        asked: rewrite.asked(),
        specialization: rewrite.specialization().to_vec(),
        given,
        seed: arguments.seed,
        runs: arguments.runs,
        vertices: arguments.vertices,
    };
    let verdict = match polyshade_verify::verify(&job, &device, phase) {
        Ok(verdict) => verdict,
        Err(error) if error.kind() == polyshade::ErrorKind::Unsupported => {
            Verdict::NotComparable(format!("the shader is not rewritten: {error}"))
        }
        Err(error) => return Err(Failure::of(&error, Some(&module))),
    };
    Ok(report::of(&verdict, Some(device.capabilities())))
}

/// The words of a SPIR-V file.
fn read_words(path: &std::path::Path) -> Result<Vec<u32>, Failure> {
    let failed = |why: String| Failure::new(Exit::Failed, format!("{}: {why}", path.display()));
    let bytes = fs::read(path).map_err(|error| failed(error.to_string()))?;
    if !bytes.len().is_multiple_of(4) {
        return Err(failed("its size is not a multiple of 4 bytes".to_owned()));
    }
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
    Module::parse(&words).map_err(|error| failed(error.to_string()))?;
    Ok(words)
}
