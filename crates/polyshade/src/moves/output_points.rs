//! Where a stage hands on what its outputs hold: at the end, or in a geometry stage at each emit.

use super::wrap;
use crate::unsupported;
use polyshade_spv::view::{EmitStreamVertex, EntryPoint};
use polyshade_spv::{Error, ExecutionModel, Inst, Module, Op, Patch, Position};

/// A place at which outputs are handed on.
#[derive(Clone, Copy, Debug)]
pub struct OutputPoint<'m> {
    /// Where code goes that runs before.
    pub before: Position<'m>,
    /// Where code goes that runs behind it, before the shader goes on; `None` where the shader is done.
    pub after: Option<Position<'m>>,
    /// The vertex stream; `None` where it is not a plain constant.
    pub stream: Option<u32>,
}

/// The output points of `entry`, a vertex, tessellation evaluation or geometry stage: at least one, or in a geometry
/// stage as many as it has instructions that emit a vertex. Other stages than geometry are [wrapped](wrap()).
///
/// No other entry point may have the same functions: isolate first.
///
/// # Errors
///
/// `Unsupported` for any other stage.
pub fn output_points<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
) -> Result<Vec<OutputPoint<'m>>, Error> {
    match entry.model() {
        ExecutionModel::VERTEX | ExecutionModel::TESSELLATION_EVALUATION => {
            let before = wrap(m, p, entry).epilogue;
            Ok(vec![OutputPoint { before, after: None, stream: Some(0) }])
        }
        ExecutionModel::GEOMETRY => Ok(emits(m, entry)),
        other => {
            let message = format!("a {other} stage does not hand on vertices to the rasterizer");
            Err(unsupported(message, entry.function()))
        }
    }
}

fn emits<'m>(m: &'m Module<'_>, entry: EntryPoint<'m>) -> Vec<OutputPoint<'m>> {
    let functions = m.reachable(entry.function()).into_iter().filter_map(|id| m.function(id));
    let instructions = functions.flat_map(|function| function.instructions());
    instructions.filter_map(|inst| emit(m, inst)).collect()
}

fn emit<'m>(m: &Module<'_>, inst: Inst<'m>) -> Option<OutputPoint<'m>> {
    let stream = match inst.op() {
        Op::EMIT_VERTEX => Some(0),
        _ => m.constant(EmitStreamVertex::of(inst)?.stream()),
    };
    Some(OutputPoint { before: inst.before(), after: Some(inst.after()), stream })
}
