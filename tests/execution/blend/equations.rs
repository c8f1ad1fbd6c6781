//! Every equation, overlap mode and kind of alpha, compared with the model.

use super::grid::{SIDE, is_right, pairs};
use super::{Mode, bytes, colours, cover, draw, floats, lower, modelled, modes};
use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use polyshade::advanced_blend::{
    Alpha, ColorBlend as Blending, Equation, FormatClass, Options, Overlap,
};
use polyshade::host::ParamSource;
use polyshade_vulkan::{Descriptor, Draw, Resource, Target, Texture, Work, vk};

/// Outputs the source colour of each pixel.
pub(crate) const COPY: &str = r"
    #version 450
    #extension GL_EXT_samplerless_texture_functions : require
    layout(set = 1, binding = 0) uniform texture2D sources;
    layout(location = 0) out vec4 colour;
    void main() { colour = texelFetch(sources, ivec2(gl_FragCoord.xy), 0); }";

/// Returns a texture with the source colour of each pixel.
pub(crate) fn sources(pairs: &[([f32; 4], [f32; 4])]) -> Texture {
    Texture {
        format: vk::Format::R32G32B32A32_SFLOAT,
        width: SIDE,
        height: SIDE,
        contents: bytes(pairs.iter().map(|pair| pair.0)),
        ..Texture::default()
    }
}

/// Draws each of `equations`, which a push constant selects, over a separate copy of the destinations.
fn run(
    driver: Driver,
    fragment: &[u32],
    equations: &[Equation],
    mode: Mode,
) -> Vec<(Equation, Vec<[f32; 4]>)> {
    run_pairs(driver, fragment, equations, &pairs(mode, FormatClass::Float))
}

fn run_pairs(
    driver: Driver,
    fragment: &[u32],
    equations: &[Equation],
    pairs: &[([f32; 4], [f32; 4])],
) -> Vec<(Equation, Vec<[f32; 4]>)> {
    let vertex = cover();
    let work = work_of_floats([&vertex, fragment], equations, pairs);
    let results = driver.run(&work).targets;
    equations.iter().copied().zip(results.iter().map(|target| colours(target))).collect()
}

/// Returns a draw for each of `equations` over all pairs of a mode.
pub(crate) fn work<'a>(stages: [&'a [u32]; 2], equations: &[Equation], mode: Mode) -> Work<'a> {
    work_of_floats(stages, equations, &pairs(mode, FormatClass::Float))
}

fn work_of_floats<'a>(
    stages: [&'a [u32]; 2],
    equations: &[Equation],
    pairs: &[([f32; 4], [f32; 4])],
) -> Work<'a> {
    let before = bytes(pairs.iter().map(|pair| pair.1));
    work_of(stages, equations, sources(pairs), (floats(SIDE, SIDE), &before))
}

/// Returns a draw for each of `equations`, which a push constant selects, over a separate copy of the pixels `before`.
pub(super) fn work_of<'a>(
    stages: [&'a [u32]; 2],
    equations: &[Equation],
    sources: Texture,
    (target, before): (Target, &[u8]),
) -> Work<'a> {
    let draws = equations.iter().enumerate().map(|(target, equation)| {
        let mut draw = draw(stages, target);
        draw.descriptors.push(Descriptor::new(1, 0, Resource::Image(0)));
        draw.push_constants = equation.word().to_ne_bytes().to_vec();
        draw
    });
    Work {
        textures: vec![sources],
        targets: vec![target; equations.len()],
        pixels: (0..equations.len()).map(|number| (number, before.to_vec())).collect(),
        draws: draws.collect::<Vec<Draw<'_>>>(),
        ..Work::default()
    }
}

fn selected(mode: Mode) -> Options {
    let blending = mode.of(Blending::new(Equation::ALL).format(FormatClass::Float));
    let words = ParamSource::PushConstant { offset: 0 };
    Options::new().every_target(blending).select(words)
}

/// Returns whether any result is wrong.
pub(crate) fn is_noticed(equation: Equation, mode: Mode, results: &[[f32; 4]]) -> bool {
    let pairs = pairs(mode, FormatClass::Float);
    let mut both = pairs.iter().zip(results);
    both.any(|(pair, result)| !is_right(equation, mode, FormatClass::Float, *pair, *result))
}

