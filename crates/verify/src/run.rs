//! The comparison from beginning to end.

mod work;

use crate::cases::{self, Case};
use crate::compare::{self, Comparison, Recording, Shape};
use crate::initialise::{initialise, without_feedback};
use crate::inputs::{self, Inputs};
use crate::layout::{self, Buffer};
use crate::leaves::Leaf;
use crate::record::{self, Placement, Recorder, native};
use crate::verdict::{Difference, Equal, Part, Verdict};
use crate::{Job, Phase};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{self, Capture};
use polyshade::{Error, Module};
use polyshade_vulkan::{Device, Message, Work, vk};
use work::Host;

/// The instances of the largest draw.
const INSTANCES: u32 = 3;

/// Compares, and reports what it is about to do.
///
/// # Errors
///
/// Those of the rewrite: nothing was compared.
pub fn verify(
    job: &Job<'_>,
    device: &Device,
    mut report: impl FnMut(Phase),
) -> Result<Verdict, Error> {
    report(Phase::Preparing);
    let original = initialise(job.module)?;
    let capture = transform_feedback::capture(&original, job.options)?;
    let plain = without_feedback(&original)?;
    let mut sum = Equal::default();
    for run in 0..job.runs.max(1) {
        let seed = job.seed.wrapping_add(u64::from(run));
        match Run::new(job, device, (&original, &plain), &capture, seed) {
            Ok(one) => match one.compare(&mut report) {
                Ok(equal) => sum.add(equal),
                Err(Stop::NotComparable(why)) => return Ok(Verdict::NotComparable(why)),
                Err(Stop::Different(difference)) => {
                    return Ok(Verdict::Different(Box::new(Difference { seed, ..*difference })));
                }
            },
            Err(Stop::NotComparable(why)) => return Ok(Verdict::NotComparable(why)),
            Err(Stop::Different(difference)) => {
                return Ok(Verdict::Different(Box::new(Difference { seed, ..*difference })));
            }
        }
    }
    Ok(Verdict::Equal(sum))
}

impl Equal {
    fn add(&mut self, other: Equal) {
        self.runs += 1;
        self.draws += other.draws;
        self.vertices += other.vertices;
        self.words += other.words;
        self.native |= other.native;
    }
}

/// Why a run ends before its end.
enum Stop {
    NotComparable(String),
    Different(Box<Difference>),
}

impl From<Difference> for Stop {
    fn from(difference: Difference) -> Stop {
        Stop::Different(Box::new(difference))
    }
}

fn not_comparable(why: impl Into<String>) -> Stop {
    Stop::NotComparable(why.into())
}

/// One comparison, with one set of inputs.
struct Run<'r> {
    job: &'r Job<'r>,
    device: &'r Device,
    /// The original, without transform feedback of its own.
    plain: &'r Module<'r>,
    capture: &'r Capture<'r>,
    inputs: Inputs,
    placements: [Placement; 2],
    leaves: Vec<Leaf>,
    layout: Vec<Buffer>,
}

impl<'r> Run<'r> {
    fn new(
        job: &'r Job<'r>,
        device: &'r Device,
        (original, plain): (&'r Module<'r>, &'r Module<'r>),
        capture: &'r Capture<'r>,
        seed: u64,
    ) -> Result<Run<'r>, Stop> {
        let entry = original
            .entry_point(job.entry, ExecutionModel::VERTEX)
            .map_err(|error| not_comparable(error.to_string()))?;
        let missing = device.capabilities().missing(plain);
        if !missing.is_empty() {
            return Err(not_comparable(format!("the device lacks {}", missing.join(", "))));
        }
        let vertices = job.vertices.max(1);
        let inputs =
            inputs::make(original, entry, &job.specialization, seed, vertices.max(INSTANCES))
                .map_err(not_comparable)?;
        let vertices = inputs.most_vertices.map_or(vertices, |most| vertices.min(most)).max(1);
        let instances = inputs.most_instances.map_or(INSTANCES, |most| INSTANCES.min(most)).max(1);
        let placements = cases::placements(vertices, instances);

