//! Every output of every vertex, written down: what a shader computes, whatever is captured of it.
//!
//! A shader is given a buffer, and at the end of the entry point it stores all its outputs there, vertex by vertex; a
//! geometry stage does so where it emits one (`emits`), a tessellation evaluation stage for the coordinates of a patch
//! (`evaluation`), a control stage for its vertices (`control`).
//! Nothing of this is shared with the lowering that is judged: no order of primitives, no host words, no layout. Where
//! the driver has `VK_EXT_transform_feedback`, `native` lets it say the same.

pub(crate) mod control;
pub(crate) mod emits;
pub(crate) mod evaluation;
pub(crate) mod native;

use crate::Job;
use crate::leaves::{self, Kind, Leaf};
use polyshade::host::{Binding, Set};
use polyshade::moves::{self, HostBlock};
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{
    BuiltIn, Cursor, Decoration, ExecutionModel, Id, Op, Patch, Position, StorageClass,
};
use polyshade::{Error, Module};
use std::ops::Range;

/// The vertices and instances of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Placement {
    /// `firstVertex`.
    pub first_vertex: u32,
    /// `vertexCount`.
    pub vertices: u32,
    /// `firstInstance`.
    pub first_instance: u32,
    /// `instanceCount`.
    pub instances: u32,
}

impl Placement {
    /// How many invocations write down what they compute.
    pub(crate) fn slots(self) -> u32 {
        self.vertices * self.instances
    }

    /// The vertices, and the instances.
    pub(crate) fn ranges(self) -> (Range<u32>, Range<u32>) {
        (
            self.first_vertex..self.first_vertex + self.vertices,
            self.first_instance..self.first_instance + self.instances,
        )
    }

    /// Whether a draw begins with the same vertex and has no more of them.
    pub(crate) fn covers(self, other: Placement) -> bool {
        other.vertices <= self.vertices && other == Placement { vertices: other.vertices, ..self }
    }

    /// The vertex and the instance of an invocation.
    pub(crate) fn vertex(self, slot: u32) -> (u32, u32) {
        (self.first_vertex + slot % self.vertices, self.first_instance + slot / self.vertices)
    }

    /// The place of a vertex among them.
    pub(crate) fn slot(self, vertex: u32, instance: u32) -> u32 {
        vertex - self.first_vertex + (instance - self.first_instance) * self.vertices
    }
}

/// A shader that writes all its outputs down.
#[derive(Debug)]
pub(crate) struct Recorder {
    /// The shader. A vertex stage is to be drawn as points.
    pub words: Vec<u32>,
    /// Where the storage buffer is bound that it writes.
    pub bound: (Set, Binding),
    /// What it writes, one behind the other, in 32-bit words.
    pub leaves: Vec<Leaf>,
}

impl Recorder {
    /// The words that a vertex takes: those of the outputs, and a [mark](DONE).
    pub(crate) fn stride(&self) -> u32 {
        stride(&self.leaves)
    }
}

/// The mark behind the outputs of an invocation that has ended; of a vertex that a geometry stage emits, the number of
/// its strip is added to it. Some drivers abort an invocation whose loop takes too long.
pub(crate) const DONE: u32 = 0x5afe_c0de;

fn stride(leaves: &[Leaf]) -> u32 {
    leaves.iter().map(Leaf::words).sum::<u32>() + 1
}

/// A variant of the vertex stage that is `job`'s which writes down what it computes for `placement`; or why there is
/// none.
pub(crate) fn record(
    module: &Module<'_>,
    job: &Job<'_>,
    placement: Placement,
) -> Result<Recorder, String> {
    recorder(module, job, ExecutionModel::VERTEX, |m, p, entry, record| {
        add_point_size(p, entry, record.leaves);
        let at = moves::wrap(m, p, entry).epilogue;
        let slot = slot(m, p, entry, placement, at);
        let done = p.uint_constant(DONE);
        store(p, record.leaves, record.buffer, (slot, done), at);
        Ok(())
    })
}

/// What a recorder writes, and where.
struct Record<'r> {
    leaves: &'r [Leaf],
    buffer: HostBlock,
}

/// A variant of an entry point of `module`, by itself, with a buffer that `write` has it fill.
fn recorder(
    module: &Module<'_>,
    job: &Job<'_>,
    model: ExecutionModel,
    write: impl for<'m> FnOnce(
        &'m Module<'_>,
        &mut Patch<'m, '_>,
        EntryPoint<'m>,
        &Record<'_>,
    ) -> Result<(), Error>,
) -> Result<Recorder, String> {
    let (name, text) = (job.entry, |error: Error| error.to_string());
    let isolated = moves::isolate(module, name, model).map_err(text)?;
    let m = &isolated.module;
    let entry = m.entry_point(name, model).map_err(text)?;
    let leaves = leaves::leaves(m, entry, StorageClass::OUTPUT, &job.specialization)?;
    let leaves = match model {
        ExecutionModel::TESSELLATION_CONTROL => control::of_one_vertex(leaves),
        _ => leaves,
    };
    let bound = free_binding(m);

    let rewritten = m.rewrite(|m, p| {
        let entry = m.entry_point(name, model)?;
        let array = moves::word_array(m, p);
        let buffer = moves::storage_buffer(m, p, entry, array, bound, "verify_record")?;
        write(m, p, entry, &Record { leaves: &leaves, buffer })
    });
    let words = rewritten.map_err(text)?.module.into_words();
    Ok(Recorder { words, bound, leaves })
}

