//! The features of Vulkan 1.1 to 1.3, and extensions without features. All that a device supports are enabled.

use crate::instance::Instance;
use ash::{ext, google, khr, vk};
use std::ffi::CStr;

/// The features of Vulkan 1.1 to 1.3, without `pNext` chains; none if the device is older than 1.2.
#[derive(Debug, Clone, Copy, Default)]
pub struct Features {
    /// The features of Vulkan 1.1.
    pub vulkan_1_1: vk::PhysicalDeviceVulkan11Features<'static>,
    /// The features of Vulkan 1.2.
    pub vulkan_1_2: vk::PhysicalDeviceVulkan12Features<'static>,
    /// The features of Vulkan 1.3, except `robust_image_access`, which is never enabled; none on a Vulkan 1.2 device.
    pub vulkan_1_3: vk::PhysicalDeviceVulkan13Features<'static>,
}

/// The properties that decide, in addition to features, whether a device can run a module, without `pNext` chains; none
/// if the device is older than 1.2.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Properties {
    pub(crate) vulkan_1_1: vk::PhysicalDeviceVulkan11Properties<'static>,
    pub(crate) vulkan_1_2: vk::PhysicalDeviceVulkan12Properties<'static>,
}

/// Extensions for shaders without feature structures. They are enabled if the device supports them.
const PLAIN_EXTENSIONS: &[&CStr] = &[
    ext::shader_stencil_export::NAME,
    ext::shader_subgroup_ballot::NAME,
    ext::shader_subgroup_vote::NAME,
    ext::shader_viewport_index_layer::NAME,
    google::decorate_string::NAME,
    google::hlsl_functionality1::NAME,
    google::user_type::NAME,
    khr::shader_non_semantic_info::NAME,
];

/// Whether a device supports at least this Vulkan version. Both versions are packed in Vulkan's format.
pub(crate) fn is_at_least(device: u32, version: u32) -> bool {
    let without_patch =
        |version: u32| (vk::api_version_major(version), vk::api_version_minor(version));
    without_patch(device) >= without_patch(version)
}

pub(crate) fn plain_extensions(has: impl Fn(&CStr) -> bool) -> Vec<&'static CStr> {
    PLAIN_EXTENSIONS.iter().copied().filter(|name| has(name)).collect()
}

pub(crate) fn query(instance: &Instance, device: vk::PhysicalDevice, version: u32) -> Features {
    if !is_at_least(version, vk::API_VERSION_1_2) {
        return Features::default();
    }
    let mut found = Features {
        vulkan_1_1: instance.features(device),
        vulkan_1_2: instance.features(device),
        ..Features::default()
    };
    if is_at_least(version, vk::API_VERSION_1_3) {
        found.vulkan_1_3 = instance.features(device);
    }
    // This feature would hide out-of-bounds accesses.
    found.vulkan_1_3.robust_image_access = vk::FALSE;
    found
}

pub(crate) fn query_properties(
    instance: &Instance,
    device: vk::PhysicalDevice,
    version: u32,
) -> Properties {
    if !is_at_least(version, vk::API_VERSION_1_2) {
        return Properties::default();
    }
    Properties { vulkan_1_1: instance.properties(device), vulkan_1_2: instance.properties(device) }
}
