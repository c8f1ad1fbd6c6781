//! Plans for Metal, executed step by step by the model of encoders, which compiles the MSL as C++. The captured data
//! equals the model's. A control for each rule of Metal shows that a plan that breaks the rule is detected.

use crate::drivers::Driver;
use crate::feedback::FILL;
use crate::glsl;
use crate::memory::bytes;
use crate::noise::Noise;
use crate::plan::{Rig, Script, VARYINGS, WAYS, Way, counts, indices, numbers, plans, scripts};
use crate::plan_buffers::{bounds, memory, model_buffers};
use crate::plan_draws::{scene, scene_by};
use crate::raster::{SCENE, SCENE_PIXELS, SCENE_VARYINGS};
use crate::shaders::{INDICES, Shader, Varyings};
use crate::storage::{HOSTS, options};
use polyshade::transform_feedback::ProvokingVertex;
use polyshade_metal::Metal;
use polyshade_planner::{
    self as planner, Active, Assembly, Bind, Bound, Call, CountedBy, Counter, Device,
    Draw as DrawState, DrawCall, Feedback, ParamValue, PassScope, PassState, Path, Pipeline, Plan,
    Preset, Query, Step, Topology, Use, Uses,
};
use polyshade_vulkan::model;
use polyshade_vulkan::{
    Attribute, Error, Executed, Indices, Item, Place, Range, Runner, Sequence, VertexBuffer,
    VertexLayout, execute_in_encoders, vk,
};

/// The number of interrupted captures.
const CASES: usize = 40;

const ENCODERS: PassScope = PassScope::Encoder;

fn device() -> Device {
    Device::from(Preset::Metal)
}

fn metal() -> Metal {
    Metal::new().expect("a machine that builds polyshade has a C++ compiler")
}

fn execute(metal: &Metal, sequence: &Sequence<'_>) -> Executed {
    execute_in_encoders(metal, sequence).unwrap_or_else(|error| panic!("{error}"))
}

/// Executes a script with edited plans in an encoder of the application.
fn run(
    metal: &Metal,
    script: &Script,
    path: Path,
    edit: impl Fn(&mut Plan),
) -> Result<Executed, Error> {
    let rig = Rig::with(&INDICES, VARYINGS, &Rig::asked(options(VARYINGS, HOSTS[2]), path));
    let mut plans = plans(&rig, &device(), path, (0, script), &[Query::Stream(0)]);
    plans.iter_mut().for_each(|(plan, _)| edit(plan));
    let mut sequence = Sequence { scope: ENCODERS, ..Sequence::default() };
    sequence.work.buffers = script.memory(rig.layout());
    sequence.work.buffers.push(vec![0; 8]);
    sequence.items.push(Item::BeginPass(None));
    for (plan, piece) in &plans {
        let planned = rig.planned(plan, numbers(script.topology, piece), vec![0, 1]);
        sequence.items.push(Item::Draw(Box::new(planned)));
    }
    sequence.items.push(Item::EndPass);
    execute_in_encoders(metal, &sequence)
}

/// Captures lists, strips and fans without indices into two buffers, which may be too small, with pauses.
#[test]
fn interrupted_captures_are_whole() {
    let metal = metal();
    let layout = INDICES.layout(VARYINGS);
    for (path, count) in [(Path::Storage, CASES), (Path::Compute, CASES / 4)] {
        for script in scripts(count) {
            let executed = run(&metal, &script, path, |_| {});
            let executed = executed.unwrap_or_else(|error| panic!("{script:?}: {error}"));
            let (memory, _) = script.model(&layout);
            assert!(memory == executed.outcome.buffers[..2], "{path:?} {script:?}");
            let counted: Vec<_> = executed.queries.iter().map(|one| one.counts).collect();
            assert_eq!(counted, counts(&script, &layout), "{path:?} {script:?}");
        }
    }
}

