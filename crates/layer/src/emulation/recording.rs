//! The layer's state of a command buffer while it is recorded.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::jobs::{Jobs, MOST_EXECUTIONS};
use crate::emulation::layouts::Pushed;
use crate::emulation::memory::{Arena, Piece};
use crate::emulation::pipeline_info::VertexInput;
use crate::emulation::queues::Use;
use crate::emulation::state::{Conditional, Dynamic, IndexBuffer, VertexBuffer};
use crate::emulation::variants::{Graphics, Variant};
use crate::reported_features::MOST_STREAMS;
use ash::vk::{self, Handle as _};
use polyshade::transform_feedback::MAX_BUFFERS;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The reason why nothing can be captured in a render pass.
pub(crate) const NO_LIST: &str =
    "when the render pass began, memory was exhausted, or no buffer or query for captures existed";

/// A bound range of a transform feedback buffer.
#[derive(Clone, Copy)]
pub(crate) struct CapturedRange {
    pub(crate) address: u64,
    pub(crate) size: u32,
}

/// A pool of segment tables, for draws with primitive restart.
#[derive(Clone, Copy)]
pub(crate) struct Tables {
    pub(crate) address: u64,
    pub(crate) size: u32,
    /// The number of bytes requested. `size` is smaller if memory was short.
    pub(crate) wanted: u64,
}

#[derive(Clone, Copy)]
pub(crate) struct Active {
    /// The address of the state that the counter pass keeps for the capture.
    pub(crate) state: u64,
    /// The counters with which the capture begins, until its first job is recorded.
    pub(crate) begin: Option<[u64; MAX_BUFFERS]>,
    /// Whether the rest of the capture is completed after the render pass.
    pub(crate) is_deferred: bool,
}

/// The parts of a capture that are equal for all draws with the same state.
#[derive(Clone)]
pub(crate) struct Prepared {
    /// The version of the state.
    pub(crate) version: u64,
    pub(crate) variant: Arc<Variant>,
    /// The template of the host parameters, if draws share it, and those of further vertex streams.
    pub(crate) template: Option<Piece>,
    pub(crate) streams: [Option<Piece>; MOST_STREAMS],
}

/// Dynamic rendering that this command buffer suspends and other command buffers resume.
pub(crate) struct Suspended {
    pub(super) list: Piece,
    /// The secondary command buffer that began the rendering, if this command buffer executes it.
    pub(super) owner: Option<vk::CommandBuffer>,
    /// The jobs of the draws in this command buffer.
    pub(super) jobs: Jobs,
    /// The jobs with which the list was last written, and the list's memory.
    pub(super) written: Option<(Jobs, Piece)>,
}

/// The part of a dynamic rendering that continues in this command buffer, but began in another.
pub(crate) struct Resumed {
    pub(super) jobs: Jobs,
    /// Whether this command buffer suspends the rendering again.
    pub(super) is_suspended: bool,
}

/// The work that follows a render pass.
#[derive(Default)]
pub(crate) struct Deferred {
    pub(super) jobs: Jobs,
    /// The records of `compaction/records.glsl`, one for each vertex stream of a draw.
    pub(super) records: Vec<u32>,
    /// The state of each capture, and the number of the first record after its records. Captures may overwrite each
    /// other's data, so they are copied in order.
    pub(super) captures: Vec<(u64, u32)>,
    /// The maximum number of invocations in a record.
    pub(super) invocations: u32,
    /// The number of bytes used for primitives.
    pub(super) used: u64,
    /// The addresses at which the captures save their counters.
    pub(super) saved: Vec<u64>,
    /// The queries that end in the render pass, whose timestamps are written after it.
    pub(super) queries: Vec<(vk::QueryPool, u32)>,
}

/// The memory to which a deferred draw captures.
pub(crate) struct Sparse {
    /// The address of the state of the capture to this memory.
    pub(super) state: u64,
    pub(super) targets: [Option<CapturedRange>; MAX_BUFFERS],
    /// The table of counts.
    pub(super) counts: CapturedRange,
    /// The number of invocations of the geometry shader.
    pub(super) invocations: u32,
    /// The address for the sums of counts.
    pub(super) sums: u64,
    /// The addresses of the places of the captured words in a vertex.
    pub(super) places: [u64; MAX_BUFFERS],
}

/// The addresses where active queries count; 0 if none is active.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counted {
    /// The transform feedback query of each vertex stream.
    pub(crate) streams: [u64; MOST_STREAMS],
    /// The query of generated primitives, which counts stream 0.
    pub(crate) generated: u64,
}

