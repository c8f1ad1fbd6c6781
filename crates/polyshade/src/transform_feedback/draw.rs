//! The parameters of a draw, and the buffer ranges into which the draw captures.

use super::indices::Indices;
use super::topology::Topology;

/// The provoking vertex of a primitive. By default, Vulkan uses the first vertex, and OpenGL the last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ProvokingVertex {
    #[default]
    First,
    Last,
}

/// The parameters of the application's draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Draw {
    /// The topology of the application's draw; the capture pass is always a point list.
    pub topology: Topology,
    /// The provoking vertex, which determines the order of the vertices in a captured primitive.
    pub provoking_vertex: ProvokingVertex,
    /// `firstVertex`, or `firstIndex` for a draw with indices.
    pub first_vertex: u32,
    /// `vertexCount`, or `indexCount` for a draw with indices.
    pub vertex_count: u32,
    /// `firstInstance`.
    pub first_instance: u32,
    /// `instanceCount`.
    pub instance_count: u32,
    /// The number of the draw in a multi-draw, which the shader reads as `gl_DrawID`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub draw_index: u32,
    /// The indices, if the draw has them.
    #[cfg_attr(feature = "serde", serde(default))]
    pub indices: Option<Indices>,
}

/// The size of a work group in x if [a compute stage](super::Options::compute) captures.
pub const WORK_GROUP_SIZE: u32 = 64;

/// The maximum number of work groups per row, which is the minimum of `maxComputeWorkGroupCount` that Vulkan requires.
pub(super) const MOST_GROUPS: u32 = 65_535;

/// The maximum number of vertices of a dispatched draw, over all instances. Invocation numbers have 32 bits, and the
/// dispatch rounds the number of invocations up to complete rows.
pub(super) const MOST_VERTICES: u64 = (1 << 32) - (MOST_GROUPS * WORK_GROUP_SIZE) as u64;

/// Returns the numbers of work groups in x, y and z that contain at least `groups`, with [`MOST_GROUPS`] per row.
pub(super) fn grid(groups: u64) -> [u32; 3] {
    let rows = groups.div_ceil(MOST_GROUPS.into());
    let in_row = if rows > 1 { u64::from(MOST_GROUPS) } else { groups };
    [in_row as u32, rows as u32, 1]
}

impl Draw {
    /// Returns the number of vertices of all instances.
    pub(super) fn vertices(&self) -> u64 {
        u64::from(self.vertex_count) * u64::from(self.instance_count)
    }

    /// Returns the number of primitives of all instances.
    pub fn primitives(&self) -> u64 {
        u64::from(self.primitives_per_instance()) * u64::from(self.instance_count)
    }

    /// Returns the number of primitives of one instance.
    pub(super) fn primitives_per_instance(&self) -> u32 {
        let restarted = self.indices.and_then(|indices| indices.restarted);
        restarted.unwrap_or_else(|| self.topology.primitives(self.vertex_count))
    }
}

/// The range of a buffer that a draw captures into. Offsets, sizes and counters are in bytes and multiples of 4.
///
/// If the host parameters contain the buffers' [addresses](super::Options::params), the range starts `offset` bytes
/// after `address`, and only `size` limits it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BufferRange {
    /// The address of the buffer (`VkDeviceAddress`). Ignored if the variants use descriptors for the feedback
    /// buffers.
    #[cfg_attr(feature = "serde", serde(default))]
    pub address: u64,
    /// The offset of the range from the start of the descriptor's range, or from `address`.
    pub offset: u32,
    /// The size of the range.
    pub size: u32,
    /// The counter: the number of bytes that earlier draws have written.
    pub counter: u32,
}

impl BufferRange {
    /// An unbound buffer. Its data is not stored, and it does not limit the captures into other buffers.
    pub const UNBOUND: Self = Self { address: 0, offset: 0, size: u32::MAX, counter: 0 };
}
