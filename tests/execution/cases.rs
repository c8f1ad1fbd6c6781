//! The captured draws: combinations of topology, vertices, provoking vertex, instances and buffer space.

use crate::feedback::Case;
use polyshade_vulkan::ProvokingVertex;
use polyshade_vulkan::model::Topology;

/// Vulkan's topologies without adjacency and patches.
pub(crate) const TOPOLOGIES: [Topology; 6] = [
    Topology::PointList,
    Topology::LineList,
    Topology::LineStrip,
    Topology::TriangleList,
    Topology::TriangleStrip,
    Topology::TriangleFan,
];

pub(crate) const ADJACENCY: [Topology; 4] = [
    Topology::LineListWithAdjacency,
    Topology::LineStripWithAdjacency,
    Topology::TriangleListWithAdjacency,
    Topology::TriangleStripWithAdjacency,
];

/// The OpenGL topology that Vulkan lacks.
pub(crate) const LOOP: [Topology; 1] = [Topology::LineLoop];

/// Returns draws with every number of leftover vertices in both provoking vertex modes.
pub(crate) fn shapes(topologies: &[Topology]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &topology in topologies {
        for mode in [ProvokingVertex::First, ProvokingVertex::Last] {
            for vertices in 0..=9 {
                let mut case = Case::new(topology, vertices);
                case.draw.provoking_vertex = mode;
                cases.push(case);
            }
        }
    }
    cases
}

/// Returns draws with different first vertices and several instances.
pub(crate) fn placements(topologies: &[Topology]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &topology in topologies {
        for (first_vertex, first_instance, instances) in [(5, 0, 1), (0, 3, 2), (1000, 70, 3)] {
            for vertices in [2, 4, 7] {
                let mut case = Case::new(topology, vertices);
                case.draw.vertices = first_vertex..first_vertex + vertices;
                case.draw.instances = first_instance..first_instance + instances;
                case.room = vec![3 * vertices * instances; 4];
                cases.push(case);
            }
        }
    }
    cases
}

/// Returns draws with too small buffers, which end within an instance or a primitive, or differ in size.
pub(crate) fn overflows(topologies: &[Topology]) -> Vec<Case> {
    let mut cases = Vec::new();
    let rooms = [[1, 9], [9, 4], [5, 6], [14, 13], [0, 20]].map(|room| (room, 0));
    for &topology in topologies {
        for (room, reached) in rooms.into_iter().chain([([8, 9], 2), ([20, 7], 7)]) {
            let mut case = Case::new(topology, 5);
            case.draw.instances = 0..2;
            case.room = room.repeat(2);
            case.reached = reached;
            cases.push(case);
        }
    }
    cases
}

/// Returns the draws of all three functions above.
pub(crate) fn all(topologies: &[Topology]) -> Vec<Case> {
    [shapes(topologies), placements(topologies), overflows(topologies)].concat()
}

/// Returns a few draws that together cover all features, for tests that do not depend on the draw.
pub(crate) fn few() -> Vec<Case> {
    let mut cases = Vec::new();
    for topology in [Topology::PointList, Topology::TriangleStrip, Topology::TriangleFan] {
        let mut case = Case::new(topology, 5);
        case.draw.vertices = 2..7;
        case.draw.instances = 1..3;
        case.room = vec![14, 15, 16, 13];
        cases.push(case);
    }
    cases
}
