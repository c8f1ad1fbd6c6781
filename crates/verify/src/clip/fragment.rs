//! Fragment stages: what they draw of a scene of planes, each primitive by itself.
//!
//! A vertex stage of ours hands on what the original reads, and another one what the lowered stage is to read, made of
//! the same numbers. Both hand distances to the device as well, so that it cuts both alike; where the lowered stage
//! does that instead, only the original's are cut, and whether a primitive is culled is decided on the CPU.

use super::handed::{Corner, Side, declared, kinds};
use super::model::{Key, Model, Number, components, is_culled};
use crate::inputs::Inputs;
use crate::leaves::Leaf;
use crate::pictures;
use crate::random::{Random, Values};
use crate::run::{Task, cannot_run, cannot_run_original};
use crate::targets::{self, BEFORE, Colour, Picture, SIDE, Target};
use crate::verdict::{Difference, Equal, Part, Stop, Verdict, broken, not_comparable};
use crate::{Form, Phase, Steps};
use polyshade::Module;
use polyshade::clip_cull::{self, KINDS};
use polyshade::spv::{Decoration, StorageClass};
use polyshade_vulkan::{Error, Stage};
use std::collections::BTreeSet;
use std::iter;

/// The corners of a primitive.
const CORNERS: usize = 3;
/// How many primitives are drawn.
const PRIMITIVES: u32 = 24;

/// Compares a lowered stage with the original.
pub(super) fn verify(task: &Task<'_>, steps: &Steps, lowered: &Module<'_>) -> Verdict {
    if steps.planes.is_some() || steps.enable.is_some() {
        let why = "planes are for the stages that hand distances on";
        return Verdict::NotComparable(why.to_owned());
    }
    task.each_seed(|seed| Run::new(task, steps, seed)?.compare(lowered))
}

/// One comparison, with one set of inputs.
struct Run<'r> {
    task: &'r Task<'r>,
    steps: &'r Steps,
    inputs: Inputs,
    leaves: Vec<Leaf>,
    /// The input components of the original, and the distances that it does not read.
    keys: BTreeSet<Key>,
    model: Model,
    targets: Vec<Target>,
    /// Three of each primitive.
    corners: Vec<Corner>,
}

impl<'r> Run<'r> {
    fn new(task: &'r Task<'r>, steps: &'r Steps, seed: u64) -> Result<Run<'r>, Stop> {
        let original = task.original;
        task.check_device(original)?;
        let leaves = |class| task.leaves(original, class).map_err(not_comparable);
        let read = leaves(StorageClass::INPUT)?;
        let is_on_screen = |leaf: &Leaf| {
            let is_array = KINDS.into_iter().any(|kind| leaf.builtin == Some(kind.builtin()));
            is_array && original.decoration(leaf.variable, Decoration::NO_PERSPECTIVE).is_some()
        };
        if read.iter().any(is_on_screen) {
            return Err(not_comparable(
                "drivers interpolate `noperspective` arrays in their own way",
            ));
        }
        let keys = with_distances(components(&read).into_keys(), steps);
        let interface = (read.as_slice(), &keys);
        let model = Model::new(task.job.module, interface, &steps.inputs, emulated(steps), steps);
        let mut run = Run {
            task,
            steps,
            inputs: task.inputs((Values::Colours, seed), CORNERS as u32)?,
            leaves: read,
            keys,
            model: model.map_err(not_comparable)?,
            targets: targets::targets(leaves(StorageClass::OUTPUT)?)?,
            corners: Vec::new(),
        };
        run.corners = (0..PRIMITIVES).flat_map(|number| run.primitive(seed, number)).collect();
        Ok(run)
    }

    fn compare(&self, lowered: &Module<'_>) -> Result<Equal, Stop> {
        let task = self.task;
        (task.report)(Phase::Original);
        let side = self.original_side()?;
        let draw = |module: &Module<'_>| -> Result<Vec<Picture>, Stop> {
            let draw = |before| {
                let is_dropped = |primitive: &[Corner]| self.is_dropped(primitive);
                self.draw(module.words(), &side, before, is_dropped).map_err(cannot_run_original)
            };
            let [first, second] = [draw(BEFORE[0])?, draw(BEFORE[1])?];
            for (number, (first, second)) in first.iter().zip(&second).enumerate() {
                let target = &self.targets[number % self.targets.len()];
                for (first, second) in first.iter().zip(second) {
                    target.is_covered([*first, *second])?;
                }
            }
            Ok(first)
        };
        let right = draw(task.original)?;
        let other = task.other().map_or_else(|| Ok(right.clone()), draw)?;
        task.check_original(|_| true)?;

        let module = task.variant(Part::Lowered, lowered)?;
        task.check_device(&module)?;
        let side = self.lowered_side(&module)?;
        (task.report)(Phase::Rewritten);
        let found = self.draw(module.words(), &side, BEFORE[0], |_| false);
        let mut found = found.map_err(|error| cannot_run(Part::Lowered, &error))?;
        targets::leave_out(&mut found, &right, &other);
        let count = self.targets.len();
        let drawn = right.chunks_exact(count).zip(found.chunks_exact(count));
        let mut equal = Equal { draws: u64::from(PRIMITIVES), ..Equal::default() };
        for (number, (primitive, (right, found))) in
            self.corners.chunks_exact(CORNERS).zip(drawn).enumerate()
        {
            let compared = self.compare_pictures(primitive, right, found);
            equal.pixels += compared.map_err(|difference| {
                let draw = Some(format!(
                    "triangle {number}, {:?}",
                    primitive.iter().map(|corner| corner.position).collect::<Vec<_>>()
                ));
                Difference { draw, ..*difference }
            })?;
        }
        task.check_messages(Part::Lowered, |_| true)?;
        match equal.pixels {
            0 => Err(not_comparable("the shader draws nothing of the scene")),
            _ => Ok(equal),
        }
    }

