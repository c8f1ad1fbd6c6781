//! Logic operations, compared bit for bit with the drivers' native logic operations.

use super::{cover, draw, lower, run_both};
use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use crate::noise::Noise;
use polyshade::advanced_blend::{
    ColorBlend as Blending, Format, FormatClass, LogicOperation, Options,
};
use polyshade_vulkan::{Draw, FixedBlend, Target, Texture, vk};

const SIDE: u32 = 32;
const PIXELS: usize = (SIDE * SIDE) as usize;

/// Formats by the names that users write. Packed integers are not tested, because lavapipe 22.3.6 stores the largest
/// number if an inverted value has more bits than the format.
const FORMATS: [(&str, vk::Format); 11] = [
    ("R8G8B8A8_UNORM", vk::Format::R8G8B8A8_UNORM),
    ("B8G8R8A8_UNORM", vk::Format::B8G8R8A8_UNORM),
    ("R8_UNORM", vk::Format::R8_UNORM),
    ("A2B10G10R10_UNORM_PACK32", vk::Format::A2B10G10R10_UNORM_PACK32),
    ("R16G16B16A16_UNORM", vk::Format::R16G16B16A16_UNORM),
    ("R8G8B8A8_UINT", vk::Format::R8G8B8A8_UINT),
    ("R16G16_UINT", vk::Format::R16G16_UINT),
    ("R32G32B32A32_UINT", vk::Format::R32G32B32A32_UINT),
    ("R8G8B8A8_SINT", vk::Format::R8G8B8A8_SINT),
    ("R16G16B16A16_SINT", vk::Format::R16G16B16A16_SINT),
    ("R32G32_SINT", vk::Format::R32G32_SINT),
];

/// Outputs the source of each pixel.
fn source(class: FormatClass) -> Vec<u32> {
    let (image, vector) = match class {
        FormatClass::Uint => ("utexture2D", "uvec4"),
        FormatClass::Sint => ("itexture2D", "ivec4"),
        _ => ("texture2D", "vec4"),
    };
    glsl::fragment(&format!(
        "#version 450
        #extension GL_EXT_samplerless_texture_functions : require
        layout(set = 1, binding = 0) uniform {image} sources;
        layout(location = 0) out {vector} colour;
        void main() {{ colour = texelFetch(sources, ivec2(gl_FragCoord.xy), 0); }}"
    ))
}

/// Returns sources that the format can represent.
fn sources(format: Format) -> Texture {
    let mut noise = Noise::new();
    let mut contents = Vec::new();
    for number in 0..4 * PIXELS {
        let bits = u32::from(format.bits()[number % 4]);
        let greatest = u32::MAX.checked_shr(32 - bits).unwrap_or(0);
        let word = noise.bits() & greatest;
        contents.extend(match format.class() {
            FormatClass::Uint => word.to_ne_bytes(),
            FormatClass::Sint if bits > 0 => {
                (word.cast_signed() << (32 - bits) >> (32 - bits)).to_ne_bytes()
            }
            FormatClass::Sint => 0_u32.to_ne_bytes(),
            _ => (word as f32 / greatest.max(1) as f32).to_ne_bytes(),
        });
    }
    let format = match format.class() {
        FormatClass::Uint => vk::Format::R32G32B32A32_UINT,
        FormatClass::Sint => vk::Format::R32G32B32A32_SINT,
        _ => vk::Format::R32G32B32A32_SFLOAT,
    };
    Texture { format, width: SIDE, height: SIDE, contents, ..Texture::default() }
}

fn size(format: Format) -> usize {
    format.bits().into_iter().map(usize::from).sum::<usize>() / 8
}

/// Returns the native and the lowered result of each operation, in this order.
fn run(
    driver: Driver,
    (name, target): (&str, vk::Format),
    lowered_as: impl Fn(LogicOperation) -> LogicOperation,
) -> Vec<[Vec<u8>; 2]> {
    let format: Format = name.parse().expect(name);
    let (vertex, plain) = (cover(), source(format.class()));
    let lowered: Vec<Vec<u32>> = LogicOperation::ALL
        .into_iter()
        .map(|operation| {
            let target = Blending::logic(lowered_as(operation)).format(format);
            lower(&plain, &Options::new().every_target(target))
        })
        .collect();
    let draws = LogicOperation::ALL.iter().zip(&lowered).map(|(operation, lowered)| {
        let logic_operation = Some(vk::LogicOp::from_raw(operation.logic_op()));
        let fixed_blend = FixedBlend { logic_operation, ..FixedBlend::default() };
        [Draw { fixed_blend, ..draw([&vertex, &plain], 0) }, draw([&vertex, lowered], 0)]
    });
    // Random destinations.
    let mut noise = Noise::new();
    noise.skip(17);
    let before: Vec<u8> = (0..PIXELS * size(format)).map(|_| noise.bits() as u8).collect();
    run_both(driver, sources(format), (Target::new(target, SIDE, SIDE), &before), draws)
}

fn has_logic_operations(driver: Driver) -> bool {
    driver.device().capabilities().features.logic_op == vk::TRUE
}

#[test]
fn logic_operations_are_those_of_fixed_function() {
    assert!(has_logic_operations(Driver::Lavapipe));
    for driver in DRIVERS.into_iter().filter(|driver| has_logic_operations(*driver)) {
        let mut wrong = Vec::new();
        for format in FORMATS {
            let results = run(driver, format, |operation| operation);
            for (operation, [native, lowered]) in LogicOperation::ALL.into_iter().zip(&results) {
                let differ = native.iter().zip(lowered).position(|(a, b)| a != b);
                wrong.extend(differ.map(|at| (format.0, operation, at, native[at], lowered[at])));
            }
        }
        assert_eq!(wrong, [], "{driver:?}");
    }
}

/// The control: the results differ if a different operation is lowered.
#[test]
fn another_logic_operation_is_noticed() {
    let next = |operation: LogicOperation| LogicOperation::ALL[(operation as usize + 1) % 16];
    for format in [FORMATS[0], FORMATS[5], FORMATS[9]] {
        let results = run(Driver::Lavapipe, format, next);
        for (operation, [native, lowered]) in LogicOperation::ALL.into_iter().zip(&results) {
            assert_ne!(native, lowered, "{} {operation}", format.0);
        }
    }
}
