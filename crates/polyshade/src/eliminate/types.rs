//! Structures lose the members that nothing live reaches.

use super::mark::Marks;
use super::pointers::step;
use super::records::MOST_MEMBERS;
use super::survey::Note;
use super::{Dead, Elimination};
use polyshade_spv::view::{AccessChain, TypePointer, Variable};
use polyshade_spv::{Id, Inst, Module, Op, Section, StorageClass, Type};
use std::collections::BTreeMap;

/// The most arrays around a block that are looked through: SPIR-V's limit for structures (2.17).
const DEEPEST: u32 = 255;
/// The number of a member that goes.
const GONE: u32 = u32::MAX;

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

/// The structures of outputs that lose members: by word, in order, with those that no variable keeps.
pub(super) fn partial_blocks(m: &Module<'_>, wanted: &Elimination) -> Vec<(u32, Vec<u32>)> {
    if wanted.outputs.is_empty() {
        return Vec::new();
    }
    let mut blocks: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for variable in m.variables().filter(|one| one.storage_class() == StorageClass::OUTPUT) {
        let Some((_, pointee)) = m.pointer(variable.pointer_type()) else { continue };
        let structure = m.innermost_element(pointee);
        let Some(at) = m.defined_at(structure) else { continue };
        let all = 0..m.members(structure).len() as u32;
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
    /// What a pointer points to is declared, but members that nothing reaches can go where nobody else knows the
    /// structure by its members' numbers.
    pub(super) fn visit_pointer_type(&mut self, inst: Inst<'m>) {
        let pointer = TypePointer::of(inst).expect("it is a pointer type");
        let pointee = pointer.pointee();
        match pointer.storage_class() {
            StorageClass::FUNCTION | StorageClass::PRIVATE => self.want_shape(pointee),
            StorageClass::UNIFORM | StorageClass::STORAGE_BUFFER | StorageClass::PUSH_CONSTANT
                if !self.keeps_resources =>
            {
                self.want_shape(pointee);
            }
            StorageClass::OUTPUT => self.want_output(pointee),
            _ => self.want(pointee),
        }
    }

    fn want_output(&mut self, pointee: Id) {
        let structure = self.m().innermost_element(pointee);
        let at = self.m().defined_at(structure);
        let found = at.and_then(|at| self.partial.binary_search_by_key(&at, |(at, _)| *at).ok());
        let Some((at, dead)) = found.map(|found| self.partial[found].clone()) else {
            return self.want(pointee);
        };
        self.want_shape(pointee);
        for member in 0..self.m().members(structure).len() as u32 {
            if dead.binary_search(&member).is_err() {
                self.want_member(at, member);
            }
        }
    }

    /// An access chain reaches the members that it goes through.
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
            self.chains.push(inst.at());
        }
        if let Some(element) = element_of(chain) {
            self.want(element);
        }
    }

    /// A structure needs a member, though nothing reaches any.
    pub(super) fn keep_one_member(&mut self) {
        let m = self.m();
        let structures = m.section(Section::Globals).filter(|inst| inst.op() == Op::TYPE_STRUCT);
        let structures: Vec<u32> = structures.map(|inst| inst.at()).collect();
        // What is inside of one is declared before it.
        for at in structures.into_iter().rev() {
            if self.live.contains(at) && self.kept_members(at).next().is_none() {
                self.want_member(at, 0);
                self.follow();
            }
        }
    }

    /// The members that the structure at word `at` keeps.
    pub(super) fn kept_members(&self, at: u32) -> impl Iterator<Item = u32> {
        let first = self.first_member(at);
        let count = self.m().inst_at(at).words().len() as u32 - 2;
        (0..count).filter(move |member| self.members.contains(first + member))
    }

    /// The outputs that nobody else needs, but the shader itself.
    pub(super) fn unneeded_that_stay(&self, wanted: &Elimination) -> Vec<Id> {
        let m = self.m();
        let stays = |(id, dead): &(&Id, &Dead)| {
            let is_live = m.defined_at(**id).is_some_and(|at| self.live.contains(at));
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

    fn first_member(&self, at: u32) -> u32 {
        match self.survey.note(at) {
            Note::Aggregate(first) => first,
            _ => 0,
        }
    }

    /// Gives each member that stays its number among those that stay.
    pub(super) fn number_members(&mut self) {
        let m = self.m();
        let mut renumbers = false;
        let mut numbers = vec![GONE; self.survey.members as usize];
        for inst in m.section(Section::Globals).filter(|inst| inst.op() == Op::TYPE_STRUCT) {
            let first = self.first_member(inst.at());
            for (number, member) in self.kept_members(inst.at()).enumerate() {
                numbers[(first + member) as usize] = number as u32;
                renumbers |= number as u32 != member;
            }
        }
        (self.numbers, self.renumbers) = (numbers, renumbers);
    }

    /// The number that member `member` of the structure at word `at` has now; `None` if it goes.
    pub(super) fn new_number(&self, at: u32, member: u32) -> Option<u32> {
        // What is no member of it is left as it is.
        if member as usize >= self.m().inst_at(at).words().len() - 2 {
            return Some(member);
        }
        let number = self.numbers.get((self.first_member(at) + member) as usize).copied();
        number.filter(|number| *number != GONE)
    }
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

/// The word of `ty`, if it is a structure.
pub(super) fn structure_at(m: &Module<'_>, ty: Id) -> Option<u32> {
    m.definition(ty).filter(|inst| inst.op() == Op::TYPE_STRUCT).map(|inst| inst.at())
}

/// The most types of parts that a parameter has that is looked at.
const MOST_PARTS: u32 = 64;

/// Whether all there is in a value of this type is bits, of which any will do where nobody looks at them.
pub(super) fn is_data(m: &Module<'_>, ty: Id) -> bool {
    let mut open = vec![ty];
    for _ in 0..MOST_PARTS {
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
