//! The steps of a plan as structs.

use super::words::polyshade_param_values;
use crate::border::versioned;

/// A pass begins: `pass`.
pub const POLYSHADE_STEP_BEGIN_PASS: u32 = 1;
/// The pass ends, whose attachments `pass` says; they are stored where a later pass loads them.
pub const POLYSHADE_STEP_END_PASS: u32 = 2;
/// `barriers`, all in one command.
pub const POLYSHADE_STEP_BARRIERS: u32 = 3;
/// The device begins to count: `query`.
pub const POLYSHADE_STEP_BEGIN_QUERY: u32 = 4;
/// The device ends counting: `query`.
pub const POLYSHADE_STEP_END_QUERY: u32 = 5;
/// The host adds what it computes for the draw to the result of `query`.
pub const POLYSHADE_STEP_COUNT: u32 = 6;
/// `pipeline` is bound.
pub const POLYSHADE_STEP_BIND_PIPELINE: u32 = 7;
/// A feedback buffer is bound as a storage buffer: `storage`.
pub const POLYSHADE_STEP_BIND_STORAGE: u32 = 8;
/// The index buffer is bound as a storage buffer at the set and binding of `storage`, from a multiple of the device's
/// alignment on: the host parameter `index_offset` is the distance from there to index 0.
pub const POLYSHADE_STEP_BIND_INDICES: u32 = 9;
/// The table that `polyshade_segments_find` makes is bound as a storage buffer, at the set and binding of `storage`.
pub const POLYSHADE_STEP_BIND_SEGMENTS: u32 = 10;
/// `ranges` are bound as feedback buffers from number 0 on.
pub const POLYSHADE_STEP_BIND_FEEDBACK: u32 = 11;
/// The host fills in `words`.
pub const POLYSHADE_STEP_FILL_IN: u32 = 12;
/// Capture begins with `counters`: `vkCmdBeginTransformFeedbackEXT`, from counter buffer 0 on.
pub const POLYSHADE_STEP_BEGIN_FEEDBACK: u32 = 13;
/// Capture ends, and `counters` are saved: `vkCmdEndTransformFeedbackEXT`.
pub const POLYSHADE_STEP_END_FEEDBACK: u32 = 14;
/// The draw: `draw`.
pub const POLYSHADE_STEP_DRAW: u32 = 15;
/// The host advances its counters (`polyshade_layout_advance`) and saves them to `counters`.
pub const POLYSHADE_STEP_ADVANCE: u32 = 16;
/// The host's counters are written to the application's buffers, at `counters`.
pub const POLYSHADE_STEP_WRITE_COUNTERS: u32 = 17;
/// `POLYSHADE_COUNTER_PASS_SEGMENTS` is dispatched.
pub const POLYSHADE_STEP_FIND_SEGMENTS: u32 = 18;
/// `POLYSHADE_COUNTER_PASS_COUNT` is dispatched, for a job of `counter_pass`.
pub const POLYSHADE_STEP_COUNTER_PASS: u32 = 19;
/// The compute stage that captures is bound, outside of passes; where the API has passes of dispatches, in one.
pub const POLYSHADE_STEP_BIND_COMPUTE: u32 = 20;
/// A dispatch captures, of the work groups that `polyshade_layout_work_groups` says of the draw, whose vertices are
/// those of `draw`, or of those that the counter pass has written; then the pass of dispatches ends, where there are
/// such.
pub const POLYSHADE_STEP_DISPATCH: u32 = 21;
/// The buffer for outputs is bound as a storage buffer, at `storage.set` and `storage.binding`: memory
/// of the host's, of `polyshade_layout_outputs_size` bytes, the same one wherever the plan binds it.
pub const POLYSHADE_STEP_BIND_OUTPUTS: u32 = 22;
/// The next steps are recorded before the application's pass, which cannot end, after the steps of earlier draws
/// there.
pub const POLYSHADE_STEP_RECORD_BEFORE_PASS: u32 = 23;
/// The next steps are recorded in the pass, where a plan begins.
pub const POLYSHADE_STEP_RECORD_IN_PASS: u32 = 24;
/// The next steps are recorded after the pass.
pub const POLYSHADE_STEP_RECORD_AFTER_PASS: u32 = 25;

/// The application's.
pub const POLYSHADE_ATTACHMENTS_APPLICATION: u32 = 0;
pub const POLYSHADE_ATTACHMENTS_NONE: u32 = 1;
/// One colour attachment of one pixel, to which nothing is drawn.
pub const POLYSHADE_ATTACHMENTS_DUMMY: u32 = 2;

