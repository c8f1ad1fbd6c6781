//! Distances emulated in a geometry stage give the same coverage and the same values as native distances.

use super::arrays::{each_element, inputs, per_vertex};
use super::chain::{self, Stages, draw, each, seeded, valid, with_geometry, with_header};
use crate::drivers::Driver;
use crate::memory::words;
use polyshade::Module;
use polyshade::clip_cull::{DistanceCounts, Emulated, GeometryClip, Primitive, Step};
use polyshade::spv::{Capability, ExecutionModel};
use polyshade_formats::ShaderStage;
use polyshade_tests::clip::{take, to_registers};
use polyshade_tests::sample::sample;
use polyshade_vulkan::{Draw, ProvokingVertex, Target, lavapipe_misreads, vk};

const SIZE: u32 = 32;
/// The number of pictures.
const SEEDS: u32 = 8;
/// The location of the distances between the stages.
const LOCATION: u32 = 8;

/// Outputs with every interpolation: smooth, noperspective and flat, and in a block.
const VALUES: &str = "
layout(location = 0) SIDE float smooth_valueARRAY;
layout(location = 1) noperspective SIDE vec2 screenARRAY;
layout(location = 2) flat SIDE uint numberARRAY;
layout(location = 3) SIDE Block { vec3 column; layout(location = 4) flat float kept; vec2 rows[2]; } blockARRAY;
";

const VERTEX: &str = "
VALUES
OUTPUTS
void main() {
    uint v = uint(gl_VertexIndex) * 7u;
    float w = 1.0 + 0.5 * noise(v + 2u);
    gl_Position = vec4(noise(v) * 0.96 * w, noise(v + 1u) * 0.96 * w, 0.5 * w, w);
    gl_PointSize = 5.0;
    smooth_value = noise(v + 3u);
    screen = vec2(noise(v + 4u), noise(v + 5u));
    number = uint(gl_VertexIndex) * 3u + 1u;
    block.column = vec3(noise(v + 6u), 1.0, noise(v + 8u));
    block.kept = noise(v + 9u);
    block.rows[0] = screen.yx;
    block.rows[1] = vec2(noise(v + 2u), smooth_value);
    DISTANCES
}";

const CONTROL: &str = "
layout(vertices = 3) out;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelInner[0] = 2.0;
    for (int i = 0; i < 3; ++i) gl_TessLevelOuter[i] = 2.0 + float(i & 1);
}";

const EVALUATION: &str = "
layout(triangles, equal_spacing, ccw) in;
VALUES
OUTPUTS
void main() {
    precise vec4 position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position
        + gl_TessCoord.z * gl_in[2].gl_Position;
    gl_Position = position;
    uint v = uint(gl_TessCoord.x * 16.0) * 97u + uint(gl_TessCoord.y * 16.0) * 31u;
    smooth_value = noise(v + 3u);
    screen = vec2(noise(v + 4u), noise(v + 5u));
    number = v;
    block.column = vec3(1.0);
    block.kept = noise(v + 9u);
    block.rows[0] = screen.yx;
    block.rows[1] = screen;
    DISTANCES
}";

/// Emits a strip of four vertices and one of three.
const GEOMETRY: &str = "
layout(triangles) in;
layout(EMITTED, max_vertices = 7) out;
VALUES
OUTPUTS
void put(uint v) {
    float w = 1.0 + 0.5 * noise(v + 2u);
    gl_Position = vec4(noise(v) * 0.96 * w, noise(v + 1u) * 0.96 * w, 0.5 * w, w);
    SIZES
    smooth_value = noise(v + 3u);
    screen = vec2(noise(v + 4u), noise(v + 5u));
    number = v;
    block.column = vec3(noise(v + 6u), gl_in[v % 3u].gl_Position.x, noise(v + 8u));
    block.kept = noise(v + 9u);
    block.rows[0] = screen.yx;
    block.rows[1] = vec2(noise(v + 2u), smooth_value);
    DISTANCES
    EmitVertex();
}
void main() {
    for (uint strip = 0u; strip < 2u; ++strip) {
        for (uint i = strip; i < 3u; ++i) put(strip * 512u + i * 7u);
        put(strip * 512u + 77u);
        EndPrimitive();
    }
}";

const FRAGMENT: &str = "
VALUES
INPUTS
layout(location = 0) out vec4 pixel;
void main() {
    pixel = vec4(smooth_value + 4.0 * dot(block.column, vec3(1, 2, 4)), dot(screen, vec2(1, 3)) + block.rows[0].x
        + block.rows[1].y READ, float(number) + 0.25 * block.kept, 1.0);
}";

