//! Records the commands of a submission.

use crate::error::{Context, Error};
use crate::image::Image;
use crate::run::{DrawObjects, Objects, STREAM};
use crate::texture::Fill;
use crate::work::{Draw, Indices, Place, Range, TransformFeedback, Work};
use ash::ext::transform_feedback::DeviceFn;
use ash::vk;
use std::ops;

impl Objects<'_> {
    /// Records the draws, and waits for everything after each draw.
    pub(crate) fn record(&self, work: &Work<'_>) -> Result<(), Error> {
        let (commands, counters) = (self.command_buffer, self.counters.as_ref());
        self.record_with(|| {
            if let Some(counters) = counters {
                counters.reset(commands);
            }
            if let Some(queries) = &self.queries {
                let (pool, count) = (**queries, work.draws.len() as u32);
                let device = &self.device.handle;
                // SAFETY: the pool has one query for each draw.
                unsafe { device.cmd_reset_query_pool(commands, pool, 0, count) };
            }
            if let Some(timestamps) = &self.timestamps {
                timestamps.begin(commands);
            }
            for (index, draw) in (0..).zip(&work.draws) {
                if let Some(counters) = counters {
                    counters.begin(commands, index);
                }
                self.draw(index, draw);
                if let Some(counters) = counters {
                    counters.end(commands, index);
                }
                self.wait_for_everything();
            }
            if let Some(timestamps) = &self.timestamps {
                timestamps.end(commands);
            }
        })
    }

    /// Records the fills of textures and targets, then the commands of `between`, then the copies to host-readable
    /// memory.
    pub(crate) fn record_with(&self, between: impl FnOnce()) -> Result<(), Error> {
        let (device, commands) = (&self.device.handle, self.command_buffer);
        let info = vk::CommandBufferBeginInfo::default();
        // SAFETY: the command buffer is new and not shared.
        unsafe { device.begin_command_buffer(commands, &info) }.call("vkBeginCommandBuffer")?;

        let images = || self.textures.iter().chain(&self.images);
        images().for_each(|image| self.fill(image));
        self.wait_for_everything();
        // The draws.
        between();
        self.wait_for_everything();
        images().filter(|image| image.is_read).for_each(|image| self.read(image));
        self.wait_for_everything();

        // SAFETY: recording began above.
        unsafe { device.end_command_buffer(commands) }.call("vkEndCommandBuffer")
    }

    /// Makes all previous writes visible to all later commands and to the host.
    fn wait_for_everything(&self) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        self.wait(
            (Stage::ALL_COMMANDS, Access::MEMORY_WRITE),
            (Stage::ALL_COMMANDS | Stage::HOST, Access::MEMORY_READ | Access::MEMORY_WRITE),
        );
    }

    /// Records a barrier from stages and accesses to stages and accesses.
    pub(crate) fn wait(
        &self,
        from: (vk::PipelineStageFlags, vk::AccessFlags),
        to: (vk::PipelineStageFlags, vk::AccessFlags),
    ) {
        let barrier = vk::MemoryBarrier::default().src_access_mask(from.1).dst_access_mask(to.1);
        let (commands, none) = (self.command_buffer, vk::DependencyFlags::empty());
        let device = &self.device.handle;
        // SAFETY: recorded outside of render passes only, if plans are correct.
        unsafe {
            device.cmd_pipeline_barrier(commands, from.0, to.0, none, &[barrier], &[], &[]);
        }
    }

    /// Transitions an image to its permanent layout, before a transfer fills it.
    fn enter(&self, image: vk::Image, subresources: vk::ImageSubresourceRange) {
        let barriers = [vk::ImageMemoryBarrier::default()
            .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image)
            .subresource_range(subresources)];
        // SAFETY: recorded outside of render passes.
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
        }
    }

    /// Fills an image with one value, or with texels from its buffer.
    fn fill(&self, image: &Image<'_>) {
        let (device, commands) = (&self.device.handle, self.command_buffer);
        let (handle, layout) = (*image.handle, vk::ImageLayout::GENERAL);
        let all = [image.subresources];
        self.enter(handle, image.subresources);
        // SAFETY: recorded outside of render passes; the image has transfer destination usage, and the buffer of a
        // copy contains all texels.
        unsafe {
            match &image.fill {
                Some(Fill::Colour(colour)) => {
                    device.cmd_clear_color_image(commands, handle, layout, colour, &all);
                }
                Some(Fill::Depth(depth)) => {
                    let value = vk::ClearDepthStencilValue { depth: *depth, stencil: 0 };
                    device.cmd_clear_depth_stencil_image(commands, handle, layout, &value, &all);
                }
                None => {
                    let (from, copies) = (*image.texels.handle, &image.copies);
                    device.cmd_copy_buffer_to_image(commands, from, handle, layout, copies);
                }
            }
        }
    }

    /// Copies an image to host-readable memory.
    fn read(&self, image: &Image<'_>) {
        let (device, commands) = (&self.device.handle, self.command_buffer);
        let (from, layout) = (*image.handle, vk::ImageLayout::GENERAL);
        let (to, copies) = (*image.texels.handle, &image.copies);
        // SAFETY: the image has transfer source usage, and the buffer has the size of all its texels.
        unsafe { device.cmd_copy_image_to_buffer(commands, from, layout, to, copies) };
    }

    fn draw(&self, index: u32, draw: &Draw<'_>) {
        let (device, commands) = (&self.device.handle, self.command_buffer);
        let objects = &self.draws[index as usize];
        self.bind(objects, draw);
        if let Some([x, y, z]) = draw.dispatch {
            // SAFETY: everything that the pipeline needs is bound, and no render pass is active.
            unsafe { device.cmd_dispatch(commands, x, y, z) };
            return;
        }
        // The render pass, transform feedback inside the pass, and the draw.
        if draw.reads.local {
            self.begin_rendering(
                objects.area(),
                draw.targets(),
                draw.depth.map(|test| test.target),
            );
        } else {
            let render_pass = self.pipelines[objects.pipeline].render_pass;
            self.begin_pass(render_pass, *objects.framebuffer, objects.area());
        }
        if let Some(feedback) = &draw.transform_feedback {
            self.begin_transform_feedback(index, feedback);
        }
        if let Some(indices) = &draw.indices {
            self.draw_indexed(indices, &draw.instances);
        } else {
            let (vertices, instances) = (&draw.vertices, &draw.instances);
            let counts = [vertices, instances].map(|range| range.len() as u32);
            let (first, first_instance) = (vertices.start, instances.start);
            // SAFETY: everything that the pipeline needs is bound.
            unsafe { device.cmd_draw(commands, counts[0], counts[1], first, first_instance) };
        }
        if let Some(feedback) = &draw.transform_feedback {
            self.end_transform_feedback(index, feedback);
        }
        // SAFETY: rendering began above.
        unsafe {
            if draw.reads.local {
                device.cmd_end_rendering(commands);
            } else {
                device.cmd_end_render_pass(commands);
            }
        }
    }

    pub(crate) fn bind_indices(&self, indices: &Indices) {
        let (device, commands) = (&self.device.handle, self.command_buffer);
        let (buffer, offset) = self.place(indices.place);
        // SAFETY: the place is inside its buffer.
        unsafe { device.cmd_bind_index_buffer(commands, buffer, offset, indices.index_type) };
    }

    pub(crate) fn draw_indexed(&self, indices: &Indices, instances: &ops::Range<u32>) {
        self.bind_indices(indices);
        let (device, commands) = (&self.device.handle, self.command_buffer);
        let (count, first_instance) = (instances.len() as u32, instances.start);
        let &Indices { count: indices, first, vertex_offset, .. } = indices;
        // SAFETY: everything that the pipeline needs is bound.
        unsafe {
            device.cmd_draw_indexed(commands, indices, count, first, vertex_offset, first_instance);
        }
    }

    pub(crate) fn begin_pass(
        &self,
        render_pass: vk::RenderPass,
        framebuffer: vk::Framebuffer,
        area: vk::Rect2D,
    ) {
        let pass = vk::RenderPassBeginInfo::default()
            .render_pass(render_pass)
            .framebuffer(framebuffer)
            .render_area(area);
        let (device, commands) = (&self.device.handle, self.command_buffer);
        // SAFETY: the framebuffer was created for this render pass.
        unsafe { device.cmd_begin_render_pass(commands, &pass, vk::SubpassContents::INLINE) };
    }

    /// Begins rendering to targets without a render pass object; the targets keep their contents.
    pub(crate) fn begin_rendering(
        &self,
        area: vk::Rect2D,
        colours: impl Iterator<Item = usize>,
        depth: Option<usize>,
    ) {
        let attached = |target: usize| {
            vk::RenderingAttachmentInfo::default()
                .image_view(*self.images[target].view)
                .image_layout(vk::ImageLayout::GENERAL)
                .load_op(vk::AttachmentLoadOp::LOAD)
                .store_op(vk::AttachmentStoreOp::STORE)
        };
        let colours: Vec<_> = colours.map(attached).collect();
        let depth = depth.map(attached);
        let mut begin = vk::RenderingInfo::default()
            .render_area(area)
            .layer_count(1)
            .color_attachments(&colours);
        if let Some(depth) = &depth {
            begin = begin.depth_attachment(depth);
        }
        // SAFETY: `check` found that the device supports the feature, and the views are those of targets.
        unsafe { self.device.handle.cmd_begin_rendering(self.command_buffer, &begin) };
    }

    pub(crate) fn bind(&self, objects: &DrawObjects<'_>, draw: &Draw<'_>) {
        let (device, commands) = (&self.device.handle, self.command_buffer);
        let pipeline = &self.pipelines[objects.pipeline];
        let (point, stages) = match draw.dispatch {
            Some(_) => (vk::PipelineBindPoint::COMPUTE, vk::ShaderStageFlags::COMPUTE),
            None => (vk::PipelineBindPoint::GRAPHICS, vk::ShaderStageFlags::ALL_GRAPHICS),
        };
        let sets = &objects.sets.handles;
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
            device.cmd_bind_pipeline(commands, point, pipeline.handle);
            device.cmd_set_viewport(commands, 0, &[viewport]);
            device.cmd_set_scissor(commands, 0, &[scissor]);
            if !sets.is_empty() {
                let layout = pipeline.layout;
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, sets, &[]);
            }
            if !objects.push_constants.is_empty() {
                let constants = &objects.push_constants;
                device.cmd_push_constants(commands, pipeline.layout, stages, 0, constants);
            }
            if !buffers.is_empty() {
                device.cmd_bind_vertex_buffers(commands, 0, &buffers, &offsets);
            }
        }
    }

    pub(crate) fn place(&self, place: Place) -> (vk::Buffer, vk::DeviceSize) {
        (*self.buffers[place.buffer].handle, place.offset)
    }

    /// Begins to capture the draw with this index, and to count its primitives.
    fn begin_transform_feedback(&self, index: u32, feedback: &TransformFeedback) {
        let Some((extension, queries)) = self.transform_feedback() else { return };
        let flags = vk::QueryControlFlags::empty();
        self.bind_feedback(0, &feedback.buffers);
        // SAFETY: the query was reset.
        unsafe {
            let begin = extension.cmd_begin_query_indexed_ext;
            begin(self.command_buffer, queries, index, flags, STREAM);
        }
        let begin = extension.cmd_begin_transform_feedback_ext;
        self.switch_feedback(begin, &counters(feedback, feedback.resume));
    }

    fn end_transform_feedback(&self, index: u32, feedback: &TransformFeedback) {
        let Some((extension, queries)) = self.transform_feedback() else { return };
        let end = extension.cmd_end_transform_feedback_ext;
        self.switch_feedback(end, &counters(feedback, feedback.pause));
        // SAFETY: the query has begun.
        unsafe {
            (extension.cmd_end_query_indexed_ext)(self.command_buffer, queries, index, STREAM);
        }
    }

    /// The functions of the extension and the query pool; both exist if any draw captures.
    fn transform_feedback(&self) -> Option<(&DeviceFn, vk::QueryPool)> {
        let extension = self.device.transform_feedback.as_ref()?;
        let queries = self.queries.as_ref()?;
        Some((extension.fp(), **queries))
    }

    /// Binds feedback buffers from number `first` on, if the device has the extension.
    pub(crate) fn bind_feedback(&self, first: u32, ranges: &[Range]) {
        let Some(extension) = &self.device.transform_feedback else { return };
        let places = ranges.iter().map(|range| {
            let (buffer, offset) = (range.buffer, range.offset);
            self.place(Place { buffer, offset })
        });
        let (buffers, offsets): (Vec<_>, Vec<_>) = places.unzip();
        let sizes = ranges.iter().map(|range| range.size).collect::<Vec<_>>();
        // SAFETY: the arrays have the given number of elements, and the ranges are inside their buffers.
        unsafe {
            (extension.fp().cmd_bind_transform_feedback_buffers_ext)(
                self.command_buffer,
                first,
                ranges.len() as u32,
                buffers.as_ptr(),
                offsets.as_ptr(),
                sizes.as_ptr(),
            );
        }
    }

    /// Begins or ends transform feedback with these counters, one for each feedback buffer.
    pub(crate) fn switch_feedback(
        &self,
        command: vk::PFN_vkCmdBeginTransformFeedbackEXT,
        counters: &[Option<Place>],
    ) {
        let counter = |place: &Option<Place>| {
            place.map_or((vk::Buffer::null(), 0), |place| self.place(place))
        };
        let (buffers, offsets): (Vec<_>, Vec<_>) = counters.iter().map(counter).unzip();
        let (count, buffers) = (buffers.len() as u32, buffers.as_ptr());
        // SAFETY: the arrays have the given number of elements, and the counters are inside their buffers.
        unsafe { command(self.command_buffer, 0, count, buffers, offsets.as_ptr()) };
    }
}

/// Returns the places of the counters from `first` on, one for each feedback buffer.
fn counters(feedback: &TransformFeedback, first: Option<Place>) -> Vec<Option<Place>> {
    let Some(Place { buffer, offset }) = first else { return Vec::new() };
    let offsets = (0..feedback.buffers.len() as u64).map(|index| offset + 4 * index);
    offsets.map(|offset| Some(Place { buffer, offset })).collect()
}
