//! Passes without attachments, and pipelines that capture and rasterize nothing.

use crate::loader::Device;
use ash::vk;
use polyshade_formats::{ShaderStage, SpirvVersion, compile};

/// A pass in which nothing is drawn.
pub(crate) unsafe fn pass(device: &Device) -> vk::RenderPass {
    let subpasses = [vk::SubpassDescription::default()];
    let info = vk::RenderPassCreateInfo::default().subpasses(&subpasses);
    // SAFETY: the structure is valid.
    unsafe { device.handle.create_render_pass(&info, None) }.expect("a pass")
}

/// The SPIR-V of a vertex shader.
pub(crate) fn words(source: &str) -> Vec<u32> {
    compile(source, ShaderStage::Vertex, SpirvVersion::SPIRV1_0).expect("it compiles")
}

/// A pipeline of a vertex shader, or why there is none. Indices restart strips.
pub(crate) unsafe fn pipeline(
    device: &Device,
    (words, topology): (&[u32], vk::PrimitiveTopology),
    input: &vk::PipelineVertexInputStateCreateInfo<'_>,
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
) -> Result<vk::Pipeline, vk::Result> {
    let info = vk::ShaderModuleCreateInfo::default().code(words);
    // SAFETY: the words are SPIR-V.
    let module = unsafe { device.handle.create_shader_module(&info, None) }?;
    let stages = [vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::VERTEX)
        .module(module)
        .name(c"main")];
    let strips = [vk::PrimitiveTopology::LINE_STRIP, vk::PrimitiveTopology::TRIANGLE_STRIP];
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(topology)
        .primitive_restart_enable(strips.contains(&topology));
    let rasterization = vk::PipelineRasterizationStateCreateInfo::default()
        .rasterizer_discard_enable(true)
        .line_width(1.0);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(input)
        .input_assembly_state(&assembly)
        .rasterization_state(&rasterization)
        .layout(layout)
        .render_pass(pass);
    let cache = vk::PipelineCache::null();
    // SAFETY: all structures are valid, and the module is destroyed when the pipeline is made or refused.
    unsafe {
        let made = device.handle.create_graphics_pipelines(cache, &[info], None);
        device.handle.destroy_shader_module(module, None);
        made.map(|made| made[0]).map_err(|(_, why)| why)
    }
}