/// A binding of set 0 that no variable of the module has.
fn free_binding(m: &Module<'_>) -> (Set, Binding) {
    let bindings = m.variables().filter_map(|variable| {
        m.decoration(variable.result(), Decoration::BINDING)?.first().copied()
    });
    (Set(0), Binding(bindings.max().map_or(0, |last| last.saturating_add(1))))
}

/// Vulkan wants `PointSize` of what is drawn as points.
fn add_point_size<'m>(p: &mut Patch<'m, '_>, entry: EntryPoint<'m>, leaves: &[Leaf]) {
    if leaves.iter().any(|leaf| leaf.builtin == Some(BuiltIn::POINT_SIZE)) {
        return;
    }
    let float = p.float();
    let one = p.float_constant(1.0);
    let variable = p.variable(StorageClass::OUTPUT, float, Some(one));
    p.decorate(variable, Decoration::BUILT_IN, &[BuiltIn::POINT_SIZE.0]);
    p.join_interface(entry, variable);
}

/// Emits the number of the invocation.
///
/// ```text
/// %vertex   = OpISub %uint %vertex_index %first_vertex
/// %instance = OpISub %uint %instance_index %first_instance
/// %before   = OpIMul %uint %instance %vertices
/// %slot     = OpIAdd %uint %before %vertex
/// ```
fn slot<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    placement: Placement,
    at: Position<'m>,
) -> Id {
    let uint = p.uint();
    let mut index = |builtin, first| {
        let value = index(m, p, entry, builtin, at);
        let first = p.uint_constant(first);
        p.at(at).binary(Op::I_SUB, uint, value, first)
    };
    let vertex = index(BuiltIn::VERTEX_INDEX, placement.first_vertex);
    let instance = index(BuiltIn::INSTANCE_INDEX, placement.first_instance);
    let vertices = p.uint_constant(placement.vertices);
    let mut code = p.at(at);
    let before = code.binary(Op::I_MUL, uint, instance, vertices);
    code.binary(Op::I_ADD, uint, before, vertex)
}

/// Emits a load of an integer built-in input, as an unsigned number.
fn index<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    builtin: BuiltIn,
    at: Position<'m>,
) -> Id {
    let uint = p.uint();
    moves::load_integer_builtin(m, p, entry, (builtin, uint), at)
}

/// Emits a load of a variable of an integer type, as an unsigned number.
fn load_index<'m>(p: &mut Patch<'m, '_>, (variable, ty): (Id, Id), at: Position<'m>) -> Id {
    let uint = p.uint();
    let mut code = p.at(at);
    let value = code.load(ty, variable);
    if ty == uint { value } else { code.bitcast(uint, value) }
}

/// Emits stores of all leaves to their place in `slot`, and of a mark behind them.
fn store<'m>(
    p: &mut Patch<'m, '_>,
    leaves: &[Leaf],
    buffer: HostBlock,
    slot_and_mark: (Id, Id),
    at: Position<'m>,
) {
    let places: Vec<Vec<Id>> = leaves.iter().map(|leaf| constants(p, &leaf.path)).collect();
    store_from(p, leaves.iter().zip(places), buffer, slot_and_mark, at);
}

/// A path of constants.
fn constants(p: &mut Patch<'_, '_>, path: &[u32]) -> Vec<Id> {
    path.iter().map(|index| p.uint_constant(*index)).collect()
}

/// As [`store`], of leaves whose paths are given.
fn store_from<'m, 'l>(
    p: &mut Patch<'m, '_>,
    leaves: impl Iterator<Item = (&'l Leaf, Vec<Id>)> + Clone,
    buffer: HostBlock,
    (slot, mark): (Id, Id),
    at: Position<'m>,
) {
    let uint = p.uint();
    let words: u32 = leaves.clone().map(|(leaf, _)| leaf.words()).sum();
    let stride = p.uint_constant(words + 1);
    let mut code = p.at(at);
    let base = code.binary(Op::I_MUL, uint, slot, stride);
    let mut number = 0;
    let mut put = |code: &mut Cursor<'_, '_, '_>, word| {
        let offset = code.p.uint_constant(number);
        let index = code.binary(Op::I_ADD, uint, base, offset);
        let pointer = buffer.pointer(code, index);
        code.store(pointer, word);
        number += 1;
    };
    for (leaf, path) in leaves.filter(|(leaf, _)| leaf.words() > 0) {
        for word in load(&mut code, leaf, &path) {
            put(&mut code, word);
        }
    }
    put(&mut code, mark);
}

/// Emits a load of `leaf`, which lies at `path` of its variable, and returns its words.
fn load(code: &mut Cursor<'_, '_, '_>, leaf: &Leaf, path: &[Id]) -> Vec<Id> {
    let uint = code.p.uint();
    let pointer = code.p.pointer(StorageClass::OUTPUT, leaf.ty);
    let pointer = code.access_chain(pointer, leaf.variable, path);
    let value = code.load(leaf.ty, pointer);
    let component = match (leaf.kind, leaf.bits) {
        (Kind::Float, bits) => code.p.declare(Op::TYPE_FLOAT, &[bits]),
        (kind, bits) => code.p.declare(Op::TYPE_INT, &[bits, u32::from(kind == Kind::Int)]),
    };
    let mut words = Vec::new();
    for number in 0..leaf.count {
        let inside = if leaf.count == 1 { &[][..] } else { &[number] };
        let scalar = code.extract(component, value, inside);
        if leaf.bits == 64 {
            let pair = code.p.vector(uint, 2);
            let pair = code.bitcast(pair, scalar);
            words.extend([0, 1].map(|half| code.extract(uint, pair, &[half])));
        } else {
            words.push(if component == uint { scalar } else { code.bitcast(uint, scalar) });
        }
    }
    words
}
