//! Clip and cull distances: every step equal on both drivers, and different where it is broken on purpose.

use crate::subject::{self, DRIVERS, Driver, Lower, marks, vertex};
use polyshade::clip_cull::{
    self, Emulation, Enabled, Exact, Kind, Linkage, Mark, Options, Planes, Primitive, Repair,
    Space, Target, Words,
};
use polyshade::moves::{Binding, Set};
use polyshade::spv::ExecutionModel;
use polyshade::{Error, Module};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_verify::{Difference, Equal, Form, Marked, Part, Steps, Verdict};

/// Positions that are seen, and distances that cut some of them.
fn shader(declarations: &str, code: &str) -> Vec<u32> {
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

/// Two registers, the second shared by both kinds.
fn registers() -> Vec<u32> {
    shader(
        "layout(location = 3) out vec4 v_low;
        layout(location = 4) out vec3 v_high;
        layout(location = 0) out vec4 v_other;",
        "v_low = vec4(b.xy + vec2(4.0), a.xy + vec2(3.0));
        v_high = vec3(b.z + 2.0, a.x + 1.0, b.w);
        v_other = b;",
    )
}

const MARKS: [&str; 3] = ["clip=3", "clip=4.x", "cull=4.y"];

fn arrays() -> Vec<u32> {
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

fn target() -> Target {
    Target::new("main", ExecutionModel::VERTEX)
}

#[track_caller]
fn verify(driver: Driver, words: &[u32], steps: &Steps, lower: Lower<'_>) -> Verdict {
    subject::judge_distances(driver, (words, ExecutionModel::VERTEX), steps, lower)
}

/// Equal on both drivers; returns what was compared on the second.
#[track_caller]
fn is_equal(words: &[u32], steps: &Steps, lower: Lower<'_>) -> Equal {
    DRIVERS.map(|driver| {
        let equal = subject::equal(driver, verify(driver, words, steps, lower));
        assert!(equal.words > 0, "{driver:?}: {equal:?}");
        equal
    })[1]
        .clone()
}

/// The same with pictures that are not empty.
#[track_caller]
fn is_drawn(words: &[u32], steps: &Steps, lower: Lower<'_>) {
    let equal = is_equal(words, steps, lower);
    assert!(equal.pixels > 20, "{equal:?}");
}

#[track_caller]
fn difference(words: &[u32], steps: &Steps, lower: Lower<'_>) -> Difference {
    let [one, other] =
        DRIVERS.map(|driver| subject::difference(driver, verify(driver, words, steps, lower)));
    assert_eq!(one.varying, other.varying, "{one}\n{other}");
    assert_eq!(one.part, Part::Lowered);
    one
}

fn to_arrays(marked: &[&str]) -> Steps {
    Steps {
        outputs: Marked { marks: marks(marked), linked: None },
        semantics: true,
        ..Steps::default()
    }
}

fn normalized(m: &Module<'_>, marked: &[&str]) -> Result<Module<'static>, Error> {
    let options = Options::new(target()).outputs(marks(marked));
    Ok(clip_cull::normalize(m, &options)?.module.into_owned())
}

#[test]
fn registers_become_arrays() {
    is_drawn(&registers(), &to_arrays(&MARKS), &|m| normalized(m, &MARKS));
    let only = ["clip=3.xy"];
    is_drawn(&registers(), &to_arrays(&only), &|m| normalized(m, &only));
    // Nothing is marked, so nothing changes.
    is_drawn(&registers(), &to_arrays(&[]), &|m| normalized(m, &[]));
}

#[test]
fn what_is_linked_numbers() {
    let linked = || Linkage::new(marks(&["clip=3.yzw", "clip=4.xy"])).expect("it can be");
    let marks = marks(&["clip=3.zw", "clip=4.x"]);
    let outputs = Marked { marks: marks.clone(), linked: Some(linked()) };
    is_drawn(&registers(), &Steps { outputs, semantics: true, ..Steps::default() }, &|m| {
        let options = Options::new(target()).outputs(marks.clone()).linked_outputs(linked());
        Ok(clip_cull::normalize(m, &options)?.module.into_owned())
    });
}

#[test]
fn arrays_take_other_forms() {
    let words = arrays();
    let form = |form| Steps { form, ..Steps::default() };
    let registers = form(Form::Registers { location: 5 });
    is_equal(
        &words,
        &registers,
        &|m| Ok(clip_cull::to_registers(m, &target(), 5, 5, None)?.module),
    );
    // What a geometry stage that is made cuts by is handed to it so.
    let exact = Exact::new();
    is_equal(&words, &form(Form::Exact { location: Some(5) }), &|m| {
        Ok(clip_cull::generate(m, &target(), Primitive::Triangles, 5, &exact)?.last)
    });
    let wider = Steps { counts: Some([4, 2]), ..registers };
    is_equal(&words, &wider, &|m| {
        Ok(clip_cull::to_registers(m, &target(), 5, 5, Some([4, 2]))?.module)
    });
    is_equal(
        &words,
        &form(Form::Combined),
        &|m| Ok(clip_cull::combine(m, &target(), None)?.module),
    );
    let one = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[4]; };",
        "for (int i = 0; i < 4; ++i) gl_ClipDistance[i] = b[i] + 2.0;",
    );
    let two = Steps { counts: Some([3, 1]), ..form(Form::Separate) };
    is_drawn(&one, &two, &|m| Ok(clip_cull::separate(m, &target(), 3)?.module));
}

#[test]
fn planes_are_switched_off() {
    let words = arrays();
    let storage = Words::StorageBuffer { set: Set(1), binding: Binding(2) };
    for (enabled, as_written) in [
        (Enabled::Constant(5), None),
        (Enabled::Specialization(3), None),
        (Enabled::Word(Words::PushConstant { offset: 8 }), Some(6)),
        (Enabled::Word(storage), None),
    ] {
        let enable = Some((enabled, as_written));
        let steps = Steps { enable, form: Form::Kept, ..Steps::default() };
        is_drawn(&words, &steps, &|m| {
            Ok(clip_cull::enable(m, &target(), enabled, as_written)?.module)
        });
    }
}

#[test]
fn planes_of_the_host_cut() {
    let words = shader("layout(location = 2) out vec4 v_eye;", "v_eye = a.yxwz * 0.5;");
    for space in [Space::Clip, Space::Output { location: 2 }] {
        let words_at = Words::Uniform { set: Set(0), binding: Binding(4) };
        let planes = Planes { count: 3, words: words_at, space };
        let steps = Steps { planes: Some(planes), form: Form::Kept, ..Steps::default() };
        is_drawn(&words, &steps, &|m| Ok(clip_cull::user_planes(m, &target(), planes)?.module));

        // Some of them off.
        let enabled = Enabled::Word(Words::PushConstant { offset: 0 });
        let steps = Steps { enable: Some((enabled, None)), ..steps };
        is_drawn(&words, &steps, &|m| {
            let planes = clip_cull::user_planes(m, &target(), planes)?.module;
            Ok(clip_cull::enable(&planes, &target(), enabled, None)?.module)
        });
    }
}

#[test]
fn distances_are_emulated() {
    let form = Form::Emulated { location: 8, native_clip: false };
    let steps = Steps { form, ..Steps::default() };
    let emulate: Lower<'_> =
        &|m| Ok(clip_cull::emulate_last(m, &target(), &Emulation::at(8))?.module);
    is_drawn(&arrays(), &steps, emulate);
    let cull = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[3]; };",
        "for (int i = 0; i < 3; ++i) gl_CullDistance[i] = b[i] + 2.0;",
    );
    is_drawn(&cull, &steps, emulate);

    // Clip distances stay.
    let form = Form::Emulated { location: 8, native_clip: true };
    let steps = Steps { form, ..Steps::default() };
    let native = Emulation::at(8).native(Kind::Clip);
    let emulate: Lower<'_> = &|m| Ok(clip_cull::emulate_last(m, &target(), &native)?.module);
    for words in [arrays(), cull] {
        is_drawn(&words, &steps, emulate);
    }
}

