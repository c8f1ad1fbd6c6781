//! Features of core Vulkan that the settings can hide.

use crate::names::name_of;
use crate::pnext::find;
use ash::vk::{self, Bool32, FALSE, PhysicalDeviceFeatures, TRUE};
use std::ffi::c_void;

/// A feature of core Vulkan that the settings can hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "Vulkan defines them")]
pub enum Feature {
    GeometryShader,
    TessellationShader,
    ShaderClipDistance,
    ShaderCullDistance,
}

impl Feature {
    /// All features, each with its name in Vulkan.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("geometryShader", Self::GeometryShader),
        ("tessellationShader", Self::TessellationShader),
        ("shaderClipDistance", Self::ShaderClipDistance),
        ("shaderCullDistance", Self::ShaderCullDistance),
    ];

    /// The features that the layer can provide, each with its name in Vulkan.
    pub const PROVIDED: [(&'static str, Self); 2] = [Self::NAMES[2], Self::NAMES[3]];

    fn of(self, features: &mut PhysicalDeviceFeatures) -> &mut Bool32 {
        match self {
            Self::GeometryShader => &mut features.geometry_shader,
            Self::TessellationShader => &mut features.tessellation_shader,
            Self::ShaderClipDistance => &mut features.shader_clip_distance,
            Self::ShaderCullDistance => &mut features.shader_cull_distance,
        }
    }

    pub(crate) fn hide(self, features: &mut PhysicalDeviceFeatures) {
        *self.of(features) = FALSE;
    }

    pub(crate) fn show(self, features: &mut PhysicalDeviceFeatures) {
        *self.of(features) = TRUE;
    }

    /// Reports the feature as not supported, also in the multiview structures of the chain.
    ///
    /// # Safety
    ///
    /// The structure is valid, and its chain may be written.
    pub(crate) unsafe fn hide_everywhere(self, features: &mut vk::PhysicalDeviceFeatures2<'_>) {
        self.hide(&mut features.features);
        let hide = |geometry: &mut Bool32, tessellation: &mut Bool32| match self {
            Self::GeometryShader => *geometry = FALSE,
            Self::TessellationShader => *tessellation = FALSE,
            Self::ShaderClipDistance | Self::ShaderCullDistance => {}
        };
        // SAFETY: guaranteed by the caller.
        unsafe {
            if let Some(views) = find::<vk::PhysicalDeviceMultiviewFeatures<'_>>(features.p_next) {
                let views = &mut *views;
                hide(
                    &mut views.multiview_geometry_shader,
                    &mut views.multiview_tessellation_shader,
                );
            }
            if let Some(eleven) = find::<vk::PhysicalDeviceVulkan11Features<'_>>(features.p_next) {
                let eleven = &mut *eleven;
                hide(
                    &mut eleven.multiview_geometry_shader,
                    &mut eleven.multiview_tessellation_shader,
                );
            }
        }
    }

    pub(crate) fn is_in(self, mut features: PhysicalDeviceFeatures) -> bool {
        *self.of(&mut features) == TRUE
    }

    pub(crate) fn name(self) -> &'static str {
        name_of(&Self::NAMES, &self)
    }
}

type Protected = vk::PhysicalDeviceProtectedMemoryFeatures<'static>;
type Feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'static>;
type Generated = vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT<'static>;
type Eleven = vk::PhysicalDeviceVulkan11Features<'static>;

/// Reports protected memory as not supported, because the layer writes to unprotected memory.
///
/// # Safety
///
/// The chain belongs to a `VkPhysicalDeviceFeatures2`, and may be written.
pub(crate) unsafe fn hide_protected_memory(chain: *const c_void) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if let Some(protected) = find::<Protected>(chain) {
            (*protected).protected_memory = FALSE;
        }
        if let Some(eleven) = find::<Eleven>(chain) {
            (*eleven).protected_memory = FALSE;
        }
    }
}

/// Returns the name of a requested feature that a device with captures cannot have. `has_streams` is whether it has
/// several vertex streams.
///
/// # Safety
///
/// The chain belongs to a `VkDeviceCreateInfo`, and its structures are valid.
pub(crate) unsafe fn unfit(chain: *const c_void, has_streams: bool) -> Option<&'static str> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let protected = find::<Protected>(chain).is_some_and(|one| (*one).protected_memory == TRUE)
            || find::<Eleven>(chain).is_some_and(|one| (*one).protected_memory == TRUE);
        let group = find::<vk::DeviceGroupDeviceCreateInfo<'_>>(chain);
        let several = group.is_some_and(|group| (*group).physical_device_count > 1);
        let streams = !has_streams
            && find::<Feedback>(chain).is_some_and(|one| (*one).geometry_streams == TRUE);
        let counted = find::<Generated>(chain)
            .is_some_and(|one| (*one).primitives_generated_query_with_non_zero_streams == TRUE);
        let unfit = [
            (protected, "protectedMemory"),
            (several, "several physical devices"),
            (streams, "geometryStreams"),
            (counted, "primitivesGeneratedQueryWithNonZeroStreams"),
        ];
        unfit.into_iter().find_map(|(is_asked, name)| is_asked.then_some(name))
    }
}
