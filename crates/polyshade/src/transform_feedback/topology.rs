//! Primitive topologies.

/// A primitive topology. The enum values are those of `VkPrimitiveTopology`, except for the line loop, which only
/// OpenGL has. Adjacent vertices are not captured.
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
    LineListWithAdjacency = 6,
    LineStripWithAdjacency = 7,
    TriangleListWithAdjacency = 8,
    TriangleStripWithAdjacency = 9,
    LineLoop = 16,
}

impl Topology {
    /// All topologies.
    pub const ALL: [Self; 11] = [
        Self::PointList,
        Self::LineList,
        Self::LineStrip,
        Self::TriangleList,
        Self::TriangleStrip,
        Self::TriangleFan,
        Self::LineListWithAdjacency,
        Self::LineStripWithAdjacency,
        Self::TriangleListWithAdjacency,
        Self::TriangleStripWithAdjacency,
        Self::LineLoop,
    ];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::PointList => "point list",
            Self::LineList => "line list",
            Self::LineStrip => "line strip",
            Self::TriangleList => "triangle list",
            Self::TriangleStrip => "triangle strip",
            Self::TriangleFan => "triangle fan",
            Self::LineListWithAdjacency => "line list with adjacency",
            Self::LineStripWithAdjacency => "line strip with adjacency",
            Self::TriangleListWithAdjacency => "triangle list with adjacency",
            Self::TriangleStripWithAdjacency => "triangle strip with adjacency",
            Self::LineLoop => "line loop",
        }
    }

    /// Returns the topology of the captured primitives.
    pub(super) fn without_adjacency(self) -> Self {
        match self {
            Self::LineListWithAdjacency => Self::LineList,
            Self::LineStripWithAdjacency => Self::LineStrip,
            Self::TriangleListWithAdjacency => Self::TriangleList,
            Self::TriangleStripWithAdjacency => Self::TriangleStrip,
            without => without,
        }
    }

    /// Whether primitives have adjacent vertices.
    pub fn has_adjacency(self) -> bool {
        self != self.without_adjacency()
    }

    /// Whether this is a list topology, in which primitives share no vertices.
    pub(super) fn is_list(self) -> bool {
        let without = self.without_adjacency();
        matches!(without, Self::PointList | Self::LineList | Self::TriangleList)
    }

    /// Whether the variant [`Both`](super::Variant::Both) can capture this topology.
    pub fn is_list_or_strip(self) -> bool {
        let without = self.without_adjacency();
        self.is_list() || matches!(without, Self::LineStrip | Self::TriangleStrip)
    }

    /// Returns the number of captured vertices per primitive.
    pub fn vertices_per_primitive(self) -> u32 {
        match self.without_adjacency() {
            Self::PointList => 1,
            Self::LineList | Self::LineStrip | Self::LineLoop => 2,
            _ => 3,
        }
    }

    /// Returns the number of complete primitives that `vertices` vertices form.
    pub fn primitives(self, vertices: u32) -> u32 {
        match self {
            Self::PointList => vertices,
            Self::LineList => vertices / 2,
            Self::LineStrip => vertices.saturating_sub(1),
            Self::LineLoop if vertices < 2 => 0,
            Self::LineLoop => vertices,
            Self::TriangleList => vertices / 3,
            Self::TriangleStrip | Self::TriangleFan => vertices.saturating_sub(2),
            Self::LineListWithAdjacency => vertices / 4,
            Self::LineStripWithAdjacency => vertices.saturating_sub(3),
            Self::TriangleListWithAdjacency => vertices / 6,
            Self::TriangleStripWithAdjacency => vertices.saturating_sub(4) / 2,
        }
    }
}
