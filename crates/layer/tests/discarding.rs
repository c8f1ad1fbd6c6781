//! Render passes without attachments, and capturing pipelines. Most of the pipelines do not rasterize.

use crate::loader::Device;
use ash::vk;
use polyshade_formats::{ShaderStage, SpirvVersion, compile};

pub(crate) unsafe fn pass(device: &Device, view_mask: u32) -> vk::RenderPass {
    let subpasses = [vk::SubpassDescription::default()];
    let mut info = vk::RenderPassCreateInfo::default().subpasses(&subpasses);
    let masks = [view_mask];
    let mut views = vk::RenderPassMultiviewCreateInfo::default().view_masks(&masks);
    if view_mask != 0 {
        info = info.push_next(&mut views);
    }
    // SAFETY: the structure is valid.
    unsafe { device.handle.create_render_pass(&info, None) }.expect("a pass")
}

pub(crate) fn words(source: &str) -> Vec<u32> {
    compiled(source, ShaderStage::Vertex)
}

pub(crate) fn compiled(source: &str, stage: ShaderStage) -> Vec<u32> {
    compile(source, stage, SpirvVersion::SPIRV1_0).expect("it compiles")
}

#[derive(Clone, Copy)]
pub(crate) struct Drawing<'w> {
    pub(crate) vertex: &'w [u32],
    pub(crate) later: &'w [(vk::ShaderStageFlags, Vec<u32>)],
    pub(crate) topology: vk::PrimitiveTopology,
    pub(crate) rasterizes: bool,
    /// The view mask, if the pipeline is for dynamic rendering instead of a render pass.
    pub(crate) rendered: Option<u32>,
    /// Whether the last vertex of a primitive is the provoking vertex.
    pub(crate) provokes_last: bool,
    /// The vertex stream that is rasterized, if the pipeline selects one.
    pub(crate) stream: Option<u32>,
}

impl<'w> Drawing<'w> {
    /// Returns a pipeline description with a vertex shader and without rasterization.
    pub(crate) fn new(vertex: &'w [u32], topology: vk::PrimitiveTopology) -> Self {
        Self {
            vertex,
            later: &[],
            topology,
            rasterizes: false,
            rendered: None,
            provokes_last: false,
            stream: None,
        }
    }
}

/// Creates a pipeline. Primitive restart is enabled for strips.
pub(crate) unsafe fn pipeline(
    device: &Device,
    drawing: Drawing<'_>,
    input: &vk::PipelineVertexInputStateCreateInfo<'_>,
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
) -> Result<vk::Pipeline, vk::Result> {
    let Drawing { vertex, later, topology, rasterizes, rendered, provokes_last, stream } = drawing;
    let later = later.iter().map(|(stage, words)| (*stage, &words[..]));
    let mut stages = Vec::new();
    for (stage, words) in [(vk::ShaderStageFlags::VERTEX, vertex)].into_iter().chain(later) {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the code is SPIR-V.
        let module = unsafe { device.handle.create_shader_module(&info, None) }?;
        let info = vk::PipelineShaderStageCreateInfo::default();
        stages.push(info.stage(stage).module(module).name(c"main"));
    }
    // Only strips may restart without an extra feature.
    let strips = [vk::PrimitiveTopology::LINE_STRIP, vk::PrimitiveTopology::TRIANGLE_STRIP];
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(topology)
        .primitive_restart_enable(strips.contains(&topology));
    let tessellation = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(1);
    let mut rasterization = vk::PipelineRasterizationStateCreateInfo::default()
        .rasterizer_discard_enable(!rasterizes)
        .line_width(1.0);
    let mut provoking = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default()
        .provoking_vertex_mode(vk::ProvokingVertexModeEXT::LAST_VERTEX);
    if provokes_last {
        rasterization = rasterization.push_next(&mut provoking);
    }
    let mut selects = vk::PipelineRasterizationStateStreamCreateInfoEXT::default()
        .rasterization_stream(stream.unwrap_or_default());
    if stream.is_some() {
        rasterization = rasterization.push_next(&mut selects);
    }
    let extent = vk::Extent2D { width: 1, height: 1 };
    let viewport = [vk::Viewport::default().width(1.0).height(1.0)];
    let scissor = [vk::Rect2D { extent, ..Default::default() }];
    let viewport =
        vk::PipelineViewportStateCreateInfo::default().viewports(&viewport).scissors(&scissor);
    let samples = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let mut info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(input)
        .input_assembly_state(&assembly)
        .tessellation_state(&tessellation)
        .viewport_state(&viewport)
        .rasterization_state(&rasterization)
        .multisample_state(&samples)
        .layout(layout);
    let view_mask = rendered.unwrap_or_default();
    let mut rendering = vk::PipelineRenderingCreateInfo::default().view_mask(view_mask);
    info = match rendered {
        Some(_) => info.push_next(&mut rendering),
        None => info.render_pass(pass),
    };
    let cache = vk::PipelineCache::null();
    // SAFETY: all structures are valid, and modules are destroyed only after the pipeline creation.
    unsafe {
        let made = device.handle.create_graphics_pipelines(cache, &[info], None);
        for stage in &stages {
            device.handle.destroy_shader_module(stage.module, None);
        }
        made.map(|made| made[0]).map_err(|(_, why)| why)
    }
}
