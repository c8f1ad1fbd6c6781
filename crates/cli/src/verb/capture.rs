//! `polyshade capture`: transform feedback by writing storage buffers.

use crate::Done;
use crate::failure::{Exit, Failure};
use crate::input::Input;
use crate::output::Outputs;
use clap::{Args, ValueEnum};
use polyshade::moves::{Binding, Set};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{self, Capture, HostWords, Options, SideEffects};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Captures a vertex shader's outputs by writing storage buffers: transform feedback where the device has none.
///
/// The result is drawn as a point list without indices over the vertices and instances of the draw, with rasterization
/// off. It reads a few words that the host fills in for each draw; --report lists them.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,

    /// What to capture, in order: OpenGL's names, with gl_NextBuffer and gl_SkipComponents1 to 4
    #[arg(long, value_delimiter = ',', required = true, value_name = "A,B,…")]
    varyings: Vec<String>,

    /// A buffer for each varying, instead of one behind the other in one
    #[arg(long)]
    separate: bool,

    /// How to capture
    #[arg(long = "path", value_enum, default_value_t = Route::Storage, value_name = "PATH")]
    route: Route,

    /// Descriptor set of the feedback buffers
    #[arg(long, default_value_t = 3, value_name = "N")]
    set: u32,

    /// Binding of feedback buffer 0; the others follow
    #[arg(long, default_value_t = 0, value_name = "N")]
    binding: u32,

    /// Where the words are that the host fills in
    #[arg(long, value_enum, default_value_t = Host::Storage)]
    host: Host,

    /// Descriptor set of the host words [default: that of the feedback buffers]
    #[arg(long, value_name = "N")]
    host_set: Option<u32>,

    /// Binding of the host words [default: behind the feedback buffers]
    #[arg(long, value_name = "N")]
    host_binding: Option<u32>,

    /// Where the host words begin in the push constants, in bytes [default: 0]
    #[arg(long, value_name = "BYTES")]
    host_offset: Option<u32>,

    /// Number of the first specialization constant of the host words [default: 0]
    #[arg(long, value_name = "N")]
    host_first_id: Option<u32>,

    /// What becomes of the shader's own stores and atomics, which would happen in both passes
    #[arg(long, value_enum, default_value_t = Effects::Refuse)]
    side_effects: Effects,

    /// Do not write PointSize in the capture-only variant (Vulkan wants it of points, Metal does not)
    #[arg(long)]
    no_point_size: bool,

    /// Give what is added no debug names
    #[arg(long)]
    no_names: bool,

    /// Where the capture-only variant goes; standard output if left out, or if it is `-`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Where another variant goes: capture-only, raster-only or both
    #[arg(long = "variant", value_name = "NAME=FILE", value_parser = variant)]
    variants: Vec<(String, PathBuf)>,

    /// Where a report goes: layout, host words and requirements, as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Print the report to standard output; the module goes to a file
    #[arg(long, requires = "output")]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Route {
    /// Write storage buffers
    Storage,
    /// Decorate for VK_EXT_transform_feedback
    Extension,
    /// Capture in a compute shader
    Compute,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Host {
    /// In a range of a storage buffer
    Storage,
    /// In a uniform buffer
    Uniform,
    /// In push constants
    PushConstant,
    /// In specialization constants
    Specialization,
}

#[derive(Clone, Copy, ValueEnum)]
enum Effects {
    /// Refuse a shader that has some
    Refuse,
    /// Keep them in the capture pass
    InCapture,
    /// Keep them in the raster pass
    InRaster,
}

const VARIANTS: [&str; 3] = ["capture-only", "raster-only", "both"];

fn variant(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if VARIANTS.contains(&name) && !file.is_empty() => {
            Ok((name.to_owned(), file.into()))
        }
        Some((name, _)) if !VARIANTS.contains(&name) => {
            Err(format!("there is no variant `{name}`: {} are", VARIANTS.join(", ")))
        }
        _ => Err("a variant is given as NAME=FILE".to_owned()),
    }
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments) -> Done {
    if arguments.route != Route::Storage {
        let name = if arguments.route == Route::Extension { "extension" } else { "compute" };
        return Err(Failure::new(
            Exit::Unsupported,
            format!("--path {name} is not built yet; storage is"),
        ));
    }
    arguments.check_host()?;
    let words = arguments.input.words()?;
    let module = arguments.input.parse(&words)?;
    let entry = arguments.input.entry_name(&module, ExecutionModel::VERTEX)?;
    let capture = transform_feedback::capture(&module, &arguments.options(&entry))
        .map_err(|error| Failure::of(&error, Some(&module)))?;

    let mut outputs = Outputs::default();
    for (name, file) in &arguments.variants {
        let words = match name.as_str() {
            "capture-only" => capture.capture_only.words(),
            "raster-only" => capture.raster_only.words(),
            _ => capture.both.words(),
        };
        outputs.add_module(file, words)?;
    }
    let report = report(&entry, &capture);
    let text = serde_json::to_string_pretty(&report).expect("a report has no keys but strings");
    if let Some(file) = &arguments.report {
        outputs.add(file, text.clone().into_bytes())?;
    }
    let output = arguments.output.as_deref().unwrap_or(std::path::Path::new("-"));
    outputs.add_module(output, capture.capture_only.words())?;
    if arguments.json {
        outputs.add(std::path::Path::new("-"), format!("{text}\n").into_bytes())?;
    }
    outputs.write()
}

