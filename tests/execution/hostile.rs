//! For any host parameters, nothing outside the ranges is written.
//!
//! Drivers such as lavapipe check bounds themselves and may hide a wrong store. SwiftShader does not check bounds by
//! default, and no driver checks ranges within a binding.

use crate::cases::TOPOLOGIES;
use crate::drivers::{DRIVERS, Driver};
use crate::feedback::{Case, FILL, GUARD};
use crate::noise::Noise;
use crate::raster::{SCENE, SCENE_VARYINGS};
use crate::shaders::{INDICES, Varyings};
use crate::storage::{HOSTS, Storage, options};
use polyshade::transform_feedback;
use polyshade_vulkan::model::Topology;
use std::ops::Range;

const TWO_BUFFERS: Varyings =
    Varyings::Interleaved("v_index gl_NextBuffer v_mixed gl_SkipComponents1");

/// The number of host parameters for the draw, and the number for each buffer.
const DRAW_WORDS: usize = 5;
const BUFFER_WORDS: usize = 3;

/// Returns draws of every topology with two buffers.
fn draws(count: usize) -> Vec<Case> {
    let topologies = TOPOLOGIES.into_iter().chain([Topology::LineLoop]).cycle();
    let draw = |topology| {
        let mut case = Case::new(topology, 6);
        case.draw.instances = 1..3;
        case.room = vec![7, 9];
        case
    };
    topologies.take(count).map(draw).collect()
}

/// Returns whether only these bytes of memory were written.
pub(crate) fn only_written_in(memory: &[u8], range: Range<usize>) -> bool {
    let outside = |(at, byte): (usize, &u8)| range.contains(&at) || *byte == FILL;
    memory.iter().enumerate().all(outside)
}

/// Returns the bound range of a buffer.
pub(crate) fn bound(memory: &[u8]) -> Range<usize> {
    GUARD..memory.len() - GUARD
}

fn is_empty(memory: &[u8]) -> bool {
    only_written_in(memory, 0..0)
}

#[test]
fn noise_about_the_draw_stays_in_the_ranges() {
    let storage = Storage::new(&INDICES, TWO_BUFFERS);
    let cases = draws(210);
    for driver in DRIVERS {
        let mut noise = Noise::new();
        let memories = storage.run_with(driver, &cases, |case| {
            let mut words = storage.host_params(case);
            // An invalid topology would make most draws capture nothing.
            let spared = if noise.below(4) == 0 { 0 } else { 1 };
            words[spared..DRAW_WORDS].fill_with(|| noise.word());
            for buffer in 0..2 {
                words[DRAW_WORDS + BUFFER_WORDS * buffer + 2] = noise.word();
            }
            words
        });
        stays_in_the_ranges(&storage, driver, &cases, &memories);
    }
}

/// Checks that only the feedback ranges of the cases were written.
#[track_caller]
pub(crate) fn stays_in_the_ranges(
    storage: &Storage,
    driver: Driver,
    cases: &[Case],
    memories: &[Vec<Vec<u8>>],
) {
    for (case, memory) in cases.iter().zip(memories) {
        for (buffer, memory) in case.buffers(&storage.layout).iter().zip(memory) {
            assert!(only_written_in(memory, buffer.range.clone()), "{driver:?} {case:?}");
        }
    }
}

#[test]
fn ranges_are_kept_wherever_they_are() {
    let storage = Storage::new(&INDICES, TWO_BUFFERS);
    let cases = draws(210);
    for driver in DRIVERS {
        let mut noise = Noise::new();
        let mut ranges = Vec::new();
        // Random ranges and counters.
        let memories = storage.run_with(driver, &cases, |case| {
            let mut words = storage.host_params(case);
            for buffer in 0..2 {
                let at = DRAW_WORDS + BUFFER_WORDS * buffer;
                let [offset, size] = [0, 1].map(|_| 4 * noise.below(40));
                words[at] = offset;
                words[at + 1] = size;
                words[at + 2] = 4 * noise.below(8);
                let begin = GUARD + offset as usize;
                ranges.push(begin..begin + size as usize);
            }
            words
        });
        assert!(!memories.iter().flatten().all(|memory| is_empty(memory)), "nothing was written");
        // Only the bound parts of the ranges are written.
        for (memory, range) in memories.iter().flatten().zip(ranges) {
            let range = range.start..range.end.min(bound(memory).end);
            assert!(only_written_in(memory, range.clone()), "{driver:?} {range:?}");
        }
    }
}

