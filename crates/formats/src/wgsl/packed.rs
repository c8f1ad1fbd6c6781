//! Replaces arrays of 32-bit scalars with a stride of 4 bytes by arrays of four-component vectors. Uniform blocks of
//! WGSL cannot have such strides.

use super::strides::reindex;
use polyshade_spv::{
    Decoration, Error, Id, Inst, Module, Op, Patch, Section, StorageClass, Type, view,
};
use std::collections::BTreeSet;

/// Returns the module with vectors instead of these scalars in its uniform blocks.
pub(super) fn into_vectors(module: &Module<'_>) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        let arrays = arrays(module);
        for array in &arrays {
            widen(module, p, *array);
        }
        if arrays.is_empty() {
            return Ok(());
        }
        for inst in module.functions().flat_map(|one| one.instructions()) {
            reindex(module, p, inst, |p, array, index, literal| {
                match (arrays.contains(&array), literal) {
                    (false, _) => None,
                    (true, true) => Some([index / 4, index % 4]),
                    (true, false) => split(module, p, inst, Id::new(index)?),
                }
            });
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

/// Returns the array types in uniform blocks that become arrays of vectors.
fn arrays(module: &Module<'_>) -> BTreeSet<Id> {
    let uniform = |pointer: &view::TypePointer<'_>| {
        let pointee = pointer.pointee();
        let is_uniform = pointer.storage_class() == StorageClass::UNIFORM;
        is_uniform && module.decoration(pointee, Decoration::BUFFER_BLOCK).is_none()
    };
    let pointers = module.section(Section::Globals).filter_map(view::TypePointer::of);
    let mut left: Vec<Id> = pointers.filter(uniform).map(|pointer| pointer.pointee()).collect();
    let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
    while let Some(ty) = left.pop() {
        if !seen.insert(ty) {
            continue;
        }
        left.extend(module.members(ty));
        if let Some(Type::Array { element, length }) = module.ty(ty) {
            left.push(element);
            let is_scalar = matches!(
                module.ty(element),
                Some(Type::Int { width: 32, .. } | Type::Float { width: 32 })
            );
            let stride = module.decoration(ty, Decoration::ARRAY_STRIDE);
            let is_tight = is_scalar && stride == Some(&[4][..]);
            if is_tight && module.constant(length).is_some() && !is_made(module, ty) {
                found.insert(ty);
            }
        }
    }
    found
}

/// Whether an instruction constructs an array of this type.
fn is_made(module: &Module<'_>, array: Id) -> bool {
    const MAKES: [Op; 4] = [
        Op::CONSTANT_COMPOSITE,
        Op::SPEC_CONSTANT_COMPOSITE,
        Op::COMPOSITE_CONSTRUCT,
        Op::COMPOSITE_INSERT,
    ];
    module.uses_of(array).any(|user| MAKES.contains(&user.op()))
}

/// Changes the array type to an array of vectors.
fn widen<'m>(module: &'m Module<'_>, p: &mut Patch<'m, '_>, array: Id) {
    let (Some(inst), Some(Type::Array { element, length })) =
        (module.definition(array), module.ty(array))
    else {
        return;
    };
    let Some(count) = module.constant(length) else { return };
    let at = inst.at();
    let vector = p.declare_before(Op::TYPE_VECTOR, &[element.word(), 4], at);
    let uint = p.declare_before(Op::TYPE_INT, &[32, 0], at);
    let vectors = p.id();
    p.insert(inst.before(), Op::CONSTANT, &[uint.word(), vectors.word(), count.div_ceil(4)]);
    p.overwrite(inst.operand(2), vector.word());
    p.overwrite(inst.operand(3), vectors.word());
    p.undecorate(array, |_, decoration| decoration == Decoration::ARRAY_STRIDE);
    p.decorate(array, Decoration::ARRAY_STRIDE, &[16]);
}

/// Returns the indices of the vector and of the component for an element. Emits code before `inst` if the element's
/// index is not constant.
fn split<'m>(
    module: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    inst: Inst<'m>,
    index: Id,
) -> Option<[u32; 2]> {
    if let Some(index) = module.constant(index) {
        return Some([index / 4, index % 4].map(|number| p.uint_constant(number).word()));
    }
    let uint = p.uint();
    let (two, three) = (p.uint_constant(2), p.uint_constant(3));
    let mut code = p.at(inst.before());
    let index = match module.type_of(index).and_then(|ty| module.ty(ty))? {
        Type::Int { width: 32, signed: true } => code.bitcast(uint, index),
        _ => index,
    };
    let vector = code.binary(Op::SHIFT_RIGHT_LOGICAL, uint, index, two);
    let component = code.binary(Op::BITWISE_AND, uint, index, three);
    Some([vector.word(), component.word()])
}
