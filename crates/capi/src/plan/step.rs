//! The steps of a plan as C structs.

use super::words::polyshade_param_values;
use crate::ffi::versioned;

/// Begins the pass `pass`.
pub const POLYSHADE_STEP_BEGIN_PASS: u32 = 1;
/// Ends the pass with the attachments `pass.attachments`. Contents that a later pass loads must be stored.
pub const POLYSHADE_STEP_END_PASS: u32 = 2;
/// Records `barriers` in one command.
pub const POLYSHADE_STEP_BARRIERS: u32 = 3;
/// Begins `query` on the device.
pub const POLYSHADE_STEP_BEGIN_QUERY: u32 = 4;
/// Ends `query` on the device.
pub const POLYSHADE_STEP_END_QUERY: u32 = 5;
/// The host adds the primitives that it counts for the draw (`polyshade_layout_primitives`) to the result of `query`.
pub const POLYSHADE_STEP_COUNT: u32 = 6;
/// Binds `pipeline`.
pub const POLYSHADE_STEP_BIND_PIPELINE: u32 = 7;
/// Binds a feedback buffer as the storage buffer `storage`.
pub const POLYSHADE_STEP_BIND_STORAGE: u32 = 8;
/// Binds the index buffer as a storage buffer at `storage.set` and `storage.binding`, at a multiple of the device's
/// alignment. The host parameter `index_offset` is the distance from the start of the binding to index 0.
pub const POLYSHADE_STEP_BIND_INDICES: u32 = 9;
/// Binds the table of `polyshade_segments_find` as a storage buffer at `storage.set` and `storage.binding`.
pub const POLYSHADE_STEP_BIND_SEGMENTS: u32 = 10;
/// Binds `ranges` as transform feedback buffers, from number 0 on.
pub const POLYSHADE_STEP_BIND_FEEDBACK: u32 = 11;
/// The host fills in the host parameters `words`.
pub const POLYSHADE_STEP_FILL_IN: u32 = 12;
/// Begins the capture with `counters`: `vkCmdBeginTransformFeedbackEXT` with `firstCounterBuffer` 0.
pub const POLYSHADE_STEP_BEGIN_FEEDBACK: u32 = 13;
/// Ends the capture and saves `counters`: `vkCmdEndTransformFeedbackEXT`.
pub const POLYSHADE_STEP_END_FEEDBACK: u32 = 14;
/// Records the draw command `draw`.
pub const POLYSHADE_STEP_DRAW: u32 = 15;
/// The host advances its counters (`polyshade_layout_advance`) and saves them as `counters`.
pub const POLYSHADE_STEP_ADVANCE: u32 = 16;
/// Writes the host's counters to the application's buffers at `counters`.
pub const POLYSHADE_STEP_WRITE_COUNTERS: u32 = 17;
/// Dispatches `POLYSHADE_COUNTER_PASS_SEGMENTS`.
pub const POLYSHADE_STEP_FIND_SEGMENTS: u32 = 18;
/// Dispatches `POLYSHADE_COUNTER_PASS_COUNT` for a job of `counter_pass`.
pub const POLYSHADE_STEP_COUNTER_PASS: u32 = 19;
/// Binds the compute pipeline of the capture, outside render passes. An API that has compute passes begins one here.
pub const POLYSHADE_STEP_BIND_COMPUTE: u32 = 20;
/// Dispatches the capture with the work groups of `polyshade_layout_work_groups`, for the vertices of `draw`, or with
/// the arguments that the counter pass has written. An API that has compute passes ends the pass afterwards.
pub const POLYSHADE_STEP_DISPATCH: u32 = 21;
/// Binds the buffer of spilled outputs as a storage buffer at `storage.set` and `storage.binding`. The host provides
/// `polyshade_layout_outputs_size` bytes, and the same buffer wherever the plan binds it.
pub const POLYSHADE_STEP_BIND_OUTPUTS: u32 = 22;

/// The application's attachments.
pub const POLYSHADE_ATTACHMENTS_APPLICATION: u32 = 0;
pub const POLYSHADE_ATTACHMENTS_NONE: u32 = 1;
/// One color attachment of one pixel, to which nothing is drawn.
pub const POLYSHADE_ATTACHMENTS_DUMMY: u32 = 2;

/// The application's load operations.
pub const POLYSHADE_CONTENTS_AS_ASKED: u32 = 0;
/// Load operations: the pass resumes.
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

