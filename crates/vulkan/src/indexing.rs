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

    /// The features to enable.
    pub(crate) fn enabled(self) -> Enabled {
        let uint8 = vk::PhysicalDeviceIndexTypeUint8FeaturesEXT::default();
        let list_restart = vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT::default();
        Enabled {
            uint8: self.uint8.then(|| uint8.index_type_uint8(true)),
            list_restart: self
                .list_restart
                .then(|| list_restart.primitive_topology_list_restart(true)),
        }
    }

    /// The extensions to enable.
    pub(crate) fn extensions(self) -> impl Iterator<Item = &'static CStr> {
        let all = [
            (self.uint8, ext::index_type_uint8::NAME),
            (self.list_restart, ext::primitive_topology_list_restart::NAME),
        ];
        all.into_iter().filter(|(has, _)| *has).map(|(_, name)| name)
    }
}

pub(crate) struct Enabled {
    uint8: Option<vk::PhysicalDeviceIndexTypeUint8FeaturesEXT<'static>>,
    list_restart: Option<vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT<'static>>,
}

impl Enabled {
    /// Adds the features to the creation parameters of a device.
    pub(crate) fn join<'e>(
        &'e mut self,
        mut info: vk::DeviceCreateInfo<'e>,
    ) -> vk::DeviceCreateInfo<'e> {
        if let Some(uint8) = &mut self.uint8 {
            info = info.push_next(uint8);
        }
        if let Some(list_restart) = &mut self.list_restart {
            info = info.push_next(list_restart);
        }
        info
    }
}
