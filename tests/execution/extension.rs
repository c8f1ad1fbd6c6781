//! lavapipe's captures of a decorated shader equal the model, captures by GLSL qualifiers, and captures by the
//! storage path.

use crate::cases::{TOPOLOGIES, all, few};
use crate::controls;
use crate::drivers::Driver;
use crate::feedback::{self, Case, run_decorated, vertex_values, with_strides};
use crate::glsl;
use crate::matrix::TWO_BUFFERS;
use crate::memory::bytes;
use crate::noise::Noise;
use crate::shaders::{
    AGGREGATES, BITS, BUILT_INS, INDICES, PARTS, QUALIFIED, Shader, VECTORS, Varyings,
};
use crate::storage::Storage;
use crate::sweep;
use polyshade::Module;
use polyshade::host::Lowered;
use polyshade::transform_feedback::{self, Decorated, Options, Varying};
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_tests::shader::validate;
use polyshade_vulkan::model::Value;

pub(crate) fn options(varyings: Varyings) -> Options {
    varyings.add_to(Options::new())
}

/// Returns options that capture varyings by location into interleaved buffers.
pub(crate) fn by_location(varyings: &str) -> Options {
    let varyings = varyings.split_whitespace().map(|text| text.parse::<Varying>());
    Options::new().interleaved(varyings.collect::<Result<Vec<_>, _>>().expect("they are locations"))
}

/// Decorates a shader, and checks that the result is valid.
#[track_caller]
pub(crate) fn decorate(words: &[u32], options: &Options) -> Lowered<'static, Decorated> {
    let module = Module::parse_owned(words.to_vec()).expect("glslang's words parse");
    let module = Box::leak(Box::new(module));
    let decorated = transform_feedback::decorate(module, "main", options)
        .unwrap_or_else(|error| panic!("{options:?}: {error}"));
    validate(decorated.module.words()).unwrap_or_else(|error| panic!("{options:?}: {error}"));
    decorated
}

/// Returns the feedback buffers of each case, captured by the extension, after checking the strides.
#[track_caller]
pub(crate) fn memories(
    words: &[u32],
    strides: &[u32],
    options: &Options,
    cases: &[Case],
) -> Vec<Vec<Vec<u8>>> {
    let decorated = decorate(words, options);
    let ours = decorated.result.layout.buffers.iter().map(|buffer| buffer.stride);
    assert_eq!(ours.collect::<Vec<_>>(), strides, "{options:?}");
    let layout = with_strides(strides);
    feedback::memories(run_decorated(decorated.module.words(), &layout, cases))
}

/// Checks the extension's captures against the model and the storage path. Returns the locations of copied outputs.
#[track_caller]
fn extension_is_right(shader: &Shader, varyings: Varyings, cases: &[Case]) -> Vec<u32> {
    let layout = shader.layout(varyings);
    let decorated = decorate(&shader.plain_stage(ShaderStage::Vertex), &options(varyings));
    let values = vertex_values(shader, varyings, cases);
    let captures = run_decorated(decorated.module.words(), &layout, cases);
    assert_eq!(captures.len(), cases.len());
    let stored = Storage::new(shader, varyings).run(Driver::Lavapipe, cases);
    for ((case, capture), stored) in cases.iter().zip(&captures).zip(&stored) {
        assert!(capture.memory == *stored, "{varyings:?} {case:?}");
        assert!(*capture == case.model(&layout, &values), "{varyings:?} {case:?}");
    }
    decorated.result.locations
}

/// Checks the extension's captures against the storage path, for varyings that GLSL qualifiers cannot express. In
/// GLSL, the members of a block share a buffer. Returns the locations of copied outputs.
#[track_caller]
fn extension_is_storage(shader: &Shader, varyings: Varyings, cases: &[Case]) -> Vec<u32> {
    let words = shader.plain_stage(ShaderStage::Vertex);
    let strides: Vec<u32> = shader.layout(varyings).iter().map(|buffer| buffer.stride).collect();
    let captured = memories(&words, &strides, &options(varyings), cases);
    assert!(captured == Storage::new(shader, varyings).run(Driver::Lavapipe, cases));
    decorate(&words, &options(varyings)).result.locations
}

/// Checks captures of these varyings, and that `copies` locations contain copied outputs.
#[track_caller]
fn is_right_with(copies: usize, shader: &Shader, varyings: Varyings) {
    let locations = extension_is_right(shader, varyings, &few());
    assert_eq!(locations.len(), copies, "{varyings:?} {locations:?}");
}

