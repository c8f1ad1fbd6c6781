//! The input of the planner: the state of a pipeline and of one draw.

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
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
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

    /// Returns the topology as a host parameter encodes it; `None` if the variants cannot capture it.
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

    /// Whether primitives have adjacency vertices.
    pub(super) fn has_adjacency(self) -> bool {
        self.captured().is_some_and(transform_feedback::Topology::has_adjacency)
    }

    /// Whether every vertex belongs to a bounded number of primitives. The application's draw can then capture
    /// without changes: each invocation stores its vertex once per primitive.
    pub(super) fn is_list_or_strip(self) -> bool {
        self.captured().is_some_and(transform_feedback::Topology::is_list_or_strip)
    }
}

/// The mechanism of a capture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum Path {
    /// `VK_EXT_transform_feedback`. The device keeps the counters, in buffers.
    Extension,
    /// Variants that store to storage buffers. A [`CounterOwner`] keeps the counters.
    Storage,
    /// A compute stage that stores to buffers, for devices on which vertex stages cannot store. A [`CounterOwner`]
    /// keeps the counters.
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

    /// Whether shader variants capture by storing to buffers.
    pub(super) fn stores(self) -> bool {
        self != Self::Extension
    }
}

/// The primitives that a geometry stage emits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
#[allow(missing_docs)]
pub enum Emitted {
    Points,
    LineStrips,
    TriangleStrips,
}

/// The state of a pipeline that a plan depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct Pipeline {
    /// How vertices become primitives.
    pub topology: Topology,
    /// Which vertex of a primitive is the provoking one.
    pub provoking_vertex: ProvokingVertex,
    /// Whether an index with all bits set restarts primitives.
    pub primitive_restart: bool,
    /// Whether there are tessellation stages.
    pub tessellation: bool,
    /// The primitives that the geometry stage emits, if there is one.
    pub geometry: Option<Emitted>,
    /// Whether rasterizer discard is enabled.
    pub rasterizer_discard: bool,
    /// The specialization constant that makes variants with outputs [move the position
    /// away](polyshade::rasterizer_discard). The same modules then work with and without rasterizer discard. `None`
    /// if the variants for rasterizer discard always move the position.
    pub discard_constant: Option<u32>,
    /// Whether the pass has several views.
    pub multiview: bool,
    /// Which variant keeps the stores and atomics that the shader itself has; `None` if it has none.
    pub side_effects: Option<SideEffects>,
    /// The approximate number of instructions that the captured stage executes per vertex, counting every loop
    /// iteration. It decides whether the shader runs [once or twice](crate::ShaderRuns).
    /// [`cost`](polyshade::position_only::cost()) counts the instructions of a loop once.
    pub shader_cost: Option<u32>,
    /// The capture of the last stage before rasterization.
    pub capture: Option<Capture>,
}

/// The outputs that a pipeline captures.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct Capture {
    /// The mechanism. The default is the extension if supported, else storage if vertex stages can store, else
    /// compute.
    pub path: Option<Path>,
    /// The feedback buffers, indexed by their number.
    pub buffers: Vec<FeedbackBuffer>,
    /// The descriptors of the variants that store. If `None`, only the extension can capture.
    pub storage: Option<Storage>,
}

/// The layout of a feedback buffer, as the shader declares it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct FeedbackBuffer {
    /// The stride of a vertex in bytes; 0 for a buffer that captures nothing.
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
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct Draw {
    /// The draw command.
    pub call: Call,
    /// The approximate number of vertices in all instances, if known. This value only decides whether the shader runs
    /// [once or twice](crate::ShaderRuns). A plan is valid for all values on the same side of the
    /// [threshold](Self::key).
    pub vertices: Option<u32>,
    /// Whether the application's render pass is active. The pass is in the same state after the plan.
    pub pass: PassState,
    /// Whether transform feedback is active, paused or inactive.
    pub feedback: Feedback,
    /// The queries that count this draw.
    pub queries: Vec<Query>,
    /// How the draw itself reads data that earlier draws captured.
    pub reads: Vec<Use>,
    /// Earlier uses of the counters, and of the buffers that the draw captures into or reads. List the last write and
    /// the reads since then. A use may be omitted if an earlier use of the same kind has already waited for the
    /// write.
    pub before: Uses,
    /// Uses by later commands, which need barriers from the plan. List the reads until the data is overwritten, and
    /// the write that overwrites it.
    pub next: Uses,
}

