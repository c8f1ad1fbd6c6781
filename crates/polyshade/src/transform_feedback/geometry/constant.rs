//! Finds geometry shaders that always emit the same number of primitives.
//!
//! Their primitives have the same places in every draw, so nothing needs to be counted before they are captured.
//!
//! The entry point is interpreted once. [`KnownValues`] holds the integers and booleans that are the same in every
//! invocation. If a branch depends on another value, its targets are skipped up to a block that every path from the
//! branch reaches, provided that no instruction before this block emits. All results and variables that these
//! instructions may change become unknown. This needs no structured control flow: merge instructions only suggest
//! blocks where the paths may meet.

mod known_values;
#[cfg(test)]
mod tests;

use crate::rewrite;
use crate::transform_feedback::Topology;
use foldhash::HashSet;
use known_values::{KnownValues, MaybeKnown};
use polyshade_spv::view::{
    Branch, BranchConditional, EntryPoint, FunctionCall, Merge, Phi, ReturnValue,
};
use polyshade_spv::{FunctionBody, Id, Inst, Module, Op};

/// The maximum number of words of the instructions that are interpreted or skipped: about 20,000 instructions.
const BUDGET: usize = 100_000;
/// The maximum depth of calls.
const DEEPEST: u32 = 32;

/// Returns the number of primitives that an invocation emits to each of `streams`, if this number does not depend on
/// inputs, resources or specialization constants. Every invocation that terminates then emits exactly these numbers.
/// `strips` is the topology of the emitted vertices: points or strips.
///
/// Returns `None` if the numbers may differ between invocations, or if the shader is too long to find out.
pub(super) fn primitives<'m>(
    m: &'m Module<'_>,
    entry: EntryPoint<'m>,
    strips: Topology,
    streams: &[u32],
) -> Option<Vec<u32>> {
    let emitted =
        streams.iter().map(|stream| StreamCount { stream: *stream, ..StreamCount::default() });
    let mut interpreter = Interpreter {
        m,
        strips,
        emitted: emitted.collect(),
        known: KnownValues::new(m),
        budget: BUDGET,
        depth: 0,
    };
    interpreter.run(m.function(entry.function())?)?;

    // The shader's end completes the last strips.
    let emitted = interpreter.emitted.iter_mut().map(|one| {
        one.cut(strips);
        one.primitives
    });
    Some(emitted.collect())
}

/// The vertices and primitives that were emitted to a vertex stream.
#[derive(Default)]
struct StreamCount {
    stream: u32,
    /// The number of vertices in the current strip.
    vertices: u32,
    /// The number of primitives before the current strip.
    primitives: u32,
}

impl StreamCount {
    fn cut(&mut self, strips: Topology) {
        self.primitives += strips.primitives(self.vertices);
        self.vertices = 0;
    }
}

struct Interpreter<'m, 'w> {
    m: &'m Module<'w>,
    strips: Topology,
    emitted: Vec<StreamCount>,
    known: KnownValues<'m, 'w>,
    /// The number of words that may still be interpreted or skipped.
    budget: usize,
    depth: u32,
}

/// The continuation after a block.
enum Next {
    Block {
        label: Id,
        /// The predecessor; `None` if it depends on unknown values.
        from: Option<Id>,
    },
    Return(MaybeKnown),
}

