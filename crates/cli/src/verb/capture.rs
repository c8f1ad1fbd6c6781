//! `polyshade capture`: captures outputs in storage buffers, or through `VK_EXT_transform_feedback`.

mod extension;
mod geometry;
mod parts;
mod pulled;
mod report;

use crate::Done;
use crate::examples;
use crate::failure::Failure;
use crate::given::{switched, with};
use crate::input::Input;
use crate::lowering::Lowering;
use crate::named::named;
use crate::report::Report;
use crate::stage::only_entry;
use crate::target::Free;
use crate::writing::{Beside, Writing};
use clap::{Args, ValueEnum};
pub(super) use parts::variant_of;
use parts::{Part, VARIANTS, captured, variant};
use polyshade::host::{Binding, Device, ParamSource, Set, SideEffects, Target};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{
    self, IndexType, Layout, Options, StreamOutputEntry, Topology, Variant, Varying,
};
use polyshade_verify::Asked;
use pulled::Pull;
use std::path::PathBuf;

/// Options that select the captured outputs and the form of the result.
#[derive(Args)]
pub(crate) struct Rewrite {
    /// Outputs to capture, in this order: OpenGL names, gl_NextBuffer and gl_SkipComponents1 to 4, or location=3,
    /// location=3-5, location=3.yz, semantic=TEXCOORD0.xy, id=20 [default: the shader's xfb_* decorations]
    #[arg(long, value_delimiter = ',', value_name = "A,B,…", value_parser = varying)]
    varyings: Vec<Varying>,

    /// A further output to capture, after those of --varyings; its name may contain commas
    #[arg(long, value_name = "A", value_parser = varying)]
    varying: Vec<Varying>,

    /// Capture each varying into its own buffer [default: all interleaved in one buffer]
    #[arg(long)]
    separate: bool,

    /// Outputs to capture, as a Direct3D stream output declaration: SEMANTIC0.xyz; 1:SEMANTIC0 for slot 1; $SKIP.xy
    /// for a gap; location=3.xy
    #[arg(long, value_delimiter = ';', value_name = "A;B;…",
        conflicts_with_all = ["varyings", "varying", "separate"])]
    stream_output: Vec<StreamOutputEntry>,

    /// Allow naming, and so capturing, a varying more than once, which OpenGL and Vulkan forbid
    #[arg(long, alias = "repeats")]
    allow_duplicates: bool,

    /// Strides of the slots of --stream-output, in bytes [default: the size of each slot's entries]
    #[arg(long, value_delimiter = ',', value_name = "BYTES", requires = "stream_output",
        // Repeated from `stream_output`: clap drops `requires` if the required option conflicts with a given one.
        conflicts_with_all = ["varyings", "varying", "separate"])]
    strides: Vec<u32>,

    /// Replace specialization constant ID by VALUE (an integer, true or false); sizes of outputs may depend on it
    #[arg(long, value_delimiter = ',', value_name = "ID=VALUE", value_parser = constant)]
    specialize: Vec<(u32, u64)>,

    #[command(flatten)]
    free: Free,

    /// Capture method
    #[arg(long = "path", value_enum, default_value_t = Route::Storage, value_name = "PATH")]
    route: Route,

    /// Maximum number of output components of this stage, or of the stage in --after, on the device; no outputs are
    /// added beyond it [default: 64]
    #[arg(long, value_name = "N")]
    max_output_components: Option<u32>,

    /// With --path extension: reject captures that exceed the limits of this device, which is a preset or a file as
    /// for `polyshade plan --device`
    #[arg(long, value_name = "PRESET|FILE")]
    limits_of: Option<String>,

    /// Descriptor set of the feedback buffers [default: the last of sets 0 to 3 that is neither used nor reserved]
    #[arg(long, value_name = "N")]
    set: Option<u32>,

    /// Binding of feedback buffer 0; the other feedback buffers follow [default: 0, or the first free bindings]
    #[arg(long, value_name = "N")]
    binding: Option<u32>,

    /// Where the shader reads the host parameters: storage or uniform for a buffer at the binding after the feedback
    /// buffers, or storage=SET:BINDING, uniform=SET:BINDING, push-constant=OFFSET (bytes), specialization=ID. The
    /// prefix address: before one of the last three means that it holds the 64-bit address of the parameters;
    /// address:attribute=LOCATION reads the address from a vertex attribute whose buffer has stride 0. With an
    /// address, the parameters also contain the addresses of the feedback buffers, and no descriptor is bound
    /// [default: storage]
    #[arg(long, value_name = "SOURCE", value_parser = params_at, alias = "words")]
    params: Option<ParamsAt>,

    /// Which pass keeps the shader's own stores and atomics, which both passes would otherwise execute
    #[arg(long, value_parser = named(SIDE_EFFECTS), default_value = "refuse")]
    side_effects: SideEffects,

    /// Topologies of the draws; the variants omit the code for all other topologies [default: all without adjacency]
    #[arg(long, value_delimiter = ',', value_name = "A,B,…", value_parser = named(TOPOLOGIES))]
    topologies: Vec<Topology>,

    /// No draw has more than one instance; the variants omit the code for further instances
    #[arg(long)]
    one_instance: bool,

    /// Read the number of vertices that fit in the feedback buffers from a host parameter, instead of computing it
    /// from the feedback ranges; this makes the shader smaller
    #[arg(long, alias = "one-limit")]
    limit_in_vertices: bool,

    /// Allow unbound feedback buffers: bits of the host parameter `flags` mark them, and their data is not stored
    #[arg(long)]
    unbound_buffers: bool,

    /// The draws have indices of this type: uint8, uint16 or uint32. Without TYPE, the host parameter `index_type`
    /// selects the type for each draw. The capture-only variant reads the indices from a storage buffer or through
    /// their address. The shader must fetch its vertex attributes itself (--pull), as always with --path compute
    #[arg(long, value_name = "TYPE", require_equals = true, value_parser = named(INDEX_TYPES))]
    indexed: Option<Option<IndexType>>,

    /// Locations of vertex attributes that have the same value for all vertices, such as the address of the
    /// parameters of `polyshade vertex-pulling`; --indexed accepts these attributes
    #[arg(long, value_delimiter = ',', value_name = "A,B,…", requires = "indexed")]
    constant_attributes: Vec<u32>,

    /// Indices with all bits set restart primitives; the host provides a table of the restarts
    #[arg(long, requires = "indexed")]
    restart: bool,

    /// Offer two more variants: spill-outputs captures and stores all outputs, reload-outputs reads them back for
    /// rasterization. The shader then runs once for each vertex
    #[arg(long, alias = "pass-through")]
    spill_outputs: bool,

    /// Capture this shader, a geometry stage, after the vertex stage in FILE. With --path storage, both stages are
    /// drawn; with --path compute, both run as compute stages
    #[arg(long, value_name = "FILE")]
    after: Option<PathBuf>,

    /// Omit PointSize from the capture-only variant; Vulkan requires it for points, Metal does not
    #[arg(long)]
    no_point_size: bool,
}

