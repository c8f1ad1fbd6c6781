//! Lowers the steps of geometry stages and of tessellation with the C library, after layouts that are changed in a few
//! characters, and asks for the sizes and counters of such stages.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all pointers are to values of the same function"
)]

use crate::ffi::{ask, call, filled, given, with_capture, zeros};
use crate::texts::broken;
use polyshade_capi::error::*;
use polyshade_capi::failure::*;
use polyshade_capi::layout::*;
use polyshade_capi::lower::*;
use polyshade_capi::module::*;
use polyshade_capi::options::*;
use polyshade_capi::place::*;
use polyshade_capi::reflection::*;
use polyshade_capi::result::*;
use polyshade_capi::steps::*;
use polyshade_capi::target::*;
use polyshade_spv::{ExecutionModel, Module};
use polyshade_testing::Choices;
use std::sync::LazyLock;

/// The seeds with a vertex stage, and with a geometry stage or with both tessellation stages.
static STAGED: LazyLock<Vec<&[u32]>> = LazyLock::new(|| {
    let staged = crate::SEEDS.iter().filter(|words| {
        let module = Module::parse(words).expect("every seed can be parsed");
        let has = |model| module.entry_points().any(|entry| entry.model() == model);
        let tessellates = has(ExecutionModel::TESSELLATION_CONTROL)
            && has(ExecutionModel::TESSELLATION_EVALUATION);
        has(ExecutionModel::VERTEX) && (has(ExecutionModel::GEOMETRY) || tessellates)
    });
    staged.map(Vec::as_slice).collect()
});

/// A function that lowers steps.
type LowerSteps = unsafe extern "C" fn(
    *const polyshade_module,
    *const polyshade_target,
    u32,
    *const polyshade_layout,
    *const polyshade_options,
    *mut *mut polyshade_result,
    *mut polyshade_error,
) -> polyshade_status;

/// Lowers the stages of one of the seeds.
pub fn steps(choices: &mut Choices) {
    let words = choices.of(&STAGED);
    let module = given(|module, error| unsafe {
        polyshade_module_parse(words.as_ptr(), words.len(), module, error)
    });
    let spilled = vertex_layout(module, choices);
    match target(module, POLYSHADE_STAGE_GEOMETRY).stage {
        0 => tessellation(module, spilled, choices),
        _ => geometry(module, spilled, choices),
    }
    unsafe { polyshade_layout_release(spilled) };
    unsafe { polyshade_module_release(module) };
}

/// Returns a target for the first entry point of a stage.
fn target(module: *const polyshade_module, stage: u32) -> polyshade_target {
    let mut target = zeros!(polyshade_target);
    for number in 0..8 {
        let mut entry = zeros!(polyshade_entry_point);
        call(|error| unsafe { polyshade_module_entry(module, number, &raw mut entry, error) });
        if entry.stage == stage {
            (target.entry, target.stage) = (entry.name, stage);
            break;
        }
    }
    target
}

/// Returns the layout of the vertex stage with spilled outputs, or one that was changed.
fn vertex_layout(module: *const polyshade_module, choices: &mut Choices) -> *mut polyshade_layout {
    let target = target(module, POLYSHADE_STAGE_VERTEX);
    let mut options = zeros!(polyshade_capture_options, POLYSHADE_OPTIONS_CAPTURE_STORAGE);
    options.flags = POLYSHADE_CAPTURE_COMPUTE | POLYSHADE_CAPTURE_SPILL_OUTPUTS;
    options.variants = POLYSHADE_VARIANT_SPILL_OUTPUTS;
    let result = given(|result, error| unsafe {
        polyshade_lower(module, &raw const target, &raw const options.base, result, error)
    });
    layout_of(result, choices)
}

