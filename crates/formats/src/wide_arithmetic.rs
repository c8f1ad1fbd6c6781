//! Replaces additions with carry and extended multiplications by 32-bit arithmetic. naga does not support these
//! instructions, and SPIRV-Cross translates them to functions that HLSL does not have.

use crate::code;
use crate::components::components;
use polyshade_spv::{Cursor, Error, Id, Module, Op, Patch, Type};

/// Returns the module without `OpIAddCarry`, `OpISubBorrow`, `OpUMulExtended` and `OpSMulExtended`.
///
/// # Errors
///
/// Integers that are not 32 bits wide.
pub(crate) fn expand(module: &Module<'_>) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        for inst in module.functions().flat_map(|function| function.instructions()) {
            let make = match inst.op() {
                Op::I_ADD_CARRY => add,
                Op::I_SUB_BORROW => subtract,
                Op::U_MUL_EXTENDED => multiply,
                Op::S_MUL_EXTENDED => multiply_signed,
                _ => continue,
            };
            let words = inst.words();
            let (Some(result), Some(left), Some(right)) =
                (inst.result_type(), Id::new(words[3]), Id::new(words[4]))
            else {
                continue;
            };
            let types = module.members(result).next().and_then(|ty| Types::of(module, p, ty));
            let Some(types) = types else {
                let name = spirv::Op::from_u32(inst.op().0.into());
                let name = name.map_or_else(String::new, |name| format!("Op{name:?}"));
                let message = format!("cannot write {name}: its integers are not 32 bits wide");
                return Err(Error::new(&code::FORMAT_NOT_EXPRESSIBLE, message));
            };
            // The instruction's two results become the members of its structure.
            let mut code = p.at(inst.before());
            let parts = make(&mut code, &types, [left, right]);
            let [low, high] = parts.map(Id::word);
            code.emit(Op::COMPOSITE_CONSTRUCT, &[result.word(), words[2], low, high]);
            p.remove(inst);
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

/// The types and constants for one instruction.
struct Types {
    integer: Id,
    bool: Id,
    zero: Id,
    one: Id,
    /// The mask of the lower 16 bits.
    half: Id,
    /// The number of bits of a half: 16.
    width: Id,
}

impl Types {
    fn of(module: &Module<'_>, p: &mut Patch<'_, '_>, integer: Id) -> Option<Self> {
        let (component, count) = components(module, integer);
        let Type::Int { width: 32, .. } = module.ty(component)? else { return None };
        let mut constant = |value| {
            let one = p.declare(Op::CONSTANT, &[component.word(), value]);
            match count {
                1 => one,
                _ => p.composite_constant(integer, &vec![one; count as usize]),
            }
        };
        let [zero, one, half, width] = [0, 1, 0xffff, 16].map(&mut constant);
        let mut bool = p.bool();
        if count > 1 {
            bool = p.vector(bool, count);
        }
        Some(Self { integer, bool, zero, one, half, width })
    }
}

/// Emits the sum, and 1 if it overflows, else 0.
fn add(code: &mut Cursor<'_, '_, '_>, types: &Types, [left, right]: [Id; 2]) -> [Id; 2] {
    let sum = code.binary(Op::I_ADD, types.integer, left, right);
    let is_less = code.binary(Op::U_LESS_THAN, types.bool, sum, left);
    [sum, code.select(types.integer, is_less, types.one, types.zero)]
}

/// Emits the difference, and 1 if it underflows, else 0.
fn subtract(code: &mut Cursor<'_, '_, '_>, types: &Types, [left, right]: [Id; 2]) -> [Id; 2] {
    let difference = code.binary(Op::I_SUB, types.integer, left, right);
    let is_less = code.binary(Op::U_LESS_THAN, types.bool, left, right);
    [difference, code.select(types.integer, is_less, types.one, types.zero)]
}

/// Emits the lower and the upper 32 bits of the product.
fn multiply(code: &mut Cursor<'_, '_, '_>, types: &Types, [left, right]: [Id; 2]) -> [Id; 2] {
    let ty = types.integer;
    let low =
        |code: &mut Cursor<'_, '_, '_>, value| code.binary(Op::BITWISE_AND, ty, value, types.half);
    let high = |code: &mut Cursor<'_, '_, '_>, value| {
        code.binary(Op::SHIFT_RIGHT_LOGICAL, ty, value, types.width)
    };
    let (a, b) = (high(code, left), low(code, left));
    let (c, d) = (high(code, right), low(code, right));
    // left = a·2¹⁶ + b and right = c·2¹⁶ + d. None of the sums below overflows.
    let product = code.binary(Op::I_MUL, ty, b, d);
    let carry = high(code, product);
    let product = code.binary(Op::I_MUL, ty, a, d);
    let first = code.binary(Op::I_ADD, ty, product, carry);
    let carry = low(code, first);
    let product = code.binary(Op::I_MUL, ty, b, c);
    let second = code.binary(Op::I_ADD, ty, product, carry);
    let product = code.binary(Op::I_MUL, ty, a, c);
    let (first, second) = (high(code, first), high(code, second));
    let upper = code.binary(Op::I_ADD, ty, product, first);
    let upper = code.binary(Op::I_ADD, ty, upper, second);
    [code.binary(Op::I_MUL, ty, left, right), upper]
}

/// Emits the signed product. For each negative factor, the unsigned product is too large by 2³² times the other
/// factor.
fn multiply_signed(
    code: &mut Cursor<'_, '_, '_>,
    types: &Types,
    [left, right]: [Id; 2],
) -> [Id; 2] {
    let [lower, mut upper] = multiply(code, types, [left, right]);
    for (one, other) in [(left, right), (right, left)] {
        let is_negative = code.binary(Op::S_LESS_THAN, types.bool, one, types.zero);
        let too_much = code.select(types.integer, is_negative, other, types.zero);
        upper = code.binary(Op::I_SUB, types.integer, upper, too_much);
    }
    [lower, upper]
}
