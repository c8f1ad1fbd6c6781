//! Checks plans against Vulkan's rules for memory dependencies between buffer accesses, and finds accesses that do
//! not wait for earlier accesses.
//!
//! The validation layer checks synchronization, but ignores captured data and counters of transform feedback, which
//! this check covers. It processes a sequence in execution order, and shares only the type of steps with the planner.

use polyshade_planner::{
    Accesses, Barrier, Counter, Counters, DrawCall, FeedbackRange, ParamValue, Scope, Stages, Step,
    StorageRange,
};
use polyshade_vulkan::{Item, PlannedDraw, Range, Resource, Sequence};

/// An access to a range, with the dependencies on it so far.
struct Access {
    range: Range,
    scope: Scope,
    writes: bool,
    /// The stages that an execution dependency orders after the access.
    behind: Stages,
    /// Whether a barrier has made the write available, and the scopes to which the write is visible.
    available: bool,
    seen_by: Vec<Scope>,
}

/// The accesses so far, and the hazards among them.
#[derive(Default)]
struct Walk {
    accesses: Vec<Access>,
    found: Vec<String>,
    /// The bound feedback buffers, which stay bound while a capture is active.
    feedback: Vec<Option<Range>>,
    /// Whether native capture is active, and if so, whether it resumed at a counter.
    running: Option<bool>,
    /// The number of accesses before the capture began.
    begun: usize,
    /// The number of draws, each with its own buffer for spilled outputs.
    draws: usize,
}

/// The earlier accesses for which an access need not wait.
#[derive(Clone, Copy, PartialEq)]
enum InOrder {
    Nothing,
    /// The writes of the capture that the access continues, because they are to other bytes of the same range.
    Captures,
    /// All accesses from this number on. The end of a capture need not wait for the counter reads of its begin.
    Since(usize),
}

/// Returns the accesses that lack a dependency, in command order.
pub(crate) fn hazards(sequence: &Sequence<'_>) -> Vec<String> {
    let mut walk = Walk::default();
    for item in &sequence.items {
        match item {
            Item::BeginPass(_) | Item::EndPass => {}
            Item::Wait(barrier) => walk.wait(barrier),
            Item::Copy(from, to) => {
                walk.reads(*from, Stages::TRANSFER, Accesses::TRANSFER_READ);
                let to = Range { buffer: to.buffer, offset: to.offset, size: from.size };
                walk.writes(to, Stages::TRANSFER, Accesses::TRANSFER_WRITE, InOrder::Nothing);
            }
            Item::Draw(planned) => walk.draw(planned),
        }
    }
    walk.found
}

fn overlap(one: &Range, other: &Range) -> bool {
    one.buffer == other.buffer
        && one.offset < other.offset + other.size
        && other.offset < one.offset + one.size
}

fn meet(one: Stages, other: Stages) -> bool {
    one.bits() & other.bits() != 0
}

impl Walk {
    fn reads(&mut self, range: Range, stages: Stages, accesses: Accesses) {
        self.access(range, Scope { stages, accesses }, false, InOrder::Nothing);
    }

    fn writes(&mut self, range: Range, stages: Stages, accesses: Accesses, in_order: InOrder) {
        self.access(range, Scope { stages, accesses }, true, in_order);
    }

    /// Checks an access and adds it; `scope` has one stage and one access flag.
    fn access(&mut self, range: Range, scope: Scope, writes: bool, in_order: InOrder) {
        for (number, before) in self.accesses.iter_mut().enumerate() {
            let is_in_order = match in_order {
                InOrder::Nothing => false,
                InOrder::Captures => before.writes && before.scope == scope,
                InOrder::Since(begun) => number >= begun,
            };
            if !overlap(&before.range, &range) || !(before.writes || writes) {
                continue;
            }
            if is_in_order {
                before.behind = before.behind | scope.stages;
                continue;
            }
            let is_behind = before.behind.contains(scope.stages);
            let sees = |seen: &Scope| {
                seen.stages.contains(scope.stages) && seen.accesses.contains(scope.accesses)
            };
            // A write need not see the earlier data.
            let is_seen =
                !before.writes || before.available && (writes || before.seen_by.iter().any(sees));
            if !is_behind || !is_seen {
                let from = &before.scope;
                self.found.push(format!("{scope:?} does not wait for {from:?} of {range:?}"));
            }
        }
        self.accesses.push(Access {
            range,
            scope,
            writes,
            behind: Stages::default(),
            available: false,
            seen_by: Vec::new(),
        });
    }

