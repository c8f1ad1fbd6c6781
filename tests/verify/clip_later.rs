//! Clip and cull distances of the stages after the vertex stage: the tests that all these stages share.

use crate::clip::{MARKS, OTHER_COMPARISONS, compared_otherwise};
use crate::stage::{
    CONTROL, EVALUATION, GEOMETRY, Stage, combined, emulated, enabled, marked, normalized,
    to_arrays, to_registers,
};
use crate::subject::{self, Driver};
use crate::{clip_control, clip_evaluation, clip_geometry};
use polyshade::clip_cull::DistanceKind;
use polyshade::host::{ParamSource, Value};
use polyshade_verify::{ClipForm, ClipSteps};

/// Returns each stage in two forms: with two input and two output registers, and with arrays. The second register
/// contains both kinds and an ordinary value.
fn stages() -> [(Stage, Vec<u32>, Vec<u32>); 3] {
    [
        (GEOMETRY, clip_geometry::registers(), clip_geometry::arrays()),
        (EVALUATION, clip_evaluation::registers("triangles"), clip_evaluation::arrays()),
        (CONTROL, clip_control::registers(), clip_control::arrays()),
    ]
}

#[test]
fn registers_become_arrays() {
    for (stage, words, _) in stages() {
        let step = to_arrays(&MARKS);
        stage.is_drawn(&words, &step);
        let verdict = stage.verify(Driver::SwiftShader, &words, &step);
        let why = subject::reason(Driver::SwiftShader, verdict);
        assert!(why.contains("the device lacks"), "{stage:?}: {why}");
        // Without semantics, nothing changes.
        stage.is_drawn(&words, &to_arrays(&[]));
    }
}

#[test]
fn arrays_take_other_forms() {
    for (stage, _, words) in stages() {
        stage.is_drawn(
            &words,
            &to_arrays(&[]).with_steps(|steps| ClipSteps { form: ClipForm::Arrays, ..steps }),
        );
        stage.is_equal(&words, &to_registers(8, None));
        stage.is_equal(&words, &combined(None));
    }
}

#[test]
fn planes_are_switched_off() {
    for (stage, _, words) in &stages()[..2] {
        for (mask, as_written) in [
            (Value::Fixed(5), Some(6)),
            (Value::Param(ParamSource::Specialization { first_id: 3 }), Some(6)),
            (Value::Param(ParamSource::Specialization { first_id: 3 }), None),
            (Value::Param(ParamSource::PushConstant { offset: 8 }), Some(6)),
            (Value::Param(ParamSource::PushConstant { offset: 8 }), None),
        ] {
            stage.is_drawn(words, &enabled(mask, as_written));
        }
    }
}

#[test]
fn distances_are_emulated() {
    for (stage, _, words) in &stages()[..2] {
        for native in [None, Some(DistanceKind::Clip)] {
            stage.is_drawn(words, &emulated(8, native));
        }
    }
}

#[test]
fn distances_that_are_no_numbers() {
    for (stage, _, words) in &stages()[..2] {
        let found = stage.difference(words, &compared_otherwise(words, OTHER_COMPARISONS[0]));
        let varying = found.varying.as_deref();
        assert!(varying.is_some_and(|one| one.starts_with("location 10")), "{stage:?}: {found}");
    }
}

#[test]
fn marks_that_are_mistaken() {
    for (stage, words, _) in stages() {
        for mistaken in [["cull=3", "clip=4.x", "clip=4.y"], ["cull=3", "cull=4.x", "clip=4.y"]] {
            for (inputs, outputs) in [(&MARKS, &mistaken), (&mistaken, &MARKS)] {
                let done = normalized(marked(inputs, &[]), marked(outputs, &[]));
                let found = stage.difference(&words, &to_arrays(&MARKS).but_done(done));
                assert!(found.message.contains("gl_CullDistance"), "{stage:?}: {found}");
            }
        }
    }
}
