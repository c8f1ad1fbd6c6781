//! The kinds of options, generated from the table of lowerings: numbers, names, versions and JSON.

use super::{Storage, Tessellation, capture_only};
use crate::failure::Failure;
use polyshade::recipe::{self, Recipe};
use polyshade::transform_feedback::{self, tessellation};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Options of any other kind as JSON: `polyshade_json_options`.
pub const POLYSHADE_OPTIONS_JSON: u32 = 0x8000_0000;
/// Capture into storage buffers: `polyshade_capture_options`.
pub const POLYSHADE_OPTIONS_CAPTURE_STORAGE: u32 = 1;
/// Capture by `VK_EXT_transform_feedback`: `polyshade_capture_options`.
pub const POLYSHADE_OPTIONS_CAPTURE_EXTENSION: u32 = 2;
/// Vertex pulling: `polyshade_vertex_pulling_options`.
pub const POLYSHADE_OPTIONS_VERTEX_PULLING: u32 = 3;
/// Position-only variants: `polyshade_position_only_options`.
pub const POLYSHADE_OPTIONS_POSITION_ONLY: u32 = 4;
/// Conversion of clip space: `polyshade_clip_space_options`.
pub const POLYSHADE_OPTIONS_CLIP_SPACE: u32 = 5;
/// Rasterizer discard: `polyshade_rasterizer_discard_options`.
pub const POLYSHADE_OPTIONS_RASTERIZER_DISCARD: u32 = 6;
/// Blending in the fragment shader: `polyshade_blend_options`.
pub const POLYSHADE_OPTIONS_ADVANCED_BLEND: u32 = 7;
/// Clip and cull distances: `polyshade_clip_options`.
pub const POLYSHADE_OPTIONS_CLIP_CULL: u32 = 8;
/// Several lowerings of a pipeline: JSON in the format of `polyshade pipeline`, in `polyshade_json_options`.
pub const POLYSHADE_OPTIONS_RECIPE: u32 = 9;
/// Tessellation as compute stages, for `polyshade_lower_tessellation`: `polyshade_capture_options`.
pub const POLYSHADE_OPTIONS_TESSELLATION: u32 = 10;

/// A kind of options. From version 1.0 on, neither number nor name changes: hashes depend on the name.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) number: u32,
    /// The name of the lowering in the program's reports.
    pub(crate) name: &'static str,
    /// The version of the lowering.
    pub(crate) version: u32,
    /// Returns the default options as JSON.
    pub(crate) default: fn() -> Value,
    /// Reads options from JSON.
    pub(crate) parse: fn(&str) -> Result<Asked, Failure>,
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::json("the options", &error))
}

pub(crate) fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).expect("all keys are strings or numbers")
}

macro_rules! kinds {
    ($($Name:ident($number:literal, $name:literal, $verb:literal, $version:expr)
        $Options:ty => $lower:expr, $page:literal;)*) => {
        /// Options of any kind.
        #[derive(Clone, Debug)]
        pub(crate) enum Asked {
            CaptureStorage(Storage),
            $($Name($Options),)*
            Recipe(Box<Recipe>),
            Tessellation(Tessellation),
        }

        /// All kinds, by their numbers.
        static KINDS: &[Kind] = &[
            Kind {
                number: POLYSHADE_OPTIONS_CAPTURE_STORAGE,
                name: "transform_feedback",
                version: transform_feedback::VERSION,
                default: || value(&Storage::default()),
                parse: |text| Ok(Asked::CaptureStorage(parse(text)?)),
            },
            $(Kind {
                number: $number,
                name: $name,
                version: $version,
                default: || value(&<$Options>::default()),
                parse: |text| Ok(Asked::$Name(parse(text)?)),
            },)*
            Kind {
                number: POLYSHADE_OPTIONS_RECIPE,
                name: "recipe",
                version: recipe::VERSION,
                default: || value(&Recipe::default()),
                parse: |text| Ok(Asked::Recipe(Box::new(parse(text)?))),
            },
            Kind {
                number: POLYSHADE_OPTIONS_TESSELLATION,
                name: "tessellation",
                version: tessellation::VERSION,
                default: || value(&Tessellation::default()),
                parse: |text| Ok(Asked::Tessellation(parse(text)?)),
            },
        ];

        impl Asked {
            /// The options as JSON.
            pub(crate) fn to_value(&self) -> Value {
                match self {
                    Self::CaptureStorage(options) => value(options),
                    $(Self::$Name(options) => value(options),)*
                    Self::Recipe(options) => value(options),
                    Self::Tessellation(options) => value(options),
                }
            }

            fn number(&self) -> u32 {
                match self {
                    Self::CaptureStorage(_) => POLYSHADE_OPTIONS_CAPTURE_STORAGE,
                    $(Self::$Name(_) => $number,)*
                    Self::Recipe(_) => POLYSHADE_OPTIONS_RECIPE,
                    Self::Tessellation(_) => POLYSHADE_OPTIONS_TESSELLATION,
                }
            }
        }
    };
}

polyshade::lowerings!(kinds);

impl Kind {
    /// Returns the kind with this number.
    pub(crate) fn of(number: u32) -> Result<&'static Self, Failure> {
        let found = KINDS.iter().find(|kind| kind.number == number);
        found.ok_or_else(|| Failure::argument(format!("unknown kind {number} of options")))
    }
}

impl Asked {
    /// Returns the kind of the options.
    pub(crate) fn kind(&self) -> &'static Kind {
        Kind::of(self.number()).expect("the table has all kinds")
    }
}

impl Default for Storage {
    fn default() -> Self {
        Self { variants: capture_only(), options: transform_feedback::Options::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_the_numbers_of_the_table() {
        let named = [
            (POLYSHADE_OPTIONS_CAPTURE_STORAGE, "transform_feedback"),
            (POLYSHADE_OPTIONS_CAPTURE_EXTENSION, "transform_feedback_extension"),
            (POLYSHADE_OPTIONS_VERTEX_PULLING, "vertex_pulling"),
            (POLYSHADE_OPTIONS_POSITION_ONLY, "position_only"),
            (POLYSHADE_OPTIONS_CLIP_SPACE, "clip_space"),
            (POLYSHADE_OPTIONS_RASTERIZER_DISCARD, "rasterizer_discard"),
            (POLYSHADE_OPTIONS_ADVANCED_BLEND, "advanced_blend"),
            (POLYSHADE_OPTIONS_CLIP_CULL, "clip_cull"),
            (POLYSHADE_OPTIONS_RECIPE, "recipe"),
            (POLYSHADE_OPTIONS_TESSELLATION, "tessellation"),
        ];
        assert_eq!(KINDS.iter().map(|kind| (kind.number, kind.name)).collect::<Vec<_>>(), named);
    }
}
