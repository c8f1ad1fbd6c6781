//! A draw that `VK_EXT_transform_feedback` captures.

use super::check;
use super::device::{Device, TransformFeedback};
use super::draft::Draft;
use super::state::{
    Active, Begin, Capture, Counter, Draw, Emitted, End, PassState, Path, Pipeline, Topology,
};
use super::steps::{Corners, Counters, FeedbackRange, Plan, Step, Variant};
use super::{contradiction, unsupported};
use crate::transform_feedback::ProvokingVertex;
use polyshade_spv::Error;

pub(super) fn plan(
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
    capture: &Capture,
    active: &Active,
) -> Result<Plan, Error> {
    let Some(has) = &device.transform_feedback else {
        return Err(unsupported("the device has no VK_EXT_transform_feedback"));
    };
    check_streams(has, pipeline, capture)?;
    let corners = corners(device, pipeline)?;
    let ranges = ranges(has, active)?;
    if active.begin.is_running() && draw.pass == PassState::Outside {
        return Err(contradiction("capture runs inside a pass, and none is open"));
    }
    if pipeline.topology == Topology::LineLoop {
        return Err(unsupported("Vulkan has no line loops to capture; the storage path has"));
    }

    let mut steps = Draft::new(device, pipeline, draw, Path::Extension);
    steps.wait_before()?;
    if pipeline.rasterizer_discard {
        steps.open_small_pass();
    } else {
        steps.open_application_pass();
    }
    let queries = steps.begin_queries(true)?;
    let (position, rasterization) = steps.rasterization();
    if active.begin.is_running() {
        // Neither a pipeline nor a buffer can be bound now: those of the draw before go on.
        let call = steps.call()?;
        steps.steps.push(Step::Draw(call));
    } else {
        steps.draw(Variant::Extension, position, rasterization)?;
        let at = steps.steps.len() - 1;
        let begin = counters(active.begin.counters());
        steps.steps.insert(at, Step::BeginFeedback(begin));
        steps.steps.insert(at, Step::BindFeedback(ranges));
    }
    if active.end != End::Running {
        steps.steps.push(Step::EndFeedback(counters(active.end.counters())));
    }
    steps.end_queries(&queries);
    steps.wait_after()?;
    steps.finish(Some(Path::Extension), Some(corners))
}

fn check_streams(
    has: &TransformFeedback,
    pipeline: &Pipeline,
    capture: &Capture,
) -> Result<(), Error> {
    let used = || capture.buffers.iter().filter(|buffer| buffer.stride > 0);
    let (buffers, most) = (capture.buffers.len(), has.max_buffers);
    if buffers > most as usize {
        return Err(unsupported(format!("{buffers} feedback buffers, only {most}")));
    }
    if let Some(buffer) = used().find(|buffer| buffer.stride > has.max_stride) {
        let message = format!("a stride of {} bytes, only {}", buffer.stride, has.max_stride);
        return Err(unsupported(message));
    }
    let last = used().map(|buffer| buffer.stream).max().unwrap_or(0);
    if last == 0 {
        return Ok(());
    }
    let Some(emitted) = pipeline.geometry else {
        return Err(contradiction(format!("stream {last} without a geometry stage")));
    };
    if !has.geometry_streams {
        return Err(unsupported("the device has no geometry streams"));
    }
    if last >= has.max_streams {
        return Err(unsupported(format!("stream {last}, only {} streams", has.max_streams)));
    }
    if emitted != Emitted::Points && !has.streams_lines_triangles {
        return Err(unsupported("several streams of anything but points"));
    }
    Ok(())
}

/// Which corner comes first: Vulkan leaves it open unless the device says that capture keeps the provoking vertex.
fn corners(device: &Device, pipeline: &Pipeline) -> Result<Corners, Error> {
    let modes = device.provoking_vertex.unwrap_or_default();
    if pipeline.provoking_vertex == ProvokingVertex::Last && !modes.last {
        return Err(unsupported("the device has no provoking vertex mode for the last vertex"));
    }
    let preserved = match pipeline.topology {
        Topology::TriangleFan => modes.preserved_by_capture_in_fans,
        Topology::PatchList => false,
        Topology::PointList => true,
        _ => modes.preserved_by_capture,
    };
    Ok(if preserved { Corners::AsProvoked } else { Corners::AnyRotation })
}

fn ranges(has: &TransformFeedback, active: &Active) -> Result<Vec<Option<FeedbackRange>>, Error> {
    let range = |bound: &Option<_>| -> Result<Option<FeedbackRange>, Error> {
        let Some(bound) = bound else { return Ok(None) };
        let range = check::range(bound)?;
        if range.size > has.max_buffer_size {
            let message = format!("a range of {} bytes, only {}", range.size, has.max_buffer_size);
            return Err(unsupported(message));
        }
        Ok(Some(range))
    };
    active.buffers.iter().map(range).collect()
}

/// The counters from the first to the last that there is.
fn counters(all: &[Option<Counter>]) -> Counters {
    let Some(first) = all.iter().position(Option::is_some) else { return Counters::default() };
    let last = all.iter().rposition(Option::is_some).unwrap_or(first);
    Counters { first: first as u32, counters: all[first..=last].to_vec() }
}

impl Begin {
    /// The counters to begin at.
    pub(super) fn counters(&self) -> &[Option<Counter>] {
        match self {
            Self::Resume(counters) => counters,
            Self::Anew | Self::Running => &[],
        }
    }

    pub(super) fn is_running(&self) -> bool {
        *self == Self::Running
    }
}

impl End {
    /// The counters to save to.
    pub(super) fn counters(&self) -> &[Option<Counter>] {
        match self {
            Self::Save(counters) => counters,
            Self::Forget | Self::Running => &[],
        }
    }
}
