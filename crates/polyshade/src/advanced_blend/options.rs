//! What to blend, and how.

use super::Equation;
use crate::moves::{Binding, Set};
use crate::reserved::Reserved;
use crate::transform_feedback::HostWords;
use std::collections::BTreeMap;

/// How source and destination cover a pixel together: `VkBlendOverlapEXT`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Overlap {
    /// Independently of each other.
    #[default]
    Uncorrelated,
    /// As little in common as possible.
    Disjoint,
    /// As much in common as possible.
    Conjoint,
}

/// Whether a colour is multiplied by its alpha already.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Alpha {
    /// It is.
    #[default]
    Premultiplied,
    /// It is not.
    Straight,
}

/// What an attachment's format does to the colours that are blended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FormatClass {
    /// Unsigned normalized, sRGB too: the source is clamped to [0, 1].
    #[default]
    Unorm,
    /// Signed normalized: the source is clamped to [-1, 1].
    Snorm,
    /// Floats: nothing is clamped.
    Float,
}

/// How one colour attachment is blended.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    pub(super) equations: Vec<Equation>,
    pub(super) overlap: Overlap,
    pub(super) source: Alpha,
    pub(super) destination: Alpha,
    pub(super) clamp_results: bool,
    pub(super) format: FormatClass,
    pub(super) without_alpha: bool,
    pub(super) alpha_to_one: bool,
}

impl Target {
    /// Blends with one of these equations, each taken once. As in Vulkan unless said otherwise: uncorrelated, source
    /// and destination premultiplied, results not clamped. The format is unsigned normalized with alpha.
    pub fn new(equations: impl IntoIterator<Item = Equation>) -> Self {
        let mut equations: Vec<Equation> = equations.into_iter().collect();
        equations.sort_unstable();
        equations.dedup();
        Self {
            equations,
            overlap: Overlap::default(),
            source: Alpha::default(),
            destination: Alpha::default(),
            clamp_results: false,
            format: FormatClass::default(),
            without_alpha: false,
            alpha_to_one: false,
        }
    }

    /// How source and destination cover a pixel together.
    #[must_use]
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = overlap;
        self
    }

    /// What the shader writes.
    #[must_use]
    pub fn source(mut self, alpha: Alpha) -> Self {
        self.source = alpha;
        self
    }

    /// What the attachment holds, before and after.
    #[must_use]
    pub fn destination(mut self, alpha: Alpha) -> Self {
        self.destination = alpha;
        self
    }

    /// Clamps results to [0, 1]: `clampResults` of `VkColorBlendAdvancedEXT`.
    #[must_use]
    pub fn clamp_results(mut self) -> Self {
        self.clamp_results = true;
        self
    }

    /// The class of the attachment's format.
    #[must_use]
    pub fn format(mut self, format: FormatClass) -> Self {
        self.format = format;
        self
    }

    /// The attachment has no alpha, whatever the fetch says: it reads as 1.
    #[must_use]
    pub fn without_alpha(mut self) -> Self {
        self.without_alpha = true;
        self
    }

    /// The source's alpha is 1: what `alphaToOneEnable`, which has to be off, would do before blending.
    #[must_use]
    pub fn alpha_to_one(mut self) -> Self {
        self.alpha_to_one = true;
        self
    }

    /// The equations, in the order of `VkBlendOp`.
    pub fn equations(&self) -> &[Equation] {
        &self.equations
    }

    /// How source and destination cover a pixel together.
    pub fn overlap_mode(&self) -> Overlap {
        self.overlap
    }

    /// Whether what the shader writes is multiplied by its alpha.
    pub fn source_alpha(&self) -> Alpha {
        self.source
    }

    /// Whether what the attachment holds is.
    pub fn destination_alpha(&self) -> Alpha {
        self.destination
    }

    /// The class of the attachment's format.
    pub fn format_class(&self) -> FormatClass {
        self.format
    }
}

/// What selects among the equations of a target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Select {
    /// Nothing: each target has one equation, and the code has no branch.
    #[default]
    Constant,
    /// A word for each target that is blended, in the order of their locations: see [`Equation::word`].
    Words(HostWords),
}