#[test]
fn every_draw_is_captured() {
    extension_is_right(&INDICES, TWO_BUFFERS, &all(&TOPOLOGIES));
}

#[test]
fn whole_outputs_are_decorated_in_any_order() {
    let vectors = Varyings::Interleaved("v_uvec4 v_vec3 v_int v_float v_vec2");
    is_right_with(0, &VECTORS, vectors);
    is_right_with(0, &VECTORS, Varyings::Separate("v_vec4 v_ivec3 v_uint"));
    is_right_with(0, &BITS, Varyings::Separate("v_more v_bits"));
    let aggregates = Varyings::Interleaved(
        "v_mat4x3 gl_SkipComponents1 v_integers gl_NextBuffer v_vectors v_mat3 v_floats v_mat2 gl_SkipComponents3",
    );
    is_right_with(0, &AGGREGATES, aggregates);
}

#[test]
fn built_ins_are_decorated_by_their_decoration() {
    is_right_with(0, &BUILT_INS, Varyings::Interleaved("gl_PointSize gl_Position"));
    let two = Varyings::Interleaved("v_colour gl_NextBuffer gl_ClipDistance gl_PointSize");
    assert!(extension_is_storage(&BUILT_INS, two, &few()).is_empty());
    let each = Varyings::Separate("gl_PointSize gl_Position");
    assert!(extension_is_storage(&BUILT_INS, each, &few()).is_empty());
}

#[test]
fn outputs_that_share_a_location_do_not_drag_each_other_in() {
    is_right_with(0, &QUALIFIED, Varyings::Interleaved("v_high"));
    let all = Varyings::Interleaved("v_precise v_high v_medium v_low v_straight");
    is_right_with(0, &QUALIFIED, all);
}

#[test]
fn members_and_elements_are_copied_where_they_have_to_be() {
    let members = Varyings::Interleaved("Block.weight Block.colour Block.counts");
    is_right_with(0, &PARTS, members);
    is_right_with(1, &PARTS, Varyings::Interleaved("v_pairs[2] Block.counts"));
    let parts = Varyings::Separate("Block.colour v_pairs[2] Block.weight");
    assert_eq!(extension_is_storage(&PARTS, parts, &few()), [4]);
}

/// An array of three blocks, with a pair in each and an output that is not captured.
const BLOCKS: &str = "#version 450
    layout(location = 0) out Block {
        vec2 a;
        flat uint other;
        flat uvec2 pair[2];
    } blocks[3];
    void main() {
        for (int i = 0; i < 3; ++i) {
            blocks[i].a = vec2(float(gl_VertexIndex), float(i));
            blocks[i].other = 99u;
            blocks[i].pair[0] = uvec2(gl_InstanceIndex, i);
            blocks[i].pair[1] = uvec2(gl_VertexIndex, 7);
        }
        gl_Position = vec4(0, 0, 0, 1);
        gl_PointSize = 1.0;
    }";

/// Returns options that capture members of all three blocks, each block into its own buffer.
fn of_blocks(names: &[&str]) -> Options {
    let mut varyings = Vec::new();
    for block in 0..3 {
        let next = (block > 0).then(|| "gl_NextBuffer".to_owned());
        let names = names.iter().map(|name| match name.strip_prefix('.') {
            Some(member) => format!("Block[{block}].{member}"),
            None => (*name).to_owned(),
        });
        varyings.extend(next.into_iter().chain(names));
    }
    Options::new().interleaved(varyings.iter().map(String::as_str))
}

/// Checks that the extension and the storage path capture the same data.
#[track_caller]
fn blocks_are_captured(options: &Options, stride: u32) -> Lowered<'static, Decorated> {
    let words = glsl::vertex(BLOCKS, "", SpirvVersion::SPIRV1_3);
    let cases = few();
    let captured = memories(&words, &[stride; 3], options, &cases);
    let stored = Storage::with_strides(words.clone(), &[stride; 3], options);
    assert!(stored.run(Driver::Lavapipe, &cases) == captured, "{options:?}");
    decorate(&words, options)
}

#[test]
fn arrays_of_blocks_are_decorated_where_each_has_its_buffer() {
    for (names, stride) in [
        (&[".a", ".pair"] as &[&str], 24),
        (&["gl_SkipComponents1", ".pair", ".a", "gl_SkipComponents2"], 36),
        (&[".a"], 8),
    ] {
        let decorated = blocks_are_captured(&of_blocks(names), stride);
        assert!(decorated.result.locations.is_empty(), "{names:?}");
    }
    // A single element, and reordered elements, are copied.
    assert!(!blocks_are_captured(&of_blocks(&[".pair[1]", ".a"]), 16).result.locations.is_empty());
    let names = ["Block[1].a", "Block[0].a", "Block[2].a"];
    let options = Options::new().separate(names);
    assert_eq!(blocks_are_captured(&options, 8).result.locations.len(), 3);
    let names = ["Block[0].a", "Block[1].a", "Block[2].other"];
    let options = Options::new().separate(names);
    let words = glsl::vertex(BLOCKS, "", SpirvVersion::SPIRV1_3);
    assert_eq!(decorate(&words, &options).result.locations.len(), 3);
}

