//! Records the commands of streams.

use super::case::{
    CallKind, Capture, Condition, MOST_CALLS, MOST_DRAWS, Place, StreamCall, lets_draw,
};
use super::pipelines::{ATTRIBUTES, BINDINGS, SIDE, STRIDE};
use super::scene::{ARGUMENT_WORDS, Buffer, OF_SECOND_STREAM, QUERIES, Scene};
use crate::objects::{FORMAT, WHOLE, memory_barrier, pixels};
use ash::vk::{self, AccessFlags as Access, PipelineStageFlags as Stage};

impl Scene<'_> {
    pub(super) unsafe fn record(&self) -> Vec<vk::CommandBuffer> {
        let vulkan = &self.able.device.handle;
        let primary = vk::CommandBufferLevel::PRIMARY;
        // SAFETY: all objects are alive, and the commands are valid usage.
        unsafe {
            let mut all = vec![self.bare.allocate(primary)];
            let mut commands = all[0];
            // The secondary command buffer that contains the whole pass, if any.
            let mut inner = None;
            self.begin(commands);
            self.prepare(commands);
            for (number, capture) in self.stream.captures.iter().enumerate() {
                let place = self.stream.place(number);
                if number > 0 && place != Place::Same {
                    self.end_pass(commands, inner.take());
                }
                if capture.own_commands {
                    self.end(commands);
                    commands = self.bare.allocate(primary);
                    all.push(commands);
                    self.begin(commands);
                }
                if place == Place::New {
                    self.wait_between(commands, number);
                }
                if place != Place::Same {
                    inner = self.stream.encloses(number).then(|| self.enclosing());
                    self.begin_pass(inner.unwrap_or(commands), number);
                }
                if capture.secondary {
                    let secondary = self.secondary(number, capture);
                    vulkan.cmd_execute_commands(commands, &[secondary]);
                } else {
                    self.capture(inner.unwrap_or(commands), number, capture);
                }
            }
            self.end_pass(commands, inner);
            self.stamp(commands, 1);
            self.wait(commands);
            self.copy_picture(commands);
            self.end(commands);
            all
        }
    }

    unsafe fn prepare(&self, commands: vk::CommandBuffer) {
        let vulkan = &self.able.device.handle;
        let layout = vk::ImageLayout::GENERAL;
        let to = |(src, dst), old| {
            vk::ImageMemoryBarrier::default()
                .src_access_mask(src)
                .dst_access_mask(dst)
                .old_layout(old)
                .new_layout(layout)
                .image(self.image)
                .subresource_range(WHOLE)
        };
        let (all, transfer) = (Stage::ALL_COMMANDS, Stage::TRANSFER);
        let flags = vk::DependencyFlags::empty();
        let cleared = Access::TRANSFER_WRITE;
        let drawn = Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE;
        let before = to((Access::MEMORY_WRITE, cleared), vk::ImageLayout::UNDEFINED);
        let behind = to((cleared, drawn), layout);
        let output = Stage::COLOR_ATTACHMENT_OUTPUT;
        let colour = vk::ClearColorValue::default();
        // SAFETY: no render pass is active.
        unsafe {
            for pool in [self.queries, self.stamps].into_iter().chain(self.generated) {
                vulkan.cmd_reset_query_pool(commands, pool, 0, QUERIES);
            }
            self.stamp(commands, 0);
            vulkan.cmd_pipeline_barrier(commands, all, transfer, flags, &[], &[], &[before]);
            vulkan.cmd_clear_color_image(commands, self.image, layout, &colour, &[WHOLE]);
            vulkan.cmd_pipeline_barrier(commands, transfer, output, flags, &[], &[], &[behind]);
        }
    }

    unsafe fn copy_picture(&self, commands: vk::CommandBuffer) {
        let vulkan = &self.able.device.handle;
        let region = pixels(SIDE);
        let drawn = [memory_barrier(Access::COLOR_ATTACHMENT_WRITE, Access::TRANSFER_READ)];
        let copied = [memory_barrier(Access::TRANSFER_WRITE, Access::HOST_READ)];
        let (output, transfer) = (Stage::COLOR_ATTACHMENT_OUTPUT, Stage::TRANSFER);
        let flags = vk::DependencyFlags::empty();
        let (layout, to) = (vk::ImageLayout::GENERAL, self.of(Buffer::Pixels));
        // SAFETY: no render pass is active.
        unsafe {
            vulkan.cmd_pipeline_barrier(commands, output, transfer, flags, &drawn, &[], &[]);
            vulkan.cmd_copy_image_to_buffer(commands, self.image, layout, to, &[region]);
            vulkan.cmd_pipeline_barrier(commands, transfer, Stage::HOST, flags, &copied, &[], &[]);
        }
    }

    unsafe fn begin_pass(&self, commands: vk::CommandBuffer, number: usize) {
        let vulkan = &self.able.device.handle;
        let extent = vk::Extent2D { width: SIDE, height: SIDE };
        let area = vk::Rect2D { extent, ..Default::default() };
        let targets = [vk::RenderingAttachmentInfo::default()
            .image_view(self.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let rendering = vk::RenderingInfo::default()
            .flags(self.stream.rendering(number))
            .render_area(area)
            .layer_count(1)
            .color_attachments(&targets);
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(area);
        let contents = match self.stream.captures[number].secondary {
            true => vk::SubpassContents::SECONDARY_COMMAND_BUFFERS,
            false => vk::SubpassContents::INLINE,
        };
        // SAFETY: the attachments are alive.
        unsafe {
            match self.stream.look.dynamic_rendering {
                true => vulkan.cmd_begin_rendering(commands, &rendering),
                false => vulkan.cmd_begin_render_pass(commands, &begin, contents),
            }
        }
    }

    /// Ends a pass, and executes the secondary command buffer that contains it, if any.
    unsafe fn end_pass(&self, commands: vk::CommandBuffer, inner: Option<vk::CommandBuffer>) {
        let vulkan = &self.able.device.handle;
        // SAFETY: a render pass is active.
        unsafe {
            match self.stream.look.dynamic_rendering {
                true => vulkan.cmd_end_rendering(inner.unwrap_or(commands)),
                false => vulkan.cmd_end_render_pass(commands),
            }
            if let Some(inner) = inner {
                vulkan.end_command_buffer(inner).expect("it ends");
                vulkan.cmd_execute_commands(commands, &[inner]);
            }
        }
    }

    /// Begins a secondary command buffer for a whole pass.
    unsafe fn enclosing(&self) -> vk::CommandBuffer {
        let inherited = vk::CommandBufferInheritanceInfo::default();
        let begin =
            vk::CommandBufferBeginInfo::default().flags(self.usage()).inheritance_info(&inherited);
        // SAFETY: the command buffer is new.
        unsafe {
            let inner = self.bare.allocate(vk::CommandBufferLevel::SECONDARY);
            self.able.device.handle.begin_command_buffer(inner, &begin).expect("it begins");
            inner
        }
    }

    /// Records a secondary command buffer with a capture.
    unsafe fn secondary(&self, number: usize, capture: &Capture) -> vk::CommandBuffer {
        let vulkan = &self.able.device.handle;
        let formats = [FORMAT];
        let flags = self.stream.rendering(number);
        let mut rendering = vk::CommandBufferInheritanceRenderingInfo::default()
            .flags(flags & !vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS)
            .color_attachment_formats(&formats)
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let inherited = match self.stream.look.dynamic_rendering {
            true => vk::CommandBufferInheritanceInfo::default().push_next(&mut rendering),
            false => vk::CommandBufferInheritanceInfo::default()
                .render_pass(self.pass)
                .framebuffer(self.framebuffer),
        };
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE | self.usage())
            .inheritance_info(&inherited);
        // SAFETY: all objects are alive, and the commands are valid usage.
        unsafe {
            let secondary = self.bare.allocate(vk::CommandBufferLevel::SECONDARY);
            vulkan.begin_command_buffer(secondary, &begin).expect("it begins");
            self.capture(secondary, number, capture);
            vulkan.end_command_buffer(secondary).expect("it ends");
            secondary
        }
    }

    unsafe fn capture(&self, commands: vk::CommandBuffer, number: usize, capture: &Capture) {
        let vulkan = &self.able.device.handle;
        let feedback = self.able.device.feedback.fp();
        let counters = |there: bool| match there {
            true => [self.of(Buffer::Counters), vk::Buffer::null(), self.of(Buffer::Counters)],
            false => [vk::Buffer::null(); 3],
        };
        let (begin, end) = (counters(capture.resumes), counters(capture.saves));
        let offsets = [8_u64, 0, 20];
        let targets = match capture.fed {
            true => [Buffer::ThirdTarget, Buffer::FourthTarget],
            false => [Buffer::FirstTarget, Buffer::SecondTarget],
        };
        let targets = targets.map(|buffer| self.of(buffer));
        let [first, second] = self.stream.sizes;
        let zero = 0_u64;
        let (number, none) = (number as u32, vk::QueryControlFlags::empty());
        let pools = [self.queries].into_iter().chain(self.generated);
        let of_second = (self.queries, OF_SECOND_STREAM + number, 1);
        let of_second = self.stream.has_streams().then_some(of_second);
        let queries = pools.map(|pool| (pool, number, 0)).chain(of_second);
        // SAFETY: all objects are alive, and the commands are valid usage.
        unsafe {
            // Bind the state, begin the queries and the capture.
            let pipeline = self.pipelines[0];
            vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            self.bind_attributes(commands, capture.fed);
            let width = self.stream.look.index_type;
            let (indices, offset) = (self.of(Buffer::Indices), self.stream.index_offset);
            vulkan.cmd_bind_index_buffer(commands, indices, offset, width);
            let bind = feedback.cmd_bind_transform_feedback_buffers_ext;
            bind(commands, 0, 1, &raw const targets[0], &raw const zero, &raw const first);
            bind(commands, 2, 1, &raw const targets[1], &raw const offsets[0], &raw const second);
            for (pool, query, stream) in queries.clone() {
                (feedback.cmd_begin_query_indexed_ext)(commands, pool, query, none, stream);
            }
            let begins = feedback.cmd_begin_transform_feedback_ext;
            begins(commands, 0, 3, begin.as_ptr(), offsets.as_ptr());
            // Record the draws, then end in reverse order.
            for call in &capture.calls {
                self.call(commands, call);
            }
            let ends = feedback.cmd_end_transform_feedback_ext;
            ends(commands, 0, 3, end.as_ptr(), offsets.as_ptr());
            for (pool, query, stream) in queries {
                (feedback.cmd_end_query_indexed_ext)(commands, pool, query, stream);
            }
        }
    }

    unsafe fn bind_attributes(&self, commands: vk::CommandBuffer, is_fed: bool) {
        let vulkan = &self.able.device.handle;
        let look = &self.stream.look;
        let of_vertices = if is_fed { Buffer::FirstTarget } else { Buffer::Vertices };
        let buffers = [self.of(of_vertices), self.of(Buffer::Instances)];
        let offsets = [8, 16];
        let strides = [u64::from(STRIDE); 2];
        let attributes = ATTRIBUTES.map(|(location, binding, format, offset)| {
            vk::VertexInputAttributeDescription2EXT::default()
                .location(location)
                .binding(binding)
                .format(format)
                .offset(offset)
        });
        let bindings = BINDINGS.map(|(binding, input_rate)| {
            vk::VertexInputBindingDescription2EXT::default()
                .binding(binding)
                .stride(STRIDE)
                .input_rate(input_rate)
                .divisor(match input_rate {
                    vk::VertexInputRate::INSTANCE => look.divisor.unwrap_or(1),
                    _ => 1,
                })
        });
        // SAFETY: the buffers are alive, and the commands set dynamic state.
        unsafe {
            if look.dynamic_input {
                let input = &self.able.vertex_input;
                input.cmd_set_vertex_input(commands, &bindings, &attributes);
            }
            if look.dynamic && !look.dynamic_input {
                let strides = Some(&strides[..]);
                vulkan.cmd_bind_vertex_buffers2(commands, 0, &buffers, &offsets, None, strides);
            } else {
                vulkan.cmd_bind_vertex_buffers(commands, 0, &buffers, &offsets);
            }
        }
    }

    unsafe fn call(&self, commands: vk::CommandBuffer, call: &StreamCall) {
        let vulkan = &self.able.device.handle;
        let added = (call.number as u32 * 10_000).to_ne_bytes();
        let stage = vk::ShaderStageFlags::VERTEX;
        // SAFETY: the commands set dynamic state.
        unsafe {
            vulkan.cmd_push_constants(commands, self.layout, stage, 0, &added);
            if self.stream.look.dynamic {
                vulkan.cmd_set_primitive_topology(commands, call.topology);
                vulkan.cmd_set_primitive_restart_enable(commands, self.stream.look.restart);
                vulkan.cmd_set_rasterizer_discard_enable(commands, call.discard);
            }
            match call.condition {
                Some(condition) if self.begin_condition(commands, condition, call.number) => {
                    self.draw(commands, call);
                    self.end_condition(commands);
                }
                Some(condition) if !lets_draw(condition) => {}
                _ if self.is_left_out() => {}
                _ => self.draw(commands, call),
            }
        }
    }

    /// Returns whether the condition prevents all draws, if the device lacks conditional rendering.
    fn is_left_out(&self) -> bool {
        self.able.conditional.is_none() && self.stream.condition.is_some_and(|it| !lets_draw(it))
    }

    /// Begins conditional rendering with this predicate. Returns false if the device lacks it.
    unsafe fn begin_condition(
        &self,
        commands: vk::CommandBuffer,
        (_, inverted): Condition,
        word: usize,
    ) -> bool {
        let Some(conditional) = &self.able.conditional else { return false };
        let flags = match inverted {
            true => vk::ConditionalRenderingFlagsEXT::INVERTED,
            false => vk::ConditionalRenderingFlagsEXT::empty(),
        };
        let begin = vk::ConditionalRenderingBeginInfoEXT::default()
            .buffer(self.of(Buffer::Predicates))
            .offset(4 * word as u64)
            .flags(flags);
        // SAFETY: no conditional rendering is active, and the buffer is alive.
        unsafe {
            (conditional.fp().cmd_begin_conditional_rendering_ext)(commands, &raw const begin);
        }
        true
    }

    unsafe fn end_condition(&self, commands: vk::CommandBuffer) {
        if let Some(conditional) = &self.able.conditional {
            // SAFETY: conditional rendering is active.
            unsafe { (conditional.fp().cmd_end_conditional_rendering_ext)(commands) };
        }
    }

    /// Begins a primary command buffer, and conditional rendering in it if the stream has a condition.
    unsafe fn begin(&self, commands: vk::CommandBuffer) {
        let vulkan = &self.able.device.handle;
        // SAFETY: the command buffer is not being recorded.
        unsafe {
            let begin = vk::CommandBufferBeginInfo::default().flags(self.usage());
            vulkan.begin_command_buffer(commands, &begin).expect("it begins");
            if let Some(condition) = self.stream.condition {
                self.begin_condition(commands, condition, MOST_CALLS);
            }
        }
    }

    fn usage(&self) -> vk::CommandBufferUsageFlags {
        match self.stream.simultaneous {
            true => vk::CommandBufferUsageFlags::SIMULTANEOUS_USE,
            false => vk::CommandBufferUsageFlags::empty(),
        }
    }

    unsafe fn end(&self, commands: vk::CommandBuffer) {
        // SAFETY: the command buffer is being recorded, and no render pass is active.
        unsafe {
            if self.stream.condition.is_some() {
                self.end_condition(commands);
            }
            self.able.device.handle.end_command_buffer(commands).expect("it ends");
        }
    }

    /// Records a draw. If the driver lacks the command for it, records equivalent commands.
    unsafe fn draw(&self, commands: vk::CommandBuffer, call: &StreamCall) {
        let vulkan = &self.able.device.handle;
        let (instances, base) = (call.instances, call.first_instance);
        let stride = 4 * ARGUMENT_WORDS as u32;
        let (arguments, at) =
            (self.of(Buffer::Arguments), u64::from(stride) * (call.number * MOST_DRAWS) as u64);
        let (counts, counted_at) = (self.of(Buffer::Counts), 4 * call.number as u64);
        let most = call.draws.len() as u32;
        let is_by_host = self.able.is_native && self.stream.has_wrong_indices();
        let numbered = self.stream.look.numbered;
        let kind = match call.kind {
            // All draws of these commands must have the same draw index.
            CallKind::IndexedIndirect if is_by_host && numbered => CallKind::MultiIndexed,
            CallKind::IndexedIndirect if is_by_host => CallKind::Indexed,
            kind => kind,
        };
        let plain = call.draws.iter().map(|draw| vk::MultiDrawInfoEXT {
            first_vertex: draw.first,
            vertex_count: draw.count,
        });
        let indexed = call.draws.iter().map(|draw| vk::MultiDrawIndexedInfoEXT {
            first_index: draw.first,
            index_count: draw.count,
            vertex_offset: draw.offset,
        });
        // SAFETY: all objects are alive, and the commands are valid usage.
        unsafe {
            match (kind, &self.able.multi) {
                (CallKind::Multi, Some(multi)) => {
                    let all: Vec<_> = plain.collect();
                    let size = size_of::<vk::MultiDrawInfoEXT>() as u32;
                    let draw = multi.fp().cmd_draw_multi_ext;
                    draw(commands, most, all.as_ptr(), instances, base, size);
                }
                (CallKind::MultiIndexed, Some(multi)) => {
                    let all: Vec<_> = indexed.collect();
                    let size = size_of::<vk::MultiDrawIndexedInfoEXT>() as u32;
                    let draw = multi.fp().cmd_draw_multi_indexed_ext;
                    let none = std::ptr::null();
                    draw(commands, most, all.as_ptr(), instances, base, size, none);
                }
                (CallKind::Direct | CallKind::Multi, _) => {
                    for one in plain {
                        let (count, first) = (one.vertex_count, one.first_vertex);
                        vulkan.cmd_draw(commands, count, instances, first, base);
                    }
                }
                (CallKind::IndexedIndirect, _) => {
                    vulkan.cmd_draw_indexed_indirect(commands, arguments, at, most, stride);
                }
                (CallKind::Indexed | CallKind::MultiIndexed, _) => {
                    for one in indexed {
                        let (count, first, offset) =
                            (one.index_count, one.first_index, one.vertex_offset);
                        vulkan.cmd_draw_indexed(commands, count, instances, first, offset, base);
                    }
                }
                (CallKind::Indirect, _) => {
                    vulkan.cmd_draw_indirect(commands, arguments, at, most, stride);
                }
                (CallKind::Counted, _) if self.able.counts_draws => vulkan.cmd_draw_indirect_count(
                    commands, arguments, at, counts, counted_at, most, stride,
                ),
                (CallKind::Counted, _) => {
                    let most = most.min(call.counted);
                    vulkan.cmd_draw_indirect(commands, arguments, at, most, stride);
                }
                (CallKind::Bytes, _) => {
                    let draw = self.able.device.feedback.fp().cmd_draw_indirect_byte_count_ext;
                    draw(commands, instances, base, self.of(Buffer::Counters), 8, 0, 12);
                }
            }
        }
    }
}
