//! The frame around every lowering: which entry point, what is shared with others, what errors are about.

use super::builtin::called;
use super::{Origins, Stages, isolate, specialize};
use crate::code;
use crate::host::{Lowered, Requirements, Target};
use polyshade_spv::view::{EntryPoint, Note};
use polyshade_spv::{
    BuiltIn, Error, ExecutionModel, Id, Module, Patch, Progress, Rewritten, Section,
};
use std::borrow::Cow;

/// What a lowering is, as far as its frame has to know.
#[derive(Clone, Copy, Debug)]
pub struct Lowering {
    /// The name of its module.
    pub name: &'static str,
    /// The stages that it takes.
    pub stages: Stages,
    /// The built-in output that it [changes](super::change_output()).
    pub changes: Option<BuiltIn>,
}

/// A lowering of one entry point of one module, as it goes through the versions of it.
///
/// Versions between the first and the last are nobody's but ours: what errors say of them is said of the module that
/// was given.
#[derive(Debug)]
pub struct Frame<'m> {
    given: &'m Module<'m>,
    target: Target,
    model: ExecutionModel,
    /// The version in which the entry point shares nothing with others.
    isolated: Module<'m>,
    origins: Origins,
    /// Whether constants got values, for good.
    is_specialized: bool,
}

impl<'m> Frame<'m> {
    /// Finds the entry point of `target` and isolates it.
    ///
    /// # Errors
    ///
    /// `NotFound`: the entry point. `Options`: it is not said which of several. `Unsupported`: another stage than
    /// those of the lowering; a shared function with an instruction that is not known.
    pub fn new(given: &'m Module<'_>, target: &Target, stages: &Stages) -> Result<Self, Error> {
        let model = stages.entry_point(given, target)?.model();
        let Rewritten { module: isolated, value: origins, .. } =
            isolate(given, target.entry_name(), model)?;
        let target = target.clone();
        Ok(Self { given, target, model, isolated, origins, is_specialized: false })
    }

    /// [`new`](Self::new), of the module in which [`specialize()`] gave `constants` values.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new) and of [`specialize()`].
    pub fn specialized(
        given: &'m Module<'_>,
        target: &Target,
        stages: &Stages,
        constants: &[(u32, u64)],
    ) -> Result<Self, Error> {
        if constants.is_empty() {
            return Self::new(given, target, stages);
        }
        let model = stages.entry_point(given, target)?.model();
        let specialized = specialize(given, constants)?;
        if !specialized.is_changed() {
            return Self::new(given, target, stages);
        }
        let own = isolate(&specialized.module, target.entry_name(), model)?;
        let (isolated, origins) = (own.module.into_owned(), own.value);
        let target = target.clone();
        Ok(Self { given, target, model, isolated, origins, is_specialized: true })
    }

    /// Which entry point is lowered, and for what device.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The module that was given.
    pub fn given(&self) -> &'m Module<'m> {
        self.given
    }

    /// The stage.
    pub fn model(&self) -> ExecutionModel {
        self.model
    }