/// Random lists of names and random draws.
#[test]
fn anything_goes() {
    let mut noise = Noise::new();
    for _ in 0..12 {
        let shader = sweep::pick(&mut noise, &[VECTORS, AGGREGATES, QUALIFIED, BITS]);
        let varyings = sweep::varyings(&mut noise, &shader);
        let cases = sweep::draws(&mut noise);
        extension_is_right(&shader, varyings, &cases);
    }
}

/// Checks the captures of `few()` by both paths against the model; `value` returns the bytes of a vertex.
#[track_caller]
fn both_paths_are_the_model(
    words: &[u32],
    stride: u32,
    options: &Options,
    value: impl Fn(u32, u32) -> Vec<u8>,
) -> Lowered<'static, Decorated> {
    both_paths_capture(words, stride, options, |vertex, instance| {
        vec![Value { buffer: 0, offset: 0, bytes: value(vertex, instance) }]
    })
}

/// Checks the captures of `few()` by both paths against the model, with gaps between the values.
#[track_caller]
fn both_paths_capture(
    words: &[u32],
    stride: u32,
    options: &Options,
    values: impl Fn(u32, u32) -> Vec<Value>,
) -> Lowered<'static, Decorated> {
    let cases = few();
    let captured = memories(words, &[stride], options, &cases);
    let stored = Storage::with_strides(words.to_vec(), &[stride], options);
    assert!(stored.run(Driver::Lavapipe, &cases) == captured, "{options:?}");
    let layout = with_strides(&[stride]);
    for (case, captured) in cases.iter().zip(captured) {
        let model = case.model(&layout, &values);
        assert!(model.memory == captured, "{case:?}\n{:02x?}\n{captured:02x?}", model.memory);
    }
    decorate(words, options)
}

#[test]
fn what_is_named_twice_is_captured_twice() {
    let options = Options::new().interleaved(["v_index", "v_vertex", "v_index"]).allow_duplicates();
    let words = INDICES.plain_stage(ShaderStage::Vertex);
    let value = |vertex, instance| bytes(&[vertex, instance, vertex, vertex, instance]);
    let decorated = both_paths_are_the_model(&words, 20, &options, value);
    assert_eq!(decorated.result.locations, [4]);
}

#[test]
fn components_are_captured_in_any_order() {
    let words = INDICES.plain_stage(ShaderStage::Vertex);
    let value = |vertex: u32, instance: u32| {
        let [x, y, z] = [vertex * 1000 + 7, instance * 1000 + 8, vertex * 1000 + 9];
        bytes(&[z, instance, x, vertex, y])
    };
    let options = by_location("location=1.z location=0.y location=1.x location=0.x location=1.y");
    let decorated = both_paths_are_the_model(&words, 20, &options, value);
    // Five consecutive words are two vectors.
    assert_eq!(decorated.result.locations, [4, 5]);
}

#[test]
fn doubles_that_nothing_aligns_are_captured() {
    let source = "#version 450
        layout(location = 0) flat out double v_double;
        layout(location = 1) out float v_float;
        layout(location = 2) flat out dvec3 v_vector;
        void main() {
            v_double = double(gl_VertexIndex) + 1.0lf / 3.0lf;
            v_float = float(gl_InstanceIndex);
            v_vector = dvec3(v_double, 2.0lf, -v_double);
            gl_Position = vec4(0, 0, 0, 1);
            gl_PointSize = 1.0;
        }";
    let words = glsl::vertex(source, "", SpirvVersion::SPIRV1_3);
    let value = |vertex: u32, instance: u32| {
        let double = f64::from(vertex) + 1.0 / 3.0;
        let mut bytes = (instance as f32).to_ne_bytes().to_vec();
        for value in [double, double, 2.0, -double] {
            bytes.extend(value.to_ne_bytes());
        }
        bytes
    };
    let options = Options::new().interleaved(["v_float", "v_double", "v_vector"]);
    let decorated = both_paths_are_the_model(&words, 36, &options, value);
    assert_eq!(decorated.result.locations.len(), 2);
}