#[test]
fn repairs_change_nothing_that_is_drawn() {
    let words = shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[8]; };",
        "gl_ClipDistance[0] = b.x + 2.0; gl_ClipDistance[1] = b.y + 2.0;",
    );
    let steps = Steps { repairs: true, form: Form::Kept, ..Steps::default() };
    let all = [Repair::Capability, Repair::Unused, Repair::Size];
    is_drawn(&words, &steps, &|m| Ok(clip_cull::repair(m, &target(), &all)?.module));
}

#[test]
fn a_kind_that_is_mistaken() {
    let found = difference(&registers(), &to_arrays(&MARKS), &|m| {
        let mistaken = marks(&MARKS).into_iter().map(|mark| match mark.kind {
            Kind::Clip => Mark { kind: Kind::Cull, ..mark },
            Kind::Cull => Mark { kind: Kind::Clip, ..mark },
        });
        let options = Options::new(target()).outputs(mistaken);
        Ok(clip_cull::normalize(m, &options)?.module.into_owned())
    });
    assert!(found.message.contains("gl_CullDistance"), "{found}");
}

#[test]
fn another_numbering() {
    let found = difference(&registers(), &to_arrays(&["clip=3.xy"]), &|m| {
        let linked = Linkage::new(marks(&["clip=3"]))?;
        let options = Options::new(target()).outputs(marks(&["clip=3.yz"])).linked_outputs(linked);
        Ok(clip_cull::normalize(m, &options)?.module.into_owned())
    });
    assert!(found.message.contains("gl_ClipDistance[2]"), "{found}");
}

