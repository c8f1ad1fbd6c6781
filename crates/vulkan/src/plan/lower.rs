//! Translates the steps of plans to commands, and evaluates the host's computations.

mod calls;
mod jobs;
mod names;
mod words;

use super::jobs::PlacedJob;
use super::{Counted, IndirectArguments, Item, PlannedDraw, Sequence};
use crate::capabilities::Capabilities;
use crate::error::Error;
use crate::work::{Constant, Draw, Indices, Place, Range, Target, Work};
use ash::vk;
use names::{
    bind_compute, bind_indices, bind_outputs, bind_segments, bind_storage, captured_stage, count,
    feedback_ranges, place, places, topology,
};
use polyshade::transform_feedback::{self, BufferRange};
use polyshade_planner::{
    Assembly, Attachments, Barrier, Bind, CountedBy, Counter, DrawCall, Pass, PassScope, Position,
    Query, Rasterization, Step, Variant, counter_pass,
};
use std::collections::BTreeMap;

/// A command with all its parameters.
pub(super) enum Command {
    BeginPass(Option<usize>),
    EndPass,
    Wait(Vec<Barrier>),
    Copy(Range, Place),
    Update(Place, u32),
    BeginQuery(u32, Query),
    EndQuery(u32, Query),
    /// Binds the pipeline and the resources of the draw with this index in the work.
    Bind(usize),
    BindFeedback(Vec<Option<Range>>),
    BeginFeedback(Vec<Option<Place>>),
    EndFeedback(Vec<Option<Place>>),
    Draw(Call),
    Dispatch(Groups),
    /// Dispatches a shader of the counter pass for the job with this index.
    CounterPass(counter_pass::Shader, usize),
}

pub(super) enum Call {
    Vertices(transform_feedback::Draw),
    Indexed(Indices, std::ops::Range<u32>),
    Indirect(IndirectArguments),
    IndexedIndirect(Indices, IndirectArguments),
    ByteCount(Place, CountedBy, std::ops::Range<u32>),
}

/// The numbers of work groups of a dispatch.
#[derive(Clone, Copy)]
pub(super) enum Groups {
    Known([u32; 3]),
    /// The numbers at a place in a buffer.
    Indirect(Place),
}

/// The source of a query's result. A query in a pool is identified by its number.
pub(super) enum Source {
    Host(Counted),
    Device(Query, u32),
    /// The place to which the counter pass adds its counts.
    PlacedJob(Query, Place),
}

pub(super) struct Lowered<'a> {
    pub(super) work: Work<'a>,
    pub(super) commands: Vec<Command>,
    pub(super) queries: Vec<Source>,
    pub(super) on_device: u32,
    pub(super) jobs: Vec<PlacedJob>,
    pub(super) scope: PassScope,
}

pub(super) fn lower<'a>(
    device: &Capabilities,
    sequence: &Sequence<'a>,
) -> Result<Lowered<'a>, Error> {
    if !sequence.work.draws.is_empty() {
        return Err(Error::work("the draws of a sequence must be among its items"));
    }
    let lowered = Lowered {
        work: sequence.work.clone(),
        commands: Vec::new(),
        queries: Vec::new(),
        on_device: 0,
        jobs: Vec::new(),
        scope: sequence.scope,
    };
    let mut lowering = Lowering {
        device,
        lowered,
        counters: BTreeMap::new(),
        running: Vec::new(),
        dummy: None,
        state: None,
        spare: Vec::new(),
        bound: Vec::new(),
        open: None,
    };
    for item in &sequence.items {
        lowering.item(item)?;
    }
    Ok(lowering.lowered)
}

struct Lowering<'a, 'd> {
    device: &'d Capabilities,
    lowered: Lowered<'a>,
    /// The values of the host's counters, by place.
    counters: BTreeMap<Counter, u32>,
    /// The counter of each feedback buffer after the previous draw.
    running: Vec<u32>,
    dummy: Option<usize>,
    /// The state of the capture that began last, in the memory of the counter pass.
    state: Option<Place>,
    /// Buffers for unused bindings of the counter pass, one for each binding, because its shaders may store to all
    /// bindings.
    spare: Vec<usize>,
    /// Whether each feedback buffer has been bound.
    bound: Vec<bool>,
    /// The target of the active pass.
    open: Option<Option<usize>>,
}

/// A draw whose plan is being translated.
struct Pending<'p, 'a> {
    planned: &'p PlannedDraw<'a>,
    numbers: transform_feedback::Draw,
    /// The draw with the last bound pipeline and everything bound after it.
    bound: Option<Draw<'a>>,
    /// The pass that the plan has begun, and its target.
    pass: Option<(Attachments, Option<usize>)>,
    /// The ranges in the host parameters.
    ranges: Vec<BufferRange>,
    counts: Vec<Query>,
    /// The segment table, which the host writes, or the counter pass for the first draw.
    table: Option<Range>,
    /// The buffer of spilled outputs.
    outputs: Option<usize>,
    /// The job of the counter pass that counts the draw, and whether the bound variant reads its parameters.
    kept: Option<usize>,
    stores: bool,
}

