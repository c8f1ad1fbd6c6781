//! The restrictions on the draws of the variants, and the host parameters that the remaining draws need.

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
    /// Whether the host passes the number of slots to store instead of the sizes of the ranges.
    pub(super) limit_in_vertices: bool,
    /// Whether the parameters contain the addresses of the feedback ranges instead of their offsets in bound buffers.
    pub(super) by_address: bool,
    /// Whether feedback buffers may be unbound.
    pub(super) unbound: bool,
    /// Whether a compute stage captures.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub(super) compute: bool,
    /// Whether all outputs are stored, for a variant that reloads them.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub(super) spill_outputs: bool,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "BTreeSet::is_empty"))]
    pub(super) constant_attributes: BTreeSet<u32>,
    /// The restrictions on the indices; none for draws without indices.
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
    /// The type of the indices; if none, a host parameter sets it.
    pub(super) index_type: Option<IndexType>,
    pub(super) restart: bool,
}

impl Default for Draws {
    /// No restriction, but without the topologies with adjacency, which only devices with geometry stages have.
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
pub(super) enum HostWord {
    Topology,
    Flags,
    FirstVertex,
    VertexCount,
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
    /// The parameters below belong to the feedback buffer with this number.
    Offset(u32),
    Size(u32),
    Reached(u32),
    Start(u32),
    AddressLow(u32),
    AddressHigh(u32),
}

impl HostWord {
    fn name(self, draws: &Draws) -> Cow<'static, str> {
        match self {
            Self::FirstVertex if draws.indexed.is_some() => "first_index".into(),
            Self::VertexCount if draws.indexed.is_some() => "index_count".into(),
            Self::Topology => "topology".into(),
            Self::Flags => "flags".into(),
            Self::FirstVertex => "first_vertex".into(),
            Self::VertexCount => "vertex_count".into(),
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
            Self::Offset(buffer) => format!("offset_{buffer}").into(),
            Self::Size(buffer) => format!("size_{buffer}").into(),
            Self::Reached(buffer) => format!("reached_{buffer}").into(),
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
                "bit 0: the provoking vertex is the last one; bit 1 + b: feedback buffer b is not bound"
            }
            Self::Flags => "bit 0: the provoking vertex is the last one",
            Self::FirstVertex if draws.indexed.is_some() => "firstIndex of the draw",
            Self::FirstVertex => "firstVertex of the draw",
            Self::VertexCount if draws.indexed.is_some() => "indexCount of the draw",
            Self::VertexCount => "vertexCount of the draw: the vertices of each instance",
            Self::Slots => "corners of all primitives of an instance",
            Self::InstanceCount => "instanceCount of the draw",
            Self::FirstInstance => "firstInstance of the draw",
            Self::Limit => {
                "corners of all primitives of the draw that fit into every feedback range"
            }
            Self::IndexType => "0 8 bits, 1 16 bits, 2 32 bits",
            Self::VertexOffset => "vertexOffset of the draw",
            Self::DrawIndex => "number of the draw in a multi-draw",
            Self::IndexOffset => "bytes from the start of the bound range to index 0",
            Self::IndexAddressLow => "lower 32 bits of the address of index 0",
            Self::IndexAddressHigh => "upper 32 bits of the address of index 0",
            Self::IndexSize => "bytes of the index buffer from index 0 on",
            Self::TableAddressLow => "lower 32 bits of the address of the table of segments",
            Self::TableAddressHigh => "upper 32 bits of the address of the table of segments",
            Self::TableSize => "bytes of the table of segments",
            Self::Offset(_) => {
                "bytes from the start of the bound range to the start of the feedback range"
            }
            Self::Size(_) => "bytes of the feedback range",
            Self::Reached(_) => "bytes of the feedback range that earlier draws have filled",
            Self::Start(_) => {
                "bytes from the start of the bound range to the first one that the draw fills"
            }
            Self::AddressLow(_) => "lower 32 bits of the address of the feedback range",
            Self::AddressHigh(_) => "upper 32 bits of the address of the feedback range",
        }
    }

    /// Returns the bit of the flags that is set if a buffer is unbound.
    pub(super) fn unbound_bit(buffer: u32) -> u32 {
        2 << buffer
    }

    /// Returns the parameter's value for `draw`, of which `fits` primitives fit into `ranges`.
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
        let indices = || draw.indices.expect("a draw is checked first");
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
            Self::Offset(buffer) => range(buffer).offset,
            Self::Size(buffer) => range(buffer).size,
            Self::Reached(buffer) => range(buffer).reached,
            Self::Start(buffer) => range(buffer).offset.saturating_add(range(buffer).reached),
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
            return Err(Error::new(&code::CAPTURE_NO_TOPOLOGY, "no draw has a topology"));
        }
        Ok(())
    }

    /// Whether there are no restrictions.
    pub(super) fn are_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the topology if only one is allowed.
    pub(super) fn topology(&self) -> Option<Topology> {
        match self.topologies[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// Returns the topology of the captured primitives, which have no adjacency, if only one is possible.
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
                "outputs are spilled to a bound buffer, and host parameters behind an address bind none",
            ),
            (
                self.restart(),
                &code::CAPTURE_SPILL_RESTART,
                "spilled outputs are read by draws without indices, which restart no primitives",
            ),
        ];
        match refused.into_iter().find(|(is, ..)| self.spill_outputs && *is) {
            Some((_, code, message)) => Err(Error::new(code, message)),
            None => Ok(()),
        }
    }

    /// Whether each vertex has one slot in its instance, whose number is that of the vertex.
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

    /// Refuses a draw outside the restrictions.
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
                "the variants are for one instance, and the draw has {count}"
            ));
        }
        // Invocations and stored vertices are numbered with 32 bits.
        let vertices = draw.vertices();
        if self.compute && vertices > MOST_VERTICES {
            return too_large(format!(
                "{vertices} vertices over all instances, only {MOST_VERTICES} in one dispatch"
            ));
        }
        if self.spill_outputs && vertices > u32::MAX.into() {
            let most = u32::MAX;
            return too_large(format!(
                "{vertices} vertices over all instances, only {most} can be spilled"
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
                "indices of {bits} bits begin at no multiple of their size"
            ));
        }
        match (indexed.restart, indices.restarted.is_some()) {
            (false, false) => Ok(()),
            (true, true) => {
                let address = if self.by_address { indices.table_address } else { 0 };
                match (address | u64::from(indices.table_size)).is_multiple_of(4) {
                    true => Ok(()),
                    false => {
                        misaligned("the table of segments is not in multiples of 4 bytes".into())
                    }
                }
            }
            (false, true) => mismatch("the variants were not made for restarts".into()),
            (true, false) => refused(
                &code::CAPTURE_NO_SEGMENT_TABLE,
                "what the table of segments says is not given".into(),
            ),
        }
    }

    /// Returns the host parameters for `buffers` feedback buffers: of the draw, the indices, then each buffer.
    pub(super) fn host_params(&self, buffers: u32) -> Vec<HostWord> {
        let of_draw = [
            (HostWord::Topology, self.needs_topology()),
            (
                HostWord::Flags,
                self.unbound
                    || self.any(|one| {
                        let captured = one.without_adjacency();
                        matches!(captured, Topology::TriangleStrip | Topology::TriangleFan)
                    }),
            ),
            (HostWord::FirstVertex, true),
            (
                HostWord::VertexCount,
                !self.limit_in_vertices || self.compute || self.spill_outputs && !self.one_instance,
            ),
            (
                HostWord::Slots,
                self.limit_in_vertices
                    && (!self.one_instance || self.any(|one| one == Topology::LineLoop)),
            ),
            (HostWord::InstanceCount, self.compute && !self.one_instance),
            (HostWord::FirstInstance, self.compute || !self.one_instance),
            (HostWord::Limit, self.limit_in_vertices),
        ];
        let mut words: Vec<HostWord> =
            of_draw.into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect();
        words.extend(self.index_words());
        for buffer in 0..buffers {
            match (self.by_address, self.limit_in_vertices) {
                (true, _) => words.extend([
                    HostWord::AddressLow(buffer),
                    HostWord::AddressHigh(buffer),
                    HostWord::Size(buffer),
                    HostWord::Reached(buffer),
                ]),
                (false, true) => words.push(HostWord::Start(buffer)),
                (false, false) => words.extend([
                    HostWord::Offset(buffer),
                    HostWord::Size(buffer),
                    HostWord::Reached(buffer),
                ]),
            }
        }
        words
    }
}

