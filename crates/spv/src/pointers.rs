//! Where a pointer comes from and where it goes: through access chains, copies and function parameters.

use crate::grammar::Op;
use crate::inst::{AccessChain, FunctionCall, Inst};
use crate::{Id, Module};
use std::collections::HashSet;

/// Everything that is done with a variable and the pointers made from it.
#[derive(Debug, Default)]
pub struct Reach<'m> {
    /// Instructions whose result is a pointer into the variable: access chains, copies, phis, selects, and the
    /// parameters it is passed as.
    pub pointers: Vec<Inst<'m>>,
    /// The other instructions that use the variable or such a pointer: loads, stores, calls, names and so on. One that
    /// uses several is listed for each.
    pub uses: Vec<Inst<'m>>,
}

impl Module<'_> {
    /// Everything that is done with `variable` and the pointers made from it, in every function it is passed to.
    pub fn reach(&self, variable: Id) -> Reach<'_> {
        let mut reach = Reach::default();
        let mut seen = HashSet::from([variable]);
        let mut open = vec![variable];
        while let Some(pointer) = open.pop() {
            for inst in self.uses_of(pointer) {
                if makes_pointer(inst, pointer) {
                    let result = inst.result().expect("it makes a pointer");
                    if seen.insert(result) {
                        reach.pointers.push(inst);
                        open.push(result);
                    }
                    continue;
                }
                reach.uses.push(inst);
                let Some(call) = FunctionCall::of(inst) else { continue };
                for parameter in self.parameters_that_get(call, pointer) {
                    if seen.insert(parameter) {
                        reach
                            .pointers
                            .push(self.definition(parameter).expect("a parameter is defined"));
                        open.push(parameter);
                    }
                }
            }
        }
        reach
    }

    fn parameters_that_get(&self, call: FunctionCall<'_>, argument: Id) -> Vec<Id> {
        let Some(function) = self.function(call.function()) else { return Vec::new() };
        let pairs = call.arguments().zip(function.parameters());
        pairs.filter(|(passed, _)| *passed == argument).map(|(_, parameter)| parameter).collect()
    }

    /// What the pointer `id` is made from, through access chains and copies: a variable, a function parameter, or
    /// whatever else makes a pointer.
    pub fn root(&self, mut id: Id) -> Id {
        // Every step goes to an instruction that dominates the one before; the words bound the steps in any case.
        for _ in 0..self.words().len() {
            let Some(inst) = self.definition(id) else { return id };
            id = match inst.op() {
                op if op.is_access_chain() => {
                    AccessChain::of(inst).expect("it is an access chain").base()
                }
                Op::COPY_OBJECT | Op::IMAGE_TEXEL_POINTER => inst.id_at(3),
                _ => return id,
            };
        }
        id
    }

    /// The functions that `function` calls, directly or not, and itself, each once.
    pub fn reachable(&self, function: Id) -> Vec<Id> {
        let mut seen = HashSet::from([function]);
        let mut order = vec![function];
        let mut next = 0;
        while let Some(id) = order.get(next).copied() {
            next += 1;
            let Some(body) = self.function(id) else { continue };
            for call in body.instructions().filter_map(FunctionCall::of) {
                if seen.insert(call.function()) {
                    order.push(call.function());
                }
            }
        }
        order
    }
}

/// Whether the result of `inst` points into what `pointer` points to.
fn makes_pointer(inst: Inst<'_>, pointer: Id) -> bool {
    match inst.op() {
        op if op.is_access_chain() => {
            AccessChain::of(inst).expect("it is an access chain").base() == pointer
        }
        Op::COPY_OBJECT | Op::PHI | Op::SELECT => true,
        _ => false,
    }
}
