//! Corrects HLSL operators and functions that glslang translates with the semantics of GLSL.

use super::semantics::Declarations;
use crate::components::components;
use crate::glsl_instructions::glsl_instruction;
use polyshade_spv::view::ArrayLength;
use polyshade_spv::{GlslOp, Id, Inst, Module, Op, Patch, Type};

/// The binary logarithm of the number of bytes in a word.
const WORD: u32 = 2;

/// Replaces operators and functions that have another meaning in HLSL.
pub(super) fn complete<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, declared: &Declarations<'_>) {
    for inst in m.instructions() {
        match inst.op() {
            // The remainder has the sign of the dividend.
            Op::F_MOD => replace(p, inst, Op::F_REM),
            Op::S_MOD => replace(p, inst, Op::S_REM),
            Op::SPEC_CONSTANT_OP if inst.words()[3] == u32::from(Op::S_MOD.0) => {
                p.overwrite(inst.operand(3), Op::S_REM.0.into());
            }
            Op::EXT_INST => power_of_two(m, p, inst),
            Op::ARRAY_LENGTH => length(m, p, inst, declared),
            _ => {}
        }
    }
}

fn replace<'m>(p: &mut Patch<'m, '_>, inst: Inst<'m>, op: Op) {
    p.insert(inst.before(), op, &inst.words()[1..]);
    p.remove(inst);
}

/// Replaces `ldexp` by code for a float exponent, which HLSL has.
fn power_of_two<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, inst: Inst<'m>) {
    let Some(call) = glsl_instruction(m, inst) else { return };
    let (GlslOp::LDEXP, &[significand, exponent]) = (GlslOp(call.number()), call.operands()) else {
        return;
    };
    let Some((ty, exponent)) = inst.result_type().zip(Id::new(exponent)) else { return };
    if m.type_of(exponent).is_some_and(|ty| is_float(m, ty)) {
        let power = p.at(inst.before()).glsl(GlslOp::EXP2, ty, &[exponent]);
        let words = [ty.word(), inst.words()[2], significand, power.word()];
        p.insert(inst.before(), Op::F_MUL, &words);
        p.remove(inst);
    }
}

fn is_float(m: &Module<'_>, ty: Id) -> bool {
    matches!(m.ty(components(m, ty).0), Some(Type::Float { .. }))
}

/// Converts the length of a byte address buffer, which is declared as an array of words, to bytes.
fn length<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    inst: Inst<'m>,
    declared: &Declarations<'_>,
) {
    let Some(length) = ArrayLength::of(inst) else { return };
    let name = m.name(m.root(length.structure()));
    let name = name.as_deref().and_then(|name| name.rsplit('.').next()?.split('[').next());
    if !name.is_some_and(|name| declared.is_byte_address_buffer(name)) {
        return;
    }
    let Some((ty, result)) = inst.result_type().zip(inst.result()) else { return };
    let (words, shift) = (p.id(), p.uint_constant(WORD));
    p.set_result(inst, words);
    let operands = [ty, result, words, shift].map(Id::word);
    p.insert(inst.after(), Op::SHIFT_LEFT_LOGICAL, &operands);
}