/// Captures equal lavapipe's, whether or not the draw is rasterized, and the picture equals the original shader's.
#[test]
fn what_is_captured_is_drawn() {
    let metal = metal();
    let fragment = glsl::fragment(SCENE_PIXELS);
    let way = Way { scope: ENCODERS, ..WAYS[2] };
    let rig = Rig::new(&SCENE, SCENE_VARYINGS);
    let drawn = |pipeline: &Pipeline, active| {
        let of = (pipeline, active, PassState::Interruptible);
        scene_by(&rig, &fragment, (way, &device()), of, |sequence| execute(&metal, sequence))
    };
    for topology in [Topology::TriangleList, Topology::TriangleStrip] {
        let hidden = rig.pipeline(topology, Path::Storage);
        let shown = Pipeline { rasterizer_discard: false, ..hidden.clone() };
        let on_lavapipe = (&hidden, true, PassState::Interruptible);
        let lavapipe = (WAYS[2], &WAYS[2].device());
        let (_, captured) = scene(&rig, &fragment, lavapipe, on_lavapipe);
        let (empty, hidden) = drawn(&hidden, true);
        assert!(empty.iter().all(|byte| *byte == 0) && hidden == captured, "{topology:?}");
        // The draw that captures a triangle list also rasterizes it.
        if topology == Topology::TriangleList {
            let ((picture, found), (right, nothing)) = (drawn(&shown, true), drawn(&shown, false));
            assert!(picture == right && picture != empty, "{topology:?}");
            assert!(found == captured && nothing != captured, "{topology:?}");
        }
    }
}

/// The encoder after the capture reads the stage's outputs from the buffer into which the capture stored them.
#[test]
fn outputs_pass_through_a_buffer() {
    let (metal, fragment) = (metal(), glsl::fragment(SCENE_PIXELS));
    let way = Way { scope: ENCODERS, driver: Driver::Lavapipe, ..WAYS[2] };
    let options = options(SCENE_VARYINGS, HOSTS[2]).spill_outputs();
    let rig = Rig::with(&SCENE, SCENE_VARYINGS, &options);
    let device = Device { stores_beside_outputs: false, ..device() };
    let drawn = |cost, active| {
        let pipeline = rig.pipeline(Topology::TriangleList, Path::Storage);
        let shader_cost = Some(cost);
        let pipeline = Pipeline { rasterizer_discard: false, shader_cost, ..pipeline };
        let of = (&pipeline, active, PassState::Interruptible);
        scene_by(&rig, &fragment, (way, &device), of, |sequence| execute(&metal, sequence))
    };
    let (once, twice, plain) = (drawn(100_000, true), drawn(0, true), drawn(0, false));
    assert!(once == twice && once.0 == plain.0 && once.1 != plain.1);
}

/// A shader that reads captured data as attributes, and whose outputs are captured.
const READER: Shader = Shader {
    source: r"
        #version 450
        layout(location = 0) in uvec2 a_captured;
        layout(location = 0) XFB_v_read flat out uvec2 v_read;
        void main() { v_read = a_captured + 1u; gl_Position = vec4(0, 0, 0, 1); POINT_SIZE; }",
    outputs: &[("v_read", 2)],
};
const READ: Varyings = Varyings::Interleaved("v_read");
/// The number of vertices that are captured and read.
const COUNT: u32 = 6;

/// Returns the state of a capture into buffers of `COUNT` vertices.
fn captured(strides: &[u32], captured: &[Use], reads: &[Use]) -> DrawState {
    let bound = |stride: &u32| {
        let size = u64::from(stride * COUNT);
        Some(Bound { buffer: None, buffer_size: size, offset: 0, size: Some(size) })
    };
    let buffers = strides.iter().map(bound).collect();
    DrawState {
        pass: PassState::Interruptible,
        feedback: Feedback::Active(Active { buffers, ..Active::default() }),
        reads: reads.to_vec(),
        before: Uses { captured: captured.to_vec(), ..Uses::default() },
        ..DrawState::default()
    }
}

