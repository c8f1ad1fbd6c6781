//! Clip and cull distances of geometry stages: features that only geometry stages have, and deliberate faults.

use crate::stage::{
    GEOMETRY, cut, emulated, emulated_at, kept, lowered, marked, normalized, planes, separate,
    to_arrays, to_registers,
};
use crate::subject::compiled;
use polyshade::clip_cull::{GeometryClip, Step as ClipStep, UserPlanes};
use polyshade::host::{ParamSource, Value};
use polyshade_formats::ShaderStage;
use polyshade_verify::{ClipSteps, Difference};

/// Returns a stage that emits strips of one and two triangles, and the first triangle again with other distances.
/// `code` writes the outputs of each vertex.
fn shader(declarations: &str, code: &str) -> Vec<u32> {
    let body = format!(
        "void corner(int i, float by) {{
            gl_Position = vec4(gl_in[i].gl_Position.xy + by, gl_in[i].gl_Position.zw);
            {code}
            EmitVertex();
        }}
        void main() {{
            for (int i = 0; i < 3; ++i) corner(i, 0.0);
            EndPrimitive();
            for (int i = 2; i >= 0; --i) corner(i, 0.25);
            corner(1, -0.125);
        }}"
    );
    geometry(
        "layout(triangles) in; layout(triangle_strip, max_vertices = 7) out;",
        declarations,
        &body,
    )
}

fn geometry(layout: &str, declarations: &str, body: &str) -> Vec<u32> {
    compiled(ShaderStage::Geometry, &format!("{layout}\n{declarations}\n{body}"))
}

/// Returns a stage with two input and two output registers. The second of each contains both kinds and an ordinary
/// value.
pub(crate) fn registers() -> Vec<u32> {
    shader(
        "layout(location = 3) in vec4 low[];
        layout(location = 4) in vec4 high[];
        layout(location = 0) flat in uint number[];
        layout(location = 3) out vec4 v_low;
        layout(location = 4) out vec4 v_high;
        layout(location = 1) flat out uint v_number;",
        "v_low = low[i] + vec4(by, 0.5, high[i].z, low[i][number[i]]);
        v_high = vec4(high[i].x, high[i].y + by, low[2 - i].z, high[i].w);
        v_number = number[i];",
    )
}

pub(crate) fn arrays() -> Vec<u32> {
    shader(
        "in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[1]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[3]; float gl_CullDistance[1]; };
        layout(location = 0) in vec2 other[];
        layout(location = 0) out vec2 v_other;",
        "gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[1] + 0.5;
        gl_ClipDistance[1] = gl_in[2 - i].gl_ClipDistance[0] + by;
        gl_ClipDistance[2] = other[i].x + 0.75;
        gl_CullDistance[0] = gl_in[i].gl_CullDistance[0] + other[i].y;
        v_other = other[i];",
    )
}

#[test]
fn what_is_linked_numbers() {
    let marks = marked(&["clip=3.zw", "clip=4.x"], &["clip=3.yzw", "clip=4.xy"]);
    GEOMETRY.is_drawn(&registers(), &normalized(marks.clone(), marks));
}

#[test]
fn one_array_becomes_two() {
    let one = shader(
        "in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[4]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[4]; };",
        "for (int k = 0; k < 4; ++k) gl_ClipDistance[k] = gl_in[i].gl_ClipDistance[3 - k] + 0.5;",
    );
    GEOMETRY.is_drawn(&one, &separate([3, 1]));
}

#[test]
fn planes_are_of_the_host() {
    let words = ParamSource::PushConstant { offset: 0 };
    let three = UserPlanes { count: 3, params: words, vertex: None };
    GEOMETRY.is_drawn(&shader("", ""), &planes(three));
}

/// Every kind of input and output primitive, from several invocations, with a dynamic number of vertices.
#[test]
fn all_primitives_are_taken_and_made() {
    for (takes, corners) in [
        ("points", 1),
        ("lines", 2),
        ("lines_adjacency", 4),
        ("triangles", 3),
        ("triangles_adjacency", 6),
    ] {
        for makes in ["points", "line_strip", "triangle_strip"] {
            let layout = format!(
                "layout({takes}, invocations = 2) in; layout({makes}, max_vertices = 5) out;"
            );
            let declarations = "layout(location = 3) in vec4 d[];
                layout(location = 0) flat in uint number[];
                layout(location = 3) out vec4 v_d;";
            let body = format!(
                "void main() {{
                    for (uint i = 0u; i < 2u + number[0]; ++i) {{
                        uint from = i % {corners}u;
                        gl_Position = gl_in[from].gl_Position;
                        gl_Position.xy += vec2(i & 2u, i & 1u) * 0.5 - float(gl_InvocationID) * 0.25;
                        gl_PointSize = gl_in[from].gl_PointSize;
                        v_d = d[from] + 0.5;
                        EmitVertex();
                    }}
                }}"
            );
            let words = geometry(&layout, declarations, &body);
            let equal = GEOMETRY.is_equal(&words, &to_arrays(&["clip=3.xy", "cull=3.z"]));
            assert_eq!(equal.pixels > 0, makes != "points", "{takes} {makes}: {equal:?}");
        }
    }
}

