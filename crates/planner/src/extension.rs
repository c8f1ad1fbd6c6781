//! Plans of draws that `VK_EXT_transform_feedback` captures.

use super::builder::PlanBuilder;
use super::check;
use super::device::Device;
use super::state::{
    Active, Capture, Counter, Draw, Emitted, End, FeedbackBuffer, PassState, Path, Pipeline,
    Topology,
};
use super::steps::{Counters, FeedbackRange, Plan, Step, Variant, VertexOrder};
use crate::code;
use polyshade::host::TransformFeedback;
use polyshade::transform_feedback::ProvokingVertex;
use polyshade_spv::Error;

pub(super) fn plan(
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
    capture: &Capture,
    active: &Active,
) -> Result<Plan, Error> {
    let Some(has) = &device.transform_feedback else {
        return Err(Error::new(
            &code::PLAN_MISSING_FEATURE,
            "the device has no VK_EXT_transform_feedback",
        ));
    };
    check_streams(has, pipeline, capture)?;
    let vertex_order = vertex_order(device, pipeline)?;
    let ranges = ranges(device, active)?;
    if active.begin.is_running() && draw.pass == PassState::Outside {
        return Err(Error::new(
            &code::PLAN_CAPTURE_OUTSIDE_PASS,
            "the capture is active, but no render pass is active",
        ));
    }
    if pipeline.topology == Topology::LineLoop {
        return Err(Error::new(
            &code::PLAN_TOPOLOGY,
            "Vulkan cannot capture line loops; the storage path can",
        ));
    }

    let mut steps = PlanBuilder::new(device, pipeline, draw, Path::Extension);
    steps.wait_before()?;
    steps.count_on_device()?;
    steps.open_pass();
    let queries = steps.begin_queries(true)?;
    let (position, rasterization) = steps.rasterization();
    if active.begin.is_running() {
        // Neither a pipeline nor a buffer can be bound while capture runs. The bindings of the previous draw stay in
        // effect.
        let (_, call) = steps.assembled()?;
        steps.steps.push(Step::Draw(call));
    } else {
        steps.draw(Variant::Extension, position, rasterization)?;
        let at = steps.steps.len() - 1;
        let begin = counters(active, active.begin.counters())?;
        steps.steps.insert(at, Step::BeginFeedback(begin));
        steps.steps.insert(at, Step::BindFeedback(ranges));
    }
    if active.end != End::Running {
        steps.steps.push(Step::EndFeedback(counters(active, active.end.counters())?));
    }
    steps.end_queries(&queries);
    steps.wait_after()?;
    steps.finish(Some(Path::Extension), Some(vertex_order))
}

fn check_streams(
    has: &TransformFeedback,
    pipeline: &Pipeline,
    capture: &Capture,
) -> Result<(), Error> {
    let used = || capture.buffers.iter().filter(|buffer| buffer.stride > 0);
    check_sizes(has, capture)?;
    let last = used().map(|buffer| buffer.stream).max().unwrap_or(0);
    if last == 0 {
        return Ok(());
    }
    let Some(emitted) = pipeline.geometry else {
        return Err(Error::new(
            &code::PLAN_STREAM_STAGE,
            format!("cannot capture stream {last} without a geometry stage"),
        ));
    };
    if !has.geometry_streams {
        return Err(Error::new(
            &code::PLAN_MISSING_FEATURE,
            "the device has no geometry streams (geometryStreams)",
        ));
    }
    if last >= has.max_streams {
        let most = has.max_streams;
        let message = format!(
            "cannot capture stream {last}: the device supports {most} streams (maxTransformFeedbackStreams)"
        );
        return Err(Error::new(&code::PLAN_DEVICE_LIMIT, message));
    }
    if emitted != Emitted::Points && !has.streams_lines_triangles {
        let message = "the device cannot capture several streams of lines or triangles \
            (transformFeedbackStreamsLinesTriangles)";
        return Err(Error::new(&code::PLAN_MISSING_FEATURE, message));
    }
    Ok(())
}

