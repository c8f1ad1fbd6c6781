//! Captures the outputs of geometry stages, and provides such stages on devices without them.
//!
//! A draw takes these steps, with a barrier between each two:
//!
//! 1. [`count`] runs the geometry shader once for each primitive and invocation, and stores the numbers of primitives
//!    that each one emits to a *table of counts*.
//! 2. [`sum`] replaces the counts by sums in one work group, which are the places of the emitted primitives.
//! 3. [`capture`] runs the geometry shader again, and stores the emitted primitives that fit into the feedback buffers.
//!
//! If every invocation emits the same numbers of primitives ([`Layout::primitives_emitted`]), there is no table, and
//! [`capture`] is the only step.
//!
//! With [`Options::compute`], all steps are compute stages. The vertex stage before them
//! [spills its outputs](super::Options::spill_outputs) into a buffer, as a compute stage or in a draw of points. If the
//! options of the geometry stage [spill outputs](super::Options::spill_outputs), [`capture`] stores all outputs of
//! stream 0, too, and [`raster`], a vertex stage, loads them. An indirect draw with the command at the start of the
//! table, or a draw of the emitted primitives, draws them as a list. Restart concerns only the geometry stage: the
//! vertex stage is prepared without it, and its draws have no `restarted` number.
//!
//! Otherwise [`count`] and [`capture`] remain geometry stages without outputs, in draws with the arguments, indices and
//! vertex attributes of the original draw, and with rasterizer discard. [`vertex`] makes their vertex stage.
//!
//! In draws with host parameters at an [address](super::Options::params), a geometry shader whose numbers of primitives
//! vary is captured without [`count`] and [`sum`]: [`capture`] stores the primitives
//! [sparsely](Layout::sparse_primitives), and the host moves them together.
//!
//! All steps take the same options, and their modules have the same bindings and host parameters, except [`raster`].
//!
//! ```
//! # use polyshade::{Error, Module, transform_feedback::{self, Options, Topology, geometry}};
//! # fn capture(vertex: &[u32], geometry: &[u32]) -> Result<(), Error> {
//! let (vertex, geometry) = (Module::parse(vertex)?, Module::parse(geometry)?);
//! let options = Options::new().compute().spill_outputs().topologies(Topology::ALL);
//! let vertex = transform_feedback::prepare(&vertex, "main", &options)?;
//! let options = Options::new().compute().interleaved(["v_position"]);
//! let count = geometry::count(&geometry, "main", vertex.layout(), &options)?.module;
//! # Ok(())
//! # }
//! ```

mod constant;
mod emit;
mod inputs;
mod layout;
mod primitives;
mod vertex_stage;

use super::draw_constraints::{self, DrawParam, Draws};
use super::effects::Effects;
use super::layout::{Layout, Stored, stream};
use super::options::Options;
use super::outputs::Outputs;
use super::spilled;
use super::{Topology, buffer, check_name, select, with_others};
use crate::code;
use crate::host::{
    AddressSource, Feature, HostParams, LimitName, Lowered, ParamSource, Purpose, Requirements,
    SideEffects, Target,
};
use crate::placement::{Placement, need_limits};
use crate::rewrite::{self, DceOptions, Frame, Stages};
pub(super) use emit::{NON_PRIVATE, has_vulkan_memory_model, table_hooks, wait_for_table};
use inputs::Input;
pub(super) use inputs::{Given, by_place, word_of};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ExecutionModel, Module};
use primitives::Emitted;
pub use vertex_stage::vertex;

/// One of the shaders that capture a geometry stage or draw the emitted primitives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Count,
    Sum,
    Capture,
    Raster,
}

/// A geometry shader and the decisions for it.
struct Prepared<'m> {
    frame: Frame<'m>,
    side_effects: SideEffects,
    plan: Plan,
}

/// The decisions that the options lead to for one module. Code generation reads them.
#[derive(Debug)]
struct Plan {
    layout: Layout,
    /// The captured pieces of each buffer.
    stores: Vec<Vec<Stored>>,
    /// The outputs of stream 0 that `Capture` stores for `Raster`.
    spilled: Vec<Stored>,
    /// The inputs that a compute stage fills.
    inputs: Vec<Input>,
    /// The size in bytes of these inputs of one vertex.
    inputs_stride: u32,
    /// The location at which the vertex stage passes the number of the instance, if it is needed.
    instance: Option<u32>,
    emitted: Emitted,
    placement: Placement,
    words: HostParams,
    host_params: Vec<DrawParam>,
    effects: Effects,
}

