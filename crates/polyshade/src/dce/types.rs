//! Questions about types and operands that are answered from the module alone.

use super::index::At;
use super::records::MOST_MEMBERS;
use polyshade_spv::view::{AccessChain, CopyMemory, ExtInst, Load, Store, Variable};
use polyshade_spv::{GlslOp, Id, Inst, Module, Op, Type};

/// The most arrays around a block that are looked through: SPIR-V's limit for structures (2.17).
const DEEPEST: u32 = 255;
/// The most types inside of a parameter's type that are looked at.
const MOST_TYPES: u32 = 64;

/// How many arrays there are around the structure that `variable` holds.
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

/// The indices of a chain that lead into what its base points to.
pub(super) fn indices_of<'m>(chain: AccessChain<'m>) -> impl Iterator<Item = Id> + use<'m> {
    chain.indices().skip(usize::from(element_of(chain).is_some()))
}

/// The element of a chain that begins beside what its base points to.
pub(super) fn element_of(chain: AccessChain<'_>) -> Option<Id> {
    let has_element =
        matches!(chain.inst().op(), Op::PTR_ACCESS_CHAIN | Op::IN_BOUNDS_PTR_ACCESS_CHAIN);
    chain.indices().next().filter(|_| has_element)
}

/// Where `ty` is defined, if it is a structure.
pub(super) fn structure_at(m: &Module<'_>, ty: Id) -> Option<At> {
    m.definition(ty).filter(|inst| inst.op() == Op::TYPE_STRUCT).map(At::of)
}

/// Whether a value of this type is made of bits alone, so that an undefined one does where nothing looks at it.
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

/// What lies at `number` in the type `ty`: a member, an element, a column, a component.
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

/// The pointer through which an instruction of its own writes.
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

/// The pointer through which an instruction reads.
pub(super) fn read_by(inst: Inst<'_>) -> Option<Id> {
    Load::of(inst)
        .map(|load| load.pointer())
        .or_else(|| CopyMemory::of(inst).map(|copy| copy.source()))
}

/// `Modf` and `Frexp` of `GLSL.std.450`.
pub(super) fn stores(call: ExtInst<'_>) -> bool {
    [GlslOp::MODF, GlslOp::FREXP].contains(&GlslOp(call.number()))
}
