//! Finds the loops that may not terminate.
//!
//! A loop without live instructions can be removed only if it certainly terminates. Nothing runs after an infinite
//! loop, so removing one would let the shader run code that it never reached before.
//!
//! A loop terminates if it has no second iteration, or if every iteration makes a test that eventually fails. Such a
//! test compares a counter with an invariant bound. Each iteration moves the counter by the same step around the
//! circle of 2^width numbers. The values at which the loop ends form an arc of the circle, and a step that is no
//! longer than the arc cannot jump over it. All other loops are assumed not to terminate.
//!
//! # Why a proof
//!
//! C++ compilers need no such proof: C++ lets them assume that a loop without effects terminates. We found no such
//! rule for SPIR-V:
//!
//! * SPIR-V, 2.11 "Structured Control Flow", restricts where loops are entered and left, but does not require that
//!   they are left. `SPV_KHR_maximal_reconvergence` defines which invocations run an instruction together, not that
//!   any invocation reaches it.
//! * Vulkan, "Shader Termination", defines how an invocation terminates, but does not require that it terminates: "A
//!   shader stage for a given command completes execution when all invocations for that stage have terminated."
//! * GLSL ES 3.00, 6.3 "Iteration": "Non-terminating loops are allowed. The consequences of very long or
//!   non-terminating loops are platform dependent."
//!
//! Developers of wgpu (issue 6572) and of SPIRV-Tools (pull request 2471) consider infinite loops undefined
//! behaviour, but cite no section. If such a rule is found, this file can be deleted.
//!
//! # Benefit
//!
//! Measured on 585 variants of every second shader of the corpus; 232 of these shaders have loops. With the proof,
//! 161 of 325 loops are removed from the position-only variants; without it, none. 160 shaders become smaller. The
//! total falls from 286,781 to 271,396 words: 5.4 % overall, 9.5 % in shaders with loops. Complements hardly shrink.

use super::analysis::Analysis;
use super::graph::{BlockRecord, ConstructRecord, Order};
use super::index::{At, Block, Construct, Function, Index, Part, all_of};
use super::kinds::{Kind, kind};
use super::parts::{Owner, Writer};
use polyshade_spv::view::{Binary, Branch, BranchConditional, Load, Phi, Store, Unary, Variable};
use polyshade_spv::{Id, Inst, Op, StorageClass, Type};

/// The maximum depth to which the definition of a condition or a bound is followed.
const DEEPEST: u32 = 8;
/// The maximum number of blocks of an iteration that are examined.
const LONGEST: usize = 32;
/// The maximum number of blocks and of writes to variables that are examined, per word of the module.
const BUDGET: usize = 4;

/// Returns the loops that may not terminate, each with the function that contains it.
pub(super) fn find_endless(analysis: &Analysis<'_, '_>) -> Vec<(Construct, Function)> {
    let mut budget = analysis.m.words().len() * BUDGET;
    let mut endless = Vec::new();
    for function in analysis.functions.indices() {
        // Constructs are listed in the order of the functions, and a body precedes the constructs inside it.
        let body = |function| analysis.functions.get(function).and_then(|one| one.body);
        let Some(first) = body(function) else { continue };
        let end = body(Function::new(function.number() + 1));
        for number in all_of(first..end.unwrap_or(analysis.graph.constructs.next())) {
            let construct = &analysis.graph.constructs[number];
            let Some(continue_target) = construct.continue_target else { continue };
            let Some(header) = construct.header else { continue };
            let budget = &mut budget;
            let mut search = Search { analysis, construct, header, continue_target, budget };
            if !search.ends() {
                endless.push((number, function));
            }
        }
    }
    endless
}

/// The search for a proof that one loop terminates.
struct Search<'s, 'm, 'w> {
    analysis: &'s Analysis<'m, 'w>,
    construct: &'s ConstructRecord,
    header: Block,
    continue_target: Block,
    budget: &'s mut usize,
}

/// A number that every iteration changes by the same step, around the circle of 2^`width` values.
struct Counter {
    step: i128,
    width: u32,
}

/// A conditional branch that leaves the loop.
struct Exit {
    condition: Id,
    /// The value of the condition with which the branch leaves the loop.
    outcome: bool,
}

impl<'m> Search<'_, 'm, '_> {
    fn ends(&mut self) -> bool {
        if !self.is_repeated() {
            return true;
        }
        [self.header, self.continue_target].into_iter().any(|start| {
            let mut next = Some(start);
            (0..LONGEST).any(|_| {
                let Some(block) = next else { return false };
                next = self.after(block);
                self.exit_of(block).is_some_and(|one| self.becomes(one.condition, one.outcome, 0))
            })
        })
    }

