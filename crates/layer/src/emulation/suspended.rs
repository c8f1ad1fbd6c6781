//! Dynamic rendering that one command buffer suspends and other command buffers resume.
//!
//! Vulkan allows no commands between suspending and resuming, so a resuming command buffer cannot dispatch the counter
//! pass. When all these command buffers are submitted, its jobs are added to the list of the command buffer that began
//! the rendering. Vulkan requires that the command buffers are submitted in one batch.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::jobs::Jobs;
use crate::emulation::queues::wait;
use crate::emulation::recording::{Recording, RenderPassScope, Resumed, Suspended};
use crate::emulation::render_passes::check_executions;
use ash::vk::{self, RenderingFlags};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

impl Recording {
    /// Begins or resumes dynamic rendering.
    ///
    /// # Safety
    ///
    /// The recording belongs to the command buffer, and no render pass is active.
    pub(crate) unsafe fn begin_rendering(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
        info: &vk::RenderingInfo<'_>,
    ) {
        let (flags, scope) = (info.flags, RenderPassScope::Rendering { view_mask: info.view_mask });
        self.suspends = flags.contains(RenderingFlags::SUSPENDING);
        if self.suspends {
            self.keeps();
        }
        if !flags.contains(RenderingFlags::RESUMING) {
            // Command buffers that resume this rendering may be pending from an earlier submission.
            self.is_shared |= self.suspends;
            // SAFETY: guaranteed by the caller.
            return unsafe { self.open(device, emulator, commands, scope) };
        }
        self.resume(emulator);
        self.scope = scope;
    }

    /// Resumes rendering that was suspended in this command buffer, or in an earlier one.
    fn resume(&mut self, emulator: &Emulator) {
        if let Some(Suspended { list, owner, jobs, .. }) = self.suspended.take() {
            (self.list, self.owner, self.jobs) = (Some(list), owner, jobs);
        } else {
            let earlier = self.resumed.take_if(|earlier| earlier.is_suspended);
            self.jobs = earlier.map(|earlier| earlier.jobs).unwrap_or_default();
            self.resumes = true;
            // Earlier command buffers may have executed secondary command buffers in this rendering.
            (self.is_shared, self.reads_shared) = (true, true);
            emulator.has_resumed.store(true, Ordering::Relaxed);
        }
    }

    /// Tracks rendering that a secondary command buffer, executed outside of render passes, resumes and suspends.
    pub(super) fn follow(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
        secondary: &Self,
    ) {
        if let Some(Resumed { jobs, is_suspended }) = &secondary.resumed {
            self.resume(emulator);
            let jobs = (jobs, secondary.is_simultaneous);
            let fits = self.jobs.execute(commands, jobs, self.predicate());
            check_executions(device, fits);
            self.suspends = *is_suspended;
            self.close(device, emulator);
        }
        if let Some(Suspended { list, owner, jobs, .. }) = &secondary.suspended {
            let owner = Some(owner.unwrap_or(commands));
            let jobs = jobs.clone();
            self.suspended = Some(Suspended { list: *list, owner, jobs, written: None });
        }
    }

    /// Stores the jobs of the active rendering if it was resumed or is being suspended. Returns whether it stored them.
    pub(super) fn keep_suspended(&mut self) -> bool {
        let is_suspended = std::mem::take(&mut self.suspends);
        if std::mem::take(&mut self.resumes) {
            let jobs = std::mem::take(&mut self.jobs);
            self.resumed = Some(Resumed { jobs, is_suspended });
            return true;
        }
        let Some(list) = self.list.take_if(|_| is_suspended) else { return false };
        let (owner, jobs) = (self.owner.take(), std::mem::take(&mut self.jobs));
        self.suspended = Some(Suspended { list, owner, jobs, written: None });
        true
    }

    /// Writes the list of the rendering that a secondary command buffer began. Returns false if no such rendering
    /// exists.
    pub(super) fn finish_owned(&mut self, device: &Driver, emulator: &Emulator) -> bool {
        let Some(owner) = self.owner.take() else { return false };
        let _joining = emulator.joining.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the owner lives as long as this command buffer, which executes it; the lock excludes others.
        if let Some(owner) = unsafe { emulator.recording(owner) } {
            let jobs = std::mem::take(&mut self.jobs);
            owner.join(device, emulator, jobs, |_| false);
        }
        self.list = None;
        true
    }

    /// Writes the list of the rendering suspended here, with the jobs of all command buffers that resume it. If the
    /// list was written with other jobs and may be pending, `is_free` waits until it is free and returns whether the
    /// wait succeeded.
    fn join(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        jobs: Jobs,
        is_free: impl FnOnce(&Self) -> bool,
    ) {
        // A list with the same jobs needs no update, and a pending list must not change.
        let written = self.suspended.as_ref().and_then(|one| one.written.as_ref());
        let changes = match written {
            Some((written, _)) if *written == jobs => return,
            Some(_) => true,
            None => false,
        };
        if changes && self.is_simultaneous && !is_free(self) {
            device.fault(format_args!(
                "other command buffers than before resume rendering that may be pending twice: their captures are lost"
            ));
            return;
        }
        let Some(suspended) = &mut self.suspended else { return };
        // The memory of the earlier jobs is reused if it is large enough.
        let earlier = suspended.written.take();
        let words = jobs.whole();
        let room = earlier.map(|(_, room)| room).filter(|room| room.holds(&words));
        let room = match room {
            Some(room) => {
                room.write(0, &words);
                Ok(room)
            }
            None => self.arena.put(device, emulator, &words),
        };
        match room {
            Ok(room) => {
                suspended.list.write(0, &jobs.list(&words, room).words());
                suspended.written = Some((jobs, room));
            }
            Err(error) => device.fault(format_args!("no memory for captured data: {error}")),
        }
    }
}

/// Writes the lists of suspended rendering for command buffers that are submitted together, in batches.
///
/// # Safety
///
/// The queue and the command buffers are alive and externally synchronized, and none is being recorded.
pub(crate) unsafe fn join(
    (device, emulator): (&Driver, &Emulator),
    queue: vk::Queue,
    batches: impl Iterator<Item = Vec<vk::CommandBuffer>>,
) {
    // Several threads may submit the same command buffers at once, if these may be pending twice.
    let _joining = emulator.joining.lock().unwrap_or_else(PoisonError::into_inner);
    // The layer can wait for earlier submissions, but not for this one.
    let mut joined: Vec<vk::CommandBuffer> = Vec::new();
    for batch in batches {
        let mut begun: Option<(vk::CommandBuffer, Jobs)> = None;
        for commands in batch {
            // SAFETY: guaranteed by the caller.
            let Some(recording) = (unsafe { emulator.recording(commands) }) else { continue };
            let suspended = recording.suspended.as_ref();
            let suspended = suspended.map(|one| (one.owner.unwrap_or(commands), one.jobs.clone()));
            if let Some(resumed) = &recording.resumed {
                if let Some((_, jobs)) = &mut begun {
                    check_executions(device, jobs.extend(&resumed.jobs));
                }
                if !resumed.is_suspended
                    && let Some((owner, jobs)) = begun.take()
                    // SAFETY: guaranteed by the caller.
                    && let Some(first) = unsafe { emulator.recording(owner) }
                {
                    // SAFETY: guaranteed by the caller.
                    let waits =
                        |first: &Recording| unsafe { wait((device, emulator), queue, &first.uses) };
                    let is_now = joined.contains(&owner);
                    first.join(device, emulator, jobs, |first| !is_now && waits(first));
                    joined.push(owner);
                }
            }
            begun = suspended.or(begun);
        }
    }
}
