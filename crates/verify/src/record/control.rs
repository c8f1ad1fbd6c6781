//! What a tessellation control stage computes for each vertex of a patch, and for the whole patch.

use super::emits::{self, Emit};
use super::{DONE, Recorder, constants, index, recorder, store_from, stride};
use crate::Job;
use crate::leaves::Leaf;
use crate::relay::VERTICES;
use polyshade::Module;
use polyshade::moves;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{BuiltIn, ExecutionMode, ExecutionModel, Id, Op};

/// The vertices that a control stage makes of a patch, or why they are not known.
pub(crate) fn vertices(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<u32, String> {
    let modes = m.modes(entry.function());
    let mut count = modes.filter(|mode| mode.mode() == ExecutionMode::OUTPUT_VERTICES);
    match count.next().and_then(|mode| mode.operands().first().copied()) {
        Some(count) if (1..=VERTICES).contains(&count) => Ok(count),
        Some(count) => Err(format!("a control stage of {count} vertices")),
        None => Err("the control stage does not say how many vertices it makes".to_owned()),
    }
}

/// The outputs of one vertex, and those of the whole patch.
pub(crate) fn of_one_vertex(leaves: Vec<Leaf>) -> Vec<Leaf> {
    let is_one = |leaf: &Leaf| !is_per_vertex(leaf) || leaf.path.first() == Some(&0);
    leaves.into_iter().filter(is_one).collect()
}

fn is_per_vertex(leaf: &Leaf) -> bool {
    let levels = [BuiltIn::TESS_LEVEL_OUTER, BuiltIn::TESS_LEVEL_INNER];
    !leaf.is_of_patch && leaf.builtin.is_none_or(|builtin| !levels.contains(&builtin))
}

/// What the evaluation stage of ours says, and the control stage may say otherwise.
const OF_EVALUATION: [ExecutionMode; 9] = [
    ExecutionMode::TRIANGLES,
    ExecutionMode::QUADS,
    ExecutionMode::ISOLINES,
    ExecutionMode::SPACING_EQUAL,
    ExecutionMode::SPACING_FRACTIONAL_EVEN,
    ExecutionMode::SPACING_FRACTIONAL_ODD,
    ExecutionMode::VERTEX_ORDER_CW,
    ExecutionMode::VERTEX_ORDER_CCW,
    ExecutionMode::POINT_MODE,
];

/// `ScopeWorkgroup` and `ScopeInvocation` (3.27), and `MemorySemanticsNone` (3.26).
const BARRIER: [u32; 3] = [2, 4, 0];

/// A variant of the control stage that is `job`'s which writes down what it computes: each invocation its vertex, and
/// what all have made of the patch; or why there is none.
pub(crate) fn record(
    module: &Module<'_>,
    job: &Job<'_>,
    vertices: u32,
) -> Result<Recorder, String> {
    recorder(module, job, ExecutionModel::TESSELLATION_CONTROL, |m, p, entry, record| {
        for mode in m.modes(entry.function()) {
            if OF_EVALUATION.contains(&mode.mode()) {
                p.remove(mode.inst());
            }
        }
        let at = moves::wrap(m, p, entry).epilogue;
        let uint = p.uint();
        let [patch, vertex] = [BuiltIn::PRIMITIVE_ID, BuiltIn::INVOCATION_ID]
            .map(|builtin| index(m, p, entry, builtin, at));
        let barrier = BARRIER.map(|word| p.uint_constant(word).word());
        let (count, done) = (p.uint_constant(vertices), p.uint_constant(DONE));
        let mut code = p.at(at);
        code.emit(Op::CONTROL_BARRIER, &barrier);
        let first = code.binary(Op::I_MUL, uint, patch, count);
        let slot = code.binary(Op::I_ADD, uint, first, vertex);
        let places: Vec<Vec<Id>> = record
            .leaves
            .iter()
            .map(|leaf| {
                let mut path = constants(p, &leaf.path);
                if is_per_vertex(leaf) {
                    path[0] = vertex;
                }
                path
            })
            .collect();
        store_from(p, record.leaves.iter().zip(places), record.buffer, (slot, done), at);
        Ok(())
    })
}

/// What is written down by the slots that a recorder has filled: for each patch, vertex by vertex; or that there are
/// invocations that have not come to their end.
pub(crate) fn read(recorder: &Recorder, vertices: u32, words: &[u32]) -> Option<Vec<Vec<Emit>>> {
    let stride = stride(&recorder.leaves) as usize;
    let of_patch = |words: &[u32]| {
        let slots = (0..).zip(words.chunks_exact(stride));
        slots.map(|(vertex, slot)| emits::emit(slot, |_| (vertex, 0))).collect()
    };
    words.chunks_exact(stride * vertices as usize).map(of_patch).collect()
}