    fn wait(&mut self, barrier: &Barrier) {
        let Barrier { from, to, .. } = barrier;
        for access in &mut self.accesses {
            let own = from.stages.contains(access.scope.stages);
            if !own && !meet(access.behind, from.stages) {
                continue;
            }
            access.behind = access.behind | to.stages;
            access.available |= own && from.accesses.contains(access.scope.accesses);
            if access.available {
                access.seen_by.push(*to);
            }
        }
    }

    fn draw(&mut self, planned: &PlannedDraw<'_>) {
        let mut stored = Vec::new();
        let mut stores = false;
        let outputs = Range { buffer: usize::MAX - self.draws, offset: 0, size: 1 };
        self.draws += 1;
        let mut passes = false;
        let mut in_order = InOrder::Nothing;
        for step in &planned.plan.steps {
            match step {
                Step::Barriers(barriers) => barriers.iter().for_each(|one| self.wait(one)),
                Step::BindPipeline(bind) => {
                    stores = bind.variant.stores();
                    (stored, passes) = (Vec::new(), false);
                }
                Step::BindCompute(_) => (stored, passes) = (Vec::new(), false),
                Step::BindOutputs(..) => passes = true,
                Step::BindStorage(range) => stored.push(storage(planned, range)),
                Step::BindFeedback(ranges) => {
                    let ranges = ranges.iter().enumerate();
                    self.feedback =
                        ranges.map(|(at, range)| feedback(planned, at, range)).collect();
                }
                Step::FillIn(words) => {
                    let mut words = words.names.iter().zip(&words.values);
                    let goes_on = words.any(|(name, word)| {
                        name.starts_with("counter") && *word != ParamValue::Constant(0)
                    });
                    in_order = if goes_on { InOrder::Captures } else { InOrder::Nothing };
                }
                Step::BeginFeedback(counters) => self.begins(counters),
                Step::EndFeedback(counters) => self.ends(counters),
                Step::WriteCounters(counters) => {
                    for range in counters.iter().map(counter_range) {
                        let access = Accesses::TRANSFER_WRITE;
                        self.writes(range, Stages::TRANSFER, access, InOrder::Nothing);
                    }
                }
                Step::Dispatch(_) => {
                    self.resources(planned, Stages::COMPUTE_SHADER);
                    self.stores(&stored, Stages::COMPUTE_SHADER, in_order);
                    if passes {
                        self.stores(&[outputs], Stages::COMPUTE_SHADER, InOrder::Nothing);
                    }
                }
                Step::Draw(call) => {
                    self.inputs(planned, call);
                    self.captures();
                    if stores {
                        self.stores(&stored, Stages::VERTEX_SHADER, in_order);
                    }
                    match passes {
                        true if stores => {
                            self.stores(&[outputs], Stages::VERTEX_SHADER, InOrder::Nothing);
                        }
                        true => self.reads(outputs, Stages::VERTEX_SHADER, Accesses::SHADER_READ),
                        false => {}
                    }
                }
                // The validation layer does not track buffer device addresses.
                Step::FindSegments | Step::CounterPass(_) => {}
                Step::BeginPass(_)
                | Step::EndPass(_)
                | Step::BindIndices(..)
                | Step::BindSegments(..)
                | Step::BeginQuery(_)
                | Step::EndQuery(_)
                | Step::Count(_)
                | Step::Advance(_) => {}
            }
        }
    }

    /// Begins a native capture.
    fn begins(&mut self, counters: &Counters) {
        self.running = Some(counters.counters.iter().any(Option::is_some));
        self.begun = self.accesses.len();
        // According to the specification, either stage may make this read.
        for stage in [Stages::DRAW_INDIRECT, Stages::TRANSFORM_FEEDBACK] {
            let read = Accesses::TRANSFORM_FEEDBACK_COUNTER_READ;
            ranges(counters).for_each(|range| self.reads(range, stage, read));
        }
    }

