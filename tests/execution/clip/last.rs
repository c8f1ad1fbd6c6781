//! The last stage before rasterization: disabled planes and user clip planes, compared with handwritten stages.

use super::chain::{SIZE, Stages, pictures, with_header};
use super::shape::{Shape, Style};
use super::{CHAINS, draw, drivers, shapes};
use crate::drivers::{DRIVERS, Driver};
use crate::memory::bytes;
use crate::noise::Noise;
use crate::storage::{HOSTS, hosts_of_any_stage};
use polyshade::Module;
use polyshade::clip_cull::{DistanceKind, Step, UserPlanes};
use polyshade::host::{ParamSource, Value};
use polyshade_formats::ShaderStage;
use polyshade_tests::clip::{take, to_registers};
use polyshade_tests::shader::validate;
use polyshade_vulkan::{Draw, Stage, Target, Work, place_words, vk};

/// Returns the handwritten stages with only these planes enabled, in the last stage before rasterization.
#[track_caller]
fn enabled(shape: &Shape, enabled: Value<u32>) -> Stages {
    let mut stages = shape.stages(Style::Arrays);
    let last = stages.len() - 2;
    let module = Module::parse(&stages[last].1).expect("glslang's words parse");
    let lowered = take(&module, Step::Mask { enabled, keep_original_at: None });
    let lowered = lowered.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(lowered.result.distances.outputs.clip, shape.count(DistanceKind::Clip));
    stages[last].1 = lowered.module.into_words();
    stages
}

#[test]
fn planes_that_are_off_do_not_clip_in_any_stage() {
    for chain in CHAINS {
        let mut noise = Noise::new();
        for driver in drivers(chain) {
            let mut shapes = shapes(&mut noise, *driver, chain, 12);
            shapes.iter_mut().for_each(|shape| shape.off = noise.below(256));
            let drawn = draw(*driver, &shapes, &[1, 2, 3], |shape| {
                enabled(&Shape { off: 0, ..shape.clone() }, Value::Fixed(!shape.off))
            });
            for (shape, (lowered, by_hand)) in shapes.iter().zip(drawn) {
                assert!(lowered == by_hand, "{driver:?} {shape:#?}");
            }
        }
    }
}

/// A control: with all planes enabled, the pictures differ.
#[test]
fn planes_that_stay_on_are_seen() {
    let mut noise = Noise::new();
    let mut shapes = shapes(&mut noise, Driver::Lavapipe, CHAINS[0], 12);
    shapes.retain(|shape| shape.count(DistanceKind::Clip) > 0);
    for driver in DRIVERS {
        let of = |off| -> Vec<Stages> {
            let masked = |shape: &Shape| Shape { off, ..shape.clone() }.stages(Style::Arrays);
            shapes.iter().map(masked).collect()
        };
        let (on, off) = (pictures(driver, &of(0), &[1]), pictures(driver, &of(!0), &[1]));
        assert!(on.iter().zip(&off).all(|(on, off)| on != off), "{driver:?}");
    }
}

const VERTEX: &str = "
OUTPUTS
void main() {
    uint v = uint(gl_VertexIndex) * 7u;
    gl_Position = vec4(noise(v) * 1.5, noise(v + 1u) * 1.5, 0.5, 1.0 + 0.5 * noise(v + 2u));
    WRITES
}";

const FRAGMENT: &str = "
INPUTS
layout(location = 0) out uvec2 pixel;
void main() { pixel = uvec2(1, READ); }";

/// Returns one picture of two stages, with the seed in push constants, and host parameters for the vertex stage.
#[track_caller]
fn picture(
    driver: Driver,
    (vertex, fragment): (&[u32], &[u32]),
    params: Option<(ParamSource, &[u32])>,
) -> Vec<u8> {
    let mut draw = Draw {
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
        push_constants: bytes(&[77, 0]),
        target: Some(0),
        ..Draw::new(vec![Stage::vertex(vertex), Stage::fragment(fragment)], 0..18)
    };
    let target = Target::new(vk::Format::R32G32_UINT, SIZE, SIZE);
    let mut work = Work { targets: vec![target], ..Work::default() };
    if let Some((place, words)) = params {
        place_words(place, words, 0, &mut draw, &mut work);
    }
    work.draws.push(draw);
    driver.run(&work).targets.remove(0)
}

const DISTANCES: &str =
    "for (int i = 0; i < 3; ++i) gl_ClipDistance[i] = noise(v + 9u * uint(i)) + 0.2;";

