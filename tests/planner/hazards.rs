//! In any sequence, if either `before` or `next` is given, a draw waits for exactly the accesses on which it depends.

use crate::states::{byte_count, storage, with_capture};
use polyshade::host::{AddressSource, ParamSource};
use polyshade_planner::{
    Accesses, Active, Attachments, Barrier, Begin, Bound, ByteCount, Call, Counter, CounterOwner,
    Device, Draw, End, Feedback, Path, Preset, Resource, Scope, ShaderStage, Stages, Step, Use,
    barrier,
};
use polyshade_testing::Choices;
use polyshade_testing::hazards::{
    Cells, Command, DataKind, DependencyMode, Drawn, Item, Sequence, Used, any_sequence, check,
    executed, replay,
};
use std::collections::BTreeMap;

fn sequences(count: usize) -> impl Iterator<Item = Sequence> {
    let mut choices = Choices::seeded(2);
    (0..count).map(move |_| any_sequence(&mut choices))
}

#[test]
fn every_sequence_waits_for_what_it_depends_on() {
    for sequence in sequences(20_000) {
        if let Err(message) = check(&sequence) {
            panic!("{:?}\n{message}", sequence.device.api);
        }
    }
}

/// A counter that provides a vertex count needs its own wait, even if captures have waited for the same use.
#[test]
fn a_count_waits_beside_the_counters_of_a_capture() {
    let mut device = Device::from(Preset::Vulkan);
    device.buffer_addresses = true;
    let counter = |buffer, offset| Counter { buffer, offset };
    let counted = |path, counter_owner, counter| {
        Call::ByteCount(ByteCount { counter_owner, ..byte_count(path, counter) })
    };
    let place = ParamSource::Address(AddressSource::PushConstant { offset: 0 });
    // Each draw captures into its own buffer, with device-owned counters.
    let mut commands = Vec::new();
    let mut draw = |path, call, begin, saved| {
        let number = commands.len();
        let pipeline = with_capture(|capture| {
            capture.path = Some(path);
            capture.buffers.truncate(1);
            storage(capture).params_at = place;
        });
        let bound = Bound { buffer: None, buffer_size: 3072, offset: 0, size: None };
        let feedback = Feedback::Active(Active {
            buffers: vec![Some(bound)],
            begin,
            end: End::Save(vec![Some(saved)]),
            counter_owner: CounterOwner::Device,
        });
        let cells = Cells { kind: DataKind::Captured, buffer: number as u32, cells: 1 };
        commands.push(Command::Draw(Box::new(Drawn {
            number,
            pipeline,
            draw: Draw { call, feedback, ..Draw::default() },
            path,
            reads: Vec::new(),
            captured: vec![cells],
            group: number,
        })));
    };
    let (first, others) = (counter(0, 8), counter(2, 0));
    let kept = counted(Path::Storage, CounterOwner::Device, counter(2, 12));
    let resumed = Begin::Resume(vec![Some(first)]);
    draw(Path::Extension, Call::Vertices, Begin::Anew, first);
    draw(Path::Extension, kept, resumed, counter(0, 0));
    let count = counted(Path::Extension, CounterOwner::Host, first);
    draw(Path::Storage, count, Begin::Anew, others);
    assert_eq!(check(&Sequence { device, commands }), Ok(()));
}

