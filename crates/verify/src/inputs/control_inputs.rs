//! Control inputs of a shader: inputs that become indices or decide how many times a loop runs.
//!
//! Control inputs must be small. An input that is only used in arithmetic may be any number.

use crate::constants::{self, Specialization};
use polyshade::Module;
use polyshade::spv::view::{AccessChain, CopyMemory, FunctionCall, LoopMerge, Store};
use polyshade::spv::{Id, Inst, Op, Type};
use std::collections::HashSet;

/// How a shader uses an input for control.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ControlUse {
    /// Whether the input reaches an index, a texel coordinate or the condition of a loop.
    pub(crate) controls: bool,
    /// The length of the shortest array that the input may index.
    pub(crate) shortest: Option<u32>,
    /// Whether the input's bits are used as a float anywhere.
    pub(crate) is_float: bool,
}

/// The exclusive upper limit of an input that must be small.
pub(crate) const MOST_SMALL: u32 = 4;

impl ControlUse {
    /// One more than the largest value that the input may have.
    pub(crate) fn end(self) -> u32 {
        self.shortest.map_or(MOST_SMALL, |length| length.clamp(1, MOST_SMALL))
    }
}

/// Follows the values loaded from the variable `from` through the module.
pub(crate) fn control_use(m: &Module<'_>, from: Id, specialization: &Specialization) -> ControlUse {
    let mut found = ControlUse::default();
    let mut seen = HashSet::from([from]);
    let mut left = vec![from];
    while let Some(id) = left.pop() {
        for inst in m.uses_of(id) {
            for next in follow(m, inst, id, specialization, &mut found) {
                if seen.insert(next) {
                    left.push(next);
                }
            }
        }
    }
    found
}

/// Returns the values that depend on `id` through `inst`, which uses it.
fn follow(
    m: &Module<'_>,
    inst: Inst<'_>,
    id: Id,
    specialization: &Specialization,
    found: &mut ControlUse,
) -> Vec<Id> {
    // Memory and calls.
    if let Some(chain) = AccessChain::of(inst) {
        if let Some(number) = chain.indices().position(|index| index == id) {
            found.controls = true;
            let length = indexed_length(m, chain, number, specialization);
            found.shortest = found.shortest.into_iter().chain(length).min();
        }
        return if chain.base() == id { inst.result().into_iter().collect() } else { Vec::new() };
    }
    if let Some(store) = Store::of(inst) {
        let is_stored = store.object() == id;
        return is_stored.then(|| m.root(store.pointer())).into_iter().collect();
    }
    if let Some(copy) = CopyMemory::of(inst) {
        return if copy.source() == id { vec![m.root(copy.target())] } else { Vec::new() };
    }
    if let Some(call) = FunctionCall::of(inst) {
        let function = m.function(call.function());
        let parameters = function.into_iter().flat_map(|function| function.parameters());
        let taken = parameters.zip(call.arguments()).filter(|(_, argument)| *argument == id);
        return taken.map(|(parameter, _)| parameter).chain(inst.result()).collect();
    }
    // Other instructions.
    match inst.op() {
        Op::RETURN_VALUE => return results_of_calls(m, inst),
        Op::BRANCH_CONDITIONAL | Op::SWITCH => found.controls |= is_in_loop(m, inst),
        Op::VECTOR_EXTRACT_DYNAMIC | Op::VECTOR_INSERT_DYNAMIC => {
            found.controls |= inst.words().last() == Some(&id.word());
        }
        Op::IMAGE_FETCH | Op::IMAGE_READ | Op::IMAGE_TEXEL_POINTER => {
            // Only the other operands control the access, not the image.
            found.controls |= inst.words()[3] != id.word();
        }
        Op::IMAGE_WRITE => found.controls |= inst.words()[1] != id.word(),
        // With a constant operand, the shader limits the result to a valid range.
        Op::U_MOD | Op::S_MOD | Op::S_REM | Op::BITWISE_AND if has_constant(m, inst) => {
            return Vec::new();
        }
        Op::BITCAST => {
            found.is_float |= inst.result_type().is_some_and(|ty| is_made_of_floats(m, ty));
        }
        _ => {}
    }
    inst.result().into_iter().collect()
}

fn is_made_of_floats(m: &Module<'_>, ty: Id) -> bool {
    match m.ty(ty) {
        Some(Type::Vector { component, .. }) => matches!(m.ty(component), Some(Type::Float { .. })),
        ty => matches!(ty, Some(Type::Float { .. })),
    }
}

