//! Measures the costs of the layer's emulation and of the driver's own transform feedback on lavapipe, in one run.
//!
//! `cargo bench -p polyshade-layer --bench costs` prints a table. With `memory COUNT`, it prints the memory of that
//! many pipelines that have captured. With one of `COMMANDS` and COUNT, it only records that many commands, so that
//! callgrind can count the instructions (see docs/performance.md).

#[path = "../tests/discarding.rs"]
mod discarding;
#[allow(dead_code)]
#[path = "../tests/loader.rs"]
mod loader;

use ash::vk;
use loader::{Device, Instance, LAVAPIPE};
use std::time::{Duration, Instant};

/// A trivial shader, which copies an attribute to an output.
const TRIVIAL: &str = include_str!("shaders/trivial.vert");

/// A shader with a long computation.
const HEAVY: &str = include_str!("shaders/heavy.vert");

const TOPOLOGIES: [(&str, vk::PrimitiveTopology); 5] = [
    ("points", vk::PrimitiveTopology::POINT_LIST),
    ("line strip", vk::PrimitiveTopology::LINE_STRIP),
    ("triangle list", vk::PrimitiveTopology::TRIANGLE_LIST),
    ("triangle strip", vk::PrimitiveTopology::TRIANGLE_STRIP),
    ("triangle fan", vk::PrimitiveTopology::TRIANGLE_FAN),
];

/// The number of vertices in a draw, and the number of draws in a pass.
const SIZES: [(u32, u32); 2] = [(3, 500), (30_000, 4)];

/// The number of empty passes.
const PASSES: u32 = 500;

/// The number of repetitions; the minimum time is reported.
const ROUNDS: usize = 15;

/// The size in bytes of each buffer: three captured vertices of 16 bytes per drawn vertex.
const BYTES: u64 = 3 * 16 * 30_000 * 4;

/// The commands that can be recorded: a draw; a capture with one draw, without and with indices; and others.
const COMMANDS: [&str; 8] =
    ["idle", "captured", "indexed", "pipeline", "push", "vertex-buffers", "barrier", "pass"];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let count = |what: &str| {
        let at = arguments.iter().position(|one| one == what)?;
        arguments.get(at + 1)?.parse().ok()
    };
    for command in COMMANDS {
        if let Some(count) = count(command) {
            return record(command, count);
        }
    }
    if let Some(count) = count("memory") {
        return held(count);
    }
    let driver = Instance::with_layers(&[], &[]);
    let layer = [(c"hide", c"VK_EXT_transform_feedback")];
    let layer = Instance::with_layers(&layer, &[polyshade_layer::LAYER_NAME]);
    let devices = [&driver, &layer].map(|one| one.device(LAVAPIPE, true).expect("a device"));
    println!(
        "shader   topology        vertices    native   emulated   emulated/native (a draw, µs)"
    );
    for (shader, source) in [("trivial", TRIVIAL), ("heavy", HEAVY)] {
        for (name, topology) in TOPOLOGIES {
            for (vertices, draws) in SIZES {
                let scenes = devices.each_ref().map(|device| Scene::new(device, source, topology));
                let recorded = scenes.each_ref().map(|scene| scene.record(vertices, draws, true));
                let times = least(ROUNDS, |which| scenes[which].submit(recorded[which]));
                let [native, emulated] =
                    times.map(|time| time.as_secs_f64() * 1e6 / f64::from(draws));
                let ratio = emulated / native;
                println!(
                    "{shader:<8} {name:<15} {vertices:>8} {native:>9.2} {emulated:>10.2} {ratio:>8.2}"
                );
                scenes.into_iter().for_each(Scene::destroy);
            }
        }
    }
    let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    let scenes = devices.each_ref().map(|device| Scene::new(device, TRIVIAL, topology));
    let recorded = scenes.each_ref().map(|scene| scene.record_passes(PASSES, 3, 1, false));
    let times = least(ROUNDS, |which| scenes[which].submit(recorded[which]));
    let [native, emulated] = times.map(|time| time.as_secs_f64() * 1e6 / f64::from(PASSES));
    println!("a render pass that draws nothing: {native:.2} and {emulated:.2} µs");
    scenes.into_iter().for_each(Scene::destroy);
    for (shader, source) in [("trivial", TRIVIAL), ("heavy", HEAVY)] {
        // The time from the creation of a pipeline to the end of its first capture.
        let first = |which: usize| {
            let begin = Instant::now();
            let scene = Scene::new(&devices[which], source, topology);
            scene.submit(scene.record(3, 1, true));
            let time = begin.elapsed();
            scene.destroy();
            time
        };
        let [native, emulated] = least(ROUNDS, first).map(|time| time.as_secs_f64() * 1e3);
        let ratio = emulated / native;
        println!(
            "{shader}: pipeline and first capture {native:.2} and {emulated:.2} ms, {ratio:.2}"
        );
    }
}

