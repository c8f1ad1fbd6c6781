//! Plans for a geometry stage with two vertex streams, with pauses. Each stream has its own buffer, counter and
//! queries.

use crate::extension::{decorate, options};
use crate::extension_stages::{POINTS, STREAMS};
use crate::feedback::{FILL, GUARD};
use crate::glsl;
use crate::plan::{WAYS, Way, execute_checked, numbers};
use crate::plan_buffers::guarded;
use crate::shaders::Varyings;
use polyshade::host::Lowered;
use polyshade::transform_feedback::Decorated;
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_planner::{
    self as planner, Active, Begin, Bound, Capture, Counter, CounterOwner, Draw as DrawState,
    Emitted, End, Feedback, PassState, Path, Pipeline, Plan, Query, Step, Topology, Use, Uses,
    Variant,
};
use polyshade_vulkan::{Captured, Draw, Executed, Item, PlannedDraw, Sequence, Stage, Work, vk};
use std::ops::Range;

/// Stream 1 is captured into buffer 0, stream 0 into buffer 1.
const VARYINGS: Varyings =
    Varyings::Interleaved("t_list[1] t_index gl_NextBuffer s_list[1] s_index");

/// The shaders of the pipeline.
struct Rig {
    vertex: Vec<u32>,
    original: Vec<u32>,
    decorated: Lowered<'static, Decorated>,
}

impl Rig {
    fn new() -> Rig {
        let original = STREAMS.plain_stage(ShaderStage::Geometry);
        let options = options(VARYINGS);
        let decorated = decorate(&original, &options);
        let (stage, source) = POINTS.stages[0];
        let vertex = glsl::stage(stage, source, "", SpirvVersion::SPIRV1_3);
        Rig { vertex, original, decorated }
    }

    fn pipeline(&self) -> Pipeline {
        Pipeline {
            topology: Topology::PointList,
            geometry: Some(Emitted::Points),
            rasterizer_discard: true,
            capture: Some(Capture::from(&self.decorated.result)),
            ..Pipeline::default()
        }
    }

    fn planned<'a>(&'a self, plan: &'a Plan, vertices: Range<u32>) -> PlannedDraw<'a> {
        let geometry = Stage::new(vk::ShaderStageFlags::GEOMETRY, &self.original);
        PlannedDraw {
            plan,
            draw: Draw { stages: vec![Stage::vertex(&self.vertex), geometry], ..Draw::default() },
            numbers: numbers(Topology::PointList, &(vertices, 0..1)),
            variants: vec![
                (Variant::Original, &self.original),
                (Variant::Extension, self.decorated.module.words()),
            ],
            capture: None,
            feedback: vec![0, 1],
            arguments: None,
            predicate: None,
        }
    }
}

/// Returns the ways of capturing with the native feature.
fn ways() -> impl Iterator<Item = Way> {
    WAYS.into_iter().filter(|way| way.path == Path::Extension)
}

/// Captures the pieces, with a pause and an uncaptured draw between them. `room` is the number of vertices that fit
/// into each buffer, or `None` for an unbound buffer.
fn capture(
    way: Way,
    pieces: &[Range<u32>],
    room: [Option<u64>; 2],
    edit: impl Fn(&mut Plan),
) -> Executed {
    let rig = Rig::new();
    let strides = rig.decorated.result.layout.buffers.iter().map(|buffer| u64::from(buffer.stride));
    let bound = |(room, stride): (Option<u64>, u64)| Some(guarded(room? * stride));
    let buffers: Vec<Option<Bound>> = room.into_iter().zip(strides).map(bound).collect();
    let counters =
        vec![Some(Counter { buffer: 2, offset: 0 }), Some(Counter { buffer: 2, offset: 4 })];
    let device = way.device();
    let mut plans: Vec<(Plan, Range<u32>)> = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let begin = if index == 0 { Begin::Anew } else { Begin::Resume(counters.clone()) };
        // A buffer that is not bound saves no counter.
        let end = if room[0].is_some() { End::Save(counters.clone()) } else { End::Forget };
        let active =
            Active { counter_owner: CounterOwner::Host, buffers: buffers.clone(), begin, end };
        let saved = if index == 0 { Vec::new() } else { vec![Use::Save] };
        let captured = DrawState {
            pass: PassState::Interruptible,
            feedback: Feedback::Active(active),
            queries: vec![Query::Stream(0), Query::Stream(1)],
            before: Uses { counters: saved, ..Uses::default() },
            ..DrawState::default()
        };
        let paused = DrawState {
            pass: PassState::Interruptible,
            feedback: Feedback::Paused,
            ..DrawState::default()
        };
        for (state, piece) in [(captured, piece.clone()), (paused, 0..3)] {
            let mut plan = planner::plan(&device, &rig.pipeline(), &state).expect("it has a plan");
            edit(&mut plan);
            plans.push((plan, piece));
        }
    }
    let memory = |bound: &Option<Bound>| {
        vec![FILL; bound.map_or(2 * GUARD, |bound| bound.buffer_size as usize)]
    };
    let mut memory: Vec<Vec<u8>> = buffers.iter().map(memory).collect();
    memory.push(vec![0; 8]);
    let draws =
        plans.iter().map(|(plan, piece)| Item::Draw(Box::new(rig.planned(plan, piece.clone()))));
    let mut items = vec![Item::BeginPass(None)];
    items.extend(draws);
    items.push(Item::EndPass);
    let work = Work { buffers: memory, ..Work::default() };
    execute_checked(way.driver, &Sequence { again: 0, work, items, scope: way.scope })
}

