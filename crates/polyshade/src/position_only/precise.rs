//! Prevents drivers from contracting arithmetic.

use crate::rewrite::Frame;
use polyshade_spv::{Decoration, Error, Module};

/// Adds `NoContraction` to all arithmetic of `m` that is also in `variant`, the reduced version of `m`.
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
