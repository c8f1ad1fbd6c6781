//! Divides the outputs of a stage into scalars and vectors, which clipping interpolates for new vertices.

use crate::code;
use crate::rewrite::{Sizes, member_locations};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, Error, Id, Module, StorageClass, Type};
use std::collections::BTreeSet;

/// The interpolation of a value across a primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// With perspective.
    Smooth,
    /// Linear in screen space.
    NoPerspective,
    /// The value of the provoking vertex.
    Flat,
}

/// The locations that a fragment stage does not interpolate with perspective. Its own decorations decide, not those of
/// the previous stage. Integers are always flat.
#[derive(Default)]
pub(super) struct Interpolation {
    /// Locations that take the value of the provoking vertex.
    pub(super) flat: BTreeSet<u32>,
    /// Locations that are interpolated linearly in screen space.
    pub(super) no_perspective: BTreeSet<u32>,
}

impl Interpolation {
    /// Reads the decorations of the fragment stage `entry` of `module`.
    pub(super) fn of(module: &Module<'_>, entry: EntryPoint<'_>) -> Result<Self, Error> {
        let (none, mut found) = (Self::default(), Self::default());
        let inputs = crate::rewrite::interface(module, entry, StorageClass::INPUT);
        for variable in inputs.into_iter().filter(|input| module.builtin(*input).is_none()) {
            for leaf in leaves(module, variable, &none)? {
                let Some(location) = leaf.location else { continue };
                match leaf.way {
                    Way::Smooth => false,
                    Way::NoPerspective => found.no_perspective.insert(location),
                    Way::Flat => found.flat.insert(location),
                };
            }
        }
        Ok(found)
    }

    fn way(&self, location: Option<u32>) -> Way {
        match location {
            Some(at) if self.flat.contains(&at) => Way::Flat,
            Some(at) if self.no_perspective.contains(&at) => Way::NoPerspective,
            _ => Way::Smooth,
        }
    }
}

/// A scalar or vector of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Leaf {
    pub(super) variable: Id,
    pub(super) path: Vec<u32>,
    pub(super) ty: Id,
    /// The number of 32-bit components.
    pub(super) components: u32,
    pub(super) location: Option<u32>,
    pub(super) way: Way,
}

/// The maximum number of leaves of a variable.
const MOST_LEAVES: usize = 256;
/// The maximum nesting depth of parts.
const DEEPEST: usize = 16;

/// A part that may have to be divided.
struct Open {
    path: Vec<u32>,
    ty: Id,
    location: Option<u32>,
    way: Way,
}

/// Returns the leaves, in order, of an input or output without an element per vertex.
pub(super) fn leaves(
    m: &Module<'_>,
    variable: Id,
    interpolation: &Interpolation,
) -> Result<Vec<Leaf>, Error> {
    let refuse = || {
        let message = format!(
            "an output does not consist of a known count of numbers, or has more than {MOST_LEAVES} vectors"
        );
        Error::new(&code::CLIP_OUTPUT_TYPE, message).about(variable)
    };
    let ty = m.pointee(variable).ok_or_else(refuse)?;
    let first = |words: &[u32]| words.first().copied();
    let location = m.decoration(variable, Decoration::LOCATION).and_then(first);
    let way = declared(|decoration| m.decoration(variable, decoration).is_some());
    let mut open = vec![Open { path: Vec::new(), ty, location, way }];
    let mut leaves = Vec::new();
    while let Some(part) = open.pop() {
        if let Some((count, width)) = numbers(m, part.ty) {
            let is_float = matches!(component(m, part.ty), Some(Type::Float { width: 16 | 32 }));
            let way = match (is_float, part.way) {
                (false, _) | (_, Way::Flat) => Way::Flat,
                (_, Way::Smooth) => interpolation.way(part.location),
                (_, Way::NoPerspective) => Way::NoPerspective,
            };
            let Open { path, ty, location, .. } = part;
            let components = count.saturating_mul(width.div_ceil(32));
            leaves.push(Leaf { variable, path, ty, components, location, way });
        } else {
            let mut parts = inner(m, &part).ok_or_else(refuse)?;
            parts.reverse();
            open.extend(parts);
        }
        if leaves.len() + open.len() > MOST_LEAVES {
            return Err(refuse());
        }
    }
    Ok(leaves)
}

/// Returns the interpolation that decorations declare.
fn declared(is_decorated: impl Fn(Decoration) -> bool) -> Way {
    if is_decorated(Decoration::FLAT) {
        Way::Flat
    } else if is_decorated(Decoration::NO_PERSPECTIVE) {
        Way::NoPerspective
    } else {
        Way::Smooth
    }
}

/// Returns the type of the components of a scalar or vector.
pub(super) fn component(m: &Module<'_>, ty: Id) -> Option<Type> {
    match m.ty(ty)? {
        Type::Vector { component, .. } => m.ty(component),
        other => Some(other),
    }
}

/// Returns the number of components of a scalar or vector, and the width of a component in bits.
fn numbers(m: &Module<'_>, ty: Id) -> Option<(u32, u32)> {
    let count = match m.ty(ty)? {
        Type::Vector { count, .. } => count,
        _ => 1,
    };
    match component(m, ty)? {
        Type::Int { width, .. } | Type::Float { width } => Some((count, width)),
        _ => None,
    }
}

/// Returns the columns, elements or members of a part.
fn inner(m: &Module<'_>, part: &Open) -> Option<Vec<Open>> {
    let mut sizes = Sizes::new(m);
    let (element, count) = match m.ty(part.ty).filter(|_| part.path.len() < DEEPEST)? {
        Type::Matrix { column, count } => (column, count),
        Type::Array { element, length } => (element, m.constant(length)?),
        Type::Struct { id } => return Some(members(m, part, id)),
        _ => return None,
    };
    if count as usize > MOST_LEAVES {
        return None;
    }
    let size = sizes.locations(element);
    let inner = |i: u32| Open {
        path: [part.path.as_slice(), &[i]].concat(),
        ty: element,
        location: part.location.map(|first| first.saturating_add(i.saturating_mul(size))),
        way: part.way,
    };
    Some((0..count).map(inner).collect())
}

fn members(m: &Module<'_>, part: &Open, structure: Id) -> Vec<Open> {
    let mut members = Vec::new();
    for (member, ty, taken) in member_locations(m, structure, part.location) {
        let location = taken.map(|taken| taken.start);
        let own =
            declared(|decoration| m.member_decoration(structure, member, decoration).is_some());
        let way = if own == Way::Smooth { part.way } else { own };
        let path = [part.path.as_slice(), &[member]].concat();
        members.push(Open { path, ty, location, way });
    }
    members
}
