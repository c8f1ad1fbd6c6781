//! Plans of draws that a compute stage captures.

use super::device::Device;
use super::draft::Draft;
use super::executions::executions;
use super::state::{Active, Capture, Draw, Path, Pipeline};
use super::steps::{Corners, Executions, Plan, Position, Rasterization, Step, Variant};
use super::storage::{
    Stored, advance, binding_of_outputs, check_capture_alone, check_two_passes, write_counters,
};
use polyshade_spv::Error;

/// A dispatch that captures, then, unless rasterization is off, a draw that rasterizes.
pub(super) fn plan(
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
    capture: &Capture,
    active: &Active,
) -> Result<Plan, Error> {
    let stored = Stored::new(device, pipeline, draw, (capture, active), Path::Compute)?;
    let executions = executions(device, pipeline, draw, stored.storage);
    let executions = executions.filter(|_| !pipeline.rasterizer_discard);
    let is_once = executions.is_some_and(Executions::is_once);
    match pipeline.rasterizer_discard {
        true => check_capture_alone(pipeline)?,
        false if is_once => {}
        false => check_two_passes(pipeline)?,
    }

    let mut steps = Draft::new(device, pipeline, draw, Path::Compute);
    steps.executions = executions;
    steps.wait_before()?;
    // The host or the keeper counts: there is none for the device to begin.
    steps.begin_queries(true)?;
    let outputs = binding_of_outputs(stored.storage).filter(|_| is_once);
    let bound: Vec<Step> = outputs.chain(stored.bound(&mut steps, capture, active)?).collect();
    if is_once {
        steps.dispatch(Variant::CaptureAll, bound.clone())?;
        steps.pass_on(&bound)?;
    } else {
        steps.dispatch(Variant::CaptureOnly, bound)?;
        steps.wait_after_capture();
        if !pipeline.rasterizer_discard {
            steps.open_pass();
            steps.draw(Variant::RasterOnly, Position::Kept, Rasterization::On)?;
        }
    }
    advance(&mut steps, active, capture.buffers.len());
    steps.wait_after_reads()?;
    write_counters(&mut steps, draw, active);
    steps.finish(Some(Path::Compute), Some(Corners::AsProvoked))
}