#[test]
fn a_mask_is_read_wherever_it_is_while_the_fragment_stage_reads_what_was_written() {
    // The fragment stage reads the original distances from registers.
    let outputs = ("OUTPUTS", "out float gl_ClipDistance[3];");
    let vertex = with_header(ShaderStage::Vertex, VERTEX, &[outputs, ("WRITES", DISTANCES)]);
    let bits = "floatBitsToUint(d[0] + 2.0 * d[1] + 4.0 * d[2])";
    let read = bits.replace("d[", "gl_ClipDistance[");
    let inputs = ("INPUTS", "in float gl_ClipDistance[3];");
    let fragment = with_header(ShaderStage::Fragment, FRAGMENT, &[inputs, ("READ", &read)]);
    let module = Module::parse(&fragment).unwrap();
    let lowered_fragment = take(&module, to_registers(5, None));
    let lowered_fragment = lowered_fragment.unwrap().module.into_words();
    let fragment_by_hand = with_header(
        ShaderStage::Fragment,
        FRAGMENT,
        &[("INPUTS", "layout(location = 5) in vec3 d;"), ("READ", bits)],
    );

    let module = Module::parse(&vertex).unwrap();
    // Compare with a handwritten mask, for every source of the mask.
    for mask in [0_u32, 5, 7] {
        let writes = format!(
            "{DISTANCES} d = vec3(gl_ClipDistance[0], gl_ClipDistance[1], gl_ClipDistance[2]);
            for (int i = 0; i < 3; ++i) if (({mask} >> i & 1) == 0) gl_ClipDistance[i] = 0.0;"
        );
        let outputs = format!("{} layout(location = 5) out vec3 d;", outputs.1);
        let by_hand =
            with_header(ShaderStage::Vertex, VERTEX, &[("OUTPUTS", &outputs), ("WRITES", &writes)]);
        for driver in DRIVERS {
            let expected = picture(driver, (&by_hand, &fragment_by_hand), None);
            assert!(expected.iter().any(|byte| *byte != 0));
            let params = hosts_of_any_stage().iter().copied().map(Value::Param);
            for way in [Value::Fixed(mask)].into_iter().chain(params) {
                let step = Step::Mask { enabled: way, keep_original_at: Some(5) };
                let lowered = take(&module, step).unwrap().module;
                validate(lowered.words()).unwrap();
                let stages = (lowered.words(), lowered_fragment.as_slice());
                let words = [mask];
                let params = way.place().map(|place| (place, words.as_slice()));
                let found = picture(driver, stages, params);
                assert!(found == expected, "{driver:?} {way:?} {mask}");
            }
        }
    }
}

#[test]
fn user_planes_clip_as_dot_products_by_hand() {
    // Define the planes, and a shader with an output that they clip.
    let planes = [[1.0, 0.5, 0.25, 0.0], [-0.5, 1.0, 0.0, 0.5], [0.0, -1.0, 0.5, 0.75]];
    let words: Vec<u32> = planes.iter().flatten().map(|float: &f32| float.to_bits()).collect();
    let fragment = with_header(ShaderStage::Fragment, FRAGMENT, &[("INPUTS", ""), ("READ", "0")]);
    let eye = "layout(location = 3) out vec4 eye;";
    let put = "eye = gl_Position.yxwz * 0.5;";
    let vertex = with_header(ShaderStage::Vertex, VERTEX, &[("OUTPUTS", eye), ("WRITES", put)]);
    let module = Module::parse(&vertex).unwrap();
    // Compare with handwritten dot products, for both vertices and every source.
    for (space, name) in [(None, "gl_Position"), (Some(3), "eye")] {
        let list: Vec<String> =
            planes.iter().map(|[x, y, z, w]| format!("vec4({x}, {y}, {z}, {w})")).collect();
        let writes = format!(
            "{put} vec4 planes[3] = vec4[3]({});
            for (int i = 0; i < 3; ++i) gl_ClipDistance[i] = dot({name}, planes[i]);",
            list.join(", ")
        );
        let outputs = format!("{eye} out float gl_ClipDistance[3];");
        let defines = [("OUTPUTS", outputs.as_str()), ("WRITES", &writes)];
        let by_hand = with_header(ShaderStage::Vertex, VERTEX, &defines);
        for driver in DRIVERS {
            let expected = picture(driver, (&by_hand, &fragment), None);
            let whole = picture(driver, (&vertex, &fragment), None);
            assert!(expected != whole, "{driver:?}: the planes cut nothing off");
            for &words_at in hosts_of_any_stage() {
                let planes = UserPlanes { count: 3, params: words_at, vertex: space };
                let lowered = take(&module, Step::UserPlanes(planes)).unwrap().module;
                validate(lowered.words()).unwrap();
                let stages = (lowered.words(), fragment.as_slice());
                let found = picture(driver, stages, Some((words_at, words.as_slice())));
                assert!(found == expected, "{driver:?} {space:?} {words_at:?}");
            }
        }
    }
    let nine = UserPlanes { count: 9, params: HOSTS[0], vertex: None };
    let nine = take(&module, Step::UserPlanes(nine));
    assert!(nine.is_err(), "nine planes are more than the device takes");
}
