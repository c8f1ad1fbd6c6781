//! What a vertex stage of ours hands to the stage behind it and to the device, for each vertex of a primitive.

use super::MOST;
use super::expected::{Expected, Key, Right, Setting, Source, components};
use crate::feeder::{self, Array, Varying};
use crate::inputs::attributes;
use crate::leaves::{self, Kind, Leaf};
use crate::relay::{self, Relay};
use crate::verdict::{Difference, Part, Stop, not_comparable};
use polyshade::clip_cull::{self, KINDS};
use polyshade_vulkan::{Capabilities, Place, VertexBuffer, VertexLayout, Work};
use std::collections::BTreeMap;

/// The attributes of the vertex stage: a position, [`MOST`] clip and cull distances, then ordinary values.
const POSITION: u32 = 0;
const ARRAYS: [u32; 2] = [1, 3];
const VARYINGS: u32 = 5;

/// A vertex of a primitive.
pub(super) struct Corner {
    pub(super) position: [f32; 4],
    /// The words of what is read, and of distances.
    pub(super) words: Vec<u32>,
}

impl Corner {
    pub(super) fn is_negative(&self, word: usize) -> bool {
        f32::from_bits(self.words[word]) < 0.0
    }
}

/// What one of the two shaders is handed.
pub(super) struct Side {
    /// The vertex stage before it.
    pub(super) feeder: Vec<u32>,
    /// The tessellation control stage behind that, if there is one.
    pub(super) relay: Option<Vec<u32>>,
    varyings: Vec<Varying>,
    /// For each varying the sources of its components.
    sources: Vec<[Source; 4]>,
    /// What is handed to the device.
    arrays: [Vec<Source>; 2],
}

impl Side {
    /// What a shader is handed that reads `leaves` of each vertex, unless the device cannot be handed the distances.
    pub(super) fn new(
        device: &Capabilities,
        leaves: &[Leaf],
        source: impl Fn(&Key) -> Option<Source>,
        mut arrays: [Vec<Source>; 2],
    ) -> Result<Side, Stop> {
        // Drivers take cull distances from behind as many clip distances as the stage that reads them has.
        let declared = declared(leaves).map(|count| count as usize);
        if declared[1] > 0 {
            for (array, count) in arrays.iter_mut().zip(declared) {
                let others = array.drain(count.min(array.len())..);
                if others.into_iter().any(|source| source != Source::Zero) {
                    let why = "a stage that reads some distances and is handed more is not drawn";
                    return Err(not_comparable(why));
                }
            }
        }
        let [clip, cull] = arrays.each_ref().map(|array| array.len() as u32);
        let limits = &device.limits;
        if clip > limits.max_clip_distances.min(MOST)
            || cull > limits.max_cull_distances.min(MOST)
            || clip + cull > limits.max_combined_clip_and_cull_distances
        {
            let why = format!("the device does not take {clip} clip and {cull} cull distances");
            return Err(not_comparable(why));
        }
        if device.misreads_distances([clip, cull]) {
            let why = format!("the driver misreads {clip} clip and {cull} cull distances");
            return Err(not_comparable(why));
        }
        let (varyings, sources) = varyings(leaves, source);
        let mut side = Side { feeder: Vec::new(), relay: None, varyings, sources, arrays };
        let varyings = side.varyings.iter().copied();
        side.feeder = feeder::feeder_of_positions(POSITION, varyings, &side.built_in())?;
        Ok(side)
    }

    /// What the original is handed: the words of what it reads, and in `arrays`, unless others are given, the distances
    /// that there are of each kind.
    pub(super) fn of_original(
        device: &Capabilities,
        leaves: &[Leaf],
        words: &BTreeMap<Key, usize>,
        arrays: Option<[Vec<Source>; 2]>,
    ) -> Result<Side, Stop> {
        let source = |key: &Key| words.get(key).map(|word| Source::Word(*word));
        let own = || {
            KINDS.map(|kind| {
                let elements = (0..).map(|element| source(&Key::distance(kind, element)));
                elements.map_while(|source| source).collect()
            })
        };
        Side::new(device, leaves, source, arrays.unwrap_or_else(own))
    }

