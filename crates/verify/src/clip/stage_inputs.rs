//! The inputs of the compared stage, which a synthetic vertex stage writes for each vertex of a primitive.

use super::MOST;
use super::model::{Key, Model, Number, Vertex, components};
use crate::inputs::attributes;
use crate::inputs::control_inputs::{MOST_SMALL, control_use};
use crate::leaves::{Leaf, ScalarKind};
use crate::pass_through_tesc::{self, PassThroughTesc};
use crate::random::Random;
use crate::run::Task;
use crate::synthetic_vertex::{self, Array, Varying};
use crate::verdict::{Part, Stop, broken, not_comparable};
use polyshade::clip_cull::DISTANCE_KINDS;
use polyshade_vulkan::{Place, VertexBuffer, VertexLayout, Work};
use std::collections::BTreeMap;
use std::ops::Range;

/// The attributes of the vertex stage: a position, [`MOST`] clip and cull distances, then other values.
const POSITION: u32 = 0;
const ARRAYS: [u32; 2] = [1, 3];
const VARYINGS: u32 = 5;

pub(super) struct Corner {
    pub(super) position: [f32; 4],
    /// The values that the original reads, and the distances.
    pub(super) values: Vertex,
}

impl Corner {
    /// Makes a random vertex inside or near the clip volume, with components of these types and floats from `float`.
    pub(super) fn random(
        kinds: &BTreeMap<Key, (ScalarKind, u32)>,
        random: &mut Random,
        float: impl Fn(&mut Random) -> f32,
    ) -> Corner {
        let [x, y, w] = [(); 3].map(|()| random.below(257) as f32 / 128.0 - 1.0);
        let w = 1.25 + w / 4.0;
        let mut bits = |(kind, end): &(ScalarKind, u32)| match kind {
            ScalarKind::Float => float(random).to_bits(),
            ScalarKind::Int | ScalarKind::Uint | ScalarKind::Bool => random.below(*end),
        };
        let values = kinds.iter().map(|(key, kind)| (*key, Number::Bits(bits(kind))));
        Corner { position: [1.2 * x * w, 1.2 * y * w, 0.5 * w, w], values: values.collect() }
    }

    /// Replaces all floats of the vertex by NaNs.
    pub(super) fn lose_numbers(&mut self, kinds: &BTreeMap<Key, (ScalarKind, u32)>) {
        for (key, _) in kinds.iter().filter(|(_, (kind, _))| *kind == ScalarKind::Float) {
            self.values.insert(*key, Number::Bits(f32::NAN.to_bits()));
        }
    }

    /// Returns the distances that the original has in built-in arrays.
    pub(super) fn own_distances(&self) -> [Vec<Number>; 2] {
        let value = |key| self.values.get(&key).copied();
        DISTANCE_KINDS.map(|kind| Key::elements(kind).map_while(value).collect())
    }
}

/// The inputs of either the original or the lowered shader.
pub(super) struct StageInputs {
    /// The vertex stage that writes the inputs.
    pub(super) synthetic_vertex: Vec<u32>,
    /// The tessellation control stage after the vertex stage, if there is one.
    pub(super) pass_through_tesc: Option<Vec<u32>>,
    layout: VertexLayout,
    /// The words of each vertex.
    vertices: Vec<Vec<u32>>,
}

impl StageInputs {
    /// Makes the inputs of a shader that reads `leaves` of each vertex, optionally through a tessellation control
    /// stage. Each vertex has a position, values, and distances for the built-in arrays, which the device must
    /// support.
    pub(super) fn new(
        task: &Task<'_>,
        (leaves, pass_through_tesc): (&[Leaf], Option<PassThroughTesc>),
        mut vertices: Vec<([f32; 4], Vertex, [Vec<Number>; 2])>,
    ) -> Result<StageInputs, Stop> {
        // Drivers place cull distances after as many clip distances as the reading stage declares.
        let declared = declared(leaves).map(|count| count as usize);
        for (.., arrays) in vertices.iter_mut().filter(|_| declared[1] > 0) {
            for (array, count) in arrays.iter_mut().zip(declared) {
                if array.drain(count.min(array.len())..).any(|number| number.bits() != 0) {
                    let why = "the driver cannot run a stage that reads only some of the distances written before it";
                    return Err(not_comparable(why));
                }
            }
        }
        // The device must support the distances.
        let counts = vertices.first().map(|(.., arrays)| arrays.each_ref().map(Vec::len));
        let counts @ [clip, cull] = counts.unwrap_or_default().map(|count| count as u32);
        let device = task.device.capabilities();
        let limits = &device.limits;
        if clip > limits.max_clip_distances.min(MOST)
            || cull > limits.max_cull_distances.min(MOST)
            || clip + cull > limits.max_combined_clip_and_cull_distances
        {
            let why = format!("the device does not support {clip} clip and {cull} cull distances");
            return Err(not_comparable(why));
        }
        if device.misreads_distances(counts) {
            let why = format!("the driver misreads {clip} clip and {cull} cull distances");
            return Err(not_comparable(why));
        }
        // The stages that write the inputs, and the attributes of these stages.
        let mut varyings = synthetic_vertex::varyings(leaves)?;
        for (attribute, varying) in (VARYINGS..).zip(&mut varyings) {
            varying.attribute = attribute;
        }
        let arrays = DISTANCE_KINDS.map(|kind| {
            let at = kind as usize;
            Array { kind, attribute: ARRAYS[at], count: counts[at] }
        });
        let pass_through_tesc =
            pass_through_tesc.map(|how| pass_through_tesc::stage(how, &varyings, &arrays));
        Ok(StageInputs {
            synthetic_vertex: synthetic_vertex::stage(Some(POSITION), &varyings, &arrays)?,
            pass_through_tesc: pass_through_tesc.transpose()?,
            layout: layout(&varyings, &arrays),
            vertices: vertices.iter().map(|vertex| words(vertex, &varyings)).collect(),
        })
    }

