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

pub(crate) use ash::ext::transform_feedback::{NAME, SPEC_VERSION};
pub(crate) use buffers::{usage, usage_chain};

use ash::vk;

/// What every implementation of the extension has at least, of one stream.
const MOST_BYTES_OF_A_VERTEX: u32 = 512;

/// The stride that every device takes which has the extension in earnest.
const MOST_STRIDE: u32 = 2048;

/// The number of buffers that OpenGL's transform feedback needs.
const BUFFERS: u32 = 4;

/// Answers with the limits.
pub(crate) fn fill_in_properties(
    properties: &mut vk::PhysicalDeviceTransformFeedbackPropertiesEXT<'_>,
) {
    properties.max_transform_feedback_streams = 1;
    properties.max_transform_feedback_buffers = BUFFERS;
    properties.max_transform_feedback_buffer_size = u64::from(u32::MAX);
    properties.max_transform_feedback_stream_data_size = MOST_BYTES_OF_A_VERTEX;
    properties.max_transform_feedback_buffer_data_size = MOST_BYTES_OF_A_VERTEX;
    properties.max_transform_feedback_buffer_data_stride = MOST_STRIDE;
    properties.transform_feedback_queries = vk::TRUE;
    properties.transform_feedback_streams_lines_triangles = vk::FALSE;
    properties.transform_feedback_rasterization_stream_select = vk::FALSE;
    properties.transform_feedback_draw = vk::TRUE;
}
