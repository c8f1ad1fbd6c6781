//! What to blend, and how.

use super::Equation;
use super::format::{Format, FormatClass};
use super::logic::LogicOperation;
use super::ordinary::Ordinary;
use crate::host::{Binding, ParamSource, Set, Value};
use std::collections::BTreeMap;

/// How source and destination cover a pixel together: `VkBlendOverlapEXT`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Alpha {
    /// It is.
    #[default]
    Premultiplied,
    /// It is not.
    Straight,
}

/// What is done with the source and the destination of a target.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Blending {
    /// One of these equations of `VK_EXT_blend_operation_advanced`, in the order of `VkBlendOp`.
    Equations(#[cfg_attr(feature = "serde", serde(deserialize_with = "equations"))] Vec<Equation>),
    /// Factors and an operation, as any device has them.
    Ordinary(Ordinary),
    /// A logic operation on the bits of integer and unsigned normalized formats.
    Logic(LogicOperation),
}

#[cfg(feature = "serde")]
fn equations<'de, D: serde::Deserializer<'de>>(text: D) -> Result<Vec<Equation>, D::Error> {
    let equations: Vec<Equation> = serde::Deserialize::deserialize(text)?;
    Ok(ColorBlend::new(equations).equations().to_vec())
}

/// How one colour attachment is blended.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default = "ColorBlend::none", deny_unknown_fields))]
pub struct ColorBlend {
    pub(super) blending: Blending,
    pub(super) overlap: Overlap,
    pub(super) source: Alpha,
    pub(super) destination: Alpha,
    pub(super) clamp_results: bool,
    pub(super) format: Format,
    pub(super) without_alpha: bool,
}

impl ColorBlend {
    /// Blends with one of these equations, each taken once. As in Vulkan unless said otherwise: uncorrelated, source
    /// and destination premultiplied, results not clamped. The format is unsigned normalized with alpha.
    pub fn new(equations: impl IntoIterator<Item = Equation>) -> Self {
        let mut equations: Vec<Equation> = equations.into_iter().collect();
        equations.sort_unstable();
        equations.dedup();
        Self::of(Blending::Equations(equations))
    }

    /// Blends with factors and an operation.
    pub fn ordinary(ordinary: Ordinary) -> Self {
        Self::of(Blending::Ordinary(ordinary))
    }

    /// Combines the bits of source and destination. Those are the bits that the [format](Self::format) stores, so that
    /// it has to be said unless it is `R8G8B8A8_UNORM`.
    pub fn logic(operation: LogicOperation) -> Self {
        Self::of(Blending::Logic(operation))
    }

    /// Without a way to blend, which is refused: text has to say one.
    #[cfg(feature = "serde")]
    fn none() -> Self {
        Self::new([])
    }

    fn of(blending: Blending) -> Self {
        Self {
            blending,
            overlap: Overlap::default(),
            source: Alpha::default(),
            destination: Alpha::default(),
            clamp_results: false,
            format: Format::default(),
            without_alpha: false,
        }
    }

    /// How source and destination cover a pixel together, for equations.
    #[must_use]
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = overlap;
        self
    }

    /// What the shader writes, for equations.
    #[must_use]
    pub fn source(mut self, alpha: Alpha) -> Self {
        self.source = alpha;
        self
    }

    /// What the attachment holds, before and after, for equations.
    #[must_use]
    pub fn destination(mut self, alpha: Alpha) -> Self {
        self.destination = alpha;
        self
    }

    /// Clamps results of equations to [0, 1]: `clampResults` of `VkColorBlendAdvancedEXT`.
    #[must_use]
    pub fn clamp_results(mut self) -> Self {
        self.clamp_results = true;
        self
    }

    /// The attachment's format, or its class where there is no logic operation.
    #[must_use]
    pub fn format(mut self, format: impl Into<Format>) -> Self {
        self.format = format.into();
        self
    }

    /// The attachment has no alpha, whatever the fetch says: it reads as 1.
    #[must_use]
    pub fn without_alpha(mut self) -> Self {
        self.without_alpha = true;
        self
    }

    /// What is done with source and destination.
    pub fn blending(&self) -> &Blending {
        &self.blending
    }

    /// The equations, in the order of `VkBlendOp`; none of a target that is blended otherwise.
    pub fn equations(&self) -> &[Equation] {
        match &self.blending {
            Blending::Equations(equations) => equations,
            Blending::Ordinary(_) | Blending::Logic(_) => &[],
        }
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
        self.format.class()
    }

    /// The attachment's format.
    pub fn attachment_format(&self) -> Format {
        self.format
    }

    /// Whether the attachment has alpha; if not, it reads as 1.
    pub fn has_alpha(&self) -> bool {
        self.format.has_alpha() && !self.without_alpha
    }
}

/// Which layer of an attachment the fragment belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
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

