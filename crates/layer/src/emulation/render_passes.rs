//! Render passes. Before each pass, the counter pass executes the jobs of all draws in it.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::jobs::{MOST_EXECUTIONS, barrier};
use crate::emulation::recording::{NO_LIST, Recording, RenderPassScope};
use ash::vk::{self, Handle as _, PipelineStageFlags as Stage};
use std::sync::atomic::Ordering;

/// The parts of a render pass that captures depend on.
pub(crate) struct RenderPassInfo {
    /// The view masks of the subpasses, if this is a multiview pass.
    pub(crate) view_masks: Vec<u32>,
    /// The stages that the counter pass waits for, because a dependency of the pass waits for them.
    pub(crate) sources: Stage,
}

impl RenderPassScope {
    fn info(self, emulator: &Emulator) -> Option<&RenderPassInfo> {
        let (pass, _) = self.pass()?;
        // SAFETY: the application destroys a render pass only after its last use.
        unsafe { emulator.render_passes.get(pass.as_raw()) }
    }
}

impl Recording {
    /// Begins a render pass. Dispatches the counter pass before it, unless nothing can be captured yet.
    ///
    /// # Safety
    ///
    /// The recording belongs to the command buffer, and no render pass is active.
    pub(crate) unsafe fn open(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
        scope: RenderPassScope,
    ) {
        // Captures may become possible before suspended rendering is resumed, so suspended rendering always gets a
        // list.
        if self.suspends || emulator.may_capture.load(Ordering::Relaxed) {
            let sources = scope.info(emulator).map_or(Stage::empty(), |pass| pass.sources);
            // SAFETY: guaranteed by the caller.
            match unsafe { self.reserve(device, emulator, commands, sources) } {
                Ok(list) => self.list = Some(list),
                Err(error) => device.fault(format_args!("no memory for a render pass: {error}")),
            }
        }
        self.jobs.clear();
        self.scope = scope;
    }

    /// Adds the jobs of a secondary command buffer that is executed here.
    pub(crate) fn execute(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
        secondary: &Self,
    ) {
        self.is_shared = true;
        self.uses.extend(secondary.uses.iter().cloned());
        let repeats = secondary.executions() > 1;
        if self.scope == RenderPassScope::Outside {
            self.follow(device, emulator, commands, secondary);
        } else if !secondary.jobs.is_empty() {
            if !self.has_list() {
                device.fault(format_args!(
                    "the captures of a secondary command buffer are lost: {NO_LIST}"
                ));
            }
            if !self.deferred.is_empty() {
                device.fault(format_args!(
                    "a secondary command buffer captures before the counters of its render pass are known"
                ));
            }
            self.reads_shared |= repeats;
            let jobs = (&secondary.jobs, repeats);
            let fits = self.jobs.execute(commands, jobs, self.predicate());
            check_executions(device, fits);
        }
    }

    pub(crate) fn close(&mut self, device: &Driver, emulator: &Emulator) {
        if !self.keep_suspended() && !self.finish_owned(device, emulator) {
            self.finish(device, emulator);
        }
        self.scope = RenderPassScope::Outside;
    }

    /// Ends the command buffer. If draws read memory of a secondary command buffer that may be pending twice, later
    /// counter passes wait for them: when those passes begin, it is not known which command buffers they execute.
    ///
    /// # Safety
    ///
    /// The recording belongs to the command buffer, and no render pass is active, except in a secondary command buffer.
    pub(crate) unsafe fn end(
        &self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
    ) {
        // Vulkan allows no barrier before suspended rendering is resumed. The command buffer that ends it records one.
        let is_suspended =
            self.suspended.is_some() || self.resumed.as_ref().is_some_and(|one| one.is_suspended);
        if self.reads_shared && !is_suspended {
            let draws = emulator.capturing_stages() | Stage::DRAW_INDIRECT;
            let none = Default::default();
            // SAFETY: guaranteed by the caller.
            unsafe { barrier(device, commands, (draws, none), (Stage::COMPUTE_SHADER, none)) };
        }
    }

    pub(crate) fn next_subpass(&mut self) {
        if let RenderPassScope::Subpass(_, subpass) = &mut self.scope {
            *subpass += 1;
        }
    }

    /// Returns the number of views of the current subpass or rendering, at least 1.
    pub(super) fn view_count(&self, emulator: &Emulator) -> u32 {
        let view_mask = match self.scope {
            RenderPassScope::Outside => 0,
            RenderPassScope::Subpass(_, subpass) => {
                let pass = self.scope.info(emulator);
                pass.and_then(|pass| pass.view_masks.get(subpass as usize)).copied().unwrap_or(0)
            }
            RenderPassScope::Rendering { view_mask } => view_mask,
        };
        view_mask.count_ones().max(1)
    }
}

/// Logs an error if a secondary command buffer is executed more times than its captures support.
pub(super) fn check_executions(device: &Driver, fits: bool) {
    if !fits {
        device.fault(format_args!(
            "a secondary command buffer is executed too many times in a render pass: it captures only \
             {MOST_EXECUTIONS} executions"
        ));
    }
}
