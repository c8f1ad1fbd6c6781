//! The steps of a plan.

mod shader_runs;
mod words;

pub use shader_runs::{ShaderRuns, SpillCost};
pub use words::{ParamRange, ParamValue, ParamValues};

use super::state::{ByteCount, Counter, Path, Query, Topology};
use super::sync::Barrier;
use polyshade::host::{Binding, Set};
use polyshade::transform_feedback::ProvokingVertex;
#[cfg(feature = "serde")]
use serde::Serialize;

/// The plan of a draw. Equal states have equal plans, so a plan or its state can be the key of a cache.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Plan {
    /// The mechanism of the capture; `None` if the draw is not captured.
    pub path: Option<Path>,
    /// Which vertex of a primitive is captured first.
    pub vertex_order: VertexOrder,
    /// How many times the shader runs, if the variants support both one and two runs.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub shader_runs: Option<ShaderRuns>,
    /// The steps, in their order.
    pub steps: Vec<Step>,
}

/// Which vertex of a primitive is captured first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum VertexOrder {
    /// The provoking vertex, according to the pipeline's provoking vertex mode.
    AsProvoked,
    /// Any vertex; the winding is preserved.
    AnyRotation,
}

/// One step of a plan.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum Step {
    /// Begin a pass.
    BeginPass(Pass),
    /// End the pass. Attachments are stored if a later pass of the plan, or of the application, loads them.
    EndPass(Attachments),
    /// Record these barriers, all in one command.
    Barriers(Vec<Barrier>),
    /// Begin a query on the device.
    BeginQuery(Query),
    /// End a query on the device.
    EndQuery(Query),
    /// The host computes the draw's count and adds it to the query's result.
    Count(Query),
    /// Bind a pipeline.
    BindPipeline(Bind),
    /// Bind the compute pipeline that captures, outside of render passes. If the API has compute passes, begin one
    /// first.
    BindCompute(Variant),
    /// Bind a feedback buffer as a storage buffer.
    BindStorage(StorageRange),
    /// Bind the draw's index buffer as a storage buffer, with an offset that is a multiple of the device's alignment.
    /// The host parameter `index_offset` is the distance from the start of the binding to index 0.
    BindIndices(Set, Binding),
    /// Bind the [segment table](polyshade::transform_feedback::Segments::table) as a storage buffer. The host builds
    /// the table from the draw's indices.
    BindSegments(Set, Binding),
    /// Bind the outputs buffer as a storage buffer. The host allocates [as many
    /// bytes](polyshade::transform_feedback::Layout::outputs_size) as the draw's outputs need; no other command may
    /// use the buffer until the draw has finished. All `BindOutputs` steps of a plan bind the same buffer.
    BindOutputs(Set, Binding),
    /// Bind ranges as feedback buffers from number 0 on; `None` leaves a buffer unbound.
    BindFeedback(Vec<Option<FeedbackRange>>),
    /// Write the host parameters.
    FillIn(ParamValues),
    /// Begin capture.
    BeginFeedback(Counters),
    /// End capture.
    EndFeedback(Counters),
    /// Draw.
    Draw(DrawCall),
    /// Dispatch the compute stage that captures the draw with these vertices. The dispatch has the
    /// [workgroups](polyshade::transform_feedback::Layout::work_groups) of the draw. If the API has compute passes,
    /// then end the compute pass.
    Dispatch(DrawCall),
    /// The host advances its counters by the bytes that the draw captured, and saves them. There is one entry per
    /// feedback buffer.
    Advance(Vec<Option<Counter>>),
    /// Write the host's counters to the application's buffers, for other commands to read.
    WriteCounters(Vec<Counter>),
    /// Find where the indices of the draw restart primitives. This step dispatches the
    /// [shader](crate::counter_pass::Shader::Segments) that builds the segment tables.
    FindSegments,
    /// Advance the counters on the device: dispatch the [shader](crate::counter_pass::Shader::Count).
    CounterPass(CounterPass),
}

/// A dispatch of the counter pass for a draw, with a [job](crate::counter_pass::Job).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct CounterPass {
    /// The counters with which capture begins, if it begins with this draw.
    pub begin: Option<Counters>,
    /// The counter that the device computes the vertex count from, if any.
    pub count: Option<CountedBy>,
    /// The host parameters of the variant; the device computes some of them. `None` if nothing is captured. Each draw
    /// of a multi-draw has separate parameters.
    pub params: Option<ParamValues>,
    /// The vertex stride of each feedback buffer in bytes; 0 for a buffer that is unbound or unused.
    pub strides: Vec<u32>,
    /// The queries that count the draw.
    pub queries: Vec<Query>,
    /// The counters that are saved, if capture ends. They are saved before the draw, because its outputs do not
    /// affect them.
    pub end: Option<Counters>,
}

/// A pass: a render pass or rendering scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Pass {
    /// The attachments of the pass.
    pub attachments: Attachments,
    /// The contents of the attachments when the pass begins.
    pub contents: Contents,
    /// The command that begins the pass.
    pub scope: PassScope,
}

/// The attachments of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum Attachments {
    /// The application's attachments.
    Application,
    /// No attachments.
    None,
    /// One colour attachment of one pixel, which the API requires; no draw writes to it.
    Dummy,
}

/// The contents of attachments when a pass begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum Contents {
    /// The contents that the application's load operations specify.
    AsAsked,
    /// The contents that the attachments had when the pass was interrupted.
    Load,
    /// Undefined contents.
    DontCare,
}

