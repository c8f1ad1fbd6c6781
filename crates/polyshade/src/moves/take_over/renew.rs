//! The new interface variable, and the code that copies to or from it.

use super::{is_of_interface, pointee};
use crate::unsupported;
use polyshade_spv::view::Variable;
use polyshade_spv::{Cursor, Error, Id, Module, Op, Patch, Position, StorageClass, Type};

/// A variable as `old` was: storage class, decorations, name, and where its type is a decorated structure, a copy of
/// that with all decorations and names.
pub(super) fn renew<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, old: Variable<'m>) -> Id {
    let ty = renewed_type(m, p, pointee(m, old));
    let new = p.variable(old.storage_class(), ty, None);
    for applied in m.decorations_of(old.result()) {
        p.decorate(new, applied.decoration, applied.operands);
    }
    if let Some(name) = m.name(old.result()) {
        p.name(new, &format!("{name}_interface"));
    }
    new
}

fn renewed_type<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, ty: Id) -> Id {
    // Arrays around the structure, outermost first.
    let mut arrays = Vec::new();
    let mut structure = ty;
    while let Some(Type::Array { element, length }) = m.ty(structure) {
        arrays.push(length);
        structure = element;
    }
    if !m.decorations_of(structure).any(|applied| is_of_interface(applied.decoration)) {
        return ty;
    }

    let members: Vec<Id> = m.members(structure).collect();
    let copy = p.structure(&members);
    for applied in m.decorations_of(structure) {
        p.decorate_maybe_member(copy, applied.member, applied.decoration, applied.operands);
    }
    if let Some(name) = m.name(structure) {
        p.name(copy, &name);
    }
    for member in 0..members.len() as u32 {
        if let Some(name) = m.member_name(structure, member) {
            p.member_name(copy, member, &name);
        }
    }
    arrays
        .iter()
        .rev()
        .fold(copy, |element, length| p.declare(Op::TYPE_ARRAY, &[element.word(), length.word()]))
}

/// Copies between the `Private` variable that `old` becomes and `new`: from `new` for an input, else to it. Where the
/// structure is a copy, member by member, as its type is another.
pub(super) fn copy_members<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    at: Position,
    old: Variable<'m>,
    new: Id,
) -> Result<(), Error> {
    let class = old.storage_class();
    let ty = pointee(m, old);
    let mut paths = Vec::new();
    if !leaves(m, ty, &mut Vec::new(), &mut paths) {
        let message = "an array of blocks is copied, and its length is known to the host only";
        return Err(unsupported(message, old.result()).at(old.inst().at()));
    }
    let mut code = p.at(at);
    for (path, leaf) in paths {
        let indices: Vec<Id> = path.iter().map(|index| code.p.uint_constant(*index)).collect();
        let private = chain(&mut code, StorageClass::PRIVATE, leaf, old.result(), &indices);
        let interface = chain(&mut code, class, leaf, new, &indices);
        let (from, to) =
            if class == StorageClass::INPUT { (interface, private) } else { (private, interface) };
        let value = code.load(leaf, from);
        code.store(to, value);
    }
    Ok(())
}

fn chain(
    code: &mut Cursor<'_, '_, '_>,
    class: StorageClass,
    ty: Id,
    base: Id,
    indices: &[Id],
) -> Id {
    let pointer = code.p.pointer(class, ty);
    code.access_chain(pointer, base, indices)
}

/// The largest parts of `ty` that have the same type in the structure and in its copy, with the indices that lead to
/// them: all of it, unless it is a decorated structure or an array of such. `false` where the length of an array is not
/// known.
fn leaves(m: &Module<'_>, ty: Id, path: &mut Vec<u32>, into: &mut Vec<(Vec<u32>, Id)>) -> bool {
    let structure = m.innermost_element(ty);
    let copied = m.decorations_of(structure).any(|applied| is_of_interface(applied.decoration));
    match m.ty(ty) {
        Some(Type::Struct { .. }) if copied => {
            for (member, member_type) in m.members(ty).enumerate() {
                into.push(([path.as_slice(), &[member as u32]].concat(), member_type));
            }
            true
        }
        // As deep as blocks can be arrays of arrays: the nesting of declarations of arrays in one type.
        Some(Type::Array { element, length }) if copied => {
            let Some(length) = m.constant(length).filter(|length| *length <= MOST_BLOCKS) else {
                return false;
            };
            (0..length).all(|index| {
                path.push(index);
                let known = leaves(m, element, path, into);
                path.pop();
                known
            })
        }
        _ => {
            into.push((path.clone(), ty));
            true
        }
    }
}

/// The most elements of an array of blocks that are copied one by one.
const MOST_BLOCKS: u32 = 4096;
