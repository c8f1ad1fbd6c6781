//! A scene of planes, cut by the lowered stages and by the device's own clip distances.
//!
//! The other side of the picture is a vertex stage of ours: it takes the recorded positions and distances from vertex
//! buffers, and hands them on natively. Whether a primitive is culled is decided on the CPU.

use super::expected::{Expected, Key, components};
use crate::leaves::Leaf;
use crate::library;
use crate::pictures::{self, Exactness};
use crate::position::chooses_a_layer;
use crate::verdict::{Part, Stop, not_comparable};
use crate::{Form, Steps};
use polyshade::Module;
use polyshade::clip_cull::{Lacking, emulate_fragment};
use polyshade::spv::Capability;
use polyshade_vulkan::{Device, Draw, Outcome, Place, Stage, VertexBuffer, VertexLayout, Work, vk};
use std::collections::BTreeMap;

/// The clip distances that a stage of ours hands on.
const DISTANCES: usize = 8;

/// Where positions and distances are in what is recorded of both sides.
pub(super) struct Places<'p> {
    expected: &'p Expected,
    originals: BTreeMap<Key, usize>,
    lowered: BTreeMap<Key, usize>,
}

/// A vertex as it was recorded.
#[derive(Debug, Clone)]
pub(super) struct Vertex {
    position: [f32; 4],
    clip: Vec<f32>,
    cull: Vec<f32>,
}

#[cfg(test)]
impl Vertex {
    pub(super) fn at(position: [f32; 4]) -> Self {
        Vertex { position, clip: Vec::new(), cull: Vec::new() }
    }

    pub(super) fn position(&self) -> [f32; 4] {
        self.position
    }
}

impl<'p> Places<'p> {
    pub(super) fn new(expected: &'p Expected, originals: &[Leaf], lowered: &[Leaf]) -> Self {
        Places { expected, originals: components(originals), lowered: components(lowered) }
    }

    /// A vertex with its position as the original has it, and distances as the lowered stage does.
    pub(super) fn vertex(&self, original: &[u32], lowered: &[u32]) -> Vertex {
        let float = |keys: &BTreeMap<Key, usize>, words: &[u32], key: &Key| {
            keys.get(key).map_or(0.0, |word| f32::from_bits(words[*word]))
        };
        let [clip, cull] = self.expected.distances.each_ref().map(|keys| {
            keys.iter().map(|key| float(&self.lowered, lowered, key)).collect::<Vec<f32>>()
        });
        let axis = |axis| float(&self.originals, original, &Key::position(axis));
        Vertex { position: [0, 1, 2, 3].map(axis), clip, cull }
    }
}

/// What a lowered stage makes of some vertices.
pub(super) struct Drawable {
    /// What a message calls it.
    pub(super) title: String,
    /// Of lists: each primitive has its own vertices.
    pub(super) topology: vk::PrimitiveTopology,
    pub(super) primitives: Vec<Vec<Vertex>>,
}

/// What is drawn, and where.
#[derive(Clone, Copy)]
pub(super) struct Scene<'s> {
    pub(super) device: &'s Device,
    pub(super) steps: &'s Steps,
    pub(super) expected: &'s Expected,
    /// Whether primitives have their vertices in the same order on both sides: else depths are rounded in another way.
    pub(super) has_same_order: bool,
}

