//! Replays the memory accesses of plans, step by step.

use super::host::{Item, dispatched, has_device_counters};
use super::memory::{Access, Cells, DataKind, Memory};
use super::sequence::{Drawn, Used, cell};
use super::{Found, accesses};
use polyshade_planner::{
    Accesses, Api, Attachments, Bind, Contents, Counter, CounterPass, Counters, Device, DrawCall,
    Pass, Path, Plan, Scope, ShaderStage, Stages, Step, Use, Variant,
};
use std::ops::Range;

/// Returns the hazards among executed items, and the barriers that no access needs.
pub fn replay(device: &Device, items: &[Item]) -> Found {
    let mut replay = Replay { device, memory: Memory::new(device.api) };
    replay.submit_before();
    for item in items {
        match item {
            Item::BeginPass => replay.begin_application_pass(),
            Item::EndPass => replay.memory.enter(),
            Item::Wait(barrier) => replay.memory.wait(barrier),
            Item::Other(used) => {
                replay.memory.enter();
                // The sequence does not record whether indirect arguments are those of a dispatch or of a draw.
                replay.uses(used, used.by == Use::IndirectArguments);
                replay.memory.enter();
            }
            Item::Draw(drawn, plan) => replay.draw(drawn, plan),
        }
    }
    let idle = replay.memory.idle();
    Found { hazards: replay.memory.hazards, idle }
}

struct Replay<'s> {
    device: &'s Device,
    memory: Memory,
}

/// The bound pipeline and the active capture within a plan.
#[derive(Default)]
struct State {
    bind: Option<Bind>,
    /// The accesses that began the capture.
    begun: Range<usize>,
}

/// Returns some cells of the counter pass's memory.
const fn kept(cells: u64) -> Cells {
    Cells { kind: DataKind::Kept, buffer: 0, cells }
}

/// The whole memory of the counter pass.
const KEPT: Cells = kept(u64::MAX);
/// The cell with the states of captures.
const STATES: u64 = 1 << 63;

/// Returns the cells with the host parameters and arguments of a draw.
fn words_of(drawn: &Drawn) -> Cells {
    assert!(drawn.number < 63, "a sequence has fewer than 63 draws");
    kept(1 << drawn.number)
}

/// Returns whether a fragment stage makes the use.
fn is_of_fragments(by: Use) -> bool {
    accesses(by).iter().any(|(scope, _)| scope.stages == Stages::FRAGMENT_SHADER)
}

