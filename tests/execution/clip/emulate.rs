//! Distances emulated in the vertex and fragment stages, compared with native distances.

use super::arrays::{each_element, inputs, per_vertex};
use super::chain::{Stages, draw, each, emulated, with_header};
use crate::drivers::{DRIVERS, Driver};
use crate::memory::bytes;
use crate::webgpu::{WebGpu, tests_in_webgpu};
use polyshade::Module;
use polyshade::clip_cull::DistanceCounts;
use polyshade::spv::{ExecutionMode, ExecutionModel};
use polyshade_formats::ShaderStage;
use polyshade_tests::sample::sample;
use polyshade_vulkan::{Counts, DepthTest, Draw, Target, Work, lavapipe_misreads, vk};

const SIZE: u32 = 32;
/// The location of the distances between the stages.
const LOCATION: u32 = 2;

/// The vertex shader. `DISTANCES` writes the distances, and every fourth primitive of each draw is degenerate.
const VERTEX: &str = "
OUTPUTS
void main() {
    uint v = uint(gl_VertexIndex) * 7u;
    gl_Position = vec4(noise(v) * 1.2, noise(v + 1u) * 1.2, 0.5, 1.0 + 0.5 * noise(v + 2u));
    if ((pc.seed & 3u) == 3u) gl_Position.xy = vec2(gl_VertexIndex, gl_VertexIndex) * 0.3;
    gl_PointSize = 5.0;
    DISTANCES
}";

const FRAGMENT: &str = "
INPUTS
layout(location = 0) out uvec2 pixel;
void main() { pixel = uvec2(1u, READ); }";

struct Case {
    clip: u32,
    cull: u32,
    /// Whether some distances are NaN.
    nan: bool,
    read: bool,
}

impl Case {
    #[track_caller]
    fn native(&self) -> Stages {
        self.native_of(VERTEX, FRAGMENT)
    }

    #[track_caller]
    fn native_of(&self, vertex: &str, fragment: &str) -> Stages {
        let counts = [self.clip, self.cull];
        let writes = each_element(counts, |name, i| {
            let nan = match self.nan {
                true => format!(
                    "if (noise(v + {i}u + 50u) > 0.5) {name}[{i}] = uintBitsToFloat(0x7fc00000u + pc.zero);\n"
                ),
                false => String::new(),
            };
            format!("{name}[{i}] = noise(v + {}u) + 0.2;\n{nan}", 11 * i + 3)
        });
        let counts_read = if self.read { counts } else { [0, 0] };
        let mix = |name: &str, i: u32| format!(" * 31u + floatBitsToUint({name}[{i}])");
        let read = "0u".to_owned() + &each_element(counts_read, mix);
        let outputs = [("OUTPUTS", &per_vertex(counts)[..]), ("DISTANCES", &writes)];
        let inputs = [("INPUTS", &inputs(counts_read)[..]), ("READ", &read)];
        vec![
            (ShaderStage::Vertex, with_header(ShaderStage::Vertex, vertex, &outputs)),
            (ShaderStage::Fragment, with_header(ShaderStage::Fragment, fragment, &inputs)),
        ]
    }

    #[track_caller]
    fn emulated(&self) -> Stages {
        self.emulation(&self.native())
    }

    #[track_caller]
    fn emulation(&self, native: &Stages) -> Stages {
        let (stages, counts) = emulated(native, LOCATION);
        assert_eq!(counts, DistanceCounts { clip: self.clip, cull: self.cull });
        stages
    }
}

/// The number of pictures.
const SEEDS: u32 = 96;

/// Returns the push constant of a seed. Every fourth seed makes degenerate primitives.
fn constant(seed: u32) -> u32 {
    seed.wrapping_mul(0x9e37_79b9) & !3 | (seed % 4)
}

fn vertices(topology: vk::PrimitiveTopology) -> u32 {
    match topology {
        vk::PrimitiveTopology::POINT_LIST => 1,
        vk::PrimitiveTopology::LINE_LIST => 2,
        _ => 3,
    }
}

/// Draws a picture of one primitive for each seed.
#[track_caller]
fn pictures(
    driver: Driver,
    stages: &Stages,
    topology: vk::PrimitiveTopology,
    seeds: u32,
) -> Vec<Vec<u8>> {
    driver.run(&each(TARGET, draws(stages, topology, seeds))).targets
}

const TARGET: Target = Target::new(vk::Format::R32G32_UINT, SIZE, SIZE);

fn draws(
    stages: &Stages,
    topology: vk::PrimitiveTopology,
    seeds: u32,
) -> impl Iterator<Item = Draw<'_>> {
    (0..seeds).map(move |seed| Draw {
        topology,
        ..draw(stages, vertices(topology), bytes(&[constant(seed), 0]))
    })
}

