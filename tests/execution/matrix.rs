//! polyshade's captures equal the captures of the native feature or of the model bit for bit.

use crate::cases::{ADJACENCY, LOOP, TOPOLOGIES, all, few};
use crate::drivers::{DRIVERS, Driver};
use crate::feedback::{Capture, Case, run_native, vertex_values};
use crate::shaders::{
    AGGREGATES, BITS, BUILT_INS, INDICES, PARTS, QUALIFIED, Shader, VECTORS, Varyings,
};
use crate::storage::{HOSTS, Storage, options};
use polyshade::host::ParamSource;
use polyshade_formats::SpirvVersion;
use polyshade_tests::sample::sample;
use polyshade_vulkan::model::Topology;

pub(crate) const TWO_BUFFERS: Varyings =
    Varyings::Interleaved("v_mixed gl_SkipComponents1 gl_NextBuffer gl_SkipComponents2 v_index");

/// Compares the captured bytes and the counts that the host computes with native transform feedback on lavapipe.
#[track_caller]
pub(crate) fn storage_is_native(
    storage: &Storage,
    shader: &Shader,
    varyings: Varyings,
    cases: &[Case],
) {
    let native = run_native(shader, varyings, cases);
    storage_is(&native, storage, varyings, cases, Driver::Lavapipe);
}

/// Compares captures with the model, on any driver.
#[track_caller]
pub(crate) fn storage_is_model(
    storage: &Storage,
    shader: &Shader,
    varyings: Varyings,
    cases: &[Case],
    driver: Driver,
) {
    let values = vertex_values(shader, varyings, cases);
    let model: Vec<Capture> =
        cases.iter().map(|case| case.model(&storage.layout, &values)).collect();
    storage_is(&model, storage, varyings, cases, driver);
}

/// Compares captures, and the counts that the host computes, with the expected ones.
#[track_caller]
fn storage_is(
    expected: &[Capture],
    storage: &Storage,
    varyings: Varyings,
    cases: &[Case],
    driver: Driver,
) {
    let memories = storage.run(driver, cases);
    assert_eq!((expected.len(), memories.len()), (cases.len(), cases.len()));
    for ((case, expected), memory) in cases.iter().zip(expected).zip(memories) {
        let what = format!("{driver:?} {varyings:?} {case:?}");
        assert!(expected.memory == memory, "{what}\n{:02x?}\n{memory:02x?}", expected.memory);
        assert_eq!(storage.counts(case), expected.captured, "{what}");
    }
}

/// Compares captures with the native feature and with the model.
#[track_caller]
fn storage_is_right(shader: &Shader, varyings: Varyings, cases: &[Case]) {
    is_right(&Storage::new(shader, varyings), shader, varyings, cases);
}

#[track_caller]
fn is_right(storage: &Storage, shader: &Shader, varyings: Varyings, cases: &[Case]) {
    storage_is_native(storage, shader, varyings, cases);
    storage_is_model(storage, shader, varyings, cases, Driver::SwiftShader);
}

#[test]
fn every_draw_is_captured_as_natively() {
    let storage = Storage::new(&INDICES, TWO_BUFFERS);
    storage_is_native(&storage, &INDICES, TWO_BUFFERS, &all(&TOPOLOGIES));
}

#[test]
fn the_capture_pass_that_the_crate_makes_is_complete() {
    let cases = all(&[Topology::TriangleStrip]);
    for driver in DRIVERS {
        for host in
            HOSTS.into_iter().filter(|host| !matches!(host, ParamSource::PushConstant { .. }))
        {
            let storage = Storage::with_host(&INDICES, TWO_BUFFERS, host);
            let passes = storage.run_capture_passes(driver, &cases[..8]);
            assert_eq!(passes, storage.run(driver, &cases[..8]), "{driver:?} {host:?}");
        }
    }
    let storage = Storage::new(&INDICES, TWO_BUFFERS);
    let values = vertex_values(&INDICES, TWO_BUFFERS, &cases);
    for (case, memory) in cases.iter().zip(storage.run_capture_passes(Driver::Lavapipe, &cases)) {
        assert!(case.model(&storage.layout, &values).memory == memory, "{case:?}");
    }
}

#[test]
fn every_draw_is_captured_without_the_native_feature() {
    let storage = Storage::new(&INDICES, TWO_BUFFERS);
    storage_is_model(&storage, &INDICES, TWO_BUFFERS, &all(&TOPOLOGIES), Driver::SwiftShader);
}

#[test]
fn line_loops_are_captured() {
    let storage = Storage::new(&INDICES, TWO_BUFFERS);
    for driver in DRIVERS {
        storage_is_model(&storage, &INDICES, TWO_BUFFERS, &all(&LOOP), driver);
    }
}

