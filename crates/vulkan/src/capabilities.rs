//! The capabilities of a device that polyshade's lowerings and their tests use.

use crate::blending;
use crate::error::{Context, Error};
use crate::features::{self, Features, Properties};
use crate::indexing::Indexing;
use crate::instance::{DeviceName, Instance};
use crate::target_reads::TargetReads;
use ash::{ext, khr, vk};
use polyshade_planner::{Blending, PrimitivesGenerated, ProvokingVertexModes};
use std::ffi::CStr;

/// The capabilities of a device. Every capability listed here is also enabled.
#[derive(Debug, Clone, Default)]
pub struct Capabilities {
    /// The name of the device.
    pub device: String,
    /// The name of the driver.
    pub driver: String,
    /// The Vulkan version that the device supports, in Vulkan's packed format.
    pub api_version: u32,
    /// The features of Vulkan 1.0, for example `vertex_pipeline_stores_and_atomics` and `geometry_shader`.
    ///
    /// All are enabled except `robust_buffer_access`, which would hide stores out of bounds.
    pub features: vk::PhysicalDeviceFeatures,
    /// The features of Vulkan 1.1 to 1.3. All are enabled except `robust_image_access`.
    pub newer_features: Features,
    /// The limits of Vulkan 1.0.
    pub limits: vk::PhysicalDeviceLimits,
    /// The capabilities of `VK_EXT_transform_feedback`, if supported.
    pub transform_feedback: Option<TransformFeedbackCapabilities>,
    /// The blending capabilities, in the planner's form. `VK_EXT_blend_operation_advanced` is enabled.
    pub blending: Blending,
    /// How shaders can read the targets that they draw to.
    pub target_reads: TargetReads,
    /// The capabilities of index buffers.
    pub indexing: Indexing,
    /// The capabilities of `VK_EXT_provoking_vertex`, if supported, in the planner's form.
    pub provoking_vertex: Option<ProvokingVertexModes>,
    /// The capabilities of `VK_EXT_primitives_generated_query`, if supported, in the planner's form.
    pub primitives_generated: Option<PrimitivesGenerated>,
    /// The features of `VK_KHR_portability_subset`, if the device is not fully conformant.
    pub(crate) portability: Option<vk::PhysicalDevicePortabilitySubsetFeaturesKHR<'static>>,
    /// Further enabled extensions.
    pub(crate) extensions: Vec<&'static CStr>,
    pub(crate) properties: Properties,
}

impl Capabilities {
    /// Returns the capabilities of Metal vertex functions, limited to features that SPIR-V modules declare.
    ///
    /// The MSL printer rejects other unsupported features. `reader` names the program that replaces the driver.
    pub fn of_metal(reader: String) -> Capabilities {
        let features = vk::PhysicalDeviceFeatures::default()
            .vertex_pipeline_stores_and_atomics(true)
            .tessellation_shader(true)
            .shader_clip_distance(true)
            // MSL has no cull distances, but shaders can compute distances that the rasterizer does not receive.
            .shader_cull_distance(true)
            .shader_int16(true)
            .shader_int64(true)
            .sample_rate_shading(true)
            .shader_storage_image_extended_formats(true);
        let newer_features = Features {
            vulkan_1_1: vk::PhysicalDeviceVulkan11Features::default()
                .multiview(true)
                .shader_draw_parameters(true)
                .storage_buffer16_bit_access(true)
                .variable_pointers_storage_buffer(true)
                .variable_pointers(true),
            vulkan_1_2: vk::PhysicalDeviceVulkan12Features::default()
                .shader_float16(true)
                .shader_int8(true)
                .storage_buffer8_bit_access(true)
                // One invocation runs at a time.
                .vulkan_memory_model(true)
                .vulkan_memory_model_device_scope(true),
            ..Features::default()
        };
        Capabilities {
            device: "Metal, read as C++".to_owned(),
            driver: reader,
            api_version: vk::API_VERSION_1_3,
            features,
            newer_features,
            limits: vk::PhysicalDeviceLimits::default()
                .max_clip_distances(8)
                .max_cull_distances(8)
                .max_combined_clip_and_cull_distances(8)
                .min_storage_buffer_offset_alignment(4),
            ..Capabilities::default()
        }
    }

    /// Whether triangle fans can be drawn.
    pub fn triangle_fans(&self) -> bool {
        // Only a device with the portability subset may lack them.
        self.portability.is_none_or(|has| has.triangle_fans == vk::TRUE)
    }

    /// Whether the driver is known to read wrong distances with these numbers of clip and cull distances.
    pub fn misreads_distances(&self, counts: [u32; 2]) -> bool {
        self.device.contains("llvmpipe") && lavapipe_misreads(counts)
    }

    /// Whether the driver is known to cull wrongly with these numbers of clip and cull distances. SwiftShader culls a
    /// primitive if each vertex has a negative distance, even if the negative distances have different indices.
    pub fn culls_wrongly(&self, counts: [u32; 2]) -> bool {
        self.misreads_distances(counts) || self.device.contains("SwiftShader") && counts[1] > 1
    }

    /// Returns the number of targets that a shader can have with dual-source blending. llvmpipe (Mesa 22.3) reports
    /// two, but writes the second source of the first target to the second target, with or without blending.
    pub fn targets_beside_second_sources(&self) -> u32 {
        match self.device.contains("llvmpipe") {
            true => 1,
            false => self.limits.max_fragment_dual_src_attachments,
        }
    }
}

