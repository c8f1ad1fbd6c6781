//! The raster-only variant and the variant that captures and rasterizes in one pass draw the same pictures as the
//! original.

use crate::cases::TOPOLOGIES;
use crate::drivers::{DRIVERS, Driver};
use crate::feedback::{Case, FILL, native_topology, run_native};
use crate::glsl;
use crate::shaders::{Shader, Varyings};
use crate::storage::{HOSTS, Storage, options};
use crate::webgpu::{WebGpu, tests_in_webgpu};
use polyshade::Module;
use polyshade::host::SideEffects;
use polyshade_vulkan::model::Topology;
use polyshade_vulkan::{
    Descriptor, Draw, ProvokingVertex, Range, Resource, Stage, Target, Variants, Work, vk,
};

/// Draws primitives at random positions.
pub(crate) const SCENE: Shader = Shader {
    source: r"
        #version 450
        layout(location = 0) XFB_v_colour out vec4 v_colour;
        layout(location = 1) XFB_v_index flat out uvec2 v_index;
        void main() {
            uint noise = uint(gl_VertexIndex) * 2654435761u + uint(gl_InstanceIndex) * 40503u;
            uvec4 bytes = uvec4(noise, noise >> 8, noise >> 16, noise >> 24) & 255u;
            v_colour = vec4(bytes) / 256.0;
            v_index = uvec2(gl_VertexIndex, gl_InstanceIndex);
            gl_Position = vec4(v_colour.yw * 2.0 - 1.0, 0.5, 1.0);
            gl_PointSize = 1.0 + v_colour.x * 4.0;
        }",
    outputs: &[("v_colour", 4), ("v_index", 2)],
};

pub(crate) const SCENE_VARYINGS: Varyings = Varyings::Interleaved("v_index gl_NextBuffer v_colour");

/// Writes both varyings to every pixel: one is interpolated, and one comes from the provoking vertex.
pub(crate) const SCENE_PIXELS: &str = r"
    #version 450
    layout(location = 0) in vec4 v_colour;
    layout(location = 1) flat in uvec2 v_index;
    layout(location = 0) out uvec4 pixel;
    void main() {
        pixel = uvec4(v_index + 1u, floatBitsToUint(v_colour.xy));
    }";

const TARGET: Target = Target::new(vk::Format::R32G32B32A32_UINT, 24, 16);

/// The topologies that one pass captures and rasterizes.
const IN_ONE_PASS: [Topology; 5] = [
    Topology::PointList,
    Topology::LineList,
    Topology::LineStrip,
    Topology::TriangleList,
    Topology::TriangleStrip,
];

/// Returns draws of every topology in both provoking vertex modes.
pub(crate) fn scenes(topologies: &[Topology]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &topology in topologies {
        for mode in [ProvokingVertex::First, ProvokingVertex::Last] {
            let mut case = Case::new(topology, 7);
            case.draw.provoking_vertex = mode;
            case.draw.vertices = 3..10;
            case.draw.instances = 1..3;
            case.room = vec![40, 21];
            cases.push(case);
        }
    }
    cases
}

/// Completes a draw by giving it a separate target.
pub(crate) fn rasterize<'a>(
    mut draw: Draw<'a>,
    case: &Case,
    fragment: &'a [u32],
    work: &mut Work<'a>,
) -> Draw<'a> {
    draw.stages.push(Stage::fragment(fragment));
    draw.topology = native_topology(case.draw.topology);
    draw.provoking_vertex = case.draw.provoking_vertex;
    draw.target = Some(work.targets.len());
    work.targets.push(TARGET);
    draw
}

/// Returns the pixels of all cases, drawn with a vertex shader that captures nothing.
#[track_caller]
pub(crate) fn pixels(driver: Driver, vertex: &[u32], cases: &[Case]) -> Vec<Vec<u8>> {
    let fragment = glsl::fragment(SCENE_PIXELS);
    let mut work = Work::default();
    for case in cases {
        let draw = Draw {
            stages: vec![Stage::vertex(vertex)],
            vertices: case.draw.vertices.clone(),
            instances: case.draw.instances.clone(),
            ..Draw::default()
        };
        let draw = rasterize(draw, case, &fragment, &mut work);
        work.draws.push(draw);
    }
    driver.run(&work).targets
}

/// Returns the cases that [`controls`](crate::controls) draws and compares too.
pub(crate) fn all_scenes() -> Vec<Case> {
    scenes(&TOPOLOGIES)
}

#[test]
fn the_raster_pass_draws_the_original() {
    let storage = Storage::new(&SCENE, SCENE_VARYINGS);
    let cases = all_scenes();
    for driver in DRIVERS {
        let original = pixels(driver, &SCENE.plain(), &cases);
        let drawn = |pixels: &Vec<u8>| pixels.iter().any(|&byte| byte != 0);
        assert!(original.iter().all(drawn), "{driver:?}: a scene is empty");
        let raster_only = pixels(driver, storage.capture.raster_only.words(), &cases);
        assert!(original == raster_only, "{driver:?}");
    }
}