/// The command that begins a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum PassScope {
    /// `vkCmdBeginRenderPass`.
    #[default]
    RenderPass,
    /// `vkCmdBeginRendering`.
    Rendering,
    /// A render command encoder of Metal.
    Encoder,
    /// A render pass encoder of WebGPU.
    PassEncoder,
}

/// A variant of the captured stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum Variant {
    /// The original shader.
    Original,
    /// The shader with decorations for `VK_EXT_transform_feedback`.
    Extension,
    /// Stores the capture and has no stage outputs.
    CaptureOnly,
    /// Has the stage outputs and does not store.
    RasterOnly,
    /// Stores the capture and has the stage outputs.
    Both,
    /// Stores the capture and all outputs, and has no stage outputs.
    SpillOutputs,
    /// Reads the outputs that a pass with `SpillOutputs` has stored.
    ReloadOutputs,
}

impl Variant {
    /// Whether the variant stores the captured outputs.
    pub fn stores(self) -> bool {
        match self {
            Self::CaptureOnly | Self::SpillOutputs | Self::Both => true,
            Self::Original | Self::Extension | Self::RasterOnly | Self::ReloadOutputs => false,
        }
    }
}

/// Whether a shader's position is moved out of the clip volume.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum Position {
    /// The position is unchanged.
    Unchanged,
    /// [`rasterizer_discard`](polyshade::rasterizer_discard) moves the position away, so nothing is rasterized.
    MovedAway {
        /// The specialization constant to set to 1 in this pipeline; `None` if the variant always moves the position.
        constant: Option<u32>,
    },
}

/// Whether the pipeline rasterizes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
#[allow(missing_docs)]
pub enum Rasterization {
    On,
    Off,
}

/// How the bound pipeline assembles primitives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum Assembly {
    /// With the topology of the draw.
    AsDrawn(Topology),
    /// As points. A capture-only pass draws a point list for every captured topology.
    Points,
    /// With another topology that the API supports, using indices that the host generates.
    Rewritten(Topology),
}

/// A pipeline to bind. Together with the modules and the rest of the application's state, it is a complete cache key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Bind {
    /// The variant of the last stage before rasterization.
    pub variant: Variant,
    /// Whether the position is moved out of the clip volume.
    pub position: Position,
    /// Whether the pipeline rasterizes.
    pub rasterization: Rasterization,
    /// How primitives are assembled.
    pub assembly: Assembly,
    /// Which vertex of a primitive is the provoking one; `First` for points.
    pub provoking_vertex: ProvokingVertex,
    /// The attachments of the draw's pass. The pipeline is created for their formats.
    pub attachments: Attachments,
}

/// A feedback buffer that is bound as a storage buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct StorageRange {
    /// The descriptor set.
    pub set: Set,
    /// The binding.
    pub binding: Binding,
    /// The number of the feedback buffer.
    pub buffer: u32,
    /// The offset of the binding, a multiple of the device's alignment. The host parameter `offset` is the distance
    /// from the start of the binding to the feedback range.
    pub offset: u64,
    /// The size of the binding in bytes.
    pub size: u64,
}

/// A range that is bound as a feedback buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct FeedbackRange {
    /// The offset of the range.
    pub offset: u64,
    /// The size of the range.
    pub size: u64,
}

/// Counters, as parameters of `vkCmdBeginTransformFeedbackEXT` and `vkCmdEndTransformFeedbackEXT`.
/// `firstCounterBuffer` is 0: some drivers ignore it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Counters {
    /// The counters, indexed by the number of the feedback buffer. `None` is a null handle with offset 0.
    pub counters: Vec<Option<Counter>>,
}

/// A draw command.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum DrawCall {
    /// A direct draw of the draw's vertices and instances, in order.
    Vertices,
    /// The application's indexed draw.
    Indexed,
    /// The application's indirect draw.
    Indirect,
    /// The application's indexed indirect draw.
    IndexedIndirect,
    /// A non-indexed draw of an indexed draw's vertices: its vertex count is the index count, and it starts at
    /// `firstIndex`.
    OverIndices,
    /// An indirect draw or dispatch with arguments from the [counter pass](Step::CounterPass). Each draw of a
    /// multi-draw has its own `VkDrawIndirectCommand`, and its host parameters are bound before it. A dispatch has
    /// one `VkDispatchIndirectCommand`. A first instance other than 0 needs `drawIndirectFirstInstance`.
    FromCounterPass,
    /// A draw with indices that the host generates to form the primitives, instead of the application's indices. If
    /// there is a counter, the host computes the number of vertices from it.
    Rewritten(Option<CountedBy>),
    /// `vkCmdDrawIndirectByteCountEXT`.
    ByteCount(CountedBy),
    /// A direct draw of the draw's instances, with the vertex count that the host [computes](CountedBy::vertices)
    /// from the counter.
    CountedByHost(CountedBy),
}

/// The counter that a vertex count is computed from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct CountedBy {
    /// The counter.
    pub counter: Counter,
    /// The bytes that are subtracted from the counter.
    pub offset: u32,
    /// The size of a vertex in bytes.
    pub stride: u32,
}

impl From<&ByteCount> for CountedBy {
    fn from(count: &ByteCount) -> Self {
        Self { counter: count.counter, offset: count.counter_offset, stride: count.stride }
    }
}

impl CountedBy {
    /// Returns the vertex count for this value of the counter.
    pub fn vertices(&self, counter: u32) -> u32 {
        counter.saturating_sub(self.offset).checked_div(self.stride).unwrap_or(0)
    }
}
