//! A host that asks the planner for a plan of each draw. It lists the earlier uses of the draw's data in `before`, or
//! the later uses in `next`.

use super::memory::{Cells, DataKind};
use super::sequence::{Command, Drawn, Sequence, Used, cell, is_on_device};
use polyshade_planner::{
    Active, Api, Barrier, Begin, Call, Counter, CounterOwner, End, Feedback, Path, Plan, Resource,
    ShaderStage, Use, Uses, barrier, plan,
};
use std::collections::{HashMap, HashSet};

/// How the host describes dependencies to the planner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DependencyMode {
    /// In `before`: for each cell, the last use that wrote it and the uses that have read it since.
    Before,
    /// Like `Before`, but without the uses for which the same kind of use has already waited.
    Once,
    /// In `next`: for each cell, the uses that read it until it is overwritten, and the use that overwrites it.
    Next,
}

impl DependencyMode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Before, Self::Once, Self::Next];
}

/// An executed item.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// The application's pass begins.
    BeginPass,
    /// The application's pass ends.
    EndPass,
    /// The host executes a barrier.
    Wait(Barrier),
    /// A command other than a draw.
    Other(Used),
    /// A draw and its plan.
    Draw(Box<Drawn>, Plan),
}

/// Two uses of the same cells by different commands, at least one of them a write.
#[derive(Clone, Copy)]
struct Conflict {
    /// The indices of the two commands, the earlier one first.
    commands: [usize; 2],
    /// The index of each use within its command.
    uses: [usize; 2],
    by: [Use; 2],
    kind: DataKind,
}

/// Returns the executed items, without draws that the planner refuses or whose dependencies cannot be expressed.
pub fn executed(sequence: &Sequence, mode: DependencyMode) -> Vec<Item> {
    let mut commands = sequence.commands.clone();
    loop {
        let host = Host::new(sequence, &commands, mode);
        match host.execute() {
            Ok(items) => return items,
            Err(group) => commands.retain(|command| match command {
                Command::Draw(drawn) => drawn.group != group,
                _ => true,
            }),
        }
    }
}

fn active(drawn: &Drawn) -> Option<&Active> {
    match &drawn.draw.feedback {
        Feedback::Active(active) => Some(active),
        Feedback::Inactive | Feedback::Paused => None,
    }
}

fn saved(drawn: &Drawn) -> Vec<Counter> {
    match active(drawn).map(|active| &active.end) {
        Some(End::Save(counters)) => counters.iter().flatten().copied().collect(),
        _ => Vec::new(),
    }
}

fn resumed(drawn: &Drawn) -> Vec<Counter> {
    match active(drawn).map(|active| &active.begin) {
        Some(Begin::Resume(counters)) => counters.iter().flatten().copied().collect(),
        _ => Vec::new(),
    }
}

fn stays_active(drawn: &Drawn) -> bool {
    active(drawn).is_some_and(|active| active.end == End::Running)
}

fn resumes_capture(drawn: &Drawn) -> bool {
    active(drawn).is_some_and(|active| active.begin == Begin::Running)
}

pub(super) fn has_device_counters(drawn: &Drawn) -> bool {
    drawn.path != Path::Extension
        && active(drawn).is_some_and(|one| one.counter_owner == CounterOwner::Device)
}

