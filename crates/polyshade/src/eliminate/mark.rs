//! Marks what is live: from what others can see back to all that it needs.

mod flow;
mod memory;
mod value;
mod visit;

use super::bits::Bits;
use super::debug;
use super::kinds::{Kind, kind};
use super::parts::{NONE, Owner, Write};
use super::records::Parameter;
use super::survey::{Note, Set, Survey};
use super::types::{depth_of_block, partial_blocks};
use super::{Dead, Elimination};
use polyshade_spv::view::{Decorate, EntryPoint, ExtInst, Variable};
use polyshade_spv::{BuiltIn, Decoration, Id, Inst, Module, Op, StorageClass};

/// How much there usually is to be followed at once, and how many chains through structures.
const DEEP: usize = 128;

/// What is still to be followed.
#[derive(Clone, Copy)]
enum Open {
    /// A live instruction.
    Inst(u32),
    /// A type of a live value, all of whose members are.
    Whole(u32),
    /// A member of the structure that an instruction makes or stores.
    Member(u32, u8),
    /// A construct in which something is live.
    Construct(u32),
    /// Memory that something live reads.
    Read(u32),
    /// A parameter whose pointee some caller reads after the call.
    Wanted(u32),
    /// A parameter whose pointee the function writes.
    Written(u32),
    /// A function in which something live is seen from outside.
    Effect(u32),
    /// A function whose result something live uses.
    Result(u32),
    /// A parameter that something live uses all of.
    Passed(u32),
}

/// What is live.
pub(super) struct Marks<'m, 'w> {
    pub(super) survey: Survey<'m, 'w>,
    /// By word of an instruction.
    pub(super) live: Bits,
    /// By number of a member: see [`Note::Aggregate`].
    pub(super) members: Bits,
    /// Types all of whose members are live, by word.
    pub(super) whole: Bits,
    /// Live access chains that go through a structure.
    pub(super) chains: Vec<u32>,
    /// Live instructions that name the member of a structure whose length they ask for.
    pub(super) lengths: Vec<u32>,
    /// Blocks of outputs that lose members, by word, with those they lose.
    pub(super) partial: Vec<(u32, Vec<u32>)>,
    pub(super) keeps_resources: bool,
    /// By member: its number among those that stay. Whether some member changes its number.
    pub(super) numbers: Vec<u32>,
    pub(super) renumbers: bool,
    /// Room for the writes that one read finds.
    found: Vec<(Write, Option<u32>)>,
    open: Vec<Open>,
}

impl<'m, 'w> Marks<'m, 'w> {
    pub(super) fn new(survey: Survey<'m, 'w>, wanted: &Elimination) -> Self {
        let words = survey.m.words().len();
        let members = Bits::new(survey.members as usize);
        let (live, whole) = (Bits::new(words + 1), Bits::new(words + 1));
        let (chains, open) = (Vec::with_capacity(DEEP), Vec::with_capacity(DEEP));
        let partial = partial_blocks(survey.m, wanted);
        let keeps_resources = wanted.keeps_interface;
        let (numbers, renumbers) = (Vec::new(), false);
        let mut marks = Self {
            survey,
            live,
            members,
            whole,
            chains,
            lengths: Vec::new(),
            partial,
            keeps_resources,
            numbers,
            renumbers,
            found: Vec::new(),
            open,
        };
        marks.begin(wanted);
        marks.follow();
        marks.keep_one_member();
        marks.number_members();
        debug::mark(&mut marks);
        marks
    }

    pub(super) fn m(&self) -> &'m Module<'w> {
        self.survey.m
    }

