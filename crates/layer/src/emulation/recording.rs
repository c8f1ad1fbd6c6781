//! What is known of a command buffer while it is recorded.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::jobs::{Jobs, MOST_EXECUTIONS};
use crate::emulation::layouts::Pushed;
use crate::emulation::memory::{Arena, Piece};
use crate::emulation::pipeline_info::VertexInput;
use crate::emulation::queues::Use;
use crate::emulation::state::{Conditional, Dynamic, IndexBuffer, VertexBuffer};
use crate::emulation::variants::Graphics;
use ash::vk::{self, Handle as _};
use polyshade::transform_feedback::MAX_BUFFERS;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why nothing can be captured in a render pass.
pub(crate) const NO_LIST: &str =
    "when the render pass began, there was no memory, or no buffer or query for captures yet";

/// A range that is captured into.
#[derive(Clone, Copy)]
pub(crate) struct CapturedRange {
    pub(crate) address: u64,
    pub(crate) size: u32,
}

/// A pool of tables of restarts.
#[derive(Clone, Copy)]
pub(crate) struct Tables {
    pub(crate) address: u64,
    pub(crate) size: u32,
    /// The bytes that were asked for, where there were not so many.
    pub(crate) wanted: u64,
}

/// A capture that has begun.
#[derive(Clone, Copy)]
pub(crate) struct Active {
    /// Where the counter pass has what is filled.
    pub(crate) state: u64,
}

/// A rendering that was begun here, and that other command buffers resume.
pub(crate) struct Suspended {
    pub(super) list: Piece,
    /// The secondary command buffer that began it, if one did that is executed here.
    pub(super) owner: Option<vk::CommandBuffer>,
    /// The jobs of what is drawn here.
    pub(super) jobs: Jobs,
    /// The jobs of all that the list was written for last, and where they stand.
    pub(super) written: Option<(Jobs, Piece)>,
}

/// What is drawn of a rendering that another command buffer began.
pub(crate) struct Resumed {
    pub(super) jobs: Jobs,
    /// Whether another command buffer resumes it again.
    pub(super) is_suspended: bool,
}

/// What is known of a command buffer.
#[derive(Default)]
pub(crate) struct Recording {
    pub(crate) is_secondary: bool,
    /// Whether it may be pending twice.
    pub(crate) is_simultaneous: bool,
    /// The same, or executes others that may, or begins what others resume that may.
    pub(crate) is_shared: bool,
    /// Where memory of its own is used, until it is among those: where that may be on several queues.
    pub(crate) own: Option<Arc<Use>>,
    /// Where memory is used that the counter pass writes, of recordings that may be pending twice.
    pub(crate) uses: Vec<Arc<Use>>,
    pub(crate) arena: Arena,
    /// The bytes of tables of restarts that draws have for themselves, and the pool that the others share.
    pub(crate) table_bytes: u64,
    pub(crate) tables: Option<Tables>,
    /// The jobs of the render pass that is open; of a secondary command buffer in a pass, all of its own.
    pub(crate) jobs: Jobs,
    /// Where the list of the open pass is written, and in whose recording, if that is another one.
    pub(crate) list: Option<Piece>,
    pub(crate) owner: Option<vk::CommandBuffer>,
    pub(crate) scope: RenderPassScope,
    /// Whether the rendering that is open was begun in another command buffer, and whether it does not end here.
    pub(crate) resumes: bool,
    pub(crate) suspends: bool,
    pub(crate) resumed: Option<Resumed>,
    pub(crate) suspended: Option<Suspended>,
    pub(crate) graphics: Option<(vk::Pipeline, Arc<Graphics>)>,
    pub(crate) compute: vk::Pipeline,
    pub(crate) pushed: Pushed,
    pub(crate) vertex_buffers: BTreeMap<u32, VertexBuffer>,
    /// The strides of bindings, where pipelines have them dynamic.
    pub(crate) strides: BTreeMap<u32, u32>,
    pub(crate) indices: Option<IndexBuffer>,
    pub(crate) dynamic: Dynamic,
    pub(crate) input: Option<VertexInput>,
    pub(crate) targets: [Option<CapturedRange>; MAX_BUFFERS],
    pub(crate) active: Option<Active>,
    /// Where the queries that are active count, of transform feedback and of primitives generated; 0, where none is.
    pub(crate) counted: [u64; 2],
    pub(crate) conditional: Option<Conditional>,
}

/// Where commands are recorded.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum RenderPassScope {
    /// Outside of render passes.
    #[default]
    Outside,
    /// In a subpass of a render pass.
    Subpass(vk::RenderPass, u32),
    /// Between the beginning and the end of dynamic rendering.
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
    /// Whether a list of jobs is done for what is recorded here.
    pub(crate) fn has_list(&self) -> bool {
        self.list.is_some()
            || self.resumes
            || self.is_secondary && self.scope != RenderPassScope::Outside
    }

    /// How many times what is captured here is recorded, for as many executions in a render pass.
    pub(super) fn executions(&self) -> u32 {
        // Any other is executed once.
        let repeats = self.is_secondary && self.is_simultaneous && self.list.is_none();
        if repeats { MOST_EXECUTIONS } else { 1 }
    }

    /// Notes that the counter pass writes to memory of this recording.
    pub(super) fn keeps(&mut self) {
        if let Some(own) = self.own.take() {
            self.uses.push(own);
        }
    }

    /// Forgets everything. No commands use the memory any more.
    pub(crate) fn reset(&mut self, device: &Driver, emulator: &Emulator) {
        let mut arena = std::mem::take(&mut self.arena);
        arena.clear(device, emulator);
        *self = Self { is_secondary: self.is_secondary, arena, ..Self::default() };
    }
}

/// Forgets command buffers.
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
