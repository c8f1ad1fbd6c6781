//! Objects for small tests: a pass without attachments, and host-visible buffers.

use crate::graphics::{self, Drawing};
use crate::loader::Device;
use crate::objects::allocate;
use ash::vk;

/// A buffer, and a view of its 32-bit values for the host.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    words: *mut u32,
    count: usize,
}

impl Seen {
    /// Returns the values. No pending commands may write them.
    pub(crate) fn read(&self) -> Vec<u32> {
        // SAFETY: this number of 32-bit values is mapped.
        unsafe { std::slice::from_raw_parts(self.words, self.count).to_vec() }
    }

    /// Writes all values. No pending commands may use them.
    pub(crate) fn fill(&self, words: impl IntoIterator<Item = u32>) {
        for (at, word) in words.into_iter().take(self.count).enumerate() {
            // SAFETY: this number of 32-bit values is mapped.
            unsafe { self.words.add(at).write(word) };
        }
    }

    pub(crate) fn size(&self) -> u64 {
        4 * self.count as u64
    }
}

impl Device {
    /// Binds a transform feedback buffer.
    pub(crate) fn bind_target(&self, commands: vk::CommandBuffer, number: u32, target: &Seen) {
        let bind = self.feedback.fp().cmd_bind_transform_feedback_buffers_ext;
        // SAFETY: the buffer is alive, and no capture is active.
        unsafe { bind(commands, number, 1, &raw const target.buffer, &0, &target.size()) };
    }

    /// Captures draws without counters.
    pub(crate) fn capture(&self, commands: vk::CommandBuffer, draw: impl FnOnce()) {
        let (feedback, none) = (self.feedback.fp(), std::ptr::null());
        // SAFETY: a capturing pipeline is bound in a render pass.
        unsafe {
            (feedback.cmd_begin_transform_feedback_ext)(commands, 0, 0, none, none.cast());
            draw();
            (feedback.cmd_end_transform_feedback_ext)(commands, 0, 0, none, none.cast());
        }
    }
}

/// The objects, which are destroyed on drop.
pub(crate) struct Bare<'d> {
    pub(crate) device: &'d Device,
    pub(crate) pass: vk::RenderPass,
    pub(crate) layout: vk::PipelineLayout,
    framebuffer: vk::Framebuffer,
    commands: vk::CommandPool,
    buffers: Vec<Seen>,
    pipelines: Vec<vk::Pipeline>,
}

impl<'d> Bare<'d> {
    /// Creates the objects, with this number of push constant bytes in the layout.
    pub(crate) fn new(device: &'d Device, pushed: u32) -> Self {
        Self::of_views(device, pushed, 0)
    }

    /// Creates the objects for a multiview pass with this view mask.
    pub(crate) fn of_views(device: &'d Device, pushed: u32, view_mask: u32) -> Self {
        let vulkan = &device.handle;
        // SAFETY: all structures are valid.
        unsafe {
            let pass = graphics::pass(device, view_mask);
            let info =
                vk::FramebufferCreateInfo::default().render_pass(pass).width(1).height(1).layers(1);
            let range = [vk::PushConstantRange::default()
                .stage_flags(vk::ShaderStageFlags::VERTEX)
                .size(pushed)];
            let ranges = &range[..usize::from(pushed > 0)];
            let layout = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(ranges);
            Self {
                device,
                pass,
                layout: vulkan.create_pipeline_layout(&layout, None).expect("a layout"),
                framebuffer: vulkan.create_framebuffer(&info, None).expect("a framebuffer"),
                commands: vulkan.create_command_pool(&Default::default(), None).expect("a pool"),
                buffers: Vec::new(),
                pipelines: Vec::new(),
            }
        }
    }

    /// Creates a buffer of `count` 32-bit values, all 7.
    pub(crate) fn buffer(&mut self, usage: vk::BufferUsageFlags, count: usize) -> Seen {
        self.buffer_of(&vk::BufferCreateInfo::default().usage(usage), count)
    }

    pub(crate) fn buffer_of(&mut self, info: &vk::BufferCreateInfo<'_>, count: usize) -> Seen {
        let vulkan = &self.device.handle;
        let info = info.size(4 * count as u64);
        // SAFETY: the structures are valid, and the memory is coherent.
        unsafe {
            let buffer = vulkan.create_buffer(&info, None).expect("a buffer");
            let needs = vulkan.get_buffer_memory_requirements(buffer);
            let memory = allocate(self.device, needs, true);
            vulkan.bind_buffer_memory(buffer, memory, 0).expect("memory");
            let flags = vk::MemoryMapFlags::empty();
            let words = vulkan.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("it is mapped");
            let seen = Seen { buffer, memory, words: words.cast(), count };
            seen.fill(std::iter::repeat(7));
            self.buffers.push(seen);
            seen
        }
    }