/// Prints the memory that a pipeline holds after a capture.
fn held(count: u32) {
    let instance = chosen();
    let device = instance.device(LAVAPIPE, true).expect("a device");
    let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    let mut kept = Vec::new();
    for (shader, source) in [("trivial", TRIVIAL), ("heavy", HEAVY)] {
        let mut scene = Scene::new(&device, source, topology);
        let mut before = resident();
        for number in 0..=2 * count {
            // The first pipelines also allocate memory that all pipelines share.
            if number == count {
                before = resident();
            }
            scene.submit(scene.record(3, 1, true));
            // SAFETY: nothing is pending.
            unsafe {
                let flags = vk::CommandPoolResetFlags::empty();
                device.handle.reset_command_pool(scene.pool, flags).expect("it is reset");
            }
            kept.push(scene.pipeline);
            scene.pipeline = scene.another(source);
        }
        let held = (resident() - before) / f64::from(count);
        println!("{shader}: a pipeline that has captured holds {held:.0} kB");
        scene.destroy();
    }
    for pipeline in kept {
        // SAFETY: nothing is pending.
        unsafe { device.handle.destroy_pipeline(pipeline, None) };
    }
}

/// Returns the resident memory of the process in kilobytes.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it is there");
    let number = line.trim().trim_end_matches(" kB");
    number.parse().expect("it is a number")
}

/// Returns the minimum times of two alternating runs.
fn least(rounds: usize, mut run: impl FnMut(usize) -> Duration) -> [Duration; 2] {
    let mut least = [Duration::MAX; 2];
    for _ in 0..rounds {
        for (which, least) in least.iter_mut().enumerate() {
            *least = run(which).min(*least);
        }
    }
    least
}

/// Creates an instance with the emulation, or with the driver's own feature if `POLYSHADE_NATIVE` is set.
fn chosen() -> Instance {
    let hidden = [(c"hide", c"VK_EXT_transform_feedback")];
    match std::env::var_os("POLYSHADE_NATIVE") {
        Some(_) => Instance::with_layers(&[], &[]),
        None => Instance::with_layers(&hidden, &[polyshade_layer::LAYER_NAME]),
    }
}

