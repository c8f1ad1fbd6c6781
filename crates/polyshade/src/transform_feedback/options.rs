//! What to capture, and how.

use super::MAX_BUFFERS;
use super::indices::IndexType;
use super::known::{Draws, Indexed};
use super::topology::Topology;
use super::varying::{StreamOutputEntry, Varying};
use crate::host::{Binding, ParamSource, Reserved, Set, SideEffects};
use crate::placement::{ParamsAt, Wanted};

/// What to capture, into which buffers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Options {
    varyings: Varyings,
    allow_duplicates: bool,
    set: Option<Set>,
    binding: Option<Binding>,
    params: ParamsAt,
    constants: Vec<(u32, u64)>,
    side_effects: SideEffects,
    point_size: bool,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Draws::are_unknown"))]
    draws: Draws,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            varyings: Varyings::Interleaved(Vec::new()),
            allow_duplicates: false,
            set: None,
            binding: None,
            params: ParamsAt::default(),
            constants: Vec::new(),
            side_effects: SideEffects::default(),
            point_size: true,
            draws: Draws::default(),
        }
    }
}

/// What to capture, in its order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(super) enum Varyings {
    /// One buffer, until `gl_NextBuffer` says otherwise.
    Interleaved(Vec<Varying>),
    /// A buffer each.
    Separate(Vec<Varying>),
    /// Direct3D's entries, and the strides of the slots.
    StreamOutput(Vec<StreamOutputEntry>, Vec<u32>),
    /// What the module's decorations say.
    Decorated,
}

impl Options {
    /// Nothing yet, into storage buffers from binding 0 on of the last of the four sets that every Vulkan device has
    /// which the shader does not use and nobody reserves.
    pub fn new() -> Self {
        Self::default()
    }

    /// Captures these varyings, one behind the other, into one buffer: `GL_INTERLEAVED_ATTRIBS`. Components of 64 bits
    /// are not aligned.
    #[must_use]
    pub fn interleaved<V: Into<Varying>>(mut self, varyings: impl IntoIterator<Item = V>) -> Self {
        self.varyings = Varyings::Interleaved(varyings.into_iter().map(Into::into).collect());
        self
    }

    /// Captures each of these varyings into a buffer of its own: `GL_SEPARATE_ATTRIBS`.
    #[must_use]
    pub fn separate<V: Into<Varying>>(mut self, varyings: impl IntoIterator<Item = V>) -> Self {
        self.varyings = Varyings::Separate(varyings.into_iter().map(Into::into).collect());
        self
    }

    /// Captures what a Direct3D stream output declaration says: each entry goes behind those before it in its slot.
    /// `strides` are those of the slots in bytes, multiples of 4; where there is none, the entries decide. Strides of
    /// slots behind the last one that is used mean nothing.
    #[must_use]
    pub fn stream_output(
        mut self,
        entries: impl IntoIterator<Item = StreamOutputEntry>,
        strides: impl IntoIterator<Item = u32>,
    ) -> Self {
        let (entries, strides) = (entries.into_iter().collect(), strides.into_iter().collect());
        self.varyings = Varyings::StreamOutput(entries, strides);
        self
    }

    /// Captures what the module's own `Offset`, `XfbBuffer` and `XfbStride` decorations say, as a device with
    /// `VK_EXT_transform_feedback` does. Without this, or [with names](Self::interleaved), they mean nothing.
    #[must_use]
    pub fn decorated(mut self) -> Self {
        self.varyings = Varyings::Decorated;
        self
    }

    /// Captures what is named twice twice, which OpenGL and Vulkan refuse.
    #[must_use]
    pub fn allow_duplicates(mut self) -> Self {
        self.allow_duplicates = true;
        self
    }

    /// Feedback buffer `i` is the storage buffer at `binding + i` of `set`.
    #[must_use]
    pub fn into_storage(self, set: Set, binding: Binding) -> Self {
        self.into_set(set).at_binding(binding)
    }

