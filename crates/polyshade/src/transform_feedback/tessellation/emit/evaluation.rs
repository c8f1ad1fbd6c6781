//! Makes the vertex stage that runs an evaluation shader.

use super::{Source, Stage, load, place, procedure};
use crate::host::Reserved;
use crate::library;
use crate::rewrite::{self, Wrapper};
use crate::transform_feedback::emit::{fill_builtin, spill_outputs, write_point_size};
use crate::transform_feedback::geometry::table_hooks;
use crate::transform_feedback::patches::{Domain, PER_INSTANCE, POINT};
use crate::transform_feedback::tessellation::interface::Computed;
use crate::transform_feedback::tessellation::{Buffer, Plan};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Cursor, Error, ExecutionModel, GlslOp, Id, Module, Op, Patch, Position, StorageClass,
};

/// The private variables with a point: the first two coordinates, and the number of the patch.
type Point = [Id; 3];

/// Makes `Evaluation`.
pub(in super::super) fn evaluation<'m, 'w>(
    m: &'m Module<'w>,
    p: &mut Patch<'m, 'w>,
    entry: EntryPoint<'m>,
    context: (&Plan, &Reserved),
) -> Result<(), Error> {
    let Wrapper { prologue, .. } = rewrite::wrap(m, p, entry);
    let stage = Stage::new(m, p, entry, context);
    stage.demote_inputs(p)?;
    p.overwrite(entry.inst().operand(1), ExecutionModel::VERTEX.0);

    if stage.layout().modes.points {
        write_point_size(m, p, entry, prologue);
    }

    // Before the shader's code, the invocation loads its point and the patch.
    let point = stage.load_point(p, prologue)?;
    stage.load_patch(p, point, prologue)?;
    stage.fill_builtins(p, point, prologue)
}

impl<'m, 'w> Stage<'_, 'm, 'w> {
    /// Emits, at `at`, the load of the invocation's point. A point beyond the buffer is 0.
    fn load_point(&self, p: &mut Patch<'m, 'w>, at: Position<'m>) -> Result<Point, Error> {
        let (block, uint) = (self.buffer(p, Buffer::Points, true)?, p.uint());
        let zero = p.uint_constant(0);
        let point = [(); 3].map(|()| {
            let variable = p.variable(StorageClass::PRIVATE, uint, Some(zero));
            rewrite::add_to_interface(self.m, p, self.entry, variable);
            variable
        });
        let load = procedure(p, "load_point", 2, |code, parameters| {
            let start = place(code, parameters[1], POINT, zero);
            for (number, variable) in (0..).zip(point) {
                let number = code.p.uint_constant(number);
                let index = code.binary(Op::I_ADD, uint, start, number);
                let pointer = block.pointer(code, index);
                let word = code.load(uint, pointer);
                code.store(variable, word);
            }
        });
        let load = spill_outputs::load_in_buffer(p, load, (block, POINT / 4));
        let builtin = (BuiltIn::VERTEX_INDEX, uint);
        let number = rewrite::load_integer_builtin(self.m, p, self.entry, builtin, at);
        let mut code = p.at(at);
        let void = code.p.void();
        code.call(void, load, &[zero, number]);
        Ok(point)
    }

    /// Emits, at `at`, the loads of the inputs of the patch and its vertices. A patch beyond the buffer is not loaded.
    fn load_patch(
        &self,
        p: &mut Patch<'m, 'w>,
        point: Point,
        at: Position<'m>,
    ) -> Result<(), Error> {
        let (inputs, layout) = (&self.plan.inputs, self.layout());
        let (block, stride) = (self.buffer(p, Buffer::Patches, true)?, layout.stride());
        let load_patch = procedure(p, "load_patch", 2, |code, parameters| {
            let zero = code.p.uint_constant(0);
            let start = place(code, parameters[1], stride, zero);
            load(code, &inputs.of_patch, Source { block, start }, None);
        });
        let load_vertex = procedure(p, "load_vertex", 2, |code, parameters| {
            let before = code.p.uint_constant(layout.patch_bytes / 4);
            let start = place(code, parameters[1], stride, before);
            let start = place(code, parameters[0], layout.vertex_bytes, start);
            load(code, &inputs.of_vertex, Source { block, start }, Some(parameters[0]));
        });
        let [load_patch, load_vertex] = [load_patch, load_vertex]
            .map(|load| spill_outputs::load_in_buffer(p, load, (block, stride / 4)));
        let mut code = p.at(at);
        let (uint, void, zero) = (code.p.uint(), code.p.void(), code.p.uint_constant(0));
        let patch = code.load(uint, point[2]);
        code.call(void, load_patch, &[zero, patch]);
        for corner in 0..layout.vertices.min(inputs.vertices) {
            let corner = code.p.uint_constant(corner);
            code.call(void, load_vertex, &[corner, patch]);
        }
        Ok(())
    }

    /// Emits, at `at`, the built-in inputs that are computed.
    fn fill_builtins(
        &self,
        p: &mut Patch<'m, 'w>,
        point: Point,
        at: Position<'m>,
    ) -> Result<(), Error> {
        let table = match self.plan.inputs.has_primitive() {
            true => {
                let block = self.buffer(p, Buffer::Table, true)?;
                let hooks = table_hooks(p, block);
                Some(rewrite::link(p, &library::GEOMETRY, &["table"], &hooks)[0])
            }
            false => None,
        };
        let mut code = p.at(at);
        for input in &self.plan.inputs.computed {
            match (input.builtin, table) {
                (BuiltIn::TESS_COORD, _) => self.fill_coordinates(&mut code, point, input),
                (BuiltIn::PRIMITIVE_ID, Some(table)) => {
                    let value = primitive(&mut code, point, table);
                    fill_builtin(&mut code, (input.variable, input.ty), value);
                }
                _ => {
                    let vertices = code.p.uint_constant(self.layout().vertices);
                    fill_builtin(&mut code, (input.variable, input.ty), vertices);
                }
            }
        }
        Ok(())
    }

    /// Emits the coordinates of the point. In triangles, the sum of the three is 1.
    fn fill_coordinates(&self, code: &mut Cursor<'_, '_, '_>, point: Point, input: &Computed) {
        let (uint, float) = (code.p.uint(), code.p.float());
        let [u, v] = [0, 1].map(|number| {
            let bits = code.load(uint, point[number]);
            code.bitcast(float, bits)
        });
        let w = match self.layout().modes.domain {
            Some(Domain::Triangles) => {
                let one = code.p.float_constant(1.0);
                let rest = code.binary(Op::F_SUB, float, one, u);
                code.binary(Op::F_SUB, float, rest, v)
            }
            _ => code.p.float_constant(0.0),
        };
        let value = code.construct(input.ty, &[u, v, w]);
        code.store(input.variable, value);
    }
}

/// Emits the number of the patch in its instance.
fn primitive(code: &mut Cursor<'_, '_, '_>, point: Point, table: Id) -> Id {
    let uint = code.p.uint();
    let [place, one] = [PER_INSTANCE, 1].map(|number| code.p.uint_constant(number));
    let patch = code.load(uint, point[2]);
    let each = code.call(uint, table, &[place]);
    let each = code.glsl(GlslOp::U_MAX, uint, &[each, one]);
    code.binary(Op::U_MOD, uint, patch, each)
}
