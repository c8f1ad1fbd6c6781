//! The job lists that the counter pass executes before render passes.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::jobs::{CounterPass, LOST, barrier};
use crate::emulation::memory::Piece;
use crate::emulation::recording::Recording;
use ash::vk::{self, AccessFlags, PipelineStageFlags as Stage, ShaderStageFlags};
use polyshade_planner::counter_pass::{self, List};

impl Recording {
    /// Dispatches the counter pass with a list that the host writes later. It waits for earlier writes of the stages in
    /// `sources`.
    ///
    /// # Safety
    ///
    /// The recording belongs to the command buffer, and no render pass is active.
    pub(crate) unsafe fn reserve(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
        sources: Stage,
    ) -> Result<Piece, vk::Result> {
        let list = self.arena.take(device, emulator, List::SIZE.into())?;
        list.write(0, &List::default().words());
        let next = &device.next;
        let (Some(bind), Some(dispatch)) = (next.cmd_bind_pipeline, next.cmd_dispatch_indirect)
        else {
            return Err(LOST);
        };
        // Earlier dispatches: of the application, of counter passes, and of copies of query results.
        let mut before = Stage::COMPUTE_SHADER | sources;
        if self.is_shared {
            // Pending draws may read the memory that this dispatch overwrites.
            before |= emulator.capturing_stages() | Stage::DRAW_INDIRECT;
        }
        if self.tables.is_some() {
            // Draws of earlier passes read tables in the pool.
            before |= Stage::VERTEX_SHADER;
        }
        let access = AccessFlags::SHADER_READ | AccessFlags::SHADER_WRITE;
        // It is not known which of their writes the jobs read.
        let written = match sources.is_empty() {
            true => AccessFlags::SHADER_WRITE,
            false => AccessFlags::MEMORY_WRITE,
        };
        let captures = emulator.capturing_stages();
        let behind = (
            captures | Stage::DRAW_INDIRECT | Stage::COMPUTE_SHADER | Stage::HOST,
            access | AccessFlags::INDIRECT_COMMAND_READ | AccessFlags::HOST_READ,
        );
        let own = (Stage::COMPUTE_SHADER, AccessFlags::SHADER_WRITE);
        let compute = vk::PipelineBindPoint::COMPUTE;
        let words = [list.address as u32, (list.address >> 32) as u32, List::COUNT];
        // SAFETY: guaranteed by the caller.
        unsafe {
            self.compute(
                device,
                &emulator.counter_pass,
                commands,
                words,
                |device, counter_pass| {
                    barrier(device, commands, (before, written), (Stage::COMPUTE_SHADER, access));
                    bind(commands, compute, counter_pass.segments);
                    dispatch(commands, list.buffer, list.offset + u64::from(List::SEGMENTS));
                    barrier(device, commands, own, (Stage::COMPUTE_SHADER, access));
                    bind(commands, compute, counter_pass.keep);
                    dispatch(commands, list.buffer, list.offset + u64::from(List::COUNT_PASS));
                    barrier(device, commands, own, behind);
                },
            );
        }
        Ok(list)
    }

    /// Dispatches shaders of the layer with these push constants, even during conditional rendering, and restores the
    /// application's state.
    ///
    /// # Safety
    ///
    /// The recording belongs to the command buffer, and no render pass is active.
    pub(super) unsafe fn compute(
        &self,
        device: &Driver,
        counter_pass: &CounterPass,
        commands: vk::CommandBuffer,
        words: [u32; counter_pass::PUSH_CONSTANTS as usize / 4],
        dispatch: impl FnOnce(&Driver, &CounterPass),
    ) {
        let next = &device.next;
        let (Some(bind), Some(push)) = (next.cmd_bind_pipeline, next.cmd_push_constants) else {
            return;
        };
        // SAFETY: guaranteed by the caller. The counter pass's layout has this many bytes of push constants.
        unsafe {
            if let (Some(_), Some(end)) = (self.conditional, next.cmd_end_conditional_rendering) {
                end(commands);
            }
            let (values, size) = (words.as_ptr().cast(), counter_pass::PUSH_CONSTANTS);
            push(commands, counter_pass.layout, ShaderStageFlags::COMPUTE, 0, size, values);
            dispatch(device, counter_pass);
            // Restore the application's state.
            if self.compute != vk::Pipeline::null() {
                bind(commands, vk::PipelineBindPoint::COMPUTE, self.compute);
            }
            self.pushed.again(device, commands);
            if let Some(conditional) = self.conditional {
                conditional.again(device, commands);
            }
        }
    }

    /// Writes the list when all jobs are known.
    pub(crate) fn finish(&mut self, device: &Driver, emulator: &Emulator) {
        let Some(list) = self.list.take() else { return };
        if self.jobs.is_empty() {
            return;
        }
        let jobs = self.jobs.whole();
        match self.arena.put(device, emulator, &jobs) {
            Ok(place) => list.write(0, &self.jobs.list(&jobs, place).words()),
            Err(error) => device.fault(format_args!("no memory for captured data: {error}")),
        }
        self.jobs.clear();
    }
}
