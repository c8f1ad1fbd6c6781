//! Captures by the extension: equal, and different with a deliberate fault. The module `equal` tests every kind of
//! varying.

use crate::subject::{self, Driver, Subject, job, judge, vertex};
use polyshade::host::Target;
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{self, Options};
use polyshade_verify::{Asked, Captured, Difference, Lowering, Part};

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

#[test]
fn an_offset_that_is_another() {
    let found = edited(|line| {
        line.contains("%v_vector Offset 0").then(|| line.replace("Offset 0", "Offset 8"))
    });
    assert_eq!((found.part, found.varying.as_deref()), (Part::Lowered, Some("v_vector")));
    assert!(found.expected.is_some() && found.found.is_some(), "{found}");
}

#[test]
fn a_buffer_that_is_another() {
    let found = edited(|line| {
        line.contains("%v_id XfbBuffer 1").then(|| line.replace("XfbBuffer 1", "XfbBuffer 2"))
    });
    assert_eq!(found.part, Part::Lowered);
}

#[test]
fn a_copy_that_is_not_made() {
    let found = edited(|line| line.contains("OpStore %polyshade_captured").then(String::new));
    assert_eq!(found.varying.as_deref(), Some("v_list[2]"));
}

#[test]
fn a_stride_that_is_another() {
    let found = edited(|line| line.contains("XfbStride 24").then(|| line.replace("24", "28")));
    assert!(found.message.contains("a stride of 28, not 24"), "{found}");
}

/// A missing stride or execution mode, for which drivers have undefined behaviour, is detected.
#[test]
fn a_stride_or_a_mode_that_is_not_there() {
    let found = edited(|line| line.contains("%v_vector XfbStride").then(String::new));
    assert!(found.message.contains("a stride of 0, not 24"), "{found}");
    let found = edited(|line| line.contains("%main Xfb").then(String::new));
    assert!(found.message.contains("no execution mode Xfb"), "{found}");
}

#[test]
fn an_output_that_is_another() {
    // The edited output is not captured.
    let found = edited(|line| {
        line.contains("OpFNegate").then(|| line.replace("OpFNegate", "OpCopyObject"))
    });
    assert_eq!(found.varying.as_deref(), Some("v_other"));
    assert_eq!(found.message, "an output has a different value");
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

#[test]
fn a_geometry_stage_says_nothing() {
    let words = subject::geometry();
    let module = subject::parsed(&words);
    let stage = ExecutionModel::GEOMETRY;
    let (target, options) = (&Target::new("main"), &Options::new().interleaved(["v_out"]));
    let asked = Asked::Interleaved(subject::names("v_out"));
    let lowering = Lowering::Extension(Captured { target, options, asked });
    let verdict = judge(Driver::Lavapipe, &job(&module, stage, lowering));
    let why = subject::reason(Driver::Lavapipe, verdict);
    assert!(why.contains("geometry") && why.contains("only those of a vertex stage"), "{why}");
}
