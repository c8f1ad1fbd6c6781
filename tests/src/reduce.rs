//! Makes a failing module smaller, as long as it still fails.

use polyshade::Module;
use polyshade_spv::{Inst, Op};

/// Returns the shortest failing module found, starting with `words`, which must fail.
///
/// It removes functions with their uses, and runs of instructions, with lengths from half the module down to one.
/// Every tested module parses.
pub fn reduce(words: &[u32], fails: &mut dyn FnMut(&[u32]) -> bool) -> Vec<u32> {
    let mut least = words.to_vec();
    loop {
        let before = least.len();
        least = without_functions(least, fails);
        least = without_runs(least, fails);
        least = with_low_bound(least, fails);
        if least.len() == before {
            return least;
        }
    }
}

/// Returns the words of a module without the instructions that `goes` accepts, or `None` if the rest does not parse.
fn without(words: &[u32], goes: &dyn Fn(usize, Inst<'_>) -> bool) -> Option<Vec<u32>> {
    let module = Module::parse(words).ok()?;
    let mut rest = words[..5].to_vec();
    for (number, inst) in module.instructions().enumerate() {
        if !goes(number, inst) {
            rest.extend_from_slice(inst.words());
        }
    }
    (rest.len() < words.len() && Module::parse(&rest).is_ok()).then_some(rest)
}

fn without_functions(mut words: Vec<u32>, fails: &mut dyn FnMut(&[u32]) -> bool) -> Vec<u32> {
    let mut number = 0;
    loop {
        let module = Module::parse(&words).expect("the kept part is a module");
        let Some(body) = module.functions().nth(number) else { return words };
        let (from, to) = (body.at(), body.end());
        let id = body.id().word();
        drop(module);
        // Names, decorations and calls of the function are removed with it.
        let goes = |_: usize, inst: Inst<'_>| {
            let is_inside = (from..to).contains(&inst.at());
            is_inside || inst.words()[1..].contains(&id) && mentions(inst)
        };
        match without(&words, &goes) {
            Some(rest) if fails(&rest) => words = rest,
            _ => number += 1,
        }
    }
}

/// Returns whether an instruction only refers to an id.
fn mentions(inst: Inst<'_>) -> bool {
    matches!(
        inst.op(),
        Op::NAME | Op::DECORATE | Op::FUNCTION_CALL | Op::EXECUTION_MODE | Op::ENTRY_POINT
    )
}

fn without_runs(mut words: Vec<u32>, fails: &mut dyn FnMut(&[u32]) -> bool) -> Vec<u32> {
    let count = |words: &[u32]| {
        Module::parse(words).expect("the kept part is a module").instructions().count()
    };
    let mut length = count(&words).div_ceil(2);
    while length > 0 {
        // Start from the end, so that uses are removed before definitions.
        let mut end = count(&words);
        while end > 0 {
            let start = end.saturating_sub(length);
            let goes = |number: usize, _: Inst<'_>| (start..end).contains(&number);
            if let Some(rest) = without(&words, &goes)
                && fails(&rest)
            {
                words = rest;
            }
            end = start;
        }
        length /= 2;
    }
    words
}

/// Lowers the id bound as far as the module still fails.
fn with_low_bound(words: Vec<u32>, fails: &mut dyn FnMut(&[u32]) -> bool) -> Vec<u32> {
    let module = Module::parse(&words).expect("the kept part is a module");
    let mut highest = 0;
    for inst in module.instructions() {
        module.for_each_operand(inst, |_, id, _| highest = highest.max(id.word()));
        highest = highest.max(inst.result().map_or(0, |id| id.word()));
    }
    let mut lower = words.clone();
    lower[3] = highest + 1;
    drop(module);
    if lower[3] < words[3] && fails(&lower) { lower } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::{ShaderStage, compile};

    #[test]
    fn what_fails_shrinks_to_what_makes_it_fail() {
        let source = "#version 450
            layout(location = 0) in float i; layout(location = 0) out float v;
            float twice(float x) { return x * 2.0; }
            float thrice(float x) { return sin(x) * 3.0; }
            void main() { if (i > 0.5) v = twice(i); else v = thrice(i); gl_Position = vec4(v); }";
        let words = compile(source, ShaderStage::Vertex).unwrap();
        let calls_sin = |words: &[u32]| {
            let module = Module::parse(words).unwrap();
            module.instructions().any(|inst| inst.op() == Op::EXT_INST)
        };
        let least = reduce(&words, &mut |words| calls_sin(words));
        assert!(calls_sin(&least));
        let left = Module::parse(&least).unwrap().instructions().count();
        assert!(left <= 6, "{left} instructions are left of {}", words.len());
    }
}
