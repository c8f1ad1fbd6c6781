//! Finds the number of an invocation, and in a compute stage loads the vertices of its primitive.

use super::table::segments_hooks;
use super::{Input, Stage};
use crate::library;
use crate::rewrite::{self, Hook};
use crate::transform_feedback::draw_constraints::DrawParam;
use crate::transform_feedback::emit::feedback::Feedback;
use crate::transform_feedback::emit::{compute, fill_builtin, spill_outputs};
use crate::transform_feedback::geometry::Behind;
use polyshade_spv::{BuiltIn, Decoration, Error, GlslOp, Id, Op, Patch, Position, StorageClass};

/// The primitive of an invocation.
struct Primitive {
    /// The number of the invocation over all instances.
    number: Id,
    instance: Id,
    /// The number of the primitive in its instance.
    primitive: Id,
    /// The number of the invocation for this primitive.
    invocation: Id,
}

impl<'m, 'w> Stage<'_, 'm, 'w> {
    /// Emits, at `at`, the number of an invocation of a compute stage and the stores of all inputs.
    pub(super) fn assemble(
        &self,
        p: &mut Patch<'m, 'w>,
        feedback: &Feedback<'_>,
        at: Position<'m>,
    ) -> Result<Id, Error> {
        let primitive = self.primitive(p, feedback, at);
        self.load_inputs(p, (feedback, &primitive), at)?;
        Ok(primitive.number)
    }

    /// Emits, at `at`, the number of an invocation of a geometry stage. Invocations are ordered by instance, then by
    /// primitive.
    pub(super) fn drawn_invocation(
        &self,
        p: &mut Patch<'m, 'w>,
        feedback: &Feedback<'_>,
        at: Position<'m>,
    ) -> Result<Id, Error> {
        let (m, plan, uint) = (self.m, &self.prepared.plan, p.uint());
        let builtin = |p: &mut Patch<'m, 'w>, builtin| {
            rewrite::load_integer_builtin(m, p, self.entry, (builtin, uint), at)
        };
        let mut number = builtin(p, BuiltIn::PRIMITIVE_ID);
        if let Some(location) = plan.instance {
            let inputs = p.array(uint, plan.emitted.input.vertices());
            let place = (StorageClass::INPUT, location);
            let input = rewrite::add_at(p, self.entry, place, inputs, "polyshade_instance");
            let open = feedback.bound.added.open(&mut p.at(at));
            let mut code = p.at(at);
            let pointer = code.p.pointer(StorageClass::INPUT, uint);
            let of_first = code.p.uint_constant(0);
            let pointer = code.access_chain(pointer, input, &[of_first]);
            let index = code.load(uint, pointer);
            let first = feedback.word(&mut code, open, DrawParam::FirstInstance);
            let instance = code.binary(Op::I_SUB, uint, index, first);
            let each = feedback.word(&mut code, open, DrawParam::PrimitiveCount);
            let before = code.binary(Op::I_MUL, uint, instance, each);
            number = code.binary(Op::I_ADD, uint, before, number);
        }
        if plan.emitted.invocations != 1 {
            let invocation = builtin(p, BuiltIn::INVOCATION_ID);
            let mut code = p.at(at);
            let each = code.p.uint_constant(plan.emitted.invocations);
            let before = code.binary(Op::I_MUL, uint, number, each);
            number = code.binary(Op::I_ADD, uint, before, invocation);
        }
        Ok(number)
    }

    /// Emits, at `at`, the numbers of invocations of an instance and of the draw.
    pub(super) fn invocations(
        &self,
        p: &mut Patch<'m, 'w>,
        feedback: &Feedback<'_>,
        at: Position<'m>,
    ) -> (Id, Id) {
        let open = feedback.bound.added.open(&mut p.at(at));
        let uint = p.uint();
        let mut here = match self.prepared.plan.layout.is_dispatched() {
            false => feedback.word(&mut p.at(at), open, DrawParam::PrimitiveCount),
            true => {
                let (name, hooks) = match feedback.bound.segments {
                    None => ("primitives_of", Vec::new()),
                    Some(source) => ("primitives_of_segments", segments_hooks(p, feedback, source)),
                };
                let primitives_of = rewrite::link(p, &library::GEOMETRY, &[name], &hooks)[0];
                let mut code = p.at(at);
                let topology = feedback.topology(&mut code, open);
                let count = feedback.word(&mut code, open, DrawParam::VertexCount);
                code.call(uint, primitives_of, &[topology, count])
            }
        };
        let mut code = p.at(at);
        let each = self.prepared.plan.emitted.invocations;
        if each != 1 {
            let each = code.p.uint_constant(each);
            here = code.binary(Op::I_MUL, uint, here, each);
        }
        if feedback.draws.one_instance {
            return (here, here);
        }
        let instances = feedback.word(&mut code, open, DrawParam::InstanceCount);
        (here, code.binary(Op::I_MUL, uint, here, instances))
    }

    /// Emits, at `at`, the numbers of the invocation, and a return for invocations without a primitive. Invocations
    /// are ordered by instance, then by primitive.
    fn primitive(
        &self,
        p: &mut Patch<'m, 'w>,
        feedback: &Feedback<'_>,
        at: Position<'m>,
    ) -> Primitive {
        let number = compute::number(p, self.entry, at);
        let (of_instance, all) = self.invocations(p, feedback, at);
        compute::return_from(p, at, number, all);
        let mut code = p.at(at);
        let uint = code.p.uint();
        // Avoid division by 0, although invocations without a primitive have returned.
        let one = code.p.uint_constant(1);
        let divisor = code.glsl(GlslOp::U_MAX, uint, &[of_instance, one]);
        let instance = code.binary(Op::U_DIV, uint, number, divisor);
        let inside = code.binary(Op::U_MOD, uint, number, divisor);
        let each = code.p.uint_constant(self.prepared.plan.emitted.invocations.max(1));
        let primitive = code.binary(Op::U_DIV, uint, inside, each);
        let invocation = code.binary(Op::U_MOD, uint, inside, each);
        Primitive { number, instance, primitive, invocation }
    }

    /// Emits, at `at`, the stores of all inputs.
    fn load_inputs(
        &self,
        p: &mut Patch<'m, 'w>,
        (feedback, primitive): (&Feedback<'_>, &Primitive),
        at: Position<'m>,
    ) -> Result<(), Error> {
        let load = self.load_vertex(p)?;
        let mut hooks = Vec::new();
        if feedback.bound.words.contains(&DrawParam::Flags) {
            hooks.push(Hook { name: "provoking_last", function: feedback.provoking_last(p) });
        }
        let name = match feedback.bound.segments {
            None => "vertex_of",
            Some(source) => {
                hooks.extend(segments_hooks(p, feedback, source));
                "vertex_of_segments"
            }
        };
        let vertex_of = rewrite::link(p, &library::GEOMETRY, &[name], &hooks)[0];
        let open = feedback.bound.added.open(&mut p.at(at));
        let mut code = p.at(at);
        let (uint, void) = (code.p.uint(), code.p.void());
        for input in &self.prepared.plan.inputs {
            let Input::BuiltIn { variable, ty, builtin } = *input else { continue };
            let value = match builtin {
                BuiltIn::INVOCATION_ID => primitive.invocation,
                _ => primitive.primitive,
            };
            fill_builtin(&mut code, (variable, ty), value);
        }
        let topology = feedback.topology(&mut code, open);
        let count = feedback.word(&mut code, open, DrawParam::VertexCount);
        let first = code.binary(Op::I_MUL, uint, primitive.instance, count);
        for corner in 0..self.prepared.plan.emitted.input.vertices() {
            let corner = code.p.uint_constant(corner);
            let numbers = [topology, primitive.primitive, corner, count];
            let vertex = code.call(uint, vertex_of, &numbers);
            let vertex = code.binary(Op::I_ADD, uint, first, vertex);
            code.call(void, load, &[corner, vertex]);
        }
        Ok(())
    }

    /// Links `void load_in_buffer(uint corner, uint vertex)`, which loads the outputs of a vertex of the stage before.
    /// Vertices beyond the buffer are not loaded.
    fn load_vertex(&self, p: &mut Patch<'m, 'w>) -> Result<Id, Error> {
        let plan = &self.prepared.plan;
        let block = self.buffer(p, Behind::Inputs, "polyshade_inputs")?;
        p.decorate(block.variable, Decoration::NON_WRITABLE, &[]);
        let (uint, void) = (p.uint(), p.void());
        let id =
            rewrite::define_function(p, "load_vertex", (void, &[uint; 2]), |code, parameters| {
                let stride = code.p.uint_constant(plan.inputs_stride / 4);
                let start = code.binary(Op::I_MUL, uint, parameters[1], stride);
                for input in &plan.inputs {
                    let Input::OfVertex { leaf, word } = input else { continue };
                    let place = (start, *word);
                    spill_outputs::load_input(code, block, leaf, place, Some(parameters[0]));
                }
                None
            });
        Ok(spill_outputs::load_in_buffer(p, id, (block, plan.inputs_stride / 4)))
    }
}
