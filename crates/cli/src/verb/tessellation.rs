//! `polyshade tessellation`: runs tessellation stages as compute stages and a vertex stage.

use super::capture::{INDEX_TYPES, constant, variant_of};
use crate::Done;
use crate::examples;
use crate::failure::Failure;
use crate::given::with;
use crate::input::Input;
use crate::lowering::Lowering;
use crate::named::named;
use crate::report::Report;
use crate::stage::only_entry;
use crate::target::Free;
use crate::writing::{Beside, Writing};
use clap::Args;
use polyshade::host::{Binding, HostParams, Lowered, ParamSource, Requirements, Set};
use polyshade::spv::view::Decorate;
use polyshade::spv::{Decoration, ExecutionModel, Section};
use polyshade::transform_feedback::{
    self, IndexType, Layout, Options, Prepared, Variant, tessellation,
};
use polyshade::{Error, Module};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Options that affect the stages.
#[derive(Args)]
pub(crate) struct Rewrite {
    /// The tessellation control shader
    #[arg(long, value_name = "FILE")]
    control: PathBuf,

    /// The vertex shader; it must fetch its vertex attributes itself (`polyshade vertex-pulling`)
    #[arg(long, value_name = "FILE")]
    vertex: PathBuf,

    /// Number of vertices of a patch that is drawn (patchControlPoints)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32))]
    patch_vertices: u32,

    /// The origin of the domain is at the lower left, as in OpenGL; this reverses the triangles
    #[arg(long)]
    lower_left_origin: bool,

    /// The draws have indices of this type: uint8, uint16 or uint32. Without TYPE, a host parameter of the vertex
    /// stage selects the type for each draw
    #[arg(long, value_name = "TYPE", require_equals = true, value_parser = named(INDEX_TYPES))]
    indexed: Option<Option<IndexType>>,

    /// Replace specialization constant ID of the tessellation shaders that have it by VALUE (an integer, true or
    /// false)
    #[arg(long, value_delimiter = ',', value_name = "ID=VALUE", value_parser = constant)]
    specialize: Vec<(u32, u64)>,

    /// Descriptor set of the buffers of the stages after the vertex stage [default: the last of sets 0 to 3 that is
    /// neither used by the stage's shader nor reserved]
    #[arg(long, value_name = "N")]
    set: Option<u32>,

    /// Binding at which control reads the outputs of the vertex stage; patches, table, points and indices follow
    /// [default: 0, or the first free bindings]
    #[arg(long, value_name = "N")]
    binding: Option<u32>,

    /// Where control and allocate read the host parameters: storage=SET:BINDING, uniform=SET:BINDING,
    /// push-constant=OFFSET (bytes), specialization=ID [default: a storage buffer after the other buffers]
    #[arg(long, value_name = "SOURCE")]
    params: Option<ParamSource>,

    #[command(flatten)]
    free: Free,
}

/// Runs tessellation on devices without it: a control and an evaluation shader become compute stages and a vertex
/// shader.
///
/// The result is the evaluation shader as a vertex shader. Dispatch the vertex stage (--variant vertex=FILE), then
/// control, allocate (one work group) and tessellate, with barriers between them, and draw indexed and indirect with
/// the command at the start of the table. --report lists bindings, host parameters and the layout of patches. Other
/// verbs, such as capture, take the resulting vertex shader.
#[derive(Args)]
#[command(after_help = examples::of("tessellation"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    rewrite: Rewrite,

    /// Also write this stage: vertex, control, allocate or tessellate. The evaluation stage is written to --output
    #[arg(long = "variant", value_name = "NAME=FILE", value_parser = variant, conflicts_with = "dry_run")]
    variants: Vec<(Part, PathBuf)>,

    #[command(flatten)]
    writing: Writing,
}

/// A stage before the evaluation stage.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Vertex,
    Control,
    Allocate,
    Tessellate,
}

const PARTS: [(&str, Part); 4] = [
    ("vertex", Part::Vertex),
    ("control", Part::Control),
    ("allocate", Part::Allocate),
    ("tessellate", Part::Tessellate),
];

fn variant(text: &str) -> Result<(Part, PathBuf), String> {
    variant_of(text, &PARTS)
}

/// The result in the report.
#[derive(Serialize)]
struct Provided<'c> {
    layout: &'c Layout,
    /// The stages before the evaluation stage, by name.
    stages: BTreeMap<&'static str, Stage<'c>>,
}

#[derive(Serialize)]
struct Stage<'c> {
    #[serde(skip_serializing_if = "Option::is_none")]
    layout: Option<&'c Layout>,
    params: &'c [HostParams],
    requirements: &'c Requirements,
}

impl<'c> Stage<'c> {
    fn of(made: &'c Lowered<'_, Layout>) -> Self {
        Self { layout: None, params: &made.params, requirements: &made.requirements }
    }
}

/// How the host draws the stages.
const DRAWN: &str = "dispatches of vertex, of control, of one work group of allocate and of tessellate, and an indexed \
                     indirect draw with this shader, with barriers between them";

