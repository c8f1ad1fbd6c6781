//! The usual instructions, checked in one look: what is true of all with an opcode and a length.

use super::{TRUSTED, Table, is_of_functions};
use crate::grammar::{Grammar, Op, Tail};

/// Opcodes from this one on are looked at one word after the other, as instructions of [`LENGTHS`] words and more are.
const OPS: usize = 512;
const LENGTHS: usize = 16;
/// The operands that are compared at once.
const FIRST: usize = 4;

/// Which operands of an instruction are ids, and which is its result. All that it has no room for is 0: lengths that
/// are not allowed, ids among literals behind the first operands, what begins, ends and calls functions.
#[derive(Clone, Copy)]
struct OperandShape(u16);

/// The position of the bits for the first operands: set for ids.
const IDS: u32 = 4;
/// Where the number of the word with the result is, or 0.
const RESULT: u32 = 14;
/// All operands behind the first ones are ids; else none is.
const REST: u16 = 1;
const USUAL: u16 = 2;
/// Where the [`Grammar::section`] is: of what stands in functions only, one that there is not.
const SECTION: u32 = 8;
const NOWHERE: u16 = 0xf;

/// By opcode and length.
static SHAPES: [OperandShape; OPS * LENGTHS] = shapes();

/// By the bits at [`IDS`]: what is left of each operand that is compared.
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

/// What is true of all instructions with this opcode and length.
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
            // What may be an id is not looked at.
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

/// Checks the usual instructions from `at` on, noting their results, and returns the position of the first one that is
/// not usual, that has a fault, or that is not of the [`Grammar::section`], if one is given.
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
            // Without a branch for each operand, so that they are compared at once (benchmark `parse`).
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
