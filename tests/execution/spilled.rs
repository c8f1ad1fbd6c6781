//! Captures in which the shader runs once and its outputs pass through a buffer. The pictures equal those of the
//! original shader, and the captured data equals that of the native feature.

use crate::cases::TOPOLOGIES;
use crate::controls::patch;
use crate::drivers::{DRIVERS, Driver};
use crate::feedback::{Case, FILL, GUARD, run_native};
use crate::glsl;
use crate::hostile::{bound, only_written_in};
use crate::indexed::{Indexed, capture_pass, lead};
use crate::noise::Noise;
use crate::raster::{SCENE, SCENE_PIXELS, SCENE_VARYINGS, all_scenes, pixels, rasterize, scenes};
use crate::shaders::{Shader, Varyings};
use crate::storage::{HOSTS, Storage, host_draw, options};
use polyshade::host::ParamSource;
use polyshade::transform_feedback::{self, IndexType, Options};
use polyshade_vulkan::model::Topology;
use polyshade_vulkan::{
    CaptureBuffers, Draw, Outcome, Range, Stage, Work, bind_capture, dispatch_capture,
};

/// Deliberate faults.
#[derive(Clone, Copy, Default)]
struct Wrong {
    /// Whether only half of the buffer for outputs exists.
    half: bool,
    not_captured: bool,
}

/// The buffers of a case, by their indices in the work.
struct Drawn {
    feedback: Vec<usize>,
    outputs: usize,
}

/// Captures cases, and then rasterizes them.
struct Spilled {
    storage: Storage,
    fragment: Vec<u32>,
    spill_outputs: Vec<u32>,
    reload_outputs: Vec<u32>,
}

impl Spilled {
    fn new(shader: &Shader, pixels: &str, varyings: Varyings, asked: &Options) -> Spilled {
        let asked = asked.clone().spill_outputs();
        let storage = Storage::of_words(shader.plain(), shader.layout(varyings), &asked);
        let variants = storage.capture.spilled.as_ref().expect("they are asked for");
        let [spill_outputs, reload_outputs] = variants.each_ref().map(|one| one.words().to_vec());
        Spilled { spill_outputs, storage, fragment: glsl::fragment(pixels), reload_outputs }
    }

    fn scene(asked: &Options) -> Spilled {
        Self::new(&SCENE, SCENE_PIXELS, SCENE_VARYINGS, asked)
    }

    /// Adds the buffer for the outputs of a draw, with guards.
    fn outputs(&self, draw: &transform_feedback::Draw, half: bool, work: &mut Work<'_>) -> Range {
        let size = self.storage.capture.layout.outputs_size(draw).expect("the draw is one");
        let size = if half { size / 2 } else { size }.max(4);
        work.buffers.push(vec![FILL; 2 * GUARD + size as usize]);
        Range { buffer: work.buffers.len() - 1, offset: GUARD as u64, size }
    }

    /// Returns the raster pass, which follows the capture.
    fn raster<'a>(
        &'a self,
        case: &Case,
        params: &[u32],
        outputs: Range,
        work: &mut Work<'a>,
    ) -> Draw<'a> {
        let mut raster = Draw {
            stages: vec![Stage::vertex(&self.reload_outputs)],
            vertices: case.draw.vertices.clone(),
            instances: case.draw.instances.clone(),
            ..Draw::default()
        };
        let buffers = CaptureBuffers { outputs: Some(outputs), ..CaptureBuffers::default() };
        bind_capture(&self.storage.capture, params, &buffers, &mut raster, work);
        rasterize(raster, case, &self.fragment, work)
    }

    /// Adds a case to `work`, with these host parameters for the capture and for the raster pass.
    fn add<'a>(
        &'a self,
        case: &Case,
        [params, raster_params]: [&[u32]; 2],
        wrong: Wrong,
        work: &mut Work<'a>,
    ) -> Drawn {
        // The capture pass.
        let feedback = self.storage.feedback(case, work);
        let outputs = self.outputs(&host_draw(&case.draw), wrong.half, work);
        let mut capture = Draw {
            stages: vec![Stage::vertex(&self.spill_outputs)],
            vertices: case.draw.vertices.clone(),
            instances: case.draw.instances.clone(),
            ..Draw::default()
        };
        let whole = &self.storage.capture;
        dispatch_capture(whole, &host_draw(&case.draw), &mut capture).expect("it is one");
        let buffers =
            CaptureBuffers { feedback: &feedback, outputs: Some(outputs), ..Default::default() };
        bind_capture(whole, params, &buffers, &mut capture, work);
        if !wrong.not_captured {
            work.draws.push(capture);
        }
        // The raster pass.
        let raster = self.raster(case, raster_params, outputs, work);
        work.draws.push(raster);
        let feedback = feedback.iter().map(|range| range.buffer).collect();
        Drawn { feedback, outputs: outputs.buffer }
    }

    /// Runs all cases; returns the feedback buffers of each, and the pictures.
    fn run(&self, driver: Driver, cases: &[Case], wrong: Wrong) -> (Vec<Vec<Vec<u8>>>, Outcome) {
        let mut work = Work::default();
        let add = |case: &Case| {
            let params = self.storage.host_params(case);
            self.add(case, [&params; 2], wrong, &mut work)
        };
        let drawn: Vec<Drawn> = cases.iter().map(add).collect();
        let outcome = driver.run(&work);
        let memory = |at: &usize| outcome.buffers[*at].clone();
        let memories = drawn.iter().map(|one| one.feedback.iter().map(memory).collect());
        for (case, one) in cases.iter().zip(&drawn) {
            let outputs = &outcome.buffers[one.outputs];
            assert!(only_written_in(outputs, bound(outputs)), "{driver:?} {case:?}");
        }
        (memories.collect(), outcome)
    }
}

