//! The options of a capture.

use super::MAX_BUFFERS;
use super::draw_constraints::{Draws, Indexed};
use super::indices::IndexType;
use super::topology::Topology;
use super::varying::{StreamOutputEntry, Varying};
use crate::host::{Binding, ParamSource, Reserved, Set, SideEffects};
use crate::placement::{ParamsAt, Wanted};

/// The options of a capture: the varyings, their buffers, and restrictions on the draws.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Options {
    pub(super) varyings: Varyings,
    pub(super) allow_duplicates: bool,
    set: Option<Set>,
    binding: Option<Binding>,
    params: ParamsAt,
    pub(super) constants: Vec<(u32, u64)>,
    pub(super) side_effects: SideEffects,
    pub(super) point_size: bool,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Draws::are_unknown"))]
    pub(super) draws: Draws,
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

/// The varyings to capture, in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(super) enum Varyings {
    /// All varyings, captured into one buffer; `gl_NextBuffer` switches to the next buffer.
    Interleaved(Vec<Varying>),
    /// Varyings that are each captured into a separate buffer.
    Separate(Vec<Varying>),
    /// Direct3D stream output entries, and the strides of the slots.
    StreamOutput(Vec<StreamOutputEntry>, Vec<u32>),
    /// The outputs that the module's own decorations capture.
    Decorated,
}

impl Options {
    /// Returns options that capture nothing yet. By default, the feedback buffers are storage buffers from binding 0
    /// on. Their set is the highest of sets 0 to 3 that the shader does not use and that is not reserved.
    pub fn new() -> Self {
        Self::default()
    }

    /// Captures these varyings in order into one buffer, like `GL_INTERLEAVED_ATTRIBS`. 64-bit components are not
    /// aligned.
    #[must_use]
    pub fn interleaved<V: Into<Varying>>(mut self, varyings: impl IntoIterator<Item = V>) -> Self {
        self.varyings = Varyings::Interleaved(varyings.into_iter().map(Into::into).collect());
        self
    }

    /// Captures each of these varyings into a separate buffer, like `GL_SEPARATE_ATTRIBS`.
    #[must_use]
    pub fn separate<V: Into<Varying>>(mut self, varyings: impl IntoIterator<Item = V>) -> Self {
        self.varyings = Varyings::Separate(varyings.into_iter().map(Into::into).collect());
        self
    }

    /// Captures the entries of a Direct3D stream output declaration, each after the earlier entries of its slot.
    /// `strides` are the strides of the slots in bytes, multiples of 4. If a slot has no stride in the list, its
    /// entries determine the stride. Strides after the last used slot are ignored.
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

    /// Captures the outputs that the module's own `Offset`, `XfbBuffer` and `XfbStride` decorations select, as a
    /// device with `VK_EXT_transform_feedback` does. If varyings are selected in another way, for example [by
    /// name](Self::interleaved), these decorations are ignored.
    #[must_use]
    pub fn decorated(mut self) -> Self {
        self.varyings = Varyings::Decorated;
        self
    }

    /// Allows a varying to be captured several times. OpenGL and Vulkan forbid this.
    #[must_use]
    pub fn allow_duplicates(mut self) -> Self {
        self.allow_duplicates = true;
        self
    }

    /// Puts feedback buffer `i` at `binding + i` of `set`.
    #[must_use]
    pub fn into_storage(self, set: Set, binding: Binding) -> Self {
        self.into_set(set).at_binding(binding)
    }

    /// Puts the feedback buffers into `set`, at free bindings unless [`at_binding`](Self::at_binding) sets one.
    #[must_use]
    pub fn into_set(mut self, set: Set) -> Self {
        self.set = Some(set);
        self
    }

    /// Puts feedback buffer 0 at `binding` and the other feedback buffers at the following bindings. Without
    /// [`into_set`](Self::into_set), their set is the highest of sets 0 to 3 in which these bindings are free.
    #[must_use]
    pub fn at_binding(mut self, binding: Binding) -> Self {
        self.binding = Some(binding);
        self
    }

    /// Sets the source of the host parameters; the default is a storage buffer at the binding after all other buffers
    /// of the capture. With an [address](ParamSource::Address) as the source, the parameters also contain the
    /// addresses of the feedback buffers. Then no buffer is bound, offsets need no alignment, and only the size
    /// parameters limit the stores to a buffer.
    #[must_use]
    pub fn params(mut self, source: ParamSource) -> Self {
        self.params = ParamsAt::Source(source);
        self
    }

    /// Puts the host parameters into a uniform buffer at the binding after all other buffers of the capture.
    #[must_use]
    pub fn params_in_uniform(mut self) -> Self {
        self.params = ParamsAt::Uniform;
        self
    }

    /// Gives the specialization constant `id` the value `bits`; for a boolean, 0 is false. In the variants, `id` is an
    /// ordinary constant, so it can determine the sizes of captured outputs.
    #[must_use]
    pub fn specialize(mut self, id: u32, bits: u64) -> Self {
        self.constants.push((id, bits));
        self
    }

