//! The last stage before rasterization: planes that are off, and planes of the caller, against the same by hand.

use super::chain::{SIZE, Stages, pictures, with_header};
use super::shape::{Shape, Style};
use super::{CHAINS, drivers, shapes};
use crate::drivers::{DRIVERS, Driver};
use crate::memory::bytes;
use crate::noise::Noise;
use polyshade::Module;
use polyshade::clip_cull::{Kind, Planes, Registers, enable, to_registers, user_planes};
use polyshade::host::{Binding, Place, Set, Value};
use polyshade_formats::ShaderStage;
use polyshade_tests::shader::validate;
use polyshade_vulkan::{Constant, Descriptor, Draw, Range, Resource, Stage, Target, Work, vk};

/// The stages by hand, the last but the fragment stage with these planes alone.
#[track_caller]
fn enabled(shape: &Shape, enabled: Value<u32>) -> Stages {
    let mut stages = shape.stages(Style::Arrays);
    let last = stages.len() - 2;
    let module = Module::parse(&stages[last].1).expect("glslang's words parse");
    let lowered = enable(&module, "main", enabled, None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(lowered.result.outputs[0], shape.count(Kind::Clip));
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
            let lowered: Vec<Stages> = shapes
                .iter()
                .map(|shape| {
                    let all = Shape { off: 0, ..shape.clone() };
                    enabled(&all, Value::Fixed(!shape.off))
                })
                .collect();
            let by_hand: Vec<Stages> =
                shapes.iter().map(|shape| shape.stages(Style::Arrays)).collect();
            let seeds = [1, 2, 3];
            let (lowered, by_hand) =
                (pictures(*driver, &lowered, &seeds), pictures(*driver, &by_hand, &seeds));
            assert!(lowered == by_hand, "{driver:?} {chain:?}");
        }
    }
}

