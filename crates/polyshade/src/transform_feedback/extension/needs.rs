//! The features and limits that a capture by the extension needs.

use super::Plan;
use crate::code::{self, refuse};
use crate::host::{Extension, Feature, LimitName, Requirements, TransformFeedback};
use crate::rewrite::{self, Sizes};
use crate::transform_feedback::layout::BufferLayout;
use crate::transform_feedback::leaves::{Leaf, leaves};
use crate::transform_feedback::outputs::Outputs;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ExecutionMode, ExecutionModel, Module};

pub(super) fn requirements<'m>(
    m: &'m Module<'_>,
    entry: EntryPoint<'m>,
    outputs: &Outputs<'_>,
    plan: &Plan,
) -> Requirements {
    let mut needs = Requirements {
        extensions: vec![Extension::TransformFeedback],
        features: vec![Feature::TransformFeedback],
        ..Requirements::default()
    };
    need_feedback(&mut needs, plan);
    if plan.streams.iter().any(|stream| *stream > 0) {
        needs.features.push(Feature::GeometryStreams);
        if !hands_on_points(m, entry) {
            needs.need(LimitName::TransformFeedbackStreamsLinesTriangles, 1);
        }
    }
    need_outputs(&mut needs, m, entry, outputs, plan);
    needs
}

/// Adds the limits of the extension (Vulkan specification, "Runtime SPIR-V Validation"). The data size of a stream is
/// the sum of the data sizes per vertex in its buffers, including gaps.
fn need_feedback(needs: &mut Requirements, plan: &Plan) {
    let buffers = || plan.layout.buffers.iter().zip(&plan.streams);
    let capturing = || (1_u32..).zip(buffers()).filter(|(_, (buffer, _))| buffer.data > 0);
    let most = |value: fn(&BufferLayout) -> u32| {
        capturing().map(|(_, (buffer, _))| value(buffer)).max().unwrap_or(0)
    };
    let streams = plan.streams.iter().max().map_or(1, |last| last.saturating_add(1));
    let of_stream = |stream: u32| -> u32 {
        let own = buffers().filter(|(_, other)| **other == stream);
        own.map(|(buffer, _)| buffer.data).sum()
    };
    let of_streams = plan.streams.iter().map(|stream| of_stream(*stream)).max().unwrap_or(0);
    let last = capturing().map(|(end, _)| end).max().unwrap_or(0);
    needs.need(LimitName::MaxTransformFeedbackBuffers, last);
    needs.need(LimitName::MaxTransformFeedbackStreams, streams);
    needs.need(LimitName::MaxTransformFeedbackBufferDataStride, most(|buffer| buffer.stride));
    needs.need(LimitName::MaxTransformFeedbackBufferDataSize, most(|buffer| buffer.data));
    needs.need(LimitName::MaxTransformFeedbackStreamDataSize, of_streams);
}

/// Refuses requirements of the extension that the device does not meet.
pub(super) fn check(
    entry: EntryPoint<'_>,
    needs: &Requirements,
    has: &TransformFeedback,
) -> Result<(), Error> {
    if needs.features.contains(&Feature::GeometryStreams) && !has.geometry_streams {
        let message = format!("the device lacks {}", Feature::GeometryStreams);
        return refuse(&code::DEVICE_MISSING_FEATURE, message, entry.function());
    }
    for (name, at_least) in &needs.limits {
        let most = match name {
            LimitName::MaxTransformFeedbackBuffers => has.max_buffers,
            LimitName::MaxTransformFeedbackStreams => has.max_streams,
            LimitName::MaxTransformFeedbackBufferDataStride => has.max_stride,
            LimitName::MaxTransformFeedbackBufferDataSize => has.max_buffer_data,
            LimitName::MaxTransformFeedbackStreamDataSize => has.max_stream_data,
            LimitName::TransformFeedbackStreamsLinesTriangles if !has.streams_lines_triangles => {
                return refuse(
                    &code::DEVICE_MISSING_FEATURE,
                    format!("the device lacks {name}"),
                    entry.function(),
                );
            }
            _ => continue,
        };
        if *at_least > most {
            let message =
                format!("the capture needs {name} to be at least {at_least}, but it is {most}");
            return refuse(&code::DEVICE_LIMIT, message, entry.function());
        }
    }
    Ok(())
}

/// Adds the limits for the outputs of the stage.
fn need_outputs<'m>(
    needs: &mut Requirements,
    m: &'m Module<'_>,
    entry: EntryPoint<'m>,
    outputs: &Outputs<'_>,
    plan: &Plan,
) {
    let added = plan.shadows.iter().map(|shadow| shadow.location + 1).max().unwrap_or(0);
    let end = rewrite::end_of_output_locations(m, entry).max(added);
    needs.need_outputs(entry.model(), end);
    if entry.model() == ExecutionModel::GEOMETRY {
        let vertices = m
            .mode(entry.function(), ExecutionMode::OUTPUT_VERTICES)
            .and_then(|mode| mode.operands().first().copied())
            .unwrap_or(0);
        let at_least = vertices.saturating_mul(components(m, outputs, plan));
        needs.need(LimitName::MaxGeometryTotalOutputComponents, at_least);
    }
}

/// Returns the number of components of all outputs of a vertex.
fn components(m: &Module<'_>, outputs: &Outputs<'_>, plan: &Plan) -> u32 {
    let mut sizes = Sizes::new(m);
    let own = outputs.all.iter().map(|output| {
        match leaves(m, &output.part, "", None) {
            Ok(leaves) => leaves.iter().map(Leaf::words).sum(),
            // Components that are neither 32 nor 64 bits wide are counted as whole locations, an upper bound.
            Err(_) => sizes.locations(output.part.ty).saturating_mul(4),
        }
    });
    let added = plan.shadows.iter().map(|shadow| shadow.words());
    own.chain(added).fold(0, u32::saturating_add)
}

fn hands_on_points(m: &Module<'_>, entry: EntryPoint<'_>) -> bool {
    m.mode(entry.function(), ExecutionMode::OUTPUT_POINTS).is_some()
}
