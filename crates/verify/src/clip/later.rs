//! Geometry and tessellation stages: what a lowered one hands on is made of what the original does, vertex
//! by vertex and strip by strip, and a scene of what becomes of each primitive is drawn as the original draws it. Of a
//! geometry stage that cuts itself, which emits other primitives, pictures alone are compared.
//!
//! Stages of ours hand on what both read, made of the same numbers.

use super::handed::{Corner, Side, declared, kinds};
use super::host;
use super::model::{Key, Model, Setting, Vertex, components, recorded};
use super::outputs::Outputs;
use super::scene::{Drawable, Scene, Shader};
use super::shape::{Shape, Strip};
use crate::initialise::without_feedback;
use crate::inputs::{Inputs, Installed};
use crate::leaves::Leaf;
use crate::library;
use crate::pictures::{self, Pictures};
use crate::position::chooses_a_layer;
use crate::random::{Random, Values};
use crate::record::Recorder;
use crate::record::emits::Emit;
use crate::run::{SHARED, Task, cannot_run, cannot_run_original, is_same_interface, unfinished};
use crate::verdict::{Difference, Equal, Part, Stop, Verdict, broken, not_comparable};
use crate::{Form, Phase, Steps};
use polyshade::Module;
use polyshade::spv::{BuiltIn, ExecutionMode, StorageClass};
use polyshade_vulkan::{Constant, Draw, Error, Stage, Work, vk};
use std::collections::BTreeSet;
use std::{iter, ops};

/// Compares a lowered stage with the original.
pub(super) fn verify(task: &Task<'_>, steps: &Steps, lowered: &Module<'_>) -> Verdict {
    task.each_seed(|seed| {
        let [original, zeroed] = &[task.original, task.zeroed].map(without_feedback);
        let original = original.as_ref().map_err(not_comparable)?;
        let task = Task { original, zeroed: zeroed.as_ref().map_err(not_comparable)?, ..*task };
        Run::new(&task, steps, seed)?.compare(lowered)
    })
}

/// One comparison, with one set of inputs.
struct Run<'r> {
    /// Its original has no transform feedback of its own.
    task: &'r Task<'r>,
    steps: &'r Steps,
    seed: u64,
    shape: Shape,
    /// The resources.
    inputs: Inputs,
    /// The inputs of each vertex of the original, and what becomes of them.
    read: Vec<Leaf>,
    handed: Model,
    /// What the original hands on, and what becomes of that.
    leaves: Vec<Leaf>,
    model: Model,
    /// The vertices of all primitives.
    corners: Vec<Corner>,
}

/// The vertices that a stage emits, and the outputs that their words belong to.
struct Recorded {
    leaves: Vec<Leaf>,
    /// For each primitive.
    emits: Vec<Vec<Emit>>,
}

/// What the original emits of each primitive, where that is defined.
type Emitted = Vec<Option<Vec<(Strip, Vertex)>>>;

