//! Options of advanced blending.

use super::Equation;
use super::fixed_function::FixedFunctionBlend;
use super::format::{Format, FormatClass};
use super::logic::LogicOperation;
use crate::host::{Binding, ParamSource, Set, Value};
use std::collections::BTreeMap;

/// How the areas of source and destination within a pixel overlap: `VkBlendOverlapEXT`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Overlap {
    /// The two areas are independent of each other.
    #[default]
    Uncorrelated,
    /// The two areas overlap as little as possible.
    Disjoint,
    /// The two areas overlap as much as possible.
    Conjoint,
}

/// Whether a colour is already multiplied by its alpha.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Alpha {
    /// The colour is multiplied by its alpha.
    #[default]
    Premultiplied,
    /// The colour is not multiplied by its alpha.
    Straight,
}

/// How the source and destination of a target are combined.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Blending {
    /// Equations of `VK_EXT_blend_operation_advanced`, in the order of `VkBlendOp`.
    Equations(#[cfg_attr(feature = "serde", serde(deserialize_with = "equations"))] Vec<Equation>),
    /// Factors and an operation, as in fixed-function blending.
    FixedFunction(FixedFunctionBlend),
    /// A logic operation on the bits of integer and unsigned normalized formats.
    Logic(LogicOperation),
}

#[cfg(feature = "serde")]
fn equations<'de, D: serde::Deserializer<'de>>(text: D) -> Result<Vec<Equation>, D::Error> {
    let equations: Vec<Equation> = serde::Deserialize::deserialize(text)?;
    Ok(ColorBlend::new(equations).equations().to_vec())
}

/// The blending of one colour attachment.
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
    /// Creates a target that blends with one of these equations; duplicates are removed. The defaults are those of
    /// Vulkan: uncorrelated, source and destination premultiplied, results not clamped. The default format is
    /// unsigned normalized with alpha.
    pub fn new(equations: impl IntoIterator<Item = Equation>) -> Self {
        let mut equations: Vec<Equation> = equations.into_iter().collect();
        equations.sort_unstable();
        equations.dedup();
        Self::of(Blending::Equations(equations))
    }

    /// Creates a target that blends with factors and an operation, as in fixed-function blending.
    pub fn fixed_function(fixed_function: FixedFunctionBlend) -> Self {
        Self::of(Blending::FixedFunction(fixed_function))
    }

    /// Creates a target that combines the bits of source and destination with a logic operation. These are the bits
    /// that the [format](Self::format) stores, so the format must be set unless it is `R8G8B8A8_UNORM`.
    pub fn logic(operation: LogicOperation) -> Self {
        Self::of(Blending::Logic(operation))
    }

    /// Creates a target without equations, which is invalid, so a deserialized value must contain `blending`.
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

    /// Sets how source and destination overlap within a pixel. Only for equations.
    #[must_use]
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = overlap;
        self
    }

    /// Sets whether the shader's colour is premultiplied. Only for equations.
    #[must_use]
    pub fn source(mut self, alpha: Alpha) -> Self {
        self.source = alpha;
        self
    }

    /// Sets whether the attachment holds premultiplied colours, before and after blending. Only for equations.
    #[must_use]
    pub fn destination(mut self, alpha: Alpha) -> Self {
        self.destination = alpha;
        self
    }

    /// Clamps the results of equations to [0, 1], like `clampResults` of `VkColorBlendAdvancedEXT`.
    #[must_use]
    pub fn clamp_results(mut self) -> Self {
        self.clamp_results = true;
        self
    }

    /// Sets the attachment's format. A format class is enough unless there is a logic operation.
    #[must_use]
    pub fn format(mut self, format: impl Into<Format>) -> Self {
        self.format = format.into();
        self
    }

    /// Declares that the attachment has no alpha. Alpha then reads as 1, whatever the fetch returns.
    #[must_use]
    pub fn without_alpha(mut self) -> Self {
        self.without_alpha = true;
        self
    }

    /// Returns how source and destination are combined.
    pub fn blending(&self) -> &Blending {
        &self.blending
    }

    /// Returns the equations in the order of `VkBlendOp`. The list is empty if the target is blended without
    /// equations.
    pub fn equations(&self) -> &[Equation] {
        match &self.blending {
            Blending::Equations(equations) => equations,
            Blending::FixedFunction(_) | Blending::Logic(_) => &[],
        }
    }

    /// Returns how source and destination overlap within a pixel.
    pub fn overlap_mode(&self) -> Overlap {
        self.overlap
    }

    /// Returns whether the shader's colour is premultiplied.
    pub fn source_alpha(&self) -> Alpha {
        self.source
    }

    /// Returns whether the attachment holds premultiplied colours.
    pub fn destination_alpha(&self) -> Alpha {
        self.destination
    }

    /// Returns the class of the attachment's format.
    pub fn format_class(&self) -> FormatClass {
        self.format.class()
    }

    /// Returns the attachment's format.
    pub fn attachment_format(&self) -> Format {
        self.format
    }

    /// Whether the attachment has alpha. Without alpha, it reads as 1.
    pub fn has_alpha(&self) -> bool {
        self.format.has_alpha() && !self.without_alpha
    }
}

