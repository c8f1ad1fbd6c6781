//! Marks live instructions, from the observed effects back to everything that these need.

mod flow;
mod members;
mod memory;
mod value;
mod visit;

use super::analysis::Analysis;
use super::index::{
    At, Bits, Block, Call, Construct, Function, Index, Member, Parameter, Part, all_of,
};
use super::kinds::{Kind, kind};
use super::notes::{Note, Set};
use super::options::{DceOptions, Dead};
use super::parts::{Key, Owner, Writer};
use super::types::depth_of_block;
use polyshade_spv::view::{Decorate, EntryPoint, ExtInst, Variable};
use polyshade_spv::{BuiltIn, Decoration, Id, Inst, Module, Op, StorageClass};

/// The usual number of open items, and of access chains through structures.
const DEEP: usize = 128;

/// A live item. The things that it needs are not marked yet.
#[derive(Clone, Copy)]
enum Open {
    /// A live instruction.
    Inst(At),
    /// A type that must keep all its members, because a live instruction uses a value of it as a whole.
    Whole(At),
    /// A live member of the structure that an instruction makes or stores.
    Member(At, u8),
    /// A construct with a live instruction.
    Construct(Construct),
    /// Memory that a live instruction reads.
    Read(Part),
    /// A parameter with a pointee that a caller reads after the call.
    Wanted(Parameter),
    /// A parameter with a pointee that the function writes.
    Written(Parameter),
    /// A function with a live effect that is observed outside of it.
    Effect(Function),
    /// A function with a result that a live instruction uses.
    Result(Function),
    /// A parameter that a live instruction uses as a whole.
    Passed(Parameter),
}

/// The live instructions, members and types.
pub(super) struct Marks<'m, 'w> {
    pub(super) analysis: Analysis<'m, 'w>,
    pub(super) live: Bits<At>,
    pub(super) members: Bits<Member>,
    /// Types that keep all their members.
    whole: Bits<At>,
    /// Live access chains through a structure.
    pub(super) chains: Vec<At>,
    /// Live `OpArrayLength` instructions, which name a member of a structure.
    pub(super) lengths: Vec<At>,
    /// Output blocks that lose members, in order, each with the numbers of the lost members.
    partial: Vec<(At, Vec<u32>)>,
    keeps_resources: bool,
    /// `numbers` has the new number of each member that stays. `renumbers` is whether any number changes.
    numbers: Vec<Option<u32>>,
    pub(super) renumbers: bool,
    /// A buffer for the writes that one read depends on.
    found: Vec<(Writer, Option<Key>)>,
    open: Vec<Open>,
}

impl<'m, 'w> Marks<'m, 'w> {
    pub(super) fn new(analysis: Analysis<'m, 'w>, wanted: &DceOptions) -> Self {
        let words = analysis.m.words().len();
        let mut marks = Self {
            live: Bits::new(words + 1),
            members: Bits::new(analysis.members as usize),
            whole: Bits::new(words + 1),
            chains: Vec::with_capacity(DEEP),
            lengths: Vec::new(),
            partial: members::partial_blocks(analysis.m, wanted),
            keeps_resources: wanted.keeps_interface,
            numbers: Vec::new(),
            renumbers: false,
            found: Vec::new(),
            open: Vec::with_capacity(DEEP),
            analysis,
        };
        marks.begin(wanted);
        marks.propagate();
        let structures = marks.structures();
        marks.keep_structures_nonempty(&structures);
        marks.number_members(&structures);
        marks
    }

    pub(super) fn m(&self) -> &'m Module<'w> {
        self.analysis.m
    }

