//! A device's support for index features beyond Vulkan 1.0.

use crate::instance::Instance;
use ash::{ext, vk};
use std::ffi::CStr;

/// A device's support for index features beyond Vulkan 1.0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Indexing {
    /// Indices of 8 bits (`VK_EXT_index_type_uint8`).
    pub uint8: bool,
    /// Primitive restart in lists (`VK_EXT_primitive_topology_list_restart`).
    pub list_restart: bool,
}

impl Indexing {
    pub(crate) fn query(
        instance: &Instance,
        device: vk::PhysicalDevice,
        has: impl Fn(&CStr) -> bool,
    ) -> Self {
        let uint8 = has(ext::index_type_uint8::NAME) && {
            let features: vk::PhysicalDeviceIndexTypeUint8FeaturesEXT<'_> =
                instance.features(device);
            features.index_type_uint8 == vk::TRUE
        };
        let list_restart = has(ext::primitive_topology_list_restart::NAME) && {
            let features: vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT<'_> =
                instance.features(device);
            features.primitive_topology_list_restart == vk::TRUE
        };
        Self { uint8, list_restart }
    }
}
