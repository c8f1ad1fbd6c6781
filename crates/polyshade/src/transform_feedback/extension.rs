//! Capture by `VK_EXT_transform_feedback`: outputs are decorated, and what cannot be decorated is copied to outputs
//! that can.
//!
//! A decoration captures a variable or a member of a block as a whole, once, at an aligned place. All else that OpenGL
//! can name (an element of an array, a member of a structure, components in another order, 64 bits off their
//! alignment) is copied, as bits, to *shadow outputs* wherever the stage hands on a vertex.

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

/// What is known of a shader that the extension captures from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Decorated {
    /// What is captured where.
    pub layout: Layout,
    /// The vertex stream that each buffer captures; 0 but in geometry stages.
    pub streams: Vec<u32>,
    /// Locations that were free and now hold copies of what cannot be decorated, one vector each.
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
/// `VK_EXT_transform_feedback` captures what `options` name.
///
/// Of the options, those that say where storage buffers and host parameters are, what becomes of side effects and
/// whether a point size is written mean nothing here. A varying goes to the buffer of the vertex stream that its
/// `Stream` decoration names.
///
/// # Errors
///
/// * `NotFound`, `Options` and `Malformed` as for [`prepare`](super::prepare()); `Options` as well where one buffer
///   would capture from two vertex streams.
/// * `Unsupported`: another stage; a varying whose type is not made of numbers of 32 or 64 bits, or whose size depends
///   on a specialization constant; by name, a structure or an array of arrays as a whole; too few free locations for
///   copies; more than a [device](host::Device) offers; the errors of the [rewrite
///   tools](crate::rewrite).
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

/// What the options come to for one module: everything but the edits.
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

/// The vertex stream of everything that one buffer captures.
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

/// The vertex stream of an output.
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

/// An error where a location for a copy is not to be had.
fn no_location(entry: EntryPoint<'_>, wanted: usize, end: u32) -> Error {
    let message =
        format!("{wanted} outputs have to be copied, and too few locations below {end} are free");
    let error = Error::new(&code::INTERFACE_NO_FREE_LOCATION, message).about(entry.function());
    error.help(
        "say how many output components the device has, or capture whole outputs in their order",
    )
}
