//! The specified value of an attribute, derived only from the name of its format.

use crate::noise::Noise;

/// The type of number that a shader reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Read {
    Float,
    Int,
    Uint,
}

/// A format, derived only from its name.
pub(crate) struct Reference {
    /// For red, green, blue and alpha: the first bit and the number of bits.
    pub(super) fields: [(u32, u32); 4],
    pub(crate) bytes: u32,
    pub(super) numbers: String,
}

impl Reference {
    pub(crate) fn of(name: &str) -> Reference {
        let mut parts = name.split('_');
        let order = parts.next().expect("a name has components");
        let numbers = parts.next().expect("a name has a kind").to_owned();
        let is_packed = parts.next().is_some();
        // Split the name into components with their sizes.
        let mut components = Vec::new();
        for letter in order
            .split_inclusive(|c: char| c.is_ascii_alphabetic())
            .skip(1)
            .zip(order.chars().filter(char::is_ascii_alphabetic))
        {
            let bits: u32 =
                letter.0.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().expect("bits");
            components.push((letter.1, bits));
        }
        // Packed formats begin with the most significant bits.
        if is_packed {
            components.reverse();
        }
        let mut fields = [(0, 0); 4];
        let mut bit = 0;
        for (letter, bits) in components {
            fields["rgba".find(letter).expect("a component")] = (bit, bits);
            bit += bits;
        }
        Reference { fields, bytes: bit / 8, numbers }
    }

    pub(super) fn read(&self) -> Read {
        match self.numbers.as_str() {
            "uint" => Read::Uint,
            "sint" => Read::Int,
            _ => Read::Float,
        }
    }

    pub(super) fn is_wide(&self) -> bool {
        self.fields[0].1 == 64
    }

    pub(super) fn count(&self) -> usize {
        self.fields.iter().filter(|field| field.1 > 0).count()
    }

    /// Decodes an attribute: four components of 32 or 64 bits.
    pub(crate) fn decode(&self, bytes: &[u8]) -> Vec<u64> {
        let bit = |position: u32| u64::from(bytes[position as usize / 8] >> (position % 8) & 1);
        (0..4)
            .map(|component| {
                let (first, bits) = self.fields[component];
                match bits {
                    0 => self.absent(component),
                    _ => self.number((0..bits).map(|one| bit(first + one) << one).sum(), bits),
                }
            })
            .collect()
    }

    fn absent(&self, component: usize) -> u64 {
        match (component, self.read(), self.is_wide()) {
            (0..3, ..) => 0,
            (_, Read::Float, true) => 1.0_f64.to_bits(),
            (_, Read::Float, false) => u64::from(1.0_f32.to_bits()),
            _ => 1,
        }
    }

    fn number(&self, raw: u64, bits: u32) -> u64 {
        let signed = (raw << (64 - bits)).cast_signed() >> (64 - bits);
        let float = |value: f64| u64::from((value as f32).to_bits());
        match self.numbers.as_str() {
            "uint" => raw,
            "sint" if bits == 64 => raw,
            "sint" => u64::from(signed as u32),
            "unorm" => float(raw as f64 / ((1_u64 << bits) - 1) as f64),
            "snorm" => float((signed as f64 / ((1_u64 << (bits - 1)) - 1) as f64).max(-1.0)),
            "uscaled" => float(raw as f64),
            "sscaled" => float(signed as f64),
            "sfloat" if bits >= 32 => raw,
            "sfloat" => small(raw & 0x7fff, 10) | (raw & 0x8000) << 16,
            _ => small(raw, bits - 5),
        }
    }
}

/// Converts the bits of a float with 5 exponent bits to those of a 32-bit float.
fn small(raw: u64, mantissa: u32) -> u64 {
    let (exponent, rest) = (raw >> mantissa, raw & ((1 << mantissa) - 1));
    let fraction = rest as f64 / (1_u64 << mantissa) as f64;
    match exponent {
        31 => 0x7f80_0000 | rest << (23 - mantissa),
        0 => u64::from(((fraction * 2.0_f64.powi(-14)) as f32).to_bits()),
        _ => {
            let scale = 2.0_f64.powi(exponent as i32 - 15);
            u64::from((((1.0 + fraction) * scale) as f32).to_bits())
        }
    }
}

/// Returns elements of a format: every value of components with up to 16 bits, and many values of larger components.
pub(super) fn elements(reference: &Reference) -> Vec<Vec<u8>> {
    const FLOATS: [u32; 14] = [
        0,
        1 << 31,
        0x3f80_0000,
        0xbf80_0000,
        1,
        0x8000_0001,
        0x007f_ffff,
        0x0080_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x7f80_0001,
        0xffa5_a5a5,
    ];
    let widest = reference.fields.iter().map(|field| field.1).max().unwrap_or(0);
    let is_packed = reference.fields[0].1 < 32 && widest != 8 && widest != 16;
    let count = match widest {
        8 => 256,
        // All values are tested with only one format for each kind of number.
        16 if reference.bytes != 8 => 1 << 10,
        16 => 1 << 16,
        _ if reference.bytes <= 2 => 1 << (8 * reference.bytes),
        _ if is_packed => 1 << 14,
        _ => 1 << 10,
    };
    let mut random = Noise::new();
    (0..count)
        .map(|number: u32| match widest {
            _ if reference.bytes <= 2 => number.to_le_bytes()[..reference.bytes as usize].to_vec(),
            8 => (0..reference.bytes).map(|byte| (number + 85 * byte) as u8).collect(),
            16 => {
                let component = |one: u32| ((number + 0x5555 * one) as u16).to_le_bytes();
                (0..reference.bytes / 2).flat_map(component).collect()
            }
            _ if is_packed && number < 1 << 11 => {
                // Every value of each field.
                let field = |(first, bits): (u32, u32)| (number & ((1_u32 << bits) - 1)) << first;
                let packed =
                    reference.fields.iter().map(|one| field(*one)).fold(0, |all, one| all | one);
                packed.to_le_bytes().to_vec()
            }
            _ => (0..reference.bytes / 4)
                .flat_map(|one| match FLOATS.get(number as usize) {
                    Some(float) if one % 2 == 0 => float.to_le_bytes(),
                    _ => random.bits().to_le_bytes(),
                })
                .collect(),
        })
        .collect()
}

/// Returns the low and the high word of each component.
pub(super) fn halves(components: Vec<u64>) -> impl Iterator<Item = u32> {
    components.into_iter().flat_map(|bits| [bits as u32, (bits >> 32) as u32])
}

/// Returns whether a word is correct. Normalized numbers may be off by one, because division is not exact (Vulkan
/// specification, "Precision of Individual Operations"). SwiftShader multiplies by the reciprocal.
pub(super) fn is_right(reference: &Reference, found: u32, expected: u32) -> bool {
    let is_divided = ["unorm", "snorm"].contains(&reference.numbers.as_str());
    found == expected || is_divided && found.abs_diff(expected) <= 1
}
