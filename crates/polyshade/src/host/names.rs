//! Vulkan names of extensions, features and limits.

/// Defines enums with named members. JSON uses these names, too.
macro_rules! named {
    ($($(#[$doc:meta])* $set:ident { $($(#[$of:meta])* $name:ident = $text:literal,)* })*) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        $(#[$doc])*
        pub enum $set {
            $(
                #[doc = concat!("`", $text, "`.")]
                $(#[$of])*
                #[cfg_attr(feature = "serde", serde(rename = $text))]
                $name,
            )*
        }

        impl $set {
            /// All members, in the order of their declaration.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$name),*];

            /// Returns the name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }

        impl std::fmt::Display for $set {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    )*};
}

/// Implements the JSON conversions of a type as text, in the form that `Display` writes and `FromStr` parses.
macro_rules! as_text {
    ($type:ident) => {
        impl TryFrom<String> for $type {
            type Error = polyshade_spv::Error;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.to_string()
            }
        }
    };
}

pub(crate) use {as_text, named};

named! {
    /// A device extension.
    #[non_exhaustive]
    Extension {
        BlendOperationAdvanced = "VK_EXT_blend_operation_advanced",
        DynamicRenderingLocalRead = "VK_KHR_dynamic_rendering_local_read",
        RasterizationOrderAttachmentAccess = "VK_EXT_rasterization_order_attachment_access",
        TransformFeedback = "VK_EXT_transform_feedback",
        ShaderTileImage = "VK_EXT_shader_tile_image",
        FragmentShaderInterlock = "VK_EXT_fragment_shader_interlock",
    }
    /// A feature, named after its member of `VkPhysicalDeviceFeatures` or of an extension's structure.
    #[non_exhaustive]
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
    /// A limit, named after its member of `VkPhysicalDeviceLimits` or of an extension's structure.
    #[non_exhaustive]
    LimitName {
        MaxBoundDescriptorSets = "maxBoundDescriptorSets",
        MaxClipDistances = "maxClipDistances",
        MaxCombinedClipAndCullDistances = "maxCombinedClipAndCullDistances",
        MaxComputeSharedMemorySize = "maxComputeSharedMemorySize",
        MaxCullDistances = "maxCullDistances",
        MaxGeometryInputComponents = "maxGeometryInputComponents",
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
