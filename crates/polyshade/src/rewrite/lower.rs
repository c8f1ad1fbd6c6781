//! The frame of every lowering: it finds and isolates the entry point, and maps errors to the original module.

use super::builtin::called;
use super::{Origins, Stages, isolate, specialize};
use crate::code::{self, refuse};
use crate::host::{Lowered, Requirements, Target};
use polyshade_spv::view::{EntryPoint, Note};
use polyshade_spv::{
    BuiltIn, Error, ExecutionModel, Id, Module, Patch, Progress, Rewritten, Section,
};
use std::borrow::Cow;

/// The properties of a lowering that [`Frame`] needs.
#[derive(Clone, Copy, Debug)]
pub struct Lowering {
    /// The name of the Rust module of the lowering.
    pub name: &'static str,
    /// The stages that the lowering supports.
    pub stages: Stages,
    /// The built-in output that it [changes](super::change_output()), if any.
    pub changes: Option<BuiltIn>,
}

/// Lowers one entry point, possibly through several versions of its module.
///
/// The caller never sees the intermediate versions, so errors in them are reported for the original module.
#[derive(Debug)]
pub struct Frame<'m> {
    given: &'m Module<'m>,
    target: Target,
    model: ExecutionModel,
    /// The version in which the entry point shares no function or variable with other entry points.
    isolated: Module<'m>,
    origins: Origins,
    /// Whether the isolated version already differs from the original because specialization constants were replaced.
    is_specialized: bool,
}

impl<'m> Frame<'m> {
    /// Finds the entry point of `target` and isolates it.
    ///
    /// # Errors
    ///
    /// `NotFound`: the entry point does not exist. `Options`: several stages have an entry point of this name.
    /// `Unsupported`: the lowering does not support the stage, or a shared function has an unknown instruction.
    pub fn new(given: &'m Module<'_>, target: &Target, stages: &Stages) -> Result<Self, Error> {
        let model = stages.entry_point(given, target)?.model();
        let Rewritten { module: isolated, value: origins, .. } =
            isolate(given, target.entry_name(), model)?;
        let target = target.clone();
        Ok(Self { given, target, model, isolated, origins, is_specialized: false })
    }

    /// Does the same as [`new`](Self::new), but first replaces the specialization constants `constants` with
    /// [`specialize()`].
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new) and of [`specialize()`].
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

    /// Returns the target: the entry point that is lowered, and the device.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Returns the original module.
    pub fn given(&self) -> &'m Module<'m> {
        self.given
    }

    /// Returns the stage of the entry point.
    pub fn model(&self) -> ExecutionModel {
        self.model
    }

    /// Returns the first version, in which the entry point shares nothing with other entry points.
    pub fn isolated(&self) -> &Module<'m> {
        &self.isolated
    }

    /// Returns the entry point in `version`.
    pub fn entry<'v>(&self, version: &'v Module<'_>) -> Result<EntryPoint<'v>, Error> {
        version.entry_point(self.target.entry_name(), self.model)
    }

    /// Applies `edit` to `version`, which is a version of this lowering, and returns the next version.
    ///
    /// # Errors
    ///
    /// The errors of `edit`, mapped to the original module, and the errors of [`Module::rewrite`].
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

    /// Runs the edits of [`rewrite`](Self::rewrite) without writing a module.
    ///
    /// # Errors
    ///
    /// The errors of [`rewrite`](Self::rewrite), except the error for edits that contradict each other.
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

    /// Maps an error in `found`, which refers to `version`, to the original module.
    ///
    /// # Errors
    ///
    /// The error in `found`, if any.
    pub fn found<T>(&self, version: &Module<'_>, found: Result<T, Error>) -> Result<T, Error> {
        found.map_err(|error| self.about_given(version, error))
    }

    /// Returns the last version, or the original module if isolation was the only change.
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

    /// Returns the result of a lowering without host parameters, given its last version.
    pub fn made<T>(
        &self,
        last: Module<'_>,
        requirements: Requirements,
        result: T,
    ) -> Lowered<'m, T> {
        let (progress, words) = (Progress::Changed, Vec::new());
        self.lowered(Lowered { module: last, progress, params: words, requirements, result })
    }

    /// Converts `made` to a result for the original module. If the SPIR-V words did not change, the result borrows
    /// that module.
    pub fn lowered<T>(&self, made: Lowered<'_, T>) -> Lowered<'m, T> {
        let Lowered { module, params, requirements, result, .. } = made;
        let (module, progress) = match module.words() == self.given.words() {
            true => (self.given.borrowed(), Progress::Unchanged),
            false => (module.into_owned(), Progress::Changed),
        };
        Lowered { module, progress, params, requirements, result }
    }

    /// Maps the id and offset of an error in `version` to the original module. Drops an id or offset that has no
    /// counterpart there.
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

    /// Returns the id of the original module that `id` was copied from.
    fn origin(&self, id: Id) -> Option<Id> {
        let id = self.origins.of(id);
        self.given.defined_at(id).map(|_| id)
    }

    /// Maps word offset `at` in `version` to the offset of the same instruction in the original module. An
    /// instruction with a result is identified by its id. Any other instruction is identified by its distance from
    /// the last instruction with a result before it.
    fn origin_of_word(&self, version: &Module<'_>, at: u32) -> Option<u32> {
        let given = self.given;
        let start = match version.function_around(at) {
            Some(function) => function.at(),
            None => version.preamble().next()?.at(),
        };
        // Find the last instruction that exists in both modules, and the opcodes of the instructions after it.
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
        // The original must have the same opcodes after that instruction.
        let known = known?;
        let mut there = given.instructions_from(known.at());
        let mut found = there.next()?;
        for op in behind {
            found = there.next().filter(|inst| inst.op() == op)?;
        }
        Some(found.at())
    }
}

