//! Capture by stores: the three variants of `transform_feedback::prepare`.

mod host;

use crate::cases::{self, Case, Indexing, Room};
use crate::compare::Comparison;
use crate::inputs::Inputs;
use crate::layout::{self, Buffer};
use crate::pull::{self, Fetching};
use crate::random::Values;
use crate::recording::Recording;
use crate::run::{Original, Task, Variant, is_not_about_points, is_same_interface};
use crate::tolerance;
use crate::verdict::{Equal, Part, Stop, Verdict, broken, not_comparable};
use crate::{Captured, Phase};
use polyshade::host::{Descriptor, Purpose, Set};
use polyshade::spv::BuiltIn;
use polyshade::spv::view::Variable;
use polyshade::transform_feedback::{IndexType, Layout};
use polyshade::vertex_pulling;
use polyshade::{Error, Module};
use polyshade_vulkan::{Outcome, Variants, vk};

/// Compares the captures of the variants with the recorded outputs of the original.
pub(crate) fn verify(task: &Task<'_>, captured: &Captured<'_>) -> Result<Verdict, Error> {
    if captured.options.takes_indices() || captured.options.is_compute() {
        return verify_pulled(task, captured);
    }
    let capture = Variants::new(task.original, captured.target, captured.options)?;
    let reference = task.of_reference();
    let values = if reference.is_some() { Values::Moderate } else { Values::Any };
    Ok(task.each_seed(|seed| {
        let original = Original::of(task, (values, seed))?;
        let oracle =
            reference.as_ref().map(|task| Original::of(task, (values, seed))).transpose()?;
        let layout = layout::lay_out(&original.leaves, &captured.asked).map_err(not_comparable)?;
        let (original, oracle) = (&original, oracle.as_ref());
        let (capture, inputs) = (&capture, &original.inputs);
        StoresRun { original, oracle, capture, layout, pulled: None, inputs }.compare()
    }))
}

/// Compares indexed draws or a compute stage. Their variants must fetch attributes, so vertex pulling precedes the
/// lowering.
fn verify_pulled(task: &Task<'_>, captured: &Captured<'_>) -> Result<Verdict, Error> {
    let pull = |options: &vertex_pulling::Options| {
        vertex_pulling::lower(task.original, captured.target, options)
    };
    let options = vertex_pulling::Options::new().storage(Some(Set(0)), None);
    // Outputs that cannot be captured are an error with any attributes, so all attributes are (0, 0, 0, 1) here.
    let unfed = pull(&options)?;
    Variants::new(&unfed.module, captured.target, captured.options)?;
    let reference = task.of_reference();
    let values = match captured.options.is_compute() {
        _ if reference.is_some() => Values::Moderate,
        true => Values::Normal,
        false => Values::Any,
    };
    Ok(task.each_seed(|seed| {
        let original = Original::of(task, (values, seed))?;
        let oracle =
            reference.as_ref().map(|task| Original::of(task, (values, seed))).transpose()?;
        let (streams, rest) = original.inputs.clone().without_streams();
        let known = &pull::with_attributes(&options, &streams).map_err(not_comparable)?;
        let made = &pull(known).map_err(not_comparable)?;
        let capture = Variants::new(&made.module, captured.target, captured.options);
        let capture = capture.map_err(|error| broken(Part::CaptureOnly, error))?;
        let layout = layout::lay_out(&original.leaves, &captured.asked).map_err(not_comparable)?;
        let pulled = Some(Fetching { made, streams: &streams, options: known });
        let (original, oracle, capture, inputs) = (&original, oracle.as_ref(), &capture, &rest);
        StoresRun { original, oracle, capture, layout, pulled, inputs }.compare()
    }))
}

struct StoresRun<'r> {
    original: &'r Original<'r>,
    /// The original on the reference device, if there is one.
    oracle: Option<&'r Original<'r>>,
    capture: &'r Variants<'r>,
    layout: Vec<Buffer>,
    /// The vertex pulling data, if the variants cannot have vertex input.
    pulled: Option<Fetching<'r>>,
    /// The inputs of the variants that store.
    inputs: &'r Inputs,
}

