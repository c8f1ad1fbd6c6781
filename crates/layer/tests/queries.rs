//! Tests that the results of all kinds of queries, read in all ways, match Vulkan's rules and lavapipe's results.
//!
//! The cases are random combinations. Together, they contain every valid combination of three choices.

mod case;
mod views;

use crate::bare::{Bare, Seen};
use crate::graphics::{self, Drawing, compiled};
use crate::loader::{Device, Instance, LAVAPIPE, SWIFTSHADER, Settings, Validation};
use crate::objects::memory_barrier;
use ash::vk::{self, QueryResultFlags as Flags};
use ash::{ext, vk::PipelineStageFlags as Stage};
use case::{Case, Counted, FIRST, QUERIES, READ, ROOM, Read, Stages, State, WORDS, cases};
use polyshade_formats::ShaderStage;

const SHADER: &str = "#version 450
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out uint number;
void main() { number = gl_VertexIndex; gl_Position = vec4(0); gl_PointSize = 1; }";

/// A geometry shader and tessellation shaders. Each makes two points from a primitive.
const GEOMETRY: &str = "#version 450
layout(points) in; layout(points, max_vertices = 2) out;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out uint number;
void main() {
    for (int i = 0; i < 2; ++i) {
        number = i; gl_Position = vec4(0, 0, 0, 1); EmitVertex(); EndPrimitive();
    }
}";
const CONTROL: &str = "#version 450
layout(vertices = 1) out;
void main() { gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = 1; }";
const EVALUATION: &str = "#version 450
layout(isolines, point_mode) in;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out uint number;
void main() { number = 0; gl_Position = vec4(0, 0, 0, 1); }";

struct Scene<'d> {
    bare: Bare<'d>,
    /// Capturing pipelines with the available stages, without and with rasterization.
    pipelines: [Vec<vk::Pipeline>; 2],
    target: Seen,
    /// The buffer with the byte counts for draws by byte count.
    counters: Seen,
    results: Seen,
}

