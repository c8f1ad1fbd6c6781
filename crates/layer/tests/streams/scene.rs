//! Streams are recorded, drawn and read.

use super::case::{Kind, Piece, Stream};
use crate::draws::{allocate, memory_barrier};
use crate::loader::Device;
use ash::vk;
use polyshade_formats::{ShaderStage, SpirvVersion, compile};

/// One attribute a vertex, one an instance; two buffers.
const VERTEX: &str = "#version 450
layout(location = 0) in uint of_vertex;
layout(location = 3) in vec2 of_instance;
layout(push_constant) uniform Push { uint added; };
layout(location = 0, xfb_buffer = 0, xfb_offset = 4, xfb_stride = 12) out uvec2 numbers;
layout(location = 1, xfb_buffer = 2, xfb_offset = 0, xfb_stride = 8) out vec2 pair;
void main() {
    numbers = uvec2(of_vertex + added, gl_VertexIndex * 100 + gl_InstanceIndex);
    pair = of_instance + vec2(of_vertex);
    gl_Position = vec4(0);
    gl_PointSize = 1;
}";

/// Words of each buffer.
const WORDS: usize = 256;

/// What comes of a stream: the words of all buffers, and what queries count.
pub(super) type Left = (Vec<Vec<u32>>, Vec<u64>);

/// The buffers: two that are captured into, counters, attributes of vertices and of instances, indices, arguments.
const TARGETS: usize = 0;
const COUNTERS: usize = 2;
const VERTICES: usize = 3;
const INSTANCES: usize = 4;
const INDICES: usize = 5;
const ARGUMENTS: usize = 6;
const BUFFERS: usize = 7;

/// Everything that is created for a stream.
pub(super) struct Scene<'d> {
    device: &'d Device,
    stream: &'d Stream,
    buffers: Vec<(vk::Buffer, vk::DeviceMemory)>,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    queries: vk::QueryPool,
    pool: vk::CommandPool,
}