    /// Marks what is live from the outset.
    fn begin(&mut self, wanted: &Elimination) {
        let m = self.m();
        for entry in m.entry_points() {
            if let Some(function) = self.survey.function(entry.function()) {
                self.live_construct(self.survey.functions[function as usize].body);
            }
            self.begin_interface(entry, wanted);
        }
        for at in std::mem::take(&mut self.survey.roots) {
            self.live(at);
            let block = self.survey.notes[at as usize];
            let body = self.body_of(block);
            self.effect_in(body);
        }
        for (construct, function) in std::mem::take(&mut self.survey.endless) {
            self.live_construct(construct);
            self.effect(function);
        }
        for function in 0..self.survey.whole {
            self.keep_function(function);
        }
        for at in std::mem::take(&mut self.survey.sayings) {
            let inst = m.inst_at(at);
            // What says how large a workgroup is says it by being there.
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

    /// Marks what an entry point's interface keeps.
    fn begin_interface(&mut self, entry: EntryPoint<'m>, wanted: &Elimination) {
        let reduces = wanted.reduces(entry);
        for id in entry.interface() {
            let Some(variable) = self.m().definition(id).and_then(Variable::of) else {
                self.want(id);
                continue;
            };
            let dead = wanted.dead(id);
            match variable.storage_class() {
                _ if !reduces => self.want(id),
                StorageClass::OUTPUT => match dead {
                    None => self.want(id),
                    Some(Dead::Whole) => {}
                    Some(Dead::Members(members)) => {
                        self.live(variable.inst().at());
                        let depth = depth_of_block(self.m(), variable);
                        if let Some(part) = self.survey.part(id) {
                            let count = self.members_of(variable);
                            self.read_but(part, depth, count, members);
                        }
                    }
                },
                StorageClass::INPUT if wanted.keeps_interface => self.want(id),
                _ => {}
            }
        }
        if wanted.keeps_interface && reduces {
            for variable in self.m().variables() {
                let class = variable.storage_class();
                if !matches!(
                    class,
                    StorageClass::INPUT | StorageClass::OUTPUT | StorageClass::PRIVATE
                ) {
                    self.want(variable.result());
                }
            }
        }
    }

    /// Reads the members of a block, below this many arrays, but for those that are dead.
    fn read_but(&mut self, part: u32, depth: u32, members: u32, dead: &[u32]) {
        if depth == 0 {
            for member in (0..members).filter(|member| !dead.contains(member)) {
                let child = self.survey.parts.child(part, member);
                self.open.push(Open::Read(child));
            }
            return;
        }
        // What is written whole is read whole.
        if self.survey.parts.writes_of(part).next().is_some() {
            self.open.push(Open::Read(part));
        }
        let mut child = self.survey.parts.get(part).first_child;
        while child != NONE {
            self.read_but(child, depth - 1, members, dead);
            child = self.survey.parts.get(child).next_sibling;
        }
    }

    /// How many members the block has that a variable holds, or arrays of it.
    fn members_of(&self, variable: Variable<'m>) -> u32 {
        let m = self.m();
        let pointee = m.pointer(variable.pointer_type()).map(|(_, pointee)| pointee);
        pointee.map_or(0, |ty| m.members(m.innermost_element(ty)).len() as u32)
    }

    /// Keeps everything in a function.
    fn keep_function(&mut self, function: u32) {
        let (at, end) = {
            let function = &self.survey.functions[function as usize];
            (function.at, function.end)
        };
        self.open.push(Open::Result(function));
        self.effect(function);
        for parameter in self.survey.functions[function as usize].parameters.clone() {
            let Parameter { at, value, .. } = self.survey.parameters[parameter as usize];
            if value != NONE {
                self.want_at(at);
            }
        }
        let mut next = at;
        while next < end {
            let inst = self.m().inst_at(next);
            let is_debug =
                ExtInst::of(inst).is_some_and(|call| self.survey.set(call) == Set::Debug);
            if kind(inst.op()) != Kind::Line && !is_debug {
                self.live(next);
            }
            next = inst.end();
        }
    }

    pub(super) fn follow(&mut self) {
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

    /// Marks the instruction at word `at`.
    #[inline]
    pub(super) fn live(&mut self, at: u32) {
        if self.live.insert(at) {
            self.open.push(Open::Inst(at));
        }
    }

    /// Marks what `id` is, for a use of its value.
    #[inline(always)]
    pub(super) fn want(&mut self, id: Id) {
        let Some(at) = self.m().defined_at(id) else { return };
        self.want_at(at);
    }

    /// Marks the instruction at word `at`, for a use of all that it makes or writes.
    #[inline(always)]
    fn want_at(&mut self, at: u32) {
        self.live(at);
        if self.survey.notes[at as usize + 1] != 0 {
            self.want_noted(at);
        }
    }

    fn want_noted(&mut self, at: u32) {
        match self.survey.note(at) {
            Note::Aggregate(_) => self.want_whole(at),
            Note::Part(part) => self.escape(part),
            Note::Call(call) => {
                let callee = self.survey.calls[call as usize].callee;
                self.open.push(Open::Result(callee));
            }
            Note::Value(value) => {
                let one = &mut self.survey.values[value as usize];
                if std::mem::replace(&mut one.whole, true) {
                    return;
                }
                if one.parameter != NONE {
                    self.open.push(Open::Passed(one.parameter));
                } else if one.members != 0 {
                    // It is live for a member already, and was not visited.
                    self.open.push(Open::Inst(at));
                }
            }
            Note::Set(_) | Note::None => {}
        }
    }

    /// Whoever has the address of `part` may read and write all that is around it.
    fn escape(&mut self, part: u32) {
        let root = *self.survey.parts.root(part);
        self.open.push(Open::Read(root.part));
        if let Owner::Parameter(number) = root.owner {
            self.open.push(Open::Written(number));
        }
    }

    fn want_whole(&mut self, at: u32) {
        if self.whole.insert(at) {
            self.open.push(Open::Whole(at));
        }
    }

    /// Marks the type `id` as something that is pointed to.
    pub(super) fn want_shape(&mut self, id: Id) {
        if let Some(at) = self.m().defined_at(id) {
            self.live(at);
        }
    }

    /// Marks member `member` of the structure at word `at`.
    pub(super) fn want_member(&mut self, at: u32, member: u32) {
        let Note::Aggregate(first) = self.survey.note(at) else { return };
        let inst = self.m().inst_at(at);
        if inst.op() != Op::TYPE_STRUCT {
            return;
        }
        let Some(ty) = inst.words().get(member as usize + 2).copied().and_then(Id::new) else {
            return;
        };
        if self.members.insert(first + member) {
            self.want_shape(ty);
        }
    }

    fn visit_whole(&mut self, at: u32) {
        let inst = self.m().inst_at(at);
        self.live(at);
        if inst.op() != Op::TYPE_STRUCT {
            // The length of an array is no aggregate.
            self.m().for_each_operand(inst, |_, id, _| self.want(id));
            return;
        }
        let id = inst.result().expect("a type has a result");
        for (number, member) in self.m().members(id).enumerate() {
            self.want_member(at, number as u32);
            self.want(member);
        }
    }

    /// Follows what a live instruction needs.
    fn visit(&mut self, at: u32) {
        let inst = self.m().inst_at(at);
        if at < self.survey.bodies {
            return self.visit_global(inst);
        }
        let kind = kind(inst.op());
        match kind {
            // The header of a loop stays without the loop, though it stands in it.
            Kind::Function | Kind::FunctionEnd | Kind::Parameter | Kind::Label => {}
            _ => self.live_block(self.survey.notes[at as usize]),
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

    /// A function stands as a whole, also where something uses it that is no call.
    fn visit_function(&mut self, inst: Inst<'m>) {
        self.want_all(inst);
        match inst.result().and_then(|id| self.survey.function(id)) {
            Some(function) => self.live_construct(self.survey.functions[function as usize].body),
            None => self.survey.is_malformed = true,
        }
    }

    #[inline]
    fn want_all(&mut self, inst: Inst<'m>) {
        self.m().for_each_operand(inst, |_, id, _| self.want(id));
    }

    fn visit_global(&mut self, inst: Inst<'m>) {
        match inst.op() {
            Op::TYPE_STRUCT => {}
            Op::TYPE_POINTER => self.visit_pointer_type(inst),
            Op::TYPE_ARRAY | Op::TYPE_RUNTIME_ARRAY => {
                // What an array is made of is as whole as the array.
                self.m().for_each_operand(inst, |_, id, _| self.want_shape(id));
            }
            _ => self.want_all(inst),
        }
    }
}