    /// Sets the pass that executes the shader's own stores and atomics. By default, shaders with side effects are
    /// refused.
    #[must_use]
    pub fn side_effects(mut self, side_effects: SideEffects) -> Self {
        self.side_effects = side_effects;
        self
    }

    /// Sets whether the capture-only variant writes `PointSize`, which Vulkan requires of a stage that draws points.
    /// The default is `true`.
    #[must_use]
    pub fn point_size(mut self, point_size: bool) -> Self {
        self.point_size = point_size;
        self
    }

    /// Restricts draws to these topologies, so that the variants need no code for other topologies. The default is all
    /// topologies without adjacency.
    #[must_use]
    pub fn topologies(mut self, topologies: impl IntoIterator<Item = Topology>) -> Self {
        self.draws.set_topologies(topologies);
        self
    }

    /// Restricts draws to one instance, which makes the variants smaller.
    #[must_use]
    pub fn one_instance(mut self) -> Self {
        self.draws.one_instance = true;
        self
    }

    /// Replaces the sizes of the feedback ranges in the host parameters by `limit`, the number of vertices of all
    /// primitives that fit. The variants are smaller, because they need not compute this number. They store nothing
    /// beyond the bound buffers, whatever the value of `limit` is.
    #[must_use]
    pub fn limit_in_vertices(mut self) -> Self {
        self.draws.limit_in_vertices = true;
        self
    }

    /// Allows unbound feedback buffers. As in Vulkan, their data is [not stored](super::BufferRange::UNBOUND). If
    /// feedback buffers are descriptors, the host must bind a placeholder buffer, which stays unchanged.
    #[must_use]
    pub fn unbound_buffers(mut self) -> Self {
        self.draws.unbound = true;
        self
    }

    /// Makes the variants for draws with indices of `index_type`. With [`None`], the host parameter `index_type` sets
    /// the type for each draw. [`CaptureOnly`](super::Variant::CaptureOnly) reads the indices from a storage buffer at
    /// the binding after the feedback buffers, or from their address. It cannot have vertex attributes, because
    /// fixed-function vertex input would fetch them for the wrong vertex. [Pull](crate::vertex_pulling) attributes
    /// first, unless they are [constant](Self::constant_attributes).
    #[must_use]
    pub fn indexed(mut self, index_type: Option<IndexType>) -> Self {
        let indexed = self.draws.indexed.unwrap_or_default();
        self.draws.indexed = Some(Indexed { index_type, ..indexed });
        self
    }

    /// Declares that the attributes at these locations are the same for all vertices, which allows them in draws with
    /// [indices](Self::indexed). An example is the attribute that contains the
    /// [address](crate::host::AddressSource::Attribute) of the parameters of [vertex pulling](crate::vertex_pulling).
    #[must_use]
    pub fn constant_attributes(mut self, locations: impl IntoIterator<Item = u32>) -> Self {
        self.draws.constant_attributes.extend(locations);
        self
    }

    /// Makes [`CaptureOnly`](super::Variant::CaptureOnly) a compute stage, for devices whose vertex stages cannot
    /// store. [Dispatch](super::Layout::work_groups) it before the render pass that draws
    /// [`RasterOnly`](super::Variant::RasterOnly). [`Both`](super::Variant::Both) is not available, and
    /// [`point_size`](Self::point_size) has no effect. The shader cannot have vertex attributes:
    /// [pull](crate::vertex_pulling) them first. Built-in inputs that compute stages lack, such as `ViewIndex`, are
    /// refused.
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

    /// Allows primitive restart (`primitiveRestartEnable`): an index with all bits set starts a new primitive. The
    /// host makes a [table](super::Segments) of the segments between restarts. The shader reads the table from the
    /// storage buffer after the index buffer, or from its address. This option implies [`indexed`](Self::indexed).
    #[must_use]
    pub fn restart(mut self) -> Self {
        let indexed = self.draws.indexed.unwrap_or_default();
        self.draws.indexed = Some(Indexed { restart: true, ..indexed });
        self
    }

    /// Runs the shader once for each vertex of a draw that is both captured and rasterized.
    /// [`SpillOutputs`](super::Variant::SpillOutputs) stores all outputs of the stage in an additional storage buffer
    /// of [`Layout::outputs_size`](super::Layout::outputs_size) bytes, at the binding after the feedback and index
    /// buffers. After a barrier, [`ReloadOutputs`](super::Variant::ReloadOutputs) loads the outputs. This is faster if
    /// running the shader costs more than storing and loading its outputs. The option is refused if buffers have
    /// [addresses](Self::params) or indices [restart](Self::restart) primitives.
    #[must_use]
    pub fn spill_outputs(mut self) -> Self {
        self.draws.spill_outputs = true;
        self
    }

    /// Whether only bindings, the source of host parameters and specialization constants differ from the defaults.
    pub(super) fn only_place(&self) -> bool {
        let Self { set, binding, params, ref constants, .. } = *self;
        *self == Self { set, binding, params, constants: constants.clone(), ..Self::default() }
    }

    /// Returns the bindings that the options set explicitly, for the feedback buffers, the index buffer, the table of
    /// segments, the spilled outputs and the host parameters.
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
}
