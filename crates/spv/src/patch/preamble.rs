//! Adds capabilities, extensions, imports, execution modes, names and decorations.

use super::Patch;
use super::queue::Queue;
use crate::decorations::Applied;
use crate::grammar::{Decoration, Op};
use crate::inst::ExtInstImport;
use crate::scan::Section;
use crate::{Capability, ExecutionMode, Id, text};

impl Patch<'_, '_> {
    /// Declares `capability`, unless it is already declared.
    pub fn capability(&mut self, capability: Capability) {
        let words = [2 << 16 | u32::from(Op::CAPABILITY.0), capability.0];
        self.declare_line(Section::Capabilities, &words);
    }

    /// Declares the SPIR-V extension `name`, unless it is already declared.
    pub fn extension(&mut self, name: &str) {
        let mut words = std::mem::take(&mut self.queue.scratch);
        words.clear();
        words.push(0);
        text::encode(name, &mut words);
        words[0] = (words.len() as u32) << 16 | u32::from(Op::EXTENSION.0);
        self.declare_line(Section::Extensions, &words);
        self.queue.scratch = words;
    }

    /// Inserts the instruction `words` at the end of `section`, unless the section contains the same instruction.
    fn declare_line(&mut self, section: Section, words: &[u32]) {
        let Queue { lines, pool, .. } = &self.queue;
        if lines.iter().any(|(start, end)| pool[*start..*end] == *words)
            || self.module.section(section).any(|inst| inst.words() == words)
        {
            return;
        }
        let start = self.queue.pool.len();
        self.insert(self.end_of(section), Op(words[0] as u16), &words[1..]);
        self.queue.lines.push((start, self.queue.pool.len()));
    }

    /// Returns the id of the extended instruction set `name`, and imports the set if necessary.
    pub fn import(&mut self, name: &str) -> Id {
        let mut imports = self.module.section(Section::Imports).filter_map(ExtInstImport::of);
        if let Some(import) = imports.find(|import| import.name() == name) {
            return import.set();
        }
        let Queue { imports, pool, .. } = &self.queue;
        let mut imported = imports.iter().map(|start| &pool[*start..]);
        if let Some(words) = imported.find(|words| text::decode(&words[2..]) == name) {
            return Id::new(words[1]).expect("an emitted import has a valid id");
        }
        let (set, start) = (self.id(), self.queue.pool.len());
        self.insert_text(self.end_of(Section::Imports), Op::EXT_INST_IMPORT, &[set.word()], name);
        // No instruction was inserted if the limit is exceeded.
        if self.queue.pool.len() > start {
            self.queue.imports.push(start);
        }
        set
    }

    /// Adds `text` as an `OpModuleProcessed`. SPIR-V 1.0 lacks that instruction, so `text` becomes an
    /// `OpSourceExtension` there.
    pub fn note(&mut self, text: &str) {
        let (section, op) = match self.module.version() >= (1, 1) {
            true => (Section::Processed, Op::MODULE_PROCESSED),
            false => (Section::Sources, Op::SOURCE_EXTENSION),
        };
        self.insert_text(self.end_of(section), op, &[], text);
    }

    /// Adds an execution mode to the function `entry_point`.
    pub fn mode(&mut self, entry_point: Id, mode: ExecutionMode, operands: &[u32]) {
        let mut words = vec![entry_point.word(), mode.0];
        words.extend_from_slice(operands);
        self.insert(self.end_of(Section::ExecutionModes), Op::EXECUTION_MODE, &words);
    }

    /// Adds a debug name to `id`, unless names are disabled.
    pub fn name(&mut self, id: Id, name: &str) {
        if self.names {
            self.insert_text(self.end_of(Section::Names), Op::NAME, &[id.word()], name);
        }
    }

    /// Adds a debug name to a member of the structure `id`, unless names are disabled.
    pub fn member_name(&mut self, id: Id, member: u32, name: &str) {
        if self.names {
            let at = self.end_of(Section::Names);
            self.insert_text(at, Op::MEMBER_NAME, &[id.word(), member], name);
        }
    }

    /// Decorates `id`.
    pub fn decorate(&mut self, id: Id, decoration: Decoration, operands: &[u32]) {
        self.decorate_maybe_member(id, None, decoration, operands);
    }

    /// The ids that this patch has decorated with `decoration` and the single operand `operand`.
    pub fn added_with(&self, decoration: Decoration, operand: u32) -> impl Iterator<Item = Id> {
        let decorated = self.queue.decorated.iter();
        let with = decorated
            .filter(move |(attached, literal, _)| (*attached, *literal) == (decoration, operand));
        with.map(|(_, _, id)| *id)
    }

    /// Decorates member `member` of the structure `id`.
    pub fn decorate_member(
        &mut self,
        id: Id,
        member: u32,
        decoration: Decoration,
        operands: &[u32],
    ) {
        self.decorate_maybe_member(id, Some(member), decoration, operands);
    }

    /// Decorates `id`, or its member `member` if given. The opcode depends on whether the operands are literals, a
    /// string or ids.
    pub fn decorate_maybe_member(
        &mut self,
        id: Id,
        member: Option<u32>,
        decoration: Decoration,
        operands: &[u32],
    ) {
        let op = match (decoration, member) {
            (Decoration::USER_SEMANTIC | Decoration::USER_TYPE_GOOGLE, None) => Op::DECORATE_STRING,
            (Decoration::USER_SEMANTIC | Decoration::USER_TYPE_GOOGLE, Some(_)) => {
                Op::MEMBER_DECORATE_STRING
            }
            (
                Decoration::UNIFORM_ID | Decoration::ALIAS_SCOPE_INTEL | Decoration::NO_ALIAS_INTEL,
                None,
            )
            | (Decoration::COUNTER_BUFFER, None) => Op::DECORATE_ID,
            (_, None) => Op::DECORATE,
            (_, Some(_)) => Op::MEMBER_DECORATE,
        };
        self.decorate_by(op, id, member, decoration, operands);
    }

    /// Copies a decoration of another target to `id`, or to its member `member` if given. The kind of instruction and
    /// the operands stay the same.
    pub fn copy_decoration(&mut self, id: Id, member: Option<u32>, applied: &Applied<'_>) {
        let op = match (applied.inst.op(), member) {
            (Op::DECORATE_STRING | Op::MEMBER_DECORATE_STRING, None) => Op::DECORATE_STRING,
            (Op::DECORATE_STRING | Op::MEMBER_DECORATE_STRING, Some(_)) => {
                Op::MEMBER_DECORATE_STRING
            }
            (Op::DECORATE_ID, None) => Op::DECORATE_ID,
            (_, None) => Op::DECORATE,
            (_, Some(_)) => Op::MEMBER_DECORATE,
        };
        self.decorate_by(op, id, member, applied.decoration, applied.operands);
    }

    fn decorate_by(
        &mut self,
        op: Op,
        id: Id,
        member: Option<u32>,
        decoration: Decoration,
        operands: &[u32],
    ) {
        if let (None, [literal]) = (member, operands) {
            self.queue.decorated.push((decoration, *literal, id));
        }
        self.insert_with(self.end_of(Section::Annotations), op, |words| {
            words.push(id.word());
            words.extend(member);
            words.push(decoration.0);
            words.extend_from_slice(operands);
        });
    }
}
