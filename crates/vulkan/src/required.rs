//! `Requirements` of a lowering as the structures that a Vulkan host passes to `vkCreateDevice`,
//! `vkCreateDescriptorSetLayout` and `vkCreatePipelineLayout`.

use crate::support;
use ash::{ext, khr, vk};
use polyshade::host::{DescriptorKind, Extension, Feature, Requirements};
use polyshade::spv::ExecutionModel;
use std::collections::BTreeMap;
use std::ffi::CStr;

/// The required device features as Vulkan structures. An optional structure is `None` if none of its features is
/// required.
#[derive(Clone, Debug, Default)]
pub struct RequiredFeatures {
    /// The features of Vulkan 1.0.
    pub vulkan_1_0: vk::PhysicalDeviceFeatures,
    /// `multiview`, `shaderDrawParameters`.
    pub vulkan_1_1: Option<vk::PhysicalDeviceVulkan11Features<'static>>,
    /// `bufferDeviceAddress`, `shaderOutputLayer`.
    pub vulkan_1_2: Option<vk::PhysicalDeviceVulkan12Features<'static>>,
    /// `transformFeedback`, `geometryStreams`.
    pub transform_feedback: Option<vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'static>>,
    /// `advancedBlendCoherentOperations`.
    pub advanced_blend: Option<vk::PhysicalDeviceBlendOperationAdvancedFeaturesEXT<'static>>,
    /// `dynamicRenderingLocalRead`.
    pub local_read: Option<vk::PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR<'static>>,
    /// `rasterizationOrderColorAttachmentAccess`.
    pub attachment_order:
        Option<vk::PhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT<'static>>,
    /// `shaderTileImageColorReadAccess`.
    pub tile_image: Option<vk::PhysicalDeviceShaderTileImageFeaturesEXT<'static>>,
    /// `fragmentShaderPixelInterlock`, `fragmentShaderSampleInterlock`.
    pub interlock: Option<vk::PhysicalDeviceFragmentShaderInterlockFeaturesEXT<'static>>,
}

impl RequiredFeatures {
    /// Collects the features of `requirements`. Call [`add`](Self::add) for the requirements of further shaders.
    pub fn new(requirements: &Requirements) -> Self {
        let mut features = Self::default();
        features.add(requirements);
        features
    }

    /// Adds the features of another shader's `requirements`.
    pub fn add(&mut self, requirements: &Requirements) {
        for feature in &requirements.features {
            *self.member(*feature) = vk::TRUE;
        }
    }

