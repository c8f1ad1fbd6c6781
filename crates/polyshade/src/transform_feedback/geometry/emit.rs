//! Converts a geometry stage to compute stages, and its spilled outputs to a vertex stage.
//!
//! For each vertex stream, private variables hold the number of vertices in the current strip, and the number of
//! primitives before the strip. A call to a function replaces each instruction that emits a vertex or ends a strip.

mod raster;
mod stream;
mod table;

use super::{Behind, Input, Prepared};
use crate::host::SideEffects;
use crate::library;
use crate::rewrite::{self, Copies, Hook, HostBlock, WordArray};
use crate::source::Source;
use crate::transform_feedback::draw_constraints::DrawParam;
use crate::transform_feedback::effects::Pass;
use crate::transform_feedback::emit::feedback::{Buffer, Feedback, function};
use crate::transform_feedback::emit::spill_outputs::{self, Spilled};
use crate::transform_feedback::emit::{Bound, compute, drop_capabilities, feedback_buffers};
use crate::transform_feedback::{Topology, native_xfb};
use foldhash::HashSet;
use polyshade_spv::view::{CapabilityInst, EntryPoint};
use polyshade_spv::{
    BuiltIn, Capability, Decoration, Error, ExecutionMode, ExecutionModel, GlslOp, Id, Module, Op,
    Patch, Position, Section, StorageClass,
};
pub(super) use raster::raster;
use stream::{Sink, Stream};
use table::{segments_hooks, table_hooks, wait_for_table};

/// The number of words at the start of the table of counts: a `VkDrawIndirectCommand`, then the totals.
const TABLE_HEAD: u32 = 8;

/// The execution modes of geometry stages.
const MODES: [ExecutionMode; 10] = [
    ExecutionMode::INPUT_POINTS,
    ExecutionMode::INPUT_LINES,
    ExecutionMode::INPUT_LINES_ADJACENCY,
    ExecutionMode::TRIANGLES,
    ExecutionMode::INPUT_TRIANGLES_ADJACENCY,
    ExecutionMode::INVOCATIONS,
    ExecutionMode::OUTPUT_VERTICES,
    ExecutionMode::OUTPUT_POINTS,
    ExecutionMode::OUTPUT_LINE_STRIP,
    ExecutionMode::OUTPUT_TRIANGLE_STRIP,
];

/// The capabilities that only geometry stages need.
const CAPABILITIES: [Capability; 3] =
    [Capability::GEOMETRY, Capability::GEOMETRY_POINT_SIZE, Capability::GEOMETRY_STREAMS];

/// A stage under construction.
struct Stage<'s, 'm, 'w> {
    m: &'m Module<'w>,
    entry: EntryPoint<'m>,
    prepared: &'s Prepared<'s>,
    array: WordArray,
}

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

/// Makes `Count` or `Capture`.
pub(super) fn geometry<'m, 'w>(
    m: &'m Module<'w>,
    p: &mut Patch<'m, 'w>,
    entry: EntryPoint<'m>,
    prepared: &Prepared<'_>,
    captures: bool,
) -> Result<(), Error> {
    let plan = &prepared.plan;
    // The shader runs in both dispatches, but only the second one has its side effects.
    let (kept, pass) = match (prepared.side_effects, captures) {
        (SideEffects::Refuse, _) => (SideEffects::Refuse, Pass::Capture),
        (kept, true) => (kept, Pass::Capture),
        (_, false) => (SideEffects::InFirstPass, Pass::Raster),
    };
    plan.effects.settle(m, p, kept, pass)?;
    // Both dispatches must take the same branches, so a driver must not contract arithmetic in one of them only.
    plan.effects.forbid_contraction(m, p);

    // Inputs and outputs move to the `Private` storage class.
    let wrapper = rewrite::wrap(m, p, entry);
    let stage = Stage::new(m, p, entry, prepared)?;

    // The invocation finds its primitive, and loads the primitive's vertices.
    let bound = stage.bound(p, captures)?;
    let feedback = stage.feedback(&bound);
    let at = wrapper.prologue;
    let primitive = stage.primitive(p, &feedback, at);
    stage.load_inputs(p, (&feedback, &primitive), at)?;

    // It stores or counts the primitives that the shader emits.
    let counts = stage.buffer(p, Behind::Counts, "polyshade_counts")?;
    let hooks = table_hooks(p, counts);
    let [get, put] = rewrite::link(p, &library::GEOMETRY, &["table", "put_table"], &hooks)[..]
    else {
        unreachable!("two functions are linked")
    };
    let (uint, void) = (p.uint(), p.void());
    let of_streams = p.uint_constant(plan.emitted.streams.len() as u32);
    for (index, number) in (0..).zip(&plan.emitted.streams) {
        let mut code = p.at(at);
        let first = code.binary(Op::I_MUL, uint, primitive.number, of_streams);
        let offset = code.p.uint_constant(TABLE_HEAD + index);
        let word = code.binary(Op::I_ADD, uint, first, offset);
        let mut stream = Stream::new(p);
        if captures {
            let mut code = p.at(at);
            let begin = code.call(uint, get, &[word]);
            code.store(stream.primitives, begin);
            let next = code.binary(Op::I_ADD, uint, word, of_streams);
            let end = code.call(uint, get, &[next]);
            stream.sinks = stage.sinks(p, &feedback, (*number, end), at)?;
        }
        stage.replace_exports(p, *number, &stream);
        for variable in stream.variables() {
            rewrite::add_to_interface(m, p, entry, variable);
        }
        if !captures {
            let mut code = p.at(wrapper.epilogue);
            let count = stream.finished(&mut code, stage.strips());
            code.call(void, put, &[word, count]);
        }
    }
    Ok(())
}

