//! Fragment stages: what they draw of a scene of planes, each primitive by itself.
//!
//! A vertex stage of ours hands on what the original reads, and another one what the lowered stage is to read, made of
//! the same numbers. Both hand distances to the device as well, so that it cuts both alike; where the lowered stage
//! does that instead, only the original's are cut, and whether a primitive is culled is decided on the CPU.

use super::expected::{Expected, Interface, Key, Source, components, expected};
use super::handed::{Corner, Side, declared};
use crate::inputs::Inputs;
use crate::leaves::{self, Kind, Leaf};
use crate::pictures;
use crate::random::{Random, Values};
use crate::run::{Task, cannot_run, cannot_run_original};
use crate::targets::{self, Colour, Picture, SIDE, Target};
use crate::verdict::{Difference, Equal, Part, Stop, Verdict, broken, not_comparable};
use crate::{Form, Phase, Steps};
use polyshade::Module;
use polyshade::clip_cull::{self, KINDS};
use polyshade::spv::{ExecutionModel, StorageClass};
use polyshade_vulkan::{Error, Stage};
use std::collections::BTreeMap;

/// The corners of a primitive.
const CORNERS: usize = 3;
/// How many primitives are drawn.
const PRIMITIVES: u32 = 16;
/// The sign bit of a float.
const SIGN: u32 = 1 << 31;
/// The background of every target.
const BEFORE: Colour = Colour([0x7e55_aa33; 4]);

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
    /// The word of each input component of the original, and of each distance that it does not read.
    words: BTreeMap<Key, usize>,
    expected: Expected,
    targets: Vec<Target>,
    primitives: Vec<[Corner; CORNERS]>,
}