/// Describes the pairs with a wrong result.
pub(crate) fn wrong(equation: Equation, mode: Mode, results: &[[f32; 4]]) -> Vec<String> {
    let pairs = pairs(mode, FormatClass::Float);
    let is_wrong = |(pair, result): &(&([f32; 4], [f32; 4]), &[f32; 4])| {
        !is_right(equation, mode, FormatClass::Float, **pair, **result)
    };
    let wrong = pairs.iter().zip(results).filter(is_wrong);
    wrong.map(|(pair, result)| format!("{equation} {mode:?} {pair:?}: {result:?}")).collect()
}

#[test]
fn every_equation_and_mode_is_the_models() {
    for driver in DRIVERS {
        for mode in modes() {
            let fragment = lower(&glsl::fragment(COPY), &selected(mode));
            for (equation, results) in run(driver, &fragment, &Equation::ALL, mode) {
                let wrong = wrong(equation, mode, &results);
                assert_eq!(wrong.len(), 0, "{driver:?}: {:#?}", &wrong[..wrong.len().min(4)]);
            }
        }
    }
}

#[test]
fn every_equation_is_told_from_every_other() {
    let mode = Mode { source: Alpha::Straight, ..Mode::PLAIN };
    let fragment = lower(&glsl::fragment(COPY), &selected(mode));
    for (drawn, results) in run(Driver::Lavapipe, &fragment, &Equation::ALL, mode) {
        for claimed in Equation::ALL.into_iter().filter(|claimed| *claimed != drawn) {
            assert!(is_noticed(claimed, mode, &results), "{drawn} passes for {claimed}");
        }
    }
}

#[test]
fn another_mode_is_noticed() {
    let other = |mode: Mode, what| match what {
        0 => Mode { overlap: Overlap::Disjoint, ..mode },
        1 => Mode { overlap: Overlap::Conjoint, ..mode },
        2 => Mode { source: Alpha::Straight, ..mode },
        _ => Mode { destination: Alpha::Straight, ..mode },
    };
    for what in 0..4 {
        let lowered = selected(other(Mode::PLAIN, what));
        let fragment = lower(&glsl::fragment(COPY), &lowered);
        let mut noticed = 0;
        for (equation, results) in run(Driver::Lavapipe, &fragment, &Equation::ALL, Mode::PLAIN) {
            // Some equations do not depend on the changed mode, so the model determines whether the results must
            // differ.
            let model = modelled_as(equation, other(Mode::PLAIN, what));
            let expected = is_noticed(equation, Mode::PLAIN, &model);
            assert_eq!(is_noticed(equation, Mode::PLAIN, &results), expected, "{equation} {what}");
            noticed += u32::from(expected);
        }
        assert!(noticed > 30, "{what}: {noticed}");
    }
}

/// Returns the model's results for the pairs of the plain mode if they are blended in `mode`.
fn modelled_as(equation: Equation, mode: Mode) -> Vec<[f32; 4]> {
    let operation = vk::BlendOp::from_raw(equation.blend_op());
    let one = |(s, d): ([f32; 4], [f32; 4])| {
        modelled(operation, mode, s.map(f64::from), d.map(f64::from)).map(|value| value as f32)
    };
    pairs(Mode::PLAIN, FormatClass::Float).into_iter().map(one).collect()
}

#[test]
fn source_and_destination_swapped_are_noticed() {
    let fragment = lower(&glsl::fragment(COPY), &selected(Mode::PLAIN));
    let swapped: Vec<_> =
        pairs(Mode::PLAIN, FormatClass::Float).into_iter().map(|(s, d)| (d, s)).collect();
    let results = run_pairs(Driver::Lavapipe, &fragment, &Equation::ALL, &swapped);
    // These equations give the same result if the colours are exchanged.
    let symmetric = [
        Equation::Zero,
        Equation::Xor,
        Equation::Multiply,
        Equation::Screen,
        Equation::Darken,
        Equation::Lighten,
        Equation::Difference,
        Equation::Exclusion,
        Equation::LinearDodge,
        Equation::LinearBurn,
        Equation::HardMix,
        Equation::Plus,
        Equation::PlusClamped,
        Equation::PlusClampedAlpha,
        Equation::PlusDarker,
    ];
    for (equation, results) in results {
        let noticed = is_noticed(equation, Mode::PLAIN, &results);
        assert_eq!(noticed, !symmetric.contains(&equation), "{equation}");
    }
}

