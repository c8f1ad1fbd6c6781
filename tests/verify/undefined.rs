//! In every kind of shader, undefined values may have any value, and defined values may not.

use crate::stage::{
    CONTROL, EVALUATION, FRAGMENT, GEOMETRY, Stage, VERTEX, discarded, kept, marked, normalized,
};
use crate::subject::{compiled, rewritten};
use polyshade::spv::{Inst, Op};
use polyshade_formats::ShaderStage as Glsl;
use polyshade_tests::sample::{sample, sample_by};
use polyshade_verify::DistanceSemantics;

/// Returns each stage. It writes `v_some` only on some paths, in `code`, and `v_all` on all paths.
fn stages(code: &str) -> Vec<(Stage, Vec<u32>)> {
    let outputs = "layout(location = 0) out vec4 v_some; layout(location = 1) out vec4 v_all;
        layout(location = 3) out vec4 v_d;";
    let vertex = format!(
        "layout(location = 0) in vec4 a; {outputs}
        void main() {{
            float s; float way = a.x; v_all = a; v_d = a + 4.0; {code}
            gl_Position = vec4(a.xyz * 0.12, 1.5);
        }}"
    );
    let geometry = format!(
        "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;
        layout(location = 3) in vec4 d[]; {outputs}
        void main() {{
            for (int i = 0; i < 3; ++i) {{
                float s; float way = d[0].x; v_all = d[i]; v_d = d[i] + 0.5; {code}
                gl_Position = gl_in[i].gl_Position;
                EmitVertex();
            }}
        }}"
    );
    let evaluation = format!(
        "layout(triangles) in; layout(location = 3) in vec4 d[]; {outputs}
        void main() {{
            float s; float way = d[0].x; v_all = d[1]; v_d = d[2] + 0.5; {code}
            gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y;
        }}"
    );
    let control = "layout(vertices = 3) out; layout(location = 3) in vec4 d[];
        layout(location = 0) out vec4 some[]; layout(location = 1) out vec4 all[];
        layout(location = 3) out vec4 v_d[];
        #define v_some some[gl_InvocationID]
        void main() {
            float s; float way = d[gl_InvocationID].x; all[gl_InvocationID] = d[0];
            v_d[gl_InvocationID] = d[1]; CODE
            gl_out[gl_InvocationID].gl_Position = gl_in[0].gl_Position;
            gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1.0;
            gl_TessLevelOuter[3] = gl_TessLevelInner[0] = gl_TessLevelInner[1] = 1.0;
        }";
    vec![
        (VERTEX, compiled(Glsl::Vertex, &vertex)),
        (GEOMETRY, compiled(Glsl::Geometry, &geometry)),
        (EVALUATION, compiled(Glsl::TessellationEvaluation, &evaluation)),
        (CONTROL, compiled(Glsl::TessellationControl, &control.replace("CODE", code))),
    ]
}

/// Code with an uninitialized variable, and code with an unwritten output.
const LEFT: [&str; 2] =
    ["if (way > 0.0) s = 1.0; v_some = vec4(s);", "if (way > 0.0) v_some = vec4(1.0);"];

#[test]
fn what_stages_leave_to_the_driver_may_be_anything() {
    for left in LEFT {
        for (stage, words) in sample_by(left, stages(left), 2) {
            stage.is_equal(
                &words,
                &normalized(DistanceSemantics::default(), marked(&["clip=3.xy"], &[])),
            );
        }
        // With zero as the filler both are equal. With the other filler, only the shader `zero` writes zero.
        let zero = stages("v_some = vec4(way > 0.0 ? 1.0 : 0.0);");
        for ((stage, words), (_, zero)) in sample_by(left, stages(left).into_iter().zip(zero), 2) {
            stage.is_equal(&words, &kept().but_made(zero));
        }
    }
}

#[test]
fn what_stages_write_may_not_be_left_to_the_driver() {
    let zero = stages("v_some = vec4(way > 0.0 ? 1.0 : 0.0);");
    for left in LEFT {
        for ((stage, words), (_, other)) in zero.iter().zip(stages(left)) {
            let found = stage.difference(words, &kept().but_made(other));
            assert_eq!(found.varying.as_deref(), Some("location 0, component 0"), "{found}");
        }
    }
}

