//! Captures whose counters the device keeps: numbers of draws that are in buffers, counters that anything wrote, and
//! commands that are submitted twice leave what the native feature and the model leave.

mod case;

use crate::drivers::{DRIVERS, Driver};
use crate::feedback::GUARD;
use crate::hostile::{bound, only_written_in};
use crate::indexed::{lead, native_type};
use crate::noise::Noise;
use crate::plan::{Rig, VARYINGS};
use crate::shaders::INDICES;
use crate::storage::{HOSTS, options};
use case::{
    ALL, ARGUMENTS, BUFFERS, BYTES_TO_DRAW, COUNTERS, Case, DRAW_COUNT, DRAWS, INDEX_BUFFER, Left,
    Numbers, PREDICATE, REGION, STRIDE, Told,
};
use polyshade::transform_feedback::{self, ProvokingVertex};
use polyshade_planner::{
    self as planner, Begin, Keep, PassState, Path, Pipeline, Plan, Side, Step, Topology, Word,
};
use polyshade_vulkan::{Executed, Indices, IndirectArguments, Item, Place, Sequence};

/// How many captures there are of each kind, and how many of them are submitted together.
const CASES: usize = 144;
const BATCH: usize = 24;

/// How cases are captured.
#[derive(Debug, Clone, Copy)]
struct Way {
    driver: Driver,
    path: Path,
    again: u32,
    /// What of its pass a draw is told.
    pass: PassState,
}

/// The plans of all pieces of cases that are submitted together.
fn plans(rig: &Rig, way: Way, cases: &[Case]) -> Vec<Vec<Plan>> {
    let device = way.driver.device().capabilities().planner();
    let of_case = |(index, case): (usize, &Case)| {
        let primitive_restart = case.indexed.as_ref().is_some_and(|indexed| indexed.restart);
        let pipeline = rig.pipeline(case.topology.0, way.path);
        let pipeline = Pipeline { primitive_restart, ..pipeline };
        let plan = |number| {
            let state = case.state(rig.layout(), number, (way.path, way.pass), BUFFERS * index);
            let plan = planner::plan(&device, &pipeline, &state);
            plan.unwrap_or_else(|error| panic!("{error}: {case:?}"))
        };
        (0..case.pieces.len()).map(plan).collect()
    };
    cases.iter().enumerate().map(of_case).collect()
}

/// Executes cases in one submission.
fn execute(rig: &Rig, way: Way, cases: &[Case], edit: impl Fn(&mut Plan)) -> Vec<Left> {
    execute_with(rig, way, cases, edit, |_| {})
}

/// The same, of buffers that hold something else.
fn execute_with(
    rig: &Rig,
    way: Way,
    cases: &[Case],
    edit: impl Fn(&mut Plan),
    mut fill: impl FnMut(&mut [Vec<u8>]),
) -> Vec<Left> {
    let mut plans = plans(rig, way, cases);
    plans.iter_mut().flatten().for_each(edit);
    let scope = way.driver.device().capabilities().planner().pass_scope();
    let mut sequence = Sequence { scope, again: way.again, ..Sequence::default() };
    for (case, plans) in cases.iter().zip(&plans) {
        let first = sequence.work.buffers.len();
        let mut memory = case.memory(rig.layout());
        fill(&mut memory);
        sequence.work.buffers.extend(memory);
        sequence.items.push(Item::BeginPass(None));
        for ((number, piece), plan) in (0..).zip(&case.pieces).zip(plans) {
            if number > 0 && way.pass == PassState::Listed && case.begins_pass(number as usize) {
                sequence.items.extend([Item::EndPass, Item::BeginPass(None)]);
            }
            let one = &piece.draws[0];
            let numbers = transform_feedback::Draw {
                topology: case.topology.0.captured().expect("it is captured"),
                provoking_vertex: ProvokingVertex::First,
                first_vertex: one.vertices.start,
                vertex_count: one.vertices.len() as u32,
                first_instance: one.instances.start,
                instance_count: one.instances.len() as u32,
                indices: None,
            };
            let mut planned = rig.planned(plan, numbers, vec![first, first + 1]);
            let direct = if piece.told == Told::Direct { one.vertices.clone() } else { 0..0 };
            planned.draw.indices = case.indexed.as_ref().map(|indexed| Indices {
                place: Place { buffer: first + INDEX_BUFFER, offset: lead(indexed.width).into() },
                index_type: native_type(indexed.width),
                count: direct.len() as u32,
                first: direct.start,
                vertex_offset: one.vertex_offset,
                restart: indexed.restart,
            });
            let place = |at: u32| Place {
                buffer: first + ARGUMENTS,
                offset: u64::from(REGION * number + at),
            };
            let is_indirect = matches!(piece.told, Told::Indirect | Told::Counted(_));
            planned.arguments = is_indirect.then(|| IndirectArguments {
                place: place(DRAWS),
                draws: piece.draws.len() as u32,
                stride: STRIDE,
                count: matches!(piece.told, Told::Counted(_)).then(|| place(DRAW_COUNT)),
            });
            planned.predicate = piece.predicate.map(|(_, inverted)| (place(PREDICATE), inverted));
            sequence.items.push(Item::Draw(Box::new(planned)));
        }
        sequence.items.push(Item::EndPass);
    }
    let Executed { outcome, queries } = way.driver.execute(&sequence);
    let mut queries = queries.into_iter().map(|counted| counted.counts);
    let left = |(index, case): (usize, &Case)| {
        let first = BUFFERS * index;
        let counts = queries.by_ref().take(case.pieces.len()).collect();
        (outcome.buffers[first..first + ARGUMENTS].to_vec(), counts)
    };
    cases.iter().enumerate().map(left).collect()
}

