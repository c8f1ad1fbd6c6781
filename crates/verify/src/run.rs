//! Code that all comparisons share: the loop over sets of inputs, and recording the original's outputs.

use crate::cases;
use crate::compare::{Comparison, Rounding};
use crate::initialise::{Filler, without_feedback};
use crate::inputs::{self, Inputs};
use crate::layout::Buffer;
use crate::leaves::{self, Leaf};
use crate::random::Values;
use crate::record::{self, Grid, Placement, Recorder, native};
use crate::recording::{RecordShape, Recording, select, u32s};
use crate::verdict::{Difference, Equal, Part, Stop, Verdict, broken, not_comparable};
use crate::{Job, Phase, cases::FILL};
use polyshade::Module;
use polyshade::spv::{ExecutionModel, StorageClass};
use polyshade_vulkan::{
    Draw, Error, Message, Outcome, Range, Runner, Stage, TransformFeedback, Work, vk,
};
use std::iter;

/// The number of instances of the largest draw.
const INSTANCES: u32 = 3;

/// The first vertex and instance of the second draw. Its vertex indices exceed 255 and its instance indices are at
/// least 4, so a shader that drops bits of an index has different results.
const FAR_VERTEX: u32 = 253;
const FAR_INSTANCE: u32 = 4;

/// The largest storage buffer that every device supports: the minimum of `maxStorageBufferRange`.
const LARGEST: u64 = 1 << 27;

/// A comparison: its job, its devices, and the callback for its progress.
#[derive(Clone, Copy)]
pub(crate) struct Task<'t> {
    pub(crate) job: &'t Job<'t>,
    pub(crate) device: &'t dyn Runner,
    /// The device that runs the original, if it is another device.
    pub(crate) reference: Option<&'t dyn Runner>,
    /// The original, with undefined values initialised with `filler`.
    pub(crate) original: &'t Module<'t>,
    /// The original, with undefined values initialised with zero.
    pub(crate) zeroed: &'t Module<'t>,
    pub(crate) filler: Filler,
    /// Called before each phase of the comparison.
    pub(crate) report: &'t dyn Fn(Phase),
}

impl<'t> Task<'t> {
    /// The shader with the zero filler, if this task has another filler. Values that differ between the two shaders
    /// are undefined.
    pub(crate) fn other(&self) -> Option<&'t Module<'t>> {
        (self.filler != Filler::Zero).then_some(self.zeroed)
    }

