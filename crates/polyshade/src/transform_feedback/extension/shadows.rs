//! Shadow outputs: copies of outputs that no decoration can capture as requested.

use super::targets::InBuffer;
use super::{Plan, no_location};
use crate::host::Target;
use crate::rewrite;
use crate::transform_feedback::emit::{load, words};
use crate::transform_feedback::leaves::Leaf;
use crate::transform_feedback::outputs::Part;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Cursor, Decoration, Error, Id, Module, Patch, StorageClass};

/// An added output that is captured instead of outputs of the shader: a vector of 32-bit integers.
#[derive(Debug)]
pub(super) struct Shadow {
    pub(super) buffer: u32,
    /// The offset in 32-bit units from the start of the vertex.
    word: u32,
    sources: Vec<Source>,
    pub(super) location: u32,
}

impl Shadow {
    /// Returns the number of components.
    pub(super) fn words(&self) -> u32 {
        self.sources.len() as u32
    }
}

/// A 32-bit part of an output.
#[derive(Clone, Debug)]
struct Source {
    leaf: Leaf,
    component: u32,
    /// For a 64-bit component, 0 for the lower half or 1 for the upper half; otherwise 0.
    half: u32,
}

/// The maximum number of components of a vector.
const WIDEST: usize = 4;

/// Joins consecutive 32-bit parts of a buffer into vectors. One output per part would be simpler, but drivers capture
/// such outputs incorrectly.
pub(super) fn join(rest: &[InBuffer<'_>]) -> Vec<Shadow> {
    let mut sources: Vec<(u32, u32, Source)> = Vec::new();
    for InBuffer { buffer, stored } in rest {
        let piece = &stored.piece;
        let mut word = stored.word;
        for component in piece.first..piece.first + piece.count {
            for half in 0..piece.leaf.width {
                sources.push((*buffer, word, Source { leaf: piece.leaf.clone(), component, half }));
                word += 1;
            }
        }
    }
    sources.sort_by_key(|(buffer, word, _)| (*buffer, *word));

    let mut shadows: Vec<Shadow> = Vec::new();
    for (buffer, word, source) in sources {
        match shadows.last_mut() {
            Some(last)
                if last.buffer == buffer
                    && last.sources.len() < WIDEST
                    && last.word + last.sources.len() as u32 == word =>
            {
                last.sources.push(source);
            }
            _ => shadows.push(Shadow { buffer, word, sources: vec![source], location: 0 }),
        }
    }
    shadows
}

/// Gives each shadow output a free location.
pub(super) fn place(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    target: &Target,
    shadows: &mut [Shadow],
) -> Result<(), Error> {
    if shadows.is_empty() {
        return Ok(());
    }
    // A device that can run the shader supports at least the locations that the shader already uses.
    let end = target.device_limits().output_components / 4;
    let (wanted, end) = (shadows.len(), end.max(rewrite::end_of_output_locations(m, entry)));
    let mut free = rewrite::free_output_locations(m, entry, target.reservations(), end);
    for shadow in shadows {
        shadow.location = free.next().ok_or_else(|| no_location(entry, wanted, end))?;
    }
    Ok(())
}

/// Adds the shadow outputs, and emits stores to them wherever the stage exports a vertex.
///
/// ```text
///      %pointer = OpAccessChain %_ptr_Output_v4float %output …
///        %value = OpLoad %v4float %pointer
///            %x = OpCompositeExtract %float %value 0
///         %bits = OpBitcast %uint %x
///       %vector = OpCompositeConstruct %v2uint %bits …
///                 OpStore %polyshade_captured_0 %vector
/// ```
pub(super) fn emit<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    plan: &Plan,
) -> Result<(), Error> {
    if plan.shadows.is_empty() {
        return Ok(());
    }
    let points = rewrite::export_points(m, p, entry)?;
    let variables: Vec<Id> =
        plan.shadows.iter().map(|shadow| variable(p, entry, plan, shadow)).collect();

    let stream = |shadow: &Shadow| plan.streams[shadow.buffer as usize];
    let mut streams: Vec<u32> = plan.shadows.iter().map(stream).collect();
    streams.sort_unstable();
    streams.dedup();
    for number in streams {
        let shadows = plan.shadows.iter().zip(&variables);
        let shadows = shadows.filter(|(shadow, _)| stream(shadow) == number);
        let at = points.at_exports(p, Some(number));
        copy_outputs(&mut p.at(at), shadows);
    }
    Ok(())
}

fn variable<'m>(p: &mut Patch<'m, '_>, entry: EntryPoint<'m>, plan: &Plan, shadow: &Shadow) -> Id {
    let buffer = shadow.buffer as usize;
    let ty = vector(p, shadow.sources.len());
    let name = format!("polyshade_captured_{}_{}", shadow.buffer, shadow.word);
    let variable = rewrite::add_output(p, entry, shadow.location, ty, &name);
    p.decorate(variable, Decoration::XFB_BUFFER, &[shadow.buffer]);
    p.decorate(variable, Decoration::XFB_STRIDE, &[plan.layout.buffers[buffer].stride]);
    p.decorate(variable, Decoration::OFFSET, &[shadow.word * 4]);
    if plan.streams[buffer] != 0 {
        p.decorate(variable, Decoration::STREAM, &[plan.streams[buffer]]);
    }
    variable
}

/// Returns the type of a vector of `count` 32-bit integers, or of a scalar.
fn vector(p: &mut Patch<'_, '_>, count: usize) -> Id {
    let uint = p.uint();
    if count == 1 { uint } else { p.vector(uint, count as u32) }
}

/// Emits stores to the shadow outputs of one vertex stream.
fn copy_outputs<'s>(
    code: &mut Cursor<'_, '_, '_>,
    shadows: impl Iterator<Item = (&'s Shadow, &'s Id)>,
) {
    let mut last = None;
    for (shadow, variable) in shadows {
        let values: Vec<Id> =
            shadow.sources.iter().map(|source| word(code, source, &mut last)).collect();
        let value = match values.as_slice() {
            [only] => *only,
            _ => {
                let ty = vector(code.p, values.len());
                code.construct(ty, &values)
            }
        };
        code.store(*variable, value);
    }
}

/// The last loaded leaf, its last extracted component, and the 32-bit integers of that component.
struct Loaded<'s> {
    part: &'s Part,
    value: Id,
    component: u32,
    words: Vec<Id>,
}

/// Emits one 32-bit part. Reuses the loads and extractions for the previous part.
fn word<'s>(
    code: &mut Cursor<'_, '_, '_>,
    source: &'s Source,
    last: &mut Option<Loaded<'s>>,
) -> Id {
    let Source { leaf, component, half } = source;
    let value = match last {
        Some(loaded) if *loaded.part == leaf.part => loaded.value,
        _ => load(code, &leaf.part, StorageClass::OUTPUT),
    };
    let is_same = |loaded: &Loaded<'_>| *loaded.part == leaf.part && loaded.component == *component;
    if !last.as_ref().is_some_and(is_same) {
        let scalar = match leaf.count {
            1 => value,
            _ => code.extract(leaf.component, value, &[*component]),
        };
        let words = words(code, leaf, scalar);
        *last = Some(Loaded { part: &leaf.part, value, component: *component, words });
    }
    last.as_ref().map_or(value, |loaded| loaded.words[*half as usize])
}
