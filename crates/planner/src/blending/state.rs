//! What is to be blended, and how it is drawn.

use polyshade::advanced_blend::{Alpha, Equation, Factor, LogicOperation, Ordinary, Overlap};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

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
