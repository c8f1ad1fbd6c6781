//! The formats of attachments. Only the properties that matter for blending are represented.

use crate::code;
use crate::host::named;
use polyshade_spv::Error;
use std::fmt;
use std::str::FromStr;

named! {
    /// The class of an attachment's format, which determines the clamping of colours before and after blending.
    #[derive(Default)]
    FormatClass {
        /// Unsigned normalized: the source is clamped to [0, 1].
        #[default]
        Unorm = "unorm",
        /// Signed normalized: the source is clamped to [-1, 1].
        Snorm = "snorm",
        /// Unsigned normalized and stored as sRGB. Treated like [`Unorm`](Self::Unorm), since the fetch already
        /// returns linear values. Logic operations are not supported.
        Srgb = "srgb",
        /// Floats. Colours are not clamped. Logic operations are not supported.
        Float = "float",
        /// Unsigned integers: only logic operations are supported.
        Uint = "uint",
        /// Signed integers: only logic operations are supported.
        Sint = "sint",
    }
}

impl FormatClass {
    /// Whether shaders write integers to formats of this class.
    pub fn is_integer(self) -> bool {
        match self {
            Self::Uint | Self::Sint => true,
            Self::Unorm | Self::Snorm | Self::Srgb | Self::Float => false,
        }
    }
}

/// The format of an attachment: its class, and the number of bits of each component.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Format {
    class: FormatClass,
    /// The bits of red, green, blue and alpha; 0 for an absent component.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "bits"))]
    bits: [u8; 4],
}

#[cfg(feature = "serde")]
fn bits<'de, D: serde::Deserializer<'de>>(text: D) -> Result<[u8; 4], D::Error> {
    let bits = serde::Deserialize::deserialize(text)?;
    let format = Format::new(FormatClass::default(), bits).map_err(serde::de::Error::custom)?;
    Ok(format.bits)
}

impl Format {
    /// Creates a format with `bits` bits of red, green, blue and alpha. A component has at most 32 bits; 0 means that
    /// it is absent.
    ///
    /// # Errors
    ///
    /// `Options`: a component has more than 32 bits, or there is no component.
    pub fn new(class: FormatClass, bits: [u8; 4]) -> Result<Self, Error> {
        if bits == [0; 4] || bits.iter().any(|bits| *bits > 32) {
            let message = format!("no format has components of {bits:?} bits");
            return Err(Error::new(&code::BLEND_INVALID_FORMAT, message));
        }
        Ok(Self { class, bits })
    }

    /// Returns the class.
    pub fn class(self) -> FormatClass {
        self.class
    }

    /// Returns the bits of red, green, blue and alpha; 0 for an absent component.
    pub fn bits(self) -> [u8; 4] {
        self.bits
    }

    /// Whether the format has alpha. Without alpha, it reads as 1.
    pub fn has_alpha(self) -> bool {
        self.bits[3] > 0
    }
}

/// The default is four components, each with 8 bits for normalized and sRGB classes, and 32 bits otherwise.
impl From<FormatClass> for Format {
    fn from(class: FormatClass) -> Self {
        let bits = match class {
            FormatClass::Unorm | FormatClass::Snorm | FormatClass::Srgb => 8,
            FormatClass::Float | FormatClass::Uint | FormatClass::Sint => 32,
        };
        Self { class, bits: [bits; 4] }
    }
}

impl Default for Format {
    fn default() -> Self {
        Self::from(FormatClass::default())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, bits) in "RGBA".chars().zip(self.bits).filter(|(_, bits)| *bits > 0) {
            write!(f, "{name}{bits}")?;
        }
        write!(f, " {}", self.class.name())
    }
}

