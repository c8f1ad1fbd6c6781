//! Finds the part of memory that each pointer refers to, and the writers of each part.

use super::analysis::Analysis;
use super::index::{At, Part};
use super::notes::Note;
use super::parts::{Key, Writer};
use super::types::{step, written_by};
use crate::effects::changes_memory;
use polyshade_spv::view::{AccessChain, FunctionCall, Store};
use polyshade_spv::{Id, Inst, Op, Type};

/// Records the variable that a pointer refers to, and returns whether it refers to one. The part of the variable is
/// resolved later, when all indices into it are known.
pub(super) fn note<'m>(analysis: &mut Analysis<'m, '_>, inst: Inst<'m>) -> bool {
    let chain = AccessChain::of(inst);
    let from = chain.map(|chain| chain.base()).or_else(|| Id::new(*inst.words().get(3)?));
    let Some(part) = from.and_then(|id| analysis.part(id)) else { return false };
    analysis.notes.set_note(At::of(inst), Note::Part(part));
    let m = analysis.m;
    let is_constant = chain.is_none_or(|chain| chain.indices().all(|id| m.constant(id).is_some()));
    let root = analysis.parts.root_mut(part);
    root.indexed |= !is_constant;
    root.addressed = true;
    true
}

/// Records the part that each of `pointers` refers to.
pub(super) fn resolve(analysis: &mut Analysis<'_, '_>, pointers: &[At]) {
    for at in pointers {
        let inst = analysis.inst(*at);
        let Some(chain) = AccessChain::of(inst) else {
            let from = Id::new(inst.words()[3]).and_then(|id| analysis.part(id));
            analysis.notes.set_note(*at, from.map_or(Note::None, Note::Part));
            continue;
        };
        let Some(base) = analysis.part(chain.base()) else { continue };
        let part = match inst.op() {
            Op::ACCESS_CHAIN | Op::IN_BOUNDS_ACCESS_CHAIN => follow(analysis, base, chain),
            // The pointer may refer to any neighbouring element.
            _ => analysis.parts.root(base).part,
        };
        analysis.notes.set_note(*at, Note::Part(part));
    }
}

/// Returns the part that an access chain selects, starting from `part`.
fn follow<'m>(analysis: &mut Analysis<'m, '_>, mut part: Part, chain: AccessChain<'m>) -> Part {
    let m = analysis.m;
    let key = |number: Option<u32>| number.map_or(Key::ANY, Key::of);
    if !analysis.parts.root(part).indexed {
        for index in chain.indices() {
            part = analysis.parts.child(part, key(m.constant(index)));
        }
        return part;
    }
    let mut ty = m.pointee(chain.base());
    for index in chain.indices() {
        let of_structure = matches!(ty.and_then(|ty| m.ty(ty)), Some(Type::Struct { .. }));
        let number = if of_structure { m.constant(index) } else { None };
        part = analysis.parts.child(part, key(number));
        ty = ty.and_then(|ty| step(m, ty, number.unwrap_or(0)));
    }
    part
}

/// Adds these instructions to the writers of their parts. Stores to other memory are live from the start, or are
/// dropped if `drops_effects`.
pub(super) fn add_writes(analysis: &mut Analysis<'_, '_>, writes: &[At], drops_effects: bool) {
    for at in writes {
        let inst = analysis.inst(*at);
        if let Note::Call(call) = analysis.note(*at) {
            let view = FunctionCall::of(inst).expect("it is a call");
            for (number, argument) in view.arguments().enumerate() {
                if let Some(part) = analysis.part(argument) {
                    analysis.parts.add_write(part, Writer::Call { call, argument: number as u32 });
                }
            }
            continue;
        }
        let Some(target) = written_by(inst) else { continue };
        match analysis.part(target) {
            Some(part) => {
                analysis.parts.add_write(part, Writer::Inst(*at));
                if let Some(store) = Store::of(inst).filter(|_| inst.words().len() == 3) {
                    analysis.add_value(inst, analysis.m.type_of(store.object()));
                }
            }
            None if drops_effects && changes_memory(analysis.m, inst) => analysis.dropped.push(*at),
            None => analysis.roots.push(*at),
        }
    }
}
