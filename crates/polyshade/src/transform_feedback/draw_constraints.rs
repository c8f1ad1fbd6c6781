//! The restrictions on draws with the variants, and the host parameters that the allowed draws need.

use super::draw::{BufferRange, Draw, MOST_VERTICES, ProvokingVertex};
use super::indices::{IndexType, Indices};
use super::topology::Topology;
use crate::code;
use crate::host::{HostParam, HostParams, ParamSource};
use polyshade_spv::Error;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The restrictions on draws. The generated code handles only draws that meet them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub(super) struct Draws {
    /// The allowed topologies, in the order of [`Topology::ALL`].
    topologies: Vec<Topology>,
    pub(super) one_instance: bool,
    /// Whether the host parameters contain the number of slots to store instead of the sizes of the ranges.
    pub(super) limit_in_vertices: bool,
    /// Whether the parameters contain the addresses of the feedback ranges instead of their offsets in bound buffers.
    pub(super) by_address: bool,
    /// Whether feedback buffers may be unbound.
    pub(super) unbound: bool,
    /// Whether a compute stage captures.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub(super) compute: bool,
    /// Whether all outputs are stored for `ReloadOutputs`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub(super) spill_outputs: bool,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "BTreeSet::is_empty"))]
    pub(super) constant_attributes: BTreeSet<u32>,
    /// The restrictions on the indices; `None` for draws without indices.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(super) indexed: Option<Indexed>,
    /// Whether the shader reads `DrawIndex`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub(super) asks_draw_index: bool,
}

/// The restrictions on indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub(super) struct Indexed {
    /// The type of the indices; if `None`, a host parameter sets it.
    pub(super) index_type: Option<IndexType>,
    pub(super) restart: bool,
}

impl Default for Draws {
    /// Returns no restrictions, except that topologies with adjacency are not allowed: only devices with geometry
    /// stages support them.
    fn default() -> Self {
        let mut topologies = Topology::ALL.to_vec();
        topologies.retain(|topology| !topology.has_adjacency());
        Self {
            topologies,
            one_instance: false,
            limit_in_vertices: false,
            by_address: false,
            unbound: false,
            compute: false,
            spill_outputs: false,
            constant_attributes: BTreeSet::new(),
            indexed: None,
            asks_draw_index: false,
        }
    }
}

/// A host parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DrawParam {
    Topology,
    Flags,
    FirstVertex,
    VertexCount,
    PrimitiveCount,
    Slots,
    InstanceCount,
    FirstInstance,
    Limit,
    IndexType,
    VertexOffset,
    DrawIndex,
    IndexOffset,
    IndexAddressLow,
    IndexAddressHigh,
    IndexSize,
    TableAddressLow,
    TableAddressHigh,
    TableSize,
    CountsAddressLow,
    CountsAddressHigh,
    CountsSize,
    /// The parameters from here on belong to the feedback buffer with the contained number.
    Offset(u32),
    Size(u32),
    Counter(u32),
    Start(u32),
    AddressLow(u32),
    AddressHigh(u32),
}

