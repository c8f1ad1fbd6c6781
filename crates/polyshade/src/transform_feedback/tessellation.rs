//! Provides tessellation on devices without it: a control stage, a tessellator and an evaluation stage.
//!
//! A draw of patches takes these steps, with a barrier between each two:
//!
//! 1. The vertex stage [spills its outputs](super::Options::spill_outputs) into a buffer, as a compute stage or in a
//!    draw of points, for all vertices in the order of the draw.
//! 2. [`control`] runs the control shader, with one work group for each patch, and stores the *patches*: levels,
//!    outputs of the patch and outputs of its vertices.
//! 3. [`allocate`] counts the points and indices of each patch, in one work group, and stores to a *table* the sums of
//!    the patches before each one.
//! 4. [`tessellate`] divides the patches, with one work group for each. It stores *points*, which are coordinates in a
//!    patch, and *indices* of points.
//! 5. [`evaluation`] is the evaluation shader as a vertex stage. An indexed indirect draw, with the command at the
//!    start of the table and 32-bit indices, draws the [topology](Layout::emitted_topology).
//!
//! The vertex stage of step 5 is an ordinary one: it can be [captured](super::prepare), also as a compute stage in
//! front of a [geometry stage](super::geometry). The table has the arguments of its dispatch at
//! [`Layout::DISPATCH_OFFSET`].
//!
//! All steps take the same bindings and host parameters as options. Specialization constants are those of the step's
//! shader. The buffers are, in the order of their bindings: the outputs of the vertex stage, patches, table, points and
//! indices. Each step binds only those that it accesses. [`control`] and [`allocate`] read host parameters. In a
//! [`Draw`](super::Draw), only the numbers of vertices and instances matter.
//!
//! The tessellator follows the Vulkan specification, chapter "Tessellation". The coordinates are multiples of 2⁻²⁴;
//! edges with equal levels have the same points in both directions, so adjacent patches have no gaps.
//!
//! ```
//! # use polyshade::transform_feedback::{self, Options, tessellation};
//! # use polyshade::{Error, Module};
//! # fn provide(vertex: &[u32], control: &[u32], evaluation: &[u32]) -> Result<(), Error> {
//! let (vertex, control) = (Module::parse(vertex)?, Module::parse(control)?);
//! let evaluation = Module::parse(evaluation)?;
//! let spilled = Options::new().compute().spill_outputs();
//! let vertex = transform_feedback::prepare(&vertex, "main", &spilled)?;
//! let options = Options::new();
//! let control = tessellation::control(&control, "main", vertex.layout(), 4, &options)?;
//! let points = tessellation::tessellate(&evaluation, "main", &control.result, &options)?;
//! let drawn = tessellation::evaluation(&evaluation, "main", &control.result, &options)?;
//! println!("{:?}", drawn.result.emitted_topology());
//! # Ok(())
//! # }
//! ```

mod emit;
mod interface;
mod layout;

use super::layout::Layout;
use super::options::Options;
use super::patches::{self, Modes, Patches};
use super::{buffer, check_name};
use crate::code;
use crate::host::{HostParam, HostParams, LimitName, Lowered, Purpose, Requirements, Target};
use crate::placement::{Placement, Wanted, need_limits};
use crate::rewrite::{self, DceOptions, Frame, Stages};
use interface::{Inputs, Outputs};
use polyshade_spv::{Error, ExecutionModel, Module};

/// The version of the emitted code. It increases when the same input gives a different module.
pub const VERSION: u32 = 1;

/// A stage that this module makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Control,
    Allocate,
    Tessellate,
    Evaluation,
}

/// The buffers, in the order of their bindings. The host parameters follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Buffer {
    /// The spilled outputs of the vertex stage.
    Inputs,
    Patches,
    Table,
    Points,
    Indices,
}

/// The decisions for one module.
struct Plan {
    patches: Patches,
    placement: Placement,
    words: HostParams,
    inputs: Inputs,
    outputs: Outputs,
    step: Step,
}

const CONTROL: Stages = Stages {
    models: &[ExecutionModel::TESSELLATION_CONTROL],
    otherwise: "does not control tessellation",
};

const EVALUATION: Stages = Stages {
    models: &[ExecutionModel::TESSELLATION_EVALUATION],
    otherwise: "does not evaluate tessellated patches",
};

