//! Helpers for the tests of clip and cull distances: stages with the drivers that support them, and steps. A step has
//! a declaration for `verify` and the lowering that polyshade executes.

use crate::subject::{self, DRIVERS, Driver, marks, parsed};
use polyshade::clip_cull::{
    self, DistanceCounts, DistanceKind, Emulated, GeometryClip, Normalize, Primitive, Registers,
    Step as ClipStep, UserPlanes,
};
use polyshade::host::{Target, Value};
use polyshade::spv::ExecutionModel;
use polyshade::{Error, Module};
use polyshade_tests::clip::generate;
use polyshade_verify::{
    ClipForm, ClipSteps, Difference, DistanceSemantics, Distances, Equal, Job, Lowering, Part,
    Verdict,
};
use polyshade_vulkan::Runner;

type Lowered = Result<Module<'static>, Error>;

/// A function that executes a step on a module.
type Done = Box<dyn Fn(&Module<'_>, &Target) -> Lowered>;

/// A step: its declaration for `verify`, and the lowering to execute.
pub(crate) struct Step {
    steps: ClipSteps,
    done: Done,
}

fn step(steps: ClipSteps, done: impl Fn(&Module<'_>, &Target) -> Lowered + 'static) -> Step {
    Step { steps, done: Box::new(done) }
}

/// Executes one step on the shader.
fn taken(m: &Module<'_>, target: &Target, step: ClipStep) -> Lowered {
    Ok(clip_cull::lower(m, target, &[step].into())?.module.into_owned())
}

/// Returns the words of a shader after one step.
#[track_caller]
pub(crate) fn lowered(words: &[u32], step: ClipStep) -> Vec<u32> {
    let module = taken(&parsed(words), &Target::new("main"), step);
    module.expect("it can be done").into_words()
}

/// Returns a step that executes the lowering that it declares.
fn clip(steps: ClipSteps, taken_step: ClipStep) -> Step {
    step(steps, move |m, target| taken(m, target, taken_step.clone()))
}

fn form(form: ClipForm) -> ClipSteps {
    ClipSteps { form, ..ClipSteps::default() }
}

impl Step {
    /// Changes the declaration.
    pub(crate) fn with_steps(self, tell: impl FnOnce(ClipSteps) -> ClipSteps) -> Step {
        Step { steps: tell(self.steps), ..self }
    }

    /// Adds a mask of enabled clip planes.
    pub(crate) fn and_enabled(self, enabled: Value<u32>) -> Step {
        let first = self.done;
        let mask = ClipStep::Mask { enabled, keep_original_at: None };
        step(ClipSteps { mask: Some((enabled, None)), ..self.steps }, move |m, target| {
            taken(&first(m, target)?, target, mask.clone())
        })
    }

    /// Executes a different step than the declared one.
    pub(crate) fn but_done(self, other: Step) -> Step {
        Step { done: other.done, ..self }
    }

    /// Executes the step on a different shader.
    pub(crate) fn but_from(self, other: Vec<u32>) -> Step {
        let done = self.done;
        Step { done: Box::new(move |_, target| done(&parsed(&other), target)), ..self }
    }

    /// Returns a different shader instead of the lowered one.
    pub(crate) fn but_made(self, other: Vec<u32>) -> Step {
        Step { done: Box::new(move |_, _| Ok(parsed(&other).into_owned())), ..self }
    }
}

/// Returns a step that does not change the shader.
pub(crate) fn kept() -> Step {
    step(form(ClipForm::Kept), |m, _| Ok(m.borrowed().into_owned()))
}

/// Returns semantics, numbered like those of the linked stage, if any.
pub(crate) fn marked(marked: &[&str], linked: &[&str]) -> DistanceSemantics {
    DistanceSemantics {
        semantics: marks(marked),
        linked: (!linked.is_empty()).then(|| marks(linked)),
    }
}

/// Converts the registers with semantics to arrays.
pub(crate) fn normalized(inputs: DistanceSemantics, outputs: DistanceSemantics) -> Step {
    let steps =
        ClipSteps { inputs: inputs.clone(), outputs: outputs.clone(), ..ClipSteps::default() };
    let mut options = Normalize::default();
    (options.inputs, options.linked_inputs) = (inputs.semantics, inputs.linked);
    (options.outputs, options.linked_outputs) = (outputs.semantics, outputs.linked);
    clip(steps, ClipStep::Normalize(options))
}

/// Uses the same semantics for inputs and outputs.
pub(crate) fn to_arrays(marks: &[&str]) -> Step {
    normalized(marked(marks, &[]), marked(marks, &[]))
}

fn signature(counts: Option<[u32; 2]>) -> Option<DistanceCounts> {
    counts.map(|[clip, cull]| DistanceCounts { clip, cull })
}

/// Converts inputs and outputs to registers from this location on.
pub(crate) fn to_registers(location: u32, counts: Option<[u32; 2]>) -> Step {
    let steps = ClipSteps { counts, ..form(ClipForm::Registers { location }) };
    let signature = signature(counts);
    let registers = Registers { inputs: location, outputs: location, signature };
    clip(steps, ClipStep::ToRegisters(registers))
}

pub(crate) fn combined(counts: Option<[u32; 2]>) -> Step {
    let steps = ClipSteps { counts, ..form(ClipForm::Combined) };
    clip(steps, ClipStep::Combine { clip: counts.map(|[clip, _]| clip) })
}

pub(crate) fn separate(counts: [u32; 2]) -> Step {
    let steps = ClipSteps { counts: Some(counts), ..form(ClipForm::Separate) };
    clip(steps, ClipStep::Separate { clip: counts[0] })
}

pub(crate) fn enabled(enabled: Value<u32>, keep_original_at: Option<u32>) -> Step {
    let steps = ClipSteps { mask: Some((enabled, keep_original_at)), ..form(ClipForm::Kept) };
    clip(steps, ClipStep::Mask { enabled, keep_original_at })
}

pub(crate) fn planes(planes: UserPlanes) -> Step {
    clip(ClipSteps { planes: Some(planes), ..form(ClipForm::Kept) }, ClipStep::UserPlanes(planes))
}

pub(crate) fn emulated(location: u32, native: Option<DistanceKind>) -> Step {
    emulated_at((location, location), native, None)
}

/// Emulates distances, with inputs at the first location and outputs at the second.
pub(crate) fn emulated_at(
    (inputs, location): (u32, u32),
    native: Option<DistanceKind>,
    counts: Option<[u32; 2]>,
) -> Step {
    let native_clip = native == Some(DistanceKind::Clip);
    let emulated = if native_clip { Emulated::Cull } else { Emulated::All };
    let signature = signature(counts);
    let emulate = ClipStep::Emulate { emulated, location, inputs: Some(inputs), signature };
    clip(form(ClipForm::Emulated { location, native_clip }), emulate)
}

/// Emulates these numbers of distances in the fragment stage.
pub(crate) fn discarded(location: u32, native: Option<DistanceKind>, counts: [u32; 2]) -> Step {
    let step = emulated_at((location, location), native, Some(counts));
    step.with_steps(|steps| ClipSteps { counts: Some(counts), ..steps })
}

/// Clips in the geometry stage, which reads registers at `location` if it is given.
pub(crate) fn cut(location: Option<u32>) -> Step {
    let mut options = GeometryClip::default();
    options.read_at = location;
    let steps =
        form(ClipForm::ClippedInGeometry { location, native_clip: false, keeps_distances: false });
    clip(steps, ClipStep::ClipInGeometry(options))
}

/// Passes registers to a generated geometry stage that clips.
pub(crate) fn handed_to_geometry(at: u32) -> Step {
    let steps = form(ClipForm::ClippedInGeometry {
        location: Some(at),
        native_clip: false,
        keeps_distances: false,
    });
    clip(steps, generate(GeometryClip::default(), Primitive::Triangles, at))
}

/// A stage, and the drivers that support it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage {
    model: ExecutionModel,
    drivers: &'static [Driver],
    /// The number of drawn pixels must exceed this limit; `None` if no picture is drawn.
    pixels: Option<u64>,
}

const LAVAPIPE: &[Driver] = &[Driver::Lavapipe];
pub(crate) const VERTEX: Stage =
    Stage { model: ExecutionModel::VERTEX, drivers: &DRIVERS, pixels: Some(20) };
/// The stage for which nothing is compared.
pub(crate) const MESH: Stage =
    Stage { model: ExecutionModel::MESH_EXT, drivers: &DRIVERS, pixels: None };
pub(crate) const FRAGMENT: Stage =
    Stage { model: ExecutionModel::FRAGMENT, drivers: &DRIVERS, pixels: Some(1000) };
pub(crate) const GEOMETRY: Stage =
    Stage { model: ExecutionModel::GEOMETRY, drivers: LAVAPIPE, pixels: Some(1000) };
pub(crate) const EVALUATION: Stage =
    Stage { model: ExecutionModel::TESSELLATION_EVALUATION, drivers: LAVAPIPE, pixels: Some(500) };
pub(crate) const CONTROL: Stage =
    Stage { model: ExecutionModel::TESSELLATION_CONTROL, drivers: LAVAPIPE, pixels: None };

impl Stage {
    #[track_caller]
    pub(crate) fn verify(self, driver: Driver, words: &[u32], step: &Step) -> Verdict {
        self.verify_by(&*driver.unwatched(), words, step)
    }

    /// Verifies the step on any runner.
    #[track_caller]
    pub(crate) fn verify_by(self, runner: &dyn Runner, words: &[u32], step: &Step) -> Verdict {
        let (module, target) = (parsed(words), Target::new("main").stage(self.model));
        let lower = |m: &Module<'_>| (step.done)(m, &target);
        let lowering = Lowering::Clip(Distances { lower: &lower, steps: &step.steps });
        let job = subject::job(&module, self.model, lowering);
        subject::judge_by(runner, &Job { vertices: 30, runs: 3, ..job })
    }

    /// Checks that the step is equal on one of the stage's drivers (on all with `POLYSHADE_WHOLE`); returns the
    /// counts.
    #[track_caller]
    pub(crate) fn compared(self, words: &[u32], step: &Step) -> Vec<Equal> {
        let each = subject::sampled(self.drivers, words).map(|driver| {
            let equal = subject::equal(driver, self.verify(driver, words, step));
            assert_eq!(equal.runs, 3, "{driver:?}: {equal:?}");
            equal
        });
        each.collect()
    }

    /// Checks that outputs are equal; returns the counts on the last driver.
    #[track_caller]
    pub(crate) fn is_equal(self, words: &[u32], step: &Step) -> Equal {
        let compared = self.compared(words, step);
        for equal in &compared {
            assert!(equal.words > 0, "{self:?}: {equal:?}");
            if self.pixels.is_none() {
                // At least three vertices of eight patches in three runs, each vertex with a position and
                // tessellation levels.
                assert!(equal.words >= 72 * 10 && equal.words.is_multiple_of(72), "{equal:?}");
                assert_eq!(equal.pixels, 0, "{equal:?}");
            }
        }
        compared.into_iter().next_back().expect("a driver has it")
    }

    /// Checks that outputs are equal and, if the stage is drawn, that pictures are equal and not empty.
    #[track_caller]
    pub(crate) fn is_drawn(self, words: &[u32], step: &Step) {
        let equal = self.is_equal(words, step);
        assert!(self.pixels.is_none_or(|least| equal.pixels > least), "{self:?}: {equal:?}");
    }

    /// Returns the difference on one of its drivers.
    #[track_caller]
    pub(crate) fn difference(self, words: &[u32], step: &Step) -> Difference {
        let find = |driver| subject::difference(driver, self.verify(driver, words, step));
        let key = |one: &Difference| (one.message.clone(), one.varying.clone());
        let found = subject::agreed(self.drivers, words, find, key);
        assert_eq!(found.part, Part::Lowered, "{found}");
        found
    }

    /// Checks that the step is not comparable, for this reason, on one of its drivers.
    #[track_caller]
    pub(crate) fn is_not_comparable(self, words: &[u32], step: &Step, reason: &str) {
        for driver in subject::sampled(self.drivers, words) {
            let why = subject::reason(driver, self.verify(driver, words, step));
            assert!(why.contains(reason), "{driver:?}: {why}");
        }
    }
}
