//! The results of every kind of query, read in every way, are those of Vulkan's rules and of lavapipe.
//!
//! Of all combinations so many are drawn that every three choices meet.

use crate::bare::{Bare, Seen};
use crate::discarding::{Drawing, compiled};
use crate::loader::{Device, Instance, LAVAPIPE, SWIFTSHADER, Settings, Validation};
use crate::objects::memory_barrier;
use ash::vk::{self, QueryResultFlags as Flags};
use ash::{ext, vk::PipelineStageFlags as Stage};
use polyshade_formats::ShaderStage;
use std::collections::HashSet;

const SHADER: &str = "#version 450
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out uint number;
void main() { number = gl_VertexIndex; gl_Position = vec4(0); gl_PointSize = 1; }";

/// A geometry shader that makes two points of each.
const TWICE: &str = "#version 450
layout(points) in; layout(points, max_vertices = 2) out;
void main() {
    for (int i = 0; i < 2; ++i) { gl_Position = vec4(0, 0, 0, 1); EmitVertex(); EndPrimitive(); }
}";

/// How many choices each part of a case has.
const CHOICES: [u32; 15] = [2, 2, 3, 4, 2, 2, 2, 2, 3, 2, 3, 2, 2, 2, 2];

/// Queries of a pool, of which three are drawn and read.
const QUERIES: u32 = 5;
const FIRST: u32 = 1;
const READ: u32 = 3;

/// Points that there is room for.
const ROOM: usize = 6;

/// Words of results.
const WORDS: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Drawn {
    Captured,
    NotCaptured,
    Both,
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Read {
    CopiedAtOnce,
    CopiedLater,
    ByHost,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Ended,
    NeverBegun,
    /// It ended, and was reset once more.
    ResetAgain,
}

#[derive(Debug)]
struct Case {
    of_generated: bool,
    /// Whether queries begin by the command that says which stream.
    indexed: bool,
    /// Whether the queries are of streams 0, 1 and 2, and active at the same time, where there are streams.
    streams: bool,
    drawn: Drawn,
    flags: Flags,
    read: Read,
    resets_by_host: bool,
    state: State,
    /// Whether queries begin and end outside of the pass.
    around: bool,
    stride_is_wide: bool,
    /// Whether draws that are not captured have a geometry stage.
    geometry: bool,
    rasterizes: bool,
    /// Whether they are draws by byte count.
    by_bytes: bool,
}

/// Which draws count.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Counted {
    All,
    /// Those that the layer counts without the driver.
    WithoutGeometry,
}

impl Case {
    /// The case of these choices, if there is such.
    fn new(choices: [u32; CHOICES.len()]) -> Option<Self> {
        let [
            generated,
            indexed,
            streams,
            drawn,
            wide,
            wait,
            partial,
            availability,
            read,
            by_host,
            state,
            around,
            geometry,
            rasterizes,
            by_bytes,
        ] = choices;
        let mut flags = Flags::empty();
        for (is_set, flag) in [
            (wide, Flags::TYPE_64),
            (wait, Flags::WAIT),
            (partial, Flags::PARTIAL),
            (availability, Flags::WITH_AVAILABILITY),
        ] {
            flags |= if is_set == 1 { flag } else { Flags::empty() };
        }
        let case = Self {
            of_generated: generated == 1,
            indexed: indexed == 1 || streams == 1,
            streams: streams == 1,
            drawn: [Drawn::Captured, Drawn::NotCaptured, Drawn::Both, Drawn::Nothing]
                [drawn as usize],
            flags,
            read: [Read::CopiedAtOnce, Read::CopiedLater, Read::ByHost][read as usize],
            resets_by_host: by_host == 1,
            state: [State::Ended, State::NeverBegun, State::ResetAgain][state as usize],
            around: around == 1,
            stride_is_wide: streams == 2,
            geometry: geometry == 1,
            rasterizes: rasterizes == 1,
            by_bytes: by_bytes == 1,
        };
        // For what never ends nobody waits, and commands do not reset by the host between them.
        let waits = case.state != State::Ended && wait == 1;
        let by_host = case.state == State::ResetAgain
            && case.resets_by_host
            && case.read == Read::CopiedAtOnce;
        (!waits && !by_host).then_some(case)
    }

    fn width(&self) -> usize {
        if self.flags.contains(Flags::TYPE_64) { 2 } else { 1 }
    }

