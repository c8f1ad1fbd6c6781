//! Reads a device from the capabilities of a profile in a Vulkan profiles file.
//!
//! The format is Khronos' profiles schema, which `vulkaninfo` also writes.

use polyshade_planner::{
    Blending, Device, DistanceSupport, Interlock, NativeBlending, Preset, PrimitivesGenerated,
    ProvokingVertexModes, TransformFeedback,
};
use serde_json::{Map, Value};

/// Returns the device of the named profile, or of the only profile. A limit that the profile omits gets the value
/// that Vulkan 1.0 requires.
pub(super) fn device(file: &Value, wanted: Option<&str>) -> Result<Device, String> {
    let empty = Map::new();
    let profiles = file["profiles"].as_object().unwrap_or(&empty);
    let names = || profiles.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    let profile = match (wanted, profiles.len()) {
        (Some(name), _) => profiles
            .get(name)
            .ok_or_else(|| format!("the file has no profile `{name}`, only [{}]", names()))?,
        (None, 1) => profiles.values().next().expect("there is one"),
        (None, count) => {
            return Err(format!(
                "the file has {count} profiles; select one with --profile: [{}]",
                names()
            ));
        }
    };
    let mut blocks = Blocks(Vec::new());
    for name in profile["capabilities"].as_array().into_iter().flatten() {
        // If there are several alternatives, use the first.
        let name = name.as_array().and_then(|any| any.first()).unwrap_or(name);
        let Some(block) = name.as_str().and_then(|name| file["capabilities"].get(name)) else {
            return Err(format!(
                "the profile names capabilities {name}, which the file does not define"
            ));
        };
        blocks.0.push(block);
    }
    Ok(blocks.device())
}

struct Blocks<'v>(Vec<&'v Value>);

