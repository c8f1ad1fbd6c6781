//! Makes the stages that count and store the primitives of a geometry stage, and the vertex stage that draws them.
//!
//! For each vertex stream, private variables hold the number of vertices in the current strip, and the number of
//! primitives before the strip. A call to a function replaces each instruction that emits a vertex or ends a strip.

mod assembly;
mod raster;
mod stream;
mod table;

use super::{Behind, Input, Prepared};
use crate::host::SideEffects;
use crate::library;
use crate::rewrite::{self, Copies, Hook, HostBlock, WordArray};
use crate::source::Source;
use crate::transform_feedback::effects::Pass;
use crate::transform_feedback::emit::feedback::{Buffer, Feedback};
use crate::transform_feedback::emit::spill_outputs::Spilled;
use crate::transform_feedback::emit::{Bound, compute, drop_capabilities, feedback_buffers};
use crate::transform_feedback::{Topology, native_xfb};
use foldhash::HashSet;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    Capability, Decoration, Error, ExecutionMode, ExecutionModel, GlslOp, Id, Module, Op, Patch,
    Position, StorageClass,
};
pub(super) use raster::raster;
use stream::{Sink, Stream};
use table::Places;
pub(in super::super) use table::{
    NON_PRIVATE, has_vulkan_memory_model, table_hooks, wait_for_table,
};

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
    /// The type of storage buffers; `None` if the buffers have addresses.
    array: Option<WordArray>,
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
    // The shader may run twice, but only the second run has its side effects.
    let (kept, pass) = match (prepared.side_effects, captures) {
        (SideEffects::Refuse, _) => (SideEffects::Refuse, Pass::Capture),
        (kept, true) => (kept, Pass::Capture),
        (_, false) => (SideEffects::InFirstPass, Pass::Raster),
    };
    plan.effects.settle(m, p, kept, pass)?;
    if plan.layout.needs_counts() {
        // Both runs must take the same branches, so a driver must not contract arithmetic in one of them only.
        plan.effects.forbid_contraction(m, p);
    }

    // Outputs move to the `Private` storage class, and the inputs of a compute stage do, too.
    let wrapper = rewrite::wrap(m, p, entry);
    let taken = rewrite::interface(m, entry, StorageClass::OUTPUT);
    let stage = Stage::without(m, p, (entry, prepared), taken, !plan.layout.is_dispatched())?;
    if plan.layout.is_dispatched() {
        compute::change_stage(p, entry);
    }

    // The invocation finds its number, and in a compute stage loads the vertices of its primitive.
    let bound = stage.bound(p, captures)?;
    let feedback = stage.feedback(&bound);
    let at = wrapper.prologue;
    let invocation = match plan.layout.is_dispatched() {
        true => stage.assemble(p, &feedback, at)?,
        false => stage.drawn_invocation(p, &feedback, at)?,
    };

    // It stores or counts the primitives that the shader emits.
    let places = stage.places(p, &feedback)?;
    for (index, number) in (0..).zip(&plan.emitted.streams) {
        let mut stream = Stream::new(p);
        if captures {
            let (begin, end) = places.range(&mut p.at(at), invocation, (index, *number));
            p.at(at).store(stream.primitives, begin);
            stream.sinks = stage.sinks(p, &feedback, (*number, end), at)?;
            let mut code = p.at(wrapper.epilogue);
            if matches!(places, Places::Sparse { .. }) {
                let end = stream.finished(&mut code, stage.strips());
                places.put_sparse(&mut code, (invocation, *number), (begin, end));
            }
        }
        stage.replace_exports(p, *number, &stream);
        for variable in stream.variables() {
            rewrite::add_to_interface(m, p, entry, variable);
        }
        if !captures {
            let mut code = p.at(wrapper.epilogue);
            let count = stream.finished(&mut code, stage.strips());
            places.put(&mut code, (invocation, index), count);
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
    let mut taken = rewrite::interface(m, entry, StorageClass::OUTPUT);
    taken.extend(rewrite::interface(m, entry, StorageClass::INPUT));
    let stage = Stage::without(m, p, (entry, prepared), taken, false)?;
    compute::change_stage(p, entry);
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
    /// Demotes the inputs that are filled and the variables `taken` to private variables. Unless the stage `stays` a
    /// geometry stage, removes the modes and capabilities of geometry stages.
    fn without(
        m: &'m Module<'w>,
        p: &mut Patch<'m, 'w>,
        (entry, prepared): (EntryPoint<'m>, &'s Prepared<'s>),
        mut taken: Vec<Id>,
        stays: bool,
    ) -> Result<Self, Error> {
        native_xfb::strip_around(m, p, entry, &taken);
        let mut seen: HashSet<Id> = taken.iter().copied().collect();
        let inputs = prepared.plan.inputs.iter().map(Input::variable);
        taken.extend(inputs.filter(|variable| seen.insert(*variable)));
        if !stays {
            drop_capabilities(m, p, &taken, true);
        }
        rewrite::demote_to_private(m, p, entry, &taken, Copies::None)?;
        // Only points need a size, and a stage that emits nothing may state any output primitive.
        let points = m.mode(entry.function(), ExecutionMode::OUTPUT_POINTS).filter(|_| stays);
        if points.is_some() {
            p.mode(entry.function(), ExecutionMode::OUTPUT_LINE_STRIP, &[]);
        }
        let modes = if stays { &[ExecutionMode::OUTPUT_POINTS][..] } else { &MODES };
        for mode in m.modes(entry.function()).filter(|mode| modes.contains(&mode.mode())) {
            p.remove(mode.inst());
        }
        let stages = m.entry_points().filter(|one| one.model() == ExecutionModel::GEOMETRY);
        if stages.count() == 1 {
            // A stage without outputs has no vertex streams.
            let unneeded = if stays { &[Capability::GEOMETRY_STREAMS][..] } else { &CAPABILITIES };
            rewrite::remove_capabilities(m, p, |capability| unneeded.contains(&capability));
            p.capability(if stays { Capability::GEOMETRY } else { Capability::SHADER });
        }
        let by_address = prepared.plan.layout.draws.by_address;
        let array = (!by_address).then(|| rewrite::word_array(m, p));
        Ok(Self { m, entry, prepared, array })
    }

    fn strips(&self) -> Topology {
        self.prepared.plan.emitted.strips
    }

    /// Adds a buffer that follows the feedback buffers.
    fn buffer(&self, p: &mut Patch<'m, 'w>, which: Behind, name: &str) -> Result<HostBlock, Error> {
        let plan = &self.prepared.plan;
        Ok(self.bind(p, plan.behind(which), name)?.expect("the buffers are bound"))
    }

    /// Adds the buffer with this number, unless the buffers have addresses.
    fn bind(
        &self,
        p: &mut Patch<'m, 'w>,
        number: u32,
        name: &str,
    ) -> Result<Option<HostBlock>, Error> {
        let place = self.array.zip(self.prepared.plan.placement.buffer(number));
        let bind =
            |(array, place)| rewrite::storage_buffer(self.m, p, self.entry, array, place, name);
        place.map(bind).transpose()
    }

    /// Adds the host parameters, and the feedback buffers if the variant captures.
    fn bound(&self, p: &mut Patch<'m, 'w>, captures: bool) -> Result<Bound<'s>, Error> {
        let plan = &self.prepared.plan;
        let stores = if captures { &plan.stores[..] } else { &[] };
        let buffers =
            feedback_buffers(&plan.layout, stores, |number, name| self.bind(p, number, name))?;
        let reserved = self.prepared.frame.target().reservations();
        let named = (&plan.words, "polyshade_host");
        let added = rewrite::add_words(self.m, p, self.entry, reserved, named, self.array)?;
        let words = plan.host_params.as_slice();
        let segments = match plan.layout.draws.restart() {
            true => {
                let block = self.buffer(p, Behind::Segments, "polyshade_segments")?;
                p.decorate(block.variable, Decoration::NON_WRITABLE, &[]);
                Some(Source::Bound(block))
            }
            false => None,
        };
        Ok(Bound { array: self.array, buffers, indices: None, segments, words, added })
    }

    fn feedback<'f>(&self, bound: &'f Bound<'s>) -> Feedback<'f>
    where
        's: 'f,
    {
        let draws = &self.prepared.plan.layout.draws;
        Feedback { bound, draws, class: StorageClass::PRIVATE }
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
