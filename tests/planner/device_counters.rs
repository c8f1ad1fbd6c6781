//! Plans for captures with device-owned counters and for captured indexed draws, and requests that are refused.

use crate::goldens::{golden, section};
use crate::refusals::refused;
use crate::states::{anew, byte_count, pipeline, resumed, storage, with_path, with_storage};
use polyshade::host::{AddressSource, Binding, ParamSource, Set};
use polyshade::transform_feedback::Topology;
use polyshade_planner::counter_pass::{Arguments, Draws, Job, Predicate, Shader};
use polyshade_planner::{
    self as planner, ByteCount, Call, Capture, Counter, CounterOwner, Device, Draw, Feedback,
    PassState, Path, Pipeline, Preset, Query, StoredIndices, Use,
};
use polyshade_tests::shader::validate;

fn device() -> Device {
    Device { buffer_addresses: true, ..Preset::VulkanMobile.into() }
}

fn by_address(indices: Option<StoredIndices>) -> Pipeline {
    let restart = indices.is_some_and(|indices| indices.restart);
    let pipeline = with_storage(|storage| {
        storage.params_at = ParamSource::Address(AddressSource::PushConstant { offset: 64 });
        storage.indices = indices;
    });
    Pipeline { primitive_restart: restart, ..pipeline }
}

/// Returns a draw with device-owned counters.
pub(crate) fn kept(call: Call, mut draw: Draw) -> Draw {
    let Feedback::Active(active) = &mut draw.feedback else { panic!("it is active") };
    active.counter_owner = CounterOwner::Device;
    Draw { call, ..draw }
}

fn counted(counter_owner: CounterOwner) -> Call {
    let before = vec![Use::Store(polyshade_planner::ShaderStage::Compute)];
    let count = byte_count(Path::Storage, Counter { buffer: 9, offset: 8 });
    Call::ByteCount(ByteCount { counter_owner, counter_offset: 4, before, ..count })
}

const RESTART: StoredIndices =
    StoredIndices { buffer: None, restart: true, segments: None, draw_index: false };
const BOUND: StoredIndices =
    StoredIndices { buffer: Some(Binding(5)), segments: Some(Binding(6)), ..RESTART };

/// Returns a pipeline whose variants read indices that are bound.
fn bound(pipeline: Pipeline) -> Pipeline {
    let mut capture = pipeline.capture.expect("it captures");
    storage(&mut capture).indices = Some(BOUND);
    Pipeline { primitive_restart: true, capture: Some(capture), ..pipeline }
}

/// Returns a draw of a job.
fn draws(arguments: Arguments) -> Draws {
    Draws {
        topology: Topology::TriangleList,
        arguments,
        count: 1,
        predicate: None,
        buffers: [(64, 16); 4],
        template: 256,
        param_count: 7,
        blocks: 512,
        block_stride: 32,
        commands: 1024,
        groups: 0,
        segments: None,
        geometry: None,
    }
}

const NOTHING: Arguments = Arguments::Direct {
    count: 0,
    instance_count: 0,
    first: 0,
    vertex_offset: 0,
    first_instance: 0,
};

#[test]
fn jobs_inherit_what_conditional_rendering_looks_at() {
    let arguments = Arguments::Direct {
        count: 3,
        instance_count: 1,
        first: 0,
        vertex_offset: 0,
        first_instance: 0,
    };
    let looks = |place, inverted| Predicate { place, inverted };
    let job = |predicate| Job {
        draws: Some(Draws { predicate, ..draws(arguments) }),
        begin: Some([8; 4]),
        ..Job::default()
    };
    // Only the draw without a predicate inherits the predicate.
    let end = Job { end: Some([8; 4]), ..Job::default() };
    let own = job(Some(looks(1 << 33 | 4, false)));
    let words = |jobs: [&Job; 3]| jobs.map(Job::words).concat();
    for inverted in [false, true] {
        let inherited = looks(1 << 34 | 12, inverted);
        let mut jobs = words([&job(None), &own, &end]);
        Job::inherit(&mut jobs, inherited);
        assert_eq!(jobs, words([&job(Some(inherited)), &own, &end]));
    }
}

