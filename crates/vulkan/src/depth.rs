//! The depth test, as plain data.

use ash::vk;

/// The depth test of one draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DepthTest {
    /// The index of the target that holds the depths, of format `D16_UNORM` or `D32_SFLOAT`, as large as the draw's
    /// others.
    pub target: usize,
    /// How a fragment's depth must compare with the one that is there.
    pub compare: vk::CompareOp,
    /// Whether the depth of a fragment that passes replaces the one that is there.
    pub write: bool,
}

impl DepthTest {
    /// A test that passes where a fragment is nearer, and keeps its depth.
    pub const fn nearest(target: usize) -> DepthTest {
        DepthTest { target, compare: vk::CompareOp::LESS, write: true }
    }

    /// A test that passes where a fragment's depth is the one that is there, bit for bit.
    pub const fn equal(target: usize) -> DepthTest {
        DepthTest { target, compare: vk::CompareOp::EQUAL, write: false }
    }

    pub(crate) fn state(self) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
        vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_compare_op(self.compare)
            .depth_write_enable(self.write)
    }
}
