//! The 15 equations that SwiftShader supports natively.

use super::equations::{COPY, sources};
use super::grid::{SIDE, pairs, range};
use super::{Mode, cover, draw, lower, run_both};
use crate::drivers::Driver;
use crate::glsl;
use polyshade::advanced_blend::{Equation, FormatClass, Options};
use polyshade_vulkan::{Blend, Draw, Target, vk};

/// Returns the native and the lowered result of each equation, in this order, over the same 8-bit destinations.
fn run(fragment: impl Fn(Equation) -> Vec<u32>) -> Vec<[Vec<u8>; 2]> {
    let pairs = pairs(Mode::PLAIN, FormatClass::Unorm);
    let (vertex, plain) = (cover(), glsl::fragment(COPY));
    let lowered: Vec<Vec<u32>> = Equation::KHR.map(fragment).into();
    let draws = Equation::KHR.iter().zip(&lowered).map(|(equation, lowered)| {
        let blends = vec![Blend::advanced(vk::BlendOp::from_raw(equation.blend_op()))];
        [Draw { blends, ..draw([&vertex, &plain], 0) }, draw([&vertex, lowered], 0)]
    });
    let destinations: Vec<u8> = pairs.iter().flat_map(|pair| pair.1.map(to_8_bits)).collect();
    let target = Target::new(vk::Format::R8G8B8A8_UNORM, SIDE, SIDE);
    run_both(Driver::SwiftShader, sources(&pairs), (target, &destinations), draws)
}

fn to_8_bits(value: f32) -> u8 {
    (value * 255.0).round() as u8
}

/// Describes the pairs whose native and lowered results differ by more than the specification allows. For an 8-bit
/// target, blending has at least the precision of a half float (11 bits), so a result is off by at most one unit.
/// Small errors of the inputs may move a result across a step of the equation.
fn apart(equation: Equation, [native, lowered]: &[Vec<u8>; 2]) -> Vec<String> {
    let mut apart = Vec::new();
    let all = pairs(Mode::PLAIN, FormatClass::Unorm).into_iter();
    for ((source, destination), (native, lowered)) in
        all.zip(native.chunks_exact(4).zip(lowered.chunks_exact(4)))
    {
        if native.iter().zip(lowered).all(|(a, b)| a.abs_diff(*b) <= 1) {
            continue;
        }
        let pair = (source, destination.map(|d| f32::from(to_8_bits(d)) / 255.0));
        let range = range(equation, Mode::PLAIN, FormatClass::Unorm, pair);
        let within = |values: &[u8]| {
            values.iter().zip(range).all(|(value, [least, greatest])| {
                let value = f64::from(*value);
                value >= least * 255.0 - 1.5 && value <= greatest * 255.0 + 1.5
            })
        };
        if !(within(native) || divides_by_nothing(equation, pair, native)) || !within(lowered) {
            apart.push(format!("{equation} {pair:?}: native {native:?}, lowered {lowered:?}"));
        }
    }
    apart
}

/// Returns whether SwiftShader may have divided 0 by 0 and stored the NaN as 0: rounding may make the divisor of a
/// clipped grey 0.
fn divides_by_nothing(
    equation: Equation,
    (source, destination): ([f32; 4], [f32; 4]),
    native: &[u8],
) -> bool {
    let is_hsl = equation >= Equation::HslHue;
    let is_grey = |[r, g, b, _]: [f32; 4]| r == g && g == b;
    is_hsl && is_grey(source) && is_grey(destination) && native[..3] == [0; 3]
}

fn lowered(equation: Equation) -> Vec<u32> {
    lower(&glsl::fragment(COPY), &Options::new().equations([equation]))
}

#[test]
fn swiftshaders_own_equations_draw_the_same() {
    for (equation, both) in Equation::KHR.into_iter().zip(run(lowered)) {
        let apart = apart(equation, &both);
        assert_eq!(apart.len(), 0, "{:#?}", &apart[..apart.len().min(4)]);
    }
}

#[test]
fn another_equation_is_noticed() {
    let next = |equation| {
        let at = Equation::KHR.iter().position(|other| *other == equation);
        Equation::KHR[(at.expect("it is one of them") + 1) % Equation::KHR.len()]
    };
    for (equation, both) in Equation::KHR.into_iter().zip(run(|equation| lowered(next(equation)))) {
        assert_ne!(apart(equation, &both).len(), 0, "{equation}");
    }
}
