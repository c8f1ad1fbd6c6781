//! What Vulkan calls the things that a device may have.

use std::fmt;

macro_rules! vulkan_names {
    ($($(#[$doc:meta])* $set:ident { $($name:ident = $text:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum $set {
            $(
                #[doc = concat!("`", $text, "`.")]
                #[cfg_attr(feature = "serde", serde(rename = $text))]
                $name,
            )*
        }

        impl $set {
            /// Vulkan's name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }

        impl fmt::Display for $set {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    )*};
}

vulkan_names! {
    /// A device extension.
    Extension {
        BlendOperationAdvanced = "VK_EXT_blend_operation_advanced",
        DynamicRenderingLocalRead = "VK_KHR_dynamic_rendering_local_read",
        RasterizationOrderAttachmentAccess = "VK_EXT_rasterization_order_attachment_access",
        TransformFeedback = "VK_EXT_transform_feedback",
        ShaderTileImage = "VK_EXT_shader_tile_image",
        FragmentShaderInterlock = "VK_EXT_fragment_shader_interlock",
    }
    /// A feature, by its member of `VkPhysicalDeviceFeatures` or of an extension's structure.
    Feature {
        AdvancedBlendCoherentOperations = "advancedBlendCoherentOperations",
        BufferDeviceAddress = "bufferDeviceAddress",
        DynamicRenderingLocalRead = "dynamicRenderingLocalRead",
        RasterizationOrderColorAttachmentAccess = "rasterizationOrderColorAttachmentAccess",
        VertexPipelineStoresAndAtomics = "vertexPipelineStoresAndAtomics",
        FragmentStoresAndAtomics = "fragmentStoresAndAtomics",
        GeometryShader = "geometryShader",
        GeometryStreams = "geometryStreams",
        Multiview = "multiview",
        SampleRateShading = "sampleRateShading",
        ShaderClipDistance = "shaderClipDistance",
        ShaderCullDistance = "shaderCullDistance",
        ShaderDrawParameters = "shaderDrawParameters",
        ShaderOutputLayer = "shaderOutputLayer",
        ShaderStorageImageMultisample = "shaderStorageImageMultisample",
        ShaderStorageImageReadWithoutFormat = "shaderStorageImageReadWithoutFormat",
        ShaderStorageImageWriteWithoutFormat = "shaderStorageImageWriteWithoutFormat",
        ShaderTessellationAndGeometryPointSize = "shaderTessellationAndGeometryPointSize",
        ShaderTileImageColorReadAccess = "shaderTileImageColorReadAccess",
        FragmentShaderPixelInterlock = "fragmentShaderPixelInterlock",
        FragmentShaderSampleInterlock = "fragmentShaderSampleInterlock",
        TransformFeedback = "transformFeedback",
    }
    /// A limit, by its member of `VkPhysicalDeviceLimits` or of an extension's properties.
    LimitName {
        MaxBoundDescriptorSets = "maxBoundDescriptorSets",
        MaxClipDistances = "maxClipDistances",
        MaxCombinedClipAndCullDistances = "maxCombinedClipAndCullDistances",
        MaxCullDistances = "maxCullDistances",
        MaxGeometryOutputComponents = "maxGeometryOutputComponents",
        MaxGeometryOutputVertices = "maxGeometryOutputVertices",
        MaxGeometryTotalOutputComponents = "maxGeometryTotalOutputComponents",
        MaxPerStageDescriptorStorageBuffers = "maxPerStageDescriptorStorageBuffers",
        MaxPerStageDescriptorUniformBuffers = "maxPerStageDescriptorUniformBuffers",
        MaxPushConstantsSize = "maxPushConstantsSize",
        MaxTessellationEvaluationOutputComponents = "maxTessellationEvaluationOutputComponents",
        MaxTransformFeedbackBufferDataSize = "maxTransformFeedbackBufferDataSize",
        MaxTransformFeedbackBufferDataStride = "maxTransformFeedbackBufferDataStride",
        MaxTransformFeedbackBuffers = "maxTransformFeedbackBuffers",
        MaxTransformFeedbackStreamDataSize = "maxTransformFeedbackStreamDataSize",
        MaxTransformFeedbackStreams = "maxTransformFeedbackStreams",
        MaxVertexInputAttributes = "maxVertexInputAttributes",
        MaxVertexOutputComponents = "maxVertexOutputComponents",
        TransformFeedbackStreamsLinesTriangles = "transformFeedbackStreamsLinesTriangles",
    }
}
