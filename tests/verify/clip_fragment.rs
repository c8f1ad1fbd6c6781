//! Clip and cull distances that fragment stages read: every form equal on both drivers, and different where it is
//! broken on purpose.

use crate::subject::{self, DRIVERS, Driver, Lower, marks};
use polyshade::clip_cull::{
    self, Emulation, Kind, Linkage, Mark, Options, Planes, Repair, Space, Target, Words,
};
use polyshade::spv::ExecutionModel;
use polyshade::{Error, Module};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_verify::{Difference, Equal, Form, Marked, Part, Steps, Verdict};

/// Two colours, of what `code` makes of a smooth value and a flat one.
fn shader(declarations: &str, code: &str) -> Vec<u32> {
    let source = format!(
        "#version 450
        layout(location = 0) in vec3 smoothed;
        layout(location = 1) flat in uvec2 number;
        {declarations}
        layout(location = 0) out vec4 colour;
        layout(location = 1) out uint counted;
        void main() {{
            colour = vec4(smoothed, 1.0);
            counted = number.y;
            {code}
        }}"
    );
    compile(&source, ShaderStage::Fragment, SpirvVersion::SPIRV1_3)
        .unwrap_or_else(|error| panic!("{source}\n{error}"))
}

/// Two registers, the second shared by both kinds and an ordinary value.
fn registers() -> Vec<u32> {
    shader(
        "layout(location = 3) in vec4 low;
        layout(location = 4) in vec4 high;",
        "colour += low * 2.0 + vec4(high.x, -high.y, 3.0 * high.z, high.w);
        if (low.y > 0.5) colour.x += low[number.x];",
    )
}

const MARKS: [&str; 3] = ["clip=3", "clip=4.x", "cull=4.yz"];

fn arrays() -> Vec<u32> {
    shader(
        "in float gl_ClipDistance[2];
        in float gl_CullDistance[2];",
        "colour += vec4(gl_ClipDistance[0], gl_ClipDistance[1], 0.0, 0.0);
        if (gl_CullDistance[1] > 0.25) colour.w += gl_CullDistance[number.x % 2u];",
    )
}

fn target() -> Target {
    Target::new("main", ExecutionModel::FRAGMENT)
}

#[track_caller]
fn verify(driver: Driver, words: &[u32], steps: &Steps, lower: Lower<'_>) -> Verdict {
    subject::judge_distances(driver, (words, ExecutionModel::FRAGMENT), steps, lower)
}

/// Equal on both drivers, in pictures that are not empty.
#[track_caller]
fn is_drawn(words: &[u32], steps: &Steps, lower: Lower<'_>) {
    let drawn: [Equal; 2] =
        DRIVERS.map(|driver| subject::equal(driver, verify(driver, words, steps, lower)));
    for equal in drawn {
        assert!(equal.pixels > 1000 && equal.draws == 48, "{equal:?}");
    }
}

#[track_caller]
fn difference(words: &[u32], steps: &Steps, lower: Lower<'_>) -> Difference {
    let [one, other] =
        DRIVERS.map(|driver| subject::difference(driver, verify(driver, words, steps, lower)));
    assert_eq!(one.message, other.message, "{one}\n{other}");
    assert_eq!(one.part, Part::Lowered);
    one
}

fn to_arrays(marked: &[&str], linked: Option<Linkage>) -> Steps {
    Steps { inputs: Marked { marks: marks(marked), linked }, ..Steps::default() }
}

