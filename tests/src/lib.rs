//! Code that the file tests and the execution tests share: shaders as text and as words, and the harness that runs
//! one case.
//!
//! docs/testing.md describes how the cases are written.

pub mod assembly;
pub mod calls;
pub mod chromium;
pub mod clip;
pub mod corpus;
pub mod cost;
pub mod dead_code;
pub mod drivers;
pub mod dxbc;
pub mod filetest;
pub mod identity;
pub mod lowerings;
pub mod made;
pub mod mutants;
pub mod mutate;
pub mod program;
pub mod reduce;
pub mod runs;
pub mod sample;
pub mod shader;
pub mod texts;
pub mod tree;

/// Compiles the README's example as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
