//! Geometry and tessellation stages: what a lowered one hands on is made of what the original does, vertex
//! by vertex and strip by strip, and a scene of what becomes of each primitive is cut as the device's own clip
//! distances cut it. Of a geometry stage that cuts itself, pictures are compared (`cut`).
//!
//! Stages of ours hand on what both read, made of the same numbers.

mod cut;

use super::expected::{Expected, Interface, Key, Setting, expected};
use super::fragment::position;
use super::handed::{Corner, Side, declared};
use super::host;
use super::outputs::Outputs;
use super::scene::{Drawable, Places, Scene};
use super::shape::Shape;
use crate::cases::FILL;
use crate::initialise::without_feedback;
use crate::inputs::{Inputs, Installed};
use crate::leaves::{self, Kind, Leaf};
use crate::library;
use crate::pictures;
use crate::random::{Random, Values};
use crate::record::Recorder;
use crate::record::emits::Emit;
use crate::recording::u32s;
use crate::run::{SHARED, Task, cannot_run, cannot_run_original, is_same_interface};
use crate::verdict::{Difference, Equal, Part, Stop, Verdict, broken, not_comparable};
use crate::{Form, Phase, Steps};
use polyshade::Module;
use polyshade::clip_cull::KINDS;
use polyshade::spv::{BuiltIn, ExecutionMode, StorageClass};
use polyshade_vulkan::{
    Constant, Descriptor, Draw, Error, Outcome, Range, Resource, Stage, Work, vk,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops;

/// Compares a lowered stage with the original.
pub(super) fn verify(task: &Task<'_>, steps: &Steps, lowered: &Module<'_>) -> Verdict {
    task.each_seed(|seed| {
        let original = &without_feedback(task.original).map_err(not_comparable)?;
        let task = Task { original, ..*task };
        let run = Run::new(&task, steps, seed)?;
        match run.cuts() {
            true => run.compare_cut(lowered),
            false => run.compare(lowered),
        }
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
    /// The inputs of each vertex of the original, and the word of each of their components.
    read: Vec<Leaf>,
    words: BTreeMap<Key, usize>,
    /// What the lowered stage reads.
    handed: Expected,
    /// What the original hands on.
    leaves: Vec<Leaf>,
    /// What the lowered stage hands on.
    expected: Expected,
    /// The vertices of all primitives.
    corners: Vec<Corner>,
}

/// The vertices that a stage emits, and the outputs that their words belong to.
struct Recorded {
    leaves: Vec<Leaf>,
    /// For each primitive.
    emits: Vec<Vec<Emit>>,
}

impl<'r> Run<'r> {
    fn new(task: &'r Task<'r>, steps: &'r Steps, seed: u64) -> Result<Run<'r>, Stop> {
        let (original, model) = (task.original, task.job.stage);
        let entry = original.entry_point(task.job.entry, model).map_err(not_comparable)?;
        task.check_device(original)?;
        let shape = Shape::of(original, entry).map_err(not_comparable)?;
        let leaves = |class| task.leaves(original, model, class).map_err(not_comparable);
        let read = of_one_vertex(leaves(StorageClass::INPUT)?);
        let is_made =
            |leaf: &&Leaf| leaf.builtin.is_some() || leaf.bits == 32 && leaf.register.is_some();
        if let Some(leaf) = read.iter().find(|leaf| !is_made(leaf)) {
            return Err(not_comparable(format!("input {} is not made", leaf.title())));
        }
        let mut interface = Interface::of(&read, &steps.inputs);
        interface.words.retain(|key, _| key.is_handed_on());
        let handed = expected(original, &interface, &of_inputs(steps)).map_err(not_comparable)?;
        let words = interface.words;
        let emitted = shape.of_one_vertex(leaves(StorageClass::OUTPUT)?);
        let interface = Interface::of(&emitted, &steps.outputs);
        let expected = expected(original, &interface, steps).map_err(not_comparable)?;
        let inputs = task.inputs(model, (Values::Any, seed), 0)?;
        let count = shape.corners() * shape.primitives();
        let corners = corners(&read, &words, (seed, count));
        let leaves = emitted;
        Ok(Run { task, steps, seed, shape, inputs, read, words, handed, leaves, expected, corners })
    }

    fn compare(&self, lowered: &Module<'_>) -> Result<Equal, Stop> {
        let task = self.task;
        (task.report)(Phase::Original);
        let right = self.record_original()?;

        let (module, side) = self.prepare(lowered)?;
        let (mut equal, mut emitted) = (Equal::default(), 0);
        for setting in host::settings(self.steps, self.seed) {
            (task.report)(Phase::Rewritten);
            let recorder =
                self.shape.record(&module, task.job).map_err(|why| broken(Part::Lowered, why))?;
            let found = self.record(recorder, &side, Some(&setting));
            let found = found.map_err(|error| cannot_run(Part::Lowered, &error))?;
            let vertices = self.compare_emits(&right, &found, &setting)?;
            task.check_messages(Part::Lowered, |_| true)?;
            emitted += vertices;
            equal.words += vertices * self.expected.components.len() as u64;
            equal.pixels += self.compare_pictures(&module, &side, [&right, &found], &setting)?;
            task.check_messages(Part::Lowered, |_| true)?;
        }
        match emitted {
            0 => Err(not_comparable("the stage emits nothing")),
            _ => Ok(equal),
        }
    }

    /// The lowered stage, and what it is to read.
    fn prepare(&self, lowered: &Module<'_>) -> Result<(Module<'static>, Side), Stop> {
        let module = self.task.lowered(lowered)?;
        self.check_modes(&module)?;
        let side = self.lowered_side(&module)?;
        Ok((module, side))
    }

    /// Whether the lowered stage clips primitives itself, and so emits others than the original.
    fn cuts(&self) -> bool {
        matches!((self.shape, self.steps.form), (Shape::Geometry(_), Form::Exact { .. }))
    }

    /// What the original emits.
    fn record_original(&self) -> Result<Recorded, Stop> {
        let recorder = self.shape.record(self.task.original, self.task.job);
        let recorder = recorder.map_err(|why| not_comparable(format!("what it emits: {why}")))?;
        let right = self.record(recorder, &self.original_side()?, None);
        let right = right.map_err(cannot_run_original)?;
        if !is_same_interface(&right.leaves, &self.leaves) {
            return Err(not_comparable(SHARED));
        }
        if right.emits.iter().any(|emits| self.shape.is_exceeded(emits)) {
            return Err(not_comparable("the original emits more vertices than it may"));
        }
        self.task.check_original(|_| true)?;
        Ok(right)
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

    /// The same vertices in the same places; returns how many.
    fn compare_emits(
        &self,
        right: &Recorded,
        found: &Recorded,
        setting: &Setting,
    ) -> Result<u64, Stop> {
        let outputs = Outputs::new(&self.expected, &found.leaves)?;
        let mut vertices = 0;
        for (number, (right, found)) in (0..).zip(right.emits.iter().zip(&found.emits)) {
            let at = |emit: Option<&Emit>| {
                emit.map_or("no vertex".to_owned(), |emit| self.shape.place(emit.strip))
            };
            for vertex in 0..right.len().max(found.len()) {
                let [one, other] = [right.get(vertex), found.get(vertex)];
                let places = [one, other].map(at);
                let draw = Some(format!("primitive {number}, {}, {setting:?}", places[0]));
                let both = one.zip(other).filter(|(one, other)| one.strip == other.strip);
                let Some((one, other)) = both else {
                    let message = format!("vertex {vertex}: {}, and not {}", places[1], places[0]);
                    return Err(
                        Difference { draw, ..Difference::new(Part::Lowered, message) }.into()
                    );
                };
                outputs.check(&one.words, &other.words, setting).map_err(|difference| {
                    Difference { draw, vertex: Some((vertex as u32, 0)), ..*difference }
                })?;
            }
            vertices += right.len() as u64;
        }
        Ok(vertices)
    }

    /// Returns how many pixels are covered.
    fn compare_pictures(
        &self,
        module: &Module<'_>,
        side: &Side,
        [right, found]: [&Recorded; 2],
        setting: &Setting,
    ) -> Result<u64, Stop> {
        let (device, expected) = (self.task.device, &self.expected);
        // A driver divides patches as it likes.
        let has_same_order = matches!(self.shape, Shape::Geometry(_));
        let scene = Scene { device, steps: self.steps, expected, has_same_order };
        let Some(topology) = self.shape.makes(self.task.original) else { return Ok(0) };
        if !scene.is_drawn(&self.leaves, module) {
            return Ok(0);
        }
        let places = Places::new(expected, &self.leaves, &found.leaves);
        let (mut numbers, mut drawables) = (Vec::new(), Vec::new());
        for (number, (right, found)) in (0..).zip(right.emits.iter().zip(&found.emits)) {
            let vertices = right
                .iter()
                .zip(found)
                .map(|(right, found)| (right.strip, places.vertex(&right.words, &found.words)));
            let drawable = Drawable {
                title: format!("primitive {number}, {setting:?}"),
                topology,
                primitives: self.shape.lists(&vertices.collect::<Vec<_>>()),
            };
            if scene.is_defined(&drawable) {
                numbers.push(number);
                drawables.push(drawable);
            }
        }
        scene.compare(&drawables, |fragment| {
            let drawn = self.draw_each(module, fragment, side, &numbers, Some(setting));
            drawn.map_err(|error| cannot_run(Part::Lowered, &error))
        })
    }

    /// What the original reads.
    fn original_side(&self) -> Result<Side, Stop> {
        let device = self.task.device.capabilities();
        let side = Side::of_original(device, &self.read, &self.words, None)?;
        self.relayed(side, self.task.original)
    }

    /// What the lowered stage is to read, and nothing else.
    fn lowered_side(&self, module: &Module<'_>) -> Result<Side, Stop> {
        let read = self.task.leaves(module, self.task.job.stage, StorageClass::INPUT);
        let read = of_one_vertex(read.map_err(|why| broken(Part::Lowered, why))?);
        let Expected { components: wanted, distances, .. } = &self.handed;
        let counts = declared(&read);
        let arrays = KINDS.map(|kind| {
            let keys = distances[kind as usize].iter().take(counts[kind as usize] as usize);
            keys.filter_map(|key| wanted.get(key).cloned()).collect()
        });
        let device = self.task.device.capabilities();
        self.relayed(Side::of_lowered(device, &read, &self.handed, arrays)?, module)
    }

    /// Adds our control stage before an evaluation stage.
    fn relayed(&self, side: Side, module: &Module<'_>) -> Result<Side, Stop> {
        match self.shape.relay(module) {
            Some(relay) => side.relayed(relay),
            None => Ok(side),
        }
    }

    /// Draws all primitives with a stage that writes down what it emits.
    fn record(
        &self,
        recorder: Recorder,
        side: &Side,
        setting: Option<&Setting>,
    ) -> Result<Recorded, Error> {
        let mut work = Work::default();
        let size = 4 * u64::from(recorder.stride()) * u64::from(self.shape.slots());
        if size > LARGEST {
            return Err(Error::Unsupported(format!("a storage buffer of {size} bytes")));
        }
        work.buffers.push(vec![FILL; size as usize]);
        let range = Range { buffer: 0, offset: 0, size };
        let (set, binding) = recorder.bound;
        let all = 0..self.corners.len();
        let mut draw = self.draw(&recorder.words, side, all, setting, &mut work);
        let given = self.inputs.install(&mut work);
        self.give(&given, &mut draw, self.shape.level(false));
        draw.descriptors.push(Descriptor::new(set.0, binding.0, Resource::StorageBuffer(range)));
        work.draws.push(draw);
        let outcome = self.task.device.run(&work)?;
        let emits = self.shape.read(&recorder, &u32s(&outcome.buffers[0]));
        let unfinished = || Error::Work("an invocation does not come to its end".to_owned());
        Ok(Recorded { emits: emits.ok_or_else(unfinished)?, leaves: recorder.leaves })
    }

    /// Draws primitives, each by itself, with one of the stages.
    fn draw_each(
        &self,
        module: &Module<'_>,
        fragment: &[u32],
        side: &Side,
        primitives: &[usize],
        setting: Option<&Setting>,
    ) -> Result<Outcome, Error> {
        let corners = self.shape.corners();
        let work = self.inputs.work(primitives, |number, given, work| {
            let own = number * corners..(number + 1) * corners;
            let mut draw = self.draw(module.words(), side, own, setting, work);
            self.give(given, &mut draw, self.shape.level(true));
            pictures::rasterize(&mut draw, self.shape.takes(), fragment, work);
            draw
        });
        self.task.device.run(&work)
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
            vertex_buffers: vec![side.install(&self.corners[corners], work)],
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
fn of_inputs(steps: &Steps) -> Steps {
    let form = match steps.form {
        // Only what is handed on changes.
        Form::Emulated { .. } => Form::Kept,
        form => form,
    };
    Steps { planes: None, enable: None, form, ..steps.clone() }
}

/// The largest storage buffer that every device has: the least `maxStorageBufferRange`.
const LARGEST: u64 = 1 << 27;

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

/// Random vertices: numbers of both signs, none of them 0.
fn corners(
    read: &[Leaf],
    words: &BTreeMap<Key, usize>,
    (seed, count): (u64, usize),
) -> Vec<Corner> {
    let mut random = Random::new(seed, 1 << 43);
    let mut kinds = vec![Kind::Float; words.values().max().map_or(0, |last| last + 1)];
    for leaf in read.iter().filter(|leaf| leaf.builtin.is_none()) {
        for (location, component) in leaves::registers(leaf) {
            kinds[words[&Key::Register { location, component }]] = leaf.kind;
        }
    }
    let mut corner = || {
        let position = position(&mut random);
        let word = |kind: &Kind| match kind {
            Kind::Float => ((2 * random.below(256) + 1) as f32 / 256.0 - 0.75).to_bits(),
            Kind::Int | Kind::Uint | Kind::Bool => random.below(4),
        };
        Corner { position, words: kinds.iter().map(word).collect() }
    };
    (0..count).map(|_| corner()).collect()
}