/// The distances of a pipeline.
#[derive(Clone, Copy, Debug)]
struct Case {
    clip: u32,
    cull: u32,
    /// Whether some distances are NaN or infinite.
    strange: bool,
    read: bool,
}

/// The stages of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Chain {
    Vertex,
    Tessellation,
    Geometry(Primitive),
}

fn emitted(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Points => "points",
        Primitive::Lines => "line_strip",
        Primitive::Triangles => "triangle_strip",
    }
}

#[track_caller]
fn compiled(stage: ShaderStage, source: &str, replaced: &[(&str, &str)]) -> Vec<u32> {
    let (side, array) = if stage == ShaderStage::Fragment { ("in", "") } else { ("out", "") };
    let values = VALUES.replace("SIDE", side).replace("ARRAY", array);
    with_header(stage, &source.replace("VALUES", &values), replaced)
}

impl Case {
    /// Returns the stages with built-in arrays.
    #[track_caller]
    fn native(self, chain: Chain) -> Stages {
        let counts = [self.clip, self.cull];
        let outputs = per_vertex(counts);
        let write = |name: &str, i: u32| {
            let (count, first) =
                if name == "gl_ClipDistance" { (self.clip, 300) } else { (self.cull, 800) };
            // With more distances, each distance clips or culls less.
            let offset = 0.3 + 0.05 * count as f32;
            let strange = match self.strange {
                true => format!(
                    "if (noise(v + {i}u + 50u) > 0.8) {name}[{i}] = uintBitsToFloat(0x7fc00000u + pc.zero);\n"
                ),
                false => String::new(),
            };
            format!("{name}[{i}] = noise(v + {}u) + {offset};\n{strange}", 11 * i + first)
        };
        let writes = each_element(counts, write);
        let counts_read = if self.read { counts } else { [0, 0] };
        let inputs = inputs(counts_read);
        let read = each_element(counts_read, |name, i| format!(" + {name}[{i}]"));
        let mut stages = Vec::new();
        let last = [("OUTPUTS", outputs.as_str()), ("DISTANCES", &writes)];
        let none = [("OUTPUTS", ""), ("DISTANCES", "")];
        match chain {
            Chain::Vertex => stages.push((ShaderStage::Vertex, VERTEX, last.to_vec())),
            Chain::Tessellation => {
                stages.push((ShaderStage::Vertex, VERTEX, none.to_vec()));
                stages.push((ShaderStage::TessellationControl, CONTROL, Vec::new()));
                stages.push((ShaderStage::TessellationEvaluation, EVALUATION, last.to_vec()));
            }
            Chain::Geometry(primitive) => {
                let sizes = if primitive == Primitive::Points { "gl_PointSize = 5.0;" } else { "" };
                let more = [("EMITTED", emitted(primitive)), ("SIZES", sizes)];
                stages.push((ShaderStage::Vertex, VERTEX, none.to_vec()));
                stages.push((ShaderStage::Geometry, GEOMETRY, [last, more].concat()));
            }
        }
        let fragment = [("INPUTS", inputs.as_str()), ("READ", &read)];
        stages.push((ShaderStage::Fragment, FRAGMENT, fragment.to_vec()));
        stages
            .into_iter()
            .map(|(stage, source, replaced)| (stage, compiled(stage, source, &replaced)))
            .collect()
    }

    /// Returns the stages for a device without native distances.
    #[track_caller]
    fn emulated(
        self,
        chain: Chain,
        primitive: Primitive,
        change: impl Fn(&mut GeometryClip),
    ) -> Stages {
        // Choose the options that depend on the fragment stage.
        let mut stages = self.native(chain);
        let last = stages.len() - 1;
        let fragment = Module::parse_owned(stages[last].1.clone()).unwrap();
        let entry = fragment.entry_point("main", ExecutionModel::FRAGMENT).unwrap();
        let mut clip = GeometryClip::default();
        clip.interpolate_for(&fragment, entry).unwrap();
        clip.keep_at = self.read.then_some(LOCATION);
        change(&mut clip);

        // Clip in the geometry stage, or in a generated geometry stage.
        let signature = DistanceCounts { clip: self.clip, cull: self.cull };
        let counts;
        if let Chain::Geometry(_) = chain {
            let geometry = Module::parse_owned(stages[last - 1].1.clone()).unwrap();
            let done = take(&geometry, Step::ClipInGeometry(clip)).unwrap();
            stages[last - 1].1 = done.module.into_words();
            counts = done.result.distances.outputs.counts();
        } else {
            (stages, counts) = with_geometry(&stages, clip, primitive, LOCATION);
        }
        assert_eq!(counts, signature);
        // The fragment stage reads registers.
        let fragment = take(&fragment, to_registers(LOCATION, Some(signature))).unwrap();
        stages.pop();
        stages.push((ShaderStage::Fragment, fragment.module.into_words()));
        stages.iter().for_each(|(_, words)| valid(words));
        stages
    }
}

