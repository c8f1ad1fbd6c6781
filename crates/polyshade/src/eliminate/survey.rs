//! One walk through everything that the entry points reach: what there is, and what may write to what.

use super::graph::Graph;
use super::kinds::{Kind, kind};
use super::parts::{NONE, Owner, Parts};
use super::pointers::stores;
use super::records::{Call, Function, MOST_MEMBERS, Parameter, Value};
use super::types::is_data;
use super::{Effects, Elimination, loops};
use crate::effects::changes_memory;
use polyshade_spv::view::{ExtInst, ExtInstImport, FunctionCall, Variable};
use polyshade_spv::{Decoration, ExecutionModel, Id, Inst, Module, Op, Section, StorageClass};

/// What is known of an id beside its definition: kept at the word behind the one at which it is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Note {
    None,
    /// It points to this part.
    Part(u32),
    /// It is the result of this call.
    Call(u32),
    /// It is a structure whose first member is this one of all, or an array.
    Aggregate(u32),
    /// It is a set of extended instructions.
    Set(Set),
    /// It makes or stores this structure, or is a parameter that is passed by value.
    Value(u32),
}

/// Sets of extended instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Set {
    /// `GLSL.std.450`.
    Glsl,
    /// A set that says something to tools, and nothing to devices.
    Debug,
    /// Any other.
    Other,
}

const KIND: u32 = 0x3fff_ffff;
/// How many kinds of sets there are.
const SETS: u32 = 3;
/// Words for each pointer or store, and for each block, in shaders as compilers make them.
const WORDS_A_POINTER: usize = 32;
const WORDS_A_BLOCK: usize = 64;

/// What was found.
pub(super) struct Survey<'m, 'w> {
    pub(super) m: &'m Module<'w>,
    /// By word: for an instruction in a function its block; behind it a [`Note`].
    pub(super) notes: Vec<u32>,
    /// Where the functions begin.
    pub(super) bodies: u32,
    pub(super) functions: Vec<Function>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) calls: Vec<Call>,
    pub(super) graph: Graph,
    pub(super) parts: Parts,
    pub(super) values: Vec<Value>,
    /// Declarations that may say something of what nothing else names, and whether there are groups of decorations.
    pub(super) sayings: Vec<u32>,
    pub(super) has_groups: bool,
    /// How many members all structures have.
    pub(super) members: u32,
    /// Instructions that are live whatever becomes of their results, and loops that may not end.
    pub(super) roots: Vec<u32>,
    pub(super) endless: Vec<(u32, u32)>,
    /// Functions of entry points that stay whole, and all that they reach.
    pub(super) whole: u32,
    /// Side effects that are to go.
    pub(super) dropped: Vec<u32>,
    pub(super) pointers: Vec<u32>,
    pub(super) writes: Vec<u32>,
    pub(super) drops_effects: bool,
    /// Other invocations see the outputs: those of tessellation control.
    shares_outputs: bool,
    /// A function has no block, or something outside of its blocks; or something else than a call uses one that nothing
    /// calls.
    pub(super) is_malformed: bool,
}

impl<'m, 'w> Survey<'m, 'w> {
    pub(super) fn new(m: &'m Module<'w>, wanted: &Elimination) -> Self {
        // Room for as much as is usual, so that lists do not grow step by step.
        let words = m.words().len();
        let few = || Vec::with_capacity(words / WORDS_A_POINTER);
        let mut survey = Self {
            m,
            notes: vec![0; words + 1],
            bodies: m.section_end(Section::Globals),
            functions: Vec::new(),
            parameters: Vec::new(),
            calls: Vec::new(),
            graph: Graph::with_room(words / WORDS_A_BLOCK),
            parts: Parts::with_room(words / WORDS_A_POINTER),
            values: Vec::new(),
            sayings: Vec::new(),
            has_groups: false,
            members: 0,
            roots: Vec::new(),
            endless: Vec::new(),
            whole: 0,
            dropped: Vec::new(),
            pointers: few(),
            writes: few(),
            drops_effects: wanted.effects != Effects::Stay,
            shares_outputs: m
                .entry_points()
                .any(|entry| entry.model() == ExecutionModel::TESSELLATION_CONTROL),
            is_malformed: false,
        };
        survey.globals();
        // Functions that stay whole come first: what they share with others stays whole too.
        for entry in m.entry_points().filter(|entry| !wanted.reduces(*entry)) {
            survey.enter(entry.function());
        }
        survey.walk_functions(0);
        survey.whole = survey.functions.len() as u32;
        for entry in m.entry_points().filter(|entry| wanted.reduces(*entry)) {
            survey.enter(entry.function());
        }
        survey.walk_functions(survey.whole);
        survey.resolve_pointers();
        survey.note_writes();
        let endless = loops::find_endless(&survey);
        survey.endless.extend(endless);
        survey
    }

