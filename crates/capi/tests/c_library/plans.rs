//! Plans and the counter pass's jobs, compared with the Rust library.

use crate::calls::{check, zeros};
use polyshade_capi::counter_pass::*;
use polyshade_capi::draw::*;
use polyshade_capi::failure::*;
use polyshade_capi::plan::step::*;
use polyshade_capi::plan::words::*;
use polyshade_capi::plan::*;
use polyshade_planner::counter_pass::{
    self, Arguments, Draws, Job, List, Predicate, Segments, Shader,
};
use polyshade_planner::{ParamValue, Step};
use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

/// Returns the state with this name in examples/plans.
fn state(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/plans");
    std::fs::read_to_string(format!("{folder}/{name}.json")).expect("it is committed")
}

#[track_caller]
fn plan(state: &str) -> *mut polyshade_plan {
    let (state, mut plan) = (CString::new(state).expect("it has no zeros"), null_mut());
    check(|error| unsafe { polyshade_plan_make(state.as_ptr(), &raw mut plan, error) });
    plan
}

/// Returns an array of a step as a slice.
fn all<'a, T>(at: *const T, count: u32) -> &'a [T] {
    match count {
        0 => &[],
        // SAFETY: the array of a step has so many elements, and is valid as long as the plan.
        _ => unsafe { std::slice::from_raw_parts(at, count as usize) },
    }
}

fn name(word: &polyshade_param_value) -> String {
    // SAFETY: names end with a zero, and are valid as long as the plan.
    unsafe { CStr::from_ptr(word.name) }.to_str().expect("names are text").to_owned()
}

#[test]
fn plans_are_those_of_the_program() {
    let plan = plan(&state("resumed-strip"));
    // SAFETY: texts end with a zero, and are valid as long as the plan.
    let [json, text] = [unsafe { polyshade_plan_json(plan) }, unsafe { polyshade_plan_text(plan) }]
        .map(|text| unsafe { CStr::from_ptr(text) }.to_str().expect("it is text"));
    assert!(json.starts_with("{\"") && json.contains("\"plan\":"), "{json}");
    assert!(text.contains("draw"), "{text}");
    unsafe { polyshade_plan_release(plan) };
}

/// Compares every step of a plan: the struct and the planner's step.
#[test]
fn steps_are_those_of_the_planner() {
    for (name, path) in [
        ("resumed-strip", POLYSHADE_PATH_STORAGE),
        ("device-counters-indirect", POLYSHADE_PATH_STORAGE),
        ("dispatched-mesh", POLYSHADE_PATH_COMPUTE),
    ] {
        let state = state(name);
        let plan = plan(&state);
        let mut info = zeros!(polyshade_plan_info);
        check(|error| unsafe { polyshade_plan_describe(plan, &raw mut info, error) });
        let steps = planned(&state);
        assert_eq!((info.path, info.step_count as usize), (path, steps.len()));
        for (index, planned) in (0..).zip(&steps) {
            let mut step = zeros!(polyshade_step);
            check(|error| unsafe { polyshade_plan_step(plan, index, &raw mut step, error) });
            assert!(says(&step, planned), "{name}, {index}: {planned:?}");
        }
        unsafe { polyshade_plan_release(plan) };
    }
}

fn planned(state: &str) -> Vec<Step> {
    let value: serde_json::Value = serde_json::from_str(state).expect("it is JSON");
    let part = |key: &str| value.get(key).cloned().unwrap_or_default();
    let device = match part("device") {
        serde_json::Value::String(name) => {
            let mut presets = polyshade_planner::Preset::ALL.into_iter();
            presets.find(|preset| preset.name() == name).expect("it is a preset").into()
        }
        device => serde_json::from_value(device).expect("it is a device"),
    };
    let pipeline = serde_json::from_value(part("pipeline")).expect("it is a pipeline");
    let draw = serde_json::from_value(part("draw")).expect("it is a draw");
    polyshade_planner::plan(&device, &pipeline, &draw).expect("it can be planned").steps
}