const STAGES: Stages =
    Stages { models: &[ExecutionModel::GEOMETRY], otherwise: "does not emit primitives" };

/// Makes the stage that counts the emitted primitives. Draw it or [dispatch](Layout::work_groups) it first. `before`
/// is the layout of the vertex stage: from [`vertex`] or, before a compute stage, from
/// [`transform_feedback::prepare`](super::prepare).
///
/// The options have the same meaning as for [`transform_feedback::prepare`](super::prepare). The
/// [topologies](Options::topologies) are those of the draws, and the default is every topology of the shader's input
/// primitive. Only the stage before reads the indices of a draw, but for a compute stage [restart](Options::restart)
/// adds the table of [segments](super::Segments). Without varyings,
/// [spilled outputs](Options::spill_outputs) are the only result.
///
/// # Errors
///
/// Those of [`transform_feedback::prepare`](super::prepare) and of its variants, and `Unsupported`: options for
/// [indices](Options::indexed) without restart or for [limits in vertices](Options::limit_in_vertices);
/// [addresses](Options::params), except in draws; built-in inputs that a compute
/// stage lacks; vertex streams that depend on specialization constants; spilled outputs that a vertex stage lacks; for
/// a stage that remains a geometry stage, restart, spilled outputs and line loops. `Options`: a stage before that does
/// not pass its outputs or the number of the instance; one buffer for several vertex streams; a topology of another
/// input primitive; a shader whose number of emitted primitives is constant.
pub fn count<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    before: &Layout,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    lower(module, &target.into(), before, options, Step::Count)
}

/// Makes the compute stage that sums the counts. Dispatch one work group after [`count`].
///
/// # Errors
///
/// Those of [`count`].
pub fn sum<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    before: &Layout,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    lower(module, &target.into(), before, options, Step::Sum)
}

/// Makes the stage that stores the emitted primitives. Draw it or [dispatch](Layout::work_groups) it after [`sum`].
///
/// # Errors
///
/// Those of [`count`], except for constant numbers of primitives.
pub fn capture<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    before: &Layout,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    lower(module, &target.into(), before, options, Step::Capture)
}

/// Makes the vertex stage that loads the outputs that [`capture`] has stored. It reads no host parameters.
///
/// # Errors
///
/// Those of [`capture`], and `Options`: the options do not [spill outputs](Options::spill_outputs).
pub fn raster<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    before: &Layout,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    lower(module, &target.into(), before, options, Step::Raster)
}

fn lower<'m>(
    module: &'m Module<'_>,
    target: &Target,
    before: &Layout,
    options: &Options,
    step: Step,
) -> Result<Lowered<'m, Layout>, Error> {
    let frame = Frame::specialized(module, target, &STAGES, &options.constants)?;
    let plan = frame.found(frame.isolated(), Plan::new(&frame, before, options))?;
    let prepared = Prepared { side_effects: options.side_effects, frame, plan };
    let Prepared { frame, plan, .. } = &prepared;
    if matches!(step, Step::Count | Step::Sum) && !plan.layout.needs_counts() {
        let message = match plan.layout.sparse_primitives() {
            Some(_) => "there is no separate count: the primitives are stored sparsely",
            None => "there is no count: every invocation emits the same number of primitives",
        };
        return Err(Error::new(&code::GEOMETRY_CONSTANT_COUNT, message));
    }
    let version = frame.isolated();
    let edited = frame.rewrite(version, |m, p, entry| match step {
        Step::Count => emit::geometry(m, p, entry, &prepared, false),
        Step::Capture => emit::geometry(m, p, entry, &prepared, true),
        Step::Sum => emit::sum_counts(m, p, entry, &prepared),
        Step::Raster => emit::raster(m, p, entry, &prepared),
    })?;
    // The old inputs and outputs are now private variables, and much of their code is dead.
    let stage = match step {
        Step::Raster => ExecutionModel::VERTEX,
        Step::Count | Step::Capture if !plan.layout.is_dispatched() => ExecutionModel::GEOMETRY,
        Step::Count | Step::Sum | Step::Capture => ExecutionModel::GL_COMPUTE,
    };
    let wanted = DceOptions::new().only(frame.target().entry_name(), stage);
    let reduced = frame.found(&edited.module, rewrite::dce(&edited.module, &wanted))?;
    let requirements = with_others(frame, version, plan.requirements(version, step, stage))?;
    let made = frame.made(reduced.module.into_owned(), requirements, plan.layout.clone());
    let params = if step == Step::Raster { Vec::new() } else { vec![plan.words.clone()] };
    Ok(Lowered { params, ..made })
}

