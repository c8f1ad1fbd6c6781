//! What a vertex stage of ours hands to the stage behind it and to the device, for each vertex of a primitive.

use super::MOST;
use super::model::{Key, Model, Number, Setting, Vertex, components};
use crate::feeder::{self, Array, Varying};
use crate::inputs::attributes;
use crate::inputs::steering::{MOST_SMALL, steering};
use crate::leaves::{Kind, Leaf};
use crate::random::Random;
use crate::relay::{self, Relay};
use crate::run::Task;
use crate::verdict::{Difference, Part, Stop, not_comparable};
use polyshade::clip_cull::KINDS;
use polyshade_vulkan::{Capabilities, Place, VertexBuffer, VertexLayout, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The attributes of the vertex stage: a position, [`MOST`] clip and cull distances, then ordinary values.
const POSITION: u32 = 0;
const ARRAYS: [u32; 2] = [1, 3];
const VARYINGS: u32 = 5;

/// A vertex of a primitive.
pub(super) struct Corner {
    pub(super) position: [f32; 4],
    /// What the original reads, and distances.
    pub(super) values: Vertex,
}

/// What the host fills in for inputs: nothing.
const SETTING: Setting = Setting { mask: u32::MAX, planes: Vec::new() };

impl Corner {
    /// A random one, inside the clip volume or near it, with components of these kinds; `float` makes floats.
    pub(super) fn random(
        kinds: &BTreeMap<Key, (Kind, u32)>,
        random: &mut Random,
        float: impl Fn(&mut Random) -> f32,
    ) -> Corner {
        let [x, y, w] = [(); 3].map(|()| random.below(257) as f32 / 128.0 - 1.0);
        let w = 1.25 + w / 4.0;
        let mut bits = |(kind, end): &(Kind, u32)| match kind {
            Kind::Float => float(random).to_bits(),
            Kind::Int | Kind::Uint | Kind::Bool => random.below(*end),
        };
        let values = kinds.iter().map(|(key, kind)| (*key, Number::Bits(bits(kind))));
        Corner { position: [1.2 * x * w, 1.2 * y * w, 0.5 * w, w], values: values.collect() }
    }

    /// Its distances, as the lowered shader has them.
    pub(super) fn distances(&self, model: &Model) -> [Vec<Number>; 2] {
        model.distances(&self.values, &SETTING)
    }
}

/// What one of the two shaders is handed.
pub(super) struct Side {
    /// The vertex stage before it.
    pub(super) feeder: Vec<u32>,
    /// The tessellation control stage behind that, if there is one.
    pub(super) relay: Option<Vec<u32>>,
    varyings: Vec<Varying>,
    /// The distances that are handed to the device.
    arrays: [Array; 2],
    /// The words of each vertex.
    vertices: Vec<Vec<u32>>,
}

impl Side {
    /// What a shader is handed that reads `leaves` of each vertex, unless the device cannot be handed the distances.
    /// Each vertex has its position, its values, and the distances that are handed to the device.
    pub(super) fn new(
        device: &Capabilities,
        leaves: &[Leaf],
        mut vertices: Vec<([f32; 4], Vertex, [Vec<Number>; 2])>,
    ) -> Result<Side, Stop> {
        // Drivers take cull distances from behind as many clip distances as the stage that reads them has.
        let declared = declared(leaves).map(|count| count as usize);
        for arrays in vertices.iter_mut().map(|(.., arrays)| arrays).filter(|_| declared[1] > 0) {
            for (array, count) in arrays.iter_mut().zip(declared) {
                let others = array.drain(count.min(array.len())..);
                if others.into_iter().any(|number| number.bits() != 0) {
                    let why = "a stage that reads some distances and is handed more is not drawn";
                    return Err(not_comparable(why));
                }
            }
        }
        let counts = vertices.first().map(|(.., arrays)| arrays.each_ref().map(Vec::len));
        let counts @ [clip, cull] = counts.unwrap_or_default().map(|count| count as u32);
        let limits = &device.limits;
        if clip > limits.max_clip_distances.min(MOST)
            || cull > limits.max_cull_distances.min(MOST)
            || clip + cull > limits.max_combined_clip_and_cull_distances
        {
            let why = format!("the device does not take {clip} clip and {cull} cull distances");
            return Err(not_comparable(why));
        }
        if device.misreads_distances(counts) {
            let why = format!("the driver misreads {clip} clip and {cull} cull distances");
            return Err(not_comparable(why));
        }
        let mut varyings = feeder::varyings(leaves)?;
        for (attribute, varying) in (VARYINGS..).zip(&mut varyings) {
            varying.attribute = attribute;
        }
        let arrays = KINDS.map(|kind| {
            let at = kind as usize;
            Array { kind, attribute: ARRAYS[at], count: counts[at] }
        });
        let feeder = feeder::feeder(Some(POSITION), &varyings, &arrays)?;
        let vertices = vertices.iter().map(|vertex| words(vertex, &varyings)).collect();
        Ok(Side { feeder, relay: None, varyings, arrays, vertices })
    }

    /// What the original is handed, and in `arrays`, unless others are given, the distances that there are of each
    /// kind.
    pub(super) fn of_original(
        device: &Capabilities,
        leaves: &[Leaf],
        corners: &[Corner],
        arrays: impl Fn(&Corner) -> Option<[Vec<Number>; 2]>,
    ) -> Result<Side, Stop> {
        let own = |values: &Vertex| {
            KINDS.map(|kind| {
                Key::elements(kind).map_while(|key| values.get(&key).copied()).collect()
            })
        };
        let vertex = |corner: &Corner| {
            let arrays = arrays(corner).unwrap_or_else(|| own(&corner.values));
            (corner.position, corner.values.clone(), arrays)
        };
        Side::new(device, leaves, corners.iter().map(vertex).collect())
    }

    /// What a lowered shader is handed, which must read nothing else than `model` gives it; `arrays` are handed to the
    /// device.
    pub(super) fn of_lowered(
        device: &Capabilities,
        leaves: &[Leaf],
        (model, corners): (&Model, &[Corner]),
        arrays: impl Fn(&Corner) -> [Vec<Number>; 2],
    ) -> Result<Side, Stop> {
        let vertex = |corner: &Corner| {
            (corner.position, model.lowered(&corner.values, &SETTING), arrays(corner))
        };
        let vertices: Vec<_> = corners.iter().map(vertex).collect();
        let is_known = |key: &Key| {
            model.left.contains(key)
                || vertices.iter().all(|(_, values, _)| values.contains_key(key))
        };
        let read = components(leaves);
        if let Some(key) = read.keys().find(|key| key.is_handed_on() && !is_known(key)) {
            let message = format!("it reads {}, and should not", key.title());
            return Err(Difference::new(Part::Lowered, message).into());
        }
        Side::new(device, leaves, vertices)
    }

    /// With a control stage that hands it on, if there is to be one.
    pub(super) fn relayed(mut self, how: Option<Relay>) -> Result<Side, Stop> {
        let relay = how.map(|how| relay::relay(how, &self.varyings, &self.arrays));
        self.relay = relay.transpose()?;
        Ok(self)
    }

    /// Adds vertices to `work`.
    pub(super) fn install(&self, corners: Range<usize>, work: &mut Work<'_>) -> VertexBuffer {
        let place = Place { buffer: work.buffers.len(), offset: 0 };
        let words = self.vertices[corners].iter().flatten();
        // A buffer has something in it.
        let words = words.copied().chain([0]);
        work.buffers.push(words.flat_map(u32::to_ne_bytes).collect());
        VertexBuffer { place, layout: self.layout() }
    }

    fn layout(&self) -> VertexLayout {
        let floats = |location| (location, attributes::format(Kind::Float, 32, 4));
        let arrays = self.arrays.iter().flat_map(|array| {
            (0..array.count.div_ceil(4)).map(move |number| floats(array.attribute + number))
        });
        let varyings =
            self.varyings.iter().map(|one| (one.attribute, attributes::format(one.kind, 32, 4)));
        VertexLayout::vectors([floats(POSITION)].into_iter().chain(arrays).chain(varyings))
    }
}

/// The words of a vertex, by that layout.
fn words(
    (position, values, arrays): &([f32; 4], Vertex, [Vec<Number>; 2]),
    varyings: &[Varying],
) -> Vec<u32> {
    let bits = |number: &Number| number.bits();
    let mut words: Vec<u32> = position.iter().map(|axis| axis.to_bits()).collect();
    for array in arrays {
        words.extend(array.iter().map(bits));
        words.resize(words.len().next_multiple_of(4), 0);
    }
    for varying in varyings {
        let component = |component| Key::Register { location: varying.location, component };
        words.extend([0, 1, 2, 3].map(|at| values.get(&component(at)).map_or(0, bits)));
    }
    words
}

/// The lengths of the arrays of distances that a stage reads.
pub(super) fn declared(leaves: &[Leaf]) -> [u32; 2] {
    KINDS.map(|kind| {
        let is_one = |leaf: &&Leaf| leaf.builtin == Some(kind.builtin());
        leaves.iter().filter(is_one).count() as u32
    })
}

/// The kinds of components, and one past the largest integer that may be in them: the original may index by them.
/// Those that are none of `leaves` are distances.
pub(super) fn kinds(
    task: &Task<'_>,
    leaves: &[Leaf],
    keys: &BTreeSet<Key>,
) -> BTreeMap<Key, (Kind, u32)> {
    let mut kinds: BTreeMap<Key, (Kind, u32)> =
        keys.iter().map(|key| (*key, (Kind::Float, MOST_SMALL))).collect();
    for leaf in leaves.iter().filter(|leaf| leaf.builtin.is_none()) {
        let steering = steering(task.original, leaf.variable, &task.job.specialization);
        kinds.extend(Key::registers(leaf).map(|key| (key, (leaf.kind, steering.end()))));
    }
    kinds
}
