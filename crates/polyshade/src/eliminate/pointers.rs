//! What pointers point to, and what may be written through them.

use super::parts::ANY;
use super::survey::{Note, Survey};
use crate::effects::changes_memory;
use polyshade_spv::view::{AccessChain, CopyMemory, ExtInst, FunctionCall, Load, Store};
use polyshade_spv::{Id, Inst, Module, Op, Type};

impl<'m> Survey<'m, '_> {
    /// Notes what variable a pointer points into; which part of it is resolved when it is known how each variable is
    /// indexed.
    pub(super) fn pointer(&mut self, inst: Inst<'m>) {
        let from = AccessChain::of(inst).map(|chain| chain.base());
        let from = from.or_else(|| Id::new(*inst.words().get(3)?));
        let Some(part) = from.and_then(|id| self.part(id)) else { return };
        self.set_note(inst.at(), Note::Part(part));
        self.pointers.push(inst.at());
        let constant = |id| self.m.constant(id).is_some();
        let constant = AccessChain::of(inst).is_none_or(|chain| chain.indices().all(constant));
        let root = self.parts.root_mut(part);
        root.indexed |= !constant;
        root.addressed = true;
    }

    pub(super) fn resolve_pointers(&mut self) {
        for at in std::mem::take(&mut self.pointers) {
            let inst = self.m.inst_at(at);
            let Some(chain) = AccessChain::of(inst) else {
                let from = Id::new(inst.words()[3]).and_then(|id| self.part(id));
                self.set_note(at, from.map_or(Note::None, Note::Part));
                continue;
            };
            let Some(base) = self.part(chain.base()) else { continue };
            let part = match inst.op() {
                Op::ACCESS_CHAIN | Op::IN_BOUNDS_ACCESS_CHAIN => self.follow(base, chain),
                // It may lead to any element beside.
                _ => self.parts.root(base).part,
            };
            self.set_note(at, Note::Part(part));
        }
    }

    fn follow(&mut self, mut part: u32, chain: AccessChain<'m>) -> u32 {
        let m = self.m;
        if !self.parts.root(part).indexed {
            for index in chain.indices() {
                part = self.parts.child(part, m.constant(index).unwrap_or(ANY));
            }
            return part;
        }
        let mut ty = m.pointee(chain.base());
        for index in chain.indices() {
            let of_structure = matches!(ty.and_then(|ty| m.ty(ty)), Some(Type::Struct { .. }));
            let number = if of_structure { m.constant(index) } else { None };
            part = self.parts.child(part, number.unwrap_or(ANY));
            ty = ty.and_then(|ty| step(m, ty, number.unwrap_or(0)));
        }
        part
    }

    pub(super) fn note_writes(&mut self) {
        for at in std::mem::take(&mut self.writes) {
            let inst = self.m.inst_at(at);
            if let Note::Call(call) = self.note(at) {
                let view = FunctionCall::of(inst).expect("it is a call");
                for (number, argument) in view.arguments().enumerate() {
                    if let Some(part) = self.part(argument) {
                        self.parts.add_write(part, call, Some(number as u32));
                    }
                }
                continue;
            }
            let Some(target) = written_by(inst) else { continue };
            match self.part(target) {
                Some(part) => {
                    self.parts.add_write(part, at, None);
                    if let Some(store) = Store::of(inst).filter(|_| inst.words().len() == 3) {
                        self.structure(inst, self.m.type_of(store.object()));
                    }
                }
                None if self.drops_effects && changes_memory(self.m, inst) => self.dropped.push(at),
                None => self.roots.push(at),
            }
        }
    }
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
    matches!(call.number(), 35 | 51)
}
