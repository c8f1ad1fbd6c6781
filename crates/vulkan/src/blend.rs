//! Fixed-function blending, ordinary and advanced, as plain data.

use ash::vk;

/// How one target is blended and written. Unless said otherwise it is not blended, and all components are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blend {
    /// The colour's and the alpha's term; without them blending is off. Advanced equations are the same in both.
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
    /// Blends with an equation of `VK_EXT_blend_operation_advanced`.
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
    /// What the source is multiplied by.
    pub source: vk::BlendFactor,
    /// What the destination is multiplied by.
    pub destination: vk::BlendFactor,
    /// What is done with both.
    pub operation: vk::BlendOp,
}

/// What holds for all advanced equations of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AdvancedBlend {
    /// Whether the source is premultiplied.
    pub source_premultiplied: bool,
    /// Whether the destination is premultiplied.
    pub destination_premultiplied: bool,
    /// How the two overlap.
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

/// What holds for all targets of a draw, but for advanced equations. Unless said otherwise all of it is off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct FixedBlend {
    /// The logic operation; with one, nothing is blended.
    pub logic_operation: Option<vk::LogicOp>,
    /// The bits of the blend constants, which are floats: red, green, blue, alpha.
    pub constants: [u32; 4],
    /// The alpha of the first target becomes coverage.
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
