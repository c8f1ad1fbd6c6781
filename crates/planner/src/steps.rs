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
    /// The mechanism of the capture; `None` where the draw is not captured.
    pub path: Option<Path>,
    /// Which vertex of a primitive is captured first.
    pub vertex_order: VertexOrder,
    /// How often the shader runs, where the variants leave a choice.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub shader_runs: Option<ShaderRuns>,
    /// The steps, in their order.
    pub steps: Vec<Step>,
}

impl Plan {
    /// The steps that are recorded before, in or after the application's pass, in their order. All are in the pass
    /// unless it is [recorded around](super::PassState::RecordedAround).
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

/// One step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Step {
    /// A pass begins.
    BeginPass(Pass),
    /// The pass ends. Attachments are stored where a later pass of the plan, or of the application, loads them.
    EndPass(Attachments),
    /// Barriers, all in one command.
    Barriers(Vec<Barrier>),
    /// The device begins to count.
    BeginQuery(Query),
    /// The device ends counting.
    EndQuery(Query),
    /// The host adds what it computes for the draw to the query's result.
    Count(Query),
    /// A pipeline is bound.
    BindPipeline(Bind),
    /// The compute stage that captures is bound, outside of passes; where the API has passes of dispatches, in one.
    BindCompute(Variant),
    /// A storage buffer is bound.
    BindStorage(StorageRange),
    /// The draw's index buffer is bound as a storage buffer: from a multiple of the device's alignment on, so that the
    /// host parameter `index_offset` is the distance from there to index 0.
    BindIndices(Set, Binding),
    /// The [table](polyshade::transform_feedback::Segments::table) that the host makes of the draw's indices is bound
    /// as a storage buffer.
    BindSegments(Set, Binding),
    /// The buffer for outputs is bound as a storage buffer: memory of the host's, of
    /// [as many bytes](polyshade::transform_feedback::Layout::outputs_size) as the draw's outputs take, that nothing
    /// else uses until the draw is over. It is the same one wherever the plan binds it.
    BindOutputs(Set, Binding),
    /// Ranges are bound as feedback buffers from number 0 on; `None` where one stays unbound.
    BindFeedback(Vec<Option<FeedbackRange>>),
    /// The host fills in its words.
    FillIn(ParamValues),
    /// Capture begins.
    BeginFeedback(Counters),
    /// Capture ends.
    EndFeedback(Counters),
    /// The draw.
    Draw(DrawCall),
    /// The capture in a compute stage: a dispatch of the
    /// [work groups](polyshade::transform_feedback::Layout::work_groups) of the draw, whose vertices are these; then
    /// the pass of dispatches ends, where there are such.
    Dispatch(DrawCall),
    /// The host advances its counters by what the draw has captured, and saves them: one a feedback buffer.
    Advance(Vec<Option<Counter>>),
    /// The host's counters are written to the application's buffers, for other commands to read.
    WriteCounters(Vec<Counter>),
    /// The device finds where the indices of the draw restart primitives: a dispatch of the
    /// [shader](crate::counter_pass::Shader::Segments) that makes the tables.
    FindSegments,
    /// The device counts: a dispatch of the [shader](crate::counter_pass::Shader::Count) that advances the counters.
    CounterPass(CounterPass),
    /// The next steps are recorded before, in or after the application's pass, which is [recorded
    /// around](super::PassState::RecordedAround), after the steps of earlier draws of the pass there. A plan begins in
    /// the pass.
    Record(RecordAt),
}

/// Where commands are recorded that belong to a draw in a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RecordAt {
    /// Before the pass. Of a secondary command buffer that is executed in a pass, before the one that executes it.
    BeforePass,
    /// In the pass.
    InPass,
    /// After the pass.
    AfterPass,
}

impl RecordAt {
    /// All of them, in the order in which a plan has them.
    pub const ALL: [Self; 3] = [Self::BeforePass, Self::InPass, Self::AfterPass];
}

/// A dispatch of the counter pass for a draw, with a [job](crate::counter_pass::Job).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct CounterPass {
    /// The counters with which capture begins, where it does.
    pub begin: Option<Counters>,
    /// The counter that says how many vertices there are, where the draw takes them from one that the device keeps.
    pub count: Option<CountedBy>,
    /// The words that the variant reads, of which the device fills in those that it knows; `None` where nothing is
    /// captured. Each draw of a multi-draw has its own.
    pub words: Option<ParamValues>,
    /// The bytes of a vertex in each feedback buffer; 0 where nothing is captured or bound.
    pub strides: Vec<u32>,
    /// The queries that count the draw.
    pub queries: Vec<Query>,
    /// The counters that are saved, where capture ends: before the draw, as nothing of what it stores is needed to know
    /// them.
    pub end: Option<Counters>,
}

