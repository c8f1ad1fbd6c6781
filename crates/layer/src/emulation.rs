//! Transform feedback for drivers that lack it: shaders store the outputs, and a counter pass updates the counters.
//!
//! A captured draw is recorded twice: once as points, with a pipeline whose vertex shader stores the captured outputs
//! (`polyshade::transform_feedback`), and once unchanged. If a geometry stage captures, the first of the two has the
//! arguments of the draw, and a pipeline whose geometry shader stores the primitives.
//!
//! The planner's counter pass is a compute shader that executes a list of *jobs* in order. It writes the parameters of
//! each draw, the counters, the query results and the arguments of draws by byte count. A dispatch cannot be recorded
//! inside a render pass. Therefore an indirect dispatch before each render pass executes a job list that the host
//! fills in while the pass is recorded. The layer does not change the application's resources: its shaders read
//! addresses from push constants after the application's push constants, or from vertex attributes.
//!
//! `feedback` contains the intercepted Vulkan commands; this module implements them.

mod attributes;
pub(crate) mod capture;
mod compaction;
pub(crate) mod draw_calls;
mod drawn;
pub(crate) mod draws;
mod dump;
mod dynamic_state;
pub(crate) mod jobs;
pub(crate) mod layouts;
mod lists;
mod lowered;
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
use crate::emulation::compaction::LazyShaders;
use crate::emulation::jobs::CounterPass;
use crate::emulation::layouts::Layout;
use crate::emulation::memory::{Chunks, shared_type};
use crate::emulation::pipeline_info::Words;
use crate::emulation::queries::Counts;
use crate::emulation::queues::Queues;
use crate::emulation::recording::Recording;
use crate::emulation::render_passes::RenderPassInfo;
use crate::emulation::variants::Graphics;
use crate::recipes::Recipes;
use crate::registry::Registry;
use crate::settings::Debugging;
use crate::spirv;
use ash::vk::{self, Handle as _};
use std::cell::UnsafeCell;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex};

/// The state of a device that the layer needs for captures.
pub(crate) struct Emulator {
    memory: vk::PhysicalDeviceMemoryProperties,
    pub(crate) max_push_constants: u32,
    /// The maximum number of components that a vertex stage passes to a geometry stage.
    pub(crate) most_outputs: u32,
    /// Whether a vertex buffer may have a stride of 0.
    pub(crate) has_constant_attributes: bool,
    /// Whether pipelines of the layer can also set rasterizer discard dynamically.
    pub(crate) has_dynamic_discard: bool,
    /// Whether pipelines may have geometry stages, which the application enabled.
    pub(crate) has_geometry: bool,
    /// Whether the driver counts primitives generated, also for pipelines that the layer does not capture.
    pub(crate) driver_counts: bool,
    /// The lowering of distances that the driver lacks.
    pub(crate) recipes: Option<Arc<Recipes>>,
    pub(crate) counter_pass: CounterPass,
    compaction: LazyShaders,
    pub(crate) chunks: Chunks,
    /// The sizes of the buffers that have a device address.
    pub(crate) buffers: Registry<u64, 1024>,
    pub(crate) layouts: Registry<Arc<Layout>, 256>,
    /// The SPIR-V of the shader modules that capture, or have a vertex stage that may precede a capture.
    pub(crate) modules: Registry<Words, 256>,
    pub(crate) pipelines: Registry<Arc<Graphics>, 1024>,
    /// The render passes with several views, or with dependencies that the counter pass shares.
    pub(crate) render_passes: Registry<RenderPassInfo>,
    pub(crate) queries: Registry<Counts>,
    pub(crate) recordings: Registry<Recorded, 4096>,
    pub(crate) pools: Mutex<HashMap<vk::CommandPool, HashSet<vk::CommandBuffer>>>,
    /// The queues to which command buffers that may be pending twice are submitted, on a device with several queues.
    pub(crate) queues: Queues,
    pub(crate) has_several_queues: bool,
    /// Whether any command buffer resumes dynamic rendering that another command buffer began.
    pub(crate) has_resumed: AtomicBool,
    /// Whether a buffer or a query for captures was created. Render passes that began earlier have no job lists.
    pub(crate) may_capture: AtomicBool,
    /// Locked while the layer writes a job list of suspended rendering.
    pub(crate) joining: Mutex<()>,
    pub(crate) debugging: Debugging,
    /// The number of capturing pipelines created so far.
    pub(crate) capturing: AtomicU32,
}