/// Nested structures, with 64-bit members in all but the outermost.
fn nested_doubles(qualifiers: &str) -> Vec<u32> {
    let source = "#version 450
        struct Inner { float f; double d; float g; };
        struct Outer { float x; Inner s[2]; float y; };
        layout(location = 0 QUALIFIERS) flat out Outer o;
        void main() {
            float v = float(gl_VertexIndex);
            o.x = v + 1.0;
            for (int i = 0; i < 2; ++i) {
                float w = v + 10.0 * float(i);
                o.s[i] = Inner(w + 2.0, double(w) + 3.0lf, w + 4.0);
            }
            o.y = v + 5.0;
            gl_Position = vec4(0, 0, 0, 1);
            gl_PointSize = 1.0;
        }";
    glsl::vertex(&source.replace("QUALIFIERS", qualifiers), "", SpirvVersion::SPIRV1_3)
}

/// Returns the values of `nested_doubles` for a vertex, at the offsets of x, f, d, g, f, d, g and y.
fn nested_values(vertex: u32, offsets: [usize; 8]) -> Vec<Value> {
    let numbers = [1.0, 2.0, 3.0, 4.0, 12.0, 13.0, 14.0, 5.0];
    let values = offsets.into_iter().zip(numbers).enumerate().map(|(index, (offset, number))| {
        let number = vertex as f32 + number;
        let bytes = match index {
            2 | 5 => f64::from(number).to_ne_bytes().to_vec(),
            _ => number.to_ne_bytes().to_vec(),
        };
        Value { buffer: 0, offset, bytes }
    });
    values.collect()
}

#[test]
fn decorated_structures_with_doubles_begin_at_multiples_of_eight() {
    let words = nested_doubles(", xfb_buffer = 0, xfb_stride = 64, xfb_offset = 0");
    both_paths_capture(&words, 64, &Options::new().decorated(), |vertex, _| {
        nested_values(vertex, [0, 8, 16, 24, 32, 40, 48, 52])
    });
}

/// Named members are captured at the requested offsets, with any interpretation of nested members' decorations.
#[test]
fn named_parts_of_structures_with_doubles_go_where_they_are_asked_for() {
    let words = nested_doubles("");
    for offsets in [
        [0, 4, 8, 16, 20, 24, 32, 36],
        [0, 8, 16, 24, 32, 40, 48, 52],
        [0, 8, 16, 24, 32, 40, 48, 56],
    ] {
        let names = ["o.x", "o.s[0].f", "o.s[0].d", "o.s[0].g", "o.s[1].f", "o.s[1].d", "o.s[1].g"];
        let (mut asked, mut end) = (Vec::new(), 0_usize);
        for (name, offset) in names.into_iter().chain(["o.y"]).zip(offsets) {
            asked.extend(std::iter::repeat_n("gl_SkipComponents1", (offset - end) / 4));
            asked.push(name);
            end = offset + if name.ends_with('d') { 8 } else { 4 };
        }
        if !end.is_multiple_of(8) {
            asked.push("gl_SkipComponents1");
        }
        let options = Options::new().interleaved(asked);
        let stride = end.next_multiple_of(8) as u32;
        let decorated = both_paths_capture(&words, stride, &options, |vertex, _| {
            nested_values(vertex, offsets)
        });
        assert!(!decorated.result.locations.is_empty(), "{offsets:?}");
    }
}

/// The comparisons detect a wrong decoration and a missing copy.
#[test]
fn broken_captures_are_noticed() {
    let varyings = Varyings::Interleaved("v_index v_mixed");
    let plain = INDICES.plain_stage(ShaderStage::Vertex);
    let broken = |options: &Options, edit: &dyn Fn(&str) -> Option<String>| {
        let words = decorate(&plain, options).module.into_words();
        let patched = controls::patch(&words, edit);
        let layout = INDICES.layout(varyings);
        let cases = few();
        [&words, &patched].map(|words| feedback::memories(run_decorated(words, &layout, &cases)))
    };
    // A wrong offset.
    let [right, wrong] = broken(&options(varyings), &|line| {
        line.contains("%v_index Offset 0").then(|| line.replace("Offset 0", "Offset 12"))
    });
    let first = Storage::new(&INDICES, varyings).run(Driver::Lavapipe, &few());
    assert!(right == first && wrong != first);

    // A missing copy.
    let copied = by_location("location=0 location=1.x location=1.yz");
    let [right, wrong] =
        broken(&copied, &|line| line.contains("OpStore %polyshade_captured").then(String::new));
    assert!(right == first && wrong != first);
}