/// Returns options with different constraints on draws and different sources of host parameters.
fn asked() -> impl Iterator<Item = Options> {
    let any = |host: ParamSource| options(SCENE_VARYINGS, host);
    let storage = HOSTS.into_iter().filter(|host| !host.is_address()).map(any);
    let limit = [any(HOSTS[2]).limit_in_vertices(), any(HOSTS[0]).limit_in_vertices().compute()];
    storage.chain(limit).chain([any(HOSTS[2]).compute()])
}

#[test]
fn pictures_and_captures_stay_what_they_were() {
    let mut cases = all_scenes();
    // Vertices that do not fit into the feedback buffers are still drawn.
    for rooms in [[0, 20], [3, 3]] {
        let mut some = scenes(&TOPOLOGIES);
        some.iter_mut().for_each(|case| case.room = rooms.to_vec());
        cases.extend(some);
    }
    let native = run_native(&SCENE, SCENE_VARYINGS, &cases);
    for driver in DRIVERS {
        let original = pixels(driver, &SCENE.plain(), &cases);
        for asked in asked() {
            let (memories, outcome) = Spilled::scene(&asked).run(driver, &cases, Wrong::default());
            for (number, case) in cases.iter().enumerate() {
                assert!(
                    outcome.targets[number] == original[number],
                    "{driver:?} {asked:?} {case:?}"
                );
                assert!(memories[number] == native[number].memory, "{driver:?} {asked:?} {case:?}");
            }
        }
    }
}

#[test]
fn what_is_known_of_draws_needs_no_code() {
    for of in [Topology::TriangleList, Topology::TriangleFan] {
        let mut cases = scenes(&[of]);
        cases.iter_mut().for_each(|case| case.draw.instances.end = case.draw.instances.start + 1);
        let native = run_native(&SCENE, SCENE_VARYINGS, &cases);
        let asked = options(SCENE_VARYINGS, HOSTS[0]).topologies([of]).one_instance();
        for asked in [asked.clone(), asked.limit_in_vertices()] {
            for driver in DRIVERS {
                let spilled = Spilled::scene(&asked);
                let (memories, outcome) = spilled.run(driver, &cases, Wrong::default());
                assert!(outcome.targets == pixels(driver, &SCENE.plain(), &cases), "{driver:?}");
                let native = native.iter().map(|native| &native.memory);
                assert!(memories.iter().eq(native), "{driver:?} {asked:?}");
            }
        }
    }
}

/// All kinds of outputs and interpolation qualifiers.
const KINDS: Shader = Shader {
    source: r"
        #version 450
        layout(location = 0) XFB_v_matrix out mat3x2 v_matrix;
        layout(location = 3) flat out ivec3 v_flat;
        layout(location = 4, component = 1) noperspective out vec2 v_linear;
        layout(location = 4) noperspective out float v_beside;
        layout(location = 15) centroid out float v_centroid;
        layout(location = 5) out Block { vec3 one; flat uint two[2]; } v_block;
        struct Inner { vec2 a; float b[2]; };
        layout(location = 9) out Inner v_inner[2];
        invariant gl_Position;
        out float gl_ClipDistance[2];
        out float gl_CullDistance[1];
        void main() {
            uint noise = uint(gl_VertexIndex) * 2654435761u + uint(gl_InstanceIndex) * 40503u;
            vec4 bytes = vec4(uvec4(noise, noise >> 8, noise >> 16, noise >> 24) & 255u) / 256.0;
            v_matrix = mat3x2(bytes.xy, bytes.yz, bytes.zw);
            v_flat = ivec3(noise) >> ivec3(3, 5, 7);
            v_linear = bytes.wx;
            v_beside = bytes.y;
            v_centroid = bytes.z;
            v_block.one = bytes.yzx;
            v_block.two = uint[2](noise, ~noise);
            v_inner = Inner[2](Inner(bytes.xx, float[2](bytes.y, 0.5)), Inner(bytes.zz, float[2](2.0, bytes.w)));
            gl_ClipDistance[0] = bytes.x - 0.2;
            gl_ClipDistance[1] = 0.9 - bytes.y;
            gl_CullDistance[0] = bytes.z - 0.3;
            gl_Position = vec4(bytes.yw * 2.0 - 1.0, 0.5, 0.5 + bytes.x);
            gl_PointSize = 1.0 + bytes.x * 4.0;
        }",
    outputs: &[("v_matrix", 6)],
};

