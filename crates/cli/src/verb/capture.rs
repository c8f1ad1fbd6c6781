//! `polyshade capture`: transform feedback by writing storage buffers, or by the extension.

mod extension;
mod report;

use crate::Done;
use crate::depfile::Build;
use crate::failure::{Exit, Failure};
use crate::format::Formats;
use crate::input::Input;
use crate::output::{Modules, Outputs, print_text};
use clap::{Args, ValueEnum};
use polyshade::Reserved;
use polyshade::moves::{Binding, Set};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{
    self, Capture, Options, Preview, SideEffects, StreamOutputEntry, Varying,
};
use polyshade_verify::Asked;
use report::Report;
use std::path::{Path, PathBuf};

/// How a shader is rewritten.
#[derive(Args)]
pub(crate) struct Rewrite {
    /// What to capture, in order: OpenGL's names, with gl_NextBuffer and gl_SkipComponents1 to 4; or location=3,
    /// location=3-5, location=3.yz, id=20 [default: what the shader's xfb_* decorations say]
    #[arg(long, value_delimiter = ',', value_name = "A,B,…", value_parser = varying)]
    varyings: Vec<Varying>,

    /// One more of them, whose name may have commas in it
    #[arg(long, value_name = "A", value_parser = varying)]
    varying: Vec<Varying>,

    /// A buffer for each varying, instead of one behind the other in one
    #[arg(long)]
    separate: bool,

    /// What to capture as a Direct3D stream output declaration: SEMANTIC0.xyz, 1:SEMANTIC0 for slot 1, $SKIP.xy for a
    /// gap, location=3.xy
    #[arg(long, value_delimiter = ';', value_name = "A;B;…",
        conflicts_with_all = ["varyings", "varying", "separate"])]
    stream_output: Vec<StreamOutputEntry>,

    /// Capture what is named twice twice; OpenGL and Vulkan refuse that
    #[arg(long)]
    repeats: bool,

    /// Strides of the slots of --stream-output, in bytes [default: what the entries take]
    #[arg(long, value_delimiter = ',', value_name = "BYTES", requires = "stream_output")]
    strides: Vec<u32>,

    /// Make a specialization constant a plain one with this value; sizes of outputs may depend on it
    #[arg(long, value_delimiter = ',', value_name = "ID=VALUE", value_parser = constant)]
    specialize: Vec<(u32, u64)>,

    /// Add nothing to this descriptor set, or to this binding of it: other stages use it
    #[arg(long, value_delimiter = ',', value_name = "SET[:BINDING]", value_parser = reservation)]
    reserve: Vec<(Set, Option<Binding>)>,

    /// Add no specialization constant with this number
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    reserve_constant: Vec<u32>,

    /// Give what is added no SPIR-V id below this one
    #[arg(long, value_name = "ID")]
    reserve_ids_below: Option<u32>,

    /// How to capture
    #[arg(long = "path", value_enum, default_value_t = Route::Storage, value_name = "PATH")]
    route: Route,

    /// How many components the device lets the stage hand on, for outputs that --path extension adds [default: 64]
    #[arg(long, value_name = "N")]
    max_output_components: Option<u32>,

    /// Refuse what goes beyond this device's limits of --path extension, by their names: a device as `plan` takes it
    #[arg(long, value_name = "PRESET|FILE")]
    limits_of: Option<String>,

    /// Add no output at this location: the next stage uses it for something else
    #[arg(long, value_delimiter = ',', value_name = "LOCATION")]
    reserve_location: Vec<u32>,

    /// Descriptor set of the feedback buffers [default: the last of 0 to 3 that is free]
    #[arg(long, value_name = "N")]
    set: Option<u32>,

    /// Binding of feedback buffer 0; the others follow [default: 0, or where there is room]
    #[arg(long, value_name = "N")]
    binding: Option<u32>,

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
}

