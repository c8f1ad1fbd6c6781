//! Prepares capture by `VK_EXT_transform_feedback`: decorates outputs, and adds copies of outputs that cannot be
//! decorated.
//!
//! A decoration can only capture a whole variable or block member, once, and at an aligned offset. OpenGL allows more:
//! elements of arrays, members of structures, components in another order, unaligned 64-bit components. Wherever the
//! stage exports a vertex, the bits of such parts are copied to *shadow outputs*.

mod needs;
mod shadows;
mod targets;

use super::layout::{Layout, stream};
use super::options::{Options, Varyings};
use super::outputs::Outputs;
use super::{native_xfb, select};
use crate::code;
use crate::host::{self, Lowered, Requirements};
use crate::rewrite::{Frame, Stages};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Capability, Error, ExecutionMode, ExecutionModel, Module, Patch};
use shadows::Shadow;
use targets::Target;

/// The layout, streams and added outputs of a shader for `VK_EXT_transform_feedback`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Decorated {
    /// The layout of the captured outputs.
    pub layout: Layout,
    /// The vertex stream that each buffer captures; 0 except in geometry stages.
    pub streams: Vec<u32>,
    /// The locations of the shadow outputs, one vector each.
    pub locations: Vec<u32>,
}

const STAGES: Stages = Stages {
    models: &[
        ExecutionModel::VERTEX,
        ExecutionModel::TESSELLATION_EVALUATION,
        ExecutionModel::GEOMETRY,
    ],
    otherwise: "cannot be captured by transform feedback",
};

/// Makes a variant of a vertex, tessellation evaluation or geometry shader for `VK_EXT_transform_feedback`. The
/// extension then captures the outputs that `options` select.
///
/// The options for storage buffers, host parameters, side effects and point size have no effect. Each buffer captures
/// the vertex stream that the `Stream` decorations of its varyings state.
///
/// # Errors
///
/// * `NotFound`, `Options` and `Malformed` as for [`prepare`](super::prepare()); also `Options` if one buffer would
///   capture two vertex streams.
/// * `Unsupported`: another stage; a varying with components that are not 32- or 64-bit numbers, or whose size depends
///   on a specialization constant; the name of a whole structure or array of arrays; too few free locations for shadow
///   outputs; a capture that exceeds a limit of the [device](host::Device); the errors of the [rewrite
///   tools](crate::rewrite).
pub fn decorate<'m>(
    module: &'m Module<'_>,
    target: impl Into<host::Target>,
    options: &Options,
) -> Result<Lowered<'m, Decorated>, Error> {
    let frame = Frame::specialized(module, &target.into(), &STAGES, &options.constants)?;
    let version = frame.isolated();
    let plan = frame.found(version, Plan::new(&frame, options))?;
    let next = frame.rewrite(version, |m, p, entry| match &options.varyings {
        Varyings::Decorated => Ok(()),
        _ => emit(m, p, entry, &plan),
    })?;
    let (module, progress, ()) = frame.finish(next);
    let Plan { layout, streams, shadows, requirements, .. } = plan;
    let locations = shadows.iter().map(|shadow| shadow.location).collect();
    let result = Decorated { layout, streams, locations };
    Ok(Lowered { module, progress, params: Vec::new(), requirements, result })
}

/// The decisions that the options lead to for one module. The edits follow them.
struct Plan {
    layout: Layout,
    streams: Vec<u32>,
    targets: Vec<Target>,
    shadows: Vec<Shadow>,
    requirements: Requirements,
}

impl Plan {
    fn new(frame: &Frame<'_>, options: &Options) -> Result<Self, Error> {
        let m = frame.isolated();
        let entry = frame.entry(m)?;
        if !options.draws.are_unknown() {
            let message = "restrictions of draws do not apply to the extension path";
            return Err(Error::new(&code::CAPTURE_DRAWS_WITH_EXTENSION, message));
        }
        let outputs = Outputs::of(m, entry);
        let (layout, stores) = select::lay_out(frame, entry, options, &outputs)?;
        let streams = stores.iter().map(|stores| stream(m, stores)).collect::<Result<_, _>>()?;
        let (mut targets, mut shadows) = (Vec::new(), Vec::new());
        // Captures that a decoration cannot express use shadow outputs.
        if options.varyings != Varyings::Decorated {
            let rest;
            (targets, rest) = targets::find(m, &outputs, &layout, &stores);
            shadows = shadows::join(&rest);
            shadows::place(m, entry, frame.target(), &mut shadows)?;
        }
        let mut plan =
            Self { layout, streams, targets, shadows, requirements: Requirements::default() };
        plan.requirements = needs::requirements(m, entry, &outputs, &plan);
        if let Some(device) = &frame.target().device_limits().transform_feedback {
            needs::check(entry, &plan.requirements, device)?;
        }
        Ok(plan)
    }
}

fn emit<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    plan: &Plan,
) -> Result<(), Error> {
    native_xfb::strip_outputs(m, p, entry);

    p.capability(Capability::TRANSFORM_FEEDBACK);
    if m.mode(entry.function(), ExecutionMode::XFB).is_none() {
        p.mode(entry.function(), ExecutionMode::XFB, &[]);
    }
    targets::decorate(p, &plan.layout, &plan.targets);
    shadows::emit(m, p, entry, plan)
}

/// Returns the error for too few free locations below `end` for `wanted` shadow outputs.
fn no_location(entry: EntryPoint<'_>, wanted: usize, end: u32) -> Error {
    let message =
        format!("{wanted} outputs must be copied, but too few locations below {end} are free");
    let error = Error::new(&code::INTERFACE_NO_FREE_LOCATION, message).about(entry.function());
    error.help(
        "specify the device's limit of output components, or capture whole outputs in their order",
    )
}
