//! Draws and feedback ranges, as the host describes them.

use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, POLYSHADE_NONE, polyshade_status};
use crate::ffi::{self, versioned};
use crate::place::{check_flags, check_reserved};
use polyshade::transform_feedback::{
    BufferRange, Draw, IndexType, Indices, ProvokingVertex, Segments, Topology,
};
use polyshade_planner as planner;

/// `VkPrimitiveTopology`, and the line loop of OpenGL.
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
/// Occurs only in plans: patches cannot be captured into storage buffers.
pub const POLYSHADE_TOPOLOGY_PATCH_LIST: u32 = 10;
pub const POLYSHADE_TOPOLOGY_LINE_LOOP: u32 = 16;

/// All topologies that can be captured, by number. A new topology needs an entry here only.
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

/// The first vertex of a primitive is the provoking vertex, as in Vulkan.
pub const POLYSHADE_PROVOKING_FIRST: u32 = 0;
/// The last vertex of a primitive is the provoking vertex, as in OpenGL.
pub const POLYSHADE_PROVOKING_LAST: u32 = 1;

/// `VkIndexType`.
pub const POLYSHADE_INDEX_TYPE_UINT16: u32 = 0;
pub const POLYSHADE_INDEX_TYPE_UINT32: u32 = 1;
pub const POLYSHADE_INDEX_TYPE_UINT8: u32 = 1_000_265_000;

/// All index types, by number.
const INDEX_TYPES: [(u32, IndexType); 3] = [
    (POLYSHADE_INDEX_TYPE_UINT16, IndexType::Uint16),
    (POLYSHADE_INDEX_TYPE_UINT32, IndexType::Uint32),
    (POLYSHADE_INDEX_TYPE_UINT8, IndexType::Uint8),
];

/// The draw has indices: `vertex_offset` and the members whose names begin with `index_` are read.
pub const POLYSHADE_DRAW_INDEXED: u32 = 1;
/// Indices may restart primitives: `primitives` and the members whose names begin with `table_` are read, too.
pub const POLYSHADE_DRAW_RESTARTED: u32 = 2;

/// A draw of the application.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_draw {
    /// `sizeof(polyshade_draw)`
    pub size: u32,
    /// `POLYSHADE_TOPOLOGY_…`
    pub topology: u32,
    /// `POLYSHADE_PROVOKING_…`
    pub provoking_vertex: u32,
    /// `firstVertex`, or `firstIndex` for a draw with indices.
    pub first_vertex: u32,
    /// `vertexCount`, or `indexCount` for a draw with indices.
    pub vertex_count: u32,
    /// `firstInstance`
    pub first_instance: u32,
    /// `instanceCount`
    pub instance_count: u32,
    /// `POLYSHADE_DRAW_…`
    pub flags: u32,
    /// The device address of the index buffer, if the shader reads indices by address.
    pub index_address: u64,
    /// The device address of the table of `polyshade_segments_find`, if the shader reads the table by address.
    pub table_address: u64,
    /// The byte offset of index 0 in the binding, or from the address on; a multiple of the size of an index.
    pub index_offset: u32,
    /// The bytes of the index buffer from index 0 on. Indices beyond the end read as 0.
    pub index_size: u32,
    /// `POLYSHADE_INDEX_TYPE_…`
    pub index_type: u32,
    /// `vertexOffset`
    pub vertex_offset: i32,
    /// The value of `gl_DrawID`, if the shader reads it.
    pub draw_index: u32,
    /// The number of primitives of an instance, from `polyshade_segments_find`.
    pub primitives: u32,
    /// The size of the table, in bytes.
    pub table_size: u32,
    /// 0
    pub reserved: u32,
}

versioned!(polyshade_draw, 28);

/// The feedback buffer is not bound; the other members are ignored.
pub const POLYSHADE_RANGE_UNBOUND: u32 = 1;

/// The range of a feedback buffer that a draw captures into, in bytes. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_range {
    /// The device address of the buffer, if the shader finds the buffer by address.
    pub address: u64,
    /// The offset of the range in the binding, or from the address on.
    pub offset: u32,
    /// The size of the range.
    pub length: u32,
    /// The counter: the bytes that earlier draws have filled.
    pub counter: u32,
    /// `POLYSHADE_RANGE_…`
    pub flags: u32,
}

/// Returns the topologies whose bits are set.
pub(crate) fn topologies(bits: u32) -> Result<Vec<Topology>, Failure> {
    let known = TOPOLOGIES.iter().fold(0, |known, (number, _)| known | 1 << number);
    check_flags(bits, known, "the topologies")?;
    let wanted = TOPOLOGIES.iter().filter(|(number, _)| bits & 1 << number != 0);
    Ok(wanted.map(|(_, topology)| *topology).collect())
}

/// Returns the bits of topologies.
pub(crate) fn topology_bits(topologies: &[Topology]) -> u32 {
    let named = TOPOLOGIES.iter().filter(|(_, topology)| topologies.contains(topology));
    named.fold(0, |bits, (number, _)| bits | 1 << number)
}

/// Returns the number of a topology.
pub(crate) fn topology_number(of: Topology) -> u32 {
    let named = TOPOLOGIES.iter().find(|(_, topology)| *topology == of);
    named.map_or(POLYSHADE_NONE, |(number, _)| *number)
}

/// Returns the number of a topology of a plan.
pub(crate) fn planned_topology(of: planner::Topology) -> u32 {
    of.captured().map_or(POLYSHADE_TOPOLOGY_PATCH_LIST, topology_number)
}

