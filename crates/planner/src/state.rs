//! What is to be drawn: the state of the pipeline, and of one draw.

use super::sync::Use;
use polyshade::host::{Binding, LimitName, Place, Purpose, Requirements, Set, Words};
use polyshade::transform_feedback::{
    self, BufferLayout, Decorated, Layout, Prepared, ProvokingVertex, SideEffects,
};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// How vertices become primitives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[allow(missing_docs)]
pub enum Topology {
    PointList,
    LineList,
    LineStrip,
    /// OpenGL's: no other API has it.
    LineLoop,
    #[default]
    TriangleList,
    TriangleStrip,
    TriangleFan,
    LineListWithAdjacency,
    LineStripWithAdjacency,
    TriangleListWithAdjacency,
    TriangleStripWithAdjacency,
    PatchList,
}

impl Topology {
    /// What the variants that store call it; `None` where they cannot capture it.
    pub fn captured(self) -> Option<transform_feedback::Topology> {
        use transform_feedback::Topology as Captured;
        match self {
            Self::PointList => Some(Captured::PointList),
            Self::LineList => Some(Captured::LineList),
            Self::LineStrip => Some(Captured::LineStrip),
            Self::LineLoop => Some(Captured::LineLoop),
            Self::TriangleList => Some(Captured::TriangleList),
            Self::TriangleStrip => Some(Captured::TriangleStrip),
            Self::TriangleFan => Some(Captured::TriangleFan),
            Self::LineListWithAdjacency
            | Self::LineStripWithAdjacency
            | Self::TriangleListWithAdjacency
            | Self::TriangleStripWithAdjacency
            | Self::PatchList => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::PointList => "point list",
            Self::LineList => "line list",
            Self::LineStrip => "line strip",
            Self::LineLoop => "line loop",
            Self::TriangleList => "triangle list",
            Self::TriangleStrip => "triangle strip",
            Self::TriangleFan => "triangle fan",
            Self::LineListWithAdjacency => "line list with adjacency",
            Self::LineStripWithAdjacency => "line strip with adjacency",
            Self::TriangleListWithAdjacency => "triangle list with adjacency",
            Self::TriangleStripWithAdjacency => "triangle strip with adjacency",
            Self::PatchList => "patch list",
        }
    }

    /// Whether primitives come with their neighbours' vertices.
    pub(super) fn has_adjacency(self) -> bool {
        matches!(
            self,
            Self::LineListWithAdjacency
                | Self::LineStripWithAdjacency
                | Self::TriangleListWithAdjacency
                | Self::TriangleStripWithAdjacency
        )
    }

    /// Whether every vertex belongs to a bounded number of primitives, so that one invocation of a draw as it is can
    /// store all its slots.
    pub(super) fn is_list_or_strip(self) -> bool {
        self.captured().is_some() && !matches!(self, Self::TriangleFan | Self::LineLoop)
    }
}

/// Which of the two ways captures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Path {
    /// `VK_EXT_transform_feedback`. The device keeps the counters, in buffers.
    Extension,
    /// Variants that store to storage buffers. The host keeps the counters.
    Storage,
}

impl Path {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extension => "extension",
            Self::Storage => "storage",
        }
    }
}

/// What primitives a geometry stage emits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[allow(missing_docs)]
pub enum Emitted {
    Points,
    LineStrips,
    TriangleStrips,
}

/// The state of a pipeline that a plan depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Pipeline {
    /// How vertices become primitives.
    pub topology: Topology,
    /// Which vertex of a primitive is the provoking one.
    pub provoking_vertex: ProvokingVertex,
    /// Whether there are tessellation stages.
    pub tessellation: bool,
    /// What the geometry stage emits, where there is one.
    pub geometry: Option<Emitted>,
    /// Whether nothing is to be rasterized.
    pub rasterizer_discard: bool,
    /// The specialization constant by which the variants that have outputs
    /// [move the position away](polyshade::rasterizer_discard): one pipeline's modules then serve with rasterizer
    /// discard and without. `None` where those for rasterizer discard always move it.
    pub discard_constant: Option<u32>,
    /// Whether the pass has several views.
    pub multiview: bool,
    /// Stores and atomics that the stage does itself, and which variant keeps them; `None` where it has none.
    pub side_effects: Option<SideEffects>,
    /// What is captured, if anything is.
    pub capture: Option<Capture>,
}

/// What a pipeline captures.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Capture {
    /// Which way; unless it is said, the extension where the device has it.
    pub path: Option<Path>,
    /// The feedback buffers, by number.
    pub buffers: Vec<FeedbackBuffer>,
    /// What the storage path binds. Without it there is no storage path.
    pub storage: Option<Storage>,
}

/// A feedback buffer, as the shader sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct FeedbackBuffer {
    /// Bytes from a vertex to the next; 0 where nothing is captured into it.
    pub stride: u32,
    /// The stream that it captures.
    pub stream: u32,
    /// Bytes from the start of a vertex to the end of the last that is captured of it; unless said, the stride.
    pub data: Option<u32>,
}

impl FeedbackBuffer {
    /// What is captured of a vertex of this layout.
    fn of(layout: &BufferLayout, stream: u32) -> Self {
        let stride = if layout.data > 0 { layout.stride } else { 0 };
        Self { stride, stream, data: Some(layout.data) }
    }

    /// How many bytes of a vertex are captured, gaps included.
    pub(super) fn data(&self) -> u32 {
        self.data.unwrap_or(self.stride)
    }
}

/// What the variants that store bind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Storage {
    /// The set of the feedback buffers.
    pub set: Set,
    /// The binding of feedback buffer 0; buffer `i` is `i` behind it.
    pub binding: Binding,
    /// Where the words are that the host fills in.
    pub host: Place,
    /// How many storage buffers the stage has in all.
    pub storage_buffers: u32,
}

