//! What portability drivers lack, such as those above Metal, taken from any driver, to see what applications do then.
//!
//! Nothing is refused that an application does all the same: validation layers above say that.

use crate::pnext::find;
use ash::vk::{self, FALSE, TRUE};
use std::ffi::{CStr, c_void};

/// The extension by which a device says that it is one.
pub(crate) const NAME: &CStr = ash::khr::portability_subset::NAME;

/// The attributes and bindings that every device of Vulkan has, of Metal's 31 places for buffers.
const MOST_INPUTS: u32 = 16;

/// What strides are multiples of, as Metal's are.
const STRIDES: u32 = 4;

/// The descriptors of one kind that a stage of Metal's has, without argument buffers: of storage buffers those places
/// that the rest leaves, of textures and samplers all.
const MOST_STORAGE_BUFFERS: u32 = 16;
const MOST_SAMPLERS: u32 = 16;

/// Has a device have no more than that.
pub(crate) fn narrow(limits: &mut vk::PhysicalDeviceLimits) {
    for (limit, most) in [
        (&mut limits.max_vertex_input_attributes, MOST_INPUTS),
        (&mut limits.max_vertex_input_bindings, MOST_INPUTS),
        (&mut limits.max_per_stage_descriptor_storage_buffers, MOST_STORAGE_BUFFERS),
        (&mut limits.max_per_stage_descriptor_samplers, MOST_SAMPLERS),
    ] {
        *limit = most.min(*limit);
    }
}

/// Says what is there: not fans, attributes across strides, polygons as points, isolines, tessellation to points,
/// biased levels of detail, and views of slices.
///
/// # Safety
///
/// The chain is one of `VkPhysicalDeviceFeatures2`, and may be written.
pub(crate) unsafe fn say_features(chain: *const c_void) {
    // SAFETY: the caller's promise.
    let found = unsafe { find::<vk::PhysicalDevicePortabilitySubsetFeaturesKHR<'_>>(chain) };
    let Some(found) = found else { return };
    // SAFETY: as above.
    let features = unsafe { &mut *found };
    features.constant_alpha_color_blend_factors = TRUE;
    features.events = TRUE;
    features.image_view_format_reinterpretation = TRUE;
    features.image_view_format_swizzle = TRUE;
    features.image_view2_d_on3_d_image = FALSE;
    features.multisample_array_image = TRUE;
    features.mutable_comparison_samplers = TRUE;
    features.point_polygons = FALSE;
    features.sampler_mip_lod_bias = FALSE;
    features.separate_stencil_mask_ref = TRUE;
    features.shader_sample_rate_interpolation_functions = TRUE;
    features.tessellation_isolines = FALSE;
    features.tessellation_point_mode = FALSE;
    features.triangle_fans = FALSE;
    features.vertex_attribute_access_beyond_stride = FALSE;
}

/// The same of properties.
///
/// # Safety
///
/// The chain is one of `VkPhysicalDeviceProperties2`, and may be written.
pub(crate) unsafe fn say_properties(chain: *const c_void) {
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(found) = find::<vk::PhysicalDevicePortabilitySubsetPropertiesKHR<'_>>(chain) {
            (*found).min_vertex_input_binding_stride_alignment = STRIDES;
        }
    }
}
