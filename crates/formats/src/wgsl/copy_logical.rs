//! Replaces `OpCopyLogical`, which naga does not support, by extracting and reconstructing the parts.

use crate::code;
use polyshade_spv::{Cursor, Error, Id, Module, Op, Type};

/// The maximum number of parts of a copy.
const MOST_PARTS: u32 = 1 << 12;

/// The maximum nesting of types that are followed. An invalid module may have a type that contains itself.
const DEEPEST: u32 = 255;

/// Returns the module without `OpCopyLogical`.
///
/// # Errors
///
/// A copy with too many parts, or of a type that is not a composite.
pub(super) fn expand(module: &Module<'_>) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        let code = module.functions().flat_map(|function| function.instructions());
        for inst in code.filter(|inst| inst.op() == Op::COPY_LOGICAL) {
            let operand = Id::new(inst.words()[3]);
            let types = inst.result_type().zip(operand.and_then(|id| module.type_of(id)));
            let Some(((to, from), operand)) = types.zip(operand) else { continue };
            let mut parts = 0;
            count(module, [to, from], DEEPEST, &mut parts).ok_or_else(|| {
                Error::new(&code::FORMAT_NOT_EXPRESSIBLE, "OpCopyLogical copies too many parts")
            })?;
            let copy = copied(module, &mut p.at(inst.before()), operand, [to, from]);
            let words = [to.word(), inst.words()[2], copy.word()];
            p.insert(inst.before(), Op::COPY_OBJECT, &words);
            p.remove(inst);
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

/// Returns the types of the parts of two logically matching types; `None` if they are equal or not composites.
fn parts(module: &Module<'_>, [to, from]: [Id; 2]) -> Option<Vec<[Id; 2]>> {
    match (module.ty(to)?, module.ty(from)?) {
        _ if to == from => None,
        (Type::Struct { .. }, Type::Struct { .. }) => Some(
            module.members(to).zip(module.members(from)).map(|(to, from)| [to, from]).collect(),
        ),
        (Type::Array { element: to, length }, Type::Array { element: from, .. }) => {
            let length = module.constant(length).filter(|length| *length <= MOST_PARTS)?;
            Some(vec![[to, from]; length as usize])
        }
        _ => None,
    }
}

/// Counts the parts of a copy; `None` if there are too many, or the types do not match.
fn count(module: &Module<'_>, types: [Id; 2], depth: u32, so_far: &mut u32) -> Option<()> {
    *so_far += 1;
    if *so_far > MOST_PARTS || depth == 0 {
        return None;
    }
    match parts(module, types) {
        Some(parts) => {
            parts.into_iter().try_for_each(|types| count(module, types, depth - 1, so_far))
        }
        None => (types[0] == types[1]).then_some(()),
    }
}

/// Returns the value converted to the type `to`.
fn copied(
    module: &Module<'_>,
    code: &mut Cursor<'_, '_, '_>,
    value: Id,
    [to, from]: [Id; 2],
) -> Id {
    let Some(parts) = parts(module, [to, from]) else { return value };
    let parts = (0..).zip(parts).map(|(index, types)| {
        let part = code.extract(types[1], value, &[index]);
        copied(module, code, part, types)
    });
    let parts: Vec<Id> = parts.collect();
    code.construct(to, &parts)
}
