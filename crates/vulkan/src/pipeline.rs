//! The pipeline of a draw.

use crate::device::Device;
use crate::error::{Context, Error};
use crate::memory::Owned;
use crate::work::{Descriptor, Draw, ProvokingVertex, Resource, Stage, VertexLayout, Work};
use ash::vk;
use std::ffi::CString;

/// All of a draw that its pipeline depends on. Draws with equal states share a pipeline.
#[derive(PartialEq, Eq)]
pub(crate) struct State<'a> {
    stages: &'a [Stage<'a>],
    topology: vk::PrimitiveTopology,
    provoking_vertex: ProvokingVertex,
    vertex_layouts: Vec<&'a VertexLayout>,
    bindings: Vec<(u32, u32, vk::DescriptorType)>,
    push_constants: usize,
    target: Option<vk::Format>,
}

impl<'a> State<'a> {
    pub(crate) fn new(work: &'a Work<'_>, draw: &'a Draw<'_>) -> State<'a> {
        let binding = |d: &Descriptor| (d.set, d.binding, d.resource.descriptor_type());
        State {
            stages: &draw.stages,
            topology: draw.topology,
            provoking_vertex: draw.provoking_vertex,
            vertex_layouts: draw.vertex_buffers.iter().map(|buffer| &buffer.layout).collect(),
            bindings: draw.descriptors.iter().map(binding).collect(),
            push_constants: draw.push_constants.len(),
            target: draw.target.map(|target| work.targets[target].format),
        }
    }

    fn check(&self, device: &Device) -> Result<(), Error> {
        let has = device.capabilities();
        let last = has.provoking_vertex.is_some_and(|provoking| provoking.last);
        if self.provoking_vertex == ProvokingVertex::Last && !last {
            return Err(Error::Missing("provoking vertex last"));
        }
        let sets = self.bindings.iter().map(|binding| binding.0 + 1).max();
        if sets.is_some_and(|sets| sets > has.limits.max_bound_descriptor_sets) {
            return Err(Error::Missing("that many descriptor sets"));
        }
        if self.push_constants > has.limits.max_push_constants_size as usize {
            return Err(Error::Missing("that many push constants"));
        }
        Ok(())
    }
}

impl Resource {
    pub(crate) fn descriptor_type(&self) -> vk::DescriptorType {
        match self {
            Resource::StorageBuffer(_) => vk::DescriptorType::STORAGE_BUFFER,
            Resource::UniformBuffer(_) => vk::DescriptorType::UNIFORM_BUFFER,
        }
    }
}

/// A pipeline and what it was made from.
pub(crate) struct Pipeline<'d> {
    pub(crate) handle: Owned<'d, vk::Pipeline>,
    pub(crate) layout: Owned<'d, vk::PipelineLayout>,
    pub(crate) render_pass: Owned<'d, vk::RenderPass>,
    /// One for every set up to the highest that is used.
    pub(crate) set_layouts: Vec<Owned<'d, vk::DescriptorSetLayout>>,
}

impl<'d> Pipeline<'d> {
    pub(crate) fn new(device: &'d Device, state: &State<'_>) -> Result<Pipeline<'d>, Error> {
        state.check(device)?;
        let sets = state.bindings.iter().map(|binding| binding.0 + 1).max().unwrap_or(0);
        let set_layouts = (0..sets)
            .map(|set| create_set_layout(device, state, set))
            .collect::<Result<Vec<_>, _>>()?;
        let layout = create_layout(device, state, &set_layouts)?;
        let render_pass = create_render_pass(device, state.target)?;
        let handle = create_pipeline(device, state, *layout, *render_pass)?;
        Ok(Pipeline { handle, layout, render_pass, set_layouts })
    }
}

fn create_set_layout<'d>(
    device: &'d Device,
    state: &State<'_>,
    set: u32,
) -> Result<Owned<'d, vk::DescriptorSetLayout>, Error> {
    let of_set = state.bindings.iter().filter(|binding| binding.0 == set);
    let bindings = of_set
        .map(|&(_, binding, descriptor_type)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(descriptor_type)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::ALL_GRAPHICS)
        })
        .collect::<Vec<_>>();
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: `info` points to `bindings` only.
    let layout = unsafe { device.handle.create_descriptor_set_layout(&info, None) }
        .call("vkCreateDescriptorSetLayout")?;
    Ok(Owned::new(device, layout))
}

fn create_layout<'d>(
    device: &'d Device,
    state: &State<'_>,
    set_layouts: &[Owned<'d, vk::DescriptorSetLayout>],
) -> Result<Owned<'d, vk::PipelineLayout>, Error> {
    let set_layouts = set_layouts.iter().map(|layout| **layout).collect::<Vec<_>>();
    let push_constants = [vk::PushConstantRange::default()
        .stage_flags(vk::ShaderStageFlags::ALL_GRAPHICS)
        .size(state.push_constants as u32)];
    let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts);
    if state.push_constants > 0 {
        info = info.push_constant_ranges(&push_constants);
    }
    // SAFETY: the set layouts are alive.
    let layout = unsafe { device.handle.create_pipeline_layout(&info, None) }
        .call("vkCreatePipelineLayout")?;
    Ok(Owned::new(device, layout))
}

