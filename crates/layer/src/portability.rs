//! Hides the features that portability drivers such as those on Metal lack, for testing applications on any driver.
//!
//! The layer does not reject applications that use these features anyway. A validation layer above it can do so.

use crate::pnext::find;
use ash::vk::{self, FALSE, TRUE};
use std::ffi::{CStr, c_void};

/// The extension that every portability device has.
pub(crate) const NAME: &CStr = ash::khr::portability_subset::NAME;

/// The number of attributes and bindings that every Vulkan device supports. Metal has 31 buffer indices.
const MOST_INPUTS: u32 = 16;

/// The required alignment of strides in bytes, as on Metal.
const STRIDES: u32 = 4;

/// The numbers of storage buffers and samplers per stage on Metal without argument buffers. Storage buffers use the
/// buffer indices that other buffers leave free; 16 is Metal's limit for samplers.
const MOST_STORAGE_BUFFERS: u32 = 16;
const MOST_SAMPLERS: u32 = 16;

/// Reduces the limits of a device to these values.
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

/// Fills in the portability features. Triangle fans, attribute access beyond the stride, point polygons, isolines,
/// tessellation point mode, mip LOD bias of samplers, and 2D views of 3D images are not supported.
///
/// # Safety
///
/// The chain belongs to a `VkPhysicalDeviceFeatures2`, and may be written.
pub(crate) unsafe fn say_features(chain: *const c_void) {
    // SAFETY: guaranteed by the caller.
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

/// Fills in the portability properties.
///
/// # Safety
///
/// The chain belongs to a `VkPhysicalDeviceProperties2`, and may be written.
pub(crate) unsafe fn say_properties(chain: *const c_void) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if let Some(found) = find::<vk::PhysicalDevicePortabilitySubsetPropertiesKHR<'_>>(chain) {
            (*found).min_vertex_input_binding_stride_alignment = STRIDES;
        }
    }
}
