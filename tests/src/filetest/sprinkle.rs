//! Inserts unknown instructions into function bodies, as newer compilers may do. Every lowering must keep them.

use std::path::Path;

/// An opcode that no grammar defines.
const UNKNOWN: u32 = 0x7ffd;
/// An unknown instruction of two words. The operand is too large for an id, so it cannot be mistaken for one.
pub(super) const INSTRUCTION: [u32; 2] = [2 << 16 | UNKNOWN, u32::MAX];

const HEADER: usize = 5;

const OP_LINE: u32 = 8;
const OP_FUNCTION_END: u32 = 56;
const OP_VARIABLE: u32 = 59;
const OP_PHI: u32 = 245;
const OP_LOOP_MERGE: u32 = 246;
const OP_SELECTION_MERGE: u32 = 247;
const OP_LABEL: u32 = 248;
const OP_NO_LINE: u32 = 317;

/// Returns the module with unknown instructions at the first possible position and at about half of the others. The
/// name of the case seeds the choice, so failures are reproducible.
pub(super) fn sprinkle(words: &[u32], case: &Path) -> Vec<u32> {
    // Seed the generator from the name.
    let name = case.file_name().expect("a case is a file").as_encoded_bytes();
    let mut random = name
        .iter()
        .fold(0x9e37_79b9_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    let mut sprinkled = words[..HEADER].to_vec();
    let mut last = 0;
    let mut in_block = false;
    let mut first = true;
    for instruction in instructions(words) {
        let opcode = instruction[0] & 0xffff;
        // Insert within blocks only, and not between a merge instruction and its branch.
        if in_block && may_precede(opcode) && !is_merge(last) {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            if first || random % 2 == 0 {
                sprinkled.extend(INSTRUCTION);
            }
            first = false;
        }
        in_block = opcode == OP_LABEL || in_block && opcode != OP_FUNCTION_END;
        last = opcode;
        sprinkled.extend(instruction);
    }
    sprinkled
}

/// Returns the module without the unknown instructions.
pub(super) fn strip(words: &[u32]) -> Vec<u32> {
    let known = instructions(words).filter(|instruction| **instruction != INSTRUCTION);
    words[..HEADER].iter().chain(known.flatten()).copied().collect()
}

/// Returns whether an instruction may be inserted before one with this opcode.
fn may_precede(opcode: u32) -> bool {
    // Variables and phis come first in their block, and line instructions may precede them.
    ![OP_LABEL, OP_FUNCTION_END, OP_VARIABLE, OP_PHI, OP_LINE, OP_NO_LINE].contains(&opcode)
}

/// Returns whether the block's terminator must follow directly.
fn is_merge(opcode: u32) -> bool {
    [OP_LOOP_MERGE, OP_SELECTION_MERGE].contains(&opcode)
}

fn instructions(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = &words[HEADER..];
    std::iter::from_fn(move || {
        let length = (rest.first()? >> 16) as usize;
        let (instruction, behind) = rest.split_at(length.clamp(1, rest.len()));
        rest = behind;
        Some(instruction)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::{self, ShaderStage};
    use polyshade_spv::{Op, is_known};

    const LOOP: &str = "#version 450\nlayout(location = 0) out float o;\nvoid main() {\n\
        float x = 0;\nfor (int i = 0; i < 4; ++i) { if (i == 2) x += 1; else x += 2; }\no = x;\n}\n";

    #[test]
    fn the_opcode_is_unknown() {
        assert!(!is_known(Op(UNKNOWN as u16)));
    }

    #[test]
    fn what_is_sprinkled_in_is_all_that_is_stripped() {
        let words = shader::compile(LOOP, ShaderStage::Vertex).unwrap();
        let sprinkled = sprinkle(&words, Path::new("a/loop.vert"));
        assert!(sprinkled.len() > words.len() + 10, "{} words more", sprinkled.len() - words.len());
        assert_ne!(sprinkled, sprinkle(&words, Path::new("a/other.vert")));
        assert_eq!(strip(&sprinkled), words);
    }

    #[test]
    fn blocks_keep_their_shape() {
        let words = shader::compile(LOOP, ShaderStage::Vertex).unwrap();
        let sprinkled = sprinkle(&words, Path::new("loop.vert"));
        let opcodes: Vec<u32> = instructions(&sprinkled).map(|inst| inst[0] & 0xffff).collect();
        let around = opcodes.windows(2).filter(|pair| pair.contains(&UNKNOWN));
        for pair in around {
            let before_first = pair[1] == UNKNOWN && is_merge(pair[0]);
            assert!(!before_first && may_precede(pair[1]), "{pair:?}");
        }
        assert!(
            opcodes.iter().position(|op| *op == UNKNOWN)
                > opcodes.iter().position(|op| *op == OP_LABEL)
        );
    }
}