/// Captures a shader's outputs (transform feedback): in storage buffers, for devices without the feature, or through
/// VK_EXT_transform_feedback.
///
/// With --path storage, the result is a vertex shader. Draw it with rasterization off, as a point list without
/// indices over the vertices and instances of the draw, or with --indexed over its indices. It reads host parameters
/// that the host sets for each draw; --report lists them. With --path compute, for devices whose vertex stages cannot
/// store, the result is a compute shader, dispatched before the draw. With --path extension, the result is a vertex,
/// tessellation evaluation or geometry shader, drawn like the original.
#[derive(Args)]
#[command(after_help = examples::of("capture"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    rewrite: Rewrite,

    /// Also write this variant: capture-only, raster-only or both; with --spill-outputs also spill-outputs or
    /// reload-outputs. The variant capture-only is written to --output. With --after, the variants are vertex, and
    /// raster with --spill-outputs; also count and sum, unless the number of emitted primitives is constant
    #[arg(long = "variant", value_name = "NAME=FILE", value_parser = variant, conflicts_with = "dry_run")]
    variants: Vec<(Part, PathBuf)>,

    // This field must follow `rewrite` and `variants`: clap applies the heading of its options to all later options.
    #[command(flatten)]
    pull: Pull,

    #[command(flatten)]
    writing: Writing,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Route {
    /// Store to storage buffers in the vertex stage
    Storage,
    /// Store to storage buffers in a compute stage
    Compute,
    /// Decorate the outputs for VK_EXT_transform_feedback
    Extension,
}

const SIDE_EFFECTS: [(&str, &str, SideEffects); 3] = [
    ("refuse", "Refuse a shader with side effects", SideEffects::Refuse),
    ("in-capture", "Keep them in the capture pass", SideEffects::InFirstPass),
    ("in-raster", "Keep them in the raster pass", SideEffects::InSecondPass),
];

pub(super) const INDEX_TYPES: [(&str, &str, IndexType); 3] = [
    ("uint8", "", IndexType::Uint8),
    ("uint16", "", IndexType::Uint16),
    ("uint32", "", IndexType::Uint32),
];

