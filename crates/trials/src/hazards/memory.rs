//! Vulkan's memory dependencies, by the chapter on synchronization: which access has to be ordered behind which, and
//! whether barriers do it.
//!
//! An access that overwrites what was read needs an execution dependency. One that reads or overwrites what was written
//! needs a memory dependency too: a barrier that makes the write available, by its stage and access, and one, the same
//! or a later one of the chain, that makes it visible to the stage and access that follow. Metal and WebGPU order
//! whatever is in different passes, and nothing within one.

use polyshade_planner::{Accesses, Api, Barrier, Resource, Scope, Stages};
use std::ops::Range;

/// What holds data: buffers of captured data, counters, and the application's attachments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DataKind {
    /// Captured data.
    Captured,
    /// Counters.
    Counters,
    /// The attachments of the application's pass.
    Attachments,
    /// What the counter pass has in memory.
    Kept,
}

/// Some of the 64 cells of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cells {
    /// What it holds.
    pub kind: DataKind,
    /// The buffer.
    pub buffer: u32,
    /// A bit for each cell.
    pub cells: u64,
}

impl Cells {
    /// The cells that both have.
    pub fn shared(&self, other: &Self) -> u64 {
        let same = self.kind == other.kind && self.buffer == other.buffer;
        if same { self.cells & other.cells } else { 0 }
    }
}

/// One stage that reads or writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) cells: Cells,
    /// One stage, and one access.
    pub(super) scope: Scope,
    pub(super) writes: bool,
    /// Whether it is of a draw, and may be in the application's pass as far as a plan of another draw knows.
    pub(super) drawn: bool,
}

/// An access, and what has waited for it since.
struct Past {
    access: Access,
    /// The number of the pass.
    pass: u32,
    /// The cells that nothing has overwritten since.
    left: u64,
    /// The cells that have been read since by an access that waited, which has this number.
    read: Vec<(usize, u64)>,
    /// The stages that are behind it.
    behind: Stages,
    /// Whether a barrier has made available what it wrote, and who can see that.
    available: bool,
    seen_by: Vec<Scope>,
}

/// A barrier, and which parts of it no two accesses have needed so far.
struct Wait {
    barrier: Barrier,
    /// How many accesses there were before it.
    at: usize,
    idle: Barrier,
}

/// The end of a part of the application's pass that went on at once.
struct Break {
    /// How many accesses there were before it.
    at: usize,
    needed: bool,
}

/// The accesses so far, and what was found.
pub(super) struct Memory {
    api: Api,
    past: Vec<Past>,
    waits: Vec<Wait>,
    breaks: Vec<Break>,
    pass: u32,
    pub(super) hazards: Vec<String>,
}

/// The flags among `all` that are not among `some`.
fn without(all: Scope, some: Scope) -> Scope {
    let stages = Stages::NAMES.iter().map(|(flag, _)| *flag);
    let accesses = Accesses::NAMES.iter().map(|(flag, _)| *flag);
    Scope {
        stages: stages
            .filter(|one| all.stages.contains(*one) && !some.stages.contains(*one))
            .fold(Stages::default(), |all, one| all | one),
        accesses: accesses
            .filter(|one| all.accesses.contains(*one) && !some.accesses.contains(*one))
            .fold(Accesses::default(), |all, one| all | one),
    }
}

fn meet(one: Stages, other: Stages) -> bool {
    one.bits() & other.bits() != 0
}

fn covers(resource: Resource, kind: DataKind) -> bool {
    match resource {
        Resource::Captured => kind == DataKind::Captured,
        Resource::Counters | Resource::Count => kind == DataKind::Counters,
        Resource::Attachments => kind == DataKind::Attachments,
        Resource::DeviceCounters => kind == DataKind::Kept,
        Resource::Inputs | Resource::Outputs => false,
    }
}

impl Memory {
    pub(super) fn new(api: Api) -> Self {
        Self {
            api,
            past: Vec::new(),
            waits: Vec::new(),
            breaks: Vec::new(),
            pass: 0,
            hazards: Vec::new(),
        }
    }

    /// How many accesses there were.
    pub(super) fn now(&self) -> usize {
        self.past.len()
    }

    /// Another pass begins, or what is outside of any.
    pub(super) fn enter(&mut self) {
        self.pass += 1;
    }

    /// The pass that begins resumes one that has just ended.
    pub(super) fn resume(&mut self) {
        self.breaks.push(Break { at: self.now(), needed: false });
    }

    /// Nobody waits for what was done with the attachments: the application sees to that.
    pub(super) fn forget_attachments(&mut self) {
        self.past
            .iter_mut()
            .filter(|past| past.access.cells.kind == DataKind::Attachments)
            .for_each(|past| past.left = 0);
    }

