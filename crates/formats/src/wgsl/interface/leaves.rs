//! The scalars and vectors in an input or output, and their locations in Vulkan.

use polyshade_spv::{Decoration, Id, Module, StorageClass, Type, view};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum nesting of types that are followed. An invalid module may have a type that contains itself.
const DEEPEST: usize = 16;

/// The maximum number of scalars and vectors in a variable: four per location, for more locations than any device
/// has.
const MOST_LEAVES: usize = 4 * 256;

/// The decorations that the new variable takes from the original variable, in addition to the location.
const KEPT_DECORATIONS: [Decoration; 6] = [
    Decoration::INDEX,
    Decoration::FLAT,
    Decoration::NO_PERSPECTIVE,
    Decoration::CENTROID,
    Decoration::SAMPLE,
    Decoration::INVARIANT,
];

/// An input or output.
pub(super) struct Varying<'m> {
    pub(super) variable: view::Variable<'m>,
    pub(super) class: StorageClass,
    pub(super) ty: Id,
    pub(super) leaves: Vec<Leaf>,
    /// The structures in the variable's type.
    pub(super) structures: BTreeSet<Id>,
}

/// A scalar or vector in a variable.
pub(super) struct Leaf {
    pub(super) ty: Id,
    /// The type of a component, or of the scalar.
    pub(super) scalar: Id,
    /// The number of components.
    pub(super) count: u32,
    /// The indices from the variable to this part.
    pub(super) path: Vec<u32>,
    pub(super) location: u32,
    /// The first component at the location, if the module declares it.
    pub(super) component: Option<u32>,
    pub(super) decorations: BTreeMap<Decoration, Vec<u32>>,
    pub(super) name: String,
}

/// Whether a decoration belongs to an input or output, not to its type.
pub(super) fn is_of_interface(decoration: Decoration) -> bool {
    KEPT_DECORATIONS.contains(&decoration)
        || matches!(decoration, Decoration::LOCATION | Decoration::COMPONENT)
}

impl<'m> Varying<'m> {
    /// Returns the input or output `variable`, or `None` for other variables and for built-ins. Also returns `None`
    /// unless all parts are numbers of at most 32 bits with locations.
    pub(super) fn of(module: &'m Module<'_>, variable: view::Variable<'m>) -> Option<Self> {
        let (class, ty) = module.pointer(variable.pointer_type())?;
        if !matches!(class, StorageClass::INPUT | StorageClass::OUTPUT) {
            return None;
        }
        let id = variable.result();
        let number = |decoration| module.decoration(id, decoration)?.first().copied();
        let location = number(Decoration::LOCATION);
        let mut walk = Walk { module, location, leaves: Vec::new(), structures: BTreeSet::new() };
        let name = module.name(id).unwrap_or_default().into_owned();
        let component = number(Decoration::COMPONENT);
        let mut way = Way { path: Vec::new(), component, decorations: BTreeMap::new(), name };
        way.decorate(module, id, None)?;
        walk.part(ty, &way)?;
        let Walk { leaves, structures, .. } = walk;
        Some(Self { variable, class, ty, leaves, structures })
    }

    /// Whether the variable is a scalar or vector.
    pub(super) fn is_plain(&self) -> bool {
        self.leaves.iter().all(|leaf| leaf.path.is_empty())
    }
}

/// The indices on the path to a part, and the decorations found there.
#[derive(Clone)]
struct Way {
    path: Vec<u32>,
    component: Option<u32>,
    decorations: BTreeMap<Decoration, Vec<u32>>,
    name: String,
}

impl Way {
    /// Adds the decorations of `id`, or of one of its members. Returns `None` for a built-in or a `PerVertexKHR`
    /// array.
    fn decorate(&mut self, module: &Module<'_>, id: Id, member: Option<u32>) -> Option<()> {
        for applied in module.decorations_of_member(id, member) {
            let decoration = applied.decoration;
            if matches!(decoration, Decoration::BUILT_IN | Decoration::PER_VERTEX_KHR) {
                return None;
            }
            if KEPT_DECORATIONS.contains(&decoration) {
                self.decorations.insert(decoration, applied.operands.to_vec());
            }
        }
        Some(())
    }

    fn to(&self, index: u32, name: &str) -> Self {
        let mut way = self.clone();
        way.path.push(index);
        let names = [&*self.name, name].into_iter().filter(|name| !name.is_empty());
        way.name = names.collect::<Vec<_>>().join("_");
        way
    }
}

struct Walk<'m, 'w> {
    module: &'m Module<'w>,
    /// The location of the next part.
    location: Option<u32>,
    leaves: Vec<Leaf>,
    structures: BTreeSet<Id>,
}

impl Walk<'_, '_> {
    fn part(&mut self, ty: Id, way: &Way) -> Option<()> {
        if way.path.len() > DEEPEST || self.leaves.len() > MOST_LEAVES {
            return None;
        }
        match self.module.ty(ty)? {
            Type::Vector { component, count } => self.leaf(ty, component, count, way),
            Type::Int { .. } | Type::Float { .. } => self.leaf(ty, ty, 1, way),
            Type::Matrix { column, count } => self.elements(column, count, way),
            Type::Array { element, length } => {
                self.elements(element, self.module.constant(length)?, way)
            }
            Type::Struct { id } => self.members(id, way),
            _ => None,
        }
    }

    fn elements(&mut self, element: Id, count: u32, way: &Way) -> Option<()> {
        (0..count).try_for_each(|index| self.part(element, &way.to(index, &index.to_string())))
    }

    fn members(&mut self, structure: Id, way: &Way) -> Option<()> {
        self.structures.insert(structure);
        for (index, ty) in (0..).zip(self.module.members(structure)) {
            let number = |decoration| {
                self.module.member_decoration(structure, index, decoration)?.first().copied()
            };
            let name = self.module.member_name(structure, index);
            let mut way = way.to(index, &name.unwrap_or_else(|| index.to_string().into()));
            way.decorate(self.module, structure, Some(index))?;
            way.component = number(Decoration::COMPONENT).or(way.component);
            self.location = number(Decoration::LOCATION).or(self.location);
            self.part(ty, &way)?;
        }
        Some(())
    }

    fn leaf(&mut self, ty: Id, scalar: Id, count: u32, way: &Way) -> Option<()> {
        let is_number = matches!(
            self.module.ty(scalar)?,
            Type::Int { width: ..=32, .. } | Type::Float { width: ..=32 }
        );
        if !is_number {
            return None;
        }
        let location = self.location?;
        self.location = location.checked_add(1);
        let Way { path, component, decorations, name } = way.clone();
        self.leaves.push(Leaf { ty, scalar, count, path, location, component, decorations, name });
        Some(())
    }
}