const TOPOLOGIES: [(&str, &str, Topology); 11] = [
    ("point-list", "", Topology::PointList),
    ("line-list", "", Topology::LineList),
    ("line-strip", "", Topology::LineStrip),
    ("line-loop", "", Topology::LineLoop),
    ("triangle-list", "", Topology::TriangleList),
    ("triangle-strip", "", Topology::TriangleStrip),
    ("triangle-fan", "", Topology::TriangleFan),
    ("line-list-with-adjacency", "", Topology::LineListWithAdjacency),
    ("line-strip-with-adjacency", "", Topology::LineStripWithAdjacency),
    ("triangle-list-with-adjacency", "", Topology::TriangleListWithAdjacency),
    ("triangle-strip-with-adjacency", "", Topology::TriangleStripWithAdjacency),
];

fn varying(text: &str) -> Result<Varying, polyshade::Error> {
    text.trim().parse()
}

pub(super) fn constant(text: &str) -> Result<(u32, u64), String> {
    let parsed = text.split_once('=').and_then(|(id, value)| {
        let value = match value {
            "true" => 1,
            "false" => 0,
            // Negative integers become their two's complement bits.
            _ => {
                value.parse::<u64>().ok().or_else(|| value.parse().ok().map(i64::cast_unsigned))?
            }
        };
        Some((id.parse().ok()?, value))
    });
    parsed.ok_or_else(|| "a constant is given as ID=VALUE, an integer or true or false".to_owned())
}

/// The value of `--params`: a buffer at the binding after the feedback buffers, or an explicit source.
#[derive(Clone, Copy)]
enum ParamsAt {
    Storage,
    Uniform,
    Place(ParamSource),
}