/// Makes `Sum`.
pub(super) fn sum_counts<'m, 'w>(
    m: &'m Module<'w>,
    p: &mut Patch<'m, 'w>,
    entry: EntryPoint<'m>,
    prepared: &Prepared<'_>,
) -> Result<(), Error> {
    let plan = &prepared.plan;
    let at = rewrite::replace_body(m, p, entry);
    let stage = Stage::new(m, p, entry, prepared)?;
    let counts = stage.buffer(p, Behind::Counts, "polyshade_counts")?;
    let bound = stage.bound(p, false)?;
    let local = compute::local_number(p, entry, at);
    let (_, all) = stage.invocations(p, &stage.feedback(&bound), at);

    let mut hooks = table_hooks(p, counts);
    hooks.push(Hook { name: "wait_for_table", function: wait_for_table(p) });
    let sum = rewrite::link(p, &library::GEOMETRY, &["sum_counts"], &hooks)[0];
    let streams = &plan.emitted.streams;
    let numbers = (0..).zip(streams).map(|(at, stream)| stream << (8 * at)).sum::<u32>();
    let vertices = plan.topology().vertices_per_primitive();
    let outputs = match plan.layout.draws.spill_outputs {
        true => Some(stage.buffer(p, Behind::Outputs, "polyshade_outputs")?),
        false => None,
    };
    let mut code = p.at(at);
    let (uint, void) = (code.p.uint(), code.p.void());
    let most = match outputs {
        Some(outputs) => {
            let each = code.p.uint_constant(plan.layout.outputs_stride() / 4 * vertices);
            let length = outputs.length(&mut code).expect("outputs are in a storage buffer");
            code.binary(Op::U_DIV, uint, length, each)
        }
        None => code.p.uint_constant(u32::MAX / vertices),
    };
    let [streams, numbers, vertices] =
        [streams.len() as u32, numbers, vertices].map(|number| code.p.uint_constant(number));
    code.call(void, sum, &[local, all, streams, numbers, vertices, most]);
    Ok(())
}

impl<'s, 'm, 'w> Stage<'s, 'm, 'w> {
    /// Changes the stage to a compute stage without inputs and outputs.
    fn new(
        m: &'m Module<'w>,
        p: &mut Patch<'m, 'w>,
        entry: EntryPoint<'m>,
        prepared: &'s Prepared<'s>,
    ) -> Result<Self, Error> {
        let taken = rewrite::interface(m, entry, StorageClass::OUTPUT);
        let stage = Self::without(m, p, (entry, prepared), taken)?;
        compute::change_stage(p, entry);
        Ok(stage)
    }

