//! Synthetic vertex stages, which write the inputs of the tested next stage.

use crate::leaves::{self, Leaf, ScalarKind};
use crate::library;
use crate::verdict::{Stop, not_comparable};
use polyshade::clip_cull;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{BuiltIn, Decoration, ExecutionModel, Id, Patch, StorageClass};
use std::collections::BTreeMap;

/// An attribute that is copied to a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Varying {
    pub(crate) attribute: u32,
    pub(crate) location: u32,
    pub(crate) kind: ScalarKind,
    pub(crate) count: u32,
    /// Whether a control stage writes the varying once for the whole patch.
    pub(crate) is_of_patch: bool,
}

/// Distances that are copied to the built-in array of their kind. Each attribute holds four distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) kind: clip_cull::DistanceKind,
    pub(crate) attribute: u32,
    pub(crate) count: u32,
}

/// Returns the varyings at the locations of `leaves`, each copied from the attribute at the same location.
pub(crate) fn varyings(leaves: &[Leaf]) -> Result<Vec<Varying>, Stop> {
    let mut varyings = BTreeMap::new();
    for leaf in leaves.iter().filter(|leaf| leaf.builtin.is_none()) {
        if leaf.bits != 32 || leaf.register.is_none() {
            return Err(not_comparable(format!(
                "the generated vertex stage cannot write the input {}",
                leaf.title()
            )));
        }
        for (location, component) in leaves::registers(leaf) {
            let (attribute, kind, is_of_patch) = (location, leaf.kind, leaf.is_of_patch);
            let new = Varying { attribute, location, kind, count: 0, is_of_patch };
            let varying = varyings.entry(location).or_insert(new);
            varying.count = varying.count.max(component + 1);
        }
    }
    Ok(varyings.into_values().collect())
}

impl Array {
    /// Returns the type of a variable for this array, and the decoration of the variable.
    pub(crate) fn built_in(self, p: &mut Patch<'_, '_>) -> (Id, (Decoration, u32)) {
        p.capability(self.kind.capability());
        let float = p.float();
        (p.array(float, self.count), (Decoration::BUILT_IN, self.kind.builtin().0))
    }
}

pub(crate) fn variable(
    p: &mut Patch<'_, '_>,
    class: StorageClass,
    ty: Id,
    (decoration, operand): (Decoration, u32),
) -> Id {
    let variable = p.variable(class, ty, None);
    p.decorate(variable, decoration, &[operand]);
    variable
}

/// Adds an output with a `PointSize` of 1.
pub(crate) fn add_point_size<'m>(p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) {
    let float = p.float();
    let one = p.float_constant(1.0);
    let variable = p.variable(StorageClass::OUTPUT, float, Some(one));
    p.decorate(variable, Decoration::BUILT_IN, &[BuiltIn::POINT_SIZE.0]);
    p.join_interface(entry, variable);
}

/// Returns a vertex stage that copies `varyings` and `arrays`.
///
/// The stage copies the position from the attribute `position` and writes a point size. Without that attribute, it
/// has the positions of `library/cover.vert`.
///
/// ```text
/// %value = OpLoad %v4float %attribute
///          OpStore %output %value
/// ```
///
/// The built-ins are separate variables. If they were members of a block, the next stage would have to declare the
/// same block.
pub(crate) fn stage(
    position: Option<u32>,
    varyings: &[Varying],
    arrays: &[Array],
) -> Result<Vec<u32>, Stop> {
    let base = if position.is_some() { &library::PLACE } else { &library::COVER };
    library::extend(base, ExecutionModel::VERTEX, |_, p, entry, at| {
        let mut copies = Vec::new();
        if let Some(attribute) = position {
            add_point_size(p, entry);
            let position = (Decoration::BUILT_IN, BuiltIn::POSITION.0);
            copies.push((attribute, vector(p, ScalarKind::Float, 4), position));
        }
        // Inputs at locations.
        copies.extend(varyings.iter().map(|one| {
            let target = (Decoration::LOCATION, one.location);
            (one.attribute, vector(p, one.kind, one.count), target)
        }));
        let mut added = Vec::new();
        for (attribute, ty, target) in copies {
            let from = variable(p, StorageClass::INPUT, ty, (Decoration::LOCATION, attribute));
            let to = variable(p, StorageClass::OUTPUT, ty, target);
            added.extend([from, to]);
            let mut code = p.at(at);
            let value = code.load(ty, from);
            code.store(to, value);
        }
        // Distances.
        for array in arrays.iter().filter(|array| array.count > 0) {
            let (ty, builtin) = array.built_in(p);
            let to = variable(p, StorageClass::OUTPUT, ty, builtin);
            added.push(to);
            let float = p.float();
            let (vector, pointer) = (p.vector(float, 4), p.pointer(StorageClass::OUTPUT, float));
            for first in (0..array.count).step_by(4) {
                let attribute = (Decoration::LOCATION, array.attribute + first / 4);
                let from = variable(p, StorageClass::INPUT, vector, attribute);
                added.push(from);
                let value = p.at(at).load(vector, from);
                for element in first..array.count.min(first + 4) {
                    let index = p.uint_constant(element);
                    let mut code = p.at(at);
                    let distance = code.extract(float, value, &[element - first]);
                    let place = code.access_chain(pointer, to, &[index]);
                    code.store(place, distance);
                }
            }
        }
        added
    })
}

pub(crate) fn vector(p: &mut Patch<'_, '_>, kind: ScalarKind, count: u32) -> Id {
    let scalar = match kind {
        ScalarKind::Float => p.float(),
        ScalarKind::Int => p.int(),
        ScalarKind::Uint | ScalarKind::Bool => p.uint(),
    };
    if count == 1 { scalar } else { p.vector(scalar, count) }
}