impl<'r> Run<'r> {
    fn new(task: &'r Task<'r>, steps: &'r Steps, seed: u64) -> Result<Run<'r>, Stop> {
        let (original, model) = (task.original, ExecutionModel::FRAGMENT);
        task.check_device(original)?;
        let leaves = |class| task.leaves(original, model, class).map_err(not_comparable);
        let read = leaves(StorageClass::INPUT)?;
        if let Some(leaf) = read.iter().find(|leaf| leaf.builtin.is_none() && leaf.bits != 32) {
            return Err(not_comparable(format!("input {} is not made", leaf.title())));
        }
        let words = with_distances(components(&read), steps);
        let interface = Interface {
            words: words.clone(),
            counts: emulated(steps),
            ..Interface::of(&read, &steps.inputs)
        };
        let expected = expected(original, &interface, steps).map_err(not_comparable)?;
        let mut run = Run {
            task,
            steps,
            inputs: task.inputs(model, (Values::Colours, seed), CORNERS as u32)?,
            leaves: read,
            words,
            expected,
            targets: targets::targets(leaves(StorageClass::OUTPUT)?)?,
            primitives: Vec::new(),
        };
        run.primitives = (0..PRIMITIVES).map(|number| run.primitive(seed, number)).collect();
        Ok(run)
    }

    fn compare(&self, lowered: &Module<'_>) -> Result<Equal, Stop> {
        let task = self.task;
        (task.report)(Phase::Original);
        let right = self.draw(task.original.words(), &self.original_side()?, |primitive| {
            self.is_dropped(primitive)
        });
        let right = right.map_err(cannot_run_original)?;
        task.check_original(|_| true)?;

        let module = task.variant(Part::Lowered, lowered)?;
        task.check_device(&module)?;
        let side = self.lowered_side(&module)?;
        (task.report)(Phase::Rewritten);
        let found = self.draw(module.words(), &side, |_| false);
        let found = found.map_err(|error| cannot_run(Part::Lowered, &error))?;
        let count = self.targets.len();
        let drawn = right.chunks_exact(count).zip(found.chunks_exact(count));
        let mut equal = Equal { draws: u64::from(PRIMITIVES), ..Equal::default() };
        for (number, (primitive, (right, found))) in self.primitives.iter().zip(drawn).enumerate() {
            let compared = self.compare_pictures(primitive, right, found);
            equal.pixels += compared.map_err(|difference| {
                let draw = Some(format!(
                    "triangle {number}, {:?}",
                    primitive.each_ref().map(|corner| corner.position)
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
        primitive: &[Corner; CORNERS],
        right: &[Picture],
        found: &[Picture],
    ) -> Result<u64, Box<Difference>> {
        // Where the fragment stage cuts, edges are a matter of its precision, and values on both sides of them too.
        let is_cut = self.cuts() && self.is_clipped(primitive);
        let mut covered = 0;
        for (target, (right, found)) in self.targets.iter().zip(right.iter().zip(found)) {
            let is_covered = |picture: &Picture, (x, y): (u32, u32)| {
                !target.is_same(picture[(y * SIDE + x) as usize], BEFORE)
            };
            for at in (0..SIDE * SIDE).map(|pixel| (pixel % SIDE, pixel / SIDE)) {
                let [one, other] =
                    [right, found].map(|picture| picture[(at.1 * SIDE + at.0) as usize]);
                let is_same = match is_cut {
                    true => {
                        is_covered(right, at) == is_covered(found, at)
                            || pictures::is_edge(SIDE, at, |at| is_covered(right, at))
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

    /// The word of each distance of a kind, where it has one of its own.
    fn distances(&self, kind: clip_cull::Kind) -> impl Iterator<Item = usize> {
        let keys = &self.expected.distances[kind as usize];
        keys.iter().filter_map(|key| match self.expected.components.get(key) {
            Some(Source::Word(word)) => Some(*word),
            _ => None,
        })
    }

    /// Whether the device cuts a primitive.
    fn is_clipped(&self, primitive: &[Corner; CORNERS]) -> bool {
        let mut distances = self.distances(clip_cull::Kind::Clip);
        distances.any(|word| primitive.iter().any(|corner| corner.is_negative(word)))
    }

    /// Whether the lowered stage has to cull a primitive: one cull distance is negative at all corners.
    fn is_dropped(&self, primitive: &[Corner; CORNERS]) -> bool {
        let mut distances = self.distances(clip_cull::Kind::Cull);
        self.is_emulated()
            && distances.any(|word| primitive.iter().all(|corner| corner.is_negative(word)))
    }

    fn primitive(&self, seed: u64, number: u32) -> [Corner; CORNERS] {
        let mut random = Random::new(seed, 1 << 43 | u64::from(number));
        let positions = [(); CORNERS].map(|()| position(&mut random));
        let mut words = [(); CORNERS].map(|()| vec![0; count(&self.words)]);
        for corner in &mut words {
            for leaf in self.leaves.iter().filter(|leaf| leaf.builtin.is_none()) {
                for (location, component) in leaves::registers(leaf) {
                    let word = self.words[&Key::Register { location, component }];
                    corner[word] = match leaf.kind {
                        Kind::Float => (random.below(65) as f32 / 64.0).to_bits(),
                        Kind::Int | Kind::Uint | Kind::Bool => random.below(4),
                    };
                }
            }
        }
        // What is a plane in one form is none in another, so neither cuts; and of some primitives all is seen.
        let is_whole =
            number.is_multiple_of(4) || matches!(self.steps.form, Form::Combined | Form::Separate);
        for word in KINDS.into_iter().flat_map(|kind| self.distances(kind)) {
            for corner in &mut words {
                // Never 0: what is at an edge may be on either side of it.
                let least = if is_whole { 0.0 } else { -1.0 };
                corner[word] = (least + (2 * random.below(128) + 1) as f32 / 128.0).to_bits();
            }
        }
        let culls: Vec<usize> = self.distances(clip_cull::Kind::Cull).collect();
        let reads = declared(&self.leaves);
        if self.is_emulated() && self.task.device.capabilities().culls_wrongly(reads) {
            // The original would not be drawn as it should be.
            for corner in &mut words {
                culls.iter().for_each(|word| corner[*word] &= !SIGN);
            }
        } else if !is_whole && number % 4 == 1 && !culls.is_empty() {
            let word = random.one_of(&culls);
            words.iter_mut().for_each(|corner| corner[word] |= SIGN);
        }
        let mut words = words.into_iter();
        positions.map(|position| Corner { position, words: words.next().expect("one each") })
    }

    /// The original, with a vertex stage that writes its inputs.
    fn original_side(&self) -> Result<Side, Stop> {
        let mut arrays = match self.steps.form {
            // The arrays are others than those of the lowered stage.
            Form::Combined | Form::Separate => None,
            _ => Some(self.arrays()),
        };
        // What is culled is not drawn at all.
        if let Some([_, cull]) = &mut arrays
            && self.is_emulated()
        {
            cull.truncate(declared(&self.leaves)[1] as usize);
        }
        Side::of_original(self.task.device.capabilities(), &self.leaves, &self.words, arrays)
    }

    /// The lowered stage, with a vertex stage that writes its inputs.
    fn lowered_side(&self, module: &Module<'_>) -> Result<Side, Stop> {
        let leaves = self.task.leaves(module, ExecutionModel::FRAGMENT, StorageClass::INPUT);
        let leaves = leaves.map_err(|why| broken(Part::Lowered, why))?;
        let mut arrays = self.arrays();
        if let Form::Emulated { native_clip, .. } = self.steps.form {
            arrays[1].clear();
            if !native_clip {
                arrays[0].clear();
            }
        }
        Side::of_lowered(self.task.device.capabilities(), &leaves, &self.expected, arrays)
    }

    /// The distances by their numbers.
    fn arrays(&self) -> [Vec<Source>; 2] {
        self.expected.distances.each_ref().map(|keys| {
            keys.iter().filter_map(|key| self.expected.components.get(key).cloned()).collect()
        })
    }

    /// The pictures that one of the sides draws of each primitive that is not dropped: one for each target.
    fn draw(
        &self,
        shader: &[u32],
        side: &Side,
        is_dropped: impl Fn(&[Corner; CORNERS]) -> bool,
    ) -> Result<Vec<Picture>, Error> {
        let background = vec![vec![BEFORE; (SIDE * SIDE) as usize]; self.targets.len()];
        let work = self.inputs.work(&self.primitives, |primitive, given, work| {
            let first = targets::add(&self.targets, &background, work);
            let stage = Stage { entry_point: self.task.job.entry, ..Stage::fragment(shader) };
            let vertices = 0..if is_dropped(primitive) { 0 } else { CORNERS as u32 };
            let mut draw =
                targets::draw(&side.feeder, stage, (first, self.targets.len()), vertices);
            given.give(&mut draw);
            draw.stages[0].specialization.clear();
            draw.vertex_buffers = vec![side.install(primitive, work)];
            draw
        });
        Ok(targets::pictures(&self.task.device.run(&work)?))
    }
}

/// A position inside the clip volume, or near it.
pub(super) fn position(random: &mut Random) -> [f32; 4] {
    let [x, y, w] = [(); 3].map(|()| random.below(257) as f32 / 128.0 - 1.0);
    let w = 1.25 + w / 4.0;
    [1.2 * x * w, 1.2 * y * w, 0.5 * w, w]
}

/// How many clip and cull distances a stage tests that emulates them.
fn emulated(steps: &Steps) -> Option<[u32; 2]> {
    steps.counts.filter(|_| matches!(steps.form, Form::Emulated { .. }))
}

/// How many words there are.
fn count(words: &BTreeMap<Key, usize>) -> usize {
    words.values().max().map_or(0, |last| last + 1)
}

/// The words of the inputs of a stage, and of distances that the stage before writes and it does not read.
fn with_distances(mut words: BTreeMap<Key, usize>, steps: &Steps) -> BTreeMap<Key, usize> {
    words.retain(|key, _| key.is_handed_on());
    let first = count(&words);
    let distances = KINDS
        .into_iter()
        .zip(emulated(steps).unwrap_or_default())
        .flat_map(|(kind, count)| (0..count).map(move |element| Key::distance(kind, element)));
    let lacking: Vec<Key> = distances.filter(|key| !words.contains_key(key)).collect();
    words.extend(lacking.into_iter().zip(first..));
    words
}
