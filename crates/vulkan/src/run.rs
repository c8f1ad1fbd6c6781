//! Runs [`Work`]: creates the objects, records the commands, waits, and reads the results back.

use crate::address;
use crate::counts::{Counters, Counts};
use crate::descriptors::{Samplers, Sets, Sources};
use crate::device::Device;
use crate::error::{Context, Error};
use crate::image::Image;
use crate::memory::{Buffer, Owned, query_results};
use crate::pipeline::{Shared, State};
use crate::pipelines::Pipeline;
use crate::timing::Timestamps;
use crate::work::{Captured, Draw, Outcome, Work};
use ash::vk;
use polyshade_planner::PassScope;
use std::sync::PoisonError;
use std::time::Duration;

/// The vertex stream that is captured and counted.
pub(crate) const STREAM: u32 = 0;

impl Device {
    /// Runs the draws in one submission and returns their results.
    ///
    /// The modules must be valid SPIR-V with defined behaviour: drivers do not check. The validation layer reports
    /// most other errors; see [`take_messages`](Device::take_messages). If a device exceeds its time limit, this and
    /// every later call fails.
    pub fn run(&self, work: &Work<'_>) -> Result<Outcome, Error> {
        work.check(self)?;
        Objects::new(self, work, PassScope::RenderPass)?.run(work)?.read_back(work)
    }

    /// Runs the draws like [`run`](Device::run), and also returns the query results of each draw.
    ///
    /// # Errors
    ///
    /// The errors of [`run`](Device::run).
    pub fn count(&self, work: &Work<'_>) -> Result<(Outcome, Vec<Counts>), Error> {
        work.check(self)?;
        let mut objects = Objects::new(self, work, PassScope::RenderPass)?;
        let draws = work.draws.len() as u32;
        objects.counters = (draws > 0).then(|| Counters::new(self, draws)).transpose()?;
        let objects = objects.run(work)?;
        let counts = objects.counters.as_ref().map(Counters::read).transpose()?;
        Ok((objects.read_back(work)?, counts.unwrap_or_default()))
    }

    /// Submits all draws `submissions` times, at least once, and returns the shortest device time.
    ///
    /// The time comes from the device's timestamps. Buffers keep their contents from one submission to the next.
    ///
    /// # Errors
    ///
    /// The errors of [`run`](Device::run); `Missing` if the device's queue has no timestamps.
    pub fn time(&self, work: &Work<'_>, submissions: u32) -> Result<Duration, Error> {
        work.check(self)?;
        let mut objects = Objects::new(self, work, PassScope::RenderPass)?;
        objects.timestamps = Some(Timestamps::new(self)?);
        objects = objects.run(work)?;
        let mut least = objects.time()?;
        for _ in 1..submissions {
            objects = objects.submit_again()?;
            least = least.min(objects.time()?);
        }
        Ok(least)
    }
}

/// All objects that a submission uses.
pub(crate) struct Objects<'d> {
    pub(crate) device: &'d Device,
    pub(crate) buffers: Vec<Buffer<'d>>,
    pub(crate) textures: Vec<Image<'d>>,
    pub(crate) images: Vec<Image<'d>>,
    _samplers: Samplers<'d>,
    pub(crate) pipelines: Vec<Shared<'d>>,
    pub(crate) draws: Vec<DrawObjects<'d>>,
    /// One query for each draw, which capturing draws use.
    pub(crate) queries: Option<Owned<'d, vk::QueryPool>>,
    /// Statistics queries of each draw, if requested.
    pub(crate) counters: Option<Counters<'d>>,
    /// Timestamps around all draws, if requested.
    pub(crate) timestamps: Option<Timestamps<'d>>,
    fence: Owned<'d, vk::Fence>,
    _commands: Owned<'d, vk::CommandPool>,
    pub(crate) command_buffer: vk::CommandBuffer,
}

pub(crate) struct DrawObjects<'d> {
    pub(crate) pipeline: usize,
    pub(crate) framebuffer: Owned<'d, vk::Framebuffer>,
    pub(crate) extent: vk::Extent2D,
    pub(crate) sets: Sets<'d>,
    /// The draw's push constants, with buffer device addresses written.
    pub(crate) push_constants: Vec<u8>,
}

impl<'d> Objects<'d> {
    pub(crate) fn new(
        device: &'d Device,
        work: &Work<'_>,
        scope: PassScope,
    ) -> Result<Objects<'d>, Error> {
        let queries = create_queries(device, work)?;
        let buffers = work.buffers.iter().map(|contents| Buffer::new(device, contents));
        let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
        let addressed = address::tell(&buffers, work)?;
        let images = (0..work.targets.len()).map(|index| Image::of_target(device, work, index));
        let images = images.collect::<Result<Vec<_>, _>>()?;
        let textures = (0..).zip(&work.textures).map(|(index, texture)| {
            Image::of_texture(device, texture, work.samples_texture(index))
        });
        let textures = textures.collect::<Result<Vec<_>, _>>()?;
        let samplers = Samplers::new(device)?;
        let sources = Sources {
            work,
            buffers: &buffers,
            textures: &textures,
            images: &images,
            samplers: &samplers,
        };