/// Captures numbers, then data computed from these numbers, in one pass of the application. Returns the second
/// capture.
fn capture_and_read(metal: &Metal, edit: impl Fn(&mut Plan)) -> Result<Vec<u8>, Error> {
    // Plan both draws.
    let (first, second) = (Rig::new(&INDICES, VARYINGS), Rig::new(&READER, READ));
    let plan = |rig: &Rig, state: &DrawState| {
        let pipeline = rig.pipeline(Topology::PointList, Path::Storage);
        planner::plan(&device(), &pipeline, state).expect("it has a plan")
    };
    let strides: Vec<u32> = first.layout().iter().map(|layout| layout.stride).collect();
    let writes = plan(&first, &captured(&strides, &[], &[]));
    let mut reads =
        plan(&second, &captured(&[8], &[Use::Capture(Path::Storage)], &[Use::Vertices]));
    edit(&mut reads);
    // The second draw reads the first draw's capture as a vertex buffer.
    let drawn = numbers(Topology::PointList, &(0..COUNT, 0..1));
    let mut reader = second.planned(&reads, drawn, vec![2]);
    reader.draw.vertex_buffers = vec![VertexBuffer {
        place: Place { buffer: 0, offset: 0 },
        layout: VertexLayout {
            stride: strides[0],
            rate: vk::VertexInputRate::VERTEX,
            attributes: vec![Attribute { location: 0, format: vk::Format::R32G32_UINT, offset: 0 }],
        },
    }];
    // Execute both in one encoder of the application.
    let mut sequence = Sequence { scope: ENCODERS, ..Sequence::default() };
    let sizes = strides.iter().chain(&[8]).map(|stride| (stride * COUNT) as usize);
    sequence.work.buffers = sizes.map(|size| vec![FILL; size]).collect();
    sequence.items = vec![
        Item::BeginPass(None),
        Item::Draw(Box::new(first.planned(&writes, drawn, vec![0, 1]))),
        Item::Draw(Box::new(reader)),
        Item::EndPass,
    ];
    Ok(execute_in_encoders(metal, &sequence)?.outcome.buffers.swap_remove(2))
}

/// Removes the steps that interrupt passes.
fn drop_passes(plan: &mut Plan) {
    plan.steps.retain(|step| !matches!(step, Step::BeginPass(_) | Step::EndPass(_)));
}

/// Writes become visible when their encoder ends. A plan that does not end the encoder is detected.
#[test]
fn what_is_captured_is_read_behind_the_encoder() {
    let metal = metal();
    let read = |vertex: u32| bytes(&[vertex + 1, 1]);
    let right: Vec<u8> = (0..COUNT).flat_map(read).collect();
    assert_eq!(capture_and_read(&metal, |_| {}).expect("it is allowed"), right);
    let without_break = capture_and_read(&metal, |plan| {
        let before = plan.steps.len();
        drop_passes(plan);
        assert!(plan.steps.len() < before, "the pass is interrupted");
    });
    assert_ne!(without_break.expect("it is allowed"), right);
}

/// Returns the model's capture of two instances of the vertices of each segment.
fn captured_by_model(
    topology: model::Topology,
    segments: &[Vec<u32>],
    rig: &Rig,
    memory: Vec<Vec<u8>>,
) -> Vec<model::Buffer> {
    let mut buffers = model_buffers(rig.layout(), memory);
    let draw = model::Draw {
        topology,
        provoking_vertex: ProvokingVertex::First,
        vertices: 0..0,
        instances: 2..4,
    };
    model::capture_indexed(&draw, segments, &mut buffers, indices);
    buffers
}

