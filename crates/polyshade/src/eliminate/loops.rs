//! Which loops may not end. One that ends for sure can go if nothing in it is live; one that may not cannot: what
//! comes behind it may never run.

use super::graph::{self, Block, Construct};
use super::kinds::{Kind, kind};
use super::parts::Owner;
use super::survey::Survey;
use polyshade_spv::view::{
    AccessChain, Binary, Branch, BranchConditional, Load, Phi, Store, Unary, Variable,
};
use polyshade_spv::{Id, Inst, Op, StorageClass, Type};

/// How deep a condition or a bound is looked into.
const DEEPEST: u32 = 8;
/// How many blocks of an iteration are looked at.
const LONGEST: usize = 32;
/// How many writes of variables and blocks are looked at, for each word of the module.
const BUDGET: usize = 4;

/// The loops that are not known to end, with the function they are in.
pub(super) fn find_endless(survey: &Survey<'_, '_>) -> Vec<(u32, u32)> {
    let mut budget = survey.m.words().len() * BUDGET;
    let mut endless = Vec::new();
    for (number, function) in survey.functions.iter().enumerate() {
        // Constructs come in the order of the functions, and a body before what stands in it.
        let next = survey.functions.get(number + 1);
        let end = next.map_or(survey.graph.constructs.len() as u32, |function| function.body);
        for at in function.body..end {
            let construct = &survey.graph.constructs[at as usize];
            let mut search = Search { survey, construct, budget: &mut budget };
            if construct.is_loop() && !search.ends() {
                endless.push((at, number as u32));
            }
        }
    }
    endless
}

/// One loop that is looked at.
struct Search<'s, 'm, 'w> {
    survey: &'s Survey<'m, 'w>,
    construct: &'s Construct,
    budget: &'s mut usize,
}

/// Numbers are on a circle; a counter goes around it by the same step in every iteration.
struct Counter {
    step: i128,
    width: u32,
}

/// Where a conditional branch leaves the loop.
struct Exit {
    condition: Id,
    /// On which outcome.
    outcome: bool,
}

impl<'m> Search<'_, 'm, '_> {
    /// Whether the loop ends for sure: it has no second iteration, or a test that every iteration makes fails one day.
    fn ends(&mut self) -> bool {
        if !self.is_repeated() {
            return true;
        }
        let mut tests = Vec::new();
        for start in [self.construct.header, self.construct.continue_target] {
            let blocks = self.every_iteration(start);
            tests.extend(blocks.iter().filter_map(|block| self.exit_of(*block)));
        }
        tests.iter().any(|exit| self.fails(exit.condition, exit.outcome, 0))
    }

    /// Whether something goes on at the continue target.
    fn is_repeated(&mut self) -> bool {
        let Construct { header, continue_target, first, exits, .. } = *self.construct;
        if header == continue_target {
            return true;
        }
        let mut block = first;
        while block != graph::NONE {
            if !self.pay() || self.goes_to(block, continue_target) {
                return true;
            }
            block = self.survey.graph.blocks[block as usize].next;
        }
        let mut exit = exits;
        while let Some((block, next)) = self.survey.graph.exits.get(exit as usize) {
            if !self.pay() || self.goes_to(*block, continue_target) {
                return true;
            }
            exit = *next;
        }
        false
    }

    fn pay(&mut self) -> bool {
        *self.budget = self.budget.saturating_sub(1);
        *self.budget > 0
    }

    /// Whether `block`, to which some path leads, may branch to `target`.
    fn goes_to(&self, block: u32, target: u32) -> bool {
        let block = &self.survey.graph.blocks[block as usize];
        let label = self.survey.m.inst_at(self.label(target)).result();
        let mut goes = false;
        self.survey.m.for_each_operand(self.survey.m.inst_at(block.terminator), |_, id, _| {
            goes |= Some(id) == label;
        });
        goes && block.order != graph::NONE
    }

    fn label(&self, block: u32) -> u32 {
        self.survey.graph.blocks[block as usize].label
    }

