//! Records the outputs of a tessellation control stage, for each vertex of a patch and for the whole patch.

use super::evaluation::{ORDERS, SPACINGS};
use super::{DONE, Recorder, recorder, store};
use crate::Job;
use crate::leaves::Leaf;
use crate::pass_through_tesc::VERTICES;
use polyshade::Module;
use polyshade::rewrite;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{BuiltIn, ExecutionMode, ExecutionModel, Op};

/// Returns the number of output vertices of a control stage, or why it is unknown.
pub(crate) fn vertices(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<u32, String> {
    let mode = m.mode(entry.function(), ExecutionMode::OUTPUT_VERTICES);
    match mode.and_then(|mode| mode.operands().first().copied()) {
        Some(count) if (1..=VERTICES).contains(&count) => Ok(count),
        Some(count) => Err(format!("unsupported tessellation control stage of {count} vertices")),
        None => {
            Err("the tessellation control stage has no execution mode OutputVertices".to_owned())
        }
    }
}

/// Returns the outputs of one vertex and the outputs of the whole patch.
pub(crate) fn of_one_vertex(leaves: Vec<Leaf>) -> Vec<Leaf> {
    let is_one = |leaf: &Leaf| !is_per_vertex(leaf) || leaf.path.first() == Some(&0);
    leaves.into_iter().filter(is_one).collect()
}

/// Whether an output has an element for each vertex.
pub(super) fn is_per_vertex(leaf: &Leaf) -> bool {
    let levels = [BuiltIn::TESS_LEVEL_OUTER, BuiltIn::TESS_LEVEL_INNER];
    !leaf.is_of_patch && leaf.builtin.is_none_or(|builtin| !levels.contains(&builtin))
}

/// The execution modes of the generated evaluation stage that the control stage may set differently, except spacing
/// and order.
const OF_EVALUATION: [ExecutionMode; 4] = [
    ExecutionMode::TRIANGLES,
    ExecutionMode::QUADS,
    ExecutionMode::ISOLINES,
    ExecutionMode::POINT_MODE,
];

/// `ScopeWorkgroup` and `ScopeInvocation` (3.27), and `MemorySemanticsNone` (3.26).
const BARRIER: [u32; 3] = [2, 4, 0];

/// Makes a recorder of `job`'s control stage, or returns why that is impossible. Each invocation stores its vertex
/// and, after a barrier, the patch outputs that all invocations have written.
pub(crate) fn record(
    module: &Module<'_>,
    job: &Job<'_>,
    vertices: u32,
) -> Result<Recorder, String> {
    recorder(module, job, ExecutionModel::TESSELLATION_CONTROL, |m, p, entry, record, at| {
        let of_evaluation = [&OF_EVALUATION[..], &SPACINGS, &ORDERS].concat();
        let modes = m.modes(entry.function());
        let own = modes.filter(|mode| of_evaluation.contains(&mode.mode()));
        own.for_each(|mode| p.remove(mode.inst()));
        let uint = p.uint();
        let [patch, vertex] = [BuiltIn::PRIMITIVE_ID, BuiltIn::INVOCATION_ID]
            .map(|builtin| rewrite::load_integer_builtin(m, p, entry, (builtin, uint), at));
        let barrier = BARRIER.map(|word| p.uint_constant(word).word());
        let (count, done) = (p.uint_constant(vertices), p.uint_constant(DONE));
        let mut code = p.at(at);
        code.emit(Op::CONTROL_BARRIER, &barrier);
        let first = code.binary(Op::I_MUL, uint, patch, count);
        let slot = code.binary(Op::I_ADD, uint, first, vertex);
        store(p, record, (slot, done), Some(vertex), at);
        Ok(())
    })
}
