//! Clip and cull distances: `verify` finds every step equal, and different if it has a deliberate fault.

use crate::stage::{
    MESH, Step, VERTEX, combined, emulated, enabled, handed_to_geometry, kept, lowered, marked,
    normalized, planes, separate, to_registers,
};
use crate::subject::{self, edited, vertex};
use polyshade::clip_cull::{DistanceKind, Step as ClipStep, UserPlanes};
use polyshade::host::{AddressSource, Binding, ParamSource, Set, Value};
use polyshade::spv::Capability;
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_tests::clip::emulate;
use polyshade_tests::sample::sample;
use polyshade_verify::{ClipSteps, DistanceSemantics};

/// Returns a shader with visible positions, and distances that clip some primitives.
pub(crate) fn shader(declarations: &str, code: &str) -> Vec<u32> {
    vertex(&format!(
        "layout(location = 0) in vec4 a;
        layout(location = 1) in vec4 b;
        {declarations}
        void main() {{
            gl_Position = vec4(a.xyz * 0.12, 1.5 + 0.1 * sin(a.w));
            {code}
        }}"
    ))
}

/// Returns a shader with two registers. The second register contains both kinds.
pub(crate) fn registers() -> Vec<u32> {
    shader(
        "layout(location = 3) out vec4 v_low;
        layout(location = 4) out vec3 v_high;
        layout(location = 0) out vec4 v_other;",
        "v_low = vec4(b.xy + vec2(4.0), a.xy + vec2(3.0));
        v_high = vec3(b.z + 2.0, a.x + 1.0, b.w);
        v_other = b;",
    )
}

pub(crate) const MARKS: [&str; 3] = ["clip=3", "clip=4.x", "cull=4.y"];

pub(crate) fn arrays() -> Vec<u32> {
    shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[3]; float gl_CullDistance[1]; };
        layout(location = 0) out vec4 v_other;",
        "gl_ClipDistance[0] = b.x + 2.0;
        gl_ClipDistance[1] = a.y + 3.0;
        gl_ClipDistance[2] = b.z + 1.0;
        gl_CullDistance[0] = b.w + 1.0;
        v_other = b;",
    )
}

pub(crate) fn to_arrays(outputs: DistanceSemantics) -> Step {
    let step = normalized(DistanceSemantics::default(), outputs);
    step.with_steps(|steps| ClipSteps { user_semantics: true, ..steps })
}

#[test]
fn registers_become_arrays() {
    // Without semantics, nothing changes.
    for marks in [&MARKS[..], &["clip=3.xy"], &[]] {
        VERTEX.is_drawn(&registers(), &to_arrays(marked(marks, &[])));
    }
}

#[test]
fn what_is_linked_numbers() {
    let outputs = marked(&["clip=3.zw", "clip=4.x"], &["clip=3.yzw", "clip=4.xy"]);
    VERTEX.is_drawn(&registers(), &to_arrays(outputs));
}

#[test]
fn arrays_take_other_forms() {
    let words = arrays();
    VERTEX.is_equal(&words, &to_registers(5, None));
    VERTEX.is_equal(&words, &handed_to_geometry(5));
    VERTEX.is_equal(&words, &to_registers(5, Some([4, 2])));
    VERTEX.is_equal(&words, &combined(None));
    let one = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[4]; };",
        "for (int i = 0; i < 4; ++i) gl_ClipDistance[i] = b[i] + 2.0;",
    );
    VERTEX.is_drawn(&one, &separate([3, 1]));
}

#[test]
fn planes_are_switched_off() {
    let storage = ParamSource::StorageBuffer { set: Set(1), binding: Binding(2) };
    let cases = [
        (Value::Fixed(5), None),
        (Value::Param(ParamSource::Specialization { first_id: 3 }), None),
        (Value::Param(ParamSource::PushConstant { offset: 8 }), Some(6)),
        (Value::Param(storage), None),
        (Value::Param(ParamSource::Address(AddressSource::PushConstant { offset: 8 })), None),
    ];
    for (mask, as_written) in sample(cases, 5) {
        VERTEX.is_drawn(&arrays(), &enabled(mask, as_written));
    }
}

/// lavapipe evaluates this shader with arithmetic that turns disabled distances into -0.0.
#[test]
fn a_constant_distance_is_switched_off() {
    let words = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };",
        "gl_ClipDistance[0] = 1.0; gl_ClipDistance[1] = -1.0;",
    );
    VERTEX.is_drawn(&words, &enabled(Value::Fixed(1), None));
}

/// Returns a shader with an output that user planes clip.
fn eye() -> Vec<u32> {
    shader("layout(location = 2) out vec4 v_eye;", "v_eye = a.yxwz * 0.5;")
}

