//! Fixed-function blending in the lowered shader, compared with the drivers' fixed function on the same draws.

use super::equations::COPY;
use super::formats::{FORMATS, Format};
use super::grid::{SIDE, pairs};
use super::{Mode, bytes, cover, draw, lower, run_both};
use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use crate::storage::hosts_of_any_stage;
use polyshade::advanced_blend::{
    BlendComponent, ColorBlend as Blending, Factor, FixedFunctionBlend, FormatClass, Operation,
    Options,
};
use polyshade_tests::sample::sample;
use polyshade_vulkan::{
    Blend, BlendTerm, Descriptor, Draw, FixedBlend, Resource, Target, Texture, Work, place_words,
    vk,
};

/// Outputs the source colour of each pixel, and the colour of another pixel as the second source.
const BOTH: &str = r"
    #version 450
    #extension GL_EXT_samplerless_texture_functions : require
    layout(set = 1, binding = 0) uniform texture2D sources;
    layout(location = 0, index = 0) out vec4 colour;
    layout(location = 0, index = 1) out vec4 factor;
    void main() {
        ivec2 at = ivec2(gl_FragCoord.xy);
        colour = texelFetch(sources, at, 0);
        factor = texelFetch(sources, ivec2(at.y ^ at.x, 63 - at.x), 0);
    }";

const CONSTANTS: [f32; 4] = [0.25, 0.5, 1.0, 0.375];

/// Returns blends with every factor for source and destination and every operation. Alpha has different factors and
/// operations.
pub(super) fn cases() -> Vec<FixedFunctionBlend> {
    let factor = |number: usize| Factor::ALL[number % Factor::ALL.len()];
    let operation = |number: usize| Operation::ALL[number % Operation::ALL.len()];
    let mut cases = Vec::new();
    for o in 0..Operation::ALL.len() {
        for f in 0..Factor::ALL.len() {
            let (source, destination) = (factor(f), factor(7 * f + 3 + o));
            let color = BlendComponent { source, destination, operation: operation(o) };
            let (source, destination) = (factor(4 * f + 1 + o), factor(f + 5));
            let alpha = BlendComponent { source, destination, operation: operation(o + f) };
            cases.push(FixedFunctionBlend { color, alpha });
        }
    }
    cases
}

fn has_second_source(case: FixedFunctionBlend) -> bool {
    let factors =
        [case.color.source, case.color.destination, case.alpha.source, case.alpha.destination];
    factors.into_iter().any(Factor::is_of_second_source)
}

pub(super) fn native(case: FixedFunctionBlend) -> Blend {
    let term = |term: BlendComponent| BlendTerm {
        source: vk::BlendFactor::from_raw(term.source.blend_factor()),
        destination: vk::BlendFactor::from_raw(term.destination.blend_factor()),
        operation: vk::BlendOp::from_raw(term.operation.blend_op()),
    };
    Blend { terms: Some([term(case.color), term(case.alpha)]), ..Blend::default() }
}

pub(super) fn constants() -> FixedBlend {
    FixedBlend { constants: CONSTANTS.map(f32::to_bits), ..FixedBlend::default() }
}

/// Returns the source colours, some of them out of range.
fn sources() -> Texture {
    super::equations::sources(&pairs(Mode::PLAIN, FormatClass::Float))
}

/// Returns the native and the lowered result of each case, in this order.
fn run(
    driver: Driver,
    cases: &[FixedFunctionBlend],
    (format, before): (vk::Format, &[u8]),
    lowered: impl Fn(&[u32], FixedFunctionBlend) -> Vec<u32>,
) -> Vec<[Vec<u8>; 2]> {
    let (vertex, [one, both]) = (cover(), [COPY, BOTH].map(glsl::fragment));
    let plain = |case: FixedFunctionBlend| if has_second_source(case) { &both } else { &one };
    let shaders: Vec<Vec<u32>> = cases.iter().map(|case| lowered(plain(*case), *case)).collect();
    let draws = cases.iter().zip(&shaders).map(|(case, lowered)| {
        let (blends, fixed_blend) = (vec![native(*case)], constants());
        let fixed = Draw { blends, fixed_blend, ..draw([&vertex, plain(*case)], 0) };
        [fixed, draw([&vertex, lowered], 0)]
    });
    run_both(driver, sources(), (Target::new(format, SIDE, SIDE), before), draws)
}

