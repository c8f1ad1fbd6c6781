//! Converts a vertex stage to a compute stage with one invocation per vertex.

use super::feedback::Feedback;
use crate::rewrite;
use crate::transform_feedback::draw::{MOST_GROUPS, WORK_GROUP_SIZE};
use crate::transform_feedback::draw_constraints::DrawParam;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Cursor, ExecutionMode, ExecutionModel, GlslOp, Id, Op, Patch, Position,
};

/// The numbers, counted from 0, of the captured vertex in its instance, and of the instance. The instance is `None` if
/// a built-in provides it or draws have only one instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub(super) vertex: Id,
    pub(super) instance: Option<Id>,
}

/// Changes `entry` to a compute stage with work groups of [`WORK_GROUP_SIZE`]. It must have no stage inputs and
/// outputs left.
pub(in super::super) fn change_stage<'m>(p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) {
    change_stage_to(p, entry, WORK_GROUP_SIZE);
}

/// Does the same with work groups of `size`.
pub(in super::super) fn change_stage_to<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    size: u32,
) {
    p.overwrite(entry.inst().operand(1), ExecutionModel::GL_COMPUTE.0);
    p.mode(entry.function(), ExecutionMode::LOCAL_SIZE, &[size, 1, 1]);
}

/// Emits, at `at`, the number of the invocation. Work groups are numbered row by row, with [`MOST_GROUPS`] per row.
///
/// ```text
/// %group    = OpIAdd %uint %row_times_65535 %column
/// %number   = OpIAdd %uint %group_times_64 %local
/// ```
pub(in super::super) fn number<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    at: Position<'m>,
) -> Id {
    let uint = p.uint();
    let group = add_group(p, entry);
    let local = local_number(p, entry, at);
    let mut code = p.at(at);
    let [column, row] = column_and_row(&mut code, group);
    let [in_row, size] = [MOST_GROUPS, WORK_GROUP_SIZE].map(|number| code.p.uint_constant(number));
    let before = code.binary(Op::I_MUL, uint, row, in_row);
    let group = code.binary(Op::I_ADD, uint, before, column);
    let before = code.binary(Op::I_MUL, uint, group, size);
    code.binary(Op::I_ADD, uint, before, local)
}

/// Emits, at `at`, the number of the work group.
pub(in super::super) fn group_number<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    at: Position<'m>,
) -> Id {
    let group = add_group(p, entry);
    let mut code = p.at(at);
    let [column, row] = column_and_row(&mut code, group);
    let (uint, in_row) = (code.p.uint(), code.p.uint_constant(MOST_GROUPS));
    let before = code.binary(Op::I_MUL, uint, row, in_row);
    code.binary(Op::I_ADD, uint, before, column)
}

/// Adds the input with the place of the work group.
fn add_group<'m>(p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) -> Id {
    let uint = p.uint();
    let three = p.vector(uint, 3);
    let group = rewrite::add_input_builtin(p, entry, BuiltIn::WORKGROUP_ID, three);
    p.name(group, "polyshade_work_group");
    group
}

fn column_and_row(code: &mut Cursor<'_, '_, '_>, group: Id) -> [Id; 2] {
    let uint = code.p.uint();
    let three = code.p.vector(uint, 3);
    let group = code.load(three, group);
    [0, 1].map(|axis| code.extract(uint, group, &[axis]))
}

/// Emits, at `at`, the number of the invocation in its work group.
pub(in super::super) fn local_number<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    at: Position<'m>,
) -> Id {
    let uint = p.uint();
    let local = rewrite::add_input_builtin(p, entry, BuiltIn::LOCAL_INVOCATION_INDEX, uint);
    p.name(local, "polyshade_invocation");
    p.at(at).load(uint, local)
}

/// Emits, at `at`, the numbers of the invocation's vertex and instance, and a return for invocations without a vertex.
/// Consecutive invocations process consecutive vertices, instance after instance.
///
/// ```text
/// %vertex   = OpUMod %uint %number %count
/// %instance = OpUDiv %uint %number %count
///            OpSelectionMerge %inside None
///            OpBranchConditional %is_inside %inside %outside
/// %outside = OpLabel
///            OpReturn
/// %inside  = OpLabel
/// ```
pub(super) fn begin<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    feedback: &Feedback<'_>,
    at: Position<'m>,
) -> Numbers {
    let uint = p.uint();
    let number = number(p, entry, at);
    let open = feedback.bound.added.open(&mut p.at(at));
    let mut code = p.at(at);
    let count = feedback.word(&mut code, open, DrawParam::VertexCount);
    let (numbers, invocations) = match feedback.draws.one_instance {
        true => (Numbers { vertex: number, instance: None }, count),
        false => {
            // Avoid division by 0: without vertices, every invocation returns.
            let one = code.p.uint_constant(1);
            let divisor = code.glsl(GlslOp::U_MAX, uint, &[count, one]);
            let vertex = code.binary(Op::U_MOD, uint, number, divisor);
            let instance = code.binary(Op::U_DIV, uint, number, divisor);
            let instances = feedback.word(&mut code, open, DrawParam::InstanceCount);
            let all = code.binary(Op::I_MUL, uint, count, instances);
            (Numbers { vertex, instance: Some(instance) }, all)
        }
    };
    return_from(p, at, number, invocations);
    numbers
}

/// Emits a return from the function unless `number` is less than `count`.
pub(in super::super) fn return_from<'m>(
    p: &mut Patch<'m, '_>,
    at: Position<'m>,
    number: Id,
    count: Id,
) {
    let (bool, inside, outside) = (p.bool(), p.id(), p.id());
    let mut code = p.at(at);
    let condition = code.binary(Op::U_LESS_THAN, bool, number, count);
    code.emit(Op::SELECTION_MERGE, &[inside.word(), 0]);
    code.emit(Op::BRANCH_CONDITIONAL, &[condition.word(), inside.word(), outside.word()]);
    code.emit(Op::LABEL, &[outside.word()]);
    code.emit(Op::RETURN, &[]);
    code.emit(Op::LABEL, &[inside.word()]);
}
