//! Builds a plan: tracks the active pass, and ends the pass where a barrier must be outside of passes.

mod assembly;
mod waits;

use super::check::{check_counter_pass, stream};
use super::device::{Api, Device, RasterizationOff};
use super::state::{
    Active, ByteCount, Call, CounterOwner, Draw, End, Feedback, PassState, Path, Pipeline, Query,
    ShaderStage,
};
use super::steps::{
    Assembly, Attachments, Contents, CounterPass, DrawCall, Pass, Plan, Position, Rasterization,
    ShaderRuns, Step, Variant, VertexOrder,
};
use super::sync::{self, Barrier};
use crate::code;
use polyshade_spv::Error;

pub(super) struct PlanBuilder<'s> {
    device: &'s Device,
    pipeline: &'s Pipeline,
    draw: &'s Draw,
    path: Path,
    pub(super) steps: Vec<Step>,
    open: Option<Attachments>,
    pub(super) shader_runs: Option<ShaderRuns>,
    /// Whether the application's pass has begun. If so, opening the pass resumes it and loads the attachments.
    begun: bool,
}

/// The mechanism that produces the result of a query.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counting {
    Query,
    Host,
    /// The [counter pass](Step::CounterPass).
    CounterPass,
}

impl<'s> PlanBuilder<'s> {
    pub(super) fn new(
        device: &'s Device,
        pipeline: &'s Pipeline,
        draw: &'s Draw,
        path: Path,
    ) -> Self {
        let begun = draw.pass != PassState::Outside;
        let open = begun.then_some(Attachments::Application);
        let (steps, shader_runs) = (Vec::new(), None);
        Self { device, pipeline, draw, path, steps, open, shader_runs, begun }
    }

    /// Adds barriers outside of any pass, where the API requires them. If the API has no barriers, only ends the
    /// pass.
    pub(super) fn wait(&mut self, barriers: Vec<Barrier>) {
        if barriers.is_empty() {
            return;
        }
        self.close();
        if self.device.api == Api::Vulkan {
            self.steps.push(Step::Barriers(barriers));
        }
    }

    /// Whether any mechanism captures the draw.
    fn captures(&self) -> bool {
        matches!(self.draw.feedback, Feedback::Active(_))
    }

    /// Whether a compute stage captures the draw.
    fn is_dispatched(&self) -> bool {
        self.captures() && self.path == Path::Compute
    }

    /// Whether the device owns the counters of the draw, and a [counter pass](Step::CounterPass) reads them.
    pub(super) fn has_device_counters(&self) -> bool {
        match &self.draw.feedback {
            Feedback::Active(active) if self.path.stores() => {
                active.counter_owner == CounterOwner::Device
            }
            _ => self.counted_vertices().is_some(),
        }
    }

