//! Edits. They are queued while a version is read, and merged once.

mod cursor;
mod debug;
mod declare;
mod fresh;
mod merge;
mod preamble;
mod queue;

pub use cursor::Cursor;
pub use debug::is_debug_set;
pub use merge::{Progress, Rewritten};

use crate::code;
use queue::{Edit, Interface, Queue};

use crate::decorations::Applied;
use crate::grammar::{Decoration, Grammar, Op, StorageClass};
use crate::inst::{EntryPoint, Inst, Operand, Version};
use crate::scan::{SECTIONS, Section};
use crate::{Error, Id, Module, operands, text};
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// The highest id that a module may have (SPIR-V specification, 2.17, universal limits).
const LAST_ID: u32 = 4_194_303;
/// The limit on the number of words that a patch may add: this multiple of the words of the version, plus a constant.
const MOST_ADDED: usize = 16;
const LEAST_ADDED: usize = 1 << 20;
/// How many constants of type `uint` are cached.
const SMALL_CONSTANTS: usize = 32;
/// The maximum word count of an instruction.
const LONGEST: usize = u16::MAX as usize;

/// A place in a version where instructions can be inserted.
///
/// Instructions at one position are in the order of insertion. Several *slots* can share a place. All instructions of
/// a slot follow the instructions of the previous slots, regardless of the order of insertion.
///
/// Like an instruction, a position belongs to one version:
///
/// ```compile_fail,E0521
/// # let words = [0x0723_0203, 0x1_0000, 0, 1, 0, 0x3_000e, 0, 1];
/// # use polyshade_spv::{Module, Op};
/// let first = Module::parse(&words)?;
/// let old = first.instructions().next().expect("there is one").before();
/// let second = first.rewrite(|_, p| Ok(p.extension("SPV_KHR_multiview")))?.module;
/// second.rewrite(|_, p| Ok(p.insert(old, Op::NOP, &[])))?;
/// # Ok::<(), polyshade_spv::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position<'m> {
    /// The offset of the following word in the upper half, the slot in the lower half.
    order: u64,
    version: Version<'m>,
}

impl Position<'_> {
    fn new(at: u32, slot: u32) -> Self {
        Self::of_order(u64::from(at) << 32 | u64::from(slot))
    }

    fn of_order(order: u64) -> Self {
        Self { order, version: PhantomData }
    }
}

impl<'m> Inst<'m> {
    /// The position before this instruction. It comes after instructions that are inserted [after](Self::after) the
    /// previous one.
    pub fn before(self) -> Position<'m> {
        Position::new(self.at(), 0)
    }

    /// The position after this instruction.
    pub fn after(self) -> Position<'m> {
        Position::new(self.end(), 0)
    }
}

/// The queued edits of one version.
///
/// Besides insertions, there are three kinds of edits. *Declarations* are looked up by key, so that nothing is
/// declared twice. *Overwrites* replace a word; two overwrites of one word must agree. *Removals* delete an
/// instruction and win over overwrites. Queueing an edit cannot fail: the patch keeps its first error and returns it
/// at the merge.
#[derive(Debug)]
pub struct Patch<'m, 'w> {
    module: &'m Module<'w>,
    next_id: u32,
    names: bool,
    queue: Queue,
    slots: u32,
    /// `uint`, its smallest constants and `float` are cached because they are requested most often.
    uint: Option<Id>,
    float: Option<Id>,
    small_constants: [Option<Id>; SMALL_CONSTANTS],
    /// The most recent pointer type, cached because it is often requested repeatedly.
    last_pointer: Option<((StorageClass, Id), Id)>,
    /// For each instruction that applies a group (the key is its offset), the targets that leave the group, each with
    /// its member.
    ungrouped: BTreeMap<u32, Vec<(Id, Option<u32>)>>,
    error: Option<Error>,
}

impl<'m, 'w> Patch<'m, 'w> {
    pub(crate) fn new(module: &'m Module<'w>) -> Self {
        Self {
            module,
            next_id: module.bound(),
            names: true,
            queue: Queue::default(),
            slots: 0,
            uint: None,
            float: None,
            small_constants: [None; SMALL_CONSTANTS],
            last_pointer: None,
            ungrouped: BTreeMap::new(),
            error: None,
        }
    }

    /// Enables or disables the debug names that [`name`](Self::name) adds. They are enabled by default.
    pub fn set_names(&mut self, names: bool) {
        self.names = names;
    }

    /// Makes new ids start at `first`, if `first` is above the bound.
    pub fn set_first_id(&mut self, first: u32) {
        self.next_id = self.next_id.max(first);
    }

    /// Returns a new id.
    pub fn id(&mut self) -> Id {
        self.ids(1)
    }