impl<'r> Run<'r> {
    fn new(task: &'r Task<'r>, steps: &'r Steps, seed: u64) -> Result<Run<'r>, Stop> {
        let (original, model) = (task.original, task.job.stage);
        let entry = original.entry_point(task.job.entry, model).map_err(not_comparable)?;
        task.check_device(original)?;
        let shape = Shape::of(original, entry).map_err(not_comparable)?;
        let leaves = |class| task.leaves(original, class).map_err(not_comparable);
        let read = of_one_vertex(leaves(StorageClass::INPUT)?);
        let keys = |leaves: &[Leaf]| components(leaves).into_keys();
        let handed_on = keys(&read).filter(Key::is_handed_on).collect();
        let interface = (read.as_slice(), &handed_on);
        let lowered = of_inputs(steps, task.job.module, interface);
        let handed = Model::new(task.job.module, interface, &steps.inputs, None, &lowered);
        let emitted = shape.of_one_vertex(leaves(StorageClass::OUTPUT)?);
        let interface = (emitted.as_slice(), &keys(&emitted).collect());
        let made = Model::new(task.job.module, interface, &steps.outputs, None, &of_outputs(steps));
        let inputs = task.inputs((Values::Any, seed), 0)?;
        let count = shape.corners() * shape.primitives();
        let kinds = kinds(task, &read, &handed_on);
        let mut random = Random::new(seed, 1 << 43);
        let number = |random: &mut Random| match random.below(4) {
            0 => random.one_of(&CORNERS),
            _ => (2 * random.below(256) + 1) as f32 / 256.0 - 0.75,
        };
        let corners = (0..count).map(|_| Corner::random(&kinds, &mut random, number)).collect();
        let (handed, model) = (handed.map_err(not_comparable)?, made.map_err(not_comparable)?);
        Ok(Run { task, steps, seed, shape, inputs, read, handed, leaves: emitted, model, corners })
    }

    fn compare(&self, lowered: &Module<'_>) -> Result<Equal, Stop> {
        let task = self.task;
        if let Some(why) = self.is_not_cut() {
            return Err(not_comparable(why));
        }
        (task.report)(Phase::Original);
        let original = self.original_side()?;
        let right = self.record_original(&original)?;

        let module = task.lowered(lowered)?;
        self.check_modes(&module)?;
        let side = self.lowered_side(&module)?;
        let mut equal = Equal::default();
        for setting in host::settings(self.steps, self.seed) {
            if !self.cuts() {
                (task.report)(Phase::Rewritten);
                equal.words += self.compare_emits(&module, &right, &side, &setting)?;
                task.check_messages(Part::Lowered, |_| true)?;
            }
            let scene = Scene::new(task, self.steps, (&self.model, &setting), Some(self.shape));
            if self.cuts() || scene.is_drawn(&self.leaves, &module) {
                equal.pixels +=
                    self.compare_pictures(scene, [&original, &side], &module, (&right, &setting))?;
            }
        }
        match (self.cuts(), equal.words, equal.pixels) {
            (false, 0, _) => Err(not_comparable("the stage emits nothing")),
            (true, _, 0) => Err(not_comparable("the shader draws nothing of the scene")),
            _ => Ok(equal),
        }
    }

    /// Why pictures of what the device cuts behind the original, and of what the lowered stage cuts itself, are not
    /// compared, if it does.
    fn is_not_cut(&self) -> Option<String> {
        let [clip, cull] = declared(&self.leaves);
        let Steps { planes, enable, repairs, .. } = self.steps;
        if !self.cuts() {
            None
        } else if planes.is_some() || enable.is_some() || *repairs {
            Some("what is cut is compared without other steps before".to_owned())
        } else if self.task.device.capabilities().culls_wrongly([clip, cull]) {
            Some(format!("the driver culls wrongly by {clip} clip and {cull} cull distances"))
        } else {
            let is_layered = |leaf: &Leaf| leaf.builtin.is_some_and(chooses_a_layer);
            let is_layered = self.leaves.iter().any(is_layered);
            is_layered.then(|| "a stage that chooses layers is not drawn".to_owned())
        }
    }

    /// Whether the lowered stage clips primitives itself, and so emits others than the original.
    fn cuts(&self) -> bool {
        matches!((self.shape, self.steps.form), (Shape::Geometry(_), Form::Exact { .. }))
    }

    /// What the original emits.
    fn record_original(&self, side: &Side) -> Result<Emitted, Stop> {
        let record = |module: &Module<'_>| -> Result<Recorded, Stop> {
            let recorder = self.shape.record(module, self.task.job);
            let recorder =
                recorder.map_err(|why| not_comparable(format!("what it emits: {why}")))?;
            let right = self.record(recorder, side, None).map_err(cannot_run_original)?;
            if !is_same_interface(&right.leaves, &self.leaves) {
                return Err(not_comparable(SHARED));
            }
            if right.emits.iter().any(|emits| self.shape.is_exceeded(emits)) {
                return Err(not_comparable("the original emits more vertices than it may"));
            }
            Ok(right)
        };
        let right = record(self.task.original)?;
        let other = self.task.other().map(record).transpose()?;
        let other = other.map_or_else(|| right.emits.clone(), |other| other.emits);
        self.task.check_original(|_| true)?;
        let keys = components(&self.leaves);
        let of_primitive = |(right, other): (&Vec<Emit>, &Vec<Emit>)| {
            let strips = |emits: &[Emit]| emits.iter().map(|one| one.strip).collect::<Vec<_>>();
            let vertices = right.iter().zip(other).map(|(one, other)| {
                let undefined =
                    iter::zip(&one.words, &other.words).map(|(one, other)| one != other);
                (one.strip, recorded(&keys, &one.words, &undefined.collect::<Vec<_>>()))
            });
            (strips(right) == strips(other)).then(|| vertices.collect())
        };
        Ok(right.emits.iter().zip(&other).map(of_primitive).collect())
    }