#[test]
fn one_pass_captures_and_draws() {
    let storage = Storage::new(&SCENE, SCENE_VARYINGS);
    let both = storage.capture.both.as_ref().unwrap();
    let fragment = glsl::fragment(SCENE_PIXELS);
    let cases = scenes(&IN_ONE_PASS);
    let native = run_native(&SCENE, SCENE_VARYINGS, &cases);
    for driver in DRIVERS {
        let mut work = Work::default();
        for case in &cases {
            let draw = storage.draw(both.words(), case, &storage.host_params(case), &mut work);
            let draw = rasterize(draw, case, &fragment, &mut work);
            work.draws.push(draw);
        }
        let outcome = driver.run(&work);
        assert!(outcome.targets == pixels(driver, &SCENE.plain(), &cases), "{driver:?}");
        let memories = storage.memories(&outcome.buffers);
        for ((case, native), memory) in cases.iter().zip(&native).zip(memories) {
            assert!(native.memory == memory, "{driver:?} {case:?}");
        }
    }
}

tests_in_webgpu!(wgpu: one_pass_captures_and_draws_in_webgpu);

/// One pass captures and rasterizes in WebGPU too, with the extension for stores in vertex stages.
fn one_pass_captures_and_draws_in_webgpu(by: WebGpu) {
    // WebGPU's points have size 1, and the first vertex is the provoking vertex.
    let source = SCENE.source.replace("1.0 + v_colour.x * 4.0", "1.0");
    let scene = Shader { source: source.leak(), ..SCENE };
    let mut cases = scenes(&IN_ONE_PASS);
    cases.retain(|case| case.draw.provoking_vertex == ProvokingVertex::First);
    let storage = Storage::new(&scene, SCENE_VARYINGS);
    let both = storage.capture.both.as_ref().unwrap();
    let (plain, fragment) = (scene.plain(), glsl::fragment(SCENE_PIXELS));

    let mut work = Work::default();
    for case in &cases {
        let draw = storage.draw(both.words(), case, &storage.host_params(case), &mut work);
        let mut original =
            Draw { stages: vec![Stage::vertex(&plain)], descriptors: Vec::new(), ..draw.clone() };
        original = rasterize(original, case, &fragment, &mut work);
        let draw = rasterize(draw, case, &fragment, &mut work);
        work.draws.extend([original, draw]);
    }
    let outcome = by.run(&work);
    let pictures: Vec<&[Vec<u8>]> = outcome.targets.chunks(2).collect();
    let native = run_native(&scene, SCENE_VARYINGS, &cases);
    let memories = storage.memories(&outcome.buffers);
    for (number, case) in cases.iter().enumerate() {
        assert!(pictures[number][0] == pictures[number][1], "{case:?}");
        assert!(native[number].memory == memories[number], "{case:?}");
        // The results of different cases differ.
        let other = (number + 1) % cases.len();
        assert!(pictures[number][0] != pictures[other][0], "{case:?}");
        assert!(native[number].memory != memories[other], "{case:?}");
    }
}

/// Fans and loops run their shared vertices repeatedly, so one pass does not capture them.
#[test]
fn one_pass_captures_no_fans_and_no_loops() {
    let mut storage = Storage::new(&SCENE, SCENE_VARYINGS);
    storage.words = storage.capture.both.as_ref().unwrap().words().to_vec();
    let cases = [Topology::TriangleFan, Topology::LineLoop].map(|t| Case::new(t, 6));
    for driver in DRIVERS {
        for memory in storage.run(driver, &cases).concat() {
            assert!(memory.iter().all(|&byte| byte == FILL), "{driver:?}");
        }
    }
}

#[test]
fn side_effects_happen_in_the_pass_that_keeps_them() {
    let shader = Shader {
        source: r"
            #version 450
            layout(location = 0) flat out uint v_index;
            layout(set = 0, binding = 0) buffer Log { uint runs; };
            void main() {
                v_index = gl_VertexIndex;
                atomicAdd(runs, 1u);
                gl_Position = vec4(0, 0, 0, 1);
                gl_PointSize = 1.0;
            }",
        outputs: &[("v_index", 1)],
    };
    let varyings = Varyings::Interleaved("v_index");
    // Side effects are refused by default.
    let module = Module::parse_owned(shader.plain()).expect("glslang's words parse");
    let refused = Variants::new(&module, "main", &options(varyings, HOSTS[0]));
    assert!(refused.is_err());

    // Only the chosen pass has the side effects.
    let runs = |variant: &[u32], driver: Driver| {
        let log = Range { buffer: 0, offset: 0, size: 4 };
        let draw = Draw {
            descriptors: vec![Descriptor::new(0, 0, Resource::StorageBuffer(log))],
            ..Draw::new(vec![Stage::vertex(variant)], 0..6)
        };
        let work = Work { buffers: vec![vec![0; 4]], draws: vec![draw], ..Work::default() };
        driver.run(&work).buffers.swap_remove(0)[0] > 0
    };
    for driver in DRIVERS {
        for (keep, raster) in [(SideEffects::InFirstPass, false), (SideEffects::InSecondPass, true)]
        {
            let options = options(varyings, HOSTS[0]).side_effects(keep);
            let capture = Variants::new(&module, "main", &options).expect("decided");
            assert_eq!(runs(capture.raster_only.words(), driver), raster, "{driver:?} {keep:?}");
        }
        assert!(runs(&shader.plain(), driver));
    }
}
