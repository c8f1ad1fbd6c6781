//! Metal fragment functions, compiled as C++: framebuffer-fetch blending equals the model, and faults are detected.

use crate::blend::{self, Case, fragment, shader};
use crate::metal::{Edits, are_different, edited, metal};
use crate::subject::{Driver, equal, reason, vertex};
use polyshade::advanced_blend::Equation;
use polyshade_metal::Metal;
use polyshade_tests::sample::sample;
use polyshade_vulkan::{Draw, Runner, Stage, Target, Work, vk};

#[track_caller]
fn is_equal(case: &Case) {
    let equal = equal("Metal", case.verify_by(&metal(), &case.options()));
    assert!(equal.pixels > 200, "{equal:?}");
}

/// Outputs two colours, one of them with three components, and integers. Some pixels return early, and some are
/// discarded.
fn targets() -> Vec<u32> {
    fragment(
        "layout(location = 0) in vec4 v_colour;
        layout(location = 1) in vec2 v_place;
        layout(location = 0) out vec4 first;
        layout(location = 1) out uvec2 integers;
        layout(location = 2) out vec3 narrow;
        layout(location = 3) out vec4 last;
        void main() {
            first = vec4(v_colour.rgb * v_colour.a, v_colour.a);
            last = first.bgra;
            integers = uvec2(gl_FragCoord.xy);
            narrow = vec3(0.25);
            if (v_place.x > 0.75) return;
            narrow = v_colour.bgr;
            if (v_place.y > 0.75) discard;
            last = first.gbra;
        }",
    )
}

#[test]
fn every_equation_is_the_models() {
    for case in
        sample([Case::new(shader(), &Equation::ALL), Case::new(targets(), &Equation::KHR)], 2)
    {
        is_equal(&case);
    }
}

#[test]
fn overlaps_alphas_and_formats_are_the_models() {
    sample(blend::modes(), 13).for_each(|case| is_equal(&case));
}

#[test]
fn clamped_results_and_alphas_that_are_one() {
    sample(blend::clamped(), 3).for_each(|case| is_equal(&case));
}

#[test]
fn one_equation_and_words_wherever_they_are() {
    sample(blend::one_equation(&targets()), 3).for_each(|case| is_equal(&case));
    sample(blend::selected(), 3).for_each(|case| is_equal(&case));
}

#[test]
fn the_destination_is_in_a_texture() {
    is_equal(&blend::from_texture());
}

/// Metal leaves an unwritten component undefined, even if it is the destination of the next triangle.
#[test]
fn a_component_that_is_not_written() {
    let words = fragment(
        "layout(location = 0) in vec4 v_colour;
        layout(location = 0) out vec3 narrow;
        layout(location = 1, component = 1) out vec2 parts;
        void main() { narrow = v_colour.bgr; parts = v_colour.ag; }",
    );
    is_equal(&Case::new(words, &[Equation::Screen, Equation::Exclusion]));
}

#[test]
fn textures_of_every_kind_are_read() {
    let words = fragment(
        "layout(location = 0) in vec4 v_colour;
        layout(location = 1) in vec3 v_place;
        layout(set = 0, binding = 0) uniform sampler2D images[2];
        layout(set = 0, binding = 1) uniform samplerCube faces;
        layout(set = 0, binding = 2) uniform sampler2DArray layers;
        layout(set = 0, binding = 3) uniform sampler2DShadow shadow;
        layout(set = 0, binding = 4) uniform samplerBuffer texels;
        layout(set = 0, binding = 5) uniform usampler3D space;
        layout(set = 0, binding = 6) uniform texture2D image;
        layout(set = 0, binding = 7) uniform sampler point;
        layout(location = 0) out vec4 colour;
        void main() {
            colour = texture(images[0], v_place.xy) + textureOffset(images[1], v_place.yx, ivec2(1, -1));
            colour += texture(faces, v_place) + texture(layers, v_place) + texelFetch(texels, 5);
            colour.r += texture(shadow, v_place) + float(texelFetch(space, ivec3(1, 2, 3), 0).r);
            colour += textureGather(sampler2D(image, point), v_place.xy, 1);
            colour.b += float(textureSize(layers, 0).z);
            colour = vec4(fract(colour.rgb * 0.1), 1.0) * v_colour.a;
        }",
    );
    is_equal(&Case::new(words, &[Equation::Screen, Equation::Exclusion]));
}

/// Replaces parts of the text of the blending shader.
fn broken(edits: Edits) -> Metal {
    edited(|text| text.contains("polyshade_destination_0"), edits)
}