/// Captures a shader's outputs: transform feedback by writing storage buffers, where the device has none, or by
/// VK_EXT_transform_feedback.
///
/// With storage buffers the result, of a vertex shader, is drawn as a point list without indices over the vertices and
/// instances of the draw, with rasterization off. It reads a few words that the host fills in for each draw; --report
/// lists them. With --path extension the result, of a vertex, tessellation evaluation or geometry shader, is drawn as
/// ever.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    rewrite: Rewrite,

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
    #[arg(long)]
    json: bool,

    /// Write no module: say what would be captured, bound and filled in
    #[arg(long, conflicts_with_all = ["output", "variants", "depfile"])]
    dry_run: bool,

    #[command(flatten)]
    build: Build,

    /// Print what changed in the shader, disassembled, to standard output; the module goes to a file
    #[arg(long, requires = "output", conflicts_with_all = ["json", "dry_run"])]
    diff: bool,

    #[command(flatten)]
    formats: Formats,
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

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Effects {
    /// Refuse a shader that has some
    Refuse,
    /// Keep them in the capture pass
    InCapture,
    /// Keep them in the raster pass
    InRaster,
}

const VARIANTS: [&str; 3] = ["capture-only", "raster-only", "both"];

/// The last of the sets that every Vulkan device has.
const LAST_SET: u32 = 3;

fn varying(text: &str) -> Result<Varying, polyshade::Error> {
    text.trim().parse()
}

fn constant(text: &str) -> Result<(u32, u64), String> {
    let parsed = text.split_once('=').and_then(|(id, value)| {
        let value = match value {
            "true" => 1,
            "false" => 0,
            // Negative integers by their bits.
            _ => {
                value.parse::<u64>().ok().or_else(|| value.parse().ok().map(i64::cast_unsigned))?
            }
        };
        Some((id.parse().ok()?, value))
    });
    parsed.ok_or_else(|| "a constant is given as ID=VALUE, an integer or true or false".to_owned())
}

pub(super) fn reservation(text: &str) -> Result<(Set, Option<Binding>), String> {
    let (set, binding) = match text.split_once(':') {
        Some((set, binding)) => (set, Some(binding.parse())),
        None => (text, None),
    };
    match (set.parse(), binding.transpose()) {
        (Ok(set), Ok(binding)) => Ok((Set(set), binding.map(Binding))),
        _ => Err("what is reserved is given as SET or SET:BINDING".to_owned()),
    }
}

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
    let rewrite = &arguments.rewrite;
    rewrite.check()?;
    arguments.formats.check(arguments.files())?;
    if rewrite.is_by_extension() {
        return extension::run(arguments);
    }
    let words = arguments.input.words()?;
    let module = arguments.input.parse(&words)?;
    let entry = arguments.input.entry_name(&module, ExecutionModel::VERTEX)?;
    let failed = |error| Failure::of(&error, Some(&module));
    let options = rewrite.options(&entry, ExecutionModel::VERTEX)?;
    if arguments.dry_run {
        let preview = transform_feedback::preview(&module, &options).map_err(failed)?;
        let Preview { layout, host, requirements } = &preview;
        let path = report::Path::Storage(host);
        let report = Report { entry: &entry, layout, path, requirements, msl: None };
        return arguments.preview(&report);
    }

    let capture = transform_feedback::capture(&module, &options).map_err(failed)?;
    let mut outputs = arguments.outputs(&entry, ExecutionModel::VERTEX);
    for (name, file) in &arguments.variants {
        let words = match name.as_str() {
            "capture-only" => capture.capture_only.words(),
            "raster-only" => capture.raster_only.words(),
            _ => capture.both.words(),
        };
        outputs.add_module(file, words)?;
    }
    let Capture { layout, host, requirements, .. } = &capture;
    let path = report::Path::Storage(host);
    let report = Report { entry: &entry, layout, path, requirements, msl: None };
    arguments.write(outputs, report, module.words(), capture.capture_only.words())
}