impl Replay<'_> {
    fn begin_application_pass(&mut self) {
        self.memory.forget_attachments();
        self.memory.enter();
        self.attachments();
    }

    /// Adds a pass's accesses to its attachments, in order: loads and clears, draws, stores.
    fn attachments(&mut self) {
        use Accesses as A;
        let (early, late) = (Stages::EARLY_FRAGMENT_TESTS, Stages::LATE_FRAGMENT_TESTS);
        let (read, write) = (A::DEPTH_STENCIL_ATTACHMENT_READ, A::DEPTH_STENCIL_ATTACHMENT_WRITE);
        let color = Stages::COLOR_ATTACHMENT_OUTPUT;
        let begun = self.memory.now();
        // Early tests write a part of the depth values and late tests the rest.
        for (buffer, cells, stages, accesses, writes) in [
            (0, 1, color, A::COLOR_ATTACHMENT_READ, false),
            (0, 1, color, A::COLOR_ATTACHMENT_WRITE, true),
            (1, 3, early, read, false),
            (1, 3, late, read, false),
            (1, 1, early, write, true),
            (1, 2, late, write, true),
        ] {
            let cells = Cells { kind: DataKind::Attachments, buffer, cells };
            let scope = Scope { stages, accesses };
            let access = Access { cells, scope, writes, drawn: false };
            self.memory.access(access, begun..usize::MAX);
        }
    }

    fn uses(&mut self, used: &Used, drawn: bool) {
        self.uses_since(self.memory.now(), used, drawn);
    }

    /// Adds the accesses of a use. They need not wait for the accesses from number `since` on, which have the same
    /// origin.
    fn uses_since(&mut self, since: usize, used: &Used, drawn: bool) {
        for (scope, writes) in accesses(used.by) {
            let access = Access { cells: used.cells, scope, writes, drawn };
            self.memory.access(access, since..usize::MAX);
        }
    }

    fn counters(&mut self, counters: &Counters, by: Use, in_order: &Range<usize>) {
        for counter in counters.counters.iter().flatten() {
            for (scope, writes) in accesses(by) {
                let access = Access { cells: cell(counter), scope, writes, drawn: true };
                self.memory.access(access, in_order.clone());
            }
        }
    }

    fn draw(&mut self, drawn: &Drawn, plan: &Plan) {
        let mut state = State::default();
        let mut ended = false;
        for step in &plan.steps {
            let is_wait = matches!(step, Step::Barriers(_));
            match step {
                Step::BeginPass(pass) => self.begin_pass(pass, ended),
                Step::EndPass(_) => self.memory.enter(),
                Step::Barriers(barriers) => barriers.iter().for_each(|one| self.memory.wait(one)),
                Step::BindPipeline(bind) => state.bind = Some(*bind),
                Step::BeginFeedback(counters) => {
                    let before = self.memory.now();
                    self.counters(counters, Use::Resume, &(0..0));
                    state.begun = before..self.memory.now();
                }
                Step::EndFeedback(counters) => {
                    self.counters(counters, Use::Save, &state.begun);
                }
                Step::WriteCounters(counters) => self.write(counters),
                Step::CounterPass(keep) => self.keep(drawn, keep),
                Step::Draw(call) => self.drawn(drawn, plan, &state, call),
                Step::Dispatch(call) => self.dispatch(drawn, call),
                Step::BeginQuery(_)
                | Step::EndQuery(_)
                | Step::Count(_)
                | Step::BindCompute(_)
                | Step::BindStorage(_)
                | Step::BindIndices(..)
                | Step::BindSegments(..)
                | Step::BindOutputs(..)
                | Step::FindSegments
                | Step::BindFeedback(_)
                | Step::FillIn(_)
                | Step::Advance(_) => {}
            }
            ended = *step == Step::EndPass(Attachments::Application) || ended && is_wait;
        }
    }

    /// Begins a pass. `ended` states that no access has followed the end of the application's pass.
    fn begin_pass(&mut self, pass: &Pass, ended: bool) {
        match (pass.attachments, pass.contents) {
            (Attachments::Application, Contents::Load) => {
                self.memory.enter();
                // In Vulkan, passes end for barriers, and the need for barriers is checked separately.
                if ended && self.device.api != Api::Vulkan {
                    self.memory.resume();
                }
                self.attachments();
            }
            (Attachments::Application, _) => self.begin_application_pass(),
            (Attachments::None | Attachments::Dummy, _) => self.memory.enter(),
        }
    }

    /// Adds the reads and captures of a dispatch.
    fn dispatch(&mut self, drawn: &Drawn, call: &DrawCall) {
        self.memory.enter();
        let since = self.memory.now();
        let captured = |cells: &Cells| Used { by: Use::Capture(Path::Compute), cells: *cells };
        let captured = drawn.captured.iter().map(captured);
        let words = has_device_counters(drawn).then_some(Use::Storage(ShaderStage::Compute));
        let groups = (*call == DrawCall::FromCounterPass).then_some(Use::IndirectArguments);
        let kept = words.into_iter().chain(groups);
        let kept = kept.map(|by| Used { by, cells: words_of(drawn) });
        for used in dispatched(drawn).chain(captured).chain(kept) {
            self.uses_since(since, &used, false);
        }
        self.memory.enter();
    }

    /// Adds the reads and writes of the counter pass, in one invocation of a dispatch.
    fn keep(&mut self, drawn: &Drawn, keep: &CounterPass) {
        self.memory.enter();
        let (reads, stores) =
            (Use::Storage(ShaderStage::Compute), Use::Store(ShaderStage::Compute));
        let of = |counters: &Option<Counters>| {
            let counters = counters.iter().flat_map(|one| one.counters.iter().flatten());
            counters.map(cell).collect::<Vec<Cells>>()
        };
        let arguments = drawn.reads.iter().filter(|one| one.by == Use::IndirectArguments);
        let arguments = arguments.filter(|_| keep.params.is_some()).map(|one| one.cells);
        let count = keep.count.map(|count| cell(&count.counter));
        let read = arguments.chain(of(&keep.begin)).chain(count).map(|cells| (reads, cells));
        let own = [words_of(drawn), kept(STATES)];
        let written = of(&keep.end).into_iter().chain(own).map(|cells| (stores, cells));
        let since = self.memory.now();
        for (by, cells) in read.chain(written).collect::<Vec<_>>() {
            self.uses_since(since, &Used { by, cells }, false);
        }
        self.memory.enter();
    }

    /// Adds the accesses of an earlier submission of the same commands to the counter pass's memory.
    fn submit_before(&mut self) {
        for by in [
            Use::Store(ShaderStage::Compute),
            Use::Storage(ShaderStage::Vertex),
            Use::Storage(ShaderStage::Compute),
            Use::IndirectArguments,
        ] {
            // The earlier submission's own hazards are ignored.
            let found = self.memory.hazards.len();
            self.uses(&Used { by, cells: KEPT }, false);
            self.memory.hazards.truncate(found);
        }
        self.memory.enter();
    }

    fn write(&mut self, counters: &[Counter]) {
        self.memory.enter();
        for counter in counters {
            self.uses(&Used { by: Use::CopyDestination, cells: cell(counter) }, false);
        }
        self.memory.enter();
    }

    fn drawn(&mut self, drawn: &Drawn, plan: &Plan, state: &State, call: &DrawCall) {
        // If a draw is split into a capture and a raster draw, the latter makes the accesses of the fragment stage.
        let variant = state.bind.map(|bind| bind.variant);
        let rasterized = variant != Some(Variant::CaptureOnly) || drawn.pipeline.rasterizer_discard;
        for used in &drawn.reads {
            if rasterized || !is_of_fragments(used.by) {
                self.uses(used, true);
            }
        }
        if let DrawCall::ByteCount(count) = call {
            self.uses(&Used { by: Use::ByteCount, cells: cell(&count.counter) }, true);
        }
        let stores = matches!(variant, Some(Variant::CaptureOnly | Variant::Both));
        if has_device_counters(drawn) && stores {
            self.uses(
                &Used { by: Use::Storage(ShaderStage::Vertex), cells: words_of(drawn) },
                true,
            );
        }
        if *call == DrawCall::FromCounterPass {
            self.uses(&Used { by: Use::IndirectArguments, cells: words_of(drawn) }, true);
        }
        let by = match (plan.path, variant) {
            (_, Some(Variant::CaptureOnly | Variant::Both)) => Path::Storage,
            (Some(Path::Extension), _) => Path::Extension,
            _ => return,
        };
        for cells in &drawn.captured {
            self.uses(&Used { by: Use::Capture(by), cells: *cells }, true);
        }
    }
}