#[test]
fn noise_stays_in_what_is_bound() {
    let mut storage = Storage::new(&INDICES, TWO_BUFFERS);
    noise_everywhere(&storage, &DRIVERS, &draws(420));
    // The variant for all topologies also accepts a point list, if the shader writes the point size.
    storage.words =
        Storage::new(&SCENE, SCENE_VARYINGS).capture.both.as_ref().unwrap().words().to_vec();
    storage.layout = SCENE.layout(SCENE_VARYINGS);
    noise_everywhere(&storage, &DRIVERS, &draws(420));
}

#[test]
fn noise_in_place_of_what_the_host_computes_stays_in_what_is_bound() {
    let options = options(TWO_BUFFERS, HOSTS[0]).limit_in_vertices();
    let storage = Storage::of_words(INDICES.plain(), INDICES.layout(TWO_BUFFERS), &options);
    noise_everywhere(&storage, &DRIVERS, &draws(420));
    let options = options.topologies([transform_feedback::Topology::TriangleList]).one_instance();
    let storage = Storage::of_words(INDICES.plain(), INDICES.layout(TWO_BUFFERS), &options);
    let mut cases = draws(420);
    cases.iter_mut().for_each(|case| case.draw.instances.end = case.draw.instances.start + 1);
    cases.retain(|case| storage.try_host_params(case).is_ok());
    assert_eq!(cases.len(), 60);
    noise_everywhere(&storage, &DRIVERS, &cases);
}

#[test]
fn noise_from_anywhere_stays_in_what_is_bound() {
    for host in HOSTS {
        let storage = Storage::with_host(&INDICES, TWO_BUFFERS, host);
        noise_everywhere(&storage, &[Driver::SwiftShader], &draws(14));
    }
    for options in
        [options(TWO_BUFFERS, HOSTS[5]), options(TWO_BUFFERS, HOSTS[5]).limit_in_vertices()]
    {
        let storage = Storage::of_words(INDICES.plain(), INDICES.layout(TWO_BUFFERS), &options);
        noise_everywhere(&storage, &DRIVERS, &draws(420));
    }
}

#[track_caller]
fn noise_everywhere(storage: &Storage, drivers: &[Driver], cases: &[Case]) {
    drivers.iter().for_each(|driver| noise_on(*driver, storage, cases));
}

#[track_caller]
fn noise_on(driver: Driver, storage: &Storage, cases: &[Case]) {
    let mut noise = Noise::new();
    let params = &storage.capture.words;
    // Only these parameters locate memory, so they stay correct.
    let spared: Vec<bool> = params
        .params
        .iter()
        .map(|word| word.name.starts_with("address_") || word.name.starts_with("size_"))
        .map(|locates| locates && params.source.is_address())
        .collect();
    let memories = storage.run_with(driver, cases, |case| {
        let mut words = storage.host_params(case);
        // Purely random parameters rarely lead to a store, so some stay correct.
        for (word, _) in words.iter_mut().zip(&spared).filter(|(_, spared)| !**spared) {
            if noise.below(3) > 0 {
                *word = noise.word();
            }
        }
        words
    });
    assert_eq!(memories.len(), cases.len());
    for (case, memories) in cases.iter().zip(&memories) {
        for (buffer, memory) in case.buffers(&storage.layout).iter().zip(memories) {
            let range = match params.source.is_address() {
                true => buffer.range.clone(),
                false => bound(memory),
            };
            assert!(only_written_in(memory, range), "{driver:?} {case:?}");
        }
    }
}
