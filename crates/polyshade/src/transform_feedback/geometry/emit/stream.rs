//! The state of a vertex stream, and the functions that replace its instructions.

use crate::rewrite;
use crate::transform_feedback::Topology;
use polyshade_spv::{Cursor, GlslOp, Id, Op, Patch, StorageClass};

/// The state of a vertex stream, in private variables.
pub(super) struct Stream {
    /// The number of vertices in the current strip.
    pub(super) vertices: Id,
    /// The number of primitives before the current strip.
    pub(super) primitives: Id,
    /// The destinations of emitted vertices.
    pub(super) sinks: Vec<Sink>,
}

/// A destination of emitted vertices: the feedback buffers of a vertex stream, or the buffer for spilled outputs.
pub(super) struct Sink {
    /// The function of `capture.glsl` that stores a vertex to each of its slots.
    pub(super) store: Id,
    /// A variable with the first primitive that is not stored: it does not fit, or belongs to another invocation.
    pub(super) end: Id,
}

impl Stream {
    pub(super) fn new(p: &mut Patch<'_, '_>) -> Self {
        let uint = p.uint();
        let zero = p.uint_constant(0);
        let [vertices, primitives] =
            [(); 2].map(|()| p.variable(StorageClass::PRIVATE, uint, Some(zero)));
        p.name(vertices, "strip_vertices");
        p.name(primitives, "primitives_before");
        Self { vertices, primitives, sinks: Vec::new() }
    }

    /// Returns the variables.
    pub(super) fn variables(&self) -> impl Iterator<Item = Id> {
        let ends = self.sinks.iter().map(|sink| sink.end);
        [self.vertices, self.primitives].into_iter().chain(ends)
    }

    /// Emits the function that stores a vertex of a strip and counts it.
    pub(super) fn emit(&self, p: &mut Patch<'_, '_>, strips: Topology) -> Id {
        let (uint, void) = (p.uint(), p.void());
        rewrite::define_function(p, "emit_vertex", (void, &[]), |code, _| {
            let vertex = code.load(uint, self.vertices);
            let zero = code.p.uint_constant(0);
            let each = code.p.uint_constant(strips.vertices_per_primitive());
            for sink in &self.sinks {
                // The slots of the strip begin at its first primitive.
                let before = code.load(uint, self.primitives);
                let end = code.load(uint, sink.end);
                let fewer = code.glsl(GlslOp::U_MIN, uint, &[before, end]);
                let room = code.binary(Op::I_SUB, uint, end, fewer);
                let first = code.binary(Op::I_MUL, uint, before, each);
                let limit = code.binary(Op::I_MUL, uint, room, each);
                code.call(void, sink.store, &[first, limit, zero, vertex]);
            }
            let one = code.p.uint_constant(1);
            let next = code.binary(Op::I_ADD, uint, vertex, one);
            code.store(self.vertices, next);
            None
        })
    }

    /// Emits the function that ends a strip.
    pub(super) fn cut(&self, p: &mut Patch<'_, '_>, strips: Topology) -> Id {
        let void = p.void();
        rewrite::define_function(p, "end_primitive", (void, &[]), |code, _| {
            let primitives = self.finished(code, strips);
            code.store(self.primitives, primitives);
            let zero = code.p.uint_constant(0);
            code.store(self.vertices, zero);
            None
        })
    }

    /// Emits the number of complete primitives. It does not wrap around.
    pub(super) fn finished(&self, code: &mut Cursor<'_, '_, '_>, strips: Topology) -> Id {
        let uint = code.p.uint();
        let vertices = code.load(uint, self.vertices);
        let before = code.load(uint, self.primitives);
        // The first vertices of a strip complete no primitive.
        let first = code.p.uint_constant(strips.vertices_per_primitive() - 1);
        let fewer = code.glsl(GlslOp::U_MIN, uint, &[vertices, first]);
        let here = code.binary(Op::I_SUB, uint, vertices, fewer);
        let (bool, most) = (code.p.bool(), code.p.uint_constant(u32::MAX));
        let sum = code.binary(Op::I_ADD, uint, before, here);
        let wraps = code.binary(Op::U_LESS_THAN, bool, sum, before);
        code.select(uint, wraps, most, sum)
    }
}
