//! `polyshade capture --after`: captures a geometry stage, which runs as a compute stage after its vertex stage.

use super::parts::{Part, Step};
use super::{Arguments, Rewrite, report};
use crate::Done;
use crate::code;
use crate::failure::Failure;
use crate::lowering::Lowering;
use crate::report::Report;
use crate::stage::only_entry;
use crate::writing::Beside;
use polyshade::host::{HostParams, Requirements};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{self, Layout, Options, Topology, geometry};
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
    params: &'c HostParams,
    requirements: &'c Requirements,
}

/// Runs the verb for a geometry stage after the vertex stage in the file `vertex`.
pub(super) fn run(arguments: &Arguments, vertex: &Path) -> Done {
    let Arguments { input, rewrite, variants, writing, .. } = arguments;
    // Read both stages.
    let words = input.words()?;
    let module = input.parse(&words)?;
    let (entry, stage) = only_entry(input, &module, &[ExecutionModel::GEOMETRY])?;
    let before = input.with(&[vertex.to_owned()]).pop().expect("there are two shaders");
    let before_words = before.words()?;
    let before_module = before.parse(&before_words)?;
    let (before_entry, before_stage) =
        only_entry(&before, &before_module, &[ExecutionModel::VERTEX])?;

    // Prepare both, and make the variants.
    let target = rewrite.free.target(&before_entry, before_stage);
    let vertex = transform_feedback::prepare(&before_module, target, &of_vertex(rewrite))
        .map_err(|error| before.refused(&error, &before_module))?;
    let failed = |error| input.refused(&error, &module);
    let target = rewrite.target(&entry, stage)?;
    let options = rewrite.options();
    let before_layout = vertex.layout();
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
                let made = vertex.variant(transform_feedback::Variant::SpillOutputs);
                made.map_err(|error| before.refused(&error, &before_module))?.module.into_words()
            }
            Part::Captured(_) => {
                let message = "with --after, the variants are vertex, count, sum and raster";
                return Err(Failure::new(&code::CLI_USAGE, message));
            }
        };
        beside.push((file.as_path(), made));
    }

    // Write and report.
    let (layout, requirements) = (&capture.result, vertex.requirements());
    let result = Captured {
        layout,
        vertex: Vertex { layout: before_layout, params: vertex.params(), requirements },
    };
    let text = report::layout(layout);
    let report = Report::new(Lowering::Capture, (&entry, stage), &result, text)
        .needs(&capture.params, &capture.requirements)
        .drawn(
            "dispatches of vertex, of count, of one work group of sum, and of this shader, with barriers between them",
        );
    let beside: Vec<Beside<'_>> =
        beside.iter().map(|(file, words)| (*file, words.as_slice())).collect();
    writing.finish(input, &report, (module.words(), capture.module.words()), &beside)
}

/// Returns the options for the vertex stage, which stores all its outputs.
fn of_vertex(rewrite: &Rewrite) -> Options {
    let mut options = Options::new().compute().spill_outputs().topologies(Topology::ALL);
    if rewrite.one_instance {
        options = options.one_instance();
    }
    match rewrite.indexed {
        Some(index_type) => options.indexed(index_type),
        None => options,
    }
}
