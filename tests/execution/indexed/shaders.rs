//! What shaders read of a draw with indices, and what is refused.

use super::{Indexed, capture_pass, run, run_native, shapes, topologies};
use crate::drivers::{DRIVERS, Driver};
use crate::feedback::native_draw;
use crate::glsl;
use crate::matrix::TWO_BUFFERS;
use crate::shaders::{INDICES, Shader, Varyings};
use crate::storage::{HOSTS, Storage, host_draw, options, topology};
use polyshade::Module;
use polyshade::transform_feedback::{self, IndexType, Options};
use polyshade::vertex_pulling::{self, Attribute, Buffer, Rate};
use polyshade_formats::SpirvVersion;
use polyshade_vulkan::model::Topology;
use polyshade_vulkan::{self as vulkan, Range, VertexBuffer, VertexLayout, Work, bind_pulled, vk};
use std::collections::BTreeMap;

/// What a draw is told besides: its base vertex, its first instance, and its number.
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
        let options = options(varyings, host).indexed(None).topologies(topologies().map(topology));
        let storage = Storage::of_words(PARAMETERS.plain(), layout.clone(), &options);
        let memories = run(&storage, Driver::Lavapipe, &draws, |_| {});
        for ((one, native), memory) in draws.iter().zip(&native).zip(memories) {
            assert!(native.memory == memory, "{one:?}\n{:02x?}\n{memory:02x?}", native.memory);
        }
        let number = storage.capture.words.number("draw_index").expect("the shader reads it");
        let told = run(&storage, Driver::Lavapipe, &draws, |words| words[number as usize] = 77);
        let numbers = told.iter().flatten().flat_map(|memory| memory.chunks_exact(4));
        assert!(numbers.into_iter().any(|word| word == 77_u32.to_ne_bytes()));
    }
}

/// Attributes of two buffers, one of which instances step through.
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

#[test]
fn attributes_are_fetched_by_indices() {
    let varyings = Varyings::Interleaved("v_sum v_vertex");
    let layout = ATTRIBUTES.layout(varyings);
    let mut draws = shapes(true);
    draws.retain(|one| one.case.draw.topology != Topology::LineLoop);
    draws.iter_mut().for_each(|one| one.case.room.truncate(1));
    let format: vertex_pulling::Format = "r32g32b32a32_sfloat".parse().expect("it is one");
    let attribute = |buffer| Attribute { buffer, offset: Some(0), format: Some(format) };
    let buffer = |rate| Buffer { stride: Some(16), rate: Some(rate) };
    let told = vertex_pulling::Options::new()
        .attribute(0, attribute(0))
        .attribute(1, attribute(1))
        .buffer(0, buffer(Rate::Vertex))
        .buffer(1, buffer(Rate::Instance { divisor: 1 }))
        .storage(Some(polyshade::host::Set(2)), None);
    let plain = ATTRIBUTES.plain();
    let module = Module::parse(&plain).expect("it is one");
    let pulled = vertex_pulling::lower(&module, "main", &told).expect("it has attributes");
    let options =
        options(varyings, HOSTS[0]).indexed(None).restart().topologies(topologies().map(topology));
    let storage = Storage::of_words(pulled.module.words().to_vec(), layout.clone(), &options);

    let elements = |scale: f32| -> Vec<u8> {
        let numbers = (0..4 * 128).map(|number| scale * number as f32);
        numbers.flat_map(f32::to_ne_bytes).collect()
    };
    let attributes = [elements(1.0), elements(512.0)];
    let native = ATTRIBUTES.native(varyings);
    let (mut work, mut feedback) = (Work::default(), Vec::new());
    work.buffers.extend(attributes.iter().cloned());
    for one in &draws {
        feedback.push(work.buffers.len());
        let mut draw = native_draw(&native, &layout, &one.case, &mut work);
        draw.indices = Some(one.native(&mut work));
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
    let native = feedback.iter().map(|buffer| &outcome.buffers[*buffer]);

    for driver in DRIVERS {
        let (mut work, mut feedback) = (Work::default(), Vec::new());
        work.buffers.extend(attributes.iter().cloned());
        let range = |buffer: usize| Range { buffer, offset: 0, size: 16 * 128 };
        let ranges = BTreeMap::from([(0, range(0)), (1, range(1))]);
        for one in &draws {
            let (mut draw, buffers) =
                capture_pass(&storage, &storage.words, one, None, |_| {}, &mut work);
            bind_pulled(&pulled, &told, &ranges, 0, &mut draw, &mut work);
            work.draws.push(draw);
            feedback.push(buffers[0]);
        }
        let outcome = driver.run(&work);
        for ((one, native), buffer) in draws.iter().zip(native.clone()).zip(feedback) {
            let memory = &outcome.buffers[buffer];
            assert!(native == memory, "{driver:?} {one:?}\n{native:02x?}\n{memory:02x?}");
        }
    }
}

/// What is refused: a draw that the variants were not made for, and a shader whose attributes the fixed function feeds.
#[test]
fn other_draws_are_refused() {
    let layout = INDICES.layout(TWO_BUFFERS);
    let made = |options: Options| Storage::of_words(INDICES.plain(), layout.clone(), &options);
    let one = Indexed::new(Topology::LineStrip, IndexType::Uint16, 5);
    let restarted = Indexed { restart: true, ..one.clone() };
    let plain = host_draw(&one.case.draw);
    let said = |storage: &Storage, draw: &transform_feedback::Draw| {
        let told = storage.capture.layout.host_words(draw, &storage.ranges(&one.case));
        told.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let indexed = made(super::any(HOSTS[0]));
    assert!(said(&indexed, &plain).contains("the variants are for draws with indices"));
    assert!(said(&indexed, &restarted.host(0)).contains("were not made for restarts"));
    assert!(said(&indexed, &one.host(1)).contains("begin at no multiple of their size"));
    assert_eq!(said(&indexed, &one.host(2)), "");
    let without = made(options(TWO_BUFFERS, HOSTS[0]));
    assert!(said(&without, &one.host(0)).contains("were not made for a draw with indices"));
    let restart = made(super::any(HOSTS[0]).restart());
    assert!(said(&restart, &one.host(0)).contains("what the table of segments says is not given"));
    let wide = made(super::any(HOSTS[0]).indexed(Some(IndexType::Uint32)));
    assert!(said(&wide, &one.host(0)).contains("were not made for indices of 16 bits"));

    let words = glsl::vertex(
        ATTRIBUTES.source,
        "#define XFB_v_sum\n#define XFB_v_vertex\n#define POINT_SIZE",
        SpirvVersion::SPIRV1_3,
    );
    let module = Module::parse(&words).expect("it is one");
    let options = Options::new().interleaved(["v_sum"]).indexed(None);
    let error = transform_feedback::prepare(&module, "main", &options).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("a vertex attribute where draws have indices"), "{error}");
}
