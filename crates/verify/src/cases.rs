//! The draws to compare, and the sizes of their capture buffers.

use crate::record::Placement;
use crate::recording::Recording;
use polyshade::transform_feedback::{BufferRange, IndexType};
use polyshade_vulkan::model::{self, Topology};
use polyshade_vulkan::{ProvokingVertex, vk};
use std::fmt;

/// The byte that fills all memory before a draw.
pub(crate) const FILL: u8 = 0xa5;
/// The bytes of the guards before and after the bound range, which must stay unwritten. A multiple of every
/// alignment.
pub(crate) const GUARD: usize = 256;
/// The bytes from the start of the bound range to the feedback range. This is more than a primitive needs, so stores
/// from the start of the binding, or in words instead of bytes, become visible.
pub(crate) const LEAD: usize = 500;

/// The part of a draw that fits into the capture buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// The whole draw fits.
    Ample,
    /// The draw fits exactly, and the buffer ends there.
    Exact,
    /// A part of the draw fits, and the part is different for each buffer.
    Short,
    /// A part of the draw fits, after the captures of previous draws.
    Resumed,
    /// Nothing fits, because the ranges are empty.
    None,
    /// A part of the draw fits, because the buffers end before the ranges that the host declares.
    Overstated,
    /// Nothing fits, because the host declares counters that exceed the ranges.
    Passed,
    /// Nothing fits, because the host declares ranges that begin after the end of the buffer.
    Behind,
}

/// The buffer sizes that every draw is tested with.
const ROOMS: [Room; 4] = [Room::Ample, Room::Short, Room::Resumed, Room::None];
/// Further draws, one of each topology: the limit on the number of vertices, and the buffer size.
const MORE: [(u32, Room); 6] = [
    (1, Room::Ample),
    (2, Room::Ample),
    (u32::MAX, Room::Overstated),
    (u32::MAX, Room::Passed),
    (u32::MAX, Room::Behind),
    (u32::MAX, Room::Exact),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) placement: Placement,
    pub(crate) topology: Topology,
    pub(crate) provoking_vertex: ProvokingVertex,
    pub(crate) room: Room,
    /// The indices of an indexed draw. `placement` contains its vertex count and its range of vertex indices.
    pub(crate) indices: Option<Indices>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Indices {
    pub(crate) index_type: IndexType,
    /// The whole index buffer. `firstIndex` of the draw is its first vertex.
    pub(crate) all: Vec<u32>,
    pub(crate) vertex_offset: i32,
    /// Whether an index with all bits set restarts primitives.
    pub(crate) restart: bool,
}

/// The kind of indices to add to a draw.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Indexing {
    pub(crate) width: IndexType,
    pub(crate) restart: bool,
    /// Whether the base vertex varies among draws. If not, it is the first vertex of the draw.
    pub(crate) bases: bool,
}

/// Returns a placement that begins at vertex and instance 0, and a placement that begins later.
pub(crate) fn placements(vertices: u32, instances: u32) -> [Placement; 2] {
    // No draw may have more vertices or instances than the shader's own arrays have elements.
    let first_vertex = (vertices / 3).min(5);
    let first_instance = (instances / 2).min(2);
    [
        Placement { first_vertex: 0, vertices, first_instance: 0, instances: instances.min(2) },
        Placement {
            first_vertex,
            vertices: vertices - first_vertex,
            first_instance,
            instances: instances - first_instance,
        },
    ]
}

/// Returns cases for every topology in both provoking vertex modes, at both placements, with all buffer sizes. Adds
/// draws of one and two vertices, some of which form no primitive, and draws for which the host declares wrong
/// values.
pub(crate) fn cases(placements: &[Placement]) -> Vec<Case> {
    let mut cases = Vec::new();
    for topology in Topology::ALL {
        for provoking_vertex in [ProvokingVertex::First, ProvokingVertex::Last] {
            for placement in placements {
                let case = |room| Case::new(*placement, topology, provoking_vertex, room);
                cases.extend(ROOMS.map(case));
            }
        }
        for ((most, room), placement) in MORE.into_iter().zip(placements.iter().cycle()) {
            let placement = Placement { vertices: placement.vertices.min(most), ..*placement };
            cases.push(Case::new(placement, topology, ProvokingVertex::First, room));
        }
    }
    cases
}

