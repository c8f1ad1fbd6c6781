//! Vertex formats and their components.

use crate::code;
use crate::host::as_text;
use polyshade_spv::Error;
use std::fmt;
use std::str::FromStr;

/// A vertex format by its Vulkan name: `VK_FORMAT_R8G8B8A8_UNORM`, or `r8g8b8a8_unorm`.
///
/// All formats with 1 to 4 components of 8, 16, 32 or 64 bits each are supported, as are `B8G8R8`, `B8G8R8A8`, and
/// formats that are packed into 8, 16 or 32 bits. Formats with sRGB, shared exponents or depth are not supported
/// (Vulkan specification, "Formats").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
pub struct Format {
    /// Red, green, blue and alpha; an absent component has 0 bits.
    fields: [Field; 4],
    numbers: Numbers,
    /// The size in bits of the unit into which all components are packed; 0 if they are not packed.
    packed: u32,
}

/// The bits of a component. Positions count from the lowest bit of the first byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Field {
    pub(super) position: u32,
    pub(super) bits: u32,
}

/// The numeric format of the components, in the order that `fetch.glsl` uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Numbers {
    Uint,
    Sint,
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Sfloat,
    /// Floating point without a sign.
    Ufloat,
}

use Numbers::{Sfloat, Sint, Snorm, Sscaled, Ufloat, Uint, Unorm, Uscaled};

const NUMBERS: [(&str, Numbers); 8] = [
    ("uint", Uint),
    ("sint", Sint),
    ("unorm", Unorm),
    ("snorm", Snorm),
    ("uscaled", Uscaled),
    ("sscaled", Sscaled),
    ("sfloat", Sfloat),
    ("ufloat", Ufloat),
];

/// The integer-based numeric formats, which exist for components of 8 bits, and for 10, 10, 10 and 2 bits.
const INTEGERS: &[Numbers] = &[Uint, Sint, Unorm, Snorm, Uscaled, Sscaled];

/// The packed formats: the components from the highest bits down, the size in bits, and the numeric formats.
const PACKED: [(&str, u32, &[Numbers]); 15] = [
    ("r4g4", 8, &[Unorm]),
    ("r4g4b4a4", 16, &[Unorm]),
    ("b4g4r4a4", 16, &[Unorm]),
    ("a4r4g4b4", 16, &[Unorm]),
    ("a4b4g4r4", 16, &[Unorm]),
    ("r5g6b5", 16, &[Unorm]),
    ("b5g6r5", 16, &[Unorm]),
    ("r5g5b5a1", 16, &[Unorm]),
    ("b5g5r5a1", 16, &[Unorm]),
    ("a1r5g5b5", 16, &[Unorm]),
    ("a1b5g5r5", 16, &[Unorm]),
    ("a8b8g8r8", 32, INTEGERS),
    ("a2r10g10b10", 32, INTEGERS),
    ("a2b10g10r10", 32, INTEGERS),
    ("b10g11r11", 32, &[Ufloat]),
];

/// The possible orders of unpacked components in memory.
const ORDERS: [&str; 6] = ["r", "rg", "rgb", "rgba", "bgr", "bgra"];

const COMPONENTS: [char; 4] = ['r', 'g', 'b', 'a'];

impl Format {
    /// Returns all formats.
    pub fn all() -> impl Iterator<Item = Self> {
        let alone = [8, 16, 32, 64].into_iter().flat_map(|bits| {
            let orders = if bits == 8 { &ORDERS[..] } else { &ORDERS[..4] };
            let each =
                move |order: &'static str| alone(bits).iter().map(move |numbers| (order, *numbers));
            let formats = orders.iter().flat_map(move |order| each(order));
            formats.map(move |(order, numbers)| {
                let parts = order.chars().map(|component| (component, bits)).collect::<Vec<_>>();
                Self::new(&parts, numbers, 0)
            })
        });
        let packed = PACKED.iter().flat_map(|(order, packed, numbers)| {
            numbers.iter().filter_map(move |one| Some(Self::new(&parts(order)?, *one, *packed)))
        });
        alone.chain(packed)
    }

    /// Creates a format with these components, in the order of their names.
    fn new(parts: &[(char, u32)], numbers: Numbers, packed: u32) -> Self {
        let mut fields = [Field::default(); 4];
        let mut end = packed;
        let mut begin = 0;
        for (component, bits) in parts {
            let position = if packed == 0 { begin } else { end - bits };
            (begin, end) = (begin + bits, end.saturating_sub(*bits));
            let number = COMPONENTS.iter().position(|one| one == component).unwrap_or(0);
            fields[number] = Field { position, bits: *bits };
        }
        Self { fields, numbers, packed }
    }

    /// Returns the size of an attribute in bytes.
    pub fn size(self) -> u32 {
        self.fields.iter().map(|field| field.position + field.bits).max().unwrap_or(0) / 8
    }

    /// Returns the required alignment of the address and the stride, in bytes: the size of a component, or of the
    /// whole attribute if it is packed.
    pub fn alignment(self) -> u32 {
        if self.packed == 0 { self.fields[0].bits / 8 } else { self.packed / 8 }
    }