    /// Ends a native capture.
    fn ends(&mut self, counters: &Counters) {
        let access = Accesses::TRANSFORM_FEEDBACK_COUNTER_WRITE;
        for range in ranges(counters) {
            let in_order = InOrder::Since(self.begun);
            self.writes(range, Stages::TRANSFORM_FEEDBACK, access, in_order);
        }
        self.running = None;
    }

    /// Adds a draw's reads of vertex and index buffers. A read extends to the end of the buffer.
    fn inputs(&mut self, planned: &PlannedDraw<'_>, call: &DrawCall) {
        let rest = |buffer, offset| Range { buffer, offset, size: u64::MAX / 2 };
        for vertices in &planned.draw.vertex_buffers {
            let range = rest(vertices.place.buffer, vertices.place.offset);
            self.reads(range, Stages::VERTEX_INPUT, Accesses::VERTEX_ATTRIBUTE_READ);
        }
        self.resources(planned, Stages::VERTEX_SHADER);
        let arguments = planned.arguments.map(|one| rest(one.place.buffer, one.place.offset));
        let indices = planned.draw.indices.map(|indices| indices.place);
        let indices = indices.map(|place| rest(place.buffer, place.offset));
        let counter = match call {
            DrawCall::ByteCount(count) => Some(counter_range(&count.counter)),
            _ => None,
        };
        let indirect = matches!(call, DrawCall::Indirect | DrawCall::IndexedIndirect);
        let indexed = matches!(call, DrawCall::Indexed | DrawCall::IndexedIndirect);
        for range in arguments.filter(|_| indirect).into_iter().chain(counter) {
            self.reads(range, Stages::DRAW_INDIRECT, Accesses::INDIRECT_COMMAND_READ);
        }
        if let Some(range) = indices.filter(|_| indexed) {
            self.reads(range, Stages::VERTEX_INPUT, Accesses::INDEX_READ);
        }
    }

    /// Adds a variant's stores.
    fn stores(&mut self, ranges: &[Range], stage: Stages, in_order: InOrder) {
        for range in ranges {
            self.writes(*range, stage, Accesses::SHADER_WRITE, in_order);
        }
    }

    /// Adds the reads of the captured shader's own resources.
    fn resources(&mut self, planned: &PlannedDraw<'_>, stage: Stages) {
        for descriptor in &planned.draw.descriptors {
            let (range, access) = match descriptor.resource {
                Resource::StorageBuffer(range) => (range, Accesses::SHADER_READ),
                Resource::UniformBuffer(range) => (range, Accesses::UNIFORM_READ),
                _ => continue,
            };
            self.reads(range, stage, access);
        }
    }

    /// Adds the writes of native capture. Draws of one capture append to each other's data.
    fn captures(&mut self) {
        let Some(goes_on) = self.running else { return };
        self.running = Some(true);
        let (stage, access) = (Stages::TRANSFORM_FEEDBACK, Accesses::TRANSFORM_FEEDBACK_WRITE);
        for range in self.feedback.clone().into_iter().flatten() {
            let in_order = if goes_on { InOrder::Captures } else { InOrder::Nothing };
            self.writes(range, stage, access, in_order);
        }
    }
}

fn storage(planned: &PlannedDraw<'_>, range: &StorageRange) -> Range {
    let buffer = planned.feedback[range.buffer as usize];
    Range { buffer, offset: range.offset, size: range.size }
}

fn feedback(
    planned: &PlannedDraw<'_>,
    number: usize,
    range: &Option<FeedbackRange>,
) -> Option<Range> {
    let FeedbackRange { offset, size } = (*range)?;
    Some(Range { buffer: planned.feedback[number], offset, size })
}

fn counter_range(counter: &Counter) -> Range {
    Range { buffer: counter.buffer as usize, offset: counter.offset, size: 4 }
}

fn ranges(counters: &Counters) -> impl Iterator<Item = Range> {
    counters.counters.iter().flatten().map(counter_range)
}