    fn terminator(&self, block: Block) -> Inst<'m> {
        self.analysis.inst(self.analysis.graph.blocks[block].terminator)
    }

    /// Marks everything that is live without being used by other code.
    fn begin(&mut self, wanted: &DceOptions) {
        let m = self.m();
        for entry in m.entry_points() {
            if let Some(function) = self.analysis.function(entry.function()) {
                self.live_body(function);
            }
            self.begin_interface(entry, wanted);
        }
        for at in std::mem::take(&mut self.analysis.roots) {
            self.live(at);
            self.live_effect_at(at);
        }
        for (construct, function) in std::mem::take(&mut self.analysis.endless) {
            self.live_endless(construct, function);
        }
        for function in all_of(Function::new(0)..self.analysis.first_reduced) {
            self.keep_function(function);
        }
        for at in std::mem::take(&mut self.analysis.annotations) {
            let inst = self.analysis.inst(at);
            // The declaration of the constant with the decoration `WorkgroupSize` has an effect.
            if let Some(decorate) = Decorate::of(inst)
                && decorate.decoration() == Decoration::BUILT_IN
                && decorate.operands() == [BuiltIn::WORKGROUP_SIZE.0]
            {
                self.want(decorate.target());
            }
            let rest = match inst.op() {
                Op::EXECUTION_MODE_ID | Op::DECORATE_ID => 2,
                op if kind(op) == Kind::Unknown => 1,
                _ => continue,
            };
            m.for_each_operand(inst, |operand, id, _| {
                if operand.word() >= rest {
                    self.want(id);
                }
            });
        }
    }

    /// Marks the interface variables of an entry point that stay.
    fn begin_interface(&mut self, entry: EntryPoint<'m>, wanted: &DceOptions) {
        let reduces = wanted.reduces(entry);
        for id in entry.interface() {
            let Some(variable) = self.m().definition(id).and_then(Variable::of) else {
                self.want(id);
                continue;
            };
            let dead = wanted.dead(id);
            // Outputs stay unless the options drop them. Inputs stay only if the options keep the interface.
            match variable.storage_class() {
                _ if !reduces => self.want(id),
                StorageClass::OUTPUT => match dead {
                    None => self.want(id),
                    Some(Dead::Whole) => {}
                    Some(Dead::Members(members)) => {
                        self.live(At::of(variable.inst()));
                        let depth = depth_of_block(self.m(), variable);
                        if let Some(part) = self.analysis.part(id) {
                            let count = self.members_of(variable);
                            self.read_live_members(part, depth, count, members);
                        }
                    }
                },
                StorageClass::INPUT if wanted.keeps_interface => self.want(id),
                _ => {}
            }
        }
        if wanted.keeps_interface && reduces {
            for resource in self.m().resources() {
                self.want(resource.result());
            }
        }
    }

    /// Marks the first `count` members of a block, `depth` arrays below `part`, as read. Skips the members in `dead`.
    fn read_live_members(&mut self, part: Part, depth: u32, count: u32, dead: &[u32]) {
        if depth == 0 {
            for member in (0..count).filter(|member| !dead.contains(member)) {
                let child = self.analysis.parts.child(part, Key::of(member));
                self.open.push(Open::Read(child));
            }
            return;
        }
        // If the whole array is written anywhere, all of it counts as read.
        if self.analysis.parts.writers_of(part).next().is_some() {
            self.open.push(Open::Read(part));
        }
        let mut next = self.analysis.parts.get(part).first_child;
        while let Some(child) = next {
            self.read_live_members(child, depth - 1, count, dead);
            next = self.analysis.parts.get(child).next_sibling;
        }
    }

    /// Returns the number of members of the block in a variable; the variable may be an array of blocks.
    fn members_of(&self, variable: Variable<'m>) -> u32 {
        let m = self.m();
        let pointee = m.pointer(variable.pointer_type()).map(|(_, pointee)| pointee);
        pointee.map_or(0, |ty| m.members(m.innermost_element(ty)).len() as u32)
    }

    fn keep_function(&mut self, function: Function) {
        self.open.push(Open::Result(function));
        self.effect(function);
        for parameter in all_of(self.analysis.functions[function].parameters.clone()) {
            let parameter = &self.analysis.parameters[parameter];
            if parameter.value.is_some() {
                self.want_at(parameter.at);
            }
        }
        let function = &self.analysis.functions[function];
        let (mut next, end) = (function.at.word(), function.end);
        while next < end {
            let inst = self.m().inst_at(next);
            let is_debug =
                ExtInst::of(inst).is_some_and(|call| self.analysis.set(call) == Set::Debug);
            if kind(inst.op()) != Kind::Line && !is_debug {
                self.live(At::of(inst));
            }
            next = inst.end();
        }
    }

    /// Marks everything that the marked items depend on.
    pub(super) fn propagate(&mut self) {
        while let Some(open) = self.open.pop() {
            match open {
                Open::Inst(at) => self.visit(at),
                Open::Whole(at) => self.visit_whole(at),
                Open::Member(at, member) => self.visit_member(at, member.into()),
                Open::Construct(construct) => self.visit_construct(construct),
                Open::Read(part) => self.visit_read(part),
                Open::Wanted(parameter) => self.visit_wanted(parameter),
                Open::Written(parameter) => self.visit_written(parameter),
                Open::Effect(function) => self.visit_effect(function),
                Open::Result(function) => self.visit_result(function),
                Open::Passed(parameter) => self.visit_passed(parameter),
            }
        }
    }

    #[inline]
    pub(super) fn live(&mut self, at: At) {
        if self.live.insert(at) {
            self.open.push(Open::Inst(at));
        }
    }

    /// Marks the definition of `id` because its value is used.
    #[inline(always)]
    pub(super) fn want(&mut self, id: Id) {
        let Some(at) = self.analysis.defined_at(id) else { return };
        self.want_at(at);
    }

    /// Marks the instruction at `at` because its whole result or everything that it writes is used.
    #[inline(always)]
    fn want_at(&mut self, at: At) {
        self.live(at);
        if self.analysis.notes.has_note(at) {
            self.want_noted(at);
        }
    }

    fn want_noted(&mut self, at: At) {
        match self.analysis.note(at) {
            Note::Structure(_) | Note::Array => self.want_whole(at),
            Note::Part(part) => self.escape(part),
            Note::Call(call) => self.open.push(Open::Result(self.analysis.calls[call].callee)),
            Note::Value(value) => {
                let one = &mut self.analysis.values[value];
                if std::mem::replace(&mut one.whole, true) {
                    return;
                }
                if let Some(parameter) = one.parameter {
                    self.open.push(Open::Passed(parameter));
                } else if one.members != 0 {
                    // The instruction is already live for a member, but not everything that it needs was visited.
                    self.open.push(Open::Inst(at));
                }
            }
            Note::Set(_) | Note::Function(_) | Note::None => {}
        }
    }

    /// Marks the whole variable that contains `part`, which an escaped pointer may read and write.
    fn escape(&mut self, part: Part) {
        let root = *self.analysis.parts.root(part);
        self.open.push(Open::Read(root.part));
        if let Owner::Parameter(number) = root.owner {
            self.open.push(Open::Written(number));
        }
    }

    fn want_whole(&mut self, at: At) {
        if self.whole.insert(at) {
            self.open.push(Open::Whole(at));
        }
    }

    /// Marks the type `id`, but none of its members: the type of a pointee must be declared, but may lose unused
    /// members.
    pub(super) fn want_type(&mut self, id: Id) {
        if let Some(at) = self.analysis.defined_at(id) {
            self.live(at);
        }
    }

    /// Marks member `member` of the structure type at `at`.
    pub(super) fn want_member(&mut self, at: At, member: u32) {
        let Some(first) = self.analysis.first_member(at) else { return };
        let word = self.analysis.inst(at).words().get(member as usize + 2).copied();
        let Some(ty) = word.and_then(Id::new) else { return };
        if self.members.insert(first.plus(member)) {
            self.want_type(ty);
        }
    }

    fn visit_whole(&mut self, at: At) {
        let inst = self.analysis.inst(at);
        self.live(at);
        if inst.op() != Op::TYPE_STRUCT {
            // The length of an array is not an aggregate, so it can be marked like any operand.
            self.m().for_each_operand(inst, |_, id, _| self.want(id));
            return;
        }
        let id = inst.result().expect("a type has a result");
        for (number, member) in self.m().members(id).enumerate() {
            self.want_member(at, number as u32);
            self.want(member);
        }
    }

    /// Marks everything that a live instruction needs.
    fn visit(&mut self, at: At) {
        let inst = self.analysis.inst(at);
        if at.word() < self.analysis.bodies {
            return self.visit_global(inst);
        }
        let kind = kind(inst.op());
        match kind {
            // A loop contains its header, but the header stays even if the loop is removed.
            Kind::Function | Kind::FunctionEnd | Kind::Parameter | Kind::Label => {}
            _ => self.live_block(self.analysis.block_of(at)),
        }
        match kind {
            Kind::Value | Kind::Variable | Kind::Parameter => self.want_all(inst),
            Kind::Function => self.visit_function(inst),
            Kind::Load | Kind::Store | Kind::CopyMemory => self.visit_access(inst),
            Kind::Chain => self.visit_chain(inst),
            Kind::Extract => self.visit_extract(inst),
            Kind::Copy | Kind::ArrayLength => self.visit_copy(inst),
            Kind::Call => self.visit_call(inst),
            Kind::Extended => self.visit_extended(inst),
            Kind::Phi => self.visit_phi(inst),
            Kind::Label | Kind::FunctionEnd | Kind::Line | Kind::Return | Kind::Unreachable => {}
            Kind::Merge | Kind::Branch => self.visit_branch(inst),
            Kind::ReturnValue => {}
            Kind::Declaration | Kind::Effect | Kind::Unknown => self.visit_effective(inst),
        }
    }

    /// Marks a function as a whole, even if it is used in another way than by calls.
    fn visit_function(&mut self, inst: Inst<'m>) {
        self.want_all(inst);
        match inst.result().and_then(|id| self.analysis.function(id)) {
            Some(function) => self.live_body(function),
            None => self.analysis.is_malformed = true,
        }
    }

    #[inline]
    fn want_all(&mut self, inst: Inst<'m>) {
        self.m().for_each_operand(inst, |_, id, _| self.want(id));
    }

    fn visit_global(&mut self, inst: Inst<'m>) {
        match inst.op() {
            Op::TYPE_STRUCT => self.visit_structure(inst),
            Op::TYPE_POINTER => self.visit_pointer_type(inst),
            Op::TYPE_ARRAY | Op::TYPE_RUNTIME_ARRAY => {
                // If an array must be whole, so must its elements.
                self.m().for_each_operand(inst, |_, id, _| self.want_type(id));
            }
            _ => self.want_all(inst),
        }
    }
}
