//! Captures a triangle with all commands of `VK_EXT_transform_feedback` around it.

mod many;
mod often;

pub(crate) use many::capture_behind;
pub(crate) use often::capture_often;

use crate::bare::{Bare, Seen};
use crate::graphics::{Drawing, compiled};
use crate::loader::{Device, Instance};
use crate::objects::{Canvas, memory_barrier};
use ash::vk;
use polyshade_formats::ShaderStage;

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

/// The objects of a test, which are destroyed on drop.
struct Scene<'d> {
    bare: Bare<'d>,
    canvas: Canvas<'d>,
    target: Seen,
    counter: Seen,
    pixels: Seen,
    copied: Seen,
    pipeline: vk::Pipeline,
    queries: vk::QueryPool,
}

pub(crate) fn draw(instance: &Instance, driver: &str) -> Drawn {
    let device = instance.device(driver, true).expect("a device with transform feedback");
    let scene = Scene::new(&device);
    // SAFETY: all objects are alive, and the commands are valid usage.
    scene.bare.submit(|commands| unsafe { scene.record(commands) });
    let flags = vk::QueryResultFlags::WITH_AVAILABILITY;
    let mut results = [[7_u32; 3]; 2];
    // SAFETY: the pool has two queries.
    unsafe { device.handle.get_query_pool_results(scene.queries, 0, &mut results, flags) }
        .expect("results");
    Drawn {
        pixels: scene.pixels.read(),
        captured: scene.target.read(),
        results: results.concat(),
        copied: scene.copied.read()[..8].to_vec(),
    }
}

/// Captures on these queues, with one command buffer for all queues or one per queue. Returns the captured values.
pub(crate) fn capture_on(device: &Device, queues: &[vk::Queue], simultaneous: bool) -> Vec<u32> {
    let vulkan = &device.handle;
    let usage = match simultaneous {
        true => vk::CommandBufferUsageFlags::SIMULTANEOUS_USE,
        false => vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT,
    };
    let scene = Scene::new(device);
    // SAFETY: all objects are alive, and the commands are valid usage.
    let record = || scene.bare.record_as(usage, |commands| unsafe { scene.record(commands) });
    let mut commands = record();
    // A simultaneous command buffer is submitted to all queues at once.
    for (number, queue) in queues.iter().enumerate() {
        if number > 0 && !simultaneous {
            commands = record();
        }
        let commands = [commands];
        let submit = vk::SubmitInfo::default().command_buffers(&commands);
        // SAFETY: the commands are recorded.
        unsafe { vulkan.queue_submit(*queue, &[submit], vk::Fence::null()) }
            .expect("it is submitted");
    }
    // SAFETY: this waits for all queues.
    unsafe { vulkan.device_wait_idle() }.expect("it ends");
    scene.target.read()
}

static ZERO: u64 = 0;

impl<'d> Scene<'d> {
    fn new(device: &'d Device) -> Self {
        use vk::BufferUsageFlags as Usage;
        let mut bare = Bare::new(device, 0);
        let mut buffer = |usage| bare.buffer(usage, 16);
        let target = buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT);
        let counter = buffer(
            Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT
                | Usage::INDIRECT_BUFFER
                | Usage::TRANSFER_DST,
        );
        let pixels = buffer(Usage::TRANSFER_DST);
        let copied = buffer(Usage::TRANSFER_DST);
        let canvas = Canvas::new(device, SIZE, true);
        let vertex = compiled(VERTEX, ShaderStage::Vertex);
        let fragment =
            [(vk::ShaderStageFlags::FRAGMENT, compiled(FRAGMENT, ShaderStage::Fragment))];
        let drawing = Drawing::new(&vertex, vk::PrimitiveTopology::TRIANGLE_LIST).with(&fragment);
        let drawing = Drawing { rasterizes: true, side: Some(SIZE), ..drawing };
        let own = std::mem::replace(&mut bare.pass, canvas.pass);
        let pipeline = bare.pipeline_of(drawing, &Default::default());
        bare.pass = own;
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)
            .query_count(2);
        // SAFETY: the structure is valid.
        let queries = unsafe { device.handle.create_query_pool(&info, None) }.expect("queries");
        Self { bare, canvas, target, counter, pixels, copied, pipeline, queries }
    }

    unsafe fn empty_counter(&self, commands: vk::CommandBuffer) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let vulkan = &self.bare.device.handle;
        let read = Access::TRANSFORM_FEEDBACK_COUNTER_READ_EXT;
        let filled = [memory_barrier(Access::TRANSFER_WRITE, read)];
        let (transfer, captures) = (Stage::TRANSFER, Stage::TRANSFORM_FEEDBACK_EXT);
        let flags = vk::DependencyFlags::empty();
        // SAFETY: no render pass is active.
        unsafe {
            vulkan.cmd_fill_buffer(commands, self.counter.buffer, 0, 16, 0);
            vulkan.cmd_pipeline_barrier(commands, transfer, captures, flags, &filled, &[], &[]);
        }
    }

    unsafe fn record(&self, commands: vk::CommandBuffer) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let (vulkan, feedback) = (&self.bare.device.handle, self.bare.device.feedback.fp());
        let none = vk::QueryControlFlags::empty();
        // SAFETY: all objects are alive, and the commands are valid usage.
        unsafe {
            vulkan.cmd_reset_query_pool(commands, self.queries, 0, 2);
            self.empty_counter(commands);
            self.canvas.begin_pass(commands, vk::SubpassContents::INLINE);
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
            self.canvas.begin_pass(commands, vk::SubpassContents::INLINE);
            vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline);
            vulkan.cmd_draw(commands, 3, 1, 0, 0);
            (feedback.cmd_draw_indirect_byte_count_ext)(
                commands,
                1,
                0,
                self.counter.buffer,
                0,
                0,
                4,
            );
            vulkan.cmd_end_render_pass(commands);

            let flags = vk::QueryResultFlags::WITH_AVAILABILITY | vk::QueryResultFlags::WAIT;
            vulkan.cmd_copy_query_pool_results(
                commands,
                self.queries,
                0,
                2,
                self.copied.buffer,
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
        let (vulkan, feedback) = (&self.bare.device.handle, self.bare.device.feedback.fp());
        let (counter, zero) = (&raw const self.counter.buffer, &raw const ZERO);
        // SAFETY: the bound objects are alive.
        unsafe {
            vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline);
            let bind = feedback.cmd_bind_transform_feedback_buffers_ext;
            bind(commands, 0, 1, &raw const self.target.buffer, zero, &self.target.size());
        }
        (counter, zero)
    }

    unsafe fn read_back(&self, commands: vk::CommandBuffer) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let vulkan = &self.bare.device.handle;
        let written = memory_barrier(Access::TRANSFER_WRITE, Access::HOST_READ);
        let flags = vk::DependencyFlags::empty();
        // SAFETY: the pass leaves the image in the layout for copies.
        unsafe {
            self.canvas.copy(commands, self.pixels.buffer);
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
}

impl Drop for Scene<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing is in use.
        unsafe { self.bare.device.handle.destroy_query_pool(self.queries, None) };
    }
}