impl Scene<'_> {
    /// Whether the form is one that the device can draw.
    pub(super) fn is_drawn(&self, originals: &[Leaf], module: &Module<'_>) -> bool {
        let device = self.device.capabilities();
        let [clip, cull] = self.expected.distances.each_ref().map(Vec::len);
        let is_form = match self.steps.form {
            Form::Kept | Form::Arrays | Form::Separate => {
                !device.culls_wrongly([clip, cull].map(|count| count as u32))
            }
            Form::Emulated { .. } => true,
            Form::Registers { .. } | Form::Exact { .. } | Form::Combined => false,
        };
        let is_drawable = device.features.shader_clip_distance == vk::TRUE
            && device.limits.max_clip_distances >= DISTANCES as u32
            && clip <= DISTANCES;
        let one_layer = !originals.iter().any(|leaf| leaf.builtin.is_some_and(chooses_a_layer));
        // A draw of one primitive has another first vertex.
        is_form && is_drawable && one_layer && !module.has_capability(Capability::DRAW_PARAMETERS)
    }

    /// Whether what becomes of all primitives is defined.
    pub(super) fn is_defined(&self, drawable: &Drawable) -> bool {
        let most = if self.is_emulated() { LARGEST } else { f32::MAX };
        drawable.primitives.iter().flatten().all(|vertex| {
            let mut distances = vertex.clip.iter().chain(&vertex.cull);
            pictures::is_drawable(vertex.position) && distances.all(|value| value.abs() <= most)
        })
    }

    /// Draws with the device's own clip distances, and with the lowered stage: a picture for each of the drawables,
    /// with the fragment stage that is given. Returns how many pixels are covered.
    pub(super) fn compare(
        &self,
        drawables: &[Drawable],
        draw_lowered: impl FnOnce(&[u32]) -> Result<Outcome, Stop>,
    ) -> Result<u64, Stop> {
        let fragment = self.fragment()?;
        let right = self.draw_natively(drawables)?;
        let found = draw_lowered(&fragment)?;
        // Where the fragment stage cuts, edges are a matter of its precision.
        let keeps_clip = matches!(self.steps.form, Form::Emulated { native_clip: true, .. });
        let cuts = self.is_emulated() && !keeps_clip && !self.expected.distances[0].is_empty();
        let exactness = match cuts || !self.has_same_order {
            true => Exactness::AwayFromEdges,
            false => Exactness::Exact,
        };
        let titles = drawables.iter().map(|drawable| drawable.title.clone());
        pictures::compare(Part::Lowered, [&right, &found], exactness, titles)
    }

    fn is_emulated(&self) -> bool {
        matches!(self.steps.form, Form::Emulated { .. })
    }

    /// The fragment stage behind the lowered stage.
    fn fragment(&self) -> Result<Vec<u32>, Stop> {
        let Form::Emulated { location, native_clip } = self.steps.form else {
            return Ok(library::DEPTH.clone());
        };
        let lacking = if native_clip { Lacking::Cull } else { Lacking::All };
        let counts = self.expected.distances.each_ref().map(|keys| keys.len() as u32);
        let module = Module::parse(&library::DEPTH).expect("glslang's words parse");
        let emulated = emulate_fragment(&module, "main", lacking, location, counts);
        let emulated =
            emulated.map_err(|error| not_comparable(format!("fragment stage: {error}")))?;
        Ok(emulated.module.into_words())
    }

    /// Positions and clip distances from a vertex buffer; a primitive that is culled is not drawn.
    fn draw_natively(&self, drawables: &[Drawable]) -> Result<Outcome, Stop> {
        let mut work = Work::default();
        let layout = VertexLayout::vectors((0..3).map(|at| (at, vk::Format::R32G32B32A32_SFLOAT)));
        for drawable in drawables {
            let drawn = drawable.primitives.iter().filter(|primitive| !is_culled(primitive));
            let vertices: Vec<&Vertex> = drawn.flatten().collect();
            let mut floats = Vec::new();
            for vertex in &vertices {
                let mut clip = vertex.clip.clone();
                clip.resize(DISTANCES, 1.0);
                floats.extend(vertex.position.iter().copied().chain(clip));
            }
            // A buffer has something in it.
            floats.push(0.0);
            let place = Place { buffer: work.buffers.len(), offset: 0 };
            work.buffers.push(floats.into_iter().flat_map(f32::to_ne_bytes).collect());
            let mut draw = Draw {
                stages: vec![Stage::vertex(&library::CLIP)],
                vertex_buffers: vec![VertexBuffer { place, layout: layout.clone() }],
                vertices: 0..vertices.len() as u32,
                instances: 0..1,
                ..Draw::default()
            };
            pictures::rasterize(&mut draw, drawable.topology, &library::DEPTH, &mut work);
            work.draws.push(draw);
        }
        let outcome = self.device.run(&work);
        outcome.map_err(|error| not_comparable(format!("the device's own clip distances: {error}")))
    }
}

/// The largest distance of a primitive that is drawn: the interpolation of larger ordinary values may overflow.
const LARGEST: f32 = 1e15;

/// Whether one cull distance is negative at all vertices.
fn is_culled(primitive: &[Vertex]) -> bool {
    let count = primitive.first().map_or(0, |vertex| vertex.cull.len());
    let is_negative = |number: usize| primitive.iter().all(|vertex| vertex.cull[number] < 0.0);
    (0..count).any(is_negative)
}