impl<'d> Scene<'d> {
    pub(super) unsafe fn new(device: &'d Device, stream: &'d Stream) -> Self {
        use vk::BufferUsageFlags as Usage;
        let vulkan = &device.handle;
        let usages = [
            Usage::TRANSFORM_FEEDBACK_BUFFER_EXT,
            Usage::TRANSFORM_FEEDBACK_BUFFER_EXT,
            Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT | Usage::INDIRECT_BUFFER,
            Usage::VERTEX_BUFFER,
            Usage::VERTEX_BUFFER,
            Usage::INDEX_BUFFER,
            Usage::INDIRECT_BUFFER,
        ];
        let index = |i: usize| stream.indices.get(i).copied().unwrap_or(0);
        let narrow = |i: usize| (index(2 * i) & 0xffff) | index(2 * i + 1) << 16;
        let argument = |i: usize| {
            let Some(piece) = stream.pieces.get(i / 4) else { return 0 };
            [piece.count, piece.instances, piece.first, piece.first_instance][i % 4]
        };
        // SAFETY: all structures are valid.
        unsafe {
            let mut buffers = Vec::new();
            for (number, usage) in usages.into_iter().enumerate() {
                let size = 4 * WORDS as u64;
                let info = vk::BufferCreateInfo::default().size(size).usage(usage);
                let buffer = vulkan.create_buffer(&info, None).expect("a buffer");
                let needs = vulkan.get_buffer_memory_requirements(buffer);
                let memory = allocate(device, needs, true);
                vulkan.bind_buffer_memory(buffer, memory, 0).expect("memory");
                let word = |i: usize| match number {
                    COUNTERS => 12 * (i as u32 % 2),
                    VERTICES => 1000 + i as u32,
                    INSTANCES => (i as f32).to_bits(),
                    INDICES if stream.wide => index(i),
                    INDICES => narrow(i),
                    ARGUMENTS => argument(i),
                    _ => 0x7777_7777,
                };
                let words: Vec<u32> = (0..WORDS).map(word).collect();
                let flags = vk::MemoryMapFlags::empty();
                let data = vulkan.map_memory(memory, 0, size, flags).expect("it is mapped");
                data.cast::<u32>().copy_from_nonoverlapping(words.as_ptr(), WORDS);
                vulkan.unmap_memory(memory);
                buffers.push((buffer, memory));
            }
            assert_eq!(buffers.len(), BUFFERS);
            let pass = pass(device);
            let info =
                vk::FramebufferCreateInfo::default().render_pass(pass).width(4).height(4).layers(1);
            let framebuffer = vulkan.create_framebuffer(&info, None).expect("a framebuffer");
            let ranges = [vk::PushConstantRange::default()
                .stage_flags(vk::ShaderStageFlags::VERTEX)
                .size(4)];
            let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges);
            let layout = vulkan.create_pipeline_layout(&info, None).expect("a layout");
            let pipeline = pipeline(device, stream, pass, layout);
            let info = vk::QueryPoolCreateInfo::default()
                .query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)
                .query_count(8);
            let queries = vulkan.create_query_pool(&info, None).expect("queries");
            let pool = vulkan.create_command_pool(&Default::default(), None).expect("a pool");
            Self { device, stream, buffers, pass, framebuffer, layout, pipeline, queries, pool }
        }
    }

    unsafe fn commands(&self, level: vk::CommandBufferLevel) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(level)
            .command_buffer_count(1);
        // SAFETY: the pool is alive.
        unsafe { self.device.handle.allocate_command_buffers(&info).expect("commands")[0] }
    }

    /// Records all, submits it and waits.
    pub(super) unsafe fn run(&self) -> Left {
        let vulkan = &self.device.handle;
        // SAFETY: all that is used is alive, and recorded as Vulkan has it.
        unsafe {
            let commands = self.commands(vk::CommandBufferLevel::PRIMARY);
            vulkan.begin_command_buffer(commands, &Default::default()).expect("it begins");
            vulkan.cmd_reset_query_pool(commands, self.queries, 0, 8);
            let mut open = None;
            for (number, piece) in self.stream.pieces.iter().enumerate() {
                // What goes on at counters, and what counters draw, waits for them outside of passes.
                let waits = piece.resumes || piece.kind == Kind::Bytes || piece.own_pass;
                if open.is_some_and(|secondary| waits || secondary != piece.secondary) {
                    vulkan.cmd_end_render_pass(commands);
                    open = None;
                }
                if open.is_none() {
                    self.wait(commands);
                    self.begin_pass(commands, piece.secondary);
                    open = Some(piece.secondary);
                }
                if piece.secondary {
                    let secondary = self.commands(vk::CommandBufferLevel::SECONDARY);
                    let inherited = vk::CommandBufferInheritanceInfo::default()
                        .render_pass(self.pass)
                        .framebuffer(self.framebuffer);
                    let begin = vk::CommandBufferBeginInfo::default()
                        .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
                        .inheritance_info(&inherited);
                    vulkan.begin_command_buffer(secondary, &begin).expect("it begins");
                    self.piece(secondary, number, piece);
                    vulkan.end_command_buffer(secondary).expect("it ends");
                    vulkan.cmd_execute_commands(commands, &[secondary]);
                } else {
                    self.piece(commands, number, piece);
                }
            }
            vulkan.cmd_end_render_pass(commands);
            self.wait(commands);
            vulkan.end_command_buffer(commands).expect("it ends");
            let all = [commands];
            let submit = [vk::SubmitInfo::default().command_buffers(&all)];
            for _ in 0..self.stream.submissions {
                vulkan
                    .queue_submit(self.device.queue, &submit, vk::Fence::null())
                    .expect("it is submitted");
                vulkan.queue_wait_idle(self.device.queue).expect("it ends");
            }
            let mut results = vec![[0_u64; 2]; self.stream.pieces.len()];
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            vulkan
                .get_query_pool_results(self.queries, 0, &mut results, flags)
                .expect("there are results");
            let words = self.buffers[..=COUNTERS].iter().map(|(_, memory)| self.read(*memory));
            (words.collect(), results.concat())
        }
    }

    unsafe fn begin_pass(&self, commands: vk::CommandBuffer, secondary: bool) {
        let extent = vk::Extent2D { width: 4, height: 4 };
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(vk::Rect2D { extent, ..Default::default() });
        let contents = match secondary {
            true => vk::SubpassContents::SECONDARY_COMMAND_BUFFERS,
            false => vk::SubpassContents::INLINE,
        };
        // SAFETY: the pass is alive.
        unsafe { self.device.handle.cmd_begin_render_pass(commands, &begin, contents) };
    }

    /// Has whatever was captured and counted seen by whatever follows.
    unsafe fn wait(&self, commands: vk::CommandBuffer) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let captures =
            Access::TRANSFORM_FEEDBACK_WRITE_EXT | Access::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT;
        let reads = Access::TRANSFORM_FEEDBACK_COUNTER_READ_EXT
            | Access::INDIRECT_COMMAND_READ
            | Access::HOST_READ;
        let barrier = [memory_barrier(captures, captures | reads)];
        let (stage, flags) = (Stage::TRANSFORM_FEEDBACK_EXT, vk::DependencyFlags::empty());
        let behind = stage | Stage::DRAW_INDIRECT | Stage::HOST;
        // SAFETY: no pass is open.
        unsafe {
            let vulkan = &self.device.handle;
            vulkan.cmd_pipeline_barrier(commands, stage, behind, flags, &barrier, &[], &[]);
        }
    }

    unsafe fn piece(&self, commands: vk::CommandBuffer, number: usize, piece: &Piece) {
        let (vulkan, feedback) = (&self.device.handle, self.device.feedback.fp());
        let buffer = |number: usize| self.buffers[number].0;
        let counters = |there: bool| match there {
            true => [buffer(COUNTERS), vk::Buffer::null(), buffer(COUNTERS)],
            false => [vk::Buffer::null(); 3],
        };
        let (begin, end) = (counters(piece.resumes), counters(piece.saves));
        let offsets = [8_u64, 0, 20];
        let targets = [buffer(TARGETS), buffer(TARGETS + 1)];
        let [first_size, second_size] = self.stream.sizes;
        let zero = 0_u64;
        let of_vertices = [buffer(VERTICES), buffer(INSTANCES)];
        let stage = vk::ShaderStageFlags::VERTEX;
        let added = (number as u32 * 10_000).to_ne_bytes();
        // SAFETY: all that is used is alive, and recorded as Vulkan has it.
        unsafe {
            vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline);
            vulkan.cmd_push_constants(commands, self.layout, stage, 0, &added);
            vulkan.cmd_bind_vertex_buffers(commands, 1, &of_vertices, &[8, 16]);
            let width =
                if self.stream.wide { vk::IndexType::UINT32 } else { vk::IndexType::UINT16 };
            vulkan.cmd_bind_index_buffer(commands, buffer(INDICES), 8, width);
            let bind = feedback.cmd_bind_transform_feedback_buffers_ext;
            bind(commands, 0, 1, &raw const targets[0], &raw const zero, &raw const first_size);
            bind(
                commands,
                2,
                1,
                &raw const targets[1],
                &raw const offsets[0],
                &raw const second_size,
            );
            let none = vk::QueryControlFlags::empty();
            (feedback.cmd_begin_query_indexed_ext)(commands, self.queries, number as u32, none, 0);
            let begins = feedback.cmd_begin_transform_feedback_ext;
            begins(commands, 0, 3, begin.as_ptr(), offsets.as_ptr());
            let (count, instances) = (piece.count, piece.instances);
            let (first, first_instance) = (piece.first, piece.first_instance);
            match piece.kind {
                Kind::Direct => vulkan.cmd_draw(commands, count, instances, first, first_instance),
                Kind::Indexed => {
                    let offset = piece.offset;
                    vulkan.cmd_draw_indexed(
                        commands,
                        count,
                        instances,
                        first,
                        offset,
                        first_instance,
                    );
                }
                Kind::Indirect => {
                    let at = 16 * number as u64;
                    vulkan.cmd_draw_indirect(commands, buffer(ARGUMENTS), at, 1, 16);
                }
                Kind::Bytes => {
                    let draw = feedback.cmd_draw_indirect_byte_count_ext;
                    draw(commands, instances, first_instance, buffer(COUNTERS), 8, 0, 12);
                }
            }
            let ends = feedback.cmd_end_transform_feedback_ext;
            ends(commands, 0, 3, end.as_ptr(), offsets.as_ptr());
            (feedback.cmd_end_query_indexed_ext)(commands, self.queries, number as u32, 0);
        }
    }

    unsafe fn read(&self, memory: vk::DeviceMemory) -> Vec<u32> {
        let (vulkan, flags) = (&self.device.handle, vk::MemoryMapFlags::empty());
        // SAFETY: the memory is coherent, and no command is pending.
        unsafe {
            let data = vulkan.map_memory(memory, 0, 4 * WORDS as u64, flags).expect("it is mapped");
            let words = std::slice::from_raw_parts(data.cast::<u32>(), WORDS).to_vec();
            vulkan.unmap_memory(memory);
            words
        }
    }

    pub(super) unsafe fn destroy(self) {
        let vulkan = &self.device.handle;
        // SAFETY: nothing is used any more.
        unsafe {
            vulkan.destroy_command_pool(self.pool, None);
            vulkan.destroy_query_pool(self.queries, None);
            vulkan.destroy_pipeline(self.pipeline, None);
            vulkan.destroy_pipeline_layout(self.layout, None);
            vulkan.destroy_framebuffer(self.framebuffer, None);
            vulkan.destroy_render_pass(self.pass, None);
            for (buffer, memory) in self.buffers {
                vulkan.destroy_buffer(buffer, None);
                vulkan.free_memory(memory, None);
            }
        }
    }
}

