//! Checks of the state that do not depend on the mechanism.

use super::counter_pass;
use super::device::{Api, Device};
use super::state::{
    Active, Bound, Call, Capture, Counter, Draw, Feedback, Pipeline, Query, STORAGE_BUFFERS,
    Topology,
};
use super::steps::FeedbackRange;
use crate::code;
use polyshade::transform_feedback::{MAX_BUFFERS, MAX_STRIDE};
use polyshade_spv::Error;

/// The maximum length of a list in the state, far above any real need.
const MOST_ENTRIES: usize = 64;

/// Rejects states that contradict themselves, and states that no mechanism can capture.
pub(super) fn state(device: &Device, pipeline: &Pipeline, draw: &Draw) -> Result<(), Error> {
    if device.api != Api::Vulkan && device.transform_feedback.is_some() {
        let message = format!("{} has no VK_EXT_transform_feedback", device.api.name());
        return Err(Error::new(&code::PLAN_INVALID_DEVICE, message));
    }
    patches(pipeline)?;
    // The lists of uses: first the lengths, then the contents.
    let lists = [&draw.reads, &draw.before.captured, &draw.before.counters];
    let lists = lists.into_iter().chain([&draw.next.captured, &draw.next.counters]);
    let lists = lists.chain([&draw.before.inputs, &draw.next.inputs]);
    if lists.map(Vec::len).chain([draw.queries.len()]).any(|length| length > MOST_ENTRIES) {
        return Err(Error::new(
            &code::PLAN_TOO_MANY_ENTRIES,
            format!("a list has more than {MOST_ENTRIES} entries"),
        ));
    }
    let captured = draw.reads.iter().chain(&draw.before.captured).chain(&draw.next.captured);
    let captured = captured.chain(&draw.before.inputs).chain(&draw.next.inputs);
    if let Some(one) = captured.into_iter().find(|one| one.is_of_counters()) {
        return Err(Error::new(
            &code::PLAN_INVALID_ACCESS,
            format!("{one:?} accesses counters, not captured data"),
        ));
    }
    for (index, query) in draw.queries.iter().enumerate() {
        if draw.queries[..index].contains(query) {
            return Err(Error::new(
                &code::PLAN_DUPLICATE_QUERY,
                format!("{query:?} is listed twice"),
            ));
        }
    }
    // The counter from which the vertex count is computed.
    if let Call::ByteCount(count) = &draw.call {
        self::counter_offset(count.counter.offset)?;
        if count.stride == 0 || !count.stride.is_multiple_of(4) {
            let message = format!(
                "the vertex stride of {} bytes is not a positive multiple of 4",
                count.stride
            );
            return Err(Error::new(&code::PLAN_INVALID_BYTE_COUNT, message));
        }
        self::counter_offset(count.counter_offset.into())?;
    }
    if let Some(capture) = &pipeline.capture {
        self::capture(capture)?;
    }
    match &draw.feedback {
        Feedback::Active(active) => {
            counted_apart(&draw.call, active)?;
            self::active(pipeline, active)
        }
        Feedback::Inactive | Feedback::Paused => Ok(()),
    }
}

/// Rejects patch lists without tessellation stages, and the reverse.
pub(super) fn patches(pipeline: &Pipeline) -> Result<(), Error> {
    if (pipeline.topology == Topology::PatchList) != pipeline.tessellation {
        let message = "patch lists and tessellation stages require each other";
        return Err(Error::new(&code::PLAN_PATCHES, message));
    }
    Ok(())
}

/// Rejects draws that save the same counter from which their vertex count is computed. The device would read and
/// write the counter without a barrier in between.
fn counted_apart(call: &Call, active: &Active) -> Result<(), Error> {
    match call {
        Call::ByteCount(count) if active.end.counters().contains(&Some(count.counter)) => {
            let Counter { buffer, offset } = count.counter;
            Err(Error::new(
                &code::PLAN_COUNTER_IN_USE,
                format!(
                    "cannot save counter ({buffer}, {offset}): it gives the vertex count of the same draw"
                ),
            ))
        }
        Call::ByteCount(_)
        | Call::Vertices
        | Call::Indexed
        | Call::Indirect
        | Call::IndexedIndirect => Ok(()),
    }
}

