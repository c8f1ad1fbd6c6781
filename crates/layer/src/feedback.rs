//! `VK_EXT_transform_feedback`, where the layer provides it.
//!
//! The driver knows nothing of the extension, so nothing of it may reach the driver: no command, structure, flag, type
//! of query or SPIR-V. What stands for the extension's stages, accesses and usages are those that a capture by vertex
//! shaders into storage buffers has.

pub(crate) mod barriers;
pub(crate) mod buffers;
pub(crate) mod capture;
pub(crate) mod events;
mod masks;
pub(crate) mod passes;
pub(crate) mod pipelines;
pub(crate) mod queries;
pub(crate) mod shaders;
pub(crate) mod submits;