/// Parses the name of a `VkFormat` of a colour attachment, with or without `VK_FORMAT_`, in upper or lower case:
/// `R8G8B8A8_UNORM`, `A2B10G10R10_UNORM_PACK32`.
impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || {
            let message = format!("`{text}` is not a format of a colour attachment");
            Error::new(&code::BLEND_INVALID_FORMAT, message)
                .help("use the name of a VkFormat, such as R8G8B8A8_UNORM or R5G6B5_UNORM_PACK16")
        };
        let name = text.trim().to_ascii_uppercase();
        let name = name.strip_prefix("VK_FORMAT_").unwrap_or(&name);
        let mut parts = name.split('_');
        let bits = parts.next().and_then(components).ok_or_else(wrong)?;
        let class = match parts.next().ok_or_else(wrong)? {
            "UNORM" => FormatClass::Unorm,
            "SNORM" => FormatClass::Snorm,
            "SRGB" => FormatClass::Srgb,
            "SFLOAT" | "UFLOAT" => FormatClass::Float,
            "UINT" => FormatClass::Uint,
            "SINT" => FormatClass::Sint,
            _ => return Err(wrong()),
        };
        let is_packed = |part: &str| matches!(part, "PACK8" | "PACK16" | "PACK32");
        let mut parts = parts.filter(|part| !matches!(*part, "KHR" | "EXT"));
        if !parts.next().is_none_or(is_packed) || parts.next().is_some() {
            return Err(wrong());
        }
        Self::new(class, bits).map_err(|_| wrong())
    }
}

/// Returns the bits of each component in a text such as `R5G6B5`.
fn components(text: &str) -> Option<[u8; 4]> {
    let mut bits = [0; 4];
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let at = "RGBA".find(letter)?;
        let digits =
            rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| end + 1);
        let count: u8 = rest[1..digits].parse().ok().filter(|count| *count > 0)?;
        if std::mem::replace(&mut bits[at], count) != 0 {
            return None;
        }
        rest = &rest[digits..];
    }
    Some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read_as_vulkan_names_them() {
        for (name, class, bits) in [
            ("R8G8B8A8_UNORM", FormatClass::Unorm, [8, 8, 8, 8]),
            ("VK_FORMAT_B8G8R8A8_SRGB", FormatClass::Srgb, [8, 8, 8, 8]),
            ("r5g6b5_unorm_pack16", FormatClass::Unorm, [5, 6, 5, 0]),
            ("A2B10G10R10_UINT_PACK32", FormatClass::Uint, [10, 10, 10, 2]),
            ("B10G11R11_UFLOAT_PACK32", FormatClass::Float, [11, 11, 10, 0]),
            ("A8_UNORM_KHR", FormatClass::Unorm, [0, 0, 0, 8]),
            ("A1B5G5R5_UNORM_PACK16_KHR", FormatClass::Unorm, [5, 5, 5, 1]),
            ("A4R4G4B4_UNORM_PACK16_EXT", FormatClass::Unorm, [4, 4, 4, 4]),
            ("R16_SNORM", FormatClass::Snorm, [16, 0, 0, 0]),
            ("R32G32_SINT", FormatClass::Sint, [32, 32, 0, 0]),
        ] {
            let format: Format = name.parse().expect(name);
            assert_eq!((format.class(), format.bits()), (class, bits), "{name}");
        }
        let others = [
            "D32_SFLOAT",
            "E5B9G9R9_UFLOAT_PACK32",
            "BC1_RGB_UNORM_BLOCK",
            "R8G8B8A8",
            "R8G8B8A8_USCALED",
            "R64_SFLOAT",
            "R8R8_UNORM",
            "R0_UNORM",
            "_UNORM",
            "",
            "R8_UNORM_PACK8_X",
            "Ä8_UNORM",
            "R_UNORM",
        ];
        for name in others {
            assert!(name.parse::<Format>().is_err(), "{name}");
        }
    }

    #[test]
    fn classes_by_themselves_are_of_four_components() {
        for class in FormatClass::ALL {
            assert_eq!(Format::from(class).class(), class);
            assert!(Format::from(class).has_alpha());
        }
        assert!(Format::new(FormatClass::Unorm, [0; 4]).is_err());
        assert!(Format::new(FormatClass::Unorm, [33, 0, 0, 0]).is_err());
    }
}
