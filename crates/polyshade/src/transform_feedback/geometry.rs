//! Geometry stages as compute stages: captures their outputs, and provides them on devices without such stages.
//!
//! A draw takes these steps, with a barrier between each two:
//!
//! 1. The vertex stage [spills its outputs](super::Options::spill_outputs) into a buffer, as
//!    [a compute stage](super::Options::compute) or in a draw of points.
//! 2. [`count`] runs the geometry shader once for each primitive and invocation, and stores the numbers of primitives
//!    that each one emits to a *table of counts*.
//! 3. [`sum`] replaces the counts by sums in one work group, which are the places of the emitted primitives.
//! 4. [`capture`] runs the geometry shader again, and stores the emitted primitives that fit into the feedback buffers.
//!    If the options [spill outputs](super::Options::spill_outputs), it stores all outputs of stream 0, too.
//! 5. [`raster`], a vertex stage, loads these outputs. An indirect draw with the command at the start of the table
//!    draws them as a list. A device with geometry stages can draw the original pipeline instead.
//!
//! All four take the same options, and their modules have the same bindings. The compute stages have the same host
//! parameters. Restart concerns only the geometry stage: the vertex stage is prepared without it, and its draws have no
//! `restarted` number.
//!
//! ```
//! # use polyshade::{Error, Module, transform_feedback::{self, Options, Topology, geometry}};
//! # fn capture(vertex: &[u32], geometry: &[u32]) -> Result<(), Error> {
//! let (vertex, geometry) = (Module::parse(vertex)?, Module::parse(geometry)?);
//! let options = Options::new().compute().spill_outputs().topologies(Topology::ALL);
//! let vertex = transform_feedback::prepare(&vertex, "main", &options)?;
//! let options = Options::new().interleaved(["v_position"]);
//! let count = geometry::count(&geometry, "main", vertex.layout(), &options)?.module;
//! # Ok(())
//! # }
//! ```

mod emit;
mod inputs;
mod layout;
mod primitives;

use super::draw_constraints::{self, DrawParam, Draws};
use super::effects::Effects;
use super::layout::{Layout, Stored, stream};
use super::options::Options;
use super::outputs::Outputs;
use super::spilled;
use super::{Topology, buffer, check_name, select, with_others};
use crate::code;
use crate::host::{HostParams, Lowered, Purpose, Requirements, SideEffects, Target};
use crate::placement::{Placement, need_limits};
use crate::rewrite::{self, DceOptions, Frame, Stages};
use inputs::Input;
use polyshade_spv::{Error, ExecutionModel, Module};
use primitives::Emitted;

/// One of the four shaders that replace a geometry stage.
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
    inputs: Vec<Input>,
    /// The size in bytes of the inputs of one vertex.
    inputs_stride: u32,
    emitted: Emitted,
    placement: Placement,
    words: HostParams,
    host_params: Vec<DrawParam>,
    effects: Effects,
}

const STAGES: Stages =
    Stages { models: &[ExecutionModel::GEOMETRY], otherwise: "does not emit primitives" };

/// Makes the compute stage that counts the emitted primitives. [Dispatch](Layout::work_groups) it first. `vertex` is
/// the layout of the stage before, whose outputs are [spilled](Options::spill_outputs).
///
/// The options have the same meaning as for [`transform_feedback::prepare`](super::prepare). The
/// [topologies](Options::topologies) are those of the draws, and the default is every topology of the shader's input
/// primitive. Only the stage before reads the indices of a draw, but [restart](Options::restart) adds the table of
/// [segments](super::Segments). Without varyings, [spilled outputs](Options::spill_outputs) are the only result.
///
/// # Errors
///
/// Those of [`transform_feedback::prepare`](super::prepare) and of its variants, and `Unsupported`: options for
/// [indices](Options::indexed) without restart, for [limits in vertices](Options::limit_in_vertices) or for
/// [addresses](Options::params); built-in inputs that a compute stage lacks; vertex streams that depend on
/// specialization constants; spilled outputs that a vertex stage lacks. `Options`: a stage before that spills no
/// outputs; one buffer for several vertex streams; a topology of another input primitive.
pub fn count<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    vertex: &Layout,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    lower(module, &target.into(), vertex, options, Step::Count)
}

/// Makes the compute stage that sums the counts. Dispatch one work group after [`count`].
///
/// # Errors
///
/// Those of [`count`].
pub fn sum<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    vertex: &Layout,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    lower(module, &target.into(), vertex, options, Step::Sum)
}

/// Makes the compute stage that stores the emitted primitives. [Dispatch](Layout::work_groups) it after [`sum`].
///
/// # Errors
///
/// Those of [`count`].
pub fn capture<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    vertex: &Layout,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    lower(module, &target.into(), vertex, options, Step::Capture)
}