        let class = polyshade::spv::StorageClass::OUTPUT;
        let leaves = crate::leaves::leaves(original, entry, class, &job.specialization)
            .map_err(not_comparable)?;
        let layout = layout::lay_out(&leaves, &job.asked).map_err(not_comparable)?;
        Ok(Run { job, device, plain, capture, inputs, placements, leaves, layout })
    }

    fn compare(&self, report: &mut impl FnMut(Phase)) -> Result<Equal, Stop> {
        self.check_layout()?;
        let host = Host::of(self)?;
        let mut equal = Equal::default();
        let shape = Shape::of(&self.leaves);

        report(Phase::Original);
        let recordings = self.record_original(&shape, &mut equal)?;
        if let Some(message) = self.messages().iter().find(|message| !is_about_points(message)) {
            let why = format!("the validation layer says of the original: {message}");
            return Err(not_comparable(why));
        }

        let cases = cases::cases(&self.placements);
        for part in [Part::CaptureOnly, Part::Both] {
            report(Phase::Rewritten);
            self.compare_captures(&host, part, &cases, &shape, &recordings, &mut equal)?;
            self.check_messages(part)?;
        }
        for part in [Part::RasterOnly, Part::Both] {
            report(Phase::Rewritten);
            self.compare_outputs(&host, part, &shape, &recordings, &mut equal)?;
            self.check_messages(part)?;
        }
        Ok(equal)
    }

    /// The strides that the host is told are those of the specification.
    fn check_layout(&self) -> Result<(), Stop> {
        let told: Vec<u32> = self.capture.layout.buffers.iter().map(|one| one.stride).collect();
        let right: Vec<u32> = self.layout.iter().map(|one| one.stride).collect();
        if told == right {
            return Ok(());
        }
        let message = format!("the strides of the feedback buffers are {told:?}, not {right:?}");
        Err(Difference::new(Part::Host, message).into())
    }

    /// The words of a variant, with zero where they leave something undefined.
    fn words(&self, part: Part) -> Result<Vec<u32>, Stop> {
        let given = self.job.given.iter().find(|(other, _)| *other == part);
        let Some((_, words)) = given else {
            return Ok(match part {
                Part::CaptureOnly => self.capture.capture_only.words().to_vec(),
                Part::RasterOnly => self.capture.raster_only.words().to_vec(),
                Part::Both | Part::Host => self.capture.both.words().to_vec(),
            });
        };
        let broken = |error: Error| not_comparable(format!("the given {part} variant: {error}"));
        let module = Module::parse(words).map_err(broken)?;
        Ok(initialise(&module).map_err(broken)?.into_words())
    }

    /// What the original computes, and by the driver's own transform feedback where it has it.
    fn record_original(
        &self,
        shape: &Shape<'_>,
        equal: &mut Equal,
    ) -> Result<Vec<Recording>, Stop> {
        let mut recordings = Vec::new();
        for placement in self.placements {
            let recorder =
                record::record(self.plain, self.job.entry, &self.job.specialization, placement)
                    .map_err(|why| not_comparable(format!("what it computes: {why}")))?;
            if !self.is_same_interface(&recorder) {
                return Err(not_comparable("its outputs are shared with another entry point"));
            }
            let recording = self
                .run_recorder(&recorder, placement, None)
                .map_err(|error| not_comparable(format!("the original: {error}")))?;
            equal.words += recording.words.len() as u64;
            recordings.push(recording);
        }
        if let Some(natives) = self.record_natively()? {
            equal.native = true;
            let comparison = self.comparison(Part::Host, shape);
            for (stored, mut native) in recordings.iter().zip(natives) {
                shape.copy(stored, &mut native, |leaf| native::is_left_out(&self.leaves, leaf));
                if let Some(difference) = comparison.recordings(stored, &native) {
                    let why = "the driver captures another value than it stores: its own transform \
                        feedback is the one found";
                    return Err(not_comparable(format!("{why}\n{difference}")));
                }
            }
        }
        Ok(recordings)
    }

    fn record_natively(&self) -> Result<Option<Vec<Recording>>, Stop> {
        let has = self.device.capabilities().transform_feedback;
        let Some(has) = has.filter(|_| self.device.validation_layer().is_none()) else {
            return Ok(None);
        };
        let native = native::decorate(self.plain, self.job.entry, &self.leaves, has);
        let Some(words) = native else { return Ok(None) };
        let each = self.placements.iter().map(|placement| self.run_native(&words, *placement));
        let each = each.collect::<Result<Vec<_>, _>>();
        each.map(Some).map_err(|error| {
            not_comparable(format!("the original, by the driver's own transform feedback: {error}"))
        })
    }

    fn is_same_interface(&self, recorder: &Recorder) -> bool {
        recorder.leaves.len() == self.leaves.len()
            && recorder
                .leaves
                .iter()
                .zip(&self.leaves)
                .all(|(one, other)| one.is_same_output(other))
    }

    fn comparison<'c>(&'c self, part: Part, shape: &'c Shape<'c>) -> Comparison<'c> {
        Comparison { part, layout: &self.layout, shape, inputs: &self.inputs }
    }

    /// Draws all cases with a variant that stores, and compares what it leaves.
    fn compare_captures(
        &self,
        host: &Host,
        part: Part,
        cases: &[Case],
        shape: &Shape<'_>,
        recordings: &[Recording],
        equal: &mut Equal,
    ) -> Result<(), Stop> {
        let words = self.words(part)?;
        let module = Module::parse(&words)
            .map_err(|error| Stop::from(Difference::new(part, error.to_string())))?;
        host.check_descriptors(self, part, &module)?;
        let cases: Vec<&Case> = cases
            .iter()
            .filter(|case| part == Part::CaptureOnly || case.can_be_drawn_at_once())
            .collect();
        let mut work = Work::default();
        let (mut installed, mut places) = (None, Vec::new());
        for case in &cases {
            let inputs = self.inputs.next(installed.take(), &mut work);
            let mut draw = self.draw(&words, case.placement());
            if part == Part::Both {
                draw.topology = work::topology(case.draw.topology);
            }
            inputs.give(&mut draw);
            places.push(host.bind(self, case, &mut draw, &mut work)?);
            work.draws.push(draw);
            installed = Some(inputs);
        }
        let outcome = self.device.run(&work).map_err(|error| cannot_run(part, &error))?;

        let comparison = self.comparison(part, shape);
        for (case, buffers) in cases.iter().zip(places) {
            let recording = recordings.iter().find(|one| one.placement == case.placement());
            let recording = recording.expect("the cases are made from the placements");
            let expected = compare::expect(case, &self.layout, shape, recording);
            host.check_counts(self, case, &expected)?;
            for (number, index) in buffers.iter().enumerate() {
                let found = &outcome.buffers[*index];
                if let Some(difference) = comparison.buffer(case, &expected, number, found) {
                    return Err(difference.into());
                }
            }
            equal.draws += 1;
            equal.vertices += expected.captured_vertices();
        }
        Ok(())
    }

    /// What a variant that has outputs computes is what the original does.
    fn compare_outputs(
        &self,
        host: &Host,
        part: Part,
        shape: &Shape<'_>,
        recordings: &[Recording],
        equal: &mut Equal,
    ) -> Result<(), Stop> {
        let words = self.words(part)?;
        let broken = |why: String| Stop::from(Difference::new(part, why));
        let module = Module::parse(&words).map_err(|error| broken(error.to_string()))?;
        host.check_descriptors(self, part, &module)?;
        for right in recordings {
            let recorder =
                record::record(&module, self.job.entry, &self.job.specialization, right.placement)
                    .map_err(broken)?;
            if !self.is_same_interface(&recorder) {
                return Err(broken("its outputs are not those of the original".to_owned()));
            }
            let bound = (part == Part::Both).then_some(host);
            let found = self
                .run_recorder(&recorder, right.placement, bound)
                .map_err(|error| cannot_run(part, &error))?;
            if let Some(difference) = self.comparison(part, shape).recordings(right, &found) {
                return Err(difference.into());
            }
            equal.words += found.words.len() as u64;
        }
        Ok(())
    }

    /// What the validation layer has said since the last call.
    fn messages(&self) -> Vec<Message> {
        self.device.take_messages()
    }

    /// What it says of a variant is a difference. Only the capture-only variant is made to be drawn as points.
    fn check_messages(&self, part: Part) -> Result<(), Stop> {
        let counts = |message: &&Message| part == Part::CaptureOnly || !is_about_points(message);
        match self.messages().iter().find(counts) {
            Some(message) => {
                Err(Difference::new(part, format!("the validation layer says: {message}")).into())
            }
            None => Ok(()),
        }
    }

    /// A draw of a variant as points, with nothing bound yet.
    fn draw<'w>(&'w self, words: &'w [u32], placement: Placement) -> polyshade_vulkan::Draw<'w> {
        work::points(words, self.job.entry, placement)
    }
}

/// Whether a message is about points that no `PointSize` is written for: what records is drawn as points whatever the
/// shader was written for.
fn is_about_points(message: &Message) -> bool {
    message.text.contains("PointSize")
}

/// What the device lacks says nothing about a variant; anything else does.
fn cannot_run(part: Part, error: &polyshade_vulkan::Error) -> Stop {
    use polyshade_vulkan::Error;
    match error {
        Error::Missing(_) | Error::Unsupported(_) => not_comparable(format!("{part}: {error}")),
        Error::Call { result: vk::Result::ERROR_OUT_OF_HOST_MEMORY, .. }
        | Error::Call { result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, .. } => {
            not_comparable(format!("{part}: {error}"))
        }
        _ => Difference::new(part, format!("it does not run: {error}")).into(),
    }
}