impl Scene<'_> {
    fn new(device: &Device, has_stages: bool) -> Scene<'_> {
        use vk::BufferUsageFlags as Usage;
        let mut bare = Bare::new(device, 0);
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let points = vk::PrimitiveTopology::POINT_LIST;
        let compiled = |source: &str, stage, flag| (flag, compiled(source, stage));
        let stage = vk::ShaderStageFlags::GEOMETRY;
        let geometry = [compiled(GEOMETRY, ShaderStage::Geometry, stage)];
        let stage = vk::ShaderStageFlags::TESSELLATION_CONTROL;
        let control = compiled(CONTROL, ShaderStage::TessellationControl, stage);
        let stage = vk::ShaderStageFlags::TESSELLATION_EVALUATION;
        let evaluation = compiled(EVALUATION, ShaderStage::TessellationEvaluation, stage);
        let tessellation = [control, evaluation];
        let plain = SHADER.replace(", xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4", "");
        let patches = vk::PrimitiveTopology::PATCH_LIST;
        let all: [(_, &str, &[_]); 3] =
            [(points, SHADER, &[]), (points, &plain, &geometry), (patches, &plain, &tessellation)];
        let counter = Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT | Usage::INDIRECT_BUFFER;
        let pipelines = [false, true].map(|rasterizes| {
            let pipeline = |(topology, vertex, later): (_, &str, _)| {
                let vertex = graphics::words(vertex);
                let drawing = Drawing::new(&vertex, topology).with(later);
                let drawing = Drawing { rasterizes, ..drawing };
                bare.pipeline_of(drawing, &input)
            };
            let count = if has_stages { all.len() } else { 1 };
            all.into_iter().take(count).map(pipeline).collect()
        });
        Scene {
            pipelines,
            counters: bare.buffer(counter, READ as usize),
            target: bare.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, ROOM),
            results: bare.buffer(Usage::TRANSFER_DST, WORDS),
            bare,
        }
    }

    /// Runs a case. Returns the results, and the status of the command that reads them.
    fn run(&self, case: &Case) -> (Vec<u32>, vk::Result) {
        let vulkan = &self.bare.device.handle;
        let info = vk::QueryPoolCreateInfo::default().query_count(QUERIES).query_type(
            match case.of_generated {
                true => vk::QueryType::PRIMITIVES_GENERATED_EXT,
                false => vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT,
            },
        );
        self.results.fill([7; WORDS]);
        self.counters.fill((0..READ).map(|number| 4 * case.points(number)[1] as u32));
        let mut status = vk::Result::SUCCESS;
        // SAFETY: all objects are alive, and the commands are valid usage.
        unsafe {
            let pool = vulkan.create_query_pool(&info, None).expect("queries");
            vulkan.reset_query_pool(pool, 0, QUERIES);
            self.bare.submit(|commands| {
                if !case.resets_by_host {
                    vulkan.cmd_reset_query_pool(commands, pool, 0, QUERIES);
                }
                if case.state != State::NeverBegun {
                    self.draw_all(commands, pool, case);
                }
                if case.state == State::ResetAgain && !case.resets_by_host {
                    vulkan.cmd_reset_query_pool(commands, pool, 0, QUERIES);
                }
                if case.read == Read::CopiedAtOnce {
                    self.copy(commands, pool, case);
                }
            });
            if case.state == State::ResetAgain && case.resets_by_host {
                vulkan.reset_query_pool(pool, 0, QUERIES);
            }
            match case.read {
                Read::CopiedAtOnce => {}
                Read::CopiedLater => self.bare.submit(|commands| self.copy(commands, pool, case)),
                Read::ByHost => status = self.read(pool, case),
            }
            vulkan.destroy_query_pool(pool, None);
        }
        (self.results.read(), status)
    }

    unsafe fn draw_all(&self, commands: vk::CommandBuffer, pool: vk::QueryPool, case: &Case) {
        if case.streams {
            // SAFETY: guaranteed by the caller.
            return unsafe { self.draw(commands, pool, case, (0, 0..READ)) };
        }
        for number in 0..READ {
            // SAFETY: guaranteed by the caller.
            unsafe { self.draw(commands, pool, case, (number, number..number + 1)) };
        }
    }

    unsafe fn draw(
        &self,
        commands: vk::CommandBuffer,
        pool: vk::QueryPool,
        case: &Case,
        (number, queries): (u32, std::ops::Range<u32>),
    ) {
        let (vulkan, feedback) = (&self.bare.device.handle, self.bare.device.feedback.fp());
        let none = vk::QueryControlFlags::empty();
        let stream = |query: u32| if case.streams { query } else { 0 };
        let [captured, others] = case.points(number);
        // SAFETY: guaranteed by the caller.
        unsafe {
            let begin = || {
                for query in queries.clone() {
                    match case.indexed {
                        true => (feedback.cmd_begin_query_indexed_ext)(
                            commands,
                            pool,
                            FIRST + query,
                            none,
                            stream(query),
                        ),
                        false => vulkan.cmd_begin_query(commands, pool, FIRST + query, none),
                    }
                }
            };
            let end = || {
                for query in queries.clone() {
                    let (query, stream) = (FIRST + query, stream(query));
                    match case.indexed {
                        true => (feedback.cmd_end_query_indexed_ext)(commands, pool, query, stream),
                        false => vulkan.cmd_end_query(commands, pool, query),
                    }
                }
            };
            if case.around {
                begin();
            }
            self.bare.begin_pass(commands);
            let pipelines = &self.pipelines[usize::from(case.rasterizes)];
            let other = pipelines[case.stages as usize];
            let pipeline = if case.captures_stages { other } else { pipelines[0] };
            let graphics = vk::PipelineBindPoint::GRAPHICS;
            self.bare.device.bind_target(commands, 0, &self.target);
            if !case.around {
                begin();
            }
            vulkan.cmd_bind_pipeline(commands, graphics, other);
            if others > 0 && case.by_bytes {
                let (at, draw) = (4 * u64::from(number), feedback.cmd_draw_indirect_byte_count_ext);
                draw(commands, 1, 0, self.counters.buffer, at, 0, 4);
            } else if others > 0 {
                vulkan.cmd_draw(commands, others as u32, 1, 0, 0);
            }
            vulkan.cmd_bind_pipeline(commands, graphics, pipeline);
            self.bare.device.capture(commands, || {
                if captured > 0 {
                    vulkan.cmd_draw(commands, captured as u32, 1, 0, 0);
                }
            });
            if !case.around {
                end();
            }
            vulkan.cmd_end_render_pass(commands);
            if case.around {
                end();
            }
            let written = vk::AccessFlags::TRANSFORM_FEEDBACK_WRITE_EXT;
            let (barrier, stage) =
                ([memory_barrier(written, written)], Stage::TRANSFORM_FEEDBACK_EXT);
            let flags = vk::DependencyFlags::empty();
            vulkan.cmd_pipeline_barrier(commands, stage, stage, flags, &barrier, &[], &[]);
        }
    }

    unsafe fn copy(&self, commands: vk::CommandBuffer, pool: vk::QueryPool, case: &Case) {
        let vulkan = &self.bare.device.handle;
        let (to, stride) = (self.results.buffer, case.stride());
        let written = vk::AccessFlags::TRANSFER_WRITE;
        let (barrier, flags) =
            ([memory_barrier(written, vk::AccessFlags::HOST_READ)], vk::DependencyFlags::empty());
        let (transfer, host) = (Stage::TRANSFER, Stage::HOST);
        // SAFETY: guaranteed by the caller.
        unsafe {
            vulkan.cmd_copy_query_pool_results(
                commands, pool, FIRST, READ, to, 0, stride, case.flags,
            );
            vulkan.cmd_pipeline_barrier(commands, transfer, host, flags, &barrier, &[], &[]);
        }
    }

    unsafe fn read(&self, pool: vk::QueryPool, case: &Case) -> vk::Result {
        let device = self.bare.device.handle.handle();
        let get = self.bare.device.handle.fp_v1_0().get_query_pool_results;
        let mut words = [7_u32; WORDS];
        let size = size_of_val(&words);
        let to = words.as_mut_ptr().cast();
        // SAFETY: the array is large enough for all results.
        let status = unsafe { get(device, pool, FIRST, READ, size, to, case.stride(), case.flags) };
        self.results.fill(words);
        status
    }
}

