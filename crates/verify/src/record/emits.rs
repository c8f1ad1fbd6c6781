//! The vertices that a geometry stage emits.

use super::{DONE, Recorder, load_index, recorder, store, stride};
use crate::Job;
use polyshade::Module;
use polyshade::moves;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{
    BuiltIn, ExecutionMode, ExecutionModel, Id, Inst, Op, Patch, Position, StorageClass,
};
use polyshade_vulkan::vk;

/// The primitives that a geometry stage takes and makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// What it takes: a list.
    pub(crate) takes: vk::PrimitiveTopology,
    /// How many vertices it takes.
    pub(crate) corners: u32,
    /// What it makes, as a list: each strip is one of these, or some.
    pub(crate) makes: vk::PrimitiveTopology,
    /// How often it runs for each primitive.
    pub(crate) invocations: u32,
    /// How many vertices an invocation emits at most.
    pub(crate) most: u32,
}

/// The most slots of a primitive.
const MOST: u32 = 1 << 12;
/// What is less is the number of a strip, and never what memory holds before.
const STRIPS: u32 = 1 << 30;

impl Geometry {
    /// What the modes of `entry` say, or why that is not enough.
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
        let number = |wanted| {
            let mode = modes.iter().find(|mode| mode.mode() == wanted)?;
            mode.operands().first().copied()
        };
        let most = number(ExecutionMode::OUTPUT_VERTICES);
        let (Some((takes, corners)), Some(makes), Some(most)) = (takes, makes, most) else {
            return Err("the geometry stage does not say what it takes and makes".to_owned());
        };
        let invocations = number(ExecutionMode::INVOCATIONS).unwrap_or(1).max(1);
        let geometry = Geometry { takes, corners, makes, invocations, most };
        match geometry.slots(1) {
            Some(slots) if slots <= MOST => Ok(geometry),
            _ => Err(format!("{invocations} invocations emit {most} vertices each")),
        }
    }

    /// The room for what becomes of so many primitives.
    pub(crate) fn slots(self, primitives: u32) -> Option<u32> {
        self.each()?.checked_mul(self.invocations)?.checked_mul(primitives)
    }

    /// The slots of an invocation: one for each vertex, one for those that it must not emit, and one that says that it
    /// has come to its end.
    fn each(self) -> Option<u32> {
        self.most.checked_add(2)
    }
}

/// A vertex that was emitted, or computed of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Emit {
    /// Of the primitive that was taken, which invocation emitted it, and in which of its strips; of a patch, where it
    /// is.
    pub(crate) strip: (u32, u32),
    /// All outputs.
    pub(crate) words: Vec<u32>,
}

/// A variant of the geometry stage that is `job`'s which writes down what it emits; or why there is none.
pub(crate) fn record(
    module: &Module<'_>,
    job: &Job<'_>,
    geometry: Geometry,
) -> Result<Recorder, String> {
    let entry = module.entry_point(job.entry, ExecutionModel::GEOMETRY);
    let entry = entry.map_err(|error| error.to_string())?;
    let of_streams = [Op::EMIT_STREAM_VERTEX, Op::END_STREAM_PRIMITIVE];
    if of_streams.into_iter().any(|op| instructions(module, entry, op).next().is_some()) {
        return Err("the geometry stage names its vertex streams".to_owned());
    }
    let each = geometry.each().ok_or("the geometry stage emits too many vertices")?;

    recorder(module, job, ExecutionModel::GEOMETRY, |m, p, entry, record| {
        let [count, strip] = [(); 2].map(|()| counter(m, p, entry));
        let int = p.int();
        let invocation = [BuiltIn::PRIMITIVE_ID, BuiltIn::INVOCATION_ID]
            .map(|builtin| moves::input_builtin(m, p, entry, builtin, int));
        let end = moves::wrap(m, p, entry).epilogue;
        let first = first_slot(p, geometry, invocation, each, end);
        let last = p.uint_constant(each - 1);
        let (uint, done) = (p.uint(), p.uint_constant(DONE));
        let last = p.at(end).binary(Op::I_ADD, uint, first, last);
        store(p, record.leaves, record.buffer, (last, done), end);
        let at = moves::output_points(m, p, entry)?.hand_on(p, None);
        let first = first_slot(p, geometry, invocation, each, at);
        let slot = slot(p, geometry, first, count, at);
        let (uint, done) = (p.uint(), p.uint_constant(DONE));
        let mut code = p.at(at);
        let number = code.load(uint, strip);
        let mark = code.binary(Op::I_ADD, uint, done, number);
        store(p, record.leaves, record.buffer, (slot, mark), at);
        increase(p, count, at);
        let ends: Vec<Position> =
            instructions(m, entry, Op::END_PRIMITIVE).map(|at| at.before()).collect();
        ends.into_iter().for_each(|at| increase(p, strip, at));
        Ok(())
    })
}