    /// Returns how many pixels are covered.
    fn compare_pictures(
        &self,
        primitive: &[Corner],
        right: &[Picture],
        found: &[Picture],
    ) -> Result<u64, Box<Difference>> {
        // Where the fragment stage cuts, edges are a matter of its precision, and values on both sides of them too.
        let is_cut = self.cuts() && self.is_clipped(primitive);
        let mut covered = 0;
        for (target, (right, found)) in self.targets.iter().zip(right.iter().zip(found)) {
            let is_covered = |picture: &Picture, (x, y): (u32, u32)| {
                !target.is_same(picture[(y * SIDE + x) as usize], BEFORE[0])
            };
            for at in (0..SIDE * SIDE).map(|pixel| (pixel % SIDE, pixel / SIDE)) {
                let [one, other] =
                    [right, found].map(|picture| picture[(at.1 * SIDE + at.0) as usize]);
                let is_same = match is_cut {
                    true => {
                        is_covered(right, at) == is_covered(found, at)
                            || pictures::is_edge(SIDE, at, |at| is_covered(right, at))
                            // What is left may be smaller than the precision of a driver.
                            || pictures::is_edge(SIDE, at, |at| is_covered(found, at))
                    }
                    false => target.is_same(one, other),
                };
                if !is_same {
                    return Err(Box::new(Difference {
                        pixel: Some(at),
                        expected: Some(one.value()),
                        found: Some(other.value()),
                        ..Difference::new(Part::Lowered, "a picture differs")
                    }));
                }
                covered += u64::from(is_covered(right, at));
            }
        }
        Ok(covered)
    }

    /// Whether the lowered stage emulates distances.
    fn is_emulated(&self) -> bool {
        matches!(self.steps.form, Form::Emulated { .. })
    }

    /// Whether the lowered stage emulates clip distances.
    fn cuts(&self) -> bool {
        matches!(self.steps.form, Form::Emulated { native_clip: false, .. })
    }

    /// The distances of a kind that the original has, or is handed.
    fn distances(&self, kind: clip_cull::Kind) -> impl Iterator<Item = &Key> {
        let distances = self.model.distances[kind as usize].iter();
        distances.filter(|key| self.keys.contains(key))
    }

    /// Whether the device cuts a primitive.
    fn is_clipped(&self, primitive: &[Corner]) -> bool {
        let mut clips = primitive.iter().flat_map(|one| one.distances(&self.model)[0].clone());
        clips.any(|distance| distance.float() < 0.0)
    }

    /// Whether the lowered stage has to cull a primitive: one cull distance is negative at all corners.
    fn is_dropped(&self, primitive: &[Corner]) -> bool {
        let distances = primitive.iter().map(|corner| corner.distances(&self.model));
        self.is_emulated() && is_culled(&distances.collect::<Vec<_>>())
    }

