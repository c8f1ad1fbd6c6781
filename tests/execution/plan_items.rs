//! Copies of captured data and counters, and the barriers that they need.

use crate::feedback::{FILL, GUARD};
use crate::hazards::hazards;
use crate::memory::words;
use crate::plan::{Rig, VARYINGS, WAYS, Way, numbers, ways};
use crate::plan_buffers::{bounds, memory, retain_barriers};
use crate::shaders::INDICES;
use polyshade_planner::{
    self as planner, Active, Counter, Draw as DrawState, End, Feedback, Plan, Resource, Step,
    Topology, Use, Uses,
};
use polyshade_vulkan::{Item, Message, Place, Range, Sequence, Work};

/// The indices of the buffers after the two feedback buffers: the counters, then a copy of each buffer.
const COUNTERS: usize = 2;
const COPIES: usize = 3;
const COPIED_COUNTERS: usize = 5;

/// The number of vertices that fit into each buffer.
const ROOM: [u32; 2] = [12, 12];

/// Returns the state of a captured draw. Its counters are copied next, and `before` lists the earlier uses of its
/// data.
fn state(rig: &Rig, before: Vec<Use>) -> DrawState {
    let counter = |offset| Some(Counter { buffer: COUNTERS as u32, offset });
    let active = Active {
        buffers: bounds(rig.layout(), &ROOM),
        end: End::Save(vec![counter(0), counter(4)]),
        ..Active::default()
    };
    let counters = if before.is_empty() { Vec::new() } else { vec![Use::CopySource] };
    DrawState {
        feedback: Feedback::Active(active),
        before: Uses { inputs: Vec::new(), captured: before, counters },
        next: Uses { inputs: Vec::new(), captured: Vec::new(), counters: vec![Use::CopySource] },
        ..DrawState::default()
    }
}

struct Found {
    buffers: Vec<Vec<u8>>,
    messages: Vec<Message>,
    hazards: Vec<String>,
}

/// Captures a strip, copies the captured data and the counters, and overwrites the data with a captured list. `waits`
/// states whether the planner knows about the copies; `edit` may break the plans.
fn capture_and_copy(way: Way, waits: bool, edit: impl Fn(&mut Plan)) -> Found {
    let rig = Rig::of(&INDICES, VARYINGS, way);
    let device = way.device();
    // Plan both draws.
    let plan = |topology, before| {
        let pipeline = rig.pipeline(topology, way.path);
        let plan = planner::plan(&device, &pipeline, &state(&rig, before));
        let mut plan = plan.expect("it has a plan");
        edit(&mut plan);
        plan
    };
    let strip = plan(Topology::TriangleStrip, Vec::new());
    let list = plan(Topology::TriangleList, vec![Use::CopySource]);

    // The buffers: feedback, counters, and copies of all of these.
    let mut buffers = memory(rig.layout(), &ROOM);
    let copies: Vec<Vec<u8>> =
        buffers.iter().map(|bytes| vec![0; bytes.len() - 2 * GUARD]).collect();
    buffers.push(vec![FILL; 8]);
    buffers.extend(copies);
    buffers.push(vec![0; 8]);
    let feedback = vec![0, 1];
    let draw = |plan, topology, vertices| {
        let numbers = numbers(topology, &(vertices, 1..2));
        Item::Draw(Box::new(rig.planned(plan, numbers, feedback.clone())))
    };
    // The draws with the copies between them.
    let copied =
        planner::barrier(Resource::Captured, &[Use::Capture(way.path)], &[Use::CopySource]);
    let mut items = vec![draw(&strip, Topology::TriangleStrip, 3..8)];
    items.extend(copied.filter(|_| waits).map(Item::Wait));
    for (buffer, (layout, room)) in rig.layout().iter().zip(ROOM).enumerate() {
        let size = u64::from(layout.stride * room);
        let range = Range { buffer, offset: GUARD as u64, size };
        items.push(Item::Copy(range, Place { buffer: COPIES + buffer, offset: 0 }));
    }
    let counters = Range { buffer: COUNTERS, offset: 0, size: 8 };
    items.push(Item::Copy(counters, Place { buffer: COPIED_COUNTERS, offset: 0 }));
    items.push(draw(&list, Topology::TriangleList, 20..26));

    // Execute, and collect the reports.
    let sequence =
        Sequence { again: 0, work: Work { buffers, ..Work::default() }, items, scope: way.scope };
    let hazards = hazards(&sequence);
    let device = way.driver.device();
    let executed = device.execute(&sequence);
    let messages = device.take_messages();
    let executed = executed.unwrap_or_else(|error| panic!("{way:?}: {error}"));
    Found { buffers: executed.outcome.buffers, messages, hazards }
}

/// Returns the vertex indices in the first feedback buffer.
fn vertices(bytes: &[u8], count: usize) -> Vec<u32> {
    words(bytes).chunks(2).take(count).map(|vertex| vertex[0]).collect()
}

#[test]
fn captured_data_and_counters_are_copied() {
    for way in ways() {
        let Found { buffers, messages, hazards } = capture_and_copy(way, true, |_| {});
        assert_eq!((messages, hazards), (Vec::new(), Vec::new()), "{way:?}");
        let strides = Rig::new(&INDICES, VARYINGS).layout().to_vec();
        let strides = strides.iter().map(|layout| layout.stride).collect::<Vec<_>>();
        let strip = [3, 4, 5, 4, 6, 5, 5, 6, 7];
        assert_eq!(vertices(&buffers[COPIES], 9), strip, "{way:?}");
        let reached = strides.iter().map(|stride| 9 * stride).collect::<Vec<_>>();
        assert_eq!(words(&buffers[COPIED_COUNTERS]), reached, "{way:?}");

        // After the copies, the captured list overwrites the data.
        assert_eq!(vertices(&buffers[0][GUARD..], 6), [20, 21, 22, 23, 24, 25], "{way:?}");
        let reached = strides.iter().map(|stride| 6 * stride).collect::<Vec<_>>();
        assert_eq!(words(&buffers[COUNTERS]), reached, "{way:?}");
    }
}

/// Detects copies of counters that the host has not written to the buffer.
#[test]
fn counters_that_are_not_written_are_noticed() {
    for way in ways() {
        let keep = |plan: &mut Plan| {
            plan.steps.retain(|step| !matches!(step, Step::WriteCounters(_)));
        };
        let right = capture_and_copy(way, true, |_| {}).buffers;
        let wrong = capture_and_copy(way, true, keep).buffers;
        let by_host = way.path != planner::Path::Extension;
        assert_eq!(right[COPIED_COUNTERS] != wrong[COPIED_COUNTERS], by_host, "{way:?}");
    }
}

#[test]
fn a_copy_that_does_not_wait_is_noticed() {
    let is_hazard = |message: &Message| message.id.starts_with("SYNC-HAZARD");
    for way in WAYS {
        let Found { messages, hazards, .. } = capture_and_copy(way, false, |_| {});
        assert!(!hazards.is_empty(), "{way:?}");
        let stored = way.path != planner::Path::Extension;
        assert_eq!(messages.iter().any(is_hazard), stored, "{way:?}: {messages:?}");

        let hurry = |plan: &mut Plan| {
            retain_barriers(plan, |barrier| barrier.resource != Resource::Counters);
        };
        let Found { hazards, .. } = capture_and_copy(way, true, hurry);
        assert!(!hazards.is_empty(), "{way:?}");
    }
}