impl Arguments {
    /// What is written, in the formats that are asked for.
    fn outputs(&self, entry: &str, stage: ExecutionModel) -> Outputs {
        Outputs::of(Modules {
            formats: self.formats.clone(),
            entry: Some((entry.to_owned(), stage)),
            validate: self.input.validate,
            target_env: self.input.target_env.clone(),
        })
    }

    /// Writes the module that the verb is named for, made of the one `before`, and the report.
    fn write(
        &self,
        mut outputs: Outputs,
        report: Report<'_>,
        before: &[u32],
        words: &[u32],
    ) -> Done {
        let output = self.output.as_deref().unwrap_or(Path::new("-"));
        outputs.add_module(output, words)?;
        if self.diff {
            outputs.add_diff(before, words)?;
        }
        let report = Report { msl: outputs.msl_report(), ..report };
        if let Some(file) = &self.report {
            outputs.add(file, report.to_json().into_bytes())?;
        }
        if self.json {
            outputs.add(Path::new("-"), format!("{}\n", report.to_json()).into_bytes())?;
        }
        self.build.apply(&self.input, &mut outputs)?;
        outputs.write()
    }

    /// The report alone.
    fn preview(&self, report: &Report<'_>) -> Done {
        if let Some(file) = &self.report {
            let mut outputs = Outputs::default();
            outputs.add(file, report.to_json().into_bytes())?;
            outputs.write()?;
        }
        print_text(&if self.json { report.to_json() } else { report.to_text() })
    }

    /// Where modules go.
    fn files(&self) -> impl Iterator<Item = &Path> {
        let output = (!self.dry_run).then(|| self.output.as_deref().unwrap_or(Path::new("-")));
        self.variants.iter().map(|(_, file)| file.as_path()).chain(output)
    }
}

impl Rewrite {
    /// Whether the extension captures.
    pub(crate) fn is_by_extension(&self) -> bool {
        self.route == Route::Extension
    }

    /// What is captured, as it was asked for.
    pub(crate) fn asked(&self) -> Asked {
        let varyings = self.varyings.iter().chain(&self.varying).map(|varying| match varying {
            Varying::Name(name) => name.clone(),
            Varying::Locations(locations) => locations.to_string(),
            Varying::Variable(id) => format!("id={}", id.word()),
            other => format!("{other:?}"),
        });
        if !self.stream_output.is_empty() {
            let entries = self.stream_output.iter().map(|one| format!("{}:{one}", one.slot));
            Asked::StreamOutput(entries.collect(), self.strides.clone())
        } else if self.varyings.is_empty() && self.varying.is_empty() {
            Asked::Decorations
        } else if self.separate {
            Asked::Separate(varyings.collect())
        } else {
            Asked::Interleaved(varyings.collect())
        }
    }

    /// Values of specialization constants: their numbers and bits.
    pub(crate) fn specialization(&self) -> &[(u32, u64)] {
        &self.specialize
    }

    /// What the options ask of the library, for an entry point of this stage.
    pub(crate) fn options(&self, entry: &str, stage: ExecutionModel) -> Result<Options, Failure> {
        let mut options = Options::new(entry)
            .stage(stage)
            .host(self.host_words())
            .reserved(self.reserved())
            .side_effects(match self.side_effects {
                Effects::Refuse => SideEffects::Refuse,
                Effects::InCapture => SideEffects::InCapture,
                Effects::InRaster => SideEffects::InRaster,
            })
            .point_size(!self.no_point_size)
            .names(!self.no_names);
        if self.repeats {
            options = options.repeats();
        }
        if let Some(components) = self.max_output_components {
            options = options.max_output_components(components);
        }
        if let Some(name) = &self.limits_of {
            options = options.device(extension::device(name)?);
        }
        for (id, bits) in &self.specialize {
            options = options.specialize(*id, *bits);
        }
        if self.set.is_some() || self.binding.is_some() {
            let (set, binding) = (self.set.unwrap_or(LAST_SET), self.binding.unwrap_or(0));
            options = options.into_storage(Set(set), Binding(binding));
        }
        let varyings = || self.varyings.iter().chain(&self.varying).cloned();
        Ok(if !self.stream_output.is_empty() {
            options.stream_output(self.stream_output.iter().cloned(), self.strides.iter().copied())
        } else if varyings().next().is_none() {
            options.decorated()
        } else if self.separate {
            options.separate(varyings())
        } else {
            options.interleaved(varyings())
        })
    }