/// Returns the uses of a command. Counters of the storage path count only if a plan writes them to a buffer or the
/// device owns them. The counter that provides the vertex count of a draw comes last.
fn uses(command: &Command, written: &[Counter]) -> Vec<Used> {
    let drawn = match command {
        Command::BeginPass | Command::EndPass => return Vec::new(),
        Command::Other(used) => return vec![*used],
        Command::Draw(drawn) => drawn,
    };
    let is_dispatched = drawn.path == Path::Compute && active(drawn).is_some();
    // If a dispatch captures and rasterizer discard is enabled, nothing is drawn.
    let mut uses = match is_dispatched && drawn.pipeline.rasterizer_discard {
        true => Vec::new(),
        false => drawn.reads.clone(),
    };
    let captured = |cells: &Cells| Used { by: Use::Capture(drawn.path), cells: *cells };
    uses.extend(drawn.captured.iter().map(captured));
    if is_dispatched {
        uses.extend(dispatched(drawn));
    }
    let of = |counters: &[Counter], by| -> Vec<Used> {
        counters.iter().map(|counter| Used { by, cells: cell(counter) }).collect()
    };
    if drawn.path == Path::Extension {
        uses.extend(of(&resumed(drawn), Use::Resume));
        uses.extend(of(&saved(drawn), Use::Save));
    }
    let (reads, stores) = (Use::Storage(ShaderStage::Compute), Use::Store(ShaderStage::Compute));
    if has_device_counters(drawn) {
        let arguments = drawn.reads.iter().filter(|one| one.by == Use::IndirectArguments);
        let arguments: Vec<Used> = arguments.map(|one| Used { by: reads, ..*one }).collect();
        uses.extend(arguments);
        uses.extend(of(&resumed(drawn), reads));
        uses.extend(of(&saved(drawn), stores));
    }
    uses.extend(of(written, Use::CopyDestination));
    if let Some((counter, by)) = count_on_device(drawn) {
        uses.extend(of(&[counter], by));
    }
    uses
}

/// Returns the reads of a dispatch that captures a draw: the compute stage makes the reads of the vertex stage.
pub(super) fn dispatched(drawn: &Drawn) -> impl Iterator<Item = Used> {
    let stage = ShaderStage::Compute;
    drawn.reads.iter().filter_map(move |one| {
        let by = match one.by {
            Use::Vertices | Use::Indices | Use::Storage(ShaderStage::Vertex) => Use::Storage(stage),
            Use::Uniform(ShaderStage::Vertex) => Use::Uniform(stage),
            Use::Texels(ShaderStage::Vertex) => Use::Texels(stage),
            _ => return None,
        };
        Some(Used { by, ..*one })
    })
}

/// Returns the counter from which the device takes the vertex count of a draw, if any, and how the counter is used.
fn count_on_device(drawn: &Drawn) -> Option<(Counter, Use)> {
    match &drawn.draw.call {
        Call::ByteCount(count) if count.path == Path::Extension && !has_device_counters(drawn) => {
            Some((count.counter, Use::ByteCount))
        }
        Call::ByteCount(count)
            if count.path == Path::Extension || count.counter_owner == CounterOwner::Device =>
        {
            Some((count.counter, Use::Storage(ShaderStage::Compute)))
        }
        _ => None,
    }
}

fn writes(by: Use) -> bool {
    super::accesses(by).iter().any(|(_, writes)| *writes)
}

fn conflicts(uses: &[Vec<Used>]) -> Vec<Conflict> {
    let mut found = Vec::new();
    for (i, first) in uses.iter().enumerate() {
        for (a, from) in first.iter().enumerate() {
            let mut left = from.cells;
            for (j, later) in uses.iter().enumerate().skip(i + 1) {
                let shared = later.iter().enumerate().filter(|(_, to)| left.shared(&to.cells) != 0);
                for (b, to) in shared.filter(|(_, to)| writes(from.by) || writes(to.by)) {
                    let by = [from.by, to.by];
                    let kind = from.cells.kind;
                    found.push(Conflict { commands: [i, j], uses: [a, b], by, kind });
                }
                for to in later.iter().filter(|to| writes(to.by)) {
                    left.cells &= !left.shared(&to.cells);
                }
            }
        }
    }
    found
}

fn resource(kind: DataKind) -> Resource {
    match kind {
        DataKind::Captured => Resource::Captured,
        DataKind::Counters => Resource::Counters,
        DataKind::Attachments => Resource::Attachments,
        DataKind::Kept => Resource::DeviceCounters,
    }
}

fn add(list: &mut Vec<Use>, by: Use) {
    if !list.contains(&by) {
        list.push(by);
    }
}

struct Host<'s> {
    sequence: &'s Sequence,
    mode: DependencyMode,
    commands: Vec<Command>,
    uses: Vec<Vec<Used>>,
    conflicts: Vec<Conflict>,
    /// The kinds of use that have waited, by the command and the use for which they waited.
    waited: HashMap<(usize, usize), HashSet<Use>>,
}