/// A pass: a render pass or rendering scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Pass {
    /// Its attachments.
    pub attachments: Attachments,
    /// How their contents begin.
    pub contents: Contents,
    /// The command that begins it.
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
    /// One colour attachment of one pixel, which the API requires and nothing is drawn to.
    Dummy,
}

/// The contents of attachments when a pass begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Contents {
    /// The application's.
    AsAsked,
    /// Loaded: the contents at the interruption of the pass.
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
    /// The shader as it is.
    Original,
    /// Decorated for `VK_EXT_transform_feedback`.
    Extension,
    /// Stores and has no stage outputs.
    CaptureOnly,
    /// Has the outputs and no stores.
    RasterOnly,
    /// Stores and outputs.
    Both,
    /// Stores the capture and all outputs, and has no stage outputs.
    SpillOutputs,
    /// Reads the outputs that another pass has stored.
    ReloadOutputs,
}

impl Variant {
    /// Whether it stores what is captured.
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
    /// None.
    Unchanged,
    /// It is moved out of clip space, so that nothing is rasterized: what the lowering
    /// [`rasterizer_discard`](polyshade::rasterizer_discard) does.
    MovedAway {
        /// The specialization constant that is set to 1 for it; without one the variant always does it.
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

/// How the bound pipeline assembles vertices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Assembly {
    /// As the draw says.
    AsDrawn(Topology),
    /// As points: a capture-only pass is a point list whatever is captured.
    Points,
    /// As another topology that the API has, through indices that the host makes.
    Rewritten(Topology),
}

/// A pipeline to bind: with the modules and the rest of the application's state, all that it is made of, so that it is
/// the key of a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Bind {
    /// The variant of the last stage before rasterization.
    pub variant: Variant,
    /// Whether its position is moved out of the clip volume.
    pub position: Position,
    /// Whether it rasterizes.
    pub rasterization: Rasterization,
    /// How vertices are assembled.
    pub assembly: Assembly,
    /// Which vertex of a primitive is the provoking one; the first of points, which have no other.
    pub provoking_vertex: ProvokingVertex,
    /// The attachments of the pass in which it is drawn, whose formats it is made for.
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
    /// The offset of the binding, a multiple of the device's alignment: the host parameter `offset` is the distance
    /// from there to the feedback range.
    pub offset: u64,
    /// The bytes that are bound.
    pub size: u64,
}

/// A range that is bound as a feedback buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct FeedbackRange {
    /// Where it begins.
    pub offset: u64,
    /// How many bytes it has.
    pub size: u64,
}

/// Counters, as `vkCmdBeginTransformFeedbackEXT` and `vkCmdEndTransformFeedbackEXT` take them. `firstCounterBuffer` is
/// 0: there are drivers that do not look at it.
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
    /// As the application asks for it, with its indices.
    Indexed,
    /// As the application asks for it, with its arguments.
    Indirect,
    /// As the application asks for it, with its indices and arguments.
    IndexedIndirect,
    /// As many vertices as the draw has indices, from the number of the first one on, without the index buffer.
    OverIndices,
    /// With arguments that the [counter pass](Step::CounterPass) has written, one `VkDrawIndirectCommand` for each draw
    /// of a multi-draw, whose words are bound before; of a dispatch, one `VkDispatchIndirectCommand`. A first instance
    /// other than 0 needs `drawIndirectFirstInstance`.
    FromCounterPass,
    /// Without the application's indices, with the host's, which put the primitives together; of as many vertices as
    /// the host computes, where a counter says so.
    Rewritten(Option<CountedBy>),
    /// `vkCmdDrawIndirectByteCountEXT`.
    ByteCount(CountedBy),
    /// The draw's instances, and as many vertices as the host computes: what the counter exceeds `offset` by, by
    /// `stride`, rounded down.
    CountedByHost(CountedBy),
}

/// What counts vertices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct CountedBy {
    /// The counter.
    pub counter: Counter,
    /// What is subtracted from it.
    pub offset: u32,
    /// How many bytes a vertex has.
    pub stride: u32,
}

impl From<&ByteCount> for CountedBy {
    fn from(count: &ByteCount) -> Self {
        Self { counter: count.counter, offset: count.counter_offset, stride: count.stride }
    }
}

impl CountedBy {
    /// How many vertices there are, by the counter's value.
    pub fn vertices(&self, counter: u32) -> u32 {
        counter.saturating_sub(self.offset).checked_div(self.stride).unwrap_or(0)
    }
}