    /// The member of the structures that enables `feature`.
    fn member(&mut self, feature: Feature) -> &mut vk::Bool32 {
        let Self { vulkan_1_0: core, vulkan_1_1, vulkan_1_2, .. } = self;
        let Self { transform_feedback, advanced_blend, local_read, .. } = self;
        let Self { attachment_order, tile_image, interlock, .. } = self;
        match feature {
            Feature::FragmentStoresAndAtomics => &mut core.fragment_stores_and_atomics,
            Feature::GeometryShader => &mut core.geometry_shader,
            Feature::SampleRateShading => &mut core.sample_rate_shading,
            Feature::ShaderClipDistance => &mut core.shader_clip_distance,
            Feature::ShaderCullDistance => &mut core.shader_cull_distance,
            Feature::ShaderStorageImageMultisample => &mut core.shader_storage_image_multisample,
            Feature::ShaderStorageImageReadWithoutFormat => {
                &mut core.shader_storage_image_read_without_format
            }
            Feature::ShaderStorageImageWriteWithoutFormat => {
                &mut core.shader_storage_image_write_without_format
            }
            Feature::ShaderTessellationAndGeometryPointSize => {
                &mut core.shader_tessellation_and_geometry_point_size
            }
            Feature::VertexPipelineStoresAndAtomics => &mut core.vertex_pipeline_stores_and_atomics,
            Feature::Multiview => &mut vulkan_1_1.get_or_insert_default().multiview,
            Feature::ShaderDrawParameters => {
                &mut vulkan_1_1.get_or_insert_default().shader_draw_parameters
            }
            Feature::BufferDeviceAddress => {
                &mut vulkan_1_2.get_or_insert_default().buffer_device_address
            }
            Feature::ShaderOutputLayer => {
                &mut vulkan_1_2.get_or_insert_default().shader_output_layer
            }
            Feature::TransformFeedback => {
                &mut transform_feedback.get_or_insert_default().transform_feedback
            }
            Feature::GeometryStreams => {
                &mut transform_feedback.get_or_insert_default().geometry_streams
            }
            Feature::AdvancedBlendCoherentOperations => {
                &mut advanced_blend.get_or_insert_default().advanced_blend_coherent_operations
            }
            Feature::DynamicRenderingLocalRead => {
                &mut local_read.get_or_insert_default().dynamic_rendering_local_read
            }
            Feature::RasterizationOrderColorAttachmentAccess => {
                let order = attachment_order.get_or_insert_default();
                &mut order.rasterization_order_color_attachment_access
            }
            Feature::ShaderTileImageColorReadAccess => {
                &mut tile_image.get_or_insert_default().shader_tile_image_color_read_access
            }
            Feature::FragmentShaderPixelInterlock => {
                &mut interlock.get_or_insert_default().fragment_shader_pixel_interlock
            }
            Feature::FragmentShaderSampleInterlock => {
                &mut interlock.get_or_insert_default().fragment_shader_sample_interlock
            }
            other => unreachable!("unknown feature {other}: a test covers all features"),
        }
    }

    /// The structures as one chain, for `VkDeviceCreateInfo::pNext`.
    pub fn chain(&mut self) -> vk::PhysicalDeviceFeatures2<'_> {
        let mut chain = vk::PhysicalDeviceFeatures2::default().features(self.vulkan_1_0);
        macro_rules! push {
            ($($member:ident),*) => {
                $(if let Some(structure) = &mut self.$member {
                    chain = chain.push_next(structure);
                })*
            };
        }
        push!(vulkan_1_1, vulkan_1_2, transform_feedback, advanced_blend, local_read);
        push!(attachment_order, tile_image, interlock);
        chain
    }
}

/// The names of the required device extensions, for `VkDeviceCreateInfo::ppEnabledExtensionNames`.
pub fn required_extensions(requirements: &Requirements) -> Vec<&'static CStr> {
    let name = |extension: &Extension| match extension {
        Extension::BlendOperationAdvanced => ext::blend_operation_advanced::NAME,
        Extension::DynamicRenderingLocalRead => khr::dynamic_rendering_local_read::NAME,
        Extension::RasterizationOrderAttachmentAccess => {
            ext::rasterization_order_attachment_access::NAME
        }
        Extension::TransformFeedback => ext::transform_feedback::NAME,
        Extension::ShaderTileImage => ext::shader_tile_image::NAME,
        Extension::FragmentShaderInterlock => ext::fragment_shader_interlock::NAME,
        other => unreachable!("unknown extension {other}: a test covers all extensions"),
    };
    requirements.extensions.iter().map(name).collect()
}

/// The added descriptors grouped by set, one descriptor per binding, for `VkDescriptorSetLayoutCreateInfo::pBindings`.
pub fn required_bindings(
    requirements: &Requirements,
) -> BTreeMap<u32, Vec<vk::DescriptorSetLayoutBinding<'static>>> {
    let mut sets: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    for descriptor in &requirements.descriptors {
        let binding = vk::DescriptorSetLayoutBinding::default()
            .binding(descriptor.binding.0)
            .descriptor_type(descriptor_type(descriptor.kind))
            .descriptor_count(1)
            .stage_flags(stage_flag(descriptor.stage));
        sets.entry(descriptor.set.0).or_default().push(binding);
    }
    sets
}

