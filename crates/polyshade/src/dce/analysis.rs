//! Facts about a module, found by the [walk](super::walk) before the marking and used during it.

use super::graph::Graph;
use super::index::{
    At, Block, Call, Construct, Function, Index, Member, Parameter, Part, Table, Value,
};
use super::notes::{Note, Notes, Set};
use super::parts::Parts;
use super::records::{CallRecord, FunctionRecord, MOST_MEMBERS, ParameterRecord, ValueRecord};
use polyshade_spv::view::ExtInst;
use polyshade_spv::{Definitions, Id, Inst, Module, Op, Section};

/// The average number of words per pointer or store, and per block, in compiled shaders.
pub(super) const WORDS_A_POINTER: usize = 32;
const WORDS_A_BLOCK: usize = 64;

/// The facts about a module.
pub(super) struct Analysis<'m, 'w> {
    pub(super) m: &'m Module<'w>,
    definitions: Definitions<'m>,
    pub(super) notes: Notes,
    /// The offset of the first function, in words.
    pub(super) bodies: u32,
    pub(super) functions: Table<Function, FunctionRecord>,
    /// Blocks that return from inside a construct, and blocks that return a value, grouped by function.
    pub(super) early_returns: Vec<Block>,
    pub(super) returned: Vec<Block>,
    pub(super) parameters: Table<Parameter, ParameterRecord>,
    pub(super) calls: Table<Call, CallRecord>,
    pub(super) graph: Graph,
    pub(super) parts: Parts,
    pub(super) values: Table<Value, ValueRecord>,
    /// Annotations that may keep a declaration alive, and whether the module has decoration groups.
    pub(super) annotations: Vec<At>,
    pub(super) has_groups: bool,
    /// The total number of members of all structures.
    pub(super) members: u32,
    /// Instructions that are live whether or not their results are used.
    pub(super) roots: Vec<At>,
    /// Constructs that may never be left, each with the function that contains it.
    pub(super) endless: Vec<(Construct, Function)>,
    /// Functions before this index are kept as a whole.
    pub(super) first_reduced: Function,
    /// Side effects that the options drop.
    pub(super) dropped: Vec<At>,
    /// Whether a function has no block or has code outside of blocks, or a function that is never called has another
    /// use.
    pub(super) is_malformed: bool,
}

impl<'m, 'w> Analysis<'m, 'w> {
    /// Returns an empty analysis with the usual capacities, to avoid reallocations.
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

    #[inline]
    pub(super) fn defined_at(&self, id: Id) -> Option<At> {
        self.definitions.at(id).map(At::from_word)
    }

    #[inline]
    pub(super) fn note(&self, at: At) -> Note {
        self.notes.note(at)
    }

    /// Returns the block that contains an instruction, if an entry point reaches the function.
    #[inline]
    pub(super) fn block_of(&self, at: At) -> Option<Block> {
        self.notes.block(at)
    }

    /// Returns the block with the label `id`, if it is a label.
    pub(super) fn block(&self, id: Id) -> Option<Block> {
        let at = self.defined_at(id)?;
        if self.inst(at).op() == Op::LABEL { self.block_of(at) } else { None }
    }

    /// Returns the part that `id` points to.
    #[inline]
    pub(super) fn part(&self, id: Id) -> Option<Part> {
        match self.note(self.defined_at(id)?) {
            Note::Part(part) => Some(part),
            _ => None,
        }
    }

    /// Returns the function `id`, if an entry point reaches it.
    pub(super) fn function(&self, id: Id) -> Option<Function> {
        match self.note(self.defined_at(id)?) {
            Note::Function(function) => Some(function),
            _ => None,
        }
    }

    /// Returns the kind of the instruction set of an extended instruction.
    pub(super) fn set(&self, call: ExtInst<'_>) -> Set {
        match self.defined_at(call.set()).map(|at| self.note(at)) {
            Some(Note::Set(set)) => set,
            _ => Set::Other,
        }
    }

    /// Returns the first member of the structure type at `at`.
    pub(super) fn first_member(&self, at: At) -> Option<Member> {
        match self.note(at) {
            Note::Structure(first) => Some(first),
            _ => None,
        }
    }

    /// Whether `part` is a whole variable with an address that is only used to load and store all of it.
    pub(super) fn is_plain_variable(&self, part: Part) -> bool {
        let root = self.parts.root(part);
        !root.addressed && root.part == part
    }

    /// Adds a value for the object that `inst` makes or stores, if its type `ty` is a structure.
    #[inline]
    pub(super) fn add_value(&mut self, inst: Inst<'m>, ty: Option<Id>) {
        let Some(ty) = ty.and_then(|ty| self.defined_at(ty)) else { return };
        // Nearly all types are not structures and have no note (benchmark `position`).
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
