//! Captures in any combination of draw counts in buffers, counters from any source and command buffers that are
//! submitted twice. The results equal those of the native feature and of the model.

mod case;
mod encoders;
mod many;
mod product;
mod subject;

use crate::drivers::{DRIVERS, Driver};
use crate::feedback::GUARD;
use crate::hostile::{bound, only_written_in};
use crate::indexed::{lead, native_type};
use crate::noise::Noise;
use crate::plan::numbers;
use crate::storage::HOSTS;
use case::{
    ALL, ARGUMENTS, BYTES_TO_DRAW, COUNTERS, Case, DRAW_COUNT, DRAWS, DrawSource, FEEDBACK,
    INDEX_BUFFER, Kind, Left, Numbers, PREDICATE, REGION, STRIDE,
};
use polyshade::host::ParamSource as Host;
use polyshade::transform_feedback::Options;
use polyshade_planner::{
    self as planner, Begin, CounterOwner, CounterPass, ParamValue, Path, Pipeline, Plan, Preset,
    Step, Topology,
};
use polyshade_vulkan::{
    Executed, Indices, IndirectArguments, Item, Place, PlannedDraw, Runner, Sequence,
    execute_in_encoders,
};
use subject::{LISTS, Subject};

/// The number of captures in a submission.
const BATCH: usize = 24;

/// The device of the plans, which also executes them.
#[derive(Clone, Copy)]
enum On<'m> {
    Driver(Driver),
    /// The model of encoders, for a device.
    Encoders(Preset, &'m dyn Runner),
}

impl On<'_> {
    fn device(self) -> planner::Device {
        match self {
            On::Driver(driver) => driver.device().capabilities().planner(),
            On::Encoders(preset, _) => preset.into(),
        }
    }

    #[track_caller]
    fn execute(self, sequence: &Sequence<'_>) -> Executed {
        match self {
            On::Driver(driver) => driver.execute(sequence),
            On::Encoders(preset, runner) => execute_in_encoders(runner, sequence)
                .unwrap_or_else(|error| panic!("{}: {error}", preset.name())),
        }
    }
}

/// How cases are captured.
#[derive(Clone, Copy)]
struct Way<'m> {
    on: On<'m>,
    path: Path,
    again: u32,
}

/// Returns the plans of all pieces, for cases that are submitted together.
fn plans(subject: &Subject, way: Way<'_>, cases: &[Case]) -> Vec<Vec<Plan>> {
    let device = way.on.device();
    let of_case = |(index, case): (usize, &Case)| {
        let primitive_restart = case.indexed.as_ref().is_some_and(|indexed| indexed.restart);
        let pipeline = subject.rig.pipeline(case.topology, way.path);
        let pipeline = Pipeline { primitive_restart, ..pipeline };
        let plan = |number| {
            let first = index * (FEEDBACK + subject.layout().len());
            let state = case.state(subject.layout(), number, way.path, first);
            let plan = planner::plan(&device, &pipeline, &state);
            plan.unwrap_or_else(|error| panic!("{error}: {case:?}"))
        };
        (0..case.pieces.len()).map(plan).collect()
    };
    cases.iter().enumerate().map(of_case).collect()
}

/// Executes cases in one submission.
fn execute(subject: &Subject, way: Way<'_>, cases: &[Case], edit: impl Fn(&mut Plan)) -> Vec<Left> {
    execute_with(subject, way, cases, edit, |_| {})
}

