//! The integers and booleans that are the same in every invocation of a shader.

use crate::rewrite;
use foldhash::{HashMap, HashMapExt};
use polyshade_spv::view::{Decorate, FunctionCall, Phi, Store, Variable};
use polyshade_spv::{
    Decoration, FunctionBody, Id, Inst, Module, Op, Roots, Section, StorageClass, Type, is_known,
};

/// A 32-bit integer or a boolean, which is 0 or 1; `None` if it is unknown.
pub(super) type MaybeKnown = Option<u32>;

/// The known values at one point of the execution. Everything that is not listed is unknown.
pub(super) struct KnownValues<'m, 'w> {
    m: &'m Module<'w>,
    /// The results of instructions, and parameters of functions.
    results: HashMap<Id, u32>,
    /// The contents of variables of the storage classes `Function` and `Private`.
    contents: HashMap<Id, u32>,
    /// The variables that the parameters of functions point into.
    pointed: HashMap<Id, Id>,
    roots: Roots<'m, 'w>,
    /// Only integers with at most this number of bits are known.
    bits: u32,
}

/// Decorations of instructions that may be executed with 16 bits, or whose result is undefined after an overflow.
const RELAXED: [Decoration; 3] =
    [Decoration::RELAXED_PRECISION, Decoration::NO_SIGNED_WRAP, Decoration::NO_UNSIGNED_WRAP];
/// With these decorations, results are certain if all operands and the result are non-negative integers with this
/// number of bits.
const RELAXED_BITS: u32 = 15;

impl<'m, 'w> KnownValues<'m, 'w> {
    /// Returns the known values at the start of a shader.
    pub(super) fn new(m: &'m Module<'w>) -> Self {
        let mut decorations = m.section(Section::Annotations).filter_map(Decorate::of);
        let is_relaxed = decorations.any(|one| RELAXED.contains(&one.decoration()));
        let mut known = Self {
            m,
            results: HashMap::new(),
            contents: HashMap::new(),
            pointed: HashMap::new(),
            roots: Roots::new(m),
            bits: if is_relaxed { RELAXED_BITS } else { 32 },
        };
        for variable in m.variables() {
            known.initialize(variable);
        }
        known
    }

    pub(super) fn value(&self, id: Id) -> MaybeKnown {
        let value = self.results.get(&id).copied().or_else(|| {
            let inst = self.m.definition(id).filter(|inst| self.has_scalar(*inst))?;
            match inst.op() {
                Op::CONSTANT_TRUE => Some(1),
                Op::CONSTANT_FALSE => Some(0),
                _ => self.m.constant(id),
            }
        });
        value.filter(|value| *value <= u32::MAX >> (32 - self.bits))
    }

    /// Sets the result of an instruction.
    pub(super) fn set(&mut self, inst: Inst<'m>, value: MaybeKnown) {
        let Some(result) = inst.result() else { return };
        match value.filter(|_| self.has_scalar(inst)) {
            Some(value) => self.results.insert(result, value),
            None => self.results.remove(&result),
        };
    }

    /// Returns the value of a phi in a block that is entered from the block `from`. If `from` is `None`, the block may
    /// be entered from any predecessor.
    pub(super) fn phi(&self, phi: Phi<'m>, from: Option<Id>) -> MaybeKnown {
        let pairs = phi.pairs().chunks_exact(2);
        let mut values = pairs
            .filter(|pair| from.is_none_or(|from| from.word() == pair[1]))
            .map(|pair| self.value(Id::new(pair[0])?));
        let first = values.next()??;
        values.all(|value| value == Some(first)).then_some(first)
    }

    /// Sets the parameters of `callee` to the arguments of `call`.
    pub(super) fn pass_arguments(&mut self, call: FunctionCall<'m>, callee: FunctionBody<'m>) {
        for (argument, parameter) in call.arguments().zip(callee.parameters()) {
            let value = self.value(argument);
            if let Some(inst) = self.m.definition(parameter) {
                self.set(inst, value);
            }
            match self.variable(argument) {
                Some(variable) => self.pointed.insert(parameter, variable),
                None => self.pointed.remove(&parameter),
            };
        }
    }

    /// Executes an instruction that neither calls a function nor changes the control flow.
    pub(super) fn execute(&mut self, inst: Inst<'m>) {
        let value = self.evaluate(inst);
        self.forget(inst);
        if let Some(variable) = Variable::of(inst) {
            self.initialize(variable);
        } else if let Some(store) = Store::of(inst) {
            let value = self.value(store.object());
            if let (Some(variable), Some(value)) = (self.whole(store.pointer()), value) {
                self.contents.insert(variable, value);
            }
        } else {
            self.set(inst, value);
        }
    }

