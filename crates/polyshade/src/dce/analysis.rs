//! What is known of a module before and while it is marked: data, and questions that are answered from it. The
//! [walk](super::walk) fills it.

use super::graph::Graph;
use super::index::{
    At, Block, Call, Construct, Function, Index, Member, Parameter, Part, Table, Value,
};
use super::notes::{Note, Notes, Set};
use super::parts::Parts;
use super::records::{CallRecord, FunctionRecord, MOST_MEMBERS, ParameterRecord, ValueRecord};
use polyshade_spv::view::ExtInst;
use polyshade_spv::{Definitions, Id, Inst, Module, Op, Section};

/// Words for each pointer or store, and for each block, in shaders as compilers make them.
pub(super) const WORDS_A_POINTER: usize = 32;
const WORDS_A_BLOCK: usize = 64;

/// What is known of a module.
pub(super) struct Analysis<'m, 'w> {
    pub(super) m: &'m Module<'w>,
    definitions: Definitions<'m>,
    pub(super) notes: Notes,
    /// The word at which the functions begin.
    pub(super) bodies: u32,
    pub(super) functions: Table<Function, FunctionRecord>,
    /// The blocks that return from inside of a construct, and those that return a value, by function.
    pub(super) early_returns: Vec<Block>,
    pub(super) returned: Vec<Block>,
    pub(super) parameters: Table<Parameter, ParameterRecord>,
    pub(super) calls: Table<Call, CallRecord>,
    pub(super) graph: Graph,
    pub(super) parts: Parts,
    pub(super) values: Table<Value, ValueRecord>,
    /// Annotations that may keep alive what nothing else names, and whether there are decoration groups.
    pub(super) annotations: Vec<At>,
    pub(super) has_groups: bool,
    /// How many members all structures have.
    pub(super) members: u32,
    /// Instructions that are live whatever becomes of their results.
    pub(super) roots: Vec<At>,
    /// Constructs that may never be left, with the function that each is in.
    pub(super) endless: Vec<(Construct, Function)>,
    /// The functions before this one stay whole.
    pub(super) first_reduced: Function,
    /// Side effects that are to go.
    pub(super) dropped: Vec<At>,
    /// A function has no block, or something outside of its blocks; or something else than a call uses one that nothing
    /// calls.
    pub(super) is_malformed: bool,
}

impl<'m, 'w> Analysis<'m, 'w> {
    /// Nothing is known yet. There is room for as much as is usual, so that lists do not grow step by step.
    pub(super) fn new(m: &'m Module<'w>) -> Self {
        let words = m.words().len();
        Self {
            m,
            definitions: m.definitions(),
            notes: Notes::new(words),
            bodies: m.section_end(Section::Globals),
            functions: Table::default(),
            early_returns: Vec::new(),
            returned: Vec::new(),
            parameters: Table::default(),
            calls: Table::default(),
            graph: Graph::with_room(words / WORDS_A_BLOCK),
            parts: Parts::with_room(words / WORDS_A_POINTER),
            values: Table::default(),
            annotations: Vec::new(),
            has_groups: false,
            members: 0,
            roots: Vec::new(),
            endless: Vec::new(),
            first_reduced: Function::new(0),
            dropped: Vec::new(),
            is_malformed: false,
        }
    }

    #[inline]
    pub(super) fn inst(&self, at: At) -> Inst<'m> {
        self.m.inst_at(at.word())
    }

    /// The instruction that defines `id`.
    #[inline]
    pub(super) fn defined_at(&self, id: Id) -> Option<At> {
        self.definitions.at(id).map(At::from_word)
    }

    #[inline]
    pub(super) fn note(&self, at: At) -> Note {
        self.notes.note(at)
    }

    /// The block that an instruction stands in, if an entry point reaches its function.
    #[inline]
    pub(super) fn block_of(&self, at: At) -> Option<Block> {
        self.notes.block(at)
    }

    /// The block that begins with the label `id`, if that is one.
    pub(super) fn block(&self, id: Id) -> Option<Block> {
        let at = self.defined_at(id)?;
        if self.inst(at).op() == Op::LABEL { self.block_of(at) } else { None }
    }

    /// The part that `id` points to.
    #[inline]
    pub(super) fn part(&self, id: Id) -> Option<Part> {
        match self.note(self.defined_at(id)?) {
            Note::Part(part) => Some(part),
            _ => None,
        }
    }

    /// The function `id`, if an entry point reaches it.
    pub(super) fn function(&self, id: Id) -> Option<Function> {
        match self.note(self.defined_at(id)?) {
            Note::Function(function) => Some(function),
            _ => None,
        }
    }

    /// The set of an extended instruction.
    pub(super) fn set(&self, call: ExtInst<'_>) -> Set {
        match self.defined_at(call.set()).map(|at| self.note(at)) {
            Some(Note::Set(set)) => set,
            _ => Set::Other,
        }
    }

    /// The first member of the structure type at `at`.
    pub(super) fn first_member(&self, at: At) -> Option<Member> {
        match self.note(at) {
            Note::Structure(first) => Some(first),
            _ => None,
        }
    }

    /// Whether `part` lies in a whole variable whose address nothing else knows, and is all of it.
    pub(super) fn is_plain_variable(&self, part: Part) -> bool {
        let root = self.parts.root(part);
        !root.addressed && root.part == part
    }

    /// Adds the value that `inst` makes or stores, of type `ty`, if that is a structure.
    #[inline]
    pub(super) fn add_value(&mut self, inst: Inst<'m>, ty: Option<Id>) {
        let Some(ty) = ty.and_then(|ty| self.defined_at(ty)) else { return };
        // Nearly all are of no structure, and have no note (benchmark `position`).
        if !self.notes.has_note(ty) {
            return;
        }
        let Note::Structure(_) = self.note(ty) else { return };
        if self.inst(ty).words().len() <= MOST_MEMBERS as usize + 2 {
            let at = At::of(inst);
            let (parameter, members, whole) = (None, 0, false);
            let value = self.values.push(ValueRecord { at, parameter, members, whole });
            self.notes.set_note(at, Note::Value(value));
        }
    }
}
