//! Removes the members of structures that no live instruction accesses.

use super::{At, DceOptions, Dead, Index, Marks};
use crate::dce::types::{element_of, indices_of, step, structure_at};
use polyshade_spv::view::{AccessChain, TypePointer};
use polyshade_spv::{Decoration, Id, Inst, Module, Op, Section, StorageClass};
use std::collections::BTreeMap;

/// Returns the output structures that lose members, in order, each with the members that no variable needs.
pub(super) fn partial_blocks(m: &Module<'_>, wanted: &DceOptions) -> Vec<(At, Vec<u32>)> {
    if wanted.outputs.is_empty() {
        return Vec::new();
    }
    let mut blocks: BTreeMap<At, Vec<u32>> = BTreeMap::new();
    for variable in m.variables().filter(|one| one.storage_class() == StorageClass::OUTPUT) {
        let Some((_, pointee)) = m.pointer(variable.pointer_type()) else { continue };
        let structure = m.innermost_element(pointee);
        let all = 0..m.members(structure).len() as u32;
        if all.is_empty() {
            continue;
        }
        let Some(at) = m.defined_at(structure).map(At::from_word) else { continue };
        let dead: Vec<u32> = match wanted.dead(variable.result()) {
            Some(Dead::Members(members)) => members.clone(),
            Some(Dead::Whole) => all.collect(),
            None => Vec::new(),
        };
        let known = blocks.entry(at).or_insert_with(|| dead.clone());
        known.retain(|member| dead.binary_search(member).is_ok());
    }
    blocks.into_iter().collect()
}

impl<'m> Marks<'m, '_> {
    /// Marks the pointee type. Its members are marked only if something outside of the shader identifies them by
    /// number.
    pub(super) fn visit_pointer_type(&mut self, inst: Inst<'m>) {
        let pointer = TypePointer::of(inst).expect("it is a pointer type");
        let pointee = pointer.pointee();
        match pointer.storage_class() {
            StorageClass::FUNCTION | StorageClass::PRIVATE => self.want_type(pointee),
            StorageClass::UNIFORM | StorageClass::STORAGE_BUFFER | StorageClass::PUSH_CONSTANT
                if !self.keeps_resources =>
            {
                self.want_type(pointee);
            }
            StorageClass::OUTPUT => self.want_output(pointee),
            _ => self.want(pointee),
        }
    }

    fn want_output(&mut self, pointee: Id) {
        let structure = self.m().innermost_element(pointee);
        let at = self.analysis.defined_at(structure);
        let found = at.and_then(|at| self.partial.binary_search_by_key(&at, |(at, _)| *at).ok());
        let Some((at, dead)) = found.map(|found| self.partial[found].clone()) else {
            return self.want(pointee);
        };
        self.want_type(pointee);
        for member in 0..self.m().members(structure).len() as u32 {
            if dead.binary_search(&member).is_err() {
                self.want_member(at, member);
            }
        }
    }

    /// Marks the members of structures inside a block. Only the block itself can lose members, because nested
    /// structures have no explicit offsets in GLSL and HLSL.
    pub(super) fn visit_structure(&mut self, inst: Inst<'m>) {
        let id = inst.result().expect("a type has a result");
        let m = self.m();
        let is_block = |decoration| m.decoration(id, decoration).is_some();
        if m.member_decoration(id, 0, Decoration::OFFSET).is_some()
            && !is_block(Decoration::BLOCK)
            && !is_block(Decoration::BUFFER_BLOCK)
        {
            let members = 0..m.members(id).len() as u32;
            members.for_each(|member| self.want_member(At::of(inst), member));
        }
    }

    /// Marks the members that an access chain selects.
    pub(super) fn visit_chain(&mut self, inst: Inst<'m>) {
        let chain = AccessChain::of(inst).expect("it is an access chain");
        if let Some(ty) = inst.result_type() {
            self.want(ty);
        }
        self.want_pointer(chain.base());
        let m = self.m();
        let mut ty = m.pointee(chain.base());
        let mut through_structure = false;
        for one in indices_of(chain) {
            let structure = ty.and_then(|ty| structure_at(m, ty));
            let number = m.constant(one).unwrap_or(0);
            match structure {
                Some(at) => {
                    self.want_member(at, number);
                    through_structure = true;
                }
                None => self.want(one),
            }
            ty = ty.and_then(|ty| step(m, ty, number));
        }
        if through_structure {
            self.chains.push(At::of(inst));
        }
        if let Some(element) = element_of(chain) {
            self.want(element);
        }
    }

    /// Keeps one member of each live structure that would otherwise lose all its members.
    pub(super) fn keep_structures_nonempty(&mut self, structures: &[At]) {
        // A structure is declared after the structures inside it, so go backwards.
        for at in structures.iter().rev() {
            if self.live.contains(*at) && self.kept_members(*at).next().is_none() {
                self.want_member(*at, 0);
                self.propagate();
            }
        }
    }

    pub(super) fn structures(&self) -> Vec<At> {
        let globals = self.m().section(Section::Globals);
        globals.filter(|inst| inst.op() == Op::TYPE_STRUCT).map(At::of).collect()
    }

    /// Returns the numbers of the members that the structure type at `at` keeps.
    pub(in crate::dce) fn kept_members(&self, at: At) -> impl Iterator<Item = u32> {
        let first = self.analysis.first_member(at);
        let numbers = first.map_or(0..0, |_| 0..self.analysis.inst(at).words().len() as u32 - 2);
        numbers.filter(move |number| {
            first.is_some_and(|first| self.members.contains(first.plus(*number)))
        })
    }

    /// Returns the unneeded outputs that stay because the shader itself needs them.
    pub(in crate::dce) fn unneeded_that_stay(&self, wanted: &DceOptions) -> Vec<Id> {
        let m = self.m();
        let stays = |(id, dead): &(&Id, &Dead)| {
            let is_live = self.analysis.defined_at(**id).is_some_and(|at| self.live.contains(at));
            let pointee = m.pointee(**id);
            let block = pointee.and_then(|ty| structure_at(m, m.innermost_element(ty)));
            is_live
                && match (dead, block) {
                    (Dead::Members(members), Some(block)) => {
                        self.kept_members(block).any(|member| members.contains(&member))
                    }
                    _ => true,
                }
        };
        wanted.outputs.iter().filter(stays).map(|(id, _)| *id).collect()
    }

    /// Assigns new numbers to the members that stay.
    pub(super) fn number_members(&mut self, structures: &[At]) {
        let (mut numbers, mut renumbers) = (vec![None; self.analysis.members as usize], false);
        for at in structures {
            let Some(first) = self.analysis.first_member(*at) else { continue };
            for (number, member) in self.kept_members(*at).enumerate() {
                numbers[first.plus(member).number()] = Some(number as u32);
                renumbers |= number as u32 != member;
            }
        }
        (self.numbers, self.renumbers) = (numbers, renumbers);
    }

    /// Returns the new number of member `member` of the structure type at `at`; `None` if it is removed.
    pub(in crate::dce) fn new_number(&self, at: At, member: u32) -> Option<u32> {
        let first = self.analysis.first_member(at);
        let is_member = (member as usize) < self.analysis.inst(at).words().len() - 2;
        match first.filter(|_| is_member) {
            Some(first) => self.numbers.get(first.plus(member).number()).copied().flatten(),
            // A number beyond the members does not change.
            None => Some(member),
        }
    }
}
