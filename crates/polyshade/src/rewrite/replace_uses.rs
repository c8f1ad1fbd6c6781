//! A variable that other invocations can see is not copied: what uses it uses another one instead.

use crate::code;
use polyshade_spv::{Error, Id, Module, Op, Patch, is_known};

/// Makes everything in the functions that uses the module-scope variable `from`, through access chains, copies and
/// calls as well, use `to` instead: a variable of the same type.
///
/// Names, decorations and interfaces stay as they are.
///
/// # Errors
///
/// `Unsupported` where an instruction that is not known may use the variable.
pub fn replace_uses<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    from: Id,
    to: Id,
) -> Result<(), Error> {
    let in_function = |at| m.function_around(at).is_some();
    let users = || m.uses_of(from).filter(|inst| in_function(inst.at()));
    if let Some(inst) = users().find(|inst| !is_known(inst.op())) {
        return Err(Error::new(
            &code::SPIRV_UNKNOWN_INSTRUCTION,
            "an instruction that is not known uses a variable that moves",
        )
        .about(from)
        .at(inst.at()));
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
