//! Clip and cull distances of tessellation control stages: features that only these stages have, and deliberate
//! faults.

use crate::stage::{CONTROL, kept};
use crate::subject::{self, compiled};
use polyshade::spv::view::Mode;
use polyshade::spv::{ExecutionMode, ExecutionModel, Op, Section};
use polyshade_formats::ShaderStage;

/// Returns a stage with three vertices per patch, with code `before` the barrier and `behind` it.
fn control(declarations: &str, before: &str, behind: &str) -> Vec<u32> {
    let source = format!(
        "layout(vertices = 3) out;
        {declarations}
        layout(location = 6) patch out vec4 whole;
        void main() {{
            int i = gl_InvocationID;
            gl_out[gl_InvocationID].gl_Position = gl_in[i].gl_Position;
            {before}
            barrier();
            if (i == 0) {{
                whole = gl_out[1].gl_Position;
                for (int k = 0; k < 4; ++k) gl_TessLevelOuter[k] = float(1 + k % 2);
                gl_TessLevelInner[0] = 2.0;
                gl_TessLevelInner[1] = 1.0;
                {behind}
            }}
        }}"
    );
    compiled(ShaderStage::TessellationControl, &source)
}

/// Returns a stage with two input and two output registers, which reads other invocations' registers. The second of
/// each contains both kinds and an ordinary value. (No input is an index, because lavapipe 22.3.6 aborts on that in
/// control stages.)
pub(crate) fn registers() -> Vec<u32> {
    control(
        "layout(location = 3) in vec4 low[];
        layout(location = 4) in vec4 high[];
        layout(location = 3) out vec4 v_low[];
        layout(location = 4) out vec4 v_high[];",
        "v_low[gl_InvocationID] = low[i] + vec4(0.5, 0.25, low[2 - i].z, 0.75);
        v_high[gl_InvocationID] = vec4(high[i].x, high[(i + 1) % 3].y, low[i].z, high[i].w);",
        "whole += v_low[1] + v_high[2] + low[31];",
    )
}

/// Returns a stage that makes three clip distances from two, and adds a cull distance.
pub(crate) fn clipped() -> Vec<u32> {
    distances("", "gl_ClipDistance[1]")
}

pub(crate) fn arrays() -> Vec<u32> {
    distances("float gl_CullDistance[1];", "gl_CullDistance[0]")
}

/// Returns a stage with `cull` among its inputs, and a cull distance `from` an input.
fn distances(cull: &str, from: &str) -> Vec<u32> {
    control(
        &format!(
            "in gl_PerVertex {{ vec4 gl_Position; float gl_ClipDistance[2]; {cull} }} gl_in[];
            out gl_PerVertex {{ vec4 gl_Position; float gl_ClipDistance[3]; float gl_CullDistance[1]; }} gl_out[];"
        ),
        &format!(
            "for (int k = 0; k < 3; ++k)
                gl_out[gl_InvocationID].gl_ClipDistance[k] = gl_in[k].gl_ClipDistance[i % 2] + 0.5;
            gl_out[gl_InvocationID].gl_CullDistance[0] = gl_in[2 - i].{from};"
        ),
        "whole.x += gl_out[2].gl_ClipDistance[1] + gl_out[1].gl_CullDistance[0];",
    )
}

/// A wrong per-patch output, which one invocation computes from values of the others, is detected.
#[test]
fn another_value_of_the_patch() {
    let other = control("", "", "whole.y += 1.0;");
    let found = CONTROL.difference(&control("", "", ""), &kept().but_made(other));
    assert_eq!(found.varying.as_deref(), Some("location 6, component 1"), "{found}");
}

/// Different tessellation levels are detected in a module without names.
#[test]
fn other_levels_of_a_stage_without_names() {
    let without_names = |words: &[u32]| {
        subject::rewritten(words, |m, p| {
            let names =
                m.preamble().filter(|inst| [Op::NAME, Op::MEMBER_NAME].contains(&inst.op()));
            names.for_each(|name| p.remove(name));
            Ok(())
        })
    };
    let right = without_names(&control("", "", ""));
    CONTROL.is_equal(&right, &kept());

    let other = without_names(&control("", "", "gl_TessLevelOuter[1] = 3.0;"));
    let found = CONTROL.difference(&right, &kept().but_made(other));
    assert_eq!(found.varying.as_deref(), Some("gl_TessLevelOuter[1], component 0"), "{found}");
}

/// Direct3D compilers declare the subdivision here.
#[test]
fn what_is_said_of_the_evaluation_stage_does_not_matter() {
    let words = subject::rewritten(&control("", "", ""), |m, p| {
        let entry = m.entry_point("main", ExecutionModel::TESSELLATION_CONTROL)?;
        for mode in [
            ExecutionMode::QUADS,
            ExecutionMode::SPACING_FRACTIONAL_ODD,
            ExecutionMode::VERTEX_ORDER_CW,
        ] {
            p.mode(entry.function(), mode, &[]);
        }
        Ok(())
    });
    CONTROL.is_equal(&words, &kept());
}

#[test]
fn another_number_of_vertices() {
    let words = control("", "", "");
    let other = subject::rewritten(&words, |m, p| {
        let modes = m.section(Section::ExecutionModes).filter_map(Mode::of);
        let vertices = modes.filter(|mode| mode.mode() == ExecutionMode::OUTPUT_VERTICES);
        vertices.for_each(|mode| p.overwrite(mode.inst().operand(3), 4));
        Ok(())
    });
    let found = CONTROL.difference(&words, &kept().but_made(other));
    assert_eq!(found.message, "its execution modes differ from the original's", "{found}");
}