/// Records a command several times.
fn record(command: &str, count: u32) {
    let instance = chosen();
    let device = instance.device(LAVAPIPE, true).expect("a device");
    let scene = Scene::new(&device, TRIVIAL, vk::PrimitiveTopology::TRIANGLE_LIST);
    let (vulkan, buffer) = (&device.handle, scene.buffers[1].0);
    let point = vk::PipelineBindPoint::GRAPHICS;
    // SAFETY: the commands are valid usage.
    let each = |commands| unsafe {
        match command {
            "captured" => scene.capture(commands, || vulkan.cmd_draw(commands, 3, 1, 0, 0)),
            "indexed" => {
                scene.capture(commands, || vulkan.cmd_draw_indexed(commands, 3, 1, 0, 0, 0));
            }
            "pipeline" => vulkan.cmd_bind_pipeline(commands, point, scene.pipeline),
            "push" => {
                let stages = vk::ShaderStageFlags::VERTEX;
                vulkan.cmd_push_constants(commands, scene.layout, stages, 0, &[0; 4]);
            }
            "vertex-buffers" => vulkan.cmd_bind_vertex_buffers(commands, 0, &[buffer], &[0]),
            _ => vulkan.cmd_draw(commands, 3, 1, 0, 0),
        }
    };
    let memory = vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(vk::AccessFlags::VERTEX_ATTRIBUTE_READ);
    let stages = [vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::VERTEX_INPUT];
    // SAFETY: the commands are valid usage.
    let barrier = |commands| unsafe {
        let flags = vk::DependencyFlags::empty();
        vulkan.cmd_pipeline_barrier(commands, stages[0], stages[1], flags, &[memory], &[], &[]);
    };
    let repeat = |what: &dyn Fn(_), commands| (0..count).for_each(|_| what(commands));
    match command {
        "pass" => scene.record_with(count, |_| (), |_| ()),
        "barrier" => scene.record_with(1, |commands| repeat(&barrier, commands), |_| ()),
        _ => scene.record_with(1, |_| (), |commands| repeat(&each, commands)),
    };
    scene.destroy();
}

struct Scene<'d> {
    device: &'d Device,
    buffers: [(vk::Buffer, vk::DeviceMemory); 2],
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    pool: vk::CommandPool,
}

