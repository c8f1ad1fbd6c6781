//! What the storage path needs to know of a capture, and captures as lowerings make them.

use super::{Capture, FeedbackBuffer, Path};
use polyshade::host::{Binding, HostParams, LimitName, ParamSource, Purpose, Requirements, Set};
use polyshade::transform_feedback::{self, Decorated, Layout, Prepared};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The descriptors of the variants that store.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Storage {
    /// The set of the feedback buffers, unless they are found by addresses.
    #[cfg_attr(feature = "serde", serde(default))]
    pub set: Set,
    /// The binding of feedback buffer 0; that of buffer `i` is larger by `i`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub binding: Binding,
    /// The place of the words that the host fills in. Where they are found by an address, so are the buffers.
    pub host: ParamSource,
    /// All storage buffers of the stage, its own included.
    pub storage_buffers: u32,
    /// The names of the words; by default those of variants for any draw.
    #[cfg_attr(feature = "serde", serde(default))]
    pub words: Vec<String>,
    /// The topologies that the variants are for; by default all without adjacency.
    #[cfg_attr(feature = "serde", serde(default))]
    pub topologies: Vec<transform_feedback::Topology>,
    /// Whether the variants take buffers that are not bound.
    #[cfg_attr(feature = "serde", serde(default))]
    pub unbound_buffers: bool,
    /// How the variants read indices, where they are for draws that have some.
    #[cfg_attr(feature = "serde", serde(default))]
    pub indices: Option<StoredIndices>,
    /// The buffer through which outputs can be passed, where the variants are there for it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub outputs: Option<StoredOutputs>,
}

/// The buffer through which outputs are passed from the capture pass to the raster pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct StoredOutputs {
    /// Its binding in the set of the feedback buffers.
    pub buffer: Binding,
    /// The bytes of a vertex.
    pub stride: u32,
}

/// How variants read indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct StoredIndices {
    /// The binding of the index buffer in the set of the feedback buffers, unless it is found by an address.
    pub buffer: Option<Binding>,
    /// Whether an index may restart primitives, so that there is a table of segments.
    pub restart: bool,
    /// The binding of the table, unless it is found by an address.
    pub segments: Option<Binding>,
    /// Whether the shader reads `gl_DrawID`, so that there is a word for it. Not looked at where the words are named.
    pub draw_index: bool,
}

impl Capture {
    /// The capture of a lowering into storage buffers, by its layout, its host parameters and its requirements.
    pub fn stored(layout: &Layout, words: &HostParams, needs: &Requirements) -> Self {
        let buffer = |layout| FeedbackBuffer::of(layout, 0);
        let first = needs.descriptors.iter().find_map(|one| match one.purpose {
            Purpose::Feedback(number) => {
                Some((one.set, Binding(one.binding.0.wrapping_sub(number))))
            }
            _ => None,
        });
        let by_address = words.source.is_address().then_some((Set(0), Binding(0)));
        let storage = first.or(by_address).map(|(set, binding)| Storage {
            set,
            binding,
            host: words.source,
            storage_buffers: needs.limits.get(&STORAGE_BUFFERS).copied().unwrap_or(0),
            words: words.params.iter().map(|word| word.name.clone().into_owned()).collect(),
            topologies: layout.topologies().to_vec(),
            unbound_buffers: layout.takes_unbound_buffers(),
            indices: StoredIndices::of(words, needs),
            outputs: StoredOutputs::of(layout, needs),
        });
        let path = layout.is_dispatched().then_some(Path::Compute);
        Self { path, buffers: layout.buffers.iter().map(buffer).collect(), storage }
    }
}

impl Storage {
    /// Whether the words are those of variants that are dispatched, for draws of several instances.
    pub(crate) fn is_dispatched(&self) -> bool {
        self.words.iter().any(|word| word == "instance_count")
    }
}

impl StoredIndices {
    /// Those of a lowering, if its variants read some.
    fn of(words: &HostParams, needs: &Requirements) -> Option<Self> {
        words.number("index_size")?;
        let bound = |purpose: Purpose| {
            needs.descriptors.iter().find(|one| one.purpose == purpose).map(|one| one.binding)
        };
        let segments = bound(Purpose::Segments);
        let restart = segments.is_some() || words.number("table_size").is_some();
        let draw_index = words.number("draw_index").is_some();
        Some(Self { buffer: bound(Purpose::Indices), restart, segments, draw_index })
    }
}

impl StoredOutputs {
    /// That of a lowering, if one of its variants stores outputs for another.
    fn of(layout: &Layout, needs: &Requirements) -> Option<Self> {
        let bound = needs.descriptors.iter().find(|one| one.purpose == Purpose::Outputs)?;
        Some(Self { buffer: bound.binding, stride: layout.outputs_stride() })
    }
}

impl From<&Prepared<'_>> for Capture {
    fn from(prepared: &Prepared<'_>) -> Self {
        Self::stored(prepared.layout(), prepared.params(), prepared.requirements())
    }
}

impl From<&Decorated> for Capture {
    /// The capture of a decorated shader, which has no storage path.
    fn from(decorated: &Decorated) -> Self {
        let layouts = decorated.layout.buffers.iter().zip(&decorated.streams);
        let buffers = layouts.map(|(layout, stream)| FeedbackBuffer::of(layout, *stream));
        Self { path: Some(Path::Extension), buffers: buffers.collect(), storage: None }
    }
}

/// The limit that says how many storage buffers a stage has.
pub(crate) const STORAGE_BUFFERS: LimitName = LimitName::MaxPerStageDescriptorStorageBuffers;
