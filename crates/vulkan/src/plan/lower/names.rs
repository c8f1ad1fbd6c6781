//! Converts the planner's stages, buffers, places, topologies and counts to this crate's types.

use super::Pending;
use crate::capabilities::Capabilities;
use crate::capture::dispatch_capture;
use crate::error::Error;
use crate::model::native_topology;
use crate::plan::PlannedDraw;
use crate::work::{Captured, Descriptor, Draw, Indices, Place, Range, Resource, Stage, Work};
use ash::vk;
use polyshade::host::{Binding, Set};
use polyshade::transform_feedback::{self, BufferRange};
use polyshade_planner::{Assembly, Counter, Counters, FeedbackRange, Query, StorageRange, Variant};

/// Replaces the shader of the last stage before rasterization by a variant, and returns the stage.
pub(super) fn captured_stage<'d, 'a>(
    planned: &PlannedDraw<'a>,
    draw: &'d mut Draw<'a>,
    variant: Variant,
) -> Result<&'d mut Stage<'a>, Error> {
    let given = planned.variants.iter().find(|(given, _)| *given == variant);
    let Some((_, words)) = given else {
        return Err(Error::Work(format!("the variant {variant:?} is missing")));
    };
    // The bits of the stage flags are in pipeline order.
    let stages = draw.stages.iter_mut();
    let before = stages.filter(|stage| stage.stage != vk::ShaderStageFlags::FRAGMENT);
    let Some(stage) = before.max_by_key(|stage| stage.stage.as_raw()) else {
        return Err(Error::work("a draw has no pre-rasterization stage"));
    };
    stage.words = words;
    Ok(stage)
}

/// Builds the dispatch that captures. The shader runs in a compute stage, with its own resources.
pub(super) fn bind_compute<'a>(
    pending: &Pending<'_, 'a>,
    variant: Variant,
) -> Result<Draw<'a>, Error> {
    let planned = pending.planned;
    let Some(capture) = planned.capture else {
        return Err(Error::work("the dispatched capture is missing"));
    };
    let mut draw = planned.draw.clone();
    let stages = vec![captured_stage(planned, &mut draw, variant)?.clone()];
    let Draw { descriptors, push_constants, addresses, .. } = draw;
    let mut draw = Draw { stages, descriptors, push_constants, addresses, ..Draw::default() };
    dispatch_capture(capture, &pending.numbers, &mut draw)?;
    Ok(draw)
}

/// Returns the result of a query that the host computes.
pub(super) fn count(
    numbers: &transform_feedback::Draw,
    planned: &PlannedDraw<'_>,
    ranges: &[BufferRange],
    query: Query,
) -> Result<Captured, Error> {
    let needed = numbers.primitives();
    match (query, planned.plan.path, planned.capture) {
        (Query::PrimitivesGenerated(_), _, _) => Ok(Captured { written: needed, needed }),
        (Query::Stream(0), Some(_), Some(capture)) => {
            let written = capture.layout.primitives_written(numbers, ranges)?;
            Ok(Captured { written, needed })
        }
        (Query::Stream(_), _, _) => Ok(Captured { written: 0, needed: 0 }),
    }
}

pub(super) fn bind_storage(
    pending: &mut Pending<'_, '_>,
    range: &StorageRange,
) -> Result<(), Error> {
    let buffer = feedback(pending.planned, range.buffer as usize)?;
    let bound = Range { buffer, offset: range.offset, size: range.size };
    bind(pending, bound, (range.set, range.binding))
}