/// Which layer of an attachment the fragment belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Layer {
    /// There is one.
    #[default]
    One,
    /// The one that `gl_Layer` says.
    Layer,
    /// That of the view (`gl_ViewIndex`).
    View,
}

/// Where the shader reads the destination. That of the attachment at location `l` is at `binding + l` of `set`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Destination {
    /// The attachment as an input attachment with `InputAttachmentIndex` `index + l`.
    InputAttachment {
        /// Its set.
        set: Set,
        /// Its binding, for location 0.
        binding: Binding,
        /// Its index, for location 0.
        index: u32,
    },
    /// A sampled image with a copy of the attachment.
    Texture {
        /// Its set.
        set: Set,
        /// Its binding, for location 0.
        binding: Binding,
        /// Where there are several layers, which one.
        layer: Layer,
    },
    /// The tile image of the attachment (`SPV_EXT_shader_tile_image`).
    TileImage,
    /// A storage image in place of the attachment, read and written under ordered fragment shader interlock. The shader
    /// no longer has the output.
    StorageImage {
        /// Its set.
        set: Set,
        /// Its binding, for location 0.
        binding: Binding,
    },
}

/// What to blend in which entry point, and where the destination is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub(super) entry: String,
    pub(super) every_target: Option<Target>,
    pub(super) targets: BTreeMap<u32, Option<Target>>,
    pub(super) select: Select,
    pub(super) destination: Destination,
    pub(super) multisampled: bool,
    pub(super) reserved: Reserved,
    pub(super) names: bool,
}

impl Options {
    /// Blends in the fragment entry point `entry`: nothing yet, with the destination in input attachments from binding
    /// 0 of set 3 and index 0 on.
    pub fn new(entry: impl Into<String>) -> Self {
        Self {
            entry: entry.into(),
            every_target: None,
            targets: BTreeMap::new(),
            select: Select::default(),
            destination: Destination::InputAttachment {
                set: Set(3),
                binding: Binding(0),
                index: 0,
            },
            multisampled: false,
            reserved: Reserved::default(),
            names: true,
        }
    }

    /// Blends every target with any of the 46 equations.
    #[must_use]
    pub fn all(self) -> Self {
        self.every_target(Target::new(Equation::ALL))
    }

    /// Blends every target with any of the 15 equations of `KHR_blend_equation_advanced`.
    #[must_use]
    pub fn all_khr(self) -> Self {
        self.every_target(Target::new(Equation::KHR))
    }

    /// Blends every target with one of these equations.
    #[must_use]
    pub fn equations(self, equations: impl IntoIterator<Item = Equation>) -> Self {
        self.every_target(Target::new(equations))
    }

    /// Blends every target like this, but for those that are [spoken of](Self::target) themselves.
    #[must_use]
    pub fn every_target(mut self, target: Target) -> Self {
        self.every_target = Some(target);
        self
    }

    /// Blends the target at `location` like this.
    #[must_use]
    pub fn target(mut self, location: u32, target: Target) -> Self {
        self.targets.insert(location, Some(target));
        self
    }

    /// Leaves the target at `location` as it is.
    #[must_use]
    pub fn unblended(mut self, location: u32) -> Self {
        self.targets.insert(location, None);
        self
    }

    /// What selects among the equations; unless said otherwise, nothing.
    #[must_use]
    pub fn select(mut self, select: Select) -> Self {
        self.select = select;
        self
    }

    /// Where the shader reads the destination.
    #[must_use]
    pub fn destination(mut self, destination: Destination) -> Self {
        self.destination = destination;
        self
    }

    /// The attachments have several samples: the shader runs for each of them.
    #[must_use]
    pub fn multisampled(mut self) -> Self {
        self.multisampled = true;
        self
    }

    /// Keeps what is added clear of what others use.
    #[must_use]
    pub fn reserved(mut self, reserved: Reserved) -> Self {
        self.reserved = reserved;
        self
    }

    /// Whether what is added gets debug names. It does unless told otherwise.
    #[must_use]
    pub fn names(mut self, names: bool) -> Self {
        self.names = names;
        self
    }

    /// How the target at `location` is blended, if it is.
    pub(super) fn target_at(&self, location: u32) -> Option<&Target> {
        match self.targets.get(&location) {
            Some(own) => own.as_ref(),
            None => self.every_target.as_ref(),
        }
    }
}
