//! What a vertex hands on to the next stage, as it lies in the buffer through which it is passed from the pass that
//! captures to the one that rasterizes.

use super::MAX_STRIDE;
use super::draw::Draw;
use super::layout::{Layout, Piece, Stored};
use super::leaves::leaves;
use super::outputs::{Output, Outputs};
use crate::code;
use polyshade_spv::view::{AccessChain, EntryPoint};
use polyshade_spv::{BuiltIn, Error, Module};

impl Layout {
    /// Bytes of the outputs of one vertex, where they are [spilled](super::Options::spill_outputs); else 0.
    pub fn outputs_stride(&self) -> u32 {
        self.outputs_stride
    }

    /// Bytes of the buffer for the outputs of `draw`: all its vertices, of one instance behind the
    /// other. No byte behind them is looked at; what does not fit into what is bound is not stored, and what is handed
    /// on of it is undefined.
    ///
    /// # Errors
    ///
    /// `Options`: the variants [spill no outputs](super::Options::spill_outputs), or the draw is none of those that
    /// they were made for.
    pub fn outputs_size(&self, draw: &Draw) -> Result<u64, Error> {
        if self.outputs_stride == 0 {
            let message = "the variants spill no outputs";
            return Err(Error::new(&code::CAPTURE_SPILL_NOT_REQUESTED, message));
        }
        self.draws.check(draw)?;
        Ok(draw.vertices() * u64::from(self.outputs_stride))
    }
}

/// All outputs of `entry`, in their order.
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

/// Whether the shader has to do with an output. GLSL's compilers declare built-ins that no one writes, and a stage that
/// wrote them would need what the device may not have.
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

/// The words of a vertex.
pub(super) fn words(stored: &[Stored]) -> u32 {
    stored.iter().map(|stored| stored.piece.words()).sum()
}
