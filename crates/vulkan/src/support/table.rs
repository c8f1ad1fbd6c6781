//! The feature that each SPIR-V capability needs (Vulkan specification, "Capabilities").

use crate::capabilities::Capabilities;
use crate::features::{Features, FloatControls, is_at_least};
use ash::{ext, vk};
use spirv::Capability as C;

impl Capabilities {
    /// Returns the feature, or a similar condition, that a capability needs, and whether the device has it. Returns
    /// `None` if this crate does not know the capability. Ignores subgroup operations.
    pub(crate) fn feature_of(&self, capability: C) -> Option<(&'static str, bool)> {
        let feature = self
            .core_feature_of(capability)
            .or_else(|| self.newer_feature_of(capability))
            .or_else(|| self.indexing_feature_of(capability));
        if let Some((feature, there)) = feature {
            return Some((feature, there == vk::TRUE));
        }
        let extension = |name| self.extensions.contains(&name);
        let newer = &self.newer_features.vulkan_1_2;
        let both = newer.shader_output_viewport_index & newer.shader_output_layer == vk::TRUE;
        let float_controls = |widths: fn(&FloatControls) -> [bool; 3]| {
            widths(&self.properties.float_controls).contains(&true)
        };
        let known = match capability {
            C::Matrix | C::Shader | C::InputAttachment | C::Sampled1D | C::Image1D => {
                ("core", true)
            }
            C::SampledBuffer | C::ImageBuffer | C::ImageQuery => ("core", true),
            C::DerivativeControl => ("core", true),
            C::DeviceGroup => ("Vulkan 1.1", is_at_least(self.api_version, vk::API_VERSION_1_1)),
            C::TransformFeedback => ("transformFeedback", self.transform_feedback.is_some()),
            C::GeometryStreams => {
                let has = self.transform_feedback.is_some_and(|feedback| feedback.geometry_streams);
                ("geometryStreams", has)
            }
            C::ShaderViewportIndexLayerEXT => {
                let there = both || extension(ext::shader_viewport_index_layer::NAME);
                ("VK_EXT_shader_viewport_index_layer", there)
            }
            C::SubgroupBallotKHR => {
                ("VK_EXT_shader_subgroup_ballot", extension(ext::shader_subgroup_ballot::NAME))
            }
            C::SubgroupVoteKHR => {
                ("VK_EXT_shader_subgroup_vote", extension(ext::shader_subgroup_vote::NAME))
            }
            C::StencilExportEXT => {
                ("VK_EXT_shader_stencil_export", extension(ext::shader_stencil_export::NAME))
            }
            C::DenormPreserve => {
                ("shaderDenormPreserve", float_controls(|has| has.denorm_preserve))
            }
            C::DenormFlushToZero => {
                ("shaderDenormFlushToZero", float_controls(|has| has.denorm_flush_to_zero))
            }
            C::SignedZeroInfNanPreserve => {
                let there = float_controls(|has| has.signed_zero_inf_nan_preserve);
                ("shaderSignedZeroInfNanPreserve", there)
            }
            C::RoundingModeRTE => {
                ("shaderRoundingModeRTE", float_controls(|has| has.rounding_mode_rte))
            }
            C::RoundingModeRTZ => {
                ("shaderRoundingModeRTZ", float_controls(|has| has.rounding_mode_rtz))
            }
            _ => return None,
        };
        Some(known)
    }

