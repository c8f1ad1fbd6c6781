//! The input of blending plans: the blending state of a pipeline.

use polyshade::advanced_blend::{
    Alpha, Equation, Factor, FixedFunctionBlend, LogicOperation, Overlap,
};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The blending state of a pipeline, with the properties of its draws that affect the choice of mechanism.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct BlendingState {
    /// The blending of each colour attachment, indexed by location; `None` for an attachment that is not blended.
    pub attachments: Vec<Option<AttachmentBlending>>,
    /// Whether the attachments are multisampled.
    pub multisampled: bool,
    /// Whether the attachments have several layers or views.
    pub layered: bool,
    /// Which primitives may cover the same pixels.
    pub overlap: Overlapping,
    /// Whether the fragment shader declares early fragment tests, or no fragment fails a test.
    pub early_tests: bool,
    /// Whether no attachment has a write mask or an sRGB format. Stores to a storage image would bypass both.
    pub plain_attachments: bool,
    /// Whether the host can only begin passes with `vkCmdBeginRendering`, without render pass objects.
    pub rendering_only: bool,
    /// The requested mechanism. The default is the first supported mechanism in the order of
    /// [`BlendingPath::ALL`](super::BlendingPath::ALL).
    pub path: Option<super::BlendingPath>,
}

/// Which primitives may cover the same pixels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum Overlapping {
    /// Primitives within one draw and primitives of different draws.
    #[default]
    WithinDraws,
    /// Only primitives of different draws; each draw covers a pixel once.
    BetweenDraws,
    /// No primitives between two clears or barriers.
    Never,
}

/// How one attachment is blended.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum AttachmentBlending {
    /// With equations of `VK_EXT_blend_operation_advanced`.
    Advanced(AdvancedBlending),
    /// With blend factors and a blend operation.
    FixedFunction(FixedFunctionBlend),
    /// By a logic operation.
    Logic(LogicOperation),
}

impl AttachmentBlending {
    pub(super) fn advanced(&self) -> Option<&AdvancedBlending> {
        match self {
            Self::Advanced(advanced) => Some(advanced),
            Self::FixedFunction(_) | Self::Logic(_) => None,
        }
    }

    pub(super) fn is_logic(&self) -> bool {
        matches!(self, Self::Logic(_))
    }

    pub(super) fn has_second_source(&self) -> bool {
        match self {
            Self::FixedFunction(fixed_function) => {
                fixed_function.factors().any(Factor::is_of_second_source)
            }
            Self::Advanced(_) | Self::Logic(_) => false,
        }
    }
}

/// Advanced blending of an attachment.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct AdvancedBlending {
    /// The blend equations that draws use.
    pub equations: Vec<Equation>,
    /// How source and destination overlap.
    pub overlap: Overlap,
    /// Whether the source is premultiplied.
    pub source: Alpha,
    /// Whether the destination is premultiplied.
    pub destination: Alpha,
    /// Whether results are clamped to [0, 1].
    pub clamp_results: bool,
}
