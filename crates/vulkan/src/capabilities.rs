//! What a device can do, as far as polyshade's lowerings and their tests care.

use crate::blending;
use crate::error::{Context, Error};
use crate::features::{self, Features, Properties};
use crate::indexing::Indexing;
use crate::instance::{DeviceName, Instance};
use crate::target_reads::TargetReads;
use ash::{ext, khr, vk};
use polyshade_planner::Blending;
use std::ffi::CStr;

/// What a device can do. Everything named here is also enabled.
#[derive(Debug, Clone)]
pub struct Capabilities {
    /// The device's name.
    pub device: String,
    /// The driver's name.
    pub driver: String,
    /// The version of Vulkan that the device offers, as Vulkan packs it.
    pub api_version: u32,
    /// The features of Vulkan 1.0, among them `vertex_pipeline_stores_and_atomics`, `geometry_shader`,
    /// `tessellation_shader`, `shader_clip_distance` and `shader_cull_distance`.
    ///
    /// All are enabled but `robust_buffer_access`, which is never: it would hide stores out of bounds.
    pub features: vk::PhysicalDeviceFeatures,
    /// The features of Vulkan 1.1 to 1.3. All are enabled but `robust_image_access`.
    pub newer_features: Features,
    /// The limits of Vulkan 1.0.
    pub limits: vk::PhysicalDeviceLimits,
    /// `VK_EXT_transform_feedback`, where there is one.
    pub transform_feedback: Option<TransformFeedbackCapabilities>,
    /// What there is for blending, as the planner takes it. `VK_EXT_blend_operation_advanced` is enabled.
    pub blending: Blending,
    /// How shaders can read the targets that they draw to.
    pub target_reads: TargetReads,
    /// What indices can do.
    pub indexing: Indexing,
    /// `VK_EXT_provoking_vertex`, where there is one.
    pub provoking_vertex: Option<ProvokingVertexCapabilities>,
    /// `VK_EXT_primitives_generated_query`, where there is one.
    pub primitives_generated: Option<PrimitivesGeneratedCapabilities>,
    /// The parts of Vulkan that a device has which may leave out some; where it has `VK_KHR_portability_subset`.
    pub(crate) portability: Option<vk::PhysicalDevicePortabilitySubsetFeaturesKHR<'static>>,
    /// The extensions that are enabled beside these.
    pub(crate) extensions: Vec<&'static CStr>,
    pub(crate) properties: Properties,
}

impl Capabilities {
    /// What a vertex function of Metal can do, as far as SPIR-V asks for it: what it cannot is refused when it is
    /// printed. `reader` is what stands in for the driver.
    pub fn of_metal(reader: String) -> Capabilities {
        let features = vk::PhysicalDeviceFeatures::default()
            .vertex_pipeline_stores_and_atomics(true)
            .tessellation_shader(true)
            .shader_clip_distance(true)
            // MSL has none; what is not handed on is computed all the same.
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
            transform_feedback: None,
            blending: Blending::default(),
            target_reads: TargetReads::default(),
            indexing: Indexing::default(),
            provoking_vertex: None,
            primitives_generated: None,
            portability: None,
            extensions: Vec::new(),
            properties: Properties::default(),
        }
    }

    /// Whether triangle fans can be drawn.
    pub fn triangle_fans(&self) -> bool {
        has_triangle_fans(self.portability.as_ref())
    }
}

/// Whether triangle fans can be drawn: a device that may leave out parts of Vulkan says so.
fn has_triangle_fans(
    portability: Option<&vk::PhysicalDevicePortabilitySubsetFeaturesKHR<'_>>,
) -> bool {
    portability.is_none_or(|has| has.triangle_fans == vk::TRUE)
}

