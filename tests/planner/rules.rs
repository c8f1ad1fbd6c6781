//! The rules of the APIs that every plan must follow, implemented independently of the planner.

use polyshade_planner::{
    Api, Attachments, Begin, Bound, Contents, Device, Draw, End, Feedback, PassState, Path,
    Pipeline, Plan, Position, Rasterization, RasterizationOff, Resource, Step, StorageRange,
    Variant,
};

/// Describes the rule that a plan breaks.
pub(crate) fn broken(
    device: &Device,
    pipeline: &Pipeline,
    draw: &Draw,
    plan: &Plan,
) -> Option<String> {
    let mut walk = Walk::new(device, pipeline, draw, plan);
    plan.steps.iter().find_map(|step| walk.step(step).err()).or_else(|| walk.end(plan).err())
}

struct Walk<'s> {
    device: &'s Device,
    pipeline: &'s Pipeline,
    draw: &'s Draw,
    open: Option<Attachments>,
    running: bool,
    /// Whether a step has waited for the draws of the last pass.
    waited: bool,
    queries: usize,
    captures: usize,
    rasterizes: usize,
    bound: Option<polyshade_planner::Bind>,
    /// The last bound variant, if it is a compute stage.
    computes: Option<Variant>,
    /// Whether a capture has stored all outputs, and if so, whether a barrier for reads of the outputs followed.
    outputs: Option<bool>,
    /// The number of runs of the shader.
    runs: usize,
    /// The ranges that are bound for writing.
    stored: Vec<StorageRange>,
}

fn rule(kept: bool, rule: &str) -> Result<(), String> {
    if kept { Ok(()) } else { Err(rule.to_owned()) }
}

