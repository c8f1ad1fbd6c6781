//! Captures a triangle with all commands of `VK_EXT_transform_feedback` around it.

mod many;
mod often;

pub(crate) use many::capture_behind;
pub(crate) use often::capture_often;

use crate::loader::{Device, Instance};
use crate::objects::{allocate, cleared_attachment, framebuffer, image, memory_barrier, pixels};
use ash::vk;
use polyshade_formats::{ShaderStage, SpirvVersion, compile};

pub(crate) struct Drawn {
    pub(crate) pixels: Vec<u32>,
    pub(crate) captured: Vec<u32>,
    /// The results of two queries, only one of which was begun: written, needed, availability.
    pub(crate) results: Vec<u32>,
    /// The same results, copied by a command with a stride of 16 bytes.
    pub(crate) copied: Vec<u32>,
}

const SIZE: u32 = 4;

/// A shader whose output is captured.
pub(crate) const VERTEX: &str = "#version 450
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out uint number;
void main() {
    number = gl_VertexIndex;
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1, 0, 1);
}";

const FRAGMENT: &str = "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(0, 1, 0, 1); }";

/// The objects of a test, which are destroyed at its end.
struct Scene<'d> {
    device: &'d Device,
    target: vk::Buffer,
    counter: vk::Buffer,
    pixels: vk::Buffer,
    copied: vk::Buffer,
    memory: Vec<(vk::Buffer, vk::DeviceMemory)>,
    image: vk::Image,
    image_memory: vk::DeviceMemory,
    view: vk::ImageView,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    queries: vk::QueryPool,
    commands: vk::CommandPool,
}

pub(crate) fn draw(instance: &Instance, driver: &str) -> Drawn {
    let device = instance.device(driver, true).expect("a device with transform feedback");
    // SAFETY: the scene is created, drawn, waited for, read and destroyed in this order.
    unsafe {
        let scene = Scene::new(&device);
        scene.submit(|commands| scene.record(commands));
        let flags = vk::QueryResultFlags::WITH_AVAILABILITY;
        let mut results = [[7_u32; 3]; 2];
        device
            .handle
            .get_query_pool_results(scene.queries, 0, &mut results, flags)
            .expect("results");
        let drawn = Drawn {
            pixels: scene.read(scene.pixels),
            captured: scene.read(scene.target),
            results: results.concat(),
            copied: scene.read(scene.copied)[..8].to_vec(),
        };
        scene.destroy();
        drawn
    }
}

/// Captures on these queues, with one command buffer for all queues or one per queue. Returns the captured values.
pub(crate) fn capture_on(device: &Device, queues: &[vk::Queue], simultaneous: bool) -> Vec<u32> {
    let vulkan = &device.handle;
    let usage = match simultaneous {
        true => vk::CommandBufferUsageFlags::SIMULTANEOUS_USE,
        false => vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT,
    };
    let begin = vk::CommandBufferBeginInfo::default().flags(usage);
    // SAFETY: as above; `device_wait_idle` waits for all queues.
    unsafe {
        let scene = Scene::new(device);
        let record = || {
            let commands = scene.allocate(vk::CommandBufferLevel::PRIMARY);
            vulkan.begin_command_buffer(commands, &begin).expect("it begins");
            scene.record(commands);
            vulkan.end_command_buffer(commands).expect("it ends");
            commands
        };
        let mut commands = record();
        // A simultaneous command buffer is submitted to all queues at once.
        for (number, queue) in queues.iter().enumerate() {
            if number > 0 && !simultaneous {
                commands = record();
            }
            let commands = [commands];
            let submit = vk::SubmitInfo::default().command_buffers(&commands);
            let none = vk::Fence::null();
            vulkan.queue_submit(*queue, &[submit], none).expect("it is submitted");
        }
        vulkan.device_wait_idle().expect("it ends");
        let captured = scene.read(scene.target);
        scene.destroy();
        captured
    }
}

static BYTES: u64 = 64;

static CLEAR: [vk::ClearValue; 1] =
    [vk::ClearValue { color: vk::ClearColorValue { float32: [0.0; 4] } }];

static ZERO: u64 = 0;

