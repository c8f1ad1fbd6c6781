//! What the tests of clip and cull distances by stage share: the stages, with the drivers that have them, and steps,
//! each with what `verify` is told of it and what polyshade does.

use crate::subject::{self, DRIVERS, Driver, marks, parsed};
use polyshade::clip_cull::{
    self, Exact, Kind, Lacking, Linkage, Options, Planes, Primitive, Registers, Repair,
};
use polyshade::host::{self, Target, Value};
use polyshade::spv::ExecutionModel;
use polyshade::{Error, Module};
use polyshade_verify::{
    Difference, Distances, Equal, Form, Job, Lowering, Marked, Part, Steps, Verdict,
};
use polyshade_vulkan::Runner;

/// What a step makes of a module.
type Lowered = Result<Module<'static>, Error>;

/// Takes a step with a module.
type Done = Box<dyn Fn(&Module<'_>, &Target) -> Lowered>;

/// A step that is told and done.
pub(crate) struct Step {
    told: Steps,
    done: Done,
}

fn step(told: Steps, done: impl Fn(&Module<'_>, &Target) -> Lowered + 'static) -> Step {
    Step { told, done: Box::new(done) }
}

/// The shader that a lowering makes.
fn shader<T>(lowered: Result<host::Lowered<'_, T>, Error>) -> Lowered {
    Ok(lowered?.module.into_owned())
}

fn form(form: Form) -> Steps {
    Steps { form, ..Steps::default() }
}

impl Step {
    /// The same, told otherwise.
    pub(crate) fn told(self, tell: impl FnOnce(Steps) -> Steps) -> Step {
        Step { told: tell(self.told), ..self }
    }

    /// Then planes are switched off, too.
    pub(crate) fn and_enabled(self, enabled: Value<u32>) -> Step {
        let first = self.done;
        step(Steps { enable: Some((enabled, None)), ..self.told }, move |m, target| {
            shader(clip_cull::enable(&first(m, target)?, target, enabled, None))
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
    step(form(Form::Kept), |m, _| Ok(m.borrowed().into_owned()))
}

/// Marks, numbered as those of the stage on the other side are, where that is linked.
pub(crate) fn marked(marked: &[&str], linked: &[&str]) -> Marked {
    let linkage = || Linkage::new(marks(linked)).expect("it can be");
    Marked { marks: marks(marked), linked: (!linked.is_empty()).then(linkage) }
}

/// What is marked becomes arrays.
pub(crate) fn normalized(inputs: Marked, outputs: Marked) -> Step {
    let told = Steps { inputs: inputs.clone(), outputs: outputs.clone(), ..Steps::default() };
    step(told, move |m, target| {
        let mut options =
            Options::new().inputs(inputs.marks.clone()).outputs(outputs.marks.clone());
        if let Some(linked) = inputs.linked.clone() {
            options = options.linked_inputs(linked);
        }
        if let Some(linked) = outputs.linked.clone() {
            options = options.linked_outputs(linked);
        }
        shader(clip_cull::normalize(m, target, &options))
    })
}

/// The same marks on both sides.
pub(crate) fn to_arrays(marks: &[&str]) -> Step {
    normalized(marked(marks, &[]), marked(marks, &[]))
}

/// From this location on, on both sides.
fn registers(location: u32, linked: Option<[u32; 2]>) -> Registers {
    Registers { inputs: location, outputs: location, linked }
}

pub(crate) fn to_registers(location: u32, counts: Option<[u32; 2]>) -> Step {
    let told = Steps { counts, ..form(Form::Registers { location }) };
    step(told, move |m, target| {
        shader(clip_cull::to_registers(m, target, registers(location, counts)))
    })
}

pub(crate) fn combined(counts: Option<[u32; 2]>) -> Step {
    let told = Steps { counts, ..form(Form::Combined) };
    let clip = counts.map(|[clip, _]| clip);
    step(told, move |m, target| shader(clip_cull::combine(m, target, clip)))
}

pub(crate) fn separate(counts: [u32; 2]) -> Step {
    let told = Steps { counts: Some(counts), ..form(Form::Separate) };
    step(told, move |m, target| shader(clip_cull::separate(m, target, counts[0])))
}

pub(crate) fn enabled(enabled: Value<u32>, as_written: Option<u32>) -> Step {
    let told = Steps { enable: Some((enabled, as_written)), ..form(Form::Kept) };
    step(told, move |m, target| shader(clip_cull::enable(m, target, enabled, as_written)))
}

pub(crate) fn planes(planes: Planes) -> Step {
    let told = Steps { planes: Some(planes), ..form(Form::Kept) };
    step(told, move |m, target| shader(clip_cull::user_planes(m, target, planes)))
}

fn emulation(location: u32, native: Option<Kind>) -> (Lacking, Steps) {
    let native_clip = native == Some(Kind::Clip);
    let lacking = if native_clip { Lacking::Cull } else { Lacking::All };
    (lacking, form(Form::Emulated { location, native_clip }))
}

pub(crate) fn emulated(location: u32, native: Option<Kind>) -> Step {
    emulated_at(registers(location, None), native)
}

pub(crate) fn emulated_at(at: Registers, native: Option<Kind>) -> Step {
    let (lacking, told) = emulation(at.outputs, native);
    step(told, move |m, target| shader(clip_cull::emulate_last(m, target, lacking, at)))
}

/// The same in the fragment stage, of so many distances.
pub(crate) fn discarded(location: u32, native: Option<Kind>, counts: [u32; 2]) -> Step {
    let (lacking, told) = emulation(location, native);
    step(Steps { counts: Some(counts), ..told }, move |m, target| {
        Ok(clip_cull::emulate_fragment(m, target, lacking, location, counts)?.module.into_owned())
    })
}

pub(crate) fn repaired() -> Step {
    let told = Steps { repairs: true, ..form(Form::Kept) };
    let all = [Repair::Capability, Repair::Unused, Repair::Size];
    step(told, move |m, target| shader(clip_cull::repair(m, target, &all)))
}

/// Cut by the stage, and what it reads in registers, if they have a location.
pub(crate) fn cut(location: Option<u32>) -> Step {
    let told = form(Form::Exact { location, native_clip: false, hand_on: false });
    step(told, move |m, target| {
        let exact = location.into_iter().fold(Exact::new(), |exact, at| exact.read(at, None));
        shader(clip_cull::cut(m, target, &exact))
    })
}

/// Handed to a geometry stage that polyshade makes, in registers.
pub(crate) fn handed_to_geometry(at: u32) -> Step {
    let told = form(Form::Exact { location: Some(at), native_clip: false, hand_on: false });
    step(told, move |m, target| {
        let exact = Exact::new();
        let (last, _) = clip_cull::generate(m, target, Primitive::Triangles, at, &exact)?;
        Ok(last.module.into_owned())
    })
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
