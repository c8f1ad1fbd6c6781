//! What blending depends on: what a device can do, and what is to be blended.

use polyshade::advanced_blend::{Alpha, Equation, Factor, LogicOperation, Ordinary, Overlap};
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

/// What is to be blended, and how it is drawn.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct BlendingState {
    /// The colour attachments, by location; `None` where one is not blended.
    pub attachments: Vec<Option<AttachmentBlending>>,
    /// Whether they have several samples.
    pub multisampled: bool,
    /// Whether they have several layers or views.
    pub layered: bool,
    /// Which primitives cover the same pixels.
    pub overlap: Overlapping,
    /// Whether the fragment shader declares early fragment tests, or none of its fragments fails a test.
    pub early_tests: bool,
    /// Whether the shader reads and writes no more than attachments: what is stored by the shader goes past a write
    /// mask, and sRGB.
    pub plain_attachments: bool,
    /// Whether the host begins passes with `vkCmdBeginRendering` only, and cannot make a render pass object.
    pub rendering_only: bool,
    /// Which way; unless it is said, the first that there is, in the order of
    /// [`BlendingPath::ALL`](super::BlendingPath::ALL).
    pub path: Option<super::BlendingPath>,
}

/// Which primitives cover the same pixels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Overlapping {
    /// Primitives of one draw may, as well as those of several.
    #[default]
    WithinDraws,
    /// Those of several draws may; each draw covers a pixel once.
    BetweenDraws,
    /// None, from one clear or barrier to the next.
    Never,
}

/// How one attachment is blended.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum AttachmentBlending {
    /// With equations of `VK_EXT_blend_operation_advanced`.
    Advanced(AdvancedBlending),
    /// With factors and an operation.
    Ordinary(Ordinary),
    /// By a logic operation.
    Logic(LogicOperation),
}

impl AttachmentBlending {
    pub(super) fn advanced(&self) -> Option<&AdvancedBlending> {
        match self {
            Self::Advanced(advanced) => Some(advanced),
            Self::Ordinary(_) | Self::Logic(_) => None,
        }
    }

    pub(super) fn is_logic(&self) -> bool {
        matches!(self, Self::Logic(_))
    }

    pub(super) fn has_second_source(&self) -> bool {
        match self {
            Self::Ordinary(ordinary) => ordinary.factors().any(Factor::is_of_second_source),
            Self::Advanced(_) | Self::Logic(_) => false,
        }
    }
}

/// Advanced blending of an attachment.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct AdvancedBlending {
    /// The equations that are drawn with, by their names.
    pub equations: Vec<Equation>,
    /// How source and destination overlap.
    pub overlap: Overlap,
    /// Whether the source is premultiplied.
    pub source: Alpha,
    /// Whether the destination is.
    pub destination: Alpha,
    /// Whether results are clamped to [0, 1].
    pub clamp_results: bool,
}
