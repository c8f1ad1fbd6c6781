//! The structures of each device extension, and the sizes of structures in chains.
//!
//! A chain contains the type of a structure but not its size, so the layer can copy only known structures. The rows
//! are taken from `ash`. Structures promoted to core Vulkan belong to no extension, because they report the features
//! of a version.

use ash::vk::{self, TaggedStructure};
use std::ffi::CStr;

/// A feature or property structure of an extension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owned {
    pub(crate) extension: &'static CStr,
    /// Feature structures are reported as all false; property structures are left unchanged.
    pub(crate) kind: StructureKind,
    pub(crate) s_type: vk::StructureType,
    /// The size in bytes of a feature structure.
    pub(crate) size: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StructureKind {
    Features,
    Properties,
}

pub(crate) fn all() -> impl Iterator<Item = Owned> {
    OWNED.iter().copied()
}

/// Returns the size in bytes of a structure that may be in a copied chain.
pub(crate) fn size(s_type: vk::StructureType) -> Option<usize> {
    SIZES.iter().find(|(known, _)| *known == s_type).map(|(_, size)| *size)
}

/// `VkPhysicalDeviceVulkan14Features`, which `ash` lacks: the type, the next pointer and 21 features.
const VULKAN_14_FEATURES: vk::StructureType = vk::StructureType::from_raw(55);
const VULKAN_14_FEATURES_SIZE: usize =
    size_of::<(vk::BaseInStructure<'static>, [vk::Bool32; 21])>();

macro_rules! sizes {
    ($($Structure:ident)*) => {
        const SIZES: &[(vk::StructureType, usize)] = &[
            (vk::StructureType::LOADER_DEVICE_CREATE_INFO, size_of::<crate::chain::LayerDeviceCreateInfo>()),
            (VULKAN_14_FEATURES, VULKAN_14_FEATURES_SIZE),
            $((<vk::$Structure<'static> as TaggedStructure>::STRUCTURE_TYPE, size_of::<vk::$Structure<'static>>()),)*
        ];
    };
}

macro_rules! owned {
    ($($EXTENSION:ident $Kind:ident $Structure:ident;)*) => {
        const OWNED: &[Owned] = &[
            $(Owned {
                extension: vk::$EXTENSION,
                kind: StructureKind::$Kind,
                s_type: <vk::$Structure<'static> as TaggedStructure>::STRUCTURE_TYPE,
                size: size_of::<vk::$Structure<'static>>(),
            },)*
        ];
    };
}

sizes! {
    AttachmentSampleCountInfoAMD PipelineCreateFlags2CreateInfoKHR PipelineCreationFeedbackCreateInfo
    PipelineDiscardRectangleStateCreateInfoEXT PipelineFragmentShadingRateStateCreateInfoKHR
    PipelineRenderingCreateInfo PipelineRobustnessCreateInfoEXT PipelineViewportCoarseSampleOrderStateCreateInfoNV
    PipelineViewportExclusiveScissorStateCreateInfoNV PipelineViewportShadingRateImageStateCreateInfoNV
    PipelineViewportSwizzleStateCreateInfoNV PipelineViewportWScalingStateCreateInfoNV
    RenderingAttachmentLocationInfoKHR RenderingInputAttachmentIndexInfoKHR
    MemoryAllocateFlagsInfo MemoryDedicatedAllocateInfo ExportMemoryAllocateInfo ImportMemoryFdInfoKHR
    ImportMemoryHostPointerInfoEXT MemoryOpaqueCaptureAddressAllocateInfo MemoryPriorityAllocateInfoEXT
    BufferCollectionBufferCreateInfoFUCHSIA BufferDeviceAddressCreateInfoEXT BufferOpaqueCaptureAddressCreateInfo
    BufferUsageFlags2CreateInfoKHR DebugUtilsObjectNameInfoEXT DedicatedAllocationBufferCreateInfoNV
    DepthBiasRepresentationInfoEXT DeviceDeviceMemoryReportCreateInfoEXT DeviceDiagnosticsConfigCreateInfoNV
    DeviceGroupDeviceCreateInfo DeviceMemoryOverallocationCreateInfoAMD DevicePrivateDataCreateInfo
    DeviceQueueShaderCoreControlCreateInfoARM ExternalMemoryBufferCreateInfo MemoryBarrier2
    OpaqueCaptureDescriptorDataCreateInfoEXT PhysicalDevice16BitStorageFeatures PhysicalDevice4444FormatsFeaturesEXT
    PhysicalDevice8BitStorageFeatures PhysicalDeviceASTCDecodeFeaturesEXT
    PhysicalDeviceAccelerationStructureFeaturesKHR PhysicalDeviceAddressBindingReportFeaturesEXT
    PhysicalDeviceAmigoProfilingFeaturesSEC PhysicalDeviceAttachmentFeedbackLoopDynamicStateFeaturesEXT
    PhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT PhysicalDeviceBlendOperationAdvancedFeaturesEXT
    PhysicalDeviceBorderColorSwizzleFeaturesEXT PhysicalDeviceBufferDeviceAddressFeatures
    PhysicalDeviceBufferDeviceAddressFeaturesEXT PhysicalDeviceClusterCullingShaderFeaturesHUAWEI
    PhysicalDeviceCoherentMemoryFeaturesAMD PhysicalDeviceColorWriteEnableFeaturesEXT
    PhysicalDeviceComputeShaderDerivativesFeaturesNV PhysicalDeviceConditionalRenderingFeaturesEXT
    PhysicalDeviceCooperativeMatrixFeaturesKHR PhysicalDeviceCooperativeMatrixFeaturesNV
    PhysicalDeviceCopyMemoryIndirectFeaturesNV PhysicalDeviceCornerSampledImageFeaturesNV
    PhysicalDeviceCoverageReductionModeFeaturesNV PhysicalDeviceCubicClampFeaturesQCOM
    PhysicalDeviceCubicWeightsFeaturesQCOM PhysicalDeviceCudaKernelLaunchFeaturesNV
    PhysicalDeviceCustomBorderColorFeaturesEXT PhysicalDeviceDedicatedAllocationImageAliasingFeaturesNV
    PhysicalDeviceDepthBiasControlFeaturesEXT PhysicalDeviceDepthClampZeroOneFeaturesEXT
    PhysicalDeviceDepthClipControlFeaturesEXT PhysicalDeviceDepthClipEnableFeaturesEXT
    PhysicalDeviceDescriptorBufferFeaturesEXT PhysicalDeviceDescriptorIndexingFeatures
    PhysicalDeviceDescriptorPoolOverallocationFeaturesNV PhysicalDeviceDescriptorSetHostMappingFeaturesVALVE
    PhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV PhysicalDeviceDeviceGeneratedCommandsFeaturesNV
    PhysicalDeviceDeviceMemoryReportFeaturesEXT PhysicalDeviceDiagnosticsConfigFeaturesNV
    PhysicalDeviceDisplacementMicromapFeaturesNV PhysicalDeviceDynamicRenderingFeatures
    PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR PhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT
    PhysicalDeviceExclusiveScissorFeaturesNV PhysicalDeviceExtendedDynamicState2FeaturesEXT
    PhysicalDeviceExtendedDynamicState3FeaturesEXT PhysicalDeviceExtendedDynamicStateFeaturesEXT
    PhysicalDeviceExtendedSparseAddressSpaceFeaturesNV PhysicalDeviceExternalFormatResolveFeaturesANDROID
    PhysicalDeviceExternalMemoryRDMAFeaturesNV PhysicalDeviceExternalMemoryScreenBufferFeaturesQNX
    PhysicalDeviceFaultFeaturesEXT PhysicalDeviceFeatures2 PhysicalDeviceFragmentDensityMap2FeaturesEXT
    PhysicalDeviceFragmentDensityMapFeaturesEXT PhysicalDeviceFragmentDensityMapOffsetFeaturesQCOM
    PhysicalDeviceFragmentShaderBarycentricFeaturesKHR PhysicalDeviceFragmentShaderInterlockFeaturesEXT
    PhysicalDeviceFragmentShadingRateEnumsFeaturesNV PhysicalDeviceFragmentShadingRateFeaturesKHR
    PhysicalDeviceFrameBoundaryFeaturesEXT PhysicalDeviceGlobalPriorityQueryFeaturesKHR
    PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT PhysicalDeviceHostImageCopyFeaturesEXT
    PhysicalDeviceHostQueryResetFeatures PhysicalDeviceImage2DViewOf3DFeaturesEXT
    PhysicalDeviceImageCompressionControlFeaturesEXT PhysicalDeviceImageCompressionControlSwapchainFeaturesEXT
    PhysicalDeviceImageProcessing2FeaturesQCOM PhysicalDeviceImageProcessingFeaturesQCOM
    PhysicalDeviceImageRobustnessFeatures PhysicalDeviceImageSlicedViewOf3DFeaturesEXT
    PhysicalDeviceImageViewMinLodFeaturesEXT PhysicalDeviceImagelessFramebufferFeatures
    PhysicalDeviceIndexTypeUint8FeaturesKHR PhysicalDeviceInheritedViewportScissorFeaturesNV
    PhysicalDeviceInlineUniformBlockFeatures PhysicalDeviceInvocationMaskFeaturesHUAWEI
    PhysicalDeviceLegacyDitheringFeaturesEXT PhysicalDeviceLineRasterizationFeaturesKHR
    PhysicalDeviceLinearColorAttachmentFeaturesNV PhysicalDeviceMaintenance4Features
    PhysicalDeviceMaintenance5FeaturesKHR PhysicalDeviceMaintenance6FeaturesKHR
    PhysicalDeviceMapMemoryPlacedFeaturesEXT PhysicalDeviceMemoryDecompressionFeaturesNV
    PhysicalDeviceMemoryPriorityFeaturesEXT PhysicalDeviceMeshShaderFeaturesEXT PhysicalDeviceMeshShaderFeaturesNV
    PhysicalDeviceMultiDrawFeaturesEXT PhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT
    PhysicalDeviceMultiviewFeatures PhysicalDeviceMultiviewPerViewRenderAreasFeaturesQCOM
    PhysicalDeviceMultiviewPerViewViewportsFeaturesQCOM PhysicalDeviceMutableDescriptorTypeFeaturesEXT
    PhysicalDeviceNestedCommandBufferFeaturesEXT PhysicalDeviceNonSeamlessCubeMapFeaturesEXT
    PhysicalDeviceOpacityMicromapFeaturesEXT PhysicalDeviceOpticalFlowFeaturesNV
    PhysicalDevicePageableDeviceLocalMemoryFeaturesEXT PhysicalDevicePerStageDescriptorSetFeaturesNV
    PhysicalDevicePerformanceQueryFeaturesKHR PhysicalDevicePipelineCreationCacheControlFeatures
    PhysicalDevicePipelineExecutablePropertiesFeaturesKHR PhysicalDevicePipelineLibraryGroupHandlesFeaturesEXT
    PhysicalDevicePipelinePropertiesFeaturesEXT PhysicalDevicePipelineProtectedAccessFeaturesEXT
    PhysicalDevicePipelineRobustnessFeaturesEXT PhysicalDevicePortabilitySubsetFeaturesKHR
    PhysicalDevicePresentBarrierFeaturesNV PhysicalDevicePresentIdFeaturesKHR PhysicalDevicePresentWaitFeaturesKHR
    PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT
    PhysicalDevicePrivateDataFeatures PhysicalDeviceProtectedMemoryFeatures PhysicalDeviceProvokingVertexFeaturesEXT
    PhysicalDeviceRGBA10X6FormatsFeaturesEXT PhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT
    PhysicalDeviceRawAccessChainsFeaturesNV PhysicalDeviceRayQueryFeaturesKHR
    PhysicalDeviceRayTracingInvocationReorderFeaturesNV PhysicalDeviceRayTracingMaintenance1FeaturesKHR
    PhysicalDeviceRayTracingMotionBlurFeaturesNV PhysicalDeviceRayTracingPipelineFeaturesKHR
    PhysicalDeviceRayTracingPositionFetchFeaturesKHR PhysicalDeviceRayTracingValidationFeaturesNV
    PhysicalDeviceRelaxedLineRasterizationFeaturesIMG PhysicalDeviceRenderPassStripedFeaturesARM
    PhysicalDeviceRepresentativeFragmentTestFeaturesNV PhysicalDeviceRobustness2FeaturesEXT
    PhysicalDeviceSamplerYcbcrConversionFeatures PhysicalDeviceScalarBlockLayoutFeatures
    PhysicalDeviceSchedulingControlsFeaturesARM PhysicalDeviceSeparateDepthStencilLayoutsFeatures
    PhysicalDeviceShaderAtomicFloat16VectorFeaturesNV PhysicalDeviceShaderAtomicFloat2FeaturesEXT
    PhysicalDeviceShaderAtomicFloatFeaturesEXT PhysicalDeviceShaderAtomicInt64Features
    PhysicalDeviceShaderClockFeaturesKHR PhysicalDeviceShaderCoreBuiltinsFeaturesARM
    PhysicalDeviceShaderDemoteToHelperInvocationFeatures PhysicalDeviceShaderDrawParametersFeatures
    PhysicalDeviceShaderEarlyAndLateFragmentTestsFeaturesAMD PhysicalDeviceShaderEnqueueFeaturesAMDX
    PhysicalDeviceShaderExpectAssumeFeaturesKHR PhysicalDeviceShaderFloat16Int8Features
    PhysicalDeviceShaderFloatControls2FeaturesKHR PhysicalDeviceShaderImageAtomicInt64FeaturesEXT
    PhysicalDeviceShaderImageFootprintFeaturesNV PhysicalDeviceShaderIntegerDotProductFeatures
    PhysicalDeviceShaderIntegerFunctions2FeaturesINTEL PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR
    PhysicalDeviceShaderModuleIdentifierFeaturesEXT PhysicalDeviceShaderObjectFeaturesEXT
    PhysicalDeviceShaderQuadControlFeaturesKHR PhysicalDeviceShaderSMBuiltinsFeaturesNV
    PhysicalDeviceShaderSubgroupExtendedTypesFeatures PhysicalDeviceShaderSubgroupRotateFeaturesKHR
    PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR PhysicalDeviceShaderTerminateInvocationFeatures
    PhysicalDeviceShaderTileImageFeaturesEXT PhysicalDeviceShadingRateImageFeaturesNV
    PhysicalDeviceSubgroupSizeControlFeatures PhysicalDeviceSubpassMergeFeedbackFeaturesEXT
    PhysicalDeviceSubpassShadingFeaturesHUAWEI PhysicalDeviceSwapchainMaintenance1FeaturesEXT
    PhysicalDeviceSynchronization2Features PhysicalDeviceTexelBufferAlignmentFeaturesEXT
    PhysicalDeviceTextureCompressionASTCHDRFeatures PhysicalDeviceTilePropertiesFeaturesQCOM
    PhysicalDeviceTimelineSemaphoreFeatures PhysicalDeviceTransformFeedbackFeaturesEXT
    PhysicalDeviceUniformBufferStandardLayoutFeatures PhysicalDeviceVariablePointersFeatures
    PhysicalDeviceVertexAttributeDivisorFeaturesKHR PhysicalDeviceVertexInputDynamicStateFeaturesEXT
    PhysicalDeviceVideoMaintenance1FeaturesKHR PhysicalDeviceVulkan11Features PhysicalDeviceVulkan12Features
    PhysicalDeviceVulkan13Features PhysicalDeviceVulkanMemoryModelFeatures
    PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR PhysicalDeviceYcbcr2Plane444FormatsFeaturesEXT
    PhysicalDeviceYcbcrDegammaFeaturesQCOM PhysicalDeviceYcbcrImageArraysFeaturesEXT
    PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures PipelineRasterizationConservativeStateCreateInfoEXT
    PipelineRasterizationDepthClipStateCreateInfoEXT PipelineRasterizationLineStateCreateInfoKHR
    PipelineRasterizationProvokingVertexStateCreateInfoEXT PipelineRasterizationStateRasterizationOrderAMD
    PipelineRasterizationStateStreamCreateInfoEXT PipelineRobustnessCreateInfoEXT
    PipelineShaderStageModuleIdentifierCreateInfoEXT PipelineShaderStageNodeCreateInfoAMDX
    PipelineShaderStageRequiredSubgroupSizeCreateInfo ShaderModuleCreateInfo ShaderModuleValidationCacheCreateInfoEXT
    VideoProfileListInfoKHR
}

owned! {
    AMDX_SHADER_ENQUEUE_NAME Features PhysicalDeviceShaderEnqueueFeaturesAMDX;
    AMDX_SHADER_ENQUEUE_NAME Properties PhysicalDeviceShaderEnqueuePropertiesAMDX;
    AMD_DEVICE_COHERENT_MEMORY_NAME Features PhysicalDeviceCoherentMemoryFeaturesAMD;
    AMD_SHADER_CORE_PROPERTIES_NAME Properties PhysicalDeviceShaderCorePropertiesAMD;
    AMD_SHADER_CORE_PROPERTIES2_NAME Properties PhysicalDeviceShaderCoreProperties2AMD;
    AMD_SHADER_EARLY_AND_LATE_FRAGMENT_TESTS_NAME Features PhysicalDeviceShaderEarlyAndLateFragmentTestsFeaturesAMD;
    ANDROID_EXTERNAL_FORMAT_RESOLVE_NAME Features PhysicalDeviceExternalFormatResolveFeaturesANDROID;
    ANDROID_EXTERNAL_FORMAT_RESOLVE_NAME Properties PhysicalDeviceExternalFormatResolvePropertiesANDROID;
    ARM_RENDER_PASS_STRIPED_NAME Features PhysicalDeviceRenderPassStripedFeaturesARM;
    ARM_RENDER_PASS_STRIPED_NAME Properties PhysicalDeviceRenderPassStripedPropertiesARM;
    ARM_SCHEDULING_CONTROLS_NAME Features PhysicalDeviceSchedulingControlsFeaturesARM;
    ARM_SCHEDULING_CONTROLS_NAME Properties PhysicalDeviceSchedulingControlsPropertiesARM;
    ARM_SHADER_CORE_BUILTINS_NAME Features PhysicalDeviceShaderCoreBuiltinsFeaturesARM;
    ARM_SHADER_CORE_BUILTINS_NAME Properties PhysicalDeviceShaderCoreBuiltinsPropertiesARM;
    ARM_SHADER_CORE_PROPERTIES_NAME Properties PhysicalDeviceShaderCorePropertiesARM;
    EXT_4444_FORMATS_NAME Features PhysicalDevice4444FormatsFeaturesEXT;
    EXT_ASTC_DECODE_MODE_NAME Features PhysicalDeviceASTCDecodeFeaturesEXT;
    EXT_ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE_NAME Features
    PhysicalDeviceAttachmentFeedbackLoopDynamicStateFeaturesEXT;
    EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_NAME Features PhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT;
    EXT_BLEND_OPERATION_ADVANCED_NAME Features PhysicalDeviceBlendOperationAdvancedFeaturesEXT;
    EXT_BLEND_OPERATION_ADVANCED_NAME Properties PhysicalDeviceBlendOperationAdvancedPropertiesEXT;
    EXT_BORDER_COLOR_SWIZZLE_NAME Features PhysicalDeviceBorderColorSwizzleFeaturesEXT;
    EXT_BUFFER_DEVICE_ADDRESS_NAME Features PhysicalDeviceBufferDeviceAddressFeaturesEXT;
    EXT_COLOR_WRITE_ENABLE_NAME Features PhysicalDeviceColorWriteEnableFeaturesEXT;
    EXT_CONDITIONAL_RENDERING_NAME Features PhysicalDeviceConditionalRenderingFeaturesEXT;
    EXT_CONSERVATIVE_RASTERIZATION_NAME Properties PhysicalDeviceConservativeRasterizationPropertiesEXT;
    EXT_CUSTOM_BORDER_COLOR_NAME Features PhysicalDeviceCustomBorderColorFeaturesEXT;
    EXT_CUSTOM_BORDER_COLOR_NAME Properties PhysicalDeviceCustomBorderColorPropertiesEXT;
    EXT_DEPTH_BIAS_CONTROL_NAME Features PhysicalDeviceDepthBiasControlFeaturesEXT;
    EXT_DEPTH_CLAMP_ZERO_ONE_NAME Features PhysicalDeviceDepthClampZeroOneFeaturesEXT;
    EXT_DEPTH_CLIP_CONTROL_NAME Features PhysicalDeviceDepthClipControlFeaturesEXT;
    EXT_DEPTH_CLIP_ENABLE_NAME Features PhysicalDeviceDepthClipEnableFeaturesEXT;
    EXT_DESCRIPTOR_BUFFER_NAME Features PhysicalDeviceDescriptorBufferFeaturesEXT;
    EXT_DESCRIPTOR_BUFFER_NAME Properties PhysicalDeviceDescriptorBufferDensityMapPropertiesEXT;
    EXT_DESCRIPTOR_BUFFER_NAME Properties PhysicalDeviceDescriptorBufferPropertiesEXT;
    EXT_DEVICE_ADDRESS_BINDING_REPORT_NAME Features PhysicalDeviceAddressBindingReportFeaturesEXT;
    EXT_DEVICE_FAULT_NAME Features PhysicalDeviceFaultFeaturesEXT;
    EXT_DEVICE_MEMORY_REPORT_NAME Features PhysicalDeviceDeviceMemoryReportFeaturesEXT;
    EXT_DISCARD_RECTANGLES_NAME Properties PhysicalDeviceDiscardRectanglePropertiesEXT;
    EXT_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS_NAME Features PhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT;
    EXT_EXTENDED_DYNAMIC_STATE_NAME Features PhysicalDeviceExtendedDynamicStateFeaturesEXT;
    EXT_EXTENDED_DYNAMIC_STATE2_NAME Features PhysicalDeviceExtendedDynamicState2FeaturesEXT;
    EXT_EXTENDED_DYNAMIC_STATE3_NAME Features PhysicalDeviceExtendedDynamicState3FeaturesEXT;
    EXT_EXTENDED_DYNAMIC_STATE3_NAME Properties PhysicalDeviceExtendedDynamicState3PropertiesEXT;
    EXT_EXTERNAL_MEMORY_HOST_NAME Properties PhysicalDeviceExternalMemoryHostPropertiesEXT;
    EXT_FRAGMENT_DENSITY_MAP_NAME Features PhysicalDeviceFragmentDensityMapFeaturesEXT;
    EXT_FRAGMENT_DENSITY_MAP_NAME Properties PhysicalDeviceFragmentDensityMapPropertiesEXT;
    EXT_FRAGMENT_DENSITY_MAP2_NAME Features PhysicalDeviceFragmentDensityMap2FeaturesEXT;
    EXT_FRAGMENT_DENSITY_MAP2_NAME Properties PhysicalDeviceFragmentDensityMap2PropertiesEXT;
    EXT_FRAGMENT_SHADER_INTERLOCK_NAME Features PhysicalDeviceFragmentShaderInterlockFeaturesEXT;
    EXT_FRAME_BOUNDARY_NAME Features PhysicalDeviceFrameBoundaryFeaturesEXT;
    EXT_GRAPHICS_PIPELINE_LIBRARY_NAME Features PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT;
    EXT_GRAPHICS_PIPELINE_LIBRARY_NAME Properties PhysicalDeviceGraphicsPipelineLibraryPropertiesEXT;
    EXT_HOST_IMAGE_COPY_NAME Features PhysicalDeviceHostImageCopyFeaturesEXT;
    EXT_HOST_IMAGE_COPY_NAME Properties PhysicalDeviceHostImageCopyPropertiesEXT;
    EXT_IMAGE_2D_VIEW_OF_3D_NAME Features PhysicalDeviceImage2DViewOf3DFeaturesEXT;
    EXT_IMAGE_COMPRESSION_CONTROL_NAME Features PhysicalDeviceImageCompressionControlFeaturesEXT;
    EXT_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN_NAME Features PhysicalDeviceImageCompressionControlSwapchainFeaturesEXT;
    EXT_IMAGE_SLICED_VIEW_OF_3D_NAME Features PhysicalDeviceImageSlicedViewOf3DFeaturesEXT;
    EXT_IMAGE_VIEW_MIN_LOD_NAME Features PhysicalDeviceImageViewMinLodFeaturesEXT;
    EXT_LEGACY_DITHERING_NAME Features PhysicalDeviceLegacyDitheringFeaturesEXT;
    EXT_MAP_MEMORY_PLACED_NAME Features PhysicalDeviceMapMemoryPlacedFeaturesEXT;
    EXT_MAP_MEMORY_PLACED_NAME Properties PhysicalDeviceMapMemoryPlacedPropertiesEXT;
    EXT_MEMORY_PRIORITY_NAME Features PhysicalDeviceMemoryPriorityFeaturesEXT;
    EXT_MESH_SHADER_NAME Features PhysicalDeviceMeshShaderFeaturesEXT;
    EXT_MESH_SHADER_NAME Properties PhysicalDeviceMeshShaderPropertiesEXT;
    EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_NAME Features
    PhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT;
    EXT_MULTI_DRAW_NAME Features PhysicalDeviceMultiDrawFeaturesEXT;
    EXT_MULTI_DRAW_NAME Properties PhysicalDeviceMultiDrawPropertiesEXT;
    EXT_MUTABLE_DESCRIPTOR_TYPE_NAME Features PhysicalDeviceMutableDescriptorTypeFeaturesEXT;
    EXT_NESTED_COMMAND_BUFFER_NAME Features PhysicalDeviceNestedCommandBufferFeaturesEXT;
    EXT_NESTED_COMMAND_BUFFER_NAME Properties PhysicalDeviceNestedCommandBufferPropertiesEXT;
    EXT_NON_SEAMLESS_CUBE_MAP_NAME Features PhysicalDeviceNonSeamlessCubeMapFeaturesEXT;
    EXT_OPACITY_MICROMAP_NAME Features PhysicalDeviceOpacityMicromapFeaturesEXT;
    EXT_OPACITY_MICROMAP_NAME Properties PhysicalDeviceOpacityMicromapPropertiesEXT;
    EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_NAME Features PhysicalDevicePageableDeviceLocalMemoryFeaturesEXT;
    EXT_PCI_BUS_INFO_NAME Properties PhysicalDevicePCIBusInfoPropertiesEXT;
    EXT_PHYSICAL_DEVICE_DRM_NAME Properties PhysicalDeviceDrmPropertiesEXT;
    EXT_PIPELINE_LIBRARY_GROUP_HANDLES_NAME Features PhysicalDevicePipelineLibraryGroupHandlesFeaturesEXT;
    EXT_PIPELINE_PROPERTIES_NAME Features PhysicalDevicePipelinePropertiesFeaturesEXT;
    EXT_PIPELINE_PROTECTED_ACCESS_NAME Features PhysicalDevicePipelineProtectedAccessFeaturesEXT;
    EXT_PIPELINE_ROBUSTNESS_NAME Features PhysicalDevicePipelineRobustnessFeaturesEXT;
    EXT_PIPELINE_ROBUSTNESS_NAME Properties PhysicalDevicePipelineRobustnessPropertiesEXT;
    EXT_PRIMITIVES_GENERATED_QUERY_NAME Features PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT;
    EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_NAME Features PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT;
    EXT_PROVOKING_VERTEX_NAME Features PhysicalDeviceProvokingVertexFeaturesEXT;
    EXT_PROVOKING_VERTEX_NAME Properties PhysicalDeviceProvokingVertexPropertiesEXT;
    EXT_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_NAME Features
    PhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT;
    EXT_RGBA10X6_FORMATS_NAME Features PhysicalDeviceRGBA10X6FormatsFeaturesEXT;
    EXT_ROBUSTNESS2_NAME Features PhysicalDeviceRobustness2FeaturesEXT;
    EXT_ROBUSTNESS2_NAME Properties PhysicalDeviceRobustness2PropertiesEXT;
    EXT_SAMPLE_LOCATIONS_NAME Properties PhysicalDeviceSampleLocationsPropertiesEXT;
    EXT_SHADER_ATOMIC_FLOAT_NAME Features PhysicalDeviceShaderAtomicFloatFeaturesEXT;
    EXT_SHADER_ATOMIC_FLOAT2_NAME Features PhysicalDeviceShaderAtomicFloat2FeaturesEXT;
    EXT_SHADER_IMAGE_ATOMIC_INT64_NAME Features PhysicalDeviceShaderImageAtomicInt64FeaturesEXT;
    EXT_SHADER_MODULE_IDENTIFIER_NAME Features PhysicalDeviceShaderModuleIdentifierFeaturesEXT;
    EXT_SHADER_MODULE_IDENTIFIER_NAME Properties PhysicalDeviceShaderModuleIdentifierPropertiesEXT;
    EXT_SHADER_OBJECT_NAME Features PhysicalDeviceShaderObjectFeaturesEXT;
    EXT_SHADER_OBJECT_NAME Properties PhysicalDeviceShaderObjectPropertiesEXT;
    EXT_SHADER_TILE_IMAGE_NAME Features PhysicalDeviceShaderTileImageFeaturesEXT;
    EXT_SHADER_TILE_IMAGE_NAME Properties PhysicalDeviceShaderTileImagePropertiesEXT;
    EXT_SUBPASS_MERGE_FEEDBACK_NAME Features PhysicalDeviceSubpassMergeFeedbackFeaturesEXT;
    EXT_SWAPCHAIN_MAINTENANCE1_NAME Features PhysicalDeviceSwapchainMaintenance1FeaturesEXT;
    EXT_TEXEL_BUFFER_ALIGNMENT_NAME Features PhysicalDeviceTexelBufferAlignmentFeaturesEXT;
    EXT_TRANSFORM_FEEDBACK_NAME Features PhysicalDeviceTransformFeedbackFeaturesEXT;
    EXT_TRANSFORM_FEEDBACK_NAME Properties PhysicalDeviceTransformFeedbackPropertiesEXT;
    EXT_VERTEX_ATTRIBUTE_DIVISOR_NAME Properties PhysicalDeviceVertexAttributeDivisorPropertiesEXT;
    EXT_VERTEX_INPUT_DYNAMIC_STATE_NAME Features PhysicalDeviceVertexInputDynamicStateFeaturesEXT;
    EXT_YCBCR_2PLANE_444_FORMATS_NAME Features PhysicalDeviceYcbcr2Plane444FormatsFeaturesEXT;
    EXT_YCBCR_IMAGE_ARRAYS_NAME Features PhysicalDeviceYcbcrImageArraysFeaturesEXT;
    HUAWEI_CLUSTER_CULLING_SHADER_NAME Features PhysicalDeviceClusterCullingShaderFeaturesHUAWEI;
    HUAWEI_CLUSTER_CULLING_SHADER_NAME Properties PhysicalDeviceClusterCullingShaderPropertiesHUAWEI;
    HUAWEI_INVOCATION_MASK_NAME Features PhysicalDeviceInvocationMaskFeaturesHUAWEI;
    HUAWEI_SUBPASS_SHADING_NAME Features PhysicalDeviceSubpassShadingFeaturesHUAWEI;
    HUAWEI_SUBPASS_SHADING_NAME Properties PhysicalDeviceSubpassShadingPropertiesHUAWEI;
    IMG_RELAXED_LINE_RASTERIZATION_NAME Features PhysicalDeviceRelaxedLineRasterizationFeaturesIMG;
    INTEL_SHADER_INTEGER_FUNCTIONS2_NAME Features PhysicalDeviceShaderIntegerFunctions2FeaturesINTEL;
    KHR_ACCELERATION_STRUCTURE_NAME Features PhysicalDeviceAccelerationStructureFeaturesKHR;
    KHR_ACCELERATION_STRUCTURE_NAME Properties PhysicalDeviceAccelerationStructurePropertiesKHR;
    KHR_COOPERATIVE_MATRIX_NAME Features PhysicalDeviceCooperativeMatrixFeaturesKHR;
    KHR_COOPERATIVE_MATRIX_NAME Properties PhysicalDeviceCooperativeMatrixPropertiesKHR;
    KHR_DYNAMIC_RENDERING_LOCAL_READ_NAME Features PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR;
    KHR_FRAGMENT_SHADER_BARYCENTRIC_NAME Features PhysicalDeviceFragmentShaderBarycentricFeaturesKHR;
    KHR_FRAGMENT_SHADER_BARYCENTRIC_NAME Properties PhysicalDeviceFragmentShaderBarycentricPropertiesKHR;
    KHR_FRAGMENT_SHADING_RATE_NAME Features PhysicalDeviceFragmentShadingRateFeaturesKHR;
    KHR_FRAGMENT_SHADING_RATE_NAME Properties PhysicalDeviceFragmentShadingRatePropertiesKHR;
    KHR_GLOBAL_PRIORITY_NAME Features PhysicalDeviceGlobalPriorityQueryFeaturesKHR;
    KHR_INDEX_TYPE_UINT8_NAME Features PhysicalDeviceIndexTypeUint8FeaturesKHR;
    KHR_LINE_RASTERIZATION_NAME Features PhysicalDeviceLineRasterizationFeaturesKHR;
    KHR_LINE_RASTERIZATION_NAME Properties PhysicalDeviceLineRasterizationPropertiesKHR;
    KHR_MAINTENANCE5_NAME Features PhysicalDeviceMaintenance5FeaturesKHR;
    KHR_MAINTENANCE5_NAME Properties PhysicalDeviceMaintenance5PropertiesKHR;
    KHR_MAINTENANCE6_NAME Features PhysicalDeviceMaintenance6FeaturesKHR;
    KHR_MAINTENANCE6_NAME Properties PhysicalDeviceMaintenance6PropertiesKHR;
    KHR_PERFORMANCE_QUERY_NAME Features PhysicalDevicePerformanceQueryFeaturesKHR;
    KHR_PERFORMANCE_QUERY_NAME Properties PhysicalDevicePerformanceQueryPropertiesKHR;
    KHR_PIPELINE_EXECUTABLE_PROPERTIES_NAME Features PhysicalDevicePipelineExecutablePropertiesFeaturesKHR;
    KHR_PORTABILITY_SUBSET_NAME Features PhysicalDevicePortabilitySubsetFeaturesKHR;
    KHR_PORTABILITY_SUBSET_NAME Properties PhysicalDevicePortabilitySubsetPropertiesKHR;
    KHR_PRESENT_ID_NAME Features PhysicalDevicePresentIdFeaturesKHR;
    KHR_PRESENT_WAIT_NAME Features PhysicalDevicePresentWaitFeaturesKHR;
    KHR_PUSH_DESCRIPTOR_NAME Properties PhysicalDevicePushDescriptorPropertiesKHR;
    KHR_RAY_QUERY_NAME Features PhysicalDeviceRayQueryFeaturesKHR;
    KHR_RAY_TRACING_MAINTENANCE1_NAME Features PhysicalDeviceRayTracingMaintenance1FeaturesKHR;
    KHR_RAY_TRACING_PIPELINE_NAME Features PhysicalDeviceRayTracingPipelineFeaturesKHR;
    KHR_RAY_TRACING_PIPELINE_NAME Properties PhysicalDeviceRayTracingPipelinePropertiesKHR;
    KHR_RAY_TRACING_POSITION_FETCH_NAME Features PhysicalDeviceRayTracingPositionFetchFeaturesKHR;
    KHR_SHADER_CLOCK_NAME Features PhysicalDeviceShaderClockFeaturesKHR;
    KHR_SHADER_EXPECT_ASSUME_NAME Features PhysicalDeviceShaderExpectAssumeFeaturesKHR;
    KHR_SHADER_FLOAT_CONTROLS2_NAME Features PhysicalDeviceShaderFloatControls2FeaturesKHR;
    KHR_SHADER_MAXIMAL_RECONVERGENCE_NAME Features PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR;
    KHR_SHADER_QUAD_CONTROL_NAME Features PhysicalDeviceShaderQuadControlFeaturesKHR;
    KHR_SHADER_SUBGROUP_ROTATE_NAME Features PhysicalDeviceShaderSubgroupRotateFeaturesKHR;
    KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_NAME Features PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR;
    KHR_VERTEX_ATTRIBUTE_DIVISOR_NAME Features PhysicalDeviceVertexAttributeDivisorFeaturesKHR;
    KHR_VERTEX_ATTRIBUTE_DIVISOR_NAME Properties PhysicalDeviceVertexAttributeDivisorPropertiesKHR;
    KHR_VIDEO_MAINTENANCE1_NAME Features PhysicalDeviceVideoMaintenance1FeaturesKHR;
    KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_NAME Features PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR;
    MSFT_LAYERED_DRIVER_NAME Properties PhysicalDeviceLayeredDriverPropertiesMSFT;
    NVX_MULTIVIEW_PER_VIEW_ATTRIBUTES_NAME Properties PhysicalDeviceMultiviewPerViewAttributesPropertiesNVX;
    NV_COMPUTE_SHADER_DERIVATIVES_NAME Features PhysicalDeviceComputeShaderDerivativesFeaturesNV;
    NV_COOPERATIVE_MATRIX_NAME Features PhysicalDeviceCooperativeMatrixFeaturesNV;
    NV_COOPERATIVE_MATRIX_NAME Properties PhysicalDeviceCooperativeMatrixPropertiesNV;
    NV_COPY_MEMORY_INDIRECT_NAME Features PhysicalDeviceCopyMemoryIndirectFeaturesNV;
    NV_COPY_MEMORY_INDIRECT_NAME Properties PhysicalDeviceCopyMemoryIndirectPropertiesNV;
    NV_CORNER_SAMPLED_IMAGE_NAME Features PhysicalDeviceCornerSampledImageFeaturesNV;
    NV_COVERAGE_REDUCTION_MODE_NAME Features PhysicalDeviceCoverageReductionModeFeaturesNV;
    NV_CUDA_KERNEL_LAUNCH_NAME Features PhysicalDeviceCudaKernelLaunchFeaturesNV;
    NV_CUDA_KERNEL_LAUNCH_NAME Properties PhysicalDeviceCudaKernelLaunchPropertiesNV;
    NV_DEDICATED_ALLOCATION_IMAGE_ALIASING_NAME Features PhysicalDeviceDedicatedAllocationImageAliasingFeaturesNV;
    NV_DESCRIPTOR_POOL_OVERALLOCATION_NAME Features PhysicalDeviceDescriptorPoolOverallocationFeaturesNV;
    NV_DEVICE_DIAGNOSTICS_CONFIG_NAME Features PhysicalDeviceDiagnosticsConfigFeaturesNV;
    NV_DEVICE_GENERATED_COMMANDS_NAME Features PhysicalDeviceDeviceGeneratedCommandsFeaturesNV;
    NV_DEVICE_GENERATED_COMMANDS_NAME Properties PhysicalDeviceDeviceGeneratedCommandsPropertiesNV;
    NV_DEVICE_GENERATED_COMMANDS_COMPUTE_NAME Features PhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV;
    NV_DISPLACEMENT_MICROMAP_NAME Features PhysicalDeviceDisplacementMicromapFeaturesNV;
    NV_DISPLACEMENT_MICROMAP_NAME Properties PhysicalDeviceDisplacementMicromapPropertiesNV;
    NV_EXTENDED_SPARSE_ADDRESS_SPACE_NAME Features PhysicalDeviceExtendedSparseAddressSpaceFeaturesNV;
    NV_EXTENDED_SPARSE_ADDRESS_SPACE_NAME Properties PhysicalDeviceExtendedSparseAddressSpacePropertiesNV;
    NV_EXTERNAL_MEMORY_RDMA_NAME Features PhysicalDeviceExternalMemoryRDMAFeaturesNV;
    NV_FRAGMENT_SHADING_RATE_ENUMS_NAME Features PhysicalDeviceFragmentShadingRateEnumsFeaturesNV;
    NV_FRAGMENT_SHADING_RATE_ENUMS_NAME Properties PhysicalDeviceFragmentShadingRateEnumsPropertiesNV;
    NV_INHERITED_VIEWPORT_SCISSOR_NAME Features PhysicalDeviceInheritedViewportScissorFeaturesNV;
    NV_LINEAR_COLOR_ATTACHMENT_NAME Features PhysicalDeviceLinearColorAttachmentFeaturesNV;
    NV_MEMORY_DECOMPRESSION_NAME Features PhysicalDeviceMemoryDecompressionFeaturesNV;
    NV_MEMORY_DECOMPRESSION_NAME Properties PhysicalDeviceMemoryDecompressionPropertiesNV;
    NV_MESH_SHADER_NAME Features PhysicalDeviceMeshShaderFeaturesNV;
    NV_MESH_SHADER_NAME Properties PhysicalDeviceMeshShaderPropertiesNV;
    NV_OPTICAL_FLOW_NAME Features PhysicalDeviceOpticalFlowFeaturesNV;
    NV_OPTICAL_FLOW_NAME Properties PhysicalDeviceOpticalFlowPropertiesNV;
    NV_PER_STAGE_DESCRIPTOR_SET_NAME Features PhysicalDevicePerStageDescriptorSetFeaturesNV;
    NV_PRESENT_BARRIER_NAME Features PhysicalDevicePresentBarrierFeaturesNV;
    NV_RAW_ACCESS_CHAINS_NAME Features PhysicalDeviceRawAccessChainsFeaturesNV;
    NV_RAY_TRACING_NAME Properties PhysicalDeviceRayTracingPropertiesNV;
    NV_RAY_TRACING_INVOCATION_REORDER_NAME Features PhysicalDeviceRayTracingInvocationReorderFeaturesNV;
    NV_RAY_TRACING_INVOCATION_REORDER_NAME Properties PhysicalDeviceRayTracingInvocationReorderPropertiesNV;
    NV_RAY_TRACING_MOTION_BLUR_NAME Features PhysicalDeviceRayTracingMotionBlurFeaturesNV;
    NV_RAY_TRACING_VALIDATION_NAME Features PhysicalDeviceRayTracingValidationFeaturesNV;
    NV_REPRESENTATIVE_FRAGMENT_TEST_NAME Features PhysicalDeviceRepresentativeFragmentTestFeaturesNV;
    NV_SCISSOR_EXCLUSIVE_NAME Features PhysicalDeviceExclusiveScissorFeaturesNV;
    NV_SHADER_ATOMIC_FLOAT16_VECTOR_NAME Features PhysicalDeviceShaderAtomicFloat16VectorFeaturesNV;
    NV_SHADER_IMAGE_FOOTPRINT_NAME Features PhysicalDeviceShaderImageFootprintFeaturesNV;
    NV_SHADER_SM_BUILTINS_NAME Features PhysicalDeviceShaderSMBuiltinsFeaturesNV;
    NV_SHADER_SM_BUILTINS_NAME Properties PhysicalDeviceShaderSMBuiltinsPropertiesNV;
    NV_SHADING_RATE_IMAGE_NAME Features PhysicalDeviceShadingRateImageFeaturesNV;
    NV_SHADING_RATE_IMAGE_NAME Properties PhysicalDeviceShadingRateImagePropertiesNV;
    QCOM_FILTER_CUBIC_CLAMP_NAME Features PhysicalDeviceCubicClampFeaturesQCOM;
    QCOM_FILTER_CUBIC_WEIGHTS_NAME Features PhysicalDeviceCubicWeightsFeaturesQCOM;
    QCOM_FRAGMENT_DENSITY_MAP_OFFSET_NAME Features PhysicalDeviceFragmentDensityMapOffsetFeaturesQCOM;
    QCOM_FRAGMENT_DENSITY_MAP_OFFSET_NAME Properties PhysicalDeviceFragmentDensityMapOffsetPropertiesQCOM;
    QCOM_IMAGE_PROCESSING_NAME Features PhysicalDeviceImageProcessingFeaturesQCOM;
    QCOM_IMAGE_PROCESSING_NAME Properties PhysicalDeviceImageProcessingPropertiesQCOM;
    QCOM_IMAGE_PROCESSING2_NAME Features PhysicalDeviceImageProcessing2FeaturesQCOM;
    QCOM_IMAGE_PROCESSING2_NAME Properties PhysicalDeviceImageProcessing2PropertiesQCOM;
    QCOM_MULTIVIEW_PER_VIEW_RENDER_AREAS_NAME Features PhysicalDeviceMultiviewPerViewRenderAreasFeaturesQCOM;
    QCOM_MULTIVIEW_PER_VIEW_VIEWPORTS_NAME Features PhysicalDeviceMultiviewPerViewViewportsFeaturesQCOM;
    QCOM_TILE_PROPERTIES_NAME Features PhysicalDeviceTilePropertiesFeaturesQCOM;
    QCOM_YCBCR_DEGAMMA_NAME Features PhysicalDeviceYcbcrDegammaFeaturesQCOM;
    QNX_EXTERNAL_MEMORY_SCREEN_BUFFER_NAME Features PhysicalDeviceExternalMemoryScreenBufferFeaturesQNX;
    SEC_AMIGO_PROFILING_NAME Features PhysicalDeviceAmigoProfilingFeaturesSEC;
    VALVE_DESCRIPTOR_SET_HOST_MAPPING_NAME Features PhysicalDeviceDescriptorSetHostMappingFeaturesVALVE;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_found_by_their_extension() {
        let of_feedback: Vec<StructureKind> = all()
            .filter(|one| one.extension == vk::EXT_TRANSFORM_FEEDBACK_NAME)
            .map(|one| one.kind)
            .collect();
        assert_eq!(of_feedback, [StructureKind::Features, StructureKind::Properties]);
    }

    #[test]
    fn every_structure_of_features_can_be_copied() {
        for one in OWNED.iter().filter(|one| one.kind == StructureKind::Features) {
            assert_eq!(size(one.s_type), Some(one.size), "{one:?}");
        }
        assert_eq!(size(vk::StructureType::from_raw(-1)), None);
    }
}