/// Makes the compute stage that runs the control shader. [Dispatch](Layout::work_groups) it after the vertex stage,
/// whose layout is `before`. A patch of the draw has `patch_control_points` vertices (1 to 32). A work group has one
/// invocation for each output vertex. The shader's outputs are in shared memory, and its barriers order the accesses to
/// them.
///
/// # Errors
///
/// `NotFound`: the entry point or a specialization constant. `Options`: a vertex stage that does not spill outputs; a
/// binding that is in use. `Malformed`: a shader that does not state its number of vertices. `Unsupported`: another
/// stage; options without a meaning for tessellation; host parameters at an address; a wrong number of vertices; inputs
/// that a compute stage lacks; inputs or outputs of other sizes than 32 and 64 bits; outputs with initial values; the
/// errors of the [rewrite tools](crate::rewrite).
pub fn control<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    before: &Layout,
    patch_control_points: u32,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    let frame = Frame::specialized(module, &target.into(), &CONTROL, &options.constants)?;
    let plan = frame.found(
        frame.isolated(),
        Plan::of_control(&frame, before, (patch_control_points, options)),
    )?;
    lower(&frame, &plan)
}

/// Makes the compute stage that computes the places of each patch's points and indices. Dispatch one work group after
/// [`control`], whose layout is `control`. `module` has the evaluation shader.
///
/// If the points or the indices of a patch do not fit into their buffers, neither this patch nor a later one is drawn.
/// The table has the [needed](Layout::NEEDED_OFFSET) numbers in any case, unless it is itself too small: then patches
/// without an entry are neither drawn nor counted.
///
/// # Errors
///
/// Those of [`evaluation`].
pub fn allocate<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    control: &Layout,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    after_control(module, &target.into(), (control, options), Step::Allocate)
}

/// Makes the compute stage that stores points and indices. [Dispatch](Layout::work_groups) it after [`allocate`].
///
/// # Errors
///
/// Those of [`evaluation`].
pub fn tessellate<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    control: &Layout,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    after_control(module, &target.into(), (control, options), Step::Tessellate)
}

/// Makes the vertex stage that runs the evaluation shader at the point with the number `VertexIndex`. It has the
/// outputs of the evaluation shader, and reads no host parameters.
///
/// # Errors
///
/// `NotFound`: the entry point or a specialization constant. `Options`: a binding that is in use; a layout that is not
/// of a control stage. `Malformed`: no stage states the domain of the patches; modes that contradict the control
/// shader's. `Unsupported`: another stage; options without a meaning for tessellation; host parameters at an address;
/// inputs that a vertex stage lacks; inputs of other sizes than 32 and 64 bits; the errors of the [rewrite
/// tools](crate::rewrite).
pub fn evaluation<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    control: &Layout,
    options: &Options,
) -> Result<Lowered<'m, Layout>, Error> {
    after_control(module, &target.into(), (control, options), Step::Evaluation)
}

fn after_control<'m>(
    module: &'m Module<'_>,
    target: &Target,
    (control, options): (&Layout, &Options),
    step: Step,
) -> Result<Lowered<'m, Layout>, Error> {
    let frame = Frame::specialized(module, target, &EVALUATION, &options.constants)?;
    let plan = Plan::of_evaluation(&frame, (control, options), step);
    let plan = frame.found(frame.isolated(), plan)?;
    lower(&frame, &plan)
}

fn lower<'m>(frame: &Frame<'m>, plan: &Plan) -> Result<Lowered<'m, Layout>, Error> {
    let version = frame.isolated();
    let reserved = frame.target().reservations();
    let edited = frame.rewrite(version, |m, p, entry| match plan.step {
        Step::Control => emit::control(m, p, entry, (plan, reserved)),
        Step::Allocate => emit::allocate(m, p, entry, (plan, reserved)),
        Step::Tessellate => emit::tessellate(m, p, entry, (plan, reserved)),
        Step::Evaluation => emit::evaluation(m, p, entry, (plan, reserved)),
    })?;
    // The body of the evaluation shader is dead code in the tessellator.
    let wanted = DceOptions::new().only(frame.target().entry_name(), plan.step.stage());
    let reduced = frame.found(&edited.module, rewrite::dce(&edited.module, &wanted))?;
    let requirements = plan.requirements(version);
    let mut layout = Layout::new(Vec::new());
    layout.draws.compute = true;
    layout.tessellation = Some(Box::new(plan.patches.clone()));
    let made = frame.made(reduced.module.into_owned(), requirements, layout);
    let params = if plan.step.reads_params() { vec![plan.words.clone()] } else { Vec::new() };
    Ok(Lowered { params, ..made })
}

impl Step {
    fn stage(self) -> ExecutionModel {
        match self {
            Self::Evaluation => ExecutionModel::VERTEX,
            _ => ExecutionModel::GL_COMPUTE,
        }
    }

    fn reads_params(self) -> bool {
        matches!(self, Self::Control | Self::Allocate)
    }
}

