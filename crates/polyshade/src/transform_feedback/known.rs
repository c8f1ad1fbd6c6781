//! What is known of the draws that the variants are for, and the words that the host fills in for each.

use super::draw::{BufferRange, Draw, ProvokingVertex, Topology};
use crate::host::{Place, Word, Words};
use polyshade_spv::{Error, ErrorKind};
use std::borrow::Cow;

/// What is known of every draw: what is known needs no code.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub(super) struct Draws {
    /// The topologies that there are, in the order of [`Topology::ALL`].
    topologies: Vec<Topology>,
    pub(super) one_instance: bool,
    /// Whether the host says how many slots are stored, rather than how large the ranges are.
    pub(super) one_limit: bool,
    /// Whether the words say where in memory the feedback ranges are, rather than where in what is bound.
    pub(super) by_address: bool,
    /// Whether buffers may be unbound.
    pub(super) unbound: bool,
}

impl Default for Draws {
    /// Nothing is known.
    fn default() -> Self {
        Self {
            topologies: Topology::ALL.to_vec(),
            one_instance: false,
            one_limit: false,
            by_address: false,
            unbound: false,
        }
    }
}

/// A word that the host fills in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HostWord {
    Topology,
    Flags,
    FirstVertex,
    VertexCount,
    Slots,
    FirstInstance,
    Limit,
    /// Of the feedback buffer with this number, as the others below.
    Offset(u32),
    Size(u32),
    Reached(u32),
    Start(u32),
    AddressLow(u32),
    AddressHigh(u32),
}

impl HostWord {
    fn name(self) -> Cow<'static, str> {
        match self {
            Self::Topology => "topology".into(),
            Self::Flags => "flags".into(),
            Self::FirstVertex => "first_vertex".into(),
            Self::VertexCount => "vertex_count".into(),
            Self::Slots => "slots".into(),
            Self::FirstInstance => "first_instance".into(),
            Self::Limit => "limit".into(),
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
            Self::Topology => {
                "0 point list, 1 line list, 2 line strip, 3 triangle list, 4 triangle strip, \
                 5 triangle fan, 16 line loop"
            }
            Self::Flags if draws.unbound => {
                "bit 0: the provoking vertex is the last one; bit 1 + b: feedback buffer b is not bound"
            }
            Self::Flags => "bit 0: the provoking vertex is the last one",
            Self::FirstVertex => "firstVertex of the draw",
            Self::VertexCount => "vertexCount of the draw: the vertices of each instance",
            Self::Slots => "corners of all primitives of an instance",
            Self::FirstInstance => "firstInstance of the draw",
            Self::Limit => {
                "corners of all primitives of the draw that fit into every feedback range"
            }
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

    /// The bit of the flags that says that a buffer is not bound.
    pub(super) fn unbound_bit(buffer: u32) -> u32 {
        2 << buffer
    }

    /// Its value for `draw`, of which so many primitives fit into `ranges`.
    pub(super) fn value(self, draw: &Draw, ranges: &[BufferRange], fits: u64) -> u32 {
        let range = |buffer: u32| match ranges[buffer as usize] {
            BufferRange::UNBOUND => BufferRange::default(),
            range => range,
        };
        let address = |buffer: u32| range(buffer).address.wrapping_add(range(buffer).offset.into());
        let corners = |primitives: u64| {
            let corners = primitives * u64::from(draw.topology.vertices_per_primitive());
            // What is more than fits is not stored, however much more it is.
            u32::try_from(corners).unwrap_or(u32::MAX)
        };
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
            Self::Slots => corners(draw.topology.primitives(draw.vertex_count).into()),
            Self::FirstInstance => draw.first_instance,
            Self::Limit => corners(fits),
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
    /// The topologies are these alone.
    pub(super) fn set_topologies(&mut self, topologies: impl IntoIterator<Item = Topology>) {
        let given: Vec<Topology> = topologies.into_iter().collect();
        self.topologies = Topology::ALL.into_iter().filter(|one| given.contains(one)).collect();
    }

    /// Those that there are.
    pub(super) fn topologies(&self) -> &[Topology] {
        &self.topologies
    }

    /// Refuses to have none.
    pub(super) fn check_topologies(&self) -> Result<(), Error> {
        if self.topologies.is_empty() {
            return Err(Error::new(ErrorKind::Options, "no draw has a topology"));
        }
        Ok(())
    }

    /// Whether nothing is known.
    pub(super) fn are_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// The only topology, if there is one.
    pub(super) fn topology(&self) -> Option<Topology> {
        match self.topologies[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    pub(super) fn all(&self, is: impl Fn(Topology) -> bool) -> bool {
        self.topologies.iter().all(|one| is(*one))
    }

    pub(super) fn any(&self, is: impl Fn(Topology) -> bool) -> bool {
        self.topologies.iter().any(|one| is(*one))
    }

    /// Whether the code has to ask for the topology.
    fn needs_topology(&self) -> bool {
        self.topology().is_none() && !(self.one_limit && self.all(Topology::is_list))
    }

    /// Refuses a draw that is none of these.
    pub(super) fn check(&self, draw: &Draw) -> Result<(), Error> {
        let refused = |message: String| Err(Error::new(ErrorKind::Options, message));
        if !self.topologies.contains(&draw.topology) {
            let topology = draw.topology.name();
            return refused(format!("the variants were not made for a {topology}"));
        }
        if self.one_instance && draw.instance_count > 1 {
            let count = draw.instance_count;
            return refused(format!("the variants are for one instance, and the draw has {count}"));
        }
        Ok(())
    }

    /// The words that the host fills in, in their order, for so many feedback buffers.
    pub(super) fn host_words(&self, buffers: u32) -> Vec<HostWord> {
        let of_draw = [
            (HostWord::Topology, self.needs_topology()),
            (
                HostWord::Flags,
                self.unbound
                    || self
                        .any(|one| matches!(one, Topology::TriangleStrip | Topology::TriangleFan)),
            ),
            (HostWord::FirstVertex, true),
            (HostWord::VertexCount, !self.one_limit),
            (
                HostWord::Slots,
                self.one_limit && (!self.one_instance || self.any(|one| one == Topology::LineLoop)),
            ),
            (HostWord::FirstInstance, !self.one_instance),
            (HostWord::Limit, self.one_limit),
        ];
        let mut words: Vec<HostWord> =
            of_draw.into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect();
        for buffer in 0..buffers {
            match (self.by_address, self.one_limit) {
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

/// The words of draws that capture into so many buffers.
pub(super) fn words(draws: &Draws, place: Place, buffers: u32) -> Words {
    let words = draws.host_words(buffers).into_iter();
    Words { place, words: words.map(|word| Word::new(word.name(), word.meaning(draws))).collect() }
}
