//! What to capture, and how.

use crate::moves::{Binding, Set};

/// Where the shader reads the words from that the host fills in for each draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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

/// What becomes of stores and atomics that the shader does itself, where it runs in two passes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
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
    varyings: Varyings,
    storage: (Set, Binding),
    host: Option<HostWords>,
    side_effects: SideEffects,
    point_size: bool,
    names: bool,
}

/// The varyings by name, in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Varyings {
    /// One buffer, until `gl_NextBuffer` says otherwise.
    Interleaved(Vec<String>),
    /// A buffer each.
    Separate(Vec<String>),
}

impl Options {
    /// Captures from the vertex entry point `entry`: nothing yet, into storage buffers from set 3,
    /// binding 0 on: the last set that every Vulkan device has.
    pub fn new(entry: impl Into<String>) -> Self {
        Self {
            entry: entry.into(),
            varyings: Varyings::Interleaved(Vec::new()),
            storage: (Set(3), Binding(0)),
            host: None,
            side_effects: SideEffects::default(),
            point_size: true,
            names: true,
        }
    }

    /// Captures these varyings, one behind the other, into one buffer: `GL_INTERLEAVED_ATTRIBS`.
    ///
    /// Names are OpenGL's: `name`, `name[i]`, `name.member`, `Block.member` by the block's name, `gl_Position`,
    /// `gl_PointSize`, `gl_ClipDistance`, … `gl_NextBuffer` goes on in the next buffer,
    /// `gl_SkipComponents1` to `gl_SkipComponents4` leave 4 to 16 bytes as they are.
    #[must_use]
    pub fn interleaved<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.varyings = Varyings::Interleaved(names.into_iter().map(Into::into).collect());
        self
    }

    /// Captures each of these varyings into a buffer of its own: `GL_SEPARATE_ATTRIBS`.
    #[must_use]
    pub fn separate<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.varyings = Varyings::Separate(names.into_iter().map(Into::into).collect());
        self
    }

    /// Feedback buffer `i` is the storage buffer at `binding + i` of `set`.
    #[must_use]
    pub fn into_storage(mut self, set: Set, binding: Binding) -> Self {
        self.storage = (set, binding);
        self
    }

    /// Where the host words are; unless said otherwise in a storage buffer at the binding behind the last feedback
    /// buffer.
    #[must_use]
    pub fn host(mut self, host: HostWords) -> Self {
        self.host = Some(host);
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

    pub(super) fn varyings(&self) -> &Varyings {
        &self.varyings
    }

    pub(super) fn storage(&self) -> (Set, Binding) {
        self.storage
    }

    /// The binding behind the last feedback buffer: where the host words are unless the options say otherwise.
    pub fn binding_behind_buffers(&self) -> Binding {
        let buffers = match &self.varyings {
            Varyings::Interleaved(names) => {
                names.iter().filter(|name| *name == "gl_NextBuffer").count() + 1
            }
            Varyings::Separate(names) => names.len(),
        };
        Binding(self.storage.1.0.saturating_add(buffers as u32))
    }

    pub(super) fn host_words(&self) -> HostWords {
        let (set, binding) = (self.storage.0, self.binding_behind_buffers());
        self.host.unwrap_or(HostWords::StorageBuffer { set, binding })
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
