//! What the device must have.

use super::Plan;
use crate::moves::{self, Sizes};
use crate::transform_feedback::layout::Stored;
use crate::transform_feedback::leaves::{Leaf, leaves};
use crate::transform_feedback::outputs::Outputs;
use crate::transform_feedback::requirements::{Limit, Requirements};
use polyshade_spv::view::{EntryPoint, Mode};
use polyshade_spv::{ExecutionMode, ExecutionModel, Module, Section};

pub(super) fn requirements(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    plan: &Plan,
    stores: &[Vec<Stored>],
) -> Requirements {
    let mut features = vec!["transformFeedback"];
    let has_streams = plan.streams.iter().any(|stream| *stream > 0);
    if has_streams {
        features.push("geometryStreams");
    }
    let mut limits = feedback_limits(plan, stores);
    if has_streams && !hands_on_points(m, entry) {
        limits.push(Limit { name: "transformFeedbackStreamsLinesTriangles", at_least: 1 });
    }
    limits.extend(output_limits(m, entry, plan));
    let extensions = vec!["VK_EXT_transform_feedback"];
    Requirements { extensions, features, limits, ..Requirements::default() }
}

/// The limits of the extension.
fn feedback_limits(plan: &Plan, stores: &[Vec<Stored>]) -> Vec<Limit> {
    let capturing = || (0_u32..).zip(stores).filter(|(_, stores)| !stores.is_empty());
    let buffers = capturing().map(|(number, _)| number + 1).max().unwrap_or(0);
    let strides = capturing().map(|(number, _)| plan.layout.buffers[number as usize].stride);
    let ends = stores.iter().flatten().map(|stored| (stored.word + stored.piece.words()) * 4);
    let streams = plan.streams.iter().max().map_or(1, |last| last.saturating_add(1));
    let data = |stream: u32| -> u32 {
        let of_stream = plan.streams.iter().zip(stores).filter(|(own, _)| **own == stream);
        of_stream.flat_map(|(_, stores)| stores).map(|stored| stored.piece.words() * 4).sum()
    };
    let data = plan.streams.iter().map(|stream| data(*stream)).max().unwrap_or(0);
    [
        ("maxTransformFeedbackBuffers", buffers),
        ("maxTransformFeedbackStreams", streams),
        ("maxTransformFeedbackBufferDataStride", strides.max().unwrap_or(0)),
        ("maxTransformFeedbackBufferDataSize", ends.max().unwrap_or(0)),
        ("maxTransformFeedbackStreamDataSize", data),
    ]
    .map(|(name, at_least)| Limit { name, at_least })
    .to_vec()
}

/// The limits of what a stage hands on.
fn output_limits(m: &Module<'_>, entry: EntryPoint<'_>, plan: &Plan) -> Vec<Limit> {
    let added = plan.shadows.iter().map(|shadow| shadow.location + 1).max().unwrap_or(0);
    let end = moves::end_of_output_locations(m, entry).max(added);
    let mut limits = vec![Limit::output_components(entry.model(), end)];
    if entry.model() == ExecutionModel::GEOMETRY {
        let vertices = modes(m, entry)
            .find(|mode| mode.mode() == ExecutionMode::OUTPUT_VERTICES)
            .and_then(|mode| mode.operands().first().copied())
            .unwrap_or(0);
        let at_least = vertices.saturating_mul(components(m, entry, plan));
        limits.push(Limit { name: "maxGeometryTotalOutputComponents", at_least });
    }
    limits
}

/// The components of a vertex, all outputs together.
fn components(m: &Module<'_>, entry: EntryPoint<'_>, plan: &Plan) -> u32 {
    let mut sizes = Sizes::new(m);
    let own = Outputs::of(m, entry).all.into_iter().map(|output| {
        match leaves(m, &output.part, "", None) {
            Ok(leaves) => leaves.iter().map(Leaf::words).sum(),
            // Of other sizes than 32 and 64 bits: no more than whole locations.
            Err(_) => sizes.locations(output.part.ty).saturating_mul(4),
        }
    });
    let added = plan.shadows.iter().map(|shadow| shadow.words());
    own.chain(added).fold(0, u32::saturating_add)
}

fn hands_on_points(m: &Module<'_>, entry: EntryPoint<'_>) -> bool {
    modes(m, entry).any(|mode| mode.mode() == ExecutionMode::OUTPUT_POINTS)
}

fn modes<'m>(m: &'m Module<'_>, entry: EntryPoint<'m>) -> impl Iterator<Item = Mode<'m>> {
    let modes = m.section(Section::ExecutionModes).filter_map(Mode::of);
    modes.filter(move |mode| mode.entry_point() == entry.function())
}