    #[inline]
    pub(super) fn note(&self, at: u32) -> Note {
        let note = self.notes[at as usize + 1];
        match note >> 30 {
            _ if note == 0 => Note::None,
            0 => Note::Part(note - 1),
            1 => Note::Call(note & KIND),
            2 => Note::Aggregate(note & KIND),
            _ => match note & KIND {
                0 => Note::Set(Set::Glsl),
                1 => Note::Set(Set::Debug),
                2 => Note::Set(Set::Other),
                value => Note::Value(value - SETS),
            },
        }
    }

    pub(super) fn set_note(&mut self, at: u32, note: Note) {
        self.notes[at as usize + 1] = match note {
            Note::None => 0,
            Note::Part(part) => part + 1,
            Note::Call(call) => 1 << 30 | call,
            Note::Aggregate(member) => 2 << 30 | member,
            Note::Set(Set::Glsl) => 3 << 30,
            Note::Set(Set::Debug) => 3 << 30 | 1,
            Note::Set(Set::Other) => 3 << 30 | 2,
            Note::Value(value) => 3 << 30 | (value + SETS),
        };
    }

    /// The part that `id` points to.
    #[inline]
    pub(super) fn part(&self, id: Id) -> Option<u32> {
        let note = self.notes[self.m.defined_at(id)? as usize + 1];
        (note != 0 && note >> 30 == 0).then(|| note - 1)
    }

    /// The number of the function `id`, if it was walked through.
    pub(super) fn function(&self, id: Id) -> Option<u32> {
        let at = self.m.defined_at(id)?;
        (self.m.inst_at(at).op() == Op::FUNCTION)
            .then(|| self.notes[at as usize])
            .filter(|f| *f != 0)
            .map(|f| f - 1)
    }

    /// The set of an extended instruction.
    pub(super) fn set(&self, call: ExtInst<'_>) -> Set {
        match self.m.defined_at(call.set()).map(|at| self.note(at)) {
            Some(Note::Set(set)) => set,
            _ => Set::Other,
        }
    }

    fn globals(&mut self) {
        for inst in self.m.preamble() {
            match inst.op() {
                Op::TYPE_STRUCT => {
                    self.set_note(inst.at(), Note::Aggregate(self.members));
                    self.members += inst.words().len() as u32 - 2;
                }
                Op::TYPE_ARRAY | Op::TYPE_RUNTIME_ARRAY => {
                    self.set_note(inst.at(), Note::Aggregate(KIND));
                }
                Op::VARIABLE => self.variable(inst, Owner::Module),
                Op::DECORATION_GROUP => self.has_groups = true,
                Op::DECORATE if inst.words()[2] != Decoration::BUILT_IN.0 => {}
                Op::DECORATE | Op::DECORATE_ID | Op::EXECUTION_MODE_ID => {
                    self.sayings.push(inst.at());
                }
                Op::EXT_INST_IMPORT => {
                    let import = ExtInstImport::of(inst).expect("it is an import");
                    self.set_note(inst.at(), Note::Set(set_named(&import.name())));
                }
                op if kind(op) == Kind::Unknown => self.sayings.push(inst.at()),
                _ => {}
            }
        }
    }

    fn variable(&mut self, inst: Inst<'m>, owner: Owner) {
        let variable = Variable::of(inst).expect("it is a variable");
        let class = variable.storage_class();
        if is_own(class) && !(class == StorageClass::OUTPUT && self.shares_outputs) {
            let part = self.parts.add_root(owner);
            self.set_note(inst.at(), Note::Part(part));
        }
    }

