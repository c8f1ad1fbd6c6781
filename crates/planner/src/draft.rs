//! A plan under construction: it knows which pass is open, and ends it where a barrier has to be outside of passes.

use super::check::stream;
use super::device::{Api, Device, RasterizationOff};
use super::state::{
    Active, ByteCount, Call, Draw, End, Feedback, PassState, Path, Pipeline, Query, Topology, Use,
};
use super::steps::{
    Assembly, Attachments, Bind, Contents, Corners, CountedBy, DrawCall, Pass, Plan, Position,
    Rasterization, Step, Variant,
};
use super::sync::{self, Barrier, Resource, barrier};
use super::{contradiction, unsupported};
use polyshade_spv::Error;

/// A plan under construction.
pub(super) struct Draft<'s> {
    device: &'s Device,
    pipeline: &'s Pipeline,
    draw: &'s Draw,
    path: Path,
    pub(super) steps: Vec<Step>,
    open: Option<Attachments>,
    /// Whether the application's pass was open before the draw: then it is resumed (attachments loaded), not begun.
    begun: bool,
}

impl<'s> Draft<'s> {
    pub(super) fn new(
        device: &'s Device,
        pipeline: &'s Pipeline,
        draw: &'s Draw,
        path: Path,
    ) -> Self {
        let begun = draw.pass != PassState::Outside;
        let open = begun.then_some(Attachments::Application);
        Self { device, pipeline, draw, path, steps: Vec::new(), open, begun }
    }

    /// Adds the barriers between earlier commands and the data that the draw reads or captures.
    pub(super) fn wait_before(&mut self) -> Result<(), Error> {
        let draw = self.draw;
        let capture = self.captures().then_some(Use::Capture(self.path));
        let own: Vec<Use> = draw.reads.iter().copied().chain(capture).collect();
        let mut barriers = Vec::new();
        let before = self.not_apart(&draw.before.captured);
        barriers.extend(barrier(Resource::Captured, &before, &own));
        if capture.is_some() && self.path == Path::Extension {
            let own = self.counter_uses();
            barriers.extend(barrier(Resource::Counters, &draw.before.counters, &own));
        }
        if let Some(count) = self.device_count() {
            let own = [Use::ByteCount];
            barriers.extend(barrier(Resource::Count, &count.before, &own));
        }
        if self.native().is_some_and(|active| active.begin.is_running()) && !barriers.is_empty() {
            return Err(contradiction("nothing can be waited for while capture runs"));
        }
        self.wait(barriers);
        Ok(())
    }

    /// Adds the barriers between the draw and the commands that follow it.
    pub(super) fn wait_after(&mut self) -> Result<(), Error> {
        let capture = self.captures().then_some(Use::Capture(self.path));
        self.wait_after_uses(capture)
    }

    /// The same, where nothing has to wait for the capture: the pass that captured has ended.
    pub(super) fn wait_after_reads(&mut self) -> Result<(), Error> {
        self.wait_after_uses(None)
    }

    fn wait_after_uses(&mut self, capture: Option<Use>) -> Result<(), Error> {
        let (draw, next) = (self.draw, &self.draw.next);
        let own: Vec<Use> = draw.reads.iter().copied().chain(capture).collect();
        let mut barriers = Vec::new();
        let after = self.not_apart(&next.captured);
        barriers.extend(barrier(Resource::Captured, &own, &after));
        if self.path == Path::Extension {
            let own = self.counter_uses();
            barriers.extend(barrier(Resource::Counters, &own, &next.counters));
        }
        if self.device_count().is_some() {
            barriers.extend(barrier(Resource::Count, &[Use::ByteCount], &next.counters));
        }
        if self.runs_on() && !barriers.is_empty() {
            return Err(contradiction("nothing can be waited for while capture runs on"));
        }
        self.wait(barriers);
        Ok(())
    }

    /// The uses that have to be waited for. Where the ends of passes are all that orders commands, that is nothing that
    /// is in no pass of the application's: its pass has to end for a copy, a dispatch or a capture-only pass anyway.
    fn not_apart(&self, uses: &[Use]) -> Vec<Use> {
        let explicit = self.device.api == Api::Vulkan;
        let with_outputs = self.device.stores_beside_outputs;
        let within = |one: &Use| explicit || one.is_drawn(with_outputs);
        uses.iter().copied().filter(within).collect()
    }

