//! Dynamic rendering that one command buffer suspends, and others resume.
//!
//! No command may stand between the two, so what resumes has no place for a list of jobs. Its jobs are added to the
//! list of the command buffer that began the rendering, when all of them are submitted: Vulkan has that in one batch.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::jobs::Jobs;
use crate::emulation::recording::{Recording, Resumed, Scope, Suspended};
use ash::vk::{self, RenderingFlags};
use polyshade_planner::keeper::List;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

impl Recording {
    /// Opens dynamic rendering, or goes on with it.
    ///
    /// # Safety
    ///
    /// The command buffer is the recording's, and no render pass is open.
    pub(crate) unsafe fn begin_rendering(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
        flags: RenderingFlags,
    ) {
        self.suspends = flags.contains(RenderingFlags::SUSPENDING) && !self.is_secondary;
        if !flags.contains(RenderingFlags::RESUMING) {
            // What resumes it may be pending from earlier on.
            self.is_shared |= self.suspends;
            // SAFETY: the caller's promise.
            return unsafe { self.open(device, emulator, commands, Scope::Rendering) };
        }
        self.scope = Scope::Rendering;
        if let Some(Suspended { list, jobs, .. }) = self.suspended.take() {
            (self.list, self.jobs) = (Some(list), jobs);
        } else if !self.is_secondary {
            let earlier = self.resumed.take_if(|earlier| earlier.is_suspended);
            self.jobs = earlier.map(|earlier| earlier.jobs).unwrap_or_default();
            self.resumes = true;
            emulator.has_resumed.store(true, Ordering::Relaxed);
        }
    }

    /// Keeps the jobs of a rendering that does not end where it began. Whether it is one.
    pub(super) fn keep_suspended(&mut self) -> bool {
        let is_suspended = std::mem::take(&mut self.suspends);
        if std::mem::take(&mut self.resumes) {
            let jobs = std::mem::take(&mut self.jobs);
            self.resumed = Some(Resumed { jobs, is_suspended });
            return true;
        }
        let Some(list) = self.list.take_if(|_| is_suspended) else { return false };
        let jobs = std::mem::take(&mut self.jobs);
        self.suspended = Some(Suspended { list, jobs, written: None });
        true
    }

    /// Writes the list of the rendering that is suspended here, with the jobs of all that go on with it.
    fn join(&mut self, device: &Driver, emulator: &Emulator, jobs: Jobs) {
        let Some(suspended) = &mut self.suspended else { return };
        let earlier = suspended.written.take();
        if earlier.as_ref().is_some_and(|(written, _)| *written == jobs) {
            suspended.written = earlier;
            return;
        }
        if self.is_simultaneous && earlier.is_some() {
            suspended.written = earlier;
            device.fault(format_args!(
                "rendering that may be pending twice is resumed by others than before: what these capture is lost"
            ));
            return;
        }
        let room = earlier.map(|(_, room)| room).filter(|room| room.holds(&jobs.words));
        let room = match room {
            Some(room) => {
                room.write(0, &jobs.words);
                Ok(room)
            }
            None => self.arena.put(device, emulator, &jobs.words),
        };
        match room {
            Ok(room) => {
                let (count, restarted) = (jobs.count(), jobs.restarted);
                let list = List { jobs: room.address, count, restarted };
                suspended.list.write(0, &list.words());
                suspended.written = Some((jobs, room));
            }
            Err(error) => device.fault(format_args!("no memory for what is captured: {error}")),
        }
    }
}

/// Writes the lists of renderings that command buffers of a batch suspend.
///
/// # Safety
///
/// The command buffers are alive, and nobody records them.
pub(crate) unsafe fn join(device: &Driver, emulator: &Emulator, batch: &[vk::CommandBuffer]) {
    // Those that may be pending twice may be submitted by several threads.
    let _joining = emulator.joining.lock().unwrap_or_else(PoisonError::into_inner);
    let mut begun: Option<(vk::CommandBuffer, Jobs)> = None;
    for &commands in batch {
        // SAFETY: the caller's promise.
        let Some(recording) = (unsafe { emulator.recording(commands) }) else { continue };
        let suspended = recording.suspended.as_ref().map(|one| (commands, one.jobs.clone()));
        if let Some(resumed) = &recording.resumed {
            if let Some((_, jobs)) = &mut begun {
                jobs.extend(&resumed.jobs);
            }
            if !resumed.is_suspended
                && let Some((first, jobs)) = begun.take()
                // SAFETY: the caller's promise.
                && let Some(first) = unsafe { emulator.recording(first) }
            {
                first.join(device, emulator, jobs);
            }
        }
        begun = suspended.or(begun);
    }
}