/// How a command uses captured data or a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum Use {
    /// A capture with this mechanism writes the data.
    Capture(Path),
    /// A draw reads the data as vertex attributes.
    Vertices,
    /// A draw reads the data as indices.
    Indices,
    /// An indirect draw or dispatch reads the data as arguments.
    IndirectArguments,
    /// A shader reads the data as a uniform buffer.
    Uniform(ShaderStage),
    /// A shader reads the data as a storage buffer or a storage texel buffer.
    Storage(ShaderStage),
    /// A shader reads the data as a uniform texel buffer.
    Texels(ShaderStage),
    /// A shader of the application stores to the data.
    Store(ShaderStage),
    /// A copy reads the data.
    CopySource,
    /// A copy, fill or update writes the data.
    CopyDestination,
    /// The host reads the data.
    HostRead,
    /// The host writes the data.
    HostWrite,
    /// For counters only: capture resumes from the counter.
    Resume,
    /// For counters only: capture saves the counter.
    Save,
    /// For counters only: a draw computes its vertex count from the counter.
    ByteCount,
}

/// A shader stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
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
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct Uses {
    /// The uses of the captured data.
    pub captured: Vec<Use>,
    /// The uses of the counters. [Counter passes](CounterOwner::Device) count as reads and stores of compute stages.
    pub counters: Vec<Use>,
    /// The uses of this draw's arguments, indices and vertex attributes that are not captured data. If a compute
    /// stage captures the draw, the other resources of its vertex stage are included. A captured draw may read these
    /// inputs in other stages than the application expects.
    pub inputs: Vec<Use>,
}

/// The kind of a draw command. Draw arguments are not part of a plan.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum Call {
    /// `vkCmdDraw`.
    #[default]
    Vertices,
    /// `vkCmdDrawIndexed`.
    Indexed,
    /// `vkCmdDrawIndirect`, or one of its variants.
    Indirect,
    /// `vkCmdDrawIndexedIndirect`, or one of its variants.
    IndexedIndirect,
    /// `vkCmdDrawIndirectByteCountEXT`.
    ByteCount(ByteCount),
}

/// A draw that computes its vertex count from a counter: `vkCmdDrawIndirectByteCountEXT`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
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
    /// The size of a vertex in bytes: `vertexStride`.
    pub stride: u32,
    /// Earlier uses of the counter, as in [`Draw::before`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub before: Vec<Use>,
}

/// The location of a counter. A counter is the number of bytes that captures have written to a feedback buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
pub struct Counter {
    /// The buffer that holds the counter, as a number that the host chooses.
    pub buffer: u32,
    /// The offset of the counter in the buffer, in bytes: a multiple of 4.
    pub offset: u64,
}

/// Whether the application's render pass is active.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum PassState {
    /// No pass is active. The plan begins and ends a pass for the draw.
    #[default]
    Outside,
    /// A pass is active, and a plan may end and resume it.
    Interruptible,
    /// A pass is active and cannot be interrupted. This is the case in a secondary command buffer, in a subpass after
    /// the first, and while the application's own queries or conditional rendering are active. Planning fails if the
    /// pass would have to end.
    Uninterruptible,
}

/// Whether transform feedback is active, paused or inactive at a draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
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
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct Active {
    /// The bound ranges, indexed by the number of the feedback buffer.
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
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
pub struct Bound {
    /// The buffer, as a number that the host chooses. It matters for WebGPU, which forbids overlapping bindings of a
    /// buffer and aligns bindings to 256 bytes. Without numbers, buffers of equal size are assumed to be possibly the
    /// same buffer.
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
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum Begin {
    /// Capture begins with empty buffers.
    #[default]
    Anew,
    /// Capture resumes from these counters, one per feedback buffer. A buffer without a counter is empty.
    Resume(Vec<Option<Counter>>),
    /// Capture is running, because an earlier draw began it.
    Running,
}

/// How capture ends for a draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum End {
    /// No counter is saved.
    #[default]
    Forget,
    /// These counters are saved, one per feedback buffer. The counter of a buffer with `None` is not saved.
    Save(Vec<Option<Counter>>),
    /// Capture does not end. The next draw continues it, in the same pass and with the same pipeline.
    Running,
}

/// A query that counts a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum Query {
    /// A transform feedback query of this stream: primitives written and primitives needed.
    Stream(u32),
    /// A primitives-generated query of this stream: primitives emitted, whether they are captured or not.
    PrimitivesGenerated(u32),
}

impl ByteCount {
    /// Whether the host does not know the counter, because only the device writes it.
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
