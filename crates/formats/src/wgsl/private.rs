//! Moves inputs and outputs that the WGSL text does not need to the `Private` storage class.

use polyshade_spv::view::Variable;
use polyshade_spv::{Decoration, Id, Module, Patch, StorageClass};

/// Makes `variable`, of type `ty`, `Private`, and removes the decorations for which `is_removed` returns true.
/// Pointers into it do not change.
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
    // From SPIR-V 1.4 on, interfaces list all variables.
    for entry in module.entry_points().filter(|_| module.version() < (1, 4)) {
        if entry.interface().any(|one| one == id) {
            p.leave_interface(entry, id);
        }
    }
}
