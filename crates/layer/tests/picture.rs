//! Pictures of one draw: the pixels of a small color attachment, and the number of covered samples.

use crate::bare::{Bare, Seen};
use crate::loader::Device;
use crate::objects::{cleared_attachment, framebuffer, image, pixels};
use ash::vk;

/// The width and height in pixels.
pub(crate) const SIDE: u32 = 16;

/// The draw of a picture: `count` vertices without vertex attributes.
pub(crate) struct Draw<'s> {
    /// The stages with their SPIR-V.
    pub(crate) stages: &'s [(vk::ShaderStageFlags, Vec<u32>)],
    pub(crate) topology: vk::PrimitiveTopology,
    pub(crate) count: u32,
    pub(crate) discards: bool,
    /// Whether depths are from -1 to 1, by `VK_EXT_depth_clip_control`.
    pub(crate) negative_depths: bool,
    /// The value of the specialization constant 0 in all stages.
    pub(crate) constant: u32,
}

/// The objects, which are destroyed on drop.
pub(crate) struct Picture<'d> {
    bare: Bare<'d>,
    device: &'d Device,
    image: (vk::Image, vk::DeviceMemory, vk::ImageView),
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    queries: vk::QueryPool,
    read: Seen,
}

impl<'d> Picture<'d> {
    pub(crate) fn new(device: &'d Device) -> Self {
        let vulkan = &device.handle;
        let mut bare = Bare::new(device, 0);
        let read = bare.buffer(vk::BufferUsageFlags::TRANSFER_DST, (SIDE * SIDE) as usize);
        let queries = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::OCCLUSION);
        // SAFETY: all structures are valid.
        unsafe {
            let image = image(device, SIDE, vk::ImageUsageFlags::empty());
            let pass = pass(device);
            let framebuffer = framebuffer(device, pass, image.2, SIDE);
            let queries = vulkan.create_query_pool(&queries.query_count(1), None).expect("a query");
            Self { bare, device, image, pass, framebuffer, queries, read }
        }
    }

    /// Draws, and returns the pixels and the number of covered samples.
    pub(crate) fn draw(&self, draw: &Draw<'_>) -> Result<(Vec<u32>, u32), vk::Result> {
        self.draw_with(draw, |_| {}, |_| {})
    }

    /// Draws, and captures to a buffer of `count` 32-bit values. Returns the pixels, the number of covered samples, and
    /// the buffer, in which values are 7 if nothing is captured to them.
    pub(crate) fn draw_captured(
        &mut self,
        draw: &Draw<'_>,
        count: u32,
    ) -> Result<(Vec<u32>, u32, Vec<u32>), vk::Result> {
        let usage = vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
        let target = self.bare.buffer(usage, count as usize);
        let feedback = self.device.feedback.fp();
        let none = std::ptr::null();
        // SAFETY: the pipeline captures, and the buffer is alive.
        let begin = |commands| unsafe {
            let (buffer, size) = (&raw const target.buffer, &target.size());
            (feedback.cmd_bind_transform_feedback_buffers_ext)(commands, 0, 1, buffer, &0, size);
            (feedback.cmd_begin_transform_feedback_ext)(commands, 0, 0, none, none.cast());
        };
        // SAFETY: as above.
        let end = |commands| unsafe {
            (feedback.cmd_end_transform_feedback_ext)(commands, 0, 0, none, none.cast());
        };
        let (pixels, samples) = self.draw_with(draw, begin, end)?;
        Ok((pixels, samples, target.read()))
    }

    /// Draws with further commands before and after the draw in the render pass.
    fn draw_with(
        &self,
        draw: &Draw<'_>,
        before: impl FnOnce(vk::CommandBuffer),
        after: impl FnOnce(vk::CommandBuffer),
    ) -> Result<(Vec<u32>, u32), vk::Result> {
        let vulkan = &self.device.handle;
        let extent = vk::Extent2D { width: SIDE, height: SIDE };
        let clear = [vk::ClearValue::default()];
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(vk::Rect2D { extent, ..Default::default() })
            .clear_values(&clear);
        let precise = vk::QueryControlFlags::PRECISE;
        let mut samples = [0_u32];
        // SAFETY: all objects are created, used, waited for and destroyed in this order.
        unsafe {
            let pipeline = self.pipeline(draw)?;
            self.bare.submit(|commands| {
                vulkan.cmd_reset_query_pool(commands, self.queries, 0, 1);
                vulkan.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
                vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
                // SwiftShader never completes a query in which nothing is rasterized.
                if !draw.discards {
                    vulkan.cmd_begin_query(commands, self.queries, 0, precise);
                }
                before(commands);
                vulkan.cmd_draw(commands, draw.count, 1, 0, 0);
                after(commands);
                if !draw.discards {
                    vulkan.cmd_end_query(commands, self.queries, 0);
                }
                vulkan.cmd_end_render_pass(commands);
                let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
                let regions = [pixels(SIDE)];
                let to = self.read.buffer;
                vulkan.cmd_copy_image_to_buffer(commands, self.image.0, layout, to, &regions);
            });
            vulkan.destroy_pipeline(pipeline, None);
            if !draw.discards {
                let flags = vk::QueryResultFlags::WAIT;
                vulkan.get_query_pool_results(self.queries, 0, &mut samples, flags)?;
            }
        }
        Ok((self.read.read(), samples[0]))
    }

    fn pipeline(&self, draw: &Draw<'_>) -> Result<vk::Pipeline, vk::Result> {
        self.with_info(draw, |info| {
            self.create(&[info]).map(|made| made[0]).map_err(|(_, why)| why)
        })?
    }

    pub(crate) fn create(
        &self,
        infos: &[vk::GraphicsPipelineCreateInfo<'_>],
    ) -> Result<Vec<vk::Pipeline>, (Vec<vk::Pipeline>, vk::Result)> {
        // SAFETY: the structures come from `with_info`.
        unsafe {
            self.device.handle.create_graphics_pipelines(vk::PipelineCache::null(), infos, None)
        }
    }

    /// Calls a function with the create info of a draw's pipeline.
    pub(crate) fn with_info<R>(
        &self,
        draw: &Draw<'_>,
        use_info: impl FnOnce(vk::GraphicsPipelineCreateInfo<'_>) -> R,
    ) -> Result<R, vk::Result> {
        let vulkan = &self.device.handle;
        let entries = [vk::SpecializationMapEntry { constant_id: 0, offset: 0, size: 4 }];
        let data = draw.constant.to_ne_bytes();
        let constants = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let mut stages = Vec::new();
        for (stage, words) in draw.stages {
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            // SAFETY: the code is SPIR-V.
            let module = unsafe { vulkan.create_shader_module(&info, None) }?;
            let info = vk::PipelineShaderStageCreateInfo::default();
            let stage = info.stage(*stage).module(module).name(c"main");
            stages.push(stage.specialization_info(&constants));
        }
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(draw.topology);
        let tessellation =
            vk::PipelineTessellationStateCreateInfo::default().patch_control_points(3);
        let side = SIDE as f32;
        let viewports = [vk::Viewport::default().width(side).height(side).max_depth(1.0)];
        let extent = vk::Extent2D { width: SIDE, height: SIDE };
        let scissors = [vk::Rect2D { extent, ..Default::default() }];
        let mut viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let mut control =
            vk::PipelineViewportDepthClipControlCreateInfoEXT::default().negative_one_to_one(true);
        if draw.negative_depths {
            viewport = viewport.push_next(&mut control);
        }
        let rasterization = vk::PipelineRasterizationStateCreateInfo::default()
            .rasterizer_discard_enable(draw.discards)
            .line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let is_fragment = |(stage, _): &_| *stage == vk::ShaderStageFlags::FRAGMENT;
        let written = match draw.stages.iter().any(is_fragment) {
            true => vk::ColorComponentFlags::RGBA,
            false => vk::ColorComponentFlags::empty(),
        };
        let targets = [vk::PipelineColorBlendAttachmentState::default().color_write_mask(written)];
        let blending = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets);
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .tessellation_state(&tessellation)
            .viewport_state(&viewport)
            .rasterization_state(&rasterization)
            .multisample_state(&samples)
            .color_blend_state(&blending)
            .layout(self.bare.layout)
            .render_pass(self.pass);
        // The layer may add a stage, but the application has feedback for its own stages only.
        let mut whole = vk::PipelineCreationFeedback::default();
        let mut each = vec![vk::PipelineCreationFeedback::default(); stages.len()];
        let mut feedback = vk::PipelineCreationFeedbackCreateInfo::default()
            .pipeline_creation_feedback(&mut whole)
            .pipeline_stage_creation_feedbacks(&mut each);
        let info = info.push_next(&mut feedback);
        let result = use_info(info);
        for stage in &stages {
            // SAFETY: modules are needed only while pipelines are created.
            unsafe { vulkan.destroy_shader_module(stage.module, None) };
        }
        Ok(result)
    }
}