#[test]
fn planes_of_the_host_cut() {
    let uniform = ParamSource::Uniform { set: Set(0), binding: Binding(4) };
    let address = ParamSource::Address(AddressSource::Specialization { first_id: 1 });
    // With and without a mask of enabled planes.
    let mask = Value::Param(ParamSource::PushConstant { offset: 0 });
    let cases =
        [(uniform, None, None), (uniform, Some(2), Some(mask)), (address, None, Some(mask))];
    for (words, space, mask) in sample(cases, 3) {
        let of_host = planes(UserPlanes { count: 3, params: words, vertex: space });
        let step = match mask {
            Some(mask) => of_host.and_enabled(mask),
            None => of_host,
        };
        VERTEX.is_drawn(&eye(), &step);
    }
}

/// The order of the sum, which depends on the driver, decides whether it overflows to NaN.
#[test]
fn sums_that_overflow_on_their_way_may_be_no_numbers_and_others_are_near() {
    let words = ParamSource::Uniform { set: Set(0), binding: Binding(4) };
    let of_host = |space| planes(UserPlanes { count: 8, params: words, vertex: Some(space) });
    let eye = |most: &str| {
        shader(
            "layout(location = 2) out vec4 v_eye; layout(location = 3) out vec4 v_other;",
            &format!(
                "v_eye = sign(sin(b * 5.0)) * {most} * vec4(1.0, 1.0, 0.8, 0.6);
                v_other = v_eye * 0.9999;"
            ),
        )
    };
    VERTEX.is_equal(&eye("3.4e38"), &of_host(2));
    for most in ["3.4e38", "1e38"] {
        let found = VERTEX.difference(&eye(most), &of_host(2).but_done(of_host(3)));
        assert_eq!(found.message, "an output has a different value", "{found}");
    }
}

/// If a triangle near the origin of clip space is seen edge-on, its distances are as small as their rounding errors.
#[test]
fn what_rounding_decides_is_not_drawn() {
    let words = vertex(
        "layout(location = 0) in vec4 a;
        layout(location = 1) in vec4 b;
        void main() {
            gl_Position = sin(a.x) * vec4(100, -200, 200, 400) + sin(a.y) * vec4(-200, 100, 300, 400)
                + 5e-4 * sin(b);
        }",
    );
    let at = ParamSource::Uniform { set: Set(0), binding: Binding(4) };
    VERTEX.is_drawn(&words, &planes(UserPlanes { count: 3, params: at, vertex: None }));
}

#[test]
fn distances_are_emulated() {
    let cull = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[3]; };",
        "for (int i = 0; i < 3; ++i) gl_CullDistance[i] = b[i] + 2.0;",
    );
    for words in [arrays(), cull] {
        // The same holds if clip distances stay native.
        for native in [None, Some(DistanceKind::Clip)] {
            VERTEX.is_drawn(&words, &emulated(8, native));
        }
    }
}

/// Unwritten distances are undefined, whether or not the module declares the capability.
#[test]
fn distances_that_are_declared_and_not_written_are_none() {
    let words = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[1]; };",
        "gl_ClipDistance[0] = b.x + 2.0; gl_ClipDistance[1] = b.y + 2.0;",
    );
    let words = subject::rewritten(&words, |_, p| {
        p.capability(Capability::CULL_DISTANCE);
        Ok(())
    });
    for native in [None, Some(DistanceKind::Clip)] {
        VERTEX.is_drawn(&words, &emulated(8, native));
    }
    VERTEX.is_equal(&words, &to_registers(8, None));
}

#[test]
fn an_array_that_is_only_declared_is_no_distance_beside_registers() {
    let words = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
        layout(location = 3) out vec2 v_low;",
        "v_low = b.xy + vec2(2.0);",
    );
    VERTEX.is_drawn(&words, &to_arrays(marked(&["clip=3.xy"], &[])));
}

#[test]
fn a_kind_that_is_mistaken() {
    let mistaken = to_arrays(marked(&["cull=3", "cull=4.x", "clip=4.y"], &[]));
    let step = to_arrays(marked(&MARKS, &[])).but_done(mistaken);
    let found = VERTEX.difference(&registers(), &step);
    assert!(found.message.contains("gl_CullDistance"), "{found}");
}

#[test]
fn another_numbering() {
    let other = to_arrays(marked(&["clip=3.yz"], &["clip=3"]));
    let step = to_arrays(marked(&["clip=3.xy"], &[])).but_done(other);
    let found = VERTEX.difference(&registers(), &step);
    assert!(found.message.contains("gl_ClipDistance[2]"), "{found}");
}

#[test]
fn a_plane_that_stays_on() {
    let step = |mask| enabled(Value::Fixed(mask), None);
    let found = VERTEX.difference(&arrays(), &step(1).but_done(step(3)));
    assert_eq!(found.varying.as_deref(), Some("gl_ClipDistance[1], component 0"));
}

