//! What the benchmarks run on, and how their results are held against the committed limits.

pub mod inputs;
pub mod limits;
