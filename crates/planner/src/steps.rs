//! What to do for a draw, step by step.

use super::state::{Counter, Path, Query, Topology};
use super::sync::Barrier;
use polyshade::host::Place;
use polyshade::host::{Binding, Set};
#[cfg(feature = "serde")]
use serde::Serialize;

/// What to do for a draw. Equal states give equal plans, so a plan, or the state that it came of, is a cache's key.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Plan {
    /// Which way captures; `None` where the draw is not captured.
    pub path: Option<Path>,
    /// Which corner of a primitive is captured first.
    pub corners: Corners,
    /// The steps, in their order.
    pub steps: Vec<Step>,
}

/// Which corner of a primitive is captured first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Corners {
    /// The one that the provoking vertex mode says.
    AsProvoked,
    /// Any: only the winding is certain.
    AnyRotation,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Step {
    /// A pass begins.
    BeginPass(Pass),
    /// The pass ends. What is attached is kept where a later pass of the plan, or of the application, goes on with it.
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
    /// A storage buffer is bound.
    BindStorage(StorageRange),
    /// Ranges are bound as feedback buffers from number 0 on; `None` where one stays unbound.
    BindFeedback(Vec<Option<FeedbackRange>>),
    /// The host fills in its words.
    FillIn(Words),
    /// Capture begins.
    BeginFeedback(Counters),
    /// Capture ends.
    EndFeedback(Counters),
    /// The draw.
    Draw(DrawCall),
    /// The host moves its counters on by what the draw has captured, and saves them: one a feedback buffer.
    Advance(Vec<Option<Counter>>),
    /// The host's counters are written to their places in buffers, for others to read.
    WriteCounters(Vec<Counter>),
}

/// A pass: a render pass or rendering scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Pass {
    /// What is attached.
    pub attachments: Attachments,
    /// What they hold at first.
    pub contents: Contents,
    /// What begins it.
    pub scope: PassScope,
}

/// What is attached to a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Attachments {
    /// What the application says.
    Application,
    /// Nothing.
    None,
    /// One colour attachment of one pixel: nothing is drawn to it, but the API wants one.
    Dummy,
}

/// What attachments hold when a pass begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Contents {
    /// What the application says.
    AsAsked,
    /// What they held when the pass was interrupted.
    Load,
    /// Anything.
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
    /// Stores, without stage output.
    CaptureOnly,
    /// Outputs, without stores.
    RasterOnly,
    /// Stores and outputs.
    Both,
}

/// What becomes of the position that a shader outputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Position {
    /// Nothing.
    Kept,
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
    /// As what the API has instead, through indices that the host makes.
    Rewritten(Topology),
}

/// A pipeline to bind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Bind {
    /// The variant of the last stage before rasterization.
    pub variant: Variant,
    /// What becomes of its position.
    pub position: Position,
    /// Whether it rasterizes.
    pub rasterization: Rasterization,
    /// How vertices are assembled.
    pub assembly: Assembly,
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
    /// Where what is bound begins: as the device's alignment wants it, up to the host word `offset` before the
    /// feedback range.
    pub offset: u64,
    /// How many bytes are bound.
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

/// The words that the host fills in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Words {
    /// Where they go.
    pub place: Place,
    /// What they are, in their order.
    pub words: Vec<Word>,
}

/// Where the value of a host word comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Word {
    /// It is known.
    Constant(u32),
    /// The draw's `firstVertex`.
    FirstVertex,
    /// The draw's `vertexCount`.
    VertexCount,
    /// The draw's `firstInstance`.
    FirstInstance,
    /// The value that the host keeps of a counter.
    Counter(Counter),
    /// Where the draw before has left the feedback buffer with this number.
    Running(u32),
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
    /// Without the application's indices, with the host's, which put the primitives together.
    Rewritten,
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

impl CountedBy {
    /// How many vertices there are, by the counter's value.
    pub fn vertices(&self, counter: u32) -> u32 {
        counter.saturating_sub(self.offset).checked_div(self.stride).unwrap_or(0)
    }
}