/// Returns the length of the array that index `number` of an access chain indexes.
fn indexed_length(
    m: &Module<'_>,
    chain: AccessChain<'_>,
    number: usize,
    specialization: &Specialization,
) -> Option<u32> {
    let mut ty = m.pointee(chain.base())?;
    for index in chain.indices().take(number) {
        ty = match m.ty(ty)? {
            Type::Array { element, .. } => element,
            Type::Matrix { column, .. } => column,
            Type::Struct { id } => {
                let member = constants::value(m, index, specialization)?;
                m.members(id).nth(member as usize)?
            }
            Type::Other(Op::TYPE_RUNTIME_ARRAY) => super::held(m, ty),
            _ => return None,
        };
    }
    match m.ty(ty)? {
        Type::Array { length, .. } => constants::value(m, length, specialization),
        Type::Matrix { count, .. } | Type::Vector { count, .. } => Some(count),
        Type::Other(Op::TYPE_RUNTIME_ARRAY) => Some(super::RUNTIME_ELEMENTS),
        _ => None,
    }
}

fn results_of_calls(m: &Module<'_>, inst: Inst<'_>) -> Vec<Id> {
    let Some(function) = m.function_around(inst.at()) else { return Vec::new() };
    let calls = m.uses_of(function.id()).filter(|inst| inst.op() == Op::FUNCTION_CALL);
    calls.filter_map(Inst::result).collect()
}

/// Whether an instruction is between a loop header and its merge block, in the order in which compilers write loops.
fn is_in_loop(m: &Module<'_>, inst: Inst<'_>) -> bool {
    let function = m.function_around(inst.at());
    let mut loops =
        function.into_iter().flat_map(|body| body.instructions()).filter_map(LoopMerge::of);
    loops.any(|head| {
        let behind = m.defined_at(head.merge_block()).unwrap_or(u32::MAX);
        (head.inst().at()..behind).contains(&inst.at())
    })
}

fn has_constant(m: &Module<'_>, inst: Inst<'_>) -> bool {
    let constant = |word: &u32| {
        let inst = Id::new(*word).and_then(|id| m.definition(id));
        inst.is_some_and(|inst| matches!(inst.op(), Op::CONSTANT | Op::CONSTANT_COMPOSITE))
    };
    inst.words()[3..].iter().any(constant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use polyshade_formats::{ShaderStage, SpirvVersion, compile};

    /// Returns how a shader with this code uses its input `a` for control.
    fn of(code: &str) -> ControlUse {
        let source = format!(
            "#version 450
            layout(location = 0) flat in int a;
            layout(binding = 0) uniform U {{ vec4 u[6]; }};
            layout(location = 0) out vec4 v;
            vec4 pick(int i) {{ return u[i]; }}
            vec4 sum(int i) {{ return vec4(i); }}
            int same(int i) {{ return i; }}
            {code}"
        );
        let source = source.replace("flat in", "in");
        let words = compile(&source, ShaderStage::Vertex, SpirvVersion::SPIRV1_0);
        let words = words.unwrap_or_else(|error| panic!("{error}"));
        let module = Module::parse(&words).expect("glslang writes modules");
        let is_input = |id: &Id| module.name(*id).is_some_and(|name| name == "a");
        let input = module.variables().map(|one| one.result()).find(is_input);
        control_use(&module, input.expect("a is declared"), &[])
    }

    #[test]
    fn indices_are_found_through_calls_and_variables() {
        let index = ControlUse { controls: true, shortest: Some(6), is_float: false };
        assert_eq!(of("void main() { v = u[a]; }"), index);
        assert_eq!(of("void main() { v = pick(a + 1); }"), index);
        assert_eq!(of("void main() { int b = same(a); int c = b; v = u[c]; }"), index);
        let local = "void main() { float f[4] = float[](1., 2., 3., 4.); v = vec4(f[a]); }";
        assert_eq!(of(local), ControlUse { controls: true, shortest: Some(4), is_float: false });
    }

    #[test]
    fn bits_of_floats_are_found() {
        assert!(of("void main() { v = vec4(intBitsToFloat(a ^ 7)); }").is_float);
        assert!(!of("void main() { v = vec4(float(a ^ 7)); }").is_float);
    }

    #[test]
    fn loops_are_steered_and_branches_are_not() {
        let looped = of("void main() { v = vec4(0); for (int i = 0; i < a; ++i) v += vec4(1); }");
        assert_eq!(looped, ControlUse { controls: true, shortest: None, is_float: false });
        let branched = of("void main() { v = vec4(0); if (a > 3) v = vec4(1); }");
        assert_eq!(branched, ControlUse::default());
        let both = of("void main() {
            v = vec4(0);
            for (int i = 0; i < 3; ++i) v += vec4(1);
            if (a > 3) v = vec4(1);
        }");
        assert_eq!(both, ControlUse::default());
    }

    #[test]
    fn what_is_computed_with_or_kept_in_range_is_free() {
        assert_eq!(of("void main() { v = sum(a) * 2.0; }"), ControlUse::default());
        assert_eq!(of("void main() { v = u[a & 3]; }"), ControlUse::default());
        assert_eq!(of("void main() { v = u[a % 6]; }"), ControlUse::default());
    }
}