impl<'d> Scene<'d> {
    unsafe fn new(device: &'d Device) -> Self {
        use vk::BufferUsageFlags as Usage;
        // SAFETY: all structures are valid.
        unsafe {
            let mut memory = Vec::new();
            let mut buffer = |usage| {
                let info = vk::BufferCreateInfo::default().size(BYTES).usage(usage);
                let buffer = device.handle.create_buffer(&info, None).expect("a buffer");
                let needs = device.handle.get_buffer_memory_requirements(buffer);
                let own = allocate(device, needs, true);
                device.handle.bind_buffer_memory(buffer, own, 0).expect("memory");
                memory.push((buffer, own));
                fill(device, own);
                buffer
            };
            let target = buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT);
            let counter = buffer(
                Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT
                    | Usage::INDIRECT_BUFFER
                    | Usage::TRANSFER_DST,
            );
            let pixels = buffer(Usage::TRANSFER_DST);
            let copied = buffer(Usage::TRANSFER_DST);
            // Objects to draw with.
            let (image, image_memory, view) = image(device, SIZE, vk::ImageUsageFlags::empty());
            let pass = pass(device);
            let framebuffer = framebuffer(device, pass, view, SIZE);
            let layout =
                device.handle.create_pipeline_layout(&Default::default(), None).expect("a layout");
            let pipeline = pipeline(device, pass, layout);
            let info = vk::QueryPoolCreateInfo::default()
                .query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)
                .query_count(2);
            let queries = device.handle.create_query_pool(&info, None).expect("queries");
            let commands =
                device.handle.create_command_pool(&Default::default(), None).expect("commands");
            Self {
                device,
                target,
                counter,
                pixels,
                copied,
                memory,
                image,
                image_memory,
                view,
                pass,
                framebuffer,
                layout,
                pipeline,
                queries,
                commands,
            }
        }
    }

    unsafe fn allocate(&self, level: vk::CommandBufferLevel) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.commands)
            .level(level)
            .command_buffer_count(1);
        // SAFETY: the pool is alive.
        unsafe { self.device.handle.allocate_command_buffers(&info) }.expect("commands")[0]
    }

    unsafe fn submit(&self, record: impl FnOnce(vk::CommandBuffer)) {
        // SAFETY: all objects are alive.
        unsafe {
            let vulkan = &self.device.handle;
            let commands = [self.allocate(vk::CommandBufferLevel::PRIMARY)];
            vulkan.begin_command_buffer(commands[0], &Default::default()).expect("it begins");
            record(commands[0]);
            vulkan.end_command_buffer(commands[0]).expect("it ends");
            let submit = vk::SubmitInfo::default().command_buffers(&commands);
            vulkan
                .queue_submit(self.device.queue, &[submit], vk::Fence::null())
                .expect("it is submitted");
            vulkan.queue_wait_idle(self.device.queue).expect("it ends");
        }
    }

    unsafe fn empty_counter(&self, commands: vk::CommandBuffer) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let vulkan = &self.device.handle;
        let read = Access::TRANSFORM_FEEDBACK_COUNTER_READ_EXT;
        let filled = [memory_barrier(Access::TRANSFER_WRITE, read)];
        let (transfer, captures) = (Stage::TRANSFER, Stage::TRANSFORM_FEEDBACK_EXT);
        let flags = vk::DependencyFlags::empty();
        // SAFETY: no render pass is active.
        unsafe {
            vulkan.cmd_fill_buffer(commands, self.counter, 0, 16, 0);
            vulkan.cmd_pipeline_barrier(commands, transfer, captures, flags, &filled, &[], &[]);
        }
    }

    unsafe fn record(&self, commands: vk::CommandBuffer) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let (vulkan, feedback) = (&self.device.handle, self.device.feedback.fp());
        let none = vk::QueryControlFlags::empty();
        // SAFETY: all objects are alive, and the commands are valid usage.
        unsafe {
            vulkan.cmd_reset_query_pool(commands, self.queries, 0, 2);
            self.empty_counter(commands);
            vulkan.cmd_begin_render_pass(commands, &self.begin(), vk::SubpassContents::INLINE);
            let (counter, zero) = self.bind(commands);
            (feedback.cmd_begin_query_indexed_ext)(commands, self.queries, 0, none, 0);
            (feedback.cmd_begin_transform_feedback_ext)(commands, 0, 1, counter, zero);
            vulkan.cmd_draw(commands, 3, 1, 0, 0);
            (feedback.cmd_end_transform_feedback_ext)(commands, 0, 1, counter, zero);
            (feedback.cmd_end_query_indexed_ext)(commands, self.queries, 0, 0);
            // A query without a draw, begun by the core command.
            vulkan.cmd_begin_query(commands, self.queries, 1, none);
            vulkan.cmd_end_query(commands, self.queries, 1);
            vulkan.cmd_end_render_pass(commands);

            let captured = memory_barrier(
                Access::TRANSFORM_FEEDBACK_WRITE_EXT | Access::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT,
                Access::HOST_READ
                    | Access::INDIRECT_COMMAND_READ
                    | Access::TRANSFORM_FEEDBACK_COUNTER_READ_EXT,
            );
            let (flags, captures) = (vk::DependencyFlags::empty(), Stage::TRANSFORM_FEEDBACK_EXT);
            let reads = Stage::HOST | Stage::DRAW_INDIRECT;
            vulkan.cmd_pipeline_barrier(commands, captures, reads, flags, &[captured], &[], &[]);
            vulkan.cmd_begin_render_pass(commands, &self.begin(), vk::SubpassContents::INLINE);
            vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline);
            vulkan.cmd_draw(commands, 3, 1, 0, 0);
            (feedback.cmd_draw_indirect_byte_count_ext)(commands, 1, 0, self.counter, 0, 0, 4);
            vulkan.cmd_end_render_pass(commands);

            let flags = vk::QueryResultFlags::WITH_AVAILABILITY | vk::QueryResultFlags::WAIT;
            vulkan.cmd_copy_query_pool_results(
                commands,
                self.queries,
                0,
                2,
                self.copied,
                0,
                16,
                flags,
            );
            self.read_back(commands);
        }
    }

    /// Binds the pipeline and the captured buffer; returns the counter and its offset.
    unsafe fn bind(
        &self,
        commands: vk::CommandBuffer,
    ) -> (*const vk::Buffer, *const vk::DeviceSize) {
        let (vulkan, feedback) = (&self.device.handle, self.device.feedback.fp());
        let (counter, zero) = (&raw const self.counter, &raw const ZERO);
        // SAFETY: the bound objects are alive.
        unsafe {
            vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline);
            let bind = feedback.cmd_bind_transform_feedback_buffers_ext;
            bind(commands, 0, 1, &raw const self.target, zero, &raw const BYTES);
        }
        (counter, zero)
    }

    fn begin(&self) -> vk::RenderPassBeginInfo<'static> {
        let area =
            vk::Rect2D { extent: vk::Extent2D { width: SIZE, height: SIZE }, ..Default::default() };
        vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(area)
            .clear_values(&CLEAR)
    }

    unsafe fn read_back(&self, commands: vk::CommandBuffer) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let vulkan = &self.device.handle;
        let region = pixels(SIZE);
        let written = memory_barrier(Access::TRANSFER_WRITE, Access::HOST_READ);
        let flags = vk::DependencyFlags::empty();
        // SAFETY: the pass leaves the image in the layout for copies.
        unsafe {
            let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
            vulkan.cmd_copy_image_to_buffer(commands, self.image, layout, self.pixels, &[region]);
            vulkan.cmd_pipeline_barrier(
                commands,
                Stage::TRANSFER,
                Stage::HOST,
                flags,
                &[written],
                &[],
                &[],
            );
        }
    }

    unsafe fn read(&self, buffer: vk::Buffer) -> Vec<u32> {
        let found =
            self.memory.iter().find(|(one, _)| *one == buffer).expect("a buffer has memory");
        // SAFETY: the memory is coherent, and no command is pending.
        unsafe {
            let vulkan = &self.device.handle;
            let data = vulkan
                .map_memory(found.1, 0, BYTES, vk::MemoryMapFlags::empty())
                .expect("it is mapped");
            let words = std::slice::from_raw_parts(data.cast::<u32>(), BYTES as usize / 4).to_vec();
            vulkan.unmap_memory(found.1);
            words
        }
    }

    unsafe fn destroy(self) {
        let vulkan = &self.device.handle;
        // SAFETY: nothing is in use.
        unsafe {
            vulkan.destroy_command_pool(self.commands, None);
            vulkan.destroy_query_pool(self.queries, None);
            vulkan.destroy_pipeline(self.pipeline, None);
            vulkan.destroy_pipeline_layout(self.layout, None);
            vulkan.destroy_framebuffer(self.framebuffer, None);
            vulkan.destroy_render_pass(self.pass, None);
            vulkan.destroy_image_view(self.view, None);
            vulkan.destroy_image(self.image, None);
            vulkan.free_memory(self.image_memory, None);
            for (buffer, memory) in self.memory {
                vulkan.destroy_buffer(buffer, None);
                vulkan.free_memory(memory, None);
            }
        }
    }
}