fn has_distances(stages: &Stages) -> bool {
    stages.iter().any(|(_, words)| chain::has_distances(&Module::parse(words).unwrap()))
}

/// The draws of a series of pictures.
#[derive(Clone, Copy)]
struct Scene {
    topology: vk::PrimitiveTopology,
    vertices: u32,
    provoking: ProvokingVertex,
}

impl Scene {
    fn new(topology: vk::PrimitiveTopology, vertices: u32) -> Scene {
        Scene { topology, vertices, provoking: ProvokingVertex::First }
    }

    fn of(chain: Chain) -> Scene {
        match chain {
            Chain::Tessellation => Scene::new(vk::PrimitiveTopology::PATCH_LIST, 3),
            _ => Scene::new(vk::PrimitiveTopology::TRIANGLE_LIST, 3),
        }
    }

    /// Draws a picture for each seed: four floats for each pixel.
    #[track_caller]
    fn pictures(self, stages: &Stages) -> Vec<Vec<f32>> {
        let draws = (0..SEEDS).map(|seed| Draw {
            topology: self.topology,
            provoking_vertex: self.provoking,
            ..draw(stages, self.vertices, seeded(seed))
        });
        let target = Target::new(vk::Format::R32G32B32A32_SFLOAT, SIZE, SIZE);
        let floats = |bytes: Vec<u8>| words(&bytes).into_iter().map(f32::from_bits).collect();
        Driver::Lavapipe.run(&each(target, draws)).targets.into_iter().map(floats).collect()
    }
}

/// The differences between pictures.
#[derive(Debug, Default)]
struct Difference {
    pixels: usize,
    covered: usize,
    /// Pixels that only one picture covers.
    coverage: usize,
    /// Pixels with different flat values.
    flat: usize,
    /// Interpolated values with different bits.
    bits: usize,
    /// The largest difference of an interpolated value.
    largest: f32,
}

fn difference(left: &[Vec<f32>], right: &[Vec<f32>]) -> Difference {
    let mut found = Difference::default();
    let pixels = left.iter().flatten().copied().collect::<Vec<f32>>();
    let others = right.iter().flatten().copied().collect::<Vec<f32>>();
    assert_eq!(pixels.len(), others.len());
    for (left, right) in pixels.chunks_exact(4).zip(others.chunks_exact(4)) {
        found.pixels += 1;
        found.covered += usize::from(left[3] != 0.0);
        if left[3] != right[3] {
            found.coverage += 1;
            continue;
        }
        found.flat += usize::from(left[2] != right[2]);
        found.bits += usize::from(left[..2] != right[..2]);
        for i in 0..2 {
            found.largest = found.largest.max((left[i] - right[i]).abs());
        }
    }
    found
}

/// The tolerance for values interpolated in differently clipped triangles: up to 30, and rounded by thin triangles.
const ROUNDING: f32 = 0.02;

#[track_caller]
fn assert_equal(scene: Scene, native: &Stages, emulated: &Stages, what: impl std::fmt::Debug) {
    let (native, emulated) = (scene.pictures(native), scene.pictures(emulated));
    let found = difference(&native, &emulated);
    println!("{what:?}: {found:?}");
    let is_equal = found.coverage == 0 && found.flat == 0 && found.largest < ROUNDING;
    assert!(is_equal, "{what:?}: {found:?}");
    assert!(found.covered > 0, "{what:?}: nothing is drawn");
}

/// Checks that no stage has distances, and that the pictures are the native ones.
#[track_caller]
fn is_cut_alike(case: Case, chain: Chain, primitive: Primitive, scene: Scene) {
    let emulated = case.emulated(chain, primitive, |_| ());
    assert!(!has_distances(&emulated));
    assert_equal(scene, &case.native(chain), &emulated, (chain, scene.topology, case));
}

fn last_provokes(clip: &mut GeometryClip) {
    clip.provoking = ProvokingVertex::Last;
}

const PRIMITIVES: [Primitive; 3] = [Primitive::Points, Primitive::Lines, Primitive::Triangles];