impl DrawParam {
    fn name(self, draws: &Draws) -> Cow<'static, str> {
        match self {
            Self::FirstVertex if draws.indexed.is_some() => "first_index".into(),
            Self::VertexCount if draws.indexed.is_some() => "index_count".into(),
            Self::Topology => "topology".into(),
            Self::Flags => "flags".into(),
            Self::FirstVertex => "first_vertex".into(),
            Self::VertexCount => "vertex_count".into(),
            Self::PrimitiveCount => "primitive_count".into(),
            Self::Slots => "slots".into(),
            Self::InstanceCount => "instance_count".into(),
            Self::FirstInstance => "first_instance".into(),
            Self::Limit => "limit".into(),
            Self::IndexType => "index_type".into(),
            Self::VertexOffset => "vertex_offset".into(),
            Self::DrawIndex => "draw_index".into(),
            Self::IndexOffset => "index_offset".into(),
            Self::IndexAddressLow => "index_address_low".into(),
            Self::IndexAddressHigh => "index_address_high".into(),
            Self::IndexSize => "index_size".into(),
            Self::TableAddressLow => "table_address_low".into(),
            Self::TableAddressHigh => "table_address_high".into(),
            Self::TableSize => "table_size".into(),
            Self::CountsAddressLow => "counts_address_low".into(),
            Self::CountsAddressHigh => "counts_address_high".into(),
            Self::CountsSize => "counts_size".into(),
            Self::Offset(buffer) => format!("offset_{buffer}").into(),
            Self::Size(buffer) => format!("size_{buffer}").into(),
            Self::Counter(buffer) => format!("counter_{buffer}").into(),
            Self::Start(buffer) => format!("start_{buffer}").into(),
            Self::AddressLow(buffer) => format!("address_low_{buffer}").into(),
            Self::AddressHigh(buffer) => format!("address_high_{buffer}").into(),
        }
    }

    fn meaning(self, draws: &Draws) -> &'static str {
        match self {
            Self::Topology if draws.any(Topology::has_adjacency) => {
                "0 point list, 1 line list, 2 line strip, 3 triangle list, 4 triangle strip, \
                 5 triangle fan, 6 to 9 lists and strips with adjacency, 16 line loop"
            }
            Self::Topology => {
                "0 point list, 1 line list, 2 line strip, 3 triangle list, 4 triangle strip, \
                 5 triangle fan, 16 line loop"
            }
            Self::Flags if draws.unbound => {
                "bit 0: the last vertex is the provoking vertex; bit 1 + b: feedback buffer b is not bound"
            }
            Self::Flags => "bit 0: the last vertex is the provoking vertex",
            Self::FirstVertex if draws.indexed.is_some() => "firstIndex of the draw",
            Self::FirstVertex => "firstVertex of the draw",
            Self::VertexCount if draws.indexed.is_some() => "indexCount of the draw",
            Self::VertexCount => "vertexCount of the draw: the vertices of each instance",
            Self::PrimitiveCount => "primitives of an instance",
            Self::Slots => "vertices of all primitives of an instance",
            Self::InstanceCount => "instanceCount of the draw",
            Self::FirstInstance => "firstInstance of the draw",
            Self::Limit => {
                "vertices of all primitives of the draw that fit into every feedback range"
            }
            Self::IndexType => "0: 8 bits, 1: 16 bits, 2: 32 bits",
            Self::VertexOffset => "vertexOffset of the draw",
            Self::DrawIndex => "number of the draw in a multi-draw",
            Self::IndexOffset => "bytes from the start of the bound range to index 0",
            Self::IndexAddressLow => "lower 32 bits of the address of index 0",
            Self::IndexAddressHigh => "upper 32 bits of the address of index 0",
            Self::IndexSize => "bytes of the index buffer from index 0 on",
            Self::TableAddressLow => "lower 32 bits of the address of the segment table",
            Self::TableAddressHigh => "upper 32 bits of the address of the segment table",
            Self::TableSize => "bytes of the segment table",
            Self::CountsAddressLow => "lower 32 bits of the address of the table of counts",
            Self::CountsAddressHigh => "upper 32 bits of the address of the table of counts",
            Self::CountsSize => "bytes of the table of counts",
            Self::Offset(_) => {
                "bytes from the start of the bound range to the start of the feedback range"
            }
            Self::Size(_) => "bytes of the feedback range",
            Self::Counter(_) => "bytes of the feedback range that earlier draws have filled",
            Self::Start(_) => {
                "bytes from the start of the bound range to the first byte that the draw fills"
            }
            Self::AddressLow(_) => "lower 32 bits of the address of the feedback range",
            Self::AddressHigh(_) => "upper 32 bits of the address of the feedback range",
        }
    }

    /// Returns the mask of the bit in the flags that states that a buffer is unbound.
    pub(super) fn unbound_bit(buffer: u32) -> u32 {
        2 << buffer
    }

    /// Returns the parameter's value for `draw`; `fits` is the number of its primitives that fit into `ranges`.
    pub(super) fn value(self, draw: &Draw, ranges: &[BufferRange], fits: u64) -> u32 {
        let range = |buffer: u32| match ranges[buffer as usize] {
            BufferRange::UNBOUND => BufferRange::default(),
            range => range,
        };
        let address = |buffer: u32| range(buffer).address.wrapping_add(range(buffer).offset.into());
        let corners = |primitives: u64| {
            let corners = primitives * u64::from(draw.topology.vertices_per_primitive());
            // Saturation is harmless: slots that do not fit into the buffers are never stored.
            u32::try_from(corners).unwrap_or(u32::MAX)
        };
        // The range of the table of counts follows those of the feedback buffers.
        let counts = || ranges.len() as u32 - 1;
        let indices = || draw.indices.expect("a checked draw has indices");
        let of_indices = |Indices { address, offset, .. }| address.wrapping_add(offset.into());
        match self {
            Self::Topology => draw.topology as u32,
            Self::Flags => {
                let unbound =
                    (0..).zip(ranges).filter(|(_, range)| **range == BufferRange::UNBOUND);
                let unbound = unbound.map(|(buffer, _)| Self::unbound_bit(buffer)).sum::<u32>();
                u32::from(draw.provoking_vertex == ProvokingVertex::Last) | unbound
            }
            Self::FirstVertex => draw.first_vertex,
            Self::VertexCount => draw.vertex_count,
            Self::PrimitiveCount if draw.instance_count == 0 => 0,
            Self::PrimitiveCount => draw.primitives_per_instance(),
            Self::Slots => corners(draw.primitives_per_instance().into()),
            Self::InstanceCount => draw.instance_count,
            Self::FirstInstance => draw.first_instance,
            Self::Limit => corners(fits),
            Self::IndexType => indices().index_type as u32,
            Self::VertexOffset => indices().vertex_offset.cast_unsigned(),
            Self::DrawIndex => draw.draw_index,
            Self::IndexOffset => indices().offset,
            Self::IndexAddressLow => of_indices(indices()) as u32,
            Self::IndexAddressHigh => (of_indices(indices()) >> 32) as u32,
            Self::IndexSize => indices().size,
            Self::TableAddressLow => indices().table_address as u32,
            Self::TableAddressHigh => (indices().table_address >> 32) as u32,
            Self::TableSize => indices().table_size,
            Self::CountsAddressLow => address(counts()) as u32,
            Self::CountsAddressHigh => (address(counts()) >> 32) as u32,
            Self::CountsSize => range(counts()).size,
            Self::Offset(buffer) => range(buffer).offset,
            Self::Size(buffer) => range(buffer).size,
            Self::Counter(buffer) => range(buffer).counter,
            Self::Start(buffer) => range(buffer).offset.saturating_add(range(buffer).counter),
            Self::AddressLow(buffer) => address(buffer) as u32,
            Self::AddressHigh(buffer) => (address(buffer) >> 32) as u32,
        }
    }
}

