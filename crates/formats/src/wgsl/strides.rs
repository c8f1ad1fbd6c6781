//! Wraps array elements in structures if a buffer's array has a larger stride than in WGSL, as in uniform blocks with
//! `std140`. Each scalar or vector becomes a structure with the size of the stride.

use polyshade_spv::{Decoration, Error, Id, Inst, Module, Op, Patch, Section, Type};
use std::collections::BTreeMap;

/// Returns the module with these structures.
pub(super) fn widen(module: &Module<'_>) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        let mut wide = Wide { module, arrays: BTreeMap::new() };
        for array in module.section(Section::Globals) {
            wide.array(p, array);
        }
        if wide.arrays.is_empty() {
            return Ok(());
        }
        for inst in module.functions().flat_map(|one| one.instructions()) {
            // Add the index of the member after each index of a wrapped array.
            reindex(module, p, inst, |p, array, index, literal| {
                let member = if literal { 0 } else { p.uint_constant(0).word() };
                wide.arrays.contains_key(&array).then_some([index, member])
            });
            wide.make(p, inst);
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

struct Wide<'m, 'w> {
    module: &'m Module<'w>,
    /// The array types with new element structures, mapped to the structures.
    arrays: BTreeMap<Id, Id>,
}

impl<'m, 'w> Wide<'m, 'w> {
    fn array(&mut self, p: &mut Patch<'m, 'w>, inst: Inst<'m>) {
        let is_array = matches!(inst.op(), Op::TYPE_ARRAY | Op::TYPE_RUNTIME_ARRAY);
        let Some(array) = inst.result().filter(|_| is_array) else { return };
        let Some(&[stride]) = self.module.decoration(array, Decoration::ARRAY_STRIDE) else {
            return;
        };
        let Some(element) = Id::new(inst.words()[2]) else { return };
        let is_wide = self.least(element).is_some_and(|least| stride > least && stride % 4 == 0);
        if !is_wide {
            return;
        }
        let uint = p.declare_before(Op::TYPE_INT, &[32, 0], inst.at());
        let structure = p.id();
        let words = [structure.word(), element.word(), uint.word()];
        p.insert(inst.before(), Op::TYPE_STRUCT, &words);
        p.decorate_member(structure, 0, Decoration::OFFSET, &[0]);
        p.decorate_member(structure, 1, Decoration::OFFSET, &[stride - 4]);
        p.overwrite(inst.operand(2), structure.word());
        self.arrays.insert(array, structure);
    }

    /// Returns WGSL's stride for an array of scalars or vectors.
    fn least(&self, element: Id) -> Option<u32> {
        let scalar = |ty| match self.module.ty(ty)? {
            Type::Int { width, .. } | Type::Float { width, .. } => Some(width / 8),
            _ => None,
        };
        match self.module.ty(element)? {
            Type::Vector { component, count } => {
                scalar(component)?.checked_mul(count.checked_next_power_of_two()?)
            }
            _ => scalar(element),
        }
    }

    /// Wraps the constituents of a wrapped array.
    fn make(&self, p: &mut Patch<'m, 'w>, inst: Inst<'m>) {
        let structure = inst.result_type().and_then(|array| self.arrays.get(&array)).copied();
        let Some(structure) = structure.filter(|_| inst.op() == Op::COMPOSITE_CONSTRUCT) else {
            return;
        };
        let hole = p.uint_constant(0);
        for (number, element) in (3..).zip(&inst.words()[3..]) {
            let Some(element) = Id::new(*element) else { continue };
            let whole = p.at(inst.before()).construct(structure, &[element, hole]);
            p.overwrite(inst.operand(number), whole.word());
        }
    }
}

/// Replaces array indices in an access chain or composite extract by the indices that `new` returns, if any. `new`
/// gets the array type, the index, and whether the index is a literal.
pub(super) fn reindex<'m>(
    module: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    inst: Inst<'m>,
    mut new: impl FnMut(&mut Patch<'m, '_>, Id, u32, bool) -> Option<[u32; 2]>,
) {
    let (first, literal) = match inst.op() {
        Op::ACCESS_CHAIN | Op::IN_BOUNDS_ACCESS_CHAIN => (4, false),
        Op::COMPOSITE_EXTRACT => (4, true),
        _ => return,
    };
    let Some(base) = Id::new(inst.words()[3]) else { return };
    let mut ty = if literal { module.type_of(base) } else { module.pointee(base) };
    let mut words = inst.words()[1..first].to_vec();
    for &index in &inst.words()[first..] {
        match ty.and_then(|ty| new(p, ty, index, literal)) {
            Some(both) => words.extend(both),
            None => words.push(index),
        }
        let constant = || module.constant(Id::new(index)?);
        let member = if literal { Some(index) } else { constant() };
        ty = ty.and_then(|ty| part(module, ty, member));
    }
    if words.len() > inst.words().len() - 1 {
        p.remove(inst);
        p.insert(inst.before(), inst.op(), &words);
    }
}

/// Returns the type of a part of a composite, which is the given member or any element.
fn part(module: &Module<'_>, ty: Id, member: Option<u32>) -> Option<Id> {
    let inst = module.definition(ty)?;
    let word = match inst.op() {
        Op::TYPE_STRUCT => 2 + member? as usize,
        Op::TYPE_ARRAY | Op::TYPE_RUNTIME_ARRAY | Op::TYPE_VECTOR | Op::TYPE_MATRIX => 2,
        _ => return None,
    };
    Id::new(*inst.words().get(word)?)
}
