//! MSL, compiled as C++, captures the same data as lavapipe, within Vulkan's precision requirements. Larger
//! differences, and differences in exact values, are detected.

use crate::metal::{Edits, broken, metal};
use crate::subject::{Driver, Subject, difference, equal, reason, vertex};
use polyshade_metal::Metal;
use polyshade_tests::sample::sample;
use polyshade_tests::shader;
use polyshade_tests::tree::tests;
use polyshade_verify::{Difference, Equal, Verdict};

/// Computes exact values, rounded values, and integers that depend on rounded values.
fn subject() -> Subject {
    let words = vertex(
        "layout(location = 0) in vec4 a;
        layout(location = 1) in vec3 b;
        layout(location = 2) in uvec2 c;
        layout(set = 0, binding = 0) uniform Block { mat4 m; vec3 offset; };
        layout(location = 0) out vec3 v_unit;
        layout(location = 1) out vec4 v_exact;
        layout(location = 2) flat out uvec2 v_bits;
        layout(location = 3) flat out int v_length;
        void main() {
            v_unit = normalize(b + offset);
            v_exact = a * 2.0 + b.xyzz - floor(a);
            v_bits = c;
            v_length = int(length(b) * 1e6);
            gl_Position = m * a + vec4(sin(a.x), exp2(a.y), sqrt(abs(a.z)), a.w / 3.0);
        }",
    );
    Subject::interleaved(words, "v_unit v_exact gl_NextBuffer v_bits v_length gl_Position")
}

/// Verifies the subject. Only one test at a time uses the driver.
fn judged(subject: &Subject, metal: &Metal) -> Verdict {
    let lavapipe = Driver::Lavapipe.unwatched();
    subject.verify_against((metal, &*lavapipe))
}

fn compared(subject: &Subject) -> Equal {
    equal("Metal", judged(subject, &metal()))
}

fn found(edits: Edits) -> Difference {
    difference("Metal", judged(&subject(), &broken(edits)))
}

#[test]
fn what_is_captured_is_what_lavapipe_captures() {
    let equal = compared(&subject());
    assert!(equal.vertices > 1000 && equal.native, "{equal:?}");
    // Of the 15 words of a vertex, seven (3 + 4) may be rounded, and one depends on rounded values.
    assert!(equal.rounded > 0 && equal.rounded <= equal.words * 7 / 15, "{equal:?}");
    assert!(equal.open > 0 && equal.open <= equal.words / 15, "{equal:?}");
    assert!(equal.others > 0, "{equal:?}");
}

#[test]
fn exact_arithmetic_is_the_same_to_the_bit() {
    let words = vertex(
        "layout(location = 0) in vec4 a;
        layout(location = 1) in ivec2 b;
        layout(location = 0) out vec4 v_sum;
        layout(location = 1) flat out ivec2 v_shifted;
        void main() {
            v_sum = a * a.wzyx - min(a, 1.0) * 0.1;
            v_shifted = (b << 3) ^ b.yx;
            gl_Position = v_sum;
        }",
    );
    let equal = compared(&Subject::interleaved(words, "v_sum v_shifted gl_Position"));
    assert!(equal.words > 0, "{equal:?}");
    assert_eq!((equal.rounded, equal.open, equal.others), (0, 0, 0), "{equal:?}");
}

/// Words that are captured at other positions are detected.
#[test]
fn what_is_captured_elsewhere_is_different() {
    const BROKEN: [Edits; 3] = [
        &[("_feedback_0.words[", "_feedback_0.words[1u + ")],
        &[("(provoking_last(polyshade_host)", "(!provoking_last(polyshade_host)")],
        &[("gl_VertexIndex [[vertex_id]]", "gl_VertexIndex [[instance_id]]")],
    ];
    for edits in sample(BROKEN, 2) {
        println!("{edits:?}: {}", found(edits));
    }
}

/// In an exact value or an integer, an error of one step is detected.
#[test]
fn a_step_of_what_is_exact_is_different() {
    const STEPS: [(Edits, &str); 2] = [
        (&[("as_type<uint4>(v_exact)", "as_type<uint4>(v_exact * 1.0000001)")], "v_exact"),
        (&[("= v_bits.x;", "= v_bits.x + 1u;")], "v_bits"),
    ];
    for (edits, varying) in STEPS {
        let found = found(edits);
        assert_eq!(found.varying.as_deref(), Some(varying), "{found}");
    }
}

/// A rounded value may be off by one step, but not by many steps.
#[test]
fn more_than_the_tolerance_is_different() {
    const STEP: Edits = &[("as_type<uint3>(v_unit)", "as_type<uint3>(v_unit * 1.0000001)")];
    const FAR: Edits = &[("as_type<uint3>(v_unit)", "as_type<uint3>(v_unit * 1.00001)")];
    equal("Metal", judged(&subject(), &broken(STEP)));
    let found = found(FAR);
    assert_eq!(found.varying.as_deref(), Some("v_unit"), "{found}");
}

#[test]
fn functions_without_a_bound_are_not_compared() {
    let words = vertex(
        "layout(location = 0) in vec4 a;
        layout(location = 0) out vec4 v_out;
        void main() { v_out = asinh(a); gl_Position = a; }",
    );
    let why = reason("Metal", judged(&Subject::interleaved(words, "v_out"), &metal()));
    assert!(why.contains("no error bound is known for inverse hyperbolic functions"), "{why}");
}

/// Captures with a dispatch, without and with indices.
#[test]
fn kernels_capture_what_lavapipe_captures() {
    let mut subject = subject();
    subject.options = subject.options.compute().indexed(None);
    let equal = compared(&subject);
    assert!(equal.vertices > 1000 && equal.rounded > 0, "{equal:?}");
}

/// Captures of some of the committed shaders.
#[test]
fn cases_are_captured_as_lavapipe_captures_them() {
    const CASES: [&str; 10] = [
        "capture/array-of-blocks",
        "capture/locations-of-nested-structures",
        "capture/output-passed-to-a-function",
        "capture/relaxed-precision",
        "position-only/dead-branches",
        "position-only/dead-calls",
        "position-only/dead-loops",
        "position-only/members-of-arguments",
        "position-only/members-of-uniforms",
        "position-only/precise",
    ];
    for case in sample(CASES, 3) {
        let words = shader::read(&tests().join(format!("cases/{case}.vert")));
        let words = words.unwrap_or_else(|error| panic!("{error}"));
        let equal = compared(&Subject::interleaved(words, "location=0-31 gl_Position"));
        assert!(equal.vertices > 0, "{case}: {equal:?}");
        println!("{case}: {equal:?}");
    }
}