/// Lowers the entry point of `target` in `module`: finds it among the stages of `lowering`, isolates it, applies the
/// target's settings for names and ids, and calls `edit` to queue the edits. Without any edit the module does not
/// change. The value of `edit` is the result; a lowering with host parameters adds them with
/// [`with_params`](Lowered::with_params).
///
/// # Errors
///
/// The errors of [`Frame::new`] and of `edit`, mapped to `module`.
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
    /// Returns the note that records that this lowering was applied to `entry`.
    fn note(&self, entry: EntryPoint<'_>) -> String {
        let done = match self.changes {
            Some(builtin) => done_to(builtin, entry),
            None => format!("{} {}", entry.model(), entry.name()),
        };
        // `concat` allocates only once, however long the name is.
        [NOTE, self.name, " ", &done].concat()
    }

    /// Fails if a note records that this lowering was already applied to `entry`.
    ///
    /// # Errors
    ///
    /// `Unsupported`: the lowering was already applied.
    pub fn check_not_done(&self, m: &Module<'_>, entry: EntryPoint<'_>) -> Result<(), Error> {
        let wanted = self.note(entry);
        if notes(m).any(|note| note == wanted) {
            let message = format!("{} was already applied", self.name);
            return refuse(&code::LOWERING_ALREADY_APPLIED, message, entry.function());
        }
        Ok(())
    }

    /// Adds a note that this lowering was applied to `entry`.
    pub fn stamp(&self, p: &mut Patch<'_, '_>, entry: EntryPoint<'_>) {
        p.note(&self.note(entry));
    }
}

/// The prefix of all notes that polyshade adds.
const NOTE: &str = "polyshade ";

/// Returns the part of a note that follows the lowering's name, for a changed built-in output of `entry`.
fn done_to(builtin: BuiltIn, entry: EntryPoint<'_>) -> String {
    format!("{builtin} {} {}", entry.model(), entry.name())
}

/// Fails if a note records that a lowering already changed the built-in output of `entry`.
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
    let message = format!("cannot capture {what}: {lowering} has already changed it");
    Err(Error::new(&code::CAPTURE_OUTPUT_ALREADY_LOWERED, message)
        .about(entry.function())
        .help("capture first"))
}

fn notes<'m>(m: &'m Module<'_>) -> impl Iterator<Item = Cow<'m, str>> {
    let sections = [Section::Processed, Section::Sources];
    let instructions = sections.into_iter().flat_map(|section| m.section(section));
    instructions.filter_map(Note::of).map(|note| note.text())
}