/// As the application asks for it.
pub const POLYSHADE_CONTENTS_AS_ASKED: u32 = 0;
/// Loaded: a pass that was ended goes on.
pub const POLYSHADE_CONTENTS_LOAD: u32 = 1;
pub const POLYSHADE_CONTENTS_DONT_CARE: u32 = 2;

/// `vkCmdBeginRenderPass`
pub const POLYSHADE_SCOPE_RENDER_PASS: u32 = 0;
/// `vkCmdBeginRendering`
pub const POLYSHADE_SCOPE_RENDERING: u32 = 1;
/// A render command encoder of Metal.
pub const POLYSHADE_SCOPE_ENCODER: u32 = 2;
/// A render pass encoder of WebGPU.
pub const POLYSHADE_SCOPE_PASS_ENCODER: u32 = 3;

/// A pass. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_pass {
    /// `POLYSHADE_ATTACHMENTS_…`
    pub attachments: u32,
    /// `POLYSHADE_CONTENTS_…`: how the contents of attachments begin.
    pub contents: u32,
    /// `POLYSHADE_SCOPE_…`: what begins it.
    pub scope: u32,
}

/// Primitives written and needed by the capture of a stream.
pub const POLYSHADE_QUERY_STREAM: u32 = 1;
/// Primitives emitted to a stream, captured or not.
pub const POLYSHADE_QUERY_PRIMITIVES_GENERATED: u32 = 2;

/// A query. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_query {
    /// `POLYSHADE_QUERY_…`
    pub kind: u32,
    /// The vertex stream.
    pub stream: u32,
}

/// The shader as it is.
pub const POLYSHADE_BOUND_ORIGINAL: u32 = 0;
/// The variants that store: the numbers of `POLYSHADE_VARIANT_…`.
pub const POLYSHADE_BOUND_CAPTURE_ONLY: u32 = 1;
pub const POLYSHADE_BOUND_RASTER_ONLY: u32 = 2;
pub const POLYSHADE_BOUND_BOTH: u32 = 4;
/// The variant that only captures, and stores all outputs.
pub const POLYSHADE_BOUND_SPILL_OUTPUTS: u32 = 16;
/// The variant that reads back the outputs that the one before stored.
pub const POLYSHADE_BOUND_RELOAD_OUTPUTS: u32 = 32;
/// The variant that is decorated for `VK_EXT_transform_feedback`.
pub const POLYSHADE_BOUND_EXTENSION: u32 = 8;

/// Of the topology that the draw has.
pub const POLYSHADE_ASSEMBLY_AS_DRAWN: u32 = 0;
/// As points, whatever is captured.
pub const POLYSHADE_ASSEMBLY_POINTS: u32 = 1;
/// Of another topology that the API has, by indices that the host makes.
pub const POLYSHADE_ASSEMBLY_REWRITTEN: u32 = 2;

/// A pipeline. With the modules and the rest of the application's state it is all that a pipeline is made of. It never
/// grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_pipeline {
    /// `POLYSHADE_BOUND_…`: the variant of the last stage before rasterization.
    pub variant: u32,
    /// Whether its position is moved out of the clip volume.
    pub is_moved_away: u32,
    /// The specialization constant that is set to 1 for that; `POLYSHADE_NONE` where the variant always does it.
    pub discard_constant: u32,
    pub rasterizes: u32,
    /// `POLYSHADE_ASSEMBLY_…`
    pub assembly: u32,
    /// `POLYSHADE_TOPOLOGY_…`
    pub topology: u32,
    /// `POLYSHADE_PROVOKING_…`
    pub provoking_vertex: u32,
    /// `POLYSHADE_ATTACHMENTS_…`: those of the pass, whose formats it is made for.
    pub attachments: u32,
}

/// A range that is bound as a storage buffer. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_storage_range {
    pub set: u32,
    pub binding: u32,
    /// The number of the feedback buffer.
    pub buffer: u32,
    /// 0
    pub reserved: u32,
    /// A multiple of the device's alignment: the host parameter `offset` is the distance from there to the feedback
    /// range.
    pub offset: u64,
    /// The bytes that are bound.
    pub length: u64,
}

/// A range that is bound as a feedback buffer. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_feedback_range {
    pub offset: u64,
    pub length: u64,
    /// Whether something is bound.
    pub is_bound: u32,
    /// 0
    pub reserved: u32,
}

/// A counter in memory. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_counter {
    /// The number that the host has given to the buffer that holds it; `POLYSHADE_NONE` where there is no counter.
    pub buffer: u32,
    /// 0
    pub reserved: u32,
    /// Bytes into the buffer.
    pub offset: u64,
}

/// A counter that says how many vertices are drawn: what it exceeds `offset` by, divided by `stride` and rounded down.
/// It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_counted_by {
    pub counter: polyshade_counter,
    pub offset: u32,
    pub stride: u32,
}

