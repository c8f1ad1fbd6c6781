//! Tests the program as users run it. Filetests have one shader and one command line each, so they cannot
//! cover these cases.

mod batch;
#[cfg(all(feature = "glsl", feature = "cross"))]
mod clip;
#[cfg(all(feature = "glsl", feature = "wgsl", feature = "cross", feature = "tools"))]
mod crashes;
#[cfg(all(feature = "glsl", feature = "wgsl", feature = "cross", feature = "tools"))]
mod documents;
mod files;
#[cfg(all(feature = "glsl", feature = "wgsl", feature = "cross"))]
mod formats;
#[cfg(all(feature = "glsl", feature = "cross"))]
mod framebuffer_fetch;
#[cfg(all(feature = "glsl", feature = "wgsl", feature = "cross"))]
mod help;
#[cfg(feature = "glsl")]
mod info;
mod layer;
#[cfg(all(feature = "glsl", feature = "wgsl", feature = "cross"))]
mod metal;
mod pipeline;
mod plan;
mod plan_blending;
mod verify;
#[cfg(all(feature = "glsl", feature = "wgsl", feature = "cross"))]
mod wgsl;
mod work;