        // Draws with equal states share a pipeline.
        let mut states = Vec::new();
        let mut pipelines = Vec::new();
        let mut draws = Vec::new();
        for draw in addressed.iter() {
            let state = State::new(work, draw, scope)?;
            let known = states.iter().position(|known| *known == state);
            let index = known.unwrap_or(states.len());
            if known.is_none() {
                pipelines.push(Shared::new(device, &state)?);
                states.push(state);
            }
            draws.push(DrawObjects::new(device, draw, (index, &pipelines[index]), sources)?);
        }

        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue_family);
        // SAFETY: the command buffer is not used longer than its pool lives.
        let (fence, commands, command_buffer) = unsafe {
            let fence = device.handle.create_fence(&vk::FenceCreateInfo::default(), None);
            let fence = Owned::new(device, fence, "vkCreateFence")?;
            let pool = device.handle.create_command_pool(&info, None);
            let pool = Owned::new(device, pool, "vkCreateCommandPool")?;
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(*pool)
                .command_buffer_count(1);
            let buffers = device.handle.allocate_command_buffers(&info);
            (fence, pool, buffers.call("vkAllocateCommandBuffers")?[0])
        };
        Ok(Objects {
            device,
            buffers,
            textures,
            images,
            _samplers: samplers,
            pipelines,
            draws,
            queries,
            counters: None,
            timestamps: None,
            fence,
            _commands: commands,
            command_buffer,
        })
    }

    /// Records and submits the draws, and waits.
    fn run(self, work: &Work<'_>) -> Result<Objects<'d>, Error> {
        self.record(work)?;
        self.submit()
    }

    /// Submits the same commands again.
    pub(crate) fn submit_again(self) -> Result<Objects<'d>, Error> {
        // SAFETY: the previous submission has finished.
        unsafe { self.device.handle.reset_fences(&[*self.fence]) }.call("vkResetFences")?;
        self.submit()
    }

    /// Submits the commands and waits for them. If the device hangs, the objects that it still uses are leaked.
    pub(crate) fn submit(self) -> Result<Objects<'d>, Error> {
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
            let limit = u64::try_from(self.device.time_limit.as_nanos()).unwrap_or(u64::MAX);
            device.wait_for_fences(&[*self.fence], true, limit)
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

    /// Returns the time that the draws of a finished submission took, or zero without timestamps.
    fn time(&self) -> Result<Duration, Error> {
        self.timestamps.as_ref().map_or(Ok(Duration::ZERO), Timestamps::read)
    }

    pub(crate) fn read_back(&self, work: &Work<'_>) -> Result<Outcome, Error> {
        let captured = (0..).zip(&work.draws).map(|(index, draw)| match &draw.transform_feedback {
            Some(_) => self.read_query(index).map(Some),
            None => Ok(None),
        });
        Ok(Outcome {
            captured: captured.collect::<Result<_, _>>()?,
            buffers: self.buffers.iter().map(Buffer::read).collect(),
            textures: self.textures.iter().map(Image::read).collect(),
            targets: self.images.iter().map(Image::read).collect(),
        })
    }

    fn read_query(&self, index: u32) -> Result<Captured, Error> {
        let Some(queries) = &self.queries else { return Err(Error::Missing("stream queries")) };
        // SAFETY: a query of this type has two results, and its submission has finished.
        let [written, needed] = unsafe { query_results(self.device, **queries, index) }?;
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
    // SAFETY: the device supports the feature, and it is enabled.
    let pool = unsafe { device.handle.create_query_pool(&info, None) };
    Owned::new(device, pool, "vkCreateQueryPool").map(Some)
}

impl<'d> DrawObjects<'d> {
    /// The render area: the whole framebuffer.
    pub(crate) fn area(&self) -> vk::Rect2D {
        vk::Rect2D { offset: vk::Offset2D::default(), extent: self.extent }
    }

    fn new(
        device: &'d Device,
        draw: &Draw<'_>,
        (index, pipeline): (usize, &Pipeline),
        sources: Sources<'_, 'd>,
    ) -> Result<DrawObjects<'d>, Error> {
        let images: Vec<&Image<'_>> =
            draw.attachments().map(|target| &sources.images[target]).collect();
        let (framebuffer, extent) = create_framebuffer(device, pipeline.render_pass, &images)?;
        let sets = Sets::new(device, draw, &pipeline.set_layouts, sources)?;
        let push_constants = draw.push_constants.clone();
        Ok(DrawObjects { pipeline: index, framebuffer, extent, sets, push_constants })
    }
}

/// Creates a framebuffer for a render pass from these images, which all have the same size.
pub(crate) fn create_framebuffer<'d>(
    device: &'d Device,
    render_pass: vk::RenderPass,
    images: &[&Image<'_>],
) -> Result<(Owned<'d, vk::Framebuffer>, vk::Extent2D), Error> {
    let one = vk::Extent2D { width: 1, height: 1 };
    let extent = images.first().map_or(one, |image| vk::Extent2D {
        width: image.extent.width,
        height: image.extent.height,
    });
    let views: Vec<vk::ImageView> = images.iter().map(|image| *image.view).collect();
    let info = vk::FramebufferCreateInfo::default()
        .render_pass(render_pass)
        .attachments(&views)
        .width(extent.width)
        .height(extent.height)
        .layers(1);
    // SAFETY: the framebuffer has the attachments of its render pass.
    let framebuffer = unsafe { device.handle.create_framebuffer(&info, None) };
    Ok((Owned::new(device, framebuffer, "vkCreateFramebuffer")?, extent))
}
