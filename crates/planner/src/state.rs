//! The state of the pipeline and of one draw, for which a plan is made.

mod counter_owner;
mod stored;

pub use counter_owner::CounterOwner;
pub(super) use stored::STORAGE_BUFFERS;
pub use stored::{Storage, StoredIndices, StoredOutputs};

use polyshade::host::SideEffects;
use polyshade::transform_feedback::{self, BufferLayout, ProvokingVertex};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// How vertices form primitives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[allow(missing_docs)]
pub enum Topology {
    PointList,
    LineList,
    LineStrip,
    /// Only OpenGL has line loops.
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
    /// The topologies that the variants can capture.
    pub const CAPTURED: [Self; 11] = [
        Self::PointList,
        Self::LineList,
        Self::LineStrip,
        Self::LineLoop,
        Self::TriangleList,
        Self::TriangleStrip,
        Self::TriangleFan,
        Self::LineListWithAdjacency,
        Self::LineStripWithAdjacency,
        Self::TriangleListWithAdjacency,
        Self::TriangleStripWithAdjacency,
    ];

    /// The topology in the lowering's host parameters; `None` if the variants cannot capture it.
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
            Self::LineListWithAdjacency => Some(Captured::LineListWithAdjacency),
            Self::LineStripWithAdjacency => Some(Captured::LineStripWithAdjacency),
            Self::TriangleListWithAdjacency => Some(Captured::TriangleListWithAdjacency),
            Self::TriangleStripWithAdjacency => Some(Captured::TriangleStripWithAdjacency),
            Self::PatchList => None,
        }
    }

    /// The name of the topology.
    pub fn name(self) -> &'static str {
        self.captured().map_or("patch list", transform_feedback::Topology::name)
    }

    /// Whether primitives include vertices of adjacent primitives.
    pub(super) fn has_adjacency(self) -> bool {
        self.captured().is_some_and(transform_feedback::Topology::has_adjacency)
    }

    /// Whether every vertex belongs to a bounded number of primitives. One invocation of an unchanged draw can then
    /// store its vertex in all its places of the capture.
    pub(super) fn is_list_or_strip(self) -> bool {
        self.captured().is_some_and(transform_feedback::Topology::is_list_or_strip)
    }
}

/// The mechanism that captures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Path {
    /// `VK_EXT_transform_feedback`. The device keeps the counters, in buffers.
    Extension,
    /// Variants that store to storage buffers. A [`CounterOwner`] keeps the counters.
    Storage,
    /// A compute stage that stores to buffers, where vertex stages cannot. A [`CounterOwner`] keeps the counters.
    Compute,
}

impl Path {
    /// The name of the mechanism.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extension => "extension",
            Self::Storage => "storage",
            Self::Compute => "compute",
        }
    }

    /// Whether variants that store do the capture.
    pub(super) fn stores(self) -> bool {
        self != Self::Extension
    }
}

/// The primitives that a geometry stage emits.
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
    /// Whether an index of all ones restarts primitives.
    pub primitive_restart: bool,
    /// Whether there are tessellation stages.
    pub tessellation: bool,
    /// The primitives that the geometry stage emits, if there is one.
    pub geometry: Option<Emitted>,
    /// Whether rasterizer discard is enabled.
    pub rasterizer_discard: bool,
    /// The constant with which variants with outputs [move the position away](polyshade::rasterizer_discard). With
    /// this specialization constant, one pipeline's modules serve with and without rasterizer discard. `None` if the
    /// variants for rasterizer discard always move the position.
    pub discard_constant: Option<u32>,
    /// Whether the pass has several views.
    pub multiview: bool,
    /// Which variant keeps the stores and atomics that the shader itself has; `None` if it has none.
    pub side_effects: Option<SideEffects>,
    /// About how many instructions the captured stage executes for a vertex, with each loop iteration counted. It
    /// decides whether the shader runs [once or twice](crate::ShaderRuns). [`cost`](polyshade::position_only::cost())
    /// counts the instructions of a loop once.
    pub shader_cost: Option<u32>,
    /// The capture of the last stage before rasterization.
    pub capture: Option<Capture>,
}

/// The outputs that a pipeline captures.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Capture {
    /// The mechanism. The default is the extension if supported, else storage if vertex stages can store, else
    /// compute.
    pub path: Option<Path>,
    /// The feedback buffers, by number.
    pub buffers: Vec<FeedbackBuffer>,
    /// The descriptors of the variants that store. Without them only the extension can capture.
    pub storage: Option<Storage>,
}