impl<'s> Host<'s> {
    fn new(sequence: &'s Sequence, commands: &[Command], mode: DependencyMode) -> Self {
        let (commands, written) = with_counters_written(commands, mode);
        let none = Vec::new();
        let written = |number| written.get(&number).unwrap_or(&none);
        let uses: Vec<Vec<Used>> =
            (0..).zip(&commands).map(|(number, one)| uses(one, written(number))).collect();
        let conflicts = conflicts(&uses);
        Self { sequence, mode, commands, uses, conflicts, waited: HashMap::new() }
    }

    /// Returns the executed items, or the group of draws that cannot be executed.
    fn execute(mut self) -> Result<Vec<Item>, usize> {
        let mut items = Vec::new();
        for number in 0..self.commands.len() {
            match self.commands[number].clone() {
                Command::BeginPass => items.push(Item::BeginPass),
                Command::EndPass => items.push(Item::EndPass),
                Command::Other(used) => {
                    items.extend(self.wait(number, true));
                    items.push(Item::Other(used));
                    items.extend(self.wait(number, false));
                }
                Command::Draw(drawn) => {
                    let given = self.with_dependencies(number, *drawn)?;
                    let (device, pipeline) = (&self.sequence.device, &given.pipeline);
                    let plan = plan(device, pipeline, &given.draw).map_err(|_| given.group)?;
                    items.push(Item::Draw(Box::new(given), plan));
                }
            }
        }
        Ok(items)
    }

    /// Returns the conflicts for which a command waits, or those that wait for it.
    fn others(&self, number: usize, before: bool) -> Vec<Conflict> {
        if before == (self.mode == DependencyMode::Next) {
            return Vec::new();
        }
        let own = usize::from(before);
        let has_waited = |one: &Conflict| {
            let waited = self.waited.get(&(one.commands[0], one.uses[0]));
            waited.is_some_and(|uses| uses.contains(&one.by[1]))
        };
        let all = self.conflicts.iter().filter(|one| one.commands[own] == number);
        all.filter(|one| !has_waited(one)).copied().collect()
    }

    fn note_waited(&mut self, conflicts: &[Conflict], uses: &[Use]) {
        for one in conflicts.iter().filter(|_| self.mode == DependencyMode::Once) {
            let waited = self.waited.entry((one.commands[0], one.uses[0])).or_default();
            waited.extend(uses);
        }
    }

    /// Returns the barrier before or after a command other than a draw.
    fn wait(&mut self, number: usize, before: bool) -> Vec<Item> {
        let others = self.others(number, before);
        let Some(used) = self.uses[number].first().copied() else { return Vec::new() };
        self.note_waited(&others, &[used.by]);
        let mut uses = Vec::new();
        others.iter().for_each(|one| add(&mut uses, one.by[usize::from(!before)]));
        let own = [used.by];
        let (from, to) = if before { (&uses[..], &own[..]) } else { (&own[..], &uses[..]) };
        let barrier = barrier(resource(used.cells.kind), from, to);
        let barrier = barrier.filter(|_| self.sequence.device.api == Api::Vulkan);
        barrier.map(Item::Wait).into_iter().collect()
    }

    /// Returns the numbers of all draws in the same active capture, in order.
    fn group(&self, drawn: &Drawn) -> Vec<usize> {
        let draws =
            self.commands.iter().enumerate().filter_map(|(number, command)| match command {
                Command::Draw(other) => Some((number, other)),
                _ => None,
            });
        draws.filter(|(_, other)| other.group == drawn.group).map(|(number, _)| number).collect()
    }

