//! The sources and values of equation numbers, and the ways to read the destination.

use super::{Mode, bytes, colours, cover, draw, floats, lower, modelled};
use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use crate::storage::hosts_of_any_stage;
use polyshade::advanced_blend::{
    ArrayLayerSource, ColorBlend as Blending, Destination, Equation, FormatClass, Options,
};
use polyshade::host::{Binding, Set};
use polyshade_vulkan::{Descriptor, Draw, Resource, Texture, Work, place_words, vk};

const TWO: &str = r"
    #version 450
    layout(location = 0) out vec4 first;
    layout(location = 1) out vec4 second;
    void main() { first = vec4(0.4, 0.1, 0.3, 0.5); second = vec4(0.2, 0.6, 0.1, 0.75); }";

const SOURCES: [[f32; 4]; 2] = [[0.4, 0.1, 0.3, 0.5], [0.2, 0.6, 0.1, 0.75]];
const DESTINATIONS: [[f32; 4]; 2] = [[0.3, 0.5, 0.2, 0.625], [0.7, 0.2, 0.4, 0.875]];

fn expected(equation: Option<Equation>, target: usize) -> [f64; 4] {
    let [source, destination] = [SOURCES, DESTINATIONS].map(|both| both[target].map(f64::from));
    let Some(equation) = equation else { return source };
    let operation = vk::BlendOp::from_raw(equation.blend_op());
    modelled(operation, Mode::PLAIN, source, destination)
}

#[track_caller]
fn assert_near(pixels: &[u8], expected: [f64; 4], what: &str) {
    for pixel in colours(pixels) {
        let near = pixel.iter().zip(expected).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-6);
        assert!(near, "{what}: {pixel:?}, not {expected:?}");
    }
}

const DECLARED: [Equation; 2] = [Equation::Screen, Equation::HslColor];

/// Returns numbers, each with the equation that it selects, if any.
fn words() -> Vec<(u32, Option<Equation>)> {
    vec![
        (0, None),
        (Equation::Screen.word(), Some(Equation::Screen)),
        (Equation::HslColor.word(), Some(Equation::HslColor)),
        (Equation::Multiply.word(), None),
        (47, None),
        (u32::MAX, None),
    ]
}

fn blending(equations: impl IntoIterator<Item = Equation>) -> Blending {
    Blending::new(equations).format(FormatClass::Float)
}

#[test]
fn words_select_wherever_they_are_and_others_pass_the_source_through() {
    let vertex = cover();
    for &place in hosts_of_any_stage() {
        let options = Options::new().every_target(blending(DECLARED)).select(place);
        let fragment = lower(&glsl::fragment(TWO), &options);
        // Draw each number at either target.
        let words = words();
        let pairs: Vec<_> =
            (0..words.len()).map(|i| [words[i], words[(i + 1) % words.len()]]).collect();
        let mut work = Work::default();
        for (i, pair) in pairs.iter().enumerate() {
            let first = 2 * i;
            for (target, destination) in DESTINATIONS.iter().enumerate() {
                work.targets.push(floats(4, 4));
                work.pixels.push((first + target, bytes([*destination; 16])));
            }
            let mut draw = two(&vertex, &fragment, first);
            place_words(place, &pair.map(|(word, _)| word), 1, &mut draw, &mut work);
            work.draws.push(draw);
        }
        // Compare the result at both targets.
        for driver in DRIVERS {
            let targets = driver.run(&work).targets;
            for (i, pair) in pairs.iter().enumerate() {
                for (target, (word, equation)) in pair.iter().enumerate() {
                    let what = format!("{driver:?} {place:?} {word} at {target}");
                    assert_near(&targets[2 * i + target], expected(*equation, target), &what);
                }
            }
        }
    }
}

/// Returns a draw to two targets that reads both.
fn two<'a>(vertex: &'a [u32], fragment: &'a [u32], first: usize) -> Draw<'a> {
    let mut draw = draw([vertex, fragment], first);
    draw.other_targets = vec![first + 1];
    draw.descriptors.push(Descriptor::new(3, 1, Resource::InputAttachment(first + 1)));
    draw
}

