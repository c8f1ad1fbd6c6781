//! Plans the draws, bindings and barriers for each of the planner's device presets.

use polyshade::Error;
use polyshade::advanced_blend::{Blending, ColorBlend};
use polyshade::recipe::Made;
use polyshade_planner::{
    self as planner, Active, AdvancedBlending, AttachmentBlending, Begin, BlendingState, Bound,
    Capture, CounterOwner, Device, Distances, Draw, End, Feedback, PassState, Pipeline, Preset,
    Use, Uses,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The data from which plans are made.
pub(crate) struct Planned {
    /// The capture, if any.
    pub(crate) capture: Option<Capture>,
    /// The results for the stages.
    pub(crate) made: Vec<Made>,
    /// The size of each feedback buffer, in bytes.
    pub(crate) room: u32,
}

/// Returns a plan for each preset, or the reason why there is no plan. Empty if the draw does not change.
pub(crate) fn plans(planned: &Planned) -> Vec<Value> {
    let blended = planned.made.iter().find_map(|made| made.blended.as_ref());
    let distances = planned.made.iter().find_map(|made| {
        let found = [&made.emulated, &made.masks, &made.planes].into_iter().flatten();
        let outputs = found.map(|one| one.outputs.counts());
        outputs.map(|counts| [counts.clip, counts.cull]).find(|outputs| *outputs != [0, 0])
    });
    let plan = |preset: Preset| {
        let device = Device::from(preset);
        let plan = match (&planned.capture, blended, distances) {
            (Some(capture), _, _) => of_capture(&device, planned, capture),
            (None, Some(blended), _) => of_blending(&device, blended),
            (None, None, Some(distances)) => of_distances(&device, distances),
            (None, None, None) => return None,
        };
        Some(match plan {
            Ok(plan) => json!({ "device": preset.name(), "plan": plan }),
            Err(error) => json!({ "device": preset.name(), "error": error.message() }),
        })
    };
    Preset::ALL.into_iter().filter_map(plan).collect()
}

/// Plans a draw in a render pass that captures vertices, and then a draw of the captured vertices.
fn of_capture(device: &Device, planned: &Planned, capture: &Capture) -> Result<Value, Error> {
    let bound = Bound { buffer: None, buffer_size: planned.room.into(), offset: 0, size: None };
    let buffers = capture.buffers.iter().map(|_| Some(bound)).collect();
    let active = Active {
        buffers,
        begin: Begin::default(),
        end: End::default(),
        counter_owner: CounterOwner::default(),
    };
    let pipeline = Pipeline { capture: Some(capture.clone()), ..Pipeline::default() };
    let draw = Draw {
        pass: PassState::Interruptible,
        feedback: Feedback::Active(active),
        next: Uses { captured: vec![Use::Vertices], ..Uses::default() },
        ..Draw::default()
    };
    let plan = planner::plan(device, &pipeline, &draw)?;
    let picture = planner::picture(device, &plan);
    Ok(json!({ "text": plan.to_string(), "picture": picture }))
}

fn of_blending(device: &Device, blended: &BTreeMap<u32, ColorBlend>) -> Result<Value, Error> {
    let last = blended.keys().next_back().map_or(0, |last| last + 1);
    let attachment = |location| blended.get(&location).map(attachment);
    let state = BlendingState {
        attachments: (0..last).map(attachment).collect(),
        ..BlendingState::default()
    };
    Ok(json!({ "text": planner::plan_blending(device, &state)?.to_string() }))
}

fn attachment(blend: &ColorBlend) -> AttachmentBlending {
    match blend.blending() {
        Blending::Equations(equations) => AttachmentBlending::Advanced(AdvancedBlending {
            equations: equations.clone(),
            overlap: blend.overlap_mode(),
            source: blend.source_alpha(),
            destination: blend.destination_alpha(),
            ..AdvancedBlending::default()
        }),
        Blending::FixedFunction(fixed_function) => {
            AttachmentBlending::FixedFunction(*fixed_function)
        }
        Blending::Logic(operation) => AttachmentBlending::Logic(*operation),
    }
}

fn of_distances(device: &Device, [clip, cull]: [u32; 2]) -> Result<Value, Error> {
    let distances = Distances { clip, cull, approximate: true, ..Distances::default() };
    let plan = planner::distances(device, &Pipeline::default(), &distances)?;
    Ok(json!({ "text": plan.to_string() }))
}
