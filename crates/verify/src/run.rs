//! What every comparison has in common: sets of inputs one after the other, and what the original computes.

use crate::cases;
use crate::compare::{Comparison, Recording, Shape};
use crate::initialise::without_feedback;
use crate::inputs::{self, Inputs};
use crate::layout::Buffer;
use crate::leaves::{self, Leaf};
use crate::random::Values;
use crate::record::{self, DONE, Placement, Recorder, native};
use crate::verdict::{Difference, Equal, Part, Verdict};
use crate::{Job, Phase, cases::FILL};
use polyshade::Module;
use polyshade::spv::{ExecutionModel, StorageClass};
use polyshade_vulkan::{
    Descriptor, Device, Draw, Error, Message, Range, Resource, Stage, TransformFeedback, Work, vk,
};

/// The instances of the largest draw.
const INSTANCES: u32 = 3;

/// Where a comparison says what it is about to do.
pub(crate) type Report<'p> = dyn FnMut(Phase) + 'p;

/// Compares with one set of inputs after the other, until something differs.
pub(crate) fn each_seed(job: &Job<'_>, one: impl FnMut(u64) -> Result<Equal, Stop>) -> Verdict {
    let mut one = one;
    let mut sum = Equal::default();
    for run in 0..job.runs.max(1) {
        let seed = job.seed.wrapping_add(u64::from(run));
        match one(seed) {
            Ok(equal) => sum.add(equal),
            Err(Stop::NotComparable(why)) => return Verdict::NotComparable(why),
            Err(Stop::Different(difference)) => {
                return Verdict::Different(Box::new(Difference { seed, ..*difference }));
            }
        }
    }
    Verdict::Equal(sum)
}

/// Why a run ends before its end.
#[derive(Debug)]
pub(crate) enum Stop {
    NotComparable(String),
    Different(Box<Difference>),
}

impl From<Difference> for Stop {
    fn from(difference: Difference) -> Stop {
        Stop::Different(Box::new(difference))
    }
}

pub(crate) fn not_comparable(why: impl Into<String>) -> Stop {
    Stop::NotComparable(why.into())
}

/// What the device lacks says nothing about a variant; anything else does.
pub(crate) fn cannot_run(part: Part, error: &Error) -> Stop {
    match error {
        Error::Missing(_) | Error::Unsupported(_) => not_comparable(format!("{part}: {error}")),
        Error::Call { result: vk::Result::ERROR_OUT_OF_HOST_MEMORY, .. }
        | Error::Call { result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, .. } => {
            not_comparable(format!("{part}: {error}"))
        }
        _ => Difference::new(part, format!("it does not run: {error}")).into(),
    }
}

/// The words of a variant: those that were given, with zero where they leave something undefined, or else `made`.
pub(crate) fn variant(job: &Job<'_>, part: Part, made: &[u32]) -> Result<Vec<u32>, Stop> {
    let Some((_, words)) = job.given.iter().find(|(other, _)| *other == part) else {
        return Ok(made.to_vec());
    };
    let broken =
        |error: polyshade::Error| not_comparable(format!("the given {part} variant: {error}"));
    let module = Module::parse(words).map_err(broken)?;
    Ok(crate::initialise(&module).map_err(broken)?.into_words())
}

/// The words of a variant as a module; that they are none is a difference.
pub(crate) fn parse(part: Part, words: &[u32]) -> Result<Module<'_>, Stop> {
    Module::parse(words).map_err(|error| Difference::new(part, error.to_string()).into())
}

/// What the device lacks of what a module asks for.
pub(crate) fn check_device(device: &Device, m: &Module<'_>) -> Result<(), Stop> {
    let missing = device.capabilities().missing(m);
    match missing.is_empty() {
        true => Ok(()),
        false => Err(not_comparable(format!("the device lacks {}", missing.join(", ")))),
    }
}

/// What the validation layer says of a variant is a difference, as far as it `counts`.
pub(crate) fn check_messages(
    device: &Device,
    part: Part,
    counts: impl Fn(&Message) -> bool,
) -> Result<(), Stop> {
    match device.take_messages().iter().find(|message| counts(message)) {
        Some(message) => {
            Err(Difference::new(part, format!("the validation layer says: {message}")).into())
        }
        None => Ok(()),
    }
}

