//! Casts integer operands if the type and the instruction differ in signedness. In SPIR-V the instruction determines
//! the signedness. In WGSL and naga the type determines it, so operands and results are cast.

use crate::code;
use crate::components::components;
use crate::glsl_instructions::glsl_instruction;
use polyshade_spv::view::Inst;
use polyshade_spv::{Error, GlslOp, Id, Module, Op, Patch, Type};
use std::ops::Range;

/// The signedness with which an instruction reads its integer operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Signed,
    Unsigned,
    /// The signedness of the result type.
    Result,
}

/// How an instruction interprets integers.
struct Rule {
    sign: Sign,
    /// The indices of the operand words that must have the signedness.
    operands: Range<usize>,
}

/// Returns the module with these casts.
///
/// # Errors
///
/// Atomic instructions, because their memory cannot be cast.
pub(super) fn cast(module: &Module<'_>) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        for inst in module.functions().flat_map(|function| function.instructions()) {
            check_atomic(module, inst)?;
            let Some(rule) = rule(module, inst) else { continue };
            let result = inst.result_type();
            let signed = match rule.sign {
                Sign::Signed => true,
                Sign::Unsigned => false,
                Sign::Result => match result.and_then(|ty| is_signed(module, ty)) {
                    Some(signed) => signed,
                    None => continue,
                },
            };
            // Cast the operands before the instruction, and the result after it.
            for word in rule.operands {
                let operand = inst.words().get(word).and_then(|word| Id::new(*word));
                let ty = operand.and_then(|id| module.type_of(id));
                let cast = ty.and_then(|ty| with_sign(module, p, ty, signed));
                if let Some((ty, operand)) = cast.zip(operand) {
                    let value = p.at(inst.before()).bitcast(ty, operand);
                    p.overwrite(inst.operand(word), value.word());
                }
            }
            let Some((ty, id)) = result.zip(inst.result()) else { continue };
            if let Some(cast) = with_sign(module, p, ty, signed) {
                let value = p.id();
                p.set_result_type(inst, cast);
                p.set_result(inst, value);
                p.insert(inst.after(), Op::BITCAST, &[ty.word(), id.word(), value.word()]);
            }
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

fn rule(module: &Module<'_>, inst: Inst<'_>) -> Option<Rule> {
    use Sign::{Result, Signed, Unsigned};
    let (sign, operands) = match inst.op() {
        Op::S_DIV | Op::S_REM => (Signed, 3..5),
        Op::U_DIV | Op::U_MOD => (Unsigned, 3..5),
        Op::S_NEGATE
        | Op::SHIFT_RIGHT_ARITHMETIC
        | Op::BIT_FIELD_S_EXTRACT
        | Op::CONVERT_S_TO_F
        | Op::S_CONVERT => (Signed, 3..4),
        Op::SHIFT_RIGHT_LOGICAL | Op::BIT_FIELD_U_EXTRACT | Op::CONVERT_U_TO_F | Op::U_CONVERT => {
            (Unsigned, 3..4)
        }
        Op::SHIFT_LEFT_LOGICAL | Op::BIT_COUNT => (Result, 3..4),
        // The operand is a float.
        Op::CONVERT_F_TO_S => (Signed, 3..3),
        Op::CONVERT_F_TO_U => (Unsigned, 3..3),
        // The operand follows the scope and the operation.
        Op::GROUP_NON_UNIFORM_S_MIN | Op::GROUP_NON_UNIFORM_S_MAX => (Signed, 5..6),
        Op::GROUP_NON_UNIFORM_U_MIN | Op::GROUP_NON_UNIFORM_U_MAX => (Unsigned, 5..6),
        Op::EXT_INST => {
            match GlslOp(glsl_instruction(module, inst)?.number()) {
                GlslOp::S_ABS | GlslOp::S_SIGN | GlslOp::FIND_S_MSB => (Signed, 5..6),
                GlslOp::S_MIN | GlslOp::S_MAX | GlslOp::S_CLAMP => (Signed, 5..8),
                GlslOp::U_MIN | GlslOp::U_MAX | GlslOp::U_CLAMP => (Unsigned, 5..8),
                GlslOp::FIND_U_MSB => (Unsigned, 5..6),
                GlslOp::FIND_I_LSB => (Result, 5..6),
                // Only the exponent is an integer operand.
                GlslOp::LDEXP => (Signed, 6..7),
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(Rule { sign, operands })
}

/// Returns an error for an atomic instruction on memory of the other signedness.
fn check_atomic(module: &Module<'_>, inst: Inst<'_>) -> Result<(), Error> {
    let (name, signed) = match inst.op() {
        Op::ATOMIC_S_MIN => ("OpAtomicSMin", true),
        Op::ATOMIC_S_MAX => ("OpAtomicSMax", true),
        Op::ATOMIC_U_MIN => ("OpAtomicUMin", false),
        Op::ATOMIC_U_MAX => ("OpAtomicUMax", false),
        _ => return Ok(()),
    };
    match inst.result_type().and_then(|ty| is_signed(module, ty)) {
        Some(of_memory) if of_memory != signed => {
            let (other, own) = if signed { ("unsigned", "signed") } else { ("signed", "unsigned") };
            let message = format!(
                "cannot write {name} of {other} integers: WGSL atomics use the sign of the type, which is not {own}"
            );
            Err(Error::new(&code::FORMAT_NOT_EXPRESSIBLE, message))
        }
        _ => Ok(()),
    }
}

/// Whether an integer type, or a vector type of integers, is signed; `None` for other types.
fn is_signed(module: &Module<'_>, ty: Id) -> Option<bool> {
    match module.ty(components(module, ty).0)? {
        Type::Int { signed, .. } => Some(signed),
        _ => None,
    }
}

/// Returns `ty` with the given signedness; `None` if `ty` already has that signedness, or is not an integer type.
fn with_sign(module: &Module<'_>, p: &mut Patch<'_, '_>, ty: Id, signed: bool) -> Option<Id> {
    let (component, count) = components(module, ty);
    let integer = match module.ty(component)? {
        Type::Int { width, signed: other } if other != signed => {
            p.declare(Op::TYPE_INT, &[width, signed.into()])
        }
        _ => return None,
    };
    Some(if count > 1 { p.vector(integer, count) } else { integer })
}