/// A render pass or rendering scope. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_pass {
    /// `POLYSHADE_ATTACHMENTS_…`
    pub attachments: u32,
    /// `POLYSHADE_CONTENTS_…`: the contents of the attachments when the pass begins.
    pub contents: u32,
    /// `POLYSHADE_SCOPE_…`: the command that begins the pass.
    pub scope: u32,
}

/// The primitives written and needed by the capture of a stream.
pub const POLYSHADE_QUERY_STREAM: u32 = 1;
/// The primitives emitted to a stream, captured or not.
pub const POLYSHADE_QUERY_PRIMITIVES_GENERATED: u32 = 2;

/// A query. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_query {
    /// `POLYSHADE_QUERY_…`
    pub kind: u32,
    /// The vertex stream.
    pub stream: u32,
}

/// The unchanged shader.
pub const POLYSHADE_BOUND_ORIGINAL: u32 = 0;
/// The variants of a capture into storage buffers, with the values of `POLYSHADE_VARIANT_…`.
pub const POLYSHADE_BOUND_CAPTURE_ONLY: u32 = 1;
pub const POLYSHADE_BOUND_RASTER_ONLY: u32 = 2;
pub const POLYSHADE_BOUND_BOTH: u32 = 4;
/// The variant that captures, stores all outputs in a buffer, and has no stage outputs.
pub const POLYSHADE_BOUND_SPILL_OUTPUTS: u32 = 16;
/// The variant that reads the outputs that `POLYSHADE_BOUND_SPILL_OUTPUTS` has stored.
pub const POLYSHADE_BOUND_RELOAD_OUTPUTS: u32 = 32;
/// The variant with the decorations of `VK_EXT_transform_feedback`.
pub const POLYSHADE_BOUND_EXTENSION: u32 = 8;

/// The topology of the draw.
pub const POLYSHADE_ASSEMBLY_AS_DRAWN: u32 = 0;
/// A point list, whatever the topology of the draw is.
pub const POLYSHADE_ASSEMBLY_POINTS: u32 = 1;
/// Another topology that the API supports, with indices that the host makes.
pub const POLYSHADE_ASSEMBLY_REWRITTEN: u32 = 2;

/// A pipeline: the key of a pipeline object, with the modules and the application's other state. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_pipeline {
    /// `POLYSHADE_BOUND_…`: the variant of the last stage before rasterization.
    pub variant: u32,
    /// Whether the variant moves the position out of the clip volume.
    pub is_moved_away: u32,
    /// The `SpecId` to set to 1 to move the position; `POLYSHADE_NONE` if the variant always moves it.
    pub discard_constant: u32,
    pub rasterizes: u32,
    /// `POLYSHADE_ASSEMBLY_…`
    pub assembly: u32,
    /// `POLYSHADE_TOPOLOGY_…`
    pub topology: u32,
    /// `POLYSHADE_PROVOKING_…`
    pub provoking_vertex: u32,
    /// `POLYSHADE_ATTACHMENTS_…`: the attachments of the pass, whose formats the pipeline is made for.
    pub attachments: u32,
}

/// A range of a feedback buffer, bound as a storage buffer. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_storage_range {
    pub set: u32,
    pub binding: u32,
    /// The number of the feedback buffer.
    pub buffer: u32,
    /// 0
    pub reserved: u32,
    /// The offset of the binding, a multiple of the device's alignment. The host parameter `offset` is the distance
    /// from there to the feedback range.
    pub offset: u64,
    /// The size of the binding, in bytes.
    pub length: u64,
}

/// A range bound as a transform feedback buffer, in bytes. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_feedback_range {
    pub offset: u64,
    pub length: u64,
    /// Whether a buffer is bound.
    pub is_bound: u32,
    /// 0
    pub reserved: u32,
}

/// A counter in a buffer. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_counter {
    /// The number that the host has given to the buffer; `POLYSHADE_NONE` if there is no counter.
    pub buffer: u32,
    /// 0
    pub reserved: u32,
    /// The offset in the buffer, in bytes.
    pub offset: u64,
}

/// The counter that gives a draw its vertex count: (counter - `offset`) / `stride`, rounded down. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_counted_by {
    pub counter: polyshade_counter,
    pub offset: u32,
    pub stride: u32,
}