/// Vulkan's value for a topology. Line loops, which Vulkan lacks, are drawn as points.
pub(crate) fn topology(topology: Topology) -> vk::PrimitiveTopology {
    model::native_topology(topology).unwrap_or(vk::PrimitiveTopology::POINT_LIST)
}

impl Case {
    /// Makes a case with a point list that captures nothing.
    pub(crate) fn of_nothing(placement: Placement) -> Case {
        Case::new(placement, Topology::PointList, ProvokingVertex::First, Room::None)
    }

    fn new(
        placement: Placement,
        topology: Topology,
        provoking_vertex: ProvokingVertex,
        room: Room,
    ) -> Case {
        Case { placement, topology, provoking_vertex, room, indices: None }
    }

    /// The parameters of the draw that affect the capture.
    pub(crate) fn draw(&self) -> model::Draw {
        let (vertices, instances) = self.placement.ranges();
        let Case { topology, provoking_vertex, .. } = *self;
        model::Draw { topology, provoking_vertex, vertices, instances }
    }

    /// Adds indices that refer to the draw's vertices in arbitrary order, some of them repeatedly. They depend on
    /// `number`, the number of the case. Returns `None` if the index type is too narrow for the vertices.
    pub(crate) fn with_indices(mut self, number: usize, indexing: Indexing) -> Option<Case> {
        let Indexing { width, restart, bases } = indexing;
        let Placement { first_vertex: first, vertices: count, .. } = self.placement;
        // The base is at most the first vertex, so that no index is negative. No index may equal the restart index.
        let fits = |base: &i32| (first + count).wrapping_add_signed(-base) <= width.restart();
        let base = if bases { [0, first as i32, -3][number % 3] } else { first as i32 };
        let vertex_offset = [base, first as i32].into_iter().find(fits)?;
        let mut all = vec![0; first as usize];
        for position in 0..count {
            let vertex = first + (position * 5 + number as u32 + position / 4) % count;
            let index = vertex.wrapping_add_signed(-vertex_offset);
            let ends = restart && (position + number as u32) % 6 == 4;
            all.push(if ends { width.restart() } else { index });
        }
        self.indices = Some(Indices { index_type: width, all, vertex_offset, restart });
        Some(self)
    }

    /// Splits the vertices of an indexed draw at the restart indices.
    pub(crate) fn segments(&self) -> Option<Vec<Vec<u32>>> {
        let Indices { index_type, all, vertex_offset, restart } = self.indices.as_ref()?;
        let drawn = &all[self.placement.first_vertex as usize..];
        let ends = |index: &u32| *restart && *index == index_type.restart();
        let vertices = drawn.split(ends).map(|segment| {
            segment.iter().map(|index| index.wrapping_add_signed(*vertex_offset)).collect()
        });
        Some(vertices.collect())
    }