/// The buffers of a geometry stage that follow the feedback buffers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// The spilled outputs of the stage before it.
    Inputs,
    /// The table of counts.
    Counts,
    /// The spilled outputs, if the options request them.
    Outputs,
    /// The table of segments, if indices may restart primitives.
    Segments,
}

impl Plan {
    fn new(frame: &Frame<'_>, given: &Layout, options: &Options) -> Result<Self, Error> {
        let m = frame.isolated();
        let entry = frame.entry(m)?;
        check_options(options)?;

        // The inputs and emits of the shader, and the layout of its outputs.
        let emitted = Emitted::find(m, entry)?;
        let draws = draws(&emitted, options)?;
        let (inputs, instance) = match draws.compute {
            true => (inputs::find(m, entry, (given, emitted.input.vertices()))?, None),
            false => (Vec::new(), inputs::instance(m, entry, given, &draws)?),
        };
        let outputs = Outputs::of(m, entry);
        let (mut layout, stores) = select::lay_out(frame, entry, options, &outputs)?;
        let streams = stores.iter().map(|stores| stream(m, stores)).collect::<Result<_, _>>()?;
        let spilled = match draws.spill_outputs {
            true => spilled::of_geometry(m, entry, &outputs)?,
            false => Vec::new(),
        };
        layout.outputs_stride = 4 * spilled::words(&spilled);
        layout.spilled = spilled::list(&outputs, &spilled);
        layout.draws = draws;
        check_stages(frame, entry, &layout.draws, &emitted)?;

        // Bindings and host parameters.
        let buffers = layout.buffers.len() as u32;
        let mut reserved = frame.target().reservations().clone();
        if let Some(in_use) = &given.in_use {
            reserved = reserved.join(in_use);
        }
        let (spills, restarts) = (layout.draws.spill_outputs, layout.draws.restart());
        let bound = buffers + 2 + u32::from(spills) + u32::from(restarts);
        let placement = Placement::new(m, &options.wanted(), &reserved, bound)?;
        layout.draws.by_address = placement.params.is_address();
        check_address(&layout.draws, placement.params)?;
        let geometry = emitted.properties(streams, &layout.draws);
        let host_params = geometry.host_words(&layout.draws, buffers);
        let words = draw_constraints::words(&layout.draws, placement.params, &host_params);
        reserved.check_params(&words)?;
        layout.geometry = Some(geometry);
        let effects = Effects::find(m, entry);
        let inputs_stride = given.outputs_stride;
        Ok(Self {
            layout,
            stores,
            spilled,
            inputs,
            inputs_stride,
            instance,
            emitted,
            placement,
            words,
            host_params,
            effects,
        })
    }

    /// Returns the topology of the emitted primitives: a list.
    fn topology(&self) -> Topology {
        self.layout.emitted_topology().expect("the layout is of a geometry stage")
    }

    /// Returns the number of a buffer among those with bindings.
    fn behind(&self, which: Behind) -> u32 {
        let number = match which {
            Behind::Inputs => 0,
            Behind::Counts => 1,
            Behind::Outputs => 2,
            Behind::Segments => 2 + u32::from(self.layout.draws.spill_outputs),
        };
        self.layout.buffers.len() as u32 + number
    }

