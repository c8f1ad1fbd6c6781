//! Finds the words of an instruction that are ids.

use crate::grammar::{Grammar, Op, Tail};
use crate::text;

/// The bits of memory operands that have a parameter, and whether that parameter is an id (SPIR-V specification,
/// 3.26).
const MEMORY_PARAMETERS: [(u32, bool); 5] =
    [(0x2, false), (0x8, true), (0x10, true), (0x1_0000, true), (0x2_0000, true)];

/// Calls `f` for every word of `inst` that is an id or may be one, including result type and result. The arguments of
/// `f` are the index of the word, and whether it certainly is an id. `switch_literal` is the number of words of each
/// literal if `inst` is an `OpSwitch`.
#[inline(always)]
pub(crate) fn for_each_id(inst: &[u32], switch_literal: usize, f: impl FnMut(usize, bool)) {
    let grammar = Grammar::of(Op(inst[0] as u16));
    ids_of(inst, grammar, grammar.id_mask(), switch_literal, f);
}

/// Calls `f` as [`for_each_id`] does, but skips the result.
#[inline(always)]
pub(crate) fn for_each_operand(inst: &[u32], switch_literal: usize, f: impl FnMut(usize, bool)) {
    let grammar = Grammar::of(Op(inst[0] as u16));
    ids_of(inst, grammar, grammar.operand_mask(), switch_literal, f);
}

#[inline(always)]
fn ids_of(
    inst: &[u32],
    grammar: Grammar,
    mask: u32,
    switch_literal: usize,
    mut f: impl FnMut(usize, bool),
) {
    let fixed = (inst.len() - 1).min(grammar.fixed());
    let mut mask = mask & ((1 << fixed) - 1);
    while mask != 0 {
        f(mask.trailing_zeros() as usize + 1, true);
        mask &= mask - 1;
    }
    if fixed + 1 < inst.len() {
        tail_ids(inst, grammar, fixed + 1, switch_literal, f);
    }
}

#[inline(never)]
fn tail_ids(
    inst: &[u32],
    grammar: Grammar,
    tail: usize,
    switch_literal: usize,
    mut f: impl FnMut(usize, bool),
) {
    match grammar.tail() {
        Tail::Literals => {}
        Tail::Ids => (tail..inst.len()).for_each(|word| f(word, true)),
        Tail::Maybe => (tail..inst.len()).for_each(|word| f(word, false)),
        Tail::Switch => {
            (tail + switch_literal..inst.len())
                .step_by(switch_literal + 1)
                .for_each(|word| f(word, true));
        }
        Tail::IdLiteralPairs => (tail..inst.len()).step_by(2).for_each(|word| f(word, true)),
        Tail::StringIds => {
            let words = text::word_count(&inst[tail.min(inst.len())..]);
            (tail + words..inst.len()).for_each(|word| f(word, true));
        }
        Tail::Memory => memory_operands(inst, tail, f),
        Tail::SpecConstantOp => spec_constant_op(inst, tail, f),
    }
}

fn memory_operands(inst: &[u32], mut word: usize, mut f: impl FnMut(usize, bool)) {
    let masks =
        if matches!(Op(inst[0] as u16), Op::COPY_MEMORY | Op::COPY_MEMORY_SIZED) { 2 } else { 1 };
    for _ in 0..masks {
        let Some(mask) = inst.get(word) else { return };
        word += 1;
        for (bit, is_id) in MEMORY_PARAMETERS {
            if mask & bit != 0 && word < inst.len() {
                if is_id {
                    f(word, true);
                }
                word += 1;
            }
        }
    }
    // The remaining words are tensor addressing operands.
    (word..inst.len()).for_each(|word| f(word, false));
}

/// In `OpSpecConstantOp`, the inner operands are one word later than in an instruction with the inner opcode.
fn spec_constant_op(inst: &[u32], opcode: usize, mut f: impl FnMut(usize, bool)) {
    let Some(op) = inst.get(opcode) else { return };
    let grammar = Grammar::of(Op(*op as u16));
    let first = opcode + 1;
    let fixed_end = (grammar.fixed() + 2).clamp(first, inst.len());
    for word in first..fixed_end {
        if grammar.id_mask() >> (word - 2) & 1 != 0 {
            f(word, true);
        }
    }
    match grammar.tail() {
        Tail::Ids => (fixed_end..inst.len()).for_each(|word| f(word, true)),
        Tail::Literals => {}
        _ => (fixed_end..inst.len()).for_each(|word| f(word, false)),
    }
}