/// A case that goes wrong, in few lines: words between the guards, counters and counts.
fn told(case: &Case, model: &Left, left: &Left) -> String {
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

fn rig(indexed: bool, restart: bool) -> Rig {
    let all = ALL.iter().filter_map(|(topology, _)| topology.captured());
    let options = options(VARYINGS, HOSTS[5]).topologies(all);
    let options = if indexed { options.indexed(None) } else { options };
    Rig::with(&INDICES, VARYINGS, &if restart { options.restart() } else { options })
}

/// Compares with the model on both drivers, and the model with lavapipe's own feature where that is right.
fn are_right(indexed: bool, restart: bool, again: u32) {
    are_right_in(PassState::Inside, indexed, restart, again);
}

fn are_right_in(pass: PassState, indexed: bool, restart: bool, again: u32) {
    let rig = rig(indexed, restart);
    let mut noise = Noise::new();
    let cases: Vec<Case> = (0..CASES).map(|_| Case::random(&mut noise, indexed, restart)).collect();
    for batch in cases.chunks(BATCH) {
        for driver in DRIVERS {
            let way = Way { driver, path: Path::Storage, again, pass };
            let left = execute(&rig, way, batch, |_| {});
            for (case, left) in batch.iter().zip(left) {
                let model = case.model(rig.layout(), 1 + again);
                assert!(model == left, "{driver:?} {}", told(case, &model, &left));
            }
        }
        let is_native = |case: &&Case| {
            case.topology.0 != Topology::LineLoop
                && case.pieces.iter().all(|piece| {
                    // Behind indirect draws, its byte-count draws draw those once more; behind draws that a buffer
                    // counts, the same buffer counts indirect ones; draws with indices and arguments in buffers read
                    // the indices from elsewhere; and of a multi-draw, nothing is drawn behind an empty draw.
                    let wrong = match piece.told {
                        Told::Direct => false,
                        Told::Indirect => {
                            let is_empty = |draw: &Numbers| {
                                draw.vertices.is_empty() || draw.instances.is_empty()
                            };
                            case.indexed.is_some() || piece.draws.iter().any(is_empty)
                        }
                        Told::Counted(_) | Told::Bytes(_) => true,
                    };
                    piece.predicate.is_none() && !wrong
                })
                && case.pieces.windows(2).all(|two| two[1].begin != Begin::Running)
        };
        let native: Vec<Case> = batch.iter().filter(is_native).cloned().collect();
        let (driver, path) = (Driver::Lavapipe, Path::Extension);
        let way = Way { driver, path, again, pass: PassState::Inside };
        for (case, mut left) in native.iter().zip(execute(&rig, way, &native, |_| {})) {
            let mut model = case.model(rig.layout(), 1 + again);
            if again > 0 {
                // Its queries are reset with each submission.
                (model.1, left.1) = (Vec::new(), Vec::new());
            }
            assert!(model == left, "{}", told(case, &model, &left));
        }
    }
}

#[test]
fn the_device_keeps_what_it_alone_knows() {
    are_right(false, false, 0);
}

#[test]
fn the_device_keeps_draws_with_indices() {
    are_right(true, false, 0);
    are_right(true, true, 0);
}

#[test]
fn commands_are_submitted_again() {
    are_right(false, false, 1);
    are_right(true, true, 1);
}

/// What keeps the counters is recorded ahead of passes that cannot end, of all draws in them.
#[test]
fn what_cannot_be_in_a_pass_is_ahead_of_it() {
    are_right_in(PassState::Listed, false, false, 0);
    are_right_in(PassState::Listed, true, true, 1);
}

/// What a plan leaves out, or says wrongly, is noticed.
#[test]
fn wrong_plans_are_noticed() {
    type Edit = fn(&mut Keep);
    fn words(keep: &mut Keep) -> &mut planner::Words {
        keep.words.as_mut().expect("each draw is captured")
    }
    fn without_table(words: &mut planner::Words) {
        let size = words.words.iter_mut().find(|word| **word == Word::TableSize);
        *size.expect("indices restart primitives") = Word::Constant(0);
    }
    let edits: [(&str, Edit); 7] = [
        ("begin", |keep| keep.begin = None),
        ("end", |keep| keep.end = None),
        ("queries", |keep| keep.queries.clear()),
        ("stride", |keep| keep.strides[1] += 4),
        ("size", |keep| words(keep).ranges[0].size -= 4),
        ("word", |keep| words(keep).words.swap(2, 3)),
        ("table", |keep| without_table(words(keep))),
    ];
    let rig = rig(true, true);
    let mut noise = Noise::new();
    let cases: Vec<Case> = (0..BATCH).map(|_| Case::random(&mut noise, true, true)).collect();
    for (name, edit) in edits {
        let unnoticed = unnoticed(&rig, PassState::Inside, &cases, |step| {
            if let Step::Keep(keep) = step {
                edit(keep);
            }
        });
        assert!(unnoticed < BATCH, "{name}");
    }
}

/// Of how many cases lavapipe leaves what the model does, though each step of their plans is edited.
fn unnoticed(rig: &Rig, pass: PassState, cases: &[Case], edit: impl Fn(&mut Step)) -> usize {
    let (driver, path) = (Driver::Lavapipe, Path::Storage);
    let way = Way { driver, path, again: 0, pass };
    let left = execute(rig, way, cases, |plan| plan.steps.iter_mut().for_each(&edit));
    let same = cases.iter().zip(&left).filter(|(case, left)| case.model(rig.layout(), 1) == **left);
    same.count()
}

/// What is done ahead of a pass comes too late behind it.
#[test]
fn steps_on_the_wrong_side_are_noticed() {
    let rig = rig(false, false);
    let mut noise = Noise::new();
    let cases: Vec<Case> = (0..BATCH).map(|_| Case::random(&mut noise, false, false)).collect();
    let unnoticed = unnoticed(&rig, PassState::Listed, &cases, |step| {
        if *step == Step::Record(Side::Ahead) {
            *step = Step::Record(Side::Behind);
        }
    });
    assert!(unnoticed < BATCH / 2);
}

/// Noise in the place of arguments, counts and counters.
fn fill_with_noise(noise: &mut Noise, memory: &mut [Vec<u8>]) {
    for buffer in [COUNTERS, ARGUMENTS] {
        let words = 0..memory[buffer].len() as u32 / 4;
        let word = |number: u32| {
            // Numbers of vertices and instances stay small: drawing them all takes long.
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

/// Whatever arguments, counts, counters and indices hold, nothing is written outside of the ranges.
#[test]
fn hostile_numbers_stay_within_the_ranges() {
    for (indexed, restart) in [(false, false), (true, true)] {
        let rig = rig(indexed, restart);
        let mut noise = Noise::new();
        noise.skip(1000);
        let case = |_| Case::random(&mut noise, indexed, restart);
        let cases: Vec<Case> = (0..BATCH).map(case).collect();
        for driver in DRIVERS {
            let way = Way { driver, path: Path::Storage, again: 0, pass: PassState::Listed };
            let fill = |memory: &mut [Vec<u8>]| fill_with_noise(&mut noise, memory);
            for (case, (memory, _)) in
                cases.iter().zip(execute_with(&rig, way, &cases, |_| {}, fill))
            {
                for bytes in &memory[..COUNTERS] {
                    assert!(only_written_in(bytes, bound(bytes)), "{driver:?} {case:?}");
                }
            }
        }
    }
}