    /// The lowered stage takes and makes what the original does; one that cuts may make more vertices of it.
    fn check_modes(&self, module: &Module<'_>) -> Result<(), Stop> {
        let modes = |module: &Module<'_>| -> Result<BTreeSet<Vec<u32>>, Stop> {
            let entry = module.entry_point(self.task.job.entry, self.task.job.stage);
            let entry = entry.map_err(|error| broken(Part::Lowered, error))?;
            let modes = module
                .modes(entry.function())
                .filter(|mode| !self.cuts() || mode.mode() != ExecutionMode::OUTPUT_VERTICES);
            Ok(modes.map(|mode| mode.inst().words()[2..].to_vec()).collect())
        };
        match modes(module)? == modes(self.task.original)? {
            true => Ok(()),
            false => Err(broken(Part::Lowered, "it has other execution modes")),
        }
    }

    /// The same vertices in the same places; returns how many words they have.
    fn compare_emits(
        &self,
        module: &Module<'_>,
        right: &Emitted,
        side: &Side,
        setting: &Setting,
    ) -> Result<u64, Stop> {
        let recorder = self.shape.record(module, self.task.job);
        let recorder = recorder.map_err(|why| broken(Part::Lowered, why))?;
        let found = self.record(recorder, side, Some(setting));
        let found = found.map_err(|error| cannot_run(Part::Lowered, &error))?;
        let outputs = Outputs::new((&self.model, setting), &self.leaves, &found.leaves)?;
        let mut words = 0;
        for (number, (right, found)) in (0..).zip(right.iter().zip(&found.emits)) {
            let Some(right) = right else { continue };
            let at = |strip: Option<Strip>| {
                strip.map_or("no vertex".to_owned(), |strip| self.shape.place(strip))
            };
            for vertex in 0..right.len().max(found.len()) {
                let (one, other) = (right.get(vertex), found.get(vertex));
                let places = [one.map(|one| one.0), other.map(|one| one.strip)].map(at);
                let draw = Some(format!("primitive {number}, {}, {setting:?}", places[0]));
                let both = one.zip(other).filter(|(one, other)| one.0 == other.strip);
                let Some(((_, one), other)) = both else {
                    let message = format!("vertex {vertex}: {}, and not {}", places[1], places[0]);
                    return Err(
                        Difference { draw, ..Difference::new(Part::Lowered, message) }.into()
                    );
                };
                outputs.check(one, &other.words).map_err(|difference| Difference {
                    draw,
                    vertex: Some((vertex as u32, 0)),
                    ..*difference
                })?;
            }
            words += found.iter().map(|emit| emit.words.len() as u64).sum::<u64>();
        }
        Ok(words)
    }

    /// Returns how many pixels are covered.
    fn compare_pictures(
        &self,
        scene: Scene<'_>,
        [original, side]: [&Side; 2],
        module: &Module<'_>,
        (right, setting): (&Emitted, &Setting),
    ) -> Result<u64, Stop> {
        let topology = match self.shape.makes(self.task.original) {
            _ if matches!(self.shape, Shape::Control(_)) => return Ok(0),
            None if !scene.is_native => return Ok(0),
            topology => topology.unwrap_or_default(),
        };
        // What cuts primitives that are all too short emits nothing, on which llvmpipe crashes.
        if right.iter().flatten().all(|right| self.shape.lists(right).is_empty()) {
            return Ok(0);
        }
        let drawable = |(number, right): (usize, &Option<Vec<(Strip, Vertex)>>)| {
            let right = right.as_ref()?;
            Some(Drawable {
                of: number,
                title: format!("primitive {number}, {setting:?}"),
                topology,
                primitives: match scene.is_native {
                    true => vec![right.iter().map(|(_, vertex)| vertex.clone()).collect()],
                    false => self.shape.lists(right),
                },
            })
        };
        let drawables = right.iter().enumerate().filter_map(drawable);
        scene.compare(drawables, (&self.leaves, module), |shader, fragment, numbers| match shader {
            Shader::Original => {
                self.draw_each(self.task.original, fragment, original, numbers, None)
            }
            Shader::Lowered => self.draw_each(module, fragment, side, numbers, Some(setting)),
        })
    }

    /// What the original reads.
    fn original_side(&self) -> Result<Side, Stop> {
        let device = self.task.device.capabilities();
        let side = Side::of_original(device, &self.read, &self.corners, |_| None)?;
        side.relayed(self.shape.relay(self.task.original))
    }

    /// What the lowered stage is to read, and nothing else.
    fn lowered_side(&self, module: &Module<'_>) -> Result<Side, Stop> {
        let read = self.task.leaves(module, StorageClass::INPUT);
        let read = of_one_vertex(read.map_err(|why| broken(Part::Lowered, why))?);
        let counts = declared(&read);
        let arrays = |corner: &Corner| {
            let mut arrays = corner.distances(&self.handed);
            iter::zip(&mut arrays, counts)
                .for_each(|(array, count)| array.truncate(count as usize));
            arrays
        };
        let device = self.task.device.capabilities();
        let side = Side::of_lowered(device, &read, (&self.handed, &self.corners), arrays)?;
        side.relayed(self.shape.relay(module))
    }

    /// Draws all primitives with a stage that writes down what it emits.
    fn record(
        &self,
        recorder: Recorder,
        side: &Side,
        setting: Option<&Setting>,
    ) -> Result<Recorded, Error> {
        let slots = self.shape.slots() * self.shape.primitives() as u32;
        let words = self.task.fill(recorder.stride().saturating_mul(slots), |range, work| {
            let all = 0..self.corners.len();
            let mut draw = self.draw(&recorder.words, side, all, setting, work);
            self.give(&self.inputs.install(work), &mut draw, self.shape.level(false));
            recorder.bind(range, &mut draw);
            Ok(draw)
        })?;
        let emits = self.shape.read(&recorder, &words);
        Ok(Recorded { emits: emits.ok_or_else(unfinished)?, leaves: recorder.leaves })
    }

    /// Draws primitives, each by itself, with one of the stages.
    fn draw_each(
        &self,
        module: &Module<'_>,
        fragment: &[u32],
        side: &Side,
        primitives: Vec<usize>,
        setting: Option<&Setting>,
    ) -> Result<Pictures, Error> {
        let corners = self.shape.corners();
        let work = self.inputs.work(primitives, |number, given, work| {
            let own = number * corners..(number + 1) * corners;
            let mut draw = self.draw(module.words(), side, own, setting, work);
            self.give(given, &mut draw, self.shape.level(true));
            pictures::rasterize(&mut draw, self.shape.takes(), fragment, work);
            draw
        });
        self.task.device.count(&work)
    }

    /// A draw of some of the vertices, with what the host fills in for the lowered stage.
    fn draw<'w>(
        &'w self,
        shader: &'w [u32],
        side: &'w Side,
        corners: ops::Range<usize>,
        setting: Option<&Setting>,
        work: &mut Work<'w>,
    ) -> Draw<'w> {
        let relay = side.relay.as_ref();
        let relay =
            relay.map(|words| Stage::new(vk::ShaderStageFlags::TESSELLATION_CONTROL, words));
        let entry_point = self.task.job.entry;
        let stage = Stage { entry_point, ..Stage::new(self.shape.stage(), shader) };
        let vertices = 0..corners.len() as u32;
        let mut draw = Draw {
            stages: [Stage::vertex(&side.feeder)].into_iter().chain(relay).chain([stage]).collect(),
            topology: self.shape.takes(),
            patch_control_points: self.shape.corners() as u32,
            vertex_buffers: vec![side.install(corners.clone(), work)],
            vertices,
            instances: 0..1,
            ..Draw::default()
        };
        if let Some(setting) = setting {
            host::bind(self.steps, setting, &mut draw, work);
        }
        if let Shape::Control(_) = self.shape {
            let finish = vk::ShaderStageFlags::TESSELLATION_EVALUATION;
            draw.stages.push(Stage::new(finish, &library::FINISH));
        }
        draw
    }

    /// Gives a draw the resources, and our own stages the tessellation level.
    fn give(&self, given: &Installed<'_>, draw: &mut Draw<'_>, level: f32) {
        given.give(draw);
        for stage in draw.stages.iter_mut().filter(|stage| stage.stage != self.shape.stage()) {
            stage.specialization = vec![(LEVEL, Constant::Bits32(level.to_bits()))];
        }
    }
}

