//! `polyshade capture --after`: captures a geometry stage after its vertex stage, in draws or in compute stages.

use super::parts::{Part, Step};
use super::{Arguments, Rewrite, Route, report};
use crate::Done;
use crate::failure::Failure;
use crate::given::{switched, with};
use crate::lowering::Lowering;
use crate::report::Report;
use crate::stage::only_entry;
use crate::writing::Beside;
use polyshade::host::{HostParams, Lowered, Requirements, Target};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{self, Layout, Options, Prepared, Topology, Variant, geometry};
use polyshade::{Error, Module};
use serde::Serialize;
use std::path::Path;

/// The result in the report.
#[derive(Serialize)]
struct Captured<'c> {
    #[serde(flatten)]
    layout: &'c Layout,
    /// The vertex stage.
    vertex: Vertex<'c>,
}

#[derive(Serialize)]
struct Vertex<'c> {
    layout: &'c Layout,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'c HostParams>,
    requirements: &'c Requirements,
}

/// The vertex stage.
enum Before<'m> {
    Dispatched(Box<Prepared<'m>>),
    Drawn(Box<Lowered<'m, Layout>>),
}

impl<'m> Before<'m> {
    fn new(module: &'m Module<'_>, target: Target, rewrite: &Rewrite) -> Result<Self, Error> {
        Ok(match rewrite.route {
            Route::Compute => {
                let prepared = transform_feedback::prepare(module, target, &of_vertex(rewrite))?;
                Self::Dispatched(Box::new(prepared))
            }
            _ => Self::Drawn(Box::new(geometry::vertex(module, target, &drawn_vertex(rewrite))?)),
        })
    }

    /// Returns the properties for the report.
    fn properties(&self) -> Vertex<'_> {
        match self {
            Self::Dispatched(prepared) => Vertex {
                layout: prepared.layout(),
                params: Some(prepared.params()),
                requirements: prepared.requirements(),
            },
            Self::Drawn(made) => {
                Vertex { layout: &made.result, params: None, requirements: &made.requirements }
            }
        }
    }

    fn words(&self) -> Result<Vec<u32>, Error> {
        Ok(match self {
            Self::Dispatched(prepared) => {
                prepared.variant(Variant::SpillOutputs)?.module.into_words()
            }
            Self::Drawn(made) => made.module.words().to_vec(),
        })
    }
}

/// Runs the verb for a geometry stage after the vertex stage in the file `vertex`.
pub(super) fn run(arguments: &Arguments, vertex: &Path) -> Done {
    let Arguments { input, rewrite, variants, writing, .. } = arguments;
    // Read both stages.
    let module = input.module()?;
    let (entry, stage) = only_entry(input, &module, &[ExecutionModel::GEOMETRY])?;
    let before = input.with(&[vertex.to_owned()]).pop().expect("there are two shaders");
    let before_module = before.module()?;
    let (before_entry, before_stage) =
        only_entry(&before, &before_module, &[ExecutionModel::VERTEX])?;

    // Prepare both, and make the variants.
    let target = rewrite.target(&before_entry, before_stage)?;
    let vertex = Before::new(&before_module, target, rewrite)
        .map_err(|error| before.refused(&error, &before_module))?;
    let failed = |error| input.refused(&error, &module);
    let target = rewrite.target(&entry, stage)?;
    let options = rewrite.options();
    let before_layout = vertex.properties().layout;
    let make = |step: Option<Step>| {
        let target = target.clone();
        let made = match step {
            None => geometry::capture(&module, target, before_layout, &options),
            Some(Step::Count) => geometry::count(&module, target, before_layout, &options),
            Some(Step::Sum) => geometry::sum(&module, target, before_layout, &options),
            Some(Step::Raster) => geometry::raster(&module, target, before_layout, &options),
        };
        made.map_err(failed)
    };
    let capture = make(None)?;
    let mut beside = Vec::new();
    for (part, file) in variants {
        let made = match part {
            Part::Geometry(step) => make(Some(*step))?.module.into_words(),
            Part::Vertex => {
                vertex.words().map_err(|error| before.refused(&error, &before_module))?
            }
            Part::Captured(_) => {
                let message = format!("these variants exist: {}", variants_of(&capture.result));
                return Err(Failure::usage(message));
            }
        };
        beside.push((file.as_path(), made));
    }

    // Write and report.
    let layout = &capture.result;
    let result = Captured { layout, vertex: vertex.properties() };
    let text = report::layout(layout);
    let report = Report::new(Lowering::Capture, (&entry, stage), &result, text)
        .needs(&capture.params, &capture.requirements)
        .drawn(drawn(layout.is_dispatched(), layout.needs_counts()));
    let beside: Vec<Beside<'_>> =
        beside.iter().map(|(file, words)| (*file, words.as_slice())).collect();
    writing.finish(input, &report, (module.words(), capture.module.words()), &beside)
}

/// Lists the variants besides the stage that captures.
fn variants_of(layout: &Layout) -> String {
    let counted: &[_] = if layout.needs_counts() { &["count", "sum"] } else { &[] };
    let raster: &[_] = if layout.outputs_stride() > 0 { &["raster"] } else { &[] };
    [&["vertex"], counted, raster].concat().join(", ")
}

/// Describes how the host draws or dispatches the stages.
fn drawn(dispatched: bool, counted: bool) -> &'static str {
    match (dispatched, counted) {
        (true, true) => {
            "dispatches of vertex, of count, of one work group of sum, and of this shader, with barriers between them"
        }
        (true, false) => "dispatches of vertex and of this shader, with a barrier between them",
        (false, true) => {
            "the original draw with vertex and count, a dispatch of one work group of sum, and the original draw with \
             vertex and this shader, with rasterization off and barriers between them"
        }
        (false, false) => "the original draw with vertex and this shader, with rasterization off",
    }
}

/// Returns the options for a vertex stage that is drawn.
fn drawn_vertex(rewrite: &Rewrite) -> Options {
    let options = Options::new().side_effects(rewrite.side_effects);
    switched(options, &[(rewrite.one_instance, Options::one_instance)])
}

/// Returns the options for a vertex stage that is dispatched, which stores all its outputs.
fn of_vertex(rewrite: &Rewrite) -> Options {
    let options = Options::new().compute().spill_outputs().topologies(Topology::ALL);
    let options = switched(options, &[(rewrite.one_instance, Options::one_instance)]);
    with(options, rewrite.indexed, Options::indexed)
}
