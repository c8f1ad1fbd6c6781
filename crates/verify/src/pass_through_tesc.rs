//! Pass-through tessellation control stages, which write the inputs of the tested evaluation stage.

use crate::leaves::ScalarKind;
use crate::library;
use crate::synthetic_vertex::{Array, Varying, variable, vector};
use crate::verdict::Stop;
use polyshade::rewrite;
use polyshade::spv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Id, Patch, Position,
    StorageClass,
};

/// The number of vertices of a patch, which every device supports.
pub(crate) const VERTICES: u32 = 32;

/// The tasks of a control stage in addition to copying its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PassThroughTesc {
    /// Whether the stage sets the spacing of the tessellation coordinates.
    pub(crate) spacing: bool,
    /// Whether the stage sets the vertex order.
    pub(crate) order: bool,
    /// Whether the stage copies point sizes.
    pub(crate) sizes: bool,
}

/// Returns a control stage that copies the position of each vertex, `varyings` and `arrays`. Patch varyings are
/// copied from the first vertex.
pub(crate) fn stage(
    how: PassThroughTesc,
    varyings: &[Varying],
    arrays: &[Array],
) -> Result<Vec<u32>, Stop> {
    library::extend(
        &library::PASS_THROUGH_TESC,
        ExecutionModel::TESSELLATION_CONTROL,
        |m, p, entry, at| {
            if how.spacing {
                p.mode(entry.function(), ExecutionMode::SPACING_EQUAL, &[]);
            }
            if how.order {
                p.mode(entry.function(), ExecutionMode::VERTEX_ORDER_CCW, &[]);
            }
            // The inputs to copy, each with the vertex, except for patch outputs.
            let int = p.int();
            let id = (BuiltIn::INVOCATION_ID, int);
            let vertex = Some(rewrite::load_integer_builtin(m, p, entry, id, at));
            let position = (Decoration::BUILT_IN, BuiltIn::POSITION.0);
            let mut all = vec![(vector(p, ScalarKind::Float, 4), position, vertex)];
            if how.sizes {
                p.capability(Capability::TESSELLATION_POINT_SIZE);
                all.push((p.float(), (Decoration::BUILT_IN, BuiltIn::POINT_SIZE.0), vertex));
            }
            all.extend(varyings.iter().map(|one| {
                let of = vertex.filter(|_| !one.is_of_patch);
                (vector(p, one.kind, one.count), (Decoration::LOCATION, one.location), of)
            }));
            for array in arrays.iter().filter(|array| array.count > 0) {
                let (ty, builtin) = array.built_in(p);
                all.push((ty, builtin, vertex));
            }
            all.into_iter().flat_map(|one| copy_input(p, one, at)).collect()
        },
    )
}

/// Copies an input of this type from `vertex` to its output. Without `vertex`, copies from the first vertex to the
/// patch.
///
/// ```text
/// %from  = OpAccessChain %_ptr_Input_v4float %input %vertex
/// %to    = OpAccessChain %_ptr_Output_v4float %output %vertex
/// %value = OpLoad %v4float %from
///          OpStore %to %value
/// ```
fn copy_input<'m>(
    p: &mut Patch<'m, '_>,
    (ty, decoration, vertex): (Id, (Decoration, u32), Option<Id>),
    at: Position<'m>,
) -> [Id; 2] {
    let (all, first) = (p.array(ty, VERTICES), p.uint_constant(0));
    let element = |p: &mut Patch<'m, '_>, class, variable, vertex| {
        let pointer = p.pointer(class, ty);
        p.at(at).access_chain(pointer, variable, &[vertex])
    };
    let input = variable(p, StorageClass::INPUT, all, decoration);
    let from = element(p, StorageClass::INPUT, input, vertex.unwrap_or(first));
    let of_output = if vertex.is_some() { all } else { ty };
    let output = variable(p, StorageClass::OUTPUT, of_output, decoration);
    let to = match vertex {
        Some(vertex) => element(p, StorageClass::OUTPUT, output, vertex),
        None => {
            p.decorate(output, Decoration::PATCH, &[]);
            output
        }
    };
    let mut code = p.at(at);
    let value = code.load(ty, from);
    code.store(to, value);
    [input, output]
}