/// The layer's state of a command buffer.
#[derive(Default)]
pub(crate) struct Recording {
    pub(crate) is_secondary: bool,
    /// Whether the command buffer may be pending twice.
    pub(crate) is_simultaneous: bool,
    /// Whether this command buffer, a command buffer that it executes or one that resumes its rendering may be pending
    /// twice.
    pub(crate) is_shared: bool,
    /// Whether draws read memory of a secondary command buffer that may be pending twice.
    pub(crate) reads_shared: bool,
    /// The use of this recording's own memory, on devices with several queues, until it is moved to `uses`.
    pub(crate) own: Option<Arc<Use>>,
    /// The uses of all memory that the counter pass writes, for recordings that may be pending twice.
    pub(crate) uses: Vec<Arc<Use>>,
    pub(crate) arena: Arena,
    /// The bytes of segment tables that belong to single draws, and the pool that all other draws share.
    pub(crate) table_bytes: u64,
    pub(crate) tables: Option<Tables>,
    /// The jobs of the active render pass, or all jobs of a secondary command buffer that runs inside a pass.
    pub(crate) jobs: Jobs,
    /// The captures that are completed after the active render pass, the memory for their primitives, and the memory to
    /// which the current draw captures instead of the targets.
    pub(crate) deferred: Deferred,
    pub(crate) sparse_memory: Option<CapturedRange>,
    pub(crate) sparse: Option<Sparse>,
    /// The memory for the active pass's job list, and the command buffer that owns the list, if it is another one.
    pub(crate) list: Option<Piece>,
    pub(crate) owner: Option<vk::CommandBuffer>,
    pub(crate) scope: RenderPassScope,
    /// Whether the active rendering began in another command buffer, and whether it ends in another one.
    pub(crate) resumes: bool,
    pub(crate) suspends: bool,
    pub(crate) resumed: Option<Resumed>,
    pub(crate) suspended: Option<Suspended>,
    pub(crate) graphics: Option<(vk::Pipeline, Arc<Graphics>)>,
    pub(crate) compute: vk::Pipeline,
    pub(crate) pushed: Pushed,
    /// The vertex buffers by binding.
    pub(crate) vertex_buffers: Vec<Option<VertexBuffer>>,
    /// The dynamic strides of the vertex buffer bindings.
    pub(crate) strides: BTreeMap<u32, u32>,
    pub(crate) indices: Option<IndexBuffer>,
    pub(crate) dynamic: Dynamic,
    pub(crate) input: Option<VertexInput>,
    pub(crate) targets: [Option<CapturedRange>; MAX_BUFFERS],
    pub(crate) active: Option<Active>,
    /// Changes with the state that a [`Prepared`] depends on.
    pub(crate) version: u64,
    /// The preparations of the last captured draws, without and with indices.
    pub(crate) prepared: [Option<Prepared>; 2],
    /// Whether a capturing pipeline is bound in place of the application's pipeline.
    pub(crate) is_replaced: bool,
    /// The capturing pipeline, if another capture can draw with it without binding it again.
    pub(crate) bound: vk::Pipeline,
    /// The addresses where the active queries count; 0 if none is active.
    pub(crate) counted: Counted,
    pub(crate) conditional: Option<Conditional>,
}

/// The scope in which commands are recorded.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum RenderPassScope {
    /// Outside of render passes.
    #[default]
    Outside,
    /// In a subpass of a render pass.
    Subpass(vk::RenderPass, u32),
    /// Inside dynamic rendering.
    Rendering { view_mask: u32 },
}

impl RenderPassScope {
    pub(crate) fn pass(self) -> Option<(vk::RenderPass, u32)> {
        match self {
            Self::Subpass(pass, subpass) => Some((pass, subpass)),
            _ => None,
        }
    }
}

impl Recording {
    /// Returns whether a job list exists for the commands that are recorded now.
    pub(crate) fn has_list(&self) -> bool {
        self.list.is_some()
            || self.resumes
            || self.is_secondary && self.scope != RenderPassScope::Outside
    }

    /// Returns how many copies of a capture to record: one for each possible execution in a render pass.
    pub(super) fn executions(&self) -> u32 {
        // Any other command buffer is executed once.
        let repeats = self.is_secondary && self.is_simultaneous && self.list.is_none();
        if repeats { MOST_EXECUTIONS } else { 1 }
    }

    /// Returns the dynamic state that captures replace, for a command that sets it. The next capture replaces it again.
    pub(crate) fn replaced_state(&mut self) -> &mut Dynamic {
        self.bound = vk::Pipeline::null();
        self.version += 1;
        &mut self.dynamic
    }

    pub(crate) fn bind_vertex_buffer(&mut self, number: u32, buffer: VertexBuffer) {
        self.version += 1;
        let number = number as usize;
        if number >= self.vertex_buffers.len() {
            self.vertex_buffers.resize(number + 1, None);
        }
        self.vertex_buffers[number] = Some(buffer);
    }

    /// Notes that the counter pass writes to memory of this recording.
    pub(super) fn keeps(&mut self) {
        if let Some(own) = self.own.take() {
            self.uses.push(own);
        }
    }

    /// Resets the state. No pending commands may use its memory.
    pub(crate) fn reset(&mut self, device: &Driver, emulator: &Emulator) {
        let (mut arena, mut jobs) =
            (std::mem::take(&mut self.arena), std::mem::take(&mut self.jobs));
        arena.clear(device, emulator);
        jobs.clear();
        *self = Self { is_secondary: self.is_secondary, arena, jobs, ..Self::default() };
    }
}

/// Removes the state of command buffers when they are freed.
pub(crate) fn forget(
    device: &Driver,
    emulator: &Emulator,
    gone: impl IntoIterator<Item = vk::CommandBuffer>,
) {
    for commands in gone {
        if let Some(recorded) = emulator.recordings.remove(commands.as_raw()) {
            recorded.0.into_inner().reset(device, emulator);
        }
    }
}
