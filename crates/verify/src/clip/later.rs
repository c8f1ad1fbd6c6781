//! Geometry and tessellation stages: what a lowered one hands on is made of what the original does, vertex
//! by vertex and strip by strip, and a scene of what becomes of each primitive is cut as the device's own clip
//! distances cut it. Of a geometry stage that cuts itself, pictures are compared (`cut`).
//!
//! Stages of ours hand on what both read, made of the same numbers.

mod cut;

use super::expected::{Expected, Interface, Key, Setting, Source, components, expected};
use super::fragment::position;
use super::handed::{Corner, Side, declared};
use super::outputs::Outputs;
use super::scene::{Drawable, Places, Scene};
use super::shape::Shape;
use super::{host, too_many};
use crate::cases::FILL;
use crate::initialise::without_feedback;
use crate::inputs::{self, Inputs, Installed};
use crate::leaves::{self, Kind, Leaf};
use crate::library;
use crate::pictures;
use crate::random::{Random, Values};
use crate::record::Recorder;
use crate::record::emits::Emit;
use crate::run::{
    Report, SHARED, Stop, cannot_run, check_device, check_messages, check_original, each_seed,
    is_same_interface, not_comparable, parse, u32s, variant,
};
use crate::verdict::{Difference, Equal, Part, Verdict};
use crate::{Form, Job, Phase, Steps};
use polyshade::Module;
use polyshade::clip_cull::KINDS;
use polyshade::spv::{BuiltIn, ExecutionMode, StorageClass};
use polyshade_vulkan::{
    Constant, Descriptor, Device, Draw, Error, Outcome, Place, Range, Resource, Stage,
    VertexBuffer, Work, vk,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops;

/// Compares a lowered stage with the original.
pub(super) fn verify(
    job: &Job<'_>,
    steps: &Steps,
    device: &Device,
    (original, lowered): (&Module<'_>, &Module<'_>),
    report: &mut Report<'_>,
) -> Verdict {
    if let Some(why) = too_many(steps) {
        return Verdict::NotComparable(why);
    }
    each_seed(job, |seed| {
        let original = without_feedback(original);
        let original = original.map_err(|error| not_comparable(error.to_string()))?;
        let run = Run::new(job, steps, device, &original, seed)?;
        match run.cuts() {
            true => run.compare_cut(lowered, report),
            false => run.compare(lowered, report),
        }
    })
}

/// One comparison, with one set of inputs.
struct Run<'r> {
    job: &'r Job<'r>,
    steps: &'r Steps,
    device: &'r Device,
    original: &'r Module<'r>,
    seed: u64,
    shape: Shape,
    /// The resources.
    inputs: Inputs,
    /// What the original reads of each vertex, and where its words are.
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

/// What a stage emits, by what its outputs are.
struct Recorded {
    leaves: Vec<Leaf>,
    /// For each primitive.
    emits: Vec<Vec<Emit>>,
}

impl<'r> Run<'r> {
    fn new(
        job: &'r Job<'r>,
        steps: &'r Steps,
        device: &'r Device,
        original: &'r Module<'r>,
        seed: u64,
    ) -> Result<Run<'r>, Stop> {
        let text = |error: polyshade::Error| not_comparable(error.to_string());
        let entry = original.entry_point(job.entry, job.stage).map_err(text)?;
        check_device(device, original)?;
        let shape = Shape::of(original, entry).map_err(not_comparable)?;
        let specialization = &job.specialization;
        let leaves =
            |class| leaves::leaves(original, entry, class, specialization).map_err(not_comparable);
        let read = of_one_vertex(leaves(StorageClass::INPUT)?);
        let is_made =
            |leaf: &&Leaf| leaf.builtin.is_some() || leaf.bits == 32 && leaf.register.is_some();
        if let Some(leaf) = read.iter().find(|leaf| !is_made(leaf)) {
            return Err(not_comparable(format!("input {} is not made", leaf.title())));
        }
        let inputs = inputs::make(original, entry, specialization, (Values::Any, seed), 0);
        let mut words = components(&read);
        words.retain(|key, _| key.is_handed_on());
        let interface =
            Interface { leaves: &read, words: words.clone(), counts: None, marked: &steps.inputs };
        let handed = expected(original, &interface, &of_inputs(steps)).map_err(not_comparable)?;
        let emitted = shape.of_one_vertex(leaves(StorageClass::OUTPUT)?);
        let interface = Interface {
            leaves: &emitted,
            words: components(&emitted),
            counts: None,
            marked: &steps.outputs,
        };
        let expected = expected(original, &interface, steps).map_err(not_comparable)?;
        let inputs = inputs.map_err(not_comparable)?;
        let count = shape.corners() * shape.primitives();
        let corners = corners(&read, &words, (seed, count));
        Ok(Run {
            job,
            steps,
            device,
            original,
            seed,
            shape,
            inputs,
            read,
            words,
            handed,
            leaves: emitted,
            expected,
            corners,
        })
    }

    fn compare(&self, lowered: &Module<'_>, report: &mut Report<'_>) -> Result<Equal, Stop> {
        report(Phase::Original);
        let right = self.record_original()?;

        let words = variant(self.job, Part::Lowered, lowered.words())?;
        let module = without_feedback(&parse(Part::Lowered, &words)?).map_err(broken)?;
        check_device(self.device, &module)?;
        self.check_modes(&module)?;
        let side = self.lowered_side(&module)?;
        let (mut equal, mut emitted) = (Equal::default(), 0);
        for setting in host::settings(self.steps, self.seed) {
            report(Phase::Rewritten);
            let recorder = self.recorder(&module);
            let recorder = recorder.map_err(|why| Difference::new(Part::Lowered, why))?;
            let found = self.record(recorder, &side, Some(&setting));
            let found = found.map_err(|error| cannot_run(Part::Lowered, &error))?;
            let vertices = self.compare_emits(&right, &found, &setting)?;
            check_messages(self.device, Part::Lowered, |_| true)?;
            emitted += vertices;
            equal.words += vertices * self.expected.components.len() as u64;
            equal.pixels += self.compare_pictures(&module, &side, [&right, &found], &setting)?;
            check_messages(self.device, Part::Lowered, |_| true)?;
        }
        match emitted {
            0 => Err(not_comparable("the stage emits nothing")),
            _ => Ok(equal),
        }
    }

    /// Whether the lowered stage does what the device does, and emits other primitives.
    fn cuts(&self) -> bool {
        matches!((self.shape, self.steps.form), (Shape::Geometry(_), Form::Exact { .. }))
    }

    /// What the original emits.
    fn record_original(&self) -> Result<Recorded, Stop> {
        let recorder = self.recorder(self.original);
        let recorder = recorder.map_err(|why| not_comparable(format!("what it emits: {why}")))?;
        let right = self.record(recorder, &self.original_side()?, None);
        let right = right.map_err(|error| not_comparable(format!("the original: {error}")))?;
        if !is_same_interface(&right.leaves, &self.leaves) {
            return Err(not_comparable(SHARED));
        }
        if right.emits.iter().any(|emits| self.shape.is_exceeded(emits)) {
            return Err(not_comparable("the original emits more vertices than it may"));
        }
        check_original(self.device, |_| true)?;
        Ok(right)
    }

    /// The lowered stage takes and makes what the original does; one that cuts may make more vertices of it.
    fn check_modes(&self, module: &Module<'_>) -> Result<(), Stop> {
        let modes = |module: &Module<'_>| -> Result<BTreeSet<Vec<u32>>, Stop> {
            let entry = module.entry_point(self.job.entry, self.shape.model()).map_err(broken)?;
            let modes = module
                .modes(entry.function())
                .filter(|mode| !self.cuts() || mode.mode() != ExecutionMode::OUTPUT_VERTICES);
            Ok(modes.map(|mode| mode.inst().words()[2..].to_vec()).collect())
        };
        match modes(module)? == modes(self.original)? {
            true => Ok(()),
            false => Err(Difference::new(Part::Lowered, "it has other execution modes").into()),
        }
    }

    fn recorder(&self, module: &Module<'_>) -> Result<Recorder, String> {
        self.shape.record(module, self.job.entry, &self.job.specialization)
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
        let (device, expected) = (self.device, &self.expected);
        // A driver divides patches as it likes.
        let has_same_order = matches!(self.shape, Shape::Geometry(_));
        let scene = Scene { device, steps: self.steps, expected, has_same_order };
        let Some(topology) = self.shape.makes(self.original) else { return Ok(0) };
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
        let source = |key: &Key| self.words.get(key).map(|word| Source::Word(*word));
        let arrays = KINDS.map(|kind| {
            let elements = (0..).map(|element| source(&Key::distance(kind, element)));
            elements.map_while(|source| source).collect()
        });
        let side = Side::new(self.device.capabilities(), &self.read, source, arrays)?;
        self.relayed(side, self.original)
    }

    /// What the lowered stage is to read, and nothing else.
    fn lowered_side(&self, module: &Module<'_>) -> Result<Side, Stop> {
        let entry = module.entry_point(self.job.entry, self.shape.model()).map_err(broken)?;
        let read = leaves::leaves(module, entry, StorageClass::INPUT, &self.job.specialization);
        let read = of_one_vertex(read.map_err(|why| Difference::new(Part::Lowered, why))?);
        let Expected { components: wanted, distances, .. } = &self.handed;
        let counts = declared(&read);
        let arrays = KINDS.map(|kind| {
            let keys = distances[kind as usize].iter().take(counts[kind as usize] as usize);
            keys.filter_map(|key| wanted.get(key).cloned()).collect()
        });
        let side = Side::of_lowered(self.device.capabilities(), &read, &self.handed, arrays)?;
        self.relayed(side, module)
    }

    /// With a control stage of ours before an evaluation stage.
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
        let outcome = self.device.run(&work)?;
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
        let (mut work, mut installed) = (Work::default(), None);
        let corners = self.shape.corners();
        for number in primitives {
            let own = number * corners..(number + 1) * corners;
            let mut draw = self.draw(module.words(), side, own, setting, &mut work);
            let given = self.inputs.next(installed.take(), &mut work);
            self.give(&given, &mut draw, self.shape.level(true));
            pictures::rasterize(&mut draw, self.shape.takes(), fragment, &mut work);
            work.draws.push(draw);
            installed = Some(given);
        }
        self.device.run(&work)
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
        let stage = Stage { entry_point: self.job.entry, ..Stage::new(self.shape.stage(), shader) };
        let place = Place { buffer: work.buffers.len(), offset: 0 };
        work.buffers.push(side.vertices(&self.corners[corners.clone()]));
        let mut draw = Draw {
            stages: [Stage::vertex(&side.feeder)].into_iter().chain(relay).chain([stage]).collect(),
            topology: self.shape.takes(),
            patch_control_points: self.shape.corners() as u32,
            vertex_buffers: vec![VertexBuffer { place, layout: side.layout() }],
            vertices: 0..corners.len() as u32,
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

    /// Gives a draw the resources, and our own stages the level of patches.
    fn give(&self, given: &Installed<'_>, draw: &mut Draw<'_>, level: f32) {
        given.give(draw);
        for stage in draw.stages.iter_mut().filter(|stage| stage.stage != self.shape.stage()) {
            stage.specialization = vec![(LEVEL, Constant::Bits32(level.to_bits()))];
        }
    }
}

fn broken(error: polyshade::Error) -> Stop {
    Difference::new(Part::Lowered, error.to_string()).into()
}

/// The steps that are taken with what a stage reads.
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

/// What is read of one vertex among several, each of which has the same, and of the patch.
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
