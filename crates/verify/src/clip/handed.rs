//! What a vertex stage of ours hands to a fragment stage and to the device, for each corner of a triangle.

use super::MOST;
use super::expected::{Key, Right, Setting, Source};
use crate::feeder::{self, Array, Varying};
use crate::leaves::{self, Kind, Leaf};
use crate::library;
use crate::run::{Stop, not_comparable};
use crate::targets;
use polyshade::clip_cull::{self, KINDS};
use polyshade_vulkan::{Capabilities, VertexLayout};
use std::collections::BTreeMap;

/// The corners of a primitive.
pub(super) const CORNERS: usize = 3;
/// The attributes of the vertex stage: a position, [`MOST`] clip and cull distances, then ordinary values.
const ARRAYS: [u32; 2] = [1, 3];
const VARYINGS: u32 = 5;

/// A triangle.
pub(super) struct Primitive {
    pub(super) positions: [[f32; 4]; CORNERS],
    /// The words of what is read, and of distances, for each corner.
    pub(super) words: [Vec<u32>; CORNERS],
}

impl Primitive {
    /// Whether a distance is negative at each corner.
    pub(super) fn is_negative(&self, word: usize) -> [bool; CORNERS] {
        self.words.each_ref().map(|words| f32::from_bits(words[word]) < 0.0)
    }
}

/// One of the two shaders, and what it is handed.
pub(super) struct Side<'s> {
    pub(super) shader: &'s [u32],
    /// The vertex stage before it.
    pub(super) feeder: Vec<u32>,
    varyings: Vec<Varying>,
    /// For each varying the sources of its components.
    sources: Vec<[Source; 4]>,
    /// What is handed to the device.
    arrays: [Vec<Source>; 2],
}

impl<'s> Side<'s> {
    /// A shader that reads `leaves`, unless the device cannot be handed the distances.
    pub(super) fn new(
        device: &Capabilities,
        (shader, leaves): (&'s [u32], &[Leaf]),
        source: impl Fn(&Key) -> Option<Source>,
        mut arrays: [Vec<Source>; 2],
    ) -> Result<Side<'s>, Stop> {
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
        let array = |kind: clip_cull::Kind| Array {
            kind,
            attribute: ARRAYS[kind as usize],
            count: arrays[kind as usize].len() as u32,
        };
        let arrayed = KINDS.map(array);
        let feeder = feeder::feeder(&library::PLACE, varyings.iter().copied(), &arrayed)?;
        Ok(Side { shader, feeder, varyings, sources, arrays })
    }

    pub(super) fn layout(&self) -> VertexLayout {
        let floats = |location| (location, targets::format(Kind::Float));
        let arrays = KINDS.into_iter().flat_map(|kind| {
            let count = self.arrays[kind as usize].len().div_ceil(4) as u32;
            (0..count).map(move |number| floats(ARRAYS[kind as usize] + number))
        });
        let varyings = self.varyings.iter().map(|one| (one.attribute, targets::format(one.kind)));
        VertexLayout::vectors([floats(0)].into_iter().chain(arrays).chain(varyings))
    }

    /// The bytes of a primitive's vertices, by that layout.
    pub(super) fn vertices(&self, primitive: &Primitive) -> Vec<u8> {
        let setting = Setting { mask: u32::MAX, planes: Vec::new() };
        let mut words: Vec<u32> = Vec::new();
        for (position, corner) in primitive.positions.iter().zip(&primitive.words) {
            words.extend(position.map(f32::to_bits));
            let value = |source: &Source| match source.value(corner, &setting) {
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
    let mut locations: BTreeMap<u32, (Kind, u32)> = BTreeMap::new();
    for leaf in leaves.iter().filter(|leaf| leaf.builtin.is_none()) {
        for (location, component) in leaves::registers(leaf) {
            let (_, count) = locations.entry(location).or_insert((leaf.kind, 0));
            *count = (*count).max(component + 1);
        }
    }
    (VARYINGS..)
        .zip(locations)
        .map(|(attribute, (location, (kind, count)))| {
            let sources = [0, 1, 2, 3].map(|component| {
                source(&Key::Register { location, component }).unwrap_or(Source::Zero)
            });
            (Varying { attribute, location, kind, count }, sources)
        })
        .unzip()
}