    /// Returns the counter on the device that the draw computes its vertex count from, if any.
    fn counted_vertices(&self) -> Option<&'s ByteCount> {
        match &self.draw.call {
            Call::ByteCount(count) if count.path.stores() && count.is_on_device() => Some(count),
            _ => None,
        }
    }

    /// Adds a counter pass that computes the vertex count, if the draw is not captured and its counter is on the
    /// device.
    pub(super) fn count_on_device(&mut self) -> Result<(), Error> {
        if self.counted_vertices().is_some() {
            if !self.device.buffer_addresses {
                check_counter_pass(self.device)?;
            }
            self.counter_pass(CounterPass::default());
        }
        Ok(())
    }

    /// Adds a counter pass, outside of render passes and after the barriers.
    pub(super) fn counter_pass(&mut self, mut pass: CounterPass) {
        pass.count = match &self.draw.call {
            Call::ByteCount(count) if count.is_on_device() => Some(count.into()),
            _ => None,
        };
        // End the render pass even without barriers, because the dispatch must be outside of it.
        self.close();
        if self.finds_segments() {
            self.steps.push(Step::FindSegments);
            self.wait(vec![sync::within_counter_pass()]);
        }
        let words = pass.params.as_ref().map(|words| words.source);
        let arguments = matches!(self.call_of_points(), Ok(DrawCall::FromCounterPass));
        self.steps.push(Step::CounterPass(pass));
        self.wait(vec![sync::after_counter_pass(words, self.stores_in(), arguments)]);
    }

    /// The shader stage that captures.
    fn stores_in(&self) -> ShaderStage {
        match self.path {
            Path::Compute => ShaderStage::Compute,
            Path::Storage | Path::Extension => ShaderStage::Vertex,
        }
    }

    fn finds_segments(&self) -> bool {
        let is_indexed = matches!(self.draw.call, Call::Indexed | Call::IndexedIndirect);
        self.captures()
            && self.has_device_counters()
            && is_indexed
            && self.pipeline.primitive_restart
    }

    /// The capture state, if the extension captures the draw.
    fn native(&self) -> Option<&'s Active> {
        match &self.draw.feedback {
            Feedback::Active(active) if self.path == Path::Extension => Some(active),
            Feedback::Active(_) | Feedback::Inactive | Feedback::Paused => None,
        }
    }

    /// Whether capture by the extension continues after the draw.
    fn runs_on(&self) -> bool {
        self.native().is_some_and(|active| active.end == End::Running)
    }

    /// Begins or resumes the application's pass, unless it is active.
    fn open_application_pass(&mut self) {
        let contents = if self.begun { Contents::Load } else { Contents::AsAsked };
        self.open(Attachments::Application, contents);
        self.begun = true;
    }

    /// Begins the pass in which the draw is rasterized. With rasterizer discard, a pass without attachments is
    /// enough.
    pub(super) fn open_pass(&mut self) {
        match self.pipeline.rasterizer_discard {
            true => self.open_small_pass(),
            false => self.open_application_pass(),
        }
    }

    /// Begins a pass without the application's attachments for a draw without rasterization, unless its pass has
    /// begun.
    fn open_small_pass(&mut self) {
        if self.begun {
            return self.open_application_pass();
        }
        self.open_own_pass();
    }

    /// Whether a wait has ended the application's pass in an API whose only barriers are the ends of passes. A draw
    /// in another pass then needs no further wait, and the application's pass resumes only once.
    pub(super) fn is_interrupted(&self) -> bool {
        self.begun && self.open.is_none() && self.device.api != Api::Vulkan
    }

    /// Begins a separate pass for the capture, unless an active pass can contain it.
    pub(super) fn open_pass_of_capture(&mut self) {
        if self.open.is_none() {
            self.open_own_pass();
        }
    }

    /// Begins a pass without the application's attachments, unless such a pass is active.
    pub(super) fn open_own_pass(&mut self) {
        let without = self.device.passes_without_attachments;
        let attachments = if without { Attachments::None } else { Attachments::Dummy };
        self.open(attachments, Contents::DontCare);
    }

    fn open(&mut self, attachments: Attachments, contents: Contents) {
        if self.open == Some(attachments) {
            return;
        }
        self.close();
        let scope = self.device.pass_scope();
        if contents == Contents::Load && self.device.api == Api::Vulkan {
            match self.steps.last_mut() {
                Some(Step::Barriers(barriers)) => barriers.push(sync::attachments()),
                _ => self.steps.push(Step::Barriers(vec![sync::attachments()])),
            }
        }
        self.steps.push(Step::BeginPass(Pass { attachments, contents, scope }));
        self.open = Some(attachments);
    }

    pub(super) fn close(&mut self) {
        if let Some(attachments) = self.open.take() {
            self.steps.push(Step::EndPass(attachments));
        }
    }

    /// Begins the queries that the device counts, and adds steps for the queries that the host counts. Returns the
    /// queries that the caller must end after the draw.
    pub(super) fn begin_queries(&mut self, captured: bool) -> Result<Vec<Query>, Error> {
        let mut on_device = Vec::new();
        for &query in &self.draw.queries {
            match self.counting(query, captured)? {
                Counting::Query => {
                    self.steps.push(Step::BeginQuery(query));
                    on_device.push(query);
                }
                Counting::Host => self.steps.push(Step::Count(query)),
                Counting::CounterPass => {}
            }
        }
        Ok(on_device)
    }

    /// Returns the queries of the captured draw that the counter pass counts.
    pub(super) fn counted_queries(&self) -> Result<Vec<Query>, Error> {
        let mut kept = Vec::new();
        for &query in &self.draw.queries {
            if self.counting(query, true)? == Counting::CounterPass {
                kept.push(query);
            }
        }
        Ok(kept)
    }

    pub(super) fn end_queries(&mut self, queries: &[Query]) {
        self.steps.extend(queries.iter().rev().map(|query| Step::EndQuery(*query)));
    }

    /// Returns the mechanism that counts a query. The host can count if it knows the draw's number of primitives.
    fn counting(&self, query: Query, captured: bool) -> Result<Counting, Error> {
        let stream = stream(query);
        let streams = match &self.device.transform_feedback {
            Some(has) => has.max_streams,
            None => 1,
        };
        if stream >= streams {
            return Err(Error::new(
                &code::PLAN_DEVICE_LIMIT,
                format!("cannot query stream {stream}: the device supports {streams} streams"),
            ));
        }
        match (query, self.path) {
            (Query::Stream(_), Path::Extension) => match &self.device.transform_feedback {
                Some(has) if has.queries => Ok(Counting::Query),
                _ => Err(Error::new(
                    &code::PLAN_MISSING_FEATURE,
                    "the device does not support transform feedback queries",
                )),
            },
            // The result is zero if the draw is not captured.
            (Query::Stream(_), Path::Storage | Path::Compute) if !captured => Ok(Counting::Host),
            (Query::Stream(_), Path::Storage | Path::Compute) => self.counted_by_counter_pass(),
            (Query::PrimitivesGenerated(_), _) => match &self.device.primitives_generated {
                Some(has) if stream > 0 && !has.with_streams => Err(Error::new(
                    &code::PLAN_MISSING_FEATURE,
                    "the device cannot count the primitives generated in streams other than 0",
                )),
                Some(has) if self.pipeline.rasterizer_discard && !has.with_discard => {
                    self.counted_by_counter_pass()
                }
                // The device would count the primitives twice if the draw is split into two.
                Some(_) if captured && self.path.stores() => self.counted_by_counter_pass(),
                Some(_) => Ok(Counting::Query),
                None => self.counted_by_counter_pass(),
            },
        }
    }

    fn counted_by_counter_pass(&self) -> Result<Counting, Error> {
        let captures = self.captures() && self.path.stores();
        if captures && self.has_device_counters() {
            return Ok(Counting::CounterPass);
        }
        let known = match &self.draw.call {
            Call::Vertices => true,
            Call::ByteCount(count) => !count.is_on_device(),
            Call::Indexed => captures,
            Call::Indirect | Call::IndexedIndirect => false,
        };
        if !known || self.pipeline.geometry.is_some() || self.pipeline.tessellation {
            let message = "the host can count only draws without index and argument buffers, in pipelines without \
                tessellation and geometry stages";
            return Err(Error::new(&code::PLAN_QUERY, message));
        }
        Ok(Counting::Host)
    }

    /// Returns how to turn rasterization off for a shader with outputs, if the pipeline has rasterizer discard.
    pub(super) fn rasterization(&self) -> (Position, Rasterization) {
        match (self.pipeline.rasterizer_discard, self.device.rasterization_off) {
            (false, _) => (Position::Unchanged, Rasterization::On),
            (true, RasterizationOff::Always) => (Position::Unchanged, Rasterization::Off),
            (true, RasterizationOff::WithoutOutputs | RasterizationOff::Never) => {
                let constant = self.pipeline.discard_constant;
                (Position::MovedAway { constant }, Rasterization::On)
            }
        }
    }

    /// Adds the draw with the application's topology, or with the topology that replaces it in this API.
    pub(super) fn draw(
        &mut self,
        variant: Variant,
        position: Position,
        rasterization: Rasterization,
    ) -> Result<(), Error> {
        let (assembly, call) = self.assembled()?;
        if rasterization == Rasterization::On && position == Position::Unchanged {
            self.check_rasterized(assembly, call)?;
        }
        self.bind(variant, position, rasterization, assembly);
        self.steps.push(Step::Draw(call));
        Ok(())
    }

    /// Waits for the outputs that the capture has stored, and draws with them. Repeats the bindings and parameters in
    /// `bound` that the draw needs. The stored outputs of an indexed draw have one vertex per index.
    pub(super) fn pass_on(&mut self, bound: &[Step]) -> Result<(), Error> {
        self.wait_for_outputs();
        self.open_pass();
        self.draw(Variant::ReloadOutputs, Position::Unchanged, Rasterization::On)?;
        if let Some(Step::Draw(call @ DrawCall::Indexed)) = self.steps.last_mut() {
            *call = DrawCall::OverIndices;
        }
        let is_needed = |step: &&Step| matches!(step, Step::BindOutputs(..) | Step::FillIn(_));
        let before_draw = self.steps.len() - 1;
        let bound: Vec<Step> = bound.iter().filter(is_needed).cloned().collect();
        self.steps.splice(before_draw..before_draw, bound);
        Ok(())
    }

    /// Adds a draw of every vertex as a point, using a variant without stage outputs.
    pub(super) fn draw_points(&mut self, variant: Variant) -> Result<(), Error> {
        let call = self.call_of_points()?;
        self.bind(variant, Position::Unchanged, Rasterization::Off, Assembly::Points);
        self.steps.push(Step::Draw(call));
        Ok(())
    }

    /// Adds the dispatch that captures every vertex, outside of passes, with the bindings and parameters in `bound`.
    pub(super) fn dispatch(&mut self, variant: Variant, bound: Vec<Step>) -> Result<(), Error> {
        let call = self.call_of_points()?;
        self.close();
        self.steps.push(Step::BindCompute(variant));
        self.steps.extend(bound);
        self.steps.push(Step::Dispatch(call));
        Ok(())
    }

    /// Returns the draw command that the application requested.
    pub(super) fn call(&self) -> Result<DrawCall, Error> {
        match &self.draw.call {
            Call::Vertices => Ok(DrawCall::Vertices),
            Call::Indexed => Ok(DrawCall::Indexed),
            Call::Indirect => Ok(DrawCall::Indirect),
            Call::IndexedIndirect => Ok(DrawCall::IndexedIndirect),
            Call::ByteCount(count) => self.byte_count(count),
        }
    }

    /// Returns the draw command that draws every captured vertex as a point.
    fn call_of_points(&self) -> Result<DrawCall, Error> {
        match &self.draw.call {
            Call::Indexed => Ok(DrawCall::OverIndices),
            Call::Indirect | Call::IndexedIndirect => Ok(DrawCall::FromCounterPass),
            Call::Vertices | Call::ByteCount(_) => self.call(),
        }
    }

    fn byte_count(&self, count: &ByteCount) -> Result<DrawCall, Error> {
        let counted = count.into();
        if self.has_device_counters() && count.is_on_device() {
            return Ok(DrawCall::FromCounterPass);
        }
        if count.path.stores() {
            return Ok(DrawCall::CountedByHost(counted));
        }
        match &self.device.transform_feedback {
            Some(has) if has.draw && count.stride <= has.max_stride => {
                Ok(DrawCall::ByteCount(counted))
            }
            Some(has) if has.draw => {
                let (stride, most) = (count.stride, has.max_stride);
                Err(Error::new(
                    &code::PLAN_DEVICE_LIMIT,
                    format!(
                        "cannot draw with a vertex stride of {stride} bytes: maxTransformFeedbackBufferDataStride is \
                            {most}"
                    ),
                ))
            }
            _ => Err(Error::new(
                &code::PLAN_MISSING_FEATURE,
                "the device cannot read the vertex count of a draw from a counter",
            )),
        }
    }

    /// Returns the finished plan. The application's pass is active only if it was active before the plan, or if
    /// capture by the extension continues.
    pub(super) fn finish(
        mut self,
        path: Option<Path>,
        vertex_order: Option<VertexOrder>,
    ) -> Result<Plan, Error> {
        if self.draw.pass != PassState::Outside {
            self.open_application_pass();
        } else if !self.runs_on() {
            self.close();
        }
        let ends = |step: &Step| *step == Step::EndPass(Attachments::Application);
        if self.draw.pass == PassState::Uninterruptible && self.steps.iter().any(ends) {
            let message = "the active pass would have to end for a barrier or another pass";
            return Err(Error::new(&code::PLAN_PASS_MUST_END, message));
        }
        let vertex_order = vertex_order.unwrap_or(VertexOrder::AsProvoked);
        Ok(Plan { path, vertex_order, shader_runs: self.shader_runs, steps: self.steps })
    }
}
