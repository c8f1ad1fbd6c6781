//! Arithmetic that drivers may not contract.

use crate::moves::Frame;
use polyshade_spv::{Decoration, Error, Module, Op};

/// `m` with `NoContraction` on all arithmetic that `variant`, which is made of it, has too.
pub(super) fn decorate(
    frame: &Frame<'_>,
    m: &Module<'_>,
    variant: &Module<'_>,
) -> Result<Module<'static>, Error> {
    let rewritten = frame.rewrite(m, |m, p, _| {
        let arithmetic = variant.instructions().filter(|inst| can_be_contracted(inst.op()));
        for id in arithmetic.filter_map(|inst| inst.result()) {
            let is_there = m.definition(id).is_some_and(|inst| can_be_contracted(inst.op()));
            if is_there && m.decoration(id, Decoration::NO_CONTRACTION).is_none() {
                p.decorate(id, Decoration::NO_CONTRACTION, &[]);
            }
        }
        Ok(())
    })?;
    Ok(rewritten.module.into_owned())
}

/// What may be a product or a sum, to be rounded together with others.
fn can_be_contracted(op: Op) -> bool {
    matches!(
        op,
        Op::F_NEGATE
            | Op::F_ADD
            | Op::F_SUB
            | Op::F_MUL
            | Op::F_DIV
            | Op::F_REM
            | Op::F_MOD
            | Op::VECTOR_TIMES_SCALAR
            | Op::MATRIX_TIMES_SCALAR
            | Op::VECTOR_TIMES_MATRIX
            | Op::MATRIX_TIMES_VECTOR
            | Op::MATRIX_TIMES_MATRIX
            | Op::OUTER_PRODUCT
            | Op::DOT
    )
}
