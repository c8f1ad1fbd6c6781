//! The model, which judges where no driver can, is itself judged by lavapipe's transform feedback.

use crate::feedback::{Case, run_native};
use crate::shaders::{INDICES, Varyings};
use polyshade_vulkan::ProvokingVertex;
use polyshade_vulkan::model::{Topology, Value};

/// All topologies that Vulkan has, without patches.
pub(crate) const TOPOLOGIES: [Topology; 6] = [
    Topology::PointList,
    Topology::LineList,
    Topology::LineStrip,
    Topology::TriangleList,
    Topology::TriangleStrip,
    Topology::TriangleFan,
];

const ADJACENCY: [Topology; 4] = [
    Topology::LineListWithAdjacency,
    Topology::LineStripWithAdjacency,
    Topology::TriangleListWithAdjacency,
    Topology::TriangleStripWithAdjacency,
];

const MODES: [ProvokingVertex; 2] = [ProvokingVertex::First, ProvokingVertex::Last];

const TWO_BUFFERS: Varyings = Varyings::Interleaved(&[
    "v_index",
    "gl_NextBuffer",
    "gl_SkipComponents1",
    "v_mixed",
    "gl_SkipComponents2",
]);

/// What `INDICES` computes.
fn indices(vertex: u32, instance: u32) -> Vec<Value> {
    let bytes = |values: &[u32]| values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    let mixed = [vertex * 1000 + 7, instance * 1000 + 8, vertex * 1000 + 9];
    vec![
        Value { buffer: 0, offset: 0, bytes: bytes(&[vertex, instance]) },
        Value { buffer: 1, offset: 4, bytes: bytes(&mixed) },
    ]
}

#[track_caller]
fn model_is_native(cases: &[Case]) {
    let layout = INDICES.layout(TWO_BUFFERS);
    let native = run_native(&INDICES, TWO_BUFFERS, cases);
    assert_eq!(native.len(), cases.len());
    for (case, native) in cases.iter().zip(native) {
        assert_eq!(case.model(&layout, indices), native, "{case:?}");
    }
}

/// Every topology with every way to have vertices left over.
fn shapes(topologies: &[Topology]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &topology in topologies {
        for mode in MODES {
            for vertices in 0..=9 {
                let mut case = Case::new(topology, vertices);
                case.draw.provoking_vertex = mode;
                cases.push(case);
            }
        }
    }
    cases
}

/// Draws that begin anywhere, and have several instances.
fn placements() -> Vec<Case> {
    let mut cases = Vec::new();
    for topology in TOPOLOGIES {
        for (first_vertex, first_instance, instances) in [(5, 0, 1), (0, 3, 2), (1000, 70, 3)] {
            for vertices in [2, 4, 7] {
                let mut case = Case::new(topology, vertices);
                case.draw.vertices = first_vertex..first_vertex + vertices;
                case.draw.instances = first_instance..first_instance + instances;
                case.room = vec![3 * vertices * instances; 2];
                cases.push(case);
            }
        }
    }
    cases
}

/// Buffers that are too small: in the middle of an instance, of a primitive, one more than the other.
fn overflows() -> Vec<Case> {
    let mut cases = Vec::new();
    for topology in TOPOLOGIES {
        for (room, reached) in [([1, 9], 0), ([9, 4], 0), ([5, 6], 0), ([14, 13], 0), ([8, 9], 2)] {
            let mut case = Case::new(topology, 5);
            case.draw.instances = 0..2;
            case.room = room.to_vec();
            case.reached = reached;
            cases.push(case);
        }
    }
    cases
}

#[test]
fn order_is_native() {
    model_is_native(&shapes(&TOPOLOGIES));
}

#[test]
fn order_with_adjacency_is_native() {
    model_is_native(&shapes(&ADJACENCY));
}

#[test]
fn first_vertex_and_instances_are_native() {
    model_is_native(&placements());
}

#[test]
fn overflow_is_native() {
    model_is_native(&overflows());
}