const KINDS_PIXELS: &str = r"
    #version 450
    layout(location = 0) in mat3x2 v_matrix;
    layout(location = 3) flat in ivec3 v_flat;
    layout(location = 4, component = 1) noperspective in vec2 v_linear;
    layout(location = 4) noperspective in float v_beside;
    layout(location = 15) centroid in float v_centroid;
    layout(location = 5) in Block { vec3 one; flat uint two[2]; } v_block;
    struct Inner { vec2 a; float b[2]; };
    layout(location = 9) in Inner v_inner[2];
    layout(location = 0) out uvec4 pixel;
    void main() {
        vec2 sums = v_matrix[0] + 3.0 * v_matrix[1] + 5.0 * v_matrix[2] + v_linear + v_beside + v_centroid;
        sums += v_block.one.xy * v_block.one.z + v_inner[0].a * v_inner[0].b[1] + v_inner[1].b[0] * v_inner[1].a;
        uint flats = uint(v_flat.x) ^ uint(v_flat.y) ^ uint(v_flat.z) ^ v_block.two[0] * 3u ^ v_block.two[1];
        pixel = uvec4(floatBitsToUint(sums), flats, 1u + floatBitsToUint(v_inner[0].b[0] + v_inner[1].b[1]));
    }";

#[test]
fn all_kinds_of_outputs_are_passed_through() {
    let varyings = Varyings::Interleaved("v_matrix");
    let spilled = Spilled::new(&KINDS, KINDS_PIXELS, varyings, &options(varyings, HOSTS[0]));
    let mut cases = scenes(&[Topology::PointList, Topology::TriangleStrip, Topology::TriangleFan]);
    cases.iter_mut().for_each(|case| case.draw.vertices = 3..40);
    cases.iter_mut().for_each(|case| case.room = vec![300]);
    for driver in DRIVERS {
        let (_, outcome) = spilled.run(driver, &cases, Wrong::default());
        let plain = KINDS.plain();
        let mut work = Work::default();
        for case in &cases {
            let draw = Draw {
                stages: vec![Stage::vertex(&plain)],
                vertices: case.draw.vertices.clone(),
                instances: case.draw.instances.clone(),
                ..Draw::default()
            };
            let draw = rasterize(draw, case, &spilled.fragment, &mut work);
            work.draws.push(draw);
        }
        let original = driver.run(&work).targets;
        assert!(original.iter().all(|picture| picture.iter().any(|byte| *byte != 0)));
        assert!(original == outcome.targets, "{driver:?}");
    }
}

