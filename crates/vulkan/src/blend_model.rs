//! A model of the equations of `VK_EXT_blend_operation_advanced` in double precision, written from its specification.

mod tolerance;

pub use tolerance::{is_near, range};

use crate::blend::AdvancedBlend;
use ash::vk;

type Rgb = [f64; 3];
type Rgba = [f64; 4];

/// The clamping of the colours to blend, which depends on the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clamping {
    /// Unsigned normalized formats clamp the source to [0, 1].
    Unorm,
    /// Signed normalized formats clamp the source to [-1, 1].
    Snorm,
    /// Float formats do not clamp the source.
    Float,
}

/// Blends `source` with `destination`; `None` if `operation` is not an advanced blend operation.
pub fn blend(
    operation: vk::BlendOp,
    how: AdvancedBlend,
    clamping: Clamping,
    source: Rgba,
    destination: Rgba,
) -> Option<Rgba> {
    let source = match clamping {
        Clamping::Unorm => source.map(|x| x.clamp(0.0, 1.0)),
        Clamping::Snorm => source.map(|x| x.clamp(-1.0, 1.0)),
        Clamping::Float => source,
    };
    let result = match additional(
        operation,
        premultiplied(source, how.source_premultiplied),
        premultiplied(destination, how.destination_premultiplied),
    ) {
        Some(result) => result,
        None => common(
            operation,
            how.overlap,
            straight(source, how.source_premultiplied),
            straight(destination, how.destination_premultiplied),
        )?,
    };
    Some(if how.destination_premultiplied { result } else { straight(result, true) })
}

fn rgb([r, g, b, _]: Rgba) -> Rgb {
    [r, g, b]
}

fn with_alpha([r, g, b]: Rgb, a: f64) -> Rgba {
    [r, g, b, a]
}

/// Applies a function to each component of two colours.
fn zip(s: Rgb, d: Rgb, f: impl Fn(f64, f64) -> f64) -> Rgb {
    [f(s[0], d[0]), f(s[1], d[1]), f(s[2], d[2])]
}

fn premultiplied(color: Rgba, already: bool) -> Rgba {
    let a = color[3];
    if already { color } else { with_alpha(rgb(color).map(|c| c * a), a) }
}

fn straight(color: Rgba, is_premultiplied: bool) -> Rgba {
    let a = color[3];
    if !is_premultiplied {
        return color;
    }
    with_alpha(if a == 0.0 { [0.0; 3] } else { rgb(color).map(|c| c / a) }, a)
}

/// The equations of the common form `f · p0 + Y · Cs · p1 + Z · Cd · p2`.
fn common(
    operation: vk::BlendOp,
    overlap: vk::BlendOverlapEXT,
    source: Rgba,
    destination: Rgba,
) -> Option<Rgba> {
    let (cs, cd) = (rgb(source), rgb(destination));
    let (a_s, a_d) = (source[3], destination[3]);
    let (p0, p1, p2) = match overlap {
        vk::BlendOverlapEXT::CONJOINT => (a_s.min(a_d), (a_s - a_d).max(0.0), (a_d - a_s).max(0.0)),
        vk::BlendOverlapEXT::DISJOINT => {
            ((a_s + a_d - 1.0).max(0.0), a_s.min(1.0 - a_d), a_d.min(1.0 - a_s))
        }
        _ => (a_s * a_d, a_s * (1.0 - a_d), a_d * (1.0 - a_s)),
    };
    let ([x, y, z], f) = factors(operation, cs, cd)?;
    let color = [0, 1, 2].map(|i| f[i] * p0 + y * cs[i] * p1 + z * cd[i] * p2);
    Some(with_alpha(color, x * p0 + y * p1 + z * p2))
}

