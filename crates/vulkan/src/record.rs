//! The commands of a submission.

use crate::error::{Context, Error};
use crate::memory::{COLOR, Image};
use crate::run::{DrawObjects, Objects, STREAM};
use crate::work::{Draw, Place, TransformFeedback, Work};
use ash::vk;

impl Objects<'_> {
    /// Records everything: clear the targets, draw, copy the targets to where the host sees them.
    pub(crate) fn record(&self, work: &Work<'_>) -> Result<(), Error> {
        let (device, commands) = (&self.device.handle, self.command_buffer);
        let once = vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT;
        let info = vk::CommandBufferBeginInfo::default().flags(once);
        // SAFETY: the command buffer is fresh and nobody else's.
        unsafe { device.begin_command_buffer(commands, &info) }.call("vkBeginCommandBuffer")?;

        if let Some(queries) = &self.queries {
            // SAFETY: the pool has one query a draw.
            unsafe { device.cmd_reset_query_pool(commands, **queries, 0, work.draws.len() as u32) };
        }
        for image in &self.images {
            self.clear(image);
        }
        self.wait_for_everything();
        for (index, draw) in (0..).zip(&work.draws) {
            self.draw(index, draw);
            self.wait_for_everything();
        }
        for image in &self.images {
            self.copy(image);
        }
        self.wait_for_everything();

        // SAFETY: recording began above.
        unsafe { device.end_command_buffer(commands) }.call("vkEndCommandBuffer")
    }

    /// The one barrier: whatever was written is visible to whatever comes, to the host too.
    fn wait_for_everything(&self) {
        let barriers = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)];
        // SAFETY: recorded outside of render passes only.
        unsafe {
            self.device.handle.cmd_pipeline_barrier(
                self.command_buffer,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::PipelineStageFlags::ALL_COMMANDS | vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &barriers,
                &[],
                &[],
            );
        }
    }

    /// Moves a target to the layout in which it stays, and fills it with zeros.
    fn clear(&self, image: &Image<'_>) {
        let barriers = [vk::ImageMemoryBarrier::default()
            .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(*image.handle)
            .subresource_range(COLOR)];
        // SAFETY: recorded outside of render passes; the image may be a transfer's destination.
        unsafe {
            self.device.handle.cmd_pipeline_barrier(
                self.command_buffer,
                vk::PipelineStageFlags::TOP_OF_PIPE,
                vk::PipelineStageFlags::TRANSFER,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &barriers,
            );
            self.device.handle.cmd_clear_color_image(
                self.command_buffer,
                *image.handle,
                vk::ImageLayout::GENERAL,
                &vk::ClearColorValue::default(),
                &[COLOR],
            );
        }
    }

    fn copy(&self, image: &Image<'_>) {
        let region = vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .layer_count(1),
            )
            .image_extent(vk::Extent3D {
                width: image.target.width,
                height: image.target.height,
                depth: 1,
            });
        // SAFETY: the buffer was made to hold exactly the image's pixels.
        unsafe {
            self.device.handle.cmd_copy_image_to_buffer(
                self.command_buffer,
                *image.handle,
                vk::ImageLayout::GENERAL,
                *image.pixels.handle,
                &[region],
            );
        }
    }

    fn draw(&self, index: u32, draw: &Draw<'_>) {
        let (device, commands) = (&self.device.handle, self.command_buffer);
        let objects = &self.draws[index as usize];
        let pipeline = &self.pipelines[objects.pipeline];
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: objects.extent };
        let pass = vk::RenderPassBeginInfo::default()
            .render_pass(*pipeline.render_pass)
            .framebuffer(*objects.framebuffer)
            .render_area(area);

        self.bind(objects, draw);
        // SAFETY: framebuffer and pipeline were made for this render pass.
        unsafe { device.cmd_begin_render_pass(commands, &pass, vk::SubpassContents::INLINE) };
        if let Some(feedback) = &draw.transform_feedback {
            self.begin_transform_feedback(index, feedback);
        }
        // SAFETY: everything that the pipeline needs is bound.
        unsafe {
            device.cmd_draw(
                commands,
                draw.vertices.len() as u32,
                draw.instances.len() as u32,
                draw.vertices.start,
                draw.instances.start,
            );
        }
        if let Some(feedback) = &draw.transform_feedback {
            self.end_transform_feedback(index, feedback);
        }
        // SAFETY: the render pass began above.
        unsafe { device.cmd_end_render_pass(commands) };
    }

    fn bind(&self, objects: &DrawObjects<'_>, draw: &Draw<'_>) {
        let (device, commands) = (&self.device.handle, self.command_buffer);
        let pipeline = &self.pipelines[objects.pipeline];
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        let vk::Extent2D { width, height } = objects.extent;
        let viewport = vk::Viewport {
            width: width as f32,
            height: height as f32,
            max_depth: 1.0,
            ..vk::Viewport::default()
        };
        let scissor = vk::Rect2D { offset: vk::Offset2D::default(), extent: objects.extent };
        let vertices = draw.vertex_buffers.iter().map(|buffer| self.place(buffer.place));
        let (buffers, offsets): (Vec<_>, Vec<_>) = vertices.unzip();

        // SAFETY: the sets, the push constants and the vertex buffers are those of the pipeline's layout.
        unsafe {
            device.cmd_bind_pipeline(commands, graphics, *pipeline.handle);
            device.cmd_set_viewport(commands, 0, &[viewport]);
            device.cmd_set_scissor(commands, 0, &[scissor]);
            if !objects.sets.is_empty() {
                let layout = *pipeline.layout;
                device.cmd_bind_descriptor_sets(commands, graphics, layout, 0, &objects.sets, &[]);
            }
            if !draw.push_constants.is_empty() {
                let stages = vk::ShaderStageFlags::ALL_GRAPHICS;
                let constants = &draw.push_constants;
                device.cmd_push_constants(commands, *pipeline.layout, stages, 0, constants);
            }
            if !buffers.is_empty() {
                device.cmd_bind_vertex_buffers(commands, 0, &buffers, &offsets);
            }
        }
    }

    fn place(&self, place: Place) -> (vk::Buffer, vk::DeviceSize) {
        (*self.buffers[place.buffer].handle, place.offset)
    }

    /// The counters that begin at a place, one a feedback buffer.
    fn counters(
        &self,
        feedback: &TransformFeedback,
        first: Option<Place>,
    ) -> (Vec<vk::Buffer>, Vec<vk::DeviceSize>) {
        let Some(Place { buffer, offset }) = first else { return Default::default() };
        let places = (0..feedback.buffers.len() as u64)
            .map(|index| Place { buffer, offset: offset + 4 * index });
        places.map(|place| self.place(place)).unzip()
    }

    fn begin_transform_feedback(&self, index: u32, feedback: &TransformFeedback) {
        let Some((extension, queries)) = self.transform_feedback() else { return };
        let commands = self.command_buffer;
        let places = feedback.buffers.iter().map(|range| {
            let (buffer, offset) = (range.buffer, range.offset);
            self.place(Place { buffer, offset })
        });
        let (buffers, offsets): (Vec<_>, Vec<_>) = places.unzip();
        let sizes = feedback.buffers.iter().map(|range| range.size).collect::<Vec<_>>();
        let (counters, counter_offsets) = self.counters(feedback, feedback.resume);

        // SAFETY: the arrays have as many elements as is said, and their ranges lie in their buffers.
        unsafe {
            (extension.cmd_bind_transform_feedback_buffers_ext)(
                commands,
                0,
                buffers.len() as u32,
                buffers.as_ptr(),
                offsets.as_ptr(),
                sizes.as_ptr(),
            );
            let flags = vk::QueryControlFlags::empty();
            (extension.cmd_begin_query_indexed_ext)(commands, queries, index, flags, STREAM);
            (extension.cmd_begin_transform_feedback_ext)(
                commands,
                0,
                counters.len() as u32,
                counters.as_ptr(),
                counter_offsets.as_ptr(),
            );
        }
    }

    fn end_transform_feedback(&self, index: u32, feedback: &TransformFeedback) {
        let Some((extension, queries)) = self.transform_feedback() else { return };
        let commands = self.command_buffer;
        let (counters, offsets) = self.counters(feedback, feedback.pause);

        // SAFETY: transform feedback and the query began before; the counters lie in their buffer.
        unsafe {
            (extension.cmd_end_transform_feedback_ext)(
                commands,
                0,
                counters.len() as u32,
                counters.as_ptr(),
                offsets.as_ptr(),
            );
            (extension.cmd_end_query_indexed_ext)(commands, queries, index, STREAM);
        }
    }

    /// The extension's functions and the queries: both are there if any draw captures.
    fn transform_feedback(
        &self,
    ) -> Option<(&ash::ext::transform_feedback::DeviceFn, vk::QueryPool)> {
        let extension = self.device.transform_feedback.as_ref()?;
        let queries = self.queries.as_ref()?;
        Some((extension.fp(), **queries))
    }
}
