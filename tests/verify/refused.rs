//! Subjects that `verify` cannot compare, and the reasons.

use crate::subject::{self, DRIVERS, Driver, Subject, compiled, job, judge, parsed, vertex};
use polyshade::host::Target;
use polyshade::position_only;
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::Options;
use polyshade_formats::ShaderStage;
use polyshade_tests::shader::{assemble, disassemble};
use polyshade_verify::{Asked, Captured, Lowering, Reduced};

/// Returns the reason why the subject cannot be compared, on one of the drivers.
#[track_caller]
fn reason(subject: &Subject) -> String {
    let find = |driver| subject::reason(driver, subject.verify(driver));
    subject::agreed(&DRIVERS, &subject.words, find, String::clone)
}

#[test]
fn inputs_that_cannot_be_made_are_named() {
    let words = vertex(
        "#extension GL_EXT_buffer_reference : require
        layout(buffer_reference) buffer Node { vec4 colour; };
        layout(set = 0, binding = 0) uniform Where { Node node; } where;
        layout(location = 0) out vec4 v_out;
        void main() { v_out = where.node.colour; gl_Position = v_out; }",
    );
    let why = reason(&Subject::interleaved(words, "v_out"));
    assert!(why.contains("address") || why.contains("PhysicalStorageBuffer"), "{why}");
}

#[test]
fn a_uniform_without_a_block_is_named() {
    // glslang does not emit such modules for Vulkan, but zink and other compilers do.
    let words = vertex(
        "layout(set = 0, binding = 0) uniform U { vec4 u_colour; };
        layout(location = 0) out vec4 v_out;
        void main() { v_out = u_colour; gl_Position = v_out; }",
    );
    let text = disassemble(&words).unwrap();
    let text = text
        .lines()
        .filter(|line| !line.contains("OpDecorate %_ Binding"))
        .map(|line| format!("{line}\n"))
        .collect::<String>();
    let words = assemble(&text).unwrap();
    let why = reason(&Subject::interleaved(words, "v_out"));
    assert!(why.contains("has no binding"), "{why}");
}

#[test]
fn what_verify_does_not_understand_is_not_equal() {
    let words = vertex(
        "layout(location = 0) out vec4 v_out;
        void main() { v_out = vec4(1); gl_Position = v_out; }",
    );
    let why = reason(&Subject::interleaved(words, "v_out").asked("v_other"));
    assert!(why.contains("`v_other`"), "{why}");
}

/// lavapipe ends such a loop, and skips the code after the loop.
#[test]
fn an_invocation_that_does_not_come_to_its_end_is_noticed() {
    let words = vertex(
        "layout(location = 0) out float v_out;
        void main() { v_out = 1.0; gl_Position = vec4(1); for (;;) { v_out += 1.0; } }",
    );
    let driver = Driver::Lavapipe;
    let why = subject::reason(driver, Subject::interleaved(words, "v_out").verify(driver));
    assert!(why.contains("an invocation does not finish"), "{why}");
}

#[test]
fn geometry_stages_say_nothing() {
    let source = "layout(points) in;
        layout(points, max_vertices = 1) out;
        layout(location = 0) out vec4 v_out;
        void main() { v_out = vec4(1); gl_Position = v_out; EmitVertex(); }";
    let words = compiled(ShaderStage::Geometry, source);
    let (module, target) = (parsed(&words), &Target::new("main"));
    let options = &Options::new().interleaved(["v_out"]);
    let asked = Asked::Interleaved(vec!["v_out".to_owned()]);
    let (keep, captures) = (Vec::new(), false);
    let reduced = Reduced { target, options: &position_only::Options::new(), keep, captures };
    for lowering in
        [Lowering::Extension(Captured { target, options, asked }), Lowering::Position(reduced)]
    {
        let verdict = judge(Driver::Lavapipe, &job(&module, ExecutionModel::GEOMETRY, lowering));
        let why = subject::reason(Driver::Lavapipe, verdict);
        assert!(
            why.contains("geometry stage") && why.contains("only those of a vertex stage"),
            "{why}"
        );
    }
}