/// Creates a device with host query reset, queries of both types, and multiview passes.
fn device(instance: &Instance, driver: &str, counts_streams: bool) -> Device {
    let has_stages = driver == LAVAPIPE;
    let features = vk::PhysicalDeviceFeatures::default()
        .geometry_shader(has_stages)
        .tessellation_shader(has_stages);
    let physical = instance.physical(driver);
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let names = [ext::transform_feedback::NAME, ext::primitives_generated_query::NAME];
    let names = names.map(std::ffi::CStr::as_ptr);
    let mut feedback =
        vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default().transform_feedback(true);
    let mut generated = vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT::default()
        .primitives_generated_query(true)
        .primitives_generated_query_with_rasterizer_discard(true)
        .primitives_generated_query_with_non_zero_streams(counts_streams);
    let mut eleven = vk::PhysicalDeviceVulkan11Features::default().multiview(true);
    let mut twelve = vk::PhysicalDeviceVulkan12Features::default().host_query_reset(true);
    let mut thirteen = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .enabled_features(&features)
        .push_next(&mut feedback)
        .push_next(&mut generated)
        .push_next(&mut eleven)
        .push_next(&mut twelve)
        .push_next(&mut thirteen);
    // SAFETY: all structures live until the end of this function.
    let handle = unsafe { instance.handle.create_device(physical, &info, None) };
    instance.with_commands(handle.expect("a device"), physical)
}

/// A device, and the primitives that it counts.
struct Counter {
    name: &'static str,
    device: Device,
    counted: Counted,
    instance: Instance,
}

impl Counter {
    /// Returns devices that capture with the driver's feature, and devices that capture with the layer.
    fn all() -> [Self; 4] {
        let hide: Settings<'_> = &[(c"hide", c"VK_EXT_transform_feedback")];
        let hide_both: Settings<'_> =
            &[(c"hide", c"VK_EXT_transform_feedback,VK_EXT_primitives_generated_query")];
        let native = Instance::with_layers(&[], &[]);
        let layer = |settings| Instance::new(settings, Validation::Below);
        [
            ("native", LAVAPIPE, native, Counted::All),
            ("emulated", LAVAPIPE, layer(hide), Counted::Generated),
            ("by the layer alone", LAVAPIPE, layer(hide_both), Counted::None),
            (SWIFTSHADER, SWIFTSHADER, layer(&[]), Counted::None),
        ]
        .map(|(name, driver, instance, counted)| {
            let device = device(&instance, driver, counted == Counted::All);
            Self { name, device, counted, instance }
        })
    }

    fn end(self) {
        drop(self.device);
        self.instance.assert_silent();
    }
}

/// Returns whether lavapipe 22.3 has wrong results for queries that have not ended. Partial results are undefined, and
/// copy commands with availability write zeros up to the next result.
fn is_wrong_in_lavapipe(case: &Case) -> bool {
    let copies = case.read != Read::ByHost && case.flags.contains(Flags::WITH_AVAILABILITY);
    case.state != State::Ended && (copies || case.flags.contains(Flags::PARTIAL))
}

#[test]
fn queries_of_every_kind_are_read_in_every_way() {
    let cases = cases();
    for counter in Counter::all() {
        let Counter { name, ref device, counted, .. } = counter;
        let has_stages = name != SWIFTSHADER;
        let scene = Scene::new(device, has_stages);
        let is_valid = |case: &&Case| match counted {
            Counted::All => !is_wrong_in_lavapipe(case),
            _ => has_stages || case.stages == Stages::Vertex,
        };
        for case in cases.iter().filter(is_valid) {
            let expected = (case.results(counted), case.status());
            assert_eq!(scene.run(case), expected, "{name}: {case:?}");
        }
        drop(scene);
        counter.end();
    }
}