/// The layer of the attachment that the fragment belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ArrayLayerSource {
    /// The attachment has one layer.
    #[default]
    One,
    /// The layer with the index in `gl_Layer`.
    Layer,
    /// The layer of the current view (`gl_ViewIndex`).
    View,
}

/// Where the shader reads the destination. The descriptor for location `l` is at `binding + l` of `set`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Destination {
    /// The attachment, bound as an input attachment with `InputAttachmentIndex` `index + l`.
    InputAttachment {
        /// Descriptor set.
        set: Set,
        /// Binding for location 0.
        binding: Binding,
        /// `InputAttachmentIndex` for location 0.
        index: u32,
    },
    /// A sampled image with a copy of the attachment.
    Texture {
        /// Descriptor set.
        set: Set,
        /// Binding for location 0.
        binding: Binding,
        /// The layer of the image that is read.
        layer: ArrayLayerSource,
    },
    /// The tile image of the attachment (`SPV_EXT_shader_tile_image`).
    TileImage,
    /// A storage image instead of the attachment. The shader reads and writes it under ordered fragment shader
    /// interlock, and no longer has the output.
    StorageImage {
        /// Descriptor set.
        set: Set,
        /// Binding for location 0.
        binding: Binding,
    },
}

/// The targets to blend, and where the shader reads the destination colours.
#[derive(Clone, PartialEq, Hash, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Options {
    pub(super) every_target: Option<ColorBlend>,
    pub(super) targets: BTreeMap<u32, Option<ColorBlend>>,
    pub(super) select: Option<ParamSource>,
    /// The blend constants, as bit patterns of floats.
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
    /// Creates options that blend no target, and read the destination from input attachments at binding 0 of set 3,
    /// from index 0 on.
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

    /// Blends every target with any of these equations.
    #[must_use]
    pub fn equations(self, equations: impl IntoIterator<Item = Equation>) -> Self {
        self.every_target(ColorBlend::new(equations))
    }

    /// Sets the blending of all targets that [`target`](Self::target) and [`unblended`](Self::unblended) do not name.
    #[must_use]
    pub fn every_target(mut self, target: ColorBlend) -> Self {
        self.every_target = Some(target);
        self
    }

    /// Sets the blending of the target at `location`.
    #[must_use]
    pub fn target(mut self, location: u32, target: ColorBlend) -> Self {
        self.targets.insert(location, Some(target));
        self
    }

    /// Does not blend the target at `location`.
    #[must_use]
    pub fn unblended(mut self, location: u32) -> Self {
        self.targets.insert(location, None);
        self
    }

    /// Selects the equation of each target with a host parameter. The parameters are at `place`, in the order of
    /// locations, one for each target that is blended with equations; their values are those of [`Equation::word`].
    /// Without selectors, each target must have exactly one equation, and the code has no branch.
    #[must_use]
    pub fn select(mut self, place: impl Into<Option<ParamSource>>) -> Self {
        self.select = place.into();
        self
    }

    /// Sets the blend constants: red, green, blue, alpha. The default is 0. They are clamped like the source,
    /// depending on the format.
    #[must_use]
    pub fn blend_constants(mut self, constants: [f32; 4]) -> Self {
        self.constants = Value::Fixed(constants.map(f32::to_bits));
        self
    }

    /// Reads the blend constants from four host parameters: red, green, blue and alpha as floats. If
    /// [`select`](Self::select) uses the same source, the constants follow the selectors.
    #[must_use]
    pub fn blend_constants_in(mut self, place: ParamSource) -> Self {
        self.constants = Value::Param(place);
        self
    }

    /// Emulates `alphaToCoverageEnable`, which must be off in the pipeline, with the alpha that the shader writes to
    /// location 0. `samples` is the sample count of the attachments: 1, 2, 4, 8, 16 or 32. The first alpha ×
    /// `samples` samples stay covered; this number is rounded to the nearest integer. With more than 1 sample, the
    /// options must also be [`multisampled`](Self::multisampled).
    #[must_use]
    pub fn alpha_to_coverage(mut self, samples: u32) -> Self {
        self.coverage_samples = Some(samples);
        self
    }

    /// Blends with an alpha of 1 at location 0. This emulates `alphaToOneEnable`, which must be off in the pipeline.
    /// As in Vulkan, other locations, the second source and [coverage](Self::alpha_to_coverage) use the original
    /// alpha.
    #[must_use]
    pub fn alpha_to_one(mut self) -> Self {
        self.alpha_to_one = true;
        self
    }

    /// Sets where the shader reads the destination.
    #[must_use]
    pub fn destination(mut self, destination: Destination) -> Self {
        self.destination = destination;
        self
    }

    /// Declares that the attachments are multisampled. The shader then runs once per sample.
    #[must_use]
    pub fn multisampled(mut self) -> Self {
        self.multisampled = true;
        self
    }

    /// Whether the shader runs once per sample.
    pub(crate) fn is_multisampled(&self) -> bool {
        self.multisampled
    }

    /// Returns the descriptors that the options specify, for host parameters and for the targets at `locations`.
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

    /// Returns the blending of the target at `location`, or `None` if it is not blended.
    pub(super) fn target_at(&self, location: u32) -> Option<&ColorBlend> {
        match self.targets.get(&location) {
            Some(own) => own.as_ref(),
            None => self.every_target.as_ref(),
        }
    }
}