/// What `VK_EXT_transform_feedback` offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransformFeedbackCapabilities {
    /// A geometry shader can capture several streams.
    pub geometry_streams: bool,
    /// How many streams there are.
    pub max_streams: u32,
    /// How many buffers can be bound.
    pub max_buffers: u32,
    /// How many bytes of a buffer can be bound.
    pub max_buffer_size: u64,
    /// How many bytes a vertex can capture over all buffers.
    pub max_stream_data_size: u32,
    /// How many bytes a vertex can capture into one buffer.
    pub max_buffer_data_size: u32,
    /// How large a buffer's stride can be.
    pub max_buffer_data_stride: u32,
    /// Queries of the primitives that were written and needed.
    pub queries: bool,
    /// Draws that take their vertex count from a counter.
    pub draw: bool,
    /// Several streams can be of lines and triangles too.
    pub streams_lines_triangles: bool,
}

/// What `VK_EXT_provoking_vertex` offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProvokingVertexCapabilities {
    /// The last vertex can be the provoking one.
    pub last: bool,
    /// Capture keeps the provoking vertex where the mode says; if not, only the winding counts.
    pub preserved_by_capture: bool,
    /// So it does for triangle fans.
    pub preserved_by_capture_in_fans: bool,
}

/// What `VK_EXT_primitives_generated_query` offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrimitivesGeneratedCapabilities {
    /// It counts with rasterizer discard too.
    pub with_discard: bool,
    /// It counts vertex streams beyond 0 too.
    pub with_streams: bool,
}

/// Asks a device for what it can do.
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

/// Whether lavapipe (Mesa 22.3) reads and culls by other cull distances than are written: those behind clip distances,
/// where a register of four holds some of both and the next one the rest of them.
pub fn lavapipe_misreads([clip, cull]: [u32; 2]) -> bool {
    clip % 4 != 0 && cull > 0 && clip / 4 != (clip + cull - 1) / 4
}

impl Capabilities {
    /// Whether the driver is known to read other distances than are written, of so many clip and cull distances.
    pub fn misreads_distances(&self, counts: [u32; 2]) -> bool {
        self.device.contains("llvmpipe") && lavapipe_misreads(counts)
    }

    /// Whether the driver is known to cull otherwise than Vulkan says by so many clip and cull distances. SwiftShader
    /// culls where each vertex has some distance that is negative, be it another one.
    pub fn culls_wrongly(&self, counts: [u32; 2]) -> bool {
        self.misreads_distances(counts) || self.device.contains("SwiftShader") && counts[1] > 1
    }

    /// How many targets a shader can have beside second sources of blending. llvmpipe says two (Mesa 22.3), and writes
    /// the second source of the first target to the second one, whether they are blended or not.
    pub fn targets_beside_second_sources(&self) -> u32 {
        match self.device.contains("llvmpipe") {
            true => 1,
            false => self.limits.max_fragment_dual_src_attachments,
        }
    }
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
) -> Option<PrimitivesGeneratedCapabilities> {
    let has: vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT<'_> = instance.features(device);
    (has.primitives_generated_query == vk::TRUE).then_some(PrimitivesGeneratedCapabilities {
        with_discard: has.primitives_generated_query_with_rasterizer_discard == vk::TRUE,
        with_streams: has.primitives_generated_query_with_non_zero_streams == vk::TRUE,
    })
}

fn query_provoking_vertex(
    instance: &Instance,
    device: vk::PhysicalDevice,
) -> ProvokingVertexCapabilities {
    let features: vk::PhysicalDeviceProvokingVertexFeaturesEXT<'_> = instance.features(device);
    let properties: vk::PhysicalDeviceProvokingVertexPropertiesEXT<'_> =
        instance.properties(device);
    let in_fans = properties.transform_feedback_preserves_triangle_fan_provoking_vertex;
    ProvokingVertexCapabilities {
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
        assert!(has_triangle_fans(None));
        assert!(!has_triangle_fans(Some(&subset)));
        assert!(has_triangle_fans(Some(&subset.triangle_fans(true))));
    }
}
