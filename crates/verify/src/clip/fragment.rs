//! Fragment stages: compares the images of a scene of planes, in which each primitive is drawn alone.
//!
//! One synthetic vertex stage writes the inputs of the original, and another one writes the inputs of the lowered
//! stage from the same numbers. Both also write built-in distances, so that the device clips in the same way. If the
//! lowered stage emulates clipping, the device clips only for the original, and the CPU decides which primitives are
//! culled.

use super::model::{Key, Model, Number, components, is_culled};
use super::stage_inputs::{Corner, StageInputs, declared, kinds};
use crate::images;
use crate::inputs::Inputs;
use crate::leaves::{Leaf, ScalarKind};
use crate::random::{Random, Values};
use crate::run::{Task, cannot_run, cannot_run_original};
use crate::targets::{self, BEFORE, Colour, ColourTarget, Image, SIDE};
use crate::verdict::{Difference, Equal, Part, Stop, Verdict, broken, not_comparable};
use crate::{ClipForm, ClipSteps, Phase};
use polyshade::Module;
use polyshade::clip_cull::DISTANCE_KINDS;
use polyshade::spv::{Decoration, StorageClass};
use polyshade_vulkan::{Error, Stage};
use std::collections::BTreeMap;
use std::iter;

/// The number of vertices of a primitive.
const CORNERS: usize = 3;
/// The number of primitives.
const PRIMITIVES: u32 = 24;

pub(super) fn verify(task: &Task<'_>, steps: &ClipSteps, lowered: &Module<'_>) -> Verdict {
    if steps.planes.is_some() || steps.mask.is_some() {
        let why = "user clip planes and their mask do not apply to fragment stages";
        return Verdict::NotComparable(why.to_owned());
    }
    task.each_seed(|seed| FragmentRun::new(task, steps, seed)?.compare(lowered))
}

struct FragmentRun<'r> {
    task: &'r Task<'r>,
    inputs: Inputs,
    leaves: Vec<Leaf>,
    /// The type of each input component of the original, and of each distance that the original does not read.
    kinds: BTreeMap<Key, (ScalarKind, u32)>,
    model: Model,
    targets: Vec<ColourTarget>,
    /// The vertices, three per primitive.
    corners: Vec<Corner>,
}

