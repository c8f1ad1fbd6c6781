//! Draws of captured data use the captured vertex count and wait for the data. Captured draws are rasterized too.

use crate::feedback::{FILL, GUARD};
use crate::glsl;
use crate::hazards::hazards;
use crate::memory::bytes;
use crate::plan::{KEPT_WAYS, Rig, VARYINGS, WAYS, Way, execute_checked, numbers, ways};
use crate::plan_buffers::{barriers, bounds, memory, retain_barriers};
use crate::raster::{SCENE, SCENE_PIXELS, SCENE_VARYINGS};
use crate::shaders::INDICES;
use polyshade::transform_feedback::ProvokingVertex;
use polyshade_formats::SpirvVersion;
use polyshade_planner::{
    self as planner, Accesses, Active, Barrier, ByteCount, Call, Counter, CounterOwner, Device,
    Draw as DrawState, End, Feedback, PassState, Path, Pipeline, Plan, Query, Resource as Waits,
    Scope, ShaderStage, Stages, Step, Topology, Use, Uses, Variant,
};
use polyshade_vulkan::{
    Attribute, Draw, Executed, Indices, Item, Message, Place, PlannedDraw, Sequence, Stage, Target,
    VertexBuffer, VertexLayout, Work, vk,
};

/// Draws a pixel for each vertex, with its captured data.
const POINTS: &str = r"
    #version 450
    layout(location = 0) in uvec2 a_captured;
    layout(location = 0) flat out uvec2 v_captured;
    void main() {
        v_captured = a_captured;
        gl_Position = vec4((float(gl_VertexIndex) + 0.5) / 16.0 - 1.0, 0, 0, 1);
        gl_PointSize = 1.0;
    }";

const POINT_PIXELS: &str = r"
    #version 450
    layout(location = 0) flat in uvec2 v_captured;
    layout(location = 0) out uvec2 pixel;
    void main() { pixel = v_captured + 1u; }";

const PIXELS: usize = 32;
const TARGET: Target = Target::new(vk::Format::R32G32_UINT, PIXELS as u32, 1);

const ROOM: [u32; 2] = [24, 24];
const COUNTERS: u32 = 2;
const COUNT: Counter = Counter { buffer: COUNTERS, offset: 0 };

/// Returns the state of a captured draw that saves its counters. If `drawn` is set, a draw used the data of the
/// earlier capture.
fn captured(rig: &Rig, way: Way, drawn: bool) -> DrawState {
    let Way { path, counter_owner, .. } = way;
    let counter = |offset| Some(Counter { offset, ..COUNT });
    // The active capture, and the earlier uses of its data.
    let active = Active {
        buffers: bounds(rig.layout(), &ROOM),
        end: End::Save(vec![counter(0), counter(4)]),
        counter_owner,
        ..Active::default()
    };
    let before = match drawn {
        true => Uses {
            inputs: Vec::new(),
            captured: vec![Use::Vertices, Use::Capture(path)],
            counters: vec![match counter_owner {
                CounterOwner::Host => Use::ByteCount,
                CounterOwner::Device => Use::Storage(ShaderStage::Compute),
            }],
        },
        false => Uses::default(),
    };
    DrawState { feedback: Feedback::Active(active), before, ..DrawState::default() }
}

/// Returns the state of a draw of captured data, inside the application's pass.
fn counted(way: Way) -> DrawState {
    let Way { path, counter_owner, .. } = way;
    let before = vec![match counter_owner {
        CounterOwner::Host => Use::Save,
        CounterOwner::Device => Use::Store(ShaderStage::Compute),
    }];
    let count =
        ByteCount { counter_owner, counter: COUNT, path, counter_offset: 0, stride: 8, before };
    DrawState {
        call: Call::ByteCount(count),
        pass: PassState::Interruptible,
        reads: vec![Use::Vertices],
        before: Uses {
            inputs: Vec::new(),
            captured: vec![Use::Capture(path)],
            counters: Vec::new(),
        },
        ..DrawState::default()
    }
}

