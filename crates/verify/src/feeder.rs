//! Our own vertex stages: they write the inputs of the next stage, which is tested.

use crate::leaves::Kind;
use crate::library;
use crate::verdict::{Stop, not_comparable};
use polyshade::clip_cull;
use polyshade::moves;
use polyshade::spv::{BuiltIn, Decoration, ExecutionModel, Id, Patch, StorageClass};
use polyshade::{Error, Module};

/// An attribute that is handed on at a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Varying {
    pub(crate) attribute: u32,
    pub(crate) location: u32,
    pub(crate) kind: Kind,
    pub(crate) count: u32,
    /// A control stage hands it on for the whole patch.
    pub(crate) is_of_patch: bool,
}

/// Distances that are handed on in the built-in array of their kind, four of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) kind: clip_cull::Kind,
    pub(crate) attribute: u32,
    pub(crate) count: u32,
}

/// A vertex stage that copies positions from an attribute, writes a point size, and copies `varyings` and `arrays`.
///
/// The built-ins are variables, not members of a block: that would need the members of the block in the next stage.
pub(crate) fn feeder_of_positions(
    attribute: u32,
    varyings: impl IntoIterator<Item = Varying>,
    arrays: &[Array],
) -> Result<Vec<u32>, Stop> {
    let base = Module::parse(&library::PLACE).expect("glslang's words parse");
    let placed = base.rewrite(|m, p| {
        let entry = m.entry_point("main", ExecutionModel::VERTEX)?;
        let at = moves::wrap(m, p, entry).epilogue;
        let ty = vector(p, Kind::Float, 4);
        let (float, one) = (p.float(), p.float_constant(1.0));
        let from = variable(p, StorageClass::INPUT, ty, (Decoration::LOCATION, attribute));
        let position = (Decoration::BUILT_IN, BuiltIn::POSITION.0);
        let to = variable(p, StorageClass::OUTPUT, ty, position);
        let size = p.variable(StorageClass::OUTPUT, float, Some(one));
        p.decorate(size, Decoration::BUILT_IN, &[BuiltIn::POINT_SIZE.0]);
        [from, to, size].into_iter().for_each(|variable| p.join_interface(entry, variable));
        let mut code = p.at(at);
        let value = code.load(ty, from);
        code.store(to, value);
        Ok(())
    });
    let placed =
        placed.map_err(|error: Error| not_comparable(format!("the vertex stage: {error}")))?;
    feeder(placed.module.words(), varyings, arrays)
}

/// A variable with a decoration.
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

/// The vertex stage `base`, which writes a position, with more that it hands on.
///
/// ```text
/// %value = OpLoad %v4float %attribute
///          OpStore %output %value
/// ```
pub(crate) fn feeder(
    base: &[u32],
    varyings: impl IntoIterator<Item = Varying>,
    arrays: &[Array],
) -> Result<Vec<u32>, Stop> {
    let base = Module::parse(base).expect("glslang's words parse");
    let fed = base.rewrite(|m, p| {
        let entry = m.entry_point("main", ExecutionModel::VERTEX)?;
        let at = moves::wrap(m, p, entry).epilogue;
        let mut joining = Vec::new();
        for one in varyings {
            let ty = vector(p, one.kind, one.count);
            let attribute = (Decoration::LOCATION, one.attribute);
            let from = variable(p, StorageClass::INPUT, ty, attribute);
            let to = variable(p, StorageClass::OUTPUT, ty, (Decoration::LOCATION, one.location));
            joining.extend([from, to]);
            let mut code = p.at(at);
            let value = code.load(ty, from);
            code.store(to, value);
        }
        for array in arrays.iter().filter(|array| array.count > 0) {
            p.capability(array.kind.capability());
            let float = p.float();
            let ty = p.array(float, array.count);
            let builtin = (Decoration::BUILT_IN, array.kind.builtin().0);
            let to = variable(p, StorageClass::OUTPUT, ty, builtin);
            joining.push(to);
            let (vector, pointer) = (p.vector(float, 4), p.pointer(StorageClass::OUTPUT, float));
            for first in (0..array.count).step_by(4) {
                let attribute = (Decoration::LOCATION, array.attribute + first / 4);
                let from = variable(p, StorageClass::INPUT, vector, attribute);
                joining.push(from);
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
        joining.into_iter().for_each(|variable| p.join_interface(entry, variable));
        Ok(())
    });
    let fed = fed.map_err(|error: Error| not_comparable(format!("the vertex stage: {error}")))?;
    Ok(fed.module.into_words())
}

pub(crate) fn vector(p: &mut Patch<'_, '_>, kind: Kind, count: u32) -> Id {
    let scalar = match kind {
        Kind::Float => p.float(),
        Kind::Int => p.int(),
        Kind::Uint | Kind::Bool => p.uint(),
    };
    if count == 1 { scalar } else { p.vector(scalar, count) }
}
