//! The capture: what a driver lacks, done by vertex shaders that store and by a counter pass.
//!
//! A draw that is captured is drawn as it is, and then once more as points by a pipeline whose vertex shader stores
//! the captured outputs (`polyshade::transform_feedback`). The counter pass of the planner, a compute shader that does
//! *jobs* in their order, writes the parameters of each draw, counters, results of queries, and draws by byte count. A
//! render pass cannot be interrupted, so the counter pass is dispatched before each pass, indirectly, with a list of
//! jobs that the host writes as the pass is recorded. The layer does not change the application's resources: its own
//! shaders read addresses from push constants that follow those of the application.
//!
//! Commands are in `feedback`; here is what they do.

mod attributes;
pub(crate) mod capture;
pub(crate) mod draw_calls;
pub(crate) mod draws;
mod dump;
mod dynamic_state;
pub(crate) mod jobs;
pub(crate) mod layouts;
mod lists;
pub(crate) mod memory;
pub(crate) mod pipeline_info;
pub(crate) mod queries;
pub(crate) mod queues;
pub(crate) mod recording;
pub(crate) mod render_passes;
mod shader_params;
pub(crate) mod state;
pub(crate) mod suspended;
pub(crate) mod variants;
mod words;

use crate::driver::Driver;
use crate::emulation::jobs::CounterPass;
use crate::emulation::layouts::Layout;
use crate::emulation::memory::{Chunks, shared_type};
use crate::emulation::pipeline_info::Words;
use crate::emulation::queries::Counts;
use crate::emulation::queues::Queues;
use crate::emulation::recording::Recording;
use crate::emulation::variants::Graphics;
use crate::registry::Registry;
use crate::settings::Debugging;
use ash::vk::{self, Handle as _};
use std::cell::UnsafeCell;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex};

/// What a device needs to capture.
pub(crate) struct Emulator {
    memory: vk::PhysicalDeviceMemoryProperties,
    pub(crate) max_push_constants: u32,
    /// Whether a vertex buffer may have a stride of 0.
    pub(crate) has_constant_attributes: bool,
    /// Whether rasterization can be turned off by a command, in pipelines of the layer's too.
    pub(crate) has_dynamic_discard: bool,
    /// Whether the driver counts primitives generated, of pipelines that the layer does not capture, too.
    pub(crate) driver_counts: bool,
    pub(crate) counter_pass: CounterPass,
    pub(crate) chunks: Chunks,
    /// How large buffers are whose address may be asked for.
    pub(crate) buffers: Registry<u64, 1024>,
    pub(crate) layouts: Registry<Arc<Layout>, 256>,
    /// The words of modules that capture.
    pub(crate) modules: Registry<Words, 256>,
    pub(crate) pipelines: Registry<Arc<Graphics>, 1024>,
    /// The view masks of the subpasses of render passes that have views.
    pub(crate) view_masks: Registry<Vec<u32>>,
    /// Results of queries.
    pub(crate) queries: Registry<Counts>,
    pub(crate) recordings: Registry<Recorded, 4096>,
    /// The command buffers of each pool.
    pub(crate) pools: Mutex<HashMap<vk::CommandPool, HashSet<vk::CommandBuffer>>>,
    /// Whether there are secondary command buffers that may be pending twice.
    pub(crate) shared: AtomicBool,
    /// Those with such recordings, on a device that has several.
    pub(crate) queues: Queues,
    pub(crate) has_several_queues: bool,
    /// Whether command buffers resume rendering that others began.
    pub(crate) has_resumed: AtomicBool,
    /// Whether there was anything to capture into or to count with. Before, render passes have no lists of jobs.
    pub(crate) may_capture: AtomicBool,
    /// Held by who writes lists of such rendering.
    pub(crate) joining: Mutex<()>,
    pub(crate) debugging: Debugging,
    /// How many pipelines there were that capture.
    pub(crate) capturing: AtomicU32,
}

/// Properties of a device that the emulation depends on.
#[derive(Clone, Copy)]
pub(crate) struct Traits {
    pub(crate) has_several_queues: bool,
    pub(crate) is_portability: bool,
    pub(crate) driver_counts: bool,
}

/// A recording, which commands change that Vulkan has one thread record at a time.
pub(crate) struct Recorded(UnsafeCell<Recording>);

// SAFETY: command buffers are externally synchronized, so there is one thread at a time.
unsafe impl Sync for Recorded {}

impl Recorded {
    pub(crate) fn new(recording: Recording) -> Self {
        Self(UnsafeCell::new(recording))
    }
}

impl Emulator {
    /// What a device that has addresses needs.
    pub(crate) fn new(
        device: &Driver,
        memory: vk::PhysicalDeviceMemoryProperties,
        properties: &vk::PhysicalDeviceProperties,
        traits: Traits,
        debugging: &Debugging,
    ) -> Result<Self, vk::Result> {
        Ok(Self {
            memory,
            max_push_constants: properties.limits.max_push_constants_size,
            // Of those the least stride is what strides are multiples of (`VK_KHR_portability_subset`).
            has_constant_attributes: !traits.is_portability,
            // As the instance was made for Vulkan 1.3.
            has_dynamic_discard: properties.api_version >= vk::API_VERSION_1_3,
            driver_counts: traits.driver_counts,
            counter_pass: CounterPass::new(device)?,
            chunks: Chunks::default(),
            buffers: Registry::new(),
            layouts: Registry::new(),
            modules: Registry::new(),
            pipelines: Registry::new(),
            view_masks: Registry::new(),
            queries: Registry::new(),
            recordings: Registry::new(),
            pools: Mutex::default(),
            shared: AtomicBool::new(false),
            queues: Queues::default(),
            has_several_queues: traits.has_several_queues,
            has_resumed: AtomicBool::new(false),
            may_capture: AtomicBool::new(false),
            joining: Mutex::default(),
            debugging: debugging.clone(),
            capturing: AtomicU32::new(0),
        })
    }

    fn memory_type(&self, allowed: u32) -> Option<u32> {
        shared_type(&self.memory, allowed)
    }

    /// What is known of a command buffer.
    ///
    /// # Safety
    ///
    /// As Vulkan asks of whoever records commands: nobody else does at the same time.
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn recording(&self, commands: vk::CommandBuffer) -> Option<&mut Recording> {
        // SAFETY: the caller's promise.
        unsafe {
            let recorded = self.recordings.get(commands.as_raw())?;
            recorded.0.get().as_mut()
        }
    }

    /// Destroys what the layer has created. All that the application has created is destroyed already.
    pub(crate) fn destroy(self, device: &Driver) {
        self.queues.destroy(device);
        self.chunks.destroy(device);
        self.counter_pass.destroy(device);
    }
}
