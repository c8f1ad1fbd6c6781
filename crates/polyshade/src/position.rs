//! The position is changed where a stage hands it on, after transform feedback has seen what the shader wrote.

use crate::moves::{self, FoundBuiltin, OutputPoint};
use crate::reserved::Reserved;
use crate::transform_feedback::{Limit, Requirements};
use crate::unsupported;
use polyshade_spv::view::{EntryPoint, Note};
use polyshade_spv::{
    BuiltIn, Decoration, Error, ErrorKind, ExecutionMode, ExecutionModel, Id, Module, Patch,
    Section, StorageClass,
};

/// What is changed, and what has to stay free.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    pub(crate) entry: String,
    pub(crate) stage: ExecutionModel,
    pub(crate) reserved: Reserved,
    pub(crate) output_components: u32,
    pub(crate) names: bool,
}

impl Change {
    /// Of the vertex entry point `entry`, for any device.
    pub(crate) fn new(entry: String) -> Self {
        let stage = ExecutionModel::VERTEX;
        let reserved = Reserved::default();
        Self { entry, stage, reserved, output_components: 64, names: true }
    }
}

/// The setters that are those of every change.
macro_rules! setters {
    () => {
        /// The stage of the entry point, the last one before rasterization; unless said otherwise the vertex stage.
        #[must_use]
        pub fn stage(mut self, stage: polyshade_spv::ExecutionModel) -> Self {
            self.change.stage = stage;
            self
        }

        /// Keeps what is added clear of what others use.
        #[must_use]
        pub fn reserved(mut self, reserved: $crate::Reserved) -> Self {
            self.change.reserved = reserved;
            self
        }

        /// How many components the device lets the stage hand on, for an output that is captured instead of the
        /// position. Unless said otherwise it is 64, which every device has.
        #[must_use]
        pub fn max_output_components(mut self, components: u32) -> Self {
            self.change.output_components = components;
            self
        }

        /// Whether what is added gets debug names. It does unless told otherwise.
        #[must_use]
        pub fn names(mut self, names: bool) -> Self {
            self.change.names = names;
            self
        }
    };
}

pub(crate) use setters;

/// What a change came to.
pub(crate) struct Changed<'m> {
    /// The module itself where it has no position.
    pub(crate) module: Module<'m>,
    /// The location of the output that is captured instead of the position, if that was captured.
    pub(crate) location: Option<u32>,
    /// What the device must have.
    pub(crate) requirements: Requirements,
}

/// Makes a variant of `module` that hands on what `emit` makes of the position. `lowering` is noted in it, and refused
/// where it is noted already.
///
/// `emit` emits the function that maps a position to another, a vector of four floats.
pub(crate) fn change<'m>(
    module: &'m Module<'_>,
    change: &Change,
    lowering: &str,
    emit: impl for<'e, 'w> FnOnce(
        &'e Module<'w>,
        &mut Patch<'e, 'w>,
        EntryPoint<'e>,
    ) -> Result<Emitted, Error>,
) -> Result<Changed<'m>, Error> {
    let entry = module.entry_point(&change.entry, change.stage)?;
    check_stage(change.stage)?;
    let note = note(lowering, entry);
    if notes(module).any(|other| other == note) {
        let message = format!("{lowering} has been done already");
        return Err(unsupported(message, entry.function()));
    }
    if position(module, entry).is_none() {
        let (location, requirements) = (None, Requirements::default());
        return Ok(Changed { module: module.borrowed(), location, requirements });
    }

    let isolated = moves::isolate(module, &change.entry, change.stage)?;
    let is_isolated = isolated.is_changed();
    let rewritten = isolated.module.rewrite(|m, p| {
        p.set_names(change.names);
        p.set_first_id(change.reserved.first_id());
        let entry = m.entry_point(&change.entry, change.stage)?;
        let position = position(m, entry).expect("isolation keeps outputs");
        let float = p.float();
        if position.ty != p.vector(float, 4) {
            let message = "the position is not a vector of four floats";
            return Err(unsupported(message, position.variable));
        }
        let points = moves::output_points(m, p, entry)?;
        let points: Vec<OutputPoint<'_>> =
            points.into_iter().filter(of_stream(m, position)).collect();
        let location = keep_captured(m, p, entry, change, position, &points)?;
        let Emitted { function, push_constants } = emit(m, p, entry)?;
        for point in &points {
            hand_on(p, position, function, *point);
        }
        p.note(&note);
        Ok((location, requirements(m, entry, location, push_constants)))
    });
    // Offsets and ids are those of a version that nobody but us has seen.
    let place = |error: Error| if is_isolated { error.without_place() } else { error };
    let rewritten = rewritten.map_err(place)?;
    let (location, requirements) = rewritten.value;
    Ok(Changed { module: rewritten.module.into_owned(), location, requirements })
}

/// The function that maps positions, and where its push constants end.
pub(crate) struct Emitted {
    pub(crate) function: Id,
    pub(crate) push_constants: Option<std::ops::Range<u32>>,
}

