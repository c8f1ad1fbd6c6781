//! Clip and cull distances of tessellation evaluation stages: features that only these stages have, and deliberate
//! faults.

use crate::clip::MARKS;
use crate::stage::{EVALUATION, handed_to_geometry, kept, to_arrays};
use crate::subject::{self, compiled};
use polyshade::spv::view::Mode;
use polyshade::spv::{ExecutionMode, Section};
use polyshade_formats::ShaderStage;

fn evaluation(layout: &str, declarations: &str, code: &str) -> Vec<u32> {
    let source = format!(
        "layout({layout}) in;
        {declarations}
        vec4 mixed(vec4 a, vec4 b, vec4 c) {{
            return a * gl_TessCoord.x + b * gl_TessCoord.y + c * (1.0 - gl_TessCoord.x - gl_TessCoord.y);
        }}
        void main() {{
            gl_Position =
                mixed(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_in[2].gl_Position);
            {code}
        }}"
    );
    compiled(ShaderStage::TessellationEvaluation, &source)
}

/// Returns a stage with two input and two output registers. The second of each contains both kinds and an ordinary
/// value.
pub(crate) fn registers(layout: &str) -> Vec<u32> {
    evaluation(
        layout,
        "layout(location = 3) in vec4 low[];
        layout(location = 4) in vec4 high[];
        layout(location = 0) in uint number[];
        layout(location = 3) out vec4 v_low;
        layout(location = 4) out vec4 v_high;",
        "v_low = mixed(low[0], low[1], low[2]) + vec4(0.5, 0.25, low[0][number[1]], 0.75);
        v_high = vec4(high[number[0]].xy + 0.5, low[5].z, high[gl_PatchVerticesIn - 1].w);",
    )
}

pub(crate) fn arrays() -> Vec<u32> {
    evaluation(
        "triangles",
        "in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[1]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[3]; float gl_CullDistance[1]; };
        layout(location = 0) in vec2 other[];
        layout(location = 0) out vec2 v_other;",
        "for (int i = 0; i < 3; ++i)
            gl_ClipDistance[i] = gl_in[i].gl_ClipDistance[1] + gl_in[2].gl_ClipDistance[0] + 0.5;
        gl_CullDistance[0] = gl_in[1].gl_CullDistance[0] + other[0].y + gl_TessCoord.x;
        v_other = other[1];",
    )
}

/// Stages with all domains and spacings are compared.
#[test]
fn all_domains_are_evaluated() {
    for domain in ["triangles", "quads", "isolines"] {
        for spacing in ["equal_spacing", "fractional_odd_spacing", "fractional_even_spacing"] {
            for points in ["", ", point_mode"] {
                let words = registers(&format!("{domain}, {spacing}{points}"));
                let equal = EVALUATION.is_equal(&words, &to_arrays(&MARKS));
                // Only in these modes is an undivided patch a single primitive, which is drawn.
                let is_drawn =
                    domain != "quads" && spacing != "fractional_even_spacing" && points.is_empty();
                assert_eq!(equal.pixels > 0, is_drawn, "{domain} {spacing}{points}: {equal:?}");
            }
        }
    }
}

/// A generated geometry stage gets the distances in registers, and its distances are compared too.
#[test]
fn what_is_cut_behind_it_is_handed_on() {
    EVALUATION.is_equal(&arrays(), &handed_to_geometry(5));
}

/// The value differs only at one point of a patch.
#[test]
fn another_value_in_the_middle() {
    let code = |add: &str| {
        let add = format!("gl_ClipDistance[0] = gl_in[0].gl_Position.x; {add}");
        evaluation(
            "triangles",
            "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };",
            &add,
        )
    };
    let other = code(
        "if (gl_TessCoord.x > 0.3 && gl_TessCoord.y > 0.3 && gl_TessCoord.z > 0.3) gl_ClipDistance[0] += 1.0;",
    );
    let found = EVALUATION.difference(&code(""), &kept().but_made(other));
    assert_eq!(found.varying.as_deref(), Some("gl_ClipDistance[0], component 0"), "{found}");
}

#[test]
fn patch_inputs_and_point_sizes_are_given() {
    for (inputs, code) in [
        (
            "layout(location = 0) patch in vec4 whole[2];",
            "v_low = low[1] + whole[0] - 0.5 * whole[1].yxwz;",
        ),
        ("", "gl_PointSize = gl_in[0].gl_PointSize; v_low = low[1] * gl_in[2].gl_PointSize + 0.5;"),
    ] {
        let low = "layout(location = 3) in vec4 low[]; layout(location = 3) out vec4 v_low;";
        let words = evaluation("triangles", &format!("{inputs} {low}"), code);
        EVALUATION.is_drawn(&words, &to_arrays(&["clip=3"]));
    }
}

/// A faulty stage records correct outputs but draws a different picture.
#[test]
fn another_picture() {
    for (domain, step) in [("triangles", "vec4(0.5, 0.0, 0.0, 0.0)"), ("isolines", "vec4(9.0)")] {
        let code = |more: &str| {
            let block = "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };";
            evaluation(domain, block, &format!("gl_ClipDistance[0] = 1.0; {more}"))
        };
        let other = code(&format!("if (gl_TessLevelOuter[0] < 1.5) gl_Position += {step};"));
        let found = EVALUATION.difference(&code(""), &kept().but_made(other));
        assert_eq!(found.message, "the images differ", "{domain}: {found}");
    }
}

/// A wrong output value is detected in the picture, because the device can draw the original.
#[test]
fn another_value_in_the_picture() {
    let code = |more: &str| {
        let outputs = "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
            layout(location = 2) out vec3 v_other;";
        let code = "gl_ClipDistance[0] = 1.0; v_other = gl_TessCoord;";
        evaluation("triangles", outputs, &format!("{code} {more}"))
    };
    EVALUATION.is_drawn(&code(""), &kept());
    let other = code("if (gl_TessLevelOuter[0] < 1.5) v_other.z += 0.5;");
    let found = EVALUATION.difference(&code(""), &kept().but_made(other));
    assert!(found.draw.as_deref().is_some_and(|draw| draw.ends_with("v_other")), "{found}");
}

fn without_modes(words: &[u32], modes: &[ExecutionMode]) -> Vec<u32> {
    subject::rewritten(words, |m, p| {
        let all = m.section(Section::ExecutionModes);
        let go = all.filter(|inst| Mode::of(*inst).is_some_and(|one| modes.contains(&one.mode())));
        go.for_each(|mode| p.remove(mode));
        Ok(())
    })
}

#[test]
fn a_domain_that_only_the_control_stage_says_says_nothing() {
    let words = evaluation("triangles", "", "");
    let words = without_modes(&words, &[ExecutionMode::TRIANGLES]);
    EVALUATION.is_not_comparable(&words, &kept(), "does not declare its domain");
}

/// Direct3D compilers declare the spacing in the control stage.
#[test]
fn a_spacing_that_only_the_control_stage_says_is_said_there() {
    let of_control = [ExecutionMode::SPACING_EQUAL, ExecutionMode::VERTEX_ORDER_CCW];
    let words = without_modes(&registers("triangles"), &of_control);
    EVALUATION.is_drawn(&words, &to_arrays(&MARKS));
}
