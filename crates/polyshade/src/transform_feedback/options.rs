//! What to capture, and how.

use super::varying::{StreamOutputEntry, Varying};
use crate::TransformFeedback;
use crate::moves::{Binding, Set};
use crate::reserved::Reserved;
use polyshade_spv::ExecutionModel;

/// Where the shader reads the words from that the host fills in for each draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum HostWords {
    /// A range of a storage buffer.
    StorageBuffer {
        /// Its set.
        set: Set,
        /// Its binding.
        binding: Binding,
    },
    /// A uniform buffer.
    Uniform {
        /// Its set.
        set: Set,
        /// Its binding.
        binding: Binding,
    },
    /// Push constants from this byte on: a multiple of 4 behind what the shader has itself.
    PushConstant {
        /// In bytes.
        offset: u32,
    },
    /// Specialization constants with consecutive numbers: a pipeline for each draw state.
    Specialization {
        /// Number of the first.
        first_id: u32,
    },
}

/// Where the host words are to be. A descriptor's set is that of the feedback buffers, and its binding the one behind
/// theirs, unless said otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Host {
    StorageBuffer { set: Option<Set>, binding: Option<Binding> },
    Uniform { set: Option<Set>, binding: Option<Binding> },
    PushConstant { offset: u32 },
    Specialization { first_id: u32 },
}

impl Default for Host {
    fn default() -> Self {
        Self::StorageBuffer { set: None, binding: None }
    }
}

impl From<HostWords> for Host {
    fn from(words: HostWords) -> Self {
        match words {
            HostWords::StorageBuffer { set, binding } => {
                Self::StorageBuffer { set: Some(set), binding: Some(binding) }
            }
            HostWords::Uniform { set, binding } => {
                Self::Uniform { set: Some(set), binding: Some(binding) }
            }
            HostWords::PushConstant { offset } => Self::PushConstant { offset },
            HostWords::Specialization { first_id } => Self::Specialization { first_id },
        }
    }
}

/// What becomes of stores and atomics that the shader does itself, where it runs in two passes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum SideEffects {
    /// A shader that has some is refused.
    #[default]
    Refuse,
    /// They stay in the capture pass and go from the raster pass.
    InCapture,
    /// They stay in the raster pass and go from the capture pass.
    InRaster,
}

/// What to capture from which entry point, into which buffers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    entry: String,
    stage: ExecutionModel,
    varyings: Varyings,
    repeats: bool,
    output_components: u32,
    device: Option<TransformFeedback>,
    storage: Option<(Set, Binding)>,
    host: Host,
    constants: Vec<(u32, u64)>,
    reserved: Reserved,
    side_effects: SideEffects,
    point_size: bool,
    names: bool,
}

/// What to capture, in its order.
#[derive(Clone, PartialEq, Eq, Debug)]
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

/// `maxVertexOutputComponents` and its like that every device has (Vulkan specification, "Required limits").
const LEAST_OUTPUT_COMPONENTS: u32 = 64;

impl Options {
    /// Captures from the vertex entry point `entry`: nothing yet, into storage buffers from binding 0 on of the last of
    /// the four sets that every Vulkan device has which the shader does not use and nobody reserves.
    pub fn new(entry: impl Into<String>) -> Self {
        Self {
            entry: entry.into(),
            stage: ExecutionModel::VERTEX,
            varyings: Varyings::Interleaved(Vec::new()),
            repeats: false,
            output_components: LEAST_OUTPUT_COMPONENTS,
            device: None,
            storage: None,
            host: Host::default(),
            constants: Vec::new(),
            reserved: Reserved::default(),
            side_effects: SideEffects::default(),
            point_size: true,
            names: true,
        }
    }

    /// The stage of the entry point; unless said otherwise the vertex stage. It is the last one before rasterization.
    #[must_use]
    pub fn stage(mut self, stage: ExecutionModel) -> Self {
        self.stage = stage;
        self
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
    pub fn repeats(mut self) -> Self {
        self.repeats = true;
        self
    }

    /// How many components the device lets the stage hand on: `maxVertexOutputComponents` or its like. With the
    /// extension, outputs that are added take locations below a quarter of it. Unless said otherwise it is 64, which
    /// every device has.
    #[must_use]
    pub fn max_output_components(mut self, components: u32) -> Self {
        self.output_components = components;
        self
    }

    /// What the device offers of `VK_EXT_transform_feedback`: buffers, streams, strides, how much of a vertex. With the
    /// extension, what goes beyond it is refused by the limit's name. [`TransformFeedback::default`] is the least that
    /// Vulkan guarantees. Unless a device is named nothing is refused, and the requirements say what it must have.
    #[must_use]
    pub fn device(mut self, device: TransformFeedback) -> Self {
        self.device = Some(device);
        self
    }

    /// Feedback buffer `i` is the storage buffer at `binding + i` of `set`.
    #[must_use]
    pub fn into_storage(mut self, set: Set, binding: Binding) -> Self {
        self.storage = Some((set, binding));
        self
    }

    /// Where the host words are; unless said otherwise in a storage buffer at the binding behind the last feedback
    /// buffer.
    #[must_use]
    pub fn host(mut self, host: impl Into<Host>) -> Self {
        self.host = host.into();
        self
    }

    /// Gives the specialization constant `id` the value `bits`, for good: in the variants it is a plain constant. The
    /// sizes of outputs that depend on it are then known. Of booleans, 0 is false.
    #[must_use]
    pub fn specialize(mut self, id: u32, bits: u64) -> Self {
        self.constants.push((id, bits));
        self
    }

    /// Keeps what is added clear of what others use.
    #[must_use]
    pub fn reserved(mut self, reserved: Reserved) -> Self {
        self.reserved = reserved;
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

    /// Whether what is added gets debug names. It does unless told otherwise.
    #[must_use]
    pub fn names(mut self, names: bool) -> Self {
        self.names = names;
        self
    }

    pub(super) fn entry(&self) -> &str {
        &self.entry
    }

    pub(super) fn stage_wanted(&self) -> ExecutionModel {
        self.stage
    }

    pub(super) fn takes_repeats(&self) -> bool {
        self.repeats
    }

    pub(super) fn output_components(&self) -> u32 {
        self.output_components
    }

    pub(super) fn device_named(&self) -> Option<&TransformFeedback> {
        self.device.as_ref()
    }

    pub(super) fn varyings(&self) -> &Varyings {
        &self.varyings
    }

    pub(super) fn storage(&self) -> Option<(Set, Binding)> {
        self.storage
    }

    pub(super) fn host_wanted(&self) -> Host {
        self.host
    }

    pub(super) fn constants(&self) -> &[(u32, u64)] {
        &self.constants
    }

    pub(super) fn reservations(&self) -> &Reserved {
        &self.reserved
    }

    pub(super) fn side_effects_kept(&self) -> SideEffects {
        self.side_effects
    }

    pub(super) fn writes_point_size(&self) -> bool {
        self.point_size
    }

    pub(super) fn has_names(&self) -> bool {
        self.names
    }
}