fn normalized(m: &Module<'_>, marks: Vec<Mark>) -> Result<Module<'static>, Error> {
    Ok(clip_cull::normalize(m, &Options::new(target()).inputs(marks))?.module.into_owned())
}

fn with_form(form: Form, counts: Option<[u32; 2]>) -> Steps {
    Steps { form, counts, ..Steps::default() }
}

#[test]
fn registers_become_arrays() {
    is_drawn(&registers(), &to_arrays(&MARKS, None), &|m| normalized(m, marks(&MARKS)));
}

#[test]
fn what_is_linked_numbers() {
    let linked = || Linkage::new(marks(&["clip=3", "clip=4.x", "cull=4.yzw"])).expect("it can be");
    let read = ["clip=3.yz", "clip=4.x", "cull=4.z"];
    is_drawn(&registers(), &to_arrays(&read, Some(linked())), &|m| {
        let options = Options::new(target()).inputs(marks(&read)).linked_inputs(linked());
        Ok(clip_cull::normalize(m, &options)?.module.into_owned())
    });
}

#[test]
fn arrays_take_other_forms() {
    is_drawn(&arrays(), &with_form(Form::Registers { location: 6 }, None), &|m| {
        Ok(clip_cull::to_registers(m, &target(), 6, 6, None)?.module)
    });
    is_drawn(&arrays(), &with_form(Form::Registers { location: 6 }, Some([4, 3])), &|m| {
        Ok(clip_cull::to_registers(m, &target(), 6, 6, Some([4, 3]))?.module)
    });
    is_drawn(&arrays(), &with_form(Form::Combined, Some([4, 2])), &|m| {
        Ok(clip_cull::combine(m, &target(), Some(4))?.module)
    });
    let one = shader(
        "in float gl_ClipDistance[5];",
        "for (int i = 0; i < 5; ++i) colour[i % 4] += gl_ClipDistance[i];",
    );
    is_drawn(&one, &with_form(Form::Separate, Some([4, 1])), &|m| {
        Ok(clip_cull::separate(m, &target(), 4)?.module)
    });
}

#[test]
fn what_the_device_does_not_cut_is_discarded() {
    let form = Form::Emulated { location: 6, native_clip: false };
    for counts in [[2, 2], [0, 3], [5, 0], [1, 7]] {
        let steps = with_form(form, Some(counts));
        let emulate: Lower<'_> =
            &|m| Ok(clip_cull::emulate_fragment(m, &target(), &Emulation::at(6), counts)?.module);
        // Whether it reads them or not.
        is_drawn(&shader("", ""), &steps, emulate);
        if counts == [2, 2] {
            is_drawn(&arrays(), &steps, emulate);
        }
    }

    let form = Form::Emulated { location: 6, native_clip: true };
    let native = Emulation::at(6).native(Kind::Clip);
    for words in [arrays(), shader("", "")] {
        is_drawn(&words, &with_form(form, Some([2, 2])), &|m| {
            Ok(clip_cull::emulate_fragment(m, &target(), &native, [2, 2])?.module)
        });
    }
}

#[test]
fn repairs_change_nothing_that_is_drawn() {
    let words = shader(
        "in float gl_ClipDistance[8];",
        "colour.x += gl_ClipDistance[0]; colour.y += gl_ClipDistance[1];",
    );
    let steps = Steps { repairs: true, form: Form::Kept, ..Steps::default() };
    let all = [Repair::Capability, Repair::Unused, Repair::Size];
    is_drawn(&words, &steps, &|m| Ok(clip_cull::repair(m, &target(), &all)?.module));
}

#[test]
fn a_kind_that_is_mistaken() {
    let found = difference(&registers(), &to_arrays(&["clip=3", "cull=4.xyz"], None), &|m| {
        normalized(m, marks(&["cull=3", "clip=4.xyz"]))
    });
    assert!(found.message.contains("it reads gl_CullDistance[3]"), "{found}");
}

#[test]
fn another_order() {
    let found = difference(&registers(), &to_arrays(&["clip=3", "clip=4.x"], None), &|m| {
        let linked = Linkage::new(marks(&["clip=3.yzw", "clip=4.xy"]))?;
        let options = Options::new(target()).inputs(marks(&["clip=3.yzw", "clip=4.xy"]));
        let options = options.linked_inputs(linked);
        Ok(clip_cull::normalize(m, &options)?.module.into_owned())
    });
    assert_eq!(found.message, "a picture differs", "{found}");
}

#[test]
fn what_is_not_discarded() {
    for counts in [[0, 2], [2, 0]] {
        let steps = with_form(Form::Emulated { location: 6, native_clip: false }, Some(counts));
        let found = difference(&shader("", ""), &steps, &|m| Ok(m.borrowed().into_owned()));
        assert_eq!(found.message, "a picture differs", "{found}");
        assert!(found.pixel.is_some() && found.draw.is_some(), "{found}");
    }
}

#[test]
fn colours_that_are_wrong_where_nothing_is_cut() {
    let darker = shader("", "colour *= 0.5;");
    for counts in [[0, 1], [2, 0]] {
        let steps = with_form(Form::Emulated { location: 6, native_clip: false }, Some(counts));
        let found = difference(&shader("", ""), &steps, &|_| {
            let darker = Module::parse(&darker).expect("compilers write modules");
            let emulation = Emulation::at(6);
            Ok(clip_cull::emulate_fragment(&darker, &target(), &emulation, counts)?.module)
        });
        assert_eq!(found.message, "a picture differs", "{found}");
    }
}

#[test]
fn distances_that_are_declared_and_not_read_are_none() {
    let steps = with_form(Form::Emulated { location: 6, native_clip: false }, Some([2, 1]));
    is_drawn(&shader("in float gl_ClipDistance[4];", ""), &steps, &|m| {
        Ok(clip_cull::emulate_fragment(m, &target(), &Emulation::at(6), [2, 1])?.module)
    });
}

#[test]
fn what_no_device_is_handed_says_nothing() {
    let steps = with_form(Form::Registers { location: 6 }, Some([4_000_000_000, 0]));
    let planes = Planes {
        count: 1,
        words: Words::PushConstant { offset: 0 },
        space: Space::Output { location: 2 },
    };
    let with_planes = Steps { planes: Some(planes), form: Form::Kept, ..Steps::default() };
    for (steps, reason) in [(steps, "are more than 8"), (with_planes, "hand distances on")] {
        for driver in DRIVERS {
            let words = shader("", "");
            let verdict = verify(driver, &words, &steps, &|m| Ok(m.borrowed().into_owned()));
            let why = subject::reason(driver, verdict);
            assert!(why.contains(reason), "{why}");
        }
    }
}

#[test]
fn shaders_that_draw_nothing_say_nothing() {
    let words = shader("", "discard;");
    let steps = Steps { repairs: true, form: Form::Kept, ..Steps::default() };
    for driver in DRIVERS {
        let verdict = verify(driver, &words, &steps, &|m| Ok(m.borrowed().into_owned()));
        let why = subject::reason(driver, verdict);
        assert!(why.contains("draws nothing of the scene"), "{why}");
    }
}