/// Executes cases in one submission, after `fill` has changed the buffers.
fn execute_with(
    subject: &Subject,
    way: Way<'_>,
    cases: &[Case],
    edit: impl Fn(&mut Plan),
    mut fill: impl FnMut(&mut [Vec<u8>]),
) -> Vec<Left> {
    // Plan and edit, then add the buffers.
    let mut plans = plans(subject, way, cases);
    plans.iter_mut().flatten().for_each(edit);
    let scope = way.on.device().pass_scope();
    let mut sequence = Sequence { scope, again: way.again, ..Sequence::default() };
    for case in cases {
        let mut memory = case.memory(subject.layout());
        fill(&mut memory);
        sequence.work.buffers.extend(memory);
    }
    let (count, feed) = (FEEDBACK + subject.layout().len(), sequence.work.buffers.len());
    subject.add_buffers(&mut sequence.work);
    // Put the pieces into passes.
    for (index, (case, plans)) in cases.iter().zip(&plans).enumerate() {
        sequence.items.push(Item::BeginPass(None));
        for (number, plan) in plans.iter().enumerate() {
            let mut planned = planned(subject, plan, (case, number), index * count);
            subject.feed(way.path, feed, &mut planned, &mut sequence.work);
            sequence.items.push(Item::Draw(Box::new(planned)));
        }
        sequence.items.push(Item::EndPass);
    }
    // Execute, and collect buffers and counts.
    let Executed { outcome, queries } = way.on.execute(&sequence);
    let mut queries = queries.into_iter().map(|counted| counted.counts);
    let left = |(case, memory): (&Case, &[Vec<u8>])| {
        let counts = queries.by_ref().take(case.pieces.len()).collect();
        ([&memory[..1], &memory[FEEDBACK..]].concat(), counts)
    };
    cases.iter().zip(outcome.buffers.chunks_exact(count)).map(left).collect()
}

/// Returns a piece of a case with its plan. The numbers of its buffers start at `first`.
fn planned<'a>(
    subject: &'a Subject,
    plan: &'a Plan,
    (case, number): (&Case, usize),
    first: usize,
) -> PlannedDraw<'a> {
    let piece = &case.pieces[number];
    let one = &piece.draws[0];
    // The draw of the plan. Only direct draws have a vertex range.
    let numbers = numbers(case.topology, &(one.vertices.clone(), one.instances.clone()));
    let feedback = (0..subject.layout().len()).map(|buffer| first + FEEDBACK + buffer).collect();
    let mut planned = subject.rig.planned(plan, numbers, feedback);
    let direct = if piece.source == DrawSource::Direct { one.vertices.clone() } else { 0..0 };
    planned.draw.indices = case.indexed.as_ref().map(|indexed| Indices {
        place: Place { buffer: first + INDEX_BUFFER, offset: lead(indexed.width).into() },
        index_type: native_type(indexed.width),
        count: direct.len() as u32,
        first: direct.start,
        vertex_offset: one.vertex_offset,
        restart: indexed.restart,
    });
    // The arguments and the predicate in buffers.
    let place = |at: u32| Place {
        buffer: first + ARGUMENTS,
        offset: u64::from(REGION * number as u32 + at),
    };
    let is_indirect = matches!(piece.source, DrawSource::Indirect | DrawSource::Counted(_));
    planned.arguments = is_indirect.then(|| IndirectArguments {
        place: place(DRAWS),
        draws: piece.draws.len() as u32,
        stride: STRIDE,
        count: matches!(piece.source, DrawSource::Counted(_)).then(|| place(DRAW_COUNT)),
    });
    planned.predicate = piece.predicate.map(|(_, inverted)| (place(PREDICATE), inverted));
    planned
}

/// Describes a failing case in a few lines: the words between the guards, the counters and the counts.
fn difference(case: &Case, model: &Left, left: &Left) -> String {
    let words = |(memory, counts): &Left| {
        let inner = |bytes: &Vec<u8>| {
            let guard = if bytes.len() > 2 * GUARD { GUARD } else { 0 };
            let word =
                |bytes: &[u8]| bytes.iter().rev().fold(0, |all, one| all << 8 | u32::from(*one));
            bytes[guard..bytes.len() - guard].chunks_exact(4).map(word).collect::<Vec<u32>>()
        };
        format!("{:?} {counts:?}", memory.iter().map(inner).collect::<Vec<_>>())
    };
    format!("{case:?}\n{}\n{}", words(model), words(left))
}

