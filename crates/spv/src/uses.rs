//! The uses of ids: for each id, the instructions that have it as an operand.

use crate::grammar::{Grammar, Op};
use crate::inst::Inst;
use crate::scan::is_dense;
use crate::view::{ExtInst, ExtInstImport};
use crate::{Id, Module, Section, is_debug_set, operands};

/// The uses of every id, in the order of the module. Words that may or may not be ids are included.
#[derive(Clone, Debug)]
pub struct Uses {
    slots: Slots,
    /// The index in `at` of the first use of each slot, followed by one more entry at the end.
    offsets: Vec<u32>,
    /// The offsets of the instructions, by slot.
    at: Vec<u32>,
}

/// Maps ids to consecutive slots.
#[derive(Clone, Debug)]
enum Slots {
    /// Each id is its own slot; the value is the bound.
    Ids(u32),
    /// The slot of an id is its index in this sorted list. This is for bounds far above the number of ids in the
    /// words.
    Listed(Vec<u32>),
}

impl Slots {
    fn new(module: &Module<'_>) -> Self {
        if is_dense(module.bound(), module.words().len()) {
            return Self::Ids(module.bound());
        }
        let mut ids = Vec::new();
        for inst in module.instructions() {
            module.for_each_operand(inst, |_, id, _| ids.push(id.word()));
        }
        ids.sort_unstable();
        ids.dedup();
        Self::Listed(ids)
    }

    fn count(&self) -> usize {
        match self {
            Self::Ids(bound) => *bound as usize,
            Self::Listed(ids) => ids.len(),
        }
    }

    #[inline]
    fn slot(&self, id: Id) -> Option<usize> {
        match self {
            Self::Ids(bound) => (id.word() < *bound).then_some(id.word() as usize),
            Self::Listed(ids) => ids.binary_search(&id.word()).ok(),
        }
    }
}

impl Uses {
    pub(crate) fn new(module: &Module<'_>) -> Self {
        let slots = Slots::new(module);
        let (offsets, at) = match &slots {
            Slots::Ids(bound) => {
                listed(module, slots.count(), |id| (id < *bound).then_some(id as usize))
            }
            Slots::Listed(ids) => listed(module, slots.count(), |id| ids.binary_search(&id).ok()),
        };
        Self { slots, offsets, at }
    }

    fn of(&self, id: Id) -> &[u32] {
        match self.slots.slot(id) {
            Some(slot) => &self.at[self.offsets[slot] as usize..self.offsets[slot + 1] as usize],
            None => &[],
        }
    }
}

/// Returns the index of each slot's first use, and the list of uses. The uses are first counted, then filled in.
#[inline(always)]
fn listed(
    module: &Module<'_>,
    slots: usize,
    slot: impl Fn(u32) -> Option<usize> + Copy,
) -> (Vec<u32>, Vec<u32>) {
    // Each count is stored two slots later. After the prefix sums, `offsets[slot + 1]` is then the next free index of
    // the slot.
    let mut offsets = vec![0_u32; slots + 2];
    each_use(module, slot, |_, slot| offsets[slot + 2] += 1);
    for slot in 2..offsets.len() {
        offsets[slot] += offsets[slot - 1];
    }
    let mut at = vec![0; offsets[offsets.len() - 1] as usize];
    each_use(module, slot, |inst, slot| {
        let next = &mut offsets[slot + 1];
        at[*next as usize] = inst;
        *next += 1;
    });
    offsets.pop();
    (offsets, at)
}

/// Calls `f` with the offset of each instruction and the slot of each of its operands.
#[inline(always)]
fn each_use(
    module: &Module<'_>,
    slot: impl Fn(u32) -> Option<usize>,
    mut f: impl FnMut(u32, usize),
) {
    for inst in module.instructions() {
        let words = inst.words();
        let result = Grammar::of(inst.op()).result_word().unwrap_or(0);
        let switch_literal =
            if inst.op() == Op::SWITCH { module.switch_literal_words(inst) } else { 1 };
        operands::for_each_id(words, switch_literal, |word, _| {
            if word != result
                && let Some(slot) = slot(words[word])
            {
                f(inst.at(), slot);
            }
        });
    }
}

impl Module<'_> {
    /// The instructions that have `id` as an operand, each once, in the order of the module. They include names,
    /// decorations, entry points, and unknown instructions with a word that may be `id`.
    pub fn uses_of(&self, id: Id) -> impl Iterator<Item = Inst<'_>> {
        let at = self.uses().of(id);
        at.iter()
            .enumerate()
            .filter(|(i, offset)| *i == 0 || at[i - 1] != **offset)
            .map(|(_, offset)| self.inst_at(*offset))
    }

    /// The uses of `id` in functions, except for [debug instructions](Self::is_for_tools).
    pub fn code_uses_of(&self, id: Id) -> impl Iterator<Item = Inst<'_>> {
        let functions = self.section_end(Section::Globals);
        self.uses_of(id).filter(move |user| user.at() >= functions && !self.is_for_tools(*user))
    }

    /// Whether `inst` is for debuggers and other tools only: an extended instruction of a [debug set](is_debug_set).
    pub fn is_for_tools(&self, inst: Inst<'_>) -> bool {
        let set = ExtInst::of(inst).and_then(|call| self.definition(call.set()));
        set.and_then(ExtInstImport::of).is_some_and(|import| is_debug_set(&import.name()))
    }
}