fn says(step: &polyshade_step, planned: &Step) -> bool {
    let barriers = all(step.barriers, if step.barriers.is_null() { 0 } else { step.count });
    let counters = all(step.counters, if step.counters.is_null() { 0 } else { step.count });
    match (planned, step.kind) {
        (Step::BeginPass(_), POLYSHADE_STEP_BEGIN_PASS) => {
            step.pass.contents == POLYSHADE_CONTENTS_LOAD
                && step.pass.scope == POLYSHADE_SCOPE_RENDER_PASS
        }
        (Step::EndPass(_), POLYSHADE_STEP_END_PASS) => {
            step.pass.attachments == POLYSHADE_ATTACHMENTS_APPLICATION
        }
        (Step::Barriers(planned), POLYSHADE_STEP_BARRIERS) => {
            let masks = barriers
                .iter()
                .map(|one| [one.from_stages, one.from_accesses, one.to_stages, one.to_accesses]);
            masks.eq(planned.iter().map(|one| {
                let (from, to) = (one.from, one.to);
                [from.stages.bits(), from.accesses.bits(), to.stages.bits(), to.accesses.bits()]
            }))
        }
        (Step::BindPipeline(bound), POLYSHADE_STEP_BIND_PIPELINE) => {
            let variant = format!("{:?}", bound.variant);
            let variants = [(1, "CaptureOnly"), (2, "RasterOnly"), (4, "Both")];
            variants.contains(&(step.pipeline.variant, variant.as_str()))
                && (step.pipeline.rasterizes == 0) == (variant == "CaptureOnly")
                && step.pipeline.discard_constant == POLYSHADE_NONE
        }
        (Step::BindStorage(range), POLYSHADE_STEP_BIND_STORAGE) => {
            let at = (step.storage.set, step.storage.binding, step.storage.buffer);
            at == (range.set.0, range.binding.0, range.buffer)
                && (step.storage.offset, step.storage.length) == (range.offset, range.size)
        }
        (Step::FillIn(words), POLYSHADE_STEP_FILL_IN) => are_words(step.params, words),
        (Step::Draw(_), POLYSHADE_STEP_DRAW) => step.draw.is_counted == 0,
        (Step::BindIndices(set, binding), POLYSHADE_STEP_BIND_INDICES) => {
            (step.storage.set, step.storage.binding) == (set.0, binding.0)
        }
        (Step::BindCompute(_), POLYSHADE_STEP_BIND_COMPUTE) => true,
        (Step::Dispatch(_), POLYSHADE_STEP_DISPATCH) => {
            step.draw.kind == POLYSHADE_CALL_OVER_INDICES
        }
        (Step::Advance(saved), POLYSHADE_STEP_ADVANCE) => {
            let at = counters.iter().map(|one| Some((one.buffer, one.offset)));
            at.eq(saved.iter().map(|one| one.map(|one| (one.buffer, one.offset))))
        }
        (Step::FindSegments, POLYSHADE_STEP_FIND_SEGMENTS) => true,
        (Step::CounterPass(planned), POLYSHADE_STEP_COUNTER_PASS) => {
            // SAFETY: the struct is valid as long as the plan.
            let counter_pass = unsafe { &*step.counter_pass };
            let queries =
                all(counter_pass.queries, counter_pass.query_count).iter().map(|one| one.kind);
            let begun = all(counter_pass.begin_counters, counter_pass.begin_count)
                .iter()
                .map(|one| one.buffer);
            (counter_pass.begins, counter_pass.ends, counter_pass.is_counted) == (1, 1, 0)
                && all(counter_pass.strides, counter_pass.stride_count) == planned.strides
                && queries.eq([POLYSHADE_QUERY_STREAM])
                && begun.eq([7])
                && counter_pass.end_count == 1
                && are_words(counter_pass.params, planned.params.as_ref().expect("it captures"))
        }
        _ => false,
    }
}

