//! Capture by the extension: compares the driver's transform feedback captures of the decorated shader.

use crate::cases::{self, Case};
use crate::compare;
use crate::initialise::without_feedback;
use crate::layout::{self, Buffer};
use crate::recording::{Recording, u32s};
use crate::run::{Original, Task, Variant, is_not_about_points};
use crate::stores::check_strides;
use crate::verdict::{Equal, Part, Stop, Verdict, broken, not_comparable};
use crate::{Captured, Phase};
use polyshade::host::{LimitName, Lowered};
use polyshade::spv::{Capability, Decoration, ExecutionMode, StorageClass};
use polyshade::transform_feedback::{self, Decorated};
use polyshade::{Error, Module};
use polyshade_vulkan::model::Topology;
use polyshade_vulkan::{
    Capabilities, Place, ProvokingVertex, Range, TransformFeedback, TransformFeedbackCapabilities,
    Work,
};

/// Compares the driver's captures with the recorded outputs of the original.
pub(crate) fn verify(task: &Task<'_>, captured: &Captured<'_>) -> Result<Verdict, Error> {
    let Captured { target, options, asked } = captured;
    let decorated = transform_feedback::decorate(task.original, *target, options)?;
    let device = task.device.capabilities();
    let Some(has) = device.transform_feedback else {
        let why = "the device lacks VK_EXT_transform_feedback";
        return Ok(Verdict::NotComparable(why.to_owned()));
    };
    if let Some(why) = task.is_not_recorded().or_else(|| lacks(&decorated, device, has)) {
        return Ok(Verdict::NotComparable(why));
    }
    Ok(task.each_seed(|seed| {
        let original = Original::new(task, seed)?;
        let layout = layout::lay_out(&original.leaves, asked).map_err(not_comparable)?;
        ExtensionRun { original, decorated: &decorated, layout }.compare()
    }))
}

/// Returns a requirement that the device does not meet.
fn lacks(
    decorated: &Lowered<'_, Decorated>,
    device: &Capabilities,
    has: TransformFeedbackCapabilities,
) -> Option<String> {
    let limit = |name| match name {
        LimitName::MaxTransformFeedbackBuffers => Some(has.max_buffers),
        LimitName::MaxTransformFeedbackStreams => Some(has.max_streams),
        LimitName::MaxTransformFeedbackBufferDataStride => Some(has.max_buffer_data_stride),
        LimitName::MaxTransformFeedbackBufferDataSize => Some(has.max_buffer_data_size),
        LimitName::MaxTransformFeedbackStreamDataSize => Some(has.max_stream_data_size),
        LimitName::MaxVertexOutputComponents => Some(device.limits.max_vertex_output_components),
        _ => None,
    };
    let mut limits = decorated.requirements.limits.iter();
    let (name, at_least) = limits
        .find(|(name, at_least)| limit(**name).is_some_and(|offered| offered < **at_least))?;
    Some(format!("the device does not support {name} = {at_least}"))
}

/// Returns why the driver's captures are known to be wrong and cannot be compared.
fn known_wrong(device: &Capabilities, m: &Module<'_>, layout: &[Buffer]) -> Option<&'static str> {
    if !device.device.contains("llvmpipe") {
        return None;
    }
    let both = [Capability::CLIP_DISTANCE, Capability::CULL_DISTANCE];
    if both.into_iter().all(|capability| m.has_capability(capability)) {
        Some("lavapipe is known to capture wrongly if a shader has clip and cull distances")
    } else if layout.iter().any(|buffer| buffer.stride >= LARGEST) {
        Some("lavapipe is known to capture vertices of 512 bytes wrongly")
    } else {
        None
    }
}

/// The size in bytes from which lavapipe captures vertices wrongly.
const LARGEST: u32 = 512;

struct ExtensionRun<'r> {
    original: Original<'r>,
    decorated: &'r Lowered<'r, Decorated>,
    layout: Vec<Buffer>,
}

