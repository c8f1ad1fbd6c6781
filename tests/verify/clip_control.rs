//! Clip and cull distances of tessellation control stages: every step equal on lavapipe, the driver that has such
//! stages, and different where it is broken on purpose.

use crate::later::{Later, form, to_arrays};
use crate::subject::{self, Driver, Lower};
use polyshade::Module;
use polyshade::clip_cull::{self, Repair};
use polyshade::spv::view::Mode;
use polyshade::spv::{ExecutionMode, ExecutionModel, Op, Section};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_verify::{Form, Steps};

/// Three vertices of a patch; `before` and `behind` the barrier.
fn control(declarations: &str, before: &str, behind: &str) -> Vec<u32> {
    let source = format!(
        "#version 450
        layout(vertices = 3) out;
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
    compile(&source, ShaderStage::TessellationControl, SpirvVersion::SPIRV1_3)
        .unwrap_or_else(|error| panic!("{source}\n{error}"))
}

/// Two registers on each side, the second shared by both kinds and an ordinary value; those of others are read. (No
/// input is an index: lavapipe 22.3.6 cannot compile that in control stages, and ends the process.)
fn registers() -> Vec<u32> {
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

const MARKS: [&str; 3] = ["clip=3", "clip=4.x", "cull=4.y"];

fn arrays() -> Vec<u32> {
    control(
        "in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[1]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[3]; float gl_CullDistance[1]; } gl_out[];",
        "for (int k = 0; k < 3; ++k)
            gl_out[gl_InvocationID].gl_ClipDistance[k] = gl_in[k].gl_ClipDistance[i % 2] + 0.5;
        gl_out[gl_InvocationID].gl_CullDistance[0] = gl_in[2 - i].gl_CullDistance[0];",
        "whole.x += gl_out[2].gl_ClipDistance[1] + gl_out[1].gl_CullDistance[0];",
    )
}

const STAGE: Later = Later(ExecutionModel::TESSELLATION_CONTROL);

/// Equal, and no picture.
#[track_caller]
fn is_equal(words: &[u32], steps: &Steps, lower: Lower<'_>) {
    let equal = STAGE.equal(words, steps, lower);
    // Three vertices of eight patches, three times, each with a position and levels at the least.
    assert!(equal.words >= 72 * 10 && equal.words.is_multiple_of(72), "{equal:?}");
    assert_eq!(equal.pixels, 0, "{equal:?}");
}

#[test]
fn registers_become_arrays() {
    let (words, steps) = (registers(), to_arrays(&MARKS));
    is_equal(&words, &steps, &|m| STAGE.normalized(m, &MARKS, &MARKS));
    let verdict =
        STAGE.verify(Driver::SwiftShader, &words, &steps, &|m| STAGE.normalized(m, &MARKS, &MARKS));
    let why = subject::reason(Driver::SwiftShader, verdict);
    assert!(why.contains("the device lacks"), "{why}");
}

#[test]
fn arrays_take_other_forms() {
    let words = arrays();
    is_equal(&words, &form(Form::Registers { location: 8 }), &|m| {
        Ok(clip_cull::to_registers(m, &STAGE.target(), 8, 8, None)?.module)
    });
    is_equal(&words, &form(Form::Combined), &|m| {
        Ok(clip_cull::combine(m, &STAGE.target(), None)?.module)
    });
    let repairs = Steps { repairs: true, ..form(Form::Kept) };
    let all = [Repair::Capability, Repair::Unused, Repair::Size];
    is_equal(&words, &repairs, &|m| Ok(clip_cull::repair(m, &STAGE.target(), &all)?.module));
}

#[test]
fn marks_that_are_mistaken() {
    let mistaken = ["cull=3", "clip=4.x", "clip=4.y"];
    for (inputs, outputs) in [(&MARKS, &mistaken), (&mistaken, &MARKS)] {
        let driver = Driver::Lavapipe;
        let verdict = STAGE.verify(driver, &registers(), &to_arrays(&MARKS), &|m| {
            STAGE.normalized(m, inputs, outputs)
        });
        let found = subject::difference(driver, verdict);
        assert!(found.message.contains("gl_CullDistance"), "{found}");
    }
}

/// What one invocation makes of the patch, of what others have written.
#[test]
fn another_value_of_the_patch() {
    let other = control("", "", "whole.y += 1.0;");
    let driver = Driver::Lavapipe;
    let steps = form(Form::Kept);
    let verdict = STAGE.verify(driver, &control("", "", ""), &steps, &|_| {
        Ok(Module::parse(&other).expect("compilers write modules").into_owned())
    });
    let found = subject::difference(driver, verdict);
    assert_eq!(found.varying.as_deref(), Some("location 6, component 1"), "{found}");
}

/// A module without names has levels of its own.
#[test]
fn other_levels_of_a_stage_without_names() {
    let without_names = |words: &[u32]| {
        let module = Module::parse(words).expect("compilers write modules");
        let bare = module.rewrite(|m, p| {
            let names =
                m.preamble().filter(|inst| [Op::NAME, Op::MEMBER_NAME].contains(&inst.op()));
            names.for_each(|name| p.remove(name));
            Ok(())
        });
        bare.expect("it is small").module.into_words()
    };
    let right = without_names(&control("", "", ""));
    let steps = form(Form::Kept);
    is_equal(&right, &steps, &|m| Ok(m.borrowed().into_owned()));

    let other = without_names(&control("", "", "gl_TessLevelOuter[1] = 3.0;"));
    let driver = Driver::Lavapipe;
    let verdict = STAGE.verify(driver, &right, &steps, &|_| {
        Ok(Module::parse(&other).expect("compilers write modules").into_owned())
    });
    let found = subject::difference(driver, verdict);
    assert_eq!(found.varying.as_deref(), Some("gl_TessLevelOuter[1], component 0"), "{found}");
}

/// Direct3D's compilers say how patches are divided here.
#[test]
fn what_is_said_of_the_evaluation_stage_does_not_matter() {
    let words = control("", "", "");
    let module = Module::parse(&words).expect("compilers write modules");
    let said = module.rewrite(|m, p| {
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
    let words = said.expect("it is small").module.into_words();
    let steps = form(Form::Kept);
    is_equal(&words, &steps, &|m| Ok(m.borrowed().into_owned()));
}

#[test]
fn another_number_of_vertices() {
    let other = |words: &[u32]| -> Vec<u32> {
        let module = Module::parse(words).expect("compilers write modules");
        let more = module.rewrite(|m, p| {
            let modes = m.section(Section::ExecutionModes).filter_map(Mode::of);
            let vertices = modes.filter(|mode| mode.mode() == ExecutionMode::OUTPUT_VERTICES);
            vertices.for_each(|mode| p.overwrite(mode.inst().operand(3), 4));
            Ok(())
        });
        more.expect("it is small").module.into_words()
    };
    let words = control("", "", "");
    let other = other(&words);
    let driver = Driver::Lavapipe;
    let steps = form(Form::Kept);
    let verdict = STAGE.verify(driver, &words, &steps, &|_| {
        Ok(Module::parse(&other).expect("it was written so").into_owned())
    });
    let found = subject::difference(driver, verdict);
    assert_eq!(found.message, "it has other execution modes", "{found}");
}
