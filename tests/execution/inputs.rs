//! A shader's inputs and resources stay unchanged when a lowering adds others.

use crate::cases::few;
use crate::drivers::{DRIVERS, Driver};
use crate::feedback::{Case, native_draw};
use crate::shaders::{Shader, Varyings};
use crate::storage::{HOSTS, Storage};
use polyshade_vulkan::{
    Attribute, Constant, Descriptor, Draw, Place, Range, Resource, VertexBuffer, VertexLayout,
    Work, vk,
};

/// Reads all kinds of inputs.
const INPUTS: Shader = Shader {
    source: r"
        #version 450
        layout(location = 0) in vec3 a_place;
        layout(location = 1) in uvec2 a_instance;
        layout(set = 0, binding = 0) uniform Uniform { vec4 offsets[2]; };
        layout(set = 1, binding = 2) readonly buffer Table { uint table[]; };
        layout(push_constant) uniform Push { uint first; uint second; } push;
        layout(constant_id = 3) const uint c_special = 1;
        layout(location = 0) XFB_v_place out vec3 v_place;
        layout(location = 1) XFB_v_words flat out uvec4 v_words;
        void main() {
            v_place = a_place + offsets[gl_VertexIndex & 1].xyz;
            v_words = uvec4(a_instance.y, table[gl_VertexIndex], push.second, c_special);
            gl_Position = vec4(v_place, 1);
            POINT_SIZE;
        }",
    outputs: &[("v_place", 3), ("v_words", 4)],
};

const VARYINGS: Varyings = Varyings::Separate("v_words v_place");

/// The number of elements in each buffer: enough for every vertex and instance of the cases.
const ELEMENTS: u32 = 8;

/// Adds all inputs of the shader to a draw.
fn add_inputs(draw: &mut Draw<'_>, work: &mut Work<'_>) {
    // Buffers with different contents.
    let mut buffer = |words: Vec<u32>| {
        work.buffers.push(words.iter().flat_map(|word| word.to_ne_bytes()).collect());
        work.buffers.len() - 1
    };
    let place = buffer((0..3 * ELEMENTS).map(|i| (i as f32).to_bits()).collect());
    let instance = buffer((0..2 * ELEMENTS).map(|i| 500 + i).collect());
    let uniform = buffer((0..8).map(|i| (i as f32 * 0.25).to_bits()).collect());
    let table = buffer((0..ELEMENTS).map(|i| 900 + i).collect());

    let vertex_buffer = |buffer, stride, rate, location, format| VertexBuffer {
        place: Place { buffer, offset: 0 },
        layout: VertexLayout {
            stride,
            rate,
            attributes: vec![Attribute { location, format, offset: 0 }],
        },
    };
    let (vertex, each) = (vk::VertexInputRate::VERTEX, vk::VertexInputRate::INSTANCE);
    // Bind them, and set the constants.
    draw.vertex_buffers.extend([
        vertex_buffer(place, 12, vertex, 0, vk::Format::R32G32B32_SFLOAT),
        vertex_buffer(instance, 8, each, 1, vk::Format::R32G32_UINT),
    ]);
    let range = |buffer, size| Range { buffer, offset: 0, size };
    let uniform = Resource::UniformBuffer(range(uniform, 32));
    let table = Resource::StorageBuffer(range(table, u64::from(4 * ELEMENTS)));
    draw.descriptors.push(Descriptor::new(0, 0, uniform));
    draw.descriptors.push(Descriptor::new(1, 2, table));
    let push = [11_u32, 22].map(u32::to_ne_bytes).concat();
    draw.push_constants.resize(draw.push_constants.len().max(push.len()), 0);
    draw.push_constants[..push.len()].copy_from_slice(&push);
    draw.stages[0].specialization.push((3, Constant::Bits32(33)));
}

/// Returns the feedback buffers after a draw with all inputs.
fn run<'a>(driver: Driver, buffers: usize, mut work: Work<'a>, mut draw: Draw<'a>) -> Vec<Vec<u8>> {
    add_inputs(&mut draw, &mut work);
    work.draws.push(draw);
    let mut memories = driver.run(&work).buffers;
    memories.truncate(buffers);
    memories
}

fn native(case: &Case) -> Vec<Vec<u8>> {
    let (words, layout) = (INPUTS.native(VARYINGS), INPUTS.layout(VARYINGS));
    let mut work = Work::default();
    let draw = native_draw(&words, &layout, case, &mut work);
    run(Driver::Lavapipe, layout.len(), work, draw)
}

#[test]
fn inputs_stay_as_they_were() {
    let natives = few().iter().map(native).collect::<Vec<_>>();
    for host in HOSTS {
        let storage = Storage::with_host(&INPUTS, VARYINGS, host);
        for driver in DRIVERS {
            for (case, native) in few().iter().zip(&natives) {
                let mut work = Work::default();
                let words = storage.host_params(case);
                let draw = storage.draw(&storage.words, case, &words, &mut work);
                let memory = run(driver, storage.layout.len(), work, draw);
                assert!(memory == *native, "{driver:?} {host:?} {case:?}");
            }
        }
    }
}