impl<'d> Scene<'d> {
    fn new(device: &'d Device, source: &str, topology: vk::PrimitiveTopology) -> Self {
        let vulkan = &device.handle;
        let usages = [
            vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT,
            vk::BufferUsageFlags::VERTEX_BUFFER | vk::BufferUsageFlags::INDEX_BUFFER,
        ];
        // SAFETY: all structures are valid.
        unsafe {
            let buffers = usages.map(|usage| buffer(device, usage));
            let pass = discarding::pass(device, 0);
            let info =
                vk::FramebufferCreateInfo::default().render_pass(pass).width(1).height(1).layers(1);
            let framebuffer = vulkan.create_framebuffer(&info, None).expect("a framebuffer");
            let pushed = vk::PushConstantRange::default();
            let pushed = [pushed.stage_flags(vk::ShaderStageFlags::VERTEX).size(4)];
            let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&pushed);
            let layout = vulkan.create_pipeline_layout(&info, None).expect("a layout");
            let pipeline = pipeline(device, (source, topology), pass, layout);
            let pool = vulkan.create_command_pool(&Default::default(), None).expect("a pool");
            Self { device, buffers, pass, framebuffer, layout, pipeline, pool }
        }
    }

    /// Creates another pipeline for triangle lists.
    fn another(&self, source: &str) -> vk::Pipeline {
        let what = (source, vk::PrimitiveTopology::TRIANGLE_LIST);
        // SAFETY: the pass and the layout are alive.
        unsafe { pipeline(self.device, what, self.pass, self.layout) }
    }

    /// Records a pass with a number of draws, with or without a capture around each draw.
    fn record(&self, vertices: u32, draws: u32, captured: bool) -> vk::CommandBuffer {
        self.record_passes(1, vertices, draws, captured)
    }

    fn record_passes(
        &self,
        passes: u32,
        vertices: u32,
        draws: u32,
        captured: bool,
    ) -> vk::CommandBuffer {
        let draw = |commands| {
            // SAFETY: the commands are valid usage.
            let draw = || unsafe { self.device.handle.cmd_draw(commands, vertices, 1, 0, 0) };
            for _ in 0..draws {
                if captured { self.capture(commands, draw) } else { draw() }
            }
        };
        self.record_with(passes, |_| (), draw)
    }

    /// Begins a capture, draws and ends the capture.
    fn capture(&self, commands: vk::CommandBuffer, draw: impl FnOnce()) {
        let feedback = self.device.feedback.fp();
        let (begin, end) =
            (feedback.cmd_begin_transform_feedback_ext, feedback.cmd_end_transform_feedback_ext);
        // SAFETY: the commands are valid usage.
        unsafe {
            begin(commands, 0, 0, std::ptr::null(), std::ptr::null());
            draw();
            end(commands, 0, 0, std::ptr::null(), std::ptr::null());
        }
    }

    /// Records commands before and in a pass, which follows empty passes.
    fn record_with(
        &self,
        passes: u32,
        before: impl FnOnce(vk::CommandBuffer),
        inside: impl FnOnce(vk::CommandBuffer),
    ) -> vk::CommandBuffer {
        let vulkan = &self.device.handle;
        let feedback = self.device.feedback.fp();
        let [(target, _), (attributes, _)] = self.buffers;
        let area =
            vk::Rect2D { extent: vk::Extent2D { width: 1, height: 1 }, ..Default::default() };
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(area);
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        let (zero, bytes) = (0, BYTES);
        // SAFETY: all objects are alive, and the commands are valid usage.
        unsafe {
            let commands = vulkan.allocate_command_buffers(&info).expect("commands")[0];
            vulkan.begin_command_buffer(commands, &Default::default()).expect("it begins");
            before(commands);
            // All passes but the last are empty.
            for _ in 1..passes {
                vulkan.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
                vulkan.cmd_end_render_pass(commands);
            }
            vulkan.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
            vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline);
            vulkan.cmd_bind_vertex_buffers(commands, 0, &[attributes], &[0]);
            vulkan.cmd_bind_index_buffer(commands, attributes, 0, vk::IndexType::UINT32);
            let bind = feedback.cmd_bind_transform_feedback_buffers_ext;
            bind(commands, 0, 1, &raw const target, &raw const zero, &raw const bytes);
            inside(commands);
            vulkan.cmd_end_render_pass(commands);
            vulkan.end_command_buffer(commands).expect("it ends");
            commands
        }
    }

    /// Submits commands and returns the time until the device has executed them.
    fn submit(&self, commands: vk::CommandBuffer) -> Duration {
        let vulkan = &self.device.handle;
        let commands = [commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
        let begin = Instant::now();
        // SAFETY: the commands are recorded.
        unsafe {
            vulkan.queue_submit(self.device.queue, &submit, vk::Fence::null()).expect("submitted");
            vulkan.queue_wait_idle(self.device.queue).expect("it ends");
        }
        begin.elapsed()
    }

    fn destroy(self) {
        let vulkan = &self.device.handle;
        // SAFETY: nothing is in use.
        unsafe {
            vulkan.destroy_command_pool(self.pool, None);
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

unsafe fn pipeline(
    device: &Device,
    (source, topology): (&str, vk::PrimitiveTopology),
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
) -> vk::Pipeline {
    let attributes = [vk::VertexInputAttributeDescription {
        format: vk::Format::R32G32B32A32_SFLOAT,
        ..Default::default()
    }];
    let bindings = [vk::VertexInputBindingDescription { stride: 16, ..Default::default() }];
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_attribute_descriptions(&attributes)
        .vertex_binding_descriptions(&bindings);
    let words = discarding::words(source);
    let shader = discarding::Drawing::new(&words, topology);
    // SAFETY: the pass and the layout are alive.
    unsafe { discarding::pipeline(device, shader, &input, pass, layout) }.expect("a pipeline")
}

unsafe fn buffer(device: &Device, usage: vk::BufferUsageFlags) -> (vk::Buffer, vk::DeviceMemory) {
    let vulkan = &device.handle;
    let info = vk::BufferCreateInfo::default().size(BYTES).usage(usage);
    // SAFETY: all structures are valid. All of lavapipe's memory types are suitable.
    unsafe {
        let buffer = vulkan.create_buffer(&info, None).expect("a buffer");
        let needs = vulkan.get_buffer_memory_requirements(buffer);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(needs.memory_type_bits.trailing_zeros());
        let memory = vulkan.allocate_memory(&info, None).expect("memory");
        vulkan.bind_buffer_memory(buffer, memory, 0).expect("it is bound");
        (buffer, memory)
    }
}