impl Capture {
    /// What a lowering says of shaders that store what they capture: their layout, the words of their host, and what
    /// they need.
    pub fn stored(layout: &Layout, words: &Words, needs: &Requirements) -> Self {
        let buffer = |layout| FeedbackBuffer::of(layout, 0);
        let first = needs.descriptors.iter().find_map(|one| match one.purpose {
            Purpose::Feedback(number) => {
                Some((one.set, Binding(one.binding.0.wrapping_sub(number))))
            }
            _ => None,
        });
        let stored = needs.limits.iter().find(|limit| limit.name == STORAGE_BUFFERS);
        let storage = first.map(|(set, binding)| Storage {
            set,
            binding,
            host: words.place,
            storage_buffers: stored.map_or(0, |limit| limit.at_least),
        });
        Self { path: None, buffers: layout.buffers.iter().map(buffer).collect(), storage }
    }
}

impl From<&Prepared<'_>> for Capture {
    fn from(prepared: &Prepared<'_>) -> Self {
        Self::stored(prepared.layout(), prepared.words(), prepared.requirements())
    }
}

impl From<&Decorated> for Capture {
    /// What a decorated shader says: there is no storage path beside it.
    fn from(decorated: &Decorated) -> Self {
        let layouts = decorated.layout.buffers.iter().zip(&decorated.streams);
        let buffers = layouts.map(|(layout, stream)| FeedbackBuffer::of(layout, *stream));
        Self { path: Some(Path::Extension), buffers: buffers.collect(), storage: None }
    }
}

/// The limit that says how many storage buffers a stage has.
pub(super) const STORAGE_BUFFERS: LimitName = LimitName::MaxPerStageDescriptorStorageBuffers;

/// One draw, and what was and will be done with what it captures.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Draw {
    /// Which draw command.
    pub call: Call,
    /// Whether the application's render pass is open. It is so again after the plan.
    pub pass: PassState,
    /// How transform feedback stands.
    pub feedback: Feedback,
    /// The queries that are to count this draw.
    pub queries: Vec<Query>,
    /// How the draw itself reads data that was captured before.
    pub reads: Vec<Use>,
    /// What was done since the last barrier with the buffers that the draw captures into or reads, and with the
    /// counters.
    pub before: Uses,
    /// What comes next, and is to be waited for right away.
    pub next: Uses,
}

/// What is done with captured data, and with the counters.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Uses {
    /// With the captured data.
    pub captured: Vec<Use>,
    /// With the counters.
    pub counters: Vec<Use>,
}

/// A draw command. Its numbers are not part of a plan.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Call {
    /// Vertices in their order, instanced or not.
    #[default]
    Vertices,
    /// Vertices by indices.
    Indexed,
    /// Vertices in their order, with arguments in a buffer.
    Indirect,
    /// Vertices by indices, with arguments in a buffer.
    IndexedIndirect,
    /// As many vertices as were captured.
    ByteCount(ByteCount),
}

/// A draw whose vertices are counted by a counter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ByteCount {
    /// The counter.
    pub counter: Counter,
    /// Which way captured what it counts: who keeps the counter follows from it.
    pub path: Path,
    /// What is subtracted from the counter: `counterOffset`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub counter_offset: u32,
    /// How many bytes of the rest a vertex has: `vertexStride`.
    pub stride: u32,
    /// What was done with the counter since the last barrier.
    #[cfg_attr(feature = "serde", serde(default))]
    pub before: Vec<Use>,
}

/// A counter: how many bytes of a feedback buffer are filled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Counter {
    /// The buffer that it is in, by a number of the host's.
    pub buffer: u32,
    /// The bytes before it: a multiple of 4.
    pub offset: u64,
}

/// Whether the application's render pass is open.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PassState {
    /// It is not: the draw gets a pass of its own.
    #[default]
    Outside,
    /// It is.
    Inside,
}

/// How transform feedback stands at a draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Feedback {
    /// It has not begun, or has ended.
    #[default]
    Inactive,
    /// It has begun and is paused: nothing is captured.
    Paused,
    /// The draw is captured.
    Active(Active),
}

/// A captured draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Active {
    /// What is bound as feedback buffers, by number.
    pub buffers: Vec<Option<Bound>>,
    /// How capture begins.
    pub begin: Begin,
    /// How it ends.
    pub end: End,
}

/// A range that is bound as a feedback buffer, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Bound {
    /// How large the whole buffer is.
    pub buffer_size: u64,
    /// Where the range begins.
    #[cfg_attr(feature = "serde", serde(default))]
    pub offset: u64,
    /// How long it is; without a size it is what is left of the buffer.
    #[cfg_attr(feature = "serde", serde(default))]
    pub size: Option<u64>,
}

/// How capture begins for a draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Begin {
    /// At the start of every buffer.
    #[default]
    Anew,
    /// At these counters, one a feedback buffer; without one at the start.
    Resume(Vec<Option<Counter>>),
    /// It goes on from the draw before, which did not end it.
    Running,
}

/// How capture ends for a draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum End {
    /// The counters are lost.
    #[default]
    Forget,
    /// They are saved to these, one a feedback buffer; where there is none, that one is lost.
    Save(Vec<Option<Counter>>),
    /// It does not: the next draw goes on, in the same pass and with the same pipeline.
    Running,
}

/// A query.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Query {
    /// Primitives written and primitives needed by the capture of this stream.
    Stream(u32),
    /// Primitives that reach this stream, captured or not.
    PrimitivesGenerated(u32),
}
