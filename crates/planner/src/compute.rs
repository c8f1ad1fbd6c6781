//! Plans of draws that a compute stage captures.

use super::device::Device;
use super::draft::Draft;
use super::state::{Active, Capture, Draw, Keeper, Path, Pipeline};
use super::steps::{Corners, Plan, Position, Rasterization, Variant};
use super::storage::{Stored, advance, check_capture_alone, check_two_passes, write_counters};
use super::unsupported;
use polyshade_spv::Error;

/// A dispatch that captures, then, unless rasterization is off, a draw that rasterizes.
pub(super) fn plan(
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
    capture: &Capture,
    active: &Active,
) -> Result<Plan, Error> {
    if active.keeper == Keeper::Device {
        let message = "the device keeps the counters of captures that are drawn, not of those that are dispatched";
        return Err(unsupported(message));
    }
    match pipeline.rasterizer_discard {
        true => check_capture_alone(pipeline)?,
        false => check_two_passes(pipeline)?,
    }
    let stored = Stored::new(device, pipeline, draw, (capture, active), Path::Compute)?;

    let mut steps = Draft::new(device, pipeline, draw, Path::Compute);
    steps.wait_before()?;
    // The host counts: there is none for the device to begin.
    steps.begin_queries(true)?;
    steps.dispatch(stored.bound_by_host())?;
    steps.wait_after_capture();
    if !pipeline.rasterizer_discard {
        steps.open_pass();
        steps.draw(Variant::RasterOnly, Position::Kept, Rasterization::On)?;
    }
    advance(&mut steps, active, capture.buffers.len());
    steps.wait_after_reads()?;
    write_counters(&mut steps, draw, active);
    steps.finish(Some(Path::Compute), Some(Corners::AsProvoked))
}