impl<'m> Interpreter<'m, '_> {
    /// Runs a function, and returns the value that it returns.
    fn run(&mut self, function: FunctionBody<'m>) -> Option<MaybeKnown> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let first = function.instructions().find(|inst| inst.op() == Op::LABEL)?;
        let mut next = Next::Block { label: first.result()?, from: None };
        let mut merges = Vec::new();
        loop {
            next = match next {
                Next::Block { label, from } => self.run_block(label, from, &mut merges)?,
                Next::Return(value) => {
                    self.depth -= 1;
                    return Some(value);
                }
            }
        }
    }

    /// Runs a block. `merges` are the merge blocks of the constructs around it, innermost last.
    fn run_block(&mut self, label: Id, from: Option<Id>, merges: &mut Vec<Id>) -> Option<Next> {
        if let Some(left) = merges.iter().position(|merge| *merge == label) {
            merges.truncate(left);
        }
        let mut instructions = self.block(label)?.peekable();

        // All phis of a block are evaluated before the first of them changes.
        let mut phis = Vec::new();
        let is_phi = |inst: &Inst<'_>| matches!(inst.op(), Op::PHI | Op::LINE | Op::NO_LINE);
        while let Some(inst) = instructions.next_if(is_phi) {
            self.spend(inst)?;
            phis.extend(Phi::of(inst).map(|phi| (inst, self.known.phi(phi, from))));
        }
        for (inst, value) in phis {
            self.known.set(inst, value);
        }

        for inst in instructions {
            self.spend(inst)?;
            match inst.op() {
                Op::BRANCH | Op::BRANCH_CONDITIONAL | Op::SWITCH => {
                    return match self.target(inst) {
                        Some(target) => Some(Next::Block { label: target, from: Some(label) }),
                        None => self.skip(inst, merges),
                    };
                }
                Op::RETURN => return Some(Next::Return(None)),
                Op::RETURN_VALUE => {
                    let value = ReturnValue::of(inst)?.value();
                    return Some(Next::Return(self.known.value(value)));
                }
                Op::LOOP_MERGE | Op::SELECTION_MERGE => {
                    let merge = Merge::of(inst)?.merge_block();
                    let around = merges.iter().position(|other| *other == merge);
                    merges.truncate(around.unwrap_or(merges.len()));
                    merges.push(merge);
                }
                op if ends_block(op) => return None,
                _ => self.execute(inst)?,
            }
        }
        None
    }

    /// Returns the instructions from the start of a block, without its label.
    fn block(&self, label: Id) -> Option<impl Iterator<Item = Inst<'m>> + use<'m>> {
        let label = self.m.definition(label).filter(|inst| inst.op() == Op::LABEL)?;
        Some(self.m.instructions_from(label.end()))
    }

    fn spend(&mut self, inst: Inst<'_>) -> Option<()> {
        self.budget = self.budget.checked_sub(inst.words().len())?;
        Some(())
    }

    /// Executes an instruction other than a phi, a branch or a return.
    fn execute(&mut self, inst: Inst<'m>) -> Option<()> {
        if rewrite::is_emit(inst) || rewrite::is_cut(inst) {
            let stream = rewrite::vertex_stream(self.m, inst)?;
            let emitted = self.emitted.iter_mut().find(|one| one.stream == stream)?;
            match rewrite::is_emit(inst) {
                true => emitted.vertices += 1,
                false => emitted.cut(self.strips),
            }
        } else if let Some(call) = FunctionCall::of(inst) {
            let callee = self.m.function(call.function())?;
            self.known.pass_arguments(call, callee);
            let value = self.run(callee)?;
            self.known.set(inst, value);
        } else {
            self.known.execute(inst);
        }
        Some(())
    }

    /// Returns the target of a branch or a switch, if its condition or selector is known.
    fn target(&self, inst: Inst<'m>) -> Option<Id> {
        if let Some(branch) = Branch::of(inst) {
            return Some(branch.target());
        }
        if let Some(branch) = BranchConditional::of(inst) {
            let condition = self.known.value(branch.condition())? != 0;
            return Some(if condition { branch.if_true() } else { branch.if_false() });
        }
        let [_, selector, default, cases @ ..] = inst.words() else { return None };
        // Only selectors with 32 bits are known. Their literals have one word.
        let selector = self.known.value(Id::new(*selector)?)?;
        let case = cases.chunks_exact(2).find(|case| case[0] == selector);
        Id::new(case.map_or(*default, |case| case[1]))
    }

    /// Skips the instructions between a branch whose target is unknown and the nearest block that every path reaches:
    /// one of `merges`, or the end of the function.
    fn skip(&mut self, branch: Inst<'m>, merges: &[Id]) -> Option<Next> {
        let ends = merges.iter().rev().copied().map(Some).chain([None]);
        for end in ends {
            let Some(skipped) = self.instructions_up_to(end, branch) else { continue };
            for inst in skipped {
                self.known.forget(inst);
            }
            return Some(match end {
                Some(label) => Next::Block { label, from: None },
                None => Next::Return(None),
            });
        }
        None
    }

    /// Returns the instructions that may run between `branch` and the block `end`, or the end of the function if `end`
    /// is `None`. Returns `None` if an invocation may terminate elsewhere, or if the instructions may emit.
    fn instructions_up_to(&mut self, end: Option<Id>, branch: Inst<'m>) -> Option<Vec<Inst<'m>>> {
        let mut seen: HashSet<Id> = end.into_iter().collect();
        let (mut instructions, mut blocks, mut callees) = (Vec::new(), Vec::new(), Vec::new());
        self.push_targets(branch, &mut blocks)?;
        while let Some(label) = blocks.pop() {
            if !seen.insert(label) {
                continue;
            }
            for inst in self.block(label)? {
                self.check_silent(inst, &mut callees)?;
                match inst.op() {
                    Op::BRANCH | Op::BRANCH_CONDITIONAL | Op::SWITCH => {
                        self.push_targets(inst, &mut blocks)?;
                        break;
                    }
                    Op::RETURN | Op::RETURN_VALUE if end.is_none() => break,
                    op if ends_block(op) => return None,
                    _ => instructions.push(inst),
                }
            }
        }
        while let Some(callee) = callees.pop() {
            if seen.insert(callee) {
                for inst in self.m.function(callee)?.instructions() {
                    self.check_silent(inst, &mut callees)?;
                }
            }
        }
        Some(instructions)
    }

    fn push_targets(&mut self, branch: Inst<'m>, blocks: &mut Vec<Id>) -> Option<()> {
        let is_label = |id| self.m.definition(id).map(|inst| inst.op() == Op::LABEL);
        let mut all_defined = true;
        self.m.for_each_operand(branch, |_, id, _| match is_label(id) {
            Some(true) => blocks.push(id),
            Some(false) => {}
            None => all_defined = false,
        });
        all_defined.then_some(())
    }

    /// Checks that an instruction neither emits nor terminates the invocation. If it is a call, adds the function to
    /// `callees`, which must be checked, too.
    fn check_silent(&mut self, inst: Inst<'m>, callees: &mut Vec<Id>) -> Option<()> {
        self.spend(inst)?;
        callees.extend(FunctionCall::of(inst).map(FunctionCall::function));
        let terminates = matches!(inst.op(), Op::KILL | Op::TERMINATE_INVOCATION);
        let emits = rewrite::is_emit(inst) || rewrite::is_cut(inst);
        (!terminates && !emits).then_some(())
    }
}

/// Whether no instruction of a block follows an instruction with this opcode.
fn ends_block(op: Op) -> bool {
    match op {
        Op::BRANCH | Op::BRANCH_CONDITIONAL | Op::SWITCH | Op::RETURN | Op::RETURN_VALUE => true,
        Op::UNREACHABLE | Op::KILL | Op::TERMINATE_INVOCATION => true,
        // A block may end with an unknown instruction, or in an invalid module without a terminator.
        _ => matches!(op, Op::LABEL | Op::FUNCTION_END),
    }
}
