//! The queue of a patch. All patches of a thread reuse one queue's memory: most rewrites are short, and new
//! allocations would take a twentieth of their time (benchmark `corpus-cost`).

use super::fresh::Fresh;
use crate::{Decoration, Id};
use std::cell::Cell;

/// One edit. It is packed so that the sort key is a single number (benchmark `corpus-cost`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Edit {
    /// The offset of the first word in the upper half. The lower half holds the slot of an insertion, or the constant
    /// for a removal or an overwrite; both constants are greater than every slot.
    pub(super) order: u64,
    operands: [u32; 2],
}

/// These values exceed every slot because a patch has no more slots than ids.
const REMOVE: u32 = u32::MAX - 1;
const OVERWRITE: u32 = u32::MAX;

pub(super) enum EditKind {
    /// Inserts the words `start..end` of the pool.
    Insert { start: u32, end: u32 },
    /// Removes the words of the version from the edit's offset up to `end`.
    Remove { end: u32 },
    /// Replaces the word at the edit's offset by `word`.
    Overwrite { word: u32 },
}

impl Edit {
    pub(super) fn overwrite(at: u32, word: u32) -> Self {
        Self { order: u64::from(at) << 32 | u64::from(OVERWRITE), operands: [word, 0] }
    }

    pub(super) fn at(self) -> u32 {
        (self.order >> 32) as u32
    }

    pub(super) fn kind(self) -> EditKind {
        let [first, second] = self.operands;
        match self.order as u32 {
            REMOVE => EditKind::Remove { end: first },
            OVERWRITE => EditKind::Overwrite { word: first },
            _ => EditKind::Insert { start: first, end: second },
        }
    }
}

/// A variable that leaves or joins the interface of an entry point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interface {
    /// The offset of the entry point.
    pub(super) at: u32,
    pub(super) variable: Id,
    pub(super) joins: bool,
}

/// The lists of edits, and other lists that a patch needs.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Whether an edit has been queued. If so, the queue has taken the thread's spare memory.
    has_begun: bool,
    /// The inserted words.
    pub(super) pool: Vec<u32>,
    pub(super) edits: Vec<Edit>,
    /// Declared types and constants.
    pub(super) declared: Fresh,
    /// The [orders](super::Position) of the declarations of new module-scope ids, in ascending order of the ids.
    pub(super) declared_at: Vec<(Id, u64)>,
    /// The start and end in the pool of declared capabilities and extensions.
    pub(super) lines: Vec<(usize, usize)>,
    /// The start in the pool of imports of extended instruction sets.
    pub(super) imports: Vec<usize>,
    /// Types and constants that were moved to a place directly after their operands.
    pub(super) hoisted: Vec<Id>,
    /// Decorations that the patch added and that have one literal.
    pub(super) decorated: Vec<(Decoration, u32, Id)>,
    pub(super) interfaces: Vec<Interface>,
    /// The words of an instruction under construction.
    pub(super) scratch: Vec<u32>,
    /// The operands of a declaration under construction.
    pub(super) operands: Vec<u32>,
}

/// The maximum length of the lists that are kept. The other lists grow with these three, so a thread keeps at most
/// half a MiB.
const MOST_KEPT: usize = 1 << 14;

thread_local! {
    /// The empty lists of a merged patch.
    static SPARE: Cell<Queue> = Cell::default();
}

impl Queue {
    /// Takes the memory that the thread's last patch left. Called at the first edit, so that a patch without edits
    /// costs nothing.
    #[inline]
    pub(super) fn begin(&mut self) {
        if !self.has_begun {
            self.take_spare();
        }
    }

    fn take_spare(&mut self) {
        fn take<T>(own: &mut Vec<T>, spare: Vec<T>) {
            if own.is_empty() {
                *own = spare;
            }
        }
        // There is no spare memory while the thread is being destroyed.
        let spare = SPARE.try_with(Cell::take).unwrap_or_default();
        self.has_begun = true;
        take(&mut self.pool, spare.pool);
        take(&mut self.edits, spare.edits);
        take(&mut self.declared_at, spare.declared_at);
        take(&mut self.lines, spare.lines);
        take(&mut self.imports, spare.imports);
        take(&mut self.hoisted, spare.hoisted);
        take(&mut self.decorated, spare.decorated);
        take(&mut self.interfaces, spare.interfaces);
        take(&mut self.scratch, spare.scratch);
        take(&mut self.operands, spare.operands);
        if self.declared.is_empty() {
            self.declared = spare.declared;
        }
    }

    /// Leaves the memory to the thread's next patch, unless the lists are too long.
    pub(super) fn leave(mut self) {
        if !self.has_begun {
            return;
        }
        self.has_begun = false;
        let largest = self.pool.capacity().max(self.edits.capacity());
        if largest.max(self.interfaces.capacity()) > MOST_KEPT {
            return;
        }
        let Self { pool, edits, declared, declared_at, lines, imports, .. } = &mut self;
        pool.clear();
        edits.clear();
        declared.clear();
        declared_at.clear();
        lines.clear();
        imports.clear();
        let Self { hoisted, decorated, interfaces, scratch, .. } = &mut self;
        hoisted.clear();
        decorated.clear();
        interfaces.clear();
        scratch.clear();
        // If the thread is being destroyed, the memory is freed.
        let _ = SPARE.try_with(|spare| spare.set(self));
    }

    /// Queues the insertion of the words of the pool from `start` on. Extends the previous edit if it inserts at the
    /// same position.
    pub(super) fn insert(&mut self, order: u64, start: usize) {
        self.begin();
        let (start, end) = (start as u32, self.pool.len() as u32);
        match self.edits.last_mut() {
            Some(last) if (last.order, last.operands[1]) == (order, start) => {
                last.operands[1] = end;
            }
            _ => self.edits.push(Edit { order, operands: [start, end] }),
        }
    }

    /// Queues the removal of words `at..end` of the version.
    pub(super) fn remove(&mut self, at: u32, end: u32) {
        self.begin();
        // Merge adjacent removals: dead instructions are often neighbours (benchmark `dce`).
        match self.edits.last_mut() {
            Some(last) if (last.order as u32, last.operands[0]) == (REMOVE, at) => {
                last.operands[0] = end;
            }
            _ => {
                let order = u64::from(at) << 32 | u64::from(REMOVE);
                self.edits.push(Edit { order, operands: [end, 0] });
            }
        }
    }
}
