//! The parts of layouts that concern tessellation.

use crate::transform_feedback::{Draw, Layout};

/// Layouts of [tessellation stages](crate::transform_feedback::tessellation).
impl Layout {
    /// The offset in bytes, in the table of a tessellation, of the `VkDispatchIndirectCommand` of a compute stage with
    /// one invocation for each index, in work groups of
    /// [`WORK_GROUP_SIZE`](crate::transform_feedback::WORK_GROUP_SIZE).
    pub const DISPATCH_OFFSET: u32 = 20;
    /// The offset in bytes, in the table of a tessellation, of the numbers of points and of indices that the draw
    /// needs: two 32-bit integers, 2³² − 1 at most.
    pub const NEEDED_OFFSET: u32 = 36;

    /// Puts the origin of the domain of patches at the lower left, as in OpenGL
    /// (`VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT`), which reverses triangles. The default is the upper left. Only
    /// [`tessellate`](super::tessellate) reads it, from the layout that it is given.
    #[must_use]
    pub fn lower_left_origin(mut self) -> Self {
        if let Some(patches) = &mut self.tessellation {
            patches.lower_left = true;
        }
        self
    }

    /// Returns the size in bytes of a patch; 0 without tessellation.
    pub fn patch_stride(&self) -> u32 {
        self.tessellation.as_ref().map_or(0, |patches| patches.stride())
    }

    /// Returns the sizes in bytes of the buffers for a draw with this layout of an
    /// [evaluation](super::evaluation) stage, if no level of a patch exceeds `level`,
    /// which has 64 as its maximum: patches; table (64, and 8 for each patch and for 65 more); points (12 for each);
    /// indices (4 for each). With smaller buffers for points and indices, the draw has fewer patches. The sizes are 0
    /// without tessellation.
    pub fn tessellation_sizes(&self, draw: &Draw, level: f32) -> [u64; 4] {
        self.tessellation.as_ref().map_or([0; 4], |patches| patches.sizes(draw, level))
    }
}
