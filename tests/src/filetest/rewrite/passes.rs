//! Rewrite tools that read a version and return the next.

use polyshade::Error;
use polyshade::rewrite::{self, DceOptions};
use polyshade_spv::Module;

use super::{TEST_INVARIANT, misspelt, model, named};

type Pass = fn(&Module<'static>, &[&str]) -> Result<Module<'static>, Error>;

pub(super) const PASSES: [(&str, Pass); 2] = [("isolate", isolate), ("dce", dce)];

/// `isolate NAME MODEL`
fn isolate(m: &Module<'static>, arguments: &[&str]) -> Result<Module<'static>, Error> {
    let [name, stage] = arguments else { return Err(misspelt(arguments)) };
    Ok(rewrite::isolate(m, name, model(stage)?)?.module.into_owned())
}

/// `dce [only NAME MODEL] [without-output NAME] [without-effects] [refuse-effects]`; a second run removes nothing.
fn dce(m: &Module<'static>, arguments: &[&str]) -> Result<Module<'static>, Error> {
    let mut wanted = DceOptions::new();
    let mut rest = arguments;
    while !rest.is_empty() {
        (wanted, rest) = match rest {
            ["only", name, stage, rest @ ..] => (wanted.only(*name, model(stage)?), rest),
            ["without-output", name, rest @ ..] => (wanted.without_output(named(m, name)?), rest),
            ["without-effects", rest @ ..] => (wanted.without_effects(), rest),
            ["refuse-effects", rest @ ..] => (wanted.refuse_effects(), rest),
            _ => return Err(misspelt(rest)),
        };
    }
    let left = rewrite::dce(m, &wanted)?.module.into_owned();
    if rewrite::dce(&left, &wanted)?.is_changed() {
        return Err(Error::new(&TEST_INVARIANT, "dead code is left"));
    }
    Ok(left)
}
