//! Records the vertices that a geometry stage emits.

use super::{DONE, Recorder, load_index, recorder, store};
use crate::Job;
use crate::inputs::instructions;
use polyshade::Module;
use polyshade::rewrite;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{
    BuiltIn, ExecutionMode, ExecutionModel, Id, Op, Patch, Position, StorageClass,
};
use polyshade_vulkan::vk;

/// The primitives that a geometry stage reads and emits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// The input topology, a list.
    pub(crate) takes: vk::PrimitiveTopology,
    /// The number of vertices of an input primitive.
    pub(crate) corners: u32,
    /// The list topology of the primitives that an output strip consists of.
    pub(crate) makes: vk::PrimitiveTopology,
    /// `Invocations`: how many times the stage runs for each primitive.
    pub(crate) invocations: u32,
    /// `OutputVertices`: the maximum number of vertices that an invocation may emit.
    pub(crate) most: u32,
}

/// The maximum number of slots of a primitive.
const MOST: u32 = 1 << 12;
/// The limit on strip numbers. It distinguishes marks from the contents that memory has before a draw.
const STRIPS: u32 = 1 << 30;

impl Geometry {
    /// Reads the execution modes of `entry`, or returns why the stage is not supported.
    pub(crate) fn of(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<Geometry, String> {
        use vk::PrimitiveTopology as T;
        let modes = m.modes(entry.function()).collect::<Vec<_>>();
        let takes = modes.iter().find_map(|mode| match mode.mode() {
            ExecutionMode::INPUT_POINTS => Some((T::POINT_LIST, 1)),
            ExecutionMode::INPUT_LINES => Some((T::LINE_LIST, 2)),
            ExecutionMode::INPUT_LINES_ADJACENCY => Some((T::LINE_LIST_WITH_ADJACENCY, 4)),
            ExecutionMode::TRIANGLES => Some((T::TRIANGLE_LIST, 3)),
            ExecutionMode::INPUT_TRIANGLES_ADJACENCY => Some((T::TRIANGLE_LIST_WITH_ADJACENCY, 6)),
            _ => None,
        });
        let makes = modes.iter().find_map(|mode| match mode.mode() {
            ExecutionMode::OUTPUT_POINTS => Some(T::POINT_LIST),
            ExecutionMode::OUTPUT_LINE_STRIP => Some(T::LINE_LIST),
            ExecutionMode::OUTPUT_TRIANGLE_STRIP => Some(T::TRIANGLE_LIST),
            _ => None,
        });
        let number = |wanted| m.mode(entry.function(), wanted)?.operands().first().copied();
        let most = number(ExecutionMode::OUTPUT_VERTICES);
        let (Some((takes, corners)), Some(makes), Some(most)) = (takes, makes, most) else {
            return Err(
                "the geometry stage does not declare its input and output primitives".to_owned()
            );
        };
        let invocations = number(ExecutionMode::INVOCATIONS).unwrap_or(1).max(1);
        let geometry = Geometry { takes, corners, makes, invocations, most };
        match geometry.slots() <= MOST {
            true => Ok(geometry),
            false => {
                Err(format!("{invocations} invocations with {most} vertices each are too many"))
            }
        }
    }

    /// The number of slots of a primitive.
    pub(crate) fn slots(self) -> u32 {
        self.each().saturating_mul(self.invocations)
    }

    /// The slots of an invocation: one for each vertex, one for excess vertices, and one that marks its end.
    fn each(self) -> u32 {
        self.most.saturating_add(2)
    }
}

/// A vertex that a geometry stage emitted, or that a tessellation stage computed for a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Emit {
    /// The invocation of a geometry stage and the number of the strip, or the coordinate in a patch.
    pub(crate) strip: (u32, u32),
    /// All outputs.
    pub(crate) words: Vec<u32>,
}

