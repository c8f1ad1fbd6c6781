//! Unbound feedback buffers: outputs to an unbound buffer are dropped, and the buffer does not limit the others.

use crate::cases::{LOOP, TOPOLOGIES, all};
use crate::drivers::DRIVERS;
use crate::feedback::{Case, FILL, vertex_values};
use crate::matrix::TWO_BUFFERS;
use crate::shaders::INDICES;
use crate::storage::{HOSTS, Storage, options};
use polyshade::transform_feedback::{self, Options};
use polyshade_vulkan::model::Topology;

/// Returns draws of these topologies with little space in buffer `bound`, and enough space in the other buffer.
fn cases(topologies: &[Topology], bound: usize) -> Vec<Case> {
    let mut cases = all(topologies);
    for (number, case) in cases.iter_mut().enumerate() {
        let ample = 3 * (case.draw.vertices.end - case.draw.vertices.start) + 2;
        case.room = vec![ample * (case.draw.instances.end - case.draw.instances.start).max(1); 2];
        case.room[bound] = number as u32 % 11;
        case.reached = 0;
    }
    cases
}

#[track_caller]
fn is_ignored(options: &Options, topologies: &[Topology]) {
    let layout = INDICES.layout(TWO_BUFFERS);
    let storage = Storage::of_words(INDICES.plain(), layout, &options.clone().unbound_buffers());
    for bound in [0, 1] {
        let mut cases = cases(topologies, bound);
        cases.retain(|case| storage.try_host_params(case).is_ok());
        let values = vertex_values(&INDICES, TWO_BUFFERS, &cases);
        for driver in DRIVERS {
            let found = storage.run_with(driver, &cases, |case| {
                storage.host_params_without(case, 1 - bound).expect("buffers may be unbound")
            });
            let mut stored = 0;
            for (case, found) in cases.iter().zip(&found) {
                let expected = case.model(&storage.layout, &values).memory;
                assert!(found[bound] == expected[bound], "{driver:?} {options:?} {case:?}");
                let is_left = found[1 - bound].iter().all(|byte| *byte == FILL);
                assert!(is_left, "{driver:?} {options:?} {case:?}");
                stored += usize::from(found[bound].iter().any(|byte| *byte != FILL));
            }
            assert!(stored > cases.len() / 8, "hardly anything is stored");
        }
    }
}

#[test]
fn what_goes_to_a_buffer_that_is_not_bound_is_ignored() {
    let everything = [&TOPOLOGIES[..], &LOOP].concat();
    for host in [HOSTS[2], HOSTS[5]] {
        is_ignored(&options(TWO_BUFFERS, host), &everything);
        is_ignored(&options(TWO_BUFFERS, host).limit_in_vertices(), &everything);
        let list = [transform_feedback::Topology::TriangleList];
        let known = options(TWO_BUFFERS, host).topologies(list).limit_in_vertices().one_instance();
        is_ignored(&known, &[Topology::TriangleList]);
    }
}

#[test]
fn a_buffer_is_bound_unless_the_options_say_otherwise() {
    let storage = Storage::new(&INDICES, TWO_BUFFERS);
    let error = storage.host_params_without(&Case::new(Topology::PointList, 3), 0).unwrap_err();
    assert!(error.message().contains("is not bound"), "{error}");
}

/// Without the bits that mark unbound buffers, an unbound buffer limits the others, which is detected.
#[test]
fn bits_that_are_lost_are_noticed() {
    let storage = Storage::of_words(
        INDICES.plain(),
        INDICES.layout(TWO_BUFFERS),
        &options(TWO_BUFFERS, HOSTS[5]).unbound_buffers(),
    );
    let case = Case::new(Topology::TriangleList, 6);
    let flags = storage.capture.words.number("flags").expect("they say it") as usize;
    for driver in DRIVERS {
        let run = |lost: bool| {
            let words = |case: &Case| {
                let mut words = storage.host_params_without(case, 0).expect("it may be unbound");
                words[flags] &= if lost { 1 } else { u32::MAX };
                words
            };
            storage.run_with(driver, std::slice::from_ref(&case), words)
        };
        assert_ne!(run(false), run(true), "{driver:?}");
    }
}