/// The steps that change the inputs of a stage.
fn of_inputs(steps: &Steps, m: &Module<'_>, (leaves, keys): (&[Leaf], &BTreeSet<Key>)) -> Steps {
    let kept = Steps { planes: None, enable: None, form: Form::Kept, ..steps.clone() };
    let form = match steps.form {
        Form::Emulated { location, native_clip }
        | Form::Exact { location: Some(location), native_clip, .. } => {
            let own = Model::new(m, (leaves, keys), &steps.inputs, None, &kept);
            let [clip, cull] = own.map_or([0, 0], |own| own.counts());
            let [_, linked] = steps.counts.unwrap_or_default();
            // Those that the device has stay, unless others are among them.
            let is_lacked = !native_clip || cull > 0 || linked > 0;
            let is_read = clip > 0 || cull > 0;
            if is_read && is_lacked { Form::Registers { location } } else { Form::Kept }
        }
        form => form,
    };
    Steps { form, ..kept }
}

/// The steps that change the outputs of a stage: how many distances stages share says nothing of what the last one
/// hands to rasterization.
fn of_outputs(steps: &Steps) -> Steps {
    match steps.form {
        Form::Emulated { .. } | Form::Exact { .. } => Steps { counts: None, ..steps.clone() },
        _ => steps.clone(),
    }
}

/// Numbers that shaders compare with and count by, some of them negative.
const CORNERS: [f32; 6] = [0.0, -0.0, 1.0, -1.0, 2.0, 3.0];

/// The specialization constant of `library/relay.tesc`.
const LEVEL: u32 = 0;

/// The inputs of the first vertex, which stand for those of every vertex, and the inputs of the patch.
fn of_one_vertex(leaves: Vec<Leaf>) -> Vec<Leaf> {
    let of_each =
        [BuiltIn::POSITION, BuiltIn::POINT_SIZE, BuiltIn::CLIP_DISTANCE, BuiltIn::CULL_DISTANCE];
    let is_handed = |leaf: &Leaf| leaf.builtin.is_none_or(|builtin| of_each.contains(&builtin));
    let is_one = |leaf: &Leaf| leaf.is_of_patch || leaf.path.first() == Some(&0);
    leaves.into_iter().filter(|leaf| is_handed(leaf) && is_one(leaf)).collect()
}
