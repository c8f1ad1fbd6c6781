//! Plans draws that a compute stage captures.

use super::builder::PlanBuilder;
use super::device::Device;
use super::shader_runs::shader_runs;
use super::state::{Active, Capture, Draw, Path, Pipeline};
use super::steps::{Plan, Position, Rasterization, ShaderRuns, Step, Variant, VertexOrder};
use super::storage::{
    Stored, advance, binding_of_outputs, check_capture_alone, check_two_passes, write_counters,
};
use polyshade_spv::Error;

/// A dispatch that captures and, unless rasterization is off, a draw that rasterizes.
pub(super) fn plan(
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
    capture: &Capture,
    active: &Active,
) -> Result<Plan, Error> {
    let stored = Stored::new(device, pipeline, draw, (capture, active), Path::Compute)?;
    let shader_runs = shader_runs(device, pipeline, draw, stored.storage);
    let shader_runs = shader_runs.filter(|_| !pipeline.rasterizer_discard);
    let is_once = shader_runs.is_some_and(ShaderRuns::is_once);
    match pipeline.rasterizer_discard {
        true => check_capture_alone(pipeline)?,
        false if is_once => {}
        false => check_two_passes(pipeline)?,
    }

    let mut steps = PlanBuilder::new(device, pipeline, draw, Path::Compute);
    steps.shader_runs = shader_runs;
    steps.wait_before()?;
    // The host or the counter pass counts the queries, so no query begins on the device.
    steps.begin_queries(true)?;
    let outputs = binding_of_outputs(stored.storage).filter(|_| is_once);
    let bound: Vec<Step> = outputs.chain(stored.bound(&mut steps, capture, active)?).collect();
    if is_once {
        steps.dispatch(Variant::SpillOutputs, bound.clone())?;
        steps.pass_on(&bound)?;
    } else {
        steps.dispatch(Variant::CaptureOnly, bound)?;
        steps.wait_after_capture();
        if !pipeline.rasterizer_discard {
            steps.open_pass();
            steps.draw(Variant::RasterOnly, Position::Unchanged, Rasterization::On)?;
        }
    }
    advance(&mut steps, active, capture.buffers.len());
    steps.wait_after_reads()?;
    write_counters(&mut steps, draw, active);
    steps.finish(Some(Path::Compute), Some(VertexOrder::AsProvoked))
}