    /// The feedback buffers are in `set`, where there is room unless the binding is said as well.
    #[must_use]
    pub fn into_set(mut self, set: Set) -> Self {
        self.set = Some(set);
        self
    }

    /// Feedback buffer 0 is at `binding` and the others behind it, in the last of the four sets that every Vulkan
    /// device has in which these are free, unless the set is said as well.
    #[must_use]
    pub fn at_binding(mut self, binding: Binding) -> Self {
        self.binding = Some(binding);
        self
    }

    /// Where the host parameters are; by default in a storage buffer at the binding behind the last feedback
    /// buffer. Where they are found by an [address](ParamSource::Address), so are the feedback buffers, by addresses
    /// among the words: nothing is bound, no offset has to be aligned, and only the words say where a buffer ends.
    #[must_use]
    pub fn params(mut self, source: ParamSource) -> Self {
        self.params = ParamsAt::Source(source);
        self
    }

    /// The host parameters are in a uniform buffer at the binding behind the last feedback buffer.
    #[must_use]
    pub fn params_in_uniform(mut self) -> Self {
        self.params = ParamsAt::Uniform;
        self
    }

    /// Gives the specialization constant `id` the value `bits`, for good: in the variants it is a plain constant. The
    /// sizes of outputs that depend on it are then known. Of booleans, 0 is false.
    #[must_use]
    pub fn specialize(mut self, id: u32, bits: u64) -> Self {
        self.constants.push((id, bits));
        self
    }

    /// What becomes of the shader's own stores and atomics; unless said otherwise they are refused.
    #[must_use]
    pub fn side_effects(mut self, side_effects: SideEffects) -> Self {
        self.side_effects = side_effects;
        self
    }

    /// Whether the capture-only variant writes `PointSize`, as Vulkan wants of a stage that is drawn as points. It
    /// does unless told otherwise.
    #[must_use]
    pub fn point_size(mut self, point_size: bool) -> Self {
        self.point_size = point_size;
        self
    }

    /// No draw has another topology than these, which saves the code for those. Unless said otherwise there may be all
    /// but those with adjacency.
    #[must_use]
    pub fn topologies(mut self, topologies: impl IntoIterator<Item = Topology>) -> Self {
        self.draws.set_topologies(topologies);
        self
    }

    /// No draw has more than one instance, which saves the code for more.
    #[must_use]
    pub fn one_instance(mut self) -> Self {
        self.draws.one_instance = true;
        self
    }

    /// The host says with one word how many corners of primitives are captured, rather than how large the feedback
    /// ranges are, which saves the code that finds out. Nothing is stored beyond the buffers that are bound, whatever
    /// the word says.
    #[must_use]
    pub fn limit_in_vertices(mut self) -> Self {
        self.draws.limit_in_vertices = true;
        self
    }

    /// Feedback buffers may be unbound: what goes there is [stored nowhere](super::BufferRange::UNBOUND), as in Vulkan.
    /// Where they are descriptors, something is bound there all the same, and is left as it is.
    #[must_use]
    pub fn unbound_buffers(mut self) -> Self {
        self.draws.unbound = true;
        self
    }

    /// The draws have indices, as wide as is said here; of [`None`] the host says it for each draw, with the word
    /// `index_type`. [`CaptureOnly`](super::Variant::CaptureOnly) then reads the indices from a storage buffer at the
    /// binding behind the feedback buffers, or by their address. It cannot have vertex attributes, which the fixed
    /// function would fetch by other numbers: [pull](crate::vertex_pulling) them before, unless they are
    /// [the same](Self::constant_attributes) for all vertices.
    #[must_use]
    pub fn indexed(mut self, index_type: Option<IndexType>) -> Self {
        let indexed = self.draws.indexed.unwrap_or_default();
        self.draws.indexed = Some(Indexed { index_type, ..indexed });
        self
    }