    /// Whether a reachable block branches to the continue target, so that there can be a second iteration.
    fn is_repeated(&mut self) -> bool {
        if self.header == self.continue_target {
            return true;
        }
        let mut next = self.construct.first;
        while let Some(block) = next {
            if !self.spend() || self.goes_on_from(block) {
                return true;
            }
            next = self.analysis.graph.blocks[block].next;
        }
        let mut next = self.construct.exits;
        while let Some(exit) = next {
            let (block, after) = self.analysis.graph.exits[exit];
            if !self.spend() || self.goes_on_from(block) {
                return true;
            }
            next = after;
        }
        false
    }

    /// Takes one unit from the budget, and returns whether there was one left.
    fn spend(&mut self) -> bool {
        *self.budget = self.budget.saturating_sub(1);
        *self.budget > 0
    }

    /// Whether `block` is reachable and may branch to the continue target.
    fn goes_on_from(&self, block: Block) -> bool {
        let graph = &self.analysis.graph;
        let label = self.analysis.inst(graph.blocks[self.continue_target].label).result();
        let mut goes = false;
        self.analysis.m.for_each_operand(self.terminator(block), |_, id, _| {
            goes |= Some(id) == label;
        });
        goes && graph.blocks[block].order != Order::UNREACHED
    }

    fn terminator(&self, block: Block) -> Inst<'m> {
        self.analysis.inst(self.analysis.graph.blocks[block].terminator)
    }

    fn holds(&self, block: Block) -> bool {
        self.construct.holds(self.analysis.graph.blocks[block].order)
    }

    /// Whether an instruction is inside the loop. Parameters are in no block.
    fn holds_inst(&self, at: At) -> bool {
        self.analysis.block_of(at).is_some_and(|block| self.holds(block))
    }

    /// Returns the block that every iteration runs right after `block`, unless the iteration leaves the loop.
    fn after(&self, block: Block) -> Option<Block> {
        let next = self.only_way(block)?;
        let BlockRecord { order, heads, .. } = self.analysis.graph.blocks[next];
        let heads_loop = heads.is_some_and(|one| self.analysis.graph.constructs[one].is_loop());
        (next != self.header && self.construct.holds(order) && !heads_loop).then_some(next)
    }

    /// Whether every iteration that reaches `start` runs `block`, unless it leaves the loop first.
    fn always_runs(&self, start: Block, block: Block) -> bool {
        let blocks = std::iter::successors(Some(start), |last| self.after(*last));
        blocks.take(LONGEST).any(|one| one == block)
    }

    /// Returns the block that follows `block` in the loop, if only one can.
    fn only_way(&self, block: Block) -> Option<Block> {
        let terminator = self.terminator(block);
        if let Some(branch) = Branch::of(terminator) {
            return self.analysis.block(branch.target());
        }
        let exit = self.exit_of(block)?;
        let branch = BranchConditional::of(terminator)?;
        self.analysis.block(if exit.outcome { branch.if_false() } else { branch.if_true() })
    }

    /// Returns the exit of the loop at the end of `block`, if there is one.
    fn exit_of(&self, block: Block) -> Option<Exit> {
        let branch = BranchConditional::of(self.terminator(block))?;
        let leaves = |label| {
            let Some(target) = self.analysis.block(label) else { return false };
            let through = Branch::of(self.terminator(target))
                .and_then(|next| self.analysis.block(next.target()));
            Some(target) == self.construct.merge || through == self.construct.merge
        };
        let condition = branch.condition();
        match (leaves(branch.if_true()), leaves(branch.if_false())) {
            (true, false) => Some(Exit { condition, outcome: true }),
            (false, true) => Some(Exit { condition, outcome: false }),
            (true, true) | (false, false) => None,
        }
    }

    /// Whether `condition`, tested in every iteration, eventually equals `outcome`.
    fn becomes(&mut self, condition: Id, outcome: bool, depth: u32) -> bool {
        let Some(inst) = self.analysis.m.definition(condition).filter(|_| depth < DEEPEST) else {
            return false;
        };
        // The operands decide a logical operation.
        match (inst.op(), outcome) {
            (Op::CONSTANT_TRUE, _) => return outcome,
            (Op::CONSTANT_FALSE, _) => return !outcome,
            (Op::LOGICAL_NOT, _) => {
                return Unary::of(inst)
                    .is_some_and(|not| self.becomes(not.operand(), !outcome, depth + 1));
            }
            (Op::LOGICAL_AND, false) | (Op::LOGICAL_OR, true) => {
                return Binary::of(inst).is_some_and(|both| {
                    self.becomes(both.left(), outcome, depth + 1)
                        || self.becomes(both.right(), outcome, depth + 1)
                });
            }
            _ => {}
        }
        // Otherwise the condition must compare a counter with an invariant bound.
        let Some(compared) = Binary::of(inst) else { return false };
        let op = if outcome { negated(inst.op()) } else { Some(inst.op()) };
        let (left, right) = (compared.left(), compared.right());
        if let Some(counter) = self.counter(left, 0)
            && self.is_invariant(right, 0)
        {
            return op.is_some_and(|op| self.reaches(op, &counter, right));
        }
        if let Some(counter) = self.counter(right, 0)
            && self.is_invariant(left, 0)
        {
            return op.and_then(mirrored).is_some_and(|op| self.reaches(op, &counter, left));
        }
        false
    }

    /// Whether a loop that continues while `counter op bound` terminates: the step must not be longer than the arc of
    /// values at which the loop ends.
    fn reaches(&self, op: Op, counter: &Counter, bound: Id) -> bool {
        let signed = matches!(
            op,
            Op::S_LESS_THAN | Op::S_LESS_THAN_EQUAL | Op::S_GREATER_THAN | Op::S_GREATER_THAN_EQUAL
        );
        let bound = self.number(bound, signed);
        let (least, most) = match signed {
            true => (-(1_i128 << (counter.width - 1)), (1_i128 << (counter.width - 1)) - 1),
            false => (0, (1_i128 << counter.width) - 1),
        };
        let arc = match op {
            Op::I_EQUAL => return true,
            Op::I_NOT_EQUAL => return counter.step % 2 != 0,
            Op::S_LESS_THAN | Op::U_LESS_THAN => bound.map_or(1, |bound| most - bound + 1),
            Op::S_LESS_THAN_EQUAL | Op::U_LESS_THAN_EQUAL => bound.map_or(0, |bound| most - bound),
            Op::S_GREATER_THAN | Op::U_GREATER_THAN => bound.map_or(1, |bound| bound - least + 1),
            Op::S_GREATER_THAN_EQUAL | Op::U_GREATER_THAN_EQUAL => {
                bound.map_or(0, |bound| bound - least)
            }
            _ => return false,
        };
        counter.step.abs() <= arc
    }

    /// Returns the integer of the same width that `id` is a bitwise copy of, or `id` itself.
    fn copied_from(&self, mut id: Id) -> Id {
        let width = |id| match self.analysis.m.ty(self.analysis.m.type_of(id)?)? {
            Type::Int { width, .. } => Some(width),
            _ => None,
        };
        for _ in 0..DEEPEST {
            let copy = self.analysis.m.definition(id).and_then(Unary::of);
            let copied = copy.filter(|copy| copy.inst().op() != Op::LOGICAL_NOT);
            match copied.map(|copy| copy.operand()) {
                Some(from) if width(from).is_some() && width(from) == width(id) => id = from,
                _ => break,
            }
        }
        id
    }

    /// Returns the value of an integer constant.
    fn number(&self, id: Id, signed: bool) -> Option<i128> {
        let inst = self.analysis.m.definition(self.copied_from(id))?;
        let Some(Type::Int { width, .. }) = self.analysis.m.ty(inst.result_type()?) else {
            return None;
        };
        let bits = match inst.op() {
            Op::CONSTANT_NULL => 0,
            Op::CONSTANT => {
                let words = &inst.words()[3..];
                let high = words.get(1).copied().unwrap_or(0);
                u64::from(high) << 32 | u64::from(*words.first()?)
            }
            _ => return None,
        };
        let unused = 64_u32.checked_sub(width).filter(|unused| *unused < 64)?;
        Some(match signed {
            true => i128::from((bits << unused).cast_signed() >> unused),
            false => i128::from(bits << unused >> unused),
        })
    }

    /// Returns the counter that has the value `id`, if any.
    fn counter(&mut self, id: Id, depth: u32) -> Option<Counter> {
        let inst = self.analysis.m.definition(self.copied_from(id)).filter(|_| depth < DEEPEST)?;
        if !self.holds_inst(At::of(inst)) {
            return None;
        }
        if let Some(load) = Load::of(inst) {
            return self.counter_in_memory(load);
        }
        if let Some(phi) = Phi::of(inst) {
            return self.counter_in_phi(phi);
        }
        // A counter plus a constant advances by the same step.
        let sum = Binary::of(inst).filter(|_| matches!(inst.op(), Op::I_ADD | Op::I_SUB))?;
        self.number(sum.right(), true)?;
        self.counter(sum.left(), depth + 1)
    }

    /// Returns the counter in a variable, if the only write to the variable in the loop adds a constant and runs in
    /// every iteration.
    fn counter_in_memory(&mut self, load: Load<'m>) -> Option<Counter> {
        let part = self.analysis.part(load.pointer())?;
        let is_variable = self.analysis.parts.root(part).owner == Owner::Function;
        if !is_variable || !self.analysis.is_plain_variable(part) {
            return None;
        }
        let mut written = None;
        for writer in self.analysis.parts.writers_of(part) {
            // The writer may be a call that gets the variable's address, but then the variable is not plain.
            let Writer::Inst(at) = writer else { return None };
            if !self.spend() || self.holds_inst(at) && written.replace(at).is_some() {
                return None;
            }
        }
        let written = written?;
        let store = Store::of(self.analysis.inst(written))?;
        let block = self.analysis.block_of(written)?;
        let starts = [self.header, self.continue_target];
        if !starts.iter().any(|start| self.always_runs(*start, block)) {
            return None;
        }
        let own = |id| {
            let inst = self.analysis.m.definition(self.copied_from(id))?;
            let own = Load::of(inst)?;
            let in_loop = self.holds_inst(At::of(inst));
            (in_loop && self.analysis.part(own.pointer()) == Some(part)).then_some(())
        };
        self.stepped(store.object(), |id| own(id).is_some())
    }

    /// Returns the counter in a phi of the loop's header. The value that the phi gets from inside the loop must be
    /// the phi plus a constant.
    fn counter_in_phi(&mut self, phi: Phi<'m>) -> Option<Counter> {
        if self.analysis.block_of(At::of(phi.inst())) != Some(self.header) {
            return None;
        }
        let own = phi.inst().result()?;
        let mut counter: Option<Counter> = None;
        for pair in phi.pairs().chunks_exact(2) {
            let (value, from) = (Id::new(pair[0])?, self.analysis.block(Id::new(pair[1])?)?);
            if !self.holds(from) {
                continue;
            }
            let stepped = self.stepped(value, |id| self.copied_from(id) == own)?;
            if counter.as_ref().is_some_and(|other| other.step != stepped.step) {
                return None;
            }
            counter = Some(stepped);
        }
        counter
    }

    /// Returns the counter with the next value `id`: the sum of a constant and a value for which `is_own` is true.
    fn stepped(&self, id: Id, is_own: impl Fn(Id) -> bool) -> Option<Counter> {
        let inst = self.analysis.m.definition(self.copied_from(id))?;
        let sum = Binary::of(inst)?;
        let step = match inst.op() {
            Op::I_ADD if is_own(sum.left()) => self.number(sum.right(), true)?,
            Op::I_ADD if is_own(sum.right()) => self.number(sum.left(), true)?,
            Op::I_SUB if is_own(sum.left()) => -self.number(sum.right(), true)?,
            _ => return None,
        };
        let Some(Type::Int { width, .. }) = self.analysis.m.ty(inst.result_type()?) else {
            return None;
        };
        (step != 0 && (1..=64).contains(&width)).then_some(Counter { step, width })
    }

    /// Whether `id` has the same value in all iterations.
    fn is_invariant(&mut self, id: Id, depth: u32) -> bool {
        let Some(inst) = self.analysis.m.definition(id).filter(|_| depth < DEEPEST) else {
            return false;
        };
        let in_functions = inst.at() >= self.analysis.bodies;
        let is_parameter = inst.op() == Op::FUNCTION_PARAMETER;
        if !in_functions || is_parameter || !self.holds_inst(At::of(inst)) {
            return true;
        }
        if let Some(load) = Load::of(inst) {
            return self.is_invariant_memory(load.pointer(), depth);
        }
        let is_value =
            matches!(kind(inst.op()), Kind::Value | Kind::Extract | Kind::Chain | Kind::Copy);
        if !is_value || inst.words().len() > DEEPEST as usize {
            return false;
        }
        let (m, mut all) = (self.analysis.m, true);
        m.for_each_operand(inst, |_, id, _| all = all && self.is_invariant(id, depth + 1));
        all
    }

    /// Whether a load from `pointer` returns the same value in all iterations.
    fn is_invariant_memory(&mut self, pointer: Id, depth: u32) -> bool {
        let m = self.analysis.m;
        let constant = [
            StorageClass::INPUT,
            StorageClass::UNIFORM,
            StorageClass::UNIFORM_CONSTANT,
            StorageClass::PUSH_CONSTANT,
        ];
        let root = m.definition(m.root(pointer)).and_then(Variable::of);
        if m.storage_class(pointer).is_some_and(|class| constant.contains(&class)) {
            let block = m.storage_class(pointer) == Some(StorageClass::UNIFORM);
            let writable = block && root.is_none_or(|root| is_buffer_block(self.analysis, root));
            return !writable && self.is_invariant(pointer, depth + 1);
        }
        let Some(part) = self.analysis.part(pointer) else { return false };
        if !self.analysis.is_plain_variable(part) {
            return false;
        }
        match self.analysis.parts.root(part).owner {
            Owner::Function => self.is_not_written(part),
            // Two parameters may alias, so no parameter of the function may be written in the loop.
            Owner::Parameter(parameter) => {
                let function = self.analysis.parameters[parameter].function;
                let parameters = self.analysis.functions[function].parameters.clone();
                let parts = &self.analysis.parts;
                all_of(parameters)
                    .filter_map(|one| self.analysis.parameters[one].part)
                    .all(|part| parts.is_undivided(part) && parts.writers_of(part).next().is_none())
            }
            Owner::Module => false,
        }
    }

    /// Whether no instruction in the loop writes to a variable. Pointers to it must not escape.
    fn is_not_written(&mut self, part: Part) -> bool {
        let writers = self.analysis.parts.writers_of(part);
        writers.into_iter().all(|writer| match writer {
            Writer::Inst(at) => self.spend() && !self.holds_inst(at),
            Writer::Call { .. } => false,
        })
    }
}