/// Makes the vertex stage that loads the outputs that [`capture`] has stored. It reads no host parameters.
///
/// # Errors
///
/// Those of [`count`], and `Options`: the options do not [spill outputs](Options::spill_outputs).
pub fn raster<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    vertex: &Layout,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    lower(module, &target.into(), vertex, options, Step::Raster)
}

fn lower<'m>(
    module: &'m Module<'_>,
    target: &Target,
    vertex: &Layout,
    options: &Options,
    step: Step,
) -> Result<Lowered<'m, Layout>, Error> {
    let frame = Frame::specialized(module, target, &STAGES, options.constants())?;
    let plan = frame.found(frame.isolated(), Plan::new(&frame, vertex, options))?;
    let prepared = Prepared { side_effects: options.side_effects_kept(), frame, plan };
    let Prepared { frame, plan, .. } = &prepared;
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
        if given.outputs_stride == 0 {
            let message =
                "the layout of the stage before the geometry stage has no spilled outputs";
            return Err(Error::new(&code::GEOMETRY_INPUTS, message));
        }

        // The inputs and emits of the shader, and the layout of its outputs.
        let emitted = Emitted::find(m, entry)?;
        let draws = draws(&emitted, options)?;
        let inputs = inputs::find(m, entry, (given, emitted.input.vertices()))?;
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
        let geometry = emitted.properties(streams);
        let name = frame.target().entry_name();
        let mut stages = vec![ExecutionModel::GL_COMPUTE];
        stages.extend(layout.draws.spill_outputs.then_some(ExecutionModel::VERTEX));
        check_name(m, name, entry, &stages)?;

        // Bindings and host parameters.
        let buffers = layout.buffers.len() as u32;
        let reserved = frame.target().reservations();
        let (spills, restarts) = (layout.draws.spill_outputs, layout.draws.restart());
        let bound = buffers + 2 + u32::from(spills) + u32::from(restarts);
        let placement = Placement::new(m, &options.wanted(), reserved, bound)?;
        if placement.params.is_address() {
            let message = "cannot capture a geometry stage with host parameters at an address";
            return Err(Error::new(&code::GEOMETRY_OPTION, message));
        }
        let host_params = geometry.host_words(&layout.draws, buffers);
        let words = draw_constraints::words(&layout.draws, placement.params, &host_params);
        reserved.check_params(&words)?;
        layout.geometry = Some(geometry);
        let effects = Effects::find(m, entry);
        let plan = Self {
            layout,
            stores,
            spilled,
            inputs,
            inputs_stride: given.outputs_stride,
            emitted,
            placement,
            words,
            host_params,
            effects,
        };
        Ok(plan)
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
        let feedback = (0..).zip(&self.stores).filter(|(_, stores)| !stores.is_empty());
        let feedback = feedback.map(|(number, _)| (number, Purpose::Feedback(number)));
        let inputs = (self.behind(Behind::Inputs), Purpose::Inputs);
        let counts = (self.behind(Behind::Counts), Purpose::Counts);
        let outputs = (self.behind(Behind::Outputs), Purpose::Outputs);
        let outputs = self.layout.draws.spill_outputs.then_some(outputs);
        let segments = (self.behind(Behind::Segments), Purpose::Segments);
        let segments = self.layout.draws.restart().then_some(segments);
        let buffers: Vec<(u32, Purpose)> = match step {
            Step::Count => [inputs, counts].into_iter().chain(segments).collect(),
            Step::Sum => [counts].into_iter().chain(outputs).chain(segments).collect(),
            Step::Capture => {
                feedback.chain([inputs, counts]).chain(outputs).chain(segments).collect()
            }
            Step::Raster => outputs.into_iter().collect(),
        };
        let descriptors = buffers.into_iter().filter_map(|(number, purpose)| {
            Some(buffer(self.placement.buffer(number)?, purpose, stage))
        });
        let mut requirements =
            Requirements { descriptors: descriptors.collect(), ..Requirements::default() };
        if step != Step::Raster {
            requirements.read(std::slice::from_ref(&self.words), stage);
        }
        need_limits(m, &mut requirements);
        requirements
    }
}

/// Refuses options that have no meaning for geometry stages.
fn check_options(options: &Options) -> Result<(), Error> {
    let draws = options.draws();
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
    ];
    match refused.into_iter().find(|(is, _)| *is) {
        Some((_, reason)) => {
            Err(Error::new(&code::GEOMETRY_OPTION, format!("a captured geometry stage {reason}")))
        }
        None => Ok(()),
    }
}

/// Returns the restrictions on draws. The default topologies are all that form the shader's input primitives.
fn draws(emitted: &Emitted, options: &Options) -> Result<Draws, Error> {
    let mut draws = options.draws().clone();
    draws.compute = true;
    draws.check_topologies()?;
    let all = emitted.input.topologies();
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
