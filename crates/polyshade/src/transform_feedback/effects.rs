//! The shader's own stores and atomics, which a stage that runs in two passes would execute twice.

use crate::code;
use crate::effects::{Written, changes_memory, noun, target};
use crate::host::SideEffects;
use foldhash::{HashSet, HashSetExt};
use polyshade_spv::view::{EntryPoint, FunctionCall};
use polyshade_spv::{Decoration, Error, Id, Inst, Module, Patch};

/// The pass of a variant, for a draw with two passes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    Capture,
    Raster,
}

/// The stores and atomics of an entry point with visible effects, and its functions, in one version of the module.
/// Several variants use them.
#[derive(Debug)]
pub(super) struct Effects {
    functions: Vec<Id>,
    /// The positions of the instructions.
    instructions: Vec<u32>,
}

impl Effects {
    /// Finds the instructions in one walk through the functions that `entry` reaches.
    pub(super) fn find(m: &Module<'_>, entry: EntryPoint<'_>) -> Self {
        // The entry point itself needs no entry in `seen`: no function may call it.
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

    /// Forbids contraction of the entry point's arithmetic, as drivers do if an output is `Invariant`.
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

    /// Removes the side effects from the variant for `pass`, unless `kept` keeps them there.
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

    /// Refuses reads of memory that the shader writes: in the pass without the writes, they would return old values.
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

/// Removes an instruction, whose result must be unused: an atomic's value, or the first result of `modf` or `frexp`.
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
