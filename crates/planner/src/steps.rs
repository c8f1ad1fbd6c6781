//! The steps of a plan.

mod shader_runs;
mod words;

pub use shader_runs::{ShaderRuns, SpillCost};
pub use words::{ParamValue, ParamValues, WordRange};

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
    /// How often the shader runs, if the variants leave a choice.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub shader_runs: Option<ShaderRuns>,
    /// The steps, in their order.
    pub steps: Vec<Step>,
}

impl Plan {
    /// Returns the steps that are recorded before, in or after the application's pass, in their order. All are in the
    /// pass unless it is [recorded around](super::PassState::RecordedAround).
    pub fn at(&self, place: RecordAt) -> impl Iterator<Item = &Step> {
        let mut now = RecordAt::InPass;
        self.steps.iter().filter(move |step| match step {
            Step::Record(next) => {
                now = *next;
                false
            }
            _ => now == place,
        })
    }
}

/// Which vertex of a primitive is captured first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum VertexOrder {
    /// The provoking vertex of the pipeline's mode.
    AsProvoked,
    /// Any vertex, with the winding preserved.
    AnyRotation,
}

/// One step of a plan.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
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
    /// The host adds the count that it computes for the draw to the query's result.
    Count(Query),
    /// Bind a pipeline.
    BindPipeline(Bind),
    /// Bind the compute pipeline that captures, outside of render passes; if the API has compute passes, in one.
    BindCompute(Variant),
    /// Bind a feedback buffer as a storage buffer.
    BindStorage(StorageRange),
    /// Bind the draw's index buffer as a storage buffer, at a multiple of the device's alignment. The host parameter
    /// `index_offset` is the distance from the start of the binding to index 0.
    BindIndices(Set, Binding),
    /// Bind the [segment table](polyshade::transform_feedback::Segments::table) as a storage buffer. The host makes
    /// it of the draw's indices.
    BindSegments(Set, Binding),
    /// Bind the outputs buffer as a storage buffer. The host allocates [as many
    /// bytes](polyshade::transform_feedback::Layout::outputs_size) as the draw's outputs take; no other command uses
    /// them until the draw has finished. All such steps of a plan bind the same buffer.
    BindOutputs(Set, Binding),
    /// Bind ranges as feedback buffers from number 0 on; `None` leaves a buffer unbound.
    BindFeedback(Vec<Option<FeedbackRange>>),
    /// The host writes its parameters.
    FillIn(ParamValues),
    /// Begin capture.
    BeginFeedback(Counters),
    /// End capture.
    EndFeedback(Counters),
    /// Draw.
    Draw(DrawCall),
    /// Capture the draw with these vertices in a compute stage. The dispatch has the
    /// [workgroups](polyshade::transform_feedback::Layout::work_groups) of the draw. If the API has compute passes,
    /// end the pass that the compute pipeline was bound in.
    Dispatch(DrawCall),
    /// The host advances its counters by the bytes that the draw captured, and saves them: one per feedback buffer.
    Advance(Vec<Option<Counter>>),
    /// Write the host's counters to the application's buffers, for other commands to read.
    WriteCounters(Vec<Counter>),
    /// Find where the indices of the draw restart primitives. This is a dispatch of the
    /// [shader](crate::counter_pass::Shader::Segments) that makes the tables.
    FindSegments,
    /// Advance the counters on the device: dispatch the [shader](crate::counter_pass::Shader::Count).
    CounterPass(CounterPass),
    /// Record the next steps before, in or after the application's pass, after such steps of earlier draws. The pass
    /// is [recorded around](super::PassState::RecordedAround). A plan begins in the pass.
    Record(RecordAt),
}

/// Where commands for a draw in a pass are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RecordAt {
    /// Before the pass; for a secondary command buffer, before the pass of the primary one that executes it.
    BeforePass,
    /// In the pass.
    InPass,
    /// After the pass.
    AfterPass,
}

impl RecordAt {
    /// All values, in the order in which a plan has them.
    pub const ALL: [Self; 3] = [Self::BeforePass, Self::InPass, Self::AfterPass];
}

/// A dispatch of the counter pass for a draw, with a [job](crate::counter_pass::Job).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct CounterPass {
    /// The counters with which capture begins, if it does.
    pub begin: Option<Counters>,
    /// The counter that the device computes the vertex count from, if any.
    pub count: Option<CountedBy>,
    /// The host parameters of the variant, of which the device computes some; `None` if nothing is captured. Each
    /// draw of a multi-draw has its own.
    pub words: Option<ParamValues>,
    /// The bytes of a vertex in each feedback buffer; 0 for a buffer that is unbound or unused.
    pub strides: Vec<u32>,
    /// The queries that count the draw.
    pub queries: Vec<Query>,
    /// The counters that are saved, if capture ends; this is before the draw, as its outputs do not affect them.
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
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Attachments {
    /// The application's.
    Application,
    /// None.
    None,
    /// One colour attachment of one pixel, which the API requires; no draw writes to it.
    Dummy,
}

/// The contents of attachments when a pass begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Contents {
    /// As the application specifies.
    AsAsked,
    /// Loaded: the contents when the pass was interrupted.
    Load,
    /// Undefined.
    DontCare,
}

/// How a pass is begun.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
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

/// A variant of the stage that is captured.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
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
    /// Reads the outputs that a `SpillOutputs` pass has stored.
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
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Position {
    /// The position is unchanged.
    Unchanged,
    /// [`rasterizer_discard`](polyshade::rasterizer_discard) moves the position away, so nothing is rasterized.
    MovedAway {
        /// The specialization constant that is 1 in this pipeline; without one, the variant always moves it.
        constant: Option<u32>,
    },
}

/// Whether the pipeline rasterizes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[allow(missing_docs)]
pub enum Rasterization {
    On,
    Off,
}

/// How the bound pipeline assembles primitives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Assembly {
    /// With the topology of the draw.
    AsDrawn(Topology),
    /// As points: a capture-only pass is a point list for every captured topology.
    Points,
    /// With another topology that the API has, through indices that the host makes.
    Rewritten(Topology),
}

/// A pipeline to bind. With the modules and the rest of the application's state, it is a complete key of a pipeline.
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
    /// The attachments of the pass of the draw: the pipeline is made for their formats.
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
    /// from there to the feedback range.
    pub offset: u64,
    /// The bytes that are bound.
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
    /// The counters of the feedback buffers, by number; `None` is a null handle, and its offset is 0.
    pub counters: Vec<Option<Counter>>,
}

/// The draw command.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum DrawCall {
    /// The draw's vertices and instances, in their order.
    Vertices,
    /// The application's indexed draw.
    Indexed,
    /// The application's indirect draw.
    Indirect,
    /// The application's indexed indirect draw.
    IndexedIndirect,
    /// As many vertices as the draw has indices, from `firstIndex` on, without the index buffer.
    OverIndices,
    /// With arguments that the [counter pass](Step::CounterPass) has written. They are one `VkDrawIndirectCommand`
    /// for each draw of a multi-draw, with its own host parameters bound before; for a dispatch, one
    /// `VkDispatchIndirectCommand`. A first instance other than 0 needs `drawIndirectFirstInstance`.
    FromCounterPass,
    /// With indices that the host makes to form the primitives, instead of the application's. With a counter, the
    /// host computes the number of vertices from it.
    Rewritten(Option<CountedBy>),
    /// `vkCmdDrawIndirectByteCountEXT`.
    ByteCount(CountedBy),
    /// The draw's instances, with the vertex count that the host [computes](CountedBy::vertices) from the counter.
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
    /// The bytes of a vertex.
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
