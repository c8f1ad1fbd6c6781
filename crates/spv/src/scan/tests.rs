//! Compares the fast path with the slow path. They must produce the same results and report the same errors.

use super::{CHECKED, HEADER, MAGIC, ONE_BY_ONE, Scan, Workspace};
use crate::grammar::{Grammar, Op, Tail};

/// The bound of the modules in these tests.
const BOUND: u32 = 100;

/// Scans with and without the fast path, asserts that the results agree, and returns whether the words are valid.
fn agree(words: &[u32]) -> bool {
    let quick = Scan::run::<CHECKED>(words, &mut Workspace::default());
    let slow = Scan::run::<ONE_BY_ONE>(words, &mut Workspace::default());
    match (quick, slow) {
        (Ok(quick), Ok(slow)) => {
            assert_eq!(quick, slow);
            true
        }
        (quick, slow) => {
            let [quick, slow] = [quick.err(), slow.err()].map(|error| error.map(|e| e.to_string()));
            assert_eq!(quick, slow, "{words:x?}");
            false
        }
    }
}

/// A module with one function that contains the instruction `inst`, followed by padding.
fn around(inst: &[u32]) -> Vec<u32> {
    let mut words = vec![MAGIC, 0x1_0600, 0, BOUND, 0];
    words.extend([5 << 16 | u32::from(Op::FUNCTION.0), 1, 2, 0, 3]);
    words.extend(inst);
    words.push(1 << 16 | u32::from(Op::FUNCTION_END.0));
    words.extend([1 << 16 | u32::from(Op::NOP.0); 20]);
    words
}

#[test]
fn every_opcode_of_every_length_is_taken_and_refused_alike() {
    let mut taken = 0;
    for op in 0..=u16::MAX {
        let grammar = Grammar::of(Op(op));
        if !grammar.is_known() && op % 97 != 0 {
            continue;
        }
        for length in 0..20 {
            let usual: Vec<u32> = (0..length)
                .map(|word| if word == 0 { length << 16 | u32::from(op) } else { 10 + word })
                .collect();
            taken += u32::from(agree(&around(&usual)));
            for word in 1..length as usize {
                for wrong in [0, 2, BOUND - 1, BOUND, BOUND + 1, 1 << 31, u32::MAX] {
                    let mut inst = usual.clone();
                    inst[word] = wrong;
                    agree(&around(&inst));
                }
            }
        }
    }
    assert!(taken > 5_000, "only {taken} modules are accepted");
}

#[test]
fn real_modules_with_one_word_changed_are_read_alike() {
    let (mut taken, mut refused) = (0, 0);
    for name in ["small", "medium"] {
        let path = format!("{}/../../benches/inputs/{name}.spv", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(&path).expect("the benchmark's input exists");
        let (chunks, _) = bytes.as_chunks();
        let mut words: Vec<u32> = chunks.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert!(agree(&words));
        let bound = words[3];
        for at in HEADER..words.len() {
            let right = words[at];
            let changed = [
                0,
                1,
                bound - 1,
                bound,
                u32::MAX,
                right + 1,
                right + (1 << 16),
                right.wrapping_sub(1 << 16),
                right ^ 1 << 9,
                4 << 16 | u32::from(Op::LABEL.0),
                1 << 16 | u32::from(Op::FUNCTION_END.0),
            ];
            for word in changed {
                words[at] = word;
                *(if agree(&words) { &mut taken } else { &mut refused }) += 1;
            }
            words[at] = right;
        }
    }
    assert!(
        taken > 1_000 && refused > 1_000,
        "only {taken} modules are accepted and {refused} rejected"
    );
}

/// Without this test, a table of shapes that is all zeros would pass.
#[test]
fn a_usual_instruction_is_quick() {
    let words = around(&[4 << 16 | u32::from(Op::LOAD.0), 10, 11, 12]);
    let at = words.len() - 25;
    let mut definitions = vec![0; BOUND as usize];
    let end = super::shape::skip::<CHECKED>(&words, BOUND - 1, at, &mut definitions, None);
    assert_eq!(end, at + 4);
    assert_eq!(definitions[11], at as u32);
    assert_eq!(Grammar::of(Op::LOAD).tail(), Tail::Memory);
}