#[test]
fn a_shader_that_reads_the_number_of_its_primitive_is_compared_and_not_drawn() {
    let words = shader(
        "layout(location = 3) in vec4 low[]; layout(location = 3) out vec4 v_low;",
        "v_low = low[i] * float(gl_PrimitiveIDIn);",
    );
    assert_eq!(GEOMETRY.is_equal(&words, &to_arrays(&["clip=3"])).pixels, 0);
}

/// The device supports these distances, so the original is drawn too.
#[test]
fn a_shader_that_reads_the_number_of_its_primitive_is_drawn_beside_the_original() {
    for makes in ["points", "line_strip", "triangle_strip"] {
        let words = geometry(
            &format!("layout(triangles) in; layout({makes}, max_vertices = 3) out;"),
            "out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[1]; };",
            "void main() {
                for (int i = 0; i < 3; ++i) {
                    gl_Position = gl_in[i].gl_Position;
                    gl_PointSize = 3.0;
                    gl_ClipDistance[0] = gl_Position.x + 0.25 * float(gl_PrimitiveIDIn);
                    EmitVertex();
                }
            }",
        );
        assert!(GEOMETRY.is_equal(&words, &kept()).pixels > 0, "{makes}");
    }
}

/// The correct code for each vertex.
const RIGHT: &str = "gl_Position = gl_in[i].gl_Position;
    gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[1];
    EmitVertex();";

const LAYOUT: &str = "layout(triangles) in; layout(triangle_strip, max_vertices = 6) out;";

/// Returns the difference with another layout and other code.
fn of_stages(other_layout: &str, other: &str) -> Difference {
    let words = |layout: &str, code: &str| {
        let body = format!("void main() {{ for (int i = 0; i < 3; ++i) {{ {code} }} }}");
        let blocks = "in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
            out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };";
        geometry(layout, blocks, &body)
    };
    GEOMETRY.difference(&words(LAYOUT, RIGHT), &kept().but_made(words(other_layout, other)))
}

/// More vertices, another strip, another position and another distance.
#[test]
fn other_code_is_different() {
    for (code, part) in [
        (
            format!("{RIGHT} if (i == 2) EmitVertex();"),
            "lowered: vertex 3: found invocation 0, strip 0, expected no vertex\n",
        ),
        (
            format!("{RIGHT} if (i == 1) EndPrimitive();"),
            "lowered: vertex 2: found invocation 0, strip 1, expected invocation 0, strip 0\n",
        ),
        (
            RIGHT.replace("gl_in[i].gl_Position", "gl_in[2 - i].gl_Position"),
            "varying gl_Position, component 0",
        ),
        (
            RIGHT.replace("gl_in[i].gl_ClipDistance[1]", "gl_in[i].gl_ClipDistance[0]"),
            "varying gl_ClipDistance[0], component 0",
        ),
    ] {
        let found = of_stages(LAYOUT, &code).to_string();
        assert!(found.contains(part), "{found}");
    }
}

#[test]
fn other_modes() {
    for layout in [
        "layout(triangles) in; layout(triangle_strip, max_vertices = 2) out;",
        "layout(triangles) in; layout(line_strip, max_vertices = 6) out;",
        "layout(triangles, invocations = 2) in; layout(triangle_strip, max_vertices = 6) out;",
    ] {
        let found = of_stages(layout, RIGHT);
        assert_eq!(found.message, "its execution modes differ from the original's", "{found}");
    }
}

#[test]
fn flags_that_are_not_handed_on() {
    let cull = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[1]; };",
        "gl_CullDistance[0] = by - 0.1;",
    );
    let step = emulated(8, None).but_done(to_registers(8, None));
    let found = GEOMETRY.difference(&cull, &step);
    assert_eq!(found.message, "it lacks the output location 10, component 0", "{found}");
}

