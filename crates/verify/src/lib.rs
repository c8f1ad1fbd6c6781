//! Runs a shader and what polyshade made of it on a Vulkan device, on the same inputs, and compares bit by bit.
//!
//! What must be captured is worked out without the lowering: the original is given a buffer and [writes down](record)
//! all its outputs, drawn as points; [`leaves`] and [`layout`] say what was asked for; `polyshade_vulkan::model` says
//! in which order primitives are captured, and which do not fit. What the rewritten shader leaves in its buffers,
//! guards and gaps included, must be that.
//!
//! Outputs that a shader does not write are undefined, so both sides are [initialised](fn@initialise) with zero.

#![forbid(unsafe_code)]

mod cases;
mod compare;
mod constants;
mod initialise;
mod inputs;
pub mod layout;
pub mod leaves;
mod random;
pub mod record;
mod run;
mod verdict;

pub use constants::Specialization;
pub use initialise::initialise;
pub use layout::Asked;
pub use run::verify;
pub use verdict::{Difference, Equal, Part, Value, Verdict};

use polyshade::Module;
use polyshade::transform_feedback::Options;

/// What to compare.
#[derive(Debug)]
pub struct Job<'j> {
    /// The shader.
    pub module: &'j Module<'j>,
    /// Its vertex entry point.
    pub entry: &'j str,
    /// How it is rewritten.
    pub options: &'j Options,
    /// What the options capture, as the user wrote it.
    pub asked: Asked,
    /// Specialization constants that both sides are given: their numbers and bits.
    pub specialization: Vec<(u32, u64)>,
    /// Variants to judge instead of those that polyshade makes: the words of each.
    pub given: Vec<(Part, Vec<u32>)>,
    /// The inputs of the first run.
    pub seed: u64,
    /// How many runs there are, each with the next seed.
    pub runs: u32,
    /// The vertices of the largest draw.
    pub vertices: u32,
}

/// How far a comparison is. A phase is reported for each of its steps. What crashes or hangs while the original runs
/// says nothing about the rewritten shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The shader is read and rewritten, and inputs are made.
    Preparing,
    /// The original runs.
    Original,
    /// The rewritten shader runs.
    Rewritten,
}
