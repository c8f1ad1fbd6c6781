//! Capture by the extension: what the driver's own transform feedback captures of the shader that was decorated.

use crate::cases::{self, Case};
use crate::compare::{self, Recording, Shape, select};
use crate::initialise::without_feedback;
use crate::layout::{self, Buffer};
use crate::run::{
    Original, Report, Stop, cannot_run, check_messages, each_seed, is_about_points, not_comparable,
    parse, u32s, variant,
};
use crate::stores::check_strides;
use crate::verdict::{Difference, Equal, Part, Verdict};
use crate::{Captured, Job, Phase};
use polyshade::host::{Limit, LimitName, Lowered};
use polyshade::spv::{Capability, ExecutionModel};
use polyshade::transform_feedback::{self, Decorated};
use polyshade::{Error, Module};
use polyshade_vulkan::model::Topology;
use polyshade_vulkan::{
    Capabilities, Device, Outcome, Place, ProvokingVertex, Range, TransformFeedback,
    TransformFeedbackCapabilities, Work,
};

/// Compares what the driver captures with what the original computes.
pub(crate) fn verify(
    job: &Job<'_>,
    captured: &Captured<'_>,
    device: &Device,
    original: &Module<'_>,
    report: &mut Report<'_>,
) -> Result<Verdict, Error> {
    let decorated = transform_feedback::decorate(original, captured.target, captured.options)?;
    let Some(has) = device.capabilities().transform_feedback else {
        let why = "the device lacks VK_EXT_transform_feedback";
        return Ok(Verdict::NotComparable(why.to_owned()));
    };
    if job.stage != ExecutionModel::VERTEX {
        let why = format!("what a {} stage hands on is not recorded: vertex stages are", job.stage);
        return Ok(Verdict::NotComparable(why));
    }
    if let Some(why) = lacks(&decorated, device.capabilities(), has) {
        return Ok(Verdict::NotComparable(why));
    }
    Ok(each_seed(job, |seed| {
        let original = Original::new(job, device, original, seed)?;
        let layout = layout::lay_out(&original.leaves, &captured.asked).map_err(not_comparable)?;
        Run { original, decorated: &decorated, layout }.compare(report)
    }))
}

/// What the requirements name that the device does not have.
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
    let limits = &decorated.requirements.limits;
    let lacking = |one: &&Limit| limit(one.name).is_some_and(|offered| offered < one.at_least);
    let one = limits.iter().find(lacking)?;
    Some(format!("the device lacks {} of {}", one.name, one.at_least))
}

/// Why what this driver captures is no oracle, where it is known to be wrong.
fn known_wrong(device: &Capabilities, m: &Module<'_>, layout: &[Buffer]) -> Option<&'static str> {
    if !device.device.contains("llvmpipe") {
        return None;
    }
    let both = [Capability::CLIP_DISTANCE, Capability::CULL_DISTANCE];
    if both.into_iter().all(|capability| m.has_capability(capability)) {
        Some("lavapipe is known to capture wrongly where there are clip and cull distances")
    } else if layout.iter().any(|buffer| buffer.stride >= LARGEST) {
        Some("lavapipe is known to capture vertices of 512 bytes wrongly")
    } else {
        None
    }
}

/// Vertices from this size on are captured wrongly by lavapipe.
const LARGEST: u32 = 512;

/// One comparison, with one set of inputs.
struct Run<'r> {
    original: Original<'r>,
    decorated: &'r Lowered<'r, Decorated>,
    layout: Vec<Buffer>,
}

/// Where a case's feedback buffers are, and where its counters go.
struct Bound {
    buffers: Vec<usize>,
    counters: usize,
}