    /// Returns the first of `count` consecutive new ids.
    #[inline]
    pub fn ids(&mut self, count: u32) -> Id {
        let end = self.next_id.saturating_add(count);
        if end > LAST_ID + 1 {
            return self.no_ids();
        }
        let first = Id::new(self.next_id).expect("the bound is never 0");
        self.next_id = end;
        first
    }

    #[cold]
    fn no_ids(&mut self) -> Id {
        let message = format!("cannot add an id: all ids below {} are in use", LAST_ID + 1);
        self.fail(Error::new(&code::SPIRV_TOO_MANY_IDS, message));
        Id::new(LAST_ID).expect("the last id is not 0")
    }

    #[cold]
    fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }

    /// Returns a cursor that emits instructions at `at`.
    pub fn at(&mut self, at: Position<'m>) -> Cursor<'_, 'm, 'w> {
        Cursor::new(self, at)
    }

    /// The position after the last instruction of `section`.
    pub fn end_of(&self, section: Section) -> Position<'m> {
        // If sections are empty, several of them end at one place; the slot keeps them in order.
        Position::new(self.module.section_end(section), section as u32 + 1)
    }

    /// Returns a new slot at the end of the module, for an added function. It follows all earlier slots.
    pub fn slot(&mut self) -> Position<'m> {
        self.slots += 1;
        Position::new(self.module.words().len() as u32, SECTIONS as u32 + self.slots)
    }

    /// Inserts an instruction with the opcode `op`; `operands` are all words after the first.
    pub fn insert(&mut self, at: Position<'m>, op: Op, operands: &[u32]) {
        self.insert_with(at, op, |words| words.extend_from_slice(operands));
    }

    /// Inserts an instruction; `operands` appends all words after the first.
    fn insert_with(&mut self, at: Position<'m>, op: Op, operands: impl FnOnce(&mut Vec<u32>)) {
        // Limit the size: a few decoration groups can expand to a disproportionate number of decorations.
        if self.queue.pool.len() > self.module.words().len() * MOST_ADDED + LEAST_ADDED {
            let message = format!("more than {} words would be added", self.queue.pool.len());
            return self.fail(Error::new(&code::SPIRV_TOO_MANY_WORDS_ADDED, message));
        }
        self.queue.begin();
        let start = self.queue.pool.len();
        self.queue.pool.push(0);
        operands(&mut self.queue.pool);
        let count = self.queue.pool.len() - start;
        if count > LONGEST {
            self.queue.pool.truncate(start);
            let message = format!("an instruction would have {count} words, more than {LONGEST}");
            return self.fail(Error::new(&code::SPIRV_INSTRUCTION_TOO_LONG, message));
        }
        self.queue.pool[start] = (count as u32) << 16 | u32::from(op.0);
        self.queue.insert(at.order, start);
    }

    /// Inserts an instruction with a literal string after `operands`.
    fn insert_text(&mut self, at: Position<'m>, op: Op, operands: &[u32], literal: &str) {
        self.insert_with(at, op, |words| {
            words.extend_from_slice(operands);
            text::encode(literal, words);
        });
    }

    /// Inserts `words`, which are whole instructions, and returns the copies so that the caller can overwrite ids.
    ///
    /// # Panics
    ///
    /// If the words are not whole instructions.
    pub fn insert_words(&mut self, at: Position<'m>, words: &[u32]) -> &mut [u32] {
        let mut rest = words;
        while let Some(first) = rest.first() {
            let count = (first >> 16) as usize;
            assert!(count > 0 && count <= rest.len(), "only complete instructions are inserted");
            rest = &rest[count..];
        }
        self.queue.begin();
        let start = self.queue.pool.len();
        self.queue.pool.extend_from_slice(words);
        self.queue.insert(at.order, start);
        &mut self.queue.pool[start..]
    }

    /// Removes an instruction.
    pub fn remove(&mut self, inst: Inst<'m>) {
        self.queue.remove(inst.at(), inst.end());
    }

    /// Replaces the word of an operand.
    pub fn overwrite(&mut self, operand: Operand<'m>, word: u32) {
        self.queue.begin();
        self.queue.edits.push(Edit::overwrite(operand.at(), word));
    }

    /// Replaces the result type of `inst`.
    pub fn set_result_type(&mut self, inst: Inst<'m>, ty: Id) {
        assert!(Grammar::of(inst.op()).has_type(), "{inst:?} has no result type");
        self.overwrite(inst.operand(1), ty.word());
    }

    /// Replaces the result id of `inst`.
    pub fn set_result(&mut self, inst: Inst<'m>, id: Id) {
        let word = Grammar::of(inst.op()).result_word().expect("the instruction has a result");
        self.overwrite(inst.operand(word), id.word());
    }

    /// Replaces `from` by `to` in every operand of `inst` that is an id.
    pub fn replace(&mut self, inst: Inst<'m>, from: Id, to: Id) {
        self.module.for_each_operand(inst, |operand, id, certain| {
            if certain && id == from {
                self.overwrite(operand, to.word());
            }
        });
    }

    /// Replaces `from` by `to` in the operands of `inst`, an extended instruction. All operands are treated as ids,
    /// so literals are replaced, too; only the debug sets of OpenCL have literals.
    pub fn replace_extended(&mut self, inst: Inst<'m>, from: Id, to: Id) {
        assert!(inst.op() == Op::EXT_INST, "{inst:?} is not an extended instruction");
        self.module.for_each_operand(inst, |operand, id, _| {
            if id == from {
                self.overwrite(operand, to.word());
            }
        });
    }

    /// Removes the definition of `id`, and its names, decorations, entries in interfaces, and debug information.
    pub fn remove_definition(&mut self, id: Id) {
        if let Some(inst) = self.module.definition(id) {
            self.remove(inst);
        }
        for at in self.module.names().all_of(id) {
            self.remove(self.module.inst_at(at));
        }
        self.undecorate(id, |_, _| true);
        for entry in self.module.entry_points() {
            if entry.interface().any(|variable| variable == id) {
                self.leave_interface(entry, id);
            }
        }
        self.remove_debug_of(id);
    }

    /// Removes those decorations of `id` and its members for which `is_removed` returns `true`.
    pub fn undecorate(&mut self, id: Id, is_removed: impl Fn(Option<u32>, Decoration) -> bool) {
        let module = self.module;
        let mut leaves_groups = false;
        for applied in module.decorations_of(id) {
            if is_removed(applied.member, applied.decoration) {
                match applied.by_group {
                    true => leaves_groups = true,
                    false => self.remove(applied.inst),
                }
            }
        }
        if leaves_groups {
            // The group stays for its other targets. The remaining decorations of this target are added to it
            // directly.
            for inst in module
                .decoration_instructions(id)
                .filter(|inst| Module::is_group_decorate(inst.op()))
            {
                self.leave_group(inst, id);
            }
            let stays = |applied: &Applied<'_>| !is_removed(applied.member, applied.decoration);
            let grouped = module.decorations_of(id).filter(|applied| applied.by_group);
            for applied in grouped.filter(stays) {
                self.copy_decoration(id, applied.member, &applied);
            }
        }
    }

    fn leave_group(&mut self, inst: Inst<'m>, id: Id) {
        let members: Vec<Option<u32>> = match inst.op() {
            Op::GROUP_DECORATE => vec![None],
            _ => inst.words()[2..]
                .chunks_exact(2)
                .filter(|pair| pair[0] == id.word())
                .map(|pair| Some(pair[1]))
                .collect(),
        };
        let leaving = self.ungrouped.entry(inst.at()).or_default();
        leaving.extend(members.into_iter().map(|member| (id, member)));
    }

    /// Adds `variable` to the interface of `entry`, unless the interface contains it.
    pub fn join_interface(&mut self, entry: EntryPoint<'m>, variable: Id) {
        self.queue.interfaces.push(Interface { at: entry.inst().at(), variable, joins: true });
    }

    /// Removes `variable` from the interface of `entry`.
    pub fn leave_interface(&mut self, entry: EntryPoint<'m>, variable: Id) {
        self.queue.interfaces.push(Interface { at: entry.inst().at(), variable, joins: false });
    }

    /// Makes `function` the function of `entry`.
    pub fn set_entry_function(&mut self, entry: EntryPoint<'m>, function: Id) {
        self.overwrite(entry.inst().operand(2), function.word());
    }

    /// The version that the patch edits.
    pub fn module(&self) -> &'m Module<'w> {
        self.module
    }

    /// The position after the last module-scope operand of the instruction `words`, where the instruction can be
    /// inserted.
    fn behind_operands(&self, words: &[u32]) -> Position<'m> {
        let start = self.module.section_end(Section::Annotations);
        let mut position = Position::new(start, Section::Globals as u32 + 1);
        operands::for_each_id(words, 1, |word, _| {
            let Some(id) = Id::new(words[word]) else { return };
            let declared_at = &self.queue.declared_at;
            let behind = match declared_at.binary_search_by_key(&id, |(fresh, _)| *fresh) {
                Ok(fresh) => Position::of_order(declared_at[fresh].1),
                Err(_) => match self.module.definition(id) {
                    Some(inst) => inst.after(),
                    None => return,
                },
            };
            position = position.max(behind);
        });
        position
    }
}
