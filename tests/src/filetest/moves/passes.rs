//! Moves that read a version and return the next.

use polyshade::Error;
use polyshade::moves::{self, Elimination};
use polyshade_spv::Module;

use super::{TEST_INVARIANT, misspelt, model, named};

type Pass = fn(&Module<'static>, &[&str]) -> Result<Module<'static>, Error>;

/// The moves by name.
pub(super) const PASSES: [(&str, Pass); 2] = [("isolate", isolate), ("eliminate", eliminate)];

/// `isolate NAME MODEL`
fn isolate(m: &Module<'static>, arguments: &[&str]) -> Result<Module<'static>, Error> {
    let [name, stage] = arguments else { return Err(misspelt(arguments)) };
    Ok(moves::isolate(m, name, model(stage)?)?.module.into_owned())
}

/// `eliminate`, with any of `only NAME MODEL`, `without-output NAME`, `without-effects` and `refuse-effects`. It leaves
/// nothing behind that it would remove.
fn eliminate(m: &Module<'static>, arguments: &[&str]) -> Result<Module<'static>, Error> {
    let mut wanted = Elimination::new();
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
    let left = moves::eliminate(m, &wanted)?.module.into_owned();
    if moves::eliminate(&left, &wanted)?.is_changed() {
        return Err(Error::new(&TEST_INVARIANT, "something dead is left"));
    }
    Ok(left)
}
