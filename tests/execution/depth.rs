//! A shader with a converted position draws like a shader that converts in its source, and captures contain the
//! original position.

use crate::drivers::{DRIVERS, Driver};
use crate::extension::{by_location, decorate};
use crate::feedback::{Case, FILL};
use crate::memory::bytes;
use crate::pictures::{Host, SCENES, Scene, is_empty};
use crate::shaders::{Shader, Varyings};
use crate::storage::Storage;
use polyshade::Module;
use polyshade::clip_space::{self, Options, SurfaceRotation};
use polyshade::host::{ParamSource, Value};
use polyshade_formats::ShaderStage;
use polyshade_tests::shader::validate;
use polyshade_vulkan::model::Topology;
use polyshade_vulkan::{Constant, Range, TransformFeedback, Work};

/// A conversion: whether it changes the depth range, whether it flips, and the number of quarter turns.
type Conversion = (bool, bool, u32);

fn conversions() -> Vec<Conversion> {
    let both = [false, true];
    both.into_iter()
        .flat_map(|depth| both.map(|flip| (depth, flip)))
        .flat_map(|(depth, flip)| [0, 1, 2, 3].map(|quarters| (depth, flip, quarters)))
        .collect()
}

/// Returns the conversion as GLSL, written from the specifications' matrices.
fn glsl((depth, flip, quarters): Conversion) -> String {
    let mut text = String::new();
    if depth {
        text.push_str("gl_Position.z = (gl_Position.z + gl_Position.w) * 0.5;");
    }
    if flip {
        text.push_str("gl_Position.y = -gl_Position.y;");
    }
    // Turns are clockwise, because Y points down in Vulkan.
    text.push_str(match quarters {
        0 => "",
        1 => "gl_Position.xy = vec2(-gl_Position.y, gl_Position.x);",
        2 => "gl_Position.xy = -gl_Position.xy;",
        _ => "gl_Position.xy = vec2(gl_Position.y, -gl_Position.x);",
    });
    text
}

#[track_caller]
fn convert(words: &[u32], options: &Options) -> Vec<u32> {
    let module = Module::parse(words).expect("glslang's words parse");
    let converted = clip_space::lower(&module, "main", options);
    let converted = converted.unwrap_or_else(|error| panic!("{options:?}: {error}"));
    validate(converted.module.words()).unwrap_or_else(|error| panic!("{options:?}: {error}"));
    converted.module.into_words()
}

fn fixed((depth, flip, quarters): Conversion) -> Options {
    let switch = |on| if on { Value::Fixed(true) } else { Value::Fixed(false) };
    let turn = [
        SurfaceRotation::None,
        SurfaceRotation::Quarter,
        SurfaceRotation::Half,
        SurfaceRotation::ThreeQuarters,
    ][quarters as usize];
    Options::new().depth(switch(depth)).flip_y(switch(flip)).rotation(turn)
}

#[test]
fn pictures_are_those_of_the_reference() {
    for scene in &SCENES {
        let plain = scene.plain();
        for conversion in conversions() {
            let converted = convert(&plain, &fixed(conversion));
            for driver in scene.drivers() {
                is_reference(scene, *driver, &converted, &Host::default(), conversion);
            }
        }
    }
}

/// The comparison detects every conversion: no two draw the same.
#[test]
fn no_two_conversions_draw_the_same() {
    for scene in &SCENES {
        for driver in scene.drivers() {
            let picture = |conversion| {
                scene.picture(*driver, &scene.words(&glsl(conversion), "", ""), &Host::default())
            };
            let pictures: Vec<Vec<u8>> = conversions().into_iter().map(picture).collect();
            for (number, one) in pictures.iter().enumerate() {
                assert!(
                    !pictures[..number].contains(one),
                    "{driver:?} {:?}",
                    conversions()[number]
                );
            }
        }
    }
}

#[test]
fn the_host_decides_by_constants_of_the_pipeline() {
    let options = Options::new()
        .depth(Value::Param(ParamSource::Specialization { first_id: 7 }))
        .flip_y(Value::Param(ParamSource::Specialization { first_id: 3 }))
        .rotation(Value::Param(ParamSource::Specialization { first_id: 11 }));
    the_host_decides(&options, |(depth, flip, quarters)| {
        let constants = [(7, u32::from(depth)), (3, u32::from(flip)), (11, quarters)];
        let constants = constants.map(|(id, value)| (id, Constant::Bits32(value))).to_vec();
        Host { constants, ..Host::default() }
    });
    // Without values, nothing is converted.
    for scene in &SCENES {
        let converted = convert(&scene.plain(), &options);
        for driver in scene.drivers() {
            let original = scene.picture(*driver, &scene.plain(), &Host::default());
            assert!(scene.picture(*driver, &converted, &Host::default()) == original);
        }
    }
}

#[test]
fn the_host_decides_by_push_constants() {
    let place = ParamSource::PushConstant { offset: 8 };
    let options = Options::new()
        .depth(Value::Param(place))
        .flip_y(Value::Param(place))
        .rotation(Value::Param(place));
    the_host_decides(&options, |(depth, flip, quarters)| {
        // The number of quarter turns is taken modulo 4.
        let words = [9, 9, u32::from(depth), 5 * u32::from(flip), quarters + 4];
        Host { push_constants: bytes(&words), ..Host::default() }
    });
}

