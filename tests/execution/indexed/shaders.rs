//! Shader inputs in indexed draws, and indexed draws that are refused.

use super::{Indexed, capture_pass, run, run_native, shapes, topologies};
use crate::cases::TOPOLOGIES;
use crate::drivers::{DRIVERS, Driver};
use crate::feedback::native_draw;
use crate::glsl;
use crate::matrix::TWO_BUFFERS;
use crate::shaders::{INDICES, Shader, Varyings};
use crate::storage::{HOSTS, Storage, host_draw, options};
use polyshade::Module;
use polyshade::host::Lowered;
use polyshade::transform_feedback::{self, IndexType, Options};
use polyshade::vertex_pulling::{self, Attribute, Buffer, Pulled, Rate};
use polyshade_formats::SpirvVersion;
use polyshade_tests::program;
use polyshade_tests::shader::{bytes, read, validate};
use polyshade_vulkan::model::{BufferLayout, Topology};
use polyshade_vulkan::{self as vulkan, Range, VertexBuffer, VertexLayout, Work, bind_pulled, vk};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

/// The contents of each draw's feedback buffer.
type Memory = Vec<Vec<u8>>;

/// Outputs the base vertex, the base instance and the draw index.
const PARAMETERS: Shader = Shader {
    source: r"
        #version 460
        layout(location = 0) XFB_v_all flat out ivec4 v_all;
        layout(location = 1) XFB_v_draw flat out int v_draw;
        void main() {
            v_all = ivec4(gl_VertexIndex, gl_BaseVertex, gl_InstanceIndex, gl_BaseInstance);
            v_draw = gl_DrawID;
            gl_Position = vec4(0, 0, 0, 1);
            POINT_SIZE;
        }",
    outputs: &[("v_all", 4), ("v_draw", 1)],
};

#[test]
fn built_ins_are_those_of_the_draw_with_indices() {
    let varyings = Varyings::Interleaved("v_all v_draw");
    let layout = PARAMETERS.layout(varyings);
    let mut draws = shapes(false);
    draws.retain(|one| one.case.draw.topology != Topology::LineLoop);
    draws.iter_mut().for_each(|one| one.case.room.truncate(1));
    let native = run_native(&PARAMETERS.native(varyings), &layout, &draws);
    for host in [HOSTS[0], HOSTS[5]] {
        let options = options(varyings, host).indexed(None).topologies(topologies());
        let storage = Storage::of_words(PARAMETERS.plain(), layout.clone(), &options);
        let memories = run(&storage, Driver::Lavapipe, &draws, |_| {});
        for ((one, native), memory) in draws.iter().zip(&native).zip(memories) {
            assert!(native.memory == memory, "{one:?}\n{:02x?}\n{memory:02x?}", native.memory);
        }
        let number = storage.capture.words.number("draw_index").expect("the shader reads it");
        let given = run(&storage, Driver::Lavapipe, &draws, |words| words[number as usize] = 77);
        let numbers = given.iter().flatten().flat_map(|memory| memory.chunks_exact(4));
        assert!(numbers.into_iter().any(|word| word == 77_u32.to_ne_bytes()));
    }
}

/// Reads attributes from two buffers, one of which has per-instance attributes.
const ATTRIBUTES: Shader = Shader {
    source: r"
        #version 450
        layout(location = 0) in vec4 a_place;
        layout(location = 1) in vec4 a_instance;
        layout(location = 0) XFB_v_sum out vec4 v_sum;
        layout(location = 1) XFB_v_vertex flat out int v_vertex;
        void main() {
            v_sum = a_place + a_instance;
            v_vertex = gl_VertexIndex;
            gl_Position = vec4(0, 0, 0, 1);
            POINT_SIZE;
        }",
    outputs: &[("v_sum", 4), ("v_vertex", 1)],
};

/// Returns the attributes, of 128 elements each.
fn attributes() -> [Vec<u8>; 2] {
    let numbers = |scale: f32| (0..4 * 128).map(move |number| scale * number as f32);
    [1.0, 512.0].map(|scale| numbers(scale).flat_map(f32::to_ne_bytes).collect())
}

