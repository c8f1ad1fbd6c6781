//! What is to be drawn: the state of the pipeline, and of one draw.

mod counter_owner;
mod stored;

pub use counter_owner::CounterOwner;
pub(super) use stored::STORAGE_BUFFERS;
pub use stored::{Storage, StoredIndices, StoredOutputs};

use polyshade::host::SideEffects;
use polyshade::transform_feedback::{self, BufferLayout, ProvokingVertex};
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
    /// Those that the variants capture.
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

    /// The topology of the lowering's host parameters; `None` where the variants cannot capture it.
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

    /// Its name.
    pub fn name(self) -> &'static str {
        self.captured().map_or("patch list", transform_feedback::Topology::name)
    }

    /// Whether primitives come with their neighbours' vertices.
    pub(super) fn has_adjacency(self) -> bool {
        self.captured().is_some_and(transform_feedback::Topology::has_adjacency)
    }

    /// Whether every vertex belongs to a bounded number of primitives, so that one invocation of a draw as it is can
    /// store all its slots.
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
    /// A compute stage that stores to storage buffers, for devices whose vertex stages cannot. The host keeps the
    /// counters.
    Compute,
}

impl Path {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extension => "extension",
            Self::Storage => "storage",
            Self::Compute => "compute",
        }
    }

    /// Whether what captures are variants that store.
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
    /// About how many instructions the captured stage executes for a vertex, those of loops as often as they turn:
    /// what decides whether it runs [once or twice](crate::ShaderRuns).
    /// [`cost`](polyshade::position_only::cost()) counts each once.
    pub shader_cost: Option<u32>,
    /// The capture of the last stage before rasterization, where it has one.
    pub capture: Option<Capture>,
}

/// What a pipeline captures.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Capture {
    /// The mechanism; by default the extension, where the device has it, else storage, where its vertex stages can
    /// store, else compute.
    pub path: Option<Path>,
    /// The feedback buffers, by number.
    pub buffers: Vec<FeedbackBuffer>,
    /// The descriptors of the storage path. Without them the extension alone can capture.
    pub storage: Option<Storage>,
}

/// A feedback buffer, as the shader sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct FeedbackBuffer {
    /// Bytes from one vertex to the next; 0 for a buffer that captures nothing.
    pub stride: u32,
    /// The vertex stream that it captures.
    pub stream: u32,
    /// Bytes from the start of a vertex to the end of its last captured component; by default the stride.
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
    /// Which draw command.
    pub call: Call,
    /// About how many vertices it has, over all instances, where that is known: nothing but whether the shader runs
    /// [once or twice](crate::ShaderRuns) depends on it, and a plan serves for all on one side of the
    /// [threshold](Self::key).
    pub vertices: Option<u32>,
    /// Whether the application's render pass is open. The plan leaves it as it was.
    pub pass: PassState,
    /// Whether transform feedback is active, paused or inactive.
    pub feedback: Feedback,
    /// The queries that are to count this draw.
    pub queries: Vec<Query>,
    /// How the draw itself reads data that earlier draws captured.
    pub reads: Vec<Use>,
    /// The uses of the counters, and of the buffers that the draw captures into or reads: the last write, and the reads
    /// since then. Those may be left out for which a use of the same kind has waited.
    pub before: Uses,
    /// The uses by the commands after the draw, whose barriers the plan is to have: what reads it until it is
    /// overwritten, and what overwrites it.
    pub next: Uses,
}

/// How a command uses captured data or a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Use {
    /// It is written by a capture, with this mechanism.
    Capture(Path),
    /// It is fetched as vertex attributes.
    Vertices,
    /// It is fetched as indices.
    Indices,
    /// It is the arguments of an indirect draw or dispatch.
    IndirectArguments,
    /// It is a uniform buffer.
    Uniform(ShaderStage),
    /// It is a storage buffer, or a storage texel buffer, that is read.
    Storage(ShaderStage),
    /// It is a uniform texel buffer.
    Texels(ShaderStage),
    /// It is stored to by a shader of the application's.
    Store(ShaderStage),
    /// It is copied from.
    CopySource,
    /// It is copied to, filled or updated.
    CopyDestination,
    /// The host reads it.
    HostRead,
    /// The host writes it.
    HostWrite,
    /// Of a counter: capture resumes from it.
    Resume,
    /// Of a counter: capture saves it.
    Save,
    /// Of a counter: a draw takes its vertex count from it.
    ByteCount,
}

