//! Removes dead instructions.

use super::capabilities::{self, Seen};
use super::index::{At, all_of};
use super::kinds::{Kind, kind};
use super::mark::Marks;
use super::notes::Note;
use super::types::{indices_of, step, structure_at};
use polyshade_spv::view::{
    AccessChain, ArrayLength, Decorate, EntryPoint, FunctionCall, GroupDecorate,
    GroupMemberDecorate, MemberDecorate, MemberName, Name, ReturnValue,
};
use polyshade_spv::{Id, Inst, Op, Operand, Patch, Section};
use std::collections::{BTreeMap, BTreeSet};

/// The word that holds the member number in instructions that name or decorate a member.
const MEMBER: usize = 2;

/// The edits that remove everything that is not marked.
pub(super) struct Sweep<'s, 'm, 'w, 'p> {
    marks: &'s mut Marks<'m, 'w>,
    p: &'p mut Patch<'m, 'w>,
    /// An `OpLine` that no remaining instruction has followed yet.
    line: Option<Inst<'m>>,
    /// Decoration groups with a live target.
    groups: BTreeSet<Id>,
    /// Undefined values by type, and constants by type and value.
    undefined: BTreeMap<Id, Id>,
    constants: BTreeMap<(Id, u32), Id>,
}

/// Queues the edits that remove dead instructions.
pub(super) fn sweep<'m, 'w>(marks: &mut Marks<'m, 'w>, p: &mut Patch<'m, 'w>) {
    let (undefined, constants) = (BTreeMap::new(), BTreeMap::new());
    let groups = BTreeSet::new();
    let mut sweep = Sweep { marks, p, line: None, groups, undefined, constants };
    sweep.renumber_chains();
    sweep.undefine_unused_results();
    sweep.undefine_unused_constituents();
    sweep.undefine_unused_arguments();
    sweep.find_groups();
    sweep.preamble();
    sweep.functions();
    sweep.capabilities();
}

