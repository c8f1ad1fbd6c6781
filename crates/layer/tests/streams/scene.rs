//! The objects of streams, and the results read after them.

use super::case::{CallKind, MOST_CALLS, MOST_CAPTURES, MOST_DRAWS, Stream};
use super::device::Able;
use super::pipelines::{SIDE, Shaders, pass, pipelines};
use crate::bare::{Bare, Seen};
use crate::objects::{framebuffer, image};
use ash::vk;
use std::sync::PoisonError;

/// The number of queries in a pool, and the first query of the second vertex stream.
pub(super) const QUERIES: u32 = 16;
pub(super) const OF_SECOND_STREAM: u32 = 8;

/// The number of 32-bit values in each buffer.
const WORDS: usize = 256;

/// The number of 32-bit values in a draw's arguments, and in the stride between draws.
pub(super) const ARGUMENT_WORDS: usize = 5;

#[derive(Default)]
pub(super) struct Left {
    /// The contents of all capture targets, and of the counters.
    pub(super) words: Vec<Vec<u32>>,
    /// For each capture, the primitives written and needed; then those of the second vertex stream, if there is one.
    pub(super) captured: Vec<[u64; 2]>,
    /// The primitives generated during each capture.
    pub(super) generated: Vec<u64>,
    /// The availability of each timestamp.
    pub(super) stamped: Vec<u64>,
    pub(super) pixels: Vec<u32>,
}

impl Left {
    /// Describes the first difference in each part of the results, with both values.
    pub(super) fn differences(&self, expected: &Self) -> Vec<String> {
        let mut all = Vec::new();
        let mut note = |what: &str, left: &[u64], right: &[u64]| {
            let first = left.iter().zip(right).position(|(left, right)| left != right);
            all.extend(first.map(|at| format!("{what} {at}: {} for {}", left[at], right[at])));
        };
        let wide = |words: &[u32]| words.iter().map(|word| u64::from(*word)).collect::<Vec<_>>();
        for (((_, name), left), right) in LEFT.iter().zip(&self.words).zip(&expected.words) {
            note(name, &wide(left), &wide(right));
        }
        let counts = |left: &Self| left.captured.concat();
        note("number of two a capture", &counts(self), &counts(expected));
        note("number generated", &self.generated, &expected.generated);
        note("timestamp", &self.stamped, &expected.stamped);
        note("pixel", &wide(&self.pixels), &wide(&expected.pixels));
        all
    }
}

#[derive(Clone, Copy)]
pub(super) enum Buffer {
    FirstTarget,
    SecondTarget,
    /// The target of captures whose vertex attributes come from the first target.
    ThirdTarget,
    FourthTarget,
    Counters,
    Vertices,
    Instances,
    Indices,
    Arguments,
    Counts,
    Predicates,
    Pixels,
}

const BUFFERS: [(Buffer, vk::BufferUsageFlags); 12] = [
    (
        Buffer::FirstTarget,
        vk::BufferUsageFlags::from_raw(
            vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT.as_raw()
                | vk::BufferUsageFlags::VERTEX_BUFFER.as_raw(),
        ),
    ),
    (Buffer::SecondTarget, vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT),
    (Buffer::ThirdTarget, vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT),
    (Buffer::FourthTarget, vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT),
    (
        Buffer::Counters,
        vk::BufferUsageFlags::from_raw(
            vk::BufferUsageFlags::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT.as_raw()
                | vk::BufferUsageFlags::INDIRECT_BUFFER.as_raw(),
        ),
    ),
    (Buffer::Vertices, vk::BufferUsageFlags::VERTEX_BUFFER),
    (Buffer::Instances, vk::BufferUsageFlags::VERTEX_BUFFER),
    (Buffer::Indices, vk::BufferUsageFlags::INDEX_BUFFER),
    (Buffer::Arguments, vk::BufferUsageFlags::INDIRECT_BUFFER),
    (Buffer::Counts, vk::BufferUsageFlags::INDIRECT_BUFFER),
    (Buffer::Predicates, vk::BufferUsageFlags::CONDITIONAL_RENDERING_EXT),
    (Buffer::Pixels, vk::BufferUsageFlags::TRANSFER_DST),
];