fn params_at(text: &str) -> Result<ParamsAt, polyshade::Error> {
    match text {
        "storage" => Ok(ParamsAt::Storage),
        "uniform" => Ok(ParamsAt::Uniform),
        _ => text.parse().map(ParamsAt::Place),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { input, rewrite, pull, variants, writing } = arguments;
    rewrite.check()?;
    pull.check(rewrite)?;
    writing.check(variants.iter().map(|(_, file)| file.as_path()))?;
    if rewrite.is_by_extension() {
        return extension::run(arguments);
    }
    if let Some(vertex) = &rewrite.after {
        return geometry::run(arguments, vertex);
    }
    let variants = captured(variants)?;
    if pull.is_asked() {
        return pulled::run(arguments);
    }
    // Prepare the layout first: a dry run reports it without building a module.
    let module = input.module()?;
    let (entry, stage) = only_entry(input, &module, &[ExecutionModel::VERTEX])?;
    let failed = |error| input.refused(&error, &module);
    let target = rewrite.target(&entry, stage)?;
    let prepared =
        transform_feedback::prepare(&module, target, &rewrite.options()).map_err(failed)?;
    let text = report::layout(prepared.layout());
    let report = Report::new(Lowering::Capture, (&entry, stage), prepared.layout(), text)
        .needs(std::slice::from_ref(prepared.params()), prepared.requirements())
        .drawn(rewrite.drawn());
    if writing.is_dry_run() {
        for variant in rewrite.offered(prepared.layout()) {
            prepared.check(variant).map_err(failed)?;
        }
        return writing.preview(input, &report);
    }

    let make = |variant| prepared.variant(variant).map_err(failed);
    let made = variants.iter().map(|(variant, file)| Ok((*file, make(*variant)?)));
    let made: Vec<_> = made.collect::<Result<_, Failure>>()?;
    let beside: Vec<Beside<'_>> =
        made.iter().map(|(file, made)| (*file, made.module.words())).collect();
    let capture_only = make(Variant::CaptureOnly)?;
    let modules = (module.words(), capture_only.module.words());
    writing.finish(input, &report, modules, &beside)
}

impl Rewrite {
    /// Whether the extension path is selected.
    pub(crate) fn is_by_extension(&self) -> bool {
        self.route == Route::Extension
    }

    /// Converts the requested captures into the form that `verify` takes.
    pub(crate) fn asked(&self) -> Asked {
        let varyings = self.varyings.iter().chain(&self.varying).map(Varying::to_string);
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

    /// Returns the ids and the bits of the specialization constants to replace.
    pub(crate) fn specialization(&self) -> &[(u32, u64)] {
        &self.specialize
    }

    /// Returns the entry point with the reservations and the device limits.
    pub(crate) fn target(&self, entry: &str, stage: ExecutionModel) -> Result<Target, Failure> {
        let mut device = Device::default();
        if let Some(components) = self.max_output_components {
            device.output_components = components;
        }
        if let Some(name) = &self.limits_of {
            device.transform_feedback = Some(extension::device(name)?);
        }
        Ok(self.free.target(entry, stage).device(device))
    }

    /// Converts the command-line options to the library's options.
    pub(crate) fn options(&self) -> Options {
        let mut options =
            Options::new().side_effects(self.side_effects).point_size(!self.no_point_size);
        match self.params {
            None | Some(ParamsAt::Storage) => {}
            Some(ParamsAt::Uniform) => options = options.params_in_uniform(),
            Some(ParamsAt::Place(place)) => options = options.params(place),
        }
        for (id, bits) in &self.specialize {
            options = options.specialize(*id, *bits);
        }
        if !self.topologies.is_empty() {
            options = options.topologies(self.topologies.iter().copied());
        }
        // The stage before a geometry stage reads the indices.
        let indexed = self.indexed.filter(|_| self.after.is_none());
        options = with(options, indexed, Options::indexed);
        options = options.constant_attributes(self.constant_attributes.iter().copied());
        options = with(options, self.set.map(Set), Options::into_set);
        options = with(options, self.binding.map(Binding), Options::at_binding);
        options = switched(
            options,
            &[
                (self.route == Route::Compute, Options::compute),
                (self.allow_duplicates, Options::allow_duplicates),
                (self.one_instance, Options::one_instance),
                (self.limit_in_vertices, Options::limit_in_vertices),
                (self.unbound_buffers, Options::unbound_buffers),
                (self.restart, Options::restart),
                (self.spill_outputs, Options::spill_outputs),
            ],
        );
        // Take the captured outputs from stream output entries, from the module's decorations, or from names.
        let varyings = || self.varyings.iter().chain(&self.varying).cloned();
        if !self.stream_output.is_empty() {
            options.stream_output(self.stream_output.iter().cloned(), self.strides.iter().copied())
        } else if varyings().next().is_none() {
            options.decorated()
        } else if self.separate {
            options.separate(varyings())
        } else {
            options.interleaved(varyings())
        }
    }

    /// Returns the variants that exist with these options.
    fn offered(&self, layout: &Layout) -> impl Iterator<Item = Variant> {
        VARIANTS.into_iter().filter_map(|(_, part)| match part {
            Part::Captured(variant) => Some(variant).filter(|variant| match variant {
                Variant::Both => layout.is_captured_at_once(),
                Variant::SpillOutputs | Variant::ReloadOutputs => self.spill_outputs,
                Variant::CaptureOnly | Variant::RasterOnly => true,
            }),
            Part::Vertex | Part::Geometry(_) => None,
        })
    }

    /// Describes how the host draws or dispatches the capture-only variant.
    fn drawn(&self) -> &'static str {
        match self.indexed {
            _ if self.route == Route::Compute => {
                "a dispatch over the vertices of all instances, in rows of at most 65535 work groups of 64 vertices"
            }
            None => {
                "a point list without indices, over the vertices and instances of the draw, with rasterization off"
            }
            Some(_) => {
                "a point list without indices, a point for each index of the draw, with rasterization off"
            }
        }
    }

    /// Rejects options that have no effect.
    pub(crate) fn check(&self) -> Done {
        if self.separate && self.varyings.is_empty() && self.varying.is_empty() {
            return Err(Failure::usage("--separate needs --varyings"));
        }
        self.check_route()
    }

    /// Rejects options that the selected path does not read.
    fn check_route(&self) -> Done {
        // Each path reads only some of the options.
        let of_storage = [
            ("--set", self.set.is_some()),
            ("--binding", self.binding.is_some()),
            ("--params", self.params.is_some()),
            ("--side-effects", self.side_effects != SideEffects::Refuse),
            ("--no-point-size", self.no_point_size),
            ("--topologies", !self.topologies.is_empty()),
            ("--one-instance", self.one_instance),
            ("--limit-in-vertices", self.limit_in_vertices),
            ("--unbound-buffers", self.unbound_buffers),
            ("--indexed", self.indexed.is_some()),
            ("--constant-attributes", !self.constant_attributes.is_empty()),
            ("--restart", self.restart),
            ("--spill-outputs", self.spill_outputs),
        ];
        let of_extension = [("--limits-of", self.limits_of.is_some())];
        // An output is also added to the vertex stage of draws with a geometry stage.
        let of_outputs = [
            ("--max-output-components", self.max_output_components.is_some()),
            ("--reserve-location", self.free.reserves_locations()),
        ];
        let of_points = [
            ("--no-point-size", self.no_point_size),
            ("--constant-attributes", !self.constant_attributes.is_empty()),
        ];
        let of_geometry = [("--after", self.after.is_some())];
        // Draws with a geometry stage read their indices, and their geometry stage has no outputs.
        let of_vertex = [("--indexed", self.indexed.is_some()), of_points[0], of_points[1]];
        let (name, others): (_, &[&[(&str, bool)]]) = match self.route {
            Route::Storage if self.after.is_some() => {
                ("storage and --after", &[&of_extension, &of_vertex])
            }
            Route::Storage => ("storage", &[&of_extension, &of_outputs]),
            Route::Compute => ("compute", &[&of_extension, &of_outputs, &of_points]),
            Route::Extension => ("extension", &[&of_storage, &of_geometry]),
        };
        Failure::of_unused(&others.concat(), &format!("with --path {name}"))
    }
}
