//! The draws that are compared, and the room there is for what they capture.

use crate::record::Placement;
use crate::recording::Recording;
use polyshade::transform_feedback::{BufferRange, IndexType};
use polyshade_vulkan::model::{self, Topology};
use polyshade_vulkan::{ProvokingVertex, vk};
use std::fmt;

/// What all memory holds before a draw.
pub(crate) const FILL: u8 = 0xa5;
/// The bytes before the bound range, which nothing may write, as those behind it: a multiple of every alignment.
pub(crate) const GUARD: usize = 256;
/// The bytes that are bound before the feedback range: no small number of words, and more than a primitive has.
pub(crate) const LEAD: usize = 500;

/// How much is captured of the draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// Everything.
    Ample,
    /// Exactly what is captured, and the buffer ends there.
    Exact,
    /// Some, and the buffers have different room.
    Short,
    /// Some, behind what draws before have captured.
    Resumed,
    /// Nothing: the ranges are empty.
    None,
    /// Some, as the buffers end there; the host says that there is more.
    Overstated,
    /// Nothing: the host says that draws before have captured more than there is room for.
    Passed,
    /// Nothing: the host says that the range begins behind the end of the buffer.
    Behind,
}

/// What there is for every draw.
const ROOMS: [Room; 4] = [Room::Ample, Room::Short, Room::Resumed, Room::None];
/// What is drawn once with each topology: the most vertices, and the room.
const MORE: [(u32, Room); 6] = [
    (1, Room::Ample),
    (2, Room::Ample),
    (u32::MAX, Room::Overstated),
    (u32::MAX, Room::Passed),
    (u32::MAX, Room::Behind),
    (u32::MAX, Room::Exact),
];

/// One draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) placement: Placement,
    pub(crate) topology: Topology,
    pub(crate) provoking_vertex: ProvokingVertex,
    pub(crate) room: Room,
    /// The indices, where the draw has some: one for each of the draw's vertices, whose numbers are theirs.
    pub(crate) indices: Option<Indices>,
}

/// The indices of a draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Indices {
    pub(crate) index_type: IndexType,
    /// All that are in the buffer: the draw begins at the number of its first vertex.
    pub(crate) all: Vec<u32>,
    pub(crate) vertex_offset: i32,
    /// Whether those of which all bits are set restart primitives.
    pub(crate) restart: bool,
}

/// Which indices a draw is given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Indexing {
    pub(crate) width: IndexType,
    pub(crate) restart: bool,
    /// Whether base vertices are several, or only the first vertex of the draw.
    pub(crate) bases: bool,
}

