//! The layout of spilled outputs in the buffer between the capture pass and the raster pass.

use super::MAX_STRIDE;
use super::draw::Draw;
use super::layout::{Layout, Piece, Stored};
use super::leaves::leaves;
use super::outputs::{Output, Outputs};
use crate::code;
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
    /// # Errors
    ///
    /// `Options`: the options do not [spill outputs](super::Options::spill_outputs), or the draw violates the
    /// restrictions in the options.
    pub fn outputs_size(&self, draw: &Draw) -> Result<u64, Error> {
        if self.outputs_stride == 0 {
            let message = "the variants do not spill outputs";
            return Err(Error::new(&code::CAPTURE_SPILL_NOT_REQUESTED, message));
        }
        self.draws.check(draw)?;
        Ok(draw.vertices() * u64::from(self.outputs_stride))
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
    for output in outputs.all.iter().filter(|output| is_handed_on(m, output)) {
        for leaf in leaves(m, &output.part, &output.shown(), None)? {
            let word = words;
            words += leaf.words();
            stored.push(Stored { piece: Piece::whole(leaf), word });
        }
        if words > MAX_STRIDE / 4 {
            let message = format!("the outputs take more than {MAX_STRIDE} bytes of a vertex");
            return Err(
                Error::new(&code::CAPTURE_SPILL_TOO_LARGE, message).about(output.part.variable)
            );
        }
    }
    match stored.is_empty() {
        true => Err(Error::new(
            &code::CAPTURE_SPILL_EMPTY,
            "the shader has no outputs that can be stored",
        )
        .about(entry.function())),
        false => Ok(stored),
    }
}

/// Whether an output is stored. Built-ins that no code uses are not stored: GLSL compilers declare such built-ins, and
/// a stage that writes them may need features that the device lacks.
fn is_handed_on(m: &Module<'_>, output: &Output<'_>) -> bool {
    let Some(builtin) = output.builtin else { return true };
    if builtin == BuiltIn::POSITION {
        return true;
    }
    let part = &output.part;
    m.code_uses_of(part.variable).any(|inst| match (&part.path[..], AccessChain::of(inst)) {
        ([member, ..], Some(chain)) => {
            let first = chain.indices().next().and_then(|index| m.constant(index));
            first.is_none_or(|first| first == *member)
        }
        _ => true,
    })
}

/// Returns the size of a vertex in 32-bit units.
pub(super) fn words(stored: &[Stored]) -> u32 {
    stored.iter().map(|stored| stored.piece.words()).sum()
}