    /// The block that begins with a label, which a branch of nonsense may not name.
    fn block(&self, label: Id) -> Option<u32> {
        let label = self.survey.m.definition(label).filter(|inst| inst.op() == Op::LABEL)?;
        Some(self.survey.notes[label.at() as usize])
    }

    fn terminator(&self, block: u32) -> Inst<'m> {
        self.survey.m.inst_at(self.survey.graph.blocks[block as usize].terminator)
    }

    fn holds(&self, block: u32) -> bool {
        let block = self.survey.graph.blocks.get(block as usize);
        block.is_none_or(|block| self.construct.holds(block.order))
    }

    /// The blocks from `start` on that every iteration runs that comes to `start` and does not leave the loop before.
    fn every_iteration(&self, start: u32) -> Vec<u32> {
        let mut blocks = vec![start];
        while let Some(next) = blocks.last().and_then(|last| self.only_way(*last)) {
            let Block { order, heads, .. } = self.survey.graph.blocks[next as usize];
            let inner = self.survey.graph.constructs.get(heads as usize);
            let stays = next != self.construct.header
                && self.construct.holds(order)
                && !inner.is_some_and(Construct::is_loop);
            if !stays || blocks.len() >= LONGEST {
                break;
            }
            blocks.push(next);
        }
        blocks
    }

    /// The one block that can follow `block` in the loop.
    fn only_way(&self, block: u32) -> Option<u32> {
        let terminator = self.terminator(block);
        if let Some(branch) = Branch::of(terminator) {
            return self.block(branch.target());
        }
        let exit = self.exit_of(block)?;
        let branch = BranchConditional::of(terminator)?;
        self.block(if exit.outcome { branch.if_false() } else { branch.if_true() })
    }

    /// How the loop is left from the end of `block`, if it is.
    fn exit_of(&self, block: u32) -> Option<Exit> {
        let branch = BranchConditional::of(self.terminator(block))?;
        let leaves = |label| {
            let Some(target) = self.block(label) else { return false };
            let through =
                Branch::of(self.terminator(target)).and_then(|next| self.block(next.target()));
            target == self.construct.merge || through == Some(self.construct.merge)
        };
        let condition = branch.condition();
        match (leaves(branch.if_true()), leaves(branch.if_false())) {
            (true, false) => Some(Exit { condition, outcome: true }),
            (false, true) => Some(Exit { condition, outcome: false }),
            (true, true) | (false, false) => None,
        }
    }

    /// Whether `condition`, asked for in every iteration, is `outcome` one day.
    fn fails(&mut self, condition: Id, outcome: bool, depth: u32) -> bool {
        let Some(inst) = self.survey.m.definition(condition).filter(|_| depth < DEEPEST) else {
            return false;
        };
        match (inst.op(), outcome) {
            (Op::CONSTANT_TRUE, _) => return outcome,
            (Op::CONSTANT_FALSE, _) => return !outcome,
            (Op::LOGICAL_NOT, _) => {
                return Unary::of(inst)
                    .is_some_and(|not| self.fails(not.operand(), !outcome, depth + 1));
            }
            (Op::LOGICAL_AND, false) | (Op::LOGICAL_OR, true) => {
                return Binary::of(inst).is_some_and(|both| {
                    self.fails(both.left(), outcome, depth + 1)
                        || self.fails(both.right(), outcome, depth + 1)
                });
            }
            _ => {}
        }
        let Some(compared) = Binary::of(inst) else { return false };
        let op = if outcome { negated(inst.op()) } else { Some(inst.op()) };
        let (left, right) = (compared.left(), compared.right());
        if let Some(counter) = self.counter(left, 0)
            && self.is_invariant(right, 0)
        {
            return op.is_some_and(|op| self.runs_out(op, &counter, right));
        }
        if let Some(counter) = self.counter(right, 0)
            && self.is_invariant(left, 0)
        {
            return op.and_then(mirrored).is_some_and(|op| self.runs_out(op, &counter, left));
        }
        false
    }

    /// Whether a loop that goes on while `counter op bound` ends. Where it ends is an arc of the circle; a step that is
    /// no longer than the arc cannot jump over it.
    fn runs_out(&self, op: Op, counter: &Counter, bound: Id) -> bool {
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

    /// What `id` is a copy of, bit for bit: of an integer of the same width.
    fn plain(&self, mut id: Id) -> Id {
        let width = |id| match self.survey.m.ty(self.survey.m.type_of(id)?)? {
            Type::Int { width, .. } => Some(width),
            _ => None,
        };
        for _ in 0..DEEPEST {
            let copy = self.survey.m.definition(id).and_then(Unary::of);
            let copied = copy.filter(|copy| copy.inst().op() != Op::LOGICAL_NOT);
            match copied.map(|copy| copy.operand()) {
                Some(from) if width(from).is_some() && width(from) == width(id) => id = from,
                _ => break,
            }
        }
        id
    }

    /// The value of an integer constant.
    fn number(&self, id: Id, signed: bool) -> Option<i128> {
        let inst = self.survey.m.definition(self.plain(id))?;
        let Some(Type::Int { width, .. }) = self.survey.m.ty(inst.result_type()?) else {
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

    /// The counter that `id` is, if it is one.
    fn counter(&mut self, id: Id, depth: u32) -> Option<Counter> {
        let inst = self.survey.m.definition(self.plain(id)).filter(|_| depth < DEEPEST)?;
        if !self.holds(self.survey.notes[inst.at() as usize]) {
            return None;
        }
        if let Some(load) = Load::of(inst) {
            return self.counter_in_memory(load);
        }
        if let Some(phi) = Phi::of(inst) {
            return self.counter_in_phi(phi);
        }
        // What is a step ahead goes as far.
        let sum = Binary::of(inst).filter(|_| matches!(inst.op(), Op::I_ADD | Op::I_SUB))?;
        self.number(sum.right(), true)?;
        self.counter(sum.left(), depth + 1)
    }

    /// A variable with one write in the loop, in every iteration, of itself and a constant.
    fn counter_in_memory(&mut self, load: Load<'m>) -> Option<Counter> {
        let part = self.survey.part(load.pointer())?;
        let root = self.survey.parts.root(part);
        if root.addressed || root.owner != Owner::Function || root.part != part {
            return None;
        }
        let mut written = None;
        for write in self.survey.parts.writes_of(part) {
            if !self.pay() {
                return None;
            }
            if self.holds(self.survey.notes[write.by as usize])
                && written.replace(write.by).is_some()
            {
                return None;
            }
        }
        let store = Store::of(self.survey.m.inst_at(written?))?;
        let block = self.survey.notes[store.inst().at() as usize];
        let starts = [self.construct.header, self.construct.continue_target];
        if !starts.iter().any(|start| self.every_iteration(*start).contains(&block)) {
            return None;
        }
        let own = |id| {
            let inst = self.survey.m.definition(self.plain(id))?;
            let own = Load::of(inst)?;
            let in_loop = self.holds(self.survey.notes[inst.at() as usize]);
            (in_loop && self.survey.part(own.pointer()) == Some(part)).then_some(())
        };
        self.stepped(store.object(), |id| own(id).is_some())
    }

    /// A phi of the loop's header that every iteration gives itself and a constant.
    fn counter_in_phi(&mut self, phi: Phi<'m>) -> Option<Counter> {
        if self.survey.notes[phi.inst().at() as usize] != self.construct.header {
            return None;
        }
        let own = phi.inst().result()?;
        let mut counter: Option<Counter> = None;
        for pair in phi.pairs().chunks_exact(2) {
            let (value, from) = (Id::new(pair[0])?, self.block(Id::new(pair[1])?)?);
            if !self.holds(from) {
                continue;
            }
            let stepped = self.stepped(value, |id| self.plain(id) == own)?;
            if counter.as_ref().is_some_and(|other| other.step != stepped.step) {
                return None;
            }
            counter = Some(stepped);
        }
        counter
    }

    /// The counter whose next value is `id`, which must be a sum of what `is_own` says is its last and a constant.
    fn stepped(&self, id: Id, is_own: impl Fn(Id) -> bool) -> Option<Counter> {
        let inst = self.survey.m.definition(self.plain(id))?;
        let sum = Binary::of(inst)?;
        let step = match inst.op() {
            Op::I_ADD if is_own(sum.left()) => self.number(sum.right(), true)?,
            Op::I_ADD if is_own(sum.right()) => self.number(sum.left(), true)?,
            Op::I_SUB if is_own(sum.left()) => -self.number(sum.right(), true)?,
            _ => return None,
        };
        let Some(Type::Int { width, .. }) = self.survey.m.ty(inst.result_type()?) else {
            return None;
        };
        (step != 0 && (1..=64).contains(&width)).then_some(Counter { step, width })
    }

    /// Whether `id` has one value in all iterations.
    fn is_invariant(&mut self, id: Id, depth: u32) -> bool {
        let Some(inst) = self.survey.m.definition(id).filter(|_| depth < DEEPEST) else {
            return false;
        };
        let in_functions = inst.at() >= self.survey.bodies;
        let is_parameter = inst.op() == Op::FUNCTION_PARAMETER;
        if !in_functions || is_parameter || !self.holds(self.survey.notes[inst.at() as usize]) {
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
        let mut operands = Vec::new();
        self.survey.m.for_each_operand(inst, |_, id, _| operands.push(id));
        operands.iter().all(|id| self.is_invariant(*id, depth + 1))
    }

    /// Whether a load from `pointer` gives one value in all iterations.
    fn is_invariant_memory(&mut self, pointer: Id, depth: u32) -> bool {
        let m = self.survey.m;
        let constant = [
            StorageClass::INPUT,
            StorageClass::UNIFORM,
            StorageClass::UNIFORM_CONSTANT,
            StorageClass::PUSH_CONSTANT,
        ];
        let root = m.definition(m.root(pointer)).and_then(Variable::of);
        if m.storage_class(pointer).is_some_and(|class| constant.contains(&class)) {
            let block = m.storage_class(pointer) == Some(StorageClass::UNIFORM);
            let writable = block && root.is_none_or(|root| is_buffer_block(self.survey, root));
            let chain = m.definition(pointer).and_then(AccessChain::of);
            return !writable
                && chain.is_none_or(|chain| {
                    chain.indices().all(|id| self.is_invariant(id, depth + 1))
                });
        }
        let Some(part) = self.survey.part(pointer) else { return false };
        let root = self.survey.parts.root(part);
        if root.addressed || root.part != part {
            return false;
        }
        let writes: Vec<u32> = match root.owner {
            Owner::Function => vec![part],
            // Two parameters may be one variable: then neither may be written.
            Owner::Parameter(number) => {
                let function = self.survey.parameters[number as usize].function;
                let parameters = self.survey.functions[function as usize].parameters.clone();
                parameters
                    .map(|number| self.survey.parameters[number as usize].part)
                    .filter(|part| *part != graph::NONE)
                    .collect()
            }
            Owner::Module => return false,
        };
        writes.into_iter().all(|part| {
            let is_function = root.owner == Owner::Function;
            let undivided = is_function || self.survey.parts.is_undivided(part);
            let mut outside = undivided;
            for write in self.survey.parts.writes_of(part) {
                outside &=
                    self.pay() && is_function && !self.holds(self.survey.notes[write.by as usize]);
            }
            outside
        })
    }
}

/// A uniform block that is a storage buffer in the way of SPIR-V before 1.3.
fn is_buffer_block(survey: &Survey<'_, '_>, root: Variable<'_>) -> bool {
    let m = survey.m;
    let Some((_, pointee)) = m.pointer(root.pointer_type()) else { return true };
    let structure = m.innermost_element(pointee);
    m.decoration(structure, polyshade_spv::Decoration::BUFFER_BLOCK).is_some()
}

/// The comparison that is true where `op` is false.
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

/// The comparison that says of swapped operands what `op` says.
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