fn are_words(at: *const polyshade_param_values, planned: &polyshade_planner::ParamValues) -> bool {
    // SAFETY: the parameters are valid as long as the plan.
    let words = unsafe { &*at };
    let ranges = all(words.ranges, words.range_count).iter();
    let ranges = ranges.map(|one| (one.offset, one.length, one.is_unbound == 1));
    let all = all(words.values, words.value_count);
    let constants = all.iter().zip(&planned.values).all(|(word, planned)| match planned {
        ParamValue::Constant(value) => {
            (word.kind, word.number) == (POLYSHADE_PARAM_CONSTANT, *value)
        }
        _ => word.kind != POLYSHADE_PARAM_CONSTANT,
    });
    constants
        && all.iter().map(name).eq(planned.names.iter().cloned())
        && ranges.eq(planned.ranges.iter().map(|one| (one.offset, one.size, one.unbound)))
}

/// Returns a job in which no two numbers are equal.
fn job(arguments_kind: u32) -> polyshade_job {
    let mut job = zeros!(polyshade_job);
    job.flags = POLYSHADE_JOB_BEGINS
        | POLYSHADE_JOB_ENDS
        | POLYSHADE_JOB_DRAWS
        | POLYSHADE_JOB_PREDICATED
        | POLYSHADE_JOB_INVERTED
        | POLYSHADE_JOB_RESTARTED;
    (job.state, job.query, job.arguments, job.count_place) = (1 << 40, 2 << 40, 3 << 40, 4 << 40);
    (job.begin, job.end) = ([11, 12, 13, 14], [15, 16, 17, 18]);
    (job.topology, job.arguments_kind) = (POLYSHADE_TOPOLOGY_LINE_LOOP, arguments_kind);
    (job.count, job.instance_count, job.first, job.vertex_offset) = (21, 22, 23, -24);
    (job.first_instance, job.draw_count, job.arguments_stride) = (25, 26, 27);
    (job.counter_offset, job.vertex_stride, job.param_count) = (28, 29, 30);
    (job.predicate, job.template, job.blocks, job.commands) = (5 << 40, 6 << 40, 7 << 40, 8 << 40);
    (job.range_sizes, job.strides, job.block_stride) = ([31, 32, 33, 34], [35, 36, 37, 38], 39);
    (job.indices, job.tables, job.index_size, job.table_size) = (9 << 40, 10 << 40, 41, 42);
    (job.index_type, job.groups) = (POLYSHADE_INDEX_TYPE_UINT16, 1 << 41);
    job
}

#[test]
fn jobs_are_those_of_the_planner() {
    let direct = Arguments::Direct {
        count: 21,
        instance_count: 22,
        first: 23,
        vertex_offset: -24,
        first_instance: 25,
    };
    let indirect =
        |indexed| Arguments::Indirect { place: 3 << 40, stride: 27, count: 4 << 40, indexed };
    let byte_count = Arguments::ByteCount {
        counter: 3 << 40,
        offset: 28,
        stride: 29,
        instance_count: 22,
        first_instance: 25,
    };
    let all = [
        (POLYSHADE_ARGUMENTS_DIRECT, direct),
        (POLYSHADE_ARGUMENTS_INDIRECT, indirect(false)),
        (POLYSHADE_ARGUMENTS_INDEXED_INDIRECT, indirect(true)),
        (POLYSHADE_ARGUMENTS_BYTE_COUNT, byte_count),
    ];
    for (kind, arguments) in all {
        let wanted = Job {
            state: 1 << 40,
            begin: Some([11, 12, 13, 14]),
            draws: Some(Draws {
                topology: polyshade::transform_feedback::Topology::LineLoop,
                arguments,
                count: 26,
                predicate: Some(Predicate { place: 5 << 40, inverted: true }),
                buffers: [(31, 35), (32, 36), (33, 37), (34, 38)],
                template: 6 << 40,
                param_count: 30,
                blocks: 7 << 40,
                block_stride: 39,
                commands: 8 << 40,
                groups: 1 << 41,
                segments: Some(Segments {
                    index_type: polyshade::transform_feedback::IndexType::Uint16,
                    indices: 9 << 40,
                    size: 41,
                    tables: 10 << 40,
                    table_size: 42,
                    pool: 0,
                    is_built: false,
                }),
                geometry: None,
            }),
            query: 2 << 40,
            end: Some([15, 16, 17, 18]),
        };
        let mut words = [0; POLYSHADE_JOB_WORDS as usize];
        check(|error| unsafe { polyshade_job_words(&job(kind), words.as_mut_ptr(), error) });
        assert_eq!(words, wanted.words());
    }
    // A job that only ends a capture has no draws.
    let mut ends = job(POLYSHADE_ARGUMENTS_DIRECT);
    ends.flags = POLYSHADE_JOB_ENDS;
    let mut words = [0; POLYSHADE_JOB_WORDS as usize];
    check(|error| unsafe { polyshade_job_words(&ends, words.as_mut_ptr(), error) });
    let end = Some(ends.end);
    let wanted = Job { state: ends.state, query: ends.query, end, ..Job::default() };
    assert_eq!(words, wanted.words());
}