/// Returns X, Y, Z and f of an equation.
fn factors(operation: vk::BlendOp, cs: Rgb, cd: Rgb) -> Option<([f64; 3], Rgb)> {
    use vk::BlendOp as Op;
    const ALL: [f64; 3] = [1.0, 1.0, 1.0];
    Some(match operation {
        Op::ZERO_EXT => ([0.0, 0.0, 0.0], [0.0; 3]),
        Op::SRC_EXT => ([1.0, 1.0, 0.0], cs),
        Op::DST_EXT => ([1.0, 0.0, 1.0], cd),
        Op::SRC_OVER_EXT => (ALL, cs),
        Op::DST_OVER_EXT => (ALL, cd),
        Op::SRC_IN_EXT => ([1.0, 0.0, 0.0], cs),
        Op::DST_IN_EXT => ([1.0, 0.0, 0.0], cd),
        Op::SRC_OUT_EXT => ([0.0, 1.0, 0.0], [0.0; 3]),
        Op::DST_OUT_EXT => ([0.0, 0.0, 1.0], [0.0; 3]),
        Op::SRC_ATOP_EXT => ([1.0, 0.0, 1.0], cs),
        Op::DST_ATOP_EXT => ([1.0, 1.0, 0.0], cd),
        Op::XOR_EXT => ([0.0, 1.0, 1.0], [0.0; 3]),
        Op::INVERT_EXT => ([1.0, 0.0, 1.0], cd.map(|d| 1.0 - d)),
        Op::INVERT_RGB_EXT => ([1.0, 0.0, 1.0], zip(cs, cd, |s, d| s * (1.0 - d))),
        Op::HSL_HUE_EXT => (ALL, set_lum_sat(cs, cd, cd)),
        Op::HSL_SATURATION_EXT => (ALL, set_lum_sat(cd, cs, cd)),
        Op::HSL_COLOR_EXT => (ALL, set_lum(cs, cd)),
        Op::HSL_LUMINOSITY_EXT => (ALL, set_lum(cd, cs)),
        _ => (ALL, zip(cs, cd, separable(operation)?)),
    })
}

/// Returns f of an equation that computes each component separately.
fn separable(operation: vk::BlendOp) -> Option<fn(f64, f64) -> f64> {
    use vk::BlendOp as Op;
    Some(match operation {
        Op::MULTIPLY_EXT => |s, d| s * d,
        Op::SCREEN_EXT => |s, d| s + d - s * d,
        Op::OVERLAY_EXT => |s, d| hard_light(d, s),
        Op::DARKEN_EXT => f64::min,
        Op::LIGHTEN_EXT => f64::max,
        Op::COLORDODGE_EXT => |s, d| match () {
            () if d <= 0.0 => 0.0,
            () if s < 1.0 => (d / (1.0 - s)).min(1.0),
            () => 1.0,
        },
        Op::COLORBURN_EXT => |s, d| match () {
            () if d >= 1.0 => 1.0,
            () if s > 0.0 => 1.0 - ((1.0 - d) / s).min(1.0),
            () => 0.0,
        },
        Op::HARDLIGHT_EXT => hard_light,
        Op::SOFTLIGHT_EXT => |s, d| match () {
            () if s <= 0.5 => d - (1.0 - 2.0 * s) * d * (1.0 - d),
            () if d <= 0.25 => d + (2.0 * s - 1.0) * d * ((16.0 * d - 12.0) * d + 3.0),
            () => d + (2.0 * s - 1.0) * (d.sqrt() - d),
        },
        Op::DIFFERENCE_EXT => |s, d| (d - s).abs(),
        Op::EXCLUSION_EXT => |s, d| s + d - 2.0 * s * d,
        Op::LINEARDODGE_EXT => |s, d| (s + d).min(1.0),
        Op::LINEARBURN_EXT => |s, d| (s + d - 1.0).max(0.0),
        Op::VIVIDLIGHT_EXT => |s, d| match () {
            () if s <= 0.0 => 0.0,
            () if s < 0.5 => 1.0 - ((1.0 - d) / (2.0 * s)).min(1.0),
            () if s < 1.0 => (d / (2.0 * (1.0 - s))).min(1.0),
            () => 1.0,
        },
        Op::LINEARLIGHT_EXT => |s, d| match 2.0 * s + d {
            sum if sum > 2.0 => 1.0,
            sum if sum > 1.0 => sum - 1.0,
            _ => 0.0,
        },
        Op::PINLIGHT_EXT => |s, d| match () {
            () if 2.0 * s - 1.0 > d && s < 0.5 => 0.0,
            () if 2.0 * s - 1.0 > d => 2.0 * s - 1.0,
            () if s < 0.5 * d => 2.0 * s,
            () => d,
        },
        Op::HARDMIX_EXT => |s, d| if s + d < 1.0 { 0.0 } else { 1.0 },
        _ => return None,
    })
}