/// Returns the cases that a driver supports. Without dual-source blending, the first source replaces the second.
fn cases_of(driver: Driver) -> Vec<FixedFunctionBlend> {
    if driver.device().capabilities().features.dual_src_blend == vk::TRUE {
        return cases();
    }
    let first = |factor| match factor {
        Factor::Src1Color => Factor::SrcColor,
        Factor::OneMinusSrc1Color => Factor::OneMinusSrcColor,
        Factor::Src1Alpha => Factor::SrcAlpha,
        Factor::OneMinusSrc1Alpha => Factor::OneMinusSrcAlpha,
        other => other,
    };
    let term = |term: BlendComponent| BlendComponent {
        source: first(term.source),
        destination: first(term.destination),
        ..term
    };
    let case = |case: FixedFunctionBlend| FixedFunctionBlend {
        color: term(case.color),
        alpha: term(case.alpha),
    };
    cases().into_iter().map(case).collect()
}

fn lowered(plain: &[u32], case: FixedFunctionBlend, format: FormatClass) -> Vec<u32> {
    let target = Blending::fixed_function(case).format(format);
    lower(plain, &Options::new().every_target(target).blend_constants(CONSTANTS))
}

/// Describes the first pixel that differs by more than `most` steps.
fn apart(format: &Format, most: f64, [native, lowered]: &[Vec<u8>; 2]) -> Option<String> {
    let size = format.size();
    let mut pixels = native.chunks_exact(size).zip(lowered.chunks_exact(size)).enumerate();
    pixels.find_map(|(at, (native, lowered))| {
        let [(native, _), (lowered, _)] = [native, lowered].map(|pixel| format.read(pixel));
        let near = native.iter().zip(lowered).all(|(a, b)| (a - b).abs() <= most);
        (!near).then(|| format!("pixel {at}: native {native:?}, lowered {lowered:?}"))
    })
}

#[test]
fn factors_and_operations_are_those_of_fixed_function() {
    for driver in DRIVERS {
        let cases = cases_of(driver);
        assert_eq!(cases.len(), 95, "{driver:?}");
        for format in &FORMATS {
            if format.class == FormatClass::Snorm {
                continue;
            }
            let before = format.destinations(Mode::PLAIN);
            for cases in sample(cases.chunks(10), 5) {
                let make = |plain: &[u32], case| lowered(plain, case, format.class);
                let results = run(driver, cases, (format.format, &before), make);
                for (case, both) in cases.iter().zip(&results) {
                    let apart = apart(format, format.tolerance(), both);
                    assert_eq!(apart, None, "{driver:?} {:?} {case}", format.format);
                }
            }
        }
    }
}

fn float_before() -> Vec<u8> {
    bytes(pairs(Mode::PLAIN, FormatClass::Float).into_iter().map(|pair| pair.1))
}

#[test]
fn floats_are_blended_without_clamping() {
    for driver in DRIVERS {
        for cases in cases_of(driver).chunks(20) {
            let make = |plain: &[u32], case| lowered(plain, case, FormatClass::Float);
            let format = vk::Format::R32G32B32A32_SFLOAT;
            let results = run(driver, cases, (format, &float_before()), make);
            for (case, [native, lowered]) in cases.iter().zip(&results) {
                let [native, lowered] = [native, lowered].map(|bytes| super::colours(bytes));
                for (at, (native, lowered)) in native.iter().zip(&lowered).enumerate() {
                    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-6;
                    let all = native.iter().zip(lowered).all(near);
                    assert!(all, "{driver:?} {case} {at}: native {native:?}, lowered {lowered:?}");
                }
            }
        }
    }
}

