//! The synchronization between captures, and the timestamps.

use super::case::Waits;
use super::scene::Scene;
use crate::objects::memory_barrier;
use ash::vk::{self, AccessFlags as Access, PipelineStageFlags as Stage};

/// Returns the stages and accesses of writes by captures and draws, and those of the later accesses to this data.
fn waits() -> [(Stage, Access); 2] {
    let writes = Access::TRANSFORM_FEEDBACK_WRITE_EXT
        | Access::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT
        | Access::COLOR_ATTACHMENT_WRITE;
    let reads = Access::TRANSFORM_FEEDBACK_COUNTER_READ_EXT
        | Access::INDIRECT_COMMAND_READ
        | Access::VERTEX_ATTRIBUTE_READ
        | Access::COLOR_ATTACHMENT_READ;
    let stages = Stage::TRANSFORM_FEEDBACK_EXT | Stage::COLOR_ATTACHMENT_OUTPUT;
    // Captures write to buffers that earlier draws read as attributes.
    let stages = stages | Stage::VERTEX_INPUT;
    [(stages, writes), (stages | Stage::DRAW_INDIRECT, writes | reads)]
}

impl Scene<'_> {
    /// Makes all captures, counters and images visible to all later accesses, including host accesses.
    pub(super) unsafe fn wait(&self, commands: vk::CommandBuffer) {
        let [(stage, writes), (behind, reads)] = waits();
        let barrier = [memory_barrier(writes, reads | Access::HOST_READ)];
        let behind = behind | Stage::HOST;
        let (vulkan, flags) = (&self.able.device.handle, vk::DependencyFlags::empty());
        // SAFETY: no render pass is active.
        unsafe { vulkan.cmd_pipeline_barrier(commands, stage, behind, flags, &barrier, &[], &[]) };
    }

    /// Records the same barrier before a render pass, without making writes visible to the host.
    pub(super) unsafe fn wait_between(&self, commands: vk::CommandBuffer, number: usize) {
        let event = self.events[number];
        let [(before, writes), (behind, reads)] = waits();
        let memory = [memory_barrier(writes, reads)];
        // The 64-bit masks have the same bits.
        let wide = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::from_raw(before.as_raw().into()))
            .src_access_mask(vk::AccessFlags2::from_raw(writes.as_raw().into()))
            .dst_stage_mask(vk::PipelineStageFlags2::from_raw(behind.as_raw().into()))
            .dst_access_mask(vk::AccessFlags2::from_raw(reads.as_raw().into()))];
        let dependency = vk::DependencyInfo::default().memory_barriers(&wide);
        let vulkan = &self.able.device.handle;
        // SAFETY: no render pass is active, and the event is not set.
        unsafe {
            match self.stream.waits {
                Waits::Barrier => self.wait(commands),
                Waits::Barrier2 => vulkan.cmd_pipeline_barrier2(commands, &dependency),
                Waits::Event => {
                    vulkan.cmd_set_event(commands, event, before);
                    let events = [event];
                    vulkan.cmd_wait_events(commands, &events, before, behind, &memory, &[], &[]);
                }
                Waits::Event2 => {
                    vulkan.cmd_set_event2(commands, event, &dependency);
                    vulkan.cmd_wait_events2(commands, &[event], &[dependency]);
                }
            }
        }
    }

    /// Writes a timestamp, if the stream has timestamps.
    pub(super) unsafe fn stamp(&self, commands: vk::CommandBuffer, number: u32) {
        let vulkan = &self.able.device.handle;
        let (first, second) =
            (Stage::TRANSFORM_FEEDBACK_EXT, vk::PipelineStageFlags2::TRANSFORM_FEEDBACK_EXT);
        // SAFETY: the query was reset, and no render pass is active.
        unsafe {
            match self.stream.waits {
                _ if !self.stream.stamped => {}
                Waits::Barrier | Waits::Event => {
                    vulkan.cmd_write_timestamp(commands, first, self.stamps, number);
                }
                Waits::Barrier2 | Waits::Event2 => {
                    vulkan.cmd_write_timestamp2(commands, second, self.stamps, number);
                }
            }
        }
    }
}
