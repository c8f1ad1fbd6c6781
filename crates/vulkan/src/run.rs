//! Runs [`Work`]: makes the objects, records the commands, waits and reads back.

use crate::device::Device;
use crate::error::{Context, Error};
use crate::memory::{Buffer, Image, Owned};
use crate::pipeline::{Pipeline, State};
use crate::work::{Captured, Descriptor, Draw, Outcome, Resource, Work};
use ash::vk;
use std::sync::PoisonError;
use std::time::Duration;

/// How long a submission may take.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// The stream that is captured and counted.
pub(crate) const STREAM: u32 = 0;

impl Device {
    /// Runs the draws in one submission and returns what they left.
    ///
    /// The modules must be valid SPIR-V, and what they do must be defined: drivers do not check. Validation reports
    /// most of what is wrong with the rest; see [`take_messages`](Device::take_messages). A device that does not
    /// finish within 20 seconds is given up, and every later call fails.
    pub fn run(&self, work: &Work<'_>) -> Result<Outcome, Error> {
        work.check()?;
        let objects = Objects::new(self, work)?;
        objects.record(work)?;
        let objects = objects.submit()?;
        objects.read_back(work)
    }
}

/// All that a submission uses.
pub(crate) struct Objects<'d> {
    pub(crate) device: &'d Device,
    pub(crate) buffers: Vec<Buffer<'d>>,
    pub(crate) images: Vec<Image<'d>>,
    pub(crate) pipelines: Vec<Pipeline<'d>>,
    pub(crate) draws: Vec<DrawObjects<'d>>,
    /// One query a draw, used where a draw captures.
    pub(crate) queries: Option<Owned<'d, vk::QueryPool>>,
    fence: Owned<'d, vk::Fence>,
    _commands: Owned<'d, vk::CommandPool>,
    pub(crate) command_buffer: vk::CommandBuffer,
}

/// What one draw has for itself.
pub(crate) struct DrawObjects<'d> {
    /// The index of the pipeline.
    pub(crate) pipeline: usize,
    pub(crate) framebuffer: Owned<'d, vk::Framebuffer>,
    pub(crate) extent: vk::Extent2D,
    pub(crate) sets: Vec<vk::DescriptorSet>,
    _pool: Option<Owned<'d, vk::DescriptorPool>>,
}

impl<'d> Objects<'d> {
    fn new(device: &'d Device, work: &Work<'_>) -> Result<Objects<'d>, Error> {
        let queries = create_queries(device, work)?;
        let buffers = work.buffers.iter().map(|contents| Buffer::new(device, contents));
        let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
        let images = work.targets.iter().map(|&target| Image::new(device, target));
        let images = images.collect::<Result<Vec<_>, _>>()?;

        let mut states = Vec::new();
        let mut pipelines = Vec::new();
        let mut draws = Vec::new();
        for draw in &work.draws {
            let state = State::new(work, draw);
            let known = states.iter().position(|known| *known == state);
            let index = known.unwrap_or(states.len());
            if known.is_none() {
                pipelines.push(Pipeline::new(device, &state)?);
                states.push(state);
            }
            let image = draw.target.map(|target| &images[target]);
            draws.push(DrawObjects::new(
                device,
                draw,
                (index, &pipelines[index]),
                image,
                &buffers,
            )?);
        }

        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue_family);
        // SAFETY: the command buffer is used for as long as its pool lives.
        let (fence, commands, command_buffer) = unsafe {
            let fence = device.handle.create_fence(&vk::FenceCreateInfo::default(), None);
            let fence = Owned::new(device, fence.call("vkCreateFence")?);
            let pool = device.handle.create_command_pool(&info, None);
            let pool = Owned::new(device, pool.call("vkCreateCommandPool")?);
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(*pool)
                .command_buffer_count(1);
            let buffers = device.handle.allocate_command_buffers(&info);
            (fence, pool, buffers.call("vkAllocateCommandBuffers")?[0])
        };
        Ok(Objects {
            device,
            buffers,
            images,
            pipelines,
            draws,
            queries,
            fence,
            _commands: commands,
            command_buffer,
        })
    }

    /// Submits and waits. What a hung device still uses is leaked.
    fn submit(self) -> Result<Objects<'d>, Error> {
        let mut queue = self.device.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.hung {
            return Err(Error::TimedOut);
        }
        let device = &self.device.handle;
        let command_buffers = [self.command_buffer];
        let submits = [vk::SubmitInfo::default().command_buffers(&command_buffers)];
        // SAFETY: the queue is locked, and the objects live until the fence is signalled.
        let waited = unsafe {
            device.queue_submit(queue.handle, &submits, *self.fence).call("vkQueueSubmit")?;
            device.wait_for_fences(&[*self.fence], true, TIME_LIMIT.as_nanos() as u64)
        };
        let Err(result) = waited else {
            drop(queue);
            return Ok(self);
        };
        queue.hung = true;
        drop(queue);
        std::mem::forget(self);
        match result {
            vk::Result::TIMEOUT => Err(Error::TimedOut),
            result => Err(Error::Call { name: "vkWaitForFences", result }),
        }
    }

    fn read_back(&self, work: &Work<'_>) -> Result<Outcome, Error> {
        let captured = (0..).zip(&work.draws).map(|(index, draw)| match &draw.transform_feedback {
            Some(_) => self.read_query(index).map(Some),
            None => Ok(None),
        });
        Ok(Outcome {
            captured: captured.collect::<Result<_, _>>()?,
            buffers: self.buffers.iter().map(Buffer::read).collect(),
            targets: self.images.iter().map(|image| image.pixels.read()).collect(),
        })
    }

    fn read_query(&self, index: u32) -> Result<Captured, Error> {
        let Some(queries) = &self.queries else { return Err(Error::Missing("stream queries")) };
        let mut results = [[0_u64; 2]];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: a query of this type has two results, and this one was made in a submission that is over.
        unsafe { self.device.handle.get_query_pool_results(**queries, index, &mut results, flags) }
            .call("vkGetQueryPoolResults")?;
        let [[written, needed]] = results;
        Ok(Captured { written, needed })
    }
}

