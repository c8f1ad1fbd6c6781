//! The device's support for blending, and for clip and cull distances.

use super::Preset;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The device's support for blending. The default is the minimum that Vulkan 1.0 guarantees.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct Blending {
    /// `VK_EXT_blend_operation_advanced`, if it is supported.
    pub native: Option<NativeBlending>,
    /// `rasterizationOrderColorAttachmentAccess`: reads of input attachments are in primitive order.
    pub ordered_attachments: bool,
    /// Whether fragment shaders can read their attachments (`[[color(n)]]`) in order: Metal on Apple GPUs.
    pub framebuffer_fetch: bool,
    /// `VK_EXT_shader_tile_image` with `shaderTileImageColorReadAccess`.
    pub tile_images: bool,
    /// `VK_EXT_fragment_shader_interlock`, if fragment shaders can store and storage images need no format.
    pub interlock: Option<Interlock>,
    /// `dynamicRenderingLocalRead`: attachments can be read inside `vkCmdBeginRendering`.
    pub local_read: bool,
    /// `dynamicRenderingLocalReadMultisampledAttachments`: multisampled attachments can be read there, too.
    pub local_read_multisampled: bool,
    /// `sampleRateShading`.
    pub sample_shading: bool,
    /// `independentBlend`: each attachment can have a different blend state.
    pub independent_blend: bool,
    /// `logicOp`.
    pub logic_operations: bool,
    /// `maxFragmentDualSrcAttachments`: the maximum number of attachments with dual-source blending; 0 without
    /// `dualSrcBlend`.
    pub second_source_attachments: u32,
    /// `maxColorAttachments`.
    pub max_attachments: u32,
    /// `maxPerStageDescriptorInputAttachments`.
    pub max_input_attachments: u32,
}

impl Default for Blending {
    fn default() -> Self {
        Self {
            native: None,
            ordered_attachments: false,
            framebuffer_fetch: false,
            tile_images: false,
            interlock: None,
            local_read: false,
            local_read_multisampled: false,
            sample_shading: false,
            independent_blend: false,
            logic_operations: false,
            second_source_attachments: 0,
            max_attachments: 4,
            max_input_attachments: 4,
        }
    }
}

/// The features and properties of `VK_EXT_blend_operation_advanced`. The default is the guaranteed minimum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct NativeBlending {
    /// `advancedBlendCoherentOperations`: overlapping primitives blend in order without barriers.
    pub coherent: bool,
    /// `advancedBlendMaxColorAttachments`: the maximum number of attachments of a subpass, whether they are blended
    /// or not.
    pub max_attachments: u32,
    /// `advancedBlendIndependentBlend`: each attachment may have a different equation.
    pub independent: bool,
    /// `advancedBlendNonPremultipliedSrcColor`: the source may be non-premultiplied.
    pub straight_source: bool,
    /// `advancedBlendNonPremultipliedDstColor`: the destination may be non-premultiplied.
    pub straight_destination: bool,
    /// `advancedBlendCorrelatedOverlap`: overlap modes other than uncorrelated.
    pub correlated_overlap: bool,
    /// `advancedBlendAllOperations`: the equations beyond the 15 of `KHR_blend_equation_advanced`.
    pub all_operations: bool,
    /// `extendedDynamicState3ColorBlendAdvanced`: results can be clamped. Only this dynamic state can request
    /// clamping.
    pub clamped_results: bool,
}

impl Default for NativeBlending {
    fn default() -> Self {
        Self {
            coherent: false,
            max_attachments: 1,
            independent: false,
            straight_source: false,
            straight_destination: false,
            correlated_overlap: false,
            all_operations: false,
            clamped_results: false,
        }
    }
}

/// The features of `VK_EXT_fragment_shader_interlock`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct Interlock {
    /// `fragmentShaderPixelInterlock`.
    pub pixel: bool,
    /// `fragmentShaderSampleInterlock`, and multisampled storage images.
    pub sample: bool,
}

/// The device's support for clip and cull distances, and for geometry stages that replace them. The default supports
/// neither.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct DistanceSupport {
    /// `maxClipDistances`; 0 without `shaderClipDistance`.
    pub clip: u32,
    /// `maxCullDistances`; 0 without `shaderCullDistance`.
    pub cull: u32,
    /// `maxCombinedClipAndCullDistances`.
    pub combined: u32,
    /// Whether a fragment stage can read the distances as built-in arrays.
    pub fragment_reads: bool,
    /// `maxGeometryOutputVertices`; 0 without `geometryShader`.
    pub geometry_vertices: u32,
}

impl Default for DistanceSupport {
    fn default() -> Self {
        Self { clip: 0, cull: 0, combined: 0, fragment_reads: true, geometry_vertices: 0 }
    }
}

impl From<Preset> for DistanceSupport {
    fn from(preset: Preset) -> Self {
        match preset {
            Preset::Vulkan => {
                Self { clip: 8, cull: 8, combined: 8, fragment_reads: true, geometry_vertices: 256 }
            }
            Preset::Metal => {
                Self { clip: 8, combined: 8, fragment_reads: false, ..Self::default() }
            }
            Preset::VulkanMobile => Self::default(),
            Preset::WebGpu | Preset::WebGpuNative => {
                Self { fragment_reads: false, ..Self::default() }
            }
        }
    }
}