#[test]
fn jobs_have_room_for_several_executions() {
    let arguments = Arguments::Indirect { place: 8, stride: 16, count: 0, indexed: false };
    let begin = Some([8; 4]);
    let job = |blocks, commands, groups| Job {
        draws: Some(Draws { count: 3, blocks, commands, groups, ..draws(arguments) }),
        begin,
        query: 24,
        ..Job::default()
    };
    let bare = Job { begin, end: Some([4; 4]), ..Job::default() };
    let mut jobs = [job(1 << 33, 1 << 34, 0), job(0, 64, 1 << 35), bare.clone()]
        .map(|one| one.words())
        .concat();
    Job::move_on(&mut jobs, 2);
    let further = [
        job((1 << 33) + 2 * 3 * 32, (1 << 34) + 2 * 3 * 20, 0),
        job(0, 64 + 2 * 3 * 20, (1 << 35) + 2 * 3 * 12),
        bare,
    ];
    assert_eq!(jobs, further.clone().map(|one| one.words()).concat());

    // A skipped job draws nothing, whatever its arguments are.
    Job::leave_out(&mut jobs);
    for (words, job) in jobs.chunks_exact(Job::SIZE as usize / 4).zip(further) {
        let draws = job.draws.map(|draws| Draws { arguments: NOTHING, ..draws });
        let left = Job { draws, begin: None, query: 0, end: None, ..job }.words();
        // Words that no flag enables stay unchanged.
        for number in (0..2).chain(20..24).chain(30..35).chain(37..54) {
            assert_eq!(words[number], left[number], "{number}");
        }
    }
}

#[test]
fn the_device_keeps_counters() {
    let inputs = |mut draw: Draw| {
        draw.before.inputs = vec![Use::CopyDestination];
        draw.next.inputs = vec![Use::CopyDestination];
        draw
    };
    let queries = vec![Query::Stream(0), Query::PrimitivesGenerated(0)];
    let (plain, restart) = (by_address(None), by_address(Some(RESTART)));
    let mut text = String::new();
    for (heading, pipeline, draw) in [
        ("direct", &plain, kept(Call::Vertices, anew())),
        ("indirect, resumed", &plain, kept(Call::Indirect, resumed())),
        ("counted", &plain, Draw { queries, ..kept(counted(CounterOwner::Device), anew()) }),
        ("indexed, with restarts", &restart, inputs(kept(Call::Indexed, anew()))),
        ("indexed indirect", &restart, inputs(kept(Call::IndexedIndirect, resumed()))),
        (
            "not captured, counted",
            &plain,
            Draw { call: counted(CounterOwner::Device), ..Draw::default() },
        ),
    ] {
        section(&mut text, heading, &device(), pipeline, &draw);
    }
    golden("device-counters.txt", &text);
}

/// A draw is refused if its plan would have to end a pass that must not end, whichever way the draw is captured.
#[test]
fn draws_that_end_a_pass_that_is_kept_are_refused() {
    let restart = by_address(Some(RESTART));
    let plain = by_address(None);
    for (device, pipeline, mut draw) in [
        (device(), &restart, kept(Call::IndexedIndirect, resumed())),
        (device(), &plain, anew()),
        (Preset::Vulkan.into(), &pipeline(), resumed()),
    ] {
        draw.pass = PassState::Uninterruptible;
        draw.next.captured = vec![Use::Vertices];
        draw.next.counters = vec![Use::CopySource];
        refused(device, pipeline, &draw, "the active pass would have to end");
    }
}

#[test]
fn the_host_keeps_draws_with_indices() {
    let bound = Pipeline { rasterizer_discard: true, ..bound(pipeline()) };
    let draw = Draw { call: Call::Indexed, queries: vec![Query::Stream(0)], ..anew() };
    let mut text = String::new();
    section(&mut text, "bound", &device(), &bound, &draw);
    section(&mut text, "by addresses", &device(), &by_address(Some(RESTART)), &draw);
    golden("indexed.txt", &text);
}

/// Without addresses, host parameters are in buffers, and indexed draws have bindings for indices and segment tables.
#[test]
fn the_device_keeps_without_addresses() {
    let device = Device { buffer_addresses: false, max_storage_buffers: 8, ..device() };
    let mut text = String::new();
    section(&mut text, "indirect", &device, &pipeline(), &kept(Call::Indirect, resumed()));
    let draw = kept(Call::IndexedIndirect, anew());
    section(&mut text, "with indices that restart", &device, &bound(pipeline()), &draw);
    let place = ParamSource::Uniform { set: Set(3), binding: Binding(2) };
    let uniform = with_storage(|storage| storage.params_at = place);
    section(&mut text, "words in a uniform", &device, &uniform, &kept(Call::Vertices, anew()));
    golden("bound.txt", &text);
}

