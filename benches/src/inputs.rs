//! The inputs of the benchmarks: a vertex shader of typical size, one of the size found in large engines, larger
//! shaders that repeat the functions of the second shader, and shapes of two sizes.

use std::collections::HashMap;
use std::iter::once;

use polyshade_testing::Shape;
use rspirv::binary::Assemble;
use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};

/// The larger inputs, of about 100 kB, 1 MB and 10 MB, each with the number of times that it repeats the
/// medium shader's functions.
const REPEATS: [(&str, u32); 3] = [("kb100", 12), ("large", 140), ("mb10", 1430)];

/// Returns the words of the input `small`, `medium`, or one of the larger inputs.
pub fn words(name: &str) -> Option<Vec<u32>> {
    if let Some((_, repeats)) = REPEATS.iter().find(|(input, _)| *input == name) {
        return Some(repeated(*repeats));
    }
    match name {
        "small" => Some(committed(include_bytes!("../inputs/small.spv"))),
        "medium" => Some(committed(include_bytes!("../inputs/medium.spv"))),
        _ => None,
    }
}

/// Returns the words of a shape, and of the same shape scaled to four times the size.
pub fn shapes(shape: &Shape) -> [Vec<u32>; 2] {
    [1, 4].map(|times| shape.words(shape.many * times))
}

fn committed(bytes: &[u8]) -> Vec<u32> {
    let (words, rest) = bytes.as_chunks();
    assert!(rest.is_empty(), "a committed module is a whole number of words");
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Repeats the functions of the medium shader, and calls each copy after the original's calls. A repetition adds
/// about 1,800 words with the mix of instructions that a compiler produces.
fn repeated(repeats: u32) -> Vec<u32> {
    let medium = words("medium").expect("there is a medium input");
    let mut module = rspirv::dr::load_words(&medium).expect("rspirv reads what glslang wrote");
    let main = module.entry_points[0].operands[1].unwrap_id_ref();
    let originals: Vec<Function> =
        module.functions.iter().filter(|function| id_of(function) != main).cloned().collect();

    for _ in 0..repeats {
        let ids =
            originals.iter().flat_map(Function::all_inst_iter).filter_map(|inst| inst.result_id);
        let copies: HashMap<Word, Word> = ids.map(|id| (id, fresh(&mut module))).collect();
        for original in &originals {
            let mut copy = original.clone();
            copy.all_inst_iter_mut().for_each(|inst| rename(inst, &copies));
            module.functions.push(copy);
        }
        call_copies(&mut module, main, &copies);
    }
    module.assemble()
}

/// Adds a call of the copied function after each function call in `main`.
fn call_copies(module: &mut Module, main: Word, copies: &HashMap<Word, Word>) {
    let at = module.functions.iter().position(|function| id_of(function) == main);
    let at = at.expect("the entry point is a function");
    let mut next = fresh(module) - 1;
    for block in &mut module.functions[at].blocks {
        let with_copy = |inst: Instruction| {
            let copied = inst.operands.first().and_then(Operand::id_ref_any);
            let copied = copied.filter(|_| inst.class.opcode == Op::FunctionCall);
            let copy = copied.and_then(|callee| copies.get(&callee)).map(|copy| {
                next += 1;
                let mut call = inst.clone();
                call.operands[0] = Operand::IdRef(*copy);
                call.result_id = Some(next);
                call
            });
            once(inst).chain(copy)
        };
        block.instructions =
            std::mem::take(&mut block.instructions).into_iter().flat_map(with_copy).collect();
    }
    module.header.as_mut().expect("a loaded module has a header").bound = next + 1;
}

fn rename(inst: &mut Instruction, copies: &HashMap<Word, Word>) {
    let renamed = |id: &mut Word| *id = copies.get(id).copied().unwrap_or(*id);
    inst.result_id.iter_mut().for_each(renamed);
    inst.operands.iter_mut().filter_map(Operand::id_ref_any_mut).for_each(renamed);
}

fn id_of(function: &Function) -> Word {
    function.def_id().expect("a function has an id")
}

fn fresh(module: &mut Module) -> Word {
    let header = module.header.as_mut().expect("a loaded module has a header");
    header.bound += 1;
    header.bound - 1
}
