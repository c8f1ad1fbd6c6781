//! Render passes without attachments, and pipelines. Most of the pipelines capture and do not rasterize.

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

/// The state of a pipeline.
#[derive(Clone)]
pub(crate) struct Drawing<'w> {
    /// The stages with their SPIR-V.
    pub(crate) stages: Vec<(vk::ShaderStageFlags, &'w [u32])>,
    pub(crate) topology: vk::PrimitiveTopology,
    pub(crate) rasterizes: bool,
    /// The width and height of the color attachment in pixels, if there is one.
    pub(crate) side: Option<u32>,
    /// The view mask, if the pipeline is for dynamic rendering instead of a render pass.
    pub(crate) rendered: Option<u32>,
    /// Whether the last vertex of a primitive is the provoking vertex.
    pub(crate) provokes_last: bool,
    /// The vertex stream that is rasterized, if the pipeline selects one.
    pub(crate) stream: Option<u32>,
    /// Whether depths are from -1 to 1, by `VK_EXT_depth_clip_control`.
    pub(crate) negative_depths: bool,
    /// The value of the specialization constant 0 in all stages.
    pub(crate) constant: u32,
}

impl<'w> Drawing<'w> {
    /// Returns a pipeline description with a vertex shader and without rasterization.
    pub(crate) fn new(vertex: &'w [u32], topology: vk::PrimitiveTopology) -> Self {
        Self {
            stages: vec![(vk::ShaderStageFlags::VERTEX, vertex)],
            topology,
            rasterizes: false,
            side: None,
            rendered: None,
            provokes_last: false,
            stream: None,
            negative_depths: false,
            constant: 0,
        }
    }

    /// Adds stages.
    pub(crate) fn with(mut self, stages: &'w [(vk::ShaderStageFlags, Vec<u32>)]) -> Self {
        self.stages.extend(stages.iter().map(|(stage, words)| (*stage, &words[..])));
        self
    }
}

impl Drawing<'_> {
    fn modules<'c>(
        &self,
        device: &Device,
        constants: &'c vk::SpecializationInfo<'c>,
    ) -> Result<Vec<vk::PipelineShaderStageCreateInfo<'c>>, vk::Result> {
        let stage = |(stage, words): &(_, &[u32])| {
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            // SAFETY: the code is SPIR-V.
            let module = unsafe { device.handle.create_shader_module(&info, None) }?;
            let info = vk::PipelineShaderStageCreateInfo::default().stage(*stage);
            Ok(info.module(module).name(c"main").specialization_info(constants))
        };
        self.stages.iter().map(stage).collect()
    }
}

/// Creates a pipeline. Primitive restart is enabled for strips.
pub(crate) unsafe fn pipeline(
    device: &Device,
    drawing: &Drawing<'_>,
    input: &vk::PipelineVertexInputStateCreateInfo<'_>,
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
) -> Result<vk::Pipeline, vk::Result> {
    let made = with_info(device, drawing, input, (pass, layout), |info| {
        // SAFETY: all structures are valid.
        unsafe { device.handle.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) }
    })?;
    made.map(|made| made[0]).map_err(|(_, why)| why)
}

/// Calls a function with the create info of a pipeline.
pub(crate) fn with_info<R>(
    device: &Device,
    drawing: &Drawing<'_>,
    input: &vk::PipelineVertexInputStateCreateInfo<'_>,
    (pass, layout): (vk::RenderPass, vk::PipelineLayout),
    use_info: impl FnOnce(vk::GraphicsPipelineCreateInfo<'_>) -> R,
) -> Result<R, vk::Result> {
    let Drawing { topology, rasterizes, side, rendered, provokes_last, stream, .. } = *drawing;
    let entries = [vk::SpecializationMapEntry { constant_id: 0, offset: 0, size: 4 }];
    let data = drawing.constant.to_ne_bytes();
    let constants = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
    let stages = drawing.modules(device, &constants)?;
    // Only strips may restart without an extra feature.
    let strips = [vk::PrimitiveTopology::LINE_STRIP, vk::PrimitiveTopology::TRIANGLE_STRIP];
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(topology)
        .primitive_restart_enable(strips.contains(&topology));
    let patch = if side.is_some() { 3 } else { 1 };
    let tessellation =
        vk::PipelineTessellationStateCreateInfo::default().patch_control_points(patch);
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
    let (viewports, scissors) = ([viewport(side)], [area(side.unwrap_or(1))]);
    let mut viewport =
        vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let mut control =
        vk::PipelineViewportDepthClipControlCreateInfoEXT::default().negative_one_to_one(true);
    if drawing.negative_depths {
        viewport = viewport.push_next(&mut control);
    }
    let samples = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let is_fragment = |(stage, _): &_| *stage == vk::ShaderStageFlags::FRAGMENT;
    let written = match drawing.stages.iter().any(is_fragment) {
        true => vk::ColorComponentFlags::RGBA,
        false => vk::ColorComponentFlags::empty(),
    };
    let targets = [vk::PipelineColorBlendAttachmentState::default().color_write_mask(written)];
    let targets = &targets[..usize::from(side.is_some())];
    let blending = vk::PipelineColorBlendStateCreateInfo::default().attachments(targets);
    let mut info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(input)
        .input_assembly_state(&assembly)
        .tessellation_state(&tessellation)
        .viewport_state(&viewport)
        .rasterization_state(&rasterization)
        .multisample_state(&samples)
        .color_blend_state(&blending)
        .layout(layout);
    let view_mask = rendered.unwrap_or_default();
    let formats = [vk::Format::R8G8B8A8_UNORM];
    let mut rendering = vk::PipelineRenderingCreateInfo::default()
        .view_mask(view_mask)
        .color_attachment_formats(&formats[..targets.len()]);
    info = match rendered {
        Some(_) => info.push_next(&mut rendering),
        None => info.render_pass(pass),
    };
    let result = use_info(info);
    for stage in &stages {
        // SAFETY: modules are needed only while pipelines are created.
        unsafe { device.handle.destroy_shader_module(stage.module, None) };
    }
    Ok(result)
}

fn viewport(side: Option<u32>) -> vk::Viewport {
    let side = side.unwrap_or(1) as f32;
    vk::Viewport::default().width(side).height(side).max_depth(1.0)
}

/// Returns the area of a square image.
pub(crate) fn area(side: u32) -> vk::Rect2D {
    vk::Rect2D { extent: vk::Extent2D { width: side, height: side }, ..Default::default() }
}