#[test]
fn a_missing_clamp_of_the_source_is_noticed() {
    // The shader clamps as for a normalized format and the model as for floats, and the reverse.
    let clamped = Options::new()
        .every_target(Blending::new(Equation::ALL))
        .select(ParamSource::PushConstant { offset: 0 });
    let fragment = lower(&glsl::fragment(COPY), &clamped);
    let results = run(Driver::Lavapipe, &fragment, &Equation::ALL, Mode::PLAIN);
    let noticed =
        results.iter().filter(|(equation, results)| is_noticed(*equation, Mode::PLAIN, results));
    assert!(noticed.count() > 35);
}

#[test]
fn results_are_clamped_where_that_is_asked_for() {
    let blending = Blending::new([Equation::Plus, Equation::Minus]).format(FormatClass::Float);
    let words = Some(ParamSource::PushConstant { offset: 0 });
    let options = Options::new().every_target(blending.clamp_results()).select(words);
    let fragment = lower(&glsl::fragment(COPY), &options);
    let equations = [Equation::Plus, Equation::Minus];
    for driver in DRIVERS {
        for (equation, results) in run(driver, &fragment, &equations, Mode::PLAIN) {
            let pairs = pairs(Mode::PLAIN, FormatClass::Float);
            for ((s, d), result) in pairs.iter().zip(&results) {
                let sum =
                    |i: usize| if equation == Equation::Plus { d[i] + s[i] } else { d[i] - s[i] };
                let expected = [0, 1, 2, 3].map(|i| sum(i).clamp(0.0, 1.0));
                assert_eq!(*result, expected, "{driver:?} {equation} {s:?} {d:?}");
            }
            assert!(!wrong(equation, Mode::PLAIN, &results).is_empty(), "it is clamped");
        }
    }
}

#[test]
fn a_component_that_equals_its_alpha_is_exactly_one() {
    // HARDMIX has a step just below 1 if the destination is black.
    let alpha = |i: u32| (i + 1) as f32 / (SIDE * SIDE) as f32;
    let pairs: Vec<_> = (0..SIDE * SIDE).map(|i| ([alpha(i); 4], [0.0, 0.0, 0.0, 1.0])).collect();
    let fragment = lower(&glsl::fragment(COPY), &selected(Mode::PLAIN));
    for driver in DRIVERS {
        let results = run_pairs(driver, &fragment, &[Equation::HardMix], &pairs);
        for (pair, result) in pairs.iter().zip(&results[0].1) {
            assert!(is_right(Equation::HardMix, Mode::PLAIN, FormatClass::Unorm, *pair, *result));
            assert!((result[0] - pair.0[3]).abs() < 1e-6, "{driver:?} {pair:?}: {result:?}");
        }
    }
}

#[test]
fn what_the_api_leaves_undefined_is_a_number_all_the_same() {
    // Colours with invalid alphas, negative components and greys.
    let alphas = [0.0, -0.5, -1.0, 1.0, 0.25, 2.0, 1.0 / 255.0, 0.75];
    let levels = [0.0, 1.0, -1.0, 0.5, 29.0 / 255.0, 2.0, -0.25, 0.75];
    let colour = |i: u32| {
        let at = |shift: u32| levels[(i.wrapping_mul(2_654_435_761) >> shift & 7) as usize];
        [
            at(7),
            if i.is_multiple_of(3) { at(7) } else { at(13) },
            at(if i.is_multiple_of(3) { 7 } else { 19 }),
            alphas[i as usize % 8],
        ]
    };
    let pairs: Vec<_> =
        (0..SIDE * SIDE).map(|i| (colour(i), colour(i / 8 + 3 * (i % 64)))).collect();
    for driver in DRIVERS {
        for mode in modes() {
            let fragment = lower(&glsl::fragment(COPY), &selected(mode));
            for (equation, results) in run_pairs(driver, &fragment, &Equation::ALL, &pairs) {
                for (pair, result) in pairs.iter().zip(&results) {
                    let finite = result.iter().all(|x| x.is_finite());
                    assert!(finite, "{driver:?} {equation} {mode:?} {pair:?}: {result:?}");
                }
            }
        }
    }
}
