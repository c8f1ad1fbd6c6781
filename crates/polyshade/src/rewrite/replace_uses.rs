//! Replaces the uses of a variable. This is for variables that other invocations can see, which cannot be copied.

use crate::code::{self, refuse_at};
use polyshade_spv::{Error, Id, Module, Op, Patch, is_known};

/// Replaces all uses of the module-scope variable `from` in functions with `to`, a variable of the same type. Access
/// chains, copies and calls that used `from` then use `to`.
///
/// Names, decorations and interfaces do not change.
///
/// # Errors
///
/// `Unsupported`: an unknown instruction may use the variable.
pub fn replace_uses<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    from: Id,
    to: Id,
) -> Result<(), Error> {
    let in_function = |at| m.function_around(at).is_some();
    let users = || m.uses_of(from).filter(|inst| in_function(inst.at()));
    if let Some(inst) = users().find(|inst| !is_known(inst.op())) {
        return refuse_at(
            &code::SPIRV_UNKNOWN_INSTRUCTION,
            "cannot replace the uses of a variable: an unknown instruction uses it",
            from,
            inst,
        );
    }

    for inst in users() {
        if inst.op() == Op::EXT_INST {
            p.replace_extended(inst, from, to);
        } else {
            p.replace(inst, from, to);
        }
    }
    Ok(())
}