/// Captures lists and strips with 16-bit and 32-bit indices, with and without restart. Buffers may be too small.
#[test]
fn indexed_draws_are_captured() {
    let (metal, mut noise) = (metal(), Noise::new());
    for topology in [Topology::TriangleList, Topology::TriangleStrip, Topology::LineStrip] {
        let captured = topology.captured().expect("it is captured");
        for (wide, restarts, room) in
            [(false, false, 60), (true, false, 5), (false, true, 60), (true, true, 7)]
        {
            // The variants, and random indices.
            let asked = options(VARYINGS, HOSTS[2]).indexed(None);
            let asked = asked.topologies([captured]);
            let asked = if restarts { asked.restart() } else { asked };
            let rig = Rig::with(&INDICES, VARYINGS, &asked);
            let largest = if wide { u32::MAX } else { 0xffff };
            let index = |noise: &mut Noise| match restarts && noise.below(4) == 0 {
                true => largest,
                false => noise.below(90),
            };
            let values: Vec<u32> = (0..14).map(|_| index(&mut noise)).collect();
            let memory = memory(rig.layout(), &[room; 2]);

            // The plan and its draw.
            let buffers = bounds(rig.layout(), &[room; 2]);
            let state = DrawState {
                call: Call::Indexed,
                feedback: Feedback::Active(Active { buffers, ..Active::default() }),
                pass: PassState::Interruptible,
                ..DrawState::default()
            };
            let pipeline = rig.pipeline(topology, Path::Storage);
            let pipeline = Pipeline { primitive_restart: restarts, ..pipeline };
            let plan = planner::plan(&device(), &pipeline, &state).expect("it has a plan");
            let drawn = numbers(topology, &(0..values.len() as u32, 2..4));
            let mut planned = rig.planned(&plan, drawn, vec![0, 1]);
            planned.draw.indices = Some(Indices {
                place: Place { buffer: 2, offset: 0 },
                index_type: if wide { vk::IndexType::UINT32 } else { vk::IndexType::UINT16 },
                count: values.len() as u32,
                first: 0,
                vertex_offset: 3,
                restart: restarts,
            });
            let mut sequence = Sequence { scope: ENCODERS, ..Sequence::default() };
            sequence.work.buffers.clone_from(&memory);
            sequence.work.buffers.push(match wide {
                true => bytes(&values),
                false => values.iter().flat_map(|value| (*value as u16).to_ne_bytes()).collect(),
            });
            let draw = Item::Draw(Box::new(planned));
            sequence.items = vec![Item::BeginPass(None), draw, Item::EndPass];
            let found = execute(&metal, &sequence).outcome.buffers;

            // The model captures each segment.
            let segments = values.split(|value| restarts && *value == largest);
            let segments: Vec<Vec<u32>> =
                segments.map(|one| one.iter().map(|value| value + 3).collect()).collect();
            let buffers = captured_by_model(captured, &segments, &rig, memory);
            for (found, right) in found.iter().zip(&buffers) {
                assert!(*found == right.memory, "{topology:?} {wide} {restarts} {values:?}");
            }
        }
    }
}

#[track_caller]
fn says(result: Result<Executed, Error>, what: &str) {
    let message = result.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(message.contains(what), "{what}: {message}");
}

#[test]
fn what_metal_forbids_is_noticed() {
    let metal = metal();
    let is_long = |script: &&Script| script.topology == Topology::PointList && script.runs_on();
    let all = scripts(400);
    let script = all.iter().find(is_long).expect("there is one among so many");
    let edited = |edit: &dyn Fn(&mut Plan)| run(&metal, script, Path::Storage, edit);
    assert!(edited(&|_| {}).is_ok() && edited(&drop_passes).is_ok());
    // The plan lacks the counter of the previous draw.
    says(
        edited(&|plan| {
            drop_passes(plan);
            let fills = plan.steps.iter_mut().filter_map(|step| match step {
                Step::FillIn(words) => Some(&mut words.values),
                _ => None,
            });
            for word in fills.flatten().filter(|word| matches!(word, ParamValue::Running(_))) {
                *word = ParamValue::Constant(0);
            }
        }),
        "two draws of an encoder store to byte",
    );
    says(
        edited(&|plan| plan.steps.insert(0, Step::Barriers(Vec::new()))),
        "the plan has a barrier, which encoders do not need",
    );
    says(edited(&|plan| plan.steps.insert(0, Step::BeginQuery(Query::Stream(0)))), "queries that");
    let pass = planner::Pass {
        attachments: planner::Attachments::Application,
        contents: planner::Contents::Load,
        scope: ENCODERS,
    };
    says(
        edited(&|plan| plan.steps.insert(0, Step::BeginPass(pass))),
        "a render encoder begins inside a render encoder",
    );
    says(
        edited(&|plan| plan.steps.insert(0, Step::EndPass(pass.attachments))),
        "a draw is outside of a render encoder",
    );
    says(edited(&|plan| plan.steps.push(Step::BeginFeedback(Default::default()))), "no transform");
    // The pass does not end before the dispatch.
    says(
        run(&metal, script, Path::Compute, drop_passes),
        "a compute encoder begins inside a render encoder",
    );

    let place = Place { buffer: 0, offset: 0 };
    let copy = Item::Copy(Range { buffer: 0, offset: 0, size: 4 }, place);
    for (items, what) in [
        (vec![Item::BeginPass(None), copy.clone(), Item::EndPass], "a blit encoder begins inside"),
        (vec![Item::BeginPass(None), copy.clone()], "a blit encoder begins inside"),
        (vec![Item::EndPass], "an encoder ends, but none is open"),
        (vec![Item::BeginPass(None)], "an encoder is not ended"),
        (vec![Item::Copy(Range { buffer: 0, offset: 0, size: 99 }, place)], "exceeds its buffer"),
    ] {
        let mut sequence = Sequence { scope: ENCODERS, items, ..Sequence::default() };
        sequence.work.buffers.push(vec![0; 8]);
        says(execute_in_encoders(&metal, &sequence), what);
    }
    let vulkan = Sequence::default();
    says(execute_in_encoders(&metal, &vulkan), "the pass scope of the sequence is not an encoder");
}