/// Whether a message is about points that no `PointSize` is written for: what records is drawn as points whatever the
/// shader was written for.
pub(crate) fn is_about_points(message: &Message) -> bool {
    message.text.contains("PointSize")
}

/// The original, a vertex stage, with one set of inputs.
pub(crate) struct Original<'r> {
    pub(crate) job: &'r Job<'r>,
    pub(crate) device: &'r Device,
    /// Without transform feedback of its own.
    plain: Module<'static>,
    pub(crate) inputs: Inputs,
    pub(crate) placements: [Placement; 2],
    pub(crate) leaves: Vec<Leaf>,
}

impl<'r> Original<'r> {
    pub(crate) fn new(
        job: &'r Job<'r>,
        device: &'r Device,
        initialised: &Module<'_>,
        seed: u64,
    ) -> Result<Original<'r>, Stop> {
        let text = |error: polyshade::Error| not_comparable(error.to_string());
        let plain = without_feedback(initialised).map_err(text)?;
        let entry = initialised.entry_point(job.entry, ExecutionModel::VERTEX).map_err(text)?;
        check_device(device, &plain)?;
        let vertices = job.vertices.max(1);
        let inputs = inputs::make(
            initialised,
            entry,
            &job.specialization,
            (Values::Any, seed),
            vertices.max(INSTANCES),
        )
        .map_err(not_comparable)?;
        let vertices = inputs.most_vertices.map_or(vertices, |most| vertices.min(most)).max(1);
        let instances = inputs.most_instances.map_or(INSTANCES, |most| INSTANCES.min(most)).max(1);
        let placements = cases::placements(vertices, instances);
        let class = StorageClass::OUTPUT;
        let leaves = leaves::leaves(initialised, entry, class, &job.specialization)
            .map_err(not_comparable)?;
        Ok(Original { job, device, plain, inputs, placements, leaves })
    }

    /// What it computes, and by the driver's own transform feedback where it has it.
    pub(crate) fn record(&self, equal: &mut Equal) -> Result<Vec<Recording>, Stop> {
        let mut recordings = Vec::new();
        for placement in self.placements {
            let recorder = self
                .recorder(&self.plain, placement)
                .map_err(|why| not_comparable(format!("what it computes: {why}")))?;
            if !is_same_interface(&recorder.leaves, &self.leaves) {
                return Err(not_comparable(SHARED));
            }
            let recording = self
                .run_recorder(&recorder, placement, &self.inputs, |_, _| Ok(()))
                .map_err(|error| not_comparable(format!("the original: {error}")))?;
            equal.words += recording.words.len() as u64;
            recordings.push(recording);
        }
        let shape = Shape::of(&self.leaves);
        if let Some(natives) = self.record_natively()? {
            equal.native = true;
            let comparison = self.comparison(Part::Host, &[], &shape);
            for (stored, mut native) in recordings.iter().zip(natives) {
                shape.copy(stored, &mut native, |leaf| native::is_left_out(&self.leaves, leaf));
                if let Some(difference) = comparison.recordings(stored, &native) {
                    let why = "the driver captures another value than it stores: its own transform \
                        feedback is the one found";
                    return Err(not_comparable(format!("{why}\n{difference}")));
                }
            }
        }
        check_original(self.device, |message| !is_about_points(message))?;
        Ok(recordings)
    }

    /// A shader that writes down what a variant computes.
    pub(crate) fn recorder(
        &self,
        variant: &Module<'_>,
        placement: Placement,
    ) -> Result<Recorder, String> {
        record::record(variant, self.job.entry, &self.job.specialization, placement)
    }

    fn record_natively(&self) -> Result<Option<Vec<Recording>>, Stop> {
        let has = self.device.capabilities().transform_feedback;
        let Some(has) = has.filter(|_| self.device.validation_layer().is_none()) else {
            return Ok(None);
        };
        let native = native::decorate(&self.plain, self.job.entry, &self.leaves, has);
        let Some(words) = native else { return Ok(None) };
        let each = self.placements.iter().map(|placement| self.run_native(&words, *placement));
        let each = each.collect::<Result<Vec<_>, _>>();
        each.map(Some).map_err(|error| {
            not_comparable(format!("the original, by the driver's own transform feedback: {error}"))
        })
    }

    pub(crate) fn comparison<'c>(
        &'c self,
        part: Part,
        layout: &'c [Buffer],
        shape: &'c Shape<'c>,
    ) -> Comparison<'c> {
        Comparison { part, layout, shape, inputs: &self.inputs }
    }

    /// Draws a shader that writes its outputs down, with what else `bind` gives it.
    pub(crate) fn run_recorder(
        &self,
        recorder: &Recorder,
        placement: Placement,
        inputs: &Inputs,
        bind: impl FnOnce(&mut Draw<'_>, &mut Work<'_>) -> Result<(), Error>,
    ) -> Result<Recording, Error> {
        let mut work = Work::default();
        let size = 4 * recorder.stride() * placement.slots();
        work.buffers.push(vec![FILL; size as usize]);
        let range = Range { buffer: 0, offset: 0, size: u64::from(size) };
        let (set, binding) = recorder.bound;
        let mut draw = self.draw(&recorder.words, placement);
        draw.descriptors.push(Descriptor::new(set.0, binding.0, Resource::StorageBuffer(range)));
        bind(&mut draw, &mut work)?;
        inputs.install(&mut work).give(&mut draw);
        work.draws.push(draw);
        let outcome = self.device.run(&work)?;
        let mut words = Vec::new();
        for slot in u32s(&outcome.buffers[0]).chunks_exact(recorder.stride() as usize) {
            let (done, outputs) = slot.split_last().expect("the mark is always there");
            if *done != DONE {
                return Err(Error::Work("an invocation does not come to its end".to_owned()));
            }
            words.extend_from_slice(outputs);
        }
        Ok(Recording { placement, words })
    }

    /// Draws a shader that is captured natively.
    fn run_native(&self, shader: &[u32], placement: Placement) -> Result<Recording, Error> {
        let mut work = Work::default();
        let stride: u32 = self.leaves.iter().map(|leaf| 4 * leaf.words()).sum();
        let size = stride * placement.slots();
        work.buffers.push(vec![FILL; size as usize]);
        let range = Range { buffer: 0, offset: 0, size: u64::from(size) };
        let mut draw = self.draw(shader, placement);
        draw.transform_feedback =
            Some(TransformFeedback { buffers: vec![range], ..TransformFeedback::default() });
        self.inputs.install(&mut work).give(&mut draw);
        work.draws.push(draw);
        let outcome = self.device.run(&work)?;
        Ok(Recording { placement, words: u32s(&outcome.buffers[0]) })
    }

    /// A draw of a variant as points, with nothing bound yet.
    pub(crate) fn draw<'w>(&'w self, words: &'w [u32], placement: Placement) -> Draw<'w> {
        let Placement { first_vertex, vertices, first_instance, instances } = placement;
        Draw {
            stages: vec![Stage { entry_point: self.job.entry, ..Stage::vertex(words) }],
            vertices: first_vertex..first_vertex + vertices,
            instances: first_instance..first_instance + instances,
            ..Draw::default()
        }
    }
}

/// Why what is recorded of the original cannot be compared.
pub(crate) const SHARED: &str = "its outputs are shared with another entry point";

/// Whether what is recorded is the original's outputs, and these alone.
pub(crate) fn is_same_interface(recorded: &[Leaf], leaves: &[Leaf]) -> bool {
    let mut pairs = recorded.iter().zip(leaves);
    recorded.len() == leaves.len() && pairs.all(|(one, other)| one.is_same_output(other))
}

/// What the validation layer says of the original, as far as it `counts`, leaves nothing to compare with.
pub(crate) fn check_original(
    device: &Device,
    counts: impl Fn(&Message) -> bool,
) -> Result<(), Stop> {
    match device.take_messages().iter().find(|message| counts(message)) {
        Some(message) => {
            Err(not_comparable(format!("the validation layer says of the original: {message}")))
        }
        None => Ok(()),
    }
}

pub(crate) fn u32s(bytes: &[u8]) -> Vec<u32> {
    let word = |word: &[u8]| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

impl Equal {
    fn add(&mut self, other: Equal) {
        self.runs += 1;
        self.draws += other.draws;
        self.vertices += other.vertices;
        self.words += other.words;
        self.pixels += other.pixels;
        self.native |= other.native;
    }
}
