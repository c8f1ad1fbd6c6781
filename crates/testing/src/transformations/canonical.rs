//! The canonical form of a module. Modules with the same effect have the same canonical form.

use super::{NOTES_EXTENSION, UNKNOWN, text};
use polyshade::Module;
use polyshade::spv::view::FunctionCall;
use polyshade::spv::{FunctionBody, Id, Inst, Op, Section};
use std::collections::HashMap;

/// Returns the instructions that have an effect, in an order and with ids that depend only on their uses. Two modules
/// that have the same effect with the same instructions have the same canonical form.
///
/// Names, source texts and non-semantic instructions are removed, and so are unused copies and sums, unknown
/// instructions without operands, and functions that no entry point reaches. Functions of one instruction are inlined.
pub fn canonical(module: &Module<'_>) -> Vec<Vec<u32>> {
    let mut canonical = Canonicalizer {
        module,
        inlined: inlined(module),
        numbers: vec![0; module.bound() as usize],
        last: 0,
        out: Vec::new(),
        functions: Vec::new(),
    };
    canonical.entry_points();
    let mut next = 0;
    while let Some(function) = canonical.functions.get(next).copied() {
        canonical.function(function);
        next += 1;
    }
    canonical.preamble();
    canonical.out
}

/// The replacement for calls of a function: its only instruction, if any, with a map from the function's ids to other
/// ids.
#[derive(Clone)]
struct Inlined<'m> {
    parameters: Vec<Id>,
    inst: Option<(Inst<'m>, HashMap<Id, Id>)>,
}

/// Returns the functions that have at most one instruction, including those that only call such a function.
fn inlined<'m>(module: &'m Module<'m>) -> HashMap<Id, Inlined<'m>> {
    let mut inlined: HashMap<Id, Inlined<'m>> = HashMap::new();
    loop {
        let before = inlined.len();
        for body in module.functions() {
            if !inlined.contains_key(&body.id())
                && let Some(inst) = only_instruction(module, body, &inlined)
            {
                let parameters = body.parameters().collect();
                inlined.insert(body.id(), Inlined { parameters, inst });
            }
        }
        if inlined.len() == before {
            return inlined;
        }
    }
}

/// Returns the only instruction of a function, `Some(None)` if the function has none, or `None` if it has several.
fn only_instruction<'m>(
    module: &'m Module<'m>,
    body: FunctionBody<'m>,
    inlined: &HashMap<Id, Inlined<'m>>,
) -> Option<Option<(Inst<'m>, HashMap<Id, Id>)>> {
    // Find the instructions with an effect.
    let is_inside = |inst: &Inst<'m>| {
        let op = inst.op();
        let is_frame =
            matches!(op, Op::FUNCTION | Op::FUNCTION_PARAMETER | Op::LABEL | Op::FUNCTION_END);
        !is_frame && !has_no_effect(module, *inst)
    };
    let inside: Vec<Inst<'m>> = body.instructions().filter(is_inside).take(3).collect();
    let returns = |end: Inst<'_>, inst: Inst<'_>| match end.op() {
        Op::RETURN => true,
        Op::RETURN_VALUE => Some(end.words()[1]) == inst.result().map(Id::word),
        _ => false,
    };
    // Accept a function that returns the result of its only instruction.
    match inside[..] {
        [end] if end.op() == Op::RETURN => Some(None),
        [inst, end] if returns(end, inst) => match inst.op() {
            Op::STORE | Op::F_ADD | Op::F_MUL | Op::F_SUB => Some(Some((inst, HashMap::new()))),
            _ => called(inst, inlined),
        },
        _ => None,
    }
}

/// Returns the replacement of `inst` if it calls an inlined function.
fn called<'m>(
    inst: Inst<'m>,
    inlined: &HashMap<Id, Inlined<'m>>,
) -> Option<Option<(Inst<'m>, HashMap<Id, Id>)>> {
    let call = FunctionCall::of(inst)?;
    let Inlined { parameters, inst: inside } = inlined.get(&call.function())?;
    let Some((inside, inner)) = inside else { return Some(None) };
    let mut given: HashMap<Id, Id> = parameters.iter().copied().zip(call.arguments()).collect();
    for (id, stands_for) in inner {
        given.insert(*id, *given.get(stands_for).unwrap_or(stands_for));
    }
    given.extend(inside.result().zip(inst.result()));
    Some(Some((*inside, given)))
}

fn has_no_effect(module: &Module<'_>, inst: Inst<'_>) -> bool {
    let is_pure =
        matches!(inst.op(), Op::COPY_OBJECT | Op::F_ADD | Op::F_MUL | Op::F_SUB | Op::UNDEF);
    let is_text = matches!(inst.op(), Op::LINE | Op::NO_LINE | Op::NOP);
    let is_used =
        |id| module.uses_of(id).any(|user| user.op() != Op::NAME && !module.is_for_tools(user));
    is_text
        || module.is_for_tools(inst)
        || inst.op() == UNKNOWN && inst.words().len() == 1
        || is_pure && !inst.result().is_some_and(is_used)
}