impl Draws {
    /// Returns the parameters for `DrawIndex` and the indices.
    fn index_words(&self) -> impl Iterator<Item = HostWord> {
        let indexed = self.indexed.unwrap_or_default();
        let by_address = self.by_address;
        let words = [
            (HostWord::IndexType, indexed.index_type.is_none()),
            (HostWord::VertexOffset, true),
            (HostWord::DrawIndex, self.asks_draw_index),
            (HostWord::IndexOffset, !by_address),
            (HostWord::IndexAddressLow, by_address),
            (HostWord::IndexAddressHigh, by_address),
            (HostWord::IndexSize, true),
            (HostWord::TableAddressLow, by_address && indexed.restart),
            (HostWord::TableAddressHigh, by_address && indexed.restart),
            (HostWord::TableSize, by_address && indexed.restart),
        ];
        let is_indexed = self.indexed.is_some();
        let is_there = move |word| is_indexed || word == HostWord::DrawIndex;
        words.into_iter().filter(move |(word, is)| *is && is_there(*word)).map(|(word, _)| word)
    }
}

/// Describes the parameters for the host.
pub(super) fn words(draws: &Draws, place: ParamSource, words: &[HostWord]) -> HostParams {
    let told = words.iter().map(|word| HostParam::new(word.name(draws), word.meaning(draws)));
    HostParams { source: place, params: told.collect() }
}
