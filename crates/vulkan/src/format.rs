//! The formats of texels and vertex attributes: their sizes, and the values of their bytes.

use ash::vk;

/// Consecutive formats that differ only in the interpretation of their components.
struct Family {
    first: vk::Format,
    last: vk::Format,
    components: u64,
    /// The size of a component in bytes.
    width: u64,
}

const fn family(first: vk::Format, last: vk::Format, components: u64, width: u64) -> Family {
    Family { first, last, components, width }
}

/// The formats whose components have whole bytes, in the order red, green, blue, alpha.
const FAMILIES: &[Family] = &[
    family(vk::Format::R8_UNORM, vk::Format::R8_SRGB, 1, 1),
    family(vk::Format::R8G8_UNORM, vk::Format::R8G8_SRGB, 2, 1),
    family(vk::Format::R8G8B8_UNORM, vk::Format::R8G8B8_SRGB, 3, 1),
    family(vk::Format::R8G8B8A8_UNORM, vk::Format::R8G8B8A8_SRGB, 4, 1),
    family(vk::Format::R16_UNORM, vk::Format::R16_SFLOAT, 1, 2),
    family(vk::Format::R16G16_UNORM, vk::Format::R16G16_SFLOAT, 2, 2),
    family(vk::Format::R16G16B16_UNORM, vk::Format::R16G16B16_SFLOAT, 3, 2),
    family(vk::Format::R16G16B16A16_UNORM, vk::Format::R16G16B16A16_SFLOAT, 4, 2),
    family(vk::Format::R32_UINT, vk::Format::R32_SFLOAT, 1, 4),
    family(vk::Format::R32G32_UINT, vk::Format::R32G32_SFLOAT, 2, 4),
    family(vk::Format::R32G32B32_UINT, vk::Format::R32G32B32_SFLOAT, 3, 4),
    family(vk::Format::R32G32B32A32_UINT, vk::Format::R32G32B32A32_SFLOAT, 4, 4),
    family(vk::Format::R64_UINT, vk::Format::R64_SFLOAT, 1, 8),
    family(vk::Format::R64G64_UINT, vk::Format::R64G64_SFLOAT, 2, 8),
    family(vk::Format::R64G64B64_UINT, vk::Format::R64G64B64_SFLOAT, 3, 8),
    family(vk::Format::R64G64B64A64_UINT, vk::Format::R64G64B64A64_SFLOAT, 4, 8),
];

/// Returns the size of a texel or an attribute in bytes; `None` for a format that this crate does not know.
pub(crate) fn size(format: vk::Format) -> Option<u64> {
    use vk::Format as F;
    if let Some(family) = family_of(format) {
        return Some(family.components * family.width);
    }
    match format {
        F::D16_UNORM | F::R5G6B5_UNORM_PACK16 | F::A1R5G5B5_UNORM_PACK16 => Some(2),
        F::D32_SFLOAT | F::B10G11R11_UFLOAT_PACK32 | F::E5B9G9R9_UFLOAT_PACK32 => Some(4),
        _ => {
            let packed = (F::B8G8R8A8_UNORM..=F::A2B10G10R10_SINT_PACK32).contains(&format);
            packed.then_some(4)
        }
    }
}

/// Whether texels of this format are depth values.
pub(crate) fn is_depth(format: vk::Format) -> bool {
    matches!(format, vk::Format::D16_UNORM | vk::Format::D32_SFLOAT)
}

/// The only aspect of an image of this format.
pub(crate) fn aspect(format: vk::Format) -> vk::ImageAspectFlags {
    if is_depth(format) { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR }
}

/// The depth in a texel.
pub(crate) fn depth(format: vk::Format, texel: &[u8]) -> Option<f32> {
    match (format, texel) {
        (vk::Format::D16_UNORM, &[a, b]) => {
            Some(f32::from(u16::from_ne_bytes([a, b])) / f32::from(u16::MAX))
        }
        (vk::Format::D32_SFLOAT, &[a, b, c, d]) => Some(f32::from_ne_bytes([a, b, c, d])),
        _ => None,
    }
}

/// The colour in a texel, as a clear value; `None` for a format that this crate cannot read.
pub(crate) fn colour(format: vk::Format, texel: &[u8]) -> Option<vk::ClearColorValue> {
    components(format, texel, [0; 4]).map(|bits| vk::ClearColorValue { uint32: bits })
}

/// Returns the 32 bits of each component of a texel. Components that the format lacks come from `rest`.
fn components(format: vk::Format, texel: &[u8], rest: [u32; 4]) -> Option<[u32; 4]> {
    let family = family_of(format)?;
    let read = Reading::of(family, format)?;
    let mut bits = rest;
    for (component, bits) in texel.chunks_exact(family.width as usize).zip(&mut bits) {
        *bits = read.bits(component)?;
    }
    Some(bits)
}

