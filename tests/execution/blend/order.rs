//! Overlapping primitives in one draw, and multisampling.

use super::{Mode, SPREAD, bytes, colours, cover, draw, floats, lower, modelled};
use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use polyshade::advanced_blend::{ColorBlend as Blending, Equation, FormatClass, Options};
use polyshade_formats::SpirvVersion;
use polyshade_vulkan::{Descriptor, Error, Resource, Target, TargetReads, Work, vk};

/// Draws one triangle for each instance over every pixel, in different colours.
const LAYERS: &str = r"
    #version 450
    layout(location = 0) flat out vec4 v_colour;
    void main() {
        float i = gl_InstanceIndex;
        v_colour = vec4(0.15 + 0.1 * i, 0.9 - 0.12 * i, 0.5 + 0.3 * sin(i), 1.0);
        gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
    }";

const FLAT: &str = r"
    #version 450
    layout(location = 0) flat in vec4 v_colour;
    layout(location = 0) out vec4 colour;
    void main() { colour = v_colour; }";

/// A fragment shader without an input.
const FLAT_OF_NOTHING: &str = r"
    #version 450
    layout(location = 0) out vec4 colour;
    void main() { colour = vec4(0.5); }";

const INSTANCES: u32 = 7;

fn layer(i: f64) -> [f64; 4] {
    [0.15 + 0.1 * i, 0.9 - 0.12 * i, 0.5 + 0.3 * i.sin(), 1.0]
}

/// Returns the result of blending the layers over a destination in this order.
fn blended(order: impl Iterator<Item = u32>, destination: [f64; 4]) -> [f64; 4] {
    order.fold(destination, |destination, i| {
        modelled(vk::BlendOp::SOFTLIGHT_EXT, Mode::PLAIN, layer(f64::from(i)), destination)
    })
}

fn far(a: [f64; 4], b: [f32; 4]) -> bool {
    a.iter().zip(b).any(|(a, b)| (a - f64::from(b)).abs() > 1e-4)
}

fn soft_light() -> Options {
    Options::new().every_target(Blending::new([Equation::SoftLight]).format(FormatClass::Float))
}

/// Draws the layers over a destination, and checks every pixel.
#[track_caller]
fn draw_layers(driver: Driver, reads: TargetReads) {
    let vertex = glsl::vertex(LAYERS, "", SpirvVersion::SPIRV1_0);
    let fragment = lower(&glsl::fragment(FLAT), &soft_light());
    let mut draw = draw([&vertex, &fragment], 0);
    draw.instances = 0..INSTANCES;
    draw.reads = reads;
    let destination = [0.3, 0.6, 0.45, 1.0];
    let work = Work {
        targets: vec![floats(32, 32)],
        pixels: vec![(0, bytes([destination; 32 * 32]))],
        draws: vec![draw],
        ..Work::default()
    };
    let destination = destination.map(f64::from);
    let expected = blended(0..INSTANCES, destination);
    let reversed = blended((0..INSTANCES).rev(), destination);
    assert!(far(reversed, expected.map(|x| x as f32)), "the order matters");
    for pixel in colours(&driver.run(&work).targets[0]) {
        assert!(!far(expected, pixel), "{driver:?} {reads:?}: {pixel:?}, not {expected:?}");
    }
}

#[test]
fn primitives_of_one_draw_blend_in_order() {
    for driver in DRIVERS {
        ways(driver).into_iter().for_each(|reads| draw_layers(driver, reads));
    }
}

/// Returns the ways in which a driver can read a target, the plain one first.
fn ways(driver: Driver) -> Vec<TargetReads> {
    let has = driver.device().capabilities().target_reads;
    let all = [(false, false), (false, true), (true, false), (true, true)];
    let all = all.map(|(local, ordered)| TargetReads { local, ordered });
    let is_there = |way: &TargetReads| way.local <= has.local && way.ordered <= has.ordered;
    all.into_iter().filter(is_there).collect()
}

#[test]
fn local_reads_and_ordered_ones_are_there_where_a_driver_has_them() {
    // SwiftShader supports ordered and local reads, but Debian's validation layer is too old for local reads.
    assert!(ways(Driver::SwiftShader).iter().any(|way| way.ordered));
    let device = Driver::SwiftShader.device();
    let layer = device.validation_layer().expect("the validation layer is active").spec_version;
    assert_eq!(
        device.capabilities().target_reads.local,
        layer >= vk::make_api_version(0, 1, 3, 276)
    );
}

#[test]
fn ways_to_read_that_a_driver_lacks_are_refused() {
    let all = TargetReads { local: true, ordered: true };
    let (vertex, fragment) = (cover(), lower(&glsl::fragment(FLAT_OF_NOTHING), &soft_light()));
    let mut draw = draw([&vertex, &fragment], 0);
    draw.reads = all;
    let work = Work { targets: vec![floats(8, 8)], draws: vec![draw], ..Work::default() };
    let (outcome, messages) = Driver::Lavapipe.run_watched(&work);
    assert!(matches!(outcome, Err(Error::Missing("dynamic rendering local read"))), "{outcome:?}");
    assert!(messages.is_empty());
}

/// Fills each sample with a different colour.
const FILL: &str = r"
    #version 450
    layout(location = 0) out vec4 colour;
    void main() { colour = vec4(0.2 + 0.2 * gl_SampleID, 0.5, 0.8 - 0.2 * gl_SampleID, 1.0); }";

/// Writes to samples 0 and 3 only.
const MASKED: &str = r"
    #version 450
    layout(location = 0) flat in vec4 v_colour;
    layout(location = 0) out vec4 colour;
    void main() {
        colour = v_colour;
        gl_SampleMask[0] = 9;
    }";

/// Draws the layers over samples 0 and 3 of each pixel, and checks every sample.
#[track_caller]
fn draw_samples(driver: Driver, reads: TargetReads) {
    let (vertex, layers) = (cover(), glsl::vertex(LAYERS, "", SpirvVersion::SPIRV1_0));
    let (fill, spread) = (glsl::fragment(FILL), glsl::fragment(SPREAD));
    let fragment = lower(&glsl::fragment(MASKED), &soft_light().multisampled());
    // Fill the samples, draw the layers, and spread the samples.
    let mut first = draw([&vertex, &fill], 0);
    first.descriptors.clear();
    let mut second = draw([&layers, &fragment], 0);
    second.instances = 0..INSTANCES;
    second.reads = reads;
    let mut third = draw([&vertex, &spread], 1);
    third.descriptors = vec![Descriptor::new(0, 0, Resource::TargetImage(0))];
    let work = Work {
        targets: vec![
            Target { samples: vk::SampleCountFlags::TYPE_4, ..floats(8, 8) },
            floats(32, 8),
        ],
        draws: vec![first, second, third],
        ..Work::default()
    };
    // The masked samples are unchanged.
    let pixels = colours(&driver.run(&work).targets[1]);
    for (x, pixel) in pixels.into_iter().enumerate() {
        let sample = (x % 4) as f64;
        let filled = [0.2 + 0.2 * sample, 0.5, 0.8 - 0.2 * sample, 1.0];
        let expected = match x % 4 {
            0 | 3 => blended(0..INSTANCES, filled),
            _ => filled,
        };
        assert!(!far(expected, pixel), "{driver:?} {reads:?} {x}: {pixel:?}, not {expected:?}");
    }
}

#[test]
fn each_sample_is_blended_with_its_own_destination_in_order() {
    for driver in DRIVERS {
        ways(driver).into_iter().for_each(|reads| draw_samples(driver, reads));
    }
}
