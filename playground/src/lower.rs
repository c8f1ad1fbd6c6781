//! Lowers the stages of a pipeline, and returns the results and the data that the host needs.

use crate::plans::{self, Planned};
use crate::request::{of_module, of_text, shape};
use polyshade::host::{HostParams, Lowered, Requirements, Target};
use polyshade::recipe::{self, Made, Recipe};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{
    self, BufferRange, Draw, Layout, Options, ProvokingVertex, Topology, Variant,
};
use polyshade::{Error, Module};
use polyshade_formats::tools;
use polyshade_planner::Capture;
use serde::Deserialize;
use serde_json::{Value, json};

/// A request with the stages of a pipeline and the lowerings to run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// The words of each stage, in pipeline order.
    stages: Vec<Vec<u32>>,
    /// The lowerings as the user wrote them: [`Wanted`] as JSON.
    wanted: String,
    /// The number of vertices of the draw, which is a triangle list.
    vertices: u32,
    /// The size of each feedback buffer, in bytes.
    room: u32,
}

impl Asked {
    fn draw(&self) -> Draw {
        Draw {
            topology: Topology::TriangleList,
            provoking_vertex: ProvokingVertex::First,
            first_vertex: 0,
            vertex_count: self.vertices,
            first_instance: 0,
            instance_count: 1,
            draw_index: 0,
            indices: None,
        }
    }
}

/// The lowerings that the user wants for a pipeline.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Wanted {
    recipe: Recipe,
    /// A capture of the first stage in a compute stage. It is applied after the recipe and is not a part of it.
    dispatch: Option<Options>,
}

/// The result of lowering one stage.
struct Stage<'m> {
    before: &'m Module<'m>,
    module: Module<'m>,
    params: Vec<HostParams>,
    requirements: Vec<Requirements>,
    made: Made,
}

/// The layout of a capture, the host parameters of the draw, and the work groups if the capture is dispatched.
struct Stored {
    layout: Layout,
    params: HostParams,
    values: Vec<u32>,
    groups: Option<[u32; 3]>,
    planned: Capture,
}

pub(crate) fn lower(asked: &Asked) -> Result<Value, Value> {
    // Parse the options and the stages.
    let wanted: Wanted =
        serde_json::from_str(&asked.wanted).map_err(|error| of_text(&error, "options"))?;
    let modules = asked.stages.iter().map(|words| Module::parse(words));
    let modules: Vec<Module<'_>> =
        modules.collect::<Result<_, Error>>().map_err(|error| of_module(&error, None))?;
    let stages: Vec<(&Module<'_>, Target)> =
        modules.iter().map(|module| Ok((module, target(module)?))).collect::<Result<_, Value>>()?;
    // Lower the stages, then capture in a compute stage if the request contains such a capture.
    let lowered = recipe::lower(&stages, &wanted.recipe)
        .map_err(|error| of_module(&error, named(&error, &modules)))?;
    let mut stages: Vec<Stage<'_>> = modules.iter().zip(lowered).map(stage).collect();
    let stored = match wanted.dispatch {
        Some(options) => Some(dispatch(&mut stages, &options.compute(), asked)?),
        None => stored(&stages, asked)?,
    };

    let made = |stage: &Stage<'_>| stage.made.clone();
    // Plan the draw for every device preset.
    let planned = Planned {
        capture: stored.as_ref().map(|stored| stored.planned.clone()).or_else(|| {
            stages.iter().find_map(|stage| stage.made.decorated.as_ref().map(Capture::from))
        }),
        made: stages.iter().map(made).collect(),
        room: asked.room,
    };
    Ok(json!({
        "stages": stages.iter().map(stage_json).collect::<Result<Vec<_>, Value>>()?,
        "stored": stored.map(|stored| json!({
            "layout": stored.layout,
            "source": stored.params.source,
            "values": stored.values,
            "groups": stored.groups,
        })),
        "plans": plans::plans(&planned),
    }))
}

fn stage<'m>((before, lowered): (&'m Module<'m>, Lowered<'m, Made>)) -> Stage<'m> {
    let Lowered { module, params, requirements, result: made, .. } = lowered;
    Stage { before, module, params, requirements: vec![requirements], made }
}