    /// The number of the function `id`, which is walked through in its turn if it is new.
    fn enter(&mut self, id: Id) -> Option<u32> {
        if let Some(function) = self.function(id) {
            return Some(function);
        }
        let body = self.m.function(id)?;
        self.functions.push(Function {
            at: body.at(),
            end: body.end(),
            body: NONE,
            parameters: 0..0,
            calls: NONE,
            live_calls: NONE,
            early_returns: Vec::new(),
            returned: Vec::new(),
            has_effect: false,
            result_wanted: false,
            result_members: 0,
        });
        self.notes[body.at() as usize] = self.functions.len() as u32;
        Some(self.functions.len() as u32 - 1)
    }

    fn walk_functions(&mut self, first: u32) {
        let mut next = first;
        while let Some(Function { at, end, .. }) = self.functions.get(next as usize) {
            let (at, end) = (*at, *end);
            let first_parameter = self.parameters.len() as u32;
            let first_block = self.graph.blocks.len() as u32;
            self.walk(next, at, end);
            let (m, notes) = (self.m, &self.notes);
            let block_of = |id| {
                let label = m.definition(id).filter(|inst| inst.op() == Op::LABEL)?;
                (at..end).contains(&label.at()).then(|| notes[label.at() as usize])
            };
            let (body, structured) = self.graph.structure(m, first_block, block_of);
            let function = &mut self.functions[next as usize];
            function.parameters = first_parameter..self.parameters.len() as u32;
            function.body = body;
            if !structured {
                self.endless.push((body, next));
            }
            self.find_returns(next, first_block);
            next += 1;
        }
    }

    fn find_returns(&mut self, function: u32, first_block: u32) {
        let f = &mut self.functions[function as usize];
        for (number, block) in self.graph.blocks.iter().enumerate().skip(first_block as usize) {
            let kind = kind(self.m.inst_at(block.terminator).op());
            if kind == Kind::ReturnValue {
                f.returned.push(number as u32);
            }
            if matches!(kind, Kind::Return | Kind::ReturnValue) && block.inside != f.body {
                f.early_returns.push(number as u32);
            }
        }
    }

    /// Walks through the function that stands at these words.
    fn walk(&mut self, function: u32, at: u32, end: u32) {
        let mut block = NONE;
        let mut next = at;
        while next < end {
            let inst = self.m.inst_at(next);
            let kind = kind(inst.op());
            next = inst.end();
            match kind {
                Kind::Function | Kind::FunctionEnd => continue,
                Kind::Label => block = self.graph.begin_block(inst.at()),
                Kind::Parameter => self.parameter(inst, function),
                Kind::Line => {}
                _ => self.is_malformed |= block == NONE,
            }
            self.notes[inst.at() as usize] = block;
            if let Some(block) = self.graph.blocks.get_mut(block as usize) {
                // The last instruction of a block ends it.
                if kind != Kind::Line {
                    block.terminator = inst.at();
                }
                if kind == Kind::Merge {
                    block.merge = inst.at();
                }
            }
            match kind {
                Kind::Value | Kind::Extract => self.value(inst),
                _ => self.look_at(inst, kind, function),
            }
        }
        self.is_malformed |= block == NONE;
    }

    fn parameter(&mut self, inst: Inst<'m>, function: u32) {
        let number = self.parameters.len() as u32;
        let class = inst.result().and_then(|id| self.m.storage_class(id));
        let mut part = NONE;
        if class.is_some_and(is_own)
            && !(class == Some(StorageClass::OUTPUT) && self.shares_outputs)
        {
            part = self.parts.add_root(Owner::Parameter(number));
            self.set_note(inst.at(), Note::Part(part));
        }
        let mut value = NONE;
        let ty = inst.result_type().filter(|_| part == NONE);
        if ty.is_some_and(|ty| is_data(self.m, ty)) {
            value = self.values.len() as u32;
            self.set_note(inst.at(), Note::Value(value));
            let (members, whole) = (0, false);
            self.values.push(Value { at: inst.at(), parameter: number, members, whole });
        }
        let (read, wanted, written) = (false, false, false);
        let (reads, waiting) = (Vec::new(), Vec::new());
        let at = inst.at();
        self.parameters.push(Parameter {
            at,
            function,
            part,
            value,
            read,
            wanted,
            written,
            reads,
            waiting,
        });
    }

