//! The barriers before and after a draw.

use super::super::device::Api;
use super::super::state::{ByteCount, Call, Feedback, Path, ShaderStage, Use};
use super::super::sync::{self, Barrier, Resource, barrier};
use super::PlanBuilder;
use crate::code;
use polyshade_spv::Error;

/// How the shaders of the counter pass read counters.
const COUNTER_PASS_READS: Use = Use::Storage(ShaderStage::Compute);
const COUNTER_PASS_STORES: Use = Use::Store(ShaderStage::Compute);

impl<'s> PlanBuilder<'s> {
    /// Adds the barriers between earlier commands and the data that the draw reads or captures.
    pub(in super::super) fn wait_before(&mut self) -> Result<(), Error> {
        let draw = self.draw;
        let own = self.own_uses(self.captures().then_some(Use::Capture(self.path)));
        let mut barriers = Vec::new();
        let before = self.not_apart(&draw.before.captured);
        barriers.extend(barrier(Resource::Captured, &before, &own));
        let before = self.not_apart(&draw.before.inputs);
        barriers.extend(barrier(Resource::Inputs, &before, &self.inputs()));
        let (own, before) = (self.counter_uses(), self.not_apart(&draw.before.counters));
        barriers.extend(barrier(Resource::Counters, &before, &own));
        if let Some((count, own)) = self.device_count() {
            barriers.extend(barrier(Resource::Count, &self.not_apart(&count.before), &[own]));
        }
        if self.has_device_counters() {
            barriers.push(sync::before_counter_pass());
        }
        if self.native().is_some_and(|active| active.begin.is_running()) && !barriers.is_empty() {
            return Err(Error::new(
                &code::PLAN_WAIT_DURING_CAPTURE,
                "cannot wait for other work while the capture is active",
            ));
        }
        self.wait(barriers);
        Ok(())
    }

    /// Adds the barriers between the draw and the commands that follow it.
    pub(in super::super) fn wait_after(&mut self) -> Result<(), Error> {
        let capture = self.captures().then_some(Use::Capture(self.path));
        self.wait_after_uses(capture)
    }

    /// Adds the barrier between the finished capture and the commands that follow the draw.
    pub(in super::super) fn wait_after_capture(&mut self) {
        self.wait(self.captured_after().into_iter().collect());
    }

    /// Adds the barrier after the capture, and a barrier for the outputs that the capture has stored.
    pub(in super::super) fn wait_for_outputs(&mut self) {
        let captured = self.captured_after().into_iter();
        self.wait(captured.chain([sync::outputs(self.path)]).collect());
    }

    fn captured_after(&self) -> Option<Barrier> {
        let after = self.not_apart(&self.draw.next.captured);
        barrier(Resource::Captured, &[Use::Capture(self.path)], &after)
    }

    /// Adds the barriers after the draw if an earlier barrier or the end of its pass covers the capture.
    pub(in super::super) fn wait_after_reads(&mut self) -> Result<(), Error> {
        self.wait_after_uses(None)
    }

    fn wait_after_uses(&mut self, capture: Option<Use>) -> Result<(), Error> {
        let next = &self.draw.next;
        let own = self.own_uses(capture);
        let mut barriers = Vec::new();
        let after = self.not_apart(&next.captured);
        barriers.extend(barrier(Resource::Captured, &own, &after));
        let after = self.not_apart(&next.inputs);
        barriers.extend(barrier(Resource::Inputs, &self.inputs(), &after));
        let after = self.not_apart(&next.counters);
        barriers.extend(barrier(Resource::Counters, &self.counter_uses(), &after));
        if let Some((_, own)) = self.device_count() {
            barriers.extend(barrier(Resource::Count, &[own], &after));
        }
        if self.runs_on() && !barriers.is_empty() {
            return Err(Error::new(
                &code::PLAN_WAIT_DURING_CAPTURE,
                "cannot wait after the draw: the capture remains active",
            ));
        }
        self.wait(barriers);
        Ok(())
    }

    /// Returns the uses that need barriers. In an API whose only barriers are the ends of passes, copies and
    /// dispatches need none, because the active pass must end for them anyway.
    fn not_apart(&self, uses: &[Use]) -> Vec<Use> {
        let explicit = self.device.api == Api::Vulkan;
        let within = |one: &Use| explicit || one.is_drawn();
        uses.iter().copied().filter(within).collect()
    }

