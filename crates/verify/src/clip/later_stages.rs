//! Geometry and tessellation stages: compares the lowered stage's outputs and images with the original's.
//!
//! Outputs are compared vertex by vertex and strip by strip, and images primitive by primitive. If a geometry stage
//! clips itself, it emits other vertices, so only images are compared. Synthetic stages write the same inputs for the
//! original and the lowered stage.

use super::host;
use super::model::{Key, Model, Number, Vertex, components, recorded};
use super::outputs::Outputs;
use super::scene::{Drawable, Scene};
use super::stage_inputs::{Corner, StageInputs, declared, kinds};
use super::stage_shape::{StageShape, Strip};
use crate::images::{self, Images};
use crate::initialise::without_feedback;
use crate::inputs::{Inputs, Installed};
use crate::leaves::Leaf;
use crate::library;
use crate::position::chooses_a_layer;
use crate::random::{Random, Values};
use crate::record::Recorder;
use crate::record::emits::Emit;
use crate::run::{SHARED, Task, cannot_run, cannot_run_original, is_same_interface, unfinished};
use crate::verdict::{Difference, Equal, Part, Stop, Verdict, broken, not_comparable};
use crate::{ClipForm, ClipSteps, Phase};
use polyshade::Module;
use polyshade::spv::{BuiltIn, ExecutionMode, StorageClass};
use polyshade_vulkan::{Constant, Draw, Error, Stage, Work, vk};
use std::collections::BTreeSet;
use std::{iter, ops};

pub(super) fn verify(task: &Task<'_>, steps: &ClipSteps, lowered: &Module<'_>) -> Verdict {
    task.each_seed(|seed| {
        let [original, zeroed] = &[task.original, task.zeroed].map(without_feedback);
        let original = original.as_ref().map_err(not_comparable)?;
        let task = Task { original, zeroed: zeroed.as_ref().map_err(not_comparable)?, ..*task };
        LaterStagesRun::new(&task, steps, seed)?.compare(lowered, seed)
    })
}

struct LaterStagesRun<'r> {
    /// The task, with an original without transform feedback decorations.
    task: &'r Task<'r>,
    shape: StageShape,
    inputs: Inputs,
    /// The original's inputs per vertex, and the model of their distances.
    read: Vec<Leaf>,
    input_model: Model,
    /// The outputs of the original, and the model of their distances.
    leaves: Vec<Leaf>,
    model: Model,
    /// The vertices of all primitives.
    corners: Vec<Corner>,
}

/// The inputs of a stage, and the model that holds its host parameters, if it has any.
type Given<'g> = (&'g StageInputs, Option<&'g Model>);

/// One of the two compared stages, with its inputs.
type Shader<'s> = (&'s Module<'s>, Given<'s>);

/// The vertices that the original emits for each primitive; `None` if they are undefined.
type Emitted = Vec<Option<Vec<(Strip, Vertex)>>>;

