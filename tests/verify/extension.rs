//! Captures by the extension: equal, and different with a deliberate fault. The module `equal` tests every kind of
//! varying.

use crate::subject::{self, Driver, Subject, vertex};
use polyshade::transform_feedback;
use polyshade_verify::{Difference, Part};

const SHADER: &str = "layout(location = 0) in vec4 a;
    layout(location = 0) out vec3 v_vector;
    layout(location = 1) out vec2 v_list[3];
    layout(location = 4) flat out uint v_id;
    layout(location = 5) out float v_other;
    void main() {
        v_vector = a.zyx * 2.0 + vec3(float(gl_VertexIndex));
        for (int i = 0; i < 3; ++i) v_list[i] = a.xy + vec2(float(i), float(gl_InstanceIndex));
        v_id = uint(gl_VertexIndex) + 100u * uint(gl_InstanceIndex);
        v_other = -a.w;
        gl_Position = a;
    }";

fn subject() -> Subject {
    let list = "v_vector v_list[2] gl_SkipComponents1 gl_NextBuffer v_id gl_Position";
    Subject::interleaved(vertex(SHADER), list)
}

/// Returns the decorated module.
fn decorated(subject: &Subject) -> Vec<u32> {
    let module = subject::initialised(&subject.words);
    let decorated = transform_feedback::decorate(&module, "main", &subject.options);
    decorated.expect("the tests request supported options").module.into_words()
}

/// Returns the difference after editing lines of the decorated module.
#[track_caller]
fn edited(edit: impl Fn(&str) -> Option<String>) -> Difference {
    let subject = subject();
    let words = decorated(&subject);
    difference(&subject.given(Part::Lowered, subject::edited(&words, edit)))
}

#[track_caller]
fn difference(subject: &Subject) -> Difference {
    subject::difference(Driver::Lavapipe, subject.verify_extension(Driver::Lavapipe))
}

#[test]
fn what_is_not_broken_is_equal() {
    let subject = subject();
    subject.is_equal_by_extension();
    let same = decorated(&subject);
    subject.given(Part::Lowered, same).is_equal_by_extension();
}

/// Faulty decorations, stores and values, each with its correct text and parts of the difference. An empty text removes
/// the line.
#[test]
fn faults_of_the_module_are_different() {
    for (right, wrong, parts) in [
        (
            "%v_vector Offset 0",
            "%v_vector Offset 8",
            &["varying v_vector", "expected", "found"][..],
        ),
        ("%v_id XfbBuffer 1", "%v_id XfbBuffer 2", &[]),
        ("OpStore %polyshade_captured", "", &["varying v_list[2]"]),
        ("XfbStride 24", "XfbStride 28", &["a stride of 28, not 24"]),
        // Drivers have undefined behaviour without a stride or an execution mode.
        ("%v_vector XfbStride", "", &["a stride of 0, not 24"]),
        ("%main Xfb", "", &["no execution mode Xfb"]),
        // This output is not captured.
        ("OpFNegate", "OpCopyObject", &["an output has a different value", "varying v_other"]),
    ] {
        let replace = |line: &str| if wrong.is_empty() { "" } else { line }.replace(right, wrong);
        let found = edited(|line| line.contains(right).then(|| replace(line)));
        assert_eq!(found.part, Part::Lowered, "{right}: {found}");
        let text = found.to_string();
        assert!(parts.iter().all(|part| text.contains(part)), "{right}: {text}");
    }
}

#[test]
fn numbers_of_vertices_and_instances_that_lose_bits() {
    for lost in subject::LOST_BITS {
        let found = edited(|line| subject::losing_bits(line, lost));
        assert_eq!(found.part, Part::Lowered, "{lost:?}: {found}");
    }
}

#[test]
fn a_layout_that_is_not_what_was_asked_for() {
    let swapped = "v_list[2] v_vector gl_SkipComponents1 gl_NextBuffer v_id gl_Position";
    let found = difference(&subject().asked(swapped));
    assert_eq!(found.varying.as_deref(), Some("v_list[2]"));

    let longer = "v_vector v_list[2] gl_SkipComponents2 gl_NextBuffer v_id gl_Position";
    let found = difference(&subject().asked(longer));
    assert_eq!(found.part, Part::Host);
    assert!(found.message.contains("strides"), "{found}");
}

#[test]
fn a_driver_without_the_extension_says_nothing() {
    let driver = Driver::SwiftShader;
    let why = subject::reason(driver, subject().verify_extension(driver));
    assert_eq!(why, "the device lacks VK_EXT_transform_feedback");
}

#[test]
fn what_the_driver_is_known_to_capture_wrongly_says_nothing() {
    let words = vertex(
        "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[1]; };
        void main() { gl_Position = vec4(1); gl_ClipDistance[0] = 1.0; gl_CullDistance[0] = 2.0; }",
    );
    let both = Subject::interleaved(words, "gl_ClipDistance gl_CullDistance");
    let why = subject::reason(Driver::Lavapipe, both.verify_extension(Driver::Lavapipe));
    assert!(why.contains("known to capture wrongly"), "{why}");
}
