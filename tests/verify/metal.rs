//! MSL, compiled as C++: `verify` finds it equal if it is correct, and different if it has a deliberate fault.

use crate::subject::{Subject, difference, equal, reason, vertex};
use polyshade::transform_feedback::Options;
use polyshade_metal::Metal;
use polyshade_tests::sample::sample;
use polyshade_verify::Verdict;

pub(crate) fn metal() -> Metal {
    Metal::new().expect("a machine that builds polyshade has a C++ compiler")
}

/// Parts of a text, each with its replacement.
pub(crate) type Edits = &'static [(&'static str, &'static str)];

/// Returns Metal with parts of the capture-only variant's text replaced.
pub(crate) fn broken(edits: Edits) -> Metal {
    let is_edited =
        |text: &str| text.contains("polyshade_feedback_0") && !text.contains("verify_record");
    edited(is_edited, edits)
}

/// Returns Metal with parts of the texts that `is_edited` accepts replaced. Each part must be present.
pub(crate) fn edited(is_edited: fn(&str) -> bool, edits: Edits) -> Metal {
    let mut metal = metal();
    metal.set_edit(move |text| {
        if !is_edited(&text) {
            return text;
        }
        let one = |text: String, (from, to): &(&str, &str)| {
            assert!(text.contains(from), "no `{from}` in\n{text}");
            text.replace(from, to)
        };
        edits.iter().fold(text, one)
    });
    metal
}

/// Checks that a sample of the faults is found different.
#[track_caller]
pub(crate) fn are_different(
    faults: &[Edits],
    broken: impl Fn(Edits) -> Metal,
    verify: impl Fn(&Metal) -> Verdict,
) {
    for edits in sample(faults, 3) {
        println!("{edits:?}: {}", difference("Metal", verify(&broken(edits))));
    }
}

/// Captures vectors, and numbers that distinguish vertices and instances.
fn subject() -> Subject {
    let words = vertex(
        "layout(location = 0) in vec4 a;
        layout(location = 1) in uvec2 b;
        layout(set = 0, binding = 0) uniform Block { mat4 m; vec3 offset; };
        layout(push_constant) uniform Pushed { vec2 scale; };
        layout(location = 0) out vec3 v_vector;
        layout(location = 1) flat out uint v_id;
        layout(location = 2) flat out uvec2 v_bits;
        void main() {
            v_vector = a.zyx * 2.0 + offset;
            v_vector.xy *= scale;
            v_id = uint(gl_VertexIndex) + 100u * uint(gl_InstanceIndex);
            v_bits = b;
            gl_Position = m * a;
        }",
    );
    Subject::interleaved(words, "v_vector v_id gl_NextBuffer v_bits gl_Position")
}

/// Vertex functions, and kernels with attributes and indices in buffers.
#[test]
fn what_is_printed_captures_what_the_original_computes() {
    let options: [fn(Options) -> Options; 3] = [
        |options| options,
        |options| options.compute(),
        |options| options.compute().indexed(None).restart(),
    ];
    for with in options {
        let mut subject = subject();
        subject.options = with(subject.options);
        let equal = equal("Metal", subject.verify_by(&metal()));
        assert!(equal.vertices > 1000 && equal.words > 0, "{equal:?}");
    }
}

#[test]
fn a_kernel_that_is_broken_is_different() {
    const BROKEN: [&[(&str, &str)]; 2] = [
        &[("[[thread_index_in_threadgroup]]", "[[instance_id]]")],
        &[("+ gl_LocalInvocationIndex;", "+ gl_LocalInvocationIndex + 1u;")],
    ];
    let mut subject = subject();
    subject.options = subject.options.compute();
    are_different(&BROKEN, broken, |metal| subject.verify_by(metal));
}

#[test]
fn a_text_that_is_broken_is_different() {
    const BROKEN: [&[(&str, &str)]; 7] = [
        // Use the size of the host parameter buffer, which is small.
        &[(
            "polyshade_feedback_0BufferSize = spvBufferSizeConstants[1]",
            "polyshade_feedback_0BufferSize = spvBufferSizeConstants[3]",
        )],
        // Exchange the buffers.
        &[
            ("polyshade_feedback_0 [[buffer(1)]]", "polyshade_feedback_0 [[buffer(2)]]"),
            ("polyshade_feedback_1 [[buffer(2)]]", "polyshade_feedback_1 [[buffer(1)]]"),
        ],
        &[("gl_VertexIndex [[vertex_id]]", "gl_VertexIndex [[instance_id]]")],
        // Compute how many larger words fit.
        &[("BufferSize - 0) / 4", "BufferSize - 0) / 2")],
        // Change the odd triangles of strips.
        &[("(provoking_last(polyshade_host)", "(!provoking_last(polyshade_host)")],
        &[("as_type<uint3>(v_vector)", "as_type<uint3>(v_vector.xyz * 1.5)")],
        // Store one word further.
        &[("_feedback_0.words[", "_feedback_0.words[1u + ")],
    ];
    are_different(&BROKEN, broken, |metal| subject().verify_by(metal));
}

#[test]
fn what_leaves_its_buffer_is_named() {
    let beyond = broken(&[("_feedback_0.words[", "_feedback_0.words[100000u + ")]);
    let found = difference("Metal", subject().verify_by(&beyond)).to_string();
    assert!(found.contains(" bytes, is accessed at byte "), "{found}");
}

#[test]
fn what_is_no_cpp_is_told_with_its_place() {
    let dropped = broken(&[(
        "device polyshade_words& polyshade_host [[",
        "constant polyshade_words& polyshade_host [[",
    )]);
    let found = difference("Metal", subject().verify_by(&dropped)).to_string();
    assert!(
        found.contains("the C++ compiler rejects the shader: ")
            && found.contains("polyshade_words"),
        "{found}"
    );
}

#[test]
fn what_is_not_read_is_not_compared() {
    let words = vertex(
        "layout(set = 0, binding = 0, r32f) uniform readonly image2D image;
        layout(location = 0) out vec4 v_colour;
        void main() { v_colour = imageLoad(image, ivec2(0)); gl_Position = v_colour; }",
    );
    let why = reason("Metal", Subject::interleaved(words, "v_colour").verify_by(&metal()));
    assert!(why.contains("StorageImage"), "{why}");
}
