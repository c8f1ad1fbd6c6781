//! Constraints on draws make variants smaller and do not change their stores.

use crate::cases::{TOPOLOGIES, all};
use crate::drivers::DRIVERS;
use crate::feedback::Case;
use crate::matrix::{TWO_BUFFERS, storage_is_model};
use crate::shaders::INDICES;
use crate::storage::{HOSTS, Storage, options};
use polyshade_tests::sample::sample;
use polyshade_vulkan::model::Topology;

/// Sets of topologies: single topologies, topologies of one kind, and mixed sets.
const SETS: [&[Topology]; 10] = [
    &[Topology::PointList],
    &[Topology::TriangleList],
    &[Topology::LineStrip],
    &[Topology::TriangleStrip],
    &[Topology::TriangleFan],
    &[Topology::LineLoop],
    &[Topology::LineList, Topology::TriangleList],
    &[Topology::LineList, Topology::TriangleStrip],
    &[Topology::PointList, Topology::TriangleFan],
    &[Topology::LineList, Topology::LineStrip, Topology::LineLoop],
];

/// Returns variants for draws of these topologies.
fn known(set: &[Topology], one_instance: bool, limit_in_vertices: bool, host: usize) -> Storage {
    let mut options = options(TWO_BUFFERS, HOSTS[host]);
    options = options.topologies(set.iter().copied());
    if one_instance {
        options = options.one_instance();
    }
    if limit_in_vertices {
        options = options.limit_in_vertices();
    }
    Storage::of_words(INDICES.plain(), INDICES.layout(TWO_BUFFERS), &options)
}

#[test]
fn what_is_known_changes_nothing() {
    let everything = [&TOPOLOGIES[..], &[Topology::LineLoop]].concat();
    let sets = SETS.into_iter().chain([&everything[..]]).enumerate();
    for (number, set) in sample(sets, 4) {
        // Each set is tested with two combinations of the other constraints, and the next set with the other two.
        let others = [(false, false), (false, true), (true, false), (true, true)];
        for (one_instance, limit_in_vertices) in others.into_iter().cycle().skip(number).take(2) {
            let host = number % HOSTS.len();
            let general = known(&everything, false, false, host).words.len();
            let storage = known(set, one_instance, limit_in_vertices, host);
            let is_smaller = one_instance || limit_in_vertices || set.len() == 1;
            let words = storage.words.len();
            assert!(words < general || !is_smaller && words <= general, "{set:?}");
            let mut cases = all(set);
            for instances in cases.iter_mut().map(|case: &mut Case| &mut case.draw.instances) {
                if one_instance {
                    instances.end = instances.start + 1;
                }
            }
            for driver in DRIVERS {
                storage_is_model(&storage, &INDICES, TWO_BUFFERS, &cases, driver);
            }
        }
    }
}

/// A draw for which the variants were not made is refused.
#[test]
fn other_draws_are_refused() {
    let lists = known(&[Topology::TriangleList], true, true, 0);
    let params_of = |topology, instances| {
        let mut case = Case::new(topology, 6);
        case.draw.instances = 0..instances;
        lists.try_host_params(&case).map_err(|error| error.to_string())
    };
    assert!(params_of(Topology::TriangleList, 1).is_ok());
    let refused = params_of(Topology::TriangleStrip, 1).unwrap_err();
    assert!(refused.contains("not made for a triangle strip"), "{refused}");
    let refused = params_of(Topology::TriangleList, 2).unwrap_err();
    assert!(refused.contains("one instance"), "{refused}");
}
