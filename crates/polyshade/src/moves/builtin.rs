//! Built-ins are found, or added.

use super::interface;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Cursor, Decoration, ExecutionModel, Id, Module, Patch, StorageClass};

/// Where an entry point has a built-in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoundBuiltin {
    /// The variable: the built-in itself, or a block.
    pub variable: Id,
    /// Number of the member of the block.
    pub member: Option<u32>,
    /// Type of the built-in.
    pub ty: Id,
    class: StorageClass,
}

impl FoundBuiltin {
    /// Emits a pointer to the built-in.
    pub fn pointer(self, code: &mut Cursor<'_, '_, '_>) -> Id {
        let pointer = code.p.pointer(self.class, self.ty);
        let index = self.member.map(|member| code.p.uint_constant(member));
        code.access_chain(pointer, self.variable, index.as_slice())
    }
}

/// Where `entry` has `builtin` as an input or output, whichever `class` says: as a variable of its own, or as a member
/// of a block that is not an array.
pub fn find_builtin(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    class: StorageClass,
    builtin: BuiltIn,
) -> Option<FoundBuiltin> {
    interface(m, entry, class).into_iter().find_map(|variable| {
        let ty = m.pointee(variable)?;
        if m.builtin(variable) == Some(builtin) {
            return Some(FoundBuiltin { variable, member: None, ty, class });
        }
        let (member, ty) = m
            .members(ty)
            .zip(0..)
            .map(|(ty, member)| (member, ty))
            .find(|(member, _)| m.member_builtin(ty, *member) == Some(builtin))?;
        Some(FoundBuiltin { variable, member: Some(member), ty, class })
    })
}

/// The input of `entry` that is `builtin`, of type `ty`: the one it has, with the type that one has, else a new one. An
/// integer that a fragment shader gets is `Flat`.
pub fn input_builtin<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    builtin: BuiltIn,
    ty: Id,
) -> (Id, Id) {
    match find_builtin(m, entry, StorageClass::INPUT, builtin) {
        Some(FoundBuiltin { variable, member: None, ty, .. }) => (variable, ty),
        _ => (interface_builtin(p, entry, StorageClass::INPUT, builtin, ty), ty),
    }
}

/// A new output of `entry` that is `builtin`.
pub fn add_output_builtin<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    builtin: BuiltIn,
    ty: Id,
) -> Id {
    interface_builtin(p, entry, StorageClass::OUTPUT, builtin, ty)
}

fn interface_builtin<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    class: StorageClass,
    builtin: BuiltIn,
    ty: Id,
) -> Id {
    let variable = p.variable(class, ty, None);
    p.decorate(variable, Decoration::BUILT_IN, &[builtin.0]);
    let is_integer = ty == p.int() || ty == p.uint();
    if class == StorageClass::INPUT && entry.model() == ExecutionModel::FRAGMENT && is_integer {
        p.decorate(variable, Decoration::FLAT, &[]);
    }
    p.join_interface(entry, variable);
    variable
}