    /// The version to begin with: the entry point shares nothing in it.
    pub fn isolated(&self) -> &Module<'m> {
        &self.isolated
    }

    /// The entry point in `version`.
    pub fn entry<'v>(&self, version: &'v Module<'_>) -> Result<EntryPoint<'v>, Error> {
        version.entry_point(self.target.entry_name(), self.model)
    }

    /// Makes the next version of `version`, which is one of this lowering's.
    ///
    /// # Errors
    ///
    /// Those of `edit`, about the module that was given, and those of [`Module::rewrite`].
    pub fn rewrite<'v, 'x, T>(
        &self,
        version: &'v Module<'x>,
        edit: impl for<'e> FnOnce(
            &'e Module<'x>,
            &mut Patch<'e, 'x>,
            EntryPoint<'e>,
        ) -> Result<T, Error>,
    ) -> Result<Rewritten<'v, T>, Error> {
        let rewritten = version.rewrite(|m, p| self.edit(m, p, edit));
        rewritten.map_err(|error| self.about_given(version, error))
    }

    /// Queues what [`rewrite`](Self::rewrite) would, and writes no words.
    ///
    /// # Errors
    ///
    /// Those of [`rewrite`](Self::rewrite), but for edits that contradict each other.
    pub fn rehearse<'x, T>(
        &self,
        version: &Module<'x>,
        edit: impl for<'e> FnOnce(
            &'e Module<'x>,
            &mut Patch<'e, 'x>,
            EntryPoint<'e>,
        ) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let value = version.rehearse(|m, p| self.edit(m, p, edit));
        value.map_err(|error| self.about_given(version, error))
    }

    fn edit<'e, 'x, T>(
        &self,
        m: &'e Module<'x>,
        p: &mut Patch<'e, 'x>,
        edit: impl FnOnce(&'e Module<'x>, &mut Patch<'e, 'x>, EntryPoint<'e>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        p.set_names(self.target.has_names());
        p.set_first_id(self.target.reservations().first_id());
        edit(m, p, self.entry(m)?)
    }

    /// What was found in `version`, about which errors are said of the module that was given.
    ///
    /// # Errors
    ///
    /// The error in `found`.
    pub fn found<T>(&self, version: &Module<'_>, found: Result<T, Error>) -> Result<T, Error> {
        found.map_err(|error| self.about_given(version, error))
    }

    /// The last version, or the module that was given where nothing but isolation was done.
    pub fn finish<T>(&self, last: Rewritten<'_, T>) -> (Module<'m>, Progress, T) {
        let Rewritten { module, progress, value } = last;
        match progress {
            Progress::Changed => (module.into_owned(), progress, value),
            Progress::Unchanged if self.is_specialized => {
                (self.isolated.clone(), Progress::Changed, value)
            }
            Progress::Unchanged => (self.given.borrowed(), progress, value),
        }
    }

    /// What came of the last version without host parameters.
    pub fn made<T>(
        &self,
        last: Module<'_>,
        requirements: Requirements,
        result: T,
    ) -> Lowered<'m, T> {
        let (progress, words) = (Progress::Changed, Vec::new());
        self.lowered(Lowered { module: last, progress, params: words, requirements, result })
    }

    /// What was made of the last version, or the module that was given where the words are the same.
    pub fn lowered<T>(&self, made: Lowered<'_, T>) -> Lowered<'m, T> {
        let Lowered { module, params, requirements, result, .. } = made;
        let (module, progress) = match module.words() == self.given.words() {
            true => (self.given.borrowed(), Progress::Unchanged),
            false => (module.into_owned(), Progress::Changed),
        };
        Lowered { module, progress, params, requirements, result }
    }

    /// The error with the place that `version` has it at, as a place of the module that was given; without one where
    /// that has none.
    fn about_given(&self, version: &Module<'_>, error: Error) -> Error {
        let given = self.given;
        let id = error.id().and_then(|id| self.origin(id));
        let at = error.word_offset().and_then(|at| self.origin_of_word(version, at));
        let error = error.without_place();
        let error = match id {
            Some(id) => error.about(id),
            None => error,
        };
        match at.filter(|at| (*at as usize) < given.words().len()) {
            Some(at) => error.at(at),
            None => error,
        }
    }

    /// The id in the module that was given.
    fn origin(&self, id: Id) -> Option<Id> {
        let id = self.origins.of(id);
        self.given.defined_at(id).map(|_| id)
    }

    /// The word in the module that was given at which the instruction begins that stands at `at` in `version`: one with
    /// a result is known by that, others by the last one before them in their function that has one.
    fn origin_of_word(&self, version: &Module<'_>, at: u32) -> Option<u32> {
        let given = self.given;
        let start = match version.function_around(at) {
            Some(function) => function.at(),
            None => version.preamble().next()?.at(),
        };
        let mut known = None;
        let mut behind = Vec::new();
        for inst in version.instructions_from(start).take_while(|inst| inst.at() <= at) {
            let origin = inst.result().and_then(|id| given.definition(self.origin(id)?));
            match origin.filter(|origin| origin.op() == inst.op()) {
                Some(origin) => {
                    known = Some(origin);
                    behind.clear();
                }
                None => behind.push(inst.op()),
            }
        }
        let known = known?;
        let mut there = given.instructions_from(known.at());
        let mut found = there.next()?;
        for op in behind {
            found = there.next().filter(|inst| inst.op() == op)?;
        }
        Some(found.at())
    }
}

