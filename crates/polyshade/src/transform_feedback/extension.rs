//! Capture by `VK_EXT_transform_feedback`: decorates outputs, and adds copies of those that it cannot decorate.
//!
//! A decoration captures a variable or a member of a block as a whole, once, at an aligned offset. Everything else
//! that OpenGL can name (an element of an array, a member of a structure, components in another order, unaligned
//! 64-bit components) is copied, bit by bit, to *shadow outputs* wherever the stage exports a vertex.

mod needs;
mod shadows;
mod targets;

use super::layout::{Layout, Stored};
use super::options::{Options, Varyings};
use super::outputs::Outputs;
use super::{foreign, select};
use crate::code;
use crate::host::{self, Lowered, Requirements};
use crate::rewrite::{Frame, Stages};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Capability, Decoration, Error, ExecutionMode, ExecutionModel, Module, Patch};
use shadows::Shadow;
use std::collections::BTreeSet;
use targets::Target;

/// The layout, streams and added outputs of a shader whose outputs the extension captures.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Decorated {
    /// The layout of the captured outputs.
    pub layout: Layout,
    /// The vertex stream of each buffer; 0 except in geometry stages.
    pub streams: Vec<u32>,
    /// Locations that were free and now have shadow outputs, one vector each.
    pub locations: Vec<u32>,
}

const STAGES: Stages = Stages {
    models: &[
        ExecutionModel::VERTEX,
        ExecutionModel::TESSELLATION_EVALUATION,
        ExecutionModel::GEOMETRY,
    ],
    otherwise: "is not captured by transform feedback",
};

/// Makes a variant of the vertex, tessellation evaluation or geometry shader `module` from which
/// `VK_EXT_transform_feedback` captures the outputs that `options` name.
///
/// The options for storage buffers, host parameters, side effects and point size have no effect. A varying's buffer
/// captures the vertex stream that the varying's `Stream` decoration names.
///
/// # Errors
///
/// * `NotFound`, `Options` and `Malformed` as for [`prepare`](super::prepare()); also `Options` if one buffer would
///   capture two vertex streams.
/// * `Unsupported`: another stage; a varying with components that are not 32- or 64-bit numbers, or whose size depends
///   on a specialization constant; a name that stands for a whole structure or array of arrays; too few free locations
///   for shadow outputs; limits of the [device](host::Device); the errors of the [rewrite tools](crate::rewrite).
pub fn decorate<'m>(
    module: &'m Module<'_>,
    target: impl Into<host::Target>,
    options: &Options,
) -> Result<Lowered<'m, Decorated>, Error> {
    let frame = Frame::specialized(module, &target.into(), &STAGES, options.constants())?;
    let version = frame.isolated();
    let plan = frame.found(version, Plan::new(&frame, options))?;
    let next = frame.rewrite(version, |m, p, entry| match options.varyings() {
        Varyings::Decorated => Ok(()),
        _ => emit(m, p, entry, &plan),
    })?;
    let (module, progress, ()) = frame.finish(next);
    let Plan { layout, streams, shadows, requirements, .. } = plan;
    let locations = shadows.iter().map(|shadow| shadow.location).collect();
    let result = Decorated { layout, streams, locations };
    Ok(Lowered { module, progress, params: Vec::new(), requirements, result })
}

/// The result of applying the options to one module: everything except the edits.
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
        if !options.draws().are_unknown() {
            let message = "what is known of the draws means nothing to the extension";
            return Err(Error::new(&code::CAPTURE_DRAWS_WITH_EXTENSION, message));
        }
        let outputs = Outputs::of(m, entry);
        let (layout, stores) = select::lay_out(frame, entry, options, &outputs)?;
        let streams = stores.iter().map(|stores| stream(m, stores)).collect::<Result<_, _>>()?;
        let (mut targets, mut shadows) = (Vec::new(), Vec::new());
        // Outputs that a decoration cannot capture as requested become shadow outputs.
        if *options.varyings() != Varyings::Decorated {
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

/// Returns the vertex stream that one buffer captures.
fn stream(m: &Module<'_>, stores: &[Stored]) -> Result<u32, Error> {
    let streams: BTreeSet<u32> = stores.iter().map(|stored| stream_of(m, stored)).collect();
    let mut streams = streams.into_iter();
    match (streams.next(), streams.next()) {
        (Some(one), Some(other)) => {
            let message = format!("one buffer would capture vertex streams {one} and {other}");
            let error = Error::new(&code::CAPTURE_STREAMS_SHARE_BUFFER, message);
            Err(error.help("outputs of another stream go on behind gl_NextBuffer"))
        }
        (only, _) => Ok(only.unwrap_or(0)),
    }
}

/// Returns the vertex stream of a captured piece.
fn stream_of(m: &Module<'_>, stored: &Stored) -> u32 {
    let said = stored.piece.leaf.part.said(m, Decoration::STREAM);
    said.and_then(|words| words.first()).copied().unwrap_or(0)
}

fn emit<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    plan: &Plan,
) -> Result<(), Error> {
    foreign::strip_outputs(m, p, entry);

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
        format!("{wanted} outputs have to be copied, and too few locations below {end} are free");
    let error = Error::new(&code::INTERFACE_NO_FREE_LOCATION, message).about(entry.function());
    error.help(
        "say how many output components the device has, or capture whole outputs in their order",
    )
}
