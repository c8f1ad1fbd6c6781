//! The capture that a module's own decorations select (Vulkan specification, "Interfaces with transform feedback").

use super::layout::{Builder, Piece};
use super::leaves::{Leaf, leaves};
use super::outputs::{Outputs, Part};
use crate::code;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, Error, ExecutionMode, ExecutionModel, Id, Module, Type};

/// Lays out the outputs that the module's decorations capture. An `Offset` selects an output; `XfbBuffer` and
/// `XfbStride`, on it or on the variable of its block, choose the buffer.
pub(super) fn lay_out(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    outputs: &Outputs,
    builder: &mut Builder,
) -> Result<(), Error> {
    if m.mode(entry.function(), ExecutionMode::XFB).is_none() {
        let message =
            "the entry point has no Xfb execution mode, so its decorations capture nothing";
        let error = Error::new(&code::CAPTURE_NO_XFB_MODE, message).about(entry.function());
        return Err(error.help("name what to capture"));
    }
    let has_streams = entry.model() == ExecutionModel::GEOMETRY;
    let mut decorated = Decorated { m, has_streams, builder, strides: Vec::new() };
    for output in &outputs.all {
        decorated.output(&output.part, &output.shown())?;
    }
    let Decorated { strides, builder, .. } = decorated;
    for (buffer, stride) in strides {
        builder.set_stride(buffer, stride)?;
    }
    Ok(())
}

struct Decorated<'d, 'm> {
    m: &'d Module<'m>,
    has_streams: bool,
    builder: &'d mut Builder,
    /// The strides in the order of their first decorations, by buffer.
    strides: Vec<(usize, u32)>,
}

/// The transform feedback decorations of an output or a member.
struct Said {
    offset: u32,
    buffer: u32,
    stride: u32,
}

impl Decorated<'_, '_> {
    /// Captures an output, which is a variable or a member of a block, if decorations select it.
    fn output(&mut self, part: &Part, name: &str) -> Result<(), Error> {
        let m = self.m;
        let variable = part.variable;
        let pointee = m.pointee(variable);
        let block =
            pointee.filter(|ty| *ty != part.ty && matches!(m.ty(*ty), Some(Type::Struct { .. })));
        if let (Some(block), [member]) = (block, part.path.as_slice()) {
            return match self.said(variable, Some((block, *member)))? {
                Some(said) => self.capture(part, name, &said),
                None => Ok(()),
            };
        }
        if let Some(said) = self.said(variable, None)? {
            return self.capture(part, name, &said);
        }
        self.array_of_blocks(part, name)
    }

    /// Captures element *e* of an array of blocks into buffer `XfbBuffer` + *e*.
    fn array_of_blocks(&mut self, part: &Part, name: &str) -> Result<(), Error> {
        let m = self.m;
        let Some(Type::Array { element, length }) = m.ty(part.ty) else { return Ok(()) };
        let Some(Type::Struct { id: block }) = m.ty(element) else { return Ok(()) };
        for (member, ty) in (0..).zip(m.members(block)) {
            let Some(said) = self.said(part.variable, Some((block, member)))? else { continue };
            let Some(count) = m.constant(length) else {
                return Err(super::leaves::open_size(m, name, part.variable, length));
            };
            for index in 0..count {
                let buffer = said.buffer.saturating_add(index);
                let part = part.inside(index, element).inside(member, ty);
                let name = match m.member_name(block, member) {
                    Some(member) => format!("{name}[{index}].{member}"),
                    None => format!("{name}[{index}].{member}"),
                };
                self.capture(&part, &name, &Said { buffer, ..said })?;
            }
        }
        Ok(())
    }

