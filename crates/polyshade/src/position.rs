//! The position is changed where a stage hands it on, after transform feedback has seen what the shader wrote.

use crate::host::{Limit, Lowered, Requirements, Stages, Target, Words};
use crate::moves::{self, FoundBuiltin, Lowering, OutputPoint};
use crate::unsupported;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Decoration, Error, ExecutionMode, ExecutionModel, Id, Module, Patch, StorageClass,
};

/// The stages that hand on a position.
pub(crate) const STAGES: Stages = Stages {
    models: &[
        ExecutionModel::VERTEX,
        ExecutionModel::TESSELLATION_EVALUATION,
        ExecutionModel::GEOMETRY,
    ],
    otherwise: "does not hand on a position",
};

/// What is known of a shader whose position was changed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Changed {
    /// The location of an output that was added: the extension captures it instead of the position.
    pub location: Option<u32>,
}

/// Makes a variant of `module` that hands on what a function that `emit` emits makes of the position, a vector of four
/// floats. The module itself where it has no position. The lowering is noted in it, and refused where it is noted
/// already.
pub(crate) fn change<'m>(
    module: &'m Module<'_>,
    target: &Target,
    lowering: &Lowering,
    words: Vec<Words>,
    emit: impl for<'e, 'x> FnOnce(
        &'e Module<'x>,
        &mut Patch<'e, 'x>,
        EntryPoint<'e>,
        &[Words],
    ) -> Result<Id, Error>,
) -> Result<Lowered<'m, Changed>, Error> {
    let (module, progress, value) = moves::lower(module, target, lowering, |m, p, entry| {
        lowering.check_not_done(m, entry)?;
        let Some(position) = position(m, entry) else { return Ok(None) };
        let float = p.float();
        if position.ty != p.vector(float, 4) {
            let message = "the position is not a vector of four floats";
            return Err(unsupported(message, position.variable));
        }
        let points = moves::output_points(m, p, entry)?;
        let points: Vec<OutputPoint<'_>> =
            points.into_iter().filter(of_stream(m, position)).collect();
        let location = keep_captured(m, p, entry, target, position, &points)?;
        let function = emit(m, p, entry, &words)?;
        for point in &points {
            hand_on(p, position, function, *point);
        }
        lowering.stamp(p, entry);
        Ok(Some((Changed { location }, requirements(m, entry, location, &words))))
    })?;
    let (words, (result, requirements)) = match value {
        Some(changed) => (words, changed),
        None => (Vec::new(), (Changed::default(), Requirements::default())),
    };
    Ok(Lowered { module, progress, words, requirements, result })
}

/// An error where the position of `entry` is to be captured, and is not what the shader wrote any more.
pub(crate) fn check_unchanged(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<(), Error> {
    match LOWERINGS.iter().find(|lowering| lowering.is_noted(m, entry)) {
        Some(lowering) => {
            let message = format!(
                "the position is to be captured, and {} has changed it already",
                lowering.name
            );
            Err(unsupported(message, entry.function()).help("capture first"))
        }
        None => Ok(()),
    }
}

/// Those that change the position.
const LOWERINGS: [&Lowering; 2] =
    [&crate::depth_convention::LOWERING, &crate::rasterizer_discard::LOWERING];

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
    target: &Target,
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

    let end = target.device_limits().output_components / 4;
    let location = moves::free_output_locations(m, entry, target.reservations(), end).next();
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

fn requirements<'m>(
    m: &'m Module<'_>,
    entry: EntryPoint<'m>,
    location: Option<u32>,
    words: &[Words],
) -> Requirements {
    let mut requirements = Requirements::default();
    requirements.read(words, entry.model());
    if let Some(location) = location {
        let end = moves::end_of_output_locations(m, entry).max(location.saturating_add(1));
        requirements.limits.push(Limit::output_components(entry.model(), end));
    }
    requirements.limits.extend(requirements.push_constants_limit());
    requirements
}
