//! Pictures of one draw: the pixels of a small color attachment, and the number of covered samples.

use crate::bare::{Bare, Seen};
use crate::graphics::{Drawing, with_info};
use crate::loader::Device;
use crate::objects::Canvas;
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
    canvas: Canvas<'d>,
    queries: vk::QueryPool,
    read: Seen,
}

impl<'d> Picture<'d> {
    pub(crate) fn new(device: &'d Device) -> Self {
        let mut bare = Bare::new(device, 0);
        let read = bare.buffer(vk::BufferUsageFlags::TRANSFER_DST, (SIDE * SIDE) as usize);
        let queries = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::OCCLUSION);
        // SAFETY: the structure is valid.
        let queries = unsafe { device.handle.create_query_pool(&queries.query_count(1), None) };
        let canvas = Canvas::new(device, SIDE, false);
        Self { bare, device, canvas, queries: queries.expect("a query"), read }
    }

    /// Draws, and returns the pixels and the number of covered samples.
    pub(crate) fn draw(&self, draw: &Draw<'_>) -> Result<(Vec<u32>, u32), vk::Result> {
        self.draw_with(draw, |_| {}, |_, draw| draw())
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
        let bind = |commands| self.device.bind_target(commands, 0, &target);
        let capture = |commands, draw: &dyn Fn()| self.device.capture(commands, draw);
        let (pixels, samples) = self.draw_with(draw, bind, capture)?;
        Ok((pixels, samples, target.read()))
    }

    /// Draws in a render pass, after `before` and by `around`.
    fn draw_with(
        &self,
        draw: &Draw<'_>,
        before: impl FnOnce(vk::CommandBuffer),
        around: impl FnOnce(vk::CommandBuffer, &dyn Fn()),
    ) -> Result<(Vec<u32>, u32), vk::Result> {
        let vulkan = &self.device.handle;
        let precise = vk::QueryControlFlags::PRECISE;
        let mut samples = [0_u32];
        // SAFETY: all objects are created, used, waited for and destroyed in this order.
        unsafe {
            let pipeline = self.pipeline(draw)?;
            self.bare.submit(|commands| {
                vulkan.cmd_reset_query_pool(commands, self.queries, 0, 1);
                self.canvas.begin_pass(commands, vk::SubpassContents::INLINE);
                vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
                // SwiftShader never completes a query in which nothing is rasterized.
                if !draw.discards {
                    vulkan.cmd_begin_query(commands, self.queries, 0, precise);
                }
                before(commands);
                around(commands, &|| vulkan.cmd_draw(commands, draw.count, 1, 0, 0));
                if !draw.discards {
                    vulkan.cmd_end_query(commands, self.queries, 0);
                }
                vulkan.cmd_end_render_pass(commands);
                self.canvas.copy(commands, self.read.buffer);
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
        let (_, vertex) = &draw.stages[0];
        let drawing = Drawing {
            stages: Vec::new(),
            rasterizes: !draw.discards,
            side: Some(SIDE),
            negative_depths: draw.negative_depths,
            constant: draw.constant,
            ..Drawing::new(vertex, draw.topology)
        };
        let drawing = drawing.with(draw.stages);
        // The layer may add a stage, but the application has feedback for its own stages only.
        let mut whole = vk::PipelineCreationFeedback::default();
        let mut each = vec![vk::PipelineCreationFeedback::default(); draw.stages.len()];
        let mut feedback = vk::PipelineCreationFeedbackCreateInfo::default()
            .pipeline_creation_feedback(&mut whole)
            .pipeline_stage_creation_feedbacks(&mut each);
        let objects = (self.canvas.pass, self.bare.layout);
        with_info(self.device, &drawing, &Default::default(), objects, |info| {
            use_info(info.push_next(&mut feedback))
        })
    }
}

impl Drop for Picture<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing is in use.
        unsafe { self.device.handle.destroy_query_pool(self.queries, None) };
    }
}
