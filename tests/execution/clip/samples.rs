//! Emulated distances, compared with native distances sample by sample. The approximate form differs somewhat, and
//! the exact form does not.

use super::arrays::{each_element, per_vertex};
use super::chain::{Stages, draw, emulated, seeded, with_geometry, with_header};
use crate::drivers::{DRIVERS, Driver};
use crate::memory::words;
use polyshade::clip_cull::{GeometryClip, Primitive};
use polyshade_formats::ShaderStage;
use polyshade_vulkan::{Descriptor, Draw, Resource, Stage, Target, Work, vk};

const SIZE: u32 = 32;
const SEEDS: u32 = 96;

const VERTEX: &str = "
OUTPUTS
void main() {
    uint v = uint(gl_VertexIndex) * 7u;
    float w = 1.0 + 0.5 * noise(v + 2u);
    gl_Position = vec4(noise(v) * 0.96 * w, noise(v + 1u) * 0.96 * w, 0.5 * w, w);
    DISTANCES
}";

const FRAGMENT: &str = "layout(location = 0) out vec4 color; void main() { color = vec4(1.0); }";
const BY_SAMPLE: &str = "layout(location = 0) out vec4 color;
    void main() { color = vec4(gl_SampleID < 0 ? 0.0 : 1.0); }";

/// Draws a triangle that covers the picture.
const COVER: &str = "void main() {
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.5, 1.0); }";

/// Outputs the covered samples of a pixel, with one bit for each sample.
const SAMPLES: &str = "
layout(set = 0, binding = 0) uniform texture2DMS picture;
layout(location = 0) out uint covered;
void main() {
    covered = 0u;
    for (int i = 0; i < 4; ++i)
        if (texelFetch(picture, ivec2(gl_FragCoord.xy), i).r > 0.5) covered |= 1u << i;
}";
const SAMPLE: &str = "
layout(set = 0, binding = 0) uniform texture2D picture;
layout(location = 0) out uint covered;
void main() { covered = texelFetch(picture, ivec2(gl_FragCoord.xy), 0).r > 0.5 ? 1u : 0u; }";

#[track_caller]
fn native(clip: u32, cull: u32) -> Stages {
    let writes = each_element([clip, cull], |name, i| {
        format!("{name}[{i}] = noise(v + {}u) + 0.2;\n", 11 * i + 3)
    });
    let replaced = [("OUTPUTS", &per_vertex([clip, cull])[..]), ("DISTANCES", &writes)];
    vec![
        (ShaderStage::Vertex, with_header(ShaderStage::Vertex, VERTEX, &replaced)),
        (ShaderStage::Fragment, with_header(ShaderStage::Fragment, FRAGMENT, &[])),
    ]
}

/// Returns the stages with emulated distances, with this fragment stage.
#[track_caller]
fn approximate(clip: u32, cull: u32, fragment: &str) -> Stages {
    let mut stages = native(clip, cull);
    stages[1].1 = with_header(ShaderStage::Fragment, fragment, &[]);
    emulated(&stages, 2).0
}

#[track_caller]
fn exact(clip: u32, cull: u32) -> Stages {
    with_geometry(&native(clip, cull), GeometryClip::default(), Primitive::Triangles, 2).0
}

/// Returns the covered samples of each pixel, in a picture of one triangle for each seed.
#[track_caller]
fn covered(driver: Driver, stages: &Stages, samples: vk::SampleCountFlags) -> Vec<u32> {
    let cover = with_header(ShaderStage::Vertex, COVER, &[]);
    let read = if samples == vk::SampleCountFlags::TYPE_1 { SAMPLE } else { SAMPLES };
    let read = with_header(ShaderStage::Fragment, read, &[]);
    let mut work = Work::default();
    for seed in 0..SEEDS {
        // Draw the picture, then read its samples.
        let format = vk::Format::R8G8B8A8_UNORM;
        work.targets.push(Target { samples, ..Target::new(format, SIZE, SIZE) });
        work.targets.push(Target::new(vk::Format::R32_UINT, SIZE, SIZE));
        let picture = work.targets.len() - 2;
        let drawn = draw(stages, 3, seeded(seed));
        work.draws.push(Draw { target: Some(picture), ..drawn.clone() });
        work.draws.push(Draw {
            stages: vec![Stage::vertex(&cover), Stage::fragment(&read)],
            descriptors: vec![Descriptor::new(0, 0, Resource::TargetImage(picture))],
            target: Some(picture + 1),
            ..drawn
        });
    }
    let targets = driver.run(&work).targets;
    targets.iter().skip(1).step_by(2).flat_map(|target| words(target)).collect()
}