/// Returns the number of a provoking vertex mode.
pub(crate) fn provoking_vertex(of: ProvokingVertex) -> u32 {
    match of {
        ProvokingVertex::First => POLYSHADE_PROVOKING_FIRST,
        ProvokingVertex::Last => POLYSHADE_PROVOKING_LAST,
    }
}

/// Returns the provoking vertex mode with this number.
pub(crate) fn provoking(number: u32) -> Result<ProvokingVertex, Failure> {
    match number {
        POLYSHADE_PROVOKING_FIRST => Ok(ProvokingVertex::First),
        POLYSHADE_PROVOKING_LAST => Ok(ProvokingVertex::Last),
        other => Err(Failure::argument(format!("unknown provoking vertex {other}"))),
    }
}

/// Reads a draw from the caller's struct.
pub(crate) fn read(at: *const polyshade_draw) -> Result<Draw, Failure> {
    let given = ffi::get(at)?;
    let provoking_vertex = provoking(given.provoking_vertex)?;
    Ok(Draw {
        topology: topology(given.topology)?,
        provoking_vertex,
        first_vertex: given.first_vertex,
        vertex_count: given.vertex_count,
        first_instance: given.first_instance,
        instance_count: given.instance_count,
        draw_index: given.draw_index,
        indices: indices(&given)?,
    })
}

pub(crate) fn topology(wanted: u32) -> Result<Topology, Failure> {
    let found = TOPOLOGIES.iter().find(|(number, _)| *number == wanted);
    found.map(|(_, topology)| *topology).ok_or_else(|| {
        Failure::argument(format!("topology {wanted} is unknown or cannot be captured"))
    })
}

pub(crate) fn index_type(wanted: u32) -> Result<IndexType, Failure> {
    let found = INDEX_TYPES.iter().find(|(number, _)| *number == wanted);
    let found = found.map(|(_, index_type)| *index_type);
    found.ok_or_else(|| Failure::argument(format!("unknown index type {wanted}")))
}

/// Reads the index members of a draw; `None` if the draw has no indices.
fn indices(given: &polyshade_draw) -> Result<Option<Indices>, Failure> {
    check_flags(given.flags, POLYSHADE_DRAW_INDEXED | POLYSHADE_DRAW_RESTARTED, "a draw")?;
    check_reserved(given.reserved, "a draw")?;
    let is_restarted = given.flags & POLYSHADE_DRAW_RESTARTED != 0;
    if given.flags & POLYSHADE_DRAW_INDEXED == 0 {
        return match is_restarted {
            true => Err(Failure::argument("a draw without indices cannot use primitive restart")),
            false => Ok(None),
        };
    }
    Ok(Some(Indices {
        index_type: index_type(given.index_type)?,
        address: given.index_address,
        offset: given.index_offset,
        size: given.index_size,
        vertex_offset: given.vertex_offset,
        restarted: is_restarted.then_some(given.primitives),
        table_address: if is_restarted { given.table_address } else { 0 },
        table_size: if is_restarted { given.table_size } else { 0 },
    }))
}

/// Finds the primitive restarts in the indices of a draw. `indices` are the `byte_count` bytes of the index buffer
/// from index 0 on, little-endian. The draw reads `index_count` of them from number `first_index` on. Writes the
/// words of the table, which the host copies to a buffer that the shader reads, to `table`, and the primitives of an
/// instance to `*primitives`. `*word_count` is the capacity of `table`, and becomes the number of words. If `table`
/// is NULL, only the numbers are written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_segments_find(
    topology: u32,
    index_type: u32,
    indices: *const u8,
    byte_count: usize,
    first_index: u32,
    index_count: u32,
    table: *mut u32,
    word_count: *mut usize,
    primitives: *mut u32,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let (topology, index_type) = (self::topology(topology)?, self::index_type(index_type)?);
        let bytes = ffi::slice(indices, byte_count, "the indices")?;
        let found = Segments::find(topology, index_type, bytes, first_index, index_count)?;
        ffi::set(primitives, found.primitives(), "primitives")?;
        ffi::fill(found.table(), table, word_count)
    })
}

/// Reads the caller's array of ranges.
pub(crate) fn ranges(
    at: *const polyshade_range,
    count: usize,
) -> Result<Vec<BufferRange>, Failure> {
    ffi::slice(at, count, "the ranges")?.iter().map(range).collect()
}

fn range(given: &polyshade_range) -> Result<BufferRange, Failure> {
    let polyshade_range { address, offset, length, counter, flags } = *given;
    check_flags(flags, POLYSHADE_RANGE_UNBOUND, "a range")?;
    if flags & POLYSHADE_RANGE_UNBOUND != 0 {
        return Ok(BufferRange::UNBOUND);
    }
    Ok(BufferRange { address, offset, size: length, counter })
}

/// Replaces the caller's ranges. The caller has passed as many elements as `ranges` has.
pub(crate) fn replace(at: *mut polyshade_range, ranges: Vec<BufferRange>) -> Result<(), Failure> {
    let ranges: Vec<_> = ranges.into_iter().map(write).collect();
    let mut count = ranges.len();
    if count == 0 {
        return Ok(());
    }
    ffi::fill(&ranges, at, &raw mut count)
}

/// Returns a range as a C struct.
fn write(range: BufferRange) -> polyshade_range {
    let BufferRange { address, offset, size, counter } = range;
    match range == BufferRange::UNBOUND {
        true => polyshade_range {
            address: 0,
            offset: 0,
            length: 0,
            counter: 0,
            flags: POLYSHADE_RANGE_UNBOUND,
        },
        false => polyshade_range { address, offset, length: size, counter, flags: 0 },
    }
}
