//! The number of shader runs per draw, and the reason.

#[cfg(feature = "serde")]
use serde::Serialize;
use std::fmt;

/// How many times the shader runs if one pass captures a draw and another pass rasterizes it, and why.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum ShaderRuns {
    /// Once: for at least `min_vertices` vertices, the shader costs more than writing and reading its outputs.
    OnceForCost(SpillCost),
    /// Once: the shader has side effects, which two runs would repeat.
    OnceForSideEffects,
    /// Twice: the shader costs no more than writing and reading its outputs.
    TwiceForCost(SpillCost),
    /// Twice: the draw has fewer than `min_vertices` vertices.
    TwiceForSmallDraw(SpillCost),
    /// Twice: the cost of the shader is unknown.
    TwiceForUnknownCost,
    /// Twice: indices restart primitives, but the draw that reads stored outputs has no indices.
    TwiceForRestart,
    /// Twice: the device owns the counters, and the host does not know the size of the outputs.
    TwiceForDeviceCount,
    /// Twice: the active pass cannot end for a barrier between the two passes.
    TwiceForPass,
}

/// The compared costs of one vertex, in instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct SpillCost {
    /// The cost of the shader.
    pub shader: u32,
    /// The cost of writing its outputs to a buffer and reading them.
    pub spill: u32,
    /// The vertex count of the smallest draw that saves more than the barrier costs; 0 if no draw does.
    pub min_vertices: u32,
}

impl SpillCost {
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shader, spill, .. } = self;
        write!(f, "{shader} instructions a vertex, {spill} to write and read its outputs")
    }
}

impl ShaderRuns {
    /// Whether the shader runs once.
    pub fn is_once(self) -> bool {
        matches!(self, Self::OnceForCost(_) | Self::OnceForSideEffects)
    }
}

impl fmt::Display for ShaderRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = if self.is_once() { "once" } else { "twice" };
        write!(f, "the shader runs {times}: ")?;
        match self {
            Self::OnceForCost(cost) => {
                cost.describe(f)?;
                write!(f, ", from {} vertices on", cost.min_vertices)
            }
            Self::OnceForSideEffects => {
                f.write_str("it has side effects, which two passes would repeat")
            }
            Self::TwiceForCost(cost) => cost.describe(f),
            Self::TwiceForSmallDraw(cost) => {
                cost.describe(f)?;
                write!(f, ", but fewer than {} vertices", cost.min_vertices)
            }
            Self::TwiceForUnknownCost => f.write_str("its cost is unknown"),
            Self::TwiceForRestart => f.write_str("indices restart primitives"),
            Self::TwiceForDeviceCount => {
                f.write_str("the device alone knows how many vertices there are")
            }
            Self::TwiceForPass => f.write_str("the pass cannot end for a wait"),
        }
    }
}