/// A compute capture is an indirect dispatch, and the device computes its number of work groups. In APIs in which
/// only the ends of passes wait, the application's pass ends for the counter pass.
#[test]
fn the_device_keeps_in_every_api() {
    // The devices, pipelines and draws that the cases below combine.
    let (vulkan, metal, web) = (device(), Preset::Metal.into(), Preset::WebGpu.into());
    let dispatched = with_path(Path::Compute);
    let by_address = {
        let by_address = by_address(None);
        let capture = by_address.capture.map(|one| Capture { path: Some(Path::Compute), ..one });
        Pipeline { capture, ..by_address }
    };
    let queries = vec![Query::Stream(0)];
    let mut text = String::new();
    for (heading, device, pipeline, draw) in [
        ("vulkan, dispatched", &vulkan, &by_address, kept(Call::Indirect, resumed())),
        (
            "vulkan, dispatched, counted",
            &vulkan,
            &by_address,
            Draw { queries, ..kept(counted(CounterOwner::Device), anew()) },
        ),
        ("metal", &metal, &pipeline(), kept(Call::Indirect, resumed())),
        (
            "metal, with restarts",
            &metal,
            &bound(pipeline()),
            kept(Call::IndexedIndirect, resumed()),
        ),
        ("webgpu", &web, &dispatched, kept(Call::Indirect, resumed())),
        (
            "webgpu, with restarts",
            &web,
            &bound(dispatched.clone()),
            kept(Call::IndexedIndirect, anew()),
        ),
        (
            "webgpu, not captured, counted",
            &web,
            &dispatched,
            Draw { call: counted(CounterOwner::Device), ..Draw::default() },
        ),
    ] {
        section(&mut text, heading, device, pipeline, &draw);
    }
    golden("device-counters-everywhere.txt", &text);
}

#[test]
fn what_nobody_keeps_is_refused() {
    let plain = by_address(None);
    let direct = kept(Call::Vertices, anew());
    let pushed =
        with_storage(|storage| storage.params_at = ParamSource::PushConstant { offset: 0 });
    refused(
        device(),
        &pushed,
        &direct,
        "need variants that read their parameters from a buffer or at an address",
    );
    let few = Device { max_storage_buffers: 7, ..device() };
    refused(few, &pipeline(), &direct, "need 8 storage buffers, but the device supports 7");
    // Metal has no addresses, but enough bindings.
    refused(Preset::Metal, &plain, &direct, "does not support buffer addresses");
    let web = Device { max_storage_buffers: 7, ..Preset::WebGpu.into() };
    let dispatched = with_path(Path::Compute);
    refused(web.clone(), &dispatched, &direct, "need 8 storage buffers, but the device supports 7");
    let counted_only = Draw { call: counted(CounterOwner::Device), ..Draw::default() };
    refused(web, &dispatched, &counted_only, "need 8 storage buffers, but the device supports 7");
    let pass_kept = Draw { pass: PassState::Uninterruptible, ..direct.clone() };
    for (device, pipeline) in
        [(Device::from(Preset::Metal), pipeline()), (Preset::WebGpu.into(), dispatched)]
    {
        refused(device, &pipeline, &pass_kept, "the active pass would have to end");
    }
    let without = Device { buffer_addresses: false, ..device() };
    refused(without, &plain, &direct, "bufferDeviceAddress");
    let inside = Draw { pass: PassState::Uninterruptible, ..direct };
    refused(device(), &plain, &inside, "the active pass would have to end");
    let by_host = Draw { call: counted(CounterOwner::Device), ..anew() };
    refused(
        device(),
        &plain,
        &by_host,
        "does not know the value of the counter that gives the vertex count",
    );

    let restart = by_address(Some(RESTART));
    let indexed = kept(Call::Indexed, anew());
    refused(device(), &plain, &indexed, "were not made for draws with indices");
    refused(device(), &restart, &kept(Call::Indirect, anew()), "are for draws with indices");
    let off = Pipeline { primitive_restart: false, ..restart };
    refused(device(), &off, &indexed, "the variants restart primitives, but the pipeline does not");
    let on = by_address(Some(StoredIndices::default()));
    let on = Pipeline { primitive_restart: true, ..on };
    refused(device(), &on, &indexed, "were not made for indices that restart primitives");
}

/// Only device-owned counters allow resuming at a counter that another command has written.
#[test]
fn the_device_goes_on_where_anybody_has_written() {
    let mut draw = resumed();
    draw.before.counters = vec![Use::CopyDestination];
    refused(device(), &pipeline(), &draw, "does not know the value of a counter");
    let plan = planner::plan(&device(), &by_address(None), &kept(Call::Vertices, draw));
    let text = plan.expect("the device reads it").to_string();
    assert!(text.contains("counters: TRANSFER / TRANSFER_WRITE -> COMPUTE_SHADER"), "{text}");
}

#[test]
fn the_shaders_of_the_counter_pass_are_valid() {
    for shader in [Shader::Count, Shader::Segments] {
        // The shader is SPIR-V 1.0 with a newer extension, so it is validated as SPIR-V 1.3.
        let mut words = shader.words().to_vec();
        words[1] = 0x0001_0300;
        assert_eq!(validate(&words), Ok(()), "{shader:?}");
        assert_eq!(validate(shader.bound_words()), Ok(()), "{shader:?}");
    }
}