/// The added push constants of the shader's `stage`, for `VkPipelineLayoutCreateInfo::pPushConstantRanges`.
///
/// # Panics
///
/// If `stage` is a ray tracing stage.
pub fn required_push_constants(
    requirements: &Requirements,
    stage: ExecutionModel,
) -> Option<vk::PushConstantRange> {
    requirements.push_constants.as_ref().map(|range| {
        vk::PushConstantRange::default()
            .stage_flags(stage_flag(stage))
            .offset(range.start)
            .size(range.end - range.start)
    })
}

fn descriptor_type(kind: DescriptorKind) -> vk::DescriptorType {
    match kind {
        DescriptorKind::StorageBuffer => vk::DescriptorType::STORAGE_BUFFER,
        DescriptorKind::UniformBuffer => vk::DescriptorType::UNIFORM_BUFFER,
        DescriptorKind::InputAttachment => vk::DescriptorType::INPUT_ATTACHMENT,
        DescriptorKind::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
        DescriptorKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
        other => unreachable!("no lowering adds a descriptor {other:?}"),
    }
}

fn stage_flag(stage: ExecutionModel) -> vk::ShaderStageFlags {
    match stage {
        ExecutionModel::MESH_EXT | ExecutionModel::MESH_NV => vk::ShaderStageFlags::MESH_EXT,
        ExecutionModel::TASK_EXT | ExecutionModel::TASK_NV => vk::ShaderStageFlags::TASK_EXT,
        other => support::stage(other).expect("lowerings change graphics and compute stages only"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polyshade::host::{Binding, Descriptor, Purpose, Set};

    fn requirements(features: &[Feature]) -> Requirements {
        let mut requirements = Requirements::default();
        requirements.features = features.to_vec();
        requirements
    }

    /// The number of Vulkan booleans that are true.
    fn enabled(features: &RequiredFeatures) -> usize {
        format!("{features:?}").split([' ', ',']).filter(|value| *value == "1").count()
    }

    #[test]
    fn each_feature_enables_one_boolean() {
        for feature in Feature::ALL {
            let mut features = RequiredFeatures::new(&requirements(&[feature]));
            assert_eq!(enabled(&features), 1, "{feature}: {features:?}");
            let in_core = format!("{:?}", features.vulkan_1_0).contains(": 1");
            assert_eq!(features.chain().p_next.is_null(), in_core, "{feature}");
        }
        let all = RequiredFeatures::new(&requirements(&Feature::ALL));
        assert_eq!(enabled(&all), Feature::ALL.len());
    }

    #[test]
    fn each_extension_has_its_name() {
        let mut requirements = Requirements::default();
        requirements.extensions = Extension::ALL.to_vec();
        let names = required_extensions(&requirements);
        let names = names.iter().map(|name| name.to_str().expect("names are ASCII"));
        assert!(names.eq(Extension::ALL.iter().map(|extension| extension.name())));
    }

    #[test]
    fn descriptors_and_push_constants_belong_to_their_stage() {
        let mut requirements = Requirements::default();
        requirements.push_constants = Some(16..24);
        requirements.descriptors = [(3, 0), (3, 1), (1, 5)]
            .map(|(set, binding)| Descriptor {
                set: Set(set),
                binding: Binding(binding),
                kind: DescriptorKind::UniformBuffer,
                purpose: Purpose::HostParams,
                stage: ExecutionModel::GEOMETRY,
            })
            .to_vec();
        let sets = required_bindings(&requirements);
        let bindings = |set: u32| sets[&set].iter().map(|one| one.binding).collect::<Vec<_>>();
        assert_eq!((bindings(1), bindings(3)), (vec![5], vec![0, 1]));
        let first = sets[&1][0];
        assert_eq!(first.descriptor_type, vk::DescriptorType::UNIFORM_BUFFER);
        assert_eq!(first.stage_flags, vk::ShaderStageFlags::GEOMETRY);

        let range = required_push_constants(&requirements, ExecutionModel::GEOMETRY);
        let range = range.expect("there are push constants");
        assert_eq!((range.offset, range.size), (16, 8));
        let none = required_push_constants(&Requirements::default(), ExecutionModel::VERTEX);
        assert!(none.is_none());
    }
}