/// A feedback buffer, as the shader sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct FeedbackBuffer {
    /// The bytes between the starts of two vertices; 0 for a buffer that captures nothing.
    pub stride: u32,
    /// The vertex stream that the buffer captures.
    pub stream: u32,
    /// The bytes from the start of a vertex to the end of its last captured component; by default the stride.
    pub data: Option<u32>,
}

impl FeedbackBuffer {
    /// The feedback buffer of a layout.
    fn of(layout: &BufferLayout, stream: u32) -> Self {
        let stride = if layout.data > 0 { layout.stride } else { 0 };
        Self { stride, stream, data: Some(layout.data) }
    }

    /// The captured bytes of a vertex, gaps included.
    pub(super) fn data(&self) -> u32 {
        self.data.unwrap_or(self.stride)
    }
}

/// One draw, with the commands before and after it that use the captured data.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Draw {
    /// The draw command.
    pub call: Call,
    /// About how many vertices all instances have, if known. This value only decides whether the shader runs [once or
    /// twice](crate::ShaderRuns); a plan is valid for all values on one side of the [threshold](Self::key).
    pub vertices: Option<u32>,
    /// Whether the application's render pass is active. The plan leaves the pass as it was.
    pub pass: PassState,
    /// Whether transform feedback is active, paused or inactive.
    pub feedback: Feedback,
    /// The queries that count this draw.
    pub queries: Vec<Query>,
    /// How the draw itself reads data that earlier draws captured.
    pub reads: Vec<Use>,
    /// Earlier uses of the counters, and of the buffers that the draw captures into or reads. They are the last write
    /// and the reads since then. A use may be left out if a use of the same kind has already waited for the write.
    pub before: Uses,
    /// Uses by later commands, for which the plan needs barriers. They are the reads until the data is overwritten,
    /// and the write that overwrites it.
    pub next: Uses,
}

/// How a command uses captured data or a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Use {
    /// A capture with this mechanism writes it.
    Capture(Path),
    /// A draw reads it as vertex attributes.
    Vertices,
    /// A draw reads it as indices.
    Indices,
    /// An indirect draw or dispatch reads it as arguments.
    IndirectArguments,
    /// A shader reads it as a uniform buffer.
    Uniform(ShaderStage),
    /// A shader reads it as a storage buffer or a storage texel buffer.
    Storage(ShaderStage),
    /// A shader reads it as a uniform texel buffer.
    Texels(ShaderStage),
    /// A shader of the application stores to it.
    Store(ShaderStage),
    /// A copy reads it.
    CopySource,
    /// A copy, fill or update writes it.
    CopyDestination,
    /// The host reads it.
    HostRead,
    /// The host writes it.
    HostWrite,
    /// Only of a counter: capture resumes from it.
    Resume,
    /// Only of a counter: capture saves it.
    Save,
    /// Only of a counter: a draw takes its vertex count from it.
    ByteCount,
}

/// A shader stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[allow(missing_docs)]
pub enum ShaderStage {
    Vertex,
    TessellationControl,
    TessellationEvaluation,
    Geometry,
    Fragment,
    Compute,
}

/// Uses of captured data, counters and other inputs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Uses {
    /// The uses of the captured data.
    pub captured: Vec<Use>,
    /// The uses of the counters. [Counter passes](CounterOwner::Device) count as reads and stores of compute stages.
    pub counters: Vec<Use>,
    /// The uses of this draw's arguments, indices and vertex attributes that are not captured data. If a compute
    /// stage captures the draw, the other resources of its vertex stage are included. A captured draw may read all
    /// these in other stages than the application expects.
    pub inputs: Vec<Use>,
}

/// A draw command, without its arguments, which are not part of a plan.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Call {
    /// `vkCmdDraw`.
    #[default]
    Vertices,
    /// `vkCmdDrawIndexed`.
    Indexed,
    /// `vkCmdDrawIndirect`, or a variant of it.
    Indirect,
    /// `vkCmdDrawIndexedIndirect`, or a variant of it.
    IndexedIndirect,
    /// `vkCmdDrawIndirectByteCountEXT`.
    ByteCount(ByteCount),
}