#[test]
fn templates_lists_and_shaders_are_those_of_the_planner() {
    let word = |kind, number| polyshade_param_value { kind, number, offset: 8, name: null() };
    let kinds = [
        (POLYSHADE_PARAM_CONSTANT, 5, ParamValue::Constant(5)),
        (POLYSHADE_PARAM_VERTEX_COUNT, 0, ParamValue::VertexCount),
        (POLYSHADE_PARAM_DEVICE_COUNTER, 2, ParamValue::DeviceCounter(2)),
        (POLYSHADE_PARAM_DRAW_INDEX, 0, ParamValue::DrawIndex),
        (POLYSHADE_PARAM_ADDRESS_LOW, 1, ParamValue::AddressLow { buffer: 1, offset: 8 }),
        (POLYSHADE_PARAM_TABLE_SIZE, 0, ParamValue::TableSize),
    ];
    let words = kinds.map(|(kind, number, _)| word(kind, number));
    // The template ignores the values that the device computes: both 77.
    let (values, mut made, mut count) = ([5, 77, 77, 3, 90, 91], [0; 12], 12);
    let (at, values_at) = (words.as_ptr(), values.as_ptr());
    let to = (made.as_mut_ptr(), &raw mut count);
    check(|error| unsafe { polyshade_counter_pass_template(at, values_at, 6, to.0, to.1, error) });
    let planned = kinds.map(|(_, _, word)| word);
    let mut known = [5, 3, 90, 91].into_iter();
    let wanted = counter_pass::template(&planned, |_| known.next().expect("four are known"));
    assert_eq!((count, made.to_vec()), (12, wanted));

    let (list, mut words) = (polyshade_list { jobs: 7 << 40, count: 3, restarted: 2 }, [0; 10]);
    check(|error| unsafe { polyshade_list_words(&list, words.as_mut_ptr(), error) });
    assert_eq!(words, List { jobs: 7 << 40, count: 3, restarted: 2 }.words());

    let mut size = 0;
    let index_type = POLYSHADE_INDEX_TYPE_UINT16;
    check(|error| unsafe {
        polyshade_counter_pass_table_size(index_type, 18, &raw mut size, error)
    });
    assert_eq!(size, (9 + 2) * 8 + 8);

    // All shaders, and a number without one.
    let shaders = [
        (POLYSHADE_COUNTER_PASS_COUNT, Shader::Count.words()),
        (POLYSHADE_COUNTER_PASS_SEGMENTS, Shader::Segments.words()),
        (POLYSHADE_COUNTER_PASS_COUNT_BOUND, Shader::Count.bound_words()),
        (POLYSHADE_COUNTER_PASS_SEGMENTS_BOUND, Shader::Segments.bound_words()),
    ];
    for (number, shader) in shaders {
        let mut count = 0;
        let words = unsafe { polyshade_counter_pass_words(number, &raw mut count) };
        assert_eq!(all(words, count as u32), shader);
    }
    let mut count = 7;
    assert!(unsafe { polyshade_counter_pass_words(4, &raw mut count) }.is_null() && count == 0);
}