/// What to blend, and where the destination is.
#[derive(Clone, PartialEq, Hash, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Options {
    pub(super) every_target: Option<ColorBlend>,
    pub(super) targets: BTreeMap<u32, Option<ColorBlend>>,
    pub(super) select: Option<ParamSource>,
    /// The bits of floats.
    pub(super) constants: Value<[u32; 4]>,
    pub(super) destination: Destination,
    pub(super) multisampled: bool,
    pub(super) coverage_samples: Option<u32>,
    pub(super) alpha_to_one: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            every_target: None,
            targets: BTreeMap::new(),
            select: None,
            constants: Value::Fixed([0; 4]),
            destination: Destination::InputAttachment {
                set: Set(3),
                binding: Binding(0),
                index: 0,
            },
            multisampled: false,
            coverage_samples: None,
            alpha_to_one: false,
        }
    }
}

impl Options {
    /// Nothing yet, with the destination in input attachments from binding 0 of set 3 and index 0 on.
    pub fn new() -> Self {
        Self::default()
    }

    /// Blends every target with any of the 46 equations.
    #[must_use]
    pub fn all(self) -> Self {
        self.every_target(ColorBlend::new(Equation::ALL))
    }

    /// Blends every target with any of the 15 equations of `KHR_blend_equation_advanced`.
    #[must_use]
    pub fn all_khr(self) -> Self {
        self.every_target(ColorBlend::new(Equation::KHR))
    }

    /// Blends every target with one of these equations.
    #[must_use]
    pub fn equations(self, equations: impl IntoIterator<Item = Equation>) -> Self {
        self.every_target(ColorBlend::new(equations))
    }

    /// Blends every target like this, but for those that are [spoken of](Self::target) themselves.
    #[must_use]
    pub fn every_target(mut self, target: ColorBlend) -> Self {
        self.every_target = Some(target);
        self
    }

    /// Blends the target at `location` like this.
    #[must_use]
    pub fn target(mut self, location: u32, target: ColorBlend) -> Self {
        self.targets.insert(location, Some(target));
        self
    }

    /// Leaves the target at `location` as it is.
    #[must_use]
    pub fn unblended(mut self, location: u32) -> Self {
        self.targets.insert(location, None);
        self
    }

    /// Selects among the equations of a target by words at `place`, one for each target that is blended with equations,
    /// in the order of their locations: see [`Equation::word`]. Unless it is said, nothing does: each target has one
    /// equation, and the code has no branch.
    #[must_use]
    pub fn select(mut self, place: impl Into<Option<ParamSource>>) -> Self {
        self.select = place.into();
        self
    }

    /// The blend constants: red, green, blue, alpha. Unless said otherwise they are 0. Formats that clamp the source
    /// clamp them too.
    #[must_use]
    pub fn blend_constants(mut self, constants: [f32; 4]) -> Self {
        self.constants = Value::Fixed(constants.map(f32::to_bits));
        self
    }

    /// The host fills in the blend constants: red, green, blue and alpha as floats, in four words. Where the words that
    /// [select](Self::select) are at the same place, the constants stand behind them.
    #[must_use]
    pub fn blend_constants_in(mut self, place: ParamSource) -> Self {
        self.constants = Value::Param(place);
        self
    }

    /// Does in the shader what `alphaToCoverageEnable`, which has to be off, would do with the alpha that it writes to
    /// location 0, for attachments of so many samples: 1, 2, 4, 8, 16 or 32. As many of the first samples stay covered
    /// as alpha says, rounded to the nearest. Attachments of more than 1 are [multisampled](Self::multisampled).
    #[must_use]
    pub fn alpha_to_coverage(mut self, samples: u32) -> Self {
        self.coverage_samples = Some(samples);
        self
    }

    /// Blends with an alpha of 1 at location 0, in place of `alphaToOneEnable`, which has to be off. As in Vulkan other
    /// locations and the second source keep their alpha, and so does [coverage](Self::alpha_to_coverage).
    #[must_use]
    pub fn alpha_to_one(mut self) -> Self {
        self.alpha_to_one = true;
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

    /// Whether the shader runs for each sample.
    pub(crate) fn is_multisampled(&self) -> bool {
        self.multisampled
    }

    /// The descriptors that are asked for by their numbers: of words, and of targets at these locations.
    pub(crate) fn descriptors(
        &self,
        locations: impl IntoIterator<Item = u32>,
    ) -> Vec<(Set, Binding)> {
        let selecting = self.select.and_then(ParamSource::descriptor);
        let constants = self.constants.place().and_then(ParamSource::descriptor);
        let destination = match self.destination {
            Destination::InputAttachment { set, binding, .. }
            | Destination::Texture { set, binding, .. }
            | Destination::StorageImage { set, binding } => Some((set, binding)),
            Destination::TileImage => None,
        };
        let of_targets = locations.into_iter().filter_map(|location| {
            let (set, first) = destination?;
            Some((set, Binding(first.0.checked_add(location)?)))
        });
        selecting.into_iter().chain(constants).chain(of_targets).collect()
    }

    /// How the target at `location` is blended, if it is.
    pub(super) fn target_at(&self, location: u32) -> Option<&ColorBlend> {
        match self.targets.get(&location) {
            Some(own) => own.as_ref(),
            None => self.every_target.as_ref(),
        }
    }
}