/// A draw that computes its vertex count from a counter: `vkCmdDrawIndirectByteCountEXT`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ByteCount {
    /// The counter.
    pub counter: Counter,
    /// The mechanism of the capture that wrote the counter.
    pub path: Path,
    /// The owner of the counter, if the mechanism is the storage path.
    #[cfg_attr(feature = "serde", serde(default))]
    pub counter_owner: CounterOwner,
    /// The bytes that are subtracted from the counter: `counterOffset`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub counter_offset: u32,
    /// The bytes of a vertex: `vertexStride`.
    pub stride: u32,
    /// Earlier uses of the counter, as in [`Draw::before`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub before: Vec<Use>,
}

/// A counter: the number of bytes of a feedback buffer that are filled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Counter {
    /// The buffer that holds the counter, by a number that the host chooses.
    pub buffer: u32,
    /// The offset of the counter in the buffer, in bytes: a multiple of 4.
    pub offset: u64,
}

/// Whether the application's render pass is active.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PassState {
    /// No pass is active: the plan begins and ends one for the draw.
    #[default]
    Outside,
    /// A pass is active, and a plan may end and resume it.
    Interruptible,
    /// A pass is active and cannot be interrupted. It is in a secondary command buffer, in a subpass after the first,
    /// or the application's own queries or conditional rendering are active. Planning fails if the pass would have to
    /// end.
    Uninterruptible,
    /// A pass is active and cannot be interrupted, but the host can record commands before and after it. A step
    /// [`Record`](super::Step::Record) requests this. The work in [`before`](Draw::before) precedes the pass, and the
    /// work in [`next`](Draw::next) follows it. No draw in the pass can wait for data that is captured in it.
    RecordedAround,
}

/// Whether transform feedback is active, paused or inactive at a draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Feedback {
    /// Transform feedback has not begun, or has ended.
    #[default]
    Inactive,
    /// Transform feedback is paused: nothing is captured.
    Paused,
    /// The draw is captured.
    Active(Active),
}

/// A captured draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Active {
    /// The bound ranges, by number of the feedback buffer.
    pub buffers: Vec<Option<Bound>>,
    /// How capture begins.
    pub begin: Begin,
    /// How capture ends.
    pub end: End,
    /// The owner of the counters, unless the mechanism is the extension.
    pub counter_owner: CounterOwner,
}

/// A range that is bound as a feedback buffer, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Bound {
    /// The buffer, by a number that the host chooses. WebGPU forbids overlapping bindings of one buffer and aligns
    /// bindings to 256 bytes; without a number, buffers of the same size count as possibly the same.
    #[cfg_attr(feature = "serde", serde(default))]
    pub buffer: Option<u32>,
    /// The size of the whole buffer.
    pub buffer_size: u64,
    /// The offset of the range.
    #[cfg_attr(feature = "serde", serde(default))]
    pub offset: u64,
    /// The size of the range; by default the rest of the buffer.
    #[cfg_attr(feature = "serde", serde(default))]
    pub size: Option<u64>,
}

/// How capture begins for a draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Begin {
    /// Every buffer is empty.
    #[default]
    Anew,
    /// The buffers are filled up to these counters, one per feedback buffer; a buffer without a counter is empty.
    Resume(Vec<Option<Counter>>),
    /// An earlier draw began capture, which has not ended.
    Running,
}

/// How capture ends for a draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum End {
    /// No counter is saved.
    #[default]
    Forget,
    /// These counters are saved, one per feedback buffer; `None` is not saved.
    Save(Vec<Option<Counter>>),
    /// Capture does not end: the next draw continues it, in the same pass and with the same pipeline.
    Running,
}

/// A query that counts a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Query {
    /// Primitives written and primitives needed by the capture of this stream.
    Stream(u32),
    /// Primitives emitted to this stream, captured or not.
    PrimitivesGenerated(u32),
}

impl ByteCount {
    /// Whether only memory of the device holds the counter.
    pub(super) fn is_on_device(&self) -> bool {
        self.path == Path::Extension || self.counter_owner == CounterOwner::Device
    }
}

impl Begin {
    /// The counters with which capture begins.
    pub(super) fn counters(&self) -> &[Option<Counter>] {
        match self {
            Self::Resume(counters) => counters,
            Self::Anew | Self::Running => &[],
        }
    }

    pub(super) fn is_running(&self) -> bool {
        *self == Self::Running
    }
}

impl End {
    /// The counters that are saved at the end.
    pub(super) fn counters(&self) -> &[Option<Counter>] {
        match self {
            Self::Save(counters) => counters,
            Self::Forget | Self::Running => &[],
        }
    }
}