impl<'a> Lowering<'a, '_> {
    fn item(&mut self, item: &Item<'a>) -> Result<(), Error> {
        match item {
            Item::BeginPass(target) => self.begin_pass(*target),
            Item::EndPass => self.end_pass(),
            Item::Wait(barrier) => self.push(Command::Wait(vec![*barrier])),
            Item::Copy(from, to) => self.push(Command::Copy(*from, *to)),
            Item::Draw(planned) => self.draw(planned)?,
        }
        Ok(())
    }

    fn push(&mut self, command: Command) {
        self.lowered.commands.push(command);
    }

    fn begin_pass(&mut self, target: Option<usize>) {
        self.open = Some(target);
        self.push(Command::BeginPass(target));
    }

    fn end_pass(&mut self) {
        self.open = None;
        self.push(Command::EndPass);
    }

    /// Checks that a draw uses the active pass's target. Without rasterization, the validation layer does not check
    /// this.
    fn check_target(&self, pending: &Pending<'_, '_>) -> Result<(), Error> {
        match (self.open, &pending.bound) {
            (Some(open), Some(draw)) if draw.target != open => {
                let target = draw.target;
                Err(Error::Work(format!("a draw uses target {target:?} in a pass with {open:?}")))
            }
            _ => Ok(()),
        }
    }

    fn draw(&mut self, planned: &PlannedDraw<'a>) -> Result<(), Error> {
        let mut pending = Pending {
            planned,
            numbers: planned.numbers,
            bound: None,
            pass: None,
            ranges: Vec::new(),
            counts: Vec::new(),
            table: None,
            outputs: None,
            kept: None,
            stores: false,
        };
        if planned.capture.is_some_and(|capture| capture.words.number("index_size").is_some()) {
            self.read_indices(&mut pending)?;
        }
        // A vertex count from the host's counters is needed before all other steps.
        for step in &planned.plan.steps {
            if let Step::Draw(call) | Step::Dispatch(call) = step
                && let DrawCall::CountedByHost(count) | DrawCall::Rewritten(Some(count)) = call
            {
                pending.numbers.vertex_count = count.vertices(self.counter(&count.counter)?);
            }
        }
        for step in &planned.plan.steps {
            self.step(&mut pending, step)?;
        }
        for query in pending.counts {
            let counts = count(&pending.numbers, planned, &pending.ranges, query)?;
            self.lowered.queries.push(Source::Host(Counted { query, counts }));
        }
        Ok(())
    }

    fn step(&mut self, pending: &mut Pending<'_, 'a>, step: &Step) -> Result<(), Error> {
        match step {
            Step::BeginPass(pass) => self.planned_pass(pending, pass)?,
            Step::EndPass(_) => {
                pending.pass = None;
                self.end_pass();
            }
            Step::Barriers(barriers) => self.push(Command::Wait(barriers.clone())),
            Step::BeginQuery(query) => {
                let number = self.lowered.on_device;
                self.lowered.on_device += 1;
                self.lowered.queries.push(Source::Device(*query, number));
                self.push(Command::BeginQuery(number, *query));
            }
            Step::EndQuery(query) => self.end_query(query)?,
            Step::Count(query) => pending.counts.push(*query),
            Step::BindPipeline(bind) => {
                pending.stores = bind.variant.stores();
                pending.bound = Some(self.bind(pending, bind)?);
                self.bind_next();
            }
            Step::BindCompute(variant) => {
                pending.stores = true;
                pending.bound = Some(bind_compute(pending, *variant)?);
                self.bind_next();
            }
            Step::BindIndices(set, binding) => {
                bind_indices(pending, (self.device, &self.lowered.work), *set, *binding)?;
            }
            Step::BindSegments(set, binding) => {
                bind_segments(pending, *set, *binding)?;
            }
            Step::BindOutputs(set, binding) => {
                bind_outputs(pending, &mut self.lowered.work, *set, *binding)?;
            }
            Step::FindSegments => self.push(Command::CounterPass(
                counter_pass::Shader::Segments,
                self.lowered.jobs.len(),
            )),
            Step::CounterPass(keep) => self.counter_pass(pending, keep)?,
            Step::BindStorage(range) => bind_storage(pending, range)?,
            Step::BindFeedback(ranges) => {
                let ranges = feedback_ranges(pending.planned, ranges)?;
                self.bind_feedback(&ranges)?;
                self.push(Command::BindFeedback(ranges));
            }
            Step::FillIn(words) => self.fill_in(pending, words)?,
            Step::BeginFeedback(counters) => {
                self.push(Command::BeginFeedback(places(counters)));
            }
            Step::EndFeedback(counters) => {
                self.push(Command::EndFeedback(places(counters)));
            }
            Step::Draw(call) => self.planned_draw(pending, call)?,
            Step::Dispatch(call) => self.planned_dispatch(pending, call)?,
            Step::Advance(saved) => self.advance(pending, saved)?,
            Step::WriteCounters(counters) => {
                for counter in counters {
                    let value = self.counter(counter)?;
                    self.push(Command::Update(place(counter), value));
                }
            }
        }
        Ok(())
    }

    fn planned_pass(&mut self, pending: &mut Pending<'_, 'a>, pass: &Pass) -> Result<(), Error> {
        if pass.scope != self.lowered.scope {
            let (plan, sequence) = (pass.scope, self.lowered.scope);
            let message = format!(
                "a plan begins a pass with scope {plan:?} in a sequence with scope {sequence:?}"
            );
            return Err(Error::Work(message));
        }
        let target = self.target(pending.planned, pass.attachments);
        pending.pass = Some((pass.attachments, target));
        self.begin_pass(target);
        Ok(())
    }

    fn end_query(&mut self, query: &Query) -> Result<(), Error> {
        let begun = self.lowered.queries.iter().rev().find_map(|source| match source {
            Source::Device(other, number) if other == query => Some(*number),
            _ => None,
        });
        let Some(number) = begun else {
            return Err(Error::work("a plan ends a query that it has not begun"));
        };
        self.push(Command::EndQuery(number, *query));
        Ok(())
    }

    /// Binds the resources of the next draw.
    fn bind_next(&mut self) {
        self.push(Command::Bind(self.lowered.work.draws.len()));
    }

    /// Records the bound feedback buffers. Vulkan has no command to unbind a buffer.
    fn bind_feedback(&mut self, ranges: &[Option<Range>]) -> Result<(), Error> {
        self.bound.resize(ranges.len().max(self.bound.len()), false);
        for (number, (bound, range)) in self.bound.iter_mut().zip(ranges).enumerate() {
            if *bound && range.is_none() {
                let message = format!("unbinding feedback buffer {number}");
                return Err(Error::Unsupported(message));
            }
            *bound |= range.is_some();
        }
        Ok(())
    }

    /// Returns the target of a pass. Adds a target if the plan needs one that the application does not have.
    fn target(&mut self, planned: &PlannedDraw<'_>, attachments: Attachments) -> Option<usize> {
        match attachments {
            Attachments::Application => planned.draw.target,
            Attachments::None => None,
            Attachments::Dummy => Some(*self.dummy.get_or_insert_with(|| {
                let format = vk::Format::R8G8B8A8_UNORM;
                self.lowered.work.targets.push(Target::new(format, 1, 1));
                self.lowered.work.targets.len() - 1
            })),
        }
    }

    /// Returns the draw with the pipeline that a plan binds.
    fn bind(&self, pending: &Pending<'_, 'a>, bind: &Bind) -> Result<Draw<'a>, Error> {
        let planned = pending.planned;
        let mut draw = planned.draw.clone();
        let stage = captured_stage(planned, &mut draw, bind.variant)?;
        if let Position::MovedAway { constant: Some(id) } = bind.position {
            stage.specialization.push((id, Constant::Bits32(1)));
        }
        draw.topology = topology(bind.assembly)?;
        draw.provoking_vertex = bind.provoking_vertex;
        draw.discard = bind.rasterization == Rasterization::Off;
        if let Some((_, target)) = pending.pass {
            draw.target = target;
        }
        // Nothing is drawn in a pass that the plan begins with its own attachments.
        let own = pending.pass.is_some_and(|(attached, _)| attached != Attachments::Application);
        if draw.discard || own {
            draw.stages.retain(|stage| stage.stage != vk::ShaderStageFlags::FRAGMENT);
        }
        let passes = bind.variant == Variant::ReloadOutputs;
        if bind.assembly == Assembly::Points || passes {
            draw.indices = None;
        }
        if passes {
            draw.vertex_buffers.clear();
        }
        // The host does not know counts on the device, so they are not checked.
        let counted = |step: &Step| {
            matches!(
                step,
                Step::Draw(DrawCall::ByteCount(_) | DrawCall::FromCounterPass | DrawCall::Indirect)
            )
        };
        let counted = planned.plan.steps.iter().any(counted);
        let numbers = &pending.numbers;
        let end =
            |first: u32, count: u32| if counted { first } else { first.saturating_add(count) };
        draw.vertices = numbers.first_vertex..end(numbers.first_vertex, numbers.vertex_count);
        draw.instances =
            numbers.first_instance..end(numbers.first_instance, numbers.instance_count);
        Ok(draw)
    }

    fn counter(&self, counter: &Counter) -> Result<u32, Error> {
        let known = self.counters.get(counter).copied();
        known.ok_or_else(|| Error::Work(format!("the host has not saved {counter:?}")))
    }

    fn advance(
        &mut self,
        pending: &Pending<'_, '_>,
        saved: &[Option<Counter>],
    ) -> Result<(), Error> {
        let Some(capture) = pending.planned.capture else {
            return Err(not_captured());
        };
        let advanced = capture.layout.advance(&pending.numbers, &pending.ranges)?;
        self.running = advanced.iter().map(|range| range.counter).collect();
        for (counter, reached) in saved.iter().zip(&self.running) {
            self.counters.extend(counter.map(|counter| (counter, *reached)));
        }
        Ok(())
    }
}

fn not_captured() -> Error {
    Error::work("the host tracks the counters, but the number of captured primitives is unknown")
}