    /// Returns the recording that contains the case's vertices.
    pub(crate) fn recording<'r>(&self, recordings: &'r [Recording]) -> &'r Recording {
        let of_case = |one: &&Recording| one.placement.covers(self.placement);
        recordings.iter().find(of_case).expect("the cases are made from the placements")
    }

    /// The number of bytes that are bound after the feedback range.
    pub(crate) fn tail(&self) -> usize {
        match self.room {
            Room::Exact | Room::Short | Room::Overstated => 0,
            // Space for stores that wrongly exceed the range.
            Room::Passed | Room::Resumed => 1024,
            _ => 60,
        }
    }

    /// Whether the host declares wrong ranges or counters.
    pub(crate) fn is_misstated(&self) -> bool {
        matches!(self.room, Room::Overstated | Room::Passed | Room::Behind)
    }

    /// Whether the host declares memory that does not exist. A shader can detect that only by the sizes of the
    /// bindings.
    pub(crate) fn overstates_memory(&self) -> bool {
        matches!(self.room, Room::Overstated | Room::Behind)
    }

    /// The range of a buffer that the host declares.
    pub(crate) fn range(&self, buffer: &model::Buffer) -> BufferRange {
        let stride = buffer.stride as u32;
        let mut range = BufferRange {
            offset: LEAD as u32,
            size: buffer.range.len() as u32,
            counter: buffer.reached as u32,
            ..BufferRange::default()
        };
        match self.room {
            Room::Overstated => range.size += 4 * stride,
            Room::Passed => range.counter += 4 * stride,
            Room::Behind => {
                range.offset += (self.tail() + 16) as u32;
                range.size = 4 * stride;
            }
            Room::Ample | Room::Exact | Room::Short | Room::Resumed | Room::None => {}
        }
        range
    }

    pub(crate) fn has_adjacency(&self) -> bool {
        matches!(
            self.topology,
            Topology::LineListWithAdjacency
                | Topology::LineStripWithAdjacency
                | Topology::TriangleListWithAdjacency
                | Topology::TriangleStripWithAdjacency
        )
    }

    /// Whether a shader that both stores and rasterizes supports the topology: not fans, nor line loops, which Vulkan
    /// lacks.
    pub(crate) fn can_be_drawn_at_once(&self) -> bool {
        !matches!(self.topology, Topology::TriangleFan | Topology::LineLoop)
    }

    /// The number of vertices that are captured if all fit.
    fn captured(&self) -> usize {
        let Placement { vertices, instances, .. } = self.placement;
        let each = model::primitives(self.topology, self.provoking_vertex, vertices);
        each.iter().map(Vec::len).sum::<usize>() * instances as usize
    }

    /// Returns the buffers before the draw, with the given strides. Buffers with stride 0 capture nothing.
    pub(crate) fn buffers(&self, strides: &[u32]) -> Vec<model::Buffer> {
        let vertices = self.placement.slots() as usize;
        let ample = 3 * vertices + 2;
        let turn = self.topology as usize + self.provoking_vertex as usize;
        (0..)
            .zip(strides)
            .map(|(number, &stride)| {
                let reached = if self.room == Room::Resumed { 3 } else { 0 };
                let has_less = (number + turn).is_multiple_of(2);
                let room = match self.room {
                    Room::Ample => ample,
                    Room::Exact => self.captured(),
                    // Half of the draw fits. Every second buffer is smaller by two vertices.
                    Room::Short | Room::Overstated | Room::Resumed => {
                        reached + (vertices / 2 + 2).saturating_sub(2 * usize::from(has_less))
                    }
                    Room::None | Room::Passed | Room::Behind => 0,
                };
                let stride = stride as usize;
                let size = stride * room;
                let begin = GUARD + LEAD;
                let guard = match self.room {
                    // An empty range cannot be bound.
                    Room::Exact if size > 0 => 0,
                    // Guard space large enough to catch an index computed in words but used in bytes.
                    Room::Behind => 4 * LEAD + stride * ample,
                    _ => 4 * LEAD,
                };
                model::Buffer {
                    memory: vec![FILL; begin + size + self.tail() + guard],
                    range: begin..begin + size,
                    stride,
                    reached: stride * reached,
                }
            })
            .collect()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model::Draw { topology, provoking_vertex, vertices, instances } = self.draw();
        write!(f, "{topology:?}, provoking vertex {provoking_vertex:?}, vertices {vertices:?}, ")?;
        write!(f, "instances {instances:?}, ")?;
        if let Some(Indices { index_type, all, vertex_offset, restart }) = &self.indices {
            let restart = if *restart { "restarted" } else { "not restarted" };
            let drawn = &all[self.placement.first_vertex as usize..];
            write!(f, "{index_type:?} indices {drawn:?} + {vertex_offset}, {restart}, ")?;
        }
        f.write_str(match self.room {
            Room::Ample => "room for all vertices",
            Room::Exact => "room for exactly all vertices, at the end of the buffer",
            Room::Short => "room for some vertices",
            Room::Resumed => "resumed after 3 vertices, room for some vertices",
            Room::None => "no room",
            Room::Overstated => "room for some vertices, larger range declared",
            Room::Passed => "no room, counter declared past the end of the range",
            Room::Behind => "no room, range declared past the end of the buffer",
        })
    }
}
