//! The steps of a plan as C structs, with the lists that their pointers point to.

use super::step::*;
use super::words::Words;
use crate::draw::{planned_topology, provoking_vertex};
use crate::failure::POLYSHADE_NONE;
use crate::ffi::{self, first};
use polyshade_planner::{
    Assembly, Attachments, Barrier, Bind, Contents, CountedBy, Counter, CounterPass, Counters,
    DrawCall, FeedbackRange, Pass, PassScope, Position, Query, Rasterization, Resource, Step,
    StorageRange, Topology, Variant,
};
use std::ptr::null;

/// A step with the lists that its pointers point to.
pub(super) struct OwnedStep {
    pub(super) step: polyshade_step,
    /// The lists that the pointers of `step` point to.
    _lists: Lists,
}

// SAFETY: the pointers are NULL or point to the step's own lists, which never change.
unsafe impl Send for OwnedStep {}
// SAFETY: the same.
unsafe impl Sync for OwnedStep {}

#[derive(Default)]
struct Lists {
    barriers: Vec<polyshade_barrier>,
    ranges: Vec<polyshade_feedback_range>,
    counters: Vec<polyshade_counter>,
    words: Option<Words>,
    counter_pass: Option<Box<CounterPassLists>>,
}

struct CounterPassLists {
    counter_pass: polyshade_counter_pass,
    /// The lists that the pointers of `counter_pass` point to.
    _counters: [Vec<polyshade_counter>; 2],
    _queries: Vec<polyshade_query>,
    _words: Option<Words>,
    _strides: Vec<u32>,
}

impl OwnedStep {
    pub(super) fn new(of: &Step) -> Self {
        let (mut step, mut lists) =
            (polyshade_step { kind: kind(of), ..empty() }, Lists::default());
        // First the members and lists of the kind: pointers to the lists are taken when they are complete.
        match of {
            Step::BeginPass(begun) => step.pass = pass(begun),
            Step::EndPass(ended) => step.pass.attachments = attachments(*ended),
            Step::Barriers(all) => lists.barriers = all.iter().map(barrier).collect(),
            Step::BeginQuery(one) | Step::EndQuery(one) | Step::Count(one) => {
                step.query = query(one);
            }
            Step::BindPipeline(bound) => step.pipeline = pipeline(bound),
            Step::BindStorage(range) => step.storage = storage(range),
            Step::BindIndices(set, binding)
            | Step::BindSegments(set, binding)
            | Step::BindOutputs(set, binding) => {
                (step.storage.set, step.storage.binding) = (set.0, binding.0);
            }
            Step::BindFeedback(ranges) => {
                lists.ranges = ranges.iter().map(feedback_range).collect();
            }
            Step::FillIn(words) => lists.words = Some(Words::new(words)),
            Step::BeginFeedback(all) | Step::EndFeedback(all) => lists.counters = counters(all),
            Step::Draw(call) | Step::Dispatch(call) => step.draw = draw_call(call),
            Step::Advance(saved) => {
                lists.counters = saved.iter().map(|one| counter(one.as_ref())).collect();
            }
            Step::WriteCounters(written) => {
                lists.counters = written.iter().map(|one| counter(Some(one))).collect();
            }
            Step::BindCompute(variant) => step.pipeline.variant = bound(*variant),
            Step::FindSegments => {}
            Step::CounterPass(counter_pass) => {
                lists.counter_pass = Some(CounterPassLists::new(counter_pass))
            }
        }
        step.barriers = first(&lists.barriers);
        step.ranges = first(&lists.ranges);
        step.counters = first(&lists.counters);
        step.count = (lists.barriers.len() + lists.ranges.len() + lists.counters.len()) as u32;
        step.params = lists.words.as_ref().map_or(null(), Words::as_ptr);
        step.counter_pass =
            lists.counter_pass.as_ref().map_or(null(), |lists| &raw const lists.counter_pass);
        Self { step, _lists: lists }
    }
}

