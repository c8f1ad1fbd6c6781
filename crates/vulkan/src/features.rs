//! The features of Vulkan 1.1 to 1.3, and the extensions without features: all that a device has are enabled.

use crate::instance::Instance;
use ash::{ext, google, khr, vk};
use std::ffi::CStr;

/// The features of Vulkan 1.1 to 1.3; none where the device is older than 1.2.
///
/// Ash's structures are used without anything chained to them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Features {
    /// Those of Vulkan 1.1.
    pub vulkan_1_1: vk::PhysicalDeviceVulkan11Features<'static>,
    /// Those of Vulkan 1.2.
    pub vulkan_1_2: vk::PhysicalDeviceVulkan12Features<'static>,
    /// Those of Vulkan 1.3, but for `robust_image_access`, which is never enabled; none where the device is 1.2.
    pub vulkan_1_3: vk::PhysicalDeviceVulkan13Features<'static>,
}

/// The properties that say whether a device runs a module, beside its features.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Properties {
    /// The stages in which there are subgroup operations, and which.
    pub(crate) subgroup_stages: vk::ShaderStageFlags,
    pub(crate) subgroup_operations: vk::SubgroupFeatureFlags,
    /// Which of SPIR-V's modes of floating-point arithmetic there are.
    pub(crate) float_controls: FloatControls,
}

/// Which modes of floating-point arithmetic can be asked for: of 16, 32 and 64 bits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FloatControls {
    pub(crate) denorm_preserve: [bool; 3],
    pub(crate) denorm_flush_to_zero: [bool; 3],
    pub(crate) signed_zero_inf_nan_preserve: [bool; 3],
    pub(crate) rounding_mode_rte: [bool; 3],
    pub(crate) rounding_mode_rtz: [bool; 3],
}

/// Extensions that give shaders something and have no features of their own: they are enabled where they are.
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

/// Whether a device has at least this version of Vulkan; both as Vulkan packs them.
pub(crate) fn is_at_least(device: u32, version: u32) -> bool {
    vk::api_version_major(device) > vk::api_version_major(version)
        || vk::api_version_major(device) == vk::api_version_major(version)
            && vk::api_version_minor(device) >= vk::api_version_minor(version)
}

/// The plain extensions that a device has.
pub(crate) fn plain_extensions(has: impl Fn(&CStr) -> bool) -> Vec<&'static CStr> {
    PLAIN_EXTENSIONS.iter().copied().filter(|name| has(name)).collect()
}

/// Asks a device for the features of Vulkan 1.1 to 1.3.
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
    // It would hide accesses out of bounds.
    found.vulkan_1_3.robust_image_access = vk::FALSE;
    found
}

/// Asks a device for its properties.
pub(crate) fn query_properties(
    instance: &Instance,
    device: vk::PhysicalDevice,
    version: u32,
) -> Properties {
    if !is_at_least(version, vk::API_VERSION_1_2) {
        return Properties::default();
    }
    let vulkan_1_1: vk::PhysicalDeviceVulkan11Properties<'_> = instance.properties(device);
    let has: vk::PhysicalDeviceVulkan12Properties<'_> = instance.properties(device);
    let flags = |widths: [vk::Bool32; 3]| widths.map(|width| width == vk::TRUE);
    Properties {
        subgroup_stages: vulkan_1_1.subgroup_supported_stages,
        subgroup_operations: vulkan_1_1.subgroup_supported_operations,
        float_controls: FloatControls {
            denorm_preserve: flags([
                has.shader_denorm_preserve_float16,
                has.shader_denorm_preserve_float32,
                has.shader_denorm_preserve_float64,
            ]),
            denorm_flush_to_zero: flags([
                has.shader_denorm_flush_to_zero_float16,
                has.shader_denorm_flush_to_zero_float32,
                has.shader_denorm_flush_to_zero_float64,
            ]),
            signed_zero_inf_nan_preserve: flags([
                has.shader_signed_zero_inf_nan_preserve_float16,
                has.shader_signed_zero_inf_nan_preserve_float32,
                has.shader_signed_zero_inf_nan_preserve_float64,
            ]),
            rounding_mode_rte: flags([
                has.shader_rounding_mode_rte_float16,
                has.shader_rounding_mode_rte_float32,
                has.shader_rounding_mode_rte_float64,
            ]),
            rounding_mode_rtz: flags([
                has.shader_rounding_mode_rtz_float16,
                has.shader_rounding_mode_rtz_float32,
                has.shader_rounding_mode_rtz_float64,
            ]),
        },
    }
}
