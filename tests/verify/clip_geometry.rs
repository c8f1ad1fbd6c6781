//! Clip and cull distances of geometry stages: every step equal on lavapipe, the driver that has such stages, and
//! different where it is broken on purpose.

use crate::later::{Later, form, to_arrays};
use crate::subject::{self, Driver, Lower, marks};
use polyshade::Module;
use polyshade::clip_cull::{
    self, Emulation, Enabled, Exact, Kind, Linkage, Options, Planes, Repair, Space, Words,
};
use polyshade::spv::ExecutionModel;
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_verify::{Difference, Equal, Form, Marked, Steps};

/// Two strips, of a triangle and of two, and the triangle again with other distances; `code` says what each corner has.
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
    let source = format!("#version 450\n{layout}\n{declarations}\n{body}");
    compile(&source, ShaderStage::Geometry, SpirvVersion::SPIRV1_3)
        .unwrap_or_else(|error| panic!("{source}\n{error}"))
}

/// Two registers on each side, the second shared by both kinds and an ordinary value.
fn registers() -> Vec<u32> {
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

const MARKS: [&str; 3] = ["clip=3", "clip=4.x", "cull=4.y"];

fn arrays() -> Vec<u32> {
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

const STAGE: Later = Later(ExecutionModel::GEOMETRY);

#[track_caller]
fn is_equal(words: &[u32], steps: &Steps, lower: Lower<'_>) -> Equal {
    let equal = STAGE.equal(words, steps, lower);
    assert!(equal.words > 0, "{equal:?}");
    equal
}

/// Equal in pictures that are not empty.
#[track_caller]
fn is_drawn(words: &[u32], steps: &Steps, lower: Lower<'_>) {
    let equal = is_equal(words, steps, lower);
    assert!(equal.pixels > 1000, "{equal:?}");
}

#[test]
fn registers_become_arrays() {
    is_drawn(&registers(), &to_arrays(&MARKS), &|m| STAGE.normalized(m, &MARKS, &MARKS));
    // Nothing is marked, so nothing changes.
    is_drawn(&registers(), &to_arrays(&[]), &|m| STAGE.normalized(m, &[], &[]));
    let why = STAGE.reason(Driver::SwiftShader, &registers(), &to_arrays(&MARKS));
    assert!(why.contains("the device lacks"), "{why}");
}

#[test]
fn what_is_linked_numbers() {
    let linked = || Linkage::new(marks(&["clip=3.yzw", "clip=4.xy"])).expect("it can be");
    let own = marks(&["clip=3.zw", "clip=4.x"]);
    let marked = || Marked { marks: own.clone(), linked: Some(linked()) };
    let steps = Steps { inputs: marked(), outputs: marked(), ..Steps::default() };
    is_drawn(&registers(), &steps, &|m| {
        let options = Options::new(STAGE.target()).inputs(own.clone()).outputs(own.clone());
        let options = options.linked_inputs(linked()).linked_outputs(linked());
        Ok(clip_cull::normalize(m, &options)?.module.into_owned())
    });
}

#[test]
fn arrays_take_other_forms() {
    let words = arrays();
    is_drawn(&words, &form(Form::Arrays), &|m| STAGE.normalized(m, &[], &[]));
    is_equal(&words, &form(Form::Registers { location: 5 }), &|m| {
        Ok(clip_cull::to_registers(m, &STAGE.target(), 5, 5, None)?.module)
    });
    is_equal(&words, &form(Form::Combined), &|m| {
        Ok(clip_cull::combine(m, &STAGE.target(), None)?.module)
    });
    let one = shader(
        "in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[4]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[4]; };",
        "for (int k = 0; k < 4; ++k) gl_ClipDistance[k] = gl_in[i].gl_ClipDistance[3 - k] + 0.5;",
    );
    let two = Steps { counts: Some([3, 1]), ..form(Form::Separate) };
    is_drawn(&one, &two, &|m| Ok(clip_cull::separate(m, &STAGE.target(), 3)?.module));
}

#[test]
fn planes_are_of_the_host_and_switched_off() {
    let words = arrays();
    for enabled in [
        Enabled::Constant(5),
        Enabled::Specialization(3),
        Enabled::Word(Words::PushConstant { offset: 8 }),
    ] {
        let steps = Steps { enable: Some((enabled, Some(6))), ..form(Form::Kept) };
        is_drawn(&words, &steps, &|m| {
            Ok(clip_cull::enable(m, &STAGE.target(), enabled, Some(6))?.module)
        });
    }
    let words = shader("", "");
    let place = Words::PushConstant { offset: 0 };
    let planes = Planes { count: 3, words: place, space: Space::Clip };
    let steps = Steps { planes: Some(planes), ..form(Form::Kept) };
    is_drawn(&words, &steps, &|m| Ok(clip_cull::user_planes(m, &STAGE.target(), planes)?.module));
}

#[test]
fn distances_are_emulated() {
    for native in [vec![], vec![Kind::Clip]] {
        let emulation = native.iter().copied().fold(Emulation::at(8), Emulation::native);
        let steps = form(Form::Emulated { location: 8, native_clip: native.contains(&Kind::Clip) });
        is_drawn(&arrays(), &steps, &|m| {
            Ok(clip_cull::emulate_last(m, &STAGE.target(), &emulation)?.module)
        });
    }
}

#[test]
fn repairs_change_nothing_that_is_drawn() {
    let words = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[8]; };",
        "gl_ClipDistance[0] = by + 0.1; gl_ClipDistance[1] = gl_Position.x;",
    );
    let steps = Steps { repairs: true, ..form(Form::Kept) };
    let all = [Repair::Capability, Repair::Unused, Repair::Size];
    is_drawn(&words, &steps, &|m| Ok(clip_cull::repair(m, &STAGE.target(), &all)?.module));
}