pub(super) struct Scene<'d> {
    pub(super) able: &'d Able,
    pub(super) stream: &'d Stream,
    pub(super) bare: Bare<'d>,
    buffers: Vec<Seen>,
    pub(super) image: vk::Image,
    image_memory: vk::DeviceMemory,
    pub(super) view: vk::ImageView,
    pub(super) pass: vk::RenderPass,
    pub(super) framebuffer: vk::Framebuffer,
    pub(super) layout: vk::PipelineLayout,
    /// The pipeline, and the libraries that it is linked from.
    pub(super) pipelines: Vec<vk::Pipeline>,
    /// The queries of captures, and of primitives generated if the device can count them.
    pub(super) queries: vk::QueryPool,
    pub(super) generated: Option<vk::QueryPool>,
    pub(super) stamps: vk::QueryPool,
    /// One event for each pass that waits.
    pub(super) events: [vk::Event; MOST_CAPTURES],
}

impl<'d> Scene<'d> {
    pub(super) unsafe fn new(able: &'d Able, stream: &'d Stream) -> Self {
        let device = &able.device;
        let vulkan = &device.handle;
        // SAFETY: all structures are valid.
        unsafe {
            let all = if stream.look.pushes_all { able.max_push_constants } else { 4 };
            let mut bare = Bare::new(device, all);
            let buffers = BUFFERS.map(|(buffer, usage)| {
                // The usage for conditional rendering requires the extension.
                let usage = match able.conditional {
                    None if matches!(buffer, Buffer::Predicates) => {
                        vk::BufferUsageFlags::TRANSFER_SRC
                    }
                    _ => usage,
                };
                let seen = bare.buffer(usage, WORDS);
                seen.fill(words(stream, buffer));
                seen
            });
            let (image, image_memory, view) =
                image(device, SIDE, vk::ImageUsageFlags::TRANSFER_DST);
            let pass = pass(device);
            let framebuffer = framebuffer(device, pass, view, SIDE);
            let shaders = Shaders::new(device, &stream.look);
            let pipelines = pipelines(device, &stream.look, &shaders, pass, bare.layout);
            shaders.destroy(device);
            let pool = |ty| {
                let info = vk::QueryPoolCreateInfo::default().query_type(ty).query_count(QUERIES);
                vulkan.create_query_pool(&info, None).expect("queries")
            };
            let of_generated = vk::QueryType::PRIMITIVES_GENERATED_EXT;
            Self {
                able,
                stream,
                buffers: buffers.into(),
                image,
                image_memory,
                view,
                pass,
                framebuffer,
                layout: bare.layout,
                pipelines,
                queries: pool(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT),
                generated: able.counts_generated.then(|| pool(of_generated)),
                stamps: pool(vk::QueryType::TIMESTAMP),
                events: [(); MOST_CAPTURES]
                    .map(|()| vulkan.create_event(&Default::default(), None).expect("an event")),
                bare,
            }
        }
    }

    pub(super) fn of(&self, buffer: Buffer) -> vk::Buffer {
        self.buffers[buffer as usize].buffer
    }

    /// Returns the results after all commands have finished.
    pub(super) unsafe fn left(&self) -> Left {
        let vulkan = &self.able.device.handle;
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        let count = self.stream.captures.len();
        let (mut captured, mut generated) = (vec![[0; 2]; count], vec![0; count]);
        let mut stamps = [[0_u64; 2]; 2];
        // SAFETY: no command is pending, and all queries have ended.
        unsafe {
            vulkan.get_query_pool_results(self.queries, 0, &mut captured, flags).expect("results");
            if self.stream.has_streams() {
                let mut of_second = vec![[0; 2]; count];
                let results = vulkan.get_query_pool_results(
                    self.queries,
                    OF_SECOND_STREAM,
                    &mut of_second,
                    flags,
                );
                results.expect("results");
                captured.extend(of_second);
            }
            if let Some(pool) = self.generated {
                vulkan.get_query_pool_results(pool, 0, &mut generated, flags).expect("results");
            }
            if self.stream.stamped {
                let flags = flags | vk::QueryResultFlags::WITH_AVAILABILITY;
                vulkan.get_query_pool_results(self.stamps, 0, &mut stamps, flags).expect("times");
            }
            let stamped = stamps.iter().map(|[_, available]| u64::from(*available != 0)).collect();
            let words = LEFT.map(|(buffer, _)| self.read(buffer)).into();
            Left { words, captured, generated, stamped, pixels: self.read(Buffer::Pixels) }
        }
    }

