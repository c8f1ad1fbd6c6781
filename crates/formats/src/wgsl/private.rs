//! Inputs and outputs that the text has not, as variables of the stage alone.

use polyshade_spv::view::Variable;
use polyshade_spv::{Decoration, Id, Module, Patch, StorageClass};

/// Makes `variable`, which holds a `ty`, `Private`, without the decorations for which `is_removed` is true. Pointers
/// into it stay as they are.
pub(super) fn make<'m>(
    module: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    variable: Variable<'m>,
    ty: Id,
    is_removed: impl Fn(Decoration) -> bool,
) {
    let id = variable.result();
    let private = p.pointer_before(StorageClass::PRIVATE, ty, variable.inst().at());
    p.set_result_type(variable.inst(), private);
    variable.set_storage_class(p, StorageClass::PRIVATE);
    p.undecorate(id, |_, decoration| is_removed(decoration));
    // From SPIR-V 1.4 on an interface lists every variable.
    for entry in module.entry_points().filter(|_| module.version() < (1, 4)) {
        if entry.interface().any(|one| one == id) {
            p.leave_interface(entry, id);
        }
    }
}