    fn own_uses(&self, capture: Option<Use>) -> Vec<Use> {
        let reads = self.draw.reads.iter().flat_map(|one| self.reads_as(*one));
        reads.chain(capture).collect()
    }

    /// Returns how the draw uses its arguments, indices and attributes.
    fn inputs(&self) -> Vec<Use> {
        let of_call: &[Use] = match &self.draw.call {
            Call::Vertices | Call::ByteCount(_) => &[],
            Call::Indexed => &[Use::Indices],
            Call::Indirect => &[Use::IndirectArguments],
            Call::IndexedIndirect => &[Use::IndirectArguments, Use::Indices],
        };
        // A dispatch also reads the resources of the vertex stage.
        let resources = self.is_dispatched().then_some(Use::Uniform(ShaderStage::Compute));
        let own = of_call.iter().chain(&[Use::Vertices]).flat_map(|one| self.reads_as(*one));
        own.chain(resources).collect()
    }

    /// Returns the uses that replace a read of the draw. Variants read indices and attributes in the vertex stage,
    /// and the counter pass reads arguments and indices in a compute stage. A compute stage that captures reads all
    /// inputs of the vertex stage, which does not run with rasterizer discard.
    fn reads_as(&self, one: Use) -> Vec<Use> {
        if self.is_dispatched() {
            let drawn = (!self.pipeline.rasterizer_discard).then_some(one);
            let in_counter_pass = self.has_device_counters() && one == Use::IndirectArguments;
            let dispatched =
                in_compute_stage(one).or(in_counter_pass.then_some(COUNTER_PASS_READS));
            return drawn.into_iter().chain(dispatched).collect();
        }
        let captures = self.captures() && self.path == Path::Storage;
        let is_indexed = matches!(self.draw.call, Call::Indexed | Call::IndexedIndirect);
        let in_vertex_stage =
            captures && (one == Use::Indices || one == Use::Vertices && is_indexed);
        let in_counter_pass = self.has_device_counters() && one == Use::IndirectArguments
            || self.finds_segments() && one == Use::Indices;
        let also = [
            (in_vertex_stage, Use::Storage(ShaderStage::Vertex)),
            (in_counter_pass, COUNTER_PASS_READS),
        ];
        let also = also.into_iter().filter(|(is, _)| *is).map(|(_, one)| one);
        std::iter::once(one).chain(also).collect()
    }

    /// Returns the counter from which the device computes the draw's vertex count, if any, and how the device reads
    /// it.
    fn device_count(&self) -> Option<(&'s ByteCount, Use)> {
        match &self.draw.call {
            Call::ByteCount(count) if self.has_device_counters() && count.is_on_device() => {
                Some((count, COUNTER_PASS_READS))
            }
            Call::ByteCount(count) if count.path == Path::Extension => {
                Some((count, Use::ByteCount))
            }
            Call::ByteCount(_)
            | Call::Vertices
            | Call::Indexed
            | Call::Indirect
            | Call::IndexedIndirect => None,
        }
    }

    /// Returns how the draw uses the counters, if the device keeps them.
    fn counter_uses(&self) -> Vec<Use> {
        let Feedback::Active(active) = &self.draw.feedback else { return Vec::new() };
        let by: [Use; 2] = match self.path {
            Path::Extension => [Use::Resume, Use::Save],
            Path::Storage | Path::Compute if self.has_device_counters() => {
                [COUNTER_PASS_READS, COUNTER_PASS_STORES]
            }
            Path::Storage | Path::Compute => return Vec::new(),
        };
        let are_used = [active.begin.counters(), active.end.counters()]
            .map(|counters| counters.iter().any(Option::is_some));
        by.into_iter().zip(are_used).filter(|(_, used)| *used).map(|(one, _)| one).collect()
    }
}

/// Returns the use by the capturing compute stage that replaces this read by a vertex stage.
fn in_compute_stage(one: Use) -> Option<Use> {
    let stage = ShaderStage::Compute;
    match one {
        Use::Vertices | Use::Indices | Use::Storage(ShaderStage::Vertex) => {
            Some(Use::Storage(stage))
        }
        Use::Uniform(ShaderStage::Vertex) => Some(Use::Uniform(stage)),
        Use::Texels(ShaderStage::Vertex) => Some(Use::Texels(stage)),
        _ => None,
    }
}