impl<'r> LaterStagesRun<'r> {
    fn new(task: &'r Task<'r>, steps: &ClipSteps, seed: u64) -> Result<LaterStagesRun<'r>, Stop> {
        // The interface of the original.
        let (original, model) = (task.original, task.job.stage);
        let entry = original.entry_point(task.job.entry, model).map_err(not_comparable)?;
        task.check_device(original)?;
        let shape = StageShape::of(original, entry).map_err(not_comparable)?;
        let leaves = |class| task.leaves(original, class).map_err(not_comparable);
        let read = of_one_vertex(leaves(StorageClass::INPUT)?);
        let emitted = shape.of_one_vertex(leaves(StorageClass::OUTPUT)?);
        let inputs = task.inputs((Values::Any, seed), 0)?;
        let input_model = of_inputs(task, &read, steps)?;
        // `counts` applies to interfaces between stages, not to the distances with which the last stage is
        // rasterized.
        let is_last =
            matches!(steps.form, ClipForm::Emulated { .. } | ClipForm::ClippedInGeometry { .. });
        let counts = steps.counts.filter(|_| !is_last);
        let outputs = ClipSteps { counts, ..steps.clone() };
        let model = Model::new(task, &emitted, &steps.outputs, None, &outputs)?;
        // Random numbers for the inputs of all vertices.
        let passed_on = components(&read).into_keys().filter(Key::is_passed_on);
        let kinds = kinds(task, &read, passed_on);
        let mut random = Random::new(seed, 1 << 43);
        let number = |random: &mut Random| match random.below(4) {
            0 => random.one_of(&CORNERS),
            _ => (2 * random.below(256) + 1) as f32 / 256.0 - 0.75,
        };
        let ((_, corners), (primitives, _)) = (shape.takes(), shape.slots());
        let count = corners * primitives;
        let mut all: Vec<Corner> =
            (0..count).map(|_| Corner::random(&kinds, &mut random, number)).collect();
        // The outputs of a control stage are not distances yet, so a control stage gets no NaNs.
        if !matches!(shape, StageShape::Control(_)) {
            let odd = all.chunks_exact_mut(corners).skip(ODD - 1).step_by(ODD).flatten();
            odd.for_each(|corner| corner.lose_numbers(&kinds));
        }
        Ok(LaterStagesRun {
            task,
            shape,
            inputs,
            read,
            input_model,
            leaves: emitted,
            model,
            corners: all,
        })
    }

    fn compare(&self, lowered: &Module<'_>, seed: u64) -> Result<Equal, Stop> {
        let task = self.task;
        if let Some(why) = self.is_not_cut().filter(|_| self.cuts()) {
            return Err(not_comparable(why));
        }
        // Record the original.
        (task.report)(Phase::Original);
        let read = (self.read.as_slice(), self.shape.pass_through_tesc(task.original));
        let vertex = |one: &Corner| (one.position, one.values.clone(), one.own_distances());
        let stage_inputs = StageInputs::new(task, read, self.corners.iter().map(vertex).collect())?;
        let given = (&stage_inputs, None);
        let right = self.record_original(given)?;

        // Compare the lowered stage for each set of host parameters.
        let module = task.lowered(lowered)?;
        self.check_modes(&module)?;
        let stage_inputs = self.lowered_inputs(&module)?;
        let mut equal = Equal::default();
        for setting in host::settings(&self.model.steps, seed) {
            let model = Model { setting, ..self.model.clone() };
            let scene = Scene::new(task, &model, Some(self.shape));
            let shaders = [(task.original, given), (&module, (&stage_inputs, Some(&model)))];
            if !self.cuts() {
                (task.report)(Phase::Rewritten);
                equal.words += self.compare_emits(&model, &right, shaders[1])?;
                task.check_messages(Part::Lowered, |_| true)?;
            }
            if self.cuts() || scene.is_drawn(&self.leaves, &module) {
                equal.pixels += self.compare_images(scene, &right, shaders)?;
            }
        }
        match (self.cuts(), equal.words, equal.pixels) {
            (false, 0, _) => Err(not_comparable("the stage emits nothing")),
            (true, _, 0) => Err(not_comparable("the shader draws no pixel of the scene")),
            _ => Ok(equal),
        }
    }

    /// If the lowered stage clips itself, returns why its images cannot be compared with images that the device
    /// clips.
    fn is_not_cut(&self) -> Option<String> {
        let [clip, cull] = declared(&self.leaves);
        let ClipSteps { planes, mask, .. } = &self.model.steps;
        if planes.is_some() || mask.is_some() {
            Some("clipping in a geometry stage cannot be compared together with clip planes or masks".to_owned())
        } else if self.task.device.capabilities().culls_wrongly([clip, cull]) {
            Some(format!(
                "the driver is known to cull wrongly with {clip} clip and {cull} cull distances"
            ))
        } else {
            let is_layered = |leaf: &Leaf| leaf.builtin.is_some_and(chooses_a_layer);
            let is_layered = self.leaves.iter().any(is_layered);
            is_layered.then(|| {
                "stages that write the layer, viewport or shading rate are not supported".to_owned()
            })
        }
    }

    /// Whether the lowered stage clips primitives itself and therefore emits other vertices than the original.
    fn cuts(&self) -> bool {
        matches!(
            (self.shape, self.model.steps.form),
            (StageShape::Geometry(_), ClipForm::ClippedInGeometry { .. })
        )
    }

    /// Records the vertices that the original emits.
    fn record_original(&self, given: Given<'_>) -> Result<Emitted, Stop> {
        let record = |module: &Module<'_>| -> Result<Vec<Vec<Emit>>, Stop> {
            let recorder = self.shape.record(module, self.task.job);
            let recorder = recorder
                .map_err(|why| not_comparable(format!("cannot record its outputs: {why}")))?;
            let emits = self.record(&recorder, given).map_err(cannot_run_original)?;
            if !is_same_interface(&recorder.leaves, &self.leaves) {
                return Err(not_comparable(SHARED));
            }
            if emits.iter().any(|emits| self.shape.is_exceeded(emits)) {
                return Err(not_comparable("the original emits more vertices than it declares"));
            }
            Ok(emits)
        };
        let right = record(self.task.original)?;
        let other = self.task.other().map_or_else(|| Ok(right.clone()), record)?;
        self.task.check_original(|_| true)?;
        // Words that differ between the fillers are undefined. If the strips differ, the whole primitive is
        // undefined.
        let keys = components(&self.leaves);
        let of_primitive = |(right, other): (&Vec<Emit>, &Vec<Emit>)| {
            let strips = |emits: &[Emit]| emits.iter().map(|one| one.strip).collect::<Vec<_>>();
            let vertices = right.iter().zip(other).map(|(one, other)| {
                let is_undefined = |word: usize| one.words[word] != other.words[word];
                (one.strip, recorded(&keys, &one.words, is_undefined))
            });
            (strips(right) == strips(other)).then(|| vertices.collect())
        };
        Ok(right.iter().zip(&other).map(of_primitive).collect())
    }

    /// Checks that the lowered stage has the execution modes of the original. A stage that clips may emit more
    /// vertices.
    fn check_modes(&self, module: &Module<'_>) -> Result<(), Stop> {
        let modes = |module: &Module<'_>| -> Result<BTreeSet<Vec<u32>>, Stop> {
            let entry = module.entry_point(self.task.job.entry, self.task.job.stage);
            let entry = entry.map_err(|error| broken(Part::Lowered, error))?;
            let modes = module.modes(entry.function());
            let modes =
                modes.filter(|mode| !self.cuts() || mode.mode() != ExecutionMode::OUTPUT_VERTICES);
            Ok(modes.map(|mode| mode.inst().words()[2..].to_vec()).collect())
        };
        match modes(module)? == modes(self.task.original)? {
            true => Ok(()),
            false => Err(broken(Part::Lowered, "its execution modes differ from the original's")),
        }
    }

    /// Checks that original and lowered stage emit the same vertices in the same places. Returns the number of
    /// compared words.
    fn compare_emits(
        &self,
        model: &Model,
        right: &Emitted,
        (module, given): Shader<'_>,
    ) -> Result<u64, Stop> {
        let recorder = self.shape.record(module, self.task.job);
        let recorder = recorder.map_err(|why| broken(Part::Lowered, why))?;
        let found = self.record(&recorder, given);
        let found = found.map_err(|error| cannot_run(Part::Lowered, &error))?;
        let outputs = Outputs::new(model, &self.leaves, &recorder.leaves)?;
        let mut words = 0;
        for (number, (right, found)) in (0..).zip(right.iter().zip(&found)) {
            let Some(right) = right else { continue };
            for vertex in 0..right.len().max(found.len()) {
                let (one, other) = (right.get(vertex), found.get(vertex));
                let places = [one.map(|one| one.0), other.map(|one| one.strip)];
                let [place, other_place] = places.map(|strip| self.shape.place(strip));
                let draw = format!("primitive {number}, {place}, {:?}", model.setting);
                let both = one.zip(other).filter(|(one, other)| one.0 == other.strip);
                let Some(((_, one), other)) = both else {
                    let message = format!("vertex {vertex}: found {other_place}, expected {place}");
                    let difference = Difference::new(Part::Lowered, message);
                    return Err(Difference { draw: Some(draw), ..difference }.into());
                };
                outputs.check(one, &other.words, (draw, (vertex as u32, 0)))?;
            }
            words += found.iter().map(|emit| emit.words.len() as u64).sum::<u64>();
        }
        Ok(words)
    }

    /// Compares the images of all primitives, and returns the number of covered pixels.
    fn compare_images(
        &self,
        scene: Scene<'_>,
        right: &Emitted,
        shaders: [Shader<'_>; 2],
    ) -> Result<u64, Stop> {
        let topology = self.shape.makes(self.task.original);
        // A stage that clips may drop every primitive. llvmpipe crashes if a stage emits nothing.
        let is_seen = right.iter().flatten().any(|right| !self.shape.lists(right).is_empty());
        if !is_seen || topology.is_none() && !scene.is_native {
            return Ok(0);
        }
        let drawables = right.iter().enumerate().filter_map(|(of, right)| {
            let right = right.as_ref()?;
            Some(Drawable {
                of,
                title: format!("primitive {of}, {:?}", scene.model.setting),
                topology: topology.unwrap_or_default(),
                primitives: match scene.is_native {
                    true => vec![right.iter().map(|(_, vertex)| vertex.clone()).collect()],
                    false => self.shape.lists(right),
                },
            })
        });
        let of = (self.leaves.as_slice(), shaders[1].0);
        scene.compare(drawables, of, shaders, |shader, fragment, primitives| {
            self.draw_each(shader, fragment, primitives)
        })
    }

    /// Returns the inputs that the lowered stage reads.
    fn lowered_inputs(&self, module: &Module<'_>) -> Result<StageInputs, Stop> {
        let read = self.task.leaves(module, StorageClass::INPUT);
        let read = of_one_vertex(read.map_err(|why| broken(Part::Lowered, why))?);
        let counts = declared(&read);
        let arrays = |mut arrays: [Vec<Number>; 2]| {
            iter::zip(&mut arrays, counts)
                .for_each(|(array, count)| array.truncate(count as usize));
            arrays
        };
        let read = (read.as_slice(), self.shape.pass_through_tesc(module));
        StageInputs::of_lowered(self.task, read, (&self.input_model, &self.corners), arrays)
    }

    /// Draws all primitives with a recorder.
    fn record(&self, recorder: &Recorder, given: Given<'_>) -> Result<Vec<Vec<Emit>>, Error> {
        let (primitives, slots) = self.shape.slots();
        let slots = slots * primitives as u32;
        let level =
            if let StageShape::Evaluation(one) = self.shape { one.level.into() } else { 1.0 };
        let words = self.task.fill(recorder.stride().saturating_mul(slots), |range, work| {
            let resources = (&self.inputs.install(work), level);
            let all = 0..self.corners.len();
            let mut draw = self.draw(&recorder.words, given, all, resources, work);
            recorder.bind(range, &mut draw);
            Ok(draw)
        })?;
        self.shape.read(recorder, &words).ok_or_else(unfinished)
    }

    /// Draws each primitive in a separate draw with one of the stages.
    fn draw_each(
        &self,
        (module, given): Shader<'_>,
        fragment: &[u32],
        primitives: Vec<usize>,
    ) -> Result<Images, Error> {
        let (takes, corners) = self.shape.takes();
        let work = self.inputs.work(primitives, |number, resources, work| {
            let own = number * corners..(number + 1) * corners;
            let mut draw = self.draw(module.words(), given, own, (resources, 1.0), work);
            images::rasterize(&mut draw, takes, fragment, work);
            draw
        });
        self.task.device.count(&work)
    }

    /// Builds a draw of a few vertices with the stage's host parameters and resources. `level` is for synthetic
    /// stages.
    fn draw<'w>(
        &'w self,
        shader: &'w [u32],
        (stage_inputs, model): Given<'w>,
        corners: ops::Range<usize>,
        (resources, level): (&Installed<'_>, f32),
        work: &mut Work<'w>,
    ) -> Draw<'w> {
        let control = vk::ShaderStageFlags::TESSELLATION_CONTROL;
        let pass_through_tesc =
            stage_inputs.pass_through_tesc.iter().map(|words| Stage::new(control, words));
        let entry_point = self.task.job.entry;
        let stage = Stage { entry_point, ..Stage::new(self.shape.stage(), shader) };
        let stages = [Stage::vertex(&stage_inputs.synthetic_vertex)]
            .into_iter()
            .chain(pass_through_tesc)
            .chain([stage]);
        let mut draw = Draw::new(stages.collect(), 0..corners.len() as u32);
        let (topology, count) = self.shape.takes();
        (draw.topology, draw.patch_control_points) = (topology, count as u32);
        // Inputs and host parameters.
        draw.vertex_buffers = vec![stage_inputs.install(corners, work)];
        host::bind(model, &mut draw, work);
        if let StageShape::Control(_) = self.shape {
            let finish = vk::ShaderStageFlags::TESSELLATION_EVALUATION;
            draw.stages.push(Stage::new(finish, &library::FINISH));
        }
        resources.give(&mut draw);
        for stage in draw.stages.iter_mut().filter(|stage| stage.stage != self.shape.stage()) {
            stage.specialization = vec![(LEVEL, Constant::Bits32(level.to_bits()))];
        }
        draw
    }
}

