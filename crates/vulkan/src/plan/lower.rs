//! Steps become commands, and what the host computes becomes numbers.

mod names;

use super::{Counted, Item, PlannedDraw, Sequence};
use crate::capture::place_words;
use crate::device::Device;
use crate::error::Error;
use crate::work::{
    Address, AddressAt, Constant, Draw, Indices, Place, ProvokingVertex, Range, Target, Work,
};
use ash::vk;
use names::{
    bind_storage, count, feedback_ranges, last_before_rasterization, place, places, topology,
};
use polyshade::transform_feedback::{self, BufferRange};
use polyshade_planner::{
    Attachments, Barrier, Bind, CountedBy, Counter, DrawCall, PassScope, Position, Query,
    Rasterization, Step, Word, WordRange, Words,
};
use std::collections::BTreeMap;

/// A command, with all that it depends on.
pub(super) enum Command {
    BeginPass(Option<usize>),
    EndPass,
    Wait(Vec<Barrier>),
    Copy(Range, Place),
    Update(Place, u32),
    BeginQuery(u32, Query),
    EndQuery(u32, Query),
    /// Binds the pipeline and the resources of the draw of the work with this index.
    Bind(usize),
    BindFeedback(Vec<Option<Range>>),
    BeginFeedback(Vec<Option<Place>>),
    EndFeedback(Vec<Option<Place>>),
    Draw(Call),
}

/// A draw command.
pub(super) enum Call {
    Vertices(transform_feedback::Draw),
    Indexed(Indices, std::ops::Range<u32>),
    Indirect(Place),
    IndexedIndirect(Indices, Place),
    ByteCount(Place, CountedBy, std::ops::Range<u32>),
}

/// A query's result: known, or in the pool under this number.
pub(super) enum Source {
    Host(Counted),
    Device(Query, u32),
}

/// A sequence as commands.
pub(super) struct Lowered<'a> {
    pub(super) work: Work<'a>,
    pub(super) commands: Vec<Command>,
    pub(super) queries: Vec<Source>,
    pub(super) on_device: u32,
    pub(super) scope: PassScope,
}

pub(super) fn lower<'a>(device: &Device, sequence: &Sequence<'a>) -> Result<Lowered<'a>, Error> {
    if !sequence.work.draws.is_empty() {
        return Err(Error::Work("a sequence has its draws among its items".to_owned()));
    }
    let lowered = Lowered {
        work: sequence.work.clone(),
        commands: Vec::new(),
        queries: Vec::new(),
        on_device: 0,
        scope: sequence.scope,
    };
    let mut lowering = Lowering {
        device,
        lowered,
        counters: BTreeMap::new(),
        running: Vec::new(),
        dummy: None,
        bound: Vec::new(),
        open: None,
    };
    for item in &sequence.items {
        lowering.item(item)?;
    }
    Ok(lowering.lowered)
}

struct Lowering<'a, 'd> {
    device: &'d Device,
    lowered: Lowered<'a>,
    /// The host's counters, by place.
    counters: BTreeMap<Counter, u32>,
    /// Where the draw before has left each feedback buffer.
    running: Vec<u32>,
    dummy: Option<usize>,
    /// Which feedback buffers have been bound.
    bound: Vec<bool>,
    /// The target of the pass that is open.
    open: Option<Option<usize>>,
}

/// A draw on its way.
struct Pending<'p, 'a> {
    planned: &'p PlannedDraw<'a>,
    numbers: transform_feedback::Draw,
    /// The draw with the pipeline that was bound last, and what was bound since.
    bound: Option<Draw<'a>>,
    /// The pass that the plan has begun, with its target.
    pass: Option<(Attachments, Option<usize>)>,
    /// The ranges that the host words say.
    ranges: Vec<BufferRange>,
    counts: Vec<Query>,
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

