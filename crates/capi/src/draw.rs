//! Draws and ranges of feedback buffers, as the host says them.

use crate::border::{self, versioned};
use crate::failure::Failure;
use crate::place::check_flags;
use polyshade::transform_feedback::{BufferRange, Draw, ProvokingVertex, Topology};

/// `VkPrimitiveTopology`, and the line loop that only OpenGL has.
pub const POLYSHADE_TOPOLOGY_POINT_LIST: u32 = 0;
pub const POLYSHADE_TOPOLOGY_LINE_LIST: u32 = 1;
pub const POLYSHADE_TOPOLOGY_LINE_STRIP: u32 = 2;
pub const POLYSHADE_TOPOLOGY_TRIANGLE_LIST: u32 = 3;
pub const POLYSHADE_TOPOLOGY_TRIANGLE_STRIP: u32 = 4;
pub const POLYSHADE_TOPOLOGY_TRIANGLE_FAN: u32 = 5;
pub const POLYSHADE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY: u32 = 6;
pub const POLYSHADE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY: u32 = 7;
pub const POLYSHADE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY: u32 = 8;
pub const POLYSHADE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY: u32 = 9;
pub const POLYSHADE_TOPOLOGY_LINE_LOOP: u32 = 16;

/// All topologies that can be captured, by their numbers. The one place that is to be extended.
const TOPOLOGIES: [(u32, Topology); 11] = [
    (POLYSHADE_TOPOLOGY_POINT_LIST, Topology::PointList),
    (POLYSHADE_TOPOLOGY_LINE_LIST, Topology::LineList),
    (POLYSHADE_TOPOLOGY_LINE_STRIP, Topology::LineStrip),
    (POLYSHADE_TOPOLOGY_TRIANGLE_LIST, Topology::TriangleList),
    (POLYSHADE_TOPOLOGY_TRIANGLE_STRIP, Topology::TriangleStrip),
    (POLYSHADE_TOPOLOGY_TRIANGLE_FAN, Topology::TriangleFan),
    (POLYSHADE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY, Topology::LineListWithAdjacency),
    (POLYSHADE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY, Topology::LineStripWithAdjacency),
    (POLYSHADE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY, Topology::TriangleListWithAdjacency),
    (POLYSHADE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY, Topology::TriangleStripWithAdjacency),
    (POLYSHADE_TOPOLOGY_LINE_LOOP, Topology::LineLoop),
];

/// The first vertex of a primitive is the provoking one, as in Vulkan.
pub const POLYSHADE_PROVOKING_FIRST: u32 = 0;
/// The last one is, as in OpenGL.
pub const POLYSHADE_PROVOKING_LAST: u32 = 1;

/// A draw, as the application asks for it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_draw {
    /// `sizeof(polyshade_draw)`
    pub size: u32,
    /// `POLYSHADE_TOPOLOGY_…`
    pub topology: u32,
    /// `POLYSHADE_PROVOKING_…`
    pub provoking_vertex: u32,
    /// `firstVertex`
    pub first_vertex: u32,
    /// `vertexCount`
    pub vertex_count: u32,
    /// `firstInstance`
    pub first_instance: u32,
    /// `instanceCount`
    pub instance_count: u32,
}

versioned!(polyshade_draw, 28);

/// The feedback buffer is not bound; the other members mean nothing.
pub const POLYSHADE_RANGE_UNBOUND: u32 = 1;

/// The range of a feedback buffer that is captured into, in bytes. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_range {
    /// The address of the buffer, where the shader finds it by that.
    pub address: u64,
    /// Where the range begins in what the descriptor binds, or from the address on.
    pub offset: u32,
    /// How long it is.
    pub length: u32,
    /// How much of it draws before have filled: the counter.
    pub reached: u32,
    /// `POLYSHADE_RANGE_…`
    pub flags: u32,
}

/// The topologies whose bits are set.
pub(crate) fn topologies(bits: u32) -> Result<Vec<Topology>, Failure> {
    let known = TOPOLOGIES.iter().fold(0, |known, (number, _)| known | 1 << number);
    check_flags(bits, known, "the topologies")?;
    let wanted = TOPOLOGIES.iter().filter(|(number, _)| bits & 1 << number != 0);
    Ok(wanted.map(|(_, topology)| *topology).collect())
}

/// The bits of topologies.
pub(crate) fn topology_bits(topologies: &[Topology]) -> u32 {
    let named = TOPOLOGIES.iter().filter(|(_, topology)| topologies.contains(topology));
    named.fold(0, |bits, (number, _)| bits | 1 << number)
}

/// The draw that the caller means.
pub(crate) fn read(at: *const polyshade_draw) -> Result<Draw, Failure> {
    let given = border::get(at)?;
    let topology = TOPOLOGIES.iter().find(|(number, _)| *number == given.topology);
    let Some((_, topology)) = topology else {
        let message = format!("there is no topology {}, or it is not captured", given.topology);
        return Err(Failure::argument(message));
    };
    let provoking_vertex = match given.provoking_vertex {
        POLYSHADE_PROVOKING_FIRST => ProvokingVertex::First,
        POLYSHADE_PROVOKING_LAST => ProvokingVertex::Last,
        other => return Err(Failure::argument(format!("there is no provoking vertex {other}"))),
    };
    Ok(Draw {
        topology: *topology,
        provoking_vertex,
        first_vertex: given.first_vertex,
        vertex_count: given.vertex_count,
        first_instance: given.first_instance,
        instance_count: given.instance_count,
        indices: None,
    })
}

/// The ranges that the caller means.
pub(crate) fn ranges(
    at: *const polyshade_range,
    count: usize,
) -> Result<Vec<BufferRange>, Failure> {
    border::slice(at, count, "the ranges")?.iter().map(range).collect()
}

fn range(given: &polyshade_range) -> Result<BufferRange, Failure> {
    let polyshade_range { address, offset, length, reached, flags } = *given;
    check_flags(flags, POLYSHADE_RANGE_UNBOUND, "a range")?;
    if flags & POLYSHADE_RANGE_UNBOUND != 0 {
        return Ok(BufferRange::UNBOUND);
    }
    Ok(BufferRange { address, offset, size: length, reached })
}

/// The range for the caller.
pub(crate) fn write(range: BufferRange) -> polyshade_range {
    let BufferRange { address, offset, size, reached } = range;
    match range == BufferRange::UNBOUND {
        true => polyshade_range {
            address: 0,
            offset: 0,
            length: 0,
            reached: 0,
            flags: POLYSHADE_RANGE_UNBOUND,
        },
        false => polyshade_range { address, offset, length: size, reached, flags: 0 },
    }
}