/// One subpass. The target stays in the layout `GENERAL` and keeps what was drawn before.
fn create_render_pass(
    device: &Device,
    target: Option<vk::Format>,
) -> Result<Owned<'_, vk::RenderPass>, Error> {
    let attachments = target.map(|format| {
        vk::AttachmentDescription::default()
            .format(format)
            .samples(vk::SampleCountFlags::TYPE_1)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)
            .initial_layout(vk::ImageLayout::GENERAL)
            .final_layout(vk::ImageLayout::GENERAL)
    });
    let references = attachments
        .map(|_| vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::GENERAL });
    let subpasses = [vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(references.as_slice())];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(attachments.as_slice())
        .subpasses(&subpasses);
    // SAFETY: the subpass names the attachment only where there is one.
    let pass =
        unsafe { device.handle.create_render_pass(&info, None) }.call("vkCreateRenderPass")?;
    Ok(Owned::new(device, pass))
}

fn create_pipeline<'d>(
    device: &'d Device,
    state: &State<'_>,
    layout: vk::PipelineLayout,
    render_pass: vk::RenderPass,
) -> Result<Owned<'d, vk::Pipeline>, Error> {
    let shaders = state
        .stages
        .iter()
        .map(|stage| Shader::new(device, stage))
        .collect::<Result<Vec<_>, _>>()?;
    let specializations = shaders.iter().map(Shader::specialization).collect::<Vec<_>>();
    let stages = shaders
        .iter()
        .zip(&specializations)
        .map(|(shader, specialization)| {
            vk::PipelineShaderStageCreateInfo::default()
                .stage(shader.stage)
                .module(*shader.module)
                .name(&shader.entry_point)
                .specialization_info(specialization)
        })
        .collect::<Vec<_>>();

    let (bindings, attributes) = describe_vertices(&state.vertex_layouts);
    let vertex_input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(state.topology);
    let viewport =
        vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
    let multisample = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let blends = [vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default()
        .attachments(if state.target.is_some() { &blends } else { &[] });
    let dynamic = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);

    let mut provoking = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default()
        .provoking_vertex_mode(vk::ProvokingVertexModeEXT::LAST_VERTEX);
    let mut rasterization = vk::PipelineRasterizationStateCreateInfo::default()
        .rasterizer_discard_enable(state.target.is_none())
        .line_width(1.0);
    if state.provoking_vertex == ProvokingVertex::Last {
        rasterization = rasterization.push_next(&mut provoking);
    }

    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&vertex_input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&rasterization)
        .multisample_state(&multisample)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(layout)
        .render_pass(render_pass);
    // SAFETY: what `info` points to lives until the end of this function, and the modules are valid.
    let pipelines = unsafe {
        device.handle.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None)
    };
    let pipelines = pipelines.map_err(|(_, result)| result).call("vkCreateGraphicsPipelines")?;
    Ok(Owned::new(device, pipelines[0]))
}

fn describe_vertices(
    layouts: &[&VertexLayout],
) -> (Vec<vk::VertexInputBindingDescription>, Vec<vk::VertexInputAttributeDescription>) {
    let mut bindings = Vec::new();
    let mut attributes = Vec::new();
    for (binding, layout) in (0..).zip(layouts) {
        bindings.push(vk::VertexInputBindingDescription {
            binding,
            stride: layout.stride,
            input_rate: layout.rate,
        });
        attributes.extend(layout.attributes.iter().map(|attribute| {
            vk::VertexInputAttributeDescription {
                location: attribute.location,
                binding,
                format: attribute.format,
                offset: attribute.offset,
            }
        }));
    }
    (bindings, attributes)
}

/// A shader module in the form in which a pipeline wants it.
struct Shader<'d> {
    stage: vk::ShaderStageFlags,
    module: Owned<'d, vk::ShaderModule>,
    entry_point: CString,
    entries: Vec<vk::SpecializationMapEntry>,
    values: Vec<u8>,
}

impl<'d> Shader<'d> {
    fn new(device: &'d Device, stage: &Stage<'_>) -> Result<Shader<'d>, Error> {
        let entry_point = CString::new(stage.entry_point)
            .map_err(|_| Error::Work("the entry point's name contains a zero".to_owned()))?;
        let info = vk::ShaderModuleCreateInfo::default().code(stage.words);
        // SAFETY: the caller of `run` promises valid modules.
        let module = unsafe { device.handle.create_shader_module(&info, None) }
            .call("vkCreateShaderModule")?;
        let entry = |(index, &(constant_id, _)): (u32, &(u32, u32))| vk::SpecializationMapEntry {
            constant_id,
            offset: 4 * index,
            size: 4,
        };
        Ok(Shader {
            stage: stage.stage,
            module: Owned::new(device, module),
            entry_point,
            entries: (0..).zip(&stage.specialization).map(entry).collect(),
            values: stage.specialization.iter().flat_map(|&(_, v)| v.to_ne_bytes()).collect(),
        })
    }

    fn specialization(&self) -> vk::SpecializationInfo<'_> {
        vk::SpecializationInfo::default().map_entries(&self.entries).data(&self.values)
    }
}