/// A stage with shaders.
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

/// How captured data and the counters are used.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Uses {
    /// The uses of the captured data.
    pub captured: Vec<Use>,
    /// The uses of the counters. Those of shaders that [keep](CounterOwner::Device) them are reads and stores of
    /// compute stages.
    pub counters: Vec<Use>,
    /// The uses of the arguments, indices and vertex attributes of this draw, and where a compute stage captures it, of
    /// what its vertex stage reads otherwise, where they are not captured data: a captured draw may read them in other
    /// stages than the application expects.
    pub inputs: Vec<Use>,
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
    /// As many vertices as a counter says were captured.
    ByteCount(ByteCount),
}

/// A draw that takes its number of vertices from a counter: `vkCmdDrawIndirectByteCountEXT`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ByteCount {
    /// The counter.
    pub counter: Counter,
    /// The mechanism of the capture that it counts.
    pub path: Path,
    /// Who keeps the counter, where that is the storage path.
    #[cfg_attr(feature = "serde", serde(default))]
    pub counter_owner: CounterOwner,
    /// What is subtracted from the counter: `counterOffset`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub counter_offset: u32,
    /// The bytes of a vertex: `vertexStride`.
    pub stride: u32,
    /// The uses of the counter, as in [`Draw::before`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub before: Vec<Use>,
}

/// A counter: the number of bytes of a feedback buffer that are filled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Counter {
    /// The buffer that holds it, by a number that the host chooses.
    pub buffer: u32,
    /// Its offset in the buffer, in bytes: a multiple of 4.
    pub offset: u64,
}

/// Whether the application's render pass is open.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PassState {
    /// None is active: the draw gets a pass of its own.
    #[default]
    Outside,
    /// It is active, and a plan may end and resume it.
    Interruptible,
    /// It is active and cannot be ended and resumed: in a secondary command buffer, in a subpass after the first, or
    /// while the application's own queries or conditional rendering are active. Planning fails where the pass would
    /// have to end.
    Uninterruptible,
    /// It cannot be ended either, and the host records commands before and after it where a step
    /// [`Record`](super::Step::Record) says so: the work in [`before`](Draw::before) came before the pass, and the work
    /// in [`next`](Draw::next) comes after it. No draw in the pass can wait for data that is captured in it.
    RecordedAround,
}

/// Whether transform feedback is active, paused or inactive at a draw.
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
    /// The bound ranges, by number of the feedback buffer.
    pub buffers: Vec<Option<Bound>>,
    /// How capture begins.
    pub begin: Begin,
    /// How it ends.
    pub end: End,
    /// Who keeps the counters, unless that is the extension.
    pub counter_owner: CounterOwner,
}

/// A range that is bound as a feedback buffer, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Bound {
    /// The buffer, by a number that the host chooses. WebGPU binds no two ranges of one buffer that overlap, and whole
    /// multiples of 256 bytes only: without a number, buffers of the same size may be the same one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub buffer: Option<u32>,
    /// The size of the whole buffer.
    pub buffer_size: u64,
    /// The offset of the range.
    #[cfg_attr(feature = "serde", serde(default))]
    pub offset: u64,
    /// Its size; by default the rest of the buffer.
    #[cfg_attr(feature = "serde", serde(default))]
    pub size: Option<u64>,
}

/// How capture begins for a draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Begin {
    /// With every buffer empty.
    #[default]
    Anew,
    /// With these counters, one a feedback buffer; a buffer without a counter is empty.
    Resume(Vec<Option<Counter>>),
    /// It was begun by an earlier draw and has not ended.
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
    /// These counters are saved, one a feedback buffer; `None` is not saved.
    Save(Vec<Option<Counter>>),
    /// It does not end: the next draw continues it, in the same pass and with the same pipeline.
    Running,
}

/// A query.
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
    /// Whether the counter is in memory, and nowhere else.
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