/// The control: different factors or operations, or missing constants, make a difference.
#[test]
fn other_blending_is_noticed() {
    let format = &FORMATS[0];
    let before = format.destinations(Mode::PLAIN);
    let driver = Driver::Lavapipe;
    let (all, [one, both]) = (cases(), [COPY, BOTH].map(glsl::fragment));
    let next = |case: FixedFunctionBlend| {
        let at = all.iter().position(|other| *other == case).expect("it is one of them");
        all[(at + 1) % all.len()]
    };
    let other = |_: &[u32], case: FixedFunctionBlend| {
        let next = next(case);
        lowered(if has_second_source(next) { &both } else { &one }, next, format.class)
    };
    // Use the next case instead.
    for cases in all.chunks(20) {
        let results = run(driver, cases, (format.format, &before), other);
        for (case, both) in cases.iter().zip(&results) {
            let apart = apart(format, format.tolerance(), both);
            assert!(apart.is_some(), "{case} passes for {}", next(*case));
        }
    }
    // Leave the constants unset.
    let constant =
        FixedFunctionBlend::both(BlendComponent::add(Factor::ConstantColor, Factor::ConstantAlpha));
    let without = |plain: &[u32], case| {
        lower(plain, &Options::new().every_target(Blending::fixed_function(case)))
    };
    let results = run(driver, &[constant], (format.format, &before), without);
    assert!(apart(format, format.tolerance(), &results[0]).is_some());
}

/// Signed normalized formats clamp factors too. The results are compared with the model, because no driver here can
/// blend to such formats.
#[test]
fn signed_formats_clamp_factors() {
    let driver = Driver::Lavapipe;
    let vertex = cover();
    let format = vk::Format::R8G8B8A8_SNORM;
    let source = [-0.5_f32, 0.5, -1.0, 1.0];
    let constant = [-0.75_f32, 0.25, -2.0, 0.5];
    let before = [127_i8, -127, 64, -64].map(i8::cast_unsigned);
    let case = FixedFunctionBlend::both(BlendComponent::add(
        Factor::OneMinusSrcColor,
        Factor::ConstantColor,
    ));
    let plain = glsl::fragment(
        "#version 450\nlayout(location = 0) out vec4 colour;\nvoid main() { colour = vec4(-0.5, 0.5, -1.0, 1.0); }",
    );
    let target = Blending::fixed_function(case).format(FormatClass::Snorm);
    let options = Options::new().every_target(target).blend_constants(constant);
    let fragment = lower(&plain, &options);
    // Draw, then blend with clamped factors.
    let work = Work {
        targets: vec![Target::new(format, 2, 2)],
        pixels: vec![(0, [before; 4].concat())],
        draws: vec![draw([&vertex, &fragment], 0)],
        ..Work::default()
    };
    let drawn = &driver.run(&work).targets[0];
    for pixel in drawn.chunks_exact(4) {
        for i in 0..4 {
            let destination = f32::from(before[i].cast_signed()) / 127.0;
            let of_source = (1.0 - source[i]).clamp(-1.0, 1.0);
            let of_destination = constant[i].clamp(-1.0, 1.0);
            let expected = (source[i] * of_source + destination * of_destination).clamp(-1.0, 1.0);
            let found = f32::from(pixel[i].cast_signed()) / 127.0;
            assert!((found - expected).abs() <= 1.0 / 127.0, "{i}: {found}, not {expected}");
        }
    }
}

#[test]
fn blend_constants_are_given_or_words_of_the_host() {
    let (vertex, plain) = (cover(), glsl::fragment(COPY));
    let case = FixedFunctionBlend::both(BlendComponent::add(
        Factor::ConstantColor,
        Factor::OneMinusConstantAlpha,
    ));
    let format = &FORMATS[0];
    let before = format.destinations(Mode::PLAIN);
    let expected = |driver| {
        let make = |plain: &[u32], case| lowered(plain, case, format.class);
        run(driver, &[case], (format.format, &before), make)[0][0].clone()
    };
    // Test every source of the constants.
    for &place in hosts_of_any_stage() {
        let target = Blending::fixed_function(case).format(format.class);
        let options = Options::new().every_target(target).blend_constants_in(place);
        let fragment = lower(&plain, &options);
        let mut draw = draw([&vertex, &fragment], 0);
        draw.descriptors.push(Descriptor::new(1, 0, Resource::Image(0)));
        let mut work = Work {
            textures: vec![sources()],
            targets: vec![Target::new(format.format, SIDE, SIDE)],
            pixels: vec![(0, before.clone())],
            ..Work::default()
        };
        place_words(place, &CONSTANTS.map(f32::to_bits), 1, &mut draw, &mut work);
        work.draws.push(draw);
        for driver in DRIVERS {
            let found = driver.run(&work).targets[0].clone();
            let apart = apart(format, format.tolerance(), &[expected(driver), found]);
            assert_eq!(apart, None, "{driver:?} {place:?}");
        }
    }
}