impl Run<'_> {
    fn compare(&self, report: &mut Report<'_>) -> Result<Equal, Stop> {
        let device = self.original.device;
        if let Some(why) = known_wrong(device.capabilities(), &self.decorated.module, &self.layout)
        {
            return Err(not_comparable(why));
        }
        check_strides(&self.decorated.result.layout, &self.layout)?;
        self.check_requirements()?;
        let mut equal = Equal::default();

        report(Phase::Original);
        let recordings = self.original.record(&mut equal)?;

        let words = variant(self.original.job, Part::Lowered, self.decorated.module.words())?;
        let module = parse(Part::Lowered, &words)?;
        let counts = |message: &polyshade_vulkan::Message| !is_about_points(message);
        report(Phase::Rewritten);
        self.compare_captures(&words, &recordings, &mut equal)?;
        check_messages(device, Part::Lowered, counts)?;
        report(Phase::Rewritten);
        self.compare_outputs(&module, &recordings, &mut equal)?;
        check_messages(device, Part::Lowered, counts)?;
        Ok(equal)
    }

    /// The device is asked for as many buffers, and for as large a stride, as are captured into.
    fn check_requirements(&self) -> Result<(), Stop> {
        let strides = compare::strides(&self.layout);
        let buffers = strides.iter().rposition(|stride| *stride > 0).map_or(0, |last| last + 1);
        let stride = strides.into_iter().max().unwrap_or(0);
        let right = [
            (LimitName::MaxTransformFeedbackBuffers, buffers as u32),
            (LimitName::MaxTransformFeedbackBufferDataStride, stride),
        ];
        for (name, at_least) in right {
            let told = self.decorated.requirements.limits.iter().find(|limit| limit.name == name);
            if told.is_none_or(|told| told.at_least != at_least) {
                let told = told.map_or(0, |told| told.at_least);
                let message = format!("requirements say {name} of {told}, not {at_least}");
                return Err(Difference::new(Part::Host, message).into());
            }
        }
        Ok(())
    }

    /// The cases in which it is not the driver's to say in which order vertices are captured.
    fn cases(&self) -> Vec<Case> {
        let mut cases = cases::cases(&self.original.placements);
        let has = self.original.device.capabilities().provoking_vertex;
        cases.retain(|case| {
            let is_ordered = match case.draw.topology {
                // Vulkan has none.
                Topology::LineLoop => false,
                Topology::TriangleFan => has.is_some_and(|has| has.preserved_by_capture_in_fans),
                Topology::TriangleList | Topology::TriangleStrip => {
                    has.is_some_and(|has| has.preserved_by_capture)
                }
                _ => true,
            };
            let has_last = has.is_some_and(|has| has.last);
            let is_mode = has_last || case.draw.provoking_vertex == ProvokingVertex::First;
            let can_be_empty = case.room != cases::Room::None || !self.layout.iter().any(is_least);
            is_ordered && is_mode && can_be_empty
        });
        cases
    }

    fn compare_captures(
        &self,
        words: &[u32],
        recordings: &[Recording],
        equal: &mut Equal,
    ) -> Result<(), Stop> {
        let cases = self.cases();
        let mut work = Work::default();
        let (mut installed, mut places) = (None, Vec::new());
        for case in &cases {
            let inputs = self.original.inputs.next(installed.take(), &mut work);
            let mut draw = self.original.draw(words, case.placement());
            draw.topology = cases::topology(case.draw.topology);
            draw.provoking_vertex = case.draw.provoking_vertex;
            inputs.give(&mut draw);
            let (bound, feedback) = self.bind(case, &mut work);
            draw.transform_feedback = Some(feedback);
            places.push(bound);
            work.draws.push(draw);
            installed = Some(inputs);
        }
        let outcome = self.original.device.run(&work);
        let outcome = outcome.map_err(|error| cannot_run(Part::Lowered, &error))?;

        for (number, (case, bound)) in cases.iter().zip(places).enumerate() {
            self.compare_case(case, (&outcome, number), &bound, case.recording(recordings), equal)?;
        }
        Ok(())
    }

    fn bind(&self, case: &Case, work: &mut Work<'_>) -> (Bound, TransformFeedback) {
        let mut feedback = TransformFeedback::default();
        let (mut buffers, mut counters) = (Vec::new(), Vec::new());
        for buffer in case.buffers(&compare::strides(&self.layout)) {
            let range = Range {
                buffer: work.buffers.len(),
                offset: buffer.range.start as u64,
                size: buffer.range.len().max(LEAST as usize) as u64,
            };
            buffers.push(work.buffers.len());
            work.buffers.push(buffer.memory);
            feedback.buffers.push(range);
            counters.extend((buffer.reached as u32).to_ne_bytes());
        }
        let place = Place { buffer: work.buffers.len(), offset: 0 };
        feedback.resume = (case.room == cases::Room::Resumed).then_some(place);
        feedback.pause = Some(place);
        work.buffers.push(counters);
        (Bound { buffers, counters: place.buffer }, feedback)
    }

    fn compare_case(
        &self,
        case: &Case,
        (outcome, number): (&Outcome, usize),
        bound: &Bound,
        recording: &Recording,
        equal: &mut Equal,
    ) -> Result<(), Stop> {
        let shape = Shape::of(&self.original.leaves);
        let comparison = self.original.comparison(Part::Lowered, &self.layout, &shape);
        let expected = compare::expect(case, &self.layout, &shape, recording);
        for (number, index) in bound.buffers.iter().enumerate() {
            let found = &outcome.buffers[*index];
            if let Some(difference) = comparison.buffer(case, &expected, number, found) {
                return Err(difference.into());
            }
        }
        let wrong = |message: String| {
            let draw = Some(case.to_string());
            Stop::from(Difference { draw, ..Difference::new(Part::Lowered, message) })
        };
        if outcome.captured[number] != Some(expected.counts) {
            let (found, right) = (outcome.captured[number], expected.counts);
            return Err(wrong(format!("the query says {found:?}, not {right:?}")));
        }
        let counters = u32s(&outcome.buffers[bound.counters]);
        let captures = compare::strides(&self.layout).into_iter().map(|stride| stride > 0);
        for (number, (found, right)) in counters
            .into_iter()
            .zip(&expected.buffers)
            .zip(captures)
            .enumerate()
            .filter_map(|(number, (pair, captures))| captures.then_some((number, pair)))
        {
            if found as usize != right.reached {
                return Err(wrong(format!(
                    "the counter of feedback buffer {number} goes on at {found}, not {}",
                    right.reached
                )));
            }
        }
        equal.draws += 1;
        equal.vertices += expected.captured_vertices();
        Ok(())
    }

    /// What the shader hands on is what it did; outputs that hold copies are beside it.
    fn compare_outputs(
        &self,
        module: &Module<'_>,
        recordings: &[Recording],
        equal: &mut Equal,
    ) -> Result<(), Stop> {
        let broken = |why: String| Stop::from(Difference::new(Part::Lowered, why));
        let plain = without_feedback(module).map_err(|error| broken(error.to_string()))?;
        let (original, shape) = (&self.original, Shape::of(&self.original.leaves));
        for right in recordings {
            let recorder = original.recorder(&plain, right.placement).map_err(broken)?;
            let found = original
                .run_recorder(&recorder, right.placement, &original.inputs, |_, _| Ok(()))
                .map_err(|error| cannot_run(Part::Lowered, &error))?;
            let found = select(&found, &recorder.leaves, &original.leaves)
                .map_err(|leaf| broken(format!("it has lost the output {}", leaf.title())))?;
            let comparison = original.comparison(Part::Lowered, &[], &shape);
            if let Some(difference) = comparison.recordings(right, &found) {
                return Err(difference.into());
            }
            equal.words += found.words.len() as u64;
        }
        Ok(())
    }
}

/// The smallest range that can be bound, in bytes: it stands for an empty one.
const LEAST: u32 = 4;

/// Whether what is captured of a vertex fits into the smallest range. lavapipe does not count the gap behind it.
fn is_least(buffer: &Buffer) -> bool {
    let ends = buffer.pieces.iter().map(|piece| piece.offset + 4 * piece.count);
    ends.max() == Some(LEAST)
}
