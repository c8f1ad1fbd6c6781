//! A draw, as the application asks for it, and where it is captured.

use super::indices::Indices;
use super::topology::Topology;

/// Which vertex of a primitive is the provoking one: Vulkan's default is the first, OpenGL's the last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ProvokingVertex {
    #[default]
    First,
    Last,
}

/// A draw, as the application asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Draw {
    /// Of the application: the capture pass is a point list whatever it is.
    pub topology: Topology,
    /// Decides which vertex of a primitive is stored first.
    pub provoking_vertex: ProvokingVertex,
    /// `firstVertex`; of a draw with indices, `firstIndex`.
    pub first_vertex: u32,
    /// `vertexCount`, of each instance; of a draw with indices, `indexCount`.
    pub vertex_count: u32,
    /// `firstInstance`.
    pub first_instance: u32,
    /// `instanceCount`.
    pub instance_count: u32,
    /// The value that the shader reads as `gl_DrawID`: the number of the draw in a multi-draw.
    #[cfg_attr(feature = "serde", serde(default))]
    pub draw_index: u32,
    /// The indices, where the draw has some.
    #[cfg_attr(feature = "serde", serde(default))]
    pub indices: Option<Indices>,
}

/// The invocations of a work group, in x, where [a compute stage](super::Options::compute) captures.
pub const WORK_GROUP_SIZE: u32 = 64;

/// The work groups of a row: `maxComputeWorkGroupCount` is no less anywhere.
pub(super) const MOST_GROUPS: u32 = 65_535;

/// The most vertices of a draw that is dispatched, over all its instances: the number of an invocation has 32 bits, and
/// the last row of work groups is a whole one.
pub(super) const MOST_VERTICES: u64 = (1 << 32) - (MOST_GROUPS * WORK_GROUP_SIZE) as u64;

impl Draw {
    /// The vertices of all instances.
    pub(super) fn vertices(&self) -> u64 {
        u64::from(self.vertex_count) * u64::from(self.instance_count)
    }

    /// The primitives of all instances.
    pub fn primitives(&self) -> u64 {
        u64::from(self.primitives_per_instance()) * u64::from(self.instance_count)
    }

    /// The primitives of one instance.
    pub(super) fn primitives_per_instance(&self) -> u32 {
        let restarted = self.indices.and_then(|indices| indices.restarted);
        restarted.unwrap_or_else(|| self.topology.primitives(self.vertex_count))
    }
}

/// The range of a buffer that is captured into. All in bytes, multiples of 4.
///
/// Where the variants find their buffers by [addresses](super::Options::params), `offset` counts from `address` on, and
/// nothing but `size` says where the range ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BufferRange {
    /// The address of the buffer (`VkDeviceAddress`), where the variants find it by that; else it is not looked at.
    #[cfg_attr(feature = "serde", serde(default))]
    pub address: u64,
    /// Where the range begins in what the descriptor binds.
    pub offset: u32,
    /// How long it is.
    pub size: u32,
    /// How much of it draws before have filled: the counter.
    pub reached: u32,
}

impl BufferRange {
    /// No range: the buffer is not bound. What goes there is stored nowhere, and does not limit the others.
    pub const UNBOUND: Self = Self { address: 0, offset: 0, size: u32::MAX, reached: 0 };
}
