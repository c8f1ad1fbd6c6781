//! The components of values.

use polyshade_spv::{Id, Module, Type};

/// Returns the type and the number of the components of a vector type. Any other type is its own single component.
pub(crate) fn components(module: &Module<'_>, ty: Id) -> (Id, u32) {
    match module.ty(ty) {
        Some(Type::Vector { component, count }) => (component, count),
        _ => (ty, 1),
    }
}
