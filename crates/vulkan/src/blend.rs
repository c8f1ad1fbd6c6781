//! Fixed-function blending and advanced blending, as plain data.

use ash::vk;

/// The blending and the write mask of one target. By default, blending is off, and all components are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blend {
    /// The terms of colour and alpha; if absent, blending is off. For an advanced equation, the two terms are equal.
    pub terms: Option<[BlendTerm; 2]>,
    /// The components that are written.
    pub write_mask: vk::ColorComponentFlags,
}

impl Default for Blend {
    fn default() -> Blend {
        Blend { terms: None, write_mask: vk::ColorComponentFlags::RGBA }
    }
}

impl Blend {
    /// Returns the blending with an equation of `VK_EXT_blend_operation_advanced`.
    pub fn advanced(operation: vk::BlendOp) -> Blend {
        let (source, destination) = (vk::BlendFactor::ZERO, vk::BlendFactor::ZERO);
        let term = BlendTerm { source, destination, operation };
        Blend { terms: Some([term; 2]), ..Blend::default() }
    }

    pub(crate) fn state(self) -> vk::PipelineColorBlendAttachmentState {
        let state = vk::PipelineColorBlendAttachmentState::default();
        let state = state.color_write_mask(self.write_mask);
        let Some([colour, alpha]) = self.terms else { return state };
        state
            .blend_enable(true)
            .src_color_blend_factor(colour.source)
            .dst_color_blend_factor(colour.destination)
            .color_blend_op(colour.operation)
            .src_alpha_blend_factor(alpha.source)
            .dst_alpha_blend_factor(alpha.destination)
            .alpha_blend_op(alpha.operation)
    }
}

/// One term of a blend equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlendTerm {
    /// The factor of the source.
    pub source: vk::BlendFactor,
    /// The factor of the destination.
    pub destination: vk::BlendFactor,
    /// The operation that combines source and destination.
    pub operation: vk::BlendOp,
}

/// The parameters of all advanced equations of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AdvancedBlend {
    /// Whether the source is premultiplied.
    pub source_premultiplied: bool,
    /// Whether the destination is premultiplied.
    pub destination_premultiplied: bool,
    /// The overlap mode of source and destination.
    pub overlap: vk::BlendOverlapEXT,
}

impl AdvancedBlend {
    pub(crate) fn state(self) -> vk::PipelineColorBlendAdvancedStateCreateInfoEXT<'static> {
        vk::PipelineColorBlendAdvancedStateCreateInfoEXT::default()
            .src_premultiplied(self.source_premultiplied)
            .dst_premultiplied(self.destination_premultiplied)
            .blend_overlap(self.overlap)
    }
}

/// The blend state of all targets of a draw, except for advanced equations. By default, everything is off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct FixedBlend {
    /// The logic operation; if present, nothing is blended.
    pub logic_operation: Option<vk::LogicOp>,
    /// The bits of the blend constants, which are floats: red, green, blue, alpha.
    pub constants: [u32; 4],
    /// Whether the alpha of the first target becomes coverage.
    pub alpha_to_coverage: bool,
}

impl FixedBlend {
    pub(crate) fn state(self) -> vk::PipelineColorBlendStateCreateInfo<'static> {
        let state = vk::PipelineColorBlendStateCreateInfo::default();
        let state = state.blend_constants(self.constants.map(f32::from_bits));
        match self.logic_operation {
            Some(operation) => state.logic_op_enable(true).logic_op(operation),
            None => state,
        }
    }
}