/// The model of the inputs of a stage.
fn of_inputs(task: &Task<'_>, leaves: &[Leaf], steps: &ClipSteps) -> Result<Model, Stop> {
    let kept = ClipSteps { planes: None, mask: None, form: ClipForm::Kept, ..steps.clone() };
    let mut model = Model::new(task, leaves, &steps.inputs, None, &kept)?;
    model.steps.form = match steps.form {
        ClipForm::Emulated { location, native_clip }
        | ClipForm::ClippedInGeometry { location: Some(location), native_clip, .. } => {
            let [_, linked] = steps.counts.unwrap_or_default();
            let [clip, cull] = model.distances.each_ref().map(|keys| !keys.is_empty());
            // Distances that the device supports remain built-in, unless some of the distances are unsupported.
            let is_lacked = !native_clip || cull || linked > 0;
            if (clip || cull) && is_lacked {
                ClipForm::Registers { location }
            } else {
                ClipForm::Kept
            }
        }
        form => form,
    };
    Ok(model)
}

/// Small numbers, including -1 and -0, that shaders are likely to compare with or to count to.
const CORNERS: [f32; 6] = [0.0, -0.0, 1.0, -1.0, 2.0, 3.0];

/// Every eighth primitive gets NaNs.
const ODD: usize = 8;

/// The specialization constant of `library/pass_through.tesc`.
const LEVEL: u32 = 0;

/// Returns the inputs of the first vertex, which represent the inputs of every vertex, and the inputs of the patch.
fn of_one_vertex(leaves: Vec<Leaf>) -> Vec<Leaf> {
    let of_each =
        [BuiltIn::POSITION, BuiltIn::POINT_SIZE, BuiltIn::CLIP_DISTANCE, BuiltIn::CULL_DISTANCE];
    let is_given = |leaf: &Leaf| leaf.builtin.is_none_or(|builtin| of_each.contains(&builtin));
    let is_one = |leaf: &Leaf| leaf.is_of_patch || leaf.path.first() == Some(&0);
    leaves.into_iter().filter(|leaf| is_given(leaf) && is_one(leaf)).collect()
}