impl<'s> Walk<'s> {
    fn new(device: &'s Device, pipeline: &'s Pipeline, draw: &'s Draw, plan: &Plan) -> Self {
        let running = match &draw.feedback {
            Feedback::Active(active) => {
                active.begin == Begin::Running && plan.path == Some(Path::Extension)
            }
            Feedback::Inactive | Feedback::Paused => false,
        };
        let open = (draw.pass != PassState::Outside).then_some(Attachments::Application);
        Self {
            device,
            pipeline,
            draw,
            open,
            running,
            waited: false,
            queries: 0,
            captures: 0,
            rasterizes: 0,
            bound: None,
            computes: None,
            outputs: None,
            runs: 0,
            stored: Vec::new(),
        }
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::BeginPass(pass) => {
                rule(self.open.is_none(), "passes do not nest")?;
                let none = pass.attachments == Attachments::None;
                rule(!none || self.device.passes_without_attachments, "a pass has attachments")?;
                let goes_on = self.device.api == Api::Vulkan && pass.contents == Contents::Load;
                rule(!goes_on || self.waited, "a resumed pass waits for its earlier draws")?;
                self.open = Some(pass.attachments);
            }
            Step::EndPass(attachments) => {
                rule(self.open == Some(*attachments), "the open pass ends")?;
                rule(!self.running, "capture ends before its pass")?;
                rule(self.queries == 0, "a query ends in the pass in which it began")?;
                let kept = self.draw.pass == PassState::Uninterruptible;
                rule(!kept || self.open != Some(Attachments::Application), "the pass is kept")?;
                self.open = None;
                self.waited = false;
                self.outputs = self.outputs.map(|seen| seen || self.device.api != Api::Vulkan);
            }
            Step::Barriers(barriers) => {
                rule(self.open.is_none(), "no barrier inside a pass")?;
                rule(self.device.api == Api::Vulkan, "only Vulkan has barriers")?;
                rule(!barriers.is_empty(), "a barrier waits for something")?;
                self.waited |= barriers.iter().any(|one| one.resource == Resource::Attachments);
                let outputs = barriers.iter().any(|one| one.resource == Resource::Outputs);
                self.outputs = self.outputs.map(|seen| seen || outputs);
            }
            Step::BeginQuery(_) => self.queries += 1,
            Step::EndQuery(_) => self.queries -= 1,
            Step::BindPipeline(bind) => {
                rule(!self.running, "no pipeline is bound while capture runs")?;
                self.bound = Some(*bind);
                self.computes = None;
            }
            Step::BindCompute(variant) => self.computes = Some(*variant),
            Step::BindFeedback(_) => rule(!self.running, "no buffer is bound while capture runs")?,
            Step::BeginFeedback(_) => {
                rule(self.open.is_some() && !self.running, "capture begins inside a pass")?;
                self.running = true;
            }
            Step::EndFeedback(_) => {
                rule(self.running, "capture that runs ends")?;
                self.running = false;
            }
            Step::Draw(_) => self.drawn()?,
            Step::Dispatch(_) => {
                rule(self.open.is_none(), "no dispatch inside a pass")?;
                rule(self.computes.is_some(), "a compute stage is bound")?;
                self.captures += 1;
                self.runs += 1;
                // In APIs in which passes wait, dispatches have their own passes, so no barrier is needed.
                self.outputs = (self.computes == Some(Variant::SpillOutputs))
                    .then_some(self.device.api != Api::Vulkan);
            }
            Step::WriteCounters(_) => rule(self.open.is_none(), "no copy inside a pass")?,
            Step::FindSegments | Step::CounterPass(_) => {
                rule(self.open.is_none(), "no dispatch inside a pass")?
            }
            Step::BindStorage(range) => self.bind(range)?,
            Step::Count(_)
            | Step::BindIndices(..)
            | Step::BindSegments(..)
            | Step::BindOutputs(..)
            | Step::FillIn(_)
            | Step::Advance(_) => {}
        }
        Ok(())
    }

    /// Checks WebGPU's rule that writable bindings of one buffer do not overlap ("encoder bind groups alias a
    /// writable resource"). Buffers of the same size may be the same buffer, unless their captured ranges overlap.
    fn bind(&mut self, range: &StorageRange) -> Result<(), String> {
        let Feedback::Active(active) = &self.draw.feedback else { return Ok(()) };
        let bound = |number: u32| active.buffers[number as usize].expect("it is bound");
        let own = bound(range.buffer);
        // Check the offset and the size.
        let alignment = u64::from(self.device.storage_alignment.max(1));
        let is_aligned = range.offset.is_multiple_of(alignment);
        rule(is_aligned && range.size.is_multiple_of(4), "bound ranges are aligned")?;
        let is_inside = range.size > 0 && range.offset + range.size <= own.buffer_size;
        rule(is_inside, "bound ranges lie within their buffers")?;
        let overlap = |one: [u64; 2], other: [u64; 2]| one[0].max(other[0]) < one[1].min(other[1]);
        let captured = |bound: Bound| {
            let end = bound.size.map_or(bound.buffer_size / 4 * 4, |size| bound.offset + size);
            [bound.offset, end]
        };
        // Check that no writable bindings of one buffer overlap in WebGPU.
        self.stored.retain(|other| other.buffer != range.buffer);
        for other in self.stored.iter().filter(|_| self.device.api == Api::WebGpu) {
            rule(
                (other.set, other.binding) != (range.set, range.binding),
                "a binding is bound once",
            )?;
            let its = bound(other.buffer);
            let is_one = match (own.buffer, its.buffer) {
                (Some(own), Some(its)) => own == its,
                _ => own.buffer_size == its.buffer_size && !overlap(captured(own), captured(its)),
            };
            let ranges = [range, other].map(|one| [one.offset, one.offset + one.size]);
            rule(!is_one || !overlap(ranges[0], ranges[1]), "written ranges are bound once")?;
        }
        self.stored.push(*range);
        Ok(())
    }

    fn drawn(&mut self) -> Result<(), String> {
        rule(self.open.is_some(), "a draw is inside a pass")?;
        self.captures += usize::from(self.running);
        let Some(bind) = self.bound else {
            // The previous draw's pipeline is still bound.
            self.rasterizes += usize::from(!self.pipeline.rasterizer_discard);
            return rule(self.running, "a pipeline is bound");
        };
        self.runs += usize::from(bind.variant != Variant::ReloadOutputs);
        match bind.variant {
            Variant::SpillOutputs => self.outputs = Some(false),
            Variant::ReloadOutputs => {
                rule(self.outputs == Some(true), "reloaded outputs have been stored before")?;
            }
            _ => {}
        }
        let stores = bind.variant.stores();
        self.captures += usize::from(stores);
        let rasterized =
            bind.rasterization == Rasterization::On && bind.position == Position::Unchanged;
        self.rasterizes += usize::from(rasterized);
        if bind.variant == Variant::Both {
            rule(self.device.stores_beside_outputs, "no stores beside outputs")?;
        }
        if bind.rasterization == Rasterization::Off {
            let without_outputs =
                matches!(bind.variant, Variant::CaptureOnly | Variant::SpillOutputs);
            rule(
                match self.device.rasterization_off {
                    RasterizationOff::Always => true,
                    RasterizationOff::WithoutOutputs => without_outputs,
                    RasterizationOff::Never => false,
                },
                "rasterization is off where it can be",
            )?;
        }
        let application = self.open == Some(Attachments::Application);
        rule(application || !rasterized, "rasterized draws use the attachments")
    }

    fn end(&self, plan: &Plan) -> Result<(), String> {
        let (active, runs_on) = match &self.draw.feedback {
            Feedback::Active(active) => (true, active.end == End::Running),
            Feedback::Inactive | Feedback::Paused => (false, false),
        };
        let native = plan.path == Some(Path::Extension);
        rule(plan.path.is_some() == active, "who captures is said")?;
        rule(self.captures == usize::from(active), "a draw is captured once, if it is active")?;
        let wanted = usize::from(!self.pipeline.rasterizer_discard);
        rule(self.rasterizes == wanted, "a draw is rasterized once, unless discarded")?;
        rule(self.running == (native && runs_on), "capture ends unless it runs on")?;
        if let Some(executions) = plan.shader_runs {
            let wanted = if executions.is_once() { 1 } else { 2 };
            rule(self.runs == wanted, "the shader runs as often as is said")?;
        }
        rule(self.queries == 0, "queries end")?;
        let inside = self.draw.pass != PassState::Outside;
        let wanted = inside || native && runs_on;
        rule(self.open.is_some() == wanted, "the pass is as it was")
    }
}