impl<'r> FragmentRun<'r> {
    fn new(task: &'r Task<'r>, steps: &ClipSteps, seed: u64) -> Result<FragmentRun<'r>, Stop> {
        let original = task.original;
        task.check_device(original)?;
        let leaves = |class| task.leaves(original, class).map_err(not_comparable);
        let read = leaves(StorageClass::INPUT)?;
        let is_on_screen = |leaf: &Leaf| {
            DISTANCE_KINDS.into_iter().any(|kind| leaf.builtin == Some(kind.builtin()))
                && original.decoration(leaf.variable, Decoration::NO_PERSPECTIVE).is_some()
        };
        if read.iter().any(is_on_screen) {
            let why = "drivers interpolate `noperspective` arrays differently";
            return Err(not_comparable(why));
        }
        // A stage that emulates distances tests `counts` distances, even if the original does not read them.
        let counts = steps.counts.filter(|_| matches!(steps.form, ClipForm::Emulated { .. }));
        let distances = iter::zip(DISTANCE_KINDS, counts.unwrap_or_default())
            .flat_map(|(kind, count)| Key::elements(kind).take(count as usize));
        let passed_on = components(&read).into_keys().filter(Key::is_passed_on);
        let mut run = FragmentRun {
            task,
            inputs: task.inputs((Values::Colours, seed), CORNERS as u32)?,
            kinds: kinds(task, &read, passed_on.chain(distances)),
            model: Model::new(task, &read, &steps.inputs, counts, steps)?,
            leaves: read,
            targets: targets::targets(leaves(StorageClass::OUTPUT)?)?,
            corners: Vec::new(),
        };
        run.corners = (0..PRIMITIVES).flat_map(|number| run.primitive(seed, number)).collect();
        Ok(run)
    }

    fn compare(&self, lowered: &Module<'_>) -> Result<Equal, Stop> {
        let task = self.task;
        (task.report)(Phase::Original);
        // Draw the original over both backgrounds, with both fillers.
        let stage_inputs = self.original_inputs()?;
        let draw = |module: &Module<'_>| -> Result<Vec<Image>, Stop> {
            let draw = |before| {
                let drawn =
                    self.draw(module.words(), &stage_inputs, before, FragmentRun::is_dropped);
                drawn.map_err(cannot_run_original)
            };
            let [first, second] = [draw(BEFORE[0])?, draw(BEFORE[1])?];
            let images = first.iter().zip(&second);
            for (target, (first, second)) in self.targets.iter().cycle().zip(images) {
                for (first, second) in first.iter().zip(second) {
                    target.is_covered([*first, *second])?;
                }
            }
            Ok(first)
        };
        let right = draw(task.original)?;
        let other = task.other().map_or_else(|| Ok(right.clone()), draw)?;
        task.check_original(|_| true)?;

        // Draw the lowered stage.
        let module = task.variant(Part::Lowered, lowered)?;
        task.check_device(&module)?;
        let stage_inputs = self.lowered_inputs(&module)?;
        (task.report)(Phase::Rewritten);
        let found = self.draw(module.words(), &stage_inputs, BEFORE[0], |_, _| false);
        let mut found = found.map_err(|error| cannot_run(Part::Lowered, &error))?;
        targets::leave_out(&mut found, &right, &other);
        let count = self.targets.len();
        let drawn = right.chunks_exact(count).zip(found.chunks_exact(count));
        let mut equal = Equal { draws: u64::from(PRIMITIVES), ..Equal::default() };
        for (number, (right, found)) in drawn.enumerate() {
            equal.pixels += self.compare_images(number, [right, found])?;
        }
        task.check_messages(Part::Lowered, |_| true)?;
        match equal.pixels {
            0 => Err(not_comparable("the shader draws no pixel of the scene")),
            _ => Ok(equal),
        }
    }

    /// Compares the images of a primitive, and returns the number of covered pixels.
    fn compare_images(&self, number: usize, drawn: [&[Image]; 2]) -> Result<u64, Stop> {
        let [right, found] = drawn;
        let primitive = &self.corners[number * CORNERS..][..CORNERS];
        let is_clipped = |corner: &Corner| {
            self.model.distances(&corner.values)[0].iter().any(|distance| distance.float() < 0.0)
        };
        // If the fragment stage clips, the edges and the values on both sides of an edge depend on its precision.
        let is_cut = matches!(self.model.steps.form, ClipForm::Emulated { native_clip: false, .. })
            && primitive.iter().any(is_clipped);
        let mut covered = 0;
        for (target, (right, found)) in self.targets.iter().zip(right.iter().zip(found)) {
            let colour = |image: &Image, (x, y): (u32, u32)| image[(y * SIDE + x) as usize];
            let is_covered = |image: &Image, at| !target.is_same(colour(image, at), BEFORE[0]);
            for at in (0..SIDE * SIDE).map(|pixel| (pixel % SIDE, pixel / SIDE)) {
                let is_edge = |image| images::is_edge(SIDE, at, |at| is_covered(image, at));
                let [one, other] = [right, found].map(|image| colour(image, at));
                let [is_right, is_found] = [right, found].map(|image| is_covered(image, at));
                let is_same = match is_cut {
                    // A clipped primitive may be smaller than a driver's precision.
                    true => is_right == is_found || is_edge(right) || is_edge(found),
                    false => target.is_same(one, other),
                };
                if !is_same {
                    let corners: Vec<_> = primitive.iter().map(|corner| corner.position).collect();
                    return Err(Stop::from(Difference {
                        draw: Some(format!("triangle {number}, {corners:?}")),
                        pixel: Some(at),
                        expected: Some(one.value()),
                        found: Some(other.value()),
                        ..Difference::new(Part::Lowered, "the images differ")
                    }));
                }
                covered += u64::from(is_right);
            }
        }
        Ok(covered)
    }

    fn is_emulated(&self) -> bool {
        matches!(self.model.steps.form, ClipForm::Emulated { .. })
    }

    /// Whether the lowered stage must cull a primitive, because one cull distance is negative at all vertices.
    fn is_dropped(&self, primitive: &[Corner]) -> bool {
        let distances = primitive.iter().map(|corner| self.model.distances(&corner.values));
        self.is_emulated() && is_culled(&distances.collect::<Vec<_>>())
    }

    fn primitive(&self, seed: u64, number: u32) -> [Corner; CORNERS] {
        let mut random = Random::new(seed, 1 << 43 | u64::from(number));
        let part = |random: &mut Random| random.below(65) as f32 / 64.0;
        let mut corners = [(); CORNERS].map(|()| Corner::random(&self.kinds, &mut random, part));
        // Every fourth primitive is not clipped. In these forms no primitive is clipped, because original and lowered
        // stage have different kinds of distances.
        let is_whole = number.is_multiple_of(4)
            || matches!(self.model.steps.form, ClipForm::Combined | ClipForm::Separate);
        // The distances that the original has built-in, or reads as inputs.
        let [clips, culls] = self.model.distances.each_ref().map(|keys| {
            let keys = keys.iter().filter(|key| self.kinds.contains_key(key));
            keys.copied().collect::<Vec<Key>>()
        });
        // If the driver culls incorrectly, the original would be drawn incorrectly.
        let device = self.task.device.capabilities();
        let can_cull = !self.is_emulated() || !device.culls_wrongly(declared(&self.leaves));
        let is_culled = can_cull && !is_whole && number % 4 == 1 && !culls.is_empty();
        let culled = is_culled.then(|| random.one_of(&culls));
        // Some primitives are clipped by only one plane.
        let only = (number % 4 == 2 && !clips.is_empty()).then(|| random.one_of(&clips));
        // In some primitives, one distance is 0 everywhere, as for a disabled plane. Other primitives are close to
        // all planes.
        let zero = (number % 8 == 4 && !clips.is_empty()).then(|| random.one_of(&clips));
        let scale = if number % 3 == 1 { 1.0 / 1024.0 } else { 1.0 };
        for key in clips.iter().chain(&culls) {
            for corner in &mut corners {
                // Other distances are never 0, because pixels at an edge may be on either side of it.
                let distance = (2 * random.below(128) + 1) as f32 / 128.0;
                let is_inside = is_whole
                    || !can_cull && culls.contains(key)
                    || only.is_some_and(|only| only != *key);
                let distance = match culled == Some(*key) {
                    true => -distance,
                    false if zero == Some(*key) => 0.0,
                    false if is_inside => distance,
                    false => distance - 1.0,
                };
                corner.values.insert(*key, Number::Bits((distance * scale).to_bits()));
            }
        }
        corners
    }

    /// Returns the inputs of the original and the vertex stage that writes them.
    fn original_inputs(&self) -> Result<StageInputs, Stop> {
        // Primitives that are culled by distances without an input are not drawn at all.
        let most = if self.is_emulated() { declared(&self.leaves)[1] as usize } else { usize::MAX };
        let vertex = |corner: &Corner| {
            let arrays = match self.model.steps.form {
                // The original's arrays differ from the arrays of the lowered stage.
                ClipForm::Combined | ClipForm::Separate => corner.own_distances(),
                _ => {
                    let [clip, mut cull] = self.model.distances(&corner.values);
                    cull.truncate(most);
                    [clip, cull]
                }
            };
            (corner.position, corner.values.clone(), arrays)
        };
        let vertices = self.corners.iter().map(vertex).collect();
        StageInputs::new(self.task, (&self.leaves, None), vertices)
    }

    /// Returns the inputs of the lowered stage and the vertex stage that writes them.
    fn lowered_inputs(&self, module: &Module<'_>) -> Result<StageInputs, Stop> {
        let leaves = self.task.leaves(module, StorageClass::INPUT);
        let leaves = leaves.map_err(|why| broken(Part::Lowered, why))?;
        let arrays = |[clip, cull]: [Vec<Number>; 2]| match self.model.steps.form {
            ClipForm::Emulated { native_clip: true, .. } => [clip, Vec::new()],
            ClipForm::Emulated { native_clip: false, .. } => [Vec::new(), Vec::new()],
            _ => [clip, cull],
        };
        StageInputs::of_lowered(self.task, (&leaves, None), (&self.model, &self.corners), arrays)
    }

    /// Draws each primitive that is not dropped with one of the two stages, and returns one image for each target.
    fn draw(
        &self,
        shader: &[u32],
        stage_inputs: &StageInputs,
        before: Colour,
        is_dropped: impl Fn(&Self, &[Corner]) -> bool,
    ) -> Result<Vec<Image>, Error> {
        let background = vec![vec![before; (SIDE * SIDE) as usize]; self.targets.len()];
        let firsts = (0..self.corners.len()).step_by(CORNERS);
        let work = self.inputs.work(firsts, |first_corner, given, work| {
            let corners = first_corner..first_corner + CORNERS;
            let is_dropped = is_dropped(self, &self.corners[corners.clone()]);
            let first = targets::add(&self.targets, &background, work);
            let stage = Stage { entry_point: self.task.job.entry, ..Stage::fragment(shader) };
            let vertices = 0..if is_dropped { 0 } else { CORNERS as u32 };
            let mut draw = targets::draw(
                &stage_inputs.synthetic_vertex,
                stage,
                (first, self.targets.len()),
                vertices,
            );
            given.give(&mut draw);
            draw.stages[0].specialization.clear();
            draw.vertex_buffers = vec![stage_inputs.install(corners, work)];
            draw
        });
        Ok(targets::images(&self.task.device.run(&work)?))
    }
}