    /// Creates a pipeline that captures without rasterization.
    pub(crate) fn pipeline(
        &mut self,
        source: &str,
        topology: vk::PrimitiveTopology,
        input: &vk::PipelineVertexInputStateCreateInfo<'_>,
    ) -> vk::Pipeline {
        self.pipeline_of(Drawing::new(&graphics::words(source), topology), input)
    }

    pub(crate) fn pipeline_of(
        &mut self,
        drawing: Drawing<'_>,
        input: &vk::PipelineVertexInputStateCreateInfo<'_>,
    ) -> vk::Pipeline {
        // SAFETY: all structures are valid.
        let made =
            unsafe { graphics::pipeline(self.device, &drawing, input, self.pass, self.layout) };
        let made = made.expect("a pipeline");
        self.pipelines.push(made);
        made
    }

    pub(crate) fn begin_pass(&self, commands: vk::CommandBuffer) {
        self.begin_pass_of(vk::SubpassContents::INLINE, commands);
    }

    pub(crate) fn begin_pass_of(&self, contents: vk::SubpassContents, commands: vk::CommandBuffer) {
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(graphics::area(1));
        // SAFETY: no render pass is active.
        unsafe { self.device.handle.cmd_begin_render_pass(commands, &begin, contents) };
    }

    pub(crate) fn allocate(&self, level: vk::CommandBufferLevel) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.commands)
            .level(level)
            .command_buffer_count(1);
        // SAFETY: the pool is alive, and only this thread uses it.
        unsafe { self.device.handle.allocate_command_buffers(&info) }.expect("commands")[0]
    }

    pub(crate) fn record(&self, record: impl FnOnce(vk::CommandBuffer)) -> vk::CommandBuffer {
        self.record_as(vk::CommandBufferUsageFlags::empty(), record)
    }

    pub(crate) fn record_as(
        &self,
        usage: vk::CommandBufferUsageFlags,
        record: impl FnOnce(vk::CommandBuffer),
    ) -> vk::CommandBuffer {
        let (vulkan, begin) = (&self.device.handle, vk::CommandBufferBeginInfo::default());
        let commands = self.allocate(vk::CommandBufferLevel::PRIMARY);
        // SAFETY: the command buffer is new.
        unsafe {
            vulkan.begin_command_buffer(commands, &begin.flags(usage)).expect("it begins");
            record(commands);
            vulkan.end_command_buffer(commands).expect("it ends");
        }
        commands
    }

    pub(crate) fn reset(&self) {
        let flags = vk::CommandPoolResetFlags::empty();
        // SAFETY: nothing is pending.
        unsafe { self.device.handle.reset_command_pool(self.commands, flags) }
            .expect("it is reset");
    }

    pub(crate) fn submit(&self, record: impl FnOnce(vk::CommandBuffer)) {
        let (vulkan, queue) = (&self.device.handle, self.device.queue);
        let commands = [self.record(record)];
        let submit = vk::SubmitInfo::default().command_buffers(&commands);
        // SAFETY: the commands are recorded, and nothing is pending.
        unsafe {
            vulkan.queue_submit(queue, &[submit], vk::Fence::null()).expect("it is submitted");
            vulkan.queue_wait_idle(queue).expect("it ends");
            vulkan.free_command_buffers(self.commands, &commands);
        }
    }
}

impl Drop for Bare<'_> {
    fn drop(&mut self) {
        let vulkan = &self.device.handle;
        // SAFETY: nothing is in use.
        unsafe {
            vulkan.destroy_command_pool(self.commands, None);
            for pipeline in &self.pipelines {
                vulkan.destroy_pipeline(*pipeline, None);
            }
            vulkan.destroy_pipeline_layout(self.layout, None);
            vulkan.destroy_framebuffer(self.framebuffer, None);
            vulkan.destroy_render_pass(self.pass, None);
            for Seen { buffer, memory, .. } in &self.buffers {
                vulkan.destroy_buffer(*buffer, None);
                vulkan.free_memory(*memory, None);
            }
        }
    }
}