    /// The same task on only the reference device, if there is such a device.
    pub(crate) fn of_reference(&self) -> Option<Task<'t>> {
        self.reference.map(|device| Task { device, reference: None, ..*self })
    }

    /// Compares sets of inputs one after the other, until something differs.
    pub(crate) fn each_seed(&self, one: impl Fn(u64) -> Result<Equal, Stop>) -> Verdict {
        let mut sum = Equal::default();
        for run in 0..self.job.runs.max(1) {
            let seed = self.job.seed.wrapping_add(u64::from(run));
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

    /// Returns why the outputs cannot be recorded, if the stage is not a vertex stage.
    pub(crate) fn is_not_recorded(&self) -> Option<String> {
        let stage = Some(self.job.stage).filter(|stage| *stage != ExecutionModel::VERTEX)?;
        Some(format!(
            "the outputs of a {stage} stage cannot be recorded, only those of a vertex stage"
        ))
    }

    /// Whether to judge a variant. If the job contains variants, only these are judged.
    pub(crate) fn is_judged(&self, part: Part) -> bool {
        let given = &self.job.given;
        given.is_empty() || given.iter().any(|(other, _)| *other == part)
    }

    /// Returns the variant to judge: the given variant, initialised with the filler, or else `made`.
    pub(crate) fn variant(&self, part: Part, made: &Module<'_>) -> Result<Module<'static>, Stop> {
        let unread = |error: polyshade::Error| {
            not_comparable(format!("cannot read the given {part} variant: {error}"))
        };
        let words = match self.job.given.iter().find(|(other, _)| *other == part) {
            Some((_, words)) => {
                let module = Module::parse(words).map_err(unread)?;
                crate::initialise(&module, self.filler).map_err(unread)?.into_words()
            }
            None => made.words().to_vec(),
        };
        Ok(Module::parse(&words).map_err(|error| broken(part, error))?.into_owned())
    }

    /// Returns the variant of a lowering that makes only one variant, without transform feedback decorations.
    pub(crate) fn lowered(&self, made: &Module<'_>) -> Result<Module<'static>, Stop> {
        let lowered = self.variant(Part::Lowered, made)?;
        let plain = without_feedback(&lowered).map_err(|error| broken(Part::Lowered, error))?;
        self.check_device(&plain)?;
        Ok(plain)
    }

    /// Fails if the device lacks a capability or extension that a module declares.
    pub(crate) fn check_device(&self, m: &Module<'_>) -> Result<(), Stop> {
        let missing = self.device.capabilities().missing(m);
        match missing.is_empty() {
            true => Ok(()),
            false => Err(not_comparable(format!("the device lacks {}", missing.join(", ")))),
        }
    }

    /// Reports a validation message about a variant as a difference if it `counts`.
    pub(crate) fn check_messages(
        &self,
        part: Part,
        counts: impl Fn(&Message) -> bool,
    ) -> Result<(), Stop> {
        let message = self.device.take_messages().into_iter().find(counts);
        message
            .map_or(Ok(()), |one| Err(broken(part, format!("the validation layer reports: {one}"))))
    }

    /// Stops the comparison if a validation message about the original `counts`.
    pub(crate) fn check_original(&self, counts: impl Fn(&Message) -> bool) -> Result<(), Stop> {
        let message = self.device.take_messages().into_iter().find(counts);
        message.map_or(Ok(()), |one| {
            Err(not_comparable(format!("the validation layer reports about the original: {one}")))
        })
    }

    pub(crate) fn run(&self, part: Part, work: &Work<'_>) -> Result<Outcome, Stop> {
        self.device.run(work).map_err(|error| cannot_run(part, &error))
    }

    /// Returns the inputs or outputs of the stage in a variant of the shader, or why they are unknown.
    pub(crate) fn leaves(&self, m: &Module<'_>, class: StorageClass) -> Result<Vec<Leaf>, String> {
        let entry = m.entry_point(self.job.entry, self.job.stage);
        let entry = entry.map_err(|error| error.to_string())?;
        leaves::leaves(m, entry, class, &self.job.specialization)
    }

    /// Makes the inputs of the original for vertices and instances below `count`.
    pub(crate) fn inputs(&self, seed: (Values, u64), count: u32) -> Result<Inputs, Stop> {
        let Job { entry, stage, specialization, .. } = self.job;
        let entry = self.original.entry_point(entry, *stage).map_err(not_comparable)?;
        let inputs = inputs::make(self.original, entry, specialization, seed, count);
        let mut inputs = inputs.map_err(not_comparable)?;
        // The comparison with zero uses the module's default constants, and the comparison with poison uses other
        // values.
        if self.filler == Filler::Poison {
            inputs.specialize_others(self.original);
        }
        Ok(inputs)
    }

    /// Returns the contents of a buffer of `words` words after the draw that `draw` builds for the buffer.
    pub(crate) fn fill<'w>(
        &self,
        words: u32,
        draw: impl FnOnce(Range, &mut Work<'w>) -> Result<Draw<'w>, Error>,
    ) -> Result<Vec<u32>, Error> {
        let size = 4 * u64::from(words);
        if size > LARGEST {
            return Err(Error::Unsupported(format!("a storage buffer of {size} bytes")));
        }
        let mut work = Work::default();
        work.buffers.push(vec![FILL; size as usize]);
        let draw = draw(Range { buffer: 0, offset: 0, size }, &mut work)?;
        work.draws.push(draw);
        Ok(u32s(&self.device.run(&work)?.buffers[0]))
    }
}

/// The error if a recorder has not stored all its outputs.
pub(crate) fn unfinished() -> Error {
    Error::Work("an invocation does not finish".to_owned())
}

/// Converts an error of a variant. A missing device feature makes it not comparable, and any other error is a
/// difference.
pub(crate) fn cannot_run(part: Part, error: &Error) -> Stop {
    match error {
        Error::Missing(_)
        | Error::Unsupported(_)
        | Error::Call {
            result: vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
            ..
        } => not_comparable(format!("{part}: {error}")),
        _ => broken(part, format!("it does not run: {error}")),
    }
}

/// Converts an error of the original. If the original does not run, nothing is comparable.
pub(crate) fn cannot_run_original(error: Error) -> Stop {
    not_comparable(format!("cannot run the original: {error}"))
}

/// Whether a validation message counts. Messages about points without a `PointSize` are ignored, because recorders
/// are drawn as points, whatever topology the shader was written for.
pub(crate) fn is_not_about_points(message: &Message) -> bool {
    !message.text.contains("PointSize")
}

/// The original vertex stage with one set of inputs.
pub(crate) struct Original<'r> {
    pub(crate) task: &'r Task<'r>,
    /// The original without transform feedback decorations.
    pub(crate) plain: Module<'static>,
    pub(crate) inputs: Inputs,
    pub(crate) placements: [Placement; 2],
    pub(crate) leaves: Vec<Leaf>,
}

/// A variant, and the outputs of the original that it must have.
#[derive(Clone, Copy)]
pub(crate) struct Variant<'v> {
    pub(crate) part: Part,
    /// The variant without transform feedback decorations.
    pub(crate) module: &'v Module<'v>,
    pub(crate) inputs: &'v Inputs,
    pub(crate) wanted: &'v [Leaf],
}

impl<'r> Original<'r> {
    pub(crate) fn new(task: &'r Task<'r>, seed: u64) -> Result<Original<'r>, Stop> {
        Original::of(task, (Values::Any, seed))
    }

    /// Makes the original and its inputs from the range `seed.0` of values. The second draw begins at high vertex and
    /// instance indices, unless an array of the shader is too short for them.
    pub(crate) fn of(task: &'r Task<'r>, seed: (Values, u64)) -> Result<Original<'r>, Stop> {
        let plain = without_feedback(task.original).map_err(not_comparable)?;
        task.check_device(&plain)?;
        let vertices = task.job.vertices.max(1);
        let end = (FAR_VERTEX + vertices).max(FAR_INSTANCE + INSTANCES);
        let inputs = task.inputs(seed, end)?;
        let vertices = inputs.most_vertices.map_or(vertices, |most| vertices.min(most)).max(1);
        let instances = inputs.most_instances.map_or(INSTANCES, |most| INSTANCES.min(most)).max(1);
        let mut placements = cases::placements(vertices, instances);
        let second = &mut placements[1];
        if inputs.most_vertices.is_none() {
            second.first_vertex = second.first_vertex.max(FAR_VERTEX);
        }
        if inputs.most_instances.is_none() {
            second.first_instance = second.first_instance.max(FAR_INSTANCE);
        }
        let leaves = task.leaves(task.original, StorageClass::OUTPUT);
        Ok(Original { task, plain, inputs, placements, leaves: leaves.map_err(not_comparable)? })
    }

    /// The slot grid in which recorders store the outputs of each draw.
    pub(crate) fn grid(&self) -> Grid {
        Grid::of(&self.placements)
    }

    /// Records the outputs of the original, and checks them against the driver's transform feedback if the driver
    /// supports it.
    pub(crate) fn record(&self, equal: &mut Equal) -> Result<Vec<Recording>, Stop> {
        // Words that differ between the two fillers are undefined.
        let mut recordings = self.record_module(&self.plain)?;
        if let Some(other) = self.task.other() {
            let zeroed = without_feedback(other).map_err(not_comparable)?;
            for (one, other) in recordings.iter_mut().zip(self.record_module(&zeroed)?) {
                let words = one.words.iter().zip(&other.words);
                one.undefined = words.map(|(one, other)| one != other).collect();
            }
        }
        equal.words += recordings.iter().map(|one| one.words.len() as u64).sum::<u64>();
        // The driver's transform feedback must agree with the recorder.
        if let Some(natives) = self.record_natively()? {
            equal.native = true;
            let comparison = self.comparison(Part::Host, &[], &self.leaves);
            for (stored, native) in recordings.iter().zip(&natives) {
                if let Some(difference) = comparison.recordings(stored, native) {
                    let why = "the driver's transform feedback (`found`) captures a different \
                        value than its buffer stores";
                    return Err(not_comparable(format!("{why}\n{difference}")));
                }
            }
        }
        self.task.check_original(is_not_about_points)?;
        Ok(recordings)
    }

    /// Records the outputs of the original, in which `module` has one of the fillers.
    fn record_module(&self, module: &Module<'_>) -> Result<Vec<Recording>, Stop> {
        let mut recordings = Vec::new();
        for placement in self.placements {
            let recorder = record::record(module, self.task.job, self.grid())
                .map_err(|why| not_comparable(format!("cannot record its results: {why}")))?;
            if !is_same_interface(&recorder.leaves, &self.leaves) {
                return Err(not_comparable(SHARED));
            }
            let recording = self.run_recorder(&recorder, placement, &self.inputs, |_, _| Ok(()));
            recordings.push(recording.map_err(cannot_run_original)?);
        }
        Ok(recordings)
    }

    /// Records a variant's outputs for one placement, and also returns the leaves of the outputs. `bind` adds further
    /// bindings.
    pub(crate) fn record_variant(
        &self,
        Variant { part, module, inputs, .. }: Variant<'_>,
        placement: Placement,
        bind: impl FnOnce(&mut Draw<'_>, &mut Work<'_>) -> Result<(), Error>,
    ) -> Result<(Vec<Leaf>, Recording), Stop> {
        let recorder = record::record(module, self.task.job, self.grid());
        let recorder = recorder.map_err(|why| broken(part, why))?;
        let recording = self.run_recorder(&recorder, placement, inputs, bind);
        Ok((recorder.leaves, recording.map_err(|error| cannot_run(part, &error))?))
    }

    /// Compares the outputs in `variant.wanted` with the original's outputs. `check` may reject the variant's
    /// outputs, and `bind` adds further bindings. Returns the number of equal words.
    pub(crate) fn compare_outputs(
        &self,
        variant: Variant<'_>,
        recordings: &[Recording],
        check: impl Fn(&[Leaf]) -> Result<(), String>,
        bind: impl Fn(Placement, &mut Draw<'_>, &mut Work<'_>),
    ) -> Result<u64, Stop> {
        let Variant { part, wanted, .. } = variant;
        let comparison = self.comparison(part, &[], wanted);
        let mut words = 0;
        for right in recordings {
            let placement = right.placement;
            let bind = |draw: &mut Draw<'_>, work: &mut Work<'_>| {
                bind(placement, draw, work);
                Ok(())
            };
            let (leaves, found) = self.record_variant(variant, placement, bind)?;
            check(&leaves).map_err(|why| broken(part, why))?;
            let found = select(&found, &leaves, wanted)
                .map_err(|leaf| broken(part, format!("it lacks the output {}", leaf.title())))?;
            let right = select(right, &self.leaves, wanted)
                .expect("the selected values are those of the original");
            if let Some(difference) = comparison.recordings(&right, &found) {
                return Err(difference.into());
            }
            words += found.words.len() as u64;
        }
        Ok(words)
    }

    fn record_natively(&self) -> Result<Option<Vec<Recording>>, Stop> {
        let Task { job, device, .. } = self.task;
        let has = device.capabilities().transform_feedback;
        let Some(has) = has.filter(|_| device.validation_layer().is_none()) else {
            return Ok(None);
        };
        let native = native::decorate(&self.plain, job.entry, &self.leaves, has);
        let Some(words) = native else { return Ok(None) };
        let each = self.placements.iter().map(|placement| self.run_native(&words, *placement));
        let each = each.collect::<Result<Vec<_>, _>>();
        each.map(Some).map_err(|error| {
            not_comparable(format!("cannot capture the original with transform feedback: {error}"))
        })
    }

    pub(crate) fn comparison<'c>(
        &'c self,
        part: Part,
        layout: &'c [Buffer],
        leaves: &'c [Leaf],
    ) -> Comparison<'c> {
        let rounding = match self.task.reference {
            Some(_) => Rounding::Across,
            None => Rounding::Same,
        };
        Comparison { part, layout, shape: RecordShape::of(leaves), inputs: &self.inputs, rounding }
    }

    /// Draws a recorder. `bind` adds further bindings.
    pub(crate) fn run_recorder(
        &self,
        recorder: &Recorder,
        placement: Placement,
        inputs: &Inputs,
        bind: impl FnOnce(&mut Draw<'_>, &mut Work<'_>) -> Result<(), Error>,
    ) -> Result<Recording, Error> {
        let filled = self.task.fill(recorder.stride() * self.grid().slots(), |range, work| {
            let mut draw = self.draw(&recorder.words, placement);
            recorder.bind(range, &mut draw);
            bind(&mut draw, work)?;
            inputs.install(work).give(&mut draw);
            Ok(draw)
        })?;
        let words = recorder.outputs(placement, self.grid(), &filled).ok_or_else(unfinished)?;
        Ok(Recording::new(placement, words))
    }

    /// Draws a shader that the driver's transform feedback captures.
    fn run_native(&self, shader: &[u32], placement: Placement) -> Result<Recording, Error> {
        let stride: u32 = self.leaves.iter().map(Leaf::words).sum();
        let words = self.task.fill(stride * placement.slots(), |range, work| {
            let mut draw = self.draw(shader, placement);
            let buffers = vec![range];
            draw.transform_feedback = Some(TransformFeedback { buffers, ..Default::default() });
            self.inputs.install(work).give(&mut draw);
            Ok(draw)
        })?;
        let is_left_out = |leaf: &Leaf| native::is_left_out(&self.leaves, leaf);
        let of_leaf = |leaf: &Leaf| iter::repeat_n(is_left_out(leaf), leaf.words() as usize);
        let of_vertices = self.leaves.iter().flat_map(of_leaf).cycle();
        let undefined = of_vertices.take(words.len()).collect();
        Ok(Recording { undefined, ..Recording::new(placement, words) })
    }

    /// Builds a draw of a variant as points, without bindings.
    pub(crate) fn draw<'w>(&'w self, words: &'w [u32], placement: Placement) -> Draw<'w> {
        let (vertices, instances) = placement.ranges();
        let stages = vec![Stage { entry_point: self.task.job.entry, ..Stage::vertex(words) }];
        Draw { stages, vertices, instances, ..Draw::default() }
    }
}

/// The error if the recorder of the original has different outputs.
pub(crate) const SHARED: &str = "its outputs are shared with another entry point";

/// Whether the recorded outputs are exactly the original's outputs.
pub(crate) fn is_same_interface(recorded: &[Leaf], leaves: &[Leaf]) -> bool {
    let mut pairs = recorded.iter().zip(leaves);
    recorded.len() == leaves.len() && pairs.all(|(one, other)| one.is_same_output(other))
}
