//! The name and limits that the layer reports for `VK_EXT_transform_feedback` where it provides it.

pub(crate) use ash::ext::primitives_generated_query::NAME as GENERATED;
pub(crate) use ash::ext::transform_feedback::{NAME, SPEC_VERSION};

use ash::vk;

/// A stride in bytes that every device with a native implementation of the extension accepts. A vertex may have as many
/// bytes.
const MOST_STRIDE: u32 = 2048;

/// The number of buffers that OpenGL's transform feedback needs.
const BUFFERS: u32 = 4;

/// The number of vertex streams with geometry stages, which OpenGL needs.
pub(crate) const MOST_STREAMS: usize = 4;

pub(crate) fn fill_in_properties(
    properties: &mut vk::PhysicalDeviceTransformFeedbackPropertiesEXT<'_>,
    has_streams: bool,
) {
    properties.max_transform_feedback_streams = if has_streams { MOST_STREAMS as u32 } else { 1 };
    properties.max_transform_feedback_buffers = BUFFERS;
    properties.max_transform_feedback_buffer_size = u64::from(u32::MAX);
    properties.max_transform_feedback_stream_data_size = MOST_STRIDE;
    properties.max_transform_feedback_buffer_data_size = MOST_STRIDE;
    properties.max_transform_feedback_buffer_data_stride = MOST_STRIDE;
    properties.transform_feedback_queries = vk::TRUE;
    properties.transform_feedback_streams_lines_triangles = has_streams.into();
    properties.transform_feedback_rasterization_stream_select = has_streams.into();
    properties.transform_feedback_draw = vk::TRUE;
}
