//! What producers get wrong, and drivers crash on, is put right where the caller asks for it.

use super::arrays::{ANY, CLASSES, declared, with_others};
use super::limits;
use super::marks::{KINDS, Kind};
use super::prepare::{builtin_array, is_used, prepare_builtins, without_unused};
use super::registers::is_per_vertex;
use super::relocate::distance_array;
use crate::code;
use crate::host::{Lowered, Requirements, Target};
use crate::moves::{self, Frame};
use crate::transform_feedback::strip_capture;
use polyshade_spv::view::AccessChain;
use polyshade_spv::{Error, ExecutionMode, Id, Module, Op, StorageClass, Type};
use std::fmt;
use std::str::FromStr;

/// Something that is put right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Repair {
    /// A built-in array without its capability gets it.
    Capability,
    /// Built-in arrays, and members of `gl_PerVertex`, that nothing uses go.
    Unused,
    /// An array without a length, or longer than the device takes, becomes as long as it is used.
    Size,
    /// The mode and decorations of transform feedback go.
    TransformFeedback,
}

/// All of them, in the order in which they are made.
pub const REPAIRS: [Repair; 4] =
    [Repair::TransformFeedback, Repair::Capability, Repair::Unused, Repair::Size];

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Capability => "capability",
            Self::Unused => "unused",
            Self::Size => "size",
            Self::TransformFeedback => "xfb",
        })
    }
}

impl FromStr for Repair {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        REPAIRS.into_iter().find(|repair| repair.to_string() == text).ok_or_else(|| {
            let names = REPAIRS.map(|repair| repair.to_string()).join(", ");
            let message = format!("there is no repair `{text}`: {names} are");
            Error::new(&code::CLIP_INVALID_REPAIR, message)
        })
    }
}

/// Makes those of `repairs` that the entry point of `target` needs. The result says which there were to make, in the
/// order of [`REPAIRS`].
///
/// # Errors
///
/// `Unsupported`: an array to be shortened that is used as a whole, or indexed by what only the running shader knows;
/// what the [moves] refuse.
pub fn repair<'m>(
    module: &'m Module<'_>,
    target: impl Into<Target>,
    repairs: &[Repair],
) -> Result<Lowered<'m, Vec<Repair>>, Error> {
    let frame = Frame::new(module, &target.into(), &ANY)?;
    let mut current = frame.isolated().clone();
    let mut made = Vec::new();
    for repair in REPAIRS.into_iter().filter(|repair| repairs.contains(repair)) {
        let next = match repair {
            Repair::TransformFeedback => without_capture(&frame, &current)?,
            Repair::Capability => with_capabilities(&frame, &current)?,
            Repair::Unused => without_unused_arrays(&frame, &current)?,
            Repair::Size => shortened(&frame, &current)?,
        };
        if let Some(next) = next {
            current = next;
            made.push(repair);
        }
    }
    if made.is_empty() {
        return Ok(Lowered::unchanged(module, made));
    }
    with_others(&frame, frame.made(current, Requirements::default(), made))
}

fn without_capture(frame: &Frame<'_>, m: &Module<'_>) -> Result<Option<Module<'static>>, Error> {
    let function = frame.entry(m)?.function();
    if m.mode(function, ExecutionMode::XFB).is_none() {
        return Ok(None);
    }
    let next = frame.rewrite(m, |m, p, entry| {
        strip_capture(m, p, entry);
        Ok(())
    })?;
    Ok(Some(next.module.into_owned()))
}

fn with_capabilities(frame: &Frame<'_>, m: &Module<'_>) -> Result<Option<Module<'static>>, Error> {
    let missing: Vec<Kind> = declared(m, frame.entry(m)?)
        .into_iter()
        .filter(|kind| !m.has_capability(kind.capability()))
        .collect();
    if missing.is_empty() {
        return Ok(None);
    }
    let next = frame.rewrite(m, |_, p, _| {
        for kind in &missing {
            p.capability(kind.capability());
        }
        Ok(())
    })?;
    Ok(Some(next.module.into_owned()))
}