/// The pixels, which contain the drawn vertices, and the reports about barriers.
struct Found {
    pixels: Vec<Vec<u32>>,
    messages: Vec<Message>,
    hazards: Vec<String>,
}

/// Captures a strip and draws the data, then overwrites the data with a captured fan and draws it again. Returns the
/// pixels of both draws.
fn capture_and_draw(way: Way, edit: impl Fn(&mut Plan)) -> Found {
    let Way { driver, path, scope, .. } = way;
    // Plan the four draws.
    let rig = Rig::of(&INDICES, VARYINGS, way);
    let (points, pixels) =
        (glsl::vertex(POINTS, "", SpirvVersion::SPIRV1_3), glsl::fragment(POINT_PIXELS));
    let device = way.device();
    let strip = rig.pipeline(Topology::TriangleStrip, path);
    let fan = rig.pipeline(Topology::TriangleFan, path);
    let plain = Pipeline { topology: Topology::PointList, ..Pipeline::default() };
    let plan = |pipeline: &Pipeline, state: &DrawState| {
        let mut plan = planner::plan(&device, pipeline, state).expect("it has a plan");
        edit(&mut plan);
        plan
    };
    let plans = [
        plan(&strip, &captured(&rig, way, false)),
        plan(&plain, &counted(way)),
        plan(&fan, &captured(&rig, way, true)),
        plan(&plain, &counted(way)),
    ];

    // Put them into one sequence.
    let mut buffers = memory(rig.layout(), &ROOM);
    buffers.push(vec![0; 8]);
    let work = Work { buffers, targets: vec![TARGET; 2], ..Work::default() };
    let capturing = |plan, topology, vertices| {
        let numbers = numbers(topology, &(vertices, 1..2));
        Item::Draw(Box::new(rig.planned(plan, numbers, vec![0, 1])))
    };
    let consuming = |plan, target| consume(plan, target, &points, &pixels);
    let items = vec![
        capturing(&plans[0], Topology::TriangleStrip, 3..8),
        Item::BeginPass(Some(0)),
        consuming(&plans[1], 0),
        Item::EndPass,
        capturing(&plans[2], Topology::TriangleFan, 20..26),
        Item::BeginPass(Some(1)),
        consuming(&plans[3], 1),
        Item::EndPass,
    ];
    // Execute, and collect the reports.
    let device = driver.device();
    let sequence = Sequence { again: 0, work, items, scope };
    let hazards = hazards(&sequence);
    let executed = device.execute(&sequence);
    let messages = device.take_messages();
    let executed = executed.unwrap_or_else(|error| panic!("{driver:?}: {error}"));
    let vertices = |pixels: &Vec<u8>| {
        let word = |bytes: &[u8]| u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        pixels.chunks_exact(8).map(word).take_while(|vertex| *vertex > 0).map(|v| v - 1).collect()
    };
    Found { pixels: executed.outcome.targets.iter().map(vertices).collect(), messages, hazards }
}

/// Draws points from the first feedback buffer.
fn consume<'a>(plan: &'a Plan, target: usize, points: &'a [u32], pixels: &'a [u32]) -> Item<'a> {
    let attribute = Attribute { location: 0, format: vk::Format::R32G32_UINT, offset: 0 };
    let layout =
        VertexLayout { stride: 8, rate: vk::VertexInputRate::VERTEX, attributes: vec![attribute] };
    let place = Place { buffer: 0, offset: GUARD as u64 };
    let draw = Draw {
        stages: vec![Stage::vertex(points), Stage::fragment(pixels)],
        vertex_buffers: vec![VertexBuffer { place, layout }],
        target: Some(target),
        ..Draw::default()
    };
    Item::Draw(Box::new(PlannedDraw {
        plan,
        draw,
        numbers: numbers(Topology::PointList, &(0..0, 0..1)),
        variants: vec![(Variant::Original, points)],
        capture: None,
        feedback: Vec::new(),
        arguments: None,
        predicate: None,
    }))
}

