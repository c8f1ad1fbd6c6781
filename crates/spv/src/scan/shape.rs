//! The fast path for common instructions: a table with the properties of each combination of opcode and length.

use super::{TRUSTED, Table, is_of_functions};
use crate::grammar::{Grammar, Op, Tail};

/// Opcodes from `OPS` on, and instructions of [`LENGTHS`] or more words, take the slow path.
const OPS: usize = 512;
const LENGTHS: usize = 16;
/// The number of operands that are compared at once.
const FIRST: usize = 4;

/// Which operands of an instruction are ids, and which word is its result. The shape is 0 for instructions that it
/// cannot describe: invalid lengths, ids mixed with literals after the first operands, function boundaries, and
/// calls.
#[derive(Clone, Copy)]
struct OperandShape(u16);

/// The lowest bit of the mask that marks the ids among the first operands.
const IDS: u32 = 4;
/// The lowest bit of the index of the result word. An index of 0 means no result.
const RESULT: u32 = 14;
/// Set if all operands after the first ones are ids, clear if none is.
const REST: u16 = 1;
const USUAL: u16 = 2;
/// The lowest bit of the [`Grammar::section`]. Instructions of functions have `NOWHERE`, which is not a section.
const SECTION: u32 = 8;
const NOWHERE: u16 = 0xf;

/// The shapes by opcode and length.
static SHAPES: [OperandShape; OPS * LENGTHS] = shapes();

/// The masks of the compared operands, indexed by the bits at [`IDS`].
static MASKS: [[u32; FIRST]; 1 << FIRST] = masks();

const fn masks() -> [[u32; FIRST]; 1 << FIRST] {
    let mut masks = [[0; FIRST]; 1 << FIRST];
    let mut index = 0;
    while index < masks.len() * FIRST {
        let (ids, operand) = (index / FIRST, index % FIRST);
        masks[ids][operand] = if ids >> operand & 1 != 0 { u32::MAX } else { 0 };
        index += 1;
    }
    masks
}

const fn shapes() -> [OperandShape; OPS * LENGTHS] {
    let mut shapes = [OperandShape(0); OPS * LENGTHS];
    let mut index = 0;
    while index < shapes.len() {
        shapes[index] = shape(Op((index / LENGTHS) as u16), index % LENGTHS);
        index += 1;
    }
    shapes
}

/// The shape of instructions with this opcode and length.
const fn shape(op: Op, length: usize) -> OperandShape {
    let grammar = Grammar::of(op);
    if length < grammar.least() || length == 0 || grammar.is_structural() {
        return OperandShape(0);
    }
    let (mut ids, mut rest, mut other) = (0, false, false);
    let mut word = 1;
    while word < length {
        let is_id = match grammar.tail() {
            _ if word <= grammar.fixed() => grammar.id_mask() >> (word - 1) & 1 != 0,
            Tail::Ids => true,
            // Words that may be ids are not checked.
            Tail::Literals | Tail::Maybe => false,
            _ => return OperandShape(0),
        };
        match word <= FIRST {
            true => ids |= (is_id as u16) << (word - 1),
            false => *(if is_id { &mut rest } else { &mut other }) = true,
        }
        word += 1;
    }
    let result = match grammar.result_word() {
        Some(word) => word as u16,
        None => 0,
    };
    match rest && other {
        true => OperandShape(0),
        false => {
            let section = if is_of_functions(op) { NOWHERE } else { grammar.section() as u16 };
            let section = section << SECTION;
            OperandShape(
                (result << RESULT) | section | (ids << IDS) | USUAL | if rest { REST } else { 0 },
            )
        }
    }
}

/// Checks the common instructions from `at` on and records their results. Stops at the first instruction that is not
/// common, has a fault, or is outside of the given [`Grammar::section`], if any, and returns its offset.
#[inline(always)]
pub(super) fn skip<const HOW: u8>(
    words: &[u32],
    last: u32,
    at: usize,
    definitions: &mut impl Table,
    section: Option<usize>,
) -> usize {
    #[cfg(test)]
    if HOW == super::ONE_BY_ONE {
        return at;
    }
    let (mask, wanted) = match section {
        Some(section) => ((NOWHERE << SECTION) | USUAL, ((section as u16) << SECTION) | USUAL),
        None => (USUAL, USUAL),
    };
    let mut rest = &words[at..];
    while let Some(window) = rest.first_chunk::<LENGTHS>() {
        let first = window[0] as usize;
        if first & !((OPS - 1) | ((LENGTHS - 1) << 16)) != 0 {
            break;
        }
        let OperandShape(shape) = SHAPES[((first * LENGTHS) | (first >> 16)) % SHAPES.len()];
        if shape & mask != wanted {
            break;
        }
        let length = first >> 16;
        if HOW != TRUSTED {
            // There is no branch per operand, so the comparisons can run in parallel (benchmark `parse`).
            let mask = &MASKS[usize::from(shape >> IDS) % MASKS.len()];
            let is_wrong = |i: usize| window[1 + i].wrapping_sub(1) & mask[i] >= last;
            if is_wrong(0) | is_wrong(1) | is_wrong(2) | is_wrong(3)
                || shape & REST != 0
                    && window[1 + FIRST..length].iter().any(|word| word.wrapping_sub(1) >= last)
            {
                break;
            }
        }
        let result = usize::from(shape >> RESULT);
        let at = words.len() - rest.len();
        if result != 0 && !definitions.define(window[result], at as u32) && HOW != TRUSTED {
            break;
        }
        rest = &rest[length..];
    }
    words.len() - rest.len()
}
