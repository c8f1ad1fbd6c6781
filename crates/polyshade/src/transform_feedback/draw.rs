//! The parameters of a draw, and the buffer ranges that it captures into.

use super::indices::Indices;
use super::topology::Topology;

/// The provoking vertex of a primitive: by default the first in Vulkan, the last in OpenGL.
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
    /// Determines which vertex of a primitive is stored first.
    pub provoking_vertex: ProvokingVertex,
    /// `firstVertex`, or `firstIndex` for a draw with indices.
    pub first_vertex: u32,
    /// `vertexCount` of each instance, or `indexCount` for a draw with indices.
    pub vertex_count: u32,
    /// `firstInstance`.
    pub first_instance: u32,
    /// `instanceCount`.
    pub instance_count: u32,
    /// The value that the shader reads as `gl_DrawID`: the number of the draw in a multi-draw.
    #[cfg_attr(feature = "serde", serde(default))]
    pub draw_index: u32,
    /// The indices, if the draw has them.
    #[cfg_attr(feature = "serde", serde(default))]
    pub indices: Option<Indices>,
}

/// The size of a work group in x if [a compute stage](super::Options::compute) captures.
pub const WORK_GROUP_SIZE: u32 = 64;

/// The work groups of a row: every device has at least this `maxComputeWorkGroupCount`.
pub(super) const MOST_GROUPS: u32 = 65_535;

/// The most vertices of a dispatched draw, over all instances. Invocation numbers have 32 bits, and the last row of
/// work groups is always complete.
pub(super) const MOST_VERTICES: u64 = (1 << 32) - (MOST_GROUPS * WORK_GROUP_SIZE) as u64;

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

/// The range of a buffer that a draw captures into. All sizes are in bytes, multiples of 4.
///
/// If the variants find their buffers by [address](super::Options::params), `offset` counts from `address`, and only
/// `size` limits the range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BufferRange {
    /// The address of the buffer (`VkDeviceAddress`); ignored if the buffer is bound.
    #[cfg_attr(feature = "serde", serde(default))]
    pub address: u64,
    /// The start of the range in the bound buffer range.
    pub offset: u32,
    /// The size of the range.
    pub size: u32,
    /// The number of bytes that earlier draws have filled: the counter.
    pub reached: u32,
}

impl BufferRange {
    /// An unbound buffer: its data is not stored, and it does not limit the other buffers.
    pub const UNBOUND: Self = Self { address: 0, offset: 0, size: u32::MAX, reached: 0 };
}