/// The capture of an indexed draw stores a vertex for each index. The raster pass draws the vertices without indices.
#[test]
fn draws_with_indices_are_drawn_without() {
    let asked = options(SCENE_VARYINGS, HOSTS[0]).indexed(None);
    for asked in [asked.clone(), asked.clone().limit_in_vertices(), asked.compute()] {
        let spilled = Spilled::scene(&asked);
        let plain = SCENE.plain();
        // Draws of every topology with 16-bit indices.
        let mut all = Vec::new();
        for of in TOPOLOGIES {
            let mut indexed = Indexed::new(of, IndexType::Uint16, 12);
            indexed.indices = vec![4, 1, 2, 2, 1, 9, 30, 4, 1, 0, 7, 7, 3, 5];
            indexed.vertex_offset = 5;
            indexed.case.draw.vertices = 2..13;
            indexed.case.draw.instances = 1..3;
            indexed.case.room = vec![200, 17];
            all.push(indexed);
        }
        for driver in DRIVERS {
            let mut work = Work::default();
            // The capture pass, the raster pass and the original draw.
            for indexed in &all {
                let host = indexed.host(lead(indexed.width));
                let outputs = spilled.outputs(&host, false, &mut work);
                let storage = &spilled.storage;
                let (capture, _) = capture_pass(
                    storage,
                    &spilled.spill_outputs,
                    indexed,
                    Some(outputs),
                    |_| {},
                    &mut work,
                );
                let ranges = storage.ranges(&indexed.case);
                let params = storage.capture.layout.host_params(&host, &ranges).expect("it is one");
                let raster = spilled.raster(&indexed.case, &params, outputs, &mut work);
                let mut original = Draw {
                    stages: vec![Stage::vertex(&plain)],
                    instances: indexed.case.draw.instances.clone(),
                    ..Draw::default()
                };
                original.indices = Some(indexed.native(&mut work));
                let original = rasterize(original, &indexed.case, &spilled.fragment, &mut work);
                work.draws.extend([capture, raster, original]);
            }
            // The pictures are equal.
            let targets = driver.run(&work).targets;
            for (indexed, pictures) in all.iter().zip(targets.chunks(2)) {
                assert!(pictures[0].iter().any(|byte| *byte != 0), "{driver:?} {indexed:?}");
                assert!(pictures[0] == pictures[1], "{driver:?} {asked:?} {indexed:?}");
            }
        }
    }
}

/// A separate comparison detects each of these faults: a variant with other outputs, a missing capture, a buffer that
/// is too small, and the host parameters of another draw.
#[test]
fn broken_variants_and_words_are_noticed() {
    let mut cases = scenes(&[Topology::TriangleStrip, Topology::PointList]);
    cases.iter_mut().for_each(|case| case.draw.vertices = 3..23);
    cases.iter_mut().for_each(|case| case.room = vec![300, 300]);
    let mut broken = Spilled::scene(&options(SCENE_VARYINGS, HOSTS[0]));
    let original = |driver| pixels(driver, &SCENE.plain(), &cases);
    for driver in DRIVERS {
        // Faults of the buffers and of the capture.
        let (right, outcome) = broken.run(driver, &cases, Wrong::default());
        assert!(outcome.targets == original(driver), "{driver:?}");
        let half = Wrong { half: true, ..Wrong::default() };
        let (memories, outcome) = broken.run(driver, &cases, half);
        assert!(memories == right, "{driver:?}: the captured bytes do not depend on it");
        assert!(outcome.targets != original(driver), "{driver:?}");
        let not_captured = Wrong { not_captured: true, ..Wrong::default() };
        assert!(broken.run(driver, &cases, not_captured).1.targets != original(driver));

        // The host parameters of another draw.
        for name in ["first_vertex", "first_instance"] {
            let at = broken.storage.capture.words.number(name).expect("there is one") as usize;
            let mut work = Work::default();
            for case in &cases {
                let params = broken.storage.host_params(case);
                let mut wrong = params.clone();
                wrong[at] -= 1;
                broken.add(case, [&params, &wrong], Wrong::default(), &mut work);
            }
            assert!(driver.run(&work).targets != original(driver), "{driver:?} {name}");
        }
    }
    // A reloading variant that lacks an output.
    for store in ["OpStore %v_colour", "OpStore %v_index"] {
        let whole = broken.reload_outputs.clone();
        broken.reload_outputs =
            patch(&whole, |line| line.trim().starts_with(store).then(String::new));
        for driver in DRIVERS {
            let (_, outcome) = broken.run(driver, &cases, Wrong::default());
            assert!(outcome.targets != original(driver), "{driver:?} {store}");
        }
        broken.reload_outputs = whole;
    }
}

/// For any host parameters, nothing outside the bound ranges is written.
#[test]
fn noise_about_the_draw_stays_in_the_buffer() {
    let spilled = Spilled::scene(&options(SCENE_VARYINGS, HOSTS[0]));
    let cases: Vec<Case> = (0..6).flat_map(|_| scenes(&TOPOLOGIES)).collect();
    for driver in DRIVERS {
        let (mut noise, mut work) = (Noise::new(), Work::default());
        let mut drawn = Vec::new();
        for case in &cases {
            let mut params = spilled.storage.host_params(case);
            for word in params.iter_mut().skip(1).take(4) {
                *word = if noise.below(2) == 0 { noise.word() } else { noise.below(9) };
            }
            drawn.push(spilled.add(case, [&params; 2], Wrong::default(), &mut work));
        }
        let buffers = driver.run(&work).buffers;
        for one in drawn {
            let outputs = &buffers[one.outputs];
            assert!(only_written_in(outputs, bound(outputs)), "{driver:?}");
        }
    }
}