    fn stride(&self) -> u64 {
        if self.stride_is_wide { 40 } else { 24 }
    }

    /// The points that are captured and that are not, while a query is active.
    fn points(&self, number: u32) -> [u64; 2] {
        let points = u64::from(4 + 2 * number);
        match self.drawn {
            Drawn::Captured => [points, 0],
            Drawn::NotCaptured => [0, points],
            Drawn::Both => [points, points],
            Drawn::Nothing => [0, 0],
        }
    }

    /// Which words the results have, and where, as Vulkan says it.
    fn results(&self, counted: Counted) -> Vec<u32> {
        let mut words = vec![7; WORDS];
        let is_available = self.state == State::Ended;
        for number in 0..READ {
            // Of several streams the others get no points.
            let counts = is_available && (number == 0 || !self.streams);
            let [captured, others] = if counts { self.points(number) } else { [0, 0] };
            let others = match (self.geometry, counted) {
                (false, _) => others,
                (true, Counted::All) => 2 * others,
                (true, Counted::WithoutGeometry) => 0,
            };
            let values = match self.of_generated {
                true => vec![captured + others],
                false => vec![captured.min(ROOM as u64), captured],
            };
            let are_there = is_available || self.flags.contains(Flags::PARTIAL);
            let available = self.flags.contains(Flags::WITH_AVAILABILITY);
            let available = available.then_some(Some(u64::from(is_available)));
            let values = values.into_iter().map(|value| are_there.then_some(value));
            let mut at = (u64::from(number) * self.stride() / 4) as usize;
            for value in values.chain(available) {
                if let Some(value) = value {
                    words[at] = value as u32;
                    words[at + 1..at + self.width()].fill(0);
                }
                at += self.width();
            }
        }
        words
    }

    fn status(&self) -> vk::Result {
        let is_partial = self.flags.contains(Flags::PARTIAL);
        match self.read == Read::ByHost && self.state != State::Ended && !is_partial {
            true => vk::Result::NOT_READY,
            false => vk::Result::SUCCESS,
        }
    }
}

/// Cases in which every three choices meet that can.
fn cases() -> Vec<Case> {
    let (mut noise, mut met, mut cases) = (0x9e37_79b9_7f4a_7c15_u64, HashSet::new(), Vec::new());
    for _ in 0..20_000 {
        let choices = CHOICES.map(|choices| {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            (noise >> 33) as u32 % choices
        });
        let Some(case) = Case::new(choices) else { continue };
        let before = met.len();
        let choices: Vec<_> = choices.into_iter().enumerate().collect();
        for (third, last) in choices.iter().enumerate() {
            for (second, middle) in choices[..third].iter().enumerate() {
                met.extend(choices[..second].iter().map(|first| (*first, *middle, *last)));
            }
        }
        if met.len() > before {
            cases.push(case);
        }
    }
    cases
}

/// A device whose queries are read.
struct Scene<'d> {
    bare: Bare<'d>,
    /// A pipeline that captures, and one with a geometry stage if there is such: that rasterize nothing, and that do.
    pipelines: [(vk::Pipeline, Option<vk::Pipeline>); 2],
    target: Seen,
    /// The bytes that draws by byte count are told of.
    counters: Seen,
    results: Seen,
}

