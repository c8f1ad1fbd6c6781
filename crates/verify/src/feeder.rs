//! Vertex stages of ours: they hand on what the stage behind them reads.

use crate::leaves::Kind;
use crate::run::{Stop, not_comparable};
use polyshade::clip_cull;
use polyshade::moves;
use polyshade::spv::{Decoration, ExecutionModel, Id, Patch, StorageClass};
use polyshade::{Error, Module};

/// An attribute that is handed on at a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Varying {
    pub(crate) attribute: u32,
    pub(crate) location: u32,
    pub(crate) kind: Kind,
    pub(crate) count: u32,
}

/// Distances that are handed on in the built-in array of their kind, four of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) kind: clip_cull::Kind,
    pub(crate) attribute: u32,
    pub(crate) count: u32,
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
        let variable = |p: &mut Patch<'_, '_>, class, ty, decoration, operand| {
            let variable = p.variable(class, ty, None);
            p.decorate(variable, decoration, &[operand]);
            variable
        };
        let mut joining = Vec::new();
        for one in varyings {
            let ty = vector(p, one.kind, one.count);
            let from = variable(p, StorageClass::INPUT, ty, Decoration::LOCATION, one.attribute);
            let to = variable(p, StorageClass::OUTPUT, ty, Decoration::LOCATION, one.location);
            joining.extend([from, to]);
            let mut code = p.at(at);
            let value = code.load(ty, from);
            code.store(to, value);
        }
        for array in arrays.iter().filter(|array| array.count > 0) {
            p.capability(array.kind.capability());
            let float = p.float();
            let ty = p.array(float, array.count);
            let builtin = array.kind.builtin().0;
            let to = variable(p, StorageClass::OUTPUT, ty, Decoration::BUILT_IN, builtin);
            joining.push(to);
            let (vector, pointer) = (p.vector(float, 4), p.pointer(StorageClass::OUTPUT, float));
            for first in (0..array.count).step_by(4) {
                let at_location = array.attribute + first / 4;
                let from =
                    variable(p, StorageClass::INPUT, vector, Decoration::LOCATION, at_location);
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

fn vector(p: &mut Patch<'_, '_>, kind: Kind, count: u32) -> Id {
    let scalar = match kind {
        Kind::Float => p.float(),
        Kind::Int => p.int(),
        Kind::Uint | Kind::Bool => p.uint(),
    };
    if count == 1 { scalar } else { p.vector(scalar, count) }
}
