//! One pass with four targets: advanced blending, fixed-function blending, a logic operation, and no blending.

use super::{Mode, bytes, cover, draw, lower, modelled};
use crate::drivers::DRIVERS;
use crate::glsl;
use polyshade::advanced_blend::{
    BlendComponent, ColorBlend as Blending, Equation, Factor, FixedFunctionBlend, FormatClass,
    LogicOperation, Options,
};
use polyshade::host::ParamSource;
use polyshade_vulkan::{Descriptor, Draw, Resource, Target, Work, vk};

const SHADER: &str = r"
    #version 450
    layout(location = 0, index = 0) out vec4 advanced;
    layout(location = 0, index = 1) out vec4 unused;
    layout(location = 1) out vec4 ordinary;
    layout(location = 2) out uvec4 bits;
    layout(location = 3) out vec4 plain;
    void main() {
        advanced = vec4(0.4, 0.1, 0.3, 0.5);
        unused = vec4(9.0);
        ordinary = vec4(0.2, 0.6, 0.1, 0.75);
        bits = uvec4(0xf0f0u, 0x1234u, 7u, 0xffffffffu);
        plain = vec4(0.125);
    }";

const SOURCES: [[f32; 4]; 2] = [[0.4, 0.1, 0.3, 0.5], [0.2, 0.6, 0.1, 0.75]];
const BEFORE: [f32; 4] = [0.3, 0.5, 0.2, 0.625];
const BITS: [u32; 4] = [0xf0f0, 0x1234, 7, u32::MAX];
const BITS_BEFORE: [u32; 4] = [0xff00, 0xff0f, 0x8000_0001, 0x0f0f_0f0f];
const CONSTANTS: [f32; 4] = [0.5, 0.25, 0.125, 1.0];

fn options(operation: LogicOperation) -> Options {
    let place = ParamSource::PushConstant { offset: 0 };
    let over = BlendComponent::add(Factor::ConstantColor, Factor::OneMinusSrcAlpha);
    Options::new()
        .target(0, Blending::new([Equation::Screen, Equation::HslHue]).format(FormatClass::Float))
        .target(
            1,
            Blending::fixed_function(FixedFunctionBlend::both(over)).format(FormatClass::Float),
        )
        .target(2, Blending::logic(operation).format(FormatClass::Uint))
        .select(place)
        .blend_constants_in(place)
}

fn near(found: &[u8], expected: [f64; 4]) -> bool {
    super::colours(found)
        .iter()
        .all(|pixel| pixel.iter().zip(expected).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-6))
}

/// Returns the wrong targets after a draw with this fragment stage.
fn wrong(fragment: &[u32]) -> Vec<String> {
    let vertex = cover();
    let floats = Target::new(vk::Format::R32G32B32A32_SFLOAT, 4, 4);
    let integers = Target::new(vk::Format::R32G32B32A32_UINT, 4, 4);
    let filled = bytes([BEFORE; 16]);
    let bits: Vec<u8> =
        [BITS_BEFORE; 16].into_iter().flatten().flat_map(u32::to_ne_bytes).collect();
    let word = [Equation::Screen.word()].into_iter().chain(CONSTANTS.map(f32::to_bits));
    // A draw to all four targets.
    let draw = Draw {
        other_targets: vec![1, 2, 3],
        descriptors: (0..3)
            .map(|at| Descriptor::new(3, at as u32, Resource::InputAttachment(at)))
            .collect(),
        push_constants: word.flat_map(u32::to_ne_bytes).collect(),
        ..draw([&vertex, fragment], 0)
    };
    let work = Work {
        targets: vec![floats, floats, integers, floats],
        pixels: vec![(0, filled.clone()), (1, filled.clone()), (2, bits), (3, filled)],
        draws: vec![draw],
        ..Work::default()
    };
    // The expected results.
    let [screened, fixed_function] = expected();
    let combined: Vec<u8> =
        [0, 1, 2, 3].iter().flat_map(|i| (BITS[*i] ^ BITS_BEFORE[*i]).to_ne_bytes()).collect();
    let mut wrong = Vec::new();
    for driver in DRIVERS {
        let found = driver.run(&work).targets;
        for (what, is_right) in [
            ("screen", near(&found[0], screened)),
            ("ordinary", near(&found[1], fixed_function)),
            ("xor", found[2].chunks_exact(16).all(|pixel| pixel == combined)),
            ("plain", near(&found[3], [0.125; 4])),
        ] {
            if !is_right {
                wrong.push(format!("{driver:?} {what}"));
            }
        }
    }
    wrong
}

fn expected() -> [[f64; 4]; 2] {
    let before = BEFORE.map(f64::from);
    let [first, second] = SOURCES.map(|source| source.map(f64::from));
    let screened = modelled(vk::BlendOp::SCREEN_EXT, Mode::PLAIN, first, before);
    let over =
        [0, 1, 2, 3].map(|i| second[i] * f64::from(CONSTANTS[i]) + before[i] * (1.0 - second[3]));
    [screened, over]
}

#[test]
fn targets_of_every_kind_are_blended_in_one_pass() {
    let fragment = lower(&glsl::fragment(SHADER), &options(LogicOperation::Xor));
    assert_eq!(wrong(&fragment), Vec::<String>::new());
}

/// The control: a target with different blending is detected, and the other targets are equal.
#[test]
fn one_target_of_them_is_noticed() {
    let other = lower(&glsl::fragment(SHADER), &options(LogicOperation::Or));
    assert_eq!(wrong(&other), ["Lavapipe xor", "SwiftShader xor"]);
    let minus = BlendComponent::add(Factor::ConstantColor, Factor::One);
    let changed = options(LogicOperation::Xor).target(
        1,
        Blending::fixed_function(FixedFunctionBlend::both(minus)).format(FormatClass::Float),
    );
    let other = lower(&glsl::fragment(SHADER), &changed);
    assert_eq!(wrong(&other), ["Lavapipe ordinary", "SwiftShader ordinary"]);
}