/// Replaces the constant 0.375 by an `OpUndef` at module scope or in the function that uses the constant.
fn with_undefined(words: &[u32], is_in_function: bool) -> Vec<u32> {
    rewritten(words, |m, p| {
        let bits = 0.375_f32.to_bits();
        let is_it = |inst: &Inst<'_>| inst.op() == Op::CONSTANT && inst.words()[3] == bits;
        let constant = m.instructions().find(is_it).expect("the constant is there");
        let is_use = |inst: &Inst<'_>| inst.op() == Op::SELECT;
        let user = m.instructions().find(is_use).expect("the constant is chosen");
        let place = if is_in_function { user.before() } else { constant.after() };
        p.remove(constant);
        p.insert(place, Op::UNDEF, &constant.words()[1..3]);
        Ok(())
    })
}

#[test]
fn what_is_said_to_be_undefined_may_be_anything() {
    let zero = stages("v_some = vec4(way > 0.0 ? 1.0 : 0.0);");
    let chosen = stages("v_some = vec4(way > 0.0 ? 1.0 : 0.375);");
    for ((stage, zero), (_, chosen)) in sample(zero.iter().zip(&chosen), 2) {
        stage.difference(chosen, &kept().but_made(zero.clone()));
        for is_in_function in [false, true] {
            let undefined = with_undefined(chosen, is_in_function);
            stage.is_equal(&undefined, &kept());
            stage.is_equal(&undefined, &kept().but_made(zero.clone()));
            let found = stage.difference(zero, &kept().but_made(undefined));
            assert_eq!(found.varying.as_deref(), Some("location 0, component 0"), "{found}");
        }
    }
}

/// Returns a fragment shader with two colours, the second written by `code`.
pub(crate) fn fragment(code: &str) -> Vec<u32> {
    compiled(
        Glsl::Fragment,
        &format!(
            "layout(location = 0) in vec4 v;
            layout(location = 0) out vec4 v_all;
            layout(location = 1) out vec4 v_some;
            void main() {{ float s; float way = v.x - 0.5; v_all = vec4(v.xyz, 1.0) * 0.5; {code} }}"
        ),
    )
}

#[test]
fn colours_that_are_left_to_the_driver_may_be_anything() {
    let zero = fragment("v_some = vec4(way > 0.0 ? 1.0 : 0.0);");
    LEFT.map(fragment).iter().for_each(|words| may_be_zero(words, &zero));
}

/// Checks that the colours of a shader may be zero, but that the zeros of `zero` may not be other colours.
#[track_caller]
fn may_be_zero(undefined: &[u32], zero: &[u32]) {
    let step = || discarded(6, None, [2, 1]);
    for equal in FRAGMENT.compared(undefined, &step()) {
        assert!(equal.pixels > 1000, "{equal:?}");
    }
    FRAGMENT.compared(undefined, &step().but_from(zero.to_vec()));
    let found = FRAGMENT.difference(zero, &step().but_from(undefined.to_vec()));
    assert_eq!(found.message, "the images differ", "{found}");
}

/// An `OpVectorShuffle` may select no component, which makes the result undefined.
#[test]
fn components_of_no_vector_may_be_anything() {
    let shuffled = fragment("v_some = v_all.yxwz;");
    let undefined = rewritten(&shuffled, |m, p| {
        let is_it = |inst: &Inst<'_>| inst.op() == Op::VECTOR_SHUFFLE && inst.words().len() == 9;
        let shuffle = m.instructions().find(is_it).expect("there is one of four components");
        p.overwrite(shuffle.operand(6), u32::MAX);
        p.overwrite(shuffle.operand(8), u32::MAX);
        Ok(())
    });
    let zero = fragment("v_some = v_all.yxwz * vec4(1.0, 0.0, 1.0, 0.0);");
    may_be_zero(&undefined, &zero);
}
