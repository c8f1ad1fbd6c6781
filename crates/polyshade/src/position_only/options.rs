//! Options of the position-only lowering: the variant and the outputs that it keeps.

use crate::code;
use crate::host::SideEffects;
use polyshade_spv::{BuiltIn, Error};
use std::fmt;
use std::str::FromStr;

/// An output to be kept.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Keep {
    /// The position, in every view.
    Position,
    /// The point size.
    PointSize,
    /// The clip distances.
    ClipDistance,
    /// The cull distances.
    CullDistance,
    /// The layer.
    Layer,
    /// The viewport index or mask, in every view.
    ViewportIndex,
    /// The shading rate of the primitive.
    PrimitiveShadingRate,
    /// Any other built-in output.
    BuiltIn(BuiltIn),
    /// The whole variable or block at this location.
    Location(u32),
    /// The whole variable with this name, or the whole block if its type has this name.
    Name(String),
}

/// The outputs that the rasterizer uses.
pub(super) const RASTERIZER: [Keep; 7] = [
    Keep::Position,
    Keep::PointSize,
    Keep::ClipDistance,
    Keep::CullDistance,
    Keep::Layer,
    Keep::ViewportIndex,
    Keep::PrimitiveShadingRate,
];

/// The names of these outputs on the command line.
const NAMES: [&str; 7] = [
    "position",
    "point-size",
    "clip-distance",
    "cull-distance",
    "layer",
    "viewport-index",
    "primitive-shading-rate",
];

impl FromStr for Keep {
    type Err = Error;

    /// Parses `position`, `point-size` and so on, or `location=N`. Any other text is the name of an output.
    fn from_str(text: &str) -> Result<Self, Error> {
        if let Some(number) = NAMES.iter().position(|name| *name == text) {
            return Ok(RASTERIZER[number].clone());
        }
        if let Some(number) = text.strip_prefix("location=") {
            return number.parse().map(Self::Location).map_err(|_| {
                Error::new(
                    &code::POSITION_ONLY_INVALID_OUTPUT,
                    format!("`{number}` is not a location"),
                )
            });
        }
        match text {
            "" => Err(Error::new(
                &code::POSITION_ONLY_INVALID_OUTPUT,
                "the name of an output to keep is empty",
            )),
            name => Ok(Self::Name(name.to_owned())),
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(builtin) => write!(f, "built-in {}", builtin.0),
            Self::Location(location) => write!(f, "location={location}"),
            Self::Name(name) => f.write_str(name),
            rasterizer => {
                let number = RASTERIZER.iter().position(|other| other == rasterizer);
                f.write_str(NAMES[number.expect("all other kinds are outputs for the rasterizer")])
            }
        }
    }
}

/// A variant of one shader. Variants that are drawn together must agree in all other options.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Variant {
    /// Has only the outputs that determine coverage, or the outputs of [`Options::keep`] if given.
    #[default]
    PositionOnly,
    /// Has exactly the other outputs. The position may still be computed if one of these outputs depends on it.
    Complement,
    /// Has all outputs, and can be drawn together with the position-only variant. If the options request it, the
    /// outputs that the position-only variant keeps are `Invariant`, and the arithmetic for these outputs is
    /// `NoContraction`.
    Full,
}

/// The variant, and the outputs that it keeps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Options {
    pub(super) variant: Variant,
    pub(super) keep: Vec<Keep>,
    pub(super) keeps_interface: bool,
    pub(super) invariant: bool,
    pub(super) precise: bool,
    side_effects: SideEffects,
    pub(super) captures: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            variant: Variant::default(),
            keep: RASTERIZER.to_vec(),
            keeps_interface: false,
            invariant: false,
            precise: false,
            side_effects: SideEffects::default(),
            captures: false,
        }
    }
}

impl Options {
    /// Creates options that keep the outputs that the rasterizer needs: position, point size, clip and cull
    /// distances, layer, viewport index, and the primitive's shading rate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the variant.
    #[must_use]
    pub fn variant(mut self, variant: Variant) -> Self {
        self.variant = variant;
        self
    }

    /// Sets the outputs to keep, instead of the outputs that the rasterizer needs.
    #[must_use]
    pub fn keep(mut self, keep: impl IntoIterator<Item = Keep>) -> Self {
        self.keep = keep.into_iter().collect();
        self
    }

    /// Keeps all inputs and resources, so that the variant can share vertex state and layouts with the full shader.
    #[must_use]
    pub fn keep_interface(mut self) -> Self {
        self.keeps_interface = true;
        self
    }

    /// Adds `Invariant` to the kept outputs that lack it, in every variant and in the [full](Variant::Full) shader.
    /// Without it, drivers may contract the same arithmetic differently in two variants.
    #[must_use]
    pub fn invariant(mut self) -> Self {
        self.invariant = true;
        self
    }

    /// Adds `NoContraction` to all arithmetic of the position-only variant. In the [full](Variant::Full) shader, the
    /// same instructions get the decoration. This is for drivers that contract the same arithmetic differently
    /// although the outputs are `Invariant`.
    #[must_use]
    pub fn precise(mut self) -> Self {
        self.precise = true;
        self
    }

    /// Sets the pass that runs the side effects.
    #[must_use]
    pub fn side_effects(mut self, side_effects: SideEffects) -> Self {
        self.side_effects = side_effects;
        self
    }

    /// Lets the position-only variant capture with transform feedback: it keeps the outputs that the shader declares
    /// as captured. By default only the full shader captures.
    #[must_use]
    pub fn capture_in_position_only(mut self) -> Self {
        self.captures = true;
        self
    }

    /// Whether side effects are removed from `variant`; `None` if the shader must not have side effects.
    pub(super) fn drops_effects(&self, variant: Variant) -> Option<bool> {
        match self.side_effects {
            SideEffects::Refuse => None,
            SideEffects::InFirstPass => Some(variant == Variant::Complement),
            SideEffects::InSecondPass => Some(variant == Variant::PositionOnly),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Keep, RASTERIZER};

    #[test]
    fn what_is_kept_reads_back_as_what_it_prints() {
        let others = [Keep::Location(3), Keep::Name("v_colour".to_owned())];
        for keep in RASTERIZER.iter().chain(&others) {
            assert_eq!(keep.to_string().parse::<Keep>().as_ref(), Ok(keep));
        }
        assert!("location=x".parse::<Keep>().is_err() && "".parse::<Keep>().is_err());
    }
}
