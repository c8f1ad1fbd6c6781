//! Queries about types and operands that need only the module.

use super::index::At;
use super::records::MOST_MEMBERS;
use polyshade_spv::view::{AccessChain, CopyMemory, ExtInst, Load, Store, Variable};
use polyshade_spv::{GlslOp, Id, Inst, Module, Op, Type};

/// The maximum depth of nested arrays around a block that is examined: SPIR-V's limit for structures (2.17).
const DEEPEST: u32 = 255;
/// The maximum number of types inside a parameter's type that are examined.
const MOST_TYPES: u32 = 64;

/// Returns the number of nested arrays around the block in `variable`.
pub(super) fn depth_of_block(m: &Module<'_>, variable: Variable<'_>) -> u32 {
    let mut ty = m.pointer(variable.pointer_type()).map(|(_, pointee)| pointee);
    for depth in 0..DEEPEST {
        match ty.and_then(|ty| m.ty(ty)) {
            Some(Type::Array { element, .. }) => ty = Some(element),
            _ => return depth,
        }
    }
    DEEPEST
}

/// Returns the indices of an access chain that lead into the pointee of its base.
pub(super) fn indices_of<'m>(chain: AccessChain<'m>) -> impl Iterator<Item = Id> + use<'m> {
    chain.indices().skip(usize::from(element_of(chain).is_some()))
}

/// Returns the `Element` operand of a pointer access chain.
pub(super) fn element_of(chain: AccessChain<'_>) -> Option<Id> {
    let has_element =
        matches!(chain.inst().op(), Op::PTR_ACCESS_CHAIN | Op::IN_BOUNDS_PTR_ACCESS_CHAIN);
    chain.indices().next().filter(|_| has_element)
}

/// Returns the definition of `ty`, if it is a structure.
pub(super) fn structure_at(m: &Module<'_>, ty: Id) -> Option<At> {
    m.definition(ty).filter(|inst| inst.op() == Op::TYPE_STRUCT).map(At::of)
}

/// Whether values of this type consist only of numbers and booleans, so that an unused value can be undefined.
pub(super) fn is_data(m: &Module<'_>, ty: Id) -> bool {
    let mut open = vec![ty];
    for _ in 0..MOST_TYPES {
        let Some(ty) = open.pop() else { return true };
        match m.ty(ty) {
            Some(Type::Bool | Type::Int { .. } | Type::Float { .. }) => {}
            Some(Type::Vector { .. } | Type::Matrix { .. }) => {}
            Some(Type::Array { element, .. }) => open.push(element),
            Some(Type::Struct { id }) if m.members(id).len() <= MOST_MEMBERS as usize => {
                open.extend(m.members(id));
            }
            _ => return false,
        }
    }
    open.is_empty()
}

/// Returns the type at index `number` in `ty`: the type of a member, element, column or component.
pub(super) fn step(m: &Module<'_>, ty: Id, number: u32) -> Option<Id> {
    match m.ty(ty)? {
        Type::Vector { component, .. } => Some(component),
        Type::Matrix { column, .. } => Some(column),
        Type::Array { element, .. } => Some(element),
        Type::Struct { id } => m.members(id).nth(number as usize),
        Type::Other(Op::TYPE_RUNTIME_ARRAY) => Id::new(m.definition(ty)?.words()[2]),
        _ => None,
    }
}

/// Returns the pointer that an instruction other than a call writes through.
pub(super) fn written_by(inst: Inst<'_>) -> Option<Id> {
    if let Some(store) = Store::of(inst) {
        return Some(store.pointer());
    }
    if let Some(copy) = CopyMemory::of(inst) {
        return Some(copy.target());
    }
    let call = ExtInst::of(inst)?;
    Id::new(*call.operands().get(1)?)
}

/// Returns the pointer that an instruction reads through.
pub(super) fn read_by(inst: Inst<'_>) -> Option<Id> {
    Load::of(inst)
        .map(|load| load.pointer())
        .or_else(|| CopyMemory::of(inst).map(|copy| copy.source()))
}

/// Whether `call` is `Modf` or `Frexp` of `GLSL.std.450`, which store a second result through a pointer.
pub(super) fn stores(call: ExtInst<'_>) -> bool {
    [GlslOp::MODF, GlslOp::FREXP].contains(&GlslOp(call.number()))
}