    /// What a lowered shader is handed, which must read nothing else than is expected; `arrays` are handed to the
    /// device.
    pub(super) fn of_lowered(
        device: &Capabilities,
        leaves: &[Leaf],
        expected: &Expected,
        arrays: [Vec<Source>; 2],
    ) -> Result<Side, Stop> {
        let source = |key: &Key| match expected.components.get(key) {
            None if expected.left.contains(key) => Some(Source::Zero),
            source => source.cloned(),
        };
        let read = components(leaves);
        if let Some(key) = read.keys().find(|key| key.is_handed_on() && source(key).is_none()) {
            let message = format!("it reads {}, and should not", key.title());
            return Err(Difference::new(Part::Lowered, message).into());
        }
        Side::new(device, leaves, source, arrays)
    }

    /// With a control stage that hands it on.
    pub(super) fn relayed(mut self, how: Relay) -> Result<Side, Stop> {
        let varyings = self.varyings.iter().copied();
        self.relay = Some(relay::relay(how, varyings, &self.built_in())?);
        Ok(self)
    }

    fn built_in(&self) -> [Array; 2] {
        KINDS.map(|kind: clip_cull::Kind| Array {
            kind,
            attribute: ARRAYS[kind as usize],
            count: self.arrays[kind as usize].len() as u32,
        })
    }

    /// Adds the vertices to `work`.
    pub(super) fn install<'c>(
        &self,
        corners: impl IntoIterator<Item = &'c Corner>,
        work: &mut Work<'_>,
    ) -> VertexBuffer {
        let place = Place { buffer: work.buffers.len(), offset: 0 };
        work.buffers.push(self.vertices(corners));
        VertexBuffer { place, layout: self.layout() }
    }

    fn layout(&self) -> VertexLayout {
        let floats = |location| (location, attributes::format(Kind::Float, 32, 4));
        let arrays = KINDS.into_iter().flat_map(|kind| {
            let count = self.arrays[kind as usize].len().div_ceil(4) as u32;
            (0..count).map(move |number| floats(ARRAYS[kind as usize] + number))
        });
        let varyings =
            self.varyings.iter().map(|one| (one.attribute, attributes::format(one.kind, 32, 4)));
        VertexLayout::vectors([floats(POSITION)].into_iter().chain(arrays).chain(varyings))
    }

    /// The bytes of vertices, by that layout.
    fn vertices<'c>(&self, corners: impl IntoIterator<Item = &'c Corner>) -> Vec<u8> {
        let setting = Setting { mask: u32::MAX, planes: Vec::new() };
        let mut words: Vec<u32> = Vec::new();
        for corner in corners {
            words.extend(corner.position.map(f32::to_bits));
            let value = |source: &Source| match source.value(&corner.words, &setting) {
                Right::Bits(bits) => bits,
                Right::Near(number, _) => (number as f32).to_bits(),
            };
            for array in &self.arrays {
                words.extend(array.iter().map(value));
                words.resize(words.len().next_multiple_of(4), 0);
            }
            words.extend(self.sources.iter().flatten().map(value));
        }
        words.into_iter().flat_map(u32::to_ne_bytes).collect()
    }
}

/// The lengths of the arrays of distances that a stage reads.
pub(super) fn declared(leaves: &[Leaf]) -> [u32; 2] {
    KINDS.map(|kind| {
        let is_one = |leaf: &&Leaf| leaf.builtin == Some(kind.builtin());
        leaves.iter().filter(is_one).count() as u32
    })
}

/// What is handed on at the locations of `leaves`, and the source of each component.
fn varyings(
    leaves: &[Leaf],
    source: impl Fn(&Key) -> Option<Source>,
) -> (Vec<Varying>, Vec<[Source; 4]>) {
    let mut locations: BTreeMap<u32, (Kind, u32, bool)> = BTreeMap::new();
    for leaf in leaves.iter().filter(|leaf| leaf.builtin.is_none()) {
        for (location, component) in leaves::registers(leaf) {
            let new = (leaf.kind, 0, leaf.is_of_patch);
            let (_, count, _) = locations.entry(location).or_insert(new);
            *count = (*count).max(component + 1);
        }
    }
    (VARYINGS..)
        .zip(locations)
        .map(|(attribute, (location, (kind, count, is_of_patch)))| {
            let sources = [0, 1, 2, 3].map(|component| {
                source(&Key::Register { location, component }).unwrap_or(Source::Zero)
            });
            (Varying { attribute, location, kind, count, is_of_patch }, sources)
        })
        .unzip()
}