const TOPOLOGIES: [vk::PrimitiveTopology; 3] = [
    vk::PrimitiveTopology::TRIANGLE_LIST,
    vk::PrimitiveTopology::LINE_LIST,
    vk::PrimitiveTopology::POINT_LIST,
];

fn is_covered(picture: &[u8], pixel: usize) -> bool {
    picture[pixel * 8] != 0
}

/// Returns the number of pictures with covered pixels.
fn drawn(pictures: &[Vec<u8>]) -> usize {
    let has_pixels = |picture: &&Vec<u8>| picture.iter().any(|byte| *byte != 0);
    pictures.iter().filter(has_pixels).count()
}

/// The function `noise` of the shaders, in which every operation is exact.
fn noise(seed: u32, n: u32) -> f32 {
    let mut n = (n ^ seed).wrapping_mul(2_654_435_761);
    n ^= n >> 15;
    n = n.wrapping_mul(2_246_822_519);
    n ^= n >> 13;
    (n & 0xffff) as f32 / 32768.0 - 1.0
}

impl Case {
    /// Returns whether distance `i` is negative or NaN at a vertex of a seed's primitive.
    fn is_negative(&self, seed: u32, i: u32, vertex: u32) -> bool {
        let (v, seed) = (vertex * 7, constant(seed));
        let is_nan = self.nan && noise(seed, v + i + 50) > 0.5;
        is_nan || noise(seed, v + 11 * i + 3) + 0.2 < 0.0
    }

    /// Returns whether a seed's primitive is culled, because one distance is negative or NaN at all of its vertices.
    fn is_culled(&self, seed: u32, vertices: u32) -> bool {
        (0..self.cull).any(|i| (0..vertices).all(|vertex| self.is_negative(seed, i, vertex)))
    }

    /// Returns the pictures that the specification requires.
    #[track_caller]
    fn expected(&self, driver: Driver, topology: vk::PrimitiveTopology) -> Vec<Vec<u8>> {
        self.without(driver, topology, |seed| self.is_culled(seed, vertices(topology)))
    }

    /// Returns the pictures without culling, but empty for the seeds that `goes` accepts.
    #[track_caller]
    fn without(
        &self,
        driver: Driver,
        topology: vk::PrimitiveTopology,
        goes: impl Fn(u32) -> bool,
    ) -> Vec<Vec<u8>> {
        let whole = Case { clip: self.clip, cull: 0, nan: false, read: false }.native();
        let mut pictures = pictures(driver, &whole, topology, SEEDS);
        for (seed, picture) in (0..).zip(&mut pictures) {
            if goes(seed) {
                picture.fill(0);
            }
        }
        pictures
    }
}

#[test]
fn culled_primitives_are_those_that_the_specification_culls() {
    for nan in [false, true] {
        for driver in DRIVERS {
            for cull in sample(1..=8, 3) {
                let case = Case { clip: 0, cull, nan, read: false };
                let emulated = case.emulated();
                for topology in TOPOLOGIES {
                    let expected = case.expected(driver, topology);
                    let found = pictures(driver, &emulated, topology, SEEDS);
                    let differing: Vec<u32> = (0..SEEDS)
                        .filter(|i| expected[*i as usize] != found[*i as usize])
                        .collect();
                    assert!(
                        differing.is_empty(),
                        "{driver:?} {topology:?} cull {cull} nan {nan}: {differing:?}"
                    );
                    assert!(cull > 3 || drawn(&expected) > 4, "{driver:?} {topology:?} {cull}");
                }
            }
        }
    }
}

/// Shows why SwiftShader is no oracle for several distances.
#[test]
fn swiftshader_culls_where_each_vertex_has_some_negative_distance() {
    let (driver, topology) = (Driver::SwiftShader, vk::PrimitiveTopology::TRIANGLE_LIST);
    for cull in 2..=8 {
        let case = Case { clip: 0, cull, nan: false, read: false };
        let goes = |seed| {
            let is_any = |vertex| (0..cull).any(|i| case.is_negative(seed, i, vertex));
            (0..vertices(topology)).all(is_any)
        };
        let found = pictures(driver, &case.native(), topology, SEEDS);
        assert!(found == case.without(driver, topology, goes), "{cull}");
        assert!(found != case.expected(driver, topology), "{cull}");
    }
}

#[test]
fn one_distance_culls_natively_as_the_specification_says() {
    for driver in DRIVERS {
        let case = Case { clip: 0, cull: 1, nan: false, read: false };
        for topology in TOPOLOGIES {
            let native = pictures(driver, &case.native(), topology, SEEDS);
            assert!(native == case.expected(driver, topology), "{driver:?} {topology:?}");
        }
    }
}

