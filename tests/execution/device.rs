//! Tests `polyshade-vulkan`, which runs all other tests: the inputs that shaders get, and the work that it refuses.

use crate::drivers::{DRIVERS, Driver};
use crate::feedback::FILL;
use crate::glsl;
use crate::memory::{bytes, words};
use crate::shaders::{INDICES, Varyings};
use polyshade_formats::SpirvVersion;
use polyshade_vulkan::{
    Attribute, Captured, Constant, Descriptor, Device, Draw, Error, Place, ProvokingVertex, Range,
    Resource, Stage, Target, TransformFeedback, Validation, VertexBuffer, VertexLayout, Work, vk,
};

/// Draws a triangle that covers every pixel, with the colour of its provoking vertex.
const COVER: &str = r"
    #version 450
    layout(location = 0) flat out uint v_vertex;
    void main() {
        v_vertex = gl_VertexIndex;
        gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
    }";

const SHOW: &str = r"
    #version 450
    layout(location = 0) flat in uint v_vertex;
    layout(location = 0) out uvec4 colour;
    void main() {
        colour = uvec4(v_vertex, uvec2(gl_FragCoord.xy), 7);
    }";

/// Copies the shader's inputs to a storage buffer, eight words for each vertex.
const READ: &str = r"
    #version 450
    layout(location = 3) in vec3 a_float;
    layout(location = 5) in ivec2 a_int;
    layout(constant_id = 9) const uint c_special = 1;
    layout(set = 0, binding = 2) uniform Uniform { uvec4 u_value; };
    layout(push_constant) uniform Push { uint first; uint second; } push;
    layout(set = 2, binding = 1) buffer Storage { uint words[]; };
    void main() {
        uint at = gl_VertexIndex * 8;
        words[at] = floatBitsToUint(a_float.z);
        words[at + 1] = uint(a_int.y);
        words[at + 2] = c_special;
        words[at + 3] = u_value.w;
        words[at + 4] = push.second;
        words[at + 5] = words.length();
        gl_Position = vec4(0);
        gl_PointSize = 1.0;
    }";

/// The device measures times, and the validation layer has no messages about the timestamps and the repeated
/// submissions. The times themselves are not checked.
#[test]
fn draws_are_timed_by_the_device() {
    let vertex = glsl::vertex(COVER, "", SpirvVersion::SPIRV1_0);
    let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    let draw = Draw { topology, ..Draw::new(vec![Stage::vertex(&vertex)], 0..3) };
    let work = Work { draws: vec![draw], ..Work::default() };
    for driver in DRIVERS {
        let device = driver.device();
        let times = [1, 3].map(|submissions| device.time(&work, submissions).map(|_| ()));
        assert_eq!(times, [Ok(()), Ok(())], "{driver:?}");
        assert_eq!(device.take_messages(), [], "{driver:?}");
        assert!(device.is_processor(), "{driver:?}");
    }
}

#[test]
fn pixels_come_back_with_the_provoking_vertex_that_was_asked_for() {
    let (vertex, fragment) =
        (glsl::vertex(COVER, "", SpirvVersion::SPIRV1_0), glsl::fragment(SHOW));
    let draw = |target, provoking_vertex| Draw {
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
        provoking_vertex,
        target: Some(target),
        ..Draw::new(vec![Stage::vertex(&vertex), Stage::fragment(&fragment)], 0..3)
    };
    let target = Target::new(vk::Format::R32G32B32A32_UINT, 3, 2);
    let work = Work {
        targets: vec![target; 3],
        draws: vec![draw(0, ProvokingVertex::First), draw(1, ProvokingVertex::Last)],
        ..Work::default()
    };
    let expected = |vertex| {
        let pixels = (0..2).flat_map(|y| (0..3).map(move |x| [vertex, x, y, 7]));
        pixels.flatten().collect::<Vec<u32>>()
    };
    for driver in DRIVERS {
        let targets = driver.run(&work).targets;
        assert_eq!(words(&targets[0]), expected(0), "{driver:?}");
        assert_eq!(words(&targets[1]), expected(2), "{driver:?}");
        assert_eq!(words(&targets[2]), [0; 24], "{driver:?}");
    }
}

