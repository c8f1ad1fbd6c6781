//! What a device supports of blending, and of clip and cull distances.

use super::Preset;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// What a device can do for blending. The default is the least that Vulkan 1.0 guarantees.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Blending {
    /// `VK_EXT_blend_operation_advanced`, where it is there.
    pub native: Option<NativeBlending>,
    /// `rasterizationOrderColorAttachmentAccess`: reads of input attachments come in primitive order.
    pub ordered_attachments: bool,
    /// Fragment shaders read what they write to (`[[color(n)]]`), in order: Metal on Apple's devices.
    pub framebuffer_fetch: bool,
    /// `VK_EXT_shader_tile_image`, where `shaderTileImageColorReadAccess` is there.
    pub tile_images: bool,
    /// `VK_EXT_fragment_shader_interlock`, with stores from fragment shaders and storage images without a format.
    pub interlock: Option<Interlock>,
    /// `dynamicRenderingLocalRead`: attachments are read inside of `vkCmdBeginRendering`.
    pub local_read: bool,
    /// `dynamicRenderingLocalReadMultisampledAttachments`: those of several samples too.
    pub local_read_multisampled: bool,
    /// `sampleRateShading`.
    pub sample_shading: bool,
    /// `independentBlend`: attachments are blended in ways of their own.
    pub independent_blend: bool,
    /// `logicOp`.
    pub logic_operations: bool,
    /// How many attachments there may be where a factor is of a second source: `maxFragmentDualSrcAttachments`; 0
    /// without `dualSrcBlend`.
    pub second_source_attachments: u32,
    /// How many colour attachments there are: `maxColorAttachments`.
    pub max_attachments: u32,
    /// How many input attachments a fragment shader has: `maxPerStageDescriptorInputAttachments`.
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

/// What `VK_EXT_blend_operation_advanced` offers. The default is the least that it guarantees.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct NativeBlending {
    /// `advancedBlendCoherentOperations`: overlapping primitives blend in order without barriers.
    pub coherent: bool,
    /// `advancedBlendMaxColorAttachments`: how many attachments a subpass may have, blended or not.
    pub max_attachments: u32,
    /// `advancedBlendIndependentBlend`: each attachment may have an equation of its own.
    pub independent: bool,
    /// `advancedBlendNonPremultipliedSrcColor`: the source may be straight.
    pub straight_source: bool,
    /// `advancedBlendNonPremultipliedDstColor`: the destination may be straight.
    pub straight_destination: bool,
    /// `advancedBlendCorrelatedOverlap`: source and destination may overlap in other ways than uncorrelated.
    pub correlated_overlap: bool,
    /// `advancedBlendAllOperations`: the equations beyond the 15 of `KHR_blend_equation_advanced`.
    pub all_operations: bool,
    /// `extendedDynamicState3ColorBlendAdvanced`: results can be clamped, which is no state of a pipeline.
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

/// What `VK_EXT_fragment_shader_interlock` offers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Interlock {
    /// `fragmentShaderPixelInterlock`.
    pub pixel: bool,
    /// `fragmentShaderSampleInterlock`, and storage images of several samples.
    pub sample: bool,
}

/// What a device has of clip and cull distances, and what can take their place. The default is a device with neither.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct DistanceSupport {
    /// `maxClipDistances`; 0 without `shaderClipDistance`.
    pub clip: u32,
    /// `maxCullDistances`; 0 without `shaderCullDistance`.
    pub cull: u32,
    /// `maxCombinedClipAndCullDistances`.
    pub combined: u32,
    /// Whether a fragment stage reads them as built-in arrays.
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
