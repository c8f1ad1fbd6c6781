//! The layout of patches, and the sizes of buffers and dispatches.

use super::modes::{Domain, Modes, Spacing};
use crate::code;
use crate::transform_feedback::Topology;
use crate::transform_feedback::draw::MOST_GROUPS;
use crate::transform_feedback::spilled_output::SpilledOutput;
use polyshade_spv::Error;

/// The number of 32-bit values at the start of a patch: four outer and two inner levels.
pub(super) const LEVELS: u32 = 6;

/// The number of bytes at the start of the table.
const HEAD: u64 = 64;

/// The number of the 32-bit value in the table that counts the patches of an instance.
pub(super) const PER_INSTANCE: u32 = 8;

/// The largest level of any device (`maxTessellationGenerationLevel`).
const MOST: u32 = 64;

/// The layout of patches, and the properties of the tessellator.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Layout {
    /// The number of input vertices of a patch.
    pub(super) input_vertices: u32,
    /// The size in bytes of an input vertex.
    pub(super) input_stride: u32,
    /// The number of output vertices of a patch.
    pub(super) vertices: u32,
    /// The size in bytes of the outputs of a patch, including the levels.
    pub(super) patch_bytes: u32,
    /// The size in bytes of the outputs of a vertex.
    pub(super) vertex_bytes: u32,
    /// The outputs of a patch and of a vertex. Offsets start at the patch and at the vertex.
    pub(super) of_patch: Vec<SpilledOutput>,
    pub(super) of_vertex: Vec<SpilledOutput>,
    pub(super) modes: Modes,
}

/// The sizes in bytes of the buffers for a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sizes {
    /// The patches.
    pub patches: u64,
    /// The table: 64, and 8 for each patch and for 65 more.
    pub table: u64,
    /// The points: 12 for each.
    pub points: u64,
    /// The indices: 4 for each.
    pub indices: u64,
}

impl Layout {
    /// The offset in bytes, in the table, of the `VkDispatchIndirectCommand` of a compute stage with one invocation
    /// for each index, in work groups of [`WORK_GROUP_SIZE`](crate::transform_feedback::WORK_GROUP_SIZE).
    pub const DISPATCH_OFFSET: u32 = 20;
    /// The offset in bytes, in the table, of the numbers of points and of indices that the draw needs: two 32-bit
    /// integers, 2³² − 1 at most.
    pub const NEEDED_OFFSET: u32 = 36;

    /// Returns the topology of the draw with the [evaluation](super::evaluation) stage: a list. Only points if the
    /// layout is of a [control](super::control) stage that does not state the domain.
    pub fn topology(&self) -> Topology {
        self.modes.topology()
    }

    /// Returns the size in bytes of a patch.
    pub fn patch_stride(&self) -> u32 {
        self.patch_bytes + self.vertices * self.vertex_bytes
    }

    /// Returns the host parameters for a draw of this many vertices and instances.
    pub fn host_params(&self, vertices: u32, instances: u32) -> Vec<u32> {
        vec![vertices, instances]
    }

    /// Returns the numbers of work groups in x, y and z for [`control`](super::control) and
    /// [`tessellate`](super::tessellate), one work group for each patch. If any number is 0, there is no patch.
    ///
    /// # Errors
    ///
    /// `Options`: more than 65,535² patches.
    pub fn work_groups(&self, vertices: u32, instances: u32) -> Result<[u32; 3], Error> {
        let (patches, most) = (self.patches(vertices, instances), u64::from(MOST_GROUPS));
        if patches > most * most {
            let message =
                format!("cannot number {patches} patches: the maximum is {}", most * most);
            return Err(Error::new(&code::CAPTURE_DRAW_TOO_LARGE, message));
        }
        let rows = patches.div_ceil(most);
        Ok([patches.min(most) as u32, rows as u32, 1])
    }

    /// Returns the sizes of the buffers for a draw of this many vertices and instances, if no level of a patch exceeds
    /// `level`, which has 64 as its maximum. With smaller buffers for points and indices, the draw has fewer patches.
    pub fn sizes(&self, vertices: u32, instances: u32, level: f32) -> Sizes {
        let patches = self.patches(vertices, instances);
        let n = u64::from(self.segments(level));
        let (points, primitives) = match self.modes.domain {
            Some(Domain::Isolines) => (n * (n + 1), n * n),
            Some(Domain::Triangles) => (3 * n + 3 * n * n / 4 + 1, 3 * n * n / 2 + 1),
            Some(Domain::Quads) | None => ((n + 1) * (n + 1), 2 * n * n),
        };
        let each = u64::from(self.topology().vertices_per_primitive());
        let indices = if self.modes.points { points } else { primitives * each };
        Sizes {
            patches: patches.saturating_mul(self.patch_stride().into()),
            table: HEAD + 8 * (patches + 65),
            points: 12 * patches.saturating_mul(points),
            indices: 4 * patches.saturating_mul(indices),
        }
    }

    /// Returns the number of patches of all instances.
    fn patches(&self, vertices: u32, instances: u32) -> u64 {
        u64::from(vertices / self.input_vertices.max(1)) * u64::from(instances)
    }

    /// Returns the largest number of segments of an edge with this level. Inner levels of 1 may become 3.
    fn segments(&self, level: f32) -> u32 {
        let level = (level.clamp(1.0, MOST as f32).ceil() as u32).max(2);
        let segments = match self.modes.spacing {
            Some(Spacing::FractionalEven) => level.next_multiple_of(2),
            Some(Spacing::FractionalOdd) => level | 1,
            Some(Spacing::Equal) | None => level,
        };
        segments.min(MOST)
    }
}
