//! Marks structure values member by member: an extraction needs only the members that it extracts. The same applies
//! to structures that are passed to functions.
//!
//! Compilers of HLSL and WGSL put all outputs into one structure, pass it between functions, and extract its members
//! at the end.

use super::{At, Function, Marks, Note, Open, Parameter};
use crate::dce::index::Value;
use crate::dce::parts::Key;
use crate::dce::records::{MOST_MEMBERS, ValueRecord};
use polyshade_spv::view::{Load, Phi, ReturnValue, Store};
use polyshade_spv::{Id, Inst, Op};

impl<'m> Marks<'m, '_> {
    /// Marks everything that a live extraction from a value needs.
    pub(super) fn visit_extract(&mut self, inst: Inst<'m>) {
        let [_, ty, _, composite, index, ..] = *inst.words() else { return self.want_all(inst) };
        Id::new(ty).into_iter().for_each(|ty| self.want(ty));
        Id::new(composite).into_iter().for_each(|id| self.want_member_of(id, index));
    }

    /// Marks the definition of `id` because its member `member` is used. If it is not a structure, marks all of it.
    pub(super) fn want_member_of(&mut self, id: Id, member: u32) {
        let Some(at) = self.analysis.defined_at(id) else { return };
        match self.analysis.note(at) {
            Note::Value(value) if member < MOST_MEMBERS => self.want_member_at(at, value, member),
            Note::Call(call) if member < MOST_MEMBERS => {
                self.live(at);
                let callee = self.analysis.calls[call].callee;
                self.want_member_of_result(callee, member);
            }
            _ => self.want(id),
        }
    }

    /// Marks the instruction at `at`, which makes or stores a structure, because its member `member` is used.
    pub(super) fn want_member_at(&mut self, at: At, value: Value, member: u32) {
        let one = &mut self.analysis.values[value];
        let before = one.members;
        one.members |= 1 << member;
        if one.whole || before == one.members {
            return;
        }
        // If the whole instruction is live, everything that it needs is marked elsewhere.
        if before == 0 && self.live.insert(at) {
            let inst = self.analysis.inst(at);
            self.live_block(self.analysis.block_of(at));
            inst.result_type().into_iter().for_each(|ty| self.want(ty));
            self.visit_for_members(inst);
        }
        self.open.push(Open::Member(at, member as u8));
    }

    /// Marks everything that an instruction needs for any of its members.
    fn visit_for_members(&mut self, inst: Inst<'m>) {
        if let Some(load) = Load::of(inst) {
            self.want_pointer(load.pointer());
        } else if let Some(store) = Store::of(inst) {
            self.want_pointer(store.pointer());
            if let Some(part) = self.analysis.part(store.pointer()) {
                self.live_write_to(part, At::of(inst));
            }
        } else if let Some(phi) = Phi::of(inst) {
            self.live_sources(phi);
        }
    }

    /// Marks the operands of the instruction at `at` that determine member `member` of its structure.
    pub(super) fn visit_member(&mut self, at: At, member: u32) {
        let inst = self.analysis.inst(at);
        let words = inst.words();
        // The instruction is a parameter, a load, a store, a phi, an insertion, or a construction.
        if let Note::Value(value) = self.analysis.note(at)
            && let Some(parameter) = self.analysis.values[value].parameter
        {
            self.for_each_argument(parameter, |marks, id| marks.want_member_of(id, member));
        } else if let Some(load) = Load::of(inst) {
            if let Some(part) = self.analysis.part(load.pointer()) {
                let child = self.analysis.parts.child(part, Key::of(member));
                self.open.push(Open::Read(child));
            }
        } else if let Some(store) = Store::of(inst) {
            self.want_member_of(store.object(), member);
        } else if let Some(phi) = Phi::of(inst) {
            for pair in phi.pairs().chunks_exact(2) {
                Id::new(pair[0]).into_iter().for_each(|id| self.want_member_of(id, member));
            }
        } else if inst.op() == Op::COMPOSITE_INSERT {
            let (object, composite, index) = (Id::new(words[3]), Id::new(words[4]), words[5]);
            if index == member {
                object.into_iter().for_each(|id| self.want(id));
            }
            if index != member || words.len() > 6 {
                composite.into_iter().for_each(|id| self.want_member_of(id, member));
            }
        } else {
            let constituent = words.get(3 + member as usize).copied().and_then(Id::new);
            constituent.into_iter().for_each(|id| self.want(id));
        }
    }

    /// Marks all arguments for a parameter that is passed by value and that the function uses as a whole.
    pub(super) fn visit_passed(&mut self, parameter: Parameter) {
        self.for_each_argument(parameter, Self::want);
    }

    /// Calls `wants` for each argument that a live call passes for a parameter.
    pub(super) fn for_each_argument(
        &mut self,
        parameter: Parameter,
        mut wants: impl FnMut(&mut Self, Id),
    ) {
        let function = self.analysis.parameters[parameter].function;
        let mut next = self.analysis.functions[function].live_calls;
        while let Some(call) = next {
            let at = self.analysis.calls[call].at;
            next = self.analysis.calls[call].next_live;
            if let Some(id) = self.argument(at, parameter) {
                wants(self, id);
            }
        }
    }

    /// Marks the members of `argument`, passed by a live call, that the function is already known to use.
    pub(super) fn want_passed(&mut self, argument: Id, parameter: Parameter) {
        let value = self.analysis.parameters[parameter].value;
        match value.map(|value| self.analysis.values[value]) {
            Some(ValueRecord { whole: false, members, .. }) => {
                let is_used = |member: &u32| members & 1 << member != 0;
                for member in (0..MOST_MEMBERS).filter(is_used) {
                    self.want_member_of(argument, member);
                }
            }
            _ => self.want(argument),
        }
    }

    /// Marks member `member` of all values that `function` returns.
    fn want_member_of_result(&mut self, function: Function, member: u32) {
        let function = &mut self.analysis.functions[function];
        let is_new = function.result_members & 1 << member == 0;
        if function.result_wanted || !is_new {
            return;
        }
        function.result_members |= 1 << member;
        for number in function.returned.clone() {
            let returned = ReturnValue::of(self.terminator(self.analysis.returned[number]));
            self.want_member_of(returned.expect("the block returns a value").value(), member);
        }
    }

    /// Marks the predecessor blocks that a phi takes its values from.
    pub(super) fn live_sources(&mut self, phi: Phi<'m>) {
        for pair in phi.pairs().chunks_exact(2) {
            let from = Id::new(pair[1]).and_then(|label| self.analysis.defined_at(label));
            let block = from.and_then(|at| self.analysis.block_of(at));
            self.live_block(block);
            self.live_terminator(block);
        }
    }
}