    fn core_feature_of(&self, capability: C) -> Option<(&'static str, vk::Bool32)> {
        let has = &self.features;
        let feature = match capability {
            C::Geometry => ("geometryShader", has.geometry_shader),
            C::Tessellation => ("tessellationShader", has.tessellation_shader),
            C::Float64 => ("shaderFloat64", has.shader_float64),
            C::Int64 => ("shaderInt64", has.shader_int64),
            C::Int16 => ("shaderInt16", has.shader_int16),
            C::TessellationPointSize | C::GeometryPointSize => (
                "shaderTessellationAndGeometryPointSize",
                has.shader_tessellation_and_geometry_point_size,
            ),
            C::ImageGatherExtended => {
                ("shaderImageGatherExtended", has.shader_image_gather_extended)
            }
            C::StorageImageMultisample | C::ImageMSArray => {
                ("shaderStorageImageMultisample", has.shader_storage_image_multisample)
            }
            C::UniformBufferArrayDynamicIndexing => (
                "shaderUniformBufferArrayDynamicIndexing",
                has.shader_uniform_buffer_array_dynamic_indexing,
            ),
            C::SampledImageArrayDynamicIndexing => (
                "shaderSampledImageArrayDynamicIndexing",
                has.shader_sampled_image_array_dynamic_indexing,
            ),
            C::StorageBufferArrayDynamicIndexing => (
                "shaderStorageBufferArrayDynamicIndexing",
                has.shader_storage_buffer_array_dynamic_indexing,
            ),
            C::StorageImageArrayDynamicIndexing => (
                "shaderStorageImageArrayDynamicIndexing",
                has.shader_storage_image_array_dynamic_indexing,
            ),
            C::ClipDistance => ("shaderClipDistance", has.shader_clip_distance),
            C::CullDistance => ("shaderCullDistance", has.shader_cull_distance),
            C::ImageCubeArray | C::SampledCubeArray => ("imageCubeArray", has.image_cube_array),
            C::SampleRateShading | C::InterpolationFunction => {
                ("sampleRateShading", has.sample_rate_shading)
            }
            C::SparseResidency => ("shaderResourceResidency", has.shader_resource_residency),
            C::MinLod => ("shaderResourceMinLod", has.shader_resource_min_lod),
            C::StorageImageExtendedFormats => {
                ("shaderStorageImageExtendedFormats", has.shader_storage_image_extended_formats)
            }
            C::StorageImageReadWithoutFormat => (
                "shaderStorageImageReadWithoutFormat",
                has.shader_storage_image_read_without_format,
            ),
            C::StorageImageWriteWithoutFormat => (
                "shaderStorageImageWriteWithoutFormat",
                has.shader_storage_image_write_without_format,
            ),
            C::MultiViewport => ("multiViewport", has.multi_viewport),
            _ => return None,
        };
        Some(feature)
    }

    fn indexing_feature_of(&self, capability: C) -> Option<(&'static str, vk::Bool32)> {
        let has = &self.newer_features.vulkan_1_2;
        let feature = match capability {
            C::InputAttachmentArrayDynamicIndexing => (
                "shaderInputAttachmentArrayDynamicIndexing",
                has.shader_input_attachment_array_dynamic_indexing,
            ),
            C::UniformTexelBufferArrayDynamicIndexing => (
                "shaderUniformTexelBufferArrayDynamicIndexing",
                has.shader_uniform_texel_buffer_array_dynamic_indexing,
            ),
            C::StorageTexelBufferArrayDynamicIndexing => (
                "shaderStorageTexelBufferArrayDynamicIndexing",
                has.shader_storage_texel_buffer_array_dynamic_indexing,
            ),
            C::UniformBufferArrayNonUniformIndexing => (
                "shaderUniformBufferArrayNonUniformIndexing",
                has.shader_uniform_buffer_array_non_uniform_indexing,
            ),
            C::SampledImageArrayNonUniformIndexing => (
                "shaderSampledImageArrayNonUniformIndexing",
                has.shader_sampled_image_array_non_uniform_indexing,
            ),
            C::StorageBufferArrayNonUniformIndexing => (
                "shaderStorageBufferArrayNonUniformIndexing",
                has.shader_storage_buffer_array_non_uniform_indexing,
            ),
            C::StorageImageArrayNonUniformIndexing => (
                "shaderStorageImageArrayNonUniformIndexing",
                has.shader_storage_image_array_non_uniform_indexing,
            ),
            C::InputAttachmentArrayNonUniformIndexing => (
                "shaderInputAttachmentArrayNonUniformIndexing",
                has.shader_input_attachment_array_non_uniform_indexing,
            ),
            C::UniformTexelBufferArrayNonUniformIndexing => (
                "shaderUniformTexelBufferArrayNonUniformIndexing",
                has.shader_uniform_texel_buffer_array_non_uniform_indexing,
            ),
            C::StorageTexelBufferArrayNonUniformIndexing => (
                "shaderStorageTexelBufferArrayNonUniformIndexing",
                has.shader_storage_texel_buffer_array_non_uniform_indexing,
            ),
            C::ShaderNonUniform => ("descriptorIndexing", has.descriptor_indexing),
            _ => return None,
        };
        Some(feature)
    }