    fn primitive(&self, seed: u64, number: u32) -> [Corner; CORNERS] {
        let mut random = Random::new(seed, 1 << 43 | u64::from(number));
        let kinds = kinds(self.task, &self.leaves, &self.keys);
        let number_of = |random: &mut Random| random.below(65) as f32 / 64.0;
        let mut corners = [(); CORNERS].map(|()| Corner::random(&kinds, &mut random, number_of));
        // What is a plane in one form is none in another, so neither cuts; and of some primitives all is seen.
        let is_whole =
            number.is_multiple_of(4) || matches!(self.steps.form, Form::Combined | Form::Separate);
        let culls: Vec<&Key> = self.distances(clip_cull::Kind::Cull).collect();
        // Where the device cannot, the original would not be drawn as it should be.
        let device = self.task.device.capabilities();
        let can_cull = !self.is_emulated() || !device.culls_wrongly(declared(&self.leaves));
        let is_culled = can_cull && !is_whole && number % 4 == 1 && !culls.is_empty();
        let culled = is_culled.then(|| random.one_of(&culls));
        // Of some, only one plane cuts.
        let clips: Vec<&Key> = self.distances(clip_cull::Kind::Clip).collect();
        let only = (number % 4 == 2 && !clips.is_empty()).then(|| random.one_of(&clips));
        for key in KINDS.into_iter().flat_map(|kind| self.distances(kind)) {
            for corner in &mut corners {
                // Never 0: what is at an edge may be on either side of it.
                let distance = (2 * random.below(128) + 1) as f32 / 128.0;
                let is_inside = is_whole
                    || !can_cull && culls.contains(&key)
                    || only.is_some_and(|only| only != key);
                let distance = match culled == Some(key) {
                    true => -distance,
                    false if is_inside => distance,
                    false => distance - 1.0,
                };
                corner.values.insert(*key, Number::Bits(distance.to_bits()));
            }
        }
        corners
    }

    /// The original, with a vertex stage that writes its inputs.
    fn original_side(&self) -> Result<Side, Stop> {
        let culled = declared(&self.leaves)[1] as usize;
        let arrays = |corner: &Corner| match self.steps.form {
            // The arrays are others than those of the lowered stage.
            Form::Combined | Form::Separate => None,
            _ => {
                let mut arrays = corner.distances(&self.model);
                if self.is_emulated() {
                    // What is culled is not drawn at all.
                    arrays[1].truncate(culled);
                }
                Some(arrays)
            }
        };
        let device = self.task.device.capabilities();
        Side::of_original(device, &self.leaves, &self.corners, arrays)
    }

    /// The lowered stage, with a vertex stage that writes its inputs.
    fn lowered_side(&self, module: &Module<'_>) -> Result<Side, Stop> {
        let leaves = self.task.leaves(module, StorageClass::INPUT);
        let leaves = leaves.map_err(|why| broken(Part::Lowered, why))?;
        let arrays = |corner: &Corner| {
            let mut arrays = corner.distances(&self.model);
            if let Form::Emulated { native_clip, .. } = self.steps.form {
                arrays[1].clear();
                if !native_clip {
                    arrays[0].clear();
                }
            }
            arrays
        };
        let device = self.task.device.capabilities();
        Side::of_lowered(device, &leaves, (&self.model, &self.corners), arrays)
    }

    /// The pictures that one of the sides draws of each primitive that is not dropped: one for each target.
    fn draw(
        &self,
        shader: &[u32],
        side: &Side,
        before: Colour,
        is_dropped: impl Fn(&[Corner]) -> bool,
    ) -> Result<Vec<Picture>, Error> {
        let background = vec![vec![before; (SIDE * SIDE) as usize]; self.targets.len()];
        let firsts = (0..self.corners.len()).step_by(CORNERS);
        let work = self.inputs.work(firsts, |first_corner, given, work| {
            let corners = first_corner..first_corner + CORNERS;
            let is_dropped = is_dropped(&self.corners[corners.clone()]);
            let first = targets::add(&self.targets, &background, work);
            let stage = Stage { entry_point: self.task.job.entry, ..Stage::fragment(shader) };
            let vertices = 0..if is_dropped { 0 } else { CORNERS as u32 };
            let mut draw =
                targets::draw(&side.feeder, stage, (first, self.targets.len()), vertices);
            given.give(&mut draw);
            draw.stages[0].specialization.clear();
            draw.vertex_buffers = vec![side.install(corners, work)];
            draw
        });
        Ok(targets::pictures(&self.task.device.run(&work)?))
    }
}

/// How many clip and cull distances a stage tests that emulates them.
fn emulated(steps: &Steps) -> Option<[u32; 2]> {
    steps.counts.filter(|_| matches!(steps.form, Form::Emulated { .. }))
}

/// The inputs of a stage, and the distances that the stage before writes and it does not read.
fn with_distances(keys: impl Iterator<Item = Key>, steps: &Steps) -> BTreeSet<Key> {
    let counts = emulated(steps).unwrap_or_default();
    let distances =
        iter::zip(KINDS, counts).flat_map(|(kind, count)| Key::elements(kind).take(count as usize));
    keys.filter(Key::is_handed_on).chain(distances).collect()
}