/// Captures the draws, with or without indices, with lavapipe's native feature and fixed-function vertex fetch.
fn fed_natively(
    words: &[u32],
    layout: &[BufferLayout],
    draws: &[Indexed],
    indexed: bool,
) -> Memory {
    let mut feedback = Vec::new();
    let mut work = Work { buffers: attributes().into(), ..Work::default() };
    for one in draws {
        feedback.push(work.buffers.len());
        let mut draw = native_draw(words, layout, &one.case, &mut work);
        draw.indices = indexed.then(|| one.native(&mut work));
        let rates = [vk::VertexInputRate::VERTEX, vk::VertexInputRate::INSTANCE];
        for (buffer, rate) in rates.into_iter().enumerate() {
            let location = buffer as u32;
            let mut layout = VertexLayout::vectors([(location, vk::Format::R32G32B32A32_SFLOAT)]);
            layout.rate = rate;
            let place = vulkan::Place { buffer, offset: 0 };
            draw.vertex_buffers.push(VertexBuffer { place, layout });
        }
        work.draws.push(draw);
    }
    let outcome = Driver::Lavapipe.run(&work);
    feedback.into_iter().map(|buffer| outcome.buffers[buffer].clone()).collect()
}

/// Captures the draws with vertex pulling.
fn fetched(
    storage: &Storage,
    pulled: &Lowered<'_, Pulled>,
    given: &vertex_pulling::Options,
    draws: &[Indexed],
    driver: Driver,
) -> Memory {
    let mut feedback = Vec::new();
    let mut work = Work { buffers: attributes().into(), ..Work::default() };
    let range = |buffer: usize| Range { buffer, offset: 0, size: 16 * 128 };
    let ranges = BTreeMap::from([(0, range(0)), (1, range(1))]);
    for one in draws {
        feedback.push(work.buffers.len());
        let words = &storage.words;
        let mut draw = match storage.capture.words.number("first_index").is_some() {
            true => capture_pass(storage, words, one, None, |_| {}, &mut work).0,
            false => storage.draw(words, &one.case, &storage.host_params(&one.case), &mut work),
        };
        bind_pulled(pulled, given, &ranges, 0, &mut draw, &mut work);
        work.draws.push(draw);
    }
    let outcome = driver.run(&work);
    feedback.into_iter().map(|buffer| outcome.buffers[buffer].clone()).collect()
}

/// Applies vertex pulling and capture in one call of the program, and returns the module's words and the report.
fn made_at_once(shader: &[u32], options: &str) -> (Vec<u32>, Value) {
    let folder = tempfile::tempdir().expect("there is room");
    let [given, made] = ["given.spv", "made.spv"].map(|name| folder.path().join(name));
    fs::write(&given, bytes(shader)).expect("there is room");
    let mut program = Command::new(program::build());
    program.arg("capture").arg(&given).arg("-o").arg(&made).args(options.split_whitespace());
    let output = program.arg("--json").output().expect("the program starts");
    assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
    let report = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let words = read(&made).expect("it was written");
    validate(&words).unwrap_or_else(|error| panic!("{options}: {error}"));
    (words, report)
}

