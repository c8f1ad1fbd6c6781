//! A model of Vulkan's memory dependencies, according to the specification's chapter on synchronization. It finds
//! pairs of accesses that need a dependency, and checks that the barriers provide one.
//!
//! A write after a read needs an execution dependency. A read or write after a write needs a memory dependency too: a
//! barrier that makes the write available, with the write's stage and access in its source scope, and the same
//! barrier or a later one of the dependency chain that makes the write visible to the second access. Metal and WebGPU
//! order accesses in different passes, but not accesses within one pass.

use polyshade_planner::{Accesses, Api, Barrier, Resource, Scope, Stages};
use std::ops::Range;

/// The data that a resource holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DataKind {
    /// Captured data, in buffers.
    Captured,
    /// Counters, in buffers.
    Counters,
    /// The attachments of the application's pass.
    Attachments,
    /// The memory of the counter pass.
    Kept,
}

/// Some of the 64 cells of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cells {
    /// The data that the buffer holds.
    pub kind: DataKind,
    /// The number of the buffer.
    pub buffer: u32,
    /// A bit for each cell.
    pub cells: u64,
}

impl Cells {
    /// Returns the cells that are in both sets.
    pub fn shared(&self, other: &Self) -> u64 {
        let same = self.kind == other.kind && self.buffer == other.buffer;
        if same { self.cells & other.cells } else { 0 }
    }
}

/// A read or write by one stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) cells: Cells,
    /// The scope of the access: one stage and one access flag.
    pub(super) scope: Scope,
    pub(super) writes: bool,
    /// Whether a draw makes the access. Plans of other draws must assume that it may be in the application's pass.
    pub(super) drawn: bool,
}

/// A past access, and the dependencies on it so far.
struct Past {
    access: Access,
    /// The number of the pass that made the access.
    pass: u32,
    /// The cells that no later access has overwritten.
    left: u64,
    /// The cells that later accesses read after a wait for this access, each with the reading access's number.
    read: Vec<(usize, u64)>,
    /// The stages that an execution dependency orders after the access.
    behind: Stages,
    /// Whether a barrier has made the write available, and the scopes to which the write is visible.
    available: bool,
    seen_by: Vec<Scope>,
}

/// A barrier, with those of its stages and accesses that no pair of accesses has needed so far.
struct Wait {
    barrier: Barrier,
    /// The number of accesses before it.
    at: usize,
    idle: Barrier,
}

/// An interruption of the application's pass, which ends and resumes at once.
struct Break {
    /// The number of accesses before it.
    at: usize,
    needed: bool,
}

/// The accesses so far, and the hazards found among them.
pub(super) struct Memory {
    api: Api,
    past: Vec<Past>,
    waits: Vec<Wait>,
    breaks: Vec<Break>,
    pass: u32,
    pub(super) hazards: Vec<String>,
}

/// Returns the stages and accesses in `all` that are not in `some`.
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

    /// Returns the number of accesses so far.
    pub(super) fn now(&self) -> usize {
        self.past.len()
    }

    /// Records that a pass begins or ends.
    pub(super) fn enter(&mut self) {
        self.pass += 1;
    }

    /// Records that the next pass resumes the pass that has just ended.
    pub(super) fn resume(&mut self) {
        self.breaks.push(Break { at: self.now(), needed: false });
    }

    /// Forgets accesses to the attachments, which the application synchronizes.
    pub(super) fn forget_attachments(&mut self) {
        self.past
            .iter_mut()
            .filter(|past| past.access.cells.kind == DataKind::Attachments)
            .for_each(|past| past.left = 0);
    }

    /// Records an access, which need not wait for the accesses with the numbers `in_order`.
    pub(super) fn access(&mut self, access: Access, in_order: Range<usize>) {
        self.note_needs(&access);
        // Find earlier accesses to the same cells, and check that this access waits for them.
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
        // A write overwrites cells of earlier accesses.
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

    /// Returns whether an access waits for an earlier one.
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
        // A write needs no visibility of data that an access in between has read: that access has seen the data.
        let read = past.read.iter().filter(|(number, _)| !in_order.contains(number));
        let read = read.fold(0, |all, (_, cells)| all | cells);
        let was_read = access.writes && shared & !read == 0;
        let is_seen = !past.access.writes || was_read || past.seen_by.iter().any(sees);
        past.behind.contains(stages) && is_seen
    }

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

    /// Marks the earlier barriers and interruptions that an access needs. Plans do not distinguish buffers, so
    /// accesses to any data of the same kind count.
    fn note_needs(&mut self, access: &Access) {
        let kind = access.cells.kind;
        let Scope { stages, accesses } = access.scope;
        for (number, past) in self.past.iter().enumerate() {
            let from = past.access;
            if from.cells.kind != kind || !(from.writes || access.writes) {
                continue;
            }
            // Remove the needed stages and accesses from the idle parts of the barriers between the two accesses.
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
            // An interruption of the pass is needed only between two draws.
            let orders = from.drawn && access.drawn;
            let across = self.breaks.iter_mut().filter(|one| orders && one.at > number);
            across.for_each(|one| one.needed = true);
        }
    }

    /// Describes the barriers, or parts of them, and the interruptions of passes that no access needs.
    pub(super) fn idle(&self) -> Vec<String> {
        let none = Scope::default();
        let waits = self.waits.iter().filter(|wait| (wait.idle.from, wait.idle.to) != (none, none));
        let waits =
            waits.map(|wait| format!("{} orders no accesses of {}", wait.barrier, wait.idle));
        let breaks = self.breaks.iter().filter(|broken| !broken.needed);
        waits.chain(breaks.map(|_| "a pass is interrupted without need".to_owned())).collect()
    }
}
