//! Lays out the capture that a module's own decorations select (Vulkan specification, "Interfaces with transform
//! feedback").

use super::layout::{Builder, Piece};
use super::leaves::{Leaf, leaves};
use super::outputs::{Outputs, Part};
use crate::code::{self, refuse};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, Error, ExecutionMode, ExecutionModel, Id, Module, Type};

/// Lays out the outputs that the module's decorations capture. An `Offset` selects an output; `XfbBuffer` and
/// `XfbStride`, on the output or on the variable of its block, choose the buffer and its stride.
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
        return Err(error.help("name the varyings to capture"));
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
    /// Each captured buffer and its stride, in the order in which decorations first use the buffers.
    strides: Vec<(usize, u32)>,
}

/// The transform feedback decorations of a variable or a block member.
struct XfbPlacement {
    offset: u32,
    buffer: u32,
    stride: u32,
}

impl Decorated<'_, '_> {
    /// Captures an output (a variable or a block member) if decorations select it.
    fn output(&mut self, part: &Part, name: &str) -> Result<(), Error> {
        let m = self.m;
        let variable = part.variable;
        let pointee = m.pointee(variable);
        let block =
            pointee.filter(|ty| *ty != part.ty && matches!(m.ty(*ty), Some(Type::Struct { .. })));
        if let (Some(block), [member]) = (block, part.path.as_slice()) {
            return match self.placement(variable, Some((block, *member)))? {
                Some(placement) => self.capture(part, name, &placement),
                None => Ok(()),
            };
        }
        if let Some(placement) = self.placement(variable, None)? {
            return self.capture(part, name, &placement);
        }
        self.array_of_blocks(part, name)
    }

    /// Captures element *e* of an array of blocks into buffer `XfbBuffer` + *e*.
    fn array_of_blocks(&mut self, part: &Part, name: &str) -> Result<(), Error> {
        let m = self.m;
        let Some(Type::Array { element, length }) = m.ty(part.ty) else { return Ok(()) };
        let Some(Type::Struct { id: block }) = m.ty(element) else { return Ok(()) };
        for (member, ty) in (0..).zip(m.members(block)) {
            let Some(placement) = self.placement(part.variable, Some((block, member)))? else {
                continue;
            };
            let Some(count) = m.constant(length) else {
                return Err(super::leaves::open_size(m, name, part.variable, length));
            };
            for index in 0..count {
                let buffer = placement.buffer.saturating_add(index);
                let part = part.inside(index, element).inside(member, ty);
                let name = match m.member_name(block, member) {
                    Some(member) => format!("{name}[{index}].{member}"),
                    None => format!("{name}[{index}].{member}"),
                };
                self.capture(&part, &name, &XfbPlacement { buffer, ..placement })?;
            }
        }
        Ok(())
    }

    /// Returns the decorations of a variable or a block member, or `None` if they do not select it. A member inherits
    /// all decorations except `Offset` from its variable.
    fn placement(
        &self,
        variable: Id,
        member: Option<(Id, u32)>,
    ) -> Result<Option<XfbPlacement>, Error> {
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
                "an output has vertex stream {stream}, but only geometry stages have vertex streams"
            );
            return refuse(&code::CAPTURE_STREAM_STAGE, message, variable);
        }
        match (inherited(Decoration::XFB_BUFFER), inherited(Decoration::XFB_STRIDE)) {
            (Some(buffer), Some(stride)) => Ok(Some(XfbPlacement { offset, buffer, stride })),
            // The member has an `Offset` only because a buffer uses the same structure.
            (None, None) if member.is_some() => Ok(None),
            _ => {
                let message = "an output has an Offset, but not both XfbBuffer and XfbStride";
                refuse(&code::CAPTURE_INCOMPLETE_DECORATIONS, message, variable)
            }
        }
    }

    fn capture(&mut self, part: &Part, name: &str, placement: &XfbPlacement) -> Result<(), Error> {
        let malformed = |code, message| refuse(code, message, part.variable);
        let buffer = placement.buffer as usize;
        self.builder.need_buffer(buffer)?;
        match self.strides.iter().find(|(other, _)| *other == buffer) {
            Some((_, stride)) if *stride != placement.stride => {
                return malformed(
                    &code::CAPTURE_CONFLICTING_STRIDES,
                    format!(
                        "buffer {buffer} has two strides: {stride} and {} bytes",
                        placement.stride
                    ),
                );
            }
            Some(_) => {}
            None => self.strides.push((buffer, placement.stride)),
        }

        let leaves = leaves(self.m, part, name, None)?;
        let wide = leaves.iter().any(|leaf| leaf.width == 2);
        let unit = if wide { 8 } else { 4 };
        if !placement.offset.is_multiple_of(unit) || !placement.stride.is_multiple_of(unit) {
            return malformed(
                &code::CAPTURE_MISALIGNED_DECORATIONS,
                format!(
                    "`{name}` has Offset {} and XfbStride {}: both must be multiples of {unit}",
                    placement.offset, placement.stride
                ),
            );
        }
        self.builder.put(buffer, name, place(leaves, placement.offset / 4))
    }
}

/// The rule that decides which parts of a captured output with 64-bit components start at a multiple of 8 bytes. GLSL
/// 4.60, section 4.4.2.1, is clear about the qualified variable or member, but allows each of these readings for the
/// arrays and structures inside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aligned {
    /// Only 64-bit components: "aggregate types are flattened down to the component level".
    Components,
    /// Also arrays and structures with 64-bit components, as in all Mesa drivers.
    Starts,
    /// Like `Starts`, and also the first component after such an array or structure, as in glslang for block members.
    StartsAndEnds,
}

/// Returns the leaves of a decorated output with their offsets, starting at `start`, as the open-source drivers place
/// them.
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