fn kind(of: &Step) -> u32 {
    match of {
        Step::BeginPass(_) => POLYSHADE_STEP_BEGIN_PASS,
        Step::EndPass(_) => POLYSHADE_STEP_END_PASS,
        Step::Barriers(_) => POLYSHADE_STEP_BARRIERS,
        Step::BeginQuery(_) => POLYSHADE_STEP_BEGIN_QUERY,
        Step::EndQuery(_) => POLYSHADE_STEP_END_QUERY,
        Step::Count(_) => POLYSHADE_STEP_COUNT,
        Step::BindPipeline(_) => POLYSHADE_STEP_BIND_PIPELINE,
        Step::BindStorage(_) => POLYSHADE_STEP_BIND_STORAGE,
        Step::BindIndices(..) => POLYSHADE_STEP_BIND_INDICES,
        Step::BindSegments(..) => POLYSHADE_STEP_BIND_SEGMENTS,
        Step::BindFeedback(_) => POLYSHADE_STEP_BIND_FEEDBACK,
        Step::FillIn(_) => POLYSHADE_STEP_FILL_IN,
        Step::BeginFeedback(_) => POLYSHADE_STEP_BEGIN_FEEDBACK,
        Step::EndFeedback(_) => POLYSHADE_STEP_END_FEEDBACK,
        Step::Draw(_) => POLYSHADE_STEP_DRAW,
        Step::Advance(_) => POLYSHADE_STEP_ADVANCE,
        Step::WriteCounters(_) => POLYSHADE_STEP_WRITE_COUNTERS,
        Step::FindSegments => POLYSHADE_STEP_FIND_SEGMENTS,
        Step::CounterPass(_) => POLYSHADE_STEP_COUNTER_PASS,
        Step::BindCompute(_) => POLYSHADE_STEP_BIND_COMPUTE,
        Step::Dispatch(_) => POLYSHADE_STEP_DISPATCH,
        Step::BindOutputs(..) => POLYSHADE_STEP_BIND_OUTPUTS,
    }
}

impl CounterPassLists {
    fn new(of: &CounterPass) -> Box<Self> {
        let all = |of: &Option<Counters>| of.as_ref().map(counters).unwrap_or_default();
        let (begin, end) = (all(&of.begin), all(&of.end));
        let queries: Vec<_> = of.queries.iter().map(query).collect();
        let (words, strides) = (of.params.as_ref().map(Words::new), of.strides.clone());
        let counter_pass = polyshade_counter_pass {
            begins: of.begin.is_some().into(),
            ends: of.end.is_some().into(),
            is_counted: of.count.is_some().into(),
            begin_count: begin.len() as u32,
            end_count: end.len() as u32,
            stride_count: strides.len() as u32,
            query_count: queries.len() as u32,
            reserved: 0,
            counted_by: counted_by(of.count.as_ref()),
            begin_counters: first(&begin),
            end_counters: first(&end),
            params: words.as_ref().map_or(null(), Words::as_ptr),
            strides: first(&strides),
            queries: first(&queries),
        };
        Box::new(Self {
            counter_pass,
            _counters: [begin, end],
            _queries: queries,
            _words: words,
            _strides: strides,
        })
    }
}

/// Returns a step without a kind.
fn empty() -> polyshade_step {
    let mut step: polyshade_step = ffi::zeroed();
    step.pipeline.discard_constant = POLYSHADE_NONE;
    step.draw.counted_by = counted_by(None);
    step
}

fn attachments(of: Attachments) -> u32 {
    match of {
        Attachments::Application => POLYSHADE_ATTACHMENTS_APPLICATION,
        Attachments::None => POLYSHADE_ATTACHMENTS_NONE,
        Attachments::Dummy => POLYSHADE_ATTACHMENTS_DUMMY,
    }
}

fn pass(of: &Pass) -> polyshade_pass {
    polyshade_pass {
        attachments: attachments(of.attachments),
        contents: match of.contents {
            Contents::AsAsked => POLYSHADE_CONTENTS_AS_ASKED,
            Contents::Load => POLYSHADE_CONTENTS_LOAD,
            Contents::DontCare => POLYSHADE_CONTENTS_DONT_CARE,
        },
        scope: match of.scope {
            PassScope::RenderPass => POLYSHADE_SCOPE_RENDER_PASS,
            PassScope::Rendering => POLYSHADE_SCOPE_RENDERING,
            PassScope::Encoder => POLYSHADE_SCOPE_ENCODER,
            PassScope::PassEncoder => POLYSHADE_SCOPE_PASS_ENCODER,
        },
    }
}

fn query(of: &Query) -> polyshade_query {
    let (kind, stream) = match *of {
        Query::Stream(stream) => (POLYSHADE_QUERY_STREAM, stream),
        Query::PrimitivesGenerated(stream) => (POLYSHADE_QUERY_PRIMITIVES_GENERATED, stream),
    };
    polyshade_query { kind, stream }
}

