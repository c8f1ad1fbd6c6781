//! How shaders read the targets that they draw to: features beyond Vulkan 1.0 that destination reads require.

use crate::error::Error;
use crate::instance::Instance;
use ash::{ext, khr, vk};
use std::ffi::CStr;

/// The first version of the validation layer that supports `VK_KHR_dynamic_rendering_local_read`.
const FIRST_WITH_LOCAL_READ: u32 = vk::make_api_version(0, 1, 3, 276);

/// The extensions for reading targets as input attachments, which a draw uses or a device supports.
///
/// Without these extensions, a draw is in a render pass whose subpass has a self-dependency, and a fragment may not
/// see the results of previous fragments of the same draw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TargetReads {
    /// Targets are read in dynamic rendering, with `VK_KHR_dynamic_rendering_local_read`.
    pub local: bool,
    /// Fragments read in order, with flags of `VK_EXT_rasterization_order_attachment_access` on pipeline and subpass.
    pub ordered: bool,
}

impl TargetReads {
    /// Queries a device. A validation layer that is too old for an extension would report its use, so the extension
    /// then counts as missing.
    pub(crate) fn query(
        instance: &Instance,
        device: vk::PhysicalDevice,
        has_rendering: bool,
        has: impl Fn(&CStr) -> bool,
    ) -> TargetReads {
        use vk::PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR as Local;
        use vk::PhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT as Ordered;
        let layer = instance.layer.as_ref();
        let is_known = layer.is_none_or(|layer| layer.spec_version >= FIRST_WITH_LOCAL_READ);
        let has_local = has_rendering && is_known && has(khr::dynamic_rendering_local_read::NAME);
        let local = || instance.features::<Local<'_>>(device).dynamic_rendering_local_read;
        let has_ordered = has(ext::rasterization_order_attachment_access::NAME);
        let ordered =
            || instance.features::<Ordered<'_>>(device).rasterization_order_color_attachment_access;
        TargetReads {
            local: has_local && local() == vk::TRUE,
            ordered: has_ordered && ordered() == vk::TRUE,
        }
    }

    /// Rejects reads of a draw that the device does not support.
    pub(crate) fn check(self, wanted: TargetReads) -> Result<(), Error> {
        if wanted.local && !self.local {
            return Err(Error::Missing("dynamic rendering local read"));
        }
        if wanted.ordered && !self.ordered {
            return Err(Error::Missing("rasterization order attachment access"));
        }
        Ok(())
    }

    pub(crate) fn subpass(self) -> vk::SubpassDescriptionFlags {
        match self.ordered {
            true => vk::SubpassDescriptionFlags::RASTERIZATION_ORDER_ATTACHMENT_COLOR_ACCESS_EXT,
            false => vk::SubpassDescriptionFlags::empty(),
        }
    }

    pub(crate) fn pipeline(self) -> vk::PipelineColorBlendStateCreateFlags {
        match self.ordered {
            true => {
                vk::PipelineColorBlendStateCreateFlags::RASTERIZATION_ORDER_ATTACHMENT_ACCESS_EXT
            }
            false => vk::PipelineColorBlendStateCreateFlags::empty(),
        }
    }
}