unsafe fn fill(device: &Device, memory: vk::DeviceMemory) {
    // SAFETY: the memory belongs to a buffer, and is not in use.
    unsafe {
        let data = device
            .handle
            .map_memory(memory, 0, BYTES, vk::MemoryMapFlags::empty())
            .expect("it is mapped");
        std::slice::from_raw_parts_mut(data.cast::<u32>(), BYTES as usize / 4).fill(7);
        device.handle.unmap_memory(memory);
    }
}

/// Creates a pass whose dependencies also wait for captures.
unsafe fn pass(device: &Device) -> vk::RenderPass {
    use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
    let attachments = [cleared_attachment()];
    let targets = [vk::AttachmentReference {
        attachment: 0,
        layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
    }];
    let subpasses = [vk::SubpassDescription::default().color_attachments(&targets)];
    let before = vk::SubpassDependency {
        src_subpass: vk::SUBPASS_EXTERNAL,
        src_stage_mask: Stage::COLOR_ATTACHMENT_OUTPUT | Stage::TRANSFER,
        dst_stage_mask: Stage::COLOR_ATTACHMENT_OUTPUT | Stage::TRANSFORM_FEEDBACK_EXT,
        src_access_mask: Access::COLOR_ATTACHMENT_WRITE | Access::TRANSFER_WRITE,
        dst_access_mask: Access::COLOR_ATTACHMENT_WRITE
            | Access::TRANSFORM_FEEDBACK_COUNTER_READ_EXT,
        ..Default::default()
    };
    let behind = vk::SubpassDependency {
        dst_subpass: vk::SUBPASS_EXTERNAL,
        src_stage_mask: Stage::COLOR_ATTACHMENT_OUTPUT,
        dst_stage_mask: Stage::TRANSFER,
        src_access_mask: Access::COLOR_ATTACHMENT_WRITE,
        dst_access_mask: Access::TRANSFER_READ,
        ..Default::default()
    };
    let dependencies = [before, behind];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    // SAFETY: all structures are valid.
    unsafe { device.handle.create_render_pass(&info, None) }.expect("a pass")
}