/// Returns options that accept any draw, with or without indices.
fn any_draw(options: Options, indexed: bool, restart: bool) -> Options {
    let all = ALL.iter().filter_map(|topology| topology.captured());
    let options = options.topologies(all);
    let options = if indexed { options.indexed(None) } else { options };
    if restart { options.restart() } else { options }
}

fn on_path(options: Options, path: Path) -> Options {
    if path == Path::Compute { options.compute() } else { options }
}

/// Returns a subject for a path and a source of host parameters, with device-owned counters, and some cases.
fn some(noise: &mut Noise, on: (Host, Path), indexed: bool, restart: bool) -> (Subject, Vec<Case>) {
    let one_by_one = !on.0.is_address() && product::looks_at_ranges();
    some_of(noise, on, (indexed, restart), one_by_one)
}

/// Returns a subject and some cases. If `one_by_one` is set, each multi-draw has one draw.
fn some_of(
    noise: &mut Noise,
    (host, path): (Host, Path),
    (indexed, restart): (bool, bool),
    one_by_one: bool,
) -> (Subject, Vec<Case>) {
    let subject = Subject::new(LISTS[0], None, host, |options| {
        on_path(any_draw(options, indexed, restart), path)
    });
    let buffers = subject.layout().len();
    let (counter_owner, in_bounds) = (CounterOwner::Device, false);
    let kind = Kind { counter_owner, buffers, indexed, restart, in_bounds, one_by_one };
    (subject, (0..BATCH).map(|_| Case::random(noise, kind)).collect())
}

/// Compares both drivers with the model, and returns a description of the first difference. lavapipe's native feature
/// is compared too if it captures the case correctly.
fn compare(subject: &Subject, (path, again): (Path, u32), cases: &[Case]) -> Result<(), String> {
    for driver in DRIVERS {
        let way = Way { on: On::Driver(driver), path, again };
        let left = execute(subject, way, cases, |_| {});
        for (case, mut left) in cases.iter().zip(left) {
            let mut model = case.model(subject, 1 + again);
            if case.counter_owner == CounterOwner::Host {
                // Host-owned counters are in no buffer.
                (model.0[COUNTERS], left.0[COUNTERS]) = (Vec::new(), Vec::new());
            }
            if model != left {
                return Err(format!("{driver:?} {}", difference(case, &model, &left)));
            }
        }
    }
    let native: Vec<Case> = cases.iter().filter(|case| has_native(case)).cloned().collect();
    let way = Way { on: On::Driver(Driver::Lavapipe), path: Path::Extension, again };
    for (case, mut left) in native.iter().zip(execute(subject, way, &native, |_| {})) {
        let mut model = case.model(subject, 1 + again);
        if again > 0 {
            // Each submission resets the native queries, so the counts are not compared.
            (model.1, left.1) = (Vec::new(), Vec::new());
        }
        if model != left {
            return Err(format!("natively {}", difference(case, &model, &left)));
        }
    }
    Ok(())
}

/// Returns whether lavapipe's native feature captures the case correctly.
fn has_native(case: &Case) -> bool {
    case.topology != Topology::LineLoop
        && case.pieces.iter().all(|piece| {
            // lavapipe has these faults: byte-count draws after indirect draws repeat the indirect draws. After draws
            // with a count buffer, indirect draws use that count too. Indexed indirect draws read wrong indices.
            // After an empty draw, the rest of a multi-draw is not drawn.
            let wrong = match piece.source {
                DrawSource::Direct => false,
                DrawSource::Indirect => {
                    let is_empty =
                        |draw: &Numbers| draw.vertices.is_empty() || draw.instances.is_empty();
                    case.indexed.is_some() || piece.draws.iter().any(is_empty)
                }
                DrawSource::Counted(_) | DrawSource::Bytes(_) => true,
            };
            piece.predicate.is_none() && !wrong
        })
        && case.pieces.windows(2).all(|two| two[1].begin != Begin::Running)
}