/// What is written down by the slots that a recorder has filled: the vertices of each primitive, in their order; or
/// that there are invocations that have not come to their end.
pub(crate) fn read(
    recorder: &Recorder,
    geometry: Geometry,
    words: &[u32],
) -> Option<Vec<Vec<Emit>>> {
    let stride = stride(&recorder.leaves) as usize;
    let of_invocation = |invocation: u32, words: &[u32]| -> Option<Vec<Emit>> {
        let slots: Vec<&[u32]> = words.chunks_exact(stride).collect();
        emit(slots.last()?, |_| (0, 0))?;
        // Those that there must not be have the slot behind all others.
        let slots = slots.into_iter().take(geometry.most as usize + 1);
        Some(slots.map_while(|slot| emit(slot, |strip| (invocation, strip))).collect())
    };
    let of_primitive = |words: &[u32]| -> Option<Vec<Emit>> {
        let invocations = words.chunks_exact(stride * geometry.each()? as usize);
        let each = (0..).zip(invocations).map(|(number, words)| of_invocation(number, words));
        Some(each.collect::<Option<Vec<_>>>()?.concat())
    };
    words.chunks_exact(stride * geometry.slots(1)? as usize).map(of_primitive).collect()
}

/// What is in a slot, if it is filled; `strip` makes of what is added to the mark where it belongs.
pub(super) fn emit(slot: &[u32], strip: impl Fn(u32) -> (u32, u32)) -> Option<Emit> {
    let (mark, words) = slot.split_last()?;
    let number = mark.checked_sub(DONE).filter(|number| *number < STRIPS)?;
    Some(Emit { strip: strip(number), words: words.to_vec() })
}

/// The instructions `op` in what `entry` reaches.
fn instructions<'m>(
    m: &'m Module<'_>,
    entry: EntryPoint<'_>,
    op: Op,
) -> impl Iterator<Item = Inst<'m>> {
    let bodies = m.reachable(entry.function()).into_iter().filter_map(|id| m.function(id));
    bodies.flat_map(|body| body.instructions()).filter(move |inst| inst.op() == op)
}

/// A variable that is 0 at the start of an invocation.
fn counter<'m>(m: &Module<'_>, p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) -> Id {
    let (uint, zero) = (p.uint(), p.uint_constant(0));
    let variable = p.variable(StorageClass::PRIVATE, uint, Some(zero));
    moves::add_to_interface(m, p, entry, variable);
    variable
}

fn increase<'m>(p: &mut Patch<'m, '_>, counter: Id, at: Position<'m>) {
    let (uint, one) = (p.uint(), p.uint_constant(1));
    let mut code = p.at(at);
    let before = code.load(uint, counter);
    let after = code.binary(Op::I_ADD, uint, before, one);
    code.store(counter, after);
}

/// Emits the number of the first slot of the invocation.
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
    each: u32,
    at: Position<'m>,
) -> Id {
    let [primitive, invocation] = invocation.map(|variable| load_index(p, variable, at));
    let uint = p.uint();
    let [invocations, each] = [geometry.invocations, each].map(|number| p.uint_constant(number));
    let mut code = p.at(at);
    let before = code.binary(Op::I_MUL, uint, primitive, invocations);
    let invocation = code.binary(Op::I_ADD, uint, before, invocation);
    code.binary(Op::I_MUL, uint, invocation, each)
}

/// Emits the number of the slot of the vertex that is emitted next; all those that there must not be have one.
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
