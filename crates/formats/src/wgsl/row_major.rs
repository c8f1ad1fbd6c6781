//! Detects row-major matrices that naga mistranslates. naga transposes a matrix only if the matrix, or a part of it,
//! is loaded through a pointer to a member of a uniform block.

use polyshade_spv::{Decoration, Id, Inst, Module, Op, Section, StorageClass, Type, view};
use std::collections::BTreeSet;

/// Returns why naga would exchange rows and columns of matrices in a module; `None` if it would not.
pub(super) fn exchanged(module: &Module<'_>) -> Option<&'static str> {
    let is_row_major = |inst: Inst<'_>| {
        // The decoration applies to a member, or to a group that may contain members.
        let at = match inst.op() {
            Op::MEMBER_DECORATE => 3,
            Op::DECORATE => 2,
            _ => return false,
        };
        inst.words().get(at) == Some(&Decoration::ROW_MAJOR.0)
    };
    if !module.section(Section::Annotations).any(is_row_major) {
        return None;
    }
    let holds = |ty| !matches!(module.ty(ty), Some(Type::Matrix { .. })) && has_matrix(module, ty);
    let mut pointers = module.section(Section::Globals).filter_map(view::TypePointer::of);
    if pointers.any(|one| one.storage_class() != StorageClass::UNIFORM && holds(one.pointee())) {
        return Some("naga exchanges rows and columns of matrices outside uniform blocks");
    }
    let mut code = module.functions().flat_map(|function| function.instructions());
    let loads_more =
        |inst: Inst<'_>| inst.op() == Op::LOAD && inst.result_type().is_some_and(holds);
    let message = "naga exchanges rows and columns of matrices that are loaded with others";
    code.any(loads_more).then_some(message)
}

/// Whether a type is or contains a matrix. An invalid module may have a structure that contains itself.
fn has_matrix(module: &Module<'_>, ty: Id) -> bool {
    let (mut seen, mut next) = (BTreeSet::new(), vec![ty]);
    while let Some(ty) = next.pop() {
        let ty = module.innermost_element(ty);
        if !seen.insert(ty) {
            continue;
        }
        match module.ty(ty) {
            Some(Type::Matrix { .. }) => return true,
            Some(Type::Struct { id }) => next.extend(module.members(id)),
            _ => {}
        }
    }
    false
}