/// Checks that the host's values choose the conversion.
#[track_caller]
fn the_host_decides(options: &Options, host: impl Fn(Conversion) -> Host) {
    for scene in &SCENES {
        let converted = convert(&scene.plain(), options);
        for driver in scene.drivers() {
            for conversion in conversions() {
                is_reference(scene, *driver, &converted, &host(conversion), conversion);
            }
        }
    }
}

#[track_caller]
fn is_reference(
    scene: &Scene,
    driver: Driver,
    converted: &[u32],
    host: &Host,
    conversion: Conversion,
) {
    let reference = scene.words(&glsl(conversion), "", "");
    let expected = scene.picture(driver, &reference, &Host::default());
    assert!(!is_empty(&expected), "{driver:?} {conversion:?}");
    let found = scene.picture(driver, converted, host);
    assert!(found == expected, "{driver:?} {:?} {conversion:?}", scene.model());
}

const EVERYTHING: Conversion = (true, true, 1);

/// A size in bytes that is enough for all captured vertices of any scene.
const BYTES: usize = 24 * 1024;

/// Returns lavapipe's capture of a scene.
#[track_caller]
pub(crate) fn captured(scene: &Scene, words: &[u32], host: &Host) -> Vec<u8> {
    let ahead = scene.ahead();
    let mut draw = scene.draw(words, &ahead, host);
    let range = Range { buffer: 0, offset: 0, size: BYTES as u64 };
    draw.transform_feedback =
        Some(TransformFeedback { buffers: vec![range], ..TransformFeedback::default() });
    let work = Work { buffers: vec![vec![FILL; BYTES]], draws: vec![draw], ..Work::default() };
    let outcome = Driver::Lavapipe.run(&work);
    assert!(outcome.captured[0].is_some_and(|captured| captured.written > 7));
    outcome.buffers.into_iter().next().expect("there is one buffer")
}

/// GLSL qualifiers that capture the colour and the position.
pub(crate) const QUALIFIERS: [&str; 2] = [
    "layout(xfb_buffer = 0, xfb_offset = 16, xfb_stride = 24)",
    "layout(xfb_buffer = 0, xfb_offset = 0, xfb_stride = 24)",
];

/// Returns the shader of a scene, captured by the extension.
pub(crate) fn decorated(scene: &Scene) -> Vec<u32> {
    decorate(&scene.plain(), &by_location("gl_Position location=0")).module.into_words()
}

#[test]
fn the_extension_captures_what_the_shader_wrote() {
    for scene in &SCENES {
        let [colour, position] = QUALIFIERS;
        let expected = captured(scene, &scene.words("", colour, position), &Host::default());
        let decorated = decorated(scene);
        assert!(captured(scene, &decorated, &Host::default()) == expected);

        let converted = convert(&decorated, &fixed(EVERYTHING));
        assert!(captured(scene, &converted, &Host::default()) == expected, "{:?}", scene.model());
        let reference = scene.words(&glsl(EVERYTHING), "", "");
        let picture = scene.picture(Driver::Lavapipe, &reference, &Host::default());
        assert!(scene.picture(Driver::Lavapipe, &converted, &Host::default()) == picture);

        // The comparison detects a capture of the converted position.
        let wrong = scene.words(&glsl(EVERYTHING), colour, position);
        assert!(captured(scene, &wrong, &Host::default()) != expected);
    }
}

/// The shader for the storage path.
pub(crate) const POSITIONS: Shader = Shader {
    source: r"
        #version 450
        layout(location = 0) out vec2 v_colour;
        out gl_PerVertex { XFB_gl_Position vec4 gl_Position; float gl_PointSize; };
        void main() {
            float f = float(gl_VertexIndex) * 0.25;
            gl_Position = vec4(f, -f, f - 0.5, 2);
            v_colour = vec2(f);
            gl_PointSize = 1.0;
        }",
    outputs: &[("gl_Position", 4)],
};

#[test]
fn the_storage_path_stores_what_the_shader_wrote() {
    let mut storage = Storage::new(&POSITIONS, Varyings::Interleaved("gl_Position"));
    let cases = [Case::new(Topology::PointList, 7)];
    for driver in DRIVERS {
        let expected = storage.run(driver, &cases);
        let capture_only = storage.words.clone();
        storage.words = convert(storage.capture.both.as_ref().unwrap().words(), &fixed(EVERYTHING));
        assert!(storage.words.len() > storage.capture.both.as_ref().unwrap().words().len());
        assert!(storage.run(driver, &cases) == expected, "{driver:?}");

        // The comparison detects a position that is converted before the capture.
        let plain = POSITIONS.plain_stage(ShaderStage::Vertex);
        let (first, rest) =
            POSITIONS.source.split_once("gl_PointSize = 1.0;").expect("it is there");
        let fixed_up = format!("{first}{}gl_PointSize = 1.0;{rest}", glsl(EVERYTHING));
        let wrong = Shader { source: fixed_up.leak(), ..POSITIONS };
        assert!(wrong.plain_stage(ShaderStage::Vertex) != plain);
        let wrong = Storage::new(&wrong, Varyings::Interleaved("gl_Position"));
        assert!(wrong.run(driver, &cases) != expected, "{driver:?}");
        storage.words = capture_only;
    }
}