#[test]
fn wrong_plans_are_noticed() {
    type Edit = fn(&mut CounterPass);
    fn words(keep: &mut CounterPass) -> &mut planner::ParamValues {
        keep.params.as_mut().expect("each draw is captured")
    }
    fn without_table(words: &mut planner::ParamValues) {
        let size = words.values.iter_mut().find(|word| **word == ParamValue::TableSize);
        *size.expect("indices restart primitives") = ParamValue::Constant(0);
    }
    let edits: [(&str, Edit); 7] = [
        ("begin", |keep| keep.begin = None),
        ("end", |keep| keep.end = None),
        ("queries", |keep| keep.queries.clear()),
        ("stride", |keep| keep.strides[1] += 4),
        ("size", |keep| words(keep).ranges[0].size -= 4),
        ("word", |keep| words(keep).values.swap(2, 3)),
        ("table", |keep| without_table(words(keep))),
    ];
    let on = [(HOSTS[5], Path::Storage), (HOSTS[0], Path::Storage), (HOSTS[0], Path::Compute)];
    for (host, path) in on {
        let (subject, cases) = some(&mut Noise::new(), (host, path), true, true);
        for (name, edit) in edits {
            // Without addresses, the tables are bound, so no parameter locates them.
            if name == "table" && !host.is_address() {
                continue;
            }
            let unnoticed = unnoticed(&subject, path, &cases, |step| {
                if let Step::CounterPass(keep) = step {
                    edit(keep);
                }
            });
            assert!(unnoticed < BATCH, "{host:?} {path:?} {name}");
        }
    }
}

/// Returns the number of cases whose results on lavapipe equal the model's despite `edit`.
fn unnoticed(subject: &Subject, path: Path, cases: &[Case], edit: impl Fn(&mut Step)) -> usize {
    let way = Way { on: On::Driver(Driver::Lavapipe), path, again: 0 };
    let left = execute(subject, way, cases, |plan| plan.steps.iter_mut().for_each(&edit));
    let same = cases.iter().zip(&left).filter(|(case, left)| case.model(subject, 1) == **left);
    same.count()
}

fn fill_with_noise(noise: &mut Noise, memory: &mut [Vec<u8>]) {
    for buffer in [COUNTERS, ARGUMENTS] {
        let words = 0..memory[buffer].len() as u32 / 4;
        let word = |number: u32| {
            // Vertex and instance counts stay small, because large draws take long.
            let of_draw = (4 * number % REGION).checked_sub(DRAWS).map(|at| at % STRIDE);
            match (4 * number % REGION, of_draw) {
                _ if buffer == COUNTERS => noise.word(),
                (BYTES_TO_DRAW, _) => noise.below(1 << 12),
                (_, Some(0)) => noise.below(64),
                (_, Some(4)) => noise.below(4),
                _ => noise.word(),
            }
        };
        memory[buffer] = words.map(word).flat_map(u32::to_ne_bytes).collect();
    }
}

/// For any arguments, counts, counters and indices, nothing outside the ranges is written.
#[test]
fn hostile_numbers_stay_within_the_ranges() {
    // Parameters at addresses and in buffers, and captures by a compute stage.
    let all = [(HOSTS[5], Path::Storage), (HOSTS[0], Path::Storage), (HOSTS[0], Path::Compute)];
    for (on, indexed) in all.into_iter().flat_map(|one| [(one, false), (one, true)]) {
        let mut noise = Noise::new();
        noise.skip(1000);
        let (subject, cases) = some(&mut noise, on, indexed, indexed);
        let path = on.1;
        for driver in DRIVERS {
            let way = Way { on: On::Driver(driver), path, again: 0 };
            let fill = |memory: &mut [Vec<u8>]| fill_with_noise(&mut noise, memory);
            for (case, (memory, _)) in
                cases.iter().zip(execute_with(&subject, way, &cases, |_| {}, fill))
            {
                for bytes in &memory[1..] {
                    assert!(only_written_in(bytes, bound(bytes)), "{driver:?} {case:?}");
                }
            }
        }
    }
}
