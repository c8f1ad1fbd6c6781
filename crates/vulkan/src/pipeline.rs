//! The pipeline of a draw.

use crate::blend::{AdvancedBlend, Blend, FixedBlend};
use crate::depth::DepthTest;
use crate::descriptors::Binding;
use crate::device::Device;
use crate::error::Error;
use crate::memory::Owned;
use crate::pipelines::Pipeline;
use crate::target_reads::TargetReads;
use crate::work::{Draw, ProvokingVertex, Stage, VertexLayout, Work};
use ash::vk;
use polyshade_planner::PassScope;
use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// The format and sample count of a target.
pub(crate) type TargetFormat = (vk::Format, vk::SampleCountFlags);

/// The state of a draw that its pipeline depends on. Draws with equal states share a pipeline.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct State<'a> {
    stages: &'a [Stage<'a>],
    topology: vk::PrimitiveTopology,
    provoking_vertex: ProvokingVertex,
    vertex_layouts: Vec<&'a VertexLayout>,
    patch_control_points: u32,
    restart: bool,
    bindings: Vec<Binding>,
    push_constants: usize,
    discard: bool,
    /// The format and sample count of each target.
    targets: Vec<TargetFormat>,
    /// The depth test, and the format and sample count of its target.
    depth: Option<(DepthTest, TargetFormat)>,
    /// Whether each target is also an input attachment.
    reads_targets: Vec<bool>,
    reads: TargetReads,
    blends: &'a [Blend],
    advanced_blend: Option<AdvancedBlend>,
    fixed_blend: FixedBlend,
    /// How the render passes that use the pipeline begin.
    scope: PassScope,
    /// Whether the pipeline is a compute pipeline.
    dispatched: bool,
}

impl<'a> State<'a> {
    pub(crate) fn new(
        work: &'a Work<'_>,
        draw: &'a Draw<'_>,
        scope: PassScope,
    ) -> Result<State<'a>, Error> {
        let patches = draw.topology == vk::PrimitiveTopology::PATCH_LIST;
        Ok(State {
            stages: &draw.stages,
            topology: draw.topology,
            provoking_vertex: draw.provoking_vertex,
            patch_control_points: if patches { draw.patch_control_points } else { 0 },
            restart: draw.indices.is_some_and(|indices| indices.restart),
            vertex_layouts: draw.vertex_buffers.iter().map(|buffer| &buffer.layout).collect(),
            bindings: Binding::of_draw(&draw.descriptors)?,
            push_constants: draw.push_constants.len(),
            discard: draw.discard || draw.target.is_none() && draw.depth.is_none(),
            targets: draw.targets().map(|target| work.targets[target].attached()).collect(),
            depth: draw.depth.map(|test| (test, work.targets[test.target].attached())),
            reads_targets: draw.reads_targets(),
            reads: draw.reads,
            blends: &draw.blends,
            advanced_blend: draw.advanced_blend,
            fixed_blend: draw.fixed_blend,
            scope: if draw.reads.local { PassScope::Rendering } else { scope },
            dispatched: draw.dispatch.is_some(),
        })
    }
}

impl State<'_> {
    /// The sample count of all targets.
    fn samples(&self) -> vk::SampleCountFlags {
        let depth = self.depth.as_ref().map(|(_, target)| target);
        let attached = self.targets.first().or(depth);
        attached.map_or(vk::SampleCountFlags::TYPE_1, |target| target.1)
    }

    /// The stages that access resources and push constants.
    fn stages(&self) -> vk::ShaderStageFlags {
        match self.dispatched {
            true => vk::ShaderStageFlags::COMPUTE,
            false => vk::ShaderStageFlags::ALL_GRAPHICS,
        }
    }

    fn multisample(&self) -> vk::PipelineMultisampleStateCreateInfo<'static> {
        vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(self.samples())
            .alpha_to_coverage_enable(self.fixed_blend.alpha_to_coverage)
    }
}

const DYNAMIC: [vk::DynamicState; 2] = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];

/// A pipeline that a run uses. Its device keeps it, or it is destroyed with the run.
pub(crate) struct Shared<'d> {
    device: &'d Device,
    pipeline: Arc<Pipeline>,
}

impl<'d> Shared<'d> {
    pub(crate) fn new(device: &'d Device, state: &State<'_>) -> Result<Shared<'d>, Error> {
        let create = || create(device, state);
        let pipeline = match &device.pipelines {
            Some(kept) => kept.get(&device.handle, hash(state), create)?,
            None => Arc::new(create()?),
        };
        Ok(Shared { device, pipeline })
    }
}

impl Deref for Shared<'_> {
    type Target = Pipeline;

    fn deref(&self) -> &Pipeline {
        &self.pipeline
    }
}

impl Drop for Shared<'_> {
    fn drop(&mut self) {
        if self.device.pipelines.is_none() {
            // SAFETY: no other reference exists, and submitted work has finished.
            unsafe { self.pipeline.destroy(&self.device.handle) };
        }
    }
}