#[test]
fn planes_that_look_at_the_bits_of_others() {
    let words = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[6]; };",
        "for (int i = 0; i < 6; ++i) gl_ClipDistance[i] = b[i & 3] + 2.0;",
    );
    let mask = Value::Param(ParamSource::PushConstant { offset: 0 });
    let step = || enabled(mask, None);
    VERTEX.is_drawn(&words, &step());
    let bits = |line: &str| {
        let line = line.trim();
        let is_test = line.contains("OpBitwiseAnd");
        let other = |bit: &str, other: &str| {
            line.ends_with(bit).then(|| line.replace(bit, other)).filter(|_| is_test)
        };
        other("%uint_16", "%uint_1").or_else(|| other("%uint_32", "%uint_8"))
    };
    let other = edited(&masked(&words, mask), bits);
    let found = VERTEX.difference(&words, &step().but_made(other));
    assert_eq!(found.varying.as_deref(), Some("gl_ClipDistance[5], component 0"), "{found}");
}

#[test]
fn masks_that_mean_something_else_where_all_bits_are_alike() {
    let (words, mask) = (arrays(), Value::Param(ParamSource::PushConstant { offset: 0 }));
    let lowered = masked(&words, mask);
    let on = "%none = OpIEqual %bool %whole %uint_0
        %all = OpNot %uint %whole";
    let off = "%rest = OpNot %uint %whole
        %none = OpIEqual %bool %rest %uint_0
        %all = OpNot %uint %uint_1";
    // Replace the loaded mask if all of its bits are 0, or all are 1.
    for otherwise in [on, off] {
        let edit = |line: &str| {
            let (id, pointer) = line.trim().split_once(" = OpLoad %uint ")?;
            let lines = format!(
                "%whole = OpLoad %uint {pointer}
                {otherwise}
                %given = OpSelect %uint %none %all %whole"
            );
            let own =
                |lines: String, name: &&str| lines.replace(name, &format!("{name}_{}", &id[1..]));
            let names = ["%whole", "%rest", "%none", "%all"];
            Some(names.iter().fold(lines, own).replace("%given", id))
        };
        let other = edited(&lowered, edit);
        let found = VERTEX.difference(&words, &enabled(mask, None).but_made(other));
        assert!(found.varying.is_some_and(|one| one.starts_with("gl_ClipDistance[")));
    }
}

fn masked(words: &[u32], enabled: Value<u32>) -> Vec<u32> {
    lowered(words, ClipStep::Mask { enabled, keep_original_at: None })
}

#[test]
fn a_plane_in_another_space() {
    let words = ParamSource::PushConstant { offset: 0 };
    let step = |space| planes(UserPlanes { count: 2, params: words, vertex: space });
    let other = step(Some(2));
    let found = VERTEX.difference(&eye(), &step(None).but_done(other));
    assert_eq!(found.varying.as_deref(), Some("gl_ClipDistance[0], component 0"));
}

#[test]
fn flags_that_are_not_handed_on() {
    let step = emulated(8, None).but_done(to_registers(8, None));
    let found = VERTEX.difference(&arrays(), &step);
    assert_eq!(found.message, "it lacks the output location 10, component 0");
}

/// A comparison with 0 that accepts NaN, and one that distinguishes -0 from 0.
pub(crate) const OTHER_COMPARISONS: [fn(&str) -> Option<String>; 2] = [
    |line| line.contains("OpFOrd").then(|| line.replace("OpFOrd", "OpFUnord")),
    |line| {
        let (head, distance) = line.split_once(" = OpFOrdGreaterThanEqual %bool ")?;
        let (id, distance) = (head.trim(), distance.strip_suffix(" %float_0")?);
        let turned = format!("%turned_{}", &id[1..]);
        let division = format!("{turned} = OpFDiv %float %float_1 {distance}");
        Some(format!("{division}\n{id} = OpFOrdGreaterThanEqual %bool {turned} %float_0"))
    },
];

/// Returns a step whose emulated distances are compared with 0 by a different comparison.
pub(crate) fn compared_otherwise(words: &[u32], other: fn(&str) -> Option<String>) -> Step {
    emulated(8, None).but_made(edited(&lowered(words, emulate(8, None)), other))
}

#[test]
fn distances_that_are_no_numbers_or_minus_0() {
    let words = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[2]; };",
        "gl_CullDistance[0] = b.x;
        gl_CullDistance[1] = b.w;",
    );
    for other in OTHER_COMPARISONS {
        let found = VERTEX.difference(&words, &compared_otherwise(&words, other));
        let varying = found.varying.as_deref();
        assert!(varying.is_some_and(|one| one.starts_with("location 10")), "{found}");
    }
}

#[test]
fn mesh_stages_say_nothing() {
    let source = "#version 460
        #extension GL_EXT_mesh_shader : require
        layout(local_size_x = 1) in;
        layout(triangles, max_vertices = 3, max_primitives = 1) out;
        void main() { SetMeshOutputsEXT(0u, 0u); }";
    let words = compile(source, ShaderStage::Mesh, SpirvVersion::SPIRV1_4).expect("it is GLSL");
    MESH.is_not_comparable(
        &words,
        &kept().with_steps(|_| ClipSteps::default()),
        "stage cannot be recorded",
    );
}
