//! The loads and stores of a variable, and the indices that each of them accesses.

use crate::code::{self, refuse_at};
use foldhash::HashMap;
use polyshade_spv::view::{AccessChain, Load, Store};
use polyshade_spv::{Error, Id, Inst, Module, Op};

pub(super) struct Accesses<'m> {
    /// Loads and stores.
    pub(super) uses: Vec<Inst<'m>>,
    /// The access chains into the variable.
    pub(super) pointers: Vec<Inst<'m>>,
    /// For each pointer (the variable or an access chain), the indices that lead from the variable to its pointee.
    pub(super) paths: HashMap<Id, Vec<Id>>,
}

/// Finds the loads and stores of `variable`. No access may use more than `deepest` indices.
///
/// # Errors
///
/// `Unsupported`: a pointer into the variable is passed to a function or selected, or is used by anything but loads
/// and stores.
pub(super) fn accesses<'m>(
    m: &'m Module<'_>,
    variable: Id,
    deepest: usize,
) -> Result<Accesses<'m>, Error> {
    let mut reach = m.reach(&[variable]);
    // Names, decorations and debug instructions of the variable are not accesses.
    reach.uses.retain(|inst| !m.is_for_tools(*inst));
    let mut paths = HashMap::from_iter([(variable, Vec::new())]);
    for inst in &reach.pointers {
        let chain = AccessChain::of(*inst)
            .filter(|_| matches!(inst.op(), Op::ACCESS_CHAIN | Op::IN_BOUNDS_ACCESS_CHAIN));
        let path = chain.and_then(|chain| {
            let base = paths.get(&chain.base())?;
            Some(base.iter().copied().chain(chain.indices()).collect::<Vec<Id>>())
        });
        match (inst.result(), path) {
            (Some(result), Some(path)) if path.len() <= deepest => paths.insert(result, path),
            _ => {
                let message = "cannot rewrite accesses to the variable: a pointer into it is copied or passed to a \
                    function";
                return refuse_at(&code::INTERFACE_UNSUPPORTED_ACCESS, message, variable, *inst);
            }
        };
    }
    if let Some(other) = reach.uses.iter().find(|inst| !is_access(**inst, &paths)) {
        let message = "cannot rewrite accesses to the variable: an instruction other than a load or store uses it";
        return refuse_at(&code::INTERFACE_UNSUPPORTED_ACCESS, message, variable, *other);
    }
    Ok(Accesses { uses: reach.uses, pointers: reach.pointers, paths })
}

fn is_access(inst: Inst<'_>, paths: &HashMap<Id, Vec<Id>>) -> bool {
    let is_pointer = |id: Id| paths.contains_key(&id);
    match Store::of(inst) {
        Some(store) => is_pointer(store.pointer()) && !is_pointer(store.object()),
        // In an invalid module, the variable may be another operand of a load, such as its scope.
        None => Load::of(inst).is_some_and(|load| is_pointer(load.pointer())),
    }
}