/// Returns the number of differing samples and the number of samples that the first stages cover.
#[track_caller]
fn differing(
    driver: Driver,
    samples: vk::SampleCountFlags,
    native: &Stages,
    found: &Stages,
) -> (u32, u32) {
    let [left, right] = [native, found].map(|stages| covered(driver, stages, samples));
    let differing = left.iter().zip(&right).map(|(left, right)| (left ^ right).count_ones());
    (differing.sum(), left.iter().map(|covered| covered.count_ones()).sum())
}

const COUNTS: [vk::SampleCountFlags; 2] =
    [vk::SampleCountFlags::TYPE_1, vk::SampleCountFlags::TYPE_4];

#[test]
fn what_is_discarded_differs_by_less_with_one_sample_than_with_four() {
    for driver in DRIVERS {
        for samples in COUNTS {
            let (mut all, mut wrong) = (0, 0);
            for clip in [1, 2, 4, 8] {
                let found = approximate(clip, 0, FRAGMENT);
                let (differing, covered) = differing(driver, samples, &native(clip, 0), &found);
                println!(
                    "{driver:?}, {samples:?}, {clip} planes: {differing} of {covered} samples"
                );
                all += covered;
                wrong += differing;
            }
            // A pixel is discarded as a whole, so with four samples per pixel, more samples are on the wrong side of
            // an edge.
            let most = if samples == vk::SampleCountFlags::TYPE_1 { 1000 } else { 10 };
            assert!(all > 1000 && wrong * most < all, "{driver:?} {samples:?}: {wrong} of {all}");
            // SwiftShader's native clipping also discards pixels as a whole.
            let is_exact = samples == vk::SampleCountFlags::TYPE_1 || driver == Driver::SwiftShader;
            assert!(is_exact || wrong > 0, "{driver:?}: the approximation has no error");
        }
    }
}

#[test]
fn what_runs_for_each_sample_is_cut_sample_by_sample() {
    let (driver, samples) = (Driver::Lavapipe, vk::SampleCountFlags::TYPE_4);
    for clip in [1, 2, 4] {
        let found = approximate(clip, 0, BY_SAMPLE);
        let (differing, covered) = differing(driver, samples, &native(clip, 0), &found);
        assert!(differing * 1000 < covered, "{clip} planes: {differing} of {covered} samples");
    }
}

#[test]
fn what_a_geometry_stage_cuts_is_exact_sample_by_sample() {
    for samples in COUNTS {
        for [clip, cull] in [[1, 0], [2, 0], [4, 0], [8, 0], [0, 3], [3, 2]] {
            let (native, found) = (native(clip, cull), exact(clip, cull));
            let (differing, covered) = differing(Driver::Lavapipe, samples, &native, &found);
            assert!(differing == 0 && covered > 100, "{samples:?} {clip} {cull}: {differing}");
        }
    }
}

#[test]
fn what_is_culled_is_the_same_sample_by_sample() {
    for samples in COUNTS {
        for cull in [1, 2, 4, 8] {
            let (native, found) = (native(0, cull), approximate(0, cull, FRAGMENT));
            let (differing, covered) = differing(Driver::Lavapipe, samples, &native, &found);
            assert!(differing == 0 && covered > 100, "{samples:?} {cull}: {differing}");
        }
    }
}
