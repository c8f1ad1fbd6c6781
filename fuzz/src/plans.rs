//! Makes plans with the C library, and reads every step, all data that it points to, and the jobs of
//! the counter pass.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all pointers are to values of the same function"
)]

use crate::ffi::{call, filled, given, zeros};
use polyshade_capi::counter_pass::*;
use polyshade_capi::plan::step::*;
use polyshade_capi::plan::*;
use polyshade_testing::Choices;
use std::ffi::CStr;

/// Plans a state and reads all steps. Returns whether a plan exists.
pub(crate) fn make(state: &CStr, choices: &mut Choices) -> bool {
    let plan = given(|plan, error| unsafe { polyshade_plan_make(state.as_ptr(), plan, error) });
    assert_eq!(plan.is_null(), unsafe { polyshade_plan_json(plan) }.is_null());
    let mut info = zeros!(polyshade_plan_info);
    call(|error| unsafe { polyshade_plan_describe(plan, &raw mut info, error) });
    for index in 0..info.step_count + 1 {
        let mut step = zeros!(polyshade_step);
        call(|error| unsafe { polyshade_plan_step(plan, index, &raw mut step, error) });
        walk(&step, choices);
    }
    job(choices);
    unsafe { polyshade_plan_release(plan) };
    !plan.is_null()
}

fn walk(step: &polyshade_step, choices: &mut Choices) {
    // SAFETY: the pointers in a step are valid as long as its plan.
    let (words, keep) = unsafe { (step.params.as_ref(), step.counter_pass.as_ref()) };
    // Read every array of the step.
    if let Some(keep) = keep {
        counted(keep.begin_counters, keep.begin_count);
        counted(keep.end_counters, keep.end_count);
        counted(keep.queries, keep.query_count);
        counted(keep.strides, keep.stride_count);
    }
    // SAFETY: the pointers in a counter pass are also valid as long as the plan.
    let kept = keep.and_then(|keep| unsafe { keep.params.as_ref() });
    for words in words.into_iter().chain(kept) {
        counted(words.ranges, words.range_count);
        let all = counted(words.values, words.value_count);
        let values: Vec<u32> = all.iter().map(|_| choices.number()).collect();
        // Make a template for the parameters from arbitrary values.
        let template = filled(|buffer, count, error| unsafe {
            polyshade_counter_pass_template(
                words.values,
                values.as_ptr(),
                values.len(),
                buffer,
                count,
                error,
            )
        });
        assert_eq!(template.map(|words| words.len()), Some(2 * all.len()));
    }
}

/// Returns an array of a step as a slice.
fn counted<'a, T>(at: *const T, count: u32) -> &'a [T] {
    assert_eq!(at.is_null(), count == 0);
    match count {
        0 => &[],
        // SAFETY: the array has this many elements, and is valid as long as the plan.
        _ => unsafe { std::slice::from_raw_parts(at, count as usize) },
    }
}

fn job(choices: &mut Choices) {
    let mut job = zeros!(polyshade_job);
    (job.flags, job.topology) = (choices.below(80), choices.below(18));
    (job.arguments_kind, job.index_type) = (choices.below(5), choices.below(3));
    job.state = choices.number().into();
    let mut words = [0; POLYSHADE_JOB_WORDS as usize];
    call(|error| unsafe { polyshade_job_words(&raw const job, words.as_mut_ptr(), error) });
}