impl ExtensionRun<'_> {
    fn compare(&self) -> Result<Equal, Stop> {
        let (original, task) = (&self.original, self.original.task);
        let device = task.device.capabilities();
        if let Some(why) = known_wrong(device, &self.decorated.module, &self.layout) {
            return Err(not_comparable(why));
        }
        check_strides(&self.decorated.result.layout, &self.layout)?;
        self.check_requirements()?;
        let mut equal = Equal::default();

        (task.report)(Phase::Original);
        let recordings = original.record(&mut equal)?;

        // The decorated shader, captured by the driver.
        let part = Part::Lowered;
        let module = task.variant(part, &self.decorated.module)?;
        self.check_decorations(&module)?;
        (task.report)(Phase::Rewritten);
        self.compare_captures(&module, &recordings, &mut equal)?;
        task.check_messages(part, is_not_about_points)?;

        (task.report)(Phase::Rewritten);
        // The shader's outputs must not change, but it may have additional outputs with copies.
        let plain = without_feedback(&module).map_err(|error| broken(part, error))?;
        let (inputs, wanted) = (&original.inputs, original.leaves.as_slice());
        let variant = Variant { part, module: &plain, inputs, wanted };
        equal.words += original.compare_outputs(variant, &recordings, |_| Ok(()), |_, _, _| {})?;
        task.check_messages(part, is_not_about_points)?;
        Ok(equal)
    }

    /// Checks that the module declares the capture, and that all outputs captured to a buffer have the buffer's
    /// stride (`VUID-StandaloneSpirv-Offset-04716`). A driver may read the stride of any output.
    fn check_decorations(&self, m: &Module<'_>) -> Result<(), Stop> {
        let Task { job, .. } = self.original.task;
        let wrong = |message: String| Err(broken(Part::Lowered, message));
        let entry =
            m.entry_point(job.entry, job.stage).map_err(|error| broken(Part::Lowered, error))?;
        if m.mode(entry.function(), ExecutionMode::XFB).is_none() {
            return wrong("it has no execution mode Xfb".to_owned());
        }
        let variables = m.variables().filter(|one| one.storage_class() == StorageClass::OUTPUT);
        for variable in variables.map(|one| one.result()) {
            let block = m.pointee(variable).map(|ty| m.innermost_element(ty));
            for id in [Some(variable), block].into_iter().flatten() {
                let all = |decoration| {
                    let of_id =
                        m.decorations_of(id).filter(move |one| one.decoration == decoration);
                    of_id.filter_map(|one| Some((one.member, *one.operands.first()?)))
                };
                for (member, buffer) in all(Decoration::XFB_BUFFER) {
                    let mut strides = all(Decoration::XFB_STRIDE);
                    let stride = strides.find(|one| one.0 == member).map_or(0, |one| one.1);
                    let right = self.layout.get(buffer as usize).map_or(0, |one| one.stride);
                    if stride != right {
                        return wrong(format!(
                            "an output for feedback buffer {buffer} declares a stride of {stride}, not {right}"
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks that the requirements name exactly the number of buffers and the largest stride of the capture.
    fn check_requirements(&self) -> Result<(), Stop> {
        let strides = compare::strides(&self.layout);
        let buffers = strides.iter().rposition(|stride| *stride > 0).map_or(0, |last| last + 1);
        let stride = strides.into_iter().max().unwrap_or(0);
        let right = [
            (LimitName::MaxTransformFeedbackBuffers, buffers as u32),
            (LimitName::MaxTransformFeedbackBufferDataStride, stride),
        ];
        for (name, at_least) in right {
            let found = self.decorated.requirements.limits.get(&name).copied();
            if found != Some(at_least) {
                let found = found.unwrap_or(0);
                let message = format!("the requirements give {name} as {found}, not {at_least}");
                return Err(broken(Part::Host, message));
            }
        }
        Ok(())
    }

    /// Returns the cases in which the order of captured vertices is defined.
    fn cases(&self) -> Vec<Case> {
        let mut cases = cases::cases(&self.original.placements);
        // The driver must get valid parameters.
        cases.retain(|case| !case.is_misstated());
        let capabilities = self.original.task.device.capabilities();
        let has = capabilities.provoking_vertex;
        cases.retain(|case| {
            let is_ordered = match case.topology {
                // Vulkan has no line loops.
                Topology::LineLoop => false,
                _ if case.has_adjacency() => false,
                Topology::TriangleFan => {
                    capabilities.triangle_fans()
                        && has.is_some_and(|has| has.preserved_by_capture_in_fans)
                }
                Topology::TriangleList | Topology::TriangleStrip => {
                    has.is_some_and(|has| has.preserved_by_capture)
                }
                _ => true,
            };
            let has_last = has.is_some_and(|has| has.last);
            let is_mode = has_last || case.provoking_vertex == ProvokingVertex::First;
            let can_be_empty = case.room != cases::Room::None || !self.layout.iter().any(is_least);
            is_ordered && is_mode && can_be_empty
        });
        cases
    }

    fn compare_captures(
        &self,
        module: &Module<'_>,
        recordings: &[Recording],
        equal: &mut Equal,
    ) -> Result<(), Stop> {
        let (original, cases) = (&self.original, self.cases());
        let work = original.inputs.work(&cases, |case: &Case, inputs, work| {
            let mut draw = original.draw(module.words(), case.placement);
            draw.topology = cases::topology(case.topology);
            draw.provoking_vertex = case.provoking_vertex;
            inputs.give(&mut draw);
            draw.transform_feedback = Some(self.bind(case, work));
            draw
        });
        let outcome = original.task.run(Part::Lowered, &work)?;

        // Compare captured words, then counts and counters.
        let comparison = original.comparison(Part::Lowered, &self.layout, &original.leaves);
        for (case, (draw, counts)) in cases.iter().zip(work.draws.iter().zip(&outcome.captured)) {
            let expected = comparison.expect(case, case.recording(recordings));
            let bound = draw.transform_feedback.as_ref().expect("each case is captured");
            let found = bound.buffers.iter().map(|range| &outcome.buffers[range.buffer]);
            comparison.buffers(&expected, found, equal)?;
            let place = bound.pause.expect("every draw has a counter buffer");
            let counters = u32s(&outcome.buffers[place.buffer]).into_iter();
            let counts = counts.expect("each case is captured");
            comparison.counts(&expected, counts, counters)?;
        }
        Ok(())
    }

    fn bind(&self, case: &Case, work: &mut Work<'_>) -> TransformFeedback {
        let (mut feedback, mut counters) = (TransformFeedback::default(), Vec::new());
        for buffer in case.buffers(&compare::strides(&self.layout)) {
            let range = Range {
                buffer: work.buffers.len(),
                offset: buffer.range.start as u64,
                size: buffer.range.len().max(LEAST as usize) as u64,
            };
            work.buffers.push(buffer.memory);
            feedback.buffers.push(range);
            counters.extend((buffer.reached as u32).to_ne_bytes());
        }
        let place = Place { buffer: work.buffers.len(), offset: 0 };
        feedback.resume = (case.room == cases::Room::Resumed).then_some(place);
        feedback.pause = Some(place);
        work.buffers.push(counters);
        feedback
    }
}

/// The size in bytes of the smallest range that can be bound. It replaces an empty range.
const LEAST: u32 = 4;

/// Whether one captured vertex fits into the smallest range. lavapipe ignores the gap after the vertex.
fn is_least(buffer: &Buffer) -> bool {
    let ends = buffer.pieces.iter().map(|piece| piece.offset + 4 * piece.count);
    ends.max() == Some(LEAST)
}