#[test]
fn captured_data_is_drawn_as_often_as_was_captured() {
    for way in ways().chain(KEPT_WAYS) {
        let Found { pixels, messages, hazards } = capture_and_draw(way, |_| {});
        assert_eq!(messages, [], "{way:?}");
        assert_eq!(hazards, Vec::<String>::new(), "{way:?}");
        let strip = [3, 4, 5, 4, 6, 5, 5, 6, 7];
        let fan = [21, 22, 20, 22, 23, 20, 23, 24, 20, 24, 25, 20];
        assert_eq!(pixels, [strip.to_vec(), fan.to_vec()], "{way:?}");
    }
}

fn is_hazard(message: &Message) -> bool {
    message.id.starts_with("SYNC-HAZARD")
}

/// A missing barrier is detected. The module `hazards` detects it on both paths, for every kind of resource. The
/// validation layer ignores transform feedback, so it detects it only on the storage path.
#[test]
fn a_missing_barrier_is_noticed() {
    for way in WAYS {
        for resource in [Waits::Captured, Waits::Counters, Waits::Count] {
            let hurry = |plan: &mut Plan| {
                retain_barriers(plan, |barrier| barrier.resource != resource);
            };
            // The host owns the counters of the storage path.
            let waits = resource == Waits::Captured || way.path == Path::Extension;
            let Found { messages, hazards, .. } = capture_and_draw(way, hurry);
            assert_eq!(!hazards.is_empty(), waits, "{way:?} {resource:?}: {hazards:?}");
            if way.path != Path::Extension {
                assert_eq!(messages.iter().any(is_hazard), waits, "{way:?}: {messages:?}");
            }
        }
    }
}

/// A barrier with the wrong stage or access is detected.
#[test]
fn a_wrong_barrier_is_noticed() {
    let late = Scope { stages: Stages::FRAGMENT_SHADER, accesses: Accesses::SHADER_READ };
    for way in WAYS {
        let other = Scope { stages: Stages::COMPUTE_SHADER, accesses: Accesses::SHADER_WRITE };
        let edits: [&dyn Fn(&mut Barrier); 3] =
            [&|barrier| barrier.from = other, &|barrier| barrier.to = late, &|barrier| {
                barrier.to.accesses = Accesses::default()
            }];
        for edit in edits {
            let wrong = |plan: &mut Plan| {
                let captured = |barrier: &&mut Barrier| barrier.resource == Waits::Captured;
                barriers(plan).flatten().filter(captured).for_each(edit);
            };
            let Found { messages, hazards, .. } = capture_and_draw(way, wrong);
            assert!(!hazards.is_empty(), "{way:?}");
            assert!(way.path == Path::Extension || messages.iter().any(is_hazard), "{way:?}");
        }
    }
}

const INSIDE: PassState = PassState::Interruptible;

/// Draws a scene, and returns the pixels and the memory of the feedback buffers.
pub(crate) fn scene(
    rig: &Rig,
    fragment: &[u32],
    (way, device): (Way, &Device),
    (pipeline, active, pass): (&Pipeline, bool, PassState),
) -> (Vec<u8>, Vec<Vec<u8>>) {
    scene_by(rig, fragment, (way, device), (pipeline, active, pass), |sequence| {
        execute_checked(way.driver, sequence)
    })
}