impl StoresRun<'_> {
    fn compare(&self) -> Result<Equal, Stop> {
        check_strides(&self.capture.layout, &self.layout)?;
        self.check_requirements()?;
        let (task, mut equal) = (self.original.task, Equal::default());

        // Record the original.
        (task.report)(Phase::Original);
        let recordings = match self.oracle {
            None => self.original.record(&mut equal)?,
            Some(oracle) => {
                let mut recordings = oracle.record(&mut equal)?;
                tolerance::set(oracle, &mut recordings, &mut equal)?;
                recordings
            }
        };

        // Compare captures first, then the outputs for rasterization.
        let is_judged = |part: &Part| task.is_judged(*part);
        let is_made = |part: &Part| *part != Part::Both || self.capture.both.is_some();
        let parts = |all: [Part; 2]| all.into_iter().filter(is_judged).filter(is_made);
        for part in parts([Part::CaptureOnly, Part::Both]) {
            (task.report)(Phase::Rewritten);
            self.compare_captures(part, &recordings, &mut equal)?;
            // Only the capture-only variant is designed to be drawn as points.
            task.check_messages(part, |message| {
                part == Part::CaptureOnly || is_not_about_points(message)
            })?;
        }
        // If the variants fetch attributes, the original rasterizes. Outputs for rasterization must equal the
        // original's outputs on the same device, so they are not compared with a reference device.
        let rasterizes = self.pulled.is_none() && self.oracle.is_none();
        for part in parts([Part::RasterOnly, Part::Both]).filter(|_| rasterizes) {
            (task.report)(Phase::Rewritten);
            equal.words += self.compare_outputs(part, &recordings)?;
            task.check_messages(part, is_not_about_points)?;
        }
        Ok(equal)
    }

    fn variant(&self, part: Part) -> Result<Module<'static>, Stop> {
        let made = match part {
            Part::CaptureOnly => &self.capture.capture_only,
            Part::RasterOnly => &self.capture.raster_only,
            _ => self.capture.both.as_ref().expect("only existing variants are compared"),
        };
        let module = self.original.task.variant(part, made)?;
        self.check_descriptors(part, &module)?;
        Ok(module)
    }

    /// Draws all cases with a variant that stores, and compares the buffers.
    fn compare_captures(
        &self,
        part: Part,
        recordings: &[Recording],
        equal: &mut Equal,
    ) -> Result<(), Stop> {
        let module = self.variant(part)?;
        let mut cases = cases::cases(&self.original.placements);
        let of_instances = match self.capture.layout.is_dispatched() {
            true => "instance_count",
            false => "first_instance",
        };
        if self.capture.words.number(of_instances).is_none() {
            // The variants are for draws of one instance.
            cases.iter_mut().for_each(|case| case.placement.instances = 1);
        }
        let has_adjacency =
            self.original.task.device.capabilities().features.geometry_shader == vk::TRUE;
        cases.retain(|case| part == Part::CaptureOnly || !case.has_adjacency() || has_adjacency);
        if self.capture.words.number("first_index").is_some() {
            cases = self.with_indices(cases);
        }
        cases.retain(|case| captures(part, case) || case.room == Room::Ample);
        cases.retain(|case| self.is_meant(case));
        // A store beyond the range is only detected if memory follows the range, so the cases without such memory
        // come last.
        let is_exact = |case: &Case| case.room == Room::Exact;
        cases.sort_by_key(is_exact);
        let mut all = cases.chunk_by(|one, other| is_exact(one) == is_exact(other));
        all.try_for_each(|cases| self.compare_cases(part, &module, cases, recordings, equal))
    }

    fn compare_cases(
        &self,
        part: Part,
        module: &Module<'_>,
        cases: &[Case],
        recordings: &[Recording],
        equal: &mut Equal,
    ) -> Result<(), Stop> {
        let (original, mut places) = (self.original, Vec::new());
        let work = self.inputs.work(cases, |case: &Case, inputs, work| {
            let mut draw = original.draw(module.words(), case.placement);
            if part == Part::Both {
                draw.topology = cases::topology(case.topology);
            }
            inputs.give(&mut draw);
            places.push(self.bind(case, &mut draw, work));
            draw
        });
        let places = places.into_iter().collect::<Result<Vec<_>, _>>()?;
        let outcome = original.task.run(part, &work).map_err(|stop| match self.oracle {
            Some(_) => self.blame(stop),
            None => stop,
        })?;
        let comparison = original.comparison(part, &self.layout, &original.leaves);
        self.compare_buffers(&comparison, (cases, &places), &outcome, recordings, equal)?;

        // The variant must also be correct on the reference device.
        let Some(oracle) = self.oracle else { return Ok(()) };
        let outcome = oracle.task.run(part, &work)?;
        let comparison = oracle.comparison(part, &self.layout, &oracle.leaves);
        let places = (cases, places.as_slice());
        let equal = &mut Equal::default();
        let compared = self.compare_buffers(&comparison, places, &outcome, recordings, equal);
        compared.map_err(|stop| stop.on(&oracle.task.device.capabilities().device))
    }

    /// Returns why a variant does not run. If the original does not run on this device either, the reason is "not
    /// comparable".
    fn blame(&self, stop: Stop) -> Stop {
        match self.original.record(&mut Equal::default()) {
            Err(Stop::NotComparable(why)) => Stop::NotComparable(why),
            Ok(_) | Err(Stop::Different(_)) => stop,
        }
    }

    /// Compares the buffers of all cases with the expected contents.
    fn compare_buffers(
        &self,
        comparison: &Comparison<'_>,
        (cases, places): (&[Case], &[Vec<usize>]),
        outcome: &Outcome,
        recordings: &[Recording],
        equal: &mut Equal,
    ) -> Result<(), Stop> {
        let part = comparison.part;
        for (case, buffers) in cases.iter().zip(places) {
            let recording = case.recording(recordings);
            let expected = match captures(part, case) {
                true => comparison.expect(case, recording),
                false => comparison.expect_nothing(case, recording),
            };
            if captures(part, case) {
                self.check_counts(&expected, comparison)?;
            }
            let found = buffers.iter().map(|index| &outcome.buffers[*index]);
            comparison.buffers(&expected, found, equal)?;
        }
        Ok(())
    }

    /// Adds indices to the draws, with the widths that the variants accept.
    fn with_indices(&self, cases: Vec<Case>) -> Vec<Case> {
        let is_segments = |one: &Descriptor| one.purpose == Purpose::Segments;
        let restart = self.capture.words.number("table_size").is_some()
            || self.capture.requirements.descriptors.iter().any(is_segments);
        // The recorded draws have no indices, so shaders that read the base vertex would read another value there.
        let m = &self.original.plain;
        let is_base = |one: Variable<'_>| m.builtin(one.result()) == Some(BuiltIn::BASE_VERTEX);
        let bases = !m.variables().any(is_base);
        let widths = [IndexType::Uint8, IndexType::Uint16, IndexType::Uint32];
        let with_indices = |(number, case): (usize, Case)| {
            let mut widths = widths.into_iter().cycle().skip(number).take(widths.len());
            widths.find_map(|width| {
                let case = case.clone().with_indices(number, Indexing { width, restart, bases })?;
                self.is_meant(&case).then_some(case)
            })
        };
        cases.into_iter().enumerate().filter_map(with_indices).collect()
    }

    /// Compares the outputs of a variant with the outputs of the original.
    fn compare_outputs(&self, part: Part, recordings: &[Recording]) -> Result<u64, Stop> {
        let (original, module) = (self.original, self.variant(part)?);
        let (inputs, wanted) = (&original.inputs, original.leaves.as_slice());
        let variant = Variant { part, module: &module, inputs, wanted };
        let check = |leaves: &[_]| match is_same_interface(leaves, wanted) {
            true => Ok(()),
            false => Err("its outputs differ from the original's".to_owned()),
        };
        original.compare_outputs(variant, recordings, check, |placement, draw, work| {
            // The variant that also captures gets empty feedback buffers.
            if part == Part::Both {
                self.bind_nothing(placement, draw, work);
            }
        })
    }
}

/// Whether a variant that stores captures the draw of `case`.
fn captures(part: Part, case: &Case) -> bool {
    part == Part::CaptureOnly || case.can_be_drawn_at_once()
}

/// Checks that the reported strides equal the strides that the specification requires.
pub(crate) fn check_strides(found: &Layout, layout: &[Buffer]) -> Result<(), Stop> {
    let found: Vec<u32> = found.buffers.iter().map(|one| one.stride).collect();
    let right: Vec<u32> = layout.iter().map(|one| one.stride).collect();
    if found == right {
        return Ok(());
    }
    let message = format!("the strides of the feedback buffers are {found:?}, not {right:?}");
    Err(broken(Part::Host, message))
}
