//! A draw, as the application asks for it, and where it is captured.

/// The primitives that vertices are assembled to. The numbers are `VkPrimitiveTopology`'s but for the line loop, which
/// only OpenGL has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u32)]
#[allow(missing_docs)]
pub enum Topology {
    PointList = 0,
    LineList = 1,
    LineStrip = 2,
    TriangleList = 3,
    TriangleStrip = 4,
    TriangleFan = 5,
    LineLoop = 16,
}

impl Topology {
    /// All of them.
    pub(super) const ALL: [Self; 7] = [
        Self::PointList,
        Self::LineList,
        Self::LineStrip,
        Self::TriangleList,
        Self::TriangleStrip,
        Self::TriangleFan,
        Self::LineLoop,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PointList => "point list",
            Self::LineList => "line list",
            Self::LineStrip => "line strip",
            Self::TriangleList => "triangle list",
            Self::TriangleStrip => "triangle strip",
            Self::TriangleFan => "triangle fan",
            Self::LineLoop => "line loop",
        }
    }

    /// Whether no two primitives share a vertex.
    pub(super) fn is_list(self) -> bool {
        matches!(self, Self::PointList | Self::LineList | Self::TriangleList)
    }

    /// Whether it can be captured by what is drawn as it is.
    pub fn is_list_or_strip(self) -> bool {
        self.is_list() || matches!(self, Self::LineStrip | Self::TriangleStrip)
    }

    /// Vertices of a primitive.
    pub fn vertices_per_primitive(self) -> u32 {
        match self {
            Self::PointList => 1,
            Self::LineList | Self::LineStrip | Self::LineLoop => 2,
            Self::TriangleList | Self::TriangleStrip | Self::TriangleFan => 3,
        }
    }

    /// The primitives that `vertices` make; what is left over makes none.
    pub fn primitives(self, vertices: u32) -> u32 {
        match self {
            Self::PointList => vertices,
            Self::LineList => vertices / 2,
            Self::LineStrip => vertices.saturating_sub(1),
            Self::LineLoop if vertices < 2 => 0,
            Self::LineLoop => vertices,
            Self::TriangleList => vertices / 3,
            Self::TriangleStrip | Self::TriangleFan => vertices.saturating_sub(2),
        }
    }
}

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

/// A draw without indices, as the application asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Draw {
    /// Of the application: the capture pass is a point list whatever it is.
    pub topology: Topology,
    /// Decides which vertex of a primitive is stored first.
    pub provoking_vertex: ProvokingVertex,
    /// `firstVertex`.
    pub first_vertex: u32,
    /// `vertexCount`, of each instance.
    pub vertex_count: u32,
    /// `firstInstance`.
    pub first_instance: u32,
    /// `instanceCount`.
    pub instance_count: u32,
}

impl Draw {
    /// The primitives of all instances.
    pub fn primitives(&self) -> u64 {
        u64::from(self.topology.primitives(self.vertex_count)) * u64::from(self.instance_count)
    }
}

/// The range of a buffer that is captured into. All in bytes, multiples of 4.
///
/// Where the variants find their buffers by [addresses](super::Options::words), `offset` counts from `address` on, and
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