    /// Demotes all inputs and the outputs `taken` to private variables, and removes the modes and capabilities of
    /// geometry stages.
    fn without(
        m: &'m Module<'w>,
        p: &mut Patch<'m, 'w>,
        (entry, prepared): (EntryPoint<'m>, &'s Prepared<'s>),
        mut taken: Vec<Id>,
    ) -> Result<Self, Error> {
        native_xfb::strip_around(m, p, entry, &taken);
        let mut seen: HashSet<Id> = taken.iter().copied().collect();
        let inputs = prepared.plan.inputs.iter().map(Input::variable);
        taken.extend(inputs.filter(|variable| seen.insert(*variable)));
        drop_capabilities(m, p, &taken, true);
        rewrite::demote_to_private(m, p, entry, &taken, Copies::None)?;
        for mode in m.modes(entry.function()).filter(|mode| MODES.contains(&mode.mode())) {
            p.remove(mode.inst());
        }
        let stages = m.entry_points().filter(|one| one.model() == ExecutionModel::GEOMETRY);
        if stages.count() == 1 {
            let declared = m.section(Section::Capabilities).filter_map(CapabilityInst::of);
            for inst in declared.filter(|inst| CAPABILITIES.contains(&inst.capability())) {
                p.remove(inst.inst());
            }
            p.capability(Capability::SHADER);
        }
        Ok(Self { m, entry, prepared, array: rewrite::word_array(m, p) })
    }

    fn strips(&self) -> Topology {
        self.prepared.plan.emitted.strips
    }

    /// Adds a buffer that follows the feedback buffers.
    fn buffer(&self, p: &mut Patch<'m, 'w>, which: Behind, name: &str) -> Result<HostBlock, Error> {
        let plan = &self.prepared.plan;
        self.bind(p, plan.behind(which), name)
    }

    fn bind(&self, p: &mut Patch<'m, 'w>, number: u32, name: &str) -> Result<HostBlock, Error> {
        let place = self.prepared.plan.placement.buffer(number).expect("the buffers are bound");
        rewrite::storage_buffer(self.m, p, self.entry, self.array, place, name)
    }

    /// Adds the host parameters, and the feedback buffers if the variant captures.
    fn bound(&self, p: &mut Patch<'m, 'w>, captures: bool) -> Result<Bound<'s>, Error> {
        let plan = &self.prepared.plan;
        let stores = if captures { &plan.stores[..] } else { &[] };
        let buffers = feedback_buffers(&plan.layout, stores, |number, name| {
            self.bind(p, number, name).map(Some)
        })?;
        let reserved = self.prepared.frame.target().reservations();
        let named = (&plan.words, "polyshade_host");
        let added = rewrite::add_words(self.m, p, self.entry, reserved, named, Some(self.array))?;
        let words = plan.host_params.as_slice();
        let segments = match plan.layout.draws.restart() {
            true => {
                let block = self.buffer(p, Behind::Segments, "polyshade_segments")?;
                p.decorate(block.variable, Decoration::NON_WRITABLE, &[]);
                Some(Source::Bound(block))
            }
            false => None,
        };
        Ok(Bound { array: Some(self.array), buffers, indices: None, segments, words, added })
    }

    fn feedback<'f>(&self, bound: &'f Bound<'s>) -> Feedback<'f>
    where
        's: 'f,
    {
        let draws = &self.prepared.plan.layout.draws;
        Feedback { bound, draws, class: StorageClass::PRIVATE }
    }

    /// Emits, at `at`, the numbers of invocations of an instance and of the draw.
    fn invocations(
        &self,
        p: &mut Patch<'m, 'w>,
        feedback: &Feedback<'_>,
        at: Position<'m>,
    ) -> (Id, Id) {
        let (name, hooks) = match feedback.bound.segments {
            None => ("primitives_of", Vec::new()),
            Some(source) => ("primitives_of_segments", segments_hooks(p, feedback, source)),
        };
        let primitives_of = rewrite::link(p, &library::GEOMETRY, &[name], &hooks)[0];
        let open = feedback.bound.added.open(&mut p.at(at));
        let mut code = p.at(at);
        let uint = code.p.uint();
        let topology = feedback.topology(&mut code, open);
        let count = feedback.word(&mut code, open, DrawParam::VertexCount);
        let mut here = code.call(uint, primitives_of, &[topology, count]);
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
            let value = if ty == uint { value } else { code.bitcast(ty, value) };
            code.store(variable, value);
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
        let (id, at, uint, void) = (p.id(), p.slot(), p.uint(), p.void());
        p.name(id, "load_vertex");
        let mut code = p.at(at);
        let parameters = code.begin_function(id, void, &[uint, uint]);
        let stride = code.p.uint_constant(plan.inputs_stride / 4);
        let start = code.binary(Op::I_MUL, uint, parameters[1], stride);
        for input in &plan.inputs {
            let Input::OfVertex { leaf, word } = input else { continue };
            let value = spill_outputs::value(&mut code, block, leaf, (start, *word));
            let path = leaf.part.path.iter().map(|index| code.p.uint_constant(*index));
            let path: Vec<Id> = std::iter::once(parameters[0]).chain(path).collect();
            let pointer = code.p.pointer(StorageClass::PRIVATE, leaf.part.ty);
            let pointer = code.access_chain(pointer, leaf.part.variable, &path);
            code.store(pointer, value);
        }
        code.end_function(None);
        let vertices = function(p, "vertices_in_buffer", uint, |code| {
            let length = block.length(code).expect("the inputs are in a storage buffer");
            let stride = code.p.uint_constant((plan.inputs_stride / 4).max(1));
            code.binary(Op::U_DIV, uint, length, stride)
        });
        let hooks = [("load_vertex", id), ("vertices_in_buffer", vertices)];
        let hooks = hooks.map(|(name, function)| Hook { name, function });
        Ok(rewrite::link(p, &library::GEOMETRY, &["load_in_buffer"], &hooks)[0])
    }

