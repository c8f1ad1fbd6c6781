//! `polyshade plan`: plans draws with transform feedback, or blending.

mod profile;

use crate::Done;
use crate::code;
use crate::examples;
use crate::failure::Failure;
use crate::output::{Outputs, print_text};
use clap::Args;
use polyshade_planner::{
    self as planner, BlendingState, Device, DistancePlan, Distances, Draw, Pipeline, Preset,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Plans a draw with transform feedback: passes, bindings and barriers, as text, JSON or an image. For a state with
/// the field `blend`, plans how to blend attachments and lists the requirements on the render pass.
#[derive(Args)]
#[command(after_help = examples::behind(PRESETS, "plan"))]
pub(crate) struct Arguments {
    /// State of the pipeline and the draw, or of blending, as JSON (docs/planner.md); `-` is standard input
    #[arg(value_name = "STATE")]
    state: PathBuf,

    /// Output file of the plan, whose extension selects the format: .txt, .json or .svg [default: print text]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The device, which overrides the device in the state: a preset, a device as JSON, or a Vulkan profiles file
    #[arg(long, value_name = "PRESET|FILE")]
    device: Option<String>,

    /// The profile to use, if a profiles file has several
    #[arg(long, value_name = "NAME", requires = "device")]
    profile: Option<String>,

    /// Print the plan as JSON
    #[arg(long, conflicts_with = "output")]
    json: bool,
}

const PRESETS: &str = "Presets: vulkan, vulkan-mobile, metal, webgpu, webgpu-native.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    device: Option<Value>,
    pipeline: Option<Pipeline>,
    draw: Option<Draw>,
    distances: Option<Distances>,
    blend: Option<BlendingState>,
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let State { device, pipeline, draw, distances, blend } = read(&arguments.state)?;
    // Choose the device. The device of the option takes precedence.
    let device = match (&arguments.device, device) {
        (Some(name), _) => named_device(name, arguments.profile.as_deref())?,
        (None, Some(Value::String(name))) => preset(&name).ok_or_else(|| unknown(&name))?,
        (None, Some(device)) => from_value(&arguments.state, device)?,
        (None, None) => {
            let failure = Failure::at(&code::CLI_USAGE, &arguments.state, "no device is named");
            return Err(failure.help("name one with --device"));
        }
    };
    // A state describes either blending or a draw.
    if let Some(state) = blend {
        if pipeline.is_some() || draw.is_some() || distances.is_some() {
            return Err(Failure::usage("a state describes either a draw or blending, not both"));
        }
        let plan = planner::plan_blending(&device, &state);
        let plan = plan.map_err(|error| Failure::of(&error, None))?;
        return arguments.write(
            &plan.to_string(),
            || as_json(&device, &plan, None),
            Err("a plan for blending cannot be written as SVG"),
        );
    }
    let (pipeline, draw) = (pipeline.unwrap_or_default(), draw.unwrap_or_default());
    let plan =
        planner::plan(&device, &pipeline, &draw).map_err(|error| Failure::of(&error, None))?;
    let distances = distances
        .map(|distances| planner::distances(&device, &pipeline, &distances))
        .transpose()
        .map_err(|error| Failure::of(&error, None))?;
    let text =
        format!("{plan}{}", distances.as_ref().map(DistancePlan::to_string).unwrap_or_default());
    let draw = || planner::picture(&device, &plan);
    let picture: Result<&dyn Fn() -> String, _> = match &distances {
        Some(_) => Err("a plan for distances cannot be written as SVG"),
        None => Ok(&draw),
    };
    arguments.write(&text, || as_json(&device, &plan, distances.as_ref()), picture)
}

impl Arguments {
    /// Writes a plan to a file, in the format that the file's extension selects.
    fn write(
        &self,
        text: &str,
        json: impl Fn() -> String,
        picture: Result<&dyn Fn() -> String, &str>,
    ) -> Done {
        let Some(path) = &self.output else {
            return print_text(&if self.json { json() } else { text.to_owned() });
        };
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
        let text = match (extension.as_deref(), picture) {
            (Some("txt"), _) => text.to_owned(),
            (Some("json"), _) => json() + "\n",
            (Some("svg"), Ok(picture)) => picture(),
            (Some("svg"), Err(why)) => {
                return Err(
                    Failure::at(&code::CLI_USAGE, path, why).help("write a .txt or .json file")
                );
            }
            _ => {
                return Err(Failure::at(
                    &code::CLI_USAGE,
                    path,
                    "a plan is written to a .txt, .json or .svg file",
                ));
            }
        };
        let mut outputs = Outputs::default();
        outputs.add(path, text.into_bytes())?;
        outputs.write()
    }
}

fn as_json(device: &Device, plan: &impl Serialize, distances: Option<&DistancePlan>) -> String {
    let mut report = json!({ "version": 1, "device": device, "plan": plan });
    if let Some(distances) = distances {
        report["distances"] = json!(distances);
    }
    serde_json::to_string_pretty(&report).expect("all keys are strings")
}

/// Returns the preset of this name, or the device in the file of this name.
pub(super) fn named_device(name: &str, profile: Option<&str>) -> Result<Device, Failure> {
    if let Some(device) = preset(name) {
        return Ok(device);
    }
    let path = Path::new(name);
    if path.extension().is_none() && !path.exists() {
        return Err(unknown(name));
    }
    let value: Value = read(path)?;
    if value.get("capabilities").is_none() {
        return from_value(path, value);
    }
    profile::device(&value, profile)
        .map_err(|message| Failure::at(&code::CLI_INVALID_INPUT, path, message))
}

fn preset(name: &str) -> Option<Device> {
    Preset::ALL.into_iter().find(|preset| preset.name() == name).map(Device::from)
}

fn unknown(name: &str) -> Failure {
    let names: Vec<&str> = Preset::ALL.iter().map(|preset| preset.name()).collect();
    Failure::usage(format!("unknown preset `{name}`"))
        .help(format!("the presets are: {}", names.join(", ")))
}

fn from_value<T: DeserializeOwned>(path: &Path, value: Value) -> Result<T, Failure> {
    serde_json::from_value(value)
        .map_err(|error| Failure::at(&code::CLI_INVALID_INPUT, path, error))
}

/// Reads JSON from a file; `-` is standard input.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let mut text = String::new();
    let read = match path == Path::new("-") {
        true => std::io::stdin().lock().read_to_string(&mut text).map(drop),
        false => fs::read_to_string(path).map(|contents| text = contents),
    };
    read.map_err(|error| Failure::file(path, error))?;
    serde_json::from_str(&text).map_err(|error| Failure::at(&code::CLI_INVALID_INPUT, path, error))
}