/// Shows why some numbers of distances are not compared with native culling: lavapipe culls by values other than the
/// written distances, depending on the contents of memory. With all other numbers, lavapipe culls as specified.
#[test]
fn lavapipe_misreads_cull_distances_that_a_register_of_four_begins_and_does_not_end() {
    let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    let mut misread = Vec::new();
    for clip in 0..8 {
        for cull in 1..=8 - clip {
            let case = Case { clip, cull, nan: false, read: false };
            let native = pictures(Driver::Lavapipe, &case.native(), topology, SEEDS);
            if native != case.expected(Driver::Lavapipe, topology) {
                misread.push([clip, cull]);
            }
        }
    }
    println!("{misread:?}");
    assert!(!misread.is_empty());
    assert!(misread.iter().all(|counts| lavapipe_misreads(*counts)), "{misread:?}");
}

/// A control: without the culling test, more primitives are drawn.
#[test]
fn primitives_that_are_not_culled_are_seen() {
    let culled = Case { clip: 0, cull: 1, nan: false, read: false }.native();
    let whole = Case { clip: 0, cull: 0, nan: false, read: false }.native();
    for driver in DRIVERS {
        for topology in TOPOLOGIES {
            let [culled, whole] =
                [&culled, &whole].map(|stages| drawn(&pictures(driver, stages, topology, SEEDS)));
            assert!(culled < whole, "{driver:?} {topology:?}: {culled} of {whole}");
        }
    }
}

/// Returns whether only some pixels among this one and its neighbours are covered.
fn is_edge(picture: &[u8], pixel: usize) -> bool {
    let (x, y) = (pixel as u32 % SIZE, pixel as u32 / SIZE);
    let around = (y.saturating_sub(1)..=(y + 1).min(SIZE - 1)).flat_map(|y| {
        (x.saturating_sub(1)..=(x + 1).min(SIZE - 1)).map(move |x| (y * SIZE + x) as usize)
    });
    let covered: Vec<bool> = around.map(|pixel| is_covered(picture, pixel)).collect();
    covered.iter().any(|is| *is != covered[0])
}

#[test]
fn what_is_clipped_differs_at_edges_only() {
    for driver in DRIVERS {
        for clip in 1..=8 {
            let case = Case { clip, cull: 0, nan: false, read: false };
            let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
            let native = pictures(driver, &case.native(), topology, SEEDS);
            let emulated = pictures(driver, &case.emulated(), topology, SEEDS);
            differ_at_edges_only(&native, &emulated, &format!("{driver:?} {clip}"));
        }
    }
}

#[track_caller]
fn differ_at_edges_only(native: &[Vec<u8>], emulated: &[Vec<u8>], what: &str) {
    let (mut differing, mut covered) = (0, 0);
    for (seed, (native, emulated)) in native.iter().zip(emulated).enumerate() {
        for pixel in 0..(SIZE * SIZE) as usize {
            covered += usize::from(is_covered(native, pixel));
            if is_covered(native, pixel) != is_covered(emulated, pixel) {
                differing += 1;
                assert!(is_edge(native, pixel), "{what} {seed} {pixel}");
            }
        }
    }
    println!("{what}: {differing} of {covered} pixels");
    assert!(covered > 200 && differing * 100 < covered, "{what}: {differing} {covered}");
}

tests_in_webgpu!(draws_what_is_not_clipped_or_culled_in_webgpu);

/// Cull distances, which WGSL lacks, and emulated clip distances, compared with WebGPU's native clip distances.
fn draws_what_is_not_clipped_or_culled_in_webgpu(by: WebGpu) {
    let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    // WGSL has no point size.
    let vertex = VERTEX.replace("gl_PointSize = 5.0;", "");
    let case = |clip, cull| Case { clip, cull, nan: false, read: false };
    let native = |clip| case(clip, 0).native_of(&vertex, FRAGMENT);
    let emulated = |case: &Case| case.emulation(&case.native_of(&vertex, FRAGMENT));
    let culled = [case(0, 1), case(0, 3), case(2, 2)];
    let all = [native(0), native(2), native(8), emulated(&case(2, 0)), emulated(&case(8, 0))];
    let all: Vec<Stages> = all.into_iter().chain(culled.iter().map(emulated)).collect();
    let draws = all.iter().flat_map(|stages| draws(stages, topology, SEEDS));
    let targets = by.run(&each(TARGET, draws)).targets;
    let pictures: Vec<&[Vec<u8>]> = targets.chunks(SEEDS as usize).collect();
    let [whole, two, eight, emulated_two, emulated_eight, ..] = pictures[..] else { panic!() };
    differ_at_edges_only(two, emulated_two, "2");
    differ_at_edges_only(eight, emulated_eight, "8");
    for (case, pictures) in culled.iter().zip(&pictures[5..]) {
        let whole = if case.clip == 0 { whole } else { emulated_two };
        // Clipping by the same distance has already removed culled primitives.
        assert!(case.clip > 0 || drawn(pictures) < drawn(whole));
        for (seed, (whole, found)) in (0..).zip(whole.iter().zip(*pictures)) {
            let is_culled = case.is_culled(seed, 3);
            let expected = if is_culled { &vec![0; whole.len()] } else { whole };
            assert!(found == expected, "{} {}, seed {seed}", case.clip, case.cull);
        }
    }
}

