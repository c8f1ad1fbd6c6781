//! Stores and atomics of the shader's own: a stage that runs in two passes would do them twice.

use crate::code;
use crate::effects::{Written, changes_memory, noun, target};
use crate::host::SideEffects;
use foldhash::{HashSet, HashSetExt};
use polyshade_spv::view::{EntryPoint, FunctionCall};
use polyshade_spv::{Decoration, Error, Id, Inst, Module, Patch};

/// The variants of a draw that has two passes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    Capture,
    Raster,
}

/// The stores and atomics of an entry point that others can see, and the functions it has: of one version, of which
/// several variants are made.
#[derive(Debug)]
pub(super) struct Effects {
    functions: Vec<Id>,
    /// Where the instructions begin.
    instructions: Vec<u32>,
}

impl Effects {
    /// Finds them in one walk through the functions that `entry` reaches.
    pub(super) fn find(m: &Module<'_>, entry: EntryPoint<'_>) -> Self {
        // Nothing calls the entry point itself.
        let mut seen = HashSet::new();
        let mut open = vec![entry.function()];
        let mut effects = Self { functions: Vec::new(), instructions: Vec::new() };
        while let Some(function) = open.pop().and_then(|id| m.function(id)) {
            effects.functions.push(function.id());
            for inst in function.instructions() {
                if let Some(call) = FunctionCall::of(inst) {
                    if m.function(call.function()).is_some() && seen.insert(call.function()) {
                        open.push(call.function());
                    }
                } else if changes_memory(m, inst) {
                    effects.instructions.push(inst.at());
                }
            }
        }
        effects
    }

    /// Keeps the arithmetic of the entry point as it is written, as drivers do where an output is `Invariant`.
    pub(super) fn forbid_contraction<'m>(&self, m: &'m Module<'_>, p: &mut Patch<'m, '_>) {
        let functions = self.functions.iter().filter_map(|id| m.function(*id));
        for inst in functions.flat_map(|function| function.instructions()) {
            if let Some(id) = inst.result().filter(|_| inst.op().can_be_contracted())
                && m.decoration(id, Decoration::NO_CONTRACTION).is_none()
            {
                p.decorate(id, Decoration::NO_CONTRACTION, &[]);
            }
        }
    }

    /// Takes them out of the variant for `pass`, unless they are to stay there.
    pub(super) fn settle<'m>(
        &self,
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        kept: SideEffects,
        pass: Pass,
    ) -> Result<(), Error> {
        let mut instructions = self.instructions.iter().map(|at| m.inst_at(*at));
        let Some(first) = instructions.next() else { return Ok(()) };
        match (kept, pass) {
            (SideEffects::InFirstPass, Pass::Capture)
            | (SideEffects::InSecondPass, Pass::Raster) => {
                return Ok(());
            }
            (SideEffects::InFirstPass, Pass::Raster)
            | (SideEffects::InSecondPass, Pass::Capture) => {}
            (SideEffects::Refuse, _) => {
                let message = "the shader stores to memory itself, and would in both passes";
                let error = Error::new(&code::SIDE_EFFECTS_UNASSIGNED, message)
                    .about(target(first))
                    .at(first.at());
                return Err(error.help("say which pass keeps its side effects"));
            }
        }

        self.check_not_read_again(m)?;
        remove(m, p, first)?;
        instructions.try_for_each(|inst| remove(m, p, inst))
    }

    /// What is written and read again would be read as it was before in the pass that does not write.
    fn check_not_read_again(&self, m: &Module<'_>) -> Result<(), Error> {
        let mut written = Written::by(m, self.instructions.iter().map(|at| m.inst_at(*at)));
        let functions = self.functions.iter().filter_map(|id| m.function(*id));
        for inst in functions.flat_map(|function| function.instructions()) {
            if let Some(read) = written.read_by(m, inst) {
                let message =
                    "the shader reads what it writes, which only one of the two passes does";
                return Err(Error::new(&code::SIDE_EFFECTS_READ_BACK, message)
                    .about(m.root(read))
                    .at(inst.at()));
            }
        }
        Ok(())
    }
}

/// Takes one out. The value that an atomic returns, or the first of two results, is not to be had without it.
fn remove<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, inst: Inst<'m>) -> Result<(), Error> {
    let Some(result) = inst.result() else {
        p.remove(inst);
        return Ok(());
    };
    if let Some(user) = m.code_uses_of(result).next() {
        let message =
            format!("the result of {} is used, and only one of the two passes has it", noun(inst));
        return Err(Error::new(&code::SIDE_EFFECTS_RESULT_USED, message)
            .about(result)
            .at(user.at()));
    }
    p.remove_definition(result);
    Ok(())
}