/// Every kind of primitive, emitted by several invocations, as many as a value says.
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
            let marked = ["clip=3.xy", "cull=3.z"];
            let equal =
                is_equal(&words, &to_arrays(&marked), &|m| STAGE.normalized(m, &marked, &marked));
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
    let marked = ["clip=3"];
    let equal = is_equal(&words, &to_arrays(&marked), &|m| STAGE.normalized(m, &marked, &marked));
    assert_eq!(equal.pixels, 0);
}

#[test]
fn a_kind_that_is_mistaken() {
    let mistaken = ["cull=3", "cull=4.x", "clip=4.y"];
    let found = STAGE
        .difference(&registers(), &to_arrays(&MARKS), &|m| STAGE.normalized(m, &MARKS, &mistaken));
    assert!(found.message.contains("gl_CullDistance"), "{found}");
    let found = STAGE
        .difference(&registers(), &to_arrays(&MARKS), &|m| STAGE.normalized(m, &mistaken, &MARKS));
    assert!(found.message.contains("gl_CullDistance"), "{found}");
}

/// What is done for each corner.
const RIGHT: &str = "gl_Position = gl_in[i].gl_Position;
    gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[1];
    EmitVertex();";

/// What is found where that is done otherwise.
fn of_another(other: &str) -> Difference {
    of_stages("layout(triangles) in; layout(triangle_strip, max_vertices = 6) out;", other)
}

/// The same with other modes.
fn of_stages(other_layout: &str, other: &str) -> Difference {
    let words = |layout: &str, code: &str| {
        let body = format!("void main() {{ for (int i = 0; i < 3; ++i) {{ {code} }} }}");
        let blocks = "in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
            out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };";
        geometry(layout, blocks, &body)
    };
    let other = words(other_layout, other);
    let layout = "layout(triangles) in; layout(triangle_strip, max_vertices = 6) out;";
    STAGE.difference(&words(layout, RIGHT), &form(Form::Kept), &|_| {
        Ok(Module::parse(&other).expect("compilers write modules").into_owned())
    })
}

#[test]
fn another_number_of_vertices() {
    let found = of_another(&format!("{RIGHT} if (i == 2) EmitVertex();"));
    assert_eq!(found.message, "vertex 3: invocation 0, strip 0, and not no vertex", "{found}");
}

#[test]
fn another_end_of_a_strip() {
    let found = of_another(&format!("{RIGHT} if (i == 1) EndPrimitive();"));
    assert_eq!(
        found.message, "vertex 2: invocation 0, strip 1, and not invocation 0, strip 0",
        "{found}"
    );
}

#[test]
fn other_modes() {
    for layout in [
        "layout(triangles) in; layout(triangle_strip, max_vertices = 2) out;",
        "layout(triangles) in; layout(line_strip, max_vertices = 6) out;",
        "layout(triangles, invocations = 2) in; layout(triangle_strip, max_vertices = 6) out;",
    ] {
        let found = of_stages(layout, RIGHT);
        assert_eq!(found.message, "it has other execution modes", "{found}");
    }
}