/// An error where the position of `entry` is to be captured, and is not what the shader wrote any more.
pub(crate) fn check_unchanged(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<(), Error> {
    let changed = LOWERINGS.iter().find(|lowering| {
        let wanted = note(lowering, entry);
        notes(m).any(|other| other == wanted)
    });
    match changed {
        Some(lowering) => {
            let message =
                format!("the position is to be captured, and {lowering} has changed it already");
            Err(unsupported(message, entry.function()).help("capture first"))
        }
        None => Ok(()),
    }
}

pub(crate) const DEPTH_CONVENTION: &str = "depth_convention";
pub(crate) const RASTERIZER_DISCARD: &str = "rasterizer_discard";
const LOWERINGS: [&str; 2] = [DEPTH_CONVENTION, RASTERIZER_DISCARD];

fn note(lowering: &str, entry: EntryPoint<'_>) -> String {
    format!("polyshade {lowering} {} {}", entry.model(), entry.name())
}

fn notes<'m>(m: &'m Module<'_>) -> impl Iterator<Item = std::borrow::Cow<'m, str>> {
    let sections = [Section::Processed, Section::Sources];
    let instructions = sections.into_iter().flat_map(|section| m.section(section));
    instructions.filter_map(Note::of).map(|note| note.text())
}

fn check_stage(stage: ExecutionModel) -> Result<(), Error> {
    match stage {
        ExecutionModel::VERTEX
        | ExecutionModel::TESSELLATION_EVALUATION
        | ExecutionModel::GEOMETRY => Ok(()),
        other => {
            let message = format!("a {other} stage does not hand on a position");
            Err(Error::new(ErrorKind::Unsupported, message))
        }
    }
}

fn position(m: &Module<'_>, entry: EntryPoint<'_>) -> Option<FoundBuiltin> {
    moves::find_builtin(m, entry, StorageClass::OUTPUT, BuiltIn::POSITION)
}

/// What a decoration of the position says: of the member, or else of its block.
fn said(m: &Module<'_>, position: FoundBuiltin, decoration: Decoration) -> Option<u32> {
    let words = position
        .member
        .and_then(|member| m.member_decoration(block(m, position)?, member, decoration))
        .or_else(|| m.decoration(position.variable, decoration));
    words?.first().copied()
}

/// The type of the variable.
fn block(m: &Module<'_>, position: FoundBuiltin) -> Option<Id> {
    m.pointee(position.variable)
}

/// Whether an output point hands on the position: only one vertex stream is rasterized.
fn of_stream(m: &Module<'_>, position: FoundBuiltin) -> impl Fn(&OutputPoint) -> bool {
    let stream = said(m, position, Decoration::STREAM).unwrap_or(0);
    move |point| point.stream.is_none_or(|other| other == stream)
}

/// Where the position is captured by the extension, makes an output that is captured instead and holds what the shader
/// wrote. Returns its location.
///
/// ```text
/// %old = OpLoad %v4float %position
///        OpStore %polyshade_position %old
/// ```
fn keep_captured<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    change: &Change,
    position: FoundBuiltin,
    points: &[OutputPoint<'m>],
) -> Result<Option<u32>, Error> {
    const XFB: [Decoration; 3] =
        [Decoration::XFB_BUFFER, Decoration::XFB_STRIDE, Decoration::OFFSET];
    let captures = m.mode(entry.function(), ExecutionMode::XFB).is_some();
    // The offset of another member is none of the position's.
    let offset = match position.member {
        Some(member) => block(m, position)
            .and_then(|block| m.member_decoration(block, member, Decoration::OFFSET))
            .and_then(|words| words.first().copied()),
        None => said(m, position, Decoration::OFFSET),
    };
    let [Some(buffer), Some(stride), Some(offset)] =
        [said(m, position, XFB[0]), said(m, position, XFB[1]), offset]
    else {
        return Ok(None);
    };
    if !captures {
        return Ok(None);
    }

    let end = change.output_components / 4;
    let location = moves::free_output_locations(m, entry, &change.reserved, end).next();
    let location = location.ok_or_else(|| {
        let message = format!(
            "the position is captured, and no location below {end} is free for what the shader wrote"
        );
        unsupported(message, position.variable).help("say how many output components the device has")
    })?;
    match (position.member, block(m, position)) {
        (Some(member), Some(block)) => {
            p.undecorate(block, |other, decoration| {
                other == Some(member) && XFB.contains(&decoration)
            });
        }
        _ => p.undecorate(position.variable, |_, decoration| XFB.contains(&decoration)),
    }
    let shadow = moves::add_output(p, entry, location, position.ty, "polyshade_position");
    for (decoration, value) in XFB.into_iter().zip([buffer, stride, offset]) {
        p.decorate(shadow, decoration, &[value]);
    }
    if let Some(stream) = said(m, position, Decoration::STREAM).filter(|stream| *stream != 0) {
        p.decorate(shadow, Decoration::STREAM, &[stream]);
    }
    for point in points {
        let mut code = p.at(point.before);
        let pointer = position.pointer(&mut code);
        let old = code.load(position.ty, pointer);
        code.store(shadow, old);
    }
    Ok(Some(location))
}

/// Changes the position at one output point. Behind an emit it is again what the shader wrote, which may lean on that.
///
/// ```text
/// %old = OpLoad %v4float %position
/// %new = OpFunctionCall %v4float %function %old
///        OpStore %position %new
///        OpEmitVertex
///        OpStore %position %old
/// ```
fn hand_on<'m>(
    p: &mut Patch<'m, '_>,
    position: FoundBuiltin,
    function: Id,
    point: OutputPoint<'m>,
) {
    let mut code = p.at(point.before);
    let pointer = position.pointer(&mut code);
    let old = code.load(position.ty, pointer);
    let new = code.call(position.ty, function, &[old]);
    code.store(pointer, new);
    if let Some(after) = point.after {
        p.at(after).store(pointer, old);
    }
}

fn requirements(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    location: Option<u32>,
    push_constants: Option<std::ops::Range<u32>>,
) -> Requirements {
    let mut limits = Vec::new();
    if let Some(location) = location {
        let end = moves::end_of_output_locations(m, entry).max(location.saturating_add(1));
        limits.push(Limit::output_components(entry.model(), end));
    }
    if let Some(range) = &push_constants {
        limits.push(Limit { name: "maxPushConstantsSize", at_least: range.end });
    }
    Requirements { limits, push_constants, ..Requirements::default() }
}