    fn newer_feature_of(&self, capability: C) -> Option<(&'static str, vk::Bool32)> {
        let Features { vulkan_1_1, vulkan_1_2, vulkan_1_3 } = &self.newer_features;
        let feature = match capability {
            C::StorageBuffer16BitAccess => {
                ("storageBuffer16BitAccess", vulkan_1_1.storage_buffer16_bit_access)
            }
            C::UniformAndStorageBuffer16BitAccess => (
                "uniformAndStorageBuffer16BitAccess",
                vulkan_1_1.uniform_and_storage_buffer16_bit_access,
            ),
            C::StoragePushConstant16 => {
                ("storagePushConstant16", vulkan_1_1.storage_push_constant16)
            }
            C::StorageInputOutput16 => ("storageInputOutput16", vulkan_1_1.storage_input_output16),
            C::MultiView => ("multiview", vulkan_1_1.multiview),
            C::VariablePointersStorageBuffer => {
                ("variablePointersStorageBuffer", vulkan_1_1.variable_pointers_storage_buffer)
            }
            C::VariablePointers => ("variablePointers", vulkan_1_1.variable_pointers),
            C::DrawParameters => ("shaderDrawParameters", vulkan_1_1.shader_draw_parameters),
            C::StorageBuffer8BitAccess => {
                ("storageBuffer8BitAccess", vulkan_1_2.storage_buffer8_bit_access)
            }
            C::UniformAndStorageBuffer8BitAccess => (
                "uniformAndStorageBuffer8BitAccess",
                vulkan_1_2.uniform_and_storage_buffer8_bit_access,
            ),
            C::StoragePushConstant8 => ("storagePushConstant8", vulkan_1_2.storage_push_constant8),
            C::Int64Atomics => ("shaderBufferInt64Atomics", vulkan_1_2.shader_buffer_int64_atomics),
            C::Float16 => ("shaderFloat16", vulkan_1_2.shader_float16),
            C::Int8 => ("shaderInt8", vulkan_1_2.shader_int8),
            C::RuntimeDescriptorArray => {
                ("runtimeDescriptorArray", vulkan_1_2.runtime_descriptor_array)
            }
            C::PhysicalStorageBufferAddresses => {
                ("bufferDeviceAddress", vulkan_1_2.buffer_device_address)
            }
            C::VulkanMemoryModel => ("vulkanMemoryModel", vulkan_1_2.vulkan_memory_model),
            C::VulkanMemoryModelDeviceScope => {
                ("vulkanMemoryModelDeviceScope", vulkan_1_2.vulkan_memory_model_device_scope)
            }
            C::ShaderViewportIndex => {
                ("shaderOutputViewportIndex", vulkan_1_2.shader_output_viewport_index)
            }
            C::ShaderLayer => ("shaderOutputLayer", vulkan_1_2.shader_output_layer),
            C::DemoteToHelperInvocation => {
                ("shaderDemoteToHelperInvocation", vulkan_1_3.shader_demote_to_helper_invocation)
            }
            C::DotProduct
            | C::DotProductInputAll
            | C::DotProductInput4x8Bit
            | C::DotProductInput4x8BitPacked => {
                ("shaderIntegerDotProduct", vulkan_1_3.shader_integer_dot_product)
            }
            _ => return None,
        };
        Some(feature)
    }
}