#[test]
fn a_plane_that_stays_on() {
    let enabled = |mask| Enabled::Constant(mask);
    let steps = Steps { enable: Some((enabled(1), None)), form: Form::Kept, ..Steps::default() };
    let found = difference(&arrays(), &steps, &|m| {
        Ok(clip_cull::enable(m, &target(), enabled(3), None)?.module)
    });
    assert_eq!(found.varying.as_deref(), Some("gl_ClipDistance[1], component 0"));
}

#[test]
fn a_plane_in_another_space() {
    let words = shader("layout(location = 2) out vec4 v_eye;", "v_eye = a.yxwz * 0.5;");
    let words_at = Words::PushConstant { offset: 0 };
    let planes = |space| Planes { count: 2, words: words_at, space };
    let steps = Steps { planes: Some(planes(Space::Clip)), form: Form::Kept, ..Steps::default() };
    let found = difference(&words, &steps, &|m| {
        let planes = planes(Space::Output { location: 2 });
        Ok(clip_cull::user_planes(m, &target(), planes)?.module)
    });
    assert_eq!(found.varying.as_deref(), Some("gl_ClipDistance[0], component 0"));
}

#[test]
fn flags_that_are_not_handed_on() {
    let steps =
        Steps { form: Form::Emulated { location: 8, native_clip: false }, ..Steps::default() };
    let found = difference(&arrays(), &steps, &|m| {
        Ok(clip_cull::to_registers(m, &target(), 8, 8, None)?.module)
    });
    assert_eq!(found.message, "it lacks the output location 10, component 0");
}

#[test]
fn mesh_stages_say_nothing() {
    let source = "#version 460
        #extension GL_EXT_mesh_shader : require
        layout(local_size_x = 1) in;
        layout(triangles, max_vertices = 3, max_primitives = 1) out;
        void main() { SetMeshOutputsEXT(0u, 0u); }";
    let words = compile(source, ShaderStage::Mesh, SpirvVersion::SPIRV1_4).expect("it is GLSL");
    for driver in DRIVERS {
        let lower: Lower<'_> = &|m| Ok(m.borrowed().into_owned());
        let stage = (words.as_slice(), ExecutionModel::MESH_EXT);
        let verdict = subject::judge_distances(driver, stage, &Steps::default(), lower);
        let why = subject::reason(driver, verdict);
        assert!(why.contains("hands on is not recorded"), "{why}");
    }
}