/// Returns every combination of counts, with distances of one kind and of both.
fn cases() -> impl Iterator<Item = Case> {
    let counts = (1..=4).flat_map(|n| [[n, 0], [0, n], [n, 1], [1, n]]);
    let more = [[8, 0], [0, 8], [4, 4]];
    let all = counts.chain(more).enumerate().map(|(i, [clip, cull])| Case {
        clip,
        cull,
        strange: i % 3 == 2,
        read: i % 2 == 1,
    });
    all.filter(|case| !lavapipe_misreads([case.clip, case.cull]))
}

#[test]
fn what_a_geometry_stage_emits_is_cut_as_the_device_cuts_it() {
    for case in sample(cases(), 5) {
        for primitive in PRIMITIVES {
            let chain = Chain::Geometry(primitive);
            is_cut_alike(case, chain, primitive, Scene::of(chain));
        }
    }
}

/// Every topology without adjacency, with the input primitive of the geometry stage.
const TOPOLOGIES: [(vk::PrimitiveTopology, Primitive); 6] = [
    (vk::PrimitiveTopology::POINT_LIST, Primitive::Points),
    (vk::PrimitiveTopology::LINE_LIST, Primitive::Lines),
    (vk::PrimitiveTopology::LINE_STRIP, Primitive::Lines),
    (vk::PrimitiveTopology::TRIANGLE_LIST, Primitive::Triangles),
    (vk::PrimitiveTopology::TRIANGLE_STRIP, Primitive::Triangles),
    (vk::PrimitiveTopology::TRIANGLE_FAN, Primitive::Triangles),
];

#[test]
fn a_generated_stage_cuts_as_the_device_does() {
    for case in sample(cases(), 5) {
        for (topology, primitive) in TOPOLOGIES {
            is_cut_alike(case, Chain::Vertex, primitive, Scene::new(topology, 6));
        }
    }
}

#[test]
fn a_generated_stage_comes_behind_tessellation_too() {
    for case in sample(cases(), 3) {
        let chain = Chain::Tessellation;
        is_cut_alike(case, chain, Primitive::Triangles, Scene::of(chain));
    }
}

#[test]
fn clip_distances_that_the_device_has_stay() {
    for case in cases().filter(|case| case.cull > 0 && !case.read) {
        for chain in [Chain::Vertex, Chain::Geometry(Primitive::Triangles)] {
            let emulated =
                case.emulated(chain, Primitive::Triangles, |clip| clip.emulated = Emulated::Cull);
            for (_, words) in &emulated {
                let module = Module::parse(words).unwrap();
                assert!(!module.has_capability(Capability::CULL_DISTANCE));
            }
            assert_eq!(has_distances(&emulated), case.clip > 0);
            assert_equal(Scene::of(chain), &case.native(chain), &emulated, (chain, case));
        }
    }
}

#[test]
fn flat_values_come_from_the_provoking_vertex_in_both_modes() {
    let case = Case { clip: 2, cull: 1, strange: false, read: false };
    for (topology, primitive) in TOPOLOGIES {
        let emulated = case.emulated(Chain::Vertex, primitive, last_provokes);
        let scene = Scene { provoking: ProvokingVertex::Last, ..Scene::new(topology, 6) };
        assert_equal(scene, &case.native(Chain::Vertex), &emulated, topology);
    }
    for primitive in PRIMITIVES {
        let chain = Chain::Geometry(primitive);
        let emulated = case.emulated(chain, primitive, last_provokes);
        let scene = Scene { provoking: ProvokingVertex::Last, ..Scene::of(chain) };
        assert_equal(scene, &case.native(chain), &emulated, chain);
    }
}

/// Controls: lowerings with wrong options, or for other stages, draw different pictures.
#[test]
fn what_is_not_cut_or_taken_from_another_vertex_is_seen() {
    let chain = Chain::Geometry(Primitive::Triangles);
    let seen = |case: Case, emulated: &Stages| {
        let scene = Scene::of(chain);
        difference(&scene.pictures(&case.native(chain)), &scene.pictures(emulated))
    };
    let both = Case { clip: 2, cull: 2, strange: false, read: false };
    for lacking in [[2, 0], [0, 2], [2, 1], [1, 2]] {
        let less = Case { clip: lacking[0], cull: lacking[1], ..both };
        let found = seen(both, &less.emulated(chain, Primitive::Triangles, |_| ()));
        assert!(found.coverage > 5, "{lacking:?}: {found:?}");
    }
    let found = seen(both, &both.emulated(chain, Primitive::Triangles, last_provokes));
    assert!(found.flat > 5, "{found:?}");
    let smooth = |clip: &mut GeometryClip| {
        clip.flat.insert(0);
    };
    let found = seen(both, &both.emulated(chain, Primitive::Triangles, smooth));
    assert!(found.largest > 10.0 * ROUNDING, "{found:?}");
}
