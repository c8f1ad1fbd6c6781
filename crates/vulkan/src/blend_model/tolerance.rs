//! The tolerance for comparing results with the model: equations have discontinuities, and numbers may cancel.

use super::{Clamping, blend};
use crate::blend::AdvancedBlend;
use ash::vk;

/// The error of inputs and results, in units in the last place.
const UNITS: f64 = 4.0;
/// The additional error of results: equations add and subtract numbers up to 1, which are rounded and may cancel.
const ROUNDING: f64 = 1.0 / (1 << 23) as f64;

/// The additional error for equations of hue, saturation and luminosity. They round numbers up to 1 a dozen times, and
/// each step may stretch the error of the previous step over its whole range.
const HSL_ROUNDING: f64 = 1.0 / (1 << 19) as f64;

fn rounding(operation: vk::BlendOp) -> f64 {
    match operation {
        vk::BlendOp::HSL_HUE_EXT
        | vk::BlendOp::HSL_SATURATION_EXT
        | vk::BlendOp::HSL_COLOR_EXT
        | vk::BlendOp::HSL_LUMINOSITY_EXT => HSL_ROUNDING,
        _ => ROUNDING,
    }
}

fn ulp(value: f64) -> f64 {
    let value = (value as f32).abs().max(f32::MIN_POSITIVE);
    f64::from(value.next_up()) - f64::from(value)
}

/// Returns the least and the greatest valid result per component; `None` if `operation` is not an advanced operation.
///
/// The bounds are the extremes of the model for slightly wrong inputs, plus rounding errors of the result. Inputs of
/// exactly 0 or 1 are not changed.
pub fn range(
    operation: vk::BlendOp,
    how: AdvancedBlend,
    clamping: Clamping,
    source: [f32; 4],
    destination: [f32; 4],
) -> Option<[[f64; 2]; 4]> {
    let mut range = [[f64::INFINITY, f64::NEG_INFINITY]; 4];
    // Changes the components of each colour together, and its alpha: down, not at all, or up.
    let mut visit = |offsets: [f64; 8]| {
        let off = |at: usize, value: f32, alpha: f32| {
            // Equations branch at 0 and 1, which no division by alpha changes.
            let is_exact = value == 0.0 || value == 1.0 && alpha == 1.0 || !value.is_finite();
            let value = f64::from(value);
            if is_exact { value } else { value + offsets[at] * UNITS * ulp(value) }
        };
        let s = [0, 1, 2, 3].map(|i| off(i, source[i], source[3]));
        let d = [0, 1, 2, 3].map(|i| off(4 + i, destination[i], destination[3]));
        for (range, value) in range.iter_mut().zip(blend(operation, how, clamping, s, d)?) {
            *range = [range[0].min(value), range[1].max(value)];
        }
        Some(())
    };
    for number in 0..81_u32 {
        let digit = |place: u32| f64::from(number / 3_u32.pow(place) % 3) - 1.0;
        let [s, d, sa, da] = [0, 1, 2, 3].map(digit);
        visit([s, s, s, sa, d, d, d, da])?;
    }
    for number in 0..64_u32 {
        let sign = |bit: u32| f64::from(number >> bit & 1) * 2.0 - 1.0;
        visit([sign(0), sign(1), sign(2), 0.0, sign(3), sign(4), sign(5), 0.0])?;
    }
    let exact = blend(operation, how, clamping, source.map(f64::from), destination.map(f64::from))?;
    let rounding = match how.destination_premultiplied {
        true => rounding(operation),
        false => rounding(operation) / exact[3].abs().max(ROUNDING),
    };
    let slack = |value: f64| UNITS * ulp(value) + rounding;
    Some(range.map(|[least, greatest]| [least - slack(least), greatest + slack(greatest)]))
}

/// Returns whether 32-bit float results match the model; `None` if `operation` is not an advanced operation.
pub fn is_near(
    operation: vk::BlendOp,
    how: AdvancedBlend,
    clamping: Clamping,
    (source, destination): ([f32; 4], [f32; 4]),
    result: [f32; 4],
) -> Option<bool> {
    let [s, d] = [source, destination].map(|colour| colour.map(f64::from));
    let exact = blend(operation, how, clamping, s, d)?;
    let near = |value: f32, wanted: f64| (f64::from(value) - wanted).abs() <= UNITS * ulp(wanted);
    if result.iter().zip(exact).all(|(value, wanted)| near(*value, wanted)) {
        return Some(true);
    }
    let range = range(operation, how, clamping, source, destination)?;
    let mut parts = result.iter().map(|value| f64::from(*value)).zip(range);
    Some(parts.all(|(value, [least, greatest])| (least..=greatest).contains(&value)))
}
