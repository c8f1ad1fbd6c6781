//! The loads from and stores to a variable, each with the indices that lead to what it accesses.

use crate::code;
use foldhash::HashMap;
use polyshade_spv::view::{AccessChain, Load, Store};
use polyshade_spv::{Error, Id, Inst, Module, Op};

pub(super) struct Accesses<'m> {
    /// Loads and stores.
    pub(super) uses: Vec<Inst<'m>>,
    /// The access chains that begin at the variable.
    pub(super) pointers: Vec<Inst<'m>>,
    /// The indices that lead from the variable to what it, or a chain, points to.
    pub(super) paths: HashMap<Id, Vec<Id>>,
}

/// Finds them. No path has more than `deepest` indices.
///
/// # Errors
///
/// `Unsupported`: a pointer into the variable that is passed to a function or chosen, and any other use than loading
/// and storing.
pub(super) fn accesses<'m>(
    m: &'m Module<'_>,
    variable: Id,
    deepest: usize,
) -> Result<Accesses<'m>, Error> {
    let mut reach = m.reach(&[variable]);
    // What tells tools of the variable goes where the variable goes, and says nothing of what becomes of it.
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
                let message = "a pointer into a variable whose accesses change is handed around";
                return Err(Error::new(&code::INTERFACE_UNSUPPORTED_ACCESS, message)
                    .about(variable)
                    .at(inst.at()));
            }
        };
    }
    if let Some(other) = reach.uses.iter().find(|inst| !is_access(**inst, &paths)) {
        let message = "a variable whose accesses change is used otherwise than by loads and stores";
        return Err(Error::new(&code::INTERFACE_UNSUPPORTED_ACCESS, message)
            .about(variable)
            .at(other.at()));
    }
    Ok(Accesses { uses: reach.uses, pointers: reach.pointers, paths })
}

fn is_access(inst: Inst<'_>, paths: &HashMap<Id, Vec<Id>>) -> bool {
    let is_pointer = |id: Id| paths.contains_key(&id);
    match Store::of(inst) {
        Some(store) => is_pointer(store.pointer()) && !is_pointer(store.object()),
        // A load may use the variable as something else: as its scope, in a module that is not valid.
        None => Load::of(inst).is_some_and(|load| is_pointer(load.pointer())),
    }
}