/// The removed or added part: a whole barrier, or a stage or access in one of its scopes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    All,
    From(&'static str),
    To(&'static str),
}

fn without_one(scope: Scope) -> Vec<(&'static str, Scope)> {
    let mut all = Vec::new();
    let stages = || Stages::NAMES.iter().filter(|(flag, _)| scope.stages.contains(*flag));
    for (flag, name) in stages() {
        let left = stages().filter(|(other, _)| other != flag);
        let stages = left.fold(Stages::default(), |all, (other, _)| all | *other);
        all.push((*name, Scope { stages, ..scope }));
    }
    let accesses = || Accesses::NAMES.iter().filter(|(flag, _)| scope.accesses.contains(*flag));
    for (flag, name) in accesses() {
        let left = accesses().filter(|(other, _)| other != flag);
        let accesses = left.fold(Accesses::default(), |all, (other, _)| all | *other);
        all.push((*name, Scope { accesses, ..scope }));
    }
    all
}

/// For each part of a barrier, returns the part and the barrier without it.
fn weaker(barrier: &Barrier) -> Vec<(Part, Barrier)> {
    let nothing = Barrier { from: Scope::default(), to: Scope::default(), ..*barrier };
    let from = without_one(barrier.from).into_iter();
    let from = from.map(|(name, from)| (Part::From(name), Barrier { from, ..*barrier }));
    let to = without_one(barrier.to).into_iter();
    let to = to.map(|(name, to)| (Part::To(name), Barrier { to, ..*barrier }));
    [(Part::All, nothing)].into_iter().chain(from).chain(to).collect()
}

fn barriers(items: &mut [Item]) -> Vec<&mut Barrier> {
    let mut all = Vec::new();
    for item in items {
        match item {
            Item::Wait(barrier) => all.push(barrier),
            Item::Draw(_, plan) => {
                for step in &mut plan.steps {
                    if let Step::Barriers(list) = step {
                        all.extend(list);
                    }
                }
            }
            Item::BeginPass | Item::EndPass | Item::Other(_) => {}
        }
    }
    all
}

/// Another barrier may have the same effect, so not every barrier is needed. But some barriers of each kind are
/// needed.
#[test]
fn every_kind_of_wait_is_missed_where_it_is_taken_away() {
    let mut missed: BTreeMap<(&str, Part), u32> = BTreeMap::new();
    for sequence in sequences(1500) {
        for mode in DependencyMode::ALL {
            let items = executed(&sequence, mode);
            let all: Vec<Barrier> =
                barriers(&mut items.clone()).into_iter().map(|one| *one).collect();
            for (number, barrier) in all.iter().enumerate() {
                for (part, weaker) in weaker(barrier) {
                    let mut items = items.clone();
                    *barriers(&mut items)[number] = weaker;
                    let found = replay(&sequence.device, &items).hazards;
                    let missed = missed.entry((barrier.resource.name(), part)).or_default();
                    *missed += u32::from(!found.is_empty());
                }
            }
        }
    }
    assert!(missed.len() > 50, "{} kinds", missed.len());
    let unnoticed: Vec<_> = missed.iter().filter(|(_, count)| **count == 0).collect();
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
}

/// In APIs without barriers, the end of a pass is removed instead.
#[test]
fn every_end_of_a_pass_is_missed() {
    let mut missed = BTreeMap::<&str, u32>::new();
    for sequence in sequences(4000) {
        for mode in DependencyMode::ALL {
            let mut items = executed(&sequence, mode);
            let mut ends = 0;
            for item in &mut items {
                let Item::Draw(_, plan) = item else { continue };
                let end = |step: &Step| *step == Step::EndPass(Attachments::Application);
                let Some(at) = plan.steps.iter().position(end) else { continue };
                if let Some(Step::BeginPass(pass)) = plan.steps.get(at + 1)
                    && pass.attachments == Attachments::Application
                {
                    plan.steps.drain(at..at + 2);
                    ends += 1;
                }
            }
            let found = replay(&sequence.device, &items).hazards;
            let missed = missed.entry(sequence.device.api.name()).or_default();
            *missed += u32::from(ends > 0 && !found.is_empty());
        }
    }
    assert!(missed["Metal"] > 20 && missed["WebGPU"] > 20, "{missed:?}");
}

fn uses() -> Vec<Use> {
    let mut all = vec![
        Use::Capture(Path::Extension),
        Use::Capture(Path::Storage),
        Use::Vertices,
        Use::Indices,
        Use::IndirectArguments,
        Use::CopySource,
        Use::CopyDestination,
        Use::HostRead,
        Use::HostWrite,
        Use::Resume,
        Use::Save,
        Use::ByteCount,
    ];
    for stage in [
        ShaderStage::Vertex,
        ShaderStage::TessellationControl,
        ShaderStage::TessellationEvaluation,
        ShaderStage::Geometry,
        ShaderStage::Fragment,
        ShaderStage::Compute,
    ] {
        let shader = [Use::Uniform, Use::Storage, Use::Texels, Use::Store];
        all.extend(shader.map(|by| by(stage)));
    }
    all
}

/// Between two uses of the same data, every stage and access of the barrier is needed, and no others are.
#[test]
fn the_barrier_of_two_uses_is_exact() {
    let device = Device::from(Preset::Vulkan);
    let cells = Cells { kind: DataKind::Captured, buffer: 0, cells: 1 };
    let mut barriers = 0;
    for from in uses() {
        for to in uses() {
            let run = |barrier: Option<Barrier>| {
                let other = |by| Item::Other(Used { by, cells });
                let wait = barrier.map(Item::Wait);
                let items: Vec<Item> =
                    [other(from)].into_iter().chain(wait).chain([other(to)]).collect();
                replay(&device, &items)
            };
            // The barrier exists if and only if it is needed.
            let needed = !run(None).hazards.is_empty();
            let exact = barrier(Resource::Captured, &[from], &[to]);
            assert_eq!(exact.is_some(), needed, "{from:?} {to:?}");
            let Some(exact) = exact else { continue };
            barriers += 1;
            let found = run(Some(exact));
            assert_eq!((found.hazards, found.idle), (Vec::new(), Vec::new()), "{exact}");
            // Every part is needed, and an added part is not.
            for (part, weaker) in weaker(&exact) {
                assert!(!run(Some(weaker)).hazards.is_empty(), "{from:?} {to:?} {part:?}");
            }
            let spare = Stages::LATE_FRAGMENT_TESTS;
            let from = Scope { stages: exact.from.stages | spare, ..exact.from };
            let to = Scope { stages: exact.to.stages | spare, ..exact.to };
            assert_eq!(run(Some(Barrier { from, ..exact })).idle.len(), 1);
            assert_eq!(run(Some(Barrier { to, ..exact })).idle.len(), 1);
        }
    }
    assert!(barriers > 400, "{barriers}");
}
