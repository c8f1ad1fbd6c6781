//! The depth test, as plain data.

use ash::vk;

/// The depth test of one draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DepthTest {
    /// The index of the depth target, of format `D16_UNORM` or `D32_SFLOAT` and as large as the draw's other targets.
    pub target: usize,
    /// The comparison between a fragment's depth and the stored depth.
    pub compare: vk::CompareOp,
    /// Whether the depth of a fragment that passes is stored.
    pub write: bool,
}

impl DepthTest {
    /// Returns a test that nearer fragments pass, and that stores their depth.
    pub const fn nearest(target: usize) -> DepthTest {
        DepthTest { target, compare: vk::CompareOp::LESS, write: true }
    }

    /// Returns a test that passes if the fragment's depth equals the stored depth bit for bit.
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