/// Whether `root` is a storage buffer in the `Uniform` class, as declared before SPIR-V 1.3.
fn is_buffer_block(analysis: &Analysis<'_, '_>, root: Variable<'_>) -> bool {
    let m = analysis.m;
    let Some((_, pointee)) = m.pointer(root.pointer_type()) else { return true };
    let structure = m.innermost_element(pointee);
    m.decoration(structure, polyshade_spv::Decoration::BUFFER_BLOCK).is_some()
}

/// Returns the comparison that is true where `op` is false.
fn negated(op: Op) -> Option<Op> {
    Some(match op {
        Op::I_EQUAL => Op::I_NOT_EQUAL,
        Op::I_NOT_EQUAL => Op::I_EQUAL,
        Op::S_LESS_THAN => Op::S_GREATER_THAN_EQUAL,
        Op::S_GREATER_THAN_EQUAL => Op::S_LESS_THAN,
        Op::S_LESS_THAN_EQUAL => Op::S_GREATER_THAN,
        Op::S_GREATER_THAN => Op::S_LESS_THAN_EQUAL,
        Op::U_LESS_THAN => Op::U_GREATER_THAN_EQUAL,
        Op::U_GREATER_THAN_EQUAL => Op::U_LESS_THAN,
        Op::U_LESS_THAN_EQUAL => Op::U_GREATER_THAN,
        Op::U_GREATER_THAN => Op::U_LESS_THAN_EQUAL,
        _ => return None,
    })
}

/// Returns the comparison that is equivalent to `op` with swapped operands.
fn mirrored(op: Op) -> Option<Op> {
    Some(match op {
        Op::I_EQUAL | Op::I_NOT_EQUAL => op,
        Op::S_LESS_THAN => Op::S_GREATER_THAN,
        Op::S_GREATER_THAN => Op::S_LESS_THAN,
        Op::S_LESS_THAN_EQUAL => Op::S_GREATER_THAN_EQUAL,
        Op::S_GREATER_THAN_EQUAL => Op::S_LESS_THAN_EQUAL,
        Op::U_LESS_THAN => Op::U_GREATER_THAN,
        Op::U_GREATER_THAN => Op::U_LESS_THAN,
        Op::U_LESS_THAN_EQUAL => Op::U_GREATER_THAN_EQUAL,
        Op::U_GREATER_THAN_EQUAL => Op::U_LESS_THAN_EQUAL,
        _ => return None,
    })
}
