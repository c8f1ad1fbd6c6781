//! Polyfills for GPU features, written into your shaders.
//!
//! When a GPU, a driver or an API lacks a feature, the shader can often do the work instead. Each lowering here is a
//! function from a [module](polyshade_spv::Module) and options to new modules, and says what the host must bind and
//! draw. Lowerings keep no state between calls, never panic on input, and give the same bytes for the same input.
//!
//! | Lowering | What it does |
//! |---|---|
//! | [`transform_feedback`] | captures a stage's outputs, by writing storage buffers or by the extension |
//! | [`clip_space`] | OpenGL's depth range, a flipped Y and pre-rotation, for what is rasterized |
//! | [`rasterizer_discard`] | moves every primitive to where it is clipped |
//! | [`position_only`] | reduces a shader to what decides coverage, and to the rest of it |
//! | [`clip_cull`] | brings clip and cull distances into the form that the target takes |
//! | [`vertex_pulling`] | fetches vertex attributes in the shader, from storage buffers or by addresses |
//! | [`advanced_blend`] | blends in the fragment shader, with the equations of `VK_EXT_blend_operation_advanced` |
//!
//! Each lowering has a `VERSION`. It grows by one when the lowering makes other words of the same module, target and
//! options, so it belongs into the key of a cache of results. New lowerings begin at 1; those that shared one version
//! before went on with it, which was 2.
//! The macro [`lowerings!`] has a row for each.
//! [`recipe`] does several of them to the stages of a pipeline, in the order that is right.
//!
//! The crate `polyshade-planner` plans draws, bindings and barriers for a device. [`rewrite`] has the tools for authors
//! of lowerings.

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