    /// Makes the inputs of a lowered shader, and checks that it reads only components that `model` has. `arrays`
    /// selects the distances that are in built-in arrays.
    pub(super) fn of_lowered(
        task: &Task<'_>,
        read: (&[Leaf], Option<PassThroughTesc>),
        (model, corners): (&Model, &[Corner]),
        arrays: impl Fn([Vec<Number>; 2]) -> [Vec<Number>; 2],
    ) -> Result<StageInputs, Stop> {
        let vertex = |corner: &Corner| {
            let values = model.lowered(&corner.values);
            (corner.position, values, arrays(model.distances(&corner.values)))
        };
        let vertices: Vec<_> = corners.iter().map(vertex).collect();
        let is_known = |key: &Key| {
            let is_given = |(_, values, _): &(_, Vertex, _)| values.contains_key(key);
            model.left.contains(key) || vertices.iter().all(is_given)
        };
        let keys = components(read.0).into_keys();
        if let Some(key) = keys.filter(Key::is_passed_on).find(|key| !is_known(key)) {
            return Err(broken(Part::Lowered, format!("it must not read {}", key.title())));
        }
        StageInputs::new(task, read, vertices)
    }

    /// Adds vertices to `work`.
    pub(super) fn install(&self, corners: Range<usize>, work: &mut Work<'_>) -> VertexBuffer {
        let place = Place { buffer: work.buffers.len(), offset: 0 };
        // Add a word, because a buffer must not be empty.
        let words = self.vertices[corners].iter().flatten().copied().chain([0]);
        work.buffers.push(words.flat_map(u32::to_ne_bytes).collect());
        VertexBuffer { place, layout: self.layout.clone() }
    }
}

fn layout(varyings: &[Varying], arrays: &[Array]) -> VertexLayout {
    let of_array = |array: &Array| array.attribute..array.attribute + array.count.div_ceil(4);
    let floats = [POSITION].into_iter().chain(arrays.iter().flat_map(of_array));
    let floats = floats.map(|attribute| (attribute, ScalarKind::Float));
    let all = floats.chain(varyings.iter().map(|one| (one.attribute, one.kind)));
    VertexLayout::vectors(all.map(|(at, kind)| (at, attributes::format(kind, 32, 4))))
}

/// Returns the words of a vertex in the layout of the attributes.
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
        let keys = Key::from(varying.location).take(4);
        words.extend(keys.map(|key| values.get(&key).map_or(0, bits)));
    }
    words
}

/// The lengths of the distance arrays that a stage reads.
pub(super) fn declared(leaves: &[Leaf]) -> [u32; 2] {
    DISTANCE_KINDS.map(|kind| {
        leaves.iter().filter(|leaf| leaf.builtin == Some(kind.builtin())).count() as u32
    })
}

/// Returns the type of each component, and the limit below which its integers must be, because the original may use
/// them as indices. Components outside of `leaves` are distances.
pub(super) fn kinds(
    task: &Task<'_>,
    leaves: &[Leaf],
    keys: impl Iterator<Item = Key>,
) -> BTreeMap<Key, (ScalarKind, u32)> {
    let mut kinds: BTreeMap<_, _> =
        keys.map(|key| (key, (ScalarKind::Float, MOST_SMALL))).collect();
    for leaf in leaves.iter().filter(|leaf| leaf.builtin.is_none()) {
        let control_use = control_use(task.original, leaf.variable, &task.job.specialization);
        kinds.extend(Key::registers(leaf).map(|key| (key, (leaf.kind, control_use.end()))));
    }
    kinds
}