impl Scene<'_> {
    fn new(device: &Device, has_geometry: bool) -> Scene<'_> {
        use vk::BufferUsageFlags as Usage;
        let mut bare = Bare::new(device, 0);
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let vertex = compiled(SHADER, ShaderStage::Vertex);
        let plain = compiled(
            &SHADER.replace(", xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4", ""),
            ShaderStage::Vertex,
        );
        let geometry = compiled(TWICE, ShaderStage::Geometry);
        let points = vk::PrimitiveTopology::POINT_LIST;
        let counter = Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT | Usage::INDIRECT_BUFFER;
        let pipelines = [false, true].map(|rasterizes| {
            let captured = Drawing { rasterizes, ..Drawing::new(&vertex, points) };
            let other =
                Drawing { geometry: Some(&geometry), rasterizes, ..Drawing::new(&plain, points) };
            let other = has_geometry.then(|| bare.pipeline_of(other, &input));
            (bare.pipeline_of(captured, &input), other)
        });
        Scene {
            pipelines,
            counters: bare.buffer(counter, READ as usize),
            target: bare.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, ROOM),
            results: bare.buffer(Usage::TRANSFER_DST, WORDS),
            bare,
        }
    }

    /// The results of a case, and the status of the command that reads them.
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
        // SAFETY: all that is used is alive, and recorded as Vulkan has it.
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
            // SAFETY: the caller's promise.
            return unsafe { self.draw(commands, pool, case, (0, 0..READ)) };
        }
        for number in 0..READ {
            // SAFETY: the caller's promise.
            unsafe { self.draw(commands, pool, case, (number, number..number + 1)) };
        }
    }

    /// Draws with these queries active.
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
        // SAFETY: the caller's promise.
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
            let (pipeline, with_geometry) = self.pipelines[usize::from(case.rasterizes)];
            let other = with_geometry.filter(|_| case.geometry).unwrap_or(pipeline);
            let graphics = vk::PipelineBindPoint::GRAPHICS;
            let (zero, size) = (0, self.target.size());
            let bind = feedback.cmd_bind_transform_feedback_buffers_ext;
            bind(commands, 0, 1, &raw const self.target.buffer, &raw const zero, &raw const size);
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
            let none = std::ptr::null();
            (feedback.cmd_begin_transform_feedback_ext)(commands, 0, 0, none, std::ptr::null());
            if captured > 0 {
                vulkan.cmd_draw(commands, captured as u32, 1, 0, 0);
            }
            (feedback.cmd_end_transform_feedback_ext)(commands, 0, 0, none, std::ptr::null());
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
        // SAFETY: the caller's promise.
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
        // SAFETY: there is room for all.
        let status = unsafe { get(device, pool, FIRST, READ, size, to, case.stride(), case.flags) };
        self.results.fill(words);
        status
    }
}

/// A device with queries of both types that the host resets.
fn device(instance: &Instance, driver: &str, counts_streams: bool) -> Device {
    let features = vk::PhysicalDeviceFeatures::default().geometry_shader(driver == LAVAPIPE);
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
    let mut twelve = vk::PhysicalDeviceVulkan12Features::default().host_query_reset(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .enabled_features(&features)
        .push_next(&mut feedback)
        .push_next(&mut generated)
        .push_next(&mut twelve);
    // SAFETY: what the structure points to lives until the end of this function.
    let handle = unsafe { instance.handle.create_device(physical, &info, None) };
    instance.with_commands(handle.expect("a device"), physical)
}

/// Whether lavapipe 22.3 has the results wrong of queries that have not ended: asked for in any case they are anything,
/// and where availability is asked for, commands copy zeros as far as the next result.
fn is_wrong_in_lavapipe(case: &Case) -> bool {
    let copies = case.read != Read::ByHost && case.flags.contains(Flags::WITH_AVAILABILITY);
    case.state != State::Ended && (copies || case.flags.contains(Flags::PARTIAL))
}

#[test]
fn queries_of_every_kind_are_read_in_every_way() {
    let hide: Settings<'_> = &[(c"hide", c"VK_EXT_transform_feedback")];
    let hide_both: Settings<'_> =
        &[(c"hide", c"VK_EXT_transform_feedback,VK_EXT_primitives_generated_query")];
    let native = Instance::with_layers(&[], &[]);
    let forced = Instance::new(hide, Validation::Below);
    let alone = Instance::new(hide_both, Validation::Below);
    let other = Instance::new(&[], Validation::Below);
    let devices = [
        ("native", device(&native, LAVAPIPE, true), Counted::All),
        ("emulated", device(&forced, LAVAPIPE, false), Counted::All),
        ("by the layer alone", device(&alone, LAVAPIPE, false), Counted::WithoutGeometry),
        (SWIFTSHADER, device(&other, SWIFTSHADER, false), Counted::WithoutGeometry),
    ];
    let cases = cases();
    for (name, device, counted) in &devices {
        let has_geometry = *name != SWIFTSHADER;
        let scene = Scene::new(device, has_geometry);
        // The layer counts no primitives of other streams, and says so.
        let is_valid = |case: &&Case| match *name {
            "native" => !is_wrong_in_lavapipe(case),
            _ => !(case.of_generated && case.streams) && (has_geometry || !case.geometry),
        };
        for case in cases.iter().filter(is_valid) {
            let expected = (case.results(*counted), case.status());
            assert_eq!(scene.run(case), expected, "{name}: {case:?}");
        }
    }
    drop(devices);
    forced.assert_silent();
    alone.assert_silent();
    other.assert_silent();
}