#[test]
fn adjacent_vertices_are_left_out() {
    let all_of_them: Vec<Topology> = ADJACENCY.into_iter().chain(TOPOLOGIES).chain(LOOP).collect();
    let alone = ADJACENCY.map(|one| vec![one]);
    let lists = vec![Topology::LineListWithAdjacency, Topology::TriangleListWithAdjacency];
    let same = vec![Topology::LineStrip, Topology::LineStripWithAdjacency];
    let sets = [all_of_them, ADJACENCY.to_vec(), lists, same].into_iter().chain(alone);
    for topologies in sample(sets, 4) {
        let options = options(TWO_BUFFERS, HOSTS[0]).topologies(topologies.iter().copied());
        let native: Vec<Topology> =
            topologies.iter().copied().filter(|one| *one != Topology::LineLoop).collect();
        for options in [options.clone(), options.limit_in_vertices()] {
            let (words, layout) = (INDICES.plain(), INDICES.layout(TWO_BUFFERS));
            let storage = Storage::of_words(words, layout, &options);
            storage_is_native(&storage, &INDICES, TWO_BUFFERS, &all(&native));
            storage_is_model(
                &storage,
                &INDICES,
                TWO_BUFFERS,
                &all(&topologies),
                Driver::SwiftShader,
            );
        }
    }
}

#[test]
fn host_words_come_from_anywhere() {
    for host in HOSTS {
        let storage = Storage::with_host(&INDICES, TWO_BUFFERS, host);
        is_right(&storage, &INDICES, TWO_BUFFERS, &few());
    }
}

#[test]
fn qualifiers_do_not_matter() {
    for varyings in [
        Varyings::Interleaved("v_high v_medium v_precise"),
        Varyings::Separate("v_straight v_low v_medium"),
    ] {
        storage_is_right(&QUALIFIED, varyings, &few());
    }
}

#[test]
fn bit_patterns_survive() {
    storage_is_right(&BITS, Varyings::Interleaved("v_bits v_more"), &few());
}

#[test]
fn matrices_and_arrays_are_captured() {
    for varyings in [
        Varyings::Interleaved("v_mat2 v_mat3 v_mat4x3"),
        Varyings::Interleaved("v_integers v_floats v_vectors"),
        Varyings::Separate("v_mat3 v_floats"),
        Varyings::Separate("v_mat4x3 v_vectors v_mat2 v_integers"),
    ] {
        storage_is_right(&AGGREGATES, varyings, &few());
    }
}

#[test]
fn built_ins_are_captured() {
    for varyings in [
        Varyings::Interleaved("gl_Position"),
        Varyings::Interleaved("gl_PointSize gl_Position gl_ClipDistance"),
        Varyings::Interleaved("gl_ClipDistance gl_NextBuffer v_colour"),
    ] {
        storage_is_right(&BUILT_INS, varyings, &few());
    }
}

#[test]
fn buffers_have_gaps() {
    for varyings in [
        Varyings::Interleaved("gl_SkipComponents4 v_vec3 gl_SkipComponents3"),
        Varyings::Interleaved("v_uint gl_SkipComponents2 gl_SkipComponents2 v_int"),
        Varyings::Interleaved(
            "v_vec4 gl_NextBuffer gl_SkipComponents1 v_float gl_NextBuffer v_ivec3 \
             gl_SkipComponents2 gl_NextBuffer v_uint v_vec2",
        ),
    ] {
        storage_is_right(&VECTORS, varyings, &few());
    }
}

#[test]
fn members_and_elements_are_captured() {
    for varyings in [
        Varyings::Interleaved("Block.weight Block.counts Block.colour"),
        Varyings::Interleaved("Block.colour v_pairs[2] Block.weight"),
        Varyings::Separate("Block.counts v_pairs[2]"),
    ] {
        storage_is_right(&PARTS, varyings, &few());
    }
}

#[test]
fn every_version_of_spirv_is_captured() {
    let varyings = Varyings::Separate("v_mat3 v_integers");
    let versions = [
        SpirvVersion::SPIRV1_0,
        SpirvVersion::SPIRV1_1,
        SpirvVersion::SPIRV1_2,
        SpirvVersion::SPIRV1_3,
        SpirvVersion::SPIRV1_4,
        SpirvVersion::SPIRV1_5,
        SpirvVersion::SPIRV1_6,
    ];
    let pairs = versions.into_iter().flat_map(|version| HOSTS.map(|host| (version, host)));
    for (version, host) in sample(pairs, 5) {
        let (words, layout) = (AGGREGATES.plain_for(version), AGGREGATES.layout(varyings));
        let storage = Storage::of_words(words, layout, &options(varyings, host));
        is_right(&storage, &AGGREGATES, varyings, &few());
    }
}

/// A capture pass draws points and runs every vertex once. Fans would run the first vertex once for each batch.
#[test]
fn long_draws_are_captured() {
    let cases = TOPOLOGIES.into_iter().chain(LOOP).map(|topology| Case::new(topology, 60_001));
    let cases = cases.collect::<Vec<_>>();
    let varyings = Varyings::Interleaved("v_vertex");
    let storage = Storage::new(&INDICES, varyings);
    for driver in DRIVERS {
        storage_is_model(&storage, &INDICES, varyings, &cases, driver);
    }
}