/// Binds the application's index buffer as a storage buffer, from the last valid offset before index 0 to the end.
pub(super) fn bind_indices(
    pending: &mut Pending<'_, '_>,
    (device, work): (&Capabilities, &Work<'_>),
    set: Set,
    binding: Binding,
) -> Result<(), Error> {
    let Place { buffer, offset } = indices(pending.planned)?.place;
    let offset = offset - lead(device, offset);
    let end = work.buffers.get(buffer).map_or(0, |buffer| buffer.len() as u64);
    let range = Range { buffer, offset, size: end.saturating_sub(offset) };
    bind(pending, range, (set, binding))
}

/// Returns the number of bytes between `offset` and the last valid storage buffer offset before it.
pub(super) fn lead(device: &Capabilities, offset: u64) -> u64 {
    offset % device.limits.min_storage_buffer_offset_alignment.max(1)
}

pub(super) fn bind_segments(
    pending: &mut Pending<'_, '_>,
    set: Set,
    binding: Binding,
) -> Result<(), Error> {
    let range = pending.table.ok_or_else(without_indices)?;
    bind(pending, range, (set, binding))
}

/// Binds the buffer of spilled outputs, which is added for the draw.
pub(super) fn bind_outputs(
    pending: &mut Pending<'_, '_>,
    work: &mut Work<'_>,
    set: Set,
    binding: Binding,
) -> Result<(), Error> {
    let buffer = match pending.outputs {
        Some(buffer) => buffer,
        None => {
            let capture = pending.planned.capture;
            let capture =
                capture.ok_or_else(|| Error::work("the buffer of spilled outputs is missing"))?;
            let size = capture.layout.outputs_size(&pending.numbers)?;
            let size = usize::try_from(size.max(4))
                .map_err(|_| Error::work("the spilled outputs exceed the memory"))?;
            work.buffers.push(vec![0; size]);
            work.buffers.len() - 1
        }
    };
    pending.outputs = Some(buffer);
    let range = Range { buffer, offset: 0, size: work.buffers[buffer].len() as u64 };
    bind(pending, range, (set, binding))
}

fn bind(
    pending: &mut Pending<'_, '_>,
    range: Range,
    (set, binding): (Set, Binding),
) -> Result<(), Error> {
    let Some(draw) = &mut pending.bound else {
        return Err(Error::work("a buffer is bound without a pipeline"));
    };
    draw.descriptors.push(Descriptor::new(set.0, binding.0, Resource::StorageBuffer(range)));
    Ok(())
}

pub(super) fn indices(planned: &PlannedDraw<'_>) -> Result<Indices, Error> {
    planned.draw.indices.ok_or_else(without_indices)
}

pub(super) fn without_indices() -> Error {
    Error::work("a draw has no indices")
}

pub(super) fn feedback_ranges(
    planned: &PlannedDraw<'_>,
    ranges: &[Option<FeedbackRange>],
) -> Result<Vec<Option<Range>>, Error> {
    let range = |(number, range): (usize, &Option<FeedbackRange>)| {
        let Some(FeedbackRange { offset, size }) = range else { return Ok(None) };
        let buffer = feedback(planned, number)?;
        Ok(Some(Range { buffer, offset: *offset, size: *size }))
    };
    ranges.iter().enumerate().map(range).collect()
}

pub(super) fn feedback(planned: &PlannedDraw<'_>, number: usize) -> Result<usize, Error> {
    let buffer = planned.feedback.get(number).copied();
    buffer.ok_or_else(|| Error::Work(format!("feedback buffer {number} is missing")))
}

pub(super) fn places(counters: &Counters) -> Vec<Option<Place>> {
    counters.counters.iter().map(|counter| counter.as_ref().map(place)).collect()
}

pub(super) fn place(counter: &Counter) -> Place {
    Place { buffer: counter.buffer as usize, offset: counter.offset }
}

pub(super) fn topology(assembly: Assembly) -> Result<vk::PrimitiveTopology, Error> {
    let topology = match assembly {
        Assembly::Points => return Ok(vk::PrimitiveTopology::POINT_LIST),
        Assembly::AsDrawn(topology) | Assembly::Rewritten(topology) => topology,
    };
    match topology.captured() {
        Some(topology) => native_topology(topology).ok_or(Error::Missing("line loops")),
        None => Ok(vk::PrimitiveTopology::PATCH_LIST),
    }
}