impl Plan {
    fn of_control(
        frame: &Frame<'_>,
        before: &Layout,
        (input_vertices, options): (u32, &Options),
    ) -> Result<Self, Error> {
        let m = frame.isolated();
        let entry = frame.entry(m)?;
        if before.outputs_stride == 0 {
            let message = "the layout of the vertex stage has no spilled outputs";
            return Err(Error::new(&code::TESSELLATION_INPUTS, message));
        }
        if !(1..=32).contains(&input_vertices) {
            let message =
                format!("a patch cannot have {input_vertices} vertices: the numbers are 1 to 32");
            return Err(Error::new(&code::TESSELLATION_OPTION, message));
        }
        let vertices = patches::output_vertices(m, entry)?;
        let inputs = Inputs::of_control(m, entry, before)?;
        let outputs = Outputs::find(m, entry)?;
        let patches = Patches {
            input_vertices,
            input_stride: before.outputs_stride,
            vertices,
            modes: Modes::find(m, entry),
            ..outputs.layout()
        };
        Self::new(frame, options, Step::Control, (patches, inputs, outputs))
    }

    fn of_evaluation(
        frame: &Frame<'_>,
        (control, options): (&Layout, &Options),
        step: Step,
    ) -> Result<Self, Error> {
        let m = frame.isolated();
        let entry = frame.entry(m)?;
        let Some(control) = &control.tessellation else {
            let message = "the layout is not that of a control stage";
            return Err(Error::new(&code::TESSELLATION_INPUTS, message));
        };
        let modes = Modes::find(m, entry).join(control.modes)?;
        modes.check(entry)?;
        patches::check_output_vertices(m, entry, control.vertices)?;
        // The shader is not part of the tessellator.
        let inputs = match step {
            Step::Evaluation => Inputs::of_evaluation(m, entry, control)?,
            _ => Inputs::default(),
        };
        let patches = Patches { modes, ..Patches::clone(control) };
        Self::new(frame, options, step, (patches, inputs, Outputs::default()))
    }

    fn new(
        frame: &Frame<'_>,
        options: &Options,
        step: Step,
        (patches, inputs, outputs): (Patches, Inputs, Outputs),
    ) -> Result<Self, Error> {
        let m = frame.isolated();
        check_options(options)?;
        check_name(m, frame.target().entry_name(), frame.entry(m)?, &[step.stage()])?;
        let reserved = frame.target().reservations();
        let wanted = Wanted { buffer: "buffer", ..options.wanted() };
        let placement = Placement::new(m, &wanted, reserved, 5)?;
        let params = vec![
            HostParam::new("vertices", "the number of vertices of an instance"),
            HostParam::new("instances", "the number of instances"),
        ];
        let words = HostParams { source: placement.params, params };
        reserved.check_params(&words)?;
        if placement.params.is_address() {
            let message =
                "the stages need bound buffers, so their host parameters cannot be at an address";
            return Err(Error::new(&code::TESSELLATION_OPTION, message));
        }
        Ok(Self { patches, placement, words, inputs, outputs, step })
    }

    fn requirements(&self, m: &Module<'_>) -> Requirements {
        let (stage, all) = (self.step.stage(), self.buffers());
        let descriptors = all.into_iter().filter_map(|one| {
            let place = self.placement.buffer(one as u32)?;
            Some(buffer(place, one.purpose(), stage))
        });
        let mut requirements =
            Requirements { descriptors: descriptors.collect(), ..Requirements::default() };
        if self.step.reads_params() {
            requirements.read(std::slice::from_ref(&self.words), stage);
        }
        if self.step == Step::Control {
            let bytes = interface::shared_bytes(m, &self.outputs.variables);
            requirements.need(LimitName::MaxComputeSharedMemorySize, bytes);
        }
        need_limits(m, &mut requirements);
        requirements
    }

    /// Returns the buffers that the stage accesses.
    fn buffers(&self) -> Vec<Buffer> {
        match self.step {
            Step::Control => vec![Buffer::Inputs, Buffer::Patches],
            Step::Allocate | Step::Tessellate => {
                vec![Buffer::Patches, Buffer::Table, Buffer::Points, Buffer::Indices]
            }
            Step::Evaluation => {
                let table = self.inputs.has_primitive().then_some(Buffer::Table);
                [Buffer::Patches].into_iter().chain(table).chain([Buffer::Points]).collect()
            }
        }
    }
}

impl Buffer {
    fn purpose(self) -> Purpose {
        match self {
            Self::Inputs => Purpose::Inputs,
            Self::Patches => Purpose::Patches,
            Self::Table => Purpose::Counts,
            Self::Points => Purpose::Points,
            Self::Indices => Purpose::Indices,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Inputs => "polyshade_inputs",
            Self::Patches => "polyshade_patches",
            Self::Table => "polyshade_table",
            Self::Points => "polyshade_points",
            Self::Indices => "polyshade_indices",
        }
    }
}

/// Refuses options that have no meaning for tessellation.
fn check_options(options: &Options) -> Result<(), Error> {
    if options.only_place() {
        return Ok(());
    }
    let message =
        "tessellation takes only bindings, host parameters and specialization constants as options";
    Err(Error::new(&code::TESSELLATION_OPTION, message))
}
