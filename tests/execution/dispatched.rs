//! Captures in a compute stage equal captures by the native feature or by the model.

use crate::cases::{ADJACENCY, LOOP, TOPOLOGIES, all, few};
use crate::drivers::DRIVERS;
use crate::feedback::{Case, vertex_values};
use crate::hostile::stays_in_the_ranges;
use crate::matrix::{TWO_BUFFERS, storage_is_model, storage_is_native};
use crate::memory::bytes;
use crate::noise::Noise;
use crate::shaders::{INDICES, Varyings};
use crate::storage::{HOSTS, Storage, options};
use crate::webgpu::{WebGpu, tests_in_webgpu};
use polyshade::host::{AddressSource, ParamSource};
use polyshade::transform_feedback::Options;
use polyshade_vulkan::model::Topology;

fn topologies() -> Vec<Topology> {
    TOPOLOGIES.into_iter().chain(ADJACENCY).chain(LOOP).collect()
}

/// Returns options for captures in a compute stage, with all topologies.
fn asked(host: ParamSource) -> Options {
    options(TWO_BUFFERS, host).topologies(topologies()).compute()
}

fn dispatched(options: &Options) -> Storage {
    Storage::of_words(INDICES.plain(), INDICES.layout(TWO_BUFFERS), options)
}

#[test]
fn every_draw_is_captured() {
    let native: Vec<Topology> =
        topologies().into_iter().filter(|one| *one != Topology::LineLoop).collect();
    for options in [asked(HOSTS[0]), asked(HOSTS[0]).limit_in_vertices()] {
        let storage = dispatched(&options);
        storage_is_native(&storage, &INDICES, TWO_BUFFERS, &all(&native));
        for driver in DRIVERS {
            storage_is_model(&storage, &INDICES, TWO_BUFFERS, &all(&topologies()), driver);
        }
    }
}

#[test]
fn host_words_come_from_anywhere() {
    let mut cases = few();
    let is_attribute =
        |host: &ParamSource| matches!(host, ParamSource::Address(AddressSource::Attribute { .. }));
    for host in HOSTS.into_iter().filter(|host| !is_attribute(host)) {
        for driver in DRIVERS {
            let storage = dispatched(&asked(host));
            storage_is_model(&storage, &INDICES, TWO_BUFFERS, &cases, driver);
        }
    }
    for case in &mut cases {
        case.draw.instances.end = case.draw.instances.start + 1;
    }
    for options in [asked(HOSTS[2]), asked(HOSTS[2]).limit_in_vertices()] {
        let storage = dispatched(&options.one_instance());
        for driver in DRIVERS {
            storage_is_model(&storage, &INDICES, TWO_BUFFERS, &cases, driver);
        }
    }
}

/// Draws with more vertices than a row of work groups, in one instance and in several instances, are captured.
#[test]
fn vertices_are_captured_beyond_the_first_row_of_work_groups() {
    const ROW: u32 = 65_535 * 64;
    let varyings = Varyings::Interleaved("v_index");
    let options = options(varyings, HOSTS[2]).topologies([Topology::PointList]).compute();
    let storage = Storage::of_words(INDICES.plain(), INDICES.layout(varyings), &options);
    for (vertices, instances) in [(ROW + 100, 1), (1_500_000, 3)] {
        let mut case = Case::new(Topology::PointList, vertices);
        case.draw.vertices = 5..5 + vertices;
        case.draw.instances = 2..2 + instances;
        case.room = vec![vertices * instances];
        for driver in DRIVERS {
            let memories = storage.run(driver, std::slice::from_ref(&case));
            let memory = &memories[0][0][case.buffers(&storage.layout)[0].range.clone()];
            let found = |at: usize| &memory[8 * at..][..8];
            for at in (0..vertices * instances).step_by(4_001).chain([vertices * instances - 1]) {
                let expected = bytes(&[5 + at % vertices, 2 + at / vertices]);
                assert_eq!(found(at as usize), expected, "{driver:?}: {at} of {vertices}");
            }
        }
    }
}

/// The comparison detects a missing work group, and the work groups of another draw.
#[test]
fn missing_work_groups_are_noticed() {
    let storage = dispatched(&asked(HOSTS[0]));
    let mut case = Case::new(Topology::PointList, 70);
    case.room = vec![200, 200];
    let values = vertex_values(&INDICES, TWO_BUFFERS, std::slice::from_ref(&case));
    let model = case.model(&storage.layout, &values).memory;
    for driver in DRIVERS {
        let mut work = storage.work(std::slice::from_ref(&case), |case| storage.host_params(case));
        assert_eq!(work.draws[0].dispatch, Some([2, 1, 1]));
        assert!(storage.memories(&driver.run(&work).buffers)[0] == model, "{driver:?}");
        work.draws[0].dispatch = Some([1, 1, 1]);
        assert!(storage.memories(&driver.run(&work).buffers)[0] != model, "{driver:?}");
    }
}

/// For any host parameters, including offsets and sizes, nothing outside the ranges is written.
#[test]
fn noise_about_the_draw_stays_in_the_ranges() {
    let storage = dispatched(&asked(HOSTS[0]));
    let mut cases: Vec<Case> = topologies().into_iter().map(|one| Case::new(one, 6)).collect();
    for case in &mut cases {
        case.draw.instances = 1..3;
        case.room = vec![7, 9];
    }
    let cases: Vec<Case> = (0..8).flat_map(|_| cases.clone()).collect();
    let names = &storage.capture.words;
    let spared = ["topology", "offset_0", "offset_1", "size_0", "size_1"];
    let spared = spared.map(|name| names.number(name).expect("there is one"));
    for driver in DRIVERS {
        let mut noise = Noise::new();
        let memories = storage.run_with(driver, &cases, |case| {
            let mut words = storage.host_params(case);
            for (number, word) in (0..).zip(&mut words) {
                if !spared.contains(&number) {
                    *word = if noise.below(2) == 0 { noise.word() } else { noise.below(9) };
                }
            }
            words
        });
        stays_in_the_ranges(&storage, driver, &cases, &memories);
    }
}

tests_in_webgpu!(captures_every_draw_in_webgpu);

/// The shader in WGSL captures the same bytes.
fn captures_every_draw_in_webgpu(by: WebGpu) {
    let cases = all(&topologies());
    let storage = dispatched(&asked(HOSTS[0]));
    let values = vertex_values(&INDICES, TWO_BUFFERS, &cases);
    let mut work = storage.work(&cases, |case| storage.host_params(case));
    // The comparison must detect an error, so the last case gets one instance too few.
    let wrong = storage.capture.words.number("instance_count").expect("there is one") as usize;
    let mut last = Case::new(Topology::PointList, 70);
    last.draw.instances = 0..2;
    last.room = vec![200, 200];
    let mut words = storage.host_params(&last);
    words[wrong] -= 1;
    let draw = storage.draw(&storage.words, &last, &words, &mut work);
    work.draws.push(draw);

    let memories = storage.memories(&by.run(&work).buffers);
    assert_eq!(memories.len(), cases.len() + 1);
    for (case, memory) in cases.iter().zip(&memories) {
        let model = case.model(&storage.layout, &values).memory;
        assert!(model == *memory, "{case:?}\n{model:02x?}\n{memory:02x?}");
    }
    let values = vertex_values(&INDICES, TWO_BUFFERS, std::slice::from_ref(&last));
    assert!(last.model(&storage.layout, &values).memory != memories[cases.len()]);
}