/// Returns the layout of the first output, which may be changed, and releases the result.
fn layout_of(result: *mut polyshade_result, choices: &mut Choices) -> *mut polyshade_layout {
    let layout =
        given(|layout, error| unsafe { polyshade_result_layout(result, 0, layout, error) });
    unsafe { polyshade_result_release(result) };
    let saved = filled(|buffer, count, error| unsafe {
        polyshade_layout_save(layout, buffer, count, error)
    });
    let Some(saved) = saved.filter(|_| choices.maybe()) else { return layout };
    unsafe { polyshade_layout_release(layout) };
    let text = String::from_utf8(saved).expect("layouts are text");
    let bytes = broken(&text, choices);
    given(|layout, error| unsafe {
        polyshade_layout_load(bytes.as_ptr(), bytes.len(), layout, error)
    })
}

/// Lowers steps with options of any numbers or of none.
fn lower(
    (function, steps): (LowerSteps, u32),
    (module, stage): (*const polyshade_module, u32),
    (before, kind): (*const polyshade_layout, u32),
    choices: &mut Choices,
) -> *mut polyshade_result {
    let target = target(module, stage);
    let target = &raw const target;
    let mut result = std::ptr::null_mut();
    let mut with = |options: &polyshade_options, _: &mut Choices| {
        result = given(|result, error| unsafe {
            function(module, target, steps, before, options, result, error)
        });
    };
    if choices.rarely() {
        with_capture(choices, &mut with);
        return result;
    }
    let mut options = zeros!(polyshade_capture_options, kind);
    let names = [c"g".as_ptr(), c"gl_Position".as_ptr()];
    if kind == POLYSHADE_OPTIONS_CAPTURE_STORAGE {
        (options.varyings, options.varying_count) =
            (&raw const names[choices.below(2) as usize], 1);
        let compute = POLYSHADE_CAPTURE_COMPUTE;
        let flags = [0, compute, compute, compute | POLYSHADE_CAPTURE_SPILL_OUTPUTS];
        options.flags = choices.of(&flags) | choices.of(&[0, POLYSHADE_CAPTURE_ONE_INSTANCE]);
    } else {
        options.patch_control_points = choices.of(&[3, 3, 3, 0, 1, 32, 33]);
        options.flags = choices.of(&[0, POLYSHADE_CAPTURE_LOWER_LEFT_ORIGIN]);
    }
    with(&options.base, choices);
    result
}

fn geometry(
    module: *const polyshade_module,
    spilled: *const polyshade_layout,
    choices: &mut Choices,
) {
    let kind = POLYSHADE_OPTIONS_CAPTURE_STORAGE;
    let (function, vertex) = (polyshade_lower_geometry, POLYSHADE_GEOMETRY_VERTEX);
    let of_vertex = (module, POLYSHADE_STAGE_VERTEX);
    let drawn = lower((function, vertex), of_vertex, (std::ptr::null(), kind), choices);
    let drawn = layout_of(drawn, choices);
    let before = choices.of(&[spilled, spilled, drawn.cast_const()]);
    let steps = if choices.rarely() { choices.below(64) } else { choices.of(&[8, 14, 30]) };
    let result =
        lower((function, steps), (module, POLYSHADE_STAGE_GEOMETRY), (before, kind), choices);
    ask(result, choices);
    unsafe { polyshade_result_release(result) };
    unsafe { polyshade_layout_release(drawn) };
}

fn tessellation(
    module: *const polyshade_module,
    spilled: *const polyshade_layout,
    choices: &mut Choices,
) {
    let kind = POLYSHADE_OPTIONS_TESSELLATION;
    let function = polyshade_lower_tessellation;
    let of_control = (module, POLYSHADE_STAGE_TESSELLATION_CONTROL);
    let first = (function as LowerSteps, POLYSHADE_TESSELLATION_CONTROL);
    let result = lower(first, of_control, (spilled, kind), choices);
    ask(result, choices);
    let control = layout_of(result, choices);
    let steps = if choices.rarely() { choices.below(32) } else { 14 };
    let of_evaluation = (module, POLYSHADE_STAGE_TESSELLATION_EVALUATION);
    let result = lower((function, steps), of_evaluation, (control, kind), choices);
    ask(result, choices);
    unsafe { polyshade_result_release(result) };
    unsafe { polyshade_layout_release(control) };
}