/// Executes two draws with these indices in separate encoders of the application. `edit` changes the second draw's
/// plan.
fn drawn_twice(
    runner: &dyn Runner,
    indices: Option<vk::IndexType>,
    edit: impl Fn(&mut Plan),
) -> Result<Executed, Error> {
    let rig = Rig::new(&INDICES, VARYINGS);
    let pipeline = rig.pipeline(Topology::PointList, Path::Storage);
    let call = if indices.is_some() { Call::Indexed } else { Call::default() };
    let state = DrawState { call, pass: PassState::Interruptible, ..DrawState::default() };
    let first = planner::plan(&device(), &pipeline, &state).expect("it has a plan");
    let mut second = first.clone();
    edit(&mut second);
    let mut sequence = Sequence { scope: ENCODERS, ..Sequence::default() };
    // Add space for the largest indices, and a counter.
    sequence.work.buffers.push(vec![0; 4 * COUNT as usize]);
    for plan in [&first, &second] {
        let mut planned =
            rig.planned(plan, numbers(Topology::PointList, &(0..COUNT, 0..1)), Vec::new());
        planned.draw.indices = indices.map(|index_type| Indices {
            place: Place { buffer: 0, offset: 0 },
            index_type,
            count: COUNT,
            first: 0,
            vertex_offset: 0,
            restart: false,
        });
        let draw = Item::Draw(Box::new(planned));
        sequence.items.extend([Item::BeginPass(None), draw, Item::EndPass]);
    }
    execute_in_encoders(runner, &sequence)
}

/// Plans that are wrong for Metal, because they use features of Vulkan, are detected.
#[test]
fn draws_that_metal_has_not_are_noticed() {
    let metal = metal();
    for wide in [vk::IndexType::UINT16, vk::IndexType::UINT32] {
        assert!(drawn_twice(&metal, Some(wide), |_| {}).is_ok(), "{wide:?}");
    }
    says(drawn_twice(&metal, Some(vk::IndexType::UINT8_EXT), |_| {}), "8-bit indices are not");

    // Bindings of the previous encoder do not apply to this one.
    let bind = |plan: &mut Plan| plan.steps.retain(|step| !matches!(step, Step::BindPipeline(_)));
    assert!(drawn_twice(&metal, None, |_| {}).is_ok());
    says(drawn_twice(&metal, None, bind), "a draw has no pipeline");

    let edited = |edit: fn(&mut Bind)| {
        move |plan: &mut Plan| {
            for step in &mut plan.steps {
                if let Step::BindPipeline(bind) = step {
                    edit(bind);
                }
            }
        }
    };
    let last = edited(|bind| bind.provoking_vertex = ProvokingVertex::Last);
    says(drawn_twice(&metal, None, last), "the last vertex cannot be the provoking vertex");
    let fans = edited(|bind| bind.assembly = Assembly::AsDrawn(Topology::TriangleFan));
    says(drawn_twice(&metal, None, fans), "topology TRIANGLE_FAN is not supported");
    let strips = edited(|bind| bind.assembly = Assembly::AsDrawn(Topology::LineStrip));
    says(drawn_twice(&metal, Some(vk::IndexType::UINT16), strips), "always on for strips");

    let by_bytes = |plan: &mut Plan| {
        let counter = Counter { buffer: 0, offset: 0 };
        for step in &mut plan.steps {
            if let Step::Draw(call) = step {
                *call = DrawCall::ByteCount(CountedBy { counter, offset: 0, stride: 4 });
            }
        }
    };
    says(drawn_twice(&metal, None, by_bytes), "draws with a byte count");
    // Use lavapipe, which supports byte-count draws; the model of Metal does not.
    let lavapipe = Driver::Lavapipe.unwatched();
    says(drawn_twice(&*lavapipe, None, by_bytes), "draws with a byte count are not supported");
    assert!(drawn_twice(&*lavapipe, None, |_| {}).is_ok());
}