    /// Returns the decorations of a variable or a block member, if they select it. A member inherits all but `Offset`.
    fn said(&self, variable: Id, member: Option<(Id, u32)>) -> Result<Option<Said>, Error> {
        let m = self.m;
        let of_member = |decoration| {
            let (block, member) = member?;
            m.member_decoration(block, member, decoration)?.first().copied()
        };
        let of_variable = |decoration| m.decoration(variable, decoration)?.first().copied();
        let offset = match member {
            Some(_) => of_member(Decoration::OFFSET),
            None => of_variable(Decoration::OFFSET),
        };
        let inherited = |decoration| of_member(decoration).or_else(|| of_variable(decoration));
        let Some(offset) = offset else { return Ok(None) };
        let stream = inherited(Decoration::STREAM).unwrap_or(0);
        if stream != 0 && !self.has_streams {
            let message = format!(
                "an output goes to vertex stream {stream}, which only a geometry stage has"
            );
            return Err(Error::new(&code::CAPTURE_STREAM_STAGE, message).about(variable));
        }
        match (inherited(Decoration::XFB_BUFFER), inherited(Decoration::XFB_STRIDE)) {
            (Some(buffer), Some(stride)) => Ok(Some(Said { offset, buffer, stride })),
            // The structure has offsets only because a buffer has its type too.
            (None, None) if member.is_some() => Ok(None),
            _ => {
                let message = "an output has an Offset, but not both XfbBuffer and XfbStride";
                Err(Error::new(&code::CAPTURE_INCOMPLETE_DECORATIONS, message).about(variable))
            }
        }
    }

    fn capture(&mut self, part: &Part, name: &str, said: &Said) -> Result<(), Error> {
        let malformed = |code, message| Err(Error::new(code, message).about(part.variable));
        let buffer = said.buffer as usize;
        self.builder.need_buffer(buffer)?;
        match self.strides.iter().find(|(other, _)| *other == buffer) {
            Some((_, stride)) if *stride != said.stride => {
                return malformed(
                    &code::CAPTURE_CONFLICTING_STRIDES,
                    format!("buffer {buffer} has two strides: {stride} and {} bytes", said.stride),
                );
            }
            Some(_) => {}
            None => self.strides.push((buffer, said.stride)),
        }

        let leaves = leaves(self.m, part, name, None)?;
        let wide = leaves.iter().any(|leaf| leaf.width == 2);
        let unit = if wide { 8 } else { 4 };
        if !said.offset.is_multiple_of(unit) || !said.stride.is_multiple_of(unit) {
            return malformed(
                &code::CAPTURE_MISALIGNED_DECORATIONS,
                format!(
                    "`{name}` is at byte {} of {}: both are multiples of {unit}",
                    said.offset, said.stride
                ),
            );
        }
        self.builder.put(buffer, name, place(leaves, said.offset / 4))
    }
}

/// The rule for the parts of a captured output with 64-bit components that start at a multiple of 8 bytes. GLSL 4.60,
/// 4.4.2.1, is clear for the qualified variable or member, but allows each of these readings for arrays and
/// structures in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aligned {
    /// Only components: "aggregate types are flattened down to the component level".
    Components,
    /// Also arrays and structures with such components, as in all drivers of Mesa.
    Starts,
    /// As `Starts`, and also the components after these arrays and structures, as glslang does for block members.
    StartsAndEnds,
}

/// Returns the leaves of a decorated output with their offsets, from `start` on, as in the open-source drivers.
pub(super) fn place(leaves: Vec<Leaf>, start: u32) -> Vec<(Piece, u32)> {
    let places = places(&leaves, start, Aligned::Starts);
    leaves.into_iter().map(Piece::whole).zip(places).collect()
}

/// Whether drivers may disagree about the offsets of the leaves of a decorated output.
pub(super) fn is_ambiguous(leaves: &[Leaf]) -> bool {
    let wanted = places(leaves, 0, Aligned::Starts);
    [Aligned::Components, Aligned::StartsAndEnds]
        .into_iter()
        .any(|aligned| places(leaves, 0, aligned) != wanted)
}

fn places(leaves: &[Leaf], start: u32, aligned: Aligned) -> Vec<u32> {
    let mut word = start;
    let placed = leaves.iter().map(|leaf| {
        let starts = leaf.begins_wide && aligned != Aligned::Components;
        let at = word.next_multiple_of(if starts { 2 } else { leaf.width });
        word = at.saturating_add(leaf.words());
        if leaf.ends_wide && aligned == Aligned::StartsAndEnds {
            word = word.next_multiple_of(2);
        }
        at
    });
    placed.collect()
}
