//! Whether the depth, stencil and occlusion tests of a fragment stage can be made before it or behind it.

use crate::effects::changes_memory;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Error, Id, Inst, Module, Op, StorageClass};

/// Refuses a fragment stage of which something differs when its tests are made early: the tests see, or what they let
/// through decides, what the shader does of its own.
pub(crate) fn check_movable(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<(), Error> {
    let outputs = crate::moves::interface(m, entry, StorageClass::OUTPUT);
    let seen = |id: &Id| {
        m.builtin(*id).is_some_and(|builtin| {
            [BuiltIn::FRAG_DEPTH, BuiltIn::FRAG_STENCIL_REF_EXT, BuiltIn::SAMPLE_MASK]
                .contains(&builtin)
        })
    };
    if let Some(output) = outputs.into_iter().find(seen) {
        let message = "the shader writes the depth, the stencil value or the sample mask, which only late tests see";
        return Err(Error::unsupported(message, output));
    }
    let functions = m.reachable(entry.function());
    let bodies = functions.iter().filter_map(|id| m.function(*id));
    let differs = |inst: &Inst<'_>| discards(inst.op()) || changes_memory(m, *inst);
    match bodies.flat_map(|body| body.instructions()).find(differs) {
        Some(inst) => {
            let message = match discards(inst.op()) {
                true => "the shader discards fragments, which early tests have counted already",
                false => {
                    "the shader stores to memory itself, of fragments too that fail late tests"
                }
            };
            Err(Error::unsupported(message, entry.function()).at(inst.at()))
        }
        None => Ok(()),
    }
}

fn discards(op: Op) -> bool {
    matches!(op, Op::KILL | Op::TERMINATE_INVOCATION | Op::DEMOTE_TO_HELPER_INVOCATION)
}
