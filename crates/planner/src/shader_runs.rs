//! Decides how many times the shader runs if one pass captures a draw and another pass rasterizes it.
//!
//! If it runs twice, the raster pass repeats the shader. If it runs once, the capture pass [stores all
//! outputs](polyshade::transform_feedback::Options::spill_outputs) in a buffer, and the raster pass reads them. The
//! additional cost of each choice, in vertex shader instructions, is
//!
//! ```text
//! twice:  vertices × instructions
//! once:   vertices × (vertex + word × words) + draw
//! ```
//!
//! with the [rates](SpillCostModel) of the device. The plan contains the choice and its reason.

use super::device::{Device, SpillCostModel};
use super::state::{
    Active, CounterOwner, Draw, Feedback, PassState, Pipeline, Storage, StoredOutputs,
};
use super::steps::{ShaderRuns, SpillCost};
use polyshade::host::SideEffects;

/// Returns how many times the shader of a draw runs, if the variants support both one and two runs.
pub(super) fn shader_runs(
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
    storage: &Storage,
) -> Option<ShaderRuns> {
    let outputs = storage.outputs.as_ref()?;
    // Conditions that decide without the costs.
    if storage.indices.is_some_and(|indices| indices.restart) {
        return Some(ShaderRuns::TwiceForRestart);
    }
    if let Feedback::Active(Active { counter_owner: CounterOwner::Device, .. }) = &draw.feedback {
        return Some(ShaderRuns::TwiceForDeviceCount);
    }
    if draw.pass == PassState::Uninterruptible {
        return Some(ShaderRuns::TwiceForPass);
    }
    if pipeline.side_effects == Some(SideEffects::Refuse) {
        return Some(ShaderRuns::OnceForSideEffects);
    }
    let Some(shader) = pipeline.shader_cost else { return Some(ShaderRuns::TwiceForUnknownCost) };
    let cost = spill_cost(device.spill_cost, outputs, shader);
    Some(match draw.vertices {
        _ if cost.min_vertices == 0 => ShaderRuns::TwiceForCost(cost),
        Some(vertices) if vertices < cost.min_vertices => ShaderRuns::TwiceForSmallDraw(cost),
        Some(_) | None => ShaderRuns::OnceForCost(cost),
    })
}

/// Returns the costs to compare for a shader with `shader` instructions.
fn spill_cost(model: SpillCostModel, outputs: &StoredOutputs, shader: u32) -> SpillCost {
    let SpillCostModel { draw, vertex, word } = model;
    let spill = vertex.saturating_add(word.saturating_mul(outputs.stride / 4));
    let saved = shader.saturating_sub(spill);
    let min_vertices = draw.checked_div(saved).map_or(0, |vertices| vertices.saturating_add(1));
    SpillCost { shader, spill, min_vertices }
}

/// Returns the vertex count at which the plan of a draw changes.
pub(super) fn threshold(device: &Device, pipeline: &Pipeline) -> Option<u32> {
    let storage = pipeline.capture.as_ref().and_then(|capture| capture.storage.as_ref());
    let outputs = storage?.outputs.as_ref()?;
    let cost = spill_cost(device.spill_cost, outputs, pipeline.shader_cost?);
    (cost.min_vertices > 0).then_some(cost.min_vertices)
}