/// Makes the next version of `module` for the entry point of `target`: finds it among the stages of `lowering`,
/// isolates it, sets names and first id, and lets `edit` queue edits. Where it queues none, the module stays as it is.
/// The value of `edit` is the result; a lowering with host parameters adds them with
/// [`with_params`](Lowered::with_params).
///
/// # Errors
///
/// Those of [`Frame::new`] and of `edit`, about `module`.
pub fn lower<'m, T>(
    module: &'m Module<'_>,
    target: &Target,
    lowering: &Lowering,
    edit: impl for<'e, 'x> FnOnce(
        &'e Module<'x>,
        &mut Patch<'e, 'x>,
        EntryPoint<'e>,
    ) -> Result<T, Error>,
) -> Result<Lowered<'m, T>, Error> {
    let frame = Frame::new(module, target, &lowering.stages)?;
    let next = frame.rewrite(frame.isolated(), edit)?;
    let (module, progress, result) = frame.finish(next);
    let (words, requirements) = (Vec::new(), Requirements::default());
    Ok(Lowered { module, progress, params: words, requirements, result })
}

impl Lowering {
    /// What is noted in a module of which this has been done to `entry`.
    fn note(&self, entry: EntryPoint<'_>) -> String {
        let done = match self.changes {
            Some(builtin) => done_to(builtin, entry),
            None => format!("{} {}", entry.model(), entry.name()),
        };
        // In one allocation, however long the name is.
        [NOTE, self.name, " ", &done].concat()
    }

    /// An error where it is noted that this has been done to `entry`.
    ///
    /// # Errors
    ///
    /// That one: `Unsupported`.
    pub fn check_not_done(&self, m: &Module<'_>, entry: EntryPoint<'_>) -> Result<(), Error> {
        let wanted = self.note(entry);
        if notes(m).any(|note| note == wanted) {
            let message = format!("{} has been done already", self.name);
            return Err(
                Error::new(&code::LOWERING_ALREADY_APPLIED, message).about(entry.function())
            );
        }
        Ok(())
    }

    /// Notes that this has been done to `entry`.
    pub fn stamp(&self, p: &mut Patch<'_, '_>, entry: EntryPoint<'_>) {
        p.note(&self.note(entry));
    }
}

/// What every note of ours begins with.
const NOTE: &str = "polyshade ";

/// What is noted, behind the name of the lowering, where a built-in output of `entry` was changed.
fn done_to(builtin: BuiltIn, entry: EntryPoint<'_>) -> String {
    format!("{builtin} {} {}", entry.model(), entry.name())
}

/// An error where it is noted that the built-in output of `entry` is not what the shader wrote any more.
pub(crate) fn check_unchanged(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    builtin: BuiltIn,
) -> Result<(), Error> {
    let changed = notes(m).find_map(|note| {
        let (lowering, done) = note.strip_prefix(NOTE)?.split_once(' ')?;
        (done == done_to(builtin, entry)).then(|| lowering.to_owned())
    });
    let Some(lowering) = changed else { return Ok(()) };
    let what = called(builtin);
    let message = format!("{what} is to be captured, and {lowering} has changed it already");
    Err(Error::new(&code::CAPTURE_OUTPUT_ALREADY_LOWERED, message)
        .about(entry.function())
        .help("capture first"))
}

fn notes<'m>(m: &'m Module<'_>) -> impl Iterator<Item = Cow<'m, str>> {
    let sections = [Section::Processed, Section::Sources];
    let instructions = sections.into_iter().flat_map(|section| m.section(section));
    instructions.filter_map(Note::of).map(|note| note.text())
}