    fn host_words(&self) -> transform_feedback::Host {
        let (set, binding) = (self.host_set.map(Set), self.host_binding.map(Binding));
        match self.host {
            Host::Storage => transform_feedback::Host::StorageBuffer { set, binding },
            Host::Uniform => transform_feedback::Host::Uniform { set, binding },
            Host::PushConstant => {
                transform_feedback::Host::PushConstant { offset: self.host_offset.unwrap_or(0) }
            }
            Host::Specialization => transform_feedback::Host::Specialization {
                first_id: self.host_first_id.unwrap_or(0),
            },
        }
    }

    fn reserved(&self) -> Reserved {
        let mut reserved = Reserved::new().ids_below(self.reserve_ids_below.unwrap_or(0));
        for (set, binding) in &self.reserve {
            reserved = match binding {
                Some(binding) => reserved.binding(*set, *binding),
                None => reserved.set(*set),
            };
        }
        let reserved = self.reserve_location.iter().fold(reserved, |r, at| r.location(*at));
        self.reserve_constant.iter().fold(reserved, |reserved, id| reserved.specialization(*id))
    }

    /// Refuses what is not built, and an option that nothing reads: it was meant for something else.
    pub(crate) fn check(&self) -> Done {
        if self.separate && self.varyings.is_empty() && self.varying.is_empty() {
            let message = "--separate is for what --varyings names";
            return Err(Failure::new(Exit::Usage, message));
        }
        let descriptor = matches!(self.host, Host::Storage | Host::Uniform);
        let unused = [
            ("--host-set", self.host_set.is_some() && !descriptor),
            ("--host-binding", self.host_binding.is_some() && !descriptor),
            ("--host-offset", self.host_offset.is_some() && self.host != Host::PushConstant),
            ("--host-first-id", self.host_first_id.is_some() && self.host != Host::Specialization),
        ];
        self.check_route()?;
        if self.route == Route::Compute {
            let message = "--path compute is not built yet; storage and extension are";
            return Err(Failure::new(Exit::Unsupported, message));
        }
        match unused.iter().find(|(_, unused)| *unused) {
            Some((name, _)) => {
                let message =
                    format!("{name} has no meaning for the host words that --host asks for");
                Err(Failure::new(Exit::Usage, message))
            }
            None => Ok(()),
        }
    }

    /// An option of the other path likewise.
    fn check_route(&self) -> Done {
        let of_storage = [
            ("--set", self.set.is_some()),
            ("--binding", self.binding.is_some()),
            ("--host", self.host != Host::Storage),
            ("--host-set", self.host_set.is_some()),
            ("--host-binding", self.host_binding.is_some()),
            ("--side-effects", self.side_effects != Effects::Refuse),
            ("--no-point-size", self.no_point_size),
        ];
        let of_extension = [
            ("--max-output-components", self.max_output_components.is_some()),
            ("--limits-of", self.limits_of.is_some()),
            ("--reserve-location", !self.reserve_location.is_empty()),
        ];
        let (name, others) = match self.route {
            Route::Storage => ("storage", of_extension.as_slice()),
            Route::Extension => ("extension", of_storage.as_slice()),
            Route::Compute => ("compute", [].as_slice()),
        };
        match others.iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                let message = format!("{option} has no meaning with --path {name}");
                Err(Failure::new(Exit::Usage, message))
            }
            None => Ok(()),
        }
    }
}