/// Returns the draw over two targets, each filled with its destination.
fn over_both(draw: Draw<'_>) -> Work<'_> {
    Work {
        targets: vec![floats(4, 4); 2],
        pixels: vec![(0, bytes([DESTINATIONS[0]; 16])), (1, bytes([DESTINATIONS[1]; 16]))],
        draws: vec![draw],
        ..Work::default()
    }
}

#[test]
fn targets_have_equations_of_their_own_or_none() {
    let vertex = cover();
    let cases: [[Option<Equation>; 2]; 3] = [
        [Some(Equation::Difference), Some(Equation::Plus)],
        [None, Some(Equation::SrcAtop)],
        [Some(Equation::HslHue), None],
    ];
    for equations in cases {
        let options =
            (0..).zip(equations).fold(Options::new(), |options, (at, equation)| match equation {
                Some(equation) => options.target(at, blending([equation])),
                None => options.unblended(at),
            });
        let fragment = lower(&glsl::fragment(TWO), &options);
        let work = over_both(two(&vertex, &fragment, 0));
        for driver in DRIVERS {
            let targets = driver.run(&work).targets;
            for (target, equation) in equations.into_iter().enumerate() {
                let what = format!("{driver:?} {equations:?} at {target}");
                assert_near(&targets[target], expected(equation, target), &what);
            }
        }
    }
}

#[test]
fn alpha_can_be_one_on_either_side() {
    let vertex = cover();
    for what in 0..3 {
        let exclusion = blending([Equation::Exclusion]);
        let exclusion = if what == 1 { exclusion.without_alpha() } else { exclusion };
        let options = Options::new().target(0, exclusion);
        let options = if what == 0 { options.alpha_to_one() } else { options };
        let fragment = lower(&glsl::fragment(TWO), &options);
        let mut draw = draw([&vertex, &fragment], 0);
        draw.other_targets = vec![1];
        let work = Work {
            targets: vec![floats(4, 4); 2],
            pixels: vec![(0, bytes([DESTINATIONS[0]; 16]))],
            draws: vec![draw],
            ..Work::default()
        };
        // The model's result with an alpha of 1.
        let [mut source, mut destination] =
            [SOURCES, DESTINATIONS].map(|both| both[0].map(f64::from));
        match what {
            0 => source[3] = 1.0,
            1 => destination[3] = 1.0,
            _ => {}
        }
        let expected = modelled(vk::BlendOp::EXCLUSION_EXT, Mode::PLAIN, source, destination);
        for driver in DRIVERS {
            assert_near(&driver.run(&work).targets[0], expected, &format!("{driver:?} {what}"));
        }
    }
}

/// Alpha-to-one sets alpha to 1 only at location 0. The result at location 1 equals the model's without alpha-to-one.
#[test]
fn alpha_to_one_is_of_the_first_location() {
    let vertex = cover();
    let options = Options::new().every_target(blending([Equation::Exclusion])).alpha_to_one();
    let fragment = lower(&glsl::fragment(TWO), &options);
    let work = over_both(two(&vertex, &fragment, 0));
    for driver in DRIVERS {
        let targets = driver.run(&work).targets;
        let alpha = colours(&targets[0])[0][3];
        assert!((alpha - 1.0).abs() < 1e-6, "{driver:?}: {alpha}");
        assert_near(&targets[1], expected(Some(Equation::Exclusion), 1), &format!("{driver:?}"));
    }
}

#[test]
fn a_copy_of_the_destination_is_read_from_a_texture() {
    let vertex = cover();
    let copy = |layers| Texture {
        view: match layers {
            1 => vk::ImageViewType::TYPE_2D,
            _ => vk::ImageViewType::TYPE_2D_ARRAY,
        },
        format: vk::Format::R32G32B32A32_SFLOAT,
        width: 4,
        height: 4,
        layers,
        contents: bytes(
            [DESTINATIONS[0]; 16].into_iter().chain((1..layers).flat_map(|_| [[0.0_f32; 4]; 16])),
        ),
        ..Texture::default()
    };
    let samples = Texture {
        samples: vk::SampleCountFlags::TYPE_4,
        contents: bytes([DESTINATIONS[0]]),
        ..copy(1)
    };
    let (set, binding) = (Set(3), Binding(2));
    let texture = |layer| Destination::Texture { set, binding, layer };
    for driver in DRIVERS {
        for (layer, multisampled, contents) in [
            (ArrayLayerSource::One, false, copy(1)),
            (ArrayLayerSource::One, true, samples.clone()),
            (ArrayLayerSource::View, false, copy(2)),
            (ArrayLayerSource::Layer, false, copy(2)),
        ] {
            // SwiftShader has no stage that writes the layer, and so no capability to read it.
            if layer == ArrayLayerSource::Layer && driver == Driver::SwiftShader {
                continue;
            }
            let options = Options::new().target(0, blending([Equation::Exclusion]));
            let options = options.destination(texture(layer));
            let options = if multisampled { options.multisampled() } else { options };
            let fragment = lower(&glsl::fragment(TWO), &options);
            let mut draw = draw([&vertex, &fragment], 0);
            draw.descriptors = vec![Descriptor::new(3, 2, Resource::Image(0))];
            draw.other_targets = vec![1];
            let work = Work {
                textures: vec![contents],
                targets: vec![floats(4, 4); 2],
                draws: vec![draw],
                ..Work::default()
            };
            let targets = driver.run(&work).targets;
            let what = format!("{driver:?} {layer:?} {multisampled}");
            assert_near(&targets[0], expected(Some(Equation::Exclusion), 0), &what);
            assert_near(&targets[1], expected(None, 1), &what);
        }
    }
}