/// The capabilities of `VK_EXT_transform_feedback`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransformFeedbackCapabilities {
    /// Whether a geometry shader can capture several streams.
    pub geometry_streams: bool,
    /// The number of streams.
    pub max_streams: u32,
    /// The number of buffers that can be bound.
    pub max_buffers: u32,
    /// The largest range of a buffer that can be bound, in bytes.
    pub max_buffer_size: u64,
    /// The maximum number of bytes that a vertex can capture into all buffers together.
    pub max_stream_data_size: u32,
    /// The maximum number of bytes that a vertex can capture into one buffer.
    pub max_buffer_data_size: u32,
    /// The largest stride of a buffer in bytes.
    pub max_buffer_data_stride: u32,
    /// Whether queries of written and needed primitives are supported.
    pub queries: bool,
    /// Whether draws can take their vertex count from a counter.
    pub draw: bool,
    /// Whether geometry shaders with several streams can also output lines and triangles.
    pub streams_lines_triangles: bool,
}

pub(crate) fn query(
    instance: &Instance,
    device: vk::PhysicalDevice,
) -> Result<Capabilities, Error> {
    let DeviceName { device: name, driver, .. } = instance.name(device);
    // SAFETY: the device belongs to the instance.
    let (mut features, properties, extensions) = unsafe {
        let instance = &instance.handle;
        (
            instance.get_physical_device_features(device),
            instance.get_physical_device_properties(device),
            instance
                .enumerate_device_extension_properties(device)
                .call("vkEnumerateDeviceExtensionProperties")?,
        )
    };
    features.robust_buffer_access = vk::FALSE;

    // Extensions, then features of newer versions.
    let has = |name: &CStr| extensions.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
    let transform_feedback = has(ext::transform_feedback::NAME)
        .then(|| query_transform_feedback(instance, device))
        .flatten();
    let provoking_vertex =
        has(ext::provoking_vertex::NAME).then(|| query_provoking_vertex(instance, device));

    let primitives_generated = has(ext::primitives_generated_query::NAME)
        .then(|| query_primitives_generated(instance, device))
        .flatten();

    let version = properties.api_version;
    let newer_features = features::query(instance, device, version);
    let has_rendering = newer_features.vulkan_1_3.dynamic_rendering == vk::TRUE;
    let target_reads = TargetReads::query(instance, device, has_rendering, has);
    let both = (&features, &properties.limits);
    let blending = blending::query(instance, device, both, target_reads, has);
    Ok(Capabilities {
        device: name,
        driver,
        api_version: version,
        features,
        newer_features,
        limits: properties.limits,
        transform_feedback,
        blending,
        target_reads,
        indexing: Indexing::query(instance, device, has),
        provoking_vertex,
        primitives_generated,
        portability: has(khr::portability_subset::NAME).then(|| instance.features(device)),
        extensions: features::plain_extensions(has),
        properties: features::query_properties(instance, device, version),
    })
}

/// Returns whether lavapipe (Mesa 22.3) reads cull distances that differ from the written values. This happens if cull
/// distances follow clip distances in the same register of four components and continue in the next register.
pub fn lavapipe_misreads([clip, cull]: [u32; 2]) -> bool {
    clip % 4 != 0 && cull > 0 && clip / 4 != (clip + cull - 1) / 4
}

fn query_transform_feedback(
    instance: &Instance,
    device: vk::PhysicalDevice,
) -> Option<TransformFeedbackCapabilities> {
    let features: vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'_> = instance.features(device);
    let properties: vk::PhysicalDeviceTransformFeedbackPropertiesEXT<'_> =
        instance.properties(device);
    (features.transform_feedback == vk::TRUE).then_some(TransformFeedbackCapabilities {
        geometry_streams: features.geometry_streams == vk::TRUE,
        max_streams: properties.max_transform_feedback_streams,
        max_buffers: properties.max_transform_feedback_buffers,
        max_buffer_size: properties.max_transform_feedback_buffer_size,
        max_stream_data_size: properties.max_transform_feedback_stream_data_size,
        max_buffer_data_size: properties.max_transform_feedback_buffer_data_size,
        max_buffer_data_stride: properties.max_transform_feedback_buffer_data_stride,
        queries: properties.transform_feedback_queries == vk::TRUE,
        draw: properties.transform_feedback_draw == vk::TRUE,
        streams_lines_triangles: properties.transform_feedback_streams_lines_triangles == vk::TRUE,
    })
}

fn query_primitives_generated(
    instance: &Instance,
    device: vk::PhysicalDevice,
) -> Option<PrimitivesGenerated> {
    let has: vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT<'_> = instance.features(device);
    (has.primitives_generated_query == vk::TRUE).then_some(PrimitivesGenerated {
        with_discard: has.primitives_generated_query_with_rasterizer_discard == vk::TRUE,
        with_streams: has.primitives_generated_query_with_non_zero_streams == vk::TRUE,
    })
}

fn query_provoking_vertex(instance: &Instance, device: vk::PhysicalDevice) -> ProvokingVertexModes {
    let features: vk::PhysicalDeviceProvokingVertexFeaturesEXT<'_> = instance.features(device);
    let properties: vk::PhysicalDeviceProvokingVertexPropertiesEXT<'_> =
        instance.properties(device);
    let in_fans = properties.transform_feedback_preserves_triangle_fan_provoking_vertex;
    ProvokingVertexModes {
        last: features.provoking_vertex_last == vk::TRUE,
        preserved_by_capture: features.transform_feedback_preserves_provoking_vertex == vk::TRUE,
        preserved_by_capture_in_fans: in_fans == vk::TRUE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_portable_device_has_triangle_fans_if_it_says_so() {
        let subset = vk::PhysicalDevicePortabilitySubsetFeaturesKHR::default();
        let mut has = Capabilities::of_metal(String::new());
        assert!(has.triangle_fans());
        has.portability = Some(subset);
        assert!(!has.triangle_fans());
        has.portability = Some(subset.triangle_fans(true));
        assert!(has.triangle_fans());
    }
}
