//! Alpha-to-coverage in the shader, compared with the drivers' native alpha-to-coverage.

use super::fixed_function::native;
use super::{SPREAD, cover, draw, floats, lower};
use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use polyshade::advanced_blend::{
    BlendComponent, ColorBlend as Blending, Factor, FixedFunctionBlend, FormatClass, Options,
};
use polyshade_vulkan::{Descriptor, FixedBlend, Resource, Target, Work, vk};

/// Alpha grows by a quarter from column to column, because all drivers round quarters alike.
const QUARTERS: &str = r"
    #version 450
    layout(location = 0) out vec4 colour;
    void main() { colour = vec4(0.5, 0.25, 0.125, floor(gl_FragCoord.x) * 0.25 - 0.25); }";

/// The same colours, with a sample mask.
const MASKED: &str = r"
    #version 450
    layout(location = 0) out vec4 colour;
    void main() {
        colour = vec4(0.5, 0.25, 0.125, floor(gl_FragCoord.x) * 0.25 - 0.25);
        gl_SampleMask[0] = gl_FragCoord.y < 3.0 ? 6 : 15;
    }";

const SIDE: u32 = 8;

fn over() -> FixedFunctionBlend {
    FixedFunctionBlend::both(BlendComponent::add(Factor::One, Factor::OneMinusSrcAlpha))
}

fn options() -> Options {
    let target = Blending::fixed_function(over()).format(FormatClass::Float);
    Options::new().every_target(target).multisampled()
}

/// Returns all samples after the fixed-function draw and after the draw of `lowered`.
fn run(driver: Driver, plain: &[u32], lowered: &[u32]) -> [Vec<u8>; 2] {
    let (vertex, spread) = (cover(), glsl::fragment(SPREAD));
    let mut fixed = draw([&vertex, plain], 0);
    fixed.descriptors.clear();
    fixed.blends = vec![native(over())];
    fixed.fixed_blend = FixedBlend { alpha_to_coverage: true, ..FixedBlend::default() };
    let emulated = draw([&vertex, lowered], 1);
    let spread = |from, to| {
        let mut draw = draw([&vertex, &spread], to);
        draw.descriptors = vec![Descriptor::new(0, 0, Resource::TargetImage(from))];
        draw
    };
    let samples = Target { samples: vk::SampleCountFlags::TYPE_4, ..floats(SIDE, SIDE) };
    let pixels = floats(4 * SIDE, SIDE);
    let work = Work {
        targets: vec![samples, samples, pixels, pixels],
        draws: vec![fixed, emulated, spread(0, 2), spread(1, 3)],
        ..Work::default()
    };
    let targets = driver.run(&work).targets;
    [targets[2].clone(), targets[3].clone()]
}

#[test]
fn alpha_becomes_coverage_before_it_is_blended() {
    for driver in DRIVERS {
        for source in [QUARTERS, MASKED] {
            let plain = glsl::fragment(source);
            let lowered = lower(&plain, &options().alpha_to_coverage(4));
            let [native, lowered] = run(driver, &plain, &lowered).map(|one| super::colours(&one));
            for (at, (native, lowered)) in native.iter().zip(&lowered).enumerate() {
                let near = native.iter().zip(lowered).all(|(a, b)| (a - b).abs() < 1e-6);
                assert!(near, "{driver:?} {at}: native {native:?}, lowered {lowered:?}");
            }
            let covered = native.iter().filter(|colour| **colour != [0.0; 4]).count();
            assert!(covered > native.len() / 4 && covered < native.len(), "{covered}");
        }
    }
}

/// The controls: without alpha-to-coverage, and with another number of samples.
#[test]
fn other_coverage_is_noticed() {
    let plain = glsl::fragment(QUARTERS);
    for lowered in [lower(&plain, &options()), lower(&plain, &options().alpha_to_coverage(8))] {
        let [native, lowered] = run(Driver::Lavapipe, &plain, &lowered);
        assert_ne!(native, lowered);
    }
}