    /// Returns the host parameters `attribute_format_N` and `attribute_layout_N` for this format.
    ///
    /// In the first parameter, bits 7 · c to 7 · c + 6 hold the number of bits of component c (0 if it is absent).
    /// Bits 28 to 30 hold the numeric format: 0 to 6 mean UINT, SINT, UNORM, SNORM, USCALED, SSCALED, and floats with
    /// or without a sign. In the second parameter, bits 8 · c to 8 · c + 7 hold the position of the lowest bit of
    /// component c. If both parameters are 0, there is no format, and the shader reads (0, 0, 0, 1). An input of
    /// 64-bit components is always read with a 64-bit format that has all its components, whatever the parameters
    /// are.
    pub fn words(self) -> [u32; 2] {
        let kind = (self.numbers as u32).min(Sfloat as u32);
        let (mut widths, mut positions) = (kind << 28, 0);
        for (component, field) in (0..).zip(self.fields) {
            widths |= field.bits << (7 * component);
            positions |= field.position << (8 * component);
        }
        [widths, positions]
    }

    pub(super) fn field(self, component: u32) -> Field {
        self.fields[component as usize]
    }

    pub(super) fn numbers(self) -> Numbers {
        self.numbers
    }

    pub(super) fn is_wide(self) -> bool {
        self.fields[0].bits == 64
    }

    /// Whether the attribute consists of 32-bit words at multiples of 4, each holding one component or a part of one.
    pub(super) fn is_in_words(self) -> bool {
        self.alignment().is_multiple_of(4)
    }
}

/// Returns the numeric formats of unpacked components of this size.
fn alone(bits: u32) -> &'static [Numbers] {
    match bits {
        8 => INTEGERS,
        16 => &[Uint, Sint, Unorm, Snorm, Uscaled, Sscaled, Sfloat],
        _ => &[Uint, Sint, Sfloat],
    }
}

/// Returns the components of a text such as `a2b10g10r10` and their sizes in bits, in the order of the text.
fn parts(text: &str) -> Option<Vec<(char, u32)>> {
    let mut rest = text;
    let mut parts = Vec::new();
    while let Some(component) = rest.chars().next() {
        let behind = rest.strip_prefix(COMPONENTS)?;
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        parts.push((component, behind[..digits].parse().ok()?));
        rest = &behind[digits..];
    }
    (!parts.is_empty()).then_some(parts)
}

impl fmt::Display for Format {
    /// Writes the Vulkan name in lower case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<(char, Field)> = COMPONENTS.into_iter().zip(self.fields).collect();
        parts.retain(|(_, field)| field.bits > 0);
        parts.sort_by_key(|(_, field)| field.position);
        if self.packed > 0 {
            parts.reverse();
        }
        for (component, field) in parts {
            write!(f, "{component}{}", field.bits)?;
        }
        let (name, _) = NUMBERS[self.numbers as usize];
        write!(f, "_{name}")?;
        if self.packed > 0 {
            write!(f, "_pack{}", self.packed)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let small = text.to_ascii_lowercase();
        let name = small.strip_prefix("vk_format_").unwrap_or(&small);
        let found = Self::all().find(|format| format.to_string() == name);
        found.ok_or_else(|| {
            let message = format!("`{text}` is not a vertex format such as r8g8b8a8_unorm");
            Error::new(&code::VERTEX_PULLING_INVALID_FORMAT, message)
        })
    }
}

as_text!(Format);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_read_from_its_name() {
        let all: Vec<Format> = Format::all().collect();
        assert_eq!(all.len(), 36 + 4 * 7 + 4 * 3 + 4 * 3 + 11 + 18 + 1);
        for format in all {
            let name = format.to_string();
            assert_eq!(name.parse::<Format>(), Ok(format));
            assert_eq!(format!("VK_FORMAT_{}", name.to_uppercase()).parse::<Format>(), Ok(format));
        }
    }

    #[test]
    fn components_lie_where_vulkan_has_them() {
        let fields = |name: &str| {
            let format: Format = name.parse().expect("it is a format");
            format.fields.map(|field| (field.position, field.bits))
        };
        assert_eq!(fields("b8g8r8a8_unorm"), [(16, 8), (8, 8), (0, 8), (24, 8)]);
        assert_eq!(fields("a8b8g8r8_unorm_pack32"), [(0, 8), (8, 8), (16, 8), (24, 8)]);
        assert_eq!(fields("a2b10g10r10_snorm_pack32"), [(0, 10), (10, 10), (20, 10), (30, 2)]);
        assert_eq!(fields("a2r10g10b10_unorm_pack32"), [(20, 10), (10, 10), (0, 10), (30, 2)]);
        assert_eq!(fields("b10g11r11_ufloat_pack32"), [(0, 11), (11, 11), (22, 10), (0, 0)]);
        assert_eq!(fields("r5g6b5_unorm_pack16"), [(11, 5), (5, 6), (0, 5), (0, 0)]);
        assert_eq!(fields("r64g64_sfloat"), [(0, 64), (64, 64), (0, 0), (0, 0)]);
    }

    #[test]
    fn what_does_not_exist_is_no_format() {
        for name in [
            "",
            "r8g16_unorm",
            "r32_unorm",
            "g8_unorm",
            "r8g8b8a8_srgb",
            "r8",
            "a8b8g8r8_unorm",
            "_pack32",
        ] {
            assert!(name.parse::<Format>().unwrap_err().to_string().contains(name));
        }
    }
}
