//! How often the shader of a draw runs, and why.

#[cfg(feature = "serde")]
use serde::Serialize;
use std::fmt;

/// How often the shader runs for a vertex that two passes capture and rasterize, and why.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ShaderRuns {
    /// Once: it costs more than to write and read its outputs, in draws of at least so many vertices.
    OnceForCost(SpillCost),
    /// Once, as it has side effects, which would happen twice.
    OnceForSideEffects,
    /// Twice: it costs no more than to write and read its outputs.
    TwiceForCost(SpillCost),
    /// Twice, as the draw is too small.
    TwiceForSmallDraw(SpillCost),
    /// Twice, as the cost of the shader is unknown.
    TwiceForUnknownCost,
    /// Twice, as outputs are read back by draws without indices, and indices restart primitives.
    TwiceForRestart,
    /// Twice, as the device has the counters, and the host does not know the size of the outputs.
    TwiceForDeviceCount,
    /// Twice, as the active pass cannot be ended to wait for the outputs.
    TwiceForPass,
}

/// The costs that are compared, for one vertex, in instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct SpillCost {
    /// Of the shader.
    pub shader: u32,
    /// Of writing its outputs to a buffer and reading them.
    pub spill: u32,
    /// The vertices of the smallest draw that saves more than the wait costs; 0 where none does.
    pub min_vertices: u32,
}

impl ShaderRuns {
    /// Whether it is once.
    pub fn is_once(self) -> bool {
        matches!(self, Self::OnceForCost(_) | Self::OnceForSideEffects)
    }
}

impl fmt::Display for ShaderRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let against = |f: &mut fmt::Formatter<'_>, SpillCost { shader, spill, .. }: &SpillCost| {
            write!(f, "{shader} instructions a vertex, {spill} to write and read its outputs")
        };
        match self {
            Self::OnceForCost(cost) => {
                f.write_str("the shader runs once: ")?;
                against(f, cost)?;
                write!(f, ", from {} vertices on", cost.min_vertices)
            }
            Self::OnceForSideEffects => f.write_str(
                "the shader runs once: it has side effects, which two passes would repeat",
            ),
            Self::TwiceForCost(cost) => {
                f.write_str("the shader runs twice: ")?;
                against(f, cost)
            }
            Self::TwiceForSmallDraw(cost) => {
                f.write_str("the shader runs twice: ")?;
                against(f, cost)?;
                write!(f, ", but fewer than {} vertices", cost.min_vertices)
            }
            Self::TwiceForUnknownCost => f.write_str("the shader runs twice: its cost is unknown"),
            Self::TwiceForRestart => {
                f.write_str("the shader runs twice: indices restart primitives")
            }
            Self::TwiceForDeviceCount => f.write_str(
                "the shader runs twice: the device alone knows how many vertices there are",
            ),
            Self::TwiceForPass => {
                f.write_str("the shader runs twice: the pass cannot end for a wait")
            }
        }
    }
}