/// Properties of a device that the emulation depends on.
#[derive(Clone, Copy)]
pub(crate) struct Traits {
    pub(crate) has_several_queues: bool,
    pub(crate) is_portability: bool,
    pub(crate) has_geometry: bool,
    pub(crate) driver_counts: bool,
}

/// The recording of a command buffer. Vulkan allows only one thread at a time to record it.
pub(crate) struct Recorded(UnsafeCell<Recording>);

// SAFETY: command buffers are externally synchronized, so only one thread at a time uses the recording.
unsafe impl Sync for Recorded {}

impl Recorded {
    pub(crate) fn new(recording: Recording) -> Self {
        Self(UnsafeCell::new(recording))
    }
}

impl Emulator {
    /// Creates the state for a device with buffer device addresses.
    pub(crate) fn new(
        device: &Driver,
        memory: vk::PhysicalDeviceMemoryProperties,
        properties: &vk::PhysicalDeviceProperties,
        traits: Traits,
        recipes: Option<Arc<Recipes>>,
        debugging: &Debugging,
    ) -> Result<Self, vk::Result> {
        Ok(Self {
            memory,
            max_push_constants: properties.limits.max_push_constants_size,
            most_outputs: properties
                .limits
                .max_vertex_output_components
                .min(properties.limits.max_geometry_input_components),
            // `VK_KHR_portability_subset` requires a minimum stride.
            has_constant_attributes: !traits.is_portability,
            // The layer creates the instance with at least Vulkan 1.3.
            has_dynamic_discard: properties.api_version >= vk::API_VERSION_1_3,
            has_geometry: traits.has_geometry,
            driver_counts: traits.driver_counts,
            recipes,
            counter_pass: CounterPass::new(device)?,
            compaction: LazyShaders::new(),
            chunks: Chunks::default(),
            buffers: Registry::new(),
            layouts: Registry::new(),
            modules: Registry::new(),
            pipelines: Registry::new(),
            render_passes: Registry::new(),
            queries: Registry::new(),
            recordings: Registry::new(),
            pools: Mutex::default(),
            queues: Queues::default(),
            has_several_queues: traits.has_several_queues,
            has_resumed: AtomicBool::new(false),
            may_capture: AtomicBool::new(false),
            joining: Mutex::default(),
            debugging: debugging.clone(),
            capturing: AtomicU32::new(0),
        })
    }

    /// Returns whether pipelines need the words of a module: it captures, has a vertex stage that may precede a
    /// capturing geometry stage, or has a geometry stage of which a pipeline may rasterize another stream than 0.
    pub(crate) fn keeps(&self, words: &[u32]) -> bool {
        spirv::mentions_feedback(words)
            || self.has_geometry && spirv::has_vertex_or_geometry_stage(words)
    }

    /// Returns the stages of draws that capture.
    pub(crate) fn capturing_stages(&self) -> vk::PipelineStageFlags {
        let geometry = match self.has_geometry {
            true => vk::PipelineStageFlags::GEOMETRY_SHADER,
            false => vk::PipelineStageFlags::empty(),
        };
        vk::PipelineStageFlags::VERTEX_SHADER | geometry
    }

    fn memory_type(&self, allowed: u32) -> Option<u32> {
        shared_type(&self.memory, allowed)
    }

    /// Returns the recording of a command buffer.
    ///
    /// # Safety
    ///
    /// Nobody else records into the command buffer at the same time (external synchronization).
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn recording(&self, commands: vk::CommandBuffer) -> Option<&mut Recording> {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let recorded = self.recordings.get(commands.as_raw())?;
            recorded.0.get().as_mut()
        }
    }

    /// Destroys the objects that the layer created. The application has already destroyed its own objects.
    pub(crate) fn destroy(self, device: &Driver) {
        self.queues.destroy(device);
        self.chunks.destroy(device);
        if let Some(shaders) = self.compaction.into_inner().flatten() {
            shaders.destroy(device);
        }
        self.counter_pass.destroy(device);
    }
}
