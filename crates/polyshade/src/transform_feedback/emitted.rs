//! The properties of a geometry shader that determine sizes, dispatches and counters.

use super::draw_constraints::{DrawParam, Draws};
use super::topology::Topology;

/// The properties of a geometry shader in a layout.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Geometry {
    /// The vertex stream that each feedback buffer captures.
    pub(super) streams: Vec<u32>,
    /// The topology of the emitted primitives: a list.
    pub(super) topology: Topology,
    pub(super) invocations: u32,
    pub(super) most_primitives: u32,
    /// The number of vertex streams that the shader emits to.
    pub(super) emitted_streams: u32,
    /// The numbers of primitives that every invocation emits to the four vertex streams, if they are constants of the
    /// shader.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(super) constant: Option<[u32; 4]>,
    /// The maximum numbers of primitives that an invocation emits to the four vertex streams, if its primitives are
    /// stored sparsely.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(super) sparse: Option<[u32; 4]>,
}

impl Geometry {
    /// Returns the host parameters: for the draw, then for each of `buffers` feedback buffers.
    pub(super) fn host_words(&self, draws: &Draws, buffers: u32) -> Vec<DrawParam> {
        let has_winding = |one: Topology| {
            matches!(one.without_adjacency(), Topology::TriangleStrip | Topology::TriangleFan)
        };
        // The device assembles the primitives of a draw. A compute stage does it with these parameters.
        let (compute, instances) = (draws.compute, !draws.one_instance);
        let counts = self.constant.is_none() && self.sparse.is_none();
        let flags = draws.unbound
            || self.topology == Topology::TriangleList
            || compute && draws.any(has_winding);
        let of_draw = [
            (DrawParam::Topology, compute && draws.topology().is_none()),
            (DrawParam::Flags, flags),
            (DrawParam::VertexCount, compute),
            (DrawParam::PrimitiveCount, !compute && (instances || counts)),
            (DrawParam::InstanceCount, instances && (compute || counts)),
            (DrawParam::FirstInstance, !compute && instances),
        ];
        let of_draw = of_draw.into_iter().filter(|(_, is)| *is).map(|(word, _)| word);
        let mut words: Vec<DrawParam> = of_draw.collect();
        if self.sparse.is_some() {
            words.extend([
                DrawParam::CountsAddressLow,
                DrawParam::CountsAddressHigh,
                DrawParam::CountsSize,
            ]);
        }
        (0..buffers).for_each(|buffer| draws.add_range(&mut words, buffer));
        words
    }

    /// Returns the maximum number of vertices that `invocations` emit to a stream, as separate primitives.
    pub(super) fn most_vertices(&self, invocations: u64) -> u64 {
        let vertices = self.topology.vertices_per_primitive();
        invocations.saturating_mul(self.most_primitives.into()).saturating_mul(vertices.into())
    }
}