    /// A draw goes to the target of the pass that is open: the layers do not see it where nothing is rasterized.
    fn check_target(&self, pending: &Pending<'_, '_>) -> Result<(), Error> {
        match (self.open, &pending.bound) {
            (Some(open), Some(draw)) if draw.target != open => {
                let target = draw.target;
                Err(Error::Work(format!("a draw to target {target:?} in a pass with {open:?}")))
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
        };
        // A draw that the host counts has its vertex count before anything else wants it.
        for step in &planned.plan.steps {
            if let Step::Draw(DrawCall::CountedByHost(count) | DrawCall::Rewritten(Some(count))) =
                step
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
            Step::BeginPass(pass) => {
                if pass.scope != self.lowered.scope {
                    let (plan, sequence) = (pass.scope, self.lowered.scope);
                    let message = format!("a plan begins a {plan:?} in a sequence of {sequence:?}");
                    return Err(Error::Work(message));
                }
                let target = self.target(pending.planned, pass.attachments);
                pending.pass = Some((pass.attachments, target));
                self.begin_pass(target);
            }
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
            Step::EndQuery(query) => {
                let begun = self.lowered.queries.iter().rev().find_map(|source| match source {
                    Source::Device(other, number) if other == query => Some(*number),
                    _ => None,
                });
                let Some(number) = begun else {
                    return Err(Error::Work(
                        "a plan ends a query that it has not begun".to_owned(),
                    ));
                };
                self.push(Command::EndQuery(number, *query));
            }
            Step::Count(query) => pending.counts.push(*query),
            Step::BindPipeline(bind) => {
                pending.bound = Some(self.bind(pending, bind)?);
                self.push(Command::Bind(self.lowered.work.draws.len()));
            }
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
            Step::Draw(call) => {
                let call = self.call(pending, call)?;
                self.check_target(pending)?;
                self.lowered.work.draws.extend(pending.bound.take());
                self.push(Command::Draw(call));
            }
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

    /// Vulkan has no command that takes a feedback buffer away.
    fn bind_feedback(&mut self, ranges: &[Option<Range>]) -> Result<(), Error> {
        self.bound.resize(ranges.len().max(self.bound.len()), false);
        for (number, (bound, range)) in self.bound.iter_mut().zip(ranges).enumerate() {
            if *bound && range.is_none() {
                let message = format!("feedback buffer {number} has been bound and stays so");
                return Err(Error::Unsupported(message));
            }
            *bound |= range.is_some();
        }
        Ok(())
    }

    /// The target of a pass, made where the plan wants one that the application does not have.
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

    /// The draw with the pipeline that a plan binds.
    fn bind(&self, pending: &Pending<'_, 'a>, bind: &Bind) -> Result<Draw<'a>, Error> {
        let planned = pending.planned;
        let variant = planned.variants.iter().find(|(variant, _)| *variant == bind.variant);
        let Some((_, words)) = variant else {
            return Err(Error::Work(format!("the variant {:?} is not there", bind.variant)));
        };
        let mut draw = planned.draw.clone();
        let Some(stage) = last_before_rasterization(&mut draw) else {
            return Err(Error::Work("a draw has no stage before rasterization".to_owned()));
        };
        stage.words = words;
        if let Position::MovedAway { constant: Some(id) } = bind.position {
            stage.specialization.push((id, Constant::Bits32(1)));
        }
        draw.topology = topology(bind.assembly)?;
        draw.provoking_vertex = match planned.numbers.provoking_vertex {
            transform_feedback::ProvokingVertex::First => ProvokingVertex::First,
            // Where the device does not know it, nothing that a plan draws depends on it.
            transform_feedback::ProvokingVertex::Last
                if !self.device.capabilities().provoking_vertex.is_some_and(|has| has.last) =>
            {
                ProvokingVertex::First
            }
            transform_feedback::ProvokingVertex::Last => ProvokingVertex::Last,
        };
        draw.discard = bind.rasterization == Rasterization::Off;
        if let Some((_, target)) = pending.pass {
            draw.target = target;
        }
        // To a pass of the plan's own nothing is drawn.
        let own = pending.pass.is_some_and(|(attached, _)| attached != Attachments::Application);
        if draw.discard || own {
            draw.stages.retain(|stage| stage.stage != vk::ShaderStageFlags::FRAGMENT);
        }
        // What a counter says is not known yet, and not checked.
        let counted = planned
            .plan
            .steps
            .iter()
            .any(|step| matches!(step, Step::Draw(DrawCall::ByteCount(_))));
        let numbers = &pending.numbers;
        let end =
            |first: u32, count: u32| if counted { first } else { first.saturating_add(count) };
        draw.vertices = numbers.first_vertex..end(numbers.first_vertex, numbers.vertex_count);
        draw.instances =
            numbers.first_instance..end(numbers.first_instance, numbers.instance_count);
        Ok(draw)
    }

    fn fill_in(&mut self, pending: &mut Pending<'_, 'a>, words: &Words) -> Result<(), Error> {
        let range = |range: &WordRange| {
            if range.unbound {
                return Ok(BufferRange::UNBOUND);
            }
            let WordRange { offset, size, reached, .. } = *range;
            let reached = self.word(pending, &reached)?;
            Ok(BufferRange { offset, size, reached, ..BufferRange::default() })
        };
        pending.ranges = words.ranges.iter().map(range).collect::<Result<_, Error>>()?;
        let values = words.words.iter().map(|word| self.word(pending, word));
        let values = values.collect::<Result<Vec<u32>, Error>>()?;
        let Some(draw) = &mut pending.bound else {
            return Err(Error::Work("host words are filled in without a pipeline".to_owned()));
        };
        let block = place_words(words.place, &values, 0, draw, &mut self.lowered.work);
        for (number, word) in (0..).zip(&words.words) {
            let (Some(block), Word::AddressLow { buffer, offset }) = (block, word) else {
                continue;
            };
            let feedback = pending.planned.feedback.get(*buffer as usize);
            let feedback = *feedback.ok_or_else(not_captured)?;
            let of = Place { buffer: feedback, offset: *offset };
            let to = AddressAt::Buffer(Place { buffer: block, offset: 4 * number });
            draw.addresses.push(Address { of, to });
        }
        Ok(())
    }

    fn word(&self, pending: &Pending<'_, '_>, word: &Word) -> Result<u32, Error> {
        let numbers = &pending.numbers;
        match word {
            Word::Constant(value) => Ok(*value),
            Word::FirstVertex => Ok(numbers.first_vertex),
            Word::VertexCount => Ok(numbers.vertex_count),
            Word::FirstInstance => Ok(numbers.first_instance),
            Word::Slots => {
                Ok(corners(numbers, numbers.topology.primitives(numbers.vertex_count).into()))
            }
            Word::Limit => {
                let capture = pending.planned.capture.ok_or_else(not_captured)?;
                let written = capture.layout.primitives_written(numbers, &pending.ranges);
                Ok(corners(numbers, written.map_err(|error| Error::Work(error.to_string()))?))
            }
            Word::Start(number) => {
                let range = pending.ranges.get(*number as usize).copied().unwrap_or_default();
                Ok(range.offset.saturating_add(range.reached))
            }
            // The address itself is not known yet.
            Word::AddressLow { .. } | Word::AddressHigh { .. } => Ok(0),
            Word::Counter(counter) => self.counter(counter),
            Word::Running(number) => self
                .running
                .get(*number as usize)
                .copied()
                .ok_or_else(|| Error::Work("capture goes on, and has not begun".to_owned())),
        }
    }

    /// The host's value of a counter.
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
        let advanced = capture.layout.advance(&pending.numbers, &pending.ranges);
        let advanced = advanced.map_err(|error| Error::Work(error.to_string()))?;
        self.running = advanced.iter().map(|range| range.reached).collect();
        for (counter, reached) in saved.iter().zip(&self.running) {
            self.counters.extend(counter.map(|counter| (counter, *reached)));
        }
        Ok(())
    }

    fn call(&mut self, pending: &Pending<'_, 'a>, call: &DrawCall) -> Result<Call, Error> {
        let numbers = pending.numbers;
        let end = numbers.first_instance.saturating_add(numbers.instance_count);
        let instances = numbers.first_instance..end;
        let indices = || {
            let indices = pending.planned.draw.indices;
            indices.ok_or_else(|| Error::Work("a draw has no indices".to_owned()))
        };
        let arguments = || {
            let arguments = pending.planned.arguments;
            arguments.ok_or_else(|| Error::Work("a draw has no arguments".to_owned()))
        };
        match call {
            DrawCall::Vertices | DrawCall::CountedByHost(_) => Ok(Call::Vertices(numbers)),
            DrawCall::Indexed => Ok(Call::Indexed(indices()?, instances)),
            DrawCall::Indirect => Ok(Call::Indirect(arguments()?)),
            DrawCall::IndexedIndirect => Ok(Call::IndexedIndirect(indices()?, arguments()?)),
            DrawCall::Rewritten(_) => {
                let indices = self.rewritten(&numbers)?;
                Ok(Call::Indexed(indices, instances))
            }
            DrawCall::ByteCount(count) => {
                let has = self.device.capabilities().transform_feedback;
                if !has.is_some_and(|has| has.draw) {
                    return Err(Error::Missing("draws with a byte count"));
                }
                Ok(Call::ByteCount(place(&count.counter), *count, instances))
            }
        }
    }

    /// Indices that make a line strip of a line loop, and a triangle list of a fan.
    fn rewritten(&mut self, numbers: &transform_feedback::Draw) -> Result<Indices, Error> {
        let vertices = numbers.vertex_count;
        use transform_feedback::ProvokingVertex as Provoking;
        use transform_feedback::Topology as Captured;
        let indices: Vec<u32> = match (numbers.topology, numbers.provoking_vertex) {
            (Captured::LineLoop, _) => (0..vertices).chain((vertices > 1).then_some(0)).collect(),
            (Captured::TriangleFan, Provoking::First) => {
                (2..vertices).flat_map(|last| [last - 1, last, 0]).collect()
            }
            (Captured::TriangleFan, Provoking::Last) => {
                (2..vertices).flat_map(|last| [0, last - 1, last]).collect()
            }
            (other, _) => return Err(Error::Unsupported(format!("rewriting {other:?}"))),
        };
        let indices: Vec<u8> = indices.into_iter().flat_map(u32::to_ne_bytes).collect();
        let count = (indices.len() / 4) as u32;
        self.lowered.work.buffers.push(indices);
        Ok(Indices {
            place: Place { buffer: self.lowered.work.buffers.len() - 1, offset: 0 },
            index_type: vk::IndexType::UINT32,
            count,
            first: 0,
            vertex_offset: numbers.first_vertex as i32,
            restart: false,
        })
    }
}

fn not_captured() -> Error {
    Error::Work("the host counts, and does not know what is captured".to_owned())
}

/// The corners of so many primitives of a draw; what does not fit into a word is more than any buffer holds.
fn corners(draw: &transform_feedback::Draw, primitives: u64) -> u32 {
    let corners = primitives * u64::from(draw.topology.vertices_per_primitive());
    u32::try_from(corners).unwrap_or(u32::MAX)
}