    /// Forgets the result of an instruction, and all variables that it may store to.
    pub(super) fn forget(&mut self, inst: Inst<'m>) {
        let m = self.m;
        if let Some(result) = inst.result() {
            self.results.remove(&result);
        }
        // Unknown instructions may store through their operands, and may call functions.
        if inst.op() == Op::FUNCTION_CALL || !is_known(inst.op()) {
            let is_private = |id| m.storage_class(id) == Some(StorageClass::PRIVATE);
            self.contents.retain(|variable, _| !is_private(*variable));
        }
        let only_reads = matches!(inst.op(), Op::LOAD | Op::COPY_OBJECT)
            || inst.op().is_access_chain()
            || m.is_for_tools(inst);
        if !only_reads {
            m.for_each_operand(inst, |_, id, _| self.forget_pointee(id));
        }
    }

    /// Forgets the variable that `id` points into, if it is a pointer.
    fn forget_pointee(&mut self, id: Id) {
        // Pointers of other storage classes cannot point to variables of these classes.
        let is_generic = self.m.storage_class(id) == Some(StorageClass::GENERIC);
        if !is_generic && !self.is_local(id) {
            return;
        }
        match self.variable(id) {
            Some(variable) => {
                self.contents.remove(&variable);
            }
            None => self.contents.clear(),
        }
    }

    fn initialize(&mut self, variable: Variable<'m>) {
        let value = variable.initializer().and_then(|id| self.value(id));
        match value.filter(|_| self.is_local(variable.result())) {
            Some(value) => self.contents.insert(variable.result(), value),
            None => self.contents.remove(&variable.result()),
        };
    }

    /// Whether `id` is a pointer of the storage class `Function` or `Private`.
    fn is_local(&self, id: Id) -> bool {
        let class = self.m.storage_class(id);
        matches!(class, Some(StorageClass::FUNCTION | StorageClass::PRIVATE))
    }

    /// Returns the variable that `pointer` points into.
    fn variable(&mut self, pointer: Id) -> Option<Id> {
        let root = self.roots.root(pointer);
        if let Some(variable) = self.pointed.get(&root) {
            return Some(*variable);
        }
        self.m.definition(root).and_then(Variable::of).map(Variable::result)
    }

    /// Returns the variable of storage class `Function` or `Private` that `pointer` points to, if it does not point
    /// to a part of the variable only.
    fn whole(&mut self, pointer: Id) -> Option<Id> {
        let variable = self.variable(pointer).filter(|id| self.is_local(*id))?;
        (self.m.pointee(pointer) == self.m.pointee(variable)).then_some(variable)
    }

    /// Whether the type of a result is a boolean or an integer of 32 bits.
    fn has_scalar(&self, inst: Inst<'m>) -> bool {
        let ty = inst.result_type().and_then(|ty| self.m.ty(ty));
        matches!(ty, Some(Type::Bool | Type::Int { width: 32, .. }))
    }

    fn evaluate(&mut self, inst: Inst<'m>) -> MaybeKnown {
        if !self.has_scalar(inst) {
            return None;
        }
        let mut ids = Vec::new();
        self.m.for_each_operand(inst, |_, id, _| ids.push(id));
        let signed = |value: u32| i64::from(value.cast_signed());
        match (inst.op(), ids.as_slice()) {
            (Op::LOAD, [_, pointer, ..]) => {
                let variable = self.whole(*pointer)?;
                self.contents.get(&variable).copied()
            }
            (Op::COPY_OBJECT | Op::BITCAST, [_, operand]) => self.value(*operand),
            (Op::SELECT, [_, condition, then, otherwise]) => {
                self.value(if self.value(*condition)? != 0 { *then } else { *otherwise })
            }
            (op, [_, operand]) => {
                let value = self.value(*operand)?;
                rewrite::fold_unary(op, u64::from(value), signed(value)).map(|bits| bits as u32)
            }
            (op, [_, left, right]) => {
                let (left, right) = (self.value(*left)?, self.value(*right)?);
                let unsigned = (u64::from(left), u64::from(right));
                let both = (signed(left), signed(right));
                let value = rewrite::fold_binary(op, unsigned, both, self.bits)?;
                is_defined(op, both.0, both.1).then_some(value as u32)
            }
            _ => None,
        }
    }
}

/// Whether Vulkan defines the result of a signed division or remainder. For remainders of negative numbers, it needs
/// `VK_KHR_maintenance8`.
fn is_defined(op: Op, left: i64, right: i64) -> bool {
    match op {
        Op::S_DIV => (left, right) != (i64::from(i32::MIN), -1),
        Op::S_REM | Op::S_MOD => left >= 0 && right >= 0,
        _ => true,
    }
}
