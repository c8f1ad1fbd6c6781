//! Records every output of every vertex, whether the output is captured or not.
//!
//! A recorder is a shader with an added buffer to which it stores all its outputs, vertex by vertex: at the end of a
//! vertex stage, at each emit of a geometry stage (`emits`), for each coordinate of a patch in a tessellation
//! evaluation stage (`evaluation`), and for each output vertex of a control stage (`control`). Recorders share no
//! code with the judged lowering: they do not depend on the order of primitives, on host parameters or on a layout.
//! If the driver has `VK_EXT_transform_feedback`, `native` checks the recordings against it.

pub(crate) mod control;
pub(crate) mod emits;
pub(crate) mod evaluation;
pub(crate) mod native;

use crate::Job;
use crate::inputs;
use crate::leaves::{self, Leaf, ScalarKind};
use crate::synthetic_vertex::add_point_size;
use polyshade::host::{Binding, Set};
use polyshade::rewrite::{self, HostBlock};
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{BuiltIn, Cursor, ExecutionModel, Id, Op, Patch, Position, StorageClass};
use polyshade::{Error, Module};
use polyshade_vulkan::{Descriptor, Draw, Resource};
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
    /// The number of invocations of the draw.
    pub(crate) fn slots(self) -> u32 {
        self.vertices * self.instances
    }

    pub(crate) fn ranges(self) -> (Range<u32>, Range<u32>) {
        (
            self.first_vertex..self.first_vertex + self.vertices,
            self.first_instance..self.first_instance + self.instances,
        )
    }

    /// Whether `other` begins at the same vertex and instance and has no more vertices and instances.
    pub(crate) fn covers(self, other: Placement) -> bool {
        let Placement { vertices, instances, .. } = other;
        let is_less = vertices <= self.vertices && instances <= self.instances;
        is_less && other == Placement { vertices, instances, ..self }
    }

    /// Returns the vertex and the instance of invocation number `slot` of the draw.
    pub(crate) fn vertex(self, slot: u32) -> (u32, u32) {
        (self.first_vertex + slot % self.vertices, self.first_instance + slot / self.vertices)
    }

    /// Returns the number of the invocation with this vertex and instance.
    pub(crate) fn slot(self, vertex: u32, instance: u32) -> u32 {
        vertex - self.first_vertex + (instance - self.first_instance) * self.vertices
    }
}

/// The slots of a recorder, indexed by the vertex and instance index modulo these numbers. All draws that have no
/// more vertices and instances share one shader, wherever they begin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    pub(crate) vertices: u32,
    pub(crate) instances: u32,
}

impl Grid {
    /// Returns the smallest grid that fits each of the draws.
    pub(crate) fn of(draws: &[Placement]) -> Grid {
        let most = |count: fn(&Placement) -> u32| draws.iter().map(count).max().unwrap_or(0).max(1);
        Grid { vertices: most(|draw| draw.vertices), instances: most(|draw| draw.instances) }
    }

    /// The number of slots, one for each invocation.
    pub(crate) fn slots(self) -> u32 {
        self.vertices * self.instances
    }

    fn slot(self, vertex: u32, instance: u32) -> u32 {
        instance % self.instances * self.vertices + vertex % self.vertices
    }
}

/// A shader that stores all its outputs to a buffer.
#[derive(Debug)]
pub(crate) struct Recorder {
    /// The SPIR-V words of the shader. Vertex stages must be drawn as points.
    pub words: Vec<u32>,
    /// The set and binding of the storage buffer.
    pub bound: (Set, Binding),
    /// The stored outputs, one after the other, in 32-bit words.
    pub leaves: Vec<Leaf>,
}

impl Recorder {
    /// The number of words in a slot: the outputs and a [mark](DONE).
    pub(crate) fn stride(&self) -> u32 {
        stride(&self.leaves)
    }

    /// Returns the outputs of the placement's vertices from the buffer; `None` if an invocation did not finish.
    pub(crate) fn outputs(
        &self,
        placement: Placement,
        grid: Grid,
        written: &[u32],
    ) -> Option<Vec<u32>> {
        let stride = self.stride() as usize;
        let (vertices, instances) = placement.ranges();
        let mut words = Vec::new();
        let slots = instances
            .flat_map(|instance| vertices.clone().map(move |vertex| grid.slot(vertex, instance)));
        for slot in slots {
            let written = &written[slot as usize * stride..][..stride];
            let (done, outputs) = written.split_last().expect("every record ends with a mark");
            if *done != DONE {
                return None;
            }
            words.extend_from_slice(outputs);
        }
        Some(words)
    }

    /// Binds a range of a buffer as the recorder's buffer.
    pub(crate) fn bind(&self, range: polyshade_vulkan::Range, draw: &mut Draw<'_>) {
        let (set, binding) = self.bound;
        draw.descriptors.push(Descriptor::new(set.0, binding.0, Resource::StorageBuffer(range)));
    }
}

/// The mark that a finished invocation stores after its outputs, because some drivers abort invocations with long
/// loops. For a vertex that a geometry stage emits, the number of the strip is added to the mark.
pub(crate) const DONE: u32 = 0x5afe_c0de;

fn stride(leaves: &[Leaf]) -> u32 {
    leaves.iter().map(Leaf::words).sum::<u32>() + 1
}

/// Makes a recorder of `job`'s vertex stage, or returns why that is impossible.
pub(crate) fn record(module: &Module<'_>, job: &Job<'_>, grid: Grid) -> Result<Recorder, String> {
    recorder(module, job, ExecutionModel::VERTEX, |m, p, entry, record, at| {
        // Vulkan requires a `PointSize` in draws of points.
        if !record.leaves.iter().any(|leaf| leaf.builtin == Some(BuiltIn::POINT_SIZE)) {
            add_point_size(p, entry);
        }
        let slot = slot(m, p, entry, grid, at);
        let done = p.uint_constant(DONE);
        store(p, record, (slot, done), None, at);
        Ok(())
    })
}