/// One call makes the same shader as two calls, with the same host parameters. It captures the same data as the
/// original with fixed-function vertex fetch.
#[test]
fn attributes_are_fetched_in_one_call() {
    let varyings = Varyings::Interleaved("v_sum v_vertex");
    let layout = ATTRIBUTES.layout(varyings);
    let format: vertex_pulling::Format = "r32g32b32a32_sfloat".parse().expect("it is one");
    let attribute = |buffer| Attribute { buffer, offset: Some(0), format: Some(format) };
    let buffer = |rate| Buffer { stride: Some(16), rate: Some(rate) };
    let given = vertex_pulling::Options::new()
        .attribute(0, attribute(0))
        .attribute(1, attribute(1))
        .buffer(0, buffer(Rate::Vertex))
        .buffer(1, buffer(Rate::Instance { divisor: 1 }))
        .storage(Some(polyshade::host::Set(2)), None);
    let plain = ATTRIBUTES.plain();
    let module = Module::parse(&plain).expect("it is one");
    let pulled = vertex_pulling::lower(&module, "main", &given).expect("it has attributes");

    for (indexed, compute) in [(true, false), (true, true), (false, true)] {
        let mut line = "--varyings v_sum,v_vertex --set 3 --binding 0 --params storage=3:9 --pull --pull-set 2 \
                        --attribute 0=0:0:r32g32b32a32_sfloat,1=1:0:r32g32b32a32_sfloat"
            .to_owned();
        let mut options = options(varyings, HOSTS[0]);
        if indexed {
            options = options.indexed(None).restart();
            line += " --indexed --restart";
        }
        if compute {
            options = options.compute();
            line += " --path compute";
        }
        let mut storage =
            Storage::of_words(pulled.module.words().to_vec(), layout.clone(), &options);
        let (words, report) = made_at_once(&plain, &format!("{line} --buffer 0=16,1=16:instance"));
        assert!(words == storage.words, "{line}");
        assert_eq!(report["params"], json!([pulled.params[0], storage.capture.words]), "{line}");
        let bound = report["requirements"]["descriptors"].as_array().expect("it is a list");
        let stage = if compute { "compute" } else { "vertex" };
        assert!(bound.len() > 4 && bound.iter().all(|one| one["stage"] == stage), "{bound:?}");

        let mut draws = shapes(indexed);
        draws.retain(|one| TOPOLOGIES.contains(&one.case.draw.topology));
        draws.iter_mut().for_each(|one| one.case.room.truncate(1));
        let native = fed_natively(&ATTRIBUTES.native(varyings), &layout, &draws, indexed);
        for driver in DRIVERS {
            let found = fetched(&storage, &pulled, &given, &draws, driver);
            for ((one, native), memory) in draws.iter().zip(&native).zip(&found) {
                assert!(native == memory, "{driver:?} {one:?}\n{native:02x?}\n{memory:02x?}");
            }
        }
        // The comparison detects a different stride.
        storage.words = made_at_once(&plain, &format!("{line} --buffer 0=32,1=16:instance")).0;
        for driver in DRIVERS {
            assert!(fetched(&storage, &pulled, &given, &draws, driver) != native);
        }
    }
}

/// A draw that the variants do not accept and a shader with fixed-function attributes are refused.
#[test]
fn other_draws_are_refused() {
    let layout = INDICES.layout(TWO_BUFFERS);
    let made = |options: Options| Storage::of_words(INDICES.plain(), layout.clone(), &options);
    let one = Indexed::new(Topology::LineStrip, IndexType::Uint16, 5);
    let restarted = Indexed { restart: true, ..one.clone() };
    let plain = host_draw(&one.case.draw);
    let error_of = |storage: &Storage, draw: &transform_feedback::Draw| {
        let given = storage.capture.layout.host_params(draw, &storage.ranges(&one.case));
        given.err().map(|error| error.to_string()).unwrap_or_default()
    };
    // Variants that do not accept the draw.
    let indexed = made(super::any(HOSTS[0]));
    assert!(error_of(&indexed, &plain).contains("the variants are for draws with indices"));
    assert!(error_of(&indexed, &restarted.host(0)).contains("were not made for primitive restart"));
    assert!(error_of(&indexed, &one.host(1)).contains("do not begin at a multiple of their size"));
    assert_eq!(error_of(&indexed, &one.host(2)), "");
    let without = made(options(TWO_BUFFERS, HOSTS[0]));
    assert!(error_of(&without, &one.host(0)).contains("were not made for a draw with indices"));
    let restart = made(super::any(HOSTS[0]).restart());
    assert!(
        error_of(&restart, &one.host(0))
            .contains("primitive restart is enabled, but no segment table was given")
    );
    let wide = made(super::any(HOSTS[0]).indexed(Some(IndexType::Uint32)));
    assert!(error_of(&wide, &one.host(0)).contains("were not made for indices of 16 bits"));

    // A shader with attributes.
    let words = glsl::vertex(
        ATTRIBUTES.source,
        "#define XFB_v_sum\n#define XFB_v_vertex\n#define POINT_SIZE",
        SpirvVersion::SPIRV1_3,
    );
    let module = Module::parse(&words).expect("it is one");
    let options = Options::new().interleaved(["v_sum"]).indexed(None);
    let error = transform_feedback::prepare(&module, "main", &options).map(|_| ()).unwrap_err();
    assert!(
        error.to_string().contains(
            "cannot capture draws with indices: the shader must fetch its vertex attribute"
        ),
        "{error}"
    );
}
