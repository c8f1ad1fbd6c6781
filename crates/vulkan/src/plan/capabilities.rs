//! Converts a device's capabilities to the planner's form.

use crate::capabilities::{Capabilities, TransformFeedbackCapabilities};
use ash::vk;
use polyshade_planner::{self as planner, DistanceSupport, TransformFeedback};

impl Capabilities {
    /// Returns the capabilities that plans for this device depend on.
    pub fn planner(&self) -> planner::Device {
        let limits = &self.limits;
        planner::Device {
            transform_feedback: self.transform_feedback.map(transform_feedback),
            provoking_vertex: self.provoking_vertex,
            primitives_generated: self.primitives_generated,
            buffer_addresses: self.newer_features.vulkan_1_2.buffer_device_address == vk::TRUE,
            vertex_stores: self.features.vertex_pipeline_stores_and_atomics == vk::TRUE,
            triangle_fans: self.triangle_fans(),
            dynamic_rendering: self.newer_features.vulkan_1_3.dynamic_rendering == vk::TRUE,
            max_bound_sets: limits.max_bound_descriptor_sets,
            max_storage_buffers: limits.max_per_stage_descriptor_storage_buffers,
            max_storage_range: limits.max_storage_buffer_range,
            storage_alignment: u32::try_from(limits.min_storage_buffer_offset_alignment)
                .unwrap_or(u32::MAX),
            max_push_constants: limits.max_push_constants_size,
            blending: self.blending.clone(),
            distances: self.distances(),
            ..planner::Device::default()
        }
    }

    fn distances(&self) -> DistanceSupport {
        let (features, limits) = (&self.features, &self.limits);
        let has = |feature, limit| if feature == vk::TRUE { limit } else { 0 };
        DistanceSupport {
            clip: has(features.shader_clip_distance, limits.max_clip_distances),
            cull: has(features.shader_cull_distance, limits.max_cull_distances),
            combined: limits.max_combined_clip_and_cull_distances,
            fragment_reads: true,
            geometry_vertices: has(features.geometry_shader, limits.max_geometry_output_vertices),
        }
    }
}

fn transform_feedback(has: TransformFeedbackCapabilities) -> TransformFeedback {
    TransformFeedback {
        max_streams: has.max_streams,
        max_buffers: has.max_buffers,
        max_buffer_size: has.max_buffer_size,
        max_stream_data: has.max_stream_data_size,
        max_buffer_data: has.max_buffer_data_size,
        max_stride: has.max_buffer_data_stride,
        queries: has.queries,
        draw: has.draw,
        geometry_streams: has.geometry_streams,
        streams_lines_triangles: has.streams_lines_triangles,
    }
}
