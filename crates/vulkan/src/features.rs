//! The features of Vulkan's versions and the extensions beside them: what a device has is what is enabled.

use crate::error::{Context, Error};
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
    let mut found = Features::default();
    if !is_at_least(version, vk::API_VERSION_1_2) {
        return found;
    }
    let Features { vulkan_1_1, vulkan_1_2, vulkan_1_3 } = &mut found;
    let mut all =
        vk::PhysicalDeviceFeatures2::default().push_next(vulkan_1_1).push_next(vulkan_1_2);
    if is_at_least(version, vk::API_VERSION_1_3) {
        all = all.push_next(vulkan_1_3);
    }
    // SAFETY: the device belongs to the instance and knows the structures of its version.
    unsafe { instance.handle.get_physical_device_features2(device, &mut all) };
    found.unchain();
    // It would hide accesses out of bounds.
    found.vulkan_1_3.robust_image_access = vk::FALSE;
    found
}

impl Features {
    /// Takes the structures out of the chain that a query made of them.
    fn unchain(&mut self) {
        self.vulkan_1_1.p_next = std::ptr::null_mut();
        self.vulkan_1_2.p_next = std::ptr::null_mut();
        self.vulkan_1_3.p_next = std::ptr::null_mut();
    }
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
    let mut vulkan_1_1 = vk::PhysicalDeviceVulkan11Properties::default();
    let mut has = vk::PhysicalDeviceVulkan12Properties::default();
    let mut all =
        vk::PhysicalDeviceProperties2::default().push_next(&mut vulkan_1_1).push_next(&mut has);
    // SAFETY: the device belongs to the instance and knows the structures of its version.
    unsafe { instance.handle.get_physical_device_properties2(device, &mut all) };
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

/// Creates the logical device, with everything enabled that it is capable of.
pub(crate) fn create_device(
    instance: &Instance,
    physical: vk::PhysicalDevice,
    queue_family: u32,
    capabilities: &crate::Capabilities,
) -> Result<ash::Device, Error> {
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(queue_family)
        .queue_priorities(&[1.0])];
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_features(&capabilities.features);

    let Features { mut vulkan_1_1, mut vulkan_1_2, mut vulkan_1_3 } = capabilities.newer_features;
    if is_at_least(capabilities.api_version, vk::API_VERSION_1_2) {
        info = info.push_next(&mut vulkan_1_1).push_next(&mut vulkan_1_2);
    }
    if is_at_least(capabilities.api_version, vk::API_VERSION_1_3) {
        info = info.push_next(&mut vulkan_1_3);
    }

    let mut extensions =
        capabilities.extensions.iter().map(|name| name.as_ptr()).collect::<Vec<_>>();
    let mut transform_feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default();
    if let Some(has) = capabilities.transform_feedback {
        transform_feedback =
            transform_feedback.transform_feedback(true).geometry_streams(has.geometry_streams);
        info = info.push_next(&mut transform_feedback);
        extensions.push(ext::transform_feedback::NAME.as_ptr());
    }
    let mut provoking_vertex = vk::PhysicalDeviceProvokingVertexFeaturesEXT::default();
    if let Some(has) = capabilities.provoking_vertex {
        provoking_vertex = provoking_vertex
            .provoking_vertex_last(has.last)
            .transform_feedback_preserves_provoking_vertex(has.preserved_by_capture);
        info = info.push_next(&mut provoking_vertex);
        extensions.push(ext::provoking_vertex::NAME.as_ptr());
    }

    let mut generated = vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT::default();
    if let Some(has) = capabilities.primitives_generated {
        generated = generated
            .primitives_generated_query(true)
            .primitives_generated_query_with_rasterizer_discard(has.with_discard)
            .primitives_generated_query_with_non_zero_streams(has.with_streams);
        info = info.push_next(&mut generated);
        extensions.push(ext::primitives_generated_query::NAME.as_ptr());
    }

    let mut advanced_blend = vk::PhysicalDeviceBlendOperationAdvancedFeaturesEXT::default();
    if let Some(has) = capabilities.advanced_blend {
        advanced_blend = advanced_blend.advanced_blend_coherent_operations(has.coherent);
        info = info.push_next(&mut advanced_blend);
        extensions.push(ext::blend_operation_advanced::NAME.as_ptr());
    }

    let reads = capabilities.target_reads;
    let mut local = vk::PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR::default()
        .dynamic_rendering_local_read(reads.local);
    let mut ordered = vk::PhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT::default()
        .rasterization_order_color_attachment_access(reads.ordered);
    if reads.local {
        info = info.push_next(&mut local);
    }
    if reads.ordered {
        info = info.push_next(&mut ordered);
    }
    extensions.extend(reads.extensions().map(CStr::as_ptr));

    let info = info.enabled_extension_names(&extensions);
    // SAFETY: what is enabled was found, and what `info` points to lives until the end of this function.
    unsafe { instance.handle.create_device(physical, &info, None) }.call("vkCreateDevice")
}
