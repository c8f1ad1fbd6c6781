//! Prints numbers of a type.

use polyshade_spv::Op;

/// Formats the number at the start of `words`, of the type that the instruction `of` declares. Returns the text and
/// the number of words; `None` if assembly cannot express the number.
pub(super) fn print(of: &[u32], words: &[u32]) -> Option<(String, usize)> {
    let width = *of.get(2)?;
    let bits = match width {
        1..=32 => u64::from(words[0]),
        33..=64 => u64::from(*words.get(1)?) << 32 | u64::from(words[0]),
        _ => return None,
    };
    let text = match Op(of[0] as u16) {
        Op::TYPE_INT => integer(bits, width, *of.get(3)? != 0)?,
        // A fourth word would select an encoding other than IEEE 754.
        Op::TYPE_FLOAT if of.len() == 3 => float(bits, width)?,
        _ => return None,
    };
    Some((text, width.div_ceil(32) as usize))
}

/// Formats an integer. Narrow integers must be sign- or zero-extended to a whole word (SPIR-V specification, 2.2.1).
fn integer(bits: u64, width: u32, is_signed: bool) -> Option<String> {
    let whole = width.div_ceil(32) * 32;
    let extended = if is_signed {
        let value = (bits << (64 - width)) as i64 >> (64 - width);
        (value as u64 & (u64::MAX >> (64 - whole)), value.to_string())
    } else {
        let value = bits & (u64::MAX >> (64 - width));
        (value, value.to_string())
    };
    (extended.0 == bits).then_some(extended.1)
}

/// Formats a float, in decimal if every parser gets the same number from the text, else in hexadecimal.
fn float(bits: u64, width: u32) -> Option<String> {
    match width {
        32 if f32::from_bits(bits as u32).is_normal() || bits as u32 & !SIGN == 0 => {
            Some(decimal(&f32::from_bits(bits as u32)))
        }
        64 if f64::from_bits(bits).is_normal() || bits << 1 == 0 => {
            Some(decimal(&f64::from_bits(bits)))
        }
        16 if bits >> 16 == 0 => Some(hexadecimal(bits, 16, 10)),
        32 => Some(hexadecimal(bits, 32, 23)),
        64 => Some(hexadecimal(bits, 64, 52)),
        _ => None,
    }
}

const SIGN: u32 = 1 << 31;

/// Returns the shortest text that is parsed as this number, with an exponent if the text would be long.
fn decimal(value: &(impl std::fmt::Display + std::fmt::LowerExp)) -> String {
    let plain = value.to_string();
    if plain.len() <= 12 { plain } else { format!("{value:e}") }
}

/// Prints `-0x1.8p+3`; infinities and NaNs have the exponent above the largest, as SPIRV-Tools reads it.
fn hexadecimal(bits: u64, width: u32, fraction_bits: u32) -> String {
    let sign = if bits >> (width - 1) & 1 != 0 { "-" } else { "" };
    let bias = (1_i64 << (width - fraction_bits - 2)) - 1;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let exponent = (bits >> fraction_bits & ((1 << (width - fraction_bits - 1)) - 1)) as i64;
    let (fraction, exponent) = match (exponent, fraction) {
        (0, 0) => return format!("{sign}0x0p+0"),
        (0, _) => {
            // A denormal number: its first bit becomes the 1 before the point.
            let shift = fraction_bits + 1 - (64 - fraction.leading_zeros());
            (fraction << shift & ((1 << fraction_bits) - 1), 1 - bias - i64::from(shift))
        }
        _ => (fraction, exponent - bias),
    };
    // Enough hexadecimal digits for the fraction, without zeros at the end.
    let digits = fraction_bits.div_ceil(4);
    let fraction =
        format!("{:0width$x}", fraction << (4 * digits - fraction_bits), width = digits as usize);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}0x1{point}{fraction}p{exponent:+}")
}