    /// Adds the destinations for vertices of stream `number`. `end` is the first primitive of the next invocation.
    fn sinks(
        &self,
        p: &mut Patch<'m, 'w>,
        feedback: &Feedback<'s>,
        (number, end): (u32, Id),
        at: Position<'m>,
    ) -> Result<Vec<Sink>, Error> {
        let (plan, uint) = (&self.prepared.plan, p.uint());
        let vertices = plan.topology().vertices_per_primitive();
        let mut sinks = Vec::new();
        // The feedback buffers of the stream.
        let all = feedback.bound;
        let own = |buffer: &&Buffer<'s>| plan.layout.stream(buffer.number as usize) == number;
        let buffers: Vec<Buffer<'_>> = all.buffers.iter().filter(own).copied().collect();
        if !buffers.is_empty() {
            let added = all.added.clone();
            let bound = Bound { buffers, added, indices: None, segments: None, ..*all };
            let own = self.feedback(&bound);
            let fit = rewrite::link(p, &library::CAPTURE, &["fit"], &[])[0];
            let fits = own.primitives_that_fit(p, fit);
            let store = own.store_to_slot(p);
            let mut code = p.at(at);
            let vertices = code.p.uint_constant(vertices);
            let fits = code.call(uint, fits, &[vertices]);
            sinks.push(self.sink(p, feedback, (store, end, fits), at));
        }
        // The buffer for spilled outputs.
        if number == 0 && plan.layout.draws.spill_outputs {
            let block = self.buffer(p, Behind::Outputs, "polyshade_outputs")?;
            let stride = plan.layout.outputs_stride() / 4;
            let store =
                Spilled { block, stores: &plan.spilled, stride }.store_function(p, feedback);
            let mut code = p.at(at);
            let length = block.length(&mut code).expect("outputs are in a storage buffer");
            let each = code.p.uint_constant(stride * vertices);
            let fits = code.binary(Op::U_DIV, uint, length, each);
            sinks.push(self.sink(p, feedback, (store, end, fits), at));
        }
        Ok(sinks)
    }

    /// Adds a destination that `fits` primitives fit into. `store` stores to one of its slots.
    fn sink(
        &self,
        p: &mut Patch<'m, 'w>,
        feedback: &Feedback<'_>,
        (store, end, fits): (Id, Id, Id),
        at: Position<'m>,
    ) -> Sink {
        let mut hooks = vec![Hook { name: "store_to_slot", function: store }];
        let name = match self.strips() {
            Topology::PointList => "of_list",
            Topology::LineStrip => "of_line_strip",
            _ => {
                hooks.push(Hook { name: "provoking_last", function: feedback.provoking_last(p) });
                "of_triangle_strip"
            }
        };
        let store = rewrite::link(p, &library::CAPTURE, &[name], &hooks)[0];
        let uint = p.uint();
        let variable = p.variable(StorageClass::PRIVATE, uint, None);
        let mut code = p.at(at);
        let end = code.glsl(GlslOp::U_MIN, uint, &[end, fits]);
        code.store(variable, end);
        Sink { store, end: variable }
    }

    /// Replaces the instructions that emit a vertex to `stream` or end one of its strips.
    fn replace_exports(&self, p: &mut Patch<'m, 'w>, number: u32, stream: &Stream) {
        let (emit, cut) = (stream.emit(p, self.strips()), stream.cut(p, self.strips()));
        let void = p.void();
        let all = rewrite::emits_and_cuts(self.m, self.entry);
        for inst in all.filter(|inst| rewrite::vertex_stream(self.m, *inst) == Some(number)) {
            let replacing = if rewrite::is_emit(inst) { emit } else { cut };
            p.at(inst.before()).call(void, replacing, &[]);
            p.remove(inst);
        }
    }
}
