//! A scene of planes: compares the images that the device draws with the original and with the lowered stage.
//!
//! If Vulkan supports the distances, the original is drawn unchanged, and the images also show its outputs.
//! Otherwise, a synthetic vertex stage reads the recorded outputs of the original from vertex buffers and writes the
//! model's clip distances to `ClipDistance`. The CPU decides which primitives are culled.

use super::MOST;
use super::model::{Key, Model, Number, Rounding, Vertex, is_culled};
use super::probe::{Component, probe, shown};
use super::stage_inputs::StageInputs;
use super::stage_shape::StageShape;
use crate::images::{self, Exactness, Images};
use crate::leaves::Leaf;
use crate::library;
use crate::position::chooses_a_layer;
use crate::run::{Task, cannot_run, cannot_run_original};
use crate::verdict::{Part, Stop, broken, not_comparable};
use crate::{ClipForm, Phase};
use polyshade::Module;
use polyshade::clip_cull::{self, DISTANCE_KINDS, DistanceCounts, Emulated, Options, Step};
use polyshade::spv::{Capability, StorageClass};
use polyshade_vulkan::{Draw, Error, Stage, Work, vk};
use std::collections::BTreeMap;

/// Some vertices to draw, with the primitives that the original makes from them.
pub(super) struct Drawable<P> {
    /// The argument of the draw.
    pub(super) of: P,
    pub(super) title: String,
    /// The topology. It is a list topology if the model replaces the original, because each primitive has its own
    /// vertices.
    pub(super) topology: vk::PrimitiveTopology,
    /// The outputs of the original.
    pub(super) primitives: Vec<Vec<Vertex>>,
}

/// The parameters of the images.
#[derive(Clone, Copy)]
pub(super) struct Scene<'s> {
    task: &'s Task<'s>,
    pub(super) model: &'s Model,
    /// The number of clip distances and of cull distances.
    counts: [u32; 2],
    /// Whether the original is drawn unchanged.
    pub(super) is_native: bool,
    /// Whether images must be equal bit for bit.
    is_exact: bool,
}

impl<'s> Scene<'s> {
    /// Makes the scene of a vertex stage or, with a shape, of a later stage.
    pub(super) fn new(task: &'s Task<'s>, model: &'s Model, shape: Option<StageShape>) -> Self {
        let own = model.distances.each_ref().map(|keys| keys.len() as u32);
        let is_native = model.is_native() && !task.device.capabilities().culls_wrongly(own);
        let counts = model.distances(&Vertex::new()).map(|all| all.len() as u32);
        let is_exact = match model.steps.form {
            ClipForm::Emulated { native_clip: false, .. } => counts[0] == 0,
            // A point is either dropped or unchanged. The edges of other primitives depend on the driver's precision.
            ClipForm::ClippedInGeometry { .. } => shape.is_some_and(StageShape::makes_points),
            // The model knows the distances to planes only approximately, and does not know how a driver subdivides a
            // patch.
            _ => {
                let is_divided = matches!(shape, Some(StageShape::Evaluation(_)));
                is_native || model.steps.planes.is_none() && !is_divided
            }
        };
        Scene { task, model, counts, is_native, is_exact }
    }

    /// Whether the device can draw this form of distances.
    pub(super) fn is_drawn(&self, originals: &[Leaf], module: &Module<'_>) -> bool {
        let device = self.task.device.capabilities();
        let is_form = match self.model.steps.form {
            ClipForm::Kept | ClipForm::Arrays | ClipForm::Separate => {
                !device.culls_wrongly(self.counts)
            }
            ClipForm::Emulated { .. } => true,
            ClipForm::Registers { .. }
            | ClipForm::ClippedInGeometry { .. }
            | ClipForm::Combined => false,
        };
        let is_drawable = device.features.shader_clip_distance == vk::TRUE
            && self.counts[0] <= device.limits.max_clip_distances.min(MOST);
        let one_layer = !originals.iter().any(|leaf| leaf.builtin.is_some_and(chooses_a_layer));
        // Each primitive is a separate draw with a different base vertex.
        is_form && is_drawable && one_layer && !module.has_capability(Capability::DRAW_PARAMETERS)
    }

    /// Whether Vulkan defines the images of all primitives.
    fn is_defined<P>(&self, drawable: &Drawable<P>) -> bool {
        drawable.primitives.iter().all(|primitive| {
            let positions: Vec<[f32; 4]> = primitive.iter().map(position).collect();
            let arrays = primitive.iter().flat_map(|one| self.model.distances(one));
            images::has_place(&positions)
                && positions.into_iter().all(images::is_drawable)
                && arrays.flatten().all(|distance| self.is_tame(distance))
        })
    }

