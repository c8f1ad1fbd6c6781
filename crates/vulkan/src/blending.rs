//! A device's support for blending, in the planner's form.

use crate::instance::Instance;
use crate::target_reads::TargetReads;
use ash::{ext, vk};
use polyshade_planner::{Blending, Interlock, NativeBlending};
use std::ffi::CStr;

/// Queries a device's support for blending. Only features of extensions that the device supports are queried.
pub(crate) fn query(
    instance: &Instance,
    device: vk::PhysicalDevice,
    (features, limits): (&vk::PhysicalDeviceFeatures, &vk::PhysicalDeviceLimits),
    reads: TargetReads,
    has: impl Fn(&CStr) -> bool,
) -> Blending {
    let flag = |value: vk::Bool32| value == vk::TRUE;
    let second = flag(features.dual_src_blend);
    Blending {
        native: has(ext::blend_operation_advanced::NAME).then(|| {
            let dynamic = has(ext::extended_dynamic_state3::NAME);
            native(instance, device, dynamic)
        }),
        ordered_attachments: reads.ordered,
        framebuffer_fetch: false,
        tile_images: has(ext::shader_tile_image::NAME) && {
            let has: vk::PhysicalDeviceShaderTileImageFeaturesEXT<'_> = instance.features(device);
            flag(has.shader_tile_image_color_read_access)
        },
        interlock: interlock(instance, device, features, &has),
        local_read: reads.local,
        // Only Vulkan 1.4 reports this separately. Earlier versions support local reads of all attachments or of none.
        local_read_multisampled: reads.local,
        sample_shading: flag(features.sample_rate_shading),
        independent_blend: flag(features.independent_blend),
        logic_operations: flag(features.logic_op),
        second_source_attachments: if second {
            limits.max_fragment_dual_src_attachments
        } else {
            0
        },
        max_attachments: limits.max_color_attachments,
        max_input_attachments: limits.max_per_stage_descriptor_input_attachments,
    }
}

fn native(instance: &Instance, device: vk::PhysicalDevice, dynamic: bool) -> NativeBlending {
    let has: vk::PhysicalDeviceBlendOperationAdvancedFeaturesEXT<'_> = instance.features(device);
    let state: vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT<'_> =
        if dynamic { instance.features(device) } else { Default::default() };
    let limits: vk::PhysicalDeviceBlendOperationAdvancedPropertiesEXT<'_> =
        instance.properties(device);
    let flag = |value: vk::Bool32| value == vk::TRUE;
    NativeBlending {
        coherent: flag(has.advanced_blend_coherent_operations),
        max_attachments: limits.advanced_blend_max_color_attachments,
        independent: flag(limits.advanced_blend_independent_blend),
        straight_source: flag(limits.advanced_blend_non_premultiplied_src_color),
        straight_destination: flag(limits.advanced_blend_non_premultiplied_dst_color),
        correlated_overlap: flag(limits.advanced_blend_correlated_overlap),
        all_operations: flag(limits.advanced_blend_all_operations),
        clamped_results: flag(state.extended_dynamic_state3_color_blend_advanced),
    }
}

fn interlock(
    instance: &Instance,
    device: vk::PhysicalDevice,
    plain: &vk::PhysicalDeviceFeatures,
    has: impl Fn(&CStr) -> bool,
) -> Option<Interlock> {
    let stores = plain.fragment_stores_and_atomics == vk::TRUE
        && plain.shader_storage_image_read_without_format == vk::TRUE
        && plain.shader_storage_image_write_without_format == vk::TRUE;
    if !stores || !has(ext::fragment_shader_interlock::NAME) {
        return None;
    }
    let found: vk::PhysicalDeviceFragmentShaderInterlockFeaturesEXT<'_> = instance.features(device);
    Some(Interlock {
        pixel: found.fragment_shader_pixel_interlock == vk::TRUE,
        sample: found.fragment_shader_sample_interlock == vk::TRUE
            && plain.shader_storage_image_multisample == vk::TRUE,
    })
}