/// The draw's vertices and instances.
pub const POLYSHADE_CALL_VERTICES: u32 = 0;
/// As the application asks for it, with its indices, its arguments, or both.
pub const POLYSHADE_CALL_INDEXED: u32 = 1;
pub const POLYSHADE_CALL_INDIRECT: u32 = 2;
pub const POLYSHADE_CALL_INDEXED_INDIRECT: u32 = 3;
/// As many points as the draw has indices, from `firstIndex` on, without the index buffer.
pub const POLYSHADE_CALL_OVER_INDICES: u32 = 4;
/// With the `VkDrawIndirectCommand`s that the counter pass has written, or with its `VkDispatchIndirectCommand`s where
/// a dispatch captures, one for each draw of a multi-draw, whose words are bound before.
pub const POLYSHADE_CALL_FROM_COUNTER_PASS: u32 = 5;
/// With indices of the host's, which put the primitives together.
pub const POLYSHADE_CALL_REWRITTEN: u32 = 6;
/// `vkCmdDrawIndirectByteCountEXT`
pub const POLYSHADE_CALL_BYTE_COUNT: u32 = 7;
/// The draw's instances, and as many vertices as the host computes.
pub const POLYSHADE_CALL_COUNTED_BY_HOST: u32 = 8;

/// A draw command. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_draw_call {
    /// `POLYSHADE_CALL_…`
    pub kind: u32,
    /// Whether `counted_by` says how many vertices there are.
    pub is_counted: u32,
    pub counted_by: polyshade_counted_by,
}

/// What feedback buffers hold.
pub const POLYSHADE_RESOURCE_CAPTURED: u32 = 1;
/// The counters of all feedback buffers.
pub const POLYSHADE_RESOURCE_COUNTERS: u32 = 2;
/// The counter that a draw takes its number of vertices from.
pub const POLYSHADE_RESOURCE_COUNT: u32 = 3;
/// The attachments of the pass that was ended.
pub const POLYSHADE_RESOURCE_ATTACHMENTS: u32 = 4;
/// Arguments, indices and attributes of a draw.
pub const POLYSHADE_RESOURCE_INPUTS: u32 = 5;
/// The memory of the counter pass.
pub const POLYSHADE_RESOURCE_DEVICE_COUNTERS: u32 = 6;
/// The outputs of vertices, where one pass stores them and the next reads them.
pub const POLYSHADE_RESOURCE_OUTPUTS: u32 = 7;

/// A barrier. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_barrier {
    /// `POLYSHADE_RESOURCE_…`
    pub resource: u32,
    /// `VkPipelineStageFlags`, as `to_stages` is.
    pub from_stages: u32,
    /// `VkAccessFlags`, as `to_accesses` is.
    pub from_accesses: u32,
    pub to_stages: u32,
    pub to_accesses: u32,
}

/// A dispatch of the counter pass for a draw. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_counter_pass {
    /// Whether capture begins, with `begin_counters`.
    pub begins: u32,
    /// Whether capture ends, and `end_counters` are saved.
    pub ends: u32,
    /// Whether `counted_by` says how many vertices there are.
    pub is_counted: u32,
    pub begin_count: u32,
    pub end_count: u32,
    /// How many `strides` there are.
    pub stride_count: u32,
    pub query_count: u32,
    /// 0
    pub reserved: u32,
    pub counted_by: polyshade_counted_by,
    pub begin_counters: *const polyshade_counter,
    pub end_counters: *const polyshade_counter,
    /// What the variants read; NULL where nothing is captured.
    pub words: *const polyshade_param_values,
    /// The bytes of a vertex in each feedback buffer; 0 where nothing is captured or bound.
    pub strides: *const u32,
    /// What counts the draw.
    pub queries: *const polyshade_query,
}

/// A step. What its kind does not name is 0, none or NULL. What pointers lead to lives as long as the plan.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_step {
    /// `sizeof(polyshade_step)`
    pub size: u32,
    /// `POLYSHADE_STEP_…`
    pub kind: u32,
    pub pass: polyshade_pass,
    /// How many `barriers`, `ranges` or `counters` there are.
    pub count: u32,
    pub query: polyshade_query,
    pub pipeline: polyshade_pipeline,
    pub storage: polyshade_storage_range,
    pub draw: polyshade_draw_call,
    pub barriers: *const polyshade_barrier,
    pub ranges: *const polyshade_feedback_range,
    /// By the numbers of the feedback buffers.
    pub counters: *const polyshade_counter,
    pub words: *const polyshade_param_values,
    pub counter_pass: *const polyshade_counter_pass,
}

versioned!(polyshade_step, 128 + 5 * size_of::<usize>());