fn hash(state: &State<'_>) -> u128 {
    let half = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        state.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

fn create(device: &Device, state: &State<'_>) -> Result<Pipeline, Error> {
    let sets = state.bindings.iter().map(|binding| binding.set + 1).max().unwrap_or(0);
    let set_layouts = (0..sets)
        .map(|set| create_set_layout(device, state, set))
        .collect::<Result<Vec<_>, _>>()?;
    let layout = create_layout(device, state, &set_layouts)?;
    let depth = state.depth.map(|(_, target)| target);
    let reads = (state.reads_targets.as_slice(), state.reads);
    let render_pass = create_render_pass(device, &state.targets, depth, reads)?;
    let handle = match state.dispatched {
        true => create_compute_pipeline(device, &state.stages[0], *layout)?,
        false => create_pipeline(device, state, *layout, *render_pass)?,
    };
    Ok(Pipeline {
        handle: handle.release(),
        layout: layout.release(),
        render_pass: render_pass.release(),
        set_layouts: set_layouts.into_iter().map(Owned::release).collect(),
    })
}

fn create_set_layout<'d>(
    device: &'d Device,
    state: &State<'_>,
    set: u32,
) -> Result<Owned<'d, vk::DescriptorSetLayout>, Error> {
    let of_set = state.bindings.iter().filter(|binding| binding.set == set);
    let bindings = of_set
        .map(|binding| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding.binding)
                .descriptor_type(binding.descriptor_type)
                .descriptor_count(binding.count)
                .stage_flags(match binding.descriptor_type {
                    vk::DescriptorType::INPUT_ATTACHMENT => vk::ShaderStageFlags::FRAGMENT,
                    _ => state.stages(),
                })
        })
        .collect::<Vec<_>>();
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: `info` points to `bindings` only.
    let layout = unsafe { device.handle.create_descriptor_set_layout(&info, None) };
    Owned::new(device, layout, "vkCreateDescriptorSetLayout")
}

fn create_layout<'d>(
    device: &'d Device,
    state: &State<'_>,
    set_layouts: &[Owned<'d, vk::DescriptorSetLayout>],
) -> Result<Owned<'d, vk::PipelineLayout>, Error> {
    let set_layouts = set_layouts.iter().map(|layout| **layout).collect::<Vec<_>>();
    let push_constants = [vk::PushConstantRange::default()
        .stage_flags(state.stages())
        .size(state.push_constants as u32)];
    let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts);
    if state.push_constants > 0 {
        info = info.push_constant_ranges(&push_constants);
    }
    // SAFETY: the set layouts are alive.
    let layout = unsafe { device.handle.create_pipeline_layout(&info, None) };
    Owned::new(device, layout, "vkCreatePipelineLayout")
}

/// Creates a render pass with one subpass that draws to `targets` and tests against `depth`. All attachments stay in
/// the layout `GENERAL` and keep their contents. Targets marked in `reads` are also input attachments; the subpass
/// then has a self-dependency.
pub(crate) fn create_render_pass<'d>(
    device: &'d Device,
    targets: &[TargetFormat],
    depth: Option<TargetFormat>,
    (reads, how): (&[bool], TargetReads),
) -> Result<Owned<'d, vk::RenderPass>, Error> {
    let attachments = targets
        .iter()
        .chain(&depth)
        .map(|(format, samples)| {
            vk::AttachmentDescription::default()
                .format(*format)
                .samples(*samples)
                .load_op(vk::AttachmentLoadOp::LOAD)
                .store_op(vk::AttachmentStoreOp::STORE)
                .initial_layout(vk::ImageLayout::GENERAL)
                .final_layout(vk::ImageLayout::GENERAL)
        })
        .collect::<Vec<_>>();
    let layout = vk::ImageLayout::GENERAL;
    let count = targets.len() as u32;
    let references = (0..count)
        .map(|attachment| vk::AttachmentReference { attachment, layout })
        .collect::<Vec<_>>();
    let tested = vk::AttachmentReference { attachment: count, layout };
    let mut subpass = vk::SubpassDescription::default()
        .flags(how.subpass())
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&references);
    if depth.is_some() {
        subpass = subpass.depth_stencil_attachment(&tested);
    }
    // Input attachments, with the self-dependency.
    let dependencies = [vk::SubpassDependency::default()
        .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
        .dst_stage_mask(vk::PipelineStageFlags::FRAGMENT_SHADER)
        .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
        .dst_access_mask(vk::AccessFlags::INPUT_ATTACHMENT_READ)
        .dependency_flags(vk::DependencyFlags::BY_REGION)];
    let reads_any = reads.contains(&true);
    let inputs = references
        .iter()
        .zip(reads)
        .map(|(reference, is_read)| {
            let attachment = if *is_read { reference.attachment } else { vk::ATTACHMENT_UNUSED };
            vk::AttachmentReference { attachment, ..*reference }
        })
        .collect::<Vec<_>>();
    let subpasses = [if reads_any { subpass.input_attachments(&inputs) } else { subpass }];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(if reads_any { &dependencies } else { &[] });
    // SAFETY: the subpass refers to existing attachments.
    let pass = unsafe { device.handle.create_render_pass(&info, None) };
    Owned::new(device, pass, "vkCreateRenderPass")
}