/// The range of all drawn points.
const WHOLE: Range<u32> = 0..6;

/// Returns the contents of a buffer after a capture of these vertices.
fn memory(room: u64, stride: usize, vertices: impl Iterator<Item = Vec<u32>>) -> Vec<u8> {
    let written = vertices.take(room as usize).flatten().flat_map(u32::to_ne_bytes);
    let mut bytes = vec![FILL; GUARD];
    bytes.extend(written);
    bytes.resize(2 * GUARD + room as usize * stride, FILL);
    bytes
}

/// Returns the captured data of streams 1 and 0 for this many points.
fn expected(points: u32, room: [u64; 2]) -> [Vec<u8>; 2] {
    let first = (0..points).flat_map(|point| [vec![0, 7, point], vec![1, 7, point]]);
    let second = (0..points).map(|point| vec![1, 2, point, point, 5]);
    [memory(room[0], 12, first), memory(room[1], 20, second)]
}

#[test]
fn each_stream_has_its_buffer_its_counter_and_its_queries() {
    for way in ways() {
        for room in [[14, 14], [5, 4], [4, 6], [1, 9]] {
            let whole = expected(6, room);
            let slots = room.map(Some);
            for pieces in [vec![WHOLE], vec![0..2, 2..3, 3..6], vec![0..5, 5..6]] {
                let found = capture(way, &pieces, slots, |_| {});
                assert_eq!(found.outcome.buffers[..2], whole, "{way:?} {room:?} {pieces:?}");
                let counted: Vec<(Query, Captured)> =
                    found.queries.iter().map(|one| (one.query, one.counts)).collect();
                let sum = |stream, of: fn(&Captured) -> u64| -> u64 {
                    let own = counted.iter().filter(|(query, _)| *query == Query::Stream(stream));
                    own.map(|(_, counts)| of(counts)).sum()
                };
                // A full buffer of one stream does not affect the other stream.
                assert_eq!(sum(0, |one| one.written), room[1].min(6), "{way:?} {room:?}");
                assert_eq!(sum(1, |one| one.written), room[0].min(12), "{way:?} {room:?}");
                assert_eq!((sum(0, |one| one.needed), sum(1, |one| one.needed)), (6, 12));
            }
        }
    }
}

/// Outputs to an unbound buffer are dropped, and the other stream is still captured.
#[test]
fn outputs_to_a_buffer_that_is_not_bound_are_ignored() {
    for way in ways() {
        for bound in [0, 1] {
            let mut room = [None, None];
            room[bound] = Some(20);
            let found = capture(way, &[WHOLE], room, |_| {}).outcome.buffers;
            assert_eq!(found[bound], expected(6, [20, 20])[bound], "{way:?} {bound}");
            assert!(found[1 - bound].iter().all(|byte| *byte == FILL), "{way:?} {bound}");
        }
    }
}

/// A plan that resumes each stream at the other stream's counter is detected.
#[test]
fn counters_that_change_places_are_noticed() {
    let swap = |plan: &mut Plan| {
        for step in &mut plan.steps {
            if let Step::BeginFeedback(counters) = step {
                counters.counters.reverse();
            }
        }
    };
    for way in ways() {
        let found = capture(way, &[0..3, 3..6], [Some(14); 2], swap);
        assert_ne!(found.outcome.buffers[..2], expected(6, [14; 2]), "{way:?}");
    }
}
