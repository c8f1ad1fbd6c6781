//! How often the shader of a draw runs, and why: as a plan says it.

#[cfg(feature = "serde")]
use serde::Serialize;
use std::fmt;

/// How often the shader runs for a vertex that is captured and rasterized by two passes, and why.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Executions {
    /// Once: it costs more than passing on what it hands on, in draws that are no smaller.
    Once(Passing),
    /// Once, as it stores by itself, which would happen twice.
    OnceForStores,
    /// Twice: it costs no more than that.
    TwiceAsCheap(Passing),
    /// Twice, as the draw is too small.
    TwiceAsSmall(Passing),
    /// Twice, as nothing says what the shader costs.
    TwiceAsUnknown,
    /// Twice, as outputs are passed on by draws without indices, and indices restart primitives.
    TwiceAsRestarted,
    /// Twice, as the device keeps the counters, and the host does not know how much room the outputs take.
    TwiceAsCounted,
    /// Twice, as the pass that is open cannot be ended to wait for what is stored.
    TwiceAsKept,
}

/// What is compared, for one vertex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Passing {
    /// What the shader costs, in instructions.
    pub shader: u32,
    /// What it costs to pass on what it hands on, in the same.
    pub passing: u32,
    /// The vertices from which on a draw saves more than it costs; 0 where none does.
    pub from: u32,
}

impl Executions {
    /// Whether it is once.
    pub fn is_once(self) -> bool {
        matches!(self, Self::Once(_) | Self::OnceForStores)
    }
}

impl fmt::Display for Executions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let against = |f: &mut fmt::Formatter<'_>, Passing { shader, passing, .. }: &Passing| {
            write!(f, "{shader} instructions a vertex, {passing} to pass its outputs on")
        };
        match self {
            Self::Once(passing) => {
                f.write_str("the shader runs once: ")?;
                against(f, passing)?;
                write!(f, ", from {} vertices on", passing.from)
            }
            Self::OnceForStores => f.write_str(
                "the shader runs once: it stores by itself, which two passes would do twice",
            ),
            Self::TwiceAsCheap(passing) => {
                f.write_str("the shader runs twice: ")?;
                against(f, passing)
            }
            Self::TwiceAsSmall(passing) => {
                f.write_str("the shader runs twice: ")?;
                against(f, passing)?;
                write!(f, ", but fewer than {} vertices", passing.from)
            }
            Self::TwiceAsUnknown => {
                f.write_str("the shader runs twice: nothing says what it costs")
            }
            Self::TwiceAsRestarted => {
                f.write_str("the shader runs twice: indices restart primitives")
            }
            Self::TwiceAsCounted => f.write_str(
                "the shader runs twice: the device alone knows how many vertices there are",
            ),
            Self::TwiceAsKept => {
                f.write_str("the shader runs twice: the pass cannot end for a wait")
            }
        }
    }
}