/// Clipping in the stage, with and without faults.
#[test]
fn distances_are_cut_by_the_stage() {
    for makes in ["points", "line_strip", "triangle_strip"] {
        for (kind, code) in [
            ("Clip", "gl_ClipDistance[0] = gl_Position.x + 0.25;"),
            ("Cull", "gl_CullDistance[0] = gl_in[0].gl_Position.x;"),
        ] {
            let stage = |code: &str| {
                let layout =
                    format!("layout(triangles) in; layout({makes}, max_vertices = 3) out;");
                let block = format!(
                    "out gl_PerVertex {{ vec4 gl_Position; float gl_PointSize; float gl_{kind}Distance[1]; }};"
                );
                let body = format!(
                    "void main() {{
                        for (int i = 0; i < 3; ++i) {{
                            gl_Position = gl_in[i].gl_Position;
                            gl_PointSize = 1.0;
                            {code}
                            EmitVertex();
                        }}
                    }}"
                );
                geometry(&layout, &block, &body)
            };
            let words = stage(code);
            let equal = &GEOMETRY.compared(&words, &cut(None))[0];
            assert!(equal.pixels > 30 && equal.words == 0, "{makes} {kind}: {equal:?}");

            // Without clipping, and with one vertex too few.
            for other in ["", &format!("{code} if (i == 1) continue;")] {
                let found = GEOMETRY.difference(&words, &cut(None).but_made(stage(other)));
                let message = &found.message;
                assert_eq!(message, "the images differ", "{makes} {kind}: {found}");
            }
        }
    }
}

/// A clipping stage that passes on no distances. For the vertices that clipping adds, outputs are interpolated.
#[test]
fn a_stage_that_cuts_and_hands_nothing_on() {
    let stage = |place: &str| {
        geometry(
            "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;",
            "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
            layout(location = 1) out vec2 place;",
            &format!(
                "void main() {{
                    for (int i = 0; i < 3; ++i) {{
                        gl_Position = gl_in[i].gl_Position;
                        gl_ClipDistance[0] = gl_Position.x + 0.25;
                        place = {place};
                        EmitVertex();
                    }}
                }}"
            ),
        )
    };
    let words = stage("gl_Position.yx");
    assert!(GEOMETRY.compared(&words, &cut(None))[0].pixels > 40);
    // The comparison detects a wrong value next to clipping.
    let cut_by_hand = ClipStep::ClipInGeometry(GeometryClip::default());
    let other = lowered(&stage("vec2(0.0)"), cut_by_hand);
    let found = GEOMETRY.difference(&words, &cut(None).but_made(other));
    assert!(found.draw.as_deref().is_some_and(|draw| draw.contains("place")), "{found}");
}

/// The input distances of a clipping stage may be in registers too.
#[test]
fn what_a_stage_reads_that_cuts_is_in_registers() {
    let words = shader(
        "in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };",
        "for (int k = 0; k < 2; ++k) gl_ClipDistance[k] = gl_in[i].gl_ClipDistance[1 - k] + 0.5;",
    );
    let equal = &GEOMETRY.compared(&words, &cut(Some(7)))[0];
    assert!(equal.pixels > 1000, "{equal:?}");
    let equal = &GEOMETRY.compared(&words, &emulated(7, None))[0];
    assert!(equal.words > 1000, "{equal:?}");
    // The input is at another location.
    let elsewhere = emulated_at((9, 7), None, None);
    GEOMETRY.difference(&words, &emulated(7, None).but_done(elsewhere));
}

#[test]
fn what_is_not_compared_is_said() {
    let streams = geometry(
        "layout(points) in; layout(points, max_vertices = 1) out;",
        "layout(stream = 1, location = 0) out vec4 v;",
        "void main() { v = vec4(0.0); EmitStreamVertex(1); }",
    );
    GEOMETRY.is_not_comparable(
        &streams,
        &kept(),
        "uses OpEmitStreamVertex or OpEndStreamPrimitive",
    );

    // Stages whose clipping cannot be compared.
    let exact = || cut(None).but_done(kept());
    let mask = Some((Value::Fixed(0), None));
    let masked = exact().with_steps(|steps| ClipSteps { mask, ..steps });
    let layered = shader("", "gl_Layer = 0;");
    let exceeding = shader("", "EmitVertex(); EmitVertex();");
    let short = geometry(
        "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;",
        "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };",
        "void main() {
            gl_Position = gl_in[1].gl_Position;
            gl_ClipDistance[0] = 1.0;
            EmitVertex();
            EndPrimitive();
        }",
    );
    GEOMETRY.is_not_comparable(&arrays(), &masked, "together with clip planes or masks");
    GEOMETRY.is_not_comparable(&layered, &exact(), "write the layer, viewport or shading rate");
    GEOMETRY.is_not_comparable(&exceeding, &exact(), "more vertices than it declares");
    GEOMETRY.is_not_comparable(&short, &exact(), "draws no pixel of the scene");
}