impl Drop for Picture<'_> {
    fn drop(&mut self) {
        let vulkan = &self.device.handle;
        let (image, memory, view) = self.image;
        // SAFETY: nothing is in use.
        unsafe {
            vulkan.destroy_query_pool(self.queries, None);
            vulkan.destroy_framebuffer(self.framebuffer, None);
            vulkan.destroy_render_pass(self.pass, None);
            vulkan.destroy_image_view(view, None);
            vulkan.destroy_image(image, None);
            vulkan.free_memory(memory, None);
        }
    }
}

/// Creates a pass that clears the image, and leaves it in the layout for copies.
unsafe fn pass(device: &Device) -> vk::RenderPass {
    use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
    let attachments = [cleared_attachment()];
    let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let targets = [vk::AttachmentReference { attachment: 0, layout }];
    let subpasses = [vk::SubpassDescription::default().color_attachments(&targets)];
    let dependency = |src_subpass, dst_subpass, src: (Stage, Access), dst: (Stage, Access)| {
        vk::SubpassDependency {
            src_subpass,
            dst_subpass,
            src_stage_mask: src.0,
            src_access_mask: src.1,
            dst_stage_mask: dst.0,
            dst_access_mask: dst.1,
            ..Default::default()
        }
    };
    let drawn = (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_WRITE);
    let copied = (Stage::TRANSFER, Access::TRANSFER_READ);
    let external = vk::SUBPASS_EXTERNAL;
    let dependencies =
        [dependency(external, 0, copied, drawn), dependency(0, external, drawn, copied)];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    // SAFETY: all structures are valid.
    unsafe { device.handle.create_render_pass(&info, None) }.expect("a pass")
}