    /// Whether a number is defined and, if original and lowered stage clip differently, small enough to interpolate.
    fn is_tame(&self, number: Number) -> bool {
        let is_interpolated =
            !self.is_exact || matches!(self.model.steps.form, ClipForm::Emulated { .. });
        let most = if is_interpolated { LARGEST } else { f32::MAX };
        let is_number = !matches!(number, Number::Overflowing(..));
        is_number && number.float().abs() <= most && !number.may_be_negative()
    }

    /// Draws each defined drawable with the original and with the lowered stage, and compares the images. The images
    /// show coverage and depth. If the original is drawn unchanged, they also show its outputs `leaves` and the
    /// distances that `lowered` writes. Returns the number of covered pixels.
    pub(super) fn compare<P: Copy, S: Copy>(
        &self,
        drawables: impl IntoIterator<Item = Drawable<P>>,
        (leaves, lowered): (&[Leaf], &Module<'_>),
        shaders: [S; 2],
        draw: impl Fn(S, &[u32], Vec<P>) -> Result<Images, Error>,
    ) -> Result<u64, Stop> {
        let mut drawables: Vec<Drawable<P>> =
            drawables.into_iter().filter(|one| self.is_defined(one)).collect();
        self.leave_out_undecided(&mut drawables)?;
        let all: Vec<&Drawable<P>> = drawables.iter().collect();
        let [depth, value] = match self.is_exact {
            true => [Exactness::Exact; 2],
            false => [Exactness::AwayFromEdges, Exactness::Near],
        };
        let compare = |fragments: [&[u32]; 2], what: &str, exactness, chosen: &[&Drawable<P>]| {
            let titles = chosen.iter().map(|one| format!("{}, {what}", one.title));
            let images = self.draw(fragments, chosen, shaders, &draw)?;
            images::compare(Part::Lowered, images.each_ref(), exactness, titles)
        };
        let emulated = self.emulated(&library::DEPTH)?;
        let pixels = compare([&library::DEPTH, &emulated], "depth", depth, &all)?;
        if !self.is_native {
            return Ok(pixels);
        }
        for leaf in shown(leaves) {
            let is_tame = |vertex: &Vertex| {
                let mut numbers = Key::registers(leaf).map(|key| vertex.get(&key));
                numbers.all(|number| number.is_some_and(|number| self.is_tame(*number)))
            };
            let are_tame = |one: &&Drawable<P>| one.primitives.iter().flatten().all(is_tame);
            let chosen: Vec<&Drawable<P>> = drawables.iter().filter(are_tame).collect();
            let original = self.task.original;
            let probe = probe((0..leaf.count).map(|at| Component::Output(original, leaf, at)))?;
            compare([&probe, &self.emulated(&probe)?], &leaf.title(), value, &chosen)?;
        }
        if let Some(probes) = self.probes_of_distances(lowered)? {
            compare(probes.each_ref().map(Vec::as_slice), "distances", value, &all)?;
        }
        Ok(pixels)
    }

    /// Removes drawables whose coverage depends on the rounding of distances to planes. All pixels of such a drawable
    /// are near a plane, because it lies between two planes that nearly coincide or is seen edge-on.
    fn leave_out_undecided<P>(&self, drawables: &mut Vec<Drawable<P>>) -> Result<(), Stop> {
        if self.model.steps.planes.is_none() || drawables.is_empty() {
            return Ok(());
        }
        let all: Vec<&Drawable<P>> = drawables.iter().collect();
        let [least, most] = [Rounding::Least, Rounding::Most]
            .map(|rounding| self.draw_by_model(&library::DEPTH, &all, rounding));
        let mut decided = images::are_alike([&least?, &most?]).into_iter();
        drawables.retain(|_| decided.next().expect("there is one image for each drawable"));
        Ok(())
    }

    /// Returns fragment stages that show the clip and cull distances of the original and of the lowered stage.
    fn probes_of_distances(&self, lowered: &Module<'_>) -> Result<Option<[Vec<u32>; 2]>, Stop> {
        let ClipForm::ClippedInGeometry { keeps_distances: true, .. } = self.model.steps.form
        else {
            return Ok(None);
        };
        let arrays =
            DISTANCE_KINDS.into_iter().zip(&self.model.distances).flat_map(|(kind, keys)| {
                (0..keys.len() as u32).map(move |element| Component::Distance(kind, element))
            });
        // Give each distance its own number as its value.
        let numbers = (0..).map(Number::Bits);
        let vertex = self.model.distances.iter().flatten().copied().zip(numbers).collect();
        let places = self.model.lowered(&vertex);
        let leaves = self.task.leaves(lowered, StorageClass::OUTPUT);
        let leaves = leaves.map_err(|why| broken(Part::Lowered, why))?;
        let mut found = BTreeMap::new();
        for leaf in shown(&leaves) {
            for (at, key) in (0..).zip(Key::registers(leaf)) {
                if let Some(number) = places.get(&key) {
                    found.insert(number.bits(), Component::Output(lowered, leaf, at));
                }
            }
        }
        match found.len() {
            count if count != arrays.clone().count() => {
                Err(broken(Part::Lowered, "it does not pass on all clip and cull distances"))
            }
            0 => Ok(None),
            _ => Ok(Some([probe(arrays)?, probe(found.into_values())?])),
        }
    }

    /// Draws the original or its replacement, and the lowered stage, each with its fragment stage.
    fn draw<P: Copy, S>(
        &self,
        [original, lowered]: [&[u32]; 2],
        chosen: &[&Drawable<P>],
        [first, second]: [S; 2],
        draw: impl Fn(S, &[u32], Vec<P>) -> Result<Images, Error>,
    ) -> Result<[Images; 2], Stop> {
        let all: Vec<P> = chosen.iter().map(|one| one.of).collect();
        (self.task.report)(Phase::Original);
        let mut right = match self.is_native {
            true => draw(first, original, all.clone()).map_err(cannot_run_original)?,
            false => self.draw_by_model(original, chosen, Rounding::Nearest)?,
        };
        self.task.check_original(|_| true)?;
        (self.task.report)(Phase::Rewritten);
        let found = draw(second, lowered, all);
        let found = found.map_err(|error| cannot_run(Part::Lowered, &error))?;
        self.task.check_messages(Part::Lowered, |_| true)?;
        match self.model.steps.form {
            // SwiftShader's queries do not count primitives if the fragment stage discards a part of them.
            ClipForm::Emulated { .. } => right.1.clone_from(&found.1),
            ClipForm::Kept | ClipForm::Arrays if self.is_native => {}
            // Primitives that a shader clips or culls do not reach the device's clipping stage.
            _ => right.1.iter_mut().for_each(|counts| counts.clipping = None),
        }
        Ok([right, found])
    }

    /// Returns the fragment stage that follows the lowered stage.
    fn emulated(&self, fragment: &[u32]) -> Result<Vec<u32>, Stop> {
        let ClipForm::Emulated { location, native_clip } = self.model.steps.form else {
            return Ok(fragment.to_vec());
        };
        let emulated = if native_clip { Emulated::Cull } else { Emulated::All };
        let [clip, cull] = self.counts;
        let signature = Some(DistanceCounts { clip, cull });
        let emulate = Step::Emulate { emulated, location, inputs: None, signature };
        let module = Module::parse(fragment).expect("our own SPIR-V parses");
        let options = Options::from([emulate]);
        let emulated = clip_cull::lower(&module, "main", &options);
        let emulated = emulated.map_err(|error| {
            not_comparable(format!("cannot emulate the distances in the fragment stage: {error}"))
        })?;
        Ok(emulated.module.into_words())
    }

    /// Draws positions and clip distances from vertex buffers, and skips culled primitives.
    fn draw_by_model<P>(
        &self,
        fragment: &[u32],
        drawables: &[&Drawable<P>],
        rounding: Rounding,
    ) -> Result<Images, Stop> {
        let (mut vertices, mut ranges) = (Vec::new(), Vec::new());
        for drawable in drawables {
            let first = vertices.len();
            for primitive in &drawable.primitives {
                let distances = primitive.iter().map(|one| self.model.distances(one));
                let distances: Vec<[Vec<Number>; 2]> = distances.collect();
                if is_culled(&distances) {
                    continue;
                }
                for (at, [clip, _]) in primitive.iter().map(position).zip(distances) {
                    let clip = clip.into_iter().map(|distance| distance.rounded(rounding));
                    vertices.push((at, Vertex::new(), [clip.collect(), Vec::new()]));
                }
            }
            ranges.push(first..vertices.len());
        }
        let stage_inputs = StageInputs::new(self.task, (&[], None), vertices)?;
        let mut work = Work::default();
        for (range, drawable) in ranges.into_iter().zip(drawables) {
            let mut draw = Draw::new(
                vec![Stage::vertex(&stage_inputs.synthetic_vertex)],
                0..range.len() as u32,
            );
            draw.vertex_buffers = vec![stage_inputs.install(range, &mut work)];
            images::rasterize(&mut draw, drawable.topology, fragment, &mut work);
            work.draws.push(draw);
        }
        self.task.device.count(&work).map_err(cannot_run_original)
    }
}

/// The largest number at a vertex if original and lowered stage clip differently. Interpolation of larger numbers may
/// overflow.
const LARGEST: f32 = 1e15;

fn position(vertex: &Vertex) -> [f32; 4] {
    [0, 1, 2, 3].map(|axis| vertex.get(&Key::position(axis)).map_or(0.0, |number| number.float()))
}