impl Draws {
    /// Restricts the draws to these topologies.
    pub(super) fn set_topologies(&mut self, topologies: impl IntoIterator<Item = Topology>) {
        let given: Vec<Topology> = topologies.into_iter().collect();
        self.topologies = Topology::ALL.into_iter().filter(|one| given.contains(one)).collect();
    }

    pub(super) fn topologies(&self) -> &[Topology] {
        &self.topologies
    }

    /// Refuses an empty list of topologies.
    pub(super) fn check_topologies(&self) -> Result<(), Error> {
        if self.topologies.is_empty() {
            return Err(Error::new(&code::CAPTURE_NO_TOPOLOGY, "the list of topologies is empty"));
        }
        Ok(())
    }

    /// Whether there are no restrictions.
    pub(super) fn are_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the topology if only one topology is allowed.
    pub(super) fn topology(&self) -> Option<Topology> {
        match self.topologies[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// Returns the topology of the captured primitives, without adjacency, if only one topology is possible.
    pub(super) fn captured_topology(&self) -> Option<Topology> {
        let first = self.topologies.first()?.without_adjacency();
        self.all(|one| one.without_adjacency() == first).then_some(first)
    }

    /// Whether [`Both`](super::Variant::Both) can capture some of the draws, without a separate capture pass.
    pub(super) fn are_captured_at_once(&self) -> bool {
        self.any(Topology::is_list_or_strip) && self.indexed.is_none() && !self.compute
    }

    /// Whether indices may restart primitives.
    pub(super) fn restart(&self) -> bool {
        self.indexed.is_some_and(|indexed| indexed.restart)
    }

    /// Returns the number of buffers for indices: the index buffer and the table of segments.
    pub(super) fn index_buffers(&self) -> u32 {
        u32::from(self.indexed.is_some()) + u32::from(self.restart())
    }

    /// Returns the number of buffers that a capturing variant has in addition to the feedback buffers.
    pub(super) fn further_buffers(&self) -> u32 {
        self.index_buffers() + u32::from(self.spill_outputs)
    }

    /// Refuses to spill outputs together with incompatible options.
    pub(super) fn check_spill_outputs(&self) -> Result<(), Error> {
        let refused = [
            (
                self.by_address,
                &code::CAPTURE_SPILL_BY_ADDRESS,
                "cannot spill outputs: they need a bound buffer, but host parameters at an address use no bindings",
            ),
            (
                self.restart(),
                &code::CAPTURE_SPILL_RESTART,
                "cannot spill outputs: they are read by draws without indices, which cannot restart primitives",
            ),
        ];
        match refused.into_iter().find(|(is, ..)| self.spill_outputs && *is) {
            Some((_, code, message)) => Err(Error::new(code, message)),
            None => Ok(()),
        }
    }

    /// Whether each vertex has exactly one slot in its instance, with the number of the vertex.
    pub(super) fn slots_are_vertices(&self) -> bool {
        self.all(|one| one.is_list() && !one.has_adjacency()) && !self.restart()
    }

    pub(super) fn all(&self, is: impl Fn(Topology) -> bool) -> bool {
        self.topologies.iter().all(|one| is(*one))
    }

    pub(super) fn any(&self, is: impl Fn(Topology) -> bool) -> bool {
        self.topologies.iter().any(|one| is(*one))
    }

    /// Whether the generated code reads the topology from a host parameter.
    fn needs_topology(&self) -> bool {
        self.topology().is_none() && !(self.limit_in_vertices && self.slots_are_vertices())
    }

    /// Refuses a draw that violates the restrictions.
    pub(super) fn check(&self, draw: &Draw) -> Result<(), Error> {
        let mismatch = |message: String| Err(Error::new(&code::CAPTURE_DRAW_MISMATCH, message));
        let too_large = |message: String| Err(Error::new(&code::CAPTURE_DRAW_TOO_LARGE, message));
        if !self.topologies.contains(&draw.topology) {
            let topology = draw.topology.name();
            return mismatch(format!("the variants were not made for a {topology}"));
        }
        if self.one_instance && draw.instance_count > 1 {
            let count = draw.instance_count;
            return mismatch(format!(
                "the variants are for one instance, but the draw has {count}"
            ));
        }
        // Invocations and stored vertices are numbered with 32 bits.
        let vertices = draw.vertices();
        if self.compute && vertices > MOST_VERTICES {
            return too_large(format!(
                "the draw has {vertices} vertices over all instances, but a dispatch can have {MOST_VERTICES}"
            ));
        }
        if self.spill_outputs && vertices > u32::MAX.into() {
            let most = u32::MAX;
            return too_large(format!(
                "the draw has {vertices} vertices over all instances, but only {most} can be spilled"
            ));
        }
        match (self.indexed, draw.indices) {
            (None, None) => Ok(()),
            (Some(indexed), Some(indices)) => self.check_indices(indexed, &indices),
            (None, Some(_)) => {
                mismatch("the variants were not made for a draw with indices".into())
            }
            (Some(_), None) => mismatch("the variants are for draws with indices".into()),
        }
    }

    /// Refuses indices that the variants cannot read.
    fn check_indices(&self, indexed: Indexed, indices: &Indices) -> Result<(), Error> {
        let refused = |code, message: String| Err(Error::new(code, message));
        let mismatch = |message: String| refused(&code::CAPTURE_DRAW_MISMATCH, message);
        let misaligned = |message: String| refused(&code::CAPTURE_INDICES_MISALIGNED, message);
        let bits = 8 * indices.index_type.bytes();
        if indexed.index_type.is_some_and(|known| known != indices.index_type) {
            return mismatch(format!("the variants were not made for indices of {bits} bits"));
        }
        let place = u64::from(indices.offset) | if self.by_address { indices.address } else { 0 };
        if !place.is_multiple_of(indices.index_type.bytes().into()) {
            return misaligned(format!(
                "indices of {bits} bits do not begin at a multiple of their size"
            ));
        }
        match (indexed.restart, indices.restarted.is_some()) {
            (false, false) => Ok(()),
            (true, true) => {
                let address = if self.by_address { indices.table_address } else { 0 };
                match (address | u64::from(indices.table_size)).is_multiple_of(4) {
                    true => Ok(()),
                    false => misaligned("the segment table is not in multiples of 4 bytes".into()),
                }
            }
            (false, true) => mismatch("the variants were not made for primitive restart".into()),
            (true, false) => refused(
                &code::CAPTURE_NO_SEGMENT_TABLE,
                "primitive restart is enabled, but no segment table was given".into(),
            ),
        }
    }

    /// Returns the host parameters for `buffers` feedback buffers: first for the draw, then for the indices, then for
    /// each buffer.
    pub(super) fn host_params(&self, buffers: u32) -> Vec<DrawParam> {
        let of_draw = [
            (DrawParam::Topology, self.needs_topology()),
            (
                DrawParam::Flags,
                self.unbound
                    || self.any(|one| {
                        let captured = one.without_adjacency();
                        matches!(captured, Topology::TriangleStrip | Topology::TriangleFan)
                    }),
            ),
            (DrawParam::FirstVertex, true),
            (
                DrawParam::VertexCount,
                !self.limit_in_vertices || self.compute || self.spill_outputs && !self.one_instance,
            ),
            (
                DrawParam::Slots,
                self.limit_in_vertices
                    && (!self.one_instance || self.any(|one| one == Topology::LineLoop)),
            ),
            (DrawParam::InstanceCount, self.compute && !self.one_instance),
            (DrawParam::FirstInstance, self.compute || !self.one_instance),
            (DrawParam::Limit, self.limit_in_vertices),
        ];
        let mut words: Vec<DrawParam> =
            of_draw.into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect();
        words.extend(self.index_words());
        (0..buffers).for_each(|buffer| self.add_range(&mut words, buffer));
        words
    }

    /// Adds the host parameters for the range of a feedback buffer.
    pub(super) fn add_range(&self, words: &mut Vec<DrawParam>, buffer: u32) {
        let (size, counter) = (DrawParam::Size(buffer), DrawParam::Counter(buffer));
        let [low, high] = [DrawParam::AddressLow(buffer), DrawParam::AddressHigh(buffer)];
        match (self.by_address, self.limit_in_vertices) {
            (true, _) => words.extend([low, high, size, counter]),
            (false, true) => words.push(DrawParam::Start(buffer)),
            (false, false) => words.extend([DrawParam::Offset(buffer), size, counter]),
        }
    }
}

impl Draws {
    /// Returns the parameters for `DrawIndex` and the indices.
    fn index_words(&self) -> impl Iterator<Item = DrawParam> {
        let indexed = self.indexed.unwrap_or_default();
        let by_address = self.by_address;
        let words = [
            (DrawParam::IndexType, indexed.index_type.is_none()),
            (DrawParam::VertexOffset, true),
            (DrawParam::DrawIndex, self.asks_draw_index),
            (DrawParam::IndexOffset, !by_address),
            (DrawParam::IndexAddressLow, by_address),
            (DrawParam::IndexAddressHigh, by_address),
            (DrawParam::IndexSize, true),
            (DrawParam::TableAddressLow, by_address && indexed.restart),
            (DrawParam::TableAddressHigh, by_address && indexed.restart),
            (DrawParam::TableSize, by_address && indexed.restart),
        ];
        let is_indexed = self.indexed.is_some();
        let is_there = move |word| is_indexed || word == DrawParam::DrawIndex;
        words.into_iter().filter(move |(word, is)| *is && is_there(*word)).map(|(word, _)| word)
    }
}

/// Describes the parameters for the host.
pub(super) fn words(draws: &Draws, place: ParamSource, words: &[DrawParam]) -> HostParams {
    let params = words.iter().map(|word| HostParam::new(word.name(draws), word.meaning(draws)));
    HostParams { source: place, params: params.collect() }
}
