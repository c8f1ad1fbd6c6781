//! Arithmetic that drivers may not contract.

use crate::rewrite::Frame;
use polyshade_spv::{Decoration, Error, Module};

/// `m` with `NoContraction` on all arithmetic that `variant`, which is made of it, has too.
pub(super) fn decorate(
    frame: &Frame<'_>,
    m: &Module<'_>,
    variant: &Module<'_>,
) -> Result<Module<'static>, Error> {
    let rewritten = frame.rewrite(m, |m, p, _| {
        let arithmetic = variant.instructions().filter(|inst| inst.op().can_be_contracted());
        for id in arithmetic.filter_map(|inst| inst.result()) {
            let is_there = m.definition(id).is_some_and(|inst| inst.op().can_be_contracted());
            if is_there && m.decoration(id, Decoration::NO_CONTRACTION).is_none() {
                p.decorate(id, Decoration::NO_CONTRACTION, &[]);
            }
        }
        Ok(())
    })?;
    Ok(rewritten.module.into_owned())
}
