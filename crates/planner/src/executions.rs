//! How often the shader of a draw runs that is captured and rasterized by two passes.
//!
//! Twice, the raster pass runs the shader again. Once, the capture pass stores all that vertices hand on, and the
//! raster pass reads it there: it [passes through](polyshade::transform_feedback::Options::pass_through) a buffer. What
//! either costs beyond what both have is, in instructions of a vertex shader,
//!
//! ```text
//! twice:  vertices × instructions
//! once:   vertices × (vertex + word × words) + draw
//! ```
//!
//! with the [rates](PassingCost) of the device. The plan says which it is, and why.

use super::device::{Device, PassingCost};
use super::state::{Active, Draw, Feedback, Keeper, PassState, Pipeline, Storage, StoredOutputs};
use super::steps::{Executions, Passing};
use polyshade::host::SideEffects;

/// The executions of a draw, where the variants leave a choice.
pub(super) fn executions(
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
    storage: &Storage,
) -> Option<Executions> {
    let outputs = storage.outputs.as_ref()?;
    if storage.indices.is_some_and(|indices| indices.restart) {
        return Some(Executions::TwiceAsRestarted);
    }
    if let Feedback::Active(Active { keeper: Keeper::Device, .. }) = &draw.feedback {
        return Some(Executions::TwiceAsCounted);
    }
    if draw.pass == PassState::Kept {
        return Some(Executions::TwiceAsKept);
    }
    if pipeline.side_effects == Some(SideEffects::Refuse) {
        return Some(Executions::OnceForStores);
    }
    let Some(shader) = pipeline.shader_cost else { return Some(Executions::TwiceAsUnknown) };
    let passing = self::passing(device.passing, outputs, shader);
    Some(match draw.vertices {
        _ if passing.from == 0 => Executions::TwiceAsCheap(passing),
        Some(vertices) if vertices < passing.from => Executions::TwiceAsSmall(passing),
        Some(_) | None => Executions::Once(passing),
    })
}

/// What is compared, for a shader that costs so much.
fn passing(cost: PassingCost, outputs: &StoredOutputs, shader: u32) -> Passing {
    let PassingCost { draw, vertex, word } = cost;
    let passing = vertex.saturating_add(word.saturating_mul(outputs.stride / 4));
    let saved = shader.saturating_sub(passing);
    let from = draw.checked_div(saved).map_or(0, |vertices| vertices.saturating_add(1));
    Passing { shader, passing, from }
}

/// The least vertices of a draw at which its plan is another than that of a smaller one.
pub(super) fn threshold(device: &Device, pipeline: &Pipeline) -> Option<u32> {
    let storage = pipeline.capture.as_ref().and_then(|capture| capture.storage.as_ref());
    let outputs = storage?.outputs.as_ref()?;
    let from = self::passing(device.passing, outputs, pipeline.shader_cost?).from;
    (from > 0).then_some(from)
}