fn hard_light(s: f64, d: f64) -> f64 {
    if s <= 0.5 { 2.0 * s * d } else { 1.0 - 2.0 * (1.0 - s) * (1.0 - d) }
}

fn lum([r, g, b]: Rgb) -> f64 {
    0.30 * r + 0.59 * g + 0.11 * b
}

fn min(c: Rgb) -> f64 {
    c[0].min(c[1]).min(c[2])
}

fn max(c: Rgb) -> f64 {
    c[0].max(c[1]).max(c[2])
}

fn sat(c: Rgb) -> f64 {
    max(c) - min(c)
}

fn clip_color(mut color: Rgb) -> Rgb {
    let (lum, min, max) = (lum(color), min(color), max(color));
    // If the distance is 0, all components are the luminosity.
    let scaled = |color: Rgb, by: f64, distance: f64| match distance {
        distance if distance <= 0.0 => [lum.clamp(0.0, 1.0); 3],
        _ => color.map(|c| lum + (c - lum) * by / distance),
    };
    if min < 0.0 {
        color = scaled(color, lum, lum - min);
    }
    if max > 1.0 {
        color = scaled(color, 1.0 - lum, max - lum);
    }
    color
}

fn set_lum(base: Rgb, from: Rgb) -> Rgb {
    let difference = lum(from) - lum(base);
    clip_color(base.map(|c| c + difference))
}

fn set_lum_sat(base: Rgb, saturated: Rgb, from: Rgb) -> Rgb {
    let (low, had, wanted) = (min(base), sat(base), sat(saturated));
    let color = if had > 0.0 { base.map(|c| (c - low) * wanted / had) } else { [0.0; 3] };
    set_lum(color, from)
}

/// The equations that use premultiplied colours and have no overlap.
fn additional(operation: vk::BlendOp, s: Rgba, d: Rgba) -> Option<Rgba> {
    use vk::BlendOp as Op;
    let (cs, cd, a_s, a_d) = (rgb(s), rgb(d), s[3], d[3]);
    let sum = a_s + a_d;
    Some(match operation {
        Op::PLUS_EXT => with_alpha(zip(cs, cd, |s, d| s + d), sum),
        Op::PLUS_CLAMPED_EXT => with_alpha(zip(cs, cd, |s, d| (s + d).min(1.0)), sum.min(1.0)),
        Op::PLUS_CLAMPED_ALPHA_EXT => {
            let a = sum.min(1.0);
            with_alpha(zip(cs, cd, |s, d| (s + d).min(a)), a)
        }
        Op::PLUS_DARKER_EXT => {
            let a = sum.min(1.0);
            with_alpha(zip(cs, cd, |s, d| (a - ((a_s - s) + (a_d - d))).max(0.0)), a)
        }
        Op::MINUS_EXT => with_alpha(zip(cs, cd, |s, d| d - s), a_d - a_s),
        Op::MINUS_CLAMPED_EXT => {
            with_alpha(zip(cs, cd, |s, d| (d - s).max(0.0)), (a_d - a_s).max(0.0))
        }
        Op::CONTRAST_EXT => {
            let f = |s, d| a_d / 2.0 + 2.0 * (d - a_d / 2.0) * (s - a_s / 2.0);
            with_alpha(zip(cs, cd, f), a_d)
        }
        Op::INVERT_OVG_EXT => {
            let f = |_, d| a_s * (1.0 - d) + (1.0 - a_s) * d;
            with_alpha(zip(cs, cd, f), a_s + a_d - a_s * a_d)
        }
        Op::RED_EXT => [s[0], d[1], d[2], d[3]],
        Op::GREEN_EXT => [d[0], s[1], d[2], d[3]],
        Op::BLUE_EXT => [d[0], d[1], s[2], d[3]],
        _ => return None,
    })
}