    /// Vertex attributes at these locations are the same for all vertices, as those that
    /// [pulling](crate::vertex_pulling) finds [its words](crate::host::AddressSource::Attribute) by: draws with
    /// [indices](Self::indexed) may have them.
    #[must_use]
    pub fn constant_attributes(mut self, locations: impl IntoIterator<Item = u32>) -> Self {
        self.draws.constant_attributes.extend(locations);
        self
    }

    /// [`CaptureOnly`](super::Variant::CaptureOnly) is a compute stage, for devices whose vertex stages cannot store:
    /// it is [dispatched](super::Layout::work_groups), before the pass in which
    /// [`RasterOnly`](super::Variant::RasterOnly) is drawn; there is no [`Both`](super::Variant::Both), and
    /// [`point_size`](Self::point_size) means nothing. It cannot have vertex attributes: [pull](crate::vertex_pulling)
    /// them before. Built-in inputs that compute stages lack, like `ViewIndex`, are refused, and so is the number of a
    /// draw that has no [indices](Self::indexed).
    #[must_use]
    pub fn compute(mut self) -> Self {
        self.draws.compute = true;
        self
    }

    /// Whether the capture is a [compute stage](Self::compute).
    pub fn is_compute(&self) -> bool {
        self.draws.compute
    }

    /// Whether the draws have indices.
    pub fn takes_indices(&self) -> bool {
        self.draws.indexed.is_some()
    }

    /// An index of all ones restarts primitives (`primitiveRestartEnable`). The host makes a [table](super::Segments)
    /// of where that is, which is read from a storage buffer behind the index buffer, or by its address. Says that the
    /// draws have [indices](Self::indexed), too.
    #[must_use]
    pub fn restart(mut self) -> Self {
        let indexed = self.draws.indexed.unwrap_or_default();
        self.draws.indexed = Some(Indexed { restart: true, ..indexed });
        self
    }

    /// The shader runs once for each vertex of a draw that is captured and rasterized:
    /// [`SpillOutputs`](super::Variant::SpillOutputs) stores all outputs of the stage in one more storage
    /// buffer, of [`Layout::outputs_size`](super::Layout::outputs_size) bytes, at the binding after the others; and
    /// [`ReloadOutputs`](super::Variant::ReloadOutputs), which is drawn after it and waits for it, reads them from
    /// there. It pays where the shader costs more than the transfer of its outputs. Refused where buffers are found by
    /// [addresses](Self::params) and where indices [restart](Self::restart) primitives.
    #[must_use]
    pub fn spill_outputs(mut self) -> Self {
        self.draws.spill_outputs = true;
        self
    }

    pub(super) fn draws(&self) -> &Draws {
        &self.draws
    }

    pub(super) fn takes_duplicates(&self) -> bool {
        self.allow_duplicates
    }

    pub(super) fn varyings(&self) -> &Varyings {
        &self.varyings
    }

    /// The bindings that are asked for by their numbers: feedback buffers, the index buffer, the table, what is passed
    /// through, and the words.
    pub(crate) fn reserved(&self) -> Reserved {
        let (Some(set), Some(Binding(first))) = (self.set, self.binding) else {
            return Reserved::new();
        };
        let behind =
            first.saturating_add(MAX_BUFFERS as u32 + 3 + u32::from(self.draws.spill_outputs));
        (first..behind).fold(Reserved::new(), |all, one| all.binding(set, Binding(one)))
    }

    pub(super) fn wanted(&self) -> Wanted {
        let first = (self.set, self.binding);
        Wanted { first, params: self.params, buffer: "feedback buffer" }
    }

    pub(super) fn constants(&self) -> &[(u32, u64)] {
        &self.constants
    }

    pub(super) fn side_effects_kept(&self) -> SideEffects {
        self.side_effects
    }

    pub(super) fn writes_point_size(&self) -> bool {
        self.point_size
    }
}