/// A pass without attachments.
unsafe fn pass(device: &Device) -> vk::RenderPass {
    let subpasses = [vk::SubpassDescription::default()];
    let info = vk::RenderPassCreateInfo::default().subpasses(&subpasses);
    // SAFETY: the structure is valid.
    unsafe { device.handle.create_render_pass(&info, None) }.expect("a pass")
}

unsafe fn pipeline(
    device: &Device,
    stream: &Stream,
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
) -> vk::Pipeline {
    let words = compile(VERTEX, ShaderStage::Vertex, SpirvVersion::SPIRV1_0).expect("it compiles");
    let info = vk::ShaderModuleCreateInfo::default().code(&words);
    // SAFETY: the words are SPIR-V.
    let module = unsafe { device.handle.create_shader_module(&info, None) }.expect("a module");
    let stages = [vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::VERTEX)
        .module(module)
        .name(c"main")];
    let attributes = [
        vk::VertexInputAttributeDescription {
            location: 0,
            binding: 1,
            format: vk::Format::R32_UINT,
            offset: 4,
        },
        vk::VertexInputAttributeDescription {
            location: 3,
            binding: 2,
            format: vk::Format::R32G32_SFLOAT,
            offset: 0,
        },
    ];
    let bindings = [
        vk::VertexInputBindingDescription {
            binding: 1,
            stride: 8,
            input_rate: vk::VertexInputRate::VERTEX,
        },
        vk::VertexInputBindingDescription {
            binding: 2,
            stride: 8,
            input_rate: vk::VertexInputRate::INSTANCE,
        },
    ];
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_attribute_descriptions(&attributes)
        .vertex_binding_descriptions(&bindings);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(stream.topology)
        .primitive_restart_enable(stream.restart);
    let rasterization = vk::PipelineRasterizationStateCreateInfo::default()
        .rasterizer_discard_enable(true)
        .line_width(1.0);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .rasterization_state(&rasterization)
        .layout(layout)
        .render_pass(pass);
    // SAFETY: all structures are valid.
    unsafe {
        let made =
            device.handle.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        device.handle.destroy_shader_module(module, None);
        made.expect("a pipeline")[0]
    }
}
