//! The layout of spilled outputs in the buffer between the capture pass and the raster pass.

use super::MAX_STRIDE;
use super::draw::Draw;
use super::layout::{Layout, Piece, Stored, stream_of};
use super::leaves::{Leaf, leaves};
use super::outputs::{Output, Outputs};
use super::spilled_output::{OutputPlace, SpilledOutput};
use crate::code::{self, refuse};
use polyshade_spv::view::{AccessChain, EntryPoint};
use polyshade_spv::{BuiltIn, Error, Module};

impl Layout {
    /// Returns the size in bytes of one vertex's [spilled outputs](super::Options::spill_outputs); 0 if outputs are
    /// not spilled.
    pub fn outputs_stride(&self) -> u32 {
        self.outputs_stride
    }

    /// Returns the size in bytes of the buffer for the outputs of `draw`. It stores all vertices, instance after
    /// instance, and the shaders do not access the buffer beyond this size. If the bound range is smaller, the outputs
    /// beyond its end are not stored, and reloading them gives undefined values.
    ///
    /// For a [geometry stage](super::geometry), it is the size if each invocation emits as many vertices as it may.
    /// The emitted primitives are stored as a list without gaps.
    ///
    /// # Errors
    ///
    /// `Options`: the options do not [spill outputs](super::Options::spill_outputs), or the draw violates the
    /// restrictions in the options.
    pub fn outputs_size(&self, draw: &Draw) -> Result<u64, Error> {
        if self.outputs_stride == 0 {
            let message = "the variants do not spill outputs";
            return Err(Error::new(&code::CAPTURE_SPILL_NOT_REQUESTED, message));
        }
        if let Some(geometry) = &self.geometry {
            let vertices = geometry.most_vertices(self.invocations(draw)?);
            return Ok(vertices.saturating_mul(self.outputs_stride.into()));
        }
        self.draws.check(draw)?;
        Ok(draw.vertices() * u64::from(self.outputs_stride))
    }
}

/// Returns the places and offsets of `stored`.
pub(super) fn list(outputs: &Outputs<'_>, stored: &[Stored]) -> Vec<SpilledOutput> {
    let mut listed = Vec::with_capacity(stored.len());
    // The pieces have the order of the outputs.
    let mut remaining = outputs.all.iter();
    let mut current: Option<&Output<'_>> = None;
    let mut element = 0;
    for Stored { piece, word } in stored {
        let part = &piece.leaf.part;
        let holds = |output: &&Output<'_>| {
            output.part.variable == part.variable && part.path.starts_with(&output.part.path)
        };
        element += 1;
        if !current.as_ref().is_some_and(holds) {
            (current, element) = (remaining.find(holds), 0);
        }
        let Some(output) = current else { break };
        let Some(place) = place(output, &piece.leaf, element) else { continue };
        let (offset, components) = (4 * word, piece.words());
        listed.push(SpilledOutput { place, offset, components });
    }
    listed
}

/// Returns the place of a vector or scalar, which is element `element` of an output, in the interface.
pub(super) fn place(output: &Output<'_>, leaf: &Leaf, element: u32) -> Option<OutputPlace> {
    match (output.builtin, leaf.register) {
        (Some(builtin), _) => Some(OutputPlace::BuiltIn { builtin, element }),
        (None, Some((location, component))) => Some(OutputPlace::Location { location, component }),
        (None, None) => None,
    }
}

/// Lays out the outputs of a geometry stage that it emits to stream 0. Fails if a vertex stage cannot have them.
pub(super) fn of_geometry(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    outputs: &Outputs<'_>,
) -> Result<Vec<Stored>, Error> {
    let mut stored = lay_out(m, entry, outputs)?;
    stored.retain(|stored| stream_of(m, stored) == 0);
    if stored.is_empty() {
        let message = "the shader has no outputs of vertex stream 0 that can be stored";
        return refuse(&code::CAPTURE_SPILL_EMPTY, message, entry.function());
    }
    let mut word = 0;
    for stored in &mut stored {
        stored.word = word;
        word += stored.piece.words();
    }
    let refused = outputs.all.iter().find(|output| {
        let of_vertex_stage = [
            BuiltIn::POSITION,
            BuiltIn::POINT_SIZE,
            BuiltIn::CLIP_DISTANCE,
            BuiltIn::CULL_DISTANCE,
        ];
        output.builtin.is_some_and(|builtin| !of_vertex_stage.contains(&builtin))
            && is_handed_on(m, output, 0)
    });
    match refused {
        Some(output) => {
            let message =
                "cannot rasterize the emitted primitives: a vertex stage cannot write an output";
            refuse(&code::GEOMETRY_RASTER_OUTPUT, message, output.part.variable)
        }
        None => Ok(stored),
    }
}

/// Lays out all outputs of `entry`, in the order of the interface.
pub(super) fn lay_out(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    outputs: &Outputs<'_>,
) -> Result<Vec<Stored>, Error> {
    let mut stored = Vec::new();
    let mut words = 0_u32;
    for output in outputs.all.iter().filter(|output| is_handed_on(m, output, 0)) {
        let register = output.location.map(|location| (location, output.component));
        for leaf in leaves(m, &output.part, &output.shown(), register)? {
            let word = words;
            words += leaf.words();
            stored.push(Stored { piece: Piece::whole(leaf), word });
        }
        if words > MAX_STRIDE / 4 {
            let message = format!("the outputs take more than {MAX_STRIDE} bytes of a vertex");
            return refuse(&code::CAPTURE_SPILL_TOO_LARGE, message, output.part.variable);
        }
    }
    match stored.is_empty() {
        true => refuse(
            &code::CAPTURE_SPILL_EMPTY,
            "the shader has no outputs that can be stored",
            entry.function(),
        ),
        false => Ok(stored),
    }
}

/// Whether an output is stored. Built-ins that no code uses are not stored: GLSL compilers declare such built-ins, and
/// a stage that writes them may need features that the device lacks. `outer` is the number of indices that select a
/// vertex.
pub(super) fn is_handed_on(m: &Module<'_>, output: &Output<'_>, outer: usize) -> bool {
    let Some(builtin) = output.builtin else { return true };
    if builtin == BuiltIn::POSITION {
        return true;
    }
    let part = &output.part;
    m.code_uses_of(part.variable).any(|inst| match (&part.path[..], AccessChain::of(inst)) {
        ([member, ..], Some(chain)) => {
            let first = chain.indices().nth(outer).and_then(|index| m.constant(index));
            first.is_none_or(|first| first == *member)
        }
        _ => true,
    })
}

/// Returns the size of a vertex in 32-bit units.
pub(super) fn words(stored: &[Stored]) -> u32 {
    stored.iter().map(|stored| stored.piece.words()).sum()
}