    /// The counter that the device takes the draw's vertex count from, if it does.
    fn device_count(&self) -> Option<&'s ByteCount> {
        match &self.draw.call {
            Call::ByteCount(count) if count.path == Path::Extension => Some(count),
            Call::ByteCount(_)
            | Call::Vertices
            | Call::Indexed
            | Call::Indirect
            | Call::IndexedIndirect => None,
        }
    }

    /// How the draw uses the counters, where the device keeps them.
    fn counter_uses(&self) -> Vec<Use> {
        let Feedback::Active(active) = &self.draw.feedback else { return Vec::new() };
        let resumes = active.begin.counters().iter().any(Option::is_some);
        let saves = active.end.counters().iter().any(Option::is_some);
        let uses = [(resumes, Use::Resume), (saves, Use::Save)];
        uses.into_iter().filter(|(done, _)| *done).map(|(_, one)| one).collect()
    }

    /// Waits outside of any pass: none of these barriers can be inside of one. Where the API has no barriers, the end
    /// of the pass is one.
    pub(super) fn wait(&mut self, barriers: Vec<Barrier>) {
        if barriers.is_empty() {
            return;
        }
        self.close();
        if self.device.api == Api::Vulkan {
            self.steps.push(Step::Barriers(barriers));
        }
    }

    /// Whether the draw is captured, either way.
    fn captures(&self) -> bool {
        matches!(self.draw.feedback, Feedback::Active(_))
    }

    /// How the device captures the draw, if it does.
    fn native(&self) -> Option<&'s Active> {
        match &self.draw.feedback {
            Feedback::Active(active) if self.path == Path::Extension => Some(active),
            Feedback::Active(_) | Feedback::Inactive | Feedback::Paused => None,
        }
    }

    /// Whether native capture runs on behind the draw.
    fn runs_on(&self) -> bool {
        self.native().is_some_and(|active| active.end == End::Running)
    }

    /// Opens the application's pass, unless it is open.
    pub(super) fn open_application_pass(&mut self) {
        let contents = if self.begun { Contents::Load } else { Contents::AsAsked };
        self.open(Attachments::Application, contents);
        self.begun = true;
    }

    /// Opens the pass in which the draw is rasterized; with rasterizer discard, the smallest one.
    pub(super) fn open_pass(&mut self) {
        match self.pipeline.rasterizer_discard {
            true => self.open_small_pass(),
            false => self.open_application_pass(),
        }
    }

    /// Opens a pass in which nothing is rasterized, unless the application's is open: the smallest that the API
    /// permits.
    pub(super) fn open_small_pass(&mut self) {
        if self.begun {
            return self.open_application_pass();
        }
        self.open_own_pass();
    }

    /// Opens a pass without the application's attachments, unless one is open.
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

    /// Begins the queries that the device answers, and notes those that the host does; they are ended after the draw.
    pub(super) fn begin_queries(&mut self, captured: bool) -> Result<Vec<Query>, Error> {
        let mut on_device = Vec::new();
        for &query in &self.draw.queries {
            if self.on_device(query, captured)? {
                self.steps.push(Step::BeginQuery(query));
                on_device.push(query);
            } else {
                self.steps.push(Step::Count(query));
            }
        }
        Ok(on_device)
    }

    pub(super) fn end_queries(&mut self, queries: &[Query]) {
        self.steps.extend(queries.iter().rev().map(|query| Step::EndQuery(*query)));
    }

    /// Whether the device counts a query, or the host, which can where it knows how many primitives the draw has.
    fn on_device(&self, query: Query, captured: bool) -> Result<bool, Error> {
        let stream = stream(query);
        let streams = match &self.device.transform_feedback {
            Some(has) => has.max_streams,
            None => 1,
        };
        if stream >= streams {
            return Err(unsupported(format!("a query of stream {stream}, only {streams} streams")));
        }
        match (query, self.path) {
            (Query::Stream(_), Path::Extension) => match &self.device.transform_feedback {
                Some(has) if has.queries => Ok(true),
                _ => Err(unsupported("the device has no transform feedback queries")),
            },
            // Zero where nothing is captured, whatever is drawn.
            (Query::Stream(_), Path::Storage) if !captured => Ok(false),
            (Query::Stream(_), Path::Storage) => self.counted_by_host(),
            (Query::PrimitivesGenerated(_), _) => match &self.device.primitives_generated {
                Some(has) if stream > 0 && !has.with_streams => {
                    Err(unsupported("primitives generated in streams beyond 0"))
                }
                Some(has) if self.pipeline.rasterizer_discard && !has.with_discard => {
                    self.counted_by_host()
                }
                // Where a draw becomes two, the device would count both.
                Some(_) if captured && self.path == Path::Storage => self.counted_by_host(),
                Some(_) => Ok(true),
                None => self.counted_by_host(),
            },
        }
    }

    fn counted_by_host(&self) -> Result<bool, Error> {
        let known = match &self.draw.call {
            Call::Vertices => true,
            Call::ByteCount(count) => count.path == Path::Storage,
            Call::Indexed | Call::Indirect | Call::IndexedIndirect => false,
        };
        if !known || self.pipeline.geometry.is_some() || self.pipeline.tessellation {
            let message = "only a draw without indices and arguments in buffers, of a vertex stage alone, \
                is counted by the host";
            return Err(unsupported(message));
        }
        Ok(false)
    }

    /// How rasterization is switched off for a shader that has outputs, where the pipeline discards.
    pub(super) fn rasterization(&self) -> (Position, Rasterization) {
        match (self.pipeline.rasterizer_discard, self.device.rasterization_off) {
            (false, _) => (Position::Kept, Rasterization::On),
            (true, RasterizationOff::Always) => (Position::Kept, Rasterization::Off),
            (true, RasterizationOff::WithoutOutputs | RasterizationOff::Never) => {
                let constant = self.pipeline.discard_constant;
                (Position::MovedAway { constant }, Rasterization::On)
            }
        }
    }

    /// The draw with the application's topology, or with the topology that stands for it in this API.
    pub(super) fn draw(
        &mut self,
        variant: Variant,
        position: Position,
        rasterization: Rasterization,
    ) -> Result<(), Error> {
        let (assembly, call) = self.assembled()?;
        self.bind(Bind { variant, position, rasterization, assembly });
        self.steps.push(Step::Draw(call));
        Ok(())
    }

    /// How vertices become the application's primitives, and the draw command.
    pub(super) fn assembled(&self) -> Result<(Assembly, DrawCall), Error> {
        let topology = self.pipeline.topology;
        let instead = match topology {
            Topology::LineLoop => Some(Topology::LineStrip),
            Topology::TriangleFan if !self.device.triangle_fans => Some(Topology::TriangleList),
            _ => None,
        };
        let Some(instead) = instead else {
            return Ok((Assembly::AsDrawn(topology), self.call()?));
        };
        let counted = match self.call()? {
            DrawCall::Vertices => None,
            DrawCall::CountedByHost(count) => Some(count),
            DrawCall::Indexed
            | DrawCall::Indirect
            | DrawCall::IndexedIndirect
            | DrawCall::ByteCount(_)
            | DrawCall::Rewritten(_) => {
                let message = format!(
                    "a {} with indices or arguments in buffers: {} has none, and the host would have to read them",
                    topology.name(),
                    self.device.api.name()
                );
                return Err(unsupported(message));
            }
        };
        Ok((Assembly::Rewritten(instead), DrawCall::Rewritten(counted)))
    }

    pub(super) fn bind(&mut self, bind: Bind) {
        self.steps.push(Step::BindPipeline(bind));
    }

    /// The draw command as the application asks for it.
    pub(super) fn call(&self) -> Result<DrawCall, Error> {
        match &self.draw.call {
            Call::Vertices => Ok(DrawCall::Vertices),
            Call::Indexed => Ok(DrawCall::Indexed),
            Call::Indirect => Ok(DrawCall::Indirect),
            Call::IndexedIndirect => Ok(DrawCall::IndexedIndirect),
            Call::ByteCount(count) => self.byte_count(count),
        }
    }

    fn byte_count(&self, count: &ByteCount) -> Result<DrawCall, Error> {
        let counted = CountedBy {
            counter: count.counter,
            offset: count.counter_offset,
            stride: count.stride,
        };
        if count.path == Path::Storage {
            return Ok(DrawCall::CountedByHost(counted));
        }
        match &self.device.transform_feedback {
            Some(has) if has.draw && count.stride <= has.max_stride => {
                Ok(DrawCall::ByteCount(counted))
            }
            Some(has) if has.draw => {
                let (stride, most) = (count.stride, has.max_stride);
                Err(unsupported(format!("a draw of {stride} bytes a vertex, only {most}")))
            }
            _ => Err(unsupported("the device takes no vertex count from a counter")),
        }
    }

    /// The finished plan. It leaves the application's pass open or closed as it found it, but open where native capture
    /// continues.
    pub(super) fn finish(
        mut self,
        path: Option<Path>,
        corners: Option<Corners>,
    ) -> Result<Plan, Error> {
        if self.draw.pass != PassState::Outside {
            self.open_application_pass();
        } else if !self.runs_on() {
            self.close();
        }
        let ends = |step: &Step| *step == Step::EndPass(Attachments::Application);
        if self.draw.pass == PassState::Kept && self.steps.iter().any(ends) {
            let message = "the pass that is open would have to end for a barrier or another pass";
            return Err(unsupported(message));
        }
        Ok(Plan { path, corners: corners.unwrap_or(Corners::AsProvoked), steps: self.steps })
    }
}