/// Draws a scene with any executor, and returns the pixels and the memory of the feedback buffers.
pub(crate) fn scene_by(
    rig: &Rig,
    fragment: &[u32],
    (way, device): (Way, &Device),
    (pipeline, active, pass): (&Pipeline, bool, PassState),
    execute: impl Fn(&Sequence<'_>) -> Executed,
) -> (Vec<u8>, Vec<Vec<u8>>) {
    let scope = way.scope;
    let mut state = DrawState { pass, ..captured(rig, way, false) };
    // The captured data is read next, so the pass is interrupted after the draw.
    state.next.captured = vec![Use::Vertices];
    if !active {
        state = DrawState { pass, ..DrawState::default() };
    }
    // With device-owned counters, the host need not know the draw parameters.
    let is_told =
        way.counter_owner == CounterOwner::Host || pipeline.topology == Topology::LineLoop;
    state.call = if is_told { Call::Vertices } else { Call::Indirect };
    let plan = planner::plan(device, pipeline, &state).expect("it has a plan");
    let mut buffers = memory(rig.layout(), &ROOM);
    buffers.push(vec![0; 8]);
    buffers.push(bytes(&[8, 1, 3, 1]));
    let target = Target::new(vk::Format::R32G32B32A32_UINT, 24, 16);
    let mut numbers = numbers(pipeline.topology, &(3..11, 1..2));
    numbers.provoking_vertex = pipeline.provoking_vertex;
    let mut planned = rig.planned(&plan, numbers, vec![0, 1]);
    planned.draw.stages.push(Stage::fragment(fragment));
    planned.draw.target = Some(0);
    planned.arguments = (!is_told).then(|| Place { buffer: 3, offset: 0 }.into());
    let draw = Item::Draw(Box::new(planned));
    let items = match pass {
        PassState::Interruptible | PassState::Uninterruptible => {
            vec![Item::BeginPass(Some(0)), draw, Item::EndPass]
        }
        PassState::Outside => vec![draw],
    };
    let work = Work { buffers, targets: vec![target], ..Work::default() };
    let mut outcome = execute(&Sequence { again: 0, work, items, scope }).outcome;
    outcome.buffers.truncate(2);
    (outcome.targets.swap_remove(0), outcome.buffers)
}

#[test]
fn what_is_captured_is_drawn() {
    let fragment = glsl::fragment(SCENE_PIXELS);
    let topologies = [
        Topology::PointList,
        Topology::TriangleList,
        Topology::TriangleStrip,
        Topology::TriangleFan,
        Topology::LineLoop,
    ];
    for way in ways().chain(KEPT_WAYS) {
        let rig = Rig::of(&SCENE, SCENE_VARYINGS, way);
        for topology in topologies {
            if topology == Topology::LineLoop && way.path == Path::Extension {
                continue;
            }
            let pipeline = rig.pipeline(topology, way.path);
            let shown = Pipeline { rasterizer_discard: false, ..pipeline };
            let hidden = Pipeline { rasterizer_discard: true, ..shown.clone() };
            let device = way.device();
            let scene = |pipeline, active| {
                scene(&rig, &fragment, (way, &device), (pipeline, active, INSIDE))
            };
            // Draw with and without rasterizer discard, and without the capture.
            let (pixels, captured) = scene(&shown, true);
            let (blank, discarded) = scene(&hidden, true);
            let (plain, untouched) = scene(&shown, false);
            let case = format!("{way:?} {topology:?}");
            assert!(pixels == plain, "{case}");
            assert!(captured == discarded, "{case}");
            assert!(blank.iter().all(|byte| *byte == 0) && plain != blank, "{case}");
            assert!(untouched.iter().flatten().all(|byte| *byte == FILL), "{case}");
            assert!(captured != untouched, "{case}");
        }
    }
}

/// The device or the host counts generated primitives, whether or not they are captured or rasterized.
#[test]
fn primitives_that_are_generated_are_counted() {
    for way in ways() {
        let rig = Rig::of(&INDICES, VARYINGS, way);
        let device = way.device();
        let alone = Device { primitives_generated: None, ..device.clone() };
        for (topology, expected) in [(Topology::TriangleStrip, 2 * 6), (Topology::LineList, 2 * 4)]
        {
            for (active, device) in [(true, &device), (false, &device), (true, &alone)] {
                let pipeline = rig.pipeline(topology, way.path);
                let queries = vec![Query::PrimitivesGenerated(0)];
                let state = if active { captured(&rig, way, false) } else { DrawState::default() };
                let state = DrawState { queries, ..state };
                let plan = planner::plan(device, &pipeline, &state).expect("it has a plan");
                let by_device = plan.steps.iter().any(|step| matches!(step, Step::BeginQuery(_)));
                let split = active && way.path != Path::Extension;
                assert_eq!(by_device, device.primitives_generated.is_some() && !split, "{plan}");
                let counted = count_generated(&rig, way, &plan, topology);
                assert_eq!(counted, expected, "{way:?} {topology:?} {active}");
            }
        }
    }
}

/// Returns the result of the query around a draw of eight vertices and two instances.
fn count_generated(rig: &Rig, way: Way, plan: &Plan, topology: Topology) -> u64 {
    let mut buffers = memory(rig.layout(), &ROOM);
    buffers.push(vec![0; 8]);
    let numbers = numbers(topology, &(3..11, 0..2));
    let items = vec![Item::Draw(Box::new(rig.planned(plan, numbers, vec![0, 1])))];
    let work = Work { buffers, ..Work::default() };
    let executed =
        execute_checked(way.driver, &Sequence { again: 0, work, items, scope: way.scope });
    executed.queries[0].counts.needed
}

/// Without triangle fans, a fan becomes a list with the same picture, flat values and order of captured vertices.
#[test]
fn fans_are_drawn_as_lists_where_there_are_none() {
    let fragment = glsl::fragment(SCENE_PIXELS);
    for way in ways() {
        let rig = Rig::of(&SCENE, SCENE_VARYINGS, way);
        let fans = way.device();
        let lists = Device { triangle_fans: false, ..fans.clone() };
        let mut pictures = Vec::new();
        for provoking_vertex in [ProvokingVertex::First, ProvokingVertex::Last] {
            let pipeline = rig.pipeline(Topology::TriangleFan, way.path);
            let shown = Pipeline { rasterizer_discard: false, provoking_vertex, ..pipeline };
            let scene =
                |device, active| scene(&rig, &fragment, (way, device), (&shown, active, INSIDE));
            for active in [true, false] {
                let expected = scene(&fans, active);
                assert!(scene(&lists, active) == expected, "{way:?} {provoking_vertex:?}");
                pictures.push(expected.0);
            }
        }
        // The comparison detects a different provoking vertex.
        assert!(pictures[0] == pictures[1] && pictures[1] != pictures[2], "{way:?}");
    }
}

/// With native capture, the host need not know the draw parameters.
#[test]
fn indices_and_arguments_are_captured_natively() {
    let rig = Rig::new(&INDICES, VARYINGS);
    let way = WAYS[1];
    let device = way.device();
    let pipeline = rig.pipeline(Topology::TriangleStrip, Path::Extension);
    let capture = |call: Call| {
        // Plan, and fill the buffers.
        let state = DrawState { call: call.clone(), ..captured(&rig, way, false) };
        let plan = planner::plan(&device, &pipeline, &state).expect("it has a plan");
        let mut buffers = memory(rig.layout(), &ROOM);
        buffers.extend([vec![0; 8], bytes(&[3, 4, 5, 6, 7])]);
        let arguments = match call {
            Call::Indirect => vec![5, 1, 3, 1],
            _ => vec![5, 1, 0, 0, 1],
        };
        buffers.push(bytes(&arguments));

        // Add the indices and the arguments.
        let mut planned =
            rig.planned(&plan, numbers(Topology::TriangleStrip, &(3..8, 1..2)), vec![0, 1]);
        if matches!(call, Call::Indexed | Call::IndexedIndirect) {
            planned.draw.indices = Some(Indices {
                place: Place { buffer: 3, offset: 0 },
                index_type: vk::IndexType::UINT32,
                count: 5,
                first: 0,
                vertex_offset: 0,
                restart: false,
            });
        }
        planned.arguments = Some(Place { buffer: 4, offset: 0 }.into());
        let items = vec![Item::Draw(Box::new(planned))];
        let work = Work { buffers, ..Work::default() };
        let mut outcome =
            execute_checked(way.driver, &Sequence { again: 0, work, items, scope: way.scope })
                .outcome;
        outcome.buffers.truncate(3);
        outcome.buffers
    };
    // All kinds of draw calls capture the same data.
    let direct = capture(Call::Vertices);
    assert_eq!(direct[2], bytes(&[9 * 8, 9 * rig.layout()[1].stride]));
    for call in [Call::Indexed, Call::Indirect, Call::IndexedIndirect] {
        assert!(capture(call.clone()) == direct, "{call:?}");
    }
}
