//! Capture by stores: the three variants that [`transform_feedback::capture`] makes.

mod host;

use crate::cases::{self, Case};
use crate::compare::{self, Comparison, Recording, Shape};
use crate::layout::{self, Buffer};
use crate::record::Recorder;
use crate::run::{
    Original, Report, Stop, cannot_run, check_messages, each_seed, is_about_points,
    is_same_interface, not_comparable, parse, variant,
};
use crate::verdict::{Difference, Equal, Part, Verdict};
use crate::{Captured, Job, Phase};
use host::Host;
use polyshade::transform_feedback::{self, Capture};
use polyshade::{Error, Module};
use polyshade_vulkan::{Device, Work};

/// Compares what the variants capture with what the original computes.
pub(crate) fn verify(
    job: &Job<'_>,
    captured: &Captured<'_>,
    device: &Device,
    original: &Module<'_>,
    report: &mut Report<'_>,
) -> Result<Verdict, Error> {
    let capture = transform_feedback::capture(original, captured.target, captured.options)?;
    Ok(each_seed(job, |seed| {
        let original = Original::new(job, device, original, seed)?;
        let layout = layout::lay_out(&original.leaves, &captured.asked).map_err(not_comparable)?;
        Run { original, capture: &capture, layout }.compare(report)
    }))
}

/// One comparison, with one set of inputs.
struct Run<'r> {
    original: Original<'r>,
    capture: &'r Capture<'r>,
    layout: Vec<Buffer>,
}

impl Run<'_> {
    fn compare(&self, report: &mut Report<'_>) -> Result<Equal, Stop> {
        check_strides(&self.capture.layout, &self.layout)?;
        let host = Host::of(self)?;
        let mut equal = Equal::default();
        let shape = Shape::of(&self.original.leaves);

        report(Phase::Original);
        let recordings = self.original.record(&mut equal)?;

        let cases = cases::cases(&self.original.placements);
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

    fn words(&self, part: Part) -> Result<Vec<u32>, Stop> {
        let made = match part {
            Part::CaptureOnly => &self.capture.capture_only,
            Part::RasterOnly => &self.capture.raster_only,
            _ => &self.capture.both,
        };
        variant(self.original.job, part, made.words())
    }

    fn comparison<'c>(&'c self, part: Part, shape: &'c Shape<'c>) -> Comparison<'c> {
        self.original.comparison(part, &self.layout, shape)
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
        let module = parse(part, &words)?;
        host.check_descriptors(self, part, &module)?;
        let cases: Vec<&Case> = cases
            .iter()
            .filter(|case| part == Part::CaptureOnly || case.can_be_drawn_at_once())
            .collect();
        let mut work = Work::default();
        let (mut installed, mut places) = (None, Vec::new());
        for case in &cases {
            let inputs = self.original.inputs.next(installed.take(), &mut work);
            let mut draw = self.original.draw(&words, case.placement());
            if part == Part::Both {
                draw.topology = cases::topology(case.draw.topology);
            }
            inputs.give(&mut draw);
            places.push(host.bind(self, case, &mut draw, &mut work)?);
            work.draws.push(draw);
            installed = Some(inputs);
        }
        let outcome = self.original.device.run(&work).map_err(|error| cannot_run(part, &error))?;

        let comparison = self.comparison(part, shape);
        for (case, buffers) in cases.iter().zip(places) {
            let recording = case.recording(recordings);
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
        let module = parse(part, &words)?;
        host.check_descriptors(self, part, &module)?;
        for right in recordings {
            let recorder: Recorder =
                self.original.recorder(&module, right.placement).map_err(broken)?;
            if !is_same_interface(&recorder.leaves, &self.original.leaves) {
                return Err(broken("its outputs are not those of the original".to_owned()));
            }
            let (original, placement) = (&self.original, right.placement);
            // One that captures too is bound to buffers without room.
            let found = original
                .run_recorder(&recorder, placement, &original.inputs, |draw, work| match part {
                    Part::Both => host.bind_nothing(self, placement, draw, work),
                    _ => Ok(()),
                })
                .map_err(|error| cannot_run(part, &error))?;
            if let Some(difference) = self.comparison(part, shape).recordings(right, &found) {
                return Err(difference.into());
            }
            equal.words += found.words.len() as u64;
        }
        Ok(())
    }

    fn check_messages(&self, part: Part) -> Result<(), Stop> {
        // Only the capture-only variant is made to be drawn as points.
        check_messages(self.original.device, part, |message| {
            part == Part::CaptureOnly || !is_about_points(message)
        })
    }
}

/// The strides that the host is told are those of the specification.
pub(crate) fn check_strides(
    told: &transform_feedback::Layout,
    layout: &[Buffer],
) -> Result<(), Stop> {
    let told: Vec<u32> = told.buffers.iter().map(|one| one.stride).collect();
    let right: Vec<u32> = layout.iter().map(|one| one.stride).collect();
    if told == right {
        return Ok(());
    }
    let message = format!("the strides of the feedback buffers are {told:?}, not {right:?}");
    Err(Difference::new(Part::Host, message).into())
}