unsafe fn pipeline(
    device: &Device,
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
) -> vk::Pipeline {
    let sources = [(ShaderStage::Vertex, VERTEX), (ShaderStage::Fragment, FRAGMENT)];
    let modules = sources.map(|(stage, source)| {
        let words = compile(source, stage, SpirvVersion::SPIRV1_0).expect("the shader compiles");
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the code is SPIR-V.
        unsafe { device.handle.create_shader_module(&info, None) }.expect("a module")
    });
    let flags = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
    let stage = |i: usize| {
        vk::PipelineShaderStageCreateInfo::default()
            .stage(flags[i])
            .module(modules[i])
            .name(c"main")
    };
    let stages = [stage(0), stage(1)];
    // Fixed state: one triangle that covers the image.
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let extent = vk::Extent2D { width: SIZE, height: SIZE };
    let viewports =
        [vk::Viewport { width: SIZE as f32, height: SIZE as f32, ..Default::default() }];
    let scissors = [vk::Rect2D { extent, ..Default::default() }];
    let viewport =
        vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let rasterization = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let blends = [vk::PipelineColorBlendAttachmentState {
        color_write_mask: vk::ColorComponentFlags::RGBA,
        ..Default::default()
    }];
    let blending = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&rasterization)
        .multisample_state(&samples)
        .color_blend_state(&blending)
        .layout(layout)
        .render_pass(pass);
    // SAFETY: all structures are valid.
    unsafe {
        let made =
            device.handle.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        for module in modules {
            device.handle.destroy_shader_module(module, None);
        }
        made.expect("a pipeline")[0]
    }
}