fn capture(capture: &Capture) -> Result<(), Error> {
    if capture.buffers.len() > MAX_BUFFERS {
        let message = format!(
            "cannot capture to {} feedback buffers: the limit is {MAX_BUFFERS}",
            capture.buffers.len()
        );
        return Err(Error::new(&code::PLAN_TOO_MANY_BUFFERS, message));
    }
    if capture.buffers.iter().all(|buffer| buffer.stride == 0) {
        return Err(Error::new(
            &code::PLAN_NOTHING_CAPTURED,
            "no feedback buffer captures anything",
        ));
    }
    let odd = |stride: u32| !stride.is_multiple_of(4) || stride > MAX_STRIDE;
    for (number, buffer) in capture.buffers.iter().enumerate() {
        let (stride, data) = (buffer.stride, buffer.data());
        if odd(stride) {
            return Err(Error::new(
                &code::PLAN_INVALID_STRIDE,
                format!(
                    "the stride of buffer {number}, {stride} bytes, is not a multiple of 4 up to {MAX_STRIDE}"
                ),
            ));
        }
        if data > stride {
            return Err(Error::new(
                &code::PLAN_INVALID_STRIDE,
                format!("a vertex takes {data} bytes of buffer {number}, whose stride is {stride}"),
            ));
        }
    }
    Ok(())
}

fn active(pipeline: &Pipeline, active: &Active) -> Result<(), Error> {
    if pipeline.multiview {
        return Err(Error::new(
            &code::PLAN_MULTIVIEW,
            "cannot capture in a render pass with several views",
        ));
    }
    let buffers = pipeline.capture.as_ref().map_or(0, |capture| capture.buffers.len());
    let (begun, ended) = (active.begin.counters(), active.end.counters());
    if active.buffers.len() > MAX_BUFFERS || begun.len().max(ended.len()) > buffers {
        let message = format!(
            "{} buffers and {} counters are given, but the pipeline captures to {buffers} feedback buffers",
            active.buffers.len(),
            begun.len().max(ended.len())
        );
        return Err(Error::new(&code::PLAN_BUFFER_COUNT, message));
    }
    for counter in begun.iter().chain(ended).flatten() {
        counter_offset(counter.offset)?;
    }
    for bound in active.buffers.iter().flatten() {
        self::range(bound)?;
    }
    Ok(())
}

/// Rejects devices without buffer addresses that have too few storage buffers for the counter pass. All Metal devices
/// have enough. Their limit in [`Device`] is the number that the vertex stage leaves free, so it is not checked here.
pub(super) fn check_counter_pass(device: &Device) -> Result<(), Error> {
    let (most, needed) = (device.max_storage_buffers, counter_pass::BUFFERS);
    if device.api == Api::Metal || most >= needed {
        return Ok(());
    }
    let message = "cannot run the counter pass without buffer addresses: its shaders need";
    Err(Error::new(
        &code::PLAN_DEVICE_LIMIT,
        format!(
            "{message} {needed} storage buffers, but the device supports {most} ({STORAGE_BUFFERS})"
        ),
    ))
}

fn counter_offset(offset: u64) -> Result<(), Error> {
    if offset.is_multiple_of(4) {
        return Ok(());
    }
    let message = format!("the counter offset {offset} is not a multiple of 4");
    Err(Error::new(&code::PLAN_COUNTER_MISALIGNED, message))
}

/// Returns the bound feedback range. Without an explicit size, the range is the rest of the buffer.
pub(super) fn range(bound: &Bound) -> Result<FeedbackRange, Error> {
    let Bound { buffer_size, offset, size, .. } = *bound;
    let Some(left) = buffer_size.checked_sub(offset) else {
        let message =
            format!("the range begins at byte {offset} of a buffer of {buffer_size} bytes");
        return Err(Error::new(&code::PLAN_RANGE_OUT_OF_BOUNDS, message));
    };
    // Vulkan requires a multiple of 4, but the size of the buffer may not be a multiple of 4.
    let size = size.unwrap_or(left - left % 4);
    if size > left {
        let message = format!(
            "the range has {size} bytes, but only {left} bytes are left of a buffer of {buffer_size}"
        );
        return Err(Error::new(&code::PLAN_RANGE_OUT_OF_BOUNDS, message));
    }
    if !offset.is_multiple_of(4) || !size.is_multiple_of(4) {
        let message =
            format!("the range of {size} bytes from byte {offset} is not in multiples of 4 bytes");
        return Err(Error::new(&code::PLAN_RANGE_MISALIGNED, message));
    }
    Ok(FeedbackRange { offset, size })
}

/// Returns the stream that a query counts.
pub(super) fn stream(query: Query) -> u32 {
    match query {
        Query::Stream(stream) | Query::PrimitivesGenerated(stream) => stream,
    }
}