/// One placement that begins at vertex and instance 0, and one that begins at others.
pub(crate) fn placements(vertices: u32, instances: u32) -> [Placement; 2] {
    // Nothing must go beyond the vertices and instances that the shader's own arrays have an element for.
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

/// Every topology in both provoking modes, from both placements, with all kinds of room; with one vertex and two, of
/// which some make no primitive; and with what the host says wrongly.
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

/// Vulkan's name of a topology. Line loops are drawn as points.
pub(crate) fn topology(topology: Topology) -> vk::PrimitiveTopology {
    model::native_topology(topology).unwrap_or(vk::PrimitiveTopology::POINT_LIST)
}

impl Case {
    /// A point list that captures nothing.
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

    /// The draw, as far as capture cares.
    pub(crate) fn draw(&self) -> model::Draw {
        let (vertices, instances) = self.placement.ranges();
        let Case { topology, provoking_vertex, .. } = *self;
        model::Draw { topology, provoking_vertex, vertices, instances }
    }

    /// The same with indices, which name vertices of the draw in no order, some of them several times. What they are
    /// hangs on the number of the case. None where there are more vertices than indices.
    pub(crate) fn with_indices(mut self, number: usize, indexing: Indexing) -> Option<Case> {
        let Indexing { width, restart, bases } = indexing;
        let Placement { first_vertex: first, vertices: count, .. } = self.placement;
        // Not more than the first vertex, so that no index is below 0; and no index is as wide as a restart.
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

    /// The vertices from one restart to the next, where the draw has indices.
    pub(crate) fn segments(&self) -> Option<Vec<Vec<u32>>> {
        let Indices { index_type, all, vertex_offset, restart } = self.indices.as_ref()?;
        let drawn = &all[self.placement.first_vertex as usize..];
        let ends = |index: &u32| *restart && *index == index_type.restart();
        let vertices = drawn.split(ends).map(|segment| {
            segment.iter().map(|index| index.wrapping_add_signed(*vertex_offset)).collect()
        });
        Some(vertices.collect())
    }

    /// What is recorded of the case's vertices.
    pub(crate) fn recording<'r>(&self, recordings: &'r [Recording]) -> &'r Recording {
        let of_case = |one: &&Recording| one.placement.covers(self.placement);
        recordings.iter().find(of_case).expect("the cases are made from the placements")
    }

    /// The bytes that are bound behind the feedback range.
    pub(crate) fn tail(&self) -> usize {
        match self.room {
            Room::Exact | Room::Short | Room::Overstated => 0,
            // What is stored there by mistake has a place.
            Room::Passed | Room::Resumed => 1024,
            _ => 60,
        }
    }

    /// Whether the host declares something wrong.
    pub(crate) fn is_misstated(&self) -> bool {
        matches!(self.room, Room::Overstated | Room::Passed | Room::Behind)
    }

    /// Whether it declares memory where there is none, which only the bindings reveal.
    pub(crate) fn overstates_memory(&self) -> bool {
        matches!(self.room, Room::Overstated | Room::Behind)
    }

    /// The range of a buffer that the host declares.
    pub(crate) fn range(&self, buffer: &model::Buffer) -> BufferRange {
        let stride = buffer.stride as u32;
        let mut range = BufferRange {
            offset: LEAD as u32,
            size: buffer.range.len() as u32,
            reached: buffer.reached as u32,
            ..BufferRange::default()
        };
        match self.room {
            Room::Overstated => range.size += 4 * stride,
            Room::Passed => range.reached += 4 * stride,
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

    /// Whether a stage that stores and rasterizes can draw it: not fans, and no line loops, which Vulkan has not.
    pub(crate) fn can_be_drawn_at_once(&self) -> bool {
        !matches!(self.topology, Topology::TriangleFan | Topology::LineLoop)
    }

    /// How many vertices are captured where there is room.
    fn captured(&self) -> usize {
        let Placement { vertices, instances, .. } = self.placement;
        let each = model::primitives(self.topology, self.provoking_vertex, vertices);
        each.iter().map(Vec::len).sum::<usize>() * instances as usize
    }

    /// The buffers, of these strides, before the draw. Those of stride 0 capture nothing.
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
                    // Half of the draw, and the second buffer has room for less, or the first.
                    Room::Short | Room::Overstated | Room::Resumed => {
                        reached + (vertices / 2 + 2).saturating_sub(2 * usize::from(has_less))
                    }
                    Room::None | Room::Passed | Room::Behind => 0,
                };
                let stride = stride as usize;
                let size = stride * room;
                let begin = GUARD + LEAD;
                let guard = match self.room {
                    // The smallest range that can be bound is not empty.
                    Room::Exact if size > 0 => 0,
                    // What is stored there by mistake has a place: bytes may be taken for words.
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
            Room::Ample => "room for all",
            Room::Exact => "room for all to the end of the buffer",
            Room::Short => "room for some",
            Room::Resumed => "resumed behind 3 vertices, room for some",
            Room::None => "no room",
            Room::Overstated => "room for some, said to be more",
            Room::Passed => "no room, said to be passed",
            Room::Behind => "no room, said to begin behind the end of the buffer",
        })
    }
}