#[test]
fn a_text_that_is_broken_is_different() {
    const BROKEN: [&[(&str, &str)]; 9] = [
        // Fetch another colour.
        &[("polyshade_destination_3 [[color(3)]]", "polyshade_destination_3 [[color(0)]]")],
        // Exchange the parameters.
        &[("polyshade_blend.equation_0", "polyshade_blend.equation_2")],
        // Omit blending.
        &[("out.first_interface = polyshade_blend_target(", "out.first_interface = (0.0, ")],
        // Reorder the three components.
        &[("polyshade_blend.equation_2).xyz", "polyshade_blend.equation_2).zyx")],
        // Draw discarded pixels, and continue after an early return.
        &[("discard_fragment();", ";")],
        &[("        return;\n", "        ;\n")],
        // Change the number of an equation.
        &[("case 13u:", "case 14000u:")],
        // Change an equation, and the result for alphas.
        &[("weighted(_", "weighted(0.5 + _")],
        &[("float3(0.0), bool3(", "float3(0.0), bool3(!")],
    ];
    let case = Case::new(targets(), &[Equation::Multiply, Equation::HslHue, Equation::Overlay]);
    are_different(&BROKEN, broken, |metal| case.verify_by(metal, &case.options()));
}

/// Compares a triangle with a value, its derivatives and clip distances. Metal's rasterized image is upside down.
#[test]
fn what_is_rasterized_is_what_a_driver_rasterizes() {
    const SIDE: u32 = 16;
    let vertex = vertex(
        "layout(location = 0) noperspective out float v_linear;
        layout(location = 1) out vec2 v_place;
        layout(location = 2) flat out uint v_first;
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
        void main() {
            float number = float(gl_VertexIndex);
            v_linear = 4.0 * number;
            v_place = vec2(number, number * number);
            v_first = 7u + uint(gl_VertexIndex);
            vec2 corners[3] = vec2[](vec2(-0.9, -0.8), vec2(0.95, -0.3), vec2(-0.2, 0.9));
            float w = 1.0 + 0.5 * number;
            gl_Position = vec4(corners[gl_VertexIndex] * w, 0.5 * w, w);
            gl_ClipDistance[0] = number - 0.3;
        }",
    );
    let fragment = fragment(
        "layout(location = 0) noperspective in float v_linear;
        layout(location = 1) in vec2 v_place;
        layout(location = 2) flat in uint v_first;
        layout(location = 0) out vec4 colour;
        layout(location = 1) out vec4 slopes;
        void main() {
            colour = vec4(v_linear, v_place, v_first + uint(gl_FrontFacing));
            slopes = vec4(dFdx(v_linear), dFdy(v_linear), fwidth(v_linear), gl_FragCoord.z);
        }",
    );
    let targets = vec![Target::new(vk::Format::R32G32B32A32_SFLOAT, SIDE, SIDE); 2];
    let mut work = Work { targets, ..Work::default() };
    work.draws.push(Draw {
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
        target: Some(0),
        other_targets: vec![1],
        instances: 0..1,
        ..Draw::new(vec![Stage::vertex(&vertex), Stage::fragment(&fragment)], 0..3)
    });
    let drawn = |runner: &dyn Runner| -> Vec<Vec<f32>> {
        let outcome = runner.run(&work).expect("it is drawn");
        let floats = |bytes: &Vec<u8>| {
            bytes.as_chunks().0.iter().map(|word| f32::from_ne_bytes(*word)).collect()
        };
        outcome.targets.iter().map(floats).collect()
    };
    let (driver, metal) = (drawn(&*Driver::Lavapipe.unwatched()), drawn(&metal()));
    let (mut covered, row) = (0, 4 * SIDE as usize);
    for (number, (driver, metal)) in driver.iter().zip(&metal).enumerate() {
        // Reverse the order of the rows.
        let metal: Vec<f32> = metal.rchunks(row).flatten().copied().collect();
        for (at, (driver, metal)) in driver.iter().zip(&metal).enumerate() {
            let downwards = (number, at % 4) == (1, 1);
            let metal = if downwards { -metal } else { *metal };
            let is_near = (driver - metal).abs() <= 1e-4 * driver.abs().max(1.0);
            assert!(is_near, "target {number}, component {at}: {driver} and {metal}");
            covered += u32::from(*driver != 0.0);
        }
    }
    assert!(covered > 400, "{covered}");
}

#[test]
fn what_is_not_run_is_not_compared() {
    let slopes = fragment(
        "layout(location = 0) in vec4 i; layout(location = 0) out vec4 colour;
        layout(set = 0, binding = 0) buffer Stored { float stored; };
        void main() { colour = i + fwidth(i.x); stored = i.x; }",
    );
    let case = Case::new(slopes, &[Equation::Multiply]);
    let why = reason("Metal", case.verify_by(&metal(), &case.options()));
    assert!(why.contains("derivatives together with stores"), "{why}");
}
