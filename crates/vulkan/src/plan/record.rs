//! Records the commands of a sequence in order.

use super::jobs::{device_count, write_jobs};
use super::lower::{Call, Command, Groups, Lowered, Source};
use super::{Counted, IndirectArguments};
use crate::device::Device;
use crate::error::Error;
use crate::format;
use crate::memory::{Owned, query_results};
use crate::pipeline::create_render_pass;
use crate::run::{Objects, create_framebuffer};
use crate::target_reads::TargetReads;
use crate::work::{Captured, Draw, Place, Range, Target, Work};
use ash::vk;
use polyshade_planner::{Barrier, CountedBy, PassScope, Query};

/// The objects that the commands need in addition to the objects of the work.
pub(super) struct Extra<'d> {
    /// Passes by target: first a pass without a target, then one pass for each target.
    passes: Vec<Pass<'d>>,
    /// Query pools for captures and for generated primitives, each large enough for the queries of both types.
    captures: Option<Owned<'d, vk::QueryPool>>,
    generated: Option<Owned<'d, vk::QueryPool>>,
}

struct Pass<'d> {
    handle: Owned<'d, vk::RenderPass>,
    framebuffer: Owned<'d, vk::Framebuffer>,
    extent: vk::Extent2D,
}

impl<'d> Extra<'d> {
    pub(super) fn new(objects: &Objects<'d>, lowered: &Lowered<'_>) -> Result<Self, Error> {
        let device = objects.device;
        lowered.check(device)?;
        let targets = objects.images.iter().zip(&lowered.work.targets);
        let targets = std::iter::once(None).chain(targets.map(Some));
        let pass = |target: Option<(&crate::image::Image<'d>, &Target)>| {
            let (image, target) = target.unzip();
            let format = target.map(Target::attached);
            let handle =
                create_render_pass(device, format.as_slice(), None, (&[], TargetReads::default()))?;
            let (framebuffer, extent) = create_framebuffer(device, *handle, image.as_slice())?;
            Ok(Pass { handle, framebuffer, extent })
        };
        let passes = targets.map(pass).collect::<Result<_, Error>>()?;
        // The query pools that the commands need.
        let pool = |query_type, wanted: fn(&Query) -> bool| {
            let asked = |source: &Source| matches!(source, Source::Device(one, _) if wanted(one));
            if !lowered.queries.iter().any(asked) {
                return Ok(None);
            }
            let info = vk::QueryPoolCreateInfo::default()
                .query_type(query_type)
                .query_count(lowered.on_device);
            // SAFETY: the feature is supported and enabled, as `check` found.
            let pool = unsafe { device.handle.create_query_pool(&info, None) };
            Owned::new(device, pool, "vkCreateQueryPool").map(Some)
        };
        let captures = pool(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT, |query| {
            matches!(query, Query::Stream(_))
        })?;
        let generated = pool(vk::QueryType::PRIMITIVES_GENERATED_EXT, |query| {
            matches!(query, Query::PrimitivesGenerated(_))
        })?;
        write_jobs(objects, &lowered.jobs)?;
        Ok(Self { passes, captures, generated })
    }

    fn pool(&self, query: Query) -> Option<vk::QueryPool> {
        let pool = match query {
            Query::Stream(_) => &self.captures,
            Query::PrimitivesGenerated(_) => &self.generated,
        };
        pool.as_ref().map(|pool| **pool)
    }

    /// Reads the results, in the order of the queries, after the submission has finished.
    pub(super) fn read_queries(
        &self,
        device: &Device,
        lowered: &Lowered<'_>,
        buffers: &[Vec<u8>],
    ) -> Result<Vec<Counted>, Error> {
        let read = |source: &Source| {
            let (query, number) = match source {
                Source::Host(counted) => return Ok(*counted),
                Source::PlacedJob(query, place) => {
                    return Ok(device_count(*query, *place, buffers));
                }
                Source::Device(query, number) => (*query, *number),
            };
            let Some(pool) = self.pool(query) else { return Err(Error::Missing("queries")) };
            // SAFETY: queries of these types have two results and one; the submission has finished.
            let [written, needed] = unsafe {
                match query {
                    Query::Stream(_) => query_results(device, pool, number)?,
                    Query::PrimitivesGenerated(_) => {
                        let [generated] = query_results(device, pool, number)?;
                        [generated; 2]
                    }
                }
            };
            let counts = Captured { written, needed };
            Ok(Counted { query, counts })
        };
        lowered.queries.iter().map(read).collect()
    }
}