/// Checks the number of buffers, and the vertex sizes per buffer and per stream.
fn check_sizes(has: &TransformFeedback, capture: &Capture) -> Result<(), Error> {
    let buffers = capture.buffers.as_slice();
    let most = |value: fn(&FeedbackBuffer) -> u32| buffers.iter().map(value).max().unwrap_or(0);
    let of_stream = |stream: u32| -> u64 {
        let own = buffers.iter().filter(|buffer| buffer.stream == stream);
        own.map(|buffer| u64::from(buffer.data())).sum()
    };
    let of_streams = buffers.iter().map(|buffer| of_stream(buffer.stream)).max().unwrap_or(0);
    let (strides, data) = (most(|buffer| buffer.stride), most(FeedbackBuffer::data));
    for (what, wanted, most, limit) in [
        ("feedback buffers", buffers.len() as u64, has.max_buffers, "Buffers"),
        ("bytes of stride", strides.into(), has.max_stride, "BufferDataStride"),
        ("bytes of a vertex in a buffer", data.into(), has.max_buffer_data, "BufferDataSize"),
        ("bytes of a vertex in a stream", of_streams, has.max_stream_data, "StreamDataSize"),
    ] {
        if wanted > u64::from(most) {
            let message =
                format!("{wanted} {what} exceed the limit of {most} (maxTransformFeedback{limit})");
            return Err(Error::new(&code::PLAN_DEVICE_LIMIT, message));
        }
    }
    Ok(())
}

/// Returns the vertex that is captured first. Vulkan leaves it undefined unless capture preserves the provoking
/// vertex.
fn vertex_order(device: &Device, pipeline: &Pipeline) -> Result<VertexOrder, Error> {
    let modes = device.provoking_vertex.unwrap_or_default();
    // Capture records the primitives that the last stage emits.
    let (points, kept) = match (pipeline.geometry, pipeline.topology) {
        (Some(emitted), _) => (emitted == Emitted::Points, modes.preserved_by_capture),
        (None, Topology::PointList) => (true, modes.preserved_by_capture),
        (None, Topology::TriangleFan) => (false, modes.preserved_by_capture_in_fans),
        (None, Topology::PatchList) => (false, false),
        (None, _) => (false, modes.preserved_by_capture),
    };
    if points {
        return Ok(VertexOrder::AsProvoked);
    }
    if pipeline.provoking_vertex == ProvokingVertex::Last && !modes.last {
        // The planner does not know the flat inputs, so rasterization may depend on the provoking vertex mode.
        if !pipeline.rasterizer_discard {
            let message = "the device cannot use the last vertex as the provoking vertex: if the pipeline has no flat \
                inputs, plan for the first vertex";
            return Err(Error::new(&code::PLAN_PROVOKING_VERTEX, message));
        }
        return Ok(VertexOrder::AnyRotation);
    }
    Ok(if kept { VertexOrder::AsProvoked } else { VertexOrder::AnyRotation })
}

/// The ranges to bind.
pub(super) fn ranges(
    device: &Device,
    active: &Active,
) -> Result<Vec<Option<FeedbackRange>>, Error> {
    let max_size = device.transform_feedback.map_or(0, |has| has.max_buffer_size);
    let range = |bound: &Option<_>| -> Result<Option<FeedbackRange>, Error> {
        let Some(bound) = bound else { return Ok(None) };
        let range = check::range(bound)?;
        if range.offset == bound.buffer_size {
            let message = "a range at the end of a buffer cannot be bound \
                (VUID-vkCmdBindTransformFeedbackBuffersEXT-pOffsets-02358)";
            return Err(Error::new(&code::PLAN_EMPTY_RANGE, message));
        }
        if range.size > max_size {
            let (size, most) = (range.size, max_size);
            return Err(Error::new(
                &code::PLAN_DEVICE_LIMIT,
                format!(
                    "a range of {size} bytes exceeds the limit of {most} (maxTransformFeedbackBufferSize)"
                ),
            ));
        }
        Ok(Some(range))
    };
    active.buffers.iter().map(range).collect()
}

/// Returns the counters up to the last existing counter. Vulkan allows at most as many counters as there are bound
/// buffers, so no counter can follow an unbound buffer, which has no counter.
fn counters(active: &Active, all: &[Option<Counter>]) -> Result<Counters, Error> {
    let is_bound = |number: usize| active.buffers.get(number).is_some_and(Option::is_some);
    let all = all.iter().enumerate();
    let mut counters: Vec<Option<Counter>> =
        all.map(|(number, counter)| counter.filter(|_| is_bound(number))).collect();
    let last = counters.iter().rposition(Option::is_some);
    counters.truncate(last.map_or(0, |last| last + 1));
    let bound = active.buffers.iter().flatten().count();
    if counters.len() > bound {
        let number = counters.len() - 1;
        let message = format!(
            "cannot use a counter for feedback buffer {number}: an earlier buffer is not bound \
                (VUID-vkCmdBeginTransformFeedbackEXT-firstCounter-09630)"
        );
        return Err(Error::new(&code::PLAN_COUNTER_AFTER_UNBOUND, message));
    }
    Ok(Counters { counters })
}