    fn look_at(&mut self, inst: Inst<'m>, kind: Kind, function: u32) {
        match kind {
            Kind::Chain | Kind::Copy => self.pointer(inst),
            Kind::Variable => self.variable(inst, Owner::Function),
            Kind::Load if is_volatile(inst.words().get(4)) => self.roots.push(inst.at()),
            // Memory operands may name more than the pointer.
            Kind::Load if inst.words().len() == 4 => self.structure(inst, inst.result_type()),
            Kind::Phi => self.structure(inst, inst.result_type()),
            Kind::Store | Kind::CopyMemory => self.writes.push(inst.at()),
            Kind::Call => self.call(inst, function),
            Kind::Extended => {
                let call = ExtInst::of(inst).expect("it is an extended instruction");
                match self.set(call) {
                    Set::Glsl if stores(call) => self.writes.push(inst.at()),
                    Set::Glsl | Set::Debug => {}
                    Set::Other => self.roots.push(inst.at()),
                }
            }
            Kind::Effect if self.drops_effects && changes_memory(self.m, inst) => {
                self.dropped.push(inst.at());
            }
            Kind::Declaration | Kind::Effect | Kind::Unknown => self.roots.push(inst.at()),
            _ => return,
        }
        if matches!(
            kind,
            Kind::CopyMemory | Kind::Call | Kind::Extended | Kind::Effect | Kind::Unknown
        ) {
            let m = self.m;
            m.for_each_operand(inst, |_, id, _| {
                if let Some(part) = self.part(id) {
                    self.parts.root_mut(part).addressed = true;
                }
            });
        }
    }

    /// Notes a value of a structure that is made of others.
    #[inline]
    fn value(&mut self, inst: Inst<'m>) {
        let is_made = match inst.op() {
            Op::COMPOSITE_CONSTRUCT => true,
            Op::COMPOSITE_INSERT => inst.words().len() > 5,
            _ => false,
        };
        if is_made {
            self.structure(inst, inst.result_type());
        }
    }

    /// Notes that `inst` makes or stores a value of type `ty`, if that is a structure.
    #[inline]
    pub(super) fn structure(&mut self, inst: Inst<'m>, ty: Option<Id>) {
        let Some(ty) = ty.and_then(|ty| self.m.defined_at(ty)) else { return };
        // Nearly all are of no structure, and have no note (benchmark `position`).
        if self.notes[ty as usize + 1] == 0 {
            return;
        }
        let (ty, most) = (self.m.inst_at(ty), MOST_MEMBERS as usize + 2);
        if ty.op() == Op::TYPE_STRUCT && ty.words().len() <= most {
            self.set_note(inst.at(), Note::Value(self.values.len() as u32));
            let (parameter, members, whole) = (NONE, 0, false);
            self.values.push(Value { at: inst.at(), parameter, members, whole });
        }
    }

    fn call(&mut self, inst: Inst<'m>, caller: u32) {
        let call = FunctionCall::of(inst).expect("it is a call");
        let Some(callee) = self.enter(call.function()) else {
            self.roots.push(inst.at());
            return;
        };
        let number = self.calls.len() as u32;
        let next = self.functions[callee as usize].calls;
        self.functions[callee as usize].calls = number;
        let (next_live, live) = (NONE, false);
        self.calls.push(Call { at: inst.at(), caller, callee, next, next_live, live });
        self.set_note(inst.at(), Note::Call(number));
        self.writes.push(inst.at());
    }
}

/// Whether nobody else sees memory of this class while the invocation runs.
fn is_own(class: StorageClass) -> bool {
    matches!(class, StorageClass::FUNCTION | StorageClass::PRIVATE | StorageClass::OUTPUT)
}

fn is_volatile(memory_operands: Option<&u32>) -> bool {
    const VOLATILE: u32 = 1;
    memory_operands.is_some_and(|mask| mask & VOLATILE != 0)
}

fn set_named(name: &str) -> Set {
    match name {
        "GLSL.std.450" => Set::Glsl,
        "DebugInfo" | "OpenCL.DebugInfo.100" => Set::Debug,
        _ if name.starts_with("NonSemantic.") => Set::Debug,
        _ => Set::Other,
    }
}