    /// Submits commands as many times as the stream requires, and waits.
    pub(super) unsafe fn submit(&self, commands: &[vk::CommandBuffer]) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.submit_together(&[commands]) };
    }

    /// Submits several batches at once, as many times as the stream requires.
    pub(super) unsafe fn submit_together(&self, batches: &[&[vk::CommandBuffer]]) {
        let vulkan = &self.able.device.handle;
        let submit = batches.iter().map(|one| vk::SubmitInfo::default().command_buffers(one));
        let submit: Vec<_> = submit.collect();
        for _ in 0..self.stream.submissions {
            let queue = self.able.queue.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: all commands are recorded, nothing is pending, and this thread has locked the queue.
            unsafe {
                for event in self.events {
                    vulkan.reset_event(event).expect("it is reset");
                }
                vulkan.queue_submit(*queue, &submit, vk::Fence::null()).expect("it is submitted");
                vulkan.queue_wait_idle(*queue).expect("it ends");
            }
        }
    }

    fn read(&self, buffer: Buffer) -> Vec<u32> {
        self.buffers[buffer as usize].read()
    }

    pub(super) unsafe fn destroy(self) {
        let vulkan = &self.able.device.handle;
        // SAFETY: nothing is in use.
        unsafe {
            self.bare.reset();
            for event in self.events {
                vulkan.destroy_event(event, None);
            }
            for pool in [self.queries, self.stamps].into_iter().chain(self.generated) {
                vulkan.destroy_query_pool(pool, None);
            }
            for pipeline in self.pipelines {
                vulkan.destroy_pipeline(pipeline, None);
            }
            vulkan.destroy_framebuffer(self.framebuffer, None);
            vulkan.destroy_render_pass(self.pass, None);
            vulkan.destroy_image_view(self.view, None);
            vulkan.destroy_image(self.image, None);
            vulkan.free_memory(self.image_memory, None);
        }
    }
}

/// The buffers that are compared, with their names in differences.
const LEFT: [(Buffer, &str); 5] = [
    (Buffer::FirstTarget, "first target"),
    (Buffer::SecondTarget, "second target"),
    (Buffer::ThirdTarget, "third target"),
    (Buffer::FourthTarget, "fourth target"),
    (Buffer::Counters, "counter"),
];

fn words(stream: &Stream, buffer: Buffer) -> Vec<u32> {
    let index = |i: usize| stream.indices.get(i).copied().unwrap_or(0);
    let bits = match stream.look.index_type {
        vk::IndexType::UINT32 => 32,
        vk::IndexType::UINT16 => 16,
        _ => 8,
    };
    let indices = |i: usize| {
        let each = 32 / bits;
        let part = |at: usize| (index(i * each + at) & (u32::MAX >> (32 - bits))) << (at * bits);
        (0..each).map(part).fold(0, |all, one| all | one)
    };
    let calls = || stream.captures.iter().flat_map(|capture| &capture.calls);
    // The arguments of call `n` begin at draw `n * MOST_DRAWS`.
    let mut arguments = vec![0x1111; WORDS];
    const { assert!(MOST_CALLS * MOST_DRAWS * ARGUMENT_WORDS <= WORDS) };
    for call in calls() {
        for (at, draw) in call.draws.iter().enumerate() {
            let at = (call.number * MOST_DRAWS + at) * ARGUMENT_WORDS;
            let (instances, base) = (call.instances, call.first_instance);
            let words = match call.kind {
                CallKind::IndexedIndirect => {
                    [draw.count, instances, draw.first, draw.offset.cast_unsigned(), base]
                }
                _ => [draw.count, instances, draw.first, base, 0],
            };
            arguments[at..at + ARGUMENT_WORDS].copy_from_slice(&words);
        }
    }
    let of_call = |i: usize| calls().find(|call| call.number == i);
    let word = |i: usize| match buffer {
        Buffer::Counters => 12 * (i as u32 % 2),
        Buffer::Vertices => 1000 + i as u32,
        Buffer::Instances => (i as f32).to_bits(),
        Buffer::Indices => indices(i),
        Buffer::Arguments => arguments[i],
        Buffer::Counts => of_call(i).map_or(0, |call| call.counted),
        Buffer::Predicates => {
            let around = stream.condition.filter(|_| i == MOST_CALLS);
            let condition = of_call(i).and_then(|call| call.condition).or(around);
            condition.map_or(0, |(word, _)| word)
        }
        Buffer::FirstTarget
        | Buffer::SecondTarget
        | Buffer::ThirdTarget
        | Buffer::FourthTarget
        | Buffer::Pixels => 0x7777_7777,
    };
    (0..WORDS).map(word).collect()
}
