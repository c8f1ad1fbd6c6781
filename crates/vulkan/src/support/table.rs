//! The feature that each SPIR-V capability needs (Vulkan specification, "Capabilities").

use crate::capabilities::Capabilities;
use crate::features::is_at_least;
use ash::{ext, vk};
use spirv::{Capability as C, ExecutionMode as Mode};

impl Capabilities {
    /// Returns the feature, or a similar condition, that a capability needs, and whether the device has it. Returns
    /// `None` if this crate does not know the capability. Ignores subgroup operations.
    pub(crate) fn feature_of(&self, capability: C) -> Option<(String, bool)> {
        let newer = &self.newer_features;
        let feature = vulkan_1_0(&self.features, capability)
            .or_else(|| vulkan_1_1(&newer.vulkan_1_1, capability))
            .or_else(|| vulkan_1_2(&newer.vulkan_1_2, capability))
            .or_else(|| vulkan_1_3(&newer.vulkan_1_3, capability));
        if let Some((member, there)) = feature {
            return Some((vulkan_name(member), there == vk::TRUE));
        }
        let extension = |name| self.extensions.contains(&name);
        let both = newer.vulkan_1_2.shader_output_viewport_index == vk::TRUE
            && newer.vulkan_1_2.shader_output_layer == vk::TRUE;
        let floats = |mode| self.float_widths(mode).is_some_and(|widths| widths.contains(&true));
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
            C::DenormPreserve => ("shaderDenormPreserve", floats(Mode::DenormPreserve)),
            C::DenormFlushToZero => ("shaderDenormFlushToZero", floats(Mode::DenormFlushToZero)),
            C::SignedZeroInfNanPreserve => {
                ("shaderSignedZeroInfNanPreserve", floats(Mode::SignedZeroInfNanPreserve))
            }
            C::RoundingModeRTE => ("shaderRoundingModeRTE", floats(Mode::RoundingModeRTE)),
            C::RoundingModeRTZ => ("shaderRoundingModeRTZ", floats(Mode::RoundingModeRTZ)),
            _ => return None,
        };
        Some((known.0.to_owned(), known.1))
    }
}

/// Returns the name of a feature in Vulkan's headers, given its name in `ash`.
fn vulkan_name(member: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    let (first, rest) = member.split_once('_').unwrap_or((member, ""));
    first.to_owned() + &rest.split_terminator('_').map(capital).collect::<String>()
}

/// Defines a function that returns the member of a structure that a capability needs, with the member's name.
macro_rules! features {
    ($function:ident of $structure:ty: $($($capability:ident)|+ => $member:ident,)*) => {
        fn $function(has: &$structure, capability: C) -> Option<(&'static str, vk::Bool32)> {
            match capability {
                $($(C::$capability)|+ => Some((stringify!($member), has.$member)),)*
                _ => None,
            }
        }
    };
}

features! { vulkan_1_0 of vk::PhysicalDeviceFeatures:
    Geometry => geometry_shader,
    Tessellation => tessellation_shader,
    Float64 => shader_float64,
    Int64 => shader_int64,
    Int16 => shader_int16,
    TessellationPointSize | GeometryPointSize => shader_tessellation_and_geometry_point_size,
    ImageGatherExtended => shader_image_gather_extended,
    StorageImageMultisample | ImageMSArray => shader_storage_image_multisample,
    UniformBufferArrayDynamicIndexing => shader_uniform_buffer_array_dynamic_indexing,
    SampledImageArrayDynamicIndexing => shader_sampled_image_array_dynamic_indexing,
    StorageBufferArrayDynamicIndexing => shader_storage_buffer_array_dynamic_indexing,
    StorageImageArrayDynamicIndexing => shader_storage_image_array_dynamic_indexing,
    ClipDistance => shader_clip_distance,
    CullDistance => shader_cull_distance,
    ImageCubeArray | SampledCubeArray => image_cube_array,
    SampleRateShading | InterpolationFunction => sample_rate_shading,
    SparseResidency => shader_resource_residency,
    MinLod => shader_resource_min_lod,
    StorageImageExtendedFormats => shader_storage_image_extended_formats,
    StorageImageReadWithoutFormat => shader_storage_image_read_without_format,
    StorageImageWriteWithoutFormat => shader_storage_image_write_without_format,
    MultiViewport => multi_viewport,
}

features! { vulkan_1_1 of vk::PhysicalDeviceVulkan11Features<'_>:
    StorageBuffer16BitAccess => storage_buffer16_bit_access,
    UniformAndStorageBuffer16BitAccess => uniform_and_storage_buffer16_bit_access,
    StoragePushConstant16 => storage_push_constant16,
    StorageInputOutput16 => storage_input_output16,
    MultiView => multiview,
    VariablePointersStorageBuffer => variable_pointers_storage_buffer,
    VariablePointers => variable_pointers,
    DrawParameters => shader_draw_parameters,
}

features! { vulkan_1_2 of vk::PhysicalDeviceVulkan12Features<'_>:
    InputAttachmentArrayDynamicIndexing => shader_input_attachment_array_dynamic_indexing,
    UniformTexelBufferArrayDynamicIndexing => shader_uniform_texel_buffer_array_dynamic_indexing,
    StorageTexelBufferArrayDynamicIndexing => shader_storage_texel_buffer_array_dynamic_indexing,
    UniformBufferArrayNonUniformIndexing => shader_uniform_buffer_array_non_uniform_indexing,
    SampledImageArrayNonUniformIndexing => shader_sampled_image_array_non_uniform_indexing,
    StorageBufferArrayNonUniformIndexing => shader_storage_buffer_array_non_uniform_indexing,
    StorageImageArrayNonUniformIndexing => shader_storage_image_array_non_uniform_indexing,
    InputAttachmentArrayNonUniformIndexing => shader_input_attachment_array_non_uniform_indexing,
    UniformTexelBufferArrayNonUniformIndexing => shader_uniform_texel_buffer_array_non_uniform_indexing,
    StorageTexelBufferArrayNonUniformIndexing => shader_storage_texel_buffer_array_non_uniform_indexing,
    ShaderNonUniform => descriptor_indexing,
    StorageBuffer8BitAccess => storage_buffer8_bit_access,
    UniformAndStorageBuffer8BitAccess => uniform_and_storage_buffer8_bit_access,
    StoragePushConstant8 => storage_push_constant8,
    Int64Atomics => shader_buffer_int64_atomics,
    Float16 => shader_float16,
    Int8 => shader_int8,
    RuntimeDescriptorArray => runtime_descriptor_array,
    PhysicalStorageBufferAddresses => buffer_device_address,
    VulkanMemoryModel => vulkan_memory_model,
    VulkanMemoryModelDeviceScope => vulkan_memory_model_device_scope,
    ShaderViewportIndex => shader_output_viewport_index,
    ShaderLayer => shader_output_layer,
}

features! { vulkan_1_3 of vk::PhysicalDeviceVulkan13Features<'_>:
    DemoteToHelperInvocation => shader_demote_to_helper_invocation,
    DotProduct
        | DotProductInputAll
        | DotProductInput4x8Bit
        | DotProductInput4x8BitPacked => shader_integer_dot_product,
}
