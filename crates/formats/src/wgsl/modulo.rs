//! Replaces `OpSMod`, which naga computes in `f32`, by a remainder with the sign of the divisor.

use polyshade_spv::{Error, Id, Module, Op, Type, view::Inst};

/// Returns the module without `OpSMod`.
pub(super) fn expand(module: &Module<'_>) -> Result<Module<'static>, Error> {
    let next = module.rewrite(|module, p| {
        let code = module.functions().flat_map(|function| function.instructions());
        for inst in code.filter(|inst| inst.op() == Op::S_MOD) {
            let Some((ty, [dividend, divisor])) = inst.result_type().zip(operands(inst)) else {
                continue;
            };
            // %r = OpSRem %a %b
            // %x = OpBitwiseXor %r %b
            // %d = OpSLessThan %x 0, where the signs of %r and %b differ
            // %s = OpIAdd %r %b
            // %m = OpSelect %d %s %r
            // %z = OpIEqual %r 0
            // OpSelect %z %r %m
            let mut code = p.at(inst.before());
            let mut bool = code.p.bool();
            if let Some(Type::Vector { count, .. }) = module.ty(ty) {
                bool = code.p.vector(bool, count);
            }
            let zero = code.p.null(ty);
            let remainder = code.binary(Op::S_REM, ty, dividend, divisor);
            let signs = code.binary(Op::BITWISE_XOR, ty, remainder, divisor);
            let differ = code.binary(Op::S_LESS_THAN, bool, signs, zero);
            let sum = code.binary(Op::I_ADD, ty, remainder, divisor);
            let modulo = code.select(ty, differ, sum, remainder);
            let is_zero = code.binary(Op::I_EQUAL, bool, remainder, zero);
            let [remainder, modulo] = [remainder, modulo].map(Id::word);
            let words = [ty.word(), inst.words()[2], is_zero.word(), remainder, modulo];
            code.emit(Op::SELECT, &words);
            p.remove(inst);
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}

/// Returns the operands of an instruction with two operands.
fn operands(inst: Inst<'_>) -> Option<[Id; 2]> {
    Some([Id::new(inst.words()[3])?, Id::new(inst.words()[4])?])
}
