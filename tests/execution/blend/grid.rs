//! Colours that meet each other: one pixel for each pair of a source and a destination.

use super::{Mode, clamping};
use crate::noise::Noise;
use polyshade::advanced_blend::{Alpha, Equation, FormatClass};
use polyshade_vulkan::blend_model::blend;
use polyshade_vulkan::vk;

/// As many sources as destinations.
pub(crate) const SIDE: u32 = 64;

/// Colours that are not premultiplied, with the corners of every equation: 0, 1, a quarter, a half, equal components,
/// what rounding makes of greys, and out of range where the format keeps it.
fn straight(format: FormatClass) -> Vec<[f32; 4]> {
    let mut colours: Vec<[f32; 4]> = Vec::new();
    for alpha in [1.0, 0.5, 0.0, 0.25] {
        for [r, g, b] in [
            [0.0, 0.0, 0.0],
            [1.0, 1.0, 1.0],
            [1.0, 0.0, 0.5],
            [0.25, 0.5, 0.75],
            [0.5, 0.5, 0.5],
            [29.0 / 255.0; 3],
            [0.0, 1.0, 1.0],
        ] {
            colours.push([r, g, b, alpha]);
        }
    }
    match format {
        FormatClass::Unorm => {}
        FormatClass::Snorm => colours.extend([[-1.0, 0.5, 0.25, 1.0], [-0.5, -0.25, -1.0, 0.5]]),
        FormatClass::Float => colours.extend([
            [1.0625, 0.5, 0.0, 1.0],
            [-0.0625, 0.25, 1.0, 1.0],
            [1.125, 1.0625, 1.0, 0.5],
            [0.5, -0.125, 0.75, 0.75],
        ]),
    }
    let mut noise = Noise::new();
    while colours.len() < SIDE as usize {
        // Every other one as images have them.
        let steps = if colours.len().is_multiple_of(2) { 255 } else { 1 << 16 };
        colours.push([0; 4].map(|_: u32| noise.below(steps + 1) as f32 / steps as f32));
    }
    colours
}

/// The colours, premultiplied where they are to be.
fn colours(alpha: Alpha, format: FormatClass) -> Vec<[f32; 4]> {
    let mut colours = straight(format);
    if alpha == Alpha::Premultiplied {
        for [r, g, b, a] in &mut colours {
            for component in [r, g, b] {
                *component *= *a;
            }
        }
    }
    colours
}

/// The pairs, row by row: the source changes along a row.
pub(crate) fn pairs(mode: Mode, format: FormatClass) -> Vec<([f32; 4], [f32; 4])> {
    let (sources, destinations) = (colours(mode.source, format), colours(mode.destination, format));
    let row = |destination: &[f32; 4]| sources.iter().map(move |s| (*s, *destination)).collect();
    destinations.iter().flat_map(|destination| -> Vec<_> { row(destination) }).collect()
}

/// How far inputs and results may be off, in units in the last place.
const UNITS: f64 = 4.0;
/// How far results may be off besides: equations add and subtract numbers up to 1, which are rounded and may cancel.
const ROUNDING: f64 = 1.0 / (1 << 23) as f64;

fn ulp(value: f64) -> f64 {
    let value = (value as f32).abs().max(f32::MIN_POSITIVE);
    f64::from(value.next_up()) - f64::from(value)
}

/// The least and the greatest that the model gives, over inputs that are a little off.
pub(crate) fn range(
    equation: Equation,
    mode: Mode,
    format: FormatClass,
    (source, destination): ([f32; 4], [f32; 4]),
) -> [[f64; 2]; 4] {
    let operation = vk::BlendOp::from_raw(equation.blend_op());
    let mut range = [[f64::INFINITY, f64::NEG_INFINITY]; 4];
    // Each component of each colour by itself, down, not at all and up.
    let mut visit = |offsets: [f64; 8]| {
        let off = |at: usize, value: f32| {
            let value = f64::from(value);
            value + offsets[at] * UNITS * ulp(value)
        };
        let s = [0, 1, 2, 3].map(|i| off(i, source[i]));
        let d = [0, 1, 2, 3].map(|i| off(4 + i, destination[i]));
        let result = blend(operation, mode.native(), clamping(format), s, d);
        for (range, value) in range.iter_mut().zip(result.expect("it is an advanced equation")) {
            *range = [range[0].min(value), range[1].max(value)];
        }
    };
    for number in 0..81_u32 {
        let digit = |place: u32| f64::from(number / 3_u32.pow(place) % 3) - 1.0;
        let [s, d, sa, da] = [0, 1, 2, 3].map(digit);
        visit([s, s, s, sa, d, d, d, da]);
    }
    for number in 0..64_u32 {
        let sign = |bit: u32| f64::from(number >> bit & 1) * 2.0 - 1.0;
        visit([sign(0), sign(1), sign(2), 0.0, sign(3), sign(4), sign(5), 0.0]);
    }
    range
}

/// Whether a result is what the model says, for targets of 32-bit floats.
pub(crate) fn is_right(
    equation: Equation,
    mode: Mode,
    format: FormatClass,
    pair: ([f32; 4], [f32; 4]),
    result: [f32; 4],
) -> bool {
    let operation = vk::BlendOp::from_raw(equation.blend_op());
    let (source, destination) = (pair.0.map(f64::from), pair.1.map(f64::from));
    let exact = blend(operation, mode.native(), clamping(format), source, destination);
    let exact = exact.expect("it is an advanced equation");
    let near = |value: f32, wanted: f64| (f64::from(value) - wanted).abs() <= UNITS * ulp(wanted);
    if result.iter().zip(exact).all(|(value, wanted)| near(*value, wanted)) {
        return true;
    }
    let rounding = match mode.destination {
        Alpha::Premultiplied => ROUNDING,
        Alpha::Straight => ROUNDING / exact[3].abs().max(ROUNDING),
    };
    result.iter().zip(range(equation, mode, format, pair)).all(|(value, [least, greatest])| {
        let value = f64::from(*value);
        value >= least - UNITS * ulp(least) - rounding
            && value <= greatest + UNITS * ulp(greatest) + rounding
    })
}
