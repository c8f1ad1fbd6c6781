//! Measures the costs of the layer's emulation and of the driver's own transform feedback on lavapipe, in one run.
//!
//! `cargo bench -p polyshade-layer --bench costs` prints a table. With `memory COUNT`, it prints the memory of that
//! many pipelines that have captured. With one of `COMMANDS` and COUNT, it only records that many commands, so that
//! callgrind can count the instructions (see docs/performance.md).

#[allow(dead_code)]
#[path = "../tests/bare.rs"]
mod bare;
#[allow(dead_code)]
#[path = "../tests/graphics.rs"]
mod graphics;
#[allow(dead_code)]
#[path = "../tests/loader.rs"]
mod loader;
#[allow(dead_code)]
#[path = "../tests/objects.rs"]
mod objects;

use ash::vk;
use bare::{Bare, Seen};
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
const BYTES: usize = 3 * 16 * 30_000 * 4;

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
            }
        }
    }
    let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    let scenes = devices.each_ref().map(|device| Scene::new(device, TRIVIAL, topology));
    let recorded = scenes.each_ref().map(|scene| scene.record_passes(PASSES, 3, 1, false));
    let times = least(ROUNDS, |which| scenes[which].submit(recorded[which]));
    let [native, emulated] = times.map(|time| time.as_secs_f64() * 1e6 / f64::from(PASSES));
    println!("a render pass that draws nothing: {native:.2} and {emulated:.2} µs");
    for (shader, source) in [("trivial", TRIVIAL), ("heavy", HEAVY)] {
        // The time from the creation of a pipeline to the end of its first capture.
        let first = |which: usize| {
            let mut scene = Scene::empty(&devices[which]);
            let begin = Instant::now();
            scene.pipeline = pipeline(&mut scene.bare, source, topology);
            scene.submit(scene.record(3, 1, true));
            begin.elapsed()
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
            scene.bare.reset();
            scene.pipeline = pipeline(&mut scene.bare, source, topology);
        }
        let held = (resident() - before) / f64::from(count);
        println!("{shader}: a pipeline that has captured holds {held:.0} kB");
        kept.push(scene);
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
    let (vulkan, buffer) = (&device.handle, scene.attributes.buffer);
    let point = vk::PipelineBindPoint::GRAPHICS;
    // SAFETY: the commands are valid usage.
    let each = |commands| unsafe {
        match command {
            "captured" => device.capture(commands, || vulkan.cmd_draw(commands, 3, 1, 0, 0)),
            "indexed" => {
                device.capture(commands, || vulkan.cmd_draw_indexed(commands, 3, 1, 0, 0, 0));
            }
            "pipeline" => vulkan.cmd_bind_pipeline(commands, point, scene.pipeline),
            "push" => {
                let stages = vk::ShaderStageFlags::VERTEX;
                vulkan.cmd_push_constants(commands, scene.bare.layout, stages, 0, &[0; 4]);
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
}

struct Scene<'d> {
    bare: Bare<'d>,
    target: Seen,
    attributes: Seen,
    pipeline: vk::Pipeline,
}

impl<'d> Scene<'d> {
    fn new(device: &'d Device, source: &str, topology: vk::PrimitiveTopology) -> Self {
        let mut scene = Self::empty(device);
        scene.pipeline = pipeline(&mut scene.bare, source, topology);
        scene
    }

    /// Returns a scene without a pipeline.
    fn empty(device: &'d Device) -> Self {
        let mut bare = Bare::new(device, 4);
        let mut buffer = |usage| bare.buffer(usage, BYTES / 4);
        let target = buffer(vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT);
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER | vk::BufferUsageFlags::INDEX_BUFFER;
        let attributes = buffer(usage);
        Self { bare, target, attributes, pipeline: vk::Pipeline::null() }
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
            let draw = || unsafe { self.bare.device.handle.cmd_draw(commands, vertices, 1, 0, 0) };
            for _ in 0..draws {
                if captured { self.bare.device.capture(commands, draw) } else { draw() }
            }
        };
        self.record_with(passes, |_| (), draw)
    }

    /// Records commands before and in a pass, which follows empty passes.
    fn record_with(
        &self,
        passes: u32,
        before: impl FnOnce(vk::CommandBuffer),
        inside: impl FnOnce(vk::CommandBuffer),
    ) -> vk::CommandBuffer {
        let vulkan = &self.bare.device.handle;
        let attributes = self.attributes.buffer;
        // SAFETY: all objects are alive, and the commands are valid usage.
        self.bare.record(|commands| unsafe {
            before(commands);
            // All passes but the last are empty.
            for _ in 1..passes {
                self.bare.begin_pass(commands);
                vulkan.cmd_end_render_pass(commands);
            }
            self.bare.begin_pass(commands);
            vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline);
            vulkan.cmd_bind_vertex_buffers(commands, 0, &[attributes], &[0]);
            vulkan.cmd_bind_index_buffer(commands, attributes, 0, vk::IndexType::UINT32);
            self.bare.device.bind_target(commands, 0, &self.target);
            inside(commands);
            vulkan.cmd_end_render_pass(commands);
        })
    }

    /// Submits commands and returns the time until the device has executed them.
    fn submit(&self, commands: vk::CommandBuffer) -> Duration {
        let (vulkan, queue) = (&self.bare.device.handle, self.bare.device.queue);
        let commands = [commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
        let begin = Instant::now();
        // SAFETY: the commands are recorded.
        unsafe {
            vulkan.queue_submit(queue, &submit, vk::Fence::null()).expect("submitted");
            vulkan.queue_wait_idle(queue).expect("it ends");
        }
        begin.elapsed()
    }
}

fn pipeline(bare: &mut Bare<'_>, source: &str, topology: vk::PrimitiveTopology) -> vk::Pipeline {
    let attributes = [vk::VertexInputAttributeDescription {
        format: vk::Format::R32G32B32A32_SFLOAT,
        ..Default::default()
    }];
    let bindings = [vk::VertexInputBindingDescription { stride: 16, ..Default::default() }];
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_attribute_descriptions(&attributes)
        .vertex_binding_descriptions(&bindings);
    bare.pipeline(source, topology, &input)
}
