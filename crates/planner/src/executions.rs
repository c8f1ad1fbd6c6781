//! How often the shader of a draw runs that is captured and rasterized by two passes.
//!
//! Twice, the raster pass runs the shader again. Once, the capture pass stores all that vertices hand on, and the raster
//! pass reads it from there: it [passes through](polyshade::transform_feedback::Options::pass_through) a buffer. What
//! either costs beyond what both have is, in instructions of a vertex shader,
//!
//! ```text
//! twice:  vertices × instructions
//! once:   vertices × (vertex + word × words) + draw
//! ```
//!
//! with the [rates](PassingCost) of the device. The plan says which it is, and why.

use super::device::{Device, PassingCost};
use super::state::{Draw, PassState, Pipeline, Storage, StoredOutputs};
use polyshade::transform_feedback::SideEffects;
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

impl Passing {
    fn new(cost: PassingCost, outputs: &StoredOutputs, shader: u32) -> Self {
        let PassingCost { draw, vertex, word } = cost;
        let passing = vertex.saturating_add(word.saturating_mul(outputs.stride / 4));
        let saved = shader.saturating_sub(passing);
        let from = draw.checked_div(saved).map_or(0, |vertices| vertices.saturating_add(1));
        Self { shader, passing, from }
    }
}

impl Executions {
    /// Those of a draw, where the variants leave a choice.
    pub(super) fn of(
        device: &Device,
        pipeline: &Pipeline,
        draw: &Draw,
        storage: &Storage,
    ) -> Option<Self> {
        let outputs = storage.outputs.as_ref()?;
        if storage.indices.is_some_and(|indices| indices.restart) {
            return Some(Self::TwiceAsRestarted);
        }
        if draw.pass == PassState::Kept {
            return Some(Self::TwiceAsKept);
        }
        if pipeline.side_effects == Some(SideEffects::Refuse) {
            return Some(Self::OnceForStores);
        }
        let Some(shader) = pipeline.shader_cost else { return Some(Self::TwiceAsUnknown) };
        let passing = Passing::new(device.passing, outputs, shader);
        Some(match draw.vertices {
            _ if passing.from == 0 => Self::TwiceAsCheap(passing),
            Some(vertices) if vertices < passing.from => Self::TwiceAsSmall(passing),
            Some(_) | None => Self::Once(passing),
        })
    }

    /// Whether it is once.
    pub fn is_once(self) -> bool {
        matches!(self, Self::Once(_) | Self::OnceForStores)
    }
}

/// The least vertices of a draw at which its plan is another than that of a smaller one.
pub(super) fn threshold(device: &Device, pipeline: &Pipeline) -> Option<u32> {
    let storage = pipeline.capture.as_ref().and_then(|capture| capture.storage.as_ref());
    let outputs = storage?.outputs.as_ref()?;
    let from = Passing::new(device.passing, outputs, pipeline.shader_cost?).from;
    (from > 0).then_some(from)
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
            Self::TwiceAsKept => {
                f.write_str("the shader runs twice: the pass cannot end for a wait")
            }
        }
    }
}
