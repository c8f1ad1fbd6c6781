//! Pairs of colours: one pixel for each pair of a source and a destination.

use super::{Mode, clamping};
use crate::noise::Noise;
use polyshade::advanced_blend::{Alpha, Equation, FormatClass};
use polyshade_vulkan::{blend_model, vk};

/// The number of sources, which is also the number of destinations.
pub(crate) const SIDE: u32 = 64;

/// Returns colours that are not premultiplied: at the branch points of equations (0, 1, a quarter, a half, equal
/// components), close to grey, and out of range if the format stores such values.
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
        FormatClass::Unorm | FormatClass::Srgb | FormatClass::Uint | FormatClass::Sint => {}
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
        // Every other colour has 8-bit components, as in images.
        let steps = if colours.len().is_multiple_of(2) { 255 } else { 1 << 16 };
        colours.push([0; 4].map(|_: u32| noise.below(steps + 1) as f32 / steps as f32));
    }
    colours
}

/// Returns the colours, which are premultiplied if `alpha` is.
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

/// Returns the pairs row by row. The source changes along a row.
pub(crate) fn pairs(mode: Mode, format: FormatClass) -> Vec<([f32; 4], [f32; 4])> {
    let (sources, destinations) = (colours(mode.source, format), colours(mode.destination, format));
    let row = |destination: &[f32; 4]| sources.iter().map(move |s| (*s, *destination)).collect();
    destinations.iter().flat_map(|destination| -> Vec<_> { row(destination) }).collect()
}

/// Returns the minimum and maximum of the model's results for inputs with small errors.
pub(crate) fn range(
    equation: Equation,
    mode: Mode,
    format: FormatClass,
    (source, destination): ([f32; 4], [f32; 4]),
) -> [[f64; 2]; 4] {
    let operation = vk::BlendOp::from_raw(equation.blend_op());
    let range = blend_model::range(operation, mode.native(), clamping(format), source, destination);
    range.expect("it is an advanced equation")
}

/// Returns whether a result equals the model's, for targets of 32-bit floats.
pub(crate) fn is_right(
    equation: Equation,
    mode: Mode,
    format: FormatClass,
    pair: ([f32; 4], [f32; 4]),
    result: [f32; 4],
) -> bool {
    let operation = vk::BlendOp::from_raw(equation.blend_op());
    let near = blend_model::is_near(operation, mode.native(), clamping(format), pair, result);
    near.expect("it is an advanced equation")
}