#[test]
fn another_position() {
    let found = of_another(&RIGHT.replace("gl_in[i].gl_Position", "gl_in[2 - i].gl_Position"));
    assert_eq!(found.varying.as_deref(), Some("gl_Position, component 0"), "{found}");
}

#[test]
fn another_distance_that_is_read() {
    let found =
        of_another(&RIGHT.replace("gl_in[i].gl_ClipDistance[1]", "gl_in[i].gl_ClipDistance[0]"));
    assert_eq!(found.varying.as_deref(), Some("gl_ClipDistance[0], component 0"), "{found}");
}

#[test]
fn flags_that_are_not_handed_on() {
    let steps = form(Form::Emulated { location: 8, native_clip: false });
    let cull = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[1]; };",
        "gl_CullDistance[0] = by - 0.1;",
    );
    let found = STAGE.difference(&cull, &steps, &|m| {
        Ok(clip_cull::to_registers(m, &STAGE.target(), 8, 8, None)?.module)
    });
    assert_eq!(found.message, "it lacks the output location 10, component 0", "{found}");
}

/// Cuts that are made in the stage, and ones that are not.
#[test]
fn distances_are_cut_by_the_stage() {
    let steps = form(Form::Exact { location: None });
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
            let verdict = STAGE.verify(Driver::Lavapipe, &words, &steps, &|m| {
                Ok(clip_cull::cut(m, &STAGE.target(), &Exact::new())?.module)
            });
            let equal = subject::equal(Driver::Lavapipe, verdict);
            assert!(equal.pixels > 40 && equal.words == 0, "{makes} {kind}: {equal:?}");

            let uncut = stage("");
            let found = STAGE.difference(&words, &steps, &|_| {
                Ok(Module::parse(&uncut).expect("compilers write modules").into_owned())
            });
            assert_eq!(found.message, "a picture of the depth differs", "{makes} {kind}: {found}");
            // One vertex fewer than there must be.
            let fewer = stage(&format!("{code} if (i == 1) continue;"));
            let found = STAGE.difference(&words, &steps, &|_| {
                Ok(Module::parse(&fewer).expect("compilers write modules").into_owned())
            });
            assert_eq!(found.message, "a picture of the depth differs", "{makes} {kind}: {found}");
        }
    }
}

/// Distances that such a stage reads lie in registers, too.
#[test]
fn what_a_stage_reads_that_cuts_is_in_registers() {
    let words = shader(
        "in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };",
        "for (int k = 0; k < 2; ++k) gl_ClipDistance[k] = gl_in[i].gl_ClipDistance[1 - k] + 0.5;",
    );
    for location in [None, Some(7)] {
        let verdict =
            STAGE.verify(Driver::Lavapipe, &words, &form(Form::Exact { location }), &|m| {
                let cut = clip_cull::cut(m, &STAGE.target(), &Exact::new())?.module;
                match location {
                    Some(at) => {
                        Ok(clip_cull::to_registers(&cut, &STAGE.target(), at, at, None)?.module)
                    }
                    None => Ok(cut),
                }
            });
        let equal = subject::equal(Driver::Lavapipe, verdict);
        assert!(equal.pixels > 1000, "{location:?}: {equal:?}");
    }
}

#[test]
fn what_is_not_compared_is_said() {
    let streams = geometry(
        "layout(points) in; layout(points, max_vertices = 1) out;",
        "layout(stream = 1, location = 0) out vec4 v;",
        "void main() { v = vec4(0.0); EmitStreamVertex(1); }",
    );
    let found = STAGE.reason(Driver::Lavapipe, &streams, &form(Form::Kept));
    assert!(found.contains("names its vertex streams"), "{found}");

    let exact = form(Form::Exact { location: None });
    let repairs = Steps { repairs: true, ..exact.clone() };
    let layered = shader("", "gl_Layer = 0;");
    let exceeding = shader("", "EmitVertex(); EmitVertex();");
    for (words, steps, why) in [
        (arrays(), &repairs, "without other steps before"),
        (layered, &exact, "chooses layers"),
        (exceeding, &exact, "more vertices than it may"),
    ] {
        let found = STAGE.reason(Driver::Lavapipe, &words, steps);
        assert!(found.contains(why), "{found}");
    }
}