/// The outputs to record, and the buffer.
struct Record<'r> {
    leaves: &'r [Leaf],
    buffer: HostBlock,
}

/// Makes a recorder of an isolated entry point of `module`. `write` adds the stores, at the end of the entry point or
/// earlier.
fn recorder(
    module: &Module<'_>,
    job: &Job<'_>,
    model: ExecutionModel,
    write: impl for<'m> FnOnce(
        &'m Module<'_>,
        &mut Patch<'m, '_>,
        EntryPoint<'m>,
        &Record<'_>,
        Position<'m>,
    ) -> Result<(), Error>,
) -> Result<Recorder, String> {
    let (name, text) = (job.entry, |error: Error| error.to_string());
    let isolated = rewrite::isolate(module, name, model).map_err(text)?;
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
        let array = rewrite::word_array(m, p);
        let buffer = rewrite::storage_buffer(m, p, entry, array, bound, "verify_record")?;
        let end = rewrite::wrap(m, p, entry).epilogue;
        write(m, p, entry, &Record { leaves: &leaves, buffer }, end)
    });
    let words = rewritten.map_err(text)?.module.into_words();
    Ok(Recorder { words, bound, leaves })
}

/// Returns a binding of set 0 that no variable of the module uses.
pub(crate) fn free_binding(m: &Module<'_>) -> (Set, Binding) {
    let places = m.variables().filter_map(|variable| inputs::place(m, variable.result()));
    let last = places.map(|(_, binding)| binding).max();
    (Set(0), Binding(last.map_or(0, |last| last.saturating_add(1))))
}

/// Emits code that computes the invocation's slot in the grid.
///
/// ```text
/// %row    = OpUMod %uint %instance_index %instances
/// %column = OpUMod %uint %vertex_index %vertices
/// %before = OpIMul %uint %row %vertices
/// %slot   = OpIAdd %uint %before %column
/// ```
fn slot<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    grid: Grid,
    at: Position<'m>,
) -> Id {
    let uint = p.uint();
    let mut index = |builtin| rewrite::load_integer_builtin(m, p, entry, (builtin, uint), at);
    let vertex = index(BuiltIn::VERTEX_INDEX);
    let instance = index(BuiltIn::INSTANCE_INDEX);
    let [vertices, instances] = [grid.vertices, grid.instances].map(|count| p.uint_constant(count));
    let mut code = p.at(at);
    let row = code.binary(Op::U_MOD, uint, instance, instances);
    let column = code.binary(Op::U_MOD, uint, vertex, vertices);
    let before = code.binary(Op::I_MUL, uint, row, vertices);
    code.binary(Op::I_ADD, uint, before, column)
}

/// Emits a load of a variable of an integer type, as an unsigned integer.
fn load_index<'m>(p: &mut Patch<'m, '_>, (variable, ty): (Id, Id), at: Position<'m>) -> Id {
    let uint = p.uint();
    let mut code = p.at(at);
    let value = code.load(ty, variable);
    if ty == uint { value } else { code.bitcast(uint, value) }
}

/// Emits stores of all outputs, then of a mark, to `slot`. In a control stage, `vertex` is the index of the stored
/// element of each per-vertex output.
fn store<'m>(
    p: &mut Patch<'m, '_>,
    record: &Record<'_>,
    (slot, mark): (Id, Id),
    vertex: Option<Id>,
    at: Position<'m>,
) {
    let uint = p.uint();
    let stride = p.uint_constant(stride(record.leaves));
    let mut code = p.at(at);
    let base = code.binary(Op::I_MUL, uint, slot, stride);
    let mut words = Vec::new();
    for leaf in record.leaves.iter().filter(|leaf| leaf.words() > 0) {
        words.extend(load(&mut code, leaf, vertex.filter(|_| control::is_per_vertex(leaf))));
    }
    for (number, word) in (0..).zip(words.into_iter().chain([mark])) {
        let offset = code.p.uint_constant(number);
        let index = code.binary(Op::I_ADD, uint, base, offset);
        let pointer = record.buffer.pointer(&mut code, index);
        code.store(pointer, word);
    }
}

/// Emits a pointer to `leaf`, in the element for `vertex` if there is one.
pub(crate) fn output(code: &mut Cursor<'_, '_, '_>, leaf: &Leaf, vertex: Option<Id>) -> Id {
    let pointer = code.p.pointer(StorageClass::OUTPUT, leaf.ty);
    let indices = leaf.path.iter().map(|index| code.p.uint_constant(*index));
    let mut path: Vec<Id> = indices.collect();
    if let Some(vertex) = vertex {
        path[0] = vertex;
    }
    code.access_chain(pointer, leaf.variable, &path)
}

/// Emits a load of `leaf`, in the element for `vertex` if there is one, and returns its words.
fn load(code: &mut Cursor<'_, '_, '_>, leaf: &Leaf, vertex: Option<Id>) -> Vec<Id> {
    let uint = code.p.uint();
    let pointer = output(code, leaf, vertex);
    let value = code.load(leaf.ty, pointer);
    let component = match (leaf.kind, leaf.bits) {
        (ScalarKind::Float, bits) => code.p.declare(Op::TYPE_FLOAT, &[bits]),
        (kind, bits) => code.p.declare(Op::TYPE_INT, &[bits, u32::from(kind == ScalarKind::Int)]),
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