impl Lowered<'_> {
    /// Rejects commands that the device does not support, and places outside their buffers.
    fn check(&self, device: &Device) -> Result<(), Error> {
        if self.work.targets.iter().any(|target| format::is_depth(target.format)) {
            return Err(Error::Unsupported("depth tests in a planned sequence".to_owned()));
        }
        let has = device.capabilities().transform_feedback;
        self.check_scope(device)?;
        for command in &self.commands {
            match command {
                Command::BeginPass(Some(target)) if *target >= self.work.targets.len() => {
                    return Err(Error::Work(format!(
                        "a pass uses target {target}, which does not exist"
                    )));
                }
                Command::BeginQuery(_, Query::PrimitivesGenerated(stream)) => {
                    let has = device.capabilities().primitives_generated;
                    if !has.is_some_and(|has| *stream == 0 || has.with_streams) {
                        return Err(Error::Missing("queries of generated primitives"));
                    }
                }
                Command::BeginQuery(_, Query::Stream(_)) if !has.is_some_and(|has| has.queries) => {
                    return Err(Error::Missing("transform feedback queries"));
                }
                Command::BindFeedback(ranges) => {
                    let Some(has) = has else { return Err(Error::Missing("transform feedback")) };
                    if ranges.len() > has.max_buffers as usize {
                        return Err(Error::Missing("that many feedback buffers"));
                    }
                    let bound = ranges.iter().flatten();
                    bound.copied().try_for_each(|range| self.work.check_range(range))?;
                }
                Command::BeginFeedback(counters) | Command::EndFeedback(counters) => {
                    for place in counters.iter().flatten() {
                        self.work.check_range(place.with_size(4))?;
                    }
                }
                Command::Copy(from, to) => {
                    self.work.check_range(*from)?;
                    self.work.check_range(to.with_size(from.size))?;
                }
                Command::Update(place, _) | Command::Draw(Call::ByteCount(place, ..)) => {
                    self.work.check_range(place.with_size(4))?;
                }
                Command::Draw(call) => check_call(&self.work, call)?,
                Command::Dispatch(Groups::Indirect(place)) => {
                    self.work.check_range(place.with_size(12))?;
                }
                Command::Bind(index) if *index >= self.work.draws.len() => {
                    return Err(Error::work("a pipeline is bound for a draw that does not exist"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Rejects passes if the device cannot begin passes with their scope.
    fn check_scope(&self, device: &Device) -> Result<(), Error> {
        let newer = device.capabilities().newer_features.vulkan_1_3;
        let reads = |draw: &Draw<'_>| draw.reads_targets().contains(&true);
        match self.scope {
            PassScope::RenderPass => Ok(()),
            PassScope::Rendering if newer.dynamic_rendering == vk::FALSE => {
                Err(Error::Missing("dynamic rendering"))
            }
            PassScope::Rendering if self.work.draws.iter().any(reads) => {
                let message = "input attachments without a render pass object".to_owned();
                Err(Error::Unsupported(message))
            }
            PassScope::Rendering => Ok(()),
            PassScope::Encoder | PassScope::PassEncoder => {
                Err(Error::Missing("passes of other APIs than Vulkan"))
            }
        }
    }
}

fn check_call(work: &Work<'_>, call: &Call) -> Result<(), Error> {
    let (indices, arguments) = match call {
        Call::Vertices(_) | Call::ByteCount(..) => (None, None),
        Call::Indexed(indices, _) => (Some(indices), None),
        Call::Indirect(arguments) => (None, Some(arguments.range(16))),
        Call::IndexedIndirect(indices, arguments) => (Some(indices), Some(arguments.range(20))),
    };
    if let Some(indices) = indices {
        work.check_range(indices.place.with_size(0))?;
    }
    arguments.map_or(Ok(()), |range| work.check_range(range))
}

pub(super) fn record(objects: &Objects<'_>, extra: &Extra<'_>, lowered: &Lowered<'_>) {
    let (device, commands) = (&objects.device.handle, objects.command_buffer);
    for pool in extra.captures.iter().chain(&extra.generated) {
        // SAFETY: the pool has this number of queries.
        unsafe { device.cmd_reset_query_pool(commands, **pool, 0, lowered.on_device) };
    }
    for command in &lowered.commands {
        match command {
            Command::BeginPass(target) => begin_pass(objects, extra, lowered.scope, *target),
            // SAFETY: a pass is active, or the validation layer reports that none is.
            Command::EndPass => unsafe {
                match lowered.scope {
                    PassScope::Rendering => device.cmd_end_rendering(commands),
                    _ => device.cmd_end_render_pass(commands),
                }
            },
            Command::Wait(barriers) => wait(objects, barriers),
            Command::Copy(from, to) => copy(objects, *from, *to),
            Command::Update(place, value) => {
                let (buffer, offset) = objects.place(*place);
                // SAFETY: the place is inside its buffer.
                unsafe { device.cmd_update_buffer(commands, buffer, offset, &value.to_ne_bytes()) };
            }
            Command::CounterPass(shader, job) => {
                if let Some(index) = lowered.jobs[*job].dispatches[*shader as usize] {
                    let draw = &lowered.work.draws[index];
                    objects.bind(&objects.draws[index], draw);
                    let [x, y, z] = draw.dispatch.unwrap_or_default();
                    // SAFETY: everything that the pipeline needs is bound.
                    unsafe { device.cmd_dispatch(commands, x, y, z) };
                }
            }
            Command::Bind(index) => {
                objects.bind(&objects.draws[*index], &lowered.work.draws[*index]);
            }
            Command::Draw(call) => draw(objects, call),
            // SAFETY: everything that the pipeline needs is bound, and arguments are inside their buffers.
            Command::Dispatch(groups) => unsafe {
                match *groups {
                    Groups::Known([x, y, z]) => device.cmd_dispatch(commands, x, y, z),
                    Groups::Indirect(place) => {
                        let (buffer, offset) = objects.place(place);
                        device.cmd_dispatch_indirect(commands, buffer, offset);
                    }
                }
            },
            Command::BeginQuery(number, query) => {
                query_step(objects, extra, (*number, *query), true)
            }
            Command::EndQuery(number, query) => {
                query_step(objects, extra, (*number, *query), false)
            }
            Command::BindFeedback(_) | Command::BeginFeedback(..) | Command::EndFeedback(..) => {
                feedback(objects, command)
            }
        }
    }
}

fn begin_pass(objects: &Objects<'_>, extra: &Extra<'_>, scope: PassScope, target: Option<usize>) {
    let pass = &extra.passes[target.map_or(0, |target| target + 1)];
    let area = pass.extent.into();
    match scope {
        PassScope::Rendering => objects.begin_rendering(area, target.into_iter(), None),
        _ => objects.begin_pass(*pass.handle, *pass.framebuffer, area),
    }
}

/// Records the barriers of a plan unchanged.
fn wait(objects: &Objects<'_>, barriers: &[Barrier]) {
    for barrier in barriers {
        let [from, to] = [barrier.from, barrier.to].map(|access| {
            let stages = vk::PipelineStageFlags::from_raw(access.stages.bits());
            (stages, vk::AccessFlags::from_raw(access.accesses.bits()))
        });
        objects.wait(from, to);
    }
}

fn copy(objects: &Objects<'_>, from: Range, to: Place) {
    let (source, src_offset) = objects.place(Place { buffer: from.buffer, offset: from.offset });
    let (destination, dst_offset) = objects.place(to);
    let region = vk::BufferCopy { src_offset, dst_offset, size: from.size };
    // SAFETY: both ranges are inside their buffers.
    unsafe {
        let commands = objects.command_buffer;
        objects.device.handle.cmd_copy_buffer(commands, source, destination, &[region]);
    }
}

fn draw(objects: &Objects<'_>, call: &Call) {
    let (device, commands) = (&objects.device.handle, objects.command_buffer);
    // SAFETY: everything that the pipeline needs is bound, and arguments are inside their buffers.
    unsafe {
        match call {
            Call::Vertices(draw) => device.cmd_draw(
                commands,
                draw.vertex_count,
                draw.instance_count,
                draw.first_vertex,
                draw.first_instance,
            ),
            Call::Indexed(indices, instances) => objects.draw_indexed(indices, instances),
            Call::Indirect(IndirectArguments { place, draws, stride, count }) => {
                let (buffer, offset) = objects.place(*place);
                match count.map(|count| objects.place(count)) {
                    None => device.cmd_draw_indirect(commands, buffer, offset, *draws, *stride),
                    Some((counts, count)) => device.cmd_draw_indirect_count(
                        commands, buffer, offset, counts, count, *draws, *stride,
                    ),
                }
            }
            Call::IndexedIndirect(indices, IndirectArguments { place, draws, stride, count }) => {
                objects.bind_indices(indices);
                let (buffer, offset) = objects.place(*place);
                match count.map(|count| objects.place(count)) {
                    None => {
                        device.cmd_draw_indexed_indirect(commands, buffer, offset, *draws, *stride);
                    }
                    Some((counts, count)) => device.cmd_draw_indexed_indirect_count(
                        commands, buffer, offset, counts, count, *draws, *stride,
                    ),
                }
            }
            Call::ByteCount(place, count, instances) => {
                byte_count(objects, *place, count, instances)
            }
        }
    }
}

fn byte_count(
    objects: &Objects<'_>,
    place: Place,
    count: &CountedBy,
    instances: &std::ops::Range<u32>,
) {
    let Some(extension) = &objects.device.transform_feedback else { return };
    let (buffer, offset) = objects.place(place);
    // SAFETY: the counter is inside its buffer, and the device supports these draws.
    unsafe {
        (extension.fp().cmd_draw_indirect_byte_count_ext)(
            objects.command_buffer,
            instances.len() as u32,
            instances.start,
            buffer,
            offset,
            count.offset,
            count.stride,
        );
    }
}

/// Begins or ends a query.
fn query_step(
    objects: &Objects<'_>,
    extra: &Extra<'_>,
    (number, query): (u32, Query),
    begins: bool,
) {
    let Some(pool) = extra.pool(query) else { return };
    let (Query::Stream(stream) | Query::PrimitivesGenerated(stream)) = query;
    let (device, commands) = (&objects.device.handle, objects.command_buffer);
    let flags = vk::QueryControlFlags::empty();
    // SAFETY: the pool has the query; streams beyond 0 require the extension.
    unsafe {
        match (&objects.device.transform_feedback, begins) {
            (Some(extension), true) => {
                let begin = extension.fp().cmd_begin_query_indexed_ext;
                begin(commands, pool, number, flags, stream);
            }
            (Some(extension), false) => {
                (extension.fp().cmd_end_query_indexed_ext)(commands, pool, number, stream);
            }
            (None, true) => device.cmd_begin_query(commands, pool, number, flags),
            (None, false) => device.cmd_end_query(commands, pool, number),
        }
    }
}

/// Records a command of `VK_EXT_transform_feedback`.
fn feedback(objects: &Objects<'_>, command: &Command) {
    let Some(extension) = objects.device.transform_feedback.as_ref() else { return };
    match command {
        Command::BindFeedback(ranges) => {
            // Each run of bound buffers needs its own call, because no null handle can stand for an unbound buffer.
            let mut first = 0;
            for run in ranges.chunk_by(|one, other| one.is_some() == other.is_some()) {
                let bound = run.iter().flatten().copied().collect::<Vec<_>>();
                if !bound.is_empty() {
                    objects.bind_feedback(first, &bound);
                }
                first += run.len() as u32;
            }
        }
        Command::BeginFeedback(counters) => {
            objects.switch_feedback(extension.fp().cmd_begin_transform_feedback_ext, counters);
        }
        Command::EndFeedback(counters) => {
            objects.switch_feedback(extension.fp().cmd_end_transform_feedback_ext, counters);
        }
        _ => {}
    }
}
