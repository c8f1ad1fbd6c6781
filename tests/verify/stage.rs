//! What the tests of clip and cull distances by stage share: the stages, with the drivers that have them, and steps,
//! each with what `verify` is told of it and what polyshade does.

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

/// What a step makes of a module.
type Lowered = Result<Module<'static>, Error>;

/// Takes a step with a module.
type Done = Box<dyn Fn(&Module<'_>, &Target) -> Lowered>;

/// A step that is told and done.
pub(crate) struct Step {
    told: ClipSteps,
    done: Done,
}

fn step(told: ClipSteps, done: impl Fn(&Module<'_>, &Target) -> Lowered + 'static) -> Step {
    Step { told, done: Box::new(done) }
}

/// Takes one step with the shader.
fn taken(m: &Module<'_>, target: &Target, step: ClipStep) -> Lowered {
    Ok(clip_cull::lower(m, target, &[step].into())?.module.into_owned())
}

/// A step that is told and taken.
fn clip(told: ClipSteps, taken_step: ClipStep) -> Step {
    step(told, move |m, target| taken(m, target, taken_step.clone()))
}

fn form(form: ClipForm) -> ClipSteps {
    ClipSteps { form, ..ClipSteps::default() }
}

impl Step {
    /// The same, told otherwise.
    pub(crate) fn told(self, tell: impl FnOnce(ClipSteps) -> ClipSteps) -> Step {
        Step { told: tell(self.told), ..self }
    }

    /// Then planes are switched off, too.
    pub(crate) fn and_enabled(self, enabled: Value<u32>) -> Step {
        let first = self.done;
        let mask = ClipStep::Mask { enabled, keep_original_at: None };
        step(ClipSteps { mask: Some((enabled, None)), ..self.told }, move |m, target| {
            taken(&first(m, target)?, target, mask.clone())
        })
    }

    /// The same is told, and something else is done.
    pub(crate) fn but_done(self, other: Step) -> Step {
        Step { done: other.done, ..self }
    }

    /// The same is told, and done with another shader.
    pub(crate) fn but_from(self, other: Vec<u32>) -> Step {
        let done = self.done;
        Step { done: Box::new(move |_, target| done(&parsed(&other), target)), ..self }
    }

    /// The same is told, and another shader comes of it.
    pub(crate) fn but_made(self, other: Vec<u32>) -> Step {
        Step { done: Box::new(move |_, _| Ok(parsed(&other).into_owned())), ..self }
    }
}

/// The shader stays as it is.
pub(crate) fn kept() -> Step {
    step(form(ClipForm::Kept), |m, _| Ok(m.borrowed().into_owned()))
}

/// Marks, numbered as those of the stage on the other side are, where that is linked.
pub(crate) fn marked(marked: &[&str], linked: &[&str]) -> DistanceSemantics {
    DistanceSemantics {
        semantics: marks(marked),
        linked: (!linked.is_empty()).then(|| marks(linked)),
    }
}

/// The marked registers become arrays.
pub(crate) fn normalized(inputs: DistanceSemantics, outputs: DistanceSemantics) -> Step {
    let told =
        ClipSteps { inputs: inputs.clone(), outputs: outputs.clone(), ..ClipSteps::default() };
    let mut options = Normalize::default();
    (options.inputs, options.linked_inputs) = (inputs.semantics, inputs.linked);
    (options.outputs, options.linked_outputs) = (outputs.semantics, outputs.linked);
    clip(told, ClipStep::Normalize(options))
}

/// The same marks on both sides.
pub(crate) fn to_arrays(marks: &[&str]) -> Step {
    normalized(marked(marks, &[]), marked(marks, &[]))
}

fn signature(counts: Option<[u32; 2]>) -> Option<DistanceCounts> {
    counts.map(|[clip, cull]| DistanceCounts { clip, cull })
}

/// Registers from this location on, on both sides.
pub(crate) fn to_registers(location: u32, counts: Option<[u32; 2]>) -> Step {
    let told = ClipSteps { counts, ..form(ClipForm::Registers { location }) };
    let signature = signature(counts);
    let registers = Registers { inputs: location, outputs: location, signature };
    clip(told, ClipStep::ToRegisters(registers))
}

pub(crate) fn combined(counts: Option<[u32; 2]>) -> Step {
    let told = ClipSteps { counts, ..form(ClipForm::Combined) };
    clip(told, ClipStep::Combine { clip: counts.map(|[clip, _]| clip) })
}

pub(crate) fn separate(counts: [u32; 2]) -> Step {
    let told = ClipSteps { counts: Some(counts), ..form(ClipForm::Separate) };
    clip(told, ClipStep::Separate { clip: counts[0] })
}

pub(crate) fn enabled(enabled: Value<u32>, keep_original_at: Option<u32>) -> Step {
    let told = ClipSteps { mask: Some((enabled, keep_original_at)), ..form(ClipForm::Kept) };
    clip(told, ClipStep::Mask { enabled, keep_original_at })
}

pub(crate) fn planes(planes: UserPlanes) -> Step {
    clip(ClipSteps { planes: Some(planes), ..form(ClipForm::Kept) }, ClipStep::UserPlanes(planes))
}

pub(crate) fn emulated(location: u32, native: Option<DistanceKind>) -> Step {
    emulated_at((location, location), native, None)
}

/// Emulated, where the inputs are read at the first location, and the outputs written at the second.
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

/// The same in the fragment stage, of so many distances.
pub(crate) fn discarded(location: u32, native: Option<DistanceKind>, counts: [u32; 2]) -> Step {
    let step = emulated_at((location, location), native, Some(counts));
    step.told(|told| ClipSteps { counts: Some(counts), ..told })
}

/// Cut by the stage, and what it reads in registers, if they have a location.
pub(crate) fn cut(location: Option<u32>) -> Step {
    let mut options = GeometryClip::default();
    options.read_at = location;
    let told =
        form(ClipForm::ClippedInGeometry { location, native_clip: false, keeps_distances: false });
    clip(told, ClipStep::ClipInGeometry(options))
}

/// Written to a geometry stage that polyshade generates, in registers.
pub(crate) fn handed_to_geometry(at: u32) -> Step {
    let told = form(ClipForm::ClippedInGeometry {
        location: Some(at),
        native_clip: false,
        keeps_distances: false,
    });
    clip(told, generate(GeometryClip::default(), Primitive::Triangles, at))
}

/// A stage, and the drivers that have it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage {
    model: ExecutionModel,
    drivers: &'static [Driver],
    /// More pixels than this are drawn; nothing where no picture is made.
    pixels: Option<u64>,
}

const LAVAPIPE: &[Driver] = &[Driver::Lavapipe];
pub(crate) const VERTEX: Stage =
    Stage { model: ExecutionModel::VERTEX, drivers: &DRIVERS, pixels: Some(20) };
/// Of which nothing is compared.
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

    /// The same by whatever runs it.
    #[track_caller]
    pub(crate) fn verify_by(self, runner: &dyn Runner, words: &[u32], step: &Step) -> Verdict {
        let (module, target) = (parsed(words), Target::new("main").stage(self.model));
        let lower = |m: &Module<'_>| (step.done)(m, &target);
        let lowering = Lowering::Clip(Distances { lower: &lower, steps: &step.told });
        let job = subject::job(&module, self.model, lowering);
        subject::judge_by(runner, &Job { vertices: 30, runs: 3, ..job })
    }

    /// Verifies the step on one of the stage's drivers, where it must be equal, and returns how much was compared. With
    /// `POLYSHADE_WHOLE`, on each of them.
    #[track_caller]
    pub(crate) fn compared(self, words: &[u32], step: &Step) -> Vec<Equal> {
        let each = subject::sampled(self.drivers, words).map(|driver| {
            let equal = subject::equal(driver, self.verify(driver, words, step));
            assert_eq!(equal.runs, 3, "{driver:?}: {equal:?}");
            equal
        });
        each.collect()
    }

    /// Equal in outputs; returns what was compared on the last driver.
    #[track_caller]
    pub(crate) fn is_equal(self, words: &[u32], step: &Step) -> Equal {
        let compared = self.compared(words, step);
        for equal in &compared {
            assert!(equal.words > 0, "{self:?}: {equal:?}");
            if self.pixels.is_none() {
                // Three vertices of eight patches, three times, each with a position and levels at the least.
                assert!(equal.words >= 72 * 10 && equal.words.is_multiple_of(72), "{equal:?}");
                assert_eq!(equal.pixels, 0, "{equal:?}");
            }
        }
        compared.into_iter().next_back().expect("a driver has it")
    }

    /// Equal in outputs, and in pictures that are not empty where the stage is drawn.
    #[track_caller]
    pub(crate) fn is_drawn(self, words: &[u32], step: &Step) {
        let equal = self.is_equal(words, step);
        assert!(self.pixels.is_none_or(|least| equal.pixels > least), "{self:?}: {equal:?}");
    }

    /// The difference on one of its drivers.
    #[track_caller]
    pub(crate) fn difference(self, words: &[u32], step: &Step) -> Difference {
        let find = |driver| subject::difference(driver, self.verify(driver, words, step));
        let key = |one: &Difference| (one.message.clone(), one.varying.clone());
        let found = subject::agreed(self.drivers, words, find, key);
        assert_eq!(found.part, Part::Lowered, "{found}");
        found
    }

    /// Why it cannot be compared, on one of its drivers.
    #[track_caller]
    pub(crate) fn is_not_comparable(self, words: &[u32], step: &Step, reason: &str) {
        for driver in subject::sampled(self.drivers, words) {
            let why = subject::reason(driver, self.verify(driver, words, step));
            assert!(why.contains(reason), "{driver:?}: {why}");
        }
    }
}
