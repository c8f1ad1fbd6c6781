//! Polyfills for GPU features, written into your shaders.
//!
//! When a GPU, a driver or an API lacks a feature, the shader can often do the work instead. Each lowering here is a
//! function from a [module](polyshade_spv::Module) and options to new modules, and says what the host must bind and
//! draw. Lowerings keep no state between calls, never panic on input, and give the same bytes for the same input.
//!
//! | Lowering | What it does |
//! |---|---|
//! | [`transform_feedback`] | captures a vertex stage's outputs by writing storage buffers |
//!
//! [`moves`] has what lowerings are made of, for those who write one.

#![forbid(unsafe_code)]

pub mod moves;
pub mod transform_feedback;

mod library;

pub use polyshade_spv as spv;
pub use polyshade_spv::{Error, ErrorKind, Module};

use polyshade_spv::Id;

/// Changes when a lowering makes other words of the same input: part of the key of a pipeline cache.
pub const LOWERING_VERSION: u32 = 1;

/// An `Unsupported` error about `id`.
fn unsupported(message: impl Into<String>, id: Id) -> Error {
    Error::new(ErrorKind::Unsupported, message).about(id)
}