pub(crate) fn run(arguments: &Arguments) -> Done {
    let Arguments { input, rewrite, variants, writing } = arguments;
    writing.check(variants.iter().map(|(_, file)| file.as_path()))?;
    // Read the three stages.
    let module = input.module()?;
    let (entry, stage) = only_entry(input, &module, &[ExecutionModel::TESSELLATION_EVALUATION])?;
    let before = input.with(&[rewrite.control.clone(), rewrite.vertex.clone()]);
    let [control_input, vertex_input] = [&before[1], &before[2]];
    let (control_module, vertex_module) = (control_input.module()?, vertex_input.module()?);

    // Lower them.
    let vertex = rewrite.vertex(vertex_input, &vertex_module)?;
    let (name, model) =
        only_entry(control_input, &control_module, &[ExecutionModel::TESSELLATION_CONTROL])?;
    let (target, options) = (rewrite.free.target(&name, model), rewrite.options());
    let options = rewrite.specialized(&options, |id| has_constant(&control_module, id));
    let points = rewrite.patch_vertices;
    let control = tessellation::control(&control_module, target, vertex.layout(), points, &options)
        .map_err(|error| control_input.refused(&error, &control_module))?;
    // A constant that no shader has is an error of this one.
    let options = rewrite.specialized(&rewrite.options(), |id| {
        has_constant(&module, id) || !has_constant(&control_module, id)
    });
    let target = rewrite.free.target(&entry, stage);
    let failed = |error: Error| input.refused(&error, &module);
    let layout = control.result.clone();
    let layout = if rewrite.lower_left_origin { layout.lower_left_origin() } else { layout };
    let allocate =
        tessellation::allocate(&module, target.clone(), &layout, &options).map_err(failed)?;
    let tessellate =
        tessellation::tessellate(&module, target.clone(), &layout, &options).map_err(failed)?;
    let evaluation =
        tessellation::evaluation(&module, target, &layout, &options).map_err(failed)?;

    // Write and report.
    let spilled = vertex.variant(Variant::SpillOutputs);
    let spilled = spilled.map_err(|error| vertex_input.refused(&error, &vertex_module))?;
    let beside: Vec<Beside<'_>> = variants
        .iter()
        .map(|(part, file)| {
            let words = match part {
                Part::Vertex => spilled.module.words(),
                Part::Control => control.module.words(),
                Part::Allocate => allocate.module.words(),
                Part::Tessellate => tessellate.module.words(),
            };
            (file.as_path(), words)
        })
        .collect();
    let of_vertex = Stage {
        layout: Some(vertex.layout()),
        params: std::slice::from_ref(vertex.params()),
        requirements: vertex.requirements(),
    };
    let stages = [
        ("vertex", of_vertex),
        ("control", Stage::of(&control)),
        ("allocate", Stage::of(&allocate)),
        ("tessellate", Stage::of(&tessellate)),
    ];
    let result = Provided { layout: &evaluation.result, stages: stages.into_iter().collect() };
    let report = Report::new(Lowering::Tessellation, (&entry, stage), &result, text(&result))
        .needs(&evaluation.params, &evaluation.requirements)
        .drawn(DRAWN);
    writing.finish(input, &report, (module.words(), evaluation.module.words()), &beside)
}

/// Whether a module has the specialization constant with this id.
fn has_constant(m: &Module<'_>, id: u32) -> bool {
    let decorations = m.section(Section::Annotations).filter_map(Decorate::of);
    let mut ids = decorations.filter(|one| one.decoration() == Decoration::SPEC_ID);
    ids.any(|one| one.operands().first() == Some(&id))
}

/// Formats the size of patches and the topology.
fn text(result: &Provided<'_>) -> String {
    let topology = result.layout.emitted_topology().map_or("", |topology| topology.name());
    let stride = result.layout.patch_stride();
    format!("  a patch takes {stride} bytes\n  the draw has the topology {topology}\n")
}

impl Rewrite {
    /// Prepares the vertex stage, which stores all its outputs.
    fn vertex<'m>(&self, input: &Input, module: &'m Module<'_>) -> Result<Prepared<'m>, Failure> {
        let (entry, stage) = only_entry(input, module, &[ExecutionModel::VERTEX])?;
        let options = Options::new().compute().spill_outputs();
        let options = with(options, self.indexed, Options::indexed);
        transform_feedback::prepare(module, self.free.target(&entry, stage), &options)
            .map_err(|error| input.refused(&error, module))
    }

    /// Converts the command-line options to the library's options.
    fn options(&self) -> Options {
        let options = with(Options::new(), self.set.map(Set), Options::into_set);
        let options = with(options, self.binding.map(Binding), Options::at_binding);
        with(options, self.params, Options::params)
    }

    /// Returns the options with the specialization constants that are wanted.
    fn specialized(&self, options: &Options, is_wanted: impl Fn(u32) -> bool) -> Options {
        let constants = self.specialize.iter().filter(|(id, _)| is_wanted(*id));
        constants.fold(options.clone(), |options, (id, value)| options.specialize(*id, *value))
    }
}
