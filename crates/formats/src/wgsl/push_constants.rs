//! Replaces push constants by a buffer.

use super::{BoundKind, Place};
use polyshade_spv::{Decoration, Error, Module, Section, StorageClass, view};

/// The push constant variables: at most one per entry point.
pub(super) fn variables<'m>(module: &'m Module<'_>) -> impl Iterator<Item = view::Variable<'m>> {
    module.variables().filter(|variable| variable.storage_class() == StorageClass::PUSH_CONSTANT)
}

/// Returns the module with a buffer of this kind at `place` in place of its push constants.
pub(super) fn to_buffer(
    module: &Module<'_>,
    place: Place,
    kind: BoundKind,
) -> Result<Module<'static>, Error> {
    let class = if kind == BoundKind::Uniform {
        StorageClass::UNIFORM
    } else {
        StorageClass::STORAGE_BUFFER
    };
    let next = module.rewrite(|module, p| {
        for pointer in module.section(Section::Globals).filter_map(view::TypePointer::of) {
            if pointer.storage_class() == StorageClass::PUSH_CONSTANT {
                p.overwrite(pointer.inst().operand(2), class.0);
            }
        }
        for variable in variables(module) {
            variable.set_storage_class(p, class);
            let variable = variable.result();
            p.decorate(variable, Decoration::DESCRIPTOR_SET, &[place.set]);
            p.decorate(variable, Decoration::BINDING, &[place.binding]);
            if kind == BoundKind::ReadOnlyStorage {
                p.decorate(variable, Decoration::NON_WRITABLE, &[]);
            }
        }
        Ok(())
    })?;
    Ok(next.module.into_owned())
}
