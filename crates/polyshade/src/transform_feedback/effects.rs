//! Assigns the shader's own stores and atomics to one pass. Otherwise a draw with two passes would execute them twice.

use crate::code::{self, refuse_at};
use crate::effects::{Written, changes_memory, noun, target};
use crate::host::SideEffects;
use foldhash::{HashSet, HashSetExt};
use polyshade_spv::view::{EntryPoint, FunctionCall};
use polyshade_spv::{Decoration, Error, Id, Inst, Module, Patch};

/// The pass in which a variant runs, for a draw with two passes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    Capture,
    Raster,
}

/// The stores and atomics with visible effects that an entry point reaches, and the reached functions, in one version
/// of the module. Several variants share this result.
#[derive(Debug)]
pub(super) struct Effects {
    functions: Vec<Id>,
    /// The positions of the stores and atomics in the module.
    instructions: Vec<u32>,
}

impl Effects {
    /// Finds the stores and atomics in the functions that `entry` reaches.
    pub(super) fn find(m: &Module<'_>, entry: EntryPoint<'_>) -> Self {
        // The entry point needs no entry in `seen`, because no function may call it.
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

    /// Decorates all arithmetic that the entry point reaches with `NoContraction`. Drivers also disable contraction if
    /// an output is `Invariant`.
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

    /// Removes the side effects from the variant for `pass`, unless `kept` assigns them to this pass.
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
                let message =
                    "the shader has its own stores to memory, and both passes would execute them";
                let error = Error::new(&code::SIDE_EFFECTS_UNASSIGNED, message)
                    .about(target(first))
                    .at(first.at());
                return Err(error.help("state which pass keeps the side effects"));
            }
        }

        self.check_not_read_again(m)?;
        remove(m, p, first)?;
        instructions.try_for_each(|inst| remove(m, p, inst))
    }

    /// Refuses reads of memory that the shader writes. In the pass without the writes, the reads would return old
    /// values.
    fn check_not_read_again(&self, m: &Module<'_>) -> Result<(), Error> {
        let mut written = Written::by(m, self.instructions.iter().map(|at| m.inst_at(*at)));
        let functions = self.functions.iter().filter_map(|id| m.function(*id));
        for inst in functions.flat_map(|function| function.instructions()) {
            if let Some(read) = written.read_by(m, inst) {
                let message = "the shader reads memory that it writes, but only one of the two passes writes it";
                return refuse_at(&code::SIDE_EFFECTS_READ_BACK, message, m.root(read), inst);
            }
        }
        Ok(())
    }
}

/// Removes an instruction. Its result, such as the value of an atomic or the returned part of `modf` or `frexp`, must
/// be unused.
fn remove<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, inst: Inst<'m>) -> Result<(), Error> {
    let Some(result) = inst.result() else {
        p.remove(inst);
        return Ok(());
    };
    if let Some(user) = m.code_uses_of(result).next() {
        let message =
            format!("the result of {} is used, but only one of the two passes has it", noun(inst));
        return refuse_at(&code::SIDE_EFFECTS_RESULT_USED, message, result, user);
    }
    p.remove_definition(result);
    Ok(())
}
