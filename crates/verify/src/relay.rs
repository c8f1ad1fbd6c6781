//! Our own tessellation control stages: they write the inputs of the evaluation stage that is tested.

use crate::feeder::{Array, Varying, variable, vector};
use crate::leaves::Kind;
use crate::library;
use crate::verdict::{Stop, not_comparable};
use polyshade::moves;
use polyshade::spv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Id, Patch, Position,
    StorageClass,
};
use polyshade::{Error, Module};

/// The vertices of a patch: as many as every device takes.
pub(crate) const VERTICES: u32 = 32;

/// What a control stage does beside copying its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Relay {
    /// It sets the spacing of the tessellation coordinates.
    pub(crate) spacing: bool,
    /// It sets the order of the vertices.
    pub(crate) order: bool,
    /// It copies point sizes.
    pub(crate) sizes: bool,
}

/// A control stage that copies the position of each vertex, and its inputs at these locations and in these built-in
/// arrays. Outputs of the patch are copied from its first vertex.
pub(crate) fn relay(
    how: Relay,
    varyings: impl IntoIterator<Item = Varying>,
    arrays: &[Array],
) -> Result<Vec<u32>, Stop> {
    let base = Module::parse(&library::RELAY).expect("glslang's words parse");
    let relayed = base.rewrite(|m, p| {
        let entry = m.entry_point("main", ExecutionModel::TESSELLATION_CONTROL)?;
        let at = moves::wrap(m, p, entry).epilogue;
        let int = p.int();
        let (invocation, int) = moves::input_builtin(m, p, entry, BuiltIn::INVOCATION_ID, int);
        let vertex = p.at(at).load(int, invocation);
        let four = vector(p, Kind::Float, 4);
        let position = (Decoration::BUILT_IN, BuiltIn::POSITION.0);
        let mut joining = hand_on(p, four, position, Place::Vertex(vertex), at).to_vec();
        if how.spacing {
            p.mode(entry.function(), ExecutionMode::SPACING_EQUAL, &[]);
        }
        if how.order {
            p.mode(entry.function(), ExecutionMode::VERTEX_ORDER_CCW, &[]);
        }
        if how.sizes {
            p.capability(Capability::TESSELLATION_POINT_SIZE);
            let (float, size) = (p.float(), (Decoration::BUILT_IN, BuiltIn::POINT_SIZE.0));
            joining.extend(hand_on(p, float, size, Place::Vertex(vertex), at));
        }
        for one in varyings {
            let ty = vector(p, one.kind, one.count);
            let at_location = (Decoration::LOCATION, one.location);
            let place = if one.is_of_patch { Place::Patch } else { Place::Vertex(vertex) };
            joining.extend(hand_on(p, ty, at_location, place, at));
        }
        for array in arrays.iter().filter(|array| array.count > 0) {
            p.capability(array.kind.capability());
            let float = p.float();
            let ty = p.array(float, array.count);
            let builtin = (Decoration::BUILT_IN, array.kind.builtin().0);
            joining.extend(hand_on(p, ty, builtin, Place::Vertex(vertex), at));
        }
        joining.into_iter().for_each(|variable| p.join_interface(entry, variable));
        Ok(())
    });
    let relayed =
        relayed.map_err(|error: Error| not_comparable(format!("the control stage: {error}")))?;
    Ok(relayed.module.into_words())
}

/// Whether a value belongs to each vertex, or to the patch.
#[derive(Clone, Copy)]
enum Place {
    Vertex(Id),
    Patch,
}

/// Adds an input of this type for each vertex, and an output for each or for the patch.
///
/// ```text
/// %from  = OpAccessChain %_ptr_Input_v4float %input %vertex
/// %to    = OpAccessChain %_ptr_Output_v4float %output %vertex
/// %value = OpLoad %v4float %from
///          OpStore %to %value
/// ```
fn hand_on<'m>(
    p: &mut Patch<'m, '_>,
    ty: Id,
    decoration: (Decoration, u32),
    place: Place,
    at: Position<'m>,
) -> [Id; 2] {
    let all = p.array(ty, VERTICES);
    let element = |p: &mut Patch<'m, '_>, class, variable, vertex| {
        let pointer = p.pointer(class, ty);
        p.at(at).access_chain(pointer, variable, &[vertex])
    };
    let input = variable(p, StorageClass::INPUT, all, decoration);
    let (output, from, to) = match place {
        Place::Vertex(vertex) => {
            let output = variable(p, StorageClass::OUTPUT, all, decoration);
            let from = element(p, StorageClass::INPUT, input, vertex);
            (output, from, element(p, StorageClass::OUTPUT, output, vertex))
        }
        Place::Patch => {
            let output = variable(p, StorageClass::OUTPUT, ty, decoration);
            p.decorate(output, Decoration::PATCH, &[]);
            let first = p.uint_constant(0);
            (output, element(p, StorageClass::INPUT, input, first), output)
        }
    };
    let mut code = p.at(at);
    let value = code.load(ty, from);
    code.store(to, value);
    [input, output]
}