impl<'m> Sweep<'_, 'm, '_, '_> {
    fn is_live(&self, id: Id) -> bool {
        self.marks.analysis.defined_at(id).is_none_or(|at| self.marks.live.contains(at))
    }

    /// Updates the indices of live access chains to the new member numbers.
    fn renumber_chains(&mut self) {
        let m = self.marks.m();
        if self.marks.renumbers {
            let constants = m.section(Section::Globals).filter(|inst| inst.op() == Op::CONSTANT);
            for inst in constants {
                if let (Some(ty), Some(id), [_, _, _, value]) =
                    (inst.result_type(), inst.result(), inst.words())
                {
                    self.constants.entry((ty, *value)).or_insert(id);
                }
            }
        }
        // Replace each index into a structure by a constant with the new number.
        for at in std::mem::take(&mut self.marks.chains) {
            let chain =
                AccessChain::of(self.marks.analysis.inst(at)).expect("it is an access chain");
            let mut ty = m.pointee(chain.base());
            let first = chain.inst().words().len() - indices_of(chain).count();
            for (word, index) in (first..).zip(indices_of(chain)) {
                let number = m.constant(index).unwrap_or(0);
                if let Some(at) = ty.and_then(|ty| structure_at(m, ty)) {
                    self.renumber_index(at, chain.inst().operand(word), index, number);
                }
                ty = ty.and_then(|ty| step(m, ty, number));
            }
        }
        // In `OpArrayLength`, the number is a literal.
        for at in std::mem::take(&mut self.marks.lengths) {
            let length =
                ArrayLength::of(self.marks.analysis.inst(at)).expect("it is an OpArrayLength");
            let ty = m.type_of(length.structure()).and_then(|ty| m.pointer(ty));
            let structure = ty.and_then(|(_, structure)| self.marks.analysis.defined_at(structure));
            let number = structure.and_then(|at| self.marks.new_number(at, length.member()));
            if let Some(number) = number.filter(|number| *number != length.member()) {
                length.set_member(self.p, number);
            }
        }
        self.marks.propagate();
    }

    fn renumber_index(&mut self, structure: At, operand: Operand<'m>, index: Id, number: u32) {
        let new = self.marks.new_number(structure, number).unwrap_or(number);
        let ty = self.marks.m().type_of(index);
        let Some(ty) = ty.filter(|_| new != number) else { return self.marks.want(index) };
        let constant = match self.constants.get(&(ty, new)) {
            Some(constant) => *constant,
            None => {
                let constant = self.p.declare_new(Op::CONSTANT, &[ty.word(), new]);
                self.constants.insert((ty, new), constant);
                constant
            }
        };
        self.marks.want(ty);
        self.marks.want(constant);
        self.p.overwrite(operand, constant.word());
    }

    fn find_groups(&mut self) {
        if !self.marks.analysis.has_groups {
            return;
        }
        for inst in self.marks.m().section(Section::Annotations) {
            if let Some(group) = GroupDecorate::of(inst) {
                if group.targets().any(|id| self.is_live(id)) {
                    self.groups.insert(group.group());
                }
            } else if let Some(group) = GroupMemberDecorate::of(inst) {
                let mut targets =
                    group.targets().chunks_exact(2).filter_map(|pair| Id::new(pair[0]));
                if targets.any(|id| self.is_live(id)) {
                    self.groups.insert(group.group());
                }
            }
        }
    }

    fn preamble(&mut self) {
        for inst in self.marks.m().preamble() {
            if kind(inst.op()) == Kind::Line {
                self.hold_line(inst);
            } else if self.stays(inst) {
                self.line = None;
            } else {
                self.p.remove(inst);
            }
        }
        self.drop_line();
    }

    /// Holds back an `OpLine`. It stays only if a remaining instruction comes before the next `OpLine`.
    fn hold_line(&mut self, line: Inst<'m>) {
        self.drop_line();
        self.line = Some(line);
    }

    fn drop_line(&mut self) {
        if let Some(line) = self.line.take() {
            self.p.remove(line);
        }
    }

    /// Whether an instruction before the functions stays, perhaps with changed operands.
    fn stays(&mut self, inst: Inst<'m>) -> bool {
        match inst.op() {
            Op::NAME => self.is_live(Name::of(inst).expect("it is a name").target()),
            Op::MEMBER_NAME => {
                let name = MemberName::of(inst).expect("it is a name");
                self.member_stays(inst, name.target(), name.member())
            }
            Op::DECORATE | Op::DECORATE_ID | Op::DECORATE_STRING => {
                let target = Decorate::of(inst).expect("it is a decoration").target();
                self.is_live(target) || self.groups.contains(&target)
            }
            Op::MEMBER_DECORATE | Op::MEMBER_DECORATE_STRING => {
                let decorate = MemberDecorate::of(inst).expect("it is a decoration");
                self.member_stays(inst, decorate.target(), decorate.member())
            }
            Op::DECORATION_GROUP => inst.result().is_none_or(|id| self.groups.contains(&id)),
            Op::GROUP_DECORATE | Op::GROUP_MEMBER_DECORATE => self.group_stays(inst),
            Op::TYPE_FORWARD_POINTER => inst.words()[1..2]
                .iter()
                .all(|word| Id::new(*word).is_none_or(|id| self.is_live(id))),
            Op::ENTRY_POINT => {
                let entry = EntryPoint::of(inst).expect("it is an entry point");
                for id in entry.interface().filter(|id| !self.is_live(*id)).collect::<Vec<_>>() {
                    self.p.leave_interface(entry, id);
                }
                true
            }
            Op::STRING => true,
            Op::TYPE_STRUCT if self.marks.live.contains(At::of(inst)) => self.structure_stays(inst),
            _ => inst.result().is_none() || self.marks.live.contains(At::of(inst)),
        }
    }

    /// Whether a name or decoration of a member stays. If so, updates it to the member's new number.
    fn member_stays(&mut self, inst: Inst<'m>, structure: Id, member: u32) -> bool {
        let Some(at) = self.marks.analysis.defined_at(structure) else { return true };
        if !self.marks.live.contains(at) {
            return false;
        }
        if self.marks.analysis.inst(at).op() != Op::TYPE_STRUCT {
            return true;
        }
        let Some(number) = self.marks.new_number(at, member) else { return false };
        if number != member {
            self.p.overwrite(inst.operand(MEMBER), number);
        }
        true
    }

    fn structure_stays(&mut self, inst: Inst<'m>) -> bool {
        let words = inst.words();
        let mut kept: Vec<u32> = vec![words[1]];
        kept.extend(self.marks.kept_members(At::of(inst)).map(|member| words[member as usize + 2]));
        if kept.len() + 1 == words.len() {
            return true;
        }
        self.p.insert(inst.after(), Op::TYPE_STRUCT, &kept);
        false
    }

    /// Whether an `OpGroupDecorate` stays. Removes its dead targets. If no target is left, the instruction and the
    /// group are removed.
    fn group_stays(&mut self, inst: Inst<'m>) -> bool {
        let words = inst.words();
        let mut kept = vec![words[1]];
        if inst.op() == Op::GROUP_DECORATE {
            let stays = |word: &&u32| Id::new(**word).is_none_or(|id| self.is_live(id));
            kept.extend(words[2..].iter().filter(stays));
        } else {
            for pair in words[2..].chunks_exact(2) {
                let Some(id) = Id::new(pair[0]).filter(|id| self.is_live(*id)) else { continue };
                let at = self.marks.analysis.defined_at(id);
                let number = at.map_or(Some(pair[1]), |at| self.marks.new_number(at, pair[1]));
                kept.extend(number.into_iter().flat_map(|number| [pair[0], number]));
            }
        }
        if kept.len() == 1 {
            return false;
        }
        if kept == words[1..] {
            return true;
        }
        self.p.insert(inst.after(), inst.op(), &kept);
        false
    }

    fn functions(&mut self) {
        for body in self.marks.m().functions() {
            // In malformed modules, other instructions may refer to a function that is never called, or to ids inside
            // it.
            let at = At::from_word(body.at());
            let is_entered = matches!(self.marks.analysis.note(at), Note::Function(_));
            let stays = is_entered && self.marks.live.contains(at);
            for inst in body.instructions() {
                if stays && self.marks.live.contains(At::of(inst)) {
                    self.line = None;
                    continue;
                }
                match kind(inst.op()) {
                    Kind::Line => self.hold_line(inst),
                    Kind::Branch if stays => {
                        self.p.remove(inst);
                        self.branch_on(inst);
                    }
                    _ => self.p.remove(inst),
                }
            }
            self.drop_line();
        }
    }

    /// Replaces the branch in the header of a removed construct with a branch to the merge block.
    ///
    /// ```text
    ///         OpSelectionMerge %merge None            ; removed
    ///         OpBranchConditional %a %then %merge     ; removed
    ///         OpBranch %merge
    /// ```
    fn branch_on(&mut self, inst: Inst<'m>) {
        let analysis = &self.marks.analysis;
        let at = At::of(inst);
        let Some(block) = analysis.block_of(at).map(|block| &analysis.graph.blocks[block]) else {
            return;
        };
        if block.terminator != at || !self.marks.live.contains(block.label) {
            return;
        }
        let construct = block.heads.map(|construct| &analysis.graph.constructs[construct]);
        let Some(merge) = construct.and_then(|construct| construct.merge) else { return };
        let label = analysis.inst(analysis.graph.blocks[merge].label).result();
        let label = label.expect("a label has a result");
        self.line = None;
        self.p.insert(inst.after(), Op::BRANCH, &[label.word()]);
    }

    /// Removes the capabilities and extensions that the remaining module does not need.
    fn capabilities(&mut self) {
        let m = self.marks.m();
        if !capabilities::may_go(m) {
            return;
        }
        let mut seen = Seen::default();
        for inst in m.preamble().filter(|inst| self.is_left(*inst)) {
            seen.note(inst);
        }
        for inst in m.functions().flat_map(|body| body.instructions()) {
            if self.marks.live.contains(At::of(inst)) {
                seen.note(inst);
            }
        }
        for inst in capabilities::unneeded(m, &seen) {
            self.p.remove(inst);
        }
    }

    /// Whether an instruction before the functions remains, in any form.
    fn is_left(&self, inst: Inst<'m>) -> bool {
        if let Some(decorate) = Decorate::of(inst) {
            let target = decorate.target();
            return self.is_live(target) || self.groups.contains(&target);
        }
        if let Some(decorate) = MemberDecorate::of(inst) {
            let analysis = &self.marks.analysis;
            let Some(at) = analysis.defined_at(decorate.target()) else { return true };
            let is_structure = analysis.inst(at).op() == Op::TYPE_STRUCT;
            let stays = || self.marks.new_number(at, decorate.member()).is_some();
            return self.marks.live.contains(at) && (!is_structure || stays());
        }
        inst.result().is_none() || self.marks.live.contains(At::of(inst))
    }

    /// Makes functions return undefined values if no caller uses the result.
    fn undefine_unused_results(&mut self) {
        for number in self.marks.analysis.functions.indices() {
            let function = &self.marks.analysis.functions[number];
            let (at, returned) = (function.at, function.returned.clone());
            let Some(ty) = self.marks.analysis.inst(at).result_type() else { continue };
            if !self.marks.live.contains(at) {
                continue;
            }
            for number in returned {
                let block = self.marks.analysis.returned[number];
                let terminator = self.marks.analysis.graph.blocks[block].terminator;
                let inst = self.marks.analysis.inst(terminator);
                let value = ReturnValue::of(inst).expect("the block returns a value").value();
                if self.marks.live.contains(terminator) && !self.is_live(value) {
                    let undefined = self.undefined(ty, value);
                    self.p.replace(inst, value, undefined);
                }
            }
        }
    }

    /// Replaces arguments that are passed by value and not used with undefined values.
    fn undefine_unused_arguments(&mut self) {
        for number in self.marks.analysis.calls.indices() {
            let call = &self.marks.analysis.calls[number];
            if !call.live {
                continue;
            }
            let view = FunctionCall::of(self.marks.analysis.inst(call.at)).expect("it is a call");
            let parameters = self.marks.analysis.functions[call.callee].parameters.clone();
            for (argument, parameter) in view.arguments().zip(all_of(parameters)) {
                let is_value = self.marks.analysis.parameters[parameter].value.is_some();
                let ty = self.marks.m().type_of(argument);
                let Some(ty) = ty.filter(|_| is_value) else { continue };
                if !self.is_live(argument) {
                    let undefined = self.undefined(ty, argument);
                    self.p.replace(view.inst(), argument, undefined);
                }
            }
        }
    }

    /// Replaces unused members in the construction of structures with undefined values.
    fn undefine_unused_constituents(&mut self) {
        let m = self.marks.m();
        for number in self.marks.analysis.values.indices() {
            let value = self.marks.analysis.values[number];
            let inst = self.marks.analysis.inst(value.at);
            let is_made = matches!(inst.op(), Op::COMPOSITE_CONSTRUCT | Op::COMPOSITE_INSERT);
            if value.whole || value.members == 0 || !is_made {
                continue;
            }
            // All operands are values, except the indices of an insertion.
            let last = if inst.op() == Op::COMPOSITE_INSERT { 5 } else { inst.words().len() };
            for word in 3..last {
                let Some(value) = Id::new(inst.words()[word]) else { continue };
                let Some(ty) = m.type_of(value).filter(|_| !self.is_live(value)) else { continue };
                let undefined = self.undefined(ty, value);
                self.p.overwrite(inst.operand(word), undefined.word());
            }
        }
    }

    /// Returns an undefined value of type `ty`. This is `value` itself if it is already undefined.
    fn undefined(&mut self, ty: Id, value: Id) -> Id {
        let m = self.marks.m();
        let there = m
            .definition(value)
            .filter(|inst| inst.op() == Op::UNDEF && inst.at() < m.section_end(Section::Globals));
        if let Some(there) = there {
            self.marks.live(At::of(there));
            return value;
        }
        match self.undefined.get(&ty) {
            Some(undefined) => *undefined,
            None => {
                let undefined = self.p.declare_new(Op::UNDEF, &[ty.word()]);
                self.undefined.insert(ty, undefined);
                undefined
            }
        }
    }
}
