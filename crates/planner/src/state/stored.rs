//! The data about a capture that the storage path needs, and conversions from the results of lowerings.

use super::{Capture, FeedbackBuffer, Path};
use polyshade::host::{Binding, HostParams, LimitName, ParamSource, Purpose, Requirements, Set};
use polyshade::transform_feedback::{self, Decorated, Layout, Prepared};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The descriptors of the variants that store.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
pub struct Storage {
    /// The set of the feedback buffers, unless the shader reads their addresses.
    #[cfg_attr(feature = "serde", serde(default))]
    pub set: Set,
    /// The binding of feedback buffer 0; buffer `i` has this binding plus `i`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub binding: Binding,
    /// Where the shader reads the host parameters. With an address, the shader also addresses the feedback buffers.
    pub params_at: ParamSource,
    /// The number of storage buffers of the stage, including those of the original shader.
    pub storage_buffers: u32,
    /// The names of the host parameters. The default is the list for variants that support any draw.
    #[cfg_attr(feature = "serde", serde(default))]
    pub params: Vec<String>,
    /// The topologies that the variants support. The default is all topologies without adjacency.
    #[cfg_attr(feature = "serde", serde(default))]
    pub topologies: Vec<transform_feedback::Topology>,
    /// Whether the variants allow unbound feedback buffers.
    #[cfg_attr(feature = "serde", serde(default))]
    pub unbound_buffers: bool,
    /// How the variants read indices, if they are for indexed draws.
    #[cfg_attr(feature = "serde", serde(default))]
    pub indices: Option<StoredIndices>,
    /// The buffer that can pass outputs to the raster pass, if the variants support it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub outputs: Option<StoredOutputs>,
}

/// The buffer that passes outputs from the capture pass to the raster pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
pub struct StoredOutputs {
    /// The binding of the buffer in the set of the feedback buffers.
    pub buffer: Binding,
    /// The size of a vertex in the buffer, in bytes.
    pub stride: u32,
}

/// How variants read indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(default, deny_unknown_fields))]
pub struct StoredIndices {
    /// The binding of the index buffer in the set of the feedback buffers; `None` if the shader reads its address.
    pub buffer: Option<Binding>,
    /// Whether an index may restart primitives. If so, the variants read a segment table.
    pub restart: bool,
    /// The binding of the segment table; `None` if the shader reads its address.
    pub segments: Option<Binding>,
    /// Whether the shader reads `gl_DrawID`, which needs a host parameter. This field is ignored if the parameters
    /// are named.
    pub draw_index: bool,
}

impl Capture {
    /// Returns the capture of a lowering that stores to buffers, from its layout, host parameters and requirements.
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
            params_at: words.source,
            storage_buffers: needs.limits.get(&STORAGE_BUFFERS).copied().unwrap_or(0),
            params: words.params.iter().map(|word| word.name.clone().into_owned()).collect(),
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
    /// Whether the host parameters belong to dispatched variants, which support several instances.
    pub(crate) fn is_dispatched(&self) -> bool {
        self.params.iter().any(|word| word == "instance_count")
    }
}

impl StoredIndices {
    /// Returns how the variants of a lowering read indices, if they do.
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
    /// Returns the outputs buffer of a lowering, if one of its variants stores outputs for another variant.
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
    /// Returns the capture of a decorated shader, which has no storage path.
    fn from(decorated: &Decorated) -> Self {
        let layouts = decorated.layout.buffers.iter().zip(&decorated.streams);
        let buffers = layouts.map(|(layout, stream)| FeedbackBuffer::of(layout, *stream));
        Self { path: Some(Path::Extension), buffers: buffers.collect(), storage: None }
    }
}

/// The limit on the number of storage buffers of a stage.
pub(crate) const STORAGE_BUFFERS: LimitName = LimitName::MaxPerStageDescriptorStorageBuffers;