/// Returns the texels in these bytes as shaders read them: four 32-bit values per texel.
///
/// Components that the format lacks come from (0, 0, 0, 1). Returns `None` for a format that this crate cannot read.
pub fn texel_words(format: vk::Format, bytes: &[u8]) -> Option<Vec<[u32; 4]>> {
    let is_integer = family_of(format)
        .and_then(|family| Reading::of(family, format))
        .is_some_and(|reading| matches!(reading, Reading::Uint | Reading::Sint));
    let one = if is_integer { 1 } else { 1_f32.to_bits() };
    let texel = |texel: &[u8]| match is_depth(format) {
        true => depth(format, texel).map(|depth| [depth.to_bits(), 0, 0, one]),
        false => components(format, texel, [0, 0, 0, one]),
    };
    bytes.chunks_exact(size(format)? as usize).map(texel).collect()
}

fn family_of(format: vk::Format) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| (family.first..=family.last).contains(&format))
}

/// The interpretation of a component.
#[derive(Clone, Copy)]
enum Reading {
    Unorm,
    Snorm,
    Uint,
    Sint,
    Float,
}

impl Reading {
    fn of(family: &Family, format: vk::Format) -> Option<Reading> {
        let nth = format.as_raw() - family.first.as_raw();
        match (family.width, nth) {
            (1 | 2, 0) => Some(Reading::Unorm),
            (1 | 2, 1) => Some(Reading::Snorm),
            (1 | 2, 4) | (4, 0) => Some(Reading::Uint),
            (1 | 2, 5) | (4, 1) => Some(Reading::Sint),
            (2, 6) | (4, 2) => Some(Reading::Float),
            // Scaled formats are for vertex attributes; sRGB and 64-bit clear values differ from the stored bits.
            _ => None,
        }
    }

    /// Returns the 32 bits of a component as a float or an integer.
    fn bits(self, component: &[u8]) -> Option<u32> {
        let (value, signed, most) = match *component {
            [a] => (u32::from(a), i32::from(a.cast_signed()), u32::from(u8::MAX)),
            [a, b] => {
                let value = u16::from_ne_bytes([a, b]);
                (u32::from(value), i32::from(value.cast_signed()), u32::from(u16::MAX))
            }
            [a, b, c, d] => {
                let value = u32::from_ne_bytes([a, b, c, d]);
                (value, value.cast_signed(), u32::MAX)
            }
            _ => return None,
        };
        Some(match self {
            Reading::Unorm => (value as f32 / most as f32).to_bits(),
            Reading::Snorm => (signed as f32 / (most / 2) as f32).max(-1.0).to_bits(),
            Reading::Uint => value,
            Reading::Sint => signed.cast_unsigned(),
            Reading::Float if component.len() == 2 => half(value).to_bits(),
            Reading::Float => value,
        })
    }
}

/// The value of a 16-bit float.
fn half(bits: u32) -> f32 {
    let (exponent, fraction) = (bits >> 10 & 31, bits & 0x3ff);
    let magnitude = match exponent {
        0 => fraction as f32 / (1 << 24) as f32,
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    if bits >> 15 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_specification() {
        assert_eq!(size(vk::Format::R8_SNORM), Some(1));
        assert_eq!(size(vk::Format::R8G8B8_UINT), Some(3));
        assert_eq!(size(vk::Format::B8G8R8A8_SRGB), Some(4));
        assert_eq!(size(vk::Format::A2B10G10R10_UINT_PACK32), Some(4));
        assert_eq!(size(vk::Format::R16G16B16_SFLOAT), Some(6));
        assert_eq!(size(vk::Format::R64G64B64A64_SFLOAT), Some(32));
        assert_eq!(size(vk::Format::BC1_RGB_UNORM_BLOCK), None);
    }

    #[test]
    fn texels_are_read_as_their_format_says() {
        let read = |format, texel: &[u8]| {
            // SAFETY: all members of the union have the same size and any bits.
            colour(format, texel).map(|colour| unsafe { colour.uint32 })
        };
        let one = 1_f32.to_bits();
        assert_eq!(read(vk::Format::R8G8B8A8_UNORM, &[255, 0, 255, 0]), Some([one, 0, one, 0]));
        assert_eq!(read(vk::Format::R8_SNORM, &[0x80]), Some([(-1_f32).to_bits(), 0, 0, 0]));
        assert_eq!(read(vk::Format::R8G8_SINT, &[0xff, 1]), Some([u32::MAX, 1, 0, 0]));
        let halves = [0x3c00_u16, 0xc100].map(u16::to_ne_bytes).concat();
        let expected = [one, (-2.5_f32).to_bits(), 0, 0];
        assert_eq!(read(vk::Format::R16G16_SFLOAT, &halves), Some(expected));
        assert_eq!(read(vk::Format::R32_UINT, &7_u32.to_ne_bytes()), Some([7, 0, 0, 0]));
        assert_eq!(read(vk::Format::R8G8B8A8_SRGB, &[0; 4]), None);
        let shorts = [1, 0xffff, 3, 0].map(u16::to_ne_bytes).concat();
        let texels = texel_words(vk::Format::R16G16_SINT, &shorts);
        assert_eq!(texels, Some(vec![[1, u32::MAX, 0, 1], [3, 0, 0, 1]]));
        let grey = texel_words(vk::Format::R8_UNORM, &[255]);
        assert_eq!(grey, Some(vec![[one, 0, 0, one]]));
        assert_eq!(half(1), 2_f32.powi(-24));
        assert_eq!(depth(vk::Format::D16_UNORM, &[255, 255]), Some(1.0));
    }
}
