//! The layout of tessellated patches, and the sizes of buffers and dispatches.

mod modes;

use super::draw::{Draw, MOST_GROUPS, grid};
use super::spilled_output::SpilledOutput;
use super::topology::Topology;
use crate::code;
pub(super) use modes::{
    Domain, Modes, Spacing, TESSELLATION_MODES, check_output_vertices, output_vertices,
};
use polyshade_spv::Error;

/// The number of 32-bit values at the start of a patch: four outer and two inner levels.
pub(super) const LEVELS: u32 = 6;

/// The number of bytes at the start of the table.
const HEAD: u64 = 64;

/// The number of the 32-bit value in the table that counts the patches of an instance.
pub(super) const PER_INSTANCE: u32 = 8;

/// The size of a point in bytes: two coordinates and the number of the patch.
pub(super) const POINT: u32 = 12;

/// The largest level of any device (`maxTessellationGenerationLevel`).
const MOST: u32 = 64;

/// The layout of patches, and the properties of the tessellator.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Patches {
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
    /// Whether the origin of the domain is at the lower left.
    pub(super) lower_left: bool,
}

impl Patches {
    pub(super) fn stride(&self) -> u32 {
        self.patch_bytes.saturating_add(self.vertices.saturating_mul(self.vertex_bytes))
    }

    /// Returns the topology of the evaluated primitives: a list. `None` if no stage has stated the domain yet.
    pub(super) fn topology(&self) -> Option<Topology> {
        self.modes.domain.map(|_| self.modes.topology())
    }

    /// Returns the numbers of work groups, one for each patch.
    pub(super) fn work_groups(&self, draw: &Draw) -> Result<[u32; 3], Error> {
        let (patches, most) = (self.count(draw), u64::from(MOST_GROUPS));
        if patches > most * most {
            let message =
                format!("cannot number {patches} patches: the maximum is {}", most * most);
            return Err(Error::new(&code::CAPTURE_DRAW_TOO_LARGE, message));
        }
        Ok(grid(patches))
    }

    pub(super) fn sizes(&self, draw: &Draw, level: f32) -> [u64; 4] {
        let patches = self.count(draw);
        let n = u64::from(self.segments(level));
        let (points, primitives) = match self.modes.domain {
            Some(Domain::Isolines) => (n * (n + 1), n * n),
            Some(Domain::Triangles) => (3 * n + 3 * n * n / 4 + 1, 3 * n * n / 2 + 1),
            Some(Domain::Quads) | None => ((n + 1) * (n + 1), 2 * n * n),
        };
        let each = u64::from(self.modes.topology().vertices_per_primitive());
        let indices = if self.modes.points { points } else { primitives * each };
        let table = patches.saturating_add(65).saturating_mul(8).saturating_add(HEAD);
        let all = |bytes: u64| patches.saturating_mul(bytes);
        [all(self.stride().into()), table, all(u64::from(POINT) * points), all(4 * indices)]
    }

    /// Returns the number of patches of all instances.
    fn count(&self, draw: &Draw) -> u64 {
        u64::from(draw.vertex_count / self.input_vertices.max(1)) * u64::from(draw.instance_count)
    }

    /// Returns the largest number of segments of an edge with this level. Inner levels of 1 may become 3.
    fn segments(&self, level: f32) -> u32 {
        let most = MOST as f32;
        let level = if level.is_nan() { most } else { level.clamp(1.0, most).ceil() };
        let level = (level as u32).max(2);
        let segments = match self.modes.spacing {
            Some(Spacing::FractionalEven) => level.next_multiple_of(2),
            Some(Spacing::FractionalOdd) => level | 1,
            Some(Spacing::Equal) | None => level,
        };
        segments.min(MOST)
    }
}