impl Arguments {
    fn options(&self, entry: &str) -> Options {
        let options = Options::new(entry)
            .into_storage(Set(self.set), Binding(self.binding))
            .side_effects(match self.side_effects {
                Effects::Refuse => SideEffects::Refuse,
                Effects::InCapture => SideEffects::InCapture,
                Effects::InRaster => SideEffects::InRaster,
            })
            .point_size(!self.no_point_size)
            .names(!self.no_names);
        let varyings = self.varyings.iter().map(|name| name.trim());
        let options =
            if self.separate { options.separate(varyings) } else { options.interleaved(varyings) };
        let host = self.host_words(options.binding_behind_buffers());
        options.host(host)
    }

    /// Where the host words go. `next` is the binding that they get by themselves.
    fn host_words(&self, next: Binding) -> HostWords {
        let set = Set(self.host_set.unwrap_or(self.set));
        let binding = self.host_binding.map_or(next, Binding);
        match self.host {
            Host::Storage => HostWords::StorageBuffer { set, binding },
            Host::Uniform => HostWords::Uniform { set, binding },
            Host::PushConstant => HostWords::PushConstant { offset: self.host_offset.unwrap_or(0) },
            Host::Specialization => {
                HostWords::Specialization { first_id: self.host_first_id.unwrap_or(0) }
            }
        }
    }

    /// An option that nothing reads was meant for something else.
    fn check_host(&self) -> Done {
        let descriptor = matches!(self.host, Host::Storage | Host::Uniform);
        let unused = [
            ("--host-set", self.host_set.is_some() && !descriptor),
            ("--host-binding", self.host_binding.is_some() && !descriptor),
            ("--host-offset", self.host_offset.is_some() && self.host != Host::PushConstant),
            ("--host-first-id", self.host_first_id.is_some() && self.host != Host::Specialization),
        ];
        match unused.iter().find(|(_, unused)| *unused) {
            Some((name, _)) => {
                let message =
                    format!("{name} has no meaning for the host words that --host asks for");
                Err(Failure::new(Exit::Usage, message))
            }
            None => Ok(()),
        }
    }
}

/// Version of the report's shape: it grows when a field changes its meaning or goes.
const REPORT_VERSION: u32 = 1;

fn report(entry: &str, capture: &Capture<'_>) -> Value {
    let buffers: Vec<Value> = capture
        .layout
        .buffers
        .iter()
        .map(|buffer| {
            let captured: Vec<Value> = buffer
                .captured
                .iter()
                .map(|one| json!({ "name": one.name, "offset": one.offset, "components": one.components }))
                .collect();
            json!({ "stride": buffer.stride, "captured": captured })
        })
        .collect();
    let words: Vec<Value> = capture
        .host
        .words
        .iter()
        .enumerate()
        .map(|(i, word)| json!({ "index": i, "name": word.name, "meaning": word.meaning }))
        .collect();
    let descriptors: Vec<Value> = capture
        .requirements
        .descriptors
        .iter()
        .map(|one| {
            json!({ "set": one.set.0, "binding": one.binding.0, "type": one.kind, "purpose": one.purpose,
                    "stages": ["vertex"] })
        })
        .collect();
    json!({
        "version": REPORT_VERSION,
        "lowering": "transform_feedback",
        "lowering_version": polyshade::LOWERING_VERSION,
        "entry_point": entry,
        "layout": { "unit": "bytes", "buffers": buffers },
        "host_words": { "place": place(&capture.host.place), "words": words },
        "requirements": { "features": capture.requirements.features, "descriptors": descriptors },
    })
}

fn place(place: &HostWords) -> Value {
    match place {
        HostWords::StorageBuffer { set, binding } => {
            json!({ "kind": "storage buffer", "set": set.0, "binding": binding.0 })
        }
        HostWords::Uniform { set, binding } => {
            json!({ "kind": "uniform buffer", "set": set.0, "binding": binding.0 })
        }
        HostWords::PushConstant { offset } => json!({ "kind": "push constants", "offset": offset }),
        HostWords::Specialization { first_id } => {
            json!({ "kind": "specialization constants", "first_id": first_id })
        }
    }
}
