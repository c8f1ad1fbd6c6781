//! What a patch queues, in memory that patches leave to each other: most calls are short, and to ask for the lists anew
//! would be a twentieth of each (benchmark `corpus-cost`).

use super::fresh::Fresh;
use crate::{Decoration, Id};
use std::cell::Cell;

/// One edit, packed: what is merged first is one number, as edits are sorted (benchmark `corpus-cost`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Edit {
    /// The word that it begins at, and below it the slot of an insertion; removals and then overwrites of a place come
    /// behind all slots.
    pub(super) order: u64,
    operands: [u32; 2],
}

/// A patch has no more slots than ids.
const REMOVE: u32 = u32::MAX - 1;
const OVERWRITE: u32 = u32::MAX;

pub(super) enum EditKind {
    /// Words `start..end` of the pool.
    Insert { start: u32, end: u32 },
    /// Everything before word `end` of the version is removed.
    Remove { end: u32 },
    /// The word becomes this one.
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
    /// The word at which the entry point begins.
    pub(super) at: u32,
    pub(super) variable: Id,
    pub(super) joins: bool,
}

/// The lists of a patch.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Whether anything was queued, for which spare memory was taken.
    has_begun: bool,
    /// The words of what is inserted.
    pub(super) pool: Vec<u32>,
    pub(super) edits: Vec<Edit>,
    /// Declared types and constants.
    pub(super) declared: Fresh,
    /// By ascending ids, the [orders](super::Position) of where those and other fresh module-scope ids are declared.
    pub(super) declared_at: Vec<(Id, u64)>,
    /// Where in the pool capabilities and extensions are declared: start and end.
    pub(super) lines: Vec<(usize, usize)>,
    /// Where in the pool extended instruction sets are imported.
    pub(super) imports: Vec<usize>,
    /// Types and constants that were moved behind their operands.
    pub(super) hoisted: Vec<Id>,
    /// Decorations with one literal that were added.
    pub(super) decorated: Vec<(Decoration, u32, Id)>,
    pub(super) interfaces: Vec<Interface>,
    /// The words of an instruction while it is made.
    pub(super) scratch: Vec<u32>,
    /// The operands of a declaration while it is made.
    pub(super) operands: Vec<u32>,
}

/// The longest lists that are kept. The others grow with these three: half a MiB a thread in all.
const MOST_KEPT: usize = 1 << 14;

thread_local! {
    /// The lists of a patch that was merged, empty.
    static SPARE: Cell<Queue> = Cell::default();
}

impl Queue {
    /// Takes the memory that the thread's last patch left, where something is queued for the first time: what changes
    /// nothing costs nothing.
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
        // A thread that ends has none.
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

    /// Leaves the memory to the thread's next patch, unless it is large.
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
        // Where the thread ends, the memory is freed with it.
        let _ = SPARE.try_with(|spare| spare.set(self));
    }

    /// Queues the words of the pool from `start` on, as part of the edit before where that is at the same place.
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
        // Neighbours are merged: dead instructions come in runs (benchmark `dce`).
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