#[test]
fn every_source_of_data_reaches_the_shader() {
    let vertex = glsl::vertex(READ, "", SpirvVersion::SPIRV1_0);
    let stage = Stage { specialization: vec![(9, Constant::Bits32(77))], ..Stage::vertex(&vertex) };
    // Bind per-vertex and per-instance attributes, and ranges of buffers.
    let floats = [0.0, 0.5, 1.5, 2.5, 3.5, 4.5].map(f32::to_bits);
    let attribute = |location, format, offset| Attribute { location, format, offset };
    let vertex_buffer = |buffer, offset, stride, rate, attribute| VertexBuffer {
        place: Place { buffer, offset },
        layout: VertexLayout { stride, rate, attributes: vec![attribute] },
    };
    let a_float = attribute(3, vk::Format::R32G32B32_SFLOAT, 0);
    let a_int = attribute(5, vk::Format::R32G32_SINT, 4);
    let storage = Range { buffer: 3, offset: 256, size: 64 };
    let uniform = Range { buffer: 2, offset: 256, size: 16 };
    let mut uniforms = vec![0; 64];
    uniforms.extend([1, 2, 3, 4]);
    let work = Work {
        buffers: vec![
            bytes(&floats),
            bytes(&[0, 0, 11, 12]),
            bytes(&uniforms),
            vec![FILL; 256 + 64 + 256],
        ],
        draws: vec![Draw {
            vertex_buffers: vec![
                vertex_buffer(0, 0, 12, vk::VertexInputRate::VERTEX, a_float),
                vertex_buffer(1, 4, 8, vk::VertexInputRate::INSTANCE, a_int),
            ],
            descriptors: vec![
                Descriptor::new(0, 2, Resource::UniformBuffer(uniform)),
                Descriptor::new(2, 1, Resource::StorageBuffer(storage)),
            ],
            push_constants: bytes(&[5, 6]),
            ..Draw::new(vec![stage], 0..2)
        }],
        ..Work::default()
    };
    // The shader sees all values, and the rest of the buffer is unchanged.
    let untouched = u32::from_ne_bytes([FILL; 4]);
    for driver in DRIVERS {
        let buffer = words(&driver.run(&work).buffers[3]);
        let row = |z: f32| [z.to_bits(), 12, 77, 4, 6, 16, untouched, untouched];
        assert_eq!(buffer[64..72], row(1.5), "{driver:?}");
        assert_eq!(buffer[72..80], row(4.5), "{driver:?}");
        assert_eq!([&buffer[..64], &buffer[80..]].concat(), [untouched; 128], "{driver:?}");
    }
}

#[test]
fn capture_pauses_and_resumes() {
    let vertex = INDICES.native(Varyings::Interleaved("v_vertex"));
    let counter = Place { buffer: 1, offset: 4 };
    let draw = |resume, vertices| Draw {
        transform_feedback: Some(TransformFeedback {
            buffers: vec![Range { buffer: 0, offset: 4, size: 16 }],
            resume,
            pause: Some(counter),
        }),
        ..Draw::new(vec![Stage::vertex(&vertex)], vertices)
    };
    let work = Work {
        buffers: vec![vec![0; 24], vec![0; 12]],
        draws: vec![draw(None, 10..12), draw(Some(counter), 20..25)],
        ..Work::default()
    };
    let outcome = Driver::Lavapipe.run(&work);
    assert_eq!(words(&outcome.buffers[0]), [0, 10, 11, 20, 21, 0]);
    assert_eq!(words(&outcome.buffers[1]), [0, 16, 0]);
    let first = Captured { written: 2, needed: 2 };
    let second = Captured { written: 2, needed: 5 };
    assert_eq!(outcome.captured, [Some(first), Some(second)]);
}

#[test]
fn capabilities_are_those_of_the_driver() {
    let device = Driver::Lavapipe.device();
    let has = device.capabilities();
    assert_eq!(has.transform_feedback.map(|feedback| feedback.max_buffers), Some(4));
    assert!(has.provoking_vertex.is_some_and(|provoking| provoking.preserved_by_capture_in_fans));
    assert_eq!(has.features.vertex_pipeline_stores_and_atomics, vk::TRUE);
    drop(device);

    let device = Driver::SwiftShader.device();
    let has = device.capabilities();
    assert_eq!(has.transform_feedback, None);
    assert!(has.provoking_vertex.is_some_and(|provoking| provoking.last));
    assert_eq!(has.features.vertex_pipeline_stores_and_atomics, vk::TRUE);
    assert_eq!(has.features.robust_buffer_access, vk::FALSE);
}

#[test]
fn what_a_driver_lacks_is_an_error() {
    let vertex = INDICES.native(Varyings::Interleaved("v_vertex"));
    let feedback = TransformFeedback {
        buffers: vec![Range { buffer: 0, offset: 0, size: 4 }],
        ..TransformFeedback::default()
    };
    let draw = Draw {
        stages: vec![Stage::vertex(&vertex)],
        transform_feedback: Some(feedback),
        ..Draw::default()
    };
    let work = Work { buffers: vec![vec![0; 4]], draws: vec![draw], ..Work::default() };
    let device = Driver::SwiftShader.device();
    assert_eq!(device.run(&work), Err(Error::Missing("transform feedback")));
}

#[test]
fn an_unknown_device_is_an_error_that_names_the_known_ones() {
    let Err(Error::NoDevice { found, .. }) = Device::open("no such device", Validation::Off) else {
        panic!("a device that does not exist was opened")
    };
    assert_eq!(found.len(), DRIVERS.len());
}

#[test]
fn a_device_is_closed_without_a_trace() {
    for name in ["llvmpipe", "SwiftShader"] {
        let device = Device::open(name, Validation::On).expect("the driver is there");
        let layer = device.validation_layer().expect("it was asked for").to_string();
        assert!(layer.contains("alidation"), "{layer}");
        assert_eq!(device.close(), []);
    }
    let device = Device::open("llvmpipe", Validation::Off).expect("the driver is there");
    assert_eq!(device.validation_layer(), None);
}
