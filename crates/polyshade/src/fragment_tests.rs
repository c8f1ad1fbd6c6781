//! Checks whether a fragment stage gives the same results with early or late depth, stencil and occlusion tests, and
//! whether it gives the same results if it runs per sample.

use crate::code::{self, refuse, refuse_at};
use crate::effects::changes_memory;
use crate::rewrite::interface;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Code, Decoration, Error, Id, Inst, Module, Op, StorageClass};

/// Refuses a fragment stage if its results depend on whether its tests are early or late. Such a stage discards
/// fragments, stores to memory, or writes an output that the tests read.
pub(crate) fn check_movable(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<(), Error> {
    let outputs = interface(m, entry, StorageClass::OUTPUT);
    let seen = |id: &Id| {
        m.builtin(*id).is_some_and(|builtin| {
            [BuiltIn::FRAG_DEPTH, BuiltIn::FRAG_STENCIL_REF_EXT, BuiltIn::SAMPLE_MASK]
                .contains(&builtin)
        })
    };
    if let Some(output) = outputs.into_iter().find(seen) {
        let message = "the shader writes the depth, the stencil value or the sample mask, which only late fragment \
            tests read";
        return refuse(&code::FRAGMENT_EARLY_TESTS, message, output);
    }
    refuse_first(m, entry, &code::FRAGMENT_EARLY_TESTS, |inst| {
        match discards(inst.op()) {
        true => Some("the shader discards fragments that early fragment tests have already counted"),
        false => changes_memory(m, inst)
            .then_some("the shader has its own stores to memory, which fragments that fail late fragment tests \
                execute too"),
    }
    })
}

/// Refuses a fragment stage if its results change when it runs per sample. Such a stage reads values about the whole
/// fragment, or stores to memory. Changes of `FragCoord` and of interpolated values are accepted.
pub(crate) fn check_per_sample(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<(), Error> {
    if runs_per_sample(m, entry) {
        return Ok(());
    }
    for input in interface(m, entry, StorageClass::INPUT) {
        let message = match m.builtin(input) {
            Some(BuiltIn::SAMPLE_MASK) => {
                "cannot run the shader for each sample: the sample mask that it reads would have one bit"
            }
            Some(BuiltIn::FRAG_INVOCATION_COUNT_EXT) => {
                "cannot run the shader for each sample: it reads the number of invocations for the fragment"
            }
            _ => continue,
        };
        if m.code_uses_of(input).next().is_some() {
            return refuse(&code::FRAGMENT_PER_SAMPLE, message, input);
        }
    }
    refuse_first(m, entry, &code::FRAGMENT_PER_SAMPLE, |inst| {
        changes_memory(m, inst)
            .then_some("cannot run the shader for each sample: it has its own stores to memory")
    })
}

/// Whether the stage runs per sample in every pipeline, because it has a per-sample input.
pub(crate) fn runs_per_sample(m: &Module<'_>, entry: EntryPoint<'_>) -> bool {
    interface(m, entry, StorageClass::INPUT).into_iter().any(|input| {
        let ty = m.pointee(input).map(|ty| m.innermost_element(ty));
        m.builtin(input).is_some_and(|builtin| {
            [BuiltIn::SAMPLE_ID, BuiltIn::SAMPLE_POSITION].contains(&builtin)
        }) || [Some(input), ty]
            .into_iter()
            .flatten()
            .any(|id| m.decorations_of(id).any(|applied| applied.decoration == Decoration::SAMPLE))
            && m.code_uses_of(input).next().is_some()
    })
}

/// Refuses the first instruction for which `why` returns a message.
fn refuse_first(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    code: &'static Code,
    why: impl Fn(Inst<'_>) -> Option<&'static str>,
) -> Result<(), Error> {
    let functions = m.reachable(entry.function());
    let bodies = functions.iter().filter_map(|id| m.function(*id));
    match bodies.flat_map(|body| body.instructions()).find_map(|inst| Some((inst, why(inst)?))) {
        Some((inst, message)) => refuse_at(code, message, entry.function(), inst),
        None => Ok(()),
    }
}

fn discards(op: Op) -> bool {
    matches!(op, Op::KILL | Op::TERMINATE_INVOCATION | Op::DEMOTE_TO_HELPER_INVOCATION)
}