    fn requirements(&self, m: &Module<'_>, step: Step, stage: ExecutionModel) -> Requirements {
        // Stages that are drawn load no inputs from buffers.
        let (dispatched, counted) = (self.layout.is_dispatched(), self.layout.needs_counts());
        let feedback = (0..).zip(&self.stores).filter(|(_, stores)| !stores.is_empty());
        let feedback = feedback.map(|(number, _)| (number, Purpose::Feedback(number)));
        let inputs = dispatched.then_some((self.behind(Behind::Inputs), Purpose::Inputs));
        let counts = counted.then_some((self.behind(Behind::Counts), Purpose::Counts));
        let outputs = (self.behind(Behind::Outputs), Purpose::Outputs);
        let outputs = self.layout.draws.spill_outputs.then_some(outputs);
        let segments = (self.behind(Behind::Segments), Purpose::Segments);
        let segments = self.layout.draws.restart().then_some(segments);
        let buffers: Vec<(u32, Purpose)> = match step {
            Step::Count => inputs.into_iter().chain(counts).chain(segments).collect(),
            Step::Sum => counts.into_iter().chain(outputs).chain(segments).collect(),
            Step::Capture => {
                feedback.chain(inputs).chain(counts).chain(outputs).chain(segments).collect()
            }
            Step::Raster => outputs.into_iter().collect(),
        };
        let descriptors = buffers.into_iter().filter_map(|(number, purpose)| {
            Some(buffer(self.placement.buffer(number)?, purpose, stage))
        });
        let descriptors = descriptors.collect();
        let features = match stage == ExecutionModel::GEOMETRY {
            true => vec![Feature::VertexPipelineStoresAndAtomics],
            false => Vec::new(),
        };
        let mut requirements = Requirements { features, descriptors, ..Requirements::default() };
        if step != Step::Raster {
            requirements.read(std::slice::from_ref(&self.words), stage);
        }
        if let Some(location) = self.instance.filter(|_| stage == ExecutionModel::GEOMETRY) {
            let end = location.saturating_add(1);
            requirements.need(LimitName::MaxGeometryInputComponents, end.saturating_mul(4));
        }
        need_limits(m, &mut requirements);
        requirements
    }
}

/// Refuses options that have no meaning for geometry stages.
fn check_options(options: &Options) -> Result<(), Error> {
    let draws = &options.draws;
    let refused = [
        (
            draws.indexed.is_some_and(|indexed| !indexed.restart),
            "cannot take indices: the stage before it reads them",
        ),
        (
            draws.limit_in_vertices,
            "cannot take a limit in vertices: the host does not know how many primitives are emitted",
        ),
        (!draws.constant_attributes.is_empty(), "has no vertex attributes"),
        (!draws.compute && draws.spill_outputs, "spills outputs only if it is a compute stage"),
        (
            !draws.compute && draws.restart(),
            "needs no table of segments unless it is a compute stage",
        ),
    ];
    match refused.into_iter().find(|(is, _)| *is) {
        Some((_, reason)) => {
            Err(Error::new(&code::GEOMETRY_OPTION, format!("a captured geometry stage {reason}")))
        }
        None => Ok(()),
    }
}

/// Refuses host parameters at an address for compute stages, which need further buffers, and in vertex attributes.
fn check_address(draws: &Draws, params: ParamSource) -> Result<(), Error> {
    let refuse = |code, message| Err(Error::new(code, message));
    match params {
        ParamSource::Address(AddressSource::Attribute { .. }) => refuse(
            &code::PARAMS_ATTRIBUTE_STAGE,
            format!("cannot read host parameters at {params}: a geometry stage has no vertex attributes"),
        ),
        ParamSource::Address(_) if draws.compute => refuse(
            &code::GEOMETRY_OPTION,
            "a compute stage for a geometry stage needs bound buffers, so its host parameters cannot be at an address"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

/// Returns the restrictions on draws. The default topologies are all that form the shader's input primitives.
fn draws(emitted: &Emitted, options: &Options) -> Result<Draws, Error> {
    let mut draws = options.draws.clone();
    draws.check_topologies()?;
    // A device draws no line loops.
    let all = emitted.input.topologies().iter().copied();
    let all: Vec<Topology> =
        all.filter(|one| draws.compute || *one != Topology::LineLoop).collect();
    if draws.topologies() == Draws::default().topologies() {
        draws.set_topologies(all.iter().copied());
    }
    match draws.topologies().iter().find(|one| !all.contains(one)) {
        None => Ok(draws),
        Some(other) => {
            let (other, input) = (other.name(), emitted.input.name());
            let message = format!("a {other} has no {input}, which the geometry stage takes");
            Err(Error::new(&code::GEOMETRY_TOPOLOGY, message))
        }
    }
}

/// Refuses names of entry points that the made stages would take.
fn check_stages(
    frame: &Frame<'_>,
    entry: EntryPoint<'_>,
    draws: &Draws,
    emitted: &Emitted,
) -> Result<(), Error> {
    let made = [
        (draws.compute || emitted.constant.is_none(), ExecutionModel::GL_COMPUTE),
        (draws.spill_outputs, ExecutionModel::VERTEX),
    ];
    let made: Vec<_> = made.iter().filter(|(is, _)| *is).map(|(_, stage)| *stage).collect();
    check_name(frame.isolated(), frame.target().entry_name(), entry, &made)
}