impl Blocks<'_> {
    fn device(&self) -> Device {
        let least = Device::default();
        let portable = self.has("VK_KHR_portability_subset");
        let fans = self.feature("PortabilitySubsetFeaturesKHR", "triangleFans");
        let alignment = self.limit("minStorageBufferOffsetAlignment");
        Device {
            transform_feedback: self.transform_feedback(),
            provoking_vertex: self.has("VK_EXT_provoking_vertex").then(|| self.provoking_vertex()),
            primitives_generated: self.primitives_generated(),
            buffer_addresses: self.feature("Vulkan12Features", "bufferDeviceAddress")
                || self.feature("BufferDeviceAddressFeatures", "bufferDeviceAddress"),
            vertex_stores: self.feature("Features", "vertexPipelineStoresAndAtomics"),
            dynamic_rendering: self.feature("Vulkan13Features", "dynamicRendering")
                || self.feature("DynamicRenderingFeatures", "dynamicRendering"),
            triangle_fans: !portable || fans,
            max_bound_sets: self.limit("maxBoundDescriptorSets").unwrap_or(least.max_bound_sets),
            max_storage_buffers: self
                .limit("maxPerStageDescriptorStorageBuffers")
                .unwrap_or(least.max_storage_buffers),
            max_storage_range: self
                .limit("maxStorageBufferRange")
                .unwrap_or(least.max_storage_range),
            storage_alignment: alignment.unwrap_or(least.storage_alignment),
            max_push_constants: self
                .limit("maxPushConstantsSize")
                .unwrap_or(least.max_push_constants),
            blending: self.blending(),
            distances: self.distances(),
            ..least
        }
    }

    /// Returns the limits for distances. A limit whose feature is missing is 0. Any other limit that the profile
    /// omits gets the value that Vulkan requires.
    fn distances(&self) -> DistanceSupport {
        let least = DistanceSupport::from(Preset::Vulkan);
        let has = |feature, limit, least| match self.feature("Features", feature) {
            true => self.limit(limit).unwrap_or(least),
            false => 0,
        };
        let combined = self.limit("maxCombinedClipAndCullDistances").unwrap_or(least.combined);
        let vertices = "maxGeometryOutputVertices";
        DistanceSupport {
            clip: has("shaderClipDistance", "maxClipDistances", least.clip),
            cull: has("shaderCullDistance", "maxCullDistances", least.cull),
            combined,
            fragment_reads: true,
            geometry_vertices: has("geometryShader", vertices, least.geometry_vertices),
        }
    }

    fn transform_feedback(&self) -> Option<TransformFeedback> {
        const PROPERTIES: &str = "TransformFeedbackProperties";
        let feature = |name| self.feature("TransformFeedbackFeatures", name);
        if !feature("transformFeedback") {
            return None;
        }
        let least = TransformFeedback::default();
        let number = |name| self.property(PROPERTIES, name).and_then(Value::as_u64);
        let small = |name, least| number(name).map_or(least, narrow);
        let flag = |name| self.property(PROPERTIES, name).and_then(Value::as_bool) == Some(true);
        Some(TransformFeedback {
            max_streams: small("maxTransformFeedbackStreams", least.max_streams),
            max_buffers: small("maxTransformFeedbackBuffers", least.max_buffers),
            max_buffer_size: number("maxTransformFeedbackBufferSize")
                .unwrap_or(least.max_buffer_size),
            max_stream_data: small("maxTransformFeedbackStreamDataSize", least.max_stream_data),
            max_buffer_data: small("maxTransformFeedbackBufferDataSize", least.max_buffer_data),
            max_stride: small("maxTransformFeedbackBufferDataStride", least.max_stride),
            queries: flag("transformFeedbackQueries"),
            draw: flag("transformFeedbackDraw"),
            geometry_streams: feature("geometryStreams"),
            streams_lines_triangles: flag("transformFeedbackStreamsLinesTriangles"),
        })
    }

    fn blending(&self) -> Blending {
        let least = Blending::default();
        let plain = |name| self.feature("Features", name);
        let local_read = self.feature("Vulkan14Features", "dynamicRenderingLocalRead")
            || self.feature("DynamicRenderingLocalReadFeatures", "dynamicRenderingLocalRead");
        let samples = "dynamicRenderingLocalReadMultisampledAttachments";
        let samples = self.property("Vulkan14Properties", samples).and_then(Value::as_bool);
        let second = self.limit("maxFragmentDualSrcAttachments").unwrap_or(1);
        Blending {
            native: self.has("VK_EXT_blend_operation_advanced").then(|| self.native_blending()),
            ordered_attachments: self.feature(
                "RasterizationOrderAttachmentAccessFeatures",
                "rasterizationOrderColorAttachmentAccess",
            ),
            tile_images: self.feature("ShaderTileImageFeatures", "shaderTileImageColorReadAccess"),
            interlock: self.interlock(),
            local_read,
            local_read_multisampled: local_read && samples.unwrap_or(true),
            sample_shading: plain("sampleRateShading"),
            independent_blend: plain("independentBlend"),
            logic_operations: plain("logicOp"),
            second_source_attachments: if plain("dualSrcBlend") { second } else { 0 },
            max_attachments: self.limit("maxColorAttachments").unwrap_or(least.max_attachments),
            max_input_attachments: self
                .limit("maxPerStageDescriptorInputAttachments")
                .unwrap_or(least.max_input_attachments),
            ..least
        }
    }

    fn native_blending(&self) -> NativeBlending {
        const PROPERTIES: &str = "BlendOperationAdvancedProperties";
        let flag = |name| self.property(PROPERTIES, name).and_then(Value::as_bool) == Some(true);
        let most = self.property(PROPERTIES, "advancedBlendMaxColorAttachments");
        NativeBlending {
            coherent: self
                .feature("BlendOperationAdvancedFeatures", "advancedBlendCoherentOperations"),
            max_attachments: most.and_then(Value::as_u64).map_or(1, narrow),
            independent: flag("advancedBlendIndependentBlend"),
            straight_source: flag("advancedBlendNonPremultipliedSrcColor"),
            straight_destination: flag("advancedBlendNonPremultipliedDstColor"),
            correlated_overlap: flag("advancedBlendCorrelatedOverlap"),
            all_operations: flag("advancedBlendAllOperations"),
            clamped_results: self.feature(
                "ExtendedDynamicState3Features",
                "extendedDynamicState3ColorBlendAdvanced",
            ),
        }
    }

    fn interlock(&self) -> Option<Interlock> {
        let plain = |name| self.feature("Features", name);
        let feature = |name| self.feature("FragmentShaderInterlockFeatures", name);
        let stores = plain("fragmentStoresAndAtomics")
            && plain("shaderStorageImageReadWithoutFormat")
            && plain("shaderStorageImageWriteWithoutFormat");
        (stores && self.has("VK_EXT_fragment_shader_interlock")).then(|| Interlock {
            pixel: feature("fragmentShaderPixelInterlock"),
            sample: feature("fragmentShaderSampleInterlock")
                && plain("shaderStorageImageMultisample"),
        })
    }

    fn provoking_vertex(&self) -> ProvokingVertexModes {
        let feature = |name| self.feature("ProvokingVertexFeatures", name);
        let in_fans = "transformFeedbackPreservesTriangleFanProvokingVertex";
        ProvokingVertexModes {
            last: feature("provokingVertexLast"),
            preserved_by_capture: feature("transformFeedbackPreservesProvokingVertex"),
            preserved_by_capture_in_fans: self
                .property("ProvokingVertexProperties", in_fans)
                .and_then(Value::as_bool)
                .unwrap_or(false),
        }
    }

    fn primitives_generated(&self) -> Option<PrimitivesGenerated> {
        let feature = |name| self.feature("PrimitivesGeneratedQueryFeatures", name);
        feature("primitivesGeneratedQuery").then(|| PrimitivesGenerated {
            with_discard: feature("primitivesGeneratedQueryWithRasterizerDiscard"),
            with_streams: feature("primitivesGeneratedQueryWithNonZeroStreams"),
        })
    }

    fn has(&self, extension: &str) -> bool {
        self.0.iter().any(|block| block["extensions"].get(extension).is_some())
    }

    fn feature(&self, structure: &str, name: &str) -> bool {
        self.find("features", structure, name).and_then(Value::as_bool) == Some(true)
    }

    fn property(&self, structure: &str, name: &str) -> Option<&Value> {
        self.find("properties", structure, name)
    }

    fn limit(&self, name: &str) -> Option<u32> {
        let limits = self.0.iter().find_map(|block| {
            let properties = &block["properties"];
            let one = properties["VkPhysicalDeviceProperties"]["limits"].get(name);
            one.or_else(|| {
                properties["VkPhysicalDeviceProperties2"]["properties"]["limits"].get(name)
            })
        });
        limits.and_then(Value::as_u64).map(narrow)
    }

    /// Finds a member of a structure by any name of the structure, because structures of promoted
    /// extensions have several.
    fn find(&self, kind: &str, structure: &str, name: &str) -> Option<&Value> {
        ["", "EXT", "KHR", "2"].into_iter().find_map(|suffix| {
            let structure = format!("VkPhysicalDevice{structure}{suffix}");
            self.0.iter().find_map(|block| {
                let members = &block[kind][&structure];
                members.get(name).or_else(|| members["features"].get(name))
            })
        })
    }
}

/// Converts a 64-bit limit to 32 bits with saturation. No plan needs a limit near the largest value.
fn narrow(limit: u64) -> u32 {
    u32::try_from(limit).unwrap_or(u32::MAX)
}