fn without_unused_arrays(
    frame: &Frame<'_>,
    m: &Module<'_>,
) -> Result<Option<Module<'static>>, Error> {
    let split = prepare_builtins(frame, m, &CLASSES)?;
    let next = frame.rewrite(&split, |m, p, entry| {
        for class in CLASSES {
            for kind in KINDS {
                let array = builtin_array(m, entry, class, kind);
                if let Some(array) = array.filter(|array| !is_used(m, *array)) {
                    p.remove_definition(array);
                }
            }
        }
        Ok(())
    })?;
    if declared(&next.module, frame.entry(&next.module)?).len()
        == declared(m, frame.entry(m)?).len()
    {
        return Ok(None);
    }
    without_unused(frame, &next.module).map(Some)
}

/// The type of the distances of one vertex.
fn distances(m: &Module<'_>, variable: Id, per_vertex: bool) -> Option<Type> {
    let mut ty = m.pointee(variable)?;
    if per_vertex && let Some(Type::Array { element, .. }) = m.ty(ty) {
        ty = element;
    }
    m.ty(ty)
}

/// The length of an array of distances; `None` where it has none.
fn length(m: &Module<'_>, array: Id, per_vertex: bool) -> Option<u32> {
    match distances(m, array, per_vertex)? {
        Type::Array { length, .. } => m.constant(length),
        _ => None,
    }
}

fn shortened(frame: &Frame<'_>, m: &Module<'_>) -> Result<Option<Module<'static>>, Error> {
    let split = prepare_builtins(frame, m, &CLASSES)?;
    let next = frame.rewrite(&split, |m, p, entry| {
        let mut any = false;
        for class in CLASSES {
            let per_vertex = is_per_vertex(entry.model(), class);
            for kind in KINDS {
                let Some(array) = builtin_array(m, entry, class, kind) else { continue };
                let device = frame.target().device_limits();
                let most = match kind {
                    Kind::Clip => device.max_clip_distances,
                    Kind::Cull => device.max_cull_distances,
                };
                if length(m, array, per_vertex).is_some_and(|length| length <= most) {
                    continue;
                }
                let count = used_elements(m, array, per_vertex)?.max(1);
                let vertices = match m.type_of(array).and_then(|ty| m.pointer(ty)) {
                    Some((_, ty)) => match m.ty(ty) {
                        Some(Type::Array { length, .. }) if per_vertex => Some(length),
                        _ => None,
                    },
                    None => None,
                };
                let new = distance_array(p, entry, class, (kind, count), vertices);
                moves::redirect(m, p, array, new)?;
                p.remove_definition(array);
                any = true;
            }
        }
        Ok(any)
    })?;
    if !next.value {
        return Ok(None);
    }
    let short = next.module.into_owned();
    let entry = frame.entry(&short)?;
    let count = |class, kind| {
        let array = builtin_array(&short, entry, class, kind);
        array.and_then(|array| length(&short, array, is_per_vertex(entry.model(), class)))
    };
    let outputs = KINDS.map(|kind| count(StorageClass::OUTPUT, kind).unwrap_or(0));
    limits::check(frame.target(), outputs)?;
    Ok(Some(short))
}

/// How many elements of an array are used: one more than the highest index.
fn used_elements(m: &Module<'_>, array: Id, per_vertex: bool) -> Result<u32, Error> {
    let ty = distances(m, array, per_vertex);
    if !matches!(ty, Some(Type::Array { .. } | Type::Other(Op::TYPE_RUNTIME_ARRAY))) {
        let message = "the distances are a scalar or a vector, and only arrays are shortened";
        return Err(Error::new(&code::CLIP_ARRAY_NOT_SHORTENED, message).about(array));
    }
    let level = usize::from(per_vertex);
    let mut count = 0;
    for inst in m.code_uses_of(array) {
        let chain = AccessChain::of(inst)
            .filter(|_| matches!(inst.op(), Op::ACCESS_CHAIN | Op::IN_BOUNDS_ACCESS_CHAIN));
        let index = chain.and_then(|chain| chain.indices().nth(level));
        let Some(index) = index.and_then(|index| m.constant(index)) else {
            let message = "an array of distances is to be shortened, and not all indices are known";
            return Err(Error::new(&code::CLIP_ARRAY_NOT_SHORTENED, message)
                .about(array)
                .at(inst.at()));
        };
        count = count.max(index.saturating_add(1));
    }
    Ok(count)
}