    /// Adds the dependencies of a draw. No barrier is possible while a capture is active, so all its draws count as
    /// one: the first draw waits for all earlier uses, and all later uses wait for the last draw.
    fn with_dependencies(&mut self, number: usize, mut drawn: Drawn) -> Result<Drawn, usize> {
        let native = drawn.path == Path::Extension;
        let own = match native && (stays_active(&drawn) || resumes_capture(&drawn)) {
            true => self.group(&drawn),
            false => vec![number],
        };
        if own.len() > 1 {
            let uses = own.iter().flat_map(|one| &self.uses[*one]);
            let read = uses.filter(|one| one.cells.kind == DataKind::Captured);
            let read = read.map(|one| one.by).filter(|by| !matches!(by, Use::Capture(_)));
            drawn.draw.reads = Vec::new();
            read.for_each(|by| add(&mut drawn.draw.reads, by));
        }
        for before in [true, false] {
            let is_given = if before {
                !(native && resumes_capture(&drawn))
            } else {
                !(native && stays_active(&drawn))
            };
            let mut uses = Uses::default();
            let mut count = Vec::new();
            let mut all = Vec::new();
            for one in own.iter().filter(|_| is_given) {
                for other in self.others(*one, before) {
                    let by = other.by[usize::from(!before)];
                    let counters = other.kind == DataKind::Counters;
                    // The draw that gets the dependency does not use the counter, so it would not wait.
                    if counters && *one != number {
                        return Err(drawn.group);
                    }
                    match (counters, before && self.is_count(*one, other.uses[1])) {
                        (false, _) => add(&mut uses.captured, by),
                        (true, true) => add(&mut count, by),
                        (true, false) => add(&mut uses.counters, by),
                    }
                    all.push(other);
                }
            }
            self.note_draw(&own, &all, before);
            match before {
                true => drawn.draw.before = uses,
                false => drawn.draw.next = uses,
            }
            if let (Call::ByteCount(counted), true) = (&mut drawn.draw.call, before) {
                counted.before = count;
            }
        }
        Ok(drawn)
    }

    /// Returns whether the use with this number reads the counter from which the command takes its vertex count.
    fn is_count(&self, command: usize, number: usize) -> bool {
        let Command::Draw(drawn) = &self.commands[command] else { return false };
        count_on_device(drawn).is_some() && number + 1 == self.uses[command].len()
    }

    /// Records that the draws `own` have waited. A wait covers all their uses with the conflict's kind of data and
    /// list.
    fn note_draw(&mut self, own: &[usize], all: &[Conflict], before: bool) {
        for one in all.iter().filter(|_| before) {
            let key = (one.kind, self.is_count(one.commands[1], one.uses[1]));
            let uses = own.iter().flat_map(|draw| {
                let uses = self.uses[*draw].iter().enumerate();
                uses.map(|(number, used)| (used, self.is_count(*draw, number)))
            });
            let same = uses.filter(|(used, is_count)| (used.cells.kind, *is_count) == key);
            let same: Vec<Use> = same.map(|(used, _)| used.by).collect();
            self.note_waited(&[*one], &same);
        }
    }
}

/// Writes host-owned counters to their buffers before the buffers are read. Either the plan of the draw that saved
/// the counter makes the write, which a flag requests, or the host does directly before the read.
fn with_counters_written(
    commands: &[Command],
    mode: DependencyMode,
) -> (Vec<Command>, HashMap<usize, Vec<Counter>>) {
    let mut all: Vec<Command> = Vec::new();
    let mut written = HashMap::new();
    let mut unwritten: Vec<(Cells, usize, Vec<Counter>)> = Vec::new();
    for command in commands {
        match command {
            Command::Other(used) if used.cells.kind == DataKind::Counters => {
                // A use of counters: write the counters to their buffer first, unless it is up to date.
                let found = unwritten.iter().position(|(cells, ..)| *cells == used.cells);
                let found = found.map(|found| unwritten.remove(found));
                match (found.filter(|_| !is_on_device(&used.cells)), mode) {
                    (Some((_, draw, counters)), DependencyMode::Next) => {
                        written.insert(draw, counters);
                    }
                    (Some((cells, ..)), DependencyMode::Before | DependencyMode::Once) => {
                        all.push(Command::Other(Used { by: Use::CopyDestination, cells }));
                    }
                    (None, _) => {}
                }
            }
            Command::Draw(drawn)
                if drawn.path != Path::Extension && !has_device_counters(drawn) =>
            {
                // A draw that saves host-owned counters: their buffer is out of date.
                let saved = saved(drawn);
                for counter in &saved {
                    unwritten.retain(|(cells, ..)| *cells != cell(counter));
                    unwritten.push((cell(counter), all.len(), saved.clone()));
                }
            }
            _ => {}
        }
        all.push(command.clone());
    }
    (all, written)
}
