//! Finds built-ins, or adds them.

use super::{is_per_vertex, listed};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Cursor, Decoration, ExecutionModel, Id, Module, Patch, Position, StorageClass, Type,
};

/// A built-in of an entry point, and the variable that holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoundBuiltin {
    /// The variable: either the built-in itself, or a block that contains it.
    pub variable: Id,
    /// The number of the member, if the variable is a block.
    pub member: Option<u32>,
    /// The type of the built-in.
    pub ty: Id,
    /// The built-in.
    pub builtin: BuiltIn,
    /// Whether the variable is an array with one element per vertex. Each element is or contains the built-in.
    pub per_vertex: bool,
    class: StorageClass,
}

impl FoundBuiltin {
    /// Emits a pointer to the built-in, which must not be [`per_vertex`](Self::per_vertex).
    pub fn pointer(self, code: &mut Cursor<'_, '_, '_>) -> Id {
        let pointer = code.p.pointer(self.class, self.ty);
        let index = self.member.map(|member| code.p.uint_constant(member));
        code.access_chain(pointer, self.variable, index.as_slice())
    }

    /// Returns the first operand of a decoration of the built-in. Looks at its member, then at the variable.
    pub(super) fn decoration_value(self, m: &Module<'_>, decoration: Decoration) -> Option<u32> {
        let of_variable = || m.decoration(self.variable, decoration)?.first().copied();
        self.own_decoration_value(m, decoration).or_else(of_variable)
    }

    /// Does the same as `decoration_value`, but ignores decorations of the variable if the built-in is a member.
    pub(super) fn own_decoration_value(
        self,
        m: &Module<'_>,
        decoration: Decoration,
    ) -> Option<u32> {
        let words = match self.member {
            Some(member) => m.member_decoration(m.pointee(self.variable)?, member, decoration),
            None => m.decoration(self.variable, decoration),
        };
        words?.first().copied()
    }
}

/// Returns the name of a built-in output for error messages.
pub(super) fn called(builtin: BuiltIn) -> String {
    match builtin {
        BuiltIn::POSITION => "the position".to_owned(),
        _ => builtin.to_string(),
    }
}

/// Finds `builtin` in the inputs or outputs of `entry`, as `class` selects. It is a variable, or a member of a block
/// that is not an array.
pub fn find_builtin(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    class: StorageClass,
    builtin: BuiltIn,
) -> Option<FoundBuiltin> {
    let whole = |variable| m.pointee(variable);
    find(m, entry, (class, builtin, false), whole)
}

/// Finds `builtin` in the outputs of `entry`. In stages with one output per vertex, finds the per-vertex output.
pub fn find_output(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    builtin: BuiltIn,
) -> Option<FoundBuiltin> {
    let class = StorageClass::OUTPUT;
    if !is_per_vertex(entry.model(), class) {
        return find_builtin(m, entry, class, builtin);
    }
    let element = |variable| match m.ty(m.pointee(variable)?)? {
        Type::Array { element, .. } => Some(element),
        _ => None,
    };
    find(m, entry, (class, builtin, true), element)
}

/// Searches the listed variables. `held` returns the type to search in for each variable.
fn find(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    (class, builtin, per_vertex): (StorageClass, BuiltIn, bool),
    held: impl Fn(Id) -> Option<Id>,
) -> Option<FoundBuiltin> {
    listed(m, entry, class).find_map(|variable| {
        let ty = held(variable)?;
        let found = |member, ty| FoundBuiltin { variable, member, ty, builtin, per_vertex, class };
        if m.builtin(variable) == Some(builtin) {
            return Some(found(None, ty));
        }
        let mut members = (0..).zip(m.members(ty));
        let (member, inner) =
            members.find(|(member, _)| m.member_builtin(ty, *member) == Some(builtin))?;
        Some(found(Some(member), inner))
    })
}

/// Returns the input variable `builtin` of `entry` and its type, or adds one of type `ty`. A new integer input of a
/// fragment stage is `Flat`.
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

/// Emits a load of the integer input `builtin` of `entry`, converted to the integer type `ty` of any signedness.
pub fn load_integer_builtin<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    (builtin, ty): (BuiltIn, Id),
    at: Position<'m>,
) -> Id {
    let int = p.int();
    let (variable, own) = input_builtin(m, p, entry, builtin, int);
    let mut code = p.at(at);
    let value = code.load(own, variable);
    if own == ty { value } else { code.bitcast(ty, value) }
}

/// Adds an input `builtin` to `entry`, which must not have that input yet.
pub(crate) fn add_input_builtin<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    builtin: BuiltIn,
    ty: Id,
) -> Id {
    interface_builtin(p, entry, StorageClass::INPUT, builtin, ty)
}

/// Adds an output `builtin` to `entry`.
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