fn create_pipeline<'d>(
    device: &'d Device,
    state: &State<'_>,
    layout: vk::PipelineLayout,
    render_pass: vk::RenderPass,
) -> Result<Owned<'d, vk::Pipeline>, Error> {
    let shaders = state.stages.iter().map(|stage| Shader::new(device, stage));
    let shaders = shaders.collect::<Result<Vec<_>, _>>()?;
    let specializations = shaders.iter().map(Shader::specialization).collect::<Vec<_>>();
    let stages = shaders
        .iter()
        .zip(&specializations)
        .map(|(shader, specialization)| shader.info(specialization))
        .collect::<Vec<_>>();

    let (bindings, attributes) = describe_vertices(&state.vertex_layouts);
    let vertex_input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(state.topology)
        .primitive_restart_enable(state.restart);
    let tessellation = vk::PipelineTessellationStateCreateInfo::default()
        .patch_control_points(state.patch_control_points);
    let viewport =
        vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
    let multisample = state.multisample();
    let depth = state.depth.map(|(test, _)| test.state()).unwrap_or_default();
    let blend = |target: usize| state.blends.get(target).copied().unwrap_or_default().state();
    let blends = (0..state.targets.len()).map(blend).collect::<Vec<_>>();
    let mut advanced = state.advanced_blend.map(AdvancedBlend::state);
    let mut blend = state.fixed_blend.state().flags(state.reads.pipeline()).attachments(&blends);
    if let Some(advanced) = &mut advanced {
        blend = blend.push_next(advanced);
    }
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&DYNAMIC);

    let mut provoking = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default()
        .provoking_vertex_mode(vk::ProvokingVertexModeEXT::LAST_VERTEX);
    let mut rasterization = vk::PipelineRasterizationStateCreateInfo::default()
        .rasterizer_discard_enable(state.discard)
        .line_width(1.0);
    if state.provoking_vertex == ProvokingVertex::Last {
        rasterization = rasterization.push_next(&mut provoking);
    }

    let mut info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&vertex_input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&rasterization)
        .multisample_state(&multisample)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(layout);
    let formats = state.targets.iter().map(|target| target.0).collect::<Vec<_>>();
    let depth_format = state.depth.map_or(vk::Format::UNDEFINED, |(_, target)| target.0);
    let mut rendering = vk::PipelineRenderingCreateInfo::default()
        .color_attachment_formats(&formats)
        .depth_attachment_format(depth_format);
    match state.scope {
        PassScope::Rendering => info = info.push_next(&mut rendering),
        _ => info.render_pass = render_pass,
    }
    if state.patch_control_points > 0 {
        info = info.tessellation_state(&tessellation);
    }
    // SAFETY: the structures of `info` live until the end of this function, and the modules are valid.
    let pipelines = unsafe {
        device.handle.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None)
    };
    let pipeline = pipelines.map(|all| all[0]).map_err(|(_, result)| result);
    Owned::new(device, pipeline, "vkCreateGraphicsPipelines")
}

pub(crate) fn create_compute_pipeline<'d>(
    device: &'d Device,
    stage: &Stage<'_>,
    layout: vk::PipelineLayout,
) -> Result<Owned<'d, vk::Pipeline>, Error> {
    let shader = Shader::new(device, stage)?;
    let specialization = shader.specialization();
    let stage = shader.info(&specialization);
    let infos = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
    // SAFETY: the structures of `infos` live until the end of this function, and the module is valid.
    let pipelines =
        unsafe { device.handle.create_compute_pipelines(vk::PipelineCache::null(), &infos, None) };
    let pipeline = pipelines.map(|all| all[0]).map_err(|(_, result)| result);
    Owned::new(device, pipeline, "vkCreateComputePipelines")
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

/// A shader module in the form that pipeline creation needs.
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
            .map_err(|_| Error::work("the entry point's name contains a NUL byte"))?;
        let info = vk::ShaderModuleCreateInfo::default().code(stage.words);
        // SAFETY: the caller of `run` promises valid modules.
        let module = unsafe { device.handle.create_shader_module(&info, None) };
        let mut entries = Vec::new();
        let mut values = Vec::new();
        for &(constant_id, value) in &stage.specialization {
            let bytes = value.bytes();
            let offset = values.len() as u32;
            entries.push(vk::SpecializationMapEntry { constant_id, offset, size: bytes.len() });
            values.extend(bytes);
        }
        Ok(Shader {
            stage: stage.stage,
            module: Owned::new(device, module, "vkCreateShaderModule")?,
            entry_point,
            entries,
            values,
        })
    }

    fn info<'s>(
        &'s self,
        specialization: &'s vk::SpecializationInfo<'_>,
    ) -> vk::PipelineShaderStageCreateInfo<'s> {
        vk::PipelineShaderStageCreateInfo::default()
            .stage(self.stage)
            .module(*self.module)
            .name(&self.entry_point)
            .specialization_info(specialization)
    }

    fn specialization(&self) -> vk::SpecializationInfo<'_> {
        vk::SpecializationInfo::default().map_entries(&self.entries).data(&self.values)
    }
}