/// Returns the first entry point of a module as the target of a lowering.
fn target(module: &Module<'_>) -> Result<Target, Value> {
    let entry = module.entry_points().next();
    let entry = entry.ok_or_else(|| json!({ "message": "the shader has no entry point" }))?;
    Ok(Target::new(entry.name()).stage(entry.model()))
}

/// Returns the module of the stage in which an error occurred.
fn named<'m>(error: &Error, modules: &'m [Module<'m>]) -> Option<&'m Module<'m>> {
    let stage = error.step()?.stage;
    modules
        .iter()
        .find(|module| module.entry_points().next().is_some_and(|entry| entry.model() == stage))
}

/// Replaces the vertex stage with a compute stage that captures its outputs.
fn dispatch(stages: &mut [Stage<'_>], options: &Options, asked: &Asked) -> Result<Stored, Value> {
    let stage =
        stages.first_mut().ok_or_else(|| json!({ "message": "the request has no stage" }))?;
    // The page does not show the module that is lowered here, so an error's offset in it would be useless.
    let refused = |error: Error| of_module(&error.without_place(), None);
    let target = target(&stage.module)?.stage(ExecutionModel::VERTEX);
    let prepared = transform_feedback::prepare(&stage.module, target, options).map_err(refused)?;
    let layout = prepared.layout().clone();
    let groups = layout.work_groups(&asked.draw()).map_err(refused)?;
    let planned = Capture::from(&prepared);
    let lowered = prepared.variant(Variant::CaptureOnly).map_err(refused)?.into_owned();
    let stored = Stored::new(layout, prepared.params(), planned, asked)?;
    stage.params.extend(lowered.params);
    stage.requirements.push(lowered.requirements);
    stage.module = lowered.module;
    Ok(Stored { groups: Some(groups), ..stored })
}

/// Returns the capture that the recipe made, if any.
fn stored(stages: &[Stage<'_>], asked: &Asked) -> Result<Option<Stored>, Value> {
    let found = stages.iter().find_map(|stage| Some((stage, stage.made.stored.as_ref()?)));
    let Some((stage, layout)) = found else { return Ok(None) };
    // The host parameters of every capture include one of these limits.
    let limits =
        |params: &&HostParams| ["size_0", "limit"].iter().any(|name| params.number(name).is_some());
    let params = stage.params.iter().find(limits);
    let (Some(params), Some(requirements)) = (params, stage.requirements.first()) else {
        return Ok(None);
    };
    let planned = Capture::stored(layout, params, requirements);
    Stored::new(layout.clone(), params, planned, asked).map(Some)
}

impl Stored {
    fn new(
        layout: Layout,
        params: &HostParams,
        planned: Capture,
        asked: &Asked,
    ) -> Result<Self, Value> {
        let range = BufferRange { size: asked.room, ..BufferRange::default() };
        let ranges = vec![range; layout.buffers.len()];
        let values =
            layout.host_params(&asked.draw(), &ranges).map_err(|error| of_module(&error, None))?;
        Ok(Self { layout, params: params.clone(), values, groups: None, planned })
    }
}

/// Describes a stage for the page.
fn stage_json(stage: &Stage<'_>) -> Result<Value, Value> {
    let [before, mut after] = [shape(stage.before)?, shape(&stage.module)?];
    let listing = |shape: &Value| shape["listing"].as_str().unwrap_or_default().to_owned();
    let difference = tools::difference(&listing(&before), &listing(&after));
    after["words"] = json!(stage.module.words());
    let entry = stage.module.entry_points().next();
    Ok(json!({
        "stage": entry.map(|entry| entry.model().to_string()),
        "entry": entry.map(|entry| entry.name()),
        "before": before,
        "after": after,
        "difference": difference,
        "host": stage.params,
        "requirements": stage.requirements,
        "made": stage.made,
    }))
}