/// A control: with all planes on, the pictures are others.
#[test]
fn planes_that_stay_on_are_seen() {
    let mut noise = Noise::new();
    let mut shapes = shapes(&mut noise, Driver::Lavapipe, CHAINS[0], 12);
    shapes.retain(|shape| shape.count(Kind::Clip) > 0);
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

/// One picture: two stages, push constants behind the seed, a buffer at set 1, binding 2, and a constant.
#[track_caller]
fn picture(
    driver: Driver,
    (vertex, fragment): (&[u32], &[u32]),
    constants: &[u32],
    resource: Option<(Resource, Vec<u32>)>,
    specialization: Option<(u32, u32)>,
) -> Vec<u8> {
    let mut vertex = Stage::vertex(vertex);
    vertex.specialization =
        specialization.iter().map(|(id, value)| (*id, Constant::Bits32(*value))).collect();
    let push_constants = [&[77, 0], constants].concat();
    let draw = Draw {
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
        push_constants: bytes(&push_constants),
        descriptors: resource.iter().map(|(one, _)| Descriptor::new(1, 2, *one)).collect(),
        target: Some(0),
        ..Draw::new(vec![vertex, Stage::fragment(fragment)], 0..18)
    };
    let target = Target::new(vk::Format::R32G32_UINT, SIZE, SIZE);
    let buffers = resource.map(|(_, words)| bytes(&words)).into_iter().collect();
    let work = Work { buffers, targets: vec![target], draws: vec![draw], ..Work::default() };
    driver.run(&work).targets.remove(0)
}

const RANGE: Range = Range { buffer: 0, offset: 0, size: 64 };

/// What a place of words takes to be filled.
fn filled(place: Place, values: &[u32]) -> (Vec<u32>, Option<(Resource, Vec<u32>)>) {
    let mut contents = values.to_vec();
    contents.resize(16, 0);
    match place {
        Place::PushConstant { .. } => (values.to_vec(), None),
        Place::Specialization { .. } => (Vec::new(), None),
        Place::Uniform { .. } => (Vec::new(), Some((Resource::UniformBuffer(RANGE), contents))),
        Place::StorageBuffer { .. } => {
            (Vec::new(), Some((Resource::StorageBuffer(RANGE), contents)))
        }
    }
}

const PLACES: [Place; 3] = [
    Place::PushConstant { offset: 8 },
    Place::Uniform { set: Set(1), binding: Binding(2) },
    Place::StorageBuffer { set: Set(1), binding: Binding(2) },
];

const DISTANCES: &str =
    "for (int i = 0; i < 3; ++i) gl_ClipDistance[i] = noise(v + 9u * uint(i)) + 0.2;";

#[test]
fn a_mask_is_read_wherever_it_is_while_the_fragment_stage_reads_what_was_written() {
    let outputs = ("OUTPUTS", "out float gl_ClipDistance[3];");
    let vertex = with_header(ShaderStage::Vertex, VERTEX, &[outputs, ("WRITES", DISTANCES)]);
    let bits = "floatBitsToUint(d[0] + 2.0 * d[1] + 4.0 * d[2])";
    let read = bits.replace("d[", "gl_ClipDistance[");
    let inputs = ("INPUTS", "in float gl_ClipDistance[3];");
    let fragment = with_header(ShaderStage::Fragment, FRAGMENT, &[inputs, ("READ", &read)]);
    let module = Module::parse(&fragment).unwrap();
    let lowered_fragment =
        to_registers(&module, "main", Registers { inputs: 5, outputs: 0, linked: None });
    let lowered_fragment = lowered_fragment.unwrap().module.into_words();
    let fragment_by_hand = with_header(
        ShaderStage::Fragment,
        FRAGMENT,
        &[("INPUTS", "layout(location = 5) in vec3 d;"), ("READ", bits)],
    );

    let module = Module::parse(&vertex).unwrap();
    for mask in [0_u32, 5, 7] {
        let writes = format!(
            "{DISTANCES} d = vec3(gl_ClipDistance[0], gl_ClipDistance[1], gl_ClipDistance[2]);
            for (int i = 0; i < 3; ++i) if (({mask} >> i & 1) == 0) gl_ClipDistance[i] = 0.0;"
        );
        let outputs = format!("{} layout(location = 5) out vec3 d;", outputs.1);
        let by_hand =
            with_header(ShaderStage::Vertex, VERTEX, &[("OUTPUTS", &outputs), ("WRITES", &writes)]);
        for driver in DRIVERS {
            let expected = picture(driver, (&by_hand, &fragment_by_hand), &[], None, None);
            assert!(expected.iter().any(|byte| *byte != 0));
            let specialized = Value::Word(Place::Specialization { first_id: 3 });
            let ways = [Value::Fixed(mask), specialized];
            for way in ways.into_iter().chain(PLACES.map(Value::Word)) {
                let lowered = enable(&module, "main", way, Some(5)).unwrap().module;
                validate(lowered.words()).unwrap();
                let (constants, resource) = match way {
                    Value::Word(place) => filled(place, &[mask]),
                    _ => (Vec::new(), None),
                };
                let constant = (way == specialized).then_some((3, mask));
                let stages = (lowered.words(), lowered_fragment.as_slice());
                let found = picture(driver, stages, &constants, resource, constant);
                assert!(found == expected, "{driver:?} {way:?} {mask}");
            }
        }
    }
}

#[test]
fn user_planes_clip_as_dot_products_by_hand() {
    let planes = [[1.0, 0.5, 0.25, 0.0], [-0.5, 1.0, 0.0, 0.5], [0.0, -1.0, 0.5, 0.75]];
    let words: Vec<u32> = planes.iter().flatten().map(|float: &f32| float.to_bits()).collect();
    let fragment = with_header(ShaderStage::Fragment, FRAGMENT, &[("INPUTS", ""), ("READ", "0")]);
    let eye = "layout(location = 3) out vec4 eye;";
    let put = "eye = gl_Position.yxwz * 0.5;";
    let vertex = with_header(ShaderStage::Vertex, VERTEX, &[("OUTPUTS", eye), ("WRITES", put)]);
    let module = Module::parse(&vertex).unwrap();
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
            let expected = picture(driver, (&by_hand, &fragment), &[], None, None);
            let whole = picture(driver, (&vertex, &fragment), &[], None, None);
            assert!(expected != whole, "{driver:?}: the planes cut nothing off");
            for words_at in PLACES {
                let planes = Planes { count: 3, words: words_at, vertex: space };
                let lowered = user_planes(&module, "main", planes).unwrap().module;
                validate(lowered.words()).unwrap();
                let (constants, resource) = filled(words_at, &words);
                let stages = (lowered.words(), fragment.as_slice());
                let found = picture(driver, stages, &constants, resource, None);
                assert!(found == expected, "{driver:?} {space:?} {words_at:?}");
            }
        }
    }
    let twice = user_planes(&module, "main", Planes { count: 9, words: PLACES[0], vertex: None });
    assert!(twice.is_err(), "nine planes are more than the device takes");
}
