//! Marks everything that live instructions need.

use super::{At, Marks, Note, Open, Set, all_of};
use crate::dce::types::{read_by, stores, written_by};
use polyshade_spv::view::{ArrayLength, ExtInst, FunctionCall, Load, Phi, Store};
use polyshade_spv::{Id, Inst, Op};

impl<'m> Marks<'m, '_> {
    pub(super) fn visit_effective(&mut self, inst: Inst<'m>) {
        self.want_all(inst);
        // An unknown instruction may be the terminator of its block.
        let block = self.analysis.block_of(At::of(inst));
        if block.is_some_and(|block| self.terminator(block).at() == inst.at()) {
            self.visit_branch(inst);
        }
    }

    /// Marks everything that a load, a store or a copy of memory needs.
    pub(super) fn visit_access(&mut self, inst: Inst<'m>) {
        let (read, written) = (read_by(inst), written_by(inst));
        // Fast path: nearly all accesses are loads and stores without memory operands (benchmark `position`).
        match (Load::of(inst), Store::of(inst), inst.words().len()) {
            (Some(load), None, 4) => {
                inst.result_type().into_iter().for_each(|ty| self.want(ty));
                self.want_pointer(load.pointer());
            }
            (None, Some(store), 3) => {
                self.want_pointer(store.pointer());
                self.want(store.object());
            }
            _ => self.m().for_each_operand(inst, |_, id, _| {
                if Some(id) == read || Some(id) == written {
                    self.want_pointer(id);
                } else {
                    self.want(id);
                }
            }),
        }
        if let Some(part) = read.and_then(|id| self.analysis.part(id)) {
            self.open.push(Open::Read(part));
        }
        let Some(written) = written else { return };
        match self.analysis.part(written) {
            Some(part) => self.live_write_to(part, At::of(inst)),
            None => self.live_effect_at(At::of(inst)),
        }
        if inst.op() != Op::STORE {
            // A copy of memory copies all members.
            for pointer in [Some(written), read].into_iter().flatten() {
                let pointee = self.m().type_of(pointer).and_then(|ty| self.m().pointer(ty));
                if let Some((_, pointee)) = pointee {
                    self.want(pointee);
                }
            }
        }
    }

    /// Marks a pointer that is used in a known way, so it does not escape.
    pub(super) fn want_pointer(&mut self, id: Id) {
        if let Some(at) = self.analysis.defined_at(id) {
            self.live(at);
        }
    }

    /// Marks everything that a copy or an `OpArrayLength` needs. Its first operand may be a pointer.
    pub(super) fn visit_copy(&mut self, inst: Inst<'m>) {
        self.m().for_each_operand(inst, |operand, id, _| match operand.word() {
            3 => self.want_operand_of_copy(inst, id),
            _ => self.want(id),
        });
    }

    pub(super) fn want_operand_of_copy(&mut self, inst: Inst<'m>, id: Id) {
        let noted = self.analysis.defined_at(id).map(|at| self.analysis.note(at));
        match noted {
            Some(Note::Part(_)) => self.want_pointer(id),
            _ => self.want(id),
        }
        if let Some(length) = ArrayLength::of(inst) {
            let ty = self.m().type_of(length.structure()).and_then(|ty| self.m().pointer(ty));
            if let Some(at) = ty.and_then(|(_, structure)| self.analysis.defined_at(structure)) {
                self.want_member(at, length.member());
                self.lengths.push(At::of(inst));
            }
        }
    }

    pub(super) fn visit_call(&mut self, inst: Inst<'m>) {
        let view = FunctionCall::of(inst).expect("it is a call");
        let Note::Call(number) = self.analysis.note(At::of(inst)) else {
            return self.want_all(inst);
        };
        if let Some(ty) = inst.result_type() {
            self.want(ty);
        }
        // Add the call to the live calls of the function.
        let call = &mut self.analysis.calls[number];
        let callee = call.callee;
        let function = &mut self.analysis.functions[callee];
        call.live = true;
        call.next_live = function.live_calls.replace(number);
        let (at, parameters) = (function.at, function.parameters.clone());
        self.live_body(callee);
        self.live(at);
        self.keep_frame(callee);
        for (argument, parameter) in view.arguments().zip(all_of(parameters)) {
            match self.analysis.part(argument) {
                Some(part) => {
                    self.want_pointer(argument);
                    self.read_through(part, parameter);
                }
                None => self.want_passed(argument, parameter),
            }
        }
    }

    pub(super) fn visit_extended(&mut self, inst: Inst<'m>) {
        let call = ExtInst::of(inst).expect("it is an extended instruction");
        let written =
            written_by(inst).filter(|_| self.analysis.set(call) == Set::Glsl && stores(call));
        self.m().for_each_operand(inst, |_, id, _| match Some(id) == written {
            true => self.want_pointer(id),
            false => self.want(id),
        });
        let Some(written) = written else { return };
        if let Some(part) = self.analysis.part(written) {
            self.live_write_to(part, At::of(inst));
        }
    }

    pub(super) fn visit_phi(&mut self, inst: Inst<'m>) {
        let phi = Phi::of(inst).expect("it is a phi");
        if let Some(ty) = inst.result_type() {
            self.want(ty);
        }
        for pair in phi.pairs().chunks_exact(2) {
            Id::new(pair[0]).into_iter().for_each(|value| self.want(value));
        }
        self.live_sources(phi);
    }

    /// Marks the targets of a branch.
    pub(super) fn visit_branch(&mut self, inst: Inst<'m>) {
        self.live_terminator(self.analysis.block_of(At::of(inst)));
        self.m().for_each_operand(inst, |_, id, _| {
            let Some(at) = self.analysis.defined_at(id) else { return };
            if self.analysis.inst(at).op() == Op::LABEL {
                self.live(at);
            } else {
                self.want(id);
            }
        });
    }
}
