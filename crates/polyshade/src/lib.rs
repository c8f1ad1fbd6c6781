//! Polyfills for GPU features, written into your shaders.
//!
//! If a GPU, a driver or an API lacks a feature, the shader can often do the work instead. Each lowering is a
//! function that takes a [module](polyshade_spv::Module) and options, and returns a new module and the requirements
//! that the host must meet. Lowerings keep no state between calls, never panic on any input, and are deterministic.
//!
//! | Lowering | Purpose |
//! |---|---|
//! | [`transform_feedback`] | captures a stage's outputs, into storage buffers or with the extension |
//! | [`transform_feedback::geometry`] | runs geometry stages as compute stages |
//! | [`transform_feedback::tessellation`] | runs tessellation stages as compute stages and a vertex stage |
//! | [`clip_space`] | converts the position: OpenGL's depth range, a flipped Y and pre-rotation |
//! | [`rasterizer_discard`] | moves every primitive outside of the clip volume |
//! | [`position_only`] | reduces a shader to the outputs that determine coverage, or to the other ones |
//! | [`clip_cull`] | converts clip and cull distances to the form that the target supports |
//! | [`vertex_pulling`] | fetches vertex attributes in the shader, from storage buffers or from addresses |
//! | [`advanced_blend`] | blends in the fragment shader, with the equations of `VK_EXT_blend_operation_advanced` |
//!
//! Each lowering has a `VERSION`. It increases by one when the lowering emits different code for the same module,
//! target and options, so a cache of results must include it in its keys. New lowerings start at version 1; lowerings
//! that once shared one version continued at 2. The macro [`lowerings!`] has a row for each lowering. [`recipe`]
//! applies several lowerings to the stages of a pipeline in the right order.
//!
//! The crate `polyshade-planner` plans draws, bindings and barriers for a device. [`rewrite`] contains the tools for
//! authors of lowerings.

#![forbid(unsafe_code)]

pub mod advanced_blend;
pub mod clip_cull;
pub mod clip_space;
pub mod code;
pub mod host;
pub mod position_only;
pub mod rasterizer_discard;
pub mod recipe;
pub mod rewrite;
pub mod transform_feedback;
pub mod vertex_pulling;

mod dce;
mod effects;
mod fragment_tests;
mod library;
mod placement;
mod position;
mod source;
mod table;

pub use polyshade_spv as spv;
pub use polyshade_spv::{Error, ErrorKind, Module};