#[test]
fn distances_that_the_fragment_stage_reads_are_handed_on() {
    // Nothing is clipped, so the fragment stage reads the same values.
    for driver in DRIVERS {
        let case = Case { clip: 0, cull: 1, nan: false, read: true };
        let topology = vk::PrimitiveTopology::POINT_LIST;
        let native = pictures(driver, &case.native(), topology, 48);
        assert!(native == pictures(driver, &case.emulated(), topology, 48), "{driver:?}");
        assert!(drawn(&native) > 4);
    }
}

/// The depth of pixels that no primitive covers.
const FAR: f32 = 1.0;

/// Returns the depths after a triangle of each seed, and the query results.
#[track_caller]
fn depths(driver: Driver, stages: &Stages) -> (Vec<Vec<u8>>, Vec<Counts>) {
    let mut work = Work::default();
    for seed in 0..SEEDS {
        let first = work.targets.len();
        work.draws.push(Draw {
            target: Some(first),
            depth: Some(DepthTest::nearest(first + 1)),
            ..draw(stages, 3, bytes(&[constant(seed), 0]))
        });
        for format in [vk::Format::R32G32_UINT, vk::Format::D32_SFLOAT] {
            work.targets.push(Target::new(format, SIZE, SIZE));
        }
        work.pixels.push((first + 1, FAR.to_ne_bytes().repeat((SIZE * SIZE) as usize)));
    }
    let (outcome, counts) = driver.device().count(&work).unwrap();
    assert!(driver.device().take_messages().is_empty());
    (outcome.targets.into_iter().skip(1).step_by(2).collect(), counts)
}

/// Returns the number of samples that passed all tests, for all triangles.
fn samples(counts: &[Counts]) -> u64 {
    counts.iter().map(|counts| counts.samples).sum()
}

/// Early tests would write the depth of discarded fragments and count them. The native pictures use late tests,
/// because SwiftShader implements clipping with discards, and its early tests would write their depth too. Late tests
/// give the specified result for this shader.
#[test]
fn what_is_cut_off_leaves_no_depth_and_is_not_counted_where_tests_were_early() {
    let early = FRAGMENT.replace("void main", "layout(early_fragment_tests) in;\nvoid main");
    let is_near = |depths: &[u8], pixel: usize| depths[pixel * 4..][..4] != FAR.to_ne_bytes();
    for driver in DRIVERS {
        for (clip, cull) in [(1, 0), (0, 1)] {
            let case = Case { clip, cull, nan: false, read: false };
            let (native, native_counts) = depths(driver, &case.native());
            let emulated = case.emulation(&case.native_of(VERTEX, &early));
            let (found, counts) = depths(driver, &emulated);
            let (mut differing, mut covered) = (0, 0);
            for (native, found) in native.iter().zip(&found) {
                for pixel in 0..(SIZE * SIZE) as usize {
                    covered += usize::from(is_near(native, pixel));
                    differing += usize::from(is_near(native, pixel) != is_near(found, pixel));
                }
            }
            let (right, counted) = (samples(&native_counts), samples(&counts));
            println!("{driver:?} {clip} {cull}: {differing} of {covered}, {counted} of {right}");
            // Culling must be exact; clipping may differ at edges.
            assert!(covered > 200 && differing * 100 <= covered * clip as usize, "{driver:?}");
            assert!(right.abs_diff(counted) * 100 <= right * u64::from(clip), "{driver:?}");
        }
    }
}

/// A control: with early tests restored, culled primitives write their depth.
#[test]
fn tests_that_stay_early_are_seen() {
    let case = Case { clip: 0, cull: 1, nan: false, read: false };
    let mut stages = case.emulated();
    let module = Module::parse_owned(stages[1].1.clone()).unwrap();
    let early = module.rewrite(|m, p| {
        let entry = m.entry_point("main", ExecutionModel::FRAGMENT)?;
        p.mode(entry.function(), ExecutionMode::EARLY_FRAGMENT_TESTS, &[]);
        Ok(())
    });
    stages[1].1 = early.unwrap().module.into_words();
    for driver in DRIVERS {
        let (native, native_counts) = depths(driver, &case.native());
        let (found, counts) = depths(driver, &stages);
        println!("{driver:?}: {} and {}", samples(&native_counts), samples(&counts));
        assert!(native != found, "{driver:?}");
    }
}