fn create_queries<'d>(
    device: &'d Device,
    work: &Work<'_>,
) -> Result<Option<Owned<'d, vk::QueryPool>>, Error> {
    let mut feedbacks = work.draws.iter().filter_map(|draw| draw.transform_feedback.as_ref());
    let Some(most) = feedbacks.by_ref().map(|feedback| feedback.buffers.len()).max() else {
        return Ok(None);
    };
    match device.capabilities().transform_feedback {
        None => return Err(Error::Missing("transform feedback")),
        Some(has) if !has.queries => return Err(Error::Missing("transform feedback queries")),
        Some(has) if most > has.max_buffers as usize => {
            return Err(Error::Missing("that many feedback buffers"));
        }
        Some(_) => {}
    }
    let info = vk::QueryPoolCreateInfo::default()
        .query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)
        .query_count(work.draws.len() as u32);
    // SAFETY: the feature is there and enabled.
    let pool = unsafe { device.handle.create_query_pool(&info, None) }.call("vkCreateQueryPool")?;
    Ok(Some(Owned::new(device, pool)))
}

impl<'d> DrawObjects<'d> {
    fn new(
        device: &'d Device,
        draw: &Draw<'_>,
        (index, pipeline): (usize, &Pipeline<'_>),
        image: Option<&Image<'_>>,
        buffers: &[Buffer<'_>],
    ) -> Result<DrawObjects<'d>, Error> {
        let extent = image.map_or(vk::Extent2D { width: 1, height: 1 }, |image| vk::Extent2D {
            width: image.target.width,
            height: image.target.height,
        });
        let views = image.map(|image| *image.view);
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(*pipeline.render_pass)
            .attachments(views.as_slice())
            .width(extent.width)
            .height(extent.height)
            .layers(1);
        // SAFETY: the framebuffer has the attachment of its render pass, or none as well.
        let framebuffer =
            unsafe { device.handle.create_framebuffer(&info, None) }.call("vkCreateFramebuffer")?;
        let framebuffer = Owned::new(device, framebuffer);

        let (pool, sets) = match create_pool(device, draw, pipeline)? {
            None => (None, Vec::new()),
            Some(pool) => {
                let sets = allocate_sets(device, draw, pipeline, &pool, buffers)?;
                (Some(pool), sets)
            }
        };
        Ok(DrawObjects { pipeline: index, framebuffer, extent, sets, _pool: pool })
    }
}

/// A pool for exactly the descriptors of one draw.
fn create_pool<'d>(
    device: &'d Device,
    draw: &Draw<'_>,
    pipeline: &Pipeline<'_>,
) -> Result<Option<Owned<'d, vk::DescriptorPool>>, Error> {
    if draw.descriptors.is_empty() {
        return Ok(None);
    }
    let size = |descriptor: &Descriptor| vk::DescriptorPoolSize {
        ty: descriptor.resource.descriptor_type(),
        descriptor_count: 1,
    };
    let sizes = draw.descriptors.iter().map(size).collect::<Vec<_>>();
    let info = vk::DescriptorPoolCreateInfo::default()
        .max_sets(pipeline.set_layouts.len() as u32)
        .pool_sizes(&sizes);
    // SAFETY: `info` points to `sizes` only.
    let pool = unsafe { device.handle.create_descriptor_pool(&info, None) }
        .call("vkCreateDescriptorPool")?;
    Ok(Some(Owned::new(device, pool)))
}

fn allocate_sets(
    device: &Device,
    draw: &Draw<'_>,
    pipeline: &Pipeline<'_>,
    pool: &Owned<'_, vk::DescriptorPool>,
    buffers: &[Buffer<'_>],
) -> Result<Vec<vk::DescriptorSet>, Error> {
    let layouts = pipeline.set_layouts.iter().map(|layout| **layout).collect::<Vec<_>>();
    let info =
        vk::DescriptorSetAllocateInfo::default().descriptor_pool(**pool).set_layouts(&layouts);
    // SAFETY: the pool was made for just these sets.
    let sets = unsafe { device.handle.allocate_descriptor_sets(&info) }
        .call("vkAllocateDescriptorSets")?;

    for descriptor in &draw.descriptors {
        let (Resource::StorageBuffer(range) | Resource::UniformBuffer(range)) = descriptor.resource;
        let infos = [vk::DescriptorBufferInfo {
            buffer: *buffers[range.buffer].handle,
            offset: range.offset,
            range: range.size,
        }];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(sets[descriptor.set as usize])
            .dst_binding(descriptor.binding)
            .descriptor_type(descriptor.resource.descriptor_type())
            .buffer_info(&infos);
        // SAFETY: the range lies in the buffer, as `Work::check` found.
        unsafe { device.handle.update_descriptor_sets(&[write], &[]) };
    }
    Ok(sets)
}