/// Makes a recorder of `job`'s geometry stage, or returns why that is impossible.
pub(crate) fn record(
    module: &Module<'_>,
    job: &Job<'_>,
    geometry: Geometry,
) -> Result<Recorder, String> {
    let entry = module.entry_point(job.entry, ExecutionModel::GEOMETRY);
    let entry = entry.map_err(|error| error.to_string())?;
    let of_streams = [Op::EMIT_STREAM_VERTEX, Op::END_STREAM_PRIMITIVE];
    if instructions(module, entry).any(|inst| of_streams.contains(&inst.op())) {
        return Err("the geometry stage uses OpEmitStreamVertex or OpEndStreamPrimitive".to_owned());
    }

    recorder(module, job, ExecutionModel::GEOMETRY, |m, p, entry, record, end| {
        // At the end, store a mark in the last slot of the invocation.
        let [count, strip] = [(); 2].map(|()| counter(m, p, entry));
        let int = p.int();
        let invocation = [BuiltIn::PRIMITIVE_ID, BuiltIn::INVOCATION_ID]
            .map(|builtin| rewrite::input_builtin(m, p, entry, builtin, int));
        let first = first_slot(p, geometry, invocation, end);
        let last = p.uint_constant(geometry.each() - 1);
        let (uint, done) = (p.uint(), p.uint_constant(DONE));
        let last = p.at(end).binary(Op::I_ADD, uint, first, last);
        store(p, record, (last, done), None, end);
        // At each emit, store the outputs in the next slot.
        let at = rewrite::export_points(m, p, entry)?.at_exports(p, None);
        let first = first_slot(p, geometry, invocation, at);
        let slot = slot(p, geometry, first, count, at);
        let (uint, done) = (p.uint(), p.uint_constant(DONE));
        let mut code = p.at(at);
        let number = code.load(uint, strip);
        let mark = code.binary(Op::I_ADD, uint, done, number);
        store(p, record, (slot, mark), None, at);
        increase(p, count, at);
        let ends = instructions(m, entry).filter(|inst| inst.op() == Op::END_PRIMITIVE);
        ends.for_each(|end| increase(p, strip, end.before()));
        Ok(())
    })
}

/// Returns the vertices in the slots of a primitive, in order, or `None` if an invocation did not finish.
pub(crate) fn read(geometry: Geometry, slots: &[&[u32]]) -> Option<Vec<Emit>> {
    let of_invocation = |(invocation, slots): (u32, &[&[u32]])| -> Option<Vec<Emit>> {
        let (last, emitted) = slots.split_last()?;
        emit(last, |_| (0, 0))?;
        // Vertices beyond the maximum are in the slot after all other vertices.
        Some(emitted.iter().map_while(|slot| emit(slot, |strip| (invocation, strip))).collect())
    };
    let invocations = (0..).zip(slots.chunks_exact(geometry.each() as usize));
    let emits: Option<Vec<_>> = invocations.map(of_invocation).collect();
    Some(emits?.concat())
}

/// Returns the contents of a slot if it is filled. `strip` interprets the number that is added to the mark.
pub(crate) fn emit(slot: &[u32], strip: impl Fn(u32) -> (u32, u32)) -> Option<Emit> {
    let (mark, words) = slot.split_last()?;
    let number = mark.checked_sub(DONE).filter(|number| *number < STRIPS)?;
    Some(Emit { strip: strip(number), words: words.to_vec() })
}

/// Adds a variable that is 0 at the start of an invocation.
fn counter<'m>(m: &Module<'_>, p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) -> Id {
    let (uint, zero) = (p.uint(), p.uint_constant(0));
    let variable = p.variable(StorageClass::PRIVATE, uint, Some(zero));
    rewrite::add_to_interface(m, p, entry, variable);
    variable
}

fn increase<'m>(p: &mut Patch<'m, '_>, counter: Id, at: Position<'m>) {
    let (uint, one) = (p.uint(), p.uint_constant(1));
    let mut code = p.at(at);
    let before = code.load(uint, counter);
    let after = code.binary(Op::I_ADD, uint, before, one);
    code.store(counter, after);
}

/// Emits code that computes the first slot of the invocation.
///
/// ```text
/// %before     = OpIMul %uint %primitive_id %invocations
/// %invocation = OpIAdd %uint %before %invocation_id
/// %first      = OpIMul %uint %invocation %each
/// ```
fn first_slot<'m>(
    p: &mut Patch<'m, '_>,
    geometry: Geometry,
    invocation: [(Id, Id); 2],
    at: Position<'m>,
) -> Id {
    let [primitive, invocation] = invocation.map(|variable| load_index(p, variable, at));
    let uint = p.uint();
    let [invocations, each] =
        [geometry.invocations, geometry.each()].map(|number| p.uint_constant(number));
    let mut code = p.at(at);
    let before = code.binary(Op::I_MUL, uint, primitive, invocations);
    let invocation = code.binary(Op::I_ADD, uint, before, invocation);
    code.binary(Op::I_MUL, uint, invocation, each)
}

/// Emits code that computes the slot for the next vertex. All vertices beyond the maximum share one slot.
///
/// ```text
/// %is_one = OpULessThan %bool %count %most
/// %number = OpSelect %uint %is_one %count %most
/// %slot   = OpIAdd %uint %first %number
/// ```
fn slot<'m>(
    p: &mut Patch<'m, '_>,
    geometry: Geometry,
    first: Id,
    count: Id,
    at: Position<'m>,
) -> Id {
    let (uint, bool, most) = (p.uint(), p.bool(), p.uint_constant(geometry.most));
    let mut code = p.at(at);
    let count = code.load(uint, count);
    let is_one = code.binary(Op::U_LESS_THAN, bool, count, most);
    let number = code.select(uint, is_one, count, most);
    code.binary(Op::I_ADD, uint, first, number)
}