struct Canonicalizer<'m> {
    module: &'m Module<'m>,
    inlined: HashMap<Id, Inlined<'m>>,
    /// The number of each id; 0 if none is assigned yet.
    numbers: Vec<u32>,
    last: u32,
    out: Vec<Vec<u32>>,
    functions: Vec<Id>,
}

impl<'m> Canonicalizer<'m> {
    /// Returns the number of an id. For a new id of module scope, assigns a number and emits the definition first.
    fn number(&mut self, id: Id) -> u32 {
        if let Some(number) = self.has(id) {
            return number;
        }
        let first = self.new_number(id);
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let Some(inst) = self.definition(id) else { continue };
            let mut operands = Vec::new();
            self.module.for_each_operand(inst, |_, operand, _| operands.push(operand));
            for operand in operands {
                if self.has(operand).is_none() {
                    self.new_number(operand);
                    stack.push(operand);
                }
            }
            let words = self.renumbered(inst, &HashMap::new());
            self.out.push(words);
        }
        first
    }

    fn new_number(&mut self, id: Id) -> u32 {
        self.last += 1;
        self.numbers[id.word() as usize] = self.last;
        if self.module.function(id).is_some() {
            self.functions.push(id);
        }
        self.last
    }

    fn has(&self, id: Id) -> Option<u32> {
        self.numbers.get(id.word() as usize).copied().filter(|number| *number != 0)
    }

    /// Returns the definition of an id of module scope that is not a function.
    fn definition(&self, id: Id) -> Option<Inst<'m>> {
        let inst = self.module.definition(id)?;
        (inst.at() < self.module.section_end(Section::Globals)).then_some(inst)
    }

    /// Returns the words of `inst` with numbers in place of ids, after replacing ids according to `given`.
    fn renumbered(&self, inst: Inst<'_>, given: &HashMap<Id, Id>) -> Vec<u32> {
        let mut words = inst.words().to_vec();
        let number = |id: Id| self.has(*given.get(&id).unwrap_or(&id));
        self.module.for_each_operand(inst, |operand, id, _| {
            words[operand.word()] = number(id).unwrap_or(0);
        });
        if let Some(id) = inst.result() {
            let place = if inst.result_type().is_some() { 2 } else { 1 };
            words[place] = number(id).unwrap_or(0);
        }
        words
    }

    fn entry_points(&mut self) {
        for entry in self.module.entry_points() {
            self.number(entry.function());
            let words = self.renumbered(entry.inst(), &HashMap::new());
            // The order of an interface does not matter, so its variables are numbered at their first use.
            let ids = entry.interface().len();
            self.out.push(words[..words.len() - ids].to_vec());
        }
    }

    fn function(&mut self, id: Id) {
        let module = self.module;
        let body = module.function(id).expect("the id is that of a function");
        for inst in body.instructions().filter(|inst| !has_no_effect(module, *inst)) {
            let (inst, given) = match called(inst, &self.inlined) {
                Some(None) => continue,
                Some(Some(in_place)) => in_place,
                None => (inst, HashMap::new()),
            };
            let mut operands = Vec::new();
            module.for_each_operand(inst, |_, id, _| operands.push(id));
            operands.extend(inst.result());
            for operand in operands {
                self.number(*given.get(&operand).unwrap_or(&operand));
            }
            let words = self.renumbered(inst, &given);
            self.out.push(words);
            // Decorations of the inlined result apply to the result of the call.
            if let Some((inside, outside)) = inst.result().and_then(|id| given.get_key_value(&id)) {
                self.numbers[inside.word() as usize] = self.number(*outside);
            }
        }
    }

    /// Emits the instructions before the types that refer to numbered ids, sorted, as their order does not matter.
    fn preamble(&mut self) {
        let mut lines: Vec<Vec<u32>> = Vec::new();
        let end = self.module.section_end(Section::Annotations);
        for inst in self.module.preamble().take_while(|inst| inst.at() < end) {
            match inst.op() {
                Op::NAME | Op::MEMBER_NAME | Op::SOURCE | Op::STRING | Op::ENTRY_POINT => continue,
                Op::SOURCE_EXTENSION | Op::MODULE_PROCESSED | Op::SOURCE_CONTINUED => continue,
                Op::EXT_INST_IMPORT => continue,
                Op::EXTENSION if inst.words()[1..] == text(NOTES_EXTENSION) => continue,
                _ => {}
            }
            let mut ids = Vec::new();
            self.module.for_each_operand(inst, |_, id, _| ids.push(id));
            if ids.iter().all(|id| self.has(*id).is_some()) {
                lines.push(self.renumbered(inst, &HashMap::new()));
            }
        }
        lines.sort_unstable();
        lines.dedup();
        self.out.extend(lines);
    }
}