fn pipeline(of: &Bind) -> polyshade_pipeline {
    let (assembly, topology) = match of.assembly {
        Assembly::AsDrawn(topology) => (POLYSHADE_ASSEMBLY_AS_DRAWN, topology),
        Assembly::Points => (POLYSHADE_ASSEMBLY_POINTS, Topology::PointList),
        Assembly::Rewritten(topology) => (POLYSHADE_ASSEMBLY_REWRITTEN, topology),
    };
    let constant = match of.position {
        Position::Unchanged => None,
        Position::MovedAway { constant } => constant,
    };
    polyshade_pipeline {
        variant: bound(of.variant),
        is_moved_away: (of.position != Position::Unchanged).into(),
        discard_constant: constant.unwrap_or(POLYSHADE_NONE),
        rasterizes: (of.rasterization == Rasterization::On).into(),
        assembly,
        topology: planned_topology(topology),
        provoking_vertex: provoking_vertex(of.provoking_vertex),
        attachments: attachments(of.attachments),
    }
}

fn bound(variant: Variant) -> u32 {
    match variant {
        Variant::Original => POLYSHADE_BOUND_ORIGINAL,
        Variant::Extension => POLYSHADE_BOUND_EXTENSION,
        Variant::CaptureOnly => POLYSHADE_BOUND_CAPTURE_ONLY,
        Variant::RasterOnly => POLYSHADE_BOUND_RASTER_ONLY,
        Variant::Both => POLYSHADE_BOUND_BOTH,
        Variant::SpillOutputs => POLYSHADE_BOUND_SPILL_OUTPUTS,
        Variant::ReloadOutputs => POLYSHADE_BOUND_RELOAD_OUTPUTS,
    }
}

fn storage(of: &StorageRange) -> polyshade_storage_range {
    polyshade_storage_range {
        set: of.set.0,
        binding: of.binding.0,
        buffer: of.buffer,
        reserved: 0,
        offset: of.offset,
        length: of.size,
    }
}

fn feedback_range(of: &Option<FeedbackRange>) -> polyshade_feedback_range {
    let FeedbackRange { offset, size } = of.unwrap_or(FeedbackRange { offset: 0, size: 0 });
    polyshade_feedback_range { offset, length: size, is_bound: of.is_some().into(), reserved: 0 }
}

fn counter(of: Option<&Counter>) -> polyshade_counter {
    let Counter { buffer, offset } = *of.unwrap_or(&Counter { buffer: POLYSHADE_NONE, offset: 0 });
    polyshade_counter { buffer, reserved: 0, offset }
}

fn counters(of: &Counters) -> Vec<polyshade_counter> {
    of.counters.iter().map(|one| counter(one.as_ref())).collect()
}

fn counted_by(of: Option<&CountedBy>) -> polyshade_counted_by {
    polyshade_counted_by {
        counter: counter(of.map(|counted| &counted.counter)),
        offset: of.map_or(0, |counted| counted.offset),
        stride: of.map_or(0, |counted| counted.stride),
    }
}

fn draw_call(of: &DrawCall) -> polyshade_draw_call {
    let (kind, counted) = match of {
        DrawCall::Vertices => (POLYSHADE_CALL_VERTICES, None),
        DrawCall::Indexed => (POLYSHADE_CALL_INDEXED, None),
        DrawCall::Indirect => (POLYSHADE_CALL_INDIRECT, None),
        DrawCall::IndexedIndirect => (POLYSHADE_CALL_INDEXED_INDIRECT, None),
        DrawCall::OverIndices => (POLYSHADE_CALL_OVER_INDICES, None),
        DrawCall::FromCounterPass => (POLYSHADE_CALL_FROM_COUNTER_PASS, None),
        DrawCall::Rewritten(counted) => (POLYSHADE_CALL_REWRITTEN, counted.as_ref()),
        DrawCall::ByteCount(counted) => (POLYSHADE_CALL_BYTE_COUNT, Some(counted)),
        DrawCall::CountedByHost(counted) => (POLYSHADE_CALL_COUNTED_BY_HOST, Some(counted)),
    };
    let is_counted = counted.is_some().into();
    polyshade_draw_call { kind, is_counted, counted_by: counted_by(counted) }
}

fn barrier(of: &Barrier) -> polyshade_barrier {
    polyshade_barrier {
        resource: match of.resource {
            Resource::Captured => POLYSHADE_RESOURCE_CAPTURED,
            Resource::Counters => POLYSHADE_RESOURCE_COUNTERS,
            Resource::Count => POLYSHADE_RESOURCE_COUNT,
            Resource::Attachments => POLYSHADE_RESOURCE_ATTACHMENTS,
            Resource::Inputs => POLYSHADE_RESOURCE_INPUTS,
            Resource::DeviceCounters => POLYSHADE_RESOURCE_DEVICE_COUNTERS,
            Resource::Outputs => POLYSHADE_RESOURCE_OUTPUTS,
        },
        from_stages: of.from.stages.bits(),
        from_accesses: of.from.accesses.bits(),
        to_stages: of.to.stages.bits(),
        to_accesses: of.to.accesses.bits(),
    }
}