/// The draw's vertices and instances.
pub const POLYSHADE_CALL_VERTICES: u32 = 0;
/// The application's draw command, with its indices, its indirect arguments, or both.
pub const POLYSHADE_CALL_INDEXED: u32 = 1;
pub const POLYSHADE_CALL_INDIRECT: u32 = 2;
pub const POLYSHADE_CALL_INDEXED_INDIRECT: u32 = 3;
/// One vertex for each index of the draw, from `firstIndex` on, without the index buffer.
pub const POLYSHADE_CALL_OVER_INDICES: u32 = 4;
/// The arguments that the counter pass has written: for each draw of a multi-draw one `VkDrawIndirectCommand`, or one
/// `VkDispatchIndirectCommand` if a dispatch captures. The host binds the parameters of each draw before it.
pub const POLYSHADE_CALL_FROM_COUNTER_PASS: u32 = 5;
/// Indices of the host, which assemble the primitives.
pub const POLYSHADE_CALL_REWRITTEN: u32 = 6;
/// `vkCmdDrawIndirectByteCountEXT`
pub const POLYSHADE_CALL_BYTE_COUNT: u32 = 7;
/// The draw's instances, with the vertex count that the host computes from `counted_by`.
pub const POLYSHADE_CALL_COUNTED_BY_HOST: u32 = 8;

/// A draw command. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_draw_call {
    /// `POLYSHADE_CALL_…`
    pub kind: u32,
    /// Whether `counted_by` gives the vertex count.
    pub is_counted: u32,
    pub counted_by: polyshade_counted_by,
}

/// The contents of feedback buffers.
pub const POLYSHADE_RESOURCE_CAPTURED: u32 = 1;
/// The counters of all feedback buffers.
pub const POLYSHADE_RESOURCE_COUNTERS: u32 = 2;
/// The counter from which a draw takes its vertex count.
pub const POLYSHADE_RESOURCE_COUNT: u32 = 3;
/// The attachments of the pass that was ended.
pub const POLYSHADE_RESOURCE_ATTACHMENTS: u32 = 4;
/// The indirect arguments, indices and attributes of a draw.
pub const POLYSHADE_RESOURCE_INPUTS: u32 = 5;
/// The memory of the counter pass.
pub const POLYSHADE_RESOURCE_DEVICE_COUNTERS: u32 = 6;
/// The spilled outputs, which one pass stores and the next pass reads.
pub const POLYSHADE_RESOURCE_OUTPUTS: u32 = 7;

/// A barrier. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_barrier {
    /// `POLYSHADE_RESOURCE_…`
    pub resource: u32,
    /// `VkPipelineStageFlags`, like `to_stages`.
    pub from_stages: u32,
    /// `VkAccessFlags`, like `to_accesses`.
    pub from_accesses: u32,
    pub to_stages: u32,
    pub to_accesses: u32,
}

/// A dispatch of the counter pass for a draw. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_counter_pass {
    /// Whether the capture begins, with `begin_counters`.
    pub begins: u32,
    /// Whether the capture ends and saves `end_counters`.
    pub ends: u32,
    /// Whether `counted_by` gives the vertex count.
    pub is_counted: u32,
    pub begin_count: u32,
    pub end_count: u32,
    /// The number of `strides`.
    pub stride_count: u32,
    pub query_count: u32,
    /// 0
    pub reserved: u32,
    pub counted_by: polyshade_counted_by,
    pub begin_counters: *const polyshade_counter,
    pub end_counters: *const polyshade_counter,
    /// The host parameters of the variant; NULL if nothing is captured.
    pub params: *const polyshade_param_values,
    /// The bytes of a vertex in each feedback buffer; 0 if the buffer captures nothing or is not bound.
    pub strides: *const u32,
    /// The queries that count the draw.
    pub queries: *const polyshade_query,
}

/// A step. Members that its kind does not use are 0, `POLYSHADE_NONE` or NULL. Pointers are valid while the plan is.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_step {
    /// `sizeof(polyshade_step)`
    pub size: u32,
    /// `POLYSHADE_STEP_…`
    pub kind: u32,
    pub pass: polyshade_pass,
    /// The number of `barriers`, `ranges` or `counters`.
    pub count: u32,
    pub query: polyshade_query,
    pub pipeline: polyshade_pipeline,
    pub storage: polyshade_storage_range,
    pub draw: polyshade_draw_call,
    pub barriers: *const polyshade_barrier,
    pub ranges: *const polyshade_feedback_range,
    /// Indexed by feedback buffer; for `POLYSHADE_STEP_WRITE_COUNTERS` a packed list without indices.
    pub counters: *const polyshade_counter,
    pub params: *const polyshade_param_values,
    pub counter_pass: *const polyshade_counter_pass,
}

versioned!(polyshade_step, 128 + 5 * size_of::<usize>());