    /// Makes an access. It has no need to wait for those with the numbers `in_order`.
    pub(super) fn access(&mut self, access: Access, in_order: Range<usize>) {
        self.note_needs(&access);
        for number in (0..self.past.len()).filter(|number| !in_order.contains(number)) {
            let past = &self.past[number];
            let shared = past.access.cells.shared(&access.cells) & past.left;
            if shared == 0 || !(past.access.writes || access.writes) {
                continue;
            }
            if self.waits_for(past, &access, shared, &in_order) {
                let now = self.now();
                self.past[number].read.push((now, if access.writes { 0 } else { shared }));
            } else {
                let (from, cells) = (past.access.scope, access.cells);
                let found = format!("{} of {cells:x?} does not wait for {from}", access.scope);
                self.hazards.push(found);
            }
        }
        for past in self.past.iter_mut().filter(|_| access.writes) {
            past.left &= !past.access.cells.shared(&access.cells);
        }
        self.past.push(Past {
            access,
            pass: self.pass,
            left: access.cells.cells,
            read: Vec::new(),
            behind: Stages::default(),
            available: false,
            seen_by: Vec::new(),
        });
    }

    /// Whether an access waits for an earlier one.
    fn waits_for(
        &self,
        past: &Past,
        access: &Access,
        shared: u64,
        in_order: &Range<usize>,
    ) -> bool {
        if self.api != Api::Vulkan {
            return past.pass != self.pass;
        }
        let Scope { stages, accesses } = access.scope;
        let sees = |seen: &Scope| seen.stages.contains(stages) && seen.accesses.contains(accesses);
        // What overwrites data that was read since is behind that read, which has seen the data.
        let read = past.read.iter().filter(|(number, _)| !in_order.contains(number));
        let read = read.fold(0, |all, (_, cells)| all | cells);
        let was_read = access.writes && shared & !read == 0;
        let is_seen = !past.access.writes || was_read || past.seen_by.iter().any(sees);
        past.behind.contains(stages) && is_seen
    }

    /// A barrier.
    pub(super) fn wait(&mut self, barrier: &Barrier) {
        let Barrier { resource, from, to } = barrier;
        for past in &mut self.past {
            let own = from.stages.contains(past.access.scope.stages);
            if !own && !meet(past.behind, from.stages) {
                continue;
            }
            past.behind = past.behind | to.stages;
            if !covers(*resource, past.access.cells.kind) {
                continue;
            }
            past.available |= own && from.accesses.contains(past.access.scope.accesses);
            if past.available && past.access.writes {
                past.seen_by.push(*to);
            }
        }
        self.waits.push(Wait { barrier: *barrier, at: self.past.len(), idle: *barrier });
    }

    /// Notes the barriers and ends of passes before an access that it needs. Plans do not distinguish buffers, so the
    /// accesses to all data of a kind count.
    fn note_needs(&mut self, access: &Access) {
        let kind = access.cells.kind;
        let Scope { stages, accesses } = access.scope;
        for (number, past) in self.past.iter().enumerate() {
            let from = past.access;
            if from.cells.kind != kind || !(from.writes || access.writes) {
                continue;
            }
            for wait in self.waits.iter_mut().filter(|wait| wait.at > number) {
                let Barrier { resource, from: first, to } = wait.barrier;
                let across = first.stages.contains(from.scope.stages) && to.stages.contains(stages);
                if !across || !covers(resource, kind) {
                    continue;
                }
                let stages = Scope { stages, accesses: Accesses::default() };
                let written = from.writes;
                let (from, to) = match written {
                    true => (from.scope, Scope { accesses, ..stages }),
                    false => (Scope { accesses: Accesses::default(), ..from.scope }, stages),
                };
                wait.idle.from = without(wait.idle.from, from);
                wait.idle.to = without(wait.idle.to, to);
            }
            let orders = from.drawn && access.drawn;
            let across = self.breaks.iter_mut().filter(|one| orders && one.at > number);
            across.for_each(|one| one.needed = true);
        }
    }

    /// The parts of barriers that order nothing, and the passes that end for nothing.
    pub(super) fn idle(&self) -> Vec<String> {
        let none = Scope::default();
        let waits = self.waits.iter().filter(|wait| (wait.idle.from, wait.idle.to) != (none, none));
        let waits = waits.map(|wait| format!("{} orders nothing of {}", wait.barrier, wait.idle));
        let breaks = self.breaks.iter().filter(|broken| !broken.needed);
        waits.chain(breaks.map(|_| "a pass ends for nothing".to_owned())).collect()
    }
}
